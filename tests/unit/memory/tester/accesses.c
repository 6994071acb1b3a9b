/* The accesses of threads between an acquire and a release, and where they go. */
#include "unit/memory/tester/threads.h"

/* Laying out */

static uint32_t some_home(struct tester *t)
{
    return tester_draw(&t->random, 2) ? MODEL_NONE : tester_draw(&t->random, t->setup->agents);
}

/* Something that is no data, of 4 or 8 bytes. False: there is enough of that. */
static bool add_sync(struct tester *t, uint64_t address)
{
    struct model *m = &t->model;
    uint32_t bytes = tester_draw(&t->random, 2) ? 8 : 4, home = some_home(t);
    if (m->variable_count < t->setup->variables) {
        bool lock = tester_draw(&t->random, 3) == 0;
        model_add_variable(m, address, bytes, home, lock, tester_draw(&t->random, 4) == 0);
    } else if (m->counter_count < t->setup->counters) {
        model_add_counter(m, address, bytes, home);
    } else {
        return false;
    }
    return true;
}

static void add_data(struct tester *t, uint64_t address)
{
    static const uint32_t sizes[] = {8, 8, 4, 4, 2, 1};
    uint32_t bytes = sizes[tester_draw(&t->random, 6)];
    for (uint32_t at = 0; at < 8; at += bytes < 4 ? 4 : bytes)
        model_add_place(&t->model, address + at, bytes);
}

static void give_first_values(struct tester *t)
{
    for (uint32_t i = 0; i < t->model.place_count; i++) {
        struct model_place *place = &t->model.places[i];
        uint64_t value = tester_draw(&t->random, UINT32_MAX) * UINT64_C(0x100000001);
        memcpy(store_at(&t->store, place->address), &value, place->bytes);
        memcpy(&place->value, &value, place->bytes);
    }
}

void tester_lay_out(struct tester *t)
{
    const struct tester_setup *s = t->setup;
    for (uint32_t line = 0; line < s->lines; line++) {
        t->first_place[line] = t->model.place_count;
        for (uint32_t word = 0; word < PACKET_LINE_BYTES / 8; word++) {
            uint64_t address = s->line[line] + 8 * (uint64_t)word;
            if (tester_draw(&t->random, s->mixed) || !add_sync(t, address))
                add_data(t, address);
        }
    }
    t->first_place[s->lines] = t->model.place_count;
    if (!t->model.variable_count)
        model_add_variable(&t->model, s->line[0] + 4096, 4, MODEL_NONE, false, false);
    give_first_values(t);
}

/* Segments */

static uint64_t draw_segment(struct tester *t, uint64_t address, uint32_t *bytes)
{
    uint32_t line = t->setup->l1.line_bytes, most = line < 64 ? 1 : line < 128 ? 2 : 3;
    *bytes = 32u << tester_draw(&t->random, most);
    return address & ~(uint64_t)(*bytes - 1);
}

void tester_one_part(struct tester *t, struct tester_op *op, uint64_t address, uint32_t bytes)
{
    op->address = address;
    op->bytes = bytes;
    if (tester_draw(&t->random, 2))
        op->address = draw_segment(t, address, &op->bytes);
    op->part_count = 1;
    op->parts[0] = (struct tester_part){.address = address, .bytes = bytes};
}

static bool may_access(const struct tester *t, const struct tester_op *op, const struct model_place *place)
{
    if (place->address < op->address || place->address + place->bytes > op->address + op->bytes)
        return false;
    if (op->kind == PACKET_ATOMIC && (place->bytes < 4 || (op->part_count && place->bytes != op->parts[0].bytes)))
        return false;
    return op->kind == PACKET_READ ? model_may_read(&t->model, op->thread, place)
                                   : model_may_write(&t->model, op->thread, place);
}

static uint64_t updated(const struct tester_op *op, const struct tester_part *part, uint64_t old)
{
    switch (op->atomic) {
    case ISA_ATOMIC_ADD:
        return old + part->operand;
    case ISA_ATOMIC_XOR:
        return old ^ part->operand;
    case ISA_ATOMIC_MAX:
        return old > part->operand ? old : part->operand;
    case ISA_ATOMIC_CAS:
        return old == part->compare ? part->operand : old;
    default:
        return part->operand;
    }
}

