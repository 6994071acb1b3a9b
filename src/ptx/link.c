/* Several modules become the text of one. What names mean is said by linkage: `.visible` and `.weak` ones are known to
 * all modules, `.extern` ones are another module's, others a module's own. Compilers make some of the last kind
 * `.visible`, so that the host finds them: their names in C++ tell. Own names that two modules have are told apart by
 * the number of the module; so are kernels, which no other module calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "base/vec.h"
#include "ptx/lex.h"
#include "ptx/ptx.h"

enum linkage { OWN, VISIBLE, WEAK, EXTERN };

/* A directive at the top of a module, of the text from `begin` to before `end`. */
struct item {
    const char *begin, *end;
    struct ptx_token name; /* of a variable or function, else a token that is none */
    enum linkage linkage;
    bool is_head, is_entry, is_function, is_defined;
};

struct items {
    struct item *items;
    size_t count, capacity;
};

/* Who defines a name first. */
struct definition {
    size_t unit;
    enum linkage linkage;
    bool is_own;
};

struct linker {
    const struct ptx_unit *units;
    struct items *of_unit;
    struct strmap names;    /* to definitions */
    struct strmap wanted;   /* names that some unit declares as another's */
    struct strmap declared; /* names that the units written so far declare */
    struct {
        struct definition *items;
        size_t count, capacity;
    } definitions;
    struct strmap *renamed; /* of each unit: the names that get its number */
    uint32_t files;         /* the highest number of a file in the units written so far */
    struct strbuf *out;
};

struct scanner {
    struct ptx_lexer lexer;
    struct ptx_token token;
};

static void next(struct scanner *s)
{
    s->token = ptx_lex_next(&s->lexer);
}

static bool is_dot(const struct scanner *s, const char *word)
{
    return s->token.kind == PTX_TOKEN_DOT && ptx_token_is(&s->token, word, strlen(word));
}

/* Where the token begins in the text, with the dot or the quote before it. */
static const char *start_of(const struct ptx_token *token)
{
    return token->text - (token->kind == PTX_TOKEN_DOT || token->kind == PTX_TOKEN_STRING);
}

static void skip_group(struct scanner *s, char open, char close)
{
    unsigned depth = 0;
    for (; s->token.kind != PTX_TOKEN_END; next(s)) {
        depth += PTX_IS_PUNCT(&s->token, (uint8_t)open);
        if (PTX_IS_PUNCT(&s->token, (uint8_t)close) && --depth == 0)
            break;
    }
}

/* True for directives of a module that end with their line: the next one begins where a directive can. */
static bool is_head(const struct scanner *s)
{
    return is_dot(s, "version") || is_dot(s, "target") || is_dot(s, "address_size");
}

/* Steps behind `.version 7.0`, `.target sm_70, debug` or `.address_size 64`. */
static void skip_head(struct scanner *s)
{
    next(s);
    for (next(s); PTX_IS_PUNCT(&s->token, ','); next(s))
        next(s);
}

/* Steps behind `.file 1 "name", 2, 3`. */
static void skip_file(struct scanner *s)
{
    for (int i = 0; i < 3; i++)
        next(s);
    for (; PTX_IS_PUNCT(&s->token, ','); next(s))
        next(s);
}

/* Steps behind the semicolon or the block that ends a declaration, and notes its name. */
static void read_declaration(struct scanner *s, struct item *item)
{
    for (; s->token.kind != PTX_TOKEN_END && !PTX_IS_PUNCT(&s->token, ';'); next(s)) {
        if (PTX_IS_PUNCT(&s->token, '(')) {
            skip_group(s, '(', ')');
        } else if (PTX_IS_PUNCT(&s->token, '{')) {
            skip_group(s, '{', '}');
            if (!item->is_function)
                continue;
            item->is_defined = true;
            break;
        } else if (s->token.kind == PTX_TOKEN_WORD && !item->name.length) {
            item->name = s->token;
        }
    }
    if (!item->is_function)
        item->is_defined = item->linkage != EXTERN;
    next(s);
}

static void read_linkage(struct scanner *s, struct item *item)
{
    for (;; next(s)) {
        if (is_dot(s, "extern"))
            item->linkage = EXTERN;
        else if (is_dot(s, "weak") || is_dot(s, "common"))
            item->linkage = WEAK;
        else if (is_dot(s, "visible"))
            item->linkage = item->linkage == WEAK ? WEAK : VISIBLE;
        else
            return;
    }
}

