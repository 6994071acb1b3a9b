/* Builds functions instruction by instruction, without the parser, for the tests of analyse.h. */
#ifndef LOCKSTEP_TEST_MAKE_PROGRAM_H
#define LOCKSTEP_TEST_MAKE_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "ptx/analyse.h"

struct maker {
    struct isa_module module;
    struct isa_function function;
    struct arena scratch;
    uint32_t instr_room, reg_room;
    uint64_t seed, drawn;
};

static inline void maker_init(struct maker *m, uint64_t seed, uint32_t instr_room, uint32_t reg_room)
{
    memset(m, 0, sizeof *m);
    m->seed = seed;
    m->instr_room = instr_room;
    m->reg_room = reg_room;
    arena_init(&m->scratch);
    arena_init(&m->module.arena);
    m->module.instrs = ARENA_NEW(&m->module.arena, struct isa_instr, instr_room);
    m->function.regs = ARENA_NEW(&m->module.arena, struct isa_reg, reg_room);
}

static inline void maker_free(struct maker *m)
{
    arena_free(&m->scratch);
    arena_free(&m->module.arena);
}

static inline uint32_t draw(struct maker *m, uint32_t below)
{
    return (uint32_t)(random_at(m->seed, m->drawn++) >> 16) % below;
}

static inline uint32_t make_reg(struct maker *m, enum isa_type type)
{
    assert_true(m->function.reg_count < m->reg_room);
    m->function.regs[m->function.reg_count].type = type;
    return m->function.reg_count++;
}

static inline struct isa_instr *make_instr(struct maker *m, enum isa_op op)
{
    assert_true(m->module.instr_count < m->instr_room);
    struct isa_instr *instr = &m->module.instrs[m->module.instr_count++];
    m->function.count = m->module.instr_count - m->function.first;
    instr->op = op;
    instr->target = ISA_PC_NONE;
    return instr;
}

static inline struct isa_operand *make_operands(struct maker *m, unsigned n, const uint32_t *regs)
{
    struct isa_operand *operands = ARENA_NEW(&m->module.arena, struct isa_operand, n);
    for (unsigned k = 0; k < n; k++) {
        operands[k].kind = m->function.regs[regs[k]].type == ISA_PRED ? ISA_OPERAND_PRED : ISA_OPERAND_REG;
        operands[k].reg = regs[k];
    }
    return operands;
}

static inline struct isa_instr *make_op(struct maker *m, enum isa_op op, unsigned dsts, const uint32_t *dst,
                                        unsigned srcs, const uint32_t *src)
{
    struct isa_instr *instr = make_instr(m, op);
    instr->dst_count = (uint8_t)dsts;
    instr->src_count = (uint8_t)srcs;
    instr->dst = make_operands(m, dsts, dst);
    instr->src = make_operands(m, srcs, src);
    return instr;
}

static inline struct isa_instr *make_bra(struct maker *m, uint32_t target, bool guarded)
{
    struct isa_instr *instr = make_instr(m, ISA_OP_BRA);
    instr->target = target;
    instr->guarded = guarded;
    return instr;
}

static inline struct isa_instr *make_brx(struct maker *m, uint32_t n, const uint32_t *targets)
{
    struct isa_instr *instr = make_instr(m, ISA_OP_BRX);
    uint32_t *copy = ARENA_NEW(&m->module.arena, uint32_t, n);
    memcpy(copy, targets, n * sizeof *copy);
    instr->targets = copy;
    instr->target_count = n;
    return instr;
}

static inline struct isa_instr *make_guarded(struct maker *m, enum isa_op op, bool guarded)
{
    struct isa_instr *instr = make_instr(m, op);
    instr->guarded = guarded;
    return instr;
}

/* Instructions that may follow i (indices; function->count stands for leaving), told from the instruction alone.
 * Returns how many. */
static inline uint32_t followers(const struct maker *m, uint32_t i, uint32_t *next)
{
    const struct isa_instr *instr = &m->module.instrs[m->function.first + i];
    uint32_t n = 0, first = m->function.first, count = m->function.count;
    switch (instr->op) {
    case ISA_OP_BRA:
        next[n++] = instr->target - first < count ? instr->target - first : count;
        break;
    case ISA_OP_BRX:
        for (uint32_t t = 0; t < instr->target_count; t++)
            next[n++] = instr->targets[t] - first < count ? instr->targets[t] - first : count;
        break;
    case ISA_OP_RET:
    case ISA_OP_EXIT:
    case ISA_OP_TRAP:
        next[n++] = count;
        break;
    default:
        next[n++] = i + 1;
        return n;
    }
    if (instr->guarded)
        next[n++] = i + 1;
    return n;
}

#endif
