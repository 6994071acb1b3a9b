/* A model of fetch: it follows from the warps that the policy is shown, those it picks, the lines that are asked for
 * and come, and the warps' buffers. It knows how many instructions a fetch brings, and who waits for which line, and
 * asks the cache alone which lines are there. */
#ifndef LOCKSTEP_TESTS_FETCH_MODEL_H
#define LOCKSTEP_TESTS_FETCH_MODEL_H

#include "fetch/fetch.h"
#include "unit/core/core_bench.h"

#define SMS 3
#define MOST_INSTRUCTIONS 160
#define MOST_FILLS 6

/* Where the instructions are that a warp has asked for. */
enum place { AT_REST, AT_CACHE, AT_FETCH_BUFFER };

struct model_warp {
    enum place place;
    uint32_t next, asked;    /* next: to be fetched; asked: when the cache was last asked */
    uint32_t head, buffered; /* of its buffer */
    unsigned passed;         /* times in a row that it was shown to the policy, which picked another to fetch for */
    uint64_t drained_at;     /* finished: the cycle in which the last that it issued is complete */
};

/* A line that the cache has asked for, until all that wait for it are served. */
struct fill {
    bool used, under_way;
    unsigned requester, waiting, left; /* waiting: warps; left: of them, not served */
    uint64_t address, due;
    uint8_t sm[WARP_SLOTS * SMS], slot[WARP_SLOTS * SMS];
    struct message_read message;
};

/* A turn's part of a step of fetch, as it was seen. */
struct seen {
    bool may_pick, there, requested;
    unsigned slot; /* picked to fetch for, FETCH_NOBODY: none */
    uint64_t address;
    uint32_t room;
};

struct model_turn {
    uint32_t last;            /* served */
    uint32_t slot, pc, count; /* fetch buffer */
    struct seen seen;
};

struct model_sm {
    struct model_warp warp[WARP_SLOTS];
    uint64_t retiring, incomplete; /* incomplete: not retired */
    struct model_turn turn[FETCH_TURNS];
    struct model_turn *asks;               /* that whose policy is asked, or was last */
    struct model_turn *asked[FETCH_TURNS]; /* in this step those that picked a warp to fetch for, in order */
    unsigned asked_count;
    unsigned ready; /* warps for which a line has come, in order, and the fills that they waited for */
    uint8_t ready_slot[WARP_SLOTS], ready_fill[WARP_SLOTS];
    struct fetch_stats stats;
    unsigned releases, releases_seen;
};

struct test_sm {
    struct agenda agenda;
    struct warp_table warp;
    struct core_views views;
    struct packet_ring queue;
    struct fetch fetch;
    struct model_sm model;
    struct simt_path path[WARP_SLOTS];
    uint64_t boards[WARP_SLOTS * 3];
};

/* How often all that the test is about has happened. */
struct counts {
    uint64_t dropped, refused, joined, across; /* joined: waited for a line asked for before; across: by another SM */
    uint64_t ran_off, launched, retired;
    uint64_t went_on_early; /* with instructions from before its end on their way */
    uint64_t at_once;       /* decoded in a cycle in which another scheduler's were */
};

struct bench {
    struct core_bench b; /* its parameters, arena and stream alone */
    struct test_sm sm[SMS];
    struct cache_params l1i;
    struct fetch_policy policy;
    const struct fetch_policy *of; /* the policy that is watched */
    struct fill fills[MOST_FILLS];
    struct decoded_instr program[MOST_INSTRUCTIONS + 1];
    uint64_t no_registers[3];
    uint64_t code_base, age, trace;
    uint32_t module_size, first_pc;
    unsigned sms, slowest;  /* slowest: cycles that a line may take */
    unsigned jumps, pauses; /* an instruction in so many jumps; a warp issues in a cycle of so many */
    bool ending, lazy;      /* lazy: fetch is stepped only when it is due */
    struct counts counts;
};

static struct bench *bench; /* policies have no other way to it */

#define EXPECT(holds)                                                                                                  \
    do {                                                                                                               \
        if (!(holds))                                                                                                  \
            fail_msg("%s, seed %llu, cycle %llu: not so: " #holds, bench->of->name, (unsigned long long)bench->b.seed, \
                     (unsigned long long)bench->b.agenda.now);                                                         \
    } while (0)

