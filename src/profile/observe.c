/* The observer: from events to counts of an SM. Stays of warps are counted where they happen (watch/stays.h), but for
 * those of marked warps, which are counted here: warps that come and go, that are behind a fence or at a barrier, and
 * all of a kernel that is looked at more closely. */
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "isa/mod_values.h"
#include "profile/sm.h"

/* Stays */

static inline struct watch_stay *warp_of(struct profile_sm *s, uint32_t warp)
{
    return watch_stay_of(profile_stays_of(s), warp);
}

static inline uint64_t *row_of(struct profile_sm *s, uint32_t pc)
{
    return watch_stays_row(profile_stays_of(s), pc);
}

/* Its counts in the context in which the warp issues it; to be asked for where kernels call functions alone. */
static uint64_t *row_in_context(struct profile_sm *s, uint32_t warp, uint32_t pc)
{
    struct profile_calls *calls = profile_calls_of(s);
    return profile_calls_row(calls, *profile_calls_recent(calls, warp, pc));
}

/* Adds to a count of an instruction, and of the context in which the warp issues it. */
static inline void count(struct profile_sm *s, uint32_t warp, uint32_t pc, uint32_t which, uint64_t amount)
{
    row_of(s, pc)[which] += amount;
    if (RARELY(s->calls))
        row_in_context(s, warp, pc)[which] += amount;
}

/* Cycles of the warp's stay go to another cause than its own; in a kernel that calls functions, for its context, too.
 */
static void count_apart(struct profile_sm *s, const struct watch_stay *w, uint32_t cause, uint64_t cycles)
{
    watch_stay_apart(profile_stays_of(s), w, cause, cycles);
    if (!w->context)
        return;
    uint64_t *row = profile_calls_row(profile_calls_of(s), w->context) + PROFILE_COUNTS;
    row[w->cause] -= cycles;
    row[cause] += cycles;
}

static void close_stay(struct profile_sm *s, struct watch_stay *w, uint64_t end)
{
    struct watch_stays *stays = profile_stays_of(s);
    uint64_t *unusual = &stays->unusual[w - stays->warps];
    watch_stays_look(stays, (uint32_t)(w - stays->warps), end);
    count_apart(s, w, stays->unpicked, *unusual / WATCH_STAY_PASSED);
    *unusual %= WATCH_STAY_PASSED;
    watch_stay_close(stays, w, end);
    if (w->context)
        profile_calls_row(profile_calls_of(s), w->context)[PROFILE_COUNTS + w->cause] += end - w->since;
}

/* The context of the instruction that a stay is charged to. */
static uint32_t context_at(struct profile_sm *s, const struct watch_stay *w, const struct lockstep_stand_event *e,
                           bool at_fence)
{
    uint32_t here = profile_calls_stand(profile_calls_of(s), e);
    return profile_charged_last(&s->charge, e->cause, at_fence) ? w->last_context : here;
}

static void come(struct profile_sm *s, struct watch_stay *w, const struct lockstep_stand_event *e)
{
    struct watch_stays *stays = profile_stays_of(s);
    *w = (struct watch_stay){
        .since = e->cycle, .last_pc = e->pc, .at = stays->nowhere};
    watch_stays_follow(stays, e->warp, e->cycle);
    stays->unusual[e->warp] = s->looks ? PROFILE_LOOKS : 0;
}

/* Waits for mbarriers and clusters. */
static void look(struct profile_sm *s, const struct watch_stay *w, const struct lockstep_stand_event *e)
{
    if (s->mbarriers)
        profile_mbarriers_stand(profile_mbarriers_of(s), e, e->cause == s->charge.mbarrier);
    if (s->clusters)
        profile_barriers_stand(profile_barriers_of(s), profile_stays_of(s), e, w->last_pc,
                               e->cause == s->charge.cluster);
}

