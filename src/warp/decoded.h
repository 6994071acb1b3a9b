/* A static instruction as timing needs it. A launch decodes its module once (sm_prepare). */
#ifndef LOCKSTEP_WARP_DECODED_H
#define LOCKSTEP_WARP_DECODED_H

#include <stdbool.h>
#include <stdint.h>

/* The earlier work that an instruction waits for before it issues, besides the values of its registers. */
enum instr_after {
    INSTR_AFTER_NOTHING,
    INSTR_AFTER_OWN,  /* its warp's instructions and stores: a call of printf, malloc or free, which touches memory at
                         once */
    INSTR_AFTER_FENCE /* what a fence would wait for: a store or atomic that releases at a scope wider than the block */
};

/* The facts about an instruction that a stage asks for between its issue and its completion. */
struct instr_timing {
    const uint64_t *writes; /* set of registers in the scoreboard that it writes; behind that set, those it reads */
    uint16_t latency, interval;
    uint8_t unit;        /* enum isa_unit */
    uint8_t write_count; /* registers in the scoreboard */
    uint8_t src_count;   /* in the register banks */
    bool src_apart;      /* no two of these share a bank */
};

/* It fills one cache line of the host. */
struct decoded_instr {
    _Alignas(64) const uint64_t *uses; /* set of registers in the scoreboard: those it reads or writes */
    struct instr_timing timing;
    uint64_t src_set, dst_set; /* banks of its registers, for warp slot 0 */
    uint8_t dst_count;         /* in the register banks */
    uint8_t other_count;       /* source operands that are no registers */
    uint16_t back_branch;      /* number of a backward branch, from 1 (spin_number_branches) */
    uint8_t lane_op;           /* enum sm_lane_op, see sm/work.h */
    uint8_t structural;        /* enum warp_cause: that of a warp which misses only a pipeline register for it */
    bool changes_frame;        /* call and return: register numbers mean others behind it */
    uint8_t after : 4;         /* enum instr_after */
    uint8_t event_class : 4;   /* enum lockstep_class, for observers */
    uint8_t src_banks[12];
    uint32_t scheduled_before; /* of the module's instructions before this one, those that sm_is_scheduled */
};

#endif
