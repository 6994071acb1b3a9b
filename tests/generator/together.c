/* What threads do together: votes, shuffles and their kin for the lanes of a mask, barriers of a block and of the grid.
 */
#include "generate.h"

static const char *shuffled_type(enum type t)
{
    return t == S32 || t == U64 || t == S64 || t == F32 || t == F64 ? type_name(t) : "u32";
}

/* Does every lane of the warp exist, and stand here? */
static bool whole_warp(const struct generator *g, struct place p)
{
    return p.level >= WARP && g->threads % 32 == 0;
}

static void shuffle(struct generator *g, struct place p, const struct variable *v)
{
    static const char *const modes[] = {"up", "down", "xor"};
    const char *t = shuffled_type(v->type), *name = type_name(v->type);
    const char *e = text(g, "(%s)(%s)", t, expression(g, v->type, 1, LANE));
    if (v->type == F32 || v->type == F64) /* the bits of a NaN are no matter, nor may they travel */
        e = text(g, "number(%s)", e);
    if (whole_warp(g, p) && chance(g, 50)) {
        unsigned width = 8u << draw(g, 3);
        line(g, "%s = (%s)shuffle_%s(%s, %s, %uu, %u);", v->name, name, modes[draw(g, 3)], p.mask, e, draw(g, width),
             width);
    } else if (whole_warp(g, p) && chance(g, 30)) {
        line(g, "%s = (%s)shuffle(%s, %s, %s, %u);", v->name, name, p.mask, e, expression(g, U32, 1, LANE),
             4u << draw(g, 3));
    } else {
        line(g, "%s = (%s)shuffle(%s, %s, member(%s, %s), 32);", v->name, name, p.mask, e, p.mask,
             expression(g, U32, 1, LANE));
    }
}

static void match(struct generator *g, struct place p, const struct variable *v)
{
    static const enum type matched[] = {U32, S32, U64, S64};
    enum type t = matched[draw(g, 4)];
    const char *e = text(g, "(%s)(%s & 3)", type_name(t), expression(g, t, 2, LANE));
    if (chance(g, 60)) {
        line(g, "%s = (%s)matching(%s, %s);", v->name, type_name(v->type), p.mask, e);
        return;
    }
    unsigned n = fresh(g);
    block_begin(g, "%s", "");
    line(g, "int all%u;", n);
    line(g, "const u32 same%u = matching_all(%s, %s, &all%u);", n, p.mask, e, n);
    line(g, "%s = (%s)(same%u + (u32)all%u);", v->name, type_name(v->type), n, n);
    block_end(g);
}

static const char *vote(struct generator *g, struct place p)
{
    static const char *const of_bits[] = {"and", "or", "xor"}, *const of_numbers[] = {"add", "min", "max"};
    const char *c = condition(g, 2, LANE);
    switch (draw(g, 5)) {
    case 0:
        return text(g, "(u32)any_of(%s, %s)", p.mask, c);
    case 1:
        return text(g, "(u32)all_of(%s, %s)", p.mask, c);
    case 2:
        return text(g, "reduce_%s(%s, %s)", of_bits[draw(g, 3)], p.mask, expression(g, U32, 2, LANE));
    case 3: {
        enum type t = chance(g, 50) ? U32 : S32;
        return text(g, "(u32)reduce_%s(%s, %s)", of_numbers[draw(g, 3)], p.mask, expression(g, t, 2, LANE));
    }
    default:
        return text(g, "ballot(%s, %s)", p.mask, c);
    }
}

/* A word of each lane, which another one reads behind a barrier of the lanes. */
static void exchange_in_warp(struct generator *g, struct place p, const struct variable *v)
{
    line(g, "s->box[tid()] = %s;", expression(g, U32, 2, LANE));
    line(g, "sync_warp(%s);", p.mask);
    line(g, "%s = (%s)s->box[(tid() & ~31u) + member(%s, %s)];", v->name, type_name(v->type), p.mask,
         expression(g, U32, 1, LANE));
    line(g, "sync_warp(%s);", p.mask);
}

static void tile(struct generator *g, const struct variable *v)
{
    static const unsigned sizes[] = {1, 2, 4, 8, 16, 32};
    unsigned size = sizes[draw(g, 6)];
    const char *e = expression(g, U32, 2, LANE), *t = type_name(v->type);
    switch (draw(g, 4)) {
    case 0:
        line(g, "%s = (%s)tile_shuffle<%u, u32>(%s, %s);", v->name, t, size, e, expression(g, U32, 1, LANE));
        break;
    case 1:
        line(g, "%s = (%s)tile_ballot<%u>(%s);", v->name, t, size, condition(g, 1, LANE));
        break;
    case 2:
        line(g, "%s = (%s)tile_sum<%u>(%s);", v->name, t, size, e);
        break;
    default: /* tiles go different ways, each as a whole */
        block_begin(g, "if (tid() / %u & 1)", size);
        line(g, "%s = (%s)tile_shuffle<%u, u32>(%s, %s);", v->name, t, size, e, expression(g, U32, 1, LANE));
        g->indent--;
        line(g, "} else {");
        g->indent++;
        line(g, "%s = (%s)tile_ballot<%u>(%s);", v->name, t, size, condition(g, 1, LANE));
        line(g, "tile_sync<%u>();", size);
        block_end(g);
    }
}

