/* Locks in the reconvergence stack across functions: random programs in which locks are taken in one function and given
 * back in another, in any order, hand over hand in loops and by recursion, under guards, with returns and exits from
 * anywhere. Every lane must go exactly the way that it would go alone, in the frame in which it would be; no lock is
 * held by two; nobody is stuck; and all lanes come to the end, or are refused as the thesis says (Example 12), which is
 * found from what lanes did, not from the stack. LOCKSTEP_PROGRAMS=N: so many; LOCKSTEP_SEED=S: from seed S on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"
#include "simt/divergence.h"

#define LANES 16
#define MOST 300
#define LEVELS 4
#define COMMON 3 /* locks of a level that all lanes want */
#define LIST 9   /* locks that are taken hand over hand */
#define FUNCTIONS 6
#define DEEP 5
#define ATTEMPTS 2
#define VISITS_MOST 6 /* of a branch by a lane, which then goes straight on */
#define EVENTS 64     /* branches that a lane has taken and that have not met */

enum kind { NOP, BRA, JUMP, UNLESS, LOCK, UNLOCK, NEXT, LEAVE, CALL, RET, EXIT };

/* UNLESS jumps where the lane has not the lock of its level. NEXT takes the next lock of the list, LEAVE gives back the
 * one before it. Lanes for which there is nothing to take or to give do not take part. */
struct instr {
    uint8_t kind, level;
    bool own;     /* the lane's own lock, which nobody else wants */
    bool guarded; /* executed by some lanes */
    bool limited; /* LOCK: lanes give up after ATTEMPTS, and go to target */
    bool last;    /* LEAVE: gives back the last one; JUMP: of lanes that are at the end of the list or deep in calls */
    uint8_t callee;
    uint32_t target, reconverge;
};

struct function {
    uint32_t first, count;
    bool inner; /* called while locks may be held: takes none that others want */
    bool exists;
};

struct program {
    struct instr code[MOST];
    struct function functions[FUNCTIONS];
    uint32_t count;
    uint64_t seed, drawn;
};

static uint32_t draw(struct program *p, uint32_t below)
{
    return (uint32_t)(random_at(p->seed, p->drawn++) >> 20) % below;
}

static struct instr *emit(struct program *p, enum kind kind)
{
    p->code[p->count] = (struct instr){.kind = (uint8_t)kind};
    return &p->code[p->count++];
}

/* What may stand at a place. */
struct place {
    unsigned depth, function;
    uint8_t level; /* locks of lower levels may be held */
    bool parted;   /* a branch, or call, is open that was begun while locks may be held: a lock that others want may be
                      held by a lane that waits there (Example 13) */
};

static struct place emit_list(struct program *p, struct place at);

static void emit_unlock(struct program *p, uint8_t level)
{
    uint32_t over = p->count;
    emit(p, UNLESS)->level = level;
    emit(p, UNLOCK)->level = level;
    p->code[over].target = p->count;
    if (draw(p, 2))
        emit(p, NOP);
}

/* All locks from a level on are given back, in any order, by the way past which it is likely that some lane comes
 * without. */
static void emit_unlocks(struct program *p, struct place *at, uint8_t from)
{
    uint8_t levels[LEVELS], count = 0;
    for (uint8_t level = from; level < at->level; level++)
        levels[count++] = level;
    for (; count; count--) {
        uint32_t which = draw(p, count);
        emit_unlock(p, levels[which]);
        levels[which] = levels[count - 1];
    }
    if (!from)
        emit(p, LEAVE)->last = true;
    at->level = from;
}

static void emit_lock(struct program *p, struct place *at)
{
    struct instr *i = emit(p, LOCK);
    uint32_t here = p->count - 1;
    i->level = at->level++;
    i->own = at->parted || draw(p, 4) == 0;
    i->guarded = draw(p, 4) == 0;
    i->limited = draw(p, 4) == 0;
    if (draw(p, 3))
        emit(p, NOP);
    p->code[here].target = p->count;
}

