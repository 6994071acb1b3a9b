/* A part of the device: up to 64 SMs and L2 slices, with their sides of the networks. Parts meet only through the
 * networks' channels, so within the networks' lookahead each is simulated by itself, by a thread of its own if there is
 * one. The core of each network is ticked by one of the parts. Units are stepped only in the cycles in which they can
 * act.
 *
 * Within a core cycle the order is: blocks start, replies leave the network into the SMs, slices send replies and get
 * requests, partitions run (L2 slices and DRAM), sides of the networks tick, SMs step. DRAM and networks have clocks of
 * their own, by integer ratio. A tick of the networks that does not coincide with a step of the SMs falls between two
 * of them: slices send replies, then the sides tick.
 *
 * Partitions, which nothing reaches without a delay, are simulated ahead of the other units, many cycles at once, so
 * that the memory they look at stays near the host's processor. The part sees of that only what has happened by now. */
#include "gpu/part.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "gpu/rest.h"

static void start_blocks(struct gpu_part *part, uint64_t now)
{
    const struct gpu_run *run = part->run;
    for (unsigned i = 0; i < part->start_count; i++) {
        const struct gpu_start *start = &part->starts[i];
        contract(start->sm - part->first_sm < part->sms);
        uint32_t index[3];
        gpu_block_index(run, start->block, index);
        sm_launch(run->gpu->sms[start->sm], index, now);
        part->due |= BIT64(start->sm - part->first_sm);
        part->idle_sms &= ~BIT64(start->sm - part->first_sm);
    }
}

/* A side's ports, which are bits modulo 64, as bits counted from its first port. */
HOT_INLINE uint64_t local_ports(uint64_t ports, unsigned first)
{
    return ports >> (first & 63) | ports << (-first & 63);
}

static void wake_at(struct gpu_part *part, unsigned i, uint64_t at)
{
    part->wake[i] = mask_has(part->sleeping, i) ? cycle_min(part->wake[i], at) : at;
    part->sleeping |= BIT64(i);
    part->first_wake = cycle_min(part->first_wake, at);
}

/* An instruction line has come to SM i for SMs of its part that share the cache. */
NOT_INLINE void wake_neighbours(struct gpu_part *part, unsigned i, uint32_t state)
{
    unsigned first = i - i % part->run->gpu->machine.sm.l1i_sharers;
    part->due |= (uint64_t)(state / SM_STATE_NEIGHBOUR) << first;
}

/* The SMs to which the network has brought packets (`brought`), and those that still hold some, take what they have
 * room for. */
static void eject(struct gpu_part *part, uint64_t brought, uint64_t now)
{
    struct sm **sms = &part->run->gpu->sms[part->first_sm];
    uint64_t all = part->always ? mask_low(part->sms) : brought | part->holding, holding = 0, idle = 0;
    for (uint64_t rest = all; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        uint32_t state = sm_eject(sms[i]);
        holding |= state & SM_STATE_HOLDING ? rest & -rest : 0;
        idle |= state & SM_STATE_IDLE ? rest & -rest : 0;
        if (state >= SM_STATE_NEIGHBOUR)
            wake_neighbours(part, i, state);
        if (state & SM_STATE_ARRIVALS)
            part->due |= rest & -rest;
        else
            wake_at(part, i, now + 1);
    }
    part->holding = holding;
    part->touched |= all;
    part->idle_sms = (part->idle_sms & ~all) | idle;
}

static struct partition *partition_of(const struct gpu_part *part, unsigned slice)
{
    return part->run->gpu->partitions[part->first_channel + (slice >> part->channel_shift)];
}

static unsigned slice_inside(const struct gpu_part *part, unsigned slice)
{
    return slice & (part->slices_per_channel - 1);
}

/* The cycle in which a partition is to run. It runs ahead from multiples of GPU_AHEAD, as all do, so that several
 * threads have such work in the same windows; but not before the cycles that it has simulated already. */
static uint64_t run_at(const struct partition *p)
{
    uint64_t next = partition_next(p);
    return next == CYCLE_NEVER ? CYCLE_NEVER : cycle_max(next & ~(uint64_t)(GPU_AHEAD - 1), partition_done(p));
}

