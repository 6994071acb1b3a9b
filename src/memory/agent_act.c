/* The actions of an agent's table (coherence/agent_actions.def), and how a line is stepped. */
#include "memory/agent_impl.h"

#include <string.h>

#include "base/hot.h"
#include "memory/packet_values.h"

#define BIT(action) COHERENCE_BIT(AGENT_DO_##action)

static struct packet *new_request(struct agent *a, const struct agent_line *line, uint8_t kind)
{
    struct packet *p = packet_new(a->packets, kind);
    p->space = line->own ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = line->address;
    p->bytes = (uint8_t)a->line_bytes;
    return p;
}

struct packet *agent_request(struct agent *a, const struct agent_line *line, uint8_t kind)
{
    struct packet *p = new_request(a, line, kind);
    packet_ring_push(a->requests, p);
    return p;
}

/* The agent sends a packet that it cannot hold back: while `requests` has no room, the packet waits in `behind`. */
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

static unsigned agent_state_of(const struct agent_line *line)
{
    return line ? line->state : AGENT_I;
}

uint64_t agent_set_of(const struct agent *a, const struct agent_line *line, unsigned event)
{
    return coherence_set(coherence_row(&a->side, agent_state_of(line), event).actions);
}

/* Accesses that wait aside */

bool agent_is_deferred(const struct agent *a, uint64_t address)
{
    uint64_t line = agent_line_of(a, address);
    for (const struct packet *p = a->deferred.first; p; p = p->next)
        if (agent_line_of(a, p->address) == line)
            return true;
    return false;
}

/* LOCK holds up what the scope of the block would let the L1 perform; a LOCK that waits, all but what it waits for. */
bool agent_is_locked(const struct agent *a, unsigned event, const struct packet *access)
{
    bool block = event == AGENT_BLOCK_EVENT || event == AGENT_BLOCK_HERE_EVENT;
    return block && (a->locks || (a->lock_waits.first && !(access && access_of(access)->before_lock)));
}

