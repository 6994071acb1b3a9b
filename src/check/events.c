/* Lists the events that a state of the checked machine allows, and takes one: a thread begins an access or goes on with
 * it, a message arrives, an L1 sends something by itself. A message may arrive when no other is before it in the
 * network of the same L1, slice and kind; replies arrive in any order, for one may come from the DRAM. */
#include "check/model.h"

enum event_kind {
    EVENT_REPLY, /* which: the reply */
    EVENT_DONE,  /* who: the L1, which has answered an access itself */
    EVENT_PROBE, /* which: the slice */
    EVENT_HOME,  /* a request comes to the slice */
    EVENT_ACKNOWLEDGED,
    EVENT_SERVED, /* the access at remote scope has its answer */
    EVENT_STEP,   /* who: the thread */
    EVENT_DRAIN,
    EVENT_CHOOSE, /* who: the thread; which: the choice */
    EVENT_END,    /* the threads of a kernel end */
    EVENT_EMPTY,  /* who: the L1, which flushes at that end */
    EVENT_BEGIN,  /* the next kernel */
    EVENT_OVER,   /* who: the L1; which: the place of a line whose lease is over there */
    EVENT_LAPSED  /* which: a line of which the slice's last lease is over */
};
static model_event make(enum event_kind kind, unsigned who, unsigned which)
{
    return (model_event)(kind << 12 | who << 8 | which);
}
static enum event_kind kind_of(model_event e)
{
    return (enum event_kind)(e >> 12);
}

struct events {
    model_event *items;
    unsigned count;
};
static void add(struct events *e, model_event event)
{
    if (e->count < MODEL_EVENTS)
        e->items[e->count++] = event;
}

/* Rings and lists, slice by slice */

static void add_ring(const struct model *w, const struct packet_ring *ring, enum event_kind kind, unsigned who,
                     struct events *e)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        unsigned slice = model_slice_of(w, (*packet_ring_at(ring, i))->address);
        if (!(seen >> slice & 1))
            add(e, make(kind, who, slice));
        seen |= 1u << slice;
    }
}

static struct packet *take_ring(const struct model *w, struct packet_ring *ring, unsigned slice)
{
    uint32_t at = 0;
    while (model_slice_of(w, (*packet_ring_at(ring, at))->address) != slice)
        at++;
    struct packet *p = *packet_ring_at(ring, at);
    for (; at > 0; at--)
        *packet_ring_at(ring, at) = *packet_ring_at(ring, at - 1);
    packet_ring_pop(ring);
    return p;
}

static void add_probes(const struct model *w, unsigned cache, struct events *e)
{
    uint32_t seen = 0;
    for (const struct packet *p = w->probes[cache].first; p; p = p->next) {
        unsigned slice = model_slice_of(w, p->address);
        if (!(seen >> slice & 1))
            add(e, make(EVENT_PROBE, cache, slice));
        seen |= 1u << slice;
    }
}

static struct packet *take_probe(const struct model *w, struct packet_list *list, unsigned slice)
{
    struct packet_list all = *list;
    struct packet *found = NULL;
    *list = (struct packet_list){NULL, NULL};
    while (all.first) {
        struct packet *p = packet_shift(&all);
        if (!found && model_slice_of(w, p->address) == slice)
            found = p;
        else
            packet_append(list, p);
    }
    return found;
}

/* Time. An L1's lease may end at any moment, for clocks and messages may have any speed. That of a slice ends later
 * than those that it has granted: not while an L1 has a copy by such a lease that is not over, or one is on its way to
 * it. */

static bool may_lapse(const struct model *w, unsigned line)
{
    const struct directory *d = &w->directory;
    uint64_t address = model_address(w, line);
    const struct directory_entry *entry = directory_find(d, address);
    if (!entry || !d->side.steps[entry->state][DIRECTORY_TIME_PASSED_EVENT].given)
        return false;
    for (unsigned c = 0; c < w->setup->caches; c++) {
        const struct agent *a = &w->agents[c];
        const struct agent_line *l = agent_find(a, address);
        if (l && model_is_granted(w, c, (uint32_t)(l - a->lines)))
            return false;
    }
    return true;
}

static void add_leases(const struct model *w, struct events *e)
{
    for (unsigned c = 0; c < w->setup->caches; c++)
        for (uint32_t i = 0; i < w->agents[c].sets * w->agents[c].ways; i++)
            if (model_has_lease(w, c, i))
                add(e, make(EVENT_OVER, c, i));
    for (unsigned line = 0; line < w->setup->lines; line++)
        if (may_lapse(w, line))
            add(e, make(EVENT_LAPSED, 0, line));
}

