/* `lockstep litmus`: litmus tests, run on simulated GPUs, beside what the PTX memory model allows. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "litmus/litmus.h"
#include "memory/coherence/protocol.h"
#include "report/table.h"
#include "simt/divergence.h"

#define DEFAULT_RUNS 2000
#define DEFAULT_RANDOM_RUNS 20
#define DEFAULT_TURNS 2

const char cli_litmus_usage[] =
    "usage: lockstep litmus [OPTIONS] FILE.litmus...\n"
    "       lockstep litmus [OPTIONS] --shapes\n"
    "       lockstep litmus [OPTIONS] --random N\n"
    "\n"
    "Runs litmus tests of the PTX memory model many times, each with blocks, warps, lanes, addresses and delays of\n"
    "its own, and counts how they end beside what the model allows (docs/litmus.md).\n"
    "\n"
    "  --shapes               Lockstep's own tests: all shapes, with all ways to order them\n"
    "  --random N             N random tests, those of --seed; of a test that fails, prints all\n"
    "  --mixed                random tests of several proxies\n"
    "  --print                prints the tests and runs nothing\n"
    "  --model                prints what the model allows and runs nothing\n"
    "  --runs N               runs of a test (2000; of a random one 20)\n"
    "  --turns N              turns of a loop that the model looks at (2)\n"
    "  --protocol P, --divergence W  lists are taken (gpu,vi), and all: each test is run under each\n"
    "  --machine X, --sched A, --fetch P, --seed N, --set GROUP.NAME=VALUE,\n"
    "  --threads N, --max-cycles N  as for lockstep run; the seed also chooses the placements\n"
    "  --quiet                one line for a test, and no progress\n"
    "\n"
    "Exit code: 1 when an outcome was seen that the model forbids.\n";

/* A machine that the tests are run on, and how they went. */
struct place {
    struct machine machine;
    const char *name;    /* what it has of the lists: "vi its" */
    const char *options; /* that choose it */
    uint64_t runs, forbidden, failed;
};

/* All tests of a command. */
struct session {
    const struct cli_options *options;
    struct arena arena;
    VEC(struct place) places;
    struct diag_sink *sink;
    struct cli_progress progress;
    const char *name; /* of the test that runs */
    uint64_t tests, runs, forbidden, weak, weak_seen, unknown, failed;
};

static int on_progress(void *context, uint64_t done)
{
    struct session *s = context;
    cli_progress_count(&s->progress, s->name, done, s->options->runs_value, "runs");
    return 0;
}

/* Names the class that the model puts an outcome in. */
static const char *class_of(const struct litmus_verdict *verdict, const struct litmus_outcome *outcome)
{
    if (litmus_count_of(&verdict->sequential, outcome))
        return "sequential";
    if (litmus_count_of(&verdict->allowed, outcome))
        return "weak";
    return verdict->complete && !verdict->unrolled ? "forbidden" : "not found";
}

static bool is_forbidden(const struct litmus_verdict *verdict, const struct litmus_outcome *outcome)
{
    return !litmus_count_of(&verdict->allowed, outcome) && verdict->complete && !verdict->unrolled;
}

/* The condition's formula over a set of outcomes, those that the model allows or those that were seen: true for some of
 * them, and for all. */
struct answer {
    bool some, all;
};
static struct answer answer_of(const struct litmus_test *test, const struct litmus_outcomes *outcomes)
{
    struct answer answer = {false, true};
    for (unsigned i = 0; i < outcomes->count; i++) {
        bool holds = litmus_holds(test, &outcomes->items[i].outcome);
        answer.some |= holds;
        answer.all &= holds;
    }
    return answer;
}

static bool meets(const struct litmus_test *test, const struct litmus_outcomes *outcomes)
{
    struct answer answer = answer_of(test, outcomes);
    return test->quantifier == LITMUS_FORALL ? answer.all : answer.some == (test->quantifier == LITMUS_EXISTS);
}

static const char *condition_words(const struct litmus_test *test, bool yes)
{
    switch (test->quantifier) {
    case LITMUS_EXISTS:
        return yes ? "exists" : "exists nowhere";
    case LITMUS_NEVER:
        return yes ? "never" : "not never";
    case LITMUS_FORALL:
        break;
    }
    return yes ? "in all" : "not in all";
}

