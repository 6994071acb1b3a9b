/* Copies from global to shared memory behind the thread's back: cp.async, but for those in bulk and those that arrive at
 * a barrier. PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy".
 *
 * They become loads into registers of their own and stores, at once. PTX leaves open when between the copy and the end
 * of a wait for its group the source is read and the destination written, so the values are right; the time is that of a
 * load and a store. With nothing left to wait for, the instructions of groups become nothing. */
#include "ptx/parse.h"

#include <string.h>

enum { MOST_BYTES = 16 };

struct copy {
    const struct ptx_suffixes *suffixes;
    struct ptx_raw_operand to, from;
    int64_t bytes, source_bytes; /* written; read: the rest becomes 0 */
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

/* `[to], [from], bytes, bytes read`; 1 when that is outside the model: a number of bytes in a register, a predicate that
 * says whether the source is read, a cache policy. */
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
                         c->cache == ISA_CACHE_CA ? "cp.async.ca copies 4, 8 or 16" : "cp.async.cg copies 16", (int)c->bytes);
    c->source_bytes = c->bytes;
    if (!ptx_accept(p, ','))
        return 0;
    if (p->token.kind == PTX_TOKEN_WORD || PTX_IS_PUNCT(&p->token, '!'))
        return 1;
    if (ptx_parse_integer(p, 0, c->bytes, &c->source_bytes) < 0)
        return -1;
    return PTX_IS_PUNCT(&p->token, ',');
}

/* A register of 32 bits that no name in the text means. */
static struct ptx_value fresh_register(struct ptx_parser *p, const struct ptx_token *at)
{
    const struct ptx_symbol symbol = {.type = ISA_B32, .elements = 1, .index = p->body.declared};
    struct ptx_token name = {.kind = PTX_TOKEN_WORD, .text = "%copy", .length = 5, .line = at->line, .column = at->column};
    uint32_t index = ptx_use_reg(p, &name, &symbol, p->body.declared++);
    return (struct ptx_value){.kind = PTX_VALUE_REG, .type = ISA_B32, .token = *at, .index = index};
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
                                    .vec = width == 16 ? ISA_VEC_V4 : width == 8 ? ISA_VEC_V2 : 0};
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
    return rc ? rc : emit_copy(p, &copy);
}
