/* The state that the checker explores, laid out for running: agents, a directory with its memory, what is under way
 * between them, and threads. One model is kept, and takes the form of one state after another (pack.c).
 *
 * Addresses: line l lies at model_address(w, l), and is divided into *words* of some bytes each (struct model_layout),
 * which are what threads access. A *place* is a word of a line: line * MODEL_WORDS + word. Values are below 256: a
 * guard or a counter is a number of that value, and in every other word all bytes have it, so that none can be lost
 * unseen. */
#ifndef LOCKSTEP_CHECK_MODEL_H
#define LOCKSTEP_CHECK_MODEL_H

#include <string.h>

#include "check/checker.h"
#include "memory/agent.h"
#include "memory/directory.h"
#include "memory/order.h"

#define MODEL_WORDS 4u       /* of a line, at most */
#define MODEL_LINE_BYTES 32u /* at most */
#define MODEL_PLACES (CHECKER_LINES * MODEL_WORDS)
#define MODEL_THREADS 8u
#define MODEL_PACKETS 24u /* of an agent or the directory */
#define MODEL_REPLIES 32u
#define MODEL_NONE 0xffu
#define MODEL_AWAY 0xfeu
#define MODEL_GRANTS 256u /* registrations before a state is run: above the numbers that pack.c gives them */

/* Threads. A thread may take a *guard*, and then has the data that it guards to itself until it gives the guard away:
 * so a program has no races, and each plain load has one value that it may see. */
enum model_stage {
    STAGE_IDLE,
    STAGE_DRAWING,     /* an atomic that draws a ticket */
    STAGE_TICKET,      /* has a ticket, and sees whether its turn has come */
    STAGE_TAKING,      /* an access of the guard that may take it */
    STAGE_TAKEN_FENCE, /* the guard is taken; a fence follows */
    STAGE_HELD,
    STAGE_GIVING_FENCE, /* a fence, then the guard is given away */
    STAGE_GIVING,
    STAGE_OTHER /* an access that has to do with no guard */
};
enum model_phase {
    PHASE_READY, /* no access under way but loads and stores that the thread does not wait for */
    PHASE_NEXT,  /* the access is to issue when the L1's door is free */
    PHASE_WAIT,  /* for its own earlier accesses, before a release or fence */
    PHASE_FLUSH, /* for the L1's flush */
    PHASE_TRY,   /* at the L1's door */
    PHASE_OUT    /* for the answer */
};
enum model_op { OP_LOAD, OP_STORE, OP_SYNC_LOAD, OP_SYNC_STORE, OP_RMW, OP_FENCE };
struct model_access {
    uint8_t op, place;
    bool pair;            /* of this place and the next one */
    uint8_t order, scope; /* ISA_ORDER_*, ISA_SCOPE_* */
    uint8_t atomic;       /* ISA_ATOMIC_* */
    uint8_t value, compare;
};
struct model_thread {
    uint8_t stage, phase, guard, manner; /* manner: of giving, remembered over its fence */
    uint8_t next;                        /* whose turn it becomes */
    struct model_access access;          /* unless READY */
    uint8_t load_place, load_values[2];  /* a plain load under way, and what it must see; place MODEL_NONE: none */
    bool load_pair;                      /* it is of two places */
    uint8_t stores_out;                  /* ordered stores that are not acknowledged */
    uint8_t load_epoch, epoch;           /* of its block (memory/block_order.h): of the plain load, and of `access` */
    uint8_t ticket;                      /* of a guard that has them */
    uint8_t left;                        /* accesses */
    struct order_wait wait;              /* WAIT, FLUSH */
};

