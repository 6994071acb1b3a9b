/* Shared by pack.c and unpack.c, which must agree: the words that a mask or a message has in a packed state, and the
 * parts of a message that count. */
#ifndef LOCKSTEP_CHECK_PACKED_H
#define LOCKSTEP_CHECK_PACKED_H

#include "check/model.h"

#define SEVERAL CHECKER_CACHES /* L1s have leases of a line, not one alone */

static inline uint64_t packed_word_mask(const struct model *w, unsigned place)
{
    return mask_low(model_word_of(w, place)->bytes) << model_offset(w, place);
}

static inline void packed_apart(struct model *w, unsigned place)
{
    model_fault(w, "the bytes of line %u [%u] are apart", model_line_name(w, place / MODEL_WORDS), place % MODEL_WORDS);
}

/* The words of a line that a mask of bytes has. */
static inline unsigned packed_words_of(struct model *w, unsigned line, uint64_t mask)
{
    unsigned words = 0;
    for (unsigned word = 0; word < w->program.layout.words; word++) {
        uint64_t all = packed_word_mask(w, line * MODEL_WORDS + word);
        if (mask & all && ~mask & all)
            packed_apart(w, line * MODEL_WORDS + word);
        words |= (mask & all) != 0 ? 1u << word : 0;
    }
    return words;
}

static inline uint64_t packed_mask_of(const struct model *w, unsigned line, unsigned words)
{
    uint64_t mask = 0;
    for (unsigned word = 0; word < w->program.layout.words; word++)
        mask |= words >> word & 1 ? packed_word_mask(w, line * MODEL_WORDS + word) : 0;
    return mask;
}

/* 0: the whole line; else 1 + the word, or 5 + the first of two. */
static inline unsigned packed_range_of(const struct model *w, const struct packet *p)
{
    if (p->bytes == w->program.layout.bytes)
        return 0;
    unsigned place = model_place_of(w, p->address);
    return (p->bytes == model_word_of(w, place)->bytes ? 1 : 1 + MODEL_WORDS) + place % MODEL_WORDS;
}

static inline unsigned packed_words_in(const struct model *w, unsigned range)
{
    if (!range)
        return (1u << w->program.layout.words) - 1;
    return range > MODEL_WORDS ? 3u << (range - 1 - MODEL_WORDS) : 1u << (range - 1);
}

static inline bool packed_of_slice(const struct packet *p)
{
    return message_sender_of(p->kind) == MESSAGE_OF_SLICE;
}

/* Fields of a message by how they are written down (message.def, column PACK). */
enum packed_as {
    PACKED_NOT,
    PACKED_BYTE,
    PACKED_FLAG,
    PACKED_THREAD,
    PACKED_SLOT,
    PACKED_EPOCH,
    PACKED_FILL,
    PACKED_ENTRY,
    PACKED_GRANT
};
/* Its mask says something. */
static inline bool packed_masks(const struct packet *p)
{
    static const uint8_t when[PACKET_KINDS] = {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) [PACKET_##NAME] = 0
#define MESSAGE_MASK(in) | MESSAGE_IN_##in
#define MESSAGE_END(NAME) ,
#include "memory/message.def"
    };
    return message_means(when[p->kind], p);
}

/* The access that has the turn lies in `remote` alone but while it is performed. */
static inline bool packed_is_apart(const struct directory *d)
{
    const struct directory_remote *r = &d->remote;
    return r->packet && d->protocol->registration->remote[r->kind][r->phase] != REMOTE_ACCESS;
}

/* A load at remote scope that was performed, and waits for the phases behind that. */
static inline bool packed_has_waiting_values(const struct model *w, const struct packet *p)
{
    const struct directory_remote *r = &w->directory.remote;
    bool performed = w->served == p;
    if (r->packet != p || p->kind != PACKET_READ)
        return false;
    for (unsigned i = 0; i < r->phase; i++)
        performed |= w->directory.protocol->registration->remote[r->kind][i] == REMOTE_ACCESS;
    return performed;
}

/* Words of a reply that has them all, within its bytes. */
static inline unsigned packed_read(const struct model *w, const struct packet *p)
{
    bool reads = p->kind == PACKET_READ || p->kind == PACKET_REGISTER ||
                 (p->kind == PACKET_FORWARD && forward_of(p)->asked == PACKET_READ && !forward_of(p)->is_void);
    return p->is_reply && reads ? packed_words_in(w, packed_range_of(w, p)) : 0;
}

/* The number of a registration, or NULL: the packet has none. */
static inline const uint16_t *packed_grant(const struct packet *p)
{
    switch (p->kind) {
    case PACKET_REGISTER:
        return p->is_reply ? &register_of(p)->grant : NULL;
    case PACKET_FORWARD:
        return p->is_reply ? NULL : &forward_of(p)->grant;
    default:
        return NULL;
    }
}

static inline bool packed_is_registered(const struct agent_line *line)
{
    return line->state == AGENT_R || line->state == AGENT_P || line->state == AGENT_E;
}

/* The thread of the cache that stands at its door, or NULL. */
static inline const struct model_thread *packed_at_door(const struct model *w, unsigned cache)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (w->program.roles[t].cache == cache && w->threads[t].phase == PHASE_TRY)
            return &w->threads[t];
    return NULL;
}

static inline uint64_t packed_door_address(const struct model *w, const struct model_thread *t)
{
    return model_place_address(w, t->access.place);
}

#endif
