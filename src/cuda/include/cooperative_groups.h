/* Cooperative groups: the thread block, tiles of it (of lanes of a warp, or of several warps), the threads that happen
 * to run together, their collectives (sync, shuffles, votes, matches, reduce, scans), and the grid with its barrier in
 * a cooperative launch. Left out: clusters, multi-device groups and memcpy_async. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDA__)

namespace cooperative_groups
{

#define LOCKSTEP_GROUP static __device__ __forceinline__ __attribute__((nodebug))
#define LOCKSTEP_MEMBER __device__ __forceinline__ __attribute__((nodebug))

namespace lockstep_detail
{

LOCKSTEP_GROUP unsigned lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
LOCKSTEP_GROUP unsigned lanes_below()
{
    unsigned r;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    return r;
}
LOCKSTEP_GROUP unsigned block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
LOCKSTEP_GROUP unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* Shuffles of any type that can be copied as bytes, word by word where CUDA's own take none such. */
#define LOCKSTEP_GROUP_SHUFFLE(NAME, LANE)                                                                             \
    template <class T>                                                                                                 \
    LOCKSTEP_GROUP auto NAME(unsigned mask, T v, LANE lane, int width, int)->decltype(__##NAME##_sync(mask, v, lane))  \
    {                                                                                                                  \
        return __##NAME##_sync(mask, v, lane, width);                                                                  \
    }                                                                                                                  \
    template <class T> LOCKSTEP_GROUP T NAME(unsigned mask, T v, LANE lane, int width, long)                           \
    {                                                                                                                  \
        unsigned words[(sizeof(T) + 3) / 4] = {0};                                                                     \
        __builtin_memcpy(words, &v, sizeof(T));                                                                        \
        for (unsigned &word : words)                                                                                   \
            word = __##NAME##_sync(mask, word, lane, width);                                                           \
        __builtin_memcpy(&v, words, sizeof(T));                                                                        \
        return v;                                                                                                      \
    }
LOCKSTEP_GROUP_SHUFFLE(shfl, int)
LOCKSTEP_GROUP_SHUFFLE(shfl_up, unsigned)
LOCKSTEP_GROUP_SHUFFLE(shfl_down, unsigned)
LOCKSTEP_GROUP_SHUFFLE(shfl_xor, int)
#undef LOCKSTEP_GROUP_SHUFFLE

} // namespace lockstep_detail

/* ---- the whole grid ----
 * Its barrier counts the blocks that have arrived since the launch began, in the second word of the grid workspace: the
 * n-th barrier of a grid of b blocks ends when n * b have. The word holds 2^32 arrivals. */
class grid_group
{
    LOCKSTEP_MEMBER static unsigned *arrivals()
    {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        unsigned long long workspace = (unsigned long long)high << 32 | low;
        return workspace ? (unsigned *)(workspace + 4) : nullptr;
    }

  public:
    /* The count of arrivals that ends the barrier which a block awaits. Held by the block's first thread. */
    struct arrival_token {
        unsigned end;
    };
    /* Returns true if the kernel was launched cooperatively. */
    LOCKSTEP_MEMBER bool is_valid() const
    {
        return arrivals() != nullptr;
    }
    /* All threads of the grid. What they wrote before is seen by all after. In a launch that is not cooperative the
     * kernel stops here. */
    LOCKSTEP_MEMBER void sync() const
    {
        barrier_wait(barrier_arrive());
    }
    LOCKSTEP_MEMBER arrival_token barrier_arrive() const
    {
        unsigned *count = arrivals();
        if (!count)
            __trap();
        arrival_token token = {0};
        __syncthreads();
        if (lockstep_detail::block_rank() == 0) {
            unsigned blocks = (unsigned)num_blocks();
            __threadfence();
            unsigned before = atomicAdd(count, 1u);
            token.end = before - before % blocks + blocks;
        }
        return token;
    }
    LOCKSTEP_MEMBER void barrier_wait(arrival_token token) const
    {
        if (lockstep_detail::block_rank() == 0) {
            const volatile unsigned *count = arrivals();
            while ((int)(*count - token.end) < 0)
                ;
            __threadfence();
        }
        __syncthreads();
    }
    LOCKSTEP_MEMBER unsigned long long num_blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    LOCKSTEP_MEMBER unsigned long long block_rank() const
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    LOCKSTEP_MEMBER unsigned long long num_threads() const
    {
        return num_blocks() * lockstep_detail::block_size();
    }
    LOCKSTEP_MEMBER unsigned long long size() const
    {
        return num_threads();
    }
    LOCKSTEP_MEMBER unsigned long long thread_rank() const
    {
        return block_rank() * lockstep_detail::block_size() + lockstep_detail::block_rank();
    }
    LOCKSTEP_MEMBER dim3 group_dim() const
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    LOCKSTEP_MEMBER dim3 dim_blocks() const
    {
        return group_dim();
    }
    LOCKSTEP_MEMBER dim3 block_index() const
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
};
LOCKSTEP_GROUP grid_group this_grid()
{
    return grid_group();
}

