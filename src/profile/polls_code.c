/* What a module's instructions are to those that wait for each other by polling: see polls_sm.h. */
#include <stdbool.h>

#include "isa/mod_values.h"
#include "profile/polls_sm.h"

/* A strong load, or one that passes the L1. Where the L1 serves no global loads, events tell of plain loads as of
 * others; and a loop that reads a word again in several rounds does not wait for it. */
static bool loads_anew(const struct isa_instr *instr)
{
    const struct isa_mods *mods = &instr->mods;
    return mods->order > ISA_ORDER_WEAK || mods->cache == ISA_CACHE_CG || mods->cache == ISA_CACHE_CV;
}

static bool same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
    return a->kind == b->kind && (a->kind == ISA_OPERAND_IMM ? a->value == b->value : a->reg == b->reg);
}

/* An atomic with a result that leaves its word as it is, whatever that holds: it adds 0, or swaps a value for itself.
 * Programs read words so. */
static bool only_looks(const struct isa_instr *instr)
{
    unsigned atomic = instr->mods.atomic;
    if (instr->op != ISA_OP_ATOM || !instr->write_count)
        return false;
    if (atomic == ISA_ATOMIC_CAS)
        return same_operand(&instr->src[1], &instr->src[2]);
    bool neutral = atomic == ISA_ATOMIC_ADD || atomic == ISA_ATOMIC_OR || atomic == ISA_ATOMIC_XOR;
    return neutral && instr->src[1].kind == ISA_OPERAND_IMM && instr->src[1].value == 0;
}

#define MOST_NUMBERS 64

/* Registers, by number, whose values come from a look. */
struct numbers {
    uint16_t of[MOST_NUMBERS];
    unsigned count;
};

static bool has(const struct numbers *set, const uint16_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned n = 0; n < set->count; n++)
            if (set->of[n] == numbers[i])
                return true;
    return false;
}

/* Adds what an instruction writes. Returns whether the set is larger. */
static bool add_written(struct numbers *set, const struct isa_instr *instr)
{
    unsigned before = set->count;
    for (unsigned i = 0; i < instr->write_count && set->count < MOST_NUMBERS; i++)
        if (!has(set, &instr->writes[i], 1))
            set->of[set->count++] = instr->writes[i];
    return set->count > before;
}

/* What the set becomes by an instruction that reads of it: true if it is larger. *decides: a jump goes by its values,
 * or they go to memory, where nothing is known of them. */
static bool follow(struct numbers *set, const struct isa_instr *instr, bool *decides)
{
    const uint32_t leave = ISA_FLAG_BRANCH | ISA_FLAG_CALL | ISA_FLAG_RET | ISA_FLAG_EXIT | ISA_FLAG_STORE;
    if (!has(set, instr->reads, instr->read_count))
        return false;
    if (isa_op_info((enum isa_op)instr->op)->flags & leave)
        *decides = true;
    return add_written(set, instr);
}

/* The end of the shortest loop around an instruction: the jump back. ISA_PC_NONE: there is no loop that shows. */
static uint32_t loop_of(const struct isa_module *module, uint32_t pc)
{
    uint32_t end = ISA_PC_NONE, length = UINT32_MAX;
    for (uint32_t i = pc; i < module->instr_count; i++) {
        const struct isa_instr *instr = &module->instrs[i];
        if (instr->op == ISA_OP_BRA && instr->target <= pc && i - instr->target < length) {
            length = i - instr->target;
            end = i;
        }
    }
    return end;
}

/* False: the loop around the look goes on, and ends, whatever the look brings. Such a one does not wait. */
static bool decides_loop(const struct isa_module *module, uint32_t look)
{
    uint32_t last = loop_of(module, look);
    struct numbers seen = {.count = 0};
    bool decides = last == ISA_PC_NONE, more = !decides;
    add_written(&seen, &module->instrs[look]);
    while (more && !decides && seen.count < MOST_NUMBERS) {
        more = false;
        for (uint32_t i = module->instrs[last].target; i <= last; i++)
            more |= follow(&seen, &module->instrs[i], &decides);
    }
    return decides || seen.count == MOST_NUMBERS;
}

static bool reads_what_it_writes(const struct isa_instr *reads, const struct isa_instr *writes)
{
    for (unsigned i = 0; i < reads->read_count; i++)
        for (unsigned n = 0; n < writes->write_count; n++)
            if (reads->reads[i] == writes->writes[n])
                return true;
    return false;
}

/* The first instruction behind a look that needs its answer. It is sought up to the next jump, which stands for it
 * where none comes before: a loop that polls jumps by what it has seen. */
static uint32_t need_of(const struct isa_module *module, uint32_t look)
{
    const uint32_t jumps = ISA_FLAG_BRANCH | ISA_FLAG_CALL | ISA_FLAG_RET | ISA_FLAG_EXIT;
    uint32_t pc = look + 1;
    while (pc + 1 < module->instr_count && !reads_what_it_writes(&module->instrs[pc], &module->instrs[look]) &&
           !(isa_op_info((enum isa_op)module->instrs[pc].op)->flags & jumps))
        pc++;
    return pc;
}

/* By the instruction threads may tell each other something. Compare-and-swaps are left out: most of them change
 * nothing, and when they are issued nobody knows which. */
static bool tells(const struct isa_instr *instr, uint32_t flags)
{
    if (flags & ISA_FLAG_ATOMIC)
        return instr->mods.atomic != ISA_ATOMIC_CAS;
    return (flags & ISA_FLAG_STORE) && (instr->mods.order > ISA_ORDER_WEAK || instr->mods.cache == ISA_CACHE_WT);
}

static bool looks(const struct isa_module *module, uint32_t pc)
{
    const struct isa_instr *instr = &module->instrs[pc];
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    bool may = flags & ISA_FLAG_ATOMIC ? only_looks(instr) : (flags & ISA_FLAG_LOAD) && loads_anew(instr);
    return may && decides_loop(module, pc);
}

bool profile_polls_may(const struct isa_module *module)
{
    bool may = false;
    for (uint32_t pc = 0; pc < module->instr_count && !may; pc++)
        may = looks(module, pc);
    return may;
}

void profile_polls_begin(struct profile_polls *s, const struct isa_module *module)
{
    for (uint32_t pc = 0; pc < module->instr_count; pc++) {
        const struct isa_instr *instr = &module->instrs[pc];
        uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
        if (looks(module, pc))
            s->code[pc] |= PROFILE_POLLS_LOOKS;
        if (s->code[pc] & PROFILE_POLLS_LOOKS && pc + 1 < module->instr_count) {
            uint32_t need = need_of(module, pc);
            s->code[pc] += (need - pc) * PROFILE_POLLS_BEHIND;
            s->code[need] |= PROFILE_POLLS_NEEDS;
        }
        s->looks |= s->code[pc] & PROFILE_POLLS_LOOKS;
        if (tells(instr, flags))
            s->code[pc] |= PROFILE_POLLS_TELLS;
    }
}

bool profile_polls_looks(const struct profile_polls *s)
{
    return s->looks;
}
