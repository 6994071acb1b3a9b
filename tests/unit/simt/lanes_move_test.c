/* Moves, selections, addresses and integer conversions against an oracle on numbers and strings of bits. cvt is
 * tried for every pair of integer types and every pair of register widths that PTX's relaxed operand rules admit. */
#include "lane_check.h"

static void copy_oracle(const struct lane_input *in, struct lane_result *out)
{
    out->value = in->src[0];
}

static void mov_of_every_type(void **state)
{
    static const uint8_t types[] = {ISA_B16, ISA_U16, ISA_S16, ISA_F16, ISA_BF16, ISA_B32, ISA_U32, ISA_S32, ISA_F32, ISA_F16X2,
                                    ISA_BF16X2, ISA_B64, ISA_U64, ISA_S64, ISA_F64};
    for (unsigned i = 0; i < sizeof types; i++) {
        unsigned n = lane_bits_of(types[i]);
        struct lane_form form = {.instr = {.op = ISA_OP_MOV, .type = types[i], .dst_count = 1, .src_count = 1},
                                 .dst_bits = n, .src_bits = {n}, .oracle = copy_oracle};
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
    }
    struct isa_instr instr = {.op = ISA_OP_MOV, .type = ISA_B128, .dst_count = 1, .src_count = 1};
    assert_null(lane_resolve_move(&instr));
}

static void predicate_oracle(const struct lane_input *in, struct lane_result *out)
{
    out->p = in->pred[0];
}

static void mov_of_predicates(void **state)
{
    struct lane_form form = {.instr = {.op = ISA_OP_MOV, .type = ISA_PRED, .dst_count = 1, .src_count = 1}, .preds = 1,
                             .oracle = predicate_oracle};
    lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
}

/* The elements of a value are its bytes in memory order, grouped. */
static uint64_t element(uint64_t value, unsigned bytes, unsigned i)
{
    uint8_t memory[8];
    uint64_t result = 0;
    for (unsigned b = 0; b < 8; b++)
        memory[b] = (uint8_t)(value >> 8 * b);
    memcpy(&result, memory + i * bytes, bytes);
    return result;
}

static void pack_oracle(const struct lane_input *in, struct lane_result *out)
{
    unsigned count = in->instr->src_count, bytes = lane_bits_of(in->instr->type) / 8 / count;
    uint8_t memory[8] = {0};
    for (unsigned i = 0; i < count; i++)
        memcpy(memory + i * bytes, &in->src[i], bytes);
    memcpy(&out->value, memory, 8);
}

static const struct {
    uint8_t type, count, bits;
} packs[] = {{ISA_B16, 2, 8}, {ISA_B32, 2, 16}, {ISA_B32, 4, 8}, {ISA_B64, 2, 32}, {ISA_B64, 4, 16}};

static void packing(void **state)
{
    for (unsigned i = 0; i < sizeof packs / sizeof *packs; i++) {
        struct lane_form form = {.instr = {.op = ISA_OP_MOV, .type = packs[i].type, .dst_count = 1, .src_count = packs[i].count},
                                 .dst_bits = lane_bits_of(packs[i].type), .oracle = pack_oracle};
        for (unsigned k = 0; k < packs[i].count; k++)
            form.src_bits[k] = packs[i].bits;
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
    }
    struct isa_instr bad = {.op = ISA_OP_MOV, .type = ISA_B64, .dst_count = 1, .src_count = 3};
    assert_null(lane_resolve_move(&bad));
    bad = (struct isa_instr){.op = ISA_OP_MOV, .type = ISA_B16, .dst_count = 1, .src_count = 4};
    assert_null(lane_resolve_move(&bad));
    bad = (struct isa_instr){.op = ISA_OP_MOV, .type = ISA_B128, .dst_count = 1, .src_count = 2};
    assert_null(lane_resolve_move(&bad));
    bad = (struct isa_instr){.op = ISA_OP_MOV, .type = ISA_U32, .dst_count = 1, .src_count = 2};
    assert_null(lane_resolve_move(&bad));
}

