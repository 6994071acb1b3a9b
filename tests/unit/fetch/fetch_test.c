/* Fetch alone: one to three SMs with a real instruction cache, which two or three share. Warps of random programs jump,
 * end, retire, are launched again and go on after all; lines come after random times. A model says what fetch has to
 * do, for the SM or for each of its schedulers. Every run is made twice: with each step of fetch, and with those alone
 * that the agenda has due. */
#include "unit/fetch/fetch_model.h"
#include "effort.h"

#define CYCLES 300
#define END_CYCLES 6000 /* in which all warps must have ended */

/* The SM around fetch */

static void request(void *sm, uint64_t address, uint32_t bytes, uint16_t number)
{
    struct test_sm *s = sm;
    struct fill *f = &bench->fills[number];
    EXPECT(number < bench->l1i.mshr_entries && !f->used && !s->model.asks->seen.requested);
    EXPECT(address == line_of(s->model.asks->seen.address) && bytes == bench->l1i.line_bytes);
    EXPECT(!fill_under_way(address) && !packet_ring_full(&s->queue));
    *f = (struct fill){
        .used = true, .under_way = true, .requester = number_of(s), .address = address, .due = UINT64_MAX};
    f->message.packet.kind = PACKET_READ;
    f->message.fill = number;
    packet_ring_push(&s->queue, &f->message.packet);
    s->model.asks->seen.requested = true;
}

/* With the last warp of a block, which is a pair of slots, the block goes. */
static void retire(void *sm, unsigned slot)
{
    struct test_sm *s = sm;
    uint64_t pair = UINT64_C(3) << (slot & ~1u);
    EXPECT(mask_has(to_retire(s), slot) && is_finished(s, slot));
    s->model.retiring &= ~BIT64(slot);
    s->model.incomplete &= ~BIT64(slot);
    bench->counts.retired++;
    if (!(s->model.incomplete & pair))
        warp_go(&s->warp, pair);
}

static void reach_release(void *sm, unsigned slot)
{
    struct test_sm *s = sm;
    EXPECT(warp_at_release(&s->warp, slot));
    s->model.releases_seen++;
}

static unsigned preferred(void *sm, unsigned scheduler, uint64_t warps)
{
    struct test_sm *s = sm;
    EXPECT(scheduler < core_schedulers(&bench->b.params));
    EXPECT(turn_count() == 1 || s->model.asks == &s->model.turn[scheduler]);
    EXPECT(warps == ((to_fetch_for(s) | to_retire(s)) & warps_of(&s->model, s->model.asks)));
    uint64_t chosen = random_at(bench->b.seed, UINT64_C(1) << 40 | s->agenda.now << 3 | scheduler);
    return warps & chosen ? mask_first(warps & chosen) : FETCH_NOBODY;
}

static struct fetch *neighbour(void *sm, unsigned member)
{
    (void)sm;
    return &bench->sm[member].fetch;
}

static const struct fetch_port port = {request, retire, reach_release, preferred, neighbour};

static struct test_sm *of_view(const struct fetch_view *view)
{
    struct test_sm *s = bench->sm;
    while (view->context != &s->fetch)
        s++;
    return s;
}

static void expect_view(const struct test_sm *s, const struct fetch_view *view)
{
    const struct model_turn *turn = s->model.asks;
    uint64_t own = warps_of(&s->model, turn);
    EXPECT(turn->seen.may_pick && turn->seen.slot == FETCH_NOBODY);
    EXPECT(view->schedulers * turn_count() == core_schedulers(&bench->b.params));
    EXPECT(view->retiring == (to_retire(s) & own));
    EXPECT(view->serve == ((to_fetch_for(s) | to_retire(s)) & own));
    EXPECT(view->last == turn->last && view->cycle == s->agenda.now);
    for (uint64_t rest = view->serve; rest; rest &= rest - 1)
        EXPECT(view->entries(view, mask_first(rest)) == s->model.warp[mask_first(rest)].buffered);
}

/* The policy serves each warp that it is shown again and again: a round of all, in which each may also meet the end of
 * the program once, is the longest that lrr leaves one out. */
