/* Logic, shifts, bit fields and permutation against an oracle that handles one bit (or, for prmt, one byte of a
 * written-out table) at a time, as the pseudocode of the PTX ISA does. Every combination of opcode, type and
 * modifiers is tried: those that PTX allows must resolve and agree, all others must not resolve. */
#include "lane_check.h"

static bool bit(uint64_t x, int64_t i)
{
    return i >= 0 && i < 64 && x >> i & 1;
}

static uint8_t type_of(const struct lane_input *in)
{
    return in->instr->type;
}

static int64_t width_of(const struct lane_input *in)
{
    return lane_bits_of(in->instr->type);
}

static void logic_oracle(const struct lane_input *in, struct lane_result *out)
{
    for (int64_t i = 0; i < width_of(in); i++) {
        bool a = bit(in->src[0], i), b = bit(in->src[1], i), r = false;
        switch (in->instr->op) {
        case ISA_OP_AND: r = a && b; break;
        case ISA_OP_OR: r = a || b; break;
        case ISA_OP_XOR: r = a != b; break;
        case ISA_OP_NOT: r = !a; break;
        default: break;
        }
        out->value |= (uint64_t)r << i;
    }
    if (in->instr->op == ISA_OP_CNOT)
        out->value = in->src[0] ? 0 : 1;
}

static void predicate_oracle(const struct lane_input *in, struct lane_result *out)
{
    bool a = in->pred[0], b = in->pred[1];
    switch (in->instr->op) {
    case ISA_OP_AND: out->p = a && b; break;
    case ISA_OP_OR: out->p = a || b; break;
    case ISA_OP_XOR: out->p = a != b; break;
    default: out->p = !a; break;
    }
}

static void shift_oracle(const struct lane_input *in, struct lane_result *out)
{
    int64_t n = width_of(in), amount = (int64_t)in->src[1];
    bool fill = in->instr->op == ISA_OP_SHR && lane_is_signed(type_of(in)) && bit(in->src[0], n - 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = in->instr->op == ISA_OP_SHL ? i - amount : i + amount;
        bool r = from < 0 ? false : from >= n ? fill : bit(in->src[0], from);
        out->value |= (uint64_t)r << i;
    }
}

static void funnel_oracle(const struct lane_input *in, struct lane_result *out)
{
    bool left = in->instr->mods.direction == ISA_DIRECTION_LEFT;
    int64_t amount = (int64_t)in->src[2];
    amount = in->instr->mods.clamp == ISA_CLAMP_WRAP ? amount % 32 : amount > 32 ? 32 : amount;
    for (int64_t i = 0; i < 32; i++) { /* bit i of the high word after a left shift, of the low word after a right one */
        int64_t from = left ? i + 32 - amount : i + amount;
        bool r = from < 32 ? bit(in->src[0], from) : bit(in->src[1], from - 32);
        out->value |= (uint64_t)r << i;
    }
}

static void count_oracle(const struct lane_input *in, struct lane_result *out)
{
    int64_t n = width_of(in), ones = 0, top = -1;
    uint64_t reversed = 0;
    bool fill = in->instr->op == ISA_OP_BFIND && lane_is_signed(type_of(in)) && bit(in->src[0], n - 1);
    for (int64_t i = 0; i < n; i++) {
        ones += bit(in->src[0], i);
        top = bit(in->src[0], i) != fill ? i : top;
        reversed |= (uint64_t)bit(in->src[0], i) << (n - 1 - i);
    }
    switch (in->instr->op) {
    case ISA_OP_POPC: out->value = (uint64_t)ones; break;
    case ISA_OP_CLZ: out->value = (uint64_t)(n - 1 - top); break;
    case ISA_OP_BREV: out->value = reversed; break;
    default: out->value = top < 0 ? 0xffffffff : (uint64_t)(in->instr->mods.shiftamt ? n - 1 - top : top); break;
    }
}

/* The arrivals that the state of an mbarrier lacks: its low twenty bits. */
static void pending_oracle(const struct lane_input *in, struct lane_result *out)
{
    for (int64_t i = 0; i < 20; i++)
        out->value |= (uint64_t)bit(in->src[0], i) << i;
}

static void nth_oracle(const struct lane_input *in, struct lane_result *out)
{
    int64_t base = (int64_t)in->src[1], offset = (int32_t)in->src[2], step = offset > 0 ? 1 : -1;
    int64_t wanted = offset < 0 ? -offset : offset;
    out->value = 0xffffffff;
    if (base > 31)
        return;
    if (offset == 0 && bit(in->src[0], base))
        out->value = (uint64_t)base;
    for (int64_t at = base, seen = 0; offset != 0 && at >= 0 && at < 32; at += step) {
        seen += bit(in->src[0], at);
        if (seen == wanted && bit(in->src[0], at)) {
            out->value = (uint64_t)at;
            return;
        }
    }
}

