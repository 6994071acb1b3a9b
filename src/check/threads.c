/* The threads of a model, and what an SM does for them around its L1: which accesses of its block a release and a fence
 * wait for, what they then ask of the L1, and wait for, is the SM's own code (memory/block_order.h, memory/order.h), as
 * is what acquires ask. Of a block, one access waits at the L1's door at a time. */
#include <string.h>

#include "check/model.h"
#include "isa/mod_values.h"
#include "isa/op.h"

#define STORES_OUT 2 /* of a thread, ordered ones that are not acknowledged */

static unsigned cache_of(const struct model *w, unsigned thread)
{
    return w->program.roles[thread].cache;
}

static bool same_block(const struct model *w, unsigned a, unsigned b)
{
    return cache_of(w, a) == cache_of(w, b);
}

/* Another thread of the block stands at the L1's door. */
static bool door_taken(const struct model *w, unsigned thread)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (t != thread && same_block(w, t, thread) && w->threads[t].phase == PHASE_TRY)
            return true;
    return false;
}

static struct block_order *block_of(struct model *w, unsigned thread)
{
    return &w->blocks[cache_of(w, thread)];
}

/* Everything that the thread's release or fence waits for in the SM has ended. */
static bool reached(const struct model *w, unsigned thread)
{
    const struct model_thread *t = &w->threads[thread];
    return order_reached(&t->wait, &w->blocks[cache_of(w, thread)], t->load_place != MODEL_NONE, t->stores_out);
}

static bool is_alone(const struct model *w, unsigned thread)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (t != thread && same_block(w, t, thread))
            return false;
    return true;
}

/* The meaning of an access, as an SM takes it (memory/order.def). */
static const struct order_meaning *meaning_of(const struct model_access *a)
{
    enum order_kind kind = a->op == OP_FENCE                             ? ORDER_FENCE
                           : a->op == OP_RMW                             ? ORDER_ATOMIC
                           : a->op == OP_STORE || a->op == OP_SYNC_STORE ? ORDER_STORE
                                                                         : ORDER_LOAD;
    bool plain = a->op == OP_LOAD || a->op == OP_STORE;
    return order_meaning(kind, plain ? ISA_ORDER_WEAK : a->order, a->scope);
}
/* Its thread waits for the answer. */
static bool is_remote_store(const struct model_access *a)
{
    return a->op == OP_SYNC_STORE && a->scope == ISA_SCOPE_REMOTE;
}

enum l1_order model_order(const struct model_access *release)
{
    return (enum l1_order)(meaning_of(release)->before - 1);
}

static uint64_t address_of(const struct model *w, const struct model_access *a)
{
    return model_place_address(w, a->place);
}
static uint32_t bytes_in(const struct model *w, const struct model_access *a)
{
    return model_bytes(w, a->place, a->pair);
}

/* Telling */

static const char *order_word(uint8_t order)
{
    return order == ISA_ORDER_RELAXED   ? ".relaxed"
           : order == ISA_ORDER_ACQUIRE ? ".acquire"
           : order == ISA_ORDER_RELEASE ? ".release"
           : order == ISA_ORDER_ACQ_REL ? ".acq_rel"
                                        : "";
}
static const char *scope_word(uint8_t scope)
{
    return scope == ISA_SCOPE_CTA      ? ".cta"
           : scope == ISA_SCOPE_REMOTE ? ".remote"
           : scope == ISA_SCOPE_GPU    ? ".gpu"
                                       : "";
}
static void tell_access(struct model *w, const struct model_access *a)
{
    static const char *const words[] = {"ld", "st", "ld", "st", "atom", "fence"};
    model_tell(w, "%s%s%s", words[a->op], order_word(a->order), scope_word(a->scope));
    if (a->op == OP_RMW)
        model_tell(w, a->atomic == ISA_ATOMIC_CAS   ? ".cas"
                      : a->atomic == ISA_ATOMIC_INC ? ".inc"
                      : a->atomic == ISA_ATOMIC_ADD ? ".add"
                                                    : ".exch");
    if (a->op != OP_FENCE)
        model_tell(w, " line %u [%u%s]", model_line_name(w, a->place / MODEL_WORDS), a->place % MODEL_WORDS,
                   a->pair ? " and next" : "");
    if (a->op == OP_STORE || a->op == OP_SYNC_STORE || a->op == OP_RMW)
        model_tell(w, a->atomic == ISA_ATOMIC_CAS ? ", %u if %u" : ", %u", a->value, a->compare);
}

