/* Options that several subcommands take. One table serves all; a subcommand names the groups it accepts, so that an
 * option means the same everywhere. Options may stand before and after other arguments, but for those of a program that
 * is run: what follows its name belongs to it. */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "cli/cli.h"
#include "config/yaml.h"
#include "gpu/departures.h"

/* How an option fills its member of struct cli_options. */
enum fill {
    FILL_FLAG, /* bool: true when given */
    FILL_TEXT, /* const char *: its one value */
    FILL_LIST, /* VEC(const char *): each value, in order */
};

static const struct row {
    const char *name;
    enum fill fill;
    size_t member;
    unsigned group; /* enum cli_accept, 0: always */
} table[] = {
    {"machine", FILL_TEXT, offsetof(struct cli_options, machine), CLI_TAKES_MACHINE},
    {"set", FILL_LIST, offsetof(struct cli_options, sets), CLI_TAKES_MACHINE},
    {"allow-code", FILL_FLAG, offsetof(struct cli_options, allow_code), CLI_TAKES_MACHINE},
    {"as", FILL_TEXT, offsetof(struct cli_options, as), CLI_TAKES_RUN},
    {"sched", FILL_TEXT, offsetof(struct cli_options, sched), CLI_TAKES_RUN | CLI_TAKES_RECORDS | CLI_TAKES_LITMUS},
#define CLI_SETTING(option, parameter)                                                                                 \
    {#option, FILL_TEXT, offsetof(struct cli_options, option), CLI_TAKES_RUN | CLI_TAKES_LITMUS},
#include "cli/settings.def"
#undef CLI_SETTING
    {"mode", FILL_TEXT, offsetof(struct cli_options, mode), CLI_TAKES_RUN},
    {"time", FILL_TEXT, offsetof(struct cli_options, time), CLI_TAKES_RUN},
    {"skip-launches", FILL_TEXT, offsetof(struct cli_options, skip_launches), CLI_TAKES_RUN},
    {"warm-launches", FILL_TEXT, offsetof(struct cli_options, warm_launches), CLI_TAKES_RUN},
    {"time-launches", FILL_TEXT, offsetof(struct cli_options, time_launches), CLI_TAKES_RUN},
    {"max-cycles", FILL_TEXT, offsetof(struct cli_options, max_cycles), CLI_TAKES_RUN | CLI_TAKES_LITMUS},
    {"max-seconds", FILL_TEXT, offsetof(struct cli_options, max_seconds), CLI_TAKES_RUN},
    {"host-patience", FILL_TEXT, offsetof(struct cli_options, host_patience), CLI_TAKES_RUN},
    {"threads", FILL_TEXT, offsetof(struct cli_options, threads), CLI_TAKES_RUN | CLI_TAKES_LITMUS | CLI_TAKES_TUNE},
    {"no-skip", FILL_FLAG, offsetof(struct cli_options, no_skip), CLI_TAKES_RUN},
    {"check", FILL_TEXT, offsetof(struct cli_options, check), CLI_TAKES_RUN},
    {"lenient", FILL_FLAG, offsetof(struct cli_options, lenient), CLI_TAKES_RUN},
    {"checkpoint-every", FILL_TEXT, offsetof(struct cli_options, checkpoint_every), CLI_TAKES_CHECKPOINT},
    {"checkpoint", FILL_TEXT, offsetof(struct cli_options, checkpoint), CLI_TAKES_CHECKPOINT},
    {"resume", FILL_TEXT, offsetof(struct cli_options, resume), CLI_TAKES_CHECKPOINT},
    {"hang-report", FILL_TEXT, offsetof(struct cli_options, hang_report), CLI_TAKES_REPORT},
    {"observe", FILL_LIST, offsetof(struct cli_options, observers), CLI_TAKES_REPORT},
    {"profile", FILL_FLAG, offsetof(struct cli_options, profile), CLI_TAKES_REPORT | CLI_TAKES_RESULTS},
    {"ptx", FILL_FLAG, offsetof(struct cli_options, ptx), CLI_TAKES_REPORT},
    {"monitor", FILL_TEXT, offsetof(struct cli_options, monitor), CLI_TAKES_REPORT},
    {"hold", FILL_FLAG, offsetof(struct cli_options, hold), CLI_TAKES_REPORT},
    {"interval", FILL_TEXT, offsetof(struct cli_options, interval), CLI_TAKES_REPORT},
    {"intervals", FILL_TEXT, offsetof(struct cli_options, intervals), CLI_TAKES_REPORT},
    {"timeline", FILL_TEXT, offsetof(struct cli_options, timeline), CLI_TAKES_REPORT},
    {"timeline-window", FILL_TEXT, offsetof(struct cli_options, timeline_window), CLI_TAKES_REPORT | CLI_TAKES_PAGE},
    {"timeline-sms", FILL_TEXT, offsetof(struct cli_options, timeline_sms), CLI_TAKES_REPORT | CLI_TAKES_PAGE},
    {"timeline-resolution", FILL_TEXT, offsetof(struct cli_options, timeline_resolution), CLI_TAKES_REPORT},
    {"perfetto", FILL_TEXT, offsetof(struct cli_options, perfetto), CLI_TAKES_PERFETTO},
    {"report", FILL_TEXT, offsetof(struct cli_options, report), CLI_TAKES_REPORT},
    {"phases", FILL_TEXT, offsetof(struct cli_options, phases), CLI_TAKES_REPORT},
    {"stats", FILL_TEXT, offsetof(struct cli_options, stats), CLI_TAKES_OUTPUT | CLI_TAKES_RECORDS | CLI_TAKES_TUNE},
    {"quiet", FILL_FLAG, offsetof(struct cli_options, quiet), CLI_TAKES_OUTPUT | CLI_TAKES_LITMUS | CLI_TAKES_CHECK},
    {"kernels", FILL_FLAG, offsetof(struct cli_options, kernels), CLI_TAKES_KERNELS},
    {"samples", FILL_TEXT, offsetof(struct cli_options, samples), CLI_TAKES_SAMPLES},
    {"agree", FILL_TEXT, offsetof(struct cli_options, agree), CLI_TAKES_SAMPLES},
    {"kernel", FILL_TEXT, offsetof(struct cli_options, kernel), CLI_TAKES_KERNEL},
    {"case", FILL_LIST, offsetof(struct cli_options, cases), CLI_TAKES_RECORDS},
    {"jobs", FILL_TEXT, offsetof(struct cli_options, jobs), CLI_TAKES_RECORDS | CLI_TAKES_TUNE},
    {"reference", FILL_TEXT, offsetof(struct cli_options, reference), CLI_TAKES_RECORDS | CLI_TAKES_TUNE},
    {"as-reference", FILL_FLAG, offsetof(struct cli_options, as_reference), CLI_TAKES_RECORDS},
    {"fixed-order", FILL_FLAG, offsetof(struct cli_options, fixed_order), CLI_TAKES_RECORDS},
    {"departures", FILL_FLAG, offsetof(struct cli_options, departures), CLI_TAKES_DEPARTURES},
    {"html", FILL_TEXT, offsetof(struct cli_options, html), CLI_TAKES_RECORDS},
    {"hardware", FILL_FLAG, offsetof(struct cli_options, hardware), CLI_TAKES_RECORDS},
    {"card", FILL_LIST, offsetof(struct cli_options, cards), CLI_TAKES_RECORDS | CLI_TAKES_TUNE},
    {"kind", FILL_LIST, offsetof(struct cli_options, kinds), CLI_TAKES_RECORDS | CLI_TAKES_TUNE},
    {"fit", FILL_LIST, offsetof(struct cli_options, fits), CLI_TAKES_TUNE},
    {"fit-file", FILL_TEXT, offsetof(struct cli_options, fit_file), CLI_TAKES_TUNE},
    {"from", FILL_LIST, offsetof(struct cli_options, from), CLI_TAKES_TUNE},
    {"leave-out", FILL_TEXT, offsetof(struct cli_options, leave_out), CLI_TAKES_TUNE},
    {"budget", FILL_TEXT, offsetof(struct cli_options, budget), CLI_TAKES_TUNE},
    {"force", FILL_FLAG, offsetof(struct cli_options, force), CLI_TAKES_TUNE},
    {"rows", FILL_FLAG, offsetof(struct cli_options, rows), CLI_TAKES_RECORDS},
    {"out", FILL_TEXT, offsetof(struct cli_options, out), CLI_TAKES_RECORDS},
    {"measured", FILL_TEXT, offsetof(struct cli_options, measured), CLI_TAKES_RECORDS},
    {"within", FILL_TEXT, offsetof(struct cli_options, within), CLI_TAKES_RECORDS},
    {"card-page", FILL_FLAG, offsetof(struct cli_options, card_page), CLI_TAKES_RECORDS},
    {"runs", FILL_TEXT, offsetof(struct cli_options, runs), CLI_TAKES_LITMUS},
    {"turns", FILL_TEXT, offsetof(struct cli_options, turns), CLI_TAKES_LITMUS},
    {"random", FILL_TEXT, offsetof(struct cli_options, random), CLI_TAKES_LITMUS},
    {"model", FILL_FLAG, offsetof(struct cli_options, model), CLI_TAKES_LITMUS},
    {"shapes", FILL_FLAG, offsetof(struct cli_options, shapes), CLI_TAKES_LITMUS},
    {"mixed", FILL_FLAG, offsetof(struct cli_options, mixed), CLI_TAKES_LITMUS},
    {"print", FILL_FLAG, offsetof(struct cli_options, print), CLI_TAKES_LITMUS},
    {"man", FILL_FLAG, offsetof(struct cli_options, man), CLI_TAKES_DOCS},
    {"completion", FILL_FLAG, offsetof(struct cli_options, completion), CLI_TAKES_DOCS},
    {"program", FILL_LIST, offsetof(struct cli_options, programs), CLI_TAKES_CHECK},
    {"transitions", FILL_FLAG, offsetof(struct cli_options, transitions), CLI_TAKES_CHECK},
#define CLI_CHECK(option, least, most, doc)                                                                            \
    {#option, FILL_TEXT, offsetof(struct cli_options, check_##option), CLI_TAKES_CHECK},
#include "cli/check_options.def"
#undef CLI_CHECK
    {"help", FILL_FLAG, offsetof(struct cli_options, help), 0},
};
#define TABLE_COUNT (sizeof table / sizeof *table)
#define FIRST_VALUE 256 /* getopt's answer for table[0]; above all letters */

static void unknown_option(const char *command, const char *word, unsigned accepted, struct diag_sink *sink)
{
    const char *names[TABLE_COUNT + 1];
    unsigned count = 0;
    char plain[64], hint[96] = "";
    snprintf(plain, sizeof plain, "%s", word + strspn(word, "-"));
    plain[strcspn(plain, "=")] = '\0';
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        if (!table[i].group || (table[i].group & accepted))
            names[count++] = table[i].name;
    names[count] = NULL;
    const char *near = str_nearest(plain, names);
    if (near)
        snprintf(hint, sizeof hint, "did you mean --%s?", near);
    else
        snprintf(hint, sizeof hint, "lockstep %s --help lists the options", command);
    diag_error(sink, DIAG_NOWHERE, hint, "lockstep %s has no option %s", command, word);
}

/* A value that is not the one given before would replace it in silence; no value at all names nothing. */
static int take(struct cli_options *options, const struct row *row, const char *value, struct diag_sink *sink)
{
    void *member = (char *)options + row->member;
    if (row->fill == FILL_FLAG) {
        *(bool *)member = true;
        return 0;
    }
    if (!*value)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--%s needs a value: it is empty", row->name);
    if (row->fill == FILL_LIST) {
        vec_push((cli_texts *)member, value);
        return 0;
    }
    const char **text = member;
    if (*text && strcmp(*text, value) != 0)
        return diag_error(sink, DIAG_NOWHERE, "give it once", "--%s is given twice: %s and %s", row->name, *text,
                          value);
    *text = value;
    return 0;
}

/* The value of the parameter that --sched or an option of settings.def sets by another name, or NULL. */
static const char *other_setting(const struct cli_options *options, const char *set, const char **option)
{
    const struct {
        const char *set, *option, *value;
    } others[] = {
        {"sm.scheduler=", "--sched", options->sched},
#define CLI_SETTING(option, parameter) {parameter "=", "--" #option, options->option},
#include "cli/settings.def"
#undef CLI_SETTING
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(set, others[i].set, strlen(others[i].set)) == 0) {
            *option = others[i].option;
            return others[i].value;
        }
    return NULL;
}

/* The last --set of a parameter holds, and --sched and the options of settings.def hold over it: said where their
 * values differ. */
static void note_overruled(const struct cli_options *options, struct diag_sink *sink)
{
    for (size_t i = 0; i < options->sets.count; i++) {
        const char *set = options->sets.items[i], *last = set, *option;
        size_t name = strcspn(set, "=") + 1;
        for (size_t k = i + 1; k < options->sets.count; k++)
            if (strncmp(options->sets.items[k], set, name) == 0)
                last = options->sets.items[k];
        const char *other = other_setting(options, set, &option);
        if (other && strcmp(other, set + name) != 0)
            diag_note(sink, DIAG_NOWHERE, NULL, "--set %s does not count: %s %s is given too", set, option, other);
        else if (strcmp(last, set) != 0)
            diag_note(sink, DIAG_NOWHERE, NULL, "--set %s does not count: --set %s comes after it", set, last);
    }
}

/* A plain decimal number, 0 or above, below 10^9. */
static bool parse_seconds(const char *text, double *value)
{
    char *end;
    if (text[strspn(text, "0123456789.")])
        return false;
    *value = strtod(text, &end);
    return end != text && !*end && *value < 1e9;
}

/* Options whose value is a number. */
static const struct number {
    const char *name, *expected;
    size_t text, value; /* members of struct cli_options: const char *; uint64_t, left alone without the option */
    uint64_t least, most;
} numbers[] = {
#define NUMBER(member, option, least, most, expected)                                                                  \
    {                                                                                                                  \
        option, expected, offsetof(struct cli_options, member), offsetof(struct cli_options, member##_value), least,   \
            most                                                                                                       \
    }
    NUMBER(max_cycles, "max-cycles", 0, UINT64_MAX, "a number of cycles"),
    NUMBER(skip_launches, "skip-launches", 0, UINT64_MAX, "a number of launches"),
    NUMBER(warm_launches, "warm-launches", 1, UINT64_MAX, "a number of launches above 0"),
    NUMBER(time_launches, "time-launches", 0, UINT64_MAX, "a number of launches"),
    NUMBER(threads, "threads", 1, 64, "a number from 1 to 64"),
    NUMBER(checkpoint_every, "checkpoint-every", 1, UINT64_MAX, "a number of cycles above 0"),
    NUMBER(monitor, "monitor", 0, 65535, "a port from 1 to 65535, or 0 for any that is free"),
    NUMBER(interval, "interval", 1, UINT64_MAX, "a number of cycles above 0"),
    NUMBER(runs, "runs", 1, UINT32_MAX, "a number from 1 to 4294967295"),
    NUMBER(random, "random", 1, UINT32_MAX, "a number from 1 to 4294967295"),
    NUMBER(turns, "turns", 0, 16, "a number from 0 to 16"),
    NUMBER(leave_out, "leave-out", 0, UINT32_MAX, "a number of rows, 0 for none"),
    NUMBER(budget, "budget", 1, UINT32_MAX, "a number of runs above 0"),
    NUMBER(jobs, "jobs", 1, 1024, "a number from 1 to 1024"),
#undef NUMBER
};

static int check_numbers(struct cli_options *options, struct diag_sink *sink)
{
    int rc = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number *n = &numbers[i];
        const char *text = *(const char **)((char *)options + n->text);
        uint64_t *value = (uint64_t *)((char *)options + n->value);
        if (text && (!config_parse_u64(text, value) || *value < n->least || *value > n->most))
            rc = diag_error(sink, DIAG_NOWHERE, NULL, "--%s %s: expected %s", n->name, text, n->expected);
    }
    return rc;
}

static int check_values(struct cli_options *options, struct diag_sink *sink)
{
    int rc = check_numbers(options, sink);
    double patience;
    if (options->mode && strcmp(options->mode, "timing") != 0 && strcmp(options->mode, "functional") != 0)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--mode %s: expected timing or functional", options->mode);
    if (options->check && gpu_checks_parse(options->check, &options->checks, sink) < 0)
        rc = -1;
    if (options->max_seconds &&
        (!parse_seconds(options->max_seconds, &options->max_seconds_value) || options->max_seconds_value <= 0))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--max-seconds %s: expected a number of seconds above 0",
                        options->max_seconds);
    if (options->host_patience && !parse_seconds(options->host_patience, &patience))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--host-patience %s: expected a number of seconds, 0 for no limit",
                        options->host_patience);
    return rc;
}

