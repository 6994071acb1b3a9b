/* The state that the checker explores, laid out for running: agents, a directory with its memory, what is under way
 * between them, and threads. One world is kept, and takes the form of one state after another (pack.c).
 *
 * Addresses: line l lies at world_address(w, l), and is divided into *words* of some bytes each (struct world_layout),
 * which are what threads access. A *place* is a word of a line: line * WORLD_WORDS + word. Values are below 256: a
 * guard or a counter is a number of that value, and in every other word all bytes have it, so that none can be lost
 * unseen. */
#ifndef LOCKSTEP_CHECK_WORLD_H
#define LOCKSTEP_CHECK_WORLD_H

#include <string.h>

#include "check/checker.h"
#include "memory/agent.h"
#include "memory/directory.h"
#include "memory/order.h"

#define WORLD_WORDS 4u       /* of a line, at most */
#define WORLD_LINE_BYTES 32u /* at most */
#define WORLD_PLACES (CHECKER_LINES * WORLD_WORDS)
#define WORLD_THREADS 8u
#define WORLD_PACKETS 24u /* of an agent or the directory */
#define WORLD_REPLIES 32u
#define WORLD_NONE 0xffu
#define WORLD_AWAY 0xfeu
#define WORLD_GRANTS 256u /* registrations before a state is run: above the numbers that pack.c gives them */

/* Threads. A thread may take a *guard*, and then has the data that it guards to itself until it gives the guard away:
 * so a program has no races, and each plain load has one value that it may see. */
enum world_stage {
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
enum world_phase {
    PHASE_READY, /* no access under way but loads and stores that the thread does not wait for */
    PHASE_NEXT,  /* the access is to issue when the L1's door is free */
    PHASE_WAIT,  /* for its own earlier accesses, before a release or fence */
    PHASE_FLUSH, /* for the L1's flush */
    PHASE_TRY,   /* at the L1's door */
    PHASE_OUT    /* for the answer */
};
enum world_op { OP_LOAD, OP_STORE, OP_SYNC_LOAD, OP_SYNC_STORE, OP_RMW, OP_FENCE };
struct world_access {
    uint8_t op, place;
    bool pair;            /* of this place and the next one */
    uint8_t order, scope; /* ISA_ORDER_*, ISA_SCOPE_* */
    uint8_t atomic;       /* ISA_ATOMIC_* */
    uint8_t value, compare;
};
struct world_thread {
    uint8_t stage, phase, guard, manner; /* manner: of giving, remembered over its fence */
    uint8_t next;                        /* whose turn it becomes */
    struct world_access access;          /* unless READY */
    uint8_t load_place, load_values[2];  /* a plain load under way, and what it must see; place WORLD_NONE: none */
    bool load_pair;                      /* it is of two places */
    uint8_t stores_out;                  /* ordered stores that are not acknowledged */
    uint8_t load_era, era;               /* of its block (memory/block_order.h): of the plain load, and of `access` */
    uint8_t ticket;                      /* of a guard that has them */
    uint8_t left;                        /* accesses */
    struct order_wait wait;              /* WAIT, FLUSH */
};

/* How a guard is taken and given: enum world_manner, as sets in struct world_role. */
enum world_manner {
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
    DATA_PAIRS, /* two words at a time (struct world_program: pairs) */
    WORLD_MANNERS
};
#define MANNER(name) (1u << (name))

struct world_role {
    uint8_t cache, turn;             /* turn: the guard's value when it is this thread's */
    uint32_t manners;                /* set of enum world_manner */
    uint32_t guards;                 /* set: those that it takes */
    uint32_t counters;               /* set of places */
    uint32_t own;                    /* set of places that it alone accesses, plainly */
    uint32_t gives;                  /* set of guards that it gives; 0: the one that it has taken */
    uint32_t fails;                  /* set of places: compare-and-swaps, at the scope fail_scope, that never succeed */
    uint8_t scope;                   /* of its accesses of guards, or 0: the manners say it */
    uint8_t fail_scope, fence_scope; /* fence_scope: of FENCE_ALONE, 0: the device's */
};
struct world_guard {
    uint8_t place;
    bool turns;      /* its value says whose turn it is; else it is a lock: 0 free, 1 held */
    uint8_t tickets; /* 1 + the place where tickets are drawn: its value says whose turn it is; or 0 */
    uint8_t scope;   /* of its accesses, or 0: the roles or manners say it */
    uint32_t data;   /* set of places */
};
/* How lines are divided: words without gaps. */
struct world_layout {
    uint8_t words, bytes; /* of a line: a power of two */
    struct world_word {
        uint8_t at, bytes;
    } word[WORLD_WORDS];
};
/* The threads of a world and their steps. */
struct world_program {
    struct world_layout layout;
    uint32_t numbers; /* set of places: guards and counters */
    struct world_role roles[WORLD_THREADS];
    struct world_guard guards[CHECKER_LINES];
    uint32_t threads, guard_count;
    uint32_t pairs; /* set of places that are accessed together with the next one */
    bool patient;   /* to look at a guard in vain counts for no access */
    bool relay;     /* all guards are locks of the same data: who has taken one frees that which it gives */
    bool caches_alike, lines_alike; /* any permutation of them is the same program */
    uint8_t kernels;                /* that follow each other, 0 for one: in each, a thread has the next one's words */
};

struct world {
    const struct checker_setup *setup;
    struct world_program program;

