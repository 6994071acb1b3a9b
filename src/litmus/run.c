/* Runs of a litmus test on a simulated GPU: each with a placement of its own. Which blocks and warps do it, which lane
 * of a warp, where the places lie (in one line, in lines of their own), how long each thread waits, and whether it has
 * read the places before, is drawn anew for every run. The blocks of a launch fit on the machine at once, for threads
 * may wait for each other. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "library/bridge.h"
#include "litmus/kernel.h"
#include "litmus/litmus.h"

#define SLICE_CYCLES 16384 /* of a launch, between two looks whether it is to stop */
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
    struct lockstep_device *device;
    struct lockstep_module *module;
    uint32_t warp_size;
    unsigned groups;                   /* blocks of a run */
    unsigned group_of[LITMUS_THREADS]; /* by thread */
    unsigned warps, blocks;            /* of a block, of a launch; a block's last warp is its crowd */
    unsigned seats;                    /* of a warp */
    bool keeps_warps;                  /* a warp does the same thread in all rounds, for threads of one may meet those
                                          of the next at a barrier */
    struct litmus_entry *plan;
    uint8_t *memory;
    uint64_t *results;
    uint64_t most;                                    /* runs of a launch */
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

/* Entries of a launch. */
static uint64_t entries(const struct runner *r)
{
    return rounds(r) * r->blocks * r->warps * r->seats;
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
    r->seats = litmus_seats(test);
    r->keeps_warps = litmus_has_barriers(test) && litmus_free_barrier(test) == LITMUS_BARRIERS;
    r->most = r->run->runs < LAUNCH_RUNS ? r->run->runs : LAUNCH_RUNS;
}

static int load(struct runner *r)
{
    struct strbuf text = {0};
    litmus_write_kernel(r->test, r->warp_size, &text);
    int code = lockstep_load(r->device, r->test->name, strbuf_text(&text), text.length, 0, &r->module);
    strbuf_free(&text);
    uint32_t fit = 0;
    if (code || lockstep_occupancy(r->device, r->module, LITMUS_KERNEL, r->warps * r->warp_size, 0, &fit))
        return library_tell(r->device, r->sink);
    fit *= r->run->machine->gpu.sms;
    fit = fit < MOST_BLOCKS ? fit : MOST_BLOCKS;
    r->blocks = fit - fit % r->groups;
    if (!r->blocks)
        return diag_error(r->sink, DIAG_NOWHERE, NULL, "%s: the machine has no room for the test's %u blocks at once",
                          r->test->name, r->groups);
    return 0;
}

