/* Coalescing: a warp's addresses become memory transactions.
 *
 * arch13 (compute capability 1.3, as GPGPU-Sim's GTX 480 uses it): a segment is 32 bytes for 1-byte elements, 64 for
 * 2-byte, 128 for larger; one transaction per touched segment, then a 128-byte transaction whose used 32-byte chunks
 * lie in one half shrinks to 64 bytes, and a 64-byte one to 32. Local memory is split in 4-byte words first. Atomics go
 * by half warps, and lanes that hit the same bytes go to different transactions. arch20: whole 128-byte lines for loads
 * that the L1D caches, 32-byte sectors for everything else. */
#include "sm/sm_impl.h"

static uint32_t segment_bytes(const struct sm *sm, const struct sm_op *op, unsigned element)
{
    const struct simt_access *access = op->access;
    if (access->space == ISA_SPACE_CONST)
        return sm->setup.l1c->line_bytes;
    if (sm->params->coalescing == SM_COALESCE_ARCH20) {
        bool cached = access->kind == ISA_FLAG_LOAD && !op->bypasses;
        return cached ? sm->setup.l1d->line_bytes : 32;
    }
    return element == 1 ? 32 : element == 2 ? 64 : 128;
}

/* The transaction for a segment, newly made if there is none yet. */
static struct sm_transaction *transaction_for(struct sm *sm, uint32_t op, unsigned from, uint64_t address,
                                              uint32_t bytes)
{
    for (unsigned i = from; i < sm->lsu_count; i++)
        if (sm->lsu_list[i].address == address)
            return &sm->lsu_list[i];
    struct sm_transaction *t = &sm->lsu_list[sm->lsu_count++];
    *t = (struct sm_transaction){.op = op, .address = address, .bytes = bytes};
    return t;
}

/* Shrinks a transaction to the half, and the half of the half, that its 32-byte chunks (bits of chunks) need. */
static void shrink(struct sm_transaction *t, uint32_t chunks)
{
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

static void coalesce_plain(struct sm *sm, uint32_t index)
{
    const struct sm_op *op = &sm->ops.items[index];
    const struct simt_access *access = op->access;
    unsigned size = access->element_bytes * access->elements;
    uint32_t segment = segment_bytes(sm, op, access->element_bytes);
    uint32_t chunks[2 * SM_SLOTS] = {0};
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        /* A naturally aligned access lies in one segment unless the segment is smaller than it (then it takes the
         * segments it spans). */
        for (uint64_t at = address & ~(uint64_t)(segment - 1); at < address + size; at += segment) {
            struct sm_transaction *t = transaction_for(sm, index, 0, at, segment);
            t->lanes |= BIT64(lane);
            uint64_t first = address > at ? address - at : 0, last = address + size - 1 - at;
            last = last < segment ? last : segment - 1;
            for (uint64_t chunk = first / 32; chunk <= last / 32; chunk++)
                chunks[t - sm->lsu_list] |= 1u << chunk;
        }
    }
    if (sm->params->coalescing == SM_COALESCE_ARCH13 && access->space != ISA_SPACE_CONST)
        for (unsigned i = 0; i < sm->lsu_count; i++)
            shrink(&sm->lsu_list[i], chunks[i]);
}

/* Local memory as GPGPU-Sim lays it out (its local memory map): word w of all threads that can be resident lies
 * together; of these, the threads of a block side by side, blocks by their slot in an SM and within that by SM. So
 * lanes that agree on an offset share a line. */
static void coalesce_local(struct sm *sm, uint32_t index)
{
    const struct sm_op *op = &sm->ops.items[index];
    const struct simt_access *access = op->access;
    unsigned size = access->element_bytes * access->elements, width = sm->params->warp_size;
    const struct sm_kernel *k = sm->kernel;
    uint64_t per_block = k->threads_per_block, all = per_block * k->max_blocks * sm->setup.sm_count;
    uint64_t thread = (uint64_t)op->slot * width;
    uint64_t first = per_block * (sm->setup.index + sm->setup.sm_count * (thread / per_block)) + thread % per_block;
    uint32_t chunks[2 * SM_SLOTS] = {0};
    for (unsigned word = 0; word < (size + 3) / 4; word++) {
        for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest);
            uint64_t address = sm->setup.local_base + ((access->address[lane] / 4 + word) * all + first + lane) * 4;
            if (sm->lsu_count == 2 * SM_SLOTS)
                return; /* as many transactions as an instruction can make: later words share their time */
            struct sm_transaction *t = transaction_for(sm, index, 0, address & ~UINT64_C(127), 128);
            t->lanes |= BIT64(lane);
            chunks[t - sm->lsu_list] |= 1u << (address & 127) / 32;
        }
    }
    for (unsigned i = 0; i < sm->lsu_count; i++)
        shrink(&sm->lsu_list[i], chunks[i]);
}

