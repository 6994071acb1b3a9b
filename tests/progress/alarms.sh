#!/usr/bin/env bash
# False alarms of the progress watch, and what it must stop: legal.cu has programs that end though for long they do nothing that others
# could see, hang.cu some that never end. gpu.watch_cycles is small, so that each goes on for dozens or hundreds of its windows.
. "$(dirname "$0")/_lib.sh"
printf '#include "%s"\n#undef FLAG\n' "$here/legal.cu" "$here/hang.cu" >"$folder/both.cu"
"$LOCKSTEP" cc --ptx "$folder/both.cu" -o "$folder/both.ptx" || wrong "legal.cu and hang.cu are not compiled"

# launch FILE KERNEL N BLOCKS THREADS: kernels of hang.cu have no N.
launch() {
    local arguments="out, {u32: $3}"
    [ "$1" = legal ] || arguments=out
    printf '%s\n' "ptx: both.ptx" "kernel: $2" "grid: [$4]" "block: [$5]" "shared: 0" "registers: 0" "buffers:" \
        "  out: {type: u32, count: 65536, init: zero}" "args: [$arguments]" >"$folder/case.yaml"
}

# run CODE OPTIONS...: what was said goes to $folder/said, cycles to $cycles
run() {
    local code=$1 got
    shift
    "$LOCKSTEP" run --quiet --stats "$folder/stats.json" "$@" "$folder/case.yaml" >"$folder/said" 2>&1
    got=$?
    cycles=$(sed -n '/"cycles"/{s/[^0-9]//gp;q}' "$folder/stats.json")
    [ $got -eq "$code" ] || wrong "$(sed -n 's/^kernel: //p' "$folder/case.yaml") $*: exit code $got, expected $code: $(head -n 4 "$folder/said" | cut -c1-200)"
}

# legal KERNEL N BLOCKS THREADS: ends, long after the first windows
legal() {
    launch legal "$@"
    run 0 --set gpu.sms=4 --set gpu.watch_cycles=10000
    [ "${cycles:-0}" -ge 150000 ] || wrong "$1 ends after $cycles cycles: that is no test"
    [ -z "${LOCKSTEP_LONG:-}" ] || run 0 --mode functional
}

for kernel in wait_clock64 wait_clock wait_timer wait_asleep wait_flag_for_a_time; do
    legal $kernel 400000 1 64
done
legal queens_global 6 1 32
legal queens_shared 6 1 32
legal queens_local 6 1 32
legal counter_global 11 1 32
legal counter_shared 12 1 32
legal counter_atomic 10 1 32
legal sort 768 1 64
legal life 1000 1 256
legal walk 3 1 32
legal random_numbers 20000 1 64
legal poll 5000 2 64
legal poll_swap 2000 2 32
legal poll_locks 1000 2 32
legal play_fast 1000 2 32
legal play_slowly 10 2 32
legal play_shared 8000 1 64
legal play_swap 1500 2 32
legal play_locked 5 2 32
legal tickets 500 4 32
legal lock_and_unlock 500 4 32
legal produce 20000 4 64
legal produce_in_memory 9 4 64
legal barriers 10000 1 256
# Only where L1s own lines does one who waits go round faster than the store that it waits for comes.
launch legal store_under_way 8000 2 1
run 0 --protocol denovo-b --set gpu.network_mhz=1 --set gpu.watch_cycles=100000
# In functional mode a turn of a warp is 256 instructions: also of these each goes on for several windows.
while read -r kernel n; do
    launch legal "$kernel" "$n" 2 32
    run 0 --mode functional --set gpu.watch_cycles=100000
done <<'X'
poll 60000
poll_swap 60000
play_fast 4000
play_swap 4000
lock_and_unlock 60000
X

# hang WINDOWS KERNEL BLOCKS THREADS WORDS...: stopped within so many times gpu.watch_cycles, with these words in the report
hang() {
    local most=$1 words
    launch hang "$2" 0 "$3" "$4"
    run 3 --set gpu.watch_cycles=10000 --max-cycles 2000000
    [ "${cycles:-0}" -le $((10000 * most)) ] || wrong "$2 is stopped after $cycles cycles"
    shift 4
    for words; do
        grep -qE -- "$words" "$folder/said" || wrong "'$words' is not in: $(head -n 8 "$folder/said" | cut -c1-300)"
    done
}

held="address 0x80001000 = 1; held by block"
hang 3 stale_flag 2 64 "made no progress; " "lanes 0-31 of 32 stand at .*hang.cu:2[0-9]"
hang 3 count 2 64 "made no progress; "
for kernel in store toggle toggle_shared toggle_atomic up_and_down; do
    hang 14 $kernel 2 64 "made no progress"
done
hang 3 two_locks 2 32 "\(deadlock\)" "circle 1: 2 warps" "$held \(0,0,0\) warp 0 lane 0 since"
hang 14 two_locks_in_step 2 32 "\(livelock: locks are taken and given back in vain\)" "by 2 warps that give them back"
hang 3 kept 3 32 "\(a lock was not given back\)" "$held .* lane 7 since .*, whose warp has ended without giving it back"
hang 3 kept_shared 1 128 "\(a lock was not given back\)" "shared address 0x0 = 1; held by block \(0,0,0\) warp .*, whose warp has ended"
hang 3 kept_by_exchange 3 32 "\(a lock was not given back\)" "$held .* taken at .*hang.cu:"
hang 3 held_by_exchange 3 32 "lane 0 of 32 spin at .* address 0x80001080 = 0" "$held .* taken at .*hang.cu:"
hang 3 lanes_of_a_warp 1 32 "\(deadlock\)" "circle 1: a warp that waits for itself" "SIMT deadlock"
hang 66 random_backoff 3 32 "\(a lock was not given back\)" "$held"
hang 14 semaphore 12 32 "\(livelock: locks are taken and given back in vain\)"
hang 3 barrier_for_a_flag 2 64 "2 of them at barriers" "lanes 0-31 of 32 spin at .*hang.cu:1.* address 0x80001080 = 0"
hang 1 barriers_in_a_circle 1 64 "\(deadlock\)" "waits at barrier 1 of 64 threads before .*, for block \(0,0,0\) warp 1"
hang 3 grid_barrier 200 256 "blocks: 90 run, 110 of 200 have not begun" "spin at .* address 0x80001000 = 90"
finish
