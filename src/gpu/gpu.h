/* The device: what a launch file, the CUDA runtime and the command line use. One `struct gpu` is one simulated GPU with
 * its memory and loaded modules; launches run one after another, or together, and carry the caches' contents from one to the next as
 * the machine says. */
#ifndef LOCKSTEP_GPU_GPU_H
#define LOCKSTEP_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/host_use.h"
#include "base/strbuf.h"
#include "gpu/machine.h"
#include "isa/program.h"
#include "ptx/ptx.h"
#include "sanitize/among.h"
#include "stats/stat.h"

struct archive;
struct gpu;
struct gpu_module;

enum gpu_mode { GPU_TIMING, GPU_FUNCTIONAL };

struct gpu *gpu_create(const struct machine *machine, struct diag_sink *sink);
void gpu_destroy(struct gpu *gpu);

/* Loads an observer (lockstep/observer.h) that all launches from now on tell what happens, in timing mode; what it
 * reports joins what the device prints (gpu_take_output). path must stay. -1 with a diagnostic. */
int gpu_observe(struct gpu *gpu, const char *path, struct diag_sink *sink);
/* As gpu_observe, of an observer that the program gives, with `user` for its lockstep_observed.user; both must stay. */
struct lockstep_observer;
int gpu_observe_by(struct gpu *gpu, const struct lockstep_observer *observer, void *user, struct diag_sink *sink);

/* Profiles all launches from now on, in timing mode: gpu_result.profile. To be called once. */
void gpu_profile(struct gpu *gpu);

/* What --check looks for, as a set of GPU_CHECKS_*: from a list of names separated by commas; -1 with a diagnostic. */
enum gpu_checks_bit {
#define GPU_CHECK(name, doc) GPU_CHECKS_BIT_##name,
#include "gpu/checks.def"
#undef GPU_CHECK
};
enum gpu_checks {
#define GPU_CHECK(name, doc) GPU_CHECKS_##name = 1 << GPU_CHECKS_BIT_##name,
#include "gpu/checks.def"
#undef GPU_CHECK
};
int gpu_checks_parse(const char *text, unsigned *checks, struct diag_sink *sink);
#define GPU_CHECKS_NEED_TIMING "--check race and init need timing mode: functional mode tells of no accesses"
bool gpu_checks_need_timing(unsigned checks);
/* Looks for races and reads of what nobody has written, as far as the set asks for that, in all launches from now on:
 * gpu_result.findings. Such launches are simulated by one thread. To be called once. */
void gpu_sanitize(struct gpu *gpu, unsigned checks);
/* Stray accesses (sm/strays.h) of all launches from now on are let pass: loads read zeros, stores and atomics change
 * nothing. Each line is told once, as a warning. are_findings: they count in gpu_result.findings. */
void gpu_let_pass(struct gpu *gpu, bool are_findings);
/* Tells in the sink, as a note, how many there were, by lines, if any. */
void gpu_explain_let_pass(const struct gpu *gpu, struct diag_sink *sink);
/* Tells in the sink, as a note, of the allocations that gpu_free was never called for, if any. */
void gpu_explain_leaks(const struct gpu *gpu, struct diag_sink *sink);
/* Counts the statistics of all launches from now on by intervals of so many cycles too, in timing mode:
 * gpu_result.intervals. 0: no more. */
void gpu_set_interval(struct gpu *gpu, uint64_t cycles);
#define GPU_INTERVAL_NEEDS_TIMING "intervals (--interval) need timing mode: functional mode has no cycles"

/* Keeps timelines of all launches from now on, in timing mode: gpu_result.timeline. To be called once. */
struct timeline_options;
void gpu_timeline(struct gpu *gpu, const struct timeline_options *options);

/* Device memory. Addresses are device addresses (also valid as generic addresses in kernels). All return 0, or -1 with
 * a diagnostic that names the range. */
