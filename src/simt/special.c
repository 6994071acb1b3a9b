/* Special registers: what %tid, %laneid, %clock and the others hold. PTX ISA, "Special Registers". */
#include "base/bits.h"
#include "base/hot.h"
#include "simt/execute.h"

/* Each lane's index in the block along an axis. */
static void mixed_axes(const struct simt_warp *warp, unsigned axis, uint32_t *values)
{
    const struct simt_grid *grid = warp->block->grid;
    uint32_t x = grid->block[0], y = grid->block[1];
    for (unsigned lane = 0; lane < grid->code->width; lane++) {
        uint32_t thread = warp->threads[lane], at[3] = {thread % x, thread / x % y, thread / x / y};
        values[lane] = at[axis];
    }
}

/* As mixed_axes, for warps whose threads are in order: indices are counted up from the first lane's. */
static void thread_axes(const struct simt_warp *warp, unsigned axis, uint32_t *values)
{
    const struct simt_grid *grid = warp->block->grid;
    uint32_t x = grid->block[0], y = grid->block[1], linear = warp->index * grid->code->width;
    uint32_t at[3] = {linear % x, linear / x % y, linear / x / y};
    if (at[0] + grid->code->width <= x) { /* the usual case: all are in one row of the block */
        uint32_t first = at[axis], step = axis == 0;
        for (unsigned half = 0; half < grid->code->width; half += LANES, first += LANES * step) {
            uint32_t *restrict of_half = values + half;
            for (unsigned lane = 0; lane < LANES; lane++)
                of_half[lane] = first + lane * step;
        }
        return;
    }
    for (unsigned lane = 0; lane < grid->code->width; lane++) {
        values[lane] = at[axis];
        if (++at[0] < x)
            continue;
        at[0] = 0;
        if (++at[1] < y)
            continue;
        at[1] = 0;
        at[2]++;
    }
}

/* Registers that differ from lane to lane, by a thread's place in the warps of ISA_WARP_SZ threads that programs see,
 * of which a warp of more lanes has several; false when sreg is not one of them. */
static bool lane_value(const struct simt_warp *warp, uint32_t sreg, unsigned place, uint64_t *value)
{
    unsigned lane = place % ISA_WARP_SZ;
    switch (sreg) {
    case ISA_SREG_LANEID:
        *value = lane;
        return true;
    case ISA_SREG_WARPID:
        *value = warp->slot * (warp->code->width / ISA_WARP_SZ) + place / ISA_WARP_SZ;
        return true;
    case ISA_SREG_LANEMASK_EQ:
        *value = BIT64(lane);
        return true;
    case ISA_SREG_LANEMASK_LT:
        *value = BIT64(lane) - 1;
        return true;
    case ISA_SREG_LANEMASK_LE:
        *value = BIT64(lane) | (BIT64(lane) - 1);
        return true;
    case ISA_SREG_LANEMASK_GE:
        *value = ~(BIT64(lane) - 1);
        return true;
    case ISA_SREG_LANEMASK_GT:
        *value = ~(BIT64(lane) | (BIT64(lane) - 1));
        return true;
    default:
        return false;
    }
}

/* Blocks of a cluster along an axis. */
static uint32_t blocks_of(const struct simt_grid *grid, uint32_t axis)
{
    return grid->cluster_blocks > 1 ? grid->cluster[axis] : 1;
}

