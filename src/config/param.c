/* Parameters by name: defaults, one assignment, a whole YAML document, text. Everything is driven by the descriptors of
 * the groups it is given; an assignment from a file and one from the command line take the same path. */
#include "config/param.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "config/yaml.h"

/* One assignment on its way: where it stands decides how its errors look. */
struct setting {
    struct arena *arena;
    struct diag_sink *sink;
    struct diag_pos pos;
    const struct yaml_doc *doc;   /* from a file: its document */
    const struct yaml_node *node; /* and the value */
    const char *file;             /* and its name, for as long as the values live */
    uint32_t order;               /* of the last assignment so far */
};

static void *field_of(const struct param_group *group, const struct param_desc *param)
{
    return (char *)group->values + param->offset;
}

static void store_number(const struct param_group *group, const struct param_desc *param, uint64_t value)
{
    if (param->type == PARAM_TYPE_BOOL)
        *(bool *)field_of(group, param) = value != 0;
    else
        *(uint32_t *)field_of(group, param) = (uint32_t)value;
}

void param_defaults(const struct param_group *groups, unsigned count)
{
    for (unsigned g = 0; g < count; g++)
        for (unsigned p = 0; p < groups[g].count; p++) {
            const struct param_desc *param = &groups[g].params[p];
            if (param->type == PARAM_TYPE_STR)
                *(const char **)field_of(&groups[g], param) = param->default_text;
            else
                store_number(&groups[g], param, param->default_value);
        }
}

static int fail(const struct setting *at, const char *hint, const char *message)
{
    if (at->node)
        return yaml_error(at->doc, at->node, at->sink, hint, "%s", message);
    return diag_error(at->sink, at->pos, hint, "%s", message);
}

/* Reports message, frees both texts. */
static int fail_text(const struct setting *at, struct strbuf *hint, struct strbuf *message)
{
    int rc = fail(at, hint->length ? strbuf_text(hint) : NULL, strbuf_text(message));
    strbuf_free(hint);
    strbuf_free(message);
    return rc;
}

static const struct param_group *find_group(const struct param_group *groups, unsigned count, const char *name,
                                            size_t n)
{
    for (unsigned g = 0; g < count; g++)
        if (strlen(groups[g].name) == n && memcmp(groups[g].name, name, n) == 0)
            return &groups[g];
    return NULL;
}

static const struct param_desc *find_param(const struct param_group *group, const char *name)
{
    for (unsigned p = 0; p < group->count; p++)
        if (strcmp(group->params[p].name, name) == 0)
            return &group->params[p];
    return NULL;
}

/* Appends "did you mean 'a.b'?": the same parameter in other groups, else the nearest of the group, else the nearest of
 * all. */
static void suggest(const struct param_group *groups, unsigned count, const struct param_group *group, const char *name,
                    struct strbuf *hint)
{
    VEC(const char *) candidates = {0};
    struct arena arena = {0};
    unsigned same = 0;
    const char *word = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
    for (unsigned g = 0; g < count; g++) {
        if (find_param(&groups[g], word))
            strbuf_addf(hint, "%s'%s.%s'", same++ ? " or " : "did you mean ", groups[g].name, word);
        for (unsigned p = 0; (!group || group == &groups[g]) && p < groups[g].count; p++)
            vec_push(&candidates, arena_printf(&arena, "%s.%s", groups[g].name, groups[g].params[p].name));
    }
    vec_push(&candidates, NULL);
    const char *full = group ? arena_printf(&arena, "%s.%s", group->name, word) : name;
    const char *near = same ? NULL : str_nearest(full, candidates.items);
    if (near)
        strbuf_addf(hint, "did you mean '%s'", near);
    if (same || near)
        strbuf_add(hint, "?");
    vec_free(&candidates);
    arena_free(&arena);
}

static int unknown_group(const struct setting *at, const struct param_group *groups, unsigned count, const char *name)
{
    struct strbuf hint = {0}, message = {0};
    VEC(const char *) names = {0};
    for (unsigned g = 0; g < count; g++)
        vec_push(&names, groups[g].name);
    vec_push(&names, NULL);
    const char *near = str_nearest(name, names.items);
    if (near)
        strbuf_addf(&hint, "did you mean '%s'?", near);
    else
        for (unsigned g = 0; g < count; g++)
            strbuf_addf(&hint, "%s%s", g ? " " : "the groups are: ", groups[g].name);
    strbuf_addf(&message, "there is no parameter group '%s'", name);
    vec_free(&names);
    return fail_text(at, &hint, &message);
}

