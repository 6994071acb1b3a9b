/* A core of an SM (NVIDIA since Maxwell: processing block, sub-core): warp schedulers, operand collectors over register
 * banks, and pipelines, for the warps of some slots. An SM has one, which has all warps and one scheduler or more, or
 * several with a scheduler each; the load/store unit and the instruction cache are the SM's.
 *
 * A core picks warps and times their instructions. What an instruction does it does not know: it asks the SM around it,
 * by the functions of `struct core_port`, and it knows neither blocks nor memory. Parameters of units, collectors,
 * ports, banks and result buses are those of each core. Timing follows GPGPU-Sim 3.2.2 (shader.cc: scheduler_unit,
 * opndcoll_rfu_t, pipelined_simd_unit). */
#ifndef LOCKSTEP_CORE_CORE_H
#define LOCKSTEP_CORE_CORE_H

#include "base/room.h"
#include "core/collect.h"
#include "core/execute.h"
#include "core/issue.h"
#include "core/op.h"
#include "core/sm_shared.h"
#include "core/stalls.h"

#define CORES 4 /* of an SM */

/* The SM around a core. `sm` is core->sm, `slot` a warp slot of the core. */
struct core_port {
    /* Issues the instruction at the head of the warp's buffer, by core_issue_with (issuing.h). */
    enum warp_unit (*issue)(struct core *core, unsigned slot);
    /* The instruction is in its pipeline register, and left the warp's buffer. NULL where nobody wants to know. */
    void (*left_buffer)(void *sm, unsigned slot);
    /* The warp's buffer does not hold what comes next. */
    void (*flush)(void *sm, unsigned slot);
    /* The head of the warp's buffer is a store or atomic that releases, and has its registers. */
    void (*reach_release)(void *sm, unsigned slot);
    /* Of warps that spin control holds back, the one to issue: see lockstep_scheduler.pick. */
    unsigned (*pick_held)(void *sm, const struct lockstep_scheduler_view *view, void *state);
    /* The policy picked a warp that it was not given. Sets core->stopped. */
    void (*bad_pick)(void *sm, unsigned scheduler, unsigned picked);
};

struct core_setup {
    const struct sm_shared *shared;
    unsigned number, count; /* of the SM's cores */
    const struct lockstep_scheduler *policy;
    const struct core_port *port;
    const bool *stopped;                       /* a fault has ended the run: nothing issues any more */
    const struct lockstep_memory_view *memory; /* what the policy sees of memory; NULL where it does not need it */
    struct arena *arena;                       /* where accesses come from */
};

struct core {
    /* As sm_shared and core_setup have them. */
    struct agenda *ROOM_KEPT agenda;
    const struct sm_params *ROOM_KEPT params;
    struct warp_table *ROOM_KEPT warp;
    struct core_ops *ROOM_KEPT ops;
    const struct core_port *ROOM_KEPT port;
    void *ROOM_KEPT sm;
    const bool *ROOM_KEPT stopped;
    struct core_line *ROOM_KEPT line;
    struct core_views *ROOM_KEPT views;
    struct arena *ROOM_KEPT arena;
    ROOM_KEPT uint64_t slots; /* its warps */
    ROOM_KEPT unsigned number, count;
    struct core_fifo *ROOM_KEPT accesses;           /* where the load/store unit takes its ops */
    ROOM_KEPT uint32_t full;                        /* set of classes: no pipeline register of id_oc is free */
    ROOM_KEPT uint16_t issued_due[WARP_UNIT_COUNT]; /* the stage that is due when an op of the class has issued */

    /* Pipeline registers: issue fills the first, collect the second, units and the load/store unit empty them. */
    _Alignas(CACHE_LINE) ROOM_KEPT struct core_fifo id_oc[WARP_UNIT_COUNT];
    ROOM_KEPT struct core_fifo oc_ex[WARP_UNIT_COUNT];
    ROOM_KEPT struct core_issue issue;
    _Alignas(CACHE_LINE) ROOM_KEPT struct core_collect collect;
    _Alignas(CACHE_LINE) ROOM_KEPT struct core_execute execute;
    _Alignas(CACHE_LINE) ROOM_KEPT struct core_stalls stalls;
    _Alignas(CACHE_LINE) ROOM_KEPT uint32_t fifo_items[2 * WARP_UNIT_COUNT][CORE_FIFO_ITEMS];
};

