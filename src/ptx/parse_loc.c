/* Positions in the source: `.loc`, and the names of inlined functions in `.section .debug_str`.
 *
 * `.loc 1 4 5, function_name $L__info_string0, inlined_at 1 9 5` says that code of a function stands for a call at
 * 1:9:5. When that call was inlined too, a `.loc` for 1:9:5 says so, which compilers write before the first that refers
 * to it (PTX ISA, "Debugging Directives: .loc"). They do not repeat it, so where the same call was inlined in several
 * places a later reference may mean any of them. It is taken to mean one where that `.loc` stands directly before it, or
 * where there was no other in the function. Else nvcc does not say which (as where it unrolls a loop of two calls), and
 * it is taken to mean that whose line follows next on the last line of the function's own code; where none can be told
 * so, the chain ends there.
 *
 * A line 0 says that an instruction belongs to no line, or to several: clang writes that where it has put together what
 * two branches have in common, or moved something out of a loop. Such code prepares what stands behind it. */
#include <string.h>

#include "base/hash.h"
#include "ptx/parse.h"

#define MOST_DEEP 64 /* calls inlined one in the other */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = hash_add(hash, word);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct ptx_loc *at)
{
    return mix(mix(at->file, at->line), at->column);
}

static bool is_same_place(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* One of the others has said that, too. */
static bool has_other(const struct ptx_body *body, const struct ptx_loc *loc, uint32_t inlined)
{
    for (uint32_t at = loc->other; at; at = body->locs.items[at - 1].other)
        if (body->locs.items[at - 1].inlined == inlined)
            return true;
    return false;
}

/* Keeps what a `.loc` said, for later ones that refer to it. */
static void note_loc(struct ptx_parser *p, struct ptx_loc loc)
{
    struct ptx_body *body = &p->body;
    uint64_t key = hash_of(&loc);
    uint32_t known = ptx_map64_get(&body->loc_of, key);
    loc.pc = (uint32_t)p->instrs.count;
    if (known == PTX_NONE) {
        ptx_map64_put(&body->loc_of, key, (uint32_t)body->locs.count);
        vec_push(&body->locs, loc);
        return;
    }
    struct ptx_loc old = body->locs.items[known];
    loc.is_ambiguous = old.is_ambiguous || old.inlined != loc.inlined || !is_same_place(&old, &loc);
    loc.other = old.other;
    if (is_same_place(&old, &loc) && old.inlined != loc.inlined && !has_other(body, &old, loc.inlined)) {
        vec_push(&body->locs, old);
        loc.other = (uint32_t)body->locs.count;
    }
    body->locs.items[known] = loc;
}

/* The entry of the outermost call that one is inlined in. */
static const struct ptx_inlined *outermost(const struct ptx_parser *p, uint32_t inlined)
{
    const struct ptx_inlined *at = &p->inlined.items[inlined - 1];
    while (at->outer)
        at = &p->inlined.items[at->outer - 1];
    return at;
}

/* Whether a call at line b follows on a line sooner than one at line a does. Those before the line come last, as where
 * a loop goes back. */
static bool follows_sooner(uint32_t line, uint32_t a, uint32_t b)
{
    return (b >= line) != (a >= line) ? b >= line : b < a;
}

/* Of what `.loc`s have said of a place, the one whose call follows next on the function's own code; 0: none does. */
static uint32_t likely(const struct ptx_parser *p, const struct ptx_loc *loc)
{
    uint32_t best = 0, line = 0;
    for (const struct ptx_loc *at = loc; at; at = at->other ? &p->body.locs.items[at->other - 1] : NULL) {
        const struct ptx_inlined *call = at->inlined ? outermost(p, at->inlined) : NULL;
        if (!call || call->file != p->body.own_file || (best && !follows_sooner(p->body.own_line, line, call->line)))
            continue;
        best = at->inlined;
        line = call->line;
    }
    return best;
}

/* In what the code at a place, which stands for a call, is inlined itself. */
static uint32_t outer_of(const struct ptx_parser *p, const struct ptx_loc *at)
{
    uint32_t known = ptx_map64_get(&p->body.loc_of, hash_of(at));
    const struct ptx_loc *loc = known == PTX_NONE ? NULL : &p->body.locs.items[known];
    if (!loc || !is_same_place(loc, at))
        return 0;
    uint32_t inlined = loc->is_ambiguous && loc->pc != p->instrs.count ? likely(p, loc) : loc->inlined;
    return inlined && p->inlined.items[inlined - 1].depth < MOST_DEEP ? inlined : 0;
}

/* The label of a function's name, by number. */
static uint32_t label_number(struct ptx_parser *p, const struct ptx_token *label)
{
    uint32_t number = strmap_get(&p->label_of, label->text, label->length);
    if (number != STRMAP_NONE)
        return number;
    number = (uint32_t)p->names_at.count;
    strmap_put(&p->label_of, label->text, label->length, number);
    vec_push(&p->names_at, (struct ptx_name_at){0});
    return number;
}

/* The number of that entry; those that are alike are one. */
static uint32_t enter_inlined(struct ptx_parser *p, const struct ptx_inlined *new)
{
    uint64_t key = mix(mix(mix(mix(new->label, new->offset), new->file), new->line), new->outer);
    uint32_t known = ptx_map64_get(&p->inlined_of, key);
    const struct ptx_inlined *old = known == PTX_NONE ? NULL : &p->inlined.items[known];
    if (old && old->label == new->label && old->offset == new->offset && old->file == new->file &&
        old->line == new->line && old->outer == new->outer)
        return known + 1;
    ptx_map64_put(&p->inlined_of, key, (uint32_t)p->inlined.count);
    vec_push(&p->inlined, *new);
    return (uint32_t)p->inlined.count;
}

static int parse_number(struct ptx_parser *p, int64_t most, uint32_t *number)
{
    int64_t value = 0;
    if (ptx_parse_integer(p, 0, most, &value) < 0)
        return -1;
    *number = (uint32_t)value;
    return 0;
}

/* `1 12 2`, of which the column may be left out. */
static int parse_place(struct ptx_parser *p, uint32_t line, struct ptx_loc *at)
{
    if (parse_number(p, PTX_MAX_FILE, &at->file) < 0 || parse_number(p, UINT32_MAX, &at->line) < 0)
        return -1;
    return p->token.kind == PTX_TOKEN_NUMBER && p->token.line == line ? parse_number(p, UINT32_MAX, &at->column) : 0;
}

/* `function_name LABEL` or `LABEL+N`. */
static int parse_function_name(struct ptx_parser *p, struct ptx_inlined *inlined)
{
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the label of a function's name");
    inlined->label = label_number(p, &p->token);
    ptx_advance(p);
    return ptx_accept(p, '+') ? parse_number(p, UINT32_MAX, &inlined->offset) : 0;
}

/* Behind a comma. Other attributes than these are passed over, to the next comma. */
static int parse_attribute(struct ptx_parser *p, uint32_t line, struct ptx_inlined *inlined, bool *is_inlined)
{
    if (PTX_IS_WORD(&p->token, "function_name")) {
        ptx_advance(p);
        return parse_function_name(p, inlined);
    }
    if (PTX_IS_WORD(&p->token, "inlined_at")) {
        struct ptx_loc call = {0};
        ptx_advance(p);
        if (parse_place(p, line, &call) < 0)
            return -1;
        *is_inlined = true;
        inlined->file = call.file;
        inlined->line = call.line;
        inlined->outer = outer_of(p, &call);
        inlined->depth = inlined->outer ? p->inlined.items[inlined->outer - 1].depth + 1 : 1;
        return 0;
    }
    while (p->token.line == line && (p->token.kind == PTX_TOKEN_WORD || p->token.kind == PTX_TOKEN_NUMBER))
        ptx_advance(p);
    return 0;
}

int ptx_parse_loc(struct ptx_parser *p)
{
    uint32_t line = p->token.line;
    struct ptx_loc loc = {0};
    struct ptx_inlined inlined = {.label = PTX_NONE};
    bool is_inlined = false;
    ptx_advance(p);
    if (parse_place(p, line, &loc) < 0)
        return -1;
    while (p->token.line == line && ptx_accept(p, ','))
        if (parse_attribute(p, line, &inlined, &is_inlined) < 0)
            return -1;
    loc.inlined = is_inlined ? enter_inlined(p, &inlined) : 0;
    p->body.source_file = loc.file;
    p->body.source_line = loc.line;
    p->body.inlined = loc.inlined;
    if (!is_inlined && loc.line) {
        p->body.own_file = loc.file;
        p->body.own_line = loc.line;
    }
    note_loc(p, loc);
    ptx_accept(p, ';');
    return 0;
}

/* An instruction of line 0 behind which the code does not go on. */
static bool goes_elsewhere(const struct isa_instr *instr)
{
    return isa_op_info(instr->op)->flags & (ISA_FLAG_BRANCH | ISA_FLAG_RET | ISA_FLAG_EXIT);
}

/* Of an instruction without a line, and one beside it: takes its line if both stand in the same file and call. */
static void take_line(struct isa_instr *instr, const struct isa_instr *from)
{
    bool same = instr->source_file && instr->source_file == from->source_file && instr->inlined == from->inlined;
    if (!instr->source_line && same)
        instr->source_line = from->source_line;
}

void ptx_settle_lines(struct ptx_parser *p, uint32_t first)
{
    struct isa_instr *instrs = p->instrs.items;
    for (size_t i = p->instrs.count; i > (size_t)first + 1; i--)
        if (!goes_elsewhere(&instrs[i - 2]))
            take_line(&instrs[i - 2], &instrs[i - 1]);
    for (size_t i = (size_t)first + 1; i < p->instrs.count; i++)
        take_line(&instrs[i], &instrs[i - 1]);
}

/* `.b8 95, 90, 0`: appends the bytes. False when something else stands there. */
static bool parse_bytes(struct ptx_parser *p)
{
    do {
        struct ptx_number number;
        if (p->token.kind != PTX_TOKEN_NUMBER || ptx_read_number(&p->token, &number) < 0 || number.is_float)
            return false;
        vec_push(&p->debug_bytes, (char)number.integer);
        ptx_advance(p);
    } while (ptx_accept(p, ','));
    return true;
}

void ptx_parse_debug_strings(struct ptx_parser *p)
{
    for (;;) {
        if (p->token.kind == PTX_TOKEN_WORD) {
            uint32_t label = label_number(p, &p->token);
            p->names_at.items[label] = (struct ptx_name_at){true, p->debug_bytes.count};
            ptx_advance(p);
            if (!ptx_accept(p, ':'))
                return;
        } else if (!ptx_accept_dot(p, "b8") || !parse_bytes(p)) {
            return;
        }
    }
}

/* The string at a label, as far as the sections have one. */
static const char *name_at(const struct ptx_parser *p, uint32_t label, uint32_t offset)
{
    if (label == PTX_NONE || !p->names_at.items[label].is_known)
        return NULL;
    size_t from = p->names_at.items[label].at + offset, end = from;
    while (end < p->debug_bytes.count && p->debug_bytes.items[end])
        end++;
    return end < p->debug_bytes.count && end > from ? arena_strndup(p->arena, p->debug_bytes.items + from, end - from)
                                                    : NULL;
}

void ptx_settle_inlined(struct ptx_parser *p)
{
    size_t n = p->inlined.count;
    struct isa_inlined *to = ARENA_NEW(p->arena, struct isa_inlined, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct ptx_inlined *from = &p->inlined.items[i];
        to[i + 1] = (struct isa_inlined){name_at(p, from->label, from->offset), from->file, from->line, from->outer};
    }
    p->module->inlined = to;
    p->module->inlined_count = (uint32_t)n + 1;
}
