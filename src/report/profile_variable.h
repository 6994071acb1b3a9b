/* Words of one variable or allocation, for which threads wait here and there: arrays of locks and of flags. Each of
 * their words may cost next to nothing where all of them together are what a kernel waits for. */
#ifndef LOCKSTEP_REPORT_PROFILE_VARIABLE_H
#define LOCKSTEP_REPORT_PROFILE_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_variable_word {
    const char *name; /* "locks+8": of the variable `locks` */
    uint64_t waited;  /* warp-cycles */
};
struct profile_variable {
    const char *name; /* of the variable: the first so many bytes */
    size_t bytes;
    size_t first;    /* number of its word for which most was waited */
    unsigned count;  /* of its words */
    bool alone;      /* the first word alone is worth a sentence: of the others none cost half as much */
    uint64_t waited; /* for the first word; for all of the variable, added up, where it is not alone */
};

/* The variable to speak of. words: the most expensive first, one at least. If the first word stands out of its variable
 * and costs `least` and more, it is that; else the variable whose words cost most together. */
struct profile_variable profile_variable_of(const struct profile_variable_word *words, size_t count, uint64_t least);
/* True if a word of that name is one of the variable's of which a sentence tells: of one that is alone, the first. */
bool profile_variable_has(const struct profile_variable *variable, const struct profile_variable_word *words, size_t n);

#endif
