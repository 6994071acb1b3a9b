/* An L2 slice: the queues around one L2 bank, its tags, ports and misses. Private to the memory room. */
#ifndef LOCKSTEP_MEMORY_SLICE_H
#define LOCKSTEP_MEMORY_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/dram.h"
#include "memory/partition.h"

struct slice;

struct slice *slice_create(const struct memory_params *params, unsigned number, struct store *store,
                           struct arena *arena);
bool slice_can_push(const struct slice *s);
void slice_push(struct slice *s, struct packet *packet, uint64_t local, uint64_t cycle);
bool slice_reply(const struct slice *s, struct partition_reply *reply);
void slice_take_reply(struct slice *s);
/* The first packet among the replies; early sectors before it are dropped. */
struct packet *slice_peek(struct slice *s);
/* Returns whether the queues from or to the DRAM changed. */
bool slice_tick(struct slice *s, uint64_t cycle);
/* As partition_next_l2; `last` is the last tick. */
uint64_t slice_next(const struct slice *s, uint64_t last);
bool slice_idle(const struct slice *s);
/* The oldest request for the DRAM, or NULL. */
const struct memory_request *slice_request(const struct slice *s);
void slice_take_request(struct slice *s);
/* A request comes back from the DRAM. */
bool slice_can_return(const struct slice *s);
void slice_return(struct slice *s, const struct memory_request *request);
struct cache *slice_cache(const struct slice *s);

#endif
