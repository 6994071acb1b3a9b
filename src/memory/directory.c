/* The actions of a directory (coherence/directory_actions.def), and the sequences of accesses at remote scope. */
#include "memory/directory.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/hot.h"
#include "isa/mod_values.h"

/* A packet under way through the table: the environment of its actions. */
struct attempt {
    struct directory *d;
    struct packet *p;              /* NULL: EVICT */
    struct directory_entry *entry; /* NULL: in state N */
    uint64_t line;
    unsigned event;
    uint64_t victim; /* WANTS */
    bool wants;
    enum directory_taken taken;
};

void directory_init(struct directory *d, const struct coherence_protocol *protocol, const struct directory_host *host,
                    uint32_t lines, uint32_t line_bytes, uint32_t sms, struct arena *arena)
{
    uint32_t buckets = power_from(2 * lines);
    *d = (struct directory){.protocol = protocol,
                            .host = *host,
                            .hash_mask = buckets - 1,
                            .capacity = lines,
                            .free = DIRECTORY_NONE,
                            .sms = sms,
                            .line_bytes = line_bytes};
    coherence_side_init(&d->side, protocol->registration->directory, &coherence_directory_words, NULL);
    d->entries = ARENA_NEW(arena, struct directory_entry, lines);
    d->hash = ARENA_NEW(arena, uint32_t, buckets);
    memset(d->hash, 0xff, buckets * sizeof *d->hash);
    d->pool.arena = arena;
    d->leases = coherence_leases(protocol);
    if (!coherence_table_has(protocol->registration->directory, DIRECTORY_DO_SHARE))
        return;
    d->share_words = (sms + 63) / 64;
    d->sharers = ARENA_NEW(arena, uint64_t, (size_t)lines * d->share_words);
}

/* Entries */

static uint32_t *chain_of(const struct directory *d, uint64_t line)
{
    return &d->hash[hash_place(line / d->line_bytes) & d->hash_mask];
}

static struct directory_entry *find(const struct directory *d, uint64_t line)
{
    uint32_t i = *chain_of(d, line);
    while (i != DIRECTORY_NONE && d->entries[i].line != line)
        i = d->entries[i].next;
    return i == DIRECTORY_NONE ? NULL : &d->entries[i];
}

const struct directory_entry *directory_find(const struct directory *d, uint64_t line)
{
    return find(d, line);
}

static void clear_sharers(struct directory *d, struct directory_entry *entry)
{
    if (d->sharers)
        memset(directory_sharers(d, entry), 0, d->share_words * sizeof *d->sharers);
}

static struct directory_entry *add(struct directory *d, uint64_t line, uint64_t address)
{
    uint32_t i = d->free, *chain = chain_of(d, line);
    if (i != DIRECTORY_NONE)
        d->free = d->entries[i].next;
    else
        i = d->used++;
    contract(i < d->capacity);
    d->entries[i] = (struct directory_entry){.line = line, .address = address, .next = *chain};
    *chain = i;
    clear_sharers(d, &d->entries[i]);
    return &d->entries[i];
}

static void drop(struct directory *d, struct directory_entry *entry)
{
    uint32_t i = (uint32_t)(entry - d->entries), *link = chain_of(d, entry->line);
    contract(!entry->parked.first);
    while (*link != i)
        link = &d->entries[*link].next;
    *link = entry->next;
    entry->next = d->free;
    d->free = i;
}

static uint64_t line_of(const struct directory *d, uint64_t address)
{
    return address & ~(uint64_t)(d->line_bytes - 1);
}

/* Probes */

static struct packet *new_probe(struct directory *d, uint8_t kind, uint16_t sm, uint64_t address)
{
    struct packet *p = packet_new(&d->pool, kind);
    p->space = PACKET_GLOBAL;
    p->sm = sm;
    p->address = address;
    p->bytes = (uint8_t)d->line_bytes;
    packet_append(&d->out, p);
    return p;
}

/* The owner is shown another L1's plain access: what that reads the owner may have written, and what it writes the
 * owner's copy must have. */
