/* `lockstep check`: coherence protocols and mbarriers, explored state by state. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "check/checker.h"
#include "check/mbarrier.h"
#include "cli/cli.h"
#include "cli/listing.h"
#include "config/yaml.h"
#include "report/table.h"

const char cli_check_usage[] =
    "usage: lockstep check [OPTIONS] [PROTOCOL...]\n"
    "       lockstep check [OPTIONS] mbarrier\n"
    "\n"
    "Explores all orders in which the messages of a few L1s and a slice can arrive and their threads can access, with\n"
    "the code that is simulated, and looks for a state in which something is wrong (docs/check.md). Without a "
    "protocol,\n"
    "all that keep in L1s what they have written are checked. mbarrier: objects of mbarriers, by programs of their\n"
    "own; --accesses is the number of phases (3), and --states the other number that it takes.\n"
    "\n"
    "  --program NAME       what the threads do (all that suit the protocol); can be given again. gN is the generated\n"
    "                       program of number N\n";

static const char usage_tail[] = "  --transitions        lists the transitions that were not taken\n"
                                 "  --quiet              no progress\n"
                                 "\n"
                                 "Programs:\n";

static const char usage_end[] = "\n"
                                "Exit code: 0 proved, 1 a fault was found or a limit ended the search, 2 usage.\n";

struct number {
    const char *option, *doc;
    uint64_t least, most;
    size_t member; /* of struct cli_options */
};
static const struct number numbers[] = {
#define CLI_CHECK(option, least, most, doc) {#option, doc, least, most, offsetof(struct cli_options, check_##option)},
#include "cli/check_options.def"
#undef CLI_CHECK
};

static void add_programs(struct table *t, const struct checker_program_name *programs)
{
    for (const struct checker_program_name *p = programs; p->name; p++) {
        table_cell(t, "  %s", p->name);
        table_cell(t, "%s", p->doc);
    }
}

/* A table that stands behind cli_check_usage; the table is as wide as the page. */
static void write_usage_rest(struct table_page *page)
{
    struct table t;
    struct strbuf *text = &page->text;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        strbuf_addf(text, "  --%s N%*s%s\n", numbers[i].option, 17 - (int)strlen(numbers[i].option), "",
                    numbers[i].doc);
    strbuf_add(text, usage_tail);
    table_init(&t, "ll");
    add_programs(&t, checker_programs);
    table_text(&t, page);
    table_free(&t);
    strbuf_add(text, "\nPrograms of mbarriers:\n");
    table_init(&t, "ll");
    add_programs(&t, mbarrier_programs);
    table_text(&t, page);
    table_free(&t);
    strbuf_add(text, usage_end);
}

void cli_check_usage_rest(struct strbuf *usage)
{
    struct table_page page = {0};
    write_usage_rest(&page);
    strbuf_add(usage, strbuf_text(&page.text));
    table_page_free(&page);
}

/* One number, if it was given. Returns -1 with a diagnostic for what is none or out of range. */
static int read_number(const struct cli_options *options, const struct number *n, uint64_t *value,
                       struct diag_sink *sink)
{
    const char *text = *(const char *const *)((const char *)options + n->member);
    if (!text)
        return 0;
    if (!config_parse_u64(text, value) || *value < n->least || *value > n->most)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--%s %s: expected a number from %" PRIu64 " to %" PRIu64,
                          n->option, text, n->least, n->most);
    return 0;
}

#define DEFAULT_ACCESSES 2
#define DEFAULT_MEMORY 8
#define DEFAULT_PHASES 3 /* of mbarriers */

/* Programs by their numbers. */
struct generated {
    uint64_t from, count;
};

