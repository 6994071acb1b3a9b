/* Instructions: guard, mnemonic and suffixes, operands. Suffixes are taken in any order; what each means is asked of
 * the opcode's row. An instruction that exists in PTX but not in the model is kept as its text (ISA_OP_OUTSIDE). */
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

struct mnemonic {
    struct ptx_token op, words[PTX_MAX_WORDS];
    unsigned word_count;
};

static int parse_guard(struct ptx_parser *p, struct isa_instr *instr)
{
    if (!ptx_accept(p, '@'))
        return 0;
    instr->guard_negate = ptx_accept(p, '!');
    struct ptx_value value;
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "a predicate register");
    if (ptx_parse_value(p, &value) < 0)
        return -1;
    if (value.kind != PTX_VALUE_PRED)
        return ptx_error(p, &value.token, NULL, "a guard is a predicate register");
    instr->guarded = true;
    instr->guard = instr->guard_reg = value.index;
    return 0;
}

/* Lockstep's own instructions, those of mbarriers, copies and fences of proxies carry dots in their names: the longest name
 * that is known. */
static void join_name(const struct ptx_parser *p, struct mnemonic *m)
{
    static const char *const families[] = {"lockstep", "mbarrier", "cp", "fence", "st", "red", "wgmma"};
    bool joins = false;
    for (unsigned i = 0; i < sizeof families / sizeof families[0]; i++)
        joins |= ptx_token_is(&m->op, families[i], strlen(families[i]));
    uint32_t length = m->op.length, best = 0, words = 0;
    for (unsigned i = 0; joins && i < m->word_count; i++) {
        length += 1 + m->words[i].length;
        if (m->words[i].text != m->op.text + length - m->words[i].length)
            break; /* blanks stand between */
        if (strmap_get(&p->words.ops, m->op.text, length) != STRMAP_NONE)
            best = length, words = i + 1;
    }
    if (!best && ptx_token_is(&m->op, "lockstep", 8) && m->word_count)
        best = m->op.length + 1 + m->words[0].length, words = 1; /* nothing has the bare name: to be told with the next */
    if (!best)
        return;
    m->op.length = best;
    m->word_count -= words;
    memmove(m->words, m->words + words, m->word_count * sizeof m->words[0]);
}

static int parse_mnemonic(struct ptx_parser *p, struct mnemonic *m)
{
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "an instruction");
    m->op = p->token;
    m->word_count = 0;
    ptx_advance(p);
    while (p->token.kind == PTX_TOKEN_DOT) {
        if (m->word_count == PTX_MAX_WORDS)
            return ptx_error(p, &p->token, NULL, "too many suffixes");
        m->words[m->word_count++] = p->token;
        ptx_advance(p);
    }
    join_name(p, m);
    return 0;
}

/* The rest of a statement, up to its `;`, as text with single blanks. */
static int take_text(struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr)
{
    struct strbuf text = {0};
    strbuf_addn(&text, m->op.text, m->op.length);
    for (unsigned i = 0; i < m->word_count; i++)
        strbuf_addf(&text, ".%.*s", (int)m->words[i].length, m->words[i].text);
    uint32_t depth = 0;
    while (!PTX_IS_PUNCT(&p->token, ';')) {
        if (p->token.kind == PTX_TOKEN_END || (PTX_IS_PUNCT(&p->token, '}') && !depth--)) {
            strbuf_free(&text);
            return ptx_expected(p, "`;` after the instruction");
        }
        depth += PTX_IS_PUNCT(&p->token, '{');
        bool is_string = p->token.kind == PTX_TOKEN_STRING;
        strbuf_addf(&text, "%s%s%.*s%s", p->token.spaced ? " " : "",
                    p->token.kind == PTX_TOKEN_DOT ? "."
                    : is_string                    ? "\""
                                                   : "",
                    (int)p->token.length, p->token.text, is_string ? "\"" : "");
        ptx_advance(p);
    }
    instr->op = ISA_OP_OUTSIDE;
    instr->type = instr->stype = ISA_NONE;
    instr->mods = (struct isa_mods){0};
    instr->dst_count = instr->src_count = 0;
    for (size_t i = 0; i < text.length; i++)
        if (text.text[i] == '"' || text.text[i] == '\\')
            text.text[i] = '\''; /* so that it can stand in a string */
    instr->text = arena_strdup(p->arena, strbuf_text(&text));
    strbuf_free(&text);
    return 0;
}

