/* `each` of a question or a benchmark in study.yaml: the entry once for every value, or combination of values, with
 * {name} replaced in all its texts, and in a benchmark's name. Copies are made of the tree of the file itself, so
 * whoever reads an entry knows nothing of it.
 *
 *     each: {machine: [gtx480, gtx1080ti], base: [lrr, gto]}            four copies
 *     each: [{base: lrr, paper: 2.2}, {base: gto, paper: 1.4}]          two
 *
 * An id without a {name} gets the first name's value of every list behind a '-' (of the second form: of each entry). */
#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/study/plan.h"

/* A name and its value in one copy. */
struct value {
    const char *name, *text;
};
struct values {
    struct value items[8];
    unsigned count;
};
#define MOST_NAMES (sizeof((struct values *)0)->items / sizeof(struct value))

struct copies {
    VEC(struct values) items;
};

/* Appends text with every {name} replaced; true when there was one. */
static bool replace(struct strbuf *out, const char *text, const struct values *values)
{
    bool replaced = false;
    while (*text) {
        const struct value *found = NULL;
        for (unsigned i = 0; *text == '{' && i < values->count && !found; i++) {
            size_t length = strlen(values->items[i].name);
            if (!strncmp(text + 1, values->items[i].name, length) && text[length + 1] == '}')
                found = &values->items[i];
        }
        if (found)
            strbuf_add(out, found->text);
        else
            strbuf_addn(out, text, 1);
        text += found ? strlen(found->name) + 2 : 1;
        replaced |= found != NULL;
    }
    return replaced;
}

