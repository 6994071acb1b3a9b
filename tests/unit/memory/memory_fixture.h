/* What the memory tests share: parameters with their defaults, by the descriptors alone. */
#ifndef LOCKSTEP_TESTS_MEMORY_FIXTURE_H
#define LOCKSTEP_TESTS_MEMORY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "memory/dram.h"
#include "memory/partition.h"

#define FIXTURE_REQUESTS 1024

/* A channel without a fixed delay. */
static inline struct dram *fixture_dram(const struct dram_params *params, struct arena *arena)
{
    return dram_create(params, 0, FIXTURE_REQUESTS, request_pool_create(FIXTURE_REQUESTS, arena), arena);
}

/* Hands a request to a channel as a partition does: by its number in the pool. */
static inline void fixture_push(struct dram *d, const struct memory_request *request, uint32_t bank, uint32_t row)
{
    uint32_t number = request_take(d->pool);
    d->pool->all[number] = *request;
    d->pool->all[number].bank = (uint8_t)bank;
    d->pool->all[number].row = (uint16_t)row;
    dram_send(d, &d->pool->all[number], number);
}

/* Returns whether a write-back ended. */
static inline bool fixture_drain(struct dram *d, uint64_t cycle)
{
    uint32_t ended = cycle >= d->pipe_at ? dram_drain_pipe(d, cycle) : REQUEST_NONE;
    if (ended != REQUEST_NONE)
        request_release(d->pool, ended);
    return ended != REQUEST_NONE;
}

static inline void fixture_expect_sound(const struct check *c)
{
    if (c->wrong)
        fail_msg("%s: %s[%u] is %llu and should be %llu", c->wrong_unit, c->wrong, c->at, (unsigned long long)c->kept,
                 (unsigned long long)c->should_be);
}

/* What the channel keeps agrees with what it follows from. */
static inline void fixture_check_dram(struct dram *d)
{
    struct check c;
    check_init(&c);
    dram_check(d, &c);
    fixture_expect_sound(&c);
}

/* The same of a partition's caches and channel, at some of the steps: it takes longer than they do. */
static inline void fixture_check_partition(struct partition *p, uint64_t step)
{
    struct check c;
    if (step % 61)
        return;
    check_init(&c);
    partition_check_units(p, &c);
    fixture_expect_sound(&c);
}

/* A whole cycle. */
static inline void fixture_tick(struct dram *d, uint64_t cycle)
{
    dram_run(d, cycle);
    fixture_drain(d, cycle);
    dram_finish(d);
    fixture_check_dram(d);
}

/* The oldest finished request of a channel, or NULL; fixture_pop takes it out of the channel and of the pool. */
static inline const struct memory_request *fixture_top(const struct dram *d)
{
    return d->finished_count ? &d->pool->all[dram_number(dram_top(d))] : NULL;
}

static inline void fixture_pop(struct dram *d)
{
    uint32_t number = dram_number(dram_top(d));
    dram_pop(d);
    request_release(d->pool, number);
}

static inline void fixture_defaults(const struct param_desc *descs, unsigned count, void *values)
{
    for (unsigned i = 0; i < count; i++) {
        char *at = (char *)values + descs[i].offset;
        uint32_t number = (uint32_t)descs[i].default_value;
        bool truth = descs[i].default_value != 0;
        if (descs[i].type == PARAM_TYPE_BOOL)
            memcpy(at, &truth, sizeof(truth));
        else
            memcpy(at, &number, sizeof(number));
    }
}

static inline struct memory_params fixture_params(void)
{
    struct memory_params p;
    memset(&p, 0, sizeof(p));
    fixture_defaults(partition_param_descs, partition_param_count, &p.partition);
    fixture_defaults(l2_param_descs, l2_param_count, &p.l2);
    fixture_defaults(dram_param_descs, dram_param_count, &p.dram);
    return p;
}

/* The parameters of the gtx480-sm2 machine that differ. */
static inline struct memory_params fixture_sm2(void)
{
    struct memory_params p = fixture_params();
    p.partition.icnt_l2_queue = p.partition.l2_dram_queue = p.partition.dram_l2_queue = p.partition.l2_icnt_queue = 64;
    p.partition.host_copies_fill_l2 = true;
    p.l2.sector_bytes = 32;
    p.l2.write_allocate = CACHE_WRITE_ALLOCATE_LAZY;
    p.l2.mshr_entries = 256;
    p.dram.scheduler_queue = 64;
    p.dram.bank_group_low_bits = true;
    p.dram.row_then_column = true;
    return p;
}

/* The memory side of a GTX 1080 Ti: eleven channels of one chip (atoms of 32 bytes, no bank groups), L2 slices of 128
 * KB with more MSHRs and merges than can be used up. */
static inline struct memory_params fixture_pascal(void)
{
    struct memory_params p = fixture_params();
    p.partition.channels = 11;
    p.partition.address_map = MEMORY_MAP_PASCAL;
    p.l2.ways = 16;
    p.l2.mshr_entries = p.l2.mshr_merges = 1024;
    p.dram.scheduler_queue = 64;
    p.dram.atom_bytes = 32;
    p.dram.bank_groups = 1;
    p.dram.tCCDL = p.dram.tRTPL = 0;
    return p;
}

/* A small generator: the same numbers everywhere. */
static inline uint32_t fixture_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

#endif