static struct place inside_of(struct place at)
{
    at.depth++;
    at.parted |= at.level != 0;
    return at;
}

static void emit_if(struct program *p, struct place *at)
{
    struct place inside = inside_of(*at), side;
    uint32_t over = p->count;
    emit(p, BRA);
    side = emit_list(p, inside);
    uint8_t level = side.level;
    uint32_t end = p->count;
    emit(p, JUMP);
    p->code[over].target = p->count;
    side = emit_list(p, inside);
    level = side.level > level ? side.level : level;
    if (draw(p, 4)) { /* else the branch meets where locks are held that were taken in it: Example 12 */
        uint8_t before = at->level;
        at->level = side.level;
        emit_unlocks(p, at, before < side.level ? before : side.level);
        at->level = level;
    }
    p->code[end].target = p->count;
    emit(p, NOP);
    at->level = level;
}

static void emit_loop(struct program *p, struct place *at)
{
    uint32_t head = p->count, leave = 0;
    struct place inside = emit_list(p, inside_of(*at));
    bool breaks = draw(p, 2);
    if (breaks) {
        leave = p->count;
        emit(p, BRA);
    }
    emit_unlocks(p, &inside, at->level);
    emit(p, BRA)->target = head;
    if (breaks) {
        p->code[leave].target = p->count;
        at->level = LEVELS; /* whatever the body took may still be held */
        emit(p, NOP);
    }
}

/* Hand over hand, from the head of the list to where the lane stops. */
static void emit_chain(struct program *p)
{
    emit(p, NEXT);
    uint32_t head = p->count;
    emit(p, NEXT);
    if (draw(p, 2))
        emit(p, NOP);
    emit(p, LEAVE);
    uint32_t over = p->count;
    emit(p, JUMP)->last = true;
    emit(p, BRA)->target = head;
    p->code[over].target = p->count;
    emit(p, LEAVE)->last = true;
}

static void emit_call(struct program *p, struct place *at)
{
    uint8_t callee = (uint8_t)(at->function + 1 + draw(p, FUNCTIONS - at->function - 1));
    struct function *f = &p->functions[callee];
    bool inner = at->level || at->parted;
    if (f->exists && f->inner != inner)
        return;
    f->exists = true;
    f->inner = inner;
    struct instr *i = emit(p, CALL);
    i->callee = callee;
    i->guarded = draw(p, 4) == 0;
    at->level = LEVELS; /* of whatever it took */
}

static struct place emit_list(struct program *p, struct place at)
{
    for (uint32_t n = 1 + draw(p, 4); n > 0; n--) {
        uint32_t choice = at.depth < 4 && p->count < MOST - 130 ? draw(p, 11) : 0;
        if (choice <= 1)
            emit(p, NOP);
        else if (choice <= 3 && at.level < LEVELS)
            emit_lock(p, &at);
        else if (choice == 4 && at.level)
            emit_unlock(p, (uint8_t)draw(p, at.level));
        else if (choice == 5)
            emit_unlocks(p, &at, 0);
        else if (choice == 6)
            emit_loop(p, &at);
        else if (choice == 7 && at.function + 1 < FUNCTIONS)
            emit_call(p, &at);
        else if (choice == 8 && !at.level && !at.parted)
            emit_chain(p);
        else if (choice == 9 && at.function)
            emit(p, RET)->guarded = true;
        else
            emit_if(p, &at);
    }
    return at;
}

/* The walk by recursion: takes the next, gives back the one before, calls itself, and the last one is given back by who
 * called first. */
static void emit_walk(struct program *p, uint8_t self)
{
    emit(p, NEXT);
    emit(p, LEAVE);
    uint32_t over = p->count;
    emit(p, JUMP)->last = true;
    uint32_t chance = p->count;
    emit(p, BRA);
    emit(p, CALL)->callee = self;
    p->code[over].target = p->code[chance].target = p->count;
    emit(p, NOP);
    emit(p, RET);
}

