/* What is wrong is said with its place, what was expected, and without giving up on the rest; nothing that is wrong
 * does harm. */
#include "unit/ptx/ptx_support.h"

/* Statements of a kernel whose first line is line 7 of the text. */
static void statements(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"add.s32 %r1, %r2;", "bad.ptx:7:1: error: add needs more operands than 2"},
        {"add.s32 %r1, %r2, %r3, %r4;", "bad.ptx:7:24: error: add takes 3 operands, found 4"},
        {"  add.s32 %r1 %r2, %r3;", "bad.ptx:7:15: error: expected `,` or `;`, found `%r2`"},
        {"addd.s32 %r1, %r2, %r3;", "bad.ptx:7:1: error: `addd` is not a PTX instruction"},
        {"addd.s32 %r1, %r2, %r3;", "did you mean `add`?"},
        {"add.s32.foo %r1, %r2, %r3;", "bad.ptx:7:8: error: add has no suffix `.foo`"},
        {"add.rn.lo.f32 %f1, %f2, %f3;", "add has no suffix `.lo`"},
        {"add %r1, %r2, %r3;", "bad.ptx:7:1: error: add takes one type suffix, found 0"},
        {"add.s8 %r1, %r2, %r3;", "add has no form for type .s8"},
        {"cvt.f32.pred %f1, %p1;", "cvt has no form for a second type .pred"},
        {"set.gt.pred.s32 %p1, %r1, %r2;", "set has no form for type .pred"},
        {"add.s32 %r1, %r99, %r3;", "bad.ptx:7:14: error: `%r99` is not declared"},
        {"add.s32 %r1, %rd1, %r3;", "`%rd1` is a register of type .b64; .s32 needs 32 bits"},
        {"add.s32 5, %r1, %r3;", "expected a destination register, found `5`"},
        {"add.s32 %r1, %p1, %r3;", "expected a register, not a predicate, found `%p1`"},
        {"add.s32 %r1, _, %r3;", "expected a value, found `_`"},
        {"add.f32 %f1, %f2, 1;", "expected a floating-point number for type .f32"},
        {"add.s32 %r1, %r2, 1.5;", "expected an integer for type .s32"},
        {"ld.global.u32 %h1, [%rd1];", "`%h1` is a register of type .b16; .u32 needs 32 bits"},
        {"ld.global.u32 %r1, %rd1;", "expected an address in brackets, found `%rd1`"},
        {"ld.global.u32 %r1, [%h1];", "an address register has 32 or 64 bits"},
        {"ld.global.u32 %r1, [%p1];", "an address is a register, a variable or a number"},
        {"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", "expected 2 elements in braces"},
        {"ld.global.u32 %r1, [p];", "`p` lies in .param, not in .global"},
        {"ld.global.u32 %r1, [%rd1;", "expected `]` after the address, found `;`"},
        {"mov.b64 {%r1, %r2, %r3}, %rd1;", "a value of type .b64 cannot have 3 parts"},
        {"@%r1 bra L; L:", "a guard is a predicate register"},
        {"bra nowhere;", "bad.ptx:7:5: error: label `nowhere` is not defined"},
        {"{ L: ret; } bra L;", "bad.ptx:7:17: error: label `L` is not defined"},
        {"L: L: ret;", "label `L` is defined twice in this scope"},
        {"mov.u32 %r1, 1 / 0;", "bad.ptx:7:16: error: division by zero"},
        {"mov.u32 %r1, 99999999999999999999;", "the number does not fit 64 bits"},
        {"mov.u32 %r1, 0x1G;", "`0x1G` is not a number"},
        {"mov.u32 %r1, 08;", "`08` is not a number"},
        {"call nothing, (%r1);", "`nothing` is not declared"},
        {"call k;", "a kernel cannot be called"},
        {"brx.idx %r1, nothing;", "expected the label of a .branchtargets directive"},
        {".reg .b32 %r;.reg .b64 %r;", "bad.ptx:7:24: error: `%r` is declared twice in this scope"},
        {".reg .b32 %big<2000000000>;", "a function can declare 1048576 registers at most"},
        {".reg .b32 %big<-1>;", "expected the number of registers, found `-`"},
        {".local .b8 l[100000000];", "local memory of a function is limited"},
        {".local .b8 l[1099511627776][1099511627776];", "the array is too large"},
        {".shared .b8 s[];", "the array has no size"},
        {".shared .b8 s[4] = {1};", "only defined .global and .const variables are initialised"},
        {".local .align 3 .b8 s[4];", "an alignment is a power of two"},
        {"bar.red.popc.u32 %r1, 0;", "bar needs more operands than 2"},
        {"setp.lt.s32 %r1, %r2, %r3;", "expected a predicate register, found `%r1`"},
        {"setp.lt.s32 !%p1, %r2, %r3;", "expected a destination register"},
        {"membar.gl 5;", "expected `;` after the instruction, found `5`"},
        {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "expected a constant, found `%r5`"},
        {"add.s32 %r1, %f1, %r2;", "bad.ptx:7:14: error: `%f1` is a register of type .f32, not .s32"},
        {"shl.b32 %r1, %r2, %f1;", "`%f1` is a register of type .f32, not .u32"},
        {"st.global.u32 [%rd1], %f1;", "`%f1` is a register of type .f32, not .u32"},
        {"ld.global.f32 %d1, [%rd1];", "`%d1` is a register of type .f64, not .f32"},
        {"ld.global.u32 %r1, [%d1];", "an address register has 32 or 64 bits, and holds an integer"},
        {"isspacep.shared %p1, %h1;", "an address register has 32 or 64 bits, and holds an integer"},
        {"add.s32 %r1, %r2, %tid.x;", "expected a register or a constant, found the special register `%tid.x`"},
        {"mov.u32 %r1, %clock64;", "the special register `%clock64` has 64 bits"},
        {"mov.u64 %rd1, %laneid;", "the special register `%laneid` has 32 bits"},
        {"add.u64 %rd1, %rd2, p;", "expected a register or a constant, found the variable `p`"},
        {"mov.b32 %r1, 1.5;", "a float that stands for .b32 is written 0f and 8 hexadecimal digits"},
        {"add.f16x2 %r1, %r2, 5;", "type .f16x2 has no constants"},
        {"setp.eq.s32 %p1, %r1, %r2, %p2;", "bad.ptx:7:1: error: found a predicate to combine with, without .and"},
        {"setp.eq.and.s32 %p1, %r1, %r2;", "expected a predicate to combine with, which .and, .or or .xor asks for"},
        {"lop3.b32 %r1|%p1, %r1, %r2, %r3, 5;", "found a predicate as second result, without .and or .or"},
        {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "bad.ptx:7:42: error: cp.async.cg copies 16 bytes, found 8"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 12;", "bad.ptx:7:42: error: cp.async.ca copies 4, 8 or 16 bytes, found 12"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 4, 5;", "bad.ptx:7:45: error: "},
        {"cp.async.ca.shared.global [%r1], [%rd1], 4, %tid.x;", "expected a register or a constant, found the special register `%tid"},
        {"cp.async.ca.shared.global [%r1], %rd1, 4;", "expected an address in brackets, found `%rd1`"},
        {"cp.async.ca.shared.global [%r1], [%rd1];", "cp.async needs more operands than 2"},
        {"cp.async.ca.shared.global [p], [%rd1], 4;", "`p` lies in .param, not in .shared"},
        {"cp.async.ca.global.shared [%r1], [%rd1], 4;", "expected .shared or .shared::cta in `cp.async.ca`, found `.global`"},
        {"cp.async.shared.global [%r1], [%rd1], 4;", "expected .ca or .cg in `cp.async`, found no cache operator"},
        {"cp.async.wait_group %r1;", "bad.ptx:7:21: error: "},
        {"cp.async.commit_group 1;", "expected `;` after the instruction, found `1`"},
        {"vadd.u32.u32.u32.min %r1, %r2, %r3;", "expected a third source, which a second operation asks for"},
        {"vadd.u32.u32.u32 %r1, %r2, %r3, %r4;", "found a third source, without a second operation"},
        {"vabsdiff4.u32.u32.u32 %r1, %r2, %r3;", "vabsdiff4 needs more operands than 3"},
        {"shfl.sync.up.b32 %r1, %r2, 1, 0;", "expected a mask of lanes, which .sync asks for"},
        {"vote.sync.all.pred %p1, %p2;", "expected a mask of lanes, which .sync asks for"},
        {"cvt.rn.f16x2.f32 %r1, %f1;", "expected a second source, which a packed type asks for"},
        {"cvt.rn.f16.f32 %h1, %f1, %f2;", "found a second source, without a packed type"},
        {".reg .b128 %q<2>; ld.global.b64 %q0, [%rd1];", "bad.ptx:7:33: error: expected a register or vector of this type, found `%q0`"},
        {"ld.global.b128 {%rd1, %rd2}, [%rd1];", "expected a register of 128 bits"},
        {"ld.global.b128 %rd1, [%rd1];", "expected a register of 128 bits"},
        {".reg .b128 %q; mov.b64 %rd1, %q;", "expected a register or vector of this type, found `%q`"},
        {".reg .b128 %q; mov.b128 %q, %rd1;", "expected a register of 128 bits, found `%rd1`"},
        {".reg .b128 %q; mov.b128 %q, {%r1, %r2};", "`%r1` is a register of type .b32; .b64 needs 64 bits"},
        {".reg .b128 %q; mov.b128 %q, {%h1, %h2, %h3, %h4, %h1, %h2, %h3, %h4};", "a value of type .b128 cannot have 8 parts"},
        {".reg .b128 %q; add.u64 %rd1, %rd2, %q;", "expected a register or a constant, found `%q`"},
        {".reg .b128 %q; ld.global.b64 %rd1, [%q];", "a register of 128 bits is an operand of mov.b128, ld.b128, st.b128 and atom.b128 alone"},
        {".reg .v2 .b128 %q;", "a vector register has no elements of 128 bits"},
        {".reg .b128 %q; atom.global.add.b128 %q, [%rd1], %q;", "in `atom.add`, found `.b128`"},
        {".reg .b128 %q; atom.local.exch.b128 %q, [%rd1], %q;", "or no state space in `atom`, found `.local`"},
        {".reg .b128 %q; atom.global.exch.b128 %q, [%rd1], %rd1;", "expected a register of 128 bits, found `%rd1`"},
        {".reg .b128 %q; atom.global.cas.b128 %q, [%rd1], %q;", "atom needs more operands than 3"},
        {"red.global.exch.b128 [%rd1], %rd1;", "in `red`, found `.exch`"},
        {"atom.global.add.v2.f32 {%f1, %f2}, [%rd1], %f1;", "expected 2 elements in braces"},
        {"atom.global.add.v2.f32 {%f1, %f2, %f3}, [%rd1], {%f1, %f2};", "expected 2 elements in braces"},
        {"atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f1, _};", "expected values"},
        {"atom.shared.add.v2.f32 {%f1, %f2}, [%rd1], {%f1, %f2};", "expected .global or no state space in `atom.v2`, found `.shared`"},
        {"red.global.add.v8.f32 [%rd1], {%f1, %f2, %f1, %f2, %f1, %f2, %f1, %f2};", "expected .f16 or .bf16 in `red.v8.add`, found `.f32`"},
        {"red.global.max.v2.f32 [%rd1], {%f1, %f2};", "in `red.v2.max`, found `.f32`"},
        {"atom.global.add.v2.u32 {%r1, %r2}, [%rd1], {%r1, %r2};", "in `atom.v2.add`, found `.u32`"},
        {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], {%f1, %f2};", "tex needs more operands than 3"},
        {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], {%f1}, {%f1, %f2};", "expected 2 gradients in braces"},
        {"tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f3}], {%f1, %f2, %f3}, {%f1, %f2, %f3};", "expected 4 gradients in braces"},
        {"tex.grad.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}], {%f1, %f2}, {%f1, %f2};", "expected .f32 in `tex.grad.2d.v4.f32`, found `.s32`"},
        {"tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f1, %f2}];", "expected 4 coordinates, found 3"},
        {"txq.b32 %r1, [%rd1];", "expected .width, .height, .depth, .channel_data_type, .channel_order, .normalized_coords, .array_size, .num_mipmap_levels, .num_samples, .filter_mode, .addr_mode_0, .addr_mode_1 or .addr_mode_2 in `txq`, found no attribute"},
        {"txq.level.filter_mode.b32 %r1, [%rd1], %r2;", "expected .width, .height or .depth in `txq.level`, found `.filter_mode`"},
        {"txq.level.width.b32 %r1, [%rd1];", "txq needs more operands than 2"},
        {"txq.width.b32 %r1, [%r2];", "the handle of a texture or surface has 64 bits"},
        {"txq.width.b32 %r1, %rd1;", "expected a texture or surface in brackets"},
        {"suq.filter_mode.b32 %r1, [%rd1];", "in `suq`, found `.filter_mode`"},
        {"sust.p.a2d.b32.trap [%rd1, {%r1, %r2, %r3, %r3}], %r1;", "expected .1d, .2d or .3d in `sust.p`, found `.a2d`"},
        {"sured.b.xor.1d.b32.trap [%rd1, {%r1}], %r1;", "in `sured.b`, found `.xor`"},
        {"sured.b.add.1d.b32.trap [%rd1, {%r1}], %r1;", "expected .u32, .s32 or .u64 in `sured.b.add.1d.trap`, found `.b32`"},
        {"tensormap.repeat [%rd1], 1;", "expected tensormap.replace or tensormap.cp_fenceproxy"},
        {"tensormap.replace.tile.rank.global.b1024.b32 [%rd1];", "tensormap.replace takes 2 operands here, found 1"},
        {"tensormap.replace.tile.rank.global.b1024.b32 %rd1, %r1;", "expected an address in brackets"},
        {"tensormap.replace.tile.rank.global.b1024.b32 [%rd1], %rd1;", "expected a value of 32 bits"},
        {"tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 5, %r1;", "expected a constant from 0 to 4"},
        {"tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], %r1, %rd1;", "expected a constant from 0 to 3"},
        {"tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], %r1;", "expected a constant from 0 to 15"},
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 64;", "a tensor map has 128 bytes"},
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned [%rd1], [%r1], 128;", "expected tensormap.cp_fenceproxy.global"},
        {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2}, {%f1};", "expected .f16 in `mma.m8n8k4.f16.f16.f16`, found `.f32`"},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r1, %r2}, {%f1, %f2, %f3, %f4};", "expected 8 elements in braces, found 4"},
        {"mma.sync.aligned.m16n8k8.col.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r1}, {%f1, %f2, %f3, %f4};", "expected .row in `mma.sync.aligned.f16.m16n8k8`, found `.col`"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r1}, {%f1, %f2, %f3, %f4};", "in `mma.m16n8k8.f32`, found `.e4m3`"},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r1, 2;", "expected a selector, a constant from 0 to 1"},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r1, %r2;", "expected a selector, a constant from 0 to 1"},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};", "found no .xor or .and"},
        {"cvt.rn.relu.e4m3x2.f32 %h1, %f1, %f2;", "expected .satfinite in `cvt.e4m3x2.f32.rn`, found no saturation"},
        {"cvt.rna.relu.tf32.f32 %r1, %f1;", "expected no .relu in `cvt.tf32.f32.rna`, found `.relu`"},
        {"atom.global.cas.b32 %r1, [%rd1], 1;", "expected a value to swap in, which .cas asks for"},
        {"atom.global.add.u32 %r1, [%rd1], 1, 2;", "found a value to swap in, without .cas"},
        {"match.any.sync.b32 %r1|%p1, %r2, -1;", "found a predicate as second result, without .all"},
        {".const .u32 c; st.u32 [c], 1;", "`c` lies in .const, which cannot be written"},
        {"st.param.u32 [p], 1;", "bad.ptx:7:15: error: `p` is a parameter, which cannot be written"},
        {"{ .param .b32 x; mov.u64 %rd1, x; }", "bad.ptx:7:32: error: `x` is passed in a call, it has no address"},
        {"ret", "expected `;` after the instruction, found `}`"},
        {".bogus 4;", "expected an instruction, a label or a declaration, found `.bogus`"},
        {"\"text\";", "expected an instruction, a label or a declaration, found a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *out = support_refuse_kernel(cases[i].text);
        if (!strstr(out, cases[i].message))
            fail_msg("%s\nsaid:\n%s\nnot: %s", cases[i].text, out, cases[i].message);
        free(out);
    }
}