/* The access goes to one more place. */
static void add_part(struct tester *t, struct tester_op *op, struct model_place *place)
{
    struct tester_part *part = &op->parts[op->part_count++];
    uint64_t any = tester_draw(&t->random, UINT32_MAX),
             ones = place->bytes < 8 ? mask_low(8 * place->bytes) : UINT64_MAX;
    *part =
        (struct tester_part){.address = place->address, .bytes = place->bytes, .operand = any * 0x100000001u & ones};
    if (op->kind != PACKET_WRITE) {
        part->check = true;
        part->expected = model_read(&t->model, op->thread, place);
    }
    if (op->kind == PACKET_READ)
        return;
    part->compare = tester_draw(&t->random, 2) ? place->value : part->operand;
    model_write(&t->model, op->thread, place,
                op->kind == PACKET_WRITE ? part->operand : updated(op, part, place->value));
}

/* Places of a line, from a random one: all those that may be accessed, up to some number. */
static void fill_parts(struct tester *t, struct tester_op *op, uint32_t line)
{
    uint32_t first = t->first_place[line], count = t->first_place[line + 1] - first;
    uint32_t most = tester_draw(&t->random, 2) ? 1 : 1 + tester_draw(&t->random, TESTER_PARTS);
    uint32_t from = count ? tester_draw(&t->random, count) : 0;
    for (uint32_t i = 0; i < count && op->part_count < most; i++) {
        struct model_place *place = &t->model.places[first + (from + i) % count];
        if (!may_access(t, op, place))
            continue;
        add_part(t, op, place);
        /* Two lanes of an atomic may have the same place. */
        if (op->kind == PACKET_ATOMIC && op->part_count < most && tester_draw(&t->random, 4) == 0)
            add_part(t, op, place);
    }
}

/* Exactly its one place. */
static void narrow(struct tester_op *op)
{
    op->address = op->parts[0].address;
    op->bytes = op->parts[0].bytes;
}

static bool data_access(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    /* Often the line of the agent's access before, which is on its way, or was dropped meanwhile. */
    struct tester_agent *a = &t->agents[th->agent];
    uint32_t line = tester_draw(&t->random, 4) ? a->line : tester_draw(&t->random, t->setup->lines);
    a->line = line;
    static const uint8_t updates[] = {ISA_ATOMIC_ADD, ISA_ATOMIC_EXCH, ISA_ATOMIC_CAS, ISA_ATOMIC_MAX, ISA_ATOMIC_XOR};
    op->role = ROLE_DATA;
    op->atomic = updates[tester_draw(&t->random, 5)];
    op->address = draw_segment(t, t->setup->line[line] + tester_draw(&t->random, PACKET_LINE_BYTES), &op->bytes);
    fill_parts(t, op, line);
    if (!op->part_count) {
        tester_free_op(t, op);
        return false;
    }
    if (op->part_count == 1 && tester_draw(&t->random, 4))
        narrow(op);
    op->waits = op->kind == PACKET_ATOMIC || tester_meaning(t, op)->after;
    tester_begin_op(t, th, op);
    return true;
}

/* Kinds of accesses */

static bool plain(struct tester *t, struct tester_thread *th, struct tester_op *op, uint8_t kind)
{
    op->kind = kind;
    op->order = tester_draw(&t->random, 2) ? ISA_ORDER_WEAK : 0;
    op->past = tester_draw(&t->random, 12) == 0;
    return data_access(t, th, op);
}

/* Places at which others have nothing to do are accessed in all orders and scopes. */
static bool strong(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    static const uint8_t kinds[] = {PACKET_READ, PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_ATOMIC};
    static const uint8_t scopes[] = {ISA_SCOPE_GPU, ISA_SCOPE_GPU, ISA_SCOPE_SYS, ISA_SCOPE_REMOTE};
    static const uint8_t orders[PACKET_ATOMIC + 1][4] = {
        [PACKET_READ] = {ISA_ORDER_RELAXED, ISA_ORDER_RELAXED, ISA_ORDER_VOLATILE, ISA_ORDER_ACQUIRE},
        [PACKET_WRITE] = {ISA_ORDER_RELAXED, ISA_ORDER_RELAXED, ISA_ORDER_VOLATILE, ISA_ORDER_RELEASE},
        [PACKET_ATOMIC] = {ISA_ORDER_RELAXED, ISA_ORDER_RELAXED, ISA_ORDER_ACQ_REL, ISA_ORDER_RELEASE}};
    op->kind = kinds[tester_draw(&t->random, 5)];
    op->order = orders[op->kind][tester_draw(&t->random, 4)];
    op->scope = tester_draw(&t->random, 100) < t->setup->narrow ? ISA_SCOPE_CTA : scopes[tester_draw(&t->random, 4)];
    return data_access(t, th, op);
}

static bool discard(struct tester *t, struct tester_op *op)
{
    tester_free_op(t, op);
    return false;
}

