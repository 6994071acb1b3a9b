/* The state of the checks, shared by the files of this room and by nobody else. */
#ifndef LOCKSTEP_SANITIZE_STATE_H
#define LOCKSTEP_SANITIZE_STATE_H

#include "base/vec.h"
#include "sanitize/clocks.h"
#include "sanitize/sanitize.h"

#define SANITIZE_PAGE 4096u /* bytes of memory */
#define SANITIZE_WORD 4u    /* bytes of a cell */
#define SANITIZE_CELLS (SANITIZE_PAGE / SANITIZE_WORD)
#define SANITIZE_SHARED_PAGES 64 /* of a block; what lies beyond is not checked */
#define SANITIZE_FINDINGS 256    /* kinds of findings of a launch; further ones are not told apart */
#define SANITIZE_PEERS 16        /* blocks of a cluster */
#define SANITIZE_COMMITS 32      /* groups of copies of a warp that are told apart */

/* How far an access, fence or release reaches. */
enum sanitize_scope { SANITIZE_BLOCK, SANITIZE_DEVICE };

/* A critical section: from the compare-and-swap by which a lane takes a word to the write by which it gives it back.
 * Its accesses are *bare* until a fence that reaches so far, by scope. */
struct sanitize_section {
    const struct sanitize_cell *lock; /* the word; NULL: there is none, or not the lock alone may order what it does */
    uint64_t free;                    /* what the word held before, and is to hold again */
    uint32_t taken, since;            /* the instruction, and the warp's epoch then */
    uint32_t bare_until[2];
    uint8_t lane;
    bool given;
};

/* Threads that were in a warp slot from a launch to the end of their block; 0 is nobody. */
struct sanitize_crew {
    uint32_t sm, slot;
    uint32_t block, index[3], warp;
    uint32_t fenced[2]; /* by enum sanitize_scope: its epoch at the last fence that reaches so far; 0: there was none */
    struct sanitize_section section; /* its last one */
    uint32_t launch; /* the number of theirs, and its place */
    uint8_t place;
    uint32_t told; /* the strong write behind the first access that it has not fenced yet, or ISA_PC_NONE */
};

/* An access as a cell remembers it. */
struct sanitize_mark {
    uint32_t crew, epoch, pc; /* crew 0: none */
    uint32_t copy;            /* number of the struct sanitize_copy that does it; 0: its thread does */
    uint8_t lane, bytes;      /* bytes: set of those of the word */
    bool strong : 1, wide : 1; /* wide: its scope is the device */
    bool is_volatile : 1, is_atomic : 1;
    bool locked : 1;  /* in a section of its crew */
    bool proxied : 1; /* by the proxy of copies in bulk */
};
struct sanitize_cell {
    struct sanitize_mark write, reads[2];
    uint32_t value; /* that the write left, where `valued` */
    uint32_t sync;  /* number of its struct sanitize_sync, 0: none */
    bool valued;
    bool waited; /* threads wait at it: some lane polls it, or compares and swaps it */
};
struct sanitize_cells {
    struct sanitize_cell of[SANITIZE_CELLS];
};

/* Released by writing a word: to everybody, and to threads of a block alone. */
struct sanitize_local {
    uint32_t block;
    struct sanitize_clocks clocks;
};
struct sanitize_sync {
    struct sanitize_clocks wide;
    VEC(struct sanitize_local) local;
    /* Of an mbarrier, `wide` is what arrivals have released at phases that are over; and: */
    struct sanitize_clocks pending; /* what they have at the phase that goes on */
    uint32_t row;                   /* its place in vector clocks, where its phases are counted */
    uint8_t column;
    bool has_phases; /* it is an mbarrier, and has such a place */
};

/* Copies that are done together: those of a group that is of one warp, or one that counts at an mbarrier. Lanes
 * wait for two things, of which arrays tell: that the copy is done [0], and that its source has been read [1]. */
struct sanitize_copy {
    uint32_t crew;
    uint32_t epoch[2]; /* of its crew, in which the first lane had waited for it */
    uint64_t open[2];  /* lanes that have not waited for it */
    struct sanitize_counted {
        uint64_t lanes; /* those whose copies are done once this phase of an mbarrier is over: */
        uint32_t row, phase;
        uint8_t column;
    } counted[2]; /* the first one, and the latest of others */
};

