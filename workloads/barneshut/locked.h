// The building of the tree with lock instructions: each slot has a lock word beside it, and whoever has that may change
// the slot. Included by barneshut.cu, whose tree and places these kernels use.
//
// A slot that was seen empty, or with a body, may have got a child by the time its lock is had: the critical section is
// then wasted. In the kernel `build` that cannot be, since there the slot is its own lock: only who finds in it what
// was seen gets it.
#ifndef LOCKSTEP_LOCKED_H
#define LOCKSTEP_LOCKED_H

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

// What is done under the lock. Others read the slot without it, so new cells are made visible before it shows them.
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

// One attempt. A lock that is not free is not asked for: its slot is about to get a cell. LOCK waits if somebody else
// is faster then; TRYLOCK does not.
template <int FORM>
static __device__ bool attempt(tree t, slot_locks locks, int i, float4 p, place *here, section_counts *counts)
{
    int seen = descend(t, p, here);
    unsigned *lock = locks.word + (here->slot - t.child);
    bool done = false;
    if (*(volatile unsigned *)lock == LOCKSTEP_LOCK_FREE) {
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

// As `build`. TRYLOCK has the block's threads wait for each other between attempts, those that have no body left too, as CUDA wants of a
// barrier. LOCK has no barrier: it is to show what the instruction does for a program that knows nothing of warps.
template <int FORM> __global__ void __launch_bounds__(TB_THREADS, TB_BLOCKS) build_with(tree t, slot_locks locks)
{
    cube root = root_cube(t.box);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = {0, 0, 0, 0};
    place here = {root, 0, t.child};
    section_counts counts = {0, 0};
    bool fresh = true;
    while (FORM == SYNC_TRYLOCK ? __syncthreads_or(i < t.bodies) : i < t.bodies) {
        SPIN_LOOP();
        if (FORM == SYNC_TRYLOCK && i >= t.bodies)
            continue;
        if (fresh) {
            p = t.body[i];
            here = place_in(t, t.nodes - 1, root, p);
        }
        fresh = attempt<FORM>(t, locks, i, p, &here, &counts);
        if (fresh)
            i += gridDim.x * blockDim.x;
    }
    locks.sections[blockIdx.x * blockDim.x + threadIdx.x] = counts;
}

// Builds the tree and says on standard error how many critical sections there were, which depends on who came when.
// Returns how many locks are not free behind it.
static uint64_t build_locked(const tree &t, uint64_t form, unsigned blocks, unsigned block)
{
    size_t slots = 8 * (size_t)(t.nodes - t.bodies);
    slot_locks locks = {to_device(free_locks(slots)), to_device(std::vector<section_counts>((size_t)blocks * block))};
    (form == SYNC_LOCK ? build_with<SYNC_LOCK> : build_with<SYNC_TRYLOCK>)<<<blocks, block>>>(t, locks);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    unsigned long long all = 0, wasted = 0;
    for (const section_counts &counts : to_host(locks.sections, (size_t)blocks * block)) {
        all += counts.all;
        wasted += counts.wasted;
    }
    fprintf(stderr, "barneshut: %llu critical sections, %llu of them without an insertion\n", all, wasted);
    uint64_t held = 0;
    for (unsigned word : to_host(locks.word, slots))
        held += word != LOCKSTEP_LOCK_FREE;
    if (held)
        fprintf(stderr, "barneshut: locks not given back: %llu\n", (unsigned long long)held);
    CHECK(cudaFree(locks.word));
    CHECK(cudaFree(locks.sections));
    return held;
}

#endif
