/* Telling observers without an SM: which events are heard, who is told, the states of SMs, the report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/mod_values.h"
#include "watch/watch.h"

struct counts {
    unsigned issues, ends;
};

static size_t bytes_of_counts(const struct lockstep_observed *observed)
{
    return observed->sms ? sizeof(struct counts) : 0;
}
static void issue(void *state, const struct lockstep_issue_event *event)
{
    ((struct counts *)state)->issues += event->pc;
}
static void end(void *state, const struct lockstep_end_event *event)
{
    ((struct counts *)state)->ends += event->warp;
}
static void report(const struct lockstep_observed *observed, const void *const *states, FILE *to)
{
    fprintf(to, "%s:", observed->kernel);
    for (unsigned sm = 0; sm < observed->sms; sm++)
        fprintf(to, " %u", ((const struct counts *)states[sm])->issues + ((const struct counts *)states[sm])->ends);
    fprintf(to, "\n");
}
static size_t too_many_bytes(const struct lockstep_observed *observed)
{
    return LOCKSTEP_OBSERVER_STATE + observed->sms;
}

static const struct lockstep_observer issues = {
    .name = "issues", .state_bytes = bytes_of_counts, .report = report, .issue = issue};
static const struct lockstep_observer ends = {
    .name = "ends", .state_bytes = bytes_of_counts, .report = report, .end = end};
static const struct lockstep_observer greedy = {.name = "greedy", .state_bytes = too_many_bytes};

static const struct lockstep_observed observed = {.kernel = "k", .sms = 2};

static void each_sm_tells_its_own_state(void **state)
{
    struct watch_observers all = {.of = {{.observer = &issues}, {.observer = &ends}}, .count = 2};
    struct watch_launch launch;
    struct isa_module module = {0};
    struct arena arena = {0};
    struct strbuf out = {0};
    assert_int_equal(watch_launch_begin(&launch, &all, &module, &observed, &arena, NULL), 0);
    for (unsigned sm = 0; sm < 2; sm++) {
        struct watch watch = watch_of(&launch, sm);
        assert_true(watch_hears(&watch, WATCH_issue) && watch_hears(&watch, WATCH_end));
        assert_false(watch_hears(&watch, WATCH_done) || watch_hears(&watch, WATCH_atomic) ||
                     watch_hears(&watch, WATCH_launch));
        watch_tell_issue(&watch, &(struct lockstep_issue_event){.pc = 5 + sm});
        watch_tell_end(&watch, &(struct lockstep_end_event){.warp = 7});
        watch_tell_end(&watch, &(struct lockstep_end_event){.warp = sm});
    }
    watch_launch_report(&launch, &out);
    assert_string_equal(strbuf_text(&out), "k: 5 6\nk: 7 8\n");
    strbuf_free(&out);
    watch_launch_free(&launch);
    arena_free(&arena);
}

static void nobody_hears_without_observers(void **state)
{
    struct watch watch = watch_of(NULL, 3);
    assert_int_equal(watch.heard, 0);
    assert_int_equal(watch.count, 0);
}

static void too_large_a_state_is_refused(void **state)
{
    struct watch_observers all = {.of = {{.observer = &issues}, {.observer = &greedy}}, .count = 2};
    struct watch_launch launch;
    struct isa_module module = {0};
    struct arena arena = {0};
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(watch_launch_begin(&launch, &all, &module, &observed, &arena, &sink), -1);
    assert_int_equal(sink.errors, 1);
    diag_free(&sink);
    arena_free(&arena);
}

/* What an instruction is, by its opcode and unit. */
static void instructions_have_classes(void **state)
{
    static const struct {
        enum isa_op op;
        enum isa_unit unit;
        enum lockstep_class is;
    } rows[] = {
        {ISA_OP_ADD, ISA_UNIT_SP, LOCKSTEP_ARITHMETIC}, {ISA_OP_SIN, ISA_UNIT_SFU, LOCKSTEP_SPECIAL},
        {ISA_OP_BRA, ISA_UNIT_SP, LOCKSTEP_CONTROL},    {ISA_OP_LD, ISA_UNIT_MEM, LOCKSTEP_LOAD},
        {ISA_OP_ST, ISA_UNIT_MEM, LOCKSTEP_STORE},      {ISA_OP_ATOM, ISA_UNIT_MEM, LOCKSTEP_ATOMIC},
        {ISA_OP_RED, ISA_UNIT_MEM, LOCKSTEP_ATOMIC},    {ISA_OP_BAR, ISA_UNIT_SP, LOCKSTEP_BARRIER},
        {ISA_OP_EXIT, ISA_UNIT_SP, LOCKSTEP_CONTROL},   {ISA_OP_FENCE, ISA_UNIT_MEM, LOCKSTEP_FENCE},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(watch_class(&(struct isa_instr){.op = rows[i].op, .unit = rows[i].unit}), rows[i].is);
    assert_int_equal(watch_space(0), LOCKSTEP_GENERIC);
    assert_int_equal(watch_space(ISA_SPACE_SHARED), LOCKSTEP_SHARED);
    assert_int_equal(watch_space(ISA_SPACE_PARAM), LOCKSTEP_CONST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sm_tells_its_own_state),
        cmocka_unit_test(nobody_hears_without_observers),
        cmocka_unit_test(too_large_a_state_is_refused),
        cmocka_unit_test(instructions_have_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
