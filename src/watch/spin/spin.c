/* Spin detection of one SM: hands what its warps do to the detector, and keeps the measures. */
#include "watch/spin/spin.h"

#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "watch/spin/spin_impl.h"

static const char *const spin_counts_choices[] = {"any", "first", "executed", NULL};
static const char *const spin_hash_choices[] = {"xor", "modulo", NULL};
static const char *const spin_order_choices[] = {"queue", "scheduler", NULL};

const struct param_desc spin_param_descs[] = {
#define PARAM_STRUCT struct spin_params
#include "config/param_descs.h"
#include "watch/spin/spin_params.def"
#include "config/param_end.h"
};
const unsigned spin_param_count = sizeof(spin_param_descs) / sizeof(spin_param_descs[0]);

static const struct stat_desc spin_stat_descs[] = {
#define STAT_STRUCT struct spin_stats
#include "stats/stat_descs.h"
#include "watch/spin/spin_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group spin_stat_group = {"spin", "spinning warps: detection, back-off, locks", spin_stat_descs,
                                           sizeof(spin_stat_descs) / sizeof(spin_stat_descs[0])};

struct spin *spin_create(const struct spin_setup *setup, struct arena *arena)
{
    struct spin *spin = ARENA_NEW(arena, struct spin, 1);
    spin->setup = *setup;
    return spin;
}

void spin_destroy(struct spin *spin)
{
    if (!spin)
        return;
    free(spin->detector);
    free(spin->judgement);
    free(spin->met);
    free(spin->tries);
}

static bool goes_back(const struct isa_instr *instr, uint32_t pc)
{
    return instr->op == ISA_OP_BRA && instr->target < pc;
}

uint32_t spin_number_branches(const struct isa_module *module, uint16_t *number)
{
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < module->instr_count; pc++) {
        bool counts = count < UINT16_MAX && goes_back(&module->instrs[pc], pc);
        count += counts;
        if (number)
            number[pc] = counts ? (uint16_t)count : 0;
    }
    return count;
}

static bool holds_cas(const struct isa_module *module, uint32_t pc)
{
    for (uint32_t i = module->instrs[pc].target; i < pc; i++)
        if (module->instrs[i].mods.atomic == ISA_ATOMIC_CAS)
            return true;
    return false;
}

static void *fresh(void *old, const struct spin_detector *detector, const struct spin_setup *setup, uint32_t branches,
                   size_t *bytes)
{
    free(old);
    *bytes = detector->state_bytes(setup->params, branches);
    void *state = base_calloc(1, *bytes + 1);
    detector->reset(state, setup->params, branches);
    return state;
}

void spin_begin(struct spin *spin, const struct isa_module *module, uint32_t first_pc)
{
    const struct spin_setup *setup = &spin->setup;
    spin->module = module;
    spin->first_pc = first_pc;
    free(spin->met);
    free(spin->tries);
    uint32_t count = spin->branches = spin_number_branches(module, NULL);
    spin->met = base_calloc(count + 1, sizeof *spin->met);
    spin->tries = base_calloc(count + 1, sizeof *spin->tries);
    count = 0;
    for (uint32_t pc = 0; pc < module->instr_count && count < spin->branches; pc++)
        if (goes_back(&module->instrs[pc], pc))
            spin->tries[count++] = holds_cas(module, pc);
    spin->detector = fresh(spin->detector, setup->detector, setup, spin->branches, &spin->detector_bytes);
    spin->judgement = fresh(spin->judgement, setup->judge, setup, spin->branches, &spin->judgement_bytes);
    memset(spin->passes, 0, sizeof spin->passes);
    memset(spin->locks, 0, sizeof spin->locks);
    spin->changes = 0;
}

void spin_launched(struct spin *spin, unsigned warp)
{
    if (spin->setup.detector->launched)
        spin->setup.detector->launched(spin->detector, warp);
    if (spin->setup.judge->launched)
        spin->setup.judge->launched(spin->judgement, warp);
    spin_outcome_launched(spin, warp);
}

static void tell_written(struct spin *spin, unsigned warp, unsigned lane, uint64_t address, const uint64_t *before,
                         uint64_t after)
{
    if (spin->setup.detector->wrote)
        spin->setup.detector->wrote(spin->detector, warp, lane, address, before, after);
    if (spin->setup.judge->wrote)
        spin->setup.judge->wrote(spin->judgement, warp, lane, address, before, after);
}

static bool listens(const struct spin *spin)
{
    return spin->setup.detector->wrote || (spin->setup.judge->wrote);
}

static uint64_t tagged(unsigned space, uint64_t address)
{
    return address | (uint64_t)space << 56;
}

/* Stores, eight bytes at a time, and atomics that were performed at once. Of these only that they changed something is
 * known: each change is told as a value that was never there before. */
static void tell_access(struct spin *spin, unsigned warp, const struct simt_access *access)
{
    unsigned bytes = access->element_bytes * access->elements;
    bool at_once = access->kind == ISA_FLAG_ATOMIC && access->space == ISA_SPACE_SHARED;
    if (access->kind != ISA_FLAG_STORE && !at_once)
        return;
    uint64_t lanes = at_once ? access->changed & access->mask : access->mask;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = mask_first(lanes);
        for (unsigned at = 0; at < bytes; at += 8) {
            uint64_t value = at_once ? ++spin->changes : 0;
            if (!at_once)
                memcpy(&value, simt_access_data(access, lane) + at, bytes - at < 8 ? bytes - at : 8);
            tell_written(spin, warp, lane, tagged(access->space, access->address[lane]) + at, NULL, value);
        }
    }
}

