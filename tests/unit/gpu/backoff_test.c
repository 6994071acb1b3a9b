/* Back-off in a whole SM: which cycles a warp is held back and delayed, and what the measures of locks count. Loops are
 * marked, so that the detector `static` knows them from the first branch on. */
#include "gpu_support.h"

#define BOWS "gpu.sms=1 sm.scheduler=gto+bows spin.detector=static spin.adaptive=false "

static void open_kernel(struct device *d, const char *machine, const char *settings, const char *kernel)
{
    device_open(d, machine, settings);
    char *text = malloc(sizeof PTX_HEAD + strlen(kernel));
    sprintf(text, "%s%s", PTX_HEAD, kernel);
    device_load(d, text);
    free(text);
}

/* Twenty passes of one warp: the first has no delay. A scheduler whose only warp is delayed has no other cause to wait,
 * so its own account of cycles must say the same. */
static void delayed_cycles(void **state)
{
    static const char kernel[] = PTX_KERNEL("k", "mov.u32 %r1, 0;\n"
                                                 "L: .pragma \"lockstep.spin\";\nadd.u32 %r1, %r1, 1;\n"
                                                 "setp.lt.u32 %p1, %r1, 21;\n@%p1 bra L;\nret;");
    uint64_t delayed[2];
    for (unsigned i = 0; i < 4; i++) {
        struct device d;
        open_kernel(&d, "gtx480", i % 2 ? BOWS "sm.schedulers=1 spin.delay=2000" : BOWS "sm.schedulers=1 spin.delay=1000",
                    kernel);
        uint64_t p = device_buffer(&d, 64);
        device_run(&d, "k", (struct shape){.grid = 1, .block = 32, .every_cycle = i / 2}, p, 0);
        delayed[i % 2] = device_stat(&d, "spin", "delayed_cycles");
        assert_int_equal(device_stat(&d, "spin", "backoffs"), 20);
        assert_int_equal(device_stat(&d, "stalls", "backoff"), delayed[i % 2]);
        assert_true(device_stat(&d, "spin", "backed_off_cycles") >= delayed[i % 2] + 20); /* those that it issues in */
        device_close(&d);
    }
    assert_int_equal(delayed[1] - delayed[0], 19 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delayed_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
