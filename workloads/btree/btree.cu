// Searches in a B+ tree, one block for each query. The threads of the block are as many as a node has slots: each
// compares the key of its slot, the one whose slot covers the query writes the child's number to shared memory, and the
// block goes on there. A level costs two barriers: one before the child's number is read, one before it may be
// overwritten.
#include "../workload.h"
#include <algorithm>

constexpr unsigned ORDER = 256;        // slots of a node, and threads of a block
constexpr unsigned NONE = 0xffffffffu; // no key is that large: it stands in unused slots and for "not found"

// Slot i of an inner node leads to the keys from keys[i] to below keys[i + 1]; links[i] is a node there, a record in a
// leaf.
struct node {
    unsigned keys[ORDER], links[ORDER];
};

// Node 0 is the root. The leaves stand last, in the order of their keys, and all but the last hold `fill` records.
struct tree {
    std::vector<node> nodes;
    unsigned inner_levels, first_leaf, fill;
};

// One thread of the block finds that its slot covers the key, since the first slot of a level begins at 0.
__device__ static void choose_child(const node *n, unsigned key, unsigned *child)
{
    unsigned t = threadIdx.x;
    if (n->keys[t] <= key && (t + 1 == ORDER || key < n->keys[t + 1]))
        *child = n->links[t];
}

// records[q] becomes the record of key queries[q], if there is one.
__global__ void find(const node *nodes, unsigned inner_levels, const unsigned *queries, unsigned *records)
{
    __shared__ unsigned child;
    unsigned key = queries[blockIdx.x], at = 0;
    for (unsigned level = 0; level < inner_levels; level++) {
        choose_child(&nodes[at], key, &child);
        __syncthreads();
        at = child;
        __syncthreads();
    }
    if (nodes[at].keys[threadIdx.x] == key)
        records[blockIdx.x] = nodes[at].links[threadIdx.x];
}

// How many keys of a leaf are below `key`: the thread at the border of the sorted slots knows.
__device__ static void count_below(const node *leaf, unsigned key, unsigned *count)
{
    unsigned t = threadIdx.x;
    if (t == 0 && leaf->keys[0] >= key)
        *count = 0;
    if (leaf->keys[t] < key && (t + 1 == ORDER || leaf->keys[t + 1] >= key))
        *count = t + 1;
}

// ranks[2 * q] and ranks[2 * q + 1] become the numbers of keys below lows[q] and below ends[q]: the records between are
// those of the range. Both ends descend together.
__global__ void find_range(const node *nodes, unsigned inner_levels, unsigned first_leaf, unsigned fill,
                           const unsigned *lows, const unsigned *ends, unsigned *ranks)
{
    __shared__ unsigned child[2], below[2];
    unsigned low = lows[blockIdx.x], end = ends[blockIdx.x], at = 0, at_end = 0;
    for (unsigned level = 0; level < inner_levels; level++) {
        choose_child(&nodes[at], low, &child[0]);
        choose_child(&nodes[at_end], end, &child[1]);
        __syncthreads();
        at = child[0];
        at_end = child[1];
        __syncthreads();
    }
    count_below(&nodes[at], low, &below[0]);
    count_below(&nodes[at_end], end, &below[1]);
    __syncthreads();
    if (threadIdx.x < 2) {
        unsigned leaf = (threadIdx.x == 0 ? at : at_end) - first_leaf;
        ranks[2 * blockIdx.x + threadIdx.x] = leaf * fill + below[threadIdx.x];
    }
}

// Builds the tree from sorted keys, level by level from the leaves up, with `fill` slots of each node in use.
static tree build_tree(const std::vector<unsigned> &keys, const std::vector<unsigned> &records, unsigned fill)
{
    std::vector<size_t> sizes; // of the levels, the leaves first
    do {
        size_t below = sizes.empty() ? keys.size() : sizes.back();
        sizes.push_back((below + fill - 1) / fill);
    } while (sizes.back() > 1);
    size_t first = 0, total = 0;
    for (size_t size : sizes)
        total += size;
    node empty;
    std::fill_n(empty.keys, ORDER, NONE);
    std::fill_n(empty.links, ORDER, 0u);
    tree t = {std::vector<node>(total, empty), (unsigned)sizes.size() - 1, (unsigned)(total - sizes[0]), fill};
    for (size_t level = 0, children = total; level < sizes.size(); level++, children = first) {
        first = children - sizes[level];
        size_t entries = level == 0 ? keys.size() : sizes[level - 1];
        for (size_t i = 0; i < entries; i++) {
            node &n = t.nodes[first + i / fill];
            n.keys[i % fill] = level == 0 ? keys[i] : i == 0 ? 0 : t.nodes[children + i].keys[0];
            n.links[i % fill] = level == 0 ? records[i] : (unsigned)(children + i);
        }
    }
    return t;
}