/* Atomics: by half warps; within a segment, a lane joins the first transaction that does not touch its bytes yet. */
static void coalesce_atomic(struct sm *sm, uint32_t index)
{
    const struct sm_op *op = &sm->ops.items[index];
    const struct simt_access *access = op->access;
    uint32_t segment = segment_bytes(sm, op, access->element_bytes);
    uint64_t touched[2 * SM_SLOTS][2];
    uint32_t chunks[2 * SM_SLOTS] = {0};
    for (unsigned half = 0; half < sm->params->warp_size; half += 16) {
        unsigned from = sm->lsu_count;
        for (uint64_t rest = access->mask & (UINT64_C(0xFFFF) << half); rest; rest &= rest - 1) {
            unsigned lane = mask_first(rest), offset = access->address[lane] & (segment - 1);
            uint64_t base = access->address[lane] - offset, bytes = mask_low(access->element_bytes);
            unsigned i = from;
            while (i < sm->lsu_count &&
                   (sm->lsu_list[i].address != base || (touched[i][offset / 64] & bytes << offset % 64)))
                i++;
            if (i == sm->lsu_count) {
                sm->lsu_list[sm->lsu_count++] = (struct sm_transaction){.op = index, .address = base, .bytes = segment};
                touched[i][0] = touched[i][1] = 0;
            }
            touched[i][offset / 64] |= bytes << offset % 64;
            chunks[i] |= 1u << offset / 32;
            sm->lsu_list[i].lanes |= BIT64(lane);
        }
    }
    for (unsigned i = 0; i < sm->lsu_count; i++)
        shrink(&sm->lsu_list[i], chunks[i]);
}

/* Shared memory: the conflict degree is the largest number of different words that any bank must serve. */
static void count_conflicts(struct sm *sm, const struct simt_access *access)
{
    unsigned banks = sm->params->shared_banks, words = (access->element_bytes * access->elements + 3u) / 4u;
    uint64_t first[64];
    uint8_t degree[64] = {0};
    uint64_t others[64][SIMT_MAX_WIDTH];
    unsigned worst = 1;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        for (unsigned w = 0; w < words; w++) {
            uint64_t word = access->address[mask_first(rest)] / 4 + w;
            unsigned bank = (unsigned)(word % banks), i = 0;
            if (degree[bank] && first[bank] == word)
                continue;
            for (; i < degree[bank] && others[bank][i] != word; i++)
                ;
            if (i < degree[bank] || degree[bank] == SIMT_MAX_WIDTH)
                continue;
            if (!degree[bank])
                first[bank] = word;
            others[bank][degree[bank]++] = word;
            if (degree[bank] > worst)
                worst = degree[bank];
        }
    }
    /* Atomics on one word are performed one after another. */
    if (access->kind == ISA_FLAG_ATOMIC) {
        for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
            unsigned same = 0;
            for (uint64_t all = access->mask; all; all &= all - 1)
                same += access->address[mask_first(all)] / 4 == access->address[mask_first(rest)] / 4;
            worst = same > worst ? same : worst;
        }
    }
    sm->lsu_cycles = worst;
    sm->stats.shared_conflict_cycles += worst - 1;
}

void sm_coalesce(struct sm *sm, uint32_t op)
{
    const struct sm_op *o = &sm->ops.items[op];
    sm->lsu_count = sm->lsu_at = 0;
    sm->lsu_cycles = 0;
    if (!o->in_memory)
        return;
    switch (o->access->space) {
    case ISA_SPACE_SHARED:
        count_conflicts(sm, o->access);
        return;
    case ISA_SPACE_LOCAL:
        coalesce_local(sm, op);
        break;
    default:
        if (o->access->kind == ISA_FLAG_ATOMIC)
            coalesce_atomic(sm, op);
        else
            coalesce_plain(sm, op);
        break;
    }
    if (o->access->space != ISA_SPACE_CONST)
        sm->stats.transactions += sm->lsu_count;
}
