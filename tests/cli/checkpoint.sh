#!/usr/bin/env bash
# Launch files continued from checkpoints: from each of them the JSON is that of the uninterrupted run but for `host`, and writing
# them changes nothing. A killed run goes on from its latest. Damaged and foreign checkpoints are refused.
. "$(dirname "$0")/_lib.sh"
cases=$LOCKSTEP_SRC/tests/reference

# The cases with fewer blocks; with LOCKSTEP_LONG as they are. ht15 is ht64 with one block for each SM instead of two.
cp "$cases/"*.{ptx,bin} "$cases/"{atom_spread,bfs,divergence,hist_shared,localmem,reduce,scan,vecadd,waitsignal}.yaml "$folder/"
sed 's/^grid: .*/grid: [15]/; /buffer: links/d' "$cases/ht64.yaml" >"$folder/ht15.yaml"
for case in ht15 reduce scan vecadd bfs divergence; do
    [ -n "${LOCKSTEP_LONG:-}" ] || sed -i 's/^grid: .*/grid: [6]/; /^check/,$d' "$folder/$case.yaml"
done

# continues CASE OPTIONS...: from a checkpoint behind its middle (with LOCKSTEP_LONG, from eight); by turns with other numbers of
# threads, without skipping and as it was.
continues() {
    local file=$folder/$1.yaml case=$1 every n=0 how
    shift
    rm -f "$folder"/at.*
    json "$folder/whole" "$@" "$file" || return
    every=$(sed -n 's/^   "cycles": \([0-9]*\),$/\1/p' "$folder/whole")
    [ -z "${LOCKSTEP_LONG:-}" ] && every=$((every * 3 / 5)) || every=$((every / 8))
    json "$folder/saving" --checkpoint-every "$every" --checkpoint "$folder/at.%c" "$@" "$file" || return
    cmp "$folder/whole" "$folder/saving" || wrong "checkpoints change $case $*"
    for file in "$folder"/at.*; do
        how=$(((total + n++) % 3))
        [ $how -eq 0 ] && how="--threads 3" || { [ $how -eq 1 ] && how="--no-skip" || how=""; }
        # shellcheck disable=SC2086
        json "$folder/rest" --resume "$file" $how || continue
        cmp "$folder/whole" "$folder/rest" || wrong "$case $* goes on otherwise from ${file##*/} $how"
    done
    [ "$n" -gt 0 ] || wrong "$case $*: no checkpoint"
    total=$((total + n))
}
total=0
if [ -n "${LOCKSTEP_LONG:-}" ]; then # all of these cases come again below, with more to be saved
    continues ht15 --machine gtx480 --sched gto
    continues waitsignal --machine gtx480-sm2 --sched lrr
    continues reduce --machine gtx480 --sched gto
    continues scan --machine gtx480-sm2 --sched gto
    continues divergence --machine gtx1080ti --sched gto
    continues atom_spread --machine gtx480 --sched lrr
    continues bfs --machine gtx480 --sched gto
    continues divergence --machine gtx1080ti --sched gto --divergence its
