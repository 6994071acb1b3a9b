/* What the tests of the device share: a machine with settings, a module from PTX text, buffers, launches whose kernel
 * parameters are all .u64, and the diagnostics as text. */
#ifndef LOCKSTEP_TESTS_GPU_SUPPORT_H
#define LOCKSTEP_TESTS_GPU_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "gpu/gpu.h"
#include "ptx/ptx.h"

#define PTX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
/* Registers of all kinds, for the text of a kernel or function. */
#define PTX_REGS                                                                                                       \
    ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .b64 %rd<16>; .reg .f64 %d<8>; .reg .b128 %rq<4>;\n"
/* A kernel with two parameters: a buffer and a number. */
#define PTX_KERNEL(name, body) ".visible .entry " name "(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS body "\n}\n"
/* %rd1 = p, %r1 = n, %r2 = tid.x, %r5 = global thread number, %rd2 = p + 4 * %r5: nine instructions. */
#define PTX_BEGIN                                                                                                      \
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [n]; cvt.u32.u64 %r1, %rd3;\n"                                         \
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;\n"               \
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd1, %rd2;\n"

struct device {
    struct machine machine;
    struct gpu *gpu;
    struct gpu_module *module;
    struct diag_sink sink;
    struct gpu_result result; /* of the last launch */
    struct strbuf text;       /* its diagnostics */
};

static inline const char *device_messages(struct device *d)
{
    strbuf_free(&d->text);
    d->text = (struct strbuf){0};
    diag_format_all(&d->sink, &d->text);
    return strbuf_text(&d->text);
}

/* settings: "group.parameter=value" strings separated by blanks; NULL: none. */
static inline void device_open(struct device *d, const char *machine, const char *settings)
{
    *d = (struct device){0};
    diag_init(&d->sink);
    int rc = machine_load(&d->machine, machine, &d->sink);
    char *copy = strdup(settings ? settings : ""), *save;
    for (char *s = strtok_r(copy, " ", &save); !rc && s; s = strtok_r(NULL, " ", &save))
        rc = machine_set(&d->machine, s, &d->sink);
    free(copy);
    if (!rc)
        d->gpu = gpu_create(&d->machine, &d->sink);
    if (!d->gpu)
        fail_msg("%s", device_messages(d));
}

static inline void device_load(struct device *d, const char *text)
{
    const struct ptx_options options = {.budget = gpu_budget(&d->machine)};
    struct isa_module *code = ptx_load("test.ptx", text, strlen(text), &options, &d->sink);
    d->module = code ? gpu_load(d->gpu, code, &d->sink) : NULL;
    if (!d->module)
        fail_msg("%s", device_messages(d));
}

static inline void device_close(struct device *d)
{
    gpu_result_free(&d->result);
    gpu_destroy(d->gpu);
    machine_free(&d->machine);
    diag_free(&d->sink);
    strbuf_free(&d->text);
}

static inline uint64_t device_buffer(struct device *d, uint64_t bytes)
{
    uint64_t address = gpu_malloc(d->gpu, bytes);
    assert_true(address != 0);
    assert_int_equal(gpu_fill(d->gpu, address, 0, bytes, &d->sink), 0);
    return address;
}

struct shape {
    uint32_t grid, block;
    uint64_t dynamic_shared, max_cycles;
    enum gpu_mode mode;
    unsigned threads; /* of the host */
    bool every_cycle, check_sync;
    const struct simt_divergence *divergence;
};

/* Launches with up to 8 .u64 parameters. Returns the status; the result and the diagnostics stay in the device. */
static inline enum gpu_status device_try(struct device *d, const char *kernel, struct shape shape, unsigned count,
                                         const uint64_t *params)
{
    const struct isa_function *function = gpu_kernel(d->module, kernel);
    assert_non_null(function);
    assert_int_equal(function->param_bytes, 8 * count);
    struct gpu_launch launch = {
        .module = d->module,
        .kernel = function,
        .grid = {shape.grid, 1, 1},
        .block = {shape.block, 1, 1},
        .dynamic_shared = shape.dynamic_shared,
        .params = params,
        .mode = shape.mode,
        .max_cycles = shape.max_cycles,
        .threads = shape.threads,
        .every_cycle = shape.every_cycle,
        .check_sync = shape.check_sync,
        .divergence = shape.divergence,
    };
    gpu_result_free(&d->result);
    diag_free(&d->sink);
    diag_init(&d->sink);
    int rc = gpu_launch(d->gpu, &launch, &d->result, &d->sink);
    assert_int_equal(rc, d->result.status == GPU_OK ? 0 : -1);
    device_messages(d);
    return d->result.status;
}

/* The same for kernels of two parameters that must end well. */
static inline void device_run(struct device *d, const char *kernel, struct shape shape, uint64_t p, uint64_t n)
{
    uint64_t params[] = {p, n};
    enum gpu_status status = device_try(d, kernel, shape, 2, params);
    if (status != GPU_OK)
        fail_msg("%s: %s\n%s", kernel, gpu_status_name(status), strbuf_text(&d->text));
}

static inline void device_read(struct device *d, void *to, uint64_t address, uint64_t bytes)
{
    assert_int_equal(gpu_read(d->gpu, to, address, bytes, &d->sink), 0);
}

static inline uint32_t device_word(struct device *d, uint64_t address)
{
    uint32_t value;
    device_read(d, &value, address, 4);
    return value;
}

/* A statistic of the last launch by group and name. */
static inline uint64_t device_stat(const struct device *d, const char *group, const char *name)
{
    unsigned count;
    const struct gpu_stat_set *sets = gpu_result_sets(&d->result, &count);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sets[i].group->count && !strcmp(sets[i].group->name, group); k++)
            if (!strcmp(sets[i].group->stats[k].name, name))
                return stat_value(&sets[i].group->stats[k], sets[i].values);
    fail_msg("there is no statistic %s.%s", group, name);
    return 0;
}

/* Every statistic of a result and its cycles, one line each. */
static inline void device_all_stats(const struct gpu_result *result, struct strbuf *out)
{
    unsigned count;
    const struct gpu_stat_set *sets = gpu_result_sets(result, &count);
    strbuf_addf(out, "cycles %llu\n", (unsigned long long)result->cycles);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sets[i].group->count; k++)
            strbuf_addf(out, "%s.%s %llu\n", sets[i].group->name, sets[i].group->stats[k].name,
                        (unsigned long long)stat_value(&sets[i].group->stats[k], sets[i].values));
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

#endif
