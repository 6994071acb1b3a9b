/* A mesh in a checkpoint. What is read is not trusted: whatever it is, the mesh can be ticked, or the load fails. */
#include <stdlib.h>

#include "base/archive.h"
#include "network/mesh.h"

static void archive_packet_number(struct mesh *m, struct archive *ar, uint16_t *number)
{
    archive_u16_to(ar, number, (uint16_t)(m->packets - 1));
    if (archive_loading(ar) && !archive_failed(ar) && !m->packet[*number].used)
        archive_fail(ar, "a flit in the network of a packet that is not there");
}

/* A number below `end`, or MESH_NONE. */
static void archive_or_none(struct archive *ar, uint16_t *number, uint32_t end)
{
    uint32_t value = *number == MESH_NONE ? UINT32_MAX : *number;
    archive_place(ar, &value, end);
    *number = (uint16_t)value;
}

static void archive_packets(struct mesh *m, struct archive *ar, const struct network_carrier *carrier)
{
    if (archive_loading(ar))
        m->unused = MESH_NONE;
    for (unsigned i = m->packets; i-- && !archive_failed(ar);) {
        struct mesh_packet *p = &m->packet[i];
        archive_bool(ar, &p->used);
        if (p->used) {
            network_archive_parcel(m->core.gates, ar, carrier, &p->parcel);
        } else if (archive_loading(ar)) {
            p->next = m->unused;
            m->unused = (uint16_t)i;
        }
    }
}

/* A lane's target is behind its way out. */
static bool leads_there(const struct mesh *m, const struct mesh_lane *lane)
{
    if (lane->out >= MESH_SIDES)
        return lane->target >= m->link_lanes && m->out_of_output[lane->target - m->link_lanes] == lane->out &&
               m->node_of_output[lane->target - m->link_lanes] == lane->node;
    unsigned column = m->column[lane->node], row = m->row[lane->node];
    const bool edge[MESH_SIDES] = {row == 0, column + 1 == m->columns, row + 1 == m->nodes / m->columns, column == 0};
    return !edge[lane->out] && lane->target == mesh_link_target(m, lane, lane->out);
}

static void archive_lane(struct mesh *m, struct archive *ar, struct mesh_lane *lane)
{
    uint32_t targets = m->link_lanes + m->core.gates->outputs;
    if (archive_loading(ar))
        lane->head = 0;
    archive_u32_to(ar, &lane->count, lane->mask + 1);
    for (uint32_t i = 0; i < lane->count && !archive_failed(ar); i++)
        archive_packet_number(m, ar, &lane->flits[(lane->head + i) & lane->mask]);
    archive_or_none(ar, &lane->target, targets);
    archive_u8_to(ar, &lane->out, MESH_ROUTER_OUTS - 1);
    if (!archive_loading(ar) || archive_failed(ar))
        return;
    if (lane->target == MESH_NONE ? lane->count : !leads_there(m, lane))
        archive_fail(ar, "a flit in the network that goes nowhere");
    else if (lane->count)
        mesh_ask(m, lane->node, lane->out, BIT64(lane->number)); /* should it wait, its router will find out */
}

static void archive_target(struct mesh *m, struct archive *ar, uint16_t number)
{
    struct mesh_target *t = &m->target[number];
    archive_or_none(ar, &t->owner, m->lanes);
    ARCHIVE(ar, t->left);
    archive_u32_to(ar, &t->credits, number < m->link_lanes ? m->depth : m->core.gates->output_credits);
    if (t->owner != MESH_NONE && (m->lane[t->owner].target != number || !t->left))
        archive_fail(ar, "a packet in the network that goes two ways");
}

