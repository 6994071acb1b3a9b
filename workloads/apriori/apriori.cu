// Association mining by the Apriori algorithm: which sets of items are in at least so many records of a database? An
// iteration makes candidates of one item more from the sets that the last one found, puts them into a hash tree, and
// goes through all records to count in how many each candidate is.
//
// A node of the tree is a leaf with a list of candidates, or has children, of which an item of the candidate chooses:
// its first at the root, its second below that, and so on. Threads insert candidates at the same time. Each node has a
// lock, under which is read whether it is a leaf: a leaf that gets too many candidates becomes a node with children,
// and who had read that before would hang its candidate where nobody looks for it.
//
// Insertion and counting descend by recursion. Lanes of a warp are at different depths then, of the same function.
#include "../locks.h"
#include "mine.h"

constexpr unsigned NONE = 0xffffffffu;

struct node {
    unsigned lock, leaf;
    unsigned children; // the first of them; the others follow
    unsigned hung;     // the first cell of a leaf's list
    unsigned count;    // candidates of a leaf
};

struct cell {
    unsigned candidate, next;
};

// Memory of the device is given out from arrays: by counters, which begin anew in each iteration.
enum { NODES, CELLS, CANDIDATES, COUNTERS };

struct mining {
    const unsigned *start, *item; // the records, as in database
    unsigned records;
    const unsigned *survivor; // of the last iteration, in order, size - 1 items each
    const unsigned *joins;    // how many joins come before those of each survivor with later ones
    unsigned survivors, pairs;
    unsigned size; // items of a candidate
    node *nodes;   // the first is the root
    cell *cells;
    unsigned *candidate, *support; // size items each; a number each
    unsigned *taken;               // by counter
    unsigned fan, most;            // children of a node, candidates of a leaf
};

// Constant memory, so that a recursive function need not be handed it on the stack.
static __constant__ mining m;

static __device__ node *child_of(unsigned children, unsigned item)
{
    return &m.nodes[children + item % m.fan];
}

static __device__ void hang(node *leaf, unsigned c)
{
    m.cells[c].next = leaf->hung;
    leaf->hung = c;
    leaf->count++;
}

// Gives a leaf at this depth children and hangs its candidates among them. Nobody else sees them before its lock is
// given back, so theirs need not be taken. A child may get them all: it is split when the next one comes.
static __device__ void split(node *leaf, unsigned depth)
{
    unsigned children = atomicAdd(&m.taken[NODES], m.fan), c = leaf->hung;
    for (unsigned i = 0; i < m.fan; i++)
        m.nodes[children + i] = {LOCKSTEP_LOCK_FREE, 1, NONE, NONE, 0};
    while (c != NONE) {
        unsigned next = m.cells[c].next;
        hang(child_of(children, m.candidate[m.cells[c].candidate * m.size + depth]), c);
        c = next;
    }
    leaf->children = children;
    leaf->leaf = 0;
}

// Inserts a candidate, which has its cell, at this node or below. At the depth of the candidates' size no item is left
// to choose a child by.
template <int FORM> static __device__ __noinline__ void insert(node *at, unsigned c, unsigned depth)
{
    unsigned children = NONE;
    under_lock<FORM>(&at->lock, [&] {
        if (at->leaf) {
            hang(at, c);
            if (at->count > m.most && depth < m.size)
                split(at, depth);
        } else {
            children = at->children;
        }
    });
    if (children != NONE)
        insert<FORM>(child_of(children, m.candidate[m.cells[c].candidate * m.size + depth]), c, depth + 1);
    asm volatile("" ::: "memory"); // or a compiler may make a loop of a call that nothing follows
}

// Is the set of all items of `whole` but one among the survivors? -1 and 1 are as in a dictionary.
static __device__ int compare_part(const unsigned *whole, unsigned out, unsigned survivor)
{
    const unsigned *s = &m.survivor[survivor * (m.size - 1)];
    int order = 0;
    for (unsigned i = 0; i < m.size - 1 && order == 0; i++) {
        unsigned item = whole[i + (i >= out)];
        order = item < s[i] ? -1 : item > s[i];
    }
    return order;
}

static __device__ bool survived(const unsigned *whole, unsigned out)
{
    unsigned low = 0, high = m.survivors;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = compare_part(whole, out, middle);
        if (order == 0)
            return true;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return false;
}

