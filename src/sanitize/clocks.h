/* Vector clocks: up to which of its epochs each warp of the device is known. A warp is known by its SM and slot. Clocks
 * are rows, one for each SM, that are shared until they differ: what a barrier or a lock passes on is mostly equal. */
#ifndef LOCKSTEP_SANITIZE_CLOCKS_H
#define LOCKSTEP_SANITIZE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define SANITIZE_WARPS 64 /* slots of an SM */

struct sanitize_row {
    uint32_t references;
    uint32_t of[SANITIZE_WARPS];
};

/* Rows by SM; a NULL row, or no rows, knows nothing. */
struct sanitize_clocks {
    struct sanitize_row **rows;
};

/* Known of that warp: all its epochs up to the one returned, 0 when none is. */
static inline uint32_t sanitize_known(const struct sanitize_clocks *clocks, uint32_t sm, uint32_t slot)
{
    const struct sanitize_row *row = clocks->rows ? clocks->rows[sm] : 0;
    return row ? row->of[slot] : 0;
}
/* to learns all that from knows; both are of a device with so many SMs. */
void sanitize_learn(struct sanitize_clocks *to, const struct sanitize_clocks *from, uint32_t sms);
/* to learns the epochs of one warp up to this one. */
void sanitize_learn_epoch(struct sanitize_clocks *to, uint32_t sm, uint32_t slot, uint32_t epoch, uint32_t sms);
/* One has an epoch of a warp, other than this one, that the other lacks. */
bool sanitize_has_news(const struct sanitize_clocks *of, const struct sanitize_clocks *for_one, uint32_t sm,
                       uint32_t slot, uint32_t sms);
/* Forgets everything. */
void sanitize_forget(struct sanitize_clocks *clocks, uint32_t sms);

#endif
