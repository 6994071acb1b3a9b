/* The cycle loop. Units are stepped only in the cycles in which they can act; when none can, time jumps to the next
 * event. Within a core cycle the order is: replies leave the network into the SMs, partitions hand over replies, DRAM,
 * L2 slices, networks, SMs, block dispatch. DRAM runs in its own clock, by integer ratio. */
#include <string.h>

#include "gpu/gpu_impl.h"

#define POLL_STEPS 4096 /* loop turns between looks at the host's clock */

/* DRAM command cycles that have begun by the end of core cycle c. Clocks are below 2^14 MHz, so 64 bits hold 2^50
 * cycles: two weeks of simulated time. */
static uint64_t dram_cycles(const struct gpu *gpu, uint64_t c)
{
    return (c + 1) * gpu->machine.gpu.dram_mhz / gpu->machine.gpu.core_mhz;
}

/* The core cycle in which DRAM cycle d is ticked. */
static uint64_t core_cycle_of(const struct gpu *gpu, uint64_t d)
{
    if (d == CYCLE_NEVER)
        return CYCLE_NEVER;
    uint64_t c = ((d + 1) * gpu->machine.gpu.core_mhz + gpu->machine.gpu.dram_mhz - 1) / gpu->machine.gpu.dram_mhz;
    return c ? c - 1 : 0;
}

static void eject(struct gpu *gpu, uint64_t now)
{
    uint64_t arrivals = gpu->machine.gpu.step_every_cycle ? ~UINT64_C(0) : network_arrivals(gpu->replies, 0);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        if (gpu->sm_wake[i] <= now || mask_has(arrivals, i)) {
            sm_eject(gpu->sms[i], now);
            gpu->sm_wake[i] = now;
        }
    }
}

static void tick_partitions(struct gpu *gpu, uint64_t now)
{
    unsigned per = gpu->machine.memory.partition.slices_per_channel;
    uint64_t arrivals = network_arrivals(gpu->requests, 0), dram_end = dram_cycles(gpu, now);
    bool always = gpu->machine.gpu.step_every_cycle;
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++) {
        struct partition *p = gpu->partitions[i];
        for (unsigned k = 0; k < per; k++) {
            struct partition_reply reply;
            if (!partition_reply(p, k, &reply) || !network_can_send(gpu->replies, i * per + k, reply.bytes))
                continue;
            network_send(gpu->replies, i * per + k, reply.sm, reply.bytes, reply.packet, now);
            partition_take_reply(p, k);
        }
        for (uint64_t d = gpu->dram_cycle; d < dram_end; d++)
            if (always || partition_next_dram(p) <= d)
                partition_tick_dram(p, d);
        for (unsigned k = 0; k < per; k++)
            if (mask_has(arrivals, i * per + k) && partition_can_push(p, k))
                partition_push(p, k, network_receive(gpu->requests, i * per + k), now);
        if (always || partition_next_l2(p) <= now)
            partition_tick_l2(p, now);
    }
    gpu->dram_cycle = dram_end;
}

static void tick_networks(struct gpu *gpu, uint64_t now)
{
    bool always = gpu->machine.gpu.step_every_cycle;
    if (always || network_next(gpu->requests, now) <= now)
        network_tick(gpu->requests, now);
    if (always || network_next(gpu->replies, now) <= now)
        network_tick(gpu->replies, now);
}

/* An SM that waits for the network to take its requests is stepped as soon as it would. */
static void step_sms(struct gpu *gpu, uint64_t now)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        struct sm *sm = gpu->sms[i];
        if (gpu->sm_wake[i] > now && !(mask_has(gpu->sms_sending, i) && sm_can_send(sm)))
            continue;
        sm_step(sm, now);
        gpu->sm_wake[i] = sm_next(sm);
        gpu->sms_sending &= ~BIT64(i);
        if (gpu->sm_wake[i] > now + 1 && sm_has_requests(sm))
            gpu->sms_sending |= BIT64(i);
    }
}

/* Every SM may take one block a cycle, starting behind the one served last. */
static void dispatch(struct gpu_run *run, uint64_t now)
{
    struct gpu *gpu = run->gpu;
    unsigned sms = gpu->machine.gpu.sms;
    for (unsigned n = 0; n < sms && run->next_block < run->blocks; n++) {
        unsigned i = (run->dispatch_from + n) % sms;
        if (!sm_can_launch(gpu->sms[i]))
            continue;
        uint32_t index[3];
        gpu_block_index(run, run->next_block++, index);
        sm_launch(gpu->sms[i], index, now + 1);
        gpu->sm_wake[i] = now + 1;
        run->last_served = i;
    }
    run->dispatch_from = (run->last_served + 1) % sms;
}

static bool can_dispatch(const struct gpu_run *run)
{
    if (run->next_block == run->blocks)
        return false;
    for (unsigned i = 0; i < run->gpu->machine.gpu.sms; i++)
        if (sm_can_launch(run->gpu->sms[i]))
            return true;
    return false;
}

static bool replies_waiting(const struct gpu *gpu)
{
    struct partition_reply reply;
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        for (unsigned k = 0; k < gpu->machine.memory.partition.slices_per_channel; k++)
            if (partition_reply(gpu->partitions[i], k, &reply))
                return true;
    return false;
}