/* Copies of a warp's lanes, of cp.async or in bulk. */
struct sanitize_group {
    uint32_t copy;
    uint64_t lanes;
    uint64_t commit;   /* the number of the commit, from 1, that made them a group; 0: none has */
    bool bulk, sealed; /* sealed: no more copies join it */
};
struct sanitize_commits {
    uint64_t count;
    uint64_t lanes[SANITIZE_COMMITS]; /* of number n, from 0: at n modulo SANITIZE_COMMITS */
};

/* A copy that counts at an mbarrier of a block, until its last byte has come. */
struct sanitize_flight {
    uint32_t copy;  /* its number in events, of the SM whose list this is in */
    uint32_t mark;  /* number of its struct sanitize_copy */
    uint32_t left;  /* bytes that have not come */
    uint32_t block; /* number of the block */
};

/* A load or atomic that may acquire, until it has its values. Addresses are those of its event. */
struct sanitize_reading {
    uint32_t pc, space;
    uint64_t mask;
    uint64_t address[64];
};

#define SANITIZE_LOOKS 4 /* words that a lane may look at in turn while it waits */

/* A strong read of a lane, if it has not stored since. */
struct sanitize_look {
    uint32_t pc;
    uint64_t address;
};

#define SANITIZE_HELD 8      /* words that lanes of a warp may have taken and not given back */
#define SANITIZE_UNFENCED 32 /* kinds of accesses that a warp waits to see fenced */

/* A word that a lane has taken; cell NULL: none. */
struct sanitize_held {
    const struct sanitize_cell *cell;
    uint8_t lane;
};

/* Two accesses under one lock; the later one has to be fenced, so far, before the lock is given back. */
struct sanitize_unfenced {
    enum sanitize_scope scope;
    struct sanitize_finding finding;
};

struct sanitize_block;
struct sanitize_warp {
    uint32_t crew;                /* the threads in it, 0: none */
    struct sanitize_block *block; /* theirs */
    uint32_t epoch;
    bool at_grid;    /* it waits for the grid */
    bool at_cluster; /* its last instruction was to wait for its cluster */
    bool polls_lock; /* what `polled` did was a compare-and-swap */
    uint32_t polled; /* the strong read by which it last learnt of something that it has not fenced for */
    struct sanitize_clocks known;
    struct sanitize_clocks released[2]; /* by scope: what a strong write hands on since its last fence */
    struct sanitize_clocks pending[2];  /* what a fence of that scope will make known */
    VEC(struct sanitize_reading) readings;
    const struct sanitize_cell *tried; /* the word that its lanes last tried to take, and have only learnt by since */
    struct sanitize_clocks before;     /* what it knew when they began to, or would have by a fence */
    struct sanitize_held held[SANITIZE_HELD];
    bool holds_more; /* than `held` has room for */
    VEC(struct sanitize_unfenced) unfenced;
    VEC(struct sanitize_group) groups;
    struct sanitize_commits commits[2]; /* of cp.async, in bulk */
    VEC(uint64_t) local[64]; /* of each lane's local memory: a bit is 1 once its byte is written */
    struct sanitize_look looks[64][SANITIZE_LOOKS]; /* by lane: the last ones */
    uint8_t looked[64];                             /* by lane: how many, modulo that */
};

/* A block slot of an SM. */
struct sanitize_block {
    uint32_t number;                                     /* counts the blocks of the launch, from 1; 0: vacant */
    uint32_t index[3];
    struct sanitize_block *peers[SANITIZE_PEERS];        /* of its cluster, by rank, as far as they were looked for */
    struct sanitize_clocks pool;                         /* of bar.arrive */
    uint64_t opened;                                     /* slots for which a barrier has just opened */
    struct sanitize_cells *cells[SANITIZE_SHARED_PAGES]; /* of its shared memory, by page; NULL: none was touched */
    uint64_t *written[SANITIZE_SHARED_PAGES];            /* likewise: a bit is 1 once its byte is */
};