/* skip: a destination that is a sink; over: a destination that is the source's own row. */
static void check_unpack(lane_fn *fn, const struct isa_instr *instr, unsigned skip, unsigned over, uint64_t seed)
{
    unsigned n = lane_bits_of(instr->type), count = instr->dst_count;
    uint64_t source[LANES], value[LANES], rows[4][LANES], state = seed;
    struct lane_args args = {.src = {source}, .mask = (uint32_t)lane_random(&state) | 1, .instr = instr};
    for (unsigned lane = 0; lane < LANES; lane++) {
        value[lane] = lane_low(lane_random(&state), n);
        lane_put(source, n, lane, value[lane]);
    }
    memset(rows, 0x5a, sizeof rows);
    for (unsigned i = 0; i < count; i++)
        args.dst[i] = i == skip ? NULL : i == over ? (void *)source : rows[i];
    uint64_t before[LANES];
    memcpy(before, source, sizeof before);
    fn(&args);
    for (unsigned i = 0; i < count; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t kept = i == over ? (uint32_t)lane_get(before, 32, lane) : 0x5a5a5a5a;
            uint32_t want = args.mask >> lane & 1 ? (uint32_t)element(value[lane], n / count / 8, i) : kept;
            if (i == skip)
                assert_int_equal(lane_get(rows[i], 32, lane), 0x5a5a5a5a);
            else
                assert_int_equal(lane_get(args.dst[i], 32, lane), want);
        }
}

static void unpacking(void **state)
{
    for (unsigned i = 0; i < sizeof packs / sizeof *packs; i++) {
        struct isa_instr instr = {.op = ISA_OP_MOV, .type = packs[i].type, .dst_count = packs[i].count, .src_count = 1};
        for (uint64_t seed = 0; seed < 50; seed++)
            for (unsigned skip = 0; skip <= packs[i].count; skip++)
                for (unsigned over = 0; over <= packs[i].count; over++) {
                    if (skip == over)
                        continue;
                    check_unpack(lane_resolve_move(&instr), &instr, skip, over, seed);
                    if (lane_has_avx2())
                        check_unpack(lane_resolve_move_avx2(&instr), &instr, skip, over, seed);
                }
    }
}

static void selp_oracle(const struct lane_input *in, struct lane_result *out)
{
    out->value = in->pred[0] ? in->src[0] : in->src[1];
}

static void slct_oracle(const struct lane_input *in, struct lane_result *out)
{
    bool first;
    if (in->instr->stype == ISA_S32) {
        first = !(in->src[2] & 0x80000000);
    } else {
        bool negative = in->src[2] & 0x80000000, zero = !(in->src[2] & 0x7fffffff), subnormal = !(in->src[2] & 0x7f800000);
        bool nan = (in->src[2] & 0x7f800000) == 0x7f800000 && (in->src[2] & 0x7fffff);
        first = !nan && (!negative || zero || (in->instr->mods.ftz && subnormal));
    }
    out->value = first ? in->src[0] : in->src[1];
}

static void selections(void **state)
{
    for (unsigned type = 0; type < ISA_TYPE_COUNT; type++) {
        unsigned n = lane_bits_of((uint8_t)type);
        bool packed = type >= ISA_U16X2 && type <= ISA_E5M2X2; /* PTX selects and moves these as b16, b32 */
        if ((n != 16 && n != 32 && n != 64) || type == ISA_TF32 || packed)
            continue;
        struct lane_form form = {.instr = {.op = ISA_OP_SELP, .type = (uint8_t)type}, .dst_bits = n, .src_bits = {n, n},
                                 .oracle = selp_oracle};
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        form.instr.op = ISA_OP_SLCT;
        form.instr.stype = ISA_S32;
        form.src_bits[2] = 32;
        form.oracle = slct_oracle;
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        form.instr.stype = ISA_F32;
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        form.instr.mods.ftz = ISA_FTZ_YES;
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        form.instr.stype = ISA_F64;
        assert_null(lane_resolve_move(&form.instr));
    }
}

