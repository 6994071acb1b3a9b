/* Who waits for whom when a launch gets nowhere: warps, the locks that their lanes want, and who holds these. */
#ifndef LOCKSTEP_GPU_WAITS_H
#define LOCKSTEP_GPU_WAITS_H

#include "gpu/gpu_impl.h"
#include "simt/observe.h"

#define WAITS_NOBODY UINT32_MAX
#define WAITS_MANY_TAKES 16 /* of locks by one warp, without progress */

enum waits_kind {
#define KIND(name, label, words) WAITS_##name,
#include "gpu/waits_kinds.def"
#undef KIND
};

/* How the hang report speaks of a warp of that kind. */
struct waits_words {
    const char *label, *words;
};
const struct waits_words *waits_words(enum waits_kind kind);

/* Returns true if the warp waits for a reason of that kind. */
bool waits_for(const struct sm_warp_state *state, enum waits_kind kind);
static inline bool waits_at_barrier(const struct sm_warp_state *state, unsigned barrier)
{
    return waits_for(state, WAITS_BARRIER) && state->barrier == barrier;
}
/* True: the warps' blocks are of one cluster. */
bool waits_in_cluster(const struct sm_warp_state *state, const struct sm_warp_state *other);
/* True: one warp waits at a barrier for the other, which has not come there. */
bool waits_awaits(const struct sm_warp_state *state, const struct sm_warp_state *other);

/* The state of a lock's holder. */
enum waits_holder {
    HOLDER_UNKNOWN,    /* a flag, or a lock whose taker was not seen */
    HOLDER_FREE,       /* the location has the value that its waiters want */
    HOLDER_WARP_ENDED, /* ended without giving it back */
    HOLDER_LANE_ENDED,
    HOLDER_INACTIVE, /* waits below the top of its warp's stack for the lanes that run */
    HOLDER_ACTIVE,   /* among its warp's executing lanes */
};

/* Lanes of a warp that want one location. */
struct waits_claim {
    uint64_t lanes, address;
    uint32_t lock; /* index of the lock */
};

struct waits_lock {
    uint64_t address, value; /* value: of the global memory or the shared memory of `block` */
    unsigned bytes, home;    /* of the value; the unit of the first warp that wants it */
    uint64_t shared_base;    /* of `block` */
    bool shared;             /* in the shared memory of `block` */
    bool cluster;            /* in that of the block of its cluster which the address names */
    bool readable;           /* value is known */
    uint32_t block[3];
    enum waits_holder holder;
    struct watch_holder taken; /* with a known holder */
    unsigned holder_sm;
    uint32_t holder_warp; /* node, or WAITS_NOBODY */
    uint32_t holder_pc;   /* where an inactive lane waits */
    enum sm_wrote wrote;  /* waits_find_writers: whether threads wrote to it while all writes were noted */
    uint32_t writer;      /* node that wrote the value, or WAITS_NOBODY */
    uint32_t warps, lanes;
};

struct waits_warp {
    unsigned sm, slot; /* sm: the unit */
    struct sm_warp_state state;
    enum waits_kind kind;
    struct waits_claim *claims;
    uint32_t claim_count;
    uint32_t circle; /* number of the circle of waiting it is in, from 1; 0: none */
    uint32_t next;   /* in that circle: whom it waits for, by which claim (WAITS_NOBODY: at a barrier) */
    uint32_t next_claim;
};

/* Where warps stand and who took which lock. Units have `slots` places for warps each: SMs, or, in functional mode,
 * blocks that run. */
struct waits_source {
    void *context;
    unsigned units, slots;
    bool timed; /* units are SMs, time is cycles; else instructions of the launch */
    void (*state)(void *context, unsigned unit, unsigned slot, struct sm_warp_state *state);
    bool (*holder)(void *context, unsigned unit, uint64_t address, struct watch_holder *holder);
    uint64_t now;
    uint64_t recent; /* how long ago something is that was done of late */
};
struct waits_source waits_of_sms(struct gpu *gpu);

struct waits {
    struct gpu *gpu;
    struct waits_source source;
    uint64_t blocks, begun,
        running;          /* waits_count_blocks: of the grid; that have begun; of which some thread has not ended */
    uint64_t noted_since; /* waits_find_writers: when, or CYCLE_NEVER */
    uint32_t warp_count, lock_count, circle_count;
    struct waits_warp *warps; /* unfinished ones, by SM and slot */
    struct waits_lock *locks; /* in the order in which they were met */
    uint32_t *nodes;          /* by unit and slot: the warp there, or WAITS_NOBODY */
    uint32_t *places;         /* hash table: index of a lock + 1, 0: empty */
    uint32_t place_mask;
    struct arena *arena;
};

/* A source of an instruction as a lane would read it now from this frame, an address with its offset; false when that
 * is not plain. */
bool waits_read_operand(const struct simt_warp *warp, const struct simt_frame *frame, const struct isa_operand *o,
                        unsigned lane, bool address, uint64_t *value);