/* The first cycle after `now` in which something can happen. */
static uint64_t next_cycle(const struct gpu_run *run, uint64_t now)
{
    const struct gpu *gpu = run->gpu;
    uint64_t next = CYCLE_NEVER;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        next = cycle_min(next, gpu->sm_wake[i]);
    if (next <= now + 1)
        return now + 1;
    if (network_arrivals(gpu->requests, 0) || network_arrivals(gpu->replies, 0) || can_dispatch(run) || replies_waiting(gpu))
        return now + 1;
    next = cycle_min(next, cycle_min(network_next(gpu->requests, now + 1), network_next(gpu->replies, now + 1)));
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++) {
        next = cycle_min(next, partition_next_l2(gpu->partitions[i]));
        next = cycle_min(next, core_cycle_of(gpu, partition_next_dram(gpu->partitions[i])));
    }
    return next <= now ? now + 1 : next;
}

static bool drained(const struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    if (run->next_block < run->blocks)
        return false;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        if (!sm_idle(gpu->sms[i]))
            return false;
    if (!network_idle(gpu->requests) || !network_idle(gpu->replies))
        return false;
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        if (!partition_idle(gpu->partitions[i]))
            return false;
    return true;
}

static const struct sm_fault *find_fault(const struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        if (sm_faulted(gpu->sms[i]))
            return sm_faulted(gpu->sms[i]);
    return NULL;
}

static uint64_t instructions_so_far(const struct gpu *gpu, uint64_t *blocks)
{
    uint64_t n = 0;
    *blocks = 0;
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        n += sm_stats_of(gpu->sms[i])->warp_instructions;
        *blocks += sm_stats_of(gpu->sms[i])->blocks;
    }
    return n;
}

/* Looks at the host's clock now and then; non-zero asks to stop. */
static int poll_host(struct gpu_run *run, double *last)
{
    double now = gpu_host_seconds();
    if (!run->launch->progress || now - *last < 0.2)
        return 0;
    *last = now;
    uint64_t blocks, instructions = instructions_so_far(run->gpu, &blocks);
    return gpu_report_progress(run, instructions, blocks);
}

static enum gpu_status run_cycles(struct gpu_run *run)
{
    struct gpu *gpu = run->gpu;
    struct gpu_watch watch;
    double last_poll = run->start_seconds;
    uint64_t end = run->launch->max_cycles ? gpu->cycle + run->launch->max_cycles : CYCLE_NEVER;
    watch.warps = ARENA_NEW(&run->arena, struct gpu_watched_warp, gpu->machine.gpu.sms * gpu->machine.sm.warps);
    gpu_watch_start(&watch, gpu);
    for (uint64_t turn = 1;; turn++) {
        uint64_t now = gpu->cycle;
        eject(gpu, now);
        tick_partitions(gpu, now);
        tick_networks(gpu, now);
        step_sms(gpu, now);
        if (run->next_block < run->blocks)
            dispatch(run, now);
        const struct sm_fault *fault = find_fault(gpu);
        gpu->cycle = now + 1;
        if (fault) {
            gpu_explain_fault(run, fault);
            return GPU_FAULT;
        }
        uint64_t next = next_cycle(run, now);
        if (next == CYCLE_NEVER || run->next_block == run->blocks) {
            if (drained(run))
                return GPU_OK;
            if (next == CYCLE_NEVER) {
                gpu_explain_hang(run, "can make no progress: nothing is under way and every warp waits");
                return GPU_HANG;
            }
        }
        while (next >= watch.next && watch.next <= end) { /* the limit comes first when one jump crosses both */
            gpu->cycle = watch.next > now + 1 ? watch.next : now + 1;
            if (gpu_watch_stuck(&watch, gpu)) {
                gpu_explain_hang(run, "made no progress");
                return GPU_HANG;
            }
        }
        if (next >= end) {
            gpu->cycle = end;
            return GPU_LIMIT;
        }
        gpu->cycle = gpu->machine.gpu.step_every_cycle ? now + 1 : next;
        gpu->dram_cycle = dram_cycles(gpu, gpu->cycle - 1);
        if (turn % POLL_STEPS == 0 && poll_host(run, &last_poll))
            return GPU_STOPPED;
    }
}

/* After a launch that did not drain the units hold its remains: they are made anew, with empty caches. */
static void rebuild(struct gpu *gpu)
{
    gpu_destroy_units(gpu);
    gpu_build_units(gpu);
}

/* Local memory has no place in the store, and needs none. */
static bool read_line(void *context, uint64_t address, uint8_t *to, uint32_t bytes)
{
    const struct store *store = &((struct gpu *)context)->store;
    if (address < store->start || address - store->start >= store->size ||
        bytes > store->size - (address - store->start))
        return false;
    memcpy(to, store_at(store, address), bytes);
    return true;
}

/* A kernel sees what the host and earlier kernels wrote, also where an L1 kept older lines. */
enum gpu_status gpu_run_timing(struct gpu_run *run)
{
    struct gpu *gpu = run->gpu;
    gpu_reset_counters(gpu);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        sm_refresh(gpu->sms[i], read_line, gpu);
        sm_begin(gpu->sms[i], &run->kernel, gpu->cycle);
        gpu->sm_wake[i] = CYCLE_NEVER;
    }
    enum gpu_status status = run_cycles(run);
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_settle(gpu->sms[i], gpu->cycle);
    gpu_collect(gpu, run->result->counters);
    if (status != GPU_OK)
        rebuild(gpu);
    else if (gpu->machine.gpu.flush_l1_at_kernel_end)
        for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
            sm_flush(gpu->sms[i]);
    return status;
}
