/* Execution spaces of functions that are declared more than once. nvcc wants them said once, clang each time:
 *
 *   __host__ __device__ int f(int);      int __host__ __device__ f(int a) { ... }
 *   struct S { __device__ int g(); };    int __device__ S::g() { ... }
 *
 * Clang complains of the second declaration, or of the first where that says less, and of destructors where one is
 * called. The words go before the type, as far as they can without moving what is behind them on its line.
 *
 * A macro may make the declarations, of a name that is an argument of it or put together. Clang names such a place in
 * the macro, or that of the argument where it is used; then every declaration of the macro under this name gets them.
 *
 *   __device__ int h(int);               int h(int a) { ... }
 *
 * are two functions for clang, which complains of neither: cc_undefined.c. */
#include <string.h>

#include "cli/cc_source.h"

static bool is_sign(const struct cc_token *token, char sign)
{
    return token->kind == CC_SIGN && *token->text == sign;
}

/* True when `::` ends before the token. */
static bool is_behind_colons(const struct cc_token *t, size_t at)
{
    return at >= 2 && is_sign(&t[at - 1], ':') && is_sign(&t[at - 2], ':') && t[at - 2].text + 1 == t[at - 1].text;
}

/* The `<` of the template arguments that end before the token `at`. */
static size_t before_angles(const struct cc_token *t, size_t at)
{
    for (unsigned depth = 0; at > 0; at--) {
        depth += is_sign(&t[at - 1], '>');
        if (is_sign(&t[at - 1], '<') && --depth == 0)
            return at - 1;
    }
    return 0;
}

/* The first token of the qualified name that ends with the token `at`. */
static size_t name_start(const struct cc_token *t, size_t at)
{
    if (at && is_sign(&t[at - 1], '~'))
        at--;
    while (is_behind_colons(t, at)) {
        at -= 2;
        if (at && is_sign(&t[at - 1], '>'))
            at = before_angles(t, at);
        if (at && t[at - 1].kind == CC_NAME)
            at--;
    }
    return at;
}

/* The first of the words, signs of pointers and qualified names that stand before the token on its line. */
static size_t specifiers_start(const struct cc_token *t, size_t at)
{
    const uint32_t line = t[at].line, directive = t[at].directive;
    while (at && t[at - 1].line == line && t[at - 1].directive == directive) {
        const bool word = t[at - 1].kind == CC_NAME || is_sign(&t[at - 1], '*') || is_sign(&t[at - 1], '&');
        if (!word && !is_behind_colons(t, at))
            break;
        at -= word ? 1 : 2;
    }
    return at && is_sign(&t[at - 1], '#') ? at + 2 : at; /* behind `#define NAME` */
}

/* True when the tokens at `at` and behind it are `##`. */
static bool is_paste(const struct cc_token *t, size_t at)
{
    return is_sign(&t[at], '#') && is_sign(&t[at + 1], '#') && t[at].text + 1 == t[at + 1].text;
}

/* The first part of the name of which the token is a part, put together by `##` in a macro. */
static size_t paste_start(const struct cc_token *t, size_t at)
{
    while (at >= 3 && is_paste(t, at - 2) && t[at - 3].kind == CC_NAME)
        at -= 3;
    return at;
}

/* The last part of such a name. */
static size_t paste_end(const struct cc_token *t, size_t at)
{
    while (is_paste(t, at + 1) && t[at + 3].kind == CC_NAME)
        at += 3;
    return at;
}

/* True when a type may end before the token: what is there is a declaration, or, in a macro, nothing that it shows. */
static bool has_type_before(const struct cc_token *t, size_t at)
{
    static const char *const others[] = {"return", "else", "do", "case", "throw", "new", "goto"};
    if (!at || t[at - 1].directive != t[at].directive)
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cc_token_is(&t[at - 1], others[i]))
            return false;
    return t[at - 1].kind == CC_NAME || is_sign(&t[at - 1], '*') || is_sign(&t[at - 1], '&') ||
           is_sign(&t[at - 1], '>');
}

/* The token is in an argument of a macro: the spot is one of that macro too. */
static void note_argument(struct cc_rewriting *r, size_t at, const struct cc_spot *spot)
{
    const struct cc_token *t = r->tokens.items;
    struct cc_spot other = {.path = "", .kind = spot->kind};
    if (t[at].directive)
        return;
    for (unsigned depth = 0; at && !is_sign(&t[at - 1], ';') && !is_sign(&t[at - 1], '{'); at--) {
        depth += is_sign(&t[at - 1], ')');
        other.parameter += !depth && is_sign(&t[at - 1], ',');
        if (!is_sign(&t[at - 1], '(') || depth--)
            continue;
        if (at < 2 || t[at - 2].kind != CC_NAME)
            return;
        other.macro = arena_strndup(r->arena, t[at - 2].text, t[at - 2].length);
        cc_spot_add(r->spots, &other);
        return;
    }
}

static bool has_space(const struct cc_token *t, size_t first, size_t end, bool is_both)
{
    for (; first < end; first++)
        if (cc_token_is(&t[first], "__global__") || (cc_token_is(&t[first], "__device__") && !is_both))
            return true;
    return false;
}

