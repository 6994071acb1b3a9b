/* The lines of an agent: where an address may lie, which line is given up for it, and the fills under way with the
 * loads that wait for them. */
#include "memory/agent_impl.h"

#include <string.h>

#include "base/hot.h"

#define MOST_WAITERS 65536u

void agent_lines_init(struct agent *a, const struct cache_params *params, struct arena *arena)
{
    uint64_t waiters = (uint64_t)params->mshr_entries * params->mshr_merges;
    uint32_t lines = params->sets * params->ways, count = (uint32_t)(waiters < MOST_WAITERS ? waiters : MOST_WAITERS);
    a->sets = params->sets;
    a->ways = params->ways;
    a->line_bytes = params->line_bytes;
    a->set_shift = mask_first(params->line_bytes);
    a->set_index = params->set_index;
    a->lines = ARENA_NEW(arena, struct agent_line, lines);
    for (uint32_t i = 0; i < lines; i++)
        a->lines[i].fill = AGENT_NONE;
    a->data = ARENA_NEW(arena, uint8_t, (size_t)lines * PACKET_LINE_BYTES);
    a->fill_count = params->mshr_entries;
    a->waiter_count = count;
    a->merges = params->mshr_merges;
    a->fills = ARENA_NEW(arena, struct agent_fill, a->fill_count);
    for (uint32_t i = 0; i < a->fill_count; i++)
        a->fills[i] = (struct agent_fill){.line = AGENT_NONE, .next = i + 1 < a->fill_count ? i + 1 : AGENT_NONE};
    a->waiters = ARENA_NEW(arena, struct agent_waiter, count);
    for (uint32_t i = 0; i < count; i++)
        a->waiters[i].next = i + 1 < count ? i + 1 : AGENT_NONE;
    a->free_fill = a->free_waiter = 0;
    a->ready_first = a->ready_last = AGENT_NONE;
}

static struct agent_line *set_of_line(const struct agent *a, uint64_t address)
{
    return &a->lines[cache_set_of(address, a->set_shift, a->sets - 1, a->set_index) * a->ways];
}

HOT struct agent_line *agent_find(const struct agent *a, uint64_t address)
{
    struct agent_line *line = set_of_line(a, address);
    uint64_t at = agent_line_of(a, address);
    for (uint32_t way = 0; way < a->ways; way++, line++)
        if (line->address == at && line->state != AGENT_I)
            return line;
    return NULL;
}

/* Of the lines of a set that can be given up, the one that was used longest ago; registered ones last under rprio.
 * NULL: there is none, or a registered one is on its way out already. */
static struct agent_line *choose(const struct agent *a, struct agent_line *set)
{
    struct agent_line *best = NULL;
    for (struct agent_line *line = set; line < set + a->ways; line++) {
        bool registered = line->state == AGENT_R;
        if (line->state == AGENT_I)
            return line;
        if (line->state != AGENT_V && !registered)
            continue;
        bool worse =
            best && a->rprio && registered != (best->state == AGENT_R) ? registered : best && best->used <= line->used;
        best = worse ? best : line;
    }
    return best;
}

static bool is_leaving(const struct agent *a, const struct agent_line *set)
{
    for (uint32_t way = 0; way < a->ways; way++)
        if (set[way].state == AGENT_E || set[way].state == AGENT_W)
            return true;
    return false;
}

struct agent_line *agent_place(struct agent *a, uint64_t address)
{
    struct agent_line *set = set_of_line(a, address), *line = choose(a, set);
    if (!line || (line->state == AGENT_R && is_leaving(a, set)))
        return NULL;
    if (line->state != AGENT_I) {
        a->cache_stats->evictions++;
        agent_step(a, line, AGENT_REPLACE_EVENT);
    }
    return line->state == AGENT_I ? line : NULL;
}

/* Fills */

bool agent_can_fill(const struct agent *a)
{
    return a->free_fill != AGENT_NONE && a->free_waiter != AGENT_NONE;
}

bool agent_can_join(const struct agent *a, const struct agent_line *line)
{
    return a->fills[line->fill].count < a->merges && a->free_waiter != AGENT_NONE;
}

void agent_begin_fill(struct agent *a, struct agent_line *line)
{
    uint32_t number = a->free_fill;
    struct agent_fill *fill = &a->fills[number];
    a->free_fill = fill->next;
    *fill = (struct agent_fill){
        .line = (uint32_t)(line - a->lines),
        .offset = (uint32_t)(line->address % PACKET_LINE_BYTES),
        .first = AGENT_NONE,
        .last = AGENT_NONE,
        .next = AGENT_NONE,
    };
    line->fill = number;
}

void agent_join_fill(struct agent *a, struct agent_line *line, uint32_t waiter)
{
    struct agent_fill *fill = &a->fills[line->fill];
    uint32_t w = a->free_waiter;
    a->free_waiter = a->waiters[w].next;
    a->waiters[w] = (struct agent_waiter){waiter, AGENT_NONE};
    if (fill->count++)
        a->waiters[fill->last].next = w;
    else
        fill->first = w;
    fill->last = w;
}

static void free_fill(struct agent *a, uint32_t number)
{
    a->fills[number].next = a->free_fill;
    a->fills[number].line = AGENT_NONE;
    a->free_fill = number;
}

void agent_end_fill(struct agent *a, struct agent_line *line, const struct packet *p)
{
    uint32_t number = line->fill;
    struct agent_fill *fill = &a->fills[number];
    line->fill = AGENT_NONE;
    a->cache_stats->fills++;
    fill->line = AGENT_NONE;
    if (!fill->count) {
        free_fill(a, number);
        return;
    }
    memcpy(fill->data, packet_data(p), PACKET_LINE_BYTES);
    bytes_copy(fill->data, agent_data(a, line), &line->valid);
    if (a->ready_first == AGENT_NONE)
        a->ready_first = number;
    else
        a->fills[a->ready_last].next = number;
    a->ready_last = number;
}

uint32_t agent_ready(struct agent *a, const uint8_t **values)
{
    uint32_t number = a->ready_first, w = a->fills[number].first, value = a->waiters[w].value;
    struct agent_fill *fill = &a->fills[number];
    *values = fill->data + fill->offset;
    fill->first = a->waiters[w].next;
    a->waiters[w].next = a->free_waiter;
    a->free_waiter = w;
    agent_changed(a);
    if (--fill->count)
        return value;
    a->ready_first = fill->next;
    free_fill(a, number);
    return value;
}