static const char *replaced(struct plan *p, const char *text, const struct values *values)
{
    struct strbuf out = {0};
    replace(&out, text, values);
    const char *kept = arena_strdup(&p->study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return kept;
}

static struct yaml_node *copy_node(struct plan *p, const struct yaml_node *node, const struct values *values)
{
    struct yaml_node *copy = ARENA_NEW(&p->study->arena, struct yaml_node, 1), **end;
    *copy = *node;
    copy->text = node->text ? replaced(p, node->text, values) : NULL;
    end = &copy->children;
    for (const struct yaml_node *child = node->children; child; child = child->next) {
        *end = copy_node(p, child, values);
        end = &(*end)->next;
    }
    return copy;
}

/* The values of a copy, as its label and as the end of its id: of a list of entries, the first name's alone. */
static const char *label_of(struct plan *p, const struct values *values, bool listed, const char *separator)
{
    struct strbuf out = {0};
    for (unsigned i = 0; i < (listed ? 1 : values->count); i++)
        strbuf_addf(&out, "%s%s", i ? separator : "", values->items[i].text);
    const char *label = arena_strdup(&p->study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return label;
}

/* A value as a part of an id, which is one word. */
static const char *word_of(struct plan *p, const char *text)
{
    char *word = arena_strdup(&p->study->arena, text);
    for (char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.+", *c))
            *c = '-';
    return word;
}

static void complete_id(struct plan *p, struct yaml_node *copy, const struct yaml_node *node, const char *suffix)
{
    const struct yaml_node *id = yaml_get(node, "id");
    for (struct yaml_node *n = copy->children; n; n = n->next)
        if (id && !strcmp(n->key->text, "id") && !strcmp(n->text ? n->text : "", id->text ? id->text : ""))
            n->text = arena_printf(&p->study->arena, "%s-%s", id->text, suffix);
}

static int add_value(struct plan *p, const struct yaml_node *name, const struct yaml_node *value, struct values *to)
{
    if (value->kind != YAML_SCALAR)
        return plan_error(p, value, "each: expected a text");
    if (to->count == MOST_NAMES)
        return plan_error(p, value, "each: too many names");
    to->items[to->count++] = (struct value){name->text, value->text};
    return 0;
}

/* Every combination of lists: those of the first names, each with every value of the next. */
static int combine(struct plan *p, const struct yaml_node *each, struct copies *copies)
{
    vec_push(&copies->items, (struct values){0});
    for (const struct yaml_node *list = each->children; list; list = list->next) {
        struct copies longer = {{0}};
        int rc = list->kind == YAML_SEQUENCE ? 0 : plan_error(p, list, "each: expected a list of values");
        for (size_t i = 0; i < copies->items.count; i++)
            for (const struct yaml_node *value = list->children; rc == 0 && value; value = value->next) {
                struct values values = copies->items.items[i];
                rc = add_value(p, list->key, value, &values);
                vec_push(&longer.items, values);
            }
        vec_free(&copies->items);
        *copies = longer;
        if (rc < 0)
            return -1;
    }
    return copies->items.count && each->children ? 0 : plan_error(p, each, "each: there is no value");
}

/* All entries of a list have the names of the first, in its order. */
static int check_names(struct plan *p, const struct yaml_node *each, const struct copies *copies)
{
    const struct values *first = &copies->items.items[0];
    for (size_t i = 0; i < copies->items.count; i++) {
        const struct values *values = &copies->items.items[i];
        bool same = values->count == first->count;
        for (unsigned k = 0; same && k < first->count; k++)
            same = !strcmp(values->items[k].name, first->items[k].name);
        if (!same)
            return plan_error(p, each, "each: all entries have the same names, in the same order");
    }
    return copies->items.count ? 0 : plan_error(p, each, "each: there is no value");
}

static int list_copies(struct plan *p, const struct yaml_node *each, struct copies *copies)
{
    if (each->kind == YAML_MAPPING)
        return combine(p, each, copies);
    for (const struct yaml_node *entry = each->children; entry; entry = entry->next) {
        struct values values = {.count = 0};
        if (entry->kind != YAML_MAPPING || !entry->children)
            return plan_error(p, entry, "each: expected {name: value, ...}");
        for (const struct yaml_node *value = entry->children; value; value = value->next)
            if (add_value(p, value->key, value, &values) < 0)
                return -1;
        vec_push(&copies->items, values);
    }
    return check_names(p, each, copies);
}

/* All values of one name, each once: "lrr / gto / cawa". */
static const char *all_values(struct plan *p, const struct copies *copies, unsigned name)
{
    struct strbuf out = {0};
    for (size_t i = 0; i < copies->items.count; i++) {
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = !strcmp(copies->items.items[k].items[name].text, copies->items.items[i].items[name].text);
        if (!known)
            strbuf_addf(&out, "%s%s", out.length ? " / " : "", copies->items.items[i].items[name].text);
    }
    const char *text = arena_strdup(&p->study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return text;
}

static const char *common_text(struct plan *p, const struct yaml_node *node, const struct copies *copies)
{
    const struct yaml_node *text = yaml_get(node, "claim");
    struct values all = copies->items.items[0];
    for (unsigned i = 0; i < all.count; i++)
        all.items[i].text = all_values(p, copies, i);
    return text && text->kind == YAML_SCALAR ? replaced(p, text->text, &all) : "";
}

int plan_for_each(struct plan *p, const struct yaml_node *node,
                  int (*take)(struct plan *p, const struct yaml_node *node, const struct study_copy *copy))
{
    const struct yaml_node *each = yaml_get(node, "each");
    struct study_copy copy = {NULL, "", ""};
    struct copies copies = {{0}};
    if (!each)
        return take(p, node, &copy);
    int rc = list_copies(p, each, &copies);
    if (rc == 0)
        copy = (struct study_copy){node, "", common_text(p, node, &copies)};
    for (size_t i = 0; rc == 0 && i < copies.items.count; i++) {
        const struct values *values = &copies.items.items[i];
        bool listed = each->kind == YAML_SEQUENCE;
        struct yaml_node *made = copy_node(p, node, values);
        made->key = node->key ? copy_node(p, node->key, values) : NULL;
        complete_id(p, made, node, word_of(p, label_of(p, values, listed, "-")));
        copy.label = label_of(p, values, listed, ", ");
        rc = take(p, made, &copy);
    }
    vec_free(&copies.items);
    return rc;
}
