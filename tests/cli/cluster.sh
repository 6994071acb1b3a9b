#!/usr/bin/env bash
# Clusters of blocks in launch files: distributed shared memory and barriers of clusters leave the same values in both modes, under all ways to
# diverge and all schedulers, after the same cycles on every number of threads, without skipping and from a checkpoint. What is not allowed is
# said in words.
. "$(dirname "$0")/_lib.sh"
cp "$LOCKSTEP_SRC/tests/cli/cluster.ptx" "$folder"
small=(--machine h100 --set gpu.sms=16 --set gpu.gpc_sms=8)

# case_of KERNEL BLOCKS CRC CLUSTER
case_of() {
    {
        printf 'ptx: cluster.ptx\nkernel: %s\ngrid: [%s, 1, 1]\nblock: [64, 1, 1]\nshared: 0\n' "$1" "$2"
        [ -z "${4:-}" ] || printf 'cluster: %s\n' "$4"
        printf 'buffers:\n  out: {type: u32, count: 8192, init: zero}\nargs:\n  - out\ncheck:\n  - {buffer: out, crc32: %s}\n' "$3"
    } >"$folder/$1.yaml"
}
case_of ring 16 0xe05f5a50
case_of spread 24 0x996c8e00 '[4, 1, 1]'
case_of ends 8 0xf85a6670
case_of gone 4 0
case_of hang 8 0
case_of beyond 4 0

# cycles OPTIONS... FILE: those of the run, whose check must hold. In a shell of its own: failures are kept for the end.
cycles() {
    "$LOCKSTEP" run --quiet --stats "$folder/stats.json" "$@" >"$folder/out" 2>&1 || echo "$*: $(tail -n 3 "$folder/out")" >>"$folder/failed"
    sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' "$folder/stats.json" | head -n 1
}

for kernel in ring spread ends; do
    file=$folder/$kernel.yaml
    cycles "${small[@]}" --mode functional "$file" >/dev/null
    whole=$(cycles "${small[@]}" "$file")
    [ "${whole:-0}" -gt 1000 ] || wrong "$kernel: $whole cycles"
    for how in --no-skip "--threads 2" "--threads 4"; do
        # shellcheck disable=SC2086
        now=$(cycles "${small[@]}" $how "$file")
        [ "$now" = "$whole" ] || wrong "$kernel $how: $now cycles, not $whole"
    done
    for way in stack aware; do
        cycles "${small[@]}" --divergence $way "$file" >/dev/null
    done
    for scheduler in gto lrr tls mwf; do
        cycles "${small[@]}" --sched $scheduler "$file" >/dev/null
    done
    cycles "${small[@]}" --check sync,mem,race "$file" >/dev/null
    cycles "${small[@]}" --profile "$file" >/dev/null
    [ $kernel != ends ] || continue
    rm -f "$folder"/at.*
    saving=$(cycles "${small[@]}" --checkpoint-every $((whole / 5)) --checkpoint "$folder/at.%c" "$file")
    [ "$saving" = "$whole" ] || wrong "$kernel: checkpoints change it"
    for saved in "$folder"/at.*; do
        "$LOCKSTEP" run --quiet --resume "$saved" --stats "$folder/stats.json" >"$folder/out" 2>&1 || wrong "$saved: $(tail -n 3 "$folder/out")"
        now=$(sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' "$folder/stats.json" | head -n 1)
        [ "$now" = "$whole" ] || wrong "${saved##*/} of $kernel: $now cycles, not $whole"
    done
done

# More clusters than have room at once.
one=$(cycles "${small[@]}" --set sm.blocks=1 "$folder/spread.yaml")
two=$(cycles "${small[@]}" --set sm.blocks=1 --threads 2 --no-skip "$folder/spread.yaml")
[ "$one" = "$two" ] || wrong "clusters that wait: $one cycles, and $two"

# A machine whose clusters are as large as a GPC has SMs; a dispatcher that starts fewer blocks at a time than a cluster has.
cycles "${small[@]}" --set gpu.gpc_sms=4 --set gpu.dispatch_burst=2 "$folder/ring.yaml" >/dev/null

words="access to the shared memory of block (1,0,0), of rank 1 in the cluster of block (0,0,0), which has ended"
for mode in timing functional; do
    expect 1 "$words" run --quiet "${small[@]}" --mode $mode "$folder/gone.yaml"
    expect 1 "cluster.ptx:" run --quiet "${small[@]}" --mode $mode "$folder/gone.yaml"
    expect 3 "its cluster still awaits block (" run --quiet "${small[@]}" --mode $mode "$folder/hang.yaml"
    expect 1 "shared::cluster address 0x" run --quiet "${small[@]}" --mode $mode "$folder/beyond.yaml"
done
expect 2 "the machine has no clusters of several blocks" run --quiet "$folder/ring.yaml"
expect 2 "a cluster of 4 blocks is larger than the machine's largest, 2" run --quiet "${small[@]}" --set gpu.gpc_sms=2 "$folder/ring.yaml"
sed 's/^grid: .*/grid: [18, 1, 1]/' "$folder/ring.yaml" >"$folder/odd.yaml"
expect 2 "is no multiple of the cluster" run --quiet "${small[@]}" "$folder/odd.yaml"
sed 's/^shared: 0/shared: 0\ncluster: [2, 1, 1]/' "$folder/ring.yaml" >"$folder/other.yaml"
expect 2 "differs from the kernel's .reqnctapercluster" run --quiet "${small[@]}" "$folder/other.yaml"
[ ! -e "$folder/failed" ] || wrong "$(cat "$folder/failed")"
finish
