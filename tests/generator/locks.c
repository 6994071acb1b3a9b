/* Atomics whose final result does not depend on their order, and critical sections that commute.
 *
 * Locks have a rank, and a thread that has one takes only those of a higher rank: 0 to 3 lock instructions, spin locks,
 * ticket locks and semaphores, 4 and 5 lock instructions and spin locks of class 1. So no threads wait for each other
 * in a circle, and where lanes of a warp have locks of one rank, none of them waits for another one's. */
#include <string.h>

#include "generate.h"

enum { RANK_LOCK, RANK_SPIN, RANK_TICKET, RANK_SEMAPHORE, RANK_INNER_LOCK, RANK_INNER_SPIN, RANKS };

/* Memory of the grid, of a block in global memory, and shared memory, with the scopes that do for it. */
static const struct {
    const char *name, *suffix;
} memories[] = {
    {"g->", "_"}, {"g->", "_"},      {"g->blocks[bid()].", "_"}, {"g->blocks[bid()].", "_block"},
    {"s->", "_"}, {"s->", "_block"},
};

static void plain_atomic(struct generator *g, const char *c, const char *f)
{
    static const struct {
        const char *operation, *counter;
        enum type type;
    } kinds[] = {{"add", "add", U32},         {"sub", "sub", U32},       {"min", "min", U32},
                 {"max", "max", U32},         {"and", "all", U32},       {"or", "any", U32},
                 {"xor", "parity", U32},      {"min", "least", S32},     {"max", "most", S32},
                 {"add", "added", S32},       {"add", "wide", U64},      {"max", "wide_max", U64},
                 {"xor", "wide_parity", U64}, {"min", "wide_least", S64}};
    unsigned k = draw(g, sizeof kinds / sizeof kinds[0]);
    line(g, "%s%s(&%s.%s, %s);", kinds[k].operation, f, c, kinds[k].counter, expression(g, kinds[k].type, 2, LANE));
}

/* A loop of compare-and-swaps, to do what no atomic does. */
static void swap_loop(struct generator *g, const char *c, const char *f)
{
    bool wide = chance(g, 50);
    const char *t = wide ? "u64" : "u32", *name = wide ? "wide_product" : "product";
    unsigned n = fresh(g);
    block_begin(g, "if ((tid() & 3) == %u)", draw(g, 4));
    line(g, "%s q%u, o%u = read(&%s.%s);", t, n, n, c, name);
    block_begin(g, "do");
    line(g, "q%u = o%u;", n, n);
    line(g, "o%u = cas%s(&%s.%s, q%u, q%u * %uu);", n, f, c, name, n, n, draw(g, 1000) * 2 + 3);
    g->indent--;
    line(g, "} while (o%u != q%u);", n, n);
    block_end(g);
}

void atomic_statement(struct generator *g, struct place p)
{
    unsigned m = draw(g, g->shared_ended ? 4 : 6), n;
    const char *c = text(g, "%scounters", memories[m].name), *f = memories[m].suffix;
    switch (draw(g, 12)) {
    case 0:
        line(g, "add%s(&%s.real, (float)(%s & 7));", f, c, expression(g, U32, 1, LANE));
        break;
    case 1:
        line(g, "add%s(&%s.real_wide, (double)(%s & 0xff));", f, c, expression(g, U32, 1, LANE));
        break;
    case 2:
        line(g, "inc%s(&%s.up, 1000u);", f, c);
        break;
    case 3:
        line(g, "dec%s(&%s.down, 7u);", f, c);
        break;
    case 4: /* what is put in comes out at some other thread */
        line(g, "add%s(&%s.swapped_sum, exch%s(&%s.swapped, %s));", f, c, f, c, expression(g, U32, 2, LANE));
        break;
    case 5: /* each number is drawn once, by whom is no matter */
        n = fresh(g);
        line(g, "const u32 t%u = add%s(&%s.ticket, 1u);", n, f, c);
        line(g, "add%s(&%s.ticket_sum, hash(t%u));", f, c, n);
        break;
    case 6:
        n = fresh(g);
        line(g, "const u64 t%u = add%s(&%s.wide_ticket, (u64)1);", n, f, c);
        line(g, "add%s(&%s.wide_sum, mix(t%u, 5));", f, c, n);
        break;
    case 7:
        if (p.trips <= 3) /* they take each other turns away */
            swap_loop(g, c, f);
        break;
    case 8: /* never takes effect */
        line(g, "cas%s(&%s.down, 99u, %s);", f, c, expression(g, U32, 1, LANE));
        break;
    default:
        plain_atomic(g, c, f);
    }
}

