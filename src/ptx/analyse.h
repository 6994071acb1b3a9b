/* Analyses of a parsed function before it can run: control flow, reconvergence points, liveness, registers. Input:
 * function->first/count and the module's instrs with target(s) set as instruction indices, operands with reg set and
 * guarded instructions with guard_reg set (indices into function->regs). */
#ifndef LOCKSTEP_PTX_ANALYSE_H
#define LOCKSTEP_PTX_ANALYSE_H

#include "isa/program.h"
#include "ptx/ptx.h"

/* Basic blocks of one function. Block 0 is the entry; a virtual exit block is `count`. */
struct ptx_block {
    uint32_t first, end;          /* instruction indices [first, end) */
    uint32_t succ_count, pred_count;
    const uint32_t *succ, *pred;  /* block numbers; succ may hold `count`, the exit */
    uint32_t post_dominator;      /* immediate post-dominator: a block number, `count` for exit */
};
struct ptx_cfg {
    uint32_t count;
    struct ptx_block *blocks;
    uint32_t *block_of;           /* by instruction index - function->first */
};

/* Sets never_returns of every function: what stands behind assert(), and whatever must come to it or to a trap. */
void ptx_find_failing(struct isa_module *module);
/* Builds the graph in `scratch`. Guarded exit, ret and trap fall through as well as leave; code that runs off the end
 * leaves. Blocks that cannot reach the exit (endless loops) are given an edge to it, from the last block of each such
 * region, so that everything has a post-dominator. Where something else is possible, ways that end in a trap or in a
 * call of a function that never returns do not count for post-dominators. */
struct ptx_cfg *ptx_cfg_build(const struct isa_module *module, const struct isa_function *function,
                              struct arena *scratch);
/* Sets `reconverge` of every BRA and BRX from the immediate post-dominators. */
void ptx_set_reconvergence(struct isa_module *module, struct isa_function *function, const struct ptx_cfg *cfg);
/* Live ranges of registers and predicates; allocates rows (registers) and predicate indices, writes regs[].row, every
 * operand's row, the guards, function->row_count, pred_count and `registers` (32-bit registers per thread at the point
 * of greatest pressure, at least 4 (a convention), predicates not counted; .maxnreg caps it). Guarded writes do not
 * kill. A register that is live across a call keeps its row (the callee has its own frame). The destination of a load
 * or atomic keeps its row to the next instruction that names it, since its value arrives late; a source and a
 * destination share a row only where an instruction can work in place. Lanes are columns and writes are masked, so the
 * liveness of one thread's path is enough also where a warp diverges. */
void ptx_allocate(struct isa_module *module, struct isa_function *function, const struct ptx_cfg *cfg,
                  const struct ptx_options *options, struct arena *scratch);
/* Finds each function's own `barrier`, which ptx_reach then spreads to callers. */
void ptx_find_barriers(struct isa_module *module);
/* Lists what the scoreboard and the register banks have to know of an instruction whose operands are set. */
void ptx_list_accesses(struct arena *arena, const struct isa_function *function, struct isa_instr *instr);
/* Rewrites functions that need more registers than the options leave them, so that the rest lies in local memory. Every
 * index of an instruction that was found before is void. Comes before all that follows from the code but never_returns. */
void ptx_spill(struct isa_module *module, const struct ptx_options *options);
/* Over the call graph: registers, shared_bytes, shared_align, `outside` and `barrier` of each function become those of
 * everything it can reach (a function whose address is taken counts as reached by every indirect call). Each becomes
 * the greatest value among them (for `outside` the least index): shared_bytes must therefore be set beforehand to the
 * end of the highest shared variable that the function itself names, not to the sum of their sizes. */
void ptx_reach(struct isa_module *module);

#endif
