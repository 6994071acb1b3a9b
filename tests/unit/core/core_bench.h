/* Cores with nothing around them: their warp table, pool of ops and agenda are real, the SM is a test. */
#ifndef LOCKSTEP_TESTS_CORE_BENCH_H
#define LOCKSTEP_TESTS_CORE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/hash.h"
#include "core/core.h"
#include "core/issuing.h"

#define BENCH_WORDS 2 /* of a scoreboard */

struct core_bench {
    struct agenda agenda;
    struct warp_table warp;
    struct core_ops ops;
    struct core_views views;
    struct core_line line;
    struct sm_params params;
    struct arena arena;
    struct sm_shared shared;
    struct core *core; /* params.cores of them */
    bool stopped;
    uint64_t seed, drawn;
    uint64_t boards[WARP_SLOTS * 3 * BENCH_WORDS];
};

/* A number below `below`: the next one of the bench's stream. */
static inline uint32_t bench_draw(struct core_bench *b, uint32_t below)
{
    return (uint32_t)((random_at(b->seed, b->drawn++) >> 16) % below);
}
/* A number from `least` to `most`. */
static inline uint32_t bench_between(struct core_bench *b, uint32_t least, uint32_t most)
{
    return least + bench_draw(b, most - least + 1);
}

/* Parameters as the tables have them: the test changes some before it calls bench_open. */
static inline void bench_begin(struct core_bench *b, uint64_t seed)
{
    memset(b, 0, sizeof *b);
    b->seed = seed;
    arena_init(&b->arena);
    core_ops_init(&b->ops);
    param_defaults(&(struct param_group){.params = sm_param_descs, .count = sm_param_count, .values = &b->params}, 1);
}

/* Units, collectors, ports and pipeline registers of every class: few, so that each is often used up. */
static inline void bench_vary_units(struct core_bench *b)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    b->params.id_oc_##name = bench_between(b, 1, 4);                                                                   \
    b->params.oc_ex_##name = bench_between(b, 1, 3);                                                                   \
    b->params.collectors_##name = bench_between(b, 1, bench_draw(b, 4) ? 4 : 32);                                      \
    b->params.ports_##name = bench_between(b, 1, 3);                                                                   \
    UNIT_RESULT_IF_##side(b->params.name##_units = bench_between(b, 1, 3);)
#define UNIT_DIRECT(name, ...)                                                                                         \
    b->params.id_oc_##name = bench_between(b, 1, 4);                                                                   \
    b->params.name##_units = bench_between(b, 1, 3);
#include "warp/units.def"
#undef UNIT
}

/* Gives the rooms what an SM's rooms share. The test is the SM around them. */
static inline void bench_share(struct core_bench *b, void *sm)
{
    b->shared = (struct sm_shared){
        .sm = sm,
        .params = &b->params,
        .agenda = &b->agenda,
        .warp = &b->warp,
        .ops = &b->ops,
        .line = b->params.cores > 1 && b->params.memory_in_order ? &b->line : NULL,
        .views = &b->views,
    };
}

/* Makes the cores and begins a launch of these instructions in cycle 0. longest: the latency of the slowest. */
static inline void bench_open(struct core_bench *b, const struct lockstep_scheduler *policy,
                              const struct core_port *port, void *sm, const struct decoded_instr *program,
                              uint32_t longest, bool reads_rows)
{
    bench_share(b, sm);
    struct core_setup setup = {
        .shared = &b->shared,
        .count = b->params.cores,
        .policy = policy,
        .port = port,
        .stopped = &b->stopped,
        .arena = &b->arena,
    };
    const struct lockstep_scheduler_setup begin = {.count = core_schedulers(&b->params)};
    warp_lend(&b->warp, b->params.warps, b->boards, BENCH_WORDS);
    warp_begin(&b->warp, program, BENCH_WORDS, mask_low(b->params.warps), 0);
    b->core = ARENA_NEW(&b->arena, struct core, setup.count);
    for (; setup.number < setup.count; setup.number++) {
        core_init(&b->core[setup.number], &setup, &b->arena);
        core_begin(&b->core[setup.number], &begin, longest, reads_rows);
    }
}

static inline void bench_close(struct core_bench *b)
{
    core_ops_free(&b->ops);
    arena_free(&b->arena);
}

/* A policy for tests of what does not issue. */
static inline void bench_policy_reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    (void)state;
    (void)setup;
}
static const struct lockstep_scheduler bench_no_policy = {.name = "none", .reset = bench_policy_reset};

/* The name of a class, for messages. */
static inline const char *bench_unit_name(unsigned unit)
{
    static const char *const names[] = {
#define UNIT(name, takes, side, ...) #name,
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    };
    return names[unit];
}

static inline void bench_expect_whole(const struct core_bench *b, const struct check *c)
{
    if (c->wrong)
        fail_msg("seed %llu, cycle %llu: %s[%u] is %llu and should be %llu", (unsigned long long)b->seed,
                 (unsigned long long)b->agenda.now, c->wrong, c->at, (unsigned long long)c->kept,
                 (unsigned long long)c->should_be);
}

/* Everything that the cores keep agrees with what it follows from. */
static inline void bench_check_cores(struct core_bench *b)
{
    for (unsigned i = 0; i < b->params.cores; i++) {
        struct check c;
        check_init(&c);
        check_of(&c, "core", i);
        core_check(&b->core[i], &c);
        bench_expect_whole(b, &c);
    }
}

/* The banks that a result is written to in the present cycle. */
static inline uint64_t bench_written(const struct core *core)
{
    return core->collect.written_in == core->agenda->now ? core->collect.written : 0;
}

#endif
