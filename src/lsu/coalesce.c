/* Coalescing: a warp's addresses become memory transactions.
 *
 * arch13 (compute capability 1.3, as GPGPU-Sim's GTX 480 uses it): a segment is 32 bytes for 1-byte elements, 64 for
 * 2-byte, 128 for larger; one transaction per touched segment, then a 128-byte transaction whose used 32-byte chunks
 * lie in one half shrinks to 64 bytes, and a 64-byte one to 32. Local memory is split in 4-byte words first. Atomics go
 * by half warps, and lanes that hit the same bytes go to different transactions. arch20: what goes past the L1D makes
 * segments of 32 bytes, everything else is as with arch13. */
#include <string.h>

#include "base/hash.h"
#include "isa/mod_values.h"
#include "simt/image.h"
#include "simt/lanes.h"
#include "simt/lock.h"
#include "lsu/lsu.h"

#define CHUNK_BYTES 32u /* the smallest part of a segment that a transaction shrinks to */

/* A transaction lies in one line of the L1D, also when it goes past it: what it writes drops that line. */
static uint32_t within_line(const struct lsu *lsu, uint32_t segment)
{
    uint32_t line = lsu->l1d.line_bytes;
    return segment < line ? segment : line;
}

static uint32_t segment_bytes(const struct lsu *lsu, const struct core_op *op, unsigned element)
{
    const struct simt_access *access = op->access;
    if (access->space == ISA_SPACE_CONST)
        return lsu->const_sector;
    bool past = op->bypasses || (access->kind == ISA_FLAG_STORE && !lsu->params->global_loads_use_l1);
    if (lsu->params->coalescing == SM_COALESCE_ARCH20 && past)
        return 32;
    return within_line(lsu, element == 1 ? 32 : element == 2 ? 64 : 128);
}

/* The transactions made so far for an op, found by address: 64 chains. */
struct maker {
    struct lsu *lsu;
    uint32_t op;
    uint8_t first[64]; /* 1 + index in lsu_list; 0: none */
};

static void begin(struct maker *m, struct lsu *lsu, uint32_t op)
{
    m->lsu = lsu;
    m->op = op;
    memset(m->first, 0, sizeof m->first);
}

/* The transaction for a segment, newly made if there is none yet. */
HOT static struct lsu_transaction *transaction_for(struct maker *m, uint64_t address, uint32_t bytes)
{
    struct lsu *lsu = m->lsu;
    uint8_t *first = &m->first[hash_spread(address) >> 58];
    for (unsigned i = *first; i; i = lsu->list[i - 1].next)
        if (lsu->list[i - 1].address == address)
            return &lsu->list[i - 1];
    struct lsu_transaction *t = &lsu->list[lsu->count++];
    *t = (struct lsu_transaction){.op = m->op, .address = address, .bytes = bytes, .next = *first};
    *first = (uint8_t)lsu->count;
    return t;
}

/* Lanes access [start, end): adds them to the transactions of the segments that it touches. An aligned access lies in
 * one segment unless the segment is smaller than it. */
HOT static void touch(struct maker *m, uint64_t lanes, uint64_t start, uint64_t end, uint32_t segment)
{
    for (uint64_t at = start & ~(uint64_t)(segment - 1); at < end; at += segment) {
        struct lsu_transaction *t = transaction_for(m, at, segment);
        uint64_t low = start > at ? start - at : 0, high = end - at < segment ? end - at : segment;
        t->lanes |= lanes;
        t->chunks |= (uint32_t)mask_low((unsigned)(high - 1) / CHUNK_BYTES + 1) &
                     ~(uint32_t)mask_low((unsigned)low / CHUNK_BYTES);
    }
}

/* A run of lanes whose accesses of `size` bytes lie side by side from start on. */
HOT static void touch_run(struct maker *m, uint64_t lanes, uint64_t start, unsigned size, uint32_t segment)
{
    unsigned lane = mask_first(lanes), shift = (unsigned)__builtin_ctz(size);
    uint64_t end = start + mask_count(lanes) * size;
    while (start < end) {
        uint64_t next = (start & ~(uint64_t)(segment - 1)) + segment;
        next = next < end ? next : end;
        unsigned count = (unsigned)(next - start) >> shift;
        touch(m, mask_low(count) << lane, start, next, segment);
        lane += count;
        start = next;
    }
}

/* Lanes each of which accesses no more than one aligned chunk of one segment. Neighbours often lie in the same segment.
 */