/* Suffixes that are each known, but do not go together. */
static void forms(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"red.acq_rel.gpu.add.u32 [%rd1], 1;",
         "bad.ptx:7:4: error: expected .relaxed, .release or no memory order in `red`, found `.acq_rel`"},
        {"red.global.acquire.gpu.add.u32 [%rd1], 1;", "bad.ptx:7:11: error: expected .relaxed, .release or no memory"},
        {"atom.sc.gpu.add.u32 %r1, [%rd1], 1;",
         "bad.ptx:7:5: error: expected .relaxed, .acquire, .release, .acq_rel or no memory order in `atom`"},
        {"atom.volatile.add.u32 %r1, [%rd1], 1;", "bad.ptx:7:5: error: expected .relaxed"},
        {"atom.local.add.u32 %r1, [%rd1], 1;",
         "bad.ptx:7:5: error: expected .global, .shared, .shared::cta, .shared::cluster or no state space in `atom`, found `.local`"},
        {"red.relaxed.gpu.const.add.u32 [%rd1], 1;", "in `red.relaxed`, found `.const`"},
        {"st.acquire.gpu.u32 [%rd1], 1;",
         "bad.ptx:7:3: error: expected .weak, .volatile, .relaxed, .release, .mmio or no memory order in `st`, found "
         "`.acquire`"},
        {"st.acq_rel.gpu.u32 [%rd1], 1;", "bad.ptx:7:3: error: expected .weak"},
        {"ld.release.gpu.u32 %r1, [%rd1];",
         "bad.ptx:7:3: error: expected .weak, .volatile, .relaxed, .acquire, .mmio or no memory order in `ld`, found "
         "`.release`"},
        {"ld.sc.gpu.u32 %r1, [%rd1];", "found `.sc`"},
        {"ld.relaxed.u32 %r1, [%rd1];",
         "bad.ptx:7:1: error: expected .cta, .cluster, .gpu or .sys in `ld.relaxed`, found no scope"},
        {"st.release.global.u32 [%rd1], 1;", "in `st.release.global`, found no scope"},
        {"ld.weak.gpu.u32 %r1, [%rd1];", "bad.ptx:7:8: error: expected no scope in `ld.weak`, found `.gpu`"},
        {"ld.global.gpu.u32 %r1, [%rd1];", "bad.ptx:7:10: error: expected no scope in `ld.global`, found `.gpu`"},
        {"ld.volatile.cta.u32 %r1, [%rd1];", "expected no scope in `ld.volatile`, found `.cta`"},
        {"ld.volatile.local.u32 %r1, [%rd1];",
         "bad.ptx:7:12: error: expected .global, .shared, .shared::cta, .shared::cluster or no state"},
        {"st.const.u32 [%rd1], 1;", "bad.ptx:7:3: error: expected .global, .local, .param"},
        {"ld.mmio.relaxed.gpu.u32 %r1, [%rd1];", "expected .sys in `ld.mmio`, found `.gpu`"},
        {"ld.relaxed.gpu.cg.u32 %r1, [%rd1];",
         "bad.ptx:7:15: error: expected no cache operator in `ld.relaxed.gpu`, found `.cg`"},
        {"ld.wb.u32 %r1, [%rd1];", "bad.ptx:7:3: error: expected .ca, .cg, .cs, .lu, .cv or no cache operator in `ld`"},
        {"ld.shared.nc.u32 %r1, [%rd1];", "in `ld.shared`, found `.nc`"},
        {"ld.cv.nc.u32 %r1, [%rd1];", "ld has no suffix `.nc`"},
        {"st.ca.u32 [%rd1], 1;", "bad.ptx:7:3: error: expected .wb, .cg, .cs, .wt or no cache operator in `st`"},
        {"ld.global.f16 %h1, [%rd1];", "bad.ptx:7:10: error: expected .b8, .b16, .b32"},
        {"ld.global.v8.u64 {%rd1, %rd1, %rd1, %rd1, %rd1, %rd1, %rd1, %rd1}, [%rd1];", "in `ld.v8`, found `.u64`"},
        {"ldu.shared.u32 %r1, [%rd1];", "expected .global or no state space in `ldu`, found `.shared`"},
        {"atom.add.s64 %rd1, [%rd1], 1;",
         "bad.ptx:7:9: error: expected .u32, .u64, .s32, .f32, .f64, .f16, .f16x2, .bf16 or .bf16x2 in `atom.add`"},
        {"atom.inc.s32 %r1, [%rd1], 1;", "expected .u32 in `atom.inc`, found `.s32`"},
        {"atom.exch.u32 %r1, [%rd1], 1;", "expected .b32, .b64 or .b128 in `atom.exch`, found `.u32`"},
        {"red.exch.b32 [%rd1], 1;",
         "bad.ptx:7:4: error: expected .add, .min, .max, .inc, .dec, .and, .or or .xor in `red`, found `.exch`"},
        {"red.add.f16 [%rd1], %h1;", "bad.ptx:7:1: error: expected .noftz in `red.add.f16`, found no .noftz"},
        {"red.add.noftz.f32 [%rd1], %f1;", "bad.ptx:7:8: error: expected no .noftz in `red.add.f32`, found `.noftz`"},
        {"atom.u32 %r1, [%rd1], 1;", "in `atom`, found no operation"},
        {"ld.acquire.remote.global.u32 %r1, [%rd1];",
         "bad.ptx:7:11: error: expected .cta, .cluster, .gpu or .sys in `ld.acquire.global`, found `.remote`"},
        {"st.release.remote.u32 [%rd1], 1;", "in `st.release`, found `.remote`"},
        {"atom.remote.add.u32 %r1, [%rd1], 1;",
         "expected .cta, .cluster, .gpu, .sys or no scope in `atom`, found `.remote`"},
        {"red.relaxed.remote.add.u32 [%rd1], 1;", "in `red.relaxed`, found `.remote`"},
        {"fence.sc.remote;", "expected .cta, .cluster, .gpu or .sys in `fence.sc`, found `.remote`"},
        {"membar.remote;", "expected .cta, .gl or .sys in `membar`, found `.remote`"},
        {"barrier.remote.sync 0;", "expected .cta or no scope in `barrier.sync`, found `.remote`"},
        {"ldu.remote.global.u32 %r1, [%rd1];", "ldu has no suffix `.remote`"},
        {"lockstep.ld.acquire.gpu.global.u32 %r1, [%rd1];",
         "bad.ptx:7:20: error: expected .remote in `lockstep.ld.acquire.global`, found `.gpu`"},
        {"lockstep.ld.acquire.global.u32 %r1, [%rd1];",
         "bad.ptx:7:1: error: expected .remote in `lockstep.ld.acquire.global`, found no scope"},
        {"lockstep.ld.remote.global.u32 %r1, [%rd1];",
         "bad.ptx:7:1: error: expected .relaxed or .acquire in `lockstep.ld`, found no memory order"},
        {"lockstep.ld.weak.remote.u32 %r1, [%rd1];", "expected .relaxed or .acquire in `lockstep.ld`, found `.weak`"},
        {"lockstep.ld.acquire.remote.shared.u32 %r1, [%rd1];",
         "bad.ptx:7:27: error: expected .global or no state space in `lockstep.ld.acquire`, found `.shared`"},
        {"lockstep.ld.acquire.remote.cg.u32 %r1, [%rd1];", "lockstep.ld has no suffix `.cg`"},
        {"lockstep.st.acquire.remote.u32 [%rd1], 1;",
         "expected .relaxed or .release in `lockstep.st`, found `.acquire`"},
        {"lockstep.st.release.sys.u32 [%rd1], 1;", "expected .remote in `lockstep.st.release`, found `.sys`"},
        {"lockstep.st.release.remote.local.u32 [%rd1], 1;", "in `lockstep.st.release`, found `.local`"},
        {"lockstep.atom.acq_rel.cta.global.exch.b32 %r1, [%rd1], 1;",
         "expected .remote in `lockstep.atom.acq_rel.global`, found `.cta`"},
        {"lockstep.atom.remote.add.u32 %r1, [%rd1], 1;",
         "expected .relaxed, .acquire, .release or .acq_rel in `lockstep.atom`, found no memory order"},
        {"lockstep.atom.relaxed.remote.exch.u32 %r1, [%rd1], 1;",
         "expected .b32 or .b64 in `lockstep.atom.exch`, found `.u32`"},
        {"lockstep.atom.acquire.remote.cas.b32 %r1, [%rd1], 1;", "expected a value to swap in, which .cas asks for"},
        {"lockstep.red.acquire.remote.add.u32 [%rd1], 1;",
         "expected .relaxed or .release in `lockstep.red`, found `.acquire`"},
        {"lockstep.red.release.remote.shared.add.u32 [%rd1], 1;", "in `lockstep.red.release`, found `.shared`"},
        {"lockstep.fence.sc.remote;", "`lockstep.fence` is not a PTX instruction"},
        {"membar;", "bad.ptx:7:1: error: expected .cta, .gl or .sys in `membar`, found no scope"},
        {"membar.gpu;", "bad.ptx:7:7: error: expected .cta, .gl or .sys in `membar`, found `.gpu`"},
        {"fence;", "bad.ptx:7:1: error: expected .cta, .cluster, .gpu or .sys in `fence`, found no scope"},
        {"fence.sc;", "in `fence.sc`, found no scope"},
        {"fence.gl;", "bad.ptx:7:6: error: expected .cta, .cluster, .gpu or .sys in `fence`, found `.gl`"},
        {"fence.mbarrier_init.acquire.cluster;", "in `fence.acquire`, found `.mbarrier_init`"},
        {"fence.proxy.alias.gpu;", "in `fence.proxy.alias`, found `.gpu`"},
        {"fence.proxy.async.release.gpu;", "found `.release`"},
        {"fence.proxy.alias [%rd1], 128;", "found an address and a size, without .tensormap::generic.acquire"},
        {"fence.proxy.tensormap::generic.acquire.gpu;", "expected an address and a size"},
        {"fence.weak.gpu;", "expected .sc, .acq_rel, .acquire, .release or no memory order in `fence`, found `.weak`"},
        {"bar.arrive 0;", "bad.ptx:7:1: error: bar.arrive takes a barrier and a number of threads, found 1 operand"},
        {"barrier.arrive 0;", "barrier.arrive takes a barrier and a number of threads"},
        {"bar 0;", "expected .sync, .arrive, .warp or .red in `bar`, found no mode"},
        {"barrier 0;", "expected .sync, .arrive, .wait or .red in `barrier`, found no mode"},
        {"bar.warp.sync 1, 32;", "bar takes 1 operand, found 2"},
        {"bar.gpu.sync 0;", "bad.ptx:7:4: error: expected .cta or no scope in `bar.sync`, found `.gpu`"},
        {"bar.sync.aligned 0;", "expected no .aligned in `bar.sync`, found `.aligned`"},
        {"bar.sync.popc 0;", "expected no reduction in `bar.sync`, found `.popc`"},
        {"bar.red.xor.pred %p1, 0, %p2;", "expected .popc, .and or .or in `bar.red`, found `.xor`"},
        {"bar.red.popc.pred %r1, 0, %p2;", "expected .u32 in `bar.red.popc`, found `.pred`"},
        {"bar.red.and.u32 %p1, 0, %p2;", "expected .pred in `bar.red.and`, found `.u32`"},
        {"add.rn.s32 %r1, %r2, %r3;", "bad.ptx:7:4: error: expected no rounding in `add.s32`, found `.rn`"},
        {"add.rni.f32 %f1, %f2, %f3;", "expected .rn, .rz, .rm, .rp or no rounding in `add.f32`, found `.rni`"},
        {"add.ftz.f64 %d1, %d2, %d3;", "expected no .ftz in `add.f64`, found `.ftz`"},
        {"add.sat.u32 %r1, %r2, %r3;", "expected no saturation in `add.u32`, found `.sat`"},
        {"add.cc.s16 %h1, %h2, %h3;", "expected no .cc in `add.s16`, found `.cc`"},
        {"mul.s32 %r1, %r2, %r3;", "expected .hi, .lo or .wide in `mul.s32`, found no part"},
        {"mul.wide.s64 %rd1, %rd2, %rd3;", "expected .hi or .lo in `mul.s64`, found `.wide`"},
        {"mad.f32 %f1, %f2, %f3, %f4;", "expected .rn, .rz, .rm or .rp in `mad.f32`, found no rounding"},
        {"fma.f32 %f1, %f2, %f3, %f4;", "found no rounding"},
        {"div.f32 %f1, %f2, %f3;", "expected .approx, .full, .rn, .rz, .rm or .rp in `div.f32`, found no rounding"},
        {"sqrt.approx.f64 %d1, %d2;", "expected .rn, .rz, .rm or .rp in `sqrt.f64`, found `.approx`"},
        {"rcp.approx.f64 %d1, %d2;", "expected .ftz in `rcp.f64.approx`, found no .ftz"},
        {"sin.f32 %f1, %f2;", "expected .approx in `sin.f32`, found no rounding"},
        {"setp.lo.s32 %p1, %r1, %r2;", "expected .eq, .ne, .lt, .le, .gt or .ge in `setp.s32`, found `.lo`"},
        {"setp.lt.b32 %p1, %r1, %r2;", "expected .eq or .ne in `setp.b32`, found `.lt`"},
        {"slct.u32.u32 %r1, %r2, %r3, %r4;", "expected .s32 or .f32 in `slct`, found `.u32`"},
        {"lop3.b64 %rd1, %rd2, %rd3, %rd4, 5;", "expected .b32 in `lop3`, found `.b64`"},
        {"shf.l.b32 %r1, %r2, %r3, 5;", "expected .clamp or .wrap in `shf.l`, found no mode"},
        {"prmt.b64 %rd1, %rd2, %rd3, 5;", "expected .b32 in `prmt`, found `.b64`"},
        {"cvt.f32.s32 %f1, %r1;", "expected .rn, .rz, .rm or .rp in `cvt.f32.s32`, found no rounding"},
        {"cvt.s32.f32 %r1, %f1;", "expected .rni, .rzi, .rmi or .rpi in `cvt.s32.f32`, found no rounding"},
        {"cvt.rn.f32.f32 %f1, %f2;", "expected .rni, .rzi, .rmi, .rpi or no rounding in `cvt.f32.f32`, found `.rn`"},
        {"cvta.u64 %rd1, %rd2;", "found no state space"},
        {"redux.sync.xor.s32 %r1, %r2, -1;", "expected .b32 in `redux.sync.xor`, found `.s32`"},
        {"match.sync.b32 %r1, %r2, -1;", "expected .any or .all in `match`, found no mode"},
        {"vadd.u32.u32 %r1, %r2, %r3;", "expected .u32 or .s32 in `vadd.u32.u32`, found no third type"},
        {"vadd.u32 %r1, %r2, %r3;", "vadd takes three type suffixes, found 1"},
        {"vadd.u32.u32.u32.u32 %r1, %r2, %r3;", "vadd takes three type suffixes, found 4"},
        {"vadd.u32.u32.b32 %r1, %r2, %r3;", "vadd has no form for a third type .b32"},
        {"vshl.u32.u32.u32 %r1, %r2, %r3;", "expected .clamp or .wrap in `vshl.u32.u32.u32`, found no mode"},
        {"vabsdiff4.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;", "found `.add`"},
        {"setmaxnreg.inc.sync.aligned.u32 20;", "expected a multiple of 8 from 24 to 256 registers, found 20"},
        {"setmaxnreg.sync.aligned.u32 24;", "expected .inc or .dec in `setmaxnreg`, found no operation"},
        {"discard.global.L2 [%rd1], 64;", "expected 128 bytes, found 64"},
        {"ld.global.L2::cache_hint.u32 %r1, [%rd1];", "expected a register or a constant"},
        {"ld.shared.L2::cache_hint.u32 %r1, [%r1], %rd1;", "a cache policy is for global memory"},
        {"st.global.L2::cache_hint.u32 [%rd1], %r1, %r2;", "is a register of type .b32; .b64 needs 64 bits"},
        {"createpolicy.fractional.L2::evict_last.b32 %rd1, 1.0;", "expected a form of createpolicy, found `b32`"},
        {"createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], 64;", "createpolicy.range takes 4 operands, found 3"},
        {"createpolicy.cvt.L2.b64 1, %rd2;", "expected a destination register"},
        {"vavrg2.u64.u32.u32 %r1, %r2, %r3, %r4;", "vavrg2 has no form for type .u64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *out = support_refuse_kernel(cases[i].text);
        if (!strstr(out, cases[i].message))
            fail_msg("%s\nsaid:\n%s\nnot: %s", cases[i].text, out, cases[i].message);
        free(out);
    }
}

