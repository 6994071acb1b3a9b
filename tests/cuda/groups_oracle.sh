# Members of cooperative groups under divergence give what the host computes, in each of the ways to diverge.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
build "$work/oracle" "$here/groups_oracle.cu"
try() {
    "$LOCKSTEP" run --quiet "$@" >"$work/out" 2>&1 || fail "$*: $(cat "$work/out")"
    [ "$(cat "$work/out")" = "no error, 0 wrong" ] || fail "$*: $(cat "$work/out")"
}
seeds=${LOCKSTEP_LONG:+20}
for seed in $(seq "${seeds:-2}"); do
    for way in stack its aware dwf; do
        try --divergence $way --mode functional "$work/oracle" "$seed"
    done
done
try --machine apu8 --mode functional "$work/oracle" 7
try "$work/oracle" 8
