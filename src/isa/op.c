/* The opcode, type, modifier and special-register tables, expanded from the .def files, and lookups over them.
 *
 * Lookups walk the tables and compare lengths first: at about a hundred rows that costs less than keeping an index. The
 * parser, which asks for every word of a text, keeps a hashed dictionary of its own (ptx/words.c). */
#include "isa/op.h"

#include <string.h>

#include "isa/program.h"

static const struct isa_type_info type_table[] = {
#define TYPE(id, text, bits, family) {text, bits, ISA_CLASS_##family},
#include "isa/types.def"
#undef TYPE
};

/* The words of the table's columns. */
enum { SP = ISA_UNIT_SP, SFU = ISA_UNIT_SFU, MEM = ISA_UNIT_MEM, AUTO = ISA_UNIT_COUNT };
enum operation {
    OPERATION_MOVE,
    OPERATION_ADD,
    OPERATION_MAX,
    OPERATION_MUL,
    OPERATION_MAD,
    OPERATION_DIV,
    OPERATION_SPECIAL,
    OPERATION_SHUFFLE,
    OPERATION_FMA,
    OPERATION_REM,
    OPERATION_LOGIC,
    OPERATION_SHIFT,
    OPERATION_COMPARE,
    OPERATION_SELECT,
    OPERATION_BITS,
    OPERATION_FIELD,
    OPERATION_PERMUTE,
    OPERATION_CONVERT,
    OPERATION_SAD,
    OPERATION_DOT,
    OPERATION_VOTE,
    OPERATION_MATCH,
    OPERATION_REDUX,
    OPERATION_RCP,
    OPERATION_SQRT,
    OPERATION_SINE,
    OPERATION_CONVERT_FROM_INT,
    OPERATION_CONTROL,
    OPERATION_MUL_HI,
    OPERATION_DIV_APPROX,
    OPERATION_DIV_FULL,
    OPERATION_RCP_APPROX,
    OPERATION_SQRT_APPROX,
    OPERATION_RCP_APPROX_FULL,
    OPERATION_CONVERT_TO_BF16,
    OPERATION_TRUNCATE,
    OPERATION_MUL24,
    OPERATION_LEADING,
    OPERATION_MMA,
    OPERATION_WGMMA,
    OPERATION_ELECT,
    OPERATION_NONE
};
enum operation_type { TYPE_ANY, TYPE_INT, TYPE_I64, TYPE_F32, TYPE_F16, TYPE_F64 };
enum {
    BRANCH = ISA_FLAG_BRANCH,
    CALL = ISA_FLAG_CALL,
    RET = ISA_FLAG_RET,
    EXIT = ISA_FLAG_EXIT,
    BARRIER = ISA_FLAG_BARRIER,
    MEMORY = ISA_FLAG_MEMORY,
    LOAD = ISA_FLAG_LOAD,
    STORE = ISA_FLAG_STORE,
    ATOMIC = ISA_FLAG_ATOMIC,
    FENCE = ISA_FLAG_FENCE,
    WARP = ISA_FLAG_WARP,
    TAKE = ISA_FLAG_TAKE,
    GIVE = ISA_FLAG_GIVE,
    IMAGE = ISA_FLAG_IMAGE,
    MBARRIER = ISA_FLAG_MBARRIER,
    COPY = ISA_FLAG_COPY,
    MATRIX = ISA_FLAG_MATRIX
};

