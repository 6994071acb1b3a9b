/* A state as bytes, and back. Nothing is written that no step can depend on: sequence numbers are told from the oldest
 * one that counts, the clock of a cache by the order of its lines, free lists not at all, and of a packet that which
 * its kind has. So two states that behave alike are mostly the same bytes; and where a program is alike for all caches
 * or lines, of all ways to name them that which gives the smallest bytes is taken. Every field that is written here is
 * read in the same order by the second half of the file. */
#include <string.h>

#include "check/world.h"
#include "isa/mod_values.h"
#include "isa/op.h"

/* New names by old ones, and back. A thread is named as its cache, a guard as its line, where those have new names. */
struct names {
    uint8_t cache_to[CHECKER_CACHES], cache_from[CHECKER_CACHES];
    uint8_t line_to[CHECKER_LINES], line_from[CHECKER_LINES];
    uint8_t thread_to[WORLD_THREADS + 1], thread_from[WORLD_THREADS];
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

/* Of the eras of a block, those alone count that have accesses out, and whether these are before what some thread waits
 * for, or will: eras between which there is no such bound are one. A block of one thread has but one: it waits for its
 * own accesses anyway. */
struct eras {
    uint8_t rank[CHECKER_CACHES][BLOCK_ERAS]; /* by era % BLOCK_ERAS */
    bool many[CHECKER_CACHES];                /* threads */
};

struct writer {
    const struct world *w;
    const struct grants *grants;
    const struct eras *eras;
    const struct names *n;
    uint8_t *at;
};

static void put(struct writer *o, unsigned byte)
{
    *o->at++ = (uint8_t)byte;
}

static unsigned thread_name(const struct writer *o, unsigned thread)
{
    return thread < WORLD_THREADS ? o->n->thread_to[thread] : thread;
}

/* The value of a place: where it says whose turn it is, it changes as threads do. */
static void put_value(struct writer *o, unsigned place, unsigned value)
{
    bool names = o->n->turns >> place & 1;
    put(o, names && value < o->w->program.threads ? o->n->thread_to[value] : value);
}

static unsigned words_of(uint64_t mask)
{
    unsigned words = 0;
    for (unsigned word = 0; word < WORLD_WORDS; word++)
        words |= (unsigned)(mask >> 4 * word & 1) << word;
    return words;
}
static uint64_t mask_of(unsigned words)
{
    uint64_t mask = 0;
    for (unsigned word = 0; word < WORLD_WORDS; word++)
        mask |= words >> word & 1 ? UINT64_C(0xf) << 4 * word : 0;
    return mask;
}

static void put_words(struct writer *o, unsigned line, unsigned words, const uint8_t *data)
{
    for (unsigned word = 0; word < WORLD_WORDS; word++)
        if (words >> word & 1)
            put_value(o, line * WORLD_WORDS + word, data[4 * word]);
}

/* Packets */

static unsigned grant_name(const struct writer *o, unsigned line, uint16_t number)
{
    unsigned name = 0;
    while (name < o->grants->count[line] && o->grants->numbers[line][name] != number)
        name++;
    return name;
}

/* 0: the whole line; else 1 + the word. */
static unsigned range_of(const struct packet *p)
{
    return p->bytes == WORLD_LINE_BYTES ? 0 : 1 + (unsigned)(p->address % PACKET_LINE_BYTES / 4);
}
static unsigned words_in(unsigned range)
{
    return range ? 1u << (range - 1) : (1u << WORLD_WORDS) - 1;
}
static bool of_slice(const struct packet *p)
{
    return message_sender_of(p->kind) == MESSAGE_OF_SLICE;
}
/* Its mask says something. */
static bool has_mask(const struct packet *p)
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
/* Words whose values count. */
static unsigned carried(const struct packet *p)
{
    unsigned words = has_mask(p) ? words_of(p->mask[0]) : 0;
    bool reads =
        p->kind == PACKET_READ || p->kind == PACKET_REGISTER || (p->kind == PACKET_SHOW && p->asked == PACKET_READ);
    return p->is_reply && reads ? words | words_in(range_of(p)) : words;
}
static bool is_access(const struct packet *p)
{
    return !p->is_reply && (p->kind == PACKET_READ || p->kind == PACKET_WRITE || p->kind == PACKET_ATOMIC);
}
static bool has_lane(const struct packet *p)
{
    return p->kind == PACKET_ATOMIC;
}
/* The number of a registration. */
static bool has_grant(const struct packet *p)
{
    return p->is_reply ? p->kind == PACKET_REGISTER : p->kind == PACKET_SHOW;
}
/* The number of a fill, or of an entry of the store queue from the oldest one that counts. */
static bool has_fill(const struct packet *p)
{
    return p->cookie == CACHE_NO_WAITER && (p->kind == PACKET_READ || p->kind == PACKET_WRITE);
}

static unsigned era_name(const struct writer *o, unsigned cache, uint32_t era)
{
    return o->eras->rank[cache][era % BLOCK_ERAS];
}

/* The thread of an access, and the era of an ordered store (world_cookie). */
static unsigned cookie_name(const struct writer *o, const struct packet *p)
{
    if (p->cookie == CACHE_NO_WAITER)
        return WORLD_NONE;
    unsigned thread = o->n->thread_to[world_thread_of(p->cookie)], era = p->cookie >> 8;
    return era ? thread | (1 + era_name(o, p->sm, era - 1)) << 3 : thread;
}

static void put_lane(struct writer *o, const struct packet *p, unsigned place)
{
    const struct packet_lane *lane = &p->lanes[0];
    bool old = p->is_reply, exchanges = p->atomic == ISA_ATOMIC_EXCH;
    put(o, p->atomic);
    if (old || exchanges)
        put_value(o, place, (unsigned)lane->operand);
    else
        put(o, (unsigned)lane->operand);
    put(o, old ? 0 : (unsigned)lane->compare);
}

static void put_packet(struct writer *o, const struct packet *p)
{
    const struct world *w = o->w;
    unsigned line = world_line_of(p->address), range = range_of(p), words = carried(p);
    bool cleared = p->cleared && is_access(p);
    put(o, p->kind | p->is_reply << 4 | cleared << 5 | (w->directory.remote.packet == p) << 6 | p->at_home << 7);
    put(o, o->n->line_to[line] | range << 2 | o->n->cache_to[p->sm] << 5);
    put(o, is_access(p) ? p->order | p->scope << 4 : 0);
    bool asks = p->kind == PACKET_SHOW || (p->kind == PACKET_REVOKE && p->is_reply);
    put(o, (asks ? p->asked : 0) | (has_mask(p) ? words_of(p->mask[0]) : 0) << 4 | words << 6);
    if (!of_slice(p))
        put(o, cookie_name(o, p));
    if (has_fill(p))
        put(o, p->kind == PACKET_WRITE ? (p->fill - w->agents[p->sm].arrived) % AGENT_WRITES : p->fill);
    if (has_grant(p))
        put(o, grant_name(o, line, p->fill));
    put_words(o, line, words, p->data);
    if (has_lane(p))
        put_lane(o, p, line * WORLD_WORDS + p->lanes[0].offset % PACKET_LINE_BYTES / 4);
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
            if (o->n->line_to[world_line_of(p->address)] % o->w->setup->slices == slice)
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
            if (o->n->line_to[world_line_of(p->address)] % o->w->setup->slices == slice)
                put_packet(o, p);
}

/* Replies come in any order: they are put down sorted. */
static void put_replies(struct writer *o)
{
    const struct world *w = o->w;
    uint8_t bytes[WORLD_REPLIES][16], sizes[WORLD_REPLIES], order[WORLD_REPLIES];
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

static bool is_registered(const struct agent_line *line)
{
    return line->state == AGENT_R || line->state == AGENT_P || line->state == AGENT_E;
}

static void put_line(struct writer *o, const struct agent *a, const struct agent_line *line)
{
    unsigned number = world_line_of(line->address);
    bool leaves = line->state == AGENT_P || line->state == AGENT_E, fills = line->fill != AGENT_NONE;
    put(o, line->state | o->n->line_to[number] << 4 | line->queued << 6 | (line->probes.first != NULL) << 7);
    put(o, words_of(line->valid.word[0]) | words_of(line->written.word[0]) << 2 | (fills ? 1 + line->fill : 0) << 4);
    if (line->queued)
        put(o, line->entry - a->arrived);
    if (leaves)
        put(o, from(a->arrived, line->flush));
    if (line->state == AGENT_N)
        put(o, line->early);
    put_words(o, number, words_of(line->valid.word[0]), agent_data(a, line));
    if (is_registered(line))
        put(o, grant_name(o, number, line->grant));
    if (line->probes.first)
        put_list(o, &line->probes);
    if (!fills)
        return;
    put(o, a->fills[line->fill].count);
    for (uint32_t i = 0, at = a->fills[line->fill].first; i < a->fills[line->fill].count; i++, at = a->waiters[at].next)
        put(o, thread_name(o, a->waiters[at].value));
}

/* Lines in the order in which they were used; where they lie in their set decides nothing. */
static void put_lines(struct writer *o, const struct agent *a)
{
    const struct agent_line *order[16];
    unsigned count = 0;
    for (uint32_t i = 0; i < a->ways; i++) {
        const struct agent_line *line = &a->lines[i];
        if (line->state == AGENT_I)
            continue;
        unsigned at = count++;
        for (; at > 0 && order[at - 1]->used > line->used; at--)
            order[at] = order[at - 1];
        order[at] = line;
    }
    put(o, count);
    for (unsigned i = 0; i < count; i++)
        put_line(o, a, order[i]);
}

static void put_queue(struct writer *o, const struct agent *a)
{
    put(o, a->end - a->arrived);
    for (uint32_t i = a->arrived; i != a->end; i++) {
        const struct agent_write *entry = &a->writes[i % AGENT_WRITES];
        put(o, o->n->line_to[world_line_of(entry->address)] | entry->state << 4);
    }
    put(o, (int32_t)(a->drain_to - a->unsent) > 0 ? a->drain_to - a->arrived : 0);
}

/* The thread of the cache that stands at its door, or NULL. */
static const struct world_thread *at_door(const struct world *w, unsigned cache)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (w->program.roles[t].cache == cache && w->threads[t].phase == PHASE_TRY)
            return &w->threads[t];
    return NULL;
}
static uint64_t door_address(const struct world_thread *t)
{
    return WORLD_ADDRESS(t->access.place / WORLD_WORDS) + t->access.place % WORLD_WORDS * 4;
}

static void put_agent(struct writer *o, unsigned cache)
{
    const struct agent *a = &o->w->agents[cache];
    if (o->eras->many[cache])
        put(o, era_name(o, cache, o->w->blocks[cache].now));
    const struct world_thread *door = at_door(o->w, cache);
    bool refused = a->refused && door && door_address(door) == a->refused_address;
    put(o, a->locks | a->stalled << 4 | refused << 5 | (refused && a->refused_room) << 6);
    put_lines(o, a);
    put_queue(o, a);
    put_ring(o, a->requests);
    put_list(o, &a->behind);
    put_list(o, &a->deferred);
    for (const struct packet *p = a->deferred.first; p; p = p->next)
        put(o, p->parts);
    put_list(o, &a->done);
    put_list(o, &a->lock_waits);
    put_list(o, &a->flushes);
    for (const struct packet *p = a->flushes.first; p; p = p->next)
        put(o, from(a->arrived, (uint32_t)p->ready));
    put_ring(o, a->answers);
    put_probes(o, &o->w->probes[cache]);
}

/* The rest */

static void put_entry(struct writer *o, const struct directory_entry *entry)
{
    put(o, entry ? 1u + entry->state : 0);
    if (!entry)
        return;
    put(o, o->n->cache_to[entry->owner] | grant_name(o, world_line_of(entry->line), entry->grant) << 4);
    put_list(o, &entry->parked);
}

/* The access that has the turn lies in `remote` alone but while it is performed. */
static bool is_apart(const struct directory *d)
{
    const struct directory_remote *r = &d->remote;
    return r->packet && d->protocol->registration->remote[r->kind][r->phase] != REMOTE_ACCESS;
}

static void put_directory(struct writer *o)
{
    const struct world *w = o->w;
    const struct directory *d = &w->directory;
    for (unsigned line = 0; line < w->setup->lines; line++)
        put_entry(o, directory_find(d, WORLD_ADDRESS(o->n->line_from[line])));
    put_list(o, &d->remotes);
    put(o, d->remote.packet ? 1u + d->remote.phase : 0);
    if (d->remote.packet) {
        put(o, d->remote.kind | d->remote.unanswered << 4);
        put(o, is_apart(d) | (w->served != NULL) << 1);
        if (is_apart(d))
            put_packet(o, d->remote.packet);
        if (w->served)
            put_packet(o, w->served);
    }
    for (unsigned line = 0; line < w->setup->lines; line++)
        for (unsigned word = 0; word < WORLD_WORDS; word++) {
            unsigned place = o->n->line_from[line] * WORLD_WORDS + word;
            put_value(o, place, w->memory[place][0]);
        }
    put(o, w->tag_count);
    for (unsigned i = 0; i < w->tag_count; i++)
        put(o, o->n->line_to[w->tags[i]] | (w->held >> w->tags[i] & 1) << 4);
}

static unsigned place_name(const struct writer *o, unsigned place)
{
    return o->n->line_to[place / WORLD_WORDS] * WORLD_WORDS + place % WORLD_WORDS;
}

static void put_access(struct writer *o, const struct world_access *a)
{
    bool names = a->op == OP_SYNC_STORE || a->atomic == ISA_ATOMIC_EXCH;
    put(o, a->op | a->atomic << 4);
    put(o, place_name(o, a->place));
    put(o, a->order | a->scope << 4);
    if (names)
        put_value(o, a->place, a->value);
    else
        put(o, a->value);
    put(o, a->compare);
}

static bool is_past(const struct block_order *block, uint32_t era)
{
    return (int32_t)(era - block->first) < 0;
}

static void find_eras_of(const struct world *w, unsigned cache, struct eras *e)
{
    const struct block_order *block = &w->blocks[cache];
    unsigned threads = 0, rank = 0, bounds = 1u << block->now % BLOCK_ERAS;
    for (unsigned i = 0; i < w->program.threads; i++) {
        const struct world_thread *t = &w->threads[i];
        if (w->program.roles[i].cache != cache)
            continue;
        threads++;
        if (t->phase == PHASE_WAIT && !is_past(block, t->wait.after))
            bounds |= 1u << t->wait.after % BLOCK_ERAS;
    }
    e->many[cache] = threads > 1;
    bool any = false;
    for (uint32_t era = block->first; (int32_t)(block->now - era) >= 0; era++) {
        unsigned at = era % BLOCK_ERAS;
        rank += any && (bounds >> at & 1);
        any = block->out[at] || (any && !(bounds >> at & 1));
        e->rank[cache][at] = threads > 1 ? (uint8_t)rank : 0;
    }
}

static void put_thread(struct writer *o, unsigned thread)
{
    const struct world_thread *t = &o->w->threads[thread];
    unsigned cache = o->w->program.roles[thread].cache;
    put(o, t->stage | t->phase << 3);
    put(o, (t->load_place == WORLD_NONE ? 0 : 1 + place_name(o, t->load_place)) | t->stores_out << 4);
    put(o, t->left);
    if (t->load_place != WORLD_NONE)
        put(o, t->load_value);
    if (t->stage != STAGE_IDLE) {
        put(o, t->guard == WORLD_NONE ? WORLD_NONE : o->n->guard_to[t->guard]);
        put(o, t->manner);
        put(o, o->n->turns && t->next < WORLD_THREADS ? o->n->thread_to[t->next] : t->next);
    }
    if (t->phase != PHASE_READY)
        put_access(o, &t->access);
    if (t->phase == PHASE_FLUSH)
        put(o, from(o->w->agents[cache].arrived, t->wait.mark));
    if (!o->eras->many[cache])
        return;
    if (t->phase == PHASE_WAIT)
        put(o, is_past(&o->w->blocks[cache], t->wait.after) ? 0 : era_name(o, cache, t->wait.after));
    if (t->load_place != WORLD_NONE)
        put(o, era_name(o, cache, t->load_era));
    if (world_is_out(t))
        put(o, era_name(o, cache, t->era));
}

/* The registrations that are known */

static void add_grant(const struct world *w, struct grants *g, uint64_t address, uint16_t number)
{
    unsigned line = world_line_of(address), at = g->count[line];
    uint16_t *numbers = g->numbers[line], age = (uint16_t)(w->directory.grants - number);
    for (unsigned i = 0; i < g->count[line]; i++)
        if (numbers[i] == number)
            return;
    for (; at > 0 && (uint16_t)(w->directory.grants - numbers[at - 1]) < age; at--)
        numbers[at] = numbers[at - 1];
    numbers[at] = number;
    g->count[line]++;
}

static void add_grants_of(const struct world *w, struct grants *g, const struct packet_list *list)
{
    for (const struct packet *p = list->first; p; p = p->next)
        if (has_grant(p))
            add_grant(w, g, p->address, p->fill);
}

static void find_grants(const struct world *w, struct grants *g)
{
    memset(g->count, 0, sizeof g->count);
    for (unsigned c = 0; c < w->setup->caches; c++) {
        const struct agent *a = &w->agents[c];
        add_grants_of(w, g, &w->probes[c]);
        for (uint32_t i = 0; i < a->ways; i++) {
            if (is_registered(&a->lines[i]))
                add_grant(w, g, a->lines[i].address, a->lines[i].grant);
            if (a->lines[i].state != AGENT_I)
                add_grants_of(w, g, &a->lines[i].probes);
        }
    }
    for (unsigned i = 0; i < w->reply_count; i++)
        if (has_grant(w->replies[i]))
            add_grant(w, g, w->replies[i]->address, w->replies[i]->fill);
    for (unsigned line = 0; line < w->setup->lines; line++) {
        const struct directory_entry *entry = directory_find(&w->directory, WORLD_ADDRESS(line));
        if (entry)
            add_grant(w, g, entry->line, entry->grant);
    }
}

static void put_world(struct writer *o)
{
    const struct world *w = o->w;
    put(o, w->kernel | w->ending << 4);
    for (unsigned i = 0; i < w->program.threads; i++)
        put_thread(o, o->n->thread_from[i]);
    for (unsigned i = 0; i < w->program.guard_count; i++)
        put(o, thread_name(o, w->holder[o->n->guard_from[i]]));
    for (unsigned line = 0; line < w->setup->lines; line++)
        for (unsigned word = 0; word < WORLD_WORDS; word++)
            put(o, w->truth[o->n->line_from[line] * WORLD_WORDS + word]);
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

static void name(const struct world *w, unsigned caches, unsigned lines, struct names *n)
{
    static const uint8_t same[CHECKER_LINES] = {0, 1, 2};
    permute(caches, w->setup->caches, n->cache_to, n->cache_from);
    permute(lines, w->setup->lines, n->line_to, n->line_from);
    for (uint8_t t = 0; t < WORLD_THREADS; t++) {
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

uint32_t world_pack(const struct world *w, uint8_t bytes[WORLD_BYTES], uint8_t caches[CHECKER_CACHES],
                    uint8_t lines[CHECKER_LINES])
{
    const struct checker_setup *s = w->setup;
    bool alike = !s->asymmetric, slices_alike = s->slices == 1 || s->slices == s->lines;
    unsigned cache_ways = alike && w->program.caches_alike ? factorial(s->caches) : 1;
    unsigned line_ways = alike && w->program.lines_alike && slices_alike ? factorial(s->lines) : 1;
    uint32_t best = 0;
    struct grants grants;
    struct eras eras;
    find_grants(w, &grants);
    for (unsigned cache = 0; cache < s->caches; cache++)
        find_eras_of(w, cache, &eras);
    for (unsigned i = 0; i < cache_ways * line_ways; i++) {
        uint8_t other[WORLD_BYTES];
        struct names n;
        name(w, i % cache_ways, i / cache_ways, &n);
        struct writer o = {w, &grants, &eras, &n, best ? other : bytes};
        put_world(&o);
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

/* Back */

struct reader {
    struct world *w;
    const uint8_t *at;
    bool many[CHECKER_CACHES]; /* threads of a block */
};

static unsigned get(struct reader *in)
{
    return *in->at++;
}

static void get_words(struct reader *in, unsigned words, uint8_t *data)
{
    for (unsigned word = 0; word < WORLD_WORDS; word++)
        if (words >> word & 1)
            memcpy(data + 4 * word, (uint8_t[4]){(uint8_t)get(in)}, 4);
}

static void get_lane(struct reader *in, struct packet *p)
{
    p->atomic = (uint8_t)get(in);
    p->type = ISA_U32;
    p->lane_count = 1;
    p->lanes[0] = (struct packet_lane){.offset = (uint8_t)(p->address % PACKET_LINE_BYTES)};
    p->lanes[0].operand = get(in);
    p->lanes[0].compare = get(in);
}

static struct packet *get_packet(struct reader *in)
{
    unsigned kind = get(in), where = get(in), order = get(in), asked = get(in);
    bool slice = message_sender_of(kind & 0xf) == MESSAGE_OF_SLICE;
    struct packet *p = world_packet(in->w, slice ? CHECKER_CACHES : where >> 5);
    p->kind = kind & 0xf;
    p->is_reply = kind >> 4 & 1;
    p->cleared = kind >> 5 & 1;
    p->class = PACKET_GLOBAL;
    p->sm = (uint16_t)(where >> 5);
    unsigned range = where >> 2 & 7;
    p->address = WORLD_ADDRESS(where & 3) + (range ? 4 * (range - 1) : 0);
    p->local = p->address;
    p->bytes = range ? 4 : WORLD_LINE_BYTES;
    p->order = order & 0xf;
    p->scope = (uint8_t)(order >> 4);
    p->asked = asked & 0xf;
    p->mask[0] = mask_of(asked >> 4 & 3);
    p->cookie = CACHE_NO_WAITER;
    if (!slice) {
        unsigned cookie = get(in);
        p->cookie = cookie == WORLD_NONE ? CACHE_NO_WAITER : (cookie & 7) | cookie >> 3 << 8;
        if (p->cookie != CACHE_NO_WAITER && p->cookie >> 8)
            block_order_add(&in->w->blocks[p->sm], (uint8_t)((p->cookie >> 8) - 1));
    }
    if (has_fill(p))
        p->fill = (uint16_t)get(in);
    if (has_grant(p))
        p->fill = (uint16_t)get(in);
    get_words(in, asked >> 6, p->data);
    if (has_lane(p))
        get_lane(in, p);
    p->at_home = kind >> 7;
    if (p->at_home)
        in->w->agents[p->sm].at_home[p->address >> in->w->agents[p->sm].set_shift & (AGENT_HOME - 1)]++;
    if (kind >> 6 & 1)
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

static void get_line(struct reader *in, struct agent *a, struct agent_line *line)
{
    unsigned first = get(in), masks = get(in);
    line->state = first & 0xf;
    line->address = WORLD_ADDRESS(first >> 4 & 3);
    line->used = ++a->clock;
    line->queued = first >> 6 & 1;
    line->valid.word[0] = mask_of(masks & 3);
    line->written.word[0] = mask_of(masks >> 2 & 3);
    line->fill = masks >> 4 ? (masks >> 4) - 1 : AGENT_NONE;
    bool leaves = line->state == AGENT_P || line->state == AGENT_E;
    line->entry = line->queued ? get(in) : 0;
    line->flush = leaves ? get(in) : 0;
    line->early = line->state == AGENT_N ? (uint16_t)get(in) : 0;
    get_words(in, masks & 3, agent_data(a, line));
    line->grant = is_registered(line) ? (uint16_t)get(in) : 0;
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
        a->writes[i] = (struct agent_write){WORLD_ADDRESS(entry & 0xf), (uint8_t)(entry >> 4)};
        if (entry >> 4 == AGENT_WAITS && a->unsent == a->end)
            a->unsent = i;
    }
    a->drain_to = get(in);
}

static void get_agent(struct reader *in, unsigned cache)
{
    struct agent *a = &in->w->agents[cache];
    const struct world_thread *door = at_door(in->w, cache);
    in->w->blocks[cache].now = in->many[cache] ? get(in) : 0;
    unsigned flags = get(in);
    a->locks = flags & 0xf;
    a->stalled = flags >> 4 & 1;
    a->refused = flags >> 5 & 1;
    a->refused_room = flags >> 6 & 1;
    a->refused_address = door ? door_address(door) : 0;
    for (unsigned count = get(in), i = 0; i < count; i++)
        get_line(in, a, &a->lines[i]);
    free_fills(a);
    get_queue(in, a);
    get_ring(in, a->requests);
    get_list(in, &a->behind);
    get_list(in, &a->deferred);
    for (struct packet *p = a->deferred.first; p; p = p->next)
        p->parts = get(in);
    get_list(in, &a->done);
    get_list(in, &a->lock_waits);
    for (const struct packet *p = a->lock_waits.first; p; p = p->next)
        a->probes++;
    get_list(in, &a->flushes);
    for (struct packet *p = a->flushes.first; p; p = p->next) {
        p->ready = get(in);
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
    unsigned owner = get(in);
    *entry = (struct directory_entry){.line = WORLD_ADDRESS(line), .address = WORLD_ADDRESS(line), .next = d->hash[0]};
    d->hash[0] = d->used++;
    entry->state = (uint8_t)(state - 1);
    entry->owner = owner & 0xf;
    entry->grant = (uint16_t)(owner >> 4);
    get_list(in, &entry->parked);
    for (const struct packet *p = entry->parked.first; p; p = p->next, d->kept++)
        d->displaced += world_line_of(p->address) != line;
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
    struct world *w = in->w;
    struct directory *d = &w->directory;
    for (unsigned line = 0; line < w->setup->lines; line++)
        get_entry(in, line);
    get_list(in, &d->remotes);
    for (const struct packet *p = d->remotes.first; p; p = p->next)
        d->kept++;
    get_remote(in);
    for (unsigned place = 0; place < w->setup->lines * WORLD_WORDS; place++)
        w->memory[place][0] = (uint8_t)get(in);
    w->tag_count = get(in);
    for (unsigned i = 0; i < w->tag_count; i++) {
        unsigned tag = get(in);
        w->tags[i] = tag & 0xf;
        w->held |= (tag >> 4) << w->tags[i];
    }
}

/* Which order it is follows from the access. */
static void get_wait(struct reader *in, struct world_thread *t)
{
    if (t->phase != PHASE_WAIT && t->phase != PHASE_FLUSH)
        return;
    t->wait.order = (uint8_t)world_order(&t->access);
    t->wait.flushing = t->phase == PHASE_FLUSH;
    t->wait.mark = t->wait.flushing ? get(in) : 0;
}

static void get_eras(struct reader *in, struct world_thread *t, unsigned cache)
{
    bool many = in->many[cache];
    t->wait.after = many && t->phase == PHASE_WAIT ? get(in) : 0;
    if (t->load_place != WORLD_NONE) {
        t->load_era = many ? (uint8_t)get(in) : 0;
        block_order_add(&in->w->blocks[cache], t->load_era);
    }
    if (world_is_out(t)) {
        t->era = many ? (uint8_t)get(in) : 0;
        block_order_add(&in->w->blocks[cache], t->era);
    }
}

static void get_thread(struct reader *in, struct world_thread *t)
{
    unsigned first = get(in), out = get(in);
    *t = (struct world_thread){.stage = first & 7, .phase = first >> 3 & 7};
    t->load_place = out & 0xf ? (uint8_t)((out & 0xf) - 1) : WORLD_NONE;
    t->stores_out = (uint8_t)(out >> 4);
    t->left = (uint8_t)get(in);
    t->load_value = t->load_place != WORLD_NONE ? (uint8_t)get(in) : 0;
    t->guard = t->manner = t->next = WORLD_NONE;
    if (t->stage != STAGE_IDLE) {
        t->guard = (uint8_t)get(in);
        t->manner = (uint8_t)get(in);
        t->next = (uint8_t)get(in);
    }
    if (t->phase != PHASE_READY) {
        unsigned op = get(in), place = get(in), order = get(in), value = get(in), compare = get(in);
        t->access = (struct world_access){.op = op & 0xf,
                                          .atomic = (uint8_t)(op >> 4),
                                          .place = (uint8_t)place,
                                          .order = order & 0xf,
                                          .scope = (uint8_t)(order >> 4),
                                          .value = (uint8_t)value,
                                          .compare = (uint8_t)compare};
    }
    get_wait(in, t);
    get_eras(in, t, in->w->program.roles[t - in->w->threads].cache);
}

/* An era in which something is out stands where it was written down; what the block has synchronised is all that issued
 * in the eras before the present one. */
static void end_eras(struct world *w)
{
    for (unsigned cache = 0; cache < w->setup->caches; cache++) {
        struct block_order *block = &w->blocks[cache];
        block->synchronised = block->now;
        while (block->first != block->now && !block->out[block->first])
            block->first++;
    }
}

void world_unpack(struct world *w, const uint8_t *bytes)
{
    struct reader in = {.w = w, .at = bytes};
    world_clear(w);
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
    for (unsigned place = 0; place < w->setup->lines * WORLD_WORDS; place++)
        w->truth[place] = (uint8_t)get(&in);
    for (unsigned i = 0; i < w->setup->caches; i++)
        get_agent(&in, i);
    get_directory(&in);
    for (unsigned count = get(&in); w->reply_count < count;)
        w->replies[w->reply_count++] = get_packet(&in);
    end_eras(w);
}