/* One option, or what is wrong with it; it stands at argv[at]. */
static int take_next(struct cli_options *options, char **argv, int at, int which, unsigned accepted,
                     struct diag_sink *sink)
{
    if (which == ':')
        return diag_error(sink, DIAG_NOWHERE, NULL, "%s needs a value", argv[at]);
    if (which == '?' && optopt >= FIRST_VALUE)
        return diag_error(sink, DIAG_NOWHERE, NULL, "%.*s takes no value", (int)strcspn(argv[at], "="), argv[at]);
    if (which == '?') {
        unknown_option(argv[0], argv[at], accepted, sink);
        if (optind == at)
            optind++; /* in the middle of a word of short options: go on behind it */
        return -1;
    }
    if (which == 'h') {
        options->help = true;
        return 0;
    }
    if (which == 'o') {
        static const struct row page = {"o", FILL_TEXT, offsetof(struct cli_options, report), CLI_TAKES_PAGE};
        return take(options, &page, optarg, sink);
    }
    return take(options, &table[which - FIRST_VALUE], optarg, sink);
}

/* True if `word` is exactly one of the options that the subcommand takes, with or without a value. */
static bool is_own_option(const char *word, unsigned accepted)
{
    size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (unsigned i = 0; n && i < TABLE_COUNT; i++)
        if ((table[i].group & accepted) && strlen(table[i].name) == n && strncmp(word + 2, table[i].name, n) == 0)
            return true;
    return false;
}