uint64_t gpu_malloc(struct gpu *gpu, uint64_t bytes); /* 0 when memory is exhausted */
/* Frees what gpu_malloc gave; -1 when that is not where an allocation of its starts. */
int gpu_free(struct gpu *gpu, uint64_t address);
/* Labels the allocation that starts there for messages: with how it was made ("cudaMalloc"; must stay), which stands
 * beside its number, or with a name of its own (copied; NULL: none). */
void gpu_label(struct gpu *gpu, uint64_t start, const char *how, const char *name);
int gpu_write(struct gpu *gpu, uint64_t address, const void *from, uint64_t bytes, struct diag_sink *sink);
int gpu_read(struct gpu *gpu, void *to, uint64_t address, uint64_t bytes, struct diag_sink *sink);
int gpu_fill(struct gpu *gpu, uint64_t address, uint8_t value, uint64_t bytes, struct diag_sink *sink);
/* With elements of 1, 2 or 4 bytes, the lowest of value, one after the other. */
int gpu_fill_elements(struct gpu *gpu, uint64_t address, uint32_t value, unsigned element, uint64_t bytes,
                      struct diag_sink *sink);
int gpu_copy(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t bytes, struct diag_sink *sink);
/* The allocation that holds address: its start and size; false when there is none. */
bool gpu_find_allocation(const struct gpu *gpu, uint64_t address, uint64_t *start, uint64_t *bytes);
/* Returns true if a host pointer lies in the range of device memory, allocated or not; always false unless
 * gpu_host_mapped. */
bool gpu_is_memory(const struct gpu *gpu, uint64_t address);
/* Size of the heap of device malloc, instead of the machine's; 0 for the machine's. -1 when it is larger than device
 * memory, or in use already. */
int gpu_set_heap(struct gpu *gpu, uint64_t bytes);
/* Returns true if every device address is also a host pointer to the same bytes, as managed and pinned memory need. */
bool gpu_host_mapped(const struct gpu *gpu);
void gpu_memory_info(const struct gpu *gpu, uint64_t *free_bytes, uint64_t *total_bytes);

/* Takes over a decoded module: places its variables in device memory and makes addresses absolute. The module is freed
 * with the gpu or by gpu_unload, also on failure. NULL with diagnostics on failure (memory exhausted, unresolved extern
 * variable). */
struct gpu_module *gpu_load(struct gpu *gpu, struct isa_module *module, struct diag_sink *sink);
void gpu_unload(struct gpu *gpu, struct gpu_module *module);
const struct isa_module *gpu_module_code(const struct gpu_module *module);
/* The kernel of that name, or NULL. */
const struct isa_function *gpu_kernel(const struct gpu_module *module, const char *name);
/* Device address and size of a __device__ or __constant__ variable; false when there is none of that name. */
bool gpu_variable(const struct gpu_module *module, const char *name, uint64_t *address, uint64_t *bytes);

/* What a module that is to be loaded has to know of the machine's registers. */
struct ptx_budget gpu_budget(const struct machine *machine);
/* Registers of a thread of the kernel: gpu.thread_registers, or else those live at once (or what gpu.registers_as says),
 * but no more than let .minnctapersm blocks of .maxntid threads (the two numbers of __launch_bounds__) be on an SM at
 * once. NVIDIA's assembler keeps that promise by spilling. With gpu.spills so did the module's loader; else the registers
 * beyond cost nothing, as with .maxnreg. */
uint32_t gpu_registers(const struct gpu *gpu, const struct isa_function *kernel);

/* Blocks of `threads` threads with `dynamic_shared` bytes that fit on one SM at once; 0: not even one. limiter (may be
 * NULL) receives what binds: "threads", "blocks", "registers", "shared", "warps". */
unsigned gpu_occupancy(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads,
                       uint64_t dynamic_shared, const char **limiter);

/* Blocks that a launch has on an SM at once. A kernel of which not one block fits, since its registers are too many, gets
 * as many as leave room for one: *registers (may be NULL) receives those of a thread. NVIDIA's assembler does so for
 * .maxntid and spills; here the registers beyond cost nothing. 0: no block fits all the same, or the machine says how many
 * registers a thread has. */
