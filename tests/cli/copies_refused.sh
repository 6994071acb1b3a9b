#!/usr/bin/env bash
# Copies in bulk and sends whose operands are not allowed end in a fault that says which and where, in both modes.
# So does what is sent to a block that has ended.
. "$(dirname "$0")/_lib.sh"
cp "$LOCKSTEP_SRC/tests/cli/copies_refused.ptx" "$folder"

# refused STATUS KERNEL TEXT
refused() {
    local mode
    printf 'ptx: copies_refused.ptx\nkernel: %s\ngrid: [2]\nblock: [32]\nbuffers:\n  in: {type: u32, count: 1024, init: zero}\nargs:\n  - in\n' \
        "$2" >"$folder/$2.yaml"
    for mode in timing functional; do
        expect "$1" "$3" run --quiet --machine h100 --set gpu.sms=16 --set gpu.gpc_sms=8 --mode $mode "$folder/$2.yaml"
    done
}
refused 0 fine ""
refused 1 lost "access to the shared memory of block (1,0,0), of rank 1 in the cluster of block (0,0,0), which has ended"
refused 1 bytes "a copy in bulk moves a multiple of 16 bytes, not 24"
refused 1 from "an address of a copy in bulk is a multiple of 16, 0x"
refused 1 into "an address of a copy in bulk is a multiple of 16, 0x88 is not"
refused 1 leaves "the copy in bulk leaves shared memory at 0x100"
refused 1 object "there is no mbarrier at 0x1000 of shared memory"
refused 1 map "there is no tensor map at 0x"
refused 1 rank "the cluster has no block for the copy in bulk at 0x29000080"
refused 1 cast "the copy in bulk is for blocks 0x9 of the cluster, not all of which it has"
refused 1 store "the copy in bulk reads another block's shared memory, at 0x2000080"
refused 1 send "there is no mbarrier at 0x2010000 of shared memory"
refused 1 reduces "there is no mbarrier at 0x2000004 of shared memory"
finish
