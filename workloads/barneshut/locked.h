// The building of the tree in other ways than the kernel `build` does. Included by barneshut.cu, whose tree and places
// the kernels of this file use.
//
// With lock instructions each slot has a lock word beside it, and whoever has that may change the slot.
// A slot that was seen empty, or with a body, may have got a child by the time its lock is had: the critical section is
// then wasted. In the kernel `build` that cannot be, since there the slot is its own lock: only who finds in it what
// was seen gets it.
#ifndef LOCKSTEP_LOCKED_H
#define LOCKSTEP_LOCKED_H

// Keeps a warp that has bodies until `cycles` for each warp of the grid before it have passed since it began: blocks
// that are on the machine at once begin at about the same cycle. It sleeps half of what is left at a time, taking a
// nanosecond for two cycles at the most, and so takes few turns from other warps.
static __device__ void wait_for_start(unsigned cycles, int bodies)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    long long begin = clock64(), wait = thread < bodies ? (long long)cycles * (thread / 32) : 0;
    for (long long left = wait; left > 0; left = wait - (clock64() - begin))
        __nanosleep((unsigned)(left / 2));
}

struct section_counts {
    unsigned all, wasted; // critical sections, and those of them that inserted nothing
};

struct slot_locks {
    unsigned *word;           // of each slot
    section_counts *sections; // of each thread: a counter for all would cost more than the building of a small tree
};

// Goes down from the place reached before to the first slot without a cell. Gives what it holds.
static __device__ int descend(tree t, float4 p, place *here)
{
    int seen = *here->slot;
    while (seen >= t.bodies) {
        *here = place_in(t, seen, part(here->at, here->which), p);
        seen = *here->slot;
    }
    return seen;
}

// Work under the lock. Others read the slot without it, so new cells are made visible before it shows them.
static __device__ __forceinline__ bool insert_locked(tree t, int i, float4 p, const place &here, int seen,
                                                     section_counts *counts)
{
    bool as_seen = *here.slot == seen;
    if (as_seen) {
        if (seen == EMPTY)
            *here.slot = i;
        else
            unlock(here.slot, split(t, i, p, seen, part(here.at, here.which)));
    }
    counts->all++;
    counts->wasted += !as_seen;
    return as_seen;
}

// How a thread that sees an empty slot takes it: by one compare-and-swap that puts its body there, or, as the published
// program of 2011 does, under the slot's lock. USUAL: the first with atomics, the second with lock instructions.
enum empty_slots { EMPTY_USUAL, EMPTY_CAS, EMPTY_LOCK };
static const char *const empty_words[] = {"usual", "cas", "lock"};

// One attempt with atomics, as `insert`.
template <bool LOCK_EMPTY> static __device__ bool attempt_by_atomics(tree t, int i, float4 p, place *here)
{
    int seen = descend(t, p, here);
    if (seen == EMPTY && !LOCK_EMPTY)
        return atomicCAS((int *)here->slot, EMPTY, i) == EMPTY;
    if (seen == LOCKED || !try_lock(here->slot, seen))
        return false;
    if (seen == EMPTY)
        *here->slot = i;
    else
        unlock(here->slot, split(t, i, p, seen, part(here->at, here->which)));
    return true;
}

// When a lock is asked for. LOOK: when a look has found it free, and else the thread looks again at once; that is the
// form of the thesis. ASK: without a look. BARRIER: as LOOK, and the block's threads wait for each other between
// attempts.
enum poll_form { POLL_LOOK, POLL_ASK, POLL_BARRIER };
static const char *const poll_words[] = {"look", "ask", "barrier"};

// One attempt with lock instructions. A lock that is not free is not asked for: its slot is about to get a cell. LOCK
// waits if somebody else is faster then; TRYLOCK does not. Without LOCK_EMPTY nobody locks an empty slot, and all who
// see it empty claim it.
template <int FORM, bool LOCK_EMPTY, int POLL>
static __device__ bool attempt_locked(tree t, slot_locks locks, int i, float4 p, place *here, section_counts *counts)
{
    int seen = descend(t, p, here);
    unsigned *lock = locks.word + (here->slot - t.child);
    bool done = false;
    if (!LOCK_EMPTY && seen == EMPTY) {
        done = atomicCAS((int *)here->slot, EMPTY, i) == EMPTY;
    } else if (POLL == POLL_ASK || *(volatile unsigned *)lock == LOCKSTEP_LOCK_FREE) {
        if (FORM == SYNC_LOCK) {
            lockstep_lock(lock);
            done = insert_locked(t, i, p, *here, seen, counts);
            lockstep_unlock(lock);
        } else if (lockstep_trylock(lock)) {
            done = insert_locked(t, i, p, *here, seen, counts);
            lockstep_unlock(lock);
        }
    }
    return done;
}