static uint64_t forbidden_of(const struct litmus_verdict *verdict, const struct litmus_outcomes *seen)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < seen->count; i++)
        sum += is_forbidden(verdict, &seen->items[i].outcome) ? seen->items[i].count : 0;
    return sum;
}

/* seen: on all machines. */
static void count_outcomes(struct session *s, const struct litmus_verdict *verdict, const struct litmus_outcomes *seen)
{
    for (unsigned i = 0; i < verdict->allowed.count; i++) {
        const struct litmus_outcome *outcome = &verdict->allowed.items[i].outcome;
        bool weak = !litmus_count_of(&verdict->sequential, outcome);
        s->weak += weak;
        s->weak_seen += weak && litmus_count_of(seen, outcome);
    }
    s->forbidden += forbidden_of(verdict, seen);
    s->unknown += !verdict->complete || verdict->unrolled;
}

static void add_row(const struct session *s, const struct litmus_test *test, const struct litmus_verdict *verdict,
                    const struct litmus_outcomes *seen, const struct litmus_outcome *outcome, struct table *t)
{
    struct strbuf values = {0};
    litmus_print(test, outcome, &values);
    if (!s->options->model)
        table_cell(t, "%" PRIu64, litmus_count_of(seen, outcome));
    table_cell(t, "%s%s", strbuf_text(&values), test->term_count ? "" : "(no values)");
    table_cell(t, "%s", class_of(verdict, outcome));
    table_cell(t, "%s", litmus_holds(test, outcome) ? "condition" : "");
    strbuf_free(&values);
}

static void print_outcomes(const struct session *s, const struct litmus_test *test,
                           const struct litmus_verdict *verdict, const struct litmus_outcomes *seen,
                           struct table_page *page)
{
    struct litmus_outcomes all = {0};
    struct table t;
    for (unsigned i = 0; i < verdict->allowed.count; i++)
        litmus_add(&all, &verdict->allowed.items[i].outcome, 1);
    for (unsigned i = 0; i < seen->count; i++)
        litmus_add(&all, &seen->items[i].outcome, 1);
    table_init(&t, s->options->model ? "lll" : "rlll");
    if (!s->options->model)
        table_cell(&t, "seen");
    table_cell(&t, "outcome");
    table_cell(&t, "model");
    table_cell(&t, "%s", "");
    for (unsigned i = 0; i < all.count; i++)
        add_row(s, test, verdict, seen, &all.items[i].outcome, &t);
    table_text(&t, page);
    table_free(&t);
    litmus_outcomes_free(&all);
}

/* place: NULL when nothing ran. Of random tests, only what must not be is printed. */
static void print_test(const struct session *s, const struct litmus_test *test, const struct litmus_verdict *verdict,
                       const struct litmus_outcomes *seen, const struct place *place)
{
    struct table_page page;
    uint64_t forbidden = forbidden_of(verdict, seen);
    if (s->options->random && place && !forbidden)
        return;
    cli_page_begin(&page, STDOUT_FILENO);
    strbuf_addf(&page.text, "%s%s%s: condition by the model: %s%s", test->name,
                place && place->name[0] ? " under " : "", place ? place->name : "",
                condition_words(test, meets(test, &verdict->allowed)),
                !verdict->complete  ? ", of the executions that were looked at"
                : verdict->unrolled ? ", of the turns that were looked at"
                                    : "");
    if (place)
        strbuf_addf(&page.text, "; seen: %s", condition_words(test, meets(test, seen)));
    if (forbidden) {
        strbuf_addf(&page.text, "; %" PRIu64 " ", forbidden);
        table_page_paint(&page, TERMINAL_BAD, "FORBIDDEN");
    }
    strbuf_add(&page.text, "\n");
    if (!s->options->quiet || forbidden) {
        print_outcomes(s, test, verdict, seen, &page);
        strbuf_add(&page.text, "\n");
    }
    cli_page_print(&page, STDOUT_FILENO);
}

/* A random test that went wrong is printed, for it stands in no file. */
static void print_text(const struct session *s, const struct place *place, const struct strbuf *text)
{
    if (!s->options->random)
        return;
    cli_printf("%s\n(the test above, saved in a file, does this again: lockstep litmus%s --seed %" PRIu32
               " --runs %" PRIu64 " FILE, with the same machine)\n\n",
               strbuf_text(text), place->options, place->machine.gpu.seed, s->options->runs_value);
}

