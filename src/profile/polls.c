/* The words of one SM that threads poll: see polls.h. A thread is known by its warp's slot and its lane. */
#include "profile/polls.h"

#include <stdbool.h>

#include "base/bits.h"
#include "base/check.h"
#include "profile/polls_sm.h"

size_t profile_polls_bytes(const struct isa_module *module)
{
    return round_up_u64(sizeof(struct profile_polls) + module->instr_count * sizeof(uint32_t), sizeof(uint64_t));
}

/* The table */

/* The place of the word at that address; 0 is there: it is not in the table. */
static uint16_t *place_of(struct profile_polls *s, uint64_t address, uint32_t space)
{
    uint32_t at = profile_place(address, space) % PROFILE_POLLS;
    for (;; at = (at + 1) % PROFILE_POLLS) {
        const struct profile_poll *word = s->places[at] ? &s->words[s->places[at] - 1] : NULL;
        if (!word || (word->address == address && word->space == space))
            return &s->places[at];
    }
}

/* The word at that address, which joins the table if it is new; NULL: the table is full. */
static struct profile_poll *word_at(struct profile_polls *s, uint64_t address, uint32_t space)
{
    uint16_t *place = place_of(s, address, space);
    if (*place)
        return &s->words[*place - 1];
    if (s->count == PROFILE_POLLS_MOST) {
        s->unlisted++;
        return NULL;
    }
    s->words[s->count] = (struct profile_poll){.address = address, .space = space};
    *place = (uint16_t)++s->count;
    return &s->words[*place - 1];
}

/* Polls */

/* The words that lanes of a warp poll by one instruction. */
struct polled {
    struct profile_poll *words[PROFILE_POLLS_LANES]; /* each once */
    unsigned count;
    uint64_t from; /* the earliest of the looks before */
};

static void add_polled(struct polled *polled, struct profile_poll *word, uint64_t from)
{
    unsigned i = polled->count;
    while (i > 0 && polled->words[i - 1] != word)
        i--;
    if (!i)
        polled->words[polled->count++] = word;
    polled->from = from < polled->from ? from : polled->from;
}

/* The warp has polled from one cycle to another, which is now. Returns how many of these cycles do not count yet, and
 * counts them. */
static uint64_t extend(struct profile_polls_warp *warp, uint64_t from, uint64_t until)
{
    uint64_t cycles = 0;
    from = from > warp->before ? from : warp->before;
    if (from > warp->until) {
        warp->before = warp->until;
        warp->from = warp->until = from;
    } else if (from < warp->from) {
        cycles = warp->from - from;
        warp->from = from;
    }
    cycles += until - warp->until;
    warp->until = until;
    return cycles;
}

/* Lanes have polled words until now: the warp's cycles that do not count yet are shared out among those. So each of the
 * words at which a loop looks in turn has the time from the look at the one before it, and shares of words add up to no
 * more than all cycles. */
static void count_warp(struct profile_polls_warp *warp, const struct polled *polled, uint64_t cycle)
{
    uint64_t cycles = polled->count ? extend(warp, polled->from, cycle) : 0;
    for (unsigned i = 0; i < polled->count; i++)
        polled->words[i]->counts[PROFILE_POLL_warps_waited] += cycles / polled->count + (i < cycles % polled->count);
}

/* A look of the lane is not one of its last ones any more. */
static void end_look(struct profile_polls *s, const struct profile_polls_warp *warp, const struct profile_look *look)
{
    if (!look->answered)
        return;
    if (s->wait_count == PROFILE_POLL_WAITS) {
        s->unlogged++;
        return;
    }
    s->waits[s->wait_count++] = (struct profile_poll_wait){.word = profile_written(look->address, look->space),
                                                           .since = look->since,
                                                           .answered = look->answered,
                                                           .block = look->space == LOCKSTEP_SHARED ? warp->block : 0};
}

static void count_poll(struct profile_poll *word, struct profile_look *look, uint64_t cycle)
{
    word->counts[PROFILE_POLL_polls]++;
    word->counts[PROFILE_POLL_waits] += !look->polls;
    word->counts[PROFILE_POLL_waited] += cycle - look->cycle;
    look->polls = true;
    look->answered = 0;
}

/* The lane's look by that instruction at that address, as it stands among the last ones; NULL: there is none. A loop
 * that looks at several words in turn comes back to each after as many looks. */
static struct profile_look *look_again(struct profile_looker *looker, uint64_t address,
                                       const struct lockstep_access_event *e)
{
    for (unsigned i = 0; i < PROFILE_POLLS_TURNS; i++) {
        struct profile_look *look = &looker->looks[(looker->last + i) % PROFILE_POLLS_TURNS];
        if (look->number && looker->count - look->number < PROFILE_POLLS_TURNS && look->address == address &&
            look->pc == e->pc && look->space == e->space)
            return look;
    }
    return NULL;
}