static void touch_lanes(struct maker *m, const struct simt_access *access, uint32_t segment)
{
    struct lsu_transaction *t = NULL;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        uint64_t address = access->address[mask_first(rest)], at = address & ~(uint64_t)(segment - 1);
        if (!t || t->address != at)
            t = transaction_for(m, at, segment);
        t->lanes |= rest & -rest;
        t->chunks |= 1u << (unsigned)(address - at) / CHUNK_BYTES;
    }
}

static bool is_run(uint64_t lanes)
{
    uint64_t from_first = lanes >> mask_first(lanes);
    return !(from_first & (from_first + 1));
}

/* Shrinks a transaction to the half, and the half of the half, that its 32-byte chunks (bits of chunks) need. */
static void shrink(struct lsu_transaction *t)
{
    uint32_t chunks = t->chunks;
    if (t->bytes == 128) {
        if (!(chunks & 0xC)) {
            t->bytes = 64;
        } else if (!(chunks & 0x3)) {
            t->bytes = 64;
            t->address += 64;
            chunks >>= 2;
        }
    }
    if (t->bytes == 64) {
        if (!(chunks & 0x2)) {
            t->bytes = 32;
        } else if (!(chunks & 0x1)) {
            t->bytes = 32;
            t->address += 32;
        }
    }
}

static void shrink_all(struct lsu *lsu)
{
    for (unsigned i = 0; i < lsu->count; i++)
        shrink(&lsu->list[i]);
}

static void coalesce_plain(struct lsu *lsu, uint32_t index)
{
    const struct core_op *op = &lsu->ops->items[index];
    const struct simt_access *access = op->access;
    unsigned size = access->element_bytes * access->elements;
    uint32_t segment = segment_bytes(lsu, op, access->element_bytes);
    struct maker m;
    begin(&m, lsu, index);
    uint64_t first = access->address[mask_first(access->mask)];
    if (access->same)
        touch(&m, access->mask, first, first + size, segment);
    else if (access->straight && size <= segment && is_run(access->mask))
        touch_run(&m, access->mask, first, size, segment);
    else if (size <= segment && size <= CHUNK_BYTES)
        touch_lanes(&m, access, segment);
    else
        for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
            uint64_t address = access->address[mask_first(rest)];
            touch(&m, rest & -rest, address, address + size, segment);
        }
    if (access->space != ISA_SPACE_CONST)
        shrink_all(lsu);
}

/* A texture: each lane's texels, of as many lanes as have room in the list, in their order. */
static void coalesce_texels(struct lsu *lsu, uint32_t index, uint64_t lanes)
{
    const struct core_op *op = &lsu->ops->items[index];
    const struct simt_texels *texels = op->access->texels;
    uint32_t segment = segment_bytes(lsu, op, op->access->element_bytes);
    struct maker m;
    begin(&m, lsu, index);
    while (lanes && lsu->count + texels->parts <= sizeof lsu->list / sizeof lsu->list[0]) {
        unsigned lane = mask_first(lanes), bytes = simt_texel_bytes(op->access, lane);
        for (unsigned p = 0; p < texels->parts && mask_has(texels->parted[p], lane); p++)
            touch(&m, BIT64(lane), texels->address[p][lane], texels->address[p][lane] + bytes, segment);
        lanes &= lanes - 1;
    }
    lsu->behind = lanes;
    shrink_all(lsu);
}

/* Local memory as GPGPU-Sim lays it out (its local memory map): word w of all threads that can be resident lies
 * together; of these, the threads of a block side by side, blocks by their slot in an SM and within that by SM. So
 * lanes that agree on an offset share a line. */
static void coalesce_local(struct lsu *lsu, uint32_t index)
{
    const struct core_op *op = &lsu->ops->items[index];
    const struct simt_access *access = op->access;
    unsigned size = access->element_bytes * access->elements, width = lsu->params->warp_size;
    const struct lsu_launch *k = &lsu->launch;
    uint64_t per_block = k->threads_per_block, all = per_block * k->max_blocks * lsu->sm_count;
    const struct simt_warp *warp = &lsu->warp->slots[op->slot].simt;
    uint64_t thread = (uint64_t)(op->slot - warp->index) * width;
    uint64_t first = per_block * (lsu->net.index + lsu->sm_count * (thread / per_block)) + thread % per_block;
    uint32_t segment = within_line(lsu, 128);
    struct maker m;
    begin(&m, lsu, index);
    /* No more transactions than an instruction can make: later words share their time. */
    for (unsigned word = 0; word < (size + 3) / 4; word++) {
        for (uint64_t rest = access->mask; rest && lsu->count < 2 * WARP_SLOTS;) {
            /* Lanes that agree on an offset, as all do in the usual case, lie side by side. */
            uint64_t lanes = access->same && !warp->mixed && is_run(rest) ? rest : rest & -rest;
            unsigned lane = mask_first(rest);
            uint64_t address =
                lsu->local_base + ((access->address[lane] / 4 + word) * all + first + warp->threads[lane]) * 4;
            touch_run(&m, lanes, address, 4, segment);
            rest &= ~lanes;
        }
    }
    shrink_all(lsu);
}