/* Runs a test on one machine. */
static int run_on(struct session *s, struct place *place, const struct litmus_test *test,
                  const struct litmus_verdict *verdict, const struct strbuf *text, struct litmus_outcomes *all)
{
    struct litmus_outcomes seen = {0};
    struct litmus_run run = {.machine = &place->machine,
                             .runs = s->options->runs_value,
                             .seed = place->machine.gpu.seed,
                             .max_cycles = s->options->max_cycles_value,
                             .threads = (unsigned)s->options->threads_value,
                             .progress = on_progress,
                             .context = s};
    int rc = litmus_run(test, &run, &seen, s->sink);
    cli_progress_clear(&s->progress);
    cli_say(s->sink);
    if (rc == 0) {
        uint64_t forbidden = forbidden_of(verdict, &seen);
        place->runs += s->options->runs_value;
        place->forbidden += forbidden;
        print_test(s, test, verdict, &seen, place);
        if (forbidden)
            print_text(s, place, text);
    } else {
        place->failed++;
        print_text(s, place, text);
    }
    for (unsigned i = 0; i < seen.count; i++)
        litmus_add(all, &seen.items[i].outcome, seen.items[i].count);
    litmus_outcomes_free(&seen);
    return rc;
}

static int run_test(struct session *s, const struct litmus_test *test, const struct strbuf *text)
{
    struct litmus_verdict verdict;
    struct litmus_outcomes all = {0};
    int rc = 0;
    s->name = test->name;
    s->tests++;
    litmus_ask(test, (unsigned)s->options->turns_value, &verdict);
    if (s->options->model)
        print_test(s, test, &verdict, &all, NULL);
    for (size_t i = 0; i < s->places.count && !s->options->model; i++) {
        if (run_on(s, &s->places.items[i], test, &verdict, text, &all) < 0)
            rc = -1;
        else
            s->runs += s->options->runs_value;
    }
    count_outcomes(s, &verdict, &all);
    litmus_outcomes_free(&all);
    litmus_verdict_free(&verdict);
    return rc;
}

static void do_test(struct session *s, const char *file, const struct strbuf *text)
{
    struct litmus_test test;
    int rc = litmus_parse(&test, file, strbuf_text(text), text->length, s->sink);
    if (rc == 0 && s->options->print)
        cli_printf("%s%s", strbuf_text(text), "\n");
    else if (rc == 0)
        rc = run_test(s, &test, text);
    s->failed += rc < 0;
    cli_say(s->sink);
    litmus_free(&test);
}

static void do_files(struct session *s)
{
    for (char **path = s->options->rest; *path; path++) {
        struct strbuf text = {0};
        if (cli_read_file(*path, &text, s->sink) < 0) {
            s->failed++;
            cli_say(s->sink);
        } else {
            do_test(s, *path, &text);
        }
        strbuf_free(&text);
    }
}

static void do_shapes(struct session *s)
{
    struct strbuf text = {0};
    for (unsigned i = 0; litmus_shape(i, &text); i++) {
        do_test(s, "shape", &text);
        strbuf_free(&text);
    }
}

static void do_random(struct session *s)
{
    for (uint64_t i = 0; i < s->options->random_value; i++) {
        struct strbuf text = {0};
        litmus_random(s->places.items[0].machine.gpu.seed, i, s->options->mixed, &text);
        do_test(s, "random", &text);
        strbuf_free(&text);
    }
}

/* Machines */

static const char *next_name(struct arena *arena, const char **list)
{
    size_t length = strcspn(*list, ",");
    const char *name = arena_strndup(arena, *list, length);
    *list += length + ((*list)[length] == ',');
    return name;
}

/* "all" as the list of what there is, and NULL as one name that is not given. */
static const char *list_of(struct session *s, const char *text, bool of_models)
{
    struct strbuf all = {0};
    if (!text || strcmp(text, "all") != 0)
        return text;
    for (unsigned i = 0; of_models && simt_models()[i]; i++)
        strbuf_addf(&all, "%s%s", i ? "," : "", simt_models()[i]->name);
    for (unsigned i = 0; !of_models && coherence_list()[i]; i++)
        strbuf_addf(&all, "%s%s", i ? "," : "", coherence_list()[i]->name);
    const char *kept = arena_strdup(&s->arena, strbuf_text(&all));
    strbuf_free(&all);
    return kept;
}

