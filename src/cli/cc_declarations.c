/* Rewrites declarations that clang refuses.
 *
 *   __device__ __managed__ int n = 5;    __device__ __device__  int lockstep_managed_n = 5; LOCKSTEP_MANAGED(...)
 *
 * The macro (lockstep/managed.h) makes n a reference, in device code to that variable, in host code to where the
 * runtime says that it is.
 *
 *   __shared__ B b[4], c;    __shared__ lockstep_shared<B > lockstep_shared_b[4], lockstep_shared_c; B (&b)[4] = ...
 *
 * As with nvcc, no constructor of such a variable runs.
 *
 *   template <class T> int S<T>::f(int a = 3)    a default argument that no call can use: taken out */
#include <string.h>

#include "cli/cc_source.h"

static bool is_sign(const struct cc_token *token, char sign)
{
    return token->kind == CC_SIGN && *token->text == sign;
}

/* A declaration of variables: tokens from `first` to the semicolon; its type begins at `type`. */
struct declaration {
    size_t first, type, end;
    struct {
        size_t *items;
        size_t count, capacity;
    } names; /* tokens */
};

/* True for the colon of a label or of `public:`, not for one of `::`. */
static bool is_lone_colon(const struct cc_tokens *tokens, size_t at)
{
    const struct cc_token *t = tokens->items;
    return is_sign(&t[at], ':') && !(at && is_sign(&t[at - 1], ':') && t[at - 1].text + 1 == t[at].text) &&
           !(is_sign(&t[at + 1], ':') && t[at].text + 1 == t[at + 1].text);
}

static size_t declaration_start(const struct cc_tokens *tokens, size_t at)
{
    const struct cc_token *t = tokens->items;
    while (at && t[at - 1].directive == t[at].directive && !is_sign(&t[at - 1], ';') && !is_sign(&t[at - 1], '{') &&
           !is_sign(&t[at - 1], '}') && !is_sign(&t[at - 1], ')') && !is_lone_colon(tokens, at - 1))
        at--;
    return at;
}

/* The bracket that closes the one at `at`, or the token before `end` where it is open until then. */
static size_t close_before(const struct cc_tokens *tokens, size_t at, size_t end)
{
    const size_t close = cc_token_close(tokens, at);
    return close < end ? close : end - 1;
}

/* Behind the template arguments that begin at the `<` at `at`. */
static size_t behind_angles(const struct cc_tokens *tokens, size_t at, size_t end)
{
    unsigned depth = 0;
    for (; at < end; at++) {
        if (is_sign(&tokens->items[at], '('))
            at = close_before(tokens, at, end);
        else if (is_sign(&tokens->items[at], '<'))
            depth++;
        else if (is_sign(&tokens->items[at], '>') && --depth == 0)
            return at + 1;
    }
    return end;
}

/* Of one declarator: the last name before its dimensions, its value or its end. Steps behind it. */
static size_t find_name(const struct cc_tokens *tokens, size_t *at, size_t end)
{
    const struct cc_token *t = tokens->items;
    size_t name = end;
    while (*at < end && t[*at].kind != CC_TOKENS_END) {
        if (is_sign(&t[*at], '['))
            break;
        if (is_sign(&t[*at], '<')) {
            *at = behind_angles(tokens, *at, end);
            continue;
        }
        if (is_sign(&t[*at], '(') && name != end &&
            cc_token_is(&t[name], "alignas") + cc_token_is(&t[name], "__align__") +
                cc_token_is(&t[name], "__attribute__")) {
            *at = close_before(tokens, *at, end) + 1;
            name = end;
            continue;
        }
        if (is_sign(&t[*at], '=') || is_sign(&t[*at], '{') || is_sign(&t[*at], '(') || is_sign(&t[*at], ','))
            break;
        if (t[*at].kind == CC_NAME)
            name = *at;
        ++*at;
    }
    return name;
}

/* The dimensions and the value of a declarator are stepped over, up to the comma or the end. */
static void skip_rest(const struct cc_tokens *tokens, size_t *at, size_t end)
{
    for (; *at < end && !is_sign(&tokens->items[*at], ','); ++*at)
        if (is_sign(&tokens->items[*at], '(') || is_sign(&tokens->items[*at], '[') || is_sign(&tokens->items[*at], '{'))
            *at = close_before(tokens, *at, end);
}

/* Reads the declaration that the token is in. False when it is none of variables alone. */
static bool read_declaration(const struct cc_tokens *tokens, size_t token, struct declaration *d)
{
    const struct cc_token *t = tokens->items;
    *d = (struct declaration){.first = declaration_start(tokens, token), .end = token};
    while (d->end < tokens->count && !is_sign(&t[d->end], ';') && t[d->end].directive == t[token].directive) {
        if (is_sign(&t[d->end], '(') || is_sign(&t[d->end], '[') || is_sign(&t[d->end], '{'))
            d->end = cc_token_close(tokens, d->end);
        if (d->end < tokens->count)
            d->end++;
    }
    if (d->end >= tokens->count || !is_sign(&t[d->end], ';'))
        return false;
    for (size_t at = d->first; at < d->end; at += at < d->end) {
        size_t name = find_name(tokens, &at, d->end);
        if (name == d->end)
            return false;
        vec_push(&d->names, name);
        skip_rest(tokens, &at, d->end);
    }
    return d->names.count && d->names.items[0] > d->first;
}

static const char *spelled(struct cc_rewriting *r, size_t token)
{
    return arena_strndup(r->arena, r->tokens.items[token].text, r->tokens.items[token].length);
}

