#!/usr/bin/env bash
# Every result has a file of its own, and an option one value: two outputs in one file, however its name is spelled, a link that leads
# nowhere, an option that is given twice or with nothing, are refused before anything is simulated. What goes to a stream follows what
# was printed there before, also when that stream is a file or closed.
. "$(dirname "$0")/_lib.sh"
case=$LOCKSTEP_SRC/tests/reference/vecadd.yaml
cd "$folder" || exit 1
mkdir d
ln -s d e
ln -s nowhere dangling

one="are one file: the one would replace the other"
for pair in "a a" "a ./a" "d/a e/a" "d/../a a" "$folder/a a" "/dev/stdout /dev/stdout" "/dev/fd/1 /dev/stdout"; do
    # shellcheck disable=SC2086
    set -- $pair
    expect 2 "$one" run --stats "$1" --hang-report "$2" "$case"
done
expect 2 "$one" run --stats vecadd.yaml.checkpoint --checkpoint-every 1000 "$case"
expect 2 "$one" run --stats a --checkpoint a --checkpoint-every 1000 "$case"
expect 2 "$one" run --hang-report d/a500x --checkpoint e/a%cx --checkpoint-every 1000 "$case"
expect 0 "" run --quiet --stats d/ax.json --hang-report a5x --checkpoint a%c --checkpoint-every 5000 "$case"
# %c is the cycle in a checkpoint's own name alone.
mkdir 'f%c'
expect 0 "" run --quiet --checkpoint 'f%c/a%c' --checkpoint-every 5000 "$case"
[ -n "$(find 'f%c' -name 'a[0-9]*')" ] || wrong "no checkpoints in a folder named f%c"
echo '{' >there.json
ln there.json hard.json
: >there.json
ln -s there.json soft.json
expect 2 "$one" run --stats soft.json --hang-report hard.json "$case"
expect 0 "" run --quiet --stats /dev/null --hang-report /dev/null "$case"
for option in --stats --hang-report "--checkpoint-every 1000 --checkpoint"; do
    # shellcheck disable=SC2086
    expect 2 "dangling: it is a link to something that is not there" run $option dangling "$case"
done
expect 2 "dangling: it is a link" compare --sched lrr --stats dangling "$case"
expect 2 "dangling: it is a link" validate --case vecadd --html dangling
echo notes >notes.part
expect 2 "no checkpoint, and is not replaced" run --checkpoint-every 1000 --checkpoint notes "$case"
[ "$(cat notes.part)" = notes ] || wrong "notes.part is replaced"
[ -L dangling ] && [ ! -e nowhere ] || wrong "a dangling link was touched"

# One value for an option. That of a parameter can be set over; then a note says which holds.
expect 2 "--machine is given twice: gtx480 and gtx1080ti" run --machine gtx480 --machine gtx1080ti "$case"
expect 2 "--sched is given twice: lrr and gto" compare --sched lrr --sched=gto "$case"
expect 2 "--stats is given twice: a and b" run --stats a --stats b "$case"
expect 2 "--max-cycles is given twice" run "$case" --max-cycles 1 --max-cycles 2
expect 2 "--reference is given twice" validate --reference a --reference b
expect 0 "PASS" run --machine gtx480 --machine gtx480 "$case"
expect 0 "note: --set l2.ways=2 does not count: --set l2.ways=4 comes after it" run --set l2.ways=2 --set l2.ways=4 "$case"
expect 0 "note: --set sm.scheduler=gto does not count: --sched lrr is given too" run --sched lrr --set sm.scheduler=gto "$case"
expect 0 "note: --set sm.fetch=fef does not count: --fetch cff is given too" run --fetch cff --set sm.fetch=fef "$case"
expect 0 "" run --quiet --stats "$folder/fetch" --fetch cff --set sm.fetch=fef "$case"
grep -q '"fetch": "cff"' "$folder/fetch" || { echo "--fetch does not hold over --set"; exit 1; }
expect 0 "note: --set gpu.seed=3 does not count: --seed 4 is given too" run --seed 4 --set gpu.seed=3 "$case"
"$LOCKSTEP" run --set l2.ways=4 --set sm.warps=4 --set l2.ways=4 "$case" 2>&1 | grep -q note && wrong "a note on what agrees"
for option in --machine --set --sched --seed --mode --max-cycles --max-seconds --host-patience --threads --check --checkpoint-every --checkpoint --resume \
    --hang-report --stats; do
    expect 2 "$option needs a value: it is empty" run $option "" "$case"
    expect 2 "$option needs a value: it is empty" run $option= "$case"
