/* The words of one SM by which threads exclude each other: see words.h. A thread is known here by its warp's slot and
 * its lane. Where threads go from warp to warp, one that takes a word in one warp and gives it back in another is not
 * seen to give it back. */
#include "profile/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "profile/pcs.h"
#include "profile/series.h"
#include "profile/words_sm.h"

size_t profile_words_bytes(void)
{
    return sizeof(struct profile_words);
}

/* The table */

/* The place of the word at that address; 0 is there: it is not in the table. */
static uint16_t *place_of(struct profile_words *s, uint64_t address, uint32_t space)
{
    uint32_t at = profile_place(address, space) % PROFILE_WORDS;
    for (;; at = (at + 1) % PROFILE_WORDS) {
        const struct profile_word *word = s->places[at] ? &s->words[s->places[at] - 1] : NULL;
        if (!word || (word->address == address && word->space == space))
            return &s->places[at];
    }
}

bool profile_words_is_lock(const struct profile_words *s, uint64_t address, uint32_t space)
{
    uint16_t known = *place_of((struct profile_words *)s, address, space);
    const uint64_t *counts = known ? s->words[known - 1].counts : NULL;
    return counts && (counts[PROFILE_WORD_given] || counts[PROFILE_WORD_failed] || counts[PROFILE_WORD_failed_inside]);
}

/* The word at that address, which is in the table. */
static struct profile_word *listed(struct profile_words *s, uint64_t address, uint32_t space)
{
    return &s->words[*place_of(s, address, space) - 1];
}

static struct profile_word *join(struct profile_words *s, const struct profile_word *word)
{
    struct profile_word *joined = &s->words[s->count++];
    *joined = *word;
    *place_of(s, word->address, word->space) = (uint16_t)s->count;
    return joined;
}

static bool holds(const struct profile_words_warp *warp, const struct profile_word *word)
{
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (warp->held[i].address == word->address && warp->held[i].space == word->space)
            return true;
    return false;
}

static bool is_held(const struct profile_words *s, const struct profile_word *word)
{
    for (uint64_t rest = s->holders; rest; rest &= rest - 1)
        if (holds(&s->warps[mask_first(rest)], word))
            return true;
    return false;
}

/* Takes those words out of the table for which nobody has waited and which nobody holds. Their counts are lost: all of
 * their attempts went well. */
static void make_room(struct profile_words *s)
{
    uint32_t before = s->count;
    s->count = 0;
    memset(s->places, 0, sizeof s->places);
    for (uint32_t i = 0; i < before; i++) {
        struct profile_word word = s->words[i];
        if (word.counts[PROFILE_WORD_waiters] || is_held(s, &word))
            join(s, &word);
    }
    s->unlisted += before - s->count;
    s->full = s->count > PROFILE_WORDS_MOST / 8 * 7;
}

/* The word at that address, which joins the table if it is new; NULL: the table is full. */
static struct profile_word *word_at(struct profile_words *s, uint64_t address, uint32_t space)
{
    uint16_t *place = place_of(s, address, space);
    if (*place)
        return &s->words[*place - 1];
    if (s->count == PROFILE_WORDS_MOST && !s->full)
        make_room(s);
    if (s->count == PROFILE_WORDS_MOST) {
        s->unlisted++;
        return NULL;
    }
    return join(s, &(struct profile_word){.address = address, .space = space});
}

/* Waiting */

/* A lane of the warp other than `lane` that waits for the word; NULL: there is none. */
static struct profile_waiting *other_waits(struct profile_words_warp *warp, unsigned lane,
                                           const struct profile_word *word)
{
    for (uint64_t rest = warp->waiting & ~BIT64(lane); rest; rest &= rest - 1) {
        struct profile_waiting *other = &warp->lanes[mask_first(rest)];
        if (other->address == word->address && other->space == word->space)
            return other;
    }
    return NULL;
}

static bool waits_for(const struct profile_words_warp *warp, unsigned lane, const struct profile_word *word)
{
    const struct profile_waiting *waiting = &warp->lanes[lane];
    return mask_has(warp->waiting, lane) && waiting->address == word->address && waiting->space == word->space;
}

