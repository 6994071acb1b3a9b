/* The end of a function, where the rest is settled: where labels are, which numbers registers have, what each
 * instruction reads and writes, how large the frame is. */
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

#include "ptx/liveness.h"

/* Names of labels become small numbers, so that (scope, name) is one 64-bit key. */
struct label_index {
    struct strmap ids;
    struct ptx_map64 pcs; /* scope << 32 | id -> label number */
};

static uint64_t label_key(struct label_index *index, uint32_t scope, const struct ptx_token *name)
{
    uint32_t id = strmap_get(&index->ids, name->text, name->length);
    if (id == STRMAP_NONE) {
        id = index->ids.count;
        strmap_put(&index->ids, name->text, name->length, id);
    }
    return (uint64_t)scope << 32 | id;
}

static void index_labels(struct ptx_parser *p, struct label_index *index)
{
    for (size_t i = 0; i < p->body.labels.count; i++) {
        const struct ptx_label *label = &p->body.labels.items[i];
        uint64_t key = label_key(index, label->scope, &label->token);
        if (ptx_map64_get(&index->pcs, key) != PTX_NONE)
            ptx_error(p, &label->token, NULL, "label `%.*s` is defined twice in this scope", (int)label->token.length,
                      label->token.text);
        ptx_map64_put(&index->pcs, key, (uint32_t)i);
    }
}

static void resolve_label(struct ptx_parser *p, struct label_index *index, const struct ptx_label_ref *ref)
{
    uint32_t found = PTX_NONE;
    for (uint32_t scope = ref->scope; scope && found == PTX_NONE; scope = p->body.scope_parents.items[scope - 1])
        found = ptx_map64_get(&index->pcs, label_key(index, scope, &ref->token));
    if (found == PTX_NONE) {
        ptx_error(p, &ref->token, NULL, "label `%.*s` is not defined", (int)ref->token.length, ref->token.text);
        return;
    }
    struct isa_instr *branch = &p->instrs.items[ref->pc];
    uint32_t pc = p->body.labels.items[found].pc;
    if (ref->slot == PTX_NONE)
        branch->target = pc;
    else
        ((uint32_t *)branch->targets)[ref->slot] = pc;
}

static void resolve_labels(struct ptx_parser *p)
{
    struct label_index index = {0};
    index_labels(p, &index);
    for (size_t i = 0; i < p->body.refs.count; i++)
        resolve_label(p, &index, &p->body.refs.items[i]);
    strmap_free(&index.ids);
    ptx_map64_free(&index.pcs);
}

static bool ends_function(const struct isa_instr *instr)
{
    switch (instr->op) {
    case ISA_OP_RET:
    case ISA_OP_EXIT:
    case ISA_OP_TRAP:
    case ISA_OP_BRA:
    case ISA_OP_BRX: return !instr->guarded;
    default: return false;
    }
}

/* A `ret` where the text runs off the end or a label stands behind the last instruction: no program counter leaves the
 * function. */
static void close_end(struct ptx_parser *p, uint32_t first)
{
    uint32_t end = (uint32_t)p->instrs.count;
    bool open = end == first || !ends_function(&p->instrs.items[end - 1]);
    for (size_t i = 0; i < p->body.labels.count; i++)
        open |= p->body.labels.items[i].pc == end;
    if (!open)
        return;
    struct isa_instr ret = {.op = ISA_OP_RET, .target = ISA_PC_NONE, .line = p->last.line, .column = p->last.column};
    ptx_emit_formals(p, &ret, false);
    ptx_emit(p, &ret);
}

struct order {
    uint32_t virtual_number, index;
};

static int compare_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->virtual_number < y->virtual_number ? -1 : x->virtual_number > y->virtual_number;
}

static uint16_t first_number(const char *name, uint16_t otherwise)
{
    name += strcspn(name, "0123456789");
    if (!*name)
        return otherwise;
    uint32_t value = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        value = (10 * value + (uint32_t)(*name - '0')) & 0xFFFF;
    return (uint16_t)value;
}

/* Scopes may declare a name again; in the function's list each name is there once, and none hides a special register.
 */
