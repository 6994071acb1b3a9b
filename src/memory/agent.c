/* The doors of an agent, and the actions of its table (coherence/agent_actions.def). */
#include "memory/agent_impl.h"

#include <string.h>

#include "base/hot.h"
#include "isa/mod_values.h"
#include "memory/packet_values.h"

static const struct stat_desc agent_stat_descs[] = {
#define STAT_STRUCT struct agent_stats
#include "stats/stat_descs.h"
#include "memory/agent_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group agent_stat_group = {"agents", "L1s that keep what they have written", agent_stat_descs,
                                            sizeof(agent_stat_descs) / sizeof(agent_stat_descs[0])};

/* What an event is about: the environment of the table's actions. */
struct
try {
    struct agent *a;
    struct agent_line *line; /* NULL: in state I, without a place */
    uint64_t address;
    uint32_t bytes;
    unsigned event;
    struct packet *access; /* that is taken: a store or an atomic access; or NULL */
    struct packet *probe, *reply;
    const struct agent_load *load; /* or NULL */
    enum agent_served served;
    const uint8_t *values;
    struct packet *request; /* of a load that passes */
    bool waited;            /* the access was one that waits aside */
};

void agent_init(struct agent *a, const struct agent_setup *setup, struct arena *arena)
{
    *a = (struct agent){.protocol = setup->protocol,
                        .requests = setup->requests,
                        .answers = setup->answers,
                        .packets = setup->packets,
                        .cache_stats = setup->stats,
                        .queue_lines = setup->queue_lines,
                        .rprio = setup->rprio};
    coherence_side_init(&a->side, setup->protocol->registration->agent, NULL, 0);
    a->writes = ARENA_NEW(arena, struct agent_write, AGENT_WRITES);
    agent_lines_init(a, setup->cache, arena);
}

static struct packet *new_request(struct agent *a, const struct agent_line *line, uint8_t kind)
{
    struct packet *p = packet_new(a->packets);
    p->kind = kind;
    p->class = line->own ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = line->address;
    p->bytes = a->line_bytes;
    p->cookie = CACHE_NO_WAITER;
    return p;
}

struct packet *agent_request(struct agent *a, const struct agent_line *line, uint8_t kind)
{
    struct packet *p = new_request(a, line, kind);
    packet_ring_push(a->requests, p);
    return p;
}

/* What is sent when its time has come, whether there is room or not. */
static void push_behind(struct agent *a, struct packet *p)
{
    if (packet_ring_full(a->requests) || a->behind.first)
        packet_append(&a->behind, p);
    else
        packet_ring_push(a->requests, p);
}

static struct byte_mask whole_line(const struct agent *a, const struct agent_line *line)
{
    return bytes_of(line->address, a->line_bytes);
}

static unsigned state_of(const struct agent_line *line)
{
    return line ? line->state : AGENT_I;
}

static struct coherence_step row_of(const struct agent *a, const struct agent_line *line, unsigned event)
{
    return coherence_row(&a->side, state_of(line), event);
}

/* Accesses that wait aside */

static bool is_deferred(const struct agent *a, uint64_t address)
{
    uint64_t line = agent_line_of(a, address);
    for (const struct packet *p = a->deferred.first; p; p = p->next)
        if (agent_line_of(a, p->address) == line)
            return true;
    return false;
}

/* LOCK holds up what the scope of the block would let the L1 perform; a LOCK that waits, all but what it waits for. */
static bool is_locked(const struct agent *a, unsigned event, const struct packet *access)
{
    bool block = event == AGENT_BLOCK_EVENT || event == AGENT_BLOCK_HERE_EVENT;
    return block && (a->locks || (a->lock_waits.first && !(access && access->cleared)));
}

static void defer(struct try *t)
{
    t->access->parts = t->event == AGENT_BLOCK_HERE_EVENT ? AGENT_BLOCK_EVENT : t->event;
    if (!t->waited)
        t->a->stats.atomics_deferred++;
    packet_append(&t->a->deferred, t->access);
}

