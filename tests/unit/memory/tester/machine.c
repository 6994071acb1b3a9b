#include "unit/memory/tester/machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "isa/op.h"
#include "unit/memory/memory_fixture.h"

void tester_fail(struct tester *t, const char *format, ...)
{
    va_list arguments;
    if (t->failed)
        return;
    t->failed = true;
    va_start(arguments, format);
    vsnprintf(t->message, sizeof t->message, format, arguments);
    va_end(arguments);
}

void tester_trace(const struct tester *t, const char *format, ...)
{
    va_list arguments;
    if (!t->traces)
        return;
    fprintf(stderr, "%8llu ", (unsigned long long)t->cycle);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* Setting up */

static void open_agent(struct tester *t, uint32_t i)
{
    const struct tester_setup *s = t->setup;
    struct tester_agent *a = &t->agents[i];
    a->packets = (struct packet_pool){.sm = (uint16_t)i, .arena = &t->arena};
    l1_init(&a->l1,
            &(struct l1_setup){.protocol = s->protocol,
                               .cache = &s->l1,
                               .packets = &a->packets,
                               .requests = s->requests,
                               .answers = s->protocol->probes ? t->slices + 1 : 0,
                               .store_queue = s->store_queue,
                               .rprio = s->rprio,
                               .lease = s->memory.coherence.lease,
                               .now = &t->cycle,
                               .in_order = true},
            &t->arena);
}

static void open_partition(struct tester *t, uint32_t channel)
{
    const struct tester_setup *s = t->setup;
    struct partition *p = partition_create(&s->memory, channel, &t->store, &t->arena);
    t->partitions[channel] = p;
    partition_open_directory(p, s->agents);
    if (s->vary)
        partition_vary(p, s->seed, s->vary);
    if (s->hold)
        partition_oppose(p, s->seed, s->hold);
    const struct sim_clock clock = sim_clock_at(924, 700, 0);
    partition_start(p, &clock);
}

void tester_start(struct tester *t, const struct tester_setup *setup)
{
    memset(t, 0, sizeof *t);
    t->setup = setup;
    t->traces = getenv("LOCKSTEP_TRACE") != NULL;
    t->random = setup->seed;
    t->slices = memory_slices(&setup->memory.partition);
    t->threads = setup->agents * setup->threads;
    t->map = memory_map_of(&setup->memory.partition);
    assert_int_equal(store_init(&t->store, TESTER_START, TESTER_BYTES, NULL), 0);
    for (uint32_t i = 0; i < setup->memory.partition.channels; i++)
        open_partition(t, i);
    for (uint32_t i = 0; i < setup->agents; i++)
        open_agent(t, i);
    model_init(&t->model, t->threads);
    tester_threads_init(t);
}

void tester_stop(struct tester *t)
{
    model_free(&t->model);
    for (uint32_t i = 0; i < t->setup->memory.partition.channels; i++)
        partition_destroy(t->partitions[i]);
    store_free_all(&t->store);
    arena_free(&t->arena);
}

/* Channels */

static bool has_room(const struct tester *t, const struct tester_channel *c)
{
    return c->count < t->setup->room;
}

static void send(struct tester *t, struct tester_channel *c, struct packet *p)
{
    const struct tester_setup *s = t->setup;
    uint32_t most = s->slow && tester_draw(&t->random, s->rare) == 0 ? s->slow : s->delay;
    uint64_t due = t->cycle + 1 + tester_draw(&t->random, most + 1);
    c->last = due > c->last ? due : c->last;
    uint32_t at = (c->first + c->count++) % TESTER_ROOM;
    c->messages[at].packet = p;
    c->messages[at].due = c->last;
}

static struct packet *arrived(const struct tester *t, const struct tester_channel *c)
{
    return c->count && c->messages[c->first].due <= t->cycle ? c->messages[c->first].packet : NULL;
}

static struct packet *receive(struct tester_channel *c)
{
    struct packet *p = c->messages[c->first].packet;
    c->first = (c->first + 1) % TESTER_ROOM;
    c->count--;
    return p;
}

static void trace_packet(const struct tester *t, const char *what, uint32_t agent, const struct packet *p)
{
    struct strbuf text = {0};
    if (!t->traces)
        return;
    packet_print(p, &text);
    tester_trace(t, "agent %u %s %s", agent, what, strbuf_text(&text));
    strbuf_free(&text);
}

/* The first of an L1's ring goes into its channel, if that has room. */
static void send_of_agent(struct tester *t, uint32_t i, struct packet_ring *ring)
{
    struct packet *p = packet_ring_peek(ring);
    uint64_t local;
    if (!p)
        return;
    uint32_t slice = memory_slice_of(&t->map, p->address, &local);
    struct tester_channel *c = &t->channels[message_network_of(p->kind, p->is_reply)][i][slice];
    if (!has_room(t, c))
        return;
    trace_packet(t, "sends", i, p);
    send(t, c, packet_ring_pop(ring));
    t->to_slice[slice]++;
}

/* Accesses */

static struct tester_agent *agent_of(struct tester *t, uint32_t thread)
{
    return &t->agents[t->all[thread].agent];
}

struct tester_op *tester_new_op(struct tester *t, uint32_t thread)
{
    struct tester_agent *a = agent_of(t, thread);
    for (uint32_t i = 0; i < TESTER_OPS; i++)
        if (!a->ops[i].used) {
            a->ops[i] = (struct tester_op){.used = true, .thread = thread, .since = t->cycle};
            t->all[thread].ops++;
            return &a->ops[i];
        }
    return NULL;
}

void tester_free_op(struct tester *t, struct tester_op *op)
{
    op->used = false;
    t->all[op->thread].ops--;
}

static enum order_kind kind_of(const struct tester_op *op)
{
    return op->kind == PACKET_READ ? ORDER_LOAD : op->kind == PACKET_WRITE ? ORDER_STORE : ORDER_ATOMIC;
}

const struct order_meaning *tester_meaning(const struct tester *t, const struct tester_op *op)
{
    return order_meaning(kind_of(op), op->order, order_scope(t->setup->protocol, op->scope));
}

/* An access that goes past the L1 is relaxed there, and so it is in the slice. */
static uint8_t order_of(const struct tester_op *op)
{
    return op->past && op->order <= ISA_ORDER_WEAK ? ISA_ORDER_RELAXED : op->order;
}

static unsigned event_of(const struct tester *t, const struct tester_op *op)
{
    const struct l1_ask ask = {.kind = kind_of(op), .order = order_of(op), .scope = op->scope, .own = op->own};
    return l1_event_of(&t->agents[t->all[op->thread].agent].l1, &ask);
}

/* As an SM issues it (sm/perform.c): what its block did is ordered before a release at the scope of the block. A thread
 * waits for its own atomics, and local memory is its own. */
static void issue(struct tester *t, struct tester_agent *a, struct tester_op *op)
{
    if (order_synchronises_block(tester_meaning(t, op)))
        block_order_synchronise(&a->order);
    op->counts = !op->own && op->kind != PACKET_ATOMIC;
    if (!op->counts)
        return;
    op->epoch = block_order_epoch(&a->order);
    block_order_add(&a->order, op->epoch);
}

void tester_issue(struct tester *t, struct tester_op *op)
{
    struct tester_agent *a = agent_of(t, op->thread);
    issue(t, a, op);
    a->queue[(a->first + a->queued++) % TESTER_OPS] = (uint32_t)(op - a->ops);
}

/* The packet gets what is written. */
static void fill_request(const struct tester_op *op, struct packet *p)
{
    access_of(p)->order = order_of(op);
    access_of(p)->scope = op->scope;
    for (uint32_t i = 0; i < op->part_count && !op->own; i++) {
        const struct tester_part *part = &op->parts[i];
        uint32_t offset = (uint32_t)(part->address % PACKET_LINE_BYTES);
        if (p->kind == PACKET_WRITE) {
            memcpy(packet_data(p) + offset, &part->operand, part->bytes);
            packet_mask(p)[offset / 64] |= mask_low(part->bytes) << offset % 64;
        } else if (p->kind == PACKET_ATOMIC) {
            struct message_atomic *m = atomic_of(p);
            m->lanes[m->lane_count++] = (struct packet_lane){
                .lane = (uint8_t)i, .offset = (uint8_t)offset, .operand = part->operand, .compare = part->compare};
        }
    }
    if (p->kind != PACKET_ATOMIC)
        return;
    atomic_of(p)->atomic = op->atomic;
    atomic_of(p)->type = op->part_count && op->parts[0].bytes == 8 ? ISA_U64 : ISA_U32;
}

static void check_parts(struct tester *t, const struct tester_op *op)
{
    for (uint32_t i = 0; i < op->part_count; i++) {
        const struct tester_part *part = &op->parts[i];
        if (part->check && part->got != part->expected)
            tester_fail(
                t,
                "cycle %llu: %s by thread %u of agent %u (order %u, scope %u) of %u bytes at %llx has %llx, not %llx",
                (unsigned long long)t->cycle, op->kind == PACKET_READ ? "a load" : "an atomic", op->thread,
                t->all[op->thread].agent, op->order, op->scope, part->bytes, (unsigned long long)part->address,
                (unsigned long long)part->got, (unsigned long long)part->expected);
    }
}

static void end_op(struct tester *t, struct tester_op *op)
{
    tester_free_op(t, op);
    if (op->counts)
        block_order_done(&agent_of(t, op->thread)->order, op->epoch);
    t->accesses++;
    check_parts(t, op);
    uint8_t after = tester_meaning(t, op)->after;
    if (after)
        l1_order(&agent_of(t, op->thread)->l1, (enum l1_order)(after - 1));
    tester_thread_ended(t, op);
}

/* A load has its values: those of bytes of a line, from its first one. */
static void end_load(struct tester *t, struct tester_op *op, const uint8_t *line, uint32_t line_bytes)
{
    for (uint32_t i = 0; i < op->part_count && !op->own; i++) {
        struct tester_part *part = &op->parts[i];
        part->got = 0;
        memcpy(&part->got, line + (part->address & (line_bytes - 1)), part->bytes);
    }
    end_op(t, op);
}

static void end_atomic(struct tester *t, struct tester_op *op, const struct packet *p)
{
    for (uint32_t i = 0; i < op->part_count; i++)
        op->parts[i].got = atomic_of(p)->lanes[i].operand;
    end_op(t, op);
}

/* The op that is before the L1 is tried. */
static void try_op(struct tester *t, struct tester_agent *a)
{
    struct tester_op *op = &a->ops[a->queue[a->first]];
    struct l1_access access = {.address = op->address,
                               .bytes = op->bytes,
                               .waiter = (uint32_t)(op - a->ops),
                               .event = (uint8_t)event_of(t, op),
                               .kind = op->kind,
                               .own = op->own};
    enum l1_served served = l1_access(&a->l1, &access);
    if (served == L1_REFUSED)
        return;
    a->first = (a->first + 1) % TESTER_OPS;
    a->queued--;
    if (t->traces)
        for (uint32_t i = 0; i < op->part_count; i++)
            tester_trace(t,
                         "agent %u thread %u takes kind %u order %u scope %u line %llx +%u.%u of +%u.%u operand %llx "
                         "expects %llx",
                         t->all[op->thread].agent, op->thread, op->kind, op->order, op->scope,
                         (unsigned long long)(op->parts[i].address & ~UINT64_C(127)),
                         (uint32_t)(op->parts[i].address & 127), op->parts[i].bytes, (uint32_t)(op->address & 127),
                         op->bytes, (unsigned long long)op->parts[i].operand,
                         (unsigned long long)op->parts[i].expected);
    if (access.request)
        fill_request(op, access.request);
    if (access.request && access.request->kind == PACKET_WRITE && !l1_has_store(&a->l1, access.event))
        write_of(access.request)->slot = (uint8_t)(op - a->ops);
    if (access.submit)
        l1_submit(&a->l1, access.request, access.event);
    if (served == L1_SERVED && op->kind == PACKET_READ)
        end_load(t, op, access.values, a->l1.line_bytes);
    else if (access.event == AGENT_STORE_EVENT)
        end_op(t, op);
}

/* An agent's side */

/* The number of the op that a packet answers. */
static uint32_t op_of(const struct packet *p)
{
    uint32_t waiter = message_is_access(p->kind) ? access_of(p)->waiter : 0;
    return waiter == PACKET_NOBODY && p->kind == PACKET_WRITE ? write_of(p)->slot : waiter;
}

static void take_answer(struct tester *t, struct tester_agent *a, struct packet *p)
{
    struct tester_op *op = &a->ops[op_of(p) % TESTER_OPS];
    switch (l1_arrival_of(&a->l1, p)) {
    case L1_ITS_OWN:
        l1_reply(&a->l1, p);
        break;
    case L1_ACKNOWLEDGED:
        l1_answered(&a->l1, p);
        end_op(t, op);
        break;
    case L1_ANSWERED:
        l1_answered(&a->l1, p);
        if (p->kind == PACKET_ATOMIC)
            end_atomic(t, op, p);
        else
            end_load(t, op, packet_data(p), PACKET_LINE_BYTES);
        break;
    case L1_FILLED:
        tester_fail(t, "a fill came that no agent asked for");
    }
    packet_free(&a->packets, p);
}

/* The first message of a network to an agent, of slices in turn from a random one, or NULL. */
static struct tester_channel *arrival_for(struct tester *t, enum message_network net, uint32_t agent)
{
    uint32_t from = tester_draw(&t->random, t->slices);
    for (uint32_t i = 0; i < t->slices; i++) {
        struct tester_channel *c = &t->channels[net][agent][(from + i) % t->slices];
        if (arrived(t, c))
            return c;
    }
    return NULL;
}

static bool stalls(struct tester *t)
{
    return tester_draw(&t->random, t->setup->stall) == 0;
}

static void take_messages(struct tester *t, uint32_t i)
{
    struct tester_agent *a = &t->agents[i];
    struct tester_channel *c;
    if (!stalls(t) && (c = arrival_for(t, MESSAGE_PROBES, i))) {
        struct packet *p = arrived(t, c);
        trace_packet(t, "takes probe", i, p);
        if (l1_probe(&a->l1, p)) {
            receive(c);
            t->to_agent[i]--;
        }
    }
    if (!stalls(t) && (c = arrival_for(t, MESSAGE_REPLIES, i))) {
        struct packet *p = receive(c);
        t->to_agent[i]--;
        trace_packet(t, "takes", i, p);
        take_answer(t, a, p);
    }
}

static void step_agent(struct tester *t, uint32_t i)
{
    struct tester_agent *a = &t->agents[i];
    if (l1_has_done(&a->l1))
        take_answer(t, a, l1_take_done(&a->l1));
    else if (t->to_agent[i])
        take_messages(t, i);
    if (l1_has_ready(&a->l1)) {
        const uint8_t *values;
        uint32_t waiter = l1_ready(&a->l1, &values);
        end_load(t, &a->ops[waiter], values, a->l1.line_bytes);
    }
    send_of_agent(t, i, &a->l1.answers);
    send_of_agent(t, i, &a->l1.requests);
    if (l1_drains(&a->l1))
        l1_drain(&a->l1);
    if (a->queued)
        try_op(t, a);
}

/* A slice's side */

static struct tester_channel *arrival_at(struct tester *t, enum message_network net, uint32_t slice)
{
    uint32_t agents = t->setup->agents, from = tester_draw(&t->random, agents);
    for (uint32_t i = 0; i < agents; i++) {
        struct tester_channel *c = &t->channels[net][(from + i) % agents][slice];
        if (arrived(t, c))
            return c;
    }
    return NULL;
}

static struct packet *receive_at(struct tester *t, struct tester_channel *c, uint32_t slice)
{
    t->to_slice[slice]--;
    return receive(c);
}

static void take_requests(struct tester *t, struct partition *p, uint32_t slice, uint32_t k)
{
    struct tester_channel *c;
    if ((c = arrival_at(t, MESSAGE_ACKNOWLEDGEMENTS, slice)))
        partition_push(p, k, receive_at(t, c, slice), t->cycle);
    if ((partition_takes(p, t->cycle) >> k & 1) && !stalls(t) && (c = arrival_at(t, MESSAGE_REQUESTS, slice)))
        partition_push(p, k, receive_at(t, c, slice), t->cycle);
}

/* Replies and probes leave in the order in which the slice has sent them, each through its network. */
static void send_of_slice(struct tester *t, const struct partition_out *out, uint32_t slice)
{
    const struct partition_reply *reply = partition_first_reply(out);
    struct packet *p = reply->packet;
    if (p) {
        struct tester_channel *c = &t->channels[message_network_of(p->kind, p->is_reply)][reply->sm][slice];
        if (!has_room(t, c))
            return;
        trace_packet(t, "is sent", reply->sm, p);
        send(t, c, p);
        t->to_agent[reply->sm]++;
    }
    partition_take_reply((struct partition_out *)out);
}

static void step_slice(struct tester *t, uint32_t slice)
{
    uint32_t each = t->setup->memory.partition.slices_per_channel, k = slice % each;
    struct partition *p = t->partitions[slice / each];
    struct partition_out *out = partition_out_of(p, k);
    if (t->to_slice[slice])
        take_requests(t, p, slice, k);
    if (partition_reply_at(out) <= t->cycle)
        send_of_slice(t, out, slice);
}

/* Accesses in use, by thread. */
static void check_ops(struct tester *t, struct check *c)
{
    uint32_t used[MODEL_THREADS] = {0};
    for (uint32_t a = 0; a < t->setup->agents; a++)
        for (uint32_t i = 0; i < TESTER_OPS; i++)
            used[t->agents[a].ops[i].thread] += t->agents[a].ops[i].used;
    for (uint32_t i = 0; i < t->threads; i++)
        CHECK_FACT(c, "tester_thread.ops", i, t->all[i].ops, used[i]);
}

static void check_units(struct tester *t)
{
    struct check c;
    check_init(&c);
    check_ops(t, &c);
    /* A slice's check is not settled about packets that its directory has answered. */
    for (uint32_t i = 0; i < t->setup->memory.partition.channels && !t->setup->protocol->probes; i++)
        partition_check_units(t->partitions[i], &c);
    for (uint32_t i = 0; i < t->setup->agents; i++)
        l1_check(&t->agents[i].l1, &c);
    if (c.wrong)
        tester_fail(t, "cycle %llu: %s: %s[%u] is %llu and should be %llu", (unsigned long long)t->cycle, c.wrong_unit,
                    c.wrong, c.at, (unsigned long long)c.kept, (unsigned long long)c.should_be);
}

void tester_step(struct tester *t)
{
    t->cycle++;
    for (uint32_t i = 0; i < t->slices; i++)
        step_slice(t, i);
    for (uint32_t i = 0; i < t->setup->memory.partition.channels; i++) {
        struct partition *p = t->partitions[i];
        uint64_t ahead = partition_lookahead(p);
        if (partition_next(p) <= t->cycle)
            partition_run(p, t->cycle, t->cycle + (ahead > 1 ? ahead : 1), false);
    }
    for (uint32_t i = 0; i < t->setup->agents; i++)
        step_agent(t, i);
    for (uint32_t i = 0; i < t->threads; i++)
        if (tester_thread_acts(t, &t->all[i]))
            tester_thread_step(t, i);
    if (t->cycle % 1021 == 0)
        check_units(t);
}

bool tester_idle(const struct tester *t)
{
    for (uint32_t i = 0; i < t->setup->agents; i++)
        if (!l1_idle(&t->agents[i].l1) || t->agents[i].packets.out || t->to_agent[i])
            return false;
    for (uint32_t i = 0; i < t->slices; i++)
        if (t->to_slice[i])
            return false;
    for (uint32_t i = 0; i < t->setup->memory.partition.channels; i++)
        if (!partition_idle(t->partitions[i]))
            return false;
    return true;
}
