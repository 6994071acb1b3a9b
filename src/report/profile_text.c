/* Texts of sources: see profile_text.h. */
#include "report/profile_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strmap.h"
#include "report/profile_uses.h"

void profile_text_read(struct profile_text *text, const char *file)
{
    struct diag_sink sink;
    *text = (struct profile_text){0};
    diag_init(&sink);
    int rc = file_read(file, FILE_TEXT_MOST, &text->text, &sink);
    diag_free(&sink);
    char *at = text->text.text;
    if (rc < 0 || !at || strlen(at) < text->text.length) /* a binary file has bytes of 0 */
        return;
    for (char *end = at + text->text.length; at < end;) {
        size_t length = strcspn(at, "\n");
        vec_push(&text->lines, (size_t)(at - text->text.text));
        for (size_t n = length; n <= length && (n == length || strchr(" \t\r", at[n])); n--)
            at[n] = '\0';
        at += length + 1;
    }
}

void profile_text_free(struct profile_text *text)
{
    strbuf_free(&text->text);
    vec_free(&text->lines);
}

const char *profile_text_line(const struct profile_text *text, uint64_t number)
{
    return number && number <= text->lines.count ? text->text.text + text->lines.items[number - 1] : NULL;
}

struct named_text {
    const char *file;
    struct profile_text text;
};
struct keeper {
    VEC(struct named_text) texts;
    struct strmap seen; /* lines of this profile: "LINE FILE" */
    struct arena arena;
};

static const struct profile_text *text_of(struct keeper *k, const char *file)
{
    for (size_t i = 0; i < k->texts.count; i++)
        if (!strcmp(k->texts.items[i].file, file))
            return &k->texts.items[i].text;
    struct named_text named = {.file = arena_strdup(&k->arena, file)};
    profile_text_read(&named.text, file);
    vec_push(&k->texts, named);
    return &k->texts.items[k->texts.count - 1].text;
}

static void keep_line(struct keeper *k, const char *file, uint64_t number, json_t *lines)
{
    const char *key = arena_printf(&k->arena, "%llu %s", (unsigned long long)number, file);
    if (!*file || strmap_get(&k->seen, key, strlen(key)) != STRMAP_NONE)
        return;
    strmap_put(&k->seen, key, strlen(key), 0);
    const char *text = profile_text_line(text_of(k, file), number);
    json_t *value = text ? json_string(text + strspn(text, " \t")) : NULL; /* NULL too: it is no UTF-8 */
    if (!value)
        return;
    json_t *line = json_object();
    json_object_set_new(line, "file", json_string(file));
    json_object_set_new(line, "line", json_integer((json_int_t)number));
    json_object_set_new(line, "text", value);
    json_array_append_new(lines, line);
}

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static void keep_profile(struct keeper *k, json_t *profile)
{
    json_t *lines = json_array();
    const json_t *instruction, *place;
    size_t i, n;
    json_array_foreach(json_object_get(profile, "instructions"), i, instruction)
    {
        const json_t *places = json_object_get(instruction, "places");
        json_array_foreach(places, n, place)
            keep_line(k, member(place, "file"), profile_uses_number(place, "line"), lines);
        if (!json_array_size(places))
            keep_line(k, member(instruction, "ptx_file"), profile_uses_number(instruction, "ptx_line"), lines);
    }
    json_object_set_new(profile, "lines", lines);
}

void profile_text_keep(json_t *kernels)
{
    struct keeper keeper = {0};
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        json_t *profile = json_object_get(kernel, "profile");
        keeper.seen = (struct strmap){0};
        if (profile)
            keep_profile(&keeper, profile);
        strmap_free(&keeper.seen);
    }
    for (i = 0; i < keeper.texts.count; i++)
        profile_text_free(&keeper.texts.items[i].text);
    vec_free(&keeper.texts);
    arena_free(&keeper.arena);
}