static void ask_owner(struct attempt *t)
{
    const struct packet *p = t->p;
    struct message_forward *probe = forward_of(new_probe(t->d, PACKET_FORWARD, t->entry->owner, p->address));
    probe->packet.bytes = p->bytes;
    probe->grant = t->entry->grant;
    probe->asked = p->kind;
    if (p->kind != PACKET_WRITE)
        return;
    memcpy(probe->data, packet_data(p), sizeof probe->data);
    memcpy(probe->mask, packet_mask(p), sizeof probe->mask);
}

/* Accesses that wait aside */

static void park(struct directory *d, struct directory_entry *entry, struct packet *p)
{
    packet_append(&entry->parked, p);
    d->kept++;
}

static void park_access(struct attempt *t)
{
    if (t->p->kind == PACKET_REGISTER)
        register_of(t->p)->from_owner = true;
    else
        access_of(t->p)->cleared = false;
    park(t->d, t->entry, t->p);
}

static void wake(struct attempt *t)
{
    struct packet_list *parked = &t->entry->parked;
    while (parked->first) {
        t->d->displaced -= line_of(t->d, parked->first->local) != t->entry->line;
        packet_append(&t->d->woken, packet_shift(parked));
    }
}

/* The entry of another line behind which an access to this one waits for a place, or NULL. */
static struct directory_entry *place_wait_of(const struct directory *d, uint64_t line)
{
    for (uint32_t bucket = 0; d->displaced && bucket <= d->hash_mask; bucket++)
        for (uint32_t i = d->hash[bucket]; i != DIRECTORY_NONE; i = d->entries[i].next)
            for (const struct packet *p = d->entries[i].parked.first; p; p = p->next)
                if (line_of(d, p->local) == line && d->entries[i].line != line)
                    return &d->entries[i];
    return NULL;
}

static bool is_plain_store(const struct packet *p)
{
    return p->kind == PACKET_WRITE && access_of(p)->order <= ISA_ORDER_WEAK;
}

/* Plain stores and what owners give back wait for nothing. */
static bool may_wait(const struct packet *p)
{
    return p->kind != PACKET_PUTM && !is_plain_store(p);
}

static void answer(struct directory *d, struct packet *p)
{
    p->parts = 0; /* none is left to be served */
    p->is_reply = true;
    packet_append(&d->out, p);
}

/* Stores that wait while their line is asked back were shown in their order, and so are the answers. */
static void clear_store(struct attempt *t)
{
    struct packet_list parked = t->entry->parked;
    bool found = false;
    t->entry->parked = (struct packet_list){NULL, NULL};
    while (parked.first) {
        struct packet *p = packet_shift(&parked);
        bool store = !found && is_plain_store(p);
        found |= store;
        if (store)
            access_of(p)->cleared = true;
        packet_append(store ? &t->d->woken : &t->entry->parked, p);
    }
}

static void own(struct attempt *t)
{
    if (!t->entry)
        t->entry = add(t->d, t->line, line_of(t->d, t->p->address));
    clear_sharers(t->d, t->entry);
    t->entry->owner = t->p->sm;
    t->entry->grant = ++t->d->grants;
    register_of(t->p)->grant = t->entry->grant;
    t->d->host.hold(t->d->host.context, t->line, true);
}

/* Sharers */

static void share(struct attempt *t)
{
    if (!t->entry)
        t->entry = add(t->d, t->line, line_of(t->d, t->p->address));
    directory_sharers(t->d, t->entry)[t->p->sm / 64] |= BIT64(t->p->sm % 64);
    t->d->host.hold(t->d->host.context, t->line, true);
}

/* The sharers among 64 SMs whose copies stand in the way: all but the asker's, who may be asking for an eviction. A
 * copy in bulk does not ask for its SM's L1, so that L1's copy stands in the way too. */