static const char *space_before(const char *unit)
{
    return *unit ? " " : "";
}

static int set_u32(const struct setting *at, const struct param_group *group, const struct param_desc *param,
                   const char *text)
{
    uint64_t value;
    struct strbuf hint = {0}, message = {0};
    bool number = config_parse_u64(text, &value);
    if (number && value >= param->min && value <= param->max) {
        store_number(group, param, value);
        return 0;
    }
    strbuf_addf(&message, "%s.%s = %s is %s (%llu to %llu%s%s)", group->name, param->name, text,
                number ? "out of range" : "not a whole number", (unsigned long long)param->min,
                (unsigned long long)param->max, space_before(param->unit), param->unit);
    return fail_text(at, &hint, &message);
}

/* A number with at most three places behind the point, as thousandths; false when text is none. */
static bool parse_decimal(const char *text, uint64_t *thousandths)
{
    uint64_t value = 0;
    int places = -1; /* behind the point; -1 before it */
    for (const char *p = text; *p; p++) {
        if (*p == '.' && places < 0 && p > text) {
            places = 0;
            continue;
        }
        if (*p < '0' || *p > '9' || places == 3 || value >> 50)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
        places += places >= 0;
    }
    if (!*text || places == 0)
        return false;
    for (int i = places < 0 ? 0 : places; i < 3; i++)
        value *= 10;
    *thousandths = value;
    return true;
}

void param_format_decimal(uint64_t thousandths, struct strbuf *out)
{
    unsigned rest = (unsigned)(thousandths % 1000), places = 3;
    strbuf_addf(out, "%llu", (unsigned long long)(thousandths / 1000));
    for (; rest && rest % 10 == 0; rest /= 10)
        places--;
    if (rest)
        strbuf_addf(out, ".%0*u", (int)places, rest);
}

static int set_decimal(const struct setting *at, const struct param_group *group, const struct param_desc *param,
                       const char *text)
{
    uint64_t value;
    bool number = parse_decimal(text, &value);
    if (number && value >= param->min && value <= param->max) {
        store_number(group, param, value);
        return 0;
    }
    struct strbuf hint = {0}, message = {0};
    strbuf_addf(&message, "%s.%s = %s is %s (", group->name, param->name, text,
                number ? "out of range" : "not a number with at most three places behind the point");
    param_format_decimal(param->min, &message);
    strbuf_add(&message, " to ");
    param_format_decimal(param->max, &message);
    strbuf_addf(&message, "%s%s)", space_before(param->unit), param->unit);
    return fail_text(at, &hint, &message);
}

static int set_bool(const struct setting *at, const struct param_group *group, const struct param_desc *param,
                    const char *text)
{
    static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) {
            store_number(group, param, i & 1);
            return 0;
        }
    struct strbuf hint = {0}, message = {0};
    strbuf_addf(&message, "%s.%s = %s: expected true or false", group->name, param->name, text);
    return fail_text(at, &hint, &message);
}

static int set_enum(const struct setting *at, const struct param_group *group, const struct param_desc *param,
                    const char *text)
{
    struct strbuf hint = {0}, message = {0};
    for (uint32_t i = 0; param->choices[i]; i++)
        if (strcmp(text, param->choices[i]) == 0) {
            store_number(group, param, i);
            return 0;
        }
    strbuf_addf(&message, "%s.%s = %s: expected", group->name, param->name, text);
    for (uint32_t i = 0; param->choices[i]; i++)
        strbuf_addf(&message, "%s%s", i == 0 ? " " : param->choices[i + 1] ? ", " : " or ", param->choices[i]);
    const char *near = str_nearest(text, param->choices);
    if (near)
        strbuf_addf(&hint, "did you mean '%s'?", near);
    return fail_text(at, &hint, &message);
}

