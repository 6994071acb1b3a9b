/* One launch: checks, the parameter block, the grid, and what is said when it does not end well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/worker_pool.h"
#include "gpu/clusters.h"
#include "gpu/gpu_impl.h"
#include "simt/form.h"
#include "sm/barrier.h"

int gpu_report_progress(struct gpu_run *run, uint64_t warp_instructions, uint64_t blocks_done)
{
    if (!run->launch->progress)
        return 0;
    struct gpu_progress progress = {
        .cycle = run->gpu->cycle - run->start_cycle,
        .warp_instructions = warp_instructions,
        .blocks_done = blocks_done,
        .blocks = run->blocks,
        .seconds = host_seconds() - run->start.seconds,
    };
    return run->launch->progress(run->launch->context, &progress);
}

void gpu_block_index(const struct gpu_run *run, uint64_t number, uint32_t index[3])
{
    const uint32_t *grid = run->launch->grid;
    if (run->grid.cluster_blocks > 1) {
        gpu_cluster_block_index(run, number, index);
        return;
    }
    index[0] = (uint32_t)(number % grid[0]);
    index[1] = (uint32_t)(number / grid[0] % grid[1]);
    index[2] = (uint32_t)(number / grid[0] / grid[1]);
}

static struct diag_pos function_pos(const struct gpu_run *run)
{
    return (struct diag_pos){run->launch->module->code->name, run->launch->kernel->line, run->launch->kernel->column};
}

static int refuse(struct gpu_run *run, const char *hint, const char *message)
{
    return diag_error(run->sink, function_pos(run), hint, "kernel %s cannot be launched: %s", run->name, message);
}

static int check_shape(struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    const uint32_t *required = l->kernel->required_threads;
    uint64_t threads = 1, blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        threads *= l->block[i];
        bool many = l->grid[i] && blocks > (UINT64_C(1) << 40) / l->grid[i];
        blocks *= l->grid[i];
        if (!l->grid[i] || !l->block[i] || threads > 4096 || many)
            return refuse(run, "every dimension is at least 1; a grid has at most 2^40 blocks, a block 4096 threads",
                          "the grid or block size is out of range");
    }
    if (required[0] && memcmp(required, l->block, sizeof l->block))
        return refuse(run, NULL, "the block size differs from the kernel's .reqntid");
    uint64_t most = 1;
    for (unsigned i = 0; i < 3; i++)
        most *= l->kernel->max_threads[i] ? l->kernel->max_threads[i] : 1;
    if (l->kernel->max_threads[0] && threads > most)
        return refuse(run, "launch fewer threads per block, or change __launch_bounds__",
                      "the block has more threads than the kernel's .maxntid");
    run->blocks = blocks;
    return 0;
}

/* A kernel is refused before its first cycle when it can reach an instruction outside the model. */
static int check_code(struct gpu_run *run)
{
    const struct isa_module *code = run->launch->module->code;
    uint32_t at = run->launch->kernel->outside;
    if (at == ISA_PC_NONE)
        return 0;
    const struct isa_instr *instr = &code->instrs[at];
    struct strbuf pos = {0};
    isa_format_pos(code, instr, &pos);
    diag_error(run->sink, (struct diag_pos){code->name, instr->line, instr->column}, NULL,
               "kernel %s cannot be launched: it can reach an instruction outside the model at %s: %s", run->name,
               strbuf_text(&pos), instr->text ? instr->text : isa_op_info(instr->op)->text);
    strbuf_free(&pos);
    return -1;
}

/* Refuses a kernel that names a barrier which the machine's blocks do not have. A barrier number that is computed is
 * checked when the instruction executes. */
static int check_barriers(struct gpu_run *run)
{
    const struct isa_module *code = run->launch->module->code;
    uint32_t at = run->launch->kernel->barrier, barriers = run->gpu->machine.sm.barriers;
    if (at == ISA_PC_NONE || isa_constant_barrier(&code->instrs[at]) < barriers)
        return 0;
    const struct isa_instr *instr = &code->instrs[at];
    struct strbuf pos = {0};
    isa_format_pos(code, instr, &pos);
    diag_error(run->sink, (struct diag_pos){code->name, instr->line, instr->column},
               isa_constant_barrier(instr) < SM_BARRIERS ? "raise sm.barriers" : "PTX numbers barriers from 0 to 15",
               "kernel %s cannot be launched: it uses barrier %u at %s, and a block has %u of them, numbered from 0 "
               "(sm.barriers)",
               run->name, isa_constant_barrier(instr), strbuf_text(&pos), barriers);
    strbuf_free(&pos);
    return -1;
}

