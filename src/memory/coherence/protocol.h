/* Coherence protocols as tables. A *protocol* says, for each side (an L1 data cache, an L2 slice), what happens to a
 * line when something is asked of it: one row for each state and event, with the state that follows and the actions
 * that are taken. The rows are data. One interpreter steps them (coherence_take), and whatever a row does, it does
 * through the actions of an environment: the controller of the simulated cache, or that of a test.
 *
 * There are two kinds. In the simple one an L1 owns nothing, and the state of a line, as an access sees it, is how the
 * cache has the access's bytes (enum cache_presence; l1.c, slice.c). In the other one L1s keep what they have written
 * for a while, and may *register* lines: an L1 is then the only one that performs atomics on the line, and its slice
 * knows it as the owner. There a line's state is one of agent_states.def in an L1 (agent.c), and one of
 * directory_states.def in its slice (directory.c), beside how the slice's tags have it. The same parts make protocols
 * in which L1s have copies for a time (lease.c): that time has passed is an event of both tables.
 *
 * A protocol is one file here and one row in list.def. */
#ifndef LOCKSTEP_MEMORY_COHERENCE_PROTOCOL_H
#define LOCKSTEP_MEMORY_COHERENCE_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/hot.h"
#include "memory/cache.h"

enum l1_event {
#define L1_EVENT(name, words, doc) L1_##name##_EVENT,
#include "memory/coherence/l1_events.def"
#undef L1_EVENT
    L1_EVENTS
};

/* Of each side, its actions by number, and their codes in the list of a row (coherence_row). */
enum l1_action_number {
#define L1_ACTION(name, word, from, to, doc) L1_##name##_NUMBER,
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
    L1_ACTIONS
};

enum l1_action {
#define L1_ACTION(name, word, from, to, doc) L1_##name = 1 + L1_##name##_NUMBER,
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
};

enum l2_event {
#define L2_EVENT(name, words, doc) L2_##name##_EVENT,
#include "memory/coherence/l2_events.def"
#undef L2_EVENT
    L2_EVENTS
};

enum l2_action_number {
#define L2_ACTION(name, word, from, to, doc) L2_##name##_NUMBER,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
    L2_ACTIONS
};

enum l2_action {
#define L2_ACTION(name, word, from, to, doc) L2_##name = 1 + L2_##name##_NUMBER,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
};

enum agent_state {
#define AGENT_STATE(name, letter, doc) AGENT_##name,
#include "memory/coherence/agent_states.def"
#undef AGENT_STATE
    AGENT_STATES
};

enum agent_event {
#define AGENT_EVENT(name, words, doc) AGENT_##name##_EVENT,
#include "memory/coherence/agent_events.def"
#undef AGENT_EVENT
    AGENT_EVENTS
};

enum agent_action_number {
#define AGENT_ACTION(name, word, from, to, doc) AGENT_##name##_NUMBER,
#include "memory/coherence/agent_actions.def"
#undef AGENT_ACTION
    AGENT_ACTIONS
};

enum agent_action {
#define AGENT_ACTION(name, word, from, to, doc) AGENT_DO_##name = 1 + AGENT_##name##_NUMBER,
#include "memory/coherence/agent_actions.def"
#undef AGENT_ACTION
};

enum directory_state {
#define DIRECTORY_STATE(name, letter, doc) DIRECTORY_##name,
#include "memory/coherence/directory_states.def"
#undef DIRECTORY_STATE
    DIRECTORY_STATES
};

enum directory_event {
#define DIRECTORY_EVENT(name, words, doc) DIRECTORY_##name##_EVENT,
#include "memory/coherence/directory_events.def"
#undef DIRECTORY_EVENT
    DIRECTORY_EVENTS
};

enum directory_action_number {
#define DIRECTORY_ACTION(name, word, from, to, doc) DIRECTORY_##name##_NUMBER,
#include "memory/coherence/directory_actions.def"
#undef DIRECTORY_ACTION
    DIRECTORY_ACTIONS
};

