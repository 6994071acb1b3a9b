/* Execution spaces of functions that are declared more than once. nvcc wants them said once, clang each time:
 *
 *   __host__ __device__ int f(int);      int __host__ __device__ f(int a) { ... }
 *   struct S { __device__ int g(); };    int __device__ S::g() { ... }
 *
 * Clang complains of the second declaration, or of the first where that says less, and of destructors where one is
 * called. The words go before the type, as far as they can without moving what is behind them on its line. */
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

void cc_rewrite_space(struct cc_rewriting *r, size_t at, const char *words)
{
    const struct cc_token *t = r->tokens.items;
    const size_t name = is_sign(&t[at], '~') ? at + 1 : at, first = specifiers_start(t, name_start(t, name));
    if (is_sign(&t[name - (name > 0)], '~') && !is_behind_colons(t, name - 1))
        return; /* inside of its class: there is no other declaration */
    const bool is_declarator =
        is_sign(&t[name + 1], '(') || is_sign(&t[name + 1], '<') || cc_token_is(&t[at], "operator");
    if (first > at || !is_declarator)
        return; /* a macro, or an argument of one, that stands for the name: the other place is told too */
    for (size_t i = first; i < at; i++)
        if (cc_token_is(&t[i], "__global__") || (cc_token_is(&t[i], "__device__") && !strstr(words, "__host__")))
            return; /* the complaint has another cause */
    if (first && t[first - 1].directive == t[first].directive)
        cc_edit_add(r, t[first - 1].text + t[first - 1].length, 0, arena_printf(r->arena, " %s", words));
    else
        cc_edit_add(r, t[first].text, 0, arena_printf(r->arena, "%s ", words));
}
