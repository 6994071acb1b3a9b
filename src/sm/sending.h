/* Sends between blocks of a cluster, beside plain accesses. */
#ifndef LOCKSTEP_SM_SENDING_H
#define LOCKSTEP_SM_SENDING_H

#include <stdint.h>

struct sm;
struct sm_block;
struct simt_access;
struct packet;
struct async_parcel;

/* What lanes of the access have for other blocks (access->remote) goes there. */
void sm_send_lanes(struct sm *sm, unsigned slot, const struct simt_access *access);
/* async_port.send, async_port.cast */
void sm_send_piece(void *sm, unsigned slot, const struct async_parcel *parcel);
void sm_cast_piece(void *sm, unsigned slot, const struct async_parcel *parcel, uint32_t number, uint32_t from);
/* A message of LSU_MESSAGE_MBARRIER or LSU_MESSAGE_BYTES has come to a block. */
void sm_take_sent(struct sm *sm, struct sm_block *block, struct packet *p);

#endif
