/* A domain of the device: up to 64 SMs and L2 slices, with their sides of the networks. Domains meet only through the
 * networks' channels, so within the networks' lookahead each is simulated by itself, by a thread of its own if there is
 * one. The core of each network is ticked by one of the domains. Units are stepped only in the cycles in which they can
 * act.
 *
 * Within a core cycle the order is: blocks start, replies leave the network into the SMs, slices send replies and get
 * requests, partitions run (L2 slices and DRAM), sides of the networks tick, SMs step. DRAM and networks have clocks of
 * their own, by integer ratio. A tick of the networks that does not coincide with a step of the SMs falls between two
 * of them: slices send replies, then the sides tick.
 *
 * Partitions, which nothing reaches without a delay, are simulated ahead of the other units, many cycles at once, so
 * that the memory they look at stays near the host's processor. The domain sees of that only what has happened by now.
 */
#include "gpu/domain.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "gpu/rest.h"

static void start_blocks(struct gpu_domain *domain, uint64_t now)
{
    const struct gpu_run *run = domain->run;
    for (unsigned i = 0; i < domain->start_count; i++) {
        const struct gpu_start *start = &domain->starts[i];
        contract(start->sm - domain->first_sm < domain->sms);
        uint32_t index[3];
        gpu_block_index(start->of, start->block, index);
        sm_launch(run->gpu->sms[start->sm], index, start->peers, now);
        domain->due |= BIT64(start->sm - domain->first_sm);
        domain->idle_sms &= ~BIT64(start->sm - domain->first_sm);
    }
}

/* A side's ports, which are bits modulo 64, as bits counted from its first port. */
HOT_INLINE uint64_t local_ports(uint64_t ports, unsigned first)
{
    return ports >> (first & 63) | ports << (-first & 63);
}

static void wake_at(struct gpu_domain *domain, unsigned i, uint64_t at)
{
    domain->wake[i] = mask_has(domain->sleeping, i) ? cycle_min(domain->wake[i], at) : at;
    domain->sleeping |= BIT64(i);
    domain->first_wake = cycle_min(domain->first_wake, at);
}

/* An instruction line has come to SM i for SMs of its domain that share the cache. */
NOT_INLINE void wake_neighbours(struct gpu_domain *domain, unsigned i, uint32_t state)
{
    unsigned first = i - i % domain->run->gpu->machine.sm.l1i_sharers;
    domain->due |= (uint64_t)(state / SM_STATE_NEIGHBOUR) << first;
}

/* The SMs to which the network has brought packets (`brought`), and those that still hold some, take what they have
 * room for. */
static void eject(struct gpu_domain *domain, uint64_t brought, uint64_t now)
{
    struct sm **sms = &domain->run->gpu->sms[domain->first_sm];
    uint64_t all = domain->always ? domain->all_sms : brought | domain->holding, holding = 0, idle = 0;
    for (uint64_t rest = all; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        uint32_t state = sm_eject(sms[i], now);
        holding |= state & SM_STATE_HOLDING ? rest & -rest : 0;
        idle |= state & SM_STATE_IDLE ? rest & -rest : 0;
        if (state >= SM_STATE_NEIGHBOUR)
            wake_neighbours(domain, i, state);
        if (state & SM_STATE_ARRIVALS)
            domain->due |= rest & -rest;
        else
            wake_at(domain, i, now + 1);
    }
    domain->holding = holding;
    domain->touched |= all;
    domain->idle_sms = (domain->idle_sms & ~all) | idle;
}

static struct partition *partition_of(const struct gpu_domain *domain, unsigned slice)
{
    return domain->run->gpu->partitions[domain->first_channel + (slice >> domain->channel_shift)];
}

static unsigned slice_inside(const struct gpu_domain *domain, unsigned slice)
{
    return slice & (domain->slices_per_channel - 1);
}

/* The cycle in which a partition is to run. It runs ahead from multiples of GPU_AHEAD, as all do, so that several
 * threads have such work in the same windows; but not before the cycles that it has simulated already. */
