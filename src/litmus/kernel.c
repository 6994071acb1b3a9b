#include "litmus/kernel.h"

#include <stddef.h>

#include "base/bits.h"

#define MEETING_LOOKS 64 /* after so many a thread goes on alone: the others may be far behind */

unsigned litmus_block_threads(const struct litmus_test *test, unsigned thread)
{
    unsigned count = 0;
    for (unsigned i = 0; i < test->thread_count; i++)
        count += test->threads[i].cta == test->threads[thread].cta;
    return count;
}

bool litmus_has_barriers(const struct litmus_test *test)
{
    for (unsigned i = 0; i < test->thread_count; i++)
        for (unsigned k = 0; k < test->threads[i].count; k++)
            if (test->threads[i].instrs[k].kind == LITMUS_BARRIER)
                return true;
    return false;
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

static const char *scope_word(const struct litmus_instr *i)
{
    static const char *const words[] = {".cta", ".gpu", ".sys"};
    return i->kind != LITMUS_FENCE && i->order == LITMUS_WEAK ? "" : words[i->scope];
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
        strbuf_addf(out, "%%r%u", o.value);
    else
        strbuf_addf(out, "%u", o.value);
}

static void write_atomic(const struct litmus_instr *i, const char *guarded, struct strbuf *out)
{
    if (i->update == LITMUS_sub) {
        strbuf_add(out, "    sub.u32 %t0, 0, ");
        operand(out, i->a);
        strbuf_add(out, ";\n");
    }
    strbuf_addf(out, "    %satom%s%s.global.%s.%s %%r%u, [%%place%u], ", guarded, order_word(i->order), scope_word(i),
                update_word(i->update), update_type(i->update), i->to, i->place);
    if (i->update == LITMUS_sub)
        strbuf_add(out, "%t0");
    else
        operand(out, i->a);
    if (i->update == LITMUS_cas) {
        strbuf_add(out, ", ");
        operand(out, i->b);
    }
    strbuf_add(out, ";\n");
}

/* The lane that does the thread decides for all that come with it. */
static void write_branch(const struct litmus_instr *i, unsigned thread, bool together, struct strbuf *out)
{
    if (i->compare != LITMUS_ALWAYS) {
        strbuf_add(out, "    mov.u32 %t0, ");
        operand(out, i->a);
        strbuf_addf(out, ";\n    setp.%s.u32 %%p, %%t0, ", i->compare == LITMUS_EQUAL ? "eq" : "ne");
        operand(out, i->b);
        strbuf_add(out, ";\n");
        if (together)
            strbuf_add(out, "    and.pred %p, %p, %me;\n    vote.sync.any.pred %p, %p, 0xffffffff;\n");
        strbuf_add(out, "    @%p");
    }
    strbuf_addf(out, "    bra P%u_%u;\n", thread, i->target);
}

static void write_instr(const struct litmus_test *test, unsigned thread, const struct litmus_instr *i,
                        uint32_t warp_size, struct strbuf *out)
{
    const char *guarded = guard(test);
    switch (i->kind) {
    case LITMUS_LOAD:
        strbuf_addf(out, "    %sld%s%s.global.u32 %%r%u, [%%place%u];\n", guarded, order_word(i->order), scope_word(i),
                    i->to, i->place);
        break;
    case LITMUS_STORE:
        strbuf_addf(out, "    %sst%s%s.global.u32 [%%place%u], ", guarded, order_word(i->order), scope_word(i),
                    i->place);
        operand(out, i->a);
        strbuf_add(out, ";\n");
        break;
    case LITMUS_ATOMIC:
        write_atomic(i, guarded, out);
        break;
    case LITMUS_FENCE:
        strbuf_addf(out, "    %sfence%s%s;\n", guarded, order_word(i->order), scope_word(i));
        break;
    case LITMUS_BARRIER:
        strbuf_addf(out, "    barrier.sync %u, %u;\n", i->barrier, warp_size * litmus_block_threads(test, thread));
        break;
    case LITMUS_SET:
        strbuf_add(out, "    mov.u32 %t0, ");
        operand(out, i->a);
        strbuf_addf(out, ";\n    add.u32 %%r%u, %%t0, ", i->to);
        operand(out, i->b);
        strbuf_add(out, ";\n");
        break;
    case LITMUS_BRANCH:
        write_branch(i, thread, litmus_has_barriers(test), out);
        break;
    }
}

static void write_thread(const struct litmus_test *test, unsigned thread, uint32_t warp_size, struct strbuf *out)
{
    const struct litmus_thread *t = &test->threads[thread];
    strbuf_addf(out, "THREAD%u:\n", thread);
    for (unsigned r = 0; r < t->registers; r++)
        strbuf_addf(out, "    mov.u32 %%r%u, %u;\n", r, t->initial[r]);
    for (unsigned i = 0; i < t->count; i++) {
        strbuf_addf(out, "P%u_%u:\n", thread, i);
        write_instr(test, thread, &t->instrs[i], warp_size, out);
    }
    strbuf_addf(out, "P%u_%u:\n", thread, t->count);
    for (unsigned r = 0; r < t->registers; r++)
        strbuf_addf(out, "    %sst.global.u32 [%%result+%u], %%r%u;\n", guard(test), 4 * r, r);
    strbuf_add(out, "    bra NEXT;\n");
}

static void write_head(const struct litmus_test *test, uint32_t warp_size, struct strbuf *out)
{
    strbuf_addf(out,
                ".version 7.0\n.target sm_70\n.address_size 64\n"
                ".visible .entry " LITMUS_KERNEL "(.param .u64 plan, .param .u32 rounds)\n{\n"
                "    .reg .pred %%p, %%me;\n    .reg .b32 %%t<5>, %%r<%d>, %%lane, %%left, %%thread;\n"
                "    .reg .b64 %%entry, %%stride, %%meet, %%result, %%place<%d>;\n",
                LITMUS_REGISTERS, LITMUS_PLACES);
    strbuf_addf(out,
                "    mov.u32 %%t0, %%tid.x;\n    shr.u32 %%t1, %%t0, %u;\n    and.b32 %%lane, %%t0, %u;\n"
                "    mov.u32 %%t0, %%ntid.x;\n    shr.u32 %%t0, %%t0, %u;\n    mov.u32 %%t2, %%ctaid.x;\n"
                "    mad.lo.u32 %%t1, %%t2, %%t0, %%t1;\n    mul.wide.u32 %%stride, %%t1, %zu;\n"
                "    ld.param.u64 %%entry, [plan];\n    add.u64 %%entry, %%entry, %%stride;\n"
                "    mov.u32 %%t1, %%nctaid.x;\n    mul.lo.u32 %%t1, %%t1, %%t0;\n"
                "    mul.wide.u32 %%stride, %%t1, %zu;\n    ld.param.u32 %%left, [rounds];\n",
                mask_first(warp_size), warp_size - 1, mask_first(warp_size), sizeof(struct litmus_entry),
                sizeof(struct litmus_entry));
    strbuf_addf(out,
                "ROUND:\n    ld.global.u32 %%thread, [%%entry+%zu];\n    ld.global.u32 %%t1, [%%entry+%zu];\n"
                "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra CROWD;\n"
                "    setp.eq.u32 %%me, %%t1, %%lane;\n%s"
                "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra NEXT;\n"
                "    ld.global.u32 %%t1, [%%entry+%zu];\n    ld.global.u32 %%t2, [%%entry+%zu];\n"
                "    ld.global.u64 %%meet, [%%entry+%zu];\n    ld.global.u64 %%result, [%%entry+%zu];\n",
                offsetof(struct litmus_entry, thread), offsetof(struct litmus_entry, lane), LITMUS_CROWD,
                litmus_has_barriers(test) ? "" : "    @!%me bra NEXT;\n", LITMUS_NOBODY,
                offsetof(struct litmus_entry, delay), offsetof(struct litmus_entry, warm),
                offsetof(struct litmus_entry, meet), offsetof(struct litmus_entry, result));
    for (unsigned i = 0; i < test->place_count; i++)
        strbuf_addf(out, "    ld.global.u64 %%place%u, [%%entry+%zu];\n", i,
                    offsetof(struct litmus_entry, places) + i * sizeof(uint64_t));
}

/* Relaxed operations order nothing, so that what the threads do before the test adds nothing to what it may show. */
static void write_meeting(const struct litmus_test *test, struct strbuf *out)
{
    strbuf_add(out, "    setp.eq.u32 %p, %t2, 0;\n    @%p bra MEET;\n");
    for (unsigned i = 0; i < test->place_count; i++)
        strbuf_addf(out, "    %sld.global.u32 %%t0, [%%place%u];\n", guard(test), i);
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
                "CROWD:\n    ld.global.u32 %%t1, [%%entry+%zu];\n    ld.global.u64 %%meet, [%%entry+%zu];\n"
                "    ld.global.u64 %%place0, [%%entry+%zu];\n    mov.u32 %%t0, %d;\n"
                "AWAIT:\n    ld.relaxed.gpu.global.u32 %%t2, [%%meet];\n    setp.ge.u32 %%p, %%t2, %u;\n"
                "    @%%p bra PRESS;\n    sub.u32 %%t0, %%t0, 1;\n    setp.ne.u32 %%p, %%t0, 0;\n    @%%p bra AWAIT;\n"
                "PRESS:\n    red.relaxed.gpu.global.add.u32 [%%place0], 1;\n    sub.u32 %%t1, %%t1, 1;\n"
                "    setp.ne.u32 %%p, %%t1, 0;\n    @%%p bra PRESS;\n",
                offsetof(struct litmus_entry, delay), offsetof(struct litmus_entry, meet),
                offsetof(struct litmus_entry, places), MEETING_LOOKS, test->thread_count);
}

void litmus_write_kernel(const struct litmus_test *test, uint32_t warp_size, struct strbuf *out)
{
    write_head(test, warp_size, out);
    write_meeting(test, out);
    for (unsigned i = 0; i < test->thread_count; i++)
        strbuf_addf(out, "    setp.eq.u32 %%p, %%thread, %u;\n    @%%p bra THREAD%u;\n", i, i);
    for (unsigned i = 0; i < test->thread_count; i++)
        write_thread(test, i, warp_size, out);
    write_crowd(test, out);
    strbuf_add(out, "NEXT:\n    add.u64 %entry, %entry, %stride;\n    sub.u32 %left, %left, 1;\n"
                    "    setp.ne.u32 %p, %left, 0;\n    @%p bra ROUND;\n    ret;\n}\n");
}
