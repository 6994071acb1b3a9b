/* For tests of what observers find: a kernel that waits in every way, and machines with every divergence model, and
 * schedulers, widths and cores that warps issue by. */
#ifndef LOCKSTEP_TESTS_WAYS_H
#define LOCKSTEP_TESTS_WAYS_H

#include "random_kernel.h"

/* Fences, atomics, a lock, sleep, barriers, calls, special functions and shared memory, with parted lanes. */
static const char waits_text[] = PTX_HEAD
    ".visible .func (.param .b32 o) twice(.param .b32 i)\n{\n" PTX_REGS
    "ld.param.u32 %r1, [i]; add.u32 %r1, %r1, %r1; st.param.b32 [o], %r1; ret;\n}\n"
    ".shared .align 4 .b8 s[512];\n" PTX_KERNEL(
        "k", PTX_BEGIN
        "mov.u32 %r10, s; and.b32 %r11, %r2, 31; shl.b32 %r11, %r11, 2; add.u32 %r12, %r10, %r11; mov.u32 %r6, "
        "%r5;\n"
        "LOOP: st.shared.u32 [%r12], %r6; bar.sync 0; ld.shared.u32 %r7, [%r12]; add.u32 %r6, %r6, %r7;\n"
        "and.b32 %r8, %r5, 3; setp.eq.u32 %p1, %r8, 0; @%p1 bra CALLS;\n"
        "cvt.rn.f32.u32 %f1, %r6; sin.approx.f32 %f2, %f1; div.rn.f32 %f3, %f2, %f1; cvt.rzi.u32.f32 %r9, %f3; "
        "xor.b32 %r6, %r6, %r9; bra JOIN;\n"
        "CALLS: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r6; call.uni (b), twice, (a); ld.param.b32 "
        "%r6, [b]; }\n"
        "JOIN: ld.global.u32 %r13, [%rd2]; add.u32 %r6, %r6, %r13; atom.global.add.u32 %r14, [%rd1+4096], 1; "
        "add.u32 %r6, %r6, %r14;\n"
        "st.global.u32 [%rd2], %r6; membar.gl; @%p1 nanosleep.u32 200; st.global.u32 [%rd2+1024], %r6; "
        "atom.release.gpu.global.add.u32 %r14, [%rd1+4100], 1; atom.shared.add.u32 %r15, [%r10], 1;\n"
        "and.b32 %r8, %r2, 15; setp.ne.u32 %p2, %r8, 0; @%p2 bra OUT;\n"
        "AGAIN: mov.u32 %r16, 0; atom.global.cas.b32 %r17, [%rd1+4104], 0, 1; setp.ne.u32 %p3, %r17, 0; @%p3 "
        "bra SKIP;\n"
        "membar.gl; ld.volatile.global.u32 %r18, [%rd1+4108]; add.u32 %r18, %r18, 3; st.volatile.global.u32 "
        "[%rd1+4108], %r18; membar.gl;\n"
        "atom.global.exch.b32 %r19, [%rd1+4104], 0; mov.u32 %r16, 1;\n"
        "SKIP: setp.eq.u32 %p4, %r16, 0; @%p4 bra AGAIN;\n"
        "OUT: bar.sync 0; add.u32 %r1, %r1, -1; setp.ne.u32 %p5, %r1, 0; @%p5 bra LOOP; ret;");

static const struct way {
    const char *machine, *settings;
} ways[] = {
    {"gtx480", "gpu.sms=2"},
    {"gtx480-sm2", "gpu.sms=2 sm.scheduler=lrr sm.divergence=its"},
    {"gtx480", "gpu.sms=2 sm.scheduler=gto sm.divergence=aware"},
    {"gtx480", "gpu.sms=2 sm.divergence=dwf"},
    {"gtx480", "gpu.sms=1 sm.divergence=dwf sm.form_lanes=rotated sm.warp_size=64 sm.scheduler=lrr"},
    {"gtx1080ti", "gpu.sms=2 sm.scheduler=gto+bows"},
    {"gtx480", "gpu.sms=2 sm.scheduler=mwf+bows sm.fetch=cff sm.fetch_fills=true sm.instruction_buffer=4"},
    {"gtx480-sm2", "gpu.sms=2 sm.scheduler=tls:active=3 sm.warp_size=64"},
    {"gtx480", "gpu.sms=2 sm.issue_interval=2 sm.one_in_flight=true"},
    {"gtx1080ti", "gpu.sms=2 sm.issue_width=2 sm.cores=4 sm.divergence=its"},
    {"gtx480", "gpu.sms=2 sm.issue_width=3 sm.cores=2 sm.memory_in_order=false sm.id_oc_sp=1"},
    {"gtx480", "gpu.sms=2 coherence.protocol=hlrc sm.scheduler=gto+bows gpu.seed=3"},
    {"gtx480", "gpu.sms=2 sm.fence_l1=none sm.fence_waits_stores=false sm.values_at_issue=true"},
    {"gtx480", "gpu.sms=2 sm.exit_waits_stores=false sm.block_start_cycles=40 sm.blocks=1"},
    {"gtx480", "gpu.sms=2 coherence.protocol=vi locks.queue=true sm.divergence=its"},
    {"gtx1080ti", "gpu.sms=2 sm.blocks=1 gpu.dispatch_interval=32 gpu.dispatch_blocks=1 gpu.dispatch_cycles=70 "
                  "network.core=ideal network.latency=33"},
};
#define WAYS (sizeof ways / sizeof ways[0])

#endif
