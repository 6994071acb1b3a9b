/* Divergence models: the recursion of the thesis, the order of groups, and random programs (structured,
 * unstructured, with calls, recursion, early returns and exits) in which every lane must execute exactly what it would
 * execute alone, and lanes that part must meet again at the branch's post-dominator, found here by its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"
#include "effort.h"
#include "lowest_pc.h"
#include "simt/divergence.h"

enum kind { NOP, BRA, BRX, CALL, SPLIT, RET, EXIT };

#define FUNCTIONS 3
#define BODY 60 /* instructions of a function at most */
#define MOST (FUNCTIONS * (BODY + 2))
#define LANES_MOST 64
#define LANE_STEPS 400
#define POINTS 64
#define DEPTH_MOST 12

struct instr {
    uint8_t kind;
    bool guarded;
    uint32_t target[3];
    uint32_t reconverge;
    uint32_t function;
};

struct program {
    struct instr code[MOST];
    uint32_t count, first[FUNCTIONS], length[FUNCTIONS];
    uint64_t seed, drawn;
};

static uint32_t draw(struct program *p, uint32_t below)
{
    return (uint32_t)(random_at(p->seed, p->drawn++) >> 20) % below;
}

/* ---- random programs ---- */

static struct instr *emit(struct program *p, enum kind kind, bool guarded, uint32_t target)
{
    struct instr *i = &p->code[p->count++];
    *i = (struct instr){.kind = (uint8_t)kind, .guarded = guarded, .target = {target, target, target}};
    return i;
}

static void emit_plain(struct program *p)
{
    uint32_t kind = draw(p, 10);
    if (kind == 0)
        emit(p, CALL, true, 0)->target[0] = draw(p, FUNCTIONS - 1);
    else if (kind == 1)
        emit(p, SPLIT, true, 0);
    else if (kind == 2 && draw(p, 3) == 0)
        emit(p, draw(p, 2) ? RET : EXIT, true, 0);
    else
        emit(p, NOP, false, 0);
}

static void emit_structured(struct program *p, uint32_t limit, unsigned nest, uint32_t loop_head, uint32_t *breaks,
                            uint32_t *break_count);

static void emit_if(struct program *p, uint32_t limit, unsigned nest, uint32_t loop_head, uint32_t *breaks,
                    uint32_t *break_count)
{
    struct instr *test = emit(p, BRA, true, 0), *skip = NULL;
    emit_structured(p, limit, nest + 1, loop_head, breaks, break_count);
    if (draw(p, 2)) {
        skip = emit(p, BRA, false, 0);
        test->target[0] = p->count;
        emit_structured(p, limit, nest + 1, loop_head, breaks, break_count);
        skip->target[0] = p->count;
    } else {
        test->target[0] = p->count;
    }
}

static void emit_loop(struct program *p, uint32_t limit, unsigned nest)
{
    uint32_t breaks[BODY], count = 0, head = p->count;
    emit(p, NOP, false, 0);
    emit_structured(p, limit, nest + 1, head, breaks, &count);
    emit(p, BRA, true, head);
    for (uint32_t k = 0; k < count; k++)
        p->code[breaks[k]].target[0] = p->count;
}

/* Statements until limit is near: if, if-else, do-while with break and continue, plain ones. */
static void emit_structured(struct program *p, uint32_t limit, unsigned nest, uint32_t loop_head, uint32_t *breaks,
                            uint32_t *break_count)
{
    for (uint32_t n = 1 + draw(p, 4); n && p->count + 10 < limit; n--) {
        uint32_t kind = draw(p, nest < 4 ? 8 : 4);
        if (kind == 0 && loop_head != UINT32_MAX) {
            breaks[(*break_count)++] = p->count;
            emit(p, BRA, true, 0);
        } else if (kind == 1 && loop_head != UINT32_MAX) {
            emit(p, BRA, true, loop_head);
        } else if (kind < 5) {
            emit_plain(p);
        } else if (kind < 7) {
            emit_if(p, limit, nest, loop_head, breaks, break_count);
        } else {
            emit_loop(p, limit, nest);
        }
    }
}

