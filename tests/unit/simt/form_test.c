/* Threads that go from warp to warp (simt_forming): random programs, on several warps whose threads are exchanged at
 * random where they may be, in which every thread must execute what it would alone; and a program without an end, in
 * which every thread goes on within a bounded number of steps although others keep taking its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bits.h"
#include "simt/divergence.h"
#include "effort.h"

#define WIDTH 8
#define WARPS 4
#define THREADS (WIDTH * WARPS)
#define LENGTH 40
#define STEPS 300 /* of a thread */

/* The main program is LENGTH instructions; behind it stands a function of half as many. */
enum kind { PLAIN, FORWARD, BACK, POLL, CALL, SOME, EXIT, RET };
struct instr {
    enum kind kind;
    uint32_t target;
};

struct block {
    struct instr code[LENGTH + LENGTH / 2];
    struct simt_paths warps[WARPS];
    unsigned threads[WARPS][WIDTH]; /* by warp and lane */
    struct thread {
        uint32_t pc, returns; /* returns: 0 in the main program */
        unsigned steps, last;
        bool ended;
    } of[THREADS];
    uint64_t seed;
    unsigned step;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7FB5D329728EA185);
    x = (x ^ x >> 27) * UINT64_C(0x81DADEF4BC2DD44D);
    return x ^ x >> 33;
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = mix(*seed + 0x9E3779B97F4A7C15);
    return (uint32_t)(*seed % below);
}

/* What a thread decides at its step; towards the end of its time it leaves loops and the program. */
static bool decides(const struct block *b, unsigned thread)
{
    const struct thread *t = &b->of[thread];
    const struct instr *i = &b->code[t->pc];
    if (t->steps > STEPS / 2 && (i->kind == BACK || i->kind == POLL))
        return false;
    if (t->steps > STEPS / 2 && i->kind == EXIT)
        return true;
    return mix(b->seed ^ (uint64_t)thread << 40 ^ (uint64_t)t->steps << 20) % 3 == 0;
}

static void make_program(struct block *b)
{
    uint64_t seed = mix(b->seed);
    for (uint32_t pc = 0; pc < LENGTH + LENGTH / 2; pc++) {
        bool function = pc >= LENGTH;
        uint32_t end = function ? LENGTH + LENGTH / 2 - 1 : LENGTH - 1, first = function ? LENGTH : 0;
        struct instr *i = &b->code[pc];
        i->kind = (enum kind)draw(&seed, function ? 4 : 7);
        if (i->kind == EXIT && draw(&seed, 3))
            i->kind = PLAIN;
        i->target = i->kind == FORWARD ? pc + 1 + draw(&seed, end - pc + 1) : first + draw(&seed, pc - first + 1);
        if (i->kind == FORWARD && i->target > end)
            i->target = end;
        if (pc == end)
            i->kind = function ? RET : EXIT;
    }
}

/* The thread goes where its decision takes it. */
static void advance(struct block *b, unsigned thread, bool taken)
{
    struct thread *t = &b->of[thread];
    const struct instr *i = &b->code[t->pc];
    t->steps++;
    if (i->kind == EXIT && (taken || t->pc == LENGTH - 1)) {
        t->ended = true;
    } else if (i->kind == CALL && taken) {
        t->returns = t->pc + 1;
        t->pc = LENGTH;
    } else if (i->kind == RET) {
        t->pc = t->returns;
        t->returns = 0;
    } else {
        t->pc = taken && (i->kind == FORWARD || i->kind == BACK || i->kind == POLL) ? i->target : t->pc + 1;
    }
}

/* A warp executes its next instruction; each thread must stand there by itself. */
static void execute(struct block *b, unsigned warp)
{
    struct simt_paths *paths = &b->warps[warp];
    const struct simt_path now = *paths->now;
    const struct instr *i = &b->code[now.pc];
    struct simt_frame frame = {.function = 1, .reg_base = 1};
    uint64_t taken = 0;
    for (uint64_t rest = now.mask; rest; rest &= rest - 1) {
        unsigned thread = b->threads[warp][mask_first(rest)];
        assert_false(b->of[thread].ended);
        assert_int_equal(b->of[thread].pc, now.pc);
        assert_int_equal(b->of[thread].returns != 0, now.frame.function);
        taken |= decides(b, thread) ? rest & -rest : 0;
    }
    /* Some lanes execute a guarded instruction apart; the others come to it by themselves. */
    uint64_t move = i->kind == SOME && taken ? taken : i->kind == CALL && taken ? taken : now.mask;
    for (uint64_t rest = move; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        b->of[b->threads[warp][lane]].last = b->step;
        advance(b, b->threads[warp][lane], taken >> lane & 1);
    }
    if (i->kind == FORWARD || i->kind == BACK)
        simt_branch(paths, taken, i->target, now.pc + 1, ISA_PC_NONE);
    else if (i->kind == POLL)
        simt_poll(paths, taken, i->target, now.pc + 1, ISA_PC_NONE);
    else if (i->kind == CALL && taken)
        simt_enter(paths, taken, LENGTH, now.pc + 1, &frame);
    else if (i->kind == SOME && taken)
        simt_advance_some(paths, taken, now.pc + 1);
    else if (i->kind == RET)
        simt_leave(paths, now.mask, now.pc + 1);
    else if (i->kind == EXIT && (taken || now.pc == LENGTH - 1))
        simt_end(paths, now.pc == LENGTH - 1 ? now.mask : taken, now.pc + 1);
    else
        simt_advance(paths, now.pc + 1);
    assert_true(paths->model->holds(paths));
}