static void extract_oracle(const struct lane_input *in, struct lane_result *out)
{
    int64_t n = width_of(in), position = in->src[1] & 0xff, length = in->src[2] & 0xff;
    int64_t top = position + length - 1 < n - 1 ? position + length - 1 : n - 1;
    bool sign = lane_is_signed(type_of(in)) && length > 0 && bit(in->src[0], top);
    for (int64_t i = 0; i < n; i++) {
        bool r = i < length && position + i < n ? bit(in->src[0], position + i) : sign;
        out->value |= (uint64_t)r << i;
    }
}

static void insert_oracle(const struct lane_input *in, struct lane_result *out)
{
    int64_t n = width_of(in), position = in->src[2] & 0xff, length = in->src[3] & 0xff;
    for (int64_t i = 0; i < n; i++) {
        bool inside = i >= position && i < position + length;
        out->value |= (uint64_t)(inside ? bit(in->src[0], i - position) : bit(in->src[1], i)) << i;
    }
}

static void mask_oracle(const struct lane_input *in, struct lane_result *out)
{
    bool wrap = in->instr->mods.clamp == ISA_CLAMP_WRAP;
    int64_t first = (int64_t)(wrap ? in->src[0] % 32 : in->src[0]), count = (int64_t)(wrap ? in->src[1] % 32 : in->src[1]);
    for (int64_t i = first; i < 32 && i < first + count; i++)
        out->value |= UINT64_C(1) << i;
}

static void extend_oracle(const struct lane_input *in, struct lane_result *out)
{
    int64_t n = (int64_t)(in->instr->mods.clamp == ISA_CLAMP_WRAP ? in->src[1] % 32 : in->src[1]);
    n = n > 32 ? 32 : n;
    bool sign = lane_is_signed(type_of(in)) && bit(in->src[0], n - 1);
    for (int64_t i = 0; i < 32; i++)
        out->value |= (uint64_t)(i < n ? bit(in->src[0], i) : sign) << i;
}

/* PTX ISA, "prmt": the bytes of d, the highest first, for each value of the selector's low two bits. */
static const char *const permutations[][4] = {
    [ISA_PRMT_F4E] = {"3210", "4321", "5432", "6543"}, [ISA_PRMT_B4E] = {"5670", "6701", "7012", "0123"},
    [ISA_PRMT_RC8] = {"0000", "1111", "2222", "3333"}, [ISA_PRMT_ECL] = {"3210", "3211", "3222", "3333"},
    [ISA_PRMT_ECR] = {"0000", "1110", "2210", "3210"}, [ISA_PRMT_RC16] = {"1010", "3232", "1010", "3232"},
};
static void permute_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(in->src[i / 4] >> 8 * (i % 4));
    for (unsigned i = 0; i < 4; i++) {
        unsigned byte;
        if (in->instr->mods.prmt) {
            byte = bytes[permutations[in->instr->mods.prmt][in->src[2] % 4][3 - i] - '0'];
        } else {
            unsigned nibble = in->src[2] >> 4 * i & 0xf;
            byte = bytes[nibble % 8];
            if (nibble >= 8)
                byte = byte >= 0x80 ? 0xff : 0;
        }
        out->value |= (uint64_t)byte << 8 * i;
    }
}

static bool is_bits(uint8_t type, unsigned least)
{
    return type >= ISA_B8 && type <= ISA_B64 && lane_bits_of(type) >= least;
}