/* Queues of locks stand in the L2, to which requests must come as they were sent, and answer the lanes of a warp one by
 * one, which then need a divergence model that lets those that ask keep the turn. */
static int check_lock_queues(struct gpu_run *run)
{
    const struct coherence_protocol *protocol = gpu_protocol(&run->gpu->machine);
    char message[200];
    if (!run->grid.lock_queues.used || !run->launch->module->takes_locks)
        return 0;
    if (protocol->registration) {
        snprintf(
            message, sizeof message,
            "queues of locks (locks.queue) need a protocol whose L1s keep nothing that was written, and %s is not one",
            protocol->name);
        return refuse(run, "gpu and bypass are such; or leave locks.queue off: then warps ask again", message);
    }
    if (!simt_model_of(&run->grid)->exclusive) {
        snprintf(message, sizeof message,
                 "queues of locks (locks.queue) answer lanes that keep their warp's turn, which %s lets others have",
                 simt_model_of(&run->grid)->name);
        return refuse(run, "use --divergence stack, or leave locks.queue off: then warps ask again", message);
    }
    return 0;
}

/* A kernel of whose blocks not one fits runs with fewer registers than it needs, which is said once. Returns how many
 * blocks fit then. */
static unsigned limit_registers(struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    struct sm_kernel *k = &run->kernel;
    uint32_t own = run->result->registers, limited;
    unsigned fit = gpu_resident_blocks(run->gpu, l->kernel, k->threads_per_block, l->dynamic_shared, &limited);
    if (!fit || l->registers)
        return 0;
    k->registers = run->result->registers = limited;
    if (gpu_is_first_note(run->gpu, hash_bytes(run->name, strlen(run->name))))
        diag_note(run->sink, function_pos(run),
                  "a larger machine (lockstep machines) has them; --registers N says how many",
                  "kernel %s needs %u registers a thread, and a block of %u threads leaves room for %u: it runs with "
                  "these, and the others, which an assembler would spill to local memory, cost nothing",
                  run->name, own, k->threads_per_block, limited);
    return fit;
}

static int check_resources(struct gpu_run *run)
{
    const struct sm_params *p = &run->gpu->machine.sm;
    const char *limiter;
    struct sm_kernel *k = &run->kernel;
    unsigned fit = sm_occupancy(p, k->threads_per_block, k->shared_bytes, k->registers, &limiter);
    if (!fit && strcmp(limiter, "registers") == 0)
        fit = limit_registers(run);
    run->result->blocks_limited_by = limiter;
    run->result->blocks_per_sm = fit;
    if (!fit)
        return diag_error(run->sink, function_pos(run), "use smaller blocks or a larger machine",
                          "kernel %s cannot be launched: a block of %u threads, %u registers a thread and %u bytes of "
                          "shared memory does not fit on an SM (limited by %s)",
                          run->name, k->threads_per_block, k->registers, k->shared_bytes, limiter);
    if (run->launch->module->grid_barrier && run->blocks > (uint64_t)fit * run->gpu->machine.gpu.sms)
        return diag_error(
            run->sink, function_pos(run), "launch fewer or smaller blocks",
            "kernel %s cannot be launched: its module waits for the grid (lockstep.barrier.grid), so all %llu blocks "
            "must be resident at once, but %u of them fit on each of %u SMs (limited by %s)",
            run->name, (unsigned long long)run->blocks, fit, run->gpu->machine.gpu.sms, limiter);
    if (run->launch->cooperative && run->blocks > (uint64_t)fit * run->gpu->machine.gpu.sms)
        return diag_error(
            run->sink, function_pos(run), "launch fewer or smaller blocks",
            "kernel %s cannot be launched cooperatively: its %llu blocks must be resident at once, but %u "
            "of them fit on each of %u SMs (limited by %s)",
            run->name, (unsigned long long)run->blocks, fit, run->gpu->machine.gpu.sms, limiter);
    /* A grid too small to fill the device is spread over the SMs. */
    uint64_t even = (run->blocks + run->gpu->machine.gpu.sms - 1) / run->gpu->machine.gpu.sms;
    k->max_blocks = even < fit && run->grid.cluster_blocks == 1 ? (unsigned)even : fit;
    return 0;
}