struct sanitize {
    unsigned checks;
    uint64_t start, pages;
    uint64_t **unwritten; /* by page of device memory: a bit is 1 while its byte is; NULL: all were written */
    /* Of the launch: */
    const struct isa_module *module;
    uint32_t sms, cluster[3];
    uint32_t
        rows; /* of clocks: one for each SM's warps; if the module has mbarriers, then one for each SM's mbarriers;
               * if launches before are remembered, then one for these: */
    uint32_t launch_row; /* 0: there is none */
    uint32_t launch; /* its number, from 1 */
    uint8_t place;   /* and place */
    struct sanitize_launched launched[SANITIZE_PLACES];
    struct sanitize_clocks begins, ends; /* launches that have ended for all its threads; for those that have waited */
    bool (*host_writes)(const void *context, uint64_t address);
    const void *context;
    bool narrow;                   /* some instruction of the module has the scope of a block */
    bool *polls;                   /* by instruction: lanes wait by it */
    bool *overwrites;              /* likewise: an exchange whose result nothing takes */
    bool *moves;                   /* likewise: a load whose value goes to local memory alone, is that of a spilled register, or lies in a parameter of its function */
    struct sanitize_cells **cells; /* by page of device memory; NULL: none was touched */
    struct sanitize_warp *warps;   /* by SM and slot */
    struct sanitize_block *blocks; /* likewise: there are no more blocks than warps */
    uint32_t block_count;
    struct sanitize_clocks grid; /* of warps that have come to wait for the grid */
    struct sanitize_clocks clusters; /* of warps that have arrived at barriers of clusters, of whichever */
    struct sanitize_clocks proxied;  /* what copies in bulk see: what was known at some fence of proxies */
    uint32_t *objects, *phases;      /* by SM: mbarriers that there were; and by their column: phases that are over */
    VEC(struct sanitize_flight) * flights; /* by SM */
    VEC(struct sanitize_copy) copies;
    VEC(uint32_t) free_syncs;
    VEC(struct sanitize_crew) crews;
    VEC(struct sanitize_sync) syncs;
    VEC(struct sanitize_finding) findings;
};

static inline struct sanitize_warp *sanitize_warp_at(struct sanitize *s, uint32_t sm, uint32_t slot)
{
    return &s->warps[sm * SANITIZE_WARPS + slot];
}
static inline struct sanitize_block *sanitize_block_at(struct sanitize *s, uint32_t sm, uint32_t slot)
{
    return &s->blocks[sm * SANITIZE_WARPS + slot];
}

/* An access of the event, in the model's terms. */
struct sanitize_order {
    bool strong, acquires, releases;
    bool is_volatile, is_atomic;
    bool shared; /* of shared memory, which only threads of the block reach: any scope does */
    bool phased; /* an operation on an mbarrier: what it releases is acquired when the phase is over */
    enum sanitize_scope scope;
};
struct sanitize_order sanitize_order_of(const struct isa_instr *instr, uint32_t space);
enum sanitize_scope sanitize_scope_of(const struct isa_instr *instr);

/* memory.c: the cell of the word in which that byte of the block's shared memory, or (block is NULL) of device memory,
 * lies; made where there is none. NULL: the byte is outside of device memory, or of shared memory that is checked. */
struct sanitize_cell *sanitize_cell_at(struct sanitize *s, struct sanitize_block *block, uint64_t address);
/* The address of the word that the byte lies in; those of its bytes that lie in [address, address + bytes), as a set.
 */
static inline uint64_t sanitize_word_at(uint64_t address)
{
    return address & ~(uint64_t)(SANITIZE_WORD - 1);
}
static inline uint8_t sanitize_bytes_in(uint64_t word, uint64_t address, uint32_t bytes)
{
    unsigned set = 0;
    for (unsigned i = 0; i < SANITIZE_WORD; i++)
        set |= word + i - address < bytes ? 1u << i : 0;
    return (uint8_t)set;
}
void sanitize_reset_block(struct sanitize *s, struct sanitize_block *block);
/* Its threads are gone; its epochs count on. */
void sanitize_reset_warp(struct sanitize *s, struct sanitize_warp *w);
/* All that is kept of the launch and of those before it; or what is the launch's alone. */
void sanitize_free_launch(struct sanitize *s);
void sanitize_free_present(struct sanitize *s);
/* Bytes of a block's shared memory, or (block is NULL) of device memory, are written; none of them ever was. */
void sanitize_write_bytes(struct sanitize *s, struct sanitize_block *block, uint64_t address, uint32_t bytes);
void sanitize_unwrite_byte(struct sanitize *s, struct sanitize_block *block, uint64_t address);
bool sanitize_never_written(const struct sanitize *s, const struct sanitize_block *block, uint64_t address,
                            uint32_t bytes);
