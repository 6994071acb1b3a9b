/* Checkpoints of a load/store unit (base/archive.h). Packets are stored where they are met first, ops and transactions
 * are known by number. */
#include "base/archive.h"

#include <stdlib.h>

#include "lsu/lsu.h"

static void archive_transaction(struct lsu *lsu, struct archive *ar, struct lsu_transaction *t)
{
    core_archive_op_number(lsu->ops, ar, &t->op);
    ARCHIVE(ar, t->lanes);
    ARCHIVE(ar, t->address);
    archive_u32_to(ar, &t->bytes, PACKET_LINE_BYTES);
    ARCHIVE(ar, t->chunks);
}

/* `next` of a transaction in use means nothing. */
void lsu_archive_transactions(struct lsu *lsu, struct archive *ar)
{
    uint32_t count = (uint32_t)lsu->transactions.count;
    archive_u32_to(ar, &count, CORE_MAX_POOL);
    while (lsu->transactions.count < count)
        vec_push(&lsu->transactions, (struct lsu_transaction){0});
    uint8_t *free_ones = core_free_members(lsu->transactions.items, sizeof *lsu->transactions.items,
                                           offsetof(struct lsu_transaction, next), count,
                                           archive_loading(ar) ? CORE_NONE : lsu->free_transaction);
    for (uint32_t i = 0; i < count; i++) {
        struct lsu_transaction *t = &lsu->transactions.items[i];
        uint32_t next = free_ones[i] ? t->next : CORE_NONE;
        archive_place(ar, &next, count);
        if (archive_loading(ar))
            t->next = next;
        archive_transaction(lsu, ar, t);
    }
    archive_place(ar, &lsu->free_transaction, count);
    archive_u32_to(ar, &lsu->transactions_live, count);
    free(free_ones);
}

static void archive_l1d_pipe(struct lsu *lsu, struct archive *ar)
{
    uint32_t size = lsu->pipe_size;
    archive_u32_to(ar, &lsu->pipe_head, size ? size - 1 : 0);
    archive_u32_to(ar, &lsu->pipe_count, size);
    archive_bool(ar, &lsu->own_was_last);
    archive_bool(ar, &lsu->pipe_refused);
    for (uint32_t i = 0; i < lsu->pipe_count; i++) {
        struct lsu_delayed *d = &lsu->pipe[(lsu->pipe_head + i) % size];
        archive_transaction(lsu, ar, &d->transaction);
        ARCHIVE(ar, d->ready);
    }
}

static void archive_hits(struct lsu *lsu, struct archive *ar)
{
    archive_u32_to(ar, &lsu->hits.head, lsu->hits.size - 1);
    archive_u32_to(ar, &lsu->hits.count, lsu->hits.size);
    for (uint32_t i = 0; i < lsu->hits.count; i++) {
        struct lsu_hit *hit = &lsu->hits.ring[(lsu->hits.head + i) % lsu->hits.size];
        core_archive_op_number(lsu->ops, ar, &hit->op);
        ARCHIVE(ar, hit->transactions);
        ARCHIVE(ar, hit->ready);
    }
}

static void archive_shared_done(struct lsu *lsu, struct archive *ar)
{
    uint32_t count = (uint32_t)lsu->shared_done.count;
    archive_u32_to(ar, &count, CORE_MAX_POOL);
    while (lsu->shared_done.count < count)
        vec_push(&lsu->shared_done, CORE_NONE);
    archive_places(ar, lsu->shared_done.items, count, (uint32_t)lsu->ops->count);
    archive_u32_to(ar, &lsu->shared_head, count);
}