/* Parameters live in device memory, as constant memory that the kernel's ld.param reads through the constant cache.
 * Each of the launches that run at one time has a block of its own, by its number. */
static int write_params(struct gpu_run *run, unsigned number)
{
    struct gpu *gpu = run->gpu;
    uint64_t bytes = round_up_u64(run->launch->kernel->param_bytes + 16, 4096);
    if (bytes > gpu->params_bytes[number]) {
        uint64_t block = store_alloc(&gpu->store, bytes, 256);
        if (!block)
            return refuse(run, "raise gpu.memory_mib", "no device memory is left for its parameters");
        gpu->params[number] = block;
        gpu->params_bytes[number] = bytes;
        vec_push(&gpu->constants, (struct gpu_range){block, block + bytes});
        /* Nobody writes them as global memory: loads that take them for it are found, if not by --check mem already. */
        if (gpu->sanitize && gpu->bounded)
            sanitize_host_wrote(gpu->sanitize, block, bytes);
        else if (gpu->sanitize)
            sanitize_host_allocated(gpu->sanitize, block, bytes);
    }
    if (run->launch->kernel->param_bytes)
        memcpy(store_at(&gpu->store, gpu->params[number]), run->launch->params, run->launch->kernel->param_bytes);
    run->grid.param_address = gpu->params[number];
    return 0;
}

/* The grid workspace of a cooperative launch, which a kernel finds through %envreg1 and %envreg2: WORKSPACE_BYTES that
 * begin with a word that holds their number and a word in which grid barriers count arrivals, zero when the launch
 * begins. Known from what nvcc's cooperative_groups compile to (PTX ISA, "Special Registers: %envreg": driver-defined).
 */
static int write_workspace(struct gpu_run *run)
{
    struct gpu *gpu = run->gpu;
    uint32_t size = WORKSPACE_BYTES;
    if (!run->launch->cooperative)
        return 0;
    if (!gpu->workspace)
        gpu->workspace = store_alloc(&gpu->store, WORKSPACE_BYTES, 256);
    if (!gpu->workspace)
        return refuse(run, "raise gpu.memory_mib", "no device memory is left for its grid workspace");
    if (gpu->sanitize) /* each launch has its own */
        sanitize_host_allocated(gpu->sanitize, gpu->workspace, WORKSPACE_BYTES);
    gpu_fill(gpu, gpu->workspace, 0, WORKSPACE_BYTES, NULL);
    gpu_write(gpu, gpu->workspace, &size, sizeof size, NULL);
    run->grid.workspace_address = gpu->workspace;
    return 0;
}

/* The functional mode has no memory system whose slices could keep requests. */
static struct simt_lock_queues lock_queues_of(const struct machine *m, enum gpu_mode mode)
{
    const struct lock_params *p = &m->memory.locks;
    return (struct simt_lock_queues){.used = p->queue && mode == GPU_TIMING,
                                     .growth = (uint8_t)p->backoff,
                                     .first_wait = p->backoff_cycles,
                                     .longest_wait = p->backoff_most};
}

static const struct simt_divergence *way_of(const struct gpu_run *run)
{
    return run->launch->divergence ? run->launch->divergence : run->gpu->divergence;
}

/* True: the launch moves threads from warp to warp. Its divergence model and the kernel allow it, and it is timed. */
static bool forms(const struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    return way_of(run)->forming && l->mode != GPU_FUNCTIONAL && simt_may_form(gpu_module_code(l->module), l->kernel);
}

/* The registers of a thread that setmaxnreg moves: as many as the kernel's directives let it have, which NVIDIA's assembler
 * allots whatever the kernel needs. 0: there is no such directive, so that setmaxnreg is without effect, or no setmaxnreg. */
