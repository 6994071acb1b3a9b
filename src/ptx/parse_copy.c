/* Copies from global to shared memory behind the thread's back: cp.async, but for those in bulk and those that arrive
 * at a barrier. PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy".
 *
 * They become loads into registers of their own and stores, at once. PTX leaves open when between the copy and the end
 * of a wait for its group the source is read and the destination written, so the values are right; the time is that of
 * a load and a store. With nothing left to wait for, the instructions of groups become nothing. */
#include "ptx/parse.h"

#include <string.h>

enum { MOST_BYTES = 16 };

struct copy {
    const struct ptx_suffixes *suffixes;
    struct ptx_raw_operand to, from;
    int64_t bytes, source_bytes; /* written; read: the rest becomes 0 */
    bool is_decided_late;     /* how much is read, by `decides`: a register with a number of bytes, or a predicate, */
    struct ptx_value decides; /* with which nothing is */
    uint8_t cache;
};

static bool word_is(const struct ptx_suffixes *s, unsigned i, const char *text)
{
    return i < s->count && ptx_token_is(&s->words[i], text, strlen(text));
}

static int unexpected(struct ptx_parser *p, const struct ptx_suffixes *s, unsigned i, const char *what)
{
    const struct ptx_token *at = i < s->count ? &s->words[i] : s->op;
    return ptx_error(p, at, NULL, "expected %s in `cp.async`, found %s%.*s", what, i < s->count ? "." : "no more",
                     i < s->count ? (int)at->length : 0, at->text);
}

/* `.ca` or `.cg`, `.shared`, `.global`, and hints. */
static int read_suffixes(struct ptx_parser *p, struct copy *c)
{
    const struct ptx_suffixes *s = c->suffixes;
    if (!word_is(s, 1, "ca") && !word_is(s, 1, "cg"))
        return unexpected(p, s, 1, ".ca, .cg, .commit_group, .wait_group or .wait_all");
    c->cache = word_is(s, 1, "ca") ? ISA_CACHE_CA : ISA_CACHE_CG;
    if (!word_is(s, 2, "shared") && !word_is(s, 2, "shared::cta"))
        return unexpected(p, s, 2, ".shared");
    if (!word_is(s, 3, "global"))
        return unexpected(p, s, 3, ".global");
    for (unsigned i = 4; i < s->count; i++)
        if (!word_is(s, i, "L2::64B") && !word_is(s, i, "L2::128B") && !word_is(s, i, "L2::256B"))
            return unexpected(p, s, i, ".L2::64B, .L2::128B or .L2::256B");
    return 0;
}

/* Bytes that are read, in a register, or a predicate that has the source ignored. */
static int read_decision(struct ptx_parser *p, struct copy *c)
{
    c->is_decided_late = true;
    if (ptx_parse_value(p, &c->decides) < 0)
        return -1;
    if (c->decides.kind == PTX_VALUE_REG || c->decides.kind == PTX_VALUE_PRED)
        return 0;
    return ptx_error(p, &c->decides.token, NULL, "expected a number of bytes or a predicate, found `%.*s`",
                     (int)c->decides.token.length, c->decides.token.text);
}

/* `[to], [from], bytes, bytes read`; 1 when that is outside the model: a cache policy. */
static int read_operands(struct ptx_parser *p, struct copy *c)
{
    if (ptx_parse_operand(p, &c->to) < 0 || ptx_expect(p, ',', "after the destination") < 0 ||
        ptx_parse_operand(p, &c->from) < 0 || ptx_expect(p, ',', "after the source") < 0)
        return -1;
    struct ptx_token at = p->token;
    if (ptx_parse_integer(p, 0, MOST_BYTES, &c->bytes) < 0)
        return -1;
    bool is_size = c->bytes == 16 || (c->cache == ISA_CACHE_CA && (c->bytes == 4 || c->bytes == 8));
    if (!is_size)
        return ptx_error(p, &at, NULL, "%s bytes, found %d",
                         c->cache == ISA_CACHE_CA ? "cp.async.ca copies 4, 8 or 16" : "cp.async.cg copies 16",
                         (int)c->bytes);
    c->source_bytes = c->bytes;
    if (!ptx_accept(p, ','))
        return 0;
    bool is_name = p->token.kind == PTX_TOKEN_WORD || PTX_IS_PUNCT(&p->token, '!');
    if (is_name ? read_decision(p, c) < 0 : ptx_parse_integer(p, 0, c->bytes, &c->source_bytes) < 0)
        return -1;
    return PTX_IS_PUNCT(&p->token, ',');
}