static const struct isa_function *function_named(const struct isa_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i].name, name))
            return &module->functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

/* Every error in a body costs that body alone, where a kernel is left: whoever reaches it is outside the model, at the
 * error's place and in its words. Without another kernel the module is refused. */
static void one_of_several(void **state)
{
    static const char *const bodies[][2] = {
        {"redux.sync.min.f32 %f1, %f2, -1;", "redux has no form for type .f32"},
        {"add.s32 %r1, %r2;", "add needs more operands than 2"},
        {"frobnicate.b32 %r1;", "`frobnicate` is not a PTX instruction"},
        {"bra nowhere;", "label `nowhere` is not defined"},
        {"mov.u32 %r1, %absent;", "`%absent` is not declared"},
        {".shared .b8 s[]; ret;", "the array has no size"},
        {"L: { add.s32 %r1, %r1, ; bra L; }", "add needs more operands"},
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 SUPPORT_HEAD ".func f(.param .b32 a)\n{ .reg .b32 %%r<4>; .reg .f32 %%f<4>; %s }\n"
                              ".entry bad()\n{ .reg .b32 %%r<4>; .reg .f32 %%f<4>; %s }\n.entry good()\n{ ret; }\n"
                              ".entry caller()\n{ .reg .b32 %%r<4>; { .param .b32 p; st.param.b32 [p], 1; call f, (p); } ret; }\n",
                 bodies[i][0], bodies[i][0]);
        struct isa_module *module = support_load("several.ptx", text);
        assert_int_equal(function_named(module, "good")->outside, ISA_PC_NONE);
        const char *const reach[] = {"bad", "caller", "f"};
        for (unsigned k = 0; k < 3; k++) {
            uint32_t at = function_named(module, reach[k])->outside;
            assert_int_not_equal(at, ISA_PC_NONE);
            if (!strstr(module->instrs[at].text, bodies[i][1]))
                fail_msg("%s: %s", bodies[i][0], module->instrs[at].text);
            assert_int_equal(module->instrs[at].line, k == 0 ? 7 : 5);
        }
        isa_module_free(module);
        free(support_refuse_kernel(bodies[i][0]));
    }
    static const char open[] = SUPPORT_HEAD ".entry good() { ret; }\n.entry bad() { ret; ";
    char *said = support_refuse(open, sizeof open - 1);
    assert_non_null(strstr(said, "never closed"));
    free(said);
}

