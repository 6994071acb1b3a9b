/* A load/store unit with nothing around it: cores whose pipeline registers a test fills, networks of the real kind, and
 * slices that are an array of bytes and a list of answers, each of which leaves after a random time. */
#ifndef LOCKSTEP_TESTS_LSU_BENCH_H
#define LOCKSTEP_TESTS_LSU_BENCH_H

#include <stdio.h>

#include "isa/mod_values.h"
#include "lsu/lsu.h"
#include "memory/packet_values.h"
#include "ptx/ptx.h"
#include "unit/core/core_bench.h"

#define BENCH_WARPS 12
#define BENCH_BLOCKS 3
#define BENCH_BASE UINT64_C(0x10000) /* of global memory */
#define BENCH_BYTES 4096u
#define BENCH_CONST UINT64_C(0x8000) /* of what is never written */
#define BENCH_CONST_BYTES 2048u
#define BENCH_ANSWERS 256

/* An answer that has not left its slice. */
struct bench_answer {
    struct packet *packet;
    uint64_t due;
    uint32_t slice;
};

struct lsu_bench {
    struct core_bench b;
    struct lsu lsu;
    struct watch watch; /* nobody listens */
    struct cache_params l1i, l1c, l1d;
    struct partition_params partition;
    struct network_params network;
    struct network *requests, *replies;
    struct isa_module *module;
    struct simt_code *code;
    struct simt_grid grid;
    struct simt_block block[BENCH_BLOCKS];
    uint8_t shared[BENCH_BLOCKS][BENCH_BYTES];
    struct decoded_instr *decoded;
    uint64_t no_registers[BENCH_WORDS * 3];
    uint8_t memory[BENCH_BYTES], constants[BENCH_CONST_BYTES];
    struct bench_answer answers[BENCH_ANSWERS];
    unsigned answer_count;
    uint64_t served;  /* requests that slices have served */
    unsigned slowest; /* cycles that an answer waits at most */
};

static inline struct isa_module *bench_load(const char *statements)
{
    static char text[16384];
    struct diag_sink sink;
    diag_init(&sink);
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                          ".reg .b32 %%r<99>; .reg .b64 %%rd<99>;\n%s\nret;\n}\n",
                          statements);
    assert_true(length > 0 && (size_t)length < sizeof text);
    struct isa_module *module = ptx_load("bench.ptx", text, (size_t)length, NULL, &sink);
    if (!module) {
        struct strbuf out = {0};
        diag_format_all(&sink, &out);
        fail_msg("%s", strbuf_text(&out));
    }
    diag_free(&sink);
    return module;
}

/* Parameters with their defaults, but for small caches: a test changes some before lsu_bench_open. */
static inline void lsu_bench_begin(struct lsu_bench *l, uint64_t seed)
{
    memset(l, 0, sizeof *l);
    bench_begin(&l->b, seed);
    l->b.params.warps = BENCH_WARPS;
    struct param_group groups[] = {
        {.params = cache_param_descs, .count = cache_param_count, .values = &l->l1d},
        {.params = partition_param_descs, .count = partition_param_count, .values = &l->partition},
        {.params = network_param_descs, .count = network_param_count, .values = &l->network},
    };
    param_defaults(groups, sizeof groups / sizeof *groups);
    l->partition.channels = 2;
    l->l1c = l->l1i = l->l1d;
    l->l1c.line_bytes = l->l1c.sector_bytes = 64;
    l->l1c.sets = 2;
    l->l1c.ways = 2;
    l->l1c.miss_room = 1;
    l->l1c.miss_queue = l->l1i.miss_queue = 4;
    l->slowest = 60;
}

static inline void lsu_bench_open_program(struct lsu_bench *l, const char *statements)
{
    unsigned unbound;
    l->module = bench_load(statements);
    l->code = simt_bind(l->module, 32, &l->b.arena, &unbound);
    l->grid = (struct simt_grid){.code = l->code,
                                 .kernel = &l->module->functions[0],
                                 .grid = {BENCH_BLOCKS, 1, 1},
                                 .block = {32 * BENCH_WARPS / BENCH_BLOCKS, 1, 1},
                                 .barriers = 16,
                                 .sm_count = 1,
                                 .warp_slots = BENCH_WARPS,
                                 .stack_bytes = 1024,
                                 .core_mhz = 700};
    l->decoded = ARENA_NEW(&l->b.arena, struct decoded_instr, l->module->instr_count + 1);
    for (uint32_t pc = 0; pc <= l->module->instr_count; pc++) {
        l->decoded[pc].uses = l->decoded[pc].timing.writes = l->no_registers;
        l->decoded[pc].timing.unit = ISA_UNIT_MEM;
        l->decoded[pc].dst_set = BIT64(pc % l->b.params.register_banks);
    }
}

/* The block of a warp: neighbours are of one block. */
static inline unsigned bench_block_of(unsigned slot)
{
    return slot / (BENCH_WARPS / BENCH_BLOCKS);
}

static inline void bench_launch_warps(struct lsu_bench *l)
{
    const unsigned per_block = BENCH_WARPS / BENCH_BLOCKS;
    for (unsigned i = 0; i < BENCH_BLOCKS; i++) {
        l->block[i] =
            (struct simt_block){.grid = &l->grid, .index = {i}, .shared_bytes = BENCH_BYTES, .shared = l->shared[i]};
        lsu_block_begins(&l->lsu, i, mask_low(per_block) << i * per_block);
    }
    for (unsigned slot = 0; slot < BENCH_WARPS; slot++) {
        struct simt_warp *warp = &l->b.warp.slots[slot].simt;
        warp_start(&l->b.warp, slot, bench_block_of(slot), slot);
        simt_warp_start(warp, &l->block[bench_block_of(slot)], slot % per_block, 32);
        lsu_warp_begins(&l->lsu, slot);
        warp_come(&l->b.warp, BIT64(slot));
    }
}

