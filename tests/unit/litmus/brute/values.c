#include "brute.h"

/* Values: found by asking backwards. */

static uint64_t low(uint64_t value, unsigned bits)
{
    return bits < 64 ? value % (UINT64_C(1) << bits) : value;
}

static uint64_t read_value(struct brute *b, unsigned thread, unsigned pc);

static bool writes_register(const struct litmus_instr *i, unsigned number)
{
    return (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC || i->kind == LITMUS_SET) && i->to == number;
}

static uint64_t operand_value(struct brute *b, unsigned thread, unsigned pc, struct litmus_operand o);

/* A register's value when the thread comes to an instruction: done says which of those before it were. */
uint64_t brute_register_value(struct brute *b, unsigned thread, unsigned pc, unsigned number)
{
    const struct litmus_thread *t = &b->test->threads[thread];
    while (pc-- > 0) {
        const struct litmus_instr *i = &t->instrs[pc];
        if (!b->done[thread][pc] || !writes_register(i, number))
            continue;
        if (i->kind != LITMUS_SET)
            return read_value(b, thread, pc);
        return low(operand_value(b, thread, pc, i->a) + operand_value(b, thread, pc, i->b), b->test->register_bits);
    }
    return t->initial[number];
}

static uint64_t operand_value(struct brute *b, unsigned thread, unsigned pc, struct litmus_operand o)
{
    return o.is_register ? brute_register_value(b, thread, pc, (unsigned)o.value) : o.value;
}

static uint64_t written_value(struct brute *b, unsigned thread, unsigned pc)
{
    const struct litmus_instr *i = &b->test->threads[thread].instrs[pc];
    unsigned bits = b->test->places[i->place].bits;
    uint64_t a = low(operand_value(b, thread, pc, i->a), bits), old;
    if (i->kind == LITMUS_STORE || i->update == LITMUS_exch)
        return a;
    if (i->update == LITMUS_cas)
        return low(operand_value(b, thread, pc, i->b), bits);
    old = read_value(b, thread, pc);
    switch (i->update) {
    case LITMUS_add:
        return low(old + a, bits);
    case LITMUS_sub:
        return low(old - a, bits);
    case LITMUS_and:
        return old & a;
    case LITMUS_or:
        return old | a;
    case LITMUS_xor:
        return old ^ a;
    case LITMUS_min:
        return old < a ? old : a;
    default:
        assert_int_equal(i->update, LITMUS_max);
        return old < a ? a : old;
    }
}

static uint64_t read_value(struct brute *b, unsigned thread, unsigned pc)
{
    struct source from = b->source[thread][pc];
    uint64_t value;
    if (from.thread == INIT)
        return b->test->places[b->test->threads[thread].instrs[pc].place].initial;
    if (b->busy[thread][pc]) {
        b->circular = true;
        return 0;
    }
    b->busy[thread][pc] = true;
    value = written_value(b, from.thread, from.pc);
    b->busy[thread][pc] = false;
    return value;
}

static bool fails(struct brute *b, unsigned thread, unsigned pc)
{
    const struct litmus_instr *i = &b->test->threads[thread].instrs[pc];
    return i->kind == LITMUS_ATOMIC && i->update == LITMUS_cas &&
           read_value(b, thread, pc) != low(operand_value(b, thread, pc, i->a), b->test->places[i->place].bits);
}

/* Goes along a thread's instructions and marks them. Its branches need values of other threads, whose marks may not be
 * there yet: the caller repeats this until nothing changes. */
static bool mark(struct brute *b, unsigned thread)
{
    const struct litmus_thread *t = &b->test->threads[thread];
    bool changed = false;
    for (unsigned pc = 0; pc < t->count;) {
        const struct litmus_instr *i = &t->instrs[pc];
        bool branches = false;
        changed |= !b->done[thread][pc];
        b->done[thread][pc] = true;
        if (i->kind == LITMUS_BRANCH) {
            bool equal = operand_value(b, thread, pc, i->a) == operand_value(b, thread, pc, i->b);
            branches = i->compare == LITMUS_ALWAYS || equal == (i->compare == LITMUS_EQUAL);
        }
        unsigned next = branches ? i->target : pc + 1;
        for (unsigned k = pc + 1; k < next; k++) {
            changed |= b->done[thread][k];
            b->done[thread][k] = false;
        }
        pc = next;
    }
    return changed;
}

