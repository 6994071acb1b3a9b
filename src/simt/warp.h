/* Warps: what a warp is and what executing one instruction does. No cycle and no cache is known here: simt_execute
 * returns what happened, and whoever called it turns that into time. Registers, predicates, shared and local memory
 * change at once (they belong to the block or the thread alone); accesses to global and constant memory are handed back
 * as records for the caller to serve. */
#ifndef LOCKSTEP_SIMT_WARP_H
#define LOCKSTEP_SIMT_WARP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "isa/program.h"
#include "simt/arrivals.h"
#include "simt/code.h"
#include "simt/divergence.h"

enum simt_fault_kind {
    SIMT_FAULT_NONE,
    SIMT_FAULT_BOUNDS, /* address outside every allocation, or outside the block's shared or the thread's local memory
                        */
    SIMT_FAULT_MISALIGNED,
    SIMT_FAULT_READ_ONLY, /* a store to constant memory */
    SIMT_FAULT_TRAP,
    SIMT_FAULT_ASSERT,
    SIMT_FAULT_STACK,    /* local memory of a thread used up by calls */
    SIMT_FAULT_CALL,     /* an indirect call to something that is no function */
    SIMT_FAULT_BARRIER,  /* barrier number or thread count out of range */
    SIMT_FAULT_UNSYNCED, /* see struct simt_unsynced; only where simt_grid.check_sync asks for it */
    SIMT_FAULT_LOCK,     /* of lock.h: what is wrong, in words */
    SIMT_FAULT_IMAGE,    /* of image.h: what is wrong, in words */
    SIMT_FAULT_BULK,     /* of bulk.h: what is wrong, in words */
    SIMT_FAULT_MBARRIER, /* of mbarrier.h: what is wrong, in words */
    SIMT_FAULT_MATRIX,   /* of an instruction on matrices: what is wrong, in words */
    SIMT_FAULT_CLUSTER,  /* shared memory of a block of the cluster that is not there: what is wrong, in words */
    SIMT_FAULT_REGISTERS, /* of setmaxnreg: what is wrong, in words */
};

/* A fault of the program. message is set for ASSERT, UNSYNCED, LOCK, IMAGE and those behind it only. */
struct simt_fault {
    uint8_t kind; /* enum simt_fault_kind */
    uint8_t lane;
    uint8_t space;
    uint64_t address;
    uint32_t pc;
    uint32_t taken; /* LOCK: the instruction that took the lock, + 1; 0: not known */
    char message[480];
};

/* An instruction that exchanges values between lanes, or a barrier of the block, is unsynced when the lanes that
 * execute it together are not those that its member mask and its sources need, or, at the barrier, all of the warp. The
 * manual leaves its result undefined, or has lanes wait; here it is defined, but hardware may give another
 * (docs/arithmetic.md, docs/divergence.md). */
enum simt_unsynced_kind {
    SIMT_UNSYNCED_NOT,
    SIMT_UNSYNCED_SOURCE,    /* shfl: `lanes` read `others`, which do not execute it */
    SIMT_UNSYNCED_UNNAMED,   /* `lanes` execute it, but their own masks do not name them */
    SIMT_UNSYNCED_ABSENT,    /* `lanes` execute it; `others`, named in a mask and not ended, do not */
    SIMT_UNSYNCED_UNAWAITED, /* the same, where the program's target (sm_70 or later) has `lanes` wait for `others`, but
                                the divergence model does not */
    SIMT_UNSYNCED_BARRIER,   /* a barrier: the warp arrives with `lanes`, without `others`, which have not ended */
    SIMT_UNSYNCED_SKIPPED,   /* a barrier: `lanes` wait there, and `others` pass by; only where check_sync asks */
};
struct simt_unsynced {
    uint8_t kind; /* enum simt_unsynced_kind */
    uint64_t lanes, others;
};

/* Services of the device for a program, outside its own instructions. They may be called at any time during
 * simt_execute. */
