// Programs of a dozen lines that threads of several blocks use to tell each other something, each with the fences that it
// needs, or without one of them: what --adversary is measured on (bench/adversary.sh). But for one, which reads what its L1
// still has, none shows what it lacks on a stock machine.
//
//     fences PROGRAM LACK [REPEAT]    prints "right" or "wrong"; LACK: 0 nothing, 1 and on the fence of that number
//     fences                          names the programs, and how many fences each can lack
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { BLOCKS = 8, LINE = 32, PLACES = 64 };
// Words in lines of their own; and words side by side in one line.
struct memory {
    unsigned at[PLACES][LINE];
    unsigned beside[LINE];
    unsigned good, bad;
};
typedef volatile unsigned word;

__device__ void fence(int number, int lack)
{
    if (number != lack)
        __threadfence();
}
__device__ void judge(memory *m, bool is_right)
{
    atomicAdd(is_right ? &m->good : &m->bad, 1);
}

// One block tells another that data is there.
__device__ void message(memory *m, word *data, word *flag, int lack)
{
    if (blockIdx.x == 0) {
        *data = 7;
        fence(1, lack);
        *flag = 1;
    } else if (blockIdx.x == 1) {
        while (!*flag)
            ;
        fence(2, lack);
        judge(m, *data == 7);
    }
}
__global__ void message_apart(memory *m, int lack)
{
    message(m, m->at[0], m->at[1], lack);
}
__global__ void message_beside(memory *m, int lack)
{
    message(m, &m->beside[0], &m->beside[1], lack);
}
// The same through memory that its reader has looked at before, with plain loads.
__global__ void message_plain(memory *m, int lack)
{
    if (blockIdx.x == 0) {
        while (!*(word *)m->at[2])
            ;
        m->at[0][0] = 7;
        fence(1, lack);
        atomicExch(m->at[1], 1);
    } else if (blockIdx.x == 1) {
        unsigned before = m->at[0][0];
        atomicExch(m->at[2], 1 + before);
        while (!atomicAdd(m->at[1], 0))
            ;
        fence(2, lack);
        judge(m, m->at[0][0] == 7);
    }
}
// A lock; each block's section adds one. Fences 3 and 4 are those of one block alone.
__device__ void lock(memory *m, unsigned *held, word *sum, int lack)
{
    for (int i = 0; i < 3; i++) {
        while (atomicCAS(held, 0, 1))
            ;
        fence(blockIdx.x == 3 && lack == 3 ? 3 : 1, lack);
        *sum = *sum + 1;
        fence(blockIdx.x == 3 && lack == 4 ? 4 : 2, lack);
        atomicExch(held, 0);
    }
}
__global__ void lock_apart(memory *m, int lack)
{
    lock(m, m->at[0], m->at[1], lack);
}
__global__ void lock_beside(memory *m, int lack)
{
    lock(m, &m->beside[0], &m->beside[1], lack);
}
// Two blocks say that they want to go in, and look whether the other does: at most one finds that it does not.
__global__ void dekker(memory *m, int lack)
{
    unsigned me = blockIdx.x;
    if (me < 2) {
        *(word *)m->at[me] = 1;
        fence(me + 1, lack);
        unsigned other = *(word *)m->at[1 - me];
        __threadfence();
        m->at[2 + me][0] = other;
        __threadfence();
        if (atomicAdd(m->at[4], 1) == 1) {
            __threadfence();
            judge(m, *(word *)m->at[2] + *(word *)m->at[3] > 0);
        }
    }
}
// The last block to come adds what all have left behind.
__global__ void last_block(memory *m, int lack)
{
    *(word *)m->at[blockIdx.x] = blockIdx.x + 1;
    fence(1, lack);
    if (atomicAdd(m->at[BLOCKS], 1) == BLOCKS - 1) {
        fence(2, lack);
        unsigned sum = 0;
        for (int i = 0; i < BLOCKS; i++)
            sum += *(word *)m->at[i];
        judge(m, sum == BLOCKS * (BLOCKS + 1) / 2);
    }
}
// The same where what they leave behind lies side by side, as partial sums do.
__global__ void last_beside(memory *m, int lack)
{
    *(word *)&m->beside[blockIdx.x] = blockIdx.x + 1;
    fence(1, lack);
    if (atomicAdd(&m->beside[BLOCKS], 1) == BLOCKS - 1) {
        fence(2, lack);
        unsigned sum = 0;
        for (int i = 0; i < BLOCKS; i++)
            sum += *(word *)&m->beside[i];
        judge(m, sum == BLOCKS * (BLOCKS + 1) / 2);
    }
}
// A ring of four places from one block to another.
__global__ void ring(memory *m, int lack)
{
    word *head = m->at[0], *tail = m->at[1];
    for (unsigned i = 0; i < 12 && blockIdx.x < 2; i++)
        if (blockIdx.x == 0) {
            while (i - *tail >= 4)
                ;
            fence(1, lack);
            *(word *)m->at[2 + i % 4] = i + 1;
            fence(2, lack);
            *head = i + 1;
        } else {
            while (*head <= i)
                ;
            fence(3, lack);
            judge(m, *(word *)m->at[2 + i % 4] == i + 1);
            fence(4, lack);
            *tail = i + 1;
        }
}
// Nodes are pushed onto a list, and one block takes them.
__global__ void stack(memory *m, int lack)
{
    unsigned *top = m->at[0];
    if (blockIdx.x > 0) {
        word *node = m->at[blockIdx.x];
        node[0] = 100 + blockIdx.x;
        unsigned old = *(word *)top, seen;
        do {
            seen = old;
            node[1] = seen;
            fence(1, lack);
            old = atomicCAS(top, seen, blockIdx.x);
        } while (old != seen);
        return;
    }
    int taken = 0;
    for (int tries = 0; taken < BLOCKS - 1 && tries < 200; tries++) {
        unsigned first = atomicExch(top, 0);
        fence(2, lack);
        for (unsigned n = first; n; n = ((word *)m->at[n])[1], taken++) {
            judge(m, *(word *)m->at[n] == 100 + n);
            if (taken > BLOCKS)
                break;
        }
    }
    judge(m, taken == BLOCKS - 1);
}
// A barrier of all blocks: behind it each looks at what its neighbour left in front of it.
__global__ void barrier(memory *m, int lack)
{
    *(word *)m->at[blockIdx.x] = 1;
    fence(1, lack);
    atomicAdd(m->at[BLOCKS], 1);
    while (*(word *)m->at[BLOCKS] < BLOCKS)
        ;
    fence(2, lack);
    judge(m, *(word *)m->at[(blockIdx.x + 1) % BLOCKS] == 1);
}
// Two words that are written together are read together, or read again.
__global__ void sequence(memory *m, int lack)
{
    word *number = m->at[0], *one = m->at[1], *two = m->at[2];
    if (blockIdx.x == 0)
        for (unsigned i = 1; i <= 6; i++) {
            *number = 2 * i - 1;
            fence(1, lack);
            *one = i;
            *two = i;
            fence(2, lack);
            *number = 2 * i;
            __threadfence(); // before the next one begins
        }
    else if (blockIdx.x == 1)
        for (int i = 0; i < 40; i++) {
            unsigned begin = *number;
            fence(3, lack);
            unsigned a = *one, b = *two;
            fence(4, lack);
            judge(m, begin % 2 || *number != begin || a == b);
        }
}
// A ticket lock whose numbers lie beside what it guards.
__global__ void ticket(memory *m, int lack)
{
    word *next = &m->beside[1], *sum = &m->beside[2];
    for (int i = 0; i < 3; i++) {
        unsigned mine = atomicAdd(&m->beside[0], 1);
        while (*next != mine)
            ;
        fence(1, lack);
        *sum = *sum + 1;
        fence(2, lack);
        *next = mine + 1;
    }
}