static uint32_t movable_registers(const struct gpu *gpu, const struct isa_function *kernel)
{
    const struct ptx_budget budget = gpu_budget(&gpu->machine);
    struct isa_function bounds = *kernel;
    if (!kernel->moves_registers)
        return 0;
    if (!bounds.max_threads[0])
        memcpy(bounds.max_threads, bounds.required_threads, sizeof bounds.max_threads);
    bounds.min_blocks = bounds.min_blocks ? bounds.min_blocks : 1;
    uint32_t most = ptx_bounded_registers(&bounds, &budget);
    if (kernel->max_registers && kernel->max_registers < most)
        most = kernel->max_registers;
    return most == UINT32_MAX ? 0 : most < budget.most ? most : budget.most;
}

/* Of a thread: the machine's word, the launch's, or the kernel's. */
static uint32_t registers_of(const struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    bool of_launch = l->registers && !run->gpu->machine.gpu.thread_registers;
    return of_launch ? l->registers : gpu_registers(run->gpu, l->kernel);
}

static void describe_grid(struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    const struct machine *m = &run->gpu->machine;
    uint32_t align = l->kernel->shared_align > 16 ? l->kernel->shared_align : 16;
    uint32_t dynamic_base =
        l->dynamic_shared ? (uint32_t)round_up_u64(l->kernel->shared_bytes, align) : l->kernel->shared_bytes;
    run->grid = (struct simt_grid){
        .code = l->module->simt,
        .kernel = l->kernel,
        .dynamic_shared = (uint32_t)l->dynamic_shared,
        .dynamic_base = dynamic_base,
        .launch_number = run->gpu->launches,
        .sm_count = m->gpu.sms,
        .warp_slots = m->sm.warps,
        .barriers = m->sm.barriers,
        .stack_bytes = m->gpu.stack_bytes,
        .core_mhz = m->gpu.core_mhz,
        .check_sync = l->check_sync,
        .lenient = run->gpu->lenient,
        .lock_past = m->sm.lock_past,
        .aware_timeout = m->sm.aware_timeout,
        .lock_queues = lock_queues_of(m, l->mode),
        .divergence = way_of(run),
        .forms = forms(run),
        .rotates_lanes = forms(run) && m->sm.form_lanes == SM_FORM_LANES_ROTATED,
        .services = &run->gpu->services,
    };
    memcpy(run->grid.grid, l->grid, sizeof run->grid.grid);
    memcpy(run->grid.block, l->block, sizeof run->grid.block);
    unsigned threads = l->block[0] * l->block[1] * l->block[2];
    run->kernel = (struct sm_kernel){
        .grid = &run->grid,
        .warps_per_block = (threads + m->sm.warp_size - 1) / m->sm.warp_size,
        .threads_per_block = (unsigned)round_up_u64(threads, m->sm.warp_size),
        .shared_bytes = dynamic_base + (uint32_t)l->dynamic_shared,
        .registers = (uint32_t)round_up_u64(registers_of(run), m->sm.register_unit),
        .read_only = gpu_address_read_only,
        .context = run->gpu,
        .log_phases = l->phases != NULL,
        .cluster_barrier = l->module->cluster_barrier,
        .mbarriers = l->module->mbarriers,
        .pools = !run->grid.forms && movable_registers(run->gpu, l->kernel),
    };
}

static bool has_marks_inside(const struct isa_module *code, const struct isa_function *f, bool *calls)
{
    bool marked = false;
    for (uint32_t pc = f->first; pc < f->first + f->count; pc++) {
        marked |= code->instrs[pc].spin & ISA_SPIN_INSIDE;
        *calls |= code->instrs[pc].call != NULL;
    }
    return marked;
}

/* True if the source marks a loop of the kernel or, when the kernel calls functions, of any device function of its
 * module. */
static bool has_marks(const struct isa_module *code, const struct isa_function *kernel)
{
    bool calls = false, marked = has_marks_inside(code, kernel, &calls);
    for (uint32_t i = 0; i < code->function_count && calls && !marked; i++)
        if (!code->functions[i].is_kernel)
            marked = has_marks_inside(code, &code->functions[i], &calls);
    return marked;
}