static uint64_t others_of(const struct attempt *t, uint32_t word)
{
    uint64_t sharers = directory_sharers(t->d, t->entry)[word];
    bool own = t->p && !t->p->of_copy && t->p->sm / 64 == word;
    return own ? sharers & ~BIT64(t->p->sm % 64) : sharers;
}

static bool is_alone(const struct attempt *t)
{
    bool others = false;
    for (uint32_t word = 0; word < t->d->share_words; word++)
        others |= others_of(t, word) != 0;
    return !others;
}

static void invalidate_sharers(struct attempt *t)
{
    for (uint32_t word = 0; word < t->d->share_words; word++)
        for (uint64_t rest = others_of(t, word); rest; rest &= rest - 1, t->entry->unanswered++)
            new_probe(t->d, PACKET_INVALIDATE, (uint16_t)(word * 64 + mask_first(rest)), t->entry->address);
    clear_sharers(t->d, t->entry);
}

/* Leases */

static void lease(struct attempt *t)
{
    bool first = !t->entry;
    if (first)
        t->entry = add(t->d, t->line, line_of(t->d, t->p->address));
    if (first)
        t->entry->owner = t->p->sm;
    t->entry->several |= t->entry->owner != t->p->sm;
    t->d->host.lease(t->d->host.context, (uint32_t)(t->entry - t->d->entries));
    t->d->host.hold(t->d->host.context, t->line, true);
}

/* The access goes on to the tags. False: they refuse it. Where they want a registered line's place, the access waits
 * aside until that was given back. */
static bool go(struct attempt *t)
{
    enum directory_gone gone = t->d->host.go(t->d->host.context, t->p, &t->victim);
    t->wants = gone == DIRECTORY_WANTS;
    if (gone == DIRECTORY_GONE)
        t->taken = DIRECTORY_TAKE_GONE;
    return gone == DIRECTORY_GONE;
}

static void clear(struct attempt *t)
{
    const struct packet *first = t->entry->parked.first;
    if (first && message_is_access(first->kind))
        access_of(first)->cleared = true;
}

static bool take(void *environment, unsigned action)
{
    struct attempt *t = environment;
    const struct directory_host *host = &t->d->host;
    switch (action) {
    case DIRECTORY_DO_GO:
        return go(t);
    case DIRECTORY_DO_PARK:
        park_access(t);
        break;
    case DIRECTORY_DO_ASK:
        ask_owner(t);
        break;
    case DIRECTORY_DO_RECALL:
        new_probe(t->d, PACKET_RECALL, t->entry->owner, t->entry->address);
        break;
    case DIRECTORY_DO_MERGE:
        host->merge(host->context, t->p);
        break;
    case DIRECTORY_DO_OWN:
        own(t);
        break;
    case DIRECTORY_DO_SHARE:
        share(t);
        break;
    case DIRECTORY_DO_LEASE:
        lease(t);
        break;
    case DIRECTORY_DO_INVALIDATE:
        invalidate_sharers(t);
        break;
    case DIRECTORY_DO_COLLECT:
        t->entry->unanswered--;
        break;
    case DIRECTORY_DO_DISOWN:
        host->hold(host->context, t->line, false);
        break;
    case DIRECTORY_DO_CLEAR:
        clear(t);
        break;
    case DIRECTORY_DO_CLEAR_STORE:
        clear_store(t);
        break;
    case DIRECTORY_DO_ANSWER:
        answer(t->d, t->p);
        break;
    default:
        contract(action == DIRECTORY_DO_WAKE);
        wake(t);
        break;
    }
    return true;
}

static void enter(void *environment, unsigned next)
{
    struct attempt *t = environment;
    if (t->entry)
        t->entry->state = (uint8_t)next;
    if (t->entry && next == DIRECTORY_N)
        drop(t->d, t->entry);
}

static bool step(struct attempt *t)
{
    struct directory *d = t->d;
    t->entry = find(d, t->line);
    unsigned state = t->entry ? t->entry->state : DIRECTORY_N;
    t->taken = DIRECTORY_TAKE_KEPT;
    coherence_row(&d->side, state, t->event);
    return coherence_take(&d->side, state, t->event, take, enter, t);
}

