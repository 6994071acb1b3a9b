/* The words that a launch polls while it gets nowhere: those that the loads and atomics of the loops in which its lanes
 * are would read now. When nobody on the device will write one of them, the host still may. */
#include <string.h>

#include "base/hash.h"
#include "gpu/waits.h"

static uint32_t place_of(const struct gpu_polls *polls, uint64_t address)
{
    uint32_t at = hash_place(address / 4) % GPU_POLL_PLACES;
    while (polls->words[at].bytes && polls->words[at].address != address)
        at = (at + 1) % GPU_POLL_PLACES;
    return at;
}

static uint64_t value_at(const struct gpu *gpu, uint64_t address, unsigned bytes)
{
    return hash_short(store_at(&gpu->store, address), bytes);
}

static void add_word(struct gpu_run *run, uint64_t address, unsigned bytes)
{
    struct gpu_polls *polls = run->polls;
    const struct gpu *gpu = run->gpu;
    uint32_t at = place_of(polls, address);
    if (polls->words[at].bytes >= bytes || polls->count >= GPU_POLL_PLACES / 2 ||
        !store_covers(&gpu->store, address, bytes))
        return;
    polls->count += !polls->words[at].bytes;
    polls->words[at] = (struct gpu_poll){address, value_at(gpu, address, bytes), (uint8_t)bytes};
}

static unsigned poll_bytes(const struct isa_instr *instr)
{
    unsigned bytes = isa_type_bits(instr->type) / 8 << instr->mods.vec;
    return bytes < 16 ? bytes : 16;
}

static bool reads_global(const struct isa_instr *instr)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    uint8_t space = instr->mods.space;
    return flags & (ISA_FLAG_LOAD | ISA_FLAG_ATOMIC) && instr->src_count && (!space || space == ISA_SPACE_GLOBAL);
}

/* The shortest loop around an instruction that reads global memory: from the target of a branch back to the branch.
 * Without one, the function when it was called, and may be called in a loop; of a kernel, the instruction. */
static void find_loop(const struct isa_module *code, const struct isa_function *function, uint32_t pc, uint32_t *from,
                      uint32_t *to)
{
    uint32_t end = function->first + function->count, last = ISA_PC_NONE;
    *from = function->is_kernel ? pc : function->first;
    *to = function->is_kernel ? pc + 1 : end;
    bool found = false;
    for (uint32_t i = function->first; i < end; i++) {
        const struct isa_instr *instr = &code->instrs[i];
        last = reads_global(instr) ? i : last;
        bool around = instr->op == ISA_OP_BRA && instr->target <= pc && pc <= i;
        if (around && last != ISA_PC_NONE && last >= instr->target && (!found || i + 1 - instr->target < *to - *from)) {
            *from = instr->target;
            *to = i + 1;
            found = true;
        }
    }
}

static void add_path(struct gpu_run *run, const struct simt_warp *warp, const struct simt_walk *walk)
{
    const struct isa_module *code = warp->block->grid->code->module;
    const struct isa_function *function = isa_function_at(code, walk->path->pc);
    uint32_t from = 0, to = 0;
    if (function)
        find_loop(code, function, walk->path->pc, &from, &to);
    for (uint32_t pc = from; pc < to; pc++) {
        const struct isa_instr *instr = &code->instrs[pc];
        for (uint64_t rest = reads_global(instr) ? walk->lanes : 0; rest; rest &= rest - 1) {
            uint64_t address;
            if (waits_read_operand(warp, &walk->path->frame, &instr->src[0], mask_first(rest), true, &address))
                add_word(run, address, poll_bytes(instr));
        }
    }
}

void gpu_polls_begin(struct gpu_run *run)
{
    if (!run->polls)
        run->polls = ARENA_NEW(&run->arena, struct gpu_polls, 1);
    memset(run->polls, 0, sizeof *run->polls);
}

void gpu_polls_add(struct gpu_run *run, const struct simt_warp *warp)
{
    struct simt_walk walk = simt_walk(&warp->paths);
    while (simt_walk_next(&walk))
        if (walk.lanes && walk.path->pc != ISA_PC_NONE)
            add_path(run, warp, &walk);
}

void gpu_polls_find(struct gpu_run *run)
{
    const struct machine *m = &run->gpu->machine;
    gpu_polls_begin(run);
    for (unsigned i = 0; i < m->gpu.sms * m->sm.warps; i++) {
        struct sm_warp_state w;
        sm_warp_state(run->gpu->sms[i / m->sm.warps], i % m->sm.warps, &w);
        if (w.resident && !w.finished && !waits_for(&w, WAITS_BARRIER))
            gpu_polls_add(run, w.warp);
    }
}

bool gpu_polls_host(const struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    for (unsigned i = 0; l->host_writes && i < GPU_POLL_PLACES; i++)
        if (run->polls->words[i].bytes && l->host_writes(l->context, run->polls->words[i].address))
            return true;
    return false;
}

bool gpu_polls_changed(const struct gpu *gpu)
{
    const struct gpu_polls *polls = gpu->standing ? gpu->standing->polls : NULL;
    for (unsigned i = 0; polls && i < GPU_POLL_PLACES; i++) {
        const struct gpu_poll *w = &polls->words[i];
        if (w->bytes && store_covers(&gpu->store, w->address, w->bytes) &&
            value_at(gpu, w->address, w->bytes) != w->value)
            return true;
    }
    return false;
}