static void emit_unstructured(struct program *p, uint32_t n)
{
    uint32_t first = p->count;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = draw(p, 10), target = first + draw(p, n + 1);
        if (kind < 3)
            emit(p, BRA, draw(p, 8) != 0, target);
        else if (kind == 3)
            *emit(p, BRX, draw(p, 2), 0) =
                (struct instr){BRX, draw(p, 2), {target, first + draw(p, n + 1), first + draw(p, n + 1)}, 0, 0};
        else
            emit_plain(p);
    }
}

static void make_program(struct program *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->seed = seed;
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        p->first[f] = p->count;
        if (draw(p, 2))
            emit_unstructured(p, 1 + draw(p, 24));
        else
            emit_structured(p, p->count + BODY, 0, UINT32_MAX, NULL, NULL);
        emit(p, f == 0 ? EXIT : RET, false, 0);
        p->length[f] = p->count - p->first[f];
        for (uint32_t i = p->first[f]; i < p->count; i++) {
            p->code[i].function = f;
            if (f == 0 && p->code[i].kind == RET)
                p->code[i].kind = EXIT; /* as in a kernel */
        }
    }
}

/* ---- post-dominators by their definition as a greatest fixed point ---- */

static uint32_t followers(const struct program *p, uint32_t i, uint32_t *next)
{
    const struct instr *instr = &p->code[i];
    uint32_t n = 0;
    if (instr->kind == BRA || instr->kind == BRX)
        for (uint32_t t = 0; t < (instr->kind == BRA ? 1 : 3); t++)
            next[n++] = instr->target[t];
    if ((instr->kind != BRA && instr->kind != BRX && instr->kind != RET && instr->kind != EXIT) || instr->guarded)
        next[n++] = i + 1;
    return n;
}

static void set_reconvergence(struct program *p, uint32_t f)
{
    uint32_t first = p->first[f], n = p->length[f], next[4];
    uint64_t pdom[BODY + 2];
    for (uint32_t i = 0; i < n; i++)
        pdom[i] = ~UINT64_C(0);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            uint32_t count = followers(p, first + i, next);
            bool leaves = p->code[first + i].kind == RET || p->code[first + i].kind == EXIT;
            uint64_t now = leaves ? 0 : ~UINT64_C(0);
            for (uint32_t k = 0; k < count; k++)
                now &= pdom[next[k] - first];
            now |= BIT64(i);
            changed = changed || now != pdom[i];
            pdom[i] = now;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *reconverge = &p->code[first + i].reconverge;
        *reconverge = ISA_PC_NONE;
        if (pdom[i] == ~UINT64_C(0)) /* never leaves */
            continue;
        for (uint64_t rest = pdom[i] & ~BIT64(i); rest; rest &= rest - 1)
            if (mask_count(pdom[mask_first(rest)]) + 1 == mask_count(pdom[i]))
                *reconverge = first + mask_first(rest);
    }
}

/* ---- one lane alone ---- */

struct lane {
    uint32_t pc[LANE_STEPS]; /* what it executes */
    uint32_t depth_at[LANE_STEPS];
    uint32_t count;
    bool ended;                /* exits within LANE_STEPS */
    uint32_t next, depth;      /* while the stack runs: steps done, call depth */
    uint32_t came[LANE_STEPS]; /* 1 + step of the stack at which it was on top there, perhaps to wait its turn */
};

/* What lane decides at its step: a number; towards the end of its time it leaves where it can. */
static uint32_t decide(const struct program *p, unsigned lane, uint32_t step, uint32_t below)
{
    return (uint32_t)(random_at(p->seed ^ 0x5bd1e995, (uint64_t)lane << 32 | step) >> 16) % below;
}