static void read_item(struct scanner *s, struct item *item)
{
    if ((item->is_head = is_head(s))) {
        skip_head(s);
    } else if (is_dot(s, "file")) {
        skip_file(s);
    } else if (is_dot(s, "section")) {
        while (s->token.kind != PTX_TOKEN_END && !PTX_IS_PUNCT(&s->token, '{'))
            next(s);
        skip_group(s, '{', '}');
        next(s);
    } else {
        const bool names = !is_dot(s, "pragma") && !is_dot(s, "alias");
        read_linkage(s, item);
        item->is_entry = is_dot(s, "entry");
        item->is_function = item->is_entry || is_dot(s, "func");
        read_declaration(s, item);
        if (!names)
            item->name.length = 0;
        item->is_defined &= names;
    }
}

static void read_items(const struct ptx_unit *unit, struct items *items)
{
    struct scanner s;
    ptx_lex_init(&s.lexer, unit->text, unit->length);
    for (next(&s); s.token.kind != PTX_TOKEN_END;) {
        struct item item = {.begin = start_of(&s.token)};
        read_item(&s, &item);
        item.end = s.token.kind == PTX_TOKEN_END ? s.lexer.end : start_of(&s.token);
        vec_push(items, item);
    }
}

/* Names of C++ that belong to one file: those of `static` things and of unnamed namespaces. */
static bool is_own_name(const struct ptx_token *name)
{
    static const char *const heads[] = {"_ZL", "_ZN12_GLOBAL__N_1", "_ZNK12_GLOBAL__N_1", "_ZN35_INTERNAL"};
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
        if (name->length > strlen(heads[i]) && memcmp(name->text, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* Enters what a unit says is another's. */
static void enter_wanted(struct linker *l, const struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].linkage == EXTERN && items->items[i].name.length)
            strmap_put(&l->wanted, items->items[i].name.text, items->items[i].name.length, 1);
}

/* Enters the definitions of a unit; those that two units have are renamed, or an error. */
static int enter_unit(struct linker *l, size_t unit, struct diag_sink *sink)
{
    for (size_t i = 0; i < l->of_unit[unit].count; i++) {
        const struct item *item = &l->of_unit[unit].items[i];
        if (!item->is_defined || !item->name.length)
            continue;
        const bool is_own = item->linkage == OWN || is_own_name(&item->name);
        uint32_t known = strmap_get(&l->names, item->name.text, item->name.length);
        if (known == STRMAP_NONE) {
            strmap_put(&l->names, item->name.text, item->name.length, (uint32_t)l->definitions.count);
            vec_push(&l->definitions, (struct definition){unit, item->linkage, is_own});
            continue;
        }
        struct definition *first = &l->definitions.items[known];
        if (first->unit == unit)
            continue;
        if (is_own || (item->is_entry && item->linkage != WEAK && !first->is_own)) {
            strmap_put(&l->renamed[unit], item->name.text, item->name.length, 1);
        } else if (first->is_own) {
            strmap_put(&l->renamed[first->unit], item->name.text, item->name.length, 1);
            *first = (struct definition){unit, item->linkage, false};
        } else if (item->linkage != WEAK && first->linkage != WEAK)
            return diag_error(sink, DIAG_NOWHERE, "only one file of a program defines it; others declare it extern",
                              "%.*s is defined in %s and in %s", (int)item->name.length, item->name.text,
                              l->units[first->unit].name, l->units[unit].name);
    }
    return 0;
}

/* A name that a unit has for itself is another one than that which another unit declares. */
static void keep_own_apart(struct linker *l, size_t unit)
{
    for (size_t i = 0; i < l->of_unit[unit].count; i++) {
        const struct item *item = &l->of_unit[unit].items[i];
        if (item->is_defined && item->linkage == OWN && item->name.length &&
            strmap_get(&l->wanted, item->name.text, item->name.length) != STRMAP_NONE)
            strmap_put(&l->renamed[unit], item->name.text, item->name.length, 1);
    }
}

static bool is_renamed(const struct linker *l, size_t unit, const struct ptx_token *name)
{
    return strmap_get(&l->renamed[unit], name->text, name->length) != STRMAP_NONE;
}

/* True for words that stand for the place of a string in debugging information. */
static bool is_debug_label(const struct ptx_token *token)
{
    return token->length > 9 && memcmp(token->text, "$L__info_", 9) == 0;
}

static void write_number(struct linker *l, const struct ptx_token *token, uint32_t offset, uint32_t *highest)
{
    unsigned number = 0;
    sscanf(token->text, "%u", &number);
    if (number)
        number += offset;
    if (number > *highest)
        *highest = number;
    strbuf_addf(l->out, "%u", number);
}

/* Writes the text of an item with the unit's names and numbers of files. */
static void write_item(struct linker *l, size_t unit, const struct item *item, uint32_t offset, uint32_t *highest)
{
    struct scanner s;
    const char *from = item->begin;
    bool file_is_next = false;
    ptx_lex_init(&s.lexer, item->begin, (size_t)(item->end - item->begin));
    for (next(&s); s.token.kind != PTX_TOKEN_END; next(&s)) {
        const bool is_word = s.token.kind == PTX_TOKEN_WORD;
        const bool is_file = file_is_next && s.token.kind == PTX_TOKEN_NUMBER;
        const bool renames = is_word && ((unit && is_debug_label(&s.token)) || is_renamed(l, unit, &s.token));
        file_is_next = is_dot(&s, "file") || is_dot(&s, "loc") || PTX_IS_WORD(&s.token, "inlined_at");
        if (!is_file && !renames)
            continue;
        strbuf_addn(l->out, from, (size_t)(s.token.text - from));
        if (is_file)
            write_number(l, &s.token, offset, highest);
        else
            ptx_linked_name(s.token.text, s.token.length, unit, l->out);
        from = s.token.text + s.token.length;
    }
    strbuf_addn(l->out, from, (size_t)(item->end - from));
}

/* True when another unit's definition, or an earlier declaration, stands for this one. */
static bool is_spare(const struct linker *l, size_t unit, const struct item *item)
{
    if (item->is_head)
        return unit != 0;
    if (!item->name.length || is_renamed(l, unit, &item->name))
        return false;
    if (item->linkage == EXTERN && !item->is_defined)
        return strmap_get(&l->declared, item->name.text, item->name.length) != STRMAP_NONE;
    const uint32_t known = strmap_get(&l->names, item->name.text, item->name.length);
    return item->is_defined && known != STRMAP_NONE && l->definitions.items[known].unit != unit;
}

static void write_unit(struct linker *l, size_t unit)
{
    const uint32_t offset = l->files;
    uint32_t highest = l->files;
    for (size_t i = 0; i < l->of_unit[unit].count; i++) {
        const struct item *item = &l->of_unit[unit].items[i];
        if (is_spare(l, unit, item))
            continue;
        write_item(l, unit, item, offset, &highest);
        if (item->name.length && !is_renamed(l, unit, &item->name))
            strmap_put(&l->declared, item->name.text, item->name.length, 1);
    }
    strbuf_add(l->out, "\n");
    l->files = highest;
}

static void free_linker(struct linker *l, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        vec_free(&l->of_unit[i]);
        strmap_free(&l->renamed[i]);
    }
    free(l->of_unit);
    free(l->renamed);
    strmap_free(&l->names);
    strmap_free(&l->wanted);
    strmap_free(&l->declared);
    vec_free(&l->definitions);
}

void ptx_linked_name(const char *name, size_t length, size_t unit, struct strbuf *to)
{
    strbuf_addf(to, "%.*s$of%zu", (int)length, name, unit + 1);
}

int ptx_link(const struct ptx_unit *units, size_t count, struct strbuf *text, struct diag_sink *sink)
{
    struct linker l = {.units = units,
                       .of_unit = base_calloc(count, sizeof *l.of_unit),
                       .renamed = base_calloc(count, sizeof *l.renamed),
                       .out = text};
    int rc = 0;
    for (size_t i = 0; i < count; i++) {
        read_items(&units[i], &l.of_unit[i]);
        enter_wanted(&l, &l.of_unit[i]);
    }
    for (size_t i = 0; i < count && !rc; i++)
        rc = enter_unit(&l, i, sink);
    for (size_t i = 0; i < count; i++)
        keep_own_apart(&l, i);
    for (size_t i = 0; i < count && !rc; i++)
        write_unit(&l, i);
    free_linker(&l, count);
    return rc;
}