static void expect_fair(struct test_sm *s, unsigned slot)
{
    bool is_fair = strcmp(bench->of->name, "lrr") == 0;
    for (uint64_t rest = warps_of(&s->model, s->model.asks); rest; rest &= rest - 1) {
        unsigned other = mask_first(rest);
        struct model_warp *w = &s->model.warp[other];
        w->passed = other != slot && mask_has(to_fetch_for(s), other) ? w->passed + 1 : 0;
        EXPECT(!is_fair || w->passed <= 2 * bench->b.params.warps);
    }
}

/* The policy, watched. */
static unsigned pick(const struct fetch_view *view)
{
    struct test_sm *s = of_view(view);
    EXPECT(view->first_scheduler < turn_count());
    s->model.asks = &s->model.turn[view->first_scheduler];
    struct seen *seen = &s->model.asks->seen;
    expect_view(s, view);
    unsigned slot = bench->of->pick(view);
    EXPECT(slot < WARP_SLOTS && mask_has(view->serve, slot));
    if (mask_has(view->retiring, slot))
        return slot;
    const struct model_warp *w = &s->model.warp[slot];
    seen->slot = slot;
    s->model.asked[s->model.asked_count++] = s->model.asks;
    expect_fair(s, slot);
    if (w->next < bench->module_size) {
        uint32_t line;
        seen->address = address_of(w->next);
        seen->there = cache_find(s->fetch.l1i, seen->address, bench->b.params.instruction_bytes, &line) == CACHE_THERE;
        seen->room = packet_ring_room(&s->queue);
    }
    return slot;
}

/* Events that fetch is told of */

static void begin_warp(struct test_sm *s, unsigned slot, uint32_t pc)
{
    struct simt_warp *warp = &s->warp.slots[slot].simt;
    s->path[slot] = (struct simt_path){.pc = pc, .mask = 1};
    warp->live = 1;
    warp->paths.now = &s->path[slot];
    core_view_begins(&s->views, slot, bench->age, slot / 2, pc);
    s->model.incomplete |= BIT64(slot);
}

static void launch(struct test_sm *s)
{
    for (unsigned first = 0; first < bench->b.params.warps; first += 2) {
        uint64_t pair = UINT64_C(3) << first;
        if ((s->warp.resident & pair) || draw(6))
            continue;
        warp_clear(&s->warp, pair);
        fetch_each_set(&s->fetch, warp_set_clear, &pair);
        for (unsigned slot = first; slot < first + 2; slot++) {
            EXPECT(s->model.warp[slot].place == AT_REST);
            warp_start(&s->warp, slot, first / 2, bench->age);
            fetch_launched(&s->fetch, slot);
            begin_warp(s, slot, bench->first_pc);
            s->model.warp[slot] = (struct model_warp){.next = bench->first_pc};
            bench->age++;
            bench->counts.launched++;
        }
        warp_come(&s->warp, pair);
        agenda_add(&s->agenda, DUE_FETCH);
    }
}

static void finish(struct test_sm *s, unsigned slot)
{
    struct simt_warp *warp = &s->warp.slots[slot].simt;
    warp->live = 0;
    warp->paths.now = NULL;
    warp_finish(&s->warp, slot);
    s->model.warp[slot].buffered = 0;
    s->model.warp[slot].drained_at = s->agenda.now + draw(12);
}

/* All threads of the warp leave it for others. */
static void leave_empty(struct test_sm *s, unsigned slot)
{
    warp_abandon(&s->warp, slot);
    if (fills_up())
        fetch_has_room(&s->fetch, slot);
    finish(s, slot);
}

/* The warp needs another instruction next than it did. */
static void turn(struct test_sm *s, unsigned slot, uint32_t pc)
{
    struct model_warp *w = &s->model.warp[slot];
    s->path[slot].pc = pc;
    s->model.releases_seen += warp_turn_changed(&s->warp, slot, pc);
    s->model.releases += w->buffered && w->head == pc && bench->program[pc].after == INSTR_AFTER_FENCE;
    fetch_from(&s->fetch, slot);
    if (!w->buffered && w->place == AT_REST)
        w->next = pc;
}