/* Looks at the warps as they stand; memory belongs to arena. */
void waits_find(struct waits *waits, struct gpu *gpu, const struct waits_source *source, struct arena *arena);
void waits_count_blocks(struct waits *waits, uint64_t blocks, uint64_t begun);
/* Looks for who wrote the words that are polled, since this cycle. */
void waits_find_writers(struct waits *waits, uint64_t since);
/* True: no warp can go on by what the program does: each waits for a lock whose holder waits too, is gone, or
 * gets no turn or no answer of memory, or at a barrier, or gets none itself. */
bool waits_closed(const struct waits *waits);
/* waits_closed of warps as they stand now. */
bool waits_closed_now(struct gpu *gpu, const struct waits_source *source);
/* True: some warp is starved of turns (kind STARVED), or of an answer of memory while others go on (KEPT). */
bool waits_starving(const struct waits *waits);
/* Appends where an instruction stands. */
void waits_pos(const struct isa_module *code, uint32_t pc, struct strbuf *out);
/* waits_lanes.c: appends "lanes 0-3,7"; what lies at a lock's or flag's address, the address, and its value. */
void waits_add_lanes(uint64_t mask, struct strbuf *out);
void waits_add_place(const struct waits *waits, const struct waits_lock *lock, const struct simt_grid *grid,
                     struct strbuf *out);
/* Lanes that have not the turn of their warp, and where they stand. */
struct waits_standing {
    uint64_t lanes, others; /* others: those that they wait for */
    uint32_t pc;
    enum simt_standing why;
};
/* Appends "lanes 4-7 at X wait for lane 0". */
void waits_add_standing(const struct isa_module *code, const struct waits_standing *standing, struct strbuf *out);
#define WAITS_STANDING 64
uint32_t waits_inactive(const struct waits_warp *node, struct waits_standing *list, uint32_t most);
/* Appends the chain of calls that the lanes of a path are in, innermost first, as "called in f at X, in g at Y" behind
 * `before`; nothing when they are in none. path: one of the warp's, by which lanes go on. */
void waits_add_callers(const struct simt_warp *warp, const struct simt_path *path, const char *before,
                       struct strbuf *out);
/* Lanes of a warp that stand at pc and may write a word that others poll at `at`. */
struct waits_writer {
    uint32_t warp; /* node */
    uint64_t lanes;
    uint32_t pc, at;
};
/* The next one from warp *from on, which goes on behind it; of each warp one. */
bool waits_next_writer(const struct waits *waits, const struct waits_lock *lock, uint32_t *from,
                       struct waits_writer *writer);
/* The next block, from warp *from on, of which no warp polls the word, where that is a barrier of the grid; false:
 * there is none. *warp: the first one of it. */
bool waits_next_absent(const struct waits *waits, const struct waits_lock *lock, uint32_t *from, uint32_t *warp);
/* Returns true if the hang report says the same of both warps. */
bool waits_alike(const struct waits_warp *a, const struct waits_warp *b);
/* Appends "cycle 12" of the launch, or, in functional mode, "instruction 12". */
void waits_add_time(const struct waits *waits, const struct gpu_run *run, uint64_t when, struct strbuf *out);
/* Appends, behind `before`, who wrote a word that is polled while all writes were noted, or that it did not change;
 * nothing, when that is not known. */
void waits_add_last_writer(const struct waits *waits, const struct gpu_run *run, const struct waits_lock *lock,
                           const char *before, struct strbuf *out);
/* Appends "barrier 3 of 128 threads", "the grid's barrier" or "the cluster's barrier". */
void waits_add_barrier(const struct sm_warp_state *state, struct strbuf *out);
/* Appends how many blocks have ended, run and have not begun; nothing, when all run. */
void waits_add_blocks(const struct waits *waits, struct strbuf *out);
/* True: the host can write the word without a call. */
bool waits_host_writes(const struct gpu_run *run, const struct waits_lock *lock);
/* waits_objects.c: true, the warp waits for its copies (cp.async.wait_group); lanes of it wait for phases of mbarriers, whether
 * suspended or again and again. */
bool waits_for_copies(const struct waits_warp *node);
bool waits_on_object(const struct waits_warp *node);
/* True: both wait for no object, or for the same phases of the same ones. */
bool waits_same_object(const struct waits_warp *a, const struct waits_warp *b);
/* Appends a line for each object that lanes of the warp wait for: what its phase lacks, and where the others are. */
void waits_add_objects(const struct waits *waits, const struct waits_warp *node, struct strbuf *out);
/* waits_registers.c: true if the warp waits for registers of its block. */
bool waits_for_registers(const struct waits_warp *node);
/* Of such a warp: the setmaxnreg at which it waits. */
uint32_t waits_registers_pc(const struct waits_warp *node);
/* False if both wait for registers, and a report would say different things of them. */
bool waits_same_registers(const struct waits_warp *a, const struct waits_warp *b);
/* Appends how many it lacks, and a line of which warps of its block have them, and where each stands. */
void waits_add_registers(const struct waits *waits, const struct waits_warp *node, struct strbuf *out);
/* waits_dot.c: the whole graph, for Graphviz. */
void waits_dot(const struct waits *waits, const struct gpu_run *run, struct strbuf *out);

#endif
