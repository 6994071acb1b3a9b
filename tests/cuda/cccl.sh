# The headers of CUDA 13's CCCL (thrust, CUB, libcu++), where that toolkit is installed: named by -I they go before Debian's.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
folder=$([ -z "$nvcc" ] || dirname "$(dirname "$(readlink -f "$nvcc")")")/include/cccl
[ -e "$folder/cub/cub.cuh" ] || folder=$(dirname "$folder")/../targets/x86_64-linux/include/cccl
[ -e "$folder/cub/cub.cuh" ] || { echo "skipped: no toolkit with CCCL is installed"; exit 77; }

# What they name of our headers: halves' bits, halves behind volatile references, address spaces; shared objects with constructors.
cat >"$work/small.cu" <<'P'
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cstdio>
__global__ void k(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    if (threadIdx.x == 0)
        init(&ready, blockDim.x);
    __syncthreads();
    ready.arrive_and_wait();
    cuda::std::complex<__half> z(__half(3.0f), __half(4.0f)), w = z * z;
    cuda::std::complex<__nv_bfloat16> b(__nv_bfloat16(1.0f), __nv_bfloat16(2.0f));
    volatile cuda::std::complex<__half> v;
    cuda::std::optional<int> some = (int)threadIdx.x;
    int *same = (int *)__cvta_global_to_generic(__cvta_generic_to_global(out));
    if (some.value() == 5)
        *same = (int)(float)w.real() * 100 + (int)(float)w.imag() + (int)(float)b.imag();
}
int main()
{
    int *p, n;
    cudaMalloc(&p, 4);
    k<<<1, 32>>>(p);
    cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", n);
    return n != -700 + 24 + 2;
}
P
build "$work/small" -O0 -w "-I$folder" "$work/small.cu"
on_simulator "$work/small" || fail "cuda::std: $?"
[ -n "${LOCKSTEP_LONG:-}" ] || { echo "thrust and CUB: only with LOCKSTEP_LONG"; exit 0; }
[ -e "$LOCKSTEP_BUILD/share/lockstep/include/cooperative_groups/memcpy_async.h" ] || exit 0
for name in thrust cub; do
    build "$work/$name" -O0 "-I$folder" "$here/$name.cu"
    on_simulator "$work/$name" 300 >"$work/out" || fail "$name: $(cat "$work/out")"
    [ "$(grep -c ': right$' "$work/out")" -ge 10 ] || fail "not all came: $(cat "$work/out")"
done