typedef bool (*verdict)(const memory &);
static bool judged(const memory &m)
{
    return m.good && !m.bad;
}
static bool counted_apart(const memory &m)
{
    return m.at[1][0] == 3 * BLOCKS;
}
static bool counted_beside(const memory &m)
{
    return m.beside[1] == 3 * BLOCKS;
}
static bool counted_third(const memory &m)
{
    return m.beside[2] == 3 * BLOCKS;
}
static const struct {
    const char *name;
    void (*kernel)(memory *, int);
    int fences;
    verdict is_right;
} programs[] = {
    {"message_apart", message_apart, 2, judged},  {"message_beside", message_beside, 2, judged},
    {"message_plain", message_plain, 2, judged},  {"lock_apart", lock_apart, 4, counted_apart},
    {"lock_beside", lock_beside, 4, counted_beside}, {"dekker", dekker, 2, judged},
    {"last_block", last_block, 2, judged},        {"last_beside", last_beside, 2, judged},
    {"ring", ring, 4, judged},                    {"stack", stack, 2, judged},
    {"barrier", barrier, 2, judged},              {"sequence", sequence, 4, judged},
    {"ticket", ticket, 2, counted_third},
};

int main(int argc, char **argv)
{
    for (auto &p : programs)
        if (argc < 3)
            printf("%s %d\n", p.name, p.fences);
        else if (strcmp(p.name, argv[1]) == 0) {
            memory *d, h;
            cudaMalloc(&d, sizeof h);
            bool is_right = true;
            for (int i = 0; i < (argc > 3 ? atoi(argv[3]) : 1); i++) {
                cudaMemset(d, 0, sizeof h);
                p.kernel<<<BLOCKS, 1>>>(d, atoi(argv[2]));
                if (cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost))
                    return 2;
                is_right &= p.is_right(h);
            }
            cudaFree(d);
            puts(is_right ? "right" : "wrong");
            return 0;
        }
    return argc < 3 ? 0 : 2;
}
