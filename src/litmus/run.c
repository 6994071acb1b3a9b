/* Runs of a litmus test on a simulated GPU: each with a placement of its own. Which blocks and warps do it, which lane
 * of a warp, where the places lie (in one line, in lines of their own), how long each thread waits, and whether it has
 * read the places before, is drawn anew for every run. The blocks of a launch fit on the machine at once, for threads
 * may wait for each other. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "gpu/gpu.h"
#include "litmus/kernel.h"
#include "litmus/litmus.h"
#include "ptx/ptx.h"

#define LAUNCH_RUNS 1024u
#define MOST_BLOCKS 64u
#define MOST_PRESSES 6u           /* atomics of a crowd */
#define LINE 128u                 /* the longest of any cache */
#define PLACE_BYTES (2 * LINE)    /* of a run's memory for each place */
#define CROWD_WORD (LINE / 4 - 1) /* of every line: no place lies there */

struct runner {
    const struct litmus_test *test;
    const struct litmus_run *run;
    struct diag_sink *sink;
    struct random_stream random;
    struct gpu *gpu;
    struct gpu_module *module;
    const struct isa_function *kernel;
    uint32_t warp_size;
    unsigned groups;                   /* blocks of a run */
    unsigned group_of[LITMUS_THREADS]; /* by thread */
    unsigned warps, blocks;            /* of a block, of a launch; a block's last warp is its crowd */
    bool barriers;                     /* the test has some: then a warp does the same thread in all rounds */
    struct litmus_entry *plan;
    uint8_t *memory;
    uint32_t *results;
    uint64_t plan_at, memory_at, meet_at, results_at; /* device addresses */
    uint64_t runs;                                    /* of this launch */
    uint64_t done;
};

static uint64_t run_bytes(const struct runner *r)
{
    return (uint64_t)r->test->place_count * PLACE_BYTES;
}

static uint64_t rounds(const struct runner *r)
{
    uint64_t in_round = r->blocks / r->groups;
    return (r->runs + in_round - 1) / in_round;
}

/* The shape of a launch */

static void find_groups(struct runner *r)
{
    const struct litmus_test *test = r->test;
    for (unsigned i = 0; i < test->thread_count; i++) {
        unsigned same = 0;
        while (test->threads[same].cta != test->threads[i].cta)
            same++;
        r->group_of[i] = same < i ? r->group_of[same] : r->groups++;
        unsigned threads = litmus_block_threads(test, i);
        r->warps = threads > r->warps ? threads : r->warps;
    }
    r->warps++;
    r->barriers = litmus_has_barriers(test);
}

static int load(struct runner *r)
{
    struct strbuf text = {0};
    litmus_write_kernel(r->test, r->warp_size, &text);
    struct isa_module *module = ptx_load(r->test->name, strbuf_text(&text), text.length, NULL, r->sink);
    strbuf_free(&text);
    r->module = module ? gpu_load(r->gpu, module, r->sink) : NULL;
    if (!r->module)
        return -1;
    r->kernel = gpu_kernel(r->module, LITMUS_KERNEL);
    unsigned fit = gpu_occupancy(r->gpu, r->kernel, r->warps * r->warp_size, 0, NULL) * r->run->machine->gpu.sms;
    fit = fit < MOST_BLOCKS ? fit : MOST_BLOCKS;
    r->blocks = fit - fit % r->groups;
    if (!r->blocks)
        return diag_error(r->sink, DIAG_NOWHERE, NULL, "%s: the machine has no room for the test's %u blocks at once",
                          r->test->name, r->groups);
    return 0;
}

static int allocate(struct runner *r)
{
    uint64_t entries = (LAUNCH_RUNS + r->blocks) * (uint64_t)r->groups * r->warps;
    uint64_t results = LAUNCH_RUNS * LITMUS_THREADS * LITMUS_REGISTERS;
    r->plan = base_calloc(entries, sizeof *r->plan);
    r->memory = base_calloc(LAUNCH_RUNS, run_bytes(r));
    r->results = base_calloc(results, sizeof *r->results);
    r->plan_at = gpu_malloc(r->gpu, entries * sizeof *r->plan);
    r->memory_at = gpu_malloc(r->gpu, LAUNCH_RUNS * run_bytes(r));
    r->meet_at = gpu_malloc(r->gpu, LAUNCH_RUNS * LINE);
    r->results_at = gpu_malloc(r->gpu, results * sizeof *r->results);
    if (r->plan_at && r->memory_at && r->meet_at && r->results_at)
        return 0;
    return diag_error(r->sink, DIAG_NOWHERE, NULL, "the machine has too little memory for the runs of a litmus test");
}