/* Of what is known of spinning warps. */
static unsigned lacks_of_spin(const struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    const struct spin_params *spin = &run->gpu->machine.spin;
    if (!run->gpu->scheduler.control && !spin->measure)
        return STAT_NEEDS_DETECTOR | STAT_NEEDS_MARKS | STAT_NEEDS_TRUTH;
    if (spin->marks_complete || has_marks(gpu_module_code(l->module), l->kernel))
        return 0;
    return STAT_NEEDS_MARKS | (spin_find_detector(spin->truth)->believes_marks ? STAT_NEEDS_TRUTH : 0);
}

/* The set of enum stat_needs that this launch does not meet. */
static unsigned lacks(const struct gpu_run *run)
{
    if (run->launch->mode == GPU_FUNCTIONAL)
        return STAT_NEEDS_TIME | STAT_NEEDS_DETECTOR | STAT_NEEDS_MARKS | STAT_NEEDS_TRUTH | STAT_NEEDS_HARDWARE |
               STAT_NEEDS_FORMING | STAT_NEEDS_PREFERRED | STAT_NEEDS_LINES;
    const struct sm_params *sm = &run->gpu->machine.sm;
    return lacks_of_spin(run) | (run->gpu->scheduler.policy->hardware_bits ? 0 : STAT_NEEDS_HARDWARE) |
           (forms(run) ? 0 : STAT_NEEDS_FORMING) | (sm->counts_preferred ? 0 : STAT_NEEDS_PREFERRED) |
           (sm->counts_lines ? 0 : STAT_NEEDS_LINES);
}

static void describe_result(struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    struct gpu_result *r = run->result;
    *r = (struct gpu_result){
        .status = GPU_INVALID,
        .name = l->kernel->name,
        .dynamic_shared = l->dynamic_shared,
        .static_shared = l->kernel->shared_bytes,
        .registers = registers_of(run),
        .mode = l->mode,
        .warms = l->warms,
        .lacks = lacks(run),
    };
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->block, l->block, sizeof r->block);
    r->counters = gpu_counters_new();
}

static int prepare(struct gpu_run *run, unsigned params)
{
    if (run->launch->dynamic_shared > UINT32_MAX / 2)
        return refuse(run, NULL, "dynamic shared memory is out of range");
    if (check_shape(run) || check_code(run) || check_barriers(run))
        return -1;
    describe_grid(run);
    gpu_begin_bounds(run);
    return gpu_settle_clusters(run) || check_lock_queues(run) || check_resources(run) || write_params(run, params) ||
                   write_workspace(run)
               ? -1
               : 0;
}

/* Host programs may have changed how this thread rounds or treats subnormals (-ffast-math does); the lanes' arithmetic
 * relies on the default. */
#if defined(__x86_64__)
#define HOST_FLOAT_DEFAULT 0x1F80u
static unsigned host_float_mode(void)
{
    return __builtin_ia32_stmxcsr();
}
static void set_host_float_mode(unsigned mode)
{
    __builtin_ia32_ldmxcsr(mode);
}
#else
#define HOST_FLOAT_DEFAULT 0u
static unsigned host_float_mode(void)
{
    return 0;
}
static void set_host_float_mode(unsigned mode)
{
    (void)mode;
}
#endif

void gpu_run_free(struct gpu_run *run)
{
    watch_launch_free(&run->watched);
    gpu_intervals_free(run->intervals);
    arena_free(&run->arena);
    free(run);
}

/* Guards the device's plug-ins, which `functions` describes, until plugin_guard_end. */
static void guard_plugins(const struct gpu_run *run, struct sched_functions *functions)
{
    const struct watch_observers *observers = &run->gpu->observers;
    struct plugin plugins[1 + WATCH_LISTENERS] = {sched_plugin(&run->gpu->scheduler, functions)};
    for (unsigned i = 0; i < observers->count; i++)
        plugins[1 + i] = observers->of[i].plugin;
    plugin_guard_begin(plugins, 1 + observers->count, run->launch->blame);
}

