/* Explains a launch that hangs: which lanes of which warps wait, at which line, on which address, who holds it, and in
 * which circle. */
#include <string.h>

#include "gpu/waits.h"
#include "sm/barrier.h"

#define REPORT_ENDED 8 /* blocks */
#define REPORT_WARPS 12  /* warps described one by one */
#define REPORT_OTHERS 4  /* the same, when circles or starved warps explain most */
#define REPORT_CIRCLES 3 /* circles of waiting, and members of each */
#define REPORT_MEMBERS 8
#define REPORT_STARVED 6
#define REPORT_TRIES 6 /* warps that try in vain; that never take a lock */
#define REPORT_WRITERS 2
#define REPORT_INACTIVE 4
#define REPORT_MISSING 8  /* warps that have not come to a barrier */
#define REPORT_ABSENT 4   /* blocks that have not come to a barrier of the grid */
#define REPORT_RANGES 4   /* of warps that are like one that is told of */
#define REPORT_BARRIERS 4 /* warps at barriers, beside others that spin */
#define REPORT_CLAIMS 4   /* locations that one warp wants */

static void add_pos(const struct gpu_run *run, uint32_t pc, struct strbuf *out)
{
    waits_pos(run->launch->module->code, pc, out);
}

static void add_name(const uint32_t block[3], uint32_t warp, struct strbuf *out)
{
    strbuf_addf(out, "block (%u,%u,%u) warp %u", block[0], block[1], block[2], warp);
}

static void add_lock(const struct gpu_run *run, const struct waits *w, const struct waits_lock *lock,
                     struct strbuf *out)
{
    waits_add_place(w, lock, &run->grid, out);
}

/* The blocks that do not come to a barrier of the grid. */
static void add_absent(const struct waits *w, const struct waits_lock *lock, struct strbuf *out)
{
    uint32_t from = 0, shown = 0, warp;
    for (; shown <= REPORT_ABSENT && waits_next_absent(w, lock, &from, &warp); shown++) {
        const uint32_t *block = w->warps[warp].state.block;
        if (shown == REPORT_ABSENT)
            strbuf_add(out, " and others");
        else
            strbuf_addf(out, "%s (%u,%u,%u)",
                        shown ? "," : "; a barrier of the grid, to which blocks have not come:", block[0], block[1],
                        block[2]);
    }
}

/* Who may write a word that is polled, and does not come to it. */
static void add_writers(const struct gpu_run *run, const struct waits *w, const struct waits_lock *lock,
                        const struct waits_warp *waiter, struct strbuf *out)
{
    struct waits_writer writer;
    uint32_t from = 0, shown = 0;
    for (; waits_next_writer(w, lock, &from, &writer); shown++) {
        const struct waits_warp *node = &w->warps[writer.warp];
        if (shown == REPORT_WRITERS) {
            strbuf_add(out, ", and others");
            break;
        }
        strbuf_add(out, shown ? ", " : "; may be written by ");
        waits_add_lanes(writer.lanes, out);
        if (node == waiter) {
            strbuf_add(out, " of this warp");
        } else {
            strbuf_add(out, " of ");
            add_name(node->state.block, node->state.index, out);
        }
        strbuf_add(out, " at ");
        add_pos(run, writer.at, out);
        if (node->kind == WAITS_BARRIER) {
            strbuf_add(out, ", which waits at ");
            waits_add_barrier(&node->state, out);
            strbuf_add(out, " before ");
        } else if (node == waiter && !run->grid.divergence->poll)
            strbuf_add(out, ", which gets no turn before these lanes meet it (SIMT deadlock) and stands at ");
        else
            strbuf_add(out, ", which stands at ");
        add_pos(run, writer.pc, out);
    }
    add_absent(w, lock, out);
    if (!shown && w->begun < w->blocks && !lock->shared)
        strbuf_add(out, "; may be written by blocks that have not begun");
    if (waits_host_writes(run, lock))
        strbuf_add(out, "; the host can write it");
}