/* The plan */

static void shuffle(struct runner *r, unsigned *items, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned k = random_below(&r->random, i), item = items[k];
        items[k] = items[i - 1];
        items[i - 1] = item;
    }
}

/* Where a run's places lie, as offsets into its memory: in one line, in lines that follow each other, or anywhere in
 * lines of their own. */
static void lay_out(struct runner *r, uint64_t *offsets)
{
    unsigned lines[2 * LITMUS_PLACES], count = r->test->place_count, way = random_below(&r->random, 3);
    for (unsigned i = 0; i < 2 * count; i++)
        lines[i] = i;
    if (way == 2)
        shuffle(r, lines, 2 * count);
    for (unsigned i = 0; i < count; i++) {
        uint32_t word = way == 0 ? i : way == 1 ? 0 : random_below(&r->random, CROWD_WORD);
        offsets[i] = (way == 0 ? 0 : (uint64_t)lines[i] * LINE) + word * 4;
    }
}

static uint32_t draw_delay(struct runner *r)
{
    return random_below(&r->random, random_below(&r->random, 2) ? 40 : 4);
}

/* A crowd presses on the line of one place. */
static void plan_crowd(struct runner *r, uint64_t run, struct litmus_entry *entry, const uint64_t *offsets)
{
    uint64_t offset = offsets[random_below(&r->random, r->test->place_count)];
    *entry = (struct litmus_entry){
        .thread = LITMUS_CROWD, .delay = 1 + random_below(&r->random, MOST_PRESSES), .meet = r->meet_at + run * LINE};
    entry->places[0] = r->memory_at + run * run_bytes(r) + offset / LINE * LINE + CROWD_WORD * 4;
}

/* A run: its threads are done by these blocks, one for each group. */
static void plan_run(struct runner *r, uint64_t run, struct litmus_entry *round, const unsigned *blocks)
{
    const struct litmus_test *test = r->test;
    uint64_t offsets[LITMUS_PLACES];
    unsigned warps[LITMUS_THREADS], used[LITMUS_THREADS] = {0};
    lay_out(r, offsets);
    for (unsigned i = 0; i < test->place_count; i++)
        memcpy(r->memory + run * run_bytes(r) + offsets[i], &test->places[i].initial, sizeof(uint32_t));
    for (unsigned i = 0; i < r->warps - 1; i++)
        warps[i] = i;
    if (!r->barriers)
        shuffle(r, warps, r->warps - 1);
    for (unsigned i = 0; i < test->thread_count; i++) {
        unsigned group = r->group_of[i];
        struct litmus_entry *entry = &round[blocks[group] * r->warps + warps[used[group]++]];
        *entry = (struct litmus_entry){
            .thread = i,
            .lane = random_below(&r->random, r->warp_size),
            .delay = draw_delay(r),
            .warm = random_below(&r->random, 2),
            .meet = r->meet_at + run * LINE,
            .result = r->results_at + (run * LITMUS_THREADS + i) * LITMUS_REGISTERS * sizeof(uint32_t),
        };
        for (unsigned k = 0; k < test->place_count; k++)
            entry->places[k] = r->memory_at + run * run_bytes(r) + offsets[k];
    }
    for (unsigned i = 0; i < r->groups && test->place_count; i++)
        if (!random_below(&r->random, 3))
            plan_crowd(r, run, &round[blocks[i] * r->warps + r->warps - 1], offsets);
}

static void make_plan(struct runner *r)
{
    unsigned blocks[MOST_BLOCKS], in_round = r->blocks / r->groups;
    uint64_t run = 0;
    for (unsigned i = 0; i < r->blocks; i++)
        blocks[i] = i;
    memset(r->memory, 0, LAUNCH_RUNS * run_bytes(r));
    for (uint64_t i = 0; i < rounds(r); i++) {
        struct litmus_entry *round = &r->plan[i * r->blocks * r->warps];
        for (unsigned k = 0; k < r->blocks * r->warps; k++)
            round[k] = (struct litmus_entry){.thread = LITMUS_NOBODY};
        if (!r->barriers)
            shuffle(r, blocks, r->blocks);
        for (unsigned k = 0; k < in_round && run < r->runs; k++)
            plan_run(r, run++, round, &blocks[k * r->groups]);
    }
}

