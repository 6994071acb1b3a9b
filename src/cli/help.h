/* The help of a command in its parts, for the pages and completions that are made of it. The help stays the one place
 * where options are explained, and this reads it as a reader does: by its indentation. */
#ifndef LOCKSTEP_CLI_HELP_H
#define LOCKSTEP_CLI_HELP_H

#include "base/arena.h"
#include "base/vec.h"
#include "cli/cli.h"

enum help_kind {
    HELP_SYNOPSIS, /* text: a form of the command */
    HELP_TEXT,     /* text: a paragraph */
    HELP_ENTRY,    /* term: options, or a word; text: their meaning */
    HELP_TABLE,    /* text: lines of a table, as they are */
};

struct help_part {
    enum help_kind kind;
    const char *term, *text;
};

struct help {
    VEC(struct help_part) parts;
    struct arena arena;
};

/* Reads a text as cli_usage and cli_overview give it. To be freed. */
void help_read(struct help *help, const char *usage);
void help_free(struct help *help);

/* The next word that begins with a dash in a term such as "-o, --out FILE": *at begins with the term and moves on.
 * Returns its length, 0 behind the last. value, *length: what stands behind it for its value, NULL when it takes none.
 */
size_t help_next_option(const char **at, const char **word, const char **value, size_t *value_length);
/* The entry in whose term the option stands, or NULL; option: with its dashes, and with a '=' when its value stands in
 * the same word. */
const struct help_part *help_find(const struct help *help, const char *option);

#endif
