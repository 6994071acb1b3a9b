/* The warp table alone: random programs' instructions are fetched, issued, completed and waited for by a machine that
 * is nothing but a list of what is under way. After each cycle the table's own check finds nothing wrong, the warps
 * that it lets issue are those of the list, and every cycle of every resident warp is counted for one cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "effort.h"
#include "warp/table.h"

#define SLOTS 8
#define INSTRUCTIONS 24
#define WORDS 2
#define OPS 64
#define CYCLES 3000
#define BUFFER 2 /* instructions */

/* An instruction under way. */
struct op {
    bool used;
    unsigned slot;
    uint32_t pc;
    enum warp_source source;
    bool store, left; /* it is to send one; it has */
};

/* A posted store under way, of the warp with that age. */
struct post {
    bool used;
    unsigned slot;
    uint64_t age;
    uint8_t life;
};

struct machine {
    struct warp_table table;
    struct decoded_instr program[INSTRUCTIONS + BUFFER + 1];
    uint64_t sets[INSTRUCTIONS + BUFFER + 1][3 * WORDS];
    uint64_t boards[3 * WORDS * SLOTS];
    struct simt_path path[SLOTS]; /* where each warp is */
    struct op ops[OPS];
    struct post posts[OPS];
    uint64_t left_behind; /* posted stores whose warps had gone when they were acknowledged */
    uint64_t seed, drawn, cycle, age, warp_cycles;
};

static uint32_t draw(struct machine *m, uint32_t below)
{
    return (uint32_t)(random_at(m->seed, m->drawn++) % below);
}

/* A register or two that it reads, one that it writes, or none. */
static void make_instruction(struct machine *m, uint32_t pc)
{
    struct decoded_instr *d = &m->program[pc];
    uint64_t *uses = m->sets[pc], *writes = uses + WORDS, *reads = writes + WORDS;
    uint32_t written = draw(m, 80), read = draw(m, 80);
    if (written < 70)
        writes[written / 64] |= BIT64(written % 64);
    reads[read / 64] |= BIT64(read % 64);
    for (unsigned i = 0; i < WORDS; i++)
        uses[i] = reads[i] | writes[i];
    d->uses = uses;
    d->timing =
        (struct instr_timing){.writes = writes, .write_count = written < 70, .unit = (uint8_t)draw(m, ISA_UNIT_COUNT)};
    d->structural = (uint8_t)warp_account_unit(d->timing.unit);
    d->changes_frame = draw(m, 8) == 0;
    d->after = (uint8_t)(draw(m, 4) ? INSTR_AFTER_NOTHING : 1 + draw(m, 2));
}

static void open_machine(struct machine *m, uint64_t seed)
{
    m->seed = seed;
    for (uint32_t pc = 0; pc < INSTRUCTIONS + BUFFER + 1; pc++)
        make_instruction(m, pc);
    warp_lend(&m->table, SLOTS, m->boards, WORDS);
    warp_begin(&m->table, m->program, WORDS, mask_low(SLOTS), 0);
}

static bool ends(struct machine *m)
{
    return draw(m, 40) == 0;
}

/* What an SM does when the head waits like a fence. */
static void release(struct machine *m, unsigned slot, bool releases)
{
    if (releases && !mask_has(m->table.waits.barrier, slot))
        warp_wait_begin(&m->table, WARP_WAIT_fence, BIT64(slot));
}

static void launch(struct machine *m)
{
    uint64_t free = mask_low(SLOTS) & ~m->table.resident;
    if (!free || draw(m, 3))
        return;
    unsigned slot = mask_first(free);
    struct simt_warp *warp = &m->table.slots[slot].simt;
    warp_clear(&m->table, BIT64(slot));
    warp_start(&m->table, slot, slot, m->age++);
    m->path[slot] = (struct simt_path){.pc = draw(m, INSTRUCTIONS), .mask = 1};
    warp->live = 1;
    warp->paths.now = &m->path[slot];
    warp_come(&m->table, BIT64(slot));
}

static void complete(struct machine *m, struct op *op)
{
    const struct instr_timing *timing = &m->program[op->pc].timing;
    op->used = false;
    release(m, op->slot, warp_op_ended(&m->table, op->slot, timing));
    if (op->source != WARP_FROM_OP)
        warp_load_ended(&m->table, op->slot, timing, op->source);
    if (op->left) {
        warp_store_acknowledged(&m->table, op->slot);
        release(m, op->slot, warp_registers_written(&m->table, op->slot));
        warp_head_waits(&m->table, op->slot);
    }
}

static bool has_sent(const struct machine *m, const struct post *post)
{
    return mask_has(m->table.resident, post->slot) && m->table.slots[post->slot].age == post->age;
}

