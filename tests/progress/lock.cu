// One spin lock for the first `lanes` lanes of every warp: each takes it once, adds one to the first `words` words of `sum`, and ends.
// Compiled by: lockstep cc --ptx lock.cu
extern "C" __global__ void lock(int *lock, volatile unsigned *sum, unsigned lanes, unsigned words)
{
    bool done = threadIdx.x % 32 >= lanes;
    while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
            for (unsigned i = 0; i < words; i++)
                sum[i] = sum[i] + 1;
            __threadfence();
            done = true;
            atomicExch(lock, 0);
        }
}
