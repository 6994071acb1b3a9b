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
#define LEAST_OTHERS 0.05   /* of the waits at a line: other calls of it are spoken of */

/* Adds the waits that began at each of the word's instructions, of a launch: results have them of the words for which
 * most was waited. */
static void add_waited_at(struct profile_lock_sum *word, const json_t *object)
{
    size_t i;
    const json_t *edge;
    json_array_foreach(json_object_get(object, "graph_sites"), i, edge)
    {
        uint64_t pc = profile_uses_number(json_object_get(edge, "from"), "pc");
        for (size_t n = 0; n < json_array_size(word->takes) && n < PROFILE_WORD_PCS; n++)
            if (profile_uses_number(json_array_get(word->takes, n), "pc") == pc)
                word->waited_at[n] += profile_uses_number(edge, "cycles");
    }
}

static void add_looks(struct profile_lock_sum *word, const json_t *object)
{
    size_t i;
    json_t *look;
    json_array_foreach(json_object_get(object, "looked_at"), i, look)
    {
        size_t n = 0;
        while (n < json_array_size(word->looks) &&
               profile_uses_number(json_array_get(word->looks, n), "pc") != profile_uses_number(look, "pc"))
            n++;
        if (n == json_array_size(word->looks))
            json_array_append(word->looks, look);
    }
}

static void add_takes(struct profile_lock_sum *word, const json_t *object)
{
    size_t i;
    const json_t *take;
    json_array_foreach(json_object_get(object, "takes"), i, take)
    {
        size_t n = 0;
        while (n < PROFILE_WORD_PCS && n < json_array_size(word->takes) &&
               profile_uses_number(json_array_get(word->takes, n), "pc") != profile_uses_number(take, "pc"))
            n++;
        for (unsigned c = 0; c < PROFILE_TAKE_COUNTS && n < PROFILE_WORD_PCS && n < json_array_size(word->takes); c++)
            profile_uses_count(take, profile_take_name(c), false, &word->by_take[n][c]);
    }
}

/* Sorts the word's instructions; of those whose threads waited as long, the first one stays so. */
static void sort_takes(struct profile_lock_sum *word)
{
    json_t *sorted = json_array();
    uint64_t waited[PROFILE_WORD_PCS] = {0}, by_take[PROFILE_WORD_PCS][PROFILE_TAKE_COUNTS] = {{0}};
    bool has[PROFILE_WORD_PCS] = {0};
    size_t count = json_array_size(word->takes);
    count = count < PROFILE_WORD_PCS ? count : PROFILE_WORD_PCS;
    for (size_t i = 0; i < count; i++) {
        size_t best = count;
        for (size_t n = 0; n < count; n++)
            if (!has[n] && (best == count || word->waited_at[n] > word->waited_at[best]))
                best = n;
        has[best] = true;
        waited[i] = word->waited_at[best];
        memcpy(by_take[i], word->by_take[best], sizeof by_take[i]);
        json_array_append(sorted, json_array_get(word->takes, best));
    }
    json_decref(word->takes);
    word->takes = sorted;
    memcpy(word->waited_at, waited, sizeof waited);
    memcpy(word->by_take, by_take, sizeof by_take);
}

static void add_word(struct profile_words_report *report, const json_t *object)
{
    struct profile_lock_sum *word = NULL;
    for (size_t i = 0; i < report->words.count && !word; i++)
        if (!strcmp(profile_uses_name(report->words.items[i].object), profile_uses_name(object)))
            word = &report->words.items[i];
    if (!word) {
        json_t *takes = json_array();
        json_array_extend(takes, json_object_get(object, "takes"));
        vec_push(&report->words, (struct profile_lock_sum){.object = object, .takes = takes, .looks = json_array()});
        word = &report->words.items[report->words.count - 1];
    }
    for (unsigned i = 0; i < PROFILE_WORD_COUNTS; i++)
        profile_uses_count(object, profile_word_name(i), i == PROFILE_WORD_held_most, &word->counts[i]);
    profile_uses_count(object, "most_waited", true, &word->most_waited);
    word->handed += profile_uses_number(object, "handed");
    word->handovers += profile_uses_number(object, "handovers");
    add_waited_at(word, object);
    add_takes(word, object);
    add_looks(word, object);
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
    profile_variable_rests_read(&report->rests, kernels, name, "words_rest", "warps_waited",
                                (const char *const[]){"held", "given"});
    for (i = 0; i < report->words.count; i++)
        sort_takes(&report->words.items[i]);
    if (report->words.count)
        qsort(report->words.items, report->words.count, sizeof *report->words.items, by_cost);
    return report;
}

