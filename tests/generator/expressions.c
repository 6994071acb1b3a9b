/* Expressions. Nothing in them is undefined in C++, and each has the same bits on the device and on the host: sums and
 * products are taken without a sign, shifts are masked, divisors are small and odd, conversions from reals bounded. */
#include "generate.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    const char *work; /* the type without a sign in which is calculated; NULL: a real */
    unsigned bits;
} types[TYPES] = {
    {"s8", "u32", 8},   {"u8", "u32", 8},   {"s16", "u32", 16}, {"u16", "u32", 16},  {"s32", "u32", 32},
    {"u32", "u32", 32}, {"s64", "u64", 64}, {"u64", "u64", 64}, {"float", NULL, 32}, {"double", NULL, 64},
};

uint32_t draw(struct generator *g, uint32_t below)
{
    return random_below(&g->random, below);
}

bool chance(struct generator *g, uint32_t percent)
{
    return draw(g, 100) < percent;
}

const char *type_name(enum type t)
{
    return types[t].name;
}

enum type any_type(struct generator *g)
{
    static const enum type often[] = {U32, U32, U32, S32, U64, S64, F32, F64};
    return chance(g, 60) ? often[draw(g, 8)] : (enum type)draw(g, TYPES);
}

const char *text(struct generator *g, const char *format, ...)
{
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&b, format, ap);
    va_end(ap);
    strbuf_add(&b, "");
    g->texts = realloc(g->texts, (g->text_count + 1) * sizeof *g->texts);
    if (!g->texts || !b.text)
        abort();
    return g->texts[g->text_count++] = b.text;
}

void declare(struct generator *g, const char *name, enum type t, enum level level, bool constant)
{
    if (g->variable_count < VARIABLES)
        g->variables[g->variable_count++] = (struct variable){name, t, level, constant};
}

/* A variable drawn from those that the caller wants; type TYPES: of any type. */
static const struct variable *variable(struct generator *g, enum type t, enum level level, bool assigned)
{
    const struct variable *found = NULL;
    unsigned seen = 0;
    for (size_t i = 0; i < g->variable_count; i++) {
        const struct variable *v = &g->variables[i];
        bool fits = assigned ? v->level == level && !v->constant : v->level >= level;
        if (fits && (t == TYPES || v->type == t) && draw(g, ++seen) == 0)
            found = v;
    }
    return found;
}

const struct variable *target(struct generator *g, enum level level)
{
    return variable(g, TYPES, level, true);
}

static const char *literal(struct generator *g, enum type t)
{
    static const char *const odd[] = {"0", "1", "2", "3", "5", "7", "0x55", "0x7f", "100", "-1"};
    const char *n = odd[draw(g, 10)];
    if (!types[t].work)
        return text(g, "(%s)(%s + 0.5)", types[t].name, n);
    return chance(g, 40) ? text(g, "(%s)0x%xu", types[t].name, draw(g, UINT32_MAX))
                         : text(g, "(%s)%s", types[t].name, n);
}

static const char *converted(struct generator *g, enum type t, enum type from, const char *e)
{
    if (from == t)
        return e;
    if (!types[t].work && types[from].work) /* small enough to be exact */
        return text(g, "(%s)(s32)((%s) & 0xfff)", types[t].name, e);
    if (types[t].work && from == F32)
        return text(g, "(%s)whole(%s)", types[t].name, e);
    if (types[t].work && from == F64)
        return text(g, "(%s)whole64(%s)", types[t].name, e);
    return text(g, "(%s)(%s)", types[t].name, e);
}

/* Something that has a value without operators. */
static const char *leaf(struct generator *g, enum type t, enum level level)
{
    const struct variable *v = variable(g, t, level, false);
    if (v && chance(g, 65))
        return v->name;
    v = variable(g, TYPES, level, false);
    return v && chance(g, 70) ? converted(g, t, v->type, v->name) : literal(g, t);
}

/* From memory: inputs, the thread's own memory, its arrays and structure. */
static const char *loaded(struct generator *g, enum type t, int depth, enum level level)
{
    static const struct {
        enum type type;
        char name;
    } cells[] = {{S8, 'a'},  {U8, 'b'},  {S16, 'c'}, {U16, 'd'}, {S32, 'e'},
                 {U32, 'f'}, {S64, 'g'}, {U64, 'h'}, {F32, 'x'}, {F64, 'y'}};
    const char *index = expression(g, U32, depth - 1, level);
    unsigned which = draw(g, 6), cell = draw(g, 10);
    if (which == 0 && g->has_memory)
        return converted(g, t, U32, text(g, "g->in[(%s) & 255]", index));
    if (level != LANE)
        return leaf(g, t, level);
    if (which == 1 && g->has_memory)
        return converted(g, t, cells[cell].type, text(g, "g->own[gid()].%c", cells[cell].name));
    if (which <= 2 && g->has_structure)
        return chance(g, 50) ? converted(g, t, U32, "r.b") : converted(g, t, F64, "r.c");
    if (which == 3 && g->has_array)
        return converted(g, t, U8, text(g, "bytes[(%s) & 15]", index));
    if (which == 4 && g->has_array)
        return converted(g, t, F64, text(g, "reals[(%s) & 3]", index));
    return g->has_array ? converted(g, t, U32, text(g, "words[(%s) & 7]", index)) : leaf(g, t, level);
}