/* The atomics of some lanes: within a segment, a lane joins the first transaction that does not touch its bytes yet, or
 * that does (joined). Lanes touch the same bytes or none in common, since accesses are aligned. */
HOT static void coalesce_lanes(struct lsu *lsu, uint32_t index, uint64_t lanes, uint32_t segment, bool joined)
{
    const struct simt_access *access = lsu->ops->items[index].access;
    uint64_t touched[2 * WARP_SLOTS][2], bytes = joined ? 0 : mask_low(access->element_bytes * access->elements);
    uint8_t first[64] = {0}, last[64], found = 0; /* chains of transactions by hash, oldest first: 1 + index; 0: none */
    for (uint64_t rest = lanes, before = ~UINT64_C(0); rest; rest &= rest - 1) {
        uint64_t address = access->address[mask_first(rest)], base = address & ~(uint64_t)(segment - 1);
        unsigned offset = (unsigned)(address - base), hash = hash_spread(base) >> 58;
        /* Behind a lane with the same address those up to its transaction are taken. */
        found = address == before && !joined ? (uint8_t)lsu->list[found - 1].next : first[hash];
        while (found &&
               (lsu->list[found - 1].address != base || (touched[found - 1][offset / 64] & bytes << offset % 64)))
            found = (uint8_t)lsu->list[found - 1].next;
        if (!found) {
            found = (uint8_t)++lsu->count;
            lsu->list[found - 1] = (struct lsu_transaction){.op = index, .address = base, .bytes = segment};
            touched[found - 1][0] = touched[found - 1][1] = 0;
            if (first[hash])
                lsu->list[last[hash] - 1].next = found;
            else
                first[hash] = found;
            last[hash] = found;
        }
        touched[found - 1][offset / 64] |= bytes << offset % 64;
        lsu->list[found - 1].chunks |= 1u << offset / 32;
        lsu->list[found - 1].lanes |= rest & -rest;
        before = address;
    }
}

/* Queues of locks answer each lane by itself. */
static void take_apart(struct lsu *lsu, uint32_t index, uint32_t segment)
{
    const struct simt_access *access = lsu->ops->items[index].access;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        uint64_t address = access->address[mask_first(rest)];
        lsu->list[lsu->count++] = (struct lsu_transaction){.op = index,
                                                           .address = address & ~(uint64_t)(segment - 1),
                                                           .bytes = segment,
                                                           .chunks = 1u << address % segment / 32,
                                                           .lanes = rest & -rest};
    }
}

/* True: lanes of the instruction that update the same word do so in one transaction. */
static bool are_joined(const struct lsu *lsu, const struct isa_instr *instr)
{
    static const uint32_t reducible = 1u << ISA_ATOMIC_ADD | 1u << ISA_ATOMIC_MIN | 1u << ISA_ATOMIC_MAX |
                                      1u << ISA_ATOMIC_AND | 1u << ISA_ATOMIC_OR | 1u << ISA_ATOMIC_XOR;
    uint32_t which = lsu->params->atomics_joined;
    bool joins = which == SM_ATOMICS_ALL || (which == SM_ATOMICS_RED && !instr->dst_count);
    return joins && reducible >> (instr->mods.atomic & ~LANE_ATOMIC_SUBNORMAL) & 1;
}

static void coalesce_atomic(struct lsu *lsu, uint32_t index)
{
    const struct core_op *op = &lsu->ops->items[index];
    uint32_t segment = segment_bytes(lsu, op, op->access->element_bytes);
    if (RARELY(lsu->launch.lock_queues && simt_access_moves(op->access))) {
        take_apart(lsu, index, segment);
        shrink_all(lsu);
        return;
    }
    bool joined = are_joined(lsu, op->access->instr);
    unsigned width = joined ? PACKET_LANES : 16, most = PACKET_LANES / op->access->elements;
    width = width < most ? width : most;
    for (unsigned first = 0; first < lsu->params->warp_size; first += width)
        coalesce_lanes(lsu, index, op->access->mask & mask_low(width) << first, segment, joined);
    shrink_all(lsu);
}