static int allocate(struct runner *r)
{
    uint64_t most = (r->most + r->blocks) * (uint64_t)r->groups * r->warps * r->seats;
    uint64_t results = r->most * LITMUS_THREADS * LITMUS_REGISTERS;
    r->plan = base_calloc(most, sizeof *r->plan);
    r->memory = base_calloc(r->most, run_bytes(r));
    r->results = base_calloc(results, sizeof *r->results);
    if (!lockstep_allocate(r->device, most * sizeof *r->plan, &r->plan_at) &&
        !lockstep_allocate(r->device, r->most * run_bytes(r), &r->memory_at) &&
        !lockstep_allocate(r->device, r->most * LINE, &r->meet_at) &&
        !lockstep_allocate(r->device, results * sizeof *r->results, &r->results_at))
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

/* Where a run's places lie, as offsets into its memory: side by side in one line, in lines that follow each other, or
 * anywhere in lines of their own. */
static void lay_out(struct runner *r, uint64_t *offsets)
{
    unsigned lines[2 * LITMUS_PLACES], count = r->test->place_count, way = random_below(&r->random, 3), packed = 0;
    for (unsigned i = 0; i < 2 * count; i++)
        lines[i] = i;
    if (way == 2)
        shuffle(r, lines, 2 * count);
    for (unsigned i = 0; i < count; i++) {
        unsigned bytes = r->test->places[i].bits / 8;
        if (way == 0) {
            packed = (packed + bytes - 1) / bytes * bytes;
            offsets[i] = packed;
            packed += bytes;
        } else {
            unsigned spot = way == 1 ? 0 : random_below(&r->random, CROWD_WORD * 4 / bytes);
            offsets[i] = (uint64_t)lines[i] * LINE + spot * bytes;
        }
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

/* Which warps of a block do its threads, and which seats there: warps[i] and seats[i] of thread i. Where warps have
 * several seats, in every third run the threads of a block may meet in them. */
static void draw_warps(struct runner *r, unsigned *warps, unsigned *seats)
{
    unsigned order[LITMUS_THREADS], used[LITMUS_THREADS] = {0}, taken[LITMUS_THREADS][LITMUS_THREADS] = {{0}};
    bool meet = r->seats > 1 && !random_below(&r->random, 3);
    for (unsigned i = 0; i < r->warps - 1; i++)
        order[i] = i;
    if (!r->keeps_warps)
        shuffle(r, order, r->warps - 1);
    for (unsigned i = 0; i < r->test->thread_count; i++) {
        unsigned group = r->group_of[i];
        warps[i] = order[meet ? random_below(&r->random, 2) % (r->warps - 1) : used[group]++];
        seats[i] = taken[group][warps[i]]++;
    }
}

/* A lane for each thread: no two of one warp. */
static void draw_lanes(struct runner *r, const unsigned *warps, unsigned *lanes)
{
    for (unsigned i = 0; i < r->test->thread_count; i++) {
        bool again = true;
        while (again) {
            again = false;
            lanes[i] = random_below(&r->random, r->warp_size);
            for (unsigned k = 0; k < i; k++)
                again |= r->group_of[k] == r->group_of[i] && warps[k] == warps[i] && lanes[k] == lanes[i];
        }
    }
}

static struct litmus_entry *entry_at(const struct runner *r, struct litmus_entry *round, unsigned block, unsigned warp,
                                     unsigned seat)
{
    return &round[(block * r->warps + warp) * r->seats + seat];
}

/* A run: its threads are done by these blocks, one for each group. */
static void plan_run(struct runner *r, uint64_t run, struct litmus_entry *round, const unsigned *blocks)
{
    const struct litmus_test *test = r->test;
    uint64_t offsets[LITMUS_PLACES];
    unsigned warps[LITMUS_THREADS], seats[LITMUS_THREADS], lanes[LITMUS_THREADS];
    lay_out(r, offsets);
    draw_warps(r, warps, seats);
    draw_lanes(r, warps, lanes);
    for (unsigned i = 0; i < test->place_count; i++)
        memcpy(r->memory + run * run_bytes(r) + offsets[i], &test->places[i].initial, test->places[i].bits / 8);
    for (unsigned i = 0; i < test->thread_count; i++) {
        struct litmus_entry *entry = entry_at(r, round, blocks[r->group_of[i]], warps[i], seats[i]);
        *entry = (struct litmus_entry){
            .thread = i,
            .lane = lanes[i],
            .delay = draw_delay(r),
            .warm = random_below(&r->random, 2),
            .meet = r->meet_at + run * LINE,
            .result = r->results_at + (run * LITMUS_THREADS + i) * LITMUS_REGISTERS * sizeof(uint64_t),
        };
        for (unsigned k = 0; k < test->place_count; k++)
            entry->places[k] = r->memory_at + run * run_bytes(r) + offsets[k];
    }
    for (unsigned i = 0; i < r->groups && test->place_count; i++)
        if (!random_below(&r->random, 3))
            plan_crowd(r, run, entry_at(r, round, blocks[i], r->warps - 1, 0), offsets);
}

static void make_plan(struct runner *r)
{
    unsigned blocks[MOST_BLOCKS], in_round = r->blocks / r->groups;
    uint64_t run = 0;
    for (unsigned i = 0; i < r->blocks; i++)
        blocks[i] = i;
    memset(r->memory, 0, r->most * run_bytes(r));
    for (uint64_t i = 0; i < rounds(r); i++) {
        struct litmus_entry *round = &r->plan[i * r->blocks * r->warps * r->seats];
        for (unsigned k = 0; k < r->blocks * r->warps * r->seats; k++)
            round[k] = (struct litmus_entry){.thread = LITMUS_NOBODY, .lane = LITMUS_NOBODY};
        if (!r->keeps_warps)
            shuffle(r, blocks, r->blocks);
        for (unsigned k = 0; k < in_round && run < r->runs; k++)
            plan_run(r, run++, round, &blocks[k * r->groups]);
    }
}

/* Launches */

static int send(struct runner *r)
{
    if (lockstep_write(r->device, r->plan_at, r->plan, entries(r) * sizeof *r->plan) ||
        lockstep_write(r->device, r->memory_at, r->memory, r->most * run_bytes(r)) ||
        lockstep_fill(r->device, r->meet_at, 0, r->most * LINE))
        return library_tell(r->device, r->sink);
    return 0;
}

static int fetch(struct runner *r)
{
    uint64_t words = r->most * LITMUS_THREADS * LITMUS_REGISTERS;
    if (lockstep_read(r->device, r->memory, r->memory_at, r->most * run_bytes(r)) ||
        lockstep_read(r->device, r->results, r->results_at, words * sizeof *r->results))
        return library_tell(r->device, r->sink);
    return 0;
}

static bool is_to_stop(const struct runner *r)
{
    return r->run->progress && r->run->progress(r->run->context, r->done);
}

/* Lets the launch that has begun come to its end. Returns a code of the library. */
static int finish(struct runner *r)
{
    struct lockstep_stop stop = {.size = sizeof stop};
    int code;
    while (!(code = lockstep_step(r->device, SLICE_CYCLES, &stop)) && stop.why != LOCKSTEP_WHY_END)
        if (is_to_stop(r)) {
            lockstep_cancel(r->device);
            return LOCKSTEP_ERROR_STOPPED;
        }
    return code;
}

static int launch(struct runner *r)
{
    const struct litmus_params params = {r->plan_at, (uint32_t)rounds(r)};
    const struct lockstep_argument arguments[] = {LOCKSTEP_ARGUMENT(params.plan), LOCKSTEP_ARGUMENT(params.rounds)};
    const struct lockstep_launch_setup launch = {.size = sizeof launch,
                                                 .module = r->module,
                                                 .kernel = LITMUS_KERNEL,
                                                 .grid = {r->blocks},
                                                 .block = {r->warps * r->warp_size},
                                                 .argument_count = 2,
                                                 .arguments = arguments,
                                                 .max_cycles = r->run->max_cycles,
                                                 .threads = r->run->threads};
    int code = lockstep_launch(r->device, &launch);
    code = code ? code : finish(r);
    if (code != LOCKSTEP_ERROR_STOPPED && code != LOCKSTEP_ERROR_LIMIT)
        library_tell(r->device, r->sink); /* notes, where it went well */
    return code ? diag_error(r->sink, DIAG_NOWHERE, NULL, "%s: its kernel did not come to its end", r->test->name) : 0;
}

/* Reads a run's outcome off memory; its places are found in the plan. */
static void note_run(struct runner *r, const struct litmus_entry *entry, uint64_t run, struct litmus_outcomes *seen)
{
    struct litmus_outcome outcome = {{0}};
    for (unsigned i = 0; i < r->test->term_count; i++) {
        const struct litmus_term *term = &r->test->terms[i];
        if (term->is_place)
            memcpy(&outcome.values[i], r->memory + (entry->places[term->number] - r->memory_at),
                   r->test->places[term->number].bits / 8);
        else
            outcome.values[i] =
                litmus_fit(r->results[(run * LITMUS_THREADS + term->thread) * LITMUS_REGISTERS + term->number],
                           r->test->register_bits);
    }
    litmus_add(seen, &outcome, 1);
}

static void note_runs(struct runner *r, struct litmus_outcomes *seen)
{
    for (uint64_t i = 0; i < entries(r); i++)
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

/* Refuses tests that only the model can answer. */
static int check(const struct litmus_test *test, struct diag_sink *sink)
{
    for (unsigned i = 0; i < test->thread_count; i++) {
        const struct litmus_thread *t = &test->threads[i];
        if (t->gpu != test->threads[0].gpu)
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s: its threads are on several GPUs, and Lockstep has one",
                              test->name);
        for (unsigned k = 0; k < t->count; k++)
            if (t->instrs[k].kind == LITMUS_COPY || t->instrs[k].kind == LITMUS_AWAIT)
                return diag_error(sink, DIAG_NOWHERE, "ask --model", "%s: bulk copies are known to the model alone",
                                  test->name);
            else if (t->instrs[k].kind == LITMUS_BARRIER && !t->instrs[k].b.is_register && !t->instrs[k].b.value &&
                     !litmus_barrier_threads(test, i, &t->instrs[k]))
                return diag_error(
                    sink, DIAG_NOWHERE, "say how many threads the barrier takes, or ask --model",
                    "%s: P%u comes to a barrier whose number memory gives, and so its threads are not known",
                    test->name, i);
    }
    return 0;
}

int litmus_run(const struct litmus_test *test, const struct litmus_run *run, struct litmus_outcomes *seen,
               struct diag_sink *sink)
{
    struct runner r = {.test = test, .run = run, .sink = sink, .warp_size = run->machine->sm.warp_size};
    if (check(test, sink) < 0)
        return -1;
    r.random = random_stream_of(run->seed, "litmus", 0);
    find_groups(&r);
    int rc = library_create(&r.device, run->machine) ? library_tell(r.device, sink) : 0;
    rc = rc == 0 && load(&r) == 0 && allocate(&r) == 0 ? run_all(&r, seen) : -1;
    free(r.plan);
    free(r.memory);
    free(r.results);
    lockstep_destroy(r.device);
    return rc;
}