/* Choices: a list, walked until the one that is meant. */

struct walk {
    unsigned left; /* choices before the one that is meant */
    unsigned count;
    struct model_thread *to; /* gets it, or NULL: they are counted */
};

static void offer(struct walk *walk, uint8_t stage, uint8_t guard, uint8_t manner, uint8_t next,
                  struct model_access access)
{
    if (walk->to && walk->count == walk->left) {
        walk->to->stage = stage;
        walk->to->guard = guard;
        walk->to->manner = manner;
        walk->to->next = next;
        walk->to->access = access;
    }
    walk->count++;
}

static uint8_t scope_of(unsigned manner)
{
    const uint32_t block = MANNER(TAKE_LOAD_BLOCK) | MANNER(TAKE_RMW_BLOCK) | MANNER(GIVE_STORE_BLOCK) |
                           MANNER(GIVE_RMW_BLOCK) | MANNER(COUNT_BLOCK);
    const uint32_t remote = MANNER(TAKE_LOAD_REMOTE) | MANNER(TAKE_RMW_REMOTE) | MANNER(GIVE_STORE_REMOTE) |
                            MANNER(GIVE_RMW_REMOTE) | MANNER(COUNT_REMOTE);
    return block >> manner & 1 ? ISA_SCOPE_CTA : remote >> manner & 1 ? ISA_SCOPE_REMOTE : ISA_SCOPE_GPU;
}

/* Of an access of a guard; of a fence that goes with it, if fence. */
static uint8_t guard_scope(const struct model *w, unsigned thread, unsigned g, unsigned manner, bool fence)
{
    uint8_t own = w->program.roles[thread].scope, all = w->program.guards[g].scope;
    return own ? own : all ? all : fence ? ISA_SCOPE_GPU : scope_of(manner);
}

static bool is_fenced(unsigned manner)
{
    return manner == TAKE_LOAD_FENCE || manner == TAKE_RMW_FENCE || manner == GIVE_FENCE_STORE ||
           manner == GIVE_FENCE_RMW;
}

/* The access that takes a guard. A turn is asked for with an atomic that adds nothing. */
static struct model_access taking(const struct model *w, unsigned thread, unsigned g, unsigned manner)
{
    const struct model_guard *guard = &w->program.guards[g];
    bool turns = guard->turns || guard->tickets;
    const uint32_t loads =
        MANNER(TAKE_LOAD) | MANNER(TAKE_LOAD_FENCE) | MANNER(TAKE_LOAD_BLOCK) | MANNER(TAKE_LOAD_REMOTE);
    struct model_access a = {.place = guard->place, .scope = guard_scope(w, thread, g, manner, false)};
    a.op = loads >> manner & 1 ? OP_SYNC_LOAD : OP_RMW;
    a.order = is_fenced(manner) ? ISA_ORDER_RELAXED : a.op == OP_SYNC_LOAD ? ISA_ORDER_ACQUIRE : ISA_ORDER_ACQ_REL;
    if (a.op == OP_RMW) {
        a.atomic = turns ? ISA_ATOMIC_ADD : ISA_ATOMIC_CAS;
        a.value = !turns;
    }
    return a;
}

static struct model_access giving(const struct model *w, unsigned thread, unsigned g, unsigned manner, uint8_t next)
{
    const uint32_t stores =
        MANNER(GIVE_STORE) | MANNER(GIVE_FENCE_STORE) | MANNER(GIVE_STORE_BLOCK) | MANNER(GIVE_STORE_REMOTE);
    struct model_access a = {
        .place = w->program.guards[g].place, .scope = guard_scope(w, thread, g, manner, false), .value = next};
    a.op = stores >> manner & 1 ? OP_SYNC_STORE : OP_RMW;
    a.order = is_fenced(manner) ? ISA_ORDER_RELAXED : a.op == OP_SYNC_STORE ? ISA_ORDER_RELEASE : ISA_ORDER_ACQ_REL;
    a.atomic = a.op == OP_RMW ? ISA_ATOMIC_EXCH : 0;
    return a;
}

static struct model_access fence(uint8_t scope)
{
    return (struct model_access){
        .op = OP_FENCE, .order = ISA_ORDER_ACQ_REL, .scope = scope ? scope : (uint8_t)ISA_SCOPE_GPU};
}