/* False: these sources are those of no execution. */
bool brute_find_values(struct brute *b)
{
    bool changed = true;
    memset(b->done, 0, sizeof b->done);
    b->circular = false;
    for (unsigned round = 0; changed; round++) {
        changed = false;
        for (unsigned t = 0; t < b->test->thread_count; t++)
            changed |= mark(b, t);
        if (round > 40)
            return false; /* what is done depends on itself */
    }
    b->circular = false;
    for (unsigned t = 0; t < b->test->thread_count; t++)
        for (unsigned pc = 0; pc < b->test->threads[t].count; pc++) {
            const struct litmus_instr *i = &b->test->threads[t].instrs[pc];
            struct source from = b->source[t][pc];
            if (i->kind != LITMUS_LOAD && i->kind != LITMUS_ATOMIC)
                continue;
            if (!b->done[t][pc] && from.thread != INIT)
                return false; /* the same as reading the initial value */
            if (b->done[t][pc] && from.thread != INIT &&
                (!b->done[from.thread][from.pc] || fails(b, from.thread, from.pc)))
                return false;
            read_value(b, t, pc);
        }
    return !b->circular;
}

/* Events */

static struct event *add_event(struct brute *b, unsigned thread, unsigned pc)
{
    const struct litmus_instr *i = &b->test->threads[thread].instrs[pc];
    assert_true(b->count < MOST_EVENTS);
    struct event *e = &b->events[b->count++];
    *e = (struct event){
        .thread = thread, .pc = pc, .place = i->place, .address = i->address, .proxy = i->proxy, .scope = i->scope};
    e->strong = i->order != LITMUS_WEAK;
    return e;
}

static void add_events(struct brute *b, unsigned thread, unsigned pc)
{
    const struct litmus_instr *i = &b->test->threads[thread].instrs[pc];
    bool releases = i->order == LITMUS_RELEASE || i->order == LITMUS_ACQ_REL;
    bool acquires = i->order == LITMUS_ACQUIRE || i->order == LITMUS_ACQ_REL;
    struct event *e;
    if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC) {
        e = add_event(b, thread, pc);
        e->kind = READ, e->acquires = acquires, e->value = read_value(b, thread, pc);
    }
    if (i->kind == LITMUS_STORE || (i->kind == LITMUS_ATOMIC && !fails(b, thread, pc))) {
        e = add_event(b, thread, pc);
        e->kind = WRITE, e->releases = releases, e->value = written_value(b, thread, pc);
    }
    if (i->kind == LITMUS_FENCE) {
        e = add_event(b, thread, pc);
        e->kind = FENCE, e->is_sc = i->order == LITMUS_SC;
    }
    if (i->kind == LITMUS_PROXY_FENCE) {
        e = add_event(b, thread, pc);
        e->kind = PROXY_FENCE, e->strong = false;
    }
    if (i->kind == LITMUS_BARRIER) {
        e = add_event(b, thread, pc);
        e->kind = BARRIER, e->strong = false, e->waits = !i->arrives;
        e->number = (unsigned)operand_value(b, thread, pc, i->a);
        e->takes = (unsigned)operand_value(b, thread, pc, i->b);
    }
}

void brute_list_events(struct brute *b)
{
    const struct litmus_test *test = b->test;
    b->count = 0;
    for (unsigned i = 0; i < test->place_count; i++)
        b->events[b->count++] =
            (struct event){.thread = INIT, .kind = WRITE, .place = i, .address = i, .value = test->places[i].initial};
    for (unsigned t = 0; t < test->thread_count; t++)
        for (unsigned pc = 0; pc < test->threads[t].count; pc++)
            if (b->done[t][pc])
                add_events(b, t, pc);
    memset(&b->rf, 0, sizeof b->rf);
    for (unsigned r = 0; r < b->count; r++)
        for (unsigned w = 0; w < b->count; w++) {
            const struct event *read = &b->events[r], *write = &b->events[w];
            if (read->kind != READ || write->kind != WRITE)
                continue;
            struct source from = b->source[read->thread][read->pc];
            if (write->thread == from.thread &&
                (from.thread == INIT ? write->place == read->place : write->pc == from.pc))
                put(&b->rf, w, r);
        }
}