static bool guard_true(const struct program *p, unsigned lane, uint32_t step, uint32_t pc, uint32_t depth)
{
    const struct instr *i = &p->code[pc];
    if (!i->guarded)
        return true;
    if (i->kind == CALL && (depth >= DEPTH_MOST || step > LANE_STEPS / 2))
        return false;
    if ((i->kind == EXIT || i->kind == RET) && step > LANE_STEPS / 2)
        return true;
    if (i->kind == BRA && i->target[0] <= pc && step > LANE_STEPS / 2)
        return false;
    return decide(p, lane, step, i->kind == EXIT || i->kind == RET ? 6 : 2) == 0;
}

/* Also the callee of an indirect call: each lane may call another function. */
static uint32_t chosen(const struct program *p, unsigned lane, uint32_t step, uint32_t pc)
{
    const struct instr *i = &p->code[pc];
    if (i->kind == CALL)
        return p->first[1 + (i->target[0] ? decide(p, lane, step + 1000, FUNCTIONS - 1) : 0)];
    return i->target[i->kind == BRX ? decide(p, lane, step + 1000, 3) : 0];
}

static void run_alone(const struct program *p, unsigned lane, struct lane *l)
{
    uint32_t back[DEPTH_MOST + 1], depth = 0, pc = 0;
    memset(l, 0, sizeof *l);
    while (l->count < LANE_STEPS && !l->ended) {
        uint32_t step = l->count++;
        l->pc[step] = pc;
        l->depth_at[step] = depth;
        const struct instr *i = &p->code[pc];
        bool on = guard_true(p, lane, step, pc, depth);
        if (on && (i->kind == BRA || i->kind == BRX)) {
            pc = chosen(p, lane, step, pc);
        } else if (on && i->kind == CALL) {
            back[depth++] = pc + 1;
            pc = chosen(p, lane, step, pc);
        } else if (on && i->kind == RET) {
            pc = back[--depth];
        } else if (on && i->kind == EXIT) {
            l->ended = true;
        } else {
            pc++;
        }
    }
}

/* ---- the same lanes as a warp ---- */

struct point {
    uint64_t lanes;
    uint32_t pc, after, depth;
};

struct warp {
    const struct program *p;
    struct lane lanes[LANES_MOST];
    struct simt_paths paths;
    uint32_t steps;
    struct point points[POINTS];
    uint32_t point_count;
    bool cut;   /* a lane came to the end of its recorded steps */
    bool polls; /* branches back are polls, and lanes sleep */
};

/* Notes that the lanes executed pc; each must be where it would be alone, in a frame of its depth. */
static void note(struct warp *w, uint64_t mask, uint32_t pc, uint32_t depth)
{
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        struct lane *l = &w->lanes[mask_first(rest)];
        if (l->next == l->count) {
            assert_false(l->ended);
            w->cut = true;
            continue;
        }
        if (l->pc[l->next] != pc || l->depth_at[l->next] != depth)
            fail_msg("seed %d: lane %u runs %u at depth %u, alone %u at %u", (int)w->p->seed, mask_first(rest), pc,
                     depth, l->pc[l->next], l->depth_at[l->next]);
        l->next++;
    }
}

static void expect_point(struct warp *w, uint64_t lanes, uint32_t pc, uint32_t depth)
{
    if (pc != ISA_PC_NONE && w->point_count < POINTS)
        w->points[w->point_count++] = (struct point){lanes, pc, w->steps, depth};
}

static uint64_t lanes_on(const struct warp *w, uint64_t mask, uint32_t pc, uint32_t depth)
{
    uint64_t on = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        if (guard_true(w->p, mask_first(rest), w->lanes[mask_first(rest)].next, pc, depth))
            on |= BIT64(mask_first(rest));
    return on;
}

static uint64_t lanes_choosing(const struct warp *w, uint64_t mask, uint32_t pc, uint32_t what)
{
    uint64_t same = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        if (chosen(w->p, mask_first(rest), w->lanes[mask_first(rest)].next, pc) == what)
            same |= BIT64(mask_first(rest));
    return same;
}

