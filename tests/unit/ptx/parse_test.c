/* What statements become: operand positions, immediates, registers, frames, calls, initialisers, labels. */
#include "unit/ptx/ptx_support.h"

/* The first instruction of the kernel k around `statement`. */
static const struct isa_instr *first(struct isa_module *module)
{
    return &module->instrs[isa_find_function(module, "k")->first];
}

static void assert_kinds(const struct isa_operand *operands, unsigned count, const char *kinds)
{
    static const char letters[] = {[ISA_OPERAND_NONE] = '-',  [ISA_OPERAND_REG] = 'r',     [ISA_OPERAND_PRED] = 'p',
                                   [ISA_OPERAND_IMM] = 'i',   [ISA_OPERAND_SREG] = 's',    [ISA_OPERAND_SYMBOL] = 'v',
                                   [ISA_OPERAND_FRAME] = 'f', [ISA_OPERAND_DYNSMEM] = 'd', [ISA_OPERAND_FUNC] = 'c'};
    char found[32] = "";
    for (unsigned i = 0; i < count; i++)
        found[i] = letters[operands[i].kind];
    assert_string_equal(found, kinds);
}

static void operand_positions(void **state)
{
    static const struct {
        const char *text, *dst, *src;
    } cases[] = {
        {"add.s32 %r1, %r2, 5;", "r", "ri"},
        {"setp.lt.s32 %p1, %r1, %r2;", "p-", "rr-"},
        {"setp.lt.and.s32 %p1|%p2, %r1, 4, !%p3;", "pp", "rip"},
        {"setp.eq.or.s32 _|%p2, %r1, 4, %p3;", "-p", "rip"},
        {"shfl.sync.idx.b32 %r1, %r2, 3, 31, -1;", "r-", "riii"},
        {"shfl.idx.b32 %r1|%p1, %r2, 3, 31;", "rp", "rii-"},
        {"vote.sync.ballot.b32 %r1, !%p1, -1;", "r", "pi"},
        {"vote.all.pred %p1, %p2;", "p", "p-"},
        {"match.all.sync.b32 %r1|%p1, %r2, %r3;", "rp", "rr"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0x80;", "r-", "rrri-"},
        {"bar.sync 0;", "--", "i--"},
        {"bar.sync 1, 64;", "--", "ii-"},
        {"bar.red.popc.u32 %r1, 0, !%p1;", "r-", "i-p"},
        {"bar.red.and.pred %p1, 0, 32, %p2;", "-p", "iip"},
        {"bar.warp.sync -1;", "--", "i--"},
        {"barrier.sync.aligned 2, 96;", "--", "ii-"},
        {"ld.global.v4.u32 {%r1, _, %r3, %r4}, [%rd1+16];", "r-rr", "r"},
        {"ld.param.u64 %rd1, [p];", "r", "i"},
        {"st.shared.v2.u32 [%r1], {%r2, 7};", "", "rri"},
        {"atom.cas.b32 %r1, [%rd1], 0, %r2;", "r", "rir"},
        {"atom.add.u32 _, [%rd1], 1;", "-", "ri-"},
        {"red.add.u32 [%rd1+4], %r2;", "", "rr"},
        {"mov.b64 {%r1, %r2}, %rd1;", "rr", "r"},
        {"mov.b64 %rd1, {%r1, %r2};", "r", "rr"},
        {"mov.u32 %r1, %tid.x;", "r", "s"},
        {"cvt.rn.f16x2.f32 %r1, %f1, %f2;", "r", "rr-"},
        {"cvt.u64.u32 %rd1, %r1;", "r", "r--"},
        {"cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4;", "r", "rrr"},
        {"min.s32 %r1, %r2, %r3;", "r", "rr-"},
        {"elect.sync _|%p1, -1;", "-p", "i"},
        {"slct.f32.s32 %f1, %f2, %f3, %r1;", "r", "rrr"},
        {"dp4a.u32.s32 %r1, %r2, %r3, 9;", "r", "rri"},
        {"vadd.u32.u32.s32 %r1, %r2, %r3;", "r", "rr-"},
        {"vshr.u32.u32.u32.wrap.add %r1, %r2, 3, %r4;", "r", "rir"},
        {"vset2.u32.u32.ne %r1, %r2, %r3, %r4;", "r", "rrr"},
        {"mov.pred %p1, 1;", "p", "i"},
        {"nanosleep.u32 20;", "", "i"},
        {"membar.gl;", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct isa_module *module = support_load_kernel(cases[i].text);
        assert_kinds(first(module)->dst, first(module)->dst_count, cases[i].dst);
        assert_kinds(first(module)->src, first(module)->src_count, cases[i].src);
        isa_module_free(module);
    }
}

static void immediates(void **state)
{
    static const struct {
        const char *text;
        unsigned src;
        uint64_t value;
        unsigned bits;
    } cases[] = {
        {"add.s32 %r1, %r2, -1;", 1, 0xFFFFFFFF, 32},
        {"add.u64 %rd1, %rd2, -1;", 1, UINT64_MAX, 64},
        {"add.s16 %h1, %h2, 0x12345;", 1, 0x2345, 16},
        {"mov.f32 %f1, 0f7FA00001;", 0, 0x7FA00001, 32},
        {"mov.f32 %f1, 0d3FF8000000000000;", 0, 0x3FC00000, 32},
        {"mov.f32 %f1, -1.5;", 0, 0xBFC00000, 32},
        {"mov.f32 %f1, 1e-45;", 0, 1, 32},
        {"mov.f32 %f1, 1e40;", 0, 0x7F800000, 32},
        {"mov.f64 %d1, 0f3F800000;", 0, 0x3FF0000000000000, 64},
        {"mov.b32 %r1, 0fBF800000;", 0, 0xBF800000, 32},
        {"add.f16 %h1, %h2, 1.0;", 1, 0x3C00, 16},
        {"add.f16 %h1, %h2, 65519.0;", 1, 0x7BFF, 16},
        {"add.f16 %h1, %h2, 65520.0;", 1, 0x7C00, 16},
        {"add.f16 %h1, %h2, 5.9604644775390625e-8;", 1, 1, 16},
        {"add.bf16 %h1, %h2, 1.00390625;", 1, 0x3F80, 16},
        {"add.bf16 %h1, %h2, 1.01171875;", 1, 0x3F82, 16},
        {"mov.u32 %r1, (3 + 4) * 2 - 10 % 4;", 0, 12, 32},
        {"mov.u32 %r1, 1 << 31 | 0x10 >> 2;", 0, 0x80000004, 32},
        {"mov.s64 %rd1, -8 / 3;", 0, (uint64_t)-2, 64},
        {"mov.u64 %rd1, (.u64)-8 >> 60;", 0, 15, 64},
        {"mov.s64 %rd1, -8 >> 1;", 0, (uint64_t)-4, 64},
        {"mov.u32 %r1, -1 < 1U ? 5 : 6;", 0, 6, 32},
        {"mov.u32 %r1, -1 < 1 ? 5 : 6;", 0, 5, 32},
        {"mov.u32 %r1, !0 + ~0 ^ 6;", 0, 6, 32},
        {"mov.u32 %r1, WARP_SZ * 2;", 0, 64, 32},
        {"mov.s64 %rd1, (-9223372036854775807 - 1) / -1;", 0, (uint64_t)INT64_MIN, 64},
        {"shl.b64 %rd1, %rd2, 3;", 1, 3, 32},
        {"mul.wide.s16 %r1, %h1, -2;", 1, 0xFFFE, 16},
        {"ld.param.u32 %r1, [n];", 0, 8, 64},
        {"ld.global.u32 %r1, [%rd1+-8];", 0, (uint64_t)-8, 64},
        {"ld.shared.u32 %r1, [%r2+12];", 0, 12, 32},
        {"mad.wide.u32 %rd1, %r1, %r2, -1;", 2, UINT64_MAX, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct isa_module *module = support_load_kernel(cases[i].text);
        const struct isa_operand *operand = &first(module)->src[cases[i].src];
        if (operand->value != cases[i].value || operand->bits != cases[i].bits)
            fail_msg("%s: %llx, %u bits", cases[i].text, (long long)operand->value, operand->bits);
        isa_module_free(module);
    }
}

/* What ptxas accepts of registers and constants whose kind is not the instruction's. */
static void kinds_that_agree(void **state)
{
    static const char *const statements[] = {
        "and.b32 %r1, %f1, 5;",
        "and.b32 %f1, %f1, 0f3F800000;",
        "add.s32 %ru, %r1, %ru;",
        "add.f32 %r1, %f1, %r2;",
        "mov.b32 %f1, %r1;",
        "mov.f32 %f1, %r1;",
        "mov.b64 %d1, 0d3FF0000000000000;",
        "mov.b64 {%r1, %f1}, %d1;",
        "st.b32 [%rd1], %f1;",
        "st.b8 [%rd1], %rd2;",
        "ld.b32 %f1, [%rd1];",
        "ld.f32 %r1, [%rd1];",
        "ld.u8 %rd1, [%rd2];",
        "cvt.u32.u16 %r1, %tid.x;",
        "cvt.rn.ftz.f32.s32 %f1, %r1;",
        "mov.u16 %h1, %tid.x;",
        "mov.b32 %f1, %tid.x;",
        "popc.b64 %r1, %d1;",
        "setp.eq.b32 %p1, %f1, %r1;",
        "selp.b32 %r1, 0f3F800000, 0f00000000, %p1;",
        "cvta.local.u64 %rd1, l;",
        "lop3.or.b32 _|%p1, %r1, %r2, %r3, 0xff, %p2;",
        "setp.eq.and.s32 %p1|_, %r1, %r1, !%p2;",
        "rcp.approx.ftz.f64 %d1, %d2;",
    };
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, ".reg .u32 %%ru; .local .b8 l[4]; %s", statements[i]);
        isa_module_free(support_load_kernel(text));
    }
}

/* PTX ISA, "membar / fence". */
static void fences_are_as_wide_as_what_they_are_about(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t scope; /* 0: none, which is the device's */
    } fences[] = {
        {"fence.sc.sys;", ISA_SCOPE_SYS},
        {"fence.acquire.cluster;", ISA_SCOPE_CLUSTER},
        {"fence.acquire.sync_restrict::shared::cluster.cluster;", ISA_SCOPE_CTA},
        {"fence.release.sync_restrict::shared::cta.cluster;", ISA_SCOPE_CTA},
        {"fence.mbarrier_init.release.cluster;", ISA_SCOPE_CTA},
        {"fence.proxy.alias;", ISA_SCOPE_CTA},
        {"fence.proxy.async;", 0},
        {"fence.proxy.async.global;", 0},
        {"fence.proxy.async.shared::cta;", ISA_SCOPE_CTA},
        {"fence.proxy.async.shared::cluster;", 0},
        {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", ISA_SCOPE_CTA},
        {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", ISA_SCOPE_CTA},
        {"fence.proxy.tensormap::generic.release.gpu;", ISA_SCOPE_GPU},
        {"fence.proxy.tensormap::generic.acquire.sys [%rd1], 128;", ISA_SCOPE_SYS},
    };
    for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++) {
        struct isa_module *module = support_load_kernel(fences[i].text);
        assert_true(isa_op_info((enum isa_op)first(module)->op)->flags & ISA_FLAG_FENCE);
        if (isa_scope_of(first(module)) != fences[i].scope)
            fail_msg("%s: scope %u", fences[i].text, isa_scope_of(first(module)));
        isa_module_free(module);
    }
}

static void modifiers_in_any_order(void **state)
{
    static const char *const pairs[][2] = {
        {"atom.add.acq_rel.gpu.global.s32 %r1, [%rd1], 1;", "atom.acq_rel.gpu.global.add.s32 %r1, [%rd1], 1;"},
        {"ld.global.volatile.u32 %r1, [%rd1];", "ld.volatile.global.u32 %r1, [%rd1];"},
        {"fence.sc.gpu;", "fence.gpu.sc;"},
        {"fence.mbarrier_init.release.cluster;", "fence.release.mbarrier_init.cluster;"},
        {"fence.release.sync_restrict::shared::cta.cluster;", "fence.sync_restrict::shared::cta.release.cluster;"},
        {"fence.proxy.async.shared::cta;", "fence.proxy.shared::cta.async;"},
        {"ld.global.cg.nc.u32 %r1, [%rd1];", "ld.global.nc.u32 %r1, [%rd1];"},
        {"prmt.b32.b4e %r1, %r2, %r3, 1;", "prmt.b4e.b32 %r1, %r2, %r3, 1;"},
        {"st.shared::cta.u32 [%r1], 1;", "st.shared.u32 [%r1], 1;"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct isa_module *a = support_load_kernel(pairs[i][0]), *b = support_load_kernel(pairs[i][1]);
        support_same_instr(pairs[i][0], first(a), first(b));
        isa_module_free(a);
        isa_module_free(b);
    }
    struct isa_module *module =
        support_load_kernel("bar.warp.sync 1; bar.sync 0; mul.lo.s32 %r1, %r2, %r3; setp.lo.u32 %p1, %r1, %r2;");
    assert_int_equal(first(module)[0].mods.barrier, ISA_BARRIER_WARP);
    assert_int_equal(first(module)[0].mods.sync, ISA_SYNC_YES);
    assert_int_equal(first(module)[1].mods.barrier, ISA_BARRIER_SYNC);
    assert_int_equal(first(module)[1].mods.sync, 0);
    assert_int_equal(first(module)[2].mods.half, ISA_HALF_LO);
    assert_int_equal(first(module)[3].mods.cmp, ISA_CMP_LO);
    isa_module_free(module);
}

static void register_numbers(void **state)
{
    struct isa_module *module = support_load(
        "r", SUPPORT_HEAD ".visible .entry k() { .reg .b32 %late, %r<1000>; .reg .b64 %SP; .reg .pred %p<2>;"
                          "{ .reg .b32 %r<4>; mov.u32 %r3, 1; mov.u32 %r3, %r3; }"
                          "mov.u32 %r12, %r3; mov.u32 %late, %r999; mov.u64 %SP, 0; @!%p1 add.u32 %r3, %r3, %r12; }");
    const struct isa_function *k = isa_find_function(module, "k");
    static const char *const names[] = {"%late", "%r3", "%r12", "%r999", "%SP", "%p1", "%r3_2"};
    static const unsigned banks[] = {1, 3, 12, 999, 5, 1, 3};
    assert_int_equal(k->reg_count, 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_string_equal(k->regs[i].name, names[i]);
        assert_int_equal(k->regs[i].number, i + 1);
        assert_int_equal(k->regs[i].bank_id, banks[i]);
    }
    const struct isa_instr *add = &module->instrs[k->first + 5];
    assert_true(add->guarded && add->guard_negate);
    assert_int_equal(add->guard_reg, 5);
    assert_int_equal(add->read_count, 3); /* %r3, %r12, then the guard; each once */
    assert_int_equal(add->reads[0], 2);
    assert_int_equal(add->reads[1], 3);
    assert_int_equal(add->reads[2], 6);
    assert_int_equal(add->write_count, 1);
    assert_int_equal(add->writes[0], 2);
    assert_int_equal(module->instrs[k->first].dst[0].reg, 6);
    isa_module_free(module);
}

static void labels_by_scope(void **state)
{
    struct isa_module *module = support_load_kernel("L: bra L; { bra L; L: bra M; { bra L; } } M: bra L;");
    const struct isa_instr *i = first(module);
    uint32_t base = isa_find_function(module, "k")->first;
    assert_int_equal(i[0].target - base, 0);
    assert_int_equal(i[1].target - base, 2);
    assert_int_equal(i[2].target - base, 4);
    assert_int_equal(i[3].target - base, 2);
    assert_int_equal(i[4].target - base, 0);
    isa_module_free(module);
}

static void indexed_branch(void **state)
{
    struct isa_module *module = support_load_kernel("T: .branchtargets A, B, A; brx.idx %r1, T; A: exit; B: ret;");
    const struct isa_instr *brx = first(module);
    uint32_t base = isa_find_function(module, "k")->first;
    assert_int_equal(brx->op, ISA_OP_BRX);
    assert_int_equal(brx->target_count, 3);
    assert_int_equal(brx->targets[0] - base, 1);
    assert_int_equal(brx->targets[1] - base, 2);
    assert_int_equal(brx->targets[2] - base, 1);
    isa_module_free(module);
}

/* A label at the end, or an open end, gets a ret: no program counter leaves the function. */
static void open_ends(void **state)
{
    struct isa_module *module = support_load_kernel("@%p1 bra E; exit; E:");
    const struct isa_function *k = isa_find_function(module, "k");
    assert_int_equal(k->count, 3);
    assert_int_equal(module->instrs[k->first].target, k->first + 2);
    assert_int_equal(module->instrs[k->first + 2].op, ISA_OP_RET);
    isa_module_free(module);
    module = support_load_kernel("ret;");
    assert_int_equal(isa_find_function(module, "k")->count, 1);
    isa_module_free(module);
}

static void kernel_parameters(void **state)
{
    struct isa_module *module = support_load(
        "p", SUPPORT_HEAD ".entry k(.param .u8 a, .param .align 8 .b8 s[20], .param .u16 .ptr .global .align 64 q, "
                          ".param .f64 d, .param .v2 .u32 v)"
                          ".maxntid 64, 2 .minnctapersm 3 .maxnreg 40 .reqntid 32 .maxclusterrank 8 { ret; }");
    const struct isa_function *k = isa_find_function(module, "k");
    static const unsigned offsets[] = {0, 8, 28, 32, 40}, bytes[] = {1, 20, 2, 8, 8};
    assert_int_equal(k->param_count, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(k->params[i].offset, offsets[i]);
        assert_int_equal(k->params[i].bytes, bytes[i]);
    }
    assert_int_equal(k->param_bytes, 48);
    assert_int_equal(k->max_threads[0] * 100 + k->max_threads[1] * 10 + k->max_threads[2], 6421);
    assert_int_equal(k->required_threads[0] * 100 + k->required_threads[1] * 10 + k->required_threads[2], 3211);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->max_registers, 40);
    isa_module_free(module);
}

static const char calls[] =
    SUPPORT_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                 ".extern .func stranger(.param .b32 x);\n"
                 ".func (.param .b32 r) f(.param .b8 a, .param .b64 b);\n"
                 ".entry k() { .reg .b32 %r<4>; .reg .b64 %rd<4>; .local .align 4 .b8 buf[20];\n"
                 "mov.u64 %rd1, buf;\n"
                 "{ .param .b8 a; .param .b64 b; .param .b32 r; st.param.b64 [b], %rd1; call.uni (r), f, (a, b); "
                 "ld.param.b32 %r1, [r]; }\n"
                 "{ .param .b64 b; .param .b64 c; .param .b32 r; call (r), vprintf, (b, c); }\n"
                 "P: .callprototype (.param .b32 _) _ (.param .b8 _, .param .b64 _);\n"
                 "{ .param .b8 a; .param .b64 b; .param .b32 r; mov.u64 %rd2, f; call (r), %rd2, (a, b), P; } ret; }\n"
                 ".func (.param .b32 r) f(.param .b8 a, .param .b64 b) { .reg .b32 %r<3>; .param .b32 x; ld.param.b8 "
                 "%r1, [a]; st.param.b32 [r], %r1;"
                 " st.param.b32 [x], 3; call stranger, (x); }\n";

static void calls_and_frames(void **state)
{
    struct isa_module *module = support_load("calls", calls);
    const struct isa_function *k = isa_find_function(module, "k"), *f = isa_find_function(module, "f");
    const struct isa_instr *i = first(module);
    assert_int_equal(i[0].src[0].kind, ISA_OPERAND_FRAME);
    assert_int_equal(i[1].src[0].kind, ISA_OPERAND_FRAME);
    assert_int_equal(i[1].src[0].value, 24);
    const struct isa_call *call = i[2].call;
    assert_ptr_equal(&module->functions[call->callee], f);
    assert_int_equal(call->args[0].offset, 20);
    assert_int_equal(call->args[0].bytes, 1);
    assert_int_equal(call->args[1].offset, 24);
    assert_int_equal(call->results[0].offset, 32);
    assert_int_equal(i[4].call->args[0].offset, 24); /* the second call uses the places of the first again */
    assert_int_equal(i[4].call->args[1].offset, 32);
    assert_int_equal(i[5].src[0].kind, ISA_OPERAND_FUNC);
    assert_int_equal(i[6].call->callee, UINT32_MAX);
    assert_int_equal(i[6].call->target.kind, ISA_OPERAND_REG);
    assert_int_equal(i[6].read_count, 1);
    assert_int_equal(k->local_bytes, 48);
    assert_int_equal(f->results[0].offset, 0);
    assert_int_equal(f->params[0].offset, 4);
    assert_int_equal(f->params[1].offset, 8);
    assert_int_equal(module->instrs[f->first + 2].src[0].value, 16);
    assert_int_equal(f->local_bytes, 32);
    assert_int_equal(isa_find_function(module, "vprintf")->intrinsic, ISA_INTRINSIC_VPRINTF);
    assert_int_equal(f->outside, f->first + 3); /* nobody defines stranger */
    assert_int_equal(k->outside, f->first + 3);
    assert_string_equal(module->instrs[f->outside].text, "call stranger, which is declared but not defined");
    isa_module_free(module);
}

/* A register leads to a function's own parameters and results, which lie in its frame, unless ::entry says otherwise.
 */
static void parameters_by_register(void **state)
{
    struct isa_module *module = support_load(
        "f", SUPPORT_HEAD
        ".func (.param .b8 r[8]) f(.param .b8 a[8]) { .reg .b32 %r; .reg .b64 %rd<2>; mov.u64 %rd0, a;\n"
        "mov.u64 %rd1, r; ld.param.b32 %r, [%rd0+4]; st.param.b32 [%rd1], %r; ld.param::func.b32 %r, [%rd0];\n"
        "ld.param::entry.b32 %r, [%rd0]; ld.param.b32 %r, [a]; ret; }\n"
        ".entry k(.param .b8 a[8]) { .reg .b32 %r; .reg .b64 %rd; mov.u64 %rd, a; ld.param.b32 %r, [%rd+4]; ret; }\n");
    static const uint8_t spaces[] = {
        0, 0, ISA_SPACE_LOCAL, ISA_SPACE_LOCAL, ISA_SPACE_LOCAL, ISA_SPACE_PARAM, ISA_SPACE_PARAM,
        0, 0, ISA_SPACE_PARAM};
    for (unsigned i = 0; i < sizeof spaces; i++)
        assert_int_equal(module->instrs[i].mods.space, spaces[i]);
    isa_module_free(module);
}

/* Parameters in registers, the form of PTX before 2.0, pass through the frame. */
static void register_parameters(void **state)
{
    struct isa_module *module = support_load(
        "regs", SUPPORT_HEAD ".func (.reg .u32 %out) f(.reg .u32 %a, .reg .u64 %b) { add.u32 %out, %a, 1; ret; }\n");
    const struct isa_function *f = isa_find_function(module, "f");
    static const unsigned body[] = {ISA_OP_LD, ISA_OP_LD, ISA_OP_ADD, ISA_OP_ST, ISA_OP_RET};
    assert_int_equal(f->count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(module->instrs[f->first + i].op, body[i]);
    isa_module_free(module);
}

static void register_arguments(void **state)
{
    struct isa_module *module = support_load(
        "regs", SUPPORT_HEAD ".func (.reg .u32 %out) f(.reg .u32 %a, .reg .u64 %b) { add.u32 %out, %a, 1; ret; }\n"
                             ".entry k() { .reg .u32 %r<3>; .reg .pred %p; @%p call (%r1), f, (%r2, -7); ret; }");
    const struct isa_instr *i = first(module);
    static const unsigned body[] = {ISA_OP_ST, ISA_OP_ST, ISA_OP_CALL, ISA_OP_LD, ISA_OP_RET};
    for (unsigned n = 0; n < 5; n++) {
        assert_int_equal(i[n].op, body[n]);
        assert_int_equal(i[n].guarded, n < 4);
    }
    assert_int_equal(i[0].src[0].value, i[2].call->args[0].offset);
    assert_int_equal(i[1].src[0].value, i[2].call->args[1].offset);
    assert_true(i[1].src[1].value == (uint64_t)-7);
    assert_int_equal(i[3].src[0].value, i[2].call->results[0].offset);
    isa_module_free(module);
}

static void unwanted_results(void **state)
{
    struct isa_module *module =
        support_load("sink", SUPPORT_HEAD
                     ".func (.param .b64 r) f();\n.entry k() { .reg .u64 %rd; call (_), f, (); call (_), %rd; ret; }");
    assert_int_equal(first(module)[0].call->results[0].bytes, 8);
    assert_int_equal(first(module)[1].call->results[0].offset, 16);
    isa_module_free(module);
}

static void variables_and_initialisers(void **state)
{
    struct isa_module *module = support_load(
        "v", SUPPORT_HEAD
        ".global .align 8 .u16 a[2][3] = {{1, -2, 3}, {0x12345}};\n.const .f64 pi = 3.5;\n.global .b8 text[] = "
        "\"hey\";\n"
        ".global .f32 half = 0f3F000000, other[4];\n.global .u64 at[3] = {a+2, generic(pi)+8, 7};\n"
        ".global .b8 parts[3] = {0xFF(later), 0xFF00(later), 5};\n.global .u32 later;\n"
        ".extern .shared .b8 dyn[];\n.extern .global .u32 far;\n"
        ".entry k() { .reg .b64 %rd<3>; .shared .u64 late[2]; mov.u64 %rd1, dyn; mov.u64 %rd2, late; ret; }\n"
        ".entry k2() { .reg .b64 %rd<3>; .shared .u32 late; mov.u64 %rd2, late; ret; }\n");
    const struct isa_variable *a = isa_find_variable(module, "a");
    static const uint16_t values[] = {1, 0xFFFE, 3, 0x2345};
    assert_int_equal(a->bytes, 12);
    assert_int_equal(a->init_bytes, 8);
    assert_memory_equal(a->init, values, 8);
    const double pi = 3.5;
    assert_memory_equal(isa_find_variable(module, "pi")->init, &pi, 8);
    assert_int_equal(isa_find_variable(module, "text")->bytes, 3);
    assert_int_equal(isa_find_variable(module, "other")->bytes, 16);
    assert_null(isa_find_variable(module, "other")->init);
    const struct isa_variable *at = isa_find_variable(module, "at"), *parts = isa_find_variable(module, "parts");
    assert_int_equal(at->reloc_count, 2);
    assert_int_equal(at->relocs[0].addend, 2);
    assert_false(at->relocs[0].generic);
    assert_int_equal(at->relocs[1].offset, 8);
    assert_int_equal(at->relocs[1].addend, 8);
    assert_true(at->relocs[1].generic);
    assert_int_equal(parts->reloc_count, 2);
    assert_string_equal(module->variables[parts->relocs[1].symbol].name, "later");
    assert_int_equal(parts->relocs[1].bytes, 1);
    assert_int_equal(parts->relocs[1].shift, 8);
    assert_true(isa_find_variable(module, "far")->is_extern);
    assert_true(isa_find_variable(module, "dyn")->is_extern_shared);
    assert_int_equal(first(module)->src[0].kind, ISA_OPERAND_DYNSMEM);
    assert_int_equal(isa_find_function(module, "k")->shared_bytes, 16);
    assert_int_equal(isa_find_function(module, "k2")->shared_bytes, 4); /* kernels overlap */
    assert_int_equal(isa_find_variable(module, "late")->address, 0);
    assert_int_equal(isa_find_variable(module, "late_2")->address, 0);
    isa_module_free(module);
}

/* A variable that a function uses is kept apart from those of every kernel that can call it. */
static void shared_memory_of_callees(void **state)
{
    struct isa_module *module = support_load(
        "s", SUPPORT_HEAD ".shared .b8 common[100];\n.func f() { .reg .b32 %r; ld.shared.u8 %r, [common]; ret; }\n"
                          ".entry k() { .reg .b32 %r; .shared .u32 own[3]; ld.shared.u32 %r, [own]; call f; ret; }\n"
                          ".entry alone() { .reg .b32 %r; .shared .u32 mine; ld.shared.u32 %r, [mine]; ret; }\n");
    assert_int_equal(isa_find_function(module, "f")->shared_bytes, 100);
    assert_int_equal(isa_find_variable(module, "own")->address, 100);
    assert_int_equal(isa_find_function(module, "k")->shared_bytes, 112);
    assert_int_equal(isa_find_function(module, "alone")->shared_bytes, 4);
    isa_module_free(module);
}

static void spaces_of_variables(void **state)
{
    struct isa_module *module =
        support_load("s", SUPPORT_HEAD
                     ".const .u32 c;\n.global .u32 g;\n.entry k() { .reg .b32 %r<3>; .local .u32 l; .shared .u32 s;"
                     "ld.u32 %r1, [c]; ld.u32 %r1, [l]; ld.u32 %r1, [s]; ld.u32 %r1, [g]; ret; }");
    static const unsigned spaces[] = {ISA_SPACE_CONST, ISA_SPACE_LOCAL, ISA_SPACE_SHARED, ISA_SPACE_GLOBAL};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(module->instrs[i].mods.space, spaces[i]);
    isa_module_free(module);
}

static void source_lines(void **state)
{
    struct isa_module *module = support_load_kernel(
        ".loc 2 41 3\nadd.s32 %r1, %r1, 1;\n.loc 2 42 1, function_name $info, inlined_at 1 7 2\nret;"
        "}\n.file 2 \"dir/a.cu\"\n.section .debug_str { info: .b8 1,2,{3} }\n.func f() {");
    assert_int_equal(first(module)[0].source_file, 2);
    assert_int_equal(first(module)[0].source_line, 41);
    assert_int_equal(first(module)[1].source_line, 42);
    struct strbuf out = {0};
    isa_format_pos(module, first(module), &out);
    assert_string_equal(strbuf_text(&out), "kernel.ptx:8:1 (a.cu:41)");
    strbuf_free(&out);
    isa_module_free(module);
}

/* The positions of the instructions of a kernel that has these statements, each behind "; ", "none" without one. */
static void check_positions(const char *statements, const char *expected)
{
    struct strbuf text = {0}, got = {0};
    strbuf_addf(&text,
                "%s ret;}\n.file 1 \"k.cu\"\n.file 2 \"h.h\"\n.section .debug_str {\n$take:\n.b8 95,90,52,116,97\n"
                ".b8 107,101,80,105,0\n$both:\n.b8 98,111,116,104,0\n}\n.func f() {",
                statements);
    struct isa_module *module = support_load_kernel(strbuf_text(&text));
    for (uint32_t i = 0; first(module)[i].op != ISA_OP_RET; i++) {
        struct strbuf pos = {0};
        isa_format_pos(module, &first(module)[i], &pos);
        const char *source = strchr(strbuf_text(&pos), ' ');
        strbuf_addf(&got, "%s%s", i ? "; " : "", source ? source + 1 : "none");
        strbuf_free(&pos);
    }
    assert_string_equal(strbuf_text(&got), expected);
    strbuf_free(&text);
    strbuf_free(&got);
    isa_module_free(module);
}

#define BOTH(line) ".loc 1 9 5, function_name $both, inlined_at 1 " #line " 9\n"
#define TAKE ".loc 1 4 5, function_name $take, inlined_at 1 9 5\n"
#define ADD "add.s32 %r1, %r1, 1;\n"

static void inlined_calls(void **state)
{
    check_positions(".loc 1 41 3, function_name $take, inlined_at 1 7 2\n" ADD ".loc 1 42 3\n" ADD
                    ".loc 2 9 1, inlined_at 1 7 2\n" ADD ".loc 2 9 1, function_name $both+2, inlined_at 1 8 2\n" ADD
                    ".loc 2 9 1, function_name $none, inlined_at 1 8\n" ADD,
                    "(k.cu:41 in take, inlined at k.cu:7); (k.cu:42); (h.h:9, inlined at k.cu:7); "
                    "(h.h:9 in th, inlined at k.cu:8); (h.h:9, inlined at k.cu:8)");
    /* The enclosing call is said once; another of its place makes later references doubtful, but those directly behind:
     * they mean the call that follows next on the function's own code, the first one where none does, as in a loop. */
    check_positions(BOTH(21) TAKE ADD ".loc 1 22 1\n" ADD TAKE ADD BOTH(23) TAKE ADD ADD
                    ".loc 1 22 1\n" ADD TAKE ADD ".loc 1 30 1\n" ADD TAKE ADD ".loc 2 22 1\n" ADD TAKE ADD BOTH(21) TAKE ADD,
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:21); (k.cu:22); "
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:21); "
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:23); "
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:23); (k.cu:22); "
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:23); (k.cu:30); "
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:21); (h.h:22); "
                    "(k.cu:4 in take, inlined at k.cu:9); "
                    "(k.cu:4 in take, inlined at k.cu:9 in both, inlined at k.cu:21)");
    /* Code of no line is the next one's, of its file and call; the last one's before a branch, and where there is no
     * other. */
    check_positions(".loc 1 41 3\n" ADD ".loc 1 0 3\n" ADD ADD ".loc 1 42 3\n" ADD
                    ".loc 1 0 0\nL: bra L;\n.loc 1 43 2\n" ADD ".loc 1 0 2, function_name $take, inlined_at 1 7 2\n" ADD
                    ".loc 1 44 1\n" ADD ".loc 1 0 1\n" ADD,
                    "(k.cu:41); (k.cu:42); (k.cu:42); (k.cu:42); (k.cu:42); (k.cu:43); none; (k.cu:44); (k.cu:44)");
    /* A function that is inlined in itself at one place. */
    check_positions(TAKE ADD ".loc 1 9 5, function_name $both, inlined_at 1 9 5\n" ADD,
                    "(k.cu:4 in take, inlined at k.cu:9); (k.cu:9 in both, inlined at k.cu:9)");
}

