# Algorithms and collectives of CUB, built with Debian's headers (libcub-dev), in functional and, small, in timing mode.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -e /usr/include/cub/cub.cuh ] || { echo "skipped: libcub-dev is not installed"; exit 77; }
# Host code at -O0 is compiled in half the time.
build "$work/cub" -O0 "$here/cub.cu"
on_simulator "$work/cub" 1500 >"$work/out" || fail "functional: $(cat "$work/out")"
LOCKSTEP_MODE=timing on_simulator "$work/cub" 200 >"$work/timing" || fail "timing: $(cat "$work/timing")"
diff "$work/out" "$work/timing" || fail "timing says something else"
[ "$(grep -c ': right$' "$work/out")" -ge 10 ] || fail "not all came: $(cat "$work/out")"