void profile_words_done(struct profile_words_report *report)
{
    for (size_t i = 0; i < report->words.count; i++) {
        json_decref(report->words.items[i].takes);
        json_decref(report->words.items[i].looks);
    }
    vec_free(&report->words);
    vec_free(&report->rests.of);
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

/* True: two instructions stand in the place of one call. */
static bool same_caller(const json_t *one, const json_t *other)
{
    struct strbuf a = {0}, b = {0};
    profile_uses_add_caller(one, &a);
    profile_uses_add_caller(other, &b);
    bool same = !strcmp(strbuf_text(&a), strbuf_text(&b));
    strbuf_free(&a);
    strbuf_free(&b);
    return same;
}

/* Where those that wait for the word only look at it. */
static void add_looked(const json_t *looks, struct strbuf *out)
{
    struct strbuf places = {0};
    if (profile_uses_add_places(looks, &places))
        strbuf_addf(out, ", watched at %s", strbuf_text(&places));
    strbuf_free(&places);
}

/* True: an instruction before that one stands at the same line. */
static bool is_told(const struct profile_lock_sum *word, size_t take)
{
    for (size_t i = 0; i < take; i++)
        if (profile_uses_same_place(json_array_get(word->takes, i), json_array_get(word->takes, take), false))
            return true;
    return false;
}

/* Of a word that several lines take, as a lock of readers and writers: a line each. */
static void add_each_take(const struct profile_lock_sum *word, struct strbuf *out)
{
    size_t count = json_array_size(word->takes), lines = 0;
    for (size_t i = 0; i < count; i++)
        lines += !is_told(word, i);
    for (size_t i = 0; i < count && lines > 1; i++) {
        uint64_t sum[PROFILE_TAKE_COUNTS] = {0};
        if (is_told(word, i))
            continue;
        for (size_t n = i; n < count; n++)
            for (unsigned c = 0; c < PROFILE_TAKE_COUNTS; c++)
                if (profile_uses_same_place(json_array_get(word->takes, i), json_array_get(word->takes, n), false))
                    sum[c] += word->by_take[n][c];
        strbuf_add(out, "        at ");
        profile_uses_add_place(json_array_get(word->takes, i), false, out);
        strbuf_addf(out, " taken %" PRIu64 " times, held %.0f and waited for %.0f cycles at a time\n",
                    sum[PROFILE_TAKE_taken], profile_uses_ratio(sum[PROFILE_TAKE_held], sum[PROFILE_TAKE_given]),
                    profile_uses_ratio(sum[PROFILE_TAKE_waited], sum[PROFILE_TAKE_taken]));
    }
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
    profile_words_add_taken(word, out);
    profile_uses_add_given(word->object, was_given(word), out);
    add_looked(word->looks, out);
    strbuf_add(out, "\n");
    add_each_take(word, out);
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

/* Words in front of the call around the first instruction that takes the word: threads waited in that one alone, or
 * nearly so, or in others too that stand at the same line. */
static const char *called(const struct profile_lock_sum *word)
{
    const json_t *first = json_array_get(word->takes, 0);
    uint64_t all = 0, others = 0;
    for (size_t i = 0; i < json_array_size(word->takes); i++) {
        const json_t *other = json_array_get(word->takes, i);
        if (!profile_uses_same_place(first, other, false))
            continue;
        all += word->waited_at[i];
        others += same_caller(first, other) ? 0 : word->waited_at[i];
    }
    return profile_uses_ratio(others, all) > LEAST_OTHERS ? "called mostly from" : "called from";
}

void profile_words_add_taken(const struct profile_lock_sum *word, struct strbuf *out)
{
    profile_uses_add_taken(word->takes, called(word), out);
}

/* Where the word is taken, over the calls there if that is one place. */
static void add_taken(const struct profile_lines *lines, const struct profile_lock_sum *word, struct strbuf *out)
{
    struct strbuf places = {0};
    if (profile_uses_add_places(word->takes, &places) > 1) {
        profile_words_add_taken(word, out);
    } else {
        strbuf_add(out, "taken at ");
        profile_called_add_place(lines, json_array_get(word->takes, 0), called(word), out);
    }
    strbuf_free(&places);
}

/* The word or variable to speak of: words are given those of the report. */
static struct profile_variable choose(const struct profile_words_report *report, struct profile_variable_word *words,
                                      uint64_t warp_cycles)
{
    for (size_t i = 0; i < report->words.count; i++)
        words[i] = (struct profile_variable_word){profile_uses_name(report->words.items[i].object),
                                                  report->words.items[i].counts[PROFILE_WORD_warps_waited]};
    return profile_variable_of(words, report->words.count, &report->rests,
                               (uint64_t)(LEAST_SENTENCE * (double)warp_cycles));
}

/* What a sentence says in front of the places: how much, and for what. given: times that it was given back. */
static void add_waits(const struct profile_variable *variable, uint64_t given, uint64_t warp_cycles, struct strbuf *out)
{
    const char *kind = given ? "lock" : "word";
    double percent = 100 * profile_uses_ratio(variable->waited, warp_cycles);
    if (variable->alone) {
        strbuf_addf(out, "%.0f%% of warp-cycles have a thread that waits for %s %s, ", percent, kind, variable->name);
        return;
    }
    strbuf_add(out, percent > 100 ? "On average a warp waits at once for " : "Waits for ");
    if (percent > 100)
        strbuf_addf(out, "%.1f of ", percent / 100);
    profile_variable_add_words(variable, kind, out);
    if (percent <= 100)
        strbuf_addf(out, " add up to %.0f%% of warp-cycles", percent);
    strbuf_add(out, ": ");
}

void profile_words_add_sentence(const struct profile_words_report *report, const struct profile_lines *lines,
                                struct profile_told *told, struct strbuf *out)
{
    uint64_t warp_cycles = lines->sum.total, held = 0, given = 0;
    size_t count = report->words.count;
    struct profile_variable_word *words = base_calloc(count + 1, sizeof *words);
    struct profile_variable variable = count ? choose(report, words, warp_cycles) : (struct profile_variable){0};
    if (profile_uses_ratio(variable.waited, warp_cycles) >= LEAST_SENTENCE) {
        const struct profile_lock_sum *first = &report->words.items[variable.first];
        for (size_t i = 0; i < count; i++) {
            if (!profile_variable_has(&variable, words, i))
                continue;
            held += report->words.items[i].counts[PROFILE_WORD_held];
            given += report->words.items[i].counts[PROFILE_WORD_given];
            profile_uses_tell(report->words.items[i].takes, told);
            profile_uses_tell(report->words.items[i].looks, told);
        }
        const struct profile_variable_rest *rest = profile_variable_rest_of(&variable, &report->rests);
        held += rest ? rest->others[0] : 0;
        given += rest ? rest->others[1] : 0;
        add_waits(&variable, given, warp_cycles, out);
        add_taken(lines, first, out);
        if (given)
            strbuf_addf(out, " and held %.0f cycles at a time by %" PRIu64 " sections", profile_uses_ratio(held, given),
                        given);
        profile_uses_add_given(first->object, was_given(first), out);
        strbuf_add(out, ".");
    }
    free(words);
}
