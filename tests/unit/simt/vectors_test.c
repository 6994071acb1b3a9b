/* Checks the lane functions against vectors recorded on real GPUs: every tests/vectors/NAME.txt, in the format that
 * tools/hw-vectors writes (INSTRUCTION SOURCES = RESULTS). Without any such file it says so and counts as skipped
 * (exit 77). A few lines that must pass and lines that must be found wrong are always run, so that the checker
 * itself is known to work. */
#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>

#include "lane_check.h"

#define MOST_VALUES 6
#define MOST_REPORTED 20

struct value {
    uint64_t bits;
    unsigned width; /* 4 per digit; one digit is a predicate or a carry: 1 */
};

struct vector {
    struct isa_instr instr;
    struct isa_operand dst[2], src[MOST_VALUES];
    struct value in[MOST_VALUES], want[2];
    unsigned in_count, want_count;
    bool approximate;
};

/* Sets the modifier `text` in the first of the opcode's fields that knows it. */
static bool read_modifier(const char *text, size_t n, struct isa_instr *instr)
{
    uint8_t known[ISA_FIELD_COUNT], *mods = (uint8_t *)&instr->mods;
    unsigned count = isa_op_fields((enum isa_op)instr->op, known);
    for (unsigned i = 0; i < count; i++) {
        uint8_t value = mods[known[i]] ? 0 : isa_find_mod((enum isa_field)known[i], text, n);
        if (value) {
            mods[known[i]] = value;
            return true;
        }
    }
    return false;
}

static int find_op(const char *text, size_t n)
{
    for (int i = 0; i < ISA_OP_COUNT; i++)
        if (strlen(isa_op_info((enum isa_op)i)->text) == n && !memcmp(isa_op_info((enum isa_op)i)->text, text, n))
            return i;
    return -1;
}

/* Reads `op.suffix.suffix` into the instruction: a suffix is a type or a modifier. */
static bool read_mnemonic(const char *text, size_t length, struct isa_instr *instr)
{
    size_t n = strcspn(text, ".");
    int op = n < length ? find_op(text, n) : -1;
    if (op < 0)
        return false;
    instr->op = (uint16_t)op;
    for (size_t at = n + 1; at < length; at += n + 1) {
        n = strcspn(text + at, ". ");
        int type = isa_find_type(text + at, n);
        if (type > 0 && instr->stype)
            continue; /* the third one of cvt.pack is always b32 */
        if (type > 0)
            *(instr->type ? &instr->stype : &instr->type) = (uint8_t)type;
        else if (!read_modifier(text + at, n, instr))
            return false;
    }
    return true;
}

static const char *read_values(const char *at, struct value *values, unsigned most, unsigned *count)
{
    for (*count = 0; *count < most; ++*count) {
        at += strspn(at, " ");
        size_t digits = strspn(at, "0123456789abcdef");
        if (!digits)
            break;
        values[*count] = (struct value){strtoull(at, NULL, 16), digits == 1 ? 1 : (unsigned)digits * 4};
        at += digits;
    }
    return at + strspn(at, " ");
}

static bool read_vector(const char *line, struct vector *v)
{
    *v = (struct vector){.approximate = *line == '~'};
    line += strspn(line, "~ ");
    size_t length = strcspn(line, " ");
    if (!read_mnemonic(line, length, &v->instr))
        return false;
    line = read_values(line + length, v->in, MOST_VALUES, &v->in_count);
    if (*line != '=' || !v->in_count)
        return false;
    line = read_values(line + 1, v->want, 2, &v->want_count);
    return *line == '\0' && v->want_count;
}

/* The carry of addc, subc, madc is their last source; other one-digit sources are predicates. */
static bool takes_carry(uint16_t op)
{
    return op == ISA_OP_ADDC || op == ISA_OP_SUBC || op == ISA_OP_MADC;
}