/* Launches */

static int send(struct runner *r)
{
    uint64_t entries = rounds(r) * r->blocks * r->warps;
    if (gpu_write(r->gpu, r->plan_at, r->plan, entries * sizeof *r->plan, r->sink) < 0 ||
        gpu_write(r->gpu, r->memory_at, r->memory, LAUNCH_RUNS * run_bytes(r), r->sink) < 0)
        return -1;
    return gpu_fill(r->gpu, r->meet_at, 0, LAUNCH_RUNS * LINE, r->sink);
}

static int fetch(struct runner *r)
{
    uint64_t words = LAUNCH_RUNS * LITMUS_THREADS * LITMUS_REGISTERS;
    if (gpu_read(r->gpu, r->memory, r->memory_at, LAUNCH_RUNS * run_bytes(r), r->sink) < 0)
        return -1;
    return gpu_read(r->gpu, r->results, r->results_at, words * sizeof(uint32_t), r->sink);
}

static int progress(void *context, const struct gpu_progress *now)
{
    struct runner *r = context;
    (void)now;
    return r->run->progress ? r->run->progress(r->run->context, r->done) : 0;
}

static int launch(struct runner *r)
{
    struct litmus_params params = {r->plan_at, (uint32_t)rounds(r)};
    struct gpu_result result = {0};
    struct gpu_launch launch = {.module = r->module,
                                .kernel = r->kernel,
                                .grid = {r->blocks, 1, 1},
                                .block = {r->warps * r->warp_size, 1, 1},
                                .params = &params,
                                .mode = GPU_TIMING,
                                .max_cycles = r->run->max_cycles,
                                .threads = r->run->threads,
                                .progress = progress,
                                .context = r};
    int rc = gpu_launch(r->gpu, &launch, &result, r->sink);
    gpu_result_free(&result);
    return rc < 0 ? diag_error(r->sink, DIAG_NOWHERE, NULL, "%s: its kernel did not come to its end", r->test->name)
                  : 0;
}

/* Reads a run's outcome off memory; its places are found in the plan. */
static void note_run(struct runner *r, const struct litmus_entry *entry, uint64_t run, struct litmus_outcomes *seen)
{
    struct litmus_outcome outcome = {{0}};
    for (unsigned i = 0; i < r->test->term_count; i++) {
        const struct litmus_term *term = &r->test->terms[i];
        if (term->is_place)
            memcpy(&outcome.values[i], r->memory + (entry->places[term->number] - r->memory_at), sizeof(uint32_t));
        else
            outcome.values[i] = r->results[(run * LITMUS_THREADS + term->thread) * LITMUS_REGISTERS + term->number];
    }
    litmus_add(seen, &outcome, 1);
}

static void note_runs(struct runner *r, struct litmus_outcomes *seen)
{
    uint64_t entries = rounds(r) * r->blocks * r->warps;
    for (uint64_t i = 0; i < entries; i++)
        if (r->plan[i].thread == 0)
            note_run(r, &r->plan[i], (r->plan[i].meet - r->meet_at) / LINE, seen);
}

static int run_all(struct runner *r, struct litmus_outcomes *seen)
{
    for (; r->done < r->run->runs; r->done += r->runs) {
        uint64_t left = r->run->runs - r->done;
        r->runs = left < LAUNCH_RUNS ? left : LAUNCH_RUNS;
        make_plan(r);
        if (send(r) < 0 || launch(r) < 0 || fetch(r) < 0)
            return -1;
        note_runs(r, seen);
    }
    return 0;
}

int litmus_run(const struct litmus_test *test, const struct litmus_run *run, struct litmus_outcomes *seen,
               struct diag_sink *sink)
{
    struct runner r = {.test = test, .run = run, .sink = sink, .warp_size = run->machine->sm.warp_size};
    for (unsigned i = 1; i < test->thread_count; i++)
        if (test->threads[i].gpu != test->threads[0].gpu)
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s: its threads are on several GPUs, and Lockstep has one",
                              test->name);
    r.random = random_stream_of(run->seed, "litmus", 0);
    find_groups(&r);
    r.gpu = gpu_create(run->machine, sink);
    int rc = r.gpu && load(&r) == 0 && allocate(&r) == 0 ? run_all(&r, seen) : -1;
    free(r.plan);
    free(r.memory);
    free(r.results);
    if (r.gpu)
        gpu_destroy(r.gpu);
    return rc;
}
