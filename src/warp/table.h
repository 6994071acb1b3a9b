/* The warp table of an SM: its warp slots, which of them could issue, and why the others could not. It is told by
 * *events* (an instruction was issued, a register has its value, a wait begins ...), which are the functions here, and
 * nobody else writes what is kept; what the stages of the SM ask of it are *facts*: sets of slots as 64-bit words, bit
 * n for slot n, and counts of a slot. warp/check.c states what follows from what.
 *
 * An instruction buffer holds consecutive instructions; its first is the warp's *head*. A warp can issue when it is in
 * `cleared` (the scoreboard lets its head pass) and not in `waiting`, and the head's unit has a free pipeline register.
 * The scoreboard follows GPGPU-Sim 3.2.2 (class Scoreboard): one bit a register, set at issue, cleared at completion.
 */
#ifndef LOCKSTEP_WARP_TABLE_H
#define LOCKSTEP_WARP_TABLE_H

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "base/room.h"
#include "isa/op.h"
#include "sim/cycle.h"
#include "simt/warp.h"
#include "warp/account.h"
#include "warp/decoded.h"
#include "warp/waits.h"
#include "watch/watch.h"

#define WARP_SLOTS 64

/* Where the values of the registers come from that an instruction writes. */
enum warp_source { WARP_FROM_OP, WARP_FROM_MEMORY, WARP_FROM_CHIP };

struct warp_slot {
    /* The lanes' state: changed by executing instructions (simt). */
    _Alignas(CACHE_LINE) struct simt_warp simt;
    /* Most instructions look at these, from issue to completion: one line. */
    _Alignas(CACHE_LINE) ROOM_KEPT uint32_t head_pc;
    ROOM_KEPT uint32_t in_flight;             /* ops between issue and completion */
    ROOM_KEPT uint32_t stores_out;            /* writes not acknowledged */
    ROOM_KEPT uint32_t posted;                /* of these: see warp_store_posted */
    ROOM_KEPT uint32_t left;                  /* writes not acknowledged of warps that had the slot before */
    ROOM_KEPT uint32_t pending_registers;     /* bits set in the scoreboard */
    ROOM_KEPT uint32_t loads_out;             /* ops in flight whose registers come from somewhere else */
    ROOM_KEPT uint32_t copies_out;            /* copies in bulk that are not done, which no fence waits for */
    ROOM_KEPT uint32_t lanes_out;             /* ops that ask queues for locks, which in_flight does not count */
    ROOM_KEPT uint64_t *ROOM_KEPT scoreboard; /* bit number: register waits for its value; lent by warp_lend */
    ROOM_KEPT uint64_t *ROOM_KEPT
        from_memory; /* of the registers that wait: those that a load from beyond the SM writes */
    ROOM_KEPT uint64_t *ROOM_KEPT from_chip; /* those that shared memory or the constant cache gives */
    ROOM_KEPT uint8_t block;                 /* block slot */
    ROOM_KEPT uint8_t life;                  /* warps that have left stores behind since the slot had none of others */
    ROOM_KEPT uint8_t buffered;              /* instructions in the buffer: consecutive ones from head_pc on */
    ROOM_KEPT uint8_t unit;                  /* of the head instruction: the set of `wants` that the warp is in */
    ROOM_KEPT uint8_t stall_cause;           /* enum warp_cause: see account.h */
    ROOM_KEPT uint64_t wake;                 /* asleep or delayed: cycle in which that ends */
    ROOM_KEPT uint64_t age;                  /* warps are numbered as they come to the SM */
};