static uint64_t run_at(const struct partition *p)
{
    uint64_t next = partition_next(p);
    return next == CYCLE_NEVER ? CYCLE_NEVER : cycle_max(next & ~(uint64_t)(GPU_AHEAD - 1), partition_done(p));
}

/* Something was pushed to the partition, or taken from it: it may have to run earlier than was known. */
static void note_run(struct gpu_domain *domain, unsigned channel, const struct partition *p)
{
    domain->run_at[channel] = run_at(p);
    domain->planned |= BIT64(channel);
    domain->first_run = cycle_min(domain->first_run, domain->run_at[channel]);
}

/* Slice i takes a packet that the network has brought. */
HOT_INLINE void push(struct gpu_domain *domain, unsigned i, struct network *net, uint64_t now)
{
    unsigned channel = i >> domain->channel_shift;
    struct partition *p = partition_of(domain, i);
    partition_push(p, slice_inside(domain, i), network_receive(net, domain->first_slice + i), now);
    domain->filled |= BIT64(channel);
    note_run(domain, channel, p);
}

/* The network of what a slice sends. A sector without its packet belongs to a reply. */
NOT_INLINE struct network *network_of(const struct gpu *gpu, const struct partition_reply *reply)
{
    const struct packet *p = reply->packet;
    return gpu->networks[p ? message_network_of(p->kind, p->is_reply) : MESSAGE_REPLIES];
}

/* Slice i sends its first reply, or probe, through that network. False: the network has no room for it. */
static bool send_reply(struct gpu_domain *domain, unsigned i, struct network *net, uint64_t now)
{
    const struct partition_reply *reply = partition_first_reply(domain->outs[i]);
    if (!network_can_send(net, domain->first_slice + i, reply->bytes))
        return false;
    network_send(net, domain->first_slice + i, reply->sm, reply->bytes, reply->packet, now);
    if (partition_take_reply(domain->outs[i]))
        note_run(domain, i >> domain->channel_shift, partition_of(domain, i));
    return true;
}

/* Each slice whose first reply is there sends it, if the network has room. The next replies may be sent in cycle
 * `again`. */
HOT static void send_replies(struct gpu_domain *domain, uint64_t now, uint64_t again)
{
    const struct gpu *gpu = domain->run->gpu;
    struct network *net = gpu->networks[GPU_REPLIES];
    uint64_t first = CYCLE_NEVER, ended = 0;
    for (uint64_t rest = domain->replying; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        uint64_t at = domain->reply_at[i];
        if (RARELY(domain->probing) && at <= now)
            net = network_of(gpu, partition_first_reply(domain->outs[i]));
        if (at <= now && send_reply(domain, i, net, now)) {
            at = partition_reply_at(domain->outs[i]);
            domain->reply_at[i] = at;
            ended |= at == CYCLE_NEVER ? rest & -rest : 0;
        }
        first = cycle_min(first, at);
    }
    domain->replying &= ~ended;
    domain->first_reply = cycle_max(first, again);
}

/* Each slice to which the network has brought packets takes one, if it has room. */
static void take_requests(struct gpu_domain *domain, uint64_t brought, uint64_t now)
{
    struct network *net = domain->run->gpu->networks[GPU_REQUESTS];
    for (uint64_t rest = brought; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        if (partition_takes(partition_of(domain, i), now) >> slice_inside(domain, i) & 1)
            push(domain, i, net, now);
    }
}

/* Each SM to which the network has brought probes takes one, if it has room, and is stepped. Each slice to which the
 * network has brought answers takes one. It always can: the request that keeps a full slice from taking more may be the
 * very one that waits for this answer. */
