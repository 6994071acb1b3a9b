/* The check of a mesh: recomputes each field that follows from others, and compares. */
#include <stdlib.h>

#include "base/check.h"
#include "network/mesh.h"

/* Flits and credits that are between routers. */
struct between {
    uint32_t *flits, *credits; /* by lane */
    uint32_t all;
};

static void count_between(struct mesh *m, struct between *b, bool *has_flits)
{
    for (unsigned i = 0; i < MESH_SLOTS; i++) {
        const struct mesh_arrivals *a = &m->arrivals[i];
        for (uint32_t n = 0; n < a->flits; n++) {
            b->flits[a->flit[n].lane]++;
            has_flits[a->flit[n].packet] = true;
        }
        for (uint32_t n = 0; n < a->credits; n++)
            b->credits[a->credit[n]]++;
        b->all += a->flits + a->credits;
    }
}

static void check_lane(struct mesh *m, unsigned number, const struct between *b, struct check *c)
{
    struct mesh_lane *lane = &m->lane[number];
    check_holds(c, "mesh: a lane with flits has a target", number, !lane->count || lane->target != MESH_NONE);
    if (lane->target != MESH_NONE)
        check_holds(c, "mesh: a lane with a target has a packet", number,
                    lane->count || m->target[lane->target].owner == number);
    if (number >= m->link_lanes)
        return;
    struct mesh_target *t = &m->target[number];
    CHECK_FACT(c, "mesh.credits", number, t->credits, m->depth - lane->count - b->flits[number] - b->credits[number]);
    check_holds(c, "mesh: an owner's target is what it owns", number,
                t->owner == MESH_NONE || m->lane[t->owner].target == number);
}

/* The lanes that wait for a target, which all come from one router. */
static void check_waiting(struct mesh *m, unsigned number, struct check *c)
{
    unsigned node = mesh_router_before(m, number);
    for (uint64_t rest = m->target[number].waiting; rest; rest &= rest - 1) {
        const struct mesh_lane *lane = &m->lane[m->router[node].lanes[mask_first(rest)]];
        check_holds(c, "mesh: a lane waits for its target", number, lane->count && lane->target == number);
        check_holds(c, "mesh: a lane waits only while it must", number,
                    lane->target != number || mesh_must_wait(m, lane));
    }
}

/* The lanes with flits that do not wait ask for their ways out: `asking`, by router and way. */
static void find_asking(const struct mesh *m, uint64_t (*asking)[MESH_ROUTER_OUTS])
{
    for (unsigned i = 0; i < m->lanes; i++) {
        const struct mesh_lane *lane = &m->lane[i];
        if (lane->count && lane->target != MESH_NONE && !mask_has(m->target[lane->target].waiting, lane->number))
            asking[lane->node][lane->out] |= BIT64(lane->number);
    }
}

static void check_routers(struct mesh *m, struct check *c)
{
    uint64_t(*asking)[MESH_ROUTER_OUTS] = base_calloc(m->nodes, sizeof *asking);
    uint64_t asked[MESH_MAX_NODES / 64] = {0};
    find_asking(m, asking);
    for (unsigned node = 0; node < m->nodes; node++) {
        struct mesh_router *router = &m->router[node];
        uint64_t ways = 0;
        for (unsigned out = 0; out < router->outs; out++) {
            ways |= asking[node][out] ? BIT64(out) : 0;
            CHECK_FACT(c, "mesh.router.asking", 64 * node + out, router->asking[out], asking[node][out]);
        }
        CHECK_FACT(c, "mesh.router.ways", node, router->ways, ways);
        mask_put(&asked[node / 64], node % 64, ways != 0);
    }
    for (unsigned i = 0; i < MESH_MAX_NODES / 64; i++)
        CHECK_FACT(c, "mesh.asked", i, m->asked[i], asked[i]);
    free(asking);
}

void mesh_check(struct network_core *core, struct check *c)
{
    struct mesh *m = (struct mesh *)core;
    struct between b = {.flits = base_calloc(m->lanes, sizeof(uint32_t)),
                        .credits = base_calloc(m->link_lanes, sizeof(uint32_t))};
    bool *has_flits = base_calloc(m->packets, sizeof *has_flits);
    count_between(m, &b, has_flits);
    for (unsigned i = 0; i < m->lanes; i++) {
        const struct mesh_lane *lane = &m->lane[i];
        for (uint32_t n = 0; n < lane->count; n++)
            has_flits[mesh_flit(lane, n)] = true;
        check_lane(m, i, &b, c);
    }
    for (unsigned i = 0; i < m->link_lanes + core->gates->outputs; i++)
        if (m->target[i].waiting)
            check_waiting(m, i, c);
    check_routers(m, c);
    for (unsigned i = 0; i < m->packets; i++)
        check_holds(c, "mesh: flits are of packets that are there", i, m->packet[i].used || !has_flits[i]);
    CHECK_FACT(c, "mesh.under_way", 0, m->under_way, b.all);
    CHECK_FACT(c, "mesh.next", 0, core->next, mesh_find_next(m));
    free(b.flits);
    free(b.credits);
    free(has_flits);
}