static const struct isa_op_info op_table[] = {
#define OP(id, text, operands, types, fields, unit, latency, flags, doc)                                               \
    {text, operands, types, fields, doc, flags, unit, OPERATION_##latency},
#include "isa/op.def"
#undef OP
};

static const struct isa_mod_info mod_table[] = {
#define MOD(field, value, text) {text, ISA_FIELD_##field, ISA_##field##_##value},
#include "isa/mods.def"
#undef MOD
};

static const struct isa_sreg_info sreg_table[] = {
#define SREG(id, text, bits, doc) {text, doc, bits},
#include "isa/sreg.def"
#undef SREG
};

static const char *const field_names[] = {
#define FIELD(id, member) #id,
#include "isa/fields.def"
#undef FIELD
};

enum { MOD_COUNT = sizeof mod_table / sizeof mod_table[0] };

const struct isa_type_info *isa_type_info(enum isa_type type)
{
    return &type_table[type];
}

const struct isa_op_info *isa_op_info(enum isa_op op)
{
    return &op_table[op];
}

const struct isa_sreg_info *isa_sreg_info(enum isa_sreg sreg)
{
    return &sreg_table[sreg];
}

const struct isa_mod_info *isa_mod_table(unsigned *count)
{
    *count = MOD_COUNT;
    return mod_table;
}

static bool same_text(const char *table_text, const char *text, size_t n)
{
    return table_text[0] == text[0] && strlen(table_text) == n && !memcmp(table_text, text, n);
}

static int find_field(const char *text, size_t n)
{
    for (int i = 0; i < ISA_FIELD_COUNT; i++)
        if (same_text(field_names[i], text, n))
            return i;
    return -1;
}

unsigned isa_op_fields(enum isa_op op, uint8_t fields[ISA_FIELD_COUNT])
{
    unsigned count = 0;
    for (const char *at = op_table[op].fields; *at;) {
        size_t n = strcspn(at, " ");
        int field = find_field(at, n);
        if (field >= 0 && count < ISA_FIELD_COUNT)
            fields[count++] = (uint8_t)field;
        at += n + (at[n] == ' ');
    }
    return count;
}

int isa_find_type(const char *text, size_t n)
{
    for (int i = 1; n && i < ISA_TYPE_COUNT; i++)
        if (same_text(type_table[i].text, text, n))
            return i;
    return -1;
}

uint8_t isa_find_mod(enum isa_field field, const char *text, size_t n)
{
    for (int i = 0; n && i < MOD_COUNT; i++)
        if (mod_table[i].field == field && same_text(mod_table[i].text, text, n))
            return mod_table[i].value;
    return 0;
}

const char *isa_mod_text(enum isa_field field, uint8_t value)
{
    for (int i = 0; value && i < MOD_COUNT; i++)
        if (mod_table[i].field == field && mod_table[i].value == value)
            return mod_table[i].text;
    return "";
}

bool isa_is_outside(const char *text, size_t n)
{
    static const char *const outside[] = {
        "istypep",   "wmma",      "wgmma",     "tcgen05",
        "multimem",     "alloca",         "stacksave", "stackrestore", "clusterlaunchcontrol",
    };
    for (size_t i = 0; n && i < sizeof outside / sizeof outside[0]; i++)
        if (same_text(outside[i], text, n))
            return true;
    return false;
}

/* Types of packed integers are integers. */
static enum operation_type operation_type_of(enum isa_type type)
{
    switch (type) {
    case ISA_F64:
        return TYPE_F64;
    case ISA_F32:
    case ISA_TF32:
        return TYPE_F32;
    case ISA_F16:
    case ISA_BF16:
    case ISA_F16X2:
    case ISA_BF16X2:
    case ISA_E4M3X2:
    case ISA_E5M2X2:
    case ISA_E4M3:
    case ISA_E5M2:
        return TYPE_F16;
    case ISA_U64:
    case ISA_S64:
    case ISA_B64:
        return TYPE_I64;
    default:
        return TYPE_INT;
    }
}

static const struct {
    uint8_t operation, type, unit, like;
} latency_table[] = {
#define LATENCY(id, name, operation, type, unit, ...)                                                                  \
    {OPERATION_##operation, TYPE_##type, ISA_UNIT_##unit, ISA_LATENCY_##id},
#define LATENCY_LIKE(id, name, operation, type, unit, other, ...)                                                      \
    {OPERATION_##operation, TYPE_##type, ISA_UNIT_##unit, ISA_LATENCY_##other},
#include "isa/latencies.def"
#undef LATENCY_LIKE
#undef LATENCY
};

static int find_latency(enum operation operation, enum operation_type type)
{
    for (int i = 0; i < ISA_LATENCY_COUNT; i++)
        if (latency_table[i].operation == operation && latency_table[i].type == type)
            return i;
    return -1;
}

/* Which conversion it is. */
static enum operation conversion_of(const struct isa_instr *instr)
{
    enum operation_type from = operation_type_of(instr->stype);
    if (instr->type == ISA_F32 && from == TYPE_INT)
        return OPERATION_CONVERT_FROM_INT;
    if (instr->type == ISA_BF16)
        return OPERATION_CONVERT_TO_BF16;
    return from == TYPE_I64 && operation_type_of(instr->type) == TYPE_INT && !instr->mods.sat ? OPERATION_TRUNCATE
                                                                                              : OPERATION_CONVERT;
}

/* Of some operations, the ones that round otherwise, or give the upper half, are others. */
static enum operation operation_of(const struct isa_instr *instr)
{
    static const struct {
        uint8_t operation, round, is;
    } rounded[] = {
        {OPERATION_DIV, ISA_ROUND_APPROX, OPERATION_DIV_APPROX},
        {OPERATION_DIV, ISA_ROUND_FULL, OPERATION_DIV_FULL},
        {OPERATION_RCP, ISA_ROUND_APPROX, OPERATION_RCP_APPROX},
        {OPERATION_SQRT, ISA_ROUND_APPROX, OPERATION_SQRT_APPROX},
    };
    enum operation operation = op_table[instr->op].operation;
    if (operation == OPERATION_CONVERT)
        return conversion_of(instr);
    if (operation == OPERATION_MUL && instr->mods.half == ISA_HALF_HI)
        return OPERATION_MUL_HI;
    for (size_t i = 0; instr->mods.round && i < sizeof rounded / sizeof rounded[0]; i++)
        if (rounded[i].operation == operation && rounded[i].round == instr->mods.round)
            operation = (enum operation)rounded[i].is;
    if (operation == OPERATION_RCP_APPROX && instr->type == ISA_F32 && !instr->mods.ftz)
        return OPERATION_RCP_APPROX_FULL;
    return operation;
}

/* A conversion, or a comparison with a result, is one of f64, or of 64-bit integers, whichever side has them; a product
 * of matrices is one of what is multiplied. */
static enum operation_type type_of(const struct isa_instr *instr, enum operation operation)
{
    if (operation == OPERATION_MMA)
        return operation_type_of(instr->stype);
    enum operation_type type = operation_type_of(instr->type);
    enum operation_type from =
        operation == OPERATION_CONVERT || operation == OPERATION_COMPARE ? operation_type_of(instr->stype) : type;
    return from > type ? from : type;
}

enum isa_latency isa_latency_of(const struct isa_instr *instr)
{
    enum operation operation = operation_of(instr);
    enum operation_type type = type_of(instr, operation);
    int found = find_latency(operation, type);
    if (found < 0 && type == TYPE_I64)
        found = find_latency(operation, TYPE_INT);
    if (found < 0 && type == TYPE_F16)
        found = find_latency(operation, TYPE_F32);
    if (found < 0)
        found = find_latency(operation, TYPE_ANY);
    return found < 0 ? ISA_LATENCY_MOVE : (enum isa_latency)found;
}

enum isa_latency isa_product_latency_of(const struct isa_instr *instr)
{
    return (enum isa_latency)find_latency(OPERATION_WGMMA, operation_type_of(instr->stype));
}

enum isa_latency isa_latency_like(enum isa_latency latency)
{
    return latency_table[latency].like;
}

enum isa_unit isa_unit_of(const struct isa_instr *instr)
{
    const struct isa_op_info *info = &op_table[instr->op];
    return info->unit != AUTO ? info->unit : latency_table[isa_latency_of(instr)].unit;
}