void together_lanes(struct generator *g, struct place p)
{
    const struct variable *v = target(g, LANE), *same = p.level >= WARP ? target(g, WARP) : NULL;
    uint32_t lot = draw(g, 100);
    if (same && lot < 30)
        line(g, "%s = (%s)(%s);", same->name, type_name(same->type), vote(g, p));
    else if (lot < 40)
        line(g, "%s = (%s)(%s);", v->name, type_name(v->type), vote(g, p));
    else if (lot < 65)
        shuffle(g, p, v);
    else if (lot < 78)
        match(g, p, v);
    else if (lot < 90 && g->groups && whole_warp(g, p))
        tile(g, v);
    else
        exchange_in_warp(g, p, v);
}

/* Groups of warps meet at barriers of their own. */
static void named_barriers(struct generator *g, const struct variable *v)
{
    unsigned size = g->threads % 64 == 0 && chance(g, 60) ? 64 : 32;
    if (g->threads % size) {
        line(g, "sync();");
        return;
    }
    line(g, "s->box[tid()] = %s;", expression(g, U32, 2, LANE));
    if (g->threads > size && chance(g, 50)) { /* some only arrive */
        block_begin(g, "if (tid() < %u)", size);
        line(g, "arrive_named(9, %u);", g->threads);
        g->indent--;
        line(g, "} else {");
        g->indent++;
        line(g, "sync_named(9, %u);", g->threads);
        line(g, "%s = (%s)s->box[(tid() + %u) %% %u];", v->name, type_name(v->type), draw(g, 64), size);
        block_end(g);
    } else {
        line(g, "sync_named(1 + tid() / %u, %u);", size, size);
        line(g, "%s = (%s)s->box[tid() / %u * %u + (tid() + %u) %% %u];", v->name, type_name(v->type), size, size,
             draw(g, 64), size);
    }
    line(g, "sync();");
}

/* The barrier in the middle of an exchange. */
static void middle(struct generator *g)
{
    static const char *const kinds[] = {"count", "and", "or"};
    const struct variable *same = target(g, BLOCK);
    if (same && chance(g, 40))
        line(g, "%s = (%s)sync_%s(%s);", same->name, type_name(same->type), kinds[draw(g, 3)], condition(g, 2, LANE));
    else
        line(g, "sync();");
}

/* Words come to shared memory by copies beside the warp, and leave it so. */
static void copied(struct generator *g, const struct variable *v, unsigned shift)
{
    const char *t = type_name(v->type);
    line(g, "g->box[gid()] = %s;", expression(g, U32, 2, LANE));
    if (chance(g, 40)) {
        line(g, "sync();");
        line(g, "%s = (%s)%s<%u>(s, &g->box[bid() * MOST_THREADS], %u, %u, %u);", v->name, t,
             chance(g, 50) ? "ring_groups" : "ring_bulk", 2 + draw(g, 3), 1 + draw(g, 9), draw(g, 16), shift);
        return;
    }
    if (chance(g, 40)) {
        line(g, "sync();");
        line(g, "bring_word(s, &g->box[bid() * MOST_THREADS + (tid() + %u) %% threads()], %s);", shift,
             chance(g, 50) ? "true" : "false");
    } else {
        line(g, "bring_row(s, &g->box[bid() * MOST_THREADS]);");
    }
    line(g, "%s = (%s)s->room[(tid() + %u) %% threads()];", v->name, t, draw(g, 128));
    if (chance(g, 50))
        return;
    line(g, "sync();");
    line(g, "s->room[tid()] ^= %s;", expression(g, U32, 2, LANE));
    line(g, "take_row(&g->box[bid() * MOST_THREADS], s, %s);", chance(g, 40) ? "true" : "false");
    line(g, "%s += (%s)g->box[bid() * MOST_THREADS + (tid() + %u) %% threads()];", v->name,
         v->type == F32 || v->type == F64 ? "s16" : t, shift);
}