/* How a guard is taken and given: enum model_manner, as sets in struct model_role. */
enum model_manner {
    TAKE_LOAD,       /* an acquiring load */
    TAKE_RMW,        /* an atomic that acquires and releases */
    TAKE_LOAD_FENCE, /* a relaxed load, then a fence */
    TAKE_RMW_FENCE,  /* a relaxed atomic, then a fence */
    TAKE_LOAD_BLOCK, /* at the scope of the block */
    TAKE_RMW_BLOCK,
    TAKE_LOAD_REMOTE, /* at remote scope */
    TAKE_RMW_REMOTE,
    GIVE_STORE, /* a releasing store */
    GIVE_RMW,
    GIVE_FENCE_STORE, /* a fence, then a relaxed store */
    GIVE_FENCE_RMW,
    GIVE_STORE_BLOCK,
    GIVE_RMW_BLOCK,
    GIVE_STORE_REMOTE,
    GIVE_RMW_REMOTE,
    COUNT_RELAXED, /* increments of a counter */
    COUNT_ORDERED,
    COUNT_BLOCK,
    COUNT_REMOTE,
    FENCE_ALONE,
    DATA_ATOMIC, /* what a guard guards is accessed by atomics, too */
    DATA_BLOCK,  /* by atomics at the scope of the block */
    DATA_FAILS,  /* by compare-and-swaps that fail */
    DATA_BLOCK_FAILS,
    DATA_PAIRS, /* two words at a time (struct model_program: pairs) */
    MODEL_MANNERS
};
#define MANNER(name) (1u << (name))

struct model_role {
    uint8_t cache, turn;             /* turn: the guard's value when it is this thread's */
    uint32_t manners;                /* set of enum model_manner */
    uint32_t guards;                 /* set: those that it takes */
    uint32_t counters;               /* set of places */
    uint32_t own;                    /* set of places that it alone accesses, plainly */
    uint32_t gives;                  /* set of guards that it gives; 0: the one that it has taken */
    uint32_t fails;                  /* set of places: compare-and-swaps, at the scope fail_scope, that never succeed */
    uint8_t scope;                   /* of its accesses of guards, or 0: the manners say it */
    uint8_t fail_scope, fence_scope; /* fence_scope: of FENCE_ALONE, 0: the device's */
};
struct model_guard {
    uint8_t place;
    bool turns;      /* its value says whose turn it is; else it is a lock: 0 free, 1 held */
    uint8_t tickets; /* 1 + the place where tickets are drawn: its value says whose turn it is; or 0 */
    uint8_t scope;   /* of its accesses, or 0: the roles or manners say it */
    uint32_t data;   /* set of places */
};
/* How lines are divided: words without gaps. */
struct model_layout {
    uint8_t words, bytes; /* of a line: a power of two */
    struct model_word {
        uint8_t at, bytes;
    } word[MODEL_WORDS];
};
/* The threads of a model and their steps. */
struct model_program {
    struct model_layout layout;
    uint32_t numbers; /* set of places: guards and counters */
    struct model_role roles[MODEL_THREADS];
    struct model_guard guards[CHECKER_LINES];
    uint32_t threads, guard_count;
    uint32_t pairs; /* set of places that are accessed together with the next one */
    bool patient;   /* to look at a guard in vain counts for no access */
    bool relay;     /* all guards are locks of the same data: who has taken one frees that which it gives */
    bool caches_alike, lines_alike; /* any permutation of them is the same program */
    uint8_t kernels;                /* that follow each other, 0 for one: in each, a thread has the next one's words */
};

struct model {
    const struct checker_setup *setup;
    struct model_program program;

    struct agent agents[CHECKER_CACHES];
    struct packet_pool pools[CHECKER_CACHES];
    union message *packets[CHECKER_CACHES + 1]; /* MODEL_PACKETS each; the last are the directory's */
    struct packet_ring requests[CHECKER_CACHES], answers[CHECKER_CACHES];
    struct model_leases {
        uint32_t live, granted; /* sets of places of lines: whose lease is not over; and has been granted */
    } leases[CHECKER_CACHES];
    struct cache_stats cache_stats;
    struct packet_list probes[CHECKER_CACHES]; /* on their way to an L1, in order */
    struct packet *replies[MODEL_REPLIES];     /* on their way, in any order */
    uint32_t reply_count;
    struct packet *served; /* the access at remote scope whose answer is not there yet, or NULL */