static inline unsigned draw(uint32_t below)
{
    return bench_draw(&bench->b, below);
}

static inline unsigned number_of(const struct test_sm *s)
{
    return (unsigned)(s - bench->sm);
}

static inline bool is_finished(const struct test_sm *s, unsigned slot)
{
    return mask_has(s->warp.finished, slot);
}

static inline bool fills_up(void)
{
    return bench->of->fills || bench->b.params.fetch_fills;
}

/* The model's answers */

static inline unsigned turn_count(void)
{
    return bench->b.params.fetch_per_scheduler ? core_schedulers(&bench->b.params) : 1;
}

static inline struct model_turn *turn_of_slot(struct model_sm *m, unsigned slot)
{
    return &m->turn[slot % turn_count()];
}

/* The warps that a turn serves. */
static inline uint64_t warps_of(const struct model_sm *m, const struct model_turn *turn)
{
    uint64_t set = 0;
    for (unsigned slot = 0; slot < bench->b.params.warps; slot++)
        set |= slot % turn_count() == (unsigned)(turn - m->turn) ? BIT64(slot) : 0;
    return set;
}

/* Warps that fetch has to serve. */
static inline uint64_t to_fetch_for(const struct test_sm *s)
{
    uint64_t set = 0;
    for (uint64_t rest = s->warp.resident & ~s->warp.finished; rest; rest &= rest - 1) {
        const struct model_warp *m = &s->model.warp[mask_first(rest)];
        bool has_room = fills_up() && m->buffered < bench->b.params.instruction_buffer && m->next < bench->module_size;
        if (m->place == AT_REST && (!m->buffered || has_room))
            set |= rest & -rest;
    }
    return set;
}

static inline uint64_t on_the_way(const struct test_sm *s)
{
    uint64_t set = 0;
    for (unsigned slot = 0; slot < bench->b.params.warps; slot++)
        set |= s->model.warp[slot].place != AT_REST ? BIT64(slot) : 0;
    return set;
}