/* The program gets its arguments as they are, but who writes one of our options there may have meant us. */
static void note_options_of_program(const char *command, char *const *rest, unsigned accepted, struct diag_sink *sink)
{
    struct strbuf words = {0}, hint = {0};
    unsigned count = 0;
    for (char *const *word = rest + 1; *word && strcmp(*word, "--") != 0; word++)
        if (is_own_option(*word, accepted))
            strbuf_addf(&words, "%s%.*s", count++ ? ", " : "", (int)strcspn(*word, "="), *word);
    strbuf_addf(&words, " after the program's name %s the program's, not an option of lockstep %s",
                count > 1 ? "are" : "is", command);
    strbuf_addf(&hint, "options of lockstep %s stand before %s; -- before %s says that the rest is its own", command,
                rest[0], rest[0]);
    if (count)
        diag_add(sink, &(struct diag){.severity = DIAG_NOTE, .message = words.text, .hint = hint.text});
    strbuf_free(&words);
    strbuf_free(&hint);
}

static char **copy_rest(struct arena *arena, char *const *words, size_t count)
{
    char **rest = ARENA_NEW(arena, char *, count + 1);
    if (count)
        memcpy(rest, words, count * sizeof *rest);
    return rest;
}

/* Options may follow a file; what follows a program is its own. */
static bool is_file(const char *target, unsigned accepted)
{
    return cli_is_case(target) || ((accepted & CLI_TAKES_RESULTS) && cli_is_results(target));
}

