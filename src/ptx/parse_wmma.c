/* wmma.load, wmma.store and wmma.mma are read as what machines make of them: loads, stores and mma. PTX ISA leaves open how the lanes
 * of a warp hold such a matrix; here they do as mma wants it (isa/matrix.h), in tiles of 16 rows of what stands on the left, of 8 columns of
 * what stands on the right. Where a has 8 rows and b 32 columns, the transposed product is computed, with b on the left. What a statement becomes
 * is written as PTX, and read in its place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "ptx/parse.h"

enum part { PART_LEFT, PART_RIGHT, PART_SUM };
#define MOST_REGISTERS 8 /* of a matrix */

struct slice {
    const char *text;
    uint32_t length;
};

/* The statement: its suffixes, then its operands as text. */
struct wmma {
    struct ptx_parser *p;
    const struct ptx_suffixes *suffixes;
    const char *types[4]; /* those that are written, in order */
    unsigned type_count, m, n, k;
    unsigned layouts[2], layout_count; /* 1: by columns */
    bool saturates, transposed;
    const char *space;
    struct slice operands[4];
    unsigned operand_count;
    struct strbuf out;
};

/* A matrix of the statement in its place. */
struct matrix {
    enum part part;
    unsigned rows, columns; /* in that place */
    unsigned bytes, held;   /* of an element; elements in a register */
    unsigned tile_rows, registers, in_tile;
};

/* ---- reading ---- */

static bool is_word(const struct ptx_token *t, const char *text)
{
    return ptx_token_is(t, text, strlen(text));
}

static bool take_suffix(struct wmma *w, const struct ptx_token *t)
{
    static const char *const types[] = {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32"};
    static const char *const spaces[] = {"global", "shared", "shared::cta"};
    int end = 0;
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is_word(t, types[i]) && w->type_count < 4) {
            w->types[w->type_count++] = types[i];
            return true;
        }
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (is_word(t, spaces[i]))
            return (w->space = i ? ".shared" : ".global");
    if ((is_word(t, "row") || is_word(t, "col")) && w->layout_count < 2) {
        w->layouts[w->layout_count++] = is_word(t, "col");
        return true;
    }
    if (is_word(t, "rn"))
        return true;
    if (is_word(t, "satfinite"))
        return w->saturates = true;
    char shape[16];
    snprintf(shape, sizeof shape, "%.*s", (int)t->length, t->text);
    if (sscanf(shape, "m%un%uk%u%n", &w->m, &w->n, &w->k, &end) == 3 && !shape[end])
        return true;
    return is_word(t, "sync") || is_word(t, "aligned");
}

/* The shapes of a type of what is multiplied; NULL: of accumulators, which do not tell. */
static bool has_shape(const struct wmma *w, const char *type)
{
    bool is_16 = (w->m == 16 && w->n == 16) || (w->m == 32 && w->n == 8) || (w->m == 8 && w->n == 32);
    if (type && !strcmp(type, "tf32"))
        return w->m == 16 && w->n == 16 && w->k == 8;
    if (type && !strcmp(type, "f64"))
        return w->m == 8 && w->n == 8 && w->k == 4;
    return (is_16 && w->k == 16) || (!type && ((w->m == 16 && w->n == 16 && w->k == 8) || (w->m == 8 && w->n == 8 && w->k == 4)));
}

/* The operands, up to the `;`, at the commas that stand in no braces. */
static bool split_operands(struct wmma *w)
{
    struct ptx_parser *p = w->p;
    const char *from = p->token.text;
    while (!PTX_IS_PUNCT(&p->token, ';') && p->token.kind != PTX_TOKEN_END)
        ptx_advance(p);
    const char *end = p->token.text;
    int depth = 0;
    for (const char *at = from; at <= end; at++) {
        depth += at < end ? (*at == '{' || *at == '[') - (*at == '}' || *at == ']') : 0;
        if (at < end && (*at != ',' || depth))
            continue;
        if (w->operand_count == 4)
            return false;
        w->operands[w->operand_count++] = (struct slice){from, (uint32_t)(at - from)};
        from = at + 1;
    }
    return p->token.kind != PTX_TOKEN_END;
}