/* Who holds a lock, and why the holder does not give it back. waiter: who asks. */
static void add_holder(const struct gpu_run *run, const struct waits *w, const struct waits_lock *lock,
                       const struct waits_warp *waiter, struct strbuf *out)
{
    if (lock->holder == HOLDER_UNKNOWN) {
        waits_add_last_writer(w, run, lock, "; ", out);
        add_writers(run, w, lock, waiter, out);
        return;
    }
    if (lock->holder == HOLDER_FREE) {
        strbuf_add(out, "; free now");
        return;
    }
    strbuf_add(out, "; held by ");
    add_name(lock->taken.block, lock->taken.warp, out);
    strbuf_addf(out, " lane %u since ", lock->taken.lane);
    waits_add_time(w, run, lock->taken.cycle, out);
    strbuf_add(out, ", taken at ");
    add_pos(run, lock->taken.pc, out);
    if (lock->holder == HOLDER_WARP_ENDED) {
        strbuf_add(out, ", whose warp has ended without giving it back");
    } else if (lock->holder == HOLDER_LANE_ENDED) {
        strbuf_add(out, ", a lane that has ended without giving it back");
    } else if (lock->holder == HOLDER_INACTIVE) {
        strbuf_add(out, ", a lane that waits at ");
        add_pos(run, lock->holder_pc, out);
        bool same = &w->warps[lock->holder_warp] == waiter && !run->grid.divergence->poll;
        strbuf_add(out, same ? " for the lanes that spin: on a SIMT stack neither can go on (SIMT deadlock)"
                             : " for other lanes of its warp");
    } else if (&w->warps[lock->holder_warp] == waiter) {
        strbuf_add(out, ", one of the lanes that spin");
    } else if (w->warps[lock->holder_warp].kind == WAITS_STARVED) {
        strbuf_add(out, ", which is starved");
    } else if (w->warps[lock->holder_warp].kind == WAITS_KEPT) {
        strbuf_add(out, ", which waits for an access to memory");
    }
}

static void add_claim(const struct gpu_run *run, const struct waits *w, const struct waits_warp *node,
                      const struct waits_claim *claim, struct strbuf *out)
{
    const struct waits_lock *lock = &w->locks[claim->lock];
    strbuf_add(out, " on ");
    add_lock(run, w, lock, out);
    add_holder(run, w, lock, node, out);
}

/* Describes what the lanes of a warp want; only: the one claim to speak of, or WAITS_NOBODY for all. */
static void describe_claims(const struct gpu_run *run, const struct waits *w, const struct waits_warp *node,
                            uint32_t only, struct strbuf *out)
{
    const struct sm_warp_state *s = &node->state;
    bool one = only != WAITS_NOBODY || node->claim_count == 1;
    const struct waits_claim *claim = &node->claims[only != WAITS_NOBODY ? only : 0];
    waits_add_lanes(one ? claim->lanes : s->mask, out);
    strbuf_addf(out, " of %u %s ", mask_count(s->live), waits_words(WAITS_LOCK)->words);
    add_pos(run, s->last_sync_pc, out);
    if (one) {
        add_claim(run, w, node, claim, out);
        return;
    }
    for (uint32_t i = 0; i < node->claim_count && i < REPORT_CLAIMS; i++) {
        strbuf_add(out, "\n    ");
        waits_add_lanes(node->claims[i].lanes, out);
        add_claim(run, w, node, &node->claims[i], out);
    }
    if (node->claim_count > REPORT_CLAIMS)
        strbuf_addf(out, "\n    and %u more addresses", node->claim_count - REPORT_CLAIMS);
}

/* Lanes of the warp that have not the turn. */
static void describe_inactive(const struct gpu_run *run, const struct waits_warp *node, struct strbuf *out)
{
    struct waits_standing list[WAITS_STANDING];
    uint32_t n = waits_inactive(node, list, WAITS_STANDING);
    for (uint32_t i = 0; i < n && i < REPORT_INACTIVE; i++) {
        strbuf_add(out, i ? "; " : "\n    its other lanes: ");
        waits_add_standing(run->launch->module->code, &list[i], out);
    }
    if (n > REPORT_INACTIVE)
        strbuf_addf(out, "; and %u more places", n - REPORT_INACTIVE);
}