struct simt_grid;
struct simt_services {
    void *context;
    /* Copies bytes of global memory; false when the range is not allocated. */
    bool (*read)(void *context, uint64_t address, void *to, uint64_t bytes);
    uint64_t (*heap_alloc)(void *context, uint64_t bytes); /* 0 when exhausted */
    bool (*heap_free)(void *context, uint64_t address);    /* false: not an allocation of the heap */
    void (*output)(void *context, const char *text, size_t bytes);
    /* How many threads have arrived at a barrier of the block that is not open yet (simt_block.barriers). */
    uint32_t (*arrived)(const void *barriers, uint32_t number);
    /* Appends what lies at an address of global memory, or of a block's shared memory, in the program's words; false:
     * that is not known. NULL: it never is. */
    bool (*add_place)(void *context, const struct simt_grid *grid, bool shared, uint64_t address, struct strbuf *out);
};

/* How requests for locks in global memory are answered: at once, or, by queues, when their turn has come. A request for
 * which a queue has no room is told no, and asks again later: in a wait that stays the same (0), or grows with each no
 * by the same (1), or to twice as much (2). */
struct simt_lock_queues {
    bool used;
    uint8_t growth;
    uint32_t first_wait, longest_wait;
};

/* Shared by all blocks of a launch. */
struct simt_grid {
    const struct simt_code *code;
    const struct isa_function *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared, dynamic_base; /* size, and the offset at which it starts */
    uint64_t param_address;                /* where the parameter block lies in device memory */
    uint64_t workspace_address;            /* the grid workspace of a cooperative launch, else 0 */
    uint64_t launch_number;
    uint32_t barriers; /* of a block: numbers from 0 to one less */
    uint32_t sm_count, warp_slots;
    uint32_t stack_bytes; /* limit of local memory per thread */
    uint32_t core_mhz;
    bool forms;         /* threads go from warp to warp (form.h) */
    bool rotates_lanes; /* where they do: see simt_warp.threads */
    bool check_sync;    /* unsynced instructions fault */
    bool lenient;       /* accesses near an allocation are let pass (sm/strays.h) */
    bool bounded;       /* accesses are held against what they are to reach (sm/strays.h) */
    bool lock_past;     /* lanes may come past a reconvergence point with a lock (lock.h) */
    uint32_t cluster[3];    /* blocks of a cluster; 1, 1, 1 where there are none */
    uint32_t cluster_blocks; /* their product */
    bool explicit_cluster;  /* the launch or the kernel says so */
    struct simt_lock_queues lock_queues;
    const struct simt_divergence *divergence; /* how lanes part and meet; NULL: by the stack */
    uint32_t aware_timeout;                   /* simt_paths.timeout */
    const struct simt_services *services;
};

static inline const struct simt_divergence *simt_model_of(const struct simt_grid *grid)
{
    return grid->divergence ? grid->divergence : &simt_stack;
}

struct simt_block {
    const struct simt_grid *grid;
    uint32_t index[3];
    uint32_t rank; /* in its cluster: simt_rank_of */
    uint32_t shared_bytes;
    uint8_t *shared;
    const void *barriers; /* of whoever counts arrivals (simt_services.arrived) */
    struct simt_arrivals *arrivals; /* at its mbarriers (arrivals.h), for reports; or NULL */
};

/* The number of a block in its cluster, and that of the cluster in the grid: both by x, then y, then z. */
static inline uint32_t simt_rank_of(const struct simt_grid *grid, const uint32_t index[3])
{
    const uint32_t *c = grid->cluster;
    if (grid->cluster_blocks <= 1)
        return 0;
    return (index[2] % c[2] * c[1] + index[1] % c[1]) * c[0] + index[0] % c[0];
}
/* The block of that rank in the cluster of a block. */
static inline void simt_block_of_rank(const struct simt_block *block, uint32_t rank, uint32_t index[3])
{
    const uint32_t *c = block->grid->cluster;
    for (unsigned i = 0; i < 3; rank /= c[i++])
        index[i] = block->index[i] / c[i] * c[i] + rank % c[i];
}
static inline uint64_t simt_cluster_of(const struct simt_grid *grid, const uint32_t index[3])
{
    const uint32_t *c = grid->cluster;
    uint64_t wide = grid->grid[0] / c[0], high = grid->grid[1] / c[1];
    return (index[2] / c[2] * high + index[1] / c[1]) * wide + index[0] / c[0];
}