struct data {
    std::vector<unsigned> keys, records; // sorted by key
    std::vector<unsigned> queries, lows, ends;
};

// Keys with gaps of 1 to 16; every second query is for a key of the tree, the others are for any number up to the
// largest key.
static data make_data(generator &random, unsigned records, unsigned finds, unsigned ranges, unsigned span)
{
    data d;
    unsigned key = 0;
    for (unsigned i = 0; i < records; i++) {
        key += 1 + random.below(16);
        d.keys.push_back(key);
        d.records.push_back((unsigned)random.next() & 0x7fffffffu);
    }
    for (unsigned q = 0; q < finds; q++)
        d.queries.push_back(q % 2 ? random.below(key + 1) : d.keys[random.below(records)]);
    for (unsigned q = 0; q < ranges; q++) {
        d.lows.push_back(random.below(key + 1));
        d.ends.push_back(d.lows[q] + random.below(span));
    }
    return d;
}

static uint64_t count_wrong(const data &d, const std::vector<unsigned> &records, const std::vector<unsigned> &ranks)
{
    uint64_t wrong = 0;
    auto rank = [&](unsigned key) { return std::lower_bound(d.keys.begin(), d.keys.end(), key) - d.keys.begin(); };
    for (size_t q = 0; q < d.queries.size(); q++) {
        size_t i = (size_t)rank(d.queries[q]);
        wrong += records[q] != (i < d.keys.size() && d.keys[i] == d.queries[q] ? d.records[i] : NONE);
    }
    for (size_t q = 0; q < d.lows.size(); q++)
        wrong += ranks[2 * q] != rank(d.lows[q]) || ranks[2 * q + 1] != rank(d.ends[q]);
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"records", "records of the tree", 100000, 1, 1u << 26, 1500, 1000000},
        {"fill", "slots of a node in use", 170, 2, ORDER, 12, 0},
        {"finds", "queries for one key", 2000, 1, 1u << 24, 24, 10000},
        {"ranges", "queries for a range of keys", 1000, 1, 1u << 24, 12, 6000},
        {"span", "the widest range", 10000, 1, 1u << 24, 500, 0},
        {"seed", "of the records and queries", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[5].value};
    unsigned finds = (unsigned)options[2].value, ranges = (unsigned)options[3].value;
    data d = make_data(random, (unsigned)options[0].value, finds, ranges, (unsigned)options[4].value);
    tree t = build_tree(d.keys, d.records, (unsigned)options[1].value);
    node *nodes = to_device(t.nodes);
    unsigned *queries = to_device(d.queries), *lows = to_device(d.lows), *ends = to_device(d.ends), *records, *ranks;
    CHECK(cudaMalloc(&records, finds * sizeof *records));
    CHECK(cudaMalloc(&ranks, 2 * (size_t)ranges * sizeof *ranks));
    CHECK(cudaMemset(records, 0xff, finds * sizeof *records));
    CHECK(cudaMemset(ranks, 0xff, 2 * (size_t)ranges * sizeof *ranks));
    find<<<finds, ORDER>>>(nodes, t.inner_levels, queries, records);
    CHECK(cudaGetLastError());
    find_range<<<ranges, ORDER>>>(nodes, t.inner_levels, t.first_leaf, t.fill, lows, ends, ranks);
    CHECK(cudaGetLastError());
    std::vector<unsigned> got = to_host(records, finds);
    uint64_t wrong = count_wrong(d, got, to_host(ranks, 2 * (size_t)ranges));
    printf("btree: %zu records in %zu nodes of %u levels, %u of %u keys found, %u ranges\n", d.keys.size(),
           t.nodes.size(), t.inner_levels + 1, finds - (unsigned)std::count(got.begin(), got.end(), NONE), finds,
           ranges);
    CHECK(cudaFree(nodes));
    for (unsigned *p : {queries, lows, ends, records, ranks})
        CHECK(cudaFree(p));
    return verdict("btree", wrong);
}
