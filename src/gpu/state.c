/* The device in a checkpoint. A checkpoint is taken between two windows of the engine, when every unit stands at the
 * same cycle. What follows from the machine and from the launch is made anew before a checkpoint is loaded (gpu_launch
 * has prepared the launch, modules are loaded); everything else is here and in the units' own descriptions. How the
 * device was divided among threads leaves no trace. */
#include <inttypes.h>
#include <string.h>

#include "base/archive.h"
#include "gpu/domain.h"

#define MAX_LINES (1u << 20)

void gpu_set_checkpoints(struct gpu *gpu, uint64_t first, uint64_t every, void (*take)(void *context), void *context)
{
    gpu->checkpoint_every = every;
    gpu->checkpoint_next = gpu->cycle + first;
    gpu->take_checkpoint = take;
    gpu->checkpoint_context = context;
}

uint64_t gpu_checkpoint_left(const struct gpu *gpu)
{
    return gpu->checkpoint_next > gpu->cycle ? gpu->checkpoint_next - gpu->cycle : 0;
}

uint64_t gpu_cycle(const struct gpu *gpu)
{
    return gpu->cycle;
}

/* The place of the heap and its size are known once a kernel has used it. */
static void archive_heap(struct gpu *gpu, struct archive *ar)
{
    struct store *blocks = &gpu->heap_blocks;
    ARCHIVE(ar, gpu->heap);
    ARCHIVE(ar, gpu->heap_bytes);
    if (!gpu->heap)
        return;
    if (archive_loading(ar)) {
        if (!store_covers(&gpu->store, gpu->heap, gpu->heap_bytes)) {
            archive_fail(ar, "the heap is not in device memory");
            gpu->heap = 0;
            return;
        }
        blocks->start = gpu->heap;
        blocks->size = gpu->heap_bytes;
        blocks->bytes = store_at(&gpu->store, gpu->heap);
    }
    archive_begin(ar, "heap", 0);
    store_archive_blocks(blocks, ar);
    archive_end(ar);
}

static void archive_run(struct gpu_run *run, struct archive *ar)
{
    double seconds = host_seconds() - run->start.seconds;
    archive_begin(ar, "launch", 0);
    archive_same(ar, run->blocks, "the number of blocks");
    archive_same(ar, run->grid.param_address, "the address of the parameters");
    archive_same(ar, run->grid.workspace_address, "the address of the grid workspace");
    archive_same(ar, run->grid.launch_number, "the number of the launch");
    archive_u64_to(ar, &run->next_block, run->blocks);
    archive_u64_to(ar, &run->start_cycle, run->gpu->cycle);
    archive_u64_to(ar, &run->gap_cycles, run->start_cycle);
    archive_u32_to(ar, &run->dispatch_from, run->gpu->machine.gpu.sms - 1);
    archive_u32_to(ar, &run->last_served, run->gpu->machine.gpu.sms - 1);
    archive_u64_to(ar, &run->credit, (uint64_t)run->gpu->machine.gpu.dispatch_burst * run->gpu->machine.gpu.dispatch_cycles);
    archive_u64_to(ar, &run->credit_at, run->gpu->cycle);
    ARCHIVE(ar, run->next_look);
    ARCHIVE(ar, seconds);
    run->start.seconds = host_seconds() - seconds;
    archive_end(ar);
}

