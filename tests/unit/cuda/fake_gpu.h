/* A device that executes nothing: it keeps memory and modules, remembers the last launch, and answers with the result
 * the test chose. It takes the place of the gpu room in the tests of the CUDA runtime. */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "gpu/departures.h"
#include "gpu/gpu.h"
#include "gpu/visit.h"
#include "memory/store.h"

struct gpu {
    const struct machine *machine;
    struct store store;
    uint64_t launches;
    double time_ns;
    void (*take)(void *context);
    void *context;
};
struct gpu_module {
    struct isa_module *code;
    uint64_t addresses[64];
};

/* What the test chooses and sees. */
static struct {
    enum gpu_status status;
    enum gpu_fault fault;
    const char *diagnostic, *output;
    unsigned occupancy;
    unsigned creations;
    struct gpu_launch launch; /* the last */
    uint8_t params[256];
    void (*kernel)(struct gpu *gpu, const struct gpu_launch *launch); /* what a launch does, or NULL */
    bool checkpoint;
    uint64_t state;
    bool shares;              /* launches may run together */
    unsigned groups, members; /* that did: how often, and how many the last time, which came after which */
    uint64_t after[GPU_TOGETHER];
} fake = {.occupancy = 4};

struct gpu *gpu_create(const struct machine *machine, struct diag_sink *sink)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    gpu->machine = machine;
    fake.creations++;
    store_init(&gpu->store, machine->gpu.memory_base, (uint64_t)machine->gpu.memory_mib << 20, sink);
    return gpu;
}

void gpu_destroy(struct gpu *gpu)
{
    store_free_all(&gpu->store);
    free(gpu);
}

/* Nobody visits launches here. */
void gpu_visit_numbers(const struct gpu_visit *visit, struct gpu_visit_numbers *numbers)
{
    (void)visit;
    *numbers = (struct gpu_visit_numbers){.launch = 0};
}

const char *gpu_visit_kernel(const struct gpu_visit *visit)
{
    (void)visit;
    return "";
}

const struct gpu_launch *gpu_visit_launch(const struct gpu_visit *visit)
{
    (void)visit;
    return &fake.launch;
}

json_t *gpu_visit_causes(const struct gpu_visit *visit)
{
    (void)visit;
    return json_object();
}

json_t *gpu_visit_waits(const struct gpu_visit *visit)
{
    (void)visit;
    return json_object();
}

void gpu_visit_checkpoint(struct gpu_visit *visit)
{
    (void)visit;
}

json_t *gpu_result_causes(const struct gpu_result *result)
{
    (void)result;
    return json_object();
}

void gpu_result_numbers(const struct gpu_result *result, struct gpu_visit_numbers *numbers)
{
    (void)result;
    *numbers = (struct gpu_visit_numbers){.launch = 0};
}

int gpu_checks_parse(const char *text, unsigned *checks, struct diag_sink *sink)
{
    (void)text;
    (void)sink;
    *checks = 0;
    return 0;
}

bool gpu_checks_need_timing(unsigned checks)
{
    return checks != 0;
}

void gpu_sanitize(struct gpu *gpu, unsigned checks)
{
    (void)gpu;
    (void)checks;
}

void gpu_explain_leaks(const struct gpu *gpu, struct diag_sink *sink)
{
    (void)gpu;
    (void)sink;
}

void gpu_profile(struct gpu *gpu)
{
    (void)gpu;
}
void gpu_set_interval(struct gpu *gpu, uint64_t cycles)
{
    (void)gpu;
    (void)cycles;
}
void gpu_timeline(struct gpu *gpu, const struct timeline_options *options)
{
    (void)gpu;
    (void)options;
}
int gpu_observe(struct gpu *gpu, const char *path, struct diag_sink *sink)
{
    return 0;
}

uint64_t gpu_malloc(struct gpu *gpu, uint64_t bytes)
{
    return store_alloc(&gpu->store, bytes, 256);
}

int gpu_free(struct gpu *gpu, uint64_t address)
{
    return store_release(&gpu->store, address);
}

int gpu_write(struct gpu *gpu, uint64_t address, const void *from, uint64_t bytes, struct diag_sink *sink)
{
    if (!store_covers(&gpu->store, address, bytes))
        return -1;
    memmove(store_at(&gpu->store, address), from, bytes);
    return 0;
}

int gpu_read(struct gpu *gpu, void *to, uint64_t address, uint64_t bytes, struct diag_sink *sink)
{
    if (!store_covers(&gpu->store, address, bytes))
        return -1;
    memmove(to, store_at(&gpu->store, address), bytes);
    return 0;
}

int gpu_fill_elements(struct gpu *gpu, uint64_t address, uint32_t value, unsigned element, uint64_t bytes,
                      struct diag_sink *sink)
{
    return gpu_fill(gpu, address, (uint8_t)value, bytes, sink);
}

void gpu_let_pass(struct gpu *gpu, bool are_findings)
{
}

void gpu_explain_let_pass(const struct gpu *gpu, struct diag_sink *sink)
{
}

