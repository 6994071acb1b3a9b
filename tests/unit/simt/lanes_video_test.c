/* The video instructions against an oracle in 128-bit numbers that knows the PTX ISA's text only: every form it lists,
 * and that nothing else resolves. */
#include "lane_check.h"

static bool is_in(unsigned op, unsigned first, unsigned last)
{
    return op >= first && op <= last;
}

static unsigned parts_of(unsigned op)
{
    return is_in(op, ISA_OP_VADD2, ISA_OP_VMAX2) || op == ISA_OP_VSET2   ? 2
           : is_in(op, ISA_OP_VADD4, ISA_OP_VMAX4) || op == ISA_OP_VSET4 ? 4
                                                                       : 1;
}

static bool is_set(unsigned op)
{
    return op == ISA_OP_VSET || op == ISA_OP_VSET2 || op == ISA_OP_VSET4;
}

static bool compares(uint8_t cmp, __int128 x, __int128 y)
{
    return (cmp == ISA_CMP_EQ && x == y) || (cmp == ISA_CMP_NE && x != y) || (cmp == ISA_CMP_LT && x < y) ||
           (cmp == ISA_CMP_LE && x <= y) || (cmp == ISA_CMP_GT && x > y) || (cmp == ISA_CMP_GE && x >= y);
}

static __int128 times_power(__int128 x, unsigned n)
{
    while (n--)
        x += x;
    return x;
}

/* x / 2^n, rounded down. */
static __int128 over_power(__int128 x, unsigned n)
{
    __int128 divisor = times_power(1, n), q = x / divisor;
    return q - (x % divisor < 0);
}

static __int128 operate(const struct isa_instr *instr, __int128 x, __int128 y)
{
    unsigned by = instr->mods.clamp == ISA_CLAMP_WRAP ? (unsigned)(y % 32) : y > 32 ? 32 : (unsigned)y;
    switch (instr->op) {
    case ISA_OP_VADD: case ISA_OP_VADD2: case ISA_OP_VADD4: return x + y;
    case ISA_OP_VSUB: case ISA_OP_VSUB2: case ISA_OP_VSUB4: return x - y;
    case ISA_OP_VABSDIFF: case ISA_OP_VABSDIFF2: case ISA_OP_VABSDIFF4: return x > y ? x - y : y - x;
    case ISA_OP_VMIN: case ISA_OP_VMIN2: case ISA_OP_VMIN4: return x > y ? y : x;
    case ISA_OP_VMAX: case ISA_OP_VMAX2: case ISA_OP_VMAX4: return x > y ? x : y;
    case ISA_OP_VAVRG2: case ISA_OP_VAVRG4: return over_power(x + y >= 0 ? x + y + 1 : x + y, 1);
    case ISA_OP_VSHL: return times_power(x, by);
    case ISA_OP_VSHR: return over_power(x, by);
    default: return compares(instr->mods.cmp, x, y);
    }
}

static __int128 clamped(__int128 v, unsigned bits, bool is_signed)
{
    __int128 span = times_power(1, bits), low = is_signed ? -span / 2 : 0;
    return v < low ? low : v > low + span - 1 ? low + span - 1 : v;
}

static uint8_t as_type(bool is_signed, unsigned bits)
{
    return bits == 8 ? is_signed ? ISA_S8 : ISA_U8 : bits == 16 ? is_signed ? ISA_S16 : ISA_U16 : is_signed ? ISA_S32 : ISA_U32;
}

static void mad_oracle(const struct lane_input *in, struct lane_result *out)
{
    const struct isa_mods *mods = &in->instr->mods;
    bool a = in->instr->stype == ISA_S32, b = mods->btype == ISA_BTYPE_S32;
    __int128 sum = lane_number_of(as_type(a, 32), in->src[0]) * lane_number_of(as_type(b, 32), in->src[1]);
    sum += lane_number_of(as_type(a || b, 32), in->src[2]) + mods->po;
    sum = over_power(sum, mods->scale == ISA_SCALE_SHR15 ? 15 : mods->scale == ISA_SCALE_SHR7 ? 7 : 0);
    out->value = (uint32_t)(mods->sat ? clamped(sum, 32, a || b) : sum);
}

static void oracle(const struct lane_input *in, struct lane_result *out)
{
    const struct isa_instr *instr = in->instr;
    unsigned parts = parts_of(instr->op), bits = 32 / parts;
    bool set = is_set(instr->op), d = !set && instr->type == ISA_S32;
    bool a = (set ? instr->type : instr->stype) == ISA_S32;
    bool b = set ? instr->stype == ISA_S32 : instr->mods.btype == ISA_BTYPE_S32;
    __int128 sum = in->src[2], v = 0;
    uint64_t joined = 0;
    for (unsigned i = 0; i < parts; i++) {
        uint64_t x = lane_low(in->src[0] >> i * bits, bits), y = lane_low(in->src[1] >> i * bits, bits);
        v = operate(instr, lane_number_of(as_type(a, bits), x), lane_number_of(as_type(b, bits), y));
        v = instr->mods.sat ? clamped(v, bits, d) : v;
        sum += v;
        joined |= lane_low((uint64_t)v, bits) << i * bits;
    }
    __int128 c = lane_number_of(as_type(d, 32), in->src[2]);
    switch (instr->mods.reduce) {
    case ISA_REDUCE_ADD: out->value = (uint32_t)sum; break;
    case ISA_REDUCE_MIN: out->value = (uint32_t)(v < c ? v : c); break;
    case ISA_REDUCE_MAX: out->value = (uint32_t)(v > c ? v : c); break;
    default: out->value = joined; break;
    }
}