struct warp_table {
    /* Every step looks at these: one line. */
    _Alignas(CACHE_LINE) ROOM_KEPT uint64_t changed; /* something that issue looks at has changed since its scheduler
                                              looked, or the warp could issue */
    ROOM_KEPT uint64_t waiting;                      /* finished, or in one of `waits` */
    ROOM_KEPT uint64_t cleared;                      /* head instruction passes the scoreboard */
    ROOM_KEPT uint64_t mispredicted;                 /* its buffer does not hold what comes next */
    ROOM_KEPT uint64_t resident;
    ROOM_KEPT uint64_t finished;                   /* no lanes left */
    ROOM_KEPT uint64_t buffered;                   /* has an instruction in its buffer */
    ROOM_KEPT uint64_t flushed;                    /* buffer flushed by control flow and not yet refilled */
    ROOM_KEPT struct warp_waits waits;             /* by reason */
    ROOM_KEPT uint64_t in_queues;                  /* of waits.atomic: those whose lanes wait in the queues of locks */
    ROOM_KEPT uint64_t wants[ISA_UNIT_COUNT];      /* unit of the head instruction, where that is not mispredicted */
    ROOM_KEPT struct warp_account account;         /* changes wherever these sets do */
    const struct decoded_instr *ROOM_KEPT decoded; /* of the launch, by pc */
    ROOM_KEPT uint32_t scoreboard_words;
    const struct watch *ROOM_KEPT watch; /* the SM's observers */
    struct warp_slot slots[WARP_SLOTS];
};

/* A slot, for those who look at several things in it. */
HOT_INLINE struct warp_slot *warp_at(const struct warp_table *w, unsigned index)
{
    struct warp_slot *slot = (struct warp_slot *)&w->slots[index];
    WORKED_OUT(slot);
    return slot;
}

/* Facts */

/* Warps whose buffer holds what comes next, or what does not, and that do not wait: issue has to look at them. */
static inline uint64_t warp_wide_awake(const struct warp_table *w)
{
    return (w->cleared | w->mispredicted) & ~w->waiting;
}
/* Warps whose head is of one of these kinds: UNIT_TAKES(kind) joined by |. */
static inline uint64_t warp_wants(const struct warp_table *w, unsigned kinds)
{
    return 0
#define X(kind) | (kinds & UNIT_TAKES(kind) ? w->wants[ISA_UNIT_##kind] : 0)
        ISA_UNITS(X)
#undef X
            ;
}
/* Warps that wait for the values of registers alone. */
static inline uint64_t warp_needs_values(const struct warp_table *w)
{
    return w->buffered & ~(w->cleared | w->mispredicted | w->waiting);
}
/* Its posted stores may be left behind when it ends: see warp_store_posted. */
static inline bool warp_may_leave(const struct warp_slot *slot)
{
    return slot->life < UINT8_MAX;
}
/* Everything that the warp has issued is complete, the stores that it is to wait for are acknowledged, no queue owes it a
 * lock. */
static inline bool warp_is_drained(const struct warp_slot *slot)
{
    return !slot->in_flight && slot->stores_out == (warp_may_leave(slot) ? slot->posted : 0) && !slot->lanes_out && !slot->copies_out;
}
/* True: all registers that an instruction reads or writes have their values. Calls and returns change the frame that
 * register numbers name, so they wait for every value under way. */
static inline bool warp_scoreboard_clear(const struct warp_table *w, const struct warp_slot *slot,
                                         const struct decoded_instr *d)
{
    if (d->after == INSTR_AFTER_OWN && (slot->in_flight || slot->stores_out))
        return false;
    if (!slot->pending_registers)
        return true;
    if (d->changes_frame)
        return false;
    const uint64_t *board = slot->scoreboard, *uses = d->uses;
    uint64_t pending = board[0] & uses[0];
    for (unsigned i = 1; i < w->scoreboard_words; i++)
        pending |= board[i] & uses[i];
    return !pending;
}
/* Of the warps, those whose head reads a register that comes from beyond the SM. */
uint64_t warp_long_waits(const struct warp_table *w, uint64_t slots);
/* The cause at which a resident warp stands, by its state alone. */
enum warp_cause warp_cause_of(const struct warp_table *w, unsigned slot);
/* warp_data_cause of a warp with loads under way, or whose head is a function of the device. */
enum warp_cause warp_data_cause_of_loads(const struct warp_table *w, const struct warp_slot *slot,
                                         const struct decoded_instr *d);
/* Where the registers come from that an instruction waits for, which is a warp's next one. */
static inline enum warp_cause warp_data_cause(const struct warp_table *w, const struct warp_slot *slot,
                                              const struct decoded_instr *d)
{
    return slot->loads_out || d->after == INSTR_AFTER_OWN ? warp_data_cause_of_loads(w, slot, d)
                                                          : WARP_CAUSE_data_arithmetic;
}
/* The first cycle in which the clock ends a wait, or CYCLE_NEVER. */
uint64_t warp_next_wake(const struct warp_table *w);

