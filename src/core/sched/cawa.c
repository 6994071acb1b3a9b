/* Criticality-aware warp acceleration (Lee, Arunkumar and Wu, ISCA 2015): greedy, then the most critical warp, ties to
 * the older one. A warp's criticality says how long it will still take: nInst * CPI + nStall, from the instructions it
 * has before it, the cycles that one took it on average, and the cycles that it stalled.
 *
 * The parts are options. Profile `paper` follows the published text: instructions complete one by one, control flow
 * adds or removes what it jumps over. Profile `artifact` does what the simulator of the BOWS evaluation does (ElTantawy
 * and Aamodt, HPCA 2018): distances between issued instructions in unsigned arithmetic, two per instruction, so that
 * the first jump backward leaves nInst at 0 for ever; CPI as it was at the warp's last issue; and nStall grows in every
 * cycle by the time since the last issue, but only after the cycle's warps have been put in order.
 *
 * As published it starves: a warp that never issues gains no criticality in `paper`, and in neither profile does it
 * help against a greedy warp that is ready whenever the most critical one is. So there is an option that is in neither:
 * `patience` (patience.h).
 *
 * Everything is integers: quotients are compared exactly, and what grows every cycle is summed up when it is asked for.
 */
#include "core/sched/patience.h"

#define NOBODY 64

enum option { OPTION_PROFILE, OPTION_START, OPTION_UPDATE, OPTION_CPI, OPTION_STALL, OPTION_PATIENCE };
enum profile { PAPER, ARTIFACT };
enum start { START_PROFILE, START_ZERO, START_STATIC };
enum update { UPDATE_PROFILE, UPDATE_COMPLETED, UPDATE_DISTANCE, UPDATE_UNSIGNED };
enum cpi { CPI_PROFILE, CPI_REAL, CPI_TRUNCATED };
enum stall { STALL_PROFILE, STALL_ISSUE, STALL_CYCLE };

static const char *const profiles[] = {"paper", "artifact", NULL};
static const char *const starts[] = {"profile", "zero", "static", NULL};
static const char *const updates[] = {"profile", "completed", "distance", "unsigned", NULL};
static const char *const cpis[] = {"profile", "real", "truncated", NULL};
static const char *const stalls[] = {"profile", "issue", "cycle", NULL};

static const struct lockstep_scheduler_option options[] = {
    {.name = "profile", .doc = "what the other options mean by `profile`", .choices = profiles},
    {.name = "start",
     .doc = "nInst at launch: zero, or the kernel's static instructions (both profiles)",
     .choices = starts},
    {.name = "update",
     .doc = "nInst falls by one with each completed instruction, jumps add or remove what lies between (completed: "
            "paper); or falls by the distance from issue to issue, negative ones add (distance); or in unsigned "
            "arithmetic, two per instruction, negative ones make it 0 (unsigned: artifact)",
     .choices = updates},
    {.name = "cpi",
     .doc = "cycles since the warp's launch over its completed instructions, exactly (real: paper), or cycles of the "
            "kernel over the warp's issued instructions at its last issue, as an integer (truncated: artifact)",
     .choices = cpis},
    {.name = "stall",
     .doc = "nStall grows by the time since the last issue at every issue (issue: paper), or at every issue and behind "
            "every cycle, in 32 bits, the first time from the kernel's start (cycle: artifact)",
     .choices = stalls},
    PATIENCE_OPTION_ROW,
    {0},
};

struct warp {
    uint64_t instructions; /* nInst, as far as `completed` */
    uint64_t completed;    /* instructions of the warp that nInst knows as completed */
    uint64_t stall;        /* nStall, as far as `counted` */
    uint64_t counted;      /* first cycle that nStall does not know */
    uint64_t last;         /* cycle of the last issue */
    uint64_t cpi;          /* truncated, at the last issue */
    uint64_t launched;
    uint64_t age;
    uint32_t pc; /* of the last issue */
};

struct cawa {
    struct warp warps[64];
    uint64_t kernel_start;
    uint64_t static_instructions;
    struct patience patience;
    uint8_t start, update, cpi, stall; /* never *_PROFILE */
    uint8_t last;                      /* warp that issued last */
};

/* whole + part / of, exactly. */
struct criticality {
    uint64_t whole, part, of;
};

static uint8_t choose(const struct lockstep_scheduler_setup *setup, unsigned option, uint8_t paper, uint8_t artifact)
{
    uint64_t value = setup->options[option];
    return value ? (uint8_t)value : setup->options[OPTION_PROFILE] == PAPER ? paper : artifact;
}

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct cawa *c = state;
    c->last = NOBODY;
    patience_reset(&c->patience, setup->options[OPTION_PATIENCE]);
    c->kernel_start = setup->cycle;
    c->static_instructions = setup->instructions;
    c->start = choose(setup, OPTION_START, START_STATIC, START_STATIC);
    c->update = choose(setup, OPTION_UPDATE, UPDATE_COMPLETED, UPDATE_UNSIGNED);
    c->cpi = choose(setup, OPTION_CPI, CPI_REAL, CPI_TRUNCATED);
    c->stall = choose(setup, OPTION_STALL, STALL_ISSUE, STALL_CYCLE);
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    struct cawa *c = state;
    unsigned warp = launch->warp;
    uint64_t cycle = launch->cycle;
    c->warps[warp] = (struct warp){.instructions = c->start == START_STATIC ? c->static_instructions : 0,
                                   .counted = cycle,
                                   .last = c->stall == STALL_CYCLE ? c->kernel_start : cycle,
                                   .launched = cycle,
                                   .age = launch->age};
    if (c->last == warp)
        c->last = NOBODY;
    struct lockstep_launch counted = *launch;
    counted.cycle = c->warps[warp].last;
    patience_launched(&c->patience, &counted);
}