static void archive_fences(struct lsu *lsu, struct archive *ar)
{
    for (uint64_t rest = lsu->warp->resident; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        struct order_wait *order = &lsu->fences.of[slot].order;
        ARCHIVE(ar, lsu->fences.of[slot].since);
        ARCHIVE(ar, lsu->fences.of[slot].least);
        ARCHIVE(ar, lsu->early.since[slot]);
        ARCHIVE(ar, order->after);
        ARCHIVE(ar, order->mark);
        archive_u8_to(ar, &order->order, L1_ORDERS - 1);
        archive_bool(ar, &order->flushing);
    }
    ARCHIVE(ar, lsu->fences.free);
    ARCHIVE(ar, lsu->early.ordered);
}

void lsu_archive(struct lsu *lsu, struct archive *ar, const struct packet_source *source)
{
    archive_u8_to(ar, &lsu->served, LSU_NO_PLACE);
    archive_place(ar, &lsu->op, (uint32_t)lsu->ops->count);
    archive_u32_to(ar, &lsu->count, 2 * WARP_SLOTS);
    archive_u32_to(ar, &lsu->at, 2 * WARP_SLOTS);
    ARCHIVE(ar, lsu->behind);
    ARCHIVE(ar, lsu->cycles);
    ARCHIVE(ar, lsu->after);
    ARCHIVE(ar, lsu->loop_word);
    ARCHIVE(ar, lsu->banks);
    for (uint32_t i = 0; i < lsu->count; i++)
        archive_transaction(lsu, ar, &lsu->list[i]);
    archive_l1d_pipe(lsu, ar);
    archive_hits(lsu, ar);
    core_archive_wheel(&lsu->shared, lsu->ops, ar);
    archive_shared_done(lsu, ar);
    archive_u32_to(ar, &lsu->writeback_from, LSU_CLIENT_COUNT);
    packet_archive(ar, &lsu->bypass_reply, source);
    packet_archive_ring(ar, &lsu->l1d.requests, source);
    packet_archive_ring(ar, &lsu->l1c_queue, source);
    packet_archive_ring(ar, &lsu->net.instructions, source);
    ARCHIVE(ar, lsu->net.instructions_since);
    ARCHIVE(ar, lsu->net.port_at);
    packet_archive_ring(ar, &lsu->net.ejected, source);
    packet_archive_list(ar, &lsu->net.far, source);
    packet_archive_ring(ar, &lsu->responses, source);
    ARCHIVE(ar, lsu->net.packets.out);
    ARCHIVE(ar, lsu->next_core);
    ARCHIVE(ar, lsu->blocks);
    archive_fences(lsu, ar);
    ARCHIVE(ar, lsu->transactions_made);
    ARCHIVE(ar, lsu->shared_conflict_cycles);
    ARCHIVE(ar, lsu->latencies);
    packet_archive_list(ar, &lsu->cluster.asking, source);
    packet_archive_list(ar, &lsu->cluster.answering, source);
    packet_archive_list(ar, &lsu->cluster.coming, source);
    for (uint32_t i = 0; lsu->cluster.casts && i < PARTITION_CASTS; i++)
        packet_archive_list(ar, &lsu->cluster.casts[i], source);
    ARCHIVE(ar, lsu->cluster.accesses);
    ARCHIVE(ar, lsu->cluster.port_free);
    if (!lsu->net.probe_network)
        return;
    packet_archive_ring(ar, &lsu->net.probes, source);
    packet_archive_ring(ar, &lsu->l1d.answers, source);
}

void lsu_archive_caches(struct lsu *lsu, struct archive *ar, const struct packet_source *source)
{
    uint32_t transactions = (uint32_t)lsu->transactions.count;
    cache_archive(lsu->l1c, ar);
    cache_archive_waiters(lsu->l1c, ar, transactions);
    l1_archive(&lsu->l1d, ar, source, transactions);
    if (lsu->locality)
        lsu_locality_archive(lsu->locality, ar);
}

struct packet *lsu_archive_packet(struct lsu *lsu, unsigned kind)
{
    struct packet *p = packet_new(&lsu->net.packets, kind);
    lsu->net.packets.out--;
    return p;
}
