/* Votes, shuffles, match and redux against oracles that ask for each lane what the PTX ISA says of it, on random masks
 * and values; and shuffles as CUDA uses them, against what CUDA promises. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"
#include "isa/op.h"
#include "simt/warp_ops.h"

#define ROUNDS 3000
#define UNTOUCHED 0xdeadbeefu

struct source {
    uint64_t seed, index;
};

static uint64_t draw(struct source *s)
{
    return random_at(s->seed, s->index++);
}

/* Dense, sparse, full and single-lane masks. */
static uint64_t draw_mask(struct source *s, unsigned width)
{
    uint64_t kind = draw(s) % 5, mask = draw(s);
    if (kind == 0)
        mask = ~UINT64_C(0);
    else if (kind == 1)
        mask &= draw(s) & draw(s);
    else if (kind == 2)
        mask |= draw(s) | draw(s);
    else if (kind == 3)
        mask = BIT64(mask % width);
    return mask & mask_low(width);
}

static bool in(uint64_t mask, unsigned lane)
{
    return mask >> lane & 1;
}

static void test_vote(void **state)
{
    struct source s = {1, 0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t active = draw_mask(&s, 64), members = draw_mask(&s, 64), pred = draw_mask(&s, 64);
        bool all = true, any = false, none = true;
        uint64_t ballot = 0;
        for (unsigned lane = 0; lane < 64; lane++)
            if (in(active, lane) && in(members, lane)) {
                all = all && in(pred, lane);
                any = any || in(pred, lane);
                none = none && !in(pred, lane);
                ballot += in(pred, lane) ? BIT64(lane) : 0;
            }
        assert_int_equal(warp_vote(ISA_VOTE_ALL, pred, active, members), all ? UINT64_MAX : 0);
        assert_int_equal(warp_vote(ISA_VOTE_ANY, pred, active, members), any ? UINT64_MAX : 0);
        assert_int_equal(warp_vote(ISA_VOTE_UNI, pred, active, members), all || none ? UINT64_MAX : 0);
        assert_int_equal(warp_vote(ISA_VOTE_BALLOT, pred, active, members), ballot);
    }
}

/* The rules of the manual for lane 0..31. Returns whether the source is in range. */
static bool oracle_shfl(uint8_t mode, unsigned lane, uint32_t b, uint32_t c, unsigned *source)
{
    uint32_t bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
    int max_lane = (int)((lane & mask) | (cval & ~mask)), min_lane = (int)(lane & mask), j = 0;
    bool in_range = false;
    if (mode == ISA_SHFL_UP) {
        j = (int)lane - (int)bval;
        in_range = j >= max_lane;
    } else if (mode == ISA_SHFL_DOWN) {
        j = (int)(lane + bval);
        in_range = j <= max_lane;
    } else if (mode == ISA_SHFL_BFLY) {
        j = (int)(lane ^ bval);
        in_range = j <= max_lane;
    } else if (mode == ISA_SHFL_IDX) {
        j = min_lane | (int)(bval & ~mask);
        in_range = j <= max_lane;
    }
    *source = in_range ? (unsigned)j : lane;
    return in_range;
}

static void test_shfl(void **state)
{
    struct source s = {2, 0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned width = round % 2 ? 64 : 32;
        uint64_t active = draw_mask(&s, width);
        uint8_t mode = (uint8_t)(ISA_SHFL_UP + draw(&s) % 4);
        uint32_t a[64], b[64], c[64], d[64], same_b = (uint32_t)draw(&s), same_c = (uint32_t)draw(&s);
        bool vary = draw(&s) % 2;
        for (unsigned lane = 0; lane < 64; lane++) {
            a[lane] = (uint32_t)draw(&s);
            b[lane] = vary ? (uint32_t)draw(&s) : same_b;
            c[lane] = vary ? (uint32_t)draw(&s) : same_c;
            d[lane] = UNTOUCHED;
        }
        struct warp_absent absent = {0};
        uint64_t in_range = warp_shfl(mode, d, a, b, c, active, &absent), readers = 0, sources = 0;
        for (unsigned lane = 0; lane < 64; lane++) {
            unsigned source;
            bool want = oracle_shfl(mode, lane % 32, b[lane], c[lane], &source);
            source += lane / 32 * 32;
            if (!in(active, lane)) {
                assert_false(in(in_range, lane));
                assert_int_equal(d[lane], UNTOUCHED);
                continue;
            }
            assert_int_equal(in(in_range, lane), want);
            assert_int_equal(d[lane], in(active, source) ? a[source] : 0);
            readers |= in(active, source) ? 0 : BIT64(lane);
            sources |= in(active, source) ? 0 : BIT64(source);
        }
        assert_true(absent.readers == readers && absent.sources == sources);
    }
}

