/* Called functions in reports: see profile_called.h. */
#include "report/profile_called.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile_uses.h"

#define MOST_OUTER 3      /* calls around an instruction that are named */
#define MOST_FUNCTIONS 5  /* of a kernel */
#define MOST_CALLERS 3    /* of a function */
#define LEAST_SHARE 0.01  /* of the kernel's cycles, for a function */
#define LEAST_CALLER 0.05 /* of a function's cost, for a caller */
#define MOSTLY 0.95       /* of a function's cost: a caller of less is not the only one to speak of */

/* Functions are told apart by their first instructions. */
struct function {
    const struct profile_called *called; /* one of its calls */
    uint64_t cost, own;
};
struct caller {
    struct strbuf place;
    uint64_t cost;
};

static uint64_t own_cost(const struct profile_lines *p, uint32_t first)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < p->calls.count; i++)
        cost += p->calls.items[i].first == first ? profile_cost(&p->calls.items[i].own) : 0;
    return cost;
}

void profile_called_add_from(const struct profile_lines *p, uint32_t pc, const char *before, struct strbuf *out)
{
    const struct profile_called *called = profile_lines_called(p, pc);
    struct strbuf last = {0}, place = {0};
    strbuf_add(&last, before);
    for (unsigned n = 0; called && n < MOST_OUTER; n++) {
        place.length = 0;
        profile_uses_add_place(called->object, false, &place);
        double share = profile_uses_ratio(profile_cost(&called->own), own_cost(p, called->first));
        if (strcmp(strbuf_text(&place), strbuf_text(&last)) != 0)
            strbuf_addf(out, "%s %s",
                        n                ? ", from"
                        : share < MOSTLY ? "called mostly from"
                                         : "called from",
                        strbuf_text(&place));
        last.length = 0;
        strbuf_add(&last, strbuf_text(&place));
        called = called->outer ? &p->calls.items[called->outer - 1] : NULL;
    }
    strbuf_free(&last);
    strbuf_free(&place);
}

void profile_called_add_place(const struct profile_lines *p, const json_t *use, const char *called, struct strbuf *out)
{
    struct strbuf from = {0}, outer = {0};
    profile_uses_add_caller(use, &outer);
    profile_uses_add_called(use, called, out);
    profile_called_add_from(p, (uint32_t)profile_uses_number(use, "pc"), strbuf_text(&outer), &from);
    bool inlined = from.length && out->text[out->length - 1] == ')';
    out->length -= inlined;
    if (from.length)
        strbuf_addf(out, "%s%s)", inlined ? ", in a function " : " (", strbuf_text(&from));
    strbuf_free(&from);
    strbuf_free(&outer);
}

static int by_cost(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    return x->called->first < y->called->first ? -1 : 1;
}

/* The functions, the most expensive first. Returns how many: up to as many as there are calls. */
static size_t read_functions(const struct profile_lines *p, struct function *functions)
{
    size_t count = 0;
    for (size_t i = 0; i < p->calls.count; i++) {
        const struct profile_called *called = &p->calls.items[i];
        size_t at = 0;
        while (at < count && functions[at].called->first != called->first)
            at++;
        if (at == count)
            functions[count++] = (struct function){.called = called};
        functions[at].cost += profile_cost(&called->all);
        functions[at].own += profile_cost(&called->own);
    }
    if (count)
        qsort(functions, count, sizeof *functions, by_cost);
    return count;
}

static int by_caller_cost(const void *a, const void *b)
{
    const struct caller *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    return strcmp(strbuf_text(&x->place), strbuf_text(&y->place));
}

/* The lines that call a function, by what it costs there. Returns how many. */
static size_t read_callers(const struct profile_lines *p, uint32_t first, struct caller *callers)
{
    size_t count = 0;
    for (size_t i = 0; i < p->calls.count; i++) {
        const struct profile_called *called = &p->calls.items[i];
        struct strbuf place = {0};
        size_t at = 0;
        if (called->first != first)
            continue;
        profile_uses_add_place(called->object, false, &place);
        while (at < count && strcmp(strbuf_text(&callers[at].place), strbuf_text(&place)) != 0)
            at++;
        if (at == count)
            callers[count++] = (struct caller){.place = place};
        else
            strbuf_free(&place);
        callers[at].cost += profile_cost(&called->all);
    }
    if (count)
        qsort(callers, count, sizeof *callers, by_caller_cost);
    return count;
}

static void add_callers(const struct profile_lines *p, const struct function *function, struct strbuf *out)
{
    struct caller *callers = base_calloc(p->calls.count, sizeof *callers);
    size_t count = read_callers(p, function->called->first, callers);
    strbuf_add(out, "        called from ");
    for (size_t i = 0; i < count && i < MOST_CALLERS; i++) {
        double share = profile_uses_ratio(callers[i].cost, function->cost);
        if (i && share < LEAST_CALLER)
            break;
        strbuf_addf(out, "%s%s", i ? ", " : "", strbuf_text(&callers[i].place));
        if (count > 1)
            strbuf_addf(out, " %.0f%%", 100 * share);
    }
    strbuf_add(out, "\n");
    for (size_t i = 0; i < count; i++)
        strbuf_free(&callers[i].place);
    free(callers);
}

static void add_row(const struct profile_lines *p, const struct function *function, struct strbuf *out)
{
    uint32_t first = function->called->first;
    uint64_t calls = first < p->instrs.count ? p->instrs.items[first].sum.counts[PROFILE_issues] : 0;
    strbuf_addf(out, "%5.1f%%  %5.1f%%  %8" PRIu64 "  %s\n", 100 * profile_uses_ratio(function->cost, p->sum.total),
                100 * profile_uses_ratio(function->own, p->sum.total), calls,
                json_string_value(json_object_get(function->called->object, "function")));
    add_callers(p, function, out);
}

void profile_called_add_table(const struct profile_lines *p, struct strbuf *out)
{
    struct function *functions = base_calloc(p->calls.count + 1, sizeof *functions);
    size_t count = read_functions(p, functions);
    for (size_t i = 0; i < count && i < MOST_FUNCTIONS; i++) {
        if (profile_uses_ratio(functions[i].cost, p->sum.total) < LEAST_SHARE)
            break;
        if (!i)
            strbuf_add(out, " cost     own     calls  called function\n");
        add_row(p, &functions[i], out);
    }
    free(functions);
}