static void describe_warp(const struct gpu_run *run, const struct waits *w, const struct waits_warp *node,
                          uint32_t only, struct strbuf *out)
{
    const struct sm_warp_state *s = &node->state;
    strbuf_add(out, "\n  ");
    add_name(s->block, s->index, out);
    if (w->source.timed)
        strbuf_addf(out, " (SM %u)", node->sm);
    strbuf_add(out, ": ");
    if (node->kind == WAITS_BARRIER) {
        strbuf_addf(out, "%s ", waits_words(node->kind)->words);
        waits_add_barrier(s, out);
        strbuf_add(out, " before ");
        add_pos(run, s->pc, out);
    } else if (waits_on_object(node)) {
        waits_add_lanes(s->mask, out);
        strbuf_addf(out, " of %u %s ", mask_count(s->live), waits_words(WAITS_MBARRIER)->words);
        add_pos(run, s->last_sync_pc, out);
        waits_add_objects(w, node, out);
    } else if (waits_for_registers(node)) {
        waits_add_lanes(s->mask, out);
        strbuf_addf(out, " of %u %s ", mask_count(s->live), waits_words(node->kind)->words);
        add_pos(run, waits_registers_pc(node), out);
        waits_add_registers(w, node, out);
    } else if (node->kind == WAITS_LOCK) {
        describe_claims(run, w, node, only, out);
    } else if (waits_for_copies(node)) {
        waits_add_lanes(s->mask, out);
        strbuf_addf(out, " of %u wait for copies that are under way before ", mask_count(s->live));
        add_pos(run, s->pc, out);
    } else {
        waits_add_lanes(s->mask, out);
        strbuf_addf(out, " of %u %s ", mask_count(s->live), waits_words(node->kind)->words);
        add_pos(run, s->pc, out);
    }
    waits_add_callers(s->warp, s->warp->paths.now, "\n    called", out);
    describe_inactive(run, node, out);
}

/* For the barrier of a cluster: the blocks that have not come, each with where the first of its warps stands that waits
 * for something else. */
static void describe_missing_blocks(const struct gpu_run *run, const struct waits *w, const struct sm_warp_state *here,
                                    struct strbuf *out)
{
    uint32_t index[3];
    strbuf_add(out, "\n  its cluster still awaits ");
    for (uint32_t rest = here->missing; rest; rest &= rest - 1) {
        const struct sm_warp_state *late = NULL;
        simt_block_of_rank(here->warp->block, mask_first(rest), index);
        for (uint32_t i = w->warp_count; i-- > 0;)
            if (memcmp(w->warps[i].state.block, index, sizeof index) == 0 &&
                !(late && waits_at_barrier(&w->warps[i].state, SM_CLUSTER_BARRIER)))
                late = &w->warps[i].state;
        strbuf_addf(out, "%sblock (%u,%u,%u)", rest == here->missing ? "" : ", ", index[0], index[1], index[2]);
        if (!late)
            continue;
        strbuf_addf(out, " (warp %u %s ", late->index,
                    waits_at_barrier(late, SM_CLUSTER_BARRIER) ? "waits without all of its warps having arrived, before"
                    : waits_for(late, WAITS_BARRIER)           ? "at another barrier, before"
                                                               : "at");
        add_pos(run, late->pc, out);
        strbuf_add(out, ")");
    }
}

/* For a barrier that is not full: who has not come. */
static void describe_missing(const struct gpu_run *run, const struct waits *w, const struct waits_warp *waiting,
                             struct strbuf *out)
{
    const struct sm_warp_state *here = &waiting->state;
    unsigned missing = 0;
    if (here->barrier == SM_CLUSTER_BARRIER) {
        describe_missing_blocks(run, w, here, out);
        return;
    }
    strbuf_add(out, "\n  ");
    waits_add_barrier(here, out);
    if (here->barrier != SM_GRID_BARRIER)
        strbuf_addf(out, " of block (%u,%u,%u)", here->block[0], here->block[1], here->block[2]);
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct sm_warp_state *s = &w->warps[i].state;
        if (!waits_awaits(here, s) || missing++ >= REPORT_MISSING)
            continue;
        strbuf_add(out, missing == 1 ? " still awaits: " : ", ");
        if (here->barrier == SM_GRID_BARRIER)
            add_name(s->block, s->index, out);
        else
            strbuf_addf(out, "warp %u", s->index);
        strbuf_addf(out, " (%s ", waits_for(s, WAITS_BARRIER)     ? "at another barrier, before"
                                  : waits_for(s, WAITS_REGISTERS) ? "waits for registers, before"
                                                                  : "at");
        add_pos(run, s->pc, out);
        strbuf_add(out, ")");
    }
    if (missing > REPORT_MISSING)
        strbuf_addf(out, ", and %u more", missing - REPORT_MISSING);
    if (!missing)
        strbuf_add(out, " expects more threads than the block has left");
}