/* True for the forms of the PTX ISA. */
static bool is_form(const struct isa_instr *instr)
{
    unsigned op = instr->op, parts = parts_of(op);
    const struct isa_mods *m = &instr->mods;
    bool set = is_set(op), shift = op == ISA_OP_VSHL || op == ISA_OP_VSHR, mad = op == ISA_OP_VMAD;
    bool types = (instr->type == ISA_U32 || instr->type == ISA_S32) && (instr->stype == ISA_U32 || instr->stype == ISA_S32);
    bool third = set ? !m->btype : shift ? m->btype == ISA_BTYPE_U32 : m->btype == ISA_BTYPE_U32 || m->btype == ISA_BTYPE_S32;
    bool second = !m->reduce || (m->reduce == ISA_REDUCE_ADD && !mad && !(parts > 1 && m->sat)) ||
                  ((m->reduce == ISA_REDUCE_MIN || m->reduce == ISA_REDUCE_MAX) && !mad && parts == 1);
    return types && third && second && m->sat <= (set ? 0 : ISA_SAT_YES) && (m->clamp != 0) == shift && (m->cmp != 0) == set &&
           m->cmp <= ISA_CMP_GE && (mad || (!m->po && !m->scale));
}

static unsigned forms;

static void try_form(struct isa_instr instr)
{
    if (is_form(&instr)) {
        struct lane_form form = {.instr = instr, .dst_bits = 32, .src_bits = {32, 32, 32}};
        form.oracle = instr.op == ISA_OP_VMAD ? mad_oracle : oracle;
        lane_check(&form, lane_resolve_video, lane_resolve);
        forms++;
    } else if (lane_resolve_video(&instr)) {
        struct lane_input in = {.instr = &instr};
        lane_describe(&in, 0, 1, 0, "resolved, not PTX");
    }
}

static void try_modifiers(struct isa_instr instr)
{
    for (unsigned i = 0; i < 3 * 3 * 8 * 3 * 8 * 2 * 3; i++) {
        unsigned n = i;
        struct isa_mods *m = &instr.mods;
        m->btype = n % 3, n /= 3;
        m->sat = n % 3, n /= 3;
        m->reduce = n % 8, n /= 8;
        m->clamp = n % 3, n /= 3;
        m->cmp = n % 8, n /= 8;
        m->po = n % 2, n /= 2;
        m->scale = (uint8_t)n;
        try_form(instr);
    }
}

static void every_form_agrees(void **state)
{
    static const uint8_t types[] = {ISA_NONE, ISA_B32, ISA_U32, ISA_S32};
    for (unsigned op = ISA_OP_VADD; op <= ISA_OP_VSET4; op++)
        for (unsigned i = 0; i < 16; i++)
            try_modifiers((struct isa_instr){.op = (uint16_t)op, .type = types[i / 4], .stype = types[i % 4]});
    assert_int_equal(forms, 5 * 8 * 2 * 4 + 2 * 4 * 2 * 2 * 4 + 8 * 2 * 2 * 3 + 4 * 6 * 4 + 12 * 8 * 3 + 2 * 4 * 6 * 2);
}

/* In numbers, so that a mistake of the oracle's would be seen. */
static uint32_t run(struct isa_instr instr, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t a[LANES] = {x}, b[LANES] = {y}, c[LANES] = {z}, d[LANES] = {0};
    struct lane_args args = {.dst = {d}, .src = {a, b, c}, .mask = 1, .instr = &instr};
    lane_resolve(&instr)(&args);
    return d[0];
}
#define U3(name) {.op = ISA_OP_##name, .type = ISA_U32, .stype = ISA_U32, .mods = {.btype = ISA_BTYPE_U32}}
#define S3(name) {.op = ISA_OP_##name, .type = ISA_S32, .stype = ISA_S32, .mods = {.btype = ISA_BTYPE_S32}}

static void some_in_numbers(void **state)
{
    struct isa_instr sad = U3(VABSDIFF4), sum = S3(VADD4), mean = S3(VAVRG2), set = {.op = ISA_OP_VSET4, .type = ISA_U32, .stype = ISA_U32};
    assert_int_equal(run(sad, 0x01ff8000, 0x030080ff, 77), 0x02ff00ff);
    sad.mods.reduce = ISA_REDUCE_ADD;
    assert_int_equal(run(sad, 0x01ff8000, 0x030080ff, 1000), 1000 + 2 + 255 + 0 + 255);
    assert_int_equal(run(sum, 0x7f80ff01, 0x0180ff01, 0), 0x8000fe02);
    sum.mods.sat = ISA_SAT_YES;
    assert_int_equal(run(sum, 0x7f80ff01, 0x0180ff01, 0), 0x7f80fe02);
    assert_int_equal(run(mean, 0xffff0003, 0x00000000, 0), 0xffff0002);
    set.mods.cmp = ISA_CMP_GT;
    assert_int_equal(run(set, 0xff010203, 0x01010103, 0), 0x01000100);
    struct isa_instr shift = {.op = ISA_OP_VSHL, .type = ISA_U32, .stype = ISA_U32, .mods = {.btype = ISA_BTYPE_U32, .clamp = ISA_CLAMP_CLAMP}};
    assert_int_equal(run(shift, 3, 40, 0), 0);
    shift.mods.clamp = ISA_CLAMP_WRAP;
    assert_int_equal(run(shift, 3, 40, 0), 0x300);
    shift.mods.reduce = ISA_REDUCE_ADD;
    assert_int_equal(run(shift, 3, 40, 5), 0x305);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_agrees),
        cmocka_unit_test(some_in_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
