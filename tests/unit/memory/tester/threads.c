/* The episodes of threads: an acquire, accesses that the model lets the thread do, a release. */
#include "unit/memory/tester/threads.h"

void tester_threads_init(struct tester *t)
{
    for (uint32_t i = 0; i < t->threads; i++)
        t->all[i] = (struct tester_thread){.agent = i % t->setup->agents, .state = TESTER_ENDED};
    tester_lay_out(t);
}

void tester_threads_begin(struct tester *t, uint32_t episodes)
{
    t->episodes_left = episodes;
    t->running = t->threads;
    memset(t->flushed, 0, sizeof t->flushed);
    for (uint32_t i = 0; i < t->threads; i++) {
        t->all[i].state = TESTER_RUNS;
        t->all[i].since = t->cycle;
        t->all[i].stage = STAGE_BEGIN;
    }
}

/* Ordering */

static struct tester_agent *agent_of(struct tester *t, const struct tester_thread *th)
{
    return &t->agents[th->agent];
}

static uint32_t number_of(const struct tester *t, const struct tester_thread *th)
{
    return (uint32_t)(th - t->all);
}

static void set_state(const struct tester *t, struct tester_thread *th, enum tester_state state)
{
    th->state = (uint8_t)state;
    th->since = t->cycle;
}

/* The thread's own accesses, but the one that waits, and those that are ordered before it are over. */
static bool is_performed(const struct tester *t, const struct tester_thread *th)
{
    return order_reached(&th->order, &t->agents[th->agent].order, th->ops - (th->op != NULL), 0);
}

static void wait_for_order(struct tester *t, struct tester_thread *th, enum l1_order order, struct tester_op *op)
{
    order_begin(&th->order, order, &agent_of(t, th)->order);
    th->op = op;
    set_state(t, th, TESTER_ORDERS);
}

static void issue(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    tester_issue(t, op);
    set_state(t, th, op->waits ? TESTER_WAITS : TESTER_RUNS);
}

void tester_begin_op(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    /* A slice may have it wait while others pass. */
    op->waits |= op->scope == ISA_SCOPE_REMOTE;
    uint8_t before = tester_meaning(t, op)->before;
    if (before) {
        wait_for_order(t, th, (enum l1_order)(before - 1), op);
        return;
    }
    issue(t, th, op);
}

void tester_begin_fence(struct tester *t, struct tester_thread *th, uint8_t scope)
{
    if (order_scope(t->setup->protocol, scope) == ISA_SCOPE_CTA)
        block_order_synchronise(&agent_of(t, th)->order);
    else
        wait_for_order(t, th, L1_FENCE, NULL);
}

static void end_order(struct tester *t, struct tester_thread *th)
{
    struct tester_op *op = th->op;
    th->op = NULL;
    set_state(t, th, TESTER_RUNS);
    if (op)
        issue(t, th, op);
    else
        l1_order(&agent_of(t, th)->l1, L1_FENCE);
}

static void check_order(struct tester *t, struct tester_thread *th)
{
    bool earlier = th->state == TESTER_FLUSHES || is_performed(t, th);
    enum order_state state = order_step(&th->order, agent_of(t, th)->l1.agent, earlier);
    if (state == ORDER_FLUSHES)
        set_state(t, th, TESTER_FLUSHES);
    if (state == ORDER_OVER)
        end_order(t, th);
}

/* Variables */

static struct model_variable *variable_of(struct tester *t, const struct tester_thread *th)
{
    return &t->model.variables[th->variable];
}

uint8_t tester_scope_for(struct tester *t, uint32_t agent, uint32_t home)
{
    uint32_t r = tester_draw(&t->random, 10);
    if (home == MODEL_NONE)
        return r == 0 ? ISA_SCOPE_REMOTE : r == 1 ? ISA_SCOPE_SYS : ISA_SCOPE_GPU;
    if (home != agent)
        return ISA_SCOPE_REMOTE;
    return r == 0 ? ISA_SCOPE_REMOTE : r == 1 ? ISA_SCOPE_GPU : ISA_SCOPE_CTA;
}

/* Fences have no remote scope: such variables are their home's alone. */
static bool may_use(struct tester *t, const struct tester_thread *th, const struct model_variable *v)
{
    if (v->home == MODEL_NONE || v->home == th->agent)
        return true;
    return !v->fenced && tester_draw(&t->random, 100) < t->setup->others;
}

static uint32_t choose_variable(struct tester *t, const struct tester_thread *th, bool lock_too)
{
    for (uint32_t tries = 0; tries < 4; tries++) {
        uint32_t i = tester_draw(&t->random, t->model.variable_count);
        const struct model_variable *v = &t->model.variables[i];
        if ((lock_too || !v->lock) && may_use(t, th, v))
            return i;
    }
    return MODEL_NONE;
}

