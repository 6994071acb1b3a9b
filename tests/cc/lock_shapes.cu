// Seven ways of writing a critical section whose release lies inside the loop that retries the acquire. On a machine
// with a reconvergence stack that is what makes them free of deadlock, so the compiler must keep it so. lock_shapes.sh
// looks at the PTX.

// while (!done) with the work inside
__global__ void shape_while(int *lock, int *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *count = *count + 1;
            __threadfence();
            done = true;
            atomicExch(lock, 0);
        }
    }
}

// do ... while
__global__ void shape_do(int *lock, int *count)
{
    bool done = false;
    do {
        if (atomicCAS(lock, 0, 1) == 0) {
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    } while (!done);
}

// acquire by exchange, condition the other way round
__global__ void shape_exchange(int *lock, int *count)
{
    int waiting = 1;
    while (waiting) {
        if (!atomicExch(lock, 1)) {
            *count = *count + 1;
            waiting = 0;
            __threadfence();
            atomicExch(lock, 0);
        }
    }
}

// two nested locks, as in moving money between accounts
__global__ void shape_nested(int *locks, int *account)
{
    int from = threadIdx.x, to = (threadIdx.x + 1) % blockDim.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[from], 0, 1) == 0) {
            if (atomicCAS(&locks[to], 0, 1) == 0) {
                account[from] -= 1;
                account[to] += 1;
                __threadfence();
                done = true;
                atomicExch(&locks[to], 0);
            }
            atomicExch(&locks[from], 0);
        }
    }
}

// functions of a lock class
struct spin_lock {
    int word;
    __device__ bool try_acquire()
    {
        return atomicCAS(&word, 0, 1) == 0;
    }
    __device__ void release()
    {
        __threadfence();
        atomicExch(&word, 0);
    }
};
__global__ void shape_class(spin_lock *lock, int *count)
{
    for (bool done = false; !done;)
        if (lock->try_acquire()) {
            ++*count;
            lock->release();
            done = true;
        }
}

// a branch inside the critical section, as in travelling salesman
__global__ void shape_branch(int *lock, int *best, int mine)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            if (*best > mine)
                *best = mine;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// a ticket, served inside the loop that waits for it
__global__ void shape_ticket(int *next, volatile int *serving, int *count)
{
    int mine = atomicAdd(next, 1);
    bool done = false;
    while (!done) {
        if (*serving == mine) {
            *count = *count + 1;
            __threadfence();
            *serving = mine + 1;
            done = true;
        }
    }
}