static uint64_t window_of(uint8_t space)
{
    return space == ISA_SPACE_SHARED  ? LANE_SHARED_WINDOW
           : space == ISA_SPACE_LOCAL ? LANE_LOCAL_WINDOW
           : space == ISA_SPACE_PARAM ? LANE_PARAM_WINDOW
                                      : 0;
}

static void cvta_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint64_t window = window_of(in->instr->mods.space);
    out->value = in->instr->mods.to ? in->src[0] - window : in->src[0] + window;
}

/* Of the window of shared memory, the executing block has the lowest part. */
static uint64_t bytes_of(uint8_t space)
{
    return space == ISA_SPACE_SHARED ? UINT64_C(1) << LANE_RANK_SHIFT : LANE_WINDOW_BYTES;
}

static void isspacep_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t home = ISA_SPACE_GLOBAL;
    for (uint8_t space = ISA_SPACE_CONST; space <= ISA_SPACE_SHARED; space++)
        if (window_of(space) && in->src[0] >= window_of(space) && in->src[0] - window_of(space) < bytes_of(space))
            home = space;
    if (in->src[0] - LANE_SHARED_WINDOW < LANE_WINDOW_BYTES && home == ISA_SPACE_GLOBAL)
        home = ISA_SPACE_CLUSTER;
    out->p = home == in->instr->mods.space;
}

static void addresses(void **state)
{
    static const uint8_t spaces[] = {ISA_SPACE_GLOBAL, ISA_SPACE_SHARED, ISA_SPACE_LOCAL, ISA_SPACE_PARAM, ISA_SPACE_CONST};
    struct isa_operand src = {.bits = 64};
    for (unsigned i = 0; i < 10; i++) {
        struct lane_form form = {.instr = {.op = ISA_OP_CVTA, .type = ISA_U64, .mods = {.space = spaces[i / 2], .to = i % 2}},
                                 .dst_bits = 64, .src_bits = {64}, .oracle = cvta_oracle};
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        form = (struct lane_form){.instr = {.op = ISA_OP_ISSPACEP, .mods = {.space = spaces[i / 2]}, .src = &src}, .src_bits = {64},
                                  .preds = 1, .oracle = isspacep_oracle};
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
    }
    struct isa_instr refused = {.op = ISA_OP_CVTA, .type = ISA_U32, .mods = {.space = ISA_SPACE_GLOBAL}};
    assert_null(lane_resolve_move(&refused));
}

/* Addresses at and around the edges of each window, which random words never meet. */
static void window_edges(void **state)
{
    static const uint64_t bases[] = {LANE_PARAM_WINDOW, LANE_LOCAL_WINDOW, LANE_SHARED_WINDOW, LANE_SHARED_WINDOW + LANE_WINDOW_BYTES,
                                     ISA_CODE_WINDOW};
    struct isa_operand src = {.bits = 64};
    for (uint8_t space = ISA_SPACE_CONST; space <= ISA_SPACE_SHARED; space++) {
        struct isa_instr instr = {.op = ISA_OP_ISSPACEP, .mods = {.space = space}, .src = &src};
        uint64_t row[LANES] = {0};
        for (unsigned lane = 0; lane < 15; lane++)
            row[lane] = bases[lane / 3] + lane % 3 - 1;
        struct lane_args args = {.src = {row}, .mask = UINT32_MAX, .instr = &instr};
        lane_resolve_move(&instr)(&args);
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct lane_result want = {0};
            isspacep_oracle(&(struct lane_input){.instr = &instr, .src = {row[lane]}}, &want);
            assert_int_equal(args.pred_dst[0] >> lane & 1, want.p);
        }
    }
}

/* The value of the source type, clamped where asked, as bits of the destination type, extended into the register by
 * the sign of the destination type. */
