/* Words by which threads exclude each other: see profile_words.h. */
#include "report/profile_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/profile_called.h"
#include "report/profile_uses.h"

#define MOST_WORDS 5        /* of a kernel */
#define LEAST_SHARE 0.01    /* of its warp-cycles, for a row */
#define LEAST_SENTENCE 0.05 /* for a sentence */

static void add_word(struct profile_words_report *report, const json_t *object)
{
    struct profile_lock_sum *word = NULL;
    for (size_t i = 0; i < report->words.count && !word; i++)
        if (!strcmp(profile_uses_name(report->words.items[i].object), profile_uses_name(object)))
            word = &report->words.items[i];
    if (!word) {
        vec_push(&report->words, (struct profile_lock_sum){.object = object});
        word = &report->words.items[report->words.count - 1];
    }
    for (unsigned i = 0; i < PROFILE_WORD_COUNTS; i++)
        profile_uses_count(object, profile_word_name((enum profile_word_count)i), i == PROFILE_WORD_held_most,
                           &word->counts[i]);
    profile_uses_count(object, "most_waited", true, &word->most_waited);
    word->handed += profile_uses_number(object, "handed");
    word->handovers += profile_uses_number(object, "handovers");
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_lock_sum *x = a, *y = b;
    uint64_t of_x = x->counts[PROFILE_WORD_warps_waited], of_y = y->counts[PROFILE_WORD_warps_waited];
    return of_x != of_y ? (of_x < of_y ? 1 : -1) : strcmp(profile_uses_name(x->object), profile_uses_name(y->object));
}

struct profile_words_report *profile_words_read(const json_t *kernels, const char *name)
{
    struct profile_words_report *report = base_calloc(1, sizeof *report);
    size_t i;
    const json_t *word;
    json_t *all = profile_uses_all(kernels, name, "words");
    json_array_foreach(all, i, word) add_word(report, word);
    json_decref(all);
    if (report->words.count)
        qsort(report->words.items, report->words.count, sizeof *report->words.items, by_cost);
    return report;
}

void profile_words_done(struct profile_words_report *report)
{
    vec_free(&report->words);
    free(report);
}

static double share(const struct profile_lock_sum *word, uint64_t warp_cycles)
{
    return profile_uses_ratio(word->counts[PROFILE_WORD_warps_waited], warp_cycles);
}

static bool was_given(const struct profile_lock_sum *word)
{
    return word->counts[PROFILE_WORD_given];
}

static void add_row(const struct profile_lock_sum *word, uint64_t warp_cycles, struct strbuf *out)
{
    const uint64_t *n = word->counts;
    strbuf_addf(out, "%5.1f%%  %8" PRIu64 "  %8" PRIu64 "  %8.0f  %7.0f  %7" PRIu64 "  %s\n",
                100 * share(word, warp_cycles), n[PROFILE_WORD_taken],
                n[PROFILE_WORD_failed] + n[PROFILE_WORD_failed_inside],
                profile_uses_ratio(n[PROFILE_WORD_held], n[PROFILE_WORD_given]),
                profile_uses_ratio(word->handed, word->handovers), word->most_waited, profile_uses_name(word->object));
    strbuf_add(out, "        ");
    profile_uses_add_taken(word->object, out);
    profile_uses_add_given(word->object, was_given(word), out);
    strbuf_add(out, "\n");
}

bool profile_words_shown(const struct profile_words_report *report, uint64_t warp_cycles)
{
    return report->words.count && share(&report->words.items[0], warp_cycles) >= LEAST_SHARE;
}

void profile_words_add_table(const struct profile_words_report *report, uint64_t warp_cycles, struct strbuf *out)
{
    for (size_t i = 0; i < report->words.count && i < MOST_WORDS; i++) {
        const struct profile_lock_sum *word = &report->words.items[i];
        if (share(word, warp_cycles) < LEAST_SHARE)
            return;
        if (!i)
            strbuf_add(out, " wait      taken    failed      held   handed  waiting  word\n");
        add_row(word, warp_cycles, out);
    }
}

/* Where the word is taken, over the calls there if that is one place. */
static void add_taken(const struct profile_lines *lines, const json_t *word, struct strbuf *out)
{
    const json_t *takes = json_object_get(word, "takes");
    struct strbuf places = {0};
    if (profile_uses_add_places(takes, &places) > 1) {
        profile_uses_add_taken(word, out);
    } else {
        strbuf_add(out, "taken at ");
        profile_called_add_place(lines, json_array_get(takes, 0), out);
    }
    strbuf_free(&places);
}

void profile_words_add_sentence(const struct profile_words_report *report, const struct profile_lines *lines,
                                struct strbuf *out)
{
    uint64_t warp_cycles = lines->sum.total;
    const struct profile_lock_sum *word = report->words.count ? &report->words.items[0] : NULL;
    if (!word || share(word, warp_cycles) < LEAST_SENTENCE)
        return;
    strbuf_addf(out, "%.0f%% of warp-cycles have a thread that waits for %s %s", 100 * share(word, warp_cycles),
                was_given(word) ? "lock" : "word", profile_uses_name(word->object));
    strbuf_add(out, ", ");
    add_taken(lines, word->object, out);
    if (was_given(word))
        strbuf_addf(out, " and held %.0f cycles at a time by %" PRIu64 " sections",
                    profile_uses_ratio(word->counts[PROFILE_WORD_held], word->counts[PROFILE_WORD_given]),
                    word->counts[PROFILE_WORD_given]);
    profile_uses_add_given(word->object, was_given(word), out);
    strbuf_add(out, ".");
}