/* A warp that had ended has threads again. */
static void go_on(struct test_sm *s, unsigned slot)
{
    bench->counts.went_on_early += s->model.warp[slot].place != AT_REST;
    s->model.retiring &= ~BIT64(slot);
    fetch_goes_on(&s->fetch, slot);
    warp_refill(&s->warp, slot);
    warp_renumber(&s->warp, slot, ++bench->age);
    begin_warp(s, slot, 0);
    turn(s, slot, draw(bench->module_size));
    warp_account_again(&s->warp, BIT64(slot));
}

static void rest_finished(struct test_sm *s, unsigned slot)
{
    bool is_drained = s->agenda.now >= s->model.warp[slot].drained_at;
    bool has_more_coming = s->model.warp[slot].place != AT_REST;
    if (!bench->ending && draw(has_more_coming ? 10 : 40) == 0) {
        go_on(s, slot);
    } else if (is_drained && mask_has(s->model.incomplete & ~s->model.retiring, slot)) {
        s->model.retiring |= BIT64(slot);
        fetch_retires(&s->fetch, BIT64(slot));
    }
}

static void issue(struct test_sm *s, unsigned slot)
{
    struct model_warp *w = &s->model.warp[slot];
    uint32_t pc = s->warp.slots[slot].head_pc;
    bool ends = draw(bench->ending ? 2 : 30) == 0;
    bool jumps = pc + 1 == bench->module_size || draw(bench->jumps) == 0;
    uint32_t next = ends ? 0 : jumps ? draw(bench->module_size) : pc + 1;
    s->path[slot].pc = next;
    w->head++;
    w->buffered--;
    if (ends)
        finish(s, slot);
    s->model.releases_seen += warp_issued(&s->warp, slot, next);
    s->model.releases += w->buffered && w->head == next && bench->program[next].after == INSTR_AFTER_FENCE;
    if (!w->buffered)
        agenda_add(&s->agenda, DUE_FETCH);
    if (fills_up())
        fetch_has_room(&s->fetch, slot);
}

static void flush(struct test_sm *s, unsigned slot)
{
    s->model.warp[slot].buffered = 0;
    s->model.warp[slot].next = s->path[slot].pc;
    s->model.stats.control_flushes++;
    fetch_flush(&s->fetch, slot);
}

static void act(struct test_sm *s, unsigned slot)
{
    const struct model_warp *w = &s->model.warp[slot];
    if (is_finished(s, slot))
        rest_finished(s, slot);
    else if (!bench->ending && draw(100) == 0)
        leave_empty(s, slot);
    else if (!bench->ending && draw(60) == 0)
        turn(s, slot, draw(bench->module_size));
    else if (!w->buffered || draw(bench->pauses))
        return;
    else if (w->head == s->path[slot].pc)
        issue(s, slot);
    else
        flush(s, slot);
}

/* The network */

static void arrive(struct fill *f)
{
    struct test_sm *s = &bench->sm[f->requester];
    uint32_t members = 0;
    f->under_way = false;
    for (unsigned i = 0; i < f->waiting; i++) {
        struct model_sm *m = &bench->sm[f->sm[i]].model;
        m->ready_slot[m->ready] = f->slot[i];
        m->ready_fill[m->ready++] = (uint8_t)(f - bench->fills);
        members |= 1u << f->sm[i];
    }
    if (bench->sms > 1) /* all are taken from the cache at once */
        f->used = false;
    EXPECT(fetch_line(&s->fetch, f->message.fill) == (bench->sms > 1 ? members : 0));
}

static void move_lines(void)
{
    for (struct test_sm *s = bench->sm; s < bench->sm + bench->sms; s++)
        if (s->queue.count && draw(2))
            bench->fills[read_of(packet_ring_pop(&s->queue))->fill].due = s->agenda.now + 1 + draw(bench->slowest);
    for (struct fill *f = bench->fills; f < bench->fills + MOST_FILLS; f++)
        if (f->used && f->under_way && f->due <= bench->b.agenda.now)
            arrive(f);
}

/* A cycle */

/* The turns that have instructions in their fetch buffer. */
static unsigned to_decode(const struct model_sm *m)
{
    unsigned some = 0;
    for (unsigned t = 0; t < turn_count(); t++)
        some += m->turn[t].slot != CORE_NONE;
    return some;
}