/* A circle of waiting, each member with whom it waits for. */
static void describe_circle(const struct gpu_run *run, const struct waits *w, uint32_t number, struct strbuf *out)
{
    uint32_t first = 0, count = 0, at;
    while (w->warps[first].circle != number)
        first++;
    for (at = first; count == 0 || at != first; at = w->warps[at].next)
        count++;
    strbuf_addf(out,
                count == 1 ? "\n circle %u: a warp that waits for itself:"
                           : "\n circle %u: %u warps, each waits for the next, the last for the first:",
                number, count);
    at = first;
    for (uint32_t i = 0; i < count && i < REPORT_MEMBERS; i++, at = w->warps[at].next) {
        describe_warp(run, w, &w->warps[at], w->warps[at].next_claim, out);
        if (w->warps[at].kind == WAITS_BARRIER) {
            strbuf_add(out, ", for ");
            add_name(w->warps[w->warps[at].next].state.block, w->warps[w->warps[at].next].state.index, out);
        }
    }
    if (count > REPORT_MEMBERS)
        strbuf_addf(out, "\n  and %u more", count - REPORT_MEMBERS);
}

/* How many lanes wait for the locks that a warp holds. */
static uint32_t lanes_behind(const struct waits *w, uint32_t warp)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->lock_count; i++)
        lanes += w->locks[i].holder_warp == warp ? w->locks[i].lanes : 0;
    return lanes;
}

static void describe_starved(const struct gpu_run *run, const struct waits *w, uint32_t index, struct strbuf *out)
{
    const struct waits_warp *node = &w->warps[index];
    unsigned schedulers = core_schedulers(&run->gpu->machine.sm), scheduler = node->slot % schedulers;
    uint64_t here = 0, others = 0;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        if (w->warps[i].sm != node->sm)
            continue;
        if (w->warps[i].slot % schedulers == scheduler)
            here += w->warps[i].state.issued;
        else
            others += w->warps[i].state.issued;
    }
    describe_warp(run, w, node, WAITS_NOBODY, out);
    if (node->kind == WAITS_KEPT)
        strbuf_addf(
            out,
            "\n    its access has not ended since the last progress, in which time other warps of SM %u have issued "
            "%llu instructions",
            node->sm, (unsigned long long)(here + others));
    else
        strbuf_addf(out,
                    "\n    starved by its scheduler: since the last progress scheduler %u of SM %u has issued %llu "
                    "instructions, all of other warps; the SM's other schedulers, with which it shares units, %llu",
                    scheduler, node->sm, (unsigned long long)here, (unsigned long long)others);
    for (uint32_t i = 0; i < w->lock_count; i++) {
        const struct waits_lock *lock = &w->locks[i];
        if (lock->holder_warp != index || lock->holder < HOLDER_INACTIVE)
            continue;
        strbuf_addf(out, "\n    its lane %u holds ", lock->taken.lane);
        add_lock(run, w, lock, out);
        strbuf_add(out, " since ");
        waits_add_time(w, run, lock->taken.cycle, out);
        strbuf_add(out, ", taken at ");
        add_pos(run, lock->taken.pc, out);
        strbuf_addf(out, "; %u lanes of %u warps wait for it", lock->lanes, lock->warps);
    }
}

/* A scheduler that has issued nothing although warps could go on. */
static void describe_idle_scheduler(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    unsigned schedulers = core_schedulers(&run->gpu->machine.sm), idle = 0, ready = 0;
    const char *name = run->gpu->scheduler.policy->name;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct waits_warp *node = &w->warps[i];
        bool first = node->kind == WAITS_STARVED, issues = false;
        for (uint32_t k = i; k-- > 0 && w->warps[k].sm == node->sm;)
            first &= w->warps[k].kind != WAITS_STARVED || w->warps[k].slot % schedulers != node->slot % schedulers;
        for (uint32_t k = 0; first && k < w->warp_count; k++)
            issues |= w->warps[k].sm == node->sm && w->warps[k].slot % schedulers == node->slot % schedulers &&
                      w->warps[k].state.issued;
        idle += first && !issues;
        for (uint32_t k = i; first && !issues && k < w->warp_count && w->warps[k].sm == node->sm; k++)
            ready += w->warps[k].kind == WAITS_STARVED && w->warps[k].slot % schedulers == node->slot % schedulers;
    }
    if (idle)
        strbuf_addf(out,
                    "\n scheduler: %s never picks any of %u warps that could go on: %u schedulers have issued nothing "
                    "since the last progress",
                    name, ready, idle);
}

