/* Figures of kernels; see figures.h. */
#include "report/figures.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "isa/program.h"

const struct figures_doc figures_docs[] = {
    {"cycles", "core cycles", "from the start of the launch to the end of its last block, its stores acknowledged"},
    {"gap_cycles", "core cycles",
     "that passed between the end of the launch before and the start of this one; below 0 where it ran beside others: "
     "those of all launches, with their cycles, are the time of a program"},
    {"time_ns", "ns", "simulated time of the launch: cycles at the core's clock"},
    {"warp_instructions", "instructions", "warp instructions issued: sm.warp_instructions"},
    {"thread_instructions", "instructions",
     "lanes that executed, summed over warp instructions: sm.thread_instructions"},
    {"ipc", "instructions/cycle", "thread_instructions / cycles, for the whole device"},
    {"simd_efficiency", "share",
     "thread_instructions / (warp_instructions x warp size): how full warps are; lanes that are masked off or "
     "predicated off are lost"},
};
const unsigned figures_doc_count = sizeof figures_docs / sizeof *figures_docs;

static uint64_t count_of(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void add_stalls(struct figures *f, const json_t *stalls)
{
    const char *name;
    json_t *value;
    unsigned i = 0;
    json_object_foreach((json_t *)stalls, name, value)
    {
        if (i == FIGURES_STALLS)
            break;
        f->stall_names[i] = name;
        f->stalls[i] += (uint64_t)json_integer_value(value);
        f->stall_total += (uint64_t)json_integer_value(value);
        i++;
    }
    f->stall_count = i > f->stall_count ? i : f->stall_count;
}

/* Where launches of both modes come together, figures are those of the ones that were timed; what only filled caches is none of them. */
static bool takes(struct figures *f, const json_t *kernel)
{
    const char *mode = json_string_value(json_object_get(kernel, "mode"));
    bool functional = mode && strcmp(mode, "timing") != 0;
    if (functional && f->launches && !f->functional) {
        f->untimed++;
        return false;
    }
    if (!functional && f->functional)
        *f = (struct figures){.untimed = f->launches};
    f->functional = functional;
    return true;
}

void figures_add(struct figures *f, const json_t *kernel)
{
    const json_t *l1d = json_object_get(kernel, "l1d"), *l2 = json_object_get(kernel, "l2");
    const json_t *energy = json_object_get(kernel, "energy");
    double simd = json_number_value(json_object_get(kernel, "simd_efficiency"));
    uint64_t threads = count_of(kernel, "thread_instructions");
    if (!takes(f, kernel))
        return;
    f->launches++;
    f->cycles += count_of(kernel, "cycles");
    f->gap_cycles += json_integer_value(json_object_get(kernel, "gap_cycles"));
    f->warp_instructions += count_of(kernel, "warp_instructions");
    f->thread_instructions += threads;
    f->lane_slots += simd > 0 ? (uint64_t)((double)threads / simd + 0.5) : 0;
    f->l1d_reads += count_of(l1d, "reads");
    f->l1d_read_hits += count_of(l1d, "read_hits");
    f->l2_reads += count_of(l2, "reads");
    f->l2_read_hits += count_of(l2, "read_hits");
    f->energy_launches += json_is_integer(json_object_get(energy, "total"));
    f->dynamic_energy += count_of(energy, "dynamic");
    f->total_energy += count_of(energy, "total");
    f->time_ns += json_number_value(json_object_get(kernel, "time_ns"));
    f->host_seconds += json_number_value(json_object_get(json_object_get(kernel, "host"), "seconds"));
    add_stalls(f, json_object_get(kernel, "stalls"));
}

double figures_ipc(const struct figures *f)
{
    return f->cycles ? (double)f->thread_instructions / (double)f->cycles : 0;
}

void figures_percent(uint64_t part, uint64_t whole, struct strbuf *out)
{
    if (whole)
        strbuf_addf(out, "%.1f%%", 100.0 * (double)part / (double)whole);
    else
        strbuf_add(out, "-");
}

void figures_energy(const struct figures *f, uint64_t pj, struct strbuf *out)
{
    static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M"};
    double value = (double)pj;
    unsigned i = 0;
    for (; value >= 999.5; value /= 1000)
        i++;
    if (!f->launches || f->energy_launches < f->launches)
        strbuf_add(out, "-");
    else
        strbuf_addf(out, "%.*f %sJ", i == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, prefixes[i]);
}

unsigned figures_largest_stall(const struct figures *f)
{
    unsigned largest = 0;
    for (unsigned i = 1; i < f->stall_count; i++)
        if (f->stalls[i] > (largest ? f->stalls[largest] : 0))
            largest = i;
    return largest;
}

void figures_top_stalls(const struct figures *f, unsigned n, struct strbuf *out)
{
    bool taken[FIGURES_STALLS] = {true}; /* the first is `issued` */
    unsigned shown = 0;
    for (; shown < n; shown++) {
        unsigned best = FIGURES_STALLS;
        for (unsigned i = 1; i < f->stall_count; i++)
            if (!taken[i] && f->stalls[i] > 0 && (best == FIGURES_STALLS || f->stalls[i] > f->stalls[best]))
                best = i;
        if (best == FIGURES_STALLS)
            break;
        taken[best] = true;
        strbuf_addf(out, "%s%s %.0f%%", shown ? ", " : "", f->stall_names[best],
                    100.0 * (double)f->stalls[best] / (double)f->stall_total);
    }
    if (!shown)
        strbuf_add(out, "-");
}

void figures_kernel_name(const char *name, struct strbuf *out)
{
    isa_plain_name(name, out);
}
