/* A world in its first state, what the directory's host does, and how faults and stories are told. */
#include "check/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/mod_values.h"
#include "memory/packet_values.h"

/* Setting up */

static void open_agent(struct world *w, unsigned cache)
{
    const struct checker_setup *s = w->setup;
    const struct cache_params params = {.sets = 1,
                                        .ways = s->ways,
                                        .line_bytes = WORLD_LINE_BYTES,
                                        .mshr_entries = s->fills,
                                        .mshr_merges = WORLD_THREADS};
    const struct agent_setup setup = {.protocol = s->protocol,
                                      .cache = &params,
                                      .packets = &w->pools[cache],
                                      .requests = &w->requests[cache],
                                      .answers = &w->answers[cache],
                                      .stats = &w->cache_stats,
                                      .queue_lines = s->store_queue,
                                      .rprio = s->protocol->registration->rprio};
    packet_ring_init(&w->requests[cache], s->requests, &w->arena);
    packet_ring_init(&w->answers[cache], s->slices + 1, &w->arena);
    w->pools[cache] = (struct packet_pool){.sm = (uint16_t)cache, .arena = &w->arena};
    w->packets[cache] = ARENA_NEW(&w->arena, struct packet, WORLD_PACKETS);
    agent_init(&w->agents[cache], &setup, &w->arena);
    w->agents[cache].side.missing = &w->missing;
}

/* The directory's host: an L2 with room for some lines, and memory. */

static void use_place(struct world *w, uint32_t line)
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
static bool take_place(struct world *w, uint32_t line, uint32_t *wanted)
{
    uint32_t victim = 0;
    for (uint32_t i = 0; i < w->tag_count; i++)
        if (w->tags[i] == line)
            return true;
    if (w->tag_count < w->setup->places)
        return true;
    while (w->setup->protocol->registration->rprio && victim + 1 < w->tag_count && (w->held >> w->tags[victim] & 1))
        victim++;
    if (w->held >> w->tags[victim] & 1)
        victim = 0;
    *wanted = w->tags[victim];
    if (w->held >> *wanted & 1)
        return false;
    for (w->tag_count--; victim < w->tag_count; victim++)
        w->tags[victim] = w->tags[victim + 1];
    return true;
}

static uint8_t *memory_line(struct world *w, uint32_t line)
{
    return w->memory[line * WORLD_WORDS];
}

static enum directory_gone go(void *context, struct packet *p, uint64_t *line)
{
    struct world *w = context;
    uint32_t number = world_line_of(p->address), wanted;
    if (p->kind != PACKET_WRITE) {
        if (!take_place(w, number, &wanted)) {
            *line = WORLD_ADDRESS(wanted);
            return DIRECTORY_WANTS;
        }
        use_place(w, number);
    }
    uint8_t bytes[PACKET_LINE_BYTES] = {0};
    memcpy(bytes, memory_line(w, number), WORLD_LINE_BYTES);
    if (p->kind == PACKET_WRITE)
        packet_write_line(p, bytes);
    else if (p->kind == PACKET_ATOMIC)
        packet_perform_lanes(p, bytes, 0, PACKET_LINE_BYTES);
    else
        memcpy(p->data, bytes, WORLD_LINE_BYTES);
    memcpy(memory_line(w, number), bytes, WORLD_LINE_BYTES);
    return DIRECTORY_GONE;
}

static void merge(void *context, const struct packet *p)
{
    struct world *w = context;
    struct byte_mask m = {{p->mask[0] & mask_low(WORLD_LINE_BYTES), 0}};
    bytes_copy(memory_line(w, world_line_of(p->address)), p->data, &m);
}

static void hold(void *context, uint64_t line, bool held)
{
    struct world *w = context;
    uint32_t bit = 1u << world_line_of(line);
    w->held = held ? w->held | bit : w->held & ~bit;
}

void world_init(struct world *w, const struct checker_setup *setup, const struct world_program *program)
{
    const struct directory_host host = {go, merge, hold, w};
    *w = (struct world){.setup = setup, .program = *program};
    arena_init(&w->arena);
    for (unsigned i = 0; i < setup->caches; i++)
        open_agent(w, i);
    w->packets[CHECKER_CACHES] = ARENA_NEW(&w->arena, struct packet, WORLD_PACKETS);
    directory_init(&w->directory, setup->protocol, &host, setup->lines, WORLD_LINE_BYTES, setup->caches, &w->arena);
    w->directory.hash_mask = 0; /* one chain: the order of entries is pack.c's */
    w->directory.side.missing = &w->missing;
    world_clear(w);
    for (unsigned t = 0; t < program->threads; t++) {
        w->threads[t] = (struct world_thread){.load_place = WORLD_NONE, .left = (uint8_t)setup->accesses};
        w->threads[t].guard = w->threads[t].next = WORLD_NONE;
    }
    memset(w->holder, WORLD_NONE, sizeof w->holder);
}

