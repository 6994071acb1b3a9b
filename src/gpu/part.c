/* A part of the device: some SMs and memory partitions, with their ends of the networks. Parts meet only through the
 * networks' channels, so within the networks' lookahead each is simulated by itself, by a thread of its own if there is
 * one. Units are stepped only in the cycles in which they can act. Within a core cycle the order is: blocks start,
 * replies leave the network into the SMs, partitions hand over replies, DRAM, L2 slices, the networks' ends, SMs. DRAM
 * and networks run in clocks of their own, by integer ratio. */
#include "gpu/part.h"

#include "base/bits.h"

/* Cycles of a clock of `mhz` that have begun by the end of core cycle c. Clocks are below 2^14 MHz, so 64 bits hold
 * 2^50 cycles: two weeks of simulated time. */
static uint64_t begun(const struct gpu *gpu, uint32_t mhz, uint64_t c)
{
    return mhz == gpu->machine.gpu.core_mhz ? c + 1 : (c + 1) * mhz / gpu->machine.gpu.core_mhz;
}

/* The core cycle in which cycle d of a clock of `mhz` begins. */
static uint64_t core_cycle_of(const struct gpu *gpu, uint32_t mhz, uint64_t d)
{
    if (d == CYCLE_NEVER)
        return CYCLE_NEVER;
    uint64_t c = ((d + 1) * gpu->machine.gpu.core_mhz + mhz - 1) / mhz;
    return c ? c - 1 : 0;
}

uint64_t gpu_network_ticks(const struct gpu *gpu, uint64_t cycle)
{
    return begun(gpu, gpu->machine.gpu.network_mhz, cycle);
}

uint64_t gpu_network_cycle(const struct gpu *gpu, uint64_t tick)
{
    return core_cycle_of(gpu, gpu->machine.gpu.network_mhz, tick);
}

static void start_blocks(struct gpu_part *part, uint64_t now)
{
    const struct gpu_run *run = part->run;
    for (unsigned i = 0; i < part->start_count; i++) {
        const struct gpu_start *start = &part->starts[i];
        uint32_t index[3];
        gpu_block_index(run, start->block, index);
        sm_launch(run->gpu->sms[start->sm], index, now);
        part->due |= BIT64(start->sm - part->first_sm);
    }
}

static void wake_at(struct gpu_part *part, unsigned i, uint64_t at)
{
    part->wake[i] = cycle_min(part->wake[i], at);
    part->first_wake = cycle_min(part->first_wake, at);
}

/* SMs to which the network brings something, or that still hold what it brought. */
static void eject(struct gpu_part *part, uint64_t now)
{
    struct gpu *gpu = part->run->gpu;
    uint64_t brought = network_arrivals(gpu->replies, part->number) >> part->first_sm;
    for (uint64_t rest = part->always ? mask_low(part->sms) : brought | part->holding; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        part->holding &= ~(rest & -rest);
        struct sm *sm = gpu->sms[part->first_sm + i];
        if (sm_eject(sm))
            part->holding |= rest & -rest;
        if (sm_has_arrivals(sm))
            part->due |= rest & -rest;
        else
            wake_at(part, i, now + 1);
    }
}

/* arrivals: of the partition's slices, those to which the network brings something. */
static void tick_partition(struct gpu_part *part, unsigned channel, uint64_t arrivals, uint64_t now, uint64_t dram_from,
                           uint64_t dram_end)
{
    struct gpu *gpu = part->run->gpu;
    struct partition *p = gpu->partitions[channel];
    unsigned first = channel * gpu->machine.memory.partition.slices_per_channel;
    for (uint64_t rest = partition_replies(p); rest; rest &= rest - 1) {
        unsigned k = mask_first(rest);
        const struct partition_reply *reply = partition_reply(p, k);
        if (!network_can_send(gpu->replies, first + k, reply->bytes))
            continue;
        network_send(gpu->replies, first + k, reply->sm, reply->bytes, reply->packet, now);
        partition_take_reply(p, k);
    }
    for (uint64_t d = dram_from; d < dram_end; d++)
        if (partition_next_dram(p) <= d || part->always)
            partition_tick_dram(p, d);
    for (uint64_t rest = arrivals & partition_accepting(p); rest; rest &= rest - 1)
        partition_push(p, mask_first(rest), network_receive(gpu->requests, first + mask_first(rest)), now);
    if (partition_next_l2(p) <= now || part->always)
        partition_tick_l2(p, now);
}

/* The next core cycle in which a partition that was ticked in this one can act. dram_soon: the cycles of the DRAM's
 * clock that have begun by the end of the next one. */
