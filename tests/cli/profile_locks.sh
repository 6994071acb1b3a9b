#!/usr/bin/env bash
# --profile on locks: the report names the hot one and its lines; each is taken as often as the program counted; and all of it is the same
# on two threads, with --no-skip, and over a checkpoint.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"

cat >hot.cu <<'P'
#include <cstdio>
__device__ int hot, cool[1024];
__device__ unsigned in_hot, in_cool[1024];
static __device__ void locked(int *lock, unsigned *count)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile unsigned *)count = *(volatile unsigned *)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
__global__ void work()
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 0; r < 4; r++) {
        unsigned n = (t * 37 + r * 101) % 1024;
        locked(&cool[n], &in_cool[n]);
        if (t % 4 == 0)
            locked(&hot, &in_hot);
    }
}
int main()
{
    static unsigned counts[1024], count;
    work<<<8, 32>>>();
    cudaMemcpyFromSymbol(counts, in_cool, sizeof counts);
    cudaMemcpyFromSymbol(&count, in_hot, sizeof count);
    printf("counted hot %u\ncounted cool %u\n", count, counts[0]);
    for (int i = 1; i < 1024; i++) printf("counted cool+%d %u\n", 4 * i, counts[i]);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled hot
is_said hot.stats.out 'have a thread that waits for lock hot, taken at hot.cu:7 \(called from hot.cu:22\) and held [0-9]+ cycles at a time by 256 sections, given back at hot.cu:10\.$'
grep -A1 '^ [0-9. ]*%  .*  hot$' hot.stats.out | grep -q '^        taken at hot.cu:7 (called from hot.cu:22), given back at hot.cu:10$' || { cat hot.stats.out; wrong "the table does not have the hot lock"; }
# Each lock of the results: taken, given back and attempts, against what was counted under it.
awk '$1 == "counted" { of[$2] = $3 }
    /"words_rest":/ { exit } # sums over variables, which have more locks than are listed
    { match($0, /^ */) } # the lines of a lock have counts of their own, further in
    FNR != NR && /"name":/ { gsub(/[",]/, ""); name = $2; at = RLENGTH }
    FNR != NR && name in of && RLENGTH == at && /"(taken|given|attempts|failed|failed_inside)":/ {
        gsub(/[":,]/, ""); sum[name, $1] = $2; if ($1 == "taken" || $1 == "given") { locks++; if ($2 != of[name]) print name, $0, of[name] } }
    END { if (locks != 2 * 64) print locks, "counts of locks"
          for (name in of) if (sum[name, "attempts"] != sum[name, "taken"] + sum[name, "failed"] + sum[name, "failed_inside"]) print name, "attempts" }' \
    hot.stats.out hot.stats >odd
[ ! -s odd ] || { cat odd; wrong "locks are taken otherwise than the program counted"; }
grep -q '"words_unlisted": 0,' hot.stats && grep -q '"sections_unlogged": 0' hot.stats || wrong "words are missing"
all_ways hot 20000

cat >shared.cu <<'P'
#include <cstdio>
__global__ void work(unsigned *out)
{
    __shared__ int lock;
    __shared__ unsigned sum;
    if (threadIdx.x == 0) lock = 0, sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicExch(&lock, 1) == 0) {
            *(volatile unsigned *)&sum = *(volatile unsigned *)&sum + 1;
            __threadfence_block();
            *(volatile int *)&lock = 0;
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
int main()
{
    unsigned *out, counts[6], sum = 0;
    cudaMalloc(&out, sizeof counts);
    work<<<6, 96>>>(out);
    cudaMemcpy(counts, out, sizeof counts, cudaMemcpyDefault);
    for (unsigned n : counts) sum += n;
    printf("counted %u\n", sum);
}
P
profiled shared
is_said shared.stats.out 'have a thread that waits for lock work::lock, taken at shared.cu:9 and held [0-9]+ cycles at a time by 576 sections, given back at shared.cu:12\.$'
grep -q '^counted 576$' shared.stats.out || wrong "the program counted otherwise"
for count in taken given; do
    grep -q "\"$count\": 576," shared.stats || wrong "the shared lock was not $count as often as the program counted"
done
all_ways shared 2000

# A flag, and a lock by tickets: nobody takes those words by an attempt; threads poll them.
cat >ticket.cu <<'P'
#include <cstdio>
__device__ unsigned next, serving, count, ready;
__device__ volatile unsigned *at(unsigned *word) { return word; }
__global__ void work()
{
    if (threadIdx.x == 0 && blockIdx.x != 0)
        while (*at(&ready) == 0)
            ;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (unsigned r = 0; r < 4; r++) {
            unsigned mine = atomicAdd(&next, 1);
            while (*at(&serving) != mine)
                ;
            *at(&count) = *at(&count) + 1;
            __threadfence();
            *at(&serving) = mine + 1;
        }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *at(&ready) = 1;
}
int main()
{
    unsigned counted;
    work<<<8, 64>>>();
    cudaMemcpyFromSymbol(&counted, count, sizeof counted);
    printf("counted %u\n", counted);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled ticket
grep -q '^counted 64$' ticket.stats.out || wrong "the program counted otherwise"
is_said ticket.stats.out 'have a thread that polls serving at ticket.cu:13, which ticket.cu:17 writes: [0-9]+ waits of [0-9]+ cycles\.$'
grep -A1 '^ [0-9. ]*%  .*  ready$' ticket.stats.out | grep -q '^        polled at ticket.cu:7, written at ticket.cu:20$' || { cat ticket.stats.out; wrong "the table does not have the flag"; }
awk '/"polls": \[/ { inside = 1 } inside && /"name":/ { gsub(/[",]/, ""); name = $2 }
    inside && /"waits":/ { gsub(/[",]/, ""); of[name] = $2 }
    END { if (of["ready"] != 7 || of["serving"] < 40 || of["serving"] > 64 || length(of) != 2) print of["ready"], of["serving"], length(of) }' ticket.stats >odd
[ ! -s odd ] || { cat odd; wrong "waits of polled words"; }
awk '/"barriers": \[/ { inside = 1 } /"words": \[/ { inside = 0 } inside { gsub(/[":,]/, ""); if (!($1 in of)) of[$1] = $2 }
    END { if (of["opened"] != 8 || of["came"] != 16 || of["line"] != 9 || of["waited"] < 8 * of["waited_most"] / 2 || of["spread"] < of["waited"]) {
              for (name in of) print name, of[name] } }' ticket.stats >odd
[ ! -s odd ] || { cat odd; wrong "the barrier"; }
grep -A1 '^ wait     opened .* barrier$' ticket.stats.out | grep -qE '^ [0-9. ]+%  +8 +16 +[0-9]+ +[0-9]+ +ticket.cu:9$' || { cat ticket.stats.out; wrong "the table does not have the barrier"; }
all_ways ticket 6000

# A lock beside data that others use, and the same with room between them.
cat >beside.cu <<'P'
#include <cstdio>
#ifndef ROOM
#define ROOM 4
#endif
struct queue {
    int lock;
    char room[ROOM];
    unsigned hits[4];
};
__device__ __align__(256) queue q;
__global__ void work()
{
    if (threadIdx.x >= 32)
        for (int i = 0; i < 64; i++)
            atomicAdd(&q.hits[threadIdx.x % 4], 1);
    else if (threadIdx.x == 0)
        for (int i = 0; i < 8; i++) {
            while (atomicCAS(&q.lock, 0, 1) != 0)
                ;
            __threadfence();
            atomicExch(&q.lock, 0);
        }
}
int main()
{
    work<<<8, 64>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled beside
grep -A1 '^ [0-9. ]*%  .*  16384      8  *q$' beside.stats.out | grep -q '^        with q+8, q+12, q+16 and 1 other$' || { cat beside.stats.out; wrong "the table does not have the line that the lock shares"; }
tr -s '\n ' ' ' <beside.stats.out | grep -qF 'The lock q lies in one line of 128 bytes with q+8, q+12, q+16 and 1 other, whose 16384 accesses hit it too, as at beside.cu:15: padding keeps them apart.' ||
    wrong "no sentence says what lies beside the lock"
all_ways beside 6000
"$LOCKSTEP" cc -DROOM=252 beside.cu -o roomy || exit 1
json roomy.stats --profile ./roomy
grep -E 'word in a shared line|lies in one line' roomy.stats.out && wrong "a lock that lies for itself shares a line"
grep -q '"shared_lines": \[\]' roomy.stats || wrong "the results have lines of locks that lie for themselves"

# Ways to give a lock back: another thread of the block does; a value other than 0 is free, in shared memory; another block does, which
# is not seen, but named.
cat >others.cu <<'P'
__device__ int lock;
__global__ void work()
{
    for (int i = 0; i < 6; i++) {
        if (threadIdx.x == 0)
            while (atomicCAS(&lock, 0, 1) != 0)
                ;
        __syncthreads();
        if (threadIdx.x == 63)
            *(volatile int *)&lock = 0;
    }
}
int main()
{
    work<<<8, 64>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled others
is_said others.stats.out 'waits for lock lock, taken at others.cu:6 and held [0-9]+ cycles at a time by 48 sections, given back at others.cu:10\.$'
grep -q '"given_by_others": 48,' others.stats || wrong "a lock is given back by others otherwise than it was"
all_ways others 6000

cat >free.cu <<'P'
__global__ void work()
{
    __shared__ int mutex, sum;
    if (threadIdx.x == 0)
        mutex = 5, sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&mutex, 5, 3) == 5) {
            *(volatile int *)&sum = *(volatile int *)&sum + 1;
            __threadfence_block();
            atomicExch(&mutex, 5);
            done = true;
        }
}
int main()
{
    work<<<4, 96>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled free
is_said free.stats.out 'waits for lock work::mutex, taken at free.cu:8 and held [0-9]+ cycles at a time by 384 sections, given back at free.cu:11\.$'

cat >mailbox.cu <<'P'
__device__ int full;
__device__ volatile int letter, sum;
__global__ void work()
{
    for (int i = 0; i < 12; i++)
        if (blockIdx.x == 0) {
            while (*(volatile int *)&full == 0)
                ;
            sum = sum + letter;
            __threadfence();
            *(volatile int *)&full = 0;
        } else if (i < 4) {
            while (atomicCAS(&full, 0, -1) != 0)
                ;
            letter = i;
            __threadfence();
            *(volatile int *)&full = 1;
        }
}
int main()
{
    work<<<4, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled mailbox
is_said mailbox.stats.out 'waits for word full, taken at mailbox.cu:13, written at mailbox.cu:11 and mailbox.cu:17\.$'

# Readers and a writer take one word at two lines.
cat >rw.cu <<'P'
__device__ int readers;
__device__ volatile int data;
__global__ void work(int *out)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        if (blockIdx.x % 4 == 0) {
            while (atomicCAS(&readers, 0, -1) != 0)
                ;
            data = data + 1;
            __threadfence();
            atomicExch(&readers, 0);
        } else {
            for (int now = *(volatile int *)&readers; now < 0 || atomicCAS(&readers, now, now + 1) != now;)
                now = *(volatile int *)&readers;
            sum += data;
            atomicSub(&readers, 1);
        }
    out[blockIdx.x] = sum;
}
int main()
{
    int *out;
    cudaMalloc(&out, 64);
    work<<<12, 1>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled rw
is_said rw.stats.out 'waits for lock readers, taken at rw.cu:14 and rw.cu:8 and held [0-9]+ cycles at a time by [0-9]+ sections, given back at rw.cu:12 and rw.cu:17\.$'

grep -q 'Possible deadlock' rw.stats.out && { cat rw.stats.out; wrong "readers of one lock wait for themselves"; }

# One lock of an array stands out, and is taken by way of a method that is inlined twice: more waits begin at its second call.
cat >twice.cu <<'P'
struct account {
    unsigned lock;
    int money;
    __device__ bool take() { return atomicCAS(&lock, 0u, 1u) == 0u; }
    __device__ void put(int n)
    {
        for (bool done = false; !done;)
            if (take()) {
                *(volatile int *)&money = *(volatile int *)&money + n;
                __threadfence();
                atomicExch(&lock, 0u);
                done = true;
            }
    }
};
__device__ account accounts[64];
__global__ void work()
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    accounts[t % 64].put(1);
    if (t % 8 == 3)
        accounts[17].put(5);
}
int main()
{
    work<<<4, 64>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled twice
is_said twice.stats.out 'have a thread that waits for lock accounts\+136, taken at twice.cu:4 \(called from twice.cu:22\) and held [0-9]+ cycles at a time by 36 sections, given back at twice.cu:11\.$'
grep -E '^- .* (go to|wait for the value).* twice.cu:4 ' twice.stats.out && { cat twice.stats.out; wrong "a sentence tells again of attempts at the lock"; }

# Flags of an array, of which each is polled by one thread: a sentence tells of all of them, and none of the load that polls.
cat >chain.cu <<'P'
__device__ volatile int ready[32];
__global__ void work(float *out)
{
    float x = blockIdx.x;
    if (blockIdx.x)
        while (ready[blockIdx.x] == 0)
            ;
    for (int i = 0; i < 40; i++)
        x = x * 1.5f + 1;
    out[blockIdx.x] = x;
    __threadfence();
    ready[blockIdx.x + 1] = 1;
}
int main()
{
    float *out;
    cudaMalloc(&out, 128);
    work<<<31, 1>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled chain
is_said chain.stats.out '^Waits for 30 polled words of ready add up to [0-9]+% of warp-cycles: polled at chain.cu:6, which chain.cu:12 writes: 30 waits of [0-9]+ cycles\.$'
grep -E '^- .*wait for the value that the load of chain.cu:6' chain.stats.out && wrong "a sentence tells again of the load that polls"
all_ways chain 6000

# Locks alone in one line: no first sentence, but where L1s take the line from each other.
cat >near.cu <<'P'
#ifndef APART
#define APART 1
#endif
__device__ int locks[8 * APART];
__global__ void work()
{
    int *lock = &locks[blockIdx.x % 8 * APART];
    for (int i = 0; i < 12; i++) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        atomicExch(lock, 0);
    }
}
int main()
{
    work<<<16, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled near
"$LOCKSTEP" run --profile --protocol msi ./near >near.out || wrong "locks under msi"
awk '/^- / { n++ } n == 2' near.out | tr -s '\n ' ' ' | grep -qE 'The lock locks(\+[0-9]+)? lies in one line of 128 bytes with locks.* and 4 others, whose [0-9]+ accesses hit it too: padding keeps them apart\.' ||
    { cat near.out; wrong "no sentence says that locks share a line that L1s own"; }
"$LOCKSTEP" cc -DAPART=32 near.cu -o apart || exit 1
"$LOCKSTEP" run --profile --protocol msi ./apart >apart.out || wrong "locks apart"
grep -q 'lies in one line' apart.out && wrong "locks apart share a line"
awk '/^profile of/ { print $4 }' near.out apart.out | paste -sd ' ' | awk '!($1 > 1.5 * $2) { exit 1 }' || wrong "padding does not help: $(grep -h '^profile of' near.out apart.out)"

# Two locks in either order.
cat >order.cu <<'P'
__device__ int first, next, busy;
static __device__ void lock(int *word)
{
    while (atomicCAS(word, 0, 1) != 0)
        ;
}
__global__ void work()
{
    if (blockIdx.x == 0) {
        lock(&first);
        lock(&next);
        atomicExch(&next, 0);
        atomicExch(&first, 0);
    } else {
        for (int i = 0; i < 100; i++)
            atomicAdd(&busy, 1);
        lock(&next);
        lock(&first);
        atomicExch(&first, 0);
        atomicExch(&next, 0);
    }
}
int main()
{
    work<<<2, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled order
tr -s '\n ' ' ' <order.stats.out | grep -qF 'Possible deadlock: threads take next at order.cu:4 (called from order.cu:11) while they hold first, others first at order.cu:4 (called from order.cu:18) while they hold next.' ||
    { cat order.stats.out; wrong "the circle of the two locks"; }
all_ways order 6000

# Two threads that do wait for each other for ever.
cat >stuck.cu <<'P'
__device__ int one, other;
__device__ volatile int busy;
__global__ void work()
{
    int *first = blockIdx.x ? &one : &other, *next = blockIdx.x ? &other : &one;
    while (atomicCAS(first, 0, 1) != 0)
        ;
    for (int i = 0; i < 50; i++)
        busy = i;
    while (atomicCAS(next, 0, 1) != 0)
        ;
}
int main()
{
    work<<<2, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
"$LOCKSTEP" cc stuck.cu -o stuck || exit 1
"$LOCKSTEP" run --set gpu.watch_cycles=20000 --profile ./stuck >stuck.out 2>/dev/null && wrong "a program that is stuck ends well"
tr -s '\n ' ' ' <stuck.out | grep -qF 'Possible deadlock: threads take other at stuck.cu:10 while they hold one, others one at stuck.cu:10 while they hold other.' ||
    tr -s '\n ' ' ' <stuck.out | grep -qF 'Possible deadlock: threads take one at stuck.cu:10 while they hold other, others other at stuck.cu:10 while they hold one.' ||
    { cat stuck.out; wrong "no circle of those that are stuck"; }
grep -c 'taken at stuck.cu:6, never given back$' stuck.out | grep -qx 2 || { cat stuck.out; wrong "locks of those that are stuck"; }

# Of each lock, the waits of its graphs add up to all its waits.
awk '/^      "(waited|graph_free|graph_unlogged)":/ { gsub(/[",:]/, ""); n[$1] = $2 }
    /"graph": \[/ { in_warps = 1; edges = 0 } /"graph_sites": \[/ { in_warps = 0; in_sites = 1; sites = 0 }
    /"cycles":/ { gsub(/[",:]/, ""); if (in_warps) edges += $2; if (in_sites) sites += $2 }
    /graph_unlogged/ { locks++; some += n["waited"] > 0
        if (n["waited"] != edges + n["graph_free"] + $2 || n["waited"] != sites + n["graph_free"] + $2) print n["waited"], edges, sites, n["graph_free"], $2
        in_warps = in_sites = 0 }
    END { if (!some) print locks, "locks, no waits" }' hot.stats >odd
[ ! -s odd ] || { cat odd; wrong "the waits of a graph do not add up"; }
finish