enum gpu_status gpu_proceed(struct gpu_run *run, enum gpu_going going)
{
    const struct gpu_launch *launch = run->launch;
    unsigned float_mode = host_float_mode();
    struct sched_functions functions;
    if (launch->mode == GPU_TIMING)
        guard_plugins(run, &functions);
    set_host_float_mode(HOST_FLOAT_DEFAULT);
    enum gpu_status status =
        launch->mode == GPU_FUNCTIONAL ? gpu_run_functional(run, going) : gpu_run_timing(run, going);
    set_host_float_mode(float_mode);
    if (launch->mode == GPU_TIMING)
        plugin_guard_end();
    return status;
}

/* Runs it until it ends, stands or is held. Returns as gpu_launch; a launch that has ended is freed. */
static int proceed(struct gpu_run *run, enum gpu_going going)
{
    struct gpu *gpu = run->gpu;
    struct gpu_result *result = run->result;
    const struct gpu_launch *launch = run->launch;
    result->status = gpu_proceed(run, going);
    gpu->standing = result->status == GPU_STANDS || result->status == GPU_HELD ? run : NULL;
    if (gpu->standing)
        return -1;
    result->stopped_by = result->status == GPU_LIMIT ? "max-cycles" : NULL;
    result->host = host_use_since(&run->start);
    gpu_set_time(gpu, result, run->start_cycle, launch->mode == GPU_FUNCTIONAL ? run->start_cycle : gpu->cycle);
    result->gap_cycles = (int64_t)run->gap_cycles;
    for (unsigned i = 0; launch->phases && launch->mode == GPU_TIMING && i < gpu->machine.gpu.sms; i++)
        gpu_add_phases(run, i, launch->phases);
    if (launch->mode == GPU_TIMING)
        gpu_add_energy(&gpu->machine, result);
    gpu_run_free(run);
    return result->status == GPU_OK ? 0 : -1;
}

/* The kernel's name for messages, as the source has it. */
static const char *shown_name(struct gpu_run *run)
{
    struct strbuf name = {0};
    isa_plain_name(run->launch->kernel->name, &name);
    const char *kept = arena_strdup(&run->arena, strbuf_text(&name));
    strbuf_free(&name);
    return kept;
}

void gpu_come_to_begin(struct gpu *gpu, const struct gpu_launch *l, bool first)
{
    if (l->mode != GPU_TIMING)
        return;
    gpu->cycle = gpu_free_cycle(gpu);
    if (!first) {
        gpu->cycle += gpu_gap_before(gpu, l);
        if (!l->by_graph)
            gpu->cycle = cycle_max(gpu->cycle, gpu->given + gpu->machine.gpu.launch_host_cycles);
    }
    gpu->given = l->by_graph ? gpu->given : gpu->cycle;
}

struct gpu_run *gpu_run_new(struct gpu *gpu, const struct gpu_launch *launch, struct gpu_result *result,
                            struct diag_sink *sink, unsigned params)
{
    struct gpu_run *run = base_calloc(1, sizeof *run);
    *run = (struct gpu_run){.gpu = gpu, .own = *launch, .result = result, .sink = sink, .start_cycle = gpu->cycle};
    run->launch = &run->own;
    run->name = shown_name(run);
    /* Values that take effect at issue go round the messages between SMs: their order is that of one thread. */
    if (gpu->machine.sm.values_at_issue)
        run->own.threads = 1;
    describe_result(run);
    if (prepare(run, params)) {
        gpu_run_free(run);
        return NULL;
    }
    run->kernel.protocol = gpu_protocol(&gpu->machine);
    if (launch->mode != GPU_FUNCTIONAL) /* what instructions ask of banks and units is time */
        sm_prepare(&run->kernel, &gpu->machine.sm, &run->arena);
    return run;
}

int gpu_launch(struct gpu *gpu, const struct gpu_launch *launch, struct gpu_result *result, struct diag_sink *sink)
{
    contract(!gpu->standing);
    struct gpu_run *run = gpu_run_new(gpu, launch, result, sink, 0);
    if (!run)
        return -1;
    gpu_come_to_begin(gpu, launch, gpu->launches == 0);
    run->gap_cycles = gpu->cycle - run->start_cycle;
    run->start_cycle = gpu->cycle;
    gpu->launches++;
    run->start = host_use_now();
    return proceed(run, GPU_GO_ON);
}

