/* The table of paths whose lanes wait for each other at reconvergence points: see splits.h. */
#include "simt/splits.h"

#include "base/bits.h"

/* The mark of the innermost call of lanes that have path i, or NO_PATH. */
static uint32_t mark_below(const struct simt_paths *paths, uint32_t i, uint64_t mask)
{
    do
        i = simt_below(paths, i, mask);
    while (i != SIMT_NO_PATH && paths->table[i].kind != SIMT_MARK);
    return i;
}

struct simt_path *simt_splits_turn(const struct simt_paths *paths)
{
    struct simt_path *p = paths->table;
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].kind == SIMT_TURN)
            p = &paths->table[i];
    return p;
}

void simt_let_go(struct simt_paths *paths, uint64_t slow, uint32_t least)
{
    uint64_t higher = 0; /* lanes of the paths behind i, where they stand now */
    for (uint32_t i = paths->count; i-- > 0;) {
        struct simt_path p = paths->table[i];
        uint64_t standing = p.mask & ~higher;
        higher |= p.mask;
        if (p.kind != SIMT_RECONVERGENCE || !standing || !(p.mask & slow) || p.spent < least)
            continue;
        paths->table[i].mask &= ~standing;
        if (p.pc == p.until) { /* the reconvergence point below is there too: they stand at that */
            higher &= ~standing;
            continue;
        }
        p.mask = standing;
        p.kind = SIMT_READY;
        p.spent = 0;
        simt_paths_push(paths, p);
    }
}

struct simt_completed simt_complete(struct simt_paths *paths)
{
    struct simt_completed done = {.first = SIMT_NO_PATH};
    uint64_t higher = 0;
    for (uint32_t i = paths->count; i-- > 0;) {
        struct simt_path *p = &paths->table[i];
        bool completes = p->kind == SIMT_RECONVERGENCE && p->mask && !(p->mask & higher);
        if (completes)
            p->kind = SIMT_READY;
        if (p->mask && simt_is_split(p) && p->pc == p->until) {
            paths->model->came(&paths->table[simt_below(paths, i, p->mask)], p);
            p->mask = 0;
        }
        if (completes && p->mask) {
            done.first = i;
            done.lanes |= p->mask;
        }
        done.has_turn |= p->mask && p->kind == SIMT_TURN;
        higher |= p->mask;
    }
    return done;
}

void simt_leave_out_empty(struct simt_paths *paths)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].mask)
            paths->table[count++] = paths->table[i];
    paths->count = count;
}

/* True if the splits a and b are in one frame after the same calls, so that their lanes may go on together. */
static bool same_calls(const struct simt_paths *paths, uint32_t a, uint32_t b)
{
    const struct simt_path *table = paths->table;
    uint64_t lanes_a = table[a].mask, lanes_b = table[b].mask;
    for (;;) {
        const struct simt_frame *f = &table[a].frame, *g = &table[b].frame;
        if (table[a].pc != table[b].pc || f->function != g->function || f->reg_base != g->reg_base ||
            f->pred_base != g->pred_base || f->local_base != g->local_base)
            return false;
        a = mark_below(paths, a, lanes_a);
        b = mark_below(paths, b, lanes_b);
        if (a == b)
            return true;
        if (a == SIMT_NO_PATH || b == SIMT_NO_PATH)
            return false;
        a = simt_below(paths, a, lanes_a); /* where the call returns */
        b = simt_below(paths, b, lanes_b);
    }
}

/* The lanes of split `from` leave their stack for that of split `to`: both stand at one place after the same calls. */
static void adopt(struct simt_paths *paths, uint32_t to, uint32_t from)
{
    uint64_t lanes = paths->table[from].mask, of_stack = paths->table[to].mask;
    if (paths->table[to].spent < paths->table[from].spent)
        paths->table[to].spent = paths->table[from].spent;
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (i <= to && (p->mask & of_stack))
            p->mask |= lanes;
        else
            p->mask &= ~lanes;
    }
}

/* Split b joins a, which has the turn. The stack of that whose lowest reconvergence point has more lanes is kept: more
 * of them have still to come there. */