/* The text of the tokens from `first` to before `end`, in one line. */
static const char *joined(struct cc_rewriting *r, size_t first, size_t end)
{
    struct strbuf text = {0};
    for (; first < end; first++) {
        const struct cc_token *t = &r->tokens.items[first]; /* signs of one character: those of `::` stay together */
        strbuf_addf(&text, t[0].text + t[0].length == t[1].text ? "%s" : "%s ", spelled(r, first));
    }
    const char *copy = arena_strdup(r->arena, strbuf_text(&text));
    strbuf_free(&text);
    return copy;
}

static bool has_word(const struct cc_rewriting *r, size_t first, size_t end, const char *word)
{
    for (; first < end; first++)
        if (cc_token_is(&r->tokens.items[first], word))
            return true;
    return false;
}

static void edit_managed(struct cc_rewriting *r, const struct declaration *d)
{
    struct strbuf behind = {0};
    for (size_t i = 0; i < d->names.count; i++) {
        const char *name = spelled(r, d->names.items[i]);
        cc_edit_add(r, r->tokens.items[d->names.items[i]].text, 0, "lockstep_managed_");
        strbuf_addf(&behind, " LOCKSTEP_MANAGED(%s, %u)", name, ++*r->number);
    }
    cc_edit_add(r, r->tokens.items[d->end].text + 1, 0, arena_strdup(r->arena, strbuf_text(&behind)));
    strbuf_free(&behind);
}

void cc_rewrite_managed(struct cc_rewriting *r, size_t at)
{
    struct declaration d = {0};
    if (!r->tokens.items[at].directive && read_declaration(&r->tokens, at, &d) &&
        !has_word(r, d.first, d.end, "extern")) {
        cc_edit_add(r, r->tokens.items[at].text, strlen("__managed__"), "__device__ ");
        edit_managed(r, &d);
    }
    vec_free(&d.names);
}

/* A word that belongs to the variable, not to its type. */
static bool is_storage(const struct cc_token *token)
{
    return cc_token_is(token, "__shared__") || cc_token_is(token, "static");
}

/* Where the type of the first name begins: behind the words of storage, and behind alignas(...) or __align__(...). */
static size_t type_start(const struct cc_rewriting *r, const struct declaration *d)
{
    size_t at = d->first;
    const struct cc_token *t = r->tokens.items;
    while (at < d->names.items[0]) {
        if (is_storage(&t[at]))
            at++;
        else if (cc_token_is(&t[at], "alignas") || cc_token_is(&t[at], "__align__"))
            at = close_before(&r->tokens, at + 1, d->names.items[0]) + 1;
        else
            break;
    }
    return at;
}

static void edit_shared(struct cc_rewriting *r, const struct declaration *d, size_t type)
{
    const struct cc_token *t = r->tokens.items;
    const char *spelling = joined(r, type, d->names.items[0]);
    struct strbuf behind = {0};
    cc_edit_add(r, t[type].text, 0, "lockstep_shared<");
    for (size_t i = 0; i < d->names.count; i++) {
        size_t name = d->names.items[i], end = name + 1;
        skip_rest(&r->tokens, &end, d->end);
        const char *dimensions = joined(r, name + 1, end), *called = spelled(r, name);
        cc_edit_add(r, t[name].text, 0, i ? "lockstep_shared_" : "> lockstep_shared_");
        strbuf_addf(&behind, " %s(&%s)%s = reinterpret_cast<%s(&)%s>(lockstep_shared_%s);", spelling, called,
                    dimensions, spelling, dimensions, called);
    }
    cc_edit_add(r, t[d->end].text + 1, 0, arena_strdup(r->arena, strbuf_text(&behind)));
    strbuf_free(&behind);
}

void cc_rewrite_shared(struct cc_rewriting *r, size_t at)
{
    struct declaration d = {0};
    const bool read = read_declaration(&r->tokens, at, &d);
    const size_t type = read ? type_start(r, &d) : 0;
    if (read && d.names.items[0] <= at && type < d.names.items[0] && has_word(r, d.first, type, "__shared__") &&
        !has_word(r, d.first, d.end, "=") && !is_sign(&r->tokens.items[d.names.items[0] - 1], '*') &&
        d.names.items[0] == at) /* it has several names: clang complains of each */
        edit_shared(r, &d, type);
    vec_free(&d.names);
}

void cc_rewrite_default(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = r->tokens.items;
    size_t equals = at, end;
    while (equals < r->tokens.count && !is_sign(&t[equals], '=') && !is_sign(&t[equals], ',') &&
           !is_sign(&t[equals], ')') && !is_sign(&t[equals], ';'))
        equals = is_sign(&t[equals], '<') ? behind_angles(&r->tokens, equals, r->tokens.count) : equals + 1;
    if (!is_sign(&t[equals], '='))
        return;
    for (end = equals + 1; end < r->tokens.count && !is_sign(&t[end], ',') && !is_sign(&t[end], ')'); end++)
        if (is_sign(&t[end], '(') || is_sign(&t[end], '{') || is_sign(&t[end], '['))
            end = close_before(&r->tokens, end, r->tokens.count);
    const size_t n = (size_t)(t[end].text - t[equals].text);
    char *blanks = arena_strndup(r->arena, t[equals].text, n);
    for (size_t i = 0; i < n; i++)
        blanks[i] = blanks[i] == '\n' ? '\n' : ' ';
    cc_edit_add(r, t[equals].text, n, blanks);
}