/* Accesses of this L1 that are at home, by a hash of their line: until they are answered, a plain store to the line
 * waits, for it would pass those that wait in the directory. */
static uint16_t *at_home(struct agent *a, uint64_t address)
{
    return &a->at_home[address >> a->set_shift & (AGENT_HOME - 1)];
}

static void note_home(struct agent *a, struct packet *p, bool leaves)
{
    p->at_home = leaves;
    *at_home(a, p->address) += leaves ? 1 : -1;
}

static bool needs_place(const struct try *t, uint32_t actions)
{
    return !t->line && (actions & (AGENT_DO_FETCH | AGENT_DO_ASK | AGENT_DO_KEEP));
}

static bool find_place(struct try *t)
{
    t->line = agent_place(t->a, t->address);
    return t->line;
}

/* Whether all that a row asks for has its place; what lacks is set going. */
static bool has_places(struct try *t, uint32_t actions)
{
    struct agent *a = t->a;
    const uint32_t sends = AGENT_DO_WRITE_OUT | AGENT_DO_FETCH | AGENT_DO_ASK | AGENT_DO_PASS | AGENT_DO_SEND;
    if (actions & AGENT_DO_REFUSE)
        return false;
    if ((actions & sends) && !agent_has_room(a))
        return false;
    if ((actions & AGENT_DO_FETCH) && !agent_can_fill(a))
        return false;
    if ((actions & AGENT_DO_JOIN) && !agent_can_join(a, t->line))
        return false;
    if (t->event == AGENT_STORE_EVENT && *at_home(a, t->address))
        return false;
    bool stores = (actions & AGENT_DO_SEND) && t->event == AGENT_STORE_EVENT;
    if (((actions & (AGENT_DO_QUEUE | AGENT_DO_HOLD)) || stores) && !agent_can_queue(a, t->line))
        return false;
    return !needs_place(t, actions) || (agent_has_room(a) && find_place(t));
}

/* Actions */

/* A line that is not there takes the place that was found for it. */
static void take_place(struct try *t)
{
    struct agent_line *line = t->line;
    *line = (struct agent_line){.address = agent_line_of(t->a, t->address), .fill = AGENT_NONE};
    line->own = t->load ? t->load->own : t->access->class == PACKET_LOCAL;
}

static void fetch(struct try *t)
{
    struct packet *p = agent_request(t->a, t->line, PACKET_READ);
    agent_begin_fill(t->a, t->line);
    p->fill = (uint16_t)t->line->fill;
}

static void pass(struct try *t)
{
    struct packet *p = packet_new(t->a->packets);
    p->kind = PACKET_READ;
    p->class = t->load->own ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = t->address;
    p->bytes = t->bytes;
    p->cookie = t->load->waiter;
    note_home(t->a, p, true);
    packet_ring_push(t->a->requests, p);
    t->request = p;
    t->served = AGENT_WAITING;
}

/* The line takes a store's bytes. */
static void take_bytes(struct try *t, bool written)
{
    struct agent_line *line = t->line;
    struct byte_mask m = bytes_of(t->address, t->bytes);
    const struct packet *p = t->access;
    if (!line->own) {
        memcpy(m.word, p->mask, sizeof m.word);
        packet_write_line(p, agent_data(t->a, line));
    }
    bytes_add(&line->valid, &m);
    if (written)
        bytes_add(&line->written, &m);
    else
        bytes_remove(&line->written, &m);
}

static void note_written(struct agent_line *line, const struct packet *p)
{
    struct byte_mask m;
    memcpy(m.word, p->mask, sizeof m.word);
    if (p->kind == PACKET_WRITE)
        bytes_add(&line->written, &m);
    uint64_t at = line->address & ~(uint64_t)(PACKET_LINE_BYTES - 1);
    for (unsigned i = 0; p->kind == PACKET_ATOMIC && i < p->lane_count; i++) {
        m = bytes_of(at + p->lanes[i].offset, packet_atomic_bytes(p->type));
        bytes_add(&line->written, &m);
    }
}

