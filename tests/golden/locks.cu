// locks: every lock instruction, contended within warps and between them. Each thread counts in three bins: under a lock, under a trylock
// or else a lock that gives up after two attempts, and under a lock that gives up after a while; an attempt that fails counts in the last
// bin instead. Then it counts in one of `places` while it holds a place of a semaphore.
//     lockstep cc --ptx tests/golden/locks.cu -o tests/golden/locks.ptx
#include <cuda_runtime.h>
#include <lockstep/lock.h>

extern "C" __global__ void locks(unsigned *lock, volatile unsigned *count, unsigned many, unsigned *semaphore, unsigned *places)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = (thread * 2654435761u >> 16) % many;
    unsigned *failed = (unsigned *)&count[many];

    lockstep_lock(&lock[at]);
    count[at] += 1;
    lockstep_unlock(&lock[at]);

    unsigned tried = at ^ 1;
    if (lockstep_trylock(&lock[tried]) || lockstep_lock_attempts(&lock[tried], 2)) {
        count[tried] += 1;
        lockstep_unlock(&lock[tried]);
    } else {
        atomicAdd(failed, 1);
    }

    unsigned awaited = at ^ 2;
    if (lockstep_lock_cycles(&lock[awaited], 2000)) {
        count[awaited] += 1;
        lockstep_unlock(&lock[awaited]);
    } else {
        atomicAdd(failed, 1);
    }

    lockstep_sem_wait(semaphore);
    atomicAdd(&places[at % 8], 1);
    lockstep_sem_signal(semaphore);
}
