/* Shared by pack.c and unpack.c, which must agree: the words that a mask or a message has in a packed state, and the
 * parts of a message that count. */
#ifndef LOCKSTEP_CHECK_PACKED_H
#define LOCKSTEP_CHECK_PACKED_H

#include "check/world.h"

static inline uint64_t packed_word_mask(const struct world *w, unsigned place)
{
    return mask_low(world_word_of(w, place)->bytes) << world_offset(w, place);
}

static inline void packed_apart(struct world *w, unsigned place)
{
    world_fault(w, "the bytes of line %u [%u] are apart", world_line_name(w, place / WORLD_WORDS), place % WORLD_WORDS);
}

/* The words of a line that a mask of bytes has. */
static inline unsigned packed_words_of(struct world *w, unsigned line, uint64_t mask)
{
    unsigned words = 0;
    for (unsigned word = 0; word < w->program.layout.words; word++) {
        uint64_t all = packed_word_mask(w, line * WORLD_WORDS + word);
        if (mask & all && ~mask & all)
            packed_apart(w, line * WORLD_WORDS + word);
        words |= (mask & all) != 0 ? 1u << word : 0;
    }
    return words;
}

static inline uint64_t packed_mask_of(const struct world *w, unsigned line, unsigned words)
{
    uint64_t mask = 0;
    for (unsigned word = 0; word < w->program.layout.words; word++)
        mask |= words >> word & 1 ? packed_word_mask(w, line * WORLD_WORDS + word) : 0;
    return mask;
}

/* 0: the whole line; else 1 + the word, or 5 + the first of two. */
static inline unsigned packed_range_of(const struct world *w, const struct packet *p)
{
    if (p->bytes == w->program.layout.bytes)
        return 0;
    unsigned place = world_place_of(w, p->address);
    return (p->bytes == world_word_of(w, place)->bytes ? 1 : 1 + WORLD_WORDS) + place % WORLD_WORDS;
}

static inline unsigned packed_words_in(const struct world *w, unsigned range)
{
    if (!range)
        return (1u << w->program.layout.words) - 1;
    return range > WORLD_WORDS ? 3u << (range - 1 - WORLD_WORDS) : 1u << (range - 1);
}

static inline bool packed_of_slice(const struct packet *p)
{
    return message_sender_of(p->kind) == MESSAGE_OF_SLICE;
}

/* Its mask says something. */
static inline bool packed_has_mask(const struct packet *p)
{
    switch (p->kind) {
    case PACKET_WRITE:
        return !p->is_reply;
    case PACKET_PUT:
        return !p->is_reply;
    case PACKET_REVOKE:
        return p->is_reply && p->asked != PACKET_KINDS;
    case PACKET_SHOW:
        return p->asked == PACKET_WRITE || (p->is_reply && p->asked == PACKET_READ);
    default:
        return false;
    }
}

/* The access that has the turn lies in `remote` alone but while it is performed. */
static inline bool packed_is_apart(const struct directory *d)
{
    const struct directory_remote *r = &d->remote;
    return r->packet && d->protocol->registration->remote[r->kind][r->phase] != REMOTE_ACCESS;
}

/* A load at remote scope that was performed, and waits for the phases behind that. */
static inline bool packed_has_waiting_values(const struct world *w, const struct packet *p)
{
    const struct directory_remote *r = &w->directory.remote;
    bool performed = w->served == p;
    if (r->packet != p || p->kind != PACKET_READ)
        return false;
    for (unsigned i = 0; i < r->phase; i++)
        performed |= w->directory.protocol->registration->remote[r->kind][i] == REMOTE_ACCESS;
    return performed;
}

/* Words whose values count. */
static inline unsigned packed_carried(struct world *w, const struct packet *p)
{
    unsigned words = packed_has_mask(p) ? packed_words_of(w, world_line_of(p->address), p->mask[0]) : 0;
    if (packed_has_waiting_values(w, p))
        return packed_words_in(w, packed_range_of(w, p));
    bool reads =
        p->kind == PACKET_READ || p->kind == PACKET_REGISTER || (p->kind == PACKET_SHOW && p->asked == PACKET_READ);
    return p->is_reply && reads ? words | packed_words_in(w, packed_range_of(w, p)) : words;
}

static inline bool packed_is_access(const struct packet *p)
{
    return !p->is_reply && (p->kind == PACKET_READ || p->kind == PACKET_WRITE || p->kind == PACKET_ATOMIC);
}

static inline bool packed_has_lane(const struct packet *p)
{
    return p->kind == PACKET_ATOMIC;
}

/* The number of a registration. */
static inline bool packed_has_grant(const struct packet *p)
{
    return p->is_reply ? p->kind == PACKET_REGISTER : p->kind == PACKET_SHOW;
}

/* The number of a fill, or of an entry of the store queue from the oldest one that counts. */
static inline bool packed_has_fill(const struct packet *p)
{
    return p->cookie == CACHE_NO_WAITER && (p->kind == PACKET_READ || p->kind == PACKET_WRITE);
}

static inline bool packed_is_registered(const struct agent_line *line)
{
    return line->state == AGENT_R || line->state == AGENT_P || line->state == AGENT_E;
}

/* The thread of the cache that stands at its door, or NULL. */
static inline const struct world_thread *packed_at_door(const struct world *w, unsigned cache)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (w->program.roles[t].cache == cache && w->threads[t].phase == PHASE_TRY)
            return &w->threads[t];
    return NULL;
}

static inline uint64_t packed_door_address(const struct world *w, const struct world_thread *t)
{
    return world_place_address(w, t->access.place);
}

#endif