/* Different tickets: as many as there are threads for the guard, and one whose release may still be under way. */
static uint8_t tickets_of(const struct model *w, unsigned g)
{
    uint8_t count = 1;
    for (unsigned t = 0; t < w->program.threads; t++)
        count += w->program.roles[t].guards >> g & 1;
    return count;
}

static void offer_taking(const struct model *w, unsigned thread, uint8_t g, struct walk *walk)
{
    for (uint8_t m = TAKE_LOAD; m <= TAKE_RMW_REMOTE; m++)
        if (w->program.roles[thread].manners >> m & 1)
            offer(walk, STAGE_TAKING, g, m, MODEL_NONE, taking(w, thread, g, m));
}

/* Tickets are drawn at the scope of their guard; it is the guard that orders. */
static void offer_drawing(const struct model *w, unsigned thread, uint8_t g, struct walk *walk)
{
    offer(walk, STAGE_DRAWING, g, 0, MODEL_NONE,
          (struct model_access){.op = OP_RMW,
                                .place = w->program.guards[g].tickets - 1,
                                .scope = guard_scope(w, thread, g, TAKE_RMW, false),
                                .order = ISA_ORDER_RELAXED,
                                .atomic = ISA_ATOMIC_INC,
                                .value = tickets_of(w, g) - 1});
}

static void offer_takings(const struct model *w, unsigned thread, struct walk *walk)
{
    for (uint8_t g = 0; g < w->program.guard_count; g++)
        if (!(w->program.roles[thread].guards >> g & 1))
            continue;
        else if (w->program.guards[g].tickets)
            offer_drawing(w, thread, g, walk);
        else
            offer_taking(w, thread, g, walk);
}

/* Compare-and-swaps that find other values than they compare with. */
#define NEVER 0x77u
static void offer_fails(const struct model *w, uint32_t places, uint8_t stage, uint8_t guard, uint8_t scope,
                        struct walk *walk)
{
    for (uint8_t place = 0; place < w->setup->lines * MODEL_WORDS; place++)
        if (places >> place & 1)
            offer(walk, stage, guard, 0, MODEL_NONE,
                  (struct model_access){.op = OP_RMW,
                                        .place = place,
                                        .scope = scope,
                                        .order = ISA_ORDER_RELAXED,
                                        .atomic = ISA_ATOMIC_CAS,
                                        .value = 0x55,
                                        .compare = NEVER});
}

static void offer_plain_at(const struct model *w, const struct model_thread *t, uint8_t place, bool pair, uint8_t stage,
                           struct walk *walk)
{
    uint8_t value = (uint8_t)((w->truth[place] + 1u) % w->setup->values);
    if (t->load_place == MODEL_NONE)
        offer(walk, stage, t->guard, 0, MODEL_NONE, (struct model_access){.op = OP_LOAD, .place = place, .pair = pair});
    offer(walk, stage, t->guard, 0, MODEL_NONE,
          (struct model_access){.op = OP_STORE, .place = place, .pair = pair, .value = value});
}

static void offer_plain(const struct model *w, const struct model_thread *t, uint32_t places, uint8_t stage,
                        struct walk *walk)
{
    for (uint8_t place = 0; place < w->setup->lines * MODEL_WORDS; place++) {
        if (!(places >> place & 1))
            continue;
        for (unsigned pair = 0; pair <= (w->program.pairs >> place & places >> (place + 1) & 1); pair++)
            offer_plain_at(w, t, place, pair, stage, walk);
    }
}

/* Who may have the turn next: another thread of the guard. */
static void offer_giving(const struct model *w, unsigned thread, unsigned g, uint8_t manner, struct walk *walk)
{
    const struct model_guard *guard = &w->program.guards[g];
    for (unsigned t = 0; t < w->program.threads; t++) {
        uint8_t next = guard->turns     ? w->program.roles[t].turn
                       : guard->tickets ? (uint8_t)((w->threads[thread].ticket + 1) % tickets_of(w, g))
                                        : 0;
        if (guard->turns ? t == thread || !(w->program.roles[t].guards >> g & 1) : t > 0)
            continue;
        if (is_fenced(manner))
            offer(walk, STAGE_GIVING_FENCE, (uint8_t)g, manner, next, fence(guard_scope(w, thread, g, manner, true)));
        else
            offer(walk, STAGE_GIVING, (uint8_t)g, manner, next, giving(w, thread, g, manner, next));
    }
}