/* An atomic access on the line's bytes. */
static void perform(struct try *t)
{
    struct packet *p = t->access;
    uint8_t *data = agent_data(t->a, t->line);
    if (p->kind == PACKET_WRITE)
        packet_write_line(p, data);
    else if (p->kind == PACKET_ATOMIC)
        packet_perform_lanes(p, data, 0, PACKET_LINE_BYTES);
    else
        memcpy(p->data, data, PACKET_LINE_BYTES);
    note_written(t->line, p);
}

/* The bytes of another L1's store; of its load there is nothing to do. */
static void look(struct try *t)
{
    struct byte_mask m;
    if (t->probe->asked != PACKET_WRITE)
        return;
    memcpy(m.word, t->probe->mask, sizeof m.word);
    packet_write_line(t->probe, agent_data(t->a, t->line));
    bytes_remove(&t->line->written, &m);
}

/* An access that was performed here is its own answer. */
static void answer_access(struct try *t)
{
    struct packet *p = t->access;
    p->is_reply = true;
    t->a->stats.sync_hits += !t->waited;
    packet_append(&t->a->done, p);
}

static void send(struct try *t)
{
    struct packet *p = t->access;
    if (t->event == AGENT_STORE_EVENT) {
        p->cookie = CACHE_NO_WAITER;
        p->fill = (uint16_t)(agent_queue_sent(t->a, agent_line_of(t->a, t->address)) % AGENT_WRITES);
    } else {
        t->a->stats.sync_home++;
        note_home(t->a, p, true);
    }
    packet_ring_push(t->a->requests, p);
}

static void install(struct try *t)
{
    struct agent_line *line = t->line;
    struct byte_mask all = whole_line(t->a, line), missing = all;
    bytes_remove(&missing, &line->valid);
    bytes_copy(agent_data(t->a, line), t->reply->data, &missing);
    line->valid = all;
    if (t->reply->kind != PACKET_REGISTER)
        return;
    line->grant = t->reply->fill;
    t->a->stats.sync_home += !t->reply->cleared;
    t->a->stats.sync_remote += t->reply->cleared;
    agent_unqueue(t->a, line);
}

static void begin_flush(struct try *t)
{
    t->line->flush = agent_flush(t->a, AGENT_BY_REGISTRATION);
    t->a->flushing++;
}

/* The line's values go along, and which of them were written here. */
static void fill_with_line(const struct try *t, struct packet *p)
{
    memcpy(p->data, agent_data(t->a, t->line), PACKET_LINE_BYTES);
    memcpy(p->mask, t->line->written.word, sizeof p->mask);
}

static void answer(struct try *t)
{
    struct packet *p = t->probe;
    if (!p) {
        p = packet_shift(&t->line->probes);
        t->a->probes--;
    }
    fill_with_line(t, p);
    p->is_reply = true;
    push_behind(t->a, p);
}

static void answer_void(struct try *t)
{
    t->probe->asked = PACKET_KINDS;
    t->probe->is_reply = true;
    push_behind(t->a, t->probe);
}

static void put(struct try *t)
{
    struct packet *p = new_request(t->a, t->line, PACKET_PUT);
    fill_with_line(t, p);
    push_behind(t->a, p);
    t->a->stats.sync_evicted++;
}

static void hold_probe(struct try *t)
{
    packet_append(&t->line->probes, t->probe);
    t->a->probes++;
}

static void keep_written(struct try *t, uint8_t next)
{
    t->line->valid = t->line->written;
    if (next == COHERENCE_ANY)
        t->line->state = bytes_any(&t->line->written) ? AGENT_V : AGENT_I;
}

/* What a load comes to. */
static void take_load(struct try *t, uint32_t actions)
{
    if (actions & AGENT_DO_SERVE) {
        t->served = AGENT_SERVED;
        t->values = agent_data(t->a, t->line) + t->line->address % PACKET_LINE_BYTES;
    }
    if (actions & (AGENT_DO_FETCH | AGENT_DO_JOIN)) {
        t->served = AGENT_WAITING;
        agent_join_fill(t->a, t->line, t->load->waiter);
    }
    if (actions & AGENT_DO_PASS)
        pass(t);
}