int gpu_fill(struct gpu *gpu, uint64_t address, uint8_t value, uint64_t bytes, struct diag_sink *sink)
{
    if (!store_covers(&gpu->store, address, bytes))
        return -1;
    memset(store_at(&gpu->store, address), value, bytes);
    return 0;
}

int gpu_copy(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t bytes, struct diag_sink *sink)
{
    if (!store_covers(&gpu->store, from, bytes))
        return -1;
    return gpu_write(gpu, to, store_at(&gpu->store, from), bytes, sink);
}

bool gpu_find_allocation(const struct gpu *gpu, uint64_t address, uint64_t *start, uint64_t *bytes)
{
    const struct store_block *block = store_find(&gpu->store, address);
    if (!block)
        return false;
    *start = block->start;
    *bytes = block->end - block->start;
    return true;
}

int gpu_set_heap(struct gpu *gpu, uint64_t bytes)
{
    return bytes > gpu->store.size ? -1 : 0;
}

bool gpu_is_memory(const struct gpu *gpu, uint64_t address)
{
    return gpu->store.identity && address - gpu->store.start < gpu->store.size;
}

bool gpu_host_mapped(const struct gpu *gpu)
{
    return gpu->store.identity;
}

void gpu_memory_info(const struct gpu *gpu, uint64_t *free_bytes, uint64_t *total_bytes)
{
    *total_bytes = gpu->store.size;
    *free_bytes = gpu->store.size - gpu->store.used;
}

struct gpu_module *gpu_load(struct gpu *gpu, struct isa_module *code, struct diag_sink *sink)
{
    struct gpu_module *module = calloc(1, sizeof *module);
    module->code = code;
    for (uint32_t i = 0; i < code->variable_count && i < 64; i++) {
        module->addresses[i] = gpu_malloc(gpu, code->variables[i].bytes);
        if (code->variables[i].init)
            memcpy(store_at(&gpu->store, module->addresses[i]), code->variables[i].init, code->variables[i].init_bytes);
    }
    return module;
}

void gpu_unload(struct gpu *gpu, struct gpu_module *module)
{
    for (uint32_t i = 0; i < module->code->variable_count; i++)
        gpu_free(gpu, module->addresses[i]);
    isa_module_free(module->code);
    free(module);
}

const struct isa_module *gpu_module_code(const struct gpu_module *module)
{
    return module->code;
}

const struct isa_function *gpu_kernel(const struct gpu_module *module, const char *name)
{
    return isa_find_function(module->code, name);
}

bool gpu_variable(const struct gpu_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct isa_variable *variable = isa_find_variable(module->code, name);
    if (!variable)
        return false;
    *address = module->addresses[variable - module->code->variables];
    *bytes = variable->bytes;
    return true;
}

uint32_t gpu_registers(const struct gpu *gpu, const struct isa_function *kernel)
{
    (void)gpu;
    return kernel->registers;
}

unsigned gpu_occupancy(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads, uint64_t shared,
                       const char **limiter)
{
    return shared + kernel->shared_bytes > gpu->machine->sm.shared_bytes ? 0 : fake.occupancy;
}

unsigned gpu_resident_blocks(const struct gpu *gpu, const struct isa_function *kernel, unsigned threads, uint64_t shared,
                             uint32_t *registers)
{
    return gpu_occupancy(gpu, kernel, threads, shared, NULL);
}

int gpu_launch(struct gpu *gpu, const struct gpu_launch *launch, struct gpu_result *result, struct diag_sink *sink)
{
    fake.launch = *launch;
    memcpy(fake.params, launch->params, launch->kernel->param_bytes);
    gpu->launches++;
    gpu->time_ns += 2e6;
    if (launch->resume)
        ARCHIVE(launch->resume, fake.state);
    if (fake.checkpoint && gpu->take)
        gpu->take(gpu->context);
    if (fake.kernel)
        fake.kernel(gpu, launch);
    if (fake.diagnostic)
        diag_error(sink, DIAG_NOWHERE, NULL, "%s", fake.diagnostic);
    *result =
        (struct gpu_result){.status = fake.status, .fault = fake.fault, .name = launch->kernel->name, .cycles = 1000};
    memcpy(result->grid, launch->grid, sizeof result->grid);
    memcpy(result->block, launch->block, sizeof result->block);
    return fake.status == GPU_OK ? 0 : -1;
}

bool gpu_may_share(const struct gpu *gpu, const struct gpu_launch *launch)
{
    return fake.shares;
}

/* Each takes as long as one alone, behind those that it comes after. */
int gpu_launch_together(struct gpu *gpu, struct gpu_given *given, unsigned count, struct gpu_result *total)
{
    uint64_t now = (uint64_t)(gpu->time_ns * gpu->machine->gpu.core_mhz / 1000), last = now;
    fake.groups++;
    fake.members = count;
    for (unsigned i = 0; i < count; i++) {
        uint64_t start = now;
        fake.after[i] = given[i].after;
        for (unsigned k = 0; k < i; k++)
            if (given[i].after >> k & 1 && given[k].result->start + given[k].result->cycles > start)
                start = given[k].result->start + given[k].result->cycles;
        gpu->time_ns -= 2e6;
        gpu_launch(gpu, &given[i].launch, given[i].result, given[i].sink);
        given[i].result->start = start;
        given[i].result->cycles = 1400000;
        last = start + 1400000 > last ? start + 1400000 : last;
    }
    gpu->time_ns = (double)last * 1000 / gpu->machine->gpu.core_mhz;
    *total = (struct gpu_result){.status = fake.status};
    return 0;
}