static bool count_up(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    struct model *m = &t->model;
    if (!m->counter_count)
        return discard(t, op);
    op->role = ROLE_COUNTER;
    op->target = tester_draw(&t->random, m->counter_count);
    struct model_counter *counter = &m->counters[op->target];
    if (counter->home != MODEL_NONE && counter->home != th->agent && tester_draw(&t->random, 100) >= t->setup->others)
        return discard(t, op);
    op->kind = tester_draw(&t->random, 3) ? PACKET_ATOMIC : PACKET_READ;
    op->waits = op->kind == PACKET_ATOMIC;
    op->order = ISA_ORDER_RELAXED;
    op->scope = tester_scope_for(t, th->agent, counter->home);
    op->atomic = ISA_ATOMIC_ADD;
    tester_one_part(t, op, counter->address, counter->bytes);
    op->parts[0].operand = op->kind == PACKET_ATOMIC ? 1 + tester_draw(&t->random, 3) : 0;
    op->parts[0].expected = m->clocks[op->thread].least[op->target];
    counter->sum += op->parts[0].operand;
    tester_begin_op(t, th, op);
    return true;
}

/* A load of a variable, to see whether it has a value that somebody wrote. */
static bool look(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    op->role = ROLE_LOOK;
    op->target = tester_draw(&t->random, t->model.variable_count);
    const struct model_variable *v = &t->model.variables[op->target];
    if (v->home != MODEL_NONE && v->home != th->agent)
        return discard(t, op);
    op->kind = PACKET_READ;
    op->order = ISA_ORDER_RELAXED;
    op->scope = tester_scope_for(t, th->agent, v->home);
    tester_one_part(t, op, v->address, v->bytes);
    tester_begin_op(t, th, op);
    return true;
}

static bool own_access(struct tester *t, struct tester_thread *th, struct tester_op *op)
{
    op->role = ROLE_OWN;
    op->kind = tester_draw(&t->random, 2) ? PACKET_READ : PACKET_WRITE;
    op->own = true;
    op->address = TESTER_OWN + op->thread * UINT64_C(512) + tester_draw(&t->random, 512);
    op->address = draw_segment(t, op->address, &op->bytes);
    tester_begin_op(t, th, op);
    return true;
}

bool tester_body_access(struct tester *t, struct tester_thread *th)
{
    uint32_t thread = (uint32_t)(th - t->all), what = tester_draw(&t->random, 100);
    if (th->ops >= t->setup->outstanding)
        return false;
    if (what < 2) {
        tester_begin_fence(t, th, tester_draw(&t->random, 3) ? ISA_SCOPE_GPU : ISA_SCOPE_CTA);
        return true;
    }
    struct tester_op *op = tester_new_op(t, thread);
    if (!op)
        return false;
    if (what < 35)
        return plain(t, th, op, PACKET_READ);
    if (what < 64)
        return plain(t, th, op, PACKET_WRITE);
    if (what < 82)
        return strong(t, th, op);
    if (what < 92)
        return count_up(t, th, op);
    return what < 95 ? look(t, th, op) : own_access(t, th, op);
}

static void end_counter(struct tester *t, const struct tester_op *op)
{
    const struct tester_part *part = &op->parts[0];
    const struct model_counter *counter = &t->model.counters[op->target];
    uint64_t now = part->got + part->operand;
    uint32_t *least = &t->model.clocks[op->thread].least[op->target];
    if (part->got < part->expected || now > counter->sum)
        tester_fail(t,
                    "cycle %llu: thread %u of agent %u finds %llx in the counter at %llx, which has been %llx, and is "
                    "no more than %llx",
                    (unsigned long long)t->cycle, op->thread, t->all[op->thread].agent, (unsigned long long)part->got,
                    (unsigned long long)counter->address, (unsigned long long)part->expected,
                    (unsigned long long)counter->sum);
    *least = now > *least ? (uint32_t)now : *least;
}

void tester_end_access(struct tester *t, struct tester_thread *th, const struct tester_op *op)
{
    const struct model_variable *v = &t->model.variables[op->target];
    if (op->role == ROLE_COUNTER)
        end_counter(t, op);
    if (op->role == ROLE_LOOK && model_number_of(v, op->parts[0].got) == MODEL_NONE)
        tester_fail(t, "cycle %llu: thread %u of agent %u finds %llx in the variable at %llx, which nobody wrote",
                    (unsigned long long)t->cycle, op->thread, th->agent, (unsigned long long)op->parts[0].got,
                    (unsigned long long)v->address);
}