/* What a section does to that which its lock guards, q: all of it commutes. */
static void update(struct generator *g, const char *q)
{
    switch (draw(g, 5)) {
    case 0:
        line(g, "%s->sum += %s;", q, expression(g, U32, 2, LANE));
        break;
    case 1:
        line(g, "%s->parity ^= %s;", q, expression(g, U32, 2, LANE));
        break;
    case 2:
        line(g, "%s->chain += hash(%s->count++);", q, q);
        break;
    case 3:
        line(g, "%s->real += (float)(%s & 7);", q, expression(g, U32, 1, LANE));
        break;
    default:
        line(g, "%s->wide += %s;", q, expression(g, U64, 2, LANE));
    }
}

static void section(struct generator *g, struct place p, const char *q, int rank)
{
    p.level = LANE;
    p.section = true;
    p.in_loop = false;
    p.rank = rank + 1;
    p.depth = p.depth > 1 ? 1 : p.depth;
    update(g, q);
    if (chance(g, 50))
        statements(g, p, 1 + draw(g, 2));
    if (chance(g, 40))
        update(g, q);
}

/* Declares q: the lock of a family that an expression chooses. */
static const char *chosen(struct generator *g, const char *memory, const char *family, unsigned count)
{
    const char *q = text(g, "q%u", fresh(g));
    const char *index =
        chance(g, 40) ? text(g, "%u", draw(g, count)) : text(g, "(%s) & %u", expression(g, U32, 1, LANE), count - 1);
    line(g, "struct guarded *%s = &%slocks.%s[%s];", q, memory, family, index);
    return q;
}

/* The loop of a lock that is asked for again and again, and given back inside. */
static void try_loop(struct generator *g, struct place p, const char *q, const char *take, const char *give,
                     const char *fence, int rank)
{
    unsigned n = fresh(g);
    bool behind = chance(g, 30);
    line(g, "bool done%u = false;", n);
    if (behind)
        block_begin(g, "do");
    else
        block_begin(g, "while (!done%u)", n);
    block_begin(g, "if (%s)", take);
    if (*fence)
        line(g, "%s();", fence);
    section(g, p, q, rank);
    if (*fence)
        line(g, "%s();", fence);
    if (chance(g, 50)) {
        line(g, "%s", give);
        line(g, "done%u = true;", n);
    } else {
        line(g, "done%u = true;", n);
        line(g, "%s", give);
    }
    block_end(g);
    g->indent--;
    if (behind)
        line(g, "} while (!done%u);", n);
    else
        line(g, "}");
}

static const char *fence_of(struct generator *g, const char *memory)
{
    return chance(g, 50) && (*memory == 's' || memory[3]) ? "fence_block" : "fence";
}

static void spin_lock(struct generator *g, struct place p, const char *memory, int class)
{
    const char *q = chosen(g, memory, class ? "spin[1]" : "spin[0]", 4);
    const char *take = text(g, "%s(&%s->word)", chance(g, 70) ? "take" : "take_by_exchange", q);
    try_loop(g, p, q, take, text(g, "give(&%s->word);", q), fence_of(g, memory), class ? RANK_INNER_SPIN : RANK_SPIN);
}

/* Given back behind the loop: by one lane of a warp, or where lanes need not wait for each other. */
static void spin_lock_behind(struct generator *g, struct place p, const char *memory)
{
    bool alone = chance(g, 70);
    g->forms |= alone ? FORM_ALONE : FORM_BEHIND;
    block_begin(g, alone ? "if ((tid() & 31) == %u)" : "if ((tid() & 15) == %u)", draw(g, 16));
    const char *q = chosen(g, memory, "spin[0]", 4), *fence = fence_of(g, memory);
    line(g, "while (!take(&%s->word))", q);
    line(g, "    ;");
    line(g, "%s();", fence);
    section(g, p, q, RANK_INNER_SPIN);
    line(g, "%s();", fence);
    line(g, "give(&%s->word);", q);
    block_end(g);
}

