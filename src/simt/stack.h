/* What the entries of the reconvergence stack are (stack.c), in struct simt_path.kind: for those who look at it. */
#ifndef LOCKSTEP_SIMT_STACK_H
#define LOCKSTEP_SIMT_STACK_H

enum simt_entry {
    SIMT_ENTRY_NORMAL,
    SIMT_ENTRY_PARTED, /* the same, of lanes that came out of a critical section elsewhere than others: they need not
                          meet */
    SIMT_ENTRY_CALL,
    SIMT_ENTRY_RETRY,      /* LR: lanes that ask for locks */
    SIMT_ENTRY_RETRY_LEFT, /* the same, when some have come back to its base */
    SIMT_ENTRY_LOCK,       /* L: lanes that got theirs; `until` is where their base meets others */
    SIMT_ENTRY_LOCK_PAST,  /* the same, when they have come past that place */
};

#endif
