/* Rewrites declarations that clang refuses.
 *
 *   __device__ __managed__ int n = 5;    __device__ __device__  int lockstep_managed_n = 5; LOCKSTEP_MANAGED(...)
 *
 * The macro (lockstep/managed.h) makes n a reference, in device code to that variable, in host code to where the
 * runtime says that it is. The word may come from a macro: clang tells where. A template becomes two, of the variables
 * and of the references:
 *
 *   template <class T> __managed__ T v;    template <class T> __device__  T lockstep_managed_v; template <class T> ...
 *
 *   __shared__ B b[4], c;    __shared__ lockstep_shared<B > lockstep_shared_b[4], lockstep_shared_c; B (&b)[4] = ...
 *
 * As with nvcc, no constructor of such a variable runs.
 *
 *   __device__ __shared__ int s[4];    in a function: __device__, which says nothing more, is taken out
 *
 *   int a[n] = {1, 2}, b;    int a[n]         , b; lockstep_set_elements(&a[0], sizeof a / sizeof *&a[0], 1, 2);
 *
 * g++ gives values to arrays whose sizes are no constants (lockstep/sized.h).
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

/* Appends the name of the template parameter that the tokens from `first` to before `end` declare, as an argument.
 * False when it has none. */
static bool add_parameter(struct cc_rewriting *r, size_t first, size_t end, struct strbuf *to)
{
    static const char *const types[] = {"class", "typename", "int",  "unsigned", "long",
                                        "short", "char",     "bool", "auto"};
    const struct cc_token *t = r->tokens.items;
    size_t name = end;
    unsigned names = 0;
    bool is_pack = false;
    for (size_t at = first; at < end && !is_sign(&t[at], '='); at++) {
        if (is_sign(&t[at], '<')) {
            at = behind_angles(&r->tokens, at, end) - 1;
            continue;
        }
        is_pack |= is_sign(&t[at], '.');
        if (t[at].kind == CC_NAME) {
            name = at;
            names++;
        }
    }
    bool is_type = names < 2 || is_sign(&t[name - 1], ':');
    for (size_t i = 0; i < sizeof types / sizeof *types && !is_type; i++)
        is_type = cc_token_is(&t[name], types[i]);
    if (!is_type)
        strbuf_addf(to, "%s%s%s", to->length ? ", " : "", spelled(r, name), is_pack ? "..." : "");
    return !is_type;
}

/* The arguments that name the instance for the parameters between the angles at `open`; NULL where one has no name. */
static const char *parameters_as_arguments(struct cc_rewriting *r, size_t open)
{
    const size_t close = behind_angles(&r->tokens, open, r->tokens.count) - 1;
    struct strbuf names = {0};
    bool named = true;
    for (size_t first = open + 1, end; first < close && named; first = end + 1) {
        for (end = first; end < close && !is_sign(&r->tokens.items[end], ','); end++)
            if (is_sign(&r->tokens.items[end], '<'))
                end = behind_angles(&r->tokens, end, close) - 1;
            else if (is_sign(&r->tokens.items[end], '(') || is_sign(&r->tokens.items[end], '{'))
                end = close_before(&r->tokens, end, close);
        named = add_parameter(r, first, end, &names);
    }
    const char *copy = named ? arena_printf(r->arena, "<%s>", strbuf_text(&names)) : NULL;
    strbuf_free(&names);
    return copy;
}

/* A variable template, or a specialization of one. False when it cannot be rewritten: a parameter has no name. */
static bool edit_managed_template(struct cc_rewriting *r, const struct declaration *d)
{
    const struct cc_token *t = r->tokens.items;
    const size_t name = d->names.items[0];
    const size_t behind = behind_angles(&r->tokens, d->first + 1, name);
    const bool is_special = is_sign(&t[name + 1], '<'), is_explicit = is_sign(&t[d->first + 2], '>');
    const char *arguments = is_special ? joined(r, name + 1, behind_angles(&r->tokens, name + 1, d->end))
                                       : parameters_as_arguments(r, d->first + 1);
    if (!arguments || d->names.count != 1)
        return false;
    const char *called = spelled(r, name);
    cc_edit_add(r, t[name].text, 0, "lockstep_managed_");
    cc_edit_add(r, t[d->end].text + 1, 0,
                arena_printf(r->arena,
                             " %s %sLOCKSTEP_MANAGED_SPACE LOCKSTEP_MANAGED_TYPE(lockstep_managed_%s%s) &%s%s "
                             "LOCKSTEP_MANAGED_AT(lockstep_managed_%s%s); LOCKSTEP_MANAGED_TEMPLATE(%u)",
                             joined(r, d->first, behind), is_explicit ? "" : "static ", called, arguments, called,
                             is_special ? arguments : "", called, arguments, ++*r->number));
    return true;
}