/* Declarations of functions without `;`, as compilers of CUDA 2 to 4 wrote them, wherever the next thing begins. */
static void declarations_without_end(void **state)
{
    static const char *const next[] = {".visible .entry k() { ret; }", ".func g(.param .b32 a) { ret; }", ".global .u32 x;",
                                       ".func f(.param .b32 a) { ret; }", ".extern .func h(.param .b32 a)", ".file 1 \"a.cu\"", ""};
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, SUPPORT_HEAD ".visible .func f(.param .b32 a)\n%s\n.entry last() { ret; }\n", next[i]);
        struct isa_module *module = support_load("old.ptx", text);
        function_named(module, "f");
        function_named(module, "last");
        isa_module_free(module);
    }
    struct isa_module *module = support_load("old.ptx", SUPPORT_HEAD ".entry k() { ret; }\n.func f(.param .b32 a)");
    isa_module_free(module);
    static const char kernel[] = SUPPORT_HEAD ".entry k()\n.entry l() { ret; }";
    free(support_refuse(kernel, sizeof kernel - 1));
}

/* A directive of a kernel is honoured, or the kernel cannot be launched; hints are neither. */
static void directives(void **state)
{
    static const struct {
        const char *text, *outside;
    } cases[] = {
        {".maxntid 64", NULL}, {".reqntid 8, 8", NULL}, {".maxntid 64 .minnctapersm 2", NULL}, {".maxnreg 32", NULL}, {".noreturn", NULL},
        {".maxclusterrank 8", NULL}, {".explicitcluster .reqnctapercluster 1, 1, 1", NULL}, {".reqnctapercluster 1", NULL},
        {".explicitcluster .reqnctapercluster 2, 1, 1", NULL}, {".reqnctapercluster 1, 1, 4", NULL},
        {".explicitcluster", NULL}, {".maxntid 64 .explicitcluster", NULL},
        {".reqnctapercluster 1 .explicitcluster", NULL},
        {".blocksareclusters", ".blocksareclusters"}, {".somethingnew 3", ".somethingnew"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, SUPPORT_HEAD ".entry k() %s\n{ ret; }\n", cases[i].text);
        struct isa_module *module = support_load("directives.ptx", text);
        uint32_t at = module->functions[0].outside;
        if (!cases[i].outside != (at == ISA_PC_NONE))
            fail_msg("%s", cases[i].text);
        if (cases[i].outside)
            assert_non_null(strstr(module->instrs[at].text, cases[i].outside));
        isa_module_free(module);
    }
}

