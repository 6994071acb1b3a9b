/* Looks at what the unit holds, for files of it that have changed something. */
#include "lsu/lsu.h"

HOT void lsu_note_ready(struct lsu *lsu)
{
    lsu->ready = lsu_find_ready(lsu);
}

void lsu_l1_changed(struct lsu *lsu)
{
    lsu_note_ready(lsu);
    agenda_add(lsu->agenda, (lsu_has_queued(lsu) ? DUE_SEND : 0) | (l1_has_done(&lsu->l1d) ? DUE_RESPONSE : 0) |
                                (l1_has_ready(&lsu->l1d) ? DUE_PORT : 0) | lsu_due_of_probes(lsu));
}

HOT uint32_t lsu_entering_bytes(const struct lsu *lsu)
{
    if (lsu->params->memory_in_order || lsu->op == CORE_NONE || lsu->at == lsu->count)
        return 0;
    const struct core_op *o = &lsu->ops->items[lsu->op];
    if (!o->in_memory || !o->bypasses || o->access->space == ISA_SPACE_CONST || o->access->space == ISA_SPACE_CLUSTER)
        return 0;
    const struct packet request = {.kind = o->access->kind == ISA_FLAG_ATOMIC ? PACKET_ATOMIC : PACKET_READ,
                                   .bytes = (uint8_t)lsu->list[lsu->at].bytes};
    return packet_network_bytes(&request);
}

HOT void lsu_expect(const struct lsu *lsu, const struct packet *p)
{
    if (p->kind != PACKET_READ)
        return;
    const struct message_read *m = read_of(p);
    will_read(m->data);
    will_read(m->data + CACHE_LINE);
    if (!l1_keeps(&lsu->l1d) && m->fill != PACKET_NO_FILL)
        cache_expect_fill(lsu->l1d.cache, m->fill);
}