/* Events of a launch */

/* Warp slots 0 .. count - 1 use memory at `boards` for their scoreboards: 3 * words 64-bit words each. */
void warp_lend(struct warp_table *w, unsigned count, uint64_t *boards, unsigned words);
/* A kernel begins, whose instructions these are; issue is to look at all `slots`. No warp is resident. */
void warp_begin(struct warp_table *w, const struct decoded_instr *decoded, unsigned words, uint64_t slots,
                uint64_t cycle);
/* From now on observers are told where warps' cycles go. */
void warp_watch(struct warp_table *w, const struct watch *watch);
/* A warp is given a slot: it has no instruction, nothing under way. It is not resident before warp_come. */
void warp_start(struct warp_table *w, unsigned slot, unsigned block, uint64_t age);
/* Nothing that a warp of these slots left behind counts any more. */
void warp_clear(struct warp_table *w, uint64_t slots);
void warp_come(struct warp_table *w, uint64_t slots);
/* A block retires: its warps go. */
void warp_go(struct warp_table *w, uint64_t slots);
/* The warp is numbered anew: other threads have come to it. */
static inline void warp_renumber(struct warp_table *w, unsigned slot, uint64_t age)
{
    w->slots[slot].age = age;
}
/* The last lanes of a warp have ended; lanes have come to one in which all had. */
void warp_finish(struct warp_table *w, unsigned slot);
void warp_refill(struct warp_table *w, unsigned slot);

/* For the events below alone: a warp stands at a cause from a cycle on, most likely another one than before. */
static inline void warp_stand(struct warp_table *w, struct warp_slot *slot, unsigned index, uint64_t from,
                              enum warp_cause cause)
{
    warp_account_stand(&w->account, &slot->stall_cause, from, cause);
    if (RARELY(w->account.tells))
        warp_account_tell(w, slot, index, from);
}

/* Events of waiting: waits.def */

/* The warps wait for that reason from now on. */
static inline void warp_wait_begin(struct warp_table *w, enum warp_wait wait, uint64_t slots)
{
    bool alone = !(w->waiting & slots);
    contract(!(slots & ~w->resident));
    w->waits.of[wait] |= slots;
    w->waiting |= slots;
    if (alone)
        warp_account_wait(w, slots, warp_cause_of_wait(wait));
    else
        warp_account_again(w, slots);
}
/* One warp waits for the clock; where it does so for that reason already, until the later of both cycles. */
static inline void warp_wait_until(struct warp_table *w, enum warp_wait wait, unsigned slot, uint64_t cycle)
{
    if (mask_has(w->waits.of[wait], slot) && w->slots[slot].wake > cycle)
        return;
    w->slots[slot].wake = cycle;
    warp_wait_begin(w, wait, BIT64(slot));
}
/* The warp issues nothing until that cycle, if it is still to come. */
static inline void warp_hold_up(struct warp_table *w, unsigned slot, uint64_t now, uint64_t until)
{
    if (until > now)
        warp_wait_until(w, WARP_WAIT_answer, slot, until);
}
/* The warps wait for that reason no more: issue has to look at them. */
static inline void warp_wait_end(struct warp_table *w, enum warp_wait wait, uint64_t slots)
{
    w->waits.of[wait] &= ~slots;
    w->changed |= slots;
    w->waiting = w->finished | warp_waits_any(&w->waits);
    warp_account_again(w, slots);
}
/* A warp's lanes wait in the queues of locks; the first answer came. */
void warp_queue_begin(struct warp_table *w, unsigned slot);
void warp_queue_end(struct warp_table *w, unsigned slot);
/* The clock ends its wait in that cycle, not when it was to. */
static inline void warp_wake_at(struct warp_table *w, unsigned slot, uint64_t cycle)
{
    w->slots[slot].wake = cycle;
}
/* Ends the waits that the clock ends in this cycle; true: there were some. */
bool warp_wake(struct warp_table *w, uint64_t cycle);

