/* A state as bytes, and back. Nothing is written that no step can depend on: sequence numbers are told from the oldest
 * one that counts, the clock of a cache by the order of its lines, free lists not at all, and of a packet that which
 * its kind has. So two states that behave alike are mostly the same bytes; and where a program is alike for all caches
 * or lines, of all ways to name them that which gives the smallest bytes is taken. Every field that is written here is
 * read in the same order by unpack.c. */
#include <string.h>

#include "check/packed.h"
#include "isa/mod_values.h"
#include "isa/op.h"

/* New names by old ones, and back. A thread is named as its cache, a guard as its line, where those have new names. */
struct names {
    uint8_t cache_to[CHECKER_CACHES], cache_from[CHECKER_CACHES];
    uint8_t line_to[CHECKER_LINES], line_from[CHECKER_LINES];
    uint8_t thread_to[MODEL_THREADS + 1], thread_from[MODEL_THREADS];
    uint8_t guard_from[CHECKER_LINES];
    const uint8_t *guard_to;
    uint32_t turns; /* set of places whose values name threads, by old names */
};

/* Registrations of a line whose numbers may still be looked at, the oldest first: all that counts is which are the
 * same. */
struct grants {
    uint16_t numbers[CHECKER_LINES][32];
    uint8_t count[CHECKER_LINES];
};

/* Of the epochs of a block, those alone count that have accesses out, and whether these are before what some thread
 * waits for, or will: epochs between which there is no such bound are one. A block of one thread has but one: it waits
 * for its own accesses anyway. */
struct epochs {
    uint8_t rank[CHECKER_CACHES][BLOCK_EPOCHS]; /* by epoch % BLOCK_EPOCHS */
    bool many[CHECKER_CACHES];                  /* threads */
};

struct writer {
    struct model *w;
    const struct grants *grants;
    const struct epochs *epochs;
    const struct names *n;
    uint8_t *at;
};

static void put(struct writer *o, unsigned byte)
{
    *o->at++ = (uint8_t)byte;
}

static unsigned thread_name(const struct writer *o, unsigned thread)
{
    return thread < MODEL_THREADS ? o->n->thread_to[thread] : thread;
}

/* The value of a place: where it says whose turn it is, it changes as threads do. */
static void put_value(struct writer *o, unsigned place, unsigned value)
{
    bool names = o->n->turns >> place & 1;
    put(o, names && value < o->w->program.threads ? o->n->thread_to[value] : value);
}

/* A word's value. Its bytes must have it as the program writes it. */
static void put_word(struct writer *o, unsigned place, const uint8_t *line)
{
    unsigned at = model_offset(o->w, place), bytes = model_word_of(o->w, place)->bytes;
    uint8_t rest = o->w->program.numbers >> place & 1 ? 0 : line[at];
    for (unsigned i = 1; i < bytes; i++)
        if (line[at + i] != rest)
            packed_apart(o->w, place);
    put_value(o, place, line[at]);
}

static void put_words(struct writer *o, unsigned line, unsigned words, const uint8_t *data)
{
    for (unsigned word = 0; word < o->w->program.layout.words; word++)
        if (words >> word & 1)
            put_word(o, line * MODEL_WORDS + word, data);
}

/* Packets */

static unsigned grant_name(const struct writer *o, unsigned line, uint16_t number)
{
    unsigned name = 0;
    while (name < o->grants->count[line] && o->grants->numbers[line][name] != number)
        name++;
    return name;
}

static unsigned epoch_name(const struct writer *o, unsigned cache, uint32_t epoch)
{
    return o->epochs->rank[cache][epoch % BLOCK_EPOCHS];
}

static void put_lanes(struct writer *o, const struct message_atomic *m)
{
    unsigned place = model_place_of(o->w, m->packet.address);
    const struct packet_lane *lane = &m->lanes[0];
    bool old = m->packet.is_reply, exchanges = m->atomic == ISA_ATOMIC_EXCH;
    if (old || exchanges)
        put_value(o, place, (uint8_t)lane->operand);
    else
        put(o, (unsigned)lane->operand);
    put(o, old ? 0 : (unsigned)lane->compare);
    if (old && lane->operand != model_encode(o->w, place, (uint8_t)lane->operand))
        packed_apart(o->w, place);
}

