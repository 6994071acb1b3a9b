/* Statements that one thread could execute: assignments, branches, loops, stores, calls. */
#include "generate.h"

#include <stdio.h>
#include <string.h>

void line(struct generator *g, const char *format, ...)
{
    for (int i = 0; i < g->indent; i++)
        strbuf_add(&g->out, "    ");
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&g->out, format, ap);
    va_end(ap);
    strbuf_add(&g->out, "\n");
}

void block_begin(struct generator *g, const char *format, ...)
{
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&b, format, ap);
    va_end(ap);
    line(g, "%s%s{", strbuf_text(&b), b.length ? " " : "");
    strbuf_free(&b);
    g->indent++;
}

void block_end(struct generator *g)
{
    g->indent--;
    line(g, "}");
}

unsigned fresh(struct generator *g)
{
    return g->names++;
}

static enum level lower(enum level a, enum level b)
{
    return a < b ? a : b;
}

/* A level not above that of the place at which lanes decide: MASKED is no level of values. */
static enum level decided_by(struct generator *g, struct place p)
{
    enum level l = (enum level)draw(g, (uint32_t)p.level + 1);
    return l == MASKED ? LANE : l;
}

static struct place inside(struct place p)
{
    p.depth--;
    return p;
}

static void assignment(struct generator *g, struct place p)
{
    enum level l = decided_by(g, p);
    const struct variable *v = target(g, l);
    if (!v)
        v = target(g, l = LANE);
    if (v)
        line(g, "%s = %s;", v->name, expression(g, v->type, 3, l));
}

static void body(struct generator *g, struct place p)
{
    statements(g, inside(p), 1 + draw(g, 3));
}

/* A branch that lanes take in a mask that the source knows. */
static void masked_branch(struct generator *g, struct place p)
{
    unsigned n = fresh(g);
    block_begin(g, "%s", "");
    line(g, "const bool c%u = %s;", n, condition(g, 2, LANE));
    line(g, "const u32 m%u = ballot(%s, c%u), o%u = %s & ~m%u;", n, p.mask, n, n, p.mask, n);
    struct place sides[2] = {p, p};
    sides[0].level = sides[1].level = MASKED;
    sides[0].mask = text(g, "m%u", n);
    sides[1].mask = text(g, "o%u", n);
    block_begin(g, "if (c%u)", n);
    body(g, sides[0]);
    if (chance(g, 60)) {
        g->indent--;
        line(g, "} else {");
        g->indent++;
        body(g, sides[1]);
    } else {
        line(g, "(void)o%u;", n);
    }
    block_end(g);
    block_end(g);
}

static void branch(struct generator *g, struct place p)
{
    enum level l = decided_by(g, p);
    if (l == LANE && p.level >= MASKED && chance(g, 60)) {
        masked_branch(g, p);
        return;
    }
    const char *c = condition(g, 2, l);
    p.level = lower(p.level, l);
    block_begin(g, "if (%s)", c);
    body(g, p);
    if (chance(g, 50)) {
        g->indent--;
        line(g, "} else {");
        g->indent++;
        body(g, p);
    }
    block_end(g);
}

static void choice(struct generator *g, struct place p)
{
    enum level l = decided_by(g, p);
    block_begin(g, "switch ((%s) & 3)", expression(g, U32, 2, l));
    p.level = lower(p.level, l);
    bool in_loop = p.in_loop;
    unsigned cases = 2 + draw(g, 2);
    for (unsigned i = 0; i < cases; i++) {
        line(g, "case %u:", i);
        g->indent++;
        p.in_loop = false; /* its `break` would be the switch's */
        block_begin(g, "%s", "");
        body(g, p);
        block_end(g);
        if (i + 1 == cases || chance(g, 70)) /* else it falls through */
            line(g, "break;");
        else
            line(g, "/* fallthrough */");
        g->indent--;
    }
    p.in_loop = in_loop;
    line(g, "default:");
    line(g, "    break;");
    block_end(g);
}