fi
continues localmem --machine gtx480 --sched lrr        # local memory
continues vecadd --machine gtx480-sm2 --sched gto      # memory bound
continues vecadd --machine h100 --sched gty --set gpu.launch_written_cycles=0 # an SM without collectors
continues hist_shared --machine gtx1080ti --sched lrr
continues reduce --machine gtx480 --sched mwf --fetch cff --set sm.fetch_fills=true --set sm.instruction_buffer=4 # barriers
continues scan --machine gtx480-sm2 --sched saws:inner=lrr --fetch fef
continues ht15 --machine gtx480 --sched mwf:inner=gto+bows --fetch cff
continues ht15 --machine apu8 --protocol denovo-b --set sm.counts_lines=true # registered lines, probes, lines of atomics
continues ht15 --machine apu8 --protocol msi         # sharers
continues bfs --machine gtx480-sm2 --protocol lease   # leases
continues bfs --machine gtx480-sm2 --protocol hlrc    # store queues
continues reduce --machine gtx480 --set sm.l1i_sharers=4 # an instruction cache for four SMs, the last one for three
continues reduce --machine gtx480 --fetch cff --set sm.fetch_per_scheduler=true --set sm.instruction_bytes=16 --set sm.counts_preferred=true # a fetch buffer for each scheduler
continues ht15 --machine gtx480 --divergence its      # lanes that are let go
continues waitsignal --machine gtx480-sm2 --sched lrr --divergence its # waits for a flag
continues ht15 --machine gtx480 --divergence aware
continues ht15 --machine gtx480 --divergence dwf      # threads in other warps
continues divergence --machine gtx480-sm2 --sched lrr --divergence dwf --set sm.form_reads=rows --set sm.form_lanes=rotated
least=14
[ -z "${LOCKSTEP_LONG:-}" ] || least=150
[ "$total" -ge $least ] || wrong "only $total checkpoints"

# A hang is found in the same cycle, and said in the same words.
sed 's/^grid: .*/grid: [2]/; s/^block: .*/block: [256]/; s/u32: 64}/u32: 8}/; /^check/,$d' "$cases/ht64full.yaml" >"$folder/hangs.yaml"
starving=(--sched gto --set gpu.sms=1 --set sm.schedulers_take_turns=false --set sm.age_rotation=0 --set gpu.watch_cycles=20000)
"$LOCKSTEP" run "${starving[@]}" --quiet --checkpoint-every 5000 --checkpoint "$folder/hang.%c" "$folder/hangs.yaml" >"$folder/whole" 2>&1
[ $? -eq 3 ] && grep -q livelock "$folder/whole" || wrong "no hang"
n=0
for file in "$folder"/hang.*; do
    "$LOCKSTEP" run --quiet --resume "$file" >"$folder/rest" 2>&1
    [ $? -eq 3 ] && cmp "$folder/whole" "$folder/rest" || wrong "another hang from $file"
    n=$((n + 1))
done
[ "$n" -ge 3 ] || wrong "only $n checkpoints of a hang"

# A run killed in its middle, and another killed while it is continued, both at a checkpoint that was just written.
cd "$folder" || exit 1
json whole "$cases/ht64.yaml"
resume=()
for round in 1 2; do
    "$LOCKSTEP" run --quiet --checkpoint-every 20000 --checkpoint latest "${resume[@]}" "$cases/ht64.yaml" >/dev/null 2>&1 &
    mark=$(stat -c %Y%Z%i latest 2>/dev/null)
    for i in $(seq 6000); do
        [ -e latest ] && [ "$(stat -c %Y%Z%i latest)" != "$mark" ] && break
        sleep 0.02
    done
    kill -KILL $!
    wait $! 2>/dev/null
    resume=(--resume latest)
done
json rest --resume latest && { cmp whole rest || wrong "a killed run goes on otherwise"; }

# The default name; a run that ended at its limit goes on with another.
expect 4 "" run --quiet --max-cycles 5000 --checkpoint-every 2000 "$cases/reduce.yaml"
[ -e reduce.yaml.checkpoint ] || wrong "no reduce.yaml.checkpoint"
json whole "$cases/reduce.yaml"
expect 4 "partial" run --resume reduce.yaml.checkpoint
# It is said what is as it was, an old limit above all; the new option wins.
expect 4 "note: taken from the checkpoint: --" run --resume reduce.yaml.checkpoint
expect 4 "--max-cycles N is another limit, 0 none" run --resume reduce.yaml.checkpoint
expect 0 "PASS" run --max-cycles 0 --resume reduce.yaml.checkpoint
"$LOCKSTEP" run --max-cycles 0 --resume reduce.yaml.checkpoint 2>&1 | grep -q "another limit" && wrong "a limit that was lifted is noted"
json rest --max-cycles 100000 --resume reduce.yaml.checkpoint && { cmp whole rest || wrong "another limit gives another result"; }

