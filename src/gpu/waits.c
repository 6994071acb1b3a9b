/* Finds who waits for whom. What a lane wants is read from its registers: the address operand of the instruction with
 * which its warp last synchronised. Who holds it is what the SMs remember of compare-and-swaps that succeeded. */
#include "gpu/waits.h"

#include <string.h>

#include "base/hash.h"
#include "sm/barrier.h"

#define MANY_TRIES 64 /* accesses that synchronise; critical sections have fewer before they write something */

bool waits_read_operand(const struct simt_warp *warp, const struct simt_frame *frame, const struct isa_operand *o,
                        unsigned lane, bool address, uint64_t *value)
{
    unsigned width = warp->block->grid->code->width;
    const uint32_t *row = warp->rows + (size_t)(frame->reg_base + o->row) * width;
    uint64_t offset = address ? o->value : 0;
    if (o->kind == ISA_OPERAND_IMM)
        *value = o->value;
    else if (o->kind == ISA_OPERAND_REG && o->bits == 64)
        *value = ((const uint64_t *)(const void *)row)[lane] + offset;
    else if (o->kind == ISA_OPERAND_REG)
        *value = (uint32_t)(row[lane] + (uint32_t)offset);
    else
        return false;
    return true;
}

/* A source as a lane of the path that has the turn would read it. */
static bool read_operand(const struct simt_warp *warp, const struct isa_operand *o, unsigned lane, bool address,
                         uint64_t *value)
{
    return waits_read_operand(warp, &warp->paths.now->frame, o, lane, address, value);
}

/* Returns the synchronising instruction of the warp while its registers still belong to it, that is, while the warp
 * executes the same function; else NULL. */
static const struct isa_instr *sync_instr(const struct sm_warp_state *s)
{
    const struct isa_module *code = s->warp->block->grid->code->module;
    if (s->last_sync_pc >= code->instr_count)
        return NULL;
    const struct isa_function *now = &code->functions[s->warp->paths.now->frame.function];
    return isa_function_at(code, s->last_sync_pc) == now ? &code->instrs[s->last_sync_pc] : NULL;
}

/* Of the shared memory of a block of the warp's cluster, as long as some warp of that has not ended. */
static bool read_peer(const struct waits *w, const struct sm_warp_state *s, uint64_t address, unsigned bytes, uint64_t *value)
{
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct simt_block *peer = w->warps[i].state.warp->block;
        if (!waits_in_cluster(s, &w->warps[i].state) || peer->rank != LANE_SHARED_RANK(address) ||
            LANE_SHARED_OFFSET(address) + bytes > peer->shared_bytes)
            continue;
        memcpy(value, peer->shared + LANE_SHARED_OFFSET(address), bytes);
        return true;
    }
    return false;
}

/* The value of a location now: in global memory, that of the L1 that has registered it, if one has. */
static bool read_location(const struct waits *w, const struct sm_warp_state *s, uint64_t address, unsigned bytes,
                          uint64_t *value)
{
    const struct gpu *gpu = w->gpu;
    const struct simt_block *block = s->warp->block;
    *value = 0;
    if (s->last_sync_shared && address + bytes <= block->shared_bytes)
        memcpy(value, block->shared + address, bytes);
    if (s->last_sync_shared)
        return address + bytes <= block->shared_bytes;
    if (s->last_sync_cluster)
        return read_peer(w, s, address, bytes, value);
    if (!store_covers(&gpu->store, address, bytes))
        return false;
    memcpy(value, store_at(&gpu->store, address), bytes);
    for (unsigned i = 0; i < w->source.units && w->source.timed; i++)
        sm_peek(gpu->sms[i], address, (uint8_t *)value, bytes);
    return true;
}

/* Where a lane stands that does not have the turn. */
static bool find_inactive(const struct sm_warp_state *s, unsigned lane, uint32_t *pc)
{
    struct simt_walk walk = simt_walk(&s->warp->paths);
    if (mask_has(s->mask, lane))
        return false;
    while (simt_walk_next(&walk))
        if (mask_has(walk.lanes, lane)) {
            *pc = walk.path->pc;
            return true;
        }
    return false;
}

