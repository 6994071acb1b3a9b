#include "unit/memory/tester/coverage.h"

#include <stdio.h>
#include <string.h>

#define TABLES 32u

static struct covered {
    const struct coherence_protocol *protocol; /* the first that has it */
    const struct coherence_table *table;
    const struct coherence_words *words;
    struct coherence_counts counts;
    bool agent;
} tables[TABLES];
static unsigned table_count;

/* Transitions that cannot be taken, and why. Of a row without a protocol, those of all tables of that side; without a
 * state, those of all states. */
static const struct {
    const char *protocol, *side, *state, *event, *reason;
} impossible[] = {
    {NULL, "L1", "I", "block, here", "nothing of the line is there"},
    {NULL, "L1", "R", "block", "all of a registered line is there"},
    {NULL, "L1", "P", "block", "all of a registered line is there"},
    {NULL, "L1", "E", "block", "all of a registered line is there"},
    {NULL, "L1", "W", "block", "all of a registered line is there"},
    {"denovo-b", "L1", "G", "load, here",
     "rare: a word that was written here, while a fill of its line and a flush are under way"},
    {"denovo-b", "L1", "G", "forward", "rare: a question about a registration that was given back before"},
    {"hlrc", "L1", "A", "load, here", "the access that has asked waits aside, and the load behind it"},
    {"hlrc", "L1", "A", "load", "the access that has asked waits aside, and the load behind it"},
    {"hlrc", "L1", "A", "store", "the access that has asked waits aside, and the store behind it"},
    {"hlrc", "L1", "A", "block, here", "the access that has asked waits aside, and others behind it; nothing is there"},
    {"hlrc", "L1", "A", "relaxed", "the access that has asked waits aside, and the relaxed one behind it"},
    {"hlrc-scoped", "L1", "A", "load, here", "the access that has asked waits aside, and the load behind it"},
    {"hlrc-scoped", "L1", "A", "load", "the access that has asked waits aside, and the load behind it"},
    {"hlrc-scoped", "L1", "A", "store", "the access that has asked waits aside, and the store behind it"},
    {"hlrc-scoped", "L1", "A", "block, here", "the same; and nothing is there"},
    {"hlrc-scoped", "L1", "A", "relaxed", "the access that has asked waits aside, and the relaxed one behind it"},
    {"hlrc-scoped", "L1", "A", "device", "the access that has asked is one of the block, and others wait behind it"},
    {"hlrc-scoped", "L1", "A", "remote", "the access that has asked is one of the block, and others wait behind it"},
    {"msi", "L1", "V", "block", "what was fetched is a whole line, and nothing else is in V"},
    {"msi", "L1", "F", "block, here", "the line was not there before"},
    {"msi", "L1", "N", "block, here", "the line was not there before"},
    {"msi", "L1", "F", "drop", "lines are dropped between kernels alone, when nothing is under way"},
    {"msi", "L1", "N", "drop", "lines are dropped between kernels alone, when nothing is under way"},
    {"msi", "L1", "A", "drop", "lines are dropped between kernels alone, when nothing is under way"},
    {"msi", "L1", "W", "drop", "lines are dropped between kernels alone, when nothing is under way"},
    {"msi", "L1", "N", "remote", "rare: seen among the million episodes of LOCKSTEP_LONG"},
    {"msi", "directory", NULL, "read", "copies in bulk alone, which the tester does not make: see cli.copies_protocols"},
    {"msi", "directory", NULL, "write", "copies in bulk alone, which the tester does not make: see cli.copies_protocols"},
    {"lease", "L1", "F", "drop", "lines are dropped between kernels alone, when nothing is under way"},
    {"lease", "L1", "N", "drop", "lines are dropped between kernels alone, when nothing is under way"},
    {NULL, "L2", "P", "atomic woken", "its turn finds the line there, or not"},
    {NULL, "L2", "D", "atomic woken", "its turn finds the line there, or not"},
    {NULL, "directory", "N", "cleared", "who is cleared is tried before all others: the line is still registered"},
    {NULL, "directory", "R", "fetch, owner's", "an owner has the whole line, and what it asked before it has"},
    {NULL, "directory", "Q", "fetch, owner's", "an owner has the whole line, and what it asked before it has"},
    {NULL, "directory", "B", "fetch, owner's", "an owner has the whole line, and what it asked before it has"},
    {NULL, "directory", "X", "fetch, owner's", "an owner has the whole line, and what it asked before it has"},
};

static const char *why_not(const struct covered *c, const struct coherence_row *row)
{
    const char *state = coherence_state_word(c->words, row->state)->word, *event = c->words->events[row->event].word;
    if (c->agent && row->actions == AGENT_DO_REFUSE)
        return "nothing is taken, so nothing is counted";
    for (unsigned i = 0; i < sizeof impossible / sizeof impossible[0]; i++)
        if ((!impossible[i].protocol || !strcmp(impossible[i].protocol, c->protocol->name)) &&
            !strcmp(impossible[i].side, c->words->side) &&
            (!impossible[i].state || !strcmp(impossible[i].state, state)) && !strcmp(impossible[i].event, event))
            return impossible[i].reason;
    return NULL;
}

static struct covered *covered_of(const struct coherence_protocol *protocol, unsigned side)
{
    const struct coherence_words *words;
    const struct coherence_table *table = coherence_side_of(protocol, side, &words);
    for (unsigned i = 0; i < table_count; i++)
        if (tables[i].table == table)
            return &tables[i];
    if (!table || table_count == TABLES)
        return NULL;
    tables[table_count] = (struct covered){.protocol = protocol, .table = table, .words = words, .agent = side == 0};
    return &tables[table_count++];
}

void coverage_add(const struct coherence_protocol *protocol, unsigned side, const struct coherence_counts *counts)
{
    struct covered *c = covered_of(protocol, side);
    unsigned reached = 0;
    if (!c)
        return;
    coherence_add_counts(&c->counts, counts);
    for (unsigned i = 0; i < c->table->count; i++)
        reached += counts->taken[c->table->rows[i].state][c->table->rows[i].event] != 0;
    printf("%s, %s: %u of %u transitions\n", protocol->name, c->words->side, reached, c->table->count);
}

static bool is_missing(const struct covered *c, const struct coherence_row *row)
{
    if (c->counts.taken[row->state][row->event])
        return false;
    const char *reason = why_not(c, row);
    printf("%s, %s: not reached: %s, %s%s%s\n", c->protocol->name, c->words->side,
           coherence_state_word(c->words, row->state)->word, c->words->events[row->event].word, reason ? ": " : "",
           reason ? reason : "");
    return !reason;
}

unsigned coverage_missing(void)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < table_count; i++)
        for (unsigned r = 0; r < tables[i].table->count; r++)
            missing += is_missing(&tables[i], &tables[i].table->rows[r]);
    return missing;
}
