# libnvrtc, by lockstep cc and, where it is, by nvcc, whose programs find ours in the place of NVIDIA's.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    on_simulator "$work/nvrtc" >"$work/out" 2>"$work/err" || fail "$1: $(cat "$work/out" "$work/err")"
    [ -z "$(find "$work/tmp" -mindepth 1)" ] || fail "$1: temporary files are left: $(ls "$work/tmp")"
}
mkdir "$work/tmp"
build "$work/nvrtc" "$here/nvrtc.cu" -lnvrtc -lcuda
TMPDIR=$work/tmp try "lockstep cc"
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared "$here/nvrtc.cu" -lnvrtc -L"$LOCKSTEP_BUILD/lib/lockstep" -l:libcuda.so.1 -o "$work/nvrtc"
TMPDIR=$work/tmp try nvcc
# Away from Lockstep's program, the library says what it lacks.
cp "$LOCKSTEP_BUILD/lib/lockstep/"*.so.* "$work/"
LD_LIBRARY_PATH=$work LOCKSTEP_MODE=functional "$work/nvrtc" >"$work/out" 2>&1 && fail "it compiles without a compiler"
grep -q 'there is no bin/lockstep' "$work/out" || fail "no word of what is missing: $(cat "$work/out")"
exit 0