/* A marked warp stands: it comes, or is behind a fence, or its kernel is looked at more closely. */
static void stand(void *state, const struct lockstep_stand_event *e)
{
    struct profile_sm *s = state;
    struct watch_stays *stays = profile_stays_of(s);
    struct watch_stay *w = warp_of(s, e->warp);
    uint64_t *unusual = &stays->unusual[e->warp];
    if (*unusual & PROFILE_AWAY)
        come(s, w, e);
    look(s, w, e);
    if (e->cause != s->charge.fence)
        *unusual &= ~(uint64_t)PROFILE_FENCE;
    bool at_fence = *unusual & PROFILE_FENCE;
    uint32_t pc = profile_charged_to(&s->charge, e->cause, at_fence, w->last_pc, e->pc);
    uint32_t at = watch_stays_number(stays, pc, e->cause);
    uint32_t context = s->calls ? context_at(s, w, e, at_fence) : 0;
    if (at == w->at && context == w->context)
        return;
    if (watch_stay_awaited(stays, w, e->cycle))
        count(s, e->warp, w->done_pc, PROFILE_awaited, e->cycle - w->since);
    close_stay(s, w, e->cycle);
    watch_stay_open(stays, w, at, e->cause, e->cycle);
    w->context = (uint16_t)context;
}

/* A marked warp has issued, or any a fence. */
static void issue(void *state, const struct lockstep_issue_event *e)
{
    struct profile_sm *s = state;
    struct watch_stays *stays = profile_stays_of(s);
    struct watch_stay *w = warp_of(s, e->warp);
    bool first = watch_stay_is_first(w, e->cycle);
    bool polls = stays->unusual[e->warp] & PROFILE_POLLED && profile_polls_issued(profile_polls_of(s), e);
    watch_stays_count_issue(stays, e->pc, first);
    watch_stays_count_lanes(stays, e->pc, e->active, e->mask);
    close_stay(s, w, e->cycle + !first);
    watch_stay_nowhere(stays, w, e->pc, e->cycle);
    profile_barriers_issue(profile_barriers_of(s), stays, profile_comings_of(s), e);
    if (s->clusters)
        profile_comings_issue(profile_comings_of(s), &profile_barriers_of(s)->lasts, stays, e);
    if (s->mbarriers)
        profile_mbarriers_issue(profile_mbarriers_of(s), e);
    stays->unusual[e->warp] = (s->looks ? PROFILE_LOOKS : 0) | (polls ? PROFILE_POLLED : 0) |
                              (e->instruction_class == LOCKSTEP_FENCE ? PROFILE_FENCE : 0);
    if (!s->calls)
        return;
    uint32_t context = profile_calls_issue(profile_calls_of(s), e);
    uint64_t *row = profile_calls_row(profile_calls_of(s), context);
    row[PROFILE_issues]++;
    row[PROFILE_active] += mask_count(e->active);
    row[PROFILE_lanes] += mask_count(e->mask);
    row[PROFILE_COUNTS + stays->issued] += first;
    w->last_context = (uint16_t)context;
    w->context = 0;
}

static void held(void *state, uint64_t warps)
{
    struct profile_sm *s = state;
    for (uint64_t rest = warps; rest; rest &= rest - 1)
        count_apart(s, warp_of(s, mask_first(rest)), profile_stays_of(s)->held, 1);
}

/* The threads in that slot have ended, or are other ones from now on. */
static void forget(struct profile_sm *s, uint32_t slot)
{
    profile_words_forget(profile_words_of(s), slot);
    profile_polls_forget(profile_polls_of(s), slot);
    profile_barriers_forget(profile_barriers_of(s), slot);
    if (s->calls)
        profile_calls_forget(profile_calls_of(s), slot);
    if (s->comings)
        profile_comings_forget(profile_comings_of(s), slot);
}

static void leave(void *state, const struct lockstep_leave_event *e)
{
    struct profile_sm *s = state;
    profile_barriers_retire(profile_barriers_of(s), profile_stays_of(s), e->warps);
    for (uint64_t rest = e->warps; rest; rest &= rest - 1) {
        struct watch_stay *w = warp_of(s, mask_first(rest));
        close_stay(s, w, e->cycle > w->since ? e->cycle : w->since);
        profile_stays_of(s)->unusual[mask_first(rest)] = PROFILE_AWAY;
        watch_stays_unfollow(profile_stays_of(s), mask_first(rest));
        profile_words_leave(profile_words_of(s), mask_first(rest), e->cycle);
        if (s->mbarriers)
            profile_mbarriers_leave(profile_mbarriers_of(s), mask_first(rest), e->cycle);
        if (s->clusters)
            profile_barriers_leave(profile_barriers_of(s), profile_stays_of(s), mask_first(rest), e->cycle);
        forget(s, mask_first(rest));
    }
}

