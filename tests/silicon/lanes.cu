/* Exchanges between the lanes of a warp, in every mode, with segments, amounts beyond the warp and partial masks. */
#include "silicon.h"

/* Lane l has the value 100 + 3 l. p is the predicate that shfl sets. */
#define SHUFFLE(mode)                                                                                                   \
    __global__ void shuffle_##mode(u32 *out, u32 amount, u32 by_lane, u32 clamp, u32 mask)                              \
    {                                                                                                                   \
        u32 lane = threadIdx.x, value = 100 + 3 * lane, got = 0, p = 0, b = by_lane ? (lane * 7 + amount) & 63 : amount; \
        if (mask >> lane & 1)                                                                                           \
            asm volatile("{.reg .pred p; shfl.sync." #mode ".b32 %0|p, %2, %3, %4, %5; selp.u32 %1, 1, 0, p;}"          \
                         : "=r"(got), "=r"(p)                                                                           \
                         : "r"(value), "r"(b), "r"(clamp), "r"(mask));                                                  \
        out[lane] = got * 2 + p;                                                                                        \
    }
SHUFFLE(up)
SHUFFLE(down)
SHUFFLE(bfly)
SHUFFLE(idx)

#define VOTE(mode)                                                                                                      \
    __global__ void vote_##mode(u32 *out, u32 trues, u32 mask)                                                          \
    {                                                                                                                   \
        u32 lane = threadIdx.x, got = 7, mine = trues >> lane & 1;                                                      \
        if (mask >> lane & 1)                                                                                           \
            asm volatile("{.reg .pred p, q, r; setp.ne.u32 p, %1, 0; vote.sync." #mode ".pred q, p, %2; vote.sync." #mode \
                         ".pred r, !p, %2; selp.u32 %0, 1, 0, q; @r add.u32 %0, %0, 2;}"                                \
                         : "=r"(got)                                                                                    \
                         : "r"(mine), "r"(mask));                                                                       \
        out[lane] = got;                                                                                                \
    }
VOTE(all)
VOTE(any)
VOTE(uni)
__global__ void vote_ballot(u32 *out, u32 trues, u32 mask)
{
    u32 lane = threadIdx.x, got = 7, mine = trues >> lane & 1;
    if (mask >> lane & 1)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2;}" : "=r"(got) : "r"(mine), "r"(mask));
    out[lane] = got;
}
__global__ void match(u32 *out, u32 shift, u32 mask)
{
    u32 lane = threadIdx.x, any = 0, any64 = 0, all = 0, p = 0, value = lane >> shift;
    u64 wide = (u64)value << 33 | 5;
    if (mask >> lane & 1) {
        asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(any) : "r"(value), "r"(mask));
        asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(any64) : "l"(wide), "r"(mask));
        asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.u32 %1, 1, 0, p;}" : "=r"(all), "=r"(p) : "r"(value), "r"(mask));
    }
    out[lane] = any ^ any64 * 3 ^ all * 5 ^ p << 31;
    out[lane + 32] = any;
}
#define REDUCE(name, type)                                                                                              \
    __global__ void reduce_##name##_##type(u32 *out, u32 seed, u32 mask)                                                \
    {                                                                                                                   \
        u32 lane = threadIdx.x, got = 0, value = (lane * 0x9e3779b1u + seed) * 0x85ebca6bu;                             \
        if (mask >> lane & 1)                                                                                           \
            asm volatile("redux.sync." #name "." #type " %0, %1, %2;" : "=r"(got) : "r"(value), "r"(mask));            \
        out[lane] = got;                                                                                                \
    }
REDUCE(add, u32)
REDUCE(add, s32)
REDUCE(min, u32)
REDUCE(min, s32)
REDUCE(max, u32)
REDUCE(max, s32)
REDUCE(and, b32)
REDUCE(or, b32)
REDUCE(xor, b32)

static void show(const char *name, const u32 *device, u32 mask, const char *format, int count = 32)
{
    u32 h[64];
    if (refused(name))
        return;
    cudaMemcpy(h, device, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s =", name);
    for (int i = 0; i < count; i++)
        if (mask >> (i % 32) & 1)
            printf(format, h[i]);
        else
            printf(" -");
    printf("\n");
}

int main()
{
    u32 *out = words<u32>(64);
    char name[128];
    const u32 amounts[] = {1, 5, 16, 31, 33, 0xffffffff};
    const u32 clamps[] = {0x1f, 0, 0x101f, 0x1c00, 0x0f, 0x0c1f, 0x205};
    for (u32 clamp : clamps)
        for (u32 amount : amounts) {
            u32 by_lane = amount == 5;
#define SHOW(mode)                                                                                                      \
    snprintf(name, sizeof name, "shfl.%s %x%s c=%x", #mode, amount, by_lane ? "+7*lane" : "", clamp);                   \
    shuffle_##mode<<<1, 32>>>(out, amount, by_lane, clamp, 0xffffffff);                                                 \
    show(name, out, 0xffffffff, " %u");
            SHOW(up)
            SHOW(down)
            SHOW(bfly)
            SHOW(idx)
#undef SHOW
        }
    const u32 masks[] = {0xffffffff, 0xffff, 0x55555555, 0x80000001, 0x00ff00ff, 1, 0x80000000};
    for (u32 mask : masks) {
        for (u32 trues : {0u, 0xffffffffu, 0xffffu, 0x55555555u, 1u, 0x7fffffffu}) {
#define SHOW(mode)                                                                                                      \
    snprintf(name, sizeof name, "vote.%s of %x mask %x", #mode, trues, mask);                                           \
    vote_##mode<<<1, 32>>>(out, trues, mask);                                                                           \
    show(name, out, mask, " %x", 1 + (mask == 0x80000000) * 31);
            SHOW(all)
            SHOW(any)
            SHOW(uni)
            SHOW(ballot)
#undef SHOW
        }
        for (u32 shift : {0u, 1u, 3u, 4u, 5u}) {
            snprintf(name, sizeof name, "match of lane >> %u mask %x", shift, mask);
            match<<<1, 32>>>(out, shift, mask);
            show(name, out, mask, " %x", 64);
        }
        for (u32 seed : {0u, 77u}) {
#define SHOW(op, type)                                                                                                  \
    snprintf(name, sizeof name, "redux.%s.%s of %u mask %x", #op, #type, seed, mask);                                   \
    reduce_##op##_##type<<<1, 32>>>(out, seed, mask);                                                                   \
    show(name, out, mask, " %x", 1 + (mask == 0x80000000) * 31);
            SHOW(add, u32)
            SHOW(add, s32)
            SHOW(min, u32)
            SHOW(min, s32)
            SHOW(max, u32)
            SHOW(max, s32)
            SHOW(and, b32)
            SHOW(or, b32)
            SHOW(xor, b32)
#undef SHOW
        }
        /* Where the source lane is not in the mask nothing is promised. */
        snprintf(name, sizeof name, "~ shfl.bfly 1 mask %x", mask);
        shuffle_bfly<<<1, 32>>>(out, 1, 0, 0x1f, mask);
        show(name, out, mask, " %u");
        snprintf(name, sizeof name, "~ shfl.idx 2 mask %x", mask);
        shuffle_idx<<<1, 32>>>(out, 2, 0, 0x1f, mask);
        show(name, out, mask, " %u");
        snprintf(name, sizeof name, "~ shfl.down 4 mask %x", mask);
        shuffle_down<<<1, 32>>>(out, 4, 0, 0x1f, mask);
        show(name, out, mask, " %u");
    }
    return 0;
}
