/* A bench for timing rules of an SM: one SM between its two networks, and a memory behind them that answers when the
 * test says. A kernel runs twice, so that its instructions and parameters are in the caches the second time; then every
 * cycle leaves one letter, the owner of the scheduler's cycle, and every request one entry. Letters: I issued, s
 * structural, h held, d data (scoreboard), f fence, a atomic, B back-off, c control, F fetch, z sleep, R
 * registers, K cluster, b barrier, x exit, - idle.
 *
 * A kernel's text follows sixteen instructions of the bench, the last of which sleeps until every pipeline is empty and
 * the first eight instructions of the text are in the buffer. There %rd1 = p, %r1 = n, %r2 = tid.x, %rd2 = p + tid.x *
 * n, %r4 = the shared address of tid.x * n, %r5 = lane, %f1 = %d1 = 1, %r6 = 7, %r7 = 3, %p1 = (tid.x == 0). */
#ifndef LOCKSTEP_TESTS_RULES_BENCH_H
#define LOCKSTEP_TESTS_RULES_BENCH_H

#include "gpu_support.h"

#include "base/arena.h"
#include "gpu/gpu_impl.h"

#define BENCH_PROLOGUE 16
#define BENCH_CYCLES 8192
#define BENCH_PACKETS 256
/* A packet of one flit that the SM sends in cycle c is taken by the memory in cycle c + BENCH_REQUEST; a reply that the
 * memory sends in cycle c is offered to the SM in cycle c + BENCH_REPLY. Each further flit takes a cycle more. */
#define BENCH_REQUEST 8
#define BENCH_REPLY 7
#define BENCH_HELD UINT64_MAX
#define BENCH_REPLY_BYTES (8 + PACKET_LINE_BYTES)

struct bench_packet {
    uint64_t at; /* cycle of the launch in which the SM sent it */
    uint64_t address;
    uint32_t bytes;
    uint8_t kind, space;
};

struct bench_waiting {
    struct packet *packet;
    uint64_t due;
};

struct bench {
    struct device d;
    struct arena arena;
    struct network *requests, *replies;
    struct sm *sm;
    struct simt_grid grid;
    struct sm_kernel kernel;
    uint64_t cycle, start, buffer;
    uint64_t delay; /* cycles between a request's arrival and its reply's sending;
                       BENCH_HELD: until it is changed */
    unsigned warps;
    char line[BENCH_CYCLES + 1];       /* the first scheduler's cycles since the last launch */
    uint32_t issues[BENCH_CYCLES + 1]; /* warp instructions issued before each of them */
    unsigned length;
    const uint64_t *watched;                    /* a statistic to be noted, or NULL */
    uint64_t watch[BENCH_CYCLES + 1];           /* what it was before each cycle */
    struct bench_packet packets[BENCH_PACKETS]; /* other than instruction fetches,
                                                   since the last launch */
    unsigned packet_count;
    uint64_t replied_at[BENCH_PACKETS]; /* cycle of the launch in which the n-th
                                           reply is offered to the SM */
    unsigned replied;
    struct bench_waiting waiting[BENCH_PACKETS];
    unsigned waiting_count;
};

static inline bool bench_writable(const void *context, uint64_t address)
{
    (void)context, (void)address;
    return false;
}

static inline void bench_build(struct bench *b)
{
    const struct machine *m = &b->d.gpu->machine;
    unsigned slices = m->memory.partition.channels * m->memory.partition.slices_per_channel;
    arena_init(&b->arena);
    b->requests = network_create(&m->network, 1, slices, &b->arena);
    b->replies = network_create(&m->network, slices, 1, &b->arena);
    struct sm_setup setup = gpu_sm_setup(b->d.gpu, 0, b->requests, b->replies);
    setup.sm_count = 1;
    b->sm = sm_create(&setup, &b->arena);
}

static inline void bench_describe(struct bench *b, unsigned threads)
{
    const struct machine *m = &b->d.gpu->machine;
    const struct isa_function *function = gpu_kernel(b->d.module, "k");
    b->warps = (threads + m->sm.warp_size - 1) / m->sm.warp_size;
    b->grid = (struct simt_grid){
        .code = b->d.module->simt,
        .kernel = function,
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .param_address = device_buffer(&b->d, 256),
        .dynamic_base = function->shared_bytes,
        .sm_count = 1,
        .warp_slots = m->sm.warps,
        .barriers = m->sm.barriers,
        .stack_bytes = m->gpu.stack_bytes,
        .core_mhz = m->gpu.core_mhz,
        .services = &b->d.gpu->services,
    };
    b->kernel = (struct sm_kernel){
        .grid = &b->grid,
        .warps_per_block = b->warps,
        .threads_per_block = b->warps * m->sm.warp_size,
        .shared_bytes = function->shared_bytes,
        .registers = function->registers,
        .max_blocks = m->sm.blocks,
        .read_only = bench_writable,
    };
    b->kernel.protocol = coherence_find(NULL);
    sm_prepare(&b->kernel, &m->sm, &b->arena);
}

