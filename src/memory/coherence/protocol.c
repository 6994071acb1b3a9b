/* The list of protocols, and how a row of a table is found, counted, and run action by action (protocol.h). */
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

static const struct coherence_word l1_events[] = {
#define L1_EVENT(name, words, doc) {words, doc},
#include "memory/coherence/l1_events.def"
#undef L1_EVENT
    {NULL, NULL},
};
static const struct coherence_action l1_actions[] = {
#define L1_ACTION(name, word, from, to, doc) {word, from, to, doc},
#include "memory/coherence/l1_actions.def"
#undef L1_ACTION
    {NULL, NULL, NULL, NULL},
};
static const struct coherence_word l2_events[] = {
#define L2_EVENT(name, words, doc) {words, doc},
#include "memory/coherence/l2_events.def"
#undef L2_EVENT
    {NULL, NULL},
};
static const struct coherence_action l2_actions[] = {
#define L2_ACTION(name, word, from, to, doc) {word, from, to, doc},
#include "memory/coherence/l2_actions.def"
#undef L2_ACTION
    {NULL, NULL, NULL, NULL},
};
static const struct coherence_word presences[] = {
#define PRESENCE(name, letter, doc) {letter, doc},
#include "memory/cache_presences.def"
#undef PRESENCE
    {NULL, NULL},
};
static const struct coherence_word agent_states[] = {
#define AGENT_STATE(name, letter, doc) {letter, doc},
#include "memory/coherence/agent_states.def"
#undef AGENT_STATE
    {NULL, NULL},
};
static const struct coherence_word agent_events[] = {
#define AGENT_EVENT(name, words, doc) {words, doc},
#include "memory/coherence/agent_events.def"
#undef AGENT_EVENT
    {NULL, NULL},
};
static const struct coherence_action agent_actions[] = {
#define AGENT_ACTION(name, word, from, to, doc) {word, from, to, doc},
#include "memory/coherence/agent_actions.def"
#undef AGENT_ACTION
    {NULL, NULL, NULL, NULL},
};
static const struct coherence_word directory_states[] = {
#define DIRECTORY_STATE(name, letter, doc) {letter, doc},
#include "memory/coherence/directory_states.def"
#undef DIRECTORY_STATE
    {NULL, NULL},
};
static const struct coherence_word directory_events[] = {
#define DIRECTORY_EVENT(name, words, doc) {words, doc},
#include "memory/coherence/directory_events.def"
#undef DIRECTORY_EVENT
    {NULL, NULL},
};
static const struct coherence_action directory_actions[] = {
#define DIRECTORY_ACTION(name, word, from, to, doc) {word, from, to, doc},
#include "memory/coherence/directory_actions.def"
#undef DIRECTORY_ACTION
    {NULL, NULL, NULL, NULL},
};
const struct coherence_words coherence_l1_words = {"L1", presences, l1_events, L1_EVENTS, l1_actions, "I"};
const struct coherence_words coherence_l2_words = {"L2", presences, l2_events, L2_EVENTS, l2_actions, "I"};
const struct coherence_words coherence_agent_words = {"L1",          agent_states, agent_events, AGENT_DRAIN_EVENT,
                                                      agent_actions, "IVNG"};
const struct coherence_words coherence_directory_words = {
    "directory", directory_states, directory_events, DIRECTORY_REGISTER_ALONE_EVENT, directory_actions, "T"};

const struct coherence_word coherence_any = {"any",
                                             "whatever it is; as the next state: as it was, or as the cache finds it"};
const struct coherence_word coherence_phases[REMOTE_PHASES + 1] = {
#define REMOTE_PHASE(name, words, doc) {words, doc},
#include "memory/coherence/remote_phases.def"
#undef REMOTE_PHASE
    {NULL, NULL},
};
const struct coherence_word coherence_orders[L1_ORDERS + 1] = {
#define L1_ORDER(name, word, doc) {word, doc},
#include "memory/coherence/orders.def"
#undef L1_ORDER
    {NULL, NULL},
};
const struct coherence_word coherence_order_actions[L1_ORDER_ACTIONS + 1] = {
#define L1_ORDER_ACTION(name, word, doc) {word, doc},
#include "memory/coherence/order_actions.def"
#undef L1_ORDER_ACTION
    {NULL, NULL},
};