// As `build`. TRYLOCK has the block's threads wait for each other between attempts, those that have no body left too,
// as CUDA wants of a barrier. LOCK has a barrier by --poll barrier alone: it is to show what the instruction does for a
// program that knows nothing of warps.
template <int FORM, bool LOCK_EMPTY, int POLL>
__global__ void __launch_bounds__(TB_THREADS, TB_BLOCKS) build_with(tree t, slot_locks locks, unsigned stagger)
{
    constexpr bool MEET = FORM == SYNC_TRYLOCK || POLL == POLL_BARRIER;
    if (stagger)
        wait_for_start(stagger, t.bodies);
    cube root = root_cube(t.box);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = {0, 0, 0, 0};
    place here = {root, 0, t.child};
    section_counts counts = {0, 0};
    bool fresh = true;
    while (MEET ? __syncthreads_or(i < t.bodies) : i < t.bodies) {
        SPIN_LOOP();
        if (MEET && i >= t.bodies)
            continue;
        if (fresh) {
            p = t.body[i];
            here = place_in(t, t.nodes - 1, root, p);
        }
        if (FORM == SYNC_ATOMICS)
            fresh = attempt_by_atomics<LOCK_EMPTY>(t, i, p, &here);
        else
            fresh = attempt_locked<FORM, LOCK_EMPTY, POLL>(t, locks, i, p, &here, &counts);
        if (fresh)
            i += gridDim.x * blockDim.x;
        if (FORM == SYNC_ATOMICS)
            __syncthreads();
    }
    if (FORM != SYNC_ATOMICS)
        locks.sections[blockIdx.x * blockDim.x + threadIdx.x] = counts;
}

using build_kernel = void (*)(tree, slot_locks, unsigned);

template <bool LOCK_EMPTY> static build_kernel kernel_of(const building &how)
{
    if (how.sync != SYNC_LOCK)
        return how.sync == SYNC_ATOMICS ? build_with<SYNC_ATOMICS, LOCK_EMPTY, POLL_LOOK>
                                        : build_with<SYNC_TRYLOCK, LOCK_EMPTY, POLL_LOOK>;
    return how.poll == POLL_ASK       ? build_with<SYNC_LOCK, LOCK_EMPTY, POLL_ASK>
           : how.poll == POLL_BARRIER ? build_with<SYNC_LOCK, LOCK_EMPTY, POLL_BARRIER>
                                      : build_with<SYNC_LOCK, LOCK_EMPTY, POLL_LOOK>;
}

static bool locks_empty(const building &how)
{
    return how.empty == EMPTY_LOCK || (how.empty == EMPTY_USUAL && how.sync != SYNC_ATOMICS);
}

// Is it the kernel `build` that builds so?
static bool as_published(const building &how)
{
    return how.sync == SYNC_ATOMICS && !locks_empty(how) && !how.stagger;
}

// Says on standard error how many critical sections there were, which depends on who came when.
static void report_sections(const std::vector<section_counts> &sections)
{
    unsigned long long all = 0, wasted = 0;
    for (const section_counts &counts : sections) {
        all += counts.all;
        wasted += counts.wasted;
    }
    fprintf(stderr, "barneshut: %llu critical sections, %llu of them without an insertion\n", all, wasted);
}

// Returns how many locks are not free behind the kernel.
static uint64_t build_otherwise(const tree &t, const building &how)
{
    bool atomics = how.sync == SYNC_ATOMICS;
    size_t slots = 8 * (size_t)(t.nodes - t.bodies), threads = (size_t)how.blocks * how.threads;
    slot_locks locks = {to_device(free_locks(atomics ? 0 : slots)),
                        to_device(std::vector<section_counts>(atomics ? 0 : threads))};
    build_kernel kernel = locks_empty(how) ? kernel_of<true>(how) : kernel_of<false>(how);
    kernel<<<how.blocks, how.threads>>>(t, locks, how.stagger);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    uint64_t held = 0;
    if (!atomics) {
        report_sections(to_host(locks.sections, threads));
        for (unsigned word : to_host(locks.word, slots))
            held += word != LOCKSTEP_LOCK_FREE;
    }
    if (held)
        fprintf(stderr, "barneshut: locks not given back: %llu\n", (unsigned long long)held);
    CHECK(cudaFree(locks.word));
    CHECK(cudaFree(locks.sections));
    return held;
}

#endif