static int convert(const struct setting *at, const struct param_group *group, const struct param_desc *param,
                   const char *text)
{
    switch (param->type) {
    case PARAM_TYPE_U32:
        return set_u32(at, group, param, text);
    case PARAM_TYPE_DECIMAL:
        return set_decimal(at, group, param, text);
    case PARAM_TYPE_BOOL:
        return set_bool(at, group, param, text);
    case PARAM_TYPE_ENUM:
        return set_enum(at, group, param, text);
    case PARAM_TYPE_STR:
        break;
    }
    *(const char **)field_of(group, param) = arena_strdup(at->arena, text);
    return 0;
}

/* The last assignment's number. */
static uint32_t last_order(const struct param_group *groups, unsigned count)
{
    uint32_t last = 0;
    for (unsigned g = 0; g < count; g++)
        for (unsigned p = 0; groups[g].places && p < groups[g].count; p++)
            last = groups[g].places[p].order > last ? groups[g].places[p].order : last;
    return last;
}

static int set_value(struct setting *at, const struct param_group *group, const struct param_desc *param,
                     const char *text)
{
    if (convert(at, group, param, text) < 0)
        return -1;
    if (!group->places)
        return 0;
    struct param_place place = {.order = ++at->order, .pos = at->pos};
    if (at->node) {
        place.pos = (struct diag_pos){at->file, at->node->line, at->node->column};
        place.source_line = yaml_source_line(at->doc, at->node, at->arena);
        place.span = (unsigned)strlen(text);
    }
    group->places[param - group->params] = place;
    return 0;
}

int param_set(const struct param_group *groups, unsigned count, struct arena *arena, const char *name, const char *text,
              struct diag_pos pos, struct diag_sink *sink)
{
    struct setting at = {.arena = arena, .sink = sink, .pos = pos, .order = last_order(groups, count)};
    const char *dot = strchr(name, '.');
    const struct param_group *group = dot ? find_group(groups, count, name, (size_t)(dot - name)) : NULL;
    const struct param_desc *param = group ? find_param(group, dot + 1) : NULL;
    if (param)
        return set_value(&at, group, param, text);
    struct strbuf hint = {0}, message = {0};
    strbuf_addf(&message, "there is no parameter '%s'", name);
    suggest(groups, count, group, name, &hint);
    return fail_text(&at, &hint, &message);
}

static int load_entry(struct setting *at, const struct param_group *groups, unsigned count,
                      const struct param_group *group)
{
    const struct yaml_node *value = at->node;
    const struct param_desc *param = find_param(group, value->key->text);
    if (!param) {
        struct strbuf hint = {0}, message = {0};
        at->node = value->key;
        strbuf_addf(&message, "there is no parameter '%s.%s'", group->name, value->key->text);
        suggest(groups, count, group, value->key->text, &hint);
        return fail_text(at, &hint, &message);
    }
    if (value->kind != YAML_SCALAR)
        return yaml_error(at->doc, value, at->sink, NULL, "%s.%s: expected a single value, found %s", group->name,
                          param->name, yaml_kind_name(value->kind));
    if (value->quoted && param->type != PARAM_TYPE_STR)
        return yaml_error(at->doc, value, at->sink, "leave the quotes out", "%s.%s: expected %s, found text",
                          group->name, param->name, param->type <= PARAM_TYPE_DECIMAL ? "a number" : "a word");
    return set_value(at, group, param, value->text);
}

static bool is_listed(const char *const *list, const char *name)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static int load_group(struct setting *at, const struct param_group *groups, unsigned count,
                      const struct yaml_node *entry)
{
    const struct param_group *group = find_group(groups, count, entry->key->text, strlen(entry->key->text));
    int rc = 0;
    if (!group) {
        at->node = entry->key;
        return unknown_group(at, groups, count, entry->key->text);
    }
    if (entry->kind == YAML_SCALAR && !*entry->text)
        return 0; /* a heading with nothing below it */
    if (entry->kind != YAML_MAPPING)
        return yaml_error(at->doc, entry, at->sink, NULL, "%s: expected a mapping of parameters, found %s", group->name,
                          yaml_kind_name(entry->kind));
    for (const struct yaml_node *value = entry->children; value; value = value->next) {
        at->node = value;
        if (load_entry(at, groups, count, group) < 0)
            rc = -1;
    }
    return rc;
}

