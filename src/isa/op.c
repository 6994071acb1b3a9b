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
enum {
    LATENCY_MOVE,
    LATENCY_ADD,
    LATENCY_MAX,
    LATENCY_MUL,
    LATENCY_MAD,
    LATENCY_DIV,
    LATENCY_SPECIAL,
    LATENCY_SHUFFLE,
    LATENCY_FMA,
    LATENCY_REM,
    LATENCY_NONE
};
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
    GIVE = ISA_FLAG_GIVE
};

static const struct isa_op_info op_table[] = {
#define OP(id, text, operands, types, fields, unit, latency, flags, doc)                                               \
    {text, operands, types, fields, doc, flags, unit, LATENCY_##latency},
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
        "tex",          "tld4",           "txq",      "suld",      "sust",         "sured",
        "suq",          "istypep",        "wmma",     "mma",       "ldmatrix",     "stmatrix",
        "movmatrix",    "wgmma",          "tcgen05",  "cp",        "mbarrier",     "tensormap",
        "createpolicy", "applypriority",  "discard",  "mapa",      "getctarank",   "multimem",
        "setmaxnreg",   "griddepcontrol", "alloca",   "stacksave", "stackrestore", "clusterlaunchcontrol",
        "vadd",         "vsub",           "vabsdiff", "vmin",      "vmax",         "vshl",
        "vshr",         "vmad",           "vset",     "vadd2",     "vsub2",        "vavrg2",
        "vabsdiff2",    "vmin2",          "vmax2",    "vset2",     "vadd4",        "vsub4",
        "vavrg4",       "vabsdiff4",      "vmin4",    "vmax4",     "vset4",
    };
    for (size_t i = 0; n && i < sizeof outside / sizeof outside[0]; i++)
        if (same_text(outside[i], text, n))
            return true;
    return false;
}

static bool type_is_float(enum isa_type type)
{
    bool is_packed = type_table[type].family == ISA_CLASS_PACKED && type != ISA_U16X2 && type != ISA_S16X2;
    return type_table[type].family == ISA_CLASS_FLOAT || is_packed;
}

/* GPGPU-Sim's Fermi: integer products and every division go to the special-function unit, f32 products to whichever of
 * the two is free; it has no double-precision unit, so f64 arithmetic takes the special-function unit too. It knows neither fma nor rem:
 * they are as cheap as a move, whatever their type. */
enum isa_unit isa_unit_of(const struct isa_instr *instr)
{
    const struct isa_op_info *info = &op_table[instr->op];
    if (info->unit != AUTO)
        return info->unit;
    bool is_float = type_is_float(instr->type);
    if (instr->type == ISA_F64 && info->latency != LATENCY_MOVE)
        return ISA_UNIT_SFU;
    switch (info->latency) {
    case LATENCY_MUL: return is_float ? ISA_UNIT_EITHER : ISA_UNIT_SFU;
    case LATENCY_MAD: return is_float ? ISA_UNIT_SP : ISA_UNIT_SFU;
    case LATENCY_DIV: return ISA_UNIT_SFU;
    default: return ISA_UNIT_SP;
    }
}

enum isa_latency isa_latency_of(const struct isa_instr *instr)
{
    static const uint8_t by_class[][3] = {
        [LATENCY_ADD] = {ISA_LATENCY_INT_ADD, ISA_LATENCY_F32_ADD, ISA_LATENCY_F64_ADD},
        [LATENCY_MAX] = {ISA_LATENCY_INT_MAX, ISA_LATENCY_F32_MAX, ISA_LATENCY_F64_MAX},
        [LATENCY_MUL] = {ISA_LATENCY_INT_MUL, ISA_LATENCY_F32_MUL, ISA_LATENCY_F64_MUL},
        [LATENCY_MAD] = {ISA_LATENCY_INT_MAD, ISA_LATENCY_F32_MAD, ISA_LATENCY_F64_MAD},
        [LATENCY_DIV] = {ISA_LATENCY_INT_DIV, ISA_LATENCY_F32_DIV, ISA_LATENCY_F64_DIV},
    };
    unsigned latency = op_table[instr->op].latency;
    bool is_float = type_is_float(instr->type);
    switch (latency) {
    case LATENCY_MOVE:
    case LATENCY_NONE: return ISA_LATENCY_MOVE;
    case LATENCY_SPECIAL: return ISA_LATENCY_SPECIAL;
    case LATENCY_SHUFFLE: return ISA_LATENCY_SHUFFLE;
    case LATENCY_FMA: return ISA_LATENCY_FMA;
    case LATENCY_REM: return ISA_LATENCY_REM;
    default: return by_class[latency][!is_float ? 0 : instr->type == ISA_F64 ? 2 : 1];
    }
}