#define NEIGHBOURS 4 /* lanes behind the first that are looked at: how an access lies shows there */

static inline uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The mean distance of neighbours' addresses, among the first lanes. */
static uint64_t mean_distance(const struct lockstep_access_event *e)
{
    unsigned first = mask_first(e->mask), count = 0;
    const uint64_t *at = e->address + first;
    if (!(~(e->mask >> first) & mask_low(NEIGHBOURS + 1))) /* they lie side by side, most often */
        return (distance(at[0], at[1]) + distance(at[1], at[2]) + distance(at[2], at[3]) + distance(at[3], at[4])) /
               NEIGHBOURS;
    uint64_t sum = 0, before = *at;
    for (uint64_t rest = e->mask & (e->mask - 1); rest && count < NEIGHBOURS; rest &= rest - 1, count++) {
        sum += distance(e->address[mask_first(rest)], before);
        before = e->address[mask_first(rest)];
    }
    return sum ? sum / count : 0;
}

static inline void add_access(uint64_t *row, uint64_t apart)
{
    row[PROFILE_accesses]++;
    row[PROFILE_apart] += apart;
}

/* For words by which threads exclude each other, or for which they wait. */
static void access_words(struct profile_sm *s, const struct lockstep_access_event *e)
{
    if (e->space != LOCKSTEP_CLUSTER) { /* words there are another SM's */
        profile_words_access(profile_words_of(s), e);
        if (RARELY(profile_polls_access(profile_polls_of(s), profile_words_of(s), e)))
            profile_stays_of(s)->unusual[e->warp] |= PROFILE_POLLED;
    }
    profile_sharing_access(profile_sharing_of(s), e);
    bool plain, writes = e->instruction_class != LOCKSTEP_LOAD && e->space == LOCKSTEP_GLOBAL && s->comings;
    if (writes && profile_polls_tells(profile_polls_of(s), e, &plain) &&
        !profile_words_is_lock(profile_words_of(s), e->address[mask_first(e->mask)], e->space))
        profile_comings_write(profile_comings_of(s), &profile_barriers_of(s)->lasts, profile_stays_of(s), e, plain);
}

static void access(void *state, const struct lockstep_access_event *e)
{
    if (!e->mask)
        return;
    if (((struct profile_sm *)state)->words_matter)
        access_words(state, e);
    if (RARELY(((struct profile_sm *)state)->mbarriers))
        profile_mbarriers_access(profile_mbarriers_of(state), e);
    uint64_t apart = mean_distance(e);
    add_access(row_of(state, e->pc), apart);
    if (RARELY(((struct profile_sm *)state)->calls))
        add_access(row_in_context(state, e->warp, e->pc), apart);
}

static void mbarrier(void *state, const struct lockstep_mbarrier_event *e)
{
    profile_mbarriers_operate(profile_mbarriers_of(state), &profile_barriers_of(state)->lasts,
                              profile_stays_of(state), e);
}

static void atomic(void *state, const struct lockstep_atomic_event *e)
{
    uint64_t step = ((struct profile_sm *)state)->step, added = e->after - e->before;
    profile_words_atomic(profile_words_of(state), e);
    if (RARELY(step) && e->operation == LOCKSTEP_ATOMIC_OTHER && e->space == LOCKSTEP_GLOBAL &&
        (added == step || (uint32_t)(0 - added) == (uint32_t)step))
        profile_words_count(profile_words_of(state), e, step);
    profile_polls_atomic(profile_polls_of(state), e);
}

static void launch(void *state, const struct lockstep_launch_event *e)
{
    forget(state, e->warp);
    profile_words_launch(profile_words_of(state), e);
    profile_lasts_launch(&profile_barriers_of(state)->lasts, e);
    if (!e->again && !e->warp_in_block && profile_comings_of(state))
        profile_comings_launch(profile_comings_of(state), e->block);
}

