/* Kernels that follow each other: the end of one, when all its threads have, and the beginning of the next. The host
 * reads what the first has left and writes in between. What an L1 does for that is the SM's own code (memory/order.h).
 */
#include <string.h>

#include "check/model.h"

/* No thread holds a guard or has begun to take one. */
static bool all_idle(const struct model *w)
{
    for (unsigned t = 0; t < w->program.threads; t++)
        if (w->threads[t].stage != STAGE_IDLE)
            return false;
    return true;
}

bool model_may_end(const struct model *w)
{
    return !w->ending && w->kernel + 1 < w->program.kernels && model_is_done(w) && all_idle(w);
}

void model_end(struct model *w)
{
    w->ending = true;
}

bool model_may_empty(const struct model *w, unsigned cache)
{
    return w->ending && order_ends_kernel(&w->agents[cache]);
}

void model_empty(struct model *w, unsigned cache)
{
    order_end_kernel(&w->agents[cache]);
}

bool model_may_begin(const struct model *w)
{
    for (unsigned c = 0; c < w->setup->caches; c++)
        if (!agent_idle(&w->agents[c]) || model_may_empty(w, c))
            return false;
    return w->ending && model_is_quiet(w);
}

static void put_bytes(void *context, uint64_t address, const uint8_t *data, uint32_t bytes)
{
    struct model *w = context;
    memcpy(&w->memory[model_line_of(address)][address % PACKET_LINE_BYTES], data, bytes);
}

static bool read_bytes(void *context, uint64_t address, uint8_t *to, uint32_t bytes)
{
    struct model *w = context;
    memcpy(to, &w->memory[model_line_of(address)][address % PACKET_LINE_BYTES], bytes);
    return true;
}

/* The host reads each word that a thread counts in or has to itself, and changes it. */
static void use_host(struct model *w)
{
    uint32_t places = 0;
    for (unsigned t = 0; t < w->program.threads; t++)
        places |= w->program.roles[t].counters | w->program.roles[t].own;
    for (uint8_t place = 0; place < w->setup->lines * MODEL_WORDS; place++) {
        if (!(places >> place & 1))
            continue;
        uint8_t *line = w->memory[place / MODEL_WORDS], value = line[model_offset(w, place)];
        if (value != w->truth[place])
            model_fault(w, "the host reads %u of line %u [%u] behind a kernel, where %u was written", value,
                        model_line_name(w, place / MODEL_WORDS), place % MODEL_WORDS, w->truth[place]);
        w->truth[place] = (uint8_t)((w->truth[place] + 1u) % w->setup->values);
        model_put(w, place, w->truth[place], line);
    }
}

void model_begin(struct model *w)
{
    for (unsigned c = 0; c < w->setup->caches; c++)
        agent_publish(&w->agents[c], put_bytes, w);
    use_host(w);
    for (unsigned c = 0; c < w->setup->caches; c++)
        order_begin_kernel(&w->agents[c], read_bytes, w);
    w->ending = false;
    w->kernel++;
    for (unsigned t = 0; t < w->program.threads; t++)
        w->threads[t].left = (uint8_t)w->setup->accesses;
}