static int read_setup(const struct cli_options *options, struct checker_setup *setup, struct generated *generated,
                      struct diag_sink *sink)
{
    struct values {
#define CLI_CHECK(option, least, most, doc) uint64_t option;
#include "cli/check_options.def"
#undef CLI_CHECK
    } v = {.accesses = DEFAULT_ACCESSES, .memory = DEFAULT_MEMORY};
    uint64_t *const at[] = {
#define CLI_CHECK(option, least, most, doc) &v.option,
#include "cli/check_options.def"
#undef CLI_CHECK
    };
    int rc = 0;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        rc |= read_number(options, &numbers[i], at[i], sink);
    *setup = (struct checker_setup){.caches = (uint32_t)v.caches,
                                    .lines = (uint32_t)v.lines,
                                    .sets = (uint32_t)v.sets,
                                    .ways = (uint32_t)v.ways,
                                    .fills = (uint32_t)v.fills,
                                    .merges = (uint32_t)v.merges,
                                    .stores = (uint32_t)v.stores,
                                    .requests = (uint32_t)v.requests,
                                    .replies = (uint32_t)v.replies,
                                    .l2sets = (uint32_t)v.l2sets,
                                    .places = (uint32_t)v.places,
                                    .slices = (uint32_t)v.slices,
                                    .values = (uint32_t)v.values,
                                    .accesses = (uint32_t)v.accesses,
                                    .together = (uint32_t)v.together,
                                    .depth = v.depth,
                                    .states = v.states,
                                    .memory = v.memory << 30};
    *generated = (struct generated){v.from, v.generated};
    return rc;
}

struct session {
    const struct cli_options *options;
    struct checker_setup setup;
    struct generated generated;
    struct cli_progress progress;
    struct diag_sink *sink;
    struct strbuf name; /* of what is explored */
    struct table rows;
    struct table_page after; /* faults, and transitions that were not taken */
    unsigned faults, stopped;
};

static bool on_progress(void *context, uint64_t states, uint64_t depth)
{
    struct session *s = context;
    cli_progress_states(&s->progress, strbuf_text(&s->name), states, depth);
    return false;
}

static const char *verdict_of(const struct checker_result *r)
{
    return r->verdict == CHECKER_PROVED ? "proved" : r->verdict == CHECKER_FAULT ? "FAULT" : "not finished: ";
}

/* How many a thread may begin, and all together. */
static void add_accesses(struct session *s)
{
    const struct checker_setup *setup = &s->setup;
    if (!setup->accesses)
        table_cell(&s->rows, "no end");
    else if (setup->together)
        table_cell(&s->rows, "%" PRIu32 ", %" PRIu32 " in all", setup->accesses, setup->together);
    else
        table_cell(&s->rows, "%" PRIu32, setup->accesses);
}

/* The columns behind what was explored, and the fault. name: a protocol, or mbarrier. */
static void add_result(struct session *s, const char *name, const char *program, struct checker_result *r)
{
    table_cell(&s->rows, "%" PRIu64, r->states);
    table_cell(&s->rows, "%" PRIu64, r->transitions);
    table_cell(&s->rows, "%" PRIu64, r->depth);
    table_cell(&s->rows, "%" PRIu64, r->quiet);
    table_cell(&s->rows, "%s%s%s", verdict_of(r), r->limit ? "limit of " : "", r->limit ? r->limit : "");
    if (r->verdict == CHECKER_FAULT) {
        table_paint(&s->rows, TERMINAL_BAD, strlen(verdict_of(r)));
        strbuf_addf(&s->after.text, "\n%s, %s: %s\n%s", name, program, strbuf_text(&r->fault), strbuf_text(&r->trace));
    }
    s->faults += r->verdict == CHECKER_FAULT;
    s->stopped += r->verdict == CHECKER_STOPPED;
}

static void add_row(struct session *s, struct checker_result *r)
{
    table_cell(&s->rows, "%s", s->setup.protocol->name);
    struct strbuf program = {0};
    strbuf_add(&program, s->setup.program);
    checker_describe(s->setup.program, &program);
    table_cell(&s->rows, "%s", strbuf_text(&program));
    add_accesses(s);
    add_result(s, s->setup.protocol->name, strbuf_text(&program), r);
    strbuf_free(&program);
}

static int explore(struct session *s, const char *program, struct coherence_counts taken[COHERENCE_SIDES])
{
    struct checker_result result;
    s->setup.program = program;
    if (!s->options->check_accesses && !s->options->check_together)
        s->setup.together = checker_usually(&s->setup);
    strbuf_free(&s->name);
    strbuf_addf(&s->name, "%s, %s", s->setup.protocol->name, program);
    int rc = checker_run(&s->setup, &result, s->sink);
    cli_progress_clear(&s->progress);
    if (rc < 0)
        return -1;
    add_row(s, &result);
    coherence_add_counts(&taken[0], &result.agent);
    coherence_add_counts(&taken[2], &result.directory);
    checker_free(&result);
    return 0;
}