unsigned model_events(struct model *w, model_event events[MODEL_EVENTS], unsigned *internal)
{
    struct events e = {events, 0};
    for (uint32_t i = 0; i < w->reply_count; i++)
        add(&e, make(EVENT_REPLY, 0, i));
    for (unsigned c = 0; c < w->setup->caches; c++) {
        if (w->agents[c].done.first)
            add(&e, make(EVENT_DONE, c, 0));
        add_probes(w, c, &e);
        if (w->reply_count < w->setup->replies)
            add_ring(w, &w->requests[c], EVENT_HOME, c, &e);
        add_ring(w, &w->answers[c], EVENT_ACKNOWLEDGED, c, &e);
    }
    if (w->served)
        add(&e, make(EVENT_SERVED, 0, 0));
    for (unsigned t = 0; t < w->program.threads; t++)
        if (model_can_step(w, t))
            add(&e, make(EVENT_STEP, t, 0));
    for (unsigned c = 0; c < w->setup->caches; c++)
        if (agent_drains(&w->agents[c]))
            add(&e, make(EVENT_DRAIN, c, 0));
    for (unsigned c = 0; c < w->setup->caches; c++)
        if (model_may_empty(w, c))
            add(&e, make(EVENT_EMPTY, c, 0));
    if (model_may_begin(w))
        add(&e, make(EVENT_BEGIN, 0, 0));
    if (w->directory.leases)
        add_leases(w, &e);
    *internal = e.count;
    if (model_may_end(w))
        add(&e, make(EVENT_END, 0, 0));
    for (unsigned t = 0; t < w->program.threads; t++)
        for (unsigned n = model_choices(w, t), i = 0; i < n; i++)
            add(&e, make(EVENT_CHOOSE, t, i));
    return e.count;
}

/* The slice */

static void send_reply(struct model *w, struct packet *p)
{
    p->is_reply = true;
    w->replies[w->reply_count++] = p;
}

/* Moves every packet that the directory has queued to send into the network it travels by. */
static void send_out(struct model *w)
{
    while (w->directory.out.first) {
        struct packet *p = packet_shift(&w->directory.out);
        model_tell(w, "; slice to L1 %u: ", model_name(w, p->sm));
        model_tell_packet(w, p);
        if (message_network_of(p->kind, p->is_reply) == MESSAGE_PROBES)
            packet_append(&w->probes[p->sm], p);
        else
            send_reply(w, p);
    }
}

/* The tags have the access. Its answer is a reply like others, unless the directory waits for it. */
static void serve(struct model *w, struct packet *p)
{
    if (w->directory.remote.packet == p) {
        w->served = p;
        return;
    }
    if (!directory_answered(&w->directory, p))
        send_reply(w, p);
}

static void take_woken(struct model *w)
{
    struct packet_list *woken = &w->directory.woken;
    struct packet_list behind = w->front;
    w->front = (struct packet_list){NULL, NULL};
    while (woken->first) {
        w->directory.kept--;
        packet_append(&w->front, packet_shift(woken));
    }
    while (behind.first)
        packet_append(&w->front, packet_shift(&behind));
}

static void take_home(struct model *w, struct packet *p)
{
    p->local = p->address;
    p->parts = 1;
    w->asker = p->sm;
    enum directory_taken taken = directory_take(&w->directory, p);
    if (taken == DIRECTORY_TAKE_REFUSED)
        model_fault(w, "the slice refuses an access, although it lacks nothing");
    if (taken == DIRECTORY_TAKE_GONE)
        serve(w, p);
    send_out(w);
}

/* Those whose wait is over go before all others. Nothing else that happens meanwhile can be told from its having
 * happened before or after. */
static void go_on(struct model *w)
{
    for (take_woken(w); w->front.first && !w->wrong && !w->missing.any; take_woken(w)) {
        struct packet *next = packet_shift(&w->front);
        model_tell(w, "; woken, of L1 %u: ", model_name(w, next->sm));
        model_tell_packet(w, next);
        take_home(w, next);
    }
}

static void come_home(struct model *w, struct packet *p)
{
    take_home(w, p);
    go_on(w);
}

/* Running */

static void run_reply(struct model *w, unsigned which)
{
    struct packet *p = w->replies[which];
    unsigned cache = p->sm;
    w->replies[which] = w->replies[--w->reply_count];
    model_tell(w, "L1 %u gets ", model_name(w, cache));
    model_tell_packet(w, p);
    agent_answered(&w->agents[cache], p);
    if (agent_owns(p))
        agent_reply(&w->agents[cache], p);
    else
        model_answer(w, p);
    packet_free(&w->pools[cache], p);
}

