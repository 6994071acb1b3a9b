/* Options that several subcommands take. One table serves all; a subcommand names the groups it accepts, so that an
 * option means the same everywhere. Options may stand before and after other arguments, but for those of a program that
 * is run: what follows its name belongs to it. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "cli/cli.h"
#include "config/yaml.h"

enum {
    OPTION_MACHINE = 256,
    OPTION_SET,
    OPTION_SCHED,
    OPTION_SEED,
    OPTION_MODE,
    OPTION_MAX_CYCLES,
    OPTION_MAX_SECONDS,
    OPTION_HANG_REPORT,
    OPTION_THREADS,
    OPTION_NO_SKIP,
    OPTION_CHECK,
    OPTION_CHECKPOINT_EVERY,
    OPTION_CHECKPOINT,
    OPTION_RESUME,
    OPTION_STATS,
    OPTION_QUIET,
    OPTION_KERNELS,
    OPTION_KERNEL,
    OPTION_CASE,
    OPTION_JOBS,
    OPTION_REFERENCE,
    OPTION_AS_REFERENCE,
    OPTION_FIXED_ORDER,
    OPTION_DEPARTURES,
    OPTION_HTML,
    OPTION_HELP
};

static const struct {
    struct option option;
    unsigned group; /* enum cli_accept, 0: always */
} table[] = {
    {{"machine", required_argument, NULL, OPTION_MACHINE}, CLI_TAKES_MACHINE},
    {{"set", required_argument, NULL, OPTION_SET}, CLI_TAKES_MACHINE},
    {{"sched", required_argument, NULL, OPTION_SCHED}, CLI_TAKES_RUN | CLI_TAKES_RECORDS},
    {{"seed", required_argument, NULL, OPTION_SEED}, CLI_TAKES_RUN},
    {{"mode", required_argument, NULL, OPTION_MODE}, CLI_TAKES_RUN},
    {{"max-cycles", required_argument, NULL, OPTION_MAX_CYCLES}, CLI_TAKES_RUN},
    {{"max-seconds", required_argument, NULL, OPTION_MAX_SECONDS}, CLI_TAKES_RUN},
    {{"threads", required_argument, NULL, OPTION_THREADS}, CLI_TAKES_RUN},
    {{"no-skip", no_argument, NULL, OPTION_NO_SKIP}, CLI_TAKES_RUN},
    {{"check", required_argument, NULL, OPTION_CHECK}, CLI_TAKES_RUN},
    {{"checkpoint-every", required_argument, NULL, OPTION_CHECKPOINT_EVERY}, CLI_TAKES_CHECKPOINT},
    {{"checkpoint", required_argument, NULL, OPTION_CHECKPOINT}, CLI_TAKES_CHECKPOINT},
    {{"resume", required_argument, NULL, OPTION_RESUME}, CLI_TAKES_CHECKPOINT},
    {{"hang-report", required_argument, NULL, OPTION_HANG_REPORT}, CLI_TAKES_REPORT},
    {{"stats", required_argument, NULL, OPTION_STATS}, CLI_TAKES_OUTPUT},
    {{"quiet", no_argument, NULL, OPTION_QUIET}, CLI_TAKES_OUTPUT},
    {{"kernels", no_argument, NULL, OPTION_KERNELS}, CLI_TAKES_KERNELS},
    {{"kernel", required_argument, NULL, OPTION_KERNEL}, CLI_TAKES_KERNEL},
    {{"case", required_argument, NULL, OPTION_CASE}, CLI_TAKES_RECORDS},
    {{"jobs", required_argument, NULL, OPTION_JOBS}, CLI_TAKES_RECORDS},
    {{"reference", required_argument, NULL, OPTION_REFERENCE}, CLI_TAKES_RECORDS},
    {{"as-reference", no_argument, NULL, OPTION_AS_REFERENCE}, CLI_TAKES_RECORDS},
    {{"fixed-order", no_argument, NULL, OPTION_FIXED_ORDER}, CLI_TAKES_RECORDS},
    {{"departures", no_argument, NULL, OPTION_DEPARTURES}, CLI_TAKES_DEPARTURES},
    {{"html", required_argument, NULL, OPTION_HTML}, CLI_TAKES_RECORDS},
    {{"help", no_argument, NULL, OPTION_HELP}, 0},
};
#define TABLE_COUNT (sizeof table / sizeof *table)

