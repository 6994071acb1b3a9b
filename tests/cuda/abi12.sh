# The interface of CUDA 12 where it differs.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
"${CC:-cc}" "$here/abi12.c" -o "$work/abi12" "$LOCKSTEP_BUILD/lib/lockstep/libcudart.so.12" -Wl,--allow-shlib-undefined
readelf -d "$work/abi12" | grep -q 'NEEDED.*libcudart.so.12' || fail "not linked to libcudart.so.12"
on_simulator "$work/abi12" >"$work/out" || fail "status $?"
diff -u - "$work/out" <<'EXPECTED'
Lockstep GTX 480 2.0 warp 32 threads 1024 clock 700000 sms 15 kept 1
prefetch 0
synchronize 0
EXPECTED
