// Ranks the pages of a site by how often each was viewed, by map and sort. The input is text: a line has a page's path
// and its views in decimal. The map reads the number and emits a pair for each page that was viewed often enough; the
// sorted pairs are the ranking, and nothing is left to reduce.
#include "../mapreduce.h"
#include <algorithm>
#include <string>

// A pair's key is the page's line, its value the views.
struct rank_views {
    const char *text;
    const unsigned *lines; // where each line begins
    unsigned least;        // pages with fewer views are left out

    __device__ unsigned views(unsigned line) const
    {
        unsigned at = lines[line], number = 0;
        while (text[at] != ' ')
            at++;
        for (at++; text[at] != '\n'; at++)
            number = 10 * number + (unsigned)(text[at] - '0');
        return number;
    }
    __device__ unsigned count(unsigned line) const
    {
        return views(line) >= least;
    }
    __device__ void emit(unsigned line, kv *to) const
    {
        *to = {line, views(line)};
    }
    // The page that was viewed more often; of equal ones, the one that is named first.
    __device__ bool before(kv a, kv b) const
    {
        return a.value != b.value ? a.value > b.value : a.key < b.key;
    }
};

struct site {
    std::string text;
    std::vector<unsigned> lines, views;
};

// Few pages have many views: a number of up to 20 bits is drawn, and then how many of its bits are kept.
static site make_site(generator &random, unsigned pages)
{
    site s;
    for (unsigned page = 0; page < pages; page++) {
        s.views.push_back(random.below(1u << 20) >> random.below(20));
        s.lines.push_back((unsigned)s.text.size());
        s.text += "/" + std::to_string(page * 7919ull % 1000003) + ".html " + std::to_string(s.views.back()) + "\n";
    }
    return s;
}

static std::vector<unsigned> host_ranking(const site &s, unsigned least)
{
    std::vector<unsigned> ranking;
    for (unsigned page = 0; page < s.views.size(); page++)
        if (s.views[page] >= least)
            ranking.push_back(page);
    std::stable_sort(ranking.begin(), ranking.end(), [&](unsigned a, unsigned b) { return s.views[a] > s.views[b]; });
    return ranking;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"pages", "pages", 6000, 1, 1u << 22, 1500, 72000},
        {"least", "fewest views of a page that is ranked", 4, 0, 1u << 20, 4, 0},
        {"seed", "of the views", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned pages = (unsigned)options[0].value, least = (unsigned)options[1].value, count;
    generator random = {options[2].value};
    site s = make_site(random, pages);
    char *text = to_device(std::vector<char>(s.text.begin(), s.text.end()));
    unsigned *lines = to_device(s.lines);
    kv *pairs = map_sort(rank_views{text, lines, least}, pages, &count);
    std::vector<kv> got = to_host(pairs, count);
    std::vector<unsigned> want = host_ranking(s, least);
    uint64_t wrong = got.size() != want.size();
    for (size_t i = 0; i < want.size() && i < got.size(); i++)
        wrong += got[i].key != want[i] || got[i].value != s.views[want[i]];
    printf("pageviewrank: %zu of %u pages with at least %u views\n", want.size(), pages, least);
    for (void *p : {(void *)text, (void *)lines, (void *)pairs})
        CHECK(cudaFree(p));
    return verdict("pageviewrank", wrong);
}
