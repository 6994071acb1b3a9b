/* Lanes behind those that a warp's kind is known by: where each stands that has not the turn, and who may write a word
 * that others poll. */
#include <string.h>

#include "gpu/waits.h"
#include "sm/barrier.h"

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
    bool shared = lock->shared || lock->cluster;
    uint64_t address = lock->cluster ? LANE_SHARED_OFFSET(lock->address) : lock->address;
    bool known = shared ? gpu_add_shared_place(grid, address, out) : gpu_add_place(w->gpu, grid->code->module, address, out);
    strbuf_addf(out, "%s%saddress 0x%llx", known ? ", " : "", shared ? "shared " : "", (unsigned long long)address);
    if (lock->cluster)
        strbuf_addf(out, " of the block of rank %u of its cluster", LANE_SHARED_RANK(lock->address));
    if (lock->readable)
        strbuf_addf(out, " = %llu", (unsigned long long)lock->value);
}

static struct waits_standing standing_at(const struct simt_warp *warp, const struct simt_walk *walk, uint64_t lanes)
{
    struct waits_standing s = {.lanes = lanes, .pc = walk->path->pc};
    s.why = simt_standing_of(warp, walk, &s.others);
    return s;
}

uint32_t waits_inactive(const struct waits_warp *node, struct waits_standing *list, uint32_t most)
{
    struct simt_walk walk = simt_walk(&node->state.warp->paths);
    uint32_t n = 0;
    while (simt_walk_next(&walk) && n < most) {
        uint64_t lanes = walk.lanes & node->state.live;
        if (lanes && walk.path != node->state.warp->paths.now && walk.path->pc != ISA_PC_NONE)
            list[n++] = standing_at(node->state.warp, &walk, lanes);
    }
    return n;
}