static bool edit_managed(struct cc_rewriting *r, const struct declaration *d)
{
    struct strbuf behind = {0};
    if (cc_token_is(&r->tokens.items[d->first], "template"))
        return edit_managed_template(r, d);
    for (size_t i = 0; i < d->names.count; i++) {
        const char *name = spelled(r, d->names.items[i]);
        cc_edit_add(r, r->tokens.items[d->names.items[i]].text, 0, "lockstep_managed_");
        strbuf_addf(&behind, " LOCKSTEP_MANAGED(%s, %u)", name, ++*r->number);
    }
    cc_edit_add(r, r->tokens.items[d->end].text + 1, 0, arena_strdup(r->arena, strbuf_text(&behind)));
    strbuf_free(&behind);
    return true;
}

void cc_rewrite_managed(struct cc_rewriting *r, size_t at)
{
    struct declaration d = {0};
    if (!r->tokens.items[at].directive && read_declaration(&r->tokens, at, &d) &&
        !has_word(r, d.first, d.end, "extern") && edit_managed(r, &d))
        cc_edit_add(r, r->tokens.items[at].text, r->tokens.items[at].length, "__device__ ");
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

/* Puts blanks in the place of the tokens from `first` to before `end`. */
static void blank(struct cc_rewriting *r, size_t first, size_t end)
{
    const struct cc_token *t = r->tokens.items;
    const size_t n = (size_t)(t[end - 1].text + t[end - 1].length - t[first].text);
    char *blanks = arena_strndup(r->arena, t[first].text, n);
    for (size_t i = 0; i < n; i++)
        blanks[i] = blanks[i] == '\n' ? '\n' : ' ';
    cc_edit_add(r, t[first].text, n, blanks);
}

void cc_rewrite_local(struct cc_rewriting *r, size_t at)
{
    struct declaration d = {0};
    if (read_declaration(&r->tokens, at, &d) && has_word(r, d.first, d.names.items[0], "__shared__"))
        blank(r, at, at + 1);
    vec_free(&d.names);
}

/* The bracket that opens the first dimension of the array of which the token `at` is in a dimension; 0: there is none. */
static size_t first_dimension(const struct cc_tokens *tokens, size_t at)
{
    const struct cc_token *t = tokens->items;
    for (size_t open = at;; open -= 2) { /* into the dimension before */
        unsigned depth = 0;
        for (; open && (depth || !is_sign(&t[open], '[')); open--) {
            depth += is_sign(&t[open], ']');
            depth -= is_sign(&t[open], '[');
            if (is_sign(&t[open], ';'))
                return 0;
        }
        if (open < 2 || !is_sign(&t[open - 1], ']'))
            return open && t[open - 1].kind == CC_NAME ? open : 0;
    }
}

void cc_rewrite_sized(struct cc_rewriting *r, size_t at)
{
    const struct cc_token *t = r->tokens.items;
    const size_t open = first_dimension(&r->tokens, at);
    struct strbuf zeros = {0};
    size_t value = open, end;
    for (; value && is_sign(&t[value], '['); value = cc_token_close(&r->tokens, value) + 1)
        strbuf_add(&zeros, "[0]");
    const size_t brace = is_sign(&t[value], '=') ? value + 1 : value;
    const size_t close = value && is_sign(&t[brace], '{') ? cc_token_close(&r->tokens, brace) : r->tokens.count;
    for (end = close; end < r->tokens.count && !is_sign(&t[end], ';'); end++)
        ;
    const char *name = open ? spelled(r, open - 1) : "";
    if (end < r->tokens.count && !has_word(r, close, end, name)) { /* a declarator behind it that needs the values */
        const char *element = arena_printf(r->arena, "%s%s", name, strbuf_text(&zeros));
        cc_edit_add(r, t[end].text + 1, 0,
                    arena_printf(r->arena, " lockstep_set_elements(&%s, sizeof %s / sizeof %s%s%s);", element, name,
                                 element, close > brace + 1 ? ", " : "", joined(r, brace + 1, close)));
        blank(r, value, close + 1);
    }
    strbuf_free(&zeros);
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
    blank(r, equals, end);
}