# Checkpoints that cannot be written, as on a full disk, are reported and change nothing but the exit code.
cp "$cases/"{vecadd,strided}.{yaml,ptx} .
losing=("vecadd 3000")
[ -z "${LOCKSTEP_LONG:-}" ] || losing+=("ht15 20000" "strided 2000 --machine gtx1080ti")
for case in "${losing[@]}"; do
    # shellcheck disable=SC2086
    set -- $case
    json whole "${@:3}" "$1.yaml"
    (
        trap '' XFSZ
        ulimit -f 40 # kilobytes
        json rest --checkpoint-every "$2" --checkpoint full "${@:3}" "$1.yaml" >/dev/null
    ) && wrong "$case ends well although a checkpoint is lost"
    stripped rest
    cmp whole rest || wrong "$case goes on otherwise after a checkpoint that failed"
    grep -q "^error: cannot write checkpoint full: " rest.out || wrong "$case: no word of a checkpoint that failed"
    [ ! -e full ] && [ ! -e full.part ] || wrong "$case: a checkpoint that failed is there"
done

# Refusals.
good=reduce.yaml.checkpoint
"$LOCKSTEP" run --quiet --checkpoint-every 2000 "$cases/reduce.yaml" >/dev/null
bytes=$(stat -c %s "$good")
places="9 $((bytes / 2)) $((bytes - 1))"
[ -z "${LOCKSTEP_LONG:-}" ] || places="$places 0 20 $((bytes / 3)) $((bytes - 30))"
for at in $places; do
    cp "$good" bad
    byte=$(od -An -tu1 -j "$at" -N 1 bad)
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $(((byte + 1) % 256)))" | dd of=bad bs=1 seek="$at" conv=notrunc status=none
    expect 2 "cannot read checkpoint bad" run --resume bad
done
head -c $((bytes - 1)) "$good" >bad
expect 2 "damaged" run --resume bad
head -c 20 "$good" >bad
expect 2 "cut off" run --resume bad
expect 2 "No such file" run --resume none
expect 2 "not a checkpoint" run --resume "$cases/reduce.yaml"
expect 2 "another machine: sm.scheduler=gto there" run --resume "$good" --sched lrr
expect 2 "another machine: sm.divergence=stack there" run --resume "$good" --divergence its
expect 2 "another machine: sm.fetch=lrr there" run --resume "$good" --fetch cff
expect 2 "another machine" run --resume "$good" --machine gtx480-sm2
expect 2 "l2.sets" run --resume "$good" --set l2.sets=32
expect 2 "another program" run --resume "$good" "$cases/scan.yaml"
expect 2 "this is a program" run --resume "$good" echo
cp "$cases/reduce.yaml" "$cases/reduce.ptx" .
echo "// changed" >>reduce.ptx
expect 2 "the program was changed" run --resume "$good" reduce.yaml
expect 2 "functional" run --resume "$good" --mode functional
expect 2 "functional" run --checkpoint-every 5 --mode functional "$cases/reduce.yaml"
expect 2 "cycles above 0" run --checkpoint-every 0 "$cases/reduce.yaml"
expect 2 "needs --checkpoint-every" run --checkpoint x "$cases/reduce.yaml"
expect 2 "cannot write none/x" run --checkpoint-every 5 --checkpoint none/x "$cases/reduce.yaml"
expect 2 "--checkpoint needs a value: it is empty" run --checkpoint-every 5 --checkpoint "" "$cases/reduce.yaml"
mkfifo pipe
expect 2 "it is not a file" run --resume pipe
expect 2 "not a file has its name" run --checkpoint-every 5 --checkpoint pipe "$cases/reduce.yaml"
[ -p pipe ] || wrong "a checkpoint took the place of a pipe"
expect 2 "no option --resume" compare --resume "$good" "$cases/reduce.yaml"
finish