/* Both or none, in order. */
static void two_spin_locks(struct generator *g, struct place p, const char *memory)
{
    unsigned n = fresh(g);
    const char *fence = fence_of(g, memory), *a = text(g, "a%u", n), *b = text(g, "b%u", n);
    line(g, "const u32 k%u = (%s) & 1;", n, expression(g, U32, 1, LANE));
    line(g, "struct guarded *%s = &%slocks.spin[0][k%u], *%s = &%slocks.spin[0][k%u + 1 + (%s & 1)];", a, memory, n, b,
         memory, n, expression(g, U32, 0, LANE));
    line(g, "bool done%u = false;", n);
    block_begin(g, "while (!done%u)", n);
    block_begin(g, "if (take(&%s->word))", a);
    block_begin(g, "if (take(&%s->word))", b);
    line(g, "%s();", fence);
    section(g, p, chance(g, 50) ? a : b, RANK_INNER_SPIN);
    update(g, a);
    update(g, b);
    line(g, "%s();", fence);
    line(g, "give(&%s->word);", b);
    line(g, "done%u = true;", n);
    block_end(g);
    line(g, "give(&%s->word);", a);
    block_end(g);
    block_end(g);
}

static void ticket_lock(struct generator *g, struct place p, const char *memory)
{
    unsigned n = fresh(g);
    const char *q = chosen(g, memory, "ticket", 2);
    line(g, "const u32 t%u = add_(&%s->word, 1u);", n, q);
    try_loop(g, p, q, text(g, "is(&%s->serving, t%u)", q, n), text(g, "store(&%s->serving, t%u + 1);", q, n),
             fence_of(g, memory), RANK_TICKET);
}

static void semaphore(struct generator *g, struct place p, const char *memory)
{
    unsigned one = draw(g, 2);
    g->forms |= p.mask && strcmp(p.mask, "m0") != 0 ? FORM_APART : 0;
    line(g, "struct guarded *q%u = &%slocks.semaphore[%u];", fresh(g), memory, one);
    const char *q = text(g, "q%u", g->names - 1);
    line(g, "sem_wait(&%s->word);", q);
    if (one) /* there are two */
        line(g, "add_(&%s->sum, %s);", q, expression(g, U32, 2, LANE));
    else
        section(g, p, q, RANK_SEMAPHORE);
    line(g, "sem_signal(&%s->word);", q);
}

/* By instruction; in one function, or taken and given back in others. */
static void instruction_lock(struct generator *g, struct place p, const char *memory, int class)
{
    const char *q = chosen(g, memory, class ? "lock[1]" : "lock[0]", 4);
    bool called = chance(g, 30), in_two_places = chance(g, 30);
    line(g, called && chance(g, 70) ? "enter(%s);" : "lock(&%s->word);", q);
    section(g, p, q, class ? RANK_INNER_LOCK : RANK_LOCK);
    if (in_two_places) {
        block_begin(g, "if (%s)", condition(g, 1, LANE));
        update(g, q);
        line(g, "unlock(&%s->word);", q);
        g->indent--;
        line(g, "} else {");
        g->indent++;
    }
    line(g, called ? "leave(%s);" : "unlock(&%s->word);", q);
    if (in_two_places)
        block_end(g);
}

/* Attempts: in a loop, or with something else to do instead. */
static void tried_lock(struct generator *g, struct place p, const char *memory, int class)
{
    const char *q = chosen(g, memory, class ? "lock[1]" : "lock[0]", 4);
    const char *take = chance(g, 40)   ? text(g, "trylock(&%s->word)", q)
                       : chance(g, 50) ? text(g, "lock_attempts(&%s->word, %u)", q, 1 + draw(g, 4))
                                       : text(g, "lock_cycles(&%s->word, %u)", q, 1 + draw(g, 3000));
    int rank = class ? RANK_INNER_LOCK : RANK_LOCK;
    if (chance(g, 60)) {
        try_loop(g, p, q, take, text(g, "unlock(&%s->word);", q), "", rank);
        return;
    }
    unsigned n = fresh(g);
    line(g, "const u32 v%u = %s;", n, expression(g, U32, 2, LANE));
    block_begin(g, "if (%s)", take);
    line(g, "%s->sum += v%u;", q, n);
    line(g, "unlock(&%s->word);", q);
    g->indent--;
    line(g, "} else {");
    line(g, "    add_(&%s->other, v%u);", q, n);
    line(g, "}");
}

/* Two locks, the first given back first. */
static void out_of_order(struct generator *g, const char *memory)
{
    g->forms |= FORM_ORDER | FORM_NESTED;
    const char *a = chosen(g, memory, "lock[0]", 4), *b = chosen(g, memory, "lock[1]", 4);
    line(g, "lock(&%s->word);", a);
    update(g, a);
    line(g, "lock(&%s->word);", b);
    update(g, b);
    line(g, "unlock(&%s->word);", a);
    update(g, b);
    line(g, "unlock(&%s->word);", b);
}

