/* The command line: which subcommand is meant, and nothing else. Each has a file of its own. */
#include <stdio.h>
#include <string.h>

#include "base/strmap.h"
#include "cli/cc.h"
#include "cli/cli.h"
#include "cli/identity.h"

static const struct cli_command commands[] = {
    {"run", "runs a CUDA program, or a launch file (.yaml), on a simulated GPU", cli_run},
    {"compare", "runs one program under several schedulers or machines: one table", cli_compare},
    {"validate", "runs the reference cases and compares their cycles with another simulator's", cli_validate},
    {"study", "runs a published evaluation again: its claims beside what is found", cli_study},
    {"timeline", "says what the warps of a run did when, or converts it for Perfetto", cli_timeline},
    {"report", "writes a page on profiled results: what costs what, by line", cli_report},
    {"litmus", "runs litmus tests of the memory model beside what PTX allows", cli_litmus},
    {"check", "explores the coherence protocols state by state, and looks for faults", cli_check},
    {"cc", "builds a CUDA program with clang", cli_cc},
    {"machines", "lists the machines, or prints one with all its parameters", cli_machines},
    {"params", "lists the parameters of a machine", cli_params},
    {"protocols", "lists the coherence protocols, or prints the tables of one", cli_protocols},
    {"stats", "lists the statistics", cli_stats},
    {"explain", "says what a statistic or figure means", cli_explain},
    {"disasm", "prints a PTX file as Lockstep understood it", cli_disasm},
    {"docs", NULL, cli_docs},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static const struct cli_command *find_command(const char *word)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static void usage_text(struct strbuf *out)
{
    strbuf_add(out, "usage: lockstep COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i].summary)
            strbuf_addf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    strbuf_add(out, "\n  lockstep help COMMAND      options of a command; lockstep COMMAND --help is the same\n"
                    "  lockstep --version         version\n");
}

/* `lockstep` alone: there is no command to run. */
static int no_command(void)
{
    struct strbuf text = {0};
    usage_text(&text);
    fputs(strbuf_text(&text), stderr);
    strbuf_free(&text);
    return CLI_USAGE;
}

static int print_usage(void)
{
    struct strbuf text = {0};
    usage_text(&text);
    cli_print(&text);
    return CLI_OK;
}

/* asked: what stands before the word, "help " or nothing. */
static int unknown_command(const char *word, const char *asked)
{
    const char *names[COMMAND_COUNT + 2];
    struct diag_sink sink;
    struct strbuf hint = {0};
    diag_init(&sink);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    names[COMMAND_COUNT] = "help";
    names[COMMAND_COUNT + 1] = NULL;
    const char *near = str_nearest(word, names);
    if (near)
        strbuf_addf(&hint, "did you mean 'lockstep %s%s'?", asked, near);
    else
        strbuf_add(&hint, "lockstep --help lists the commands");
    diag_error(&sink, DIAG_NOWHERE, hint.text, "lockstep has no command '%s'", word);
    strbuf_free(&hint);
    return cli_finish(&sink, CLI_USAGE);
}

/* `lockstep help`, and `lockstep help COMMAND`, which says what the command says to --help. */
static int help(int argc, char **argv)
{
    char option[] = "--help", *arguments[] = {argc > 1 ? argv[1] : NULL, option, NULL};
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_usage();
    const struct cli_command *command = find_command(argv[1]);
    return command ? command->run(2, arguments) : unknown_command(argv[1], "help ");
}

static int run_command(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2)
        return no_command();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_usage();
    if (strcmp(word, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0) {
        cli_printf("lockstep %s, simulator %s\n", LOCKSTEP_VERSION, cli_identity);
        return CLI_OK;
    }
    const struct cli_command *command = find_command(word);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(word, "");
}

int main(int argc, char **argv)
{
    cli_output_begin();
    return cli_output_end(run_command(argc, argv));
}