int cli_parse_options(struct cli_options *options, int argc, char **argv, unsigned accepted, struct diag_sink *sink)
{
    struct option longs[TABLE_COUNT + 1];
    unsigned count = 0;
    int rc = 0;
    bool to_program = false;
    const char *letters = accepted & (CLI_TAKES_PAGE | CLI_TAKES_TUNE) ? "+:ho:" : "+:h";
    VEC(char *) rest = {0};
    *options = (struct cli_options){0};
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        if (!table[i].group || (table[i].group & accepted))
            longs[count++] = (struct option){table[i].name, table[i].fill != FILL_FLAG, NULL, FIRST_VALUE + (int)i};
    longs[count] = (struct option){0};
    optind = 0; /* start anew */
    opterr = 0;
    while (!to_program && optind < argc) {
        int at = optind ? optind : 1, which = getopt_long(argc, argv, letters, longs, NULL);
        if (which >= 0) {
            rc |= take_next(options, argv, at, which, accepted, sink);
            continue;
        }
        bool marked = optind > at; /* by --: no options follow */
        to_program = marked || ((accepted & CLI_TAKES_TARGET) && optind < argc && !is_file(argv[optind], accepted));
        if (to_program && !marked)
            note_options_of_program(argv[0], argv + optind, accepted, sink);
        for (bool first = true; optind < argc && (first || to_program); first = false)
            vec_push(&rest, argv[optind++]);
    }
    options->rest = copy_rest(&options->arena, rest.items, rest.count);
    vec_free(&rest);
    if (!options->quiet)
        note_overruled(options, sink);
    return check_values(options, sink) < 0 ? -1 : rc;
}

