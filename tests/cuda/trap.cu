// Checks inside critical sections. A lane that has the lock must come to the release while the others of its warp wait
// behind the section, though its way forks to a trap; and when a check fails, that is what is reported.
//
//     trap KIND LIMIT     prints the result and how many threads were in the section; the check fails at LIMIT
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ unsigned lock_word, entries;

enum { TRAP, ASSERTION, FUNCTION };

__device__ __noinline__ void give_up()
{
    printf("too many\n");
    __trap();
}

template <int kind> __device__ void check(unsigned so_far, unsigned limit)
{
    if (kind == ASSERTION) {
        assert(so_far < limit);
    } else if (so_far >= limit) {
        if (kind == TRAP)
            __trap();
        else
            give_up();
    }
}

// The loop's branch back hangs on `done`, behind the section, and a barrier keeps the section in front of it.
template <int kind> __global__ void enter(unsigned limit)
{
    for (bool done = false; !done;) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            unsigned so_far = *(volatile unsigned *)&entries;
            check<kind>(so_far, limit);
            *(volatile unsigned *)&entries = so_far + 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
        __syncwarp(__activemask());
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned limit = atoi(argv[2]), count = 0;
    if (!strcmp(argv[1], "trap"))
        enter<TRAP><<<2, 64>>>(limit);
    else if (!strcmp(argv[1], "assert"))
        enter<ASSERTION><<<2, 64>>>(limit);
    else
        enter<FUNCTION><<<2, 64>>>(limit);
    cudaError_t error = cudaDeviceSynchronize();
    if (!error)
        cudaMemcpyFromSymbol(&count, entries, sizeof count);
    printf("%s %u\n", cudaGetErrorName(error), count);
    return 0;
}