static void decode(struct test_sm *s)
{
    unsigned some = to_decode(&s->model);
    EXPECT(agenda_has(&s->agenda, DUE_DECODE) == (some > 0));
    if (!some)
        return;
    bench->counts.at_once += some > 1;
    for (unsigned t = 0; t < turn_count(); t++)
        if (s->model.turn[t].slot != CORE_NONE)
            follow_decode(s, &s->model.turn[t]);
    fetch_decode(&s->fetch);
}

/* A step that is not due changes nothing but the views of policies that are not asked. */
static void step_in_vain(struct test_sm *s)
{
    static struct fetch before;
    memcpy(&before, &s->fetch, sizeof before);
    fetch_step(&s->fetch);
    for (unsigned t = 0; t < turn_count(); t++) {
        const struct fetch_view *view = &s->fetch.turns[t].view;
        before.turns[t].view.cycle = view->cycle;
        before.turns[t].view.serve = view->serve;
        before.turns[t].view.retiring = view->retiring;
    }
    EXPECT(memcmp(&before, &s->fetch, sizeof before) == 0);
}

/* Every turn but the one to which a line went picks, if it has a warp to serve; each is answered by what those before
 * it have left. */
static void follow_picks(struct test_sm *s, const struct model_turn *took)
{
    struct model_sm *m = &s->model;
    for (unsigned t = 0; t < turn_count(); t++) {
        uint64_t own = warps_of(m, &m->turn[t]);
        bool picked = m->turn[t].seen.slot != FETCH_NOBODY;
        EXPECT(&m->turn[t] == took || picked || !((to_fetch_for(s) | to_retire(s)) & own));
        m->turn[t].seen.may_pick = false;
    }
    unsigned count = turn_count(), first = (unsigned)(s->agenda.now % count), before = 0;
    for (unsigned i = 0; i < m->asked_count; i++) {
        unsigned place = ((unsigned)(m->asked[i] - m->turn) + count - first) % count;
        EXPECT(i == 0 || place > before);
        before = place;
        follow_pick(s, m->asked[i]);
    }
}

static void step_fetch(struct test_sm *s)
{
    bool from_fill = bench->b.params.fetch_from_fill;
    struct model_turn *took = from_fill ? follow_line(s) : NULL;
    for (unsigned t = 0; t < turn_count(); t++)
        s->model.turn[t].seen = (struct seen){.may_pick = &s->model.turn[t] != took, .slot = FETCH_NOBODY};
    s->model.asked_count = 0;
    if (agenda_has(&s->agenda, DUE_FETCH))
        fetch_step(&s->fetch);
    else if (!bench->lazy)
        step_in_vain(s);
    follow_picks(s, took);
    if (!from_fill)
        took = follow_line(s);
    EXPECT(!took || s->agenda.made_progress);
}

static void expect_whole(struct test_sm *s)
{
    struct check c;
    check_init(&c);
    check_of(&c, "fetch", number_of(s));
    fetch_check(&s->fetch, &c);
    cache_check(s->fetch.l1i, &c);
    bench_expect_whole(&bench->b, &c);
}

static void note(uint64_t value)
{
    bench->trace = (bench->trace ^ value) * HASH_GOLDEN;
}

static void expect_as_modelled(struct test_sm *s)
{
    const struct model_sm *m = &s->model;
    for (unsigned t = 0; t < turn_count(); t++) {
        const struct model_turn *turn = &m->turn[t];
        const struct fetch_turn *real = &s->fetch.turns[t];
        EXPECT(real->slot == turn->slot);
        EXPECT(turn->slot == CORE_NONE || (real->pc == turn->pc && real->count == turn->count));
        note(turn->slot);
    }
    EXPECT(s->fetch.under_way == on_the_way(s));
    EXPECT(m->releases == m->releases_seen);
    EXPECT(memcmp(&s->fetch.stats, &m->stats, sizeof m->stats) == 0);
    for (uint64_t rest = s->warp.resident; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        const struct model_warp *w = &m->warp[slot];
        const struct warp_slot *real = &s->warp.slots[slot];
        EXPECT(real->buffered == w->buffered && (!w->buffered || real->head_pc == w->head));
        EXPECT(is_finished(s, slot) || s->fetch.next_pc[slot] == w->next);
        note(w->head << 16 | w->buffered << 8 | (unsigned)w->place);
    }
    EXPECT(agenda_has(&s->agenda, DUE_DECODE) == (to_decode(m) > 0));
    EXPECT(!(to_fetch_for(s) || to_retire(s) || m->ready) || agenda_has(&s->agenda, DUE_FETCH));
    EXPECT(!fetch_busy(&s->fetch) || agenda_has(&s->agenda, DUE_FETCH));
    note(s->warp.resident ^ s->warp.finished << 1);
}