/* base: of the addresses in the shared memory of a block, on SM `home`; 0 for global memory. */
static void find_holder(const struct waits *w, struct waits_lock *lock, uint64_t base, unsigned home)
{
    bool found = false;
    for (unsigned i = 0; i < w->source.units; i++) {
        struct watch_holder h;
        if ((!base || i == home) && w->source.holder(w->source.context, i, base + lock->address, &h) &&
            (!found || h.cycle > lock->taken.cycle)) {
            lock->taken = h;
            lock->holder_sm = i;
            found = true;
        }
    }
    if (!found)
        return;
    if (lock->taken.ended) {
        lock->holder = HOLDER_LANE_ENDED;
        return;
    }
    lock->holder_warp = w->nodes[lock->holder_sm * w->source.slots + lock->taken.slot];
    const struct waits_warp *holder = lock->holder_warp == WAITS_NOBODY ? NULL : &w->warps[lock->holder_warp];
    if (!holder || memcmp(holder->state.block, lock->taken.block, sizeof lock->taken.block) ||
        holder->state.index != lock->taken.warp) {
        lock->holder = HOLDER_WARP_ENDED;
        lock->holder_warp = WAITS_NOBODY;
    } else if (!mask_has(holder->state.live, lock->taken.lane)) {
        lock->holder = HOLDER_LANE_ENDED;
    } else {
        bool inactive = find_inactive(&holder->state, lock->taken.lane, &lock->holder_pc);
        lock->holder = inactive ? HOLDER_INACTIVE : HOLDER_ACTIVE;
    }
}

static bool is_lock(const struct waits_lock *l, const struct sm_warp_state *s, uint64_t address)
{
    return l->address == address && l->shared == s->last_sync_shared && l->cluster == s->last_sync_cluster &&
           (!(l->shared || l->cluster) || memcmp(l->block, s->block, sizeof l->block) == 0);
}

/* The lock at an address that lanes of a warp want; a new one is looked up. */
static uint32_t lock_at(struct waits *w, const struct waits_warp *node, const struct isa_instr *instr, uint64_t address)
{
    const struct sm_warp_state *s = &node->state;
    uint32_t place = (uint32_t)(hash_spread(address / 4) >> 32) & w->place_mask;
    while (w->places[place] && !is_lock(&w->locks[w->places[place] - 1], s, address))
        place = (place + 1) & w->place_mask;
    if (w->places[place])
        return w->places[place] - 1;
    struct waits_lock *lock = &w->locks[w->lock_count];
    *lock = (struct waits_lock){
        .address = address, .shared = s->last_sync_shared, .cluster = s->last_sync_cluster, .holder_warp = WAITS_NOBODY, .writer = WAITS_NOBODY};
    memcpy(lock->block, s->block, sizeof lock->block);
    lock->bytes = instr && isa_type_bits(instr->type) == 64 ? 8 : 4;
    lock->home = node->sm;
    lock->shared_base = s->shared_base;
    lock->readable = read_location(w, s, address, lock->bytes, &lock->value);
    if (lock->readable && !lock->cluster)
        find_holder(w, lock, lock->shared ? s->shared_base : 0, node->sm);
    w->places[place] = ++w->lock_count;
    return w->lock_count - 1;
}

/* True if the lane is past the lock that it asked for. A lane that has held the lock for long and still only
 * synchronises is taken to ask again. */
static bool is_past(const struct waits *w, const struct waits_lock *lock, const struct waits_warp *node, unsigned lane)
{
    bool its = lock->holder >= HOLDER_INACTIVE && lock->taken.lane == lane && lock->taken.warp == node->state.index &&
               memcmp(lock->taken.block, node->state.block, sizeof node->state.block) == 0;
    bool again = node->state.sync_ops > MANY_TRIES && w->source.now - lock->taken.cycle > w->source.recent;
    return its && !again;
}

/* A compare-and-swap or an exchange would take the lock now: it is free, and its last taker no longer holds it. */
static bool would_take(const struct waits_lock *lock, const struct waits_warp *node, const struct isa_instr *instr,
                       unsigned lane)
{
    uint64_t wanted;
    if (lock->readable && instr && instr->mods.atomic == ISA_ATOMIC_EXCH)
        return lock->value == 0;
    if (!lock->readable || !instr || instr->mods.atomic != ISA_ATOMIC_CAS || isa_atomic_parts(instr) > 1 || instr->src_count < 2 ||
        !read_operand(node->state.warp, &instr->src[1], lane, false, &wanted))
        return false;
    return (isa_type_bits(instr->type) == 64 ? wanted : (uint32_t)wanted) == lock->value;
}

static void claim(struct waits *w, struct waits_warp *node, const struct isa_instr *instr, uint64_t address,
                  unsigned lane)
{
    uint32_t index = lock_at(w, node, instr, address);
    struct waits_lock *lock = &w->locks[index];
    if (would_take(lock, node, instr, lane))
        lock->holder = HOLDER_FREE;
    if (is_past(w, lock, node, lane))
        return;
    struct waits_claim *c = node->claims;
    while (c < node->claims + node->claim_count && c->lock != index)
        c++;
    if (c == node->claims + node->claim_count) {
        *c = (struct waits_claim){.address = address, .lock = index};
        node->claim_count++;
        lock->warps++;
    }
    c->lanes |= BIT64(lane);
    lock->lanes++;
}