    struct directory directory;
    struct packet_list front;                         /* accesses whose wait in the directory is over */
    unsigned asker;                                   /* the L1 whose access the directory has */
    uint8_t memory[CHECKER_LINES][PACKET_LINE_BYTES]; /* a line's bytes lie at their offset from a multiple of 128 */
    uint8_t tags[CHECKER_LINES];                      /* lines in the L2, the one that was used longest ago first */
    uint32_t tag_count, held;                         /* held: set of lines */

    struct model_thread threads[MODEL_THREADS];
    struct block_order blocks[CHECKER_CACHES]; /* the threads of an L1 are a block */
    uint8_t kernel;                            /* which one runs */
    bool ending;                               /* its threads have ended, and what L1s have written leaves them */
    uint8_t truth[MODEL_PLACES];               /* what data and counters have come to */
    uint8_t holder[CHECKER_LINES]; /* of a guard: the thread, MODEL_NONE, or MODEL_AWAY: another guard is given */

    struct coherence_missing missing;
    bool wrong;
    struct strbuf fault;
    struct strbuf *story;              /* what an event did is told here, or NULL */
    const uint8_t *names, *line_names; /* of caches, and threads alike, and of lines in the story */
    struct arena arena;
};

/* programs.c: lays the setup's program out. Returns 0, or -1 with a diagnostic. */
/* True: the protocol has accesses at remote scope reach what others did at the scope of their blocks. */
bool model_promotes(const struct coherence_protocol *protocol);
int model_program_of(const struct checker_setup *setup, struct model_program *program, struct diag_sink *sink);

/* True: the name is of a generated program, whose number this is. */
bool model_is_generated(const char *name, uint64_t *number);
/* generate.c: lays out the generated program of a number. False: its rows go not together, or find no place. */
bool model_generate(const struct checker_setup *setup, uint64_t number, struct model_program *program);

