/* The words that mnemonics are made of, hashed: opcodes, and what a dotted suffix may mean. Built once for a load. */
#ifndef LOCKSTEP_PTX_WORDS_H
#define LOCKSTEP_PTX_WORDS_H

#include "base/strmap.h"
#include "isa/op.h"

struct ptx_words {
    struct strmap ops;      /* -> enum isa_op */
    struct strmap types;    /* -> enum isa_type */
    struct strmap mods;     /* -> row of isa_mod_table; rows of the same text are chained by next_mod */
    struct strmap sregs;    /* -> enum isa_sreg */
    uint16_t next_mod[320]; /* row + 1, 0 ends the chain */
    uint8_t field_count[ISA_OP_COUNT];
    uint8_t fields[ISA_OP_COUNT][ISA_FIELD_COUNT];
};

void ptx_words_init(struct ptx_words *words);
void ptx_words_free(struct ptx_words *words);
/* The mnemonic nearest to text, for "did you mean"; NULL when none is near. */
const char *ptx_nearest_op(const char *text);
/* Sets the field that suffix text means for op, if it means one that is free; whether it did. */
bool ptx_words_set_mod(const struct ptx_words *words, enum isa_op op, struct isa_mods *mods, const char *text,
                       size_t n);
/* Returns true if the suffix belongs to a form that Lockstep does not model (matrices, asynchronous copies). */
bool ptx_word_is_outside(const char *text, size_t n);
/* Returns true if the name is that of a special register that Lockstep does not model. */
bool ptx_sreg_is_outside(const char *text, size_t n);

#endif
