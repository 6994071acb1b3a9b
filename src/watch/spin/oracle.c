/* The exact detector, and the ground truth of the others: a lane spins between two executions of a backward branch if
 * it comes back with the same registers (those that the loop may read again) and has not changed memory in between (Li,
 * Lebeck and Sorin's definition of a spinning thread). Each warp has one profiled lane, the lowest that takes the
 * branch; a branch over which one lane was once seen to spin is spin-inducing until the SM is empty.
 *
 * Registers are compared by a 128-bit digest. A change of memory is net: a lock taken and given back between two looks
 * is none. Of an atomic the value before is known; of a plain store it is taken to be what the lane itself last wrote
 * there, and unknown, so a change, if it did not. */
#include <string.h>

#include "base/bits.h"
#include "simt/observe.h"
#include "watch/spin/spin.h"

#define LOOPS 8   /* branches a warp is remembered at */
#define WRITES 16 /* locations written between two looks; more count as a change */
#define NOBODY 0xFF

struct look {
    uint32_t branch; /* + 1; 0: free */
    uint64_t changes;
    struct simt_digest registers;
};

struct written {
    uint64_t address, before, after;
    bool known; /* before is */
};

struct watched {
    uint8_t lane, writes, past, next_look;
    bool overflow;
    uint64_t changes; /* looks before which memory had changed */
    struct look looks[LOOPS];
    struct written now[WRITES], then[WRITES]; /* since the last look; in the stretch before it */
};

struct oracle {
    uint32_t branches, confirmed;
    struct watched warps[SPIN_WARPS];
    uint8_t spins[]; /* by branch */
};

static size_t state_bytes(const struct spin_params *params, uint32_t branches)
{
    (void)params;
    return sizeof(struct oracle) + branches;
}

static void forget(struct watched *w, uint8_t lane)
{
    memset(w, 0, sizeof *w);
    w->lane = lane;
}

static void reset(void *state, const struct spin_params *params, uint32_t branches)
{
    struct oracle *o = state;
    (void)params;
    o->branches = branches;
    for (unsigned w = 0; w < SPIN_WARPS; w++)
        forget(&o->warps[w], NOBODY);
}

static void launched(void *state, unsigned warp)
{
    struct oracle *o = state;
    forget(&o->warps[warp], NOBODY);
}

static struct written *find_written(struct written *list, unsigned count, uint64_t address)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i].address == address)
            return &list[i];
    return NULL;
}

static void wrote(void *state, unsigned warp, unsigned lane, uint64_t address, const uint64_t *before, uint64_t after)
{
    struct watched *w = &((struct oracle *)state)->warps[warp];
    if (w->lane != lane)
        return;
    struct written *known = find_written(w->now, w->writes, address);
    if (known) {
        known->after = after;
        return;
    }
    if (w->writes == WRITES) {
        w->overflow = true;
        return;
    }
    const struct written *past = find_written(w->then, w->past, address);
    w->now[w->writes++] = (struct written){.address = address,
                                           .before = before ? *before
                                                     : past ? past->after
                                                            : 0,
                                           .after = after,
                                           .known = before || past};
}

/* True: memory changed since the last look. Begins the next stretch. */
static bool memory_changed(struct watched *w)
{
    bool changed = w->overflow;
    for (unsigned i = 0; i < w->writes; i++)
        changed |= !w->now[i].known || w->now[i].before != w->now[i].after;
    if (w->writes) {
        memcpy(w->then, w->now, sizeof w->now);
        w->past = w->writes;
    }
    w->writes = 0;
    w->overflow = false;
    return changed;
}

static struct look *find_look(struct watched *w, uint32_t branch)
{
    for (unsigned i = 0; i < LOOPS; i++)
        if (w->looks[i].branch == branch + 1)
            return &w->looks[i];
    struct look *look = &w->looks[w->next_look];
    w->next_look = (uint8_t)((w->next_look + 1) % LOOPS);
    *look = (struct look){.branch = 0};
    return look;
}

static bool spins(struct watched *w, const struct spin_event *e)
{
    w->changes += memory_changed(w);
    struct simt_digest registers = simt_loop_state(e->simt, e->pc, w->lane);
    struct look *look = find_look(w, e->branch);
    bool same = look->branch && look->changes == w->changes && look->registers.a == registers.a &&
                look->registers.b == registers.b;
    *look = (struct look){.branch = e->branch + 1, .changes = w->changes, .registers = registers};
    return same;
}

static enum spin_verdict branch(void *state, const struct spin_event *e)
{
    struct oracle *o = state;
    struct watched *w = &o->warps[e->warp];
    bool confirmed = o->spins[e->branch];
    if (!e->mask)
        return confirmed ? SPIN_YES : SPIN_NO;
    if (w->lane == NOBODY || !mask_has(e->mask, w->lane))
        forget(w, (uint8_t)mask_first(e->mask));
    if (spins(w, e) && !confirmed) {
        o->spins[e->branch] = 1;
        o->confirmed++;
        return SPIN_CONFIRMED;
    }
    return confirmed ? SPIN_YES : SPIN_NO;
}

static void drained(void *state)
{
    struct oracle *o = state;
    memset(o->spins, 0, o->branches);
    o->confirmed = 0;
}

static void occupancy(const void *state, uint32_t *entries, uint32_t *confirmed)
{
    const struct oracle *o = state;
    *entries = *confirmed = o->confirmed;
}

static uint64_t hardware_bits(const struct spin_params *params, unsigned warps)
{
    (void)params, (void)warps;
    return 0; /* no hardware is proposed */
}

const struct spin_detector spin_oracle = {
    .name = "oracle",
    .doc = "exact: a lane came back to the branch with equal registers and memory unchanged",
    .state_bytes = state_bytes,
    .reset = reset,
    .launched = launched,
    .branch = branch,
    .wrote = wrote,
    .drained = drained,
    .occupancy = occupancy,
    .hardware_bits = hardware_bits,
};