static void offer_givings(const struct model *w, unsigned thread, struct walk *walk)
{
    const uint32_t rmws = MANNER(GIVE_RMW) | MANNER(GIVE_FENCE_RMW) | MANNER(GIVE_RMW_BLOCK) | MANNER(GIVE_RMW_REMOTE);
    const struct model_role *role = &w->program.roles[thread];
    bool may_store = w->threads[thread].stores_out < STORES_OUT;
    uint32_t gives = role->gives ? role->gives : 1u << w->threads[thread].guard;
    for (unsigned g = 0; g < w->program.guard_count; g++)
        for (uint8_t m = GIVE_STORE; m <= GIVE_RMW_REMOTE && (gives >> g & 1); m++)
            if ((role->manners >> m & 1) && (may_store || (rmws >> m & 1)))
                offer_giving(w, thread, g, m, walk);
}

static void offer_counts(const struct model *w, uint32_t manners, uint32_t counters, struct walk *walk)
{
    for (uint8_t place = 0; place < w->setup->lines * MODEL_WORDS; place++)
        for (uint8_t m = COUNT_RELAXED; m <= COUNT_REMOTE && (counters >> place & 1); m++)
            if (manners >> m & 1)
                offer(walk, STAGE_OTHER, MODEL_NONE, 0, MODEL_NONE,
                      (struct model_access){.op = OP_RMW,
                                            .place = place,
                                            .scope = scope_of(m),
                                            .order = m == COUNT_RELAXED ? ISA_ORDER_RELAXED : ISA_ORDER_ACQ_REL,
                                            .atomic = ISA_ATOMIC_INC,
                                            .value = 3});
}

/* Of data, at a scope: the one that orders registers its line where a protocol does that. */
static void offer_exchanges(const struct model *w, const struct model_thread *t, uint8_t scope, struct walk *walk)
{
    static const uint8_t orders[] = {ISA_ORDER_RELAXED, ISA_ORDER_ACQ_REL};
    for (uint8_t i = 0; i < 2 * w->setup->lines * MODEL_WORDS; i++) {
        uint8_t place = i / 2;
        if (w->program.guards[t->guard].data >> place & 1)
            offer(walk, STAGE_HELD, t->guard, 0, MODEL_NONE,
                  (struct model_access){.op = OP_RMW,
                                        .place = place,
                                        .scope = scope,
                                        .order = orders[i % 2],
                                        .atomic = ISA_ATOMIC_EXCH,
                                        .value = (uint8_t)((w->truth[place] + 1u) % w->setup->values),
                                        .compare = w->truth[place]});
    }
}

/* A thread may begin an access while neither its own number nor that of all threads together is used up; to give a
 * guard away counts for neither. */
static bool may_begin(const struct model *w, const struct model_thread *t)
{
    const struct checker_setup *setup = w->setup;
    unsigned begun = 0;
    if (!setup->accesses)
        return true;
    for (unsigned i = 0; i < w->program.threads; i++)
        begun += setup->accesses - w->threads[i].left;
    return t->left && (!setup->together || begun < setup->together);
}

static void walk_choices(const struct model *w, unsigned thread, struct walk *walk)
{
    const struct model_thread *t = &w->threads[thread];
    const struct model_role *role = &w->program.roles[thread];
    bool may = may_begin(w, t);
    if (t->stage == STAGE_TICKET)
        offer_taking(w, thread, t->guard, walk);
    if (t->stage == STAGE_IDLE && may) {
        offer_takings(w, thread, walk);
        offer_counts(w, role->manners, model_places(w, thread)->counters, walk);
        offer_plain(w, t, model_places(w, thread)->own, STAGE_OTHER, walk);
        if (role->manners & MANNER(FENCE_ALONE))
            offer(walk, STAGE_OTHER, MODEL_NONE, 0, MODEL_NONE, fence(role->fence_scope));
        offer_fails(w, role->fails, STAGE_OTHER, MODEL_NONE, role->fail_scope, walk);
    }
    if (t->stage != STAGE_HELD)
        return;
    offer_givings(w, thread, walk);
    if (may)
        offer_plain(w, t, w->program.guards[t->guard].data, STAGE_HELD, walk);
    if (may && (role->manners & MANNER(DATA_ATOMIC)))
        offer_exchanges(w, t, ISA_SCOPE_GPU, walk);
    if (may && (role->manners & MANNER(DATA_BLOCK)))
        offer_exchanges(w, t, ISA_SCOPE_CTA, walk);
    if (may && (role->manners & MANNER(DATA_FAILS)))
        offer_fails(w, w->program.guards[t->guard].data, STAGE_HELD, t->guard, ISA_SCOPE_GPU, walk);
    if (may && (role->manners & MANNER(DATA_BLOCK_FAILS)))
        offer_fails(w, w->program.guards[t->guard].data, STAGE_HELD, t->guard, ISA_SCOPE_CTA, walk);
}

