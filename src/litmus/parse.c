/* The reader of litmus tests:
 *
 *     PTX NAME
 *     { x=0; P1:r0=0; }
 *      P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 *      st.weak x, 1         | ld.acquire.gpu r0, y ;
 *      st.release.gpu y, 1  | ld.weak r1, x        ;
 *     exists (P1:r0 == 1 /\ P1:r1 == 0)
 *
 * A column is a thread, with the block (cta) and the device (gpu) that it runs on. Places and registers hold 32 bits,
 * and 0 where the part in braces says nothing else. Instructions are those of PTX, less their type and state space; `ld
 * r0, 1` and `mov` set a register, `beq`, `bne` and `goto` go to a label, and `bar.cta.sync N` is bar.sync by all
 * threads of the block. The condition is one of exists, ~exists and forall. */
#include <string.h>

#include "base/vec.h"
#include "litmus/lex.h"
#include "litmus/litmus.h"

/* A register's value in the part in braces, before the threads are known. */
struct given {
    uint32_t thread, value;
    struct litmus_token name;
};

struct label {
    unsigned thread, at;
    struct litmus_token name;
};

struct parser {
    struct litmus_lexer lexer;
    struct litmus_test *test;
    VEC(struct given) given;
    VEC(struct label) labels; /* where they stand */
    VEC(struct label) jumps;  /* the branches that name them */
    VEC(struct litmus_instr) instrs[LITMUS_THREADS];
    VEC(struct litmus_node) nodes;
};

static bool same(const struct litmus_token *token, const char *text)
{
    return strlen(text) == token->length && !memcmp(text, token->text, token->length);
}

/* Names */

static bool find_place(struct parser *p, const struct litmus_token *name, unsigned *place)
{
    struct litmus_test *t = p->test;
    for (*place = 0; *place < t->place_count; ++*place)
        if (same(name, t->places[*place].name))
            return true;
    if (t->place_count == LITMUS_PLACES)
        return litmus_fail(&p->lexer, NULL, "more than %d places", LITMUS_PLACES);
    t->places[t->place_count++].name = arena_strndup(&t->arena, name->text, name->length);
    return true;
}

static bool find_register(struct parser *p, unsigned thread, const struct litmus_token *name, unsigned *number)
{
    struct litmus_thread *t = &p->test->threads[thread];
    for (*number = 0; *number < t->registers; ++*number)
        if (same(name, t->names[*number]))
            return true;
    if (t->registers == LITMUS_REGISTERS)
        return litmus_fail(&p->lexer, NULL, "more than %d registers in a thread", LITMUS_REGISTERS);
    t->names[t->registers++] = arena_strndup(&p->test->arena, name->text, name->length);
    return true;
}

/* A word that is a name, gone past. */
static bool take_name(struct parser *p, const char *what, struct litmus_token *name)
{
    *name = p->lexer.token;
    if (p->lexer.failed || name->kind != LITMUS_WORD)
        return litmus_fail(&p->lexer, NULL, "expected %s, not '%.*s'", what, (int)name->length, name->text);
    litmus_next(&p->lexer);
    return true;
}

/* Whether a word is a register's name: r and digits. All other names are places'. */
static bool is_register(const struct litmus_token *name)
{
    if (name->kind != LITMUS_WORD || name->length < 2 || name->text[0] != 'r')
        return false;
    for (unsigned i = 1; i < name->length; i++)
        if (name->text[i] < '0' || name->text[i] > '9')
            return false;
    return true;
}

/* The number of a thread, from P3 or 3. */
static bool take_thread(struct parser *p, uint32_t *thread)
{
    struct litmus_lexer *l = &p->lexer;
    const struct litmus_token *word = &l->token;
    if (word->kind == LITMUS_NUMBER) {
        if (!litmus_number(l, thread))
            return false;
    } else {
        if (word->kind != LITMUS_WORD || word->length != 2 || word->text[0] != 'P' || word->text[1] < '0' ||
            word->text[1] > '9')
            return litmus_fail(l, NULL, "expected a thread, as P0, not '%.*s'", (int)word->length, word->text);
        *thread = (uint32_t)(word->text[1] - '0');
        litmus_next(l);
    }
    return *thread < LITMUS_THREADS || litmus_fail(l, NULL, "a test has at most %d threads", LITMUS_THREADS);
}

