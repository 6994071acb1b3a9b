/* A state back from its bytes: each field is read in the order in which pack.c writes it. */
#include <string.h>

#include "check/packed.h"
#include "isa/mod_values.h"
#include "isa/op.h"

struct reader {
    struct model *w;
    const uint8_t *at;
    bool many[CHECKER_CACHES]; /* threads of a block */
};

static unsigned get(struct reader *in)
{
    return *in->at++;
}

static void get_words(struct reader *in, unsigned line, unsigned words, uint8_t *data)
{
    for (unsigned word = 0; word < in->w->program.layout.words; word++)
        if (words >> word & 1)
            model_put(in->w, line * MODEL_WORDS + word, (uint8_t)get(in), data);
}

static void get_lanes(struct reader *in, struct message_atomic *m)
{
    static const uint8_t types[] = {[2] = ISA_B16, [4] = ISA_U32, [8] = ISA_U64};
    const struct packet *p = &m->packet;
    unsigned place = model_place_of(in->w, p->address);
    m->type = types[p->bytes];
    m->lane_count = 1;
    m->lanes[0] = (struct packet_lane){.offset = (uint8_t)(p->address % PACKET_LINE_BYTES)};
    uint8_t operand = (uint8_t)get(in), compare = (uint8_t)get(in);
    bool counts_up = !p->is_reply && (m->atomic == ISA_ATOMIC_INC || m->atomic == ISA_ATOMIC_ADD);
    m->lanes[0].operand = counts_up ? operand : model_encode(in->w, place, operand);
    m->lanes[0].compare = model_encode(in->w, place, compare);
}

/* A field of a packet; what is left of its flags is in *flags. */
static uint32_t get_field(struct reader *in, const struct packet *p, enum packed_as as, unsigned *flags)
{
    uint32_t value = as == PACKED_FLAG ? *flags & 1 : get(in);
    switch (as) {
    case PACKED_FLAG:
        *flags >>= 1;
        return value;
    case PACKED_THREAD:
        return value == MODEL_NONE ? PACKET_NOBODY : value;
    case PACKED_SLOT:
        return value == MODEL_NONE ? PACKET_NO_SLOT : value;
    case PACKED_EPOCH:
        if (write_of(p)->slot != PACKET_NO_SLOT)
            block_order_add(&in->w->blocks[p->sm], (uint8_t)value);
        return value;
    case PACKED_FILL:
        return value == MODEL_NONE ? PACKET_NO_FILL : value;
    case PACKED_ENTRY:
        return value == MODEL_NONE ? PACKET_NO_ENTRY : value;
    default:
        return value;
    }
}

static unsigned get_mask(struct reader *in, struct packet *p, unsigned when)
{
    unsigned words = get(in);
    if (message_means(when, p))
        packet_mask(p)[0] = packed_mask_of(in->w, model_line_of(p->address), words);
    return words;
}

