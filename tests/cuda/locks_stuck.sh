# What locks cannot do is said: which lock, who has it, who waits, and where; at once, not when patience is over.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/stuck" "$here/locks_stuck.cu"

# expect NAME ERROR CYCLES WORDS...: the error that the program sees; the report has all the words, and comes before so many cycles (0:
# there is none).
expect() {
    name=$1 error=$2 cycles=$3
    shift 3
    LOCKSTEP_MODE=timing on_simulator "$work/stuck" "$name" >"$work/out" 2>"$work/err" || fail "$name: status $?"
    [ "$(cat "$work/out")" = "$error" ] || fail "$name: $(cat "$work/out")"
    for words; do
        grep -qF -- "$words" "$work/err" || fail "$name: no word of '$words': $(cat "$work/err")"
    done
    [ "$cycles" != 0 ] || return 0
    found=$(sed -n 's/.*cycle \([0-9]*\).*/\1/p' "$work/err" | head -n 1)
    [ "$found" -le "$cycles" ] || fail "$name: found at cycle $found"
}
line() { grep -n -- "$1" "$here/locks_stuck.cu" | sed -n "${2:-1}s/:.*//p"; }

expect skip cudaErrorIllegalInstruction 5000 'RPC-skipped deadlock' "locks_stuck.cu:$(line 'lockstep_unlock(locks)')"
expect skip_in_call cudaErrorIllegalInstruction 5000 'RPC-skipped deadlock: while it held the lock at allocation #1 (cudaMalloc, 256 bytes), global address' \
    "taken at" "locks_stuck.cu:$(line 'lockstep_unlock(lock)')"
expect skip_with_two cudaErrorIllegalInstruction 5000 'RPC-skipped deadlock: after it took the lock' 'and before it gave back the lock' \
    "taken at" "locks_stuck.cu:$(line 'lockstep_unlock(&locks\[2\])')"
expect beside cudaErrorIllegalInstruction 5000 'SIMT deadlock: lane 0 waits for the lock at allocation #1 (cudaMalloc, 256 bytes)' \
    'which lane 1 of the same warp (thread 1 of block 0) holds' "taken at" "locks_stuck.cu:$(line 'lockstep_lock(own)')" \
    "locks_stuck.cu:$(line 'lockstep_lock(&locks\[1\])')"
expect twice cudaErrorIllegalInstruction 5000 'SIMT deadlock: lane 0' 'lane 0 of the same warp' 'a thread takes a lock once'
expect ended_beside cudaErrorIllegalInstruction 5000 'which lane 0 of the same warp' 'that has ended without giving it back'
expect circle cudaErrorLaunchTimeout 100000 'deadlock' 'circle 1: 2 warps' 'held by block (0,0,0) warp 1 lane 0' \
    'held by block (0,0,0) warp 0 lane 0' "locks_stuck.cu:$(line 'lockstep_lock(&locks\[1 - warp\])')"
expect barrier cudaErrorLaunchTimeout 20000 'deadlock' 'waits at barrier 0' 'held by block (0,0,0) warp'
expect ended cudaErrorLaunchTimeout 100000 'a lock was not given back' 'whose warp has ended without giving it back'
expect others cudaErrorIllegalInstruction 5000 'gives back the lock' 'which thread 0 of block 0 holds'
expect nobodys cudaErrorIllegalInstruction 5000 'gives back the lock' 'which nobody holds'

# With queues a second lock is refused when it is asked for; what else can go wrong with locks is found as without.
before=${LOCKSTEP_SET:-}
export LOCKSTEP_SET="${before:+$before
}locks.queue=true"
for nested in beside twice circle; do
    expect $nested cudaErrorIllegalInstruction 0 'is asked for while lanes of the warp have or await others'
done
expect skip cudaErrorIllegalInstruction 0 'RPC-skipped deadlock'
expect barrier cudaErrorLaunchTimeout 0 'waits at barrier 0'
expect ended cudaErrorLaunchTimeout 0 'whose warp has ended without giving it back'
expect others cudaErrorIllegalInstruction 0 'gives back the lock'
expect nobodys cudaErrorIllegalInstruction 0 'which nobody holds'

# A loop of attempts is the program's own: the progress watch sees it, after its patience.
LOCKSTEP_SET="${before:+$before
}gpu.watch_cycles=20000"
expect spin cudaErrorLaunchTimeout 400000 'deadlock' 'held by block (0,0,0) warp'

# What the switch lets go on comes to its end, or hangs and is seen to.
LOCKSTEP_SET="$LOCKSTEP_SET
sm.lock_past=true"
for name in skip skip_in_call skip_with_two; do
    expect $name cudaSuccess 0
done

# Where every lane goes on in the end, these programs end.
for case in skip skip_in_call skip_with_two beside spin; do
    in_turn its aware dwf
    for way in "${chosen[@]}"; do
        LOCKSTEP_SET=sm.divergence=$way
        expect $case cudaSuccess 0
    done
done
