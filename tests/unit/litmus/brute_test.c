/* The oracle and a second one, by brute force (brute/brute.h), allow the same outcomes of random tests. */
#include "brute/brute.h"
#include "effort.h"

#define MOST_WRITES 4  /* to a place, beside its initial value */
#define MOST_FENCES 3  /* of order sc */
#define MOST_WORK 2500 /* ways to read from writes, to order these and the fences, and to come to barriers */

/* True: brute force comes to an end soon. */
static bool is_small(const struct litmus_test *test)
{
    unsigned writes[LITMUS_PLACES] = {0}, fences = 0;
    double work = 1;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned t = 0; t < test->thread_count; t++)
            for (unsigned pc = 0; pc < test->threads[t].count; pc++) {
                const struct litmus_instr *i = &test->threads[t].instrs[pc];
                if (!round && (i->kind == LITMUS_STORE || i->kind == LITMUS_ATOMIC))
                    writes[i->place]++;
                if (round && (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC))
                    work *= 1 + writes[i->place];
                if (!round && i->kind == LITMUS_FENCE && i->order == LITMUS_SC)
                    work *= ++fences;
                if (!round && i->kind == LITMUS_BARRIER)
                    work *= 2;
            }
    for (unsigned i = 0; i < test->place_count; i++) {
        static const unsigned orders[] = {1, 1, 3, 19, 219};
        if (writes[i] > MOST_WRITES)
            return false;
        work *= orders[writes[i]];
    }
    return fences <= MOST_FENCES && work <= MOST_WORK;
}

static void compare(const struct litmus_test *test, const struct brute *b, const struct litmus_verdict *verdict,
                    const char *text)
{
    for (unsigned i = 0; i < b->outcome_count; i++)
        if (!litmus_count_of(&verdict->allowed, &b->outcomes[i])) {
            struct strbuf said = {0};
            litmus_print(test, &b->outcomes[i], &said);
            fail_msg("brute force alone allows %s of\n%s", strbuf_text(&said), text);
        }
    for (unsigned k = 0; k < verdict->allowed.count; k++) {
        bool found = false;
        for (unsigned i = 0; i < b->outcome_count; i++)
            found |= !memcmp(&b->outcomes[i], &verdict->allowed.items[k].outcome, sizeof *b->outcomes);
        if (!found) {
            struct strbuf said = {0};
            litmus_print(test, &verdict->allowed.items[k].outcome, &said);
            fail_msg("brute force does not allow %s of\n%s", strbuf_text(&said), text);
        }
    }
}

static unsigned tries(unsigned few, unsigned many)
{
    return getenv("LOCKSTEP_LONG") ? many : few;
}

static void compare_random(bool mixed, unsigned tests)
{
    unsigned compared = 0, weak = 0;
    for (unsigned number = 0; number < tests; number++) {
        struct strbuf text = {0};
        struct litmus_test test;
        struct litmus_verdict verdict;
        litmus_random(11, number, mixed, &text);
        read_test(&test, strbuf_text(&text));
        if (is_small(&test)) {
            struct brute *b = calloc(1, sizeof *b);
            b->test = &test;
            brute_guess(b, 0, 0);
            litmus_ask(&test, 2, &verdict);
            assert_true(verdict.complete && !verdict.unrolled);
            compare(&test, b, &verdict, strbuf_text(&text));
            compared++;
            weak += verdict.allowed.count > verdict.sequential.count;
            litmus_verdict_free(&verdict);
            free(b->outcomes);
            free(b);
        }
        litmus_free(&test);
        strbuf_free(&text);
    }
    print_message("%u tests compared, %u with weak outcomes\n", compared, weak);
    assert_true(compared > tests / 3 && weak > tests / 15);
}

static void brute_force_allows_the_same(void **state)
{
    (void)state;
    compare_random(false, tries(1500 / effort_step(6), 20000));
}

static void brute_force_allows_the_same_of_several_proxies(void **state)
{
    (void)state;
    compare_random(true, tries(900 / effort_step(6), 20000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brute_force_allows_the_same),
        cmocka_unit_test(brute_force_allows_the_same_of_several_proxies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