/* get_read, get_write, ...: as put_read and its like in pack.c. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void get_##name(struct reader *in, struct message_##name *m, unsigned flags)                                \
    {                                                                                                                  \
        struct packet *p = &m->packet;                                                                                 \
        unsigned masked = 0;                                                                                           \
        uint8_t *data = NULL;
#define FIELD(type, name, start, most, when, pack, doc)                                                                \
    if (PACKED_##pack && message_means(MESSAGE_IN_##when, p))                                                          \
        m->name = (type)get_field(in, p, PACKED_##pack, &flags);
#define MESSAGE_BYTES data = m->data;
#define MESSAGE_MASK(when) masked = get_mask(in, p, MESSAGE_IN_##when);
#define MESSAGE_LANES get_lanes(in, m);
#define MESSAGE_END(NAME)                                                                                              \
    if (data)                                                                                                          \
        get_words(in, model_line_of(p->address), masked | packed_read(in->w, p), data);                                \
    (void)flags;                                                                                                       \
    }
#include "memory/message.def"

static void get_content(struct reader *in, struct packet *p, unsigned flags)
{
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        get_##name(in, name##_of(p), flags);                                                                           \
        break;
#include "memory/message.def"
    }
}

static struct packet *get_packet(struct reader *in)
{
    unsigned kind = get(in), where = get(in), flags = get(in);
    bool of_slice = message_sender_of(kind & 0xf) == MESSAGE_OF_SLICE, waits = kind >> 6 & 1;
    struct packet *p = model_packet(in->w, of_slice ? CHECKER_CACHES : where >> 5, kind & 0xf);
    p->is_reply = kind >> 4 & 1;
    p->space = PACKET_GLOBAL;
    p->sm = (uint16_t)(where >> 5);
    unsigned range = where >> 2 & 7, line = where & 3, first = range ? (range - 1) % MODEL_WORDS : 0;
    bool pair = range > MODEL_WORDS;
    p->address = range ? model_place_address(in->w, line * MODEL_WORDS + first) : model_address(in->w, line);
    p->local = p->address;
    p->bytes = (uint8_t)(range ? model_bytes(in->w, first, pair) : in->w->program.layout.bytes);
    get_content(in, p, flags);
    if (waits)
        get_words(in, line, packed_words_in(in->w, range), packet_data(p));
    if (message_is_access(p->kind) && access_of(p)->at_home)
        in->w->agents[p->sm].at_home[p->address >> in->w->agents[p->sm].set_shift & (AGENT_HOME - 1)]++;
    if (kind >> 5 & 1)
        in->w->directory.remote.packet = p;
    return p;
}

static void get_list(struct reader *in, struct packet_list *list)
{
    for (unsigned count = get(in); count > 0; count--)
        packet_append(list, get_packet(in));
}
static unsigned get_ring(struct reader *in, struct packet_ring *ring)
{
    unsigned count = get(in);
    for (unsigned i = 0; i < count; i++)
        packet_ring_push(ring, get_packet(in));
    return count;
}

static void get_fill(struct reader *in, struct agent *a, struct agent_line *line)
{
    struct agent_fill *fill = &a->fills[line->fill];
    unsigned count = get(in);
    *fill = (struct agent_fill){.line = (uint32_t)(line - a->lines), .first = AGENT_NONE, .last = AGENT_NONE};
    fill->next = AGENT_NONE;
    fill->offset = (uint32_t)(line->address % PACKET_LINE_BYTES);
    for (; fill->count < count; fill->count++) {
        uint32_t at = a->free_waiter;
        a->free_waiter = a->waiters[at].next;
        a->waiters[at] = (struct agent_waiter){get(in), AGENT_NONE};
        if (fill->count)
            a->waiters[fill->last].next = at;
        else
            fill->first = at;
        fill->last = at;
    }
}

/* A free place of the line's set. */
static struct agent_line *place_in(const struct agent *a, uint64_t address)
{
    struct agent_line *line = a->lines + cache_set_of(address, a->set_shift, a->sets - 1, a->set_index) * a->ways;
    while (line->state != AGENT_I)
        line++;
    return line;
}

static void get_line(struct reader *in, unsigned cache)
{
    struct agent *a = &in->w->agents[cache];
    unsigned first = get(in), masks = get(in), fill = get(in), number = first >> 4 & 3;
    uint64_t address = model_address(in->w, number);
    struct agent_line *line = place_in(a, address);
    line->state = first & 0xf;
    line->address = address;
    line->used = ++a->clock;
    line->queued = first >> 6 & 1;
    line->valid.word[0] = packed_mask_of(in->w, number, masks & 0xf);
    line->written.word[0] = packed_mask_of(in->w, number, masks >> 4);
    line->fill = fill & 0x3f ? (fill & 0x3f) - 1 : AGENT_NONE;
    in->w->leases[cache].live |= (fill >> 6 & 1) << (line - a->lines);
    in->w->leases[cache].granted |= fill >> 7 << (line - a->lines);
    bool leaves = line->state == AGENT_P || line->state == AGENT_E;
    line->entry = line->queued ? get(in) : 0;
    line->flush = leaves ? get(in) : 0;
    line->early = line->state == AGENT_N ? (uint16_t)get(in) : 0;
    get_words(in, number, masks & 0xf, agent_data(a, line));
    line->grant = packed_is_registered(line) ? (uint16_t)get(in) : 0;
    if (first >> 7)
        get_list(in, &line->probes);
    if (line->fill != AGENT_NONE)
        get_fill(in, a, line);
    a->waiting += line->queued;
    a->flushing += leaves;
    for (const struct packet *p = line->probes.first; p; p = p->next)
        a->probes++;
}