/* settings as for device_open, on top of: one scheduler, an instruction buffer and a fetch that hold eight
 * instructions, an instruction cache that holds every kernel. */
static inline void bench_open(struct bench *b, const char *machine, const char *settings, const char *text,
                              unsigned threads)
{
    struct strbuf code = {0};
    char all[512];
    memset(b, 0, sizeof *b);
    snprintf(all, sizeof all,
             "gpu.sms=1 gpu.memory_mib=64 sm.schedulers=1 sm.instruction_buffer=8 sm.fetch_width=8 l1i.sets=64 %s",
             settings);
    strbuf_add(
        &code, PTX_HEAD
        ".shared .align 128 .b8 s[16384];\n.visible .entry k(.param .u64 p, .param .u64 n)\n{\n" PTX_REGS
        "ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [n]; cvt.u32.u64 %r1, %rd3; mov.u32 %r2, %tid.x;\n"
        "mul.wide.u32 %rd4, %r2, %r1; add.u64 %rd2, %rd1, %rd4; mov.u32 %r3, s; mad.lo.u32 %r4, %r2, %r1, %r3;\n"
        "and.b32 %r5, %r2, 31; mov.f32 %f1, 0f3F800000; mov.f64 %d1, 0d3FF0000000000000; setp.eq.u32 %p1, %r2, 0;\n"
        "mov.u32 %r6, 7; mov.u32 %r7, 3; mov.u32 %r8, 0; nanosleep.u32 300;\n");
    strbuf_add(&code, text);
    strbuf_add(&code, "\nret;\n}\n");
    device_open(&b->d, machine, all);
    device_load(&b->d, strbuf_text(&code));
    strbuf_free(&code);
    b->buffer = device_buffer(&b->d, 262144);
    bench_build(b);
    bench_describe(b, threads);
}

static inline void bench_close(struct bench *b)
{
    sm_destroy(b->sm);
    arena_free(&b->arena);
    device_close(&b->d);
}

/* The memory: takes what has arrived, and sends what is due. */
static inline void bench_take(struct bench *b, unsigned slice)
{
    struct packet *p = network_receive(b->requests, slice);
    if (!p)
        return;
    assert_true(b->waiting_count < BENCH_PACKETS && b->packet_count < BENCH_PACKETS);
    unsigned flits =
        (packet_network_bytes(p) + b->d.gpu->machine.network.flit_bytes - 1) / b->d.gpu->machine.network.flit_bytes;
    bool plain = p->space != PACKET_INSTRUCTION;
    if (plain)
        b->packets[b->packet_count++] = (struct bench_packet){.at = b->cycle - b->start - BENCH_REQUEST - (flits - 1),
                                                              .address = p->address,
                                                              .bytes = p->bytes,
                                                              .kind = p->kind,
                                                              .space = p->space};
    b->waiting[b->waiting_count++] = (struct bench_waiting){p, plain ? b->cycle : 0};
}

static inline void bench_answer(struct bench *b, struct packet *p)
{
    const struct store *store = &b->d.gpu->store;
    bool in_store = p->address >= store->start && p->address - store->start < store->size;
    if (in_store && p->kind == PACKET_READ && p->space != PACKET_INSTRUCTION)
        memcpy(packet_data(p) + p->address % PACKET_LINE_BYTES, store_at(store, p->address), p->bytes);
    for (unsigned i = 0; in_store && p->kind == PACKET_WRITE && i < PACKET_LINE_BYTES; i++)
        if (packet_mask(p)[i / 64] >> i % 64 & 1)
            *store_at(store, p->address / PACKET_LINE_BYTES * PACKET_LINE_BYTES + i) = packet_data(p)[i];
    p->is_reply = true;
    network_send(b->replies, 0, 0, packet_network_bytes(p), p, b->cycle);
}

static inline void bench_memory(struct bench *b)
{
    const struct partition_params *p = &b->d.gpu->machine.memory.partition;
    for (unsigned slice = 0; slice < p->channels * p->slices_per_channel; slice++)
        bench_take(b, slice);
    unsigned kept = 0;
    bool sent = false;
    for (unsigned i = 0; i < b->waiting_count; i++) {
        struct bench_waiting w = b->waiting[i];
        bool due = w.due == 0 || (b->delay != BENCH_HELD && w.due + b->delay <= b->cycle);
        if (due && !sent && network_can_send(b->replies, 0, BENCH_REPLY_BYTES)) {
            bench_answer(b, w.packet);
            sent = true;
        } else {
            b->waiting[kept++] = w;
        }
    }
    b->waiting_count = kept;
}