static void run_done(struct model *w, unsigned cache)
{
    struct packet *p = agent_done(&w->agents[cache]);
    model_tell(w, "L1 %u answers ", model_name(w, cache));
    model_tell_packet(w, p);
    model_answer(w, p);
    packet_free(&w->pools[cache], p);
}

static void run_probe(struct model *w, unsigned cache, unsigned slice)
{
    struct packet *p = take_probe(w, &w->probes[cache], slice);
    const struct agent *a = &w->agents[cache];
    model_tell(w, "L1 %u gets ", model_name(w, cache));
    model_tell_packet(w, p);
    if (message_is_of_l1(p->kind) && a->answers->count + a->probes >= a->answers->size)
        model_fault(w, "an L1 has no room for the answer to a question");
    else
        agent_probe(&w->agents[cache], p);
}

static void run_home(struct model *w, unsigned cache, unsigned slice, struct packet_ring *ring)
{
    struct packet *p = take_ring(w, ring, slice);
    model_tell(w, "slice gets from L1 %u ", model_name(w, cache));
    model_tell_packet(w, p);
    come_home(w, p);
}

static void run_served(struct model *w)
{
    struct packet *p = w->served;
    w->served = NULL;
    model_tell(w, "the L2 has answered the access at remote scope");
    if (!directory_answered(&w->directory, p))
        send_reply(w, p);
    send_out(w);
}

static void run_over(struct model *w, unsigned cache, unsigned place)
{
    struct agent *a = &w->agents[cache];
    model_tell(w, "L1 %u: the lease of line %u is over", model_name(w, cache),
               model_line_name(w, model_line_of(a->lines[place].address)));
    w->leases[cache].live &= ~(1u << place);
    agent_time_passed(a, place);
}

static void run_lapsed(struct model *w, unsigned line)
{
    struct directory *d = &w->directory;
    model_tell(w, "slice: the last lease of line %u is over", model_line_name(w, line));
    directory_time_passed(d, (uint32_t)(directory_find(d, model_address(w, line)) - d->entries));
    go_on(w);
}

/* Loads whose line came have it at once: they have its values, whenever it may be that they are told. */
static void serve_ready(struct model *w)
{
    for (unsigned c = 0; c < w->setup->caches && !w->wrong; c++)
        while (agent_has_ready(&w->agents[c]) && !w->wrong) {
            const uint8_t *values;
            uint32_t thread = agent_ready(&w->agents[c], &values);
            model_loaded(w, thread, values);
        }
}

static void run(struct model *w, model_event event)
{
    unsigned who = event >> 8 & 0xf, which = event & 0xff;
    switch (kind_of(event)) {
    case EVENT_REPLY:
        run_reply(w, which);
        break;
    case EVENT_DONE:
        run_done(w, who);
        break;
    case EVENT_PROBE:
        run_probe(w, who, which);
        break;
    case EVENT_HOME:
        run_home(w, who, which, &w->requests[who]);
        break;
    case EVENT_ACKNOWLEDGED:
        run_home(w, who, which, &w->answers[who]);
        break;
    case EVENT_SERVED:
        run_served(w);
        break;
    case EVENT_DRAIN:
        model_tell(w, "L1 %u sends what waits", model_name(w, who));
        agent_drain(&w->agents[who]);
        break;
    case EVENT_END:
        model_tell(w, "the kernel's threads end");
        model_end(w);
        break;
    case EVENT_EMPTY:
        model_tell(w, "L1 %u flushes at the end of the kernel", model_name(w, who));
        model_empty(w, who);
        break;
    case EVENT_BEGIN:
        model_tell(w, "the host reads and writes all words, and the next kernel begins");
        model_begin(w);
        break;
    case EVENT_OVER:
        run_over(w, who, which);
        break;
    case EVENT_LAPSED:
        run_lapsed(w, which);
        break;
    case EVENT_STEP:
        model_tell(w, "thread %u (L1 %u) goes on", model_thread_name(w, who),
                   model_name(w, w->program.roles[who].cache));
        model_step(w, who);
        break;
    case EVENT_CHOOSE:
        model_tell(w, "thread %u (L1 %u): ", model_thread_name(w, who), model_name(w, w->program.roles[who].cache));
        model_choose(w, who, which);
        break;
    }
}

void model_run(struct model *w, model_event event)
{
    run(w, event);
    serve_ready(w);
}