static void emit_function(struct program *p, uint8_t number)
{
    struct function *f = &p->functions[number];
    struct place at = {.depth = number ? 1 : 0, .function = number};
    f->first = p->count;
    if (number == FUNCTIONS - 1 && !f->inner) {
        emit_walk(p, number);
    } else {
        at.parted = f->inner;
        at = emit_list(p, at);
        if (!number || draw(p, 3) == 0)
            emit_unlocks(p, &at, 0);
        if (!number) {
            at.level = LEVELS;
            emit_unlocks(p, &at, 0);
        }
        emit(p, number ? RET : EXIT);
    }
    f->count = p->count - f->first;
}

#define WORDS ((MOST + 63) / 64)

/* Immediate post-dominators by their definition: the nearest of the instructions of the function that are on every way
 * to its end. */
static void find_reconvergence(struct program *p, const struct function *f)
{
    static uint64_t on_all[MOST][WORDS];
    uint32_t end = f->first + f->count;
    for (uint32_t pc = f->first; pc < end; pc++)
        memset(on_all[pc], 0xff, sizeof on_all[pc]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = end; pc-- > f->first;) {
            const struct instr *i = &p->code[pc];
            bool ends = i->kind == RET || i->kind == EXIT, always = i->kind == JUMP && !i->last;
            bool jumps = i->kind == BRA || i->kind == JUMP || i->kind == UNLESS || i->limited;
            for (unsigned w = 0; w < WORDS; w++) {
                uint64_t now = ~UINT64_C(0);
                if (!always && !(ends && !i->guarded))
                    now &= on_all[pc + 1][w];
                if (jumps)
                    now &= on_all[i->target][w];
                if (ends)
                    now = 0;
                now |= pc / 64 == w ? BIT64(pc % 64) : 0;
                changed |= now != on_all[pc][w];
                on_all[pc][w] = now;
            }
        }
    }
    for (uint32_t pc = f->first; pc < end; pc++) {
        uint32_t nearest = ISA_PC_NONE;
        for (uint32_t q = f->first; q < end; q++)
            if (q != pc && mask_has(on_all[pc][q / 64], q % 64) &&
                (nearest == ISA_PC_NONE || mask_has(on_all[q][nearest / 64], nearest % 64)))
                nearest = q;
        p->code[pc].reconverge = nearest;
    }
}

/* ---- a lane, alone ---- */

/* A branch that the lane took, other than some that had the turn with it, and that has not met. */
struct event {
    uint32_t number, meets, depth;
    bool side, outside; /* the lane has held no lock at some time since */
};

struct lane {
    uint32_t pc, depth, function;
    uint32_t back[DEEP + FUNCTIONS + 2];
    uint8_t functions[DEEP + FUNCTIONS + 2];
    int8_t word[LEVELS]; /* of the lock that it has; -1: none */
    uint8_t low, high;   /* of the list: the locks that it has */
    unsigned held, attempts;
    bool declined, asking;
    struct event events[EVENTS];
    unsigned event_count;
    int skipped; /* the depth at which it came, with a lock, past a branch outside of it; -1: nowhere */
};

struct run {
    struct program p;
    struct simt_paths stack;
    bool lets_past;
    struct lane lanes[LANES];
    uint32_t visits[LANES][MOST];
    int8_t owner[LEVELS][COMMON + LANES], list[LIST]; /* -1: free; LANES: somebody outside the warp */
    uint64_t ended;
    uint32_t events;
    unsigned skips;
};

static bool chance(struct run *r, uint32_t pc, unsigned lane)
{
    uint32_t visit = r->visits[lane][pc]++;
    return random_at(r->p.seed + visit, pc * LANES + lane) >> 33 & 1;
}

static bool goes(struct run *r, uint32_t pc, unsigned lane)
{
    const struct instr *i = &r->p.code[pc];
    const struct lane *l = &r->lanes[lane];
    if (i->kind == UNLESS)
        return l->word[i->level] < 0;
    if (i->kind == JUMP)
        return !i->last || l->high == LIST || l->depth >= DEEP;
    if (r->visits[lane][pc] >= VISITS_MOST)
        return i->target > pc;
    return chance(r, pc, lane);
}

