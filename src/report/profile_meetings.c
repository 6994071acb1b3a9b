/* Who comes last: see profile_meetings.h. */
#include "report/profile_meetings.h"

#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "report/profile_uses.h"

#define LEAST_PLACE 0.2 /* of the time between the first and the last, for a line to be named */
#define NEARLY_ALL 0.95 /* of it */
#define STANDS_OUT 0.5  /* of it, for a block or a rank to be named */
#define LEAST_WARP 0.8  /* of the time of its block, for a warp to be named */

static void add_did(struct profile_dids *dids, const json_t *object)
{
    const char *cause = json_string_value(json_object_get(object, "cause"));
    int64_t excess = (int64_t)(profile_uses_number(object, "last") - profile_uses_number(object, "first"));
    for (size_t i = 0; i < dids->of.count; i++) {
        struct profile_did *did = &dids->of.items[i];
        if (strcmp(did->cause, cause ? cause : "") != 0 || !profile_uses_same_place(did->object, object, false))
            continue;
        did->excess += excess;
        return;
    }
    vec_push(&dids->of, (struct profile_did){object, cause ? cause : "", excess});
}

void profile_dids_add(struct profile_dids *dids, const json_t *array)
{
    size_t i;
    const json_t *did;
    json_array_foreach(array, i, did) add_did(dids, did);
}

/* Cycles that go to the line of a cause, with all of its causes. */
static int64_t excess_of_line(const struct profile_dids *dids, const struct profile_did *at)
{
    int64_t excess = 0;
    for (size_t i = 0; i < dids->of.count; i++)
        if (profile_uses_same_place(dids->of.items[i].object, at->object, false))
            excess += dids->of.items[i].excess;
    return excess;
}

const struct profile_did *profile_dids_line(const struct profile_dids *dids, uint64_t cycles, double *share)
{
    const struct profile_did *best = NULL;
    int64_t most = 0;
    for (size_t i = 0; i < dids->of.count; i++) {
        const struct profile_did *did = &dids->of.items[i];
        int64_t excess = excess_of_line(dids, did);
        if (!best || excess > most || (excess == most && did->excess > best->excess)) {
            best = did;
            most = excess;
        }
    }
    *share = most > 0 ? profile_uses_ratio((uint64_t)most, cycles) : 0;
    return *share >= LEAST_PLACE ? best : NULL;
}

void profile_dids_add_line(const struct profile_did *did, struct strbuf *out)
{
    const char *words = profile_cause_words(did->cause);
    profile_uses_add_place(did->object, false, out);
    strbuf_addf(out, " (%s)", !strcmp(did->cause, "issued") ? "issuing" : words);
}

void profile_dids_add_spent(const struct profile_dids *dids, uint64_t cycles, struct strbuf *out)
{
    double share;
    const struct profile_did *did = profile_dids_line(dids, cycles, &share);
    if (!did)
        return;
    strbuf_add(out, "; it spends ");
    if (share >= NEARLY_ALL)
        strbuf_add(out, "them at ");
    else
        strbuf_addf(out, "%.0f%% of them at ", 100 * share);
    profile_dids_add_line(did, out);
}

/* Meetings */

void profile_meeting_add(struct profile_meeting_total *total, const json_t *object)
{
    size_t n;
    const json_t *last, *lasts = json_object_get(object, "last_blocks");
    if (!lasts)
        return;
    profile_uses_count(object, "phases", false, &total->phases);
    profile_uses_count(object, "late", false, &total->late);
    json_array_foreach(lasts, n, last)
    {
        struct profile_meeting_warp *same = NULL, is = {.block = json_object_get(last, "block"),
                                                        .sm = profile_uses_number(last, "sm"),
                                                        .warp = profile_uses_number(last, "warp"),
                                                        .rank = profile_uses_number(last, "rank")};
        for (size_t i = 0; i < total->lasts.count && !same; i++)
            if (json_equal(total->lasts.items[i].block, is.block) && total->lasts.items[i].warp == is.warp)
                same = &total->lasts.items[i];
        if (!same) {
            vec_push(&total->lasts, is);
            same = &total->lasts.items[total->lasts.count - 1];
        }
        profile_uses_count(last, "times", false, &same->times);
        profile_uses_count(last, "cycles", false, &same->cycles);
    }
    profile_dids_add(&total->dids, json_object_get(object, "last_did"));
}

