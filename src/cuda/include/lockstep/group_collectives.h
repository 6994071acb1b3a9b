/* Members of a group do these together: sums of any operation, scans, one member's call for all, copies. Included by
 * cooperative_groups.h, within its namespace. */
#ifndef LOCKSTEP_GROUP_COLLECTIVES_H
#define LOCKSTEP_GROUP_COLLECTIVES_H

/* ---- free functions ---- */
template <class Group> LOCKSTEP_GROUP void sync(const Group &g)
{
    g.sync();
}
template <class Group> LOCKSTEP_GROUP void synchronize(const Group &g)
{
    g.sync();
}
template <class Group> LOCKSTEP_GROUP unsigned thread_rank(const Group &g)
{
    return (unsigned)g.thread_rank();
}
template <class Group> LOCKSTEP_GROUP unsigned group_size(const Group &g)
{
    return (unsigned)g.size();
}

/* ---- reductions: every member gets op over all members' values ---- */
template <unsigned Size, class Parent, class T, class Op>
LOCKSTEP_GROUP T reduce(const thread_block_tile<Size, Parent, false> &g, T v, Op op)
{
    for (unsigned n = Size / 2; n > 0; n /= 2)
        v = op(v, g.shfl_xor(v, (int)n));
    return v;
}
template <unsigned Size, class Parent, class T, class Op>
LOCKSTEP_GROUP T reduce(const thread_block_tile<Size, Parent, true> &g, T v, Op op)
{
    return g.lockstep_over_warps(reduce(thread_block_tile<32, thread_block>(), v, op), op);
}
template <class T, class Op> LOCKSTEP_GROUP T reduce(const coalesced_group &g, T v, Op op)
{
    unsigned mask = g.lockstep_mask();
    T total = lockstep_detail::shfl(mask, v, __builtin_ctz(mask), 32, 0);
    for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1)
        total = op(total, lockstep_detail::shfl(mask, v, __builtin_ctz(rest), 32, 0));
    return total;
}

/* ---- scans: op over the members up to and including, or before, the caller ----
 * The caller's own value is the first operand, as with NVIDIA's headers, which matters where op does not commute. */