/* True if the registers still name what the warp last asked for; then they do so for every lane. */
static bool is_plain(const struct sm_warp_state *s, const struct isa_operand *operand)
{
    uint64_t address;
    for (uint64_t rest = operand ? s->live : 0; rest; rest &= rest - 1)
        if (read_operand(s->warp, operand, mask_first(rest), true, &address) && address == s->last_sync_address)
            return true;
    return false;
}

/* Finds the lock or flag that each executing lane wants. Where that cannot be read, all lanes are taken to want what
 * the lowest one wanted. */
static void find_claims(struct waits *w, struct waits_warp *node)
{
    const struct sm_warp_state *s = &node->state;
    const struct isa_instr *instr = sync_instr(s);
    const struct isa_operand *operand = instr && instr->src_count ? &instr->src[0] : NULL;
    bool plain = is_plain(s, operand);
    node->claims = ARENA_NEW(w->arena, struct waits_claim, mask_count(s->mask));
    for (uint64_t rest = s->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = s->last_sync_address;
        if (plain)
            read_operand(s->warp, operand, lane, true, &address);
        claim(w, node, instr, address, lane);
    }
}

static void find_warps(struct waits *w)
{
    const struct waits_source *source = &w->source;
    w->warps = ARENA_NEW(w->arena, struct waits_warp, source->units * source->slots);
    w->nodes = ARENA_NEW(w->arena, uint32_t, source->units * source->slots);
    for (unsigned i = 0; i < source->units; i++) {
        for (unsigned slot = 0; slot < source->slots; slot++) {
            struct waits_warp *node = &w->warps[w->warp_count];
            *node = (struct waits_warp){.sm = i, .slot = slot};
            source->state(source->context, i, slot, &node->state);
            bool unfinished = node->state.resident && !node->state.finished;
            w->nodes[i * source->slots + slot] = unfinished ? w->warp_count++ : WAITS_NOBODY;
        }
    }
}

/* The first warp of an SM that is after those from `from` on, which are all of one SM; *issue: whether any of them has
 * issued since the last work. */
static uint32_t end_of_sm(const struct waits *w, uint32_t from, bool *issue)
{
    uint32_t end = from;
    *issue = false;
    for (; end < w->warp_count && w->warps[end].sm == w->warps[from].sm; end++)
        *issue |= w->warps[end].state.issued > 0;
    return end;
}

const struct waits_words *waits_words(enum waits_kind kind)
{
    static const struct waits_words words[] = {
#define KIND(name, label, words) {label, words},
#include "gpu/waits_kinds.def"
#undef KIND
    };
    return &words[kind];
}

/* The kind of each reason to wait. */
static const uint8_t kinds[] = {
#define WAIT(name, cause, ender, kind, doc) WAITS_##kind,
#include "warp/waits.def"
#undef WAIT
};

bool waits_for(const struct sm_warp_state *s, enum waits_kind kind)
{
    for (uint32_t rest = s->waits; rest; rest &= rest - 1)
        if (kinds[mask_first(rest)] == kind)
            return true;
    return false;
}

bool waits_in_cluster(const struct sm_warp_state *s, const struct sm_warp_state *other)
{
    const struct simt_grid *grid = s->warp->block->grid;
    return simt_cluster_of(grid, s->block) == simt_cluster_of(grid, other->block);
}

bool waits_awaits(const struct sm_warp_state *s, const struct sm_warp_state *other)
{
    if (s->barrier == SM_CLUSTER_BARRIER)
        return waits_in_cluster(s, other) && s->missing >> other->warp->block->rank & 1 &&
               !waits_at_barrier(other, SM_CLUSTER_BARRIER);
    bool same = s->barrier == SM_GRID_BARRIER || memcmp(s->block, other->block, sizeof s->block) == 0;
    return same && !waits_at_barrier(other, s->barrier);
}

/* The kind follows from what the warp waits for; between RUNS and LOCK its last accesses decide. */
static enum waits_kind kind_of(const struct sm_warp_state *s, bool others_issue)
{
    enum waits_kind kind = WAITS_RUNS;
    for (uint32_t rest = s->waits; rest; rest &= rest - 1)
        kind = kinds[mask_first(rest)] > kind ? kinds[mask_first(rest)] : kind;
    if (kind > WAITS_LOCK)
        return kind;
    if (!s->issued && kind == WAITS_RUNS && (others_issue || !s->in_flight))
        return s->needs_access ? WAITS_KEPT : WAITS_STARVED;
    return s->sync_ops ? WAITS_LOCK : kind;
}

