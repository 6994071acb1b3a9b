/* Parameter tables. A room declares its parameters once in a .def file and expands it twice: to the fields of a struct and to
 * a table of descriptors. Defaults, range checks, the YAML loader, `--set`, the documentation and the resolved machine in every
 * result all come from the descriptors. Nothing here knows a unit's name.
 *
 * A .def file has rows
 *     PARAM_U32(name, default, min, max, "unit", "what it is")
 *     PARAM_DECIMAL(name, default, min, max, "unit", "what it is")   three places behind the point: the field holds thousandths
 *     PARAM_BOOL(name, default, "what it is")
 *     PARAM_ENUM(name, default_index, choices, "what it is")     choices: a NULL-terminated `const char *const []`
 *     PARAM_STR(name, "default", "what it is")
 * PARAM_U32_QUIET, PARAM_BOOL_QUIET, PARAM_ENUM_QUIET and PARAM_STR_QUIET are parameters that came after results had been published: a result says their
 * value only where it is not the default, so that results of the same machine stay the same.
 * and the room writes
 *     struct l2_params {
 *     #include "config/param_fields.h"
 *     #include "memory/l2_params.def"
 *     #include "config/param_end.h"
 *     };
 * and once, in a .c file,
 *     static const struct param_desc l2_param_descs[] = {
 *     #define PARAM_STRUCT struct l2_params
 *     #include "config/param_descs.h"
 *     #include "memory/l2_params.def"
 *     #include "config/param_end.h"
 *     };
 *
 * What values of several parameters cannot work together stands beside the tables in files NAME_rules.def with rows
 *     RULE(condition under which the machine can work, "the parameters' names", "why it cannot otherwise")
 * The machine expands them all (gpu/machine.c, which says what the conditions can name) and reports the broken ones
 * with param_conflict.
 */
#ifndef LOCKSTEP_CONFIG_PARAM_H
#define LOCKSTEP_CONFIG_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum param_type { PARAM_TYPE_U32, PARAM_TYPE_DECIMAL, PARAM_TYPE_BOOL, PARAM_TYPE_ENUM, PARAM_TYPE_STR };

struct param_desc {
    const char *name;
    enum param_type type;
    size_t offset;                 /* of the field: uint32_t, thousandths in a uint32_t, bool, uint32_t index, const char * */
    uint64_t default_value;        /* U32, DECIMAL, BOOL, ENUM */
    uint64_t min, max;             /* U32, DECIMAL */
    const char *const *choices;    /* ENUM: NULL-terminated */
    const char *default_text;      /* STR */
    const char *unit, *doc;
    bool quiet;                    /* left out of results where it has its default */
};

/* Where a parameter was given its value last. */
struct param_place {
    uint32_t order;          /* of that assignment among all, from 1; 0: it has its default */
    struct diag_pos pos;     /* of the value in a file; nowhere for an assignment from the command line */
    const char *source_line; /* that line of the file, or NULL */
    unsigned span;           /* characters of the value */
};

/* A named group of parameters and the struct that holds its values: `l2.sets` is parameter `sets` of group `l2`. */
struct param_group {
    const char *name, *doc;
    const struct param_desc *params;
    unsigned count;
    void *values;
    struct param_place *places; /* of each parameter, zeroed at first; NULL: not kept */
};

/* Writes every parameter's default. STR values point to the table's own text. */
void param_defaults(const struct param_group *groups, unsigned count);
/* Sets `group.name` from text; errors name the nearest known parameter, the range and the unit. What stays is copied to
 * arena. */
int param_set(const struct param_group *groups, unsigned count, struct arena *arena, const char *name, const char *text,
              struct diag_pos pos, struct diag_sink *sink);
/* Applies a YAML document: a mapping of group name to a mapping of parameter to value. Keys whose group is in `ignored`
 * (NULL-terminated, may be NULL) are left to the caller. All errors are reported, not only the first. file names the text in
 * errors. */
int param_load_yaml(const struct param_group *groups, unsigned count, struct arena *arena, const char *file, const char *text,
                    const char *const *ignored, struct diag_sink *sink);
/* Reports values that cannot work together, and why, where the one of them that was set last stands. names: parameters
 * in full, separated by blanks; the values of all are told. Returns -1. */
int param_conflict(const struct param_group *groups, unsigned count, const char *names, const char *why,
                   struct diag_sink *sink);
/* Returns true if the parameter has its default value. */
bool param_is_default(const struct param_group *group, const struct param_desc *param);
/* Appends thousandths as a decimal number without idle zeros: 1500 is 1.5. */
void param_format_decimal(uint64_t thousandths, struct strbuf *out);
/* Appends the value as YAML takes it; so does the command line, but for texts that YAML wants in quotes. */
void param_format(const struct param_group *group, const struct param_desc *param, struct strbuf *out);

#endif