static void step_branch_each(struct warp *w, const struct simt_path top, uint64_t on)
{
    uint32_t next[LANES_MOST] = {0};
    for (uint64_t rest = top.mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        next[lane] = mask_has(on, lane) ? chosen(w->p, lane, w->lanes[lane].next, top.pc) : top.pc + 1;
    }
    expect_point(w, top.mask, w->p->code[top.pc].reconverge, top.frame.reg_base);
    note(w, top.mask, top.pc, top.frame.reg_base);
    simt_branch_each(&w->paths, next, w->p->code[top.pc].reconverge);
}

static void step_call(struct warp *w, const struct simt_path top, uint64_t on)
{
    unsigned first = mask_first(on);
    uint32_t callee = chosen(w->p, first, w->lanes[first].next, top.pc);
    on = lanes_choosing(w, on, top.pc, callee);
    expect_point(w, top.mask, top.pc + 1, top.frame.reg_base);
    note(w, on, top.pc, top.frame.reg_base);
    struct simt_frame frame = {w->p->code[callee].function, top.frame.reg_base + 1, 2 * top.frame.reg_base,
                               3 * top.frame.reg_base};
    simt_enter(&w->paths, on, callee, top.pc + 1, &frame);
    const struct simt_path *caller = simt_caller(&w->paths);
    assert_non_null(caller);
    assert_int_equal(caller->pc, top.pc + 1);
    assert_int_equal(caller->frame.reg_base, top.frame.reg_base);
    assert_int_equal(caller->frame.function, top.frame.function);
}

/* An instruction that one third of the lanes execute at a time. */
static void step_split(struct warp *w, const struct simt_path top)
{
    unsigned first = mask_first(top.mask);
    uint32_t third = decide(w->p, first, w->lanes[first].next, 3);
    uint64_t some = 0;
    for (uint64_t rest = top.mask; rest; rest &= rest - 1)
        if (decide(w->p, mask_first(rest), w->lanes[mask_first(rest)].next, 3) == third)
            some |= BIT64(mask_first(rest));
    expect_point(w, top.mask, top.pc + 1, top.frame.reg_base);
    note(w, some, top.pc, top.frame.reg_base);
    simt_advance_some(&w->paths, some, top.pc + 1);
}

/* The table's invariants: each live lane stands at one path, those of `now` at that. */
static void expect_table(const struct warp *w)
{
    const struct simt_paths *paths = &w->paths;
    struct simt_walk walk = simt_walk(paths);
    uint64_t seen = 0;
    while (simt_walk_next(&walk)) {
        assert_true(walk.path != paths->now || walk.lanes == paths->now->mask);
        assert_true((walk.lanes & seen) == 0);
        seen |= walk.lanes;
        for (uint64_t rest = walk.lanes; rest; rest &= rest - 1) {
            const struct lane *l = &w->lanes[mask_first(rest)];
            if (walk.path != paths->now && l->next < l->count)
                assert_int_equal(l->pc[l->next], walk.path->pc);
        }
    }
    assert_ptr_equal(paths->now, paths->model->turn(paths));
    assert_true(paths->model->holds(paths));
}

static void step(struct warp *w)
{
    const struct simt_path top = *w->paths.now;
    expect_table(w);
    const struct instr *i = &w->p->code[top.pc];
    assert_int_equal(top.frame.function, i->function);
    for (uint64_t rest = top.mask; rest; rest &= rest - 1) {
        struct lane *l = &w->lanes[mask_first(rest)];
        if (l->next < l->count && !l->came[l->next])
            l->came[l->next] = w->steps + 1;
    }
    assert_true(w->paths.count <= w->paths.most);
    uint64_t on = lanes_on(w, top.mask, top.pc, top.frame.reg_base);
    if (i->kind == BRX) {
        step_branch_each(w, top, on);
    } else if (i->kind == CALL && on) {
        step_call(w, top, on);
    } else if (i->kind == SPLIT) {
        step_split(w, top);
    } else {
        note(w, top.mask, top.pc, top.frame.reg_base);
        if (i->kind == BRA && w->polls && i->target[0] <= top.pc) {
            simt_poll(&w->paths, on, i->target[0], top.pc + 1, i->reconverge);
        } else if (i->kind == BRA) {
            expect_point(w, top.mask, i->reconverge, top.frame.reg_base);
            simt_branch(&w->paths, on, i->target[0], top.pc + 1, i->reconverge);
        } else if (i->kind == RET && on) {
            simt_leave(&w->paths, on, top.pc + 1);
        } else if (i->kind == EXIT && on) {
            simt_end(&w->paths, on, top.pc + 1);
        } else {
            simt_advance(&w->paths, top.pc + 1);
            if (w->polls && w->steps % 7 == 0)
                simt_yield(&w->paths);
        }
    }
    w->steps++;
}