/* The lane looks at another word than in its last looks: the oldest one makes room. */
static struct profile_look *look_elsewhere(struct profile_polls *s, struct profile_polls_warp *warp,
                                           struct profile_looker *looker, uint64_t address,
                                           const struct lockstep_access_event *e)
{
    struct profile_look *oldest = &looker->looks[0];
    for (unsigned i = 1; i < PROFILE_POLLS_TURNS; i++)
        if (looker->looks[i].number < oldest->number)
            oldest = &looker->looks[i];
    end_look(s, warp, oldest);
    *oldest = (struct profile_look){.address = address, .space = (uint8_t)e->space, .pc = e->pc, .since = e->cycle};
    return oldest;
}

/* Lanes look at words; most often all of them at one. */
static void lanes_look(struct profile_polls *s, struct profile_polls_warp *warp, struct profile_words *words,
                       const struct lockstep_access_event *e)
{
    struct profile_poll *word = NULL;
    struct polled polled;
    polled.count = 0;
    polled.from = e->cycle;
    warp->block = e->block;
    for (uint64_t rest = e->mask; rest; rest &= rest - 1) {
        uint32_t lane = mask_first(rest);
        struct profile_looker *looker = &warp->lanes[lane];
        if (!mask_has(warp->looked, lane))
            *looker = (struct profile_looker){0};
        struct profile_look *look = look_again(looker, e->address[lane], e);
        if (!look) {
            look = look_elsewhere(s, warp, looker, e->address[lane], e);
        } else {
            if (!word || word->address != look->address)
                word = word_at(s, look->address, look->space);
            profile_words_look(words, e, lane, look->since);
            if (word) {
                profile_pcs_note(word->polled_at, PROFILE_POLL_PCS, e->pc + 1);
                add_polled(&polled, word, look->cycle);
                count_poll(word, look, e->cycle);
                warp->unanswered |= BIT64(lane);
            }
        }
        look->cycle = e->cycle;
        look->number = ++looker->count;
        looker->last = (uint32_t)(look - looker->looks);
    }
    count_warp(warp, &polled, e->cycle);
    if (polled.count)
        warp->polled = (uint32_t)(polled.words[0] - s->words) + 1;
    warp->looked |= e->mask;
    s->lookers |= BIT64(e->warp);
}

/* Recomputes s->lookers. */
static inline uint64_t find_lookers(const struct profile_polls *s)
{
    uint64_t lookers = 0;
    for (unsigned warp = 0; warp < PROFILE_POLLS_WARPS; warp++)
        lookers |= s->warps[warp].looked ? BIT64(warp) : 0;
    return lookers;
}

/* Those lanes have written, or are other threads from now on. */
static void end_looks(struct profile_polls *s, uint32_t slot, uint64_t lanes)
{
    struct profile_polls_warp *warp = &s->warps[slot];
    for (uint64_t rest = lanes & warp->looked; rest; rest &= rest - 1)
        for (unsigned i = 0; i < PROFILE_POLLS_TURNS; i++)
            end_look(s, warp, &warp->lanes[mask_first(rest)].looks[i]);
    warp->looked &= ~lanes;
    warp->unanswered &= ~lanes;
    mask_put(&s->lookers, slot, warp->looked);
    contract(s->lookers == find_lookers(s));
}

/* Writes */

static inline void note_write(struct profile_polls *s, uint64_t address, uint32_t space, uint32_t pc, bool alone)
{
    uint64_t word = profile_written(address, space);
    struct profile_write *place = &s->writes[profile_write_place(word)];
    if (place->word == word) {
        if (place->pcs[0] != pc + 1)
            profile_pcs_note(place->pcs, PROFILE_WRITE_PCS, pc + 1);
    } else if (alone || !place->word) {
        *place = (struct profile_write){.word = word, .pcs = {pc + 1}};
    }
}

/* True: its lanes write one word, or there is one lane. */
static bool writes_one_word(const struct lockstep_access_event *e)
{
    uint64_t first = e->address[mask_first(e->mask)];
    for (uint64_t rest = e->mask & (e->mask - 1); rest; rest &= rest - 1)
        if (e->address[mask_first(rest)] != first)
            return false;
    return true;
}

/* Keeps when words were written: of plain stores those that write one word, of others all, but for compare-and-swaps,
 * which count when they are answered. */
static void log_writes(struct profile_polls *s, const struct lockstep_access_event *e, bool one)
{
    bool tells = s->code[e->pc] & PROFILE_POLLS_TELLS, plain = !tells && e->instruction_class == LOCKSTEP_STORE;
    if (!tells && !(plain && one && s->write_count < PROFILE_POLL_WRITES / 2))
        return;
    for (uint64_t rest = one ? e->mask & -e->mask : e->mask; rest; rest &= rest - 1) {
        if (s->write_count == PROFILE_POLL_WRITES) {
            s->unlogged_at = s->unlogged_at ? s->unlogged_at : e->cycle;
            return;
        }
        s->wrote[s->write_count++] =
            (struct profile_poll_write){.word = profile_written(e->address[mask_first(rest)], e->space),
                                        .cycle = e->cycle,
                                        .block = e->space == LOCKSTEP_SHARED ? e->block : 0};
    }
}

