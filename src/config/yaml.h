/* YAML text as a small tree in which every key and value knows its line and column. Machine files and launch files are
 * read through it, so that their errors look the same. Left out on purpose: anchors, aliases, tags and several
 * documents in a file. */
#ifndef LOCKSTEP_CONFIG_YAML_H
#define LOCKSTEP_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    unsigned line, column;       /* from 1 */
    bool quoted;                 /* a scalar in quotes or a block scalar: text even if it looks like a number */
    const char *text;            /* scalars; "" for a value that was left out */
    struct yaml_node *children;  /* first element or entry */
    struct yaml_node *next;      /* its successor */
    const struct yaml_node *key; /* of an entry of a mapping: a scalar */
};

struct yaml_doc {
    const char *file; /* for messages */
    const char *text; /* the whole text */
    size_t length;
    const size_t *lines; /* where each begins in text */
    unsigned line_count;
    struct yaml_node *root;
};

/* Parses one document; nodes live in arena, file and text must outlive the document. An empty text is an empty mapping.
 * Returns 0, or -1 with diagnostics. Whatever bytes text holds, it never reads outside [0, length). */
int yaml_parse(struct yaml_doc *doc, struct arena *arena, const char *file, const char *text, size_t length,
               struct diag_sink *sink);
/* The value of a key of a mapping, or NULL; also when node is not a mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key);
/* Adds an error at the node, with its line of text and a mark; returns -1. */
int yaml_error(const struct yaml_doc *doc, const struct yaml_node *node, struct diag_sink *sink, const char *hint,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The line of text on which the node stands, copied to arena. */
const char *yaml_source_line(const struct yaml_doc *doc, const struct yaml_node *node, struct arena *arena);
/* "a scalar", "a sequence", "a mapping": for messages. */
const char *yaml_kind_name(enum yaml_kind kind);

/* An unsigned number, decimal or 0x hexadecimal, that takes the whole text. False if it is none or exceeds 64 bits. */
bool config_parse_u64(const char *text, uint64_t *value);

#endif
