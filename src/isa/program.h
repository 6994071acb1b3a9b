/* Decoded programs: what a PTX module becomes when it is loaded, and the only thing the rooms above know of it.
 *
 * A module's instructions stand in one array; a program counter is an index into it (what an instruction occupies of
 * simulated instruction memory is a parameter, sm.instruction_bytes). A function's registers are rows of its frame: a row is one 32-bit word per lane, so an 8-, 16- or 32-bit
 * register takes one row and a 64-bit register two (its lanes then lie in those two rows as W consecutive 64-bit words). Values of 8 and 16
 * bits are kept zero-extended to 32. Predicates are kept apart, one lane mask each.
 *
 * Frames lie in a warp's rows, and lanes of one warp may be in frames of different functions that overlap. Lane l's word of a 64-bit
 * register is where two other lanes have theirs of 32 bits, so every row that called functions can use holds registers of one width
 * alone, whatever the function: isa_row_is_wide tells which by the row's number in the warp. Then what lies in a row at a lane's place
 * belongs to that lane. Three things see to it: register allocation places the registers of functions that way (ptx/allocate.c), their frames
 * begin at multiples of ISA_FRAME_ROWS (isa_frame_behind), and the rows of the kernel's own frame, which every thread has and which
 * may mix widths as it likes, are no other function's. Nothing calls a kernel. simt_warp_check looks at the frames, simt_bind at the rows. */
#ifndef LOCKSTEP_ISA_PROGRAM_H
#define LOCKSTEP_ISA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "isa/op.h"

#define ISA_FRAME_ROWS 4 /* frames of called functions begin at multiples: two rows of 32-bit registers, then two that one of 64 bits fills */
#define ISA_WARP_SZ 32 /* threads of a warp, as programs see it: PTX ISA, "WARP_SZ" */
#define ISA_PC_NONE UINT32_MAX /* "reconverges at exit", "no target" */

enum isa_operand_kind {
    ISA_OPERAND_NONE,    /* an optional operand that was not written, or the sink `_` */
    ISA_OPERAND_REG,     /* a register: reg, row */
    ISA_OPERAND_PRED,    /* a predicate register: reg, row = predicate index; negate */
    ISA_OPERAND_IMM,     /* value: the bits, already in the operand's type (a float literal is its f32 or f64 image) */
    ISA_OPERAND_SREG,    /* reg = enum isa_sreg */
    ISA_OPERAND_SYMBOL,  /* address of module variable `reg` + value; linking makes it an IMM */
    ISA_OPERAND_FRAME,   /* local-memory frame base of the executing function + value: .local variables and .param variables of calls */
    ISA_OPERAND_DYNSMEM, /* start of dynamic shared memory + value */
    ISA_OPERAND_FUNC,    /* address of function `reg`; linking makes it an IMM (isa_function_address) */
};

/* One operand. As the address of a memory instruction: [base + value], where REG is the base and value the offset; IMM is an absolute address
 * in the instruction's space (for ld.param of a kernel: the offset in the parameter block). */
struct isa_operand {
    uint8_t kind;   /* enum isa_operand_kind */
    uint8_t bits;   /* width of the register or value: 1 (predicate), 8, 16, 32, 64 */
    bool negate;    /* predicates: !p */
    bool linked;    /* IMM: it was a SYMBOL, and `reg` still says which */
    uint32_t reg;   /* index into the function's regs, or as the kind says */
    uint32_t row;   /* first row in the frame (REG), predicate index in the frame (PRED) */
    uint64_t value;
};

/* A call's bindings: where the caller keeps each argument and result in its frame. */
struct isa_call_slot {
    uint32_t offset, bytes; /* in the caller's local frame */
};
struct isa_call {
    uint32_t callee;               /* function index, or UINT32_MAX for an indirect call through `target` */
    struct isa_operand target;     /* REG holding a function address */
    uint32_t result_count, arg_count;
    const struct isa_call_slot *results, *args;
};

