/* Dynamic detection of spinning (ElTantawy and Aamodt, HPCA 2018, section IV). Every warp has a history of the setp
 * instructions that it executed, as hashes of their program counters (path) and of the values that they compared
 * (value) in one profiled lane. When a stretch of the history repeats, path and values, the warp is spinning; a table
 * counts, for each backward branch, how often spinning warps take it, and confirms it at a threshold.
 *
 * The history's newest entry is compared with one older entry, the anchor, whose distance grows with each insertion and
 * starts anew after l insertions, so that periods up to l - 2 are found. At the first match the distance p is kept, and
 * the warp spins when p insertions in a row have matched. */
#include <string.h>

#include "base/bits.h"
#include "simt/observe.h"
#include "watch/spin/spin.h"

#define MOST 16 /* entries of a history */
#define NOBODY 0xFF

struct history {
    uint32_t path[MOST];
    uint64_t value[MOST];
    uint8_t newest;  /* place of the newest entry: a ring of l */
    uint8_t pointer; /* distance of the anchor, + 1 */
    uint8_t count;   /* matches in a row, up to the distance compared */
    uint8_t lane;    /* profiled */
    bool matching, spinning;
};

struct ddos {
    uint32_t branches, entries, confirmed;
    uint32_t hash, path_bits, value_bits, length, threshold, capacity, share_cycles;
    bool demotes, profiled_values, clears, shares;
    uint8_t owner;        /* shared history: its warp */
    uint64_t owner_since; /* cycle */
    uint32_t owner_setps;
    struct history warps[SPIN_WARPS];
    uint8_t confidence[]; /* by branch: 0 not in the table, else confidence + 1 */
};

static size_t state_bytes(const struct spin_params *params, uint32_t branches)
{
    (void)params;
    return sizeof(struct ddos) + branches;
}

static void clear(struct history *h, uint8_t lane)
{
    memset(h, 0, sizeof *h);
    h->lane = lane;
}

static void reset(void *state, const struct spin_params *p, uint32_t branches)
{
    struct ddos *d = state;
    d->branches = branches;
    d->hash = p->hash;
    d->path_bits = p->path_bits;
    d->value_bits = p->value_bits;
    d->length = p->history;
    d->threshold = p->threshold;
    d->capacity = p->table ? p->table : branches;
    d->share_cycles = p->share_cycles;
    d->demotes = p->demotes;
    d->profiled_values = p->profiled_values;
    d->clears = p->clears_history;
    d->shares = p->shares;
    d->owner = NOBODY;
    for (unsigned w = 0; w < SPIN_WARPS; w++)
        clear(&d->warps[w], NOBODY);
}

static void launched(void *state, unsigned warp)
{
    struct ddos *d = state;
    if (d->clears)
        clear(&d->warps[warp], NOBODY);
    d->warps[warp].spinning = false;
}

static uint32_t shorten(const struct ddos *d, uint32_t word, unsigned bits)
{
    uint32_t low = (uint32_t)mask_low(bits), folded = word & low;
    if (d->hash == SPIN_HASH_XOR && bits < 32)
        for (word >>= bits; word; word >>= bits)
            folded ^= word & low;
    return folded;
}

/* True: the warp may use the shared history, which goes on to another warp when its time is over. */
static bool owns(struct ddos *d, const struct spin_event *e)
{
    if (d->owner != e->warp) {
        if (d->owner != NOBODY && e->cycle - d->owner_since + d->owner_setps <= d->share_cycles)
            return false;
        if (d->owner != NOBODY)
            d->warps[d->owner].spinning = false;
        d->owner = (uint8_t)e->warp;
        d->owner_since = e->cycle;
        d->owner_setps = 0;
        clear(&d->warps[e->warp], NOBODY);
    }
    d->owner_setps++;
    return true;
}