static void unknown_option(const char *command, const char *word, unsigned accepted, struct diag_sink *sink)
{
    const char *names[TABLE_COUNT + 1];
    unsigned count = 0;
    char plain[64], hint[96] = "";
    snprintf(plain, sizeof plain, "%s", word + strspn(word, "-"));
    plain[strcspn(plain, "=")] = '\0';
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        if (!table[i].group || (table[i].group & accepted))
            names[count++] = table[i].option.name;
    names[count] = NULL;
    const char *near = str_nearest(plain, names);
    if (near)
        snprintf(hint, sizeof hint, "did you mean --%s?", near);
    else
        snprintf(hint, sizeof hint, "lockstep %s --help lists the options", command);
    diag_error(sink, DIAG_NOWHERE, hint, "lockstep %s has no option %s", command, word);
}

static void take(struct cli_options *options, int which)
{
    switch (which) {
    case OPTION_MACHINE:
        options->machine = optarg;
        break;
    case OPTION_SET:
        vec_push(&options->sets, optarg);
        break;
    case OPTION_SCHED:
        options->sched = optarg;
        break;
    case OPTION_SEED:
        options->seed = optarg;
        break;
    case OPTION_MODE:
        options->mode = optarg;
        break;
    case OPTION_MAX_CYCLES:
        options->max_cycles = optarg;
        break;
    case OPTION_MAX_SECONDS:
        options->max_seconds = optarg;
        break;
    case OPTION_THREADS:
        options->threads = optarg;
        break;
    case OPTION_NO_SKIP:
        options->no_skip = true;
        break;
    case OPTION_CHECK:
        options->check = optarg;
        break;
    case OPTION_CHECKPOINT_EVERY:
        options->checkpoint_every = optarg;
        break;
    case OPTION_CHECKPOINT:
        options->checkpoint = optarg;
        break;
    case OPTION_RESUME:
        options->resume = optarg;
        break;
    case OPTION_HANG_REPORT:
        options->hang_report = optarg;
        break;
    case OPTION_STATS:
        options->stats = optarg;
        break;
    case OPTION_QUIET:
        options->quiet = true;
        break;
    case OPTION_KERNELS:
        options->kernels = true;
        break;
    case OPTION_KERNEL:
        options->kernel = optarg;
        break;
    case OPTION_CASE:
        vec_push(&options->cases, optarg);
        break;
    case OPTION_JOBS:
        options->jobs = optarg;
        break;
    case OPTION_REFERENCE:
        options->reference = optarg;
        break;
    case OPTION_AS_REFERENCE:
        options->as_reference = true;
        break;
    case OPTION_FIXED_ORDER:
        options->fixed_order = true;
        break;
    case OPTION_DEPARTURES:
        options->departures = true;
        break;
    case OPTION_HTML:
        options->html = optarg;
        break;
    default:
        options->help = true;
        break;
    }
}

/* A plain decimal number above 0 and below 10^9. */
static bool parse_seconds(const char *text, double *value)
{
    char *end;
    if (text[strspn(text, "0123456789.")])
        return false;
    *value = strtod(text, &end);
    return end != text && !*end && *value > 0 && *value < 1e9;
}

static int check_values(struct cli_options *options, struct diag_sink *sink)
{
    int rc = 0;
    if (options->mode && strcmp(options->mode, "timing") != 0 && strcmp(options->mode, "functional") != 0)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--mode %s: expected timing or functional", options->mode);
    if (options->check && strcmp(options->check, "sync") != 0)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--check %s: expected sync", options->check);
    if (options->max_cycles && !config_parse_u64(options->max_cycles, &options->max_cycles_value))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--max-cycles %s: expected a number of cycles", options->max_cycles);
    if (options->max_seconds && !parse_seconds(options->max_seconds, &options->max_seconds_value))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--max-seconds %s: expected a number of seconds above 0",
                        options->max_seconds);
    if (options->threads && (!config_parse_u64(options->threads, &options->threads_value) ||
                             options->threads_value < 1 || options->threads_value > 64))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--threads %s: expected a number from 1 to 64", options->threads);
    if (options->checkpoint_every && (!config_parse_u64(options->checkpoint_every, &options->checkpoint_every_value) ||
                                      options->checkpoint_every_value == 0))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--checkpoint-every %s: expected a number of cycles above 0",
                        options->checkpoint_every);
    if (options->jobs && (!config_parse_u64(options->jobs, &options->jobs_value) || options->jobs_value < 1 ||
                          options->jobs_value > 1024))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "--jobs %s: expected a number from 1 to 1024", options->jobs);
    return rc;
}

