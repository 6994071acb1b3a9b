/* Checks of what a program does with memory, while it is simulated: races by the PTX memory model (PTX ISA, "Memory
 * Consistency Model"), and reads of bytes that nobody has written. A consumer of events that is part of Lockstep and
 * joins the observers where the user asks for it (--check race,init); like all of them it changes no result.
 *
 * **Races.** Two accesses conflict if they overlap, are of different threads, and one of them writes. They race unless
 * one *happens before* the other, or both are *morally strong*: strong (an atomic, volatile, relaxed or stronger), and
 * of scopes that include both threads. Of the interleaving that is simulated, "happens before" is followed by vector
 * clocks of warps: through barriers, and from a release to the acquire that may have read it. So a race is found also
 * where the accesses lie far apart in time, if nothing ordered them.
 *
 * Volatile accesses are strong in PTX and race in C++: nothing fixes their order. Two of them, or one and an atomic,
 * count as a race unless threads wait at the word: some thread polls it, or it is compared and swapped, or one of the
 * two instructions polls another word.
 *
 * Approximations, each of which can hide a race and none of which can make one up: a fence, a barrier and a polled word
 * count for all lanes of the warp; an acquire orders behind all releases of the word so far, not only behind the one
 * that it read; all barriers of a block count as one for `bar.arrive`; fences before a barrier count behind it for all
 * warps of the block; of a word the last write and two reads are remembered; an atomic counts as ordered behind
 * a release that its warp has seen, without a fence; warps that are in a slot one after the other count as ordered
 * where the later one is known; all barriers of clusters count as one; arrivals at an mbarrier count for the phase that
 * goes on when they are issued, 64 mbarriers of an SM are told apart, and a wait counts as ordered behind all phases
 * that are over; a fence of proxies by any thread counts for what it knows of.
 *
 * **Reads of what was never written.** Bytes of device memory count as written once the host or a kernel has written
 * them, bytes of shared memory once their block has. An element of a load or atomic none of whose bytes was is
 * reported. What a copy moves is written, once it was asked for, as far as its source was.
 *
 * **Launches.** A launch comes behind those in front of it in its stream, and what events and waits of the host say;
 * between others there is no order, nor between one that may begin early (programmatic dependent launch) and those in
 * front of it, but for threads behind griddepcontrol.wait (launches.c). Of 64 launches the marks are kept.
 *
 * All SMs tell one state: a launch under these checks is simulated by one thread. */
#ifndef LOCKSTEP_SANITIZE_SANITIZE_H
#define LOCKSTEP_SANITIZE_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sanitize/among.h"
#include "watch/watch.h"

struct sanitize;

enum sanitize_check { SANITIZE_RACES = 1, SANITIZE_UNWRITTEN = 2 };

/* A launch before the one that is checked. */
struct sanitize_launched {
    uint32_t number; /* counts launches from 1; 0: nobody is in this place */
    const struct isa_module *module;
    char *kernel;
    uint32_t block[3]; /* threads of its blocks */
};

/* An access in a finding. */
struct sanitize_access {
    uint32_t pc;
    uint32_t block[3], warp, lane; /* the block's index, the warp in it */
    bool writes, strong;
    bool copies; /* by a copy beside the thread, for which the thread has asked at pc */
    const struct sanitize_launched *launch; /* in which it was, if that came before; valid until the next one begins */
};

/* Reasons why nothing orders two accesses, and with it what would. */
enum sanitize_reason {
    SANITIZE_NEVER_WRITTEN, /* not a race: `second` read what nobody had written */
    SANITIZE_NO_SYNCWARP,   /* threads of a warp, without a barrier of the warp between */
    SANITIZE_NO_BARRIER,    /* of a block, without a barrier of the block or anything else between */
    SANITIZE_NARROW_ACCESS, /* both strong, and the scope of one excludes the other's thread */
    SANITIZE_NO_FENCE, /* the first thread has not fenced since; `via` is what it then told others by, or ISA_PC_NONE */
    SANITIZE_NARROW_FENCE, /* it has, by a fence of too narrow a scope */
    SANITIZE_NO_ACQUIRE, /* the second thread has read a word (`via`) that the first wrote behind its fence, and has not
                            fenced since */
    SANITIZE_BARE_LOCK,  /* the first thread has not fenced since it took the lock (at `via`) under which both are: they
                            are ordered here, and would not be the other way round */
    SANITIZE_BARE_UNLOCK, /* the second thread has not fenced since, when it gives the lock back (at `via`) under which
                             both are: they are ordered here, and would not be the other way round */
    SANITIZE_NO_COPY_WAIT, /* the first is a copy that nobody has waited for */
    SANITIZE_UNTOLD_COPY,  /* it is done, and somebody knows, but not the second thread */
    SANITIZE_EARLY_COPY,   /* the second is a copy, whose thread does not know that the first is over */
    SANITIZE_NO_PROXY_FENCE, /* likewise, and it does; but no fence of proxies lies between */
    SANITIZE_NO_CLUSTER,     /* in shared memory by threads of two blocks, of which neither knows of the other */
    SANITIZE_NO_STREAM, /* the first was in a launch before, and nothing orders the two launches */
    SANITIZE_NO_DEPENDENCY, /* likewise, and the second began early: its thread has not waited (griddepcontrol.wait) */
    SANITIZE_UNRELATED,   /* the second has read nothing that the first wrote behind its fence */
};

struct sanitize_finding {
    enum sanitize_reason reason;
    struct sanitize_access first, second; /* in order of time */
    uint32_t via;
    uint32_t space;   /* enum lockstep_space */
    uint32_t bytes;   /* never written: of the element */
    uint64_t address; /* of the device, or in the block's shared memory: of the word in which they meet */
    uint64_t cycle;   /* of the second access */
    uint64_t count;   /* lanes that did so at these two instructions */
    bool loose;       /* both are strong, and one is volatile: a race unless threads wait at the word */
    const struct sanitize_cell *cell; /* of the word, while the launch goes on; else NULL */
    bool same_value;                  /* both wrote the same value: other threads see it, whoever is first */
};

/* Device memory lies in [start, start + bytes). checks: set of enum sanitize_check. */
struct sanitize *sanitize_create(unsigned checks, uint64_t start, uint64_t bytes);
void sanitize_destroy(struct sanitize *s);

/* Device memory as the host sees it, outside launches and while one stands. */
void sanitize_host_allocated(struct sanitize *s, uint64_t address, uint64_t bytes);
void sanitize_host_wrote(struct sanitize *s, uint64_t address, uint64_t bytes);
void sanitize_host_copied(struct sanitize *s, uint64_t to, uint64_t from, uint64_t bytes);

/* Gives watch_join its observer. */
const struct lockstep_observer *sanitize_observer(void);
/* A launch begins whose observers have their states. host_writes: as in struct gpu_launch; may be NULL. Modules of
 * launches whose places are open are still loaded. */
void sanitize_begin(struct sanitize *s, const struct watch_launch *launch, const struct sanitize_among *among,
                    bool (*host_writes)(const void *context, uint64_t address), const void *context);
/* The launch has ended: its findings, in the order in which they were first made. */
const struct sanitize_finding *sanitize_end(struct sanitize *s, size_t *count);

#endif