_Static_assert(L1_EVENTS <= COHERENCE_EVENTS && L2_EVENTS <= COHERENCE_EVENTS && AGENT_EVENTS <= COHERENCE_EVENTS &&
                   DIRECTORY_EVENTS <= COHERENCE_EVENTS,
               "events have a place in every side");

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

bool coherence_rprio(const struct coherence_protocol *protocol, const char *replacement)
{
    return replacement && strcmp(replacement, "own") != 0 ? !strcmp(replacement, "rprio")
                                                          : protocol->registration->rprio;
}

const struct coherence_protocol *const *coherence_list(void)
{
    return protocols;
}

const struct coherence_table *coherence_side_of(const struct coherence_protocol *protocol, unsigned side,
                                                const struct coherence_words **words)
{
    const struct coherence_registration *registration = protocol->registration;
    if (side == 0)
        *words = registration ? &coherence_agent_words : &coherence_l1_words;
    else
        *words = side == 1 ? &coherence_l2_words : &coherence_directory_words;
    if (side == 0)
        return registration ? registration->agent : &protocol->l1;
    return side == 1 ? protocol->l2 : side == 2 && registration ? registration->directory : NULL;
}

void coherence_side_init(struct coherence_side *side, const struct coherence_table *table,
                         const struct coherence_words *words, const uint8_t reads[CACHE_PRESENCES])
{
    contract(table->count <= COHERENCE_ROWS);
    contract(!coherence_table_fault(words, table, NULL));
    *side = (struct coherence_side){.table = table};
    for (unsigned state = 0; state <= COHERENCE_ANY; state++)
        for (unsigned event = 0; event < COHERENCE_EVENTS; event++)
            side->steps[state][event].row = COHERENCE_ROWS;
    for (unsigned i = 0; i < table->count; i++) {
        const struct coherence_row *row = &table->rows[i];
        bool any = row->state == COHERENCE_ANY;
        side->stateless |= (uint32_t)any << row->event;
        for (unsigned state = any ? 0 : row->state; state <= row->state; state++)
            side->steps[state][row->event] = (struct coherence_step){row->actions, (uint16_t)i, row->next, true};
    }
    for (unsigned event = 0; event < COHERENCE_EVENTS && reads; event++) {
        bool reads_only = true;
        for (unsigned state = 0; state < CACHE_PRESENCES; state++)
            reads_only &= (side->steps[state][event].actions & 0xff) == reads[state];
        side->reads |= (uint32_t)reads_only << event;
    }
}

bool coherence_only(const struct coherence_side *side, unsigned event, uint64_t actions)
{
    for (unsigned state = 0; state < CACHE_PRESENCES; state++)
        if (side->steps[state][event].actions != actions || side->steps[state][event].next != COHERENCE_ANY)
            return false;
    return true;
}

bool coherence_leases(const struct coherence_protocol *protocol)
{
    return protocol->registration && coherence_table_has(protocol->registration->directory, DIRECTORY_DO_LEASE);
}

bool coherence_table_has(const struct coherence_table *table, unsigned action)
{
    for (unsigned i = 0; i < table->count; i++)
        if (coherence_set(table->rows[i].actions) & COHERENCE_BIT(action))
            return true;
    return false;
}

void coherence_add_counts(struct coherence_counts *to, const struct coherence_counts *from)
{
    for (unsigned state = 0; state <= COHERENCE_ANY; state++)
        for (unsigned event = 0; event < COHERENCE_EVENTS; event++)
            to->taken[state][event] += from->taken[state][event];
}

void coherence_collect(struct coherence_counts *to, const struct coherence_side *side)
{
    for (unsigned i = 0; i < side->table->count; i++)
        to->taken[side->table->rows[i].state][side->table->rows[i].event] += side->taken[i];
}

void coherence_clear_counts(struct coherence_side *side)
{
    memset(side->taken, 0, side->table->count * sizeof *side->taken);
}

/* Checkpoints */

void coherence_side_archive(struct coherence_side *side, struct archive *ar)
{
    ARCHIVE_ARRAY(ar, side->taken, side->table->count);
}
