// Programs that end, for alarms.sh: the progress watch must not stop any of them, however little it is allowed. Each
// waits, searches or plays to and fro for far longer than gpu.watch_cycles without giving memory a value that it has
// not had before. n: for how long; out is zero in the beginning, and gets its first elements when all is done. state:
// where a program has its variables in memory.
#define PROGRAM extern "C" __global__ void
#define STATE (out + 1024)
#define FLAG (*(volatile unsigned *)STATE)

// Clocks

PROGRAM wait_clock64(unsigned *out, unsigned n)
{
    long long end = clock64() + n;
    while (clock64() < end)
        ;
    out[threadIdx.x] = 1;
}

PROGRAM wait_clock(unsigned *out, unsigned n)
{
    unsigned start = clock();
    while (clock() - start < n)
        ;
    out[threadIdx.x] = 1;
}

__device__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

PROGRAM wait_timer(unsigned *out, unsigned n)
{
    unsigned long long start = nanoseconds();
    while (nanoseconds() - start < n)
        ;
    out[threadIdx.x] = 1;
}

PROGRAM wait_asleep(unsigned *out, unsigned n)
{
    long long end = clock64() + n;
    while (clock64() < end)
        asm volatile("nanosleep.u32 500;");
    out[threadIdx.x] = 1;
}

PROGRAM wait_flag_for_a_time(unsigned *out, unsigned n)
{
    long long end = clock64() + n;
    while (!FLAG && clock64() < end)
        ;
    out[threadIdx.x] = 1;
}

// Searches whose state is in memory

struct board {
    int depth;
    unsigned char queen[28];
};

__device__ bool fits(volatile board *b, int row)
{
    for (int i = 0; i < row; i++) {
        int apart = b->queen[i] - b->queen[row];
        if (apart == 0 || apart == row - i || apart == i - row)
            return false;
    }
    return true;
}

__device__ unsigned queens(volatile board *b, int n)
{
    unsigned found = 0;
    b->depth = 0;
    b->queen[0] = 255;
    while (b->depth >= 0) {
        int row = b->depth;
        b->queen[row] = b->queen[row] + 1;
        if (b->queen[row] == n) {
            b->depth = row - 1;
        } else if (fits(b, row)) {
            found += row == n - 1;
            if (row < n - 1) {
                b->depth = row + 1;
                b->queen[row + 1] = 255;
            }
        }
    }
    return found;
}

PROGRAM queens_global(unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[0] = queens((board *)STATE, n);
}

PROGRAM queens_shared(unsigned *out, unsigned n)
{
    __shared__ board b;
    if (threadIdx.x == 0)
        out[0] = queens(&b, n);
}

PROGRAM queens_local(unsigned *out, unsigned n)
{
    board b;
    if (threadIdx.x == 0)
        out[0] = queens(&b, n);
}

// Counts to 2^n with a bit in each word.
__device__ void count(volatile unsigned *bits, unsigned n)
{
    for (unsigned i = 0; i < n;) {
        for (i = 0; i < n && bits[i]; i++)
            bits[i] = 0;
        bits[i] = 1;
    }
}

PROGRAM counter_global(unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        count(STATE, n);
    out[threadIdx.x] = 1;
}

PROGRAM counter_shared(unsigned *out, unsigned n)
{
    __shared__ unsigned bits[32];
    bits[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        count(bits, n);
    out[threadIdx.x] = 1;
}

PROGRAM counter_atomic(unsigned *out, unsigned n)
{
    for (unsigned i = 0; threadIdx.x == 0 && i < n;)
        for (i = 0; i < n && atomicXor(&STATE[i], 1); i++)
            ;
    out[threadIdx.x] = 1;
}

// Exchanges neighbours until nothing changes any more.
PROGRAM sort(unsigned *out, unsigned n)
{
    __shared__ volatile unsigned a[1024];
    __shared__ volatile bool changed;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = (n - i) % 8;
    do {
        __syncthreads();
        changed = false;
        for (unsigned odd = 0; odd < 2; odd++) {
            __syncthreads();
            for (unsigned i = 2 * threadIdx.x + odd; i + 1 < n; i += 2 * blockDim.x) {
                unsigned low = a[i], high = a[i + 1];
                if (low > high) {
                    a[i] = high;
                    a[i + 1] = low;
                    changed = true;
                }
            }
        }
        __syncthreads();
    } while (changed);
    out[threadIdx.x] = 1;
}

// The game of life: three cells that turn for ever, for n steps.
PROGRAM life(unsigned *out, unsigned n)
{
    __shared__ volatile unsigned char cells[2][256];
    unsigned t = threadIdx.x, x = t % 16, y = t / 16;
    cells[0][t] = y == 7 && x > 5 && x < 9;
    for (unsigned step = 0; step < n; step++) {
        int around = 0;
        __syncthreads();
        for (int down = -1; down < 2; down++)
            for (int right = -1; right < 2; right++)
                around += cells[step % 2][(y + down) % 16 * 16 + (x + right) % 16];
        around -= cells[step % 2][t];
        cells[(step + 1) % 2][t] = around == 3 || (around == 2 && cells[step % 2][t]);
    }
    out[t] = 1;
}

// A walk through few places, by random numbers in a register.
PROGRAM walk(unsigned *out, unsigned n)
{
    volatile unsigned *place = &STATE[threadIdx.x];
    for (unsigned x = 2463534242u + threadIdx.x, home = 0; home < n;) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        *place = (*place + x % 4) % 64;
        home += (x & 511) == 5;
    }
    out[threadIdx.x] = 1;
}