static bool uses_fences(struct tester *t, const struct model_variable *v)
{
    bool either = t->setup->mixes && v->home == MODEL_NONE && !v->lock;
    return either ? tester_draw(&t->random, 2) : v->fenced;
}

/* An access to the episode's variable. */
static struct tester_op *new_sync(struct tester *t, struct tester_thread *th, uint8_t kind)
{
    const struct model_variable *v = variable_of(t, th);
    struct tester_op *op = tester_new_op(t, number_of(t, th));
    if (!op)
        return NULL;
    op->role = ROLE_SYNC;
    op->target = th->variable;
    op->kind = kind;
    op->scope = th->scope;
    op->waits = kind != PACKET_WRITE;
    tester_one_part(t, op, v->address, v->bytes);
    return op;
}

static bool orders_both(const struct tester_op *op)
{
    return op->order == ISA_ORDER_ACQ_REL || op->order == ISA_ORDER_SC;
}

/* The record of a write, with what the thread knows if it releases. */
static void give_record(struct tester *t, struct tester_thread *th, struct tester_op *op,
                        const struct model_clock *clock, bool held)
{
    struct model_variable *v = variable_of(t, th);
    th->number = model_new_record(v, clock, th->agent, op->scope, held);
    op->parts[0].operand = model_value_of(v, th->number);
}

static void begin_acquire(struct tester *t, struct tester_thread *th)
{
    struct model_variable *v = variable_of(t, th);
    bool load = !v->lock && tester_draw(&t->random, 3) == 0;
    th->scope = tester_scope_for(t, th->agent, v->home);
    struct tester_op *op = new_sync(t, th, load ? PACKET_READ : PACKET_ATOMIC);
    if (!op)
        return;
    static const uint8_t orders[] = {ISA_ORDER_ACQUIRE, ISA_ORDER_ACQ_REL, ISA_ORDER_SC};
    op->order = uses_fences(t, v) ? ISA_ORDER_RELAXED : orders[tester_draw(&t->random, load ? 1 : 3)];
    op->atomic = v->lock ? ISA_ATOMIC_CAS : ISA_ATOMIC_EXCH;
    if (!load) {
        struct model_clock clock = model_release(&t->model, number_of(t, th));
        give_record(t, th, op, orders_both(op) ? &clock : NULL, v->lock);
        op->parts[0].compare = model_value_of(v, v->known_free);
    }
    tester_begin_op(t, th, op);
}

/* An atomic has put its value in the place of what it saw, which no other one may have. */
static void replace(struct tester *t, struct model_variable *v, uint32_t seen)
{
    if (v->records[seen].replaced)
        tester_fail(t, "cycle %llu: two atomics have replaced value %u of the variable at %llx",
                    (unsigned long long)t->cycle, seen, (unsigned long long)v->address);
    v->records[seen].replaced = true;
}

static void take_lock(struct tester *t, struct tester_thread *th, const struct tester_op *op)
{
    struct model_variable *v = variable_of(t, th);
    if (op->parts[0].got != op->parts[0].compare) {
        if (!v->records[th->seen].held)
            v->known_free = th->seen;
        /* The more it fails, the longer: whom all wait for has to go on. */
        th->fails += th->fails < 8;
        th->state = TESTER_SLEEPS;
        th->until = t->cycle + tester_draw(&t->random, 32u << th->fails);
        return;
    }
    if (v->holder != MODEL_NONE)
        tester_fail(t, "cycle %llu: threads %u and %u hold the lock at %llx", (unsigned long long)t->cycle, v->holder,
                    number_of(t, th), (unsigned long long)v->address);
    v->holder = number_of(t, th);
    th->holds = true;
    th->held = th->number;
    replace(t, v, th->seen);
    th->stage = op->order == ISA_ORDER_RELAXED ? STAGE_JOIN : STAGE_BODY;
}

/* The thread knows from now on what it has seen; an atomic that releases as well gives it along. */
static void learn(struct tester *t, struct tester_thread *th, const struct tester_op *op)
{
    struct model_variable *v = variable_of(t, th);
    model_acquire(&t->model, number_of(t, th), th->agent, &v->records[th->seen], th->scope);
    if (op && op->kind == PACKET_ATOMIC && orders_both(op)) {
        struct model_record *own = &v->records[th->number];
        uint32_t count = own->clock.of[number_of(t, th)];
        model_join(&own->clock, &t->model.clocks[number_of(t, th)]);
        own->clock.of[number_of(t, th)] = count;
    }
}

