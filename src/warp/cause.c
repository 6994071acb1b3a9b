/* The cause at which a warp stands, by its state alone: rows of causes.def. */
#include "warp/table.h"

/* A call or return, and a function of the device, wait for all that is under way; others for the registers they use. */
HOT enum warp_cause warp_data_cause_of_loads(const struct warp_table *w, const struct warp_slot *slot,
                                             const struct decoded_instr *d)
{
    uint64_t memory = d->after == INSTR_AFTER_OWN && slot->stores_out, chip = 0;
    uint64_t all = d->after == INSTR_AFTER_OWN || d->changes_frame ? UINT64_MAX : 0;
    for (unsigned i = 0; i < w->scoreboard_words; i++) {
        memory |= slot->from_memory[i] & (d->uses[i] | all);
        chip |= slot->from_chip[i] & (d->uses[i] | all);
    }
    return memory ? WARP_CAUSE_data_memory : chip ? WARP_CAUSE_data_shared : WARP_CAUSE_data_arithmetic;
}

HOT enum warp_cause warp_cause_of(const struct warp_table *w, unsigned index)
{
    const struct warp_slot *slot = &w->slots[index];
    uint64_t bit = BIT64(index);
    if (bit & w->waiting) {
#define WAIT(name, cause, ender, kind, doc)                                                                            \
    if (bit & w->waits.name)                                                                                           \
        return WARP_CAUSE_##cause;
#include "warp/waits.def"
#undef WAIT
        return WARP_CAUSE_exit;
    }
    if (bit & w->cleared)
        return warp_account_unit(slot->unit);
    if (bit & w->buffered & ~w->mispredicted)
        return warp_data_cause(w, slot, &w->decoded[slot->head_pc]);
    return bit & (w->flushed | w->mispredicted) ? WARP_CAUSE_control : WARP_CAUSE_fetch;
}
