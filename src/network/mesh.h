/* The state of a mesh, shared by the files of mesh*.c and by nobody else; mesh.c says what it models.
 *
 * A *lane* is a buffer for the flits of one virtual channel: a router has some for each neighbour (numbers first), and
 * each input of the network has some at its router. What a lane's flits go to next is a *target*: a lane of the next
 * router, which has the same number as target, or an output of the network.
 *
 * A lane with flits either *waits* for its target, as long as that has no credit or belongs to another lane's packet,
 * or *asks* for its way out. When its turn comes the router finds out whether it must wait. What ends the wait makes it
 * ask again. */
#ifndef LOCKSTEP_NETWORK_MESH_H
#define LOCKSTEP_NETWORK_MESH_H

#include "network/core.h"

#define MESH_SIDES 4         /* neighbours: north, east, south, west; the one opposite to side s is s ^ 2 */
#define MESH_MAX_NODES 256   /* routers */
#define MESH_ROUTER_LANES 64 /* lanes of a router */
#define MESH_ROUTER_OUTS 63  /* ways out of a router: to its neighbours, and outputs of the network */
#define MESH_SLOTS 32        /* ticks that a flit or credit can be under way between routers */
#define MESH_NONE UINT16_MAX

struct mesh_lane {
    uint16_t *flits;      /* a ring: of each flit, the packet that it belongs to */
    uint32_t head, count; /* head: its place modulo the ring's size */
    uint32_t mask;
    uint16_t node;   /* its router */
    uint8_t number;  /* among the router's lanes */
    uint8_t channel; /* virtual channel */
    uint8_t out;     /* of the packet whose flit comes next: which way out */
    uint16_t target; /* and its target; or MESH_NONE while there is no packet */
    uint16_t index;  /* among the mesh's lanes */
    uint64_t input;  /* the router's lanes that flits reach by the same link or from the same input, by number */
};

/* A packet owns its target from when its head goes there until its tail does. */
struct mesh_target {
    uint16_t owner; /* the lane from which the packet comes, or MESH_NONE */
    uint16_t left;  /* its flits that have not gone there */
    uint32_t credits;
    uint64_t waiting; /* lanes, all of the router before it, by number: those that wait for it */
};

struct mesh_packet {
    struct network_parcel parcel;
    uint16_t next; /* among the unused */
    bool used;
};

struct mesh_router {
    uint64_t ways;                     /* those out that some lane asks for */
    uint64_t asking[MESH_ROUTER_OUTS]; /* by way out: the lanes that ask for it, by number */
    uint16_t lanes[MESH_ROUTER_LANES]; /* by number */
    uint8_t outs;                      /* its ways out */
    uint8_t turns[MESH_ROUTER_OUTS];   /* by way out: the lane that was served last */
};

/* The flits that reach lanes in one tick, and the credits that reach targets. */
struct mesh_arrivals {
    uint32_t flits, credits;
    struct mesh_arrival {
        uint16_t lane, packet;
    } * flit;
    uint16_t *credit;
};

struct mesh;

/* The links that the meshes of several virtual networks share. They lie alike: a router has one number in all. */
struct mesh_links {
    struct mesh *mesh[NETWORK_MAX_SHARING];
    unsigned count;
    uint8_t turns[MESH_MAX_NODES][MESH_SIDES]; /* by router and side from which a link leads: the mesh that had it last
                                                  when several could use it */
};

struct mesh {
    struct network_core core;
    struct mesh_links *links; /* NULL: the links are its own */
    uint64_t tick;            /* the last one */
    unsigned columns, nodes, channels;
    unsigned depth;      /* flits that a lane between routers holds */
    unsigned link_lanes; /* lanes between routers; those of inputs are behind them */
    unsigned lanes;
    unsigned packets;   /* how many there can be */
    uint32_t held;      /* packets that have come and are not at their exits yet */
    uint32_t under_way; /* flits and credits between routers */
    bool varies;        /* network_vary */
    struct random_stream arbitration;
    uint8_t column[MESH_MAX_NODES], row[MESH_MAX_NODES]; /* of routers */
    uint64_t ways_out;                                   /* the numbers of ways out that routers have */
    uint8_t first_way[MESH_ROUTER_OUTS + 1];             /* by that number: which one chooses first in this tick */
    uint64_t asked[MESH_MAX_NODES / 64];                 /* routers with lanes that ask */
    uint16_t unused;                                     /* first packet that is not used */
    uint16_t arriving[NETWORK_MAX_PORTS]; /* by input: the packet of which flits are still to come, or MESH_NONE */
    uint16_t to_come[NETWORK_MAX_PORTS];  /* and how many */
    uint16_t node_of_input[NETWORK_MAX_PORTS], node_of_output[NETWORK_MAX_PORTS];
    uint8_t out_of_output[NETWORK_MAX_PORTS]; /* which way out of its router */
    struct mesh_lane *lane;
    struct mesh_target *target; /* lanes between routers, then outputs */
    struct mesh_packet *packet;
    struct mesh_router *router;
    struct mesh_arrivals arrivals[MESH_SLOTS]; /* by tick */
};

