/* Words of one variable or allocation, for which threads wait here and there: arrays of locks and of flags. Each of
 * their words may cost next to nothing where all of them together are what a kernel waits for. */
#ifndef LOCKSTEP_REPORT_PROFILE_VARIABLE_H
#define LOCKSTEP_REPORT_PROFILE_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"

struct profile_variable_word {
    const char *name; /* "locks+8": of the variable `locks` */
    uint64_t waited;  /* warp-cycles */
};
/* Words of a variable that are not among those, added up. */
struct profile_variable_rest {
    const char *name;
    uint64_t words, waited, others[2]; /* others: of the caller */
};
struct profile_variable_rests {
    VEC(struct profile_variable_rest) of;
};
struct profile_variable {
    const char *name; /* of the variable: the first so many bytes */
    size_t bytes;
    size_t first;    /* number of its word for which most was waited */
    unsigned listed; /* of its words */
    uint64_t count;  /* and those that are not */
    bool alone;      /* the first word alone is worth a sentence: of the others none cost half as much */
    uint64_t waited; /* for the first word; for all of the variable, added up, where it is not alone */
};

/* Those of all launches of the kernel of that name among result objects, from their profiles' array `member`. waited: the
 * name of the count of warp-cycles; others: of two more. To be freed by vec_free. */
void profile_variable_rests_read(struct profile_variable_rests *rests, const json_t *kernels, const char *name,
                                 const char *member, const char *waited, const char *const *others);
/* Those of the variable; NULL: all of its words are listed, or the sentence is on one alone. */
const struct profile_variable_rest *profile_variable_rest_of(const struct profile_variable *variable,
                                                             const struct profile_variable_rests *rests);
/* The variable to speak of. words: the most expensive first, one at least. If the first word stands out of its variable
 * and costs `least` and more, it is that; else the variable whose words cost most together. */
struct profile_variable profile_variable_of(const struct profile_variable_word *words, size_t count,
                                            const struct profile_variable_rests *rests, uint64_t least);
/* True if a word of that name is one of the variable's of which a sentence tells: of one that is alone, the first. */
bool profile_variable_has(const struct profile_variable *variable, const struct profile_variable_word *words, size_t n);

/* Appends what a sentence says of the words of a variable that is not alone: "1024 locks of cool (64 of them
 * listed)". */
void profile_variable_add_words(const struct profile_variable *variable, const char *kind, struct strbuf *out);

#endif