/* A field of a packet whose flags are written down at `flags`; *count of them are there so far. */
static void put_field(struct writer *o, const struct packet *p, enum packed_as as, uint32_t value, uint8_t *flags,
                      unsigned *count)
{
    const struct agent *a = &o->w->agents[p->sm];
    switch (as) {
    case PACKED_NOT:
        break;
    case PACKED_BYTE:
        put(o, value);
        break;
    case PACKED_FLAG:
        *flags = (uint8_t)(*flags | value << (*count)++);
        break;
    case PACKED_THREAD:
        put(o, value == PACKET_NOBODY ? MODEL_NONE : o->n->thread_to[value]);
        break;
    case PACKED_SLOT:
        put(o, value == PACKET_NO_SLOT ? MODEL_NONE : o->n->thread_to[value]);
        break;
    case PACKED_EPOCH:
        put(o, write_of(p)->slot == PACKET_NO_SLOT ? 0 : epoch_name(o, p->sm, value));
        break;
    case PACKED_FILL:
        put(o, value == PACKET_NO_FILL ? MODEL_NONE : value);
        break;
    case PACKED_ENTRY:
        put(o, value == PACKET_NO_ENTRY ? MODEL_NONE : (value - a->arrived) % AGENT_WRITES);
        break;
    case PACKED_GRANT:
        put(o, grant_name(o, model_line_of(p->address), (uint16_t)value));
        break;
    }
}

/* Words whose values the packet carries: under its mask, of what it has read, or of a load that waits at home. */
static unsigned put_mask(struct writer *o, const struct packet *p, unsigned when)
{
    unsigned words = message_means(when, p) ? packed_words_of(o->w, model_line_of(p->address), packet_mask(p)[0]) : 0;
    put(o, words);
    return words;
}

/* put_read, put_write, ...: the fields of each message; then the values that it carries. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static void put_##name(struct writer *o, const struct message_##name *m, uint8_t *flags)                           \
    {                                                                                                                  \
        const struct packet *p = &m->packet;                                                                           \
        unsigned count = 0, words = packed_read(o->w, p);                                                              \
        const uint8_t *data = NULL;
#define FIELD(type, name, start, most, when, pack, doc)                                                                \
    if (PACKED_##pack && message_means(MESSAGE_IN_##when, p))                                                          \
        put_field(o, p, PACKED_##pack, m->name, flags, &count);
#define MESSAGE_BYTES data = m->data;
#define MESSAGE_MASK(when) words |= put_mask(o, p, MESSAGE_IN_##when);
#define MESSAGE_LANES put_lanes(o, m);
#define MESSAGE_END(NAME)                                                                                              \
    if (data)                                                                                                          \
        put_words(o, model_line_of(p->address), words, data);                                                          \
    (void)flags, (void)count;                                                                                          \
    }
#include "memory/message.def"

static void put_packet(struct writer *o, const struct packet *p)
{
    struct model *w = o->w;
    bool has_turn = w->directory.remote.packet == p, waits = packed_has_waiting_values(w, p);
    unsigned line = model_line_of(p->address), range = packed_range_of(w, p);
    put(o, p->kind | p->is_reply << 4 | has_turn << 5 | waits << 6);
    put(o, o->n->line_to[line] | range << 2 | o->n->cache_to[p->sm] << 5);
    uint8_t *flags = o->at;
    put(o, 0);
    switch (p->kind) {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    case PACKET_##NAME:                                                                                                \
        put_##name(o, name##_of(p), flags);                                                                            \
        break;
#include "memory/message.def"
    }
    if (waits)
        put_words(o, line, packed_words_in(w, range), packet_data(p));
}

static void put_list(struct writer *o, const struct packet_list *list)
{
    unsigned count = 0;
    for (const struct packet *p = list->first; p; p = p->next)
        count++;
    put(o, count);
    for (const struct packet *p = list->first; p; p = p->next)
        put_packet(o, p);
}

/* Packets for different slices have no order among them. */
static void put_ring(struct writer *o, const struct packet_ring *ring)
{
    put(o, ring->count);
    for (unsigned slice = 0; slice < o->w->setup->slices; slice++)
        for (uint32_t i = 0; i < ring->count; i++) {
            const struct packet *p = *packet_ring_at(ring, i);
            if (o->n->line_to[model_line_of(p->address)] % o->w->setup->slices == slice)
                put_packet(o, p);
        }
}
static void put_probes(struct writer *o, const struct packet_list *list)
{
    unsigned count = 0;
    for (const struct packet *p = list->first; p; p = p->next)
        count++;
    put(o, count);
    for (unsigned slice = 0; slice < o->w->setup->slices; slice++)
        for (const struct packet *p = list->first; p; p = p->next)
            if (o->n->line_to[model_line_of(p->address)] % o->w->setup->slices == slice)
                put_packet(o, p);
}