/* The mark of `.pragma "lockstep.spin"` on an instruction: in the innermost loop that contains it, threads wait for
 * others. */
enum isa_spin {
    ISA_SPIN_MARK = 1,   /* the pragma stands before this instruction */
    ISA_SPIN_BRANCH = 2, /* a backward branch that closes such a loop */
    ISA_SPIN_INSIDE = 4, /* between the first instruction and the last branch of such a loop */
};

struct isa_instr {
    uint16_t op;             /* enum isa_op */
    uint8_t type, stype;     /* enum isa_type: first and second type suffix (ISA_NONE when not written) */
    struct isa_mods mods;
    uint8_t unit, latency;   /* enum isa_unit, enum isa_latency */
    uint8_t dst_count, src_count;
    bool guarded, guard_negate;
    uint8_t spin;                    /* set of enum isa_spin */
    uint32_t guard;                  /* predicate index in the frame, when guarded */
    uint32_t guard_reg;              /* the same predicate as an index into the function's regs */
    const struct isa_operand *dst;   /* in PTX order; optional ones that were not written are there as NONE */
    const struct isa_operand *src;
    uint32_t target;                 /* BRA, LOCK_TIMED: instruction index; others: ISA_PC_NONE */
    uint32_t reconverge;             /* of what jumps or may end the kernel: index of the immediate post-dominator, or
                                        ISA_PC_NONE for exit */
    uint32_t target_count;
    const uint32_t *targets;         /* BRX: the list */
    uint32_t live_count;
    const uint16_t *live;            /* BRA that goes back: registers (indices into the function's) whose values the loop may read again */
    const struct isa_call *call;     /* CALL */
    /* Read by the scoreboard and the register banks: register numbers (struct isa_reg.number), predicates and the guard
     * included. */
    uint8_t read_count, write_count;
    const uint16_t *reads, *writes;
    uint32_t line, column;           /* in the PTX text */
    uint32_t source_file, source_line; /* from .loc: index into files, 0 = none; line */
    uint32_t inlined;                  /* from .loc: index into the module's `inlined`, 0 = none or not known */
    const char *text;                /* OUTSIDE: the statement as written; a call of a function that nobody defines: says so */
};

struct isa_reg {
    const char *name;
    uint8_t type;       /* enum isa_type it was declared with */
    uint16_t number;    /* unique in the function, from 1, in order of declaration: the name the scoreboard knows it by */
    uint16_t bank_id;   /* the first number in its name (%rd12 -> 12), else `number`: register banks are chosen by it */
    uint32_t row;       /* first row (or predicate index) in the frame, after register allocation */
};

/* Returns true if the row, by its number in the warp or in the frame of a called function, is one of the two rows of a
 * 64-bit register. */
static inline bool isa_row_is_wide(uint32_t row)
{
    return row & 2;
}

/* The base of a called function's frame behind that of a function which has `rows` rows from `base` on. */
static inline uint32_t isa_frame_behind(uint32_t base, uint32_t rows)
{
    return (base + rows + ISA_FRAME_ROWS - 1) & ~(uint32_t)(ISA_FRAME_ROWS - 1);
}

struct isa_param {
    const char *name;
    uint8_t type;          /* element type */
    uint32_t offset;       /* kernels: in the parameter block; functions: in the local frame */
    uint32_t bytes, align;
};

/* Functions that the PTX only declares and Lockstep provides. */
enum isa_intrinsic { ISA_INTRINSIC_NONE, ISA_INTRINSIC_VPRINTF, ISA_INTRINSIC_MALLOC, ISA_INTRINSIC_FREE, ISA_INTRINSIC_ASSERTFAIL };

