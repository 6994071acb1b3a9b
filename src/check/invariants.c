/* The invariants that the checker tests in every state it reaches, and the message for the first that is broken. */
#include <string.h>

#include "base/check.h"
#include "check/model.h"

static bool owns(const struct agent_line *line)
{
    return line->state == AGENT_R || line->state == AGENT_P || line->state == AGENT_E;
}

static void check_missing(struct model *w)
{
    const struct coherence_missing *m = &w->missing;
    if (!m->any)
        return;
    bool is_directory = m->side == &w->directory.side;
    const struct coherence_words *words = is_directory ? &coherence_directory_words : &coherence_agent_words;
    model_fault(w, "the %s has no transition for '%s' in state %s", is_directory ? "directory" : "L1",
                words->events[m->event].word, words->states[m->state].word);
}

/* A line has one owner at most, and the directory knows it. */
static void check_owners(struct model *w, uint32_t line)
{
    const struct directory_entry *entry = directory_find(&w->directory, model_address(w, line));
    unsigned owners = 0;
    for (unsigned c = 0; c < w->setup->caches; c++) {
        const struct agent_line *l = agent_find(&w->agents[c], model_address(w, line));
        if (!l || !owns(l))
            continue;
        owners++;
        if (!entry || entry->owner != c)
            model_fault(w, "L1 %u has registered line %u, and the directory does not know it", model_name(w, c),
                        model_line_name(w, line));
    }
    if (owners > 1)
        model_fault(w, "%u L1s have registered line %u", owners, model_line_name(w, line));
}

/* True: the slice has asked the L1 to drop its copy of the line, and that has not come there yet. */
static bool is_asked(const struct model *w, unsigned cache, uint64_t address)
{
    for (const struct packet *p = w->probes[cache].first; p; p = p->next)
        if (p->kind == PACKET_INVALIDATE && p->address == address)
            return true;
    return false;
}

/* Where the directory knows sharers, it knows all copies: who has one is a sharer, or is about to be asked to drop it.
 * So nobody has one beside an owner. */
static void check_copies(struct model *w, uint32_t line)
{
    const struct directory *d = &w->directory;
    uint64_t address = model_address(w, line);
    const struct directory_entry *entry = directory_find(d, address);
    for (unsigned c = 0; d->sharers && c < w->setup->caches; c++) {
        const struct agent_line *l = agent_find(&w->agents[c], address);
        bool shares = entry && *directory_sharers(d, entry) >> c & 1;
        if (l && l->state == AGENT_V && !shares && !is_asked(w, c, address))
            model_fault(w, "L1 %u has a copy of line %u, and the directory does not know it", model_name(w, c),
                        model_line_name(w, line));
    }
}

/* Where lines are leased, who has a copy has a lease that is not over, the directory knows that there is one, and what
 * the copy has is what memory has. */
static void check_leases(struct model *w, uint32_t line)
{
    const struct directory *d = &w->directory;
    uint64_t address = model_address(w, line), at = address % PACKET_LINE_BYTES;
    const struct directory_entry *entry = directory_find(d, address);
    for (unsigned c = 0; d->leases && c < w->setup->caches; c++) {
        const struct agent_line *l = agent_find(&w->agents[c], address);
        if (!l || l->state != AGENT_V)
            continue;
        if (!(w->leases[c].live >> (l - w->agents[c].lines) & 1))
            model_fault(w, "L1 %u has a copy of line %u, and its lease is over", model_name(w, c),
                        model_line_name(w, line));
        else if (!entry)
            model_fault(w, "L1 %u has a copy of line %u, and the directory does not know its lease", model_name(w, c),
                        model_line_name(w, line));
        else if (memcmp(agent_data(&w->agents[c], l) + at, w->memory[line] + at, w->program.layout.bytes) != 0)
            model_fault(w, "L1 %u has an old copy of line %u", model_name(w, c), model_line_name(w, line));
    }
}

/* Agents and the directory keep facts that follow from others (counts, sets): recomputes each, and compares. */
static void check_derived(struct model *w)
{
    struct check c;
    check_init(&c);
    c.quiet = true;
    for (unsigned i = 0; i < w->setup->caches; i++)
        agent_check(&w->agents[i], &c);
    directory_check(&w->directory, &c);
    if (c.wrong)
        model_fault(w, "%s is wrong", c.wrong);
}

