/* Coherence protocols as tables. A *protocol* says, for each side (an L1 data cache, an L2 slice), what happens to a
 * line when something is asked of it: one row for each state and event, with the state that follows and the actions
 * that are taken. The rows are data. One interpreter steps them (coherence_take), and whatever a row does, it does
 * through the actions of an environment: the controller of the simulated cache (l1.c, slice.c), or that of a test.
 *
 * The state of a line, as an access sees it, is how the cache has the access's bytes (enum cache_presence).
 *
 * A protocol is one file here and one row in list.def. */
#ifndef LOCKSTEP_MEMORY_COHERENCE_PROTOCOL_H
#define LOCKSTEP_MEMORY_COHERENCE_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "memory/cache.h"

enum l1_event {
#define L1_EVENT(name, words, doc) L1_##name##_EVENT,
#include "memory/coherence/l1_events.def"
#undef L1_EVENT
    L1_EVENTS
};

enum l1_action_number {
#define L1_ACTION(name, word, doc) L1_##name##_ACTION,
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
    L1_ACTIONS
};

/* Sets of one action each. */
enum l1_action {
#define L1_ACTION(name, word, doc) L1_##name = 1 << L1_##name##_ACTION,
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
#define L2_ACTION(name, word, doc) L2_##name##_ACTION,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
    L2_ACTIONS
};

enum l2_action {
#define L2_ACTION(name, word, doc) L2_##name = 1 << L2_##name##_ACTION,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
};

enum l1_order {
#define L1_ORDER(name, word, doc) L1_##name,
#include "memory/coherence/orders.def"
#undef L1_ORDER
    L1_ORDERS
};

enum l1_order_action {
#define L1_ORDER_ACTION(name, word, doc) L1_ORDER_##name,
#include "memory/coherence/order_actions.def"
#undef L1_ORDER_ACTION
    L1_ORDER_ACTIONS
};

/* Stands for every state: in a row, where the state decides nothing; as the next state, where that is as before or as
 * the cache finds it. */
#define COHERENCE_ANY CACHE_PRESENCES
#define COHERENCE_EVENTS 16 /* of a side, at most */

struct coherence_row {
    uint8_t state, event, next;
    uint32_t
        actions; /* set: they are taken in the order of their list, in which those that can be refused come first */
};

struct coherence_table {
    const struct coherence_row *rows;
    unsigned count;
};

struct coherence_protocol {
    const char *name, *doc;
    struct coherence_table l1;
    const struct coherence_table *l2;
    uint8_t orders[L1_ORDERS]; /* enum l1_order_action */
    bool probes; /* its slices send probes of their own: the device has networks for them and the answers */
};

/* An L2 that all L1s share and that has the only copy that counts (home.c): for protocols in which L1s own nothing. */
extern const struct coherence_table coherence_home;

/* How often the transition of a state and an event was taken. */
struct coherence_counts {
    uint64_t taken[COHERENCE_ANY + 1][COHERENCE_EVENTS];
};

struct coherence_step {
    uint32_t actions;
    uint8_t next;
};

/* A side with its table laid out for stepping, and how often each transition was taken. */
struct coherence_side {
    uint32_t stateless; /* set of events of which no state decides anything */
    uint32_t reads;     /* set of events whose rows begin as a read of the cache does (coherence_side_init) */
    struct coherence_step steps[COHERENCE_ANY + 1][COHERENCE_EVENTS];
    struct coherence_counts counts;
};

/* A word of a table, and its meaning. Arrays of them end with {NULL, NULL}. */
struct coherence_word {
    const char *word, *doc;
};

/* The words of a side's table. */
struct coherence_words {
    const char *side;                     /* "L1" */
    const struct coherence_word *events;  /* by event */
    const struct coherence_word *actions; /* by number */
};
extern const struct coherence_words coherence_l1_words, coherence_l2_words;
extern const struct coherence_word coherence_states[COHERENCE_ANY + 2];
extern const struct coherence_word coherence_orders[L1_ORDERS + 1], coherence_order_actions[L1_ORDER_ACTIONS + 1];

/* Finds a protocol by name: NULL or "" name the one that a machine has by default. NULL: there is none of that name. */
const struct coherence_protocol *coherence_find(const char *name);
/* All protocols, NULL-terminated. */
const struct coherence_protocol *const *coherence_list(void);
/* Lays a table out. reads: by presence, the action with which cache_read does what the state asks for (use a line that
 * is there, join a fill, request one): an event whose rows have just these, of those that can be refused (firsts), need
 * not be looked up before. */
void coherence_side_init(struct coherence_side *side, const struct coherence_table *table,
                         const uint32_t reads[CACHE_PRESENCES], uint32_t firsts);
/* True: some row of a table has one of the actions. */
bool coherence_table_has(const struct coherence_table *table, uint32_t actions);
/* Adds what was counted. */
void coherence_add_counts(struct coherence_counts *to, const struct coherence_counts *from);
/* True: an event asks for exactly these actions in every state. */
bool coherence_only(const struct coherence_side *side, unsigned event, uint32_t actions);
struct archive;
void coherence_side_archive(struct coherence_side *side, struct archive *ar);

/* The actions that a state (COHERENCE_ANY if the event is stateless) and an event ask for. */
static inline uint32_t coherence_actions(const struct coherence_side *side, unsigned state, unsigned event)
{
    return side->steps[state][event].actions;
}

/* The state of the line of an access to a side's cache: COHERENCE_ANY if the event is stateless; otherwise `line` is
 * set to the line's place. */
HOT_INLINE unsigned coherence_state(const struct coherence_side *side, unsigned event, const struct cache *cache,
                                    uint64_t address, uint32_t bytes, uint32_t *line)
{
    return side->stateless >> event & 1 ? COHERENCE_ANY : cache_find(cache, address, bytes, line);
}

static inline void coherence_count(struct coherence_side *side, unsigned state, unsigned event)
{
    side->counts.taken[state][event]++;
}

/* Steps a line: act takes the actions, and returns false when the first of them is refused: then nothing has changed.
 */
HOT_INLINE bool coherence_take(struct coherence_side *side, unsigned state, unsigned event,
                               bool (*act)(void *environment, uint32_t actions), void *environment)
{
    if (!act(environment, coherence_actions(side, state, event)))
        return false;
    coherence_count(side, state, event);
    return true;
}

#endif
