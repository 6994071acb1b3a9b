/* Warps of the launch that is held. */
#include <string.h>

#include "gpu/held.h"
#include "library/library.h"

static int no_warp(struct lockstep_device *d, uint32_t sm, uint32_t slot)
{
    return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "there is no warp in slot %u of SM %u", slot, sm);
}

int lockstep_warp(struct lockstep_device *d, uint32_t sm, uint32_t slot, struct lockstep_warp *to)
{
    struct gpu_held_warp held;
    int code = library_need_held(d, "lockstep_warp");
    if (code)
        return code;
    if (!gpu_held_warp(d->gpu, sm, slot, &held))
        return no_warp(d, sm, slot);
    struct lockstep_warp warp = {.finished = held.finished,
                                 .in_block = held.index,
                                 .pc = held.pc,
                                 .turn = held.lanes,
                                 .live = held.live,
                                 .cause = held.cause};
    memcpy(warp.block, held.block, sizeof warp.block);
    return library_give(d, to, &warp, sizeof warp, "lockstep_warp");
}

/* The function that a lane is in; NULL: *code says what is wrong. */
static const struct isa_function *function_of(struct lockstep_device *d, uint32_t sm, uint32_t slot, uint32_t lane,
                                              const char *what, uint32_t *pc, int *code)
{
    *code = library_need_held(d, what);
    if (*code)
        return NULL;
    const struct isa_function *f = gpu_held_function(d->gpu, sm, slot, lane, pc);
    if (!f)
        *code = library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "lane %u of slot %u of SM %u: it has no thread now", lane,
                              slot, sm);
    return f;
}

int lockstep_lane_pc(struct lockstep_device *d, uint32_t sm, uint32_t slot, uint32_t lane, uint32_t *pc)
{
    int code;
    function_of(d, sm, slot, lane, "lockstep_lane_pc", pc, &code);
    return code;
}

/* True: the function is of a module whose registers share no places. */
static bool keeps_registers(const struct lockstep_device *d, const struct isa_function *f)
{
    for (const struct lockstep_module *m = d->modules; m; m = m->next) {
        const struct isa_module *code = gpu_module_code(m->module);
        if (f >= code->functions && f < code->functions + code->function_count)
            return m->keeps_registers;
    }
    return false;
}

static const struct isa_reg *find_register(const struct isa_function *f, const char *name)
{
    for (uint32_t i = 0; i < f->reg_count; i++)
        if (!strcmp(f->regs[i].name, name))
            return &f->regs[i];
    return NULL;
}

int lockstep_register(struct lockstep_device *d, uint32_t sm, uint32_t slot, uint32_t lane, const char *name,
                      uint64_t *value)
{
    int code;
    uint32_t pc;
    const struct isa_function *f = function_of(d, sm, slot, lane, "lockstep_register", &pc, &code);
    if (!f)
        return code;
    if (!keeps_registers(d, f))
        return library_wrong(d, LOCKSTEP_ERROR_STATE, "lockstep_load(..., LOCKSTEP_KEEP_REGISTERS, ...)",
                             "registers of %s share places, so that their values do not last", f->name);
    const struct isa_reg *reg = find_register(f, name);
    if (!reg || isa_type_bits(reg->type) > 64)
        return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "%s has no register %s%s", f->name, name,
                             reg ? " of 64 bits at most" : "");
    *value = gpu_held_register(d->gpu, sm, slot, lane, reg);
    return LOCKSTEP_OK;
}

int lockstep_read_shared(struct lockstep_device *d, uint32_t sm, uint32_t slot, void *to, uint64_t offset,
                         uint64_t bytes)
{
    uint64_t size;
    int code = library_need_held(d, "lockstep_read_shared");
    if (code)
        return code;
    const char *shared = gpu_held_shared(d->gpu, sm, slot, &size);
    if (!shared)
        return no_warp(d, sm, slot);
    if (offset > size || bytes > size - offset)
        return library_wrong(d, LOCKSTEP_ERROR_INVALID, NULL, "the block has %llu bytes of shared memory",
                             (unsigned long long)size);
    memcpy(to, shared + offset, bytes);
    return LOCKSTEP_OK;
}
