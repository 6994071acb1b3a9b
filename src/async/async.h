/* The asynchronous unit of an SM: what goes on beside the instructions of its warps. It suspends warps at mbarriers
 * (phases.c) until a phase is over or they have waited for as long as they may, executes copies in bulk (bulk.c), and knows
 * which copies are under way, of which groups (groups.c). What it wants of the SM around it, it asks for by a port. Written by the files of this room alone. */
#ifndef LOCKSTEP_ASYNC_ASYNC_H
#define LOCKSTEP_ASYNC_ASYNC_H

#include "base/room.h"
#include "core/sm_shared.h"
#include "lsu/lsu.h"
#include "memory/store.h"
#include "simt/bulk.h"

/* Bytes for another block, within a line of 128 of its shared memory. */
struct async_parcel {
    uint64_t address;     /* of .shared::cluster */
    const uint8_t *data; /* NULL: they are still to be read */
    uint32_t bytes, mbarrier; /* at which they count: its offset, or PACKET_NOBODY */
    uint32_t copy;        /* its number: async_number_copies */
    uint32_t pc;          /* of the instruction that sends them, by that lane */
    uint8_t lane;
    bool cast;            /* the command is for several blocks */
    uint8_t atomic, type, element; /* of a reduction: ISA_ATOMIC_*, enum isa_type, bytes of one; 0: a copy */
};

/* An operation that the unit has performed on an mbarrier of the block whose warp asked for it: bytes of a copy in bulk
 * have come, or (bytes is 0) a lane has arrived whose copies by cp.async are done. */
struct async_counted {
    uint32_t pc, lane, copy, address, bytes;
    bool ended; /* a phase of the object */
};

/* The SM, as the unit needs it. */
struct async_port {
    /* A suspended op has its result. */
    void (*complete)(void *sm, uint32_t op);
    /* Something that the warp of that slot has asked the unit for is not allowed, which is seen when it is done. */
    void (*fault)(void *sm, unsigned slot, const struct simt_fault *fault);
    /* A copy in bulk that the warp has asked for is done. */
    void (*rests)(void *sm, unsigned slot);
    /* Bytes of such a copy go to another block of the warp's cluster. */
    void (*send)(void *sm, unsigned slot, const struct async_parcel *parcel);
    /* Bytes of such a copy that the slice is to send itself, once the READ with that number has brought their line: those
     * from byte `from` of the line on. */
    void (*cast)(void *sm, unsigned slot, const struct async_parcel *parcel, uint32_t number, uint32_t from);
    /* The unit has performed that operation, for the warp in that slot: observers may want to know (watch/watch.h). */
    void (*counted)(void *sm, unsigned slot, const struct async_counted *what);
};

struct async_setup {
    const struct sm_shared *shared;
    const struct async_port *port;
    struct lsu *lsu;
    const struct store *store;
};

/* An op, mbarrier.try_wait, whose warp is suspended. It goes on in the cycle `until`, in which it has waited for as long
 * as it may, or `wake`, if the phases of all its lanes are over. */
struct async_suspended {
    uint32_t op;
    uint64_t until, wake; /* wake: CYCLE_NEVER while a lane's phase is not over */
};

/* A phase that has ended of the mbarrier at that offset of a block: waits have their result in the cycle `until`, at
 * the earliest (sm.mbarrier_settle). */
struct async_settling {
    uint64_t until;
    uint32_t block, address;
};

/* Copies that some lanes of a warp have asked for, and that are not all done. */
struct async_group {
    uint64_t lanes;     /* 0: the place is free */
    uint64_t open;      /* of them, those that have not committed it */
    uint64_t committed; /* the number of the warp's commit, from 1, by which the others did */
    uint64_t serial;    /* groups are numbered as they begin */
    uint32_t out;       /* copies not done */
    uint32_t unread;    /* of them, copies in bulk whose source has not been read to its end */
    uint8_t slot;
    bool bulk;   /* of copies in bulk, which have groups of their own */
    bool sealed; /* no more copies join it */
};
#define ASYNC_NO_GROUP UINT32_MAX

/* The commits of a warp: lanes of the latest ones. */
#define ASYNC_COMMITS 32
struct async_commits {
    uint64_t count;
    uint64_t lanes[ASYNC_COMMITS]; /* of number n, from 0: at n modulo ASYNC_COMMITS */
};

/* A wait for copies, of a warp in waits.copies: it ends when of no lane of it more is under way than its latest groups. */
struct async_wait {
    uint64_t lanes;
    uint32_t most; /* so many of them */
    bool all;  /* it ends when no copies are under way, of groups or not */
    bool bulk; /* it is for copies in bulk, and for no others */
    bool read; /* copies whose sources have been read are not under way for it */
};

/* An arrival at an mbarrier that comes when the lane's copies of groups before `serial` are done. */
struct async_arrival {
    uint64_t address, serial;
    uint32_t pc;
    uint8_t slot, lane;
};

/* A copy in bulk. Its pieces go out in order, from the cycle `ready` on. */
struct async_bulk {
    struct simt_bulk command;
    uint64_t ready;
    uint32_t out;   /* pieces that are not answered */
    uint32_t group; /* or ASYNC_NO_GROUP */
    uint32_t number; /* of the copy: async_number_copies; 0: nobody observes copies */
    uint32_t pc;
    uint8_t slot, lane;
    uint8_t epoch; /* with sm.bulk_posted: of the block's accesses (lsu_async_begins) */
    bool walked; /* all its pieces are on their way */
    bool used;   /* the place is not free */
};
struct async_piece {
    struct simt_piece piece;
    uint32_t command;
    bool used;
};