/* The actions up to the place of the access in the line or on its way. */
static void take_requests(struct try *t, uint32_t actions)
{
    struct agent *a = t->a;
    if (t->line && t->line->state == AGENT_I)
        take_place(t);
    if (actions & AGENT_DO_WRITE_OUT)
        agent_write_out(a, t->line);
    if (actions & AGENT_DO_GIVE_UP) {
        bytes_clear(&t->line->valid);
        bytes_clear(&t->line->written);
    }
    if (actions & AGENT_DO_FETCH)
        fetch(t);
    if (actions & AGENT_DO_ASK)
        agent_request(a, t->line, PACKET_REGISTER);
    if (t->load)
        take_load(t, actions);
    if (actions & AGENT_DO_DEFER)
        defer(t);
    if (actions & (AGENT_DO_KEEP | AGENT_DO_COPY))
        take_bytes(t, actions & AGENT_DO_KEEP);
    if (actions & AGENT_DO_PERFORM)
        perform(t);
    if ((actions & (AGENT_DO_QUEUE | AGENT_DO_HOLD)) && bytes_any(&t->line->written))
        agent_queue_line(a, t->line, actions & AGENT_DO_HOLD);
}

static void take_messages(struct try *t, uint32_t actions, uint8_t next)
{
    if (actions & AGENT_DO_WAKE)
        agent_end_fill(t->a, t->line, t->reply);
    if (actions & AGENT_DO_INSTALL)
        install(t);
    if (actions & AGENT_DO_LOOK)
        look(t);
    if (actions & AGENT_DO_KEEP_WRITTEN)
        keep_written(t, next);
    if (actions & AGENT_DO_FLUSH)
        begin_flush(t);
    if (actions & AGENT_DO_WAIT)
        hold_probe(t);
    if (actions & AGENT_DO_ANSWER)
        answer(t);
    if (actions & AGENT_DO_PUT)
        put(t);
}

static void retry(struct agent *a, uint64_t address);
static void ask_again(struct agent *a, struct agent_line *line);

/* The environment of the interpreter: takes a row's actions, and the state that follows. */
static bool act(void *environment, uint32_t actions)
{
    struct try *t = environment;
    struct agent *a = t->a;
    struct coherence_step step = row_of(a, t->line, t->event);
    agent_changed(a);
    take_requests(t, actions);
    if (t->line)
        take_messages(t, actions, step.next);
    if (actions & AGENT_DO_SEND)
        send(t);
    if (actions & AGENT_DO_VOID)
        answer_void(t);
    if (t->line && step.next != COHERENCE_ANY)
        t->line->state = step.next;
    if ((actions & AGENT_DO_PERFORM) && t->access)
        answer_access(t);
    if (actions & AGENT_DO_RETRY)
        retry(a, t->line->address);
    if (actions & AGENT_DO_DROP_ALL)
        agent_drop(a, AGENT_BY_REGISTRATION);
    if (actions & AGENT_DO_ASK_AGAIN)
        ask_again(a, t->line);
    return true;
}

static void take(struct try *t)
{
    bool taken = coherence_take(&t->a->side, state_of(t->line), t->event, act, t);
    contract(taken);
    (void)taken;
}

void agent_step(struct agent *a, struct agent_line *line, unsigned event)
{
    struct try t = {.a = a, .line = line, .address = line->address, .bytes = a->line_bytes, .event = event};
    if (event == AGENT_FLUSHED_EVENT)
        a->flushing--;
    take(&t);
}

/* True: the slice has asked about an earlier registration of the line, which has been given back since. */
static bool is_late(const struct agent_line *line, const struct packet *p)
{
    bool registered = line && (line->state == AGENT_R || line->state == AGENT_P || line->state == AGENT_E);
    return p->kind == PACKET_SHOW && registered && line->grant != p->fill;
}