static uint64_t partition_next(const struct gpu *gpu, const struct partition *p, uint64_t now, uint64_t dram_soon)
{
    uint64_t dram = partition_next_dram(p), l2 = partition_next_l2(p);
    if (partition_replies(p) || dram < dram_soon || l2 <= now + 1)
        return now + 1;
    return cycle_min(l2, core_cycle_of(gpu, gpu->machine.gpu.dram_mhz, dram));
}

/* Partitions that can act, or to which the network brings something. */
static void tick_partitions(struct gpu_part *part, uint64_t now, uint64_t arrivals)
{
    struct gpu *gpu = part->run->gpu;
    unsigned per = gpu->machine.memory.partition.slices_per_channel, dram_mhz = gpu->machine.gpu.dram_mhz;
    uint64_t dram_from = begun(gpu, dram_mhz, now - 1), dram_end = begun(gpu, dram_mhz, now);
    uint64_t dram_soon = begun(gpu, dram_mhz, now + 1), first = CYCLE_NEVER;
    arrivals >>= part->first_channel * per;
    for (unsigned i = 0; i < part->channels; i++, arrivals >>= per) {
        unsigned channel = part->first_channel + i;
        uint64_t brought = arrivals & mask_low(per);
        if (part->partition_wake[i] <= now || brought || part->always) {
            tick_partition(part, channel, brought, now, dram_from, dram_end);
            part->partition_wake[i] = partition_next(gpu, gpu->partitions[channel], now, dram_soon);
        }
        first = cycle_min(first, part->partition_wake[i]);
    }
    part->first_partition_wake = first;
}

/* SMs that were not due and must be stepped now. */
static uint64_t wake_sleepers(struct gpu_part *part, uint64_t now)
{
    uint64_t awake = 0;
    part->first_wake = CYCLE_NEVER;
    for (unsigned i = 0; i < part->sms; i++) {
        if (part->wake[i] <= now)
            awake |= BIT64(i);
        else
            part->first_wake = cycle_min(part->first_wake, part->wake[i]);
    }
    return awake;
}

/* An SM that waits for the network to take its requests is stepped as soon as it would: looked at when its queue there
 * became shorter (sent). When no blocks are left to start, an SM without work has nothing to account for. */
static void step_sms(struct gpu_part *part, uint64_t now, uint64_t sent)
{
    struct gpu *gpu = part->run->gpu;
    uint64_t step = part->always ? mask_low(part->sms) : part->due;
    if (part->first_wake <= now)
        step |= wake_sleepers(part, now);
    for (uint64_t rest = part->sending & sent >> part->first_sm & ~step; rest; rest &= rest - 1)
        if (sm_can_send(gpu->sms[part->first_sm + mask_first(rest)]))
            step |= rest & -rest;
    part->sending &= ~step;
    part->due = 0;
    for (uint64_t rest = step; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        struct sm *sm = gpu->sms[part->first_sm + i];
        part->wake[i] = CYCLE_NEVER;
        if (part->draining && sm_idle(sm))
            continue;
        sm_step(sm, now);
        part->faulted |= sm_faulted(sm) != NULL;
        uint64_t next = sm_next(sm);
        if (next <= now + 1) {
            part->due |= rest & -rest;
            continue;
        }
        wake_at(part, i, next);
        if (sm_has_requests(sm))
            part->sending |= rest & -rest;
    }
}

static bool units_idle(struct gpu_part *part)
{
    const struct gpu *gpu = part->run->gpu;
    for (unsigned n = 0; n < part->sms; n++) {
        unsigned i = part->last_busy + n < part->sms ? part->last_busy + n : part->last_busy + n - part->sms;
        if (!sm_idle(gpu->sms[part->first_sm + i])) {
            part->last_busy = i; /* the first to be asked the next time */
            return false;
        }
    }
    for (unsigned i = 0; i < part->channels; i++)
        if (!partition_idle(gpu->partitions[part->first_channel + i]))
            return false;
    return true;
}

/* Something was inside the units, or inside the networks on its way here, at the end of every cycle before busy_until.
 */
static void note_busy(struct gpu_part *part, uint64_t now)
{
    struct gpu *gpu = part->run->gpu;
    uint64_t taken = network_taken(gpu->requests, part->number) + network_taken(gpu->replies, part->number);
    if (taken != part->taken && part->busy_until < now)
        part->busy_until = now;
    part->taken = taken;
    part->idle = units_idle(part);
    if (!part->idle)
        part->busy_until = now + 1;
}