/* What stands in braces or brackets. */
static struct slice inside(struct slice s, char open, char close)
{
    const char *from = memchr(s.text, open, s.length), *to = from ? memchr(from, close, s.length - (size_t)(from - s.text)) : NULL;
    return to ? (struct slice){from + 1, (uint32_t)(to - from - 1)} : (struct slice){0};
}

/* The names of a matrix's registers; returns how many. */
static unsigned names_of(struct slice operand, struct slice names[MOST_REGISTERS])
{
    struct slice all = inside(operand, '{', '}');
    unsigned count = 0;
    for (const char *at = all.text, *end = at ? at + all.length : NULL; at && at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *to = comma ? comma : end;
        if (count == MOST_REGISTERS)
            return 0;
        names[count++] = (struct slice){at, (uint32_t)(to - at)};
        at = to + (comma != NULL);
    }
    return count;
}

/* ---- how lanes hold a matrix ---- */

static struct matrix matrix_of(const struct wmma *w, char which, const char *type)
{
    bool wide = !strcmp(type, "f64"), half = !strcmp(type, "f16") || !strcmp(type, "bf16");
    bool byte = !strcmp(type, "s8") || !strcmp(type, "u8");
    struct matrix x = {.bytes = wide ? 8 : half ? 2 : byte ? 1 : 4};
    bool swapped = w->transposed;
    x.held = x.bytes < 4 ? 4 / x.bytes : 1;
    x.part = which == 'c' ? PART_SUM : (which == 'a') != swapped ? PART_LEFT : PART_RIGHT;
    x.rows = x.part == PART_RIGHT ? w->k : swapped ? w->n : w->m;
    x.columns = x.part == PART_LEFT ? w->k : swapped ? w->m : w->n;
    x.tile_rows = x.rows < 16 ? x.rows : 16;
    x.registers = x.rows * x.columns / 32 / x.held;
    x.in_tile = (x.part == PART_LEFT ? x.tile_rows * x.columns : x.part == PART_RIGHT ? 8 * x.rows : x.tile_rows * 8) / 32 / x.held;
    return x;
}

/* Where a register's first element lies, but for what depends on the lane: g = lane / 4 along one direction, t = lane % 4 times what
 * first_of says along the other. */
static void place_of(const struct matrix *x, unsigned r, unsigned *row, unsigned *column)
{
    unsigned tile = r / x->in_tile, q = r % x->in_tile;
    if (x->part == PART_LEFT) {
        *row = 16 * tile + 8 * (q % 2);
        *column = 4 * x->held * (q / 2);
    } else if (x->part == PART_RIGHT) {
        *row = 4 * x->held * q;
        *column = 8 * tile;
    } else {
        *row = 16 * (tile / (x->columns / 8)) + 8 * (q * x->held / 2);
        *column = 8 * (tile % (x->columns / 8)) + q * x->held % 2;
    }
}

/* ---- loads and stores ---- */

/* %wmma_lane: the lane's first element, in elements from the matrix's first, which is at %wmma_base. */
static void write_lane(struct wmma *w, const struct matrix *x, bool along_rows)
{
    unsigned times = x->part == PART_SUM ? 2 : x->held;
    strbuf_addf(&w->out,
                "mov.u32 %%wmma_t, %%laneid; shr.u32 %%wmma_g, %%wmma_t, 2; and.b32 %%wmma_t, %%wmma_t, 3; "
                "mul.lo.u32 %%wmma_t, %%wmma_t, %u; ",
                times);
    bool g_strides = (x->part != PART_RIGHT) == along_rows; /* g goes from line to line in memory */
    strbuf_addf(&w->out, "mad.lo.s32 %%wmma_lane, %%wmma_%c, %%wmma_ldm, %%wmma_%c; ", g_strides ? 'g' : 't', g_strides ? 't' : 'g');
}