/* Warps that get no turn (kind STARVED), or no answer of memory (KEPT), and that others wait for, those first for whom
 * most wait. */
static void describe_all_starved(const struct gpu_run *run, const struct waits *w, enum waits_kind kind,
                                 struct strbuf *out)
{
    uint32_t starved = 0, holders = 0, last = UINT32_MAX, after = 0;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        starved += w->warps[i].kind == kind;
        holders += w->warps[i].kind == kind && lanes_behind(w, i);
    }
    if (!starved)
        return;
    strbuf_addf(out, "\n %s: %u warps %s, %u of them hold what others wait for:",
                kind == WAITS_KEPT ? "kept waiting" : "starved", starved,
                kind == WAITS_KEPT ? "wait for accesses to memory that do not end" : "could go on but get no turn",
                holders);
    for (uint32_t shown = 0; shown < holders && shown < REPORT_STARVED; shown++) {
        uint32_t best = WAITS_NOBODY, most = 0;
        for (uint32_t i = 0; i < w->warp_count; i++) {
            uint32_t lanes = w->warps[i].kind == kind ? lanes_behind(w, i) : 0;
            if (lanes > most && (lanes < last || (lanes == last && i > after))) {
                best = i;
                most = lanes;
            }
        }
        describe_starved(run, w, best, out);
        last = most;
        after = best;
    }
    if (holders > REPORT_STARVED)
        strbuf_addf(out, "\n  and %u more", holders - REPORT_STARVED);
}

/* Warps that take a lock, do not find what they want, give it back and try again; and those who ask for it all the time
 * and never meet it free. */
static bool tries_in_vain(const struct waits_warp *node)
{
    return node->kind != WAITS_BARRIER && node->kind != WAITS_STARVED && node->kind != WAITS_KEPT &&
           node->state.takes > WAITS_MANY_TAKES;
}

static bool never_takes(const struct waits_warp *node)
{
    return node->kind == WAITS_LOCK && !node->state.takes && node->state.sync_ops > WAITS_MANY_TAKES;
}

static uint32_t count_warps(const struct waits *w, bool (*is)(const struct waits_warp *))
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->warp_count; i++)
        n += is(&w->warps[i]);
    return n;
}

static void describe_tries(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    uint32_t in_vain = count_warps(w, tries_in_vain), never = count_warps(w, never_takes), shown = 0;
    uint64_t takes = 0;
    if (!in_vain)
        return;
    for (uint32_t i = 0; i < w->warp_count; i++)
        takes += w->warps[i].state.takes;
    strbuf_addf(out,
                "\n tries: locks were taken %llu times since the last progress, by %u warps that give them back, since "
                "what they look at then has not changed, and try again:",
                (unsigned long long)takes, in_vain);
    for (uint32_t i = 0; i < w->warp_count && shown < REPORT_TRIES; i++) {
        if (!tries_in_vain(&w->warps[i]))
            continue;
        describe_warp(run, w, &w->warps[i], WAITS_NOBODY, out);
        strbuf_addf(out, "; it took a lock %llu times", (unsigned long long)w->warps[i].state.takes);
        shown++;
    }
    if (in_vain > shown)
        strbuf_addf(out, "\n  and %u more", in_vain - shown);
    shown = 0;
    if (never)
        strbuf_addf(out,
                    "\n  %u warps asked as often and never got it: if they are inside what the others want to enter, "
                    "these wait for them:",
                    never);
    for (uint32_t i = 0; i < w->warp_count && shown < REPORT_TRIES; i++) {
        if (!never_takes(&w->warps[i]))
            continue;
        describe_warp(run, w, &w->warps[i], WAITS_NOBODY, out);
        strbuf_addf(out, "; it asked %llu times", (unsigned long long)w->warps[i].state.sync_ops);
        shown++;
    }
    if (never > shown)
        strbuf_addf(out, "\n  and %u more", never - shown);
}