unsigned gpu_resident_blocks(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads,
                             uint64_t dynamic_shared, uint32_t *registers);

/* Blocks of a cluster at most, as a launch may have them; 0: the device knows no clusters of several. Clusters of such a
 * size that are resident at once. */
uint32_t gpu_cluster_blocks(const struct gpu *gpu, bool nonportable);
unsigned gpu_active_clusters(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads,
                             uint64_t dynamic_shared, uint32_t blocks);

struct gpu_progress {
    uint64_t cycle, warp_instructions;
    uint64_t blocks_done, blocks;
    double seconds; /* host seconds since the launch began */
};

struct plugin_blame;
struct profile;
struct simt_divergence;
struct gpu_visitor;
struct gpu_launch {
    const struct gpu_module *module;
    const struct isa_function *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];      /* blocks of a cluster; 0: the kernel's own, or none */
    bool nonportable_cluster; /* clusters may be larger than all devices have that know clusters */
    uint64_t dynamic_shared;
    /* All blocks must be resident at once, so that they may wait for each other: a grid that does not fit is refused.
     * The kernel gets a grid workspace for its barriers (launch.c: write_workspace). */
    bool cooperative;
    /* How it came to the device, which decides how soon it begins behind the launch before (gpu.launch_gap_cycles and its
     * neighbours): the host gives it, or the graph of which that launch was a node; and early: it may begin before that
     * launch has ended, as far as the machine can make it ready (launches run one after another). */
    bool by_graph, early;
    struct sanitize_among among; /* for --check race: the launches before it that it may race with */
    const void *params; /* kernel->param_bytes bytes, laid out by isa_param.offset */
    enum gpu_mode mode;
    bool warms; /* in timing mode: it fills caches for later launches, and its figures are not asked for */
    uint32_t registers;  /* a thread, for occupancy, unless the machine says how many; 0: the kernel's own */
    uint64_t max_cycles; /* 0: none */
    unsigned threads;    /* of the host that simulate; 0 is 1. Results do not depend on it */
    bool every_cycle;    /* step units also when they cannot act: the same results, later; a check of the simulator */
    bool check_sync;     /* an exchange between lanes whose result the PTX manual leaves undefined is a fault */
    const struct simt_divergence *divergence; /* how the lanes of a warp part and meet; NULL: the machine's model */
    /* The host goes on beside the kernel and may write device memory: a kernel that only polls words which nobody on
     * the device will write then stands (GPU_STANDS) instead of being stopped. Simulated time stands with it, so that
     * results do not depend on how long the host takes. */
    bool open;
    /* Returns true if the host can write at this address without a call: polls of it are then noticed soon. NULL: it
     * can nowhere. */
    bool (*host_writes)(const void *context, uint64_t address);
    /* With host_writes: the launch *listens* from now on. It looks as if it stood, and does once its warps have polled
     * again all that they poll; a word written since is then another one than the polls remember. Called again when it
     * got somewhere meanwhile. */
    void (*listens)(void *context);
    /* Called about five times a host second, or never when NULL; non-zero asks to stop. */
    int (*progress)(void *context, const struct gpu_progress *progress);
    void *context;
    const struct gpu_visitor *visitor; /* gpu/visit.h; NULL: nobody. Timing mode only */
    /* A checkpoint of this launch from which it goes on, read as far as what gpu_archive wrote; else NULL. When it does
     * not fit, the launch is GPU_INVALID and the archive says why. */
    struct archive *resume;
    /* Written as well when a warp scheduler or an observer from a shared object ends the process by a fault of its own
     * (base/plugin.h); NULL: nothing. */
    const struct plugin_blame *blame;
    struct strbuf
        *phases; /* receives a row for each warp in each phase of its block, under gpu_phases_head; may be NULL */
    struct strbuf *waits; /* receives who waits for whom in a hang, as a graph for Graphviz; may be NULL */
};

/* The columns of gpu_launch.phases, as a line of CSV: launch (counts those of the device), kernel, SM, index of the
 * block, phase of the block, warp of the block, and in cycles of the device when the phase began for the warp, when it
 * came to the barrier or ended, and when the phase was over. */
