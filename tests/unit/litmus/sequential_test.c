/* Sequentially consistent outcomes are allowed: every outcome of random interleavings of random tests, by an
 * interpreter that shares the parsed test with src/litmus and nothing else. */
#include "base/random.h"
#include "litmus_support.h"
#include "effort.h"

static unsigned tries(unsigned few, unsigned many)
{
    return getenv("LOCKSTEP_LONG") ? many : few;
}

static uint64_t low(uint64_t value, unsigned bits)
{
    return bits < 64 ? value % (UINT64_C(1) << bits) : value;
}

/* A random thread does its next instruction, as often as any can. */

struct machine_state {
    uint64_t memory[LITMUS_PLACES], registers[LITMUS_THREADS][LITMUS_REGISTERS];
    unsigned pc[LITMUS_THREADS];
    uint32_t came[LITMUS_THREADS][LITMUS_BARRIERS],
        waits[LITMUS_THREADS][LITMUS_BARRIERS]; /* by the first thread of the block, and number: threads */
};

static uint64_t value_in(const struct machine_state *s, unsigned thread, struct litmus_operand o)
{
    return o.is_register ? s->registers[thread][o.value] : o.value;
}

static uint64_t updated(enum litmus_update update, uint64_t old, uint64_t a, uint64_t b)
{
    const uint64_t results[] = {[LITMUS_exch] = a,
                                [LITMUS_cas] = old == a ? b : old,
                                [LITMUS_add] = old + a,
                                [LITMUS_sub] = old - a,
                                [LITMUS_and] = old & a,
                                [LITMUS_or] = old | a,
                                [LITMUS_xor] = old ^ a,
                                [LITMUS_min] = old < a ? old : a,
                                [LITMUS_max] = old > a ? old : a};
    return results[update];
}

/* A barrier of a random test takes a number of threads, or all of the block, who all come. Returns whether the thread,
 * or one that waited, has moved. */
static bool step_barrier(const struct litmus_test *test, struct machine_state *s, unsigned thread)
{
    const struct litmus_instr *i = &test->threads[thread].instrs[s->pc[thread]];
    unsigned block = 0, takes = (unsigned)i->b.value;
    while (test->threads[block].cta != test->threads[thread].cta)
        block++;
    for (unsigned t = 0; !i->b.value && t < test->thread_count; t++)
        takes += test->threads[t].cta == test->threads[thread].cta;
    uint32_t *came = &s->came[block][i->a.value], *waits = &s->waits[block][i->a.value];
    if (*came >> thread & 1)
        return false;
    *came |= 1u << thread;
    if (i->arrives)
        s->pc[thread]++;
    else
        *waits |= 1u << thread;
    if ((unsigned)__builtin_popcount(*came) < takes)
        return true;
    for (unsigned t = 0; t < test->thread_count; t++)
        s->pc[t] += *waits >> t & 1;
    *came = *waits = 0;
    return true;
}

static bool step(const struct litmus_test *test, struct machine_state *s, unsigned thread)
{
    if (s->pc[thread] >= test->threads[thread].count)
        return false;
    const struct litmus_instr *i = &test->threads[thread].instrs[s->pc[thread]];
    uint64_t a = value_in(s, thread, i->a), b = value_in(s, thread, i->b), *at = &s->memory[i->place], old = *at;
    unsigned bits = test->places[i->place].bits;
    if (i->kind == LITMUS_BARRIER)
        return step_barrier(test, s, thread);
    s->pc[thread]++;
    if (i->kind == LITMUS_BRANCH && (i->compare == LITMUS_ALWAYS || (a == b) == (i->compare == LITMUS_EQUAL)))
        s->pc[thread] = i->target;
    if (i->kind == LITMUS_STORE)
        *at = low(a, bits);
    if (i->kind == LITMUS_ATOMIC)
        *at = low(updated(i->update, old, low(a, bits), low(b, bits)), bits);
    if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC)
        s->registers[thread][i->to] = old;
    if (i->kind == LITMUS_SET)
        s->registers[thread][i->to] = low(a + b, test->register_bits);
    return true;
}

static void interleave(const struct litmus_test *test, struct random_stream *random, struct litmus_outcome *outcome)
{
    struct machine_state s = {.memory = {0}};
    bool more = true;
    for (unsigned i = 0; i < test->place_count; i++)
        s.memory[i] = test->places[i].initial;
    while (more) {
        unsigned first = random_below(random, test->thread_count);
        more = false;
        for (unsigned k = 0; k < test->thread_count && !more; k++)
            more = step(test, &s, (first + k) % test->thread_count);
    }
    *outcome = (struct litmus_outcome){{0}};
    for (unsigned t = 0; t < test->thread_count; t++)
        assert_int_equal(s.pc[t], test->threads[t].count);
    for (unsigned i = 0; i < test->term_count; i++) {
        const struct litmus_term *t = &test->terms[i];
        outcome->values[i] = t->is_place ? s.memory[t->number] : s.registers[t->thread][t->number];
    }
}

/* Also of tests that are too long for brute force. */
static void what_is_sequential_is_allowed(void **state)
{
    (void)state;
    struct random_stream random = random_stream_of(1, "interleaving", 0);
    unsigned incomplete = 0;
    for (unsigned number = 0; number < tries(500 / effort_step(5), 20000); number++) {
        struct strbuf text = {0};
        struct litmus_test test;
        struct litmus_verdict verdict;
        litmus_random(12, number, false, &text);
        read_test(&test, strbuf_text(&text));
        litmus_ask(&test, 2, &verdict);
        incomplete += !verdict.complete;
        for (unsigned k = 0; k < 20 && verdict.complete; k++) {
            struct litmus_outcome outcome;
            interleave(&test, &random, &outcome);
            if (!litmus_count_of(&verdict.allowed, &outcome) || !litmus_count_of(&verdict.sequential, &outcome)) {
                struct strbuf said = {0};
                litmus_print(&test, &outcome, &said);
                fail_msg("an interleaving ends with %s, which is not allowed, of\n%s", strbuf_text(&said),
                         strbuf_text(&text));
            }
        }
        litmus_verdict_free(&verdict);
        litmus_free(&test);
        strbuf_free(&text);
    }
    assert_true(incomplete <= tries(5, 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sequential_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
