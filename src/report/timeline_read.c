/* From lines of JSON to a launch's lives and locks: see timeline_read.h. Every number that leads into a table is
 * checked here, so that nobody has to trust the file. */
#include "report/timeline_read.h"

#include <inttypes.h>
#include <string.h>

#include "report/profile_uses.h"

#define MOST_PC (1u << 24)

/* Numbers of an array, one after the other. */
struct numbers {
    const json_t *array;
    size_t at;
    bool bad; /* something was no number of 0 and above, or too large */
};

static uint64_t next_to(struct numbers *n, uint64_t most)
{
    const json_t *item = json_array_get(n->array, n->at++);
    json_int_t value = json_integer_value(item);
    if (json_is_integer(item) && value >= 0 && (uint64_t)value <= most)
        return (uint64_t)value;
    n->bad = true;
    return 0;
}

static uint32_t next_below(struct numbers *n, uint32_t count)
{
    uint64_t value = next_to(n, UINT32_MAX);
    n->bad |= value >= count;
    return value < count ? (uint32_t)value : 0;
}

static uint64_t next_cycle(struct numbers *n)
{
    return next_to(n, INT64_MAX);
}

static uint32_t next_pc(struct numbers *n, const struct timeline_read_launch *l)
{
    uint32_t pc = next_below(n, (uint32_t)l->instructions.count);
    n->bad |= !n->bad && !l->instructions.items[pc];
    return pc;
}

static bool has_more(const struct numbers *n)
{
    return !n->bad && n->at < json_array_size(n->array);
}

static uint64_t number_of(const json_t *object, const char *name, uint64_t most, bool *bad)
{
    const json_t *item = json_object_get(object, name);
    struct numbers n = {0};
    json_int_t value = json_integer_value(item);
    n.bad = !json_is_integer(item) || value < 0 || (uint64_t)value > most;
    *bad |= n.bad;
    return n.bad ? 0 : (uint64_t)value;
}

/* Lines of an SM */

#define MOST_SMS 4096
#define MOST_SLOTS 64

static bool take_life(struct timeline_read_launch *l, uint32_t sm, const json_t *line)
{
    bool bad = false;
    struct numbers block = {.array = json_object_get(line, "block")}, life = {.array = json_object_get(line, "life")};
    struct numbers n = {.array = json_object_get(line, "phases")};
    struct timeline_read_life to = {.sm = sm, .first = l->phases.count};
    to.slot = (uint32_t)number_of(line, "slot", MOST_SLOTS - 1, &bad);
    to.warp = (uint32_t)number_of(line, "warp", UINT32_MAX, &bad);
    to.at = number_of(line, "at", INT64_MAX, &bad);
    to.cut = json_is_true(json_object_get(line, "cut"));
    for (unsigned i = 0; i < 3; i++)
        to.block[i] = (uint32_t)next_to(&block, UINT32_MAX);
    to.from = next_cycle(&life);
    to.until = next_cycle(&life);
    uint64_t end = to.at;
    while (has_more(&n)) {
        struct timeline_read_phase phase = {.cycles = (uint32_t)next_to(&n, UINT32_MAX)};
        phase.cause = next_below(&n, l->causes);
        phase.pc = next_pc(&n, l);
        phase.own = (uint32_t)next_to(&n, phase.cycles);
        end += phase.cycles;
        vec_push(&l->phases, phase);
    }
    to.count = l->phases.count - to.first;
    vec_push(&l->lives, to);
    return !bad && !block.bad && !life.bad && !n.bad && to.from <= to.at && end <= to.until;
}

static bool take_waits(struct timeline_read_launch *l, uint32_t sm, const json_t *array, bool mbarriers)
{
    struct numbers n = {.array = array};
    while (has_more(&n)) {
        struct timeline_read_wait wait = {.sm = sm, .slot = next_below(&n, MOST_SLOTS)};
        wait.came = next_cycle(&n);
        wait.opened = next_cycle(&n);
        wait.pc = next_pc(&n, l);
        wait.mbarrier = mbarriers ? next_below(&n, l->mbarriers) + 1 : 0;
        n.bad |= wait.opened < wait.came;
        vec_push(&l->waits, wait);
    }
    return !n.bad;
}

