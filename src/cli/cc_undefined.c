/* Functions that device code calls and that are defined for the host alone, as clang has it:
 *
 *   __device__ int f(int);    int f(int a) { ... }
 *
 * For nvcc both declare one function, which is the device's; for clang they are two that overload each other, and it
 * complains of nothing. So device code is looked at when it has been compiled: where it calls a function that it does
 * not define, the program's text is searched for definitions of that name without an execution space. That one of them
 * is the function is tried: the word is put in, and kept if device code compiles and lacks fewer functions. Of code
 * that is linked with other files' a function may well be theirs; then nothing of its name is found, or nothing helps.
 */
#include <string.h>

#include "base/file.h"
#include "cli/cc_session.h"
#include "cli/cc_source.h"

/* More definitions than this are not tried one by one. */
#define MOST_TRIED 16

/* The last name of a mangled one, as `f` in _ZN1n1fEi. 0 and nothing: an operator, or a name of the standard library's.
 */
static size_t last_name(const char *mangled, const char **name)
{
    size_t length = 0;
    const char *at = mangled + 2;
    at += *at == 'N';
    at += strspn(at, "rVK");
    for (at += *at == 'L'; *at >= '1' && *at <= '9'; at += *at == 'L') {
        size_t n = 0;
        for (; *at >= '0' && *at <= '9' && n < 4096; at++)
            n = n * 10 + (size_t)(*at - '0');
        if (memchr(at, '\0', n))
            return 0;
        *name = at;
        length = n;
        at += n;
    }
    return length;
}

/* Reads the functions that the IR declares and does not define into `names`, each once. Their number. */
static size_t read_undefined(const char *path, struct cc_names *names, struct arena *arena)
{
    struct strbuf text = {0};
    size_t count = 0;
    const int rc = file_load(path, FILE_NO_BOUND, &text);
    names->count = 0;
    for (const char *line = strbuf_text(&text); !rc && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = strncmp(line, "declare ", 8) == 0 ? strstr(line, "@_Z") : NULL, *name;
        const size_t n = at && at < line + strcspn(line, "\n") ? last_name(at + 1, &name) : 0;
        bool known = n == 0;
        count += n != 0;
        for (size_t i = 0; i < names->count && !known; i++)
            known = strlen(names->items[i]) == n && strncmp(names->items[i], name, n) == 0;
        if (!known)
            vec_push(names, arena_strndup(arena, name, n));
    }
    strbuf_free(&text);
    return count;
}

struct trial {
    struct cc_session *s;
    const char *pass, *ir;
    struct cc_args *command;
    const struct cc_args *last;
    size_t lacking; /* functions that the IR of the text as it is now lacks */
    bool is_whole;  /* the IR is that of the text as it is now */
};

static int compile_again(struct trial *t)
{
    struct strbuf words = {0};
    const int status = cc_attempt(t->s, t->pass, t->command, t->last, &words);
    strbuf_free(&words);
    return status;
}

/* Puts the word in at these places; leaves all as it was where that does not help. */
static bool try_spots(struct trial *t, const struct cc_spot *spots, size_t count)
{
    struct cc_session *s = t->s;
    struct cc_names names = {0};
    const size_t before = s->rewrites.spots->count;
    cc_rewrites_add(&s->rewrites, spots, count, &s->arena);
    const bool compiles = compile_again(t) == 0;
    const size_t lacking = compiles ? read_undefined(t->ir, &names, &s->arena) : 0;
    vec_free(&names);
    t->is_whole = compiles && lacking < t->lacking;
    if (t->is_whole)
        t->lacking = lacking;
    else
        cc_rewrites_take_back(&s->rewrites, before, &s->arena);
    return t->is_whole;
}

/* Tries the spots one by one, and takes those out that help. True when one did: another, whose function that one calls
 * or is called by, may help now. */
static bool try_each(struct trial *t, struct cc_spots *spots)
{
    size_t left = 0;
    const size_t before = spots->count;
    for (size_t i = 0; i < before; i++)
        if (!t->lacking || t->s->process.interrupted || !try_spots(t, &spots->items[i], 1))
            spots->items[left++] = spots->items[i];
    spots->count = left;
    return left < before;
}

int cc_define_undefined(struct cc_session *s, const char *pass, struct cc_args *command, const struct cc_args *last,
                        const char *ir)
{
    struct trial t = {.s = s, .pass = pass, .ir = ir, .command = command, .last = last, .is_whole = true};
    struct cc_names names = {0};
    struct cc_spots spots = {0};
    t.lacking = read_undefined(ir, &names, &s->arena);
    if (t.lacking)
        cc_rewrites_candidates(&s->rewrites, &s->process, command, &names, s->tools.include_dir, &spots, &s->arena);
    if (spots.count && !try_spots(&t, spots.items, spots.count) && spots.count > 1 && spots.count <= MOST_TRIED)
        while (try_each(&t, &spots))
            ;
    vec_free(&names);
    vec_free(&spots);
    return t.is_whole ? 0 : compile_again(&t);
}