NOT_INLINE void take_probes_and_answers(struct gpu_domain *domain, uint64_t now)
{
    struct gpu *gpu = domain->run->gpu;
    struct network *net = gpu->networks[GPU_ACKNOWLEDGEMENTS];
    uint64_t probes = local_ports(network_arrivals(gpu->networks[GPU_PROBES], domain->number), domain->first_sm);
    uint64_t answers = local_ports(network_arrivals(net, domain->number), domain->first_slice);
    for (uint64_t rest = probes; rest; rest &= rest - 1)
        sm_take_probe(gpu->sms[domain->first_sm + mask_first(rest)]);
    domain->due |= probes;
    domain->idle_sms &= ~probes;
    for (uint64_t rest = answers; rest; rest &= rest - 1)
        push(domain, mask_first(rest), net, now);
}

/* Each SM to which other SMs have sent messages takes one of either network, if its port passes it, and is stepped. */
NOT_INLINE void take_messages(struct gpu_domain *domain, uint64_t now)
{
    struct gpu *gpu = domain->run->gpu;
    uint64_t brought = network_arrivals(gpu->networks[GPU_CLUSTER_REQUESTS], domain->number) |
                       network_arrivals(gpu->networks[GPU_CLUSTER_REPLIES], domain->number);
    uint64_t sms = local_ports(brought, domain->first_sm);
    for (uint64_t rest = sms; rest; rest &= rest - 1)
        sm_take_message(gpu->sms[domain->first_sm + mask_first(rest)], now);
    domain->due |= sms;
    domain->idle_sms &= ~sms;
}

/* After a run of a partition, its slices may have replies. Where a reply was there before but is not sent, it is still
 * the first. */
static inline void note_replies(struct gpu_domain *domain, unsigned channel, uint64_t now)
{
    unsigned first = channel << domain->channel_shift;
    for (unsigned i = first; i < first + domain->slices_per_channel; i++) {
        if (domain->reply_at[i] <= now)
            continue;
        domain->reply_at[i] = partition_reply_at(domain->outs[i]);
        domain->first_reply = cycle_min(domain->first_reply, domain->reply_at[i]);
        domain->replying |= domain->reply_at[i] != CYCLE_NEVER ? BIT64(i) : 0;
    }
}

/* Partitions whose run_at has come are simulated from now on, ahead of the other units: all up to the same cycle, for
 * which packets must have been in the ROP delay by now. */
static void run_partitions(struct gpu_domain *domain, uint64_t now)
{
    uint64_t until = cycle_min(gpu_ahead_of(now), now + partition_lookahead(domain->run->gpu->partitions[0]));
    domain->first_run = CYCLE_NEVER;
    domain->outlook.idle = false; /* since when partitions are idle has to be asked again */
    for (uint64_t rest = domain->always ? mask_low(domain->channels) : domain->planned; rest; rest &= rest - 1) {
        unsigned i = mask_first(rest);
        struct partition *p = domain->run->gpu->partitions[domain->first_channel + i];
        if (domain->run_at[i] <= now || (domain->always && partition_done(p) <= now)) {
            partition_run(p, now, cycle_min(until, domain->horizon), domain->always);
            note_replies(domain, i, now);
            domain->run_at[i] = partition_done(p) > now ? run_at(p) : partition_next(p);
            mask_put(&domain->planned, i, domain->run_at[i] != CYCLE_NEVER);
        }
        domain->first_run = cycle_min(domain->first_run, domain->run_at[i]);
    }
}

/* Sleeping SMs whose wake has come. */
static uint64_t wake_sleepers(struct gpu_domain *domain, uint64_t now)
{
    uint64_t awake = 0, first = CYCLE_NEVER;
    for (uint64_t rest = domain->sleeping; rest; rest &= rest - 1) {
        uint64_t at = domain->wake[mask_first(rest)];
        awake |= at <= now ? rest & -rest : 0;
        first = at <= now ? first : cycle_min(first, at);
    }
    domain->first_wake = first;
    return awake;
}

/* Of the SMs to be stepped, those that are not idle: when no blocks are left to start, an idle SM has nothing to
 * account for. */
static uint64_t leave_out_idle(struct gpu_domain *domain, uint64_t step)
{
    domain->sleeping &= ~(step & domain->idle_sms);
    return step & ~domain->idle_sms;
}

