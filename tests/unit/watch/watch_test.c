/* Events without an SM: which are heard, who is told, the states of SMs, the report; and what the consumers make of
 * them that every SM has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/mod_values.h"
#include "watch/consumers.h"

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
    struct watch_observers all = {.of = {{.observer = &issues}, {.observer = &greedy, .path = "greedy.so"}}, .count = 2};
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

/* The class of an instruction follows from its opcode and unit. */
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

/* Consumers by events alone, as an SM would tell them. */
static const struct watch nobody;

static void launch(struct watch_consumers *c, unsigned warp, unsigned index, uint64_t cycle)
{
    static const uint32_t block[3] = {4, 5, 6};
    watch_launch(&nobody, c,
                 &(struct lockstep_launch_event){
                     .cycle = cycle, .warp = warp, .block = 2, .block_index = block, .warp_in_block = index});
}
static void arrive(struct watch_consumers *c, unsigned warp, uint64_t cycle)
{
    watch_arrive(&nobody, c, &(struct lockstep_arrive_event){.cycle = cycle, .warp = warp, .block = 2});
}
static void end_warp(struct watch_consumers *c, unsigned warp, uint64_t cycle)
{
    watch_end(&nobody, c, &(struct lockstep_end_event){.cycle = cycle, .warp = warp, .block = 2});
}

/* Two warps, one barrier, and the end: two phases. The slowest takes 30 cycles in the first and 50 in the second. */
static void phases_go_from_barrier_to_barrier(void **state)
{
    struct watch_consumers *c = base_calloc(1, sizeof *c);
    watch_phases_begin(&c->phases, true);
    launch(c, 8, 0, 100);
    launch(c, 9, 1, 100);
    arrive(c, 9, 110);
    arrive(c, 8, 130);
    watch_open(&nobody, c, &(struct lockstep_open_event){.cycle = 130, .block = 2, .warps = 0x300});
    end_warp(c, 8, 180);
    assert_int_equal(c->phases.stats.count, 1);
    end_warp(c, 9, 140);
    assert_int_equal(c->phases.stats.count, 2);
    assert_int_equal(c->phases.stats.warps, 4);
    assert_int_equal(c->phases.stats.warp_cycles, 2 * 30 + 2 * 50);
    assert_int_equal(c->phases.stats.lost, 20 + 40);
    assert_int_equal(c->phases.log.count, 4);
    const struct watch_phase_row *last = &c->phases.log.items[3];
    assert_true(last->block[0] == 4 && last->block[2] == 6 && last->phase == 1 && last->warp == 1);
    assert_true(last->start == 130 && last->arrival == 140 && last->release == 140);
    watch_phases_free(&c->phases);
    free(c);
}

static struct lockstep_atomic_event swap(uint64_t address, uint64_t before, uint64_t after, bool performed)
{
    return (struct lockstep_atomic_event){.cycle = 7,
                                          .warp = 8,
                                          .block = 2,
                                          .pc = 11,
                                          .lane = 3,
                                          .thread = 35,
                                          .space = LOCKSTEP_GLOBAL,
                                          .operation = LOCKSTEP_ATOMIC_COMPARE_AND_SWAP,
                                          .performed = performed,
                                          .address = address,
                                          .before = before,
                                          .after = after};
}

/* A lock that is taken has a holder; one that is found held has not. Taking it is work once. */
static void locks_have_holders(void **state)
{
    struct watch_consumers *c = base_calloc(1, sizeof *c);
    struct lockstep_atomic_event event = swap(0x1000, 0, 1, true);
    watch_progress_begin(&c->progress);
    launch(c, 8, 1, 0);
    watch_atomic(&nobody, c, &event);
    const struct watch_holder *h = watch_progress_holder(&c->progress, 0x1000);
    assert_non_null(h);
    assert_true(h->thread == 35 && h->lane == 3 && h->pc == 11 && h->warp == 1 && h->block[1] == 5 && h->cycle == 7);
    assert_int_equal(c->progress.warps[8].takes, 1);
    assert_int_equal(c->progress.work_done, 1);
    event = swap(0x2000, 1, 1, false);
    watch_atomic(&nobody, c, &event);
    assert_null(watch_progress_holder(&c->progress, 0x2000));
    watch_progress_reset(&c->progress, true);
    assert_int_equal(c->progress.warps[8].takes, 0);
    event = swap(0x1000, 0, 1, true);
    watch_atomic(&nobody, c, &event);
    assert_int_equal(c->progress.work_done, 1); /* nothing new */
    assert_true(c->progress.seeks_work);
    free(c);
}

/* A store of a value that a location was not seen to take is work; the next ones are not looked at. */
static void stores_are_work(void **state)
{
    struct watch_consumers *c = base_calloc(1, sizeof *c);
    uint64_t address[64] = {0x100, 0x104};
    uint32_t data[64] = {1, 2};
    struct lockstep_access_event event = {.warp = 8,
                                          .block = 2,
                                          .pc = 5,
                                          .instruction_class = LOCKSTEP_STORE,
                                          .space = LOCKSTEP_GLOBAL,
                                          .bytes = 4,
                                          .mask = 3,
                                          .address = address,
                                          .data = data,
                                          .stride = 4};
    watch_progress_begin(&c->progress);
    watch_access(&nobody, c, &event);
    assert_int_equal(c->progress.work_done, 2);
    assert_int_equal(c->progress.writers.changes, 2);
    watch_access(&nobody, c, &event);
    assert_int_equal(c->progress.writers.changes, 2);
    watch_progress_reset(&c->progress, false);
    watch_access(&nobody, c, &event);
    assert_int_equal(c->progress.work_done, 2); /* the same values again */
    assert_int_equal(c->progress.writers.changes, 4);
    assert_int_equal(c->progress.warps[8].sync_ops, 0);
    event.instruction_class = LOCKSTEP_LOAD;
    event.synchronises = 1;
    watch_access(&nobody, c, &event);
    assert_int_equal(c->progress.warps[8].sync_ops, 1);
    assert_int_equal(c->progress.warps[8].last_sync_address, 0x100);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sm_tells_its_own_state),
        cmocka_unit_test(nobody_hears_without_observers),
        cmocka_unit_test(too_large_a_state_is_refused),
        cmocka_unit_test(instructions_have_classes),
        cmocka_unit_test(phases_go_from_barrier_to_barrier),
        cmocka_unit_test(locks_have_holders),
        cmocka_unit_test(stores_are_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
