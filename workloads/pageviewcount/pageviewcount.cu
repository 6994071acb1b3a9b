// Counts how often each page of a web log was viewed, by map and reduce. The log is text: a line has the page's path, a
// reader's address and the answer's code. The map emits the path of each line whose code says that the page was sent;
// paths stay where they are in the log and are compared letter by letter.
#include "../mapreduce.h"
#include <map>
#include <string>

// A path's key is the place of its first letter in the log; a space ends it. Its value is made of the first four
// letters after the slash, so that most comparisons need not go to the log.
struct view_count {
    const char *log;
    const unsigned *lines; // where each line begins, and the end of the last

    // The code is the line's last three letters before the newline.
    __device__ unsigned count(unsigned line) const
    {
        return log[lines[line + 1] - 4] == '2';
    }
    __device__ void emit(unsigned line, kv *to) const
    {
        unsigned at = lines[line], letters = 0;
        for (unsigned i = 1; i <= 4; i++)
            letters = letters << 8 | (unsigned char)log[at + i];
        *to = {at, letters};
    }
    // Below, at or above 0 where path a comes before b, is equal, or comes after.
    __device__ int compared(kv a, kv b) const
    {
        if (a.value != b.value)
            return a.value < b.value ? -1 : 1;
        const char *one = log + a.key + 5, *other = log + b.key + 5;
        for (; *one == *other && *one != ' '; one++)
            other++;
        return *one - *other;
    }
    __device__ bool before(kv a, kv b) const
    {
        return compared(a, b) < 0;
    }
    __device__ bool same(kv a, kv b) const
    {
        return compared(a, b) == 0;
    }
    __device__ kv reduce(const kv *first, unsigned count) const
    {
        return {first->key, count};
    }
};

struct web_log {
    std::string text;
    std::vector<unsigned> lines;
    std::map<std::string, unsigned> views;
};

// Few pages are viewed often and many seldom: the number is drawn below one that is itself drawn. An answer in eight
// says that there is no such page.
static web_log make_log(generator &random, unsigned lines, unsigned pages)
{
    web_log log;
    for (unsigned i = 0; i < lines; i++) {
        unsigned page = random.below(1 + random.below(pages));
        std::string path = "/" + std::to_string(10000 + 3 * page) + (page % 3 ? ".html" : ".png");
        bool sent = random.below(8) > 0;
        log.lines.push_back((unsigned)log.text.size());
        log.text += path + " 10.0." + std::to_string(random.below(256)) + "." + std::to_string(random.below(256));
        log.text += sent ? " 200\n" : " 404\n";
        if (sent)
            log.views[path]++;
    }
    log.lines.push_back((unsigned)log.text.size());
    return log;
}

static uint64_t count_wrong(const web_log &log, const std::vector<kv> &got)
{
    uint64_t wrong = got.size() != log.views.size();
    size_t i = 0;
    for (auto page = log.views.begin(); page != log.views.end() && i < got.size(); ++page, i++) {
        bool equal = log.text.compare(got[i].key, page->first.size() + 1, page->first + " ") == 0;
        wrong += !equal || got[i].value != page->second;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"lines", "lines of the log", 6000, 1, 1u << 22, 1250, 36000},
        {"pages", "pages", 1000, 1, 20000, 400, 1000},
        {"seed", "of the log", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned lines = (unsigned)options[0].value;
    generator random = {options[2].value};
    web_log log = make_log(random, lines, (unsigned)options[1].value);
    char *text = to_device(std::vector<char>(log.text.begin(), log.text.end()));
    unsigned *starts = to_device(log.lines);
    std::vector<kv> got = map_reduce(view_count{text, starts}, lines);
    unsigned sent = 0;
    for (const auto &page : log.views)
        sent += page.second;
    printf("pageviewcount: %u views of %zu pages in %u lines\n", sent, log.views.size(), lines);
    CHECK(cudaFree(text));
    CHECK(cudaFree(starts));
    return verdict("pageviewcount", count_wrong(log, got));
}