void directory_make_room(struct directory *d, uint64_t line, struct packet *p)
{
    struct attempt t = {.d = d, .line = line, .event = DIRECTORY_EVICT_EVENT};
    step(&t);
    contract(t.entry);
    d->displaced++;
    if (message_is_access(p->kind))
        access_of(p)->cleared = false;
    park(d, t.entry, p);
}

void directory_time_passed(struct directory *d, uint32_t entry)
{
    struct attempt t = {.d = d, .line = d->entries[entry].line, .event = DIRECTORY_TIME_PASSED_EVENT};
    if (d->entries[entry].state != DIRECTORY_N)
        step(&t);
}

/* Accesses at remote scope */

static unsigned remote_kind(const struct packet *p)
{
    return p->kind == PACKET_READ ? 0 : p->kind == PACKET_WRITE ? 1 : 2;
}

static bool is_remote(const struct directory *d, const struct packet *p)
{
    return message_is_access(p->kind) && access_of(p)->scope == ISA_SCOPE_REMOTE &&
           d->protocol->registration->remote[remote_kind(p)][0] != REMOTE_END;
}

static void begin_phase(struct directory *d)
{
    static const uint8_t kinds[REMOTE_PHASES] = {[REMOTE_LOCK] = PACKET_LOCK,
                                                 [REMOTE_FLUSH] = PACKET_FLUSH,
                                                 [REMOTE_DROP] = PACKET_DROP,
                                                 [REMOTE_UNLOCK] = PACKET_UNLOCK};
    struct directory_remote *r = &d->remote;
    uint8_t phase = d->protocol->registration->remote[r->kind][r->phase];
    if (phase == REMOTE_ACCESS) {
        packet_append(&d->woken, r->packet);
        return;
    }
    r->unanswered = d->sms;
    for (uint32_t sm = 0; sm < d->sms; sm++)
        new_probe(d, kinds[phase], (uint16_t)sm, line_of(d, r->packet->address));
}

static void begin_remote(struct directory *d, struct packet *p)
{
    d->remote = (struct directory_remote){.packet = p, .kind = (uint8_t)remote_kind(p)};
    begin_phase(d);
}

/* A phase is over: the next begins, or the access is answered and the next one has the turn. */
static void end_phase(struct directory *d)
{
    struct directory_remote *r = &d->remote;
    if (d->protocol->registration->remote[r->kind][++r->phase] != REMOTE_END) {
        begin_phase(d);
        return;
    }
    answer(d, r->packet);
    d->kept--;
    r->packet = NULL;
    if (d->remotes.first)
        begin_remote(d, packet_shift(&d->remotes));
}

static bool has_turn(const struct directory *d, const struct packet *p)
{
    const struct directory_remote *r = &d->remote;
    return r->packet == p && d->protocol->registration->remote[r->kind][r->phase] == REMOTE_ACCESS;
}

static void take_remote(struct directory *d, struct packet *p)
{
    d->kept++;
    if (d->remote.packet)
        packet_append(&d->remotes, p);
    else
        begin_remote(d, p);
}

bool directory_answered(struct directory *d, struct packet *p)
{
    if (!has_turn(d, p))
        return false;
    d->kept++;
    end_phase(d);
    return true;
}

/* The doors */

static unsigned plain_event(const struct attempt *t, unsigned other, unsigned own)
{
    const struct directory_entry *entry = find(t->d, t->line);
    if (access_of(t->p)->cleared)
        return DIRECTORY_CLEARED_EVENT;
    return entry && directory_is_owned(entry) && entry->owner == t->p->sm ? own : other;
}

static unsigned register_event(const struct attempt *t)
{
    struct attempt of = *t;
    of.entry = find(t->d, t->line);
    bool shared = of.entry && of.entry->state == DIRECTORY_S;
    return shared && is_alone(&of) ? DIRECTORY_REGISTER_ALONE_EVENT : DIRECTORY_REGISTER_EVENT;
}

