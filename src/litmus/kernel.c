/* Writes the PTX of the kernel that runs a litmus test (kernel.h). */
#include "litmus/kernel.h"

#include <stddef.h>

#include <inttypes.h>

#include "base/bits.h"
#include "litmus/barriers.h"

#define MEETING_LOOKS 64 /* after so many a thread goes on alone: the others may be far behind */

unsigned litmus_block_threads(const struct litmus_test *test, unsigned thread)
{
    return mask_count(litmus_block_of(test, thread));
}

bool litmus_has_barriers(const struct litmus_test *test)
{
    for (unsigned i = 0; i < test->thread_count; i++)
        for (unsigned k = 0; k < test->threads[i].count; k++)
            if (test->threads[i].instrs[k].kind == LITMUS_BARRIER)
                return true;
    return test->object_count != 0;
}

unsigned litmus_seats(const struct litmus_test *test)
{
    unsigned most = 1;
    if (litmus_has_barriers(test))
        return 1;
    for (unsigned i = 0; i < test->thread_count; i++) {
        for (unsigned k = 0; k < test->threads[i].count; k++)
            if (test->threads[i].instrs[k].kind == LITMUS_BRANCH && test->threads[i].instrs[k].target <= k)
                return 1;
        unsigned threads = litmus_block_threads(test, i);
        most = threads > most ? threads : most;
    }
    return most;
}

/* The number of a barrier, if it is a number or in a register that the thread never writes. */
static bool find_number(const struct litmus_thread *t, const struct litmus_instr *barrier, uint64_t *number)
{
    *number = barrier->a.is_register ? t->initial[barrier->a.value] : barrier->a.value;
    for (unsigned k = 0; k < t->count; k++) {
        const struct litmus_instr *i = &t->instrs[k];
        bool writes = i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOMIC || i->kind == LITMUS_SET;
        if (barrier->a.is_register && writes && i->to == barrier->a.value)
            return false;
    }
    return *number < LITMUS_BARRIERS;
}

static bool comes_to(const struct litmus_thread *t, uint64_t number)
{
    for (unsigned k = 0; k < t->count; k++) {
        uint64_t other;
        if (t->instrs[k].kind == LITMUS_BARRIER && find_number(t, &t->instrs[k], &other) && other == number)
            return true;
    }
    return false;
}

/* True: no barrier has a number that memory gives. */
static bool knows_barriers(const struct litmus_test *test)
{
    uint64_t number;
    for (unsigned i = 0; i < test->thread_count; i++)
        for (unsigned k = 0; k < test->threads[i].count; k++)
            if (test->threads[i].instrs[k].kind == LITMUS_BARRIER &&
                !find_number(&test->threads[i], &test->threads[i].instrs[k], &number))
                return false;
    return true;
}

unsigned litmus_barrier_threads(const struct litmus_test *test, unsigned thread, const struct litmus_instr *barrier)
{
    uint64_t number;
    unsigned count = 0;
    if (!knows_barriers(test) || !find_number(&test->threads[thread], barrier, &number))
        return 0;
    for (uint32_t block = litmus_block_of(test, thread); block; block &= block - 1)
        count += comes_to(&test->threads[mask_first(block)], number);
    return count;
}

unsigned litmus_free_barrier(const struct litmus_test *test)
{
    unsigned number = 0;
    if (!knows_barriers(test))
        return LITMUS_BARRIERS;
    for (unsigned i = 0; i < test->thread_count; i++)
        if (comes_to(&test->threads[i], number))
            number++, i = UINT32_MAX;
    return number;
}

/* The predicate of a thread's accesses: one lane of a warp does the thread. In a test with barriers the other lanes
 * come with it and access nothing, for a barrier of the block is one of whole warps: a thread waits there for all lanes
 * of its warp that have not ended (PTX ISA, barrier). Else the other lanes are elsewhere. */
static const char *guard(const struct litmus_test *test)
{
    return litmus_has_barriers(test) ? "@%me " : "";
}