static void archive_watch(struct gpu_watch *watch, const struct gpu *gpu, struct archive *ar)
{
    archive_begin(ar, "watch", 0);
    ARCHIVE(ar, watch->next);
    ARCHIVE(ar, watch->end);
    ARCHIVE(ar, watch->issued);
    ARCHIVE(ar, watch->worked);
    ARCHIVE(ar, watch->visible);
    ARCHIVE(ar, watch->changes);
    ARCHIVE(ar, watch->quiet_since);
    ARCHIVE(ar, watch->windows);
    ARCHIVE(ar, watch->listens);
    for (unsigned i = 0; i < gpu->machine.gpu.sms * gpu->machine.sm.warps; i++) {
        ARCHIVE(ar, watch->warps[i].issued);
        ARCHIVE(ar, watch->warps[i].window_issued);
        ARCHIVE(ar, watch->warps[i].window_sync_ops);
        ARCHIVE(ar, watch->warps[i].turn);
        ARCHIVE(ar, watch->warps[i].met);
        ARCHIVE(ar, watch->warps[i].met_old);
        ARCHIVE(ar, watch->warps[i].round_at);
        ARCHIVE(ar, watch->warps[i].vain);
    }
    watch->asking = watch->noted = gpu->machine.gpu.sms * gpu->machine.sm.warps;
    bool has_states = watch->states;
    archive_bool(ar, &has_states);
    if (has_states) {
        gpu_watch_prepare(watch);
        ARCHIVE_ARRAY(ar, watch->states, GPU_WATCH_STATES);
    }
    archive_end(ar);
}

static struct packet *new_packet(void *context, unsigned owner, unsigned kind)
{
    struct gpu *gpu = context;
    unsigned slice = owner & ~PACKET_OF_SLICE, per = gpu->machine.memory.partition.slices_per_channel;
    if (owner < PACKET_OF_SLICE)
        return owner < gpu->machine.gpu.sms ? sm_archive_packet(gpu->sms[owner], kind) : NULL;
    return slice < memory_slices(&gpu->machine.memory.partition)
               ? partition_archive_packet(gpu->partitions[slice / per], slice % per, kind)
               : NULL;
}

static unsigned slice_of(const void *context, uint64_t address)
{
    const struct gpu *gpu = context;
    return memory_place_of(&gpu->machine.memory.partition, address).slice;
}

static void archive_unsynced_lines(struct gpu *gpu, struct archive *ar)
{
    uint32_t count = (uint32_t)gpu->unsynced_lines.count;
    archive_u32_to(ar, &count, MAX_LINES);
    if (archive_loading(ar))
        gpu->unsynced_lines.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (archive_loading(ar))
            vec_push(&gpu->unsynced_lines, 0);
        ARCHIVE(ar, gpu->unsynced_lines.items[i]);
    }
}

/* Packets travel between units: whoever describes one first describes its content. SMs come first, since they own
 * most of them. */
static void archive_units(struct gpu *gpu, struct archive *ar)
{
    const struct packet_source source = {
        .make = new_packet, .context = gpu, .slice_of = slice_of, .sms = gpu->machine.gpu.sms};
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        archive_begin(ar, "SM", i);
        sm_archive(gpu->sms[i], ar, &source);
        archive_end(ar);
    }
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++) {
        archive_begin(ar, "memory partition", i);
        partition_archive(gpu->partitions[i], ar, &source);
        archive_end(ar);
    }
    archive_begin(ar, "networks", 0);
    for (unsigned i = 0; i < gpu->network_count; i++)
        network_archive(gpu_network_at(gpu, i), ar, packet_archive_payload, &source);
    archive_end(ar);
}

/* Observers go on with the states that they had. */
static void archive_observers(const struct gpu *gpu, struct archive *ar)
{
    struct strbuf here = {0}, stored = {0};
    watch_identify(&gpu->observers, &here);
    if (gpu->timelines)
        timeline_identify(&gpu->timeline, &here);
    if (gpu->interval)
        strbuf_addf(&here, "%s--interval %" PRIu64, here.length ? ", " : "", gpu->interval);
    strbuf_add(&stored, strbuf_text(&here));
    archive_text(ar, &stored);
    if (strcmp(strbuf_text(&stored), strbuf_text(&here)) != 0)
        archive_fail(ar, "it was taken with %s, and is continued with %s", stored.length ? stored.text : "no observer",
                     here.length ? here.text : "no observer");
    strbuf_free(&here);
    strbuf_free(&stored);
}

