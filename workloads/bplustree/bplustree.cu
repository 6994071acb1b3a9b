// Finds in a B+ tree the record of the first key that is not below a query, one block for each query. The block brings
// every node on the way down to shared memory, where its threads compare all keys at once, and keeps them: if the leaf
// has no such key, the way goes up to the nearest node with a later child and down to that one's first leaf.
#include "../workload.h"
#include <algorithm>

// RESIDENT blocks are to fit on an SM: the nodes of a way take more than a sixth of 48 KB.
constexpr unsigned ORDER = 256, DEPTH = 4, RESIDENT = 5; // slots of a node, which are threads of a block; most levels
constexpr unsigned NONE = 0xffffffffu;                   // no key or record is that large: it stands in unused slots

// Slot i leads to the keys from keys[i] to below keys[i + 1]; in a leaf, links[i] is the record of keys[i].
struct node {
    unsigned keys[ORDER], links[ORDER];
};

// The nodes from the root, of level 0, to a leaf, and in each of them the slot that was taken.
struct way {
    node nodes[DEPTH];
    unsigned slots[DEPTH];
};

__device__ static void bring(node *to, const node *from)
{
    to->keys[threadIdx.x] = from->keys[threadIdx.x];
    to->links[threadIdx.x] = from->links[threadIdx.x];
    __syncthreads();
}

// The last slot whose key is at most `key`. The first slot of a level begins at 0, so that there is one.
__device__ static void choose_child(const node *n, unsigned key, unsigned *slot)
{
    unsigned t = threadIdx.x;
    if (n->keys[t] <= key && (t + 1 == ORDER || key < n->keys[t + 1]))
        *slot = t;
    __syncthreads();
}

// The first slot whose key is not below `key`: behind all keys if none is.
__device__ static void choose_record(const node *leaf, unsigned key, unsigned *slot)
{
    unsigned t = threadIdx.x;
    if (leaf->keys[t] >= key && (t == 0 || leaf->keys[t - 1] < key))
        *slot = t;
    if (t + 1 == ORDER && leaf->keys[t] < key)
        *slot = ORDER;
    __syncthreads();
}

__device__ static bool in_use(const node *n, unsigned slot)
{
    return slot < ORDER && n->keys[slot] != NONE;
}

// One thread's: the first record behind the leaf at the end of the way, if there is one.
__device__ static unsigned next_record(const way *w, const node *nodes, unsigned leaf_level)
{
    unsigned level = leaf_level;
    while (level > 0 && !in_use(&w->nodes[level - 1], w->slots[level - 1] + 1))
        level--;
    if (level == 0)
        return NONE;
    unsigned at = w->nodes[level - 1].links[w->slots[level - 1] + 1];
    for (; level < leaf_level; level++)
        at = nodes[at].links[0];
    return nodes[at].links[0];
}

__global__ void __launch_bounds__(ORDER, RESIDENT)
    find_next(const node *nodes, unsigned leaf_level, const unsigned *queries, unsigned *records)
{
    __shared__ way w;
    unsigned key = queries[blockIdx.x], at = 0;
    for (unsigned level = 0; level < leaf_level; level++) {
        bring(&w.nodes[level], &nodes[at]);
        choose_child(&w.nodes[level], key, &w.slots[level]);
        at = w.nodes[level].links[w.slots[level]];
    }
    const node *leaf = &w.nodes[leaf_level];
    bring(&w.nodes[leaf_level], &nodes[at]);
    choose_record(leaf, key, &w.slots[leaf_level]);
    if (threadIdx.x == 0) {
        unsigned slot = w.slots[leaf_level];
        records[blockIdx.x] = in_use(leaf, slot) ? leaf->links[slot] : next_record(&w, nodes, leaf_level);
    }
}

// What stands in a level: the first keys of its nodes, or of the leaves' records all keys.
struct level {
    std::vector<unsigned> keys, links;
};