/* Ranges of warps, the later ones like warps[i]: those that are marked. */
static void describe_alike(const struct waits *w, uint32_t i, bool *told, struct strbuf *out)
{
    uint32_t ranges = 0, more = 0;
    for (uint32_t k = i + 1; k < w->warp_count; k++) {
        const struct sm_warp_state *first = &w->warps[k].state;
        if (told[k] || !waits_alike(&w->warps[i], &w->warps[k]))
            continue;
        uint32_t last = k;
        told[k] = true;
        while (last + 1 < w->warp_count && !told[last + 1] && waits_alike(&w->warps[i], &w->warps[last + 1]) &&
               memcmp(first->block, w->warps[last + 1].state.block, sizeof first->block) == 0 &&
               w->warps[last + 1].state.index == w->warps[last].state.index + 1)
            told[++last] = true;
        if (ranges++ >= REPORT_RANGES) {
            more += last - k + 1;
        } else {
            strbuf_add(out, ranges > 1 ? ", " : "\n    and so ");
            add_name(first->block, first->index, out);
            if (last > k)
                strbuf_addf(out, "-%u", w->warps[last].state.index);
        }
        k = last;
    }
    if (more)
        strbuf_addf(out, ", and %u more", more);
}

/* The warps that neither circles nor the starved nor those that try in vain explain. Beside others, only the first ones
 * of each barrier are told. */
static bool told_before(const struct waits_warp *node, bool trying)
{
    return (node->circle && node->circle <= REPORT_CIRCLES) || (trying && (tries_in_vain(node) || never_takes(node)));
}

static void describe_others(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    unsigned spinning = 0, left = 0, shown = 0, barriers = 0;
    bool trying = count_warps(w, tries_in_vain) > 0;
    unsigned most = w->circle_count || waits_starving(w) || trying ? REPORT_OTHERS : REPORT_WARPS;
    bool *told = ARENA_NEW(w->arena, bool, w->warp_count + 1);
    for (uint32_t i = 0; i < w->warp_count; i++) {
        told[i] = told_before(&w->warps[i], trying);
        spinning += w->warps[i].kind != WAITS_BARRIER;
    }
    for (uint32_t i = 0; i < w->warp_count; i++) {
        const struct waits_warp *node = &w->warps[i];
        if (told[i])
            continue;
        if (left++ == 0 && most == REPORT_OTHERS)
            strbuf_add(out, "\n others:");
        barriers += node->kind == WAITS_BARRIER;
        if (shown == most || (node->kind == WAITS_BARRIER && spinning && barriers > REPORT_BARRIERS))
            continue;
        told[i] = true;
        describe_warp(run, w, node, WAITS_NOBODY, out);
        describe_alike(w, i, told, out);
        if (node->kind == WAITS_BARRIER)
            describe_missing(run, w, node, out);
        shown++;
    }
    if (left > shown)
        strbuf_addf(out, "\n  and %u more", left - shown);
}

/* True if warps wait for a lock that a warp or lane took and did not give back before it ended. */
static bool is_kept(const struct waits *w)
{
    for (uint32_t i = 0; i < w->lock_count; i++)
        if (w->locks[i].lanes && (w->locks[i].holder == HOLDER_WARP_ENDED || w->locks[i].holder == HOLDER_LANE_ENDED))
            return true;
    return false;
}

static bool is_held_by(const struct waits *w, const struct waits_lock *lock, enum waits_kind kind)
{
    return lock->holder_warp != WAITS_NOBODY && w->warps[lock->holder_warp].kind == kind;
}

/* Blocks that have ended of a launch all of whose blocks may wait for each other: "; ended: block (3,0,0)". */
static void add_ended_blocks(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    unsigned told = 0;
    for (uint64_t number = 0; number < w->begun && told <= REPORT_ENDED; number++) {
        uint32_t index[3], i = 0;
        gpu_block_index(run, number, index);
        while (i < w->warp_count && memcmp(w->warps[i].state.block, index, sizeof index) != 0)
            i++;
        if (i == w->warp_count && told++ < REPORT_ENDED)
            strbuf_addf(out, "%s(%u,%u,%u)", told == 1 ? "; ended: block " : ", ", index[0], index[1], index[2]);
    }
    if (told > REPORT_ENDED)
        strbuf_add(out, " ...");
}

/* Blocks that must wait until others end; what waits for them waits for ever. */
static void describe_blocks(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    struct strbuf text = {0};
    waits_add_blocks(w, &text);
    if (run->launch->cooperative)
        add_ended_blocks(run, w, &text);
    if (text.length)
        strbuf_addf(out, "\n blocks: %s", text.text);
    if (w->begun < w->blocks)
        strbuf_add(out, ": the device has room for them only when others end, which must not wait for them");
    strbuf_free(&text);
}

