/* Timelines: where nothing is put together, the cycles of all phases add up to the statistics, cause by cause; lives
 * have no gaps; a run under a timeline is the run without one; and the timeline is the same by whatever way the run
 * goes, with any resolution. */
#include "ways.h"

#include <jansson.h>

#include "base/archive.h"
#include "gpu/gpu_impl.h"
#include "timeline/sm.h"

#define KEPT 3 /* checkpoints of a run */
#define BLOCKS 10 /* their threads write below the words that all have in common */

struct run {
    struct device d;
    const struct way *way;
    struct strbuf stats;
    struct strbuf kept[KEPT];
    unsigned count, looks;
    uint64_t turns; /* of the kernel, which then has more blocks than fit at once; 0: 2 */
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

/* options NULL: no timeline. */
static void run(struct run *r, const struct way *way, const char *text, const struct timeline_options *options,
                bool keeps, const struct gpu_launch *how)
{
    *r = (struct run){.way = way, .turns = r->turns};
    device_open(&r->d, way->machine, way->settings);
    if (options)
        gpu_timeline(r->d.gpu, options);
    device_load(&r->d, text);
    uint64_t params[] = {device_buffer(&r->d, 131072 + 4 * BLOCK * BLOCKS), r->turns ? r->turns : 2};
    struct gpu_launch launch = *how;
    launch.module = r->d.module;
    launch.kernel = gpu_kernel(r->d.module, "k");
    memcpy(launch.grid, (uint32_t[]){r->turns ? BLOCKS : GRID, 1, 1}, sizeof launch.grid);
    memcpy(launch.block, (uint32_t[]){BLOCK, 1, 1}, sizeof launch.block);
    launch.params = params;
    if (keeps)
        gpu_set_checkpoints(r->d.gpu, 300, 171, keep, r);
    gpu_launch(r->d.gpu, &launch, &r->d.result, &r->d.sink);
    enum gpu_status expected = how->max_cycles ? GPU_LIMIT : GPU_OK;
    if (r->d.result.status != expected)
        fail_msg("%s %s: %s\n%s", way->machine, way->settings, device_messages(&r->d), text);
    assert_true(!options == !r->d.result.timeline);
    assert_null(r->d.result.profile); /* nobody has asked for one */
    device_all_stats(&r->d.result, &r->stats);
}

static void run_free(struct run *r)
{
    for (unsigned i = 0; i < r->count; i++)
        strbuf_free(&r->kept[i]);
    strbuf_free(&r->stats);
    device_close(&r->d);
}

static struct timeline_options options_of(const char *window, const char *sms, const char *resolution)
{
    struct timeline_options options;
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(timeline_read_options(&options, window, sms, resolution, &sink), 0);
    diag_free(&sink);
    return options;
}

static json_int_t at(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

/* What lines of a timeline say, added up. */
struct sums {
    json_int_t by[TIMELINE_CAUSES], cycles, issues, held, shortest, longest;
    unsigned lives, phases, sms, locks, waits;
    json_int_t first, last; /* cycles of phases */
};

static void add_life(struct sums *sums, const json_t *line, json_int_t resolution)
{
    const json_t *phases = json_object_get(line, "phases"), *life = json_object_get(line, "life");
    json_int_t begin = json_integer_value(json_object_get(line, "at")), end = begin;
    assert_true(begin >= at(life, 0));
    for (size_t i = 0; i < json_array_size(phases); i += 4) {
        assert_true(at(phases, i) > 0 && at(phases, i + 3) > 0 && at(phases, i + 3) <= at(phases, i));
        if (i + 4 < json_array_size(phases))
            assert_true(at(phases, i) >= resolution);
        sums->by[at(phases, i + 1)] += resolution == 1 ? at(phases, i) : 0;
        if (resolution == 1)
            assert_int_equal(at(phases, i), at(phases, i + 3));
        end += at(phases, i);
        sums->phases++;
    }
    assert_true(end <= at(life, 1));
    sums->cycles += end - begin;
    sums->first = !sums->lives || begin < sums->first ? begin : sums->first;
    sums->last = end > sums->last ? end : sums->last;
    sums->lives++;
}

static void add_sections(struct sums *sums, const json_t *locks)
{
    for (size_t i = 0; i < json_array_size(locks); i += 9) {
        assert_true(at(locks, i + 4) <= at(locks, i + 5) && at(locks, i + 5) <= at(locks, i + 6));
        sums->held += at(locks, i + 6) - at(locks, i + 5);
        sums->locks++;
    }
}

static void add_line(struct sums *sums, const json_t *line, json_int_t resolution)
{
    const json_t *issues = json_object_get(line, "issues");
    if (json_object_get(line, "phases"))
        add_life(sums, line, resolution);
    add_sections(sums, json_object_get(line, "locks"));
    sums->waits += (unsigned)json_array_size(json_object_get(line, "barriers")) / 4;
    sums->sms += issues != NULL;
    for (size_t i = 0; i < json_array_size(issues); i++)
        sums->issues += at(issues, i);
}

/* Of a run; *launch receives its first line. */
static struct sums sums_of(const struct run *r, json_int_t resolution, json_t **launch)
{
    struct sums sums = {0};
    *launch = NULL;
    for (const char *line = r->d.result.timeline; *line; line += strcspn(line, "\n") + 1) {
        json_error_t error;
        json_t *object = json_loadb(line, strcspn(line, "\n"), 0, &error);
        if (!object)
            fail_msg("%s: %.200s", error.text, line);
        if (*launch)
            add_line(&sums, object, resolution);
        else
            *launch = json_incref(object);
        json_decref(object);
    }
    return sums;
}

/* With every phase for itself. */
static void expect_closed(const struct run *r)
{
    json_t *launch;
    const struct sums sums = sums_of(r, 1, &launch);
    const json_t *causes = json_object_get(launch, "causes"), *lost = json_object_get(launch, "lost");
    for (size_t c = 0; c < json_array_size(causes); c++) {
        const char *name = json_string_value(json_array_get(causes, c));
        uint64_t counted = device_stat(&r->d, "warps", name);
        if ((uint64_t)sums.by[c] != counted)
            fail_msg("%s %s: %lld warp-cycles of cause %s in the timeline, %llu in the statistics", r->way->machine,
                     r->way->settings, sums.by[c], name, (unsigned long long)counted);
    }
    assert_int_equal(sums.issues, device_stat(&r->d, "sm", "warp_instructions"));
    assert_int_equal(json_integer_value(json_object_get(lost, "phases")), 0);
    json_decref(launch);
}

/* Where phases are put together, no cycle is lost; and all but the last ones are long enough. */
static void expect_whole(const struct run *r, json_int_t resolution)
{
    json_t *launch;
    const struct sums sums = sums_of(r, resolution, &launch);
    assert_int_equal(sums.cycles, device_stat(&r->d, "sm", "warp_cycles"));
    json_decref(launch);
}

static void expect_same(const struct run *a, const struct run *b, const char *what)
{
    if (strcmp(strbuf_text(&a->stats), strbuf_text(&b->stats)))
        fail_msg("%s %s: another result %s", a->way->machine, a->way->settings, what);
    if (b->d.result.timeline && strcmp(a->d.result.timeline, b->d.result.timeline))
        fail_msg("%s %s: another timeline %s", a->way->machine, a->way->settings, what);
}

static void run_all_ways(const struct way *way, const char *text, const char *resolution)
{
    const struct timeline_options options = options_of(NULL, NULL, resolution);
    struct run first = {0}, other = {0};
    run(&first, way, text, &options, true, &(struct gpu_launch){0});
    if (options.resolution == 1)
        expect_closed(&first);
    expect_whole(&first, options.resolution);
    const struct gpu_launch hows[] = {{.threads = 1}, {.threads = 2}, {.every_cycle = true}};
    static const char *const words[] = {"without a timeline", "by two threads", "cycle by cycle"};
    for (unsigned i = 0; i < 3; i++) {
        run(&other, way, text, i > 0 ? &options : NULL, false, &hows[i]);
        expect_same(&first, &other, words[i]);
        run_free(&other);
    }
    for (unsigned i = 0; i < first.count; i++) {
        struct archive *ar = archive_from_bytes(first.kept[i].text, first.kept[i].length);
        run(&other, way, text, &options, false, &(struct gpu_launch){.resume = ar});
        expect_same(&first, &other, "from a checkpoint");
        run_free(&other);
        archive_abandon(ar);
    }
    run(&other, way, text, &options, false, &(struct gpu_launch){.max_cycles = first.d.result.cycles / 2});
    expect_whole(&other, options.resolution);
    run_free(&other);
    run_free(&first);
}

static void test_sums(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        run_all_ways(&ways[w], waits_text, w % 3 ? "1" : NULL);
        struct program p = make_program(900 + w);
        char *text = kernel_text(&p);
        run_all_ways(&ways[w], text, w % 3 ? NULL : "1");
        free(text);
    }
}

/* Locks and barriers of the kernel: those that the profile counts. */
static void test_locks(void **state)
{
    (void)state;
    const struct timeline_options options = options_of(NULL, NULL, "20");
    struct run r = {0};
    json_t *launch;
    run(&r, &ways[0], waits_text, &options, false, &(struct gpu_launch){0});
    const struct sums sums = sums_of(&r, 20, &launch);
    const json_t *word = json_array_get(json_object_get(json_object_get(launch, "profile"), "words"), 0);
    assert_int_equal(json_array_size(json_object_get(launch, "locks")), 1);
    assert_int_equal(sums.locks, json_integer_value(json_object_get(word, "given")));
    assert_int_equal(sums.held, json_integer_value(json_object_get(word, "held")));
    assert_true(sums.locks >= 2 * THREADS / 16 && sums.waits > 0 && sums.waits < 4 * sums.lives);
    assert_int_equal(sums.lives, GRID * ((BLOCK + 31) / 32));
    json_decref(launch);
    run_free(&r);
}

/* Slots that several blocks have one after the other, and more time than the counts of issues have places for at first.
 */
static void test_long(void **state)
{
    (void)state;
    static const struct way one[] = {{"gtx480", "gpu.sms=1 sm.scheduler=tls:active=2"}, {"gtx480", "gpu.sms=1"}};
    static const char *const resolutions[] = {"1", "64"};
    for (unsigned i = 0; i < 2; i++) {
        const struct timeline_options options = options_of(NULL, NULL, resolutions[i]);
        struct run r = {.turns = i ? 50 : 1};
        json_t *launch;
        run(&r, &one[i], waits_text, &options, false, &(struct gpu_launch){0});
        if (!i)
            expect_closed(&r);
        assert_true(i || device_stat(&r.d, "warps", "held") > 0);
        const struct sums sums = sums_of(&r, options.resolution, &launch);
        assert_int_equal(sums.lives, BLOCKS * ((BLOCK + 31) / 32));
        assert_int_equal(sums.cycles, device_stat(&r.d, "sm", "warp_cycles"));
        assert_int_equal(sums.issues, device_stat(&r.d, "sm", "warp_instructions"));
        assert_true(!i || r.d.result.cycles > TIMELINE_BINS * TIMELINE_BIN);
        json_decref(launch);
        run_free(&r);
    }
}

/* A part of the kernel, and one SM of two: as much of both as there is in the whole. */
static void test_parts(void **state)
{
    (void)state;
    const struct timeline_options window = options_of("300:700", NULL, "1"), one = options_of(NULL, "1", "1");
    struct run r = {0};
    json_t *launch;
    run(&r, &ways[0], waits_text, &window, false, &(struct gpu_launch){0});
    struct sums sums = sums_of(&r, 1, &launch);
    assert_int_equal(sums.first, 300);
    assert_int_equal(sums.last, 700);
    assert_int_equal(sums.cycles, 400 * (json_int_t)sums.lives); /* they all live from before to after it */
    assert_int_equal(sums.sms, 2);
    json_decref(launch);
    run_free(&r);
    run(&r, &ways[0], waits_text, &one, false, &(struct gpu_launch){0});
    sums = sums_of(&r, 1, &launch);
    assert_int_equal(sums.sms, 1);
    assert_true(sums.cycles > 0 && (uint64_t)sums.cycles < device_stat(&r.d, "sm", "warp_cycles"));
    assert_int_equal(json_array_size(json_object_get(launch, "sms")), 1);
    json_decref(launch);
    run_free(&r);
}

static void test_options(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {"5", NULL, NULL},
        {"5:5", NULL, NULL},
        {"a:5", NULL, NULL},
        {"1:2x", NULL, NULL},
        {"99999999999999999999:", NULL, NULL},
        {NULL, "3-1", NULL},
        {NULL, "1,", NULL},
        {NULL, "4096", NULL},
        {NULL, "-", NULL},
        {NULL, NULL, "0"},
        {NULL, NULL, "7x"},
    };
    struct timeline_options options = options_of("7:", "0,3-5,64", "9");
    struct strbuf text = {0};
    timeline_identify(&options, &text);
    assert_string_equal(strbuf_text(&text), " --timeline-window 7:0 --timeline-sms 0,3,4,5,64 --timeline-resolution 9");
    strbuf_free(&text);
    options = options_of(":8", NULL, NULL);
    assert_true(options.from == 0 && options.until == 8 && timeline_wants(&options, 5000));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct diag_sink sink;
        diag_init(&sink);
        if (timeline_read_options(&options, bad[i][0], bad[i][1], bad[i][2], &sink) == 0)
            fail_msg("options %zu are taken", i);
        assert_int_equal(sink.count, 1);
        diag_free(&sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_locks),
                                       cmocka_unit_test(test_long), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