/* Something was pushed to the partition, or taken from it: it may have to run earlier than was known. */
static void note_run(struct gpu_part *part, unsigned channel, const struct partition *p)
{
    part->run_at[channel] = run_at(p);
    part->planned |= BIT64(channel);
    part->first_run = cycle_min(part->first_run, part->run_at[channel]);
}

/* Slice i takes a packet that the network has brought. */
HOT_INLINE void push(struct gpu_part *part, unsigned i, struct network *net, uint64_t now)
{
    unsigned channel = i >> part->channel_shift;
    struct partition *p = partition_of(part, i);
    partition_push(p, slice_inside(part, i), network_receive(net, part->first_slice + i), now);
    part->filled |= BIT64(channel);
    note_run(part, channel, p);
}

/* The network of what a slice sends. A sector without its packet belongs to a reply. */
NOT_INLINE struct network *network_of(const struct gpu *gpu, const struct partition_reply *reply)
{
    const struct packet *p = reply->packet;
    return gpu->networks[p ? message_network_of(p->kind, p->is_reply) : MESSAGE_REPLIES];
}

/* Slice i sends its first reply, or probe, through that network. False: the network has no room for it. */
static bool send_reply(struct gpu_part *part, unsigned i, struct network *net, uint64_t now)
{
    const struct partition_reply *reply = partition_first_reply(part->outs[i]);
    if (!network_can_send(net, part->first_slice + i, reply->bytes))
        return false;
    network_send(net, part->first_slice + i, reply->sm, reply->bytes, reply->packet, now);
    if (partition_take_reply(part->outs[i]))
        note_run(part, i >> part->channel_shift, partition_of(part, i));
    return true;
}

/* Each slice whose first reply is there sends it, if the network has room. The next replies may be sent in cycle
 * `again`. */
HOT static void send_replies(struct gpu_part *part, uint64_t now, uint64_t again)
{
    const struct gpu *gpu = part->run->gpu;
    struct network *net = gpu->networks[GPU_REPLIES];
    uint64_t first = CYCLE_NEVER, ended = 0;
    for (uint64_t rest = part->replying; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        uint64_t at = part->reply_at[i];
        if (RARELY(part->probing) && at <= now)
            net = network_of(gpu, partition_first_reply(part->outs[i]));
        if (at <= now && send_reply(part, i, net, now)) {
            at = partition_reply_at(part->outs[i]);
            part->reply_at[i] = at;
            ended |= at == CYCLE_NEVER ? rest & -rest : 0;
        }
        first = cycle_min(first, at);
    }
    part->replying &= ~ended;
    part->first_reply = cycle_max(first, again);
}

/* Each slice to which the network has brought packets takes one, if it has room. */
static void take_requests(struct gpu_part *part, uint64_t brought, uint64_t now)
{
    struct network *net = part->run->gpu->networks[GPU_REQUESTS];
    for (uint64_t rest = brought; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        if (partition_takes(partition_of(part, i), now) >> slice_inside(part, i) & 1)
            push(part, i, net, now);
    }
}

/* Each SM to which the network has brought probes takes one, if it has room, and is stepped. Each slice to which the
 * network has brought answers takes one. It always can: the request that keeps a full slice from taking more may be the
 * very one that waits for this answer. */
NOT_INLINE void take_probes_and_answers(struct gpu_part *part, uint64_t now)
{
    struct gpu *gpu = part->run->gpu;
    struct network *net = gpu->networks[GPU_ACKNOWLEDGEMENTS];
    uint64_t probes = local_ports(network_arrivals(gpu->networks[GPU_PROBES], part->number), part->first_sm);
    uint64_t answers = local_ports(network_arrivals(net, part->number), part->first_slice);
    for (uint64_t rest = probes; rest; rest &= rest - 1)
        sm_take_probe(gpu->sms[part->first_sm + mask_first(rest)]);
    part->due |= probes;
    part->idle_sms &= ~probes;
    for (uint64_t rest = answers; rest; rest &= rest - 1)
        push(part, mask_first(rest), net, now);
}

