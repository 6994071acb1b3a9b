/* The bookkeeping of a block's registers: see pool.h. */
#include "sm/pool.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bits.h"
#include "simt/execute.h"

void sm_pool_init(struct sm_pool *pool, unsigned warps, uint32_t registers)
{
    *pool = (struct sm_pool){.warps = warps};
    for (unsigned warp = 0; warp < warps; warp++)
        pool->has[warp] = (uint16_t)registers;
}

static void blame(struct simt_fault *fault, const struct simt_result *r, const char *format, ...)
{
    va_list args;
    *fault = (struct simt_fault){.kind = SIMT_FAULT_REGISTERS, .lane = (uint8_t)mask_first(r->mask), .pc = r->pc};
    va_start(args, format);
    vsnprintf(fault->message, sizeof fault->message, format, args);
    va_end(args);
}

static uint32_t line_of(const struct isa_module *code, uint32_t pc)
{
    return code->instrs[pc].line;
}

/* The warps of that warp's group, by index. */
static uint64_t group_of(const struct sm_pool *pool, unsigned warp)
{
    return mask_low(SM_GROUP_WARPS) << warp / SM_GROUP_WARPS * SM_GROUP_WARPS & mask_low(pool->warps);
}

/* The other warps of the group, before the warp executes the n-th setmaxnreg of its own. */
static bool check_others(const struct sm_pool *pool, unsigned warp, uint64_t running, const struct simt_result *r,
                         const struct isa_module *code, struct simt_fault *fault)
{
    uint32_t n = pool->sets[warp] + 1, last = pool->pc[warp / SM_GROUP_WARPS];
    for (uint64_t rest = group_of(pool, warp) & ~BIT64(warp); rest; rest &= rest - 1) {
        unsigned other = mask_first(rest);
        uint32_t done = pool->sets[other] - mask_has(pool->waiting, other);
        if (!mask_has(running, other) && done < n) {
            blame(fault, r, "setmaxnreg is executed by all warps of a warpgroup, and warp %u has ended without it",
                  other);
            return false;
        }
        if (done + 1 < n) {
            blame(fault, r,
                  "warp %u executes setmaxnreg again, and warp %u of its warpgroup has not got past that of line %u: "
                  "between two, the warps of a group wait for each other",
                  warp, other, line_of(code, last));
            return false;
        }
        if (pool->sets[other] >= n && last != r->pc) {
            blame(fault, r,
                  "warp %u executes this setmaxnreg, and warp %u that of line %u: all warps of a warpgroup execute "
                  "the same one",
                  warp, other, line_of(code, last));
            return false;
        }
    }
    return true;
}

static bool check(const struct sm_pool *pool, unsigned warp, uint64_t running, uint64_t live,
                  const struct simt_result *r, const struct isa_module *code, struct simt_fault *fault)
{
    bool more = r->instr->mods.atomic == ISA_ATOMIC_INC;
    uint32_t to = (uint32_t)r->instr->src[0].value, has = pool->has[warp];
    if (live & ~r->mask) {
        struct strbuf lanes = {0};
        simt_add_lanes(&lanes, live & ~r->mask);
        blame(fault, r, "setmaxnreg is executed by all threads of a warp together, here without %s",
              strbuf_text(&lanes));
        strbuf_free(&lanes);
        return false;
    }
    if (more ? to < has : to > has) {
        blame(fault, r, "setmaxnreg%s names %u registers, and warp %u has %u of each thread", more ? ".inc" : ".dec",
              to, warp, has);
        return false;
    }
    return check_others(pool, warp, running, r, code, fault);
}

static bool take(struct sm_pool *pool, unsigned warp, uint32_t to)
{
    uint32_t lacks = to - pool->has[warp];
    if (lacks > pool->free)
        return false;
    pool->free -= lacks;
    pool->has[warp] = (uint16_t)to;
    return true;
}

/* Warps that wait get what is free, the one that asked first before the others. */
static uint64_t serve(struct sm_pool *pool)
{
    uint64_t served = 0, tried = 0;
    while (pool->waiting & ~tried) {
        unsigned first = mask_first(pool->waiting & ~tried);
        for (uint64_t rest = pool->waiting & ~tried; rest; rest &= rest - 1)
            if (pool->turn[mask_first(rest)] - pool->turn[first] > UINT32_MAX / 2)
                first = mask_first(rest);
        tried |= BIT64(first);
        if (take(pool, first, pool->wants[first]))
            served |= BIT64(first);
    }
    pool->waiting &= ~served;
    return served;
}

uint64_t sm_pool_set(struct sm_pool *pool, unsigned warp, uint64_t running, uint64_t live, const struct simt_result *r,
                     const struct isa_module *code, struct simt_fault *fault)
{
    uint32_t to = (uint32_t)r->instr->src[0].value;
    *fault = (struct simt_fault){.kind = SIMT_FAULT_NONE};
    if (!check(pool, warp, running, live, r, code, fault))
        return 0;
    pool->sets[warp]++;
    pool->pc[warp / SM_GROUP_WARPS] = r->pc;
    if (to <= pool->has[warp]) {
        pool->free += pool->has[warp] - to;
        pool->has[warp] = (uint16_t)to;
        return serve(pool);
    }
    if (!take(pool, warp, to)) {
        pool->wants[warp] = (uint16_t)to;
        pool->turn[warp] = pool->asked++;
        pool->waiting |= BIT64(warp);
    }
    return 0;
}

bool sm_pool_ended(const struct sm_pool *pool, unsigned warp, const struct simt_result *r,
                   const struct isa_module *code, struct simt_fault *fault)
{
    uint32_t last = pool->pc[warp / SM_GROUP_WARPS];
    for (uint64_t rest = group_of(pool, warp); rest; rest &= rest - 1)
        if (pool->sets[mask_first(rest)] > pool->sets[warp]) {
            blame(fault, r,
                  "warp %u ends without the setmaxnreg of line %u, which warp %u has executed: all warps of a "
                  "warpgroup execute it",
                  warp, line_of(code, last), mask_first(rest));
            return false;
        }
    return true;
}