static bool class_has(char c, enum isa_type type)
{
    const struct isa_type_info *info = isa_type_info(type);
    bool is_int = info->family == ISA_CLASS_UINT || info->family == ISA_CLASS_SINT;
    bool is_bits = info->family == ISA_CLASS_BITS;
    switch (c) {
    case 'i': return (is_int && info->bits >= 16 && info->bits <= 64);
    case 'I': return (is_int || is_bits) && info->bits >= 32 && info->bits <= 64;
    case 'f': return type == ISA_F32 || type == ISA_F64;
    case 'F': return info->family == ISA_CLASS_FLOAT || info->family == ISA_CLASS_PACKED;
    case 'h': return type == ISA_F16 || type == ISA_F16X2 || type == ISA_BF16 || type == ISA_BF16X2;
    case 'b': return is_bits && info->bits >= 16 && info->bits <= 64;
    case 'B': return is_bits && info->bits >= 32 && info->bits <= 64;
    case 'p': return type == ISA_PRED;
    case 'm': return info->family != ISA_CLASS_PRED && info->family != ISA_CLASS_NONE;
    case 'w': return (is_int || is_bits) && info->bits == 32;
    case '*': return type != ISA_NONE && type != ISA_PRED;
    default: return false;
    }
}

static bool classes_have(const char *classes, size_t n, enum isa_type type)
{
    for (size_t i = 0; i < n; i++)
        if (class_has(classes[i], type))
            return true;
    return false;
}

/* Types against the row; cvt.pack alone has a third, .b32. */
static int check_types(struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr, unsigned count,
                       const uint8_t types[3])
{
    const struct isa_op_info *info = isa_op_info(instr->op);
    size_t first = strcspn(info->types, " ");
    bool has_second = info->types[first] == ' ', none_ok = memchr(info->types, '-', first);
    bool is_pack = instr->op == ISA_OP_CVT && instr->mods.pack;
    bool has_third = isa_is_video(instr->op) && strstr(info->fields, "BTYPE");
    unsigned want = has_second ? 2 : 1; /* a third is a modifier */
    if (has_third && count == 3 && !instr->mods.btype)
        return ptx_error(p, &m->op, NULL, "%s has no form for a third type .%s", info->text,
                         isa_type_info(types[2])->text);
    if (count != want && !(count == 0 && none_ok) && !(count == 3 && is_pack && types[2] == ISA_B32))
        return ptx_error(p, &m->op, NULL, "%s takes %s type suffix%s, found %u", info->text,
                         none_ok && !has_second ? "no"
                         : has_third            ? "three"
                         : has_second           ? "two"
                                                : "one",
                         want > 1 ? "es" : "", count + (instr->mods.btype != 0));
    if (count && !classes_have(info->types, first, types[0]))
        return ptx_error(p, &m->op, NULL, "%s has no form for type .%s", info->text, isa_type_info(types[0])->text);
    if (has_second && !classes_have(info->types + first + 1, strlen(info->types + first + 1), types[1]))
        return ptx_error(p, &m->op, NULL, "%s has no form for a second type .%s", info->text,
                         isa_type_info(types[1])->text);
    instr->type = count ? types[0] : ISA_NONE;
    instr->stype = count > 1 ? types[1] : ISA_NONE;
    return 0;
}

/* Forms of modelled opcodes that are outside the model. */
static bool is_outside_form(const struct isa_instr *instr)
{
    uint8_t type = instr->type;
    bool is_cluster = instr->op == ISA_OP_BAR && instr->mods.scope == ISA_SCOPE_CLUSTER;
    bool is_image = isa_op_info(instr->op)->flags & ISA_FLAG_IMAGE;
    bool is_formatted = instr->mods.surface == ISA_SURFACE_FORMATTED && instr->op != ISA_OP_SUST;
    bool is_converted = is_image && (type == ISA_F16X2 || type == ISA_F16 || is_formatted);
    bool is_rounded = instr->op == ISA_OP_MMA && instr->mods.round > ISA_ROUND_RN;
    bool is_of_bits = instr->op == ISA_OP_WGMMA && instr->stype == ISA_B1;
    return is_of_bits || is_rounded || is_cluster || is_converted;
}

