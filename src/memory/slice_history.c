/* The last overwritten words in a ring, each in a chain of those with the same hash: see slice_history.h. */
#include "memory/slice_history.h"

#include "base/archive.h"
#include "base/hash.h"
#include "sim/cycle.h"

enum { WORD = 4 };

struct slice_history *history_create(uint64_t seed, unsigned number, uint64_t most, struct arena *arena)
{
    struct slice_history *h = ARENA_NEW(arena, struct slice_history, 1);
    h->most = most;
    h->stream = random_stream_of(seed, "early", number);
    return h;
}

/* Entries */

static uint64_t *chain_of(struct slice_history *h, uint64_t word)
{
    return &h->last[random_at(word, 0) % HISTORY_CHAINS];
}

/* The entry of that number, less 1; NULL when it is gone, or is none. */
static struct history_entry *entry_of(struct slice_history *h, uint64_t number)
{
    bool kept = number && number <= h->written && h->written - number < HISTORY_WORDS;
    return kept ? &h->entries[(number - 1) % HISTORY_WORDS] : NULL;
}

static uint64_t number_of(const struct slice_history *h, const struct history_entry *e)
{
    uint64_t newer = (h->written - 1 - (uint64_t)(e - h->entries)) % HISTORY_WORDS;
    return h->written - newer;
}

static void add(struct slice_history *h, uint64_t word, uint32_t value, uint64_t cycle)
{
    uint64_t *last = chain_of(h, word), number = ++h->written;
    struct history_entry *e = &h->entries[(number - 1) % HISTORY_WORDS];
    if (number > HISTORY_WORDS)
        h->forgotten = e->cycle;
    uint64_t back = *last && number - *last < HISTORY_WORDS ? number - *last : 0;
    *e = (struct history_entry){cycle, word, value, (uint32_t)back};
    *last = number;
}

/* A word's last entry, or the one before another of its own; NULL: there is none that is of later than a cycle. */
static const struct history_entry *older(struct slice_history *h, const struct history_entry *than, uint64_t word,
                                         uint64_t cycle)
{
    uint64_t n = than ? number_of(h, than) : 0;
    const struct history_entry *e = than;
    do {
        n = !e ? *chain_of(h, word) : e->back ? n - e->back : 0;
        e = entry_of(h, n);
    } while (e && e->cycle > cycle && e->word != word);
    return e && e->cycle > cycle ? e : NULL;
}

/* The entry that has what a word was at the end of a cycle; NULL: it has not been overwritten since, or so nobody
 * knows. */
static const struct history_entry *after(struct slice_history *h, uint64_t word, uint64_t cycle)
{
    const struct history_entry *found = NULL;
    for (const struct history_entry *e = NULL; (e = older(h, e, word, cycle));)
        found = e;
    return found;
}

/* Moments */

static uint64_t *seen_by(struct slice_history *h, unsigned sm, uint64_t word)
{
    return &h->seen[random_at(word, sm + 1u) % HISTORY_SEEN];
}

static void see(struct slice_history *h, unsigned sm, uint64_t word, uint64_t moment)
{
    uint64_t *seen = seen_by(h, sm, word);
    *seen = cycle_max(*seen, moment);
}

static uint64_t cycles_before(uint64_t cycle, uint64_t cycles)
{
    return cycle - cycle_min(cycle, cycles);
}

/* One of the moments right before a word of a set was overwritten, behind cycle `from`; or now. */
static uint64_t draw_moment(struct slice_history *h, uint64_t first, uint64_t words, uint64_t from, uint64_t now)
{
    uint64_t moment = now;
    uint32_t changes = 0;
    for (uint64_t rest = words; rest; rest &= rest - 1) {
        uint64_t word = first + mask_first(rest);
        for (const struct history_entry *e = NULL; (e = older(h, e, word, from));)
            if (random_below(&h->stream, ++changes + 1) == 0)
                moment = e->cycle - 1;
    }
    return moment;
}

/* Accesses */

void history_write(struct slice_history *h, unsigned sm, uint64_t address, const struct byte_mask *bytes,
                   const uint8_t *line, uint64_t cycle)
{
    for (uint32_t at = 0; at < PACKET_LINE_BYTES; at += WORD) {
        uint64_t word = (address + at) / WORD;
        uint32_t value;
        if (!(bytes->word[at / 64] >> at % 64 & mask_low(WORD)))
            continue;
        memcpy(&value, line + at, WORD);
        add(h, word, value, cycle);
        see(h, sm, word, cycle);
    }
}

/* Of the bytes [address, address + bytes), those of a word become those of another value. */
static void put(uint64_t address, uint32_t bytes, uint64_t word, uint32_t value, uint8_t *values)
{
    uint8_t old[WORD];
    memcpy(old, &value, WORD);
    for (uint32_t i = 0; i < WORD; i++)
        if (word * WORD + i - address < bytes)
            values[word * WORD + i - address] = old[i];
}

void history_read(struct slice_history *h, unsigned sm, uint64_t address, uint32_t bytes, uint32_t back,
                  uint8_t *values, uint64_t cycle)
{
    uint64_t first = address / WORD, end = (address + bytes - 1) / WORD + 1, changing = 0;
    uint64_t known = cycle_max(cycles_before(cycle, h->most), h->forgotten);
    uint64_t from = cycle_max(cycles_before(cycle, back), known), moment = cycle;
    for (uint64_t word = first; word < end; word++)
        if (after(h, word, known)) {
            changing |= BIT64(word - first);
            from = cycle_max(from, *seen_by(h, sm, word));
        }
    if (changing && from < cycle)
        moment = draw_moment(h, first, changing, from, cycle);
    for (uint64_t rest = changing; rest; rest &= rest - 1) {
        uint64_t word = first + mask_first(rest);
        const struct history_entry *e = after(h, word, moment);
        if (e)
            put(address, bytes, word, e->value, values);
        see(h, sm, word, moment);
    }
}

/* Checkpoints */

void history_archive(struct slice_history *h, struct archive *ar)
{
    ARCHIVE(ar, h->stream.drawn);
    ARCHIVE(ar, h->written);
    ARCHIVE(ar, h->forgotten);
    ARCHIVE(ar, h->last);
    ARCHIVE(ar, h->seen);
    ARCHIVE(ar, h->entries);
}