// The survivor whose joins with later ones the pair is of.
static __device__ unsigned first_of(unsigned pair)
{
    unsigned low = 0, high = m.survivors;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (m.joins[middle] <= pair)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// A thread joins pairs of survivors that differ in their last items. Without its last item or the one before, the
// result is one of the pair, so these parts need not be looked up.
template <int FORM> __global__ void generate()
{
    for (unsigned pair = blockIdx.x * blockDim.x + threadIdx.x; pair < m.pairs; pair += gridDim.x * blockDim.x) {
        unsigned one = first_of(pair), other = one + 1 + (pair - m.joins[one]), whole[MOST_ITEMS];
        for (unsigned i = 0; i < m.size - 1; i++)
            whole[i] = m.survivor[one * (m.size - 1) + i];
        whole[m.size - 1] = m.survivor[other * (m.size - 1) + m.size - 2];
        bool keep = true;
        for (unsigned out = 0; out + 2 < m.size && keep; out++)
            keep = survived(whole, out);
        if (keep) {
            unsigned candidate = atomicAdd(&m.taken[CANDIDATES], 1), c = atomicAdd(&m.taken[CELLS], 1);
            for (unsigned i = 0; i < m.size; i++)
                m.candidate[candidate * m.size + i] = whole[i];
            m.cells[c].candidate = candidate;
            insert<FORM>(&m.nodes[0], c, 0);
        }
    }
}

// A thread's knowledge of its record while it descends: the items that chose the way so far, and the record's end.
struct walk {
    unsigned chosen[MOST_ITEMS], end;
};

// A way to a leaf stands for the candidates that begin with just its items, so each is met once in a record.
static __device__ bool matches(const walk &w, unsigned depth, unsigned from, const unsigned *candidate)
{
    for (unsigned i = 0; i < depth; i++)
        if (candidate[i] != w.chosen[i])
            return false;
    unsigned found = depth;
    for (; from < w.end && found < m.size; from++)
        found += m.item[from] == candidate[found];
    return found == m.size;
}

// Counts the candidates at this node and below of which the record, from here on, has the rest.
static __device__ __noinline__ void count_below(const node *at, walk &w, unsigned depth, unsigned from)
{
    if (at->leaf) {
        for (unsigned c = at->hung; c != NONE; c = m.cells[c].next) {
            unsigned candidate = m.cells[c].candidate;
            if (matches(w, depth, from, &m.candidate[candidate * m.size]))
                atomicAdd(&m.support[candidate], 1);
        }
    } else {
        for (; from + (m.size - depth) <= w.end; from++) {
            w.chosen[depth] = m.item[from];
            count_below(child_of(at->children, m.item[from]), w, depth + 1, from + 1);
        }
    }
}

__global__ void count()
{
    walk w;
    for (unsigned r = blockIdx.x * blockDim.x + threadIdx.x; r < m.records; r += gridDim.x * blockDim.x) {
        w.end = m.start[r + 1];
        count_below(&m.nodes[0], w, 0, m.start[r]);
    }
}

__global__ void count_items()
{
    for (unsigned r = blockIdx.x * blockDim.x + threadIdx.x; r < m.records; r += gridDim.x * blockDim.x)
        for (unsigned i = m.start[r]; i < m.start[r + 1]; i++)
            atomicAdd(&m.support[m.item[i]], 1);
}

struct shape {
    unsigned inserters, counters; // blocks, at most
    unsigned block;
    bool lock;
};

// A thread for each of `work`, as far as there are so many.
static void launch(void (*kernel)(), const mining &now, unsigned most, unsigned block, uint64_t work)
{
    unsigned blocks = (unsigned)std::min<uint64_t>(most, (work + block - 1) / block);
    CHECK(cudaMemcpyToSymbol(m, &now, sizeof now));
    if (blocks)
        kernel<<<blocks, block>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// Arrays for the largest iteration. Of the leaves at one depth, no more can be split than have too many candidates.
static mining make_mining(const database &d, const std::vector<level> &levels, unsigned fan, unsigned most)
{
    mining made = {};
    uint64_t nodes = 1, items = 0, joins = 0, survivor = 0;
    for (const level &l : levels) {
        uint64_t room = std::max<uint64_t>(l.joins, l.candidates.size());
        joins = std::max(joins, room);
        items = std::max(items, room * l.size);
        survivor = std::max<uint64_t>(survivor, l.candidates.size() * l.size);
        nodes = std::max<uint64_t>(nodes, 1 + (uint64_t)fan * l.size * (room / (most + 1)));
    }
    made.start = to_device(d.start);
    made.item = to_device(d.item);
    made.records = d.records();
    made.survivor = to_device(std::vector<unsigned>(survivor, 0));
    made.joins = to_device(std::vector<unsigned>(survivor + 1, 0));
    made.nodes = to_device(std::vector<node>(nodes));
    made.cells = to_device(std::vector<cell>(joins));
    made.candidate = to_device(std::vector<unsigned>(items));
    made.support = to_device(std::vector<unsigned>(joins));
    made.taken = to_device(std::vector<unsigned>(COUNTERS));
    made.fan = fan;
    made.most = most;
    return made;
}

static void free_mining(const mining &made)
{
    for (const void *memory : {(const void *)made.start, (const void *)made.item, (const void *)made.survivor,
                               (const void *)made.joins, (const void *)made.nodes, (const void *)made.cells,
                               (const void *)made.candidate, (const void *)made.support, (const void *)made.taken})
        CHECK(cudaFree((void *)memory));
}

template <typename T> static void put(const T *device, const std::vector<T> &host)
{
    CHECK(cudaMemcpy((void *)device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}

static void begin(mining &now, const std::vector<itemset> &survivors, unsigned size)
{
    std::vector<unsigned> items, joins;
    unsigned pairs = 0;
    for (size_t i = 0; i < survivors.size(); i++) {
        items.insert(items.end(), survivors[i].begin(), survivors[i].end());
        joins.push_back(pairs);
        for (size_t j = i + 1; j < survivors.size() && may_join(survivors[i], survivors[j]); j++)
            pairs++;
    }
    put(now.survivor, items);
    put(now.joins, joins);
    put(now.nodes, std::vector<node>(1, node{LOCKSTEP_LOCK_FREE, 1, NONE, NONE, 0}));
    put(now.taken, std::vector<unsigned>{1, 0, 0});
    put(now.support, std::vector<unsigned>(pairs, 0));
    now.survivors = (unsigned)survivors.size();
    now.pairs = pairs;
    now.size = size;
}

// The findings of an iteration, in order. All nodes must be unlocked.
static level fetch(const mining &now, uint64_t *wrong)
{
    std::vector<unsigned> taken = to_host(now.taken, COUNTERS);
    std::vector<unsigned> items = to_host(now.candidate, (size_t)taken[CANDIDATES] * now.size);
    std::vector<unsigned> support = to_host(now.support, taken[CANDIDATES]);
    std::vector<std::pair<itemset, unsigned>> found;
    for (size_t i = 0; i < support.size(); i++)
        found.push_back({itemset(&items[i * now.size], &items[i * now.size] + now.size), support[i]});
    std::sort(found.begin(), found.end());
    level l = {now.size, now.pairs, {}, {}};
    for (const auto &f : found) {
        l.candidates.push_back(f.first);
        l.support.push_back(f.second);
    }
    uint64_t locked = 0;
    for (const node &n : to_host(now.nodes, taken[NODES]))
        locked += n.lock != LOCKSTEP_LOCK_FREE;
    if (locked)
        fprintf(stderr, "apriori: nodes still locked: %llu\n", (unsigned long long)locked);
    *wrong += locked;
    return l;
}

static uint64_t wrong_level(const level &here, const level &host)
{
    bool sets = here.candidates != host.candidates, supports = here.support != host.support;
    if (sets || supports)
        fprintf(stderr, "apriori: sets of %u items: not the host's %s\n", host.size, sets ? "candidates" : "supports");
    return sets || supports;
}

// All iterations on the device, each compared with the host's; the next one begins with what the device found.
static uint64_t run(mining &now, const std::vector<level> &levels, const shape &s, unsigned least)
{
    uint64_t wrong = 0;
    level last = {1, 0, levels[0].candidates, {}};
    launch(count_items, now, s.counters, s.block, now.records);
    last.support = to_host(now.support, last.candidates.size());
    for (size_t i = 0;; i++) {
        std::vector<itemset> survivors = survivors_of(last, least);
        wrong += wrong_level(last, levels[i]);
        printf("apriori: sets of %2u: %6zu candidates, %6zu survivors\n", last.size, last.candidates.size(),
               survivors.size());
        if (wrong || i + 1 == levels.size())
            break;
        begin(now, survivors, last.size + 1);
        launch(s.lock ? generate<SYNC_LOCK> : generate<SYNC_ATOMICS>, now, s.inserters, s.block, now.pairs);
        launch(count, now, s.counters, s.block, now.records);
        last = fetch(now, &wrong);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"sync", "atomics or lock: how nodes are locked", SYNC_ATOMICS, SYNC_ATOMICS, SYNC_LOCK, SYNC_ATOMICS, 0,
         sync_words},
        {"records", "records of the database", 500, 1, 1u << 24, 200, 500},
        {"items", "different items", 80, 2, 1u << 16, 40, 80},
        {"support", "least support of a set, in thousandths of the records", 40, 1, 1000, 50, 130},
        {"pool", "sets of items that often come together", 50, 1, 1u << 20, 20, 50},
        {"length", "items of a record, on the average", 8, 1, 32, 8, 8},
        {"pattern", "items of a set of the pool, on the average", 4, 1, 32, 4, 4},
        {"fan", "children of a node", 8, 2, 1u << 10, 4, 8},
        {"leaf", "candidates of a leaf, at most, unless they have all of their items in common", 8, 1, 1u << 16, 3, 8},
        {"inserters", "blocks at most that insert", 12, 1, 1u << 16, 4, 240},
        {"blocks", "blocks at most that count", 120, 1, 1u << 16, 4, 120},
        {"block", "threads of a block", 64, 1, 1024, 64, 64},
        {"seed", "of the records", 1994, 0, UINT64_MAX, 1994, 1994},
    };
    option_read(options, argc, argv);
    auto value = [&](int i) { return (unsigned)options[i].value; };
    generator random = {options[12].value};
    database d = make_database(random, value(1), value(2), value(4), value(5), value(6));
    unsigned least = (unsigned)(((uint64_t)value(3) * d.records() + 999) / 1000);
    printf("apriori: %u records with %zu of %u items, sets in at least %u of them\n", d.records(), d.item.size(),
           d.items, least);
    std::vector<level> levels = mine(d, least);
    mining now = make_mining(d, levels, value(7), value(8));
    uint64_t wrong = run(now, levels, {value(9), value(10), value(11), value(0) == SYNC_LOCK}, least);
    free_mining(now);
    return verdict("apriori", wrong);
}
