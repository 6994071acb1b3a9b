# Copies to shared memory and barriers there, by nvcc: of ordinary instructions, below sm_80.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/pipelines.sh"