/* __shfl_*_sync(mask, value, x, segment) as CUDA compiles it, against what CUDA says of it. */
static void test_shfl_as_cuda_uses_it(void **state)
{
    uint32_t a[32], b[32], c[32], d[32];
    for (unsigned segment = 2; segment <= 32; segment *= 2)
        for (uint32_t x = 0; x < segment; x++)
            for (uint8_t mode = ISA_SHFL_UP; mode <= ISA_SHFL_IDX; mode++) {
                for (unsigned lane = 0; lane < 32; lane++) {
                    a[lane] = 1000 + lane;
                    b[lane] = x;
                    c[lane] = (32 - segment) << 8 | (mode == ISA_SHFL_UP ? 0 : 31);
                }
                struct warp_absent absent = {0};
                warp_shfl(mode, d, a, b, c, mask_low(32), &absent);
                assert_int_equal(absent.readers, 0);
                for (unsigned lane = 0; lane < 32; lane++) {
                    unsigned base = lane / segment * segment, own = lane % segment, from = own;
                    if (mode == ISA_SHFL_UP && own >= x)
                        from = own - x;
                    else if (mode == ISA_SHFL_DOWN && own + x < segment)
                        from = own + x;
                    else if (mode == ISA_SHFL_BFLY)
                        from = own ^ x;
                    else if (mode == ISA_SHFL_IDX)
                        from = x;
                    assert_int_equal(d[lane], 1000 + base + from);
                }
            }
}

static void test_match(void **state)
{
    struct source s = {3, 0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned half = round % 2 * 32; /* lanes of one half, named by their place in it */
        bool wide = draw(&s) % 2;
        uint64_t active = draw_mask(&s, 32) << half, members = draw_mask(&s, 32) << half, a64[64], base = draw(&s);
        uint32_t a32[64], any[64], all[64];
        unsigned values = 1 + draw(&s) % 4;
        for (unsigned lane = 0; lane < 64; lane++) {
            a64[lane] = base + (draw(&s) % values << 32); /* 64-bit values that differ only above bit 31 */
            a32[lane] = (uint32_t)base + (uint32_t)(draw(&s) % values);
            any[lane] = all[lane] = UNTOUCHED;
        }
        const void *a = wide ? (const void *)a64 : a32;
        uint64_t part = active & members;
        warp_match_any(wide, any, a, active, members);
        uint64_t pred = warp_match_all(wide, all, a, active, members);
        bool equal = part != 0;
        for (unsigned x = 0; x < 64; x++)
            for (unsigned y = 0; y < 64; y++)
                if (in(part, x) && in(part, y))
                    equal = equal && (wide ? a64[x] == a64[y] : a32[x] == a32[y]);
        assert_int_equal(pred, equal ? active : 0);
        for (unsigned lane = 0; lane < 64; lane++) {
            uint64_t same = 0;
            for (unsigned other = 0; other < 64; other++)
                if (in(part, other) && (wide ? a64[lane] == a64[other] : a32[lane] == a32[other]))
                    same += BIT64(other);
            assert_int_equal(any[lane], in(active, lane) ? (uint32_t)(same >> half) : UNTOUCHED);
            assert_int_equal(all[lane], in(active, lane) ? equal ? (uint32_t)(part >> half) : 0 : UNTOUCHED);
        }
    }
}

static void test_redux(void **state)
{
    struct source s = {4, 0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t active = draw_mask(&s, 64), members = draw_mask(&s, 64);
        uint32_t a[64], sum = 0, all = UINT32_MAX, any = 0, odd = 0, least = UINT32_MAX, most = 0;
        int32_t least_s = INT32_MAX, most_s = INT32_MIN;
        for (unsigned lane = 0; lane < 64; lane++) {
            a[lane] = (uint32_t)draw(&s) >> draw(&s) % 32;
            a[lane] = draw(&s) % 2 ? ~a[lane] : a[lane];
            if (!in(active, lane) || !in(members, lane))
                continue;
            int32_t v = (int32_t)a[lane];
            sum += a[lane];
            all &= a[lane];
            any |= a[lane];
            odd ^= a[lane];
            least = a[lane] < least ? a[lane] : least;
            most = a[lane] > most ? a[lane] : most;
            least_s = v < least_s ? v : least_s;
            most_s = v > most_s ? v : most_s;
        }
        assert_int_equal(warp_redux(ISA_REDUCE_ADD, ISA_S32, a, active, members), sum);
        assert_int_equal(warp_redux(ISA_REDUCE_ADD, ISA_U32, a, active, members), sum);
        assert_int_equal(warp_redux(ISA_REDUCE_AND, ISA_B32, a, active, members), all);
        assert_int_equal(warp_redux(ISA_REDUCE_OR, ISA_B32, a, active, members), any);
        assert_int_equal(warp_redux(ISA_REDUCE_XOR, ISA_B32, a, active, members), odd);
        assert_int_equal(warp_redux(ISA_REDUCE_MIN, ISA_U32, a, active, members), least);
        assert_int_equal(warp_redux(ISA_REDUCE_MAX, ISA_U32, a, active, members), most);
        assert_int_equal((int32_t)warp_redux(ISA_REDUCE_MIN, ISA_S32, a, active, members), least_s);
        assert_int_equal((int32_t)warp_redux(ISA_REDUCE_MAX, ISA_S32, a, active, members), most_s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vote),  cmocka_unit_test(test_shfl),  cmocka_unit_test(test_shfl_as_cuda_uses_it),
        cmocka_unit_test(test_match), cmocka_unit_test(test_redux),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