void waits_add_standing(const struct isa_module *code, const struct waits_standing *s, struct strbuf *out)
{
    static const char *const words[] = {
        [SIMT_STANDS_READY] = " can go on when it is their turn",
        [SIMT_STANDS_BEHIND] = " wait for ",
        [SIMT_STANDS_NAMED] = " wait there, as its mask says, for ",
        [SIMT_STANDS_BARRIER] = " wait at the barrier for ",
    };
    waits_add_lanes(s->lanes, out);
    strbuf_add(out, " at ");
    waits_pos(code, s->pc, out);
    if (s->why != SIMT_STANDS_READY && !s->others)
        return;
    strbuf_add(out, words[s->why]);
    if (s->others)
        waits_add_lanes(s->others, out);
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

/* The first instruction of the loops that one is in: from there lanes may come to it again. */
static uint32_t loop_around(const struct isa_module *code, uint32_t pc, uint32_t end)
{
    uint32_t first = pc;
    for (uint32_t i = pc; i < end; i++)
        if (code->instrs[i].op == ISA_OP_BRA && code->instrs[i].target < first)
            first = code->instrs[i].target;
    return first;
}

/* The lanes of a path whose registers hold the address of the word for an instruction that writes. */
static uint64_t find_at(const struct waits_warp *node, const struct waits_lock *lock, const struct simt_path *path,
                        uint32_t pc, uint64_t lanes)
{
    const struct simt_warp *warp = node->state.warp;
    const struct isa_instr *instr = &warp->code->module->instrs[pc];
    uint64_t found = 0, address;
    for (uint64_t rest = writes(instr, lock->shared) ? lanes : 0; rest; rest &= rest - 1)
        if (waits_read_operand(warp, &path->frame, &instr->src[0], mask_first(rest), true, &address) &&
            address == lock->address)
            found |= BIT64(mask_first(rest));
    return found;
}

/* A path's lanes that come to a write to the word: further on, or when they go round a loop again. */
static bool find_in_path(const struct waits_warp *node, const struct waits_lock *lock, const struct simt_walk *walk,
                         uint64_t lanes, struct waits_writer *writer)
{
    const struct isa_module *code = node->state.warp->code->module;
    const struct isa_function *function = isa_function_at(code, walk->path->pc);
    uint32_t pc = walk->path->pc, end = function ? function->first + function->count : pc;
    uint32_t first = loop_around(code, pc, end), count = end - first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = first + (i + pc - first) % count;
        uint64_t found = find_at(node, lock, walk->path, at, lanes);
        if (found) {
            *writer = (struct waits_writer){.lanes = found, .pc = pc, .at = at};
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

void waits_add_time(const struct waits *w, const struct gpu_run *run, uint64_t when, struct strbuf *out)
{
    if (w->source.timed)
        strbuf_addf(out, "cycle %llu", (unsigned long long)(when - run->start_cycle));
    else
        strbuf_addf(out, "instruction %llu", (unsigned long long)when);
}

void waits_add_last_writer(const struct waits *w, const struct gpu_run *run, const struct waits_lock *lock,
                           const char *before, struct strbuf *out)
{
    if (lock->cluster) /* other SMs write there, too, and note it under other addresses */
        return;
    if (lock->wrote == SM_WROTE_NOTHING) {
        strbuf_addf(out, "%snot changed since ", before);
        if (w->noted_since == run->start_cycle)
            strbuf_add(out, "the kernel began");
        else
            waits_add_time(w, run, w->noted_since, out);
    } else if (lock->wrote == SM_WROTE_VALUE && lock->writer != WAITS_NOBODY) {
        const struct sm_warp_state *s = &w->warps[lock->writer].state;
        strbuf_addf(out, "%swritten last by block (%u,%u,%u) warp %u", before, s->block[0], s->block[1], s->block[2],
                    s->index);
    }
}

void waits_add_barrier(const struct sm_warp_state *s, struct strbuf *out)
{
    if (s->barrier == SM_GRID_BARRIER)
        strbuf_add(out, "the grid's barrier");
    else if (s->barrier == SM_CLUSTER_BARRIER)
        strbuf_add(out, "the cluster's barrier");
    else
        strbuf_addf(out, "barrier %u", s->barrier);
    if (s->barrier_threads)
        strbuf_addf(out, " of %u threads", s->barrier_threads);
}

void waits_add_blocks(const struct waits *w, struct strbuf *out)
{
    uint64_t ended = w->begun - w->running, left = w->blocks - w->begun;
    if (!ended && !left)
        return;
    if (ended)
        strbuf_addf(out, "%llu of %llu have ended, %llu run%s", (unsigned long long)ended,
                    (unsigned long long)w->blocks, (unsigned long long)w->running, left ? ", " : "");
    else
        strbuf_addf(out, "%llu run, ", (unsigned long long)w->running);
    if (left)
        strbuf_addf(out, "%llu of %llu have not begun", (unsigned long long)left, (unsigned long long)w->blocks);
}

bool waits_host_writes(const struct gpu_run *run, const struct waits_lock *lock)
{
    const struct gpu_launch *l = run->launch;
    return !lock->shared && l->host_writes && l->host_writes(l->context, lock->address);
}

static bool same_block(const struct sm_warp_state *a, const struct sm_warp_state *b)
{
    return memcmp(a->block, b->block, sizeof a->block) == 0;
}

bool waits_next_absent(const struct waits *w, const struct waits_lock *lock, uint32_t *from, uint32_t *warp)
{
    uint64_t at = lock->address - w->gpu->workspace;
    if (lock->shared || !w->gpu->workspace || at >= WORKSPACE_BYTES)
        return false;
    while (*from < w->warp_count) {
        const struct waits_warp *first = &w->warps[ *warp = (*from)++];
        bool absent = true;
        for (uint32_t k = 0; absent && k < w->warp_count; k++)
            if (w->warps[k].sm == first->sm && same_block(&w->warps[k].state, &first->state))
                absent = !pollers(w, &w->warps[k], lock) && k >= *warp;
        if (absent)
            return true;
    }
    return false;
}

/* The calls and the places of lanes that do not have the turn. */
static bool same_paths(const struct simt_paths *a, const struct simt_paths *b)
{
    if (a->count != b->count || a->now - a->table != b->now - b->table)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct simt_path *p = &a->table[i], *q = &b->table[i];
        if (p->mask != q->mask || p->frame.function != q->frame.function || p->kind != q->kind || p->key != q->key ||
            (p->pc != q->pc && p != a->now))
            return false;
    }
    return true;
}

bool waits_alike(const struct waits_warp *a, const struct waits_warp *b)
{
    const struct sm_warp_state *s = &a->state, *t = &b->state;
    if (a->kind != b->kind || (s->pc != t->pc && a->kind != WAITS_LOCK) || s->mask != t->mask || s->live != t->live ||
        a->claim_count != b->claim_count || s->last_sync_pc != t->last_sync_pc || s->barrier != t->barrier ||
        !waits_same_object(a, b) || !waits_same_registers(a, b) ||
        !same_paths(&s->warp->paths, &t->warp->paths))
        return false;
    for (uint32_t k = 0; k < a->claim_count; k++)
        if (a->claims[k].lock != b->claims[k].lock || a->claims[k].lanes != b->claims[k].lanes)
            return false;
    return true;
}
