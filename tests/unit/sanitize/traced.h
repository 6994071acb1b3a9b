/* Drives the checks without an SM: a module whose instructions a test fills in, and the events that it would tell. Two
 * SMs; block b is on SM b % 2, and its warps w in slots 4 * (b / 2) + w. */
#ifndef LOCKSTEP_TESTS_UNIT_SANITIZE_TRACED_H
#define LOCKSTEP_TESTS_UNIT_SANITIZE_TRACED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "isa/mod_values.h"
#include "sanitize/sanitize.h"

#define TRACED_SMS 2
#define TRACED_INSTRS 128
#define TRACED_MEMORY 0x10000 /* where device memory begins */
#define TRACED_BYTES 0x10000

struct traced {
    struct sanitize *s;
    struct isa_instr instrs[TRACED_INSTRS]; /* to be filled in before traced_begin */
    struct isa_module module;
    struct watch_observers all;
    struct watch_launch launch;
    struct sanitize_among among; /* of the next launch */
    struct arena arena;
    const void *states[TRACED_SMS];
    uint64_t cycle;
};

static inline struct traced *traced_new(unsigned checks, uint32_t target_sm)
{
    struct traced *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->s = sanitize_create(checks, TRACED_MEMORY, TRACED_BYTES);
    t->module = (struct isa_module){.instrs = t->instrs, .instr_count = TRACED_INSTRS, .target_sm = target_sm};
    arena_init(&t->arena);
    watch_join(&t->all, sanitize_observer());
    return t;
}

static inline void traced_begin(struct traced *t, bool (*host_writes)(const void *context, uint64_t address))
{
    const struct lockstep_observed observed = {
        .kernel = "k", .sms = TRACED_SMS, .warps = 64, .lanes = 32, .instructions = TRACED_INSTRS};
    struct diag_sink sink = {0};
    assert_int_equal(watch_launch_begin(&t->launch, &t->all, &t->module, &observed, &t->arena, &sink), 0);
    sanitize_begin(t->s, &t->launch, &t->among, host_writes, NULL);
    watch_launch_states(&t->launch, sanitize_observer(), t->states);
}

/* Ends the launch; its findings stay until traced_free or the next launch. */
static inline const struct sanitize_finding *traced_end(struct traced *t, size_t *count)
{
    watch_launch_free(&t->launch);
    return sanitize_end(t->s, count);
}

static inline void traced_free(struct traced *t)
{
    sanitize_destroy(t->s);
    arena_free(&t->arena);
    watch_unload(&t->all);
    free(t);
}

/* A warp by the number of its block and its own in it. */
struct traced_warp {
    uint32_t block, warp;
};

static inline void *traced_state(struct traced *t, struct traced_warp w)
{
    return (void *)(uintptr_t)t->states[w.block % TRACED_SMS];
}
static inline uint32_t traced_slot(struct traced_warp w)
{
    return 4 * (w.block / TRACED_SMS) + w.warp;
}
static inline uint32_t traced_block_slot(struct traced_warp w)
{
    return w.block / TRACED_SMS;
}
#define TRACED(name, w, ...)                                                                                           \
    sanitize_observer()->name(traced_state(t, w), &(struct lockstep_##name##_event){.cycle = ++t->cycle, __VA_ARGS__})

static inline void traced_launch(struct traced *t, struct traced_warp w)
{
    const uint32_t index[3] = {w.block, 0, 0};
    TRACED(launch, w, .warp = traced_slot(w), .block = traced_block_slot(w), .block_index = index,
           .warp_in_block = w.warp);
}
static inline void traced_leave(struct traced *t, struct traced_warp w)
{
    TRACED(leave, w, .warps = BIT64(traced_slot(w)));
}

/* A fence or a barrier. */
static inline void traced_issue(struct traced *t, struct traced_warp w, uint32_t pc)
{
    TRACED(issue, w, .warp = traced_slot(w), .block = traced_block_slot(w), .pc = pc, .active = 1, .mask = 1,
           .instruction_class = watch_class(&t->instrs[pc]));
}

/* An access of these lanes, all at one address; each stores the value. */
static inline void traced_access(struct traced *t, struct traced_warp w, uint32_t pc, uint64_t lanes, uint64_t address,
                                 uint32_t bytes, uint32_t value)
{
    uint64_t addresses[64];
    uint32_t data[64];
    for (unsigned lane = 0; lane < 64; lane++) {
        addresses[lane] = address;
        data[lane] = value;
    }
    TRACED(access, w, .warp = traced_slot(w), .block = traced_block_slot(w), .pc = pc,
           .instruction_class = watch_class(&t->instrs[pc]), .space = watch_space(t->instrs[pc].mods.space),
           .bytes = bytes, .mask = lanes, .address = addresses, .data = data, .stride = sizeof *data);
}
static inline void traced_done(struct traced *t, struct traced_warp w, uint32_t pc)
{
    TRACED(done, w, .warp = traced_slot(w), .pc = pc);
}
/* A lane's compare-and-swap was answered, and has changed the word. */
static inline void traced_swapped(struct traced *t, struct traced_warp w, uint32_t pc, uint32_t lane, uint64_t address,
                                  uint32_t before, uint32_t after)
{
    TRACED(atomic, w, .warp = traced_slot(w), .block = traced_block_slot(w), .pc = pc, .lane = lane,
           .space = watch_space(t->instrs[pc].mods.space), .operation = LOCKSTEP_ATOMIC_COMPARE_AND_SWAP,
           .performed = 1, .address = address, .before = before, .after = after);
}

/* A barrier opens for these warps of its block; they came to that of a grid when they issued it. */
static inline void traced_open(struct traced *t, uint32_t block, uint64_t warps)
{
    struct traced_warp w = {block, 0};
    TRACED(open, w, .block = traced_block_slot(w), .warps = warps << traced_slot(w));
}

#endif