enum directory_action {
#define DIRECTORY_ACTION(name, word, from, to, doc) DIRECTORY_DO_##name = 1 + DIRECTORY_##name##_NUMBER,
#include "memory/coherence/directory_actions.def"
#undef DIRECTORY_ACTION
};

enum remote_phase {
#define REMOTE_PHASE(name, words, doc) REMOTE_##name,
#include "memory/coherence/remote_phases.def"
#undef REMOTE_PHASE
    REMOTE_PHASES
};

enum l1_order {
#define L1_ORDER(name, word, doc) L1_##name,
#include "memory/coherence/orders.def"
#undef L1_ORDER
    L1_ORDERS
};

enum l1_order_action_number {
#define L1_ORDER_ACTION(name, word, doc) L1_ORDER_##name##_NUMBER,
#include "memory/coherence/order_actions.def"
#undef L1_ORDER_ACTION
    L1_ORDER_ACTIONS
};

/* Sets of one action each. */
enum l1_order_action {
#define L1_ORDER_ACTION(name, word, doc) L1_ORDER_##name = 1 << L1_ORDER_##name##_NUMBER,
#include "memory/coherence/order_actions.def"
#undef L1_ORDER_ACTION
};

/* Stands for every state: in a row, where the state decides nothing; as the next state, where that is as before or as
 * the cache finds it. */
#define COHERENCE_ANY 12
#define COHERENCE_EVENTS 20 /* of a side, at most */
#define COHERENCE_ROWS 160  /* of a table, at most */

/* A row: in a state, an event has these actions taken, one after the other as they stand here, and then the line is in
 * its next state. actions: a byte each, the first one lowest, eight at most, ended by 0; COHERENCE_DO packs them. */
