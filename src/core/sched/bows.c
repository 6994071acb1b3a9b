/* Back-off warp spinning (ElTantawy and Aamodt, HPCA 2018, section III). A warp that executes a spin-inducing branch is
 * backed off: it issues only when no other warp of its scheduler can, and not before its pending delay is over. When it
 * issues again it is an ordinary warp, and its pending delay starts at the delay limit: so the limit is the least
 * distance between the starts of two passes through the loop, and unnoticed where a pass takes longer.
 *
 * The limit is fixed, or follows the paper's Figure 5: per SM, window by window, it rises while spin-inducing branches
 * are more than a share of all instructions, and falls by twice the step when instructions per such branch become
 * clearly fewer than in the window before. Windows are those of the global clock. They are caught up with when
 * something issues: windows in which nothing did change no limit. */
#include "base/bits.h"
#include "core/sched/control.h"
#include "warp/table.h"

#define NOBODY 0xFF

struct bows {
    uint64_t free_at[WARP_SLOTS]; /* cycle in which the pending delay is over */
    uint64_t turn[WARP_SLOTS];    /* order of backing off */
    uint64_t turns;
    uint64_t held;
    uint64_t window_end, total, spins, total_before, spins_before;
    uint64_t limit;
    uint32_t window, raise_share, lower_ratio, step, least, most, schedulers;
    bool adaptive, keeps_total, in_turn;
    uint8_t last[8]; /* by scheduler: the warp that issued last */
};

static void start(struct bows *b, uint64_t cycle)
{
    b->window_end = (cycle / b->window + 1) * b->window;
    b->total = b->spins = b->total_before = b->spins_before = 0;
    if (b->adaptive)
        b->limit = b->least;
}

static void reset(void *state, const struct spin_params *p, unsigned schedulers, uint64_t cycle)
{
    struct bows *b = state;
    b->adaptive = p->adaptive;
    b->keeps_total = p->keeps_total;
    b->in_turn = p->order == SPIN_ORDER_QUEUE;
    b->window = p->window;
    b->raise_share = p->raise_share;
    b->lower_ratio = p->lower_ratio;
    b->step = p->delay_step;
    b->least = p->min_delay;
    b->most = p->max_delay;
    b->limit = p->delay;
    b->schedulers = schedulers;
    for (unsigned s = 0; s < 8; s++)
        b->last[s] = NOBODY;
    start(b, cycle);
}

static void launched(void *state, unsigned warp, uint64_t cycle)
{
    struct bows *b = state;
    b->free_at[warp] = cycle;
    b->held &= ~BIT64(warp);
}

/* Figure 5. Shares are thousandths; quotients are compared by cross products, so that a window without spins is never
 * worse than the one before, and one with spins always is when that had none. */
static void end_window(struct bows *b)
{
    if (b->spins * 1000 > (uint64_t)b->raise_share * b->total)
        b->limit += b->step;
    if ((__uint128_t)b->total * b->spins_before * 1000 < (__uint128_t)b->lower_ratio * b->total_before * b->spins)
        b->limit = b->limit > 2 * (uint64_t)b->step ? b->limit - 2 * (uint64_t)b->step : 0;
    b->limit = b->limit < b->least ? b->least : b->limit > b->most ? b->most : b->limit;
    if (b->spins || !b->keeps_total)
        b->total_before = b->total;
    b->spins_before = b->spins;
    b->total = b->spins = 0;
}

static void catch_up(struct bows *b, uint64_t cycle)
{
    if (!b->adaptive || cycle < b->window_end)
        return;
    end_window(b);
    b->window_end += b->window;
    if (cycle < b->window_end)
        return;
    end_window(b); /* an empty one; more of them change nothing further */
    b->window_end = (cycle / b->window + 1) * b->window;
}

static void issued(void *state, unsigned warp, uint64_t cycle, bool held)
{
    struct bows *b = state;
    catch_up(b, cycle);
    b->total++;
    b->last[warp % b->schedulers] = (uint8_t)warp;
    if (!held)
        return;
    b->held &= ~BIT64(warp);
    b->free_at[warp] = cycle + b->limit;
}

static uint64_t spins(void *state, unsigned warp, uint64_t cycle)
{
    struct bows *b = state;
    b->spins++;
    b->turn[warp] = b->turns++;
    b->held |= BIT64(warp);
    return b->free_at[warp] > cycle + 1 ? b->free_at[warp] : cycle + 1;
}

static unsigned longest_held(const struct bows *b, uint64_t set)
{
    unsigned first = mask_first(set);
    for (uint64_t rest = set & (set - 1); rest; rest &= rest - 1)
        if (b->turn[mask_first(rest)] < b->turn[first])
            first = mask_first(rest);
    return first;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view,
                     const struct lockstep_scheduler *base, const void *base_state)
{
    const struct bows *b = state;
    if (b->in_turn)
        return longest_held(b, view->ready);
    struct lockstep_scheduler_view others = *view;
    uint8_t last = b->last[mask_first(view->ready) % b->schedulers];
    if (last != NOBODY && mask_has(b->held, last) && (view->ready & ~BIT64(last)))
        others.ready &= ~BIT64(last);
    return base->pick(base_state, &others);
}

static void drained(void *state, uint64_t cycle)
{
    struct bows *b = state;
    b->held = 0;
    start(b, cycle);
}

static uint64_t delay(const void *state)
{
    return ((const struct bows *)state)->limit;
}

/* Table III of the paper: a delay counter for each warp, a queue of warps by their number within the scheduler, and two
 * bits of state a warp. */
static uint64_t hardware_bits(const struct spin_params *p, unsigned warps, unsigned schedulers)
{
    unsigned counter = bits_for(p->adaptive ? p->max_delay : p->delay);
    return (uint64_t)warps * (counter + bits_for((warps + schedulers - 1) / schedulers - 1) + 2);
}

const struct sched_control sched_control_bows = {
    .name = "bows",
    .doc = "back-off warp spinning: spinning warps issue last, and not before their delay is over (HPCA 2018)",
    .state_bytes = sizeof(struct bows),
    .reset = reset,
    .launched = launched,
    .issued = issued,
    .spins = spins,
    .pick = pick,
    .drained = drained,
    .delay = delay,
    .hardware_bits = hardware_bits,
};