/* The part in braces */

static bool parse_given(struct parser *p)
{
    struct litmus_lexer *l = &p->lexer, before = *l;
    struct litmus_token name = l->token;
    struct given given = {0};
    unsigned place;
    litmus_next(l);
    if (litmus_at(l, ":")) {
        *l = before;
        if (!take_thread(p, &given.thread) || !litmus_expect(l, ":") || !take_name(p, "a register", &given.name) ||
            !litmus_expect(l, "=") || !litmus_number(l, &given.value))
            return false;
        vec_push(&p->given, given);
        return true;
    }
    if (name.kind != LITMUS_WORD)
        return litmus_fail(l, NULL, "expected a place or a thread's register");
    if (litmus_at(l, "@") || litmus_at(l, "["))
        return litmus_fail(l, NULL, "proxies and arrays are not known: Lockstep has the generic proxy alone");
    return find_place(p, &name, &place) && litmus_expect(l, "=") && litmus_number(l, &p->test->places[place].initial);
}

static bool parse_init(struct parser *p)
{
    if (!litmus_expect(&p->lexer, "{"))
        return false;
    while (!litmus_take(&p->lexer, "}"))
        if (!parse_given(p) || (!litmus_at(&p->lexer, "}") && !litmus_expect(&p->lexer, ";")))
            return false;
    return true;
}

/* Threads */

static bool parse_head(struct parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    struct litmus_test *t = p->test;
    do {
        uint32_t number, cta, gpu = 0;
        if (t->thread_count == LITMUS_THREADS)
            return litmus_fail(l, NULL, "a test has at most %d threads", LITMUS_THREADS);
        if (!take_thread(p, &number))
            return false;
        if (number != t->thread_count)
            return litmus_fail(l, NULL, "threads are P0, P1 and so on, in order");
        if (!litmus_expect(l, "@") || !litmus_expect(l, "cta") || !litmus_number(l, &cta))
            return false;
        if (litmus_take(l, ",") && (!litmus_expect(l, "gpu") || !litmus_number(l, &gpu)))
            return false;
        t->threads[t->thread_count].cta = cta;
        t->threads[t->thread_count++].gpu = gpu;
    } while (litmus_take(l, "|"));
    return litmus_expect(l, ";");
}

/* Instructions */

struct word_value {
    const char *word;
    unsigned value;
};
static const struct word_value orders[] = {
    {"weak", LITMUS_WEAK},
    {"relaxed", LITMUS_RELAXED},
    {"acquire", LITMUS_ACQUIRE},
    {"release", LITMUS_RELEASE},
    {"acq_rel", LITMUS_ACQ_REL},
    {"sc", LITMUS_SC},
    {NULL, 0},
};
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

/* Order, scope and update from what is behind the first dot. They may stand in any order. */
static bool parse_parts(struct parser *p, struct part rest, struct litmus_instr *i, bool *has_order)
{
    struct part part;
    unsigned value;
    *has_order = false;
    i->scope = LITMUS_SYS;
    while (next_part(&rest, &part)) {
        if (find_word(&part, orders, &value))
            i->order = value, *has_order = true;
        else if (find_word(&part, scopes, &value))
            i->scope = value;
        else if (i->kind == LITMUS_ATOMIC && find_word(&part, updates, &value))
            i->update = value;
        else
            return litmus_fail(&p->lexer, NULL, "'%.*s' is not known here", (int)part.length, part.text);
    }
    return true;
}

static bool take_operand(struct parser *p, unsigned thread, struct litmus_operand *operand)
{
    if (is_register(&p->lexer.token)) {
        struct litmus_token name = p->lexer.token;
        operand->is_register = true;
        litmus_next(&p->lexer);
        return find_register(p, thread, &name, &operand->value);
    }
    return litmus_number(&p->lexer, &operand->value);
}

static bool take_register(struct parser *p, unsigned thread, unsigned *number)
{
    struct litmus_token name;
    if (!is_register(&p->lexer.token))
        return litmus_fail(&p->lexer, NULL, "expected a register, as r0");
    return take_name(p, "a register", &name) && find_register(p, thread, &name, number);
}

