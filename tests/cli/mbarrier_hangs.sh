#!/usr/bin/env bash
# Programs that wait for mbarriers for ever, on purpose: the report names the object, what its phase lacks, who waits elsewhere or
# has ended, which threads have arrived and which have not, and whether a copy is to bring the bytes that are missing, in both modes.
. "$(dirname "$0")/_lib.sh"
cp "$LOCKSTEP_SRC/tests/cli/mbarrier_hangs.ptx" "$folder"

# hang KERNEL TEXT...: the report of the kernel has each text.
hang() {
    local kernel=$1 mode text blocks=1
    shift
    [ "$kernel" != cluster ] && [ "$kernel" != far ] || blocks=2
    printf 'ptx: mbarrier_hangs.ptx\nkernel: %s\ngrid: [%s]\nblock: [96]\nbuffers:\n  in: {type: u32, count: 1024, init: zero}\nargs:\n  - in\n' \
        "$kernel" "$blocks" >"$folder/$kernel.yaml"
    for mode in timing functional; do
        "$LOCKSTEP" run --quiet --machine h100 --set gpu.sms=16 --set gpu.gpc_sms=8 --mode $mode "$folder/$kernel.yaml" >"$folder/said" 2>&1
        [ $? -eq 3 ] || wrong "$kernel, $mode: no hang"
        sed "s|$folder/||g" "$folder/said" >"$folder/out"
        for text in "$@"; do
            grep -qF -- "$text" "$folder/out" || wrong "$kernel, $mode: no '$text' in: $(cat "$folder/out")"
        done
    done
}
waits="wait for the phase of an mbarrier at mbarrier_hangs.ptx:"
hang missing "lanes 0-31 of 32 $waits" "full, shared address 0x0: phase of parity 0, 32 of 96 arrivals missing" \
    "warps of its block that have ended: warp 2" "arrived in this phase: warps 0-1; not, of its block: warp 2" "and so block (0,0,0) warp 1"
hang count "ring+16, shared address 0x18: phase of parity 0, 1 of 33 arrivals missing" \
    "others that may arrive: warps 0-1 (waits for an mbarrier, at mbarrier_hangs.ptx:"
hang parity "ring+8, shared address 0x10: phase of parity 1, 96 of 96 arrivals missing; nobody has arrived since the phase began" \
    "a wait for parity 0 would go on; every warp of its block waits for it" \
    "not arrived, of those that arrived in the phase before: warps 0-2" "and so block (0,0,0) warp 1-2"
hang bytes "0 of 1 arrivals missing, 512 bytes missing, expected at mbarrier_hangs.ptx:" "; no copy under way brings them" \
    "others that may arrive: warp 2 (at barrier 1, before mbarrier_hangs.ptx:" "arrived in this phase: warp 0 lane 0"
hang other "ring+8, shared address 0x10: phase of parity 0, 0 of 1 arrivals missing, 512 bytes missing, expected at mbarrier_hangs.ptx:" \
    "; no copy under way brings them; every warp of its block waits for it"
hang pipeline "ring, shared address 0x8: phase of parity 0, 32 of 32 arrivals missing; nobody has arrived" \
    "others that may arrive: warp 1 (waits for an mbarrier, at mbarrier_hangs.ptx:" "ring+16, shared address 0x18: phase of parity 0, 64 of 64" \
    "others that may arrive: warp 0 (waits for an mbarrier, at mbarrier_hangs.ptx:"
hang halves "lanes 0-15 on ring, shared address 0x8: phase of parity 0, 49 of 97 arrivals missing" \
    "lanes 16-31 on ring+8, shared address 0x10: phase of parity 0, 50 of 98 arrivals missing" \
    "arrived in this phase: warp 0 lanes 0-15, warp 1 lanes 0-15, warp 2 lanes 0-15; not, of its block: warp 0 lanes 16-31, warp 1"
hang cluster "full, shared address 0x0: phase of parity 0, 1 of 2 arrivals missing" \
    "others that may arrive: block (1,0,0) warps 0-2 (at the cluster's barrier, before mbarrier_hangs.ptx:"
hang far "full, shared address 0x0: phase of parity 1, 1 of 3 arrivals missing" \
    "arrived in this phase: warp 0 lane 0, block (1,0,0) warp 1 lane 5; not, of those that arrived in the phase before: block (1,0,0) warp 2 lane 6"
hang alone "lane 0 of 1 $waits" "full, shared address 0x0: phase of parity 0, 31 of 32 arrivals missing" \
    "warps of its block that have ended: warps 1-2"
# Who waits for long in one phase and sleeps in the next has not come back to where it was: phases that end are changes.
printf 'ptx: mbarrier_hangs.ptx\nkernel: turns\ngrid: [1]\nblock: [96]\nbuffers:\n  in: {type: u32, count: 1024, init: zero}\nargs:\n  - in\n' >"$folder/turns.yaml"
for mode in timing functional; do
    "$LOCKSTEP" run --quiet --machine h100 --set gpu.watch_cycles=200000 --mode $mode "$folder/turns.yaml" >"$folder/said" 2>&1 ||
        wrong "turns, $mode: $(cat "$folder/said")"
done
# A checkpoint has who has arrived.
cd "$folder" || exit 1
"$LOCKSTEP" run --quiet --machine h100 --set gpu.sms=16 --set gpu.gpc_sms=8 --checkpoint-every 900000 --checkpoint at far.yaml >before 2>&1
"$LOCKSTEP" run --quiet --resume at >behind 2>&1
grep 'arrived in this phase' before >first && grep 'arrived in this phase' behind | cmp - first || wrong "a checkpoint forgets arrivals: $(cat behind)"
finish
