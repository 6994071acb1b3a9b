/* The condition of a litmus test. */
#include "litmus/parse.h"

/* The condition */

static bool find_term(struct litmus_parser *p, struct litmus_term term, uint64_t *number)
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

static bool take_term(struct litmus_parser *p, struct litmus_operand *operand)
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
        if (!litmus_take_thread(p, &thread) || !litmus_expect(l, ":"))
            return false;
        if (thread >= p->test->thread_count)
            return litmus_fail(l, NULL, "there is no thread P%u", thread);
        term.thread = thread;
        return litmus_take_name(p, "a register", &name) && litmus_find_register(p, thread, &name, &term.number) &&
               find_term(p, term, &operand->value);
    }
    if (l->token.kind == LITMUS_NUMBER) {
        operand->is_register = false;
        return litmus_take_value(p, &operand->value);
    }
    term.is_place = true;
    unsigned address;
    return litmus_take_place(p, &term.number, &address) && find_term(p, term, &operand->value);
}

/* A number that is compared with a place is one of the place's size: -1 is the highest. */
static void fit_number(const struct litmus_test *t, struct litmus_operand *number, const struct litmus_operand *other)
{
    if (!number->is_register && other->is_register && t->terms[other->value].is_place)
        number->value = litmus_fit(number->value, t->places[t->terms[other->value].number].bits);
}

static bool add_node(struct litmus_parser *p, struct litmus_node node, unsigned *index)
{
    *index = (unsigned)p->nodes.count;
    vec_push(&p->nodes, node);
    return true;
}

static bool parse_or(struct litmus_parser *p, unsigned depth, unsigned *index);

static bool parse_one(struct litmus_parser *p, unsigned depth, unsigned *index)
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
    if (!take_term(p, &node.b))
        return false;
    fit_number(p->test, &node.a, &node.b);
    fit_number(p->test, &node.b, &node.a);
    return add_node(p, node, index);
}

static bool parse_and(struct litmus_parser *p, unsigned depth, unsigned *index)
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

static bool parse_or(struct litmus_parser *p, unsigned depth, unsigned *index)
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

bool litmus_parse_condition(struct litmus_parser *p)
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
