# Code that a program brings itself, loaded by the runtime: built by lockstep cc and, where there is one, by nvcc.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
try() {
    build "$work/library" "$here/library.cu"
    sed -n '/^static const char text/,/;$/p' "$here/library.cu" | grep -o '"[^"]*"' | sed 's/^"//; s/"$//; s/\\n/\n/g' >"$work/own.ptx"
    (cd "$work" && on_simulator ./library own.ptx) >"$work/out" 2>"$work/err" || fail "by $compiler: $(cat "$work/out" "$work/err")"
    diff -u "$here/library.expected" "$work/out" || fail "by $compiler: other answers"
}
try
[ -z "$nvcc" ] || { compiler=nvcc; try; }
