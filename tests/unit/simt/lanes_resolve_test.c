/* Walks the opcode table: every opcode that lanes execute must have a lane function for every type that its row
 * admits, with at least one choice of modifiers, and opcodes of memory, control and whole warps must have none. What
 * the type classes of op.def admit beyond the PTX ISA is listed below, each with its reason. */
#include "lane_check.h"

static const struct {
    const char *text, *operands, *types, *fields;
    unsigned flags;
} ops[] = {
#define MEMORY ISA_FLAG_MEMORY
#define LOAD ISA_FLAG_LOAD
#define STORE ISA_FLAG_STORE
#define ATOMIC ISA_FLAG_ATOMIC
#define IMAGE ISA_FLAG_IMAGE
#define MBARRIER ISA_FLAG_MBARRIER
#define COPY ISA_FLAG_COPY
#define MATRIX ISA_FLAG_MATRIX
#define FENCE ISA_FLAG_FENCE
#define WARP ISA_FLAG_WARP
#define TAKE ISA_FLAG_TAKE
#define GIVE ISA_FLAG_GIVE
#define BARRIER ISA_FLAG_BARRIER
#define BRANCH ISA_FLAG_BRANCH
#define CALL ISA_FLAG_CALL
#define RET ISA_FLAG_RET
#define EXIT ISA_FLAG_EXIT
#define OP(id, text, operands, types, fields, unit, latency, flags, doc) {text, operands, types, fields, flags},
#include "isa/op.def"
#undef OP
};

static const struct {
    const char *field;
    uint8_t index, most; /* place in struct isa_mods; the greatest value */
} fields[] = {
#define FIELD(id, member) {#id, ISA_FIELD_##id, 0},
#include "isa/fields.def"
#undef FIELD
};

static uint8_t most_of(unsigned field)
{
    static const struct {
        uint8_t field, value;
    } mods[] = {
#define MOD(field, value, text) {ISA_FIELD_##field, ISA_##field##_##value},
#include "isa/mods.def"
#undef MOD
    };
    uint8_t most = 0;
    for (unsigned i = 0; i < sizeof mods / sizeof *mods; i++)
        if (mods[i].field == field && mods[i].value > most)
            most = mods[i].value;
    return most;
}

static const char *const type_names[] = {
#define TYPE(id, text, bits, family) text,
#include "isa/types.def"
#undef TYPE
};

static bool is_among(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        if (length == n && !strncmp(at, name, n))
            return true;
        at += length;
    }
    return false;
}

/* The types of one class letter of op.def. */
static bool class_has(char letter, uint8_t type)
{
    const char *name = type_names[type];
    switch (letter) {
    case 'i': return is_among("u16 s16 u32 s32 u64 s64", name);
    case 'I': return is_among("u32 s32 u64 s64", name);
    case 'f': return is_among("f32 f64", name);
    case 'F': return is_among("f16 bf16 f32 f64 f16x2 bf16x2 u16x2 s16x2", name);
    case 'h': return is_among("f16 f16x2 bf16 bf16x2", name);
    case 'b': return is_among("b16 b32 b64", name);
    case 'B': return is_among("b32 b64", name);
    case 'p': return type == ISA_PRED;
    case 'w': return is_among("b32 u32 s32 f32", name);
    case '*': return type != ISA_NONE;
    case '-': return type == ISA_NONE;
    default: return false;
    }
}

static bool group_has(const char *group, size_t length, uint8_t type)
{
    for (size_t i = 0; i < length; i++)
        if (class_has(group[i], type))
            return true;
    return false;
}

/* Whether some choice of the opcode's modifiers from `field` on makes the instruction resolve. */
static bool resolves(struct isa_instr *instr, const char *accepted, unsigned field)
{
    if (field == ISA_FIELD_COUNT)
        return lane_resolve(instr) != NULL;
    unsigned most = is_among(accepted, fields[field].field) ? most_of(field) : 0;
    uint8_t *value = (uint8_t *)&instr->mods + field;
    for (*value = 0; *value <= most; ++*value)
        if (resolves(instr, accepted, field + 1))
            return true;
    *value = 0;
    return false;
}