static void find_kinds(struct waits *w)
{
    bool issue;
    for (uint32_t i = 0, end; i < w->warp_count; i = end) {
        end = end_of_sm(w, i, &issue);
        for (uint32_t k = i; k < end; k++)
            w->warps[k].kind = kind_of(&w->warps[k].state, issue);
    }
}

/* True if the lock's holder will give it back: it takes the lock again and again. */
static bool is_passing(const struct waits *w, const struct waits_lock *lock)
{
    return lock->holder >= HOLDER_INACTIVE && w->warps[lock->holder_warp].state.takes > WAITS_MANY_TAKES &&
           w->source.now - lock->taken.cycle < w->source.recent;
}

/* The next warp that node waits for, from edge *at on; NULL when there is none. *claim: by which claim. */
static struct waits_warp *next_edge(const struct waits *w, const struct waits_warp *node, uint32_t *at, uint32_t *claim)
{
    if (node->kind == WAITS_LOCK) {
        while (*at < node->claim_count) {
            const struct waits_lock *lock = &w->locks[node->claims[*at].lock];
            *claim = (*at)++;
            if (lock->holder >= HOLDER_INACTIVE && !is_passing(w, lock))
                return &w->warps[lock->holder_warp];
        }
    } else if (node->kind == WAITS_BARRIER) {
        *claim = WAITS_NOBODY;
        while (*at < w->warp_count) {
            struct waits_warp *other = &w->warps[(*at)++];
            if (waits_awaits(&node->state, &other->state))
                return other;
        }
    }
    return NULL;
}

/* The steps of the walk from `first` on lead back to it. */
static void note_circle(struct waits *w, const uint32_t *path, uint32_t first, uint32_t depth, const uint32_t *claims)
{
    for (uint32_t i = first; i < depth; i++)
        if (w->warps[path[i]].circle)
            return;
    w->circle_count++;
    for (uint32_t i = first; i < depth; i++) {
        struct waits_warp *node = &w->warps[path[i]];
        node->circle = w->circle_count;
        node->next = path[i + 1 < depth ? i + 1 : first];
        node->next_claim = claims[i];
    }
}

/* Walks everywhere once, depth first; an edge to a warp on the present path closes a circle. */
static void find_circles(struct waits *w)
{
    enum { NEW, ON_PATH, DONE };
    uint32_t n = w->warp_count;
    uint8_t *color = ARENA_NEW(w->arena, uint8_t, n + 1);
    uint32_t *path = ARENA_NEW(w->arena, uint32_t, n + 1), *at = ARENA_NEW(w->arena, uint32_t, n + 1),
             *claims = ARENA_NEW(w->arena, uint32_t, n + 1);
    for (uint32_t start = 0; start < n; start++) {
        uint32_t depth = 0;
        if (color[start] == NEW) {
            path[depth] = start;
            at[depth++] = 0;
            color[start] = ON_PATH;
        }
        while (depth > 0) {
            uint32_t top = depth - 1;
            struct waits_warp *other = next_edge(w, &w->warps[path[top]], &at[top], &claims[top]);
            uint32_t to = other ? (uint32_t)(other - w->warps) : 0;
            if (!other) {
                color[path[--depth]] = DONE;
            } else if (color[to] == NEW) {
                color[to] = ON_PATH;
                path[depth] = to;
                at[depth++] = 0;
            } else if (color[to] == ON_PATH) {
                uint32_t first = top;
                while (path[first] != to)
                    first--;
                note_circle(w, path, first, depth, claims);
            }
        }
    }
}

static void allocate_locks(struct waits *w)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->warp_count; i++)
        lanes += mask_count(w->warps[i].state.mask);
    w->locks = ARENA_NEW(w->arena, struct waits_lock, lanes + 1);
    w->place_mask = 63;
    while (w->place_mask < 2 * lanes)
        w->place_mask = 2 * w->place_mask + 1;
    w->places = ARENA_NEW(w->arena, uint32_t, w->place_mask + 1);
}

static void state_in_sm(void *gpu, unsigned unit, unsigned slot, struct sm_warp_state *state)
{
    sm_warp_state(((struct gpu *)gpu)->sms[unit], slot, state);
}