/* The form for op, type and modifiers as the PTX ISA describes it; false where it describes none. */
static bool form_of(struct lane_form *form)
{
    const struct isa_mods m = form->instr.mods;
    uint8_t op = (uint8_t)form->instr.op, type = form->instr.type;
    unsigned n = lane_bits_of(type);
    bool plain = !m.clamp && !m.direction && !m.shiftamt && !m.prmt, edge = m.clamp && !m.direction && !m.shiftamt && !m.prmt;
    *form = (struct lane_form){.instr = form->instr, .dst_bits = n, .src_bits = {n, n}};
    switch (op) {
    case ISA_OP_AND: case ISA_OP_OR: case ISA_OP_XOR: case ISA_OP_NOT: case ISA_OP_CNOT:
        form->oracle = logic_oracle;
        if (op == ISA_OP_NOT || op == ISA_OP_CNOT)
            form->src_bits[1] = 0;
        if (type == ISA_PRED && op != ISA_OP_CNOT) {
            *form = (struct lane_form){.instr = form->instr, .preds = 1, .oracle = predicate_oracle};
            return plain;
        }
        return is_bits(type, 16) && plain;
    case ISA_OP_SHL: case ISA_OP_SHR:
        form->oracle = shift_oracle;
        form->src_bits[1] = 32;
        return (is_bits(type, 16) || (op == ISA_OP_SHR && lane_is_int(type, 16))) && plain;
    case ISA_OP_SHF:
        form->oracle = funnel_oracle;
        form->src_bits[2] = 32;
        return type == ISA_B32 && m.clamp && m.direction && !m.shiftamt && !m.prmt;
    case ISA_OP_POPC: case ISA_OP_CLZ: case ISA_OP_BREV:
        form->oracle = count_oracle;
        form->dst_bits = op == ISA_OP_BREV ? n : 32;
        form->src_bits[1] = 0;
        return is_bits(type, 32) && plain;
    case ISA_OP_BFIND:
        form->oracle = count_oracle;
        form->dst_bits = 32;
        form->src_bits[1] = 0;
        return lane_is_int(type, 32) && !m.clamp && !m.direction && !m.prmt;
    case ISA_OP_FNS:
        form->oracle = nth_oracle;
        form->src_bits[2] = 32;
        return type == ISA_B32 && plain;
    case ISA_OP_BFE:
        form->oracle = extract_oracle;
        form->src_bits[1] = form->src_bits[2] = 32;
        return lane_is_int(type, 32) && plain;
    case ISA_OP_BFI:
        form->oracle = insert_oracle;
        form->src_bits[2] = form->src_bits[3] = 32;
        return is_bits(type, 32) && plain;
    case ISA_OP_BMSK:
        form->oracle = mask_oracle;
        return type == ISA_B32 && edge;
    case ISA_OP_SZEXT:
        form->oracle = extend_oracle;
        return (type == ISA_U32 || type == ISA_S32) && edge;
    case ISA_OP_PRMT:
        form->oracle = permute_oracle;
        form->src_bits[2] = 32;
        return type == ISA_B32 && !m.clamp && !m.direction && !m.shiftamt;
    case ISA_OP_MBARRIER_PENDING:
        form->oracle = pending_oracle;
        form->dst_bits = 32;
        form->src_bits[1] = 0;
        return type == ISA_B64 && plain;
    default: return false;
    }
}

static void try_form(unsigned op, unsigned type, struct isa_mods mods)
{
    struct lane_form form = {.instr = {.op = (uint16_t)op, .type = (uint8_t)type, .mods = mods}};
    if (form_of(&form)) {
        lane_check(&form, lane_resolve_bits, lane_resolve_bits_avx2);
    } else if (op != ISA_OP_LOP3 && lane_resolve_bits(&form.instr)) {
        struct lane_input in = {.instr = &form.instr};
        lane_describe(&in, 0, 1, 0, "resolved, not PTX");
    }
}

static void every_form_agrees(void **state)
{
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
            for (unsigned i = 0; i < 3 * 3 * 2 * 7; i++)
                try_form(op, type, (struct isa_mods){.clamp = (uint8_t)(i % 3), .direction = (uint8_t)(i / 3 % 3),
                                                     .shiftamt = (uint8_t)(i / 9 % 2), .prmt = (uint8_t)(i / 18)});
}

static void lop3_oracle(const struct lane_input *in, struct lane_result *out)
{
    for (unsigned i = 0; i < 32; i++) {
        unsigned index = (unsigned)(in->src[0] >> i & 1) * 4 + (unsigned)(in->src[1] >> i & 1) * 2 + (unsigned)(in->src[2] >> i & 1);
        out->value |= (in->instr->src[3].value >> index & 1) << i;
    }
    bool t = out->value != 0, c = in->pred[0];
    uint8_t boolop = in->instr->mods.boolop;
    out->p = boolop == ISA_BOOLOP_AND ? t && c : boolop == ISA_BOOLOP_OR ? t || c : t != c;
}

static void every_truth_table(void **state)
{
    for (unsigned table = 0; table < 256; table++) {
        struct isa_operand src[4] = {[3] = {.kind = ISA_OPERAND_IMM, .value = table}};
        struct lane_form form = {.instr = {.op = ISA_OP_LOP3, .type = ISA_B32, .src = src, .mods = {.boolop = table % 4}},
                                 .dst_bits = 32, .src_bits = {32, 32, 32}, .preds = table % 4 != 0, .oracle = lop3_oracle};
        lane_check(&form, lane_resolve_bits, lane_resolve_bits_avx2);
    }
    struct isa_instr wide = {.op = ISA_OP_LOP3, .type = ISA_B64};
    assert_null(lane_resolve_bits(&wide));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form_agrees), cmocka_unit_test(every_truth_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
