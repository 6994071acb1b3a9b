/* Lane operations: what one instruction computes in up to 32 lanes of a warp at once. They know rows of values and masks, no warp,
 * no cycle, no memory; the instruction's own modifiers are the only context.
 *
 * A row holds one value per lane: uint32_t[32] for values of up to 32 bits (8- and 16-bit values zero-extended, f16 and packed types as
 * their bits), uint64_t[32] for 64-bit values. A function computes every lane (so lane arithmetic is total: guarded divides and shifts) and stores
 * only the lanes of `mask`; rows of lanes outside the mask may hold anything, also signalling patterns. dst may be the same row as a src.
 * A machine with 64-lane warps calls a function twice. */
#ifndef LOCKSTEP_SIMT_LANES_H
#define LOCKSTEP_SIMT_LANES_H

#include <stdint.h>

#include "isa/program.h"

#define LANES 32

struct lane_args {
    void *dst[8];            /* rows of register destinations, in operand order; NULL for a sink */
    const void *src[12];     /* rows of register, immediate and special-register sources, in operand order, predicates left out */
    uint32_t pred_src[2];    /* lane masks of predicate sources, in operand order, negation applied; all ones when not written */
    uint32_t pred_dst[2];    /* out: lane masks of predicate destinations; only bits of `mask` count */
    uint32_t mask;           /* executing lanes, never 0 */
    uint32_t carry;          /* in and out: the condition code CC.CF of each lane, for .cc, addc, subc, madc */
    const struct isa_instr *instr;
};

typedef void lane_fn(struct lane_args *args);

/* The function for an instruction, chosen by op, types and modifiers; NULL when the combination has no lane semantics (memory, control,
 * warp-wide operations) or is not valid PTX (the PTX room then reports it). Each family resolves its own opcodes: */
lane_fn *lane_resolve(const struct isa_instr *instr);
lane_fn *lane_resolve_int(const struct isa_instr *instr);   /* lanes_int.c: integer arithmetic, addc.., sad, dp4a.. */
lane_fn *lane_resolve_video(const struct isa_instr *instr); /* lanes_video.c: video instructions, of words, halves and bytes */
lane_fn *lane_resolve_bits(const struct isa_instr *instr);  /* lanes_bits.c: logic, shifts, bit fields, prmt, lop3 */
lane_fn *lane_resolve_move(const struct isa_instr *instr);  /* lanes_move.c: mov (also packing), selp, slct, cvta, isspacep, mapa, cvt between integers */
lane_fn *lane_resolve_compare(const struct isa_instr *instr); /* lanes_compare.c: setp, set, testp over integers and floats */
lane_fn *lane_resolve_f32(const struct isa_instr *instr);   /* lanes_f32.c */
lane_fn *lane_resolve_f64(const struct isa_instr *instr);   /* lanes_f64.c */
lane_fn *lane_resolve_half(const struct isa_instr *instr);  /* lanes_half.c: f16, f16x2, bf16, bf16x2 */
lane_fn *lane_resolve_cvt(const struct isa_instr *instr);   /* lanes_cvt.c: cvt with a floating-point side */
lane_fn *lane_resolve_fp8(const struct isa_instr *instr);   /* lanes_fp8.c: cvt from and to pairs of 8-bit floats */
lane_fn *lane_resolve_special(const struct isa_instr *instr); /* lanes_special.c: rcp sqrt rsqrt sin cos lg2 ex2 tanh, approximate div */

/* Generic address windows: where shared, local and (for cvta.param) parameter addresses appear in the generic space. Global and
 * const addresses are their own generic addresses. */
#define LANE_SHARED_WINDOW UINT64_C(0x7F0000000000)
#define LANE_LOCAL_WINDOW UINT64_C(0x7E0000000000)
#define LANE_PARAM_WINDOW UINT64_C(0x7D0000000000)
#define LANE_WINDOW_BYTES UINT64_C(0x10000000000)

/* An address of .shared::cluster: from bit LANE_RANK_SHIFT up 1 + the rank of the block in its cluster in whose shared memory it
 * lies, or 0 for the executing block's own, so that an address of .shared::cta is one too; below, the offset there. */