struct isa_function {
    const char *name;
    bool is_kernel, is_defined;
    uint8_t intrinsic;               /* enum isa_intrinsic, for declared functions */
    bool never_returns;              /* every way through it ends the kernel with an error */
    uint32_t first, count;           /* its instructions in the module's array */
    uint32_t reg_count;
    uint32_t temporaries;            /* how many of them, the last, were made by spilling: each lives around one instruction */
    struct isa_reg *regs;
    uint32_t row_count, pred_count;  /* size of a register frame */
    uint32_t number_count;           /* scoreboard numbers in use: 1..number_count */
    uint32_t param_count, result_count;
    const struct isa_param *params, *results;
    uint32_t param_bytes;            /* kernels: size of the parameter block */
    uint32_t local_bytes;            /* local-memory frame: .local and .param variables; a multiple of 16 */
    uint32_t shared_bytes;           /* static shared memory of everything the function can reach */
    uint32_t shared_align;
    uint32_t registers;              /* registers per thread, for occupancy, of everything it can reach */
    bool moves_registers;            /* it can reach setmaxnreg */
    uint32_t assembled;              /* registers per thread that the machine code beside the PTX has, 0 when absent */
    uint32_t max_threads[3];         /* .maxntid, 0 when absent */
    uint32_t required_threads[3];    /* .reqntid, 0 when absent */
    uint32_t cluster[3];             /* .reqnctapercluster, 0 when absent */
    uint32_t max_cluster;            /* .maxclusterrank, 0 when absent */
    bool explicit_cluster;           /* .explicitcluster: the launch says how many blocks a cluster has, or `cluster` does */
    uint32_t min_blocks, max_registers; /* .minnctapersm, .maxnreg, 0 when absent */
    bool calls_device;               /* can reach a call of printf, malloc or free */
    uint32_t outside;                /* index of the first reachable instruction outside the model, or ISA_PC_NONE */
    uint32_t barrier;                /* index of the first reachable barrier with the greatest constant number, or ISA_PC_NONE */
    uint32_t line, column;
};

/* An initialiser's word that is an address: written by linking. */
struct isa_reloc {
    uint32_t offset, bytes;  /* where in the variable */
    uint8_t shift;           /* the lowest `bytes` bytes of address >> shift are stored: 0xFF00(var) takes one byte, shift 8 */
    bool is_function;
    uint32_t symbol;         /* variable or function index */
    int64_t addend;
    bool generic;            /* generic(var) */
};

struct isa_variable {
    const char *name;
    uint8_t space;           /* ISA_SPACE_GLOBAL, _CONST, _SHARED */
    uint8_t type;
    uint32_t align;
    uint64_t bytes;
    bool is_extern_shared;   /* dynamic shared memory */
    bool is_extern;          /* declared, defined elsewhere */
    const uint8_t *init;     /* the first init_bytes bytes, or NULL for none; the rest is zero */
    uint64_t init_bytes;
    uint32_t reloc_count;
    const struct isa_reloc *relocs;
    uint64_t address;        /* shared: offset, set by the PTX room; global, const: set by linking */
};

/* A call in whose place code of the called function stands. */
struct isa_inlined {
    const char *function; /* the called function, or NULL when not known */
    uint32_t file, line;  /* of the call */
    uint32_t outer;       /* the inlined call that this one is part of; 0: none, or not known */
};

struct isa_module {
    struct arena arena;           /* owns everything below */
    const char *name;             /* file name for messages */
    const char *text;             /* the PTX text, kept for messages */
    uint32_t version_major, version_minor, target_sm;
    uint32_t instr_count, function_count, variable_count, file_count;
    struct isa_instr *instrs;
    struct isa_function *functions;
    struct isa_variable *variables;
    const char **files;           /* .file table; entry 0 is NULL */
    uint32_t inlined_count;
    const struct isa_inlined *inlined; /* entry 0 stands for none; `outer` is always a lower one */
};

