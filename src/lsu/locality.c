/* See locality.h. Read misses alone request lines of the L1D: a global store gives its line up. */
#include "lsu/locality.h"

#include <string.h>

#include "base/archive.h"

struct lsu_locality *lsu_locality_new(const struct cache_params *l1d, struct arena *arena)
{
    struct lsu_locality *locality = ARENA_NEW(arena, struct lsu_locality, 1);
    locality->lines = l1d->sets * l1d->ways;
    locality->line_bytes = l1d->line_bytes;
    locality->requester = ARENA_NEW(arena, uint8_t, locality->lines);
    return locality;
}

void lsu_locality_launched(struct lsu_locality *locality, unsigned slot)
{
    locality->of[slot] = (struct lockstep_memory_view){0};
    locality->lost[slot] = (struct lsu_lost){0};
    for (uint32_t line = 0; line < locality->lines; line++)
        if (locality->requester[line] == slot + 1)
            locality->requester[line] = 0;
}

/* A line was given up: its requester, if that is still here, has lost it. */
static void lose(struct lsu_locality *locality, uint32_t line, uint64_t address)
{
    if (!locality->requester[line] || address == CACHE_NO_ADDRESS)
        return;
    unsigned slot = locality->requester[line] - 1u;
    struct lsu_lost *lost = &locality->lost[slot];
    locality->of[slot].lost++;
    lost->line[lost->next] = address + 1;
    lost->next = (lost->next + 1) % LOCKSTEP_LOST_LINES;
}

/* True: the warp had lost the line, and has it again now. */
static bool regain(struct lsu_lost *lost, uint64_t line)
{
    for (unsigned i = 0; i < LOCKSTEP_LOST_LINES; i++)
        if (lost->line[i] == line + 1) {
            lost->line[i] = 0;
            return true;
        }
    return false;
}

/* The place that the cache has just given to another line is the warp's. */
static void take_place(struct lsu_locality *locality, struct l1 *l1d, unsigned slot)
{
    uint32_t line;
    uint64_t from;
    if (!cache_took(l1d->cache, &line, &from))
        return;
    lose(locality, line, from);
    locality->requester[line] = (uint8_t)(slot + 1);
}

void lsu_locality_accessed(struct lsu_locality *locality, struct l1 *l1d, unsigned slot, uint64_t address,
                           uint64_t misses)
{
    struct lockstep_memory_view *view = &locality->of[slot];
    if (l1_misses(l1d) != misses) {
        view->misses++;
        view->mshrs++;
        view->lost_hits += regain(&locality->lost[slot], address & ~(uint64_t)(locality->line_bytes - 1));
    }
    take_place(locality, l1d, slot);
}

void lsu_locality_filled(struct lsu_locality *locality, struct l1 *l1d, unsigned slot)
{
    contract(locality->of[slot].mshrs);
    locality->of[slot].mshrs--;
    take_place(locality, l1d, slot); /* where lines are allocated on fill */
}

/* Checkpoints */

void lsu_locality_archive(struct lsu_locality *locality, struct archive *ar)
{
    ARCHIVE(ar, locality->of);
    for (unsigned slot = 0; slot < WARP_SLOTS; slot++) {
        ARCHIVE(ar, locality->lost[slot].line);
        archive_u32_to(ar, &locality->lost[slot].next, LOCKSTEP_LOST_LINES - 1);
    }
    for (uint32_t line = 0; line < locality->lines; line++)
        archive_u8_to(ar, &locality->requester[line], WARP_SLOTS);
}
