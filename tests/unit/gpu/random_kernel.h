/* Random kernels: every thread works on bytes of its own in global (side by side with other threads' in one line),
 * shared and local memory with loads, stores and atomics of all sizes and cache operators, gathers from a common table,
 * and branches on what it read. */
#ifndef LOCKSTEP_TESTS_RANDOM_KERNEL_H
#define LOCKSTEP_TESTS_RANDOM_KERNEL_H

#include "gpu_support.h"

#define STEPS 24
#define REGION 64 /* bytes of a thread in each space */
#define TABLE 512 /* words */
#define GRID 3
#define BLOCK 70
#define THREADS (GRID * BLOCK)

enum kind { LOAD, STORE, ATOMIC, REDUCTION, GATHER, FENCE, SKIP, KINDS };
enum space { GLOBAL, SHARED, LOCAL };

struct step {
    enum kind kind;
    enum space space;
    unsigned size, offset; /* 1, 2, 4, 8, 16 bytes */
    const char *order;     /* of the instruction: "", ".volatile" and so on */
    unsigned operation;    /* of an atomic */
    bool guarded;          /* executed only when the accumulator's bit 2 is set */
    unsigned skip;         /* SKIP: so many steps when bit 4 is set */
};

struct program {
    struct step steps[STEPS];
    unsigned turns;
    bool interleaved; /* 16 bytes of each thread in turn, else 64 */
};

static inline uint32_t rnd(uint64_t *x, uint32_t below)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((*x >> 33) % below);
}

static inline uint32_t table_word(uint32_t i)
{
    return i * 2654435761u ^ i >> 3;
}

static inline struct program make_program(uint64_t seed)
{
    static const char *const orders[] = {"", "", "", ".volatile", ".relaxed.gpu"};
    uint64_t x = seed;
    struct program p = {.turns = 1 + rnd(&x, 4), .interleaved = rnd(&x, 2)};
    for (unsigned i = 0; i < STEPS; i++) {
        struct step *s = &p.steps[i];
        static const uint8_t kinds[] = {LOAD,  LOAD,   LOAD,      STORE,  STORE, STORE,
                                        STORE, ATOMIC, REDUCTION, GATHER, FENCE, SKIP};
        s->kind = kinds[rnd(&x, sizeof kinds)];
        s->space = rnd(&x, 2) ? GLOBAL : (enum space)rnd(&x, 3);
        s->size = 1u << rnd(&x, 5);
        if (s->kind == ATOMIC || s->kind == REDUCTION) {
            s->size = s->kind == ATOMIC && !rnd(&x, 3) ? 16 : 4;
            s->space = s->space == LOCAL ? GLOBAL : s->space;
        }
        /* half of the time in the first 16 bytes, so that sizes meet */
        s->offset = rnd(&x, (rnd(&x, 2) ? REGION : 16) / s->size) * s->size;
        s->order = s->space == GLOBAL ? orders[rnd(&x, 5)] : "";
        s->operation = rnd(&x, 5);
        s->guarded = rnd(&x, 4) == 0;
        s->skip = 1 + rnd(&x, 4);
    }
    return p;
}

/* The kernel: %r6 is the accumulator; %rd2, %r20 and l are where the thread's bytes begin; %rd1 + 65536 is the table.
 */

static inline void add_address(struct strbuf *out, const struct program *p, const struct step *s)
{
    unsigned offset = s->offset;
    if (s->space == GLOBAL && p->interleaved)
        offset = offset / 16 * 16 * THREADS + offset % 16;
    strbuf_addf(out, "[%s+%u]", s->space == GLOBAL ? "%rd2" : s->space == SHARED ? "%r20" : "%rd11", offset);
}

/* Of 128 bits: an exchange, or a compare-and-swap of what is 0 as a whole. */
static inline void add_wide(struct strbuf *out, const struct program *p, const struct step *s)
{
    const char *space = s->space == GLOBAL ? ".global" : ".shared";
    strbuf_addf(out,
                "add.u32 %%r7, %%r6, 1; mov.b64 %%rd6, {%%r6, %%r7}; mov.b64 %%rd7, 0; mov.b128 %%rq1, {%%rd6, %%rd6}; "
                "mov.b128 %%rq2, {%%rd7, %%rd7}; atom%s.%s.b128 %%rq0, ",
                space, s->operation == 4 ? "cas" : "exch");
    add_address(out, p, s);
    strbuf_addf(out, ", %s%%rq1; mov.b128 {%%r10, %%r11, %%r12, %%r13}, %%rq0;", s->operation == 4 ? "%rq2, " : "");
    for (unsigned i = 10; i < 14; i++)
        strbuf_addf(out, " mad.lo.u32 %%r6, %%r6, 31, %%r%u;", i);
}

