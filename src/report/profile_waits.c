/* Locks, words and barriers for which threads wait: see profile_waits.h. */
#include "report/profile_waits.h"

#include <string.h>

#include "report/profile_barriers.h"
#include "report/profile_mbarriers.h"
#include "report/profile_polls.h"
#include "report/profile_sharing.h"
#include "report/profile_uses.h"
#include "report/profile_words.h"

const struct profile_waits_words profile_waits_words[PROFILE_WAITS_KINDS] = {
    [PROFILE_WAITS_LOCKS] =
        {"Locks",
         "lock",
         "locks",
         "Words of memory that threads take by compare-and-swap or exchange, and give back.",
         {{"taken", "times", "attempts that changed the word"},
          {"failed", "times", "attempts that did not"},
          {"held", "cycles", "from the answer that took it to the issue of what gives it back, at a time"},
          {"handed", "cycles", "from giving it back until the next thread that waits has it, at a time"},
          {"waiting", "threads", "that waited for it at once, at the most"}}},
    [PROFILE_WAITS_POLLS] = {"Polled words",
                             "polled word",
                             "polls",
                             "Words of memory that threads look at over and over until another thread has written them.",
                             {{"waits", "times", "that a lane began to poll it"},
                              {"polls", "looks", "of lanes, beyond the first one of a wait"},
                              {"each", "cycles", "of a wait, on average"},
                              {"handed", "cycles",
                               "from the write that ended a wait to the instruction that needs its last look, at a time"},
                              {"waiting", "lanes", "that waited for it at once, at the most"}}},
    [PROFILE_WAITS_BARRIERS] =
        {"Barriers",
         "barrier",
         "barriers",
         "Instructions at which warps wait for the others of their block, its cluster or the grid.",
         {{"opened", "times", "that the barrier opened"},
          {"came", "times", "that a warp came to wait"},
          {"most", "cycles", "that one warp waited, at the most"},
          {"spread", "cycles", "from the first warp to come to the last one, on average"}}},
    [PROFILE_WAITS_MBARRIERS] =
        {"Mbarriers",
         "mbarrier",
         "mbarriers",
         "Objects in shared memory for whose phases warps are suspended.",
         {{"phases", "times", "that a phase ended"},
          {"arrivals", "arrivals", "of all phases"},
          {"bytes", "bytes", "that came in all phases"},
          {"open", "cycles", "from the first arrival of a phase to its end, on average"},
          {"handed", "cycles",
           "from the end of a phase to the next instruction of the first warp that waited, on average"}}},
    [PROFILE_WAITS_SHARED] = {"Shared lines",
                              "word in a shared line",
                              "shared",
                              "Locks and polled words that lie in one cache line with others, or with data.",
                              {{"its", "accesses", "attempts at the word, or polls of it"},
                               {"others", "accesses", "to the other words of its line, as far as they are known"},
                               {"SMs", "SMs", "that used the line"}}},
};

/* Takes over the text. */
static const char *keep(struct strbuf *text, struct arena *arena)
{
    const char *kept = arena_strdup(arena, strbuf_text(text));
    strbuf_free(text);
    return kept;
}

static const char *where_locked(const struct profile_lock_sum *word, struct arena *arena)
{
    struct strbuf text = {0};
    profile_words_add_taken(word, &text);
    profile_uses_add_given(word->object, word->counts[PROFILE_WORD_given], &text);
    return keep(&text, arena);
}

static void add_locks(struct profile_waits *waits, const json_t *kernels, const char *name, struct arena *arena)
{
    struct profile_words_report *report = profile_words_read(kernels, name);
    for (size_t i = 0; i < report->words.count; i++) {
        const struct profile_lock_sum *sum = &report->words.items[i];
        const uint64_t *n = sum->counts;
        struct profile_wait wait = {
            .name = profile_uses_name(sum->object),
            .last = "",
            .where = where_locked(sum, arena),
            .waited = n[PROFILE_WORD_warps_waited],
            .figures = {(double)n[PROFILE_WORD_taken], (double)(n[PROFILE_WORD_failed] + n[PROFILE_WORD_failed_inside]),
                        profile_uses_ratio(n[PROFILE_WORD_held], n[PROFILE_WORD_given]),
                        profile_uses_ratio(sum->handed, sum->handovers), (double)sum->most_waited}};
        vec_push(&waits->of, wait);
    }
    profile_words_done(report);
}

/* last: who ends waits; "": nobody knows. */
static const char *where_polled(const json_t *object, const char *last, struct arena *arena)
{
    struct strbuf text = {0}, writers = {0};
    strbuf_add(&text, "polled at ");
    profile_uses_add_places(json_object_get(object, "polled_at"), &text);
    if (profile_uses_add_places(json_object_get(object, "written_at"), &writers))
        strbuf_addf(&text, ", written at %s", strbuf_text(&writers));
    if (*last)
        strbuf_addf(&text, "; %s", last);
    strbuf_free(&writers);
    return keep(&text, arena);
}