/* Reads the suffixes: 1 when the form is outside the model. */
static int read_suffixes(struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr)
{
    uint8_t types[3] = {0};
    unsigned count = 0;
    const struct ptx_token *unknown = NULL;
    for (unsigned i = 0; i < m->word_count; i++) {
        const struct ptx_token *word = &m->words[i];
        uint32_t type = strmap_get(&p->words.types, word->text, word->length);
        if (instr->op == ISA_OP_WGMMA && ptx_take_shape(word, instr))
            continue;
        if (count == 2 && (isa_is_video(instr->op) || isa_is_product(instr->op)) &&
            ptx_words_set_mod(&p->words, instr->op, &instr->mods, word->text, word->length))
            continue; /* its third type, or what stands behind the types */
        if (type != STRMAP_NONE && count < 3)
            types[count++] = (uint8_t)type;
        else if (type != STRMAP_NONE ||
                 !ptx_words_set_mod(&p->words, instr->op, &instr->mods, word->text, word->length)) {
            if (ptx_word_is_outside(word->text, word->length))
                return 1;
            unknown = unknown ? unknown : word;
        }
    }
    instr->type = types[0];
    instr->stype = types[1];
    if (is_outside_form(instr))
        return 1;
    if (unknown)
        return ptx_error(p, unknown, NULL, "%s has no suffix `.%.*s`", isa_op_info(instr->op)->text,
                         (int)unknown->length, unknown->text);
    if (check_types(p, m, instr, count, types) < 0)
        return -1;
    const struct ptx_suffixes suffixes = {.instr = instr, .op = &m->op, .words = m->words, .count = m->word_count};
    return ptx_check_forms(p, &suffixes);
}

static int unknown_mnemonic(struct ptx_parser *p, const struct mnemonic *m)
{
    char word[48];
    size_t n = m->op.length < sizeof word - 1 ? m->op.length : sizeof word - 1;
    memcpy(word, m->op.text, n);
    word[n] = 0;
    const char *near = ptx_nearest_op(word);
    char hint[80];
    snprintf(hint, sizeof hint, "did you mean `%s`?", near ? near : "");
    return ptx_error(p, &m->op, near ? hint : NULL, "`%s` is not a PTX instruction", word);
}

static int parse_branch(struct ptx_parser *p, struct isa_instr *instr)
{
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "a label");
    struct ptx_label_ref ref = {p->token, p->body.scopes[p->body.depth].number, (uint32_t)p->instrs.count, PTX_NONE};
    vec_push(&p->body.refs, ref);
    instr->target = ISA_PC_NONE;
    ptx_advance(p);
    return 0;
}

/* `brx.idx %r1, targets`. */
static int parse_indexed_branch(struct ptx_parser *p, struct isa_instr *instr)
{
    struct ptx_value index;
    struct isa_operand *operand = ARENA_NEW(p->arena, struct isa_operand, 1);
    if (ptx_parse_value(p, &index) < 0 || ptx_bind_value(p, &index, ISA_U32, false, operand) < 0 ||
        ptx_expect(p, ',', "after the index") < 0)
        return -1;
    const struct ptx_symbol *symbol =
        p->token.kind == PTX_TOKEN_WORD ? ptx_lookup(p, p->token.text, p->token.length) : NULL;
    if (!symbol || symbol->kind != PTX_SYMBOL_TARGETS)
        return ptx_expected(p, "the label of a .branchtargets directive");
    ptx_advance(p);
    const struct ptx_target_list *list = &p->body.target_lists.items[symbol->index];
    instr->src = operand;
    instr->src_count = 1;
    instr->target_count = list->count;
    instr->targets = ARENA_NEW(p->arena, uint32_t, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        struct ptx_label_ref ref = {p->body.target_tokens.items[list->first + i], list->scope,
                                    (uint32_t)p->instrs.count, i};
        vec_push(&p->body.refs, ref);
    }
    return 0;
}

