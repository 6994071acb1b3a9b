// What tests of mbarriers and asynchronous copies write in assembly: both compilers take it for sm_80 or sm_90 and later.
#ifndef LOCKSTEP_TESTS_ASYNCHRONOUS_CUH
#define LOCKSTEP_TESTS_ASYNCHRONOUS_CUH

#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

static __device__ inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
static __device__ inline void barrier_init(uint64_t *b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
}
static __device__ inline uint64_t barrier_arrive(uint64_t *b)
{
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(b)) : "memory");
    return state;
}
static __device__ inline bool barrier_test(uint64_t *b, uint64_t state)
{
    int over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(shared_address(b)), "l"(state)
                 : "memory");
    return over;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __device__ inline void barrier_expect(uint64_t *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
                 : "memory");
}
static __device__ inline void barrier_wait(uint64_t *b, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}
static __device__ inline void copy_to_shared(void *to, const void *from, unsigned bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}
static __device__ inline void groups_end()
{
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
#endif

// The end of a test: what CUDA says, and how much was wrong.
static int verdict(int wrong)
{
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong;
}

#endif