static void run_cycle(struct gpu_part *part, uint64_t now)
{
    struct gpu *gpu = part->run->gpu;
    eject(part, now);
    uint64_t arrivals = network_arrivals(gpu->requests, part->number);
    if (part->first_partition_wake <= now || arrivals || part->always)
        tick_partitions(part, now, arrivals);
    uint64_t sent = 0;
    for (uint64_t tick = gpu_network_ticks(gpu, now - 1); tick < gpu_network_ticks(gpu, now); tick++) {
        sent |= network_tick_side(gpu->requests, part->number, tick, now);
        network_tick_side(gpu->replies, part->number, tick, now);
    }
    step_sms(part, now, sent);
}

/* The first cycle from `end` on in which something can happen in the units, the networks aside. */
static uint64_t next_cycle(const struct gpu_part *part, uint64_t end)
{
    const struct gpu *gpu = part->run->gpu;
    uint64_t next = cycle_min(part->first_wake, part->first_partition_wake);
    if (part->due || network_arrivals(gpu->requests, part->number) || network_arrivals(gpu->replies, part->number))
        return end;
    return next <= end ? end : next;
}

/* What block dispatch has to know after a window. */
static void note_room(struct gpu_part *part)
{
    part->room = 0;
    part->block_may_end = false;
    for (unsigned i = part->first_sm; i < part->first_sm + part->sms; i++) {
        const struct sm *sm = part->run->gpu->sms[i];
        part->room |= sm_can_launch(sm) ? BIT64(i) : 0;
        part->block_may_end |= sm_block_may_end(sm);
    }
}

void gpu_part_run(struct gpu_part *part, const struct gpu_window *window)
{
    struct gpu *gpu = part->run->gpu;
    uint64_t from = window->from, end = window->end;
    part->draining = window->draining;
    if (!part->idle)
        part->busy_until = from;
    if (window->starting)
        start_blocks(part, from);
    for (uint64_t now = from; now < end; now++) {
        run_cycle(part, now);
        if (part->draining)
            note_busy(part, now);
        else
            part->idle = false;
    }
    for (uint64_t tick = gpu_network_ticks(gpu, from - 1); tick < gpu_network_ticks(gpu, end - 1); tick++) {
        if (part->routes_requests)
            network_tick_router(gpu->requests, tick);
        if (part->routes_replies)
            network_tick_router(gpu->replies, tick);
    }
    part->next = next_cycle(part, end);
    if (!part->draining)
        note_room(part);
}

/* `share` of `count` things for each of `parts`, as even as can be. */
static unsigned first_of(unsigned count, unsigned parts, unsigned number)
{
    return (count * number + parts - 1) / parts;
}

void gpu_divide(struct gpu_run *run, unsigned parts)
{
    struct gpu *gpu = run->gpu;
    unsigned sms = gpu->machine.gpu.sms, channels = gpu->machine.memory.partition.channels;
    unsigned per = gpu->machine.memory.partition.slices_per_channel;
    uint8_t part_of_sm[64], part_of_slice[64];
    run->part_count = parts;
    run->parts = ARENA_NEW(&run->arena, struct gpu_part, parts);
    for (unsigned n = 0; n < parts; n++) {
        struct gpu_part *part = &run->parts[n];
        /* The first part is that of the thread that gives out the work: the others begin later and are heard later, so
         * where things do not divide evenly the first parts have more, and the routers are spread. */
        *part = (struct gpu_part){.run = run, .number = n, .always = run->launch->every_cycle};
        part->first_sm = first_of(sms, parts, n);
        part->sms = first_of(sms, parts, n + 1) - part->first_sm;
        part->first_channel = first_of(channels, parts, n);
        part->channels = first_of(channels, parts, n + 1) - part->first_channel;
        part->holding = mask_low(part->sms);
        part->routes_requests = n == 0;
        part->routes_replies = n == parts - 1;
        for (unsigned i = 0; i < part->sms; i++)
            part_of_sm[part->first_sm + i] = (uint8_t)n;
        for (unsigned i = 0; i < part->channels * per; i++)
            part_of_slice[part->first_channel * per + i] = (uint8_t)n;
    }
    network_divide(gpu->requests, parts, part_of_sm, part_of_slice);
    network_divide(gpu->replies, parts, part_of_slice, part_of_sm);
    gpu_wake_parts(run);
}

void gpu_wake_parts(struct gpu_run *run)
{
    for (unsigned n = 0; n < run->part_count; n++) {
        struct gpu_part *part = &run->parts[n];
        part->due = mask_low(part->sms);
        part->first_wake = CYCLE_NEVER;
        part->first_partition_wake = run->gpu->cycle;
        for (unsigned i = 0; i < part->sms; i++)
            part->wake[i] = CYCLE_NEVER;
        for (unsigned i = 0; i < part->channels; i++)
            part->partition_wake[i] = run->gpu->cycle;
        note_room(part);
        part->block_may_end = true;
    }
}
