/* The reader of litmus tests:
 *
 *     PTX NAME
 *     { x=0; P1:r0=0; }
 *      P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 *      st.weak x, 1         | ld.acquire.gpu r0, y ;
 *      st.release.gpu y, 1  | ld.weak r1, x        ;
 *     exists (P1:r0 == 1 /\ P1:r1 == 0)
 *
 * A column is a thread, with the block (cta) and the device (gpu) that it runs on. Places hold 32 bits unless the part
 * in braces says another size (`b64 x=0`), and 0 where it says no value; registers hold 32, or 64 where a place does.
 * Instructions are those of PTX, less their state space, and their type may be left out; `ld r0, 1` and `mov` set a
 * register, `beq`, `bne` and `goto` go to a label. The condition is one of exists, ~exists and forall. */
#include <string.h>

#include "litmus/parse.h"

static bool same(const struct litmus_token *token, const char *text)
{
    return strlen(text) == token->length && !memcmp(text, token->text, token->length);
}

/* Names */

static const struct litmus_alias *find_alias(const struct litmus_test *t, const struct litmus_token *name)
{
    for (unsigned i = 0; i < t->alias_count; i++)
        if (same(name, t->aliases[i].name))
            return &t->aliases[i];
    return NULL;
}

bool litmus_find_place(struct litmus_parser *p, const struct litmus_token *name, unsigned *place, unsigned *address)
{
    struct litmus_test *t = p->test;
    const struct litmus_alias *alias = find_alias(t, name);
    if (alias) {
        *place = alias->place, *address = alias->address;
        return true;
    }
    for (*place = 0; *place < t->place_count; ++*place)
        if (same(name, t->places[*place].name)) {
            *address = *place;
            return true;
        }
    *address = *place;
    if (t->place_count == LITMUS_PLACES)
        return litmus_fail(&p->lexer, NULL, "more than %d places", LITMUS_PLACES);
    t->places[t->place_count++] =
        (struct litmus_place){.name = arena_strndup(&t->arena, name->text, name->length), .bits = 32};
    return true;
}

bool litmus_find_register(struct litmus_parser *p, unsigned thread, const struct litmus_token *name, unsigned *number)
{
    struct litmus_thread *t = &p->test->threads[thread];
    for (*number = 0; *number < t->registers; ++*number)
        if (same(name, t->names[*number]))
            return true;
    if (t->registers == LITMUS_REGISTERS)
        return litmus_fail(&p->lexer, NULL, "more than %d registers in a thread", LITMUS_REGISTERS);
    t->names[t->registers++] = arena_strndup(&p->test->arena, name->text, name->length);
    return true;
}

bool litmus_take_name(struct litmus_parser *p, const char *what, struct litmus_token *name)
{
    *name = p->lexer.token;
    if (p->lexer.failed || name->kind != LITMUS_WORD)
        return litmus_fail(&p->lexer, NULL, "expected %s, not '%.*s'", what, (int)name->length, name->text);
    litmus_next(&p->lexer);
    return true;
}

bool litmus_is_register(const struct litmus_token *name)
{
    if (name->kind != LITMUS_WORD || name->length < 2 || name->text[0] != 'r')
        return false;
    for (unsigned i = 1; i < name->length; i++)
        if (name->text[i] < '0' || name->text[i] > '9')
            return false;
    return true;
}

bool litmus_take_value(struct litmus_parser *p, uint64_t *value)
{
    uint32_t narrow = 0;
    if (p->test->register_bits == 64)
        return litmus_long_number(&p->lexer, value);
    bool good = litmus_number(&p->lexer, &narrow);
    *value = narrow;
    return good;
}

bool litmus_take_place(struct litmus_parser *p, unsigned *place, unsigned *address)
{
    bool bracket = litmus_take(&p->lexer, "[");
    struct litmus_token name;
    if (litmus_is_register(&p->lexer.token))
        return litmus_fail(&p->lexer, NULL, "addresses in registers are not known");
    return litmus_take_name(p, "a place", &name) && litmus_find_place(p, &name, place, address) &&
           (!bracket || litmus_expect(&p->lexer, "]"));
}

unsigned litmus_bits_of(const char *text, unsigned length)
{
    static const struct {
        const char *word;
        unsigned bits;
    } sizes[] = {{"b8", 8}, {"b16", 16}, {"b32", 32}, {"b64", 64}, {"u8", 8}, {"u16", 16}, {"u32", 32}, {"u64", 64}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i].word) == length && !memcmp(sizes[i].word, text, length))
            return sizes[i].bits;
    return 0;
}