static void modules(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "the file holds no PTX"},
        {"hello world;", "bad.ptx:1:1: error: expected `.version` at the start of a PTX module"},
        {".version 99.0", "PTX versions 1.0 to 9.x are known"},
        {".version 7.0\n.address_size 32", "bad.ptx:2:15: error: only .address_size 64 is supported"},
        {SUPPORT_HEAD ".entry k() { ret;", "the body that begins here is never closed"},
        {SUPPORT_HEAD ".entry k() {}\n.entry k() {}", "bad.ptx:5:8: error: `k` is defined twice"},
        {SUPPORT_HEAD ".func f(.param .b32 a);\n.func f(.param .b32 a, .param .b32 b);",
         "`f` is already declared differently"},
        {SUPPORT_HEAD ".entry k(.reg .b32 r) {}", "a kernel's parameters are .param variables"},
        {SUPPORT_HEAD ".global .u32 x;\n.global .u32 x;", "`x` is already declared as something else"},
        {SUPPORT_HEAD ".global .u32 $$x;", "names that begin with `$$` are kept for disassembly"},
        {SUPPORT_HEAD ".global .u32 x[2] = {1, 2, 3};", "more values than the variable holds"},
        {SUPPORT_HEAD ".global .f32 x = 1;", "expected a float such as 0f3F800000 for a variable of type .f32"},
        {SUPPORT_HEAD ".global .u64 x = y;", "`y` is no variable or function"},
        {SUPPORT_HEAD ".global .b8 x = 0xF0F(x);", "the mask of an address selects whole neighbouring bytes"},
        {SUPPORT_HEAD ".local .u32 x;", "module-level .local variables are not supported"},
        {SUPPORT_HEAD ".reg .u32 x;", "registers are declared inside functions"},
        {SUPPORT_HEAD ".alias f, g;", "expected the name of a declared function"},
        {SUPPORT_HEAD ".section .debug { {", "this `{` is never closed"},
        {SUPPORT_HEAD ".func (.param .b32 r) f(.param .b64 a);\n.entry k() { .param .b32 x; call f, (x); }",
         "the function takes 1 result, found 0"},
        {SUPPORT_HEAD ".func f(.param .b64 a);\n.entry k() { .param .b32 x; call f, (x); }",
         "argument 1 has 4 bytes where the function has 8"},
        {SUPPORT_HEAD ".func f(.param .b32 a) { st.param.b32 [a], 1; ret; }",
         "bad.ptx:4:40: error: `a` is a parameter, which cannot be written"},
        {SUPPORT_HEAD ".func (.param .b32 a) f() { .reg .b32 %r; ld.param.b32 %r, [a]; ret; }",
         "error: `a` is a result, which cannot be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *out = support_refuse(cases[i].text, strlen(cases[i].text));
        if (!strstr(out, cases[i].message))
            fail_msg("%s\nsaid:\n%s\nnot: %s", cases[i].text, out, cases[i].message);
        free(out);
    }
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void shows_the_line(void **state)
{
    char *out = support_refuse_kernel("add.s32 %r1, %r2, %r3;\n  mov.u32 %r1, %undeclared; // here");
    assert_non_null(strstr(out, "bad.ptx:8:16: error: `%undeclared` is not declared"));
    assert_non_null(strstr(out, "mov.u32 %r1, %undeclared; // here"));
    assert_non_null(strstr(out, "^~~~~~~~~~~"));
    free(out);
}

