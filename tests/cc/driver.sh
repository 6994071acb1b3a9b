#!/bin/bash
# The behaviour of `lockstep cc` as a compiler driver: outputs, options, errors, and what it leaves behind.
. "$(dirname "$0")/_common.sh"
need_clang
multi=$here/programs/multi
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
cd "$work" || exit 1
# Without -D: a compilation without such options takes the prepared headers, and half the time.
cat >good.cu <<'X'
#ifndef VALUE
#define VALUE 7
#endif
__global__ void k(int *p) { *p = VALUE; }
__global__ void fuse(float *f) { f[0] = f[1] * f[2] + f[3]; }
int main() { k<<<1, 1>>>(nullptr); return 0; }
X
echo 'int main() { return 1 }' >broken.cu
echo '__global__ void k(int *p) { *p = missing; } int main() {}' >broken_kernel.cu

# clean WHAT: no temporary files are left
shopt -s nullglob dotglob
clean()
{
    local left=("$TMPDIR"/*)
    [ ${#left[@]} -eq 0 ] || fail "$1: temporary files are left: ${left[*]}"
}

# succeeds ARGS... / refuses TEXT ARGS...: exit status, message, no temporary files left
succeeds()
{
    "$LOCKSTEP" cc "$@" >log 2>&1 || { fail "cc $*" && cat log; }
    clean "cc $*"
}
refuses()
{
    local text=$1 said
    shift
    "$LOCKSTEP" cc "$@" >log 2>&1 && fail "cc $* succeeded"
    IFS= read -r -d '' said <log
    [[ $said == *"$text"* ]] || fail "cc $* does not say '$text': $said"
    clean "cc $*"
}

# outputs
succeeds --ptx good.cu
grep -q '\.entry _Z1kPi' good.ptx || fail "--ptx writes good.ptx"
grep -q '\.file.*good\.cu' good.ptx && grep -q '\.loc' good.ptx || fail "PTX has source lines"
grep -qE '^\$?L(_*tmp|func_)' good.ptx && fail "PTX has position labels"
grep -q 'fma\.rn\.f32' good.ptx || fail "products and sums are fused"
tr -d '\000' <good.ptx | cmp -s - good.ptx || fail "--ptx writes a NUL"
succeeds -c good.cu --keep-ptx kept.ptx
[ -s good.o ] || fail "-c writes good.o"
cmp -s good.ptx kept.ptx || fail "two compilations, or --keep-ptx and --ptx, differ"
succeeds --ptx -D VALUE=8 --fast -std=c++14 -lineinfo -Xptxas -v --expt-relaxed-constexpr -cudart shared -arch=sm_80 good.cu -o sm80.ptx
grep -q '\.target sm_80' sm80.ptx || fail "-arch=sm_80"
grep -qE '[[:space:]]8;' sm80.ptx || fail "-D VALUE=8"
succeeds -v -c -DVALUE=9 -gencode arch=compute_75,code=sm_75 -fmad=false -Xcompiler -Wall,-fno-exceptions -O1 -g good.cu -o sm75.o \
    --keep-ptx sm75.ptx
grep -q cuda-device-only log || fail "-v prints commands"
[ -s sm75.o ] || fail "-c -o"
grep -q '\.target sm_75' sm75.ptx || fail "-gencode"
grep -q 'fma' sm75.ptx && fail "-fmad=false"
grep -qE '[[:space:]]9;' sm75.ptx || fail "-DVALUE=9"
succeeds -c "$multi/kernel.cu" "$multi/helper.cpp"
for f in kernel helper; do [ -s $f.o ] || fail "-c with several files writes $f.o"; done
succeeds --help
grep -q keep-ptx log || fail "--help lists the options"

# linking, where the runtime library has been built
if [ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ]; then
    succeeds "$multi/main.cu" kernel.o helper.o "$multi/c_helper.c" -lm -o program
    [ -x program ] || fail "linking sources and objects"
    succeeds good.o -o program2
    [ -x program2 ] || fail "linking an object alone"
    succeeds -c good.cu -o named.obj && succeeds named.obj -o program3
    [ -x program3 ] || fail "linking an object that is called .obj"
    ldd program | grep -q 'libcudart.so.13.*not found' && fail "the program does not find libcudart"
else
    refuses 'libcudart.so.13 not found' good.cu
    echo "linking skipped: libcudart is not built"
fi

# errors leave nothing behind and keep what was there
printf '\177ELF old\n' >a.out
printf '\177ELF old\n' >broken.o
refuses "expected ';'" broken.cu
[ -z "${LOCKSTEP_LONG:-}" ] || refuses "missing" -c broken_kernel.cu -o broken.o
refuses "missing" -c broken_kernel.cu -o none.o
[ "$(cat a.out broken.o)" = $'\177ELF old\n\177ELF old' ] || fail "a failed compilation touched its output"

# an output replaces outputs of its kind, and each has a file of its own
echo notes >notes.txt
ln -sf nowhere dangling
mkdir -p other && cp good.cu other/good.cu
refuses 'notes.txt is there and holds something else than a compiled program' good.cu -o notes.txt
refuses 'holds something else than PTX' --ptx good.cu -o notes.txt
refuses 'holds something else than PTX' -c good.cu --keep-ptx notes.txt
refuses 'is a link to something that is not there' good.cu -o dangling
refuses 'are one file' -c good.cu -o x --keep-ptx other/../x
refuses 'are one file' -c good.cu other/good.cu
refuses 'not for one run' --ptx good.cu --keep-ptx x
refuses '-o is given twice: x and y' good.cu -o x -o y
refuses '-o needs a file name' good.cu -o ''
[ "$(cat notes.txt)" = notes ] && [ ! -e x ] && [ -L dangling ] || fail "a refused output was touched"
[ ! -e none.o ] || fail "a failed compilation left an output"
refuses 'no input files'
refuses 'unknown option' --nonsense good.cu
refuses 'did you mean --keep-ptx?' --keep-ptxx good.cu
refuses 'do not know what to do' good.txt
refuses 'takes one' --ptx good.cu broken.cu
refuses 'takes one source' -c -o x.o good.cu broken.cu
refuses 'unknown architecture' -arch=sm_2 good.cu
refuses 'no such file' -c absent.cu
refuses 'cannot write' -c good.cu -o /nonexistent/x.o
LOCKSTEP_CLANG=/nonexistent/clang refuses 'LOCKSTEP_CLANG' -c good.cu
LOCKSTEP_CLANG=/bin/true refuses 'is not a clang' -c good.cu
env -u LOCKSTEP_CLANG PATH=/nonexistent "$LOCKSTEP" cc -c good.cu >log 2>&1 && fail "cc without clang succeeded"
grep -q 'clang not found' log || fail "cc without clang does not say so"

# an interrupt removes the temporary files, kills the child and ends us by the same signal
mkdir bin
cat >bin/clang <<X
#!/bin/sh
[ "\$1" = -dumpversion ] && { echo 14; exit; }
echo \$\$ >"$work/child"
exec sleep 100
X
chmod +x bin/clang
LOCKSTEP_CLANG=$work/bin/clang setsid "$LOCKSTEP" cc -c good.cu >log 2>&1 &
pid=$!
for _ in $(seq 100); do [ -s child ] && break; sleep 0.05; done
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail "interrupted: exit status $?"
clean interrupted
kill -0 "$(cat child)" 2>/dev/null && fail "interrupted: the child lives on"

# a value that braces make narrower: a warning, as of nvcc and g++, and no error
echo 'int main() { int n = 300; unsigned char a[] = {n}; return a[0] != 44; }' >narrow.cu
succeeds narrow.cu -o narrow
grep -q 'warning: .*narrowed' log || fail "no warning of a narrowed value"

# without opt and llc: a warning, and -O1
clang=$(command -v "${LOCKSTEP_CLANG:-clang}" || command -v clang-14)
real=$(readlink -f "$clang")
mkdir lonely
printf '#!/bin/sh\nexec "%s" "$@"\n' "$real" >lonely/clang
chmod +x lonely/clang
LOCKSTEP_CLANG=$work/lonely/clang succeeds --ptx good.cu -o lonely.ptx
grep -q 'warning: opt and llc' log || fail "no warning without opt and llc"
finish
