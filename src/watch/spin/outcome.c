/* Outcomes of lanes' attempts in marked loops: locks taken, missed because a lane of the same warp or another
 * warp held them, waits that ended or not, and the work of passes that led to nothing (HPCA 2018, Figures 2 and 12). A
 * pass is a lane's way from the loop's head to a branch that closes it. It was for nothing if the lane goes round
 * again, has stored nothing and keeps no location that it took. */
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "watch/spin/spin_impl.h"

/* Where a location is noted, or else where it would be: one of a few places, the first of which gives way when none is
 * free. */
static struct spin_lock *place_of(struct spin *spin, uint64_t address)
{
    unsigned at = hash_place(address / 4), free = SPIN_LOCKS;
    for (unsigned i = 0; i < SPIN_PLACES; i++) {
        unsigned place = (at + i) % SPIN_LOCKS;
        if (spin->locks[place].address == address)
            return &spin->locks[place];
        if (!spin->locks[place].address && free == SPIN_LOCKS)
            free = place;
    }
    return &spin->locks[free != SPIN_LOCKS ? free : at % SPIN_LOCKS];
}

/* A location's name: each block has a shared memory of its own, known by the slot of the block's first warp. */
static uint64_t location_of(const struct spin_event *e, const struct simt_access *access, uint64_t address)
{
    return access->space == ISA_SPACE_SHARED ? BIT64(63) | (uint64_t)(e->warp - e->simt->index) << 32 | address
                                             : address;
}

static void give_back(struct spin *spin, unsigned warp, uint64_t address)
{
    struct spin_lock *lock = place_of(spin, address);
    if (lock->address == address && lock->warp == warp)
        lock->address = 0;
}

/* The lane's pass is over: the next one begins. */
static void begin_pass(struct spin_pass *pass, uint64_t lanes)
{
    for (uint64_t rest = lanes & pass->open; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        pass->instructions[lane] = pass->accesses[lane] = pass->taken[lane] = 0;
    }
    pass->acted &= ~lanes;
    pass->open &= ~lanes;
}

void spin_outcome_launched(struct spin *spin, unsigned warp)
{
    memset(&spin->passes[warp], 0, sizeof spin->passes[warp]);
    for (unsigned i = 0; i < SPIN_LOCKS; i++)
        if (spin->locks[i].warp == warp)
            spin->locks[i].address = 0;
}

static bool stores(const struct simt_access *access)
{
    return access && access->kind == ISA_FLAG_STORE && access->space != ISA_SPACE_LOCAL;
}

static void note_issued(struct spin *spin, const struct spin_event *e, const struct simt_access *access)
{
    struct spin_pass *pass = &spin->passes[e->warp];
    for (uint64_t rest = stores(access) ? access->mask : 0; rest; rest &= rest - 1) /* outside of the loop too */
        give_back(spin, e->warp, location_of(e, access, access->address[mask_first(rest)]));
    if (!(e->instr->spin & ISA_SPIN_INSIDE)) {
        begin_pass(pass, e->mask); /* whoever left the loop by another way than its closing branch */
        return;
    }
    pass->open |= e->mask;
    if (stores(access))
        pass->acted |= access->mask;
    spin->stats.loop_warp_instructions++;
    spin->stats.loop_thread_instructions += mask_count(e->mask);
    for (uint64_t rest = e->mask; rest; rest &= rest - 1)
        pass->instructions[mask_first(rest)]++;
    if (!access)
        return;
    spin->stats.loop_accesses += mask_count(access->mask);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        pass->accesses[mask_first(rest)]++;
}

void spin_outcome_branch(struct spin *spin, const struct spin_event *e)
{
    struct spin_pass *pass = &spin->passes[e->warp];
    for (uint64_t rest = e->active; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        bool something = !mask_has(e->mask, lane) || mask_has(pass->acted, lane) || pass->taken[lane];
        if (!spin->tries[e->branch]) {
            spin->stats.wait_success += something;
            spin->stats.wait_fail += !something;
        }
        if (!something) {
            spin->stats.wasted_thread_instructions += pass->instructions[lane];
            spin->stats.wasted_accesses += pass->accesses[lane];
        }
    }
    begin_pass(pass, e->active);
}

void spin_outcome_atomic(struct spin *spin, unsigned warp, unsigned lane, const struct isa_instr *instr,
                         uint64_t address, bool took)
{
    struct spin_pass *pass = &spin->passes[warp];
    if (instr->mods.atomic != ISA_ATOMIC_CAS)
        give_back(spin, warp, address); /* outside of the loop too */
    if (!(instr->spin & ISA_SPIN_INSIDE))
        return;
    if (instr->mods.atomic == ISA_ATOMIC_EXCH)
        pass->taken[lane] -= pass->taken[lane] != 0;
    else if (instr->mods.atomic != ISA_ATOMIC_CAS)
        pass->acted |= BIT64(lane);
    if (instr->mods.atomic != ISA_ATOMIC_CAS)
        return;
    struct spin_lock *lock = place_of(spin, address);
    if (took) {
        *lock = (struct spin_lock){.address = address, .warp = (uint8_t)warp};
        pass->taken[lane] += pass->taken[lane] != UINT8_MAX;
        spin->stats.lock_success++;
    } else if (lock->address == address && lock->warp == warp) {
        spin->stats.lock_fail_inside++;
    } else {
        spin->stats.lock_fail_between++;
    }
}

void spin_outcome_issued(struct spin *spin, const struct spin_event *e, const struct simt_access *access)
{
    note_issued(spin, e, access);
    if (!access || access->kind != ISA_FLAG_ATOMIC || access->space != ISA_SPACE_SHARED)
        return;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) { /* performed at once, in this order */
        unsigned lane = mask_first(rest);
        spin_outcome_atomic(spin, e->warp, lane, e->instr, location_of(e, access, access->address[lane]),
                            mask_has(access->matched, lane));
    }
}
