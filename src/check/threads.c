/* The threads of a world, and what an SM does for them around its L1: which accesses of its block a release and a fence
 * wait for, what they then ask of the L1, and wait for, is the SM's own code (memory/block_order.h, memory/order.h), as
 * is what acquires ask. Of a block, one access waits at the L1's door at a time. */
#include <string.h>

#include "check/world.h"
#include "isa/mod_values.h"
#include "isa/op.h"

#define STORES_OUT 2 /* of a thread, ordered ones that are not acknowledged */

static unsigned cache_of(const struct world *w, unsigned thread)
{
    return w->program.roles[thread].cache;
}

static bool same_block(const struct world *w, unsigned a, unsigned b)
{
    return cache_of(w, a) == cache_of(w, b);
}

/* Another thread of the block stands at the L1's door. */
static bool door_taken(const struct world *w, unsigned thread)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (t != thread && same_block(w, t, thread) && w->threads[t].phase == PHASE_TRY)
            return true;
    return false;
}

static struct block_order *block_of(struct world *w, unsigned thread)
{
    return &w->blocks[cache_of(w, thread)];
}

/* What is before a release or fence in the SM has ended. */
static bool reached(const struct world *w, unsigned thread)
{
    const struct world_thread *t = &w->threads[thread];
    return order_reached(&t->wait, &w->blocks[cache_of(w, thread)], t->load_place != WORLD_NONE, t->stores_out);
}

static bool is_alone(const struct world *w, unsigned thread)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (t != thread && same_block(w, t, thread))
            return false;
    return true;
}

static bool beyond_block(const struct world_access *a)
{
    return a->scope != ISA_SCOPE_CTA;
}
static bool releases(const struct world_access *a)
{
    return a->op != OP_LOAD && a->op != OP_STORE && a->op != OP_SYNC_LOAD && order_releases(a->order);
}
/* Its thread waits for the answer. */
static bool is_remote_store(const struct world_access *a)
{
    return a->op == OP_SYNC_STORE && a->scope == ISA_SCOPE_REMOTE;
}
static bool acquires(const struct world_access *a)
{
    return (a->op == OP_SYNC_LOAD || a->op == OP_RMW) && order_acquires(a->order);
}

static enum l1_order order_of(const struct world_access *a, bool release)
{
    return a->op == OP_FENCE ? L1_FENCE : order_at(a->scope, release);
}

enum l1_order world_order(const struct world_access *release)
{
    return order_of(release, true);
}

