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
    LOCKSTEP_CLUSTER, /* shared memory of another block of the cluster: LOCKSTEP_CLUSTER_RANK and _OFFSET of an address say where */
};
#define LOCKSTEP_CLUSTER_RANK(address) ((unsigned)((address) >> 24) - 1) /* of the block in its cluster */
#define LOCKSTEP_CLUSTER_OFFSET(address) ((unsigned)((address) & 0xffffff)) /* in that block's shared memory */

/* Copies that go on beside the warps that ask for them. */
enum lockstep_copy {
    LOCKSTEP_COPY_LANE, /* cp.async: done when its group is, or when cp.async.mbarrier.arrive behind it arrives */
    LOCKSTEP_COPY_BULK, /* cp.async.bulk and the like, of tensors too: at an mbarrier, or by bulk groups */
    LOCKSTEP_COPY_SEND, /* st.async, red.async: at an mbarrier */
};

/* Operations on mbarriers. */
enum lockstep_mbarrier {
    LOCKSTEP_MBARRIER_INIT,   /* its phases take `arrivals` */
    LOCKSTEP_MBARRIER_INVAL,
    LOCKSTEP_MBARRIER_EXPECT, /* `bytes` more */
    LOCKSTEP_MBARRIER_ARRIVE, /* `arrivals`, and `bytes` more are expected */
    LOCKSTEP_MBARRIER_BYTES,  /* `bytes` have come */
};

/* Operations of atomics: those that locks are made of, and the rest. */
enum lockstep_atomic {
    LOCKSTEP_ATOMIC_OTHER,
    LOCKSTEP_ATOMIC_EXCHANGE,
    LOCKSTEP_ATOMIC_COMPARE_AND_SWAP,
};

#endif