/* Where lines are leased, all that counts of an access is whether it writes, and whether its L1 keeps what it reads. A
 * writer gives its copy up before it sends what it writes. */
static unsigned leased_event(const struct attempt *t)
{
    const struct packet *p = t->p;
    const struct directory_entry *entry = find(t->d, t->line);
    bool kept = access_of(p)->waiter == PACKET_NOBODY && (p->space == PACKET_GLOBAL || p->space == PACKET_LOCAL);
    if (p->kind == PACKET_READ)
        return kept ? DIRECTORY_FETCH_EVENT : DIRECTORY_READ_EVENT;
    bool alone = entry && entry->state == DIRECTORY_L && !entry->several && entry->owner == p->sm;
    return alone ? DIRECTORY_WRITE_ALONE_EVENT : DIRECTORY_WRITE_EVENT;
}

static unsigned access_event(const struct attempt *t)
{
    const struct packet *p = t->p;
    if (t->d->leases)
        return leased_event(t);
    if (p->kind == PACKET_REGISTER)
        return register_event(t);
    if (RARELY(p->of_copy) && t->d->sharers)
        return p->kind == PACKET_READ ? DIRECTORY_READ_EVENT : DIRECTORY_WRITE_EVENT;
    unsigned order = access_of(p)->order;
    if (has_turn(t->d, p) || order > ISA_ORDER_RELAXED)
        return DIRECTORY_AT_HOME_EVENT;
    if (p->kind == PACKET_ATOMIC || order > ISA_ORDER_WEAK)
        return DIRECTORY_RELAXED_EVENT;
    return p->kind == PACKET_READ ? plain_event(t, DIRECTORY_FETCH_EVENT, DIRECTORY_FETCH_OWN_EVENT)
                                  : plain_event(t, DIRECTORY_STORE_EVENT, DIRECTORY_STORE_OWN_EVENT);
}

/* The event that an answer is: of a sharer, or of an owner. */
static unsigned answer_event(const struct directory *d, const struct attempt *t)
{
    const struct directory_entry *entry = find(d, t->line);
    if (t->p->kind == PACKET_INVALIDATE)
        return entry && entry->unanswered > 1 ? DIRECTORY_DROPPED_EVENT : DIRECTORY_ALL_DROPPED_EVENT;
    return t->p->kind == PACKET_RECALL ? DIRECTORY_RETURNED_EVENT : DIRECTORY_FORWARDED_EVENT;
}

static void take_answer(struct directory *d, struct packet *p)
{
    struct attempt t = {.d = d, .p = p, .line = line_of(d, p->local)};
    if (message_is_of_l1(p->kind)) {
        if (--d->remote.unanswered == 0)
            end_phase(d);
    } else if (!message_is_void(p)) {
        t.event = answer_event(d, &t);
        step(&t);
    }
    packet_free(&d->pool, p);
}

HOT enum directory_taken directory_take(struct directory *d, struct packet *p)
{
    struct attempt t = {.d = d, .p = p, .line = line_of(d, p->local)};
    if (message_sender_of(p->kind) == MESSAGE_OF_SLICE) {
        take_answer(d, p);
        return DIRECTORY_TAKE_KEPT;
    }
    if (is_remote(d, p) && !has_turn(d, p)) {
        take_remote(d, p);
        return DIRECTORY_TAKE_KEPT;
    }
    /* An access that came later to a line does not pass those that wait for a place for it. */
    struct directory_entry *behind = may_wait(p) ? place_wait_of(d, t.line) : NULL;
    if (behind) {
        d->displaced++;
        park(d, behind, p);
        return DIRECTORY_TAKE_KEPT;
    }
    t.event = p->kind == PACKET_PUTM ? DIRECTORY_PUTM_EVENT : access_event(&t);
    if (step(&t))
        return t.taken;
    if (!t.wants)
        return DIRECTORY_TAKE_REFUSED;
    directory_make_room(d, t.victim, p);
    return DIRECTORY_TAKE_KEPT;
}