static void take_probe(struct agent *a, struct agent_line *line, struct packet *p)
{
    struct try t = {.a = a, .line = line, .address = p->address, .bytes = p->bytes, .probe = p};
    t.event = p->kind == PACKET_SHOW ? AGENT_SHOW_EVENT : AGENT_REVOKE_EVENT;
    if (is_late(line, p))
        answer_void(&t);
    else
        take(&t);
}

static void ask_again(struct agent *a, struct agent_line *line)
{
    struct packet_list probes = line->probes;
    line->probes = (struct packet_list){NULL, NULL};
    while (probes.first) {
        a->probes--;
        take_probe(a, line, packet_shift(&probes));
    }
}

/* An access that waited aside is stepped anew; back it goes if it still has to wait, or finds no place. */
static void step_deferred(struct agent *a, struct packet *p)
{
    struct try t = {.a = a, .line = agent_find(a, p->address), .address = p->address, .bytes = p->bytes};
    struct byte_mask m = bytes_of(p->address, p->bytes);
    t.access = p;
    t.waited = true;
    t.event = p->parts;
    if (t.event == AGENT_BLOCK_EVENT && t.line && bytes_cover(&t.line->valid, &m))
        t.event = AGENT_BLOCK_HERE_EVENT;
    bool locked = is_locked(a, t.event, p);
    if (!locked && has_places(&t, row_of(a, t.line, t.event).actions)) {
        take(&t);
    } else {
        a->stalled |= !locked;
        packet_append(&a->deferred, p);
    }
}

/* Tries the accesses that wait aside for a line again, in their order: where one has to go on waiting, so do those
 * behind it. EVERY_LINE: those of all lines. */
#define EVERY_LINE UINT64_MAX
static void retry(struct agent *a, uint64_t address)
{
    struct packet_list all = a->deferred;
    a->deferred = (struct packet_list){NULL, NULL};
    while (all.first) {
        struct packet *p = packet_shift(&all);
        bool tried = address == EVERY_LINE || agent_line_of(a, p->address) == address;
        if (tried && !is_deferred(a, p->address))
            step_deferred(a, p);
        else
            packet_append(&a->deferred, p);
    }
}

/* Flushes that are over: of lines that leave, of probes that asked for one. */

static void end_line_flushes(struct agent *a)
{
    for (struct agent_line *line = a->lines; a->flushing && line < a->lines + a->sets * a->ways; line++) {
        if ((line->state != AGENT_P && line->state != AGENT_E) || !agent_flushed(a, line->flush))
            continue;
        agent_step(a, line, AGENT_FLUSHED_EVENT);
    }
}

static void end_probe_flushes(struct agent *a)
{
    while (a->flushes.first && agent_flushed(a, (uint32_t)a->flushes.first->ready)) {
        struct packet *p = packet_shift(&a->flushes);
        a->probes--;
        p->is_reply = true;
        packet_ring_push(a->answers, p);
    }
}

/* Locks. What waits aside when one comes and the L1 was free must be performed before the L1 is locked again: else a
 * stream of locks could keep it up for ever. */

static bool mark_deferred(struct agent *a, bool mark)
{
    bool marked = false;
    for (struct packet *p = a->deferred.first; p; p = p->next) {
        p->cleared |= mark && p->parts == AGENT_BLOCK_EVENT;
        marked |= p->cleared;
    }
    return marked;
}

static void lock(struct agent *a, struct packet *p)
{
    a->locks++;
    p->is_reply = true;
    packet_ring_push(a->answers, p);
}

static void take_lock(struct agent *a, struct packet *p)
{
    if (a->locks || (!a->lock_waits.first && !mark_deferred(a, true))) {
        lock(a, p);
    } else {
        packet_append(&a->lock_waits, p);
        a->probes++;
    }
}