/* After a run of a partition, its slices may have replies. Where a reply was there before but is not sent, it is still
 * the first. */
static inline void note_replies(struct gpu_part *part, unsigned channel, uint64_t now)
{
    unsigned first = channel << part->channel_shift;
    for (unsigned i = first; i < first + part->slices_per_channel; i++) {
        if (part->reply_at[i] <= now)
            continue;
        part->reply_at[i] = partition_reply_at(part->outs[i]);
        part->first_reply = cycle_min(part->first_reply, part->reply_at[i]);
        part->replying |= part->reply_at[i] != CYCLE_NEVER ? BIT64(i) : 0;
    }
}

/* Partitions whose run_at has come are simulated from now on, ahead of the other units: all up to the same cycle, for
 * which packets must have been in the ROP delay by now. */
static void run_partitions(struct gpu_part *part, uint64_t now)
{
    uint64_t until = cycle_min(gpu_ahead_of(now), now + partition_lookahead(part->run->gpu->partitions[0]));
    part->first_run = CYCLE_NEVER;
    part->outlook.idle = false; /* since when partitions are idle has to be asked again */
    for (uint64_t rest = part->always ? mask_low(part->channels) : part->planned; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        struct partition *p = part->run->gpu->partitions[part->first_channel + i];
        if (part->run_at[i] <= now || (part->always && partition_done(p) <= now)) {
            partition_run(p, now, cycle_min(until, part->horizon), part->always);
            note_replies(part, i, now);
            part->run_at[i] = partition_done(p) > now ? run_at(p) : partition_next(p);
            mask_put(&part->planned, i, part->run_at[i] != CYCLE_NEVER);
        }
        part->first_run = cycle_min(part->first_run, part->run_at[i]);
    }
}

/* Sleeping SMs whose wake has come. */
static uint64_t wake_sleepers(struct gpu_part *part, uint64_t now)
{
    uint64_t awake = 0, first = CYCLE_NEVER;
    for (uint64_t rest = part->sleeping; rest; rest &= rest - 1) {
        uint64_t at = part->wake[mask_first(rest)];
        awake |= at <= now ? rest & -rest : 0;
        first = at <= now ? first : cycle_min(first, at);
    }
    part->first_wake = first;
    return awake;
}

/* Of the SMs to be stepped, those that are not idle: when no blocks are left to start, an idle SM has nothing to
 * account for. */
static uint64_t leave_out_idle(struct gpu_part *part, uint64_t step)
{
    part->sleeping &= ~(step & part->idle_sms);
    return step & ~part->idle_sms;
}

/* Steps the SMs that are due, whose wake has come, or that can send a request at last: of those that are sending, the
 * ones whose injection queues became shorter (`sent`) are asked. */
static void step_sms(struct gpu_part *part, uint64_t now, uint64_t sent)
{
    struct sm **sms = &part->run->gpu->sms[part->first_sm];
    uint64_t step = part->always ? mask_low(part->sms) : part->due, due = 0, sleeping = 0, idle = 0, faulted = 0;
    if (part->first_wake <= now)
        step |= wake_sleepers(part, now);
    for (uint64_t rest = part->sending & local_ports(sent, part->first_sm) & ~step; rest; rest &= rest - 1)
        if (sm_can_send(sms[mask_first(rest)]))
            step |= rest & -rest;
    part->sending &= ~step;
    if (part->draining)
        step = leave_out_idle(part, step);
    for (uint64_t rest = step; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        uint64_t bit = rest & -rest;
        struct sm_turn turn = sm_step(sms[i], now);
        if (turn.state) {
            faulted |= turn.state & SM_STATE_FAULTED;
            idle |= turn.state & SM_STATE_IDLE ? bit : 0;
        }
        if (turn.next <= now + 1) {
            due |= bit;
            continue;
        }
        part->wake[i] = turn.next;
        sleeping |= turn.next != CYCLE_NEVER ? bit : 0;
        part->first_wake = cycle_min(part->first_wake, turn.next);
        if (turn.state & SM_STATE_SENDING)
            part->sending |= bit;
    }
    part->due = due;
    part->touched |= step;
    part->sleeping = (part->sleeping & ~step) | sleeping;
    part->idle_sms = (part->idle_sms & ~step) | idle;
    part->outlook.faulted |= faulted != 0;
}