/* The word that the lane takes or gives back by the instruction; NULL: it does not take part. */
static int8_t *word_of(struct run *r, const struct instr *i, unsigned lane)
{
    struct lane *l = &r->lanes[lane];
    uint32_t common = (uint32_t)random_at(r->p.seed ^ 77, lane * 8 + i->level) % COMMON;
    switch (i->kind) {
    case LOCK:
        return l->word[i->level] >= 0 ? NULL : &r->owner[i->level][i->own ? COMMON + lane : common];
    case UNLOCK:
        return &r->owner[i->level][l->word[i->level]];
    case NEXT:
        return l->high < LIST ? &r->list[l->high] : NULL;
    case LEAVE:
        return l->high - l->low > !i->last ? &r->list[l->low] : NULL;
    default:
        return NULL;
    }
}

/* Those of the lanes that take part in the instruction. */
static uint64_t taking_part(struct run *r, const struct instr *i, uint32_t pc, uint64_t lanes)
{
    uint64_t mask = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct lane *l = &r->lanes[lane];
        bool takes = !(i->kind >= LOCK && i->kind <= LEAVE) || word_of(r, i, lane);
        if (i->kind == CALL && l->depth >= DEEP + FUNCTIONS)
            takes = false;
        if (i->guarded && !l->asking && !l->declined)
            takes &= chance(r, pc, lane);
        mask |= takes && !l->declined ? rest & -rest : 0;
    }
    return mask;
}

static void took(struct run *r, const struct instr *i, unsigned lane, int8_t *word)
{
    struct lane *l = &r->lanes[lane];
    assert_int_equal(*word, -1);
    *word = (int8_t)lane;
    l->held++;
    l->asking = false;
    if (i->kind == NEXT)
        l->high++;
    else
        l->word[i->level] = (int8_t)(word - r->owner[i->level]);
}

static void gave(struct run *r, const struct instr *i, unsigned lane, int8_t *word)
{
    struct lane *l = &r->lanes[lane];
    assert_int_equal(*word, lane);
    *word = -1;
    l->held--;
    if (i->kind == UNLOCK)
        l->word[i->level] = -1;
    else if (++l->low == l->high)
        l->low = l->high = 0;
    for (unsigned e = 0; !l->held && e < l->event_count; e++)
        l->events[e].outside = true;
}

/* ---- what the thesis calls a deadlock ---- */

/* The lanes that have the turn part. */
static void note_branch(struct run *r, uint64_t lanes, uint64_t taken, uint32_t meets)
{
    taken &= lanes;
    if (!taken || taken == lanes || meets == ISA_PC_NONE)
        return;
    r->events++;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        struct lane *l = &r->lanes[mask_first(rest)];
        assert_true(l->event_count < EVENTS);
        l->events[l->event_count++] = (struct event){
            .number = r->events, .meets = meets, .depth = l->depth, .side = taken & rest & -rest, .outside = !l->held};
    }
}

/* Some lane has still to come to where the branch meets, or waits there: one that went another way, or the same way
 * without a lock. */
static bool waits_for(const struct run *r, const struct event *e)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const struct lane *l = &r->lanes[lane];
        for (unsigned i = 0; i < l->event_count; i++)
            if (l->events[i].number == e->number && (l->events[i].side != e->side || (!l->asking && !l->held)))
                return true;
    }
    return false;
}

/* The lane executes at its place: branches that meet there have met; but if it holds a lock, it comes past them. */
static void note_place(struct run *r, unsigned lane)
{
    struct lane *l = &r->lanes[lane];
    unsigned kept = 0;
    for (unsigned i = 0; i < l->event_count; i++) {
        struct event e = l->events[i];
        if (e.depth != l->depth || e.meets != l->pc)
            l->events[kept++] = e;
        else if (l->held && e.outside && waits_for(r, &e) && l->skipped < 0)
            l->skipped = (int)l->depth;
    }
    l->event_count = kept;
}