/* The rows of a side's table that were taken, and those that were not. */
static void add_transitions(struct session *s, unsigned side, const struct coherence_counts *taken)
{
    const struct coherence_words *words;
    const struct coherence_table *table = coherence_side_of(s->setup.protocol, side, &words);
    struct table t;
    unsigned reached = 0, rows = 0;
    table_init(&t, "llll");
    for (unsigned i = 0; i < table->count; i++) {
        const struct coherence_row *row = &table->rows[i];
        if (side == 0 && row->actions == AGENT_DO_REFUSE)
            continue; /* a refusal is no transition that is taken */
        rows++;
        reached += taken->taken[row->state][row->event] != 0;
        if (taken->taken[row->state][row->event] || !s->options->transitions)
            continue;
        const char *why = checker_unreached(s->setup.protocol, side, row->state, row->event);
        table_cell(&t, "  %s", words->side);
        table_cell(&t, "%s", words->states[row->state].word);
        table_cell(&t, "%s", words->events[row->event].word);
        table_cell(&t, "%s", why ? why : "");
    }
    strbuf_addf(&s->after.text, "%s: %u of %u transitions of the %s were taken\n", s->setup.protocol->name, reached,
                rows, words->side);
    table_text(&t, &s->after);
    table_free(&t);
}

/* The generated programs that there are for the protocol, from the first number on. */
static int check_generated(struct session *s, struct coherence_counts taken[COHERENCE_SIDES])
{
    char name[32];
    int rc = 0;
    uint64_t number = s->generated.from;
    for (uint64_t i = 0; i < s->generated.count && rc == 0; number++) {
        if (!checker_generates(&s->setup, number))
            continue;
        snprintf(name, sizeof name, "g%" PRIu64, number);
        rc = explore(s, name, taken);
        i++;
    }
    return rc;
}

/* Mbarriers */

/* A program with waits that end with their phases alone, and with waits that may end in vain. */
static int explore_mbarrier(struct session *s, const char *program)
{
    uint64_t phases = s->options->check_accesses ? s->setup.accesses : DEFAULT_PHASES;
    if (!phases || phases > MBARRIER_CHECK_PHASES)
        return diag_error(s->sink, DIAG_NOWHERE, NULL, "--accesses: mbarriers are followed through 1 to %u phases",
                          MBARRIER_CHECK_PHASES);
    for (unsigned limits = 0; limits < 2; limits++) {
        struct checker_result result;
        struct mbarrier_setup setup = {
            .program = program, .phases = (uint32_t)phases, .limits = limits, .states = s->setup.states};
        if (mbarrier_check(&setup, &result, s->sink) < 0)
            return -1;
        table_cell(&s->rows, "mbarrier");
        table_cell(&s->rows, "%s%s", program, limits ? ", limits" : "");
        table_cell(&s->rows, "%" PRIu64 " phases", phases);
        add_result(s, "mbarrier", program, &result);
        checker_free(&result);
    }
    return 0;
}

static int check_mbarriers(struct session *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->options->programs.count && rc == 0; i++)
        rc = explore_mbarrier(s, s->options->programs.items[i]);
    for (const struct checker_program_name *p = mbarrier_programs; p->name && rc == 0; p++)
        if (!s->options->programs.count)
            rc = explore_mbarrier(s, p->name);
    return rc;
}

/* The programs that were asked for, or all that suit the protocol. */
static int check_protocol(struct session *s)
{
    struct coherence_counts taken[COHERENCE_SIDES] = {0};
    int rc = 0;
    for (size_t i = 0; i < s->options->programs.count && rc == 0; i++)
        rc = explore(s, s->options->programs.items[i], taken);
    for (const struct checker_program_name *p = checker_programs; p->name && rc == 0; p++)
        if (!s->options->programs.count && !s->generated.count && checker_suits(s->setup.protocol, p))
            rc = explore(s, p->name, taken);
    rc = rc == 0 ? check_generated(s, taken) : rc;
    if (rc < 0)
        return -1;
    strbuf_add(&s->after.text, "\n");
    add_transitions(s, 0, &taken[0]);
    add_transitions(s, 2, &taken[2]);
    return 0;
}