bool litmus_take_thread(struct litmus_parser *p, uint32_t *thread)
{
    struct litmus_lexer *l = &p->lexer;
    const struct litmus_token *word = &l->token;
    if (word->kind == LITMUS_NUMBER) {
        if (!litmus_number(l, thread))
            return false;
    } else {
        if (word->kind != LITMUS_WORD || word->length != 2 || word->text[0] != 'P' || word->text[1] < '0' ||
            word->text[1] > '9')
            return litmus_fail(l, NULL, "expected a thread, as P0, not '%.*s'", (int)word->length, word->text);
        *thread = (uint32_t)(word->text[1] - '0');
        litmus_next(l);
    }
    return *thread < LITMUS_THREADS || litmus_fail(l, NULL, "a test has at most %d threads", LITMUS_THREADS);
}

/* The part in braces */

static bool parse_given_register(struct litmus_parser *p)
{
    struct litmus_given given = {0};
    if (!litmus_take_thread(p, &given.thread) || !litmus_expect(&p->lexer, ":") ||
        !litmus_take_name(p, "a register", &given.name) || !litmus_expect(&p->lexer, "=") ||
        !litmus_long_number(&p->lexer, &given.value))
        return false;
    vec_push(&p->given, given);
    return true;
}

/* A place's value must be one that it can hold, as it is or with its sign. */
static bool take_initial(struct litmus_parser *p, struct litmus_place *place)
{
    struct litmus_token number = p->lexer.token;
    if (!litmus_long_number(&p->lexer, &place->initial))
        return false;
    uint64_t kept = litmus_fit(place->initial, place->bits);
    unsigned above = 64 - place->bits;
    if (place->initial != kept && place->initial != (uint64_t)((int64_t)(kept << above) >> above))
        return litmus_fail_at(&p->lexer, &number, NULL, "expected a number of %u bits, not '%.*s'", place->bits,
                              (int)number.length, number.text);
    place->initial = kept;
    return true;
}

/* `y @ generic aliases x`: another address of x. By another proxy the name has the address of what it aliases (as
 * in the public suite): it says what the name is for, and instructions say by which proxy they go. */
static bool parse_alias(struct litmus_parser *p, const struct litmus_token *name)
{
    static const char *const proxies[] = {"generic", "surface", "texture", "constant", "async", "tensormap"};
    struct litmus_lexer *l = &p->lexer;
    struct litmus_test *t = p->test;
    struct litmus_token of;
    struct litmus_alias alias = {.name = arena_strndup(&t->arena, name->text, name->length)};
    unsigned proxy = 0;
    litmus_next(l);
    while (proxy < sizeof proxies / sizeof *proxies && !litmus_at(l, proxies[proxy]))
        proxy++;
    if (proxy == sizeof proxies / sizeof *proxies)
        return litmus_fail(l, "generic, surface, texture, constant, async and tensormap are known",
                           "expected a proxy, not '%.*s'", (int)l->token.length, l->token.text);
    litmus_next(l);
    for (unsigned i = 0; i < t->place_count; i++)
        if (same(name, t->places[i].name))
            return litmus_fail_at(l, name, NULL, "'%s' is the name of a place already", alias.name);
    if (find_alias(t, name) || t->alias_count == LITMUS_ALIASES)
        return litmus_fail_at(l, name, NULL, "'%s' is an alias already, or there are more than %d", alias.name,
                              LITMUS_ALIASES);
    if (!litmus_expect(l, "aliases") || !litmus_take_name(p, "a place", &of) ||
        !litmus_find_place(p, &of, &alias.place, &alias.address))
        return false;
    if (proxy == LITMUS_GENERIC)
        alias.address = LITMUS_PLACES + t->alias_count;
    t->aliases[t->alias_count++] = alias;
    return true;
}

bool litmus_take_object(struct litmus_parser *p, unsigned *object)
{
    struct litmus_token name;
    bool bracket = litmus_take(&p->lexer, "[");
    if (!litmus_take_name(p, "an mbarrier", &name))
        return false;
    for (*object = 0; *object < p->test->object_count; ++*object)
        if (same(&name, p->test->objects[*object].name))
            return !bracket || litmus_expect(&p->lexer, "]");
    return litmus_fail_at(&p->lexer, &name, "the braces name them: { mbarrier m=2; }", "there is no mbarrier '%.*s'",
                          (int)name.length, name.text);
}

/* `mbarrier m=2`: an object whose phases take so many arrivals. */
static bool parse_given_object(struct litmus_parser *p)
{
    struct litmus_token name;
    uint32_t arrivals;
    if (!litmus_take_name(p, "an mbarrier", &name) || !litmus_expect(&p->lexer, "="))
        return false;
    struct litmus_token number = p->lexer.token;
    if (!litmus_number(&p->lexer, &arrivals))
        return false;
    if (arrivals < 1 || arrivals > LITMUS_THREADS || p->test->object_count == LITMUS_OBJECTS)
        return litmus_fail_at(&p->lexer, &number, NULL, "a test has at most %d mbarriers, of 1 to %d arrivals",
                              LITMUS_OBJECTS, LITMUS_THREADS);
    p->test->objects[p->test->object_count++] =
        (struct litmus_object){arena_strndup(&p->test->arena, name.text, name.length), arrivals};
    return true;
}