/* When the lane, after step `after`, first executes pc in the frame it was in; UINT32_MAX: it left that frame before,
 * or never came there. */
static uint32_t arrival(const struct lane *l, const struct point *m)
{
    uint32_t k = 0;
    while (k < l->next && l->came[k] <= m->after + 1)
        k++;
    for (; k < l->next && l->depth_at[k] >= m->depth; k++)
        if (l->depth_at[k] == m->depth && l->pc[k] == m->pc)
            return l->came[k];
    return UINT32_MAX;
}

static void check_points(const struct warp *w)
{
    for (uint32_t k = 0; k < w->point_count; k++) {
        const struct point *m = &w->points[k];
        uint32_t when = UINT32_MAX;
        for (uint64_t rest = m->lanes; rest; rest &= rest - 1) {
            uint32_t at = arrival(&w->lanes[mask_first(rest)], m);
            if (at != UINT32_MAX && when != UINT32_MAX && at != when)
                fail_msg("seed %d: lanes that part at step %u do not meet at %u", (int)w->p->seed, m->after, m->pc);
            when = at != UINT32_MAX ? at : when;
        }
    }
}

/* Returns whether all lanes ran to their end. */
static bool run_program(uint64_t seed, const struct simt_divergence *model, bool polls)
{
    struct program p;
    static const unsigned widths[] = {32, 64, 5, 1};
    make_program(&p, seed);
    for (uint32_t f = 0; f < FUNCTIONS; f++)
        set_reconvergence(&p, f);
    struct warp *w = calloc(1, sizeof *w);
    w->p = &p;
    w->polls = polls;
    unsigned width = widths[seed % 4];
    bool all_end = true;
    for (unsigned lane = 0; lane < width; lane++) {
        run_alone(&p, lane, &w->lanes[lane]);
        all_end = all_end && w->lanes[lane].ended;
    }
    simt_paths_start(&w->paths, model, mask_low(width), 0, &(struct simt_frame){0});
    while (w->paths.count && !w->cut && w->steps < LANE_STEPS * LANES_MOST)
        step(w);
    if (all_end) { /* then no lane waits for ever */
        assert_int_equal(w->paths.count, 0);
        for (unsigned lane = 0; lane < width; lane++)
            assert_int_equal(w->lanes[lane].next, w->lanes[lane].count);
        if (model != &lowest_pc && !model->forming && !polls) /* and within as many steps no wait is given up */
            check_points(w);
    }
    simt_paths_free(&w->paths);
    free(w);
    return all_end;
}

static const struct simt_divergence *named(const char *name)
{
    const struct simt_divergence *model = simt_model_find(name);
    assert_non_null(model);
    return model;
}

static const struct simt_divergence *its(void)
{
    return named("its");
}

static void run_programs(const struct simt_divergence *model, bool polls)
{
    unsigned ended = 0, programs = 0;
    for (uint64_t seed = 0; seed < 3000; seed += effort_steps(4, 48), programs++)
        ended += run_program(seed, model, polls);
    assert_true(ended > programs / 2); /* or the test would hardly test anything */
}

static void test_random_programs(void **state)
{
    for (unsigned i = 0; simt_models()[i]; i++)
        run_programs(simt_models()[i], false);
}

static void test_random_programs_lowest_pc(void **state)
{
    run_programs(&lowest_pc, false);
}

/* Branches back give others the turn, where the model knows others. */
static void test_random_programs_polling(void **state)
{
    for (unsigned i = 0; simt_models()[i]; i++)
        if (simt_models()[i]->poll)
            run_programs(simt_models()[i], true);
}

