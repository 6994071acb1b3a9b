/* A model in its first state, what the directory's host does, and how faults and stories are told. */
#include "check/packed.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/mod_values.h"
#include "memory/packet_values.h"

/* Setting up */

/* There is no clock: a lease of an L1 ends when the search lets it (events.c), and that of a slice when those that it
 * has granted have ended, or later. */
static void begin_lease(void *context, uint32_t line)
{
    struct model_leases *leases = context;
    leases->live |= 1u << line;
    leases->granted &= ~(1u << line);
}

static void grant_lease(void *context, uint32_t entry)
{
    struct model *w = context;
    const struct agent *a = &w->agents[w->asker];
    const struct agent_line *line = agent_find(a, w->directory.entries[entry].address);
    if (line)
        w->leases[w->asker].granted |= 1u << (line - a->lines);
}

static void open_agent(struct model *w, unsigned cache)
{
    const struct checker_setup *s = w->setup;
    const struct cache_params params = {.sets = s->sets,
                                        .ways = s->ways,
                                        .line_bytes = w->program.layout.bytes,
                                        .mshr_entries = s->fills,
                                        .mshr_merges = s->merges};
    const struct agent_setup setup = {.protocol = s->protocol,
                                      .cache = &params,
                                      .packets = &w->pools[cache],
                                      .requests = &w->requests[cache],
                                      .answers = &w->answers[cache],
                                      .stats = &w->cache_stats,
                                      .queue_lines = s->stores,
                                      .rprio = s->protocol->registration->rprio,
                                      .host = {begin_lease, &w->leases[cache]}};
    packet_ring_init(&w->requests[cache], s->requests, &w->arena);
    packet_ring_init(&w->answers[cache], s->slices + 1, &w->arena);
    w->pools[cache] = (struct packet_pool){.sm = (uint16_t)cache, .of_any = true, .arena = &w->arena};
    w->packets[cache] = ARENA_NEW(&w->arena, union message, MODEL_PACKETS);
    agent_init(&w->agents[cache], &setup, &w->arena);
    w->agents[cache].side.missing = &w->missing;
}

/* The directory's host: an L2 with room for some lines, and memory. */

static void use_place(struct model *w, uint32_t line)
{
    uint32_t at = 0;
    while (at < w->tag_count && w->tags[at] != line)
        at++;
    if (at == w->tag_count)
        w->tag_count++;
    for (; at + 1 < w->tag_count; at++)
        w->tags[at] = w->tags[at + 1];
    w->tags[at] = (uint8_t)line;
}

/* The place that a line takes, if it needs one: the least recently used, registered lines last under rprio. Returns
 * false, and which line is in the way, where that is registered. */
static bool take_place(struct model *w, uint32_t line, uint32_t *wanted)
{
    uint32_t in_set = 0, first = w->tag_count, victim = w->tag_count;
    bool rprio = w->setup->protocol->registration->rprio;
    for (uint32_t i = 0; i < w->tag_count; i++) {
        if (w->tags[i] == line)
            return true;
        if ((w->tags[i] ^ line) & (w->setup->l2sets - 1))
            continue;
        first = in_set++ ? first : i;
        if (victim == w->tag_count && !(rprio && w->held >> w->tags[i] & 1))
            victim = i;
    }
    if (in_set < w->setup->places)
        return true;
    victim = victim < w->tag_count ? victim : first;
    *wanted = w->tags[victim];
    if (w->held >> *wanted & 1)
        return false;
    for (w->tag_count--; victim < w->tag_count; victim++)
        w->tags[victim] = w->tags[victim + 1];
    return true;
}

static enum directory_gone go(void *context, struct packet *p, uint64_t *line)
{
    struct model *w = context;
    uint32_t number = model_line_of(p->address), wanted;
    if (p->kind != PACKET_WRITE) {
        if (!take_place(w, number, &wanted)) {
            *line = model_address(w, wanted);
            return DIRECTORY_WANTS;
        }
        use_place(w, number);
    }
    if (p->kind == PACKET_WRITE)
        packet_write_line(p, w->memory[number]);
    else if (p->kind == PACKET_ATOMIC)
        packet_perform_lanes(atomic_of(p), w->memory[number], 0, PACKET_LINE_BYTES);
    else
        memcpy(packet_data(p), w->memory[number], PACKET_LINE_BYTES);
    return DIRECTORY_GONE;
}

static void merge(void *context, const struct packet *p)
{
    struct model *w = context;
    struct byte_mask m = bytes_of_packet(p);
    bytes_copy(w->memory[model_line_of(p->address)], packet_data(p), &m);
}

static void hold(void *context, uint64_t line, bool held)
{
    struct model *w = context;
    uint32_t bit = 1u << model_line_of(line);
    w->held = held ? w->held | bit : w->held & ~bit;
}

