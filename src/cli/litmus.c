/* `lockstep litmus`: litmus tests, run on a simulated GPU, beside what the PTX memory model allows. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "litmus/litmus.h"
#include "report/table.h"

#define DEFAULT_RUNS 2000
#define DEFAULT_TURNS 2

static const char usage[] =
    "usage: lockstep litmus [OPTIONS] FILE.litmus...\n"
    "       lockstep litmus [OPTIONS] --shapes\n"
    "\n"
    "Runs litmus tests of the PTX memory model many times, each with blocks, warps, lanes, addresses and delays of\n"
    "its own, and counts how they end beside what the model allows (docs/litmus.md).\n"
    "\n"
    "  --shapes               Lockstep's own tests: all shapes, with all ways to order them\n"
    "  --print                prints the tests and runs nothing\n"
    "  --model                prints what the model allows and runs nothing\n"
    "  --runs N               runs of a test (2000)\n"
    "  --turns N              turns of a loop that the model looks at (2)\n"
    "  --machine X, --sched A, --fetch P, --divergence W, --protocol P, --seed N, --set GROUP.NAME=VALUE,\n"
    "  --threads N, --max-cycles N  as for lockstep run; the seed also chooses the placements\n"
    "  --quiet                one line for a test, and no progress\n"
    "\n"
    "Exit code: 1 when an outcome was seen that the model forbids.\n";

/* All tests of a command. */
struct session {
    const struct cli_options *options;
    struct machine machine;
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

/* What the model says of an outcome. */
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

/* Whether some outcome that the model allows, or that was seen, is as the condition's formula says; and whether all
 * are. */
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

/* Rows: what the model allows or was seen. */
static void count_outcomes(struct session *s, const struct litmus_verdict *verdict, const struct litmus_outcomes *seen)
{
    for (unsigned i = 0; i < seen->count; i++)
        if (is_forbidden(verdict, &seen->items[i].outcome))
            s->forbidden += seen->items[i].count;
    for (unsigned i = 0; i < verdict->allowed.count; i++) {
        const struct litmus_outcome *outcome = &verdict->allowed.items[i].outcome;
        bool weak = !litmus_count_of(&verdict->sequential, outcome);
        s->weak += weak;
        s->weak_seen += weak && litmus_count_of(seen, outcome);
    }
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
                           const struct litmus_verdict *verdict, const struct litmus_outcomes *seen, struct strbuf *out)
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
    table_text(&t, out);
    table_free(&t);
    litmus_outcomes_free(&all);
}

static uint64_t forbidden_of(const struct litmus_verdict *verdict, const struct litmus_outcomes *seen)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < seen->count; i++)
        sum += is_forbidden(verdict, &seen->items[i].outcome) ? seen->items[i].count : 0;
    return sum;
}

static void print_test(const struct session *s, const struct litmus_test *test, const struct litmus_verdict *verdict,
                       const struct litmus_outcomes *seen)
{
    struct strbuf out = {0};
    uint64_t forbidden = forbidden_of(verdict, seen);
    strbuf_addf(&out, "%s: condition by the model: %s%s", test->name,
                condition_words(test, meets(test, &verdict->allowed)),
                !verdict->complete  ? ", of the executions that were looked at"
                : verdict->unrolled ? ", of the turns that were looked at"
                                    : "");
    if (!s->options->model)
        strbuf_addf(&out, "; seen: %s", condition_words(test, meets(test, seen)));
    if (forbidden)
        strbuf_addf(&out, "; %" PRIu64 " FORBIDDEN", forbidden);
    strbuf_add(&out, "\n");
    if (!s->options->quiet || forbidden) {
        print_outcomes(s, test, verdict, seen, &out);
        strbuf_add(&out, "\n");
    }
    cli_print(&out);
}

static int do_test(struct session *s, const char *file, const struct strbuf *text)
{
    struct litmus_test test;
    struct litmus_verdict verdict;
    struct litmus_outcomes seen = {0};
    int rc = litmus_parse(&test, file, strbuf_text(text), text->length, s->sink);
    if (rc == 0 && s->options->print) {
        cli_printf("%s%s", strbuf_text(text), "\n");
    } else if (rc == 0) {
        s->name = test.name;
        litmus_ask(&test, (unsigned)s->options->turns_value, &verdict);
        struct litmus_run run = {.machine = &s->machine,
                                 .runs = s->options->runs_value,
                                 .seed = s->machine.gpu.seed,
                                 .max_cycles = s->options->max_cycles_value,
                                 .threads = (unsigned)s->options->threads_value,
                                 .progress = on_progress,
                                 .context = s};
        if (!s->options->model)
            rc = litmus_run(&test, &run, &seen, s->sink);
        cli_progress_clear(&s->progress);
        s->tests++;
        s->runs += rc == 0 && !s->options->model ? s->options->runs_value : 0;
        count_outcomes(s, &verdict, &seen);
        if (rc == 0)
            print_test(s, &test, &verdict, &seen);
        litmus_outcomes_free(&seen);
        litmus_verdict_free(&verdict);
    }
    s->failed += rc < 0;
    cli_say(s->sink);
    litmus_free(&test);
    return rc;
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

static int end(const struct session *s)
{
    if (s->options->print)
        return s->failed ? CLI_USAGE : CLI_OK;
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
    return s->forbidden ? CLI_FAILED : s->failed ? CLI_USAGE : CLI_OK;
}

static int run_tests(struct cli_options *options, struct diag_sink *sink)
{
    struct session s = {.options = options, .sink = sink};
    if (options->shapes == (options->rest[0] != NULL)) {
        diag_error(sink, DIAG_NOWHERE, "lockstep litmus --help",
                   "lockstep litmus needs files, or --shapes and no file");
        return CLI_USAGE;
    }
    options->runs_value = options->runs ? options->runs_value : DEFAULT_RUNS;
    options->turns_value = options->turns ? options->turns_value : DEFAULT_TURNS;
    if (cli_load_machine(&s.machine, options, sink) < 0)
        return CLI_USAGE;
    cli_progress_init(&s.progress, options->quiet);
    if (options->shapes)
        do_shapes(&s);
    else
        do_files(&s);
    machine_free(&s.machine);
    return end(&s);
}

int cli_litmus(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_TAKES_MACHINE | CLI_TAKES_LITMUS, UINT32_MAX, usage, run_tests);
}
