/* Code made executable: each decoded instruction is bound once, when its module is loaded, to its lane function and to
 * where its operands lie, so that executing it asks no questions. */
#ifndef LOCKSTEP_SIMT_CODE_H
#define LOCKSTEP_SIMT_CODE_H

#include "base/arena.h"
#include "base/diag.h"
#include "isa/program.h"
#include "simt/lanes.h"

#define SIMT_MAX_WIDTH 64

/* How an instruction is executed. */
enum simt_kind {
    SIMT_KIND_LANES, /* one lane function */
    SIMT_KIND_NOP,
    SIMT_KIND_WARP, /* vote, shfl, match, redux, activemask, elect, bar.warp.sync */
    SIMT_KIND_MATRIX,        /* matrix.h: within registers */
    SIMT_KIND_MATRIX_MEMORY, /* matrix.h: between registers and shared memory */
    SIMT_KIND_MEMORY,
    SIMT_KIND_TEXTURE, /* image.h */
    SIMT_KIND_SURFACE,
    SIMT_KIND_COPY,     /* cp.async (copy.h) */
    SIMT_KIND_COPIES,   /* its groups, and those of copies in bulk */
    SIMT_KIND_SEND,     /* st.async, red.async (send.h) */
    SIMT_KIND_BULK,     /* a copy in bulk (bulk.h) */
    SIMT_KIND_MBARRIER, /* an operation on mbarrier objects (mbarrier.h) */
    SIMT_KIND_LOCK, /* a memory instruction whose answer says where lanes go on */
    SIMT_KIND_FENCE,
    SIMT_KIND_BARRIER,
    SIMT_KIND_BRANCH,
    SIMT_KIND_BRANCH_INDEX,
    SIMT_KIND_CALL,
    SIMT_KIND_RET,
    SIMT_KIND_EXIT,
    SIMT_KIND_TRAP,
    SIMT_KIND_SLEEP,
    SIMT_KIND_DEPENDENT, /* griddepcontrol */
    SIMT_KIND_REGISTERS, /* setmaxnreg */
    SIMT_KIND_OUTSIDE, /* no semantics: never executed, a launch that can reach it is refused */
};

/* Where an operand's row is. */
enum simt_place {
    SIMT_PLACE_NONE,
    SIMT_PLACE_ROW,     /* in the frame, at `row` */
    SIMT_PLACE_FIXED,   /* `fixed`: a row of equal values */
    SIMT_PLACE_SREG,    /* computed: special register `row` */
    SIMT_PLACE_FRAME,   /* computed: local frame base + value */
    SIMT_PLACE_DYNSMEM, /* computed: dynamic shared base + value */
};

struct simt_operand {
    uint8_t place; /* enum simt_place */
    bool wide;     /* elements are 64 bits */
    uint32_t row;
    uint64_t value;
    const void *fixed;
};

/* The address of a plain op's source, without a look at its place: the row lies at offset + (frame & within). */
struct simt_reach {
    uintptr_t offset, within;
};
#define SIMT_PLAIN_SOURCES 3

struct simt_pred {
    uint32_t index; /* in the frame; of one that is not present, not 0: %is_explicit_cluster */
    bool present, negate;
};

/* The properties of a memory instruction that its text gives. */
struct simt_form {
    uint16_t kind; /* ISA_FLAG_LOAD, _STORE or _ATOMIC */
    uint8_t element_bytes, elements;
    uint8_t stride;     /* bytes of a lane in simt_access.data */
    uint8_t space;      /* ISA_SPACE_GLOBAL, _SHARED, _LOCAL, _CONST; 0: generic, each lane's address says */
    bool kernel_params; /* addresses count from the launch's parameter block */
    bool call_params;   /* arguments of a call: in local memory here, in registers on the machine */
    bool copies;        /* a load or store of one element that fills its register: rows are copied as they are */
};

/* Writes a row's lanes from values in memory: lane l's stands at host address base + (address[l] & mask). */
struct simt_source {
    uintptr_t base;
    uint64_t mask;
};
typedef void simt_load_fn(void *row, const struct simt_source *from, const uint64_t *address, uint64_t lanes);

struct simt_op {
    lane_fn *lanes;
    uint8_t kind;                 /* enum simt_kind */
    uint8_t src_count, dst_count; /* registers and values; predicates are apart */
    uint8_t pred_src_count, pred_dst_count;
    bool plain; /* a lane function for 32 lanes, whose operands are rows and predicates: none is computed, none is the
                   condition code; at most SIMT_PLAIN_SOURCES are read and one is written */
    bool polls; /* a branch back in a loop in which a lane may wait for others */
    bool waits; /* and in which it does nothing that another one may wait for */
    uint8_t meets; /* WARP with a member mask: a number of its kind and qualifiers. Lanes at instructions of one number
                      meet there; 0: at this instruction alone */
    struct simt_reach reach[SIMT_PLAIN_SOURCES + 1]; /* of a plain op: sources, then the destination */
    const struct simt_operand *src, *dst;
    struct simt_pred pred_src[2], pred_dst[2];
    struct simt_form form;      /* MEMORY, LOCK */
    simt_load_fn *const *loads; /* of a load, by destination */
};

struct simt_code {
    const struct isa_module *module;
    unsigned width;      /* lanes of a warp: 32 or 64 */
    bool samples;        /* some of its instructions read textures */
    struct simt_op *ops; /* one per instruction of the module */
    uint64_t *
        *wide; /* by function: the set of rows at which registers of two rows begin, each lane's words side by side */
    lane_addresses_fn *addresses;
    lane_survey_fn *survey;
};

/* PTX ISA, "shfl.sync", "vote.sync", "bar.warp.sync": lanes wait until all named ones have executed an instruction with
 * the same qualifiers and member mask; for targets below sm_70, all execute the same one. */
static inline bool simt_meets_anywhere(const struct isa_module *module)
{
    return module->target_sm >= 70;
}

/* How a load of `bytes` bytes fills a register of `bits` bits. */
simt_load_fn *simt_load_for(unsigned bytes, bool is_signed, unsigned bits);

/* Binds a linked module (no SYMBOL or FUNC operands left) for warps of `width` lanes; memory belongs to arena.
 * Instructions without lane semantics become OUTSIDE; their function's `outside`, and that of every function that can
 * reach it, must then be set by the caller: *unbound receives the number of such instructions that were not OUTSIDE in
 * the module. */
struct simt_code *simt_bind(const struct isa_module *module, unsigned width, struct arena *arena, unsigned *unbound);

/* polls.c. The instruction branches back: whether its loop polls, that is, an instruction from the loop's first to the
 * branch, or of a function called there by its name, may show a lane what another one has done; and whether a lane only
 * waits there: whether the branch is taken depends on what others did, and the lane stores nothing, takes no lock but
 * by the one atomic, and calls nothing. */
bool simt_loop_polls(const struct isa_module *module, uint32_t branch);
bool simt_loop_waits(const struct isa_module *module, uint32_t branch);

#endif
