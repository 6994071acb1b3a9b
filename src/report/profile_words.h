/* The words by which a kernel's threads exclude each other, for the report of a profile. */
#ifndef LOCKSTEP_REPORT_PROFILE_WORDS_H
#define LOCKSTEP_REPORT_PROFILE_WORDS_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/words.h"
#include "report/profile_lines.h"
#include "report/profile_uses.h"
#include "report/profile_variable.h"

/* A word, its counts added up over launches. */
struct profile_lock_sum {
    const json_t *object; /* of its first launch */
    uint64_t counts[PROFILE_WORD_COUNTS], handed, handovers, most_waited;
    json_t *looks;                        /* instructions by which those that wait only look at it */
    json_t *takes;                        /* instructions that took it: those first whose threads waited most */
    uint64_t waited_at[PROFILE_WORD_PCS]; /* for each of them, cycles that lanes waited, as far as they are known */
    uint64_t by_take[PROFILE_WORD_PCS][PROFILE_TAKE_COUNTS]; /* for each of them */
};
struct profile_words_report {
    VEC(struct profile_lock_sum) words;  /* the most expensive first */
    struct profile_variable_rests rests; /* of words that results do not list: others are held and given */
};

/* The words of all launches of the kernel of that name among result objects, which must outlive it. */
struct profile_words_report *profile_words_read(const json_t *kernels, const char *name);
void profile_words_done(struct profile_words_report *words);
/* True: the first one is in the table. */
bool profile_words_shown(const struct profile_words_report *words, uint64_t warp_cycles);
/* Appends a table of those for which warps waited a hundredth of their cycles and more, if there are such. */
void profile_words_add_table(const struct profile_words_report *words, uint64_t warp_cycles, struct strbuf *out);
/* Appends where the word is taken, "taken at lock.cu:9 (called from main.cu:23)": "called mostly from" where threads of
 * other calls waited too. */
void profile_words_add_taken(const struct profile_lock_sum *word, struct strbuf *out);
/* Appends a sentence on the word that cost most, or on the words of the variable that did (profile_variable.h); nothing
 * where that is less than a twentieth of the warps' cycles. The instructions that take these words are told of. */
void profile_words_add_sentence(const struct profile_words_report *words, const struct profile_lines *lines,
                                struct profile_told *told, struct strbuf *out);

#endif