static void cvt_oracle(const struct lane_input *in, struct lane_result *out)
{
    uint8_t to = in->instr->type;
    __int128 x = lane_number_of(in->instr->stype, in->src[0]);
    if (in->instr->mods.sat)
        x = x < lane_least(to) ? lane_least(to) : x > lane_most(to) ? lane_most(to) : x;
    x = lane_number_of(to, (uint64_t)x);
    out->value = lane_low((uint64_t)x, in->instr->dst[0].bits);
}

static void conversions(void **state)
{
    static const uint8_t widths[] = {8, 16, 32, 64};
    for (unsigned i = 0; i < ISA_TYPE_COUNT * ISA_TYPE_COUNT * 32; i++) {
        uint8_t to = (uint8_t)(i / 32 % ISA_TYPE_COUNT), from = (uint8_t)(i / 32 / ISA_TYPE_COUNT);
        struct isa_operand dst = {.bits = widths[i & 3]}, src = {.bits = widths[i >> 2 & 3]};
        struct lane_form form = {.instr = {.op = ISA_OP_CVT, .type = to, .stype = from, .dst = &dst, .src = &src, .dst_count = 1,
                                           .src_count = 1, .mods = {.sat = i & 16 ? ISA_SAT_YES : 0}},
                                 .dst_bits = dst.bits, .src_bits = {src.bits}, .oracle = cvt_oracle};
        bool valid = lane_is_int(to, 8) && lane_is_int(from, 8) && dst.bits >= lane_bits_of(to) && src.bits >= lane_bits_of(from);
        if (valid && form.instr.mods.sat) /* only where saturation can happen */
            valid = lane_least(to) > lane_least(from) || lane_most(to) < lane_most(from);
        if (valid)
            lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        else
            assert_null(lane_resolve_move(&form.instr));
    }
}

static void pack_sat_oracle(const struct lane_input *in, struct lane_result *out)
{
    for (unsigned i = 0; i < 2; i++) { /* the second source goes into the low half */
        __int128 x = lane_number_of(ISA_S32, in->src[1 - i]);
        x = x < lane_least(in->instr->type) ? lane_least(in->instr->type) : x > lane_most(in->instr->type) ? lane_most(in->instr->type) : x;
        out->value |= ((uint64_t)x & 0xffff) << 16 * i;
    }
}

/* Of 8 bits: likewise bytes, and the lower half of the third source above them. */
static void pack_bytes_oracle(const struct lane_input *in, struct lane_result *out)
{
    struct lane_result halves = {0};
    pack_sat_oracle(in, &halves);
    out->value = (in->src[2] & 0xffff) << 16 | (halves.value >> 16 & 0xff) << 8 | (halves.value & 0xff);
}

static void cvt_pack(void **state)
{
    for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
        struct lane_form form = {.instr = {.op = ISA_OP_CVT, .type = is_signed ? ISA_S8 : ISA_U8, .stype = ISA_S32,
                                           .mods = {.pack = ISA_PACK_YES, .sat = ISA_SAT_YES}},
                                 .dst_bits = 32, .src_bits = {32, 32, 32}, .oracle = pack_bytes_oracle};
        lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
    }
    for (unsigned type = ISA_U16; type <= ISA_S16; type++) {
        struct lane_form form = {.instr = {.op = ISA_OP_CVT, .type = (uint8_t)type, .stype = ISA_S32,
                                           .mods = {.pack = ISA_PACK_YES, .sat = ISA_SAT_YES}},
                                 .dst_bits = 32, .src_bits = {32, 32}, .oracle = pack_sat_oracle};
        if (type == ISA_U16 || type == ISA_S16)
            lane_check(&form, lane_resolve_move, lane_resolve_move_avx2);
        else if (type != ISA_S8)
            assert_null(lane_resolve_move(&form.instr));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mov_of_every_type), cmocka_unit_test(mov_of_predicates), cmocka_unit_test(packing), cmocka_unit_test(unpacking),
        cmocka_unit_test(selections), cmocka_unit_test(addresses), cmocka_unit_test(window_edges), cmocka_unit_test(conversions),
        cmocka_unit_test(cvt_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
