/* Instructions of litmus tests. */
#include <string.h>

#include "litmus/parse.h"

/* A word in the place of an order: relaxed, at the scope of the system (PTX ISA, ld.volatile). */
#define LITMUS_VOLATILE (LITMUS_SC + 1)

struct word_value {
    const char *word;
    unsigned value;
};
static const struct word_value orders[] = {
    {"weak", LITMUS_WEAK},         {"relaxed", LITMUS_RELAXED},
    {"acquire", LITMUS_ACQUIRE},   {"release", LITMUS_RELEASE},
    {"acq_rel", LITMUS_ACQ_REL},   {"sc", LITMUS_SC},
    {"volatile", LITMUS_VOLATILE}, {NULL, 0},
};
/* Of fences. */
static const struct word_value proxies[] = {{"alias", LITMUS_ALIAS},     {"surface", LITMUS_SURFACE},
                                            {"texture", LITMUS_TEXTURE}, {"constant", LITMUS_CONSTANT},
                                            {"async", LITMUS_ASYNC},     {"tensormap::generic", LITMUS_TENSORMAP},
                                            {"global", LITMUS_GENERIC},  {NULL, 0}};
static const struct word_value scopes[] = {{"cta", LITMUS_CTA}, {"gpu", LITMUS_GPU}, {"sys", LITMUS_SYS}, {NULL, 0}};
static const struct word_value updates[] = {
#define UPDATE(name, type, value) {#name, LITMUS_##name},
#include "litmus/updates.def"
#undef UPDATE
    {NULL, 0},
};

/* One part of an instruction's word, between its dots. */
struct part {
    const char *text;
    unsigned length;
};

static bool next_part(struct part *rest, struct part *part)
{
    if (!rest->length)
        return false;
    const char *dot = memchr(rest->text, '.', rest->length);
    part->text = rest->text;
    part->length = dot ? (unsigned)(dot - rest->text) : rest->length;
    unsigned past = part->length + (dot != NULL);
    rest->text += past, rest->length -= past;
    return true;
}

static bool find_word(const struct part *part, const struct word_value *words, unsigned *value)
{
    for (; words->word; words++)
        if (strlen(words->word) == part->length && !memcmp(words->word, part->text, part->length)) {
            *value = words->value;
            return true;
        }
    return false;
}

/* Words of an instruction that struct litmus_instr does not keep. */
struct words {
    bool order, scope;
    unsigned bits; /* 0: nothing */
};

static bool parse_part(struct litmus_parser *p, const struct part *part, struct litmus_instr *i, struct words *words)
{
    unsigned value;
    if (find_word(part, orders, &value)) {
        words->order = true;
        i->is_volatile = value == LITMUS_VOLATILE;
        i->order = i->is_volatile ? LITMUS_RELAXED : value;
        if (i->is_volatile && i->kind != LITMUS_LOAD && i->kind != LITMUS_STORE)
            return litmus_fail(&p->lexer, NULL, "PTX has ld.volatile and st.volatile alone");
    } else if (find_word(part, scopes, &value)) {
        words->scope = true;
        i->scope = value;
    } else if (i->kind == LITMUS_ATOMIC && find_word(part, updates, &value)) {
        i->update = value;
    } else if (i->kind <= LITMUS_ATOMIC && litmus_bits_of(part->text, part->length)) {
        words->bits = litmus_bits_of(part->text, part->length);
    } else {
        return litmus_fail(&p->lexer, NULL, "'%.*s' is not known here", (int)part->length, part->text);
    }
    return true;
}

/* Order, scope, update and size from what is behind the first dot. They may stand in any order. */
static bool parse_parts(struct litmus_parser *p, struct part rest, struct litmus_instr *i, struct words *words)
{
    struct part part;
    *words = (struct words){false};
    i->scope = LITMUS_SYS;
    while (next_part(&rest, &part))
        if (!parse_part(p, &part, i, words))
            return false;
    if (i->is_volatile && words->scope)
        return litmus_fail(&p->lexer, NULL, "a volatile access has no scope");
    return true;
}

/* The place's size must be what the instruction says, and one that the instruction has. */
static bool check_size(struct litmus_parser *p, const struct litmus_token *word, const struct litmus_instr *i,
                       unsigned bits)
{
    const struct litmus_place *place = &p->test->places[i->place];
    if (bits && bits != place->bits)
        return litmus_fail_at(&p->lexer, word, "the braces say a place's size: { b64 x=0; }",
                              "all accesses to a place have its size: %s has %u bits", place->name, place->bits);
    if (i->kind == LITMUS_ATOMIC && place->bits < 32 && !(place->bits == 16 && i->update == LITMUS_cas))
        return litmus_fail_at(&p->lexer, word, NULL, "PTX has no such atomic of %u bits", place->bits);
    return true;
}