extern const char gpu_phases_head[];

enum gpu_status {
    GPU_OK,
    GPU_INVALID, /* the launch could not begin: bad configuration, instruction outside the model */
    GPU_FAULT,   /* the program did something illegal: out-of-bounds, misaligned, trap, assert */
    GPU_HANG,    /* no progress is possible, or none was made: deadlock, livelock */
    GPU_LIMIT,   /* max_cycles reached */
    GPU_STOPPED, /* progress asked to stop */
    GPU_STANDS,  /* see gpu_launch.open; not the end: gpu_go_on */
    GPU_HELD,    /* its visitor holds it (gpu/visit.h); not the end: gpu_go_on */
};

/* The program's fault, with status GPU_FAULT. */
enum gpu_fault {
    GPU_FAULT_NONE,
    GPU_FAULT_ADDRESS, /* outside every allocation, or a write to constant memory */
    GPU_FAULT_ALIGNMENT,
    GPU_FAULT_ASSERT,
    GPU_FAULT_TRAP,
    GPU_FAULT_STACK,       /* local memory of a thread exhausted */
    GPU_FAULT_INSTRUCTION, /* anything else an instruction could not do */
};

/* One group of statistics with its values, as results carry them. */
struct gpu_stat_set {
    const struct stat_group *group;
    const void *values;
};

/* The outcome of a launch. Plain data; strings belong to the kernel's module. */
struct gpu_result {
    enum gpu_status status;
    enum gpu_fault fault;
    const char *hang;       /* GPU_HANG: "memory deadlock" if it is none of the kernel's, else NULL */
    const char *stopped_by; /* GPU_LIMIT: "max-cycles"; GPU_STOPPED: why progress asked, as the caller puts it */
    const char *name;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared, static_shared;
    uint32_t registers;
    enum gpu_mode mode;
    bool warms; /* as the launch had it */
    unsigned blocks_per_sm;
    const char *blocks_limited_by;
    uint64_t cycles;
    int64_t gap_cycles;              /* from the latest end of those before to its end, less its cycles: below 0 beside others */
    double time_ns;                  /* simulated time of the launch */
    uint64_t start;                  /* the device's cycle in which it began */
    bool shared;                     /* it ran together with others (gpu_launch_together) */
    struct gpu_counters *counters;   /* every unit's statistics, merged over units; see gpu_result_sets */
    unsigned lacks;                  /* set of enum stat_needs: statistics that need one of them were not measured */
    struct profile *profile;         /* see gpu_profile; NULL: there is none */
    uint64_t findings;               /* kinds of errors that gpu_sanitize found, which the sink explains */
    struct gpu_intervals *intervals; /* see gpu_set_interval; NULL: there are none */
    char *timeline;                  /* lines of JSON, see gpu_timeline and docs/timeline.md; NULL: there is none */
    struct host_use host;
};

/* A result in which every statistic is zero: listings take names and meanings from its sets. */
void gpu_result_blank(struct gpu_result *result);
void gpu_result_free(struct gpu_result *result);
/* The statistics of a result, group by group in a fixed order; *count receives how many. Those that need what the
 * launch lacks (gpu_result.lacks) have no value: it is not their zero. */
const struct gpu_stat_set *gpu_result_sets(const struct gpu_result *result, unsigned *count);
/* How often each transition of the coherence protocol was taken, by side (coherence_side_of). */
struct coherence_counts;
const struct coherence_counts *gpu_result_transitions(const struct gpu_result *result, unsigned side);
/* Headline figures. */
uint64_t gpu_result_warp_instructions(const struct gpu_result *result);
uint64_t gpu_result_thread_instructions(const struct gpu_result *result);
const char *gpu_status_name(enum gpu_status status);
/* Says in the sink that the launch was stopped from outside, when and by what; nothing when it was not. */
void gpu_explain_stop(const struct gpu_result *result, struct diag_sink *sink);

