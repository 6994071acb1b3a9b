/* Suffixes that do not go together, by the table of isa/forms.def. */
#include "ptx/parse.h"

#include <string.h>

enum group { ORDERING, TYPES, GROUPS };

static const struct form {
    uint8_t op, group;
    const char *fields; /* "FIELD values | FIELD values ..." */
} forms[] = {
#define FORM(op, group, fields) {ISA_OP_##op, group, fields},
#include "isa/forms.def"
#undef FORM
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* Beside the fields of modifiers: the type suffix, and the second one. */
enum { TYPE_FIELD = ISA_FIELD_COUNT, STYPE_FIELD };

/* Names of fields for messages, where no suffix of the field is allowed or one of them is required. */
static const struct {
    const char *name, *noun;
    uint8_t field;
} names[] = {
    {"ORDER", "memory order", ISA_FIELD_ORDER}, {"SCOPE", "scope", ISA_FIELD_SCOPE},
    {"SPACE", "state space", ISA_FIELD_SPACE},  {"CACHE", "cache operator", ISA_FIELD_CACHE},
    {"ATOMIC", "operation", ISA_FIELD_ATOMIC},  {"NOFTZ", ".noftz", ISA_FIELD_NOFTZ},
    {"BARRIER", "mode", ISA_FIELD_BARRIER},     {"REDUCE", "reduction", ISA_FIELD_REDUCE},
    {"SYNC", ".sync", ISA_FIELD_SYNC},          {"VEC", "vector", ISA_FIELD_VEC},
    {"ALIGNED", ".aligned", ISA_FIELD_ALIGNED}, {"ROUND", "rounding", ISA_FIELD_ROUND},
    {"FTZ", ".ftz", ISA_FIELD_FTZ},             {"SAT", "saturation", ISA_FIELD_SAT},
    {"RELU", ".relu", ISA_FIELD_RELU},
    {"NANP", ".NaN", ISA_FIELD_NANP},           {"XORSIGN", ".xorsign", ISA_FIELD_XORSIGN},
    {"ABSM", ".abs", ISA_FIELD_ABSM},           {"CC", ".cc", ISA_FIELD_CC},
    {"HALF", "part", ISA_FIELD_HALF},           {"CMP", "comparison", ISA_FIELD_CMP},
    {"BOOLOP", "operation", ISA_FIELD_BOOLOP},  {"TO", ".to", ISA_FIELD_TO},
    {"VOTE", "mode", ISA_FIELD_VOTE},           {"SHFL", "mode", ISA_FIELD_SHFL},
    {"CLAMP", "mode", ISA_FIELD_CLAMP},         {"DIRECTION", "direction", ISA_FIELD_DIRECTION},
    {"TEST", "test", ISA_FIELD_TEST},           {"PACK", ".pack", ISA_FIELD_PACK},
    {"LIMIT", "limit", ISA_FIELD_LIMIT},        {"LOD", "level", ISA_FIELD_LOD},
    {"COMPONENT", "component", ISA_FIELD_COMPONENT}, {"SURFACE", "format", ISA_FIELD_SURFACE},
    {"GEOMETRY", "geometry", ISA_FIELD_GEOMETRY}, {"BOUNDS", "mode outside", ISA_FIELD_BOUNDS},
    {"SHAPE", "shape", ISA_FIELD_SHAPE}, {"QUERY", "attribute", ISA_FIELD_QUERY},
    {"NUMBER", "number", ISA_FIELD_NUMBER},     {"TRANS", ".trans", ISA_FIELD_TRANS},
    {"ALAYOUT", "layout of a", ISA_FIELD_ALAYOUT}, {"BLAYOUT", "layout of b", ISA_FIELD_BLAYOUT},
    {"CTYPE", "fourth type", ISA_FIELD_CTYPE},
    {"SPARSE", ".sp", ISA_FIELD_SPARSE}, {"BITOP", ".xor or .and", ISA_FIELD_BITOP}, {"POPC", ".popc", ISA_FIELD_POPC},
    {"BTYPE", "third type", ISA_FIELD_BTYPE},   {"PO", ".po", ISA_FIELD_PO},
    {"PROXY", "proxy", ISA_FIELD_PROXY},        {"RESTRICT", "restriction", ISA_FIELD_RESTRICT},
    {"SCALE", "scale", ISA_FIELD_SCALE},         {"NOCOMPLETE", ".noComplete", ISA_FIELD_NOCOMPLETE},
    {"INTO", "state space of the destination", ISA_FIELD_INTO}, {"FROM", "state space of the source", ISA_FIELD_FROM},
    {"COMPLETION", "completion", ISA_FIELD_COMPLETION}, {"MULTICAST", ".multicast::cluster", ISA_FIELD_MULTICAST},
    {"MASKED", ".cp_mask", ISA_FIELD_MASKED},   {"POLICY", ".L2::cache_hint", ISA_FIELD_POLICY},
    {"LEVEL", "level", ISA_FIELD_LEVEL},
    {"TYPE", "type", TYPE_FIELD},               {"STYPE", "second type", STYPE_FIELD},
};
enum { NAMES = sizeof names / sizeof names[0] };

static unsigned name_of(const char *text)
{
    size_t n = strcspn(text, " ");
    unsigned i = 0;
    while (i + 1 < NAMES && (strlen(names[i].name) != n || memcmp(names[i].name, text, n) != 0))
        i++;
    return i;
}

/* The values of field number `at` of a row, behind its name; NULL when it has fewer. *name receives which it is. */
static const char *values_of(const struct form *form, unsigned at, unsigned *name)
{
    const char *text = form->fields;
    for (; at && text; at--)
        text = strstr(text, " | ") ? strstr(text, " | ") + 3 : NULL;
    if (!text)
        return NULL;
    *name = name_of(text);
    return text + strlen(names[*name].name) + 1;
}

/* The next of a list of values, which ends with the row or at a bar; its length, 0 at the end. */
static size_t next_value(const char **values)
{
    *values += strspn(*values, " ");
    return **values == '|' ? 0 : strcspn(*values, " ");
}

static bool has_value(const char *values, const char *text, size_t n)
{
    for (size_t k; (k = next_value(&values)); values += k)
        if (k == n && memcmp(values, text, n) == 0)
            return true;
    return false;
}

/* The suffix that gave the field its value, or NULL. */
static const struct ptx_token *written(const struct ptx_suffixes *s, unsigned field)
{
    unsigned types = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct ptx_token *word = &s->words[i];
        uint8_t value = field >= TYPE_FIELD ? 0 : ((const uint8_t *)&s->instr->mods)[field];
        if (field >= TYPE_FIELD && isa_find_type(word->text, word->length) > 0 && types++ == field - TYPE_FIELD)
            return word;
        if (value && isa_find_mod(field, word->text, word->length) == value)
            return word;
    }
    return NULL;
}

