#!/usr/bin/env bash
# More programs that wait for ever on purpose, or wait for what is not there: each is told with its line, the object and who is missing, in
# both modes; and one that waits for nothing ends.
. "$(dirname "$0")/_lib.sh"
cp "$LOCKSTEP_SRC/tests/cli/waiting_hangs.ptx" "$folder"

# told STATUS KERNEL TEXT...: the report of the kernel has each text.
told() {
    local status=$1 kernel=$2 mode text blocks=1 threads=96 cluster= more=
    shift 2
    case $kernel in
    gone | astray | unarrived | inside | shared_out | flag) blocks=2 cluster='cluster: [2, 1, 1]' ;;
    patient) more='--set gpu.watch_cycles=2000' ;;
    absent) blocks=4 cluster='cluster: [4, 1, 1]' ;;
    starve) threads=384 ;;
    uncommitted) threads=128 ;;
    esac
    printf 'ptx: waiting_hangs.ptx\nkernel: %s\ngrid: [%s]\nblock: [%s]\n%s\nbuffers:\n  in: {type: u32, count: 1024, init: zero}\nargs:\n  - in\n' \
        "$kernel" "$blocks" "$threads" "$cluster" >"$folder/$kernel.yaml"
    for mode in timing functional; do
        # shellcheck disable=SC2086 # several words
        "$LOCKSTEP" run --quiet --machine h100 $more --set gpu.sms=16 --set gpu.gpc_sms=8 --mode $mode "$folder/$kernel.yaml" >"$folder/said" 2>&1
        [ $? -eq "$status" ] || wrong "$kernel, $mode: another status: $(cat "$folder/said")"
        sed "s|$folder/||g" "$folder/said" >"$folder/out"
        for text in "$@"; do
            grep -qF -- "$text" "$folder/out" || wrong "$kernel, $mode: no '$text' in: $(cat "$folder/out")"
        done
    done
}
waits="wait for the phase of an mbarrier at waiting_hangs.ptx:"
told 3 starve "wait for registers of their block at waiting_hangs.ptx:23:2" "it has 168 registers a thread and asks for 240, and of the 72 more 8 are free in its block" \
    "held by warps 0-3: 40 (at barrier 1, before waiting_hangs.ptx:21:2), warps 4-" "(waits for registers, before waiting_hangs.ptx:24:2)"
told 1 overshoot "waiting_hangs.ptx:40:2: error: kernel overshoot: an mbarrier's phase ends while bytes of a copy are still to come: expect_tx announces fewer than the copies bring"
told 0 uncommitted
told 1 invalid "waiting_hangs.ptx:68:2: error: kernel invalid: there is no mbarrier object: it was not initialised, or is invalid again"
told 1 gone "waiting_hangs.ptx:96:2: error: kernel gone: access to the shared memory of block (1,0,0), of rank 1 in the cluster of block (0,0,0), which has ended"
told 3 astray "$waits" "ring+8, shared address 0x10: phase of parity 0, 0 of 1 arrivals missing, 4 bytes missing, expected at waiting_hangs.ptx:113:2; no copy under way brings them"
told 3 unarrived "waits at the cluster's barrier before waiting_hangs.ptx:139:2" "its cluster still awaits block (1,0,0) (warp 2 waits without all of its warps having arrived, before waiting_hangs.ptx:142:2)"
told 3 inside "its cluster still awaits block (1,0,0) (warp 0 at another barrier, before waiting_hangs.ptx:154:2)" \
    "barrier 3 of 128 threads of block (1,0,0) expects more threads than the block has left"
told 3 counts "block (0,0,0) warp 1" "waits at barrier 2 of 128 threads before waiting_hangs.ptx:168:2" "waits at barrier 2 of 96 threads before waiting_hangs.ptx:171:2"
told 3 shared_out "full, shared address 0x0: phase of parity 0, 0 of 1 arrivals missing, 512 bytes missing, expected at waiting_hangs.ptx:187:2; no copy under way brings them" "block (1,0,0) warp 0"
told 3 copied "ring+8, shared address 0x10: phase of parity 0, 96 of 96 arrivals missing; nobody has arrived since the phase began" "every warp of its block waits for it"
told 3 ahead "full, shared address 0x0: phase of parity 1, 1 of 3 arrivals missing" "warps of its block that have ended: warp 2" \
    "not, of those that arrived in the phase before: warp 2 lane 0"
told 3 flag "spin at waiting_hangs.ptx:264:2 on box, shared address 0x80 of the block of rank 1 of its cluster = 0" "of the block of rank 0 of its cluster = 0"
told 3 absent "full, shared address 0x0: phase of parity 0, 1 of 4 arrivals missing" "arrived in this phase: warp 0 lane 0, block (1,0,0) warp 0 lane 0, block (3,0,0) warp 0 lane 0, nobody of block (2,0,0)"
told 3 sleepers "lanes 0-31 of 32 $waits" "full, shared address 0x0: phase of parity 0, 0 of 2 arrivals missing, 512 bytes missing, expected at waiting_hangs.ptx:308:2 or waiting_hangs.ptx:309:2; no copy under way brings them"
told 0 patient
finish