/* A register that no name in the text means: of 32 bits, or a predicate. */
static struct ptx_value fresh(struct ptx_parser *p, const struct ptx_token *at, enum isa_type type)
{
    const struct ptx_symbol symbol = {.type = (uint8_t)type, .elements = 1, .index = p->body.declared};
    struct ptx_token name = {
        .kind = PTX_TOKEN_WORD, .text = "%copy", .length = 5, .line = at->line, .column = at->column};
    uint32_t index = ptx_use_reg(p, &name, &symbol, p->body.declared++);
    enum ptx_value_kind kind = type == ISA_PRED ? PTX_VALUE_PRED : PTX_VALUE_REG;
    return (struct ptx_value){.kind = (uint8_t)kind, .type = (uint8_t)type, .token = *at, .index = index};
}

static struct ptx_value fresh_register(struct ptx_parser *p, const struct ptx_token *at)
{
    return fresh(p, at, ISA_B32);
}

/* A load or store of some bytes, under the copy's guard. */
static int emit_access(struct ptx_parser *p, const struct copy *c, enum isa_op op, const struct ptx_raw_operand *values,
                       unsigned at, unsigned width)
{
    struct isa_instr access = *c->suffixes->instr;
    bool loads = op == ISA_OP_LD;
    access.op = (uint16_t)op;
    access.type = width == 1 ? ISA_B8 : width == 2 ? ISA_B16 : ISA_B32;
    access.mods = (struct isa_mods){.space = loads ? ISA_SPACE_GLOBAL : ISA_SPACE_SHARED,
                                    .cache = loads ? c->cache : 0,
                                    .vec = width == 16  ? ISA_VEC_V4
                                           : width == 8 ? ISA_VEC_V2
                                                        : 0};
    struct ptx_raw_operand raw[2] = {*values, *values}, *address = &raw[loads];
    *address = loads ? c->from : c->to;
    address->values[0].offset = (int64_t)((uint64_t)address->values[0].offset + at);
    address->values[0].constant.integer += at;
    if (ptx_bind_operands(p, &access, raw, 2, c->suffixes->op) < 0)
        return -1;
    ptx_emit(p, &access);
    return 0;
}

static int emit_piece(struct ptx_parser *p, const struct copy *c, unsigned at, unsigned width, bool is_read)
{
    unsigned count = width > 4 ? width / 4 : 1;
    struct ptx_raw_operand values = {
        .shape = count > 1 ? PTX_VECTOR : PTX_PLAIN, .count = (uint8_t)count, .token = *c->suffixes->op};
    for (unsigned i = 0; i < count; i++)
        values.values[i] = is_read ? fresh_register(p, c->suffixes->op)
                                   : (struct ptx_value){.kind = PTX_VALUE_CONSTANT, .token = *c->suffixes->op};
    if (is_read && emit_access(p, c, ISA_OP_LD, &values, at, width) < 0)
        return -1;
    return emit_access(p, c, ISA_OP_ST, &values, at, width);
}

/* In the largest pieces that lie as copies of their sizes have to. */
static int emit_copy(struct ptx_parser *p, const struct copy *c)
{
    unsigned width, read = (unsigned)c->source_bytes;
    for (unsigned at = 0; at < (unsigned)c->bytes; at += width) {
        unsigned end = at < read ? read : (unsigned)c->bytes;
        for (width = MOST_BYTES; at % width || at + width > end;)
            width /= 2;
        if (emit_piece(p, c, at, width, at < read) < 0)
            return -1;
    }
    return 0;
}

/* ---- copies that decide late how much they read ---- */

/* Such a copy writes zeros or, where all bytes are read, those: the two that programs mean. Other numbers of bytes are
 * copied one by one behind that, which lanes that have none jump over. `copy` is it without its guard. */
struct late {
    struct copy copy;
    struct isa_instr like;    /* without a guard and without modifiers */
    struct ptx_token end;     /* a label that no text can name */
    struct ptx_raw_operand v; /* what is written */
    unsigned width;           /* bytes of it */
};

