/* Statistics by intervals: they add up to the launch's; a run that has them is the run without; and they are the same
 * by whatever way the run goes. */
#include "ways.h"

#include "base/archive.h"
#include "gpu/gpu_impl.h"
#include "profile/series.h"

#define KEPT 3 /* checkpoints of a run */

struct run {
    struct device d;
    const struct way *way;
    struct strbuf stats;
    struct strbuf kept[KEPT];
    unsigned count, looks;
    uint64_t turns; /* of the kernel; 0: 2 */
};

static void keep(void *context)
{
    struct run *r = context;
    if (r->looks++ % 4 || r->count == KEPT)
        return;
    struct archive *ar = archive_into(&r->kept[r->count++]);
    gpu_archive(r->d.gpu, ar);
    assert_string_equal(archive_error(ar), "");
    archive_abandon(ar);
}

static void run(struct run *r, const struct way *way, const char *text, uint64_t interval, bool keeps,
                const struct gpu_launch *how)
{
    *r = (struct run){.way = way, .turns = r->turns};
    device_open(&r->d, way->machine, way->settings);
    if (interval)
        gpu_profile(r->d.gpu);
    gpu_set_interval(r->d.gpu, interval);
    device_load(&r->d, text);
    uint64_t params[] = {device_buffer(&r->d, 131072 + 4 * THREADS), r->turns ? r->turns : 2};
    struct gpu_launch launch = *how;
    launch.module = r->d.module;
    launch.kernel = gpu_kernel(r->d.module, "k");
    memcpy(launch.grid, (uint32_t[]){GRID, 1, 1}, sizeof launch.grid);
    memcpy(launch.block, (uint32_t[]){BLOCK, 1, 1}, sizeof launch.block);
    launch.params = params;
    if (keeps)
        gpu_set_checkpoints(r->d.gpu, 300, 171, keep, r);
    gpu_launch(r->d.gpu, &launch, &r->d.result, &r->d.sink);
    enum gpu_status expected = how->max_cycles ? GPU_LIMIT : GPU_OK;
    if (r->d.result.status != expected)
        fail_msg("%s %s: %s\n%s", way->machine, way->settings, device_messages(&r->d), text);
    assert_true(!interval == !r->d.result.intervals);
    device_all_stats(&r->d.result, &r->stats);
}

static void run_free(struct run *r)
{
    for (unsigned i = 0; i < r->count; i++)
        strbuf_free(&r->kept[i]);
    strbuf_free(&r->stats);
    device_close(&r->d);
}

/* The name of counter number `n`. */
static const char *name_of(const struct run *r, size_t n)
{
    static char name[128];
    const struct gpu_counters *c = r->d.result.counters;
    for (unsigned s = 0; s < GPU_SETS; s++)
        for (unsigned i = 0; i < c->sets[s].group->count; i++)
            if (gpu_intervals_have(c, s, i) && n-- == 0) {
                snprintf(name, sizeof name, "%s.%s", c->sets[s].group->name, c->sets[s].group->stats[i].name);
                return name;
            }
    return "?";
}

static void expect_closed(const struct run *r, uint64_t interval)
{
    const struct gpu_intervals *v = r->d.result.intervals;
    const struct gpu_counters *c = r->d.result.counters;
    size_t row = v->width + 1, rows = v->values.count / row;
    uint64_t *sums = calloc(row, sizeof *sums), n = 1;
    assert_true(rows == (r->d.result.cycles + interval - 1) / interval);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < row; k++) {
            uint64_t value = v->values.items[i * row + k];
            if (value > UINT64_MAX / 2)
                fail_msg("%s: less than nothing", name_of(r, k - 1));
            assert_true(k || i + 1 == rows || value == interval);
            sums[k] += value;
        }
    assert_int_equal(sums[0], r->d.result.cycles);
    for (unsigned s = 0; s < GPU_SETS; s++)
        for (unsigned i = 0; i < c->sets[s].group->count; i++)
            if (gpu_intervals_have(c, s, i))
                assert_int_equal(sums[n++], stat_value(&c->sets[s].group->stats[i], c->sets[s].values));
    /* Each interval is whole by itself. */
    uint64_t first_warps = 1, first_cycles = 0, at = 1;
    for (unsigned s = 0; s < GPU_SETS; s++)
        for (unsigned i = 0; i < c->sets[s].group->count; i++)
            if (gpu_intervals_have(c, s, i)) {
                if (s == GPU_SET_warps && i == 0)
                    first_warps = at;
                if (s == GPU_SET_sm && !strcmp(c->sets[s].group->stats[i].name, "warp_cycles"))
                    first_cycles = at;
                at++;
            }
    for (size_t i = 0; i < rows; i++) {
        uint64_t warps = 0;
        for (unsigned k = 0; k < WARP_CAUSE_COUNT; k++)
            warps += v->values.items[i * row + first_warps + k];
        assert_int_equal(warps, v->values.items[i * row + first_cycles]);
    }
    free(sums);
}

