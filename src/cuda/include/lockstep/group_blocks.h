/* Groups of whole blocks: the block, the grid with its barrier in a cooperative launch, and the cluster. Included by cooperative_groups.h, within its namespace. */
#ifndef LOCKSTEP_GROUP_BLOCKS_H
#define LOCKSTEP_GROUP_BLOCKS_H

/* ---- the block ---- */
struct lockstep_tile_memory;
class thread_block
{
    lockstep_tile_memory *memory_;

  public:
    struct arrival_token {
    };
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
    /* All threads are waited for here already. */
    LOCKSTEP_MEMBER static arrival_token barrier_arrive()
    {
        __syncthreads();
        return arrival_token();
    }
    LOCKSTEP_MEMBER static void barrier_wait(arrival_token)
    {
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
    LOCKSTEP_MEMBER static bool is_valid()
    {
        return arrivals() != nullptr;
    }
    /* All threads of the grid. What they wrote before is seen by all after. In a launch that is not cooperative the
     * kernel stops here. */
    LOCKSTEP_MEMBER static void sync()
    {
        barrier_wait(barrier_arrive());
    }
    LOCKSTEP_MEMBER static arrival_token barrier_arrive()
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
    LOCKSTEP_MEMBER static void barrier_wait(arrival_token token)
    {
        if (lockstep_detail::block_rank() == 0) {
            const volatile unsigned *count = arrivals();
            while ((int)(*count - token.end) < 0)
                ;
            __threadfence();
        }
        __syncthreads();
    }
    LOCKSTEP_MEMBER static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    LOCKSTEP_MEMBER static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    LOCKSTEP_MEMBER static unsigned long long num_threads()
    {
        return num_blocks() * lockstep_detail::block_size();
    }
    LOCKSTEP_MEMBER static unsigned long long size()
    {
        return num_threads();
    }
    LOCKSTEP_MEMBER static unsigned long long thread_rank()
    {
        return block_rank() * lockstep_detail::block_size() + lockstep_detail::block_rank();
    }
    LOCKSTEP_MEMBER static dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    LOCKSTEP_MEMBER static dim3 dim_blocks()
    {
        return group_dim();
    }
    LOCKSTEP_MEMBER static dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
};
LOCKSTEP_GROUP grid_group this_grid()
{
    return grid_group();
}

/* ---- the cluster: for targets before sm_90, and in launches without clusters, it is one block ---- */
class cluster_group
{
  public:
    typedef thread_block::arrival_token arrival_token;
    LOCKSTEP_MEMBER static void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    LOCKSTEP_MEMBER static arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    LOCKSTEP_MEMBER static void barrier_wait(arrival_token = arrival_token())
    {
        __cluster_barrier_wait();
    }
    LOCKSTEP_MEMBER static unsigned size()
    {
        return num_threads();
    }
    LOCKSTEP_MEMBER static unsigned num_threads()
    {
        return num_blocks() * thread_block::size();
    }
    LOCKSTEP_MEMBER static unsigned thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    LOCKSTEP_MEMBER static dim3 thread_index()
    {
        dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    LOCKSTEP_MEMBER static dim3 dim_threads()
    {
        dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    LOCKSTEP_MEMBER static unsigned num_blocks()
    {
        return __clusterSizeInBlocks();
    }
    LOCKSTEP_MEMBER static unsigned block_rank()
    {
        return __clusterRelativeBlockRank();
    }
    LOCKSTEP_MEMBER static dim3 block_index()
    {
        return __clusterRelativeBlockIdx();
    }
    LOCKSTEP_MEMBER static dim3 dim_blocks()
    {
        return __clusterDim();
    }
    /* The variable of the block with that rank, and the rank of the block that an address belongs to. */
    template <class T> LOCKSTEP_MEMBER static T *map_shared_rank(T *address, int rank)
    {
        return (T *)__cluster_map_shared_rank((const void *)address, (unsigned)rank);
    }
    LOCKSTEP_MEMBER static unsigned query_shared_rank(const void *address)
    {
        return __cluster_query_shared_rank(address);
    }
};
LOCKSTEP_GROUP cluster_group this_cluster()
{
    return cluster_group();
}

class __attribute__((unavailable("groups of several devices are left out"))) multi_grid_group;
static __device__ int this_multi_grid() __attribute__((unavailable("groups of several devices are left out")));

#endif