void model_init(struct model *w, const struct checker_setup *setup, const struct model_program *program)
{
    const struct directory_host host = {go, merge, hold, grant_lease, w};
    *w = (struct model){.setup = setup, .program = *program};
    arena_init(&w->arena);
    for (unsigned i = 0; i < setup->caches; i++)
        open_agent(w, i);
    w->packets[CHECKER_CACHES] = ARENA_NEW(&w->arena, union message, MODEL_PACKETS);
    directory_init(&w->directory, setup->protocol, &host, setup->lines, program->layout.bytes, setup->caches,
                   &w->arena);
    w->directory.pool.of_any = true;
    w->directory.hash_mask = 0; /* one chain: the order of entries is pack.c's */
    w->directory.side.missing = &w->missing;
    model_clear(w);
    for (unsigned t = 0; t < program->threads; t++) {
        w->threads[t] = (struct model_thread){.load_place = MODEL_NONE, .left = (uint8_t)setup->accesses};
        w->threads[t].guard = w->threads[t].next = MODEL_NONE;
    }
    memset(w->holder, MODEL_NONE, sizeof w->holder);
    for (unsigned g = 1; g < program->guard_count && program->relay; g++) {
        w->holder[g] = MODEL_AWAY;
        model_put(w, program->guards[g].place, 1, w->memory[program->guards[g].place / MODEL_WORDS]);
    }
}

void model_free(struct model *w)
{
    strbuf_free(&w->fault);
    arena_free(&w->arena);
}

/* Clearing: all packets go back to their pools. */

static void refill(struct packet_pool *pool, union message *packets)
{
    for (unsigned i = 0; i < MODEL_PACKETS; i++)
        packets[i].packet.next = i + 1 < MODEL_PACKETS ? &packets[i + 1].packet : NULL;
    pool->free[0] = &packets[0].packet;
    pool->out = 0;
}

static void clear_agent(struct model *w, unsigned cache)
{
    struct agent *a = &w->agents[cache];
    refill(&w->pools[cache], w->packets[cache]);
    packet_ring_clear(&w->requests[cache]);
    packet_ring_clear(&w->answers[cache]);
    for (uint32_t i = 0; i < a->sets * a->ways; i++)
        a->lines[i] = (struct agent_line){.fill = AGENT_NONE};
    for (uint32_t i = 0; i < a->waiter_count; i++)
        a->waiters[i].next = i + 1 < a->waiter_count ? i + 1 : AGENT_NONE;
    for (uint32_t i = 0; i < a->fill_count; i++) {
        a->fills[i].line = AGENT_NONE;
        a->fills[i].count = 0;
    }
    a->free_waiter = 0;
    a->ready_first = a->ready_last = AGENT_NONE;
    a->arrived = a->end = a->waiting = a->unsent = a->drain_to = 0;
    a->behind.first = a->deferred.first = a->done.first = a->flushes.first = a->lock_waits.first = NULL;
    memset(a->at_home, 0, sizeof a->at_home);
    a->flushing = a->probes = a->locks = 0;
    a->stalled = a->refused = false;
    a->clock = 0;
    w->probes[cache].first = NULL;
    w->leases[cache] = (struct model_leases){0};
}

void model_clear(struct model *w)
{
    struct directory *d = &w->directory;
    for (unsigned i = 0; i < w->setup->caches; i++)
        clear_agent(w, i);
    refill(&d->pool, w->packets[CHECKER_CACHES]);
    d->hash[0] = DIRECTORY_NONE;
    d->used = d->kept = d->displaced = 0;
    d->grants = MODEL_GRANTS;
    d->free = DIRECTORY_NONE;
    d->out.first = d->woken.first = d->remotes.first = NULL;
    d->remote = (struct directory_remote){0};
    memset(w->blocks, 0, sizeof w->blocks);
    w->front.first = NULL;
    w->reply_count = w->tag_count = w->held = 0;
    w->served = NULL;
}

struct packet *model_packet(struct model *w, unsigned owner, unsigned kind)
{
    return packet_new(owner < w->setup->caches ? &w->pools[owner] : &w->directory.pool, kind);
}

/* Telling */

void model_fault(struct model *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (w->wrong)
        return;
    w->wrong = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    strbuf_add(&w->fault, text);
}

void model_tell(struct model *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (!w->story)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    strbuf_add(w->story, text);
}

/* The values that it carries, of words that its mask has. */
static void tell_masked(struct model *w, const struct packet *p)
{
    for (unsigned word = 0; word < w->program.layout.words; word++) {
        unsigned at = model_offset(w, model_line_of(p->address) * MODEL_WORDS + word);
        if (packet_mask(p)[0] >> at & 1)
            model_tell(w, " [%u]=%u", word, packet_data(p)[at]);
    }
}

static void tell_read(struct model *w, const struct packet *p)
{
    unsigned from = p->address % PACKET_LINE_BYTES;
    for (unsigned word = 0; word < w->program.layout.words; word++) {
        unsigned at = model_offset(w, model_line_of(p->address) * MODEL_WORDS + word);
        if (at >= from && at < from + p->bytes)
            model_tell(w, " [%u]:%u", word, packet_data(p)[at]);
    }
}

void model_tell_packet(struct model *w, const struct packet *p)
{
    if (!w->story)
        return;
    model_tell(w, "%s%s", message_word(p->kind), p->is_reply ? " (reply)" : "");
    model_tell(w, " line %u", model_line_name(w, model_line_of(p->address)));
    if (message_is_void(p))
        model_tell(w, ", void");
    else if (p->kind == PACKET_FORWARD)
        model_tell(w, ", of a %s", message_word(forward_of(p)->asked));
    if (packed_masks(p))
        tell_masked(w, p);
    if ((p->kind == PACKET_READ || p->kind == PACKET_REGISTER) && p->is_reply)
        tell_read(w, p);
    if (p->kind == PACKET_ATOMIC)
        model_tell(w, " [%u] %s%u", model_place_of(w, p->address) % MODEL_WORDS, p->is_reply ? "was " : "with ",
                   (unsigned)(uint8_t)atomic_of(p)->lanes[0].operand);
}
