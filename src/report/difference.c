/* Differences of two runs; see difference.h. Members of the results are taken as they come, under their names with dots
 * in between, so that a statistic is compared as soon as results have it. */
#include "report/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strmap.h"
#include "gpu/gpu.h"
#include "report/figures.h"

#define SIDES 2

/* A member of the results: its value on each side, or text in its place. */
struct entry {
    const char *name;
    bool real;    /* a side has a value that is no whole number */
    bool largest; /* values of several kernels do not add up */
    bool known[SIDES];
    json_int_t whole[SIDES];
    double value[SIDES];
    const char *text[SIDES]; /* of settings */
};

struct entries {
    struct arena arena;
    struct strmap by_name;
    VEC(struct entry) list; /* in the order in which they came */
};

static void entries_free(struct entries *e)
{
    vec_free(&e->list);
    strmap_free(&e->by_name);
    arena_free(&e->arena);
}

/* The shape of a launch, of which several kernels have the largest. */
static bool is_shape(const char *name)
{
    static const char *const names[] = {"dynamic_shared_bytes", "static_shared_bytes", "registers", "blocks_per_sm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* True for statistics that do not add up. */
static bool is_largest(const char *name)
{
    struct gpu_result result;
    unsigned count;
    bool largest = is_shape(name);
    gpu_result_blank(&result);
    const struct gpu_stat_set *sets = gpu_result_sets(&result, &count);
    for (unsigned i = 0; i < count; i++) {
        size_t n = strlen(sets[i].group->name);
        for (unsigned k = 0; strncmp(name, sets[i].group->name, n) == 0 && name[n] == '.' && k < sets[i].group->count;
             k++)
            largest |=
                strcmp(name + n + 1, sets[i].group->stats[k].name) == 0 && sets[i].group->stats[k].kind != STAT_COUNTER;
    }
    gpu_result_free(&result);
    return largest;
}

static struct entry *entry_of(struct entries *e, const char *name)
{
    uint32_t at = strmap_get(&e->by_name, name, strlen(name));
    if (at == STRMAP_NONE) {
        const char *kept = arena_strdup(&e->arena, name);
        at = (uint32_t)e->list.count;
        vec_push(&e->list, ((struct entry){.name = kept, .largest = is_largest(name)}));
        strmap_put(&e->by_name, kept, strlen(kept), at);
    }
    return &e->list.items[at];
}

static void add_value(struct entries *e, const char *name, unsigned side, const json_t *value)
{
    struct entry *entry = entry_of(e, name);
    double number = json_number_value(value);
    if (entry->known[side] && entry->largest) {
        if (number > entry->value[side]) {
            entry->value[side] = number;
            entry->whole[side] = json_integer_value(value);
        }
    } else {
        entry->value[side] += number;
        entry->whole[side] = (json_int_t)((uint64_t)entry->whole[side] + (uint64_t)json_integer_value(value));
    }
    entry->known[side] = true;
    entry->real |= json_is_real(value);
}

/* Numbers of an object and of those in it. */
static void add_numbers(struct entries *e, const char *before, const json_t *object, unsigned side)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        struct strbuf whole = {0};
        strbuf_addf(&whole, "%s%s%s", before, *before ? "." : "", name);
        if (json_is_object(value))
            add_numbers(e, whole.text, value, side);
        else if (json_is_number(value))
            add_value(e, whole.text, side, value);
        strbuf_free(&whole);
    }
}

/* A kernel's statistics. Left out: what the host took; rates, which do not add up; and intervals, which do so
 * to the rest. */
static void add_kernel(struct entries *e, const json_t *kernel, unsigned side)
{
    static const char *const left[] = {"host", "ipc", "simd_efficiency", "index", "intervals"};
    json_t *rest = json_copy((json_t *)kernel);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        json_object_del(rest, left[i]);
    add_numbers(e, "", rest, side);
    json_decref(rest);
}

static void number_cell(struct table *t, const struct entry *entry, unsigned side)
{
    if (!entry->known[side])
        table_cell(t, "-");
    else if (entry->real)
        table_cell(t, "%.9g", entry->value[side]);
    else
        table_cell(t, "%lld", (long long)entry->whole[side]);
}

static bool same_number(const struct entry *entry)
{
    if (entry->known[0] != entry->known[1])
        return false;
    return entry->real ? !(entry->value[0] < entry->value[1] || entry->value[0] > entry->value[1])
                       : entry->whole[0] == entry->whole[1];
}

static void heading(struct table *t, const char *first, const struct report_run runs[SIDES])
{
    table_cell(t, "%s", first);
    for (unsigned side = 0; side < SIDES; side++)
        table_cell(t, "%s", runs[side].label);
}