static void forget_events(struct lane *l, uint32_t depth)
{
    while (l->event_count && l->events[l->event_count - 1].depth >= depth)
        l->event_count--;
    if (l->skipped >= (int)depth)
        l->skipped = -1;
}

/* ---- one step ---- */

static bool step_lock(struct run *r, const struct instr *i, uint32_t pc, uint64_t lanes, uint64_t mask)
{
    uint64_t got = 0, over = 0, stuck = 0;
    if (mask != lanes) {
        r->stack.model->part(&r->stack, lanes & ~mask, pc + 1);
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            r->lanes[mask_first(rest)].asking = mask & rest & -rest;
            r->lanes[mask_first(rest)].pc += !(mask & rest & -rest);
        }
        return true;
    }
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct lane *l = &r->lanes[lane];
        int8_t *word = word_of(r, i, lane);
        l->asking = true;
        if (*word < 0) {
            took(r, i, lane, word);
            got |= rest & -rest;
        } else if (i->limited && ++l->attempts == ATTEMPTS) {
            over |= rest & -rest;
            l->asking = false;
        } else if (*word < LANES && r->stack.model->exclusive) {
            stuck |= rest & -rest;
        }
        if (mask_has(got | over, lane))
            l->attempts = 0;
        l->pc = mask_has(got, lane) ? pc + 1 : mask_has(over, lane) ? i->target : pc;
    }
    if (stuck == mask && !i->limited)
        return false;
    struct simt_answer answer = {.got = got, .over = over, .next = pc + 1, .target = i->target, .kept = true};
    r->stack.model->ask(&r->stack, lanes);
    r->stack.model->answer(&r->stack, &answer);
    return true;
}

/* Returns whether all go on: nobody skipped where others wait. */
static bool step_give(struct run *r, const struct instr *i, uint32_t pc, uint64_t lanes, uint64_t mask)
{
    uint64_t must = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        r->lanes[mask_first(rest)].pc++;
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        struct lane *l = &r->lanes[mask_first(rest)];
        gave(r, i, mask_first(rest), word_of(r, i, mask_first(rest)));
        if (!l->held) {
            must |= l->skipped >= 0 ? rest & -rest : 0;
            l->skipped = -1;
        }
    }
    uint64_t said = r->stack.model->give(&r->stack, mask, pc + 1);
    if (r->stack.model->exclusive && !r->skips && said & ~must)
        fail_msg("refused, though nobody waits: lanes %llx, %llx", (unsigned long long)said, (unsigned long long)must);
    r->skips += said != 0;
    return r->lets_past || !said;
}

static void step_call(struct run *r, const struct instr *i, uint32_t pc, uint64_t lanes, uint64_t mask)
{
    if (!mask) {
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            r->lanes[mask_first(rest)].pc++;
            r->lanes[mask_first(rest)].declined = false;
        }
        simt_advance(&r->stack, pc + 1);
        return;
    }
    note_branch(r, lanes, mask, pc + 1);
    uint32_t entry = r->p.functions[i->callee].first, depth = r->lanes[mask_first(mask)].depth + 1;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        struct lane *l = &r->lanes[mask_first(rest)];
        l->declined = !(mask & rest & -rest);
        if (l->declined)
            continue;
        l->functions[l->depth] = (uint8_t)l->function;
        l->back[l->depth++] = pc + 1;
        l->function = i->callee;
        l->pc = entry;
    }
    struct simt_frame frame = {.function = i->callee, .reg_base = 4 * depth, .local_base = depth};
    simt_enter(&r->stack, mask, entry, pc + 1, &frame);
}