static bool take_place(struct parser *p, unsigned *place)
{
    bool bracket = litmus_take(&p->lexer, "[");
    struct litmus_token name;
    if (is_register(&p->lexer.token))
        return litmus_fail(&p->lexer, NULL, "addresses in registers are not known");
    return take_name(p, "a place", &name) && find_place(p, &name, place) && (!bracket || litmus_expect(&p->lexer, "]"));
}

static bool parse_load(struct parser *p, unsigned thread, struct litmus_instr *i, bool has_order)
{
    if (!take_register(p, thread, &i->to) || !litmus_expect(&p->lexer, ","))
        return false;
    if (!has_order && (p->lexer.token.kind == LITMUS_NUMBER || is_register(&p->lexer.token))) {
        i->kind = LITMUS_SET;
        return take_operand(p, thread, &i->a);
    }
    return take_place(p, &i->place);
}

static bool parse_atomic(struct parser *p, unsigned thread, struct litmus_instr *i, bool has_value, bool has_order)
{
    struct litmus_lexer *l = &p->lexer;
    static const struct litmus_token none = {LITMUS_WORD, "(red)", 5, {0}};
    if (i->update == LITMUS_UPDATES)
        return litmus_fail(l, NULL, "the word of an atomic names what it does: add, exch, cas");
    if (!has_order)
        i->order = LITMUS_RELAXED;
    if (has_value ? !take_register(p, thread, &i->to) || !litmus_expect(l, ",")
                  : !find_register(p, thread, &none, &i->to))
        return false;
    if (!take_place(p, &i->place) || !litmus_expect(l, ",") || !take_operand(p, thread, &i->a))
        return false;
    return i->update != LITMUS_cas || (litmus_expect(l, ",") && take_operand(p, thread, &i->b));
}

static bool take_target(struct parser *p, unsigned thread)
{
    struct label jump = {.thread = thread, .at = (unsigned)p->instrs[thread].count};
    if (!take_name(p, "a label", &jump.name))
        return false;
    vec_push(&p->jumps, jump);
    return true;
}

static bool parse_branch(struct parser *p, unsigned thread, struct litmus_instr *i)
{
    struct litmus_lexer *l = &p->lexer;
    i->kind = LITMUS_BRANCH;
    if (i->compare != LITMUS_ALWAYS && (!take_operand(p, thread, &i->a) || !litmus_expect(l, ",") ||
                                        !take_operand(p, thread, &i->b) || !litmus_expect(l, ",")))
        return false;
    return take_target(p, thread);
}

static bool parse_sum(struct parser *p, unsigned thread, struct litmus_instr *i, bool two)
{
    struct litmus_lexer *l = &p->lexer;
    i->kind = LITMUS_SET;
    return take_register(p, thread, &i->to) && litmus_expect(l, ",") && take_operand(p, thread, &i->a) &&
           (!two || (litmus_expect(l, ",") && take_operand(p, thread, &i->b)));
}

static bool parse_barrier(struct parser *p, struct part rest, struct litmus_instr *i)
{
    uint32_t number;
    unsigned unused;
    struct part part = {0};
    while (next_part(&rest, &part))
        if (!find_word(&part, (const struct word_value[]){{"cta", 0}, {"sync", 0}, {NULL, 0}}, &unused))
            return litmus_fail(&p->lexer, "bar.cta.sync N", "of barriers, sync alone is known");
    litmus_next(&p->lexer);
    if (!litmus_number(&p->lexer, &number))
        return false;
    i->barrier = number;
    if (litmus_at(&p->lexer, ","))
        return litmus_fail(&p->lexer, "bar.cta.sync N", "barriers of a part of the block are not known");
    return number < 16 || litmus_fail(&p->lexer, NULL, "a block has barriers 0 to 15");
}