/* ---- the block ---- */
struct lockstep_tile_memory;
class thread_block
{
    lockstep_tile_memory *memory_;

  public:
    LOCKSTEP_MEMBER explicit thread_block(lockstep_tile_memory *memory = nullptr) : memory_(memory)
    {
    }
    LOCKSTEP_MEMBER lockstep_tile_memory *lockstep_memory() const
    {
        return memory_;
    }
    LOCKSTEP_MEMBER static void sync()
    {
        __syncthreads();
    }
    LOCKSTEP_MEMBER static unsigned size()
    {
        return lockstep_detail::block_size();
    }
    LOCKSTEP_MEMBER static unsigned num_threads()
    {
        return size();
    }
    LOCKSTEP_MEMBER static unsigned thread_rank()
    {
        return lockstep_detail::block_rank();
    }
    LOCKSTEP_MEMBER static dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    LOCKSTEP_MEMBER static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    LOCKSTEP_MEMBER static dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    LOCKSTEP_MEMBER static dim3 dim_threads()
    {
        return group_dim();
    }
};
LOCKSTEP_GROUP thread_block this_thread_block()
{
    return thread_block();
}

/* ---- lanes of one warp: what tiles and coalesced groups share ---- */
class lockstep_lanes
{
  protected:
    unsigned mask_; /* lanes of the warp that belong */
    LOCKSTEP_MEMBER explicit lockstep_lanes(unsigned mask) : mask_(mask)
    {
    }

    /* ballot bits of the group, packed to ranks */
    LOCKSTEP_MEMBER unsigned pack(unsigned lanes) const
    {
        unsigned packed = 0, rank = 0;
        for (unsigned rest = mask_; rest; rest &= rest - 1, rank++)
            packed |= (lanes >> __builtin_ctz(rest) & 1u) << rank;
        return packed;
    }

  public:
    LOCKSTEP_MEMBER void sync() const
    {
        __syncwarp(mask_);
    }
    LOCKSTEP_MEMBER unsigned size() const
    {
        return (unsigned)__popc(mask_);
    }
    LOCKSTEP_MEMBER unsigned num_threads() const
    {
        return size();
    }
    LOCKSTEP_MEMBER unsigned thread_rank() const
    {
        return (unsigned)__popc(mask_ & lockstep_detail::lanes_below());
    }
    LOCKSTEP_MEMBER int any(int predicate) const
    {
        return __any_sync(mask_, predicate);
    }
    LOCKSTEP_MEMBER int all(int predicate) const
    {
        return __all_sync(mask_, predicate);
    }
    LOCKSTEP_MEMBER unsigned lockstep_mask() const
    {
        return mask_;
    }
};

/* ---- a tile of Size consecutive threads of a block, Size a power of two: up to 32 here, else lockstep/wide_tile.h
 * ---- */
