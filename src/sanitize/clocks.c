#include "sanitize/clocks.h"

#include <stdlib.h>

#include "base/arena.h"

static struct sanitize_row **rows_of(struct sanitize_clocks *clocks, uint32_t sms)
{
    if (!clocks->rows)
        clocks->rows = base_calloc(sms, sizeof(struct sanitize_row *));
    return clocks->rows;
}

static void release(struct sanitize_row *row)
{
    if (row && !--row->references)
        free(row);
}

static void share(struct sanitize_row **to, struct sanitize_row *row)
{
    row->references++;
    release(*to);
    *to = row;
}

/* A row that may be written, since nobody else has it. */
static struct sanitize_row *own(struct sanitize_row **row)
{
    if (*row && (*row)->references == 1)
        return *row;
    struct sanitize_row *copy = base_malloc(sizeof *copy);
    *copy = *row ? **row : (struct sanitize_row){0};
    copy->references = 1;
    release(*row);
    return *row = copy;
}

/* The row that knows more is shared where one of them does. */
static void learn_row(struct sanitize_row **to, struct sanitize_row *from)
{
    bool more = false, less = false;
    if (!from || *to == from)
        return;
    for (unsigned i = 0; *to && i < SANITIZE_WARPS; i++) {
        more |= from->of[i] > (*to)->of[i];
        less |= from->of[i] < (*to)->of[i];
    }
    if (!*to || (more && !less)) {
        share(to, from);
    } else if (more) {
        struct sanitize_row *row = own(to);
        for (unsigned i = 0; i < SANITIZE_WARPS; i++)
            row->of[i] = from->of[i] > row->of[i] ? from->of[i] : row->of[i];
    }
}

void sanitize_learn(struct sanitize_clocks *to, const struct sanitize_clocks *from, uint32_t sms)
{
    for (uint32_t sm = 0; from->rows && sm < sms; sm++)
        learn_row(&rows_of(to, sms)[sm], from->rows[sm]);
}

void sanitize_learn_epoch(struct sanitize_clocks *to, uint32_t sm, uint32_t slot, uint32_t epoch, uint32_t sms)
{
    if (sanitize_known(to, sm, slot) < epoch)
        own(&rows_of(to, sms)[sm])->of[slot] = epoch;
}

bool sanitize_has_news(const struct sanitize_clocks *of, const struct sanitize_clocks *for_one, uint32_t sm,
                       uint32_t slot, uint32_t sms)
{
    for (uint32_t i = 0; of->rows && i < sms; i++) {
        const struct sanitize_row *row = of->rows[i], *known = for_one->rows ? for_one->rows[i] : NULL;
        for (uint32_t k = 0; row && row != known && k < SANITIZE_WARPS; k++)
            if (row->of[k] > (known ? known->of[k] : 0) && (i != sm || k != slot))
                return true;
    }
    return false;
}

void sanitize_forget(struct sanitize_clocks *clocks, uint32_t sms)
{
    for (uint32_t sm = 0; clocks->rows && sm < sms; sm++)
        release(clocks->rows[sm]);
    free(clocks->rows);
    clocks->rows = NULL;
}