    struct agent agents[CHECKER_CACHES];
    struct packet_pool pools[CHECKER_CACHES];
    union message *packets[CHECKER_CACHES + 1]; /* WORLD_PACKETS each; the last are the directory's */
    struct packet_ring requests[CHECKER_CACHES], answers[CHECKER_CACHES];
    struct world_leases {
        uint32_t live, granted; /* sets of places of lines: whose lease is not over; and has been granted */
    } leases[CHECKER_CACHES];
    struct cache_stats cache_stats;
    struct packet_list probes[CHECKER_CACHES]; /* on their way to an L1, in order */
    struct packet *replies[WORLD_REPLIES];     /* on their way, in any order */
    uint32_t reply_count;
    struct packet *served; /* the access at remote scope whose answer is not there yet, or NULL */

    struct directory directory;
    struct packet_list front;                         /* accesses whose wait in the directory is over */
    unsigned asker;                                   /* the L1 whose access the directory has */
    uint8_t memory[CHECKER_LINES][PACKET_LINE_BYTES]; /* a line's bytes lie at their offset from a multiple of 128 */
    uint8_t tags[CHECKER_LINES];                      /* lines in the L2, the one that was used longest ago first */
    uint32_t tag_count, held;                         /* held: set of lines */

    struct world_thread threads[WORLD_THREADS];
    struct block_order blocks[CHECKER_CACHES]; /* the threads of an L1 are a block */
    uint8_t kernel;                            /* which one runs */
    bool ending;                               /* its threads have ended, and what L1s have written leaves them */
    uint8_t truth[WORLD_PLACES];               /* what data and counters have come to */
    uint8_t holder[CHECKER_LINES]; /* of a guard: the thread, WORLD_NONE, or WORLD_AWAY: another guard is given */

