/* What a tensor map (CUtensorMap) holds here: programs get it from cuTensorMapEncodeTiled, and take it for opaque. PTX ISA,
 * "Tensors"; CUDA driver API, "Tensor Map Object Management". */
#ifndef LOCKSTEP_ISA_TENSOR_MAP_H
#define LOCKSTEP_ISA_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/op.h"

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_MARK UINT32_C(0x6d54736c)
#define TENSOR_MOST_RANK 5

/* How the 16-byte chunks of a box lie in shared memory: where they are, or with bits 4 and up of their address exchanged
 * for these and bits 7 and up of it, added without carry: one, two or three of them. */
enum tensor_swizzle { TENSOR_STRAIGHT, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128 };

struct tensor_map {
    uint32_t mark; /* TENSOR_MAP_MARK */
    uint8_t last;  /* the number of the outermost dimension: the rank less one */
    uint8_t swizzle; /* enum tensor_swizzle */
    uint8_t element_bytes, type; /* a row of tensor_elements */
    uint64_t address;
    uint64_t size[TENSOR_MOST_RANK];       /* elements of each dimension, the innermost first */
    uint64_t stride[TENSOR_MOST_RANK - 1]; /* bytes from one element to the next of dimensions 1 and up */
    uint16_t box[TENSOR_MOST_RANK];        /* elements of a box */
    uint8_t nan;                           /* elements outside of the tensor are NaN, if they are numbers; else 0 */
    uint8_t interleave;                    /* 0: channels lie side by side */
    uint8_t step[TENSOR_MOST_RANK];        /* elements from one that is taken to the next: 1 */
    uint8_t unused[18];
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "programs have this much room for one");

/* Types of elements, by their numbers in PTX (tensormap.replace, .elemtype): how many bytes, and what a reduction takes them
 * for, an enum isa_type. */
#define TENSOR_ELEMENTS 13
static const struct {
    uint8_t bytes, type;
} tensor_elements[TENSOR_ELEMENTS] = {{1, ISA_U8},  {2, ISA_U16}, {4, ISA_U32}, {4, ISA_S32}, {8, ISA_U64},
                                      {8, ISA_S64}, {2, ISA_F16}, {4, ISA_F32}, {4, ISA_F32}, {8, ISA_F64},
                                      {2, ISA_BF16}, {4, ISA_F32}, {4, ISA_F32}};

static inline unsigned tensor_rank(const struct tensor_map *map)
{
    return map->last + 1u;
}

#define TENSOR_MOST_BOX 256 /* elements of a box in each dimension */

/* True: what lies there is one. Programs may have written over it. */
static inline bool tensor_map_is_whole(const struct tensor_map *map)
{
    bool whole = map->mark == TENSOR_MAP_MARK && map->last < TENSOR_MOST_RANK && map->swizzle <= TENSOR_SWIZZLE_128 &&
                 map->element_bytes <= 8 && map->type < ISA_TYPE_COUNT;
    for (unsigned d = 0; whole && d <= map->last; d++)
        whole = map->box[d] <= TENSOR_MOST_BOX;
    return whole;
}

#endif