static bool parse_given_place(struct litmus_parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    struct litmus_token name;
    unsigned place, address, bits = 0;
    if (!litmus_take_name(p, "a place or a thread's register", &name))
        return false;
    if (l->token.kind == LITMUS_WORD && same(&name, "mbarrier"))
        return parse_given_object(p);
    if (l->token.kind == LITMUS_WORD && (bits = litmus_bits_of(name.text, name.length)))
        litmus_take_name(p, "a place", &name);
    if (litmus_at(l, "@"))
        return parse_alias(p, &name);
    if (litmus_at(l, "["))
        return litmus_fail(l, NULL, "arrays are not known");
    if (!litmus_find_place(p, &name, &place, &address))
        return false;
    if (find_alias(p->test, &name))
        return litmus_fail_at(l, &name, NULL, "an alias has the value of its place");
    if (bits)
        p->test->places[place].bits = bits;
    if (!litmus_take(l, "="))
        return (bits && (litmus_at(l, ";") || litmus_at(l, "}"))) || litmus_expect(l, "=");
    return take_initial(p, &p->test->places[place]);
}

static bool parse_given(struct litmus_parser *p)
{
    struct litmus_lexer *l = &p->lexer, before = *l;
    litmus_next(l);
    bool of_register = litmus_at(l, ":");
    *l = before;
    return of_register ? parse_given_register(p) : parse_given_place(p);
}

static bool parse_init(struct litmus_parser *p)
{
    if (!litmus_expect(&p->lexer, "{"))
        return false;
    while (!litmus_take(&p->lexer, "}"))
        if (!parse_given(p) || (!litmus_at(&p->lexer, "}") && !litmus_expect(&p->lexer, ";")))
            return false;
    for (unsigned i = 0; i < p->test->place_count; i++)
        if (p->test->places[i].bits == 64)
            p->test->register_bits = 64;
    return true;
}

/* Threads */

static bool parse_head(struct litmus_parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    struct litmus_test *t = p->test;
    do {
        uint32_t number, cta, gpu = 0;
        if (t->thread_count == LITMUS_THREADS)
            return litmus_fail(l, NULL, "a test has at most %d threads", LITMUS_THREADS);
        if (!litmus_take_thread(p, &number))
            return false;
        if (number != t->thread_count)
            return litmus_fail(l, NULL, "threads are P0, P1 and so on, in order");
        if (!litmus_expect(l, "@") || !litmus_expect(l, "cta") || !litmus_number(l, &cta))
            return false;
        if (litmus_take(l, ",") && (!litmus_expect(l, "gpu") || !litmus_number(l, &gpu)))
            return false;
        t->threads[t->thread_count].cta = cta;
        t->threads[t->thread_count++].gpu = gpu;
    } while (litmus_take(l, "|"));
    return litmus_expect(l, ";");
}

static bool at_cell_end(const struct litmus_parser *p)
{
    return litmus_at(&p->lexer, "|") || litmus_at(&p->lexer, ";");
}

/* Labels and an instruction, or neither. */
static bool parse_cell(struct litmus_parser *p, unsigned thread)
{
    struct litmus_lexer *l = &p->lexer;
    while (!at_cell_end(p)) {
        struct litmus_lexer before = *l;
        struct litmus_instr instr;
        if (l->token.kind != LITMUS_WORD)
            return litmus_fail(l, NULL, "expected an instruction, not '%.*s'", (int)l->token.length, l->token.text);
        struct litmus_label label = {thread, (unsigned)p->instrs[thread].count, l->token};
        litmus_next(l);
        if (litmus_take(l, ":")) {
            vec_push(&p->labels, label);
            continue;
        }
        *l = before;
        if (!litmus_parse_instr(p, thread, &instr))
            return false;
        if (p->instrs[thread].count == LITMUS_INSTRS)
            return litmus_fail(l, NULL, "more than %d instructions in a thread", LITMUS_INSTRS);
        vec_push(&p->instrs[thread], instr);
        return at_cell_end(p) ||
               litmus_fail(l, NULL, "expected '|' or ';', not '%.*s'", (int)l->token.length, l->token.text);
    }
    return true;
}

static bool parse_rows(struct litmus_parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    while (!litmus_at(l, "exists") && !litmus_at(l, "forall") && !litmus_at(l, "~")) {
        for (unsigned i = 0; i < p->test->thread_count; i++) {
            if (l->token.kind == LITMUS_END)
                return litmus_fail(l, NULL, "the text ends before the condition: exists, ~exists or forall");
            if (!parse_cell(p, i) || !litmus_expect(l, i + 1 < p->test->thread_count ? "|" : ";"))
                return false;
        }
    }
    return true;
}