static const char *trip_count(struct generator *g, enum level l)
{
    return chance(g, 40) ? text(g, "%uu", 1 + draw(g, 3)) : text(g, "(%s) & 3", expression(g, U32, 1, l));
}

/* A loop whose lanes leave it one after the other, and which knows those that are left. */
static void masked_loop(struct generator *g, struct place p)
{
    unsigned n = fresh(g);
    block_begin(g, "%s", "");
    line(g, "const u32 e%u = %s;", n, trip_count(g, LANE));
    line(g, "u32 m%u = %s;", n, p.mask);
    block_begin(g, "for (u32 i%u = 0;; i%u++)", n, n);
    line(g, "const u32 n%u = ballot(m%u, i%u < e%u);", n, n, n, n);
    line(g, "if (i%u >= e%u)", n, n);
    line(g, "    break;");
    line(g, "m%u = n%u;", n, n);
    size_t scope = g->variable_count;
    declare(g, text(g, "i%u", n), U32, LANE, true);
    p.level = MASKED;
    p.mask = text(g, "m%u", n);
    p.trips *= 3;
    p.in_loop = false;
    body(g, p);
    g->variable_count = scope;
    block_end(g);
    block_end(g);
}

static void loop(struct generator *g, struct place p)
{
    enum level l = decided_by(g, p);
    if (l == LANE && p.level >= MASKED && chance(g, 60)) {
        masked_loop(g, p);
        return;
    }
    unsigned n = fresh(g);
    const char *count = trip_count(g, l);
    p.level = p.loop = lower(p.level, l);
    p.in_loop = true;
    p.trips *= 3;
    bool tested_behind = chance(g, 25);
    block_begin(g, "%s", "");
    line(g, "const u32 e%u = %s;", n, count);
    if (tested_behind) {
        line(g, "u32 i%u = 0;", n);
        block_begin(g, "do");
    } else {
        block_begin(g, "for (u32 i%u = 0; i%u < e%u; i%u++)", n, n, n, n);
    }
    size_t scope = g->variable_count;
    declare(g, text(g, "i%u", n), U32, l, true);
    body(g, p);
    g->variable_count = scope;
    g->indent--;
    if (tested_behind)
        line(g, "} while (++i%u < e%u);", n, n);
    else
        line(g, "}");
    block_end(g);
}

static void stores(struct generator *g)
{
    static const struct {
        enum type type;
        char name;
    } cells[] = {{S8, 'a'},  {U8, 'b'},  {S16, 'c'}, {U16, 'd'}, {S32, 'e'},
                 {U32, 'f'}, {S64, 'g'}, {U64, 'h'}, {F32, 'x'}, {F64, 'y'}};
    unsigned cell = draw(g, 10), which = draw(g, 6);
    if (which < 2 && g->has_memory && cells[cell].type == F32)
        line(g, "g->own[gid()].x = number(%s);", expression(g, F32, 2, LANE));
    else if (which < 2 && g->has_memory && cells[cell].type == F64)
        line(g, "g->own[gid()].y = number(%s);", expression(g, F64, 2, LANE));
    else if (which < 2 && g->has_memory)
        line(g, "g->own[gid()].%c = %s;", cells[cell].name, expression(g, cells[cell].type, 2, LANE));
    else if (which == 2 && g->has_structure)
        line(g, "r.b = %s, r.c = %s, r.e += r.a;", expression(g, U32, 2, LANE), expression(g, F64, 1, LANE));
    else if (which == 3 && g->has_structure && g->pure[3])
        line(g, "r = f3_%u(r, %s);", draw(g, g->pure[3]), expression(g, S16, 1, LANE));
    else if (which == 4 && g->has_array)
        line(g, "bytes[(%s) & 15] = %s;", expression(g, U32, 1, LANE), expression(g, U8, 2, LANE));
    else if (g->has_array)
        line(g, "words[(%s) & 7] = %s;", expression(g, U32, 1, LANE), expression(g, U32, 2, LANE));
    else if (g->has_memory)
        line(g, "g->out[gid()] = mix(g->out[gid()], %s);", expression(g, U64, 2, LANE));
}