static void join(struct simt_paths *paths, uint32_t a, uint32_t b)
{
    uint32_t under_a = simt_below(paths, a, paths->table[a].mask), under_b = simt_below(paths, b, paths->table[b].mask);
    unsigned lanes_a = under_a == SIMT_NO_PATH ? 0 : mask_count(paths->table[under_a].mask);
    unsigned lanes_b = under_b == SIMT_NO_PATH ? 0 : mask_count(paths->table[under_b].mask);
    uint32_t to = lanes_a >= lanes_b ? a : b, key = paths->table[a].key;
    adopt(paths, to, to == a ? b : a);
    paths->table[to].kind = SIMT_TURN;
    paths->table[to].key = key;
    paths->table[to].what = 0;
}

void simt_join_ready(struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        uint32_t now = simt_number_of_now(paths);
        if (paths->table[i].kind != SIMT_READY || paths->table[i].pc != paths->now->pc || !same_calls(paths, i, now))
            continue;
        join(paths, now, i);
        paths->model->arrive(paths);
        i = UINT32_MAX; /* from the beginning: paths have moved */
    }
}

void simt_put_behind(struct simt_paths *paths, uint8_t kind)
{
    struct simt_path p = *paths->now;
    for (uint32_t i = simt_number_of_now(paths); i + 1 < paths->count; i++)
        paths->table[i] = paths->table[i + 1];
    p.kind = kind;
    paths->table[paths->count - 1] = p;
    uint32_t next = simt_first_ready(paths);
    paths->table[next].kind = SIMT_TURN;
    paths->now = &paths->table[next];
}

void simt_take_turns(struct simt_paths *paths, void (*join_ready)(struct simt_paths *paths))
{
    if (simt_first_ready(paths) == SIMT_NO_PATH)
        return;
    join_ready(paths);
    if (simt_first_ready(paths) != SIMT_NO_PATH)
        simt_put_behind(paths, SIMT_READY);
}

struct simt_answered simt_answered(const struct simt_paths *paths, const struct simt_answer *a)
{
    struct simt_answered to = {.got = a->got & paths->now->mask, .all = ISA_PC_NONE};
    to.over = a->over & paths->now->mask & ~to.got;
    to.again = paths->now->mask & ~to.got & ~to.over;
    if (!to.again && (!to.got || !to.over || a->target == a->next))
        to.all = to.got ? a->next : a->target;
    return to;
}

struct simt_path simt_part(struct simt_paths *paths, uint32_t reconverge)
{
    struct simt_path group = *paths->now;
    group.kind = SIMT_READY;
    if (group.until == reconverge || reconverge == ISA_PC_NONE) {
        paths->now->mask = 0;
    } else {
        paths->now->kind = SIMT_RECONVERGENCE;
        paths->now->pc = reconverge;
        group.until = reconverge;
    }
    return group;
}

bool simt_push_split(struct simt_paths *paths, const struct simt_path *from, uint64_t mask, uint32_t pc)
{
    if (!mask || pc == from->until)
        return false;
    struct simt_path split = *from;
    split.mask = mask;
    split.pc = pc;
    simt_paths_push(paths, split);
    return true;
}

void simt_parted(struct simt_paths *paths)
{
    struct simt_path *last = &paths->table[paths->count - 1];
    if (last->kind == SIMT_READY)
        last->kind = SIMT_TURN;
    paths->model->arrive(paths);
}

unsigned simt_groups(const struct simt_paths *paths, const uint32_t *next, uint64_t groups[64])
{
    unsigned count = 0;
    for (uint64_t rest = paths->now->mask; rest; rest &= ~groups[count++])
        groups[count] = simt_lanes_going_to(next, next[mask_first(rest)], rest);
    return count;
}

void simt_splits_advance_some(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    uint64_t others = paths->now->mask & ~mask;
    uint32_t here = paths->now->pc;
    if (!others) {
        simt_advance(paths, next);
        return;
    }
    struct simt_path group = simt_part(paths, next);
    simt_push_split(paths, &group, others, here);
    simt_parted(paths);
}