static uint64_t lanes_that(const struct simt_paths *paths, bool may_leave)
{
    uint64_t live = 0, may = 0;
    for (struct simt_walk walk = simt_walk(paths); simt_walk_next(&walk);)
        live |= walk.lanes;
    for (uint32_t i = 0; i < paths->count; i++)
        may |= paths->model->forming->may_leave(paths, i) ? paths->table[i].mask : 0;
    return may_leave ? may : live;
}

static struct simt_path path_of(const struct simt_paths *paths, uint64_t lane)
{
    struct simt_path path = {0};
    for (struct simt_walk walk = simt_walk(paths); simt_walk_next(&walk);)
        path = walk.lanes & lane ? *walk.path : path;
    return path;
}

static void exchange(struct block *b, unsigned one, unsigned other, uint64_t lanes)
{
    struct simt_paths *p = &b->warps[one], *q = &b->warps[other];
    const struct simt_forming *forming = p->model->forming;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest), thread = b->threads[one][lane];
        struct simt_path of_p = path_of(p, BIT64(lane)), of_q = path_of(q, BIT64(lane));
        b->threads[one][lane] = b->threads[other][lane];
        b->threads[other][lane] = thread;
        if (of_p.mask)
            forming->leave(p, BIT64(lane));
        if (of_q.mask)
            forming->leave(q, BIT64(lane));
        if (of_p.mask)
            forming->come(q, BIT64(lane), &of_p);
        if (of_q.mask)
            forming->come(p, BIT64(lane), &of_q);
    }
    p->model->arrive(p);
    q->model->arrive(q);
    assert_true(p->model->holds(p) && q->model->holds(q));
}

static const struct simt_divergence *dwf(void)
{
    const struct simt_divergence *model = simt_model_find("dwf");
    assert_non_null(model);
    return model;
}

static void start(struct block *b, uint64_t seed)
{
    *b = (struct block){.seed = seed};
    for (unsigned w = 0; w < WARPS; w++) {
        simt_paths_start(&b->warps[w], dwf(), mask_low(WIDTH), 0, &(struct simt_frame){0});
        for (unsigned lane = 0; lane < WIDTH; lane++)
            b->threads[w][lane] = w * WIDTH + lane;
    }
}

static void finish(struct block *b)
{
    for (unsigned w = 0; w < WARPS; w++)
        simt_paths_free(&b->warps[w]);
}

static void test_random_programs(void **state)
{
    static struct block b;
    unsigned exchanged = 0;
    for (uint64_t seed = 1; seed <= 1500; seed += effort_steps(3, 10)) {
        start(&b, seed);
        make_program(&b);
        uint64_t random = seed;
        unsigned live = WARPS;
        for (b.step = 1; live; b.step++) {
            assert_true(b.step < THREADS * STEPS * 20);
            unsigned one = draw(&random, WARPS), other = (one + 1 + draw(&random, WARPS - 1)) % WARPS;
            if (b.warps[one].now)
                execute(&b, one);
            uint64_t lanes = draw(&random, 1 << WIDTH) & draw(&random, 1 << WIDTH);
            for (unsigned k = 0; k < 2; k++) {
                const struct simt_paths *p = &b.warps[k ? other : one];
                lanes &= lanes_that(p, true) | ~lanes_that(p, false);
            }
            if (lanes && draw(&random, 2)) {
                exchange(&b, one, other, lanes);
                exchanged += mask_count(lanes);
            }
            live = 0;
            for (unsigned w = 0; w < WARPS; w++)
                live += b.warps[w].count != 0;
        }
        for (unsigned t = 0; t < THREADS; t++)
            assert_true(b.of[t].ended);
        finish(&b);
    }
    assert_true(exchanged > 100000); /* or the test would hardly test anything */
}

/* Two loops, one behind the other, of which some threads never leave the first; the others go round both for ever. */
static void test_everybody_goes_on(void **state)
{
    static struct block b;
    uint64_t random = 7;
    const unsigned most = 60000;
    start(&b, 3);
    for (b.step = 1; b.step < 2000000; b.step++) {
        unsigned one = draw(&random, WARPS), other = (one + 1 + draw(&random, WARPS - 1)) % WARPS;
        struct simt_paths *paths = &b.warps[one];
        const struct simt_path now = *paths->now;
        uint64_t some = 0;
        for (uint64_t rest = now.mask; rest; rest &= rest - 1) {
            unsigned thread = b.threads[one][mask_first(rest)], stuck = thread % 5 == 0 ? 0 : 9;
            if (b.step - b.of[thread].last > most)
                fail_msg("thread %u at %u had no turn for %u steps", thread, now.pc, b.step - b.of[thread].last);
            b.of[thread].last = b.step;
            some |= now.pc == stuck || draw(&random, 4) == 0 ? rest & -rest : 0;
        }
        if (now.pc == 0)
            simt_poll(paths, some, 0, 1, 1);
        else if (now.pc == 1)
            simt_branch(paths, some, 3, 2, 4);
        else if (now.pc == 4)
            simt_branch(paths, now.mask, 0, 5, ISA_PC_NONE);
        else
            simt_advance(paths, now.pc + 1);
        /* Those that have the turn elsewhere take the places of those that wait and may be made to give room. One
         * thread has to whenever it may. */
        uint64_t lanes = b.warps[other].now->mask & paths->model->forming->giving(paths);
        if (lanes && paths->now->pc == b.warps[other].now->pc)
            exchange(&b, other, one, lanes);
        for (unsigned w = 0; w < WARPS; w++) {
            uint64_t chased = b.threads[w][3] % WIDTH == 3 && b.threads[w][3] / WIDTH == 1 ? BIT64(3) : 0;
            if (chased & paths->model->forming->giving(&b.warps[w]))
                exchange(&b, w, (w + 1) % WARPS, chased);
        }
    }
    for (unsigned t = 0; t < THREADS; t++)
        assert_true(b.step - b.of[t].last < most);
    finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_everybody_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