/* `lockstep.lock.timed [address], limit, label`. */
static int parse_timed_lock(struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr)
{
    struct ptx_raw_operand raw[2];
    for (unsigned i = 0; i < 2; i++)
        if (ptx_parse_operand(p, &raw[i]) < 0 || ptx_expect(p, ',', i ? "and a label" : "and a limit") < 0)
            return -1;
    return parse_branch(p, instr) < 0 ? -1 : ptx_bind_operands(p, instr, raw, 2, &m->op);
}

static bool names_outside(const struct ptx_raw_operand *raw, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < raw[i].count; k++)
            if (raw[i].values[k].kind == PTX_VALUE_OUTSIDE)
                return true;
    return false;
}

/* Video instructions that take parts of their operands, put their result into a part of the destination, or negate an
 * operand (`%r1.b0`, `%r1.h10`, `-%r1`) are outside the model. */
static bool selects_parts(const struct ptx_parser *p)
{
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token at = p->token, before = at;
    for (; at.kind != PTX_TOKEN_END && !PTX_IS_PUNCT(&at, ';'); before = at, at = ptx_lex_next(&lexer)) {
        bool is_part = at.kind == PTX_TOKEN_DOT && at.length > 1 && (at.text[0] == 'b' || at.text[0] == 'h');
        if (is_part || (PTX_IS_PUNCT(&before, '-') && at.kind == PTX_TOKEN_WORD))
            return true;
    }
    return false;
}

/* Reads of textures with an offset of texels, or a depth to compare with, are outside the model. */
static bool is_offset(const struct isa_instr *instr, unsigned operands)
{
    static const uint8_t behind[] = {[ISA_LOD_BASE] = 0, [ISA_LOD_LEVEL] = 1, [ISA_LOD_GRADIENT] = 2};
    bool reads = instr->op == ISA_OP_TEX || instr->op == ISA_OP_TLD4;
    return reads && operands > 2u + behind[instr->mods.lod];
}

static int parse_operands(struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr)
{
    struct ptx_raw_operand raw[PTX_MAX_OPERANDS];
    unsigned count = 0;
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token start = p->token;
    size_t used = p->body.regs.count;
    if (!*isa_op_info(instr->op)->operands && !PTX_IS_PUNCT(&p->token, ';'))
        return ptx_expected(p, "`;` after the instruction");
    if (isa_is_video(instr->op) && selects_parts(p))
        return take_text(p, m, instr);
    while (!PTX_IS_PUNCT(&p->token, ';')) {
        if (count == PTX_MAX_OPERANDS)
            return ptx_error(p, &p->token, NULL, "too many operands");
        if (ptx_parse_operand(p, &raw[count]) < 0)
            return -1;
        count++;
        if (!ptx_accept(p, ','))
            break;
    }
    if (names_outside(raw, count) || is_offset(instr, count)) {
        p->body.regs.count = used; /* its registers count for nothing */
        p->lexer = lexer;
        p->token = start;
        return take_text(p, m, instr);
    }
    if (!PTX_IS_PUNCT(&p->token, ';'))
        return ptx_expected(p, "`,` or `;`");
    return ptx_bind_operands(p, instr, raw, count, &m->op);
}

static bool has_word(const struct mnemonic *m, const char *word)
{
    for (unsigned i = 0; i < m->word_count; i++)
        if (ptx_token_is(&m->words[i], word, strlen(word)))
            return true;
    return false;
}

/* A function's own parameters and results lie in its frame, which is local memory: a register that leads to them holds
 * an address there. With .param::entry it is one in the kernel's parameters. PTX ISA, "Parameter State Space". */
static void settle_param_space(const struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr)
{
    bool is_access = instr->op == ISA_OP_LD || instr->op == ISA_OP_ST;
    if (is_access && instr->mods.space == ISA_SPACE_PARAM && instr->src[0].kind == ISA_OPERAND_REG &&
        !p->body.is_kernel && !has_word(m, "param::entry"))
        instr->mods.space = ISA_SPACE_LOCAL;
}

/* An operation on an mbarrier that names no order: arrivals release to the block, waits acquire from it. PTX ISA,
 * "mbarrier.arrive", "mbarrier.test_wait". */
