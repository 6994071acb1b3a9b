/* Copies in bulk: cp.async.bulk, cp.reduce.async.bulk, cp.async.bulk.tensor and the like, as commands that say what they move
 * piece by piece. Each lane that executes one gives a command of its own. PTX ISA, "Data Movement and Conversion Instructions:
 * Bulk copy", "Tensor copy". */
#ifndef LOCKSTEP_SIMT_BULK_H
#define LOCKSTEP_SIMT_BULK_H

#include "isa/tensor_map.h"
#include "simt/warp.h"

enum simt_bulk_kind {
    SIMT_BULK_LOAD,     /* global to shared memory */
    SIMT_BULK_STORE,    /* shared to global memory */
    SIMT_BULK_REDUCE,   /* likewise, by atomic operations */
    SIMT_BULK_PREFETCH, /* global memory into the L2 */
    SIMT_BULK_SEND,     /* shared memory to that of another block of the cluster */
};

/* A command, and how far it has come. Its shared addresses may name blocks of the cluster (LANE_SHARED_ADDRESS). */
struct simt_bulk {
    uint8_t kind;         /* enum simt_bulk_kind */
    uint8_t atomic, type; /* of a reduction: ISA_ATOMIC_*, enum isa_type */
    bool arrives;         /* bytes that came complete_tx `mbarrier`; else it is of a group */
    uint16_t blocks;      /* multicast: set of ranks that get it; 0: the destination alone */
    uint16_t bytes_kept;  /* of every 16 bytes, those that are written: a set of bits */
    uint32_t shared;      /* the address in shared memory: of the destination, or of a store's source */
    uint32_t from;        /* SEND: of the source, in the own block */
    uint32_t mbarrier;
    uint64_t global;
    uint64_t bytes, done; /* in all; walked */
    uint8_t line;         /* bytes of a line of the machine's caches, up to 128, in which each of its pieces lies; 0: 128 */
    bool is_tensor;
    struct tensor_map map; /* of a tensor */
    int32_t at[TENSOR_MOST_RANK];
};

/* A part of a command that lies in one line of global memory (simt_bulk.line), or outside of the tensor. */
struct simt_piece {
    uint64_t global;
    uint32_t offset; /* from the beginning of the command */
    uint32_t bytes;
    bool outside; /* it is filled, and nothing is read; a store leaves it out */
};

/* Reads memory for whoever makes a command: false where there is none. */
typedef bool simt_read_fn(void *context, uint64_t address, void *to, unsigned bytes);

/* The command of a lane of the access that SIMT_BULK has filled in. False: it is not allowed, as the fault says. */
bool simt_bulk_open(const struct simt_warp *warp, const struct simt_access *access, unsigned lane, simt_read_fn *read,
                    void *context, struct simt_bulk *bulk, struct simt_fault *fault);
/* The blocks whose shared memory a command of that block writes: a set of ranks. */
uint32_t simt_bulk_targets(const struct simt_bulk *bulk, const struct simt_block *block);
/* The next piece; false: there is none. */
bool simt_bulk_next(struct simt_bulk *bulk, struct simt_piece *piece);
/* Where in a block's shared memory byte `offset` of the command lies: its address there. *run: bytes from there on that lie
 * side by side, and in one line of 128. */
uint32_t simt_bulk_place(const struct simt_bulk *bulk, uint32_t offset, uint32_t *run);
/* The bytes that fill a piece outside of a tensor. */
void simt_bulk_fill(const struct simt_bulk *bulk, const struct simt_piece *piece, uint8_t *bytes);
/* The bytes of a piece go to the block's shared memory, or come from there. NULL: it is filled. */
void simt_bulk_write(const struct simt_bulk *bulk, const struct simt_piece *piece, const uint8_t *bytes, uint8_t *shared);
void simt_bulk_read(const struct simt_bulk *bulk, const struct simt_piece *piece, const uint8_t *shared, uint8_t *bytes);
/* The elements of a piece of a reduction are performed on those of memory. */
void simt_bulk_reduce(const struct simt_bulk *bulk, const struct simt_piece *piece, const uint8_t *bytes, uint8_t *memory);
/* Bytes of an element of a reduction. */
unsigned simt_bulk_element(const struct simt_bulk *bulk);

/* Checkpoints (base/archive.h): a command of a block; a piece of one that is under way. */
struct archive;
void simt_bulk_archive(struct simt_bulk *bulk, const struct simt_block *block, struct archive *ar);
void simt_piece_archive(struct simt_piece *piece, const struct simt_bulk *bulk, struct archive *ar);

#endif
