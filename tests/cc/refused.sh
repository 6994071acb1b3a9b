#!/bin/bash
# What nvcc takes and clang refuses is rewritten (src/cli/cc_source.c): the programs run, messages and line tables name the user's own
# files, lines and columns; what needs nothing is not touched.
. "$(dirname "$0")/_common.sh"
need_clang
cd "$work" || exit 1
cp "$here"/programs/refused/* .

"$LOCKSTEP" cc -Wall -Wno-unused -v --keep-ptx main.ptx main.cu -o main >log 2>&1 || { fail "it does not compile" && grep -v '^/' log; }
grep -q 'warning' log && fail "warnings: $(grep warning log)"
grep -q -- '-ivfsoverlay' log || fail "nothing was rewritten"
grep -q '\.file.*"[^"]*/launches\.h"' main.ptx || fail "the line table does not name the header: $(grep '\.file' main.ptx)"
grep -q '\.file.*lockstep-cc' main.ptx && fail "the line table names temporary files"
[ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] && { "$LOCKSTEP" run --mode functional ./main >log 2>&1 || fail "$(cat log)"; }

# Templates of variables, in two files; and execution spaces that one declaration alone says. nvcc agrees (LOCKSTEP_LONG).
runs() { [ ! -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] || "$LOCKSTEP" run --mode functional "$@" >log 2>&1 || fail "$*: $(cat log)"; }
nvcc=$(nvidia_tool nvcc)
for way in "" -rdc=true; do
    # shellcheck disable=SC2086 # no word without a way
    "$LOCKSTEP" cc -Wall -Wno-unused $way templates.cu templates_more.cu -o templates >log 2>&1 || fail "templates.cu $way: $(cat log)"
    runs ./templates "$([ -z "$way" ] && echo 45 || echo 1145)"
    [ -z "$nvcc" ] || [ -z "${LOCKSTEP_LONG:-}" ] && continue
    # shellcheck disable=SC2086
    "$nvcc" -w -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 $way templates.cu templates_more.cu -o templates || fail "nvcc $way"
    runs ./templates "$([ -z "$way" ] && echo 45 || echo 1145)"
done
for name in spaces redeclared; do
    "$LOCKSTEP" cc -Wall -Wno-undefined-internal -Wno-undefined-inline -Wno-unused-function $name.cu -o $name >log 2>&1 && [ ! -s log ] || fail "$name.cu: $(cat log)"
    runs ./$name
    [ -z "$nvcc" ] || "$nvcc" -w -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 $name.cu -o $name || fail "nvcc: $name.cu"
    [ -z "$nvcc" ] || runs ./$name
done

# A function that only another file could define, and a function of the host that has its name: nothing is put in, and the linker is
# told nothing of it. With --fast, which optimizes before anything is looked at, a definition is found as well.
cat >others.cu <<'P'
#include <cstdio>
__device__ int far_away(int);
int far_away(const char *text) { return std::puts(text); }
__global__ void k(int *p) { *p = far_away(3); }
int main() { return far_away("here") < 0; }
P
"$LOCKSTEP" cc -rdc=true -c others.cu -o others.o >log 2>&1 && [ ! -s log ] || fail "others.cu: $(cat log)"
"$LOCKSTEP" cc --ptx others.cu -o others.ptx && grep -q '\.extern .func.*far_away' others.ptx || fail "others.ptx"
"$LOCKSTEP" cc --fast redeclared.cu -w -o redeclared >log 2>&1 || fail "--fast: $(cat log)"
runs ./redeclared

# Messages: behind rewritten forms on the same line, in the source and in a header.
cat >wrong.cu <<'P'
#include "wrong.h"
__global__ void k(int *p) { asm("mov.u32 %0, %smid;" : "=r"(*p)); missing; }
int main() { k << <1, 1 >> > (0); absent; }
P
echo '#define GO(K) K << <1, 1>> > (); nowhere' >wrong.h
echo 'inline void f() { __device__ static __shared__ alignas(4) int x; lacking; }' >>wrong.h
"$LOCKSTEP" cc -c wrong.cu >log 2>&1 && fail "wrong programs compile"
for place in wrong.cu:2:67 wrong.cu:3:35 wrong.h:2:66; do
    grep -q "^\(\./\)\?$place: error: use of undeclared identifier" log || fail "no error at $place"