static bool units_idle(struct gpu_part *part)
{
    struct partition **partitions = &part->run->gpu->partitions[part->first_channel];
    if (part->idle_sms != mask_low(part->sms))
        return false;
    for (; part->filled; part->filled &= part->filled - 1)
        if (!partition_idle(partitions[mask_first(part->filled)]))
            return false;
    return true;
}

/* The cycle from which on all partitions are idle. It may be to come: they are ahead of the other units. */
static uint64_t idle_from(const struct gpu_part *part)
{
    struct partition **partitions = &part->run->gpu->partitions[part->first_channel];
    uint64_t from = 0;
    for (unsigned i = 0; i < part->channels; i++)
        from = cycle_max(from, partition_idle_from(partitions[i]));
    return from;
}

/* Packets that the part has taken from networks `from` to `end`, ever. */
HOT_INLINE uint64_t taken_of(const struct gpu_part *part, unsigned from, unsigned end)
{
    uint64_t taken = 0;
    for (unsigned i = from; i < end; i++)
        taken += network_taken(part->run->gpu->networks[i], part->number);
    return taken;
}

/* Something was inside the units, or inside the networks on its way here, at the end of every cycle before busy_until.
 */
static void note_busy(struct gpu_part *part, uint64_t now)
{
    struct gpu_outlook *outlook = &part->outlook;
    uint64_t taken = taken_of(part, 0, GPU_PLAIN_NETWORKS);
    if (RARELY(part->probing))
        taken += taken_of(part, GPU_PLAIN_NETWORKS, GPU_NETWORKS);
    if (taken != part->taken)
        outlook->busy_until = cycle_max(outlook->busy_until, now);
    part->taken = taken;
    bool was_idle = outlook->idle;
    outlook->idle = units_idle(part);
    if (!outlook->idle)
        outlook->busy_until = cycle_max(outlook->busy_until, now + 1);
    else if (!was_idle)
        outlook->busy_until = cycle_max(outlook->busy_until, idle_from(part));
}

/* The part's sides of networks `from` to `end` tick. */
HOT_INLINE uint64_t tick_some(struct gpu_part *part, unsigned from, unsigned end, uint64_t tick, uint64_t now)
{
    uint64_t sms_sent = 0;
    for (unsigned i = from; i < end; i++) {
        uint64_t sent = network_tick_side(part->run->gpu->networks[i], part->number, tick, now);
        sms_sent |= gpu_network_to_memory(i) ? sent : 0;
    }
    return sms_sent;
}

/* The part's sides of the networks tick. Returns the SMs whose injection queues became shorter, as bits modulo 64. */
static inline uint64_t tick_networks(struct gpu_part *part, uint64_t tick, uint64_t now)
{
    uint64_t sms_sent = tick_some(part, 0, GPU_PLAIN_NETWORKS, tick, now);
    if (RARELY(part->probing))
        sms_sent |= tick_some(part, GPU_PLAIN_NETWORKS, GPU_NETWORKS, tick, now);
    return sms_sent;
}

/* Ticks `from` to `end` of the networks, which fall between the last step of the SMs and that of this cycle. */
NOT_INLINE uint64_t tick_between(struct gpu_part *part, uint64_t from, uint64_t end, uint64_t now)
{
    uint64_t sent = 0;
    for (uint64_t tick = from; tick < end; tick++) {
        if (part->first_reply <= now)
            send_replies(part, now, now);
        sent |= tick_networks(part, tick, now);
    }
    return sent;
}

/* One core cycle. Units step when it ends, and so does a tick of the networks that ends with it; ticks that end before
 * come first. */