/* ---- by hand ---- */

static const struct simt_frame outermost = {0};

static void expect_top(const struct simt_paths *stack, uint32_t pc, uint64_t mask)
{
    assert_true(stack->count > 0);
    assert_int_equal(stack->now->pc, pc);
    assert_int_equal(stack->now->mask, mask);
}

/* Thesis, Example 2: f(x) { x++; if (x == 1 && lane > 4) f(x); x++; }. Instructions: 0 call f, 1 exit, 2 x++, 3 branch
 * over the call, 4 call f, 5 x++, 6 ret. A stack without call entries merges both depths at 5 and computes 3. */
static void test_recursion(void **state)
{
    uint32_t x[32] = {0};
    struct simt_paths stack = {0};
    simt_paths_start(&stack, &simt_stack, mask_low(32), 0, &outermost);
    for (unsigned steps = 0; stack.count; steps++) {
        struct simt_path top = *stack.now;
        struct simt_frame frame = {.function = 1, .reg_base = top.frame.reg_base + 1};
        uint64_t deeper = 0;
        assert_true(steps < 100);
        for (uint64_t rest = top.mask; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            x[lane] += top.pc == 2 || top.pc == 5;
            deeper |= x[lane] == 1 && lane > 4 ? BIT64(lane) : 0;
        }
        switch (top.pc) {
        case 0:
        case 4:
            simt_enter(&stack, top.mask, 2, top.pc + 1, &frame);
            break;
        case 1:
            simt_end(&stack, top.mask, 2);
            break;
        case 3:
            simt_branch(&stack, top.mask & ~deeper, 5, 4, 5);
            break;
        case 6:
            simt_leave(&stack, top.mask, 7);
            break;
        default:
            simt_advance(&stack, top.pc + 1);
        }
    }
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(x[lane], lane > 4 ? 4 : 2);
    simt_paths_free(&stack);
}

static void test_order_of_groups(void **state)
{
    struct simt_paths stack = {0};
    simt_paths_start(&stack, &simt_stack, 0xff, 0, &outermost);
    simt_branch(&stack, 0x0f, 10, 1, 20);
    expect_top(&stack, 10, 0x0f);
    simt_advance(&stack, 20);
    expect_top(&stack, 1, 0xf0);
    simt_advance(&stack, 20);
    expect_top(&stack, 20, 0xff);
    assert_int_equal(stack.count, 1);
    assert_int_equal(stack.most, 3);
    simt_paths_free(&stack);
}

static void test_nested_divergence(void **state)
{
    struct simt_paths stack = {0};
    simt_paths_start(&stack, &simt_stack, 0xff, 0, &outermost);
    simt_branch(&stack, 0x0f, 10, 1, 30); /* 0x0f inner divergence meets at 20 */
    simt_branch(&stack, 0x03, 15, 11, 20);
    expect_top(&stack, 15, 0x03);
    simt_advance(&stack, 20);
    expect_top(&stack, 11, 0x0c);
    simt_advance(&stack, 20);
    expect_top(&stack, 20, 0x0f);
    simt_branch(&stack, 0x01, 30, 21, 30); /* the branch meets where its entry does: no second waiting entry */
    expect_top(&stack, 21, 0x0e);
    assert_int_equal(stack.count, 3);
    simt_advance(&stack, 30);
    expect_top(&stack, 1, 0xf0);
    simt_advance(&stack, 30);
    expect_top(&stack, 30, 0xff);
    assert_int_equal(stack.count, 1);
    simt_paths_free(&stack);
}

/* A loop that lanes leave one by one keeps the depth it had. */
static void test_loop_depth(void **state)
{
    struct simt_paths stack = {0};
    simt_paths_start(&stack, &simt_stack, mask_low(64), 0, &outermost);
    for (unsigned lane = 0; lane < 64; lane++) {
        expect_top(&stack, 0, mask_low(64) & ~mask_low(lane));
        simt_advance(&stack, 1);
        simt_branch(&stack, mask_low(64) & ~mask_low(lane + 1), 0, 2, 2);
    }
    expect_top(&stack, 2, mask_low(64));
    assert_int_equal(stack.most, 2);
    simt_paths_free(&stack);
}

