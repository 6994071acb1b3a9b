# Memory shared with OpenGL is refused by name, once, and a program that can do without runs; with OpenGL's header and without it.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ "$compiler" != nvcc ] || [ -e /usr/include/GL/gl.h ] || { echo "skipped: OpenGL's headers are not installed"; exit 77; }
check_output graphics "$here/graphics.cu"
on_simulator "$work/graphics" 2>"$work/log" >/dev/null
[ "$(grep -c 'cudaGraphicsGLRegisterBuffer is not supported' "$work/log")" = 1 ] || fail "not named once: $(cat "$work/log")"
[ "$compiler" = nvcc ] && exit 0
"$LOCKSTEP" cc -D'__has_include(x)=0' "$here/graphics.cu" -o "$work/graphics" || fail "without OpenGL's header"
check_output graphics
