/* Names and scopes. Two maps lead from names to symbols: one for exact names, one for the prefixes of register ranges
 * (`%r<10>` declares %r0 to %r9 and is kept as the one symbol it was written as). A name declared in an inner scope
 * hides the outer one until its `}`. Registers get virtual numbers as they are declared; only those that some operand
 * names are ever made. */
#include "base/hash.h"
#include "ptx/parse.h"

#include <string.h>

struct ptx_map64_slot {
    uint64_t key;
    uint32_t value; /* PTX_NONE: free */
};

static struct ptx_map64_slot *map64_find(const struct ptx_map64 *map, uint64_t key)
{
    uint32_t i = (uint32_t)(hash_spread(key) >> 32) & (map->capacity - 1);
    while (map->slots[i].value != PTX_NONE && map->slots[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

static void map64_resize(struct ptx_map64 *map, uint32_t capacity)
{
    struct ptx_map64 old = *map;
    map->slots = base_malloc(capacity * sizeof *map->slots);
    map->capacity = capacity;
    memset(map->slots, 0xFF, capacity * sizeof *map->slots);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].value != PTX_NONE)
            *map64_find(map, old.slots[i].key) = old.slots[i];
    free(old.slots);
}

void ptx_map64_put(struct ptx_map64 *map, uint64_t key, uint32_t value)
{
    if (2 * (map->count + 1) > map->capacity)
        map64_resize(map, map->capacity ? 2 * map->capacity : 64);
    struct ptx_map64_slot *slot = map64_find(map, key);
    map->count += slot->value == PTX_NONE;
    *slot = (struct ptx_map64_slot){key, value};
}

uint32_t ptx_map64_get(const struct ptx_map64 *map, uint64_t key)
{
    return map->capacity ? map64_find(map, key)->value : PTX_NONE;
}

void ptx_map64_clear(struct ptx_map64 *map)
{
    /* A map that once grew large is not worth wiping for the next, small function. */
    if (map->capacity > 4096)
        ptx_map64_free(map);
    else if (map->count)
        memset(map->slots, 0xFF, map->capacity * sizeof *map->slots);
    map->count = 0;
}

void ptx_map64_free(struct ptx_map64 *map)
{
    free(map->slots);
    *map = (struct ptx_map64){0};
}

static struct strmap *map_of(struct ptx_parser *p, const struct ptx_symbol *symbol)
{
    return symbol->is_range ? &p->ranges : &p->names;
}

uint32_t ptx_declare(struct ptx_parser *p, const struct ptx_token *name, struct ptx_symbol symbol)
{
    symbol.name = name->text;
    symbol.length = name->length;
    symbol.scope = p->body.depth;
    struct strmap *map = map_of(p, &symbol);
    symbol.shadows = strmap_get(map, name->text, name->length);
    if (symbol.shadows != PTX_NONE && p->symbols.items[symbol.shadows].scope == symbol.scope) {
        ptx_error(p, name, NULL, "`%.*s` is declared twice in this scope", (int)name->length, name->text);
        return PTX_NONE;
    }
    uint32_t index = (uint32_t)p->symbols.count;
    vec_push(&p->symbols, symbol);
    strmap_put(map, name->text, name->length, index);
    return index;
}

struct ptx_symbol *ptx_lookup(struct ptx_parser *p, const char *name, size_t n)
{
    uint32_t index = strmap_get(&p->names, name, n);
    return index == STRMAP_NONE ? NULL : &p->symbols.items[index];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct ptx_symbol *ptx_lookup_reg(struct ptx_parser *p, const struct ptx_token *name, uint32_t *virtual_number)
{
    uint32_t best = strmap_get(&p->names, name->text, name->length);
    uint32_t member = 0;
    uint64_t value = 0, scale = 1;
    for (uint32_t n = name->length; n > 1 && is_digit(name->text[n - 1]) && scale <= PTX_MAX_DECLARED; scale *= 10) {
        n--;
        value += scale * (uint64_t)(name->text[n] - '0');
        if (name->text[n] == '0' && n + 1 < name->length)
            continue; /* %r01 is no member of %r<10> */
        uint32_t index = strmap_get(&p->ranges, name->text, n);
        if (index != STRMAP_NONE && value < p->symbols.items[index].count && (best == STRMAP_NONE || index > best)) {
            best = index;
            member = (uint32_t)value;
        }
    }
    if (best == STRMAP_NONE || p->symbols.items[best].kind != PTX_SYMBOL_REG)
        return NULL;
    struct ptx_symbol *symbol = &p->symbols.items[best];
    *virtual_number = symbol->index + member * symbol->elements;
    return symbol;
}

int ptx_open_scope(struct ptx_parser *p)
{
    struct ptx_body *body = &p->body;
    if (body->depth == PTX_MAX_SCOPES)
        return ptx_error(p, &p->token, NULL, "scopes are nested deeper than %d", PTX_MAX_SCOPES);
    uint32_t parent = body->depth ? body->scopes[body->depth].number : 0;
    vec_push(&body->scope_parents, parent);
    body->scopes[++body->depth] = (struct ptx_scope){
        .number = (uint32_t)body->scope_parents.count,
        .parent = parent,
        .first_symbol = (uint32_t)p->symbols.count,
        .frame_top = body->frame_top,
    };
    return 0;
}

void ptx_close_scope(struct ptx_parser *p)
{
    struct ptx_body *body = &p->body;
    struct ptx_scope *scope = &body->scopes[body->depth];
    while (p->symbols.count > scope->first_symbol) {
        struct ptx_symbol *symbol = &p->symbols.items[--p->symbols.count];
        strmap_put(map_of(p, symbol), symbol->name, symbol->length, symbol->shadows);
    }
    /* The .param variables of one call are gone before those of the next appear: they share the frame. */
    if (!scope->keeps_frame)
        body->frame_top = scope->frame_top;
    body->depth--;
    if (body->depth && scope->keeps_frame)
        body->scopes[body->depth].keeps_frame = true;
}

/* `%v.x` of a vector is named %v_x, a name that can be declared. */
static const char *reg_name(struct ptx_parser *p, const struct ptx_token *name, const struct ptx_symbol *symbol,
                            uint32_t number)
{
    static const char elements[] = "xyzw";
    uint32_t element = (number - symbol->index) % symbol->elements;
    const char *percent = name->text[0] == '%' ? "" : "%"; /* no variable's name begins so: the two never meet */
    if (symbol->elements == 1)
        return arena_printf(p->arena, "%s%.*s", percent, (int)name->length, name->text);
    return arena_printf(p->arena, "%s%.*s_%c", percent, (int)name->length, name->text, elements[element]);
}

uint32_t ptx_use_reg(struct ptx_parser *p, const struct ptx_token *name, const struct ptx_symbol *symbol,
                     uint32_t number)
{
    struct ptx_body *body = &p->body;
    uint32_t index = ptx_map64_get(&body->reg_of, number);
    if (index < body->regs.count && body->regs.items[index].virtual_number == number)
        return index;
    if (body->regs.count == PTX_MAX_USED) {
        if (!body->too_many_regs)
            ptx_error(p, name, NULL, "the function uses more than %d registers", PTX_MAX_USED);
        body->too_many_regs = true;
        return 0;
    }
    index = (uint32_t)body->regs.count;
    vec_push(&body->regs, (struct ptx_used_reg){number, symbol->type, reg_name(p, name, symbol, number)});
    ptx_map64_put(&body->reg_of, number, index);
    return index;
}