static void run_cycle(struct gpu_part *part, uint64_t now)
{
    struct gpu *gpu = part->run->gpu;
    uint64_t tick = part->network.begun, sent = 0;
    sim_clock_advance(&part->network, now + 1);
    uint64_t last = part->network.begun - sim_clock_coincides(&part->network);
    if (RARELY(tick < last))
        sent = tick_between(part, tick, last, now);
    uint64_t replies = local_ports(network_arrivals(gpu->networks[GPU_REPLIES], part->number), part->first_sm);
    if (replies | part->holding || RARELY(part->always))
        eject(part, replies, now);
    uint64_t requests = network_arrivals(gpu->networks[GPU_REQUESTS], part->number);
    if (part->first_reply <= now)
        send_replies(part, now, now + 1);
    if (RARELY(part->probing))
        take_probes_and_answers(part, now);
    if (requests)
        take_requests(part, local_ports(requests, part->first_slice), now);
    if (part->first_run <= now || RARELY(part->always))
        run_partitions(part, now);
    if (last < part->network.begun)
        sent |= tick_networks(part, last, now);
    if (part->due | sent || part->first_wake <= now || RARELY(part->always))
        step_sms(part, now, sent);
}

/* Non-zero: networks `from` to `end` have brought something. */
HOT_INLINE uint64_t arrivals(const struct gpu_part *part, unsigned from, unsigned end)
{
    uint64_t some = 0;
    for (unsigned i = from; i < end; i++)
        some |= network_arrivals(part->run->gpu->networks[i], part->number);
    return some;
}

/* The first cycle from `end` on in which something can happen in the units, the networks aside. */
static uint64_t next_cycle(const struct gpu_part *part, uint64_t end)
{
    uint64_t waiting = part->due | arrivals(part, 0, GPU_PLAIN_NETWORKS);
    if (RARELY(part->probing))
        waiting |= arrivals(part, GPU_PLAIN_NETWORKS, GPU_NETWORKS);
    if (waiting)
        return end;
    return cycle_max(end, cycle_min(part->first_wake, cycle_min(part->first_run, part->first_reply)));
}

/* Finds the SMs with room for a block, for the engine, which gives out blocks before the next window. An SM that has
 * done nothing has as much room as before. */
HOT static void note_room(struct gpu_part *part)
{
    uint64_t room = 0, may_end = 0, touched = part->touched;
    for (uint64_t rest = touched; rest; rest &= rest - 1) {
        const struct sm *sm = part->run->gpu->sms[part->first_sm + mask_first(rest)];
        room |= sm_can_launch(sm) ? rest & -rest : 0;
        may_end |= sm_block_may_end(sm) ? rest & -rest : 0;
    }
    part->outlook.room = (part->outlook.room & ~touched) | room;
    part->may_end = (part->may_end & ~touched) | may_end;
    part->outlook.block_may_end = part->may_end != 0;
    part->touched = 0;
}

HOT uint64_t gpu_next_cycle(const struct gpu *gpu, const struct gpu_outlook *o)
{
    if (o->next == o->end || o->room)
        return o->end;
    struct sim_clock clock = sim_clock_at(gpu->machine.gpu.network_mhz, gpu->machine.gpu.core_mhz, o->end);
    uint64_t tick = CYCLE_NEVER;
    for (unsigned i = 0; i < gpu->network_count && tick != clock.begun; i++)
        tick = cycle_min(tick, network_next(gpu->networks[i], clock.begun));
    return cycle_min(o->next, sim_clock_core_cycle(&clock, tick));
}

HOT_INLINE void run_window(struct gpu_part *part, uint64_t from, uint64_t end)
{
    struct gpu *gpu = part->run->gpu;
    if (!part->outlook.idle)
        part->outlook.busy_until = cycle_max(part->outlook.busy_until, from);
    sim_clock_advance(&part->network, from);
    uint64_t tick = part->network.begun;
    contract(sim_clock_at(part->network.mhz, part->network.core_mhz, end).begun - tick <=
             network_lookahead(gpu->networks[GPU_REQUESTS]));
    for (uint64_t now = from; now < end; now++) {
        run_cycle(part, now);
        if (part->draining)
            note_busy(part, now);
        else
            part->outlook.idle = false;
    }
    uint64_t told = 0;
    for (uint32_t rest = part->cores; rest; rest &= rest - 1)
        for (uint64_t t = tick; t < part->network.begun; t++)
            told |= network_tick_core(gpu->networks[mask_first(rest)], t);
    part->outlook.told = (uint16_t)told;
    part->outlook.end = end;
    part->outlook.next = next_cycle(part, end);
    if (!part->draining)
        note_room(part);
}

