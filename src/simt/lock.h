/* Locks and semaphores as instructions (scalar synchronization thesis, chapter 4): atomics on a word of 32 bits, whose
 * answers say where lanes go on. A lock is free when its word is SIMT_LOCK_FREE; else the word is the number of the
 * thread that holds it. What becomes of the paths of lanes that got a lock, and of those that did not, is the business
 * of the divergence model (divergence.h); here is what a warp asks for, holds and waits for.
 *
 * An instruction that takes asks in all its lanes at once, when it issues. When every lane has its answer, whoever
 * serves the access calls simt_locks_answered. Until then the warp executes nothing.
 *
 * Where requests for locks in global memory stand in queues (simt_lock_queues), lanes are answered by themselves: each
 * answer is told to simt_lock_came. The lanes that have one go on as soon as they have the turn (simt_locks_granted),
 * while others wait. When the turn comes to lanes that wait, the instruction that asked issues once more: it lets those
 * go on that have their lock by then, lets others ask again, or waits. */
#ifndef LOCKSTEP_SIMT_LOCK_H
#define LOCKSTEP_SIMT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/warp.h"

#define SIMT_LOCK_FREE UINT32_MAX
/* Set in the address of a lock that lies in shared memory, where warps note which one is meant. */
#define SIMT_LOCK_SHARED (UINT64_C(1) << 63)

/* A lock that a lane has. */
struct simt_held {
    uint64_t address;
    uint32_t pc; /* of the instruction that took it */
};

/* The lock state of a warp that has executed an instruction of locks. */
struct simt_locks {
    /* Of the instruction that is under way, or was the last. Lanes that stand in queues are not its own, unless it has
     * just put them there: their answers come meanwhile, and change nothing of this but address and found of theirs. */
    uint64_t asking; /* its lanes */
    uint64_t got;    /* of these, those whose answer came and was a yes; GIVE: those that had it */
    uint64_t address[SIMT_MAX_WIDTH];
    uint32_t found[SIMT_MAX_WIDTH]; /* what the word held before */
    uint32_t pc;
    uint32_t vain; /* so many times in a row, every lane was answered and none got its lock; it asks again */
    /* Of a lock with a limit: how often its lanes have asked in vain, and since when. */
    uint64_t queued;  /* lanes that have asked by a queue, and have not gone on */
    uint64_t granted; /* of these, those that have their lock */
    uint64_t refused; /* lanes that a queue had no room for: each asks again in its cycle `again` */
    uint64_t leaving; /* lanes that have waited in a queue for longer than their limit, and told it so */
    uint64_t over;    /* of these, those that were told that they are out of it */
    uint64_t timed;
    uint32_t attempts[SIMT_MAX_WIDTH];
    uint64_t since[SIMT_MAX_WIDTH]; /* of `timed`: when they first asked */
    uint64_t again[SIMT_MAX_WIDTH]; /* of `refused` */
    /* The locks that lanes took by LOCK and have not given back: lane l's number n at held[n * SIMT_MAX_WIDTH + l]. */
    uint32_t levels;
    uint32_t held_count[SIMT_MAX_WIDTH];
    struct simt_held *held;
    struct simt_held first[SIMT_MAX_WIDTH]; /* the one with which a lane began to hold locks, when it last did */
};

/* The number of a lane's thread in the grid: blocks in order of their index, threads in order in the block. */
uint32_t simt_thread_number(const struct simt_warp *warp, unsigned lane);

/* True: the access is one of those whose answer moves lanes. */
static inline bool simt_access_moves(const struct simt_access *access)
{
    return access->op->kind == SIMT_KIND_LOCK;
}

/* Every lane of the access is answered: the lanes go on, or come back to ask again. cycle: what limits count by. False:
 * the program did something illegal, see *fault: a lock was given back by a thread that does not have it; lanes went
 * past the place where they meet others; or nobody can ever give what the lanes wait for. */
bool simt_locks_answered(struct simt_warp *warp, const struct simt_access *access, uint64_t cycle,
                         struct simt_fault *fault);

/* True: the access asks by queues. */
bool simt_access_queues(const struct simt_warp *warp, const struct simt_access *access);
/* A queue has answered a lane, which simt_atomic_lane was told. */
void simt_lock_came(struct simt_warp *warp, unsigned lane, uint64_t cycle);
/* A queue had no request of a lane that told it to leave: that was called to take the lock. Should another thread take
 * it first, the request waits again, so the lane is to tell it again. Returns whether it still waits for an answer. */
bool simt_lock_stays(struct simt_warp *warp, unsigned lane);
/* Lanes that have the turn go on, with the locks that came for them, or because they gave up. Returns whether there
 * were any. */
bool simt_locks_granted(struct simt_warp *warp);

/* The lock that the lane has, which is one at this address; NULL: it has not. */
const struct simt_held *simt_lock_of(const struct simt_warp *warp, unsigned lane, uint64_t address);

void simt_locks_start(struct simt_locks *locks);
void simt_locks_free(struct simt_locks *locks);

#endif