const struct model_role *model_places(const struct model *w, unsigned thread)
{
    return &w->program.roles[(thread + w->kernel) % w->program.threads];
}

unsigned model_choices(const struct model *w, unsigned thread)
{
    struct walk walk = {0};
    if (w->ending || w->threads[thread].phase != PHASE_READY || door_taken(w, thread))
        return 0;
    walk_choices(w, thread, &walk);
    return walk.count;
}

/* Ends of accesses */

static void ready(struct model_thread *t, uint8_t stage)
{
    t->stage = stage;
    t->phase = PHASE_READY;
    t->access = (struct model_access){0};
    if (stage == STAGE_IDLE)
        t->guard = t->manner = t->next = MODEL_NONE;
    else if (stage == STAGE_HELD || stage == STAGE_TICKET)
        t->manner = t->next = MODEL_NONE;
}

static void hold_guard(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    if (w->holder[t->guard] != MODEL_NONE)
        model_fault(w,
                    w->holder[t->guard] == MODEL_AWAY ? "the guard in line %u is taken, and was not given"
                                                      : "two threads have taken the guard in line %u at a time",
                    model_line_name(w, w->program.guards[t->guard].place / MODEL_WORDS));
    w->holder[t->guard] = (uint8_t)thread;
    ready(t, STAGE_HELD);
}

/* Atomics are not counted: their threads wait for them. */
static bool counts(const struct model_access *a)
{
    return a->op != OP_RMW && a->op != OP_FENCE;
}

bool model_is_out(const struct model_thread *t)
{
    return (t->phase == PHASE_TRY || t->phase == PHASE_OUT) && counts(&t->access);
}

/* The access issues, as in sm/perform.c, and stands at the L1's door. */
static void issue(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    struct block_order *block = block_of(w, thread);
    t->phase = PHASE_TRY;
    if (order_synchronises_block(meaning_of(&t->access)))
        block_order_synchronise(block);
    if (!counts(&t->access))
        return;
    t->epoch = block_order_epoch(block);
    block_order_add(block, t->epoch);
}

/* It, or a part of it, is performed. */
static void performed(struct model *w, unsigned thread, unsigned epoch)
{
    block_order_done(block_of(w, thread), (uint8_t)epoch);
}

/* A release or fence waits before it issues; at the scope of the block, a fence waits for nothing. */
static void begin_phase(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    t->phase = PHASE_NEXT;
    t->access.scope = order_scope(w->setup->protocol, t->access.scope);
    if (!order_waits_before(meaning_of(&t->access), true))
        return;
    t->phase = PHASE_WAIT;
    order_begin(&t->wait, model_order(&t->access), block_of(w, thread));
}

static void begin(struct model *w, unsigned thread, struct model_access access)
{
    struct model_thread *t = &w->threads[thread];
    t->access = access;
    begin_phase(w, thread);
    if (t->phase == PHASE_NEXT && t->access.op != OP_FENCE && is_alone(w, thread))
        issue(w, thread);
    model_tell(w, "; then ");
    tell_access(w, &access);
}

/* The value of a guard that says that the thread has it to itself, or may; or `lock`, of a lock. */
static uint8_t own_value(const struct model *w, unsigned thread, uint8_t lock)
{
    const struct model_thread *t = &w->threads[thread];
    const struct model_guard *guard = &w->program.guards[t->guard];
    return guard->tickets ? t->ticket : guard->turns ? w->program.roles[thread].turn : lock;
}