/* Makes a core, without instructions. own: memory for its policy's state. */
void core_init(struct core *core, const struct core_setup *setup, struct arena *own);
/* A launch begins, whose longest latency is so many cycles. reads_rows: see core_collect.by_rows. */
void core_begin(struct core *core, const struct lockstep_scheduler_setup *policy, uint32_t longest, bool reads_rows);

/* Forgets what was counted. */
void core_reset_stats(struct core *core);

/* Stages, each called in a cycle in which it is due. collect.c, execute.c, issue.c: */

/* Ops with all their operands leave to the units, banks are read, issued ops enter. True: it is due again. */
bool core_collect(struct core *core);
/* Free units of side RESULT take waiting ops. True: ops still wait. */
bool core_execute(struct core *core);
/* Every scheduler that a change of its warps gives a reason to looks, and issues. */
void core_issue(struct core *core);

/* Of an SM's cores, which lie from `first` up to `end`, the one that has a warp slot. */
static inline struct core *core_having(struct core *first, const struct core *end, unsigned slot)
{
    return first + 1 == end ? first : first + core_of_slot(first->params, slot);
}

/* The first unit of a class is taken for so many cycles, behind what it does already, by work that is no instruction's. Returns the
 * cycle in which that begins. */
uint64_t core_reserve(struct core *core, enum warp_unit unit, uint32_t cycles);
/* True: results are written back in that cycle. */
static inline bool core_results_due(const struct core *core, uint64_t cycle)
{
    return core_wheel_due(&core->execute.wheel, cycle);
}
/* The ops whose results are written back in the present cycle: a list by core_op.next, CORE_NONE where none are due. */
static inline uint32_t core_take_results(struct core *core)
{
    return core_wheel_take(&core->execute.wheel, core->agenda->now);
}
/* A result is written to the banks of an op's registers: they serve no read when operand collection is stepped in
 * `cycle`, the present one or the next. From the load/store unit; from the wheel, in the present one. */
static inline void core_write_banks(struct core *core, const struct core_op *op, uint64_t cycle)
{
    struct core_collect *c = &core->collect;
    c->written = (c->written_in == cycle ? c->written : 0) | op->dst_banks;
    c->written_in = cycle;
}
static inline void core_written_back(struct core *core, const struct core_op *op)
{
    core->execute.wheel.count--;
    core_write_banks(core, op, core->agenda->now);
}
/* An op of the load/store unit's class waits for that unit. */
static inline bool core_has_access(const struct core *core)
{
    return core->accesses->count;
}

/* Under by_rows, the operands of the warp's next op lie in the registers of these slots. */
static inline void core_read_rows(struct core *core, unsigned slot, uint64_t slots)
{
    core->collect.rows[slot] = slots;
}
/* The banks of a warp's registers, from those of the core's first slot. */
static inline uint64_t core_banks_of(const struct core *core, unsigned slot, uint64_t set)
{
    const struct core_placement *at = &core->collect.placed[slot];
    return (set << at->shift | set >> at->back) & core->collect.all;
}
/* Names the instruction that an op of the warp in `slot` is. */
static inline void core_op_name(const struct core *core, unsigned slot, struct core_op *o,
                                const struct decoded_instr *d)
{
    o->decoded = d;
    o->timing = d->timing;
    o->src_banks = core_banks_of(core, slot, d->src_set);
    o->dst_banks = core_banks_of(core, slot, d->dst_set);
}

/* Ops with their operands wait for a unit of side RESULT: in OC/EX registers, or in latches (sm.direct). */
static inline bool core_collected_wait(const struct core *core)
{
    return 0
#define UNIT(name, takes, side, ...) UNIT_RESULT_IF_##side(| core->oc_ex[WARP_UNIT_##name].count)
#include "warp/units.def"
#undef UNIT
        ;
}
static inline bool core_latched_wait(const struct core *core)
{
    return 0
#define UNIT(name, takes, side, ...) UNIT_RESULT_IF_##side(| core->id_oc[WARP_UNIT_##name].count)
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
        ;
}
static inline bool core_results_wait(const struct core *core)
{
    return core->params->direct ? core_latched_wait(core) : core_collected_wait(core);
}
/* The core's warps whose next instruction takes a pipeline register of the class. */
static inline uint64_t core_wanted(const struct core *core, enum warp_unit unit)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if (unit == WARP_UNIT_##name)                                                                                      \
        return warp_wants(core->warp, takes) & core->slots;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return 0;
}
/* Its warps whose next instruction finds a pipeline register. */
static inline uint64_t core_units_free(const struct core *core)
{
    uint64_t free = 0;
#define UNIT(name, takes, side, ...)                                                                                   \
    free |= core->full >> WARP_UNIT_##name & 1 ? 0 : warp_wants(core->warp, takes);
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return free & core->slots;
}