static void outside_is_kept_as_text(void **state)
{
    struct isa_module *module =
        support_load_kernel("@%p1 wgmma.mma_async.sp  {%f1, /* x */ %f2},\n  desc; mov.u32 %r1, %envreg3; "
                            "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 13; "
                            "tensormap.replace.im2col.rank.global.b1024.b32 [%rd1], 1; ret;");
    assert_int_equal(first(module)[0].op, ISA_OP_OUTSIDE);
    assert_true(first(module)[0].guarded);
    assert_string_equal(first(module)[0].text, "wgmma.mma_async.sp {%f1, %f2}, desc");
    assert_string_equal(first(module)[1].text, "mov.u32 %r1, %envreg3");
    assert_string_equal(first(module)[2].text, "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 13");
    assert_int_equal(first(module)[3].op, ISA_OP_OUTSIDE);
    assert_int_equal(isa_find_function(module, "k")->outside, isa_find_function(module, "k")->first);
    isa_module_free(module);
}

/* A field that is replaced is a store to its place in the map. */
static void fields_of_tensor_maps(void **state)
{
    static const struct {
        const char *text, *stores;
    } cases[] = {
        {"tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;", "st.global.b64 [%rd1+8], %rd2;"},
        {"@!%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1+16], %r2;", "@!%p1 st.shared.b8 [%r1+20], %r2;"},
        {"tensormap.replace.tile.global_dim.b1024.b32 [%rd1], 1, %r2;", "st.v2.b32 [%rd1+24], {%r2, 0};"},
        {"tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], 3, 48;", "st.global.b64 [%rd1+80], 48;"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 4, %r2;", "st.global.b16 [%rd1+96], %r2;"},
        {"tensormap.replace.tile.element_stride.global.b1024.b32 [%rd1], 0, 1;", "st.global.b8 [%rd1+100], 1;"},
        {"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd1], 3;", "st.global.b8 [%rd1+5], 3;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct isa_module *module = support_load_kernel(cases[i].text);
        struct strbuf text = {0};
        isa_disasm_instr(module, isa_find_function(module, "k"), first(module), &text);
        assert_string_equal(strbuf_text(&text), cases[i].stores);
        strbuf_free(&text);
        isa_module_free(module);
    }
}

static void aliases(void **state)
{
    struct isa_module *module =
        support_load("a", SUPPORT_HEAD ".func f() { ret; }\n.func g();\n.alias g, f;\n.entry k() { call g; ret; }");
    assert_string_equal(module->functions[first(module)->call->callee].name, "f");
    isa_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operand_positions),
        cmocka_unit_test(immediates),
        cmocka_unit_test(kinds_that_agree),
        cmocka_unit_test(modifiers_in_any_order),
        cmocka_unit_test(fences_are_as_wide_as_what_they_are_about),
        cmocka_unit_test(register_numbers),
        cmocka_unit_test(labels_by_scope),
        cmocka_unit_test(indexed_branch),
        cmocka_unit_test(open_ends),
        cmocka_unit_test(kernel_parameters),
        cmocka_unit_test(calls_and_frames),
        cmocka_unit_test(parameters_by_register),
        cmocka_unit_test(register_parameters),
        cmocka_unit_test(register_arguments),
        cmocka_unit_test(unwanted_results),
        cmocka_unit_test(variables_and_initialisers),
        cmocka_unit_test(shared_memory_of_callees),
        cmocka_unit_test(spaces_of_variables),
        cmocka_unit_test(source_lines),
        cmocka_unit_test(inlined_calls),
        cmocka_unit_test(outside_is_kept_as_text),
        cmocka_unit_test(fields_of_tensor_maps),
        cmocka_unit_test(aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
