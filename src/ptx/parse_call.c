/* Calls. Arguments and results are places in the caller's frame: .param variables as they stand; registers and
 * constants, which PTX allows for scalars, get a place of their own with a store before the call and a load after it.
 * PTX ISA, "call". */
#include "ptx/parse.h"

#include <string.h>

enum { MAX_SLOTS = 255 };

struct copy {
    struct isa_operand value;
    uint8_t type;
    uint32_t offset;
};

struct call {
    struct ptx_token at;
    uint32_t callee; /* UINT32_MAX when indirect */
    VEC(struct isa_call_slot) results, args;
    VEC(struct copy) stores, loads;
};

/* A constant argument has the type of the parameter it is for. */
static uint8_t constant_type(const struct ptx_parser *p, const struct call *c, const struct ptx_value *value)
{
    const struct isa_function *callee = c->callee == UINT32_MAX ? NULL : &p->functions.items[c->callee];
    if (callee && c->args.count < callee->param_count && isa_type_bits(callee->params[c->args.count].type) <= 64)
        return callee->params[c->args.count].type;
    return !value->constant.is_float ? ISA_B32 : value->constant.image == 64 ? ISA_F64 : ISA_F32;
}

/* The place of one listed result or argument. */
static int parse_slot(struct ptx_parser *p, struct call *c, bool is_result, struct isa_call_slot *slot)
{
    struct ptx_token at = p->token;
    const struct ptx_symbol *symbol = at.kind == PTX_TOKEN_WORD ? ptx_lookup(p, at.text, at.length) : NULL;
    if (symbol && symbol->kind == PTX_SYMBOL_FRAME) {
        *slot = (struct isa_call_slot){symbol->offset, symbol->bytes};
        ptx_advance(p);
        return 0;
    }
    struct ptx_value value;
    if (ptx_parse_value(p, &value) < 0)
        return -1;
    if (is_result && value.kind == PTX_VALUE_SINK) {
        *slot = (struct isa_call_slot){PTX_NONE, 0}; /* place_sinks gives it one */
        return 0;
    }
    struct copy copy = {.type = value.kind == PTX_VALUE_REG ? value.type : constant_type(p, c, &value)};
    if (value.kind != PTX_VALUE_REG && (is_result || value.kind != PTX_VALUE_CONSTANT))
        return ptx_error(p, &at, NULL, "expected a .param variable%s",
                         is_result ? " or a register" : ", a register or a constant");
    if (ptx_bind_value(p, &value, copy.type, false, &copy.value) < 0)
        return -1;
    slot->bytes = (isa_type_bits(copy.type) + 7) / 8;
    copy.offset = slot->offset = ptx_frame_alloc(p, &at, slot->bytes, slot->bytes);
    if (slot->offset == PTX_NONE)
        return -1;
    if (is_result)
        vec_push(&c->loads, copy);
    else
        vec_push(&c->stores, copy);
    return 0;
}

/* `( a, b )`, whose parenthesis is the next token. */
static int parse_slots(struct ptx_parser *p, struct call *c, bool is_result)
{
    ptx_advance(p);
    if (ptx_accept(p, ')'))
        return 0;
    do {
        struct isa_call_slot slot;
        if (parse_slot(p, c, is_result, &slot) < 0)
            return -1;
        if (c->results.count + c->args.count == MAX_SLOTS)
            return ptx_error(p, &p->last, NULL, "a call has %d arguments at most", MAX_SLOTS);
        if (is_result)
            vec_push(&c->results, slot);
        else
            vec_push(&c->args, slot);
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ')', is_result ? "after the results" : "after the arguments");
}

static int parse_target(struct ptx_parser *p, struct isa_call *call)
{
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(p, "the name of a function or a register");
    struct ptx_value target;
    if (ptx_parse_value(p, &target) < 0)
        return -1;
    call->callee = UINT32_MAX;
    if (target.kind == PTX_VALUE_FUNCTION) {
        call->callee = target.index;
        if (p->functions.items[target.index].is_kernel)
            return ptx_error(p, &target.token, NULL, "a kernel cannot be called");
        return 0;
    }
    if (target.kind != PTX_VALUE_REG)
        return ptx_error(p, &target.token, NULL, "expected a function or a register that holds its address");
    return ptx_bind_value(p, &target, ISA_U64, false, &call->target);
}

/* A result that nobody wants, `_`, still needs a place that the callee can write. */
static int place_sinks(struct ptx_parser *p, struct call *c)
{
    const struct isa_function *callee = c->callee == UINT32_MAX ? NULL : &p->functions.items[c->callee];
    for (uint32_t i = 0; i < c->results.count; i++) {
        struct isa_call_slot *slot = &c->results.items[i];
        if (slot->offset != PTX_NONE)
            continue;
        slot->bytes = callee && i < callee->result_count ? callee->results[i].bytes : 8;
        slot->offset = ptx_frame_alloc(p, &c->at, slot->bytes, 16);
        if (slot->offset == PTX_NONE)
            return -1;
    }
    return 0;
}

static int check_slots(struct ptx_parser *p, const struct ptx_token *at, const char *what,
                       const struct isa_param *params, uint32_t count, const struct isa_call_slot *slots, size_t given)
{
    if (count != given)
        return ptx_error(p, at, NULL, "the function takes %u %s%s, found %zu", count, what, count == 1 ? "" : "s",
                         given);
    for (uint32_t i = 0; i < count; i++)
        if (params[i].bytes && params[i].bytes != slots[i].bytes)
            return ptx_error(p, at, NULL, "%s %u has %u bytes where the function has %u", what, i + 1, slots[i].bytes,
                             params[i].bytes);
    return 0;
}

