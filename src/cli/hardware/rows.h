/* Measurements, of a card or of a machine: rows of CSV as the programs of tools/measure print them, which rows of
 * two sides say the same thing, and how far they lie apart, by kind. Nothing here runs or prints. */
#ifndef LOCKSTEP_CLI_HARDWARE_ROWS_H
#define LOCKSTEP_CLI_HARDWARE_ROWS_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/strmap.h"
#include "base/vec.h"

enum hardware_kind {
#define HARDWARE_KIND(name, aim, doc, use) HARDWARE_##name,
#include "cli/hardware/kinds.def"
    HARDWARE_KINDS,
    HARDWARE_none = HARDWARE_KINDS /* compared with nothing */
};
#define HARDWARE_ALL ((1u << HARDWARE_KINDS) - 1) /* a set of all kinds */

struct hardware_kind_info {
    const char *name;
    double aim; /* per cent */
    const char *doc, *use;
};
extern const struct hardware_kind_info hardware_kinds[HARDWARE_KINDS];
/* The kind of that name, or HARDWARE_none. */
enum hardware_kind hardware_kind_named(const char *name, size_t length);

/* The programs of tools/measure whose figures are compared; NULL-terminated. A file of rows is named by one. */
extern const char *const hardware_programs[];

struct hardware_row {
    const char *program; /* of tools/measure */
    const char *what, *type, *parameter, *unit;
    double value;                    /* the median */
    const char *source, *conditions; /* "" where they were not given */
};

struct hardware_rows {
    struct arena arena;
    VEC(struct hardware_row) list;
    struct strmap places; /* in the list, by what tells rows apart */
};

/* Adds the rows of a file to those that are there. Its columns are named by the first line that is no remark (#):
 * what, type, parameter, median and unit have to be there, source and conditions may be; that line may come again.
 * Returns 0, or -1 with a diagnostic: a column or number is missing, or a row is there twice. */
int hardware_parse(struct hardware_rows *rows, const char *program, const char *file, const char *text,
                   struct diag_sink *sink);
void hardware_rows_free(struct hardware_rows *rows);
/* The row with the program, what, type, parameter and unit of `like`; NULL: there is none. */
const struct hardware_row *hardware_find(const struct hardware_rows *rows, const struct hardware_row *like);
enum hardware_kind hardware_kind_of(const struct hardware_row *row);

/* One thing, measured on both sides. */
struct hardware_pair {
    const struct hardware_row *there, *here; /* on the card; on the machine */
    enum hardware_kind kind;
    double error; /* |here/there - 1|, in per cent */
};
typedef VEC(struct hardware_pair) hardware_pairs;

/* Adds the pairs of a set of kinds, in the order of the card's rows. Figures that are not above 0 make none. */
void hardware_join(const struct hardware_rows *card, const struct hardware_rows *here, unsigned kinds,
                   hardware_pairs *pairs);

#define HARDWARE_WORST 3
#define HARDWARE_ROUNDING 1e-9 /* per cent: an error of just so much as is allowed is within it */
struct hardware_score {
    unsigned rows;          /* of the card that are of this kind */
    unsigned count, within; /* pairs, and those within the aim */
    double mean_error;      /* of the pairs, in per cent */
    double ratio;           /* geometric mean of here/there */
    double correlation;     /* Pearson's, of the logarithms; NaN when either side does not vary */
    const struct hardware_pair *worst[HARDWARE_WORST]; /* by error, the first is the worst; NULL: there are fewer */
};
/* The figures of one kind. */
struct hardware_score hardware_score(const struct hardware_rows *card, const hardware_pairs *pairs,
                                     enum hardware_kind kind);

#endif