static void end_lock_waits(struct agent *a)
{
    if (!a->lock_waits.first || mark_deferred(a, false))
        return;
    while (a->lock_waits.first) {
        a->probes--;
        lock(a, packet_shift(&a->lock_waits));
    }
}

/* Whatever was waited for and has come true. */
static void settle(struct agent *a)
{
    uint32_t flushing;
    do {
        flushing = a->flushing;
        end_line_flushes(a);
    } while (a->flushing != flushing);
    end_probe_flushes(a);
    end_lock_waits(a);
}

/* The doors */

/* What lacks may have been set going, and be there already: then the access is worth another try at once. */
static bool refuse(struct agent *a, uint64_t address)
{
    a->refused = true;
    a->refused_address = address;
    a->refused_room = agent_has_room(a);
    settle(a);
    return false;
}

HOT enum agent_served agent_load(struct agent *a, const struct agent_load *load, const uint8_t **values,
                                 struct packet **request)
{
    uint64_t address = load->address;
    struct try t = {.a = a, .address = address, .bytes = load->bytes, .load = load};
    struct byte_mask m = bytes_of(address, load->bytes);
    t.line = agent_find(a, address);
    bool here = t.line && bytes_cover(&t.line->valid, &m);
    t.event = here ? AGENT_LOAD_HERE_EVENT : AGENT_LOAD_EVENT;
    struct coherence_step step = row_of(a, t.line, t.event);
    if (is_deferred(a, address) || !has_places(&t, step.actions)) {
        refuse(a, address);
        return AGENT_REFUSED;
    }
    a->cache_stats->reads++;
    a->cache_stats->read_hits += (step.actions & AGENT_DO_SERVE) != 0;
    a->cache_stats->read_pending += (step.actions & AGENT_DO_JOIN) != 0;
    a->cache_stats->read_misses += !(step.actions & (AGENT_DO_SERVE | AGENT_DO_JOIN));
    take(&t);
    if (t.line)
        t.line->used = ++a->clock;
    *values = t.values;
    *request = t.request;
    return t.served;
}

/* The event that an access is to the line that it finds. */
static unsigned event_here(const struct agent *a, uint64_t address, uint32_t bytes, unsigned event,
                           struct agent_line **line)
{
    struct byte_mask m = bytes_of(address, bytes);
    *line = agent_find(a, address);
    return event == AGENT_BLOCK_EVENT && *line && bytes_cover(&(*line)->valid, &m) ? AGENT_BLOCK_HERE_EVENT : event;
}

HOT bool agent_can_take(struct agent *a, uint64_t address, uint32_t bytes, unsigned event)
{
    struct try t = {.a = a, .address = address, .bytes = bytes};
    t.event = event_here(a, address, bytes, event, &t.line);
    if (is_deferred(a, address))
        return event != AGENT_STORE_EVENT || refuse(a, address);
    return is_locked(a, t.event, NULL) || has_places(&t, row_of(a, t.line, t.event).actions) || refuse(a, address);
}

HOT void agent_take(struct agent *a, struct packet *p, unsigned event)
{
    struct try t = {.a = a, .address = p->address, .bytes = p->bytes, .access = p};
    t.event = event_here(a, p->address, p->bytes, event, &t.line);
    if (event == AGENT_STORE_EVENT) {
        a->cache_stats->writes++;
        a->cache_stats->write_hits += t.line != NULL;
        a->cache_stats->write_misses += t.line == NULL;
    }
    if (is_deferred(a, p->address) || is_locked(a, t.event, p)) {
        t.event = event;
        defer(&t);
        return;
    }
    uint32_t actions = row_of(a, t.line, t.event).actions;
    if (needs_place(&t, actions))
        find_place(&t); /* agent_can_take has made it */
    bool sent = actions & AGENT_DO_SEND;
    take(&t);
    if (t.line)
        t.line->used = ++a->clock;
    if (event == AGENT_STORE_EVENT && !sent)
        packet_free(a->packets, p);
    settle(a);
}

bool agent_owns(const struct packet *p)
{
    return p->cookie == CACHE_NO_WAITER;
}