    struct coherence_missing missing;
    bool wrong;
    struct strbuf fault;
    struct strbuf *story;              /* what an event did is told here, or NULL */
    const uint8_t *names, *line_names; /* of caches, and threads alike, and of lines in the story */
    struct arena arena;
};

/* programs.c: lays the setup's program out. Returns 0, or -1 with a diagnostic. */
/* True: the protocol has accesses at remote scope reach what others did at the scope of their blocks. */
bool world_promotes(const struct coherence_protocol *protocol);
int world_program_of(const struct checker_setup *setup, struct world_program *program, struct diag_sink *sink);

/* True: the name is of a generated program, whose number this is. */
bool world_is_generated(const char *name, uint64_t *number);
/* generate.c: lays out the generated program of a number. False: its rows go not together, or find no place. */
bool world_generate(const struct checker_setup *setup, uint64_t number, struct world_program *program);

/* world.c: a world in its first state. */
void world_init(struct world *w, const struct checker_setup *setup, const struct world_program *program);
void world_free(struct world *w);
/* No agent, thread or message: for pack.c. */
void world_clear(struct world *w);
/* A new packet of an L1, or of the directory: CHECKER_CACHES. */
struct packet *world_packet(struct world *w, unsigned owner, unsigned kind);
/* A fault, the first of which counts. */
void world_fault(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The story of the event goes on. */
void world_tell(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A message in words, for the story. */
void world_tell_packet(struct world *w, const struct packet *p);
static inline const struct world_word *world_word_of(const struct world *w, unsigned place)
{
    return &w->program.layout.word[place % WORLD_WORDS];
}
/* Each line lies in 128 bytes of its own, in such a way that neighbours are in different sets of an L1. */
static inline uint64_t world_address(const struct world *w, unsigned line)
{
    unsigned set = line & (w->setup->sets - 1);
    return (uint64_t)PACKET_LINE_BYTES * (line + 1) + set * w->program.layout.bytes;
}
static inline uint64_t world_place_address(const struct world *w, unsigned place)
{
    return world_address(w, place / WORLD_WORDS) + world_word_of(w, place)->at;
}
/* The offset of a place in the 128 bytes. */
static inline unsigned world_offset(const struct world *w, unsigned place)
{
    return (unsigned)(world_place_address(w, place) % PACKET_LINE_BYTES);
}
static inline unsigned world_bytes(const struct world *w, unsigned place, bool pair)
{
    return world_word_of(w, place)->bytes + (pair ? world_word_of(w, place + 1)->bytes : 0);
}
/* The place of an address, which is a word's first one. */
static inline unsigned world_place_of(const struct world *w, uint64_t address)
{
    unsigned line = (unsigned)(address / PACKET_LINE_BYTES) - 1, word = 0;
    while (word + 1 < w->program.layout.words && world_place_address(w, line * WORLD_WORDS + word) != address)
        word++;
    return line * WORLD_WORDS + word;
}
/* A value as a place has it, in its low bytes. */
static inline uint64_t world_encode(const struct world *w, unsigned place, uint8_t value)
{
    unsigned bytes = world_word_of(w, place)->bytes;
    uint64_t all = value * UINT64_C(0x0101010101010101);
    return w->program.numbers >> place & 1 ? value : bytes < 8 ? all & ((UINT64_C(1) << 8 * bytes) - 1) : all;
}
/* Writes a value to its place in a line's 128 bytes. */
static inline void world_put(const struct world *w, unsigned place, uint8_t value, uint8_t *line)
{
    unsigned at = world_offset(w, place), bytes = world_word_of(w, place)->bytes;
    bool number = w->program.numbers >> place & 1;
    memset(line + at, number ? 0 : value, bytes);
    line[at] = value;
}
static inline uint32_t world_line_of(uint64_t address)
{
    return (uint32_t)(address / PACKET_LINE_BYTES) - 1;
}
static inline uint32_t world_slice_of(const struct world *w, uint64_t address)
{
    return world_line_of(address) % w->setup->slices;
}
static inline unsigned world_name(const struct world *w, unsigned cache)
{
    return w->names ? w->names[cache] : cache;
}
static inline unsigned world_thread_name(const struct world *w, unsigned thread)
{
    return w->names && w->program.caches_alike ? w->names[thread] : thread;
}
static inline unsigned world_line_name(const struct world *w, unsigned line)
{
    return w->line_names ? w->line_names[line] : line;
}

/* The lease of a line, by its place in the L1, can end: there is a copy, or a fill under way, that ends with it. */
static inline bool world_has_lease(const struct world *w, unsigned cache, uint32_t place)
{
    const struct agent *a = &w->agents[cache];
    return w->leases[cache].live >> place & 1 && a->side.steps[a->lines[place].state][AGENT_TIME_PASSED_EVENT].given;
}

/* It can end, and has been granted: the slice's lease ends later. */
static inline bool world_is_granted(const struct world *w, unsigned cache, uint32_t place)
{
    return w->leases[cache].granted >> place & 1 && world_has_lease(w, cache, place);
}

/* events.c: what can happen in a state. */
#define WORLD_EVENTS 192u
typedef uint16_t world_event;
/* All events, the internal ones first: those that go on with what was begun. Returns how many. */
unsigned world_events(struct world *w, world_event events[WORLD_EVENTS], unsigned *internal);
void world_run(struct world *w, world_event event);

/* threads.c */
/* The counters and own words of a thread in the present kernel. */
const struct world_role *world_places(const struct world *w, unsigned thread);
/* Choices of a thread that is ready; and whether one that is not can go on by itself. */
unsigned world_choices(const struct world *w, unsigned thread);
bool world_can_step(const struct world *w, unsigned thread);
void world_choose(struct world *w, unsigned thread, unsigned choice);
void world_step(struct world *w, unsigned thread);
/* The order that a release or fence waits for. */
enum l1_order world_order(const struct world_access *release);
/* True: its access has issued, and is among those of its block that are out. */
bool world_is_out(const struct world_thread *t);
/* Its access is answered, with what it read. */
void world_answer(struct world *w, const struct packet *p);
/* A plain load has its line. */
void world_loaded(struct world *w, unsigned thread, const uint8_t *line);

/* kernels.c: the threads may end; what L1s have written leaves one of them; all has left, so that the host may read and
 * write, and the next kernel begins. */
bool world_may_end(const struct world *w);
void world_end(struct world *w);
bool world_may_empty(const struct world *w, unsigned cache);
void world_empty(struct world *w, unsigned cache);
bool world_may_begin(const struct world *w);
void world_begin(struct world *w);

/* invariants.c: what must hold in every state; and in those in which nothing is under way. */
void world_check(struct world *w);
bool world_is_quiet(const struct world *w);
/* No access is under way, nor the end of a kernel. */
bool world_is_done(const struct world *w);

/* pack.c: a state as bytes. */
#define WORLD_BYTES 2048u
/* The canonical form: of all that differ by names alone, one. caches, lines: the names that they have in it, by their
 * present ones. Returns how many bytes. It is a fault if the bytes of a word are apart somewhere: some of them valid,
 * written or sent without the others, or of different values. */
uint32_t world_pack(struct world *w, uint8_t bytes[WORLD_BYTES], uint8_t caches[CHECKER_CACHES],
                    uint8_t lines[CHECKER_LINES]);
void world_unpack(struct world *w, const uint8_t *bytes);

#endif