/* Steps the SMs that are due, whose wake has come, or that can send a request at last: of those that are sending, the
 * ones whose injection queues became shorter (`sent`) are asked. */
static void step_sms(struct gpu_domain *domain, uint64_t now, uint64_t sent)
{
    struct sm **sms = &domain->run->gpu->sms[domain->first_sm];
    uint64_t step = domain->always ? domain->all_sms : domain->due, due = 0, sleeping = 0, idle = 0, faulted = 0;
    if (domain->first_wake <= now)
        step |= wake_sleepers(domain, now);
    for (uint64_t rest = domain->sending & local_ports(sent, domain->first_sm) & ~step; rest; rest &= rest - 1)
        if (sm_can_send(sms[mask_first(rest)]))
            step |= rest & -rest;
    domain->sending &= ~step;
    if (domain->draining)
        step = leave_out_idle(domain, step);
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
        domain->wake[i] = turn.next;
        sleeping |= turn.next != CYCLE_NEVER ? bit : 0;
        domain->first_wake = cycle_min(domain->first_wake, turn.next);
        if (turn.state & SM_STATE_SENDING)
            domain->sending |= bit;
    }
    domain->due = due;
    domain->touched |= step;
    domain->sleeping = (domain->sleeping & ~step) | sleeping;
    domain->idle_sms = (domain->idle_sms & ~step) | idle;
    domain->outlook.faulted |= faulted != 0;
}

static bool units_idle(struct gpu_domain *domain)
{
    struct partition **partitions = &domain->run->gpu->partitions[domain->first_channel];
    contract(domain->idle_sms == domain->all_sms);
    for (; domain->filled; domain->filled &= domain->filled - 1)
        if (!partition_idle(partitions[mask_first(domain->filled)]))
            return false;
    return true;
}

/* The cycle from which on all partitions are idle. It may be to come: they are ahead of the other units. */
static uint64_t idle_from(const struct gpu_domain *domain)
{
    struct partition **partitions = &domain->run->gpu->partitions[domain->first_channel];
    uint64_t from = 0;
    for (unsigned i = 0; i < domain->channels; i++)
        from = cycle_max(from, partition_idle_from(partitions[i]));
    return from;
}

/* Packets that the domain has taken from networks `from` to `end`, ever. */
HOT_INLINE uint64_t taken_of(const struct gpu_domain *domain, unsigned from, unsigned end)
{
    uint64_t taken = 0;
    for (unsigned i = from; i < end; i++)
        taken += network_taken(gpu_network_at(domain->run->gpu, i), domain->number);
    return taken;
}

/* Something was inside the units, or inside the networks on its way here, at the end of every cycle before busy_until.
 */
static void note_busy(struct gpu_domain *domain, uint64_t now)
{
    struct gpu_outlook *outlook = &domain->outlook;
    if (domain->idle_sms != domain->all_sms) { /* nearly always: what was taken meanwhile changes nothing */
        outlook->idle = false;
        outlook->busy_until = cycle_max(outlook->busy_until, now + 1);
        return;
    }
    uint64_t taken = taken_of(domain, 0, GPU_PLAIN_NETWORKS);
    if (RARELY(domain->more))
        taken += taken_of(domain, GPU_PLAIN_NETWORKS, domain->run->gpu->network_count);
    if (taken != domain->taken)
        outlook->busy_until = cycle_max(outlook->busy_until, now);
    domain->taken = taken;
    bool was_idle = outlook->idle;
    outlook->idle = units_idle(domain);
    if (!outlook->idle)
        outlook->busy_until = cycle_max(outlook->busy_until, now + 1);
    else if (!was_idle)
        outlook->busy_until = cycle_max(outlook->busy_until, idle_from(domain));
}