/* An op enters a pipeline register of its class, from issue; the oldest one leaves. */
static inline void core_enter(struct core *core, enum warp_unit unit, uint32_t op)
{
    struct core_fifo *fifo = &core->id_oc[unit];
    core_fifo_push(fifo, op);
    core->full |= (uint32_t)core_fifo_full(fifo) << unit;
}
static inline uint32_t core_leave(struct core *core, enum warp_unit unit)
{
    if (RARELY(core->full >> unit & 1))
        warp_look_at(core->warp, core_wanted(core, unit));
    core->full &= ~(1u << unit);
    return core_fifo_pop(&core->id_oc[unit]);
}
/* The load/store unit takes the oldest one. */
static inline uint32_t core_take_access(struct core *core)
{
    if (RARELY(core->params->direct))
        return core_leave(core, WARP_UNIT_OF_MEMORY);
    if (core->collect.classes[WARP_UNIT_OF_MEMORY].ready)
        agenda_add(core->agenda, DUE_COLLECT);
    return core_fifo_pop(core->accesses);
}
/* Returns the warps, of a set of the core's whose next instruction is the head of their buffer, whose unit has a free
 * pipeline register: nearly always all of them. */
static inline uint64_t core_find_units(const struct core *core, uint64_t warps)
{
    return core->full ? warps & core_units_free(core) : warps;
}

/* The scheduler that has a warp slot of the core. */
static inline struct core_scheduler *core_scheduler_of(struct core *core, unsigned slot)
{
    return &core->issue.of[core->issue.count > 1 ? slot % core->issue.count : 0];
}
/* Gives a scheduler's cycles before `cycle` that are not yet counted to the cause that it last had. */
static inline void core_give_cycles(struct core *core, struct core_scheduler *scheduler, uint64_t cycle)
{
    (&core->stalls.issued)[scheduler->stall_of] += cycle - scheduler->owned;
    scheduler->owned = cycle;
}
/* Spin control holds the warp back from now on; and no more. */
static inline void core_back_off(struct core *core, unsigned slot)
{
    core->issue.backed_off |= BIT64(slot);
}
static inline void core_hold_off(struct core *core, unsigned slot)
{
    core->issue.backed_off &= ~BIT64(slot);
}

/* Every set of warp slots that the core keeps beside the warp table, once: see warp_each_set. */
void core_each_set(struct core *core, void (*visit)(uint64_t *set, void *context), void *context);
/* The first cycle, `now` or later, in which a result is written back, or CYCLE_NEVER. */
static inline uint64_t core_next(const struct core *core, uint64_t now)
{
    return core_wheel_next(&core->execute.wheel, now);
}
struct check;
struct archive;
/* The set core->full, by the pipeline registers. */
uint32_t core_full_classes(const struct core *core);
/* check.c: recomputes what the core keeps although it follows from something else (base/check.h). */
void core_check(struct core *core, struct check *c);
void core_check_wheel(struct core_wheel *wheel, const struct core_ops *ops, unsigned which, struct check *c);
/* True: operand collection is due, by what it holds. */
bool core_collects(const struct core *core);
/* archive.c: ops are named by number in core->ops. The pipelines with what is in them; turns and states of schedulers.
 */
void core_archive_pipelines(struct core *core, struct archive *ar);
void core_archive_turns(struct core *core, struct archive *ar);
void core_archive_wheel(struct core_wheel *wheel, const struct core_ops *ops, struct archive *ar);
void core_archive_line(struct core_line *line, unsigned cores, struct archive *ar);
/* Members of a pool that are free, by the list that links them: marks of one byte, which are the caller's to free. */
uint8_t *core_free_members(const void *items, size_t size, size_t next_at, uint32_t count, uint32_t first);
/* The pool of ops, but for what each is: marks of one byte for those that are free, which are the caller's to free. */
#define CORE_MAX_POOL (1u << 20)
uint8_t *core_archive_pool(struct core_ops *ops, struct archive *ar);
void core_archive_views(struct core_views *views, struct archive *ar);
/* The number of an op. */
void core_archive_op_number(const struct core_ops *ops, struct archive *ar, uint32_t *op);

#endif