struct coherence_row {
    uint8_t state, event, next;
    uint64_t actions;
};
/* A ninth action is an array of negative size. */
#define COHERENCE_PACK(a, b, c, d, e, f, g, h, ninth, ...)                                                             \
    (((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | (uint64_t)(e) << 32 |           \
      (uint64_t)(f) << 40 | (uint64_t)(g) << 48 | (uint64_t)(h) << 56) +                                               \
     0 * sizeof(char[(ninth) ? -1 : 1]))
#define COHERENCE_DO(...) COHERENCE_PACK(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

struct coherence_table {
    const struct coherence_row *rows;
    unsigned count;
};

struct coherence_protocol {
    const char *name, *doc;
    struct coherence_table l1;
    const struct coherence_table *l2;
    bool scopeless; /* accesses and fences at the scope of the block are as those at the device's */
    bool probes;    /* its slices send probes of their own: the device has networks for them and the answers */
    uint8_t orders[L1_ORDERS];                         /* sets of enum l1_order_action */
    const struct coherence_registration *registration; /* of a protocol of the second kind, else NULL */
};

/* The parts of a protocol in which L1s keep what they have written. Its `l1` has no rows, and its `l2` says how an
 * access that the directory lets go on uses the tags. */
#define REMOTE_MOST 8
struct coherence_registration {
    const struct coherence_table *agent, *directory;
    /* The phases that a slice goes through for a load, a store and another atomic access at remote scope: enum
     * remote_phase, ended by REMOTE_END; with nothing but that, it is an access at home. */
    uint8_t remote[3][REMOTE_MOST];
    bool rprio; /* lines that are registered are given up last; coherence.replacement says otherwise */
};

/* An L2 that all L1s share and that has the only copy that counts (home.c): for protocols in which L1s own nothing. */
extern const struct coherence_table coherence_home;
/* L1s that register nothing (write_through.c). */
extern const struct coherence_table coherence_write_through;
/* Directories (directory_tables.c): of lines that L1s register; of those that L1s share besides; of those that L1s have
 * for some time; and of lines that nobody registers. */
extern const struct coherence_table coherence_directory, coherence_sharers, coherence_leased, coherence_no_directory;

/* How often the transition of a state and an event was taken. */
struct coherence_counts {
    uint64_t taken[COHERENCE_ANY + 1][COHERENCE_EVENTS];
};

struct coherence_step {
    uint64_t actions;
    uint16_t row; /* its number; COHERENCE_ROWS: there is none */
    uint8_t next;
    bool given; /* the table has a row */
};

/* A state and event that a table has no row for, if one was stepped: for a checker (check/), which goes on to say so.
 */
struct coherence_missing {
    bool any;
    uint8_t state, event; /* of the first */
    const struct coherence_side *side;
};

/* A side with its table laid out for stepping, and how often each row was taken: a device has some dozens of sides, and
 * each launch clears and adds up the counts of all, which for rows are a few of the host's cache lines. */
struct coherence_side {
    uint32_t stateless; /* set of events of which no state decides anything */
    uint32_t reads;     /* set of events whose rows begin as a read of the cache does (coherence_side_init) */
    struct coherence_step steps[COHERENCE_ANY + 1][COHERENCE_EVENTS];
    uint64_t taken[COHERENCE_ROWS + 1]; /* by row */
    const struct coherence_table *table;
    struct coherence_missing *missing; /* NULL but under a checker */
};
_Static_assert(CACHE_PRESENCES <= COHERENCE_ANY && AGENT_STATES <= COHERENCE_ANY && DIRECTORY_STATES <= COHERENCE_ANY,
               "every state has a place");

/* A word of a table, and its meaning. Arrays of them end with {NULL, NULL}. */
struct coherence_word {
    const char *word, *doc;
};

/* An action, and what it has to do with the state of the line. from: letters of the states in which it can be taken;
 * "*": in any. A "?" before them: it can be refused, so it stands before all that cannot. to: letters of the states
 * that can follow in a row that has it; "*": any. "." there stands for a next state that is "as it is". A `to` of
 * letters *brings* its states: what they stand for is done by the action; one that begins with "~" only limits what
 * follows. */
struct coherence_action {
    const char *word, *from, *to, *doc;
};

/* The words of a side's table. */
struct coherence_words {
    const char *side;                    /* "L1" */
    const struct coherence_word *states; /* by state; COHERENCE_ANY has coherence_any */
    const struct coherence_word *events; /* by event */
    unsigned always; /* results list the events below this one always, others where the table has a row for them */
    const struct coherence_action *actions; /* by number; the last one has no word */
    const char *enters; /* letters of the states that a line can enter without an action that brings them */
};
extern const struct coherence_words coherence_l1_words, coherence_l2_words, coherence_agent_words,
    coherence_directory_words;
extern const struct coherence_word coherence_any;
extern const struct coherence_word coherence_orders[L1_ORDERS + 1], coherence_order_actions[L1_ORDER_ACTIONS + 1];
extern const struct coherence_word coherence_phases[REMOTE_PHASES + 1];
static inline const struct coherence_word *coherence_state_word(const struct coherence_words *words, unsigned state)
{
    return state == COHERENCE_ANY ? &coherence_any : &words->states[state];
}
/* The words and the table of a protocol's side: 0 the L1, 1 the L2, 2 the directory; NULL: it has none. */
#define COHERENCE_SIDES 3
const struct coherence_table *coherence_side_of(const struct coherence_protocol *protocol, unsigned side,
                                                const struct coherence_words **words);

/* Finds a protocol by name: NULL or "" name the one that a machine has by default. NULL: there is none of that name. */
const struct coherence_protocol *coherence_find(const char *name);
/* True: registered lines are given up last, by what coherence.replacement says; NULL: as the protocol has it. */
bool coherence_rprio(const struct coherence_protocol *protocol, const char *replacement);
/* All protocols, NULL-terminated. */
const struct coherence_protocol *const *coherence_list(void);
/* Lays a table out, which must be sound. reads: by presence, the action with which cache_read does what the state asks
 * for (use a line that is there, join a fill, request one): an event whose rows begin with just these need not be
 * looked up before. reads may be NULL: states are not presences. */
void coherence_side_init(struct coherence_side *side, const struct coherence_table *table,
                         const struct coherence_words *words, const uint8_t reads[CACHE_PRESENCES]);
/* True: some row of a table has the action. */
bool coherence_table_has(const struct coherence_table *table, unsigned action);
/* True: the slices' directories know until when L1s have their copies (lease.c). */
bool coherence_leases(const struct coherence_protocol *protocol);
/* rows.c: the fault of a row, or NULL: a state, event or action that the side does not have; an action that its state
 * does not allow; or a next state that is not what its actions make of the line. */
const char *coherence_row_fault(const struct coherence_words *words, const struct coherence_row *row);
/* The fault of the first row of a table that has one, or NULL; *row is that row, if it is not NULL. Two rows for a
 * state and an event are a fault of the second one. */
const char *coherence_table_fault(const struct coherence_words *words, const struct coherence_table *table,
                                  const struct coherence_row **row);
/* Adds what was counted. */
void coherence_add_counts(struct coherence_counts *to, const struct coherence_counts *from);
/* Adds what a side has counted since its counts were cleared. */
void coherence_collect(struct coherence_counts *to, const struct coherence_side *side);
void coherence_clear_counts(struct coherence_side *side);
/* True: an event asks for exactly these actions in every state, which is a presence, and leaves it as it is. */
bool coherence_only(const struct coherence_side *side, unsigned event, uint64_t actions);
struct archive;
void coherence_side_archive(struct coherence_side *side, struct archive *ar);

/* The row of a state (COHERENCE_ANY if the event is stateless) and an event, as it is laid out. */
static inline const struct coherence_step *coherence_step_of(const struct coherence_side *side, unsigned state,
                                                             unsigned event)
{
    return &side->steps[state][event];
}

/* True: whatever the state, the row of an event is these actions, and the line as it is. A controller that has a short
 * way for a common row asks this first. */
static inline bool coherence_is(const struct coherence_side *side, unsigned event, uint64_t actions)
{
    const struct coherence_step *step = coherence_step_of(side, COHERENCE_ANY, event);
    return step->actions == actions && step->next == COHERENCE_ANY;
}

/* The set of a row's actions, a bit for each code. */
static inline uint64_t coherence_set(uint64_t actions)
{
    uint64_t set = 0;
    for (; actions; actions >>= 8)
        set |= UINT64_C(1) << (actions & 0xff);
    return set;
}
#define COHERENCE_BIT(action) (UINT64_C(1) << (action))

/* The state of the line of an access to a side's cache: COHERENCE_ANY if the event is stateless; otherwise `line` is
 * set to the line's place. */
HOT_INLINE unsigned coherence_state(const struct coherence_side *side, unsigned event, const struct cache *cache,
                                    uint64_t address, uint32_t bytes, uint32_t *line)
{
    return side->stateless >> event & 1 ? COHERENCE_ANY : cache_find(cache, address, bytes, line);
}

/* The row of a state and an event, which must be there. */
static inline struct coherence_step coherence_row(const struct coherence_side *side, unsigned state, unsigned event)
{
    const struct coherence_step step = side->steps[state][event];
    if (!step.given && side->missing && !side->missing->any)
        *side->missing = (struct coherence_missing){true, (uint8_t)state, (uint8_t)event, side};
    contract(step.given || side->missing);
    return step;
}

static inline void coherence_count(struct coherence_side *side, unsigned state, unsigned event)
{
    side->taken[side->steps[state][event].row]++;
}

/* Takes actions, one after the other as they stand in their row. False: one of them was refused, before which only
 * others that can be refused have been taken; the whole row is tried again later. This is the only place that goes
 * through a row. */
HOT_INLINE bool coherence_run(uint64_t actions, bool (*take)(void *environment, unsigned action), void *environment)
{
    for (; actions; actions >>= 8)
        if (!take(environment, (unsigned)(actions & 0xff)))
            return false;
    return true;
}

/* Steps a line: its row's actions are taken, then it enters the row's next state. False: refused, as by coherence_run.
 */
HOT_INLINE bool coherence_take(struct coherence_side *side, unsigned state, unsigned event,
                               bool (*take)(void *environment, unsigned action),
                               void (*enter)(void *environment, unsigned next), void *environment)
{
    const struct coherence_step step = *coherence_step_of(side, state, event);
    if (!coherence_run(step.actions, take, environment))
        return false;
    enter(environment, step.next);
    coherence_count(side, state, event);
    return true;
}

#endif