/* The domain's sides of networks `from` to `end` tick. */
HOT_INLINE uint64_t tick_some(struct gpu_domain *domain, unsigned from, unsigned end, uint64_t tick, uint64_t now)
{
    uint64_t sms_sent = 0;
    for (unsigned i = from; i < end; i++) {
        uint64_t sent = network_tick_side(gpu_network_at(domain->run->gpu, i), domain->number, tick, now);
        sms_sent |= gpu_network_way(domain->run->gpu->network_at[i]) == GPU_TO_MEMORY ? sent : 0;
    }
    return sms_sent;
}

/* The domain's sides of the networks tick. Returns the SMs whose injection queues became shorter, as bits modulo 64. */
static inline uint64_t tick_networks(struct gpu_domain *domain, uint64_t tick, uint64_t now)
{
    uint64_t sms_sent = tick_some(domain, 0, GPU_PLAIN_NETWORKS, tick, now);
    if (RARELY(domain->more))
        sms_sent |= tick_some(domain, GPU_PLAIN_NETWORKS, domain->run->gpu->network_count, tick, now);
    return sms_sent;
}

/* Ticks `from` to `end` of the networks, which fall between the last step of the SMs and that of this cycle. */
NOT_INLINE uint64_t tick_between(struct gpu_domain *domain, uint64_t from, uint64_t end, uint64_t now)
{
    uint64_t sent = 0;
    for (uint64_t tick = from; tick < end; tick++) {
        if (domain->first_reply <= now)
            send_replies(domain, now, now);
        sent |= tick_networks(domain, tick, now);
    }
    return sent;
}

/* One core cycle. Units step when it ends, and so does a tick of the networks that ends with it; ticks that end before
 * come first. */
static void run_cycle(struct gpu_domain *domain, uint64_t now)
{
    struct gpu *gpu = domain->run->gpu;
    uint64_t tick = domain->network.begun, sent = 0;
    sim_clock_advance(&domain->network, now + 1);
    uint64_t last = domain->network.begun - sim_clock_coincides(&domain->network);
    if (RARELY(tick < last))
        sent = tick_between(domain, tick, last, now);
    uint64_t replies = local_ports(network_arrivals(gpu->networks[GPU_REPLIES], domain->number), domain->first_sm);
    if (replies | domain->holding || RARELY(domain->always))
        eject(domain, replies, now);
    uint64_t requests = network_arrivals(gpu->networks[GPU_REQUESTS], domain->number);
    if (domain->first_reply <= now)
        send_replies(domain, now, now + 1);
    if (RARELY(domain->probing))
        take_probes_and_answers(domain, now);
    if (RARELY(domain->clusters))
        take_messages(domain, now);
    if (requests)
        take_requests(domain, local_ports(requests, domain->first_slice), now);
    if (domain->first_run <= now || RARELY(domain->always))
        run_partitions(domain, now);
    if (last < domain->network.begun)
        sent |= tick_networks(domain, last, now);
    if (domain->due | sent || domain->first_wake <= now || RARELY(domain->always))
        step_sms(domain, now, sent);
}

/* Non-zero: networks `from` to `end` have brought something. */
HOT_INLINE uint64_t arrivals(const struct gpu_domain *domain, unsigned from, unsigned end)
{
    uint64_t some = 0;
    for (unsigned i = from; i < end; i++)
        some |= network_arrivals(gpu_network_at(domain->run->gpu, i), domain->number);
    return some;
}

/* The first cycle from `end` on in which something can happen in the units, the networks aside. */
static uint64_t next_cycle(const struct gpu_domain *domain, uint64_t end)
{
    uint64_t waiting = domain->due | domain->holding | arrivals(domain, 0, GPU_PLAIN_NETWORKS);
    if (RARELY(domain->more))
        waiting |= arrivals(domain, GPU_PLAIN_NETWORKS, domain->run->gpu->network_count);
    if (waiting)
        return end;
    return cycle_max(end, cycle_min(domain->first_wake, cycle_min(domain->first_run, domain->first_reply)));
}

/* Finds the SMs with room for a block, for the engine, which gives out blocks before the next window. An SM that has
 * done nothing has as much room as before. */