/* A store leaves the SM, and is posted if a place is free. */
static void send(struct machine *m, struct op *op)
{
    struct post *post = m->posts;
    warp_store_left(&m->table, op->slot);
    while (post < m->posts + OPS && post->used)
        post++;
    op->left = m->seed % 2 || post == m->posts + OPS;
    op->store = op->left;
    if (!op->left)
        *post = (struct post){true, op->slot, m->table.slots[op->slot].age, warp_store_posted(&m->table, op->slot)};
}

static void acknowledge(struct machine *m, struct post *post)
{
    bool own = has_sent(m, post);
    post->used = false;
    assert_int_equal(warp_posted_acknowledged(&m->table, post->slot, post->life), own);
    m->left_behind += !own;
    if (!own)
        return;
    warp_store_acknowledged(&m->table, post->slot);
    release(m, post->slot, warp_registers_written(&m->table, post->slot));
    warp_head_waits(&m->table, post->slot);
}

static void end_waits(struct machine *m)
{
    warp_wake(&m->table, m->cycle);
    for (unsigned wait = 0; wait < WARP_WAIT_COUNT; wait++)
        for (uint64_t rest = m->table.waits.of[wait]; rest; rest &= rest - 1)
            if (warp_wait_info(wait)->ender != WARP_WAIT_BY_CLOCK && !draw(m, 6)) {
                warp_wait_end(&m->table, wait, rest & -rest);
                if (wait == WARP_WAIT_barrier && warp_at_release(&m->table, mask_first(rest)))
                    release(m, mask_first(rest), true);
            }
}

/* Sends the instruction on its way; the warp may begin to wait, or end, with it. */
static void perform(struct machine *m, unsigned slot, struct op *op)
{
    struct warp_table *w = &m->table;
    uint32_t pc = w->slots[slot].head_pc;
    *op = (struct op){.used = true, .slot = slot, .pc = pc, .source = draw(m, 3), .store = draw(m, 4) == 0};
    if (ends(m)) {
        w->slots[slot].simt.live = 0;
        warp_finish(w, slot);
        return;
    }
    m->path[slot].pc = draw(m, 5) ? pc + 1 : draw(m, INSTRUCTIONS);
    if (m->path[slot].pc >= INSTRUCTIONS)
        m->path[slot].pc = 0;
    uint32_t wait = draw(m, 20);
    if (wait == WARP_WAIT_sleep || wait == WARP_WAIT_delay)
        warp_wait_until(w, wait, slot, m->cycle + 1 + draw(m, 9));
    else if (wait == WARP_WAIT_barrier || wait == WARP_WAIT_atomic)
        warp_wait_begin(w, wait, BIT64(slot));
}

static void issue(struct machine *m, unsigned slot)
{
    struct warp_table *w = &m->table;
    struct op *op = m->ops;
    while (op < m->ops + OPS && op->used)
        op++;
    if (op == m->ops + OPS)
        return;
    perform(m, slot, op);
    const struct instr_timing *timing = &m->program[op->pc].timing;
    warp_op_began(w, slot, timing);
    if (op->source != WARP_FROM_OP)
        warp_load_began(w, slot, timing, op->source);
    release(m, slot, warp_issued(w, slot, mask_has(w->finished, slot) ? 0 : m->path[slot].pc));
}

static void fetch(struct machine *m, unsigned slot)
{
    struct warp_table *w = &m->table;
    if (mask_has(w->finished, slot) || w->slots[slot].buffered || draw(m, 2))
        return;
    release(m, slot, warp_fetched(w, slot, m->path[slot].pc, 1 + draw(m, BUFFER), m->path[slot].pc));
}

/* By the list alone: the warps that issue could look at. */
static uint64_t could_issue(const struct machine *m)
{
    uint64_t found = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        const struct warp_slot *s = &m->table.slots[slot];
        const struct decoded_instr *d = &m->program[s->head_pc];
        bool could = mask_has(m->table.resident, slot) && s->simt.live && s->buffered && s->head_pc == m->path[slot].pc;
        for (const struct op *op = m->ops; op < m->ops + OPS; op++)
            if (op->used && op->slot == slot) {
                uint64_t meet = 0, writes = 0;
                for (unsigned i = 0; i < WORDS; i++) {
                    writes |= m->program[op->pc].timing.writes[i];
                    meet |= m->program[op->pc].timing.writes[i] & d->uses[i];
                }
                could &= !meet && d->after != INSTR_AFTER_OWN && !(d->changes_frame && writes);
            }
        for (const struct post *post = m->posts; post < m->posts + OPS; post++)
            could &= !(post->used && post->slot == slot && has_sent(m, post) && d->after == INSTR_AFTER_OWN);
        for (unsigned wait = 0; wait < WARP_WAIT_COUNT; wait++)
            could &= !mask_has(m->table.waits.of[wait], slot);
        found |= could ? BIT64(slot) : 0;
    }
    return found;
}