static void settle_mbarrier(struct isa_instr *instr)
{
    bool arrives = instr->op >= ISA_OP_MBARRIER_ARRIVE && instr->op <= ISA_OP_MBARRIER_DROP_TX;
    if ((!arrives && !isa_looks_at_mbarrier(instr)) || instr->mods.order)
        return;
    instr->mods.order = arrives ? ISA_ORDER_RELEASE : ISA_ORDER_ACQUIRE;
    instr->mods.scope = ISA_SCOPE_CTA;
}

/* Fills in what an instruction that synchronizes does not say in its text: of a lock or semaphore of Lockstep's own, the
 * atomic that it does to its word, with the order that guards need; which barrier is meant, and its order. */
static void settle_sync(struct isa_instr *instr)
{
    static const struct {
        uint16_t op;
        uint8_t atomic, order;
    } ways[] = {
        {ISA_OP_LOCK, ISA_ATOMIC_CAS, ISA_ORDER_ACQUIRE},      {ISA_OP_LOCK_TIMED, ISA_ATOMIC_CAS, ISA_ORDER_ACQUIRE},
        {ISA_OP_TRYLOCK, ISA_ATOMIC_CAS, ISA_ORDER_ACQUIRE},   {ISA_OP_UNLOCK, ISA_ATOMIC_EXCH, ISA_ORDER_RELEASE},
        {ISA_OP_SEM_WAIT, ISA_ATOMIC_TAKE, ISA_ORDER_ACQUIRE}, {ISA_OP_SEM_SIGNAL, ISA_ATOMIC_ADD, ISA_ORDER_RELEASE},
    };
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].op != instr->op)
            continue;
        instr->mods.atomic = ways[i].atomic;
        instr->mods.order = instr->mods.order ? instr->mods.order : ways[i].order;
        instr->mods.scope = instr->mods.scope ? instr->mods.scope : ISA_SCOPE_GPU;
    }
    if (instr->op == ISA_OP_BARRIER_GRID)
        instr->mods.barrier = ISA_BARRIER_GRID;
    settle_mbarrier(instr);
    if (instr->op == ISA_OP_CP_ASYNC)
        instr->mods.space = ISA_SPACE_GLOBAL;
    if (instr->op == ISA_OP_ST_ASYNC || instr->op == ISA_OP_RED_ASYNC)
        instr->mods.space = ISA_SPACE_CLUSTER;
    if (isa_is_cluster_barrier(instr) && !instr->mods.order)
        instr->mods.order = instr->mods.barrier == ISA_BARRIER_WAIT ? ISA_ORDER_ACQUIRE : ISA_ORDER_RELEASE;
}

static bool is_sink(const struct isa_operand *operands, unsigned count)
{
    while (count && operands[count - 1].kind == ISA_OPERAND_NONE)
        count--;
    return !count;
}

/* A move of 128 bits is two of 64, of which the first is emitted here. Either side has two or four parts. */
static void part_move(struct ptx_parser *p, struct isa_instr *instr)
{
    instr->type = ISA_B64;
    instr->dst_count /= 2;
    instr->src_count /= 2;
    struct isa_instr lower = *instr;
    instr->dst += instr->dst_count;
    instr->src += instr->src_count;
    if (is_sink(instr->dst, instr->dst_count))
        *instr = lower;
    else if (!is_sink(lower.dst, lower.dst_count))
        ptx_emit(p, &lower);
}

/* Of values of 128 bits, only atomics are instructions of their own. */
static void settle_wide(struct ptx_parser *p, struct isa_instr *instr)
{
    if (instr->type != ISA_B128 || instr->op == ISA_OP_ATOM)
        return;
    if (instr->op == ISA_OP_MOV) {
        part_move(p, instr);
        return;
    }
    instr->type = ISA_B64;
    instr->mods.vec = ISA_VEC_V2;
}