static struct ptx_raw_operand plain(const struct ptx_value *value)
{
    return (struct ptx_raw_operand){.shape = PTX_PLAIN, .count = 1, .token = value->token, .values = {*value}};
}

static struct ptx_value number(const struct late *l, unsigned n)
{
    return (struct ptx_value){.kind = PTX_VALUE_CONSTANT, .constant = {.integer = n}, .token = *l->copy.suffixes->op};
}

static struct isa_instr guarded(struct isa_instr instr, const struct ptx_value *by)
{
    instr.guarded = true;
    instr.guard_negate = by->negate;
    instr.guard = instr.guard_reg = by->index;
    return instr;
}

static struct ptx_value negated(struct ptx_value predicate)
{
    predicate.negate = !predicate.negate;
    return predicate;
}

/* A jump to the end, of lanes for which the predicate holds. */
static void jump(struct ptx_parser *p, const struct late *l, const struct ptx_value *where)
{
    struct isa_instr instr = guarded(l->like, where);
    instr.op = ISA_OP_BRA;
    const struct ptx_label_ref ref = {l->end, p->body.scopes[p->body.depth].number, (uint32_t)p->instrs.count,
                                      PTX_NONE};
    vec_push(&p->body.refs, ref);
    ptx_emit(p, &instr);
}

/* p = number of bytes COMPARED with n; and, too, if that is given. */
static int compare(struct ptx_parser *p, const struct late *l, const struct ptx_value *to, unsigned comparison,
                   unsigned n, const struct ptx_value *and)
{
    const struct ptx_value limit = number(l, n);
    struct isa_instr instr = l->like;
    instr.op = ISA_OP_SETP;
    instr.type = ISA_U32;
    instr.mods.cmp = (uint8_t)comparison;
    instr.mods.boolop = and? ISA_BOOLOP_AND : 0;
    struct ptx_raw_operand raw[4] = {plain(to), plain(&l->copy.decides), plain(&limit)};
    if (and)
        raw[3] = plain(and);
    if (ptx_bind_operands(p, &instr, raw, and? 4 : 3, l->copy.suffixes->op) < 0)
        return -1;
    ptx_emit(p, &instr);
    return 0;
}

static int clear(struct ptx_parser *p, const struct late *l)
{
    for (unsigned i = 0; i < l->v.count; i++) {
        const struct ptx_value zero = number(l, 0);
        struct isa_instr instr = l->like;
        struct ptx_raw_operand raw[2] = {plain(&l->v.values[i]), plain(&zero)};
        instr.op = ISA_OP_MOV;
        instr.type = ISA_B32;
        if (ptx_bind_operands(p, &instr, raw, 2, l->copy.suffixes->op) < 0)
            return -1;
        ptx_emit(p, &instr);
    }
    return 0;
}

/* A load or store of these values, where the predicate holds. */
static int access_where(struct ptx_parser *p, const struct late *l, const struct ptx_value *where, enum isa_op op,
                        const struct ptx_raw_operand *values, unsigned at, unsigned width)
{
    const struct isa_instr instr = guarded(l->like, where);
    struct ptx_suffixes suffixes = *l->copy.suffixes;
    struct copy copy = l->copy;
    suffixes.instr = &instr;
    copy.suffixes = &suffixes;
    return emit_access(p, &copy, op, values, at, width);
}

/* The first bytes, one by one; not the last, without which they are not all. */
static int emit_some_bytes(struct ptx_parser *p, const struct late *l)
{
    const struct ptx_token *at = l->copy.suffixes->op;
    for (unsigned i = 0; i + 1 < l->width; i++) {
        const struct ptx_value reads = fresh(p, at, ISA_PRED), byte = fresh_register(p, at);
        const struct ptx_raw_operand values = plain(&byte);
        if (compare(p, l, &reads, ISA_CMP_GT, i, NULL) < 0 ||
            access_where(p, l, &reads, ISA_OP_LD, &values, i, 1) < 0 ||
            access_where(p, l, &reads, ISA_OP_ST, &values, i, 1) < 0)
            return -1;
    }
    return 0;
}

