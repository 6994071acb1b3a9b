/* A mesh of routers with virtual channels and dimension-ordered (XY) routing, as in Dally and Towles, "Principles and
 * Practices of Interconnection Networks" (2004), chapters 8, 13 and 16. Routers lie in network.rows x network.columns,
 * each with links to its neighbours in both directions, and the network's inputs and outputs sit at routers as
 * network.sm_nodes and network.slice_nodes say.
 *
 * Time line of a packet's flit when nothing is in its way, with R router ticks and L link ticks; t is the first tick
 * after the packet was sent:
 *
 *     tick t          leaves the injection queue
 *          t+2        in a lane of its input's router
 *          t+2+R-1    crosses the router
 *          + R+L      crosses the next one; and so on for each link
 *          crossing of the last router + 2: in the ejection buffer
 *
 * A packet first goes along its row, then along its column. It keeps the virtual channel (sender + receiver) modulo
 * their number on its whole way: packets between two ports cannot overtake each other, and as no channel depends on
 * another one, XY routing has no deadlock. On a link, a channel's lane belongs to one packet from head to tail; the
 * link itself is given flit by flit. In a tick an input of a router passes one flit, and so does each way out; ways out
 * choose one after another, beginning with another one in each tick, and each takes the next lane, behind the one that
 * it served last, that has a flit for it, the target and a credit. A flit's place in a lane is free again for the
 * sender L+1 ticks after it has left. The meshes of several virtual networks may share their links: mesh_links.c. */
#include "network/mesh.h"

#include <assert.h>

#include "base/check.h"
#include "sim/cycle.h"

/* Routing */

/* The side of the router at which the way to a node goes on, or MESH_SIDES at that node. */
HOT_INLINE unsigned side_to(const struct mesh *m, unsigned node, unsigned to)
{
    if (m->column[node] != m->column[to])
        return m->column[node] < m->column[to] ? 1 : 3;
    if (m->row[node] != m->row[to])
        return m->row[node] < m->row[to] ? 2 : 0;
    return MESH_SIDES;
}

/* Looks up where a lane's next packet goes. */
HOT_INLINE void route(const struct mesh *m, struct mesh_lane *lane)
{
    unsigned output = m->packet[mesh_flit(lane, 0)].parcel.output;
    unsigned side = side_to(m, lane->node, m->node_of_output[output]);
    if (side == MESH_SIDES) {
        lane->target = mesh_output(m, output);
        lane->out = m->out_of_output[output];
        return;
    }
    lane->target = mesh_link_target(m, lane, side);
    lane->out = (uint8_t)side;
}

/* Lanes */

HOT static void put_flit(struct mesh *m, uint16_t number, uint16_t packet)
{
    struct mesh_lane *lane = &m->lane[number];
    contract(lane->count <= lane->mask);
    lane->flits[(lane->head + lane->count++) & lane->mask] = packet;
    if (lane->count > 1)
        return;
    if (lane->target == MESH_NONE)
        route(m, lane);
    mesh_ask(m, lane->node, lane->out, BIT64(lane->number));
}

HOT_INLINE void cease_to_ask(struct mesh *m, const struct mesh_lane *lane)
{
    struct mesh_router *router = &m->router[lane->node];
    router->asking[lane->out] &= ~BIT64(lane->number);
    if (router->asking[lane->out])
        return;
    router->ways &= ~BIT64(lane->out);
    if (!router->ways)
        m->asked[lane->node / 64] &= ~BIT64(lane->node % 64);
}

static struct mesh_lane *lane_of(const struct mesh *m, unsigned node, unsigned number)
{
    return &m->lane[m->router[node].lanes[number]];
}

/* A target has got a credit, or ceased to belong to a packet. If it has an owner, that one alone can go on. */
HOT static void end_waits(struct mesh *m, unsigned number)
{
    struct mesh_target *target = &m->target[number];
    uint64_t lanes = target->waiting;
    if (target->owner != MESH_NONE)
        lanes &= BIT64(m->lane[target->owner].number);
    if (!lanes)
        return;
    target->waiting &= ~lanes;
    unsigned node = mesh_router_before(m, number);
    mesh_ask(m, node, lane_of(m, node, mask_first(lanes))->out, lanes);
}

HOT_INLINE void take_credit(struct mesh *m, unsigned number)
{
    m->target[number].credits++;
    if (m->target[number].waiting)
        end_waits(m, number);
}

HOT_INLINE uint16_t take_flit(struct mesh *m, struct mesh_lane *lane)
{
    uint16_t packet = mesh_flit(lane, 0);
    lane->head = (lane->head + 1) & lane->mask;
    if (--lane->count == 0)
        cease_to_ask(m, lane);
    return packet;
}

