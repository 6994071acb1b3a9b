// Bank accounts and transfers between them, for atm and interac: made from a seed, and the balances checked on the
// host.
#ifndef LOCKSTEP_BANK_H
#define LOCKSTEP_BANK_H

#include "workload.h"

struct transfer {
    unsigned from, to;
    int amount;
};

struct bank {
    std::vector<int> balances; // before all transfers
    std::vector<transfer> transfers;
};

// Balances below 100, amounts below 50; no account gives to itself.
static inline bank make_bank(unsigned accounts, unsigned transfers, uint64_t seed)
{
    generator random = {seed};
    bank made = {std::vector<int>(accounts), std::vector<transfer>(transfers)};
    for (int &balance : made.balances)
        balance = (int)random.below(100);
    for (transfer &t : made.transfers) {
        t.from = random.below(accounts);
        t.to = (t.from + 1 + random.below(accounts - 1)) % accounts;
        t.amount = (int)random.below(50);
    }
    return made;
}

static inline uint64_t wrong_account(bool bad, const char *name, const char *what, uint64_t where)
{
    if (bad)
        fprintf(stderr, "%s: %s %llu\n", name, what, (unsigned long long)where);
    return bad;
}

// Transfers commute, so any order of them ends in the balances of the list's own order. `free` is what a lock holds
// that nobody has.
template <typename Lock>
static inline uint64_t check_bank(const char *name, const bank &made, const std::vector<int> &after,
                                  const std::vector<Lock> &locks, Lock free)
{
    std::vector<int> expected = made.balances;
    for (const transfer &t : made.transfers) {
        expected[t.from] -= t.amount;
        expected[t.to] += t.amount;
    }
    uint64_t wrong = 0;
    int64_t total = 0;
    for (size_t a = 0; a < expected.size(); a++) {
        wrong += wrong_account(locks[a] != free, name, "still locked: account", a);
        wrong += wrong_account(after[a] != expected[a], name, "balance of account", a);
        total += (int64_t)after[a] - made.balances[a];
    }
    return wrong + wrong_account(total != 0, name, "money made or lost:", (uint64_t)total);
}

#endif
