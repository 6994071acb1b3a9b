/* The command line: which subcommand is meant, and nothing else. Each has a file of its own. */
#include <stdio.h>
#include <string.h>

#include "base/strmap.h"
#include "cli/cli.h"
#include "cli/identity.h"

/* `lockstep` alone: there is no command to run. */
static int no_command(void)
{
    struct strbuf text = {0};
    cli_overview(&text);
    fputs(strbuf_text(&text), stderr);
    strbuf_free(&text);
    return CLI_USAGE;
}

static int print_usage(void)
{
    struct strbuf text = {0};
    cli_overview(&text);
    cli_print(&text);
    return CLI_OK;
}

/* asked: what stands before the word, "help " or nothing. */
static int unknown_command(const char *word, const char *asked)
{
    VEC(const char *) names = {0};
    struct diag_sink sink;
    struct strbuf hint = {0};
    diag_init(&sink);
    for (const struct cli_command *c = cli_commands; c->name; c++)
        vec_push(&names, c->name);
    vec_push(&names, "help");
    vec_push(&names, NULL);
    const char *near = str_nearest(word, names.items);
    if (near)
        strbuf_addf(&hint, "did you mean 'lockstep %s%s'?", asked, near);
    else
        strbuf_add(&hint, "lockstep --help lists the commands");
    diag_error(&sink, DIAG_NOWHERE, hint.text, "lockstep has no command '%s'", word);
    strbuf_free(&hint);
    vec_free(&names);
    return cli_finish(&sink, CLI_USAGE);
}

/* `lockstep help`, and `lockstep help COMMAND`, which says what the command says to --help. */
static int help(int argc, char **argv)
{
    char option[] = "--help", *arguments[] = {argc > 1 ? argv[1] : NULL, option, NULL};
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_usage();
    const struct cli_command *command = cli_find_command(argv[1]);
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
    const struct cli_command *command = cli_find_command(word);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(word, "");
}

int main(int argc, char **argv)
{
    cli_output_begin();
    return cli_output_end(run_command(argc, argv));
}