/* Runs the vector in one lane. False when there is no lane function. */
static bool run_vector(struct vector *v, unsigned lane, struct value got[2])
{
    uint64_t rows[MOST_VALUES + 1][LANES] = {{0}};
    struct lane_args args = {.mask = 1u << lane, .instr = &v->instr, .pred_src = {UINT32_MAX, UINT32_MAX}};
    unsigned sources = 0, width = v->want[0].width;
    for (unsigned i = 0; i < v->in_count; i++) {
        struct value in = v->in[i];
        v->src[i] = (struct isa_operand){.kind = ISA_OPERAND_REG, .bits = (uint8_t)in.width, .value = in.bits};
        if (in.width == 1 && takes_carry(v->instr.op)) {
            args.carry = (uint32_t)in.bits << lane;
        } else if (in.width == 1) {
            args.pred_src[0] = (uint32_t)in.bits << lane;
        } else {
            lane_put(rows[sources], in.width, lane, in.bits);
            args.src[sources] = rows[sources];
            sources++;
        }
    }
    v->dst[0] = (struct isa_operand){.kind = ISA_OPERAND_REG, .bits = (uint8_t)width};
    args.dst[0] = rows[MOST_VALUES];
    v->instr.dst = v->dst;
    v->instr.src = v->src;
    v->instr.dst_count = 1;
    v->instr.src_count = (uint8_t)sources;
    lane_fn *fn = lane_resolve(&v->instr);
    if (!fn)
        return false;
    fn(&args);
    got[0].bits = width == 1 ? args.pred_dst[0] >> lane & 1 : lane_get(rows[MOST_VALUES], width, lane);
    got[1].bits = args.carry >> lane & 1;
    return true;
}

static double number(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The number that a register of a floating-point type holds, or the half `part` of a packed one. */
static double value_of(enum isa_type type, uint64_t bits, unsigned part)
{
    uint32_t half = (uint32_t)(bits >> 16 * part & 0xffff);
    double value;
    switch (type) {
    case ISA_F64: memcpy(&value, &bits, sizeof value); return value;
    case ISA_BF16:
    case ISA_BF16X2: return number(half << 16);
    case ISA_F16:
    case ISA_F16X2:
        value = (half & 0x7c00) == 0x7c00 ? half & 0x3ff ? NAN : INFINITY
                : half & 0x7c00           ? ldexp((half & 0x3ff) + 1024, (int)(half >> 10 & 31) - 25)
                                          : ldexp(half & 0x3ff, -24);
        return half & 0x8000 ? -value : value;
    default: return number((uint32_t)bits);
    }
}

static unsigned parts_of(enum isa_type type)
{
    return type == ISA_F16X2 || type == ISA_BF16X2 ? 2 : 1;
}

/* The error bounds that the PTX ISA gives for approximations, in round figures; sine and cosine are bounded only
 * near 0. */
static bool is_near(const struct vector *v, uint64_t got)
{
    enum isa_type type = (enum isa_type)v->instr.type;
    bool f16 = type == ISA_F16 || type == ISA_F16X2, bf16 = type == ISA_BF16 || type == ISA_BF16X2;
    bool circular = v->instr.op == ISA_OP_SIN || v->instr.op == ISA_OP_COS;
    double relative = f16 ? 0x1p-9 : bf16 ? 0x1p-6 : v->instr.op == ISA_OP_TANH ? 0x1p-10 : type == ISA_F64 ? 0x1p-19 : 0x1p-20;
    double absolute = circular || v->instr.op == ISA_OP_LG2 ? 0x1p-20 : f16 ? 0x1p-24 : 0x1p-126;
    for (unsigned part = 0; part < parts_of(type); part++) {
        double x = value_of(type, got, part), y = value_of(type, v->want[0].bits, part), in = value_of(type, v->in[0].bits, part);
        if (circular && !(fabs(in) <= 3.14))
            continue;
        if (isnan(y) || isinf(y) ? !(isnan(y) ? isnan(x) : x == y) : !(fabs(x - y) <= fabs(y) * relative + absolute))
            return false;
    }
    return true;
}

/* The manual leaves open which NaN these give, but for f64. */
static bool is_any_nan(const struct vector *v, uint64_t got)
{
    enum isa_type type = (enum isa_type)v->instr.type;
    if ((v->instr.op != ISA_OP_ABS && v->instr.op != ISA_OP_NEG && v->instr.op != ISA_OP_CVT) ||
        (type == ISA_F64 && v->instr.op != ISA_OP_CVT))
        return false;
    for (unsigned part = 0; part < parts_of(type); part++) {
        double x = value_of(type, got, part), y = value_of(type, v->want[0].bits, part);
        if (!(isnan(x) && isnan(y)) && !(x == y && signbit(x) == signbit(y)))
            return false;
    }
    return true;
}

static bool is_float(enum isa_type type)
{
    return type == ISA_F16 || type == ISA_F16X2 || type == ISA_BF16 || type == ISA_BF16X2 || type == ISA_F32 || type == ISA_F64;
}

/* 0: agrees; 1: differs; 2: not understood or without lane function. *got receives what came out. */
static int check_line(const char *line, unsigned lane, struct value got[2])
{
    struct vector v;
    if (!read_vector(line, &v) || !run_vector(&v, lane, got))
        return 2;
    if (v.approximate)
        return !is_near(&v, got[0].bits);
    if (is_float((enum isa_type)v.instr.type) && is_any_nan(&v, got[0].bits))
        return 0;
    for (unsigned i = 0; i < v.want_count; i++)
        if (got[i].bits != v.want[i].bits)
            return 1;
    return 0;
}

/* Returns the number of lines that fail. */
static unsigned check_file(const char *path)
{
    char line[256];
    unsigned number = 0, failed = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct value got[2] = {{0}};
        line[strcspn(line, "\r\n")] = '\0';
        number++;
        if (line[0] == '#' || line[0] == '\0')
            continue;
        int result = check_line(line, number % LANES, got);
        if (result && failed++ < MOST_REPORTED)
            print_error("%s:%u: %s: %s %llx %llx\n", path, number, line, result == 1 ? "got" : "not understood",
                        (unsigned long long)got[0].bits, (unsigned long long)got[1].bits);
    }
    fclose(file);
    print_message("%s: %u lines, %u wrong\n", path, number, failed);
    return failed;
}