static void free_fills(struct agent *a)
{
    a->free_fill = AGENT_NONE;
    for (uint32_t i = a->fill_count; i-- > 0;)
        if (a->fills[i].line == AGENT_NONE) {
            a->fills[i].next = a->free_fill;
            a->free_fill = i;
        }
}

static void get_queue(struct reader *in, struct agent *a)
{
    a->end = get(in);
    a->unsent = a->end;
    for (uint32_t i = 0; i < a->end; i++) {
        unsigned entry = get(in);
        a->writes[i] = (struct agent_write){model_address(in->w, entry & 0xf), (uint8_t)(entry >> 4)};
        if (entry >> 4 == AGENT_WAITS && a->unsent == a->end)
            a->unsent = i;
    }
    a->drain_to = get(in);
}

static void get_agent(struct reader *in, unsigned cache)
{
    struct agent *a = &in->w->agents[cache];
    const struct model_thread *door = packed_at_door(in->w, cache);
    in->w->blocks[cache].now = in->many[cache] ? get(in) : 0;
    unsigned flags = get(in);
    a->locks = flags & 0xf;
    a->stalled = flags >> 4 & 1;
    a->refused = flags >> 5 & 1;
    a->refused_room = flags >> 6 & 1;
    a->refused_address = door ? packed_door_address(in->w, door) : 0;
    for (unsigned count = get(in); count > 0; count--)
        get_line(in, cache);
    free_fills(a);
    get_queue(in, a);
    get_ring(in, a->requests);
    get_list(in, &a->behind);
    get_list(in, &a->deferred);
    for (struct packet *p = a->deferred.first; p; p = p->next)
        access_of(p)->event = (uint8_t)get(in);
    get_list(in, &a->done);
    get_list(in, &a->lock_waits);
    for (const struct packet *p = a->lock_waits.first; p; p = p->next)
        a->probes++;
    get_list(in, &a->flushes);
    for (struct packet *p = a->flushes.first; p; p = p->next) {
        flush_of(p)->mark = get(in);
        a->probes++;
    }
    get_ring(in, a->answers);
    get_list(in, &in->w->probes[cache]);
}

static void get_entry(struct reader *in, unsigned line)
{
    struct directory *d = &in->w->directory;
    unsigned state = get(in);
    if (!state)
        return;
    struct directory_entry *entry = &d->entries[d->used];
    unsigned who = get(in);
    *entry = (struct directory_entry){.line = model_address(in->w, line), .next = d->hash[0]};
    entry->address = entry->line;
    d->hash[0] = d->used++;
    entry->state = (uint8_t)(state - 1);
    bool owned = directory_is_owned(entry);
    if (d->sharers)
        *directory_sharers(d, entry) = owned ? 0 : who & 0xf;
    entry->several = d->leases && who == SEVERAL;
    entry->owner = owned || (d->leases && !entry->several) ? who & 0xf : 0;
    entry->grant = (uint16_t)(owned ? who >> 4 : 0);
    entry->unanswered = (uint16_t)(owned ? 0 : who >> 4);
    get_list(in, &entry->parked);
    for (const struct packet *p = entry->parked.first; p; p = p->next, d->kept++)
        d->displaced += model_line_of(p->address) != line;
}

static void get_remote(struct reader *in)
{
    struct directory *d = &in->w->directory;
    unsigned phase = get(in);
    if (!phase)
        return;
    unsigned kind = get(in), where = get(in);
    d->remote.phase = (uint8_t)(phase - 1);
    d->remote.kind = kind & 0xf;
    d->remote.unanswered = kind >> 4;
    if (where & 1) {
        get_packet(in);
        d->kept++;
    }
    if (where & 2)
        in->w->served = get_packet(in);
}

static void get_directory(struct reader *in)
{
    struct model *w = in->w;
    struct directory *d = &w->directory;
    for (unsigned line = 0; line < w->setup->lines; line++)
        get_entry(in, line);
    get_list(in, &d->remotes);
    for (const struct packet *p = d->remotes.first; p; p = p->next)
        d->kept++;
    get_remote(in);
    for (unsigned line = 0; line < w->setup->lines; line++)
        get_words(in, line, packed_words_in(w, 0), w->memory[line]);
    w->tag_count = get(in);
    for (unsigned i = 0; i < w->tag_count; i++) {
        unsigned tag = get(in);
        w->tags[i] = tag & 0xf;
        w->held |= (tag >> 4) << w->tags[i];
    }
}