/* A time from..until ended, which is one of that kind. */
static void add_time(struct profile_words *s, enum profile_series_kind kind, uint64_t from, uint64_t until)
{
    if (s->series)
        profile_series_add((struct profile_series *)((char *)s + s->series), kind, from, until);
}

/* The lane's wait ended in that cycle. The last lane of its warp to end one counts the warp's time, which reaches to
 * the latest end of them all. */
static void stop_waiting(struct profile_words *s, struct profile_words_warp *warp, unsigned lane, uint64_t cycle)
{
    const struct profile_waiting *waiting = &warp->lanes[lane];
    struct profile_word *word = listed(s, waiting->address, waiting->space);
    struct profile_waiting *other = other_waits(warp, lane, word);
    uint64_t reached = cycle > waiting->reached ? cycle : waiting->reached;
    bool attempted = word->counts[PROFILE_WORD_attempts] && word->space < PROFILE_READERS;
    word->counts[PROFILE_WORD_waited] += cycle - waiting->since;
    if (attempted)
        add_time(s, PROFILE_SERIES_waited, waiting->since, cycle);
    if (!other) {
        word->counts[PROFILE_WORD_warps_waited] += reached - waiting->first;
        if (attempted)
            add_time(s, PROFILE_SERIES_warps_waited, waiting->first, reached);
    } else if (other->reached < reached)
        other->reached = reached;
    warp->waiting &= ~BIT64(lane);
    mask_put(&s->waiters, (unsigned)(warp - s->warps), warp->waiting);
}

static void log_wait(struct profile_words *s, const struct profile_words_warp *warp, struct profile_lone_wait wait)
{
    if (s->lone_count == PROFILE_LONE_WAITS)
        return;
    wait.by = s->names[warp - s->warps];
    wait.warp = (uint8_t)(warp - s->warps);
    s->lone[s->lone_count++] = wait;
}

/* The wait of a thread that took the word and is not seen to give it back. */
static void log_kept(struct profile_words *s, const struct profile_words_warp *warp, const struct profile_held *held)
{
    if (held->since < held->taken)
        log_wait(s, warp,
                 (struct profile_lone_wait){.address = held->address,
                                            .from = held->since,
                                            .until = held->taken,
                                            .space = held->space,
                                            .at = held->waited_at,
                                            .lane = (uint8_t)held->lane,
                                            .took = true});
}

/* The lane has turned to something else, or ended: it waited until its last attempt. */
static void give_up(struct profile_words *s, struct profile_words_warp *warp, unsigned lane)
{
    const struct profile_waiting *waiting = &warp->lanes[lane];
    if (!mask_has(warp->waiting, lane))
        return;
    if (!waiting->looks)
        log_wait(s, warp,
                 (struct profile_lone_wait){.address = waiting->address,
                                            .from = waiting->since,
                                            .until = waiting->last,
                                            .space = waiting->space,
                                            .at = waiting->at,
                                            .lane = (uint8_t)lane});
    stop_waiting(s, warp, lane, waiting->last);
}

/* The lane, which waits for nothing, waits for a word from a cycle on. */
static void begin_waiting(struct profile_words *s, struct profile_words_warp *warp, unsigned lane,
                          struct profile_word *word, uint64_t since, uint32_t pc)
{
    const struct profile_waiting *other = other_waits(warp, lane, word);
    warp->lanes[lane] =
        (struct profile_waiting){.address = word->address,
                                 .since = since,
                                 .first = other && other->first < since ? other->first : since,
                                 .space = word->space,
                                 .at = pc,
                                 .word = (uint32_t)(word - s->words)};
    warp->waiting |= BIT64(lane);
    s->waiters |= BIT64(warp - s->warps);
    word->counts[PROFILE_WORD_waiters]++;
}