HOT_INLINE void send_flit(struct mesh *m, uint16_t lane, uint16_t packet, unsigned ticks)
{
    struct mesh_arrivals *a = mesh_arrivals_at(m, m->tick + ticks);
    a->flit[a->flits++] = (struct mesh_arrival){.lane = lane, .packet = packet};
    m->under_way++;
}

/* Arrivals: from other routers, and from the network's inputs */

HOT_INLINE void take_arrivals(struct mesh *m)
{
    struct mesh_arrivals *a = mesh_arrivals_at(m, m->tick);
    for (uint32_t i = 0; i < a->credits; i++)
        take_credit(m, a->credit[i]);
    for (uint32_t i = 0; i < a->flits; i++)
        put_flit(m, a->flit[i].lane, a->flit[i].packet);
    m->under_way -= a->credits + a->flits;
    a->credits = a->flits = 0;
}

static uint16_t new_packet(struct mesh *m, unsigned input)
{
    uint16_t number = m->unused;
    struct mesh_packet *p = &m->packet[number];
    contract(number != MESH_NONE);
    m->unused = p->next;
    *p = (struct mesh_packet){.parcel = *network_take(m->core.gates, input), .next = MESH_NONE, .used = true};
    m->held++;
    return number;
}

HOT_INLINE void arrive(struct mesh *m, unsigned input)
{
    const unsigned wait = m->core.params->router_ticks - 1;
    if (m->arriving[input] == MESH_NONE) {
        if (m->unused == MESH_NONE)
            return; /* more than there can be: a checkpoint's */
        m->arriving[input] = new_packet(m, input);
        m->to_come[input] = m->packet[m->arriving[input]].parcel.flits;
    }
    uint16_t packet = m->arriving[input];
    uint16_t lane = mesh_input_lane(m, input, (input + m->packet[packet].parcel.output) % m->channels);
    if (--m->to_come[input] == 0)
        m->arriving[input] = MESH_NONE;
    if (wait)
        send_flit(m, lane, packet, wait);
    else
        put_flit(m, lane, packet);
}

HOT_INLINE void read_channels(struct mesh *m, const struct network_turn *turn)
{
    for (unsigned w = 0; w < m->core.gates->words; w++) {
        for (uint64_t rest = turn->credits.word[w]; rest; rest &= rest - 1)
            take_credit(m, mesh_output(m, 64 * w + mask_first(rest)));
        for (uint64_t rest = turn->flits.word[w]; rest; rest &= rest - 1)
            arrive(m, 64 * w + mask_first(rest));
    }
}

/* Routers */

HOT_INLINE void begin_packet(struct mesh *m, const struct mesh_lane *lane, uint16_t packet)
{
    const struct network_parcel *parcel = &m->packet[packet].parcel;
    struct mesh_target *target = &m->target[lane->target];
    target->owner = lane->index;
    target->left = parcel->flits;
    if (lane->target < m->link_lanes)
        return;
    network_put(m->core.gates, lane->target - m->link_lanes, parcel);
    m->held--;
}

HOT_INLINE void end_packet(struct mesh *m, struct mesh_lane *lane, uint16_t packet)
{
    struct mesh_packet *p = &m->packet[packet];
    struct mesh_target *target = &m->target[lane->target];
    target->owner = MESH_NONE;
    if (target->waiting && target->credits)
        end_waits(m, lane->target);
    if (lane->target >= m->link_lanes) {
        p->used = false;
        p->next = m->unused;
        m->unused = packet;
    }
    lane->target = MESH_NONE;
    if (!lane->count)
        return;
    cease_to_ask(m, lane);
    route(m, lane);
    mesh_ask(m, lane->node, lane->out, BIT64(lane->number));
}

/* The sender of what was in the lane gets its credit back. */
HOT_INLINE void free_place(struct mesh *m, const struct mesh_lane *lane, struct network_turn *turn)
{
    unsigned number = lane->index;
    if (number >= m->link_lanes) {
        unsigned input = mesh_input_of(m, number);
        turn->freed.word[input >> 6] |= port_bit(input);
        return;
    }
    struct mesh_arrivals *a = mesh_arrivals_at(m, m->tick + m->core.params->link_ticks + 1);
    a->credit[a->credits++] = (uint16_t)number;
    m->under_way++;
}

