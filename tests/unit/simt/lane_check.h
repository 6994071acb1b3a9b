/* Drives one lane function against a scalar oracle: all pairs of edge values and random ones, full, partial and
 * single-lane masks, the destination apart from and on top of each source; lanes outside the mask must keep what
 * they hold. Each check runs the plain family and, where the processor can, the one compiled for AVX2. */
#ifndef LANE_CHECK_H
#define LANE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simt/lanes_avx2.h"

/* What one lane yields: a value for the destination row, the carry, the two predicates. */
struct lane_result {
    uint64_t value;
    bool carry, p, q;
};

struct lane_input {
    const struct isa_instr *instr;
    uint64_t src[4];
    bool carry, pred[2];
};

typedef void lane_oracle(const struct lane_input *in, struct lane_result *out);

struct lane_form {
    struct isa_instr instr;
    unsigned dst_bits;    /* width of the destination row's type; 0: none */
    unsigned src_bits[4]; /* widths of the sources, 0 after the last */
    unsigned preds;       /* predicate destinations to compare */
    bool carry;           /* the carry must be what the oracle says; otherwise it must not change */
    lane_oracle *oracle;
};

typedef lane_fn *lane_resolver(const struct isa_instr *instr);

static const uint64_t lane_edges[] = {
    0, 1, 2, 3, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x123456,
    0x7fffff, 0x800000, 0xffffff, 0x55555555, 0xaaaaaaaa, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000,
    0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x807fffff, 0x00800000, 0x3c003c00, 0x7c00fc00, 0x7e008001,
    0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x000fffffffffffff, 0x5555555555555555,
    0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff, 0x0123456789abcdef,
};
#define LANE_EDGES (sizeof lane_edges / sizeof *lane_edges)
#define LANE_RANDOM_BATCHES 60

static inline uint64_t lane_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline uint64_t lane_low(uint64_t x, unsigned bits)
{
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

/* A random value; half of them small, or with long runs of equal bits. */
static inline uint64_t lane_random_value(uint64_t *state)
{
    uint64_t kind = lane_random(state) & 7, x = lane_random(state), y = lane_random(state);
    return kind < 4 ? x : kind == 4 ? x & 0xff : kind == 5 ? x >> (y & 63) : kind == 6 ? ~(x >> (y & 63)) : lane_edges[x % LANE_EDGES];
}

static inline void lane_put(void *row, unsigned bits, unsigned lane, uint64_t value)
{
    if (bits == 64)
        ((uint64_t *)row)[lane] = value;
    else
        ((uint32_t *)row)[lane] = (uint32_t)value;
}

static inline uint64_t lane_get(const void *row, unsigned bits, unsigned lane)
{
    return bits == 64 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

static inline void lane_describe(const struct lane_input *in, unsigned lane, uint64_t got, uint64_t want, const char *what)
{
    static const char *const ops[] = {
#define OP(id, text, operands, types, fields, unit, latency, flags, doc) text,
#include "isa/op.def"
#undef OP
    };
    static const char *const types[] = {
#define TYPE(id, text, bits, family) text,
#include "isa/types.def"
#undef TYPE
    };
    const uint8_t *mods = (const uint8_t *)&in->instr->mods;
    print_error("%s.%s.%s mods", ops[in->instr->op], types[in->instr->type], types[in->instr->stype]);
    for (unsigned i = 0; i < sizeof in->instr->mods; i++)
        if (mods[i])
            print_error(" %u=%u", i, mods[i]);
    print_error(": lane %u: %s(%llx, %llx, %llx, %llx) c%d p%d%d = %llx, expected %llx\n", lane, what,
                (unsigned long long)in->src[0], (unsigned long long)in->src[1], (unsigned long long)in->src[2],
                (unsigned long long)in->src[3], in->carry, in->pred[0], in->pred[1], (unsigned long long)got,
                (unsigned long long)want);
    fail();
}

/* One batch: in[lane] are the inputs; the destination lies on source `alias`, or apart (alias 4). */
static inline void lane_run_batch(const struct lane_form *form, lane_fn *fn, const struct lane_input in[LANES], uint32_t mask,
                                  unsigned alias)
{
    uint64_t rows[5][LANES], before[LANES];
    struct lane_args args = {.mask = mask, .instr = &form->instr};
    memset(rows, 0xa5, sizeof rows);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < 4 && form->src_bits[i]; i++)
            lane_put(rows[i], form->src_bits[i], lane, in[lane].src[i]);
        args.carry |= (uint32_t)in[lane].carry << lane;
        args.pred_src[0] |= (uint32_t)in[lane].pred[0] << lane;
        args.pred_src[1] |= (uint32_t)in[lane].pred[1] << lane;
    }
    for (unsigned i = 0; i < 4 && form->src_bits[i]; i++)
        args.src[i] = rows[i];
    args.dst[0] = form->dst_bits ? rows[alias] : NULL;
    memcpy(before, rows[alias], sizeof before);
    fn(&args);
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct lane_result want = {0};
        form->oracle(&in[lane], &want);
        bool active = mask >> lane & 1;
        uint64_t value = form->dst_bits ? lane_get(rows[alias], form->dst_bits, lane) : 0;
        uint64_t kept = lane_get(before, form->dst_bits, lane);
        if (form->dst_bits && value != (active ? want.value : kept))
            lane_describe(&in[lane], lane, value, active ? want.value : kept, active ? "value" : "inactive");
        bool carry = args.carry >> lane & 1;
        if (carry != (active && form->carry ? want.carry : in[lane].carry))
            lane_describe(&in[lane], lane, carry, want.carry, "carry");
        if (active && form->preds > 0 && (args.pred_dst[0] >> lane & 1) != want.p)
            lane_describe(&in[lane], lane, !want.p, want.p, "p");
        if (active && form->preds > 1 && (args.pred_dst[1] >> lane & 1) != want.q)
            lane_describe(&in[lane], lane, !want.q, want.q, "q");
    }
}