/* Adds the values that these rows leave to field `at`: ".a, .b or no scope". */
static void add_expected(struct strbuf *out, const bool *fits, unsigned at)
{
    char list[32][24];
    unsigned count = 0, name = 0;
    bool none = false;
    for (unsigned i = 0; i < FORMS; i++) {
        const char *values = fits[i] ? values_of(&forms[i], at, &name) : NULL;
        for (size_t n; values && (n = next_value(&values)); values += n) {
            bool seen = n == 1 && *values == '-';
            none |= seen;
            for (unsigned k = 0; k < count && !seen; k++)
                seen = strlen(list[k]) == n && memcmp(list[k], values, n) == 0;
            if (!seen && count < 32 && n < sizeof list[0]) {
                memcpy(list[count], values, n);
                list[count++][n] = '\0';
            }
        }
    }
    for (unsigned k = 0; k < count; k++)
        strbuf_addf(out, "%s.%s", !k ? "" : k + 1 < count || none ? ", " : " or ", list[k]);
    if (none)
        strbuf_addf(out, "%sno %s", count ? " or " : "", names[name].noun);
}

/* The instruction as far as it is right: its name and the suffixes of the fields before `at`. */
static void add_context(struct strbuf *out, const struct ptx_suffixes *s, const struct form *form, unsigned at)
{
    unsigned name;
    strbuf_add(out, isa_op_info(s->instr->op)->text);
    for (unsigned i = 0; i < at && values_of(form, i, &name); i++) {
        const struct ptx_token *word = written(s, names[name].field);
        if (word)
            strbuf_addf(out, ".%.*s", (int)word->length, word->text);
    }
}

/* No row that fits so far has the field's suffix. */
static int refuse(struct ptx_parser *p, const struct ptx_suffixes *s, const struct form *form, const bool *fits,
                  unsigned at)
{
    unsigned name = 0;
    values_of(form, at, &name);
    const struct ptx_token *word = written(s, names[name].field);
    struct strbuf text = {0};
    strbuf_add(&text, "expected ");
    add_expected(&text, fits, at);
    strbuf_add(&text, " in `");
    add_context(&text, s, form, at);
    if (word)
        strbuf_addf(&text, "`, found `.%.*s`", (int)word->length, word->text);
    else
        strbuf_addf(&text, "`, found no %s", names[name].noun);
    ptx_error(p, word ? word : s->op, NULL, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return -1;
}

/* The rows of an opcode and group, which stand together in the table; false when it has none. */
static bool find_rows(unsigned op, unsigned group, unsigned *first, unsigned *end)
{
    unsigned i = 0;
    while (i < FORMS && (forms[i].op != op || forms[i].group != group))
        i++;
    *first = i;
    while (i < FORMS && forms[i].op == op && forms[i].group == group)
        i++;
    *end = i;
    return *first < *end;
}

/* Narrows the group's rows field by field. */
static int check_group(struct ptx_parser *p, const struct ptx_suffixes *s, unsigned group)
{
    bool fits[FORMS] = {false};
    unsigned first, end, name;
    if (!find_rows(s->instr->op, group, &first, &end))
        return 0;
    memset(fits + first, true, end - first);
    for (unsigned at = 0; values_of(&forms[first], at, &name); at++) {
        const struct ptx_token *word = written(s, names[name].field);
        bool left[FORMS] = {false}, any = false;
        for (unsigned i = first; i < end; i++) {
            left[i] =
                fits[i] && has_value(values_of(&forms[i], at, &name), word ? word->text : "-", word ? word->length : 1);
            any |= left[i];
        }
        if (!any)
            return refuse(p, s, &forms[first], fits, at);
        memcpy(fits, left, sizeof fits);
    }
    return 0;
}

int ptx_check_forms(struct ptx_parser *p, const struct ptx_suffixes *s)
{
    for (unsigned group = 0; group < GROUPS; group++)
        if (check_group(p, s, group) < 0)
            return -1;
    return 0;
}