/* In the order of the ticks at which they arrive. */
static void archive_arrivals(struct mesh *m, struct archive *ar)
{
    for (unsigned i = 0; i < MESH_SLOTS; i++) {
        struct mesh_arrivals *a = mesh_arrivals_at(m, m->tick + 1 + i);
        archive_u32_to(ar, &a->flits, m->nodes * MESH_SIDES + m->core.gates->inputs);
        archive_u32_to(ar, &a->credits, m->nodes * MESH_SIDES);
        for (uint32_t n = 0; n < a->flits && !archive_failed(ar); n++) {
            archive_u16_to(ar, &a->flit[n].lane, (uint16_t)(m->lanes - 1));
            archive_packet_number(m, ar, &a->flit[n].packet);
        }
        for (uint32_t n = 0; n < a->credits && !archive_failed(ar); n++)
            archive_u16_to(ar, &a->credit[n], (uint16_t)(m->link_lanes - 1));
        m->under_way += archive_loading(ar) ? a->flits + a->credits : 0;
    }
}

/* More flits and credits for a lane than it has places, and the lane could not take them. */
static void check_places(struct mesh *m, struct archive *ar)
{
    uint32_t *places = base_calloc(m->lanes, sizeof *places);
    for (unsigned i = 0; i < m->lanes; i++)
        places[i] = m->lane[i].count + (i < m->link_lanes ? m->target[i].credits : 0);
    for (unsigned i = 0; i < MESH_SLOTS; i++) {
        for (uint32_t n = 0; n < m->arrivals[i].flits; n++)
            places[m->arrivals[i].flit[n].lane]++;
        for (uint32_t n = 0; n < m->arrivals[i].credits; n++)
            places[m->arrivals[i].credit[n]]++;
    }
    for (unsigned i = 0; i < m->lanes; i++)
        if (i < m->link_lanes ? places[i] != m->depth : places[i] > m->lane[i].mask + 1)
            archive_fail(ar, "a buffer in the network with more or fewer places than it has");
    free(places);
}

/* Whose turn it is at shared links: once for all meshes, with the first. */
static void archive_links(struct mesh_links *links, unsigned nodes, struct archive *ar)
{
    for (unsigned node = 0; node < nodes; node++)
        for (unsigned side = 0; side < MESH_SIDES; side++)
            archive_u8_to(ar, &links->turns[node][side], (uint8_t)(links->count - 1));
}

void mesh_archive(struct network_core *core, struct archive *ar, const struct network_carrier *carrier)
{
    struct mesh *m = (struct mesh *)core;
    const struct network_gates *g = core->gates;
    ARCHIVE(ar, m->tick);
    ARCHIVE(ar, m->held);
    ARCHIVE(ar, m->arbitration.drawn);
    archive_packets(m, ar, carrier);
    if (archive_loading(ar)) {
        m->under_way = 0;
        for (unsigned i = 0; i < MESH_MAX_NODES / 64; i++)
            m->asked[i] = 0;
        for (unsigned i = 0; i < m->nodes; i++) {
            m->router[i].ways = 0;
            for (unsigned out = 0; out < MESH_ROUTER_OUTS; out++)
                m->router[i].asking[out] = 0;
        }
        for (unsigned i = 0; i < m->link_lanes + g->outputs; i++)
            m->target[i].waiting = 0;
    }
    for (unsigned i = 0; i < m->lanes && !archive_failed(ar); i++)
        archive_lane(m, ar, &m->lane[i]);
    for (unsigned i = 0; i < m->link_lanes + g->outputs && !archive_failed(ar); i++)
        archive_target(m, ar, (uint16_t)i);
    for (unsigned i = 0; i < m->nodes; i++)
        for (unsigned out = 0; out < m->router[i].outs; out++)
            archive_u8_to(ar, &m->router[i].turns[out], MESH_ROUTER_LANES - 1);
    for (unsigned i = 0; i < g->inputs; i++) {
        archive_or_none(ar, &m->arriving[i], m->packets);
        if (m->arriving[i] != MESH_NONE && !m->packet[m->arriving[i]].used)
            archive_fail(ar, "a packet that comes into the network and is not there");
        ARCHIVE(ar, m->to_come[i]);
    }
    archive_arrivals(m, ar);
    if (m->links && m->links->mesh[0] == m)
        archive_links(m->links, m->nodes, ar);
    if (archive_loading(ar) && !archive_failed(ar))
        check_places(m, ar);
    core->next = mesh_find_next(m);
}