/* break, continue or return, under a condition of those who go round the loop together. */
static void jump(struct generator *g, struct place p)
{
    if (p.returns && !p.section && chance(g, 40)) {
        line(g, "if (%s)", condition(g, 2, LANE));
        if (p.returns == RETURNS_NOTHING)
            line(g, "    return;");
        else
            line(g, "    return %s;", p.returns == RETURNS_STRUCTURE ? "r" : expression(g, p.return_type, 1, LANE));
    } else if (p.in_loop && p.level == p.loop && p.level != MASKED) {
        line(g, "if (%s)", condition(g, 1, p.level));
        line(g, "    %s;", chance(g, 50) ? "break" : "continue");
    } else {
        stores(g);
    }
}

/* A call of a procedure: of one's own, by pointer, or of all lanes of a mask. */
static void call(struct generator *g, struct place p)
{
    const char *a = expression(g, U32, 2, LANE), *b = expression(g, U32, 1, LANE);
    if (p.level >= MASKED && g->collective_procedures && chance(g, 50)) {
        const struct variable *v = target(g, LANE);
        line(g, "%s = (%s)masked%u(g, s, %s, %s);", v->name, type_name(v->type), draw(g, g->collective_procedures),
             p.mask, a);
    } else if (p.level >= BLOCK && g->block_procedures && chance(g, 40)) {
        line(g, "g->out[gid()] += whole0(g, s, %s);", a);
    } else if (g->procedures && !p.section && !g->shared_ended) {
        unsigned which = draw(g, g->procedures);
        const unsigned *forms = g->procedure_forms;
        bool by_pointer = g->procedures == PROCEDURES && chance(g, 40);
        unsigned taken = by_pointer ? forms[0] | forms[1] | forms[2] : forms[which];
        if (taken && (p.trips > 3 || g->locks_left <= 0))
            return;
        g->locks_left -= taken != 0;
        g->forms |= taken;
        if (by_pointer)
            line(g, "procedure(%s)(g, s, %s, %s);", expression(g, U32, 1, LANE), a, b);
        else
            line(g, "own%u(g, s, %s, %s);", which, a, b);
    }
}

static void simple(struct generator *g, struct place p)
{
    uint32_t lot = draw(g, 100);
    if (lot < 35)
        assignment(g, p);
    else if (lot < 50)
        stores(g);
    else if (lot < 60)
        jump(g, p);
    else if (lot < 70 && g->has_memory)
        call(g, p);
    else if (lot < 80 && g->has_memory)
        atomic_statement(g, p);
    else if (p.level >= MASKED)
        together_lanes(g, p);
    else
        assignment(g, p);
}

static void statement(struct generator *g, struct place p)
{
    uint32_t lot = draw(g, 100);
    if (p.depth > 0 && lot < 12)
        branch(g, p);
    else if (p.depth > 0 && lot < 15)
        choice(g, p);
    else if (p.depth > 0 && lot < 25 && p.trips < 27)
        loop(g, p);
    else if (lot < 35 && g->has_memory && p.trips <= 3 && g->locks_left > 0 && (p.rank < 4 || !p.section))
        lock_statement(g, p);
    else if (lot < 45 && p.level >= BLOCK)
        together_block(g, p);
    else if (lot < (g->forms & FORM_CLUSTER ? 58 : 48) && p.level >= GRID)
        together_grid(g, p);
    else
        simple(g, p);
}

/* Each has a number, by which --omit leaves it out of the text; all else stays as it is. */
void statements(struct generator *g, struct place p, unsigned count)
{
    for (unsigned i = 0; i < count && g->size_left > 0; i++) {
        size_t begin = g->out.length;
        unsigned number = g->statements++;
        g->size_left--;
        statement(g, p);
        char key[16];
        snprintf(key, sizeof key, ",%u,", number);
        if (g->omit && strstr(g->omit, key) && g->out.length > begin) {
            g->out.length = begin;
            g->out.text[begin] = '\0';
        }
    }
}
