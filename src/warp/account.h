/* Warp-cycles: to which cause of causes.def each cycle of each resident warp goes. Written by account.c alone, but for
 * what the inline functions here note.
 *
 * A warp *stands* at the cause that the sets of its table give it (warp_cause_of), and whoever changes these says so.
 * An event before the schedulers have looked counts for this cycle, one behind them for the next: so a cause at which a
 * warp stood in between, in the same cycle, does not count. A warp that could issue stands at one of the
 * structural causes: if no scheduler looks, it is that no pipeline register is free; in a cycle in which its scheduler
 * looks, that one says what the cycle counts for. */
#ifndef LOCKSTEP_WARP_ACCOUNT_H
#define LOCKSTEP_WARP_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/op.h"
#include "stats/stat.h"
#include "warp/units.h"
#include "warp/waits.h"

/* Warp-cycles by cause. */
struct warp_causes {
#define WARP_CAUSE(name, doc) uint64_t name;
#include "warp/causes.def"
#undef WARP_CAUSE
};
extern const struct stat_group warp_cause_group;
enum warp_cause {
#define WARP_CAUSE(name, doc) WARP_CAUSE_##name,
#include "warp/causes.def"
#undef WARP_CAUSE
    WARP_CAUSE_COUNT
};

struct warp_account {
    /* Sets of warp slots: as schedulers found their warps in this cycle. held: of the ready ones, those of schedulers
     * that picked none. */
    uint64_t ready, held, issued;
    uint64_t from; /* what happens now counts from this cycle on */
    bool tells;    /* some observer hears of it, or stays are kept: see warp_watch */
    struct watch_stays *stays; /* stays are kept there, and no observer hears of warps' cycles; else NULL */
    /* Modulo 2^64. Of a stay at a cause the first cycle is taken off when it begins, and the one behind its last is
     * added when it ends: of the stays that go on, `from` is still to be added. */
    struct warp_causes counts;
};

/* A warp stands at a cause from cycle `from` on. stall_cause: the warp's. */
static inline void warp_account_stand(struct warp_account *a, uint8_t *stall_cause, uint64_t from,
                                      enum warp_cause cause)
{
    uint8_t was = *stall_cause;
    (&a->counts.issued)[was] += from;
    (&a->counts.issued)[cause] -= from;
    *stall_cause = (uint8_t)cause;
}
/* The cycle from which on it counts what happens now to a warp: if that has issued in this cycle, the next one. */
static inline uint64_t warp_account_from(const struct warp_account *a, uint64_t bit)
{
    return a->from + ((a->issued & bit) != 0);
}
/* The cause at which a warp stands that lacks only a pipeline register for its instruction, which is of that kind. */
static inline enum warp_cause warp_account_unit(enum isa_unit kind)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if ((takes) >> kind & 1)                                                                                           \
        return WARP_CAUSE_structural_##name;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return WARP_CAUSE_COUNT;
}
/* The cause at which a warp stands that waits for that reason alone. */
static inline enum warp_cause warp_cause_of_wait(enum warp_wait wait)
{
#define WAIT(name, cause, ender, kind, doc)                                                                            \
    if (wait == WARP_WAIT_##name)                                                                                      \
        return WARP_CAUSE_##cause;
#include "warp/waits.def"
#undef WAIT
    return WARP_CAUSE_exit;
}

/* The warp has issued, perhaps not for the first time in this cycle: that is what the cycle counts for. From the next
 * one on it stands at a cause. */
static inline void warp_account_issued(struct warp_account *a, uint8_t *stall_cause, uint64_t bit,
                                       enum warp_cause cause)
{
    uint64_t next = a->from + 1, first = !(a->issued & bit);
    a->issued |= bit;
    a->counts.issued += first;
    (&a->counts.issued)[*stall_cause] += next - first;
    (&a->counts.issued)[cause] -= next;
    *stall_cause = (uint8_t)cause;
}
struct warp_table;
struct warp_slot;
/* The names of enum warp_cause: WARP_CAUSE_COUNT of them. */
extern const char *const warp_cause_names[];
/* Begins to count from a cycle on, for the warps that are resident, on top of what is counted. */
void warp_account_begin(struct warp_table *w, uint64_t cycle);
/* The counts begin anew: at zero, or at what a checkpoint has, for warp_account_begin to go on from. */
void warp_account_reset(struct warp_table *w, const struct warp_causes *counts);
/* Tells observers where a warp stands, from that cycle on (event `stand`); to be called where account.tells alone. */
void warp_account_tell(const struct warp_table *w, const struct warp_slot *slot, unsigned index, uint64_t cycle);
/* Likewise behind an issue, of the instruction in front of the head of the warp's buffer. */
void warp_account_tell_issued(const struct warp_table *w, const struct warp_slot *slot, unsigned index);
/* The launch ends, perhaps with warps resident: observers are told that these leave. */
void warp_account_end(const struct warp_table *w);
/* Warps have come; warps go. */
void warp_account_come(struct warp_table *w, uint64_t slots);
void warp_account_go(struct warp_table *w, uint64_t slots);
/* The warps wait from now on, and stand at that cause. */
void warp_account_wait(struct warp_table *w, uint64_t slots, enum warp_cause cause);
/* The warps' sets have changed: they stand where these say. */
void warp_account_again(struct warp_table *w, uint64_t slots);
/* Called before a cycle is over: for the warps that schedulers found ready and did not pick, counts it as `unpicked` or
 * `held`, and not as the structural cause at which they stand. */
void warp_account_unpicked(struct warp_table *w);
/* The counts, up to the cycle in which what happens now counts. */
struct warp_causes warp_account_read(const struct warp_table *w);
/* As warp_account_read, up to `cycle`, if that is later: nothing has happened since. */
struct warp_causes warp_account_read_at(const struct warp_table *w, uint64_t cycle);

#endif
