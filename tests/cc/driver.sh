#!/bin/bash
# The behaviour of `lockstep cc` as a compiler driver: outputs, options, errors, and what it leaves behind.
. "$(dirname "$0")/_common.sh"
need_clang
multi=$here/programs/multi
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
cd "$work" || exit 1
cat >good.cu <<'X'
#ifdef VALUE
__global__ void k(int *p) { *p = VALUE; }
#else
__global__ void k(int *p) { *p = __CUDA_ARCH_LIST_UNUSED; }
#endif
int main() { k<<<1, 1>>>(nullptr); return 0; }
X
echo 'int main() { return 1 }' >broken.cu
echo '__global__ void k(int *p) { *p = missing; } int main() {}' >broken_kernel.cu

# succeeds ARGS... / refuses TEXT ARGS...: exit status, message, no temporary files left
succeeds()
{
    "$LOCKSTEP" cc "$@" >log 2>&1 || { fail "cc $*" && cat log; }
    [ -z "$(ls -A "$TMPDIR")" ] || fail "cc $* left temporary files"
}
refuses()
{
    local text=$1
    shift
    "$LOCKSTEP" cc "$@" >log 2>&1 && fail "cc $* succeeded"
    grep -q -- "$text" log || { fail "cc $* does not say '$text'" && cat log; }
    [ -z "$(ls -A "$TMPDIR")" ] || fail "cc $* left temporary files"
}

# outputs
succeeds -c -DVALUE=7 good.cu
[ -s good.o ] || fail "-c writes good.o"
succeeds --ptx -DVALUE=7 good.cu
grep -q '\.entry _Z1kPi' good.ptx || fail "--ptx writes good.ptx"
grep -q '\.file.*good\.cu' good.ptx && grep -q '\.loc' good.ptx || fail "PTX has source lines"
grep -qE '^\$?L(_*tmp|func_)' good.ptx && fail "PTX has position labels"
tr -d '\000' <good.ptx | cmp -s - good.ptx || fail "--ptx writes a NUL"
succeeds --ptx -DVALUE=7 good.cu -o elsewhere.ptx
cmp -s good.ptx elsewhere.ptx || fail "two compilations differ"
succeeds --ptx -DVALUE=7 -arch=sm_80 good.cu -o sm80.ptx
grep -q '\.target sm_80' sm80.ptx || fail "-arch=sm_80"
succeeds --ptx -DVALUE=7 -gencode arch=compute_75,code=sm_75 good.cu -o sm75.ptx
grep -q '\.target sm_75' sm75.ptx || fail "-gencode"
succeeds --ptx -D VALUE=7 --fast -std=c++14 -lineinfo -Xptxas -v --expt-relaxed-constexpr -cudart shared good.cu \
    -o /dev/null
echo '__global__ void k(float *f) { f[0] = f[1] * f[2] + f[3]; }' >fuse.cu
succeeds --ptx fuse.cu
grep -q 'fma\.rn\.f32' fuse.ptx || fail "products and sums are fused"
succeeds --ptx -fmad=false fuse.cu
grep -q 'fma' fuse.ptx && fail "-fmad=false"
succeeds -c -DVALUE=7 -Xcompiler -Wall,-fno-exceptions -O1 -g good.cu -o good2.o --keep-ptx kept.ptx
cmp -s good.ptx kept.ptx || fail "--keep-ptx differs from --ptx"
succeeds -c "$multi/main.cu" "$multi/kernel.cu" "$multi/helper.cpp" "$multi/c_helper.c"
for f in main kernel helper c_helper; do [ -s $f.o ] || fail "-c with several files writes $f.o"; done
succeeds --help
grep -q keep-ptx log || fail "--help lists the options"
succeeds -v -c -DVALUE=7 good.cu
grep -q cuda-device-only log || fail "-v prints commands"