template <unsigned Size, class Parent = thread_block, bool Wide = (Size > 32)>
class thread_block_tile : public lockstep_lanes
{
    static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "tile size must be a power of two");
    LOCKSTEP_MEMBER static unsigned first()
    {
        return lockstep_detail::lane() & ~(Size - 1);
    }

  public:
    LOCKSTEP_MEMBER thread_block_tile() : lockstep_lanes((Size == 32 ? ~0u : (1u << (Size & 31)) - 1) << first())
    {
    }
    LOCKSTEP_MEMBER static constexpr unsigned size()
    {
        return Size;
    }
    LOCKSTEP_MEMBER static constexpr unsigned num_threads()
    {
        return Size;
    }
    LOCKSTEP_MEMBER unsigned thread_rank() const
    {
        return lockstep_detail::lane() & (Size - 1);
    }
    LOCKSTEP_MEMBER unsigned meta_group_size() const
    {
        return (lockstep_detail::block_size() + Size - 1) / Size;
    }
    LOCKSTEP_MEMBER unsigned meta_group_rank() const
    {
        return lockstep_detail::block_rank() / Size;
    }
    template <class T> LOCKSTEP_MEMBER T shfl(T v, int rank) const
    {
        return lockstep_detail::shfl(mask_, v, rank, Size, 0);
    }
    template <class T> LOCKSTEP_MEMBER T shfl_up(T v, unsigned n) const
    {
        return lockstep_detail::shfl_up(mask_, v, n, Size, 0);
    }
    template <class T> LOCKSTEP_MEMBER T shfl_down(T v, unsigned n) const
    {
        return lockstep_detail::shfl_down(mask_, v, n, Size, 0);
    }
    template <class T> LOCKSTEP_MEMBER T shfl_xor(T v, int n) const
    {
        return lockstep_detail::shfl_xor(mask_, v, n, Size, 0);
    }
    LOCKSTEP_MEMBER unsigned ballot(int predicate) const
    {
        return __ballot_sync(mask_, predicate) >> first();
    }
    template <class T> LOCKSTEP_MEMBER unsigned match_any(T v) const
    {
        return __match_any_sync(mask_, v) >> first();
    }
    template <class T> LOCKSTEP_MEMBER unsigned match_all(T v, int &all) const
    {
        return __match_all_sync(mask_, v, &all) >> first();
    }
};
namespace lockstep_detail
{
template <unsigned Size, bool Wide> struct tile_maker {
    template <class Parent> LOCKSTEP_MEMBER static thread_block_tile<Size, Parent> make(const Parent &)
    {
        return thread_block_tile<Size, Parent>();
    }
};
template <unsigned Size> struct tile_maker<Size, true> {
    template <class Parent> LOCKSTEP_MEMBER static thread_block_tile<Size, Parent> make(const Parent &parent)
    {
        return thread_block_tile<Size, Parent>(parent.lockstep_memory());
    }
};
} // namespace lockstep_detail
template <unsigned Size, class Parent>
LOCKSTEP_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    return lockstep_detail::tile_maker<Size, (Size > 32)>::make(parent);
}

/* ---- any set of lanes of a warp; ranks count members from lane 0 up ---- */
class coalesced_group : public lockstep_lanes
{
  public:
    LOCKSTEP_MEMBER explicit coalesced_group(unsigned mask) : lockstep_lanes(mask)
    {
    }
    LOCKSTEP_MEMBER unsigned meta_group_size() const
    {
        return 1;
    }
    LOCKSTEP_MEMBER unsigned meta_group_rank() const
    {
        return 0;
    }
    template <class T> LOCKSTEP_MEMBER T shfl(T v, unsigned rank) const
    {
        unsigned lane = __fns(mask_, 0, (int)rank + 1);
        return lockstep_detail::shfl(mask_, v, (int)(lane & 31), 32, 0);
    }
    /* Beyond the first or last member the caller keeps its own value. */
    template <class T> LOCKSTEP_MEMBER T shfl_up(T v, unsigned n) const
    {
        unsigned rank = thread_rank();
        return shfl(v, rank >= n ? rank - n : rank);
    }
    template <class T> LOCKSTEP_MEMBER T shfl_down(T v, unsigned n) const
    {
        unsigned rank = thread_rank();
        return shfl(v, rank + n < size() ? rank + n : rank);
    }
    LOCKSTEP_MEMBER unsigned ballot(int predicate) const
    {
        return pack(__ballot_sync(mask_, predicate));
    }
    template <class T> LOCKSTEP_MEMBER unsigned match_any(T v) const
    {
        return pack(__match_any_sync(mask_, v));
    }
    template <class T> LOCKSTEP_MEMBER unsigned match_all(T v, int &all) const
    {
        return pack(__match_all_sync(mask_, v, &all));
    }
};
LOCKSTEP_GROUP coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* ---- any of the groups above but the grid, for functions that take whichever they are given ---- */
class thread_group
{
    bool is_block_;
    unsigned mask_; /* of the warp's lanes, unless it is the block */