static bool take_operand(struct litmus_parser *p, unsigned thread, struct litmus_operand *operand)
{
    if (litmus_is_register(&p->lexer.token)) {
        struct litmus_token name = p->lexer.token;
        operand->is_register = true;
        litmus_next(&p->lexer);
        unsigned number;
        bool found = litmus_find_register(p, thread, &name, &number);
        operand->value = number;
        return found;
    }
    return litmus_take_value(p, &operand->value);
}

static bool take_register(struct litmus_parser *p, unsigned thread, unsigned *number)
{
    struct litmus_token name;
    if (!litmus_is_register(&p->lexer.token))
        return litmus_fail(&p->lexer, NULL, "expected a register, as r0");
    return litmus_take_name(p, "a register", &name) && litmus_find_register(p, thread, &name, number);
}

static bool parse_load(struct litmus_parser *p, unsigned thread, struct litmus_instr *i, bool has_order)
{
    if (!take_register(p, thread, &i->to) || !litmus_expect(&p->lexer, ","))
        return false;
    if (!has_order && (p->lexer.token.kind == LITMUS_NUMBER || litmus_is_register(&p->lexer.token))) {
        i->kind = LITMUS_SET;
        return take_operand(p, thread, &i->a);
    }
    return litmus_take_place(p, &i->place, &i->address);
}

static bool parse_atomic(struct litmus_parser *p, unsigned thread, struct litmus_instr *i, bool has_value,
                         bool has_order)
{
    struct litmus_lexer *l = &p->lexer;
    static const struct litmus_token none = {LITMUS_WORD, "(red)", 5, {0}};
    if (i->update == LITMUS_UPDATES)
        return litmus_fail(l, NULL, "the word of an atomic names what it does: add, exch, cas");
    if (!has_order)
        i->order = LITMUS_RELAXED;
    if (has_value ? !take_register(p, thread, &i->to) || !litmus_expect(l, ",")
                  : !litmus_find_register(p, thread, &none, &i->to))
        return false;
    if (!litmus_take_place(p, &i->place, &i->address) || !litmus_expect(l, ",") || !take_operand(p, thread, &i->a))
        return false;
    return i->update != LITMUS_cas || (litmus_expect(l, ",") && take_operand(p, thread, &i->b));
}

static bool take_target(struct litmus_parser *p, unsigned thread)
{
    struct litmus_label jump = {.thread = thread, .at = (unsigned)p->instrs[thread].count};
    if (!litmus_take_name(p, "a label", &jump.name))
        return false;
    vec_push(&p->jumps, jump);
    return true;
}

static bool parse_branch(struct litmus_parser *p, unsigned thread, struct litmus_instr *i)
{
    struct litmus_lexer *l = &p->lexer;
    i->kind = LITMUS_BRANCH;
    if (i->compare != LITMUS_ALWAYS && (!take_operand(p, thread, &i->a) || !litmus_expect(l, ",") ||
                                        !take_operand(p, thread, &i->b) || !litmus_expect(l, ",")))
        return false;
    return take_target(p, thread);
}

static bool parse_sum(struct litmus_parser *p, unsigned thread, struct litmus_instr *i, bool two)
{
    struct litmus_lexer *l = &p->lexer;
    i->kind = LITMUS_SET;
    return take_register(p, thread, &i->to) && litmus_expect(l, ",") && take_operand(p, thread, &i->a) &&
           (!two || (litmus_expect(l, ",") && take_operand(p, thread, &i->b)));
}

/* `bar.cta.sync LABEL`, `bar.cta.sync LABEL, NUMBER` and `..., THREADS` are the public suites': one number is the
 * barrier's own, of several the first names the instruction. `bar.sync NUMBER, THREADS` and `barrier` are PTX's. */
