/* A run: kernels of episodes, and what memory has after each. */
#include "unit/memory/tester/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit/memory/tester/threads.h"

/* The longest that a thread may wait: all threads' accesses at remote scope one after the other, each asking all L1s
 * several times, and these flushing. */
static uint64_t patience(const struct tester *t)
{
    uint64_t message = t->setup->delay + t->setup->slow / t->setup->rare + t->setup->stall + 20;
    return 50000 + t->threads * message * 40;
}

static void check_patience(struct tester *t)
{
    for (uint32_t i = 0; i < t->threads; i++)
        if (t->all[i].state != TESTER_ENDED && t->cycle - t->all[i].since > patience(t))
            tester_fail(t, "cycle %llu: thread %u has done nothing since cycle %llu", (unsigned long long)t->cycle, i,
                        (unsigned long long)t->all[i].since);
}

/* What an agent has written leaves it when its last thread has ended. */
static void end_agents(struct tester *t)
{
    uint32_t busy = 0; /* set of agents */
    for (uint32_t i = 0; i < t->threads; i++)
        busy |= (uint32_t)(t->all[i].state != TESTER_ENDED) << t->all[i].agent;
    for (uint32_t i = 0; i < t->setup->agents; i++) {
        struct tester_agent *a = &t->agents[i];
        bool done = !(busy >> i & 1) && !a->queued && !t->flushed[i];
        for (uint32_t n = 0; done && n < TESTER_OPS; n++)
            done = !a->ops[n].used;
        if (done)
            order_end_kernel(a->l1.agent);
        t->flushed[i] |= done;
    }
}

static bool all_flushed(const struct tester *t)
{
    for (uint32_t i = 0; i < t->setup->agents; i++)
        if (!t->flushed[i])
            return false;
    return true;
}

static void run_kernel(struct tester *t, uint32_t episodes)
{
    uint64_t ended = 0;
    tester_threads_begin(t, episodes);
    while (!t->failed && !(all_flushed(t) && tester_idle(t))) {
        tester_step(t);
        if (t->running) {
            ended = t->cycle;
        } else {
            end_agents(t);
            if (t->cycle - ended > patience(t))
                tester_fail(t, "cycle %llu: threads have ended, and messages are still under way",
                            (unsigned long long)t->cycle);
        }
        if (t->cycle % 1024 == 0)
            check_patience(t);
    }
}

/* Between kernels */

static void write_store(void *context, uint64_t address, const uint8_t *data, uint32_t bytes)
{
    struct tester *t = context;
    memcpy(store_at(&t->store, address), data, bytes);
}

static bool read_store(void *context, uint64_t address, uint8_t *to, uint32_t bytes)
{
    struct tester *t = context;
    memcpy(to, store_at(&t->store, address), bytes);
    return true;
}

static uint64_t value_in_store(const struct tester *t, uint64_t address, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, store_at(&t->store, address), bytes);
    return value;
}

static void expect_value(struct tester *t, const char *what, uint64_t address, uint32_t bytes, uint64_t value)
{
    uint64_t has = value_in_store(t, address, bytes);
    if (has != value)
        tester_fail(t, "after cycle %llu: the %s at %llx has %llx, not %llx", (unsigned long long)t->cycle, what,
                    (unsigned long long)address, (unsigned long long)has, (unsigned long long)value);
}

static void check_variable(struct tester *t, const struct model_variable *v)
{
    uint32_t number = model_number_of(v, value_in_store(t, v->address, v->bytes));
    if (number == MODEL_NONE || v->records[number].replaced || v->records[number].held)
        tester_fail(t, "after cycle %llu: the variable at %llx has record %u, which cannot be the last",
                    (unsigned long long)t->cycle, (unsigned long long)v->address, number);
}

static void check_memory(struct tester *t)
{
    const struct model *m = &t->model;
    for (uint32_t i = 0; i < t->setup->agents; i++)
        l1_publish(&t->agents[i].l1, write_store, t);
    for (uint32_t i = 0; i < m->place_count; i++)
        expect_value(t, "place", m->places[i].address, m->places[i].bytes, m->places[i].value);
    for (uint32_t i = 0; i < m->counter_count; i++)
        expect_value(t, "counter", m->counters[i].address, m->counters[i].bytes, m->counters[i].sum);
    for (uint32_t i = 0; i < m->variable_count; i++)
        check_variable(t, &m->variables[i]);
}

/* The host writes places, and the next kernel sees that. */
static void begin_next(struct tester *t)
{
    model_meet(&t->model);
    for (uint32_t i = 0; i < t->model.place_count; i++) {
        struct model_place *place = &t->model.places[i];
        if (tester_draw(&t->random, 4))
            continue;
        model_write(&t->model, 0, place, tester_draw(&t->random, UINT32_MAX));
        memcpy(store_at(&t->store, place->address), &place->value, place->bytes);
    }
    model_meet(&t->model);
    for (uint32_t i = 0; i < t->setup->agents; i++)
        l1_begin_kernel(&t->agents[i].l1, read_store, t);
}

static void add_counts(const struct tester *t, struct tester_run *run)
{
    for (uint32_t i = 0; i < t->setup->agents; i++)
        coherence_collect(&run->counts[0], t->agents[i].l1.side);
    uint32_t each = t->setup->memory.partition.slices_per_channel;
    for (unsigned side = 1; side < COHERENCE_SIDES; side++)
        for (uint32_t i = 0; i < t->slices; i++)
            partition_collect(t->partitions[i / each], i % each, side, &run->counts[side]);
}

bool tester_run(struct tester_run *run, const struct tester_setup *setup)
{
    static struct tester t;
    tester_start(&t, setup);
    for (uint32_t kernel = 0; kernel < setup->kernels && !t.failed; kernel++) {
        run_kernel(&t, setup->episodes);
        if (!t.failed)
            check_memory(&t);
        run->episodes += setup->episodes;
        if (!t.failed)
            begin_next(&t);
    }
    if (t.failed) {
        fprintf(stderr, "LOCKSTEP_SEED=%s:%llu: %s\n", setup->protocol->name, (unsigned long long)setup->seed,
                t.message);
        if (getenv("LOCKSTEP_SEED"))
            tester_report(&t);
    }
    run->accesses += t.accesses;
    run->handed += t.model.handed;
    run->cycles += t.cycle;
    add_counts(&t, run);
    tester_stop(&t);
    return !t.failed;
}
