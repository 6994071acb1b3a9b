/* From results to lines: see profile_lines.h. */
#include "report/profile_lines.h"

#include <stdlib.h>
#include <string.h>

#include "report/profile_uses.h"

static void add_sum(struct profile_sum *to, const struct profile_sum *from)
{
    for (unsigned i = 0; i < PROFILE_COUNTS; i++)
        to->counts[i] += from->counts[i];
    for (unsigned i = 0; i < PROFILE_LINES_CAUSES; i++)
        to->cycles[i] += from->cycles[i];
    to->total += from->total;
    to->data += from->data;
}

uint32_t profile_lines_cause(const struct profile_lines *p, const char *name)
{
    for (unsigned i = 0; i < p->cause_count; i++)
        if (!strcmp(p->causes[i], name))
            return i;
    return PROFILE_LINES_NONE;
}

/* The cause's number, which it gets when it is met first. */
static unsigned cause_number(struct profile_lines *p, const char *name)
{
    uint32_t known = profile_lines_cause(p, name);
    if (known != PROFILE_LINES_NONE)
        return known;
    if (p->cause_count == PROFILE_LINES_CAUSES)
        return PROFILE_LINES_CAUSES - 1;
    p->causes[p->cause_count] = arena_strdup(&p->arena, name);
    return p->cause_count++;
}

static void read_sum(struct profile_lines *p, const json_t *object, struct profile_sum *sum)
{
    const char *name;
    json_t *value;
    const json_t *counts = json_object_get(object, "counts");
    for (unsigned i = 0; i < PROFILE_COUNTS; i++)
        sum->counts[i] += profile_uses_number(counts, profile_count_name((enum profile_count)i));
    json_object_foreach(json_object_get(object, "cycles"), name, value)
    {
        uint64_t cycles = (uint64_t)json_integer_value(value);
        sum->cycles[cause_number(p, name)] += cycles;
        sum->total += cycles;
        sum->data += strncmp(name, "data_", 5) == 0 ? cycles : 0;
    }
}

static void add_launch(struct profile_lines *p, const json_t *kernel)
{
    const json_t *instructions = json_object_get(json_object_get(kernel, "profile"), "instructions");
    p->launches++;
    p->cycles += profile_uses_number(kernel, "cycles");
    for (size_t i = 0; i < json_array_size(instructions); i++) {
        const json_t *object = json_array_get(instructions, i);
        uint64_t pc = profile_uses_number(object, "pc");
        while (p->instrs.count <= pc)
            vec_push(&p->instrs, (struct profile_instr){0});
        p->instrs.items[pc].object = object;
        read_sum(p, object, &p->instrs.items[pc].sum);
    }
}

/* The number of a line. */
static uint32_t line_of(struct profile_lines *p, const char *file, uint64_t number, uint32_t depth)
{
    const char *key = arena_printf(&p->arena, "%u %s", (unsigned)number, file);
    uint32_t known = strmap_get(&p->numbers, key, strlen(key));
    if (known == STRMAP_NONE) {
        known = (uint32_t)p->lines.count;
        strmap_put(&p->numbers, key, strlen(key), known);
        vec_push(&p->lines, (struct profile_line){.file = file, .number = (uint32_t)number, .depth = depth});
    }
    struct profile_line *line = &p->lines.items[known];
    line->depth = depth < line->depth ? depth : line->depth;
    return known;
}

/* Adds an instruction to a line, the next one of its chain of calls, unless that is in the chain before. */
static void add_all(struct profile_lines *p, uint32_t line, const struct profile_instr *instr, uint32_t *before,
                    uint32_t count)
{
    before[count] = line;
    for (uint32_t i = 0; i < count; i++)
        if (before[i] == line)
            return;
    add_sum(&p->lines.items[line].all, &instr->sum);
}

static void add_site(struct profile_lines *p, uint32_t line, uint32_t outer, const struct profile_sum *sum)
{
    const char *key = arena_printf(&p->arena, "%u in %u", line, outer);
    uint32_t known = strmap_get(&p->numbers, key, strlen(key));
    if (known == STRMAP_NONE) {
        known = (uint32_t)p->sites.count;
        strmap_put(&p->numbers, key, strlen(key), known);
        vec_push(&p->sites, (struct profile_site){.line = line, .outer = outer});
    }
    add_sum(&p->sites.items[known].sum, sum);
}

