/* What a tensor map (CUtensorMap) holds here: programs get it from cuTensorMapEncodeTiled, and take it for opaque. PTX ISA,
 * "Tensors"; CUDA driver API, "Tensor Map Object Management". */
#ifndef LOCKSTEP_SIMT_TENSOR_MAP_H
#define LOCKSTEP_SIMT_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_MARK UINT32_C(0x6d54736c)
#define TENSOR_MOST_RANK 5

/* How the 16-byte chunks of a box lie in shared memory: where they are, or with bits 4 and up of their address exchanged
 * for these and bits 7 and up of it, added without carry: one, two or three of them. */
enum tensor_swizzle { TENSOR_STRAIGHT, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128 };

struct tensor_map {
    uint32_t mark; /* TENSOR_MAP_MARK */
    uint8_t rank, element_bytes;
    uint8_t type;    /* of elements, as a reduction takes them: enum isa_type */
    uint8_t swizzle; /* enum tensor_swizzle */
    uint64_t address;
    uint64_t size[TENSOR_MOST_RANK];       /* elements of each dimension, the innermost first */
    uint64_t stride[TENSOR_MOST_RANK - 1]; /* bytes from one element to the next of dimensions 1 and up */
    uint16_t box[TENSOR_MOST_RANK];        /* elements of a box */
    uint16_t fill;                         /* the bits of 16-bit elements outside of the tensor; twice for wider ones */
    uint8_t unused[24];
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "programs have this much room for one");

#define TENSOR_MOST_BOX 256 /* elements of a box in each dimension */

/* True: what lies there is one. Programs may have written over it. */
static inline bool tensor_map_is_whole(const struct tensor_map *map)
{
    bool whole = map->mark == TENSOR_MAP_MARK && map->rank <= TENSOR_MOST_RANK && map->swizzle <= TENSOR_SWIZZLE_128 &&
                 map->element_bytes <= 8;
    for (unsigned d = 0; whole && d < map->rank; d++)
        whole = map->box[d] <= TENSOR_MOST_BOX;
    return whole;
}

#endif