PROGRAM random_numbers(unsigned *out, unsigned n)
{
    unsigned x = 2463534242u + threadIdx.x;
    for (unsigned i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    out[threadIdx.x] = x != 0;
}

// Polls that give up

PROGRAM poll(unsigned *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (FLAG)
            break;
    out[threadIdx.x] = 1;
}

PROGRAM poll_swap(unsigned *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (atomicCAS(STATE, 5, 6) == 5)
            break;
    out[threadIdx.x] = 1;
}

// Two locks in opposite orders; who does not get the second gives the first one back after n tries.
PROGRAM poll_locks(unsigned *out, unsigned n)
{
    unsigned *first = STATE + 32 * blockIdx.x, *second = STATE + 32 * !blockIdx.x;
    if (threadIdx.x)
        return;
    while (atomicCAS(first, 0, 1))
        ;
    for (unsigned i = 0; i < n; i++) {
        if (atomicCAS(second, 0, 1) == 0) {
            atomicExch(second, 0);
            break;
        }
    }
    atomicExch(first, 0);
    out[blockIdx.x] = 1;
}

// To and fro, n times. work: turns of a loop before the other's turn.

__device__ void work(unsigned turns)
{
    for (unsigned i = 0, x = 0; i < turns; i++)
        asm volatile("xor.b32 %0, %0, 5;" : "+r"(x));
}

__device__ void play(volatile unsigned *turn, unsigned me, unsigned turns, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        while (*turn != me)
            ;
        work(turns);
        *turn = !me;
    }
}

PROGRAM play_fast(unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        play(STATE, blockIdx.x, 0, n);
    out[threadIdx.x] = 1;
}

PROGRAM play_slowly(unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        play(STATE, blockIdx.x, 3000, n);
    out[threadIdx.x] = 1;
}

PROGRAM play_shared(unsigned *out, unsigned n)
{
    __shared__ unsigned turn;
    turn = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        play(&turn, threadIdx.x / 32, 0, n);
    out[threadIdx.x] = 1;
}

PROGRAM play_swap(unsigned *out, unsigned n)
{
    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++)
        while (atomicCAS(STATE, blockIdx.x, !blockIdx.x) != blockIdx.x)
            ;
    out[threadIdx.x] = 1;
}

// Whose turn it is can be seen only under a lock.
PROGRAM play_locked(unsigned *out, unsigned n)
{
    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++) {
        for (bool mine = false; !mine;) {
            if (atomicCAS(STATE + 32, 0, 1) == 0) {
                mine = FLAG == blockIdx.x;
                __threadfence();
                atomicExch(STATE + 32, 0);
            }
        }
        work(3000);
        FLAG = !blockIdx.x;
    }
    out[threadIdx.x] = 1;
}

// A queue for a lock whose numbers wrap round.
PROGRAM tickets(unsigned *out, unsigned n)
{
    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++) {
        unsigned mine = atomicInc(STATE, 7);
        while (*(volatile unsigned *)(STATE + 32) != mine)
            ;
        __threadfence();
        atomicInc(STATE + 32, 7);
    }
    out[threadIdx.x] = 1;
}

PROGRAM lock_and_unlock(unsigned *out, unsigned n)
{
    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++) {
        while (atomicCAS(STATE, 0, 1))
            ;
        __threadfence();
        atomicExch(STATE, 0);
    }
    out[threadIdx.x] = 1;
}

// One block works while the others wait.

PROGRAM produce(unsigned *out, unsigned n)
{
    if (blockIdx.x == 0) {
        work(n);
        FLAG = 1;
    }
    while (!FLAG)
        ;
    out[threadIdx.x] = 1;
}

PROGRAM produce_in_memory(unsigned *out, unsigned n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        count(STATE + 32, n);
        FLAG = 1;
    }
    while (!FLAG)
        ;
    out[threadIdx.x] = 1;
}

PROGRAM barriers(unsigned *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        __syncthreads();
    out[threadIdx.x] = 1;
}

// Block 0 comes back to the same states while a store is long under way, and then computes for long in registers. The
// other block comes back to the same states until it is answered: it must not end, for that is progress.
PROGRAM store_under_way(unsigned *out, unsigned n)
{
    unsigned v;
    if (blockIdx.x) {
        for (long long begin = clock64(); clock64() - begin < 200000;)
            ;
        asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(&FLAG) : "memory");
        do
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(&FLAG + 32) : "memory");
        while (!v);
        return;
    }
    do
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(&FLAG) : "memory");
    while (!v);
    for (unsigned i = 0; i < n; i++)
        asm volatile("mad.lo.u32 %0, %0, 3, 1;" : "+r"(v));
    out[0] = v;
    asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(&FLAG + 32) : "memory");
}