/* The same of a lane's local memory. */
void sanitize_write_local(struct sanitize_warp *w, unsigned lane, uint64_t address, uint32_t bytes);
bool sanitize_never_written_local(const struct sanitize_warp *w, unsigned lane, uint64_t address, uint32_t bytes);
/* Not shared memory (block is NULL), but memory that the host may write while the kernel runs. */
bool sanitize_is_hosts(const struct sanitize *s, const struct sanitize_block *block, uint64_t address);

/* order.c: what happens before what. */
void sanitize_fence(struct sanitize *s, struct sanitize_warp *w, enum sanitize_scope scope);
/* From now on copies in bulk see what the warp knows of. */
void sanitize_fence_proxies(struct sanitize *s, struct sanitize_warp *w);
struct sanitize_sync *sanitize_sync_of(struct sanitize *s, struct sanitize_cell *cell);
/* A strong write to the cell, or a strong read of it, which has its value. */
void sanitize_release(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_order *order, uint32_t pc,
                      struct sanitize_cell *cell);
void sanitize_acquire(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_order *order, uint32_t pc,
                      const struct sanitize_cell *cell);
/* It has come to wait for the grid; to a barrier of its block, without waiting, which may just have opened by that. */
void sanitize_come_to_grid(struct sanitize *s, struct sanitize_warp *w);
/* It arrives at the barrier of its cluster, as one that releases or (relaxed) hands on what fences released; it goes on
 * behind a wait there. */
void sanitize_come_to_cluster(struct sanitize *s, struct sanitize_warp *w, bool relaxed);
void sanitize_leave_cluster(struct sanitize *s, struct sanitize_warp *w);
void sanitize_arrive(struct sanitize *s, struct sanitize_warp *w, struct sanitize_block *block);
/* A barrier opens for these slots of the SM. */
void sanitize_barrier(struct sanitize *s, uint32_t sm, struct sanitize_block *block, uint64_t warps);
/* It goes on behind something that orders its threads. */
void sanitize_next_epoch(struct sanitize_warp *w);

/* copies.c: a part of a copy begins; groups of copies are committed, or waited for; an operation on an mbarrier was
 * performed; lanes arrive at the object of that cell once their copies are done. */
void sanitize_copy_begins(struct sanitize *s, uint32_t sm, struct sanitize_warp *w, struct sanitize_block *block,
                          const struct lockstep_copy_event *e);
void sanitize_groups(struct sanitize *s, struct sanitize_warp *w, const struct isa_instr *instr, uint64_t lanes);
void sanitize_mbarrier(struct sanitize *s, uint32_t sm, const struct lockstep_mbarrier_event *e);
void sanitize_arrive_behind(struct sanitize *s, struct sanitize_warp *w, uint64_t lanes, struct sanitize_cell *cell);
/* Some thread knows that the copy of the mark is done or (source) has read its source. */
bool sanitize_copy_is_done(const struct sanitize *s, const struct sanitize_mark *mark, bool source);
/* Likewise the thread of the mark `by`, which is one of the warp. */
bool sanitize_copy_is_known(const struct sanitize *s, const struct sanitize_mark *mark, bool source,
                            const struct sanitize_warp *w, const struct sanitize_mark *by);
/* The block of that rank in the block's cluster; NULL: it has ended, or not begun. */
struct sanitize_block *sanitize_peer(struct sanitize *s, struct sanitize_block *block, unsigned rank);

/* locks.c: words that lanes take by a compare-and-swap and give back. Lanes of the warp try to take this
 * word, or (NULL) several. */
void sanitize_try(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word);
/* A lane's compare-and-swap has changed the word from one value to another: the lane has it now, or gives it back. */
struct sanitize_swap {
    uint32_t pc;
    bool acquires; /* by itself */
    uint64_t from, to;
};
void sanitize_swapped(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane,
                      const struct sanitize_swap *swap);
