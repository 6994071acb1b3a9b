/* Records, their comparison and the statistics over them; see fidelity.h. */
#include "cli/fidelity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "config/yaml.h"

#define WORDS 4 /* columns before the counters */
#define COLUMNS (WORDS + FIDELITY_COUNTERS)

static const char heading[] = "case,case_id,machine,scheduler,cycles,warp_instructions,thread_instructions,"
                              "l1d_accesses,l1d_misses,l2_accesses,l2_misses,dram_reads,dram_writes,blocks_per_sm,"
                              "stall_idle,stall_scoreboard,stall_pipeline";

/* Cuts a line at its commas; returns how many columns it has, those beyond the last left out. */
static unsigned cut(char *line, const char *columns[COLUMNS])
{
    unsigned count = 0;
    for (char *at = line; at; count++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (count < COLUMNS)
            columns[count] = at;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static int parse_line(struct fidelity_records *records, char *line, struct diag_pos pos, struct diag_sink *sink)
{
    const char *columns[COLUMNS];
    unsigned count = cut(line, columns);
    if (count != COLUMNS)
        return diag_error(sink, pos, NULL, "%u columns, expected %d", count, COLUMNS);
    struct fidelity_record record = {columns[0], columns[1], columns[2], columns[3], {{0}}};
    for (unsigned i = 0; i < FIDELITY_COUNTERS; i++)
        if (!config_parse_u64(columns[WORDS + i], &record.there.value[i]))
            return diag_error(sink, pos, NULL, "'%s' is not a number", columns[WORDS + i]);
    if (record.there.value[FIDELITY_CYCLES] == 0)
        return diag_error(sink, pos, NULL, "a record of 0 cycles");
    vec_push(&records->list, record);
    return 0;
}

int fidelity_parse(struct fidelity_records *records, const char *file, const char *text, struct diag_sink *sink)
{
    *records = (struct fidelity_records){0};
    struct diag_pos pos = {file, 1, 0};
    for (const char *at = text; *at; pos.line++) {
        size_t length = strcspn(at, "\n");
        char *line = arena_strndup(&records->arena, at, length);
        at += length + (at[length] == '\n');
        if (pos.line == 1 && strcmp(line, heading) != 0)
            return diag_error(sink, pos, NULL, "not a file of reference records: its first line is not '%s'", heading);
        if (pos.line > 1 && *line && parse_line(records, line, pos, sink) < 0)
            return -1;
    }
    return records->list.count ? 0 : diag_error(sink, (struct diag_pos){file, 0, 0}, NULL, "no records");
}

void fidelity_free(struct fidelity_records *records)
{
    vec_free(&records->list);
    arena_free(&records->arena);
}

static uint64_t member(const json_t *group, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(group, name));
}

static uint64_t sum(const json_t *group, const char *a, const char *b)
{
    return member(group, a) + member(group, b);
}

/* GPGPU-Sim has three causes for a slot without an issue. Its "idle" is every one in which no warp had an instruction
 * that it could look at. */
static void take_stalls(const json_t *stalls, uint64_t *value)
{
    const char *cause;
    json_t *cycles;
    uint64_t lost = 0;
    json_object_foreach((json_t *)stalls, cause, cycles) if (strcmp(cause, "issued") != 0) lost +=
        (uint64_t)json_integer_value(cycles);
    value[FIDELITY_STALL_PIPELINE] = member(stalls, "structural");
    value[FIDELITY_STALL_SCOREBOARD] = member(stalls, "data");
    value[FIDELITY_STALL_IDLE] = lost - value[FIDELITY_STALL_PIPELINE] - value[FIDELITY_STALL_SCOREBOARD];
}

struct fidelity_counts fidelity_from_kernel(const json_t *kernel)
{
    struct fidelity_counts counts;
    uint64_t *value = counts.value;
    const json_t *l1d = json_object_get(kernel, "l1d"), *l2 = json_object_get(kernel, "l2"),
                 *dram = json_object_get(kernel, "dram");
    value[FIDELITY_CYCLES] = member(kernel, "cycles");
    value[FIDELITY_WARP_INSTRUCTIONS] = member(kernel, "warp_instructions");
    value[FIDELITY_THREAD_INSTRUCTIONS] = member(kernel, "thread_instructions");
    value[FIDELITY_L1D_ACCESSES] = sum(l1d, "reads", "writes");
    value[FIDELITY_L1D_MISSES] = sum(l1d, "read_misses", "write_misses");
    value[FIDELITY_L2_ACCESSES] = sum(l2, "reads", "writes");
    value[FIDELITY_L2_MISSES] = sum(l2, "read_misses", "write_misses");
    value[FIDELITY_DRAM_READS] = member(dram, "reads");
    value[FIDELITY_DRAM_WRITES] = member(dram, "writes");
    value[FIDELITY_BLOCKS_PER_SM] = member(kernel, "blocks_per_sm");
    take_stalls(json_object_get(kernel, "stalls"), value);
    return counts;
}

/* The compared figures, causes before effects: each a counter, or a counter minus `less`. */
enum allowance { EXACT, NEAR, STALL };
static const struct {
    const char *name;
    enum fidelity_counter counter, less; /* less == counter: nothing is taken off */
    enum allowance allowance;
} comparisons[] = {
    {"thread instructions", FIDELITY_THREAD_INSTRUCTIONS, FIDELITY_THREAD_INSTRUCTIONS, EXACT},
    {"blocks per SM", FIDELITY_BLOCKS_PER_SM, FIDELITY_BLOCKS_PER_SM, EXACT},
    {"L1D hits", FIDELITY_L1D_ACCESSES, FIDELITY_L1D_MISSES, NEAR},
    {"L2 accesses", FIDELITY_L2_ACCESSES, FIDELITY_L2_ACCESSES, NEAR},
    {"L2 hits", FIDELITY_L2_ACCESSES, FIDELITY_L2_MISSES, NEAR},
    {"DRAM reads", FIDELITY_DRAM_READS, FIDELITY_DRAM_READS, NEAR},
    {"DRAM writes", FIDELITY_DRAM_WRITES, FIDELITY_DRAM_WRITES, NEAR},
    {"pipeline stalls", FIDELITY_STALL_PIPELINE, FIDELITY_STALL_PIPELINE, STALL},
    {"scoreboard stalls", FIDELITY_STALL_SCOREBOARD, FIDELITY_STALL_SCOREBOARD, STALL},
    {"idle slots", FIDELITY_STALL_IDLE, FIDELITY_STALL_IDLE, STALL},
};

static uint64_t compared(const struct fidelity_counts *counts, size_t i)
{
    uint64_t value = counts->value[comparisons[i].counter], less = counts->value[comparisons[i].less];
    return comparisons[i].counter == comparisons[i].less ? value : value > less ? value - less : 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Events: 2 per cent, and 32 in any case. Stalls: 5 per cent of all stalls, and only where there is something to
 * explain, more than 1 per cent of the cycles; GPGPU-Sim 4.0 counts no idle slots of SMs without work. */
static bool within(size_t i, const struct fidelity_counts *here, const struct fidelity_counts *there)
{
    const uint64_t *value = there->value;
    uint64_t b = compared(there, i), apart = distance(compared(here, i), b);
    switch (comparisons[i].allowance) {
    case EXACT:
        return apart == 0;
    case NEAR:
        return apart <= 32 || apart * 50 <= b;
    default:
        return distance(here->value[FIDELITY_CYCLES], value[FIDELITY_CYCLES]) * 100 <= value[FIDELITY_CYCLES] ||
               apart * 20 <=
                   value[FIDELITY_STALL_PIPELINE] + value[FIDELITY_STALL_SCOREBOARD] + value[FIDELITY_STALL_IDLE];
    }
}

void fidelity_explain(const struct fidelity_counts *here, const struct fidelity_counts *there, struct strbuf *out)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (!within(i, here, there)) {
            strbuf_addf(out, "%s %" PRIu64 "/%" PRIu64, comparisons[i].name, compared(here, i), compared(there, i));
            return;
        }
}

double fidelity_error(struct fidelity_pair pair)
{
    return 100 * fabs(pair.here / pair.there - 1);
}

struct fidelity_summary fidelity_summarize(const struct fidelity_pair *pairs, size_t count)
{
    double error = 0, mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        error += fidelity_error(pairs[i]) / n;
        mean_x += log(pairs[i].here) / n;
        mean_y += log(pairs[i].there) / n;
    }
    for (size_t i = 0; i < count; i++) {
        double x = log(pairs[i].here) - mean_x, y = log(pairs[i].there) - mean_y;
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    double spread = sqrt(xx * yy);
    return (struct fidelity_summary){error, exp(mean_x - mean_y), spread > 0 ? xy / spread : NAN};
}