struct simt_warp {
    /* Members that most instructions read come first: one of the host's cache lines. */
    const struct simt_block *block;
    const struct simt_code *code; /* of the block's grid */
    uint32_t *rows;               /* registers: row r of the frame at base b is rows + (b + r) * width */
    uint64_t *preds;
    uint64_t live; /* lanes that have not exited */
    struct simt_paths paths;
    uint32_t row_capacity, pred_capacity;
    bool lent;                /* rows and preds are memory that is not the warp's own */
    uint32_t local_words;     /* words per lane that `local` has */
    uint32_t *local;          /* local memory: word w of lane l at w * width + l */
    uint64_t carry;           /* CC.CF by lane */
    struct simt_locks *locks; /* NULL: it has not executed an instruction of locks (lock.h) */
    uint32_t index;           /* warp number in the block */
    uint16_t sm, slot;        /* where it runs */
    /* By lane: the number in the block of the thread that it has or had; a lane without one has a number all the same.
     * A thread keeps its lane. Where threads go from warp to warp, the lanes of warp w may begin at thread w mod width
     * of it (simt_grid.rotates_lanes), so that threads at one place of their warps are in different lanes. */
    uint16_t threads[SIMT_MAX_WIDTH];
    bool mixed; /* its threads are not those of its number, in order */
};

/* One memory instruction's work. Data holds each lane's bytes in memory order, `stride` bytes from lane to lane: what a
 * store writes, the operand (bytes 0..7) and comparand (8..15) of an atomic; of an atomic of several parts
 * (isa_atomic_parts), which are `elements`, their operands side by side (0..15), then their comparands (16..31). */
#define SIMT_ACCESS_BYTES 32
#define SIMT_ATOMIC_BYTES 16
struct simt_texels;
struct mbarrier_step;
struct simt_access {
    const struct isa_instr *instr;
    const struct simt_op *op;
    uint64_t mask;    /* lanes */
    uint64_t changed; /* lanes whose atomic, where it was performed here, changed its location */
    uint64_t leaving; /* of a lock: lanes that ask to be taken out of its queue */
    uint64_t matched; /* of a compare-and-swap performed here: lanes that found what they compared with */
    uint64_t ended;   /* of an mbarrier: lanes whose operation ended its phase */
    uint64_t remote;  /* of an mbarrier, or of what a send brings: lanes that name another block of the cluster */
    uint64_t waiting; /* of mbarrier.try_wait: lanes whose phase is not over */
    uint64_t beside; /* lanes that were served at issue: of an access of the space CLUSTER those that name the executing
                        block's own memory, of cp.async those that read nothing; else undefined */
    uint16_t kind;    /* ISA_FLAG_LOAD, _STORE or _ATOMIC */
    uint8_t space;    /* ISA_SPACE_GLOBAL, _SHARED, _LOCAL, _CONST; _CLUSTER: the shared memory of other blocks. Resolved */
    uint8_t element_bytes, elements, stride;
    bool straight;      /* lanes lie side by side, in lane order: each one's access behind that of the lane below */
    bool same;          /* all lanes' addresses are equal */
    uint64_t low, high; /* no lane's address lies outside [low, high] */
    uint32_t reg_base, pred_base; /* frame that receives loaded values */
    uint32_t pc;
    uint64_t since; /* the cycle of its issue; whoever times it sets it */
    uint32_t group; /* of cp.async its group, of a send the number of its first lane's copy; whoever times it sets it */
    bool samples;   /* it reads a texture: `texels` says what, and the members above are those of its first part */
    struct simt_texels *texels; /* whoever executes instructions that sample gives it (image.h), and keeps it */
    uint64_t address[SIMT_MAX_WIDTH];
    _Alignas(64) uint8_t data[SIMT_MAX_WIDTH * SIMT_ACCESS_BYTES];
};

static inline uint8_t *simt_access_data(const struct simt_access *access, unsigned lane)
{
    return (uint8_t *)access->data + lane * access->stride;
}

/* What lies in the data of a lane's atomic for a part: its operand, or its comparand, in whose place the value is left
 * that the part found, where the atomic was performed at issue. */
static inline uint8_t *simt_atomic_at(const struct simt_access *access, unsigned lane, unsigned part, bool comparand)
{
    unsigned behind = access->elements > 1 ? SIMT_ATOMIC_BYTES : SIMT_ATOMIC_BYTES / 2;
    return simt_access_data(access, lane) + part * access->element_bytes + (comparand ? behind : 0);
}
static inline uint64_t simt_atomic_value(const struct simt_access *access, unsigned lane, unsigned part, bool comparand)
{
    uint64_t value = 0;
    memcpy(&value, simt_atomic_at(access, lane, part, comparand), access->elements > 1 ? access->element_bytes : 8);
    return value;
}
/* The part of a lane's atomic that is performed at an address, of which the lowest bits are enough. */
static inline unsigned simt_atomic_part(const struct simt_access *access, unsigned lane, uint64_t address)
{
    return access->elements > 1 ? (unsigned)(address - access->address[lane]) % SIMT_ATOMIC_BYTES / access->element_bytes : 0;
}

