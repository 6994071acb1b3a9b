/* Two profiles and their differences: see profile_difference.h. Differences are the second's less the first's. */
#include "report/profile_difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/figures.h"
#include "report/fold.h"
#include "report/profile_uses.h"
#include "report/profile_waits.h"

#define INDENT "            " /* of what stands below a row */
#define MOST_LINES 10         /* of a kernel */
#define MOST_CAUSES 3         /* of a line */
#define MOST_WAITS 5          /* of a kind */
#define LEAST_SHARE 0.002     /* of the kernel's cycles, for a row */
#define LEAST_SENTENCE 0.01   /* for a sentence */

/* A number with commas between its thousands. */
static void add_grouped(uint64_t value, struct strbuf *out)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    for (int i = 0; i < length; i++)
        strbuf_addf(out, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

static void add_signed(int64_t value, struct strbuf *out)
{
    strbuf_add(out, value < 0 ? "-" : "+");
    add_grouped(value < 0 ? (uint64_t)-value : (uint64_t)value, out);
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? (uint64_t)-value : (uint64_t)value;
}

/* Two sides of a kernel. */
struct sides {
    struct profile_lines lines[2];
    profile_pairs pairs;
    uint64_t whole; /* warp-cycles of the larger one: of which shares are */
    size_t width;   /* columns */
    struct strbuf *out;
};

static const struct profile_sum no_sum;

static const struct profile_sum *sum_of(const struct profile_line *line)
{
    return line ? &line->all : &no_sum;
}

static int64_t difference_of(const struct profile_pair *pair)
{
    return (int64_t)(profile_cost(sum_of(pair->after)) - profile_cost(sum_of(pair->before)));
}

/* A part of a difference. */
struct moved {
    const char *words;
    int64_t cycles;
};

static int by_size(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    if (size_of(x->cycles) != size_of(y->cycles))
        return size_of(x->cycles) < size_of(y->cycles) ? 1 : -1;
    return strcmp(x->words, y->words);
}

static void add_part(struct moved *list, unsigned *count, const char *words, int64_t cycles)
{
    for (unsigned i = 0; i < *count; i++)
        if (!strcmp(list[i].words, words)) {
            list[i].cycles += cycles;
            return;
        }
    list[(*count)++] = (struct moved){words, cycles};
}

/* The parts of a pair's difference, the largest first. list: of 2 * PROFILE_LINES_PARTS. Returns how many. */
static unsigned parts_of(const struct sides *s, const struct profile_pair *pair, struct moved *list)
{
    struct profile_part parts[PROFILE_LINES_PARTS];
    unsigned count = 0, of = profile_parts(&s->lines[0], sum_of(pair->before), parts);
    for (unsigned i = 0; i < of; i++)
        add_part(list, &count, parts[i].words, -(int64_t)parts[i].cycles);
    of = profile_parts(&s->lines[1], sum_of(pair->after), parts);
    for (unsigned i = 0; i < of; i++)
        add_part(list, &count, parts[i].words, (int64_t)parts[i].cycles);
    if (count)
        qsort(list, count, sizeof *list, by_size);
    return count;
}

/* The largest parts, up to one that is a twentieth of the first. */
static void add_parts(const struct sides *s, const struct profile_pair *pair, struct strbuf *out)
{
    struct moved list[2 * PROFILE_LINES_PARTS];
    unsigned count = parts_of(s, pair, list);
    for (unsigned i = 0; i < count && i < MOST_CAUSES; i++) {
        if (!list[i].cycles || size_of(list[i].cycles) * 20 < size_of(list[0].cycles))
            return;
        strbuf_addf(out, "%s%s ", i ? ", " : "", list[i].words);
        add_signed(list[i].cycles, out);
    }
}

/* The place of a line, and that of the other profile where it is another one: "a.cu:9, now a.cu:12". */
static void add_place(const struct profile_pair *pair, struct strbuf *out)
{
    const struct profile_line *a = pair->before, *b = pair->after, *one = a ? a : b;
    strbuf_addf(out, "%s:%" PRIu32, profile_uses_base_name(one->file), one->number);
    if (!a)
        strbuf_add(out, " (new)");
    else if (!b)
        strbuf_add(out, " (gone)");
    else if (strcmp(profile_uses_base_name(a->file), profile_uses_base_name(b->file)) != 0)
        strbuf_addf(out, ", now %s:%" PRIu32, profile_uses_base_name(b->file), b->number);
    else if (a->number != b->number)
        strbuf_addf(out, ", now :%" PRIu32, b->number);
}

/* Sentences */

static int64_t work_difference(const struct sides *s, const struct profile_pair *pair)
{
    return (int64_t)(profile_work_cost(&s->lines[1], sum_of(pair->after)) -
                     profile_work_cost(&s->lines[0], sum_of(pair->before)));
}

/* The pair whose costs differ most, but for waits of warps that have ended, which follow from others; or NULL. */
static const struct profile_pair *most_moved(const struct sides *s)
{
    const struct profile_pair *most = NULL;
    for (size_t i = 0; i < s->pairs.count; i++)
        if (!most || size_of(work_difference(s, &s->pairs.items[i])) > size_of(work_difference(s, most)))
            most = &s->pairs.items[i];
    return most;
}

static void tell_line(const struct sides *s)
{
    const struct profile_pair *pair = most_moved(s);
    struct strbuf text = {0};
    if (!pair || profile_uses_ratio(size_of(difference_of(pair)), s->whole) < LEAST_SENTENCE) {
        strbuf_add(s->out, "- no line costs a hundredth of the kernel's warp-cycles more or less.\n");
        return;
    }
    strbuf_add(&text, "- ");
    add_place(pair, &text);
    strbuf_add(&text, " costs ");
    add_grouped(size_of(difference_of(pair)), &text);
    strbuf_addf(&text, " warp-cycles %s: ", difference_of(pair) < 0 ? "less" : "more");
    add_parts(s, pair, &text);
    strbuf_add(&text, ".");
    strbuf_addf(s->out, "%s\n", strbuf_text(&text));
    strbuf_free(&text);
}

/* A lock, word or barrier in two profiles; NULL: it is not in this one. */
struct wait_pair {
    const struct profile_wait *before, *after;
};
typedef VEC(struct wait_pair) wait_pairs;

static int64_t wait_difference(const struct wait_pair *pair)
{
    return (int64_t)((pair->after ? pair->after->waited : 0) - (pair->before ? pair->before->waited : 0));
}

static int by_wait(const void *a, const void *b)
{
    const struct wait_pair *x = a, *y = b;
    uint64_t of_x = size_of(wait_difference(x)), of_y = size_of(wait_difference(y));
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return strcmp((x->before ? x->before : x->after)->name, (y->before ? y->before : y->after)->name);
}

/* Results have the most expensive ones alone: of what is not in a full list nothing is known. */
static bool is_full(const struct profile_waits *waits)
{
    return waits->of.count >= PROFILE_SHOWN;
}

/* Barriers are named by their lines, which may have another number in the other profile: the name that it has there.
 * Other waits have their names. */
static const char *name_there(const struct sides *s, enum profile_waits_kind kind, const char *name,
                              struct arena *arena)
{
    struct strbuf place = {0};
    for (size_t i = 0; kind == PROFILE_WAITS_BARRIERS && i < s->pairs.count; i++) {
        const struct profile_line *a = s->pairs.items[i].before, *b = s->pairs.items[i].after;
        if (!a || !b)
            continue;
        place.length = 0;
        strbuf_addf(&place, "%s:%" PRIu32, profile_uses_base_name(a->file), a->number);
        if (strncmp(name, strbuf_text(&place), place.length) != 0 || (name[place.length] && name[place.length] != ' '))
            continue;
        name = arena_printf(arena, "%s:%" PRIu32 "%s", profile_uses_base_name(b->file), b->number, name + place.length);
        break;
    }
    strbuf_free(&place);
    return name;
}

static void pair_waits(const struct sides *s, enum profile_waits_kind kind, const struct profile_waits waits[2],
                       struct arena *arena, wait_pairs *pairs)
{
    for (size_t i = 0; i < waits[0].of.count; i++) {
        const struct profile_wait *wait = &waits[0].of.items[i];
        const struct profile_wait *same = profile_waits_find(&waits[1], name_there(s, kind, wait->name, arena));
        if (same || !is_full(&waits[1]))
            vec_push(pairs, (struct wait_pair){wait, same});
    }
    size_t count = pairs->count;
    for (size_t i = 0; i < waits[1].of.count && !is_full(&waits[0]); i++) {
        const struct profile_wait *wait = &waits[1].of.items[i];
        bool paired = false;
        for (size_t n = 0; n < count && !paired; n++)
            paired = pairs->items[n].after == wait;
        if (!paired)
            vec_push(pairs, (struct wait_pair){NULL, wait});
    }
    if (pairs->count)
        qsort(pairs->items, pairs->count, sizeof *pairs->items, by_wait);
}

static void tell_wait(const struct sides *s, enum profile_waits_kind kind, const wait_pairs *pairs)
{
    const struct wait_pair *pair = pairs->count ? &pairs->items[0] : NULL;
    struct strbuf text = {0};
    if (!pair || profile_uses_ratio(size_of(wait_difference(pair)), s->whole) < LEAST_SENTENCE)
        return;
    strbuf_addf(&text, "- %s %s is waited for ", profile_waits_words[kind].one,
                (pair->before ? pair->before : pair->after)->name);
    add_grouped(size_of(wait_difference(pair)), &text);
    strbuf_addf(&text, " warp-cycles %s", wait_difference(pair) < 0 ? "less" : "more");
    if (kind == PROFILE_WAITS_BARRIERS && pair->before && pair->after)
        strbuf_addf(&text, "; the last to come is %.0f cycles after the first on average, and was %.0f",
                    pair->after->figures[PROFILE_WAITS_SPREAD], pair->before->figures[PROFILE_WAITS_SPREAD]);
    strbuf_addf(s->out, "%s.\n", strbuf_text(&text));
    strbuf_free(&text);
}

/* Tables */

static void add_numbers(uint64_t before, uint64_t after, struct strbuf *out)
{
    strbuf_addf(out, "%12" PRIu64 "  %12" PRIu64 "  %+12" PRId64 "  ", before, after, (int64_t)(after - before));
}

static void add_line(const struct sides *s, const struct profile_pair *pair)
{
    const char *text = pair->after && pair->after->text ? pair->after->text : pair->before ? pair->before->text : NULL;
    struct strbuf place = {0}, parts = {0};
    size_t begin = s->out->length;
    add_numbers(profile_cost(sum_of(pair->before)), profile_cost(sum_of(pair->after)), s->out);
    add_place(pair, &place);
    strbuf_add(s->out, strbuf_text(&place));
    if (text) {
        size_t taken = s->out->length - begin + 2, room = taken < s->width ? s->width - taken : 0,
               length = strlen(text);
        strbuf_add(s->out, room && length ? "  " : "");
        strbuf_add_shown(s->out, text, length < room ? length : room);
    }
    strbuf_add(s->out, "\n");
    add_parts(s, pair, &parts);
    strbuf_addf(s->out, INDENT "%s\n", strbuf_text(&parts));
    strbuf_free(&place);
    strbuf_free(&parts);
}

static void add_lines(const struct sides *s)
{
    for (size_t i = 0; i < s->pairs.count && i < MOST_LINES; i++) {
        const struct profile_pair *pair = &s->pairs.items[i];
        if (profile_uses_ratio(size_of(difference_of(pair)), s->whole) < LEAST_SHARE)
            return;
        if (!i)
            strbuf_add(s->out, "cost  before         after    difference  line\n");
        add_line(s, pair);
    }
}

/* "taken 120 -> 60, failed 15705 -> 310" */
static void add_figures(enum profile_waits_kind kind, const struct wait_pair *pair, struct strbuf *out)
{
    const struct profile_waits_figure *figures = profile_waits_words[kind].figures;
    for (unsigned f = 0; f < PROFILE_WAITS_FIGURES && figures[f].name; f++)
        strbuf_addf(out, "%s%s %.0f -> %.0f", f ? ", " : "", figures[f].name,
                    pair->before ? pair->before->figures[f] : 0, pair->after ? pair->after->figures[f] : 0);
}

/* "late.cu:19, now late.cu:17" */
static void add_names(const struct wait_pair *pair, struct strbuf *out)
{
    const char *before = pair->before ? pair->before->name : pair->after->name;
    const char *now = pair->after ? pair->after->name : before;
    strbuf_add(out, before);
    if (strcmp(before, now) != 0)
        strbuf_addf(out, ", now %s", now);
    strbuf_add(out, "\n");
}

static void add_waits(const struct sides *s, enum profile_waits_kind kind, const wait_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count && i < MOST_WAITS; i++) {
        const struct wait_pair *pair = &pairs->items[i];
        struct strbuf figures = {0};
        if (profile_uses_ratio(size_of(wait_difference(pair)), s->whole) < LEAST_SHARE)
            return;
        if (!i)
            strbuf_addf(s->out, "wait  before         after    difference  %s\n", profile_waits_words[kind].one);
        add_numbers(pair->before ? pair->before->waited : 0, pair->after ? pair->after->waited : 0, s->out);
        add_names(pair, s->out);
        add_figures(kind, pair, &figures);
        strbuf_addf(s->out, INDENT "%s\n", strbuf_text(&figures));
        strbuf_free(&figures);
        if (pair->before && *pair->before->last)
            strbuf_addf(s->out, INDENT "before: %s\n", pair->before->last);
        if (pair->after && *pair->after->last)
            strbuf_addf(s->out, INDENT "now: %s\n", pair->after->last);
    }
}

