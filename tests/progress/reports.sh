#!/usr/bin/env bash
# Reports name what is waited for and by whom: variables and allocations, lanes without a turn, warps at barriers, the scheduler; and faults
# the allocation that is nearest.
. "$(dirname "$0")/_lib.sh"
cd "$here" || exit 1

# has FILE WORDS...: each is in the file.
has() {
    local file=$1 words
    shift
    for words; do
        grep -qE -- "$words" "$folder/$file" || wrong "'$words' is not in $file: $(head -n 12 "$folder/$file" | cut -c1-400)"
    done
}

# lacks FILE WORDS...: none is.
lacks() {
    local file=$1 words
    shift
    for words; do
        ! grep -qE -- "$words" "$folder/$file" || wrong "'$words' is in $file"
    done
}

for way in stack its; do
    "$LOCKSTEP" run --quiet --divergence $way --set gpu.watch_cycles=10000 --hang-report "$folder/dot" samewarp.yaml >"$folder/said" 2>&1
    code=$?
    [ $way = stack ] || { [ $code -eq 0 ] || wrong "under $way: exit code $code"; continue; }
    [ $code -eq 3 ] || wrong "exit code $code"
    has said 'lanes 1-31 of 32 spin at .*:17:.* on flags\+4, address 0x[0-9a-f]* = 0; not changed since the kernel began; may be written by lane 0 of this warp at .*:14:.*SIMT deadlock' \
        'its other lanes: lane 0 at [^ ]*:14:[0-9]* wait for lanes 1-31$' 'under the scheduler gto'
    has dot 'flags\+4' 'lane 0 at' 'l0 -> w0 .*may be written by lane 0'
done
for mode in timing functional; do
    "$LOCKSTEP" run --quiet --mode $mode --set gpu.watch_cycles=10000 --hang-report "$folder/dot" gridwait.yaml >"$folder/said" 2>&1
    [ $? -eq 3 ] || wrong "gridwait: exit code $?"
    has said "block \(0,0,0\) warp 0.*: waits at the grid's barrier before" "and so block \(2,0,0\) warp 0$" \
        "the grid's barrier still awaits: block \(1,0,0\) warp 0 \(at" "which waits at the grid's barrier before"
    has dot "w0 -> w1 .*the grid's barrier"
done
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -n "${LOCKSTEP_PRELOAD:-}" ] && finish && exit 0
"$LOCKSTEP" cc reports.cu -o "$folder/reports" || exit 1

# line TEXT [N]: where the N-th line with it is in reports.cu.
line() { grep -nF -- "$1" reports.cu | sed -n "${2:-1}s/:.*//p"; }

said() {
    "$LOCKSTEP" run --quiet --set gpu.watch_cycles=10000 --hang-report "$folder/dot" "${@:2}" "$folder/reports" "$1" >"$folder/said" 2>&1
}

said circle
has said 'circle 1: 2 warps' 'on stock::lockA, address 0x[0-9a-f]* = 1; held by' 'on stock::lockB, address'
has dot 'stock::lockA, address'
said inlined
for first in lockA lockB; do
    take=$(line 'while (atomicCAS' 2)
    second=$(line 'take(b);')
    outer=$(line "take_both(&stock::$first")
    has said "spin at [^ ]* \(reports.cu:$take in take, inlined at reports.cu:$second in take_both, inlined at reports.cu:$outer\) on stock::"
    has dot "reports.cu:$take in take, inlined at reports.cu:$second in take_both, inlined at reports.cu:$outer"
done
said barrier
has said "lanes 0-31 of 32 spin at .* on flags\+8, address .* = 0; not changed since the kernel began; may be written by lanes 0-31 of block \(0,0,0\) warp 1 at .*reports.cu:[0-9]*\), which waits at barrier 0" \
    'block \(0,0,0\) warp 1 .*waits at barrier 0 before' 'and so block \(0,0,0\) warp 2-3' \
    'barrier 0 of block \(0,0,0\) still awaits: warp 0 \(at'
has dot 'flags\+8' 'l0 -> w3 .*may be written by lanes 0-31'
said grid
has said "on the grid's workspace\+4, .*; a barrier of the grid, to which blocks have not come: \(1,0,0\)$"
has dot "l0 -> w2 .*its block has not come to the grid's barrier"
said last
has said 'blocks: 15 run, 5 of 20 have not begun' 'on flags\+12, .*; may be written by blocks that have not begun$'
has dot 'blocks: 15 run, 5 of 20 have not begun' 'l0 -> blocks .*may be written by those that have not begun'
said kept
has said 'blocks: 1 of 2 have ended, 1 run$' 'on stock::lockA, address 0x[0-9a-f]* = 1; held by block \(0,0,0\) warp 0 lane 0 since'
has dot 'blocks: 1 of 2 have ended, 1 run'
said rewritten
has said 'on flags, address 0x[0-9a-f]* = 1; written last by block \(0,0,0\) warp 0; may be written by lanes 0-31 of block'
has dot 'written last by block \(0,0,0\) warp 0'
said named --divergence its
has said 'its other lanes: lanes 16-31 at .* wait there, as its mask says, for lanes 0-15$'
has dot 'lanes 16-31 at .* wait there, as its mask says, for lanes 0-15'
# Functional mode tells the same.
said circle --mode functional
has said 'circle 1: 2 warps' 'block \(0,0,0\) warp 0: lane 0 of 32 spin .* on stock::lockB, address .* held by block \(1,0,0\) warp 0 lane 0 since instruction'
lacks said 'host:' '\bSM [0-9]'
has dot 'stock::lockA, address' 'w0 -> l0'
said barrier --mode functional
has said 'may be written by lanes 0-31 of block \(0,0,0\) warp 1 .* which waits at barrier 0' 'still awaits: warp 0 \(at'
said kept --mode functional
has said '\(a lock was not given back\)' 'held by block \(0,0,0\) warp 0 lane 0 .*whose warp has ended without giving it back'
said shared --mode functional
has said 'on in_shared::turn\+4, shared address'
has dot 'of block \(2,0,0\)'
said shared
has said 'on in_shared::turn\+4, shared address' 'and so block \(0,0,0\) warp 1'
said memory
has said 'on allocation #1 \(cudaMalloc, 400 bytes\)\+20, address' 'and so block \(0,0,0\) warp 1, block \(1,0,0\) warp 0-1' 'no other thread'
said called
has said "called in look_twice at .*reports.cu:$(line 'look_twice(volatile')\\), in called at .*reports.cu:$(line 'void called')\\)\$"
has dot 'called in look_twice at .*, in called at'
said behind
has said 'address 0x[0-9a-f]*, which nothing was allocated at: 0 bytes behind the end of allocation #1 \(cudaMalloc, 400 bytes\)$'
said before
has said ': 8 bytes before the beginning of allocation #1'
said within
has said 'misaligned access to global address 0x[0-9a-f]*, in allocation #1 \(cudaMalloc, 400 bytes\)\+6$'
said null
has said ': 12 bytes from a null pointer$'
said freed
has said ': inside allocation #2 \(cudaMalloc, 600 bytes\), which was freed$'
said symbol
has said ': 0 bytes behind the end of stock::lockB$'
said in_call
has said ': 8 bytes behind the end of allocation #1' "called in in_call at .*reports.cu:$(line '        store_in_call(p')\\)\$"
said unlocked
has said 'gives back the lock at stock::lockC, global address 0x[0-9a-f]*, which nobody holds$'
said shared_at
has said 'shared address 0x2c.*: the block has 32 bytes of shared memory, 12 bytes behind the end of shared_at::table$'
finish
