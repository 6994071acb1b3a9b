// Every atomic in every scope, on values at which signed and unsigned numbers differ: what it leaves and what it gives.
#include <cstdio>
typedef unsigned long long u64;

#define EACH(X)                                                                                                        \
    X(Min, unsigned, 0xfffffff0u, 5u, 5u)                                                                              \
    X(Max, unsigned, 5u, 0xfffffff0u, 0xfffffff0u)                                                                     \
    X(Min, int, 5, -16, -16)                                                                                           \
    X(Max, int, -16, 5, 5)                                                                                             \
    X(Min, u64, 0xfffffffffffffff0ull, 5ull, 5ull)                                                                     \
    X(Max, u64, 5ull, 0xfffffffffffffff0ull, 0xfffffffffffffff0ull)                                                    \
    X(Min, long long, 5ll, -16ll, -16ll)                                                                               \
    X(Max, long long, -16ll, 5ll, 5ll)                                                                                 \
    X(Add, unsigned, 0xfffffff0u, 0x20u, 0x10u)                                                                        \
    X(Add, int, -16, 5, -11)                                                                                           \
    X(Add, u64, 0xfffffffffffffff0ull, 0x20ull, 0x10ull)                                                               \
    X(Add, float, 1.5f, -4.0f, -2.5f)                                                                                  \
    X(Add, double, 1.5, -4.0, -2.5)                                                                                    \
    X(Sub, unsigned, 5u, 0x10u, 0xfffffff5u)                                                                           \
    X(Sub, int, 5, 16, -11)                                                                                            \
    X(Inc, unsigned, 0x80000000u, 0xfffffff0u, 0x80000001u)                                                            \
    X(Inc, unsigned, 0xfffffff0u, 0x7fffffffu, 0u)                                                                     \
    X(Dec, unsigned, 0x80000000u, 0xfffffff0u, 0x7fffffffu)                                                            \
    X(Dec, unsigned, 0xfffffff0u, 0x7fffffffu, 0x7fffffffu)                                                            \
    X(And, unsigned, 0xfffffff0u, 0xffu, 0xf0u)                                                                        \
    X(Or, u64, 0xfffffffffffffff0ull, 5ull, 0xfffffffffffffff5ull)                                                     \
    X(Xor, int, -16, 5, -11)                                                                                           \
    X(Exch, unsigned, 5u, 0xfffffff0u, 0xfffffff0u)

#define TRY(NAME, T, FIRST, OPERAND, LEAVES)                                                                           \
    {                                                                                                                  \
        T *words = (T *)memory;                                                                                        \
        words[0] = words[1] = words[2] = FIRST;                                                                        \
        bool gives = atomic##NAME(words, OPERAND) == FIRST && atomic##NAME##_block(words + 1, OPERAND) == FIRST &&     \
                     atomic##NAME##_system(words + 2, OPERAND) == FIRST;                                               \
        *wrong |= (unsigned)!(gives && words[0] == LEAVES && words[1] == LEAVES && words[2] == LEAVES) << row++;       \
    }
__device__ void all(void *memory, unsigned *wrong)
{
    int row = 0;
    EACH(TRY)
}
__global__ void k(unsigned *wrong, void *memory)
{
    __shared__ u64 shared[4];
    all(memory, wrong);
    all(shared, wrong + 1);
}
int main()
{
    unsigned *wrong, h[2] = {1, 1};
    void *memory;
    cudaMalloc(&wrong, sizeof h);
    cudaMalloc(&memory, 64);
    cudaMemset(wrong, 0, sizeof h);
    k<<<1, 1>>>(wrong, memory);
    cudaMemcpy(h, wrong, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s: rows that are wrong in global memory %x, in shared memory %x\n", cudaGetErrorName(cudaGetLastError()),
           h[0], h[1]);
    return h[0] || h[1];
}