static int parse_known(struct ptx_parser *p, const struct mnemonic *m, struct isa_instr *instr)
{
    int outside = read_suffixes(p, m, instr);
    if (outside)
        return outside < 0 ? -1 : take_text(p, m, instr);
    settle_sync(instr);
    switch (instr->op) {
    case ISA_OP_LOCK_TIMED: return parse_timed_lock(p, m, instr);
    case ISA_OP_BRA: return parse_branch(p, instr);
    case ISA_OP_BRX: return parse_indexed_branch(p, instr);
    case ISA_OP_CALL: return ptx_parse_call(p, instr, &m->op);
    case ISA_OP_MMA: return ptx_parse_product(p, instr);
    case ISA_OP_WGMMA: return ptx_parse_asynchronous(p, instr, &m->op);
    default: break;
    }
    if (parse_operands(p, m, instr) < 0)
        return -1;
    if (instr->op == ISA_OP_TEX || instr->op == ISA_OP_TLD4 || instr->mods.query)
        instr->mods.cache = ISA_CACHE_NC; /* textures are read as what no thread writes */
    settle_param_space(p, m, instr);
    settle_wide(p, instr);
    return 0;
}

/* Returns 1 when the statement has emitted what it becomes. */
static int parse_statement(struct ptx_parser *p, struct isa_instr *instr)
{
    struct mnemonic m;
    instr->line = p->token.line;
    instr->column = p->token.column;
    if (parse_guard(p, instr) < 0 || parse_mnemonic(p, &m) < 0)
        return -1;
    uint32_t op = strmap_get(&p->words.ops, m.op.text, m.op.length);
    if (op == ISA_OP_OUTSIDE && p->token.kind == PTX_TOKEN_STRING) {
        instr->op = ISA_OP_OUTSIDE;
        instr->text = ptx_copy(p, &p->token);
        ptx_advance(p);
        return 0;
    }
    if (ptx_token_is(&m.op, "wmma", 4)) {
        const struct ptx_suffixes suffixes = {.instr = instr, .op = &m.op, .words = m.words, .count = m.word_count};
        int outside = ptx_parse_wmma(p, &suffixes);
        if (outside <= 0)
            return outside < 0 ? -1 : 1;
    }
    if (ptx_token_is(&m.op, "tensormap", 9)) {
        const struct ptx_suffixes suffixes = {.op = &m.op, .words = m.words, .count = m.word_count};
        struct ptx_lexer lexer = p->lexer;
        struct ptx_token token = p->token;
        int rc = ptx_parse_tensormap(p, instr, &suffixes);
        if (rc != 1)
            return rc == 2 ? 1 : rc;
        p->lexer = lexer;
        p->token = token;
        return take_text(p, &m, instr);
    }
    if (ptx_token_is(&m.op, "createpolicy", 12)) {
        const struct ptx_suffixes suffixes = {.op = &m.op, .words = m.words, .count = m.word_count};
        return ptx_parse_policy(p, instr, &suffixes);
    }
    if (op == ISA_OP_OUTSIDE || isa_is_outside(m.op.text, m.op.length))
        return take_text(p, &m, instr);
    if (op == STRMAP_NONE)
        return unknown_mnemonic(p, &m);
    instr->op = (uint16_t)op;
    return parse_known(p, &m, instr);
}

uint32_t ptx_emit(struct ptx_parser *p, struct isa_instr *instr)
{
    instr->unit = isa_unit_of(instr);
    instr->latency = isa_latency_of(instr);
    instr->reconverge = ISA_PC_NONE;
    instr->source_file = p->body.source_file;
    instr->source_line = p->body.source_line;
    instr->inlined = p->body.inlined;
    instr->spin = p->body.marks_spin ? ISA_SPIN_MARK : 0;
    p->body.marks_spin = false;
    vec_push(&p->instrs, *instr);
    return (uint32_t)p->instrs.count - 1;
}

int ptx_parse_instr(struct ptx_parser *p)
{
    struct isa_instr instr = {.target = ISA_PC_NONE};
    int emitted = parse_statement(p, &instr);
    if (emitted < 0)
        return -1;
    /* A call has emitted itself, between the copies of its register arguments. */
    if (instr.op == ISA_OP_RET)
        ptx_emit_formals(p, &instr, false);
    if (!emitted && instr.op != ISA_OP_CALL)
        ptx_emit(p, &instr);
    return ptx_expect(p, ';', "after the instruction");
}
