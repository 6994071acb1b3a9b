#!/usr/bin/env bash
# A new class of execution units is a row of src/warp/units.def and a kind of instructions in src/isa/op.h, and src/isa/latencies.def says
# which operations on which types are of that kind (docs/architecture.md). Here f64 and f16 get units of their own so, in copies of these
# three files: the tables send their instructions there, and the rooms that deal with units compile.
set -uo pipefail
cd "$LOCKSTEP_SRC" || exit 1
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: there is no C compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/isa" "$work/warp"
sed 's/^#define ISA_UNITS(X) .*/& X(FP64) X(HALF)/' src/isa/op.h >"$work/isa/op.h"
sed -E '/, F64, /s/, (SP|SFU), /, FP64, /; /, F16, /s/, (SP|SFU|EITHER), /, HALF, /' src/isa/latencies.def >"$work/isa/latencies.def"
cat src/warp/units.def - >"$work/warp/units.def" <<'EOF'
UNIT(dp, UNIT_TAKES(FP64), RESULT, 1, 1, 2, 2, 1, "DP", "the double-precision units")
UNIT(hp, UNIT_TAKES(HALF), RESULT, 1, 1, 1, 2, 1, "HP", "the half-precision units")
EOF
cat >"$work/sends.c" <<'EOF'
#include <stdio.h>

#include "isa/program.h"
#include SM_PARAMS
#include "warp/units.h"

static int failed;

static void expect(enum isa_op op, enum isa_type type, enum warp_unit unit)
{
    const struct isa_instr instr = {.op = op, .type = type};
    if (warp_unit_of(isa_unit_of(&instr)) != unit) {
        printf("%s.%s goes to another unit than %d\n", isa_op_info(op)->text, isa_type_info(type)->text, unit);
        failed = 1;
    }
}

int main(void)
{
    static const enum isa_op ops[] = {ISA_OP_ADD, ISA_OP_MUL, ISA_OP_FMA, ISA_OP_MAX};
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        expect(ops[i], ISA_F64, WARP_UNIT_dp);
        expect(ops[i], ISA_F16, WARP_UNIT_hp);
        expect(ops[i], ISA_BF16X2, WARP_UNIT_hp);
        expect(ops[i], ISA_F32, WARP_UNIT_sp);
    }
    expect(ISA_OP_SQRT, ISA_F64, WARP_UNIT_dp);
    expect(ISA_OP_SQRT, ISA_F32, WARP_UNIT_sfu);
    expect(ISA_OP_LD, ISA_F64, WARP_UNIT_mem);
    const struct sm_params params = {.dp_units = 2, .id_oc_hp = 1};
    return failed || params.dp_units != 2 || params.id_oc_hp != 1;
}
EOF
flags=(-std=gnu17 -O0 -w -I"$work" -Isrc -Iinclude -DSM_PARAMS="\"$(find src -name sm_params.h -printf %P)\"")
"$cc" "${flags[@]}" "$work/sends.c" src/isa/op.c -o "$work/sends" && "$work/sends" || exit 1
words='warp/units.def'
[ -z "${LOCKSTEP_LONG:-}" ] || words='warp/|sm/|isa/'
mapfile -t files < <(grep -rlE --include='*.c' "\"($words)" src)
[ ${#files[@]} -gt 2 ] || { echo "too few files deal with units: ${files[*]}"; exit 1; }
"$cc" "${flags[@]}" -fsyntax-only "${files[@]}"