/* An attempt of the lane failed. */
static void wait_for(struct profile_words *s, struct profile_words_warp *warp, struct profile_word *word,
                     const struct lockstep_atomic_event *e)
{
    struct profile_waiting *waiting = &warp->lanes[e->lane];
    if (!waits_for(warp, e->lane, word)) {
        give_up(s, warp, e->lane);
        begin_waiting(s, warp, e->lane, word, e->cycle, e->pc);
    } else if (waiting->looks) {
        waiting->looks = false;
        waiting->at = e->pc;
    }
    waiting->last = e->cycle;
}

/* Words that are polled and no locks are to leave room for locks. */
void profile_words_look(struct profile_words *s, const struct lockstep_access_event *e, uint32_t lane, uint64_t since)
{
    struct profile_words_warp *warp = &s->warps[e->warp];
    struct profile_waiting *waiting = &warp->lanes[lane];
    uint64_t address = e->address[lane];
    bool waits = mask_has(warp->waiting, lane);
    if (waits && waiting->address == address && waiting->space == e->space) {
        waiting->last = e->cycle;
        return;
    }
    uint16_t known = *place_of(s, address, e->space);
    struct profile_word *word = known ? &s->words[known - 1] : NULL;
    if ((waits && !waiting->looks) || (!word && s->count >= PROFILE_WORDS_MOST / 2))
        return;
    if (!word)
        word = join(s, &(struct profile_word){.address = address, .space = e->space});
    give_up(s, warp, lane);
    begin_waiting(s, warp, lane, word, since, e->pc);
    waiting->last = e->cycle;
    waiting->looks = true;
}

/* Holding */

/* Recomputes s->holders. */
static inline uint64_t find_holders(const struct profile_words *s)
{
    uint64_t holders = 0;
    for (unsigned warp = 0; warp < PROFILE_WORDS_WARPS; warp++)
        holders |= s->warps[warp].held_count ? BIT64(warp) : 0;
    return holders;
}

/* Recomputes s->waiters. */
static inline uint64_t find_waiters(const struct profile_words *s)
{
    uint64_t waiters = 0;
    for (unsigned warp = 0; warp < PROFILE_WORDS_WARPS; warp++)
        waiters |= s->warps[warp].waiting ? BIT64(warp) : 0;
    return waiters;
}

/* A word is held by one thread more. */
static void hold_here(struct profile_words *s, const struct profile_held *held)
{
    uint32_t place = profile_place(held->address, held->space) % PROFILE_HELD_PLACES;
    uint64_t others = s->held_here[place]++ ? s->found_here[place] : 0;
    s->found_here[place] = others | BIT64(held->found % 64);
}

/* No longer. */
static void leave_here(struct profile_words *s, const struct profile_held *held)
{
    s->held_here[profile_place(held->address, held->space) % PROFILE_HELD_PLACES]--;
}

/* The values, modulo 64, of which threads that hold the word found one in it. There may be others; 0: nobody holds it.
 */
static uint64_t found_in(const struct profile_words *s, uint64_t address, uint32_t space)
{
    uint32_t place = profile_place(address, space) % PROFILE_HELD_PLACES;
    return s->held_here[place] ? s->found_here[place] : 0;
}

/* The number of an instruction among those that take the word; PROFILE_WORD_PCS: it is none of the first ones. */
static uint32_t take_of(const struct profile_word *word, uint32_t pc)
{
    uint32_t take = 0;
    while (take < PROFILE_WORD_PCS && word->takes[take] != pc + 1)
        take++;
    return take;
}

static void count_take(struct profile_word *word, uint32_t take, enum profile_take_count count, uint64_t amount)
{
    if (take < PROFILE_WORD_PCS)
        word->by_take[take][count] += amount;
}