static int add_place(struct session *s, const struct cli_options *options, const char *name)
{
    struct place place = {.name = name};
    place.options = arena_printf(
        &s->arena, "%s%s%s%s", options->protocol ? " --protocol " : "", options->protocol ? options->protocol : "",
        options->divergence ? " --divergence " : "", options->divergence ? options->divergence : "");
    if (cli_load_machine(&place.machine, options, s->sink) < 0)
        return -1;
    vec_push(&s->places, place);
    return 0;
}

/* One machine for each protocol and divergence model that the options list. */
static int load_machines(struct session *s)
{
    struct cli_options one = *s->options;
    const char *protocols = list_of(s, one.protocol, false), *models = list_of(s, one.divergence, true);
    bool several = (protocols && strchr(protocols, ',')) || (models && strchr(models, ','));
    do {
        const char *rest = models;
        if (protocols)
            one.protocol = next_name(&s->arena, &protocols);
        do {
            if (rest)
                one.divergence = next_name(&s->arena, &rest);
            const char *name =
                arena_printf(&s->arena, "%s%s%s", one.protocol ? one.protocol : "",
                             one.protocol && one.divergence ? " " : "", one.divergence ? one.divergence : "");
            if (add_place(s, &one, several ? name : "") < 0)
                return -1;
        } while (rest && *rest);
    } while (protocols && *protocols);
    return 0;
}

static void print_places(const struct session *s)
{
    struct table t;
    if (s->places.count < 2 || s->options->model)
        return;
    table_init(&t, "lrrr");
    table_cell(&t, "under");
    table_cell(&t, "runs");
    table_cell(&t, "forbidden");
    table_cell(&t, "not run");
    for (size_t i = 0; i < s->places.count; i++) {
        const struct place *place = &s->places.items[i];
        table_cell(&t, "%s", place->name);
        table_cell(&t, "%" PRIu64, place->runs);
        table_cell(&t, "%" PRIu64, place->forbidden);
        table_cell(&t, "%" PRIu64, place->failed);
    }
    cli_print_table(&t);
}

static int end(const struct session *s)
{
    if (s->options->print)
        return s->failed ? CLI_USAGE : CLI_OK;
    print_places(s);
    cli_printf("%" PRIu64 " tests, ", s->tests);
    if (s->options->model)
        cli_printf("%" PRIu64 " weak outcomes allowed", s->weak);
    else
        cli_printf("%" PRIu64 " runs: %" PRIu64 " ended as the model forbids; %" PRIu64 " of %" PRIu64
                   " weak outcomes that it allows were seen",
                   s->runs, s->forbidden, s->weak_seen, s->weak);
    if (s->unknown)
        cli_printf("; of %" PRIu64 " tests not all executions were looked at", s->unknown);
    if (s->failed)
        cli_printf("; %" PRIu64 " could not be run", s->failed);
    cli_printf("\n");
    return s->forbidden || (s->failed && s->options->random) ? CLI_FAILED : s->failed ? CLI_USAGE : CLI_OK;
}

static int run_session(struct session *s)
{
    if (load_machines(s) < 0)
        return CLI_USAGE;
    cli_progress_init(&s->progress, s->options->quiet);
    if (s->options->random)
        do_random(s);
    else if (s->options->shapes)
        do_shapes(s);
    else
        do_files(s);
    return end(s);
}

static int run_tests(struct cli_options *options, struct diag_sink *sink)
{
    struct session s = {.options = options, .sink = sink};
    if (options->shapes + (options->random != NULL) + (options->rest[0] != NULL) != 1) {
        diag_error(sink, DIAG_NOWHERE, "lockstep litmus --help",
                   "lockstep litmus needs files, or --shapes, or --random N, and one of these alone");
        return CLI_USAGE;
    }
    if (!options->runs)
        options->runs_value = options->random ? DEFAULT_RANDOM_RUNS : DEFAULT_RUNS;
    if (!options->turns)
        options->turns_value = DEFAULT_TURNS;
    arena_init(&s.arena);
    int code = run_session(&s);
    for (size_t i = 0; i < s.places.count; i++)
        machine_free(&s.places.items[i].machine);
    vec_free(&s.places);
    arena_free(&s.arena);
    return code;
}

int cli_litmus(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_litmus, UINT32_MAX, cli_litmus_usage, run_tests);
}
