/* Opcodes, types, modifiers and special registers as enums and tables, all derived from the .def files beside this
 * header. */
#ifndef LOCKSTEP_ISA_OP_H
#define LOCKSTEP_ISA_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_type {
#define TYPE(id, text, bits, family) ISA_##id,
#include "isa/types.def"
#undef TYPE
    ISA_TYPE_COUNT
};

enum isa_type_class {
    ISA_CLASS_NONE,
    ISA_CLASS_PRED,
    ISA_CLASS_BITS,
    ISA_CLASS_UINT,
    ISA_CLASS_SINT,
    ISA_CLASS_FLOAT,
    ISA_CLASS_PACKED
};

enum isa_op {
#define OP(id, text, operands, types, fields, unit, latency, flags, doc) ISA_OP_##id,
#include "isa/op.def"
#undef OP
    ISA_OP_COUNT
};

/* Kinds of instructions for the classes of execution units (warp/units.def says which take them). EITHER is a
 * floating-point multiply of 32 or 16 bits: SP if free, else SFU; ADD: ALU if free, else MUL.
 * The tables here send nothing to ALU, MUL, ADD, F64 and TENSOR: a machine does (sm.unit_NAME). */
#define ISA_UNITS(X) X(SP) X(SFU) X(EITHER) X(MEM) X(ALU) X(MUL) X(ADD) X(F64) X(TENSOR)
enum isa_unit {
#define X(id) ISA_UNIT_##id,
    ISA_UNITS(X)
#undef X
        ISA_UNIT_COUNT
};

/* Classes of operations, each with a latency and an initiation interval of its own: latencies.def is the table. */
enum isa_latency {
#define LATENCY(id, ...) ISA_LATENCY_##id,
#define LATENCY_LIKE(id, ...) ISA_LATENCY_##id,
#include "isa/latencies.def"
#undef LATENCY_LIKE
#undef LATENCY
    ISA_LATENCY_COUNT
};

enum isa_flag {
    ISA_FLAG_BRANCH = 1 << 0,
    ISA_FLAG_CALL = 1 << 1,
    ISA_FLAG_RET = 1 << 2,
    ISA_FLAG_EXIT = 1 << 3,
    ISA_FLAG_BARRIER = 1 << 4,
    ISA_FLAG_MEMORY = 1 << 5,
    ISA_FLAG_LOAD = 1 << 6,
    ISA_FLAG_STORE = 1 << 7,
    ISA_FLAG_ATOMIC = 1 << 8,
    ISA_FLAG_FENCE = 1 << 9,
    ISA_FLAG_WARP = 1 << 10,
    ISA_FLAG_TAKE = 1 << 11,
    ISA_FLAG_GIVE = 1 << 12,
    ISA_FLAG_IMAGE = 1 << 13,
    ISA_FLAG_MBARRIER = 1 << 14,
    ISA_FLAG_COPY = 1 << 15,
    ISA_FLAG_MATRIX = 1 << 16,
};

enum isa_field {
#define FIELD(id, member) ISA_FIELD_##id,
#include "isa/fields.def"
#undef FIELD
    ISA_FIELD_COUNT
};

/* One byte per modifier field; 0 means the modifier was not written. Values are the ISA_<FIELD>_<VALUE> constants
 * below. */
struct isa_mods {
#define FIELD(id, member) uint8_t member;
#include "isa/fields.def"
#undef FIELD
};

#include "isa/mod_values.h"

enum isa_sreg {
#define SREG(id, text, bits, doc) ISA_SREG_##id,
#include "isa/sreg.def"
#undef SREG
    ISA_SREG_COUNT
};

struct isa_type_info {
    const char *text;
    uint8_t bits, family; /* enum isa_type_class */
};
struct isa_op_info {
    const char *text, *operands, *types, *fields, *doc;
    uint32_t flags; /* enum isa_flag */
    uint8_t unit,
        operation; /* the columns UNIT and LATENCY; isa_unit_of and isa_latency_of combine them with the type */
};
struct isa_mod_info {
    const char *text;
    uint8_t field, value; /* enum isa_field, ISA_<FIELD>_<VALUE> */
};
struct isa_sreg_info {
    const char *text, *doc;
    uint8_t bits;
};

const struct isa_type_info *isa_type_info(enum isa_type type);
const struct isa_op_info *isa_op_info(enum isa_op op);
const struct isa_sreg_info *isa_sreg_info(enum isa_sreg sreg);
/* The modifier fields an opcode takes, in the order of its row, which is the order they are printed in: at most
 * ISA_FIELD_COUNT of enum isa_field into fields; returns how many. A text that several of them know sets the first that
 * is not set yet. */
unsigned isa_op_fields(enum isa_op op, uint8_t fields[ISA_FIELD_COUNT]);
/* All modifiers in table order; *count receives how many. */
const struct isa_mod_info *isa_mod_table(unsigned *count);

/* The type of that name, n bytes without the dot; -1 when there is none. */
int isa_find_type(const char *text, size_t n);
/* The value that modifier `text` gives to field `field`, or 0. */
uint8_t isa_find_mod(enum isa_field field, const char *text, size_t n);
/* The text of a modifier value, "" for 0. */
const char *isa_mod_text(enum isa_field field, uint8_t value);
/* Returns true if `text` is the mnemonic of a PTX instruction that exists but that Lockstep does not model (textures,
 * sparse matrices, bulk copies). */
bool isa_is_outside(const char *text, size_t n);

/* The video instructions, whose rows stand together: a third type may follow the other two, and the rest of the suffixes
 * stands behind the types. */
static inline bool isa_is_video(enum isa_op op)
{
    return op >= ISA_OP_VADD && op <= ISA_OP_VSET4;
}

/* The products of matrices: a third type, and of mma a fourth, follow the other two. */
static inline bool isa_is_product(enum isa_op op)
{
    return op == ISA_OP_MMA || op == ISA_OP_WGMMA;
}

static inline unsigned isa_type_bits(enum isa_type type)
{
    return isa_type_info(type)->bits;
}

#endif