/* The order must be one that the instruction has. */
static bool check_order(struct parser *p, const struct litmus_instr *i)
{
    static const unsigned known[] = {
        [LITMUS_LOAD] = 1 << LITMUS_WEAK | 1 << LITMUS_RELAXED | 1 << LITMUS_ACQUIRE,
        [LITMUS_STORE] = 1 << LITMUS_WEAK | 1 << LITMUS_RELAXED | 1 << LITMUS_RELEASE,
        [LITMUS_ATOMIC] = 1 << LITMUS_RELAXED | 1 << LITMUS_ACQUIRE | 1 << LITMUS_RELEASE | 1 << LITMUS_ACQ_REL,
        [LITMUS_FENCE] = 1 << LITMUS_ACQ_REL | 1 << LITMUS_SC,
    };
    if (i->kind > LITMUS_FENCE || known[i->kind] >> i->order & 1)
        return true;
    return litmus_fail(&p->lexer, NULL, "PTX has no such instruction of order '%s'", orders[i->order].word);
}

/* By the word's first part. */
static bool parse_by_word(struct parser *p, unsigned thread, struct part word, struct litmus_instr *i)
{
    static const char *const words[] = {"ld", "st", "atom", "red", "fence", "bar", "mov", "add", "goto", "beq", "bne"};
    enum { LD, ST, ATOM, RED, FENCE, BAR, MOV, ADD, GOTO, BEQ, BNE, WORDS };
    static const enum litmus_kind kinds[] = {LITMUS_LOAD,   LITMUS_STORE,   LITMUS_ATOMIC, LITMUS_ATOMIC,
                                             LITMUS_FENCE,  LITMUS_BARRIER, LITMUS_SET,    LITMUS_SET,
                                             LITMUS_BRANCH, LITMUS_BRANCH,  LITMUS_BRANCH};
    struct part rest = word, first = {0};
    unsigned which = 0;
    bool has_order;
    next_part(&rest, &first);
    while (which < WORDS && (strlen(words[which]) != first.length || memcmp(words[which], first.text, first.length)))
        which++;
    if (which == WORDS)
        return litmus_fail(&p->lexer, "ld, st, atom, red, fence, bar, mov, add, goto, beq and bne are known",
                           "'%.*s' is not known", (int)word.length, word.text);
    *i = (struct litmus_instr){.kind = kinds[which], .update = LITMUS_UPDATES};
    if (which == BAR)
        return parse_barrier(p, rest, i);
    if (!parse_parts(p, rest, i, &has_order) || !check_order(p, i))
        return false;
    litmus_next(&p->lexer);
    switch (which) {
    case LD:
        return parse_load(p, thread, i, has_order);
    case ST:
        return take_place(p, &i->place) && litmus_expect(&p->lexer, ",") && take_operand(p, thread, &i->a);
    case ATOM:
    case RED:
        return parse_atomic(p, thread, i, which == ATOM, has_order);
    case MOV:
    case ADD:
        return parse_sum(p, thread, i, which == ADD);
    case GOTO:
    case BEQ:
    case BNE:
        i->compare = which == GOTO ? LITMUS_ALWAYS : which == BEQ ? LITMUS_EQUAL : LITMUS_UNEQUAL;
        return parse_branch(p, thread, i);
    default:
        return true;
    }
}

static bool at_cell_end(const struct parser *p)
{
    return litmus_at(&p->lexer, "|") || litmus_at(&p->lexer, ";");
}

/* Labels and an instruction, or neither. */
static bool parse_cell(struct parser *p, unsigned thread)
{
    struct litmus_lexer *l = &p->lexer;
    while (!at_cell_end(p)) {
        struct litmus_lexer before = *l;
        struct litmus_instr instr;
        if (l->token.kind != LITMUS_WORD)
            return litmus_fail(l, NULL, "expected an instruction, not '%.*s'", (int)l->token.length, l->token.text);
        struct label label = {thread, (unsigned)p->instrs[thread].count, l->token};
        litmus_next(l);
        if (litmus_take(l, ":")) {
            vec_push(&p->labels, label);
            continue;
        }
        *l = before;
        if (!parse_by_word(p, thread, (struct part){l->token.text, l->token.length}, &instr))
            return false;
        if (p->instrs[thread].count == LITMUS_INSTRS)
            return litmus_fail(l, NULL, "more than %d instructions in a thread", LITMUS_INSTRS);
        vec_push(&p->instrs[thread], instr);
        return at_cell_end(p) ||
               litmus_fail(l, NULL, "expected '|' or ';', not '%.*s'", (int)l->token.length, l->token.text);
    }
    return true;
}

