/* Which line is which in two profiles: see profile_difference.h. */
#include <stdlib.h>
#include <string.h>

#include "report/profile_difference.h"
#include "report/profile_uses.h"

#define MOST_STEPS (UINT32_C(1) << 24) /* of the search for lines of one text */

typedef VEC(const struct profile_line *) line_list;

static const char *base_of(const struct profile_line *line)
{
    return profile_uses_base_name(line->file);
}

static int by_number(const void *a, const void *b)
{
    const struct profile_line *x = *(const struct profile_line *const *)a, *y = *(const struct profile_line *const *)b;
    return x->number != y->number ? (x->number < y->number ? -1 : 1) : strcmp(x->file, y->file);
}

/* The lines of a file, by its name without folders, in their order. */
static void lines_of(const struct profile_lines *p, const char *base, line_list *list)
{
    for (size_t i = 0; i < p->lines.count; i++)
        if (!strcmp(base_of(&p->lines.items[i]), base))
            vec_push(list, &p->lines.items[i]);
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_number);
}

/* How well two lines go together; 0: not at all. */
static uint32_t likeness(const struct profile_line *a, const struct profile_line *b)
{
    if (!a->text || !b->text)
        return a->number == b->number ? 2 : 0;
    return strcmp(a->text, b->text) != 0 ? 0 : a->number == b->number ? 3 : 2;
}

/* Lines between two pairs, or before the first: those of one number, or all of them where they are as many. */
static void pair_between(const line_list *a, size_t a_from, size_t a_to, const line_list *b, size_t b_from, size_t b_to,
                         profile_pairs *pairs)
{
    bool all = a_to - a_from == b_to - b_from;
    while (a_from < a_to || b_from < b_to) {
        const struct profile_line *one = a_from < a_to ? a->items[a_from] : NULL;
        const struct profile_line *other = b_from < b_to ? b->items[b_from] : NULL;
        bool both = one && other && (all || one->number == other->number);
        bool first = one && (!other || one->number <= other->number);
        vec_push(pairs, (struct profile_pair){both || first ? one : NULL, both || !first ? other : NULL});
        a_from += both || first;
        b_from += both || !first;
    }
}

/* best: of the lines from i and from j on, by i * (b->count + 1) + j. */
static void fill_best(const line_list *a, const line_list *b, uint32_t *best)
{
    size_t width = b->count + 1;
    for (size_t i = a->count; i-- > 0;)
        for (size_t j = b->count; j-- > 0;) {
            uint32_t like = likeness(a->items[i], b->items[j]);
            uint32_t most = best[(i + 1) * width + j], right = best[i * width + j + 1];
            most = right > most ? right : most;
            if (like && like + best[(i + 1) * width + j + 1] > most)
                most = like + best[(i + 1) * width + j + 1];
            best[i * width + j] = most;
        }
}

static void pair_lists(const line_list *a, const line_list *b, profile_pairs *pairs)
{
    size_t width = b->count + 1, i = 0, j = 0, a_done = 0, b_done = 0;
    bool searched = (a->count + 1) * width <= MOST_STEPS;
    uint32_t *best = searched ? base_calloc((a->count + 1) * width, sizeof *best) : NULL;
    if (searched)
        fill_best(a, b, best);
    while (searched && i < a->count && j < b->count) {
        uint32_t like = likeness(a->items[i], b->items[j]);
        if (like && best[i * width + j] == like + best[(i + 1) * width + j + 1]) {
            pair_between(a, a_done, i, b, b_done, j, pairs);
            vec_push(pairs, (struct profile_pair){a->items[i], b->items[j]});
            a_done = ++i;
            b_done = ++j;
        } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    pair_between(a, a_done, a->count, b, b_done, b->count, pairs);
    free(best);
}

/* The names of a profile's files, each once. */
typedef VEC(const char *) name_list;

static bool has_name(const name_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], name))
            return true;
    return false;
}

static void names_of(const struct profile_lines *p, name_list *list)
{
    for (size_t i = 0; i < p->lines.count; i++)
        if (!has_name(list, base_of(&p->lines.items[i])))
            vec_push(list, base_of(&p->lines.items[i]));
}

static const char *ending(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot : "";
}

/* The first name of `of` with this ending that `others` has not; NULL: there is none, or another one before. */
static const char *lone_name(const name_list *of, const name_list *others, const char *end)
{
    const char *found = NULL;
    for (size_t i = 0; i < of->count; i++) {
        if (strcmp(ending(of->items[i]), end) != 0 || has_name(others, of->items[i]))
            continue;
        if (found)
            return NULL;
        found = of->items[i];
    }
    return found;
}

/* The file that stands for another: of its name; or, where one of its kind has a new name, that one. "": there is none.
 */
static const char *partner(const name_list *from, const name_list *to, const char *name)
{
    if (has_name(to, name))
        return name;
    const char *own = lone_name(from, to, ending(name)), *other = lone_name(to, from, ending(name));
    return own && other ? other : "";
}

static uint64_t distance(const struct profile_pair *pair)
{
    uint64_t a = pair->before ? profile_cost(&pair->before->all) : 0;
    uint64_t b = pair->after ? profile_cost(&pair->after->all) : 0;
    return a > b ? a - b : b - a;
}

static int by_distance(const void *a, const void *b)
{
    const struct profile_pair *x = a, *y = b;
    const struct profile_line *one = x->after ? x->after : x->before, *other = y->after ? y->after : y->before;
    if (distance(x) != distance(y))
        return distance(x) < distance(y) ? 1 : -1;
    if (one->depth != other->depth)
        return one->depth < other->depth ? -1 : 1;
    int order = strcmp(one->file, other->file);
    return order ? order : one->number < other->number ? -1 : one->number > other->number;
}

static void pair_files(const struct profile_lines *before, const char *a, const struct profile_lines *after,
                       const char *b, profile_pairs *pairs)
{
    line_list left = {0}, right = {0};
    lines_of(before, a, &left);
    lines_of(after, b, &right);
    pair_lists(&left, &right, pairs);
    vec_free(&left);
    vec_free(&right);
}

void profile_pairs_of(const struct profile_lines *before, const struct profile_lines *after, profile_pairs *pairs)
{
    name_list left = {0}, right = {0};
    names_of(before, &left);
    names_of(after, &right);
    for (size_t i = 0; i < left.count; i++)
        pair_files(before, left.items[i], after, partner(&left, &right, left.items[i]), pairs);
    for (size_t i = 0; i < right.count; i++)
        if (!*partner(&right, &left, right.items[i]))
            pair_files(before, "", after, right.items[i], pairs);
    vec_free(&left);
    vec_free(&right);
    if (pairs->count)
        qsort(pairs->items, pairs->count, sizeof *pairs->items, by_distance);
}