static void add_polls(struct profile_waits *waits, const json_t *kernels, const char *name, struct arena *arena)
{
    struct profile_polls_report *report = profile_polls_read(kernels, name);
    for (size_t i = 0; i < report->polls.count; i++) {
        const struct profile_poll_total *total = &report->polls.items[i];
        const uint64_t *n = total->counts;
        struct strbuf last = {0};
        profile_meeting_add_last(&total->ended, true, &last);
        const char *writes = keep(&last, arena);
        struct profile_wait wait = {.name = profile_uses_name(total->object),
                                    .where = where_polled(total->object, writes, arena),
                                    .last = writes,
                                    .waited = n[PROFILE_POLL_warps_waited],
                                    .figures = {(double)n[PROFILE_POLL_waits], (double)n[PROFILE_POLL_polls],
                                                profile_uses_ratio(n[PROFILE_POLL_waited], n[PROFILE_POLL_waits]),
                                                profile_uses_ratio(total->handed, total->handovers), (double)total->most_waited}};
        vec_push(&waits->of, wait);
    }
    profile_polls_done(report);
}

static void add_barriers(struct profile_waits *waits, const json_t *kernels, const char *name, struct arena *arena)
{
    struct profile_barriers_report *report = profile_barriers_read(kernels, name);
    for (size_t i = 0; i < report->of.count; i++) {
        const struct profile_barrier_total *total = &report->of.items[i];
        const uint64_t *n = total->counts;
        struct strbuf place = {0}, last = {0};
        profile_uses_add_place(total->object, true, &place);
        profile_barriers_add_last(total, &last);
        struct profile_wait wait = {
            .name = keep(&place, arena),
            .where = keep(&last, arena),
            .waited = n[PROFILE_BARRIER_waited],
            .figures = {(double)n[PROFILE_BARRIER_opened], (double)n[PROFILE_BARRIER_came],
                        (double)n[PROFILE_BARRIER_waited_most],
                        profile_uses_ratio(n[PROFILE_BARRIER_spread], n[PROFILE_BARRIER_opened])}};
        wait.last = wait.where;
        vec_push(&waits->of, wait);
    }
    profile_barriers_done(report);
}

static const char *where_used(const struct profile_mbarrier_total *total, struct arena *arena)
{
    struct strbuf text = {0}, last = {0};
    profile_mbarriers_add_uses(total->object, &text);
    profile_mbarriers_add_last(total, &last);
    if (last.length)
        strbuf_addf(&text, "; %s", strbuf_text(&last));
    strbuf_free(&last);
    return keep(&text, arena);
}

static void add_mbarriers(struct profile_waits *waits, const json_t *kernels, const char *name, struct arena *arena)
{
    struct profile_mbarriers_report *report = profile_mbarriers_read(kernels, name);
    for (size_t i = 0; i < report->of.count; i++) {
        const struct profile_mbarrier_total *total = &report->of.items[i];
        const uint64_t *n = total->counts;
        struct profile_wait wait = {
            .name = profile_uses_name(total->object),
            .last = "",
            .where = where_used(total, arena),
            .waited = n[PROFILE_MBARRIER_waited],
            .figures = {(double)n[PROFILE_MBARRIER_phases], (double)n[PROFILE_MBARRIER_arrivals],
                        (double)n[PROFILE_MBARRIER_came],
                        profile_uses_ratio(n[PROFILE_MBARRIER_open], n[PROFILE_MBARRIER_phases]),
                        profile_uses_ratio(n[PROFILE_MBARRIER_handed], n[PROFILE_MBARRIER_handovers])}};
        vec_push(&waits->of, wait);
    }
    profile_mbarriers_done(report);
}

static void add_shared(struct profile_waits *waits, const json_t *kernels, const char *name, struct arena *arena)
{
    struct profile_sharing_report *report = profile_sharing_read(kernels, name);
    for (size_t i = 0; i < report->lines.count; i++) {
        const struct profile_sharing_line *line = &report->lines.items[i];
        struct strbuf where = {0};
        strbuf_add(&where, "with ");
        profile_sharing_add_others(line, &where);
        struct profile_wait wait = {.name = line->name,
                                    .last = "",
                                    .where = keep(&where, arena),
                                    .waited = line->waited,
                                    .figures = {(double)line->own, (double)line->others, (double)line->sms}};
        vec_push(&waits->of, wait);
    }
    profile_sharing_done(report);
}

void profile_waits_read(struct profile_waits *waits, enum profile_waits_kind kind, const json_t *kernels,
                        const char *name, struct arena *arena)
{
    static void (*const add[])(struct profile_waits *, const json_t *, const char *,
                               struct arena *) = {[PROFILE_WAITS_LOCKS] = add_locks,
                                                  [PROFILE_WAITS_POLLS] = add_polls,
                                                  [PROFILE_WAITS_BARRIERS] = add_barriers,
                                                  [PROFILE_WAITS_MBARRIERS] = add_mbarriers,
                                                  [PROFILE_WAITS_SHARED] = add_shared};
    *waits = (struct profile_waits){0};
    add[kind](waits, kernels, name, arena);
}

const struct profile_wait *profile_waits_find(const struct profile_waits *waits, const char *name)
{
    for (size_t i = 0; i < waits->of.count; i++)
        if (!strcmp(waits->of.items[i].name, name))
            return &waits->of.items[i];
    return NULL;
}

void profile_waits_free(struct profile_waits *waits)
{
    vec_free(&waits->of);
}