static bool parse_rows(struct parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    while (!litmus_at(l, "exists") && !litmus_at(l, "forall") && !litmus_at(l, "~")) {
        for (unsigned i = 0; i < p->test->thread_count; i++) {
            if (l->token.kind == LITMUS_END)
                return litmus_fail(l, NULL, "the text ends before the condition: exists, ~exists or forall");
            if (!parse_cell(p, i) || !litmus_expect(l, i + 1 < p->test->thread_count ? "|" : ";"))
                return false;
        }
    }
    return true;
}

static bool resolve_jumps(struct parser *p)
{
    for (size_t i = 0; i < p->jumps.count; i++) {
        const struct label *jump = &p->jumps.items[i];
        unsigned target = UINT32_MAX;
        for (size_t k = 0; k < p->labels.count; k++) {
            const struct label *label = &p->labels.items[k];
            if (label->thread == jump->thread && label->name.length == jump->name.length &&
                !memcmp(label->name.text, jump->name.text, jump->name.length))
                target = label->at;
        }
        if (target == UINT32_MAX)
            return litmus_fail_at(&p->lexer, &jump->name, NULL, "P%u has no label '%.*s'", jump->thread,
                                  (int)jump->name.length, jump->name.text);
        p->instrs[jump->thread].items[jump->at].target = target;
    }
    return true;
}

/* The condition */

static bool find_term(struct parser *p, struct litmus_term term, uint32_t *number)
{
    struct litmus_test *t = p->test;
    for (*number = 0; *number < t->term_count; ++*number) {
        const struct litmus_term *other = &t->terms[*number];
        if (other->is_place == term.is_place && other->thread == term.thread && other->number == term.number)
            return true;
    }
    if (t->term_count == LITMUS_TERMS)
        return litmus_fail(&p->lexer, NULL, "a condition looks at %d values at most", LITMUS_TERMS);
    t->terms[t->term_count++] = term;
    return true;
}

static bool take_term(struct parser *p, struct litmus_operand *operand)
{
    struct litmus_lexer *l = &p->lexer, before = *l;
    struct litmus_term term = {0};
    struct litmus_token name;
    uint32_t thread;
    operand->is_register = true;
    if (l->token.kind == LITMUS_END)
        return litmus_fail(l, NULL, "the text ends within the condition");
    litmus_next(l);
    bool of_thread = litmus_at(l, ":");
    *l = before;
    if (of_thread) {
        if (!take_thread(p, &thread) || !litmus_expect(l, ":"))
            return false;
        if (thread >= p->test->thread_count)
            return litmus_fail(l, NULL, "there is no thread P%u", thread);
        term.thread = thread;
        return take_name(p, "a register", &name) && find_register(p, thread, &name, &term.number) &&
               find_term(p, term, &operand->value);
    }
    if (l->token.kind == LITMUS_NUMBER) {
        operand->is_register = false;
        return litmus_number(l, &operand->value);
    }
    term.is_place = true;
    return take_place(p, &term.number) && find_term(p, term, &operand->value);
}

static bool add_node(struct parser *p, struct litmus_node node, unsigned *index)
{
    *index = (unsigned)p->nodes.count;
    vec_push(&p->nodes, node);
    return true;
}

static bool parse_or(struct parser *p, unsigned depth, unsigned *index);

static bool parse_one(struct parser *p, unsigned depth, unsigned *index)
{
    struct litmus_lexer *l = &p->lexer;
    struct litmus_node node = {.kind = LITMUS_NOT};
    if (depth > 64)
        return litmus_fail(l, NULL, "the condition is nested too deeply");
    if (litmus_take(l, "~"))
        return parse_one(p, depth + 1, &node.left) && add_node(p, node, index);
    if (litmus_take(l, "("))
        return parse_or(p, depth + 1, index) && litmus_expect(l, ")");
    if (!take_term(p, &node.a))
        return false;
    node.kind = litmus_at(l, "!=") ? LITMUS_IS_NOT : LITMUS_IS;
    if (!litmus_take(l, "!=") && !litmus_take(l, "=") && !litmus_expect(l, "=="))
        return false;
    return take_term(p, &node.b) && add_node(p, node, index);
}

