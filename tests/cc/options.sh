#!/bin/bash
# `lockstep cc` takes nvcc's options in all their spellings; what it cannot do it refuses in one line, and what it leaves out it says.
. "$(dirname "$0")/_common.sh"
need_clang
cd "$work" || exit 1
mkdir include folder
echo '#define FROM_HEADER 3' >include/header.h
cat >good.cu <<'P'
#include "header.h"
#ifdef GIVEN
#include GIVEN
#endif
#ifdef RDC
static_assert(__CUDACC_RDC__, "");
#endif
__global__ void k(float *p) { p[0] = p[1] * FROM_HEADER + p[2]; p[3] = p[4] / p[5]; p[6] = sqrtf(p[7]); }
int main() { return VALUE - 5; }
P
echo 'int plain() { return 1; }' >plain.cpp
cp good.cu good.txt
linked=
[ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] && linked=1

succeeds()
{
    "$LOCKSTEP" cc "$@" >log 2>&1 || { fail "cc $*" && cat log; }
}
refuses()
{
    local text=$1
    shift
    "$LOCKSTEP" cc "$@" >log 2>&1 && fail "cc $* succeeded"
    grep -qF -- "$text" log || { fail "cc $* does not say '$text':" && cat log; }
    [ "$(wc -l <log)" -le 3 ] || fail "cc $*: a long message: $(cat log)"
}
base=(-Iinclude -DVALUE=5)

# Spellings that mean the same: the PTX is the same.
succeeds --ptx "${base[@]}" -arch=sm_75 good.cu -o wanted.ptx
n=0
while IFS= read -r line; do
    n=$((n + 1))
    eval "succeeds $line -o same.ptx"
    diff <(grep -v '\.file' wanted.ptx) <(grep -v '\.file' same.ptx) >diff || fail "another PTX by: $line"
done <<'L'
-ptx -I include -D VALUE=5 -arch sm_75 good.cu
--ptx --include-path include --define-macro VALUE=5 --gpu-architecture=compute_75 good.cu
-ptx --include-path=include --define-macro=VALUE=5 -gencode arch=compute_75,code=sm_75 good.cu
-ptx "${base[@]}" -gencode=arch=compute_60,code=sm_60 --generate-code=arch=compute_75,code=[compute_75,sm_75] -gencode arch=compute_70,code=sm_70 good.cu
-ptx "${base[@]}" -arch=sm_75 -x cu good.txt --maxrregcount=0 -maxrregcount 0 -lineinfo -G -g -t 4 --threads=2 -t2
-ptx "${base[@]}" -arch=sm_75 -Xptxas -v,-O3 -Xptxas=-v --ptxas-options=-v -ccbin g++ -ccbin=/usr/bin/g++ --compiler-bindir g++ good.cu
-ptx "${base[@]}" -arch=sm_75 -Werror cross-execution-space-call --Werror=default-stream-launch -Wno-deprecated-gpu-targets good.cu
-ptx "${base[@]}" -arch=sm_75 --diag-suppress=20012,177 -diag-suppress 177 -Xcudafe --diag_suppress=177 -Xfatbin -compress-all good.cu
-ptx "${base[@]}" -arch=sm_75 --extended-lambda -expt-extended-lambda --expt-relaxed-constexpr -m64 -m 64 -O3 --optimize 2 --debug good.cu
-ptx "${base[@]}" -arch=sm_75 -Xcompiler -fopenmp,-Wall,-std=c99 -Xcompiler "-O3 -march=native" -fPIC -pipe -ftz=false --prec-div true --fmad=true good.cu
-ptx "${base[@]}" -arch=sm_75 --default-stream legacy -cudart=static -Xnvlink -v -rdc false --relocatable-device-code=false -w good.cu
L
[ "$n" -eq 11 ] || fail "$n spellings"

# What changes device code.
succeeds --ptx "${base[@]}" -ftz=true -prec-div=false --prec-sqrt=false good.cu -o rough.ptx
grep -q 'div\.full\.ftz\.f32' rough.ptx || fail "-ftz=true -prec-div=false: $(grep div rough.ptx)"
grep -q 'sqrt\.approx\.\(ftz\.\)*f32' rough.ptx || fail "-prec-sqrt=false: $(grep sqrt rough.ptx)"
succeeds --ptx "${base[@]}" --use_fast_math good.cu -o fast.ptx
diff <(sed 's/div\.full\.ftz/div.approx.ftz/' rough.ptx) fast.ptx || fail "--use_fast_math is not -ftz=true, approximate division and -prec-sqrt=false"
succeeds --ptx "${base[@]}" --fmad=false good.cu -o fmad.ptx
grep -q fma fmad.ptx && fail "--fmad=false"
# The limit is for kernels without launch bounds, as nvcc has it.
printf '__global__ void free(int *p) { *p = 1; }\n__global__ void __launch_bounds__(64) bound(int *p) { *p = 2; }\n' >bounds.cu
succeeds --ptx --maxrregcount=24 bounds.cu -o bounds.ptx
[ "$(grep -cx '\.maxnreg 24' bounds.ptx)" = 1 ] || fail "--maxrregcount: $(cat bounds.ptx)"
grep -A1 '^\.maxntid 64' bounds.ptx | grep -q maxnreg && fail "--maxrregcount and launch bounds: $(cat bounds.ptx)"
"$LOCKSTEP" cc --ptx --maxrregcount=many bounds.cu -o bounds.ptx >log 2>&1 && fail "--maxrregcount=many"
grep -q 'maxrregcount many: not a number of registers' log || fail "--maxrregcount=many: $(cat log)"
succeeds --ptx "${base[@]}" -arch=sm_50 good.cu -o old.ptx
grep -q 'sm_50 is compiled as sm_60' log || fail "-arch=sm_50 says nothing: $(cat log)"
succeeds --ptx "${base[@]}" -arch=native good.cu -o native.ptx