void simt_splits_call(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next,
                      const struct simt_frame *frame)
{
    uint64_t others = paths->now->mask & ~mask;
    struct simt_path returns = *paths->now;
    if (others) {
        uint32_t here = paths->now->pc;
        returns = simt_part(paths, next);
        simt_push_split(paths, &returns, others, here);
    } else {
        paths->now->mask = 0;
    }
    returns.mask = mask;
    returns.pc = next;
    returns.kind = SIMT_RECONVERGENCE;
    simt_paths_push(paths, returns);
    struct simt_path callee = {.pc = ISA_PC_NONE,
                               .until = ISA_PC_NONE,
                               .mask = mask,
                               .kind = SIMT_MARK,
                               .spent = returns.spent,
                               .frame = *frame};
    simt_paths_push(paths, callee);
    callee.pc = entry;
    callee.kind = SIMT_TURN;
    simt_paths_push(paths, callee);
    paths->model->arrive(paths);
}

void simt_splits_return(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    uint32_t mark = mark_below(paths, simt_number_of_now(paths), mask);
    struct simt_path split = *paths->now;
    paths->now->pc = next;
    for (uint32_t i = mark; i < paths->count; i++)
        paths->table[i].mask &= ~mask;
    paths->model->came(&paths->table[simt_below(paths, mark, mask)], &split);
    paths->model->arrive(paths);
}

void simt_add_passes(struct simt_path *split, unsigned passes)
{
    unsigned sum = split->spent + passes;
    split->spent = (uint16_t)(sum < SIMT_MOST_PASSES ? sum : SIMT_MOST_PASSES);
}

void simt_inherit_passes(struct simt_path *point, const struct simt_path *split)
{
    if (point->spent < split->spent)
        point->spent = split->spent;
}

uint64_t simt_lanes_for_named(const struct simt_paths *paths)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        lanes |= simt_waits_for_named(&paths->table[i]) ? paths->table[i].mask : 0;
    return lanes;
}

static void stop_waiting(struct simt_path *p)
{
    p->kind = SIMT_READY;
    p->key = 0;
    p->what = 0;
}

void simt_look_again(struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (simt_waits_for_named(p))
            stop_waiting(p);
    }
}

void simt_splits_end(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    paths->now->pc = next;
    for (uint32_t i = 0; i < paths->count; i++)
        paths->table[i].mask &= ~mask;
    simt_look_again(paths);
    paths->model->arrive(paths);
}

void simt_splits_ask(struct simt_paths *paths, uint64_t mask)
{
    contract(mask == paths->now->mask);
}

uint64_t simt_splits_give(struct simt_paths *paths, uint64_t given, uint32_t next)
{
    (void)given;
    simt_advance(paths, next);
    return 0;
}

void simt_splits_part(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    uint64_t others = paths->now->mask & ~mask;
    uint32_t here = paths->now->pc;
    struct simt_path from = simt_part(paths, ISA_PC_NONE);
    simt_push_split(paths, &from, mask, next);
    simt_push_split(paths, &from, others, here);
    simt_parted(paths);
}

static bool awaits(const struct simt_path *p, const struct simt_awaited *a)
{
    return p->kind == SIMT_WAITS_ONE + a->how && p->key == a->key && p->what == a->what;
}

/* The splits that wait for the same as the one that has the turn join it if they stand at its place. */
static void join_waiting(struct simt_paths *paths, const struct simt_awaited *awaited)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct simt_path *p = &paths->table[i];
        uint32_t now = simt_number_of_now(paths);
        if (!awaits(p, awaited) || p->pc != paths->now->pc || !same_calls(paths, i, now))
            continue;
        join(paths, now, i);
        paths->model->arrive(paths);
        i = UINT32_MAX;
    }
}