bool profile_polls_tells(const struct profile_polls *s, const struct lockstep_access_event *e, bool *plain)
{
    bool tells = s->code[e->pc] & PROFILE_POLLS_TELLS;
    *plain = !tells && e->instruction_class == LOCKSTEP_STORE && !(e->mask & (e->mask - 1));
    return s->looks && (*plain || tells) && writes_one_word(e);
}

/* Threads of any SM may poll a word that is written, before or later. So all are kept, each in one place, where it
 * takes the place of another only if its access wrote no other word: those by which threads tell each other something
 * are mostly written so, and data is not. Of accesses that wrote several words, those that an instruction makes first
 * are kept. */
static void note_writes(struct profile_polls *s, const struct lockstep_access_event *e)
{
    uint16_t *several = &s->several[e->pc % PROFILE_WRITERS];
    bool one = writes_one_word(e);
    log_writes(s, e, one);
    if (one) {
        note_write(s, e->address[mask_first(e->mask)], e->space, e->pc, true);
        return;
    }
    if (*several == PROFILE_SEVERAL)
        return;
    ++*several;
    for (uint64_t rest = e->mask; rest; rest &= rest - 1)
        note_write(s, e->address[mask_first(rest)], e->space, e->pc, false);
}

/* Events */

bool profile_polls_accessed(struct profile_polls *s, struct profile_words *words,
                            const struct lockstep_access_event *e)
{
    struct profile_polls_warp *warp = &s->warps[e->warp];
    if (e->space == LOCKSTEP_LOCAL)
        return false;
    if (s->code[e->pc] & PROFILE_POLLS_LOOKS) {
        lanes_look(s, warp, words, e);
    } else if (e->instruction_class != LOCKSTEP_LOAD) {
        if (mask_has(s->lookers, e->warp))
            end_looks(s, e->warp, e->mask);
        note_writes(s, e);
        if (e->instruction_class == LOCKSTEP_ATOMIC)
            warp->swapped = e->cycle;
    }
    return warp->unanswered;
}

/* When it is issued nobody knows whether it will change its word, and most attempts at locks do not. */
void profile_polls_atomic(struct profile_polls *s, const struct lockstep_atomic_event *e)
{
    if (e->operation != LOCKSTEP_ATOMIC_COMPARE_AND_SWAP || !e->performed || e->before == e->after || !s->looks ||
        s->write_count >= PROFILE_POLL_WRITES / 2)
        return;
    uint64_t issued = s->warps[e->warp].swapped;
    s->wrote[s->write_count++] =
        (struct profile_poll_write){.word = profile_written(e->address, e->space),
                                    .cycle = issued && issued < e->cycle ? issued : e->cycle,
                                    .block = e->space == LOCKSTEP_SHARED ? e->block : 0};
}

/* The lane issues an instruction that needs the answers to some looks. False: it needs others, too. */
static bool lane_needs(const struct profile_polls *s, struct profile_looker *looker,
                       const struct lockstep_issue_event *e)
{
    bool all = true;
    for (unsigned i = 0; i < PROFILE_POLLS_TURNS; i++) {
        struct profile_look *look = &looker->looks[i];
        if (!look->polls || look->answered)
            continue;
        if (look->pc + s->code[look->pc] / PROFILE_POLLS_BEHIND == e->pc)
            look->answered = e->cycle;
        all &= look->answered != 0;
    }
    return all;
}

bool profile_polls_issued(struct profile_polls *s, const struct lockstep_issue_event *e)
{
    struct profile_polls_warp *warp = &s->warps[e->warp];
    uint64_t lanes = s->code[e->pc] & PROFILE_POLLS_NEEDS ? warp->unanswered & e->active : 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (lane_needs(s, &warp->lanes[mask_first(rest)], e))
            warp->unanswered &= ~(rest & -rest);
    return warp->unanswered;
}

struct profile_polled_time profile_polls_last(const struct profile_polls *s, uint32_t slot)
{
    const struct profile_polls_warp *warp = &s->warps[slot];
    return (struct profile_polled_time){
        .from = warp->from, .until = warp->looked ? UINT64_MAX : warp->until, .word = warp->polled};
}

void profile_polls_held_up(struct profile_polls *s, uint32_t word, uint64_t cycles)
{
    if (word)
        s->words[word - 1].counts[PROFILE_POLL_held_up] += cycles;
}

void profile_polls_forget(struct profile_polls *s, uint32_t slot)
{
    s->warps[slot].polled = 0;
    if (mask_has(s->lookers, slot))
        end_looks(s, slot, UINT64_MAX);
}