/* Words of shared memory that an instruction touches. */
struct words {
    unsigned banks, count;
    uint8_t degree[64];  /* different words of each bank */
    uint16_t newest[64]; /* chain of a bank's words: 1 + index; 0: none */
    uint16_t next[SIMT_MAX_WIDTH * SIMT_ACCESS_BYTES / 4];
    uint32_t word[SIMT_MAX_WIDTH * SIMT_ACCESS_BYTES / 4];
    uint8_t lanes[SIMT_MAX_WIDTH * SIMT_ACCESS_BYTES / 4]; /* that meet in it */
    unsigned most_words, most_lanes;                       /* of any bank; of any word */
};

static void add_word(struct words *w, uint32_t word)
{
    unsigned bank = w->banks == 32 ? word % 32 : word % w->banks, i = w->newest[bank];
    while (i && w->word[i - 1] != word)
        i = w->next[i - 1];
    if (!i) {
        i = ++w->count;
        w->word[i - 1] = word;
        w->lanes[i - 1] = 0;
        w->next[i - 1] = w->newest[bank];
        w->newest[bank] = (uint16_t)i;
        w->degree[bank] += w->degree[bank] < SIMT_MAX_WIDTH;
        w->most_words = w->degree[bank] > w->most_words ? w->degree[bank] : w->most_words;
    }
    w->lanes[i - 1]++;
    w->most_lanes = w->lanes[i - 1] > w->most_lanes ? w->lanes[i - 1] : w->most_lanes;
}

static void find_words(struct words *w, const struct simt_access *access, unsigned banks)
{
    unsigned words = (access->element_bytes * access->elements + 3u) / 4u;
    w->banks = banks;
    w->count = w->most_words = w->most_lanes = 0;
    memset(w->degree, 0, sizeof w->degree);
    memset(w->newest, 0, sizeof w->newest);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        for (unsigned i = 0; i < words; i++)
            add_word(w, (uint32_t)(access->address[mask_first(rest)] / 4) + i);
}

/* Shared memory seen as rows of one word of each bank. */
#define MOST_ROWS 64u

/* True: count_rows can be asked, since the lanes' accesses lie in few rows, and none in two. */
static bool in_few_rows(const struct simt_access *access, unsigned banks)
{
    unsigned words = (access->element_bytes * access->elements + 3u) / 4u;
    return access->high / 4 / banks - access->low / 4 / banks < MOST_ROWS && banks % words == 0;
}

/* The most words of any bank that the lanes touch: the words of each row as a set of banks, and the rows that each bank
 * is in counted for all banks at once, bit by bit. */
static inline unsigned count_rows(const struct simt_access *access, unsigned banks)
{
    uint64_t row[MOST_ROWS], count[7] = {0}, touched = 0;
    uint64_t words = mask_low((access->element_bytes * access->elements + 3u) / 4u);
    uint64_t first = access->low / 4 / banks * banks * 4;
    uint32_t rows = (uint32_t)(access->high - first) / 4 / banks + 1;
    memset(row, 0, rows * sizeof row[0]);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        uint32_t word = (uint32_t)(access->address[mask_first(rest)] - first) / 4;
        row[word / banks] |= words << word % banks;
        touched |= words << word % banks;
    }
    if (mask_count(touched) == mask_count(access->mask) * mask_count(words)) /* no lane meets another in a bank */
        return 1;
    for (uint32_t r = 0; r < rows; r++)
        for (uint64_t i = 0, carry = row[r], sum; carry; i++, carry = sum) {
            sum = count[i] & carry;
            count[i] ^= carry;
        }
    unsigned most = 0;
    uint64_t banks_left = ~UINT64_C(0);
    for (unsigned i = 7; i-- > 0;)
        if (count[i] & banks_left) {
            banks_left &= count[i];
            most |= 1u << i;
        }
    return most;
}

/* The words of any bank that must be served for a plain access. */
static unsigned count_words(const struct simt_access *access, unsigned banks)
{
    unsigned bytes = access->element_bytes * access->elements;
    if (access->high / 4 - access->low / 4 + (bytes + 3) / 4 <= banks) /* so close that no two words share a bank */
        return 1;
    if (in_few_rows(access, banks))
        return banks == 32 ? count_rows(access, 32) : count_rows(access, banks); /* division by a constant is cheap */
    struct words w;
    find_words(&w, access, banks);
    return w.most_words;
}

