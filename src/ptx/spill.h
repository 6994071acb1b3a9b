/* Registers that lie in local memory, since a thread has too few of them. Inside room ptx only. */
#ifndef LOCKSTEP_PTX_SPILL_H
#define LOCKSTEP_PTX_SPILL_H

#include "ptx/liveness.h"

enum ptx_spill_kind {
    PTX_SPILL_NOT,
    PTX_SPILL_STORED, /* each write is followed by a store to its slot, each read comes behind a load */
    PTX_SPILL_AGAIN,  /* its one write is made anew before each read, and nothing is stored */
};

/* A function that is being rewritten: it stands apart from its module, with its first instruction at 0. */
struct ptx_spill {
    struct isa_module *module;    /* its arena owns what stays */
    struct isa_module view;       /* the same with `instrs` of this function alone, as liveness wants it */
    struct isa_function function;
    uint32_t frame_bytes;         /* of local memory, not rounded up */
    uint8_t *kinds;               /* by register: enum ptx_spill_kind, of this round */
    uint32_t *writes;             /* by register: AGAIN: the instruction that writes it */
    uint32_t *offsets;            /* by register: STORED: its slot in the frame */
};

/* True: the register's value can be had again wherever it is read, by the instruction that wrote it: a move of a constant,
 * or a load of a kernel's parameter. */
bool ptx_can_repeat(const struct isa_function *function, const struct isa_instr *instr);
/* Rewrites the function so that the registers whose kinds say so have no value beyond an instruction: reads and writes
 * are of temporaries. */
void ptx_rewrite_spilled(struct ptx_spill *s);

#endif