HOT static void note_room(struct gpu_domain *domain)
{
    uint64_t room = 0, may_end = 0, touched = domain->touched;
    for (uint64_t rest = touched; rest; rest &= rest - 1) {
        const struct sm *sm = domain->run->gpu->sms[domain->first_sm + mask_first(rest)];
        room |= sm_can_launch(sm) ? rest & -rest : 0;
        may_end |= sm_block_may_end(sm) ? rest & -rest : 0;
    }
    domain->outlook.room = (domain->outlook.room & ~touched) | room;
    domain->may_end = (domain->may_end & ~touched) | may_end;
    domain->outlook.block_may_end = domain->may_end != 0;
    domain->touched = 0;
}

HOT uint64_t gpu_next_cycle(const struct gpu *gpu, const struct gpu_outlook *o)
{
    if (o->next == o->end || o->room)
        return o->end;
    struct sim_clock clock = sim_clock_at(gpu->machine.gpu.network_mhz, gpu->machine.gpu.core_mhz, o->end);
    uint64_t tick = CYCLE_NEVER;
    for (unsigned i = 0; i < gpu->network_count && tick != clock.begun; i++)
        tick = cycle_min(tick, network_next(gpu_network_at(gpu, i), clock.begun));
    return cycle_min(o->next, sim_clock_core_cycle(&clock, tick));
}

HOT_INLINE void run_window(struct gpu_domain *domain, uint64_t from, uint64_t end)
{
    struct gpu *gpu = domain->run->gpu;
    if (!domain->outlook.idle)
        domain->outlook.busy_until = cycle_max(domain->outlook.busy_until, from);
    sim_clock_advance(&domain->network, from);
    uint64_t tick = domain->network.begun;
    contract(sim_clock_at(domain->network.mhz, domain->network.core_mhz, end).begun - tick <=
             network_lookahead(gpu->networks[GPU_REQUESTS]));
    for (uint64_t now = from; now < end; now++) {
        run_cycle(domain, now);
        if (domain->draining)
            note_busy(domain, now);
        else
            domain->outlook.idle = false;
    }
    uint64_t told = 0;
    for (uint32_t rest = domain->cores; rest; rest &= rest - 1)
        for (uint64_t t = tick; t < domain->network.begun; t++)
            told |= network_tick_core(gpu_network_at(gpu, mask_first(rest)), t);
    domain->outlook.told = (uint16_t)told;
    domain->outlook.end = end;
    domain->outlook.next = next_cycle(domain, end);
    if (!domain->draining)
        note_room(domain);
}

static void take_order(struct gpu_domain *domain, const struct gpu_window *window)
{
    domain->draining = window->draining;
    domain->horizon = window->horizon;
    if (window->starting)
        start_blocks(domain, window->from);
    if (domain->draining) {
        domain->outlook.room = 0;
        domain->outlook.block_may_end = false;
    }
}

HOT void gpu_domain_run(struct gpu_domain *domain, const struct gpu_window *window)
{
    take_order(domain, window);
    run_window(domain, window->from, window->end);
    *domain->report = domain->outlook;
}

HOT void gpu_domain_run_alone(struct gpu_domain *domain, const struct gpu_window *window, uint64_t length,
                              uint64_t until)
{
    const struct gpu_outlook *o = &domain->outlook;
    uint64_t from = window->from, end = window->end;
    take_order(domain, window);
    for (;;) {
        run_window(domain, from, end);
        if (o->faulted || o->idle || o->room || o->block_may_end || (o->told & ~BIT64(domain->number)))
            break;
        from = gpu_next_cycle(domain->run->gpu, o);
        if (from >= until)
            break;
        end = cycle_min((from | (length - 1)) + 1, until);
    }
    *domain->report = domain->outlook;
}

/* The first of `count` things that domain `number` has: they are shared as evenly as can be, neighbours together. */
static unsigned first_of(unsigned count, unsigned domains, unsigned number)
{
    return (count * number + domains - 1) / domains;
}