static void take(struct profile_words *s, struct profile_words_warp *warp, struct profile_word *word,
                 const struct lockstep_atomic_event *e)
{
    uint64_t since = e->cycle;
    uint32_t waited_at = e->pc;
    if (waits_for(warp, e->lane, word)) {
        const struct profile_waiting *waiting = &warp->lanes[e->lane];
        since = waiting->since;
        waited_at = waiting->looks ? e->pc : waiting->at;
        stop_waiting(s, warp, e->lane, e->cycle);
    }
    give_up(s, warp, e->lane);
    word->counts[PROFILE_WORD_taken]++;
    profile_pcs_note(word->takes, PROFILE_WORD_PCS, e->pc + 1);
    uint32_t taken_by = take_of(word, e->pc);
    count_take(word, taken_by, PROFILE_TAKE_taken, 1);
    count_take(word, taken_by, PROFILE_TAKE_waited, e->cycle - since);
    const struct profile_held held = {.address = e->address,
                                      .found = e->before,
                                      .added = (uint32_t)(e->after - e->before),
                                      .take = taken_by,
                                      .taken = e->cycle,
                                      .since = since,
                                      .space = e->space,
                                      .lane = e->lane,
                                      .taken_at = e->pc,
                                      .waited_at = waited_at,
                                      .block = e->block};
    if (warp->held_count == PROFILE_WORDS_HELD) {
        log_kept(s, warp, &held);
        return;
    }
    warp->held[warp->held_count++] = held;
    hold_here(s, &held);
    s->holders |= BIT64(warp - s->warps);
}

/* slot: of the warp. */
static void log_section(struct profile_words *s, const struct profile_held *held, uint64_t cycle, uint32_t block,
                        uint32_t slot, uint32_t pc)
{
    if (s->section_count == PROFILE_SECTIONS) {
        s->unlogged++;
        return;
    }
    s->sections[s->section_count++] = (struct profile_section){.address = held->address,
                                                               .taken = held->taken,
                                                               .given = cycle,
                                                               .since = held->since,
                                                               .by = s->names[slot],
                                                               .block = held->space == LOCKSTEP_SHARED ? block : 0,
                                                               .space = held->space,
                                                               .taken_at = held->taken_at,
                                                               .given_at = pc,
                                                               .waited_at = held->waited_at,
                                                               .warp = (uint8_t)slot,
                                                               .lane = (uint8_t)held->lane};
}

/* The lane puts back the value that it found in the word, which is number `i` of those that its warp holds. An atomic
 * that issued before the lane knew that it had the word gives it back in the cycle in which it took it. */
static void give(struct profile_words *s, struct profile_words_warp *warp, uint32_t i, uint64_t cycle, uint32_t block,
                 uint32_t pc)
{
    const struct profile_held *held = &warp->held[i];
    struct profile_word *word = listed(s, held->address, held->space);
    cycle = cycle > held->taken ? cycle : held->taken;
    uint64_t cycles = cycle - held->taken;
    word->counts[PROFILE_WORD_given]++;
    word->counts[PROFILE_WORD_held] += cycles;
    count_take(word, held->take, PROFILE_TAKE_given, 1);
    count_take(word, held->take, PROFILE_TAKE_held, cycles);
    if (held->space < PROFILE_READERS)
        add_time(s, PROFILE_SERIES_held, held->taken, cycle);
    if (cycles > word->counts[PROFILE_WORD_held_most])
        word->counts[PROFILE_WORD_held_most] = cycles;
    profile_pcs_note(word->gives, PROFILE_WORD_PCS, pc + 1);
    log_section(s, held, cycle, block, (uint32_t)(warp - s->warps), pc);
    leave_here(s, held);
    warp->held[i] = warp->held[--warp->held_count];
    if (!warp->held_count)
        s->holders &= ~BIT64(warp - s->warps);
}

/* The number of the word at that address among those that its warp holds, as held by that lane; UINT32_MAX: the lane
 * does not hold it. */
static uint32_t held_by(const struct profile_words_warp *warp, uint64_t address, uint32_t space, uint32_t lane)
{
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (warp->held[i].address == address && warp->held[i].space == space && warp->held[i].lane == lane)
            return i;
    return UINT32_MAX;
}

/* A thread gives a word back that another one took. */
struct other {
    struct profile_words_warp *warp;
    uint32_t held; /* number of the word among those that the warp holds */
};