/* Taken in one branch, given back in another. */
static void across_branches(struct generator *g, const char *memory)
{
    g->forms |= FORM_SPANS;
    unsigned n = fresh(g);
    const char *q = chosen(g, memory, "lock[0]", 4);
    line(g, "const bool c%u = %s;", n, condition(g, 2, LANE));
    line(g, "if (c%u)", n);
    line(g, "    lock(&%s->word);", q);
    line(g, "add_(&g->counters.add, %s);", expression(g, U32, 2, LANE));
    block_begin(g, "if (c%u)", n);
    update(g, q);
    line(g, "unlock(&%s->word);", q);
    block_end(g);
}

/* All locks of the ladder, by recursion: each inside the one before, or hand over hand. */
static void ladder(struct generator *g, const char *memory)
{
    bool nested = chance(g, 50);
    g->forms |= FORM_NESTED | (nested ? 0 : FORM_ORDER);
    line(g, "climb_%s(%slocks.ladder, 0, %s);", nested ? "nested" : "over", memory, expression(g, U32, 2, LANE));
}

static void one_lock(struct generator *g, struct place p, const char *memory)
{
    bool can_lock = p.rank <= RANK_LOCK, can_spin = p.rank <= RANK_SPIN, can_inner = p.rank <= RANK_INNER_LOCK;
    uint32_t lot = draw(g, 100);
    if (lot < 22 && can_spin)
        spin_lock(g, p, memory, 0);
    else if (lot < 42 && can_lock)
        instruction_lock(g, p, memory, 0);
    else if (lot < 54 && can_lock)
        tried_lock(g, p, memory, 0);
    else if (lot < 64 && p.rank <= RANK_TICKET)
        ticket_lock(g, p, memory);
    else if (lot < 74 && p.rank <= RANK_SEMAPHORE)
        semaphore(g, p, memory);
    else if (lot < 80 && can_lock && !p.section)
        two_spin_locks(g, p, memory);
    else if (lot < 83 && !p.section)
        spin_lock_behind(g, p, memory);
    else if (lot < 86 && !p.section)
        out_of_order(g, memory);
    else if (lot < 88 && !p.section)
        across_branches(g, memory);
    else if (lot < 92 && !p.section)
        ladder(g, memory);
    else if (lot < 96 && can_inner)
        instruction_lock(g, p, memory, 1);
    else
        spin_lock(g, p, memory, 1);
}

void lock_statement(struct generator *g, struct place p)
{
    static const char *const places[] = {"g->", "g->blocks[bid()].", "s->"};
    if (p.rank > RANK_INNER_SPIN)
        return;
    g->locks_left--;
    if (p.section)
        g->forms |= FORM_NESTED;
    g->forms |= FORM_LOCK;
    bool some = !p.section && chance(g, 60);
    if (some)
        block_begin(g, "if ((tid() & %u) == %u)", p.trips > 1 ? 7 : 3, draw(g, 4));
    else
        block_begin(g, "%s", "");
    p.level = LANE;
    p.in_loop = false;
    one_lock(g, p, places[draw(g, g->shared_ended ? 2 : 3)]);
    block_end(g);
}

/* Functions that locks are taken and given back in. */
void lock_functions(struct generator *g)
{
    line(g, "HD %s void enter(struct guarded *q) { lock(&q->word); }", chance(g, 70) ? "NOINLINE" : "INLINE");
    line(g, "HD %s void leave(struct guarded *q) { unlock(&q->word); }", chance(g, 70) ? "NOINLINE" : "INLINE");
    for (int over = 0; over < 2; over++) {
        const char *name = over ? "climb_over" : "climb_nested";
        block_begin(g, "HD NOINLINE void %s(struct guarded *q, u32 k, u32 v)", name);
        line(g, "lock(&q[k].word);");
        if (over)
            line(g, "if (k)\n        unlock(&q[k - 1].word);");
        line(g, "q[k].sum += v;");
        line(g, "q[k].chain += hash(q[k].count++);");
        line(g, "if (k < %u)", 1 + draw(g, 3));
        line(g, "    %s(q, k + 1, v ^ k);", name);
        line(g, over ? "else\n        unlock(&q[k].word);" : "unlock(&q[k].word);");
        block_end(g);
    }
}