/* One option, or what is wrong with it; it stands at argv[at]. */
static int take_next(struct cli_options *options, char **argv, int at, int which, unsigned accepted,
                     struct diag_sink *sink)
{
    if (which == ':')
        return diag_error(sink, DIAG_NOWHERE, NULL, "%s needs a value", argv[at]);
    if (which == '?' && optopt >= OPTION_MACHINE)
        return diag_error(sink, DIAG_NOWHERE, NULL, "%.*s takes no value", (int)strcspn(argv[at], "="), argv[at]);
    if (which == '?') {
        unknown_option(argv[0], argv[at], accepted, sink);
        if (optind == at)
            optind++; /* in the middle of a word of short options: go on behind it */
        return -1;
    }
    take(options, which);
    return 0;
}

/* Whether `word` is exactly one of the options that a subcommand takes, with or without a value. */
static bool is_own_option(const char *word, unsigned accepted)
{
    size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (unsigned i = 0; n && i < TABLE_COUNT; i++)
        if ((table[i].group & accepted) && strlen(table[i].option.name) == n &&
            strncmp(word + 2, table[i].option.name, n) == 0)
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

int cli_parse_options(struct cli_options *options, int argc, char **argv, unsigned accepted, struct diag_sink *sink)
{
    struct option longs[TABLE_COUNT + 1];
    unsigned count = 0;
    int rc = 0;
    bool to_program = false;
    VEC(char *) rest = {0};
    *options = (struct cli_options){0};
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        if (!table[i].group || (table[i].group & accepted))
            longs[count++] = table[i].option;
    longs[count] = (struct option){0};
    optind = 0; /* start anew */
    opterr = 0;
    while (!to_program && optind < argc) {
        int at = optind ? optind : 1, which = getopt_long(argc, argv, "+:h", longs, NULL);
        if (which >= 0) {
            rc |= take_next(options, argv, at, which, accepted, sink);
            continue;
        }
        bool marked = optind > at; /* by --: no options follow */
        to_program = marked || ((accepted & CLI_TAKES_TARGET) && optind < argc && !cli_is_case(argv[optind]));
        if (to_program && !marked)
            note_options_of_program(argv[0], argv + optind, accepted, sink);
        for (bool first = true; optind < argc && (first || to_program); first = false)
            vec_push(&rest, argv[optind++]);
    }
    options->rest = copy_rest(&options->arena, rest.items, rest.count);
    vec_free(&rest);
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

void cli_free_options(struct cli_options *options)
{
    vec_free(&options->sets);
    vec_free(&options->cases);
    arena_free(&options->arena);
}

int cli_load_machine(struct machine *machine, const struct cli_options *options, struct diag_sink *sink)
{
    if (machine_load(machine, options->machine ? options->machine : CLI_DEFAULT_MACHINE, sink) < 0)
        return -1;
    int rc = 0;
    for (size_t i = 0; i < options->sets.count; i++)
        rc |= machine_set(machine, options->sets.items[i], sink);
    if (options->seed)
        rc |= machine_set(machine, arena_printf(&machine->arena, "gpu.seed=%s", options->seed), sink);
    if (options->sched)
        rc |= machine_set_scheduler(machine, options->sched, sink);
    if (rc == 0)
        rc = machine_check(machine, sink);
    if (rc < 0)
        machine_free(machine);
    return rc < 0 ? -1 : 0;
}

enum gpu_mode cli_mode(const struct cli_options *options)
{
    return options->mode && strcmp(options->mode, "functional") == 0 ? GPU_FUNCTIONAL : GPU_TIMING;
}

bool cli_is_case(const char *target)
{
    const char *dot = strrchr(target, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

int cli_listing(int argc, char **argv, unsigned accepted, const char *usage,
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
        else if (cli_check_rest(&options, argv[0], 1, &sink) < 0)
            code = CLI_USAGE;
        else
            code = body(&options, &sink);
    }
    cli_free_options(&options);
    return cli_finish(&sink, code);
}