void isa_module_free(struct isa_module *module);
/* The function or variable of that name, or NULL. */
const struct isa_function *isa_find_function(const struct isa_module *module, const char *name);
struct isa_variable *isa_find_variable(const struct isa_module *module, const char *name);
/* The function that is defined in the module (kernels: which must be a kernel) under this name, that of the PTX or that
 * of the source. Returns NULL, and appends what to write instead, when there is none, or when several have the name. */
const struct isa_function *isa_find_named(const struct isa_module *module, const char *name, bool kernels,
                                          struct strbuf *hint);
/* The function whose instructions include pc. */
const struct isa_function *isa_function_at(const struct isa_module *module, uint32_t pc);

/* Returns true if an instruction of the module names an mbarrier. */
bool isa_has_mbarriers(const struct isa_module *module);

/* Ends the kernel with an error where its guard is true. */
bool isa_fails(const struct isa_module *module, const struct isa_instr *instr);
/* The first instruction to which lanes at pc and at other, two instructions of the function, both come whatever way they
 * take (their nearest common post-dominator; pc itself if all ways from other lead there); ISA_PC_NONE: the exit. */
uint32_t isa_reconvergence_point(const struct isa_module *module, const struct isa_function *function, uint32_t pc, uint32_t other);

/* Appends a kernel's, function's or variable's name as the source has it: that itself when it is not mangled. */
void isa_plain_name(const char *name, struct strbuf *out);

/* Function addresses, as `mov.u64 %rd, function` gives them: a window that holds no data. */
#define ISA_CODE_WINDOW UINT64_C(0x7C0000000000)
static inline uint64_t isa_function_address(uint32_t function)
{
    return ISA_CODE_WINDOW + (uint64_t)function * 16;
}

/* The kind of unit and the class of an instruction with these op, types and modifiers. */
enum isa_unit isa_unit_of(const struct isa_instr *instr);
enum isa_latency isa_latency_of(const struct isa_instr *instr);
/* The class of what an instruction wgmma.mma_async begins; its own is that of its issue. */
enum isa_latency isa_product_latency_of(const struct isa_instr *instr);
/* The class whose latency or interval is taken where that of `latency` is 0: another one, or itself. */
enum isa_latency isa_latency_like(enum isa_latency latency);

/* Appends one instruction, without newline: parseable PTX for everything but addresses that linking made absolute. */
void isa_disasm_instr(const struct isa_module *module, const struct isa_function *function, const struct isa_instr *instr,
                      struct strbuf *out);
/* Appends the whole module as PTX that parses back to an equal module. */
void isa_disasm_module(const struct isa_module *module, struct strbuf *out);
/* Appends a short position for messages: `file.ptx:41:5 (kernel.cu:12)`; for inlined code also
 * `(kernel.cu:12 in take, inlined at kernel.cu:30)`, outwards as far as is known. */
void isa_format_pos(const struct isa_module *module, const struct isa_instr *instr, struct strbuf *out);

/* True: the file is a header that came with a compiler or the system, as its path tells (/usr/include,
 * /usr/local/cuda/targets/.../include, .../share/lockstep/include); users call what is in it, and do not write it. */
bool isa_is_system_header(const char *file);
/* The innermost place of an instruction that lies in no such header, or its outermost one where all do: the number of
 * its file (0: not known) and the line. */
void isa_user_place(const struct isa_module *module, const struct isa_instr *instr, uint32_t *file, uint32_t *line);

/* How many coordinates an access to a texture or surface has: those of its geometry, the layer first. */
static inline unsigned isa_coordinates(const struct isa_instr *instr)
{
    switch (instr->mods.geometry) {
    case ISA_GEOMETRY_1D: return 1;
    case ISA_GEOMETRY_2D:
    case ISA_GEOMETRY_A1D: return 2;
    case ISA_GEOMETRY_ACUBE: return 4;
    default: return 3;
    }
}