void gpu_result_free(struct gpu_result *result)
{
}

const struct gpu_stat_set *gpu_result_sets(const struct gpu_result *result, unsigned *count)
{
    *count = 0;
    return NULL;
}

const struct coherence_counts *gpu_result_transitions(const struct gpu_result *result, unsigned side)
{
    return NULL;
}

uint64_t gpu_result_warp_instructions(const struct gpu_result *result)
{
    return 100;
}

uint64_t gpu_result_thread_instructions(const struct gpu_result *result)
{
    return 1600;
}

const char *gpu_status_name(enum gpu_status status)
{
    return status == GPU_OK ? "ok" : "not ok";
}

void gpu_explain_stop(const struct gpu_result *result, struct diag_sink *sink)
{
}

/* ---- registers are nobody's concern ---- */

struct ptx_budget gpu_budget(const struct machine *machine)
{
    return (struct ptx_budget){0};
}

/* ---- no launch of this device ever stands ---- */

bool gpu_stands(const struct gpu *gpu)
{
    return false;
}

bool gpu_polls_changed(const struct gpu *gpu)
{
    return false;
}

int gpu_go_on(struct gpu *gpu, enum gpu_going going, const char *why)
{
    return -1;
}

unsigned gpu_helpers(const struct gpu *gpu)
{
    return 0;
}

void gpu_label(struct gpu *gpu, uint64_t start, const char *how, const char *name)
{
}

double gpu_time_ns(const struct gpu *gpu)
{
    return gpu->time_ns;
}

void gpu_take_output(struct gpu *gpu, struct strbuf *out)
{
    if (fake.output)
        strbuf_add(out, fake.output);
    fake.output = NULL;
}

/* ---- checkpoints: a launch with fake.checkpoint takes one in its middle; the device's state is the number fake.state
 * ---- */

uint64_t gpu_checkpoint_left(const struct gpu *gpu)
{
    return 0;
}

void gpu_set_checkpoints(struct gpu *gpu, uint64_t first, uint64_t every, void (*take)(void *context), void *context)
{
    gpu->take = take;
    gpu->context = context;
}

void gpu_archive(struct gpu *gpu, struct archive *ar)
{
    ARCHIVE(ar, fake.state);
}

void gpu_archive_outcome(struct gpu *gpu, struct archive *ar)
{
    ARCHIVE(ar, gpu->launches);
    ARCHIVE(ar, gpu->time_ns);
}

uint64_t gpu_cycle(const struct gpu *gpu)
{
    return gpu->launches * 1000;
}

/* ---- machine: the few values the runtime looks at ---- */

static bool machine_is_known(const char *name)
{
    return strcmp(name, "gtx480") == 0;
}

int machine_load(struct machine *machine, const char *name, struct diag_sink *sink)
{
    memset(machine, 0, sizeof *machine);
    if (!machine_is_known(name))
        return diag_error(sink, DIAG_NOWHERE, NULL, "no machine %s", name);
    machine->name = machine->doc = name;
    machine->gpu = (struct gpu_params){.name = "fake",
                                       .compute_major = 2,
                                       .sms = 15,
                                       .kernels = 16,
                                       .core_mhz = 700,
                                       .dram_mhz = 924,
                                       .memory_base = 0x10000000,
                                       .memory_mib = 64,
                                       .heap_mib = 8,
                                       .stack_bytes = 65536};
    machine->sm.warp_size = 32, machine->sm.threads = 1536, machine->sm.blocks = 8;
    machine->sm.registers = 32768, machine->sm.shared_bytes = 49152;
    machine->memory.partition.channels = 6, machine->memory.partition.slices_per_channel = 2;
    machine->memory.partition.block_bytes = 256;
    machine->memory.dram.atom_bytes = 64, machine->memory.dram.burst_cycles = 2;
    machine->memory.l2.sets = 64, machine->memory.l2.ways = 8, machine->memory.l2.line_bytes = 128;
    return 0;
}

int machine_set(struct machine *machine, const char *assignment, struct diag_sink *sink)
{
    unsigned value;
    if (sscanf(assignment, "gpu.sms=%u", &value) != 1)
        return diag_error(sink, DIAG_NOWHERE, NULL, "cannot set %s", assignment);
    machine->gpu.sms = value;
    return 0;
}

void machine_set_scheduler(struct machine *machine, const char *name)
{
    machine->sm.scheduler = name;
}

int machine_check(const struct machine *machine, struct sched *scheduler, struct diag_sink *sink)
{
    return 0;
}

int departures_take(struct machine *machine, const char *as, struct diag_sink *sink)
{
    return diag_error(sink, DIAG_NOWHERE, NULL, "cannot be taken as %s", as);
}

void machine_free(struct machine *machine)
{
}

#endif