done
[ "$failures" -eq 0 ] || cat log

# In functions whose execution space is put in; a member that no class has.
cat >members.cu <<'P'
struct s {
    __host__ __device__ int f(int x);
};

// A comment.
int s::f(int x) { lacking; return x; }
int s::g(int x) { return x; }
P
"$LOCKSTEP" cc -c members.cu >log 2>&1 && fail "wrong members compile"
grep -q "members.cu:6:19: error: use of undeclared identifier 'lacking'" log || fail "no place: $(cat log)"
grep -q "members.cu:7:8: error: out-of-line definition of 'g'" log || fail "no place: $(cat log)"

# In a directory that is reached through a link, with headers by a relative path: clang names files as PWD does.
mkdir real && mkdir real/include && ln -s real link
echo 'inline __device__ int *room() { __shared__ alignas(8) int n[2]; return n; }' >real/include/room.h
printf '#include "room.h"\n__global__ void k(int *p) { *p = *room(); }\n' >real/linked.cu
for include in include ./include "$PWD/link/include"; do
    (cd link && "$LOCKSTEP" cc -I"$include" -c linked.cu) >log 2>&1 || fail "a header by way of $include and a link: $(cat log)"
done

# A program that needs nothing, with the same signs in other places.
cat >plain.cu <<'P'
#include <vector>
// k << <1, 1>> > ();
const char *text = R"(__managed__ int a; k << <1, 1>> > ();)" "asm(\"%smid\" :)";
std::vector<std::vector<std::vector<int>> > v;
alignas(16) __device__ int n[4];
__global__ void k(int *p) { asm volatile("mov.u32 %0, %%smid;" : "=r"(p[1 >> 2 > 3])); asm("// %smid"); }
P
"$LOCKSTEP" cc -v -c plain.cu >log 2>&1 || fail "$(cat log)"
grep -q -- '-ivfsoverlay' log && fail "a plain program was rewritten"

# Names of headers that NVIDIA's bring along, in both passes; a name that is nowhere is told with its place as ever. CCCL's questions to nvcc.
cat >forgotten.cu <<'P'
template <class F> constexpr bool is_plain(F)
{
    return !__nv_is_extended_device_lambda_closure_type(F) || __nv_is_extended_host_device_lambda_closure_type(F);
}
__global__ void k(int *p) { *p = std::numeric_limits<int>::max(); }
int main()
{
    std::vector<std::string> words{"one"};
    return words.size() == 1 && is_plain([] {}) ? 0 : 1;
}
P
"$LOCKSTEP" cc -Wall -c forgotten.cu >log 2>&1 && [ ! -s log ] || fail "forgotten headers: $(cat log)"
if [ -e /usr/include/cuda/atomic ] && [ -e /usr/include/thrust/iterator/constant_iterator.h ]; then
    cat >iterators.cu <<'P'
#include <cooperative_groups.h>
__global__ void k(int *p) { cuda::atomic_ref<int, cuda::thread_scope_device>(*p).fetch_add(1, cuda::memory_order_relaxed); }
int main() { return thrust::constant_iterator<int>(0)[7]; }
P
    "$LOCKSTEP" cc -c iterators.cu >log 2>&1 || fail "forgotten headers of CCCL: $(cat log)"
fi
printf '\nint x = std::no_such_name;\n' >nowhere.cu
"$LOCKSTEP" cc -c nowhere.cu >log 2>&1 && fail "there is std::no_such_name"
grep -q "nowhere.cu:2:14: error: no member named 'no_such_name'" log || fail "no place: $(cat log)"

# Types of pointers to functions of the driver.
printf '#include <cudaTypedefs.h>\nPFN_cuTensorMapEncodeTiled_v12000 f;\nPFN_cuInit g = cuInit;\n' >types.cu
"$LOCKSTEP" cc -c types.cu >log 2>&1 || fail "cudaTypedefs.h: $(cat log)"

