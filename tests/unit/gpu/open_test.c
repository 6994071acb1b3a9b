/* Launches that the host can write to while they run (gpu_launch.open): when they stand, and that no write is missed. */
#include "gpu_support.h"

static const char waits[] =
    PTX_HEAD PTX_KERNEL("k", PTX_BEGIN "W: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra W;\n"
                                       "add.u32 %r6, %r6, 1; st.global.u32 [%rd1+4], %r6; ret;");

/* The host: it writes `value` to `word` at the look number `at` (from 1) of the launch that begins to listen. */
struct host {
    struct device *d;
    uint64_t word;
    unsigned looks, at;
    uint32_t value;
};

static bool writes_anywhere(const void *context, uint64_t address)
{
    return context && address;
}

static void on_listening(void *context)
{
    struct host *h = context;
    if (++h->looks == h->at)
        gpu_write(h->d->gpu, h->word, &h->value, sizeof h->value, NULL);
}

static int open_launch(struct device *d, struct host *h, enum gpu_mode mode)
{
    static uint64_t params[2];
    params[0] = h->word;
    struct gpu_launch launch = {
        .module = d->module,
        .kernel = gpu_kernel(d->module, "k"),
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .params = params,
        .mode = mode,
        .open = true,
        .host_writes = writes_anywhere,
        .listens = on_listening,
        .context = h,
    };
    return gpu_launch(d->gpu, &launch, &d->result, &d->sink);
}

static void begin(struct device *d, struct host *h, unsigned at, uint32_t value)
{
    device_open(d, "gtx480", "gpu.watch_cycles=100000");
    device_load(d, waits);
    *h = (struct host){.d = d, .word = device_buffer(d, 64), .at = at, .value = value};
}

/* A write when the launch begins to listen may have come behind the warp's last look. The warp sees it itself,
 * since the launch stands only after the warp has looked once more. */
static void test_a_write_while_it_begins_to_listen_is_seen(void **state)
{
    (void)state;
    for (enum gpu_mode mode = GPU_TIMING; mode <= GPU_FUNCTIONAL; mode++) {
        struct device d;
        struct host h;
        begin(&d, &h, 1, 41);
        assert_int_equal(open_launch(&d, &h, mode), 0);
        assert_false(gpu_stands(d.gpu));
        assert_int_equal(device_word(&d, h.word + 4), 42);
        assert_int_equal(h.looks, 1);
        device_close(&d);
    }
}

/* Nobody writes: the launch listens once and stands; what is written then is another value than the noted one. */
static void test_it_stands_until_something_is_written(void **state)
{
    (void)state;
    for (enum gpu_mode mode = GPU_TIMING; mode <= GPU_FUNCTIONAL; mode++) {
        struct device d;
        struct host h;
        begin(&d, &h, 0, 0);
        open_launch(&d, &h, mode);
        assert_true(gpu_stands(d.gpu));
        assert_int_equal(h.looks, 1);
        assert_false(gpu_polls_changed(d.gpu));
        uint32_t value = 7;
        gpu_write(d.gpu, h.word, &value, sizeof value, NULL);
        assert_true(gpu_polls_changed(d.gpu));
        assert_int_equal(gpu_go_on(d.gpu, GPU_GO_ON, NULL), 0);
        assert_int_equal(device_word(&d, h.word + 4), 8);
        device_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_write_while_it_begins_to_listen_is_seen),
        cmocka_unit_test(test_it_stands_until_something_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