/* model.c: a model in its first state. */
void model_init(struct model *w, const struct checker_setup *setup, const struct model_program *program);
void model_free(struct model *w);
/* No agent, thread or message: for pack.c. */
void model_clear(struct model *w);
/* A new packet of an L1, or of the directory: CHECKER_CACHES. */
struct packet *model_packet(struct model *w, unsigned owner, unsigned kind);
/* A fault, the first of which counts. */
void model_fault(struct model *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The story of the event goes on. */
void model_tell(struct model *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A message in words, for the story. */
void model_tell_packet(struct model *w, const struct packet *p);
static inline const struct model_word *model_word_of(const struct model *w, unsigned place)
{
    return &w->program.layout.word[place % MODEL_WORDS];
}
/* Each line lies in 128 bytes of its own, in such a way that neighbours are in different sets of an L1. */
static inline uint64_t model_address(const struct model *w, unsigned line)
{
    unsigned set = line & (w->setup->sets - 1);
    return (uint64_t)PACKET_LINE_BYTES * (line + 1) + set * w->program.layout.bytes;
}
static inline uint64_t model_place_address(const struct model *w, unsigned place)
{
    return model_address(w, place / MODEL_WORDS) + model_word_of(w, place)->at;
}
/* The offset of a place in the 128 bytes. */
static inline unsigned model_offset(const struct model *w, unsigned place)
{
    return (unsigned)(model_place_address(w, place) % PACKET_LINE_BYTES);
}
static inline unsigned model_bytes(const struct model *w, unsigned place, bool pair)
{
    return model_word_of(w, place)->bytes + (pair ? model_word_of(w, place + 1)->bytes : 0);
}
/* The place of an address, which is a word's first one. */
static inline unsigned model_place_of(const struct model *w, uint64_t address)
{
    unsigned line = (unsigned)(address / PACKET_LINE_BYTES) - 1, word = 0;
    while (word + 1 < w->program.layout.words && model_place_address(w, line * MODEL_WORDS + word) != address)
        word++;
    return line * MODEL_WORDS + word;
}
/* A value as a place has it, in its low bytes. */
static inline uint64_t model_encode(const struct model *w, unsigned place, uint8_t value)
{
    unsigned bytes = model_word_of(w, place)->bytes;
    uint64_t all = value * UINT64_C(0x0101010101010101);
    return w->program.numbers >> place & 1 ? value : bytes < 8 ? all & ((UINT64_C(1) << 8 * bytes) - 1) : all;
}
/* Writes a value to its place in a line's 128 bytes. */
static inline void model_put(const struct model *w, unsigned place, uint8_t value, uint8_t *line)
{
    unsigned at = model_offset(w, place), bytes = model_word_of(w, place)->bytes;
    bool number = w->program.numbers >> place & 1;
    memset(line + at, number ? 0 : value, bytes);
    line[at] = value;
}
static inline uint32_t model_line_of(uint64_t address)
{
    return (uint32_t)(address / PACKET_LINE_BYTES) - 1;
}
static inline uint32_t model_slice_of(const struct model *w, uint64_t address)
{
    return model_line_of(address) % w->setup->slices;
}
static inline unsigned model_name(const struct model *w, unsigned cache)
{
    return w->names ? w->names[cache] : cache;
}
static inline unsigned model_thread_name(const struct model *w, unsigned thread)
{
    return w->names && w->program.caches_alike ? w->names[thread] : thread;
}
static inline unsigned model_line_name(const struct model *w, unsigned line)
{
    return w->line_names ? w->line_names[line] : line;
}

/* The lease of a line, by its place in the L1, can end: there is a copy, or a fill under way, that ends with it. */
static inline bool model_has_lease(const struct model *w, unsigned cache, uint32_t place)
{
    const struct agent *a = &w->agents[cache];
    return w->leases[cache].live >> place & 1 && a->side.steps[a->lines[place].state][AGENT_TIME_PASSED_EVENT].given;
}

/* It can end, and has been granted: the slice's lease ends later. */
static inline bool model_is_granted(const struct model *w, unsigned cache, uint32_t place)
{
    return w->leases[cache].granted >> place & 1 && model_has_lease(w, cache, place);
}

/* events.c: what can happen in a state. */
#define MODEL_EVENTS 192u
typedef uint16_t model_event;
/* All events, the internal ones first: those that go on with what was begun. Returns how many. */
unsigned model_events(struct model *w, model_event events[MODEL_EVENTS], unsigned *internal);
void model_run(struct model *w, model_event event);

/* threads.c */
/* The counters and own words of a thread in the present kernel. */
const struct model_role *model_places(const struct model *w, unsigned thread);
/* Choices of a thread that is ready; and whether one that is not can go on by itself. */
unsigned model_choices(const struct model *w, unsigned thread);
bool model_can_step(const struct model *w, unsigned thread);
void model_choose(struct model *w, unsigned thread, unsigned choice);
void model_step(struct model *w, unsigned thread);
/* The order that a release or fence waits for. */
enum l1_order model_order(const struct model_access *release);
/* True: its access has issued, and is among those of its block that are out. */
bool model_is_out(const struct model_thread *t);
/* Its access is answered, with what it read. */
void model_answer(struct model *w, const struct packet *p);
/* A plain load has its line. */
void model_loaded(struct model *w, unsigned thread, const uint8_t *line);

/* kernels.c: the threads may end; what L1s have written leaves one of them; all has left, so that the host may read and
 * write, and the next kernel begins. */
bool model_may_end(const struct model *w);
void model_end(struct model *w);
bool model_may_empty(const struct model *w, unsigned cache);
void model_empty(struct model *w, unsigned cache);
bool model_may_begin(const struct model *w);
void model_begin(struct model *w);

/* invariants.c: what must hold in every state; and in those in which nothing is under way. */
void model_check(struct model *w);
bool model_is_quiet(const struct model *w);
/* No access is under way, nor the end of a kernel. */
bool model_is_done(const struct model *w);

/* pack.c: a state as bytes. */
#define MODEL_BYTES 2048u
/* The canonical form: of all that differ by names alone, one. caches, lines: the names that they have in it, by their
 * present ones. Returns how many bytes. It is a fault if the bytes of a word are apart somewhere: some of them valid,
 * written or sent without the others, or of different values. */
uint32_t model_pack(struct model *w, uint8_t bytes[MODEL_BYTES], uint8_t caches[CHECKER_CACHES],
                    uint8_t lines[CHECKER_LINES]);
void model_unpack(struct model *w, const uint8_t *bytes);

#endif