/* Calls of the shapes in functions.c: by name, or through a table of pointers. */
static const char *called(struct generator *g, enum type t, int depth, enum level level)
{
    unsigned shape = draw(g, PURE_SHAPES);
    if (!g->pure[shape])
        return leaf(g, t, level);
    unsigned which = draw(g, g->pure[shape]);
    bool table = shape < 2 && g->pure[shape] == PURE && chance(g, 50);
    const char *name =
        table ? text(g, "pick%u(%s)", shape, expression(g, U32, depth - 1, level)) : text(g, "f%u_%u", shape, which);
    const char *a = expression(g, U32, depth - 1, level);
    if (shape == 0)
        return converted(g, t, U32, text(g, "%s(%s, %s)", name, a, expression(g, U32, 0, level)));
    if (shape == 1)
        return converted(g, t, S64,
                         text(g, "%s(%s, %s, %s)", name, expression(g, S64, depth - 1, level),
                              expression(g, F32, 0, level), expression(g, U16, 0, level)));
    if (shape == 2)
        return converted(g, t, F64, text(g, "%s(%s, %s)", name, expression(g, F64, depth - 1, level), a));
    return converted(g, t, U64, text(g, "%s(rec_of(%s), %s).e", name, a, expression(g, S16, 0, level)));
}

static const char *real(struct generator *g, enum type t, int depth, enum level level)
{
    const char *n = types[t].name, *suffix = t == F32 ? "f" : "";
    const char *a = expression(g, t, depth - 1, level), *b = expression(g, t, depth - 1, level);
    switch (draw(g, 9)) {
    case 0:
        return text(g, "(%s + %s)", a, b);
    case 1:
        return text(g, "(%s - %s)", a, b);
    case 2:
        return text(g, "(%s * %s)", a, b);
    case 3:
        return text(g, "(%s / (fabs%s(%s) + (%s)1))", a, suffix, b, n);
    case 4:
        return text(g, "fma%s(%s, %s, %s)", suffix, a, b, leaf(g, t, level));
    case 5:
        return text(g, "sqrt%s(fabs%s(%s))", suffix, suffix, a);
    case 6:
        return text(g, "(%s ? %s : -(%s))", condition(g, depth - 1, level), a, b);
    case 7:
        return text(g, "(%s)(%s)", n, expression(g, t == F32 ? F64 : F32, depth - 1, level));
    default:
        return converted(g, t, S32, expression(g, S32, depth - 1, level));
    }
}

static const char *of_bits(struct generator *g, enum type t, int depth, enum level level)
{
    static const char *const unary[] = {"popcount", "zeros", "first_set", "reversed", "hash"};
    const char *n = types[t].name, *a = expression(g, U32, depth - 1, level);
    switch (draw(g, 5)) {
    case 0:
        return text(g, "(%s)high(%s, %s)", n, a, expression(g, U32, depth - 1, level));
    case 1:
        return text(g, "(%s)bits(%s)", n, expression(g, F32, depth - 1, level));
    case 2:
        return text(g, "(%s)bits64(%s)", n, expression(g, F64, depth - 1, level));
    case 3:
        return text(g, "(%s)%s(%s)", n, chance(g, 50) ? "popcount64" : "zeros64", expression(g, U64, depth - 1, level));
    default:
        return text(g, "(%s)%s(%s)", n, unary[draw(g, 5)], a);
    }
}

static const char *whole(struct generator *g, enum type t, int depth, enum level level)
{
    const char *n = types[t].name, *w = types[t].work;
    unsigned bits = types[t].bits - 1;
    const char *a = expression(g, t, depth - 1, level), *b = expression(g, t, depth - 1, level);
    switch (draw(g, 12)) {
    case 0:
    case 1:
        return text(g, "(%s)((%s)(%s) + (%s)(%s))", n, w, a, w, b);
    case 2:
        return text(g, "(%s)((%s)(%s) - (%s)(%s))", n, w, a, w, b);
    case 3:
        return text(g, "(%s)((%s)(%s) * (%s)(%s))", n, w, a, w, b);
    case 4:
        return text(g, "(%s)(%s %c %s)", n, a, "&|^"[draw(g, 3)], b);
    case 5:
        return text(g, "(%s)((%s)(%s) << ((u32)(%s) & %u))", n, w, a, b, bits);
    case 6:
        return text(g, "(%s)(%s >> ((u32)(%s) & %u))", n, a, b, bits);
    case 7:
        return text(g, "(%s)(%s %c (%s)(((%s) & 63) | 1))", n, a, "/%"[draw(g, 2)], n, b);
    case 8:
        return text(g, "(%s)(%s ? %s : %s)", n, condition(g, depth - 1, level), a, b);
    case 9:
        return text(g, "(%s)~(%s)", n, a);
    case 10:
        return of_bits(g, t, depth, level);
    default: {
        enum type from = any_type(g);
        return converted(g, t, from, expression(g, from, depth - 1, level));
    }
    }
}

const char *expression(struct generator *g, enum type t, int depth, enum level level)
{
    if (depth <= 0)
        return leaf(g, t, level);
    uint32_t lot = draw(g, 100);
    if (lot < 12)
        return loaded(g, t, depth, level);
    if (lot < 22)
        return called(g, t, depth, level);
    return types[t].work ? whole(g, t, depth, level) : real(g, t, depth, level);
}

const char *condition(struct generator *g, int depth, enum level level)
{
    static const char *const relations[] = {"<", "<=", "==", "!=", ">", ">="};
    if (depth > 0 && chance(g, 20))
        return text(g, "(%s %s %s)", condition(g, depth - 1, level), chance(g, 50) ? "&&" : "||",
                    condition(g, depth - 1, level));
    if (chance(g, 50))
        return text(g, "(%s & %u)", expression(g, U32, depth, level), 1u << draw(g, 4));
    enum type t = any_type(g);
    const char *a = expression(g, t, depth, level);
    return text(g, "(%s %s %s)", a, relations[draw(g, 6)], expression(g, t, depth > 0 ? depth - 1 : 0, level));
}
