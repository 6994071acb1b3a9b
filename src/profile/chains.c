/* Where addresses of loads come from: see chains.h. A loop is what lies between a jump back and its target; code that
 * lies elsewhere, and calls, are not followed. */
#include "profile/chains.h"

#include <stdbool.h>

#include "isa/mod_values.h"

#define MOST_SOUGHT 32 /* registers whose values are sought at once */

/* Registers, by number, that make up an address. */
struct sought {
    uint16_t of[MOST_SOUGHT];
    unsigned count;
};

static void seek(struct sought *s, const struct isa_instr *instr)
{
    for (unsigned i = 0; i < instr->read_count; i++) {
        bool has = false;
        for (unsigned n = 0; n < s->count; n++)
            has |= s->of[n] == instr->reads[i];
        if (!has && s->count < MOST_SOUGHT)
            s->of[s->count++] = instr->reads[i];
    }
}

/* True: the instruction writes one of them, which it is sought for no more. */
static bool writes_sought(struct sought *s, const struct isa_instr *instr)
{
    bool writes = false;
    for (unsigned i = 0; i < instr->write_count; i++)
        for (unsigned n = 0; n < s->count; n++)
            if (s->of[n] == instr->writes[i]) {
                s->of[n--] = s->of[--s->count];
                writes = true;
            }
    return writes;
}

static bool is_load(const struct isa_instr *instr)
{
    return instr->op == ISA_OP_LD && instr->mods.space != ISA_SPACE_PARAM && instr->mods.space != ISA_SPACE_CONST;
}

/* The shortest loop around an instruction, from *first to its jump back. False: there is none. */
static bool loop_around(const struct isa_module *module, const struct isa_function *f, uint32_t pc, uint32_t *first,
                        uint32_t *last)
{
    bool found = false;
    for (uint32_t i = pc; i < f->first + f->count; i++) {
        const struct isa_instr *instr = &module->instrs[i];
        if (instr->op != ISA_OP_BRA || instr->target > pc || (found && i - instr->target >= *last - *first))
            continue;
        *first = instr->target;
        *last = i;
        found = true;
    }
    return found;
}

uint32_t profile_address_from(const struct isa_module *module, uint32_t pc)
{
    uint32_t first = 0, last = 0;
    struct sought sought = {.count = 0};
    if (!is_load(&module->instrs[pc]) || !loop_around(module, isa_function_at(module, pc), pc, &first, &last))
        return ISA_PC_NONE;
    seek(&sought, &module->instrs[pc]);
    for (uint32_t at = pc, seen = 0; sought.count && seen / 2 <= last - first; seen++) { /* two rounds */
        at = at == first ? last : at - 1;
        const struct isa_instr *instr = &module->instrs[at];
        if (!writes_sought(&sought, instr))
            continue;
        if (is_load(instr))
            return at;
        seek(&sought, instr);
    }
    return ISA_PC_NONE;
}