/* Somebody who holds the word and found that value in it, the last one to take it; warp NULL: nobody does. block: of
 * who asks, for words of shared memory. */
static struct other other_holder(struct profile_words *s, uint64_t address, uint32_t space, uint32_t block,
                                 uint64_t value)
{
    struct other other = {0};
    for (uint64_t rest = s->holders; rest; rest &= rest - 1) {
        struct profile_words_warp *warp = &s->warps[mask_first(rest)];
        for (uint32_t i = 0; i < warp->held_count; i++) {
            const struct profile_held *held = &warp->held[i];
            bool is_it = held->address == address && held->space == space && held->found == value &&
                         (space != LOCKSTEP_SHARED || held->block == block);
            if (is_it && (!other.warp || held->taken > other.warp->held[other.held].taken))
                other = (struct other){warp, i};
        }
    }
    return other;
}

static void give_for(struct profile_words *s, struct other other, uint64_t cycle, uint32_t block, uint32_t pc)
{
    const struct profile_held *held = &other.warp->held[other.held];
    listed(s, held->address, held->space)->counts[PROFILE_WORD_given_by_others]++;
    give(s, other.warp, other.held, cycle, block, pc);
}

/* Events */

void profile_words_launch(struct profile_words *s, const struct lockstep_launch_event *e)
{
    s->names[e->warp] = (struct profile_warp_name){.block = e->block_index[0] | (uint64_t)e->block_index[1] << 32 |
                                                            (uint64_t)e->block_index[2] << 48,
                                                   .warp = e->warp_in_block};
}

/* The word for which the lane waits, if it is that one, and that is where it was; else NULL. */
static struct profile_word *waited_for(struct profile_words *s, const struct profile_words_warp *warp,
                                       const struct lockstep_atomic_event *e)
{
    const struct profile_waiting *waiting = &warp->lanes[e->lane];
    struct profile_word *word = &s->words[waiting->word];
    bool is_it = mask_has(warp->waiting, e->lane) && waiting->address == e->address && waiting->space == e->space &&
                 word->address == e->address && word->space == e->space;
    return is_it ? word : NULL;
}

static void attempt(struct profile_words *s, struct profile_words_warp *warp, const struct lockstep_atomic_event *e)
{
    struct profile_word *word = word_at(s, e->address, e->space);
    if (!word)
        return;
    word->counts[PROFILE_WORD_attempts]++;
    if (e->performed && e->before != e->after) {
        take(s, warp, word, e);
        return;
    }
    word->counts[holds(warp, word) ? PROFILE_WORD_failed_inside : PROFILE_WORD_failed]++;
    wait_for(s, warp, word, e);
}

/* The lane's exchange puts back what another thread has found. */
static bool exchange_gives(struct profile_words *s, const struct lockstep_atomic_event *e)
{
    if (e->operation != LOCKSTEP_ATOMIC_EXCHANGE || e->before == e->after ||
        !mask_has(found_in(s, e->address, e->space), e->after % 64))
        return false;
    struct other other = other_holder(s, e->address, e->space, e->block, e->after);
    if (!other.warp)
        return false;
    const struct profile_held *held = &other.warp->held[other.held];
    give_for(s, other, held->asked ? held->asked : e->cycle, e->block, e->pc);
    return true;
}

/* The thread puts back the value that it found; or it takes off what it had added, as one of several readers that hold
 * a lock together. */
static bool gives_back(const struct profile_held *held, const struct lockstep_atomic_event *e)
{
    return e->after == held->found || (e->after != e->before && (uint32_t)(e->before - e->after) == held->added);
}

/* A thread that held the word has given it back: if attempts to do so had failed before, it was not waiting for it. */
static void stop_trying(struct profile_words *s, struct profile_words_warp *warp, const struct profile_held *held)
{
    struct profile_word *word = listed(s, held->address, held->space);
    if (!waits_for(warp, held->lane, word))
        return;
    word->counts[PROFILE_WORD_waiters]--;
    warp->waiting &= ~BIT64(held->lane);
    mask_put(&s->waiters, (unsigned)(warp - s->warps), warp->waiting);
}