static void goes_on_after_an_error(void **state)
{
    char *out = support_refuse_kernel(
        "foo.s32 %r1; bar.sync 0; add.s32 %r1, {%r2, %r3}, 1;\n{ .reg .b32 %q; mov.u32 %q, %zz; }\nmov.u32 %r1, %yy;\n"
        "} .func f() { bra  gone; }\n.func g() { wrong; ");
    assert_int_equal(count(out, ": error: "), 6);
    assert_non_null(strstr(out, "bad.ptx:10:20: error: label `gone` is not defined"));
    assert_non_null(strstr(out, "bad.ptx:11:13: error: `wrong`"));
    free(out);
}

static void at_most_twenty(void **state)
{
    char text[20000] = "";
    for (unsigned i = 0; i < 500; i++)
        strcat(text, "mov.u32 %r1, %zz;\n");
    char *out = support_refuse_kernel(text);
    assert_int_equal(count(out, ": error: "), 20);
    free(out);
}

/* Deep and wide texts: n times a piece, then another. */
static char *repeat(const char *head, const char *piece, size_t n, const char *tail)
{
    size_t length = strlen(piece);
    char *text = malloc(strlen(head) + n * length + strlen(tail) + 1), *at = text;
    at += sprintf(at, "%s", head);
    for (size_t i = 0; i < n; i++, at += length)
        memcpy(at, piece, length);
    strcpy(at, tail);
    return text;
}