/* An access of the guard has read its value. */
static void taken(struct model *w, unsigned thread, uint8_t value)
{
    struct model_thread *t = &w->threads[thread];
    if (value != own_value(w, thread, 0)) {
        t->left += w->program.patient && w->setup->accesses && !w->program.guards[t->guard].tickets;
        ready(t, w->program.guards[t->guard].tickets ? STAGE_TICKET : STAGE_IDLE);
    } else if (is_fenced(t->manner)) {
        t->stage = STAGE_TAKEN_FENCE;
        begin(w, thread, fence(guard_scope(w, thread, t->guard, t->manner, true)));
    } else {
        hold_guard(w, thread);
    }
}

static void given(struct model *w, unsigned thread, uint8_t old)
{
    struct model_thread *t = &w->threads[thread];
    uint8_t was = own_value(w, thread, 1);
    if (old != was)
        model_fault(w, "the guard was %u when it was given away, and should have been %u", old, was);
    ready(t, STAGE_IDLE);
}

static void end_fence(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    if (meaning_of(&t->access)->after)
        order_drop(&w->agents[cache_of(w, thread)], L1_FENCE);
    else
        block_order_synchronise(block_of(w, thread));
    if (t->stage == STAGE_OTHER) {
        ready(t, STAGE_IDLE);
    } else if (t->stage == STAGE_TAKEN_FENCE) {
        hold_guard(w, thread);
    } else {
        t->stage = STAGE_GIVING;
        begin(w, thread, giving(w, thread, t->guard, t->manner, t->next));
    }
}

static void check_value(struct model *w, unsigned thread, uint8_t place, uint8_t value, uint8_t expected)
{
    model_tell(w, ": thread %u reads %u", model_thread_name(w, thread), value);
    if (value != expected)
        model_fault(w, "thread %u of L1 %u reads %u of line %u [%u], where %u was written",
                    model_thread_name(w, thread), model_name(w, cache_of(w, thread)), value,
                    model_line_name(w, place / MODEL_WORDS), place % MODEL_WORDS, expected);
}

/* An exchange of data, whose old value its `compare` has; or a compare-and-swap that has failed. */
static void exchanged(struct model *w, unsigned thread, uint8_t old)
{
    struct model_thread *t = &w->threads[thread];
    bool fails = t->access.atomic == ISA_ATOMIC_CAS;
    check_value(w, thread, t->access.place, old, fails ? w->truth[t->access.place] : t->access.compare);
    ready(t, STAGE_HELD);
}

/* A store that its thread waits for, or one that it has let go. */
static void store_answered(struct model *w, const struct message_write *m)
{
    bool waited = m->waiter != PACKET_NOBODY;
    unsigned thread = waited ? m->waiter : m->slot;
    struct model_thread *t = &w->threads[thread];
    model_tell(w, ": thread %u's store is performed", model_thread_name(w, thread));
    performed(w, thread, waited ? t->epoch : m->epoch);
    if (waited)
        ready(t, STAGE_IDLE);
    else
        t->stores_out--;
}

void model_answer(struct model *w, const struct packet *p)
{
    if (p->kind == PACKET_WRITE) {
        store_answered(w, write_of(p));
        return;
    }
    unsigned thread = access_of(p)->waiter;
    struct model_thread *t = &w->threads[thread];
    if (t->phase != PHASE_OUT) { /* a plain load that passed */
        model_loaded(w, thread, packet_data(p) + model_address(w, model_line_of(p->address)) % PACKET_LINE_BYTES);
        return;
    }
    uint8_t value = (uint8_t)(p->kind == PACKET_ATOMIC ? atomic_of(p)->lanes[0].operand
                                                       : packet_data(p)[p->address % PACKET_LINE_BYTES]);
    model_tell(w, ": thread %u's access has read %u", model_thread_name(w, thread), value);
    if (counts(&t->access))
        performed(w, thread, t->epoch);
    if (meaning_of(&t->access)->after)
        order_drop(&w->agents[cache_of(w, thread)], (enum l1_order)(meaning_of(&t->access)->after - 1));
    if (t->stage == STAGE_DRAWING) {
        t->ticket = value;
        ready(t, STAGE_TICKET);
    } else if (t->stage == STAGE_TAKING)
        taken(w, thread, value);
    else if (t->stage == STAGE_GIVING)
        given(w, thread, value);
    else if (t->stage == STAGE_HELD)
        exchanged(w, thread, value);
    else
        ready(t, STAGE_IDLE);
}

