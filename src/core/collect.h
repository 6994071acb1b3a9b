/* Operand collection's own state: the collectors of each class of unit, and the register banks that they read. Written
 * by collect.c alone, but for `written` (core_write_banks) and `rows` (core_read_rows). */
#ifndef LOCKSTEP_CORE_COLLECT_H
#define LOCKSTEP_CORE_COLLECT_H

#include "core/op.h"
#include "warp/table.h"

#define CORE_MAX_COLLECTORS 32

/* The contents of the operand collectors of one class. */
struct core_collected {
    uint8_t line[CORE_MAX_COLLECTORS];   /* a ring: see core_collectors */
    uint8_t behind[CORE_MAX_COLLECTORS]; /* operands whose turn at their bank has not come */
    uint64_t turn[CORE_MAX_COLLECTORS];  /* set of banks at which it is an operand's turn to be read */
    uint32_t op[CORE_MAX_COLLECTORS];
};

/* Operand collectors of one class. */
struct core_collectors {
    uint32_t used;    /* set of collectors: holding an op */
    uint32_t all;     /* those there are */
    uint32_t ready;   /* with all operands */
    uint32_t reading; /* with operands to read */
    uint8_t count, ports;
    uint8_t last_left; /* collector that an op left last */
    /* Collectors in use, oldest op first, where ops must leave in the order of issue (MEM): held->line. */
    uint8_t line_head, line_count;
    struct core_collected *held; /* apart: every step looks at the sets of all classes */
};

/* The registers of a warp slot lie `shift` banks behind those of the core's first slot. Banks wrap around: `back` is
 * the number of banks less shift. */
struct core_placement {
    uint8_t shift, back;
};

/* Reads of register banks: each operand of each collector has a place. A bank serves one read at a time, whose turn it
 * is; the reads that wait for it are linked, oldest first. */
#define CORE_MAX_READS 64 /* of an op */
#define CORE_READS (WARP_UNIT_COLLECTED * CORE_MAX_COLLECTORS * CORE_MAX_READS)
struct core_bank {
    uint16_t first, last;
};

struct core_collect {
    struct core_collectors classes[WARP_UNIT_COLLECTED];
    unsigned bank_from;           /* the bank that is looked at first in this cycle */
    uint64_t waiting, queued;     /* sets of banks: someone's turn; more reads behind that */
    uint64_t written, written_in; /* banks that a result is written to in that cycle */
    uint64_t all;                 /* those there are */
    /* Operands are read row by row: of each warp slot in rows[slot] by itself, in place of the op's slot. */
    bool by_rows;
    uint64_t rows[WARP_SLOTS];
    struct core_placement placed[WARP_SLOTS];
    struct core_bank banks[64];
    uint16_t next_read[CORE_READS];
    struct core_collected held[WARP_UNIT_COLLECTED];
};

struct core;
/* Empties the collectors, as they are before the first instruction. */
void core_collect_init(struct core *core);
/* A launch begins. by_rows: see core_collect. */
void core_collect_begin(struct core *core, bool by_rows);

#endif
