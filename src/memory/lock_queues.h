/* The queues of locks in an L2 slice (scalar synchronization thesis, section 5.2): a request for a lock that another
 * thread has is kept, and is answered when its turn has come; so nobody asks again and again. A record of 8 bytes
 * stands for the holder and for each request that waits; here a waiting request is its packet.
 *
 * A lock has a queue from the moment in which it is taken until nobody has it and nobody waits. When it is given back,
 * the oldest request is called: it comes to the tags once more, before all other accesses of the slice, and takes the
 * lock then. Until that has happened nobody else may: a request that comes meanwhile waits behind those that do. Only
 * plain atomics on the word (lockstep.trylock) are not held up; a request that was called and finds the word taken is
 * the oldest again. A semaphore has a queue in the same way, and as many holders as there is to take. */
#ifndef LOCKSTEP_MEMORY_LOCK_QUEUES_H
#define LOCKSTEP_MEMORY_LOCK_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "memory/packet_queue.h"
#include "memory/partition.h"

struct lock_queue {
    uint64_t address;           /* of the word */
    struct packet_list waiting; /* oldest first */
    uint32_t count;             /* of them */
    uint32_t called;            /* requests that are on their way to the tags again */
    uint32_t holders;
};

struct lock_queues {
    const struct lock_params *params;
    struct lock_queue *places; /* hash table by address; one without records is free */
    uint32_t mask, used;
    uint32_t records;
    uint32_t kept;             /* packets that are nowhere but here */
    struct packet_list called; /* of them, those that go to the tags next */
    struct lock_stats stats;
    struct arena *arena;
};

void lock_queues_init(struct lock_queues *q, const struct lock_params *params, struct arena *arena);
/* Performs an atomic of one lane that asks for a lock, gives it back, or takes a request out of its queue, on its
 * word. */
void lock_queues_perform(struct lock_queues *q, struct message_atomic *m, uint8_t *word);
/* A word, at a device address, was written by something that is no instruction of locks: a store or a plain atomic. If
 * it says now that the lock is free, or the semaphore above 0, those who wait are called as if it had been given back.
 */
void lock_queues_written(struct lock_queues *q, uint64_t address, const uint8_t *word);
/* A packet that was performed has its line, and could be answered. True: it is kept instead. */
bool lock_queues_keep(struct lock_queues *q, struct packet *p);

/* Recomputes what is kept beside the queues. */
void lock_queues_check(const struct lock_queues *q, struct check *c);
struct archive;
void lock_queues_archive(struct lock_queues *q, struct archive *ar, const struct packet_source *source);

#endif