/* Opcode, the types (or pairs type:stype) its row admits but that have no lane function, and why. */
static const struct {
    const char *op, *types, *why;
} exceptions[] = {
    {"prefetch", "", "no effect on values"},
    {"prefetchu", "", "no effect on values"},
    {"applypriority", "", "no effect on values"},
    {"discard", "", "no effect on values"},
    {"brkpt", "", "no effect on values"},
    {"nanosleep", "b32 u32 s32 f32", "time, not values"},
    {"pmevent", "", "no effect on values"},
    {"griddepcontrol", "", "no effect on values"},
    {"setmaxnreg", "b32 u32 s32 f32", "registers, not values"},
    {"lockstep.nop", "", "nothing to do"},
    {"lockstep.outside", "", "outside the model"},
    {"sub", "u16x2 s16x2", "PTX adds packed integers but does not subtract them"},
    {"mul", "u16x2 s16x2", "PTX has no packed integer product"},
    {"fma", "u16x2 s16x2", "PTX has no packed integer product"},
    {"mul24", "b32 f32", "u32 and s32 only"},
    {"mad24", "b32 f32", "u32 and s32 only"},
    {"abs", "u16 u32 u64 u16x2 s16x2", "signed scalars only"},
    {"neg", "u16 u32 u64 u16x2 s16x2", "signed scalars only"},
    {"sin", "f64", "f32 only"},
    {"cos", "f64", "f32 only"},
    {"lg2", "f64", "f32 only"},
    {"ex2", "f64", "f32 and halves"},
    {"tanh", "f64", "f32 and halves"},
    {"setp", "u16x2 s16x2", "no packed integer comparison"},
    {"lop3", "b64", "b32 only"},
    {"shf", "b64", "b32 only"},
    {"fns", "b64", "b32 only"},
    {"bmsk", "b64", "b32 only"},
    {"prmt", "b64", "b32 only"},
    {"mbarrier.pending_count", "b32", "a state has 64 bits"},
    {"szext", "b32 f32", "u32 and s32 only"},
    {"mov", "b8 u8 s8 b128 tf32 e4m3x2 e5m2x2 e4m3 e5m2 s4 u4 b1 u16x2 s16x2", "PTX moves registers of 16, 32 and 64 bits"},
    {"selp", "u16x2 s16x2", "PTX selects these as b32"},
    {"cvta", "u32 s32 s64", "generic addresses are u64"},
};

