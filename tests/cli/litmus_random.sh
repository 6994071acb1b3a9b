#!/usr/bin/env bash
# lockstep litmus --random: random litmus tests under all protocols and divergence models, and what is said of one that fails.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# No machine shows what the model forbids. Each way has tests of its own; with LOCKSTEP_LONG more of them and more runs of each, under
# all ways, on the whole machine. A test has four threads at most: four SMs can keep them all apart, and are built in half the time
# of fifteen.
tests=50 runs=2 sms=4 ways="stack its aware dwf"
[ -z "${LOCKSTEP_LONG:-}" ] || tests=2000 runs=8 sms=15 ways=all
seed=1
for way in $ways; do
    expect 0 " 0 ended as the model forbids" litmus --random $tests --runs $runs --seed $seed --protocol all \
        --divergence "$way" --set gpu.sms=$sms --quiet
    seed=$((seed + 1))
done

# The tests are a function of the seed, and what is printed can be read again.
"$LOCKSTEP" litmus --random 30 --seed 3 --print >"$folder/once"
"$LOCKSTEP" litmus --random 30 --seed 3 --print >"$folder/again"
"$LOCKSTEP" litmus --random 30 --seed 4 --print >"$folder/other"
cmp -s "$folder/once" "$folder/again" || wrong "the tests of a seed differ"
[ "$(grep -c '^PTX' "$folder/once")" = 30 ] || wrong "30 tests were asked for"
grep -v '^PTX' "$folder/once" | cmp -s - <(grep -v '^PTX' "$folder/other") && wrong "the seed changes nothing"
awk -v folder="$folder" '/^PTX/ { n++ } { print > (folder "/test" n ".litmus") }' "$folder/once"
"$LOCKSTEP" litmus --random 30 --seed 3 --model --quiet | sort >"$folder/of-random"
"$LOCKSTEP" litmus --model --quiet "$folder"/test*.litmus | sort >"$folder/of-files"
cmp -s "$folder/of-random" "$folder/of-files" || wrong "a printed test is another one when it is read again"

# A machine that breaks the model is found out, and the test and its outcomes are printed, with how to run it again.
"$LOCKSTEP" litmus --random 10 --seed 2 --runs 40 --quiet --set sm.fence_l1=none >"$folder/broken"
[ $? -eq 1 ] || wrong "a machine whose fences keep the L1's lines passes"
grep -q "FORBIDDEN" "$folder/broken" || wrong "no forbidden outcome is said"
awk '/^PTX random-2-/ { on = 1 } /^$/ { on = 0 } on' "$folder/broken" | awk '/^PTX/ { n++ } n == 1' >"$folder/found.litmus"
expect 1 "FORBIDDEN" litmus --seed 2 --runs 40 --set sm.fence_l1=none "$folder/found.litmus"

# Lists of protocols and divergence models: a row for each.
expect 0 "hlrc-scoped dwf" litmus --random 1 --runs 2 --protocol all --divergence all
expect 0 "2 tests, 40 runs" litmus --random 2 --protocol bypass
expect 2 "there is no coherence protocol named mesi" litmus --random 2 --protocol bypass,mesi
expect 2 "there is no divergence model named north" litmus --random 2 --divergence stack,north
expect 2 "--random 0: expected a number" litmus --random 0
expect 2 "one of these alone" litmus --random 2 --shapes
expect 2 "one of these alone" litmus --random 2 "$folder/found.litmus"
finish
