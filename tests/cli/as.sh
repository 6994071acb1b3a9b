#!/usr/bin/env bash
# --as: runs are those that the departures, set back one by one, give; results tell how the machine was taken; --set holds over it;
# checkpoints keep it. --registers: as many blocks on an SM as the number leaves room for, for launch files and programs.
. "$(dirname "$0")/_lib.sh"
cases=$LOCKSTEP_SRC/tests/reference
member() { sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1.json" | head -n 1; }
cycles() { member "$1" cycles; }
# alike A B WHAT: two runs with equal kernels.
alike() {
    [ -n "$(cycles "$1")" ] || wrong "$3: no cycles"
    diff <(sed -n '/"kernels"/,$p' "$1") <(sed -n '/"kernels"/,$p' "$2") >/dev/null || wrong "$3: $(cycles "$1") and $(cycles "$2") cycles"
}

# Against the table, read from where it is listed.
sets=$("$LOCKSTEP" machines --departures gtx1080ti | awk '$1 == "gtx1080ti" && $2 ~ /[.]/ { printf "--set %s=%s ", $2, $4 }')
json "$folder/reference" --machine gtx1080ti --as reference --sched gto "$cases/waitsignal.yaml"
# shellcheck disable=SC2086
json "$folder/by-hand" --machine gtx1080ti --sched gto:rotate=preference:patience=0 $sets "$cases/waitsignal.yaml"
json "$folder/shipped" --machine gtx1080ti --sched gto "$cases/waitsignal.yaml"
json "$folder/said" --machine gtx1080ti --sched gto --as shipped "$cases/waitsignal.yaml"
alike "$folder/reference" "$folder/by-hand" "--as reference"
cmp -s "$folder/shipped" "$folder/said" || wrong "--as shipped is not the default"
[ "$(cycles "$folder/reference")" -lt "$(cycles "$folder/shipped")" ] || wrong "--as reference changes nothing"
[ "$(member "$folder/reference" as) $(member "$folder/shipped" as) $(member "$folder/by-hand" as)" = '"reference" "shipped" "shipped"' ] ||
    wrong "the JSON does not say how the machine was taken"
grep -q '"sm.values_at_issue=true"' "$folder/reference" || wrong "the JSON does not list what was set back"
[ "$(member "$folder/reference" scheduler)" = '"gto:rotate=preference:patience=0"' ] || wrong "another scheduler: $(member "$folder/reference" scheduler)"

# A control's constants are the artifact's too; a machine file goes by its base.
printf 'base: gtx1080ti\nsm:\n  age_rotation: 7\n' >"$folder/mine.yaml"
json "$folder/mine" --machine "$folder/mine.yaml" --as reference --sched lrr+bows --max-cycles 20000 "$cases/sfu.yaml"
grep -q '"spin.table=0"' "$folder/mine" && grep -q '"sm.age_rotation=50000"' "$folder/mine" || wrong "a file's departures"

# --set holds over --as wherever it stands; what is left is set back.
json "$folder/fixed" --machine gtx480 --as fixed-order --sched lrr "$cases/stencil.yaml"
json "$folder/turns" --machine gtx480 --sched lrr "$cases/stencil.yaml"
json "$folder/kept" --machine gtx480 --sched lrr --set sm.schedulers_take_turns=true --as fixed-order "$cases/stencil.yaml"
json "$folder/later" --machine gtx480 --sched lrr --as reference --set sm.schedulers_take_turns=true --set sm.values_at_issue=false "$cases/sfu.yaml"
alike "$folder/turns" "$folder/kept" "--set over --as"
[ "$(cycles "$folder/fixed")" != "$(cycles "$folder/turns")" ] || wrong "fixed order changes nothing"
grep -q '"sm.age_rotation=50000"' "$folder/later" && ! grep -q 'sm.values_at_issue=\|sm.schedulers_take_turns=' "$folder/later" || wrong "--set does not hold over --as"

# Messages and headings name the choice.
expect 0 "as reference: what departs" run --machine gtx480 --as reference "$cases/sfu.yaml"
expect 0 "as fixed-order: warp schedulers go in fixed order" compare --machine gtx480 --sched lrr --as fixed-order "$cases/sfu.yaml"
expect 0 "lrr shipped" compare --sched lrr --as shipped,reference "$cases/sfu.yaml"
"$LOCKSTEP" compare --sched lrr --as shipped,reference,fixed-order --stats "$folder/all.csv" "$cases/sfu.yaml" >/dev/null || wrong "compare --as"
[ "$(cut -d, -f 2-4 "$folder/all.csv" | tr '\n' ' ')" = "machine,as,scheduler gtx480,shipped,lrr gtx480,reference,lrr gtx480,fixed-order,lrr " ] ||
    wrong "columns of --as"
expect 2 "hint: reference" run --as refrence "$cases/sfu.yaml"
expect 2 "expected shipped, fixed-order or reference" run --as refrence "$cases/sfu.yaml"
expect 2 "machine apu8 has nothing that this would set back" run --machine apu8 --as reference "$cases/sfu.yaml"
expect 2 "gtx480-sm2 has nothing" compare --machine gtx480,gtx480-sm2 --as fixed-order "$cases/sfu.yaml"
expect 2 "--as is given twice" run --as reference --as shipped "$cases/sfu.yaml"

# Checkpoints go on as they were taken, and as nothing else.
json "$folder/whole" --machine gtx480 --as reference --registers 40 --checkpoint-every 2000 --checkpoint "$folder/at" "$cases/reduce.yaml"
json "$folder/rest" --resume "$folder/at"
cmp "$folder/whole" "$folder/rest" || wrong "a checkpoint goes on otherwise"
expect 2 "it is of another machine: sm." run --resume "$folder/at" --as shipped
expect 2 "gpu.thread_registers=40 there, gpu.thread_registers=41 here" run --resume "$folder/at" --registers 41

# Registers: 32768 of an SM of gtx480, by warps of 32 lanes; over the launch file's.
json "$folder/own" --machine gtx480 "$cases/reduce.yaml"
json "$folder/few" --machine gtx480 --registers 60 "$cases/reduce.yaml"
sed "s/^registers: .*/registers: 60/; s|^ptx: |ptx: $cases/|" "$cases/reduce.yaml" >"$folder/few.yaml"
json "$folder/file" --machine gtx480 "$folder/few.yaml"
sed 's/registers: 60/registers: 20/' "$folder/few.yaml" >"$folder/more.yaml"
json "$folder/over" --machine gtx480 --registers 60 "$folder/more.yaml"
json "$folder/zero" --machine gtx480 --registers 0 "$cases/reduce.yaml"
alike "$folder/few" "$folder/file" "--registers and registers:"
alike "$folder/few" "$folder/over" "--registers over registers:"
alike "$folder/own" "$folder/zero" "--registers 0"
grep -q '"registers": 60,' "$folder/few" && [ "$(member "$folder/few" blocks_limited_by)" = '"registers"' ] || wrong "registers do not bind"
[ "$(cycles "$folder/few")" != "$(cycles "$folder/own")" ] || wrong "registers change nothing"
grep -q '"gpu.thread_registers=60"' "$folder/few" || wrong "the JSON does not say the registers"
expect 2 "gpu.thread_registers" run --registers many "$cases/reduce.yaml"
expect 2 "out of range (0 to 1024 registers)" run --registers 1025 "$cases/reduce.yaml"
expect 2 "1024 registers a thread" run --machine gtx480 --registers 1024 "$cases/reduce.yaml"
expect 0 "lrr registers 60" compare --machine gtx480 --sched lrr --registers 0,60 "$cases/reduce.yaml"

# Programs get both by their environment.
output=$("$LOCKSTEP" run --quiet --as reference --registers 20 sh -c 'echo "$LOCKSTEP_AS $LOCKSTEP_SET $LOCKSTEP_SCHED"')
[ "$output" = "reference gpu.thread_registers=20"$'\n'" gto:rotate=preference:patience=0" ] || wrong "environment: $output"
command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ] || { finish; exit; }
cat >"$folder/p.cu" <<'P'
#include <cstdio>
__global__ void wait(volatile int *flag, int *to)
{
    if (blockIdx.x == 0) { __threadfence(); if (threadIdx.x == 0) *flag = 1; }
    else while (!*flag) ;
    to[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
int main()
{
    int *x, blocks = 0;
    cudaFuncAttributes a;
    cudaMalloc(&x, 65536);
    cudaMemset(x, 0, 65536);
    wait<<<12, 256>>>(x, x + 64);
    cudaFuncGetAttributes(&a, wait);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wait, 256, 0);
    printf("%s, %d registers, %d blocks\n", cudaGetErrorString(cudaDeviceSynchronize()), a.numRegs, blocks);
}
P
"$LOCKSTEP" cc "$folder/p.cu" -o "$folder/p" || exit 1
expect 0 "no error, 40 registers, 3 blocks" run --machine gtx480 --registers 40 "$folder/p"
expect 0 "no error, 60 registers, 2 blocks" run --machine gtx480 --registers 60 "$folder/p"
# shellcheck disable=SC2086
sets=$("$LOCKSTEP" machines --departures gtx480 | awk '$1 == "gtx480" && $2 ~ /[.]/ { printf "--set %s=%s ", $2, $4 }')
json "$folder/reference" --machine gtx480 --as reference "$folder/p"
# shellcheck disable=SC2086
json "$folder/by-hand" --machine gtx480 --sched gto:rotate=preference:patience=0 $sets "$folder/p"
json "$folder/shipped" --machine gtx480 "$folder/p"
alike "$folder/reference" "$folder/by-hand" "--as reference of a program"
[ "$(cycles "$folder/reference")" != "$(cycles "$folder/shipped")" ] || wrong "--as changes nothing for a program"
finish
