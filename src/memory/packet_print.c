/* Messages in words (packet.h): for reports of what waits, and for failed tests. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "memory/packet.h"

const char *message_word(unsigned kind)
{
    static const char *const words[PACKET_KINDS] = {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about) #name,
#include "memory/message.def"
    };
    return kind < PACKET_KINDS ? words[kind] : "nothing";
}

struct printer {
    struct strbuf *out;
    const char *separator; /* before the next field */
};

/* A field that a new packet would not have. */
static void print_field(struct printer *to, const char *name, uint64_t value)
{
    strbuf_addf(to->out, "%s%s %" PRIu64, to->separator, name, value);
    to->separator = ", ";
}

static void print_mask(struct printer *to, const uint64_t *mask)
{
    if (mask[0] || mask[1])
        strbuf_addf(to->out, "%smask %" PRIx64 ":%" PRIx64, to->separator, mask[1], mask[0]);
    to->separator = ", ";
}

static void print_lanes(struct printer *to, const struct message_atomic *m)
{
    for (unsigned i = 0; i < m->lane_count; i++) {
        const struct packet_lane *l = &m->lanes[i];
        strbuf_addf(to->out, "%slane %u at %u: %" PRIu64, to->separator, l->lane, l->offset, l->operand);
        to->separator = ", ";
    }
}

#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void print_##name(struct printer *to, const struct message_##name *m)                                       \
    {                                                                                                                  \
        (void)to, (void)m;
#define FIELD(type, name, start, most, when, pack, doc)                                                                \
    if (message_means(MESSAGE_IN_##when, &m->packet) && m->name != (type)(start))                                      \
        print_field(to, #name, m->name);
#define MESSAGE_MASK(when)                                                                                             \
    if (message_means(MESSAGE_IN_##when, &m->packet))                                                                  \
        print_mask(to, m->mask);
#define MESSAGE_LANES print_lanes(to, m);
#define MESSAGE_END(NAME) }
#include "memory/message.def"

void packet_print(const struct packet *p, struct strbuf *out)
{
    struct printer to = {out, ": "};
    strbuf_addf(out, "%s%s of 0x%" PRIx64 ", %u bytes, SM %u", message_word(p->kind), p->is_reply ? " (reply)" : "",
                p->address, p->bytes, p->sm);
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        print_##name(&to, name##_of(p));                                                                               \
        break;
#include "memory/message.def"
    }
}