static inline void lsu_bench_open(struct lsu_bench *l, const char *statements, const struct lsu_port *port,
                                  const struct coherence_protocol *protocol)
{
    struct core_bench *b = &l->b;
    lsu_bench_open_program(l, statements);
    bench_open(b, &bench_no_policy, NULL, l, l->decoded, 1, false);
    unsigned slices = memory_slices(&l->partition);
    struct network_params back = network_back(&l->network);
    l->requests = network_create(&l->network, 1, slices, &b->arena);
    l->replies = network_create(&back, slices, 1, &b->arena);
    lsu_init(&l->lsu,
             &(struct lsu_setup){
                 .shared = &b->shared,
                 .sm_count = 1,
                 .l1i = &l->l1i,
                 .l1c = &l->l1c,
                 .l1d = &l->l1d,
                 .protocol = protocol,
                 .partition = &l->partition,
                 .requests = l->requests,
                 .replies = l->replies,
                 .local_base = UINT64_C(1) << 32,
                 .port = port,
                 .watch = &l->watch,
                 .core = b->core,
                 .core_end = b->core + b->params.cores,
             },
             &b->arena);
    lsu_begin(&l->lsu, &(struct lsu_launch){
                           .module = l->module, .threads_per_block = l->grid.block[0], .max_blocks = BENCH_BLOCKS});
    for (unsigned i = 0; i < BENCH_BYTES; i++)
        l->memory[i] = (uint8_t)random_at(b->seed, 2000000 + i);
    for (unsigned i = 0; i < BENCH_CONST_BYTES; i++)
        l->constants[i] = (uint8_t)random_at(b->seed, 3000000 + i);
    bench_launch_warps(l);
}

static inline void lsu_bench_close(struct lsu_bench *l)
{
    for (unsigned slot = 0; slot < BENCH_WARPS; slot++)
        simt_warp_free(&l->b.warp.slots[slot].simt);
    lsu_free(&l->lsu);
    isa_module_free(l->module);
    bench_close(&l->b);
}

/* The memory side */

/* The values of an address's line of PACKET_LINE_BYTES; NULL: nobody looks at them (local memory). */
static inline uint8_t *bench_line_of(struct lsu_bench *l, uint64_t address)
{
    uint64_t line = address & ~(uint64_t)(PACKET_LINE_BYTES - 1);
    return line - BENCH_BASE < BENCH_BYTES          ? l->memory + (line - BENCH_BASE)
           : line - BENCH_CONST < BENCH_CONST_BYTES ? l->constants + (line - BENCH_CONST)
                                                    : NULL;
}

/* A request takes effect in the order in which its slice receives it. */
static inline void bench_serve(struct lsu_bench *l, struct packet *p)
{
    uint8_t *line = bench_line_of(l, p->address);
    if (p->kind == PACKET_READ && line)
        memcpy(packet_data(p), line, PACKET_LINE_BYTES);
    else if (p->kind == PACKET_WRITE && line)
        packet_write_line(p, line);
    else if (p->kind == PACKET_ATOMIC)
        packet_perform_lanes(atomic_of(p), line, 0, PACKET_LINE_BYTES);
    else
        assert_true(p->space == PACKET_LOCAL || p->kind == PACKET_WRITE);
    p->is_reply = true;
    l->served++;
}

static inline void bench_receive(struct lsu_bench *l, uint32_t slice, uint64_t cycle)
{
    struct packet *p = l->answer_count < BENCH_ANSWERS ? network_receive(l->requests, slice) : NULL;
    if (!p)
        return;
    bench_serve(l, p);
    uint64_t delay = 1 + random_at(l->b.seed, 4000000 + l->served) % l->slowest;
    l->answers[l->answer_count++] = (struct bench_answer){p, cycle + delay, slice};
}

/* Answers leave when their time has come, whichever came first. */
static inline void bench_answer(struct lsu_bench *l, uint64_t cycle)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < l->answer_count; i++) {
        struct bench_answer *a = &l->answers[i];
        uint32_t bytes = packet_network_bytes(a->packet);
        if (a->due <= cycle && network_can_send(l->replies, a->slice, bytes))
            network_send(l->replies, a->slice, 0, bytes, a->packet, cycle);
        else
            l->answers[kept++] = *a;
    }
    l->answer_count = kept;
}

/* A cycle of networks and slices; then the unit takes what came. */
static inline void bench_memory(struct lsu_bench *l, uint64_t cycle)
{
    network_tick(l->requests, cycle);
    for (uint32_t slice = 0; slice < memory_slices(&l->partition); slice++)
        bench_receive(l, slice, cycle);
    bench_answer(l, cycle);
    network_tick(l->replies, cycle);
    lsu_pass_on(&l->lsu);
    lsu_eject(&l->lsu, cycle);
}

/* Everything that the unit and its L1D keep agrees with what it follows from, and all is due that has to be. */
static inline void bench_check_lsu(struct lsu_bench *l)
{
    struct check c;
    check_init(&c);
    check_of(&c, "lsu", 0);
    lsu_check(&l->lsu, &c);
    l1_check(&l->lsu.l1d, &c);
    bench_expect_whole(&l->b, &c);
    uint32_t exact = DUE_RESPONSE | DUE_SEND | DUE_PIPE | DUE_SHARED | DUE_EJECT | DUE_PROBES;
    assert_int_equal(l->b.agenda.due & exact, lsu_due_of_queues(&l->lsu));
    assert_int_equal(lsu_least_due(&l->lsu) & ~l->b.agenda.due, 0);
}

#endif