static int emit_by_number(struct ptx_parser *p, const struct late *l)
{
    const struct ptx_token *at = l->copy.suffixes->op;
    const struct ptx_value all = fresh(p, at, ISA_PRED), not_all = negated(all), some = fresh(p, at, ISA_PRED);
    const struct ptx_value none_or_all = negated(some);
    if (compare(p, l, &all, ISA_CMP_GE, l->width, NULL) < 0 ||
        access_where(p, l, &all, ISA_OP_LD, &l->v, 0, l->width) < 0 ||
        emit_access(p, &l->copy, ISA_OP_ST, &l->v, 0, l->width) < 0 ||
        compare(p, l, &some, ISA_CMP_NE, 0, &not_all) < 0)
        return -1;
    jump(p, l, &none_or_all);
    return emit_some_bytes(p, l);
}

static int emit_by_predicate(struct ptx_parser *p, const struct late *l)
{
    const struct ptx_value reads = negated(l->copy.decides);
    return access_where(p, l, &reads, ISA_OP_LD, &l->v, 0, l->width) < 0
               ? -1
               : emit_access(p, &l->copy, ISA_OP_ST, &l->v, 0, l->width);
}

static int emit_late(struct ptx_parser *p, const struct copy *c)
{
    struct ptx_suffixes suffixes = *c->suffixes;
    struct late l = {.copy = *c, .like = *c->suffixes->instr, .end = *c->suffixes->op, .width = (unsigned)c->bytes};
    const struct isa_instr *own = c->suffixes->instr;
    const struct ptx_value guard = {.kind = PTX_VALUE_PRED, .negate = own->guard_negate, .index = own->guard_reg};
    const struct ptx_value not_guarded = negated(guard);
    l.like.guarded = l.like.guard_negate = false;
    l.like.guard = l.like.guard_reg = 0;
    l.like.mods = (struct isa_mods){0};
    suffixes.instr = &l.like;
    l.copy.suffixes = &suffixes;
    l.end.text = arena_printf(p->arena, "end of the copy at %zu", p->instrs.count);
    l.end.length = (uint32_t)strlen(l.end.text);
    l.v = (struct ptx_raw_operand){
        .shape = l.width > 4 ? PTX_VECTOR : PTX_PLAIN, .count = (uint8_t)(l.width / 4), .token = *suffixes.op};
    for (unsigned i = 0; i < l.v.count; i++)
        l.v.values[i] = fresh_register(p, suffixes.op);
    if (own->guarded)
        jump(p, &l, &not_guarded);
    if (clear(p, &l) < 0 || (c->decides.kind == PTX_VALUE_PRED ? emit_by_predicate(p, &l) : emit_by_number(p, &l)) < 0)
        return -1;
    const struct ptx_label end = {l.end, p->body.scopes[p->body.depth].number, (uint32_t)p->instrs.count};
    vec_push(&p->body.labels, end);
    return 0;
}

static int parse_group(struct ptx_parser *p, const struct ptx_suffixes *s)
{
    int64_t groups;
    if (s->count > 2)
        return unexpected(p, s, 2, "no other suffix");
    return word_is(s, 1, "wait_group") ? ptx_parse_integer(p, 0, UINT32_MAX, &groups) : 0;
}

int ptx_parse_copy(struct ptx_parser *p, const struct ptx_suffixes *suffixes)
{
    if (!word_is(suffixes, 0, "async"))
        return 1;
    for (unsigned i = 1; i < suffixes->count; i++)
        if (ptx_word_is_outside(suffixes->words[i].text, suffixes->words[i].length))
            return 1;
    if (word_is(suffixes, 1, "commit_group") || word_is(suffixes, 1, "wait_group") || word_is(suffixes, 1, "wait_all"))
        return parse_group(p, suffixes);
    struct copy copy = {.suffixes = suffixes};
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token start = p->token;
    size_t used = p->body.regs.count;
    int rc = read_suffixes(p, &copy) < 0 ? -1 : read_operands(p, &copy);
    if (rc > 0) {
        p->body.regs.count = used; /* its registers count for nothing */
        p->lexer = lexer;
        p->token = start;
    }
    return rc ? rc : copy.is_decided_late ? emit_late(p, &copy) : emit_copy(p, &copy);
}
