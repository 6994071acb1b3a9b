/* The part that lane families share: shapes of lane functions as macros over one expression, and the table in which an
 * instruction finds its function. Private to src/simt/lanes_*.c.
 *
 * A family is compiled a second time for AVX2 by lanes_avx2.c, which defines LANE_AVX2: a family names its resolver
 * LANE_FAMILY(lane_resolve_...). The expressions are exact, so both give the same bits. */
#ifndef LOCKSTEP_SIMT_LANES_BODY_H
#define LOCKSTEP_SIMT_LANES_BODY_H

#include <string.h>

#include "simt/lanes.h"

#ifdef LANE_AVX2
#define LANE_FAMILY(name) name##_avx2
#else
#define LANE_FAMILY(name) name
#endif

/* One instruction form: op, both type suffixes and all modifiers must be exactly these. */
struct lane_row {
    uint16_t op;
    uint8_t type, stype;
    struct isa_mods mods;
    lane_fn *fn;
};

static inline lane_fn *lane_lookup(const struct lane_row *rows, size_t count, const struct isa_instr *instr)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].op == instr->op && rows[i].type == instr->type && rows[i].stype == instr->stype &&
            !memcmp(&rows[i].mods, &instr->mods, sizeof instr->mods))
            return rows[i].fn;
    return NULL;
}

static inline unsigned lane_type_bits(uint8_t type)
{
    static const uint8_t width[ISA_TYPE_COUNT] = {
#define TYPE(id, text, bits, family) bits,
#include "isa/types.def"
#undef TYPE
    };
    return width[type];
}

static inline uint8_t lane_type_class(uint8_t type)
{
    static const uint8_t classes[ISA_TYPE_COUNT] = {
#define TYPE(id, text, bits, family) ISA_CLASS_##family,
#include "isa/types.def"
#undef TYPE
    };
    return classes[type];
}

/* The value of a row that holds 8 or 16 bits zero-extended. */
static inline int32_t lane_s8(uint32_t x)
{
    return (int8_t)x;
}

static inline int32_t lane_s16(uint32_t x)
{
    return (int16_t)x;
}

/* t combined with c by the BoolOp of setp, set, lop3. */
static inline uint32_t lane_boolop(uint8_t boolop, uint32_t t, uint32_t c)
{
    return boolop == ISA_BOOLOP_AND ? t & c : boolop == ISA_BOOLOP_OR ? t | c : boolop == ISA_BOOLOP_XOR ? t ^ c : t;
}

/* Functions of one to four sources x, y, z, w: D the type of the destination row, A, B, C, E those of the source
 * rows. */
#define LANE_UNARY(name, D, A, expr)                    \
    static void name(struct lane_args *args)            \
    {                                                   \
        const A *a = args->src[0];                      \
        D r[LANES];                                     \
        for (unsigned lane = 0; lane < LANES; lane++) { \
            A x = a[lane];                              \
            r[lane] = (D)(expr);                        \
        }                                               \
        LANE_STORE(D, args->dst[0], r, args->mask);     \
    }

#define LANE_BINARY(name, D, A, B, expr)                \
    static void name(struct lane_args *args)            \
    {                                                   \
        const A *a = args->src[0];                      \
        const B *b = args->src[1];                      \
        D r[LANES];                                     \
        for (unsigned lane = 0; lane < LANES; lane++) { \
            A x = a[lane];                              \
            B y = b[lane];                              \
            r[lane] = (D)(expr);                        \
        }                                               \
        LANE_STORE(D, args->dst[0], r, args->mask);     \
    }

#define LANE_TERNARY(name, D, A, B, C, expr)            \
    static void name(struct lane_args *args)            \
    {                                                   \
        const A *a = args->src[0];                      \
        const B *b = args->src[1];                      \
        const C *c = args->src[2];                      \
        D r[LANES];                                     \
        for (unsigned lane = 0; lane < LANES; lane++) { \
            A x = a[lane];                              \
            B y = b[lane];                              \
            C z = c[lane];                              \
            r[lane] = (D)(expr);                        \
        }                                               \
        LANE_STORE(D, args->dst[0], r, args->mask);     \
    }

#define LANE_QUATERNARY(name, D, A, B, C, E, expr)      \
    static void name(struct lane_args *args)            \
    {                                                   \
        const A *a = args->src[0];                      \
        const B *b = args->src[1];                      \
        const C *c = args->src[2];                      \
        const E *e = args->src[3];                      \
        D r[LANES];                                     \
        for (unsigned lane = 0; lane < LANES; lane++) { \
            A x = a[lane];                              \
            B y = b[lane];                              \
            C z = c[lane];                              \
            E w = e[lane];                              \
            r[lane] = (D)(expr);                        \
        }                                               \
        LANE_STORE(D, args->dst[0], r, args->mask);     \
    }

#endif
