/* The detector that believes the source: branches that close loops marked with `.pragma "lockstep.spin"`. */
#include "watch/spin/spin.h"

static size_t state_bytes(const struct spin_params *params, uint32_t branches)
{
    (void)params, (void)branches;
    return 0;
}

static void reset(void *state, const struct spin_params *params, uint32_t branches)
{
    (void)state, (void)params, (void)branches;
}

static enum spin_verdict branch(void *state, const struct spin_event *event)
{
    (void)state;
    return event->instr->spin & ISA_SPIN_BRANCH ? SPIN_YES : SPIN_NO;
}

static void drained(void *state)
{
    (void)state;
}

static void occupancy(const void *state, uint32_t *entries, uint32_t *confirmed)
{
    (void)state;
    *entries = *confirmed = 0;
}

static uint64_t hardware_bits(const struct spin_params *params, unsigned warps)
{
    (void)params, (void)warps;
    return 0;
}

const struct spin_detector spin_annotated = {
    .name = "static",
    .doc = "backward branches of loops that the source marks (.pragma \"lockstep.spin\")",
    .believes_marks = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .branch = branch,
    .drained = drained,
    .occupancy = occupancy,
    .hardware_bits = hardware_bits,
};
