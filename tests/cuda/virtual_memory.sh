# Virtual memory management of the driver, in both modes, by lockstep cc and by nvcc.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    LOCKSTEP_MODE=$2 on_simulator "$work/virtual" >"$work/out" 2>"$work/err" || fail "$1, $2: $(cat "$work/out" "$work/err")"
}
build "$work/virtual" "$here/virtual_memory.cu" -lcuda
try "lockstep cc" functional
try "lockstep cc" timing
grep -q 'a handle is mapped\|no whole mappings\|reserved' "$work/err" || fail "no word of what is wrong: $(cat "$work/err")"
[ -n "$nvcc" ] || exit 0
"$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 "$here/virtual_memory.cu" -L"$LOCKSTEP_BUILD/lib/lockstep" -l:libcuda.so.1 -o "$work/virtual"
try nvcc functional
