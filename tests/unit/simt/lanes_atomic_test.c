/* lane_atomic: integers against the definitions of the PTX ISA in 128-bit numbers, floating-point sums against exact
 * sums of integers (a value is an integer count of the least subnormal) that are rounded by searching the
 * neighbouring values. */
#include "lane_check.h"

static const uint8_t operations[] = {ISA_ATOMIC_ADD, ISA_ATOMIC_MIN, ISA_ATOMIC_MAX, ISA_ATOMIC_INC,  ISA_ATOMIC_DEC,
                                     ISA_ATOMIC_AND, ISA_ATOMIC_OR,  ISA_ATOMIC_XOR, ISA_ATOMIC_EXCH, ISA_ATOMIC_CAS};

static uint64_t expected(uint8_t atomic, uint8_t type, uint64_t old, uint64_t operand, uint64_t compare)
{
    __int128 a = lane_number_of(type, old), b = lane_number_of(type, operand), r;
    switch (atomic) {
    case ISA_ATOMIC_ADD: r = a + b; break;
    case ISA_ATOMIC_MIN: r = a < b ? a : b; break;
    case ISA_ATOMIC_MAX: r = a < b ? b : a; break;
    case ISA_ATOMIC_INC: r = a + 1 > b ? 0 : a + 1; break;
    case ISA_ATOMIC_DEC: r = a == 0 || a - 1 >= b ? b : a - 1; break;
    case ISA_ATOMIC_AND: r = old & operand; break;
    case ISA_ATOMIC_OR: r = (__int128)(old | operand); break;
    case ISA_ATOMIC_XOR: r = (__int128)(old ^ operand); break;
    case ISA_ATOMIC_EXCH: r = operand; break;
    default: r = old == compare ? operand : old; break;
    }
    return lane_low((uint64_t)r, lane_bits_of(type));
}

static void integers(void **state)
{
    uint64_t seed = 1;
    for (unsigned t = 0; t < ISA_TYPE_COUNT * sizeof operations; t++) {
        uint8_t type = (uint8_t)(t / sizeof operations), atomic = operations[t % sizeof operations];
        bool bits = type == ISA_B16 || type == ISA_B32 || type == ISA_B64;
        if (!lane_atomic_valid(atomic, type) || (!lane_is_int(type, 8) && !bits))
            continue;
        for (unsigned i = 0; i < LANE_EDGES * LANE_EDGES + 2000; i++) {
            bool edge = i < LANE_EDGES * LANE_EDGES;
            unsigned n = lane_bits_of(type);
            uint64_t old = lane_low(edge ? lane_edges[i % LANE_EDGES] : lane_random_value(&seed), n);
            uint64_t operand = lane_low(edge ? lane_edges[i / LANE_EDGES] : lane_random_value(&seed), n);
            uint64_t compare = i & 1 ? old : lane_low(lane_random_value(&seed), n);
            uint64_t got = lane_atomic(atomic, type, old, operand, compare);
            if (got != expected(atomic, type, old, operand, compare))
                fail_msg("atomic %u type %u: %llx, %llx, %llx gave %llx", atomic, type, (unsigned long long)old,
                         (unsigned long long)operand, (unsigned long long)compare, (unsigned long long)got);
        }
    }
}

