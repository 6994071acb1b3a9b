/* Instructions on tensor maps, which are read as what a machine makes of them: a field that is replaced is a store to its place in
 * the map (isa/tensor_map.h), and a copy with a fence is loads and stores of the lanes, then the fence. PTX ISA,
 * "tensormap.replace", "tensormap.cp_fenceproxy". Left out, and refused by the launch of a kernel that can reach them: elements
 * of 4 and 6 bits, interleaved layouts, other atoms of a swizzle than 16 bytes. */
#include "ptx/parse.h"

#include <stddef.h>
#include <string.h>

#include "base/strbuf.h"
#include "isa/tensor_map.h"

/* A field: where it lies and what is stored. A constant's value is less than `constants`; 0: the value may be a register. */
static const struct field {
    const char *name;
    uint8_t type;      /* enum isa_type of the value as it is written */
    uint8_t stored;    /* enum isa_type of what is stored; NONE: pairs of two words, the upper of which is 0 */
    uint8_t constants;
    uint8_t places;    /* numbers that may name one of them, 0: it is one */
    uint8_t step;      /* bytes from one to the next */
    uint16_t offset;
} fields[] = {
#define AT(member) offsetof(struct tensor_map, member)
    {"global_address", ISA_B64, ISA_B64, 0, 0, 0, AT(address)},
    {"rank", ISA_B32, ISA_B8, 0, 0, 0, AT(last)},
    {"box_dim", ISA_B32, ISA_B16, 0, TENSOR_MOST_RANK, 2, AT(box)},
    {"global_dim", ISA_B32, ISA_NONE, 0, TENSOR_MOST_RANK, 8, AT(size)},
    {"global_stride", ISA_B64, ISA_B64, 0, TENSOR_MOST_RANK - 1, 8, AT(stride)},
    {"element_stride", ISA_B32, ISA_B8, 0, TENSOR_MOST_RANK, 1, AT(step)},
    {"elemtype", ISA_B32, ISA_B16, TENSOR_ELEMENTS, 0, 0, AT(element_bytes)},
    {"interleave_layout", ISA_B32, ISA_B8, 1, 0, 0, AT(interleave)},
    {"swizzle_mode", ISA_B32, ISA_B8, TENSOR_SWIZZLE_128 + 1, 0, 0, AT(swizzle)},
    {"swizzle_atomicity", ISA_B32, ISA_B8, 1, 0, 0, AT(interleave)},
    {"fill_mode", ISA_B32, ISA_B8, 2, 0, 0, AT(nan)},
#undef AT
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool is_word(const struct ptx_token *word, const char *text)
{
    return ptx_token_is(word, text, strlen(text));
}

/* The field, the space and the type that the suffixes of tensormap.replace name; NULL: they are others. */
static const struct field *field_of(const struct ptx_suffixes *s, uint8_t *space)
{
    const struct field *field = NULL;
    bool has_space = s->count == 6;
    if (s->count < 5 || s->count > 6 || !is_word(&s->words[1], "tile"))
        return NULL;
    for (unsigned i = 0; i < FIELDS; i++)
        field = is_word(&s->words[2], fields[i].name) ? &fields[i] : field;
    bool global = has_space && is_word(&s->words[3], "global"), shared = has_space && is_word(&s->words[3], "shared::cta");
    if (!field || has_space != (global || shared) || !is_word(&s->words[s->count - 2], "b1024") ||
        !is_word(&s->words[s->count - 1], isa_type_info((enum isa_type)field->type)->text))
        return NULL;
    *space = global ? ISA_SPACE_GLOBAL : shared ? ISA_SPACE_SHARED : 0;
    return field;
}

static int take_constant(struct ptx_parser *p, const struct ptx_raw_operand *raw, unsigned below, uint64_t *value)
{
    const struct ptx_value *v = &raw->values[0];
    if (raw->shape != PTX_PLAIN || v->kind != PTX_VALUE_CONSTANT || v->constant.is_float || v->constant.integer >= below)
        return ptx_error(p, &raw->token, NULL, "expected a constant from 0 to %u", below - 1);
    *value = v->constant.integer;
    return 0;
}

/* What is stored, into the operand of a store. Returns 1 when it is outside the model. */
static int settle_value(struct ptx_parser *p, const struct field *field, struct ptx_raw_operand *value)
{
    uint64_t number = 0;
    const struct ptx_value *v = &value->values[0];
    unsigned bits = isa_type_bits((enum isa_type)field->type);
    if (value->shape != PTX_PLAIN || (v->kind == PTX_VALUE_REG && isa_type_bits((enum isa_type)v->type) != bits))
        return ptx_error(p, &value->token, NULL, "expected a value of %u bits", bits);
    if (!field->stored) {
        value->values[1] = (struct ptx_value){.kind = PTX_VALUE_CONSTANT, .token = value->token};
        value->shape = PTX_VECTOR;
        value->count = 2;
    }
    if (!field->constants)
        return 0;
    if (take_constant(p, value, 16, &number) < 0)
        return -1;
    if (number >= field->constants)
        return 1;
    if (field->stored == ISA_B16) /* of elemtype: two bytes that stand side by side */
        value->values[0].constant.integer = tensor_elements[number].bytes | (uint64_t)tensor_elements[number].type << 8;
    return 0;
}

static int replace(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_suffixes *s)
{
    uint8_t space;
    const struct field *field = field_of(s, &space);
    struct ptx_raw_operand raw[3];
    unsigned want = field && field->places ? 3 : 2, count = 0;
    uint64_t place = 0;
    if (!field)
        return 1;
    do {
        if (count == 3)
            return ptx_error(p, &p->token, NULL, "tensormap.replace takes %u operands", want);
        if (ptx_parse_operand(p, &raw[count++]) < 0)
            return -1;
    } while (ptx_accept(p, ','));
    if (count != want)
        return ptx_error(p, s->op, NULL, "tensormap.replace takes %u operands here, found %u", want, count);
    if (raw[0].shape != PTX_ADDRESS)
        return ptx_error(p, &raw[0].token, NULL, "expected an address in brackets");
    if (field->places && take_constant(p, &raw[1], field->places, &place) < 0)
        return -1;
    int outside = settle_value(p, field, &raw[count - 1]);
    if (outside)
        return outside;
    raw[0].values[0].offset += (int64_t)(field->offset + place * field->step);
    if (raw[0].values[0].kind == PTX_VALUE_CONSTANT)
        raw[0].values[0].constant.integer += field->offset + place * field->step;
    raw[1] = raw[count - 1];
    instr->op = ISA_OP_ST;
    instr->type = field->stored ? field->stored : ISA_B32;
    instr->mods.space = space;
    instr->mods.vec = field->stored ? 0 : ISA_VEC_V2;
    return ptx_bind_operands(p, instr, raw, 2, s->op);
}

/* Each lane's word of the map, then the fence; all lanes are there. */
static void write_copy(struct strbuf *out, const struct ptx_raw_operand *to, const struct ptx_raw_operand *from,
                       const struct ptx_token *scope)
{
    const struct ptx_value *t = &to->values[0], *f = &from->values[0];
    unsigned bits = f->kind == PTX_VALUE_REG ? isa_type_bits((enum isa_type)f->type) : 32;
    strbuf_addf(out,
                "{ .reg .b32 %%map_l, %%map_v; .reg .b64 %%map_w, %%map_t; .reg .b%u %%map_f; bar.warp.sync 0xffffffff; "
                "mov.u32 %%map_l, %%laneid; shl.b32 %%map_l, %%map_l, 2; cvt.u64.u32 %%map_w, %%map_l; ",
                bits);
    strbuf_addf(out, "mov.b64 %%map_t, %.*s; add.u64 %%map_t, %%map_t, %%map_w; ", (int)t->token.length, t->token.text);
    strbuf_addf(out, "mov.b%u %%map_f, %.*s; add.u%u %%map_f, %%map_f, %%map_%c; ", bits, (int)f->token.length, f->token.text,
                bits, bits == 64 ? 'w' : 'l');
    strbuf_addf(out, "ld.shared.b32 %%map_v, [%%map_f+%lld]; st.global.b32 [%%map_t+%lld], %%map_v; ", (long long)f->offset,
                (long long)t->offset);
    strbuf_addf(out, "fence.proxy.tensormap::generic.release.%.*s; }", (int)scope->length, scope->text);
}

static int copy(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_suffixes *s)
{
    static const char *const words[] = {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release", "", "sync",
                                        "aligned"};
    struct ptx_raw_operand raw[3];
    uint64_t bytes = 0;
    bool fits = s->count == sizeof words / sizeof words[0];
    for (unsigned i = 0; fits && i < s->count; i++)
        fits = !*words[i] || is_word(&s->words[i], words[i]);
    fits = fits && isa_find_mod(ISA_FIELD_SCOPE, s->words[5].text, s->words[5].length);
    if (!fits)
        return ptx_error(p, s->op, NULL, "expected tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release, a scope, .sync.aligned");
    for (unsigned i = 0; i < 3; i++)
        if ((i && ptx_expect(p, ',', "before the next operand") < 0) || ptx_parse_operand(p, &raw[i]) < 0)
            return -1;
    for (unsigned i = 0; i < 2; i++)
        if (raw[i].shape != PTX_ADDRESS || (raw[i].values[0].kind != PTX_VALUE_REG && raw[i].values[0].kind != PTX_VALUE_VARIABLE))
            return ptx_error(p, &raw[i].token, NULL, "expected an address in brackets: a register or a variable, with an offset");
    if (take_constant(p, &raw[2], TENSOR_MAP_BYTES + 1, &bytes) < 0)
        return -1;
    if (bytes != TENSOR_MAP_BYTES)
        return ptx_error(p, &raw[2].token, NULL, "a tensor map has %u bytes", TENSOR_MAP_BYTES);
    struct strbuf text = {0};
    write_copy(&text, &raw[0], &raw[1], &s->words[5]);
    int rc = ptx_read_instead(p, instr, arena_strdup(p->arena, strbuf_text(&text)), text.length, s->op);
    strbuf_free(&text);
    return rc < 0 ? -1 : 2;
}

int ptx_parse_tensormap(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_suffixes *s)
{
    if (s->count && is_word(&s->words[0], "replace"))
        return replace(p, instr, s);
    if (s->count && is_word(&s->words[0], "cp_fenceproxy"))
        return copy(p, instr, s);
    return ptx_error(p, s->count ? &s->words[0] : s->op, NULL, "expected tensormap.replace or tensormap.cp_fenceproxy");
}