/* Issue has looked at `slots`, and is to look again at those of them in `again`. */
static inline void warp_looked(struct warp_table *w, uint64_t slots, uint64_t again)
{
    w->changed = (w->changed & ~slots) | again;
}
/* For these warps, something has changed that the table does not keep: issue has to look at them. */
static inline void warp_look_at(struct warp_table *w, uint64_t slots)
{
    w->changed |= slots;
}

/* Events of a cycle: where warp-cycles go (account.h) */

/* A cycle begins: events from now on count from it. */
static inline void warp_cycle_begins(struct warp_table *w, uint64_t cycle)
{
    w->account.from = cycle;
}
/* In this cycle a scheduler found these of its warps ready. */
static inline void warp_found_ready(struct warp_table *w, uint64_t ready)
{
    w->account.ready |= ready;
}
/* It picked none of them. */
static inline void warp_held(struct warp_table *w, uint64_t ready)
{
    w->account.held |= ready;
}
/* All schedulers have looked that have a reason to, in this cycle. */
static inline void warp_all_looked(struct warp_table *w)
{
    struct warp_account *a = &w->account;
    if (a->ready & ~a->issued)
        warp_account_unpicked(w);
    a->ready = a->held = a->issued = 0;
}

/* Events of the instruction buffer. Those that return bool tell that the head is a store or atomic that releases and
 * has the values of its registers now: it waits like a fence before it issues, which the caller sees to. */

/* The next three are for the events below alone. What happens outside issue to a warp: it stands at the cause, if it
 * does not wait. */
static inline void warp_stand_awake(struct warp_table *w, struct warp_slot *slot, unsigned index,
                                    enum warp_cause cause)
{
    contract(!w->account.issued);
    if (!mask_has(w->waiting, index))
        warp_stand(w, slot, index, w->account.from, cause);
}
/* Another instruction is at the head, and the warp in none of the sets of its last one any more: puts it into the sets
 * that issue looks at. next: the instruction that the warp needs next. Returns the cause at which it stands, if it does
 * not wait. */
HOT_INLINE enum warp_cause warp_put_head(struct warp_table *w, struct warp_slot *slot, uint64_t bit, uint32_t next,
                                         bool *releases)
{
    uint32_t pc = slot->head_pc;
    const struct decoded_instr *d = &w->decoded[pc];
    w->changed |= bit;
    if (pc != next) {
        w->mispredicted |= bit;
        return WARP_CAUSE_control;
    }
    slot->unit = d->timing.unit;
    w->wants[d->timing.unit] |= bit;
    if (!warp_scoreboard_clear(w, slot, d))
        return warp_data_cause(w, slot, d);
    w->cleared |= bit;
    *releases = d->after == INSTR_AFTER_FENCE;
    return (enum warp_cause)d->structural;
}
/* The buffer is left empty. */
static inline enum warp_cause warp_lose_head(struct warp_table *w, uint64_t bit)
{
    w->changed |= bit;
    w->buffered &= ~bit;
    return w->flushed & bit ? WARP_CAUSE_control : WARP_CAUSE_fetch;
}

/* `count` instructions from `pc` on came into the buffer; next: the instruction that the warp needs next. */
HOT_INLINE bool warp_fetched(struct warp_table *w, unsigned index, uint32_t pc, uint32_t count, uint32_t next)
{
    struct warp_slot *slot = warp_at(w, index);
    uint64_t bit = BIT64(index);
    bool releases = false;
    w->flushed &= ~bit;
    if (slot->buffered) {
        slot->buffered = (uint8_t)(slot->buffered + count);
        return false;
    }
    slot->buffered = (uint8_t)count;
    slot->head_pc = pc;
    w->buffered |= bit;
    contract(!((w->cleared | w->mispredicted | w->wants[slot->unit]) & bit));
    enum warp_cause cause = warp_put_head(w, slot, bit, next, &releases);
    warp_stand_awake(w, slot, index, cause);
    return releases;
}
/* The head was issued: the instruction behind it is the head now, if there is one. */
HOT_INLINE bool warp_issued(struct warp_table *w, unsigned index, uint32_t next)
{
    struct warp_slot *slot = warp_at(w, index);
    uint64_t bit = BIT64(index);
    bool releases = false;
    w->wants[slot->unit] &= ~bit;
    w->cleared &= ~bit;
    slot->head_pc++;
    slot->buffered = w->finished & bit ? 0 : slot->buffered - 1;
    enum warp_cause cause = slot->buffered ? warp_put_head(w, slot, bit, next, &releases) : warp_lose_head(w, bit);
    warp_account_issued(&w->account, &slot->stall_cause, bit,
                        w->waiting & bit ? (enum warp_cause)slot->stall_cause : cause);
    if (RARELY(w->account.tells))
        warp_account_tell_issued(w, slot, index);
    return releases;
}
/* The turn of the warp's paths may have changed, not by an instruction that it issued: what it needs next is another
 * instruction than its buffer was looked at for. */
