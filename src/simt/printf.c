/* Declared functions that the device provides: vprintf, malloc, free, __assertfail. Arguments arrive in the caller's
 * .param variables, one copy per lane. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "simt/execute.h"

#define STRING_LIMIT 4096 /* longest string that printf or assert reads */

static uint64_t argument(struct simt_warp *warp, const struct isa_call *call, unsigned index, unsigned lane)
{
    uint64_t value = 0;
    if (index < call->arg_count)
        simt_local_read(warp, lane, warp->paths.now->frame.local_base + (uint64_t)call->args[index].offset, &value,
                        call->args[index].bytes < 8 ? call->args[index].bytes : 8);
    return value;
}

static void set_result(struct simt_warp *warp, const struct isa_call *call, unsigned lane, uint64_t value)
{
    if (call->result_count)
        simt_local_write(warp, lane, warp->paths.now->frame.local_base + (uint64_t)call->results[0].offset, &value,
                         call->results[0].bytes < 8 ? call->results[0].bytes : 8);
}

/* Reads memory at a generic address as one lane sees it. */
static bool read_generic(struct simt_warp *warp, unsigned lane, uint64_t address, void *to, uint64_t bytes)
{
    const struct simt_block *block = warp->block;
    if (address - LANE_LOCAL_WINDOW < LANE_WINDOW_BYTES)
        return simt_local_read(warp, lane, address - LANE_LOCAL_WINDOW, to, (unsigned)bytes);
    if (address - LANE_SHARED_WINDOW < LANE_WINDOW_BYTES) {
        uint64_t offset = address - LANE_SHARED_WINDOW;
        if (offset > block->shared_bytes || bytes > block->shared_bytes - offset)
            return false;
        memcpy(to, block->shared + offset, bytes);
        return true;
    }
    return block->grid->services->read(block->grid->services->context, address, to, bytes);
}

static bool read_string(struct simt_warp *warp, unsigned lane, uint64_t address, struct strbuf *to)
{
    for (unsigned i = 0; i < STRING_LIMIT; i++) {
        char c;
        if (!read_generic(warp, lane, address + i, &c, 1))
            return false;
        if (!c)
            break;
        strbuf_addn(to, &c, 1);
    }
    strbuf_addn(to, "", 0);
    return true;
}

struct print_context {
    struct simt_warp *warp;
    unsigned lane;
    uint64_t arguments; /* generic address of the packed buffer */
};

static bool print_read(void *context, uint64_t offset, void *to, unsigned bytes)
{
    struct print_context *p = context;
    return read_generic(p->warp, p->lane, p->arguments + offset, to, bytes);
}

static bool print_read_string(void *context, uint64_t address, struct strbuf *to)
{
    struct print_context *p = context;
    return read_string(p->warp, p->lane, address, to);
}

static void print_lane(struct simt_warp *warp, const struct isa_call *call, unsigned lane)
{
    const struct simt_services *services = warp->block->grid->services;
    struct print_context context = {warp, lane, argument(warp, call, 1, lane)};
    struct strbuf format = {0}, text = {0};
    uint64_t address = argument(warp, call, 0, lane);
    int parsed = address ? -2 : -1; /* CUDA's guide, "Formatted Output": an internal error; no format */
    if (address && read_string(warp, lane, address, &format)) {
        parsed = (int)simt_printf(&text, strbuf_text(&format), print_read, print_read_string, &context);
        services->output(services->context, strbuf_text(&text), text.length);
    }
    set_result(warp, call, lane, (uint32_t)parsed);
    strbuf_free(&format);
    strbuf_free(&text);
}

static enum simt_event assert_fault(struct simt_warp *warp, const struct isa_call *call, struct simt_result *r)
{
    unsigned lane = mask_first(r->mask);
    struct strbuf text = {0}, file = {0}, function = {0};
    read_string(warp, lane, argument(warp, call, 0, lane), &text);
    read_string(warp, lane, argument(warp, call, 1, lane), &file);
    read_string(warp, lane, argument(warp, call, 3, lane), &function);
    r->fault = (struct simt_fault){.kind = SIMT_FAULT_ASSERT, .lane = (uint8_t)lane};
    snprintf(r->fault.message, sizeof r->fault.message, "%s:%u: %s: assertion `%s' failed", strbuf_text(&file),
             (unsigned)argument(warp, call, 2, lane), strbuf_text(&function), strbuf_text(&text));
    strbuf_free(&text);
    strbuf_free(&file);
    strbuf_free(&function);
    return SIMT_FAULTED;
}

enum simt_event simt_intrinsic(struct simt_warp *warp, const struct isa_function *callee, const struct isa_call *call,
                               struct simt_result *r)
{
    const struct simt_services *services = warp->block->grid->services;
    if (callee->intrinsic == ISA_INTRINSIC_ASSERTFAIL)
        return assert_fault(warp, call, r);
    for (uint64_t rest = r->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t first = argument(warp, call, 0, lane);
        if (callee->intrinsic == ISA_INTRINSIC_VPRINTF) {
            print_lane(warp, call, lane);
        } else if (callee->intrinsic == ISA_INTRINSIC_MALLOC) {
            set_result(warp, call, lane, services->heap_alloc(services->context, first));
        } else if (first && !services->heap_free(services->context, first)) {
            r->fault = (struct simt_fault){
                .kind = SIMT_FAULT_BOUNDS, .lane = (uint8_t)lane, .space = ISA_SPACE_GLOBAL, .address = first};
            return SIMT_FAULTED;
        }
    }
    return SIMT_PLAIN;
}

void simt_fault_describe(const struct simt_fault *fault, struct strbuf *out)
{
    static const char *const spaces[] = {"generic",   "constant", "global",        "local",
                                         "parameter", "shared",   "shared::cluster"};
    const char *space = fault->space < sizeof spaces / sizeof spaces[0] ? spaces[fault->space] : "memory";
    unsigned long long address = fault->address;
    switch (fault->kind) {
    case SIMT_FAULT_BOUNDS:
        strbuf_addf(out, "access to %s address 0x%llx, which nothing was allocated at", space, address);
        break;
    case SIMT_FAULT_MISALIGNED:
        strbuf_addf(out, "misaligned access to %s address 0x%llx", space, address);
        break;
    case SIMT_FAULT_READ_ONLY:
        strbuf_addf(out, "write to constant memory at address 0x%llx", address);
        break;
    case SIMT_FAULT_TRAP:
        strbuf_add(out, "trap");
        break;
    case SIMT_FAULT_ASSERT:
    case SIMT_FAULT_UNSYNCED:
    case SIMT_FAULT_LOCK:
    case SIMT_FAULT_IMAGE:
    case SIMT_FAULT_MBARRIER:
    case SIMT_FAULT_BULK:
    case SIMT_FAULT_MATRIX:
    case SIMT_FAULT_CLUSTER:
    case SIMT_FAULT_REGISTERS:
        strbuf_add(out, fault->message);
        break;
    case SIMT_FAULT_STACK:
        strbuf_add(out, "a thread's local memory is used up by nested calls (gpu.stack_bytes)");
        break;
    case SIMT_FAULT_CALL:
        strbuf_add(out, "call to an address that is no function, or to a function without a body");
        break;
    case SIMT_FAULT_BARRIER:
        strbuf_addf(out, "barrier number or thread count %llu is out of range", address);
        break;
    default:
        strbuf_add(out, "no fault");
        break;
    }
}