static uint64_t less(uint64_t from, uint64_t amount)
{
    return from > amount ? from - amount : 0;
}

/* nInst now: what has completed since it was last written down is taken off. */
static uint64_t instructions_left(const struct cawa *c, const struct warp *w, const struct lockstep_warp_view *view)
{
    return c->update == UPDATE_COMPLETED ? less(w->instructions, view->completed - w->completed) : w->instructions;
}

/* nStall with all cycles before `end`: cycle x adds x - last. */
static uint64_t stall_before(const struct cawa *c, const struct warp *w, uint64_t end)
{
    if (c->stall == STALL_ISSUE || w->counted >= end)
        return w->stall;
    uint64_t cycles = end - w->counted, first = w->counted - w->last, final = end - 1 - w->last;
    return (uint32_t)(w->stall + (uint64_t)((unsigned __int128)cycles * (first + final) / 2));
}

static struct criticality criticality_of(const struct cawa *c, unsigned warp,
                                         const struct lockstep_scheduler_view *view)
{
    const struct warp *w = &c->warps[warp];
    const struct lockstep_warp_view *v = &view->warps[warp];
    uint64_t left = instructions_left(c, w, v), stall = stall_before(c, w, view->cycle);
    if (c->cpi == CPI_TRUNCATED)
        return (struct criticality){left * w->cpi + stall, 0, 1};
    uint64_t completed = v->completed ? v->completed : 1;
    unsigned __int128 product = (unsigned __int128)left * (view->cycle - w->launched);
    if (product <= UINT64_MAX)
        return (struct criticality){(uint64_t)product / completed + stall, (uint64_t)product % completed, completed};
    return (struct criticality){(uint64_t)(product / completed) + stall, (uint64_t)(product % completed), completed};
}

static bool is_greater(const struct criticality *a, const struct criticality *b)
{
    if (a->whole != b->whole)
        return a->whole > b->whole;
    return (unsigned __int128)a->part * b->of > (unsigned __int128)b->part * a->of;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct cawa *c = state;
    unsigned waited = patience_pick(&c->patience, view);
    if (waited != LOCKSTEP_NO_WARP)
        return waited;
    if (c->last != NOBODY && mask_has(view->ready, c->last))
        return c->last;
    unsigned best = mask_first(view->ready);
    struct criticality most = criticality_of(c, best, view);
    for (uint64_t rest = view->ready & (view->ready - 1); rest; rest &= rest - 1) {
        unsigned warp = mask_first(rest);
        struct criticality its = criticality_of(c, warp, view);
        if (is_greater(&its, &most) || (!is_greater(&most, &its) && c->warps[warp].age < c->warps[best].age)) {
            best = warp;
            most = its;
        }
    }
    return best;
}

/* The instruction at `pc` was issued and the warp goes on at `next`; `before` was issued before it. */
static uint64_t instructions_behind(const struct cawa *c, uint64_t left, uint32_t pc, uint32_t next, uint32_t before)
{
    switch (c->update) {
    case UPDATE_COMPLETED:
        return next <= pc ? left + (pc - next) + 1 : less(left, next - pc - 1);
    case UPDATE_DISTANCE:
        return pc < before ? left + (before - pc) : less(left, pc - before);
    default:
        return pc < before ? 0 : less(left, 2 * (uint64_t)(pc - before));
    }
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct cawa *c = state;
    struct warp *w = &c->warps[warp];
    const struct lockstep_warp_view *v = &view->warps[warp];
    uint32_t next = c->update == UPDATE_COMPLETED ? view->next_pc(view, warp, v->issued_pc) : 0;
    uint32_t before = v->issued > 1 ? w->pc : v->issued_pc;
    w->instructions = instructions_behind(c, instructions_left(c, w, v), v->issued_pc, next, before);
    w->pc = v->issued_pc;
    w->completed = v->completed;
    w->cpi = (view->cycle - c->kernel_start) / v->issued;
    w->stall = stall_before(c, w, view->cycle + 1) + (view->cycle - w->last);
    if (c->stall == STALL_CYCLE)
        w->stall = (uint32_t)w->stall;
    w->counted = view->cycle + 1;
    w->last = view->cycle;
    c->last = (uint8_t)warp;
    patience_issued(&c->patience, warp, view);
}

const struct lockstep_scheduler sched_cawa = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "cawa",
    .doc = "greedy, then the most critical warp: instructions to go times cycles per instruction, plus stalled cycles",
    .options = options,
    .state_bytes = sizeof(struct cawa),
    .reset = reset,
    .pick = pick,
    .issued = issued,
    .launched = launched,
};
