/* Performs an access on the bytes of its line: for a slice or an L1. */
#ifndef LOCKSTEP_MEMORY_PACKET_VALUES_H
#define LOCKSTEP_MEMORY_PACKET_VALUES_H

#include "memory/packet.h"

/* Bytes of the location that a lane of an atomic of a type has. */
uint32_t packet_atomic_bytes(uint8_t type);
/* Performs the lanes of an atomic whose locations begin in [from, from + bytes) of its line of PACKET_LINE_BYTES, in
 * order; each lane has the old value then. line: the line's bytes. */
void packet_perform_lanes(struct message_atomic *m, uint8_t *line, uint32_t from, uint32_t bytes);
/* Of a lane of the answer to an atomic, by its number there: whether it has been performed, which a compare-and-swap is
 * where it found what it compared with; what its location has since, operand being what the lane brought. */
bool packet_lane_performed(const struct message_atomic *m, uint32_t i);
uint64_t packet_lane_after(const struct message_atomic *m, uint32_t i, uint64_t operand);
/* Lanes of an atomic that nobody waits for: elements of `size` bytes that lie side by side, from `offset` of the line on. */
void packet_add_elements(struct message_atomic *m, uint32_t offset, const uint8_t *elements, uint32_t bytes, uint32_t size,
                         uint64_t compare);
/* The line's bytes under the packet's mask become those of the packet. */
void packet_write_line(const struct packet *p, uint8_t *line);

#endif