// Packs a level into nodes with `fill` slots in use each, whose numbers begin at `first`; returns the level above.
static level pack(const level &entries, unsigned fill, unsigned first, std::vector<node> *nodes)
{
    level above;
    for (size_t i = 0; i < entries.keys.size(); i++) {
        if (i % fill == 0) {
            above.keys.push_back(entries.keys[i]);
            above.links.push_back(first + (unsigned)nodes->size());
            nodes->emplace_back();
            memset(&nodes->back(), 0xff, sizeof(node));
        }
        nodes->back().keys[i % fill] = entries.keys[i];
        nodes->back().links[i % fill] = entries.links[i];
    }
    return above;
}

// All nodes, the root first, then level after level; *leaf_level becomes the level of the leaves.
static std::vector<node> make_tree(const level &records, unsigned fill, unsigned *leaf_level)
{
    std::vector<size_t> sizes; // from the leaves up
    size_t entries = records.keys.size(), first = 0;
    do {
        entries = (entries + fill - 1) / fill;
        sizes.push_back(entries);
        first += entries;
    } while (entries > 1);
    std::vector<node> tree(first);
    level entered = records;
    for (size_t size : sizes) {
        std::vector<node> nodes;
        first -= size;
        entered = pack(entered, fill, (unsigned)first, &nodes);
        entered.keys[0] = 0; // keys below the smallest lead to the first leaf
        std::copy(nodes.begin(), nodes.end(), tree.begin() + (ptrdiff_t)first);
    }
    *leaf_level = (unsigned)sizes.size() - 1;
    return tree;
}

static level make_records(generator &random, unsigned count)
{
    level records;
    unsigned key = 0;
    for (unsigned i = 0; i < count; i++) {
        key += 1 + random.below(16);
        records.keys.push_back(key);
        records.links.push_back((unsigned)random.next() & 0x7fffffffu);
    }
    return records;
}

static uint64_t count_wrong(const level &records, const std::vector<unsigned> &queries,
                            const std::vector<unsigned> &got)
{
    uint64_t wrong = 0;
    for (size_t q = 0; q < queries.size(); q++) {
        auto next = std::lower_bound(records.keys.begin(), records.keys.end(), queries[q]);
        wrong += got[q] != (next == records.keys.end() ? NONE : records.links[(size_t)(next - records.keys.begin())]);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"records", "records of the tree", 100000, 1, 1u << 24, 1500, 1000000},
        {"fill", "slots of a node in use", 170, 64, ORDER, 64, 0},
        {"queries", "queries", 2000, 1, 1u << 24, 60, 10000},
        {"seed", "of the records and queries", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[3].value};
    level records = make_records(random, (unsigned)options[0].value);
    unsigned leaf_level;
    std::vector<node> tree = make_tree(records, (unsigned)options[1].value, &leaf_level);
    // Every fourth key is behind the last of a leaf, whose next one is in another.
    std::vector<unsigned> queries(options[2].value);
    for (size_t q = 0; q < queries.size(); q++) {
        unsigned leaf = random.below((unsigned)(records.keys.size() / options[1].value) + 1);
        size_t last = std::min((leaf + 1) * options[1].value, (uint64_t)records.keys.size()) - 1;
        queries[q] = q % 4 == 0 ? records.keys[last] + 1 : random.below(records.keys.back() + 1);
    }
    node *nodes = to_device(tree);
    unsigned *asked = to_device(queries), *found = to_device(queries);
    find_next<<<(unsigned)queries.size(), ORDER>>>(nodes, leaf_level, asked, found);
    CHECK(cudaGetLastError());
    uint64_t wrong = count_wrong(records, queries, to_host(found, queries.size()));
    printf("bplustree: %zu records in %zu nodes of %u levels, %zu queries\n", records.keys.size(), tree.size(),
           leaf_level + 1, queries.size());
    for (void *p : {(void *)nodes, (void *)asked, (void *)found})
        CHECK(cudaFree(p));
    return verdict("bplustree", wrong);
}
