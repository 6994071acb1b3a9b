/* Rewrites the forms of CUDA C++ that nvcc takes and clang refuses, as far as neither options nor headers can help.
 *
 *   k << < 1, 2 >> > ()               the signs of a launch, apart: pushed together, blanks behind them
 *   __shared__ alignas(16) int s[4]   alignas behind an attribute of the other kind: moved before it
 *   asm("mov.u32 %0, %smid;" : ...)   a register of PTX with one percent sign: doubled
 *   typename traits<T>::member<int>   the name of a template without `template` before it, which C++20 lets out
 *   S<T>::member S<T>::f() { ... }    the type of a result without `typename` before it, which C++20 lets out too
 *   __device__ [[nodiscard]] int f()  attributes behind one of the other kind: taken out, since none of them does
 *                                     anything
 *   #define M #pragma unroll          a directive that a macro stands for, which nvcc has preprocessed before it
 *                                     looks at directives: _Pragma("unroll")
 *   __managed__, and at places that clang complained of: see cc_declarations.c and cc_spaces.c
 *
 * All of these are found by their tokens, in macros as well. A form that is not recognized stays: clang explains. */
#include <ctype.h>
#include <string.h>

#include "cli/cc_source.h"

void cc_edit_add(struct cc_rewriting *r, const char *at, size_t taken, const char *put)
{
    vec_push(&r->edits, (struct cc_edit){at, put, taken});
}

static bool is_sign(const struct cc_token *token, char sign)
{
    return token->kind == CC_SIGN && *token->text == sign;
}

/* Two signs without anything between them. */
static bool is_pair(const struct cc_token *t, char sign)
{
    return is_sign(&t[0], sign) && is_sign(&t[1], sign) && t[1].text == t[0].text + 1;
}

/* `<< <` or `>> >` is put together; what was between, lines and comments too, comes behind it. */
static void join_signs(struct cc_rewriting *r, const struct cc_token *t)
{
    const char *gap = t[1].text + 1;
    const size_t n = (size_t)(t[2].text - gap);
    if (n)
        cc_edit_add(r, t->text, n + 3,
                    arena_printf(r->arena, "%.3s%.*s", is_sign(t, '<') ? "<<<" : ">>>", (int)n, gap));
}

/* The signs that end the launch whose arguments begin at `at`. */
static void close_launch(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = r->tokens.items;
    const uint32_t directive = t[at].directive;
    for (; at + 2 < r->tokens.count && t[at].directive == directive && !is_sign(&t[at], ';'); at++) {
        if (is_sign(&t[at], '(') || is_sign(&t[at], '[') || is_sign(&t[at], '{'))
            at = cc_token_close(&r->tokens, at);
        else if (is_pair(&t[at], '>') && is_sign(&t[at + 2], '>'))
            return join_signs(r, &t[at]);
    }
}

static void rewrite_launch(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = &r->tokens.items[at];
    if (at + 2 >= r->tokens.count || !is_pair(t, '<') || !is_sign(&t[2], '<'))
        return;
    join_signs(r, t);
    close_launch(r, at + 3);
}

