/* The checker finds faults: each of these changes of a protocol, by one row of a table, one order or one phase, is
 * found in a small configuration; and the protocols as they are have none there. A mutated protocol may also break a
 * contract of the code that is driven, which test builds hold: so each runs in a process of its own. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/checker.h"
#include "effort.h"

enum { AGENT_SIDE = 0, DIRECTORY_SIDE = 2, ORDER_SIDE = 4, REMOTE_SIDE };
enum change {
    WITHOUT, /* this action is not taken */
    LAST,    /* this action is taken behind all others */
    TAKES,   /* these actions are taken instead */
    NEXT,    /* this is the next state */
    GONE,    /* there is no such row */
};

/* ORDER_SIDE: event is an order, and its actions change; REMOTE_SIDE: event is a kind of access, and the phase `value`
 * is left out wherever it stands. */
struct mutation {
    uint32_t accesses, together, ways, places;
    const char *protocol, *program;
    unsigned side, state, event;
    enum change change;
    uint64_t value;
    const char *why; /* what goes wrong */
};
#define A(state, event) AGENT_SIDE, AGENT_##state, AGENT_##event##_EVENT
#define D(state, event) DIRECTORY_SIDE, DIRECTORY_##state, DIRECTORY_##event##_EVENT
#define AGENT(action) AGENT_DO_##action
#define DIRECTORY(action) DIRECTORY_DO_##action
#define DO2(first, second) COHERENCE_DO(first, second)

static const struct mutation mutations[] = {
#define MUTATION(...) {2, 0, 0, 0, __VA_ARGS__},
#define MUTATION_IN(accesses, ways, places, ...) {accesses, 0, ways, places, __VA_ARGS__},
#define MUTATION_OF(accesses, together, ...) {accesses, together, 0, 0, __VA_ARGS__},
#include "mutations.def"
#undef MUTATION
#undef MUTATION_IN
#undef MUTATION_OF
};
#define MUTATIONS (sizeof mutations / sizeof *mutations)

/* A protocol that a mutation has changed. */
struct mutant {
    struct coherence_protocol protocol;
    struct coherence_registration registration;
    struct coherence_table tables[2];
    struct coherence_row rows[2][COHERENCE_ANY * COHERENCE_EVENTS];
};

static void copy_table(struct mutant *m, unsigned which, const struct coherence_table *from)
{
    memcpy(m->rows[which], from->rows, from->count * sizeof *from->rows);
    m->tables[which] = (struct coherence_table){m->rows[which], from->count};
}

/* A row's list without an action that it has. */
static uint64_t list_without(uint64_t list, uint64_t action, unsigned *length)
{
    uint64_t without = 0;
    bool found = false;
    *length = 0;
    for (; list; list >>= 8) {
        if ((list & 0xff) == action)
            found = true;
        else
            without |= (list & 0xff) << 8 * (*length)++;
    }
    assert_true(found);
    return without;
}

static void change_row(struct coherence_row *row, const struct mutation *mutation)
{
    unsigned length;
    if (mutation->change == WITHOUT)
        row->actions = list_without(row->actions, mutation->value, &length);
    if (mutation->change == LAST) {
        uint64_t before = row->actions, without = list_without(before, mutation->value, &length);
        row->actions = without | mutation->value << 8 * length;
        assert_int_not_equal(row->actions, before);
    }
    if (mutation->change == TAKES)
        row->actions = mutation->value;
    if (mutation->change == NEXT)
        row->next = (uint8_t)mutation->value;
}

static void change_table(struct mutant *m, const struct mutation *mutation)
{
    unsigned which = mutation->side == DIRECTORY_SIDE;
    struct coherence_row *rows = m->rows[which], *row = rows;
    while (row < rows + m->tables[which].count && (row->state != mutation->state || row->event != mutation->event))
        row++;
    assert_true(row < rows + m->tables[which].count);
    change_row(row, mutation);
    if (mutation->change == GONE)
        *row = rows[--m->tables[which].count];
}

static void leave_phase_out(struct mutant *m, const struct mutation *mutation)
{
    uint8_t *phases = m->registration.remote[mutation->event], *at = phases;
    for (const uint8_t *phase = phases; *phase != REMOTE_END; phase++)
        if (*phase != mutation->value)
            *at++ = *phase;
    assert_int_not_equal(*at, REMOTE_END);
    *at = REMOTE_END;
}

