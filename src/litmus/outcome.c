/* Outcomes: what a condition says of them, and how they are counted and printed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

uint64_t litmus_updated(enum litmus_update update, unsigned bits, uint64_t old, uint64_t a, uint64_t b)
{
    a = litmus_fit(a, bits), b = litmus_fit(b, bits);
    switch (update) {
#define UPDATE(name, type, value)                                                                                      \
    case LITMUS_##name:                                                                                                \
        return litmus_fit(value, bits);
#include "litmus/updates.def"
#undef UPDATE
    case LITMUS_UPDATES:
        break;
    }
    return old;
}

static uint64_t value_of(const struct litmus_outcome *outcome, struct litmus_operand operand)
{
    return operand.is_register ? outcome->values[operand.value] : operand.value;
}

static bool holds(const struct litmus_test *test, unsigned index, const struct litmus_outcome *outcome)
{
    const struct litmus_node *n = &test->nodes[index];
    switch (n->kind) {
    case LITMUS_AND:
        return holds(test, n->left, outcome) && holds(test, n->right, outcome);
    case LITMUS_OR:
        return holds(test, n->left, outcome) || holds(test, n->right, outcome);
    case LITMUS_NOT:
        return !holds(test, n->left, outcome);
    case LITMUS_IS:
    case LITMUS_IS_NOT:
        break;
    }
    return (value_of(outcome, n->a) == value_of(outcome, n->b)) == (n->kind == LITMUS_IS);
}

bool litmus_holds(const struct litmus_test *test, const struct litmus_outcome *outcome)
{
    return holds(test, test->condition, outcome);
}

void litmus_print(const struct litmus_test *test, const struct litmus_outcome *outcome, struct strbuf *out)
{
    for (unsigned i = 0; i < test->term_count; i++) {
        const struct litmus_term *term = &test->terms[i];
        if (term->is_place)
            strbuf_addf(out, "%s%s", i ? " " : "", test->places[term->number].name);
        else
            strbuf_addf(out, "%sP%u:%s", i ? " " : "", term->thread, test->threads[term->thread].names[term->number]);
        strbuf_addf(out, "=%" PRIu64, outcome->values[i]);
    }
}

static int order(const struct litmus_outcome *a, const struct litmus_outcome *b)
{
    for (unsigned i = 0; i < LITMUS_TERMS; i++)
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    return 0;
}

/* Where an outcome is, or belongs. */
static unsigned place_of(const struct litmus_outcomes *outcomes, const struct litmus_outcome *outcome)
{
    unsigned low = 0, high = outcomes->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (order(&outcomes->items[middle].outcome, outcome) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct litmus_outcomes *outcomes, unsigned at, const struct litmus_outcome *outcome)
{
    return at < outcomes->count && !order(&outcomes->items[at].outcome, outcome);
}

void litmus_add(struct litmus_outcomes *outcomes, const struct litmus_outcome *outcome, uint64_t count)
{
    unsigned at = place_of(outcomes, outcome);
    if (is_at(outcomes, at, outcome)) {
        outcomes->items[at].count += count;
        return;
    }
    if (outcomes->count == outcomes->capacity) {
        outcomes->capacity = 2 * outcomes->capacity + 8;
        outcomes->items = base_realloc(outcomes->items, outcomes->capacity * sizeof *outcomes->items);
    }
    memmove(&outcomes->items[at + 1], &outcomes->items[at], (outcomes->count - at) * sizeof *outcomes->items);
    outcomes->items[at] = (struct litmus_count){*outcome, count};
    outcomes->count++;
}

uint64_t litmus_count_of(const struct litmus_outcomes *outcomes, const struct litmus_outcome *outcome)
{
    unsigned at = place_of(outcomes, outcome);
    return is_at(outcomes, at, outcome) ? outcomes->items[at].count : 0;
}

void litmus_outcomes_free(struct litmus_outcomes *outcomes)
{
    free(outcomes->items);
    *outcomes = (struct litmus_outcomes){0};
}
