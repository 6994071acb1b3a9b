/* From results to lines: see profile_lines.h. */
#include "report/profile_lines.h"

#include <stdlib.h>
#include <string.h>

#include "isa/program.h"
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

/* The number of a call: the launch's results have it as often as there are contexts from which it is made. */
static uint32_t called_of(struct profile_lines *p, const json_t *object, uint32_t outer)
{
    struct profile_called called = {.object = object,
                                    .outer = outer,
                                    .pc = (uint32_t)profile_uses_number(object, "pc"),
                                    .first = (uint32_t)profile_uses_number(object, "first"),
                                    .count = (uint32_t)profile_uses_number(object, "count")};
    const char *key = arena_printf(&p->arena, "%u to %u from %u", called.pc, called.first, outer);
    uint32_t known = strmap_get(&p->numbers, key, strlen(key));
    if (known == STRMAP_NONE) {
        known = (uint32_t)p->calls.count;
        strmap_put(&p->numbers, key, strlen(key), known);
        vec_push(&p->calls, called);
    }
    return known;
}

/* Outer ones stand before those that are called from them, and have lower numbers. */
static void add_calls(struct profile_lines *p, const json_t *calls)
{
    size_t count = json_array_size(calls);
    uint32_t *numbers = base_calloc(count + 1, sizeof *numbers); /* + 1, of the launch's; 0: the kernel */
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(calls, i);
        uint64_t outer = profile_uses_number(object, "outer");
        uint32_t at = called_of(p, object, outer <= i ? numbers[outer] : 0);
        numbers[i + 1] = at + 1;
        read_sum(p, object, &p->calls.items[at].own);
    }
    free(numbers);
}

#define MOST_INSTRUCTIONS (1u << 24) /* of a module; results that have more are damaged */

