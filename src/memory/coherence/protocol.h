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

enum l1_action {
    L1_NO_ACTION,
#define L1_ACTION(name, word, doc) L1_##name,
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
    L1_ACTIONS
};

enum l2_event {
#define L2_EVENT(name, words, doc) L2_##name##_EVENT,
#include "memory/coherence/l2_events.def"
#undef L2_EVENT
    L2_EVENTS
};

enum l2_action {
    L2_NO_ACTION,
#define L2_ACTION(name, word, doc) L2_##name,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
    L2_ACTIONS
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
#define COHERENCE_ACTIONS 6 /* of a row, at most */

struct coherence_row {
    uint8_t state, event, next;
    uint8_t actions[COHERENCE_ACTIONS]; /* in this order, 0 behind the last. One that can be refused is the first */
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
};

/* An L2 that all L1s share and that has the only copy that counts (home.c): for protocols in which L1s own nothing. */
extern const struct coherence_table coherence_home;

/* A side with its table laid out for stepping, and how often each transition was taken. */
struct coherence_side {
    uint32_t stateless; /* set of events of which no state decides anything */
    struct coherence_step {
        uint8_t next;
        uint8_t actions[COHERENCE_ACTIONS + 1];
    } steps[COHERENCE_ANY + 1][COHERENCE_EVENTS];
    uint64_t taken[COHERENCE_ANY + 1][COHERENCE_EVENTS];
};

/* The names of what a side's table speaks of. */
struct coherence_words {
    const char *side;                               /* "L1" */
    const char *const *events, *const *event_docs;   /* by event; NULL-terminated */
    const char *const *actions, *const *action_docs; /* by action; that of none is "" */
};
extern const struct coherence_words coherence_l1_words, coherence_l2_words;
extern const char *const coherence_states[COHERENCE_ANY + 2], *const coherence_state_docs[COHERENCE_ANY + 2];
extern const char *const coherence_order_words[L1_ORDERS + 1], *const coherence_order_docs[L1_ORDERS + 1];
extern const char *const coherence_order_action_words[L1_ORDER_ACTIONS + 1],
    *const coherence_order_action_docs[L1_ORDER_ACTIONS + 1];

/* Finds a protocol by name: NULL or "" name the one that a machine has by default. NULL: there is none of that name. */
const struct coherence_protocol *coherence_find(const char *name);
/* All protocols, NULL-terminated. */
const struct coherence_protocol *const *coherence_list(void);
/* Lays a table out. */
void coherence_side_init(struct coherence_side *side, const struct coherence_table *table);
/* Whether an event's row, of whatever state, has the action. */
bool coherence_may(const struct coherence_side *side, unsigned event, unsigned action);
/* Whether an event asks for exactly one action in every state. */
bool coherence_only(const struct coherence_side *side, unsigned event, unsigned action);
struct archive;
void coherence_side_archive(struct coherence_side *side, struct archive *ar);

/* Steps a line: act is called for the actions of the row of a state (COHERENCE_ANY if the event is stateless) and an
 * event, in order. Returns false when the first of them is refused: then nothing has changed. */
HOT_INLINE bool coherence_take(struct coherence_side *side, unsigned state, unsigned event,
                               bool (*act)(void *environment, unsigned action), void *environment)
{
    const uint8_t *action = side->steps[state][event].actions;
    if (!act(environment, *action))
        return false;
    side->taken[state][event]++;
    while (*++action)
        act(environment, *action);
    return true;
}

#endif