/* Locks over time, against the profile's locks. Returns the cycles for which they were held and waited for. */
static uint64_t expect_locks_closed(const struct run *r)
{
    static const enum profile_word_count counts[] = {[PROFILE_SERIES_held] = PROFILE_WORD_held,
                                                     [PROFILE_SERIES_waited] = PROFILE_WORD_waited,
                                                     [PROFILE_SERIES_warps_waited] = PROFILE_WORD_warps_waited};
    const struct gpu_intervals *v = r->d.result.intervals;
    const struct profile_word_list *words = &r->d.result.profile->words;
    uint64_t all = 0;
    assert_int_equal(v->count, v->values.count / (v->width + 1));
    assert_int_equal(words->unlisted, 0);
    for (unsigned kind = 0; kind < PROFILE_SERIES_KINDS; kind++) {
        uint64_t in_intervals = 0, in_words = 0;
        for (size_t i = 0; i < v->count; i++)
            in_intervals += v->series[kind * v->count + i];
        for (uint32_t i = 0; i < words->count; i++)
            in_words += words->of[i].word.counts[counts[kind]];
        if (in_intervals != in_words)
            fail_msg("%s %s: %s is %llu in intervals, %llu in the profile", r->way->machine, r->way->settings,
                     profile_series_name((enum profile_series_kind)kind), (unsigned long long)in_intervals,
                     (unsigned long long)in_words);
        all += in_words;
    }
    return all;
}

static void expect_same(const struct run *a, const struct run *b, const char *what)
{
    const struct gpu_intervals *v = a->d.result.intervals, *u = b->d.result.intervals;
    if (strcmp(strbuf_text(&a->stats), strbuf_text(&b->stats)))
        fail_msg("%s %s: another result %s", a->way->machine, a->way->settings, what);
    if (!u)
        return;
    assert_int_equal(v->values.count, u->values.count);
    assert_int_equal(v->count, u->count);
    assert_memory_equal(v->series, u->series, v->count * PROFILE_SERIES_KINDS * sizeof *v->series);
    for (size_t i = 0; i < v->values.count; i++)
        if (v->values.items[i] != u->values.items[i])
            fail_msg("%s %s: %s: %s of interval %zu: %llu and %llu", a->way->machine, a->way->settings, what,
                     name_of(a, i % (v->width + 1) - 1), i / (v->width + 1), (unsigned long long)v->values.items[i],
                     (unsigned long long)u->values.items[i]);
}

static void run_all_ways(const struct way *way, const char *text, uint64_t interval)
{
    struct run first = {0}, other = {0};
    run(&first, way, text, interval, true, &(struct gpu_launch){0});
    expect_closed(&first, interval);
    expect_locks_closed(&first);
    const struct gpu_launch hows[] = {{.threads = 1}, {.threads = 2}, {.every_cycle = true}};
    static const char *const words[] = {"without intervals", "by two threads", "cycle by cycle"};
    for (unsigned i = 0; i < 3; i++) {
        run(&other, way, text, i > 0 ? interval : 0, false, &hows[i]);
        expect_same(&first, &other, words[i]);
        run_free(&other);
    }
    for (unsigned i = 0; i < first.count; i++) {
        struct archive *ar = archive_from_bytes(first.kept[i].text, first.kept[i].length);
        run(&other, way, text, interval, false, &(struct gpu_launch){.resume = ar});
        expect_same(&first, &other, "from a checkpoint");
        run_free(&other);
        archive_abandon(ar);
    }
    run(&other, way, text, interval, false, &(struct gpu_launch){.max_cycles = first.d.result.cycles / 2});
    expect_closed(&other, interval);
    run_free(&other);
    run_free(&first);
}

static void test_sums(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        run_all_ways(&ways[w], waits_text, 97 + 50 * w);
        struct program p = make_program(1100 + w);
        char *text = kernel_text(&p);
        run_all_ways(&ways[w], text, w % 2 ? 64 : 1000);
        free(text);
    }
}

/* More intervals than there may be: each two become one, more than once. */
static void test_many(void **state)
{
    (void)state;
    struct run r = {.turns = 30}, other = {.turns = 30};
    run(&r, &ways[0], waits_text, 1, false, &(struct gpu_launch){0});
    uint64_t every = r.d.result.intervals->every;
    assert_true(r.d.result.cycles > GPU_INTERVALS_MOST);
    assert_true(every >= 2 && is_power_of_two(every) && r.d.result.cycles / every < GPU_INTERVALS_MOST);
    expect_closed(&r, every);
    assert_true(expect_locks_closed(&r) > 0);
    run(&other, &ways[0], waits_text, 1, false, &(struct gpu_launch){.threads = 2, .every_cycle = true});
    expect_same(&r, &other, "by two threads, cycle by cycle");
    run_free(&other);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
