// Finds the pairs of documents that are alike, the most alike first, by map and sort. A document is a vector of
// features; the similarity of two is the cosine of the angle between them. The map emits those pairs of documents that
// reach a threshold: it computes each similarity once to count, and once more to store it.
#include "../mapreduce.h"
#include <algorithm>
#include <cmath>

// The cosine from integers that a float holds exactly. Division and square root are correctly rounded on both sides.
__host__ __device__ static float cosine(unsigned product, unsigned square_a, unsigned square_b)
{
    return (float)product / sqrtf((float)square_a * (float)square_b);
}

// Record i * documents + j is the pair of documents i and j. A pair's key is the record, its value the similarity's
// bits, which are ordered as the similarities are, for none is negative.
struct alike {
    const unsigned *features, *squares; // feature f of document d is features[f * documents + d]; sums of squares
    unsigned documents, dimensions;
    float least;

    __device__ float similarity(unsigned i, unsigned j) const
    {
        unsigned product = 0;
        for (const unsigned *f = features; f < features + documents * dimensions; f += documents)
            product += f[i] * f[j];
        return cosine(product, squares[i], squares[j]);
    }
    __device__ unsigned count(unsigned record) const
    {
        unsigned i = record / documents, j = record % documents;
        return i < j && similarity(i, j) >= least;
    }
    __device__ void emit(unsigned record, kv *to) const
    {
        *to = {record, __float_as_uint(similarity(record / documents, record % documents))};
    }
    __device__ bool before(kv a, kv b) const
    {
        return a.value != b.value ? a.value > b.value : a.key < b.key;
    }
};

// Three features in four are absent, the others are from 1 to 15; the first is never absent.
static std::vector<unsigned> make_features(generator &random, unsigned documents, unsigned dimensions)
{
    std::vector<unsigned> features((size_t)documents * dimensions);
    for (size_t i = 0; i < features.size(); i++)
        features[i] = i < documents || random.below(4) == 0 ? 1 + random.below(15) : 0;
    return features;
}

// The products of all pairs of documents, those with themselves included.
static std::vector<unsigned> make_products(const std::vector<unsigned> &features, unsigned documents)
{
    std::vector<unsigned> products((size_t)documents * documents, 0);
    for (size_t first = 0; first < features.size(); first += documents)
        for (unsigned i = 0; i < documents; i++)
            for (unsigned j = 0; j < documents; j++)
                products[(size_t)i * documents + j] += features[first + i] * features[first + j];
    return products;
}

// The records and similarities that the device must find, in that order.
static std::vector<std::pair<unsigned, float>> host_alike(const std::vector<unsigned> &products,
                                                          const std::vector<unsigned> &squares, float least)
{
    std::vector<std::pair<unsigned, float>> found;
    unsigned documents = (unsigned)squares.size();
    for (unsigned i = 0; i < documents; i++)
        for (unsigned j = i + 1; j < documents; j++) {
            float s = cosine(products[i * documents + j], squares[i], squares[j]);
            if (s >= least)
                found.emplace_back(i * documents + j, s);
        }
    std::stable_sort(found.begin(), found.end(), [](auto &a, auto &b) { return a.second > b.second; });
    return found;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"documents", "documents", 100, 2, 4096, 48, 440},
        {"dimensions", "features of a document", 32, 1, 1024, 12, 32},
        {"least", "similarity of pairs that are found, in percent", 20, 0, 100, 20, 0},
        {"seed", "of the documents", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned documents = (unsigned)options[0].value, dimensions = (unsigned)options[1].value, count;
    float least = (float)options[2].value / 100;
    generator random = {options[3].value};
    std::vector<unsigned> features = make_features(random, documents, dimensions);
    std::vector<unsigned> products = make_products(features, documents), squares;
    for (unsigned d = 0; d < documents; d++)
        squares.push_back(products[(size_t)d * documents + d]);
    unsigned *on_device = to_device(features), *their_squares = to_device(squares);
    alike job = {on_device, their_squares, documents, dimensions, least};
    kv *pairs = map_sort(job, documents * documents, &count);
    std::vector<kv> got = to_host(pairs, count);
    auto want = host_alike(products, squares, least);
    uint64_t wrong = got.size() != want.size();
    for (size_t i = 0; i < want.size() && i < got.size(); i++)
        wrong += got[i].key != want[i].first || memcmp(&got[i].value, &want[i].second, sizeof(float)) != 0;
    printf("similarity: %zu pairs of %u documents with %u features\n", want.size(), documents, dimensions);
    for (void *p : {(void *)on_device, (void *)their_squares, (void *)pairs})
        CHECK(cudaFree(p));
    return verdict("similarity", wrong);
}