static void take_order(struct gpu_part *part, const struct gpu_window *window)
{
    part->draining = window->draining;
    part->horizon = window->horizon;
    if (window->starting)
        start_blocks(part, window->from);
    if (part->draining) {
        part->outlook.room = 0;
        part->outlook.block_may_end = false;
    }
}

HOT void gpu_part_run(struct gpu_part *part, const struct gpu_window *window)
{
    take_order(part, window);
    run_window(part, window->from, window->end);
    *part->report = part->outlook;
}

HOT void gpu_part_run_alone(struct gpu_part *part, const struct gpu_window *window, uint64_t length, uint64_t until)
{
    const struct gpu_outlook *o = &part->outlook;
    uint64_t from = window->from, end = window->end;
    take_order(part, window);
    for (;;) {
        run_window(part, from, end);
        if (o->faulted || o->idle || o->room || o->block_may_end || (o->told & ~BIT64(part->number)))
            break;
        from = gpu_next_cycle(part->run->gpu, o);
        if (from >= until)
            break;
        end = cycle_min((from | (length - 1)) + 1, until);
    }
    *part->report = part->outlook;
}

/* The first of `count` things that part `number` has: they are shared as evenly as can be, neighbours together. */
static unsigned first_of(unsigned count, unsigned parts, unsigned number)
{
    return (count * number + parts - 1) / parts;
}

/* SMs are dealt to threads, and each thread's to its parts, in groups that share an instruction cache. Thread 0 ticks
 * the core of network 0: where that is work, it has fewer SMs. */
static unsigned groups_of_thread(const struct gpu *gpu, unsigned threads, unsigned thread, unsigned parts_each)
{
    unsigned groups = gpu_sm_groups(gpu), sharers = gpu->machine.sm.l1i_sharers;
    unsigned weight = threads > 1 ? (network_weight(gpu->networks[0]) + sharers / 2) / sharers : 0;
    unsigned fair = (groups + weight + threads - 1) / threads;
    unsigned own = fair > weight + parts_each ? fair - weight : parts_each;
    if (threads == 1 || own > groups)
        own = groups;
    if (thread == 0)
        return own;
    return first_of(groups - own, threads - 1, thread) - first_of(groups - own, threads - 1, thread - 1);
}

static unsigned groups_of_part(const struct gpu *gpu, unsigned threads, unsigned parts, unsigned number)
{
    unsigned each = parts / threads, groups = groups_of_thread(gpu, threads, number % threads, each);
    return first_of(groups, each, number / threads + 1) - first_of(groups, each, number / threads);
}

static bool parts_fit(const struct gpu *gpu, unsigned threads, unsigned parts)
{
    const struct partition_params *p = &gpu->machine.memory.partition;
    bool fit = parts * (GPU_PART_SMS / p->slices_per_channel) >= p->channels;
    for (unsigned n = 0; n < threads; n++) /* a thread's first part is its largest */
        fit &= groups_of_part(gpu, threads, parts, n) * gpu->machine.sm.l1i_sharers <= GPU_PART_SMS;
    return fit;
}

/* Parts of a thread from which another may take some when it has done its own: of so many SMs, and so many at most. */
#define HELP_SMS 16
#define HELP_PARTS 4

static unsigned parts_to_share(const struct gpu *gpu, unsigned threads)
{
    unsigned each = gpu->machine.gpu.sms / (threads * HELP_SMS);
    each = each < HELP_PARTS ? each : HELP_PARTS;
    while (each > 1 && threads * each > NETWORK_MAX_SIDES)
        each--;
    return threads > 1 && each > 1 ? each : 1;
}

/* A multiple of the threads, of which none has more than GPU_PART_SMS SMs and slices. */
static unsigned count_parts(const struct gpu *gpu, unsigned threads)
{
    unsigned parts = threads * parts_to_share(gpu, threads);
    while (!parts_fit(gpu, threads, parts))
        parts += threads;
    return parts;
}

