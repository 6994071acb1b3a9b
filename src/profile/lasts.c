/* Who comes last to a barrier, and why: see lasts.h. */
#include "profile/lasts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/vec.h"
#include "profile/pcs.h"

/* The block in that slot has ended. */
static void end_block(struct profile_last_site *site, uint32_t slot)
{
    if (site->blocks[slot].cycles > site->worst.cycles)
        site->worst = site->blocks[slot];
    site->blocks[slot] = (struct profile_last_block){0};
    site->before[slot] = 0;
}

void profile_lasts_launch(struct profile_lasts *s, const struct lockstep_launch_event *e)
{
    s->names[e->warp] = (uint8_t)(e->warp_in_block < PROFILE_LAST_WARPS ? e->warp_in_block : PROFILE_LAST_WARPS - 1);
    s->blocks[e->warp] = (uint8_t)e->block;
    if (e->again || e->warp_in_block)
        return;
    s->indices[e->block] = e->block_index[0] | (uint64_t)e->block_index[1] << 32 | (uint64_t)e->block_index[2] << 48;
    s->born[e->block] = e->cycle;
    for (uint32_t i = 0; i < s->site_count; i++)
        end_block(&s->sites[i], e->block);
}

/* The number of an instruction's site; PROFILE_LAST_SITES: there are too many. */
static uint32_t site_of(struct profile_lasts *s, uint32_t pc)
{
    uint32_t site = 0;
    while (site < s->site_count && s->sites[site].pc != pc)
        site++;
    if (site == s->site_count && site < PROFILE_LAST_SITES)
        s->sites[s->site_count++].pc = pc;
    return site;
}

/* NULL: the table is full. A quarter of it stays free. */
static struct profile_last_did *did_at(struct profile_lasts *s, uint32_t site, uint32_t at)
{
    uint32_t place = hash_place((uint64_t)site << 32 | at) % PROFILE_LAST_DIDS;
    for (;; place = (place + 1) % PROFILE_LAST_DIDS) {
        struct profile_last_did *did = &s->dids[place];
        if (did->site == site + 1 && did->at == at)
            return did;
        if (did->site)
            continue;
        if (s->did_count == PROFILE_LAST_DIDS / 4 * 3)
            return NULL;
        s->did_count++;
        *did = (struct profile_last_did){.site = site + 1, .at = at};
        return did;
    }
}

static void add_samples(struct profile_lasts *s, uint32_t site, const struct watch_samples *samples, bool last)
{
    for (unsigned i = 0; i < WATCH_SAMPLES; i++) {
        const struct watch_sample *sample = &samples->of[i];
        struct profile_last_did *did = sample->cycles ? did_at(s, site, sample->at) : NULL;
        if (did)
            *(last ? &did->last : &did->first) += sample->cycles;
    }
}

void profile_lasts_opened(struct profile_lasts *s, uint32_t pc, uint32_t slot, uint64_t cycles,
                          const struct watch_samples *last, const struct watch_samples *first)
{
    uint32_t number = site_of(s, pc), warp = s->names[slot], block = s->blocks[slot];
    if (number == PROFILE_LAST_SITES)
        return;
    struct profile_last_site *site = &s->sites[number];
    site->times[warp]++;
    site->cycles[warp] += cycles;
    site->again += site->before[block] == warp + 1;
    site->before[block] = (uint8_t)(warp + 1);
    site->blocks[block].block = s->indices[block];
    site->blocks[block].opened++;
    site->blocks[block].cycles += cycles;
    add_samples(s, number, last, true);
    add_samples(s, number, first, false);
}

void profile_lasts_ended(struct profile_lasts *s, uint32_t slot, uint64_t cycle, uint64_t spread, uint32_t warps,
                         const struct watch_samples *last, const struct watch_samples *first)
{
    uint32_t block = s->blocks[slot];
    uint64_t cycles = cycle > s->born[block] ? cycle - s->born[block] : 0;
    s->ends.blocks++;
    s->ends.warps += warps;
    s->ends.spread += spread;
    s->ends.cycles += cycles;
    if (cycles > s->ends.longest.cycles)
        s->ends.longest = (struct profile_last_block){s->indices[block], 1, cycles};
    if (spread)
        profile_lasts_opened(s, PROFILE_LAST_END, slot, spread, last, first);
}

