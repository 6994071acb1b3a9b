/* Kinds of entries of the reconvergence stack (stack.c, stack_locks.c), in struct simt_path.kind, for code that
 * inspects it. */
#ifndef LOCKSTEP_SIMT_STACK_H
#define LOCKSTEP_SIMT_STACK_H

enum simt_entry {
    SIMT_ENTRY_NORMAL,
    SIMT_ENTRY_PARTED, /* the same, of lanes that came out of a critical section elsewhere than others: they need not
                          meet */
    SIMT_ENTRY_CALL,
    SIMT_ENTRY_CALL_LOCKED, /* a second entry for a call, above a lock entry whose lanes return from it with their lock:
                               of those that have not returned yet */
    SIMT_ENTRY_RETRY,       /* LR: lanes that ask for locks */
    SIMT_ENTRY_RETRY_LEFT,  /* the same, when some have come back to its base */
    SIMT_ENTRY_LOCK,        /* L: lanes that got theirs */
    SIMT_ENTRY_KINDS
};

#endif
