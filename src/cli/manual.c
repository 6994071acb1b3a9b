/* Manual pages, made of what the commands say to --help: lockstep(1) and a lockstep-COMMAND(1) for each. */
#include <string.h>

#include "base/file.h"
#include "cli/describe.h"
#include "cli/help.h"

/* Appends text so that troff prints it as it is. */
static void add_plain(const char *text, struct strbuf *out)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            strbuf_add(out, "\\&");
        if (*text == '\\' || *text == '-')
            strbuf_addf(out, "\\%c", *text == '\\' ? 'e' : '-');
        else
            strbuf_addn(out, text, 1);
        begins = *text == '\n';
    }
}

/* A line of its own: macro, then the text. */
static void add_line(const char *macro, const char *text, struct strbuf *out)
{
    strbuf_add(out, macro);
    add_plain(text, out);
    strbuf_add(out, "\n");
}

static void begin_page(const char *name, const char *summary, struct strbuf *out)
{
    strbuf_add(out, ".\\\" Written by `lockstep docs --man` from the tables in src/cli: edit those.\n.TH ");
    for (const char *p = name; *p; p++)
        strbuf_addf(out, "%c", *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
    strbuf_add(out, " 1 \"\" \"Lockstep " LOCKSTEP_VERSION "\" \"Lockstep\"\n.nh\n.ad l\n.SH NAME\n");
    add_plain(name, out);
    strbuf_add(out, " \\- ");
    add_line("", summary, out);
}

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The heading under which a part stands, when that is another one than so far. */
static const char *heading_of(const struct help_part *part, const char *now)
{
    if (part->kind == HELP_SYNOPSIS)
        return "SYNOPSIS";
    if (begins_with(part->text, "Exit code"))
        return "EXIT STATUS";
    if (part->kind == HELP_ENTRY && *part->term == '-')
        return "OPTIONS";
    return strcmp(now, "SYNOPSIS") == 0 ? "DESCRIPTION" : now;
}

/* first: behind a heading, which begins a paragraph. */
static void add_part(const struct help_part *part, bool first, struct strbuf *out)
{
    switch (part->kind) {
    case HELP_SYNOPSIS:
        add_line(".nf\n", part->text, out);
        strbuf_add(out, ".fi\n");
        break;
    case HELP_TEXT:
        add_line(first ? "" : ".PP\n", part->text, out);
        break;
    case HELP_ENTRY:
        strbuf_add(out, ".TP\n\\fB");
        add_plain(part->term, out);
        strbuf_add(out, "\\fR\n");
        add_line("", part->text, out);
        break;
    case HELP_TABLE:
        add_line(first ? ".nf\n" : ".PP\n.nf\n", part->text, out);
        strbuf_add(out, ".fi\n");
        break;
    }
}

static void command_page(const struct cli_command *command, struct strbuf *out)
{
    struct strbuf usage = {0}, name = {0};
    struct help help;
    const char *heading = "";
    cli_usage(command, &usage);
    help_read(&help, strbuf_text(&usage));
    strbuf_addf(&name, "lockstep-%s", command->name);
    begin_page(name.text, command->summary, out);
    for (size_t i = 0; i < help.parts.count; i++) {
        const struct help_part *part = &help.parts.items[i];
        const char *next = heading_of(part, heading);
        bool first = strcmp(next, heading) != 0;
        if (first)
            strbuf_addf(out, ".SH \"%s\"\n", next);
        heading = next;
        add_part(part, first, out);
    }
    strbuf_add(
        out, ".SH \"SEE ALSO\"\n.BR lockstep (1).\n"
             "The pages that are named docs/ lie in share/doc/lockstep below the place where Lockstep is installed.\n");
    help_free(&help);
    strbuf_free(&usage);
    strbuf_free(&name);
}

static void overview_page(struct strbuf *out)
{
    begin_page("lockstep", "simulates a GPU cycle by cycle, for the study of synchronization", out);
    strbuf_add(out, ".SH SYNOPSIS\n.nf\nlockstep COMMAND [OPTIONS] [ARGUMENTS]\nlockstep help COMMAND\nlockstep "
                    "\\-\\-version\n.fi\n"
                    ".SH COMMANDS\n");
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (c->summary) {
            strbuf_addf(out, ".TP\n.BR lockstep\\-%s (1)\n", c->name);
            add_line("", c->summary, out);
        }
    strbuf_add(out, ".SH FILES\nBelow the place where Lockstep is installed:\n"
                    ".TP\n.I share/doc/lockstep/\nREADME.md, to begin with, and the pages of docs/\n"
                    ".TP\n.I share/lockstep/\nexamples, workloads, studies, machines, the CUDA headers of lockstep cc\n"
                    ".TP\n.I lib/lockstep/\nthe CUDA runtime library of programs under lockstep run, where no other "
                    "program looks for it\n"
                    ".TP\n.I include/lockstep/\nheaders for warp schedulers and observers of your own\n");
}

static int write_manual(const char *folder, const char *name, struct strbuf *text, struct diag_sink *sink)
{
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/%s.1", folder, name);
    int rc = file_write(path.text, strbuf_text(text), text->length, sink);
    strbuf_free(&path);
    strbuf_free(text);
    return rc;
}

int manual_write(const char *folder, struct diag_sink *sink)
{
    struct strbuf text = {0};
    overview_page(&text);
    int rc = write_manual(folder, "lockstep", &text, sink);
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        struct strbuf name = {0};
        if (!c->summary)
            continue;
        strbuf_addf(&name, "lockstep-%s", c->name);
        command_page(c, &text);
        rc |= write_manual(folder, name.text, &text, sink);
        strbuf_free(&name);
    }
    return rc;
}
