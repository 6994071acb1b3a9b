/* The table of the commands, for whoever runs one, lists them or describes them. */
#include <string.h>

#include "cli/cc.h"
#include "cli/cli.h"

const struct cli_command cli_commands[] = {
#define CLI_COMMAND(name, summary, accepted, usage, rest) {#name, summary, accepted, cli_##name, usage, rest},
#include "cli/commands.def"
#undef CLI_COMMAND
    {0},
};

const struct cli_command *cli_find_command(const char *name)
{
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (strcmp(name, c->name) == 0)
            return c;
    return NULL;
}

void cli_overview(struct strbuf *out)
{
    strbuf_add(out, "usage: lockstep COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (c->summary)
            strbuf_addf(out, "  %-10s %s\n", c->name, c->summary);
    strbuf_add(out, "\n  lockstep help COMMAND      options of a command; lockstep COMMAND --help is the same\n"
                    "  lockstep --version         version\n");
}

void cli_usage(const struct cli_command *command, struct strbuf *out)
{
    strbuf_add(out, command->usage);
    if (command->usage_rest)
        command->usage_rest(out);
}
