/* The observer: from events to counts of an SM. A warp's stay is closed where it ends, by the event that says so; what
 * of it goes elsewhere (`unpicked`, `held`) is taken off its cause, as the model does. Sums wrap around while a stay
 * goes on, and are right when it is closed. */
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "profile/sm.h"

/* Stays */

static inline struct profile_warp *warp_of(struct profile_sm *s, uint32_t warp)
{
    struct profile_warp *w = &s->warps[warp];
    WORKED_OUT(w);
    return w;
}

static inline uint64_t *row_of(struct profile_sm *s, uint32_t pc)
{
    return s->counts + (size_t)pc * s->width;
}

/* The number of an instruction's count of a cause. */
static inline uint32_t number_of(const struct profile_sm *s, uint32_t pc, uint32_t cause)
{
    return pc * s->width + PROFILE_COUNTS + cause;
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

/* Cycles of the warp's stay go to another cause than its own. */
static inline void count_apart(struct profile_sm *s, const struct profile_warp *w, uint32_t cause, uint64_t cycles)
{
    s->counts[w->at] -= cycles;
    s->counts[w->at - w->cause + cause] += cycles;
}

/* In a kernel that calls functions, for its context, too. */
static void count_apart_in_context(struct profile_sm *s, const struct profile_warp *w, uint32_t cause, uint64_t cycles)
{
    uint64_t *row = profile_calls_row(profile_calls_of(s), w->context) + PROFILE_COUNTS;
    row[w->cause] -= cycles;
    row[cause] += cycles;
}

/* Those of the stay in which the warp's scheduler picked another. */
HOT_INLINE void count_passed(struct profile_sm *s, struct profile_warp *w)
{
    uint64_t passed = w->unusual / PROFILE_PASSED;
    count_apart(s, w, s->charge.unpicked, passed);
    if (RARELY(w->context))
        count_apart_in_context(s, w, s->charge.unpicked, passed);
    w->unusual %= PROFILE_PASSED;
}

/* The warp, which stood nowhere, stands at a cause from a cycle on; the count of that number is charged. A cycle in which
 * it issued counts for that, though a wait may be told to begin in it. */
HOT_INLINE void open_stay(struct profile_sm *s, struct profile_warp *w, uint32_t at, uint32_t cause, uint64_t cycle)
{
    uint64_t since = cycle > w->since ? cycle : w->since;
    s->counts[at] -= since;
    w->at = at;
    w->cause = (uint8_t)cause;
    w->since = since;
}

/* The warp's stay ends before a cycle: it stands nowhere. None of it was passed, or that is counted. */
HOT_INLINE void close_stay(struct profile_sm *s, const struct profile_warp *w, uint64_t end)
{
    s->counts[w->at] += end;
}

/* As close_stay, for any warp. */
static void close_unusual(struct profile_sm *s, struct profile_warp *w, uint64_t end)
{
    count_passed(s, w);
    close_stay(s, w, end);
    if (w->context)
        profile_calls_row(profile_calls_of(s), w->context)[PROFILE_COUNTS + w->cause] += end - w->since;
}

/* Events */

/* A wait for a value that ends with an instruction's completion was for that one. */
HOT_INLINE bool was_awaited(const struct profile_sm *s, const struct profile_warp *w, uint64_t cycle)
{
    return w->done == cycle + 1 && mask_has(s->charge.data, w->cause);
}

/* The context of the instruction that a stay is charged to. */
static uint32_t context_at(struct profile_sm *s, const struct profile_warp *w, const struct lockstep_stand_event *e)
{
    uint32_t here = profile_calls_stand(profile_calls_of(s), e);
    return profile_charged_last(&s->charge, e->cause, w->unusual & PROFILE_FENCE) ? w->last_context : here;
}

static void come(struct profile_sm *s, struct profile_warp *w, const struct lockstep_stand_event *e)
{
    *w = (struct profile_warp){.unusual = s->looks ? PROFILE_LOOKS : 0, .since = e->cycle, .last_pc = e->pc, .at = s->nowhere};
}

/* Waits for mbarriers and clusters. */
static void look(struct profile_sm *s, const struct profile_warp *w, const struct lockstep_stand_event *e)
{
    if (s->mbarriers)
        profile_mbarriers_stand(profile_mbarriers_of(s), e, e->cause == s->charge.mbarrier);
    if (s->clusters)
        profile_barriers_stand(profile_barriers_of(s), e, w->last_pc, e->cause == s->charge.cluster);
}

/* The first time that a warp stands, or behind a fence, or in a kernel that is looked at more closely. */
NOT_INLINE void stand_unusual(struct profile_sm *s, struct profile_warp *w, const struct lockstep_stand_event *e)
{
    if (w->unusual & PROFILE_AWAY)
        come(s, w, e);
    look(s, w, e);
    if (e->cause != s->charge.fence)
        w->unusual &= ~(uint64_t)PROFILE_FENCE;
    uint32_t pc = profile_charged_to(&s->charge, e->cause, w->unusual & PROFILE_FENCE, w->last_pc, e->pc);
    uint32_t context = s->calls ? context_at(s, w, e) : 0, at = number_of(s, pc, e->cause);
    if (at == w->at && context == w->context)
        return;
    if (was_awaited(s, w, e->cycle))
        count(s, e->warp, w->done_pc, PROFILE_awaited, e->cycle - w->since);
    close_unusual(s, w, e->cycle);
    open_stay(s, w, at, e->cause, e->cycle);
    w->context = (uint16_t)context;
}

HOT static void stand(void *state, const struct lockstep_stand_event *e)
{
    struct profile_sm *s = state;
    struct profile_warp *w = warp_of(s, e->warp);
    if (w->unusual) {
        if (RARELY(w->unusual % PROFILE_PASSED)) {
            stand_unusual(s, w, e);
            return;
        }
        count_passed(s, w);
    }
    uint32_t at = number_of(s, mask_has(s->charge.last, e->cause) ? w->last_pc : e->pc, e->cause);
    if (at == w->at)
        return;
    if (was_awaited(s, w, e->cycle))
        row_of(s, w->done_pc)[PROFILE_awaited] += e->cycle - w->since;
    close_stay(s, w, e->cycle);
    open_stay(s, w, at, e->cause, e->cycle);
}

HOT_INLINE void count_issue(uint64_t *row, const struct lockstep_issue_event *e, uint32_t issued, bool first)
{
    row[PROFILE_issues]++;
    row[PROFILE_active] += mask_count(e->active);
    row[PROFILE_lanes] += mask_count(e->mask);
    row[PROFILE_COUNTS + issued] += first;
}

/* Where a warp issues several instructions in a cycle, that counts as issued for the first: its stay begins behind the
 * cycle then. */
HOT_INLINE bool is_first(const struct profile_warp *w, const struct lockstep_issue_event *e)
{
    return w->since <= e->cycle;
}

HOT_INLINE void stand_nowhere(const struct profile_sm *s, struct profile_warp *w, const struct lockstep_issue_event *e)
{
    w->at = s->nowhere;
    w->since = e->cycle + 1;
    w->last_pc = e->pc;
}

/* A fence, a barrier, the first one behind either, or in a kernel that is looked at more closely. */
NOT_INLINE void issue_unusual(struct profile_sm *s, struct profile_warp *w, const struct lockstep_issue_event *e)
{
    bool first = is_first(w, e);
    count_issue(row_of(s, e->pc), e, s->charge.issued, first);
    close_unusual(s, w, e->cycle + !first);
    stand_nowhere(s, w, e);
    profile_barriers_issue(profile_barriers_of(s), e);
    if (s->mbarriers)
        profile_mbarriers_issue(profile_mbarriers_of(s), e);
    w->unusual = (s->looks ? PROFILE_LOOKS : 0) | (e->instruction_class == LOCKSTEP_FENCE ? PROFILE_FENCE : 0);
    if (!s->calls)
        return;
    uint32_t context = profile_calls_issue(profile_calls_of(s), e);
    count_issue(profile_calls_row(profile_calls_of(s), context), e, s->charge.issued, first);
    w->last_context = (uint16_t)context;
    w->context = 0;
}

HOT static void issue(void *state, const struct lockstep_issue_event *e)
{
    struct profile_sm *s = state;
    struct profile_warp *w = warp_of(s, e->warp);
    if (RARELY(w->unusual % PROFILE_PASSED || e->instruction_class == LOCKSTEP_FENCE)) {
        issue_unusual(s, w, e);
        return;
    }
    if (w->unusual)
        count_passed(s, w);
    bool first = is_first(w, e);
    count_issue(row_of(s, e->pc), e, s->charge.issued, first);
    close_stay(s, w, e->cycle + !first);
    stand_nowhere(s, w, e);
}

HOT static void passed(void *state, const struct lockstep_passed_event *e)
{
    struct profile_sm *s = state;
    for (uint64_t rest = e->held; rest; rest &= rest - 1) {
        const struct profile_warp *w = &s->warps[mask_first(rest)];
        count_apart(s, w, s->charge.held, 1);
        if (RARELY(w->context))
            count_apart_in_context(s, w, s->charge.held, 1);
    }
    for (uint64_t rest = e->warps & ~e->held; rest; rest &= rest - 1)
        s->warps[mask_first(rest)].unusual += PROFILE_PASSED;
}

/* The threads in that slot have ended, or are other ones from now on. */
static void forget(struct profile_sm *s, uint32_t slot)
{
    profile_words_forget(profile_words_of(s), slot);
    profile_polls_forget(profile_polls_of(s), slot);
    profile_barriers_forget(profile_barriers_of(s), slot);
    if (s->calls)
        profile_calls_forget(profile_calls_of(s), slot);
}

static void leave(void *state, const struct lockstep_leave_event *e)
{
    struct profile_sm *s = state;
    for (uint64_t rest = e->warps; rest; rest &= rest - 1) {
        struct profile_warp *w = &s->warps[mask_first(rest)];
        close_unusual(s, w, e->cycle > w->since ? e->cycle : w->since);
        w->unusual = PROFILE_AWAY;
        profile_words_leave(profile_words_of(s), mask_first(rest), e->cycle);
        if (s->mbarriers)
            profile_mbarriers_leave(profile_mbarriers_of(s), mask_first(rest), e->cycle);
        if (s->clusters)
            profile_barriers_leave(profile_barriers_of(s), mask_first(rest), e->cycle);
        forget(s, mask_first(rest));
    }
}

static void done(void *state, const struct lockstep_done_event *e)
{
    struct profile_warp *w = warp_of(state, e->warp);
    w->done = e->cycle + 1;
    w->done_pc = e->pc;
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

static void access(void *state, const struct lockstep_access_event *e)
{
    if (!e->mask)
        return;
    if (e->space != LOCKSTEP_CLUSTER) { /* words there are another SM's */
        profile_words_access(profile_words_of(state), e);
        profile_polls_access(profile_polls_of(state), e);
    }
    profile_sharing_access(profile_sharing_of(state), e);
    if (RARELY(((struct profile_sm *)state)->mbarriers))
        profile_mbarriers_access(profile_mbarriers_of(state), e);
    uint64_t apart = mean_distance(e);
    add_access(row_of(state, e->pc), apart);
    if (RARELY(((struct profile_sm *)state)->calls))
        add_access(row_in_context(state, e->warp, e->pc), apart);
}

static void mbarrier(void *state, const struct lockstep_mbarrier_event *e)
{
    profile_mbarriers_operate(profile_mbarriers_of(state), e);
}

static void atomic(void *state, const struct lockstep_atomic_event *e)
{
    profile_words_atomic(profile_words_of(state), e);
}

static void launch(void *state, const struct lockstep_launch_event *e)
{
    forget(state, e->warp);
    profile_words_launch(profile_words_of(state), e);
}

static void arrive(void *state, const struct lockstep_arrive_event *e)
{
    warp_of(state, e->warp)->unusual |= PROFILE_BARRIER;
    profile_barriers_arrive(profile_barriers_of(state), e);
}

static void opens(void *state, const struct lockstep_open_event *e)
{
    profile_barriers_open(profile_barriers_of(state), e);
}

static void split(void *state, const struct lockstep_split_event *e)
{
    count(state, e->warp, e->pc, PROFILE_splits, 1);
}

static void divided(void *state, const struct lockstep_divided_event *e)
{
    count(state, e->warp, e->pc, PROFILE_transactions, e->transactions);
    count(state, e->warp, e->pc, PROFILE_bytes, e->bytes);
}

static void transaction(void *state, const struct lockstep_transaction_event *e)
{
    count(state, e->warp, e->pc, PROFILE_hits, !e->waits && e->instruction_class == LOCKSTEP_LOAD);
}

static void served(void *state, const struct lockstep_served_event *e)
{
    count(state, e->warp, e->pc, PROFILE_l2_accesses, e->sectors);
    if (!e->missed && !e->dram_bytes)
        return;
    count(state, e->warp, e->pc, PROFILE_l2_misses, e->missed);
    count(state, e->warp, e->pc, PROFILE_dram_bytes, e->dram_bytes);
}

static void serialized(void *state, const struct lockstep_serialized_event *e)
{
    count(state, e->warp, e->pc, PROFILE_passes, e->passes - 1);
}

/* The state of an SM */

/* Words stand behind the counts, then polls, accesses to words beside them, barriers, and calls. */
static size_t words_at(const struct lockstep_observed *observed)
{
    size_t counts = (size_t)observed->instructions * (PROFILE_COUNTS + observed->cause_count) + 1;
    return round_up_u64(sizeof(struct profile_sm) + counts * sizeof(uint64_t), sizeof(uint64_t));
}

static size_t mbarriers_at(const struct lockstep_observed *observed)
{
    return words_at(observed) + profile_words_bytes() + profile_polls_bytes() + profile_sharing_bytes() +
           round_up_u64(profile_barriers_bytes(observed->instructions), sizeof(uint64_t));
}

static size_t calls_at(const struct lockstep_observed *observed)
{
    return mbarriers_at(observed) + round_up_u64(profile_mbarriers_bytes(watch_module(observed)), sizeof(uint64_t));
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
    return calls_at(observed) +
           profile_calls_bytes(watch_module(observed), observed, PROFILE_COUNTS + observed->cause_count);
}

static void begin(const struct lockstep_observed *observed, void *state)
{
    struct profile_sm *s = state;
    s->words = words_at(observed);
    s->polls = s->words + profile_words_bytes();
    s->sharing = s->polls + profile_polls_bytes();
    s->barriers = s->sharing + profile_sharing_bytes();
    s->causes = observed->cause_count;
    s->width = PROFILE_COUNTS + s->causes;
    s->nowhere = observed->instructions * s->width;
    for (unsigned i = 0; i < PROFILE_WARPS; i++)
        s->warps[i].unusual = PROFILE_AWAY;
    profile_charge_begin(&s->charge, observed);
    s->clusters = has_cluster_barriers(watch_module(observed));
    if (profile_mbarriers_bytes(watch_module(observed))) {
        s->mbarriers = mbarriers_at(observed);
        profile_mbarriers_begin(profile_mbarriers_of(s), watch_module(observed));
    }
    if (profile_calls_bytes(watch_module(observed), observed, s->width)) {
        s->calls = calls_at(observed);
        profile_calls_begin(profile_calls_of(s), watch_module(observed), observed, s->width);
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
    .issue = issue,
    .split = split,
    .access = access,
    .mbarrier = mbarrier,
    .atomic = atomic,
    .divided = divided,
    .transaction = transaction,
    .served = served,
    .serialized = serialized,
    .done = done,
    .arrive = arrive,
    .open = opens,
    .stand = stand,
    .passed = passed,
    .leave = leave,
};

const struct lockstep_observer *profile_observer(void)
{
    return &observer;
}