void agent_defer(struct agent_try *t)
{
    access_of(t->access)->event = (uint8_t)(t->event == AGENT_BLOCK_HERE_EVENT ? AGENT_BLOCK_EVENT : t->event);
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

void agent_note_home(struct agent *a, struct packet *p, bool leaves)
{
    access_of(p)->at_home = leaves;
    *at_home(a, p->address) += leaves ? 1 : -1;
}

bool agent_needs_place(const struct agent_try *t, uint64_t set)
{
    return !t->line && (set & (BIT(FETCH) | BIT(ASK) | BIT(KEEP)));
}

bool agent_find_place(struct agent_try *t)
{
    t->line = agent_place(t->a, t->address);
    return t->line;
}

bool agent_has_places(struct agent_try *t, uint64_t set)
{
    struct agent *a = t->a;
    const uint64_t sends = BIT(WRITE_OUT) | BIT(FETCH) | BIT(ASK) | BIT(PASS) | BIT(SEND);
    if (set & BIT(REFUSE))
        return false;
    if ((set & sends) && !agent_has_room(a))
        return false;
    if ((set & BIT(FETCH)) && !agent_can_fill(a))
        return false;
    if ((set & BIT(JOIN)) && !agent_can_join(a, t->line))
        return false;
    if (t->event == AGENT_STORE_EVENT && *at_home(a, t->address))
        return false;
    bool stores = (set & BIT(SEND)) && t->event == AGENT_STORE_EVENT;
    bool queues = set & (BIT(QUEUE) | BIT(HOLD)) && !(set & BIT(KEEP_WRITTEN)); /* what was written has a place */
    if ((queues || stores) && !agent_can_queue(a, t->line))
        return false;
    return !agent_needs_place(t, set) || (agent_has_room(a) && agent_find_place(t));
}

/* Actions */

/* A line that is not there takes the place that was found for it. */
static void take_place(struct agent_try *t)
{
    struct agent_line *line = t->line;
    *line = (struct agent_line){.address = agent_line_of(t->a, t->address), .fill = AGENT_NONE};
    line->own = t->load ? t->load->own : t->access->space == PACKET_LOCAL;
}

static void join(struct agent_try *t)
{
    t->served = AGENT_WAITING;
    agent_join_fill(t->a, t->line, t->load->waiter);
}

static void fetch(struct agent_try *t)
{
    struct packet *p = agent_request(t->a, t->line, PACKET_READ);
    agent_begin_fill(t->a, t->line);
    read_of(p)->fill = (uint16_t)t->line->fill;
    if (t->load)
        join(t);
}

static void serve(struct agent_try *t)
{
    t->served = AGENT_SERVED;
    t->values = agent_data(t->a, t->line) + t->line->address % PACKET_LINE_BYTES;
}

static void give_up(struct agent_try *t)
{
    bytes_clear(&t->line->valid);
    bytes_clear(&t->line->written);
}

static void pass(struct agent_try *t)
{
    struct packet *p = packet_new(t->a->packets, PACKET_READ);
    p->space = t->load->own ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = t->address;
    p->bytes = (uint8_t)t->bytes;
    access_of(p)->waiter = t->load->waiter;
    agent_note_home(t->a, p, true);
    packet_ring_push(t->a->requests, p);
    t->request = p;
    t->served = AGENT_WAITING;
}

/* The line takes a store's bytes. */
static void take_bytes(struct agent_try *t, bool written)
{
    struct agent_line *line = t->line;
    struct byte_mask m = bytes_of(t->address, t->bytes);
    const struct packet *p = t->access;
    if (!line->own) {
        m = bytes_of_packet(p);
        packet_write_line(p, agent_data(t->a, line));
    }
    bytes_add(&line->valid, &m);
    if (written)
        bytes_add(&line->written, &m);
    else
        bytes_remove(&line->written, &m);
}

/* An atomic writes the elements that it changes. One whose comparison fails, or that takes no lock, writes nothing: the
 * line may be older than what others have written since, which must not be overwritten by what was read here. */
static void perform_atomic(struct agent_line *line, struct message_atomic *m, uint8_t *data)
{
    uint8_t before[PACKET_LINE_BYTES];
    uint64_t at = line->address & ~(uint64_t)(PACKET_LINE_BYTES - 1);
    uint32_t size = packet_atomic_bytes(m->type);
    memcpy(before, data, sizeof before);
    packet_perform_lanes(m, data, 0, PACKET_LINE_BYTES);
    for (unsigned i = 0; i < m->lane_count; i++) {
        uint8_t offset = m->lanes[i].offset;
        struct byte_mask element = bytes_of(at + offset, size);
        if (memcmp(before + offset, data + offset, size) != 0)
            bytes_add(&line->written, &element);
    }
}

/* An access that was performed here is its own answer. */
static void answer_access(struct agent_try *t)
{
    struct packet *p = t->access;
    access_of(p)->before_lock = false;
    p->is_reply = true;
    t->a->stats.sync_hits += !t->waited;
    packet_append(&t->a->done, p);
}

/* An atomic access on the line's bytes. */
static void perform(struct agent_try *t)
{
    struct packet *p = t->access;
    uint8_t *data = agent_data(t->a, t->line);
    if (p->kind == PACKET_ATOMIC) {
        perform_atomic(t->line, atomic_of(p), data);
    } else if (p->kind == PACKET_WRITE) {
        struct byte_mask m = bytes_of_packet(p);
        packet_write_line(p, data);
        bytes_add(&t->line->written, &m);
    } else {
        memcpy(packet_data(p), data, PACKET_LINE_BYTES);
    }
    answer_access(t);
}

/* The bytes of another L1's store; of its load there is nothing to do. */
static void look(struct agent_try *t)
{
    if (forward_of(t->probe)->asked != PACKET_WRITE)
        return;
    struct byte_mask m = bytes_of_packet(t->probe);
    packet_write_line(t->probe, agent_data(t->a, t->line));
    bytes_remove(&t->line->written, &m);
}

static void send(struct agent_try *t)
{
    struct packet *p = t->access;
    access_of(p)->before_lock = false;
    if (t->event == AGENT_STORE_EVENT) {
        access_of(p)->waiter = PACKET_NOBODY;
        write_of(p)->entry = (uint16_t)(agent_queue_sent(t->a, agent_line_of(t->a, t->address)) % AGENT_WRITES);
    } else {
        t->a->stats.sync_home++;
        agent_note_home(t->a, p, true);
    }
    packet_ring_push(t->a->requests, p);
}

static void install(struct agent_try *t)
{
    struct agent_line *line = t->line;
    struct byte_mask all = whole_line(t->a, line), missing = all;
    bytes_remove(&missing, &line->valid);
    bytes_copy(agent_data(t->a, line), packet_data(t->reply), &missing);
    line->valid = all;
    if (t->reply->kind != PACKET_REGISTER)
        return;
    const struct message_register *m = register_of(t->reply);
    line->grant = m->grant;
    t->a->stats.sync_home += !m->from_owner;
    t->a->stats.sync_remote += m->from_owner;
    agent_unqueue(t->a, line);
}

/* An access that a LOCK holds back is not early: it is ordered behind the access that has the L1 locked, and what comes
 * may be older than that. Nor are those behind it. */
static void note_early(struct agent_try *t)
{
    t->line->early = 0;
    for (const struct packet *p = t->a->deferred.first; p; p = p->next) {
        if (agent_line_of(t->a, p->address) != t->line->address)
            continue;
        if (agent_is_locked(t->a, access_of(p)->event, p))
            break;
        t->line->early++;
    }
}

/* The line is whole for as long as its early accesses are performed on it; then the row drops it. */
static void serve_early(struct agent_try *t)
{
    if (!t->line->early)
        return;
    install(t);
    t->line->state = AGENT_V;
    agent_retry_early(t->a, t->line);
}

static void begin_flush(struct agent_try *t)
{
    t->line->flush = agent_flush(t->a, AGENT_BY_REGISTRATION);
    t->a->flushing++;
}

/* The line's values go along, and which of them were written here. */
static void fill_with_line(const struct agent_try *t, struct packet *p)
{
    memcpy(packet_data(p), agent_data(t->a, t->line), PACKET_LINE_BYTES);
    bytes_to_packet(&t->line->written, p);
}

static void answer(struct agent_try *t)
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

static void acknowledge(struct agent_try *t)
{
    t->probe->is_reply = true;
    push_behind(t->a, t->probe);
}

/* A void answer says nothing, not even what was asked. */
void agent_answer_void(struct agent_try *t)
{
    if (t->probe->kind == PACKET_FORWARD) {
        struct message_forward *m = forward_of(t->probe);
        m->is_void = true;
        m->asked = PACKET_READ;
        memset(m->mask, 0, sizeof m->mask);
    } else {
        recall_of(t->probe)->is_void = true;
    }
    acknowledge(t);
}

static void put(struct agent_try *t)
{
    struct packet *p = new_request(t->a, t->line, PACKET_PUTM);
    fill_with_line(t, p);
    push_behind(t->a, p);
    t->a->stats.sync_evicted++;
}

static void hold_probe(struct agent_try *t)
{
    packet_append(&t->line->probes, t->probe);
    t->a->probes++;
}

static void keep_written(struct agent_try *t)
{
    t->line->valid = t->line->written;
    t->line->state = bytes_any(&t->line->written) ? AGENT_V : AGENT_I;
}

static void queue(struct agent_try *t, bool hold)
{
    if (bytes_any(&t->line->written))
        agent_queue_line(t->a, t->line, hold);
}

/* The line enters the row's next state, once: where ENTER stands in the row, or last. */
static void enter(void *environment, unsigned next)
{
    struct agent_try *t = environment;
    if (t->line && next != COHERENCE_ANY && !t->entered)
        t->line->state = (uint8_t)next;
    t->entered = true;
}

/* The actions by which an access finds its values, or its way to the L2. */
static void take_of_access(struct agent_try *t, unsigned action)
{
    switch (action) {
    case AGENT_DO_FETCH:
        fetch(t);
        break;
    case AGENT_DO_JOIN:
        join(t);
        break;
    case AGENT_DO_SERVE:
        serve(t);
        break;
    case AGENT_DO_ASK:
        push_behind(t->a, new_request(t->a, t->line, PACKET_REGISTER));
        break;
    case AGENT_DO_PASS:
        pass(t);
        break;
    case AGENT_DO_DEFER:
        agent_defer(t);
        break;
    case AGENT_DO_KEEP:
        take_bytes(t, true);
        break;
    case AGENT_DO_COPY:
        take_bytes(t, false);
        break;
    case AGENT_DO_PERFORM:
        perform(t);
        break;
    case AGENT_DO_QUEUE:
        queue(t, false);
        break;
    case AGENT_DO_HOLD:
        queue(t, true);
        break;
    default:
        contract(action == AGENT_DO_SEND);
        send(t);
        break;
    }
}

/* Those by which a line takes what comes, or loses what it has. */
static void take_of_line(struct agent_try *t, unsigned action)
{
    switch (action) {
    case AGENT_DO_WRITE_OUT:
        agent_write_out(t->a, t->line);
        break;
    case AGENT_DO_GIVE_UP:
        give_up(t);
        break;
    case AGENT_DO_WAKE:
        agent_end_fill(t->a, t->line, t->reply);
        break;
    case AGENT_DO_EARLY:
        note_early(t);
        break;
    case AGENT_DO_LAST:
        serve_early(t);
        break;
    case AGENT_DO_INSTALL:
        install(t);
        break;
    case AGENT_DO_LOOK:
        look(t);
        break;
    case AGENT_DO_KEEP_WRITTEN:
        keep_written(t);
        break;
    case AGENT_DO_FLUSH:
        begin_flush(t);
        break;
    default:
        take_of_access(t, action);
        break;
    }
}

/* Those by which a slice has its answers, and those that wait aside their turn. */
static void take_of_others(struct agent_try *t, unsigned action)
{
    switch (action) {
    case AGENT_DO_WAIT:
        hold_probe(t);
        break;
    case AGENT_DO_ANSWER:
        answer(t);
        break;
    case AGENT_DO_VOID:
        agent_answer_void(t);
        break;
    case AGENT_DO_ACKNOWLEDGE:
        acknowledge(t);
        break;
    case AGENT_DO_PUTM:
        put(t);
        break;
    case AGENT_DO_ENTER:
        enter(t, t->next);
        break;
    case AGENT_DO_RETRY:
        agent_retry(t->a, t->line->address);
        break;
    case AGENT_DO_DROP_ALL:
        agent_drop(t->a, AGENT_BY_REGISTRATION);
        break;
    case AGENT_DO_ASK_AGAIN:
        agent_ask_again(t->a, t->line);
        break;
    case AGENT_DO_LEASE:
        t->a->host.lease(t->a->host.context, (uint32_t)(t->line - t->a->lines));
        break;
    default:
        take_of_line(t, action);
        break;
    }
}

/* Takes an action of a row. The places that the row needs were found before (agent_has_places): nothing is refused
 * here. */
static bool take(void *environment, unsigned action)
{
    take_of_others(environment, action);
    return true;
}

void agent_take_row(struct agent_try *t)
{
    unsigned state = agent_state_of(t->line);
    t->next = coherence_row(&t->a->side, state, t->event).next;
    t->entered = false;
    agent_changed(t->a);
    if (t->line && state == AGENT_I)
        take_place(t);
    bool taken = coherence_take(&t->a->side, state, t->event, take, enter, t);
    contract(taken);
    (void)taken;
}

void agent_step(struct agent *a, struct agent_line *line, unsigned event)
{
    struct agent_try t = {.a = a, .line = line, .address = line->address, .bytes = a->line_bytes, .event = event};
    if (event == AGENT_FLUSHED_EVENT)
        a->flushing--;
    agent_take_row(&t);
}
