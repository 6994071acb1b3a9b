/* Samples of runs: see samples.h. */
#include "report/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "report/figures.h"
#include "report/table.h"

/* One run says little of cycles that differ by more than this share of their mean. */
#define WIDE 0.10
/* Samples of one distribution are told to differ once in so many times. */
#define SIGNIFICANT 0.05
/* With so many ways to order two samples they are counted. */
#define COUNTED 40

/* Rank test */

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* U of a: how many pairs have a's number above b's; equal ones count half. */
static double u_of(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double u = 0;
    for (size_t i = 0; i < a_count; i++)
        for (size_t k = 0; k < b_count; k++)
            u += a[i] > b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
    return u;
}

/* The sum of t^3 - t over the numbers that are there t times. */
static double ties_of(struct arena *arena, const double *a, size_t a_count, const double *b, size_t b_count)
{
    size_t count = a_count + b_count;
    double *all = ARENA_NEW(arena, double, count), ties = 0;
    memcpy(all, a, a_count * sizeof *a);
    memcpy(all + a_count, b, b_count * sizeof *b);
    qsort(all, count, sizeof *all, compare_numbers);
    for (size_t i = 0, t; i < count; i += t) {
        for (t = 1; i + t < count && all[i + t] == all[i];)
            t++;
        ties += (double)t * (double)t * (double)t - (double)t;
    }
    return ties;
}

/* The share of all orders of m and n numbers whose U is at most u. ways[k][x]: orders of j and k numbers with U = x,
 * for one j after the other. */
static double share_below(struct arena *arena, size_t m, size_t n, size_t u)
{
    size_t most = m * n + 1;
    double *ways = ARENA_NEW(arena, double, (n + 1) * most), below = 0, all = 0;
    for (size_t k = 0; k <= n; k++)
        ways[k * most] = 1;
    for (size_t j = 1; j <= m; j++)
        for (size_t k = 1; k <= n; k++) /* the greatest is of the first (above k others) or of the second */
            for (size_t x = most; x-- > 0;)
                ways[k * most + x] = (x >= k ? ways[k * most + x - k] : 0) + ways[(k - 1) * most + x];
    for (size_t x = 0; x < most; x++) {
        all += ways[n * most + x];
        below += x <= u ? ways[n * most + x] : 0;
    }
    return below / all;
}

double report_rank_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
    struct arena arena = {0};
    double m = (double)a_count, n = (double)b_count, count = m + n;
    double u = u_of(a, a_count, b, b_count), least = fmin(u, m * n - u);
    double ties = ties_of(&arena, a, a_count, b, b_count), p;
    if (ties == 0 && count <= COUNTED) {
        p = 2 * share_below(&arena, a_count, b_count, (size_t)least);
    } else {
        double spread = sqrt(m * n / 12 * (count + 1 - ties / (count * (count - 1))));
        p = spread > 0 ? erfc(fmax(0, m * n / 2 - least - 0.5) / spread / sqrt(2)) : 1;
    }
    arena_free(&arena);
    return fmin(p, 1);
}

double report_quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    double rest = at - (double)below;
    return below + 1 < count ? sorted[below] * (1 - rest) + sorted[below + 1] * rest : sorted[below];
}

/* Columns */

struct sample {
    bool failed;
    unsigned count;
    double *cycles; /* in order */
    double mean, deviation, time_ns, instructions, energy;
};

static struct figures figures_of(const struct report_run *run)
{
    struct figures f = {0};
    for (size_t i = 0; i < json_array_size(run->kernels); i++)
        figures_add(&f, json_array_get(run->kernels, i));
    return f;
}

/* Mean and squares by Welford's update: they stay exact where the cycles are many and differ little. */
static struct sample sample_of(const struct report_run *runs, unsigned count, struct arena *arena)
{
    struct sample s = {.count = count, .cycles = ARENA_NEW(arena, double, count)};
    double squares = 0;
    for (unsigned i = 0; i < count; i++) {
        struct figures f = figures_of(&runs[i]);
        double cycles = (double)f.cycles, off = cycles - s.mean;
        s.failed |= runs[i].failure != NULL || f.cycles == 0;
        s.cycles[i] = cycles;
        s.mean += off / (i + 1);
        squares += off * (cycles - s.mean);
        s.time_ns += f.time_ns / count;
        s.instructions += (double)f.warp_instructions / count;
        s.energy += f.energy_launches < f.launches ? NAN : (double)f.total_energy / count;
    }
    s.deviation = count > 1 && s.mean > 0 ? sqrt(squares / (count - 1)) / s.mean : 0;
    qsort(s.cycles, count, sizeof *s.cycles, compare_numbers);
    return s;
}