static bool holder_in_sm(void *gpu, unsigned unit, uint64_t address, struct watch_holder *holder)
{
    return sm_find_holder(((struct gpu *)gpu)->sms[unit], address, holder);
}

struct waits_source waits_of_sms(struct gpu *gpu)
{
    const struct machine *m = &gpu->machine;
    return (struct waits_source){gpu,         m->gpu.sms,   m->sm.warps, true,
                                 state_in_sm, holder_in_sm, gpu->cycle,  m->gpu.watch_cycles / 2};
}

void waits_find(struct waits *w, struct gpu *gpu, const struct waits_source *source, struct arena *arena)
{
    *w = (struct waits){.gpu = gpu, .arena = arena, .source = *source, .noted_since = CYCLE_NEVER};
    find_warps(w);
    find_kinds(w);
    allocate_locks(w);
    for (uint32_t i = 0; i < w->warp_count; i++) {
        if (w->warps[i].kind != WAITS_LOCK)
            continue;
        find_claims(w, &w->warps[i]);
        if (!w->warps[i].claim_count)
            w->warps[i].kind = WAITS_RUNS; /* all its lanes hold what they asked for */
    }
    find_circles(w);
}

void waits_count_blocks(struct waits *w, uint64_t blocks, uint64_t begun)
{
    w->blocks = blocks;
    w->begun = begun;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        bool first = true; /* warps of a block are near each other: those of one unit */
        for (uint32_t k = i; first && k-- > 0 && w->warps[k].sm == w->warps[i].sm;)
            first = memcmp(w->warps[k].state.block, w->warps[i].state.block, sizeof w->warps[i].state.block) != 0;
        w->running += first;
    }
}

static void find_writer(const struct waits *w, struct waits_lock *lock)
{
    lock->wrote = SM_WROTE_NOTHING;
    for (unsigned i = 0; i < w->source.units; i++) {
        unsigned slot = 0;
        if (lock->shared && i != lock->home)
            continue;
        enum sm_wrote wrote = sm_find_writer(w->gpu->sms[i], (lock->shared ? lock->shared_base : 0) + lock->address,
                                             lock->bytes, lock->value, &slot);
        if (wrote == SM_WROTE_NOTHING)
            continue;
        bool one = wrote == SM_WROTE_VALUE && lock->wrote == SM_WROTE_NOTHING;
        lock->wrote = one ? SM_WROTE_VALUE : SM_WROTE_PERHAPS;
        lock->writer = one ? w->nodes[i * w->source.slots + slot] : WAITS_NOBODY;
    }
}

void waits_find_writers(struct waits *w, uint64_t since)
{
    w->noted_since = since;
    for (uint32_t i = 0; i < w->lock_count; i++) {
        w->locks[i].wrote = SM_WROTE_PERHAPS;
        if (since != CYCLE_NEVER && w->source.timed && w->locks[i].readable)
            find_writer(w, &w->locks[i]);
    }
}

bool waits_starving(const struct waits *w)
{
    for (uint32_t i = 0; i < w->warp_count; i++)
        if (w->warps[i].kind == WAITS_STARVED || w->warps[i].kind == WAITS_KEPT)
            return true;
    return false;
}

/* True if everything that the warp's lanes want is held. A flag that no warp sets may wait for a warp that starves. */
static bool all_held(const struct waits *w, const struct waits_warp *node, bool starving)
{
    for (uint32_t k = 0; k < node->claim_count; k++) {
        enum waits_holder holder = w->locks[node->claims[k].lock].holder;
        if (holder == HOLDER_FREE || is_passing(w, &w->locks[node->claims[k].lock]) ||
            (holder == HOLDER_UNKNOWN && !starving))
            return false;
    }
    return true;
}

bool waits_closed(const struct waits *w)
{
    bool starving = waits_starving(w);
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct waits_warp *node = &w->warps[i];
        bool may_go_on = node->kind == WAITS_RUNS || node->kind == WAITS_FENCE || node->kind == WAITS_SLEEP;
        if (may_go_on || !all_held(w, node, starving))
            return false;
    }
    return true;
}

bool waits_closed_now(struct gpu *gpu, const struct waits_source *source)
{
    struct arena arena = {0};
    struct waits waits;
    waits_find(&waits, gpu, source, &arena);
    bool closed = waits_closed(&waits);
    arena_free(&arena);
    return closed;
}

void waits_pos(const struct isa_module *code, uint32_t pc, struct strbuf *out)
{
    if (pc >= code->instr_count)
        strbuf_add(out, "the end of the kernel");
    else
        isa_format_pos(code, &code->instrs[pc], out);
}
