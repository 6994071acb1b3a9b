/* The lanes of an atomic, or the bytes of a store, on a line: for a slice or an L1 (packet_values.h). */
#include "memory/packet_values.h"

#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "isa/op.h"
#include "simt/lanes.h"

uint32_t packet_atomic_bytes(uint8_t type)
{
    uint32_t bytes = isa_type_bits((enum isa_type)type) / 8;
    return bytes < sizeof(uint64_t) ? bytes : sizeof(uint64_t);
}

/* Compiled for each size. */
HOT_INLINE void perform_lanes(struct message_atomic *m, uint8_t *line, uint32_t from, uint32_t bytes, uint32_t size)
{
    for (uint32_t i = 0; i < m->lane_count; i++) {
        struct packet_lane *lane = &m->lanes[i];
        uint64_t old = 0;
        if (lane->offset - from >= bytes)
            continue;
        memcpy(&old, line + lane->offset, size);
        uint64_t value = lane_atomic(m->atomic, m->type, old, lane->operand, lane->compare);
        memcpy(line + lane->offset, &value, size);
        lane->operand = old;
    }
}

/* Of 128 bits, whose halves stand side by side, the lower first: both are exchanged, or none. */
NOT_INLINE void perform_pairs(struct message_atomic *m, uint8_t *line, uint32_t from, uint32_t bytes)
{
    bool compares = lane_atomic_compares(m->atomic);
    for (uint32_t i = 0; i + 1 < m->lane_count; i += 2) {
        struct packet_lane *half = &m->lanes[i];
        uint64_t old[2], value[2] = {half[0].operand, half[1].operand};
        if (half[0].offset - from >= bytes)
            continue;
        memcpy(old, line + half[0].offset, sizeof old);
        if (!compares || (old[0] == half[0].compare && old[1] == half[1].compare))
            memcpy(line + half[0].offset, value, sizeof value);
        half[0].operand = old[0];
        half[1].operand = old[1];
    }
}

bool packet_lane_performed(const struct message_atomic *m, uint32_t i)
{
    const struct packet_lane *other = &m->lanes[m->type == ISA_B128 ? i ^ 1 : i], *lane = &m->lanes[i];
    bool compares = lane_atomic_compares(m->atomic);
    return !compares || (lane->operand == lane->compare && other->operand == other->compare);
}

uint64_t packet_lane_after(const struct message_atomic *m, uint32_t i, uint64_t operand)
{
    const struct packet_lane *lane = &m->lanes[i];
    if (m->type == ISA_B128)
        return packet_lane_performed(m, i) ? operand : lane->operand;
    return lane_atomic(m->atomic, m->type, lane->operand, operand, lane->compare);
}

HOT void packet_perform_lanes(struct message_atomic *m, uint8_t *line, uint32_t from, uint32_t bytes)
{
    if (RARELY(m->type == ISA_B128)) {
        perform_pairs(m, line, from, bytes);
        return;
    }
    uint32_t size = packet_atomic_bytes(m->type);
    if (size == 4)
        perform_lanes(m, line, from, bytes, 4);
    else if (size == 8)
        perform_lanes(m, line, from, bytes, 8);
    else
        perform_lanes(m, line, from, bytes, size);
}

void packet_add_elements(struct message_atomic *m, uint32_t offset, const uint8_t *elements, uint32_t bytes, uint32_t size,
                         uint64_t compare)
{
    contract(m->lane_count + bytes / size <= PACKET_LANES);
    m->no_return = true;
    for (uint32_t at = 0; at < bytes; at += size) {
        struct packet_lane *lane = &m->lanes[m->lane_count++];
        *lane = (struct packet_lane){.offset = (uint8_t)((offset + at) % PACKET_LINE_BYTES), .compare = compare};
        memcpy(&lane->operand, elements + at, size);
    }
}

void packet_write_line(const struct packet *p, uint8_t *line)
{
    const uint8_t *data = packet_data(p);
    const uint64_t *mask = packet_mask(p);
    for (uint32_t word = 0; word < PACKET_LINE_BYTES / 64; word++)
        for (uint64_t rest = mask[word]; rest; rest &= rest - 1)
            line[word * 64 + mask_first(rest)] = data[word * 64 + mask_first(rest)];
}