void profile_meeting_done(struct profile_meeting_total *total)
{
    vec_free(&total->lasts);
    vec_free(&total->dids.of);
}

/* Some of those that came last: one block's, or those of one rank in their clusters. */
struct group {
    const struct profile_meeting_warp *most; /* the warp with most cycles */
    uint64_t times, cycles;
    unsigned blocks;
};

static bool belongs(const struct profile_meeting_warp *warp, const struct profile_meeting_warp *to, bool by_rank)
{
    return by_rank ? warp->rank == to->rank : json_equal(warp->block, to->block);
}

static struct group group_of(const struct profile_meeting_total *total, size_t which, bool by_rank)
{
    struct group group = {0};
    for (size_t i = 0; i < total->lasts.count; i++) {
        const struct profile_meeting_warp *warp = &total->lasts.items[i];
        bool again = false;
        if (!belongs(warp, &total->lasts.items[which], by_rank))
            continue;
        for (size_t n = 0; n < i; n++)
            again |= json_equal(total->lasts.items[n].block, warp->block);
        group.most = !group.most || warp->cycles > group.most->cycles ? warp : group.most;
        group.times += warp->times;
        group.cycles += warp->cycles;
        group.blocks += !again;
    }
    return group;
}

static struct group largest(const struct profile_meeting_total *total, bool by_rank)
{
    struct group best = {0};
    for (size_t i = 0; i < total->lasts.count; i++) {
        struct group group = group_of(total, i, by_rank);
        best = group.cycles > best.cycles ? group : best;
    }
    return best;
}

static bool has_ranks(const struct profile_meeting_total *total)
{
    bool ranks = false;
    for (size_t i = 0; i < total->lasts.count; i++)
        ranks |= total->lasts.items[i].rank != 0;
    return ranks;
}

static bool stands_out(const struct profile_meeting_total *total, const struct group *group)
{
    return group->most && profile_uses_ratio(group->cycles, total->late) >= STANDS_OUT;
}

/* "block 5 on SM 5 (warp 2)" */
static void add_group(const struct profile_meeting_total *total, const struct group *group, bool by_rank, bool word,
                      struct strbuf *out)
{
    uint64_t of_warp = 0;
    for (size_t i = 0; i < total->lasts.count; i++)
        if (belongs(&total->lasts.items[i], group->most, by_rank) && total->lasts.items[i].warp == group->most->warp)
            of_warp += total->lasts.items[i].cycles;
    if (by_rank) {
        strbuf_addf(out, "the block of rank %" PRIu64 " in its cluster", group->most->rank);
    } else {
        profile_uses_add_block(group->most->block, out);
        strbuf_addf(out, " on SM %" PRIu64, group->most->sm);
    }
    if (!word && profile_uses_ratio(of_warp, group->cycles) >= LEAST_WARP)
        strbuf_addf(out, " (warp %" PRIu64 ")", group->most->warp);
}

void profile_meeting_add_last(const struct profile_meeting_total *total, bool word, struct strbuf *out)
{
    struct group ranks = largest(total, true), group = largest(total, false);
    bool by_rank = has_ranks(total) && ranks.blocks > 1 && stands_out(total, &ranks);
    const char *does = word ? "writes it last" : "comes last", *phases = total->phases == 1 ? "phase" : "phases";
    const char *first = word ? "since the first began to wait" : "after the first";
    group = by_rank ? ranks : group;
    if (!total->late || !group.most)
        return;
    if (by_rank || stands_out(total, &group)) {
        add_group(total, &group, by_rank, word, out);
        strbuf_addf(out, " %s in %.0f%% of %" PRIu64 " %s, %.0f cycles %s", does,
                    100 * profile_uses_ratio(group.times, total->phases), total->phases, phases,
                    profile_uses_ratio(group.cycles, group.times), first);
    } else if (!word) {
        strbuf_addf(out, "the last block, a different one from phase to phase, comes %.0f cycles %s in %" PRIu64 " %s",
                    profile_uses_ratio(total->late, total->phases), first, total->phases, phases);
    } else {
        return;
    }
    profile_dids_add_spent(&total->dids, total->late, out);
}