static uint64_t address_of(uint8_t place)
{
    return WORLD_ADDRESS(place / WORLD_WORDS) + place % WORLD_WORDS * 4;
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
static void tell_access(struct world *w, const struct world_access *a)
{
    static const char *const words[] = {"ld", "st", "ld", "st", "atom", "fence"};
    world_tell(w, "%s%s%s", words[a->op], order_word(a->order), scope_word(a->scope));
    if (a->op == OP_RMW)
        world_tell(w, a->atomic == ISA_ATOMIC_CAS   ? ".cas"
                      : a->atomic == ISA_ATOMIC_INC ? ".inc"
                      : a->atomic == ISA_ATOMIC_ADD ? ".add"
                                                    : ".exch");
    if (a->op != OP_FENCE)
        world_tell(w, " line %u [%u]", world_line_name(w, a->place / WORLD_WORDS), a->place % WORLD_WORDS);
    if (a->op == OP_STORE || a->op == OP_SYNC_STORE || a->op == OP_RMW)
        world_tell(w, a->atomic == ISA_ATOMIC_CAS ? ", %u if %u" : ", %u", a->value, a->compare);
}

/* Choices: a list, walked until the one that is meant. */

struct walk {
    unsigned left; /* choices before the one that is meant */
    unsigned count;
    struct world_thread *to; /* gets it, or NULL: they are counted */
};

static void offer(struct walk *walk, uint8_t stage, uint8_t guard, uint8_t manner, uint8_t next,
                  struct world_access access)
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

/* The access that takes a guard. A turn is asked for with an atomic that adds nothing. */
static struct world_access taking(const struct world_guard *guard, unsigned manner)
{
    const uint32_t loads =
        MANNER(TAKE_LOAD) | MANNER(TAKE_LOAD_FENCE) | MANNER(TAKE_LOAD_BLOCK) | MANNER(TAKE_LOAD_REMOTE);
    struct world_access a = {.place = guard->place, .scope = scope_of(manner)};
    a.op = loads >> manner & 1 ? OP_SYNC_LOAD : OP_RMW;
    a.order = manner == TAKE_LOAD_FENCE ? ISA_ORDER_RELAXED
              : a.op == OP_SYNC_LOAD    ? ISA_ORDER_ACQUIRE
                                        : ISA_ORDER_ACQ_REL;
    if (a.op == OP_RMW) {
        a.atomic = guard->turns ? ISA_ATOMIC_ADD : ISA_ATOMIC_CAS;
        a.value = !guard->turns;
    }
    return a;
}

static struct world_access giving(const struct world_guard *guard, unsigned manner, uint8_t next)
{
    const uint32_t stores =
        MANNER(GIVE_STORE) | MANNER(GIVE_FENCE_STORE) | MANNER(GIVE_STORE_BLOCK) | MANNER(GIVE_STORE_REMOTE);
    struct world_access a = {.place = guard->place, .scope = scope_of(manner), .value = next};
    a.op = stores >> manner & 1 ? OP_SYNC_STORE : OP_RMW;
    a.order = manner == GIVE_FENCE_STORE ? ISA_ORDER_RELAXED
              : a.op == OP_SYNC_STORE    ? ISA_ORDER_RELEASE
                                         : ISA_ORDER_ACQ_REL;
    a.atomic = a.op == OP_RMW ? ISA_ATOMIC_EXCH : 0;
    return a;
}

static struct world_access fence(void)
{
    return (struct world_access){.op = OP_FENCE, .order = ISA_ORDER_ACQ_REL, .scope = ISA_SCOPE_GPU};
}

static void offer_takings(const struct world *w, const struct world_role *role, struct walk *walk)
{
    for (uint8_t g = 0; g < w->program.guard_count; g++)
        for (uint8_t m = TAKE_LOAD; m <= TAKE_RMW_REMOTE && (role->guards >> g & 1); m++)
            if (role->manners >> m & 1)
                offer(walk, STAGE_TAKING, g, m, WORLD_NONE, taking(&w->program.guards[g], m));
}

static void offer_plain(const struct world *w, const struct world_thread *t, uint32_t places, uint8_t stage,
                        struct walk *walk)
{
    for (uint8_t place = 0; place < w->setup->lines * WORLD_WORDS; place++) {
        if (!(places >> place & 1))
            continue;
        if (t->load_place == WORLD_NONE)
            offer(walk, stage, t->guard, 0, WORLD_NONE, (struct world_access){.op = OP_LOAD, .place = place});
        offer(walk, stage, t->guard, 0, WORLD_NONE,
              (struct world_access){
                  .op = OP_STORE, .place = place, .value = (uint8_t)((w->truth[place] + 1u) % w->setup->values)});
    }
}

/* Who may have the turn next: another thread of the guard. */
static void offer_giving(const struct world *w, unsigned thread, unsigned g, uint8_t manner, struct walk *walk)
{
    const struct world_guard *guard = &w->program.guards[g];
    for (unsigned t = 0; t < w->program.threads; t++) {
        uint8_t next = guard->turns ? w->program.roles[t].turn : 0;
        if (guard->turns ? t == thread || !(w->program.roles[t].guards >> g & 1) : t > 0)
            continue;
        if (manner == GIVE_FENCE_STORE)
            offer(walk, STAGE_GIVING_FENCE, (uint8_t)g, manner, next, fence());
        else
            offer(walk, STAGE_GIVING, (uint8_t)g, manner, next, giving(guard, manner, next));
    }
}

static void offer_givings(const struct world *w, unsigned thread, struct walk *walk)
{
    const uint32_t rmws = MANNER(GIVE_RMW) | MANNER(GIVE_RMW_BLOCK) | MANNER(GIVE_RMW_REMOTE);
    bool may_store = w->threads[thread].stores_out < STORES_OUT;
    for (uint8_t m = GIVE_STORE; m <= GIVE_RMW_REMOTE; m++)
        if ((w->program.roles[thread].manners >> m & 1) && (may_store || (rmws >> m & 1)))
            offer_giving(w, thread, w->threads[thread].guard, m, walk);
}

static void offer_counts(const struct world *w, uint32_t manners, uint32_t counters, struct walk *walk)
{
    for (uint8_t place = 0; place < w->setup->lines * WORLD_WORDS; place++)
        for (uint8_t m = COUNT_RELAXED; m <= COUNT_REMOTE && (counters >> place & 1); m++)
            if (manners >> m & 1)
                offer(walk, STAGE_OTHER, WORLD_NONE, 0, WORLD_NONE,
                      (struct world_access){.op = OP_RMW,
                                            .place = place,
                                            .scope = scope_of(m),
                                            .order = m == COUNT_RELAXED ? ISA_ORDER_RELAXED : ISA_ORDER_ACQ_REL,
                                            .atomic = ISA_ATOMIC_INC,
                                            .value = 3});
}

/* Of data, at a scope: the one that orders registers its line where a protocol does that. */
static void offer_exchanges(const struct world *w, const struct world_thread *t, uint8_t scope, struct walk *walk)
{
    static const uint8_t orders[] = {ISA_ORDER_RELAXED, ISA_ORDER_ACQ_REL};
    for (uint8_t i = 0; i < 2 * w->setup->lines * WORLD_WORDS; i++) {
        uint8_t place = i / 2;
        if (w->program.guards[t->guard].data >> place & 1)
            offer(walk, STAGE_HELD, t->guard, 0, WORLD_NONE,
                  (struct world_access){.op = OP_RMW,
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
static bool may_begin(const struct world *w, const struct world_thread *t)
{
    const struct checker_setup *setup = w->setup;
    unsigned begun = 0;
    if (!setup->accesses)
        return true;
    for (unsigned i = 0; i < w->program.threads; i++)
        begun += setup->accesses - w->threads[i].left;
    return t->left && (!setup->together || begun < setup->together);
}

static void walk_choices(const struct world *w, unsigned thread, struct walk *walk)
{
    const struct world_thread *t = &w->threads[thread];
    const struct world_role *role = &w->program.roles[thread];
    bool may = may_begin(w, t);
    if (t->stage == STAGE_IDLE && may) {
        offer_takings(w, role, walk);
        offer_counts(w, role->manners, world_places(w, thread)->counters, walk);
        offer_plain(w, t, world_places(w, thread)->own, STAGE_OTHER, walk);
        if (role->manners & MANNER(FENCE_ALONE))
            offer(walk, STAGE_OTHER, WORLD_NONE, 0, WORLD_NONE, fence());
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
}

const struct world_role *world_places(const struct world *w, unsigned thread)
{
    return &w->program.roles[(thread + w->kernel) % w->program.threads];
}

unsigned world_choices(const struct world *w, unsigned thread)
{
    struct walk walk = {0};
    if (w->ending || w->threads[thread].phase != PHASE_READY || door_taken(w, thread))
        return 0;
    walk_choices(w, thread, &walk);
    return walk.count;
}

/* Ends of accesses */

static void ready(struct world_thread *t, uint8_t stage)
{
    t->stage = stage;
    t->phase = PHASE_READY;
    t->access = (struct world_access){0};
    if (stage == STAGE_IDLE)
        t->guard = t->manner = t->next = WORLD_NONE;
    else if (stage == STAGE_HELD)
        t->manner = t->next = WORLD_NONE;
}

static void hold_guard(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    if (w->holder[t->guard] != WORLD_NONE)
        world_fault(w, "two threads have taken the guard in line %u at a time",
                    world_line_name(w, w->program.guards[t->guard].place / WORLD_WORDS));
    w->holder[t->guard] = (uint8_t)thread;
    ready(t, STAGE_HELD);
}

/* Atomics are not counted: their threads wait for them. */
static bool counts(const struct world_access *a)
{
    return a->op != OP_RMW && a->op != OP_FENCE;
}

bool world_is_out(const struct world_thread *t)
{
    return (t->phase == PHASE_TRY || t->phase == PHASE_OUT) && counts(&t->access);
}

/* The access issues, as in sm/issue.c, and stands at the L1's door. */
static void issue(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    struct block_order *block = block_of(w, thread);
    t->phase = PHASE_TRY;
    if (releases(&t->access) && !beyond_block(&t->access))
        block_order_synchronise(block);
    if (!counts(&t->access))
        return;
    t->era = block_order_era(block);
    block_order_add(block, t->era);
}

/* It, or a part of it, is performed. */
static void performed(struct world *w, unsigned thread, unsigned era)
{
    block_order_done(block_of(w, thread), (uint8_t)era);
}

/* A release or fence waits before it issues; at the scope of the block, a fence waits for nothing. */
static void begin_phase(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    bool orders = releases(&t->access) || t->access.op == OP_FENCE;
    t->phase = PHASE_NEXT;
    if (!orders || (t->access.op == OP_FENCE && !beyond_block(&t->access)))
        return;
    t->phase = PHASE_WAIT;
    order_begin(&t->wait, world_order(&t->access), block_of(w, thread));
}

static void begin(struct world *w, unsigned thread, struct world_access access)
{
    struct world_thread *t = &w->threads[thread];
    t->access = access;
    begin_phase(w, thread);
    if (t->phase == PHASE_NEXT && t->access.op != OP_FENCE && is_alone(w, thread))
        issue(w, thread);
    world_tell(w, "; then ");
    tell_access(w, &access);
}

/* An access of the guard has read its value. */
static void taken(struct world *w, unsigned thread, uint8_t value)
{
    struct world_thread *t = &w->threads[thread];
    bool turns = w->program.guards[t->guard].turns;
    if (value != (turns ? w->program.roles[thread].turn : 0)) {
        ready(t, STAGE_IDLE);
    } else if (t->manner == TAKE_LOAD_FENCE) {
        t->stage = STAGE_TAKEN_FENCE;
        begin(w, thread, fence());
    } else {
        hold_guard(w, thread);
    }
}

static void given(struct world *w, unsigned thread, uint8_t old)
{
    struct world_thread *t = &w->threads[thread];
    uint8_t was = w->program.guards[t->guard].turns ? w->program.roles[thread].turn : 1;
    if (old != was)
        world_fault(w, "the guard was %u when it was given away, and should have been %u", old, was);
    ready(t, STAGE_IDLE);
}

static void end_fence(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    if (beyond_block(&t->access))
        order_drop(&w->agents[cache_of(w, thread)], L1_FENCE);
    else
        block_order_synchronise(block_of(w, thread));
    if (t->stage == STAGE_OTHER) {
        ready(t, STAGE_IDLE);
    } else if (t->stage == STAGE_TAKEN_FENCE) {
        hold_guard(w, thread);
    } else {
        t->stage = STAGE_GIVING;
        begin(w, thread, giving(&w->program.guards[t->guard], t->manner, t->next));
    }
}

static void check_value(struct world *w, unsigned thread, uint8_t place, uint8_t value, uint8_t expected)
{
    world_tell(w, ": thread %u reads %u", world_thread_name(w, thread), value);
    if (value != expected)
        world_fault(w, "thread %u of L1 %u reads %u of line %u [%u], where %u was written",
                    world_thread_name(w, thread), world_name(w, cache_of(w, thread)), value,
                    world_line_name(w, place / WORLD_WORDS), place % WORLD_WORDS, expected);
}

/* An exchange of data, whose old value its `compare` has. */
static void exchanged(struct world *w, unsigned thread, uint8_t old)
{
    struct world_thread *t = &w->threads[thread];
    check_value(w, thread, t->access.place, old, t->access.compare);
    ready(t, STAGE_HELD);
}

void world_answer(struct world *w, const struct packet *p)
{
    unsigned thread = world_thread_of(p->cookie);
    struct world_thread *t = &w->threads[thread];
    if (p->kind == PACKET_WRITE && t->phase == PHASE_OUT && is_remote_store(&t->access)) {
        world_tell(w, ": thread %u's store is performed", world_thread_name(w, thread));
        performed(w, thread, t->era);
        ready(t, STAGE_IDLE);
        return;
    }
    if (p->kind == PACKET_WRITE) {
        t->stores_out--;
        performed(w, thread, (p->cookie >> 8) - 1);
        world_tell(w, ": thread %u's store is performed", world_thread_name(w, thread));
        return;
    }
    if (t->phase != PHASE_OUT) { /* a plain load that passed */
        world_loaded(w, thread, p->data);
        return;
    }
    uint8_t value = p->kind == PACKET_ATOMIC ? (uint8_t)p->lanes[0].operand : p->data[p->address % PACKET_LINE_BYTES];
    world_tell(w, ": thread %u's access has read %u", world_thread_name(w, thread), value);
    if (counts(&t->access))
        performed(w, thread, t->era);
    if (acquires(&t->access) && beyond_block(&t->access))
        order_drop(&w->agents[cache_of(w, thread)], order_of(&t->access, false));
    if (t->stage == STAGE_TAKING)
        taken(w, thread, value);
    else if (t->stage == STAGE_GIVING)
        given(w, thread, value);
    else if (t->stage == STAGE_HELD)
        exchanged(w, thread, value);
    else
        ready(t, STAGE_IDLE);
}

void world_loaded(struct world *w, unsigned thread, const uint8_t *line)
{
    struct world_thread *t = &w->threads[thread];
    if (t->load_place == WORLD_NONE) {
        world_fault(w, "thread %u is given a line that it did not wait for", world_thread_name(w, thread));
        return;
    }
    check_value(w, thread, t->load_place, line[t->load_place % WORLD_WORDS * 4], t->load_value);
    t->load_place = WORLD_NONE;
    t->load_value = 0;
    performed(w, thread, t->load_era);
}

/* At the L1's door */

static bool try_load(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    const struct agent_load load = {address_of(t->access.place), 4, thread, false};
    const uint8_t *values;
    struct packet *request;
    uint8_t expected = w->truth[t->access.place];
    enum agent_served served = agent_load(&w->agents[cache_of(w, thread)], &load, &values, &request);
    if (served == AGENT_REFUSED)
        return false;
    if (request)
        request->order = ISA_ORDER_WEAK;
    if (served == AGENT_SERVED) {
        check_value(w, thread, t->access.place, values[t->access.place % WORLD_WORDS * 4], expected);
        performed(w, thread, t->era);
    } else {
        t->load_place = t->access.place;
        t->load_value = expected;
        t->load_era = t->era;
    }
    return true;
}

static unsigned event_of(const struct world_access *a)
{
    return order_event((struct order_access){.plain = a->op == OP_STORE, .order = a->order, .scope = a->scope});
}

static void fill_packet(struct packet *p, const struct world_access *a, uint32_t cookie)
{
    p->kind = a->op == OP_SYNC_LOAD ? PACKET_READ : a->op == OP_RMW ? PACKET_ATOMIC : PACKET_WRITE;
    p->class = PACKET_GLOBAL;
    p->address = address_of(a->place);
    p->bytes = 4;
    p->cookie = cookie;
    p->order = a->order ? a->order : ISA_ORDER_WEAK;
    p->scope = a->scope;
    uint8_t at = (uint8_t)(p->address % PACKET_LINE_BYTES);
    if (p->kind == PACKET_WRITE) {
        memcpy(p->data + at, (uint8_t[4]){a->value}, 4);
        p->mask[0] = UINT64_C(0xf) << at;
    }
    if (p->kind != PACKET_ATOMIC)
        return;
    p->atomic = a->atomic;
    p->type = ISA_U32;
    p->lane_count = 1;
    p->lanes[0] = (struct packet_lane){.offset = at, .operand = a->value, .compare = a->compare};
}

/* It is out until its packet is acknowledged, and its thread goes on. */
static bool is_counted_store(const struct world_access *a)
{
    return a->op == OP_SYNC_STORE && !is_remote_store(a);
}

/* What others may know of the access from now on. */
static void note_taken(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    const struct world_access *a = &t->access;
    if (a->op == OP_STORE || (a->op == OP_RMW && t->stage == STAGE_HELD))
        w->truth[a->place] = a->value;
    if (a->atomic == ISA_ATOMIC_INC)
        w->truth[a->place] = (uint8_t)(w->truth[a->place] >= a->value ? 0 : w->truth[a->place] + 1);
    if (t->stage == STAGE_GIVING)
        w->holder[t->guard] = WORLD_NONE;
    t->stores_out += is_counted_store(a);
}

static bool try_other(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    struct agent *agent = &w->agents[cache_of(w, thread)];
    unsigned event = event_of(&t->access);
    if (!agent_can_take(agent, address_of(t->access.place), 4, event))
        return false;
    struct packet *p = world_packet(w, cache_of(w, thread));
    fill_packet(p, &t->access, is_counted_store(&t->access) ? world_cookie(thread, t->era) : thread);
    note_taken(w, thread);
    if (t->access.op == OP_STORE)
        performed(w, thread, t->era);
    agent_take(agent, p, event);
    return true;
}

static void try_access(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    uint8_t op = t->access.op;
    if (!(op == OP_LOAD ? try_load(w, thread) : try_other(w, thread))) {
        world_tell(w, ": refused");
        return;
    }
    if (op == OP_SYNC_LOAD || op == OP_RMW || is_remote_store(&t->access))
        t->phase = PHASE_OUT;
    else
        ready(t, t->stage == STAGE_HELD ? STAGE_HELD : STAGE_IDLE);
}

/* Steps */

static bool at_door(const struct world *w, unsigned thread)
{
    const struct world_thread *t = &w->threads[thread];
    return !door_taken(w, thread) && !agent_would_refuse(&w->agents[cache_of(w, thread)], address_of(t->access.place));
}

bool world_can_step(const struct world *w, unsigned thread)
{
    const struct world_thread *t = &w->threads[thread];
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
static bool step_order(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    enum order_state state = order_step(&t->wait, &w->agents[cache_of(w, thread)], reached(w, thread));
    if (state == ORDER_OVER) {
        t->wait = (struct order_wait){0};
        return true;
    }
    t->phase = t->wait.flushing ? PHASE_FLUSH : PHASE_WAIT;
    world_tell(w, ": the L1 flushes");
    return false;
}

void world_step(struct world *w, unsigned thread)
{
    struct world_thread *t = &w->threads[thread];
    if ((t->phase == PHASE_WAIT || t->phase == PHASE_FLUSH) && !step_order(w, thread))
        return;
    if (t->access.op == OP_FENCE) {
        world_tell(w, ": the fence is over");
        end_fence(w, thread);
        return;
    }
    if (t->phase != PHASE_TRY)
        issue(w, thread);
    try_access(w, thread);
}

void world_choose(struct world *w, unsigned thread, unsigned choice)
{
    struct world_thread *t = &w->threads[thread];
    struct walk walk = {.left = choice, .to = t};
    struct world_thread before = *t;
    /* The walk looks at the thread as it was. */
    walk.to = &before;
    walk_choices(w, thread, &walk);
    bool gives = before.stage == STAGE_GIVING || before.stage == STAGE_GIVING_FENCE;
    before.left -= before.left && !gives;
    *t = before;
    tell_access(w, &t->access);
    begin_phase(w, thread);
    if (world_can_step(w, thread))
        world_step(w, thread);
    else
        world_tell(w, ": waits for what was before it");
}
