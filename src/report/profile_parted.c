/* Parted lanes: see profile_parted.h. */
#include "report/profile_parted.h"

#include <string.h>

#include "report/profile_uses.h"

static double lanes_of(const struct profile_sum *sum)
{
    return profile_uses_ratio(sum->counts[PROFILE_active], sum->counts[PROFILE_issues]);
}

/* Lanes of a warp: as many as ever had the turn together, on average of an instruction. */
static double most_lanes(const struct profile_lines *p)
{
    double most = 0;
    for (size_t pc = 0; pc < p->instrs.count; pc++) {
        double lanes = lanes_of(&p->instrs.items[pc].sum);
        most = lanes > most ? lanes : most;
    }
    return most;
}

/* Lanes that go on one after the other take their time each with such a cause. */
static bool is_work(const char *cause)
{
    static const char *const works[] = {"issued",          "unpicked", "structural_sp", "structural_sfu",
                                        "data_arithmetic", "control",  "fetch"};
    for (unsigned i = 0; i < sizeof works / sizeof works[0]; i++)
        if (!strcmp(cause, works[i]))
            return true;
    return false;
}

uint64_t profile_parted_cycles(const struct profile_lines *p)
{
    double most = most_lanes(p), lost = 0;
    for (size_t pc = 0; pc < p->instrs.count; pc++) {
        const struct profile_sum *sum = &p->instrs.items[pc].sum;
        uint64_t work = 0;
        for (unsigned c = 0; c < p->cause_count; c++)
            work += is_work(p->causes[c]) ? sum->cycles[c] : 0;
        if (sum->counts[PROFILE_active])
            lost += (double)work * (1 - lanes_of(sum) / most);
    }
    return (uint64_t)lost;
}

/* The site at which lanes part most often, or NULL; with how often warps came to the branches there that part them. */
static const struct profile_site *find_branch(const struct profile_lines *p, uint64_t *splits, uint64_t *issues)
{
    const struct profile_site *best = NULL;
    for (size_t i = 0; i < p->sites.count; i++)
        if (p->sites.items[i].sum.counts[PROFILE_splits] > (best ? best->sum.counts[PROFILE_splits] : 0))
            best = &p->sites.items[i];
    *splits = best ? best->sum.counts[PROFILE_splits] : 0;
    *issues = 0;
    for (size_t pc = 0; best && pc < p->instrs.count; pc++) {
        const struct profile_instr *instr = &p->instrs.items[pc];
        bool parts = instr->sum.counts[PROFILE_splits] && instr->site == (uint32_t)(best - p->sites.items);
        *issues += parts ? instr->sum.counts[PROFILE_issues] : 0;
    }
    return best;
}

void profile_parted_add(const struct profile_lines *p, struct strbuf *out)
{
    uint64_t splits, issues;
    const struct profile_site *branch = find_branch(p, &splits, &issues);
    strbuf_add(out, "are lost to lanes that stand aside");
    if (branch) {
        const struct profile_line *line = &p->lines.items[branch->line];
        strbuf_addf(out, ": they part most at %s:%u, in %.0f%% of its branches", profile_uses_base_name(line->file),
                    line->number, 100 * profile_uses_ratio(splits, issues));
    }
    strbuf_addf(out, "; %.1f of %.0f lanes go on at a time", lanes_of(&p->sum), most_lanes(p));
}