static bool parse_barrier(struct litmus_parser *p, struct part rest, unsigned thread, struct litmus_instr *i,
                          bool short_word)
{
    static const struct word_value modes[] = {{"sync", 0}, {"arrive", 1}, {"cta", 2}, {"aligned", 3}, {NULL, 0}};
    struct litmus_lexer *l = &p->lexer;
    struct part part = {0};
    unsigned mode, seen = 0, operands = 1;
    while (next_part(&rest, &part)) {
        if (!find_word(&part, modes, &mode))
            return litmus_fail(l, "bar.sync N, bar.arrive N, THREADS", "of barriers, sync and arrive are known");
        seen |= 1u << mode;
    }
    if ((seen & 3) != 1 && (seen & 3) != 2)
        return litmus_fail(l, "bar.sync N, bar.arrive N, THREADS", "a barrier is sync or arrive");
    i->arrives = seen >> 1 & 1;
    litmus_next(l);
    bool public = short_word && seen >> 2 & 1;
    struct litmus_token number = l->token, threads = l->token;
    if (!take_operand(p, thread, &i->a))
        return false;
    if (public && litmus_take(l, ",")) {
        number = l->token, operands++;
        if (!take_operand(p, thread, &i->a))
            return false;
    }
    if ((!public || operands == 2) && litmus_take(l, ",")) {
        threads = l->token, operands++;
        if (!take_operand(p, thread, &i->b))
            return false;
        if (!i->b.is_register && (i->b.value < 1 || i->b.value > LITMUS_THREADS))
            return litmus_fail_at(l, &threads, "of the test's threads, each of which is a warp when it runs",
                                  "a barrier takes 1 to %d threads", LITMUS_THREADS);
    } else if (!public && i->arrives) {
        return litmus_fail(l, "bar.arrive N, THREADS", "bar.arrive must say how many threads the barrier takes");
    }
    return i->a.is_register || i->a.value < LITMUS_BARRIERS ||
           litmus_fail_at(l, &number, NULL, "a block has barriers 0 to 15");
}

/* The order must be one that the instruction has. */
static bool check_order(struct litmus_parser *p, const struct litmus_instr *i)
{
    static const unsigned known[] = {
        [LITMUS_LOAD] = 1 << LITMUS_WEAK | 1 << LITMUS_RELAXED | 1 << LITMUS_ACQUIRE,
        [LITMUS_STORE] = 1 << LITMUS_WEAK | 1 << LITMUS_RELAXED | 1 << LITMUS_RELEASE,
        [LITMUS_ATOMIC] = 1 << LITMUS_RELAXED | 1 << LITMUS_ACQUIRE | 1 << LITMUS_RELEASE | 1 << LITMUS_ACQ_REL,
        [LITMUS_FENCE] = 1 << LITMUS_ACQUIRE | 1 << LITMUS_RELEASE | 1 << LITMUS_ACQ_REL | 1 << LITMUS_SC,
    };
    unsigned orders_of = i->kind <= LITMUS_FENCE ? known[i->kind] : UINT32_MAX;
    if (i->proxy != LITMUS_GENERIC)
        orders_of = i->kind == LITMUS_FENCE ? 1 << LITMUS_ACQUIRE | 1 << LITMUS_RELEASE : 1 << LITMUS_WEAK;
    if (orders_of >> i->order & 1)
        return true;
    return litmus_fail(&p->lexer, NULL, "PTX has no such instruction of order '%s'", orders[i->order].word);
}

/* fence.proxy.KIND. One of a tensor map is a fence with an order and a scope, and has more behind it. */
static bool parse_proxy_fence(struct litmus_parser *p, struct part rest, struct litmus_instr *i)
{
    struct litmus_lexer *l = &p->lexer;
    struct part part = {0};
    unsigned proxy = LITMUS_GENERIC, space = LITMUS_GENERIC;
    struct words words;
    if (!next_part(&rest, &part) || !find_word(&part, proxies, &proxy) || proxy == LITMUS_GENERIC)
        return litmus_fail(l, "alias, surface, texture, constant, async, async.global and tensormap::generic",
                           "a fence of no proxy that is known");
    i->proxy = proxy;
    if (proxy == LITMUS_TENSORMAP)
        return parse_parts(p, rest, i, &words) && check_order(p, i);
    i->kind = LITMUS_PROXY_FENCE;
    if (next_part(&rest, &part) && (proxy != LITMUS_ASYNC || !find_word(&part, proxies, &space) || space))
        return litmus_fail(l, "all places are in global memory", "'%.*s' is not known here", (int)part.length,
                           part.text);
    return true;
}

/* Past the word of a fence of proxies, and the range of an acquiring one: what it is of changes nothing here. */
static bool take_fence_range(struct litmus_parser *p, const struct litmus_instr *i)
{
    struct litmus_token unused;
    uint32_t bytes;
    litmus_next(&p->lexer);
    if (i->kind != LITMUS_FENCE || i->order != LITMUS_ACQUIRE || !litmus_take(&p->lexer, "["))
        return true;
    return litmus_take_name(p, "a place", &unused) && litmus_expect(&p->lexer, "]") && litmus_expect(&p->lexer, ",") &&
           litmus_number(&p->lexer, &bytes);
}