# Words for clang alone, and pairs.
printf '#undef FROM_HEADER\n#define FROM_HEADER 4\n' >folder/other.h
cat >overlay.yaml <<Y
{ 'version': 0, 'roots': [ { 'type': 'file', 'name': '$work/include/header.h', 'external-contents': '$work/folder/other.h' } ] }
Y
succeeds --ptx -isystem include -D VALUE=5 -Xclang -ivfsoverlay -Xclang overlay.yaml good.cu -o x.ptx
grep -q '0f40800000' x.ptx || fail "-Xclang, of the preprocessor"
succeeds --ptx -Xcompiler "-isystem include" "${base[@]}" -ivfsoverlay overlay.yaml -imacros folder/other.h -Wno-everything good.cu -o x.ptx
succeeds --ptx "${base[@]}" -include include/header.h -ftemplate-depth=900 -std=c++20 -DGIVEN='<vector>' good.cu -o x.ptx
# A standard of C for the host compiler is one for C files.
printf '#if __STDC_VERSION__ != 199901L\n#error not C99\n#endif\nint c99;\n' >c99.c
succeeds -c -Xcompiler '-Wall -std=c99' c99.c "${base[@]}" good.cu
# As CMake's FindCUDA writes them.
succeeds -c -Xcompiler ',"-O3","-DQUOTED=7"' "${base[@]}" good.cu
printf '#if QUOTED != 7\n#error not defined\n#endif\nint quoted;\n' >quoted.cu
succeeds -c -Xcompiler ',"-DQUOTED=7",""' quoted.cu
succeeds -c -rdc=true -DRDC "${base[@]}" good.cu -o x.o
succeeds -dc -DRDC "${base[@]}" good.cu -o x.o
succeeds -dlink x.o -o link.o
[ -s link.o ] || fail "-dlink makes no object"

# Files of options.
printf -- '-Iinclude  -DVALUE=5\n"-arch=sm_75" -o "with blank.ptx"\n' >options.txt
succeeds --ptx @options.txt good.cu
cmp -s wanted.ptx 'with blank.ptx' || fail "@options.txt"
succeeds --ptx --options-file options.txt good.cu
succeeds --ptx -optf=options.txt good.cu
echo '@endless.txt' >endless.txt
refuses 'without end' @endless.txt good.cu
refuses 'absent.txt' --options-file absent.txt good.cu

# Text: the preprocessor's, and dependencies.
succeeds -E "${base[@]}" good.cu
grep -q 'return 5 - 5' log || fail "-E"
succeeds -E -dD "${base[@]}" good.cu -o good.i
grep -q '#define FROM_HEADER 3' good.i || fail "-E -dD -o"
succeeds -MM "${base[@]}" good.cu
tr -d '\\\n' <log | grep -q 'good\.o: good\.cu .*include/header\.h' || fail "-MM: $(cat log)"
succeeds -M "${base[@]}" good.cu -MT target.o -o good.M
grep -q '^target\.o:' good.M && grep -q cuda_runtime good.M || fail "-M: $(head -3 good.M)"
succeeds -c -MD "${base[@]}" good.cu -o folder/x.o
grep -q '^folder/x\.o:' folder/x.d || fail "-MD: $(ls folder)"
succeeds -c -MMD -MF deps -MT 'some$(thing)' -MP "${base[@]}" good.cu
grep -q 'some' deps && grep -q '^include/header.h:' deps || fail "-MMD -MF -MT -MP: $(cat deps)"
succeeds -c -odir folder "${base[@]}" good.cu plain.cpp
[ -s folder/good.o ] && [ -s folder/plain.o ] || fail "-odir"
succeeds -lib "${base[@]}" good.cu folder/plain.o -o libgood.a
ar t libgood.a | grep -c '\.o$' | grep -q 2 || fail "-lib: $(ar t libgood.a)"

# Refused or left out in one line.
for option in --optix-ir -cuda -run -dryrun; do refuses 'is not supported' $option good.cu; done
refuses "unknown option '--nonsense'" --nonsense good.cu
refuses "unknown option '--no-such'" -c "${base[@]}" --no-such good.cu
refuses 'unknown language' -x fortran good.cu
refuses 'needs a value' good.cu -arch
succeeds --version
grep -q 'release 13' log || fail "--version"
if [ -n "$linked" ]; then
    succeeds "${base[@]}" good.cu -lcudart -lcudart_static -lcudadevrt -l cudart -lnppc --library cufftw -lpthread -ldl -lrt -o good
    [ "$(grep -c 'left out' log)" -eq 2 ] || fail "-lnppc -lcufftw: $(cat log)"
    echo 'extern "C" int fftwf_malloc(int *); int main() { int plan; return fftwf_malloc(&plan); }' >fft.cu
    "$LOCKSTEP" cc fft.cu -lcufftw -o fft >log 2>&1 && fail "there is a cuFFTW"
    grep -q 'hint: there is no cuFFT' log || fail "no hint: $(cat log)"
fi
refuses() { "$LOCKSTEP" cc "${@:2}" >log 2>&1 && fail "cc ${*:2} succeeded"; grep -qF -- "$1" log || fail "no '$1': $(cat log)"; }
echo '#include <cufftw.h>' >fft.cu
refuses 'hint: cuFFT' -c fft.cu
finish