/* Replies come in any order: they are put down sorted. */
static void put_replies(struct writer *o)
{
    const struct model *w = o->w;
    uint8_t bytes[MODEL_REPLIES][24], sizes[MODEL_REPLIES], order[MODEL_REPLIES];
    struct writer one = *o;
    put(o, w->reply_count);
    for (uint32_t i = 0; i < w->reply_count; i++) {
        one.at = bytes[i];
        put_packet(&one, w->replies[i]);
        sizes[i] = (uint8_t)(one.at - bytes[i]);
        memset(one.at, 0, sizeof bytes[i] - sizes[i]);
        uint32_t at = i;
        for (; at > 0 && memcmp(bytes[order[at - 1]], bytes[i], sizeof bytes[i]) > 0; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < w->reply_count; i++) {
        memcpy(o->at, bytes[order[i]], sizes[order[i]]);
        o->at += sizes[order[i]];
    }
}

/* Agents */

static unsigned from(uint32_t first, uint32_t number)
{
    return (int32_t)(number - first) > 0 ? number - first : 0;
}

static void put_line(struct writer *o, unsigned cache, const struct agent_line *line)
{
    const struct agent *a = &o->w->agents[cache];
    unsigned number = model_line_of(line->address);
    bool leaves = line->state == AGENT_P || line->state == AGENT_E, fills = line->fill != AGENT_NONE;
    put(o, line->state | o->n->line_to[number] << 4 | line->queued << 6 | (line->probes.first != NULL) << 7);
    unsigned valid = packed_words_of(o->w, number, line->valid.word[0]);
    put(o, valid | packed_words_of(o->w, number, line->written.word[0]) << 4);
    uint32_t place = (uint32_t)(line - a->lines);
    put(o, (fills ? 1 + line->fill : 0) | model_has_lease(o->w, cache, place) << 6 |
               model_is_granted(o->w, cache, place) << 7);
    if (line->queued)
        put(o, line->entry - a->arrived);
    if (leaves)
        put(o, from(a->arrived, line->flush));
    if (line->state == AGENT_N)
        put(o, line->early);
    put_words(o, number, valid, agent_data(a, line));
    if (packed_is_registered(line))
        put(o, grant_name(o, number, line->grant));
    if (line->probes.first)
        put_list(o, &line->probes);
    if (!fills)
        return;
    put(o, a->fills[line->fill].count);
    for (uint32_t i = 0, at = a->fills[line->fill].first; i < a->fills[line->fill].count; i++, at = a->waiters[at].next)
        put(o, thread_name(o, a->waiters[at].value));
}

/* Lines set by set, in the order in which they were used; where they lie in their set decides nothing. */
static void put_lines(struct writer *o, unsigned cache)
{
    const struct agent *a = &o->w->agents[cache];
    const struct agent_line *order[16];
    unsigned count = 0, first = 0;
    for (uint32_t i = 0; i < a->sets * a->ways; i++) {
        const struct agent_line *line = &a->lines[i];
        first = i % a->ways ? first : count;
        if (line->state == AGENT_I)
            continue;
        unsigned at = count++;
        for (; at > first && order[at - 1]->used > line->used; at--)
            order[at] = order[at - 1];
        order[at] = line;
    }
    put(o, count);
    for (unsigned i = 0; i < count; i++)
        put_line(o, cache, order[i]);
}

static void put_queue(struct writer *o, const struct agent *a)
{
    put(o, a->end - a->arrived);
    for (uint32_t i = a->arrived; i != a->end; i++) {
        const struct agent_write *entry = &a->writes[i % AGENT_WRITES];
        put(o, o->n->line_to[model_line_of(entry->address)] | entry->state << 4);
    }
    put(o, (int32_t)(a->drain_to - a->unsent) > 0 ? a->drain_to - a->arrived : 0);
}

static void put_agent(struct writer *o, unsigned cache)
{
    const struct agent *a = &o->w->agents[cache];
    if (o->epochs->many[cache])
        put(o, epoch_name(o, cache, o->w->blocks[cache].now));
    const struct model_thread *door = packed_at_door(o->w, cache);
    bool refused = a->refused && door && packed_door_address(o->w, door) == a->refused_address;
    put(o, a->locks | a->stalled << 4 | refused << 5 | (refused && a->refused_room) << 6);
    put_lines(o, cache);
    put_queue(o, a);
    put_ring(o, a->requests);
    put_list(o, &a->behind);
    put_list(o, &a->deferred);
    for (const struct packet *p = a->deferred.first; p; p = p->next)
        put(o, access_of(p)->event);
    put_list(o, &a->done);
    put_list(o, &a->lock_waits);
    put_list(o, &a->flushes);
    for (const struct packet *p = a->flushes.first; p; p = p->next)
        put(o, from(a->arrived, flush_of(p)->mark));
    put_ring(o, a->answers);
    put_probes(o, &o->w->probes[cache]);
}

/* The rest */

/* The sharers of a line, as a set of the names of L1s. */
static unsigned sharers_name(const struct writer *o, const struct directory_entry *entry)
{
    unsigned named = 0;
    for (unsigned c = 0; c < o->w->setup->caches; c++)
        if (*directory_sharers(&o->w->directory, entry) >> c & 1)
            named |= 1u << o->n->cache_to[c];
    return named;
}

static void put_entry(struct writer *o, const struct directory_entry *entry)
{
    put(o, entry ? 1u + entry->state : 0);
    if (!entry)
        return;
    if (directory_is_owned(entry))
        put(o, o->n->cache_to[entry->owner] | grant_name(o, model_line_of(entry->line), entry->grant) << 4);
    else if (o->w->directory.leases)
        put(o, entry->state != DIRECTORY_L ? 0 : entry->several ? SEVERAL : o->n->cache_to[entry->owner]);
    else
        put(o, sharers_name(o, entry) | (unsigned)entry->unanswered << 4);
    put_list(o, &entry->parked);
}

static void put_directory(struct writer *o)
{
    const struct model *w = o->w;
    const struct directory *d = &w->directory;
    for (unsigned line = 0; line < w->setup->lines; line++)
        put_entry(o, directory_find(d, model_address(w, o->n->line_from[line])));
    put_list(o, &d->remotes);
    put(o, d->remote.packet ? 1u + d->remote.phase : 0);
    if (d->remote.packet) {
        put(o, d->remote.kind | d->remote.unanswered << 4);
        put(o, packed_is_apart(d) | (w->served != NULL) << 1);
        if (packed_is_apart(d))
            put_packet(o, d->remote.packet);
        if (w->served)
            put_packet(o, w->served);
    }
    for (unsigned line = 0; line < w->setup->lines; line++)
        put_words(o, o->n->line_from[line], packed_words_in(w, 0), w->memory[o->n->line_from[line]]);
    put(o, w->tag_count);
    for (unsigned set = 0; set < w->setup->l2sets; set++)
        for (unsigned i = 0; i < w->tag_count; i++)
            if ((o->n->line_to[w->tags[i]] & (w->setup->l2sets - 1)) == set)
                put(o, o->n->line_to[w->tags[i]] | (w->held >> w->tags[i] & 1) << 4);
}

static unsigned place_name(const struct writer *o, unsigned place)
{
    return o->n->line_to[place / MODEL_WORDS] * MODEL_WORDS + place % MODEL_WORDS;
}

static void put_access(struct writer *o, const struct model_access *a)
{
    bool names = a->op == OP_SYNC_STORE || a->atomic == ISA_ATOMIC_EXCH;
    put(o, a->op | a->atomic << 4);
    put(o, place_name(o, a->place) | a->pair << 4);
    put(o, a->order | a->scope << 4);
    if (names)
        put_value(o, a->place, a->value);
    else
        put(o, a->value);
    put(o, a->compare);
}

static bool is_past(const struct block_order *block, uint32_t epoch)
{
    return (int32_t)(epoch - block->first) < 0;
}

static void find_epochs_of(const struct model *w, unsigned cache, struct epochs *e)
{
    const struct block_order *block = &w->blocks[cache];
    unsigned threads = 0, rank = 0, bounds = 1u << block->now % BLOCK_EPOCHS;
    for (unsigned i = 0; i < w->program.threads; i++) {
        const struct model_thread *t = &w->threads[i];
        if (w->program.roles[i].cache != cache)
            continue;
        threads++;
        if (t->phase == PHASE_WAIT && !is_past(block, t->wait.after))
            bounds |= 1u << t->wait.after % BLOCK_EPOCHS;
    }
    e->many[cache] = threads > 1;
    bool any = false;
    for (uint32_t epoch = block->first; (int32_t)(block->now - epoch) >= 0; epoch++) {
        unsigned at = epoch % BLOCK_EPOCHS;
        rank += any && (bounds >> at & 1);
        any = block->out[at] || (any && !(bounds >> at & 1));
        e->rank[cache][at] = threads > 1 ? (uint8_t)rank : 0;
    }
}

static void put_thread(struct writer *o, unsigned thread)
{
    const struct model_thread *t = &o->w->threads[thread];
    unsigned cache = o->w->program.roles[thread].cache;
    put(o, t->stage | t->phase << 4);
    if (o->w->program.guards[0].tickets)
        put(o, t->ticket);
    put(o,
        (t->load_place == MODEL_NONE ? 0 : 1 + place_name(o, t->load_place)) | t->stores_out << 4 | t->load_pair << 7);
    put(o, t->left);
    if (t->load_place != MODEL_NONE)
        put(o, t->load_values[0]);
    if (t->load_pair)
        put(o, t->load_values[1]);
    if (t->stage != STAGE_IDLE) {
        put(o, t->guard == MODEL_NONE ? MODEL_NONE : o->n->guard_to[t->guard]);
        put(o, t->manner);
        put(o, o->n->turns && t->next < MODEL_THREADS ? o->n->thread_to[t->next] : t->next);
    }
    if (t->phase != PHASE_READY)
        put_access(o, &t->access);
    if (t->phase == PHASE_FLUSH)
        put(o, from(o->w->agents[cache].arrived, t->wait.mark));
    if (!o->epochs->many[cache])
        return;
    if (t->phase == PHASE_WAIT)
        put(o, is_past(&o->w->blocks[cache], t->wait.after) ? 0 : epoch_name(o, cache, t->wait.after));
    if (t->load_place != MODEL_NONE)
        put(o, epoch_name(o, cache, t->load_epoch));
    if (model_is_out(t))
        put(o, epoch_name(o, cache, t->epoch));
}

/* The registrations that are known */

static void add_grant(const struct model *w, struct grants *g, uint64_t address, uint16_t number)
{
    unsigned line = model_line_of(address), at = g->count[line];
    uint16_t *numbers = g->numbers[line], age = (uint16_t)(w->directory.grants - number);
    for (unsigned i = 0; i < g->count[line]; i++)
        if (numbers[i] == number)
            return;
    for (; at > 0 && (uint16_t)(w->directory.grants - numbers[at - 1]) < age; at--)
        numbers[at] = numbers[at - 1];
    numbers[at] = number;
    g->count[line]++;
}

static void add_grant_of(const struct model *w, struct grants *g, const struct packet *p)
{
    const uint16_t *grant = packed_grant(p);
    if (grant)
        add_grant(w, g, p->address, *grant);
}

static void add_grants_of(const struct model *w, struct grants *g, const struct packet_list *list)
{
    for (const struct packet *p = list->first; p; p = p->next)
        add_grant_of(w, g, p);
}

static void find_grants(const struct model *w, struct grants *g)
{
    memset(g->count, 0, sizeof g->count);
    for (unsigned c = 0; c < w->setup->caches; c++) {
        const struct agent *a = &w->agents[c];
        add_grants_of(w, g, &w->probes[c]);
        for (uint32_t i = 0; i < a->sets * a->ways; i++) {
            if (packed_is_registered(&a->lines[i]))
                add_grant(w, g, a->lines[i].address, a->lines[i].grant);
            if (a->lines[i].state != AGENT_I)
                add_grants_of(w, g, &a->lines[i].probes);
        }
    }
    for (unsigned i = 0; i < w->reply_count; i++)
        add_grant_of(w, g, w->replies[i]);
    for (unsigned line = 0; line < w->setup->lines; line++) {
        const struct directory_entry *entry = directory_find(&w->directory, model_address(w, line));
        if (entry && directory_is_owned(entry))
            add_grant(w, g, entry->line, entry->grant);
    }
}

static void put_model(struct writer *o)
{
    const struct model *w = o->w;
    put(o, w->kernel | w->ending << 4);
    for (unsigned i = 0; i < w->program.threads; i++)
        put_thread(o, o->n->thread_from[i]);
    for (unsigned i = 0; i < w->program.guard_count; i++)
        put(o, thread_name(o, w->holder[o->n->guard_from[i]]));
    for (unsigned line = 0; line < w->setup->lines; line++)
        for (unsigned word = 0; word < w->program.layout.words; word++)
            put(o, w->truth[o->n->line_from[line] * MODEL_WORDS + word]);
    for (unsigned i = 0; i < w->setup->caches; i++)
        put_agent(o, o->n->cache_from[i]);
    put_directory(o);
    put_replies(o);
}

/* Names: permutations by their number */

static void permute(unsigned number, unsigned count, uint8_t to[], uint8_t from_[])
{
    for (unsigned i = 0; i < count; i++)
        from_[i] = (uint8_t)i;
    for (unsigned i = count; i > 1; i--) {
        unsigned k = i - 1 - number % i; /* number 0 leaves all where they are */
        uint8_t last = from_[i - 1];
        number /= i;
        from_[i - 1] = from_[k];
        from_[k] = last;
    }
    for (unsigned i = 0; i < count; i++)
        to[from_[i]] = (uint8_t)i;
}

static unsigned factorial(unsigned n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void name(const struct model *w, unsigned caches, unsigned lines, struct names *n)
{
    static const uint8_t same[CHECKER_LINES] = {0, 1, 2};
    permute(caches, w->setup->caches, n->cache_to, n->cache_from);
    permute(lines, w->setup->lines, n->line_to, n->line_from);
    for (uint8_t t = 0; t < MODEL_THREADS; t++) {
        bool alike = w->program.caches_alike && t < w->setup->caches;
        n->thread_to[t] = alike ? n->cache_to[t] : t;
        n->thread_from[t] = alike ? n->cache_from[t] : t;
    }
    bool follow = w->program.lines_alike;
    n->guard_to = follow ? n->line_to : same;
    memcpy(n->guard_from, follow ? n->line_from : same, sizeof n->guard_from);
    n->turns = 0;
    for (unsigned g = 0; g < w->program.guard_count && w->program.caches_alike; g++)
        if (w->program.guards[g].turns)
            n->turns |= 1u << w->program.guards[g].place;
}

uint32_t model_pack(struct model *w, uint8_t bytes[MODEL_BYTES], uint8_t caches[CHECKER_CACHES],
                    uint8_t lines[CHECKER_LINES])
{
    const struct checker_setup *s = w->setup;
    bool alike = !s->asymmetric, slices_alike = (s->slices == 1 || s->slices == s->lines) &&
                                                (s->sets == 1 || s->sets >= s->lines) &&
                                                (s->l2sets == 1 || s->l2sets >= s->lines);
    unsigned cache_ways = alike && w->program.caches_alike ? factorial(s->caches) : 1;
    unsigned line_ways = alike && w->program.lines_alike && slices_alike ? factorial(s->lines) : 1;
    uint32_t best = 0;
    struct grants grants;
    struct epochs epochs;
    find_grants(w, &grants);
    for (unsigned cache = 0; cache < s->caches; cache++)
        find_epochs_of(w, cache, &epochs);
    for (unsigned i = 0; i < cache_ways * line_ways; i++) {
        uint8_t other[MODEL_BYTES];
        struct names n;
        name(w, i % cache_ways, i / cache_ways, &n);
        struct writer o = {w, &grants, &epochs, &n, best ? other : bytes};
        put_model(&o);
        uint32_t size = (uint32_t)(o.at - (best ? other : bytes));
        if (best && (size > best || (size == best && memcmp(other, bytes, size) >= 0)))
            continue;
        if (best)
            memcpy(bytes, other, size);
        best = size;
        memcpy(caches, n.cache_to, CHECKER_CACHES);
        memcpy(lines, n.line_to, CHECKER_LINES);
    }
    return best;
}
