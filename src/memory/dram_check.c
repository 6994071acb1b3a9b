/* Recomputes what a DRAM channel keeps although it follows from its queues and banks (base/check.h). */
#include "base/bits.h"
#include "base/check.h"
#include "memory/dram.h"

/* Slots in a list, at most as many as there are; *last: the one that ends it. */
static uint32_t list_length(const struct dram *d, uint32_t slot, uint32_t *last)
{
    uint32_t length = 0;
    for (; slot < d->limit && length <= d->limit; slot = d->next_slot[slot], length++)
        *last = slot;
    return length;
}

static uint32_t bank_of(const struct dram *d, uint32_t slot)
{
    return dram_bank(d->slots[slot]) & d->bank_mask;
}

/* The banks whose requests fill the slots that are not free. */
static uint32_t banks_waiting(const struct dram *d, uint32_t *waiting)
{
    uint32_t slot = d->free_slot, free = 0, banks = 0;
    uint64_t taken[(UINT16_MAX + 1) / 64];
    for (uint32_t i = 0; i * 64 < d->limit; i++)
        taken[i] = ~UINT64_C(0);
    for (; slot < d->limit && free <= d->limit; slot = d->next_slot[slot], free++)
        taken[slot / 64] &= ~BIT64(slot % 64);
    for (uint32_t i = 0; i < d->limit; i++)
        banks |= taken[i / 64] >> i % 64 & 1 ? 1u << bank_of(d, i) : 0;
    *waiting = d->limit - free;
    return banks;
}

static void check_queues(struct dram *d, struct check *c)
{
    uint32_t waiting, listed = 0, banks = banks_waiting(d, &waiting);
    CHECK_FACT(c, "dram.wanted", 0, d->wanted, banks);
    CHECK_FACT(c, "dram.waiting", 0, d->waiting, waiting);
    for (uint32_t rest = banks; rest; rest &= rest - 1) {
        uint32_t i = mask_first(rest), last = DRAM_NO_SLOT;
        struct dram_bank *b = &d->banks[i];
        listed += list_length(d, b->first, &last);
        CHECK_FACT(c, "dram.bank.last", i, b->last, last);
        check_holds(c, "dram.bank.first", i, b->first < d->limit && bank_of(d, b->first) == i);
    }
    check_holds(c, "dram.slots", 0, listed == waiting);
}

/* The command that a bank's current request waits for, and from when on the bank itself allows it. */
static enum dram_need need_of(const struct dram_bank *b, uint64_t *at)
{
    if (!b->open) {
        *at = b->activate_at;
        return DRAM_ACTIVATE;
    }
    if (b->row != dram_row(b->current)) {
        *at = b->precharge_at;
        return DRAM_PRECHARGE;
    }
    bool write = dram_kind(b->current) >= REQUEST_WRITE;
    *at = write ? b->write_at : b->read_at;
    return write ? DRAM_WRITE : DRAM_READ;
}

/* From when on the channel and the bank's group allow it. */
static uint64_t allowed(const struct dram *d, const struct dram_bank *b, enum dram_need need)
{
    const struct dram_group *group = &d->groups[b->group];
    switch (need) {
    case DRAM_ACTIVATE:
        return d->activate_at;
    case DRAM_PRECHARGE:
        return group->precharge_at;
    default:
        return cycle_max(group->column_at, need == DRAM_WRITE ? d->write_at : d->read_at);
    }
}

static void check_needs(struct dram *d, struct check *c)
{
    uint32_t needs[DRAM_NEEDS] = {0}, served = d->held;
    uint64_t held_until = CYCLE_NEVER, command_at = CYCLE_NEVER, at;
    for (unsigned i = 0; i < DRAM_NEEDS; i++)
        served |= d->needs[i];
    CHECK_FACT(c, "dram.served", 0, d->served, served);
    for (uint32_t rest = d->served & d->all; rest; rest &= rest - 1) {
        uint32_t i = mask_first(rest);
        struct dram_bank *b = &d->banks[i];
        enum dram_need need = need_of(b, &at);
        command_at = cycle_min(command_at, cycle_max(at, allowed(d, b, need)));
        if (d->held >> i & 1) {
            held_until = cycle_min(held_until, at);
            CHECK_FACT(c, "dram.bank.need", i, b->need, need);
            CHECK_FACT(c, "dram.bank.held_at", i, b->held_at, at);
        } else {
            needs[need] |= 1u << i;
            check_holds(c, "dram.bank allows", i, at <= d->now);
        }
    }
    for (unsigned i = 0; i < DRAM_NEEDS; i++)
        CHECK_FACT(c, "dram.needs", i, d->needs[i], needs[i]);
    CHECK_FACT(c, "dram.held", 0, d->held, served & ~(needs[0] | needs[1] | needs[2] | needs[3]));
    CHECK_FACT(c, "dram.held_until", 0, d->held_until, held_until);
    if (command_at != CYCLE_NEVER)
        command_at = cycle_max(command_at, d->now + 1);
    check_at_most(c, "dram.command_at", 0, &d->command_at, sizeof d->command_at, command_at);
}

static void check_groups(struct dram *d, struct check *c)
{
    uint64_t precharge_at = 0;
    uint32_t banks[DRAM_BANKS] = {0};
    for (unsigned i = 0; i < DRAM_BANKS; i++)
        banks[d->banks[i].group] |= 1u << i;
    for (unsigned i = 0; i < DRAM_BANKS; i++) {
        CHECK_FACT(c, "dram.group.banks", i, d->groups[i].banks, banks[i]);
        precharge_at = cycle_max(precharge_at, d->groups[i].precharge_at);
    }
    CHECK_FACT(c, "dram.groups_precharge_at", 0, d->groups_precharge_at, precharge_at);
    check_holds(c, "dram.turn", 0, d->turn && d->turn == (d->all & ~0u << mask_first(d->turn)));
}

static void check_rings(struct dram *d, struct check *c)
{
    uint32_t delayed = d->delay_end - d->delay_first, bursts = d->pipe_end - d->pipe_first;
    const struct dram_delayed *oldest = &d->delay[d->delay_first & d->delay_mask];
    const struct dram_burst *last = &d->pipe[(d->pipe_end - 1) & d->pipe_mask];
    check_holds(c, "dram.delay", 0, delayed <= d->delay_mask + 1u);
    check_holds(c, "dram.pipe", 0, bursts <= d->pipe_mask + 1u);
    check_holds(c, "dram.pipe_late", 0, d->pipe_late || d->finished_count < d->finished_limit);
    if (!delayed)
        CHECK_FACT(c, "dram.join_at", 0, d->join_at, CYCLE_NEVER);
    else
        check_at_most(c, "dram.join_at with delayed", 0, &d->join_at, sizeof d->join_at,
                      cycle_max(oldest->due, d->now + 1));
    if (!d->pipe_late)
        CHECK_FACT(c, "dram.pipe_at", 0, d->pipe_at, bursts ? d->pipe[d->pipe_first & d->pipe_mask].at : CYCLE_NEVER);
    if (bursts)
        CHECK_FACT(c, "dram.last_at", 0, d->last_at, last->at);
}

void dram_check(struct dram *d, struct check *c)
{
    check_queues(d, c);
    check_needs(d, c);
    check_groups(d, c);
    check_rings(d, c);
}