/* SMs are dealt to threads, and each thread's to its domains, in groups that share an instruction cache. Thread 0 ticks
 * the core of network 0: where that is work, it has fewer SMs. */
static unsigned groups_of_thread(const struct gpu *gpu, unsigned threads, unsigned thread, unsigned domains_each)
{
    unsigned groups = gpu_sm_groups(gpu), sharers = gpu->machine.sm.l1i_sharers;
    unsigned weight = threads > 1 ? (network_weight(gpu->networks[0]) + sharers / 2) / sharers : 0;
    unsigned fair = (groups + weight + threads - 1) / threads;
    unsigned own = fair > weight + domains_each ? fair - weight : domains_each;
    if (threads == 1 || own > groups)
        own = groups;
    if (thread == 0)
        return own;
    return first_of(groups - own, threads - 1, thread) - first_of(groups - own, threads - 1, thread - 1);
}

static unsigned groups_of_domain(const struct gpu *gpu, unsigned threads, unsigned domains, unsigned number)
{
    unsigned each = domains / threads, groups = groups_of_thread(gpu, threads, number % threads, each);
    return first_of(groups, each, number / threads + 1) - first_of(groups, each, number / threads);
}

static bool domains_fit(const struct gpu *gpu, unsigned threads, unsigned domains)
{
    const struct partition_params *p = &gpu->machine.memory.partition;
    bool fit = domains * (GPU_DOMAIN_SMS / p->slices_per_channel) >= p->channels;
    for (unsigned n = 0; n < threads; n++) /* a thread's first domain is its largest */
        fit &= groups_of_domain(gpu, threads, domains, n) * gpu->machine.sm.l1i_sharers <= GPU_DOMAIN_SMS;
    return fit;
}

/* A thread has several domains of so many SMs where others may take some when they have done their own, so many at
 * most; and one that is alone where windows are long: from one cycle of a window to the next the host's caches keep
 * what so many SMs look at. */
#define SMALL_SMS 16
#define HELP_DOMAINS 4
#define LONG_WINDOW 8

static unsigned domains_of_thread(const struct gpu_run *run, unsigned threads)
{
    unsigned each = run->gpu->machine.gpu.sms / (threads * SMALL_SMS), most = NETWORK_MAX_SIDES / threads;
    if (threads > 1)
        most = most < HELP_DOMAINS ? most : HELP_DOMAINS;
    else if (run->lookahead < LONG_WINDOW)
        return 1;
    each = each < most ? each : most;
    return each > 1 ? each : 1;
}

/* A multiple of the threads, of which none has more than GPU_DOMAIN_SMS SMs and slices. */
static unsigned count_domains(const struct gpu_run *run, unsigned threads)
{
    const struct gpu *gpu = run->gpu;
    unsigned domains = threads * domains_of_thread(run, threads);
    while (!domains_fit(gpu, threads, domains))
        domains += threads;
    return domains;
}

static void divide_network(const struct gpu *gpu, unsigned i, unsigned domains, const uint8_t *of_sm,
                           const uint8_t *of_slice)
{
    enum gpu_network_way way = gpu_network_way(gpu->network_at[i]);
    network_divide(gpu_network_at(gpu, i), domains, way == GPU_FROM_MEMORY ? of_slice : of_sm,
                   way == GPU_TO_MEMORY ? of_slice : of_sm);
}