/* True for words that may stand between the beginning of a declaration and its type; `space` says of a CUDA one. */
static bool is_specifier(const struct cc_token *token, bool *space)
{
    static const char *const words[] = {"__shared__", "__device__", "__constant__", "__managed__", "static",
                                        "extern",     "volatile",   "const",        "inline",      "constexpr"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (token->kind == CC_NAME && cc_token_is(token, words[i])) {
            *space |= i < 4;
            return true;
        }
    return false;
}

static void rewrite_alignas(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = r->tokens.items;
    size_t first = at, close = cc_token_close(&r->tokens, at + 1);
    bool space = false;
    while (first && t[first - 1].directive == t[at].directive && is_specifier(&t[first - 1], &space))
        first--;
    if (!space || !is_sign(&t[at + 1], '(') || close == r->tokens.count || t[close].line != t[first].line)
        return;
    const char *begin = t[first].text, *middle = t[at].text, *end = t[close].text + 1;
    const char *gap = middle;
    while (gap[-1] == ' ' || gap[-1] == '\t')
        gap--;
    cc_edit_add(r, begin, (size_t)(end - begin),
                arena_printf(r->arena, "%.*s%.*s%.*s", (int)(end - middle), middle, (int)(middle - gap), gap,
                             (int)(gap - begin), begin));
}

/* True when the percent sign at p stands for itself: before a name, which is not one letter before an operand. */
static bool is_lone_percent(const char *p, const char *end, const struct cc_token *next)
{
    if (p + 1 == end) /* "mov.u32 %0, %" NAME */
        return next->kind == CC_NAME || is_sign(next, '#') ||
               (next->kind == CC_STRING && next->length > 2 && isalpha((unsigned char)next->text[1]));
    const bool modifier = p + 2 < end && isalpha((unsigned char)p[1]) && (isdigit((unsigned char)p[2]) || p[2] == '[');
    return (isalpha((unsigned char)p[1]) || p[1] == '_') && !modifier;
}

/* A blank in a string that the assembler does not need, or NULL. */
static char *spare_blank(char *string)
{
    for (char *p = strchr(string, '"') + 1; *p && p[1]; p++)
        if (*p == ' ' && (strchr(",;\" ", p[-1]) || strchr(",;\"", p[1])))
            return p;
    return NULL;
}

/* A blank goes for each percent sign that comes, where there is one to spare, so that columns stay. */
static void double_percents(struct cc_rewriting *r, const struct cc_token *string)
{
    const char *end = string->text + string->length - 1, *open = strchr(string->text, '"'), *from = string->text;
    struct strbuf put = {0};
    unsigned added = 0;
    for (const char *p = open + 1; p < end; p++) {
        if (*p != '%')
            continue;
        if (p[1] == '%') {
            p++;
        } else if (is_lone_percent(p, end, string + 1)) {
            strbuf_addf(&put, "%.*s%%", (int)(p - from), from);
            from = p;
            added++;
        }
    }
    strbuf_addn(&put, from, (size_t)(end + 1 - from));
    char *copy = arena_strdup(r->arena, strbuf_text(&put)), *blank;
    for (unsigned i = 0; i < added && (blank = spare_blank(copy)); i++)
        memmove(blank, blank + 1, strlen(blank));
    if (added)
        cc_edit_add(r, string->text, string->length, copy);
    strbuf_free(&put);
}

/* asm volatile ("text" ...: operands); without operands a percent sign is one. */
static void rewrite_asm(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = r->tokens.items;
    size_t open = at + 1;
    while (t[open].kind == CC_NAME && open < at + 3)
        open++;
    size_t close = is_sign(&t[open], '(') ? cc_token_close(&r->tokens, open) : r->tokens.count, colon = open;
    if (close == r->tokens.count)
        return;
    while (colon < close && !is_sign(&t[colon], ':'))
        colon++;
    for (size_t i = open + 1; colon < close && i < colon; i++)
        if (t[i].kind == CC_STRING && t[i].length > 2 && t[i].text[t[i].length - 1] == '"')
            double_percents(r, &t[i]);
}

/* `#pragma` as what a macro without parameters stands for: _Pragma has its words as a string. Those that are nvcc's own
 * (nv_exec_check_disable) go. */
static void rewrite_pragma(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = r->tokens.items;
    const uint32_t directive = t[at].directive;
    const bool in_macro = directive && at >= 4 && t[at - 4].directive == directive && is_sign(&t[at - 4], '#') &&
                          cc_token_is(&t[at - 3], "define") && t[at - 2].kind == CC_NAME && is_sign(&t[at - 1], '#');
    if (!in_macro)
        return;
    size_t last = at;
    while (last + 1 < r->tokens.count && t[last + 1].directive == directive)
        last++;
    const char *words = t[at].text + t[at].length, *end = t[last].text + t[last].length;
    if (t[last].line != t[at].line)
        return;
    words += strspn(words, " \t");
    struct strbuf put = {0};
    const bool own = strncmp(words, "nv_", 3) == 0;
    strbuf_add(&put, own ? "" : "_Pragma(\"");
    for (const char *p = words; p < end && !own; p++)
        strbuf_addf(&put, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    strbuf_add(&put, own ? "" : "\")");
    cc_edit_add(r, t[at - 1].text, (size_t)(end - t[at - 1].text), arena_strdup(r->arena, strbuf_text(&put)));
    strbuf_free(&put);
}

static void rewrite_token(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = &r->tokens.items[at];
    if (is_sign(t, '<'))
        rewrite_launch(r, at);
    else if (t->kind != CC_NAME)
        return;
    else if (cc_token_is(t, "alignas"))
        rewrite_alignas(r, at);
    else if (cc_token_is(t, "asm") || cc_token_is(t, "__asm__") || cc_token_is(t, "__asm"))
        rewrite_asm(r, at);
    else if (cc_token_is(t, "__managed__"))
        cc_rewrite_managed(r, at);
    else if (cc_token_is(t, "pragma"))
        rewrite_pragma(r, at);
}

/* `[[...]]`, of which the token is a part, makes room for blanks, so that lines and columns stay. */
static void blank_attributes(struct cc_rewriting *r, size_t part)
{
    const struct cc_token *t = r->tokens.items;
    size_t at = part;
    while (at && !is_pair(&t[at], '[') && !is_sign(&t[at], ';'))
        at--;
    const size_t close = is_pair(&t[at], '[') ? cc_token_close(&r->tokens, at) : r->tokens.count;
    if (close == r->tokens.count || close < part)
        return;
    const size_t n = (size_t)(t[close].text + 1 - t[at].text);
    char *blanks = arena_printf(r->arena, "%.*s", (int)n, t[at].text);
    for (char *c = blanks; *c; c++)
        if (*c != '\n')
            *c = ' ';
    cc_edit_add(r, t[at].text, n, blanks);
}

static void rewrite_spot(struct cc_rewriting *r, const struct cc_spot *spot)
{
    for (size_t i = 0; i < r->tokens.count; i++) {
        const struct cc_token *t = &r->tokens.items[i];
        if (t->line != spot->line || t->column != spot->column)
            continue;
        switch (spot->kind) {
        case CC_SPOT_SHARED:
            cc_rewrite_shared(r, i);
            break;
        case CC_SPOT_DEFAULT:
            cc_rewrite_default(r, i);
            break;
        case CC_SPOT_TEMPLATE:
            cc_edit_add(r, t->text, 0, "template ");
            break;
        case CC_SPOT_TYPENAME:
            cc_edit_add(r, t->text, 0, "typename ");
            break;
        case CC_SPOT_ATTRIBUTE:
            blank_attributes(r, i);
            break;
        case CC_SPOT_MANAGED:
            if (!cc_token_is(t, "__managed__")) /* the word itself is seen without spots */
                cc_rewrite_managed(r, i);
            break;
        case CC_SPOT_LOCAL:
            cc_rewrite_local(r, i);
            break;
        case CC_SPOT_SIZED:
            cc_rewrite_sized(r, i);
            break;
        case CC_SPOT_BOTH:
        case CC_SPOT_DEVICE:
            cc_rewrite_space(r, i, spot);
            break;
        }
    }
}

static int by_place(const void *a, const void *b)
{
    const struct cc_edit *one = a, *other = b;
    return one->at != other->at ? (one->at > other->at) - (one->at < other->at)
                                : (one->taken > other->taken) - (one->taken < other->taken);
}

/* An edit of what another one has taken is left out. */
static void apply(struct cc_rewriting *r, const char *text, struct strbuf *to)
{
    const char *from = text;
    qsort(r->edits.items, r->edits.count, sizeof *r->edits.items, by_place);
    for (size_t i = 0; i < r->edits.count; i++) {
        const struct cc_edit *edit = &r->edits.items[i];
        if (edit->at < from)
            continue;
        strbuf_addn(to, from, (size_t)(edit->at - from));
        strbuf_add(to, edit->put);
        from = edit->at + edit->taken;
    }
    strbuf_add(to, from);
}

size_t cc_spot_add(struct cc_spots *spots, const struct cc_spot *spot)
{
    for (size_t i = 0; i < spots->count; i++) {
        const struct cc_spot *known = &spots->items[i];
        const bool same_macro =
            known->macro && spot->macro ? strcmp(known->macro, spot->macro) == 0 : known->macro == spot->macro;
        if (strcmp(known->path, spot->path) == 0 && known->line == spot->line && known->column == spot->column &&
            known->kind == spot->kind && same_macro && known->parameter == spot->parameter)
            return i;
    }
    vec_push(spots, *spot);
    return spots->count - 1;
}

bool cc_source_rewrite(const char *text, const char *path, struct cc_spots *spots, unsigned *number,
                       struct arena *arena, struct strbuf *to)
{
    struct cc_rewriting r = {.arena = arena, .spots = spots, .number = number};
    cc_tokens_read(&r.tokens, text);
    for (size_t i = 0; i < r.tokens.count; i++)
        rewrite_token(&r, i);
    for (size_t i = 0; i < spots->count; i++) {
        const struct cc_spot spot = spots->items[i]; /* more may come */
        if (spot.macro)
            cc_rewrite_macro_spaces(&r, &spot);
        else if (strcmp(spot.path, path) == 0)
            rewrite_spot(&r, &spot);
    }
    const bool changed = r.edits.count != 0;
    if (changed)
        apply(&r, text, to);
    vec_free(&r.tokens);
    vec_free(&r.edits);
    return changed;
}