static const char *order_word(enum litmus_order order)
{
    static const char *const words[] = {".weak", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"};
    return words[order];
}

/* The order and scope of an instruction, as words. */
static void write_order(const struct litmus_instr *i, struct strbuf *out)
{
    static const char *const words[] = {".cta", ".gpu", ".sys"};
    if (i->is_volatile)
        strbuf_add(out, ".volatile");
    else
        strbuf_addf(out, "%s%s", order_word(i->order), i->order == LITMUS_WEAK ? "" : words[i->scope]);
}

static const char *update_type(enum litmus_update update)
{
    static const char *const types[] = {
#define UPDATE(name, type, value) type,
#include "litmus/updates.def"
#undef UPDATE
    };
    return types[update];
}

static const char *update_word(enum litmus_update update)
{
    static const char *const words[] = {
#define UPDATE(name, type, value) #name,
#include "litmus/updates.def"
#undef UPDATE
    };
    return update == LITMUS_sub ? "add" : words[update]; /* PTX has no atom.sub */
}

static void operand(struct strbuf *out, struct litmus_operand o)
{
    if (o.is_register)
        strbuf_addf(out, "%%r%" PRIu64, o.value);
    else
        strbuf_addf(out, "%" PRIu64, o.value);
}

/* Registers for values of a place's size: %h, %w and %d. */
static char letter_of(unsigned bits)
{
    return bits == 16 ? 'h' : bits == 32 ? 'w' : 'd';
}

static void write_operand_of_size(const struct litmus_test *test, unsigned number, struct litmus_operand o,
                                  unsigned bits, struct strbuf *out)
{
    if (!o.is_register)
        strbuf_addf(out, "    mov.b%u %%%c%u, %" PRIu64 ";\n", bits, letter_of(bits), number,
                    litmus_fit(o.value, bits));
    else if (bits == test->register_bits)
        strbuf_addf(out, "    mov.b%u %%%c%u, %%r%" PRIu64 ";\n", bits, letter_of(bits), number, o.value);
    else
        strbuf_addf(out, "    cvt.u%u.u%u %%%c%u, %%r%" PRIu64 ";\n", bits, test->register_bits, letter_of(bits),
                    number, o.value);
}

static void write_atomic(const struct litmus_test *test, const struct litmus_instr *i, struct strbuf *out)
{
    unsigned bits = test->places[i->place].bits, all = test->register_bits;
    char c = letter_of(bits);
    write_operand_of_size(test, 0, i->a, bits, out);
    if (i->update == LITMUS_cas)
        write_operand_of_size(test, 1, i->b, bits, out);
    if (i->update == LITMUS_sub)
        strbuf_addf(out, "    sub.u%u %%%c0, 0, %%%c0;\n", bits, c, c);
    strbuf_addf(out, "    %satom", guard(test));
    write_order(i, out);
    strbuf_addf(out, ".global.%s.%s%u %%%c2, [%%place%u], %%%c0", update_word(i->update), update_type(i->update), bits,
                c, i->place, c);
    strbuf_addf(out, i->update == LITMUS_cas ? ", %%%c1;\n" : ";\n", c);
    if (bits == all)
        strbuf_addf(out, "    mov.b%u %%r%u, %%%c2;\n", all, i->to, c);
    else
        strbuf_addf(out, "    cvt.u%u.u%u %%r%u, %%%c2;\n", all, bits, i->to, c);
}

/* The lane that does the thread decides for all that come with it. */
static void write_branch(const struct litmus_test *test, unsigned thread, const struct litmus_instr *i,
                         struct strbuf *out)
{
    if (i->compare != LITMUS_ALWAYS) {
        strbuf_addf(out, "    mov.b%u %%s0, ", test->register_bits);
        operand(out, i->a);
        strbuf_addf(out, ";\n    setp.%s.u%u %%p, %%s0, ", i->compare == LITMUS_EQUAL ? "eq" : "ne",
                    test->register_bits);
        operand(out, i->b);
        strbuf_add(out, ";\n");
        if (litmus_has_barriers(test))
            strbuf_add(out, "    and.pred %p, %p, %me;\n    vote.sync.any.pred %p, %p, 0xffffffff;\n");
        strbuf_add(out, "    @%p");
    }
    strbuf_addf(out, "    bra P%u_%u;\n", thread, i->target);
}

/* All lanes of the warp have the thread's numbers: they are of registers that it does not write, or were handed on. */
static void write_barrier(const struct litmus_test *test, unsigned thread, const struct litmus_instr *i,
                          uint32_t warp_size, struct strbuf *out)
{
    unsigned threads = litmus_barrier_threads(test, thread, i);
    write_operand_of_size(test, 0, i->a, 32, out);
    if (!i->b.is_register && !i->b.value)
        strbuf_addf(out, "    mov.b32 %%w1, %u;\n", threads);
    else
        write_operand_of_size(test, 1, i->b, 32, out);
    strbuf_addf(out, "    mul.lo.u32 %%w1, %%w1, %u;\n    barrier.%s %%w0, %%w1;\n", warp_size,
                i->arrives ? "arrive" : "sync");
}

/* The lane that does the thread arrives; all lanes of the warp wait with it. */
static void write_object(const struct litmus_test *test, unsigned thread, const struct litmus_instr *i,
                         struct strbuf *out)
{
    unsigned number = (unsigned)(i - test->threads[thread].instrs), at = 8 * i->object;
    if (i->kind == LITMUS_PASS)
        strbuf_addf(out,
                    "W%u_%u:\n    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %%p, [objects+%u], %u;\n"
                    "    @!%%p bra W%u_%u;\n",
                    thread, number, at, i->parity, thread, number);
    else if (i->bytes)
        strbuf_addf(out, "    @%%me mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [objects+%u], %u;\n", at,
                    i->bytes);
    else
        strbuf_addf(out, "    @%%me mbarrier.arrive.release.cta.shared::cta.b64 _, [objects+%u];\n", at);
}

static void write_instr(const struct litmus_test *test, unsigned thread, const struct litmus_instr *i,
                        uint32_t warp_size, struct strbuf *out)
{
    const char *guarded = guard(test);
    unsigned bits = test->places[i->place].bits;
    switch (i->kind) {
    case LITMUS_LOAD:
        strbuf_addf(out, "    %sld", guarded);
        write_order(i, out);
        strbuf_addf(out, ".global.u%u %%r%u, [%%place%u];\n", bits, i->to, i->place);
        break;
    case LITMUS_STORE:
        strbuf_addf(out, "    mov.b%u %%s0, ", test->register_bits);
        operand(out, i->a);
        strbuf_addf(out, ";\n    %sst", guarded);
        write_order(i, out);
        strbuf_addf(out, ".global.u%u [%%place%u], %%s0;\n", bits, i->place);
        break;
    case LITMUS_ATOMIC:
        write_atomic(test, i, out);
        break;
    case LITMUS_FENCE:
        strbuf_addf(out, "    %sfence", guarded);
        write_order(i, out);
        strbuf_add(out, ";\n");
        break;
    case LITMUS_PROXY_FENCE:
        strbuf_addf(out, "    %sfence.proxy.%s;\n", guarded, i->proxy == LITMUS_ASYNC ? "async" : "alias");
        break;
    case LITMUS_ARRIVE:
    case LITMUS_PASS:
        write_object(test, thread, i, out);
        break;
    case LITMUS_COPY:
    case LITMUS_AWAIT: /* litmus_run refuses them */
        break;
    case LITMUS_BARRIER:
        write_barrier(test, thread, i, warp_size, out);
        break;
    case LITMUS_SET:
        strbuf_addf(out, "    mov.b%u %%s0, ", test->register_bits);
        operand(out, i->a);
        strbuf_addf(out, ";\n    add.u%u %%r%u, %%s0, ", test->register_bits, i->to);
        operand(out, i->b);
        strbuf_add(out, ";\n");
        break;
    case LITMUS_BRANCH:
        write_branch(test, thread, i, out);
        break;
    }
}

static void write_thread(const struct litmus_test *test, unsigned thread, uint32_t warp_size, struct strbuf *out)
{
    const struct litmus_thread *t = &test->threads[thread];
    strbuf_addf(out, "THREAD%u:\n", thread);
    for (unsigned r = 0; r < t->registers; r++)
        strbuf_addf(out, "    mov.b%u %%r%u, %" PRIu64 ";\n", test->register_bits, r, t->initial[r]);
    for (unsigned i = 0; i < t->count; i++) {
        strbuf_addf(out, "P%u_%u:\n", thread, i);
        write_instr(test, thread, &t->instrs[i], warp_size, out);
    }
    strbuf_addf(out, "P%u_%u:\n", thread, t->count);
    for (unsigned r = 0; r < t->registers; r++)
        strbuf_addf(out, "    %sst.global.u%u [%%result+%u], %%r%u;\n", guard(test), test->register_bits, 8 * r, r);
    strbuf_add(out, "    bra NEXT;\n");
}

static void write_head(const struct litmus_test *test, uint32_t warp_size, struct strbuf *out)
{
    size_t bytes = litmus_seats(test) * sizeof(struct litmus_entry); /* of a warp */
    strbuf_addf(out,
                ".version %s\n.target %s\n.address_size 64\n"
                ".visible .entry " LITMUS_KERNEL "(.param .u64 plan, .param .u32 rounds)\n{\n"
                "    .reg .pred %%p, %%me;\n    .reg .b32 %%t<5>, %%lane, %%left, %%thread;\n"
                "    .reg .b%u %%r<%d>, %%s<1>;\n    .reg .b16 %%h<3>;\n    .reg .b32 %%w<3>;\n    .reg .b64 %%d<3>;\n"
                "    .reg .b64 %%entry, %%seat, %%stride, %%meet, %%result, %%place<%d>;\n",
                test->object_count ? "8.0" : "7.0", test->object_count ? "sm_90" : "sm_70", test->register_bits,
                LITMUS_REGISTERS, LITMUS_PLACES);
    if (test->object_count)
        strbuf_addf(out, "    .shared .align 8 .b64 objects[%u];\n", test->object_count);
    strbuf_addf(out,
                "    mov.u32 %%t0, %%tid.x;\n    shr.u32 %%t1, %%t0, %u;\n    and.b32 %%lane, %%t0, %u;\n"
                "    mov.u32 %%t0, %%ntid.x;\n    shr.u32 %%t0, %%t0, %u;\n    mov.u32 %%t2, %%ctaid.x;\n"
                "    mad.lo.u32 %%t1, %%t2, %%t0, %%t1;\n    mul.wide.u32 %%stride, %%t1, %zu;\n"
                "    ld.param.u64 %%entry, [plan];\n    add.u64 %%entry, %%entry, %%stride;\n"
                "    mov.u32 %%t1, %%nctaid.x;\n    mul.lo.u32 %%t1, %%t1, %%t0;\n"
                "    mul.wide.u32 %%stride, %%t1, %zu;\n    ld.param.u32 %%left, [rounds];\n",
                mask_first(warp_size), warp_size - 1, mask_first(warp_size), bytes, bytes);
}

/* One thread of the block makes the objects of a round, or unmakes them; all come to a barrier behind it. */
static void write_objects(const struct litmus_test *test, bool begins, struct strbuf *out)
{
    if (!test->object_count)
        return;
    strbuf_add(out, "    mov.u32 %t0, %tid.x;\n    setp.eq.u32 %p, %t0, 0;\n");
    for (unsigned i = 0; i < test->object_count; i++) {
        strbuf_addf(out, "    @%%p mbarrier.%s.shared::cta.b64 [objects+%u]", begins ? "init" : "inval", 8 * i);
        if (begins)
            strbuf_addf(out, ", %u", test->objects[i].arrivals);
        strbuf_add(out, ";\n");
    }
    strbuf_addf(out, "    barrier.sync %u;\n", litmus_free_barrier(test));
}

/* Each lane looks for its seat. Those that have none do no thread. */
static void write_seats(const struct litmus_test *test, struct strbuf *out)
{
    strbuf_add(out, "ROUND:\n    mov.u64 %seat, %entry;\n");
    write_objects(test, true, out);
    for (unsigned i = 1; i < litmus_seats(test); i++)
        strbuf_addf(out,
                    "    ld.global.u32 %%t1, [%%entry+%zu];\n    setp.eq.u32 %%p, %%t1, %%lane;\n"
                    "    @%%p add.u64 %%seat, %%entry, %zu;\n",
                    i * sizeof(struct litmus_entry) + offsetof(struct litmus_entry, lane),
                    i * sizeof(struct litmus_entry));
    strbuf_addf(out,
                "    ld.global.u32 %%thread, [%%seat+%zu];\n    ld.global.u32 %%t1, [%%seat+%zu];\n"
                "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra CROWD;\n"
                "    setp.eq.u32 %%me, %%t1, %%lane;\n%s"
                "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra NEXT;\n"
                "    ld.global.u32 %%t1, [%%seat+%zu];\n    ld.global.u32 %%t2, [%%seat+%zu];\n"
                "    ld.global.u64 %%meet, [%%seat+%zu];\n    ld.global.u64 %%result, [%%seat+%zu];\n",
                offsetof(struct litmus_entry, thread), offsetof(struct litmus_entry, lane), LITMUS_CROWD,
                litmus_has_barriers(test) ? "" : "    @!%me bra NEXT;\n", LITMUS_NOBODY,
                offsetof(struct litmus_entry, delay), offsetof(struct litmus_entry, warm),
                offsetof(struct litmus_entry, meet), offsetof(struct litmus_entry, result));
    for (unsigned i = 0; i < test->place_count; i++)
        strbuf_addf(out, "    ld.global.u64 %%place%u, [%%seat+%zu];\n", i,
                    offsetof(struct litmus_entry, places) + i * sizeof(uint64_t));
}

/* Relaxed operations order nothing, so that what the threads do before the test adds nothing to what it may show. */
static void write_meeting(const struct litmus_test *test, struct strbuf *out)
{
    strbuf_add(out, "    setp.eq.u32 %p, %t2, 0;\n    @%p bra MEET;\n");
    for (unsigned i = 0; i < test->place_count; i++)
        strbuf_addf(out, "    %sld.global.u%u %%s0, [%%place%u];\n", guard(test), test->places[i].bits, i);
    strbuf_addf(out,
                "MEET:\n    %sred.relaxed.gpu.global.add.u32 [%%meet], 1;\n    mov.u32 %%t0, %d;\n"
                "LOOK:\n    ld.relaxed.gpu.global.u32 %%t2, [%%meet];\n    setp.ge.u32 %%p, %%t2, %u;\n"
                "    @%%p bra DELAY;\n    sub.u32 %%t0, %%t0, 1;\n    setp.ne.u32 %%p, %%t0, 0;\n    @%%p bra LOOK;\n"
                "DELAY:\n    setp.eq.u32 %%p, %%t1, 0;\n    @%%p bra START;\n    sub.u32 %%t1, %%t1, 1;\n"
                "    bra DELAY;\nSTART:\n",
                guard(test), MEETING_LOOKS, test->thread_count);
}

/* All lanes of the warp, without taking part in the meeting. */
static void write_crowd(const struct litmus_test *test, struct strbuf *out)
{
    strbuf_addf(out,
                "CROWD:\n    ld.global.u32 %%t1, [%%seat+%zu];\n    ld.global.u64 %%meet, [%%seat+%zu];\n"
                "    ld.global.u64 %%place0, [%%seat+%zu];\n    mov.u32 %%t0, %d;\n"
                "AWAIT:\n    ld.relaxed.gpu.global.u32 %%t2, [%%meet];\n    setp.ge.u32 %%p, %%t2, %u;\n"
                "    @%%p bra PRESS;\n    sub.u32 %%t0, %%t0, 1;\n    setp.ne.u32 %%p, %%t0, 0;\n    @%%p bra AWAIT;\n"
                "PRESS:\n    red.relaxed.gpu.global.add.u32 [%%place0], 1;\n    sub.u32 %%t1, %%t1, 1;\n"
                "    setp.ne.u32 %%p, %%t1, 0;\n    @%%p bra PRESS;\n",
                offsetof(struct litmus_entry, delay), offsetof(struct litmus_entry, meet),
                offsetof(struct litmus_entry, places), MEETING_LOOKS, test->thread_count);
}

/* A round of a test with barriers ends with one for all warps of the block: who is late for a barrier of the test must
 * not meet those of the next round there. */
static void write_next(const struct litmus_test *test, struct strbuf *out)
{
    unsigned barrier = litmus_free_barrier(test);
    strbuf_add(out, "NEXT:\n");
    if (litmus_has_barriers(test) && barrier < LITMUS_BARRIERS)
        strbuf_addf(out, "    barrier.sync %u;\n", barrier);
    write_objects(test, false, out);
    strbuf_add(out, "    add.u64 %entry, %entry, %stride;\n    sub.u32 %left, %left, 1;\n"
                    "    setp.ne.u32 %p, %left, 0;\n    @%p bra ROUND;\n    ret;\n}\n");
}

void litmus_write_kernel(const struct litmus_test *test, uint32_t warp_size, struct strbuf *out)
{
    write_head(test, warp_size, out);
    write_seats(test, out);
    write_meeting(test, out);
    for (unsigned i = 0; i < test->thread_count; i++)
        strbuf_addf(out, "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra THREAD%u;\n", i, i);
    for (unsigned i = 0; i < test->thread_count; i++)
        write_thread(test, i, warp_size, out);
    write_crowd(test, out);
    write_next(test, out);
}
