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

/* A call or return, and a function of the device, wait for all that is under way; others for the registers they use. */
HOT enum sm_cause sm_data_cause_of_loads(const struct sm *sm, const struct sm_warp *warp, const struct sm_decoded *d)
{
    uint64_t memory = d->after == SM_AFTER_OWN && warp->stores_out, chip = 0;
    uint64_t all = d->after == SM_AFTER_OWN || d->changes_frame ? UINT64_MAX : 0;
    for (unsigned i = 0; i < sm->scoreboard_words; i++) {
        memory |= warp->from_memory[i] & (d->uses[i] | all);
        chip |= warp->from_chip[i] & (d->uses[i] | all);
    }
    return memory ? SM_CAUSE_data_memory : chip ? SM_CAUSE_data_shared : SM_CAUSE_data_arithmetic;
}

HOT enum sm_cause sm_account_cause(const struct sm *sm, unsigned slot)
{
    const struct sm_warp *warp = &sm->warps[slot];
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
        return sm_account_unit(warp->unit);
    if (bit & sm->buffered & ~sm->mispredicted)
        return sm_data_cause(sm, warp, &sm->kernel->decoded[warp->head_pc]);
    return bit & (sm->flushed | sm->mispredicted) ? SM_CAUSE_control : SM_CAUSE_fetch;
}

HOT void sm_account_wait(struct sm *sm, uint64_t slots, enum sm_cause cause)
{
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        sm_account_stand(&sm->account, &sm->warps[mask_first(rest)].stands_at,
                         sm_account_from(&sm->account, rest & -rest), cause);
}

HOT void sm_account_again(struct sm *sm, uint64_t slots)
{
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        sm_account_stand(&sm->account, &sm->warps[mask_first(rest)].stands_at,
                         sm_account_from(&sm->account, rest & -rest), sm_account_cause(sm, mask_first(rest)));
}

static uint64_t *counts_of(struct sm_causes *causes)
{
    return &causes->issued;
}

void sm_account_come(struct sm *sm, uint64_t slots)
{
    struct sm_account *a = &sm->account;
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        sm->warps[slot].stands_at = (uint8_t)sm_account_cause(sm, slot);
        counts_of(&a->counts)[sm->warps[slot].stands_at] -= a->from;
    }
}

void sm_account_go(struct sm *sm, uint64_t slots)
{
    struct sm_account *a = &sm->account;
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        counts_of(&a->counts)[sm->warps[mask_first(rest)].stands_at] += a->from;
}

void sm_account_begin(struct sm *sm)
{
    sm->account = (struct sm_account){.from = sm->now, .counts = sm->account.counts};
    sm_account_come(sm, sm->resident);
}

HOT void sm_account_unpicked(struct sm *sm)
{
    struct sm_causes *counts = &sm->account.counts;
    uint64_t ready = sm->account.ready & ~sm->account.issued;
    uint64_t mem = ready & sm->wants[ISA_UNIT_MEM], sfu = ready & sm->wants[ISA_UNIT_SFU];
    contract(!(ready & ~(sm->resident & sm->cleared & ~sm->waiting))); /* what others issue does not change that */
    counts->unpicked += mask_count(ready);
    counts->structural_sp -= mask_count(ready);
    if (ready & sm->account.held) {
        unsigned held = mask_count(ready & sm->account.held);
        counts->unpicked -= held;
        counts->held += held;
    }
    if (mem | sfu) {
        counts->structural_mem -= mask_count(mem);
        counts->structural_sfu -= mask_count(sfu);
        counts->structural_sp += mask_count(mem | sfu);
    }
}

struct sm_causes sm_account_read(const struct sm *sm)
{
    struct sm_causes counts = sm->account.counts;
    for (uint64_t rest = sm->resident; rest; rest &= rest - 1)
        counts_of(&counts)[sm->warps[mask_first(rest)].stands_at] += sm->account.from;
    return counts;
}