/* Runs one kernel to its end, or until it stands or is held. Returns 0 when it ended well; else -1, result->status says
 * how and sink explains. result is filled in every case (partial figures included), unless it stands or is held. */
int gpu_launch(struct gpu *gpu, const struct gpu_launch *launch, struct gpu_result *result, struct diag_sink *sink);

/* Launches that are given together run at one time, as far as there is room (company.c): at most gpu.kernels kernels, each
 * on SMs of its own. */
#define GPU_TOGETHER 64 /* launches given together, at most */
struct gpu_given {
    struct gpu_launch launch;
    uint64_t after; /* set of those before it in the list that must have ended before it begins */
    uint64_t lets;  /* of one that may begin early: those of `after` for which it is enough that each of their blocks has
                       given permission or ended. With a launch the set has those of `after` that it in turn comes after:
                       it has begun, so they have let it. */
    struct gpu_result *result;
    struct diag_sink *sink;
};
/* True: the launch may be given together with others on this device. Some ways to launch, or to look at a launch, are for
 * one kernel alone: company.c lists them. */
bool gpu_may_share(const struct gpu *gpu, const struct gpu_launch *launch);
/* Runs launches that gpu_may_share, 1 to GPU_TOGETHER, to the end of all. Returns 0 when all ended well; else -1, each
 * result's status says how, and its sink explains. A launch that cannot begin (GPU_INVALID) keeps no other from running,
 * and those after it run; where one fails, those that have not ended are stopped. Results are filled in every case: they have the groups of
 * statistics of the SMs. What the SMs share (L2, DRAM, networks), and energy, is in `total` (may be NULL), with the sums of
 * all kernels' statistics and the cycles from the first begin to the last end. Neither depends on the threads. */
int gpu_launch_together(struct gpu *gpu, struct gpu_given *given, unsigned count, struct gpu_result *total);

/* The launch that stands or is held, if any, with what gpu_launch was given for result, sink, and gpu_launch.params; meanwhile
 * memory may be read and written, and modules be loaded, but nothing be launched. gpu_polls_changed: one of the words
 * that it polls has another value than when it began to listen. */
bool gpu_stands(const struct gpu *gpu);
bool gpu_polls_changed(const struct gpu *gpu);
/* Threads of the process that are the device's own. */
unsigned gpu_helpers(const struct gpu *gpu);
enum gpu_going {
    GPU_GO_ON,   /* something was written; or its visitor lets it */
    GPU_GO_HANG, /* nobody will write what it polls: it ends with GPU_HANG, and the sink is told who waits for what */
    GPU_GO_STOP, /* it ends with GPU_STOPPED */
};
/* Lets it go on, or ends it. Returns as gpu_launch, also with GPU_STANDS or GPU_HELD again. why: for GPU_GO_HANG, words for why
 * nobody will. */
int gpu_go_on(struct gpu *gpu, enum gpu_going going, const char *why);

/* Checkpoints: from now on launches call take about every `every` cycles of the device (0: no more), the first time
 * after `first`, at a moment at which gpu_archive can describe the whole of it; not in functional mode. */
void gpu_set_checkpoints(struct gpu *gpu, uint64_t first, uint64_t every, void (*take)(void *context), void *context);
/* Cycles until the next one is due. */
uint64_t gpu_checkpoint_left(const struct gpu *gpu);
/* Saves the device with the launch under way. Only from within take. */
void gpu_archive(struct gpu *gpu, struct archive *ar);
/* The device's state that the last launch changed, besides memory's content and the units: time, and the memory it
 * took. Loading it replaces a launch for later calls that do not read memory. */
void gpu_archive_outcome(struct gpu *gpu, struct archive *ar);
/* Core cycles since creation. */
uint64_t gpu_cycle(const struct gpu *gpu);

/* Simulated nanoseconds since creation; launches advance it by their cycles. */
double gpu_time_ns(const struct gpu *gpu);
/* Moves what device printf wrote since the last call, in order of simulated time, and behind that of each launch what
 * its observers reported, to the end of out. */
void gpu_take_output(struct gpu *gpu, struct strbuf *out);

#endif