#define LANE_RANK_SHIFT 24
#define LANE_SHARED_OFFSET(address) ((uint32_t)(address) & ((UINT32_C(1) << LANE_RANK_SHIFT) - 1))
#define LANE_SHARED_RANK(address) ((unsigned)((address) >> LANE_RANK_SHIFT) - 1) /* where bits above are not 0 */
#define LANE_SHARED_ADDRESS(rank, offset) ((uint64_t)((rank) + 1) << LANE_RANK_SHIFT | (offset))
#define LANE_CLUSTER_BLOCKS 16 /* of a cluster at most */

/* The mask bit of each lane: `mask & lane_bit[lane]` in a loop is what compilers turn into vector compares, `mask >> lane & 1` is not. */
static const uint32_t lane_bit[LANES] = {
    1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Stores r to the lanes of mask: the tail of nearly every lane function. T is uint32_t or uint64_t (or their signed forms). A sink (NULL)
 * takes nothing. The partial store is a blend without branches: lanes outside the mask are written with what they hold. */
#define LANE_STORE(T, d, r, m)                                                                                    \
    do {                                                                                                          \
        T *restrict lane_store_d_ = (d);                                                                          \
        const T *restrict lane_store_r_ = (r);                                                                    \
        uint32_t lane_store_m_ = (m);                                                                             \
        if (!lane_store_d_)                                                                                       \
            break;                                                                                                \
        if (lane_store_m_ == UINT32_MAX) {                                                                        \
            for (unsigned lane_ = 0; lane_ < LANES; lane_++)                                                      \
                lane_store_d_[lane_] = lane_store_r_[lane_];                                                      \
        } else {                                                                                                  \
            for (unsigned lane_ = 0; lane_ < LANES; lane_++) {                                                    \
                T lane_keep_ = -(T)((lane_store_m_ & lane_bit[lane_]) != 0);                                      \
                lane_store_d_[lane_] = (lane_store_r_[lane_] & lane_keep_) | (lane_store_d_[lane_] & ~lane_keep_); \
            }                                                                                                     \
        }                                                                                                         \
    } while (0)

/* The addresses of 32 lanes: row (64-bit values if wide, else 32-bit, in whose arithmetic the offset is added; NULL: all
 * 0) + offset, plus base. */
typedef void lane_addresses_fn(uint64_t *restrict address, const void *row, bool wide, uint64_t offset, uint64_t base);
/* A summary of the addresses of several lanes: as signed numbers they lie in [low, high]; `ones` are the bits that any
 * of them has; `bent` is 0 if they are the expected ones. */
struct lane_survey {
    uint64_t ones, bent;
    int64_t low, high;
};
/* Adds the lanes of mask, which is not 0. Expected of lane l is `expected` + l * size. */
typedef void lane_survey_fn(struct lane_survey *survey, const uint64_t *restrict address, uint32_t mask, uint64_t expected,
                            uint64_t size);
/* The versions for this processor. */
lane_addresses_fn *lane_addresses_here(void);
lane_survey_fn *lane_survey_here(void);

/* One atomic operation on one location: the new value of a location of `type` that holds old; cas compares with compare.
 * Values are the bits in the low part of the words. f16x2, bf16x2 add per half. Also used by the L2.
 * f32 add flushes subnormal operands and results to zero of their sign, as PTX states for global memory; in shared memory it keeps them:
 * or LANE_ATOMIC_SUBNORMAL into `atomic` for that. The 16-bit formats always keep them (.noftz, which PTX demands). */
#define LANE_ATOMIC_SUBNORMAL 0x80
/* True of a compare-and-swap. */
static inline bool lane_atomic_compares(uint8_t atomic)
{
    return (atomic & ~LANE_ATOMIC_SUBNORMAL) == ISA_ATOMIC_CAS;
}
uint64_t lane_atomic(uint8_t atomic, uint8_t type, uint64_t old, uint64_t operand, uint64_t compare);
/* Returns true if lane_atomic implements the operation on the type; otherwise it returns `old`. */
bool lane_atomic_valid(uint8_t atomic, uint8_t type);

#endif
