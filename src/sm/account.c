/* Warp-cycles by cause. */
#include <stddef.h>
#include <string.h>

#include "sm/sm_impl.h"

static const struct stat_desc cause_descs[] = {
#define WARP_CAUSE(name, doc)                                                                                          \
    {#name, STAT_COUNTER, offsetof(struct sm_causes, name), "warp-cycles", doc, STAT_NEEDS_TIME},
#include "sm/warp_causes.def"
#undef WARP_CAUSE
};
const struct stat_group sm_cause_group = {"warps", "where each cycle of each resident warp went", cause_descs,
                                          SM_CAUSE_COUNT};

/* Which registers a warp's next instruction waits for. A call or return, and a function of the device, wait for all
 * that is under way. */
static enum sm_cause data_cause(const struct sm *sm, const struct sm_warp *warp)
{
    const struct sm_decoded *d = &sm->kernel->decoded[warp->head_pc];
    bool alone = d->after == SM_AFTER_OWN, for_all = alone || d->changes_frame;
    uint64_t memory = alone && warp->stores_out, chip = 0;
    for (unsigned i = 0; i < sm->scoreboard_words; i++) {
        uint64_t pending = warp->scoreboard[i] & (for_all ? ~UINT64_C(0) : d->uses[i]);
        memory |= pending & warp->from_memory[i];
        chip |= pending & warp->from_chip[i];
    }
    return memory ? SM_CAUSE_data_memory : chip ? SM_CAUSE_data_shared : SM_CAUSE_data_arithmetic;
}

unsigned sm_account_cause(const struct sm *sm, unsigned slot)
{
    uint64_t bit = BIT64(slot);
    if (bit & sm->waiting) {
#define WAIT(name, cause, ender, kind, doc)                                                                            \
    if (bit & sm->waits.name)                                                                                          \
        return SM_CAUSE_##cause;
#include "sm/waits.def"
#undef WAIT
        return SM_CAUSE_exit;
    }
    if (bit & sm->cleared)
        return SM_CAUSE_NONE;
    if (bit & sm->buffered & ~sm->mispredicted)
        return data_cause(sm, &sm->warps[slot]);
    return bit & (sm->flushed | sm->mispredicted) ? SM_CAUSE_control : SM_CAUSE_fetch;
}

static inline void add(struct sm_account *a, unsigned cause, uint64_t cycles)
{
    (&a->counts.issued)[cause] += cycles;
}

/* Counts a warp's cycles before `cycle`. */
static inline void close_warp(struct sm_account *a, unsigned slot, uint64_t cycle)
{
    contract(a->since[slot] <= cycle);
    if (a->stands_at[slot] != SM_CAUSE_NONE)
        add(a, a->stands_at[slot], cycle - a->since[slot]);
    a->since[slot] = cycle;
}

/* So many cycles in which warps of a set found no pipeline register of the class that they need. */
static inline void count_structural(struct sm_account *a, uint64_t set, uint64_t cycles)
{
    a->counts.structural_sp += cycles * mask_count(a->could[SM_SP] & set);
    a->counts.structural_sfu += cycles * mask_count(a->could[SM_SFU] & set);
    a->counts.structural_mem += cycles * mask_count(a->could[SM_MEM] & set);
}

/* The cycles before `cycle` of those that could issue and that no scheduler met. */
static inline void close_could(struct sm_account *a, uint64_t cycle)
{
    if (cycle > a->could_since)
        count_structural(a, ~UINT64_C(0), cycle - a->could_since);
    a->could_since = cycle;
}

void sm_account_come(struct sm *sm, uint64_t slots, uint64_t cycle)
{
    struct sm_account *a = &sm->account;
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        a->since[mask_first(rest)] = cycle;
        a->stands_at[mask_first(rest)] = SM_CAUSE_fetch;
    }
    a->touched |= slots;
}

void sm_account_go(struct sm *sm, uint64_t slots)
{
    struct sm_account *a = &sm->account;
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        close_warp(a, mask_first(rest), sm->now + 1);
    a->touched &= ~slots;
}

/* An instruction of the warp was issued: the cycle counts for that, and the warp stands anew in the next. */
static inline void count_issues(const struct sm *sm, struct sm_account *a)
{
    for (uint64_t rest = a->issued; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        close_warp(a, slot, sm->now);
        a->stands_at[slot] = (uint8_t)sm_account_cause(sm, slot);
        a->since[slot] = sm->now + 1;
        a->counts.issued++;
    }
}

HOT void sm_account_look(struct sm *sm)
{
    struct sm_account *a = &sm->account;
    close_could(a, sm->now);
    for (uint64_t rest = a->touched & ~a->issued; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest), cause = sm_account_cause(sm, slot);
        if (cause == a->stands_at[slot])
            continue;
        close_warp(a, slot, sm->now);
        a->stands_at[slot] = (uint8_t)cause;
    }
    count_issues(sm, a);
    uint64_t could = sm->resident & sm->cleared & ~sm->waiting, left = could & ~a->issued, ready = a->ready & left;
    a->could[SM_MEM] = could & sm->wants[ISA_UNIT_MEM];
    a->could[SM_SFU] = could & sm->wants[ISA_UNIT_SFU];
    a->could[SM_SP] = could & ~(a->could[SM_MEM] | a->could[SM_SFU]);
    if (left) {
        a->counts.unpicked += mask_count(ready & ~a->held);
        a->counts.held += mask_count(ready & a->held);
        count_structural(a, left & ~ready, 1);
    }
    a->could_since = sm->now + 1;
    a->touched = a->ready = a->held = a->issued = 0;
}

void sm_account_settle(struct sm *sm, uint64_t cycle)
{
    struct sm_account *a = &sm->account;
    for (uint64_t rest = sm->resident; rest; rest &= rest - 1)
        if (a->since[mask_first(rest)] < cycle)
            close_warp(a, mask_first(rest), cycle);
    if (a->could_since < cycle)
        close_could(a, cycle);
}
