# Exchanges between lanes, atomics, loads and stores, special registers and printf give what an H100 gave.
. "$LOCKSTEP_SRC/tests/silicon/_lib.sh"
for program in lanes atoms special; do
    build "$work/$program" -arch=sm_80 "$here/$program.cu"
    as_on_card $program
done
as_on_card lanes --divergence its