/* A lane writes the word by something else; value: what it stores, or NULL. */
void sanitize_give(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word, unsigned lane,
                   uint32_t pc, const uint64_t *value);
/* A warp learns of others: what was released by this word, or (both NULL) all that a barrier tells. */
void sanitize_learns_by(struct sanitize *s, struct sanitize_warp *w, const struct sanitize_cell *word,
                        const struct sanitize_clocks *released);
/* It has fenced. */
void sanitize_fenced(struct sanitize *s, struct sanitize_warp *w, enum sanitize_scope scope);
bool sanitize_is_locked(const struct sanitize *s, const struct sanitize_warp *w, unsigned lane);
/* Both lie in sections of one lock, which alone has ordered them; the first comes before the second, which happens
 * now. */
bool sanitize_only_locked(const struct sanitize *s, const struct sanitize_mark *first,
                          const struct sanitize_mark *second);
/* The second of such two has to be fenced before its lock is given back, or is a finding then. */
void sanitize_await_fence(struct sanitize_warp *w, const struct sanitize_unfenced *unfenced);

/* polls.c: threads wait by the instruction, and by others of its line: a compiler may read once in front of a loop and
 * once in it. */
void sanitize_note_poll(struct sanitize *s, uint32_t pc);
/* Notes those of the module that show by themselves. */
void sanitize_find_polls(struct sanitize *s);

/* launches.c: a launch is remembered behind its end if others may race with it. True: so are those before the one that
 * begins now. Then sanitize_keep_words, before it: what words were released by tells that their launch has ended, by that
 * row of so many. Then sanitize_enter. */
bool sanitize_goes_on(const struct sanitize *s, const struct sanitize_among *among);
void sanitize_keep_words(struct sanitize *s, uint32_t row, uint32_t rows);
void sanitize_enter(struct sanitize *s, const struct sanitize_among *among, const struct watch_launch *launch);
void sanitize_forget_launches(struct sanitize *s, uint64_t places);
/* The mark is of a launch before the present one; that launch is known by clocks to have ended; and to threads that wait
 * by griddepcontrol.wait. */
bool sanitize_is_earlier(const struct sanitize *s, const struct sanitize_mark *mark);
bool sanitize_launch_known(const struct sanitize *s, const struct sanitize_clocks *clocks,
                           const struct sanitize_mark *mark);
bool sanitize_awaits(const struct sanitize *s, const struct sanitize_mark *mark);
/* The launch of the mark, if it came before; else NULL. */
const struct sanitize_launched *sanitize_launch_of(const struct sanitize *s, const struct sanitize_mark *mark);
/* The warp executes griddepcontrol.wait. */
void sanitize_wait_for_launches(struct sanitize *s, struct sanitize_warp *w);

/* races.c: a lane accesses the word of a cell. value: all that it stores there, or NULL. at: space, address and cycle,
 * for findings. */
void sanitize_touch(struct sanitize *s, struct sanitize_cell *cell, const struct sanitize_mark *mark, bool writes,
                    const uint32_t *value, const struct sanitize_finding *at);
/* Threads wait at the word of a loose finding, or wait by one of its instructions: it is none. */
bool sanitize_waited(const struct sanitize *s, const struct sanitize_finding *finding);
/* Adds a finding, or counts it to one of the same instructions and reason. */
void sanitize_found(struct sanitize *s, const struct sanitize_finding *finding);
/* They are of the same instructions and reason. */
bool sanitize_same_finding(const struct sanitize_finding *a, const struct sanitize_finding *b);
/* The access of the mark reads these bytes, of the block's shared memory or (block is NULL) of device memory, in that
 * cycle: a finding if none of them was ever written. */
void sanitize_found_unwritten(struct sanitize *s, const struct sanitize_mark *mark, uint32_t space, uint64_t address,
                              uint32_t bytes, uint64_t cycle);
void sanitize_check_written(struct sanitize *s, const struct sanitize_mark *mark, const struct sanitize_block *block,
                            uint64_t address, uint32_t bytes, uint64_t cycle);

#endif