static void end_sync(struct tester *t, struct tester_thread *th, const struct tester_op *op)
{
    struct model_variable *v = &t->model.variables[op->target];
    if (op->kind == PACKET_WRITE)
        return;
    uint32_t seen = model_number_of(v, op->parts[0].got);
    if (seen == MODEL_NONE) {
        tester_fail(t, "cycle %llu: the variable at %llx has %llx, which nobody wrote", (unsigned long long)t->cycle,
                    (unsigned long long)v->address, (unsigned long long)op->parts[0].got);
        return;
    }
    if (th->stage == STAGE_BEGIN) { /* the release of an episode that has ended */
        replace(t, v, seen);
        return;
    }
    th->seen = seen;
    if (v->lock)
        take_lock(t, th, op);
    else {
        if (op->kind == PACKET_ATOMIC)
            replace(t, v, seen);
        th->stage = op->order == ISA_ORDER_RELAXED ? STAGE_JOIN : STAGE_BODY;
    }
    if (th->stage == STAGE_BODY)
        learn(t, th, op);
}

static void release(struct tester *t, struct tester_thread *th, bool fenced)
{
    struct model_variable *v = variable_of(t, th);
    struct tester_op *op = new_sync(t, th, tester_draw(&t->random, 2) ? PACKET_WRITE : PACKET_ATOMIC);
    if (!op)
        return;
    uint8_t strong = op->kind == PACKET_WRITE || tester_draw(&t->random, 2) ? ISA_ORDER_RELEASE : ISA_ORDER_ACQ_REL;
    op->order = fenced ? ISA_ORDER_RELAXED : strong;
    op->atomic = ISA_ATOMIC_EXCH;
    struct model_clock clock = fenced ? th->clock : model_release(&t->model, number_of(t, th));
    give_record(t, th, op, &clock, false);
    if (th->holds) {
        op->parts[0].check = op->kind == PACKET_ATOMIC;
        op->parts[0].expected = model_value_of(v, th->held);
        v->holder = MODEL_NONE;
        v->known_free = th->number;
        th->holds = false;
    }
    th->stage = STAGE_BEGIN;
    tester_begin_op(t, th, op);
}

/* A lock is given back; else a variable is chosen anew. */
static void begin_release(struct tester *t, struct tester_thread *th)
{
    if (!th->holds)
        th->variable = choose_variable(t, th, false);
    if (th->variable == MODEL_NONE) {
        th->stage = STAGE_BEGIN;
        return;
    }
    const struct model_variable *v = variable_of(t, th);
    th->scope = tester_scope_for(t, th->agent, v->home);
    th->stage = STAGE_RELEASE;
    if (!uses_fences(t, v)) {
        release(t, th, false);
        return;
    }
    th->clock = model_release(&t->model, number_of(t, th));
    th->stage = STAGE_ORDER;
    tester_begin_fence(t, th, th->scope);
}

static void begin_episode(struct tester *t, struct tester_thread *th)
{
    if (!t->episodes_left) {
        th->state = TESTER_ENDED;
        t->running--;
        return;
    }
    t->episodes_left--;
    th->left = 1 + tester_draw(&t->random, t->setup->body);
    th->variable = tester_draw(&t->random, 8) ? choose_variable(t, th, true) : MODEL_NONE;
    th->stage = th->variable == MODEL_NONE ? STAGE_BODY : STAGE_TRY;
    th->fails = 0;
}

static void go_on(struct tester *t, struct tester_thread *th)
{
    switch ((enum tester_stage)th->stage) {
    case STAGE_BEGIN:
        begin_episode(t, th);
        break;
    case STAGE_TRY:
        begin_acquire(t, th);
        break;
    case STAGE_JOIN:
        /* Accesses behind the fence know what was seen. */
        th->stage = STAGE_BODY;
        tester_begin_fence(t, th, th->scope);
        learn(t, th, NULL);
        break;
    case STAGE_BODY:
        if (!th->left)
            begin_release(t, th);
        else if (tester_body_access(t, th))
            th->left--;
        break;
    case STAGE_ORDER:
        th->stage = STAGE_RELEASE;
        release(t, th, true);
        break;
    case STAGE_RELEASE:
        release(t, th, true);
        break;
    }
}

void tester_thread_ended(struct tester *t, const struct tester_op *op)
{
    struct tester_thread *th = &t->all[op->thread];
    if (op->waits)
        set_state(t, th, TESTER_RUNS);
    if (op->role == ROLE_SYNC)
        end_sync(t, th, op);
    else
        tester_end_access(t, th, op);
}

void tester_thread_step(struct tester *t, uint32_t thread)
{
    struct tester_thread *th = &t->all[thread];
    switch ((enum tester_state)th->state) {
    case TESTER_ENDED:
    case TESTER_WAITS:
        break;
    case TESTER_ORDERS:
    case TESTER_FLUSHES:
        check_order(t, th);
        break;
    case TESTER_SLEEPS:
        set_state(t, th, TESTER_RUNS);
        break;
    case TESTER_RUNS:
        go_on(t, th);
    }
}