/* Kernels */

static void add_head(const struct sides *s, const char *name)
{
    const struct profile_lines *a = &s->lines[0], *b = &s->lines[1];
    strbuf_add(s->out, "\nprofile of ");
    figures_kernel_name(name, s->out);
    strbuf_addf(s->out, ": %" PRIu64 " -> %" PRIu64 " cycles, %" PRIu64 " -> %" PRIu64 " warp-cycles", a->cycles,
                b->cycles, a->sum.total, b->sum.total);
    if (a->launches != 1 || b->launches != 1)
        strbuf_addf(s->out, " in %" PRIu64 " and %" PRIu64 " launches", a->launches, b->launches);
    strbuf_add(s->out, "\n");
}

static void add_kernel(const json_t *const kernels[2], const char *name, unsigned columns, struct strbuf *out)
{
    struct sides s = {.width = fold_width(columns), .out = out};
    size_t begin = out->length;
    struct arena arena = {0};
    struct profile_waits waits[PROFILE_WAITS_ONCE][2];
    wait_pairs pairs[PROFILE_WAITS_ONCE] = {{0}};
    for (unsigned i = 0; i < 2; i++)
        profile_lines_init(&s.lines[i], kernels[i], name);
    s.whole = s.lines[0].sum.total > s.lines[1].sum.total ? s.lines[0].sum.total : s.lines[1].sum.total;
    profile_pairs_of(&s.lines[0], &s.lines[1], &s.pairs);
    add_head(&s, name);
    tell_line(&s);
    for (unsigned k = 0; k < PROFILE_WAITS_ONCE; k++) {
        for (unsigned i = 0; i < 2; i++)
            profile_waits_read(&waits[k][i], (enum profile_waits_kind)k, kernels[i], name, &arena);
        pair_waits(&s, (enum profile_waits_kind)k, waits[k], &arena, &pairs[k]);
        tell_wait(&s, (enum profile_waits_kind)k, &pairs[k]);
    }
    add_lines(&s);
    for (unsigned k = 0; k < PROFILE_WAITS_ONCE; k++) {
        add_waits(&s, (enum profile_waits_kind)k, &pairs[k]);
        vec_free(&pairs[k]);
        profile_waits_free(&waits[k][0]);
        profile_waits_free(&waits[k][1]);
    }
    fold_lines(out, begin, (unsigned)s.width);
    vec_free(&s.pairs);
    profile_lines_free(&s.lines[0]);
    profile_lines_free(&s.lines[1]);
    arena_free(&arena);
}