  public:
    LOCKSTEP_MEMBER thread_group(const thread_block &) : is_block_(true), mask_(0)
    {
    }
    LOCKSTEP_MEMBER thread_group(const lockstep_lanes &lanes) : is_block_(false), mask_(lanes.lockstep_mask())
    {
    }
    LOCKSTEP_MEMBER void sync() const
    {
        if (is_block_)
            __syncthreads();
        else
            __syncwarp(mask_);
    }
    LOCKSTEP_MEMBER unsigned long long size() const
    {
        return is_block_ ? lockstep_detail::block_size() : (unsigned)__popc(mask_);
    }
    LOCKSTEP_MEMBER unsigned long long num_threads() const
    {
        return size();
    }
    LOCKSTEP_MEMBER unsigned long long thread_rank() const
    {
        return is_block_ ? lockstep_detail::block_rank() : (unsigned)__popc(mask_ & lockstep_detail::lanes_below());
    }
    /* Lanes with the caller's rank / count among the group's, in a block among its warps'. */
    LOCKSTEP_MEMBER unsigned lockstep_tile(unsigned count) const
    {
        unsigned lanes = is_block_ ? __activemask() : mask_, tile = 0;
        unsigned own = __popc(lanes & lockstep_detail::lanes_below()) / count, rank = 0;
        for (unsigned rest = lanes; rest; rest &= rest - 1, rank++)
            tile |= rank / count == own ? rest & (0 - rest) : 0;
        return tile;
    }
};
/* Tiles of a size known when the program runs, a power of two up to 32. All threads of the parent call it. */
LOCKSTEP_GROUP thread_group tiled_partition(const thread_group &parent, unsigned count)
{
    return coalesced_group(parent.lockstep_tile(count));
}

/* The members of a group for which the predicate, or the label, agrees. */
template <class Group> LOCKSTEP_GROUP coalesced_group binary_partition(const Group &g, bool predicate)
{
    unsigned yes = __ballot_sync(g.lockstep_mask(), predicate);
    return coalesced_group(predicate ? yes : g.lockstep_mask() & ~yes);
}
template <class Group> LOCKSTEP_GROUP coalesced_group labeled_partition(const Group &g, int label)
{
    return coalesced_group(__match_any_sync(g.lockstep_mask(), label));
}

/* ---- free functions ---- */
template <class Group> LOCKSTEP_GROUP void sync(const Group &g)
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

template <class T> struct plus {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct less {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <class T> struct greater {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <class T> struct bit_and {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a & b;
    }
};
template <class T> struct bit_or {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a | b;
    }
};
template <class T> struct bit_xor {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a ^ b;
    }
};

#include "lockstep/wide_tile.h"

/* Every member gets op over all members' values. */
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
    return g.lockstep_over_warps(reduce(thread_block_tile<32>(), v, op), op);
}
template <class T, class Op> LOCKSTEP_GROUP T reduce(const coalesced_group &g, T v, Op op)
{
    T total = g.shfl(v, 0);
    for (unsigned rank = 1; rank < g.size(); rank++)
        total = op(total, g.shfl(v, rank));
    return total;
}
/* op over the members up to and including, or before, the caller. */
template <class Group, class T, class Op> LOCKSTEP_GROUP T inclusive_scan(const Group &g, T v, Op op)
{
    unsigned rank = g.thread_rank();
    for (unsigned n = 1; n < g.size(); n *= 2) {
        T below = g.shfl_up(v, n);
        if (rank >= n)
            v = op(below, v);
    }
    return v;
}
template <class Group, class T> LOCKSTEP_GROUP T inclusive_scan(const Group &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
template <class Group, class T> LOCKSTEP_GROUP T exclusive_scan(const Group &g, T v)
{
    T below = g.shfl_up(inclusive_scan(g, v), 1);
    return g.thread_rank() == 0 ? T(0) : below;
}

#undef LOCKSTEP_GROUP
#undef LOCKSTEP_MEMBER

} // namespace cooperative_groups

#endif
#endif