/* cp.async.bulk TO, FROM; cp.async.bulk.commit_group, which changes nothing here; cp.async.bulk.wait_group[.read] 0. */
static bool parse_copy(struct litmus_parser *p, struct part rest, struct litmus_instr *i)
{
    static const struct word_value parts[] = {{"async", 0},      {"bulk", 1}, {"commit_group", 2},
                                              {"wait_group", 3}, {"read", 4}, {NULL, 0}};
    struct litmus_lexer *l = &p->lexer;
    struct part part = {0};
    unsigned seen = 0, which;
    uint32_t left;
    while (next_part(&rest, &part) && find_word(&part, parts, &which))
        seen |= 1u << which;
    if ((seen & 3) != 3 || rest.length || (seen & 4 && seen & 24) || (seen & 24) == 16)
        return litmus_fail(l, "cp.async.bulk TO, FROM; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0",
                           "'%.*s' is not known", (int)l->token.length, l->token.text);
    litmus_next(l);
    i->reads_only = seen & 16;
    if (seen & 12) {
        i->kind = seen & 8 ? LITMUS_AWAIT : LITMUS_PROXY_FENCE; /* of no proxy: it orders nothing */
        struct litmus_token number = l->token;
        return !(seen & 8) || (litmus_number(l, &left) &&
                               (!left || litmus_fail_at(l, &number, NULL, "a thread waits for all copies: 0")));
    }
    i->proxy = LITMUS_ASYNC;
    struct litmus_token from;
    if (!litmus_take_place(p, &i->place, &i->address) || !litmus_expect(l, ","))
        return false;
    from = l->token;
    if (!litmus_take_place(p, &i->from, &i->from_address))
        return false;
    if (p->test->places[i->place].bits != p->test->places[i->from].bits)
        return litmus_fail_at(l, &from, NULL, "a copy is between places of one size");
    i->signals = litmus_take(l, ",");
    return !i->signals || litmus_take_object(p, &i->object);
}

/* mbarrier.arrive[.expect_tx] M[, BYTES]; mbarrier.try_wait.parity M, PARITY, which stands for a loop until it is true.
 * They release and acquire. */
static bool parse_object(struct litmus_parser *p, struct part rest, struct litmus_instr *i)
{
    static const struct word_value parts[] = {{"arrive", 0},  {"expect_tx", 1}, {"try_wait", 2}, {"test_wait", 2},
                                              {"parity", 3},  {"release", 4},   {"acquire", 5},  {"cta", 6},
                                              {"cluster", 7}, {NULL, 0}};
    struct litmus_lexer *l = &p->lexer;
    struct part part = {0};
    unsigned seen = 0, which;
    uint32_t number = 0;
    while (next_part(&rest, &part) && find_word(&part, parts, &which))
        seen |= 1u << which;
    bool arrives = seen & 1, waits = (seen & 12) == 12;
    if (rest.length || arrives == waits || (seen & (arrives ? 44 : 18)))
        return litmus_fail(l,
                           "mbarrier.arrive M; mbarrier.arrive.expect_tx M, BYTES; mbarrier.try_wait.parity M, PARITY",
                           "'%.*s' is not known", (int)l->token.length, l->token.text);
    i->kind = arrives ? LITMUS_ARRIVE : LITMUS_PASS;
    litmus_next(l);
    if (!litmus_take_object(p, &i->object))
        return false;
    struct litmus_token at = l->token;
    if ((waits || seen & 2) && (!litmus_expect(l, ",") || !litmus_number(l, &number)))
        return false;
    if (number > (waits ? 1 : 1024))
        return litmus_fail_at(l, &at, NULL, waits ? "a parity is 0 or 1" : "at most 1024 bytes are expected at once");
    *(waits ? &i->parity : &i->bytes) = number;
    return true;
}

enum word {
    LD,
    TLD,
    SULD,
    CLD,
    TMLD,
    ST,
    SUST,
    ATOM,
    RED,
    FENCE,
    CP,
    MBARRIER,
    BAR,
    BARRIER,
    MOV,
    ADD,
    GOTO,
    BEQ,
    BNE,
    WORDS
};

