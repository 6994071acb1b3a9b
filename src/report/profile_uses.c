/* Words and their instructions, from results to text: see profile_uses.h. */
#include "isa/program.h"
#include "report/profile_uses.h"

#include <inttypes.h>
#include <string.h>

void profile_uses_tell(const json_t *uses, struct profile_told *told)
{
    size_t i, n;
    const json_t *use;
    json_array_foreach(uses, i, use)
    {
        uint64_t pc = profile_uses_number(use, "pc");
        for (n = 0; n < told->pcs.count && told->pcs.items[n] != pc;)
            n++;
        if (n == told->pcs.count)
            vec_push(&told->pcs, pc);
    }
}

uint64_t profile_uses_number(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

void profile_uses_count(const json_t *object, const char *name, bool most, uint64_t *count)
{
    uint64_t value = profile_uses_number(object, name);
    if (!most)
        *count += value;
    else if (value > *count)
        *count = value;
}

json_t *profile_uses_all(const json_t *kernels, const char *name, const char *member)
{
    json_t *all = json_array();
    size_t i;
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        const char *of = json_string_value(json_object_get(kernel, "name"));
        if (of && !strcmp(of, name))
            json_array_extend(all, json_object_get(json_object_get(kernel, "profile"), member));
    }
    return all;
}

const char *profile_uses_name(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    return name ? name : "";
}

const char *profile_uses_base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

double profile_uses_ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void add_line(const json_t *place, struct strbuf *out)
{
    const char *file = json_string_value(json_object_get(place, "file"));
    strbuf_addf(out, "%s:%" PRIu64, profile_uses_base_name(file ? file : ""), profile_uses_number(place, "line"));
}

size_t profile_uses_user_place(const json_t *places)
{
    size_t count = json_array_size(places), at = 0;
    for (; at + 1 < count; at++) {
        const char *file = json_string_value(json_object_get(json_array_get(places, at), "file"));
        if (!file || !isa_is_system_header(file))
            break;
    }
    return at;
}

/* called: words in front of the outermost call; NULL: it is not told. */
static void add_place(const json_t *use, const char *called, struct strbuf *out)
{
    const json_t *places = json_object_get(use, "places");
    size_t count = json_array_size(places), first = profile_uses_user_place(places);
    if (!count) {
        strbuf_addf(out, "line %" PRIu64 " of the PTX", profile_uses_number(use, "ptx_line"));
        return;
    }
    add_line(json_array_get(places, first), out);
    if (count == first + 1 || !called)
        return;
    strbuf_addf(out, " (%s ", called);
    add_line(json_array_get(places, count - 1), out);
    strbuf_add(out, ")");
}

void profile_uses_add_block(const json_t *block, struct strbuf *out)
{
    json_int_t index[3];
    for (unsigned i = 0; i < 3; i++)
        index[i] = json_integer_value(json_array_get(block, i));
    if (index[2])
        strbuf_addf(out, "block (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", (uint64_t)index[0], (uint64_t)index[1],
                    (uint64_t)index[2]);
    else if (index[1])
        strbuf_addf(out, "block (%" PRIu64 ",%" PRIu64 ")", (uint64_t)index[0], (uint64_t)index[1]);
    else
        strbuf_addf(out, "block %" PRIu64, (uint64_t)index[0]);
}

void profile_uses_add_place(const json_t *use, bool calls, struct strbuf *out)
{
    add_place(use, calls ? "called from" : NULL, out);
}

bool profile_uses_same_place(const json_t *one, const json_t *other, bool calls)
{
    struct strbuf a = {0}, b = {0};
    profile_uses_add_place(one, calls, &a);
    profile_uses_add_place(other, calls, &b);
    bool same = !strcmp(strbuf_text(&a), strbuf_text(&b));
    strbuf_free(&a);
    strbuf_free(&b);
    return same;
}

void profile_uses_add_called(const json_t *use, const char *called, struct strbuf *out)
{
    add_place(use, called, out);
}

void profile_uses_add_caller(const json_t *use, struct strbuf *out)
{
    const json_t *places = json_object_get(use, "places");
    if (json_array_size(places))
        add_line(json_array_get(places, json_array_size(places) - 1), out);
    else
        profile_uses_add_place(use, false, out);
}

/* The first place, and another line's if there is one. */
static void add_two_places(const json_t *uses, const char *called, struct strbuf *out)
{
    struct strbuf first = {0}, two = {0};
    add_place(json_array_get(uses, 0), called, out);
    profile_uses_add_place(json_array_get(uses, 0), false, &first);
    profile_uses_add_places(uses, &two);
    if (two.length > first.length)
        strbuf_add(out, strbuf_text(&two) + first.length);
    strbuf_free(&first);
    strbuf_free(&two);
}

void profile_uses_add_taken(const json_t *takes, const char *called, struct strbuf *out)
{
    strbuf_add(out, "taken at ");
    add_two_places(takes, called, out);
}

void profile_uses_add_given(const json_t *word, bool given, struct strbuf *out)
{
    const json_t *writes = json_object_get(word, "written_at");
    if (given) {
        strbuf_add(out, ", given back at ");
        add_two_places(json_object_get(word, "gives"), NULL, out);
    } else if (json_array_size(writes)) {
        strbuf_add(out, ", written at ");
        add_two_places(writes, NULL, out);
    } else {
        strbuf_add(out, ", never given back");
    }
}

unsigned profile_uses_add_places(const json_t *uses, struct strbuf *out)
{
    struct strbuf first = {0}, next = {0};
    profile_uses_add_place(json_array_get(uses, 0), false, &first);
    unsigned count = json_array_size(uses) > 0;
    if (count)
        strbuf_add(out, strbuf_text(&first));
    for (size_t i = 1; i < json_array_size(uses) && count == 1; i++) {
        next.length = 0;
        profile_uses_add_place(json_array_get(uses, i), false, &next);
        if (strcmp(strbuf_text(&first), strbuf_text(&next)) != 0) {
            strbuf_addf(out, " and %s", strbuf_text(&next));
            count++;
        }
    }
    strbuf_free(&first);
    strbuf_free(&next);
    return count;
}
