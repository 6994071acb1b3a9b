/* Barriers of a block as the model runs them: who has come, whom one lets go on (barriers.h). */
#include "litmus/barriers.h"

#include "base/bits.h"

uint32_t litmus_block_of(const struct litmus_test *test, unsigned thread)
{
    const struct litmus_thread *t = &test->threads[thread];
    uint32_t block = 0;
    for (unsigned i = 0; i < test->thread_count; i++)
        if (test->threads[i].cta == t->cta && test->threads[i].gpu == t->gpu)
            block |= 1u << i;
    return block;
}

unsigned litmus_block_number(const struct litmus_test *test, unsigned thread)
{
    return mask_first(litmus_block_of(test, thread));
}

uint32_t litmus_open(struct litmus_barrier *b, uint64_t number, uint32_t coming)
{
    uint32_t on = b->waits;
    if (number ? mask_count(b->came) < number : (coming & ~b->came) != 0)
        return 0;
    *b = (struct litmus_barrier){.phase = (uint8_t)(b->phase + 1)};
    return on;
}

uint32_t litmus_come(struct litmus_barrier *b, unsigned thread, bool arrives, uint64_t number, uint32_t coming)
{
    b->came |= (uint8_t)(1u << thread);
    if (!arrives)
        b->waits |= (uint8_t)(1u << thread);
    return litmus_open(b, number, coming) | (arrives ? 1u << thread : 0);
}

bool litmus_pass_late(struct litmus_barrier *b, unsigned thread, uint64_t number)
{
    if (!number || !b->phase || !(b->waits >> thread & 1))
        return false;
    b->came &= (uint8_t) ~(1u << thread);
    b->waits &= (uint8_t) ~(1u << thread);
    return true;
}