static void expect_whole(struct machine *m)
{
    struct check c;
    check_init(&c);
    check_of(&c, "warps", 0);
    warp_check(&m->table, &c);
    if (c.wrong)
        fail_msg("seed %llu, cycle %llu: %s[%u] is %llu and should be %llu", (unsigned long long)m->seed,
                 (unsigned long long)m->cycle, c.wrong, c.at, (unsigned long long)c.kept,
                 (unsigned long long)c.should_be);
    assert_int_equal(m->table.cleared & ~m->table.waiting, could_issue(m));
    assert_int_equal(m->table.cleared & ~m->table.waiting & ~m->table.changed, 0);
    struct warp_causes causes = warp_account_read(&m->table);
    uint64_t sum = 0;
    for (unsigned i = 0; i < WARP_CAUSE_COUNT; i++)
        sum += (&causes.issued)[i];
    assert_int_equal(sum, m->warp_cycles);
}

static void step(struct machine *m)
{
    struct warp_table *w = &m->table;
    for (struct op *op = m->ops; op < m->ops + OPS; op++) {
        if (op->used && op->store && !op->left && draw(m, 2))
            send(m, op);
        if (op->used && !draw(m, 5))
            complete(m, op);
    }
    for (struct post *post = m->posts; post < m->posts + OPS; post++)
        if (post->used && !draw(m, 60))
            acknowledge(m, post);
    end_waits(m);
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if (mask_has(w->mispredicted & ~w->waiting, slot) && draw(m, 2))
            warp_flush(w, slot);
    uint64_t ready = w->cleared & ~w->waiting;
    warp_found_ready(w, ready);
    for (uint64_t rest = ready; rest; rest &= rest - 1)
        if (draw(m, 2))
            issue(m, mask_first(rest));
    warp_all_looked(w);
    m->warp_cycles += mask_count(w->resident);
    warp_cycle_begins(w, ++m->cycle);
    for (uint64_t rest = w->resident; rest; rest &= rest - 1)
        fetch(m, mask_first(rest));
    for (uint64_t rest = w->resident & w->finished; rest; rest &= rest - 1)
        if (warp_is_drained(&w->slots[mask_first(rest)]))
            warp_go(w, rest & -rest);
    launch(m);
}

static void events_keep_the_facts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed += effort_steps(4, 8)) {
        struct machine *m = aligned_alloc(128, round_up_u64(sizeof *m, 128));
        assert_non_null(m);
        memset(m, 0, sizeof *m);
        open_machine(m, seed);
        while (m->cycle < CYCLES) {
            step(m);
            expect_whole(m);
        }
        assert_true(m->age > 20);
        assert_int_equal(m->left_behind > 0, m->seed % 2 == 0);
        free(m);
    }
}

/* A slot whose warps all leave a store behind: the first is acknowledged to nobody, and one of them has to wait for its
 * own before lives are counted anew. */
static void lives_do_not_come_round(void **state)
{
    struct machine *m = aligned_alloc(128, round_up_u64(sizeof *m, 128));
    struct warp_table *w = &m->table;
    uint8_t lives[UINT8_MAX];
    (void)state;
    assert_non_null(m);
    memset(m, 0, sizeof *m);
    open_machine(m, 1);
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        struct warp_slot *slot = &w->slots[0];
        warp_start(w, 0, 0, i);
        warp_come(w, 1);
        warp_store_left(w, 0);
        uint8_t life = warp_store_posted(w, 0);
        assert_int_equal(warp_may_leave(slot), i < UINT8_MAX);
        assert_int_equal(warp_is_drained(slot), i < UINT8_MAX);
        if (i == UINT8_MAX) {
            assert_true(warp_posted_acknowledged(w, 0, life));
            warp_store_acknowledged(w, 0);
            assert_true(warp_is_drained(slot));
        } else {
            lives[i] = life;
        }
        warp_go(w, 1);
    }
    for (unsigned i = 0; i < UINT8_MAX; i++)
        assert_false(warp_posted_acknowledged(w, 0, lives[i]));
    warp_start(w, 0, 0, UINT8_MAX + 1);
    assert_true(warp_may_leave(&w->slots[0]));
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_keep_the_facts),
        cmocka_unit_test(lives_do_not_come_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