static void what_is_valid(void **state)
{
    static const struct {
        uint8_t atomic;
        const char *types; /* PTX ISA, "atom" */
    } table[] = {
        {ISA_ATOMIC_ADD, " u32 s32 u64 s64 f16 bf16 f16x2 bf16x2 f32 f64 "}, {ISA_ATOMIC_MIN, " u32 s32 u64 s64 f16 bf16 f16x2 bf16x2 "},
        {ISA_ATOMIC_MAX, " u32 s32 u64 s64 f16 bf16 f16x2 bf16x2 "}, {ISA_ATOMIC_INC, " u32 "}, {ISA_ATOMIC_DEC, " u32 "},
        {ISA_ATOMIC_AND, " b32 b64 u32 s32 u64 s64 "}, {ISA_ATOMIC_OR, " b32 b64 u32 s32 u64 s64 "},
        {ISA_ATOMIC_XOR, " b32 b64 u32 s32 u64 s64 "}, {ISA_ATOMIC_EXCH, " b32 b64 u32 s32 u64 s64 "},
        {ISA_ATOMIC_CAS, " b16 b32 b64 u32 s32 u64 s64 "},
    };
    static const char *const names[] = {
#define TYPE(id, text, bits, family) text,
#include "isa/types.def"
#undef TYPE
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        for (unsigned type = 0; type < ISA_TYPE_COUNT; type++) {
            char word[16];
            snprintf(word, sizeof word, " %s ", names[type]);
            bool want = type != ISA_NONE && strstr(table[i].types, word);
            assert_int_equal(lane_atomic_valid(table[i].atomic, (uint8_t)type), want);
            assert_int_equal(lane_atomic_valid(table[i].atomic | LANE_ATOMIC_SUBNORMAL, (uint8_t)type), want);
        }
    assert_false(lane_atomic_valid(0, ISA_U32));
    assert_int_equal(lane_atomic(0, ISA_U32, 5, 6, 7), 5);
}

/* 16-bit formats. The value of each finite magnitude, as a number of units (2^-24 for f16, 2^-133 for bf16), kept as
 * significand and exponent so that bf16 fits: value = significand << exponent. */
struct scaled {
    int64_t significand;
    unsigned exponent;
};
static struct scaled scaled_of(uint16_t bits, unsigned fraction)
{
    unsigned exponent = (bits & 0x7fff) >> fraction;
    int64_t significand = bits & ((1 << fraction) - 1);
    if (exponent)
        significand |= 1 << fraction;
    return (struct scaled){bits & 0x8000 ? -significand : significand, exponent ? exponent - 1 : 0};
}

/* Compares 2 * (x + y) with m + n, all scaled: the sign tells on which side of the middle of m and n the sum lies.
 * Exponents differ by up to 254, so the sums are made in 320 bits, least word first. */
static void wide_add(uint64_t sum[5], struct scaled x, unsigned twice)
{
    unsigned at = x.exponent + twice;
    uint64_t term[5] = {0}, magnitude = (uint64_t)(x.significand < 0 ? -x.significand : x.significand), carry = x.significand < 0;
    term[at / 64] = magnitude << at % 64;
    if (at % 64 && at / 64 + 1 < 5)
        term[at / 64 + 1] = magnitude >> (64 - at % 64);
    for (unsigned i = 0; i < 5; i++) {
        unsigned __int128 s = (unsigned __int128)sum[i] + (x.significand < 0 ? ~term[i] : term[i]) + carry;
        sum[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
}
static int side(struct scaled x, struct scaled y, struct scaled m, struct scaled n)
{
    uint64_t sum[5] = {0}, any = 0;
    wide_add(sum, x, 1);
    wide_add(sum, y, 1);
    m.significand = -m.significand;
    n.significand = -n.significand;
    wide_add(sum, m, 0);
    wide_add(sum, n, 0);
    for (unsigned i = 0; i < 5; i++)
        any |= sum[i];
    return sum[4] >> 63 ? -1 : any ? 1 : 0;
}

/* The nearest value to x + y: magnitudes are ordered as their bits, so a binary search over middles finds it. */
static uint16_t nearest_sum(uint16_t x, uint16_t y, unsigned fraction)
{
    uint16_t infinity = fraction == 10 ? 0x7c00 : 0x7f80, sign = 0;
    if ((x & 0x7fff) > infinity || (y & 0x7fff) > infinity)
        return 0x7fff;
    if ((x & 0x7fff) == infinity || (y & 0x7fff) == infinity)
        return (x & 0x7fff) == infinity && (y & 0x7fff) == infinity && x != y ? 0x7fff : (x & 0x7fff) == infinity ? x : y;
    struct scaled a = scaled_of(x, fraction), b = scaled_of(y, fraction), zero = {0, 0};
    int total = side(a, b, zero, zero);
    if (total == 0)
        return x & y & 0x8000;
    if (total < 0) {
        a.significand = -a.significand;
        b.significand = -b.significand;
        sign = 0x8000;
    }
    uint16_t low = 0, high = infinity; /* the result is in [low, high]; scaled_of(infinity) is the power of two it stands for */
    while (low < high) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        int s = side(a, b, scaled_of(middle, fraction), scaled_of((uint16_t)(middle + 1), fraction));
        if (s > 0 || (s == 0 && (middle & 1)))
            low = (uint16_t)(middle + 1);
        else
            high = middle;
    }
    return sign | low;
}

static void half_sums(void **state)
{
    uint64_t seed = 2;
    for (unsigned i = 0; i < 60000; i++) {
        uint64_t random = lane_random(&seed);
        uint16_t x = (uint16_t)random, y = (uint16_t)(random >> 16);
        if (i % 3 == 0)
            y = (uint16_t)((x ^ 0x8000) + (int)(random >> 32 & 0xff) - 0x80); /* cancellation */
        uint64_t f16 = nearest_sum(x, y, 10), bf16 = nearest_sum(x, y, 7);
        assert_int_equal(lane_atomic(ISA_ATOMIC_ADD, ISA_F16, x, y, 0), f16);
        assert_int_equal(lane_atomic(ISA_ATOMIC_ADD, ISA_BF16, x, y, 0), bf16);
        uint32_t xx = (uint32_t)x << 16 | y, yy = (uint32_t)y << 16 | x;
        assert_int_equal(lane_atomic(ISA_ATOMIC_ADD, ISA_F16X2, xx, yy, 0), f16 << 16 | nearest_sum(y, x, 10));
        assert_int_equal(lane_atomic(ISA_ATOMIC_ADD, ISA_BF16X2, xx, yy, 0), bf16 << 16 | nearest_sum(y, x, 7));
    }
}

/* The order of the numbers by their decoded sign and magnitude; -0 counts as below +0. */
static uint16_t expected_extreme(uint16_t x, uint16_t y, uint16_t infinity, bool want_max)
{
    bool x_nan = (x & 0x7fff) > infinity, y_nan = (y & 0x7fff) > infinity;
    if (x_nan && y_nan)
        return 0x7fff;
    if (x_nan || y_nan)
        return x_nan ? y : x;
    int a = x & 0x8000 ? -1 - (x & 0x7fff) : x, b = y & 0x8000 ? -1 - (y & 0x7fff) : y;
    return (want_max ? a > b : a < b) ? x : y;
}

static void half_extremes(void **state)
{
    uint64_t seed = 3;
    for (unsigned i = 0; i < 50000; i++) {
        uint16_t x = (uint16_t)lane_random_value(&seed), y = (uint16_t)lane_random_value(&seed);
        assert_int_equal(lane_atomic(ISA_ATOMIC_MIN, ISA_F16, x, y, 0), expected_extreme(x, y, 0x7c00, false));
        assert_int_equal(lane_atomic(ISA_ATOMIC_MAX, ISA_F16, x, y, 0), expected_extreme(x, y, 0x7c00, true));
        assert_int_equal(lane_atomic(ISA_ATOMIC_MIN, ISA_BF16, x, y, 0), expected_extreme(x, y, 0x7f80, false));
        assert_int_equal(lane_atomic(ISA_ATOMIC_MAX, ISA_BF16, x, y, 0), expected_extreme(x, y, 0x7f80, true));
    }
}

struct sum_case {
    uint64_t x, y, global, shared;
};

static void f32_sums(void **state)
{
    static const struct sum_case cases[] = {
        {0x3f800000, 0x40000000, 0x40400000, 0x40400000}, /* 1 + 2 */
        {0x00000001, 0x00000001, 0x00000000, 0x00000002}, /* subnormal operands */
        {0x80000001, 0x80000001, 0x80000000, 0x80000002}, /* flushed with their sign */
        {0x00800000, 0x80c00000, 0x80000000, 0x80400000}, /* a subnormal result */
        {0x3f800000, 0x33800000, 0x3f800000, 0x3f800000}, /* a tie to even */
        {0x3f800001, 0x33800000, 0x3f800002, 0x3f800002}, {0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f800000},
        {0x7f800000, 0xff800000, 0x7fffffff, 0x7fffffff}, {0x7f800001, 0x3f800000, 0x7fffffff, 0x7fffffff},
        {0x80000000, 0x80000000, 0x80000000, 0x80000000}, {0x3f800000, 0xbf800000, 0x00000000, 0x00000000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned swap = 0; swap < 2; swap++) {
            uint64_t x = swap ? cases[i].y : cases[i].x, y = swap ? cases[i].x : cases[i].y;
            assert_int_equal(lane_atomic(ISA_ATOMIC_ADD, ISA_F32, x, y, 0), cases[i].global);
            assert_int_equal(lane_atomic(ISA_ATOMIC_ADD | LANE_ATOMIC_SUBNORMAL, ISA_F32, x, y, 0), cases[i].shared);
        }
}

static void f64_sums(void **state)
{
    static const struct sum_case cases[] = {
        {0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 0}, {1, 1, 2, 0},
        {0x3ff0000000000000, 0x3ca0000000000000, 0x3ff0000000000000, 0}, {0x7fefffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0},
        {0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000, 0}, {0x7ff0000000000123, 0x3ff0000000000000, 0x7ff8000000000123, 0},
        {0xfff0000000000001, 0x7ff8000000000002, 0x7ff8000000000002, 0}, /* of two NaNs the operand, as on an H100 */
        {0x3ff0000000000000, 0xfff4000000000123, 0xfffc000000000123, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(lane_atomic(ISA_ATOMIC_ADD, ISA_F64, cases[i].x, cases[i].y, 0), cases[i].global);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),  cmocka_unit_test(what_is_valid), cmocka_unit_test(half_sums), cmocka_unit_test(half_extremes),
        cmocka_unit_test(f32_sums), cmocka_unit_test(f64_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
