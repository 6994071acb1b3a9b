/* Shared by the files of instructions that lanes of a warp execute together: exchange.c, gather.c, unsynced.c.
 *
 * To a program a warp has 32 lanes (PTX ISA, "WARP_SZ"; CUDA's warpSize). In a machine's warp of 64 lanes each half is
 * a warp of its own to the program: bit i of a member mask names lane i of the half in which the lane is that gives the
 * mask, and nothing is exchanged between halves. */
#ifndef LOCKSTEP_SIMT_EXCHANGE_H
#define LOCKSTEP_SIMT_EXCHANGE_H

#include "base/bits.h"
#include "simt/execute.h"

/* The member masks of a .sync instruction. */
struct simt_members {
    const uint32_t *row; /* each lane's mask; NULL: the instruction has none, which names every lane of the half */
    bool same;           /* all executing lanes have the same one */
};

/* The instructions of all lanes that execute theirs together, as if they were one. */
struct simt_exchange {
    const struct isa_instr *instr; /* of the path that has the turn; the others have the same qualifiers */
    uint64_t lanes;
    const void *src[4]; /* rows of its sources, predicates aside; NULL: it has no such source */
    uint64_t pred;      /* lanes whose predicate source is true */
    bool wide;          /* src[0] has 64 bits */
    struct simt_members members;
    uint64_t scratch[4][SIMT_MAX_WIDTH];
};

/* The half of a warp in which a lane is. */
static inline uint64_t simt_half(unsigned lane)
{
    return mask_low(ISA_WARP_SZ) << (lane & ISA_WARP_SZ);
}

/* All lanes of the halves in which lanes are. */
static inline uint64_t simt_halves(uint64_t lanes)
{
    uint64_t low = simt_half(0), high = simt_half(ISA_WARP_SZ);
    return (lanes & low ? low : 0) | (lanes & high ? high : 0);
}

/* The lanes that a lane's mask names. */
static inline uint64_t simt_named_by(const struct simt_members *m, unsigned lane)
{
    return (uint64_t)(m->row ? m->row[lane] : UINT32_MAX) << (lane & ISA_WARP_SZ);
}

/* The lanes of `lanes` that are in the half of the first of them, and have its mask. */
uint64_t simt_of_one_mask(const struct simt_members *m, uint64_t lanes);
/* Reads the member masks of an instruction that lanes of mask are to execute, in a frame. Uses scratch (SIMT_MAX_WIDTH
 * words). */
struct simt_members simt_members_of(const struct simt_warp *warp, const struct simt_op *op,
                                    const struct simt_frame *frame, uint64_t mask, uint64_t cycle, uint64_t *scratch);
/* gather.c: r->mask, which is not none, came to the instruction. PLAIN: all lanes that have to be there are, those of
 * r->mask here and others as met says. JUMP: they wait, and have not executed it. FAULTED: they would wait for ever. */
enum simt_event simt_gather_warp(struct simt_warp *warp, const struct simt_op *op, uint64_t cycle,
                                 struct simt_result *r, struct simt_met *met);
/* unsynced.c: compares masks with the lanes that execute; notes lanes of a shuffle that read others which do not. */
void simt_compare_masks(const struct simt_warp *warp, const struct simt_exchange *x, struct simt_unsynced *unsynced);
/* skips.c: of the missing lanes of a warp, whose others are at the barrier `pc`, those that pass by it. */
uint64_t simt_skipping(const struct simt_warp *warp, uint64_t missing, uint32_t pc);
/* The unsynced instruction as a fault. */
enum simt_event simt_fault_unsynced(struct simt_result *r);
void simt_note_source(uint64_t readers, uint64_t sources, struct simt_unsynced *unsynced);

#endif