void world_free(struct world *w)
{
    strbuf_free(&w->fault);
    arena_free(&w->arena);
}

/* Clearing: all packets go back to their pools. */

static void refill(struct packet_pool *pool, struct packet *packets)
{
    for (unsigned i = 0; i < WORLD_PACKETS; i++)
        packets[i].next = i + 1 < WORLD_PACKETS ? &packets[i + 1] : NULL;
    pool->free = packets;
    pool->out = 0;
}

static void clear_agent(struct world *w, unsigned cache)
{
    struct agent *a = &w->agents[cache];
    refill(&w->pools[cache], w->packets[cache]);
    packet_ring_clear(&w->requests[cache]);
    packet_ring_clear(&w->answers[cache]);
    for (uint32_t i = 0; i < a->ways; i++)
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
}

void world_clear(struct world *w)
{
    struct directory *d = &w->directory;
    for (unsigned i = 0; i < w->setup->caches; i++)
        clear_agent(w, i);
    refill(&d->pool, w->packets[CHECKER_CACHES]);
    d->hash[0] = DIRECTORY_NONE;
    d->used = d->kept = d->displaced = 0;
    d->grants = WORLD_GRANTS;
    d->free = DIRECTORY_NONE;
    d->out.first = d->woken.first = d->remotes.first = NULL;
    d->remote = (struct directory_remote){0};
    memset(w->blocks, 0, sizeof w->blocks);
    w->front.first = NULL;
    w->reply_count = w->tag_count = w->held = 0;
    w->served = NULL;
}

struct packet *world_packet(struct world *w, unsigned owner)
{
    struct packet *p = packet_new(owner < w->setup->caches ? &w->pools[owner] : &w->directory.pool);
    p->asked = p->atomic = p->type = 0;
    p->parts = 0;
    p->at_home = false;
    return p;
}

/* Telling */

void world_fault(struct world *w, const char *format, ...)
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

void world_tell(struct world *w, const char *format, ...)
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

static const char *kind_word(unsigned kind)
{
    static const char *const words[] = {
#define MESSAGE(name, words, sender, request, reply, sent, answered) words,
#include "memory/message.def"
#undef MESSAGE
    };
    return kind < PACKET_KINDS ? words[kind] : "nothing";
}

/* The values that it carries, of words that its mask has. */
static void tell_masked(struct world *w, const struct packet *p)
{
    for (unsigned word = 0; word < WORLD_WORDS; word++)
        if (p->mask[0] >> 4 * word & 1)
            world_tell(w, " [%u]=%u", word, p->data[4 * word]);
}

static void tell_read(struct world *w, const struct packet *p)
{
    for (unsigned word = 0; word < WORLD_WORDS; word++)
        if (4 * word >= p->address % PACKET_LINE_BYTES && 4 * word < p->address % PACKET_LINE_BYTES + p->bytes)
            world_tell(w, " [%u]:%u", word, p->data[4 * word]);
}

void world_tell_packet(struct world *w, const struct packet *p)
{
    if (!w->story)
        return;
    world_tell(w, "%s%s", kind_word(p->kind), p->is_reply ? " (reply)" : "");
    world_tell(w, " line %u", world_line_name(w, world_line_of(p->address)));
    if (p->kind == PACKET_SHOW || (p->kind == PACKET_REVOKE && p->asked == PACKET_KINDS))
        world_tell(w, p->asked == PACKET_KINDS ? ", void" : ", of a %s", kind_word(p->asked));
    if (p->kind == PACKET_PUT || (p->kind == PACKET_WRITE && !p->is_reply) ||
        (message_sender_of(p->kind) == MESSAGE_OF_SLICE && p->is_reply))
        tell_masked(w, p);
    if ((p->kind == PACKET_READ || p->kind == PACKET_REGISTER) && p->is_reply)
        tell_read(w, p);
    if (p->lane_count)
        world_tell(w, " [%u] %s%u", p->lanes[0].offset % PACKET_LINE_BYTES / 4, p->is_reply ? "was " : "with ",
                   (unsigned)p->lanes[0].operand);
}
