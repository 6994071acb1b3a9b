/* A slice's answers to what asynchronous units read for several SMs at once: see partition_open_casts. */
#include <string.h>

#include "memory/slice.h"

void slice_cast(const struct slice *s, struct partition_reply *reply)
{
    struct packet *p = reply->packet;
    uint32_t number = access_of(p)->waiter;
    if (number >= PARTITION_CASTS)
        return;
    struct packet_list *list = &s->casts[p->sm * PARTITION_CASTS + number];
    if (!list->first)
        return;
    for (struct packet *q = list->first; q; q = q->next)
        memcpy(packet_data(q) + q->address % PACKET_LINE_BYTES, packet_data(p) + q->sectors, q->bytes);
    list->last->next = p;
    reply->packet = list->first;
    *list = (struct packet_list){NULL, NULL};
    slice_address_cast(reply);
}

void partition_next_cast(struct partition_out *out)
{
    struct partition_reply *r = &out->replies[out->first & out->mask];
    r->packet = r->packet->next;
    slice_address_cast(r);
}
