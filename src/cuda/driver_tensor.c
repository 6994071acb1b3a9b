/* Tensor maps: what cuTensorMapEncodeTiled makes of a tensor in memory and the box that copies take of it. What it makes is read
 * by simt/bulk.c alone. CUDA driver API, "Tensor Map Object Management". */
#include <string.h>

#include "cuda/driver.h"
#include "isa/op.h"
#include "isa/tensor_map.h"

_Static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES, "programs have this much room for one");

/* The number of a type of elements in PTX (tensor_elements). */
static const uint8_t elements[] = {
    [CU_TENSOR_MAP_DATA_TYPE_UINT8] = 0,        [CU_TENSOR_MAP_DATA_TYPE_UINT16] = 1,    [CU_TENSOR_MAP_DATA_TYPE_UINT32] = 2,
    [CU_TENSOR_MAP_DATA_TYPE_INT32] = 3,        [CU_TENSOR_MAP_DATA_TYPE_UINT64] = 4,    [CU_TENSOR_MAP_DATA_TYPE_INT64] = 5,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = 6,      [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = 7,   [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = 8,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = 9,      [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = 10, [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = 11,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = 12};

/* The tensor itself: sizes and strides in range, strides and the address as copies need them. */
static bool fill_tensor(struct tensor_map *map, const cuuint64_t *sizes, const cuuint64_t *strides)
{
    for (unsigned d = 0; d <= map->last; d++) {
        if (!sizes[d] || sizes[d] > UINT64_C(1) << 32)
            return false;
        map->size[d] = sizes[d];
    }
    for (unsigned d = 0; d < map->last; d++) {
        if (strides[d] % 16 || strides[d] >= UINT64_C(1) << 40)
            return false;
        map->stride[d] = strides[d];
    }
    return map->address % 16 == 0;
}

/* The box: up to 256 elements a dimension, whose rows are whole pieces of 16 bytes and, swizzled, no longer than that. */
static bool fill_box(struct tensor_map *map, const cuuint32_t *box, const cuuint32_t *steps)
{
    static const uint16_t widest[] = {UINT16_MAX, 32, 64, 128};
    for (unsigned d = 0; d <= map->last; d++) {
        if (!box[d] || box[d] > TENSOR_MOST_BOX || (steps && steps[d] != 1))
            return false;
        map->box[d] = (uint16_t)box[d];
        map->step[d] = 1;
    }
    uint32_t row = (uint32_t)map->box[0] * map->element_bytes;
    return row % 16 == 0 && row <= widest[map->swizzle];
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    bool known = (unsigned)type < sizeof elements / sizeof *elements && (unsigned)swizzle <= CU_TENSOR_MAP_SWIZZLE_128B;
    if (!to || !sizes || !box || !known || rank == 0 || rank > TENSOR_MOST_RANK || (rank > 1 && !strides))
        return CUDA_ERROR_INVALID_VALUE;
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    (void)promotion; /* what the L2 fetches besides */
    struct tensor_map map = {.mark = TENSOR_MAP_MARK,
                             .last = (uint8_t)(rank - 1),
                             .element_bytes = tensor_elements[elements[type]].bytes,
                             .type = tensor_elements[elements[type]].type,
                             .swizzle = (uint8_t)swizzle,
                             .address = (uint64_t)(uintptr_t)address,
                             .nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    if (!fill_tensor(&map, sizes, strides) || !fill_box(&map, box, steps))
        return CUDA_ERROR_INVALID_VALUE;
    memset(to, 0, sizeof *to);
    memcpy(to, &map, sizeof map);
    return CUDA_SUCCESS;
}

/* Another address in a map that there is. */
CUresult cuTensorMapReplaceAddress(CUtensorMap *to, void *address)
{
    struct tensor_map map;
    if (!to || (uintptr_t)address % 16)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&map, to, sizeof map);
    if (map.mark != TENSOR_MAP_MARK)
        return CUDA_ERROR_INVALID_VALUE;
    map.address = (uint64_t)(uintptr_t)address;
    memcpy(to, &map, sizeof map);
    return CUDA_SUCCESS;
}