static void note_met(struct spin *spin, const struct spin_event *e, enum spin_verdict verdict)
{
    struct spin_met *met = &spin->met[e->branch];
    if (!met->met)
        met->first = e->cycle;
    met->met = true;
    met->last = e->cycle;
    if (verdict != SPIN_NO && !met->found) {
        met->found = true;
        met->found_at = e->cycle;
    }
    met->spins |= spin->setup.judge->branch(spin->judgement, e) != SPIN_NO;
    uint32_t entries, confirmed;
    spin->setup.detector->occupancy(spin->detector, &entries, &confirmed);
    if (entries > spin->stats.table_max)
        spin->stats.table_max = entries;
    if (confirmed > spin->stats.confirmed_max)
        spin->stats.confirmed_max = confirmed;
}

static bool counts(const struct spin *spin, const struct spin_event *e)
{
    switch (spin->setup.params->counts) {
    case SPIN_COUNTS_ANY:
        return e->mask != 0;
    case SPIN_COUNTS_FIRST:
        return mask_has(e->mask, mask_first(e->active));
    default:
        return true;
    }
}

static bool observe_branch(struct spin *spin, const struct spin_event *e)
{
    if (e->instr->spin & ISA_SPIN_BRANCH)
        spin_outcome_branch(spin, e);
    if (!counts(spin, e))
        return false;
    spin->stats.branches++;
    enum spin_verdict verdict = spin->setup.detector->branch(spin->detector, e);
    note_met(spin, e, verdict);
    if (verdict != SPIN_YES)
        return false;
    spin->stats.sib_executions++;
    return !simt_able(&e->simt->paths, e->instr->target, e->pc);
}

void spin_backed_off(struct spin *spin)
{
    spin->stats.backoffs++;
}

void spin_left(struct spin *spin, uint64_t limit)
{
    spin->stats.delay_limit_sum += limit;
    if (limit > spin->stats.delay_limit_max)
        spin->stats.delay_limit_max = limit;
}

bool spin_issued(struct spin *spin, const struct spin_event *event, const struct simt_access *access)
{
    struct spin_event e = *event;
    e.relative_pc = e.pc - spin->first_pc;
    spin_outcome_issued(spin, &e, access);
    if (access && listens(spin))
        tell_access(spin, e.warp, access);
    if (e.instr->op == ISA_OP_SETP) {
        if (spin->setup.detector->setp)
            spin->setup.detector->setp(spin->detector, &e);
        return false;
    }
    if (!e.branch)
        return false;
    e.branch--;
    return observe_branch(spin, &e);
}

void spin_atomic(struct spin *spin, const struct spin_atomic *a)
{
    spin_outcome_atomic(spin, a->warp, a->lane, a->instr, a->address, a->took);
    if (a->after != a->before)
        tell_written(spin, a->warp, a->lane, tagged(ISA_SPACE_GLOBAL, a->address), &a->before, a->after);
}

void spin_transactions(struct spin *spin, const struct isa_instr *instr, unsigned count)
{
    spin->stats.loop_transactions += instr->spin & ISA_SPIN_INSIDE ? count : 0;
}

void spin_pass(struct spin *spin, uint64_t cycles, unsigned held, unsigned delayed)
{
    spin->stats.backed_off_cycles += cycles * held;
    spin->stats.delayed_cycles += cycles * delayed;
}

void spin_drained(struct spin *spin)
{
    spin->setup.detector->drained(spin->detector);
}

/* From the first meeting to the confirmation, of the time from the first meeting to the last. */
static uint64_t phase_of(const struct spin_met *met)
{
    return met->last > met->first ? (met->found_at - met->first) * 1000000 / (met->last - met->first) : 0;
}

const struct spin_stats *spin_stats_of(struct spin *spin)
{
    struct spin_stats *s = &spin->stats;
    const struct spin_setup *setup = &spin->setup;
    s->hardware_bits = setup->detector->hardware_bits(setup->params, setup->warps) + setup->control_bits;
    s->true_met = s->true_found = s->true_phase = s->false_met = s->false_found = s->false_phase = 0;
    for (uint32_t i = 0; i < spin->branches; i++) {
        const struct spin_met *met = &spin->met[i];
        if (!met->met)
            continue;
        *(met->spins ? &s->true_met : &s->false_met) += 1;
        if (!met->found)
            continue;
        *(met->spins ? &s->true_found : &s->false_found) += 1;
        *(met->spins ? &s->true_phase : &s->false_phase) += phase_of(met);
    }
    return s;
}

void spin_stats_reset(struct spin *spin)
{
    spin->stats = (struct spin_stats){0};
}

/* Checkpoints */

void spin_archive(struct spin *spin, struct archive *ar)
{
    archive_begin(ar, "spin", 0);
    archive_bytes(ar, spin->detector, spin->detector_bytes);
    archive_bytes(ar, spin->judgement, spin->judgement_bytes);
    ARCHIVE_ARRAY(ar, spin->met, spin->branches);
    ARCHIVE(ar, spin->passes);
    ARCHIVE(ar, spin->locks);
    ARCHIVE(ar, spin->changes);
    ARCHIVE(ar, spin->stats);
    archive_end(ar);
}