static void archive_device(struct gpu_run *run, struct gpu_watch *watch, struct archive *ar)
{
    struct gpu *gpu = run->gpu;
    archive_begin(ar, "device", 0);
    ARCHIVE(ar, gpu->cycle);
    ARCHIVE(ar, gpu->launches);
    ARCHIVE(ar, gpu->given);
    archive_observers(gpu, ar);
    store_archive(&gpu->store, ar);
    archive_heap(gpu, ar);
    archive_text(ar, &gpu->output);
    archive_unsynced_lines(gpu, ar);
    gpu_archive_strays(gpu, ar);
    archive_run(run, ar);
    archive_watch(watch, gpu, ar);
    if (run->intervals)
        gpu_intervals_archive(run->intervals, ar);
    archive_units(gpu, ar);
    archive_end(ar);
}

void gpu_archive(struct gpu *gpu, struct archive *ar)
{
    if (gpu->run)
        archive_device(gpu->run, gpu->watch, ar);
    else
        archive_fail(ar, "no launch is under way");
}

void gpu_checkpoint(struct gpu_run *run, struct gpu_watch *watch)
{
    struct gpu *gpu = run->gpu;
    gpu->checkpoint_next = gpu->cycle + gpu->checkpoint_every;
    gpu->run = run;
    gpu->watch = watch;
    gpu->take_checkpoint(gpu->checkpoint_context);
    gpu->run = NULL;
    gpu->watch = NULL;
}

/* Units that are stepped earlier than they must do the same as always, so that every SM is looked at once. */
int gpu_resume(struct gpu_run *run, struct gpu_watch *watch)
{
    struct archive *ar = run->launch->resume;
    struct gpu *gpu = run->gpu;
    archive_device(run, watch, ar);
    if (archive_failed(ar))
        return diag_error(run->sink, DIAG_NOWHERE, NULL, "the checkpoint does not fit: %s", archive_error(ar));
    gpu->checkpoint_next = gpu->cycle + gpu->checkpoint_every;
    gpu_wake_domains(run);
    return 0;
}

/* Memory that a launch took: the block of its parameters, the grid workspace when it is the first cooperative one, and
 * the heap when it is the first to use it. The order is that of the launch. */
static void take_again(struct gpu *gpu, struct archive *ar, uint64_t params, uint64_t bytes, uint64_t workspace,
                       uint64_t heap)
{
    if (params != gpu->params[0] && store_alloc(&gpu->store, bytes, 256) == params) {
        gpu->params[0] = params;
        gpu->params_bytes[0] = bytes;
        vec_push(&gpu->constants, (struct gpu_range){params, params + bytes});
    }
    if (workspace && !gpu->workspace)
        gpu->workspace = store_alloc(&gpu->store, WORKSPACE_BYTES, 256);
    if (heap && !gpu->heap && store_alloc(&gpu->store, gpu->heap_bytes, 256) == heap)
        gpu->heap = heap;
    if (params != gpu->params[0] || workspace != gpu->workspace || heap != gpu->heap)
        archive_fail(ar, "device memory was taken otherwise than before");
}

void gpu_archive_outcome(struct gpu *gpu, struct archive *ar)
{
    uint64_t params = gpu->params[0], bytes = gpu->params_bytes[0], workspace = gpu->workspace, heap = gpu->heap;
    archive_begin(ar, "outcome", 0);
    ARCHIVE(ar, gpu->cycle);
    ARCHIVE(ar, gpu->launches);
    ARCHIVE(ar, gpu->given);
    ARCHIVE(ar, gpu->heap_bytes);
    archive_unsynced_lines(gpu, ar);
    gpu_archive_strays(gpu, ar);
    ARCHIVE(ar, params);
    ARCHIVE(ar, bytes);
    ARCHIVE(ar, workspace);
    ARCHIVE(ar, heap);
    if (archive_loading(ar) && !archive_failed(ar))
        take_again(gpu, ar, params, bytes, workspace, heap);
    archive_end(ar);
}
