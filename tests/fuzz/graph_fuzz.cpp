// Graphs from anywhere, in the formats of Matrix Market and DIMACS, as the programs of workloads/ read them: reading ends
// in a graph, whose edges are of its nodes, or in a message.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define exit(code) throw code // a program ends there: this one goes on with the next input
#include "../../workloads/graph.h"
#undef exit

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const graph &g)
{
    if (g.first.size() != g.nodes + size_t(1) || g.first[g.nodes] != g.target.size() || g.target.size() != g.weight.size())
        abort();
    for (unsigned node : g.target)
        if (node >= g.nodes)
            abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    graph_reader r = {"graph", fmemopen(const_cast<uint8_t *>(data), size, "r"), {0}, 0};
    if (!r.file)
        abort();
    try {
        check(graph_read_text(r, 1));
    } catch (int) {
    }
    fclose(r.file);
    return 0;
}