static void add_launch(struct profile_lines *p, const json_t *kernel)
{
    const json_t *instructions = json_object_get(json_object_get(kernel, "profile"), "instructions");
    p->launches++;
    p->cycles += profile_uses_number(kernel, "cycles");
    add_calls(p, json_object_get(json_object_get(kernel, "profile"), "calls"));
    for (size_t i = 0; i < json_array_size(instructions); i++) {
        const json_t *object = json_array_get(instructions, i);
        uint64_t pc = profile_uses_number(object, "pc");
        if (pc >= MOST_INSTRUCTIONS)
            continue;
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

static uint32_t add_site(struct profile_lines *p, const struct profile_site *of)
{
    const char *key = arena_printf(&p->arena, "%u in %u %s", of->line, of->outer, of->by ? of->by : "");
    uint32_t known = strmap_get(&p->numbers, key, strlen(key));
    if (known == STRMAP_NONE) {
        known = (uint32_t)p->sites.count;
        strmap_put(&p->numbers, key, strlen(key), known);
        vec_push(&p->sites, ((struct profile_site){of->line, of->outer, of->by, of->first, {{0}, {0}, 0, 0}}));
    }
    add_sum(&p->sites.items[known].sum, &of->sum);
    return known;
}

#define MOST_PLACES 64

/* The lines of an instruction, its own first, to `chain`; they have such depths. Returns how many. Where the sources
 * are not known, it is the one of the PTX. */
static uint32_t lines_of(struct profile_lines *p, const json_t *object, uint32_t depth, uint32_t *chain)
{
    const json_t *places = json_object_get(object, "places");
    uint32_t count = (uint32_t)json_array_size(places);
    count = count < MOST_PLACES ? count : MOST_PLACES;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *place = json_array_get(places, i);
        const char *file = json_string_value(json_object_get(place, "file"));
        chain[i] = line_of(p, file ? file : "", profile_uses_number(place, "line"), depth + count - 1 - i);
    }
    if (count)
        return count;
    const char *file = json_string_value(json_object_get(object, "ptx_file"));
    chain[0] = line_of(p, file ? file : "", profile_uses_number(object, "ptx_line"), depth);
    return 1;
}

/* The calls around the function that an instruction stands in, at least. */
static uint32_t depth_of(const struct profile_lines *p, uint32_t pc)
{
    uint32_t least = 0;
    for (size_t i = 0; i < p->calls.count; i++) {
        const struct profile_called *called = &p->calls.items[i];
        uint32_t depth = 1;
        for (uint32_t outer = called->outer; outer; outer = p->calls.items[outer - 1].outer)
            depth++;
        if (pc - called->first < called->count && (!least || depth < least))
            least = depth;
    }
    return least;
}

const struct profile_called *profile_lines_called(const struct profile_lines *p, uint32_t pc)
{
    const struct profile_called *best = NULL;
    for (size_t i = 0; i < p->calls.count; i++) {
        const struct profile_called *called = &p->calls.items[i];
        if (pc - called->first < called->count && (!best || profile_cost(&called->own) > profile_cost(&best->own)))
            best = called;
    }
    return best;
}

/* The called function in which an instruction stands lies in headers that came with a compiler: so says the last place
 * of its first instruction that has one. */
static bool is_header_function(const struct profile_lines *p, uint32_t pc)
{
    const struct profile_called *called = profile_lines_called(p, pc);
    for (uint32_t i = 0; called && i < called->count && called->first + i < p->instrs.count; i++) {
        const json_t *places = json_object_get(p->instrs.items[called->first + i].object, "places");
        size_t count = json_array_size(places);
        const char *file = json_string_value(json_object_get(json_array_get(places, count - 1), "file"));
        if (count && file)
            return isa_is_system_header(file);
    }
    return false;
}

static void add_instr(struct profile_lines *p, uint32_t pc)
{
    struct profile_instr *instr = &p->instrs.items[pc];
    const json_t *places = json_object_get(instr->object, "places");
    uint32_t chain[MOST_PLACES], before[MOST_PLACES], depth = depth_of(p, pc);
    uint32_t count = lines_of(p, instr->object, depth, chain), user = (uint32_t)profile_uses_user_place(places);
    for (uint32_t i = 0; i < count; i++)
        add_all(p, chain[i], instr, before, i);
    instr->line = chain[0];
    instr->site = PROFILE_LINES_NONE;
    if (!depth || !is_header_function(p, pc))
        instr->site = add_site(p, &(struct profile_site){.line = chain[user < count ? user : count - 1],
                                                         .outer = chain[count - 1],
                                                         .first = pc,
                                                         .sum = instr->sum});
    add_sum(&p->lines.items[instr->line].own, &instr->sum);
    add_sum(&p->sum, &instr->sum);
}

/* The cost of a called function goes to the lines of the call, and of those around it; once to each line. A function
 * that is called by way of itself is so often in no context. */
static void add_called(struct profile_lines *p, uint32_t number)
{
    uint32_t chain[MOST_PLACES];
    const struct profile_sum *own = &p->calls.items[number].own;
    for (uint32_t at = number + 1; at; at = p->calls.items[at - 1].outer) {
        add_sum(&p->calls.items[at - 1].all, own);
        const struct profile_called *called = &p->calls.items[at - 1];
        const json_t *object = called->pc < p->instrs.count ? p->instrs.items[called->pc].object : NULL;
        uint32_t count = lines_of(p, object ? object : called->object, UINT32_MAX - MOST_PLACES, chain);
        for (uint32_t i = 0; i < count; i++) {
            struct profile_line *line = &p->lines.items[chain[i]];
            if (line->told != number + 1)
                add_sum(&line->all, own);
            line->told = number + 1;
        }
    }
}

/* The cycles of a called function that lies in headers as a whole are those of the call that users wrote. */
static void add_header_site(struct profile_lines *p, const struct profile_called *called)
{
    const struct profile_called *call = called;
    if (!is_header_function(p, called->first))
        return;
    while (call->outer && is_header_function(p, p->calls.items[call->outer - 1].first))
        call = &p->calls.items[call->outer - 1];
    uint32_t chain[MOST_PLACES], count = lines_of(p, call->object, UINT32_MAX - MOST_PLACES, chain);
    uint32_t user = (uint32_t)profile_uses_user_place(json_object_get(call->object, "places"));
    add_site(p, &(struct profile_site){.line = chain[user < count ? user : count - 1],
                                       .outer = chain[count - 1],
                                       .by = json_string_value(json_object_get(call->object, "function")),
                                       .first = call->pc,
                                       .sum = called->own});
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
    *p = (struct profile_lines){.kernels = kernels, .name = name};
    for (size_t i = 0; i < json_array_size(kernels); i++)
        if (is_of(json_array_get(kernels, i), name))
            add_launch(p, json_array_get(kernels, i));
    for (size_t pc = 0; pc < p->instrs.count; pc++)
        if (p->instrs.items[pc].object)
            add_instr(p, (uint32_t)pc);
    for (size_t i = 0; i < p->calls.count; i++) {
        add_called(p, (uint32_t)i);
        add_header_site(p, &p->calls.items[i]);
    }
    for (size_t i = 0; i < json_array_size(kernels); i++)
        if (is_of(json_array_get(kernels, i), name))
            add_texts(p, json_array_get(kernels, i));
}

void profile_lines_free(struct profile_lines *p)
{
    vec_free(&p->instrs);
    vec_free(&p->lines);
    vec_free(&p->sites);
    vec_free(&p->calls);
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