static uint64_t uniform_value(const struct simt_warp *warp, uint32_t sreg, uint64_t cycle, uint32_t local_base)
{
    const struct simt_grid *grid = warp->block->grid;
    uint32_t axis;
    switch (sreg) {
    case ISA_SREG_NTID_X:
    case ISA_SREG_NTID_Y:
    case ISA_SREG_NTID_Z:
        return grid->block[sreg - ISA_SREG_NTID_X];
    case ISA_SREG_CTAID_X:
    case ISA_SREG_CTAID_Y:
    case ISA_SREG_CTAID_Z:
        return warp->block->index[sreg - ISA_SREG_CTAID_X];
    case ISA_SREG_NCTAID_X:
    case ISA_SREG_NCTAID_Y:
    case ISA_SREG_NCTAID_Z:
        return grid->grid[sreg - ISA_SREG_NCTAID_X];
    case ISA_SREG_CLUSTERID_X:
    case ISA_SREG_CLUSTERID_Y:
    case ISA_SREG_CLUSTERID_Z:
        axis = sreg - ISA_SREG_CLUSTERID_X;
        return warp->block->index[axis] / blocks_of(grid, axis);
    case ISA_SREG_NCLUSTERID_X:
    case ISA_SREG_NCLUSTERID_Y:
    case ISA_SREG_NCLUSTERID_Z:
        axis = sreg - ISA_SREG_NCLUSTERID_X;
        return grid->grid[axis] / blocks_of(grid, axis);
    case ISA_SREG_CLUSTER_CTAID_X:
    case ISA_SREG_CLUSTER_CTAID_Y:
    case ISA_SREG_CLUSTER_CTAID_Z:
        axis = sreg - ISA_SREG_CLUSTER_CTAID_X;
        return warp->block->index[axis] % blocks_of(grid, axis);
    case ISA_SREG_CLUSTER_NCTAID_X:
    case ISA_SREG_CLUSTER_NCTAID_Y:
    case ISA_SREG_CLUSTER_NCTAID_Z:
        return blocks_of(grid, sreg - ISA_SREG_CLUSTER_NCTAID_X);
    case ISA_SREG_CLUSTER_CTARANK:
        return warp->block->rank;
    case ISA_SREG_CLUSTER_NCTARANK:
        return grid->cluster_blocks > 1 ? grid->cluster_blocks : 1;
    case ISA_SREG_NWARPID:
        return grid->warp_slots * (grid->code->width / ISA_WARP_SZ);
    case ISA_SREG_SMID:
        return warp->sm;
    case ISA_SREG_NSMID:
        return grid->sm_count;
    case ISA_SREG_GRIDID:
        return grid->launch_number;
    case ISA_SREG_CLOCK:
    case ISA_SREG_CLOCK64:
        return cycle;
    case ISA_SREG_CLOCK_HI:
        return cycle >> 32;
    case ISA_SREG_GLOBALTIMER:
    case ISA_SREG_GLOBALTIMER_LO:
        return cycle * 1000 / grid->core_mhz; /* nanoseconds */
    case ISA_SREG_GLOBALTIMER_HI:
        return cycle * 1000 / grid->core_mhz >> 32;
    case ISA_SREG_DYNAMIC_SMEM_SIZE:
        return grid->dynamic_shared;
    case ISA_SREG_TOTAL_SMEM_SIZE:
    case ISA_SREG_AGGR_SMEM_SIZE:
        return warp->block->shared_bytes;
    case ISA_SREG_ENVREG1:
        return grid->workspace_address >> 32;
    case ISA_SREG_ENVREG2:
        return (uint32_t)grid->workspace_address;
    case ISA_SREG_DYNAMIC_SMEM_BASE:
        return grid->dynamic_base;
    case ISA_SREG_LOCAL_BASE:
        return local_base;
    default:
        return 0;
    }
}

/* The loops are of a length that the compiler knows. */
static void fill(void *row, bool wide, unsigned width, uint64_t value)
{
    for (unsigned half = 0; half < width; half += LANES) {
        uint64_t *restrict numbers = (uint64_t *)row + half;
        uint32_t *restrict words = (uint32_t *)row + half;
        if (wide)
            for (unsigned lane = 0; lane < LANES; lane++)
                numbers[lane] = value;
        else
            for (unsigned lane = 0; lane < LANES; lane++)
                words[lane] = (uint32_t)value;
    }
}

HOT const void *simt_special_row(const struct simt_warp *warp, uint32_t sreg, bool wide, uint64_t cycle,
                                 uint32_t local_base, uint64_t *scratch)
{
    unsigned width = warp->code->width;
    uint64_t value;
    if (sreg == ISA_SREG_TID_X || sreg == ISA_SREG_TID_Y || sreg == ISA_SREG_TID_Z) {
        uint32_t *values = (uint32_t *)scratch;
        if (RARELY(warp->mixed))
            mixed_axes(warp, sreg - ISA_SREG_TID_X, values);
        else
            thread_axes(warp, sreg - ISA_SREG_TID_X, values);
        for (unsigned lane = width; wide && lane-- > 0;)
            scratch[lane] = values[lane];
        return scratch;
    }
    if (!lane_value(warp, sreg, 0, &value)) {
        fill(scratch, wide, width, uniform_value(warp, sreg, cycle, local_base));
        return scratch;
    }
    for (unsigned lane = 0; lane < width; lane++) {
        lane_value(warp, sreg, warp->threads[lane] % width, &value);
        if (wide)
            scratch[lane] = (uint32_t)value;
        else
            ((uint32_t *)scratch)[lane] = (uint32_t)value;
    }
    return scratch;
}
