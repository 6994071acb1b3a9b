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
    if (RARELY(w->context)) {
        uint64_t *row = profile_calls_row(profile_calls_of(s), w->context) + PROFILE_COUNTS;
        row[w->cause] -= cycles;
        row[cause] += cycles;
    }
}

/* The stay in a kernel that calls functions is counted for its context, too. */
NOT_INLINE void close_in_context(struct profile_sm *s, const struct profile_warp *w, uint64_t cycles, bool awaited)
{
    if (w->context)
        profile_calls_row(profile_calls_of(s), w->context)[PROFILE_COUNTS + w->cause] += cycles;
    if (awaited)
        row_in_context(s, (uint32_t)(w - s->warps), w->done_pc)[PROFILE_awaited] += cycles;
}

/* The warp's stay so far is counted, up to a cycle: that may be the one in which the warp issued, which is counted. A
 * wait for a value that ends with an instruction's completion was for that one. */
HOT_INLINE void close_stay(struct profile_sm *s, struct profile_warp *w, uint64_t cycle)
{
    uint64_t cycles = cycle < w->since ? 0 : cycle - w->since;
    bool awaited = w->done == cycle + 1 && mask_has(s->charge.data, w->cause);
    s->counts[w->at] += cycles;
    w->since += cycles;
    if (awaited)
        row_of(s, w->done_pc)[PROFILE_awaited] += cycles;
    if (RARELY(s->calls))
        close_in_context(s, w, cycles, awaited);
    if (w->passed) {
        count_apart(s, w, s->charge.unpicked, w->passed);
        w->passed = 0;
    }
}

/* Events */

/* The context of the instruction that a stay is charged to. */
static uint32_t context_at(struct profile_sm *s, const struct profile_warp *w, const struct lockstep_stand_event *e)
{
    uint32_t here = profile_calls_stand(profile_calls_of(s), e);
    return profile_charged_last(&s->charge, e->cause, w->at_fence) ? w->last_context : here;
}

static void come(struct profile_sm *s, struct profile_warp *w, const struct lockstep_stand_event *e)
{
    s->resident |= BIT64(e->warp);
    *w = (struct profile_warp){
        .since = e->cycle, .last_pc = e->pc, .at = number_of(s, e->pc, e->cause), .cause = (uint8_t)e->cause};
}

HOT_INLINE void stand_in(struct profile_sm *s, struct profile_warp *w, const struct lockstep_stand_event *e,
                         uint32_t pc, uint32_t context)
{
    uint32_t at = number_of(s, pc, e->cause);
    if (at == w->at && context == w->context)
        return;
    if (e->cycle != w->since) /* else it has just issued, or come */
        close_stay(s, w, e->cycle);
    w->at = at;
    w->context = (uint16_t)context;
    w->cause = (uint8_t)e->cause;
}

/* The first time that a warp stands, or behind a fence, or in a kernel that calls functions. */
NOT_INLINE void stand_somewhere(struct profile_sm *s, struct profile_warp *w, const struct lockstep_stand_event *e)
{
    w->at_fence &= e->cause == s->charge.fence;
    if (!mask_has(s->resident, e->warp))
        come(s, w, e);
    stand_in(s, w, e, profile_charged_to(&s->charge, e->cause, w->at_fence, w->last_pc, e->pc),
             s->calls ? context_at(s, w, e) : 0);
}

static void stand(void *state, const struct lockstep_stand_event *e)
{
    struct profile_sm *s = state;
    struct profile_warp *w = warp_of(s, e->warp);
    if (RARELY(!mask_has(s->resident, e->warp) || s->calls || w->at_fence))
        stand_somewhere(s, w, e);
    else
        stand_in(s, w, e, mask_has(s->charge.last, e->cause) ? w->last_pc : e->pc, 0);
}

NOT_INLINE void issue_in_context(struct profile_sm *s, struct profile_warp *w, const struct lockstep_issue_event *e,
                                 bool first)
{
    struct profile_calls *calls = profile_calls_of(s);
    uint32_t context = profile_calls_issue(calls, e);
    uint64_t *row = profile_calls_row(calls, context);
    row[PROFILE_issues]++;
    row[PROFILE_active] += mask_count(e->active);
    row[PROFILE_lanes] += mask_count(e->mask);
    row[PROFILE_COUNTS + s->charge.issued] += first;
    w->last_context = (uint16_t)context;
}

/* Where a warp issues several instructions in a cycle, that counts as issued for the first: its stay begins behind the
 * cycle then. */
static void issue(void *state, const struct lockstep_issue_event *e)
{
    struct profile_sm *s = state;
    struct profile_warp *w = warp_of(s, e->warp);
    uint64_t *row = row_of(s, e->pc);
    row[PROFILE_issues]++;
    row[PROFILE_active] += mask_count(e->active);
    row[PROFILE_lanes] += mask_count(e->mask);
    bool first = w->since <= e->cycle;
    row[PROFILE_COUNTS + s->charge.issued] += first;
    if (first)
        close_stay(s, w, e->cycle);
    w->since = e->cycle + 1;
    w->last_pc = e->pc;
    w->at_fence = e->instruction_class == LOCKSTEP_FENCE;
    if (RARELY(s->calls))
        issue_in_context(s, w, e, first);
    profile_barriers_issue(profile_barriers_of(s), e);
}

static void passed(void *state, const struct lockstep_passed_event *e)
{
    struct profile_sm *s = state;
    for (uint64_t rest = e->held; rest; rest &= rest - 1)
        count_apart(s, &s->warps[mask_first(rest)], s->charge.held, 1);
    for (uint64_t rest = e->warps & ~e->held; rest; rest &= rest - 1)
        s->warps[mask_first(rest)].passed++;
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
        close_stay(s, w, e->cycle);
        profile_words_leave(profile_words_of(s), mask_first(rest), e->cycle);
        forget(s, mask_first(rest));
    }
    s->resident &= ~e->warps;
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
    profile_words_access(profile_words_of(state), e);
    profile_polls_access(profile_polls_of(state), e);
    profile_sharing_access(profile_sharing_of(state), e);
    uint64_t apart = mean_distance(e);
    add_access(row_of(state, e->pc), apart);
    if (RARELY(((struct profile_sm *)state)->calls))
        add_access(row_in_context(state, e->warp, e->pc), apart);
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
    size_t row = sizeof(uint64_t) * (PROFILE_COUNTS + observed->cause_count);
    return round_up_u64(sizeof(struct profile_sm) + observed->instructions * row, sizeof(uint64_t));
}

static size_t calls_at(const struct lockstep_observed *observed)
{
    return words_at(observed) + profile_words_bytes() + profile_polls_bytes() + profile_sharing_bytes() +
           round_up_u64(profile_barriers_bytes(observed->instructions), sizeof(uint64_t));
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
    profile_charge_begin(&s->charge, observed);
    if (profile_calls_bytes(watch_module(observed), observed, s->width)) {
        s->calls = calls_at(observed);
        profile_calls_begin(profile_calls_of(s), watch_module(observed), observed, s->width);
    }
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