static void step_sm(struct test_sm *s)
{
    agenda_step(&s->agenda);
    for (uint64_t rest = s->warp.resident; rest; rest &= rest - 1)
        act(s, mask_first(rest));
    warp_all_looked(&s->warp);
    warp_cycle_begins(&s->warp, s->agenda.now + 1);
    decode(s);
    step_fetch(s);
    s->agenda.now++;
}

static void step(void)
{
    move_lines();
    for (struct test_sm *s = bench->sm; s < bench->sm + bench->sms; s++) {
        if (!bench->ending)
            launch(s);
        step_sm(s);
    }
    bench->b.agenda.now++;
    for (struct test_sm *s = bench->sm; s < bench->sm + bench->sms; s++) {
        expect_as_modelled(s);
        expect_whole(s);
    }
}

/* Runs */

/* Warps that ask again for a line that came can take its place from each other for ever, if a set
 * has few. */
static void vary_cache(void)
{
    struct cache_params *c = &bench->l1i;
    param_defaults(
        &(struct param_group){.params = cache_param_descs, .count = cache_param_count, .values = &bench->l1i}, 1);
    c->sets = 1u << draw(3);
    c->ways = bench->b.params.fetch_from_fill ? 1 + draw(4) : 16 / c->sets + draw(4);
    c->line_bytes = c->sector_bytes = 16u << draw(4);
    c->replacement = draw(2) ? CACHE_LRU : CACHE_FIFO;
    c->allocate = draw(2) ? CACHE_ALLOCATE_ON_MISS : CACHE_ALLOCATE_ON_FILL;
    c->set_index = CACHE_INDEX_LINEAR;
    c->mshr_entries = 1 + draw(MOST_FILLS);
    c->mshr_merges = 1 + draw(8);
    c->miss_room = 1 + draw(2);
}

static void vary(void)
{
    struct sm_params *p = &bench->b.params;
    p->warps = 2 * (1 + draw(8));
    p->schedulers = 1 + draw(4);
    p->instruction_buffer = 1 + draw(8);
    p->fetch_width = 1 + draw(8);
    p->fetch_fills = draw(2);
    p->fetch_from_fill = draw(2);
    p->fetch_per_scheduler = draw(2);
    vary_cache();
    bench->sms = 1 + (unsigned)(bench->b.seed % SMS);
    bench->slowest = 1 + draw(draw(2) ? 4 : 60);
    bench->jumps = 2 + draw(20);
    bench->pauses = 1 + draw(4);
    p->instruction_bytes = 4u << draw(3);
    bench->code_base = 4096 + (uint64_t)p->instruction_bytes * draw(40);
}

static void make_program(void)
{
    for (uint32_t pc = 0; pc <= MOST_INSTRUCTIONS; pc++) {
        struct decoded_instr *d = &bench->program[pc];
        d->uses = d->timing.writes = bench->no_registers;
        d->after = (uint8_t)(draw(8) ? INSTR_AFTER_NOTHING : INSTR_AFTER_FENCE);
        d->scheduled_before = pc ? d[-1].scheduled_before + (draw(3) > 0) : 0;
    }
}