done
for option in --case --jobs --reference --html; do
    expect 2 "$option needs a value: it is empty" validate $option ""
done
[ -z "$(find . -name 'a' -o -name 'b' -o -name '*.checkpoint')" ] || wrong "a refused run has written"

# Standard output is one more output.
"$LOCKSTEP" run --stats o.json "$case" >o.json 2>err && wrong "--stats over standard output"
grep -q "o.json: standard output goes to that file too" err || wrong "no word of standard output: $(cat err)"
"$LOCKSTEP" run --stats /dev/stdout "$case" >all || wrong "--stats /dev/stdout"
[ "$(sed -n 's/^\(kernel\|PASS\|{\|}\).*/\1/p' all | paste -sd' ')" = "kernel PASS { }" ] || wrong "results in a file that standard output goes to: $(head -5 all)"
"$LOCKSTEP" run --quiet --stats /dev/fd/3 "$case" 3>three || wrong "--stats /dev/fd/3"
[ "$(head -c 1 three)" = "{" ] || wrong "nothing in /dev/fd/3"

# "-" is standard output for one result, which has it for itself: what people read goes to standard error.
# sane FILE FILE WORDS: the two hold the same results.
sane() {
    diff <(without_host "$1") <(without_host "$2") >/dev/null || wrong "$3 is not what a file gets: $(head -3 "$1")"
}
"$LOCKSTEP" run --stats - "$case" >out 2>err || wrong "--stats -"
"$LOCKSTEP" run --quiet --stats stats.json "$case"
sane out stats.json "run --stats -"
grep -q '^vecadd ' err && grep -q '^PASS c' err || wrong "the table of --stats - is lost: $(cat err)"
[ "$("$LOCKSTEP" run --phases - --quiet "$case" | sed -n 1p)" = "$("$LOCKSTEP" run --phases p.csv --quiet "$case" && sed -n 1p p.csv)" ] || wrong "--phases -"
"$LOCKSTEP" run --quiet --phases - "$case" | cmp - p.csv || wrong "--phases - and --phases p.csv differ"
"$LOCKSTEP" compare --sched lrr,gto --stats - "$case" >out 2>err || wrong "compare --stats -"
"$LOCKSTEP" compare --sched lrr,gto --stats all.json "$case" >/dev/null
sane out all.json "compare --stats -"
grep -q '^speed-up' err || wrong "the table of compare --stats - is lost: $(cat err)"
"$LOCKSTEP" validate --case vecadd --machine gtx480 --sched gto --html - >out 2>err || wrong "validate --html -"
[ "$(head -c 15 out)" = '<!doctype html>' ] && grep -q '^vecadd' err || wrong "--html -: $(head -3 out) $(cat err)"
expect 2 "$one" run --stats - --phases - "$case"
expect 2 "$one" run --stats - --hang-report /dev/stdout "$case"
[ ! -e - ] || wrong "a file named -"
"$LOCKSTEP" run --quiet --stats ./- "$case" && sane ./- stats.json "a file named -"
expect 0 "{" run --stats - echo
sed "s/crc32: 0x......../crc32: 0x00000001/; s,ptx: ,ptx: $LOCKSTEP_SRC/tests/reference/," "$case" >fail.yaml
"$LOCKSTEP" run --quiet --stats - fail.yaml >out 2>err && wrong "a check that failed"
"$LOCKSTEP" run --quiet --stats failed.json fail.yaml >/dev/null
sane out failed.json "run --stats - of a check that failed"
grep -q '^FAIL c' err || wrong "no word of a check that failed: $(cat err)"

# Streams that are closed: their numbers are no other file's.
closed="cannot write to standard output: Bad file descriptor"
for command in "run $case" "machines" "run --quiet --stats /dev/stdout $case" "run --stats - $case" "compare --sched lrr $case"; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" $command >&- 2>err && wrong "$command succeeds without standard output"
    grep -q "Bad file descriptor" err || wrong "$command >&- says nothing: $(cat err)"
done
"$LOCKSTEP" run --quiet --stats closed.json "$case" <&- >/dev/null 2>&- || wrong "a run without standard input and error"
"$LOCKSTEP" run --quiet --stats open.json "$case" >/dev/null
plain() { grep -vE 'second|rss|page_faults' "$1"; }
diff <(plain closed.json) <(plain open.json) >/dev/null || wrong "closed streams change results"
finish
