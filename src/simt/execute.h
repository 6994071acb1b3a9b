/* Shared by the files of instruction execution; nothing outside room simt includes this. */
#ifndef LOCKSTEP_SIMT_EXECUTE_H
#define LOCKSTEP_SIMT_EXECUTE_H

#include "simt/warp.h"

/* A register row of the frame at base. */
static inline void *simt_row(const struct simt_warp *warp, uint32_t base, uint32_t row)
{
    return warp->rows + (size_t)(base + row) * warp->code->width;
}

/* Makes room for register frames up to these sizes; new rows are zero. */
void simt_grow_frame(struct simt_warp *warp, uint32_t rows, uint32_t preds);
/* The row of a source operand; computed ones are written to scratch (SIMT_MAX_WIDTH 64-bit words). NULL for an absent
 * operand. */
const void *simt_source_row(const struct simt_warp *warp, const struct simt_operand *operand,
                            const struct simt_frame *frame, uint64_t cycle, uint64_t *scratch);
uint64_t simt_source_pred(const struct simt_warp *warp, const struct simt_pred *pred, const struct simt_frame *frame);
void simt_write_pred(struct simt_warp *warp, const struct simt_pred *pred, const struct simt_frame *frame,
                     uint64_t mask, uint64_t value);
/* special.c: a special register in every lane. */
const void *simt_special_row(const struct simt_warp *warp, uint32_t sreg, bool wide, uint64_t cycle,
                             uint32_t local_base, uint64_t *scratch);
/* exchange.c: vote, shfl, match, redux, activemask, elect, bar.warp.sync, in the lanes of r->mask, which are not none.
 * PLAIN, UNSYNCED or FAULTED. */
enum simt_event simt_warp_op(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r);
/* memory.c */
enum simt_event simt_memory(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            struct simt_access *access, struct simt_result *r);
/* access.c: an access served from the block's shared memory or the thread's local memory. `lanes` are those of its mask
 * that go there. */
void simt_serve_shared(struct simt_warp *warp, struct simt_access *access, uint64_t lanes);
void simt_serve_local(struct simt_warp *warp, struct simt_access *access, uint64_t lanes);
/* Copies what a store writes and an atomic operates with from the registers to the access's data. */
void simt_gather(const struct simt_warp *warp, const struct simt_op *op, const struct simt_frame *frame, uint64_t cycle,
                 struct simt_access *access);
/* lock.c: an instruction of locks or semaphores asks for its words, or gives them back. MEMORY; JUMP: lanes that do not
 * take part went their way, and the others come again; PLAIN: nobody takes part; FAULTED. */
enum simt_event simt_lock(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r);
/* The operands of an atomic that its text does not name. */
void simt_lock_operands(const struct simt_warp *warp, struct simt_access *access);
/* An atomic of a lock brought its old value. */
void simt_lock_lane(struct simt_warp *warp, const struct simt_access *access, unsigned lane, uint64_t old);
/* call.c */
enum simt_event simt_call(struct simt_warp *warp, const struct simt_op *op, struct simt_result *r);
bool simt_in_kernel(const struct simt_warp *warp);
/* Copies the returning lanes' results from the callee's frame to the caller's. */
void simt_return_values(struct simt_warp *warp, uint64_t mask);
/* printf.c: services of the device for the declared functions. */
enum simt_event simt_intrinsic(struct simt_warp *warp, const struct isa_function *callee, const struct isa_call *call,
                               struct simt_result *r);

#endif
