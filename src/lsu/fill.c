/* What stores and atomics bring to those who perform them: bytes, and the operands of lanes. */
#include <string.h>

#include "simt/lock.h"
#include "lsu/lsu.h"

/* The usual case of lsu_store_bytes: elements of four bytes. They are aligned, and no segment is smaller, so this one has
 * all of a lane's bytes. */
HOT_INLINE void store_words(const struct simt_access *access, uint64_t lanes, struct message_write *m)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest), offset = (unsigned)access->address[lane] % PACKET_LINE_BYTES;
        memcpy(m->data + offset, access->data + 4 * lane, 4);
        m->mask[offset / 64] |= mask_low(4) << offset % 64;
    }
}

HOT void lsu_store_bytes(const struct simt_access *access, const struct lsu_transaction *t, struct message_write *m)
{
    unsigned size = access->stride;
    if (size == 4 && t->bytes >= 4) {
        store_words(access, t->lanes, m);
        return;
    }
    for (uint64_t rest = t->lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        /* The part of the lane's bytes that lies in this segment: all of it, unless the segment is smaller than the
         * access. Accesses are aligned and have at most 32 bytes, so they do not cross a word of the mask. */
        uint64_t at = access->address[lane], skip = at < t->address ? t->address - at : 0;
        unsigned bytes = size - (unsigned)skip < t->bytes ? size - (unsigned)skip : t->bytes;
        unsigned offset = (unsigned)((at + skip) % PACKET_LINE_BYTES);
        memcpy(m->data + offset, simt_access_data(access, lane) + skip, bytes);
        m->mask[offset / 64] |= mask_low(bytes) << offset % 64;
    }
}

/* The kind of request that an instruction of locks is to the slices' queues. */
static enum packet_lock lock_request_of(const struct core_op *o, const struct lsu_transaction *t)
{
    if (o->blocks == CORE_BLOCKS_LANES)
        return o->access->leaving & t->lanes ? PACKET_LOCK_LEAVE : PACKET_LOCK_TAKE;
    return isa_op_info((enum isa_op)o->access->instr->op)->flags & ISA_FLAG_GIVE ? PACKET_LOCK_GIVE : PACKET_LOCK_NOT;
}

/* Each part of a lane is one of the packet, side by side. */
NOT_INLINE void fill_parts(const struct simt_access *access, uint64_t lanes, struct message_atomic *m)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        for (unsigned part = 0, lane = mask_first(rest); part < access->elements; part++)
            m->lanes[m->lane_count++] = (struct packet_lane){
                .lane = (uint8_t)lane,
                .offset = (uint8_t)((access->address[lane] + part * access->element_bytes) % PACKET_LINE_BYTES),
                .operand = simt_atomic_value(access, lane, part, false),
                .compare = simt_atomic_value(access, lane, part, true)};
}

void lsu_fill_atomic(const struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                        struct message_atomic *m)
{
    const struct simt_access *access = o->access;
    m->atomic = access->instr->mods.atomic;
    m->type = access->instr->type;
    m->no_return = access->instr->dst_count == 0 && !simt_access_moves(access);
    if (RARELY(lsu->launch.lock_queues && simt_access_moves(access)))
        m->lock = lock_request_of(o, t);
    if (RARELY(access->elements > 1)) {
        fill_parts(access, t->lanes, m);
        return;
    }
    for (uint64_t rest = t->lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct packet_lane *l = &m->lanes[m->lane_count++];
        l->lane = (uint8_t)lane;
        l->offset = (uint8_t)(access->address[lane] % PACKET_LINE_BYTES);
        memcpy(&l->operand, simt_access_data(access, lane), 8);
        memcpy(&l->compare, simt_access_data(access, lane) + 8, 8);
    }
}
