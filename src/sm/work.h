/* Counts of what instructions do, from which energy is computed: operands, and lanes by kind of operation. They follow
 * from the static instruction and its number of lanes, so decoding prepares them and issue adds a few numbers. */
#ifndef LOCKSTEP_SM_WORK_H
#define LOCKSTEP_SM_WORK_H

#include "sm/sm.h"

enum sm_lane_op {
#define LANE_OP(name, doc) SM_LANE_OP_##name,
#include "sm/lane_ops.def"
#undef LANE_OP
    SM_LANE_OP_NONE
};

/* True: the instruction goes through integer or floating-point issue: everything but control flow, barriers, fences and
 * what does nothing. */
bool sm_is_scheduled(const struct isa_instr *instr);
/* Fills in what sm_count_work adds for an instruction. */
void sm_decode_work(struct decoded_instr *decoded, const struct isa_instr *instr);

/* An instruction was issued with `lanes` of `width` lanes at work. Lanes that idle still switch: half of them count for
 * SP and FPU, three quarters for the special function unit, in GPGPU-Sim's integer shifts. */
static inline void sm_count_work(struct sm_stats *stats, const struct decoded_instr *decoded, unsigned lanes,
                                 unsigned width)
{
    stats->register_reads += decoded->timing.src_count;
    stats->register_writes += decoded->dst_count;
    stats->other_operands += decoded->other_count;
    unsigned op = decoded->lane_op;
    if (op == SM_LANE_OP_NONE)
        return;
    unsigned idle = width - lanes;
    (&stats->lanes_int_alu)[op] += lanes;
    if (idle)
        (&stats->idle_int_alu)[op] += (idle >> 1) + (op >= SM_LANE_OP_int_mul32 ? 2 * (idle >> 3) : 0);
}

#endif