/* A plain load reads the bytes of its line, from the line's first one on. */
static void check_line(struct model *w, unsigned thread, const uint8_t *line)
{
    const struct model_thread *t = &w->threads[thread];
    for (unsigned i = 0; i < 1u + t->load_pair; i++) {
        unsigned place = t->load_place + i;
        const struct model_word *word = model_word_of(w, place);
        uint64_t expected = model_encode(w, place, t->load_values[i]);
        check_value(w, thread, (uint8_t)place, line[word->at], t->load_values[i]);
        if (word->bytes <= 8 && memcmp(line + word->at, &expected, word->bytes) != 0)
            model_fault(w, "thread %u reads a part of line %u [%u]", model_thread_name(w, thread),
                        model_line_name(w, place / MODEL_WORDS), place % MODEL_WORDS);
    }
}

void model_loaded(struct model *w, unsigned thread, const uint8_t *line)
{
    struct model_thread *t = &w->threads[thread];
    if (t->load_place == MODEL_NONE) {
        model_fault(w, "thread %u is given a line that it did not wait for", model_thread_name(w, thread));
        return;
    }
    check_line(w, thread, line);
    t->load_place = MODEL_NONE;
    t->load_pair = false;
    performed(w, thread, t->load_epoch);
}

/* At the L1's door */

static bool try_load(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    const struct model_access *a = &t->access;
    const struct agent_load load = {address_of(w, a), bytes_in(w, a), thread, false};
    const uint8_t *values;
    struct packet *request;
    enum agent_served served = agent_load(&w->agents[cache_of(w, thread)], &load, &values, &request);
    if (served == AGENT_REFUSED)
        return false;
    if (request)
        access_of(request)->order = ISA_ORDER_WEAK;
    t->load_place = a->place;
    t->load_pair = a->pair;
    t->load_epoch = t->epoch;
    for (unsigned i = 0; i < 2; i++)
        t->load_values[i] = i <= a->pair ? w->truth[a->place + i] : 0;
    if (served == AGENT_SERVED)
        model_loaded(w, thread, values);
    return true;
}

static unsigned event_of(const struct model_access *a)
{
    return meaning_of(a)->event;
}

/* The bytes of a store. */
static void fill_store(const struct model *w, struct message_write *m, const struct model_access *a)
{
    for (unsigned place = a->place; place < a->place + 1u + a->pair; place++) {
        model_put(w, place, a->value, m->data);
        m->mask[0] |= mask_low(model_word_of(w, place)->bytes) << model_offset(w, place);
    }
}

static uint8_t type_of(const struct model *w, unsigned place)
{
    uint8_t bytes = model_word_of(w, place)->bytes;
    return bytes == 8 ? ISA_U64 : bytes == 2 ? ISA_B16 : ISA_U32;
}

static void fill_atomic(const struct model *w, struct message_atomic *m, const struct model_access *a)
{
    bool counts_up = a->atomic == ISA_ATOMIC_INC || a->atomic == ISA_ATOMIC_ADD;
    m->atomic = a->atomic;
    m->type = type_of(w, a->place);
    m->lane_count = 1;
    m->lanes[0] = (struct packet_lane){.offset = (uint8_t)model_offset(w, a->place),
                                       .operand = counts_up ? a->value : model_encode(w, a->place, a->value),
                                       .compare = model_encode(w, a->place, a->compare)};
}

/* It is out until its packet is acknowledged, and its thread goes on. */
static bool is_counted_store(const struct model_access *a)
{
    return a->op == OP_SYNC_STORE && !is_remote_store(a);
}

/* The packet of a thread's access, which is no plain load. */
static struct packet *make_packet(struct model *w, unsigned thread)
{
    const struct model_thread *t = &w->threads[thread];
    const struct model_access *a = &t->access;
    unsigned kind = a->op == OP_SYNC_LOAD ? PACKET_READ : a->op == OP_RMW ? PACKET_ATOMIC : PACKET_WRITE;
    struct packet *p = model_packet(w, cache_of(w, thread), kind);
    p->space = PACKET_GLOBAL;
    p->address = address_of(w, a);
    p->bytes = (uint8_t)bytes_in(w, a);
    access_of(p)->order = a->order ? a->order : ISA_ORDER_WEAK;
    access_of(p)->scope = a->scope;
    if (is_counted_store(a))
        write_of(p)->slot = (uint8_t)thread, write_of(p)->epoch = t->epoch;
    else
        access_of(p)->waiter = thread;
    if (kind == PACKET_WRITE)
        fill_store(w, write_of(p), a);
    else if (kind == PACKET_ATOMIC)
        fill_atomic(w, atomic_of(p), a);
    return p;
}