static bool resolve_jumps(struct litmus_parser *p)
{
    for (size_t i = 0; i < p->jumps.count; i++) {
        const struct litmus_label *jump = &p->jumps.items[i];
        unsigned target = UINT32_MAX;
        for (size_t k = 0; k < p->labels.count; k++) {
            const struct litmus_label *label = &p->labels.items[k];
            if (label->thread == jump->thread && label->name.length == jump->name.length &&
                !memcmp(label->name.text, jump->name.text, jump->name.length))
                target = label->at;
        }
        if (target == UINT32_MAX)
            return litmus_fail_at(&p->lexer, &jump->name, NULL, "P%u has no label '%.*s'", jump->thread,
                                  (int)jump->name.length, jump->name.text);
        p->instrs[jump->thread].items[jump->at].target = target;
    }
    return true;
}

/* The whole */

/* Objects lie in a block's shared memory, which the threads of other blocks do not get to. Barriers of the block beside
 * them are left out: who waits for whom is enumerated for the one, then for the other. */
static bool check_objects(struct litmus_parser *p)
{
    const struct litmus_test *t = p->test;
    const struct litmus_thread *block = NULL;
    bool has_barriers = false;
    for (unsigned i = 0; i < t->thread_count && t->object_count; i++)
        for (size_t k = 0; k < p->instrs[i].count; k++) {
            const struct litmus_instr *instr = &p->instrs[i].items[k];
            bool uses = instr->kind == LITMUS_ARRIVE || instr->kind == LITMUS_PASS || instr->signals;
            has_barriers |= instr->kind == LITMUS_BARRIER;
            if (uses && block && (block->cta != t->threads[i].cta || block->gpu != t->threads[i].gpu))
                return litmus_fail(&p->lexer, NULL, "all threads that name an mbarrier are of one block");
            block = uses ? &t->threads[i] : block;
        }
    return !has_barriers || litmus_fail(&p->lexer, NULL, "a test has barriers of a block, or mbarriers");
}

static bool apply_given(struct litmus_parser *p)
{
    for (size_t i = 0; i < p->given.count; i++) {
        const struct litmus_given *g = &p->given.items[i];
        unsigned number;
        if (g->thread >= p->test->thread_count)
            return litmus_fail_at(&p->lexer, &g->name, NULL, "there is no thread P%u", g->thread);
        if (!litmus_find_register(p, g->thread, &g->name, &number))
            return false;
        p->test->threads[g->thread].initial[number] = litmus_fit(g->value, p->test->register_bits);
    }
    return true;
}

static bool parse_test(struct litmus_parser *p)
{
    struct litmus_lexer *l = &p->lexer;
    const char *name;
    unsigned length;
    litmus_next(l);
    if (!litmus_at(l, "PTX"))
        return litmus_fail(l, NULL, "a litmus test begins with 'PTX NAME'");
    while (l->at < l->end && *l->at == ' ')
        l->at++;
    litmus_take_line(l, &name, &length);
    if (!length)
        return litmus_fail(l, NULL, "the test has no name");
    p->test->name = arena_strndup(&p->test->arena, name, length);
    litmus_skip_to_brace(l);
    litmus_next(l);
    return parse_init(p) && parse_head(p) && apply_given(p) && parse_rows(p) && resolve_jumps(p) && check_objects(p) &&
           litmus_parse_condition(p);
}

static void *keep(struct arena *arena, const void *items, size_t bytes)
{
    void *to = arena_alloc(arena, bytes + 1, 16);
    if (bytes)
        memcpy(to, items, bytes);
    return to;
}

int litmus_parse(struct litmus_test *test, const char *file, const char *text, size_t length, struct diag_sink *sink)
{
    struct litmus_parser p = {.test = test};
    *test = (struct litmus_test){.name = "", .register_bits = 32};
    arena_init(&test->arena);
    litmus_lex(&p.lexer, arena_strdup(&test->arena, file), text, length, sink);
    bool good = parse_test(&p);
    for (unsigned i = 0; i < LITMUS_THREADS; i++) {
        test->threads[i].count = (unsigned)p.instrs[i].count;
        test->threads[i].instrs =
            keep(&test->arena, p.instrs[i].items, p.instrs[i].count * sizeof(struct litmus_instr));
        vec_free(&p.instrs[i]);
    }
    test->node_count = (unsigned)p.nodes.count;
    test->nodes = keep(&test->arena, p.nodes.items, p.nodes.count * sizeof(struct litmus_node));
    vec_free(&p.nodes);
    vec_free(&p.given);
    vec_free(&p.labels);
    vec_free(&p.jumps);
    return good ? 0 : -1;
}

void litmus_free(struct litmus_test *test)
{
    arena_free(&test->arena);
}