static void make_sm(struct test_sm *s)
{
    bool shares = bench->sms > 1;
    const struct sm_shared shared = {
        .sm = s, .params = &bench->b.params, .agenda = &s->agenda, .warp = &s->warp, .views = &s->views};
    packet_ring_init(&s->queue, bench->l1i.miss_room + draw(3), &bench->b.arena);
    warp_lend(&s->warp, bench->b.params.warps, s->boards, 1);
    fetch_init(&s->fetch,
               &(struct fetch_setup){
                   .shared = &shared,
                   .l1i = &bench->l1i,
                   .policy = &bench->policy,
                   .port = &port,
                   .queue = &s->queue,
                   .shares = shares,
                   .member = shares ? number_of(s) : 0,
                   .code_base = bench->code_base,
               },
               &bench->b.arena);
}

static void open_bench(struct bench *t, uint64_t seed, const struct fetch_policy *policy, bool lazy)
{
    memset(t, 0, sizeof *t);
    bench = t;
    bench_begin(&t->b, seed);
    t->lazy = lazy;
    t->of = policy;
    t->policy = *policy;
    t->policy.pick = pick;
    vary();
    make_program();
    for (unsigned i = 0; i < t->sms; i++)
        make_sm(&t->sm[i]);
}

/* A kernel begins: nothing of an earlier one is in the cache. */
static void begin_kernel(void)
{
    bench->ending = false;
    bench->module_size = 4 + draw(draw(2) ? 12 : MOST_INSTRUCTIONS - 3);
    bench->first_pc = draw(bench->module_size);
    for (struct test_sm *s = bench->sm; s < bench->sm + bench->sms; s++) {
        uint32_t line;
        fetch_empty_cache(&s->fetch);
        fetch_begin(&s->fetch, &(struct fetch_launch){bench->module_size, bench->first_pc});
        agenda_add(&s->agenda, DUE_FETCH);
        for (uint64_t i = 0; i < MOST_INSTRUCTIONS; i++)
            EXPECT(cache_find(s->fetch.l1i, address_of((uint32_t)i), bench->b.params.instruction_bytes, &line) !=
                   CACHE_THERE);
        warp_begin(&s->warp, bench->program, 1, mask_low(bench->b.params.warps), s->agenda.now);
        for (unsigned t = 0; t < turn_count(); t++) {
            s->model.turn[t].slot = CORE_NONE;
            s->model.turn[t].last = bench->b.params.warps - 1;
        }
    }
}

/* True: warps are left, or lines under way. */
static bool is_busy(void)
{
    bool busy = fills_used();
    for (const struct test_sm *s = bench->sm; s < bench->sm + bench->sms; s++)
        busy |= s->warp.resident || on_the_way(s) || s->model.ready;
    return busy;
}

static void run_kernel(void)
{
    begin_kernel();
    for (unsigned i = 0; i < CYCLES; i++)
        step();
    bench->ending = true;
    for (unsigned i = 0; is_busy(); i++) {
        EXPECT(i < END_CYCLES);
        step();
    }
    for (const struct test_sm *s = bench->sm; s < bench->sm + bench->sms; s++)
        EXPECT(!s->model.incomplete && !s->model.retiring && !s->fetch.retiring);
}

static uint64_t run(struct bench *t, uint64_t seed, const struct fetch_policy *policy, bool lazy)
{
    open_bench(t, seed, policy, lazy);
    run_kernel();
    run_kernel();
    bench_close(&t->b);
    return t->trace;
}

static void fetch_does_as_the_model(void **state)
{
    (void)state;
    struct counts all = {0};
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (const struct fetch_policy *const *policy = fetch_policies(); *policy; policy++)
        for (uint64_t seed = 1; seed <= 96; seed += effort_steps(7, 13)) {
            uint64_t trace = run(t, seed, *policy, false);
            if (run(t, seed, *policy, true) != trace)
                fail_msg("%s, seed %llu: steps that are not due change something", (*policy)->name,
                         (unsigned long long)seed);
            for (unsigned i = 0; i < sizeof all / sizeof(uint64_t); i++)
                ((uint64_t *)&all)[i] += ((const uint64_t *)&t->counts)[i];
        }
    /* All that the test is about has happened. */
    for (unsigned i = 0; i < sizeof all / sizeof(uint64_t); i++)
        assert_true(((const uint64_t *)&all)[i] > 10);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetch_does_as_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