static void arrive(void *state, const struct lockstep_arrive_event *e)
{
    profile_stays_of(state)->unusual[e->warp] |= PROFILE_BARRIER;
    profile_barriers_arrive(profile_barriers_of(state), e);
}

static void opens(void *state, const struct lockstep_open_event *e)
{
    struct profile_sm *s = state;
    profile_barriers_open(profile_barriers_of(s), profile_stays_of(s),
                          profile_polls_looks(profile_polls_of(s)) ? profile_polls_of(s) : NULL, profile_comings_of(s),
                          e);
}

static void end(void *state, const struct lockstep_end_event *e)
{
    profile_barriers_end(profile_barriers_of(state), profile_stays_of(state), e);
}

static void split(void *state, const struct lockstep_split_event *e)
{
    count(state, e->warp, e->pc, PROFILE_splits, 1);
}

static inline void add_divided(uint64_t *row, const struct lockstep_divided_event *e)
{
    row[PROFILE_transactions] += e->transactions;
    row[PROFILE_bytes] += e->bytes;
}

static void divided(void *state, const struct lockstep_divided_event *e)
{
    add_divided(row_of(state, e->pc), e);
    if (RARELY(((struct profile_sm *)state)->calls))
        add_divided(row_in_context(state, e->warp, e->pc), e);
}

static void transaction(void *state, const struct lockstep_transaction_event *e)
{
    if (!e->waits && e->instruction_class == LOCKSTEP_LOAD)
        count(state, e->warp, e->pc, PROFILE_hits, 1);
}

static inline void add_served(uint64_t *row, const struct lockstep_served_event *e)
{
    row[PROFILE_l2_accesses] += e->sectors;
    row[PROFILE_l2_misses] += e->missed;
    row[PROFILE_dram_bytes] += e->dram_bytes;
}

static void served(void *state, const struct lockstep_served_event *e)
{
    add_served(row_of(state, e->pc), e);
    if (RARELY(((struct profile_sm *)state)->calls))
        add_served(row_in_context(state, e->warp, e->pc), e);
}

static void serialized(void *state, const struct lockstep_serialized_event *e)
{
    count(state, e->warp, e->pc, PROFILE_passes, e->passes - 1);
}

/* The state of an SM */

/* Stays stand behind it, then words, polls, accesses to words beside them, barriers, and calls. */
static size_t stays_at(void)
{
    return round_up_u64(sizeof(struct profile_sm), CACHE_LINE);
}

static size_t words_at(const struct lockstep_observed *observed)
{
    size_t counts = (size_t)observed->instructions * (PROFILE_COUNTS + observed->cause_count) + 1;
    return stays_at() + round_up_u64(sizeof(struct watch_stays) + counts * sizeof(uint64_t), CACHE_LINE);
}

static size_t mbarriers_at(const struct lockstep_observed *observed)
{
    return words_at(observed) + profile_words_bytes() + profile_polls_bytes(watch_module(observed)) +
           profile_sharing_bytes() + round_up_u64(profile_barriers_bytes(observed->instructions), sizeof(uint64_t));
}

static size_t calls_at(const struct lockstep_observed *observed)
{
    return mbarriers_at(observed) + round_up_u64(profile_mbarriers_bytes(watch_module(observed)), sizeof(uint64_t));
}

static size_t comings_at(const struct lockstep_observed *observed)
{
    return calls_at(observed) +
           round_up_u64(profile_calls_bytes(watch_module(observed), observed, PROFILE_COUNTS + observed->cause_count),
                        sizeof(uint64_t));
}

/* Threads may take words: by compare-and-swaps, exchanges, and what is no plain atomic. */
static bool has_attempts(const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->instr_count; i++) {
        const struct isa_instr *instr = &module->instrs[i];
        bool atomic = isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_ATOMIC;
        bool plain = instr->op == ISA_OP_ATOM || instr->op == ISA_OP_RED;
        if (atomic && (!plain || instr->mods.atomic == ISA_ATOMIC_CAS || instr->mods.atomic == ISA_ATOMIC_EXCH ||
                       instr->mods.atomic == ISA_ATOMIC_TAKE))
            return true;
    }
    return false;
}

