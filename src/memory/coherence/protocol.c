#include "memory/coherence/protocol.h"

#include <string.h>

#include "base/archive.h"

#define PROTOCOL(symbol) extern const struct coherence_protocol coherence_##symbol;
#include "memory/coherence/list.def"
#undef PROTOCOL

static const struct coherence_protocol *const protocols[] = {
#define PROTOCOL(symbol) &coherence_##symbol,
#include "memory/coherence/list.def"
#undef PROTOCOL
    NULL,
};

/* Words */

static const char *const l1_event_words[] = {
#define L1_EVENT(name, words, doc) words,
#include "memory/coherence/l1_events.def"
#undef L1_EVENT
    NULL,
};
static const char *const l1_event_docs[] = {
#define L1_EVENT(name, words, doc) doc,
#include "memory/coherence/l1_events.def"
#undef L1_EVENT
    NULL,
};
static const char *const l1_action_words[] = {
    "",
#define L1_ACTION(name, word, doc) word,
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
    NULL,
};
static const char *const l1_action_docs[] = {
    "",
#define L1_ACTION(name, word, doc) doc,
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
    NULL,
};
static const char *const l2_event_words[] = {
#define L2_EVENT(name, words, doc) words,
#include "memory/coherence/l2_events.def"
#undef L2_EVENT
    NULL,
};
static const char *const l2_event_docs[] = {
#define L2_EVENT(name, words, doc) doc,
#include "memory/coherence/l2_events.def"
#undef L2_EVENT
    NULL,
};
static const char *const l2_action_words[] = {
    "",
#define L2_ACTION(name, word, doc) word,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
    NULL,
};
static const char *const l2_action_docs[] = {
    "",
#define L2_ACTION(name, word, doc) doc,
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
    NULL,
};
const struct coherence_words coherence_l1_words = {"L1", l1_event_words, l1_event_docs, l1_action_words, l1_action_docs};
const struct coherence_words coherence_l2_words = {"L2", l2_event_words, l2_event_docs, l2_action_words, l2_action_docs};

const char *const coherence_states[COHERENCE_ANY + 2] = {
#define PRESENCE(name, letter, doc) letter,
#include "memory/cache_presences.def"
#undef PRESENCE
    "any",
    NULL,
};
const char *const coherence_state_docs[COHERENCE_ANY + 2] = {
#define PRESENCE(name, letter, doc) doc,
#include "memory/cache_presences.def"
#undef PRESENCE
    "whatever it is; as the next state: as it was, or as the cache finds it",
    NULL,
};
const char *const coherence_order_words[L1_ORDERS + 1] = {
#define L1_ORDER(name, word, doc) word,
#include "memory/coherence/orders.def"
#undef L1_ORDER
    NULL,
};
const char *const coherence_order_docs[L1_ORDERS + 1] = {
#define L1_ORDER(name, word, doc) doc,
#include "memory/coherence/orders.def"
#undef L1_ORDER
    NULL,
};
const char *const coherence_order_action_words[L1_ORDER_ACTIONS + 1] = {
#define L1_ORDER_ACTION(name, word, doc) word,
#include "memory/coherence/order_actions.def"
#undef L1_ORDER_ACTION
    NULL,
};
const char *const coherence_order_action_docs[L1_ORDER_ACTIONS + 1] = {
#define L1_ORDER_ACTION(name, word, doc) doc,
#include "memory/coherence/order_actions.def"
#undef L1_ORDER_ACTION
    NULL,
};

_Static_assert(L1_EVENTS <= COHERENCE_EVENTS && L2_EVENTS <= COHERENCE_EVENTS, "events have a place in every side");

/* Tables */

const struct coherence_protocol *coherence_find(const char *name)
{
    if (!name || !*name)
        return protocols[0];
    for (unsigned i = 0; protocols[i]; i++)
        if (!strcmp(protocols[i]->name, name))
            return protocols[i];
    return NULL;
}

const struct coherence_protocol *const *coherence_list(void)
{
    return protocols;
}

static void lay_out(struct coherence_side *side, unsigned state, const struct coherence_row *row)
{
    struct coherence_step *step = &side->steps[state][row->event];
    step->next = row->next;
    memcpy(step->actions, row->actions, COHERENCE_ACTIONS);
}

void coherence_side_init(struct coherence_side *side, const struct coherence_table *table)
{
    *side = (struct coherence_side){0};
    for (unsigned i = 0; i < table->count; i++) {
        const struct coherence_row *row = &table->rows[i];
        if (row->state != COHERENCE_ANY) {
            lay_out(side, row->state, row);
            continue;
        }
        side->stateless |= 1u << row->event;
        for (unsigned state = 0; state <= COHERENCE_ANY; state++)
            lay_out(side, state, row);
    }
}

bool coherence_may(const struct coherence_side *side, unsigned event, unsigned action)
{
    for (unsigned state = 0; state <= COHERENCE_ANY; state++)
        if (memchr(side->steps[state][event].actions, (int)action, COHERENCE_ACTIONS))
            return true;
    return false;
}

bool coherence_only(const struct coherence_side *side, unsigned event, unsigned action)
{
    for (unsigned state = 0; state < COHERENCE_ANY; state++) {
        const uint8_t *actions = side->steps[state][event].actions;
        if (actions[0] != action || actions[1])
            return false;
    }
    return true;
}

void coherence_side_archive(struct coherence_side *side, struct archive *ar)
{
    ARCHIVE(ar, side->taken);
}