int cli_check_rest(const struct cli_options *options, const char *command, unsigned most, struct diag_sink *sink)
{
    unsigned count = 0;
    while (options->rest[count])
        count++;
    if (count <= most)
        return 0;
    struct strbuf hint = {0};
    strbuf_addf(&hint, "lockstep %s --help", command);
    int rc = diag_error(sink, DIAG_NOWHERE, hint.text, "lockstep %s does not know what to do with %s", command,
                        options->rest[most]);
    strbuf_free(&hint);
    return rc;
}

bool cli_next_option(unsigned *at, unsigned accepted, struct cli_option *option)
{
    while (*at < TABLE_COUNT) {
        const struct row *row = &table[(*at)++];
        *option = (struct cli_option){row->name, row->fill != FILL_FLAG, row->fill == FILL_LIST};
        if (!row->group || (row->group & accepted))
            return true;
    }
    return false;
}

void cli_free_options(struct cli_options *options)
{
    vec_free(&options->sets);
    vec_free(&options->cases);
    vec_free(&options->cards);
    vec_free(&options->kinds);
    vec_free(&options->fits);
    vec_free(&options->from);
    vec_free(&options->programs);
    vec_free(&options->observers);
    arena_free(&options->arena);
}

int cli_load_machine(struct machine *machine, const struct cli_options *options, struct diag_sink *sink)
{
    if (machine_load(machine, options->machine ? options->machine : CLI_DEFAULT_MACHINE, sink) < 0)
        return -1;
    int rc = 0;
    machine->allow_code = options->allow_code;
    for (size_t i = 0; i < options->sets.count; i++)
        rc |= machine_set(machine, options->sets.items[i], sink);
#define CLI_SETTING(option, parameter)                                                                                 \
    if (options->option)                                                                                               \
        rc |= machine_set(machine, arena_printf(&machine->arena, parameter "=%s", options->option), sink);
#include "cli/settings.def"
#undef CLI_SETTING
    if (options->sched)
        machine_set_scheduler(machine, options->sched);
    if (options->as)
        rc |= departures_take(machine, options->as, sink);
    if (rc == 0)
        rc = machine_check(machine, NULL, sink);
    if (rc < 0)
        machine_free(machine);
    return rc < 0 ? -1 : 0;
}

enum gpu_mode cli_mode(const struct cli_options *options)
{
    return options->mode && strcmp(options->mode, "functional") == 0 ? GPU_FUNCTIONAL : GPU_TIMING;
}

bool cli_is_results(const char *target)
{
    const char *dot = strrchr(target, '.');
    return dot && strcmp(dot, ".json") == 0;
}

bool cli_is_case(const char *target)
{
    const char *dot = strrchr(target, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

int cli_listing(int argc, char **argv, unsigned accepted, unsigned most, const char *usage,
                int (*body)(struct cli_options *options, struct diag_sink *sink))
{
    struct diag_sink sink;
    struct cli_options options;
    int code = CLI_USAGE;
    diag_init(&sink);
    if (cli_parse_options(&options, argc, argv, accepted, &sink) == 0) {
        code = CLI_OK;
        if (options.help)
            cli_printf("%s", usage);
        else if (cli_check_rest(&options, argv[0], most, &sink) < 0)
            code = CLI_USAGE;
        else
            code = body(&options, &sink);
    }
    cli_free_options(&options);
    return cli_finish(&sink, code);
}
