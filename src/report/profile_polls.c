/* The words that threads poll: see profile_polls.h. */
#include "report/profile_polls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile_called.h"
#include "report/profile_uses.h"

#define MOST_WORDS 5        /* of a kernel */
#define LEAST_SHARE 0.01    /* of its warp-cycles, for a row */
#define LEAST_SENTENCE 0.05 /* for a sentence */

static void add_poll(struct profile_polls_report *report, const json_t *object)
{
    struct profile_poll_total *poll = NULL;
    for (size_t i = 0; i < report->polls.count && !poll; i++)
        if (!strcmp(profile_uses_name(report->polls.items[i].object), profile_uses_name(object)))
            poll = &report->polls.items[i];
    if (!poll) {
        vec_push(&report->polls, (struct profile_poll_total){.object = object});
        poll = &report->polls.items[report->polls.count - 1];
    }
    for (unsigned i = 0; i < PROFILE_POLL_COUNTS; i++)
        poll->counts[i] += profile_uses_number(object, profile_poll_name(i));
    poll->handed += profile_uses_number(object, "handed");
    poll->handovers += profile_uses_number(object, "handovers");
    profile_uses_count(object, "most_waited", true, &poll->most_waited);
    profile_meeting_add(&poll->ended, object);
}

/* Cycles of warps that poll it, and of those that wait at barriers for one that does. */
static uint64_t cost_of(const struct profile_poll_total *poll)
{
    return poll->counts[PROFILE_POLL_warps_waited] + poll->counts[PROFILE_POLL_held_up];
}

static int by_cost(const void *a, const void *b)
{
    const struct profile_poll_total *x = a, *y = b;
    uint64_t of_x = cost_of(x), of_y = cost_of(y);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return strcmp(profile_uses_name(x->object), profile_uses_name(y->object));
}

struct profile_polls_report *profile_polls_read(const json_t *kernels, const char *name)
{
    struct profile_polls_report *report = base_calloc(1, sizeof *report);
    size_t i;
    const json_t *poll;
    json_t *all = profile_uses_all(kernels, name, "polls");
    json_array_foreach(all, i, poll) add_poll(report, poll);
    json_decref(all);
    profile_variable_rests_read(&report->rests, kernels, name, "polls_rest", "warps_waited",
                                (const char *const[]){"waits", "waited"});
    if (report->polls.count)
        qsort(report->polls.items, report->polls.count, sizeof *report->polls.items, by_cost);
    return report;
}

void profile_polls_done(struct profile_polls_report *report)
{
    for (size_t i = 0; i < report->polls.count; i++)
        profile_meeting_done(&report->polls.items[i].ended);
    vec_free(&report->polls);
    vec_free(&report->rests.of);
    free(report);
}

static double share(const struct profile_poll_total *poll, uint64_t warp_cycles)
{
    return profile_uses_ratio(poll->counts[PROFILE_POLL_warps_waited], warp_cycles);
}

/* Appends whom that holds up besides those that poll, and who ends it; each between `before` and `behind`. */
static void add_ended(const struct profile_poll_total *poll, uint64_t warp_cycles, const char *before,
                      const char *behind, struct strbuf *out)
{
    double held_up = profile_uses_ratio(poll->counts[PROFILE_POLL_held_up], warp_cycles);
    struct strbuf last = {0};
    profile_meeting_add_last(&poll->ended, true, &last);
    if (held_up >= LEAST_SHARE)
        strbuf_addf(out, "%sin %.0f%% of warp-cycles others of its block wait at a barrier for a warp that polls it%s",
                    before, 100 * held_up, behind);
    if (last.length)
        strbuf_addf(out, "%s%s%s", before, strbuf_text(&last), behind);
    strbuf_free(&last);
}

static void add_row(const struct profile_poll_total *poll, uint64_t warp_cycles, struct strbuf *out)
{
    const uint64_t *n = poll->counts;
    const json_t *writes = json_object_get(poll->object, "written_at");
    strbuf_addf(out, "%5.1f%%  %8" PRIu64 "  %8" PRIu64 "  %8.0f", 100 * share(poll, warp_cycles),
                n[PROFILE_POLL_waits], n[PROFILE_POLL_polls],
                profile_uses_ratio(n[PROFILE_POLL_waited], n[PROFILE_POLL_waits]));
    if (poll->handovers)
        strbuf_addf(out, "  %7.0f", profile_uses_ratio(poll->handed, poll->handovers));
    else
        strbuf_add(out, "        -");
    strbuf_addf(out, "  %7" PRIu64 "  %s\n", poll->most_waited, profile_uses_name(poll->object));
    strbuf_add(out, "        polled at ");
    profile_uses_add_places(json_object_get(poll->object, "polled_at"), out);
    if (json_array_size(writes)) {
        strbuf_add(out, ", written at ");
        profile_uses_add_places(writes, out);
    }
    strbuf_add(out, "\n");
    add_ended(poll, warp_cycles, "        ", "\n", out);
}