static void checker_works(void **state)
{
    static const struct {
        const char *line;
        int result;
    } lines[] = {
        {"add.u32 00000001 ffffffff = 00000000", 0},
        {"add.u32 00000001 ffffffff = 00000001", 1},
        {"add.sat.s32 7fffffff 00000001 = 7fffffff", 0},
        {"add.cc.u32 ffffffff 00000001 = 00000000 1", 0},
        {"add.cc.u32 ffffffff 00000001 = 00000000 0", 1},
        {"subc.cc.u64 0000000000000000 0000000000000000 1 = ffffffffffffffff 1", 0},
        {"madc.hi.cc.s32 ffffffff 00000001 00000001 1 = 00000001 1", 0},
        {"mul.wide.s16 ffff 0002 = fffffffe", 0},
        {"shr.s64 8000000000000000 0000003f = ffffffffffffffff", 0},
        {"lop3.b32 0000ffff 00ff00ff 0f0f0f0f 80 = 0000000f", 0},
        {"setp.lt.and.s32 ffffffff 00000000 1 = 1", 0},
        {"setp.lt.and.s32 ffffffff 00000000 0 = 0", 0},
        {"setp.ltu.f32 7fc00000 00000000 = 1", 0},
        {"selp.b16 1234 5678 0 = 5678", 0},
        {"cvt.sat.s8.s32 0001 00000080 = 007f", 2},
        {"cvt.sat.s8.s32 00000080 = 007f", 0},
        {"cvt.s16.s8 00ff = ffff", 0},
        {"prmt.b32.b4e 03020100 07060504 00000001 = 06070001", 0},
        {"add.rz.ftz.f32 3f800000 00000001 = 3f800000", 0},
        {"~ ex2.approx.ftz.f32 3f800000 = 40000001", 0},
        {"~ ex2.approx.ftz.f32 3f800000 = 40010000", 1},
        {"~ ex2.approx.f16x2 3c008000 = 40003bff", 0},
        {"~ ex2.approx.f16x2 3c008000 = 40003b00", 1},
        {"~ rcp.approx.ftz.f64 4000000000000000 = 3fe0000100000000", 0},
        {"~ rcp.approx.ftz.f64 4000000000000000 = 3fe0010000000000", 1},
        {"neg.f32 7fc00001 = 7fffffff", 0},
        {"neg.f16x2 7e013c00 = 7fff3c00", 1},
        {"neg.f64 7ff8000000000001 = fff8000000000001", 1},
        {"add.u32 00000001 = ", 2},
        {"frob.u32 00000001 = 00000001", 2},
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct value got[2] = {{0}};
        int result = check_line(lines[i].line, i % LANES, got);
        if (result != lines[i].result)
            fail_msg("%s: result %d, got %llx", lines[i].line, result, (unsigned long long)got[0].bits);
    }
}