static const char *unique_name(struct ptx_parser *p, struct strmap *names, const char *name)
{
    char component[40];
    snprintf(component, sizeof component, "%.36s.x", name);
    bool is_special = strmap_get(&p->words.sregs, name, strlen(name)) != STRMAP_NONE ||
                      strmap_get(&p->words.sregs, component, strlen(component)) != STRMAP_NONE;
    uint32_t uses = strmap_get(names, name, strlen(name));
    if (uses == STRMAP_NONE && is_special)
        uses = 1;
    if (uses == STRMAP_NONE) {
        strmap_put(names, name, strlen(name), 1);
        return name;
    }
    const char *fresh;
    do
        fresh = arena_printf(p->arena, "%s_%u", name, ++uses);
    while (strmap_get(names, fresh, strlen(fresh)) != STRMAP_NONE);
    strmap_put(names, name, strlen(name), uses);
    strmap_put(names, fresh, strlen(fresh), 1);
    return fresh;
}

/* Makes the function's registers, in order of declaration; new_index[i] is where body.regs[i] went. */
static void make_registers(struct ptx_parser *p, struct isa_function *function, uint32_t *new_index)
{
    size_t count = p->body.regs.count;
    struct order *orders = base_malloc((count + 1) * sizeof *orders);
    for (size_t i = 0; i < count; i++)
        orders[i] = (struct order){p->body.regs.items[i].virtual_number, (uint32_t)i};
    if (count)
        qsort(orders, count, sizeof *orders, compare_order);
    struct strmap names = {0};
    struct isa_reg *regs = ARENA_NEW(p->arena, struct isa_reg, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct ptx_used_reg *used = &p->body.regs.items[orders[i].index];
        new_index[orders[i].index] = (uint32_t)i;
        regs[i] = (struct isa_reg){
            .name = unique_name(p, &names, used->name), .type = used->type, .number = (uint16_t)(i + 1)};
        regs[i].bank_id = first_number(regs[i].name, regs[i].number);
    }
    function->regs = regs;
    function->reg_count = function->number_count = (uint32_t)count;
    strmap_free(&names);
    free(orders);
}

static void renumber(struct isa_instr *instr, const uint32_t *new_index)
{
    struct isa_operand *operand;
    for (unsigned i = 0; (operand = ptx_operand(instr, i)); i++)
        if (ptx_operand_register(operand) != UINT32_MAX)
            operand->reg = new_index[operand->reg];
    if (instr->guarded)
        instr->guard = instr->guard_reg = new_index[instr->guard_reg];
}

struct numbers {
    uint16_t items[UINT8_MAX]; /* as many as an instruction can count; wgmma of 256 columns has 134 */
    unsigned count;
};

static void add_number(struct numbers *n, const struct isa_function *function, uint32_t reg)
{
    uint16_t number = function->regs[reg].number;
    for (unsigned i = 0; i < n->count; i++)
        if (n->items[i] == number)
            return;
    n->items[n->count++] = number;
}

static const uint16_t *copy_numbers(struct arena *arena, const struct numbers *n)
{
    if (!n->count)
        return NULL;
    uint16_t *copy = ARENA_NEW(arena, uint16_t, n->count);
    memcpy(copy, n->items, n->count * sizeof *copy);
    return copy;
}

void ptx_list_accesses(struct arena *arena, const struct isa_function *function, struct isa_instr *instr)
{
    struct numbers reads = {.count = 0}, writes = {.count = 0};
    const struct isa_operand *operand;
    for (unsigned i = 0; (operand = ptx_operand(instr, i)); i++)
        if (ptx_operand_register(operand) != UINT32_MAX)
            add_number(i < instr->dst_count ? &writes : &reads, function, operand->reg);
    if (instr->guarded)
        add_number(&reads, function, instr->guard_reg);
    instr->reads = copy_numbers(arena, &reads);
    instr->writes = copy_numbers(arena, &writes);
    instr->read_count = (uint8_t)reads.count;
    instr->write_count = (uint8_t)writes.count;
}

void ptx_finish_function(struct ptx_parser *p)
{
    struct isa_function *function = &p->functions.items[p->body.function];
    close_end(p, function->first);
    resolve_labels(p);
    function->count = (uint32_t)p->instrs.count - function->first;
    function->local_bytes = (uint32_t)round_up_u64(p->body.frame_bytes, 16);
    if (p->errors)
        return;
    uint32_t *new_index = base_malloc((p->body.regs.count + 1) * sizeof *new_index);
    make_registers(p, function, new_index);
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
        renumber(&p->instrs.items[pc], new_index);
        ptx_list_accesses(p->arena, function, &p->instrs.items[pc]);
    }
    ptx_find_spins(p->instrs.items, function->first, function->first + function->count);
    free(new_index);
}