static void step_ret(struct run *r, uint32_t pc, uint64_t lanes, uint64_t mask)
{
    if (!mask) {
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            r->lanes[mask_first(rest)].pc++;
        simt_advance(&r->stack, pc + 1);
        return;
    }
    assert_int_equal(simt_caller(&r->stack)->pc, r->lanes[mask_first(mask)].back[r->lanes[mask_first(mask)].depth - 1]);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        struct lane *l = &r->lanes[mask_first(rest)];
        l->pc++;
        if (!(mask & rest & -rest))
            continue;
        forget_events(l, l->depth);
        l->pc = l->back[--l->depth];
        l->function = l->functions[l->depth];
    }
    simt_leave(&r->stack, mask, pc + 1);
}

static void step_branch(struct run *r, const struct instr *i, uint32_t pc, uint64_t lanes)
{
    uint64_t taken = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        bool go = goes(r, pc, lane);
        taken |= go ? rest & -rest : 0;
        r->lanes[lane].pc = go ? i->target : pc + 1;
    }
    note_branch(r, lanes, taken, i->reconverge);
    simt_branch(&r->stack, taken, i->target, pc + 1, i->reconverge);
}

/* Each lane stands where it would, alone. */
static void expect_places(const struct run *r)
{
    struct simt_walk walk = simt_walk(&r->stack);
    while (simt_walk_next(&walk))
        for (uint64_t rest = walk.lanes; rest; rest &= rest - 1) {
            const struct lane *l = &r->lanes[mask_first(rest)];
            assert_int_equal(walk.path->pc, l->pc);
            assert_int_equal(walk.path->frame.function, l->function);
            assert_int_equal(walk.path->frame.reg_base, 4 * l->depth);
        }
}

/* False: the program is refused. */
static bool step(struct run *r)
{
    struct simt_path now = *r->stack.now;
    const struct instr *i = &r->p.code[now.pc];
    for (uint64_t rest = now.mask; rest; rest &= rest - 1) {
        struct lane *l = &r->lanes[mask_first(rest)];
        assert_int_equal(l->pc, now.pc);
        note_place(r, mask_first(rest));
    }
    uint64_t mask = taking_part(r, i, now.pc, now.mask);
    bool goes_on = true;
    if (i->kind == BRA || i->kind == JUMP || i->kind == UNLESS) {
        step_branch(r, i, now.pc, now.mask);
    } else if (i->kind == CALL) {
        step_call(r, i, now.pc, now.mask, mask);
    } else if (i->kind == RET) {
        step_ret(r, now.pc, now.mask, mask);
    } else if ((i->kind == LOCK || i->kind == NEXT) && mask) {
        goes_on = step_lock(r, i, now.pc, now.mask, mask);
    } else if ((i->kind == UNLOCK || i->kind == LEAVE) && mask) {
        goes_on = step_give(r, i, now.pc, now.mask, mask);
    } else if (i->kind == EXIT) {
        r->ended |= now.mask;
        for (uint64_t rest = now.mask; rest; rest &= rest - 1)
            forget_events(&r->lanes[mask_first(rest)], 0);
        simt_end(&r->stack, now.mask, now.pc + 1);
    } else {
        for (uint64_t rest = now.mask; rest; rest &= rest - 1)
            r->lanes[mask_first(rest)].pc++;
        simt_advance(&r->stack, now.pc + 1);
    }
    if (goes_on) {
        assert_true(r->stack.model->holds(&r->stack));
        expect_places(r);
    }
    return goes_on;
}

/* ---- runs ---- */

/* Somebody outside the warp takes a lock that is free, or gives one back. */
static void meddle(struct run *r, uint64_t step)
{
    uint64_t chance = random_at(r->p.seed ^ 5, step);
    int8_t *word = chance & 1 << 30 ? &r->list[chance % LIST] : &r->owner[chance % LEVELS][(chance >> 8) % COMMON];
    if (*word == LANES)
        *word = -1;
    else if (*word < 0 && (chance >> 20) % 4 == 0)
        *word = LANES;
}