template <class Group, class T, class Op> LOCKSTEP_GROUP T inclusive_scan(const Group &g, T v, Op op)
{
    unsigned rank = g.thread_rank();
    for (unsigned n = 1; n < g.size(); n *= 2) {
        T below = g.shfl_up(v, n);
        if (rank >= n)
            v = op(v, below);
    }
    return v;
}
template <unsigned Size, class Parent, class T, class Op>
LOCKSTEP_GROUP T inclusive_scan(const thread_block_tile<Size, Parent, true> &g, T v, Op op)
{
    return g.lockstep_scan(v, op, true);
}
template <class Group, class T> LOCKSTEP_GROUP T inclusive_scan(const Group &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
/* The first member gets T(). */
template <class Group, class T, class Op> LOCKSTEP_GROUP T exclusive_scan(const Group &g, T v, Op op)
{
    T below = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : below;
}
template <unsigned Size, class Parent, class T, class Op>
LOCKSTEP_GROUP T exclusive_scan(const thread_block_tile<Size, Parent, true> &g, T v, Op op)
{
    return g.lockstep_scan(v, op, false);
}
template <class Group, class T> LOCKSTEP_GROUP T exclusive_scan(const Group &g, T v)
{
    return exclusive_scan(g, v, plus<T>());
}

/* ---- into an atomic object of libcu++, by one member ---- */
namespace lockstep_detail
{
template <class Atomic, class T, class Op> LOCKSTEP_GROUP T update(Atomic &atomic, T v, Op op)
{
    T old = atomic.load();
    while (!atomic.compare_exchange_weak(old, op(old, v)))
        ;
    return old;
}
} // namespace lockstep_detail
template <class Group, class Atomic, class T, class Op>
LOCKSTEP_GROUP void reduce_update_async(const Group &g, Atomic &atomic, T v, Op op)
{
    T total = reduce(g, v, op);
    if (g.thread_rank() == 0)
        lockstep_detail::update(atomic, total, op);
}
template <class Group, class Atomic, class T, class Op>
LOCKSTEP_GROUP void reduce_store_async(const Group &g, Atomic &atomic, T v, Op op)
{
    T total = reduce(g, v, op);
    if (g.thread_rank() == 0)
        atomic.store(total);
}
/* The scans go on from what the object held. */
template <class Group, class Atomic, class T, class Op>
LOCKSTEP_GROUP T inclusive_scan_update(const Group &g, Atomic &atomic, T v, Op op)
{
    T own = inclusive_scan(g, v, op), old = T();
    unsigned last = (unsigned)g.size() - 1;
    if (g.thread_rank() == last)
        old = lockstep_detail::update(atomic, own, op);
    return op(own, g.shfl(old, last));
}
template <class Group, class Atomic, class T> LOCKSTEP_GROUP T inclusive_scan_update(const Group &g, Atomic &a, T v)
{
    return inclusive_scan_update(g, a, v, plus<T>());
}
template <class Group, class Atomic, class T, class Op>
LOCKSTEP_GROUP T exclusive_scan_update(const Group &g, Atomic &atomic, T v, Op op)
{
    T own = inclusive_scan(g, v, op), old = T();
    unsigned last = (unsigned)g.size() - 1;
    if (g.thread_rank() == last)
        old = lockstep_detail::update(atomic, own, op);
    old = g.shfl(old, last);
    T below = g.shfl_up(own, 1);
    return g.thread_rank() == 0 ? old : op(below, old);
}
template <class Group, class Atomic, class T> LOCKSTEP_GROUP T exclusive_scan_update(const Group &g, Atomic &a, T v)
{
    return exclusive_scan_update(g, a, v, plus<T>());
}

/* ---- a call by one member; the others get its result ---- */
template <class Group, class Function, class... Arguments>
LOCKSTEP_GROUP void invoke_one(const Group &g, Function &&function, Arguments &&...arguments)
{
    if (g.thread_rank() == 0)
        function(static_cast<Arguments &&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
LOCKSTEP_GROUP auto invoke_one_broadcast(const Group &g, Function &&function, Arguments &&...arguments)
    -> decltype(function(static_cast<Arguments &&>(arguments)...))
{
    decltype(function(static_cast<Arguments &&>(arguments)...)) result;
    if (g.thread_rank() == 0)
        result = function(static_cast<Arguments &&>(arguments)...);
    return g.shfl(result, 0);
}

/* ---- copies: members take words in turn; what is copied is there for all behind wait ---- */
namespace lockstep_detail
{
template <class Word> LOCKSTEP_GROUP void copy_words(void *to, const void *from, size_t n, unsigned rank, unsigned size)
{
    for (size_t i = rank; i < n; i += size)
        ((Word *)to)[i] = ((const Word *)from)[i];
}
template <class Group> LOCKSTEP_GROUP void copy(const Group &g, void *to, const void *from, size_t bytes)
{
    size_t any = (size_t)to | (size_t)from | bytes;
    unsigned rank = (unsigned)g.thread_rank(), size = (unsigned)g.size();
    if (any % 16 == 0)
        copy_words<uint4>(to, from, bytes / 16, rank, size);
    else if (any % 4 == 0)
        copy_words<unsigned>(to, from, bytes / 4, rank, size);
    else
        copy_words<unsigned char>(to, from, bytes, rank, size);
}
} // namespace lockstep_detail
/* So many bytes; or, with two lengths, so many elements as the shorter one says. */
template <class Group, class T, class Shape>
LOCKSTEP_GROUP void memcpy_async(const Group &g, T *to, const T *from, const Shape &bytes)
{
    lockstep_detail::copy(g, to, from, (size_t)bytes);
}
template <class Group, class T, class ToLayout, class FromLayout>
LOCKSTEP_GROUP void memcpy_async(const Group &g, T *to, const ToLayout &room, const T *from, const FromLayout &there)
{
    size_t n = (size_t)room < (size_t)there ? (size_t)room : (size_t)there;
    lockstep_detail::copy(g, to, from, n * sizeof(T));
}
template <class Group> LOCKSTEP_GROUP void wait(const Group &g)
{
    g.sync();
}
template <unsigned Stages, class Group> LOCKSTEP_GROUP void wait_prior(const Group &g)
{
    g.sync();
}

#endif
