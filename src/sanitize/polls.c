/* Instructions by which threads wait: loads that a loop repeats, of one address, while nothing is done besides. What is
 * waited for may be there at the first look, so a run alone does not tell. */
#include "isa/mod_values.h"
#include "sanitize/state.h"

static bool same_line(const struct isa_instr *a, const struct isa_instr *b)
{
    return a->op == b->op && a->source_line && a->source_file == b->source_file && a->source_line == b->source_line;
}

void sanitize_note_poll(struct sanitize *s, uint32_t pc)
{
    if (s->polls[pc])
        return;
    for (uint32_t i = 0; i < s->module->instr_count; i++)
        if (same_line(&s->module->instrs[i], &s->module->instrs[pc]))
            s->polls[i] = true;
    s->polls[pc] = true;
}

/* An atomic that leaves its word as it is, because it adds 0 or the like: programs read words so. */
static bool only_looks(const struct isa_instr *instr)
{
    unsigned atomic = instr->mods.atomic;
    bool neutral = atomic == ISA_ATOMIC_ADD || atomic == ISA_ATOMIC_OR || atomic == ISA_ATOMIC_XOR;
    return instr->op == ISA_OP_ATOM && neutral && instr->src[1].kind == ISA_OPERAND_IMM && instr->src[1].value == 0;
}

static bool writes_memory(const struct isa_instr *instr)
{
    return !only_looks(instr) &&
           isa_op_info((enum isa_op)instr->op)->flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC | ISA_FLAG_CALL);
}

static bool sets(const struct isa_instr *instr, const struct isa_operand *reg)
{
    for (unsigned i = 0; i < instr->dst_count; i++)
        if (instr->dst[i].kind == ISA_OPERAND_REG && instr->dst[i].reg == reg->reg)
            return true;
    return false;
}

/* The loop from first to last loads from one address, strongly. */
static bool looks(const struct isa_module *module, uint32_t first, uint32_t last, uint32_t pc)
{
    const struct isa_instr *load = &module->instrs[pc];
    bool strong = load->op == ISA_OP_LD && load->mods.order > ISA_ORDER_WEAK;
    for (uint32_t i = first; strong && load->src[0].kind == ISA_OPERAND_REG && i <= last; i++)
        strong = !sets(&module->instrs[i], &load->src[0]);
    return strong;
}

void sanitize_find_polls(struct sanitize *s)
{
    const struct isa_module *module = s->module;
    for (uint32_t last = 0; last < module->instr_count; last++) {
        uint32_t first = module->instrs[last].op == ISA_OP_BRA ? module->instrs[last].target : ISA_PC_NONE;
        bool waits = first <= last;
        for (uint32_t i = first; waits && i <= last; i++)
            waits = !writes_memory(&module->instrs[i]);
        for (uint32_t i = first; waits && i <= last; i++)
            if (looks(module, first, last, i))
                sanitize_note_poll(s, i);
    }
}