bool warp_turn_changed(struct warp_table *w, unsigned slot, uint32_t next);
/* The buffer holds what the warp does not need: it is emptied. */
HOT_INLINE void warp_flush(struct warp_table *w, unsigned index)
{
    struct warp_slot *slot = warp_at(w, index);
    uint64_t bit = BIT64(index);
    slot->buffered = 0;
    if (!(w->finished & bit))
        w->flushed |= bit;
    contract(!(w->cleared & bit));
    w->mispredicted &= ~bit;
    enum warp_cause cause = warp_lose_head(w, bit);
    if (!(w->waiting & bit))
        warp_stand(w, slot, index, warp_account_from(&w->account, bit), cause);
}
/* All threads of the warp have gone to others: its buffer is empty, and nothing is to be fetched for it. */
void warp_abandon(struct warp_table *w, unsigned slot);

/* Events of registers */

static inline void warp_op_began(struct warp_table *w, unsigned index, const struct instr_timing *timing)
{
    struct warp_slot *slot = warp_at(w, index);
    uint64_t *board = slot->scoreboard;
    const uint64_t *writes = timing->writes;
    board[0] |= writes[0];
    for (unsigned i = 1; i < w->scoreboard_words; i++)
        board[i] |= writes[i];
    slot->pending_registers += timing->write_count;
    slot->in_flight++;
}
/* Something else now holds up the warp's head: the cause at which the warp stands follows from that. */
static inline void warp_head_waits(struct warp_table *w, unsigned index)
{
    struct warp_slot *slot = warp_at(w, index);
    if (!(warp_needs_values(w) & BIT64(index)))
        return;
    enum warp_cause cause = warp_data_cause(w, slot, &w->decoded[slot->head_pc]);
    if (slot->stall_cause != cause)
        warp_stand_awake(w, slot, index, cause);
}
/* The registers of the scoreboard that come from there, beyond what ops compute. */
static inline uint64_t *warp_comes_from(const struct warp_slot *slot, enum warp_source source)
{
    return source == WARP_FROM_MEMORY ? slot->from_memory : slot->from_chip;
}

/* The registers that an op writes come from memory or from shared memory. */
HOT_INLINE void warp_load_began(struct warp_table *w, unsigned index, const struct instr_timing *timing,
                                enum warp_source source)
{
    uint64_t *from = warp_comes_from(&w->slots[index], source);
    w->slots[index].loads_out++;
    for (unsigned i = 0; i < w->scoreboard_words; i++)
        from[i] |= timing->writes[i];
}
/* The registers that the op writes have come. */
HOT_INLINE void warp_load_ended(struct warp_table *w, unsigned index, const struct instr_timing *timing,
                                enum warp_source source)
{
    uint64_t *from = warp_comes_from(&w->slots[index], source);
    w->slots[index].loads_out--;
    for (unsigned i = 0; i < w->scoreboard_words; i++)
        from[i] &= ~timing->writes[i];
    warp_head_waits(w, index);
}
/* Something that the head may have waited for is done. */
HOT_INLINE bool warp_registers_written(struct warp_table *w, unsigned index)
{
    struct warp_slot *slot = warp_at(w, index);
    uint64_t bit = BIT64(index);
    const struct decoded_instr *d = &w->decoded[slot->head_pc];
    if (!(w->buffered & ~w->cleared & ~w->mispredicted & bit) || !warp_scoreboard_clear(w, slot, d))
        return false;
    w->cleared |= bit;
    w->changed |= bit;
    warp_stand_awake(w, slot, index, (enum warp_cause)d->structural);
    return d->after == INSTR_AFTER_FENCE;
}
/* An op is complete: the registers that it writes have their values. */
HOT_INLINE bool warp_op_ended(struct warp_table *w, unsigned index, const struct instr_timing *timing)
{
    struct warp_slot *slot = warp_at(w, index);
    uint64_t *board = slot->scoreboard;
    const uint64_t *writes = timing->writes;
    board[0] &= ~writes[0];
    for (unsigned i = 1; i < w->scoreboard_words; i++)
        board[i] &= ~writes[i];
    slot->pending_registers -= timing->write_count;
    slot->in_flight--;
    return warp_registers_written(w, index);
}
/* True: the head, which has its registers, waits like a fence before it issues. */
static inline bool warp_at_release(const struct warp_table *w, unsigned slot)
{
    return mask_has(w->cleared, slot) && w->decoded[w->slots[slot].head_pc].after == INSTR_AFTER_FENCE;
}