static void make_mutant(struct mutant *m, const struct mutation *mutation)
{
    const struct coherence_protocol *from = coherence_find(mutation->protocol);
    assert_non_null(from);
    m->protocol = *from;
    m->registration = *from->registration;
    m->protocol.registration = &m->registration;
    copy_table(m, 0, from->registration->agent);
    copy_table(m, 1, from->registration->directory);
    m->registration.agent = &m->tables[0];
    m->registration.directory = &m->tables[1];
    if (mutation->side == ORDER_SIDE)
        m->protocol.orders[mutation->event] &= (uint8_t)~mutation->value;
    else if (mutation->side == REMOTE_SIDE)
        leave_phase_out(m, mutation);
    else
        change_table(m, mutation);
}

static enum checker_verdict verdict_of(const struct coherence_protocol *protocol, const struct mutation *m)
{
    struct checker_result result;
    struct diag_sink sink;
    struct checker_setup setup = {.protocol = protocol,
                                  .program = m->program,
                                  .accesses = m->accesses,
                                  .together = m->together,
                                  .ways = m->ways,
                                  .places = m->places,
                                  .memory = UINT64_C(1) << 30};
    diag_init(&sink);
    checker_defaults(&setup);
    assert_int_equal(checker_run(&setup, &result, &sink), 0);
    if (result.verdict == CHECKER_FAULT && getenv("LOCKSTEP_TELL"))
        fprintf(stderr, "%s%s\n", strbuf_text(&result.trace), strbuf_text(&result.fault));
    checker_free(&result);
    diag_free(&sink);
    return result.verdict;
}

#ifdef LOCKSTEP_CHECKED
#define CONTRACTS true
#else
#define CONTRACTS false
#endif

/* In a process of its own: whether a fault was found, or a contract was broken. */
static bool is_found(const struct mutation *mutation)
{
    struct mutant *m = calloc(1, sizeof *m);
    int status = 0;
    assert_non_null(m);
    make_mutant(m, mutation);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 4; i++)
            signal((int[]){SIGSEGV, SIGABRT, SIGFPE, SIGBUS}[i], SIG_DFL);
        if (CONTRACTS && !freopen("/dev/null", "w", stderr))
            _exit(3);
        _exit((int)verdict_of(&m->protocol, mutation));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    free(m);
    if (WIFEXITED(status))
        return WEXITSTATUS(status) == CHECKER_FAULT;
    return CONTRACTS && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void each_mutation_is_found(void **state)
{
    (void)state;
    unsigned missed = 0;
    for (unsigned i = 0; i < MUTATIONS; i += effort_steps(3, 40)) {
        if (is_found(&mutations[i]))
            continue;
        fprintf(stderr, "not found: %u, %s, %s: %s\n", i, mutations[i].protocol, mutations[i].program,
                mutations[i].why);
        missed++;
    }
    assert_int_equal(missed, 0);
}

static void protocols_as_they_are_have_no_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MUTATIONS; i++) {
        const struct mutation *m = &mutations[i];
        /* Others take long, or are generated_test's; cli.check proves all with one access. */
        bool again = m->accesses > 2 || m->together || (!getenv("LOCKSTEP_LONG") && strcmp(m->program, "lock") != 0);
        for (unsigned k = 0; k < i; k++)
            again |= !strcmp(mutations[k].protocol, m->protocol) && !strcmp(mutations[k].program, m->program) &&
                     mutations[k].accesses == m->accesses && mutations[k].ways == m->ways &&
                     mutations[k].places == m->places;
        if (!again)
            assert_int_equal(verdict_of(coherence_find(m->protocol), m), CHECKER_PROVED);
    }
}

static void programs_and_setups_are_checked(void **state)
{
    (void)state;
    struct checker_result result;
    struct diag_sink sink;
    diag_init(&sink);
    struct checker_setup setup = {.protocol = coherence_find("hlrc"), .program = "lokc"};
    checker_defaults(&setup);
    assert_int_equal(checker_run(&setup, &result, &sink), -1);
    setup.program = "lock";
    setup.caches = CHECKER_CACHES + 1;
    assert_int_equal(checker_run(&setup, &result, &sink), -1);
    setup.caches = 2;
    setup.protocol = coherence_find("gpu");
    assert_int_equal(checker_run(&setup, &result, &sink), -1);
    diag_free(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mutation_is_found),
        cmocka_unit_test(protocols_as_they_are_have_no_fault),
        cmocka_unit_test(programs_and_setups_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
