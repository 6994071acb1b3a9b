/* Groups of lanes of one warp: tiles, the threads that happen to run together, and what either is divided into.
 * Included by cooperative_groups.h, within its namespace. */
#ifndef LOCKSTEP_GROUP_LANES_H
#define LOCKSTEP_GROUP_LANES_H

/* ---- what tiles and coalesced groups share ---- */
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

/* ---- a tile of Size consecutive threads of a block, Size a power of two ----
 * Up to 32 threads are here, more in wide_tile.h. The tile's place among those that its parent was divided into follows
 * from the parent's type; a tile without one (thread_block_tile<Size>) remembers it. */
template <unsigned Size, class Parent = void, bool Wide = (Size > 32)> class thread_block_tile;

template <unsigned Size, class Parent> class lockstep_tile_place
{
  public:
    LOCKSTEP_MEMBER static unsigned meta_group_size()
    {
        return (Parent::num_threads() + Size - 1) / Size;
    }
    LOCKSTEP_MEMBER static unsigned meta_group_rank()
    {
        return Parent::thread_rank() / Size;
    }
};
template <unsigned Size> class lockstep_tile_place<Size, void>
{
    unsigned rank_, size_;

  public:
    LOCKSTEP_MEMBER lockstep_tile_place(unsigned rank, unsigned size) : rank_(rank), size_(size)
    {
    }
    LOCKSTEP_MEMBER unsigned meta_group_size() const
    {
        return size_;
    }
    LOCKSTEP_MEMBER unsigned meta_group_rank() const
    {
        return rank_;
    }
};

/* A tile wherever it stands. */
template <unsigned Size> class lockstep_tile : public lockstep_lanes
{
    static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "tile size must be a power of two");
    LOCKSTEP_MEMBER static unsigned first()
    {
        return lockstep_detail::lane() & ~(Size - 1);
    }

  public:
    LOCKSTEP_MEMBER lockstep_tile() : lockstep_lanes((Size == 32 ? ~0u : (1u << (Size & 31)) - 1) << first())
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
    LOCKSTEP_MEMBER static unsigned thread_rank()
    {
        return lockstep_detail::lane() & (Size - 1);
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
template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, false> : public lockstep_tile<Size>, public lockstep_tile_place<Size, Parent>
{
};
template <unsigned Size>
class thread_block_tile<Size, void, false> : public lockstep_tile<Size>, public lockstep_tile_place<Size, void>
{
  public:
    template <class Parent>
    LOCKSTEP_MEMBER thread_block_tile(const thread_block_tile<Size, Parent, false> &tile)
        : lockstep_tile_place<Size, void>(tile.meta_group_rank(), tile.meta_group_size())
    {
    }
};
/* The calling thread. */
LOCKSTEP_GROUP thread_block_tile<1> this_thread()
{
    return thread_block_tile<1, thread_block>();
}

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
    unsigned rank_, size_; /* among the groups that a parent was divided into */

  public:
    LOCKSTEP_MEMBER explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned size = 1)
        : lockstep_lanes(mask), rank_(rank), size_(size)
    {
    }
    LOCKSTEP_MEMBER unsigned meta_group_size() const
    {
        return size_;
    }
    LOCKSTEP_MEMBER unsigned meta_group_rank() const
    {
        return rank_;
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
LOCKSTEP_GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned count)
{
    return coalesced_group(thread_group(parent).lockstep_tile(count), parent.thread_rank() / count,
                           (parent.size() + count - 1) / count);
}

/* The members of a group for which the predicate, or the label, agrees. Labels count as groups in the order of their
 * first members. */
template <class Group> LOCKSTEP_GROUP coalesced_group binary_partition(const Group &g, bool predicate)
{
    unsigned yes = __ballot_sync(g.lockstep_mask(), predicate);
    return coalesced_group(predicate ? yes : g.lockstep_mask() & ~yes, predicate, 2);
}
template <class Group, class Label> LOCKSTEP_GROUP coalesced_group labeled_partition(const Group &g, Label label)
{
    unsigned members = __match_any_sync(g.lockstep_mask(), label), first = __builtin_ctz(members);
    unsigned firsts = __ballot_sync(g.lockstep_mask(), lockstep_detail::lane() == first);
    return coalesced_group(members, (unsigned)__popc(firsts & ((1u << first) - 1)), (unsigned)__popc(firsts));
}
/* Of a tile, whose size some callers write: binary_partition<8>(tile, p). */
template <unsigned Size, class Parent>
LOCKSTEP_GROUP coalesced_group binary_partition(const thread_block_tile<Size, Parent> &g, bool predicate)
{
    return binary_partition<thread_block_tile<Size, Parent>>(g, predicate);
}
template <unsigned Size, class Parent, class Label>
LOCKSTEP_GROUP coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &g, Label label)
{
    return labeled_partition<thread_block_tile<Size, Parent>, Label>(g, label);
}

#endif
