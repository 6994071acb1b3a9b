/* What the two blocks of a cluster do with each other's shared memory: part of program.h, and the host's model of it. */
#ifndef GENERATOR_CLUSTERS_H
#define GENERATOR_CLUSTERS_H

/* ---- clusters: the blocks of the grid, which are two; the memory of the other one, at the place of one's own ---- */
BUILTIN void sync_cluster()
{
#ifdef __CUDA_ARCH__
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#else
    model_barrier_grid();
#endif
}
#ifdef __CUDA_ARCH__
static __device__ INLINE u32 far(const void *p)
{
    u32 at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(IN_SHARED(p)), "r"(1 - bid()));
    return at;
}
#else
template <class T> static inline T *far(T *p)
{
    return (T *)((char *)&model.shared[1 - bid()] + ((char *)p - (char *)&model.shared[bid()]));
}
#endif
BUILTIN u32 far_read(u32 *p)
{
#ifdef __CUDA_ARCH__
    u32 v;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far(p)) : "memory");
    return v;
#else
    return *far(p);
#endif
}
BUILTIN void far_write(u32 *p, u32 v)
{
#ifdef __CUDA_ARCH__
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(far(p)), "r"(v) : "memory");
#else
    *far(p) = v;
#endif
}
#define FAR_ATOMIC(NAME, TEXT, HOST)                                                                                   \
    BUILTIN void NAME(u32 *p, u32 v)                                                                                   \
    {                                                                                                                  \
        BOTH(u32 old; asm volatile("atom.shared::cluster." TEXT " %0, [%1], %2;" : "=r"(old) : "r"(far(p)), "r"(v)     \
                                   : "memory"),                                                                        \
             u32 old = *far(p); *far(p) = HOST);                                                                       \
    }
FAR_ATOMIC(far_add, "add.u32", old + v)
FAR_ATOMIC(far_max, "max.u32", old > v ? old : v)
FAR_ATOMIC(far_xor, "xor.b32", old ^ v)
#ifdef __CUDA_ARCH__
/* What comes to the mbarrier of this block: so many bytes. */
static __device__ INLINE void far_expect(struct block_memory *s, u32 bytes)
{
    fence_proxies();
    mbarrier_begin(&s->mbarrier, 1);
    if (tid() == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(IN_SHARED(&s->mbarrier)), "r"(bytes) : "memory");
    sync_cluster();
}
static __device__ INLINE void far_came(struct block_memory *s)
{
    asm volatile("{ .reg .pred over;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], 0;\n@!over bra again; }" ::"r"(IN_SHARED(&s->mbarrier))
                 : "memory");
    mbarrier_end(&s->mbarrier);
    sync_cluster();
}
#endif
/* Each thread sends a word to the other block's room. */
BUILTIN void send_word(struct block_memory *s, u32 v)
{
#ifdef __CUDA_ARCH__
    far_expect(s, 4 * threads());
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(far(&s->room[tid()])), "r"(v),
                 "r"(far(&s->mbarrier))
                 : "memory");
    far_came(s);
#else
    sync_cluster();
    far_write(&s->room[tid()], v);
    sync_cluster();
#endif
}
/* One copy takes the room to a stage of the other block's ring. */
BUILTIN void send_room(struct block_memory *s, u32 stage)
{
#ifdef __CUDA_ARCH__
    far_expect(s, (u32)sizeof s->room);
    if (tid() == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(far(s->ring[stage])),
                     "r"(IN_SHARED(s->room)), "r"((u32)sizeof s->room), "r"(far(&s->mbarrier))
                     : "memory");
    far_came(s);
#else
    sync_cluster();
    if (tid() == 0)
        memcpy(far(s->ring[stage]), s->room, sizeof s->room);
    sync_cluster();
#endif
}
/* A barrier of both blocks, by arrivals of all threads at both mbarriers. */
BUILTIN void meet_far(struct block_memory *s)
{
#ifdef __CUDA_ARCH__
    mbarrier_begin(&s->mbarrier, 2 * threads());
    sync_cluster();
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far(&s->mbarrier)) : "memory");
    asm volatile("{ .reg .b64 state; mbarrier.arrive.release.cluster.shared::cta.b64 state, [%0]; }" ::"r"(IN_SHARED(&s->mbarrier)) : "memory");
    far_came(s);
#else
    (void)s;
    sync_cluster();
#endif
}
/* A block's copy takes a row to a stage of both blocks' rings. */
BUILTIN void cast_row(struct block_memory *s, const u32 *row, u32 stage, u32 by)
{
#ifdef __CUDA_ARCH__
    far_expect(s, (u32)sizeof s->ring[stage]);
    if (tid() == 0 && bid() == by)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                         IN_SHARED(s->ring[stage])),
                     "l"(IN_GLOBAL(row)), "r"((u32)sizeof s->ring[stage]), "r"(IN_SHARED(&s->mbarrier)), "h"((unsigned short)3)
                     : "memory");
    far_came(s);
#else
    sync_cluster();
    if (tid() == 0 && bid() == by) {
        memcpy(s->ring[stage], row, sizeof s->ring[stage]);
        memcpy(far(s->ring[stage]), row, sizeof s->ring[stage]);
    }
    sync_cluster();
#endif
}
/* Each thread adds to a word of the other block's room, of which there are few. */
BUILTIN void add_word(struct block_memory *s, u32 v, u32 words)
{
#ifdef __CUDA_ARCH__
    far_expect(s, 4 * threads());
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                     far(&s->room[tid() % words])),
                 "r"(v), "r"(far(&s->mbarrier))
                 : "memory");
    far_came(s);
#else
    sync_cluster();
    *far(&s->room[tid() % words]) += v;
    sync_cluster();
#endif
}
/* A copy adds the room to a stage of the other block's ring. */
BUILTIN void add_room(struct block_memory *s, u32 stage)
{
#ifdef __CUDA_ARCH__
    far_expect(s, (u32)sizeof s->room);
    if (tid() == 0)
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];" ::"r"(
                         far(s->ring[stage])),
                     "r"(IN_SHARED(s->room)), "r"((u32)sizeof s->room), "r"(far(&s->mbarrier))
                     : "memory");
    far_came(s);
#else
    sync_cluster();
    if (tid() == 0)
        for (u32 i = 0; i < MOST_THREADS; i++)
            far(s->ring[stage])[i] += s->room[i];
    sync_cluster();
#endif
}

#endif
