/* mbarriers: a test whose threads meet at one allows what it allows with barriers of the block in its place, which the
 * model knows otherwise. */
#include "litmus_support.h"

#include "base/random.h"
#include "effort.h"

#define MEETINGS 2
#define ROWS (2 * (MEETINGS + 1) + 2 * MEETINGS)

static void add_access(struct random_stream *r, unsigned *registers, struct strbuf *out)
{
    static const char *const loads[] = {"weak", "relaxed.gpu", "acquire.cta"};
    static const char *const stores[] = {"weak", "relaxed.cta", "release.gpu"};
    char place = random_below(r, 2) ? 'x' : 'y';
    if (random_below(r, 2))
        strbuf_addf(out, "ld.%s r%u, %c", loads[random_below(r, 3)], (*registers)++, place);
    else
        strbuf_addf(out, "st.%s %c, %u", stores[random_below(r, 3)], place, 1 + random_below(r, 2));
}

/* The cells of a thread: up to two accesses, a meeting, and so on. arrives: it does not wait at its last meeting. */
static unsigned add_thread(struct random_stream *r, unsigned threads, bool objects, bool arrives,
                           struct strbuf cells[ROWS], unsigned *registers)
{
    unsigned count = 0, left = threads == 2 ? 4 : 2;
    for (unsigned part = 0; part <= MEETINGS; part++) {
        for (unsigned i = random_below(r, 3); i && left; i--, left--)
            add_access(r, registers, &cells[count++]);
        bool waits = part + 1 < MEETINGS || !arrives;
        if (part == MEETINGS)
            continue;
        if (!objects) {
            strbuf_addf(&cells[count++], "bar.%s 0, %u", waits ? "sync" : "arrive", threads);
            continue;
        }
        strbuf_add(&cells[count++], "mbarrier.arrive m");
        if (waits)
            strbuf_addf(&cells[count++], "mbarrier.try_wait.parity m, %u", part & 1);
    }
    return count;
}

static void make_test(uint64_t number, bool objects, struct strbuf *out)
{
    struct random_stream r = random_stream_of(3, "mbarrier litmus", number);
    struct strbuf cells[3][ROWS] = {{{0}}}, condition = {0};
    unsigned threads = 2 + random_below(&r, 2), counts[3] = {0}, arrives = random_below(&r, 6);
    strbuf_add(out, "PTX meet\n{ ");
    if (objects)
        strbuf_addf(out, "mbarrier m=%u; ", threads);
    strbuf_add(out, "}\n");
    strbuf_add(&condition, "exists (x == 0 /\\ y == 0");
    for (unsigned t = 0; t < threads; t++) {
        unsigned registers = 0;
        counts[t] = add_thread(&r, threads, objects, t == arrives, cells[t], &registers);
        strbuf_addf(out, " P%u@cta 0 %c", t, t + 1 < threads ? '|' : ';');
        for (unsigned i = 0; i < registers; i++)
            strbuf_addf(&condition, " /\\ P%u:r%u == 0", t, i);
    }
    for (unsigned row = 0; row < ROWS; row++) {
        strbuf_add(out, "\n");
        for (unsigned t = 0; t < threads; t++)
            strbuf_addf(out, " %s %c", row < counts[t] ? strbuf_text(&cells[t][row]) : "", t + 1 < threads ? '|' : ';');
    }
    strbuf_addf(out, "\n%s)\n", strbuf_text(&condition));
    for (unsigned t = 0; t < 3; t++)
        for (unsigned row = 0; row < ROWS; row++)
            strbuf_free(&cells[t][row]);
    strbuf_free(&condition);
}

static void ask(const char *text, struct litmus_verdict *verdict)
{
    struct litmus_test test;
    read_test(&test, text);
    litmus_ask(&test, 2, verdict);
    assert_true(verdict->complete);
    litmus_free(&test);
}

static void an_mbarrier_orders_what_a_barrier_does(void **state)
{
    (void)state;
    unsigned weak = 0;
    for (uint64_t number = 0; number < 240 / effort_step(2); number++) {
        struct strbuf one = {0}, other = {0};
        struct litmus_verdict barrier, object;
        make_test(number, false, &one);
        make_test(number, true, &other);
        ask(strbuf_text(&one), &barrier);
        ask(strbuf_text(&other), &object);
        if (!includes(&barrier.allowed, &object.allowed) || !includes(&object.allowed, &barrier.allowed))
            fail_msg("%u and %u outcomes:\n%s", barrier.allowed.count, object.allowed.count, strbuf_text(&other));
        assert_true(includes(&object.allowed, &object.sequential));
        assert_int_equal(barrier.sequential.count, object.sequential.count);
        weak += object.allowed.count > object.sequential.count;
        litmus_verdict_free(&barrier);
        litmus_verdict_free(&object);
        strbuf_free(&one);
        strbuf_free(&other);
    }
    print_message("%u with weak outcomes\n", weak);
    assert_true(weak > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_mbarrier_orders_what_a_barrier_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
