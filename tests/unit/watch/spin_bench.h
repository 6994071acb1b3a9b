/* Spin detectors and controls through their interfaces: a warp whose registers the test writes, and events of
 * instructions that it has, it says, just executed. */
#ifndef LOCKSTEP_TESTS_SPIN_BENCH_H
#define LOCKSTEP_TESTS_SPIN_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"
#include "config/param.h"
#include "effort.h"
#include "ptx/ptx.h"
#include "simt/warp.h"
#include "watch/spin/spin.h"

#define BENCH_HEAD                                                                                                     \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"                                          \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"

struct bench {
    struct arena arena;
    struct spin_params params;
    struct isa_module *module;
    struct simt_code *code;
    struct simt_grid grid;
    struct simt_block block;
    struct simt_warp warp;
    const struct spin_detector *detector;
    void *state;
    uint64_t cycle;
    struct spin_event event; /* the next one */
};

/* Initial parameters, then `settings`: "spin.NAME=VALUE" separated by blanks. */
static inline void bench_params(struct bench *b, const char *settings)
{
    struct param_group group = {
        .name = "spin", .params = spin_param_descs, .count = spin_param_count, .values = &b->params};
    char *copy = strdup(settings), *save;
    param_defaults(&group, 1);
    for (char *s = strtok_r(copy, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
        char *value = strchr(s, '=');
        struct diag_sink sink;
        *value = 0;
        diag_init(&sink);
        assert_int_equal(param_set(&group, 1, &b->arena, s, value + 1, DIAG_NOWHERE, &sink), 0);
        diag_free(&sink);
    }
    free(copy);
}

static inline void bench_open(struct bench *b, const char *settings, const char *body)
{
    memset(b, 0, sizeof *b);
    arena_init(&b->arena);
    bench_params(b, settings);
    char *text = malloc(sizeof BENCH_HEAD + strlen(body) + 4);
    sprintf(text, "%s%s\n}\n", BENCH_HEAD, body);
    struct diag_sink sink;
    diag_init(&sink);
    b->module = ptx_load("bench.ptx", text, strlen(text), NULL, &sink);
    assert_non_null(b->module);
    diag_free(&sink);
    free(text);
    unsigned unbound;
    b->code = simt_bind(b->module, 32, &b->arena, &unbound);
    b->grid = (struct simt_grid){.code = b->code, .kernel = &b->module->functions[0], .stack_bytes = 1024};
    b->block = (struct simt_block){.grid = &b->grid};
    simt_warp_start(&b->warp, &b->block, 0, 32);
    b->event = (struct spin_event){.active = 0xFFFFFFFF, .mask = 0xFFFFFFFF, .simt = &b->warp};
}

static inline void bench_close(struct bench *b)
{
    free(b->state);
    simt_warp_free(&b->warp);
    isa_module_free(b->module);
    arena_free(&b->arena);
}

static inline void bench_detector(struct bench *b, const char *name, uint32_t branches)
{
    free(b->state);
    b->detector = spin_find_detector(name);
    assert_non_null(b->detector);
    b->state = calloc(1, b->detector->state_bytes(&b->params, branches) + 1);
    b->detector->reset(b->state, &b->params, branches);
}

static inline void bench_register(struct bench *b, const char *name, unsigned lane, uint32_t value)
{
    const struct isa_function *f = &b->module->functions[0];
    for (uint32_t i = 0; i < f->reg_count; i++)
        if (!strcmp(f->regs[i].name, name)) {
            b->warp.rows[f->regs[i].row * 32 + lane] = value;
            return;
        }
    fail_msg("no register %s", name);
}

/* The event as it stands, of instruction pc and backward branch number `branch`, in the next cycle. */
static inline struct spin_event *bench_event(struct bench *b, uint32_t pc, uint32_t branch)
{
    b->event.cycle = ++b->cycle;
    b->event.pc = b->event.relative_pc = pc;
    b->event.branch = branch;
    b->event.instr = &b->module->instrs[pc];
    return &b->event;
}

#endif
