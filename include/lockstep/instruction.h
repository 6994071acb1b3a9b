/* Kinds of instructions, as schedulers and observers tell them apart. */
#ifndef LOCKSTEP_INSTRUCTION_H
#define LOCKSTEP_INSTRUCTION_H

enum lockstep_class {
    LOCKSTEP_NO_INSTRUCTION,
    LOCKSTEP_ARITHMETIC, /* computes registers from registers: everything that is none of the others */
    LOCKSTEP_SPECIAL,    /* likewise, by the special function unit */
    LOCKSTEP_CONTROL,    /* branches, calls, returns, exits */
    LOCKSTEP_LOAD,
    LOCKSTEP_STORE,
    LOCKSTEP_ATOMIC, /* those that return nothing, too */
    LOCKSTEP_FENCE,
    LOCKSTEP_BARRIER,
};

/* Where a load, store or atomic goes. In the text of an instruction a space may be generic: the address says. */
enum lockstep_space {
    LOCKSTEP_GENERIC,
    LOCKSTEP_GLOBAL,
    LOCKSTEP_SHARED,
    LOCKSTEP_LOCAL,
    LOCKSTEP_CONST, /* constant memory, and parameters of a kernel */
};

/* Operations of atomics: those that locks are made of, and the rest. */
enum lockstep_atomic {
    LOCKSTEP_ATOMIC_OTHER,
    LOCKSTEP_ATOMIC_EXCHANGE,
    LOCKSTEP_ATOMIC_COMPARE_AND_SWAP,
};

#endif