static void write_base(struct wmma *w, struct slice operand, struct slice stride, unsigned usual)
{
    struct slice at = inside(operand, '[', ']');
    while (at.length && (*at.text == ' ' || *at.text == '\t'))
        at.text++, at.length--;
    uint32_t name = 0;
    while (name < at.length && at.text[name] != '+' && at.text[name] != '-' && at.text[name] != ' ')
        name++;
    struct ptx_token token = {.kind = PTX_TOKEN_WORD, .text = at.text, .length = name};
    uint32_t number;
    const struct ptx_symbol *reg = ptx_lookup_reg(w->p, &token, &number);
    unsigned bits = reg ? isa_type_bits(reg->type) : 64;
    strbuf_addf(&w->out, ".reg .b64 %%wmma_base, %%wmma_at; ");
    if (!reg)
        strbuf_addf(&w->out, "mov.u64 %%wmma_base, %.*s; ", (int)at.length, at.text);
    else
        strbuf_addf(&w->out, "%s %%wmma_base, %.*s; ", bits == 32 ? "cvt.u64.u32" : "mov.b64", (int)name, at.text);
    if (reg && name < at.length)
        strbuf_addf(&w->out, "add.s64 %%wmma_base, %%wmma_base, %.*s; ",
                    (int)(at.length - name - (at.text[name] == '+')), at.text + name + (at.text[name] == '+'));
    if (stride.text)
        strbuf_addf(&w->out, "mov.b32 %%wmma_ldm, %.*s; ", (int)stride.length, stride.text);
    else
        strbuf_addf(&w->out, "mov.b32 %%wmma_ldm, %u; ", usual);
}

/* One element, or several that lie side by side, at `lines` times the stride and so many elements behind the lane's first. */
static void write_access(struct wmma *w, const struct matrix *x, bool is_load, unsigned lines, unsigned elements, unsigned bytes,
                         const char *name, int length)
{
    strbuf_addf(&w->out, "mad.lo.s32 %%wmma_g, %%wmma_ldm, %u, %%wmma_lane; mad.wide.s32 %%wmma_at, %%wmma_g, %u, %%wmma_base; ",
                lines, x->bytes);
    if (is_load)
        strbuf_addf(&w->out, "ld%s.b%u %.*s, [%%wmma_at+%u]; ", w->space, 8 * bytes, length, name, elements * x->bytes);
    else
        strbuf_addf(&w->out, "st%s.b%u [%%wmma_at+%u], %.*s; ", w->space, 8 * bytes, elements * x->bytes, length, name);
}

static void write_pack(struct wmma *w, const struct matrix *x, bool packs, struct slice name)
{
    char parts[64] = "";
    for (unsigned i = 0; i < x->held; i++)
        snprintf(parts + strlen(parts), sizeof parts - strlen(parts), "%s%%wmma_p%u", i ? ", " : "{", i);
    if (packs)
        strbuf_addf(&w->out, "mov.b32 %.*s, %s}; ", (int)name.length, name.text, parts);
    else
        strbuf_addf(&w->out, "mov.b32 %s}, %.*s; ", parts, (int)name.length, name.text);
}

static void write_register(struct wmma *w, const struct matrix *x, bool is_load, bool along_rows, unsigned r, struct slice name)
{
    unsigned row, column, whole = x->held * x->bytes;
    place_of(x, r, &row, &column);
    unsigned lines = along_rows ? row : column, elements = along_rows ? column : row;
    bool beside = (x->part != PART_RIGHT) == along_rows || x->held == 1;
    if (beside) {
        write_access(w, x, is_load, lines, elements, whole, name.text, (int)name.length);
        return;
    }
    if (!is_load)
        write_pack(w, x, false, name);
    for (unsigned i = 0; i < x->held; i++) {
        char part[16];
        write_access(w, x, is_load, lines + i, elements, x->bytes, part, snprintf(part, sizeof part, "%%wmma_p%u", i));
    }
    if (is_load)
        write_pack(w, x, true, name);
}