/* Tells of the first row of each table whose next state is not what its actions make of a line (coherence_row_fault).
 * Returns whether there was one: nothing is explored then. */
static bool has_table_faults(struct session *s)
{
    const struct coherence_words *words;
    unsigned before = s->faults;
    for (unsigned side = 0; side < COHERENCE_SIDES; side++) {
        const struct coherence_row *row = NULL;
        const struct coherence_table *table = coherence_side_of(s->setup.protocol, side, &words);
        const char *fault = table ? coherence_table_fault(words, table, &row) : NULL;
        if (!fault)
            continue;
        strbuf_addf(&s->after.text, "\n%s, %s, row %u: %s\n", s->setup.protocol->name, words->side,
                    (unsigned)(row - table->rows) + 1, fault);
        s->faults++;
    }
    return s->faults != before;
}

static int unknown_protocol(struct session *s, const char *name)
{
    const char *names[16] = {NULL};
    unsigned count = 0;
    for (const struct coherence_protocol *const *p = coherence_list(); *p && count < 15; p++)
        if ((*p)->registration)
            names[count++] = (*p)->name;
    listing_unknown("protocol to be checked", name, names, s->sink);
    return -1;
}

static int check_named(struct session *s, const char *name)
{
    if (!strcmp(name, "mbarrier"))
        return check_mbarriers(s);
    s->setup.protocol = coherence_find(name);
    if (!s->setup.protocol)
        return unknown_protocol(s, name);
    if (has_table_faults(s))
        return 0;
    if (!s->setup.protocol->registration)
        return diag_error(
            s->sink, DIAG_NOWHERE, "`lockstep litmus --shapes --protocol NAME` runs litmus tests under every protocol",
            "%s has no states to be explored: its L1s keep nothing that they have written", s->setup.protocol->name);
    return check_protocol(s);
}

static int check_all(struct session *s)
{
    int rc = 0;
    for (char **name = s->options->rest; *name && rc == 0; name++)
        rc = check_named(s, *name);
    for (const struct coherence_protocol *const *p = coherence_list(); *p && rc == 0 && !s->options->rest[0]; p++)
        if ((*p)->registration)
            rc = check_named(s, (*p)->name);
    return rc;
}

static int end(struct session *s, int rc)
{
    if (rc == 0) {
        cli_print_table(&s->rows);
        cli_page_print(&s->after, STDOUT_FILENO);
    } else {
        table_free(&s->rows);
        table_page_free(&s->after);
    }
    strbuf_free(&s->name);
    return rc < 0 ? CLI_USAGE : s->faults || s->stopped ? CLI_FAILED : CLI_OK;
}

static int run_check(struct cli_options *options, struct diag_sink *sink)
{
    static const char *const heading[] = {"protocol",    "program", "accesses", "states",
                                          "transitions", "depth",   "quiet",    "verdict"};
    struct session s = {.options = options, .sink = sink};
    if (read_setup(options, &s.setup, &s.generated, sink) < 0)
        return CLI_USAGE;
    checker_defaults(&s.setup);
    s.setup.progress = on_progress;
    s.setup.context = &s;
    cli_progress_init(&s.progress, options->quiet);
    cli_page_begin(&s.after, STDOUT_FILENO);
    table_init(&s.rows, "lllrrrrl");
    for (unsigned i = 0; i < sizeof heading / sizeof *heading; i++)
        table_cell(&s.rows, "%s", heading[i]);
    return end(&s, check_all(&s));
}

int cli_check(int argc, char **argv)
{
    struct table_page page = {0};
    strbuf_add(&page.text, cli_check_usage);
    write_usage_rest(&page);
    int code = cli_listing(argc, argv, CLI_ACCEPTS_check, UINT32_MAX, strbuf_text(&page.text), run_check);
    table_page_free(&page);
    return code;
}
