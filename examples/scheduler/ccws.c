/* Cache-conscious wavefront scheduling (Rogers, O'Connor and Aamodt, MICRO 2012, section 3.2): the warps that lose lines which they
 * would use again get the L1 data cache for themselves; the others may not load until those lose no more. README.md builds and runs
 * it; lockstep/scheduler.h is the contract.
 *
 * A warp's score is BASE at rest. A miss on a line that it has lost sets it to
 *     hits on lost lines * `throttle` * cutoff / instructions issued,      cutoff = warps * BASE,
 * all counted on the SM, if that is more; it falls by one a cycle, to BASE. Warps stand by score, the highest first; those up to
 * which the scores add up to no more than the cutoff may load, and so may the first. Below that, greedy then oldest.
 *
 * Choices of ours: victim tags are those of Lockstep's view, 16 of a warp, replaced in turn; each scheduler of an SM comes to the
 * same scores by itself, as the view is the same for all. */
#include <lockstep/scheduler.h>

#define BASE 100

struct ccws {
    uint64_t throttle, scored; /* scored: cycle to which scores have fallen */
    uint64_t hits, instructions;
    uint64_t score[64], seen_hits[64], seen_issued[64], age[64];
    uint64_t warps; /* that are here, of all schedulers */
    uint64_t held;  /* of them, those that may not load */
    unsigned last;  /* issued last */
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct ccws *s = state;
    s->throttle = setup->options[0];
    s->scored = setup->cycle;
    s->last = LOCKSTEP_NO_WARP;
}

/* Another warp has come to the slot: what was seen there is not its own. */
static void begin(struct ccws *s, const struct lockstep_scheduler_view *view, unsigned w)
{
    s->age[w] = view->warps[w].age;
    s->score[w] = BASE;
    s->seen_hits[w] = s->seen_issued[w] = 0;
}

/* Warps of all schedulers, from the blocks that are here. */
static uint64_t all_warps(const struct lockstep_scheduler_view *view)
{
    uint64_t warps = 0;
    for (unsigned b = 0; b < 64; b++)
        warps |= view->blocks[b].live ? view->blocks[b].warps : 0;
    return warps;
}

static void score(struct ccws *s, const struct lockstep_scheduler_view *view, unsigned w, uint64_t passed, uint64_t cutoff)
{
    if (!(s->warps >> w & 1) || s->age[w] != view->warps[w].age)
        begin(s, view, w);
    uint64_t hits = view->memory[w].lost_hits - s->seen_hits[w];
    s->hits += hits;
    s->instructions += view->warps[w].issued - s->seen_issued[w];
    s->seen_hits[w] += hits;
    s->seen_issued[w] = view->warps[w].issued;
    s->score[w] = s->score[w] > BASE + passed ? s->score[w] - passed : BASE;
    uint64_t lost = hits ? s->hits * s->throttle * cutoff / s->instructions : 0;
    if (lost > s->score[w])
        s->score[w] = lost;
}

/* The next of `rest` from the top of the stack: the highest score, of equal ones the oldest. */
static unsigned top(const struct ccws *s, uint64_t rest)
{
    unsigned best = LOCKSTEP_NO_WARP;
    for (; rest; rest &= rest - 1) {
        unsigned w = (unsigned)__builtin_ctzll(rest);
        if (best == LOCKSTEP_NO_WARP || s->score[w] > s->score[best] ||
            (s->score[w] == s->score[best] && s->age[w] < s->age[best]))
            best = w;
    }
    return best;
}

static void advance(void *state, const struct lockstep_scheduler_view *view)
{
    struct ccws *s = state;
    uint64_t warps = all_warps(view), passed = view->cycle - s->scored, sum = 0;
    uint64_t cutoff = (uint64_t)__builtin_popcountll(warps) * BASE;
    for (uint64_t rest = warps; rest; rest &= rest - 1)
        score(s, view, (unsigned)__builtin_ctzll(rest), passed, cutoff);
    s->scored = view->cycle;
    s->warps = warps;
    s->held = warps;
    while (s->held) {
        unsigned w = top(s, s->held);
        sum += s->score[w];
        if (sum > cutoff && s->held != warps)
            break;
        s->held &= ~(UINT64_C(1) << w);
    }
}

/* The warp's next instruction looks into the L1 data cache. */
static int loads(const struct lockstep_scheduler_view *view, unsigned w)
{
    struct lockstep_instruction_view next = view->instruction(view, view->warps[w].pc);
    return next.instruction_class == LOCKSTEP_LOAD &&
           (next.space == LOCKSTEP_GLOBAL || next.space == LOCKSTEP_LOCAL || next.space == LOCKSTEP_GENERIC);
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct ccws *s = state;
    unsigned best = LOCKSTEP_NO_WARP;
    for (uint64_t rest = view->ready; rest; rest &= rest - 1) {
        unsigned w = (unsigned)__builtin_ctzll(rest);
        if (s->held >> w & 1 && loads(view, w))
            continue;
        if (w == s->last)
            return w;
        if (best == LOCKSTEP_NO_WARP || view->warps[w].age < view->warps[best].age)
            best = w;
    }
    return best;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    (void)view;
    ((struct ccws *)state)->last = warp;
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    struct ccws *s = state;
    if (s->last == launch->warp)
        s->last = LOCKSTEP_NO_WARP;
}

static const struct lockstep_scheduler_option options[] = {
    {.name = "throttle", .doc = "how much a lost line counts (the paper's K_THROTTLE)", .initial = 8, .minimum = 1, .maximum = 1000},
    {0}};

static const struct lockstep_scheduler ccws = {
    .version = LOCKSTEP_SCHEDULER_VERSION, .needs = LOCKSTEP_NEEDS_MEMORY, .name = "ccws",
    .doc = "warps that lose lines have the L1 data cache for themselves", .options = options, .state_bytes = sizeof(struct ccws),
    .reset = reset, .advance = advance, .pick = pick, .issued = issued, .launched = launched};

const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    return &ccws;
}