# linking, where the runtime library has been built
if [ -e "$(dirname "$LOCKSTEP")/../lib/libcudart.so.13" ]; then
    succeeds "$multi/main.cu" "$multi/kernel.cu" "$multi/helper.cpp" "$multi/c_helper.c" -o program
    [ -x program ] || fail "linking four sources"
    succeeds main.o kernel.o helper.o c_helper.o -lm -o program2
    [ -x program2 ] || fail "linking objects"
    ldd program | grep -q 'libcudart.so.13.*not found' && fail "the program does not find libcudart"
else
    refuses 'libcudart.so.13 not found' -DVALUE=7 good.cu
    echo "linking skipped: libcudart is not built"
fi

# errors leave nothing behind and keep what was there
printf '\177ELF old\n' >a.out
printf '\177ELF old\n' >broken.o
refuses "expected ';'" broken.cu
refuses "missing" -c broken_kernel.cu -o broken.o
refuses "__CUDA_ARCH_LIST_UNUSED" -c good.cu -o none.o
[ "$(cat a.out broken.o)" = $'\177ELF old\n\177ELF old' ] || fail "a failed compilation touched its output"

# an output replaces outputs of its kind, and each has a file of its own
echo notes >notes.txt
ln -sf nowhere dangling
mkdir -p other && cp good.cu other/good.cu
refuses 'notes.txt is there and holds something else than a compiled program' -DVALUE=1 good.cu -o notes.txt
refuses 'holds something else than PTX' --ptx -DVALUE=1 good.cu -o notes.txt
refuses 'holds something else than PTX' -c -DVALUE=1 good.cu --keep-ptx notes.txt
refuses 'is a link to something that is not there' -DVALUE=1 good.cu -o dangling
refuses 'are one file' -c -DVALUE=1 good.cu -o x --keep-ptx other/../x
refuses 'are one file' -c -DVALUE=1 good.cu other/good.cu
refuses 'not for one run' --ptx -DVALUE=1 good.cu --keep-ptx x
refuses '-o is given twice: x and y' -DVALUE=1 good.cu -o x -o y
refuses '-o needs a file name' -DVALUE=1 good.cu -o ''
[ "$(cat notes.txt)" = notes ] && [ ! -e x ] && [ -L dangling ] || fail "a refused output was touched"
[ ! -e none.o ] || fail "a failed compilation left an output"
refuses 'no input files'
refuses 'unknown option' --nonsense good.cu
refuses 'did you mean --keep-ptx?' --keep-ptxx good.cu
refuses 'do not know what to do' good.txt
refuses 'takes one' --ptx good.cu broken.cu
refuses 'takes one source' -c -o x.o good.cu broken.cu
refuses 'unknown architecture' -arch=sm_20 good.cu
refuses 'not supported' -rdc=true good.cu
refuses 'no such file' -c absent.cu
refuses 'cannot write' -c -DVALUE=1 good.cu -o /nonexistent/x.o
LOCKSTEP_CLANG=/nonexistent/clang refuses 'LOCKSTEP_CLANG' -c good.cu
LOCKSTEP_CLANG=/bin/true refuses 'is not a clang' -c good.cu
PATH=/nonexistent "$LOCKSTEP" cc -c good.cu >log 2>&1 && fail "cc without clang succeeded"
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
[ -z "$(ls -A "$TMPDIR")" ] || fail "interrupted: temporary files are left"
kill -0 "$(cat child)" 2>/dev/null && fail "interrupted: the child lives on"

# without opt and llc: a warning, and -O1
clang=$(command -v "${LOCKSTEP_CLANG:-clang}" || command -v clang-14)
real=$(readlink -f "$clang")
mkdir lonely
printf '#!/bin/sh\nexec "%s" "$@"\n' "$real" >lonely/clang
chmod +x lonely/clang
LOCKSTEP_CLANG=$work/lonely/clang succeeds -c -DVALUE=3 good.cu -o lonely.o
grep -q 'warning: opt and llc' log || fail "no warning without opt and llc"
finish