enum simt_event {
    SIMT_PLAIN,  /* nothing beyond registers; the next instruction follows */
    SIMT_JUMP,   /* control may have left the straight line (branch, call, return, some lanes' exit) */
    SIMT_MEMORY, /* `access`: global and const still to be served; shared and local done, to be timed */
    SIMT_FENCE,
    SIMT_BARRIER, /* `barrier` */
    SIMT_SLEEP,   /* `sleep_ns` */
    SIMT_DEPENDENT, /* griddepcontrol: lanes of it let the launches behind begin, or wait for those before */
    SIMT_REGISTERS, /* setmaxnreg, which does nothing but that to lanes */
    SIMT_PRODUCTS, /* wgmma: a product was begun, a group of them closed, or groups are waited for */
    SIMT_COPIES,  /* `copies`: its lanes deal with the copies that they have asked for */
    SIMT_BULK,    /* `access`: a copy in bulk (bulk.h), a command of each lane of it */
    SIMT_QUEUED,  /* its lanes wait in the queues of locks: until one is answered, or until `again`, if that is not 0 */
    SIMT_MET,     /* as PLAIN, and `met` */
    SIMT_UNSYNCED, /* as PLAIN, and `unsynced` and `met` */
    SIMT_DONE,     /* the last lane exited */
    SIMT_FAULTED,  /* `fault`; memory was not changed */
};

struct simt_barrier {
    uint32_t id, threads; /* threads: 0 means the whole block */
    uint8_t mode;         /* ISA_BARRIER_SYNC, _ARRIVE, _RED, _GRID, _WAIT */
    bool cluster;         /* of the cluster: ARRIVE or WAIT */
    uint8_t reduce;       /* ISA_REDUCE_* for RED */
    uint64_t arrived;     /* lanes that execute it, each at the instruction before the one where it stands now */
    uint64_t pred;        /* lanes whose predicate is true, for RED */
};

struct simt_result {
    const struct isa_instr *instr;
    uint32_t pc;
    uint64_t active; /* lanes that have the turn */
    uint64_t mask;   /* of them, those whose guard is true */
    uint64_t met;    /* lanes that stood at other instructions, and have executed theirs together with this one */
    struct simt_barrier barrier;
    uint64_t sleep_ns;
    uint8_t copies; /* enum simt_copies */
    uint32_t most;  /* groups that a wait for copies leaves */
    uint64_t again;                /* QUEUED: the cycle in which a lane is to ask again */
    struct simt_unsynced unsynced; /* of UNSYNCED, and of a BARRIER that is unsynced */
    struct simt_fault fault;
};

/* Prepares a warp's first instruction. Buffers grow as needed and are kept from use to use; zero-initialise the struct
 * once. threads: how many of the warp's lanes exist. Registers and local memory start at zero. */
void simt_warp_start(struct simt_warp *warp, const struct simt_block *block, uint32_t index, unsigned threads);
void simt_warp_free(struct simt_warp *warp);
/* Memory for what warps keep (registers, paths), side by side where kernels find it faster than in pieces: bytes that a
 * warp of this kernel and width needs; and a warp's piece of it, aligned to 64 bytes, which stays its owner's. A warp
 * that needs more, for calls, gets memory of its own. */
size_t simt_warp_bytes(const struct isa_function *kernel, unsigned width);
void simt_warp_lend(struct simt_warp *warp, const struct isa_function *kernel, unsigned width, void *memory);

/* Executes the next instruction of the lanes that have the turn. cycle is what clock registers read. access is filled
 * for SIMT_MEMORY only; an access whose lanes fall into several spaces reports the global lanes there, or those that go
 * to other blocks of the cluster (the others are done; they cost no time of their own). */
enum simt_event simt_execute(struct simt_warp *warp, uint64_t cycle, struct simt_access *access,
                             struct simt_result *result);

/* The next instruction's index; the warp must have one (live lanes). */
static inline uint32_t simt_pc(const struct simt_warp *warp)
{
    return warp->paths.now->pc;
}