/* wmma.load and wmma.store of matrix a, b, c or d. */
static bool write_moves(struct wmma *w, char which, bool is_load)
{
    struct slice names[MOST_REGISTERS];
    if (w->type_count != 1 || w->layout_count != 1 || w->operand_count < 2 || w->operand_count > 3)
        return false;
    bool is_sum = which == 'c' || which == 'd';
    struct matrix x = matrix_of(w, is_sum ? 'c' : which, w->types[0]);
    unsigned count = names_of(w->operands[is_load ? 0 : 1], names);
    if (!has_shape(w, is_sum ? NULL : w->types[0]) || count < x.registers)
        return false;
    /* Along rows: of the matrix as it is in its place. */
    bool along_rows = (w->layouts[0] == 0) != w->transposed;
    struct slice stride = w->operand_count == 3 ? w->operands[2] : (struct slice){0};
    strbuf_addf(&w->out, "{ .reg .b32 %%wmma_t, %%wmma_g, %%wmma_lane, %%wmma_ldm; .reg .b%u %%wmma_p<4>; ", 8 * (x.bytes < 4 ? x.bytes : 4));
    write_base(w, w->operands[is_load ? 1 : 0], stride, along_rows ? x.columns : x.rows);
    write_lane(w, &x, along_rows);
    for (unsigned r = 0; r < count; r++)
        if (r < x.registers)
            write_register(w, &x, is_load, along_rows, r, names[r]);
        else if (is_load) /* those of f16 which need no more */
            strbuf_addf(&w->out, "mov.b32 %.*s, 0; ", (int)names[r].length, names[r].text);
    strbuf_add(&w->out, "}");
    return true;
}

/* ---- products ---- */

static void write_names(struct wmma *w, const char *before, const struct slice *names, unsigned count)
{
    strbuf_addf(&w->out, "%s{", before);
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(&w->out, "%s%.*s", i ? ", " : "", (int)names[i].length, names[i].text);
    strbuf_add(&w->out, "}");
}

/* Two registers of halves, and %wmma_f0 to %wmma_f3. */
static void write_halves(struct wmma *w, const struct slice *names, bool widens)
{
    for (unsigned i = 0; i < 2; i++)
        if (widens)
            strbuf_addf(&w->out, "mov.b32 {%%wmma_h0, %%wmma_h1}, %.*s; cvt.f32.f16 %%wmma_f%u, %%wmma_h0; cvt.f32.f16 %%wmma_f%u, %%wmma_h1; ",
                        (int)names[i].length, names[i].text, 2 * i, 2 * i + 1);
        else
            strbuf_addf(&w->out,
                        "cvt.rn.f16.f32 %%wmma_h0, %%wmma_f%u; cvt.rn.f16.f32 %%wmma_h1, %%wmma_f%u; mov.b32 %.*s, {%%wmma_h0, %%wmma_h1}; ",
                        2 * i, 2 * i + 1, (int)names[i].length, names[i].text);
}