static bool take_sections(struct timeline_read_launch *l, uint32_t sm, const json_t *array)
{
    struct numbers n = {.array = array};
    while (has_more(&n)) {
        struct timeline_read_section s = {.sm = sm, .lock = next_below(&n, l->locks)};
        s.block = next_below(&n, MOST_SLOTS);
        s.slot = next_below(&n, MOST_SLOTS);
        s.lane = next_below(&n, MOST_SLOTS);
        s.since = next_cycle(&n);
        s.taken = next_cycle(&n);
        s.given = next_cycle(&n);
        s.taken_at = next_pc(&n, l);
        s.given_at = next_pc(&n, l);
        n.bad |= s.taken < s.since || s.given < s.taken;
        vec_push(&l->sections, s);
    }
    return !n.bad;
}

static bool take_unfinished(struct timeline_read_launch *l, uint32_t sm, const json_t *array)
{
    struct numbers n = {.array = array};
    while (has_more(&n)) {
        struct timeline_read_unfinished u = {.sm = sm, .lock = next_below(&n, l->locks)};
        u.slot = next_below(&n, MOST_SLOTS);
        u.lane = next_below(&n, MOST_SLOTS);
        u.held = next_below(&n, 2);
        u.from = next_cycle(&n);
        u.until = next_cycle(&n);
        n.bad |= u.until < u.from;
        vec_push(&l->unfinished, u);
    }
    return !n.bad;
}

static bool take_issues(struct timeline_read_launch *l, uint32_t sm, json_t *line)
{
    bool bad = false;
    struct timeline_read_issues issues = {.sm = sm, .counts = json_object_get(line, "issues")};
    issues.bin = number_of(line, "bin", INT64_MAX, &bad);
    struct numbers n = {.array = issues.counts};
    while (has_more(&n))
        next_to(&n, UINT32_MAX);
    vec_push(&l->issues, issues);
    vec_push(&l->kept, json_incref(line));
    return !bad && !n.bad && issues.bin;
}

static bool take_sm(struct timeline_read_launch *l, json_t *line)
{
    bool bad = false;
    uint32_t sm = (uint32_t)number_of(line, "sm", MOST_SMS - 1, &bad);
    if (bad)
        return false;
    if (json_object_get(line, "phases"))
        return take_life(l, sm, line);
    if (json_object_get(line, "barriers"))
        return take_waits(l, sm, json_object_get(line, "barriers"), false);
    if (json_object_get(line, "mbarriers"))
        return take_waits(l, sm, json_object_get(line, "mbarriers"), true);
    if (json_object_get(line, "locks"))
        return take_sections(l, sm, json_object_get(line, "locks"));
    if (json_object_get(line, "unfinished"))
        return take_unfinished(l, sm, json_object_get(line, "unfinished"));
    return !json_object_get(line, "issues") || take_issues(l, sm, line);
}

/* The first line of a launch */

static bool take_instructions(struct timeline_read_launch *l)
{
    size_t i;
    const json_t *instruction, *all = json_object_get(l->object, "instructions");
    json_array_foreach(all, i, instruction)
    {
        bool bad = false;
        uint64_t pc = number_of(instruction, "pc", MOST_PC, &bad);
        if (bad)
            return false;
        while (l->instructions.count <= pc)
            vec_push(&l->instructions, NULL);
        l->instructions.items[pc] = instruction;
    }
    return json_is_array(all);
}

static bool are_named(const json_t *array, const char *member)
{
    size_t i;
    const json_t *item;
    json_array_foreach(array, i, item) if (!json_is_string(member ? json_object_get(item, member) : item)) return false;
    return json_is_array(array);
}