/* The splits that wait for the same at other places. Returns their lanes. */
static uint64_t find_met(const struct simt_paths *paths, const struct simt_awaited *awaited, struct simt_met *met)
{
    uint64_t lanes = 0;
    met->count = 0;
    for (uint32_t i = 0; i < paths->count && awaited->how != SIMT_GATHER_ONE; i++)
        if (awaits(&paths->table[i], awaited)) {
            lanes |= paths->table[i].mask;
            met->at[met->count++] = paths->table[i];
        }
    return lanes;
}

/* They go on behind their instructions. */
static void let_pass(struct simt_paths *paths, const struct simt_awaited *awaited)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        struct simt_path *p = &paths->table[i];
        if (!awaits(p, awaited))
            continue;
        stop_waiting(p);
        p->pc++;
    }
    paths->model->arrive(paths);
}

/* The lanes `some` of the turn go on alone. The others are ready where they are, and meet them behind the instruction.
 */
static void set_apart(struct simt_paths *paths, uint64_t some)
{
    uint64_t others = paths->now->mask & ~some;
    uint32_t here = paths->now->pc;
    if (!others)
        return;
    struct simt_path group = simt_part(paths, here + 1);
    simt_push_split(paths, &group, others, here);
    simt_push_split(paths, &group, some, here);
    simt_parted(paths);
}

enum simt_gathered simt_splits_gather(struct simt_paths *paths, uint64_t some, const struct simt_awaited *awaited,
                                      struct simt_met *met)
{
    set_apart(paths, some);
    join_waiting(paths, awaited);
    if (!(awaited->named & ~(paths->now->mask | find_met(paths, awaited, met)))) {
        if (met->count)
            let_pass(paths, awaited);
        return SIMT_GATHERED;
    }
    if (simt_first_ready(paths) == SIMT_NO_PATH) {
        uint32_t now = simt_number_of_now(paths);
        simt_let_go(paths, ~UINT64_C(0), 0);
        paths->now = &paths->table[now];
        paths->model->arrive(paths);
    }
    if (simt_first_ready(paths) == SIMT_NO_PATH)
        return SIMT_GATHER_NOBODY;
    paths->now->key = awaited->key;
    paths->now->what = awaited->what;
    simt_put_behind(paths, (uint8_t)(SIMT_WAITS_ONE + awaited->how));
    return SIMT_GATHER_WAITS;
}

const struct simt_path *simt_splits_caller(const struct simt_paths *paths)
{
    uint64_t mask = paths->now->mask;
    uint32_t mark = mark_below(paths, simt_number_of_now(paths), mask);
    return mark == SIMT_NO_PATH ? NULL : &paths->table[simt_below(paths, mark, mask)];
}

uint64_t simt_splits_able(const struct simt_paths *paths, uint32_t first, uint32_t last)
{
    uint64_t able = 0;
    for (struct simt_walk walk = simt_walk(paths); simt_walk_next(&walk);)
        if (!simt_waits_for_named(walk.path) && (walk.path->pc < first || walk.path->pc > last))
            able |= walk.lanes;
    return able;
}

bool simt_splits_hold(const struct simt_paths *paths, bool looks_ahead)
{
    unsigned turns = 0;
    uint64_t higher = 0;
    for (uint32_t i = paths->count; i-- > 0;) {
        const struct simt_path *p = &paths->table[i];
        uint32_t under = simt_below(paths, i, p->mask);
        const struct simt_path *u = under == SIMT_NO_PATH ? NULL : &paths->table[under];
        bool goes_there =
            p->kind == SIMT_MARK ? u && u->kind == SIMT_RECONVERGENCE : p->until == (u ? u->pc : ISA_PC_NONE);
        goes_there |= looks_ahead && p->kind == SIMT_TURN && (!u || u->kind == SIMT_MARK);
        if (p->what && !simt_waits_for_named(p))
            return false;
        if (!p->mask || (u && (simt_is_split(u) || (p->mask & ~u->mask))) || !goes_there)
            return false;
        if (simt_is_split(p) != !(p->mask & higher) ||
            (simt_is_split(p) && (p->pc == p->until || p->pc == ISA_PC_NONE)))
            return false;
        turns += p->kind == SIMT_TURN;
        higher |= p->mask;
    }
    return turns == (paths->count != 0);
}