static int check_direct(struct ptx_parser *p, const struct call *c, const struct isa_call *call)
{
    const struct isa_function *f = &p->functions.items[call->callee];
    if (check_slots(p, &c->at, "result", f->results, f->result_count, c->results.items, c->results.count) < 0)
        return -1;
    return check_slots(p, &c->at, "argument", f->params, f->param_count, c->args.items, c->args.count);
}

/* The prototype or the list of targets behind the arguments of an indirect call. */
static int parse_prototype_name(struct ptx_parser *p, const struct call *c)
{
    const struct ptx_symbol *symbol =
        p->token.kind == PTX_TOKEN_WORD ? ptx_lookup(p, p->token.text, p->token.length) : NULL;
    if (!symbol || symbol->kind != PTX_SYMBOL_PROTO)
        return ptx_expected(p, "the label of a .callprototype or .calltargets directive");
    const struct ptx_proto *proto = &p->body.protos.items[symbol->index];
    ptx_advance(p);
    if (!proto->is_list && (proto->result_count != c->results.count || proto->arg_count != c->args.count))
        return ptx_error(p, &c->at, NULL, "the call does not match its prototype: %u results and %u arguments",
                         proto->result_count, proto->arg_count);
    return 0;
}

static int parse_parts(struct ptx_parser *p, struct call *c, struct isa_call *call)
{
    if (PTX_IS_PUNCT(&p->token, '(') && (parse_slots(p, c, true) < 0 || ptx_expect(p, ',', "after the results") < 0))
        return -1;
    if (parse_target(p, call) < 0)
        return -1;
    c->callee = call->callee;
    if (place_sinks(p, c) < 0)
        return -1;
    bool has_comma = ptx_accept(p, ',');
    if (has_comma && PTX_IS_PUNCT(&p->token, '(')) {
        if (parse_slots(p, c, false) < 0)
            return -1;
        has_comma = ptx_accept(p, ',');
    }
    if (call->callee != UINT32_MAX)
        return has_comma ? ptx_expected(p, "`;`") : check_direct(p, c, call);
    return has_comma ? parse_prototype_name(p, c) : 0;
}

static const struct isa_call_slot *copy_slots(struct ptx_parser *p, const struct isa_call_slot *slots, size_t count)
{
    if (!count)
        return NULL;
    struct isa_call_slot *copy = ARENA_NEW(p->arena, struct isa_call_slot, count);
    memcpy(copy, slots, count * sizeof *copy);
    return copy;
}

/* Emits a load of a register from the frame, or a store to it, at the place and under the guard of instruction `like`.
 */
static void emit_frame_copy(struct ptx_parser *p, const struct isa_instr *like, bool is_load,
                            const struct isa_operand *value, enum isa_type type, uint32_t offset)
{
    struct isa_operand *operands = ARENA_NEW(p->arena, struct isa_operand, 2);
    struct isa_operand place = {.kind = ISA_OPERAND_FRAME, .bits = 64, .value = offset};
    struct isa_instr copy = {.op = is_load ? ISA_OP_LD : ISA_OP_ST,
                             .type = (uint8_t)type,
                             .guarded = like->guarded,
                             .guard_negate = like->guard_negate,
                             .guard = like->guard,
                             .guard_reg = like->guard_reg,
                             .target = ISA_PC_NONE,
                             .line = like->line,
                             .column = like->column,
                             .dst = operands,
                             .src = operands + is_load,
                             .dst_count = is_load,
                             .src_count = is_load ? 1 : 2};
    copy.mods.space = ISA_SPACE_PARAM;
    operands[0] = is_load ? *value : place;
    operands[1] = is_load ? place : *value;
    ptx_emit(p, &copy);
}

void ptx_emit_formals(struct ptx_parser *p, const struct isa_instr *like, bool is_load)
{
    struct ptx_body *body = &p->body;
    for (size_t i = is_load ? body->result_formals : 0; i < (is_load ? body->formals.count : body->result_formals);
         i++) {
        const struct ptx_symbol *formal = &body->formals.items[i];
        struct ptx_token name = {.kind = PTX_TOKEN_WORD, .text = formal->name, .length = formal->length};
        struct isa_operand reg = {.kind = ISA_OPERAND_REG, .bits = isa_type_info(formal->type)->bits};
        reg.reg = ptx_use_reg(p, &name, formal, formal->index);
        emit_frame_copy(p, like, is_load, &reg, formal->type, formal->offset);
    }
}

static void emit(struct ptx_parser *p, struct call *c, struct isa_call *call, struct isa_instr *instr)
{
    call->result_count = (uint32_t)c->results.count;
    call->arg_count = (uint32_t)c->args.count;
    call->results = copy_slots(p, c->results.items, c->results.count);
    call->args = copy_slots(p, c->args.items, c->args.count);
    instr->call = call;
    for (size_t i = 0; i < c->stores.count; i++)
        emit_frame_copy(p, instr, false, &c->stores.items[i].value, c->stores.items[i].type, c->stores.items[i].offset);
    ptx_emit(p, instr);
    for (size_t i = 0; i < c->loads.count; i++)
        emit_frame_copy(p, instr, true, &c->loads.items[i].value, c->loads.items[i].type, c->loads.items[i].offset);
}

int ptx_parse_call(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_token *at)
{
    struct call c = {.at = *at, .callee = UINT32_MAX};
    struct isa_call *call = ARENA_NEW(p->arena, struct isa_call, 1);
    int rc = parse_parts(p, &c, call);
    if (rc == 0)
        emit(p, &c, call, instr);
    vec_free(&c.results);
    vec_free(&c.args);
    vec_free(&c.stores);
    vec_free(&c.loads);
    return rc;
}
