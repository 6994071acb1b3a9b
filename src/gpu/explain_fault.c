/* Explains a launch that faults: what a thread did wrong, and where; or what its warp scheduler did. */
#include <string.h>

#include "gpu/waits.h"

static enum gpu_fault fault_class(uint8_t kind)
{
    switch (kind) {
    case SIMT_FAULT_BOUNDS:
    case SIMT_FAULT_READ_ONLY:
    case SIMT_FAULT_IMAGE:
    case SIMT_FAULT_CLUSTER:
        return GPU_FAULT_ADDRESS;
    case SIMT_FAULT_MISALIGNED:
        return GPU_FAULT_ALIGNMENT;
    case SIMT_FAULT_ASSERT:
        return GPU_FAULT_ASSERT;
    case SIMT_FAULT_TRAP:
        return GPU_FAULT_TRAP;
    case SIMT_FAULT_STACK:
        return GPU_FAULT_STACK;
    default:
        return GPU_FAULT_INSTRUCTION;
    }
}

static void explain_bad_pick(struct gpu_run *run, const struct sm_fault *fault)
{
    const char *name = run->gpu->scheduler.policy->name;
    run->result->fault = GPU_FAULT_INSTRUCTION;
    diag_error(run->sink, DIAG_NOWHERE, "pick() must return a member of view->ready, or LOCKSTEP_NO_WARP",
               "the warp scheduler %s is at fault: it picked warp slot %u, which was not ready\n"
               "  SM %u, scheduler %u, kernel %s, cycle %llu",
               name, fault->picked, fault->sm, fault->scheduler, run->name,
               (unsigned long long)(fault->cycle - run->start_cycle));
}

/* A grid barrier of a kernel that was not launched cooperatively finds no workspace: it stops by a trap, or counts at
 * an address next to 0. A hint when that may be what happened, else NULL. */
static const char *missing_workspace(const struct gpu_run *run, const struct simt_fault *fault)
{
    const struct isa_module *code = run->launch->module->code;
    bool near_zero = fault->kind == SIMT_FAULT_BOUNDS && fault->address < WORKSPACE_BYTES;
    bool stopped = fault->kind == SIMT_FAULT_TRAP || fault->kind == SIMT_FAULT_ASSERT;
    if (run->launch->cooperative || !(near_zero || stopped))
        return NULL;
    for (uint32_t i = 0; i < code->instr_count; i++)
        for (unsigned k = 0; k < code->instrs[i].src_count; k++) {
            const struct isa_operand *source = &code->instrs[i].src[k];
            if (source->kind == ISA_OPERAND_SREG &&
                (source->reg == ISA_SREG_ENVREG1 || source->reg == ISA_SREG_ENVREG2))
                return "a grid barrier (grid.sync()) needs a cooperative launch: cudaLaunchCooperativeKernel, or "
                       "`cooperative: true` in a launch file";
        }
    return NULL;
}

void gpu_add_fault_place(const struct gpu_run *run, const struct simt_fault *fault, struct strbuf *out)
{
    const struct isa_module *code = run->launch->module->code;
    struct strbuf place = {0};
    bool shared = fault->space == ISA_SPACE_SHARED, known = false;
    bool global = fault->space == ISA_SPACE_GLOBAL || fault->space == ISA_SPACE_CONST;
    bool inside = fault->kind == SIMT_FAULT_MISALIGNED || fault->kind == SIMT_FAULT_READ_ONLY;
    if (inside || fault->kind == SIMT_FAULT_BOUNDS)
        known = shared ? gpu_add_shared_place(&run->grid, fault->address, &place)
                       : global && gpu_add_place(run->gpu, code, fault->address, &place);
    if (known)
        strbuf_addf(out, inside ? ", in %s" : ", across the end of what begins in %s", strbuf_text(&place));
    else if (fault->kind == SIMT_FAULT_BOUNDS &&
             (shared ? gpu_add_nearest_shared(&run->grid, fault->address, &place)
                     : global && gpu_add_nearest(run->gpu, code, fault->address, &place)))
        strbuf_addf(out, ": %s", strbuf_text(&place));
    place.length = 0;
    if (fault->kind == SIMT_FAULT_READ_ONLY && gpu_add_former(run->gpu, fault->address, &place))
        strbuf_addf(out, ", in the place of %s", strbuf_text(&place));
    else if (fault->kind == SIMT_FAULT_READ_ONLY && gpu_address_of_parameters(run->gpu, fault->address) &&
             gpu_add_behind(run->gpu, fault->address, &place))
        strbuf_addf(out, ", %s", strbuf_text(&place));
    strbuf_free(&place);
}

/* The calls that the thread is in, if it is still in the function of the instruction that faulted. */
static void add_callers(const struct sm_fault *fault, struct strbuf *out)
{
    const struct simt_warp *warp = fault->executing;
    const struct isa_module *code = warp->code->module;
    struct simt_walk walk = simt_walk(&warp->paths);
    while (simt_walk_next(&walk))
        if (mask_has(walk.lanes, fault->lane)) {
            if (&code->functions[walk.path->frame.function] == isa_function_at(code, fault->fault.pc))
                waits_add_callers(warp, walk.path, "\n  called", out);
            return;
        }
}

void gpu_explain_fault(struct gpu_run *run, const struct sm_fault *fault)
{
    if (fault->by_scheduler) {
        explain_bad_pick(run, fault);
        return;
    }
    const struct isa_module *code = run->launch->module->code;
    const struct isa_instr *instr = &code->instrs[fault->fault.pc];
    const uint32_t *size = run->launch->block;
    uint32_t thread = fault->warp * run->gpu->machine.sm.warp_size + fault->fault.lane;
    struct strbuf what = {0}, at = {0}, text = {0};
    simt_fault_describe(&fault->fault, &what);
    gpu_add_fault_place(run, &fault->fault, &what);
    waits_pos(code, fault->fault.pc, &at);
    if (fault->fault.taken) {
        strbuf_add(&what, "\n  taken at ");
        waits_pos(code, fault->fault.taken - 1, &what);
    }
    isa_disasm_instr(code, isa_function_at(code, fault->fault.pc), instr, &text);
    add_callers(fault, &text);
    run->result->fault = fault_class(fault->fault.kind);
    diag_error(run->sink, (struct diag_pos){code->name, instr->line, instr->column},
               missing_workspace(run, &fault->fault),
               "kernel %s: %s\n  at %s: %s\n  block (%u,%u,%u) thread (%u,%u,%u), cycle %llu", run->name,
               strbuf_text(&what), strbuf_text(&at), strbuf_text(&text), fault->block[0], fault->block[1],
               fault->block[2], thread % size[0], thread / size[0] % size[1], thread / (size[0] * size[1]),
               (unsigned long long)(fault->cycle - (run->launch->mode == GPU_TIMING ? run->start_cycle : 0)));
    strbuf_free(&what);
    strbuf_free(&at);
    strbuf_free(&text);
}
