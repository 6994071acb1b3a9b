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
/* Source operand `number` of the instruction in every lane, as 64-bit values, an address with its offset; `absent` where
 * it was not written. */
void simt_operand_values(const struct simt_warp *warp, const struct simt_op *op, unsigned number, uint64_t cycle,
                         uint64_t absent, uint64_t *values);
uint64_t simt_source_pred(const struct simt_warp *warp, const struct simt_pred *pred, const struct simt_frame *frame);
void simt_write_pred(struct simt_warp *warp, const struct simt_pred *pred, const struct simt_frame *frame,
                     uint64_t mask, uint64_t value);
/* special.c: a special register in every lane. */
const void *simt_special_row(const struct simt_warp *warp, uint32_t sreg, bool wide, uint64_t cycle,
                             uint32_t local_base, uint64_t *scratch);
/* exchange.c: vote, shfl, match, redux, activemask, elect, bar.warp.sync, in the lanes of r->mask, which are not none.
 * PLAIN, MET or UNSYNCED, behind which r says who executes it now; JUMP: they wait for others; or FAULTED. */
enum simt_event simt_warp_op(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r);
/* The rule for whole halves of a warp that are at a barrier of the block while no other lanes of the warp can go on:
 * they wait in vain, arrive alone, or let the other half arrive first, which stands at a barrier that opens then. */
enum simt_halves_rule { SIMT_COME_WHOLE, SIMT_COME_BY_HALVES, SIMT_GIVE_WAY };
/* gather.c: the lanes of r->mask, which are not none, came to a barrier of the block, under a divergence model that
 * waits there. PLAIN: those that have to be there are; r says who executes it now. JUMP: they wait, and have not
 * executed it. FAULTED: they would wait for ever. Lanes meet at barriers of the same key; `named` are those that have
 * to come. *arrived: the lanes that are there. */
enum simt_event simt_gather_block(struct simt_warp *warp, uint32_t key, uint64_t named, enum simt_halves_rule rule,
                                  uint64_t cycle, struct simt_result *r, uint64_t *arrived);
/* arrive.c: the lanes of r->mask, which are not none, came to a barrier of the block or the grid. BARRIER: the warp
 * arrives, as r->barrier says, and r->unsynced what is wrong with that; JUMP: they wait for others of their warp;
 * FAULTED. */
enum simt_event simt_arrive(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_result *r);
/* The lanes of a path for which the instruction's guard is true. */
static inline uint64_t simt_guard_mask(const struct simt_warp *warp, const struct isa_instr *instr,
                                       const struct simt_path *path)
{
    if (!instr->guarded)
        return path->mask;
    uint64_t p = warp->preds[path->frame.pred_base + instr->guard];
    return path->mask & (instr->guard_negate ? ~p : p);
}
/* Lanes as people write them: lanes 0-7, 16; as a mask if there are many pieces. */
void simt_add_lanes(struct strbuf *out, uint64_t lanes);
/* memory.c */
enum simt_event simt_memory(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                            struct simt_access *access, struct simt_result *r);
/* Fills in an access with all that does not ask for its addresses. */
void simt_describe_access(const struct simt_op *op, const struct simt_result *r, const struct simt_frame *frame,
                          struct simt_access *access);
/* The addresses of an access's lanes (simt_describe_access has filled it in) from an operand; it is neither gathered nor
 * served. space: the one that they have to lie in; of an instruction that names none, shared memory is found by generic
 * addresses. CLUSTER: shared memory of any block; lanes of others are in access->remote. False: a lane's address is another one, or not aligned (r->fault). */
bool simt_place(struct simt_warp *warp, const struct simt_operand *operand, uint8_t space, struct simt_access *access,
                struct simt_result *r);
/* copy.c: cp.async. MEMORY; PLAIN: no lane reads anything; FAULTED. And what is done with groups: COPIES, or PLAIN. */
enum simt_event simt_copy(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r);
/* send.c: st.async and red.async. MEMORY, performed but for the lanes of access->remote; or FAULTED. */
enum simt_event simt_send(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r);
/* bulk.c: a copy in bulk. BULK: the access says what its lanes ask for. */
enum simt_event simt_bulk(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, struct simt_access *access,
                          struct simt_result *r);
enum simt_event simt_copies(struct simt_warp *warp, const struct simt_op *op, struct simt_result *r);
/* mbarrier_access.c: an operation on mbarrier objects. MEMORY, performed but for what access->waiting waits for; or
 * FAULTED. */
enum simt_event simt_mbarrier(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                              struct simt_access *access, struct simt_result *r);
/* As simt_memory, of some lanes whose addresses are in the access. */
enum simt_event simt_access_at(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle, uint64_t lanes,
                               struct simt_access *access, struct simt_result *r);
/* image.c: reads of textures; accesses to surfaces. MEMORY; PLAIN, when nobody reads memory for it; or FAULTED. */
enum simt_event simt_texture(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                             struct simt_access *access, struct simt_result *r);
enum simt_event simt_surface(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                             struct simt_access *access, struct simt_result *r);
/* access.c: local memory has room for so many words of each lane; new ones are zero. */
void simt_grow_local(struct simt_warp *warp, uint64_t words);
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
/* The bits of these lanes change places. */
static inline void simt_swap_bits(uint64_t *a, uint64_t *b, uint64_t lanes)
{
    uint64_t differ = (*a ^ *b) & lanes;
    *a ^= differ;
    *b ^= differ;
}
/* Swaps the lock state of threads that move from one warp to another. */
void simt_swap_locks(struct simt_warp *a, struct simt_warp *b, uint64_t lanes);
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