static inline char bench_owner(const struct core_stalls *before, const struct core_stalls *after)
{
    static const char letters[] = "IshdfaMCPABcFSzLRKbx-";
    for (unsigned i = 0; i < CORE_STALL_COUNT; i++)
        if ((&after->issued)[i] != (&before->issued)[i])
            return letters[i];
    return '?';
}

/* One core cycle, in the order of the device's own. */
static inline void bench_tick(struct bench *b)
{
    struct core_stalls before = *sm_stalls_of(b->sm);
    bool there = network_peek(b->replies, 0) != NULL;
    sm_eject(b->sm, b->cycle);
    bench_memory(b);
    network_tick(b->requests, b->cycle);
    network_tick(b->replies, b->cycle);
    if (network_peek(b->replies, 0) && !there && b->replied < BENCH_PACKETS)
        b->replied_at[b->replied++] = b->cycle - b->start + 1;
    uint64_t issued = sm_stats_of(b->sm)->warp_instructions;
    sm_step(b->sm, b->cycle++);
    if (b->length == BENCH_CYCLES)
        return;
    b->issues[b->length + 1] = b->issues[b->length] + (uint32_t)(sm_stats_of(b->sm)->warp_instructions - issued);
    b->line[b->length++] = bench_owner(&before, sm_stalls_of(b->sm));
    b->line[b->length] = 0;
    b->watch[b->length] = b->watched ? *b->watched : 0;
}

static inline bool bench_read(void *context, uint64_t address, uint8_t *to, uint32_t bytes)
{
    const struct store *store = &((struct bench *)context)->d.gpu->store;
    memcpy(to, store_at(store, address), bytes);
    return true;
}

static inline void bench_launch(struct bench *b, uint64_t p, uint64_t n)
{
    const uint32_t index[3] = {0, 0, 0};
    uint64_t params[] = {p, n};
    memcpy(store_at(&b->d.gpu->store, b->grid.param_address), params, sizeof params);
    b->length = b->packet_count = b->replied = 0;
    b->watch[0] = b->watched ? *b->watched : 0;
    b->start = b->cycle;
    sm_refresh(b->sm, bench_read, b);
    sm_begin(b->sm, &b->kernel, b->cycle);
    sm_launch(b->sm, index, NULL, b->cycle);
}

static inline void bench_finish(struct bench *b)
{
    for (unsigned i = 0; !sm_idle(b->sm); i++) {
        if (i == BENCH_CYCLES)
            fail_msg("the kernel does not end: %s", b->line);
        bench_tick(b);
    }
    assert_null(sm_faulted(b->sm));
    for (unsigned i = 0; i < 40; i++)
        bench_tick(b);
}

/* Both runs; the first one works on the second half of the buffer. */
static inline void bench_run(struct bench *b, uint64_t n)
{
    bench_launch(b, b->buffer + 131072, n);
    bench_finish(b);
    bench_launch(b, b->buffer, n);
    bench_finish(b);
}

/* The cycle in which the n-th instruction of the text issued, counting from 0 over all warps. */
static inline unsigned bench_issue(const struct bench *b, unsigned n)
{
    for (unsigned i = 0; i < b->length; i++)
        if (b->issues[i + 1] > BENCH_PROLOGUE * b->warps + n)
            return i;
    fail_msg("only %u instructions issued: %s", b->issues[b->length], b->line);
    return 0;
}

/* A diagram: letters with the number of cycles each stands for, ended by 0. */
struct bench_run {
    char letter;
    unsigned cycles;
};

/* The cycles from the issue of instruction `from` of the text on must be these. So what follows in the diagram has not
 * happened in the cycle before, and has in its own. */
static inline void bench_expect(const struct bench *b, const char *what, unsigned from, const struct bench_run *runs)
{
    char expected[BENCH_CYCLES + 1];
    unsigned length = 0;
    for (; runs->letter; runs++)
        for (unsigned i = 0; i < runs->cycles; i++)
            expected[length++] = runs->letter;
    expected[length] = 0;
    const char *found = b->line + bench_issue(b, from);
    if (strncmp(found, expected, length) != 0)
        fail_msg("%s\n expected %s\n found    %.*s", what, expected, (int)length + 8, found);
}
#define DIAGRAM(...) ((const struct bench_run[]){__VA_ARGS__, {0, 0}})

#endif