/* A lane's first flit crosses the router. */
HOT_INLINE void cross(struct mesh *m, struct mesh_lane *lane, struct network_turn *turn)
{
    const struct network_params *p = m->core.params;
    uint16_t to = lane->target, packet = take_flit(m, lane);
    struct mesh_target *target = &m->target[to];
    if (target->owner == MESH_NONE)
        begin_packet(m, lane, packet);
    target->credits--;
    if (to < m->link_lanes) {
        send_flit(m, to, packet, p->router_ticks + p->link_ticks);
    } else {
        unsigned output = to - m->link_lanes;
        turn->sent.word[output >> 6] |= port_bit(output);
    }
    if (--target->left == 0)
        end_packet(m, lane, packet);
    free_place(m, lane, turn);
}

/* True, and the lane waits: it cannot cross. */
HOT_INLINE bool begins_to_wait(struct mesh *m, const struct mesh_lane *lane)
{
    if (!mesh_must_wait(m, lane))
        return false;
    m->target[lane->target].waiting |= BIT64(lane->number);
    cease_to_ask(m, lane);
    return true;
}

HOT bool mesh_is_wanted(struct mesh *m, unsigned node, unsigned out)
{
    for (uint64_t rest = m->router[node].asking[out]; rest; rest &= rest - 1)
        if (!begins_to_wait(m, lane_of(m, node, mask_first(rest))))
            return true;
    return false;
}

/* network_vary: now and then the turn begins at a random lane, where there is a choice. */
NOT_INLINE void vary_turn(struct mesh *m, unsigned node, unsigned out, uint64_t lanes)
{
    uint64_t able = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        able |= begins_to_wait(m, lane_of(m, node, mask_first(rest))) ? 0 : rest & -rest;
    if ((able & (able - 1)) && random_below(&m->arbitration, 8) == 0)
        m->router[node].turns[out] = (uint8_t)((random_below(&m->arbitration, MESH_ROUTER_LANES) - 1) % 64);
}

/* network.oldest_first: of the lanes, that which need not wait and whose packet was sent first; of equal ones, the next
 * in turn. As a set; the others that need not wait have asked in vain. Lanes in turn share a way out evenly, but not
 * those who sent what is in them: where a packet to a hot spot meets others at n routers, it has one turn in two or
 * three to the power of n. */
NOT_INLINE uint64_t oldest_of(struct mesh *m, unsigned node, uint64_t lanes, uint64_t behind)
{
    const uint64_t in_turn[2] = {lanes & behind, lanes & ~behind};
    uint64_t oldest = 0;
    uint32_t sent = 0;
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t rest = in_turn[i]; rest; rest &= rest - 1) {
            const struct mesh_lane *lane = lane_of(m, node, mask_first(rest));
            uint32_t its = m->packet[mesh_flit(lane, 0)].parcel.sent;
            if (begins_to_wait(m, lane) || (oldest && (int32_t)(its - sent) >= 0))
                continue;
            oldest = rest & -rest;
            sent = its;
        }
    return oldest;
}

/* Of the lanes that ask for a way out, the next in turn that need not wait: its flit crosses. Returns the lanes that
 * have had their input's turn by that. */
HOT_INLINE uint64_t serve_way(struct mesh *m, unsigned node, unsigned out, uint64_t passed, struct network_turn *turn)
{
    struct mesh_router *router = &m->router[node];
    if (m->varies)
        vary_turn(m, node, out, router->asking[out] & ~passed);
    uint64_t lanes = router->asking[out] & ~passed;
    if (m->core.params->oldest_first && (lanes & (lanes - 1)))
        lanes = oldest_of(m, node, lanes, ~UINT64_C(1) << router->turns[out]);
    while (lanes) {
        uint64_t behind = lanes & (~UINT64_C(1) << router->turns[out]);
        unsigned number = mask_first(behind ? behind : lanes);
        struct mesh_lane *lane = lane_of(m, node, number);
        if (!begins_to_wait(m, lane)) {
            router->turns[out] = (uint8_t)number;
            cross(m, lane, turn);
            return lane->input;
        }
        lanes &= ~BIT64(number);
    }
    return 0;
}

HOT void mesh_tick_router(struct mesh *m, unsigned node, uint64_t ways, struct network_turn *turn)
{
    uint64_t passed = 0, later = ways & (~UINT64_C(0) << m->first_way[m->router[node].outs]);
    for (uint64_t rest = later; rest; rest &= rest - 1)
        passed |= serve_way(m, node, mask_first(rest), passed, turn);
    for (uint64_t rest = ways & ~later; rest; rest &= rest - 1)
        passed |= serve_way(m, node, mask_first(rest), passed, turn);
}

