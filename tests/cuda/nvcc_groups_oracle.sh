# Members of cooperative groups under divergence, built by nvcc.
compiler=nvcc long=1
. "$LOCKSTEP_SRC/tests/cuda/groups_oracle.sh"