static bool parse_and(struct parser *p, unsigned depth, unsigned *index)
{
    if (!parse_one(p, depth, index))
        return false;
    while (litmus_take(&p->lexer, "/\\")) {
        struct litmus_node node = {.kind = LITMUS_AND, .left = *index};
        if (!parse_one(p, depth, &node.right) || !add_node(p, node, index))
            return false;
    }
    return true;
}

static bool parse_or(struct parser *p, unsigned depth, unsigned *index)
{
    if (!parse_and(p, depth, index))
        return false;
    while (litmus_take(&p->lexer, "\\/")) {
        struct litmus_node node = {.kind = LITMUS_OR, .left = *index};
        if (!parse_and(p, depth, &node.right) || !add_node(p, node, index))
            return false;
    }
    return true;
}

static bool parse_condition(struct parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    struct litmus_test *t = p->test;
    t->quantifier = litmus_take(l, "~") ? LITMUS_NEVER : LITMUS_EXISTS;
    if (t->quantifier == LITMUS_EXISTS && litmus_take(l, "forall"))
        t->quantifier = LITMUS_FORALL;
    else if (!litmus_expect(l, "exists"))
        return false;
    if (!parse_or(p, 0, &t->condition))
        return false;
    return l->token.kind == LITMUS_END || litmus_fail(l, NULL, "expected nothing behind the condition, not '%.*s'",
                                                      (int)l->token.length, l->token.text);
}

/* The whole */

static bool apply_given(struct parser *p)
{
    for (size_t i = 0; i < p->given.count; i++) {
        const struct given *g = &p->given.items[i];
        unsigned number;
        if (g->thread >= p->test->thread_count)
            return litmus_fail_at(&p->lexer, &g->name, NULL, "there is no thread P%u", g->thread);
        if (!find_register(p, g->thread, &g->name, &number))
            return false;
        p->test->threads[g->thread].initial[number] = g->value;
    }
    return true;
}

static bool parse_test(struct parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    const char *name;
    unsigned length;
    litmus_next(l);
    if (!litmus_at(l, "PTX"))
        return litmus_fail(l, NULL, "a litmus test begins with 'PTX NAME'");
    while (l->at < l->end && *l->at == ' ')
        l->at++;
    litmus_take_line(l, &name, &length);
    if (!length)
        return litmus_fail(l, NULL, "the test has no name");
    p->test->name = arena_strndup(&p->test->arena, name, length);
    litmus_skip_to_brace(l);
    litmus_next(l);
    return parse_init(p) && parse_head(p) && apply_given(p) && parse_rows(p) && resolve_jumps(p) && parse_condition(p);
}

static void *keep(struct arena *arena, const void *items, size_t bytes)
{
    void *to = arena_alloc(arena, bytes + 1, 16);
    if (bytes)
        memcpy(to, items, bytes);
    return to;
}

int litmus_parse(struct litmus_test *test, const char *file, const char *text, size_t length, struct diag_sink *sink)
{
    struct parser p = {.test = test};
    *test = (struct litmus_test){.name = ""};
    arena_init(&test->arena);
    litmus_lex(&p.lexer, arena_strdup(&test->arena, file), text, length, sink);
    bool good = parse_test(&p);
    for (unsigned i = 0; i < LITMUS_THREADS; i++) {
        test->threads[i].count = (unsigned)p.instrs[i].count;
        test->threads[i].instrs =
            keep(&test->arena, p.instrs[i].items, p.instrs[i].count * sizeof(struct litmus_instr));
        vec_free(&p.instrs[i]);
    }
    test->node_count = (unsigned)p.nodes.count;
    test->nodes = keep(&test->arena, p.nodes.items, p.nodes.count * sizeof(struct litmus_node));
    vec_free(&p.nodes);
    vec_free(&p.given);
    vec_free(&p.labels);
    vec_free(&p.jumps);
    return good ? 0 : -1;
}

void litmus_free(struct litmus_test *test)
{
    arena_free(&test->arena);
}