uint64_t mesh_find_next(const struct mesh *m)
{
    uint64_t some = m->under_way;
    for (unsigned w = 0; w < MESH_MAX_NODES / 64; w++)
        some |= m->asked[w];
    return some ? m->tick + 1 : CYCLE_NEVER;
}

HOT_INLINE void begin_tick(struct mesh *m, const struct network_turn *turn)
{
    m->tick = turn->tick;
    take_arrivals(m);
    read_channels(m, turn);
    for (uint64_t rest = m->ways_out; rest; rest &= rest - 1)
        m->first_way[mask_first(rest)] = (uint8_t)(m->tick % mask_first(rest));
}

HOT void mesh_begin_tick(struct mesh *m, const struct network_turn *turn)
{
    begin_tick(m, turn);
}

static void tick(struct network_core *core, struct network_turn *turn)
{
    struct mesh *m = (struct mesh *)core;
    begin_tick(m, turn);
    for (unsigned w = 0; w < MESH_MAX_NODES / 64; w++)
        for (uint64_t rest = m->asked[w]; rest; rest &= rest - 1)
            mesh_tick_router(m, 64 * w + mask_first(rest), m->router[64 * w + mask_first(rest)].ways, turn);
    core->next = mesh_find_next(m);
}

static bool is_empty(const struct network_core *core)
{
    return ((const struct mesh *)core)->held == 0;
}

static unsigned channel_ticks(const struct network_params *params)
{
    (void)params;
    return 2;
}

static unsigned distance(unsigned a, unsigned b)
{
    return a < b ? b - a : a - b;
}

static unsigned latency(const struct network_core *core, unsigned input, unsigned output)
{
    const struct mesh *m = (const struct mesh *)core;
    const struct network_params *p = core->params;
    unsigned from = m->node_of_input[input], to = m->node_of_output[output];
    unsigned links = distance(m->column[from], m->column[to]) + distance(m->row[from], m->row[to]);
    return 4 + p->router_ticks + links * (p->router_ticks + p->link_ticks);
}

/* Making */

/* Flits that the routers and the inputs of a mesh can hold, and a packet for each input of which none has come yet. */
static unsigned most_packets(const struct network_params *p, unsigned inputs)
{
    return p->rows * p->columns * MESH_SIDES * p->virtual_channels * p->router_flits + inputs * (p->router_flits + 1);
}

/* Where the ports sit. False: they cannot, for the reason in `refusal`. */
static bool place(const struct network_params *p, unsigned inputs, unsigned outputs, uint16_t *node_of_input,
                  uint16_t *node_of_output, struct network_refusal *refusal)
{
    unsigned nodes = p->rows * p->columns, at[MESH_MAX_NODES][2] = {{0}};
    *refusal = (struct network_refusal){"network.rows network.columns", "a mesh has 256 routers at most"};
    if (nodes > MESH_MAX_NODES)
        return false;
    *refusal = (struct network_refusal){"network.rows network.columns network.virtual_channels network.router_flits",
                                        "the buffers of a mesh hold 65,000 flits at most"};
    if (most_packets(p, inputs) >= MESH_NONE)
        return false;
    refusal->names = "network.sm_nodes network.slice_nodes network.rows network.columns";
    if (!mesh_place(p->sm_nodes, inputs, nodes, node_of_input, &refusal->why) ||
        !mesh_place(p->slice_nodes, outputs, nodes, node_of_output, &refusal->why))
        return false;
    *refusal = (struct network_refusal){
        "network.sm_nodes network.slice_nodes network.rows network.columns network.virtual_channels",
        "too many SMs or L2 slices sit at one router of the mesh, which has 64 buffers and 59 outputs at most"};
    for (unsigned i = 0; i < inputs; i++)
        if ((MESH_SIDES + ++at[node_of_input[i]][0]) * p->virtual_channels > MESH_ROUTER_LANES)
            return false;
    for (unsigned i = 0; i < outputs; i++)
        if (MESH_SIDES + ++at[node_of_output[i]][1] > MESH_ROUTER_OUTS)
            return false;
    return true;
}

static bool refuses(const struct network_params *p, unsigned inputs, unsigned outputs, struct network_refusal *refusal)
{
    uint16_t node_of_input[NETWORK_MAX_PORTS], node_of_output[NETWORK_MAX_PORTS];
    return !place(p, inputs, outputs, node_of_input, node_of_output, refusal);
}