static void test_exit_in_divergence(void **state)
{
    struct simt_paths stack = {0};
    simt_paths_start(&stack, &simt_stack, 0xff, 0, &outermost);
    simt_branch(&stack, 0x0f, 10, 1, 20);
    simt_end(&stack, 0x03, 11);
    expect_top(&stack, 11, 0x0c);
    simt_end(&stack, 0x0c, 12);
    expect_top(&stack, 1, 0xf0);
    simt_advance(&stack, 20);
    expect_top(&stack, 20, 0xf0);
    simt_end(&stack, 0xf0, 21);
    assert_int_equal(stack.count, 0);
    simt_paths_free(&stack);
}

/* A function called by half the warp, whose lanes return at different places; the callers meet behind the call, then
 * with the other half. */
static void test_return_in_divergence(void **state)
{
    struct simt_paths stack = {0};
    struct simt_frame frame = {1, 7, 8, 9};
    simt_paths_start(&stack, &simt_stack, 0xff, 0, &outermost);
    assert_null(simt_caller(&stack));
    simt_branch(&stack, 0x0f, 10, 1, 20);
    simt_enter(&stack, 0x0f, 100, 11, &frame);
    simt_branch(&stack, 0x03, 110, 101, ISA_PC_NONE);
    expect_top(&stack, 110, 0x03);
    assert_int_equal(stack.now->frame.local_base, 9);
    simt_leave(&stack, 0x01, 111); /* guarded */
    expect_top(&stack, 111, 0x02);
    simt_leave(&stack, 0x02, 112);
    expect_top(&stack, 101, 0x0c);
    simt_leave(&stack, 0x0c, 102);
    expect_top(&stack, 11, 0x0f);
    assert_int_equal(stack.now->frame.local_base, 0);
    simt_advance(&stack, 20);
    expect_top(&stack, 1, 0xf0);
    simt_paths_free(&stack);
}

/* Lanes that call different functions: one group at a time, all meet behind the call. */
static void test_indirect_call(void **state)
{
    struct simt_paths stack = {0};
    struct simt_frame f = {1, 10, 0, 0}, g = {2, 10, 0, 0};
    simt_paths_start(&stack, &simt_stack, 0xff, 5, &outermost);
    simt_enter(&stack, 0x0f, 100, 6, &f);
    expect_top(&stack, 100, 0x0f);
    simt_leave(&stack, 0x0f, 101);
    expect_top(&stack, 5, 0xf0);
    simt_enter(&stack, 0xf0, 200, 6, &g);
    expect_top(&stack, 200, 0xf0);
    simt_leave(&stack, 0xf0, 201);
    expect_top(&stack, 6, 0xff);
    assert_int_equal(stack.count, 1);
    simt_paths_free(&stack);
}

static void test_branch_list_order(void **state)
{
    struct simt_paths stack = {0};
    const uint32_t next[4] = {30, 10, 50, 10};
    simt_paths_start(&stack, &simt_stack, 0xf, 0, &outermost);
    simt_branch_each(&stack, next, 50);
    expect_top(&stack, 30, 0x1);
    simt_advance(&stack, 50);
    expect_top(&stack, 10, 0xa);
    simt_advance(&stack, 50);
    expect_top(&stack, 50, 0xf);
    simt_paths_free(&stack);
}

/* A model may take the turn from lanes that wait; the stack does not. */
static void test_yield(void **state)
{
    const struct simt_divergence *const models[] = {&simt_stack, &lowest_pc};
    for (unsigned i = 0; i < 2; i++) {
        struct simt_paths paths = {0};
        simt_paths_start(&paths, models[i], 0xff, 0, &outermost);
        simt_branch(&paths, 0xf0, 1, 10, 20);
        expect_top(&paths, 1, 0xf0);
        simt_yield(&paths);
        expect_top(&paths, i ? 10 : 1, i ? 0x0f : 0xf0);
        simt_advance(&paths, 20);
        expect_top(&paths, i ? 20 : 10, 0x0f);
        simt_paths_free(&paths);
    }
}

