// Locks and semaphores that a slice of the L2 keeps queues for (locks.queue): no lane has two locks at a time.
#include <cstdio>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

struct shared_state {
    unsigned locks[64], counts[64], semaphore, inside, most, over;
};

__global__ void one(shared_state *s)
{
    for (int i = 0; i < 3; i++) {
        lockstep_lock(&s->locks[0]);
        *(volatile unsigned *)&s->counts[0] += 1;
        lockstep_unlock(&s->locks[0]);
    }
}

// Lanes of a warp want different locks, and get them in any order.
__global__ void many(shared_state *s)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned which = (threadIdx.x * 7 + blockIdx.x * 13 + i * 31) % 64;
        lockstep_lock(&s->locks[which]);
        unsigned count = *(volatile unsigned *)&s->counts[which];
        for (unsigned k = 0; k < which % 5; k++)
            __nanosleep(50);
        *(volatile unsigned *)&s->counts[which] = count + 1;
        lockstep_unlock(&s->locks[which]);
    }
}

// Two unlocks, and a lock that is only tried, which overtakes those that wait.
__global__ void mixed(shared_state *s)
{
    unsigned *lock = &s->locks[threadIdx.x % 3], *count = &s->counts[threadIdx.x % 3];
    if (threadIdx.x % 5 == 0) {
        for (bool done = false; !done;)
            if (lockstep_trylock(lock)) {
                *(volatile unsigned *)count += 1;
                lockstep_unlock(lock);
                done = true;
            }
    } else {
        lockstep_lock(lock);
        *(volatile unsigned *)count += 1;
        if (threadIdx.x % 2) {
            s->counts[32 + threadIdx.x % 3] = 1;
            lockstep_unlock(lock);
        } else {
            lockstep_unlock(lock);
        }
    }
}

// Who tried a lock gives it back as one may without instructions of locks: those that wait in a queue go on all the same.
__global__ void freed(shared_state *s)
{
    unsigned *lock = &s->locks[threadIdx.x % 3], *count = &s->counts[threadIdx.x % 3];
    if (threadIdx.x % 5 == 0) {
        for (bool done = false; !done;)
            if (lockstep_trylock(lock)) {
                *(volatile unsigned *)count += 1;
                __threadfence();
                if (threadIdx.x % 2)
                    *(volatile unsigned *)lock = LOCKSTEP_LOCK_FREE;
                else
                    atomicExch(lock, LOCKSTEP_LOCK_FREE);
                done = true;
            }
    } else {
        lockstep_lock(lock);
        *(volatile unsigned *)count += 1;
        lockstep_unlock(lock);
    }
}

// Lanes give up, or have their lock: each says which.
__global__ void timed(shared_state *s)
{
    if (lockstep_lock_cycles(&s->locks[0], 3000)) {
        *(volatile unsigned *)&s->counts[0] += 1;
        lockstep_unlock(&s->locks[0]);
    } else {
        atomicAdd(&s->over, 1);
    }
}

// Nobody gives this one back.
__global__ void never(shared_state *s)
{
    if (!lockstep_lock_cycles(&s->locks[blockIdx.x], threadIdx.x % 2 ? 500 : 2000))
        atomicAdd(&s->over, 1);
    if (!lockstep_lock_attempts(&s->locks[blockIdx.x], 3))
        atomicAdd(&s->over, 1);
}

__global__ void few(shared_state *s)
{
    lockstep_sem_wait(&s->semaphore);
    atomicMax(&s->most, atomicAdd(&s->inside, 1) + 1);
    atomicAdd(&s->counts[0], 1);
    atomicSub(&s->inside, 1);
    lockstep_sem_signal(&s->semaphore);
}

static unsigned report(const char *name, void (*kernel)(shared_state *), unsigned word)
{
    shared_state *device, host = {};
    for (unsigned &lock : host.locks)
        lock = word;
    host.semaphore = 3;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
    kernel<<<3, 128>>>(device);
    cudaError_t error = cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    unsigned sum = 0, held = 0;
    for (unsigned i = 0; i < 64; i++) {
        sum += i < 32 || kernel == many ? host.counts[i] : 0;
        held += host.locks[i] != word;
    }
    printf("%s: %s, %u times and %u over, held %u, semaphore %u, at most %u\n", name, cudaGetErrorName(error),
           kernel == timed ? sum + host.over : sum, kernel == timed ? 0 : host.over, held, host.semaphore,
           host.most <= 3 ? 3 : host.most);
    cudaFree(device);
    return host.over;
}

int main(int count, char **)
{
    report("one", one, LOCKSTEP_LOCK_FREE);
    report("many", many, LOCKSTEP_LOCK_FREE);
    report("mixed", mixed, LOCKSTEP_LOCK_FREE);
    report("freed", freed, LOCKSTEP_LOCK_FREE);
    unsigned over = report("timed", timed, LOCKSTEP_LOCK_FREE);
    report("never", never, 1000000);
    report("few", few, LOCKSTEP_LOCK_FREE);
    if (count > 1)
        printf("timed: %s gave up\n", over ? "some" : "nobody");
}