static void depth_is_limited(void **state)
{
    static const struct {
        const char *head, *piece, *message;
    } cases[] = {
        {SUPPORT_HEAD ".entry k() {", "{", "scopes are nested deeper than 64"},
        {SUPPORT_HEAD ".global .u32 x = ", "(", "the expression is nested too deeply"},
        {SUPPORT_HEAD ".global .u32 x = ", "-", "the expression is nested too deeply"},
        {SUPPORT_HEAD ".global .u32 x = ", "1 ? 1 : ", "error"},
        {SUPPORT_HEAD ".global .u32 x = ", "1 || 1 + ", "error"},
        {SUPPORT_HEAD ".global .u32 x[9] = ", "{", "the initialiser is nested too deeply"},
        {SUPPORT_HEAD ".global .u32 x", "[2]", "the array is too large"},
        {SUPPORT_HEAD ".entry k() { .reg .b32 %r<9>; add", ".rn", "too many suffixes"},
        {SUPPORT_HEAD ".entry k() { .reg .b32 %r<9>; st.u32 [0], {", "%r1,", "a vector has 8 elements at most"},
        {SUPPORT_HEAD ".entry k() { .reg .b32 %r<9>; add.u32 %r1", ",%r2", "too many operands"},
        {SUPPORT_HEAD ".section .debug ", "{", "this `{` is never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = repeat(cases[i].head, cases[i].piece, 100000, "");
        char *out = support_refuse(text, strlen(text));
        if (!strstr(out, cases[i].message))
            fail_msg("%s: said:\n%s", cases[i].head, out);
        free(out);
        free(text);
    }
}

/* Nothing takes time that grows faster than the text; ctest's time limit would notice. */
static void size_is_harmless(void **state)
{
    static const struct {
        const char *head, *piece, *tail;
    } cases[] = {
        {SUPPORT_HEAD, ".func f() { .reg .b32 %r<1000000>; mov.u32 %r999999, 1; ret; ", ""},
        {SUPPORT_HEAD ".entry k() {", "{ L: bra L; } ", "ret; }"},
        {SUPPORT_HEAD ".entry k() {", "bra L;", "L: ret; }"},
        {SUPPORT_HEAD ".entry k() {", "{ .reg .b32 %t; mov.u32 %t, 1; }", "ret; }"},
        {SUPPORT_HEAD ".entry k() {", "{ .shared .b32 s; st.shared.u32 [s], 1; }", "ret; }"},
        {SUPPORT_HEAD ".func f() { ret; } .entry k() {", "call f;", "ret; }"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = repeat(cases[i].head, cases[i].piece, 5000, cases[i].tail);
        struct diag_sink sink;
        diag_init(&sink);
        struct isa_module *module = ptx_load("wide.ptx", text, strlen(text), NULL, &sink);
        if (i > 0 && !module)
            fail_msg("%s refused: %s", cases[i].head, sink.items[0].message);
        isa_module_free(module);
        diag_free(&sink);
        free(text);
    }
}

/* Every prefix of a text, and every text with one byte replaced, ends in a module or in errors. */
static void broken_texts(void **state)
{
    static const char text[] =
        ".version 7.0\n.global .u64 a[2] = {1, generic(b)+8};.func (.param .b32 r) f(.param .b64 q) {\n"
        ".reg .pred %p<3>; .reg .b32 %r<4>; L: @!%p1 bra L; { .param .b32 x; .param .b64 y; call (x), f, (y); }\n"
        "st.v2.u32 [a+8], {%r1, -0x1F}; setp.lt.s32 %p1|%p2, %r1, (3+4)*2; .loc 1 2 3\nret; } // end";
    static const char bytes[] = "\0\"{}(;.%<9";
    for (size_t n = 0; n < sizeof text; n++)
        for (size_t b = 0; b < sizeof bytes; b++) {
            char *copy = malloc(sizeof text - 1);
            memcpy(copy, text, sizeof text - 1);
            size_t length = b + 1 == sizeof bytes ? n : sizeof text - 1;
            if (n < length)
                copy[n] = bytes[b];
            struct diag_sink sink;
            diag_init(&sink);
            struct isa_module *module = ptx_load("broken.ptx", copy, length, NULL, &sink);
            assert_true(module || sink.errors);
            isa_module_free(module);
            diag_free(&sink);
            free(copy);
        }
}

static void works_without_a_sink(void **state)
{
    assert_null(ptx_load("none", "nonsense", 8, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(forms),
        cmocka_unit_test(one_of_several), cmocka_unit_test(declarations_without_end), cmocka_unit_test(directives), cmocka_unit_test(modules),
        cmocka_unit_test(shows_the_line),
        cmocka_unit_test(goes_on_after_an_error),
        cmocka_unit_test(at_most_twenty),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(size_is_harmless),
        cmocka_unit_test(broken_texts),
        cmocka_unit_test(works_without_a_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
