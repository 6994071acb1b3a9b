// Records for apriori: baskets of items in which some sets of items come together more often than chance would have it,
// in the manner of the generator that Agrawal and Srikant describe ("Fast algorithms for mining association rules",
// VLDB 1994). Whole numbers alone are used, so that equal seeds give equal records everywhere.
#ifndef LOCKSTEP_QUEST_H
#define LOCKSTEP_QUEST_H

#include "../workload.h"
#include <algorithm>
#include <set>

using itemset = std::vector<unsigned>; // ascending

// Record r is item[start[r]] to item[start[r + 1] - 1], ascending.
struct database {
    unsigned items;
    std::vector<unsigned> start, item;
    unsigned records() const
    {
        return (unsigned)start.size() - 1;
    }
};

// A size of 1 or more, `mean` on the average: how often a coin shows heads.
static inline unsigned size_around(generator &random, unsigned mean)
{
    unsigned size = 1;
    for (unsigned i = 0; i < 2 * (mean - 1); i++)
        size += random.below(2);
    return size;
}

// The sets that come together. About half of a set's items are of the set before it, as far as that goes.
static inline std::vector<itemset> make_pool(generator &random, unsigned sets, unsigned items, unsigned mean)
{
    std::vector<itemset> pool;
    for (unsigned i = 0; i < sets; i++) {
        unsigned size = std::min(size_around(random, mean), items);
        std::set<unsigned> chosen;
        for (unsigned k = 0; i > 0 && k < pool[i - 1].size() && chosen.size() < size; k++)
            if (random.below(2))
                chosen.insert(pool[i - 1][k]);
        while (chosen.size() < size)
            chosen.insert(random.below(items));
        pool.push_back(itemset(chosen.begin(), chosen.end()));
    }
    return pool;
}

// A record takes sets of the pool, the earlier ones more often, until it has the size that was drawn for it; of each
// set, every eighth item is lost. A small pool may not have as many items: the attempts are bounded.
static inline database make_database(generator &random, unsigned records, unsigned items, unsigned sets,
                                     unsigned length, unsigned pattern)
{
    std::vector<itemset> pool = make_pool(random, sets, items, pattern);
    database made = {items, {0}, {}};
    for (unsigned r = 0; r < records; r++) {
        unsigned size = size_around(random, length);
        std::set<unsigned> record;
        for (unsigned attempt = 0; record.size() < size && attempt < 4 * size; attempt++) {
            unsigned one = random.below(sets), other = random.below(sets);
            for (unsigned item : pool[std::min(one, other)])
                if (random.below(8) && record.size() < size)
                    record.insert(item);
        }
        made.item.insert(made.item.end(), record.begin(), record.end());
        made.start.push_back((unsigned)made.item.size());
    }
    return made;
}

#endif