static void insert(struct ddos *d, struct history *h, const struct spin_event *e)
{
    uint32_t first = 0, second = 0;
    if (d->profiled_values || e->mask) {
        unsigned lane = d->profiled_values ? h->lane : mask_first(e->mask);
        first = simt_operand_in_lane(e->simt, e->pc, 0, lane, e->cycle);
        second = simt_operand_in_lane(e->simt, e->pc, 1, lane, e->cycle);
    }
    h->newest = (uint8_t)((h->newest + d->length - 1) % d->length);
    h->path[h->newest] = shorten(d, e->relative_pc, d->path_bits);
    h->value[h->newest] = (uint64_t)shorten(d, first, d->value_bits) << 32 | shorten(d, second, d->value_bits);
}

static void compare(struct ddos *d, struct history *h)
{
    if (!h->matching)
        h->pointer = (uint8_t)((h->pointer + 1) % d->length);
    if (h->pointer < 2)
        return;
    unsigned period = h->pointer - 1, old = (h->newest + period) % d->length;
    if (h->path[h->newest] == h->path[old] && h->value[h->newest] == h->value[old]) {
        h->matching = true;
        if (!h->spinning && h->count < period && ++h->count == period)
            h->spinning = true;
    } else if (h->matching) {
        h->matching = h->spinning = false;
        h->count = h->pointer = 0;
    }
}

static void setp(void *state, const struct spin_event *e)
{
    struct ddos *d = state;
    struct history *h = &d->warps[e->warp];
    if (d->shares && !owns(d, e))
        return;
    if (h->lane == NOBODY || !mask_has(e->active, h->lane))
        clear(h, (uint8_t)mask_first(e->active));
    insert(d, h, e);
    compare(d, h);
}

/* Room for one more branch: the table has some, or an entry without confidence gives way. */
static bool make_room(struct ddos *d)
{
    if (d->entries < d->capacity)
        return true;
    for (uint32_t i = 0; i < d->branches; i++)
        if (d->confidence[i] == 1) {
            d->confidence[i] = 0;
            d->entries--;
            return true;
        }
    return false;
}

static enum spin_verdict branch(void *state, const struct spin_event *e)
{
    struct ddos *d = state;
    uint8_t *entry = &d->confidence[e->branch];
    bool spinning = d->warps[e->warp].spinning;
    if (*entry == d->threshold + 1) {
        if (d->demotes && !spinning) {
            --*entry;
            d->confirmed--;
        }
        return SPIN_YES;
    }
    if (!spinning) {
        bool classified = !d->shares || d->owner == e->warp;
        *entry -= classified && *entry > 1;
        return SPIN_NO;
    }
    if (!*entry) {
        if (!make_room(d))
            return SPIN_NO;
        d->entries++;
        *entry = 1;
    }
    if (++*entry != d->threshold + 1)
        return SPIN_NO;
    d->confirmed++;
    return SPIN_CONFIRMED;
}

static void drained(void *state)
{
    struct ddos *d = state;
    memset(d->confidence, 0, d->branches);
    d->entries = d->confirmed = 0;
}

static void occupancy(const void *state, uint32_t *entries, uint32_t *confirmed)
{
    const struct ddos *d = state;
    *entries = d->entries;
    *confirmed = d->confirmed;
}

/* Table III of the paper: an entry of the table is a 32-bit program counter and its confidence; histories are l entries
 * of m + 2k bits. */
static uint64_t hardware_bits(const struct spin_params *p, unsigned warps)
{
    uint64_t history = (uint64_t)p->history * (p->path_bits + 2 * p->value_bits);
    return (uint64_t)p->table * (32 + bits_for(p->threshold)) + (p->shares ? 1 : warps) * history;
}

const struct spin_detector spin_ddos = {
    .name = "ddos",
    .doc = "dynamic detection of spinning: repeating histories of setp instructions (HPCA 2018)",
    .state_bytes = state_bytes,
    .reset = reset,
    .launched = launched,
    .setp = setp,
    .branch = branch,
    .drained = drained,
    .occupancy = occupancy,
    .hardware_bits = hardware_bits,
};