/* Addresses that lanes access, but for the first. */
static unsigned further_addresses(const struct simt_access *access)
{
    uint64_t met[SIMT_MAX_WIDTH];
    unsigned count = 0;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned i = 0;
        for (met[count] = access->address[mask_first(rest)]; met[i] != met[count]; i++)
            continue;
        count += i == count;
    }
    return count ? count - 1 : 0;
}

static uint32_t pc_of(const struct lsu *lsu, const struct core_op *o)
{
    return (uint32_t)(o->decoded - lsu->warp->decoded);
}

COLD NOT_INLINE void tell_serialized(const struct lsu *lsu, const struct core_op *o)
{
    if (lsu->cycles > 1)
        watch_tell_serialized(
            lsu->watch, &(struct lockstep_serialized_event){
                            .cycle = lsu->agenda->now, .warp = o->slot, .pc = pc_of(lsu, o), .passes = lsu->cycles});
}

COLD NOT_INLINE void tell_divided(const struct lsu *lsu, const struct core_op *o)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < lsu->count; i++)
        bytes += lsu->list[i].bytes;
    watch_tell_divided(lsu->watch, &(struct lockstep_divided_event){.cycle = lsu->agenda->now,
                                                                    .warp = o->slot,
                                                                    .pc = pc_of(lsu, o),
                                                                    .transactions = lsu->count,
                                                                    .bytes = bytes});
}

static bool is_cas(const struct isa_instr *instr)
{
    return lane_atomic_compares(instr->mods.atomic);
}

/* True: there is a loop in its place where machines have sm.shared_loop_interval. */
static bool is_loop(const struct simt_access *access)
{
    const struct isa_instr *instr = access->instr;
    unsigned family = isa_type_info((enum isa_type)instr->type)->family;
    bool swaps = is_cas(instr) || (instr->mods.atomic & ~LANE_ATOMIC_SUBNORMAL) == ISA_ATOMIC_EXCH;
    if (access->elements > 1)
        return true;
    if (access->element_bytes == 4 || (access->element_bytes == 8 && swaps))
        return family == ISA_CLASS_FLOAT || family == ISA_CLASS_PACKED;
    return true;
}

/* Cycles for which a pass of a loop that begins at a word holds shared memory. */
static unsigned loop_interval(struct lsu *lsu, bool is_long, uint32_t word)
{
    const struct sm_params *p = lsu->params;
    bool again = word + UINT64_C(1) == lsu->loop_word;
    lsu->loop_word = word + UINT64_C(1);
    uint32_t interval = is_long && p->shared_loop_interval_i64 ? p->shared_loop_interval_i64 : p->shared_loop_interval;
    uint32_t next = is_long && p->shared_loop_again_i64 ? p->shared_loop_again_i64 : p->shared_loop_again;
    return again && next ? next : interval;
}

/* An access holds shared memory for so many cycles; its result comes behind them. */
static void set_cycles(struct lsu *lsu, unsigned cycles)
{
    lsu->cycles = cycles;
    lsu->after = lsu->params->shared_latency + (cycles - 1) * lsu->params->shared_pass_latency;
}

/* An atomic that is a loop, of a pass for each lane on the busiest word. */
static void set_loop(struct lsu *lsu, const struct simt_access *access, const struct words *w)
{
    const struct sm_params *p = lsu->params;
    bool is_long = access->element_bytes == 8;
    uint32_t lowest = w->word[0];
    for (unsigned i = 1; i < w->count; i++)
        lowest = w->word[i] < lowest ? w->word[i] : lowest;
    set_cycles(lsu, w->most_lanes * loop_interval(lsu, is_long, lowest));
    uint32_t pass = is_long && p->shared_loop_latency_i64 ? p->shared_loop_latency_i64 : p->shared_loop_latency;
    if (pass)
        lsu->after = w->most_lanes * pass > lsu->cycles ? w->most_lanes * pass - lsu->cycles : 1;
}