/* The first coordinate is the number of a layer. */
static inline bool isa_has_layer(const struct isa_instr *instr)
{
    return instr->mods.geometry == ISA_GEOMETRY_A1D || instr->mods.geometry == ISA_GEOMETRY_A2D ||
           instr->mods.geometry == ISA_GEOMETRY_ACUBE;
}

/* How many gradients tex.grad has along each of x and y; 0: it is something else. */
static inline unsigned isa_gradients(const struct isa_instr *instr)
{
    return instr->mods.lod == ISA_LOD_GRADIENT ? isa_coordinates(instr) - isa_has_layer(instr) : 0;
}

/* The parts of a lane's atomic: elements of a vector, each performed by itself, or the halves of 128 bits, which are
 * performed together; else 1. */
static inline unsigned isa_atomic_parts(const struct isa_instr *instr)
{
    return instr->type == ISA_B128 ? 2 : instr->mods.vec ? 1u << instr->mods.vec : 1;
}

/* How many dimensions a copy of a box of a tensor has; 0: it is something else. */
static inline unsigned isa_dimensions(const struct isa_instr *instr)
{
    if (instr->op < ISA_OP_TENSOR || instr->op > ISA_OP_TENSOR_PREFETCH)
        return 0;
    switch (instr->mods.geometry) {
    case ISA_GEOMETRY_1D: return 1;
    case ISA_GEOMETRY_2D: return 2;
    case ISA_GEOMETRY_3D: return 3;
    case ISA_GEOMETRY_4D: return 4;
    default: return 5;
    }
}

/* The scope at which an access or fence orders others: the one that it names, or, of a fence that is about no other
 * SM's memory, the block's. ISA_SCOPE_*, or 0. Local shared memory performs accesses as they issue, and one address
 * stands for each place of memory: so fences of aliases and of local shared memory order what is in order already. */
static inline uint8_t isa_scope_of(const struct isa_instr *instr)
{
    uint8_t about = instr->mods.restriction;
    bool in_order = about == ISA_RESTRICT_INIT || about == ISA_RESTRICT_SYNC_CTA ||
                    about == ISA_RESTRICT_SYNC_CLUSTER || about == ISA_RESTRICT_CTA;
    return in_order || instr->mods.proxy == ISA_PROXY_ALIAS ? ISA_SCOPE_CTA : instr->mods.scope;
}

/* Returns true if the instruction arrives at the barrier of its cluster, or waits for it. */
static inline bool isa_is_cluster_barrier(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_BARRIER && instr->mods.scope == ISA_SCOPE_CLUSTER;
}

/* Returns true if the instruction gives the asynchronous unit a command: a copy in bulk, or the like. */
static inline bool isa_is_command(const struct isa_instr *instr)
{
    return (instr->op >= ISA_OP_BULK && instr->op <= ISA_OP_BULK_PREFETCH) ||
           (instr->op >= ISA_OP_TENSOR && instr->op <= ISA_OP_TENSOR_PREFETCH);
}

/* Returns true if the instruction looks whether a phase of an mbarrier is over, or waits until it is. */
static inline bool isa_looks_at_mbarrier(const struct isa_instr *instr)
{
    return instr->op >= ISA_OP_MBARRIER_TEST && instr->op <= ISA_OP_MBARRIER_TRY_PARITY;
}

/* The barrier that an instruction names by a constant number, or ISA_NO_BARRIER. */
#define ISA_NO_BARRIER UINT32_MAX
static inline uint32_t isa_constant_barrier(const struct isa_instr *instr)
{
    if ((instr->op != ISA_OP_BAR && instr->op != ISA_OP_BARRIER) || instr->mods.barrier == ISA_BARRIER_WARP ||
        instr->src_count == 0 || instr->src[0].kind != ISA_OPERAND_IMM)
        return ISA_NO_BARRIER;
    return instr->src[0].value < ISA_NO_BARRIER ? (uint32_t)instr->src[0].value : ISA_NO_BARRIER - 1;
}

#endif
