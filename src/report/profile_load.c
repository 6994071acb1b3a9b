/* What a kernel leaves of its machine: see profile_load.h. */
#include "report/profile_load.h"

#include <inttypes.h>
#include <string.h>

#include "report/profile_barriers.h"
#include "report/profile_uses.h"

#define ENOUGH_WARPS 8 /* of an SM: with fewer, somebody waits for values most of the time, whatever a kernel does */
#define LONG_BLOCK 2   /* times as long as blocks are on average: the block is told */

struct load {
    uint64_t sms, cycles, busy, warp_cycles, launches;
    uint64_t blocks, fit; /* of a launch; that fit into an SM */
    const char *limit;    /* what lets no more of them in */
};

static uint64_t blocks_of(const json_t *kernel)
{
    const json_t *grid = json_object_get(kernel, "grid");
    uint64_t blocks = 1;
    for (size_t i = 0; i < json_array_size(grid); i++)
        blocks *= (uint64_t)json_integer_value(json_array_get(grid, i));
    return blocks;
}

static struct load load_of(const struct profile_lines *p)
{
    struct load load = {0};
    size_t i;
    const json_t *kernel;
    json_array_foreach(p->kernels, i, kernel)
    {
        const char *of = json_string_value(json_object_get(kernel, "name"));
        const json_t *profile = json_object_get(kernel, "profile"), *sm = json_object_get(kernel, "sm");
        if (!of || strcmp(of, p->name) != 0 || !profile)
            continue;
        load.sms = json_array_size(json_object_get(profile, "sms"));
        load.launches++;
        profile_uses_count(kernel, "cycles", false, &load.cycles);
        profile_uses_count(sm, "busy_cycles", false, &load.busy);
        profile_uses_count(sm, "warp_cycles", false, &load.warp_cycles);
        load.blocks = blocks_of(kernel) > load.blocks ? blocks_of(kernel) : load.blocks;
        load.fit = profile_uses_number(kernel, "blocks_per_sm");
        load.limit = json_string_value(json_object_get(kernel, "blocks_limited_by"));
    }
    return load;
}

double profile_load_idle(const struct profile_lines *p)
{
    struct load load = load_of(p);
    double busy = profile_uses_ratio(load.busy, load.cycles * load.sms);
    return load.busy && busy < 1 ? 1 - busy : 0;
}

static void add_blocks(const struct load *load, struct strbuf *out)
{
    strbuf_addf(out, "%s has %" PRIu64 " block%s for %" PRIu64 " SMs", load->launches > 1 ? "a launch" : "the grid",
                load->blocks, load->blocks == 1 ? "" : "s", load->sms);
}

void profile_load_add_idle(const struct profile_lines *p, struct strbuf *out)
{
    struct load load = load_of(p);
    struct profile_ends *ends = profile_ends_read(p->kernels, p->name);
    uint64_t longest = profile_uses_number(ends->longest, "cycles");
    double each = profile_uses_ratio(ends->cycles, ends->as.counts[PROFILE_BARRIER_opened]);
    strbuf_addf(out, "SMs have none of its warps in %.0f%% of their cycles: ", 100 * profile_load_idle(p));
    if (load.launches > 1)
        strbuf_addf(out, "%" PRIu64 " launches of %.0f cycles, ", load.launches,
                    profile_uses_ratio(load.cycles, load.launches));
    if (load.blocks >= load.sms && (double)longest >= LONG_BLOCK * each && each > 0) {
        profile_uses_add_block(json_object_get(ends->longest, "block"), out);
        strbuf_addf(out, " takes %" PRIu64 " cycles, %.1f times as many as a block does on average", longest,
                    (double)longest / each);
    } else {
        add_blocks(&load, out);
    }
    profile_ends_done(ends);
}

uint64_t profile_load_few(const struct profile_lines *p)
{
    struct load load = load_of(p);
    double warps = profile_uses_ratio(load.warp_cycles, load.busy);
    return warps < ENOUGH_WARPS && load.busy ? (uint64_t)((double)p->sum.data * (1 - warps / ENOUGH_WARPS)) : 0;
}

void profile_load_add_few(const struct profile_lines *p, struct strbuf *out)
{
    struct load load = load_of(p);
    strbuf_addf(out, "An SM has %.1f warps on average while it has any, too few to hide waits for values: ",
                profile_uses_ratio(load.warp_cycles, load.busy));
    if (load.blocks > load.sms * load.fit && load.limit)
        strbuf_addf(out, "%" PRIu64 " block%s at a time, limited by %s", load.fit, load.fit == 1 ? " fits" : "s fit",
                    load.limit);
    else
        add_blocks(&load, out);
}