void gpu_divide(struct gpu_run *run, unsigned threads)
{
    struct gpu *gpu = run->gpu;
    const unsigned domains = count_domains(run, threads);
    unsigned first = 0; /* SM of the next domain */
    unsigned channels = gpu->machine.memory.partition.channels;
    unsigned per = gpu->machine.memory.partition.slices_per_channel;
    uint8_t domain_of_sm[NETWORK_MAX_PORTS], domain_of_slice[NETWORK_MAX_PORTS];
    run->domain_count = domains;
    run->domains = ARENA_NEW(&run->arena, struct gpu_domain, domains);
    run->rest = ARENA_NEW(&run->arena, struct gpu_rest, 1);
    for (unsigned n = 0; n < domains; n++) {
        struct gpu_domain *domain = &run->domains[n];
        /* The first domain is that of the thread that gives out the work: the others begin later and are heard later,
         * so where things do not divide evenly the first domains have more. */
        *domain = (struct gpu_domain){.run = run, .number = n, .always = run->launch->every_cycle};
        domain->probing = gpu_probes(gpu);
        domain->clusters = gpu->networks[GPU_CLUSTER_REQUESTS] != NULL;
        domain->more = gpu->network_count > GPU_PLAIN_NETWORKS;
        domain->report = threads > 1 && n < threads ? worker_pool_report(gpu->workers, n) : &domain->outlook;
        domain->first_sm = first;
        first += groups_of_domain(gpu, threads, domains, n) * gpu->machine.sm.l1i_sharers;
        first = first < gpu->machine.gpu.sms ? first : gpu->machine.gpu.sms;
        domain->sms = first - domain->first_sm;
        domain->all_sms = mask_low(domain->sms);
        contract(domain->sms <= GPU_DOMAIN_SMS);
        domain->first_channel = first_of(channels, domains, n);
        domain->channels = first_of(channels, domains, n + 1) - domain->first_channel;
        domain->slices_per_channel = per;
        domain->channel_shift = mask_first(per);
        domain->first_slice = domain->first_channel * per;
        domain->holding = domain->all_sms;
        for (unsigned i = 0; i < domain->sms; i++)
            domain_of_sm[domain->first_sm + i] = (uint8_t)n;
        for (unsigned i = 0; i < domain->channels * per; i++)
            domain_of_slice[domain->first_channel * per + i] = (uint8_t)n;
    }
    for (unsigned i = 0; i < gpu->network_count; i++)
        divide_network(gpu, i, domains, domain_of_sm, domain_of_slice);
    gpu_wake_domains(run);
}

void gpu_wake_sms(struct gpu_run *run)
{
    for (unsigned n = 0; n < run->domain_count; n++) {
        run->domains[n].due = mask_low(run->domains[n].sms);
        run->domains[n].sleeping = 0;
    }
    gpu_rest_none(run);
}

void gpu_wake_domains(struct gpu_run *run)
{
    const struct gpu_params *p = &run->gpu->machine.gpu;
    uint64_t now = run->gpu->cycle;
    struct sim_clock dram = sim_clock_at(p->dram_mhz, p->core_mhz, now);
    for (unsigned n = 0; n < run->domain_count; n++) {
        struct gpu_domain *domain = &run->domains[n];
        domain->network = sim_clock_at(p->network_mhz, p->core_mhz, now);
        domain->due = domain->all_sms;
        domain->first_wake = CYCLE_NEVER;
        domain->first_run = domain->first_reply = now;
        domain->sleeping = domain->idle_sms = domain->replying = 0;
        domain->touched = domain->all_sms;
        domain->planned = domain->filled = mask_low(domain->channels);
        for (unsigned i = 0; i < domain->sms; i++)
            domain->idle_sms |= sm_idle(run->gpu->sms[domain->first_sm + i]) ? BIT64(i) : 0;
        for (unsigned i = 0; i < domain->channels; i++) {
            struct partition *partition = run->gpu->partitions[domain->first_channel + i];
            partition_start(partition, &dram);
            domain->run_at[i] = now;
            for (unsigned k = 0; k < domain->slices_per_channel; k++) {
                domain->outs[(i << domain->channel_shift) + k] = partition_out_of(partition, k);
                domain->reply_at[(i << domain->channel_shift) + k] = CYCLE_NEVER;
            }
            note_replies(domain, i, now);
        }
        note_room(domain);
        domain->outlook.block_may_end = true;
        *domain->report = domain->outlook;
    }
    gpu_rest_none(run);
}
