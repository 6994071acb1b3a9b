# Types of libcu++, built with Debian's headers (libcu++-dev), in functional and, small, in timing mode.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -e /usr/include/cuda/std/barrier ] || { echo "skipped: libcu++-dev is not installed"; exit 77; }
build "$work/libcuxx" "$here/libcuxx.cu"
on_simulator "$work/libcuxx" >"$work/out" || fail "functional: $(cat "$work/out")"
LOCKSTEP_MODE=timing on_simulator "$work/libcuxx" >"$work/timing" || fail "timing: $(cat "$work/timing")"
diff "$work/out" "$work/timing" || fail "timing says something else"
[ "$(grep -c ': right$' "$work/out")" -ge 6 ] || fail "not all came: $(cat "$work/out")"