/* The instruction whose words are known: what is behind them. */
static bool parse_operands(struct litmus_parser *p, unsigned thread, enum word word, struct litmus_instr *i,
                           bool has_order)
{
    switch (word) {
    case LD:
    case TLD:
    case SULD:
    case CLD:
    case TMLD:
        return parse_load(p, thread, i, has_order);
    case ST:
    case SUST:
        return litmus_take_place(p, &i->place, &i->address) && litmus_expect(&p->lexer, ",") &&
               take_operand(p, thread, &i->a);
    case ATOM:
    case RED:
        return parse_atomic(p, thread, i, word == ATOM, has_order);
    case MOV:
    case ADD:
        return parse_sum(p, thread, i, word == ADD);
    case GOTO:
    case BEQ:
    case BNE:
        i->compare = word == GOTO ? LITMUS_ALWAYS : word == BEQ ? LITMUS_EQUAL : LITMUS_UNEQUAL;
        return parse_branch(p, thread, i);
    default:
        return true;
    }
}

static bool fail_word(struct litmus_parser *p, const struct part *word)
{
    static const struct word_value others[] = {{"sured", 0}, {"suatom", 0}, {NULL, 0}};
    unsigned unused;
    if (find_word(word, others, &unused))
        return litmus_fail(&p->lexer, NULL, "atomics are of the generic proxy alone");
    return litmus_fail(
        &p->lexer,
        "ld, tld, suld, cold, tmld, st, sust, atom, red, fence, cp.async.bulk, mbarrier, bar, barrier, mov, add, "
        "goto, beq and bne are known",
        "'%.*s' is not known", (int)p->lexer.token.length, p->lexer.token.text);
}

bool litmus_parse_instr(struct litmus_parser *p, unsigned thread, struct litmus_instr *i)
{
    static const struct word_value names[] = {
        {"ld", LD},   {"tld", TLD},           {"suld", SULD}, {"cold", CLD},        {"tmld", TMLD},
        {"st", ST},   {"sust", SUST},         {"atom", ATOM}, {"red", RED},         {"fence", FENCE},
        {"cp", CP},   {"mbarrier", MBARRIER}, {"bar", BAR},   {"barrier", BARRIER}, {"mov", MOV},
        {"add", ADD}, {"goto", GOTO},         {"beq", BEQ},   {"bne", BNE},         {NULL, 0}};
    static const enum litmus_proxy by[WORDS] = {[TLD] = LITMUS_TEXTURE,
                                                [SULD] = LITMUS_SURFACE,
                                                [CLD] = LITMUS_CONSTANT,
                                                [TMLD] = LITMUS_TENSORMAP,
                                                [SUST] = LITMUS_SURFACE};
    static const enum litmus_kind kinds[WORDS] = {
        [LD] = LITMUS_LOAD,     [TLD] = LITMUS_LOAD,        [SULD] = LITMUS_LOAD,   [CLD] = LITMUS_LOAD,
        [TMLD] = LITMUS_LOAD,   [ST] = LITMUS_STORE,        [SUST] = LITMUS_STORE,  [ATOM] = LITMUS_ATOMIC,
        [RED] = LITMUS_ATOMIC,  [CP] = LITMUS_COPY,         [FENCE] = LITMUS_FENCE, [MBARRIER] = LITMUS_ARRIVE,
        [BAR] = LITMUS_BARRIER, [BARRIER] = LITMUS_BARRIER, [MOV] = LITMUS_SET,     [ADD] = LITMUS_SET,
        [GOTO] = LITMUS_BRANCH, [BEQ] = LITMUS_BRANCH,      [BNE] = LITMUS_BRANCH};
    struct litmus_token token = p->lexer.token;
    struct part rest = {token.text, token.length}, first = {0};
    struct words words;
    unsigned word;
    next_part(&rest, &first);
    if (!find_word(&first, names, &word))
        return fail_word(p, &first);
    *i = (struct litmus_instr){.kind = kinds[word], .update = LITMUS_UPDATES, .proxy = by[word]};
    if (i->kind == LITMUS_BARRIER)
        return parse_barrier(p, rest, thread, i, word == BAR);
    if (i->kind == LITMUS_COPY)
        return parse_copy(p, rest, i);
    if (word == MBARRIER)
        return parse_object(p, rest, i);
    if (i->kind == LITMUS_FENCE && rest.length >= 6 && !memcmp(rest.text, "proxy.", 6)) {
        next_part(&rest, &first);
        return parse_proxy_fence(p, rest, i) && take_fence_range(p, i);
    }
    if (!parse_parts(p, rest, i, &words) || !check_order(p, i))
        return false;
    litmus_next(&p->lexer);
    if (!parse_operands(p, thread, word, i, words.order))
        return false;
    return i->kind > LITMUS_ATOMIC || check_size(p, &token, i, words.bits);
}