static inline uint64_t to_retire(const struct test_sm *s)
{
    return s->model.retiring & ~on_the_way(s);
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Bytes are fetched, at least an instruction. */
static inline uint32_t fetch_brings(void)
{
    uint32_t bytes = bench->b.params.fetch_width * 8;
    return bytes > bench->b.params.instruction_bytes ? bytes / bench->b.params.instruction_bytes : 1;
}

static inline uint64_t address_of(uint32_t pc)
{
    return bench->code_base + (uint64_t)pc * bench->b.params.instruction_bytes;
}

static inline uint32_t count_to_fetch(const struct model_warp *m)
{
    uint32_t room = bench->b.params.instruction_buffer - m->buffered;
    return least(least(fetch_brings(), room), bench->module_size - m->next);
}

static inline uint64_t line_of(uint64_t address)
{
    return address & ~(uint64_t)(bench->l1i.line_bytes - 1);
}

static inline struct fill *fill_under_way(uint64_t line)
{
    for (struct fill *f = bench->fills; f < bench->fills + MOST_FILLS; f++)
        if (f->used && f->under_way && f->address == line)
            return f;
    return NULL;
}

/* MSHRs that are taken. */
static inline unsigned fills_used(void)
{
    unsigned used = 0;
    for (const struct fill *f = bench->fills; f < bench->fills + MOST_FILLS; f++)
        used += f->used;
    return used;
}

/* All lines of the set are being filled. */
static inline bool is_reserved(uint64_t line)
{
    unsigned same = 0;
    for (const struct fill *f = bench->fills; f < bench->fills + MOST_FILLS; f++)
        same +=
            f->used && f->under_way &&
            (f->address / bench->l1i.line_bytes) % bench->l1i.sets == (line / bench->l1i.line_bytes) % bench->l1i.sets;
    return bench->l1i.allocate == CACHE_ALLOCATE_ON_MISS && same >= bench->l1i.ways;
}

/* The model's steps */

static inline void put_in_fetch_buffer(struct model_sm *m, unsigned slot)
{
    struct model_turn *turn = turn_of_slot(m, slot);
    EXPECT(turn->slot == CORE_NONE);
    turn->slot = slot;
    turn->pc = m->warp[slot].next;
    turn->count = count_to_fetch(&m->warp[slot]);
    m->warp[slot].place = AT_FETCH_BUFFER;
}

static inline void wait_for(struct test_sm *s, struct fill *f, unsigned slot)
{
    f->sm[f->waiting] = (uint8_t)number_of(s);
    f->slot[f->waiting++] = (uint8_t)slot;
    f->left++;
    s->model.warp[slot].place = AT_CACHE;
}

/* The cache has answered the warp that was picked: by its presence then, and by what it asks the network for. */
static inline void follow_answer(struct test_sm *s, const struct seen *seen)
{
    struct model_sm *m = &s->model;
    uint64_t line = line_of(seen->address);
    struct fill *f = fill_under_way(line);
    bool has_room = seen->room >= bench->l1i.miss_room;
    EXPECT(!seen->requested || (!seen->there && has_room));
    if (seen->there) {
        put_in_fetch_buffer(m, seen->slot);
    } else if (seen->requested) {
        EXPECT(f && f->requester == number_of(s) && !f->waiting);
        wait_for(s, f, seen->slot);
    } else if (f && has_room && f->waiting < bench->l1i.mshr_merges) {
        wait_for(s, f, seen->slot);
        bench->counts.joined++;
        bench->counts.across += f->requester != number_of(s);
    } else {
        EXPECT(f || !has_room || fills_used() == bench->l1i.mshr_entries || is_reserved(line));
        bench->counts.refused++;
    }
}

static inline void follow_pick(struct test_sm *s, struct model_turn *turn)
{
    struct model_sm *m = &s->model;
    unsigned slot = turn->seen.slot;
    EXPECT(s->agenda.made_progress);
    if (m->warp[slot].next >= bench->module_size) {
        m->warp[slot].next = simt_pc(&s->warp.slots[slot].simt);
        bench->counts.ran_off++;
        return;
    }
    m->warp[slot].asked = m->warp[slot].next;
    turn->last = slot;
    follow_answer(s, &turn->seen);
}

/* One warp is served whose line has come: the one that has waited for longest. Returns its turn, or NULL. */
static inline struct model_turn *follow_line(struct test_sm *s)
{
    struct model_sm *m = &s->model;
    if (!m->ready)
        return NULL;
    unsigned slot = m->ready_slot[0];
    struct fill *f = &bench->fills[m->ready_fill[0]];
    m->ready--;
    memmove(m->ready_slot, m->ready_slot + 1, m->ready);
    memmove(m->ready_fill, m->ready_fill + 1, m->ready);
    if (bench->sms == 1 && !--f->left)
        f->used = false;
    EXPECT(m->warp[slot].place == AT_CACHE);
    bool is_stale = is_finished(s, slot) || m->warp[slot].next != m->warp[slot].asked;
    if (bench->b.params.fetch_from_fill && !is_stale)
        put_in_fetch_buffer(m, slot);
    else
        m->warp[slot].place = AT_REST;
    return turn_of_slot(m, slot);
}

/* A turn's fetch buffer goes to the warp's, unless the warp has ended or left the straight line. */
static inline void follow_decode(struct test_sm *s, struct model_turn *turn)
{
    struct model_sm *m = &s->model;
    unsigned slot = turn->slot;
    struct model_warp *w = &m->warp[slot];
    turn->slot = CORE_NONE;
    w->place = AT_REST;
    if (is_finished(s, slot) || (fills_up() && w->next != turn->pc)) {
        bench->counts.dropped++;
        return;
    }
    uint32_t needed = simt_pc(&s->warp.slots[slot].simt);
    if (!w->buffered) {
        w->head = turn->pc;
        m->releases += turn->pc == needed && bench->program[turn->pc].after == INSTR_AFTER_FENCE;
    }
    EXPECT(turn->pc == w->head + w->buffered);
    w->buffered += turn->count;
    w->next = turn->pc + turn->count;
    EXPECT(turn->count && turn->count <= fetch_brings());
    EXPECT(w->buffered <= bench->b.params.instruction_buffer && w->next <= bench->module_size);
    m->stats.decoded_instructions += turn->count;
    for (uint32_t pc = turn->pc; pc < w->next; pc++)
        m->stats.decoded_operations += bench->program[pc + 1].scheduled_before - bench->program[pc].scheduled_before;
}

#endif