void together_block(struct generator *g, struct place p)
{
    static const char *const read[] = {"add",   "min",   "any",  "parity",   "up",      "ticket_sum",
                                       "least", "added", "wide", "wide_max", "product", "wide_sum"};
    const struct variable *v = target(g, LANE);
    const char *t = type_name(v->type);
    unsigned shift = draw(g, 128);
    (void)p;
    switch (draw(g, 8)) {
    case 0:
        named_barriers(g, v);
        return;
    case 6:
        line(g, "s->box[tid()] = %s;", expression(g, U32, 2, LANE));
        line(g, g->threads % 32 == 0 && chance(g, 50) ? "meet_named(s);" : "meet(s);");
        line(g, "%s = (%s)s->box[(tid() + %u) %% threads()];", v->name, t, shift);
        break;
    case 7:
        copied(g, v, shift);
        break;
    case 1:
        line(g, "g->box[gid()] = %s;", expression(g, U32, 2, LANE));
        middle(g);
        line(g, "%s = (%s)g->box[bid() * MOST_THREADS + (tid() + %u) %% threads()];", v->name, t, shift);
        break;
    case 2:
        line(g, "s->wide_box[tid()] = %s;", expression(g, U64, 2, LANE));
        line(g, "s->bytes[tid()] = %s;", expression(g, U8, 2, LANE));
        middle(g);
        line(g, "%s = (%s)(s->wide_box[(tid() + %u) %% threads()] + s->bytes[tid() ^ 1 & -(tid() + 1 < threads())]);",
             v->name, t, shift);
        break;
    case 3: /* what atomics have left so far */
        line(g, "sync();");
        line(g, "%s = (%s)%s.%s;", v->name, t, chance(g, 50) ? "s->counters" : "g->blocks[bid()].counters",
             read[draw(g, 12)]);
        break;
    default:
        line(g, "s->box[tid()] = %s;", expression(g, U32, 2, LANE));
        middle(g);
        line(g, "%s = (%s)s->box[(tid() + %u) %% threads()];", v->name, t, shift);
        break;
    }
    line(g, "sync();");
}

static void barrier_of_grid(struct generator *g)
{
    if (chance(g, 50)) {
        line(g, "sync_grid();");
        return;
    }
    line(g, "rounds += %u;", g->blocks);
    line(g, "sync_blocks(&g->arrived, rounds);");
}

/* Blocks of a cluster use each other's shared memory, between two of its barriers. */
static void far_block(struct generator *g, const struct variable *v)
{
    static const char *const counters[] = {"add", "max", "parity"}, *const operations[] = {"add", "max", "xor"};
    const char *t = type_name(v->type), *e = expression(g, U32, 2, LANE);
    unsigned shift = draw(g, 128), which = draw(g, 3);
    switch (draw(g, 9)) {
    case 0:
        line(g, "s->box[tid()] = %s;", e);
        line(g, chance(g, 50) ? "sync_cluster();" : "meet_far(s);");
        line(g, "%s = (%s)far_read(&s->box[(tid() + %u) %% threads()]);", v->name, t, shift);
        break;
    case 1:
        line(g, "sync_cluster();");
        line(g, "far_%s(&s->counters.%s, %s);", operations[which], counters[which], e);
        break;
    case 2:
        line(g, "sync_cluster();");
        line(g, "far_write(&s->box[tid()], %s);", e);
        line(g, "sync_cluster();");
        line(g, "%s = (%s)s->box[(tid() + %u) %% threads()];", v->name, t, shift);
        break;
    case 3:
        line(g, "send_word(s, %s);", e);
        line(g, "%s = (%s)s->room[(tid() + %u) %% threads()];", v->name, t, shift);
        break;
    case 4:
        line(g, "g->box[gid()] = %s;", e);
        line(g, "cast_row(s, &g->box[bid() * MOST_THREADS], %u, %u);", which, shift % 2);
        line(g, "%s = (%s)s->ring[%u][(tid() + %u) %% threads()];", v->name, t, which, shift);
        break;
    case 5:
        line(g, "add_word(s, %s, %u);", e, 1 + which * 7);
        line(g, "%s = (%s)s->room[(tid() + %u) %% threads()];", v->name, t, shift);
        break;
    case 6:
        line(g, "add_room(s, %u);", which);
        line(g, "%s = (%s)s->ring[%u][(tid() + %u) %% threads()];", v->name, t, which, shift);
        break;
    default:
        line(g, "send_room(s, %u);", which);
        line(g, "%s = (%s)s->ring[%u][(tid() + %u) %% threads()];", v->name, t, which, shift);
        break;
    }
    line(g, "sync_cluster();");
}

void together_grid(struct generator *g, struct place p)
{
    const struct variable *v = target(g, LANE);
    if (g->forms & FORM_CLUSTER && chance(g, 75)) {
        far_block(g, v);
        return;
    }
    (void)p;
    const char *other = text(g, "[(bid() + 1) %% %u * MOST_THREADS + tid()]", g->blocks);
    if (chance(g, 50)) {
        line(g, "g->box[gid()] = %s;", expression(g, U32, 2, LANE));
        barrier_of_grid(g);
        line(g, "%s = (%s)g->box%s;", v->name, type_name(v->type), other);
    } else {
        line(g, "g->real_box[gid()] = number(%s);", expression(g, F64, 2, LANE));
        barrier_of_grid(g);
        line(g, "%s += (%s)bits64(g->real_box%s);", v->name,
             v->type == F32 || v->type == F64 ? "s16" : type_name(v->type), other);
    }
    barrier_of_grid(g);
}
