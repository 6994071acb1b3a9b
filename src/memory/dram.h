/* A DRAM channel: FR-FCFS scheduler, banks, bank groups, data pipe and return queue. Private to the memory room. It
 * moves requests by value and knows neither caches nor packets' contents. */
#ifndef LOCKSTEP_MEMORY_DRAM_H
#define LOCKSTEP_MEMORY_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/partition.h"

enum memory_request_kind {
    REQUEST_FILL,
    REQUEST_ALLOCATE,  /* the fill for a store that missed */
    REQUEST_WRITE,     /* a store passed down: its packet comes back as the acknowledgement */
    REQUEST_WRITEBACK, /* nobody waits for it */
};

struct memory_request {
    uint64_t local;        /* address in the slice */
    struct packet *packet; /* WRITE */
    uint32_t bytes;
    uint8_t kind, slice;
};

struct dram;

struct dram *dram_create(const struct dram_params *params, struct arena *arena);
/* Whether the scheduler has no place. */
bool dram_full(const struct dram *d);
/* Hands over a request, which the scheduler sees from the next tick on; at most one a tick, and only when not full. */
void dram_push(struct dram *d, const struct memory_request *request, uint32_t bank, uint32_t row);
/* One command cycle. A write-back that ends in it is described in *done; returns whether one did. */
bool dram_tick(struct dram *d, uint64_t cycle, struct memory_request *done);
/* The oldest finished request other than write-backs, or NULL; pop drops it. */
const struct memory_request *dram_top(const struct dram *d);
void dram_pop(struct dram *d);
/* The next cycle after `last` at which a tick changes anything, or CYCLE_NEVER; the return queue's contents do not
 * count. */
uint64_t dram_next(const struct dram *d, uint64_t last);
bool dram_idle(const struct dram *d);
struct dram_stats *dram_stats_of(struct dram *d);

#endif
