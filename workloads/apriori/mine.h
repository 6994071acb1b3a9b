// Apriori on the host, in another way than on the device: no tree. The support of a set is the number of bits that the
// bitmaps of its items, a bit for a record, have in common.
#ifndef LOCKSTEP_MINE_H
#define LOCKSTEP_MINE_H

#include "quest.h"

constexpr unsigned MOST_ITEMS = 16; // of a set: no larger ones are looked for

// What one iteration finds: sets of one size, in lexicographic order.
struct level {
    unsigned size;
    uint64_t joins; // pairs of survivors of the iteration before that have all but their last item in common
    std::vector<itemset> candidates;
    std::vector<unsigned> support; // of each candidate
};

static inline std::vector<itemset> survivors_of(const level &l, unsigned least)
{
    std::vector<itemset> survivors;
    for (size_t i = 0; i < l.candidates.size(); i++)
        if (l.support[i] >= least)
            survivors.push_back(l.candidates[i]);
    return survivors;
}

static inline bool may_join(const itemset &a, const itemset &b)
{
    return std::equal(a.begin(), a.end() - 1, b.begin());
}

// A set can only be frequent if every set with one item less is.
static inline bool all_parts_in(const std::vector<itemset> &survivors, const itemset &whole)
{
    for (size_t out = 0; out < whole.size(); out++) {
        itemset part = whole;
        part.erase(part.begin() + (long)out);
        if (!std::binary_search(survivors.begin(), survivors.end(), part))
            return false;
    }
    return true;
}

static inline void host_join(level &l, const std::vector<itemset> &survivors)
{
    for (size_t i = 0; i < survivors.size(); i++)
        for (size_t j = i + 1; j < survivors.size() && may_join(survivors[i], survivors[j]); j++) {
            itemset whole = survivors[i];
            whole.push_back(survivors[j].back());
            l.joins++;
            if (all_parts_in(survivors, whole))
                l.candidates.push_back(whole);
        }
}

static inline void host_count(level &l, const std::vector<std::vector<uint64_t>> &bitmaps)
{
    for (const itemset &c : l.candidates) {
        unsigned support = 0;
        for (size_t word = 0; word < bitmaps[0].size(); word++) {
            uint64_t common = ~UINT64_C(0);
            for (unsigned item : c)
                common &= bitmaps[item][word];
            support += (unsigned)__builtin_popcountll(common);
        }
        l.support.push_back(support);
    }
}

// The iterations one after another; the last one has no candidates, or the largest size.
static inline std::vector<level> mine(const database &d, unsigned least)
{
    std::vector<std::vector<uint64_t>> bitmaps(d.items, std::vector<uint64_t>(d.records() / 64 + 1, 0));
    for (unsigned r = 0; r < d.records(); r++)
        for (unsigned i = d.start[r]; i < d.start[r + 1]; i++)
            bitmaps[d.item[i]][r / 64] |= UINT64_C(1) << r % 64;
    std::vector<level> levels(1, level{1, 0, {}, {}});
    for (unsigned item = 0; item < d.items; item++)
        levels[0].candidates.push_back(itemset(1, item));
    host_count(levels[0], bitmaps);
    while (!levels.back().candidates.empty() && levels.back().size < MOST_ITEMS) {
        level next = {levels.back().size + 1, 0, {}, {}};
        host_join(next, survivors_of(levels.back(), least));
        host_count(next, bitmaps);
        levels.push_back(next);
    }
    return levels;
}

#endif