static void make_lane(struct mesh *m, unsigned number, unsigned node, unsigned in_router, unsigned depth,
                      struct arena *arena)
{
    struct mesh_lane *lane = &m->lane[number];
    uint32_t size = power_from(depth);
    *lane = (struct mesh_lane){.flits = ARENA_NEW(arena, uint16_t, size),
                               .mask = size - 1,
                               .node = (uint16_t)node,
                               .number = (uint8_t)in_router,
                               .input = mask_low(m->channels) << (in_router - in_router % m->channels),
                               .channel = (uint8_t)(in_router % m->channels),
                               .index = (uint16_t)number,
                               .target = MESH_NONE};
    m->router[node].lanes[in_router] = (uint16_t)number;
}

static void make_lanes(struct mesh *m, const struct network_gates *g, struct arena *arena)
{
    unsigned in_router = MESH_SIDES * m->channels, inputs[MESH_MAX_NODES] = {0};
    for (unsigned i = 0; i < m->link_lanes; i++)
        make_lane(m, i, i / in_router, i % in_router, m->depth, arena);
    for (unsigned i = 0; i < g->inputs; i++) {
        unsigned node = m->node_of_input[i], place = inputs[node]++;
        for (unsigned c = 0; c < m->channels; c++)
            make_lane(m, mesh_input_lane(m, i, c), node, in_router + place * m->channels + c, g->input_credits, arena);
    }
}

static void make_targets(struct mesh *m, const struct network_gates *g)
{
    for (unsigned i = 0; i < m->nodes; i++)
        m->router[i].outs = MESH_SIDES;
    for (unsigned i = 0; i < m->link_lanes; i++)
        m->target[i] = (struct mesh_target){.owner = MESH_NONE, .credits = m->depth};
    for (unsigned i = 0; i < g->outputs; i++) {
        m->out_of_output[i] = m->router[m->node_of_output[i]].outs++;
        m->target[mesh_output(m, i)] = (struct mesh_target){.owner = MESH_NONE, .credits = g->output_credits};
    }
    for (unsigned i = 0; i < m->nodes; i++)
        m->ways_out |= BIT64(m->router[i].outs);
}

static struct network_core *create(const struct network_gates *g, const struct network_params *p, struct arena *arena)
{
    struct mesh *m = ARENA_NEW(arena, struct mesh, 1);
    struct network_refusal refusal;
    bool placed = place(p, g->inputs, g->outputs, m->node_of_input, m->node_of_output, &refusal);
    assert(placed); /* network_refuses was asked */
    (void)placed;
    m->columns = p->columns, m->nodes = p->columns * p->rows;
    for (unsigned i = 0; i < m->nodes; i++)
        m->column[i] = (uint8_t)(i % m->columns), m->row[i] = (uint8_t)(i / m->columns);
    m->channels = p->virtual_channels, m->depth = p->router_flits;
    m->link_lanes = m->nodes * MESH_SIDES * m->channels;
    m->lanes = m->link_lanes + g->inputs * m->channels;
    m->packets = most_packets(p, g->inputs);
    m->lane = ARENA_NEW(arena, struct mesh_lane, m->lanes);
    m->target = ARENA_NEW(arena, struct mesh_target, m->link_lanes + g->outputs);
    m->packet = ARENA_NEW(arena, struct mesh_packet, m->packets);
    m->router = ARENA_NEW(arena, struct mesh_router, m->nodes);
    make_lanes(m, g, arena);
    make_targets(m, g);
    for (unsigned i = 0; i < MESH_SLOTS; i++) {
        m->arrivals[i].flit = ARENA_NEW(arena, struct mesh_arrival, m->nodes * MESH_SIDES + g->inputs);
        m->arrivals[i].credit = ARENA_NEW(arena, uint16_t, m->nodes * MESH_SIDES);
    }
    return &m->core;
}

static void start(struct network_core *core)
{
    struct mesh *m = (struct mesh *)core;
    for (unsigned i = 0; i < m->packets; i++)
        m->packet[i].next = (uint16_t)(i + 1 < m->packets ? i + 1 : MESH_NONE);
    for (unsigned i = 0; i < core->gates->inputs; i++)
        m->arriving[i] = MESH_NONE;
    core->next = CYCLE_NEVER;
}

static void vary(struct network_core *core, struct random_stream stream)
{
    struct mesh *m = (struct mesh *)core;
    m->varies = true;
    m->arbitration = stream;
}

const struct network_core_kind network_core_mesh = {
    .name = "mesh",
    .weight = 16,
    .refuses = refuses,
    .channel_ticks = channel_ticks,
    .create = create,
    .start = start,
    .tick = tick,
    .share = mesh_share,
    .tick_together = mesh_tick_together,
    .is_empty = is_empty,
    .latency = latency,
    .vary = vary,
    .archive = mesh_archive,
    .check = mesh_check,
};