static void add_differences(const struct entries *e, const struct report_run runs[SIDES], struct table_page *page)
{
    struct table t;
    table_init(&t, "lrrr");
    heading(&t, "statistic", runs);
    table_cell(&t, "ratio");
    for (size_t i = 0; i < e->list.count; i++) {
        const struct entry *entry = &e->list.items[i];
        if (same_number(entry))
            continue;
        table_cell(&t, "%s", entry->name);
        for (unsigned side = 0; side < SIDES; side++)
            number_cell(&t, entry, side);
        if (entry->known[0] && entry->known[1] && entry->value[0] > 0)
            table_cell(&t, "%.3f", entry->value[1] / entry->value[0]);
        else
            table_cell(&t, "-");
    }
    if (t.cells.count > t.columns)
        table_text(&t, page);
    else
        strbuf_add(&page->text, "no statistic differs\n");
    table_free(&t);
}

static void differences(const struct report_run runs[SIDES], const char *only, struct table_page *page)
{
    struct entries e = {.list = {0}};
    for (unsigned side = 0; side < SIDES; side++)
        for (size_t i = 0; i < json_array_size(runs[side].kernels); i++) {
            const json_t *kernel = json_array_get(runs[side].kernels, i);
            const char *name = json_string_value(json_object_get(kernel, "name"));
            if (!only || strcmp(name ? name : "", only) == 0)
                add_kernel(&e, kernel, side);
        }
    add_differences(&e, runs, page);
    entries_free(&e);
}

void report_differences(const struct report_run runs[SIDES], struct table_page *page)
{
    differences(runs, NULL, page);
}

void report_differences_kernels(const struct report_run runs[SIDES], struct table_page *page)
{
    struct report_names names = {0};
    report_kernel_names(runs, SIDES, &names);
    for (size_t i = 0; i < names.list.count; i++) {
        strbuf_add(&page->text, "\nkernel ");
        figures_kernel_name(names.list.items[i], &page->text);
        strbuf_add(&page->text, "\n");
        differences(runs, names.list.items[i], page);
    }
    vec_free(&names.list);
}

/* Settings */

static void text_of(const json_t *value, struct strbuf *out)
{
    if (json_is_string(value))
        strbuf_add(out, json_string_value(value));
    else if (json_is_integer(value))
        strbuf_addf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        strbuf_addf(out, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        strbuf_add(out, json_is_true(value) ? "true" : "false");
    for (size_t i = 0; i < json_array_size(value); i++) {
        strbuf_add(out, i ? " " : "");
        text_of(json_array_get(value, i), out);
    }
}

static void add_settings(struct entries *e, const char *before, const json_t *object, unsigned side)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        struct strbuf whole = {0}, text = {0};
        strbuf_addf(&whole, "%s%s%s", before, *before ? "." : "", name);
        if (json_is_object(value)) {
            add_settings(e, whole.text, value, side);
        } else {
            text_of(value, &text);
            entry_of(e, whole.text)->text[side] = arena_strdup(&e->arena, strbuf_text(&text));
        }
        strbuf_free(&whole);
        strbuf_free(&text);
    }
}

/* The command that was run, and all parameters of its machine. */
static json_t *settings_of(const json_t *document)
{
    static const char *const members[] = {"program", "as", "mode"};
    json_t *machine = json_object_get(document, "machine"), *settings = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(settings, members[i], json_object_get(document, members[i]));
    json_object_set(settings, "machine", json_object_get(machine, "name"));
    if (json_is_object(machine))
        json_object_update(settings, machine);
    json_object_del(settings, "name");
    json_object_del(settings, "doc");
    return settings;
}

void report_settings(const struct report_run runs[SIDES], json_t *const documents[SIDES], struct table_page *page)
{
    struct entries e = {.list = {0}};
    struct table t;
    for (unsigned side = 0; side < SIDES; side++) {
        json_t *settings = settings_of(documents[side]);
        add_settings(&e, "", settings, side);
        json_decref(settings);
    }
    table_init(&t, "lll");
    heading(&t, "", runs);
    for (size_t i = 0; i < e.list.count; i++) {
        const struct entry *entry = &e.list.items[i];
        const char *first = entry->text[0] ? entry->text[0] : "-", *second = entry->text[1] ? entry->text[1] : "-";
        if (strcmp(first, second) == 0)
            continue;
        table_cell(&t, "%s", entry->name);
        table_cell(&t, "%s", first);
        table_cell(&t, "%s", second);
    }
    if (t.cells.count > t.columns) {
        table_text(&t, page);
        strbuf_add(&page->text, "\n");
    }
    table_free(&t);
    entries_free(&e);
}