/* Which order it is follows from the access. */
static void get_wait(struct reader *in, struct model_thread *t)
{
    if (t->phase != PHASE_WAIT && t->phase != PHASE_FLUSH)
        return;
    t->wait.order = (uint8_t)model_order(&t->access);
    t->wait.flushing = t->phase == PHASE_FLUSH;
    t->wait.mark = t->wait.flushing ? get(in) : 0;
}

static void get_epochs(struct reader *in, struct model_thread *t, unsigned cache)
{
    bool many = in->many[cache];
    t->wait.after = many && t->phase == PHASE_WAIT ? get(in) : 0;
    if (t->load_place != MODEL_NONE) {
        t->load_epoch = many ? (uint8_t)get(in) : 0;
        block_order_add(&in->w->blocks[cache], t->load_epoch);
    }
    if (model_is_out(t)) {
        t->epoch = many ? (uint8_t)get(in) : 0;
        block_order_add(&in->w->blocks[cache], t->epoch);
    }
}

static void get_thread(struct reader *in, struct model_thread *t)
{
    unsigned first = get(in), ticket = in->w->program.guards[0].tickets ? get(in) : 0, out = get(in);
    *t = (struct model_thread){.stage = first & 0xf, .phase = (uint8_t)(first >> 4), .ticket = (uint8_t)ticket};
    t->load_place = out & 0xf ? (uint8_t)((out & 0xf) - 1) : MODEL_NONE;
    t->stores_out = out >> 4 & 7;
    t->load_pair = out >> 7;
    t->left = (uint8_t)get(in);
    t->load_values[0] = t->load_place != MODEL_NONE ? (uint8_t)get(in) : 0;
    t->load_values[1] = t->load_pair ? (uint8_t)get(in) : 0;
    t->guard = t->manner = t->next = MODEL_NONE;
    if (t->stage != STAGE_IDLE) {
        t->guard = (uint8_t)get(in);
        t->manner = (uint8_t)get(in);
        t->next = (uint8_t)get(in);
    }
    if (t->phase != PHASE_READY) {
        unsigned op = get(in), place = get(in), order = get(in), value = get(in), compare = get(in);
        t->access = (struct model_access){.op = op & 0xf,
                                          .atomic = (uint8_t)(op >> 4),
                                          .place = place & 0xf,
                                          .pair = place >> 4,
                                          .order = order & 0xf,
                                          .scope = (uint8_t)(order >> 4),
                                          .value = (uint8_t)value,
                                          .compare = (uint8_t)compare};
    }
    get_wait(in, t);
    get_epochs(in, t, in->w->program.roles[t - in->w->threads].cache);
}

/* An epoch in which something is out stands where it was written down; what the block has synchronised is all that
 * issued in the epochs before the present one. */
static void end_epochs(struct model *w)
{
    for (unsigned cache = 0; cache < w->setup->caches; cache++) {
        struct block_order *block = &w->blocks[cache];
        block->synchronised = block->now;
        while (block->first != block->now && !block->out[block->first])
            block->first++;
    }
}

void model_unpack(struct model *w, const uint8_t *bytes)
{
    struct reader in = {.w = w, .at = bytes};
    model_clear(w);
    for (unsigned i = 0, seen = 0; i < w->program.threads; i++) {
        unsigned cache = w->program.roles[i].cache;
        in.many[cache] = seen >> cache & 1;
        seen |= 1u << cache;
    }
    unsigned kernel = get(&in);
    w->kernel = kernel & 0xf;
    w->ending = kernel >> 4;
    for (unsigned i = 0; i < w->program.threads; i++)
        get_thread(&in, &w->threads[i]);
    for (unsigned i = 0; i < w->program.guard_count; i++)
        w->holder[i] = (uint8_t)get(&in);
    for (unsigned line = 0; line < w->setup->lines; line++)
        for (unsigned word = 0; word < w->program.layout.words; word++)
            w->truth[line * MODEL_WORDS + word] = (uint8_t)get(&in);
    for (unsigned i = 0; i < w->setup->caches; i++)
        get_agent(&in, i);
    get_directory(&in);
    for (unsigned count = get(&in); w->reply_count < count;)
        w->replies[w->reply_count++] = get_packet(&in);
    end_epochs(w);
}