static bool take_launch(struct timeline_read *t, json_t *line)
{
    bool bad = false;
    struct timeline_read_launch launch = {.object = json_incref(line)};
    launch.start = number_of(line, "start", INT64_MAX / 2, &bad);
    launch.cycles = number_of(line, "cycles", INT64_MAX / 2, &bad);
    launch.causes = (uint32_t)json_array_size(json_object_get(line, "causes"));
    launch.locks = (uint32_t)json_array_size(json_object_get(line, "locks"));
    const json_t *mbarriers = json_object_get(line, "mbarriers"); /* older files have none */
    launch.mbarriers = (uint32_t)json_array_size(mbarriers);
    bool whole = take_instructions(&launch) && are_named(json_object_get(line, "causes"), NULL) &&
                 are_named(json_object_get(line, "locks"), "name") && (!mbarriers || are_named(mbarriers, "name")) &&
                 json_is_string(json_object_get(line, "name"));
    vec_push(&t->launches, launch);
    return whole && !bad;
}

static bool take_line(struct timeline_read *t, json_t *line)
{
    if (json_object_get(line, "launch"))
        return take_launch(t, line);
    if (json_object_get(line, "sm"))
        return t->launches.count && take_sm(&t->launches.items[t->launches.count - 1], line);
    return json_is_object(line); /* of a later version */
}

int timeline_read(struct timeline_read *t, const char *path, const struct strbuf *lines, struct diag_sink *sink)
{
    const char *at = strbuf_text(lines), *end = at + lines->length;
    for (unsigned number = 1; at < end; number++) {
        size_t n = strcspn(at, "\n");
        json_t *line = json_loadb(at, n, 0, NULL);
        const json_t *format = json_object_get(line, "lockstep timeline");
        bool good = number == 1 ? json_is_integer(format) : take_line(t, line);
        json_int_t is = json_integer_value(format);
        json_decref(line);
        if (!good)
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s: line %u of the timeline is damaged", path, number);
        if (number == 1 && is != TIMELINE_FORMAT)
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s: a timeline of format %lld; this version reads format %d",
                              path, (long long)is, TIMELINE_FORMAT);
        at += n + 1;
    }
    return 0;
}

static void free_launch(struct timeline_read_launch *l)
{
    for (size_t i = 0; i < l->kept.count; i++)
        json_decref(l->kept.items[i]);
    json_decref(l->object);
    vec_free(&l->lives);
    vec_free(&l->phases);
    vec_free(&l->waits);
    vec_free(&l->sections);
    vec_free(&l->unfinished);
    vec_free(&l->issues);
    vec_free(&l->kept);
    vec_free(&l->instructions);
}

void timeline_read_free(struct timeline_read *t)
{
    for (size_t i = 0; i < t->launches.count; i++)
        free_launch(&t->launches.items[i]);
    vec_free(&t->launches);
}

const char *timeline_read_cause(const struct timeline_read_launch *l, uint32_t cause)
{
    return json_string_value(json_array_get(json_object_get(l->object, "causes"), cause));
}

const char *timeline_read_lock(const struct timeline_read_launch *l, uint32_t lock)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(l->object, "locks"), lock), "name"));
}

const char *timeline_read_mbarrier(const struct timeline_read_launch *l, uint32_t mbarrier)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(l->object, "mbarriers"), mbarrier), "name"));
}

bool timeline_read_is_shared(const struct timeline_read_launch *l, uint32_t lock)
{
    const json_t *object = json_array_get(json_object_get(l->object, "locks"), lock);
    const char *space = json_string_value(json_object_get(object, "space"));
    return space && !strcmp(space, "shared");
}

void timeline_read_add_place(const struct timeline_read_launch *l, uint32_t pc, struct strbuf *out)
{
    profile_uses_add_place(l->instructions.items[pc], true, out);
}

const char *timeline_read_text(const struct timeline_read_launch *l, uint32_t pc)
{
    const char *text = json_string_value(json_object_get(l->instructions.items[pc], "text"));
    return text ? text : "";
}