static void give(struct model *w, unsigned g)
{
    for (unsigned i = 0; i < w->program.guard_count && w->program.relay; i++)
        w->holder[i] = MODEL_AWAY;
    w->holder[g] = MODEL_NONE;
}

/* From now on others may know of the access. */
static void note_taken(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    const struct model_access *a = &t->access;
    if (a->op == OP_STORE || (a->atomic == ISA_ATOMIC_EXCH && t->stage == STAGE_HELD))
        w->truth[a->place] = w->truth[a->place + a->pair] = a->value;
    if (a->atomic == ISA_ATOMIC_INC)
        w->truth[a->place] = (uint8_t)(w->truth[a->place] >= a->value ? 0 : w->truth[a->place] + 1);
    if (t->stage == STAGE_GIVING)
        give(w, t->guard);
    t->stores_out += is_counted_store(a);
}

static bool try_other(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    struct agent *agent = &w->agents[cache_of(w, thread)];
    unsigned event = event_of(&t->access);
    if (!agent_can_take(agent, address_of(w, &t->access), bytes_in(w, &t->access), event))
        return false;
    struct packet *p = make_packet(w, thread);
    note_taken(w, thread);
    if (t->access.op == OP_STORE)
        performed(w, thread, t->epoch);
    agent_take(agent, p, event);
    return true;
}

static void try_access(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    uint8_t op = t->access.op;
    if (!(op == OP_LOAD ? try_load(w, thread) : try_other(w, thread))) {
        model_tell(w, ": refused");
        return;
    }
    if (op == OP_SYNC_LOAD || op == OP_RMW || is_remote_store(&t->access))
        t->phase = PHASE_OUT;
    else
        ready(t, t->stage == STAGE_HELD ? STAGE_HELD : STAGE_IDLE);
}

/* Steps */

static bool at_door(const struct model *w, unsigned thread)
{
    const struct model_thread *t = &w->threads[thread];
    return !door_taken(w, thread) && !agent_would_refuse(&w->agents[cache_of(w, thread)], address_of(w, &t->access));
}

bool model_can_step(const struct model *w, unsigned thread)
{
    const struct model_thread *t = &w->threads[thread];
    bool at_once = t->access.op == OP_FENCE || !door_taken(w, thread);
    if (t->phase == PHASE_TRY)
        return at_door(w, thread);
    if (t->phase == PHASE_NEXT)
        return at_once;
    if (t->phase != PHASE_WAIT && t->phase != PHASE_FLUSH)
        return false;
    return at_once && order_is_due(&t->wait, &w->agents[cache_of(w, thread)], reached(w, thread));
}

/* The release or fence goes on. Returns whether it is over. */
static bool step_order(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    enum order_state state = order_step(&t->wait, &w->agents[cache_of(w, thread)], reached(w, thread));
    if (state == ORDER_OVER) {
        t->wait = (struct order_wait){0};
        return true;
    }
    t->phase = t->wait.flushing ? PHASE_FLUSH : PHASE_WAIT;
    model_tell(w, ": the L1 flushes");
    return false;
}

void model_step(struct model *w, unsigned thread)
{
    struct model_thread *t = &w->threads[thread];
    if ((t->phase == PHASE_WAIT || t->phase == PHASE_FLUSH) && !step_order(w, thread))
        return;
    if (t->access.op == OP_FENCE) {
        model_tell(w, ": the fence is over");
        end_fence(w, thread);
        return;
    }
    if (t->phase != PHASE_TRY)
        issue(w, thread);
    try_access(w, thread);
}

void model_choose(struct model *w, unsigned thread, unsigned choice)
{
    struct model_thread *t = &w->threads[thread];
    struct walk walk = {.left = choice, .to = t};
    struct model_thread before = *t;
    /* The walk looks at the thread as it was. */
    walk.to = &before;
    walk_choices(w, thread, &walk);
    bool gives = before.stage == STAGE_GIVING || before.stage == STAGE_GIVING_FENCE;
    before.left -= before.left && !gives && t->stage != STAGE_TICKET;
    *t = before;
    tell_access(w, &t->access);
    begin_phase(w, thread);
    if (model_can_step(w, thread))
        model_step(w, thread);
    else
        model_tell(w, ": waits for what was before it");
}