static inline unsigned mesh_neighbour(const struct mesh *m, unsigned node, unsigned side)
{
    const int step[MESH_SIDES] = {-(int)m->columns, 1, (int)m->columns, -1};
    return (unsigned)((int)node + step[side]);
}
/* The target of a lane's packet that goes on at a side of its router. */
static inline uint16_t mesh_link_target(const struct mesh *m, const struct mesh_lane *lane, unsigned side)
{
    unsigned next = mesh_neighbour(m, lane->node, side);
    return (uint16_t)((next * MESH_SIDES + (side ^ 2)) * m->channels + lane->channel);
}
/* Lane of a virtual channel of an input. */
static inline uint16_t mesh_input_lane(const struct mesh *m, unsigned input, unsigned channel)
{
    return (uint16_t)(m->link_lanes + input * m->channels + channel);
}
/* Target of an output. */
static inline uint16_t mesh_output(const struct mesh *m, unsigned output)
{
    return (uint16_t)(m->link_lanes + output);
}
/* The input whose lane it is. */
static inline unsigned mesh_input_of(const struct mesh *m, unsigned lane)
{
    return (lane - m->link_lanes) / m->channels;
}
static inline struct mesh_arrivals *mesh_arrivals_at(struct mesh *m, uint64_t tick)
{
    return &m->arrivals[tick % MESH_SLOTS];
}
/* The router before a target. */
static inline unsigned mesh_router_before(const struct mesh *m, unsigned target)
{
    if (target >= m->link_lanes)
        return m->node_of_output[target - m->link_lanes];
    return mesh_neighbour(m, m->lane[target].node, m->lane[target].number / m->channels);
}
/* The target has no credit for the lane, or belongs to another one's packet. */
static inline bool mesh_must_wait(const struct mesh *m, const struct mesh_lane *lane)
{
    const struct mesh_target *target = &m->target[lane->target];
    return !target->credits || (target->owner != MESH_NONE && target->owner != lane->index);
}
/* Lanes of a router ask for a way out. */
static inline void mesh_ask(struct mesh *m, unsigned node, unsigned out, uint64_t lanes)
{
    m->router[node].asking[out] |= lanes;
    m->router[node].ways |= BIT64(out);
    m->asked[node / 64] |= BIT64(node % 64);
}
/* A packet of a lane, by its place from the front. */
static inline uint16_t mesh_flit(const struct mesh_lane *lane, uint32_t place)
{
    return lane->flits[(lane->head + place) & lane->mask];
}

/* mesh_place.c: where the ports sit. Each text is a list of nodes as of network.sm_nodes; NULL and "spread" spread the
 * ports evenly. False, with the reason in `why`: they cannot sit so. */
bool mesh_place(const char *text, unsigned ports, unsigned nodes, uint16_t *node_of, const char **why);

/* mesh_links.c: meshes that share links. */
void mesh_share(struct network_core *const *cores, unsigned count, struct arena *arena);
void mesh_tick_together(struct network_core *const *cores, struct network_turn *turns, unsigned count);

/* mesh.c: the steps of a tick. First comes what the channels bring, and what has left other routers. */
void mesh_begin_tick(struct mesh *m, const struct network_turn *turn);
/* Then routers that lanes ask are ticked: of the ways out that are asked for, some, or all, serve a lane each, as far
 * as these can pass. */
void mesh_tick_router(struct mesh *m, unsigned node, uint64_t ways, struct network_turn *turn);
/* True: some lane that asks for the way out need not wait. */
bool mesh_is_wanted(struct mesh *m, unsigned node, unsigned out);
uint64_t mesh_find_next(const struct mesh *m);
/* mesh_archive.c */
void mesh_archive(struct network_core *core, struct archive *ar, const struct network_carrier *carrier);
/* mesh_check.c */
void mesh_check(struct network_core *core, struct check *check);

#endif
