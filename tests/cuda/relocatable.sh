# Relocatable device code: files whose device functions and variables other files use, in the three ways that build files go about it.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
check_output relocatable -rdc=true "$here/relocatable_a.cu" "$here/relocatable_b.cu"
cd "$work"
cat >nested.cu <<'P'
__global__ void inner() {}
__global__ void outer() { inner<<<1, 1>>>(); }
int main() { outer<<<1, 1>>>(); return cudaGetLastError() || cudaDeviceSynchronize(); }
P
if [ "$compiler" = nvcc ]; then
    # A kernel that launches a kernel is refused with its place.
    build nested -rdc=true -lineinfo nested.cu
    on_simulator ./nested 2>log && fail "a launch by a kernel passes"
    grep -q 'nested.cu:2.*dynamic parallelism' log || fail "a launch by a kernel: $(cat log)"
    # nvcc registers device code when the constructors of the last file run: those of files before have managed variables without a
    # place. No runtime can know it; the program is told why it is about to end.
    cat >early.cu <<'P'
__managed__ int count = 3;
struct early { early() { count++; } } at_start;
__global__ void k() { count *= 2; }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() || count != 8; }
P
    build early early.cu
    on_simulator ./early || fail "a constructor that uses a managed variable: $?"
    build early -rdc=true early.cu
    on_simulator ./early 2>log && fail "a constructor has a managed variable before it is registered"
    grep -q 'constructor uses a __managed__ variable before .*-rdc=true' log || fail "a constructor that is too early: $(cat log)"
    exit 0
fi
build a.o -dc "$here/relocatable_a.cu"
build b.o -rdc=true --device-c "$here/relocatable_b.cu"
build link.o -dlink a.o b.o
build relocatable -rdc=true a.o b.o link.o -lcudadevrt
check_output relocatable
build a.o --fast -dc "$here/relocatable_a.cu"
ar rcs libparts.a b.o
build relocatable a.o -L. -lparts
check_output relocatable

# A static library: members with device code alone are taken too, by the command that links and by an object of -dlink that a linker
# of the host is given.
cat >user.cu <<'P'
#include <cstdio>
extern __device__ int seven();
extern __device__ int offset;
__global__ void k(int *p) { *p = seven() + offset; }
int main()
{
    int *p, value = 0;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", value);
    return value != 77 || cudaGetLastError();
}
P
echo '__device__ int seven() { return 7; }' >seven.cu
echo '__device__ int offset = 70;' >offset.cu
build seven.o -dc seven.cu
build offset.o -dc offset.cu
build user.o -dc user.cu
mkdir folder
ar rcs folder/libdevice.a seven.o offset.o
build user user.o -L folder -ldevice
on_simulator ./user || fail "a static library by -l: $?"
build user user.o folder/libdevice.a
on_simulator ./user || fail "a static library by its name: $?"
build link.o -dlink user.o folder/libdevice.a
"${CXX:-c++}" user.o link.o folder/libdevice.a -o user "$LOCKSTEP_BUILD/lib/lockstep/libcudart.so.13"
on_simulator ./user || fail "a static library by -dlink: $?"

# A name that two files define, and one that none does.
cat >one.cu <<'P'
__device__ int twin() { return 1; }
__device__ int missing(int);
__global__ void k(int *p) { *p = twin() + (*p ? missing(*p) : 0); }
int main() { int *p; cudaMalloc(&p, 4); cudaMemset(p, VALUE, 4); k<<<1, 1>>>(p); return cudaGetLastError() || cudaDeviceSynchronize(); }
P
echo '__device__ int twin() { return 2; } __global__ void l(int *p) { *p = twin(); }' >two.cu
build twice -rdc=true -DVALUE=0 one.cu two.cu
on_simulator ./twice 2>log && fail "two definitions pass"
grep -q '_Z4twinv is defined in twice.ptx and in twice.2.ptx' log || fail "two definitions: $(cat log)"
build once -rdc=true -DVALUE=1 one.cu
on_simulator ./once 2>log && fail "a missing function is called"
grep -q 'call .*missing.*, which is declared but not defined' log || fail "a missing function: $(cat log)"

# With debugging information, in which clang 14 writes constants as bytes of 0 between lines of assembly.
cat >debugged.cu <<'P'
__global__ void k(int *p) { *p = 1; }
float f(const float *a, int n)
{
    float sum = 0.f;
    for (int i = 0; i < n; i++) {
        float value = i & 1 ? a[i] : 2.f;
        sum += value;
    }
    return sum;
}
int main() { float a[4] = {}; return f(a, 4) != 4; }
P
build debugged -rdc=true -g debugged.cu
on_simulator ./debugged >log 2>&1 || fail "with -g: $(cat log)"

# A kernel that launches a kernel.
"$LOCKSTEP" cc -rdc=true nested.cu -o nested >log 2>&1 && fail "a launch by a kernel compiles"
grep -q 'nested.cu:2' log && grep -q 'hint: .*dynamic parallelism' log || fail "a launch by a kernel: $(cat log)"
