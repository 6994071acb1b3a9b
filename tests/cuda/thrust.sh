# Algorithms of thrust, built with Debian's headers (libthrust-dev), in functional and, small, in timing mode.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -e /usr/include/thrust/device_vector.h ] || { echo "skipped: libthrust-dev is not installed"; exit 77; }
# Host code at -O0 is compiled in half the time.
build "$work/thrust" -O0 "$here/thrust.cu"
on_simulator "$work/thrust" 1500 >"$work/out" || fail "functional: $(cat "$work/out")"
LOCKSTEP_MODE=timing on_simulator "$work/thrust" 200 >"$work/timing" || fail "timing: $(cat "$work/timing")"
diff "$work/out" "$work/timing" || fail "timing says something else"
[ "$(grep -c ': right$' "$work/out")" -ge 10 ] || fail "not all came: $(cat "$work/out")"