static const char *hint_for(enum gpu_hang how, bool starving, bool never)
{
    if (never)
        return "in a machine where every latency is fixed, those who take the lock can keep a phase in which the "
               "others "
               "always come too late; a device has no such rhythm: try --seed N";
    if (how == GPU_HANG_IDLE)
        return "a kernel that computes for longer without a store of a new value needs a higher gpu.idle_cycles (0: no "
               "limit)";
    return starving
               ? "a scheduler that gives every warp its turn, or sm.age_rotation, may end this; gpu.watch_cycles says "
                 "for how long a launch may do no work"
               : NULL;
}

static void describe_verdict(const struct gpu_run *run, const struct waits *w, enum gpu_hang how, const char *reason,
                             struct strbuf *out)
{
    static const char *const what[] = {
        [GPU_HANG_STILL] = "can make no progress: nothing is under way and every warp waits",
        [GPU_HANG_STUCK] = "made no progress",
        [GPU_HANG_IDLE] =
            ("made no visible progress: its warps change registers, but for gpu.idle_cycles no thread has "
             "ended or given memory a new value"),
    };
    unsigned at_barrier = 0;
    for (uint32_t i = 0; i < w->warp_count; i++)
        at_barrier += w->warps[i].kind == WAITS_BARRIER;
    strbuf_addf(out, "kernel %s %s%s; stopped ", run->name, what[how], reason);
    if (w->source.timed)
        strbuf_addf(out, "at cycle %llu under the scheduler %s", (unsigned long long)(w->source.now - run->start_cycle),
                    run->gpu->machine.sm.scheduler);
    else
        strbuf_addf(out, "after %llu warp instructions", (unsigned long long)w->source.now);
    strbuf_addf(out, " with %u warps unfinished, %u of them at barriers:", w->warp_count, at_barrier);
}

/* The reasons behind the verdict. */
static void describe_warps(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    describe_blocks(run, w, out);
    for (uint32_t i = 1; i <= w->circle_count && i <= REPORT_CIRCLES; i++)
        describe_circle(run, w, i, out);
    if (w->circle_count > REPORT_CIRCLES)
        strbuf_addf(out, "\n and %u more circles", w->circle_count - REPORT_CIRCLES);
    describe_idle_scheduler(run, w, out);
    describe_all_starved(run, w, WAITS_STARVED, out);
    describe_all_starved(run, w, WAITS_KEPT, out);
    describe_tries(run, w, out);
    describe_others(run, w, out);
}

void gpu_describe_waits(const struct gpu_run *run, const struct waits *w, struct strbuf *out)
{
    strbuf_addf(out, "kernel %s at cycle %llu: %u warps unfinished", run->name,
                (unsigned long long)(w->source.now - run->start_cycle), w->warp_count);
    describe_warps(run, w, out);
}

void gpu_explain_hang(struct gpu_run *run, enum gpu_hang how, const struct waits_source *source, uint64_t since)
{
    struct waits w;
    struct strbuf text = {0};
    unsigned starving = 0, kept = 0;
    waits_find(&w, run->gpu, source, &run->arena);
    waits_find_writers(&w, since);
    waits_count_blocks(&w, run->blocks, run->next_block);
    for (uint32_t i = 0; i < w.lock_count; i++) {
        starving += is_held_by(&w, &w.locks[i], WAITS_STARVED);
        kept += is_held_by(&w, &w.locks[i], WAITS_KEPT);
    }
    uint32_t in_vain = count_warps(&w, tries_in_vain), never = count_warps(&w, never_takes);
    describe_verdict(run, &w, how,
                     w.circle_count ? " (deadlock)"
                     : starving     ? " (livelock: holders of locks get no turn)"
                     : kept         ? " (livelock: holders of locks wait for accesses to memory that do not end)"
                     : in_vain      ? " (livelock: locks are taken and given back in vain)"
                     : is_kept(&w)  ? " (a lock was not given back)"
                                    : "",
                     &text);
    if (run->why_alone)
        strbuf_addf(&text, "\n host: %s", run->why_alone);
    describe_warps(run, &w, &text);
    diag_error(run->sink, DIAG_NOWHERE, hint_for(how, starving, in_vain && never), "%s", strbuf_text(&text));
    strbuf_free(&text);
    if (run->launch->waits)
        waits_dot(&w, run, run->launch->waits);
}
