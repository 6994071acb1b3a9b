/* The observer: from events to the lives and phases of an SM's warps. */
#include <stdlib.h>
#include <string.h>

#include "timeline/sm.h"

/* Phases */

/* The cause with the most cycles; of several, the first one. */
static uint8_t leader_of(const struct timeline_open *open)
{
    uint8_t best = (uint8_t)mask_first(open->causes);
    for (uint64_t rest = open->causes; rest; rest &= rest - 1)
        if (open->by[mask_first(rest)] > open->by[best])
            best = (uint8_t)mask_first(rest);
    return best;
}

/* The number of the warp's life among those that are kept. */
static uint32_t keep_life(struct timeline_sm *s, struct timeline_warp *warp)
{
    if (warp->number != TIMELINE_NONE || warp->life.cut)
        return warp->number;
    if (s->life_count == TIMELINE_LIVES) {
        s->lives_lost++;
        warp->life.cut = true;
        return TIMELINE_NONE;
    }
    warp->life.at = warp->open.from;
    s->lives[s->life_count] = warp->life;
    return warp->number = s->life_count++;
}

/* A phase like the one before it joins that: while a warp goes round a loop, it is one phase. */
static bool joins(struct timeline_sm *s, const struct timeline_warp *warp, const struct timeline_phase *phase)
{
    struct timeline_phase *before = warp->last != TIMELINE_NONE ? &s->phases[warp->last] : NULL;
    if (!before || before->cause != phase->cause || before->pc != phase->pc ||
        before->cycles > UINT32_MAX - phase->cycles)
        return false;
    before->cycles += phase->cycles;
    before->own += phase->own;
    return true;
}

static void close_phase(struct timeline_sm *s, struct timeline_warp *warp)
{
    struct timeline_open *open = &warp->open;
    if (!open->cycles)
        return;
    uint32_t life = keep_life(s, warp);
    uint8_t cause = leader_of(open);
    struct timeline_phase phase = {life, open->cycles, open->pc[cause], open->by[cause], cause};
    open->cycles = 0;
    open->causes = 0;
    if (life == TIMELINE_NONE || s->lives[life].cut || s->phase_count == TIMELINE_PHASES) {
        if (life != TIMELINE_NONE && !s->lives[life].cut && joins(s, warp, &phase))
            return;
        s->phases_lost++;
        warp->life.cut = true;
        if (life != TIMELINE_NONE)
            s->lives[life].cut = true;
        return;
    }
    if (joins(s, warp, &phase))
        return;
    warp->last = s->phase_count;
    s->phases[s->phase_count++] = phase;
}

static bool is_like(const struct timeline_open *open, uint8_t cause, uint32_t pc)
{
    return open->uniform && mask_has(open->causes, cause) && open->pc[cause] == pc;
}

/* The instruction with most cycles of a cause is found by counting each against the others. */
static void add_cycles(struct timeline_open *open, uint8_t cause, uint32_t pc, uint32_t cycles)
{
    if (!mask_has(open->causes, cause)) {
        open->causes |= BIT64(cause);
        open->by[cause] = open->lead[cause] = 0;
    }
    open->by[cause] += cycles;
    open->cycles += cycles;
    if (open->pc[cause] == pc) {
        open->lead[cause] += cycles;
    } else if (open->lead[cause] >= cycles) {
        open->lead[cause] -= cycles;
    } else {
        open->lead[cause] = cycles - open->lead[cause];
        open->pc[cause] = pc;
    }
}

/* A phase that is long enough ends where the warp comes to another cause or instruction. */
static void add_stretch(struct timeline_sm *s, const struct timeline_piece *piece, uint64_t from, uint32_t cycles)
{
    struct timeline_warp *warp = &s->warps[piece->warp];
    struct timeline_open *open = &warp->open;
    bool like = is_like(open, piece->cause, piece->pc);
    if (open->cycles >= s->resolution && (!like || open->cycles > UINT32_MAX - cycles))
        close_phase(s, warp);
    if (!open->cycles) {
        open->from = from;
        open->uniform = true;
    } else if (!like) {
        open->uniform = false;
    }
    add_cycles(open, piece->cause, piece->pc, cycles);
}

#define STRETCH (1u << 30) /* cycles of a phase that are added at once, at most */

static void take(void *state, const struct timeline_piece *piece)
{
    struct timeline_sm *s = state;
    uint64_t from = piece->from > s->from ? piece->from : s->from;
    uint64_t until = piece->until < s->until ? piece->until : s->until;
    for (; from < until; from += STRETCH)
        add_stretch(s, piece, from, (uint32_t)(until - from < STRETCH ? until - from : STRETCH));
}

/* Issues in a stretch of time: where the launch is longer than the bins, each becomes as long as two. */
static void count_issue(struct timeline_sm *s, uint64_t cycle)
{
    while ((cycle - s->start) / s->bin >= TIMELINE_BINS) {
        for (unsigned i = 0; i < TIMELINE_BINS / 2; i++)
            s->issues[i] = s->issues[2 * i] + s->issues[2 * i + 1];
        memset(s->issues + TIMELINE_BINS / 2, 0, sizeof s->issues / 2);
        s->bin *= 2;
    }
    s->issues[(cycle - s->start) / s->bin]++;
}

static void keep_wait(struct timeline_sm *s, uint32_t slot, uint64_t cycle, uint32_t mbarrier)
{
    const struct timeline_warp *warp = &s->warps[slot];
    if (!s->wanted || cycle < s->from || warp->came >= s->until)
        return;
    if (s->wait_count == TIMELINE_BARRIERS)
        s->waits_lost++;
    else
        s->waits[s->wait_count++] =
            (struct timeline_wait){warp->came, cycle, warp->barrier, mbarrier, (uint8_t)slot};
}