/* Every instruction that tools/hw-vectors can record has a lane function, with operands of the recorded widths. */
static const struct recorded {
    const char *text;
    unsigned src[4], dst;
    bool literal; /* lop3: a truth table follows the sources */
} recorded[] = {
#define V1(text, wd, wa) {text, {wa}, wd, false},
#define V2(text, wd, wa, wb) {text, {wa, wb}, wd, false},
#define V3(text, wd, wa, wb, wc) {text, {wa, wb, wc}, wd, false},
#define V4(text, wd, wa, wb, wc, we) {text, {wa, wb, wc, we}, wd, false},
#define VD V2
#define VF V3
#define VA1 V1
#define VA2 V2
#define VP(text, w) {text, {w, w}, 1, false},
#define VT(text, w) {text, {w}, 1, false},
#define VPC(text, w) {text, {w, w, 1}, 1, false},
#define VSEL(text, w) {text, {w, w, 1}, w, false},
#define VLOP3(text, table) {text, {32, 32, 32}, 32, true},
#define VADD(text, w) {text, {w, w}, w, false},
#define VSUB VADD
#define VMAD(text, w) {text, {w, w, w}, w, false},
#define VADDC(text, w) {text, {w, w, 1}, w, false},
#define VSUBC VADDC
#define VMADC(text, w) {text, {w, w, w, 1}, w, false},
#include "../tools/hw-vectors/ops.def"
};

static void recorded_instructions_resolve(void **state)
{
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct recorded *r = &recorded[i];
        struct vector v = {.want = {{0, r->dst}}, .want_count = 1};
        struct value got[2];
        for (; v.in_count < 4 && r->src[v.in_count]; v.in_count++)
            v.in[v.in_count].width = r->src[v.in_count];
        if (r->literal)
            v.in[v.in_count++].width = 8;
        if (!read_mnemonic(r->text, strlen(r->text), &v.instr) || !run_vector(&v, 0, got))
            fail_msg("%s: no lane function", r->text);
    }
}

static void files_agree(void **state)
{
    glob_t found = {0};
    unsigned failed = 0;
    int missing = glob(LOCKSTEP_SOURCE_DIR "/tests/vectors/*.txt", 0, NULL, &found);
    *(size_t *)*state = missing ? 0 : found.gl_pathc;
    for (size_t i = 0; !missing && i < found.gl_pathc; i++)
        failed += check_file(found.gl_pathv[i]);
    globfree(&found);
    assert_int_equal(failed, 0);
}

int main(void)
{
    size_t files = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checker_works),
        cmocka_unit_test(recorded_instructions_resolve),
        cmocka_unit_test_prestate(files_agree, &files),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!failed && files == 0) {
        puts("skipped: no files in tests/vectors (tools/hw-vectors makes them on a machine with a GPU)");
        return 77;
    }
    return failed;
}