/* Its name if it has a profile, and it is the first launch of its kernel; else NULL. */
static const char *first_name(const json_t *kernels, size_t which)
{
    const json_t *kernel = json_array_get(kernels, which);
    const char *name = json_string_value(json_object_get(kernel, "name"));
    if (!name || !json_object_get(kernel, "profile"))
        return NULL;
    for (size_t i = 0; i < which; i++) {
        const char *before = json_string_value(json_object_get(json_array_get(kernels, i), "name"));
        if (before && !strcmp(before, name) && json_object_get(json_array_get(kernels, i), "profile"))
            return NULL;
    }
    return name;
}

static bool has_kernel(const json_t *kernels, const char *name)
{
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const char *own = first_name(kernels, i);
        if (own && !strcmp(own, name))
            return true;
    }
    return false;
}

unsigned profile_difference(const json_t *const kernels[2], const char *const names[2], unsigned columns,
                            struct strbuf *out)
{
    unsigned told = 0;
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < json_array_size(kernels[side]); i++) {
            const char *name = first_name(kernels[side], i);
            bool both = name && has_kernel(kernels[!side], name);
            if (both && !side) {
                add_kernel(kernels, name, columns, out);
                told++;
            } else if (name && !both) {
                strbuf_add(out, "\nprofile of ");
                figures_kernel_name(name, out);
                strbuf_addf(out, ": in %s alone\n", names[side]);
            }
        }
    return told;
}