/* An atomic: lanes on one word are performed one after another. */
NOT_INLINE void set_atomic(struct lsu *lsu, const struct simt_access *access)
{
    struct words w;
    find_words(&w, access, lsu->params->shared_banks);
    if (RARELY(lsu->params->shared_loop_interval) && is_loop(access)) {
        set_loop(lsu, access, &w);
        return;
    }
    unsigned lanes = w.most_lanes;
    if (is_cas(access->instr))
        lanes *= lsu->params->shared_cas_interval;
    set_cycles(lsu, w.most_words > lanes ? w.most_words : lanes);
    lsu->after += lsu->params->shared_atomic_latency;
}

/* The words of the busiest bank, but for loads of 16 bytes a lane no less than the machine takes. */
static unsigned plain_cycles(const struct lsu *lsu, const struct simt_access *access)
{
    unsigned words = count_words(access, lsu->params->shared_banks), least = lsu->params->shared_wide_interval;
    bool is_wide = access->kind == ISA_FLAG_LOAD && access->element_bytes * access->elements == 16;
    return RARELY(is_wide && words < least) ? least : words;
}

static unsigned mbarrier_cycles(const struct lsu *lsu, const struct simt_access *access)
{
    return count_words(access, lsu->params->shared_banks) * lsu->params->mbarrier_pass;
}

/* Shared memory takes a cycle for each word that its busiest bank must serve; lanes at one mbarrier are taken up together, as an
 * H100 does, where a warp whose lanes all arrive holds up others for no longer than one that arrives once. */
HOT static void count_conflicts(struct lsu *lsu, const struct simt_access *access)
{
    if (access->kind == ISA_FLAG_ATOMIC && access->op->kind != SIMT_KIND_MBARRIER)
        set_atomic(lsu, access);
    else
        set_cycles(lsu, RARELY(access->op->kind == SIMT_KIND_MBARRIER) ? mbarrier_cycles(lsu, access) : plain_cycles(lsu, access));
    lsu->shared_conflict_cycles += lsu->cycles - 1;
}

/* The cycles for which the banks of the L1D give other words of an instruction before the last lines are looked up.
 * Threads of a warp have words of local memory in banks of their own. */
static uint32_t bank_cycles(const struct lsu *lsu, const struct core_op *o)
{
    const struct simt_access *access = o->access;
    uint32_t lookups = lsu_lookups(lsu, o), lines = (lsu->count + lookups - 1) / lookups;
    uint32_t of_lane = (access->element_bytes * access->elements + 3u) / 4u;
    uint32_t words = access->space == ISA_SPACE_LOCAL ? of_lane : count_words(access, lsu->params->shared_banks);
    if (lsu->params->l1_words_each && words < of_lane)
        words = of_lane;
    return lookups > 1 && words > lines ? words - lines : 0;
}

/* Transactions were made. */
HOT_INLINE void tell_made(struct lsu *lsu, const struct core_op *o)
{
    lsu->transactions_made += lsu->count;
    if (RARELY(watch_hears(lsu->watch, WATCH_divided)))
        tell_divided(lsu, o);
    if (RARELY(lsu->port->coalesced))
        lsu->port->coalesced(lsu->sm, o, lsu->count);
}

HOT void lsu_coalesce(struct lsu *lsu, uint32_t op)
{
    const struct core_op *o = &lsu->ops->items[op];
    lsu->count = lsu->at = 0;
    lsu->cycles = lsu->banks = 0;
    if (!o->in_memory)
        return;
    switch (o->access->space) {
    case ISA_SPACE_SHARED:
        count_conflicts(lsu, o->access);
        if (RARELY(watch_hears(lsu->watch, WATCH_serialized)))
            tell_serialized(lsu, o);
        return;
    case ISA_SPACE_LOCAL:
        coalesce_local(lsu, op);
        break;
    default:
        if (o->access->kind == ISA_FLAG_ATOMIC)
            coalesce_atomic(lsu, op);
        else if (RARELY(o->access->samples))
            coalesce_texels(lsu, op, o->access->mask);
        else
            coalesce_plain(lsu, op);
        break;
    }
    if (o->access->space == ISA_SPACE_CONST) {
        if (RARELY(lsu->params->constant_interval))
            lsu->banks = further_addresses(o->access) * lsu->params->constant_interval;
        return;
    }
    if (RARELY(lsu->params->l1_lookups > 1))
        lsu->banks = bank_cycles(lsu, o);
    tell_made(lsu, o);
}

void lsu_coalesce_behind(struct lsu *lsu, uint32_t op)
{
    lsu->count = lsu->at = 0;
    coalesce_texels(lsu, op, lsu->behind);
    tell_made(lsu, &lsu->ops->items[op]);
}