void gpu_divide(struct gpu_run *run, unsigned threads)
{
    struct gpu *gpu = run->gpu;
    const unsigned parts = count_parts(gpu, threads);
    unsigned first = 0; /* SM of the next part */
    unsigned channels = gpu->machine.memory.partition.channels;
    unsigned per = gpu->machine.memory.partition.slices_per_channel;
    uint8_t part_of_sm[NETWORK_MAX_PORTS], part_of_slice[NETWORK_MAX_PORTS];
    run->part_count = parts;
    run->parts = ARENA_NEW(&run->arena, struct gpu_part, parts);
    run->rest = ARENA_NEW(&run->arena, struct gpu_rest, 1);
    for (unsigned n = 0; n < parts; n++) {
        struct gpu_part *part = &run->parts[n];
        /* The first part is that of the thread that gives out the work: the others begin later and are heard later, so
         * where things do not divide evenly the first parts have more. */
        *part = (struct gpu_part){.run = run, .number = n, .always = run->launch->every_cycle};
        part->probing = gpu_probes(gpu);
        part->report = threads > 1 && n < threads ? worker_pool_report(gpu->workers, n) : &part->outlook;
        part->first_sm = first;
        first += groups_of_part(gpu, threads, parts, n) * gpu->machine.sm.l1i_sharers;
        first = first < gpu->machine.gpu.sms ? first : gpu->machine.gpu.sms;
        part->sms = first - part->first_sm;
        contract(part->sms <= GPU_PART_SMS);
        part->first_channel = first_of(channels, parts, n);
        part->channels = first_of(channels, parts, n + 1) - part->first_channel;
        part->slices_per_channel = per;
        part->channel_shift = mask_first(per);
        part->first_slice = part->first_channel * per;
        part->holding = mask_low(part->sms);
        for (unsigned i = 0; i < part->sms; i++)
            part_of_sm[part->first_sm + i] = (uint8_t)n;
        for (unsigned i = 0; i < part->channels * per; i++)
            part_of_slice[part->first_channel * per + i] = (uint8_t)n;
    }
    for (unsigned i = 0; i < gpu->network_count; i++)
        if (gpu_network_to_memory(i))
            network_divide(gpu->networks[i], parts, part_of_sm, part_of_slice);
        else
            network_divide(gpu->networks[i], parts, part_of_slice, part_of_sm);
    gpu_wake_parts(run);
}

void gpu_wake_sms(struct gpu_run *run)
{
    for (unsigned n = 0; n < run->part_count; n++) {
        run->parts[n].due = mask_low(run->parts[n].sms);
        run->parts[n].sleeping = 0;
    }
    gpu_rest_none(run);
}

void gpu_wake_parts(struct gpu_run *run)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    uint64_t now = run->gpu->cycle;
    struct sim_clock dram = sim_clock_at(p->dram_mhz, p->core_mhz, now);
    for (unsigned n = 0; n < run->part_count; n++) {
        struct gpu_part *part = &run->parts[n];
        part->network = sim_clock_at(p->network_mhz, p->core_mhz, now);
        part->due = mask_low(part->sms);
        part->first_wake = CYCLE_NEVER;
        part->first_run = part->first_reply = now;
        part->sleeping = part->idle_sms = part->replying = 0;
        part->touched = mask_low(part->sms);
        part->planned = part->filled = mask_low(part->channels);
        for (unsigned i = 0; i < part->sms; i++)
            part->idle_sms |= sm_idle(run->gpu->sms[part->first_sm + i]) ? BIT64(i) : 0;
        for (unsigned i = 0; i < part->channels; i++) {
            struct partition *partition = run->gpu->partitions[part->first_channel + i];
            partition_start(partition, &dram);
            part->run_at[i] = now;
            for (unsigned k = 0; k < part->slices_per_channel; k++) {
                part->outs[(i << part->channel_shift) + k] = partition_out_of(partition, k);
                part->reply_at[(i << part->channel_shift) + k] = CYCLE_NEVER;
            }
            note_replies(part, i, now);
        }
        note_room(part);
        part->outlook.block_may_end = true;
        *part->report = part->outlook;
    }
    gpu_rest_none(run);
}