static bool has_cluster_barriers(const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->instr_count; i++)
        if (isa_is_cluster_barrier(&module->instrs[i]))
            return true;
    return false;
}

static size_t state_bytes(const struct lockstep_observed *observed)
{
    return comings_at(observed) +
           profile_comings_bytes(watch_module(observed), profile_polls_may(watch_module(observed)));
}

static void begin_stays(struct watch_stays *stays, const struct profile_charge *charge,
                        const struct lockstep_observed *observed)
{
    _Static_assert((int)PROFILE_issues == WATCH_STAYS_ISSUES && (int)PROFILE_active == WATCH_STAYS_ACTIVE &&
                       (int)PROFILE_lanes == WATCH_STAYS_LANES && (int)PROFILE_awaited == WATCH_STAYS_AWAITED,
                   "stays are counted in the first counts of an instruction");
    stays->last = charge->last;
    stays->data = charge->data;
    stays->issued = charge->issued;
    stays->unpicked = charge->unpicked;
    stays->held = charge->held;
    stays->lanes = mask_low(observed->lanes);
    stays->before = PROFILE_COUNTS;
    stays->width = PROFILE_COUNTS + observed->cause_count;
    stays->nowhere = observed->instructions * stays->width;
    for (unsigned i = 0; i < WATCH_STAYS_WARPS; i++) {
        stays->unusual[i] = PROFILE_AWAY;
        watch_stays_unfollow(stays, i);
    }
}

static void begin(const struct lockstep_observed *observed, void *state)
{
    struct profile_sm *s = state;
    uint32_t width = PROFILE_COUNTS + observed->cause_count;
    s->stays = stays_at();
    s->words = words_at(observed);
    s->polls = s->words + profile_words_bytes();
    s->sharing = s->polls + profile_polls_bytes(watch_module(observed));
    s->barriers = s->sharing + profile_sharing_bytes();
    profile_charge_begin(&s->charge, observed);
    begin_stays(profile_stays_of(s), &s->charge, observed);
    profile_polls_begin(profile_polls_of(s), watch_module(observed));
    s->step = profile_words_step(watch_module(observed));
    s->words_matter = has_attempts(watch_module(observed)) || profile_polls_looks(profile_polls_of(s));
    s->clusters = has_cluster_barriers(watch_module(observed));
    if (profile_mbarriers_bytes(watch_module(observed))) {
        s->mbarriers = mbarriers_at(observed);
        profile_mbarriers_begin(profile_mbarriers_of(s), watch_module(observed));
    }
    if (profile_calls_bytes(watch_module(observed), observed, width)) {
        s->calls = calls_at(observed);
        profile_calls_begin(profile_calls_of(s), watch_module(observed), observed, width);
    }
    if (profile_comings_bytes(watch_module(observed), profile_polls_looks(profile_polls_of(s)))) {
        s->comings = comings_at(observed);
        profile_comings_begin(profile_comings_of(s), watch_module(observed), observed->cluster, observed->grid);
    }
    s->looks = s->calls || s->mbarriers || s->clusters;
}

static const struct lockstep_observer observer = {
    .version = LOCKSTEP_OBSERVER_VERSION,
    .name = "profile",
    .doc = "where warps' cycles go, by instruction",
    .state_bytes = state_bytes,
    .begin = begin,
    .launch = launch,
    .split = split,
    .access = access,
    .mbarrier = mbarrier,
    .atomic = atomic,
    .divided = divided,
    .transaction = transaction,
    .served = served,
    .serialized = serialized,
    .arrive = arrive,
    .open = opens,
    .end = end,
    .leave = leave,
};

static struct watch_stays *stays_of(void *state)
{
    return profile_stays_of(state);
}

static const struct watch_stays_port port = {.of = stays_of, .issue = issue, .stand = stand, .held = held};

const struct lockstep_observer *profile_observer(void)
{
    return &observer;
}

void profile_join(struct watch_observers *all)
{
    watch_join_stays(all, &observer, &port);
}
