/* Operands that some forms of an instruction have and others do not: the predicate that .and, .or and .xor combine with,
 * the mask of .sync, what a second operation takes, the second source of a packing conversion, the new value of a compare and swap. */
#include "ptx/parse.h"

static bool has_source(const struct isa_instr *instr, unsigned i)
{
    return i < instr->src_count && instr->src[i].kind != ISA_OPERAND_NONE;
}

static bool has_second_result(const struct isa_instr *instr)
{
    return instr->dst_count > 1 && instr->dst[1].kind != ISA_OPERAND_NONE;
}

/* An operand that has to stand there exactly where `wanted`. */
static int require(struct ptx_parser *p, const struct ptx_token *at, bool wanted, bool found, const char *operand,
                   const char *suffix)
{
    if (wanted == found)
        return 0;
    return ptx_error(p, at, NULL, wanted ? "expected %s, which %s asks for" : "found %s, without %s", operand, suffix);
}

static int check_cvt(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at)
{
    uint8_t type = instr->type;
    bool packs = instr->mods.pack || (isa_type_info(type)->family == ISA_CLASS_PACKED && instr->stype == ISA_F32);
    if (require(p, at, packs, has_source(instr, 1), "a second source", "a packed type") < 0)
        return -1;
    bool three = instr->mods.pack && isa_type_info(type)->bits == 8;
    return require(p, at, three, has_source(instr, 2), "a third source", "a packed type of 8 bits");
}

static int check_lop3(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at)
{
    bool combines = instr->mods.boolop;
    if (require(p, at, combines, has_source(instr, 4), "a predicate to combine with", ".and or .or") < 0)
        return -1;
    return require(p, at, combines, has_second_result(instr), "a predicate as second result", ".and or .or");
}

static int check_min(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at)
{
    return instr->type == ISA_F32 ? 0 : require(p, at, false, has_source(instr, 2), "a third source", "type .f32");
}

/* The range whose writes an acquire of tensor maps makes known. */
static int check_fence(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at)
{
    bool takes = instr->mods.proxy == ISA_PROXY_TENSORMAP && instr->mods.order == ISA_ORDER_ACQUIRE;
    return require(p, at, takes, has_source(instr, 0) && has_source(instr, 1), "an address and a size",
                   ".tensormap::generic.acquire");
}

/* What hints say in a constant: the bytes of a line; registers of a thread. */
static int check_hint(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at)
{
    uint64_t value = instr->src[instr->src_count - 1].value;
    if (instr->op != ISA_OP_SETMAXNREG)
        return value == 128 ? 0 : ptx_error(p, at, NULL, "expected 128 bytes, found %llu", (unsigned long long)value);
    return value >= 24 && value <= 256 && value % 8 == 0
               ? 0
               : ptx_error(p, at, NULL, "expected a multiple of 8 from 24 to 256 registers, found %llu",
                           (unsigned long long)value);
}

int ptx_check_present(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at)
{
    switch (instr->op) {
    case ISA_OP_SETP:
    case ISA_OP_SET:
        return require(p, at, instr->mods.boolop, has_source(instr, 2), "a predicate to combine with",
                       ".and, .or or .xor");
    case ISA_OP_LOP3: return check_lop3(p, instr, at);
    case ISA_OP_VADD:
    case ISA_OP_VSUB:
    case ISA_OP_VABSDIFF:
    case ISA_OP_VMIN:
    case ISA_OP_VMAX:
    case ISA_OP_VSHL:
    case ISA_OP_VSHR:
    case ISA_OP_VSET:
        return require(p, at, instr->mods.reduce, has_source(instr, 2), "a third source", "a second operation");
    case ISA_OP_CVT: return check_cvt(p, instr, at);
    case ISA_OP_APPLYPRIORITY:
    case ISA_OP_DISCARD:
    case ISA_OP_SETMAXNREG: return check_hint(p, instr, at);
    case ISA_OP_FENCE_PROXY: return check_fence(p, instr, at);
    case ISA_OP_MIN:
    case ISA_OP_MAX: return check_min(p, instr, at);
    case ISA_OP_MATCH:
        return instr->mods.vote == ISA_VOTE_ALL
                   ? 0
                   : require(p, at, false, has_second_result(instr), "a predicate as second result", ".all");
    case ISA_OP_SHFL: return require(p, at, instr->mods.sync, has_source(instr, 3), "a mask of lanes", ".sync");
    case ISA_OP_VOTE: return require(p, at, instr->mods.sync, has_source(instr, 1), "a mask of lanes", ".sync");
    case ISA_OP_ATOM:
    case ISA_OP_REMOTE_ATOM:
        return isa_atomic_parts(instr) > 1 ? 0 : require(p, at, instr->mods.atomic == ISA_ATOMIC_CAS, has_source(instr, 2), "a value to swap in", ".cas");
    default: return 0;
    }
}