bool gpu_stands(const struct gpu *gpu)
{
    return gpu->standing != NULL;
}

unsigned gpu_helpers(const struct gpu *gpu)
{
    return worker_pool_helpers(gpu->workers);
}

int gpu_go_on(struct gpu *gpu, enum gpu_going going, const char *why)
{
    struct gpu_run *run = gpu->standing;
    run->why_alone = why;
    return proceed(run, going);
}

/* Compute capabilities up to 3.0 have 6 bits for a register in an instruction, later ones 8; one number stands for
 * none. */
struct ptx_budget gpu_budget(const struct machine *m)
{
    bool six_bits = m->gpu.compute_major < 3 || (m->gpu.compute_major == 3 && m->gpu.compute_minor < 2);
    return (struct ptx_budget){
        .spills = m->gpu.spills,
        .most = m->sm.registers_per_thread ? m->sm.registers_per_thread
                : six_bits                 ? 63
                                           : 255,
        .thread = m->gpu.thread_registers,
        .registers = m->sm.registers,
        .unit = m->sm.register_unit,
        .warp_size = m->sm.warp_size,
    };
}

/* Estimates the registers that NVIDIA's assembler allots from those live at once in PTX, by a line through the rows of
 * docs/registers.tsv: some more where they are few. The assembler keeps the limits that it has been told. */
static uint32_t likely_registers(const struct gpu *gpu, const struct isa_function *kernel)
{
    const struct ptx_budget budget = gpu_budget(&gpu->machine);
    uint32_t live = kernel->registers, likely = (4 * live + 25) / 5;
    uint32_t most = budget.spills && budget.most ? budget.most : UINT32_MAX;
    if (kernel->max_registers && kernel->max_registers < most)
        most = kernel->max_registers;
    likely = likely < most ? likely : most;
    return likely > live ? likely : live;
}

/* Of a thread, as if the SM had room for any number of them. */
static uint32_t own_registers(const struct gpu *gpu, const struct isa_function *kernel)
{
    if (gpu->machine.gpu.registers_as != GPU_REGISTERS_PTXAS)
        return kernel->registers;
    return kernel->assembled ? kernel->assembled : likely_registers(gpu, kernel);
}

uint32_t gpu_registers(const struct gpu *gpu, const struct isa_function *kernel)
{
    if (gpu->machine.gpu.thread_registers)
        return gpu->machine.gpu.thread_registers;
    const struct ptx_budget budget = gpu_budget(&gpu->machine);
    uint32_t most = ptx_bounded_registers(kernel, &budget), movable = movable_registers(gpu, kernel);
    if (movable)
        return movable;
    uint32_t own = own_registers(gpu, kernel);
    return most < own ? most : own;
}

unsigned gpu_occupancy(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads,
                       uint64_t dynamic_shared, const char **limiter)
{
    uint64_t shared = kernel->shared_bytes + dynamic_shared;
    if (shared + gpu->machine.sm.shared_reserved > gpu->machine.sm.shared_bytes) {
        if (limiter)
            *limiter = "shared";
        return 0;
    }
    return sm_occupancy(&gpu->machine.sm, threads, (uint32_t)shared, gpu_registers(gpu, kernel), limiter);
}

unsigned gpu_resident_blocks(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads,
                             uint64_t dynamic_shared, uint32_t *registers)
{
    const struct sm_params *p = &gpu->machine.sm;
    const char *limiter = NULL;
    uint32_t own = gpu_registers(gpu, kernel);
    unsigned fit = gpu_occupancy(gpu, kernel, threads, dynamic_shared, &limiter);
    if (registers)
        *registers = own;
    if (fit || strcmp(limiter, "registers") != 0 || gpu->machine.gpu.thread_registers)
        return fit;
    uint32_t most = p->registers / (uint32_t)round_up_u64(threads ? threads : 1, p->warp_size);
    most = most / p->register_unit * p->register_unit;
    if (registers)
        *registers = most;
    return most ? sm_occupancy(p, threads, kernel->shared_bytes + (uint32_t)dynamic_shared, most, NULL) : 0;
}