/* Lanes take a lock in a loop and give it back behind it: 0 take it, or back to 0; 1 give it back; 2 end. */
static void take_in_turn(const struct simt_divergence *model)
{
    struct simt_paths paths = {0};
    unsigned holder = 32, had = 0, steps = 0;
    simt_paths_start(&paths, model, mask_low(32), 0, &outermost);
    for (; paths.count && steps < 100000; steps++) {
        struct simt_path now = *paths.now;
        assert_true(model->holds(&paths));
        if (now.pc == 0) {
            uint64_t won = holder == 32 ? now.mask & -now.mask : 0;
            holder = won ? mask_first(won) : holder;
            simt_poll(&paths, now.mask & ~won, 0, 1, 1);
        } else if (now.pc == 1) {
            assert_int_equal(now.mask, BIT64(holder));
            holder = 32;
            had++;
            simt_advance(&paths, 2);
        } else {
            simt_end(&paths, now.mask, 3);
        }
    }
    assert_int_equal(had, 32);
    assert_true(steps < 32 * 30);
    simt_paths_free(&paths);
}

static void test_let_go(void **state)
{
    take_in_turn(its());
    take_in_turn(named("aware"));
    take_in_turn(named("dwf"));
}

/* A program without an end, some of whose lanes never leave its loops at 0 and 3. Every lane goes on within a bounded
 * number of steps, whatever the others do. Only the branches back at 0 poll if `polls`. */
static void go_on_for_ever(const struct simt_divergence *model, bool polls, unsigned most)
{
    struct simt_paths paths = {0};
    unsigned last[64] = {0};
    simt_paths_start(&paths, model, ~UINT64_C(0), 0, &outermost);
    for (unsigned step = 1; step < 1000000; step++) {
        struct simt_path now = *paths.now;
        uint64_t some = 0;
        for (uint64_t rest = now.mask; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest), stuck = lane % 7 == 0 ? 0 : lane % 11 == 5 ? 3 : 9;
            if (step - last[lane] > most)
                fail_msg("lane %u at %u had no turn for %u steps", lane, now.pc, step - last[lane]);
            last[lane] = step;
            some |= now.pc == stuck || random_at(step, lane) >> 61 == 0 ? BIT64(lane) : 0;
        }
        switch (now.pc) {
        case 0:
            (polls ? simt_poll : simt_branch)(&paths, some, 0, 1, 1);
            break;
        case 1:
            simt_branch(&paths, some, 3, 2, 4);
            break;
        case 3:
            simt_branch(&paths, some, 3, 4, 4);
            break;
        case 5:
            simt_branch(&paths, now.mask, 0, 6, ISA_PC_NONE);
            break;
        default:
            simt_advance(&paths, now.pc + 1);
        }
        if (step % 64 == 0)
            assert_true(model->holds(&paths));
    }
    for (unsigned lane = 0; lane < 64; lane++)
        assert_true(1000000 - last[lane] < most);
    simt_paths_free(&paths);
}

static void test_everybody_goes_on(void **state)
{
    const struct simt_divergence *const models[] = {its(), named("aware"), named("dwf")};
    for (unsigned i = 0; i < 6; i++)
        go_on_for_ever(models[i / 2], i % 2 != 0, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_order_of_groups),
        cmocka_unit_test(test_nested_divergence),
        cmocka_unit_test(test_loop_depth),
        cmocka_unit_test(test_exit_in_divergence),
        cmocka_unit_test(test_return_in_divergence),
        cmocka_unit_test(test_indirect_call),
        cmocka_unit_test(test_branch_list_order),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_random_programs_lowest_pc),
        cmocka_unit_test(test_random_programs_polling),
        cmocka_unit_test(test_yield),
        cmocka_unit_test(test_let_go),
        cmocka_unit_test(test_everybody_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
