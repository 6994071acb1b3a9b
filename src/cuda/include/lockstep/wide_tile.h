/* Tiles of 64 to 1024 threads: several warps of a block. They meet through shared memory that the kernel provides
 * (block_tile_memory, handed to this_thread_block): each warp counts itself as arrived at its tile and waits for the
 * others, and values go from warp to warp through the room. Included by cooperative_groups.h, within its namespace. */
#ifndef LOCKSTEP_WIDE_TILE_H
#define LOCKSTEP_WIDE_TILE_H

/* Values up to 32 bytes, one for each warp, which alone writes it: a warp that has left a tile of one size may write
 * for one of another size while others still read what they exchanged there. Tile t of the n that a block of 1024
 * threads has counts in arrivals[n + t].
 */
struct lockstep_tile_memory {
    alignas(16) unsigned char room[32][32];
    unsigned arrivals[32];
};
template <unsigned MaxBlockSize = 1024> struct block_tile_memory : lockstep_tile_memory {
};

/* The block with memory for its tiles. All its threads call it. */
template <unsigned MaxBlockSize> LOCKSTEP_GROUP thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory)
{
    for (unsigned i = lockstep_detail::block_rank(); i < 32; i += lockstep_detail::block_size())
        memory.arrivals[i] = 0;
    __syncthreads();
    return thread_block(&memory);
}

template <unsigned Size> class lockstep_wide_tile
{
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "tile size must be a power of two up to 1024");
    lockstep_tile_memory *memory_;

    LOCKSTEP_MEMBER static unsigned warp()
    {
        return lockstep_detail::block_rank() / 32;
    }
    LOCKSTEP_MEMBER static unsigned first_warp()
    {
        return lockstep_detail::block_rank() / Size * (Size / 32);
    }

  public:
    LOCKSTEP_MEMBER explicit lockstep_wide_tile(lockstep_tile_memory *memory) : memory_(memory)
    {
        if (!memory)
            __trap(); /* the block has no block_tile_memory */
    }
    LOCKSTEP_MEMBER lockstep_tile_memory *lockstep_memory() const
    {
        return memory_;
    }
    /* A block whose size is no multiple of Size has fewer warps in its last tile. */
    LOCKSTEP_MEMBER static unsigned lockstep_warps()
    {
        unsigned rest = (lockstep_detail::block_size() + 31) / 32 - first_warp();
        return rest < Size / 32 ? rest : Size / 32;
    }
    LOCKSTEP_MEMBER void sync() const
    {
        __syncwarp();
        if (lockstep_detail::lane() == 0) {
            unsigned *arrivals = &memory_->arrivals[1024 / Size + lockstep_detail::block_rank() / Size], warps = lockstep_warps();
            __threadfence_block();
            unsigned before = atomicAdd(arrivals, 1u), end = before - before % warps + warps;
            while ((int)(*(volatile unsigned *)arrivals - end) < 0)
                ;
            __threadfence_block();
        }
        __syncwarp();
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
        return lockstep_detail::block_rank() & (Size - 1);
    }
    /* The value of the thread with that rank, which is the same for all. */
    template <class T> LOCKSTEP_MEMBER T shfl(T v, unsigned rank) const
    {
        static_assert(sizeof(T) <= sizeof memory_->room[0], "values of up to 32 bytes");
        T got;
        if (thread_rank() == rank % Size)
            __builtin_memcpy(memory_->room[warp()], &v, sizeof v);
        sync();
        __builtin_memcpy(&got, memory_->room[first_warp() + rank % Size / 32], sizeof got);
        sync();
        return got;
    }
    /* Every member gets op over what the first lane of each warp has. */
    template <class T, class Op> LOCKSTEP_MEMBER T lockstep_over_warps(T v, Op op) const
    {
        static_assert(sizeof(T) <= sizeof memory_->room[0], "values of up to 32 bytes");
        T total, next;
        if (lockstep_detail::lane() == 0)
            __builtin_memcpy(memory_->room[warp()], &v, sizeof v);
        sync();
        __builtin_memcpy(&total, memory_->room[first_warp()], sizeof total);
        for (unsigned i = 1; i < lockstep_warps(); i++) {
            __builtin_memcpy(&next, memory_->room[first_warp() + i], sizeof next);
            total = op(total, next);
        }
        sync();
        return total;
    }
    /* A scan: op over the threads up to and including the caller, or before it, where the first one gets T(). */
    template <class T, class Op> LOCKSTEP_MEMBER T lockstep_scan(T v, Op op, bool inclusive) const
    {
        static_assert(sizeof(T) <= sizeof memory_->room[0], "values of up to 32 bytes");
        lockstep_tile<32> lanes;
        T own = v, before = T(), next;
        for (unsigned n = 1; n < 32; n *= 2) {
            T below = lanes.shfl_up(own, n);
            if (lockstep_detail::lane() >= n)
                own = op(own, below);
        }
        if (lockstep_detail::lane() == 31)
            __builtin_memcpy(memory_->room[warp()], &own, sizeof own);
        sync();
        for (unsigned i = first_warp(); i < warp(); i++) {
            __builtin_memcpy(&next, memory_->room[i], sizeof next);
            before = i == first_warp() ? next : op(next, before);
        }
        sync();
        T below = lanes.shfl_up(own, 1);
        if (inclusive)
            return warp() == first_warp() ? own : op(own, before);
        if (lockstep_detail::lane() == 0)
            return before;
        return warp() == first_warp() ? below : op(below, before);
    }
    LOCKSTEP_MEMBER int any(int predicate) const
    {
        return lockstep_over_warps(__any_sync(~0u, predicate), bit_or<int>());
    }
    LOCKSTEP_MEMBER int all(int predicate) const
    {
        return lockstep_over_warps(__all_sync(~0u, predicate), bit_and<int>());
    }
};
template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, true> : public lockstep_wide_tile<Size>, public lockstep_tile_place<Size, Parent>
{
  public:
    LOCKSTEP_MEMBER explicit thread_block_tile(lockstep_tile_memory *memory) : lockstep_wide_tile<Size>(memory)
    {
    }
};
template <unsigned Size>
class thread_block_tile<Size, void, true> : public lockstep_wide_tile<Size>, public lockstep_tile_place<Size, void>
{
  public:
    template <class Parent>
    LOCKSTEP_MEMBER thread_block_tile(const thread_block_tile<Size, Parent, true> &tile)
        : lockstep_wide_tile<Size>(tile.lockstep_memory()),
          lockstep_tile_place<Size, void>(tile.meta_group_rank(), tile.meta_group_size())
    {
    }
};

#endif