struct async {
    struct agenda *ROOM_KEPT agenda;
    const struct sm_params *ROOM_KEPT params;
    struct warp_table *ROOM_KEPT warp;
    struct core_ops *ROOM_KEPT ops;
    const struct async_port *ROOM_KEPT port;
    void *ROOM_KEPT sm;
    struct lsu *ROOM_KEPT lsu;
    const struct store *ROOM_KEPT store;

    ROOM_KEPT uint64_t next; /* the next cycle in which the unit has something to do, or CYCLE_NEVER: see async_find_next */
    ROOM_KEPT VEC(struct async_suspended) suspended; /* in the order in which they came */
    ROOM_KEPT VEC(struct async_settling) settling;
    ROOM_KEPT VEC(struct async_group) groups;
    ROOM_KEPT VEC(struct async_arrival) arrivals; /* in the order in which they were asked for */
    ROOM_KEPT uint64_t next_serial;
    ROOM_KEPT uint64_t phases_ended; /* of mbarriers of the SM, by whomever: for the progress watch */
    ROOM_KEPT uint32_t numbered;                           /* copies that observers have been given a number for */
    ROOM_KEPT struct async_commits commits[2][WARP_SLOTS]; /* of cp.async, of copies in bulk */
    ROOM_KEPT VEC(struct async_bulk) commands;
    ROOM_KEPT VEC(struct async_piece) pieces;
    ROOM_KEPT VEC(uint32_t) line;  /* commands whose pieces are not all on their way, in order */
    ROOM_KEPT uint64_t front_free; /* the cycle from which the front end takes another one */
    ROOM_KEPT uint64_t pace;       /* the next piece may leave: 1024ths of a cycle */
    ROOM_KEPT struct async_wait waits[WARP_SLOTS];
};

void async_init(struct async *async, const struct async_setup *setup);
void async_free(struct async *async);
/* A launch begins. */
void async_begin(struct async *async);

/* True: the unit has something to do in that cycle. */
static inline bool async_is_due(const struct async *async, uint64_t cycle)
{
    return async->next <= cycle;
}
/* Executes the agenda's cycle, if the unit has something to do in it: suspended ops go on, pieces of copies leave. */
void async_step(struct async *async);

/* phases.c */

/* An op that waited for an mbarrier's phase when it issued has come out of shared memory. True: the phase is not over
 * yet, or has not settled, and the unit keeps the op until then, or until its time is over (async_limit). */
bool async_suspend(struct async *async, uint32_t op);
/* Who ends the phase of an mbarrier. */
enum async_ender {
    ASYNC_BY_WARP,   /* an operation of a warp */
    ASYNC_BY_EXPECT, /* one with .expect_tx */
    ASYNC_BY_BYTES   /* the last bytes of a copy in bulk from global memory */
};
/* The ender has ended, in this cycle, the phase of the mbarrier at that offset of the block in that slot. */
void async_phase_ended(struct async *async, unsigned block, uint32_t address, enum async_ender by);
/* True: the wait, which the warp in that slot issues, finds a phase over that has ended a moment ago, so that its
 * result has to wait (async_suspend). */
bool async_settles(const struct async *async, unsigned slot, const struct simt_access *access);

/* groups.c */

/* A warp comes to a slot. */
void async_warp_begins(struct async *async, unsigned slot);
/* A copy of some lanes of a warp begins, by cp.async or in bulk: the number of its group, for async_copied once it is done
 * and, of one in bulk, for async_source_read. */
uint32_t async_group_begins(struct async *async, unsigned slot, uint64_t lanes, bool bulk);
void async_source_read(struct async *async, unsigned slot, uint32_t group);
void async_copied(struct async *async, unsigned slot, uint32_t group);
/* A warp's lanes commit a group or wait, as r->copies says. */
void async_reach_groups(struct async *async, unsigned slot, const struct simt_result *r);
/* cp.async.mbarrier.arrive: each lane of the access arrives once its copies so far are done. */
void async_arrive_behind(struct async *async, unsigned slot, const struct simt_access *access);

/* bulk.c */

/* Numbers, one after the other, for `count` copies that begin, by which observers know them. Returns the first. */
uint32_t async_number_copies(struct async *async, uint32_t count);
/* A lane has given a command; number: of the copy, 0 where nobody observes copies. */
void async_bulk_begins(struct async *async, unsigned slot, unsigned lane, uint32_t pc, uint32_t number,
                       const struct simt_bulk *command);
/* The answer to a request of the unit has come (lsu_async_request). */
void async_answer(struct async *async, const struct packet *p);
/* async_bulk_step: the commands send the pieces that may leave in the agenda's cycle. async_bulk_next: the first cycle, from
 * that one on, in which a piece may leave; CYCLE_NEVER if no command has one. */
void async_bulk_step(struct async *async);
uint64_t async_bulk_next(const struct async *async);
/* Bytes that commands have still to bring for the mbarrier at that offset of a block, which may be one of another SM. */
uint64_t async_bytes_for(const struct async *async, const struct simt_block *block, uint32_t mbarrier);
/* Something is due in that cycle: of all files of the room. */
void async_note(struct async *async, uint64_t cycle);

/* check.c: recomputes what the unit keeps although it follows from something else (base/check.h). */
struct check;
uint64_t async_find_next(const struct async *async);
void async_check(struct async *async, struct check *c);
/* archive.c: the unit in a checkpoint (base/archive.h), behind the SM's ops and warps. */
struct archive;
void async_archive(struct async *async, struct archive *ar);

#endif