NOT_INLINE void note_atomic(struct profile_words *s, struct profile_words_warp *warp,
                            const struct lockstep_atomic_event *e)
{
    uint32_t held = held_by(warp, e->address, e->space, e->lane);
    if (held != UINT32_MAX && e->performed && gives_back(&warp->held[held], e)) {
        stop_trying(s, warp, &warp->held[held]);
        give(s, warp, held, warp->held[held].asked, e->block, e->pc);
    } else if (e->operation != LOCKSTEP_ATOMIC_OTHER && !exchange_gives(s, e))
        attempt(s, warp, e);
}

/* Most atomics are attempts of lanes that have failed before, and fail again. */
void profile_words_atomic(struct profile_words *s, const struct lockstep_atomic_event *e)
{
    struct profile_words_warp *warp = &s->warps[e->warp];
    struct profile_word *word =
        e->operation == LOCKSTEP_ATOMIC_COMPARE_AND_SWAP && !e->performed ? waited_for(s, warp, e) : NULL;
    if (!word) {
        note_atomic(s, warp, e);
        return;
    }
    word->counts[PROFILE_WORD_attempts]++;
    word->counts[warp->held_count && holds(warp, word) ? PROFILE_WORD_failed_inside : PROFILE_WORD_failed]++;
    warp->lanes[e->lane].last = e->cycle;
    if (RARELY(warp->lanes[e->lane].looks)) {
        warp->lanes[e->lane].looks = false;
        warp->lanes[e->lane].at = e->pc;
    }
}

/* Readers */

/* The lane has looked at the word until it seemed free: as a reader, it has waited since then. */
static void wait_as_reader(struct profile_words *s, struct profile_words_warp *warp, struct profile_word *word,
                           const struct lockstep_atomic_event *e)
{
    struct profile_waiting *waiting = &warp->lanes[e->lane];
    if (!mask_has(warp->waiting, e->lane) || !waiting->looks || waiting->address != e->address ||
        waiting->space + PROFILE_READERS != word->space)
        return;
    listed(s, waiting->address, waiting->space)->counts[PROFILE_WORD_waiters]--;
    word->counts[PROFILE_WORD_waiters]++;
    waiting->space = word->space;
    waiting->word = (uint32_t)(word - s->words);
}

/* One that finds more in the word than readers have added has tried in vain, and takes off again what it added. */
void profile_words_count(struct profile_words *s, const struct lockstep_atomic_event *e, uint64_t step)
{
    struct profile_words_warp *warp = &s->warps[e->warp];
    struct lockstep_atomic_event as = *e;
    as.space += PROFILE_READERS;
    uint32_t held = held_by(warp, as.address, as.space, as.lane);
    if (held != UINT32_MAX) {
        if (gives_back(&warp->held[held], &as))
            give(s, warp, held, warp->held[held].asked ? warp->held[held].asked : e->cycle, e->block, e->pc);
        return;
    }
    struct profile_word *word = e->after - e->before == step ? word_at(s, as.address, as.space) : NULL;
    if (!word)
        return;
    word->counts[PROFILE_WORD_attempts]++;
    wait_as_reader(s, warp, word, e);
    if (e->before % step == 0 && e->before / step < PROFILE_READERS_MOST) {
        take(s, warp, word, &as);
        return;
    }
    word->counts[PROFILE_WORD_failed]++;
    wait_for(s, warp, word, &as);
}

/* The value that a lane stores: its first 8 bytes at most. */
static uint64_t stored(const struct lockstep_access_event *e, uint32_t lane)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)e->data + (size_t)lane * e->stride, e->bytes < sizeof value ? e->bytes : sizeof value);
    return value;
}

/* A lane accesses word number `i` of those that its warp holds, which it holds itself. True: it puts back, or may, the
 * value that it found. */