void agent_reply(struct agent *a, struct packet *p)
{
    struct try t = {.a = a, .address = p->address, .bytes = p->bytes, .reply = p};
    agent_changed(a);
    if (p->kind == PACKET_WRITE) {
        agent_arrive(a, p->fill);
    } else {
        t.line = p->kind == PACKET_READ ? &a->lines[a->fills[p->fill].line] : agent_find(a, p->address);
        t.event = p->kind == PACKET_READ ? AGENT_FILL_EVENT : AGENT_GRANT_EVENT;
        take(&t);
    }
    settle(a);
}

/* A probe of the L1 as a whole. */
static void take_order(struct agent *a, struct packet *p)
{
    if (p->kind == PACKET_LOCK) {
        take_lock(a, p);
        return;
    }
    a->locks -= p->kind == PACKET_UNLOCK;
    if (p->kind == PACKET_UNLOCK && !a->locks)
        retry(a, EVERY_LINE);
    if (p->kind == PACKET_DROP)
        agent_drop(a, AGENT_BY_REMOTE);
    if (p->kind == PACKET_FLUSH) {
        p->ready = agent_flush(a, AGENT_BY_REMOTE);
        packet_append(&a->flushes, p);
        a->probes++;
        return;
    }
    p->is_reply = true;
    packet_ring_push(a->answers, p);
}

/* What was given back has arrived. */
static void take_put_answer(struct agent *a, struct packet *p)
{
    agent_step(a, agent_find(a, p->address), AGENT_PUT_ANSWERED_EVENT);
    packet_free(a->packets, p);
}

void agent_probe(struct agent *a, struct packet *p)
{
    bool is_order = p->kind >= PACKET_LOCK;
    contract(!is_order || a->answers->count + a->probes < a->answers->size);
    agent_changed(a);
    if (is_order)
        take_order(a, p);
    else if (p->kind == PACKET_PUT)
        take_put_answer(a, p);
    else
        take_probe(a, agent_find(a, p->address), p);
    settle(a);
}

void agent_answered(struct agent *a, struct packet *p)
{
    if (!p->at_home)
        return;
    note_home(a, p, false);
    agent_changed(a);
}

struct packet *agent_done(struct agent *a)
{
    return a->done.first ? packet_shift(&a->done) : NULL;
}

void agent_drain(struct agent *a)
{
    agent_changed(a);
    if (a->behind.first) {
        packet_ring_push(a->requests, packet_shift(&a->behind));
    } else if ((int32_t)(a->drain_to - a->unsent) > 0) {
        agent_write_out(a, agent_find(a, a->writes[a->unsent % AGENT_WRITES].address));
    } else {
        a->stalled = false;
        retry(a, EVERY_LINE);
    }
    settle(a);
}

void agent_drop(struct agent *a, enum agent_cause cause)
{
    uint64_t *counts[] = {&a->stats.drops_order, &a->stats.drops_remote, &a->stats.drops_registration,
                          &a->stats.drops_kernel};
    ++*counts[cause];
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        if (line->state != AGENT_I)
            agent_step(a, line, AGENT_DROP_EVENT);
}

bool agent_idle(const struct agent *a)
{
    return a->arrived == a->end && !a->behind.first && !a->deferred.first && !a->done.first && !a->flushing &&
           !a->probes;
}

/* Between kernels */

void agent_publish(struct agent *a, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                   void *context)
{
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        for (uint32_t i = 0; i < PACKET_LINE_BYTES && line->state != AGENT_I && !line->own; i++)
            if (line->written.word[i / 64] >> i % 64 & 1)
                put(context, (line->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + i, agent_data(a, line) + i, 1);
}

void agent_refresh(struct agent *a, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                   void *context)
{
    for (struct agent_line *line = a->lines; line < a->lines + a->sets * a->ways; line++)
        if (line->state == AGENT_R && !line->own)
            read(context, line->address, agent_data(a, line) + line->address % PACKET_LINE_BYTES, a->line_bytes);
}