void cc_rewrite_space(struct cc_rewriting *r, size_t at, const struct cc_spot *spot)
{
    const struct cc_token *t = r->tokens.items;
    const size_t name = is_sign(&t[at], '~') ? at + 1 : at, start = name_start(t, paste_start(t, name)),
                 first = specifiers_start(t, start), last = paste_end(t, name);
    const bool is_both = spot->kind == CC_SPOT_BOTH;
    const char *words = is_both ? "__host__ __device__" : "__device__";
    if (is_sign(&t[name - (name > 0)], '~') && !is_behind_colons(t, name - 1))
        return; /* inside of its class: there is no other declaration */
    const bool is_declarator =
        is_sign(&t[last + 1], '(') || is_sign(&t[last + 1], '<') || cc_token_is(&t[at], "operator");
    if (!is_declarator)
        note_argument(r, at, spot);
    if (first > at || !is_declarator || (spot->is_expanded && !has_type_before(t, start)))
        return; /* a macro, or an argument of one, that stands for the name: the other place is told too */
    if (has_space(t, first, at, is_both))
        return; /* the complaint has another cause */
    if (first && t[first - 1].directive == t[first].directive)
        cc_edit_add(r, t[first - 1].text + t[first - 1].length, 0, arena_printf(r->arena, " %s", words));
    else
        cc_edit_add(r, t[first].text, 0, arena_printf(r->arena, "%s ", words));
}

/* A macro with parameters whose `#define` has its first token at `at`. Its parameters are between `open` and `close`.
 */
struct macro {
    size_t open, close;
};

static bool read_macro(const struct cc_tokens *tokens, size_t at, struct macro *macro)
{
    const struct cc_token *t = tokens->items;
    if (at + 3 >= tokens->count || !t[at].directive || (at && t[at - 1].directive == t[at].directive) ||
        !is_sign(&t[at], '#') || !cc_token_is(&t[at + 1], "define") || !is_sign(&t[at + 3], '(') ||
        t[at + 2].text + t[at + 2].length != t[at + 3].text)
        return false;
    *macro = (struct macro){at + 3, cc_token_close(tokens, at + 3)};
    return macro->close < tokens->count;
}

/* The number of the parameter that has the name of the token, from 0; -1: none. */
static int parameter_of(const struct cc_token *t, const struct macro *macro, size_t token)
{
    int number = 0;
    for (size_t i = macro->open + 1; i < macro->close; i++) {
        if (t[i].kind == CC_NAME && t[i].length == t[token].length && !strncmp(t[i].text, t[token].text, t[i].length))
            return number;
        number += is_sign(&t[i], ',');
    }
    return -1;
}

void cc_rewrite_macro_spaces(struct cc_rewriting *r, const struct cc_spot *spot)
{
    const struct cc_token *t = r->tokens.items;
    struct macro macro;
    for (size_t at = 0; at < r->tokens.count; at++) {
        if (!read_macro(&r->tokens, at, &macro) || !cc_token_is(&t[at + 2], spot->macro))
            continue;
        for (size_t i = macro.close + 1; i < r->tokens.count && t[i].directive == t[at].directive; i++)
            if (t[i].kind == CC_NAME && parameter_of(t, &macro, i) == (int)spot->parameter &&
                is_sign(&t[paste_end(t, i) + 1], '(') && has_type_before(t, name_start(t, paste_start(t, i))))
                cc_rewrite_space(r, i, &(struct cc_spot){.kind = spot->kind, .is_expanded = true});
    }
}

/* True when the function whose parameters end at `close` has its body behind them. */
static bool has_body(const struct cc_tokens *tokens, size_t close)
{
    const struct cc_token *t = tokens->items;
    size_t at = close + 1;
    while (at < tokens->count && (cc_token_is(&t[at], "const") || cc_token_is(&t[at], "noexcept")))
        at++;
    if (at + 1 < tokens->count && is_sign(&t[at], '-') && is_sign(&t[at + 1], '>'))
        while (at < tokens->count && !is_sign(&t[at], '{') && !is_sign(&t[at], ';'))
            at++;
    return at < tokens->count && is_sign(&t[at], '{') && t[at].directive == t[close].directive;
}

/* True when the name is one of these; in a macro, also when it is put together or a parameter. */
static bool is_wanted(const struct cc_token *t, const struct macro *macro, size_t at, const struct cc_names *names)
{
    const bool in_macro = macro->close && t[macro->open].directive == t[at].directive;
    if (in_macro && (paste_start(t, at) != at || parameter_of(t, macro, at) >= 0))
        return true;
    for (size_t i = 0; i < names->count; i++)
        if (cc_token_is(&t[at], names->items[i]))
            return true;
    return false;
}

void cc_find_unmarked(const struct cc_tokens *tokens, const char *path, const struct cc_names *names,
                      struct cc_spots *spots)
{
    const struct cc_token *t = tokens->items;
    struct macro macro = {0}, other;
    for (size_t at = 0; at + 1 < tokens->count; at++) {
        if (read_macro(tokens, at, &other)) {
            macro = other;
            at = macro.close;
            continue;
        }
        if (t[at].kind != CC_NAME || !is_sign(&t[at + 1], '(') || !is_wanted(t, &macro, at, names))
            continue;
        const size_t start = name_start(t, paste_start(t, at)), close = cc_token_close(tokens, at + 1);
        if (close == tokens->count || !has_body(tokens, close) || has_space(t, specifiers_start(t, start), at, false))
            continue;
        const struct cc_token *name = &t[paste_start(t, at)];
        cc_spot_add(spots, &(struct cc_spot){path, name->line, name->column, CC_SPOT_DEVICE, false, NULL, 0});
    }
}
