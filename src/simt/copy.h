/* Copies that go on beside the warp that asks for them. cp.async, by each lane: from global to shared memory; bytes that are
 * not read become 0 at once, the others when they come. PTX ISA, "Data Movement and Conversion Instructions: Asynchronous
 * copy". */
#ifndef LOCKSTEP_SIMT_COPY_H
#define LOCKSTEP_SIMT_COPY_H

#include "simt/warp.h"

/* What a lane asks cp.async for, in its access's data. The access's own address is where it reads. */
struct simt_copy_lane {
    uint32_t to;    /* in the block's shared memory */
    uint32_t reads; /* bytes */
};
static inline struct simt_copy_lane simt_copy_of(const struct simt_access *access, unsigned lane)
{
    return *(const struct simt_copy_lane *)(const void *)simt_access_data(access, lane);
}

/* True: it brings bytes to shared memory, and no register. */
static inline bool simt_access_copies(const struct simt_access *access)
{
    return access->op->kind == SIMT_KIND_COPY;
}
/* Bytes that a lane of an access touches at its address. */
static inline unsigned simt_lane_bytes(const struct simt_access *access, unsigned lane)
{
    return simt_access_copies(access) ? simt_copy_of(access, lane).reads
                                      : (unsigned)access->element_bytes * access->elements;
}
/* Bytes came for some lanes: those of the naturally aligned line of line_bytes (a power of two) in which all their
 * addresses lie; or those at host address base + address, with line_bytes 0. */
void simt_copy_take(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes, const uint8_t *base,
                    uint32_t line_bytes);

/* How a warp's lanes deal with the copies that they have asked for. */
enum simt_copies {
    SIMT_COPIES_COMMIT, /* those since the last one are a group */
    SIMT_COPIES_WAIT,   /* until all groups but the `most` latest are complete */
    SIMT_COPIES_ALL     /* until all copies are, of groups or not */
};

#endif