int param_load_yaml(const struct param_group *groups, unsigned count, struct arena *arena, const char *file,
                    const char *text, const char *const *ignored, struct diag_sink *sink)
{
    struct arena scratch = {0};
    struct yaml_doc doc;
    struct setting at = {.arena = arena,
                         .sink = sink,
                         .doc = &doc,
                         .file = arena_strdup(arena, file),
                         .order = last_order(groups, count)};
    int rc = yaml_parse(&doc, &scratch, file, text, strlen(text), sink);
    if (rc == 0 && doc.root->kind != YAML_MAPPING)
        rc = yaml_error(&doc, doc.root, sink, NULL, "expected a mapping of parameter groups");
    for (const struct yaml_node *entry = rc == 0 ? doc.root->children : NULL; entry; entry = entry->next)
        if (!is_listed(ignored, entry->key->text) && load_group(&at, groups, count, entry) < 0)
            rc = -1;
    arena_free(&scratch);
    return rc;
}

/* True if a plain YAML scalar reads back as exactly this text. */
static bool is_plain(const char *text)
{
    size_t n = strlen(text);
    if (n == 0 || strchr("-?:,[]{}#&*!|>'\"%@` ", text[0]) || strchr(" :", text[n - 1]))
        return false;
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7F || (*p == ':' && p[1] == ' ') || (*p == ' ' && p[1] == '#'))
            return false;
    return strcmp(text, "~") != 0 && strcmp(text, "null") != 0;
}

static void format_text(const char *text, struct strbuf *out)
{
    if (is_plain(text)) {
        strbuf_add(out, text);
        return;
    }
    strbuf_add(out, "\"");
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7F)
            strbuf_addf(out, "\\x%02x", (unsigned)(unsigned char)*p);
        else
            strbuf_addf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
    strbuf_add(out, "\"");
}

bool param_is_default(const struct param_group *group, const struct param_desc *param)
{
    const void *field = field_of(group, param);
    if (param->type == PARAM_TYPE_STR)
        return !strcmp(*(const char *const *)field, param->default_text);
    if (param->type == PARAM_TYPE_BOOL)
        return *(const bool *)field == (param->default_value != 0);
    return *(const uint32_t *)field == param->default_value;
}

void param_format(const struct param_group *group, const struct param_desc *param, struct strbuf *out)
{
    const void *field = field_of(group, param);
    switch (param->type) {
    case PARAM_TYPE_U32:
        strbuf_addf(out, "%u", *(const uint32_t *)field);
        break;
    case PARAM_TYPE_DECIMAL:
        param_format_decimal(*(const uint32_t *)field, out);
        break;
    case PARAM_TYPE_BOOL:
        strbuf_add(out, *(const bool *)field ? "true" : "false");
        break;
    case PARAM_TYPE_ENUM:
        strbuf_add(out, param->choices[*(const uint32_t *)field]);
        break;
    case PARAM_TYPE_STR:
        format_text(*(const char *const *)field, out);
        break;
    }
}

int param_conflict(const struct param_group *groups, unsigned count, const char *names, const char *why,
                   struct diag_sink *sink)
{
    struct strbuf message = {0};
    struct param_place last = {0};
    for (const char *name = names; *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " "), group_length = strcspn(name, ".");
        const struct param_group *group = find_group(groups, count, name, group_length);
        struct strbuf own = {0};
        strbuf_addn(&own, name + group_length + 1, length - group_length - 1);
        const struct param_desc *param = find_param(group, strbuf_text(&own));
        strbuf_free(&own);
        const struct param_place *place = group->places ? &group->places[param - group->params] : &last;
        strbuf_addf(&message, "%s%s.%s = ", name == names ? "" : ", ", group->name, param->name);
        param_format(group, param, &message);
        last = place->order > last.order ? *place : last;
        name += length;
    }
    strbuf_addf(&message, ": %s", why);
    struct diag d = {
        .pos = last.pos, .span = last.span, .source_line = last.source_line, .message = strbuf_text(&message)};
    diag_add(sink, &d);
    strbuf_free(&message);
    return -1;
}
