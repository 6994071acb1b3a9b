/* An L2 slice and its directory: what the directory asks of the tags, what it sends, and the accesses that it gives
 * back. */
#include "base/check.h"
#include "base/hot.h"
#include "memory/byte_mask.h"
#include "memory/slice.h"

/* The directory's host */

static enum directory_gone go_to_tags(void *context, struct packet *p, uint64_t *line)
{
    struct slice *s = context;
    contract(p == s->first && s->accepted == 0);
    if (slice_try_part(s, s->directory_cycle))
        return DIRECTORY_GONE;
    *line = cache_wanted(s->cache);
    return *line == CACHE_NO_ADDRESS ? DIRECTORY_REFUSED : DIRECTORY_WANTS;
}

/* Puts an owner's written bytes into memory and into the L2's line, which is written back some day. */
static void merge_written(void *context, const struct packet *p)
{
    struct slice *s = context;
    uint32_t line, first = (uint32_t)(p->address % PACKET_LINE_BYTES);
    uint8_t *to = slice_place_of(s, p->address - first, PACKET_LINE_BYTES);
    struct byte_mask m = bytes_of_packet(p);
    if (to && p->space != PACKET_LOCAL)
        bytes_copy(to, packet_data(p), &m);
    if (cache_find(s->cache, p->local, p->bytes, &line) >= CACHE_THERE)
        cache_mark_dirty(s->cache, line, p->local, p->bytes);
}

static void hold_line(void *context, uint64_t line, bool held)
{
    struct slice *s = context;
    cache_hold(s->cache, line, held);
    s->blocked = false;
}

static void begin_lease(void *context, uint32_t entry)
{
    struct slice *s = context;
    leases_begin(s->leases, entry, s->directory_cycle);
}

void slice_end_leases(struct slice *s, uint64_t cycle)
{
    uint32_t entry;
    while ((entry = leases_take(s->leases, cycle)) != LEASES_NONE)
        directory_time_passed(s->directory, entry);
}

void slice_open_directory(struct slice *s, uint32_t sms, struct arena *own)
{
    const struct coherence_params *p = &s->params->coherence;
    const struct coherence_protocol *protocol = s->protocol;
    const struct directory_host host = {go_to_tags, merge_written, hold_line, begin_lease, s};
    bool rprio = coherence_rprio(protocol, p->replacement);
    s->directory = ARENA_NEW(own, struct directory, 1);
    uint32_t lines = s->params->l2.sets * s->params->l2.ways;
    directory_init(s->directory, protocol, &host, lines, s->params->l2.line_bytes, sms, own);
    if (coherence_leases(protocol)) {
        s->leases = ARENA_NEW(own, struct leases, 1);
        leases_init(s->leases, lines, p->lease, own);
    }
    s->fills_ahead = false;
    if (!rprio)
        ((struct cache_head *)s->cache)->holds_last = false;
}

void slice_take_woken(struct slice *s)
{
    if (s->directory->woken.first && !s->accepted)
        slice_come_first(s, &s->directory->woken, &s->directory->kept);
}

/* The directory has the packet at the head now, so many parts of which the L2 has not accepted. */
static void leave_head(struct slice *s, struct packet *next, uint32_t parts, uint64_t cycle)
{
    s->in_count -= parts;
    s->first = next;
    s->data_free_at = cycle + 1;
}

/* A packet of several lines (what an instruction or constant cache reads), of which the L2 has accepted some. Where the
 * tags want a registered line's place for the next one, the packet waits aside, as it would have for the first: what
 * the owner gives back comes behind it. */
static bool try_rest(struct slice *s, uint64_t cycle)
{
    struct packet *p = s->first, *next = p->next;
    uint64_t wanted;
    if (slice_try_part(s, cycle))
        return true;
    if ((wanted = cache_wanted(s->cache)) == CACHE_NO_ADDRESS)
        return false;
    uint32_t parts = slice_parts_from(s, p, s->accepted);
    p->accepted = (uint8_t)s->accepted;
    s->accepted = 0;
    directory_make_room(s->directory, wanted, p);
    leave_head(s, next, parts, cycle);
    return true;
}

bool slice_try_directory(struct slice *s, uint64_t cycle)
{
    struct packet *p = s->first, *next = p->next;
    uint32_t parts = p->parts;
    /* All of it must have left the delay. */
    if (p == s->rop_first)
        return true;
    if (RARELY(p->accepted)) {
        s->accepted = p->accepted;
        p->accepted = 0;
    }
    if (RARELY(s->accepted))
        return try_rest(s, cycle);
    bool frees = message_sender_of(p->kind) == MESSAGE_OF_SLICE;
    s->directory_cycle = cycle;
    enum directory_taken taken = directory_take(s->directory, p);
    if (taken == DIRECTORY_TAKE_KEPT) {
        s->out.inside -= frees;
        leave_head(s, next, parts, cycle);
    }
    return taken != DIRECTORY_TAKE_REFUSED;
}

/* Sends the directory's first probe, or its answer to an access. */
void slice_send_of_directory(struct slice *s, uint64_t cycle)
{
    struct packet *p = packet_shift(&s->directory->out);
    if (message_sender_of(p->kind) == MESSAGE_OF_SLICE)
        s->out.inside++;
    slice_put_out(s, p, cycle);
}
