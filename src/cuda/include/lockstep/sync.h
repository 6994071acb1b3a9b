/* Barriers and fences, as inline assembly with a memory clobber. Clang's own __syncthreads and fence builtins are not
 * used: clang 14 forwards values of __shared__ variables across them, which moves a load above the barrier it must
 * follow. */
#ifndef LOCKSTEP_SYNC_H
#define LOCKSTEP_SYNC_H

LOCKSTEP_DEVICE void lockstep_bar_sync()
{
    asm volatile("bar.sync 0;" ::: "memory");
}
/* __syncthreads is the name of a clang builtin and cannot be redefined as a function. */
#undef __syncthreads
#define __syncthreads() lockstep_bar_sync()

LOCKSTEP_DEVICE int __syncthreads_count(int predicate)
{
    int count;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(count)
                 : "r"(predicate)
                 : "memory");
    return count;
}
LOCKSTEP_DEVICE int __syncthreads_and(int predicate)
{
    int all;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(all)
                 : "r"(predicate)
                 : "memory");
    return all;
}
LOCKSTEP_DEVICE int __syncthreads_or(int predicate)
{
    int any;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(any)
                 : "r"(predicate)
                 : "memory");
    return any;
}
/* Named barriers: threads must be a multiple of the warp size. */
LOCKSTEP_DEVICE void __barrier_sync(unsigned barrier)
{
    asm volatile("barrier.sync %0;" ::"r"(barrier) : "memory");
}
LOCKSTEP_DEVICE void __barrier_sync_count(unsigned barrier, unsigned threads)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

LOCKSTEP_DEVICE void __syncwarp(unsigned mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

LOCKSTEP_DEVICE void __threadfence_block()
{
    asm volatile("membar.cta;" ::: "memory");
}
LOCKSTEP_DEVICE void __threadfence()
{
    asm volatile("membar.gl;" ::: "memory");
}
LOCKSTEP_DEVICE void __threadfence_system()
{
    asm volatile("membar.sys;" ::: "memory");
}

#endif