/* Writes what a load brought for some of its lanes: the bytes of the naturally aligned line of line_bytes (a power of
 * two) in which all their addresses lie. */
void simt_load_lanes(struct simt_warp *warp, const struct simt_access *access, uint64_t lanes, const uint8_t *line,
                     uint32_t line_bytes);
/* Writes an atomic's old value to its destination; of one of several parts, that of a part. */
void simt_atomic_lane(struct simt_warp *warp, const struct simt_access *access, unsigned lane, uint64_t old);
void simt_atomic_lane_part(struct simt_warp *warp, const struct simt_access *access, unsigned lane, unsigned part,
                           uint64_t old);
/* Writes the result of a reducing barrier to the lanes that arrived; the warp has executed nothing since. */
void simt_barrier_result(struct simt_warp *warp, const struct simt_barrier *barrier, uint64_t value);
/* Reads and writes local memory of one lane (offset in the thread's local memory); false outside the limit. */
bool simt_local_read(struct simt_warp *warp, unsigned lane, uint64_t offset, void *to, unsigned bytes);
bool simt_local_write(struct simt_warp *warp, unsigned lane, uint64_t offset, const void *from, unsigned bytes);
/* Serves an access at once from plain memory, in lane order: loads and atomics write their registers. `at` maps a
 * device address to host memory, which is one piece. For the functional mode. */
void simt_serve(struct simt_warp *warp, struct simt_access *access, uint8_t *(*at)(void *context, uint64_t address),
                void *context);

/* mbarrier_access.c: looks again at the phases that an mbarrier.try_wait waits for, and gives the lanes whose phase is over
 * their predicate. Returns those that wait still (access->waiting). */
uint64_t simt_mbarrier_look(struct simt_warp *warp, struct simt_access *access);
/* The operation of that instruction (enum isa_op) on an object of the block, by whoever it comes from: another block,
 * copies that are done (MBARRIER_ARRIVE), bytes that came (MBARRIER_COMPLETE_TX). by: the thread, as arrivals.h names
 * it, or SIMT_NO_THREAD. */
struct mbarrier_step simt_mbarrier_take(const struct simt_block *block, uint64_t address, unsigned op, uint64_t operand,
                                        uint32_t by);
/* The name of a lane's thread there. */
static inline uint32_t simt_thread_of(const struct simt_warp *warp, unsigned lane)
{
    uint32_t thread = warp->threads[lane], width = warp->code->width;
    return SIMT_THREAD(warp->block->rank, thread / width, thread % width);
}
/* A fault of kind MBARRIER: an operation of one arrival was not allowed, as the step says. */
void simt_mbarrier_fault(struct simt_fault *fault, const struct mbarrier_step *step, uint64_t address, unsigned lane,
                         uint32_t pc);
/* The longest that a lane of it asks to be suspended, in nanoseconds; 0: none asks. */
uint64_t simt_mbarrier_hint(const struct simt_access *access);
/* Serves the lanes of an access that go to the shared memory of block `rank` of the cluster, which is *shared. For the
 * functional mode. */
void simt_serve_block(struct simt_warp *warp, struct simt_access *access, uint64_t lanes, uint8_t *shared);

/* warp_check.c: recomputes what the warp keeps (base/check.h). */
struct check;
void simt_warp_check(struct simt_warp *warp, struct check *c);

/* warp_archive.c: describe a warp of block, and an access under way in code, for a checkpoint. */
struct archive;
void simt_warp_archive(struct simt_warp *warp, const struct simt_block *block, struct archive *ar);
void simt_access_archive(struct simt_access *access, const struct simt_code *code, struct archive *ar);

/* In words: which lanes, and what is wrong with them, without position. */
void simt_unsynced_describe(const struct simt_unsynced *unsynced, struct strbuf *out);
/* A fault in words: what, at which address, without position. */
void simt_fault_describe(const struct simt_fault *fault, struct strbuf *out);
/* Formats one device printf call: format text and the packed argument buffer (natural alignment). Appends to out.
 * Returns how many arguments were read, which is what CUDA's printf returns. */
unsigned simt_printf(struct strbuf *out, const char *format,
                     bool (*read)(void *context, uint64_t offset, void *to, unsigned bytes),
                     bool (*read_string)(void *context, uint64_t address, struct strbuf *to), void *context);

#endif
