/* Special registers: what %tid, %laneid, %clock and the others hold. PTX ISA, "Special Registers". */
#include "base/bits.h"
#include "simt/execute.h"

/* The thread's index in its block along an axis, from its linear number. */
static uint32_t thread_axis(const struct simt_grid *grid, uint32_t linear, unsigned axis)
{
    uint32_t x = grid->block[0], y = grid->block[1];
    return axis == 0 ? linear % x : axis == 1 ? linear / x % y : linear / (x * y);
}

/* Registers that differ from lane to lane; false when sreg is not one of them. */
static bool lane_value(const struct simt_warp *warp, uint32_t sreg, unsigned lane, uint64_t *value)
{
    const struct simt_grid *grid = warp->block->grid;
    uint32_t linear = warp->index * grid->code->width + lane;
    switch (sreg) {
    case ISA_SREG_TID_X:
    case ISA_SREG_TID_Y:
    case ISA_SREG_TID_Z:
        *value = thread_axis(grid, linear, sreg - ISA_SREG_TID_X);
        return true;
    case ISA_SREG_LANEID:
        *value = lane;
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

static uint64_t uniform_value(const struct simt_warp *warp, uint32_t sreg, uint64_t cycle, uint32_t local_base)
{
    const struct simt_grid *grid = warp->block->grid;
    uint64_t ns = cycle * 1000 / grid->core_mhz;
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
    case ISA_SREG_WARPID:
        return warp->slot;
    case ISA_SREG_NWARPID:
        return grid->warp_slots;
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
        return ns;
    case ISA_SREG_GLOBALTIMER_HI:
        return ns >> 32;
    case ISA_SREG_DYNAMIC_SMEM_SIZE:
        return grid->dynamic_shared;
    case ISA_SREG_TOTAL_SMEM_SIZE:
        return warp->block->shared_bytes;
    case ISA_SREG_DYNAMIC_SMEM_BASE:
        return grid->dynamic_base;
    case ISA_SREG_LOCAL_BASE:
        return local_base;
    default:
        return 0;
    }
}

const void *simt_special_row(const struct simt_warp *warp, uint32_t sreg, bool wide, uint64_t cycle,
                             uint32_t local_base, uint64_t *scratch)
{
    unsigned width = warp->block->grid->code->width;
    uint64_t value;
    bool varies = lane_value(warp, sreg, 0, &value);
    if (!varies)
        value = uniform_value(warp, sreg, cycle, local_base);
    for (unsigned lane = 0; lane < width; lane++) {
        if (varies)
            lane_value(warp, sreg, lane, &value);
        if (wide)
            scratch[lane] = value;
        else
            ((uint32_t *)scratch)[lane] = (uint32_t)value;
    }
    return scratch;
}