static inline void add_step(struct strbuf *out, const struct program *p, const struct step *s, unsigned number)
{
    static const char *const types[] = {"u8", "u16", "u32", "v2.u32", "v4.u32"};
    static const char *const loaded[] = {"%r10", "%r10", "%r10", "{%r10, %r11}", "{%r10, %r11, %r12, %r13}"};
    static const char *const stored[] = {"%r6", "%r6", "%r6", "{%r6, %r7}", "{%r6, %r7, %r8, %r9}"};
    static const char *const spaces[] = {".global", ".shared", ".local"};
    static const char *const operations[] = {"add.u32", "xor.b32", "exch.b32", "max.u32", "cas.b32"};
    unsigned log = (unsigned)__builtin_ctz(s->size);
    strbuf_addf(out, "S%u: ", number);
    if (s->guarded)
        strbuf_add(out, "and.b32 %r15, %r6, 2; setp.eq.u32 %p1, %r15, 0; @%p1 bra ");
    if (s->guarded)
        strbuf_addf(out, "M%u;\n", number);
    switch (s->kind) {
    case LOAD:
        strbuf_addf(out, "ld%s%s.%s %s, ", s->order, spaces[s->space], types[log], loaded[log]);
        add_address(out, p, s);
        strbuf_add(out, ";");
        for (unsigned i = 0; i < (s->size + 3) / 4; i++)
            strbuf_addf(out, " mad.lo.u32 %%r6, %%r6, 31, %%r%u;", 10 + i);
        break;
    case STORE:
        strbuf_addf(out, "add.u32 %%r7, %%r6, 1; add.u32 %%r8, %%r6, 2; add.u32 %%r9, %%r6, 3; st%s%s.%s ", s->order,
                    spaces[s->space], types[log]);
        add_address(out, p, s);
        strbuf_addf(out, ", %s;", stored[log]);
        break;
    case ATOMIC:
        if (s->size == 16) {
            add_wide(out, p, s);
            break;
        }
        strbuf_addf(out, "atom%s.%s %%r10, ", spaces[s->space], operations[s->operation]);
        add_address(out, p, s);
        strbuf_add(out, s->operation == 4 ? ", 0, %r6; mad.lo.u32 %r6, %r6, 31, %r10;"
                                          : ", %r6; mad.lo.u32 %r6, %r6, 31, %r10;");
        break;
    case REDUCTION:
        strbuf_addf(out, "red%s.%s ", spaces[s->space], operations[s->operation % 2]);
        add_address(out, p, s);
        strbuf_add(out, ", %r6;");
        break;
    case GATHER:
        strbuf_addf(out,
                    "rem.u32 %%r10, %%r6, %u; mul.wide.u32 %%rd5, %%r10, 4; add.u64 %%rd5, %%rd1, %%rd5; "
                    "ld.global%s.u32 %%r10, [%%rd5+65536]; "
                    "mad.lo.u32 %%r6, %%r6, 31, %%r10;",
                    TABLE,
                    s->size == 1   ? ".nc"
                    : s->size == 2 ? ".cg"
                                   : "");
        break;
    case FENCE:
        strbuf_add(out, s->size > 4 ? "membar.gl;" : "membar.cta;");
        break;
    default:
        break;
    }
    strbuf_addf(out, "\nM%u: ", number);
    if (s->kind == SKIP) {
        unsigned to = number + 1 + s->skip;
        strbuf_addf(
            out, "and.b32 %%r15, %%r6, 4; setp.ne.u32 %%p1, %%r15, 0; mad.lo.u32 %%r6, %%r6, 31, 1; @%%p1 bra S%u;\n",
            to < STEPS ? to : STEPS);
    } else {
        strbuf_add(out, "mad.lo.u32 %r6, %r6, 31, 1;\n");
    }
}

static inline char *kernel_text(const struct program *p)
{
    struct strbuf out = {0};
    strbuf_addf(&out,
                "%s.shared .align 16 .b8 s[%u];\n.visible .entry k(.param .u64 p, .param .u64 n)\n{\n.local .align 16 "
                ".b8 l[%u];\n%s%s",
                PTX_HEAD, BLOCK * REGION, REGION, PTX_REGS, PTX_BEGIN);
    strbuf_addf(&out,
                "mul.wide.u32 %%rd2, %%r5, %u; add.u64 %%rd2, %%rd1, %%rd2; mul.lo.u32 %%r20, %%r2, %u; mov.u32 %%r21, "
                "s; add.u32 %%r20, %%r20, %%r21;\n",
                p->interleaved ? 16 : REGION, REGION);
    strbuf_add(&out, "mov.u64 %rd11, l; mul.lo.u32 %r6, %r5, 2246822519; mov.u32 %r22, 0;\nTURN:\n");
    for (unsigned i = 0; i < STEPS; i++)
        add_step(&out, p, &p->steps[i], i);
    strbuf_addf(&out, "S%u: add.u32 %%r22, %%r22, 1; setp.lt.u32 %%p1, %%r22, %%r1; @%%p1 bra TURN;\n", STEPS);
    strbuf_add(&out,
               "mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd1, %rd5; st.global.u32 [%rd5+131072], %r6; ret;\n}\n");
    return out.text;
}

#endif
