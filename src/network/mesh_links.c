/* Meshes of several virtual networks that share the links between their routers. Each network keeps its own lanes,
 * credits, and ways in and out at its ports, as if it were alone; but a link passes one flit a tick of all of them.
 * Where several networks have a flit for a link, the target and a credit, the next one behind that which had it last in
 * such a tick has it now, and gives it to one of its lanes as always. So a network whose lanes are full, or that has
 * nothing to send, takes nothing from the others; and one that meets no other is as if it were alone.
 *
 * In a tick all meshes first take what arrives; then router after router chooses, for all of them. */
#include "base/check.h"
#include "base/hot.h"
#include "network/mesh.h"

void mesh_share(struct network_core *const *cores, unsigned count, struct arena *arena)
{
    struct mesh_links *links = ARENA_NEW(arena, struct mesh_links, 1);
    links->count = count;
    for (unsigned i = 0; i < count; i++) {
        struct mesh *m = links->mesh[i] = (struct mesh *)cores[i];
        contract(m->nodes == links->mesh[0]->nodes && m->columns == links->mesh[0]->columns);
        m->links = links;
    }
}

/* A link that several meshes could use: it is taken from the ways of all but one. network_vary: now and then the turn
 * begins at a random mesh. */
static void give_link(struct mesh_links *links, unsigned node, unsigned side, uint64_t ways[NETWORK_MAX_SHARING])
{
    struct mesh *first = links->mesh[0];
    unsigned turn = links->turns[node][side];
    if (first->varies && random_below(&first->arbitration, 8) == 0)
        turn = random_below(&first->arbitration, links->count);
    do
        turn = turn + 1 < links->count ? turn + 1 : 0;
    while (!mask_has(ways[turn], side));
    links->turns[node][side] = (uint8_t)turn;
    for (unsigned i = 0; i < links->count; i++)
        ways[i] &= i == turn ? ~UINT64_C(0) : ~BIT64(side);
}

/* A link that lanes of several meshes ask for: it goes to one of those that could use it. */
static void settle_link(struct mesh_links *links, unsigned node, unsigned side, uint64_t ways[NETWORK_MAX_SHARING])
{
    unsigned wanting = 0;
    for (unsigned i = 0; i < links->count; i++) {
        if (!mask_has(ways[i], side))
            continue;
        if (mesh_is_wanted(links->mesh[i], node, side))
            wanting++;
        else
            ways[i] &= ~BIT64(side);
    }
    if (wanting > 1)
        give_link(links, node, side, ways);
}

/* A router that lanes of several meshes ask. */
static void tick_shared_router(struct mesh_links *links, unsigned node, struct network_turn *turns)
{
    uint64_t ways[NETWORK_MAX_SHARING], some = 0, several = 0;
    for (unsigned i = 0; i < links->count; i++) {
        ways[i] = links->mesh[i]->router[node].ways;
        several |= some & ways[i];
        some |= ways[i];
    }
    for (uint64_t rest = several & mask_low(MESH_SIDES); rest; rest &= rest - 1)
        settle_link(links, node, mask_first(rest), ways);
    for (unsigned i = 0; i < links->count; i++)
        if (ways[i])
            mesh_tick_router(links->mesh[i], node, ways[i], &turns[i]);
}

/* The routers of a word. What one does, the others see in later ticks, so that those that lanes of one mesh alone ask
 * may come first. */
static void tick_routers(struct mesh_links *links, unsigned word, struct network_turn *turns)
{
    uint64_t some = 0, several = 0;
    for (unsigned i = 0; i < links->count; i++) {
        several |= some & links->mesh[i]->asked[word];
        some |= links->mesh[i]->asked[word];
    }
    for (unsigned i = 0; i < links->count; i++)
        for (uint64_t rest = links->mesh[i]->asked[word] & ~several; rest; rest &= rest - 1) {
            unsigned node = 64 * word + mask_first(rest);
            mesh_tick_router(links->mesh[i], node, links->mesh[i]->router[node].ways, &turns[i]);
        }
    for (uint64_t rest = several; rest; rest &= rest - 1)
        tick_shared_router(links, 64 * word + mask_first(rest), turns);
}

HOT void mesh_tick_together(struct network_core *const *cores, struct network_turn *turns, unsigned count)
{
    struct mesh_links *links = ((struct mesh *)cores[0])->links;
    for (unsigned i = 0; i < count; i++)
        mesh_begin_tick(links->mesh[i], &turns[i]);
    for (unsigned w = 0; w < MESH_MAX_NODES / 64; w++)
        tick_routers(links, w, turns);
    for (unsigned i = 0; i < count; i++)
        cores[i]->next = mesh_find_next(links->mesh[i]);
}