/* Waits for mbarriers and clusters show by the cause at which a warp stands, which may be told before the issue that
 * brought it there. */
static void note_stand(struct timeline_sm *s, const struct lockstep_stand_event *e)
{
    struct timeline_warp *warp = &s->warps[e->warp];
    bool mbarrier = e->cause == s->stays.charge.mbarrier, stands = mbarrier || e->cause == s->stays.charge.cluster;
    bool stood = mask_has(s->standing, e->warp);
    if (stood && (!stands || mbarrier != warp->at_mbarrier)) {
        keep_wait(s, e->warp, e->cycle, warp->at_mbarrier ? warp->word : 0);
        s->standing &= ~BIT64(e->warp);
        stood = false;
    }
    if (stood || !stands)
        return;
    s->standing |= BIT64(e->warp);
    warp->came = e->cycle - 1;
    warp->barrier = s->stays.warps[e->warp].last_pc;
    warp->at_mbarrier = mbarrier;
}

/* Events. Those of an SM that is not wanted are passed over. */

static void stand(void *state, const struct lockstep_stand_event *e)
{
    struct timeline_sm *s = state;
    if (!s->wanted)
        return;
    if (!mask_has(s->stays.resident, e->warp)) {
        struct timeline_warp *warp = &s->warps[e->warp];
        warp->life.from = e->cycle;
        warp->life.cut = false;
        warp->number = warp->last = TIMELINE_NONE;
    }
    note_stand(s, e);
    timeline_stays_stand(&s->stays, e, take, s);
}

static void issue(void *state, const struct lockstep_issue_event *e)
{
    struct timeline_sm *s = state;
    if (!s->wanted)
        return;
    timeline_stays_issue(&s->stays, e, take, s);
    count_issue(s, e->cycle);
    if (mask_has(s->fresh, e->warp)) {
        s->warps[e->warp].barrier = e->pc;
        s->fresh &= ~BIT64(e->warp);
    }
    if (mask_has(s->standing, e->warp)) {
        s->warps[e->warp].came = e->cycle;
        s->warps[e->warp].barrier = e->pc;
    }
}

/* A wait for an mbarrier is an atomic access of it. */
static void access(void *state, const struct lockstep_access_event *e)
{
    struct timeline_sm *s = state;
    if (e->instruction_class == LOCKSTEP_ATOMIC && e->space == LOCKSTEP_SHARED && e->mask)
        s->warps[e->warp].word = (uint32_t)e->address[mask_first(e->mask)] + 1;
}

static void passed(void *state, const struct lockstep_passed_event *e)
{
    struct timeline_sm *s = state;
    if (s->wanted)
        timeline_stays_passed(&s->stays, e, take, s);
}

static void launch(void *state, const struct lockstep_launch_event *e)
{
    struct timeline_sm *s = state;
    struct timeline_life *life = &s->warps[e->warp].life;
    if (!s->wanted || e->again)
        return;
    memcpy(life->block, e->block_index, sizeof life->block);
    life->warp = e->warp_in_block;
    life->slot = (uint8_t)e->warp;
    life->until = 0;
}

static void leave(void *state, const struct lockstep_leave_event *e)
{
    struct timeline_sm *s = state;
    if (!s->wanted)
        return;
    timeline_stays_leave(&s->stays, e, take, s);
    for (uint64_t rest = e->warps; rest; rest &= rest - 1) {
        struct timeline_warp *warp = &s->warps[mask_first(rest)];
        close_phase(s, warp);
        if (warp->number != TIMELINE_NONE)
            s->lives[warp->number].until = e->cycle;
    }
    s->waiting &= ~e->warps;
    s->fresh &= ~e->warps;
    s->standing &= ~e->warps;
}

static void arrive(void *state, const struct lockstep_arrive_event *e)
{
    struct timeline_sm *s = state;
    s->warps[e->warp].came = e->cycle;
    s->waiting |= BIT64(e->warp);
    s->fresh |= BIT64(e->warp);
}

/* A warp that opens the barrier as it comes has waited for nothing. */
static void opens(void *state, const struct lockstep_open_event *e)
{
    struct timeline_sm *s = state;
    for (uint64_t rest = e->warps & s->waiting & ~s->fresh; rest; rest &= rest - 1)
        keep_wait(s, mask_first(rest), e->cycle, 0);
    s->waiting &= ~e->warps;
}

/* The state of an SM */

static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct timeline_sm);
}

static void begin(const struct lockstep_observed *observed, void *state)
{
    struct timeline_sm *s = state;
    profile_charge_begin(&s->stays.charge, observed);
    s->bin = TIMELINE_BIN;
}

void timeline_begin(const struct watch_launch *launch, const struct timeline_options *options, uint64_t start)
{
    uint32_t sms = launch->observed.sms;
    const void **states = base_calloc(sms, sizeof *states);
    watch_launch_states(launch, timeline_observer(), states);
    for (uint32_t sm = 0; sm < sms; sm++) {
        struct timeline_sm *s = (struct timeline_sm *)(uintptr_t)states[sm];
        s->wanted = timeline_wants(options, sm);
        s->start = start;
        s->from = start + options->from;
        s->until = options->until && options->until < UINT64_MAX - start ? start + options->until : UINT64_MAX;
        s->resolution = options->resolution;
    }
    free(states);
}

static const struct lockstep_observer observer = {
    .version = LOCKSTEP_OBSERVER_VERSION,
    .name = "timeline",
    .doc = "what every warp did when",
    .state_bytes = state_bytes,
    .begin = begin,
    .launch = launch,
    .issue = issue,
    .access = access,
    .arrive = arrive,
    .open = opens,
    .stand = stand,
    .passed = passed,
    .leave = leave,
};

const struct lockstep_observer *timeline_observer(void)
{
    return &observer;
}
