/* Events of accesses and of lanes that part, as an observer hears them: a kernel for one warp, of which it is known. */
#include "gpu_support.h"

#include "gpu/gpu_impl.h"

enum { LOAD_AT = 5, PARTS_AT = 9, HALF_AT, OUT_AT, CONFLICT_AT };
static const char text[] = PTX_HEAD ".shared .align 4 .b8 s[512];\n" PTX_KERNEL(
    "k", "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [n]; mov.u32 %r2, %tid.x;\n"
         "mul.wide.u32 %rd2, %r2, 128; add.u64 %rd2, %rd1, %rd2;\n"
         "ld.global.u32 %r3, [%rd2];\n"
         "mov.u32 %r6, s; mad.lo.u32 %r5, %r2, 8, %r6;\n"
         "setp.lt.u32 %p1, %r2, 8; @%p1 bra OUT;\n"
         "add.u32 %r4, %r3, 1;\n"
         "OUT: add.u32 %r4, %r3, 1;\n"
         "st.shared.u32 [%r5], %r4; ret;");

struct heard {
    unsigned splits, meets, answers, divided, serialized;
    uint64_t answered; /* lanes of the load */
    struct lockstep_split_event split;
    struct lockstep_meet_event meet;
    struct lockstep_divided_event load;
    struct lockstep_serialized_event store;
};

static size_t state_bytes(const struct lockstep_observed *observed)
{
    return sizeof(struct heard);
}
/* The state that it fills in is there when the first event comes. */
static void begin(const struct lockstep_observed *observed, void *state)
{
    assert_int_equal(observed->cause_count, WARP_CAUSE_COUNT);
    assert_string_equal(observed->causes[WARP_CAUSE_barrier], "barrier");
    ((struct heard *)state)->splits = 1000;
}
static void split(void *state, const struct lockstep_split_event *e)
{
    struct heard *h = state;
    h->splits++;
    h->split = *e;
}
static void meet(void *state, const struct lockstep_meet_event *e)
{
    struct heard *h = state;
    h->meets++;
    h->meet = *e;
}
static void answer(void *state, const struct lockstep_answer_event *e)
{
    struct heard *h = state;
    h->answers += e->pc == LOAD_AT;
    h->answered |= e->pc == LOAD_AT ? e->mask : 0;
}
static void divided(void *state, const struct lockstep_divided_event *e)
{
    struct heard *h = state;
    h->divided++;
    h->load = *e;
}
static void serialized(void *state, const struct lockstep_serialized_event *e)
{
    struct heard *h = state;
    h->serialized++;
    h->store = *e;
}

static struct heard found; /* by the launch's only SM */
static void report(const struct lockstep_observed *observed, const void *const *states, FILE *to)
{
    assert_int_equal(observed->sms, 1);
    found = *(const struct heard *)states[0];
    fprintf(to, "heard\n");
}
static const struct lockstep_observer observer = {.name = "heard",
                                                  .state_bytes = state_bytes,
                                                  .begin = begin,
                                                  .report = report,
                                                  .split = split,
                                                  .meet = meet,
                                                  .answer = answer,
                                                  .divided = divided,
                                                  .serialized = serialized};

static void test_accesses_and_lanes(void **state)
{
    static const char *const models[] = {"stack", "its", "aware"};
    for (unsigned m = 0; m < sizeof models / sizeof models[0]; m++) {
        struct device d;
        device_open(&d, "gtx480", "gpu.sms=1");
        watch_join(&d.gpu->observers, &observer);
        device_load(&d, text);
        struct shape shape = {.grid = 1, .block = 32, .divergence = simt_model_find(models[m])};
        device_run(&d, "k", shape, device_buffer(&d, 16384), 0);
        assert_int_equal(found.splits, 1001);
        assert_int_equal(found.split.pc, PARTS_AT);
        assert_int_equal(found.split.taken, 0xff);
        assert_int_equal(found.split.others, 0xffffff00);
        assert_int_equal(found.meets, 1);
        assert_int_equal(found.meet.pc, OUT_AT);
        assert_int_equal(found.meet.came | found.meet.met, 0xffffffff);
        assert_int_equal(found.meet.came & found.meet.met, 0);
        assert_int_equal(found.divided, 1);
        assert_int_equal(found.load.pc, LOAD_AT);
        assert_int_equal(found.load.transactions, 32);
        assert_int_equal(found.answers, 32);
        assert_int_equal(found.answered, 0xffffffff);
        assert_int_equal(found.serialized, 1);
        assert_int_equal(found.store.pc, CONFLICT_AT);
        assert_int_equal(found.store.passes, 2);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_accesses_and_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