static inline void lane_check_fn(const struct lane_form *form, lane_fn *fn)
{
    uint64_t state = form->instr.op * 1000003u + form->instr.type * 257u + form->instr.stype;
    unsigned pair = 0, sources = 0;
    while (sources < 4 && form->src_bits[sources])
        sources++;
    for (unsigned batch = 0; batch < LANE_EDGES * LANE_EDGES / LANES + LANE_RANDOM_BATCHES; batch++) {
        struct lane_input in[LANES];
        for (unsigned lane = 0; lane < LANES; lane++, pair++) {
            in[lane] = (struct lane_input){.instr = &form->instr};
            for (unsigned i = 0; i < sources; i++) {
                uint64_t x = lane_random_value(&state);
                if (pair < LANE_EDGES * LANE_EDGES && i < 2)
                    x = lane_edges[i ? pair / LANE_EDGES : pair % LANE_EDGES];
                in[lane].src[i] = lane_low(x, form->src_bits[i]);
            }
            in[lane].carry = lane_random(&state) & 1;
            in[lane].pred[0] = lane_random(&state) & 1;
            in[lane].pred[1] = lane_random(&state) & 1;
        }
        uint32_t random = (uint32_t)lane_random(&state), one = 1u << (batch & 31);
        uint32_t mask = batch % 4 == 0 ? UINT32_MAX : batch % 4 == 1 ? one : random | one;
        lane_run_batch(form, fn, in, mask, batch % (sources + 1) == sources ? 4 : batch % (sources + 1));
    }
}

/* The form must resolve in the plain family and in the AVX2 one, and both must agree with the oracle. */
static inline void lane_check(const struct lane_form *form, lane_resolver *plain, lane_resolver *avx2)
{
    lane_fn *fn = plain(&form->instr);
    assert_non_null(fn);
    lane_check_fn(form, fn);
    if (lane_has_avx2()) {
        fn = avx2(&form->instr);
        assert_non_null(fn);
        lane_check_fn(form, fn);
    }
}

static inline unsigned lane_bits_of(uint8_t type)
{
    static const uint8_t width[] = {
#define TYPE(id, text, bits, family) bits,
#include "isa/types.def"
#undef TYPE
    };
    return width[type];
}

static inline bool lane_is_signed(uint8_t type)
{
    return type == ISA_S8 || type == ISA_S16 || type == ISA_S32 || type == ISA_S64;
}

static inline bool lane_is_int(uint8_t type, unsigned least_bits)
{
    return ((type >= ISA_U8 && type <= ISA_U64) || (type >= ISA_S8 && type <= ISA_S64)) && lane_bits_of(type) >= least_bits;
}

/* The number that bits of an integer type mean. */
static inline __int128 lane_number_of(uint8_t type, uint64_t bits)
{
    unsigned n = lane_bits_of(type);
    __int128 value = 0;
    for (unsigned i = 0; i < n; i++) {
        __int128 weight = (__int128)1 << i;
        if (bits >> i & 1)
            value += i == n - 1 && lane_is_signed(type) ? -weight : weight;
    }
    return value;
}

static inline __int128 lane_least(uint8_t type)
{
    return lane_is_signed(type) ? -((__int128)1 << (lane_bits_of(type) - 1)) : 0;
}

static inline __int128 lane_most(uint8_t type)
{
    return ((__int128)1 << (lane_bits_of(type) - lane_is_signed(type))) - 1;
}

#endif