static const char *exception_of(const char *op)
{
    for (unsigned i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (!strcmp(exceptions[i].op, op))
            return exceptions[i].types;
    return NULL;
}

/* All operands there are: registers of the width that the types ask for. */
static struct isa_instr instr_of(unsigned op, uint8_t type, uint8_t stype, unsigned sources)
{
    static const struct isa_operand operands[8] = {[0 ... 7] = {.kind = ISA_OPERAND_REG}};
    return (struct isa_instr){.op = (uint16_t)op, .type = type, .stype = stype, .dst = operands, .src = operands, .dst_count = 1,
                              .src_count = (uint8_t)sources};
}

/* The most and the fewest sources, counting letters of the row. */
static unsigned sources_of(unsigned op, bool optional)
{
    unsigned count = 0;
    for (const char *at = ops[op].operands; *at; at++) {
        if (*at == '?' && !optional)
            at++;
        else
            count += *at != '?' && !strchr("dDpqvjx", *at);
    }
    return count;
}

static void one_suffix(unsigned op)
{
    const char *except = exception_of(ops[op].text);
    for (uint8_t type = 0; type < ISA_TYPE_COUNT; type++) {
        if (!group_has(ops[op].types, strlen(ops[op].types), type))
            continue;
        struct isa_instr few = instr_of(op, type, ISA_NONE, sources_of(op, false));
        struct isa_instr many = instr_of(op, type, ISA_NONE, sources_of(op, true));
        bool excepted = except && (is_among(except, type_names[type]) || (type == ISA_NONE && !*except));
        bool found = resolves(&few, ops[op].fields, 0) || resolves(&many, ops[op].fields, 0);
        if (found == excepted)
            fail_msg("%s.%s %s", ops[op].text, type_names[type], found ? "resolves, against the exceptions" : "does not resolve");
    }
}

/* Two type suffixes: a pair is enough for the first type, and each second type must go with some first one. */
static void two_suffixes(unsigned op, const char *const firsts, const char *const seconds)
{
    bool first_found[ISA_TYPE_COUNT] = {false}, second_found[ISA_TYPE_COUNT] = {false};
    for (uint8_t type = 0; type < ISA_TYPE_COUNT; type++)
        for (uint8_t stype = 0; stype < ISA_TYPE_COUNT; stype++) {
            struct isa_instr few = instr_of(op, type, stype, sources_of(op, false));
            struct isa_instr many = instr_of(op, type, stype, sources_of(op, true));
            if (resolves(&few, ops[op].fields, 0) || resolves(&many, ops[op].fields, 0)) {
                first_found[type] = true;
                second_found[stype] = true;
            }
        }
    for (uint8_t type = 0; type < ISA_TYPE_COUNT; type++) {
        if (first_found[type] != is_among(firsts, type_names[type]))
            fail_msg("%s: first type %s", ops[op].text, type_names[type]);
        if (second_found[type] != is_among(seconds, type_names[type]))
            fail_msg("%s: second type %s", ops[op].text, type_names[type]);
    }
}

static void every_row_has_lanes(void **state)
{
    unsigned walked = 0;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        if (ops[op].flags || strchr(ops[op].types, ' '))
            continue;
        one_suffix(op);
        walked++;
    }
    assert_in_range(walked, 55, 80);
}

static void pairs_of_types(void **state)
{
    /* Left out of cvt: the 8-bit floats, alone and packed; tf32 is a destination only. */
    two_suffixes(ISA_OP_CVT, "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 tf32 f32 f64 f16x2 bf16x2 e4m3x2 e5m2x2",
                 "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64 f16x2 e4m3x2 e5m2x2");
    two_suffixes(ISA_OP_SET, "u16 s16 u32 s32 f16 bf16 f32 f16x2 bf16x2",
                 "b16 b32 b64 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 f16x2 bf16x2");
    two_suffixes(ISA_OP_SLCT, "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f32 f64 bf16 f16x2 bf16x2",
                 "s32 f32");
    two_suffixes(ISA_OP_DP4A, "u32 s32", "u32 s32");
    two_suffixes(ISA_OP_DP2A, "u32 s32", "u32 s32");
    for (unsigned op = ISA_OP_VADD; op <= ISA_OP_VSET4; op++)
        two_suffixes(op, "u32 s32", "u32 s32");
}

static void others_have_none(void **state)
{
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (uint8_t type = 0; ops[op].flags && type < ISA_TYPE_COUNT; type++) {
            struct isa_instr instr = instr_of(op, type, ISA_NONE, sources_of(op, true));
            assert_null(lane_resolve(&instr));
        }
}

/* The plain families and the AVX2 ones resolve the same instructions. */
static void both_compilations_agree(void **state)
{
    static lane_resolver *const plain[] = {lane_resolve_int, lane_resolve_bits, lane_resolve_move, lane_resolve_compare};
    static lane_resolver *const avx2[] = {lane_resolve_int_avx2, lane_resolve_bits_avx2, lane_resolve_move_avx2,
                                          lane_resolve_compare_avx2};
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (uint8_t type = 0; type < ISA_TYPE_COUNT; type++)
            for (unsigned i = 0; i < 4; i++) {
                struct isa_instr instr = instr_of(op, type, ISA_NONE, sources_of(op, true));
                instr.mods.half = op % 4;
                assert_int_equal(plain[i](&instr) != NULL, avx2[i](&instr) != NULL);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_lanes),
        cmocka_unit_test(pairs_of_types),
        cmocka_unit_test(others_have_none),
        cmocka_unit_test(both_compilations_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