/* Events of memory */

/* An op's lanes ask the queues of locks, each for itself: in_flight does not count it until all have their answer. */
static inline void warp_lanes_leave(struct warp_table *w, unsigned slot)
{
    w->slots[slot].in_flight--;
    w->slots[slot].lanes_out++;
}
static inline void warp_lanes_return(struct warp_table *w, unsigned slot)
{
    w->slots[slot].in_flight++;
    w->slots[slot].lanes_out--;
}
/* The warp has asked for a copy in bulk; it is done. */
static inline void warp_copies_begin(struct warp_table *w, unsigned slot)
{
    w->slots[slot].copies_out++;
}
static inline void warp_copies_end(struct warp_table *w, unsigned slot)
{
    w->slots[slot].copies_out--;
}
/* A store has left the SM, and is to be acknowledged. */
static inline void warp_store_left(struct warp_table *w, unsigned slot)
{
    w->slots[slot].stores_out++;
    warp_head_waits(w, slot);
}
static inline void warp_store_acknowledged(struct warp_table *w, unsigned slot)
{
    w->slots[slot].stores_out--;
}
/* Stores that are *posted*: a warp that ends does not wait for them, and leaves them behind when its block retires. What
 * acknowledges a store bears the life of the warp that sent it: another one has the slot now if the slot's is not the same.
 * Lives are counted from where no store of an earlier one was under way; the last one that can be counted leaves none. */
static inline uint8_t warp_store_posted(struct warp_table *w, unsigned slot)
{
    w->slots[slot].posted++;
    return w->slots[slot].life;
}
/* A posted store of that life is acknowledged. True: the warp that sent it has the slot still, and waits for it if
 * anybody does. */
bool warp_posted_acknowledged(struct warp_table *w, unsigned slot, uint8_t life);

/* check.c: recomputes the sets of the resident warps and the causes at which they stand, between two cycles. */
void warp_check(struct warp_table *w, struct check *c);

struct archive;
/* Visitors of sets of warp slots, in whatever room they are kept. warp_set_clear takes the slots of *slots, a uint64_t,
 * out of the set. */
void warp_set_clear(uint64_t *set, void *slots);
struct warp_set_archive {
    struct archive *ar;
    uint64_t all; /* the slots that there are */
};
void warp_set_archive(uint64_t *set, void *set_archive);

/* archive.c: every set that says how a resident warp stands, once: all but `resident` and what is derived from these.
 */
void warp_each_set(struct warp_table *w, void (*visit)(uint64_t *set, void *context), void *context);
void warp_archive_sets(struct warp_table *w, const struct warp_set_archive *to);
/* A slot that is resident: its block; behind the lanes' state (simt_warp_archive), the rest. */
void warp_archive_block(struct warp_table *w, unsigned slot, struct archive *ar);
void warp_archive_slot(struct warp_table *w, unsigned slot, struct archive *ar);
/* A checkpoint was loaded: what follows from the sets. */
void warp_archive_end(struct warp_table *w, uint64_t cycle);

#endif