static bool write_product(struct wmma *w)
{
    static const struct slice single[] = {{"%wmma_f0", 8}, {"%wmma_f1", 8}, {"%wmma_f2", 8}, {"%wmma_f3", 8}};
    struct slice names[4][MOST_REGISTERS]; /* d, a, b, c */
    if (w->layout_count != 2 || w->operand_count != 4 || (w->type_count != 2 && w->type_count != 4))
        return false;
    const char *d = w->types[0], *c = w->types[w->type_count - 1], *type = w->type_count == 2 ? "f16" : w->types[1];
    if (w->type_count == 4 && strcmp(w->types[1], w->types[2]) != 0)
        return false;
    struct matrix left = matrix_of(w, w->transposed ? 'b' : 'a', type), right = matrix_of(w, w->transposed ? 'a' : 'b', type);
    struct matrix sum = matrix_of(w, 'c', d), added = matrix_of(w, 'c', c);
    const unsigned l = w->transposed ? 2 : 1, r = w->transposed ? 1 : 2, need[] = {sum.registers, 0, 0, added.registers};
    for (unsigned i = 0; i < 4; i++)
        if (names_of(w->operands[i], names[i]) < (i == l ? left.registers : i == r ? right.registers : need[i]))
            return false;
    if (!has_shape(w, type))
        return false;
    bool mixed = strcmp(c, d) != 0, to_half = mixed && !strcmp(d, "f16");
    const char *shape = !strcmp(type, "f64") ? "m8n8k4" : !strcmp(type, "tf32") ? "m16n8k8" : "m16n8k16", *sums = mixed ? "f32" : d;
    strbuf_add(&w->out, "{ .reg .f32 %wmma_f<4>; .reg .b16 %wmma_h<2>; ");
    for (unsigned i = 0; i < sum.rows / sum.tile_rows; i++)
        for (unsigned j = 0; j < sum.columns / 8; j++) {
            unsigned tile = i * (sum.columns / 8) + j;
            const struct slice *from = &names[3][tile * added.in_tile], *to = &names[0][tile * sum.in_tile];
            if (mixed && !to_half)
                write_halves(w, from, true);
            strbuf_addf(&w->out, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s ", shape, w->saturates ? ".satfinite" : "", sums, type, type, sums);
            write_names(w, "", mixed ? (to_half ? single : to) : to, mixed ? 4 : sum.in_tile);
            write_names(w, ", ", &names[l][i * left.in_tile], left.in_tile);
            write_names(w, ", ", &names[r][j * right.in_tile], right.in_tile);
            write_names(w, ", ", mixed && !to_half ? single : from, mixed ? 4 : added.in_tile);
            strbuf_add(&w->out, "; ");
            if (to_half)
                write_halves(w, to, false);
        }
    strbuf_add(&w->out, "}");
    return true;
}

/* ---- the statement ---- */

static bool write_statement(struct wmma *w)
{
    const struct ptx_suffixes *s = w->suffixes;
    bool is_load = s->count && is_word(&s->words[0], "load"), is_store = s->count && is_word(&s->words[0], "store");
    bool moves = is_load || is_store;
    if (!s->count || (!moves && !is_word(&s->words[0], "mma")) || (moves && (s->count < 2 || s->words[1].length != 1)))
        return false;
    for (unsigned i = moves ? 2 : 1; i < s->count; i++)
        if (!take_suffix(w, &s->words[i]))
            return false;
    w->transposed = w->m == 8 && w->n == 32;
    if (!split_operands(w))
        return false;
    return moves ? write_moves(w, s->words[1].text[0], is_load) : write_product(w);
}

int ptx_read_instead(struct ptx_parser *p, const struct isa_instr *like, const char *text, size_t length,
                     const struct ptx_token *at)
{
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token token = p->token;
    size_t first = p->instrs.count;
    ptx_lex_init(&p->lexer, text, length);
    p->lexer.line = at->line;
    ptx_advance(p);
    int rc = ptx_parse_body(p);
    for (size_t i = first; i < p->instrs.count; i++) {
        struct isa_instr *instr = &p->instrs.items[i];
        instr->column = at->column;
        instr->guarded = like->guarded;
        instr->guard_negate = like->guard_negate;
        instr->guard = like->guard;
        instr->guard_reg = like->guard_reg;
    }
    p->lexer = lexer;
    p->token = token;
    return rc;
}

int ptx_parse_wmma(struct ptx_parser *p, const struct ptx_suffixes *suffixes)
{
    struct wmma w = {.p = p, .suffixes = suffixes, .space = ""};
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token token = p->token;
    int rc = 1;
    if (!suffixes->instr->guarded && write_statement(&w)) {
        rc = ptx_read_instead(p, suffixes->instr, arena_strdup(p->arena, strbuf_text(&w.out)), w.out.length, suffixes->op);
    } else {
        p->lexer = lexer;
        p->token = token;
    }
    strbuf_free(&w.out);
    return rc;
}
