/* createpolicy: a policy tells caches how long to keep what an access brings. Those of a machine here are not told, and
 * every policy is the number 0. PTX ISA, "createpolicy". */
#include "ptx/parse.h"

#include <string.h>

static const struct kind {
    const char *suffix;
    uint8_t least, most; /* operands */
} kinds[] = {{"range", 4, 4}, {"fractional", 1, 2}, {"cvt", 2, 2}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_word(const struct ptx_token *word, const char *text)
{
    return ptx_token_is(word, text, strlen(text));
}

static const struct kind *kind_of(const struct ptx_suffixes *s)
{
    for (unsigned i = 0; s->count && i < KINDS; i++)
        if (is_word(&s->words[0], kinds[i].suffix))
            return &kinds[i];
    return NULL;
}

/* The first suffix behind the kind that none has, or NULL. */
static const struct ptx_token *stranger(const struct ptx_suffixes *s)
{
    static const char *const known[] = {"global",          "L2",           "L2::evict_last", "L2::evict_normal",
                                        "L2::evict_first", "L2::evict_unchanged"};
    for (unsigned i = 1; i + 1 < s->count; i++) {
        bool found = false;
        for (unsigned k = 0; k < sizeof known / sizeof known[0]; k++)
            found |= is_word(&s->words[i], known[k]);
        if (!found)
            return &s->words[i];
    }
    return is_word(&s->words[s->count - 1], "b64") ? NULL : &s->words[s->count - 1];
}

static int become_move(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_raw_operand *to)
{
    struct isa_operand *operands = ARENA_NEW(p->arena, struct isa_operand, 2);
    if (to->shape != PTX_PLAIN || to->values[0].kind != PTX_VALUE_REG)
        return ptx_error(p, &to->token, NULL, "expected a destination register");
    if (ptx_bind_value(p, &to->values[0], ISA_B64, false, &operands[0]) < 0)
        return -1;
    operands[1] = (struct isa_operand){.kind = ISA_OPERAND_IMM, .bits = 64};
    instr->op = ISA_OP_MOV;
    instr->type = ISA_B64;
    instr->dst = operands;
    instr->src = operands + 1;
    instr->dst_count = instr->src_count = 1;
    return 0;
}

int ptx_parse_policy(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_suffixes *s)
{
    const struct kind *kind = kind_of(s);
    const struct ptx_token *wrong = kind ? stranger(s) : s->op;
    if (wrong)
        return ptx_error(p, wrong, NULL, "expected a form of createpolicy, found `%.*s`", (int)wrong->length, wrong->text);
    struct ptx_raw_operand to, other;
    unsigned count = 0;
    do {
        if (ptx_parse_operand(p, count ? &other : &to) < 0)
            return -1;
        count++;
    } while (ptx_accept(p, ','));
    if (count < kind->least || count > kind->most)
        return ptx_error(p, s->op, NULL, "createpolicy.%s takes %u operands, found %u", kind->suffix, kind->most, count);
    return become_move(p, instr, &to);
}