#define MOST_PLACES 64

/* Where the sources are not known, the lines are those of the PTX. */
static void add_instr(struct profile_lines *p, struct profile_instr *instr)
{
    const json_t *places = json_object_get(instr->object, "places");
    uint32_t count = (uint32_t)json_array_size(places), chain[MOST_PLACES], outer = 0;
    count = count < MOST_PLACES ? count : MOST_PLACES;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *place = json_array_get(places, i);
        const char *file = json_string_value(json_object_get(place, "file"));
        outer = line_of(p, file ? file : "", profile_uses_number(place, "line"), count - 1 - i);
        instr->line = i ? instr->line : outer;
        add_all(p, outer, instr, chain, i);
    }
    if (!count) {
        const char *file = json_string_value(json_object_get(instr->object, "ptx_file"));
        instr->line = outer = line_of(p, file ? file : "", profile_uses_number(instr->object, "ptx_line"), 0);
        add_all(p, outer, instr, chain, 0);
    }
    add_site(p, instr->line, outer, &instr->sum);
    add_sum(&p->lines.items[instr->line].own, &instr->sum);
    add_sum(&p->sum, &instr->sum);
}

/* The texts of lines, as the launch's results have them. */
static void add_texts(struct profile_lines *p, const json_t *kernel)
{
    size_t i;
    const json_t *of;
    json_array_foreach(json_object_get(json_object_get(kernel, "profile"), "lines"), i, of)
    {
        const char *file = json_string_value(json_object_get(of, "file"));
        const char *key = arena_printf(&p->arena, "%u %s", (unsigned)profile_uses_number(of, "line"), file ? file : "");
        uint32_t line = strmap_get(&p->numbers, key, strlen(key));
        if (line != STRMAP_NONE)
            p->lines.items[line].text = json_string_value(json_object_get(of, "text"));
    }
}

static bool is_of(const json_t *kernel, const char *name)
{
    const char *own = json_string_value(json_object_get(kernel, "name"));
    return own && !strcmp(own, name) && json_object_get(kernel, "profile");
}

void profile_lines_init(struct profile_lines *p, const json_t *kernels, const char *name)
{
    *p = (struct profile_lines){0};
    for (size_t i = 0; i < json_array_size(kernels); i++)
        if (is_of(json_array_get(kernels, i), name))
            add_launch(p, json_array_get(kernels, i));
    for (size_t pc = 0; pc < p->instrs.count; pc++)
        if (p->instrs.items[pc].object)
            add_instr(p, &p->instrs.items[pc]);
    for (size_t i = 0; i < json_array_size(kernels); i++)
        if (is_of(json_array_get(kernels, i), name))
            add_texts(p, json_array_get(kernels, i));
}

void profile_lines_free(struct profile_lines *p)
{
    vec_free(&p->instrs);
    vec_free(&p->lines);
    vec_free(&p->sites);
    strmap_free(&p->numbers);
    arena_free(&p->arena);
}

static int by_cycles(const void *a, const void *b)
{
    const struct profile_part *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->cause + 1 < y->cause + 1 ? -1 : 1; /* waits for its value come first */
}

unsigned profile_parts(const struct profile_lines *p, const struct profile_sum *sum, struct profile_part *parts)
{
    unsigned count = 0;
    if (sum->counts[PROFILE_awaited])
        parts[count++] = (struct profile_part){"its value awaited", sum->counts[PROFILE_awaited], PROFILE_LINES_NONE};
    for (unsigned i = 0; i < p->cause_count; i++)
        if (sum->cycles[i] && strncmp(p->causes[i], "data_", 5) != 0)
            parts[count++] = (struct profile_part){profile_cause_words(p->causes[i]), sum->cycles[i], i};
    if (count)
        qsort(parts, count, sizeof *parts, by_cycles);
    return count;
}

uint64_t profile_work_cost(const struct profile_lines *p, const struct profile_sum *sum)
{
    uint32_t end = profile_lines_cause(p, "exit");
    return profile_cost(sum) - (end == PROFILE_LINES_NONE ? 0 : sum->cycles[end]);
}

bool profile_line_before(const struct profile_line *a, const struct profile_line *b)
{
    uint64_t of_a = profile_cost(&a->all), of_b = profile_cost(&b->all);
    return of_a != of_b ? of_a > of_b : a->depth < b->depth;
}
