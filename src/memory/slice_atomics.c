/* The time of an L2 slice's unit for atomics. */
#include "isa/mod_values.h"
#include "isa/op.h"
#include "memory/packet_values.h"
#include "memory/slice.h"

/* Lanes of a packet whose words begin in a part. */
static uint32_t lanes_in(const struct slice_part *part)
{
    const struct message_atomic *m = atomic_of(part->packet);
    uint32_t from = (uint32_t)(m->packet.address % PACKET_LINE_BYTES) + part->offset, lanes = 0;
    for (uint32_t i = 0; i < m->lane_count; i++)
        lanes += m->lanes[i].offset - from < part->bytes;
    return lanes;
}

static bool is_float(enum isa_type type)
{
    unsigned family = isa_type_info(type)->family;
    return family == ISA_CLASS_FLOAT || family == ISA_CLASS_PACKED;
}

/* Hundredths of cycles that the unit for atomics takes for a part. Float operations on a word have to wait for each
 * other, so that those on others come in between. */
static uint32_t atomic_time(const struct slice *s, const struct slice_part *part, uint64_t local)
{
    const struct partition_params *p = &s->params->partition;
    const struct message_atomic *m = atomic_of(part->packet);
    uint64_t line = ~(uint64_t)(PACKET_LINE_BYTES - 1);
    if (local == s->atomic_at && p->atomic_float_interval && is_float((enum isa_type)m->type))
        return p->atomic_float_interval;
    bool elsewhere = p->atomic_line_interval && ((local ^ s->atomic_at) & line);
    uint32_t time = elsewhere ? p->atomic_line_interval : p->atomic_interval;
    uint32_t values = m->atomic == ISA_ATOMIC_CAS ? 2 : 1;
    bool is_long = values > 1 && lanes_in(part) * values * packet_atomic_bytes(m->type) > part->bytes;
    return is_long ? time * 2 : time;
}

/* The unit has taken a part, and keeps the data port for so long. */
void slice_hold_port(struct slice *s, const struct slice_part *part, uint64_t local, uint64_t cycle)
{
    uint64_t begin = cycle_max(s->atomic_free_at, cycle * ATOMIC_CYCLE);
    if (s->atomic_read && local == s->atomic_at)
        begin += s->params->partition.atomic_turn_interval;
    s->atomic_read = false;
    s->atomic_free_at = begin + atomic_time(s, part, local);
    s->data_free_at = cycle_max(s->data_free_at, s->atomic_free_at / ATOMIC_CYCLE);
    s->atomic_at = local;
}

/* A part is read. The first read of what the unit took last waits for it to turn. */
void slice_turn_to_read(struct slice *s, const struct slice_part *part, uint64_t local, uint64_t cycle)
{
    bool fits = s->atomic_free_at && local == s->atomic_at; /* 0: it has taken nothing */
    if (!fits || s->atomic_read || part->packet->kind != PACKET_READ)
        return;
    uint64_t begin = cycle_max(s->atomic_free_at, cycle * ATOMIC_CYCLE);
    s->atomic_read = true;
    s->atomic_free_at = begin + s->params->partition.atomic_turn_interval;
    s->data_free_at = cycle_max(s->data_free_at, s->atomic_free_at / ATOMIC_CYCLE);
}
