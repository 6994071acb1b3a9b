/* Lanes behind those that a warp's kind is known by: where each stands that has not the turn, and who may write a word
 * that others poll. */
#include <string.h>

#include "gpu/waits.h"

#define MOST_CALLS 8

void waits_add_lanes(uint64_t mask, struct strbuf *out)
{
    if (mask_count(mask) == 1) {
        strbuf_addf(out, "lane %u", mask_first(mask));
        return;
    }
    strbuf_add(out, "lanes ");
    const char *comma = "";
    while (mask) {
        unsigned first = mask_first(mask), last = first;
        while (last < 63 && mask_has(mask, last + 1))
            last++;
        strbuf_addf(out, first == last ? "%s%u" : "%s%u-%u", comma, first, last);
        comma = ",";
        mask &= last == 63 ? 0 : ~UINT64_C(0) << (last + 1);
    }
}

void waits_add_place(const struct waits *w, const struct waits_lock *lock, const struct simt_grid *grid,
                     struct strbuf *out)
{
    bool known = lock->shared ? gpu_add_shared_place(grid, lock->address, out)
                              : gpu_add_place(w->gpu, grid->code->module, lock->address, out);
    strbuf_addf(out, "%s%saddress 0x%llx", known ? ", " : "", lock->shared ? "shared " : "",
                (unsigned long long)lock->address);
    if (lock->readable)
        strbuf_addf(out, " = %llu", (unsigned long long)lock->value);
}

uint32_t waits_parked(const struct waits_warp *node, struct waits_standing *list, uint32_t most)
{
    struct simt_walk walk = simt_walk(&node->state.warp->paths);
    uint32_t n = 0;
    while (simt_walk_next(&walk) && n < most) {
        uint64_t lanes = walk.lanes & node->state.live;
        if (lanes && walk.path != node->state.warp->paths.now && walk.path->pc != ISA_PC_NONE)
            list[n++] = (struct waits_standing){lanes, walk.path->pc};
    }
    return n;
}

/* The call behind which lanes go on at pc. */
static uint32_t call_before(const struct isa_module *code, uint32_t pc)
{
    return pc && code->instrs[pc - 1].op == ISA_OP_CALL ? pc - 1 : pc;
}

/* Earlier paths of a lane are where it goes on later; the first of each other frame is where a call was made. */
void waits_add_callers(const struct simt_warp *warp, const struct simt_path *path, const char *before,
                       struct strbuf *out)
{
    const struct isa_module *code = warp->code->module;
    struct simt_frame frame = path->frame;
    uint64_t lane = path->mask & -path->mask;
    for (unsigned n = 0; n < MOST_CALLS && path > warp->paths.table;) {
        path--;
        if (!(path->mask & lane) || memcmp(&path->frame, &frame, sizeof frame) == 0 || path->pc == ISA_PC_NONE)
            continue;
        frame = path->frame;
        strbuf_addf(out, "%s in ", n++ ? "," : before);
        isa_plain_name(code->functions[frame.function].name, out);
        strbuf_add(out, " at ");
        waits_pos(code, call_before(code, path->pc), out);
    }
}

static bool writes(const struct isa_instr *instr, bool shared)
{
    uint32_t flags = isa_op_info((enum isa_op)instr->op)->flags;
    uint8_t space = instr->mods.space;
    return flags & (ISA_FLAG_STORE | ISA_FLAG_ATOMIC) && instr->src_count &&
           (!space || space == (shared ? ISA_SPACE_SHARED : ISA_SPACE_GLOBAL));
}

/* Lanes that poll the word themselves are not those that others wait for. */
static uint64_t pollers(const struct waits *w, const struct waits_warp *node, const struct waits_lock *lock)
{
    for (uint32_t k = 0; k < node->claim_count; k++)
        if (&w->locks[node->claims[k].lock] == lock)
            return node->claims[k].lanes;
    return 0;
}

/* A path's lanes that come to a write to the word, as far as their registers hold its address already. */
static bool find_in_path(const struct waits_warp *node, const struct waits_lock *lock, const struct simt_walk *walk,
                         uint64_t lanes, struct waits_writer *writer)
{
    const struct simt_warp *warp = node->state.warp;
    const struct isa_module *code = warp->block->grid->code->module;
    const struct isa_function *function = isa_function_at(code, walk->path->pc);
    uint32_t end = function ? function->first + function->count : 0;
    for (uint32_t pc = walk->path->pc; pc < end; pc++) {
        uint64_t found = 0, address;
        for (uint64_t rest = writes(&code->instrs[pc], lock->shared) ? lanes : 0; rest; rest &= rest - 1)
            if (waits_read_operand(warp, &walk->path->frame, &code->instrs[pc].src[0], mask_first(rest), true,
                                   &address) &&
                address == lock->address)
                found |= BIT64(mask_first(rest));
        if (found) {
            *writer = (struct waits_writer){.lanes = found, .pc = walk->path->pc, .at = pc};
            return true;
        }
    }
    return false;
}

bool waits_next_writer(const struct waits *w, const struct waits_lock *lock, uint32_t *from,
                       struct waits_writer *writer)
{
    while (*from < w->warp_count) {
        uint32_t index = (*from)++;
        const struct waits_warp *node = &w->warps[index];
        if (lock->shared && memcmp(lock->block, node->state.block, sizeof lock->block) != 0)
            continue;
        uint64_t others = node->state.live & ~pollers(w, node, lock);
        struct simt_walk walk = simt_walk(&node->state.warp->paths);
        while (simt_walk_next(&walk)) {
            if (!(walk.lanes & others) || walk.path->pc == ISA_PC_NONE ||
                !find_in_path(node, lock, &walk, walk.lanes & others, writer))
                continue;
            writer->warp = index;
            return true;
        }
    }
    return false;
}

bool waits_alike(const struct waits_warp *a, const struct waits_warp *b)
{
    const struct sm_warp_state *s = &a->state, *t = &b->state;
    if (a->kind != b->kind || s->pc != t->pc || s->mask != t->mask || s->live != t->live ||
        a->claim_count != b->claim_count || s->last_sync_pc != t->last_sync_pc || s->barrier != t->barrier)
        return false;
    for (uint32_t k = 0; k < a->claim_count; k++)
        if (a->claims[k].lock != b->claims[k].lock || a->claims[k].lanes != b->claims[k].lanes)
            return false;
    return true;
}
