/* Operand collection's own state: the collectors of each class of unit, and the register banks that they read. Written
 * by collect.c alone, but for `written`: whoever writes a register back says so by sm_write_banks. */
#ifndef LOCKSTEP_SM_COLLECT_H
#define LOCKSTEP_SM_COLLECT_H

#include "sm/op.h"
#include "warp/table.h"

#define SM_MAX_COLLECTORS 32

/* The contents of the operand collectors of one class. */
struct sm_collected {
    uint8_t line[SM_MAX_COLLECTORS];   /* a ring: see sm_collectors */
    uint8_t behind[SM_MAX_COLLECTORS]; /* operands whose turn at their bank has not come */
    uint64_t turn[SM_MAX_COLLECTORS];  /* set of banks at which it is an operand's turn to be read */
    uint32_t op[SM_MAX_COLLECTORS];
};

/* Operand collectors of one class. */
struct sm_collectors {
    uint32_t used;    /* set of collectors: holding an op */
    uint32_t all;     /* those there are */
    uint32_t ready;   /* with all operands */
    uint32_t reading; /* with operands to read */
    uint8_t count, ports;
    uint8_t last_left; /* collector that an op left last */
    /* Collectors in use, oldest op first, where ops must leave in the order of issue (MEM): held->line. */
    uint8_t line_head, line_count;
    struct sm_collected *held; /* apart: every step looks at the sets of all classes */
};

/* Where the registers of a warp slot lie: by how many banks behind those of slot 0, and the way round from there to the
 * first bank. */
struct sm_placement {
    uint8_t shift, back;
};

/* Reads of register banks: one place for every operand of every collector. A bank is one collector's turn; the reads
 * behind that one are linked, oldest first. */
#define SM_MAX_READS 64 /* of an op */
#define SM_READS (WARP_UNIT_COUNT * SM_MAX_COLLECTORS * SM_MAX_READS)
struct sm_bank {
    uint16_t first, last;
};

struct sm_collect {
    struct sm_collectors classes[WARP_UNIT_COUNT];
    unsigned bank_from;       /* the bank that is looked at first in this cycle */
    uint64_t waiting, queued; /* sets of banks: someone's turn; more reads behind that */
    uint64_t written, all;    /* banks that a result is written to in this cycle; those there are */
    struct sm_placement placed[WARP_SLOTS];
    struct sm_bank banks[64];
    uint16_t next_read[SM_READS];
    struct sm_collected held[WARP_UNIT_COUNT];
};

struct sm;
/* Empties the collectors, as they are before the first instruction of an SM. */
void sm_collect_reset(struct sm *sm);
/* One cycle: ops with all their operands leave to the units, banks are read, issued ops enter. */
void sm_collect(struct sm *sm);

#endif