/* Launches */

/* Samples of several SMs: here `site` is the pc of the barrier instruction, not its number on an SM. */
typedef VEC(struct profile_last_did) dids;

static int by_place(const void *a, const void *b)
{
    const struct profile_last_did *x = a, *y = b;
    int sites = profile_order(x->site, y->site);
    return sites ? sites : profile_order(x->at, y->at);
}

static int by_excess(const void *a, const void *b)
{
    const struct profile_last_did *x = a, *y = b;
    int64_t of_x = (int64_t)(x->last - x->first), of_y = (int64_t)(y->last - y->first);
    return of_x != of_y ? (of_x < of_y ? 1 : -1) : profile_order(x->at, y->at);
}

static int by_pc(const void *a, const void *b)
{
    return profile_order(((const struct profile_last_sum *)a)->pc, ((const struct profile_last_sum *)b)->pc);
}

static struct profile_last_block worse(struct profile_last_block a, struct profile_last_block b)
{
    bool other = b.cycles > a.cycles || (b.cycles == a.cycles && b.block < a.block);
    return other ? b : a;
}

static void add_site(struct profile_last_list *list, const struct profile_last_site *site)
{
    uint32_t at = 0;
    while (at < list->count && list->of[at].pc != site->pc)
        at++;
    if (at == list->count) {
        list->of = base_realloc(list->of, (size_t)(list->count + 1) * sizeof *list->of);
        list->of[list->count++] = (struct profile_last_sum){.pc = site->pc};
    }
    struct profile_last_sum *sum = &list->of[at];
    sum->again += site->again;
    sum->worst = worse(sum->worst, site->worst);
    for (unsigned i = 0; i < PROFILE_LAST_WARPS; i++) {
        sum->times[i] += site->times[i];
        sum->cycles[i] += site->cycles[i];
        sum->worst = worse(sum->worst, site->blocks[i]);
    }
}

static void add_ends(struct profile_last_ends *to, const struct profile_last_ends *from)
{
    to->blocks += from->blocks;
    to->warps += from->warps;
    to->spread += from->spread;
    to->cycles += from->cycles;
    to->longest = worse(to->longest, from->longest);
}

/* The sum's own among all, which are in the order of places. */
static void add_dids(struct profile_last_sum *sum, const struct profile_last_did *all, size_t count)
{
    sum->dids = base_calloc(count + 1, sizeof *sum->dids);
    for (size_t i = 0; i < count; i++) {
        struct profile_last_did *before = sum->did_count ? &sum->dids[sum->did_count - 1] : NULL;
        if (all[i].site != sum->pc)
            continue;
        if (!before || before->at != all[i].at)
            sum->dids[sum->did_count++] = all[i];
        else {
            before->last += all[i].last;
            before->first += all[i].first;
        }
    }
    if (sum->did_count)
        qsort(sum->dids, sum->did_count, sizeof *sum->dids, by_excess);
}

struct profile_last_list profile_lasts_gather(const struct profile_lasts *const *states, uint32_t sms)
{
    struct profile_last_list list = {0};
    dids all = {0};
    for (uint32_t sm = 0; sm < sms; sm++) {
        add_ends(&list.ends, &states[sm]->ends);
        for (uint32_t i = 0; i < states[sm]->site_count; i++)
            add_site(&list, &states[sm]->sites[i]);
        for (uint32_t i = 0; i < PROFILE_LAST_DIDS; i++) {
            struct profile_last_did did = states[sm]->dids[i];
            if (!did.site)
                continue;
            did.site = states[sm]->sites[did.site - 1].pc;
            vec_push(&all, did);
        }
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_place);
    if (list.count)
        qsort(list.of, list.count, sizeof *list.of, by_pc);
    for (uint32_t i = 0; i < list.count; i++)
        add_dids(&list.of[i], all.items, all.count);
    vec_free(&all);
    return list;
}

void profile_lasts_free(struct profile_last_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->of[i].dids);
    free(list->of);
    *list = (struct profile_last_list){0};
}

const struct profile_last_sum *profile_lasts_find(const struct profile_last_list *list, uint32_t pc)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->of[i].pc == pc)
            return &list->of[i];
    return NULL;
}