void profile_polls_add_table(const struct profile_polls_report *report, uint64_t warp_cycles, struct strbuf *out)
{
    for (size_t i = 0; i < report->polls.count && i < MOST_WORDS; i++) {
        const struct profile_poll_total *poll = &report->polls.items[i];
        if (profile_uses_ratio(cost_of(poll), warp_cycles) < LEAST_SHARE)
            return;
        if (!i)
            strbuf_add(out, " wait      waits     polls    cycles   handed  waiting  polled word\n");
        add_row(poll, warp_cycles, out);
    }
}

/* The word or variable to speak of: words are given those of the report. */
static struct profile_variable choose(const struct profile_polls_report *report, struct profile_variable_word *words,
                                      uint64_t warp_cycles)
{
    for (size_t i = 0; i < report->polls.count; i++)
        words[i] = (struct profile_variable_word){profile_uses_name(report->polls.items[i].object),
                                                  cost_of(&report->polls.items[i])};
    return profile_variable_of(words, report->polls.count, &report->rests,
                               (uint64_t)(LEAST_SENTENCE * (double)warp_cycles));
}

/* What a sentence says in front of the places: how much, and for what. */
static void add_waits(const struct profile_variable *variable, uint64_t held_up, uint64_t warp_cycles,
                      struct strbuf *out)
{
    double percent = 100 * profile_uses_ratio(variable->waited - held_up, warp_cycles);
    if (variable->alone) {
        strbuf_addf(out, "%.0f%% of warp-cycles have a thread that polls %s at ", percent, variable->name);
        return;
    }
    strbuf_add(out, "Waits for ");
    profile_variable_add_words(variable, "polled word", out);
    strbuf_addf(out, " add up to %.0f%% of warp-cycles: polled at ", percent);
}

/* Where the word is polled and written. */
static void add_places(const struct profile_lines *lines, const json_t *word, struct strbuf *out)
{
    struct strbuf writers = {0};
    profile_called_add_place(lines, json_array_get(json_object_get(word, "polled_at"), 0), "called from", out);
    unsigned count = profile_uses_add_places(json_object_get(word, "written_at"), &writers);
    if (count)
        strbuf_addf(out, ", which %s %s", strbuf_text(&writers), count > 1 ? "write" : "writes");
    strbuf_free(&writers);
}

void profile_polls_add_sentence(const struct profile_polls_report *report, const struct profile_lines *lines,
                                struct profile_told *told, struct strbuf *out)
{
    uint64_t warp_cycles = lines->sum.total, waits = 0, waited = 0, held_up = 0;
    size_t count = report->polls.count;
    struct profile_variable_word *words = base_calloc(count + 1, sizeof *words);
    struct profile_variable variable = count ? choose(report, words, warp_cycles) : (struct profile_variable){0};
    if (profile_uses_ratio(variable.waited, warp_cycles) >= LEAST_SENTENCE) {
        for (size_t i = 0; i < count; i++) {
            if (!profile_variable_has(&variable, words, i))
                continue;
            waits += report->polls.items[i].counts[PROFILE_POLL_waits];
            waited += report->polls.items[i].counts[PROFILE_POLL_waited];
            held_up += report->polls.items[i].counts[PROFILE_POLL_held_up];
            profile_uses_tell(json_object_get(report->polls.items[i].object, "polled_at"), told);
        }
        const struct profile_variable_rest *rest = profile_variable_rest_of(&variable, &report->rests);
        waits += rest ? rest->others[0] : 0;
        waited += rest ? rest->others[1] : 0;
        add_waits(&variable, held_up, warp_cycles, out);
        add_places(lines, report->polls.items[variable.first].object, out);
        strbuf_addf(out, ": %" PRIu64 " wait%s of %.0f cycles", waits, waits == 1 ? "" : "s",
                    profile_uses_ratio(waited, waits));
        if (variable.alone)
            add_ended(&report->polls.items[variable.first], warp_cycles, "; ", "", out);
        strbuf_add(out, ".");
        told->polls = true;
    }
    free(words);
}