static bool access_held(struct profile_words *s, struct profile_words_warp *warp, uint32_t i,
                        const struct lockstep_access_event *e)
{
    struct profile_held *held = &warp->held[i];
    bool reads = held->space >= PROFILE_READERS; /* it takes off what it has added, by an atomic alone */
    bool back = !reads && e->instruction_class != LOCKSTEP_LOAD && stored(e, held->lane) == held->found;
    if (e->instruction_class == LOCKSTEP_ATOMIC)
        held->asked = e->cycle;
    else if (back)
        give(s, warp, i, e->cycle, e->block, e->pc);
    return back;
}

/* A lane stores to a word that may be held, or asks for an exchange. found: of the word, by found_in. */
static void access_others(struct profile_words *s, uint32_t lane, uint64_t found, const struct lockstep_access_event *e)
{
    uint64_t value = stored(e, lane);
    if (!mask_has(found, value % 64))
        return;
    struct other other = other_holder(s, e->address[lane], e->space, e->block, value);
    if (!other.warp)
        return;
    struct profile_held *held = &other.warp->held[other.held];
    if (e->instruction_class == LOCKSTEP_ATOMIC)
        held->asked = e->cycle;
    else
        give_for(s, other, e->cycle, e->block, e->pc);
}

void profile_words_access(struct profile_words *s, const struct lockstep_access_event *e)
{
    struct profile_words_warp *warp = &s->warps[e->warp];
    uint64_t own = 0; /* lanes that give back what they took themselves */
    if (!s->holders)
        return;
    for (uint32_t i = warp->held_count; i-- > 0;) {
        const struct profile_held *held = &warp->held[i];
        unsigned lane = held->lane;
        if (mask_has(e->mask, lane) && e->space == held->space % PROFILE_READERS && e->address[lane] == held->address &&
            access_held(s, warp, i, e))
            own |= BIT64(lane);
    }
    if (e->instruction_class == LOCKSTEP_LOAD || e->space == LOCKSTEP_LOCAL)
        return;
    for (uint64_t rest = e->mask & ~own; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t found = found_in(s, e->address[lane], e->space);
        if (RARELY(found))
            access_others(s, lane, found, e);
    }
}

static void note_unfinished(struct profile_words *s, struct profile_unfinished unfinished)
{
    if (s->unfinished_count < PROFILE_UNFINISHED)
        s->unfinished[s->unfinished_count++] = unfinished;
}

void profile_words_leave(struct profile_words *s, uint32_t slot, uint64_t cycle)
{
    const struct profile_words_warp *warp = &s->warps[slot];
    if (!mask_has(s->holders | s->waiters, slot))
        return;
    for (uint32_t i = 0; i < warp->held_count; i++) {
        const struct profile_held *held = &warp->held[i];
        note_unfinished(s, (struct profile_unfinished){held->address, held->taken, cycle, s->names[slot], held->space,
                                                       held->taken_at, (uint8_t)slot, (uint8_t)held->lane, true});
    }
    for (uint64_t rest = warp->waiting; rest; rest &= rest - 1) {
        const struct profile_waiting *waiting = &warp->lanes[mask_first(rest)];
        if (waiting->looks)
            continue;
        note_unfinished(s, (struct profile_unfinished){waiting->address, waiting->since, waiting->last, s->names[slot],
                                                       waiting->space, waiting->at, (uint8_t)slot,
                                                       (uint8_t)mask_first(rest), false});
    }
}

void profile_words_forget(struct profile_words *s, uint32_t slot)
{
    struct profile_words_warp *warp = &s->warps[slot];
    if (!mask_has(s->holders | s->waiters, slot))
        return;
    for (uint64_t rest = warp->waiting; rest; rest &= rest - 1)
        give_up(s, warp, mask_first(rest));
    for (uint32_t i = 0; i < warp->held_count; i++)
        log_kept(s, warp, &warp->held[i]);
    for (uint32_t i = 0; i < warp->held_count; i++)
        leave_here(s, &warp->held[i]);
    warp->held_count = 0;
    s->holders &= ~BIT64(slot);
    contract(s->holders == find_holders(s) && s->waiters == find_waiters(s));
}