# A known cause of an error gets a hint: libraries that are not there, by their headers.
for header in cublasXt.h=cuBLASXt cufftw.h=FFTW cusparseLt.h=cuSPARSELt cusolverSp.h=cuSOLVER cudnn.h=cuDNN nccl.h=NCCL npp.h=NPP \
    cuda_fp6.h=6-bit curand_mtgp32_kernel.h=MTGP32; do
    printf '\n#include <%s>\n' "${header%%=*}" >hint.cu
    "$LOCKSTEP" cc -c hint.cu >log 2>&1 && fail "there is ${header%%=*}"
    grep -q '^\(\./\)\?hint.cu:2:10: fatal error' log && grep -q "hint: ${header#*=}" log || fail "${header%%=*}: $(cat log)"
done

# So does plain host code, and a header that the program forgot.
printf '#include <cudnn.h>\n' >hint.cpp
"$LOCKSTEP" cc -c hint.cpp >log 2>&1 && fail "there is cuDNN for plain code"
grep -q 'hint: cuDNN' log || fail "no hint for plain code: $(cat log)"
printf '#include <cublas_v2.h>\nvoid f(cublasHandle_t h) { cublasSgemm(h); cublasSgelsBatched(h); }\n' >hint.cu
"$LOCKSTEP" cc -c hint.cu >log 2>&1 && fail "there is all of cuBLAS"
grep -q "undeclared identifier 'cublasSgelsBatched'" log && grep -q "hint: cuBLAS has not all" log || fail "a function of cuBLAS: $(cat log)"
printf '#include <cufftXt.h>\n__device__ cufftCallbackLoadC f = 0;\n' >hint.cu
"$LOCKSTEP" cc -c hint.cu >log 2>&1 && fail "there are callbacks of cuFFT"
grep -q "hint: cuFFT has not all" log && grep -q "hint: cuFFT calls no functions" log || fail "callbacks of cuFFT: $(cat log)"
printf 'extern "C" int cusparseNone(); int main() { return cusparseNone(); }\n' >hint.cpp
"$LOCKSTEP" cc hint.cpp -o hint -lcusparse >log 2>&1 && fail "there is cusparseNone"
grep -q 'hint: .*cuSPARSE' log && ! grep -q 'hint: .*driver interface' log || fail "the linker lacks a function: $(cat log)"
printf 'half h;\n' >hint.cpp
"$LOCKSTEP" cc -c hint.cpp >log 2>&1
grep -q 'hint: include cuda_fp16.h' log || fail "no hint for half: $(cat log)"

# Room on the stack whose size is known at run time alone: told with its place, before llc aborts over it.
cat >stack.cu <<'P'
__device__ int f(int n, const int *p)
{
    int *room = (int *)alloca(n * 4), known[40], *fixed = (int *)alloca(40);
    for (int i = 0; i < n; i++)
        room[i] = known[i % 40] = fixed[i % 10] = p[i];
    return room[n / 2];
}
__global__ void k(int n, int *p) { p[0] = f(n, p); }
P
for way in -O2 --fast; do
    "$LOCKSTEP" cc $way -c stack.cu >log 2>&1 && fail "a stack of any size is compiled"
    grep -q 'stack.cu:3:[0-9]*: error: device code takes room on the stack' log || fail "$way: alloca: $(cat log)"
done
sed -i 's/alloca(n \* 4)/alloca(160)/' stack.cu
"$LOCKSTEP" cc -c stack.cu >log 2>&1 || fail "alloca of a known size: $(cat log)"

# What only annotates is there, and does nothing.
cat >marks.cu <<'P'
#include <cuda_profiler_api.h>
#include <nvToolsExt.h>
#include <nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>
void f()
{
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range scope("f"), other{nvtx3::event_attributes{"g", nvtx3::rgb{1, 2, 3}}};
    nvtxEventAttributes_t event = {};
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = "range";
    nvtxRangePushEx(&event);
    nvtxMark("here");
    nvtxNameCudaStream(0, "default");
    nvtxRangeEnd(nvtxRangeStart("more"));
    nvtxRangePop();
    cudaProfilerStart();
    cudaProfilerStop();
}
P
"$LOCKSTEP" cc -Wall -Wextra -Werror -c marks.cu -lnvToolsExt >log 2>&1 || fail "$(cat log)"
finish
