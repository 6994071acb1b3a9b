# Programs are told what machines/gtx1080ti.yaml says, in both modes, and a block that asks for them gets all 96 KiB of an SM's
# shared memory.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
export LOCKSTEP_MACHINE=gtx1080ti
check_output pascal "$here/pascal.cu"
LOCKSTEP_MODE=timing check_output pascal