static void make_program(struct program *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->functions[0].exists = true;
    for (uint8_t f = 0; f < FUNCTIONS; f++) {
        if (!p->functions[f].exists)
            continue;
        emit_function(p, f);
        find_reconvergence(p, &p->functions[f]);
    }
}

/* The program as the stack sees it, which looks where ways meet. */
static const struct isa_module *module_of(const struct program *p)
{
    static struct isa_instr instrs[MOST];
    static struct isa_function functions[FUNCTIONS];
    static struct isa_module module = {.instrs = instrs, .functions = functions, .function_count = FUNCTIONS};
    for (uint32_t pc = 0; pc < p->count; pc++) {
        const struct instr *i = &p->code[pc];
        bool jumps = i->kind == BRA || i->kind == JUMP || i->kind == UNLESS;
        enum isa_op op = jumps             ? ISA_OP_BRA
                         : i->limited      ? ISA_OP_LOCK_TIMED
                         : i->kind == RET  ? ISA_OP_RET
                         : i->kind == EXIT ? ISA_OP_EXIT
                                           : ISA_OP_MOV;
        instrs[pc] = (struct isa_instr){.op = (uint16_t)op,
                                        .guarded = i->guarded,
                                        .target = jumps || i->limited ? i->target : ISA_PC_NONE,
                                        .reconverge = i->reconverge};
    }
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        functions[f].first = p->functions[f].first;
        functions[f].count = p->functions[f].count;
    }
    module.instr_count = p->count;
    return &module;
}

struct outcome {
    unsigned ended, skipped, stuck;
};

static void run_program(struct run *r, uint64_t seed, const struct simt_divergence *model, bool lets_past,
                        struct outcome *out)
{
    static const struct simt_frame outermost = {0};
    memset(r, 0, sizeof *r);
    memset(r->owner, -1, sizeof r->owner);
    memset(r->list, -1, sizeof r->list);
    make_program(&r->p, seed);
    r->lets_past = lets_past;
    for (unsigned lane = 0; lane < LANES; lane++) {
        memset(r->lanes[lane].word, -1, sizeof r->lanes[lane].word);
        r->lanes[lane].skipped = -1;
    }
    simt_paths_start(&r->stack, model, mask_low(LANES), 0, &outermost);
    r->stack.module = seed % 2 ? module_of(&r->p) : NULL;
    bool goes_on = true;
    for (uint64_t n = 0; r->stack.count && goes_on; n++) {
        if (n > 3000000)
            fail_msg("it does not end");
        meddle(r, n);
        goes_on = step(r);
    }
    out->skipped += r->skips != 0;
    out->stuck += !goes_on && !r->skips;
    out->ended += goes_on;
    if (goes_on) {
        assert_int_equal(r->ended, mask_low(LANES));
        assert_int_equal(r->stack.asked, 0);
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_int_equal(r->lanes[lane].held, 0);
    }
    simt_paths_free(&r->stack);
}

static uint64_t option(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : usual;
}

static void run_programs(const char *const *ways, unsigned count, uint64_t usual)
{
    static struct run run;
    uint64_t first = option("LOCKSTEP_SEED", 1), programs = option("LOCKSTEP_PROGRAMS", usual);
    struct outcome out = {0};
    for (uint64_t seed = first; seed < first + programs; seed++) {
        if (getenv("LOCKSTEP_SEED"))
            print_message("seed %llu\n", (unsigned long long)seed);
        run_program(&run, seed * 0x9E37, simt_model_find(ways[seed % count]), seed / count & 1, &out);
    }
    print_message("%u ended, %u came past where branches meet, %u stuck\n", out.ended, out.skipped, out.stuck);
    assert_int_equal(out.stuck, 0);
}

static void test_stack(void **state)
{
    run_programs((const char *const[]){"stack"}, 1, 3000);
}

/* Under other ways they all end. */
static void test_other_ways(void **state)
{
    run_programs((const char *const[]){"its", "aware", "dwf"}, 3, 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stack), cmocka_unit_test(test_other_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