static double quantile(const struct sample *s, double share)
{
    return report_quantile(s->cycles, s->count, share);
}

typedef void cell_text(const struct sample *s, const struct sample *first, struct strbuf *out);

static void mean_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", s->mean);
}

static void deviation_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.2f%%", 100 * s->deviation);
}

static void least_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", s->cycles[0]);
}

static void quartile_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", quantile(s, 0.25));
}

static void median_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", quantile(s, 0.5));
}

static void upper_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", quantile(s, 0.75));
}

static void most_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", s->cycles[s->count - 1]);
}

static void speedup_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    if (!first->failed && s->time_ns > 0)
        strbuf_addf(out, "%.3fx", first->time_ns / s->time_ns);
    else
        strbuf_add(out, "-");
}

static void instructions_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    (void)first;
    strbuf_addf(out, "%.0f", s->instructions);
}

static void energy_cell(const struct sample *s, const struct sample *first, struct strbuf *out)
{
    struct figures none = {.launches = 1, .energy_launches = 1};
    (void)first;
    if (s->energy == s->energy)
        figures_energy(&none, (uint64_t)s->energy, out);
    else
        strbuf_add(out, "-");
}

static const struct {
    const char *label;
    cell_text *text;
} rows[] = {
    {"cycles, mean", mean_cell},
    {"  deviation of one run", deviation_cell},
    {"  least", least_cell},
    {"  lower quartile", quartile_cell},
    {"  median", median_cell},
    {"  upper quartile", upper_cell},
    {"  most", most_cell},
    {"speed-up of means", speedup_cell},
    {"warp instructions, mean", instructions_cell},
    {"total energy, mean", energy_cell},
};

/* Samples so small that no order of them would be told to differ say nothing. */
static void agreement(const struct sample *s, const struct report_numbers *with, struct strbuf *out)
{
    double p = report_rank_test(s->cycles, s->count, with->values, with->count);
    double orders =
        tgamma(s->count + (double)with->count + 1) / tgamma(s->count + 1.0) / tgamma((double)with->count + 1);
    if (2 / orders > SIGNIFICANT)
        strbuf_add(out, "too few");
    else
        strbuf_addf(out, "%s (p = %.2g)", p < SIGNIFICANT ? "differ" : "agree", p);
}

static void add_agreement(struct table *t, const struct sample *samples, const struct report_numbers *with)
{
    table_cell(t, "cycles and %s", with->name);
    for (unsigned i = 0; i + 1 < t->columns; i++) {
        struct strbuf cell = {0};
        if (samples[i].failed)
            strbuf_add(&cell, "-");
        else
            agreement(&samples[i], with, &cell);
        table_cell(t, "%s", strbuf_text(&cell));
        strbuf_free(&cell);
    }
}

static void warn(const struct sample *s, const char *name, struct strbuf *out)
{
    double range = s->mean > 0 ? (s->cycles[s->count - 1] - s->cycles[0]) / s->mean : 0;
    if (!s->failed && range > WIDE)
        strbuf_addf(out, "%s: cycles vary by %.0f%% of their mean: one run of it is no measurement\n", name,
                    100 * range);
}

void report_samples(const struct report_run *runs, unsigned count, unsigned samples, const struct report_numbers *agree,
                    struct table_page *page)
{
    struct table t;
    struct arena arena = {0};
    unsigned columns = count / samples;
    char *align = ARENA_NEW(&arena, char, columns + 2);
    struct sample *all = ARENA_NEW(&arena, struct sample, columns);
    memset(align, 'r', columns + 1);
    align[0] = 'l';
    table_init(&t, align);
    table_cell(&t, "%u samples each", samples);
    for (unsigned i = 0; i < columns; i++) {
        all[i] = sample_of(&runs[i * samples], samples, &arena);
        table_cell(&t, "%s", runs[i * samples].group);
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        table_cell(&t, "%s", rows[r].label);
        for (unsigned i = 0; i < columns; i++) {
            struct strbuf cell = {0};
            if (all[i].failed)
                strbuf_add(&cell, "-");
            else
                rows[r].text(&all[i], &all[0], &cell);
            table_cell(&t, "%s", strbuf_text(&cell));
            strbuf_free(&cell);
        }
    }
    if (agree)
        add_agreement(&t, all, agree);
    table_text(&t, page);
    for (unsigned i = 0; i < columns; i++)
        warn(&all[i], runs[i * samples].group, &page->text);
    table_free(&t);
    arena_free(&arena);
}