/* An access is under way. */
static bool has_access(const struct model *w)
{
    for (unsigned t = 0; t < w->program.threads; t++) {
        const struct model_thread *thread = &w->threads[t];
        if (thread->phase != PHASE_READY || thread->load_place != MODEL_NONE || thread->stores_out)
            return true;
    }
    return false;
}

bool model_is_done(const struct model *w)
{
    return !has_access(w) && !w->ending;
}

static bool agent_is_quiet(const struct model *w, unsigned cache)
{
    const struct agent *a = &w->agents[cache];
    if (a->behind.first || a->deferred.first || a->done.first || a->probes || a->requests->count || a->answers->count ||
        w->probes[cache].first)
        return false;
    for (uint32_t i = 0; i < a->sets * a->ways; i++)
        if (a->lines[i].state != AGENT_I && a->lines[i].state != AGENT_V && a->lines[i].state != AGENT_R)
            return false;
    for (uint32_t i = a->arrived; i != a->end; i++)
        if (a->writes[i % AGENT_WRITES].state == AGENT_SENT)
            return false;
    return true;
}

bool model_is_quiet(const struct model *w)
{
    if (has_access(w) || w->reply_count || w->served || w->directory.kept)
        return false;
    for (unsigned c = 0; c < w->setup->caches; c++)
        if (!agent_is_quiet(w, c))
            return false;
    return true;
}

/* The value that a place has come to: written bytes that an L1 has not sent yet come over those of the owner, and these
 * over memory's. */
static uint8_t value_of(struct model *w, uint8_t place)
{
    uint32_t line = place / MODEL_WORDS, at = model_offset(w, place);
    const uint8_t *unsent = NULL, *owned = NULL;
    for (unsigned c = 0; c < w->setup->caches; c++) {
        const struct agent_line *l = agent_find(&w->agents[c], model_address(w, line));
        if (!l || !(l->written.word[0] >> at & 1))
            continue;
        if (unsent && !owns(l))
            model_fault(w, "two L1s have written line %u [%u], and neither's bytes have left it",
                        model_line_name(w, line), place % MODEL_WORDS);
        if (owns(l))
            owned = agent_data(&w->agents[c], l) + at;
        else
            unsent = agent_data(&w->agents[c], l) + at;
    }
    return unsent ? *unsent : owned ? *owned : w->memory[line][at];
}

static void check_place(struct model *w, uint8_t place, uint8_t expected)
{
    uint8_t value = value_of(w, place);
    if (value != expected)
        model_fault(w, "line %u [%u] has come to %u, and should be %u", model_line_name(w, place / MODEL_WORDS),
                    place % MODEL_WORDS, value, expected);
}

static void check_values(struct model *w)
{
    uint32_t known = 0;
    for (unsigned g = 0; g < w->program.guard_count; g++) {
        const struct model_guard *guard = &w->program.guards[g];
        known |= guard->data;
        if (guard->tickets && w->holder[g] != MODEL_NONE)
            check_place(w, guard->place, w->threads[w->holder[g]].ticket);
        if (guard->tickets)
            known |= 1u << (guard->tickets - 1);
        else if (!guard->turns)
            check_place(w, guard->place, w->holder[g] != MODEL_NONE);
        else if (w->holder[g] != MODEL_NONE)
            check_place(w, guard->place, w->program.roles[w->holder[g]].turn);
    }
    for (unsigned t = 0; t < w->program.threads; t++)
        known |= w->program.roles[t].counters | w->program.roles[t].own;
    for (uint8_t place = 0; place < w->setup->lines * MODEL_WORDS; place++)
        if (known >> place & 1)
            check_place(w, place, w->truth[place]);
}

void model_check(struct model *w)
{
    check_missing(w);
    if (w->wrong)
        return;
    check_derived(w);
    for (uint32_t line = 0; line < w->setup->lines; line++)
        check_owners(w, line);
    for (uint32_t line = 0; line < w->setup->lines && !w->wrong; line++)
        check_copies(w, line);
    for (uint32_t line = 0; line < w->setup->lines && !w->wrong; line++)
        check_leases(w, line);
    if (!w->wrong && model_is_quiet(w))
        check_values(w);
}
