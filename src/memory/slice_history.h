/* What the words of an L2 slice were a while ago, for an adversary who lets loads be answered early
 * (slice_adversary.c): a load gets what its bytes were at one moment, back to the last one at which something ordered
 * its warp.
 *
 * Two things bound how far it goes back besides. An SM never sees a word go backwards: who has had its value of one
 * moment, or has written it then, gets none of before. And not everything is remembered: the last HISTORY_WORDS words
 * that were overwritten, and those of the last `most` cycles. What is no longer known was not seen either, so that a
 * load goes back no further. */
#ifndef LOCKSTEP_MEMORY_SLICE_HISTORY_H
#define LOCKSTEP_MEMORY_SLICE_HISTORY_H

#include <stdint.h>

#include "base/arena.h"
#include "base/random.h"
#include "memory/byte_mask.h"

#define HISTORY_WORDS 4096u  /* words of 4 bytes, a power of two */
#define HISTORY_CHAINS 1024u /* likewise */
#define HISTORY_SEEN 4096u   /* likewise */

/* A word was overwritten. */
struct history_entry {
    uint64_t cycle, word; /* word: its address / 4 */
    uint32_t value;       /* that it had before */
    uint32_t back;        /* the entry of its chain before this one is so many older; 0: there is none */
};

struct slice_history {
    uint64_t most; /* L2 cycles, 1 or more */
    struct random_stream stream;
    uint64_t written;              /* entries so far: the n-th, from 0, lies at n % HISTORY_WORDS */
    uint64_t forgotten;            /* the cycle of the last one that is gone */
    uint64_t last[HISTORY_CHAINS]; /* by a hash of the word: 1 + the number of the chain's last entry; 0: none */
    /* By a hash of SM and word: the moment of which the SM had its value last. What shares a place shares the moment:
     * then some load goes back less far than it might. */
    uint64_t seen[HISTORY_SEEN];
    struct history_entry entries[HISTORY_WORDS];
};

/* An empty one. number: of the slice among all. */
struct slice_history *history_create(uint64_t seed, unsigned number, uint64_t most, struct arena *arena);
/* An SM is about to write these bytes of the line at an address, which memory has at `line`. Cycles never go back. */
void history_write(struct slice_history *h, unsigned sm, uint64_t address, const struct byte_mask *bytes,
                   const uint8_t *line, uint64_t cycle);
/* An SM reads so many bytes at an address, which lie in one line: `values` are those that memory has. If they were
 * others in the last `back` cycles, they become those of one moment of that time, drawn at random. */
void history_read(struct slice_history *h, unsigned sm, uint64_t address, uint32_t bytes, uint32_t back,
                  uint8_t *values, uint64_t cycle);
struct archive;
void history_archive(struct slice_history *h, struct archive *ar);

#endif
