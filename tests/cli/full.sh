#!/usr/bin/env bash
# Nothing is lost in silence where there is no room: standard output on a full device, and files that may not grow (a limit on their
# size stands in for a full disk). Each loss is an exit code other than 0, with the name and the reason.
. "$(dirname "$0")/_lib.sh"
[ -w /dev/full ] || { echo "skipped: there is no /dev/full"; exit 77; }
reference=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1

# lost CODE TEXT ARGUMENTS...: lockstep ARGUMENTS, its standard output on a full device.
lost() {
    local code=$1 text=$2 got
    shift 2
    "$LOCKSTEP" "$@" >/dev/full 2>err.txt
    got=$?
    [ "$got" -eq "$code" ] || wrong "lockstep $* >/dev/full: exit code $got, expected $code"
    grep -qF -- "$text" err.txt || { wrong "lockstep $* >/dev/full does not say: $text"; cat err.txt; }
    [ "$(grep -c "cannot write to standard output" err.txt)" -le 1 ] || wrong "lockstep $* >/dev/full says it again and again"
}
full="cannot write to standard output: No space left on device"
for command in --help --version machines "machines gtx480" params stats "explain ipc" "disasm $reference/vecadd.ptx" "run --help" "cc --help" \
    "compare --help" "validate --help" "study --help" "run $reference/vecadd.yaml" "compare --sched lrr $reference/scan.yaml" \
    "validate --case vecadd --machine gtx480 --sched lrr" "study coherence --list"; do
    # shellcheck disable=SC2086
    lost 1 "$full" $command
done
lost 2 "there is no machine" machines gtx48O
lost 4 "$full" run --max-cycles 100 "$reference/vecadd.yaml"
lost 1 "cannot write /dev/full: No space left on device" run --quiet --stats /dev/full "$reference/vecadd.yaml"
lost 1 "cannot write /dev/full: No space left on device" compare --sched lrr --stats /dev/full "$reference/scan.yaml"

# small KIB ARGUMENTS...: lockstep ARGUMENTS, where no file may grow over so many KiB. Output in out.txt and err.txt.
small() {
    local most=$1
    shift
    (trap '' XFSZ; ulimit -f "$most"; exec "$LOCKSTEP" "$@") 2>&1 >/dev/null | cat >err.txt
    return "${PIPESTATUS[0]}"
}
says() {
    grep -qF -- "$1" err.txt || { wrong "it does not say: $1"; cat err.txt; }
}
small 1 run --quiet --stats r.json "$reference/vecadd.yaml"
[ $? -eq 1 ] || wrong "lost statistics: exit code"
says "cannot write r.json: File too large"
ls -A | grep -q 'r.json' && wrong "a part of the statistics was left"
small 1 compare --sched lrr,gto "$reference/vecadd.yaml"
[ $? -eq 1 ] || wrong "compare without statistics: exit code"
says "File too large"
small 1 validate --case vecadd --machine gtx480
[ $? -eq 1 ] || wrong "validate without statistics: exit code"
small 1 validate --case vecadd --machine gtx480 --sched lrr --html page.html
says "cannot write page.html: File too large"

# A hang, and nowhere to tell.
cat >lock.ptx <<'P'
.version 6.0
.target sm_30
.address_size 64
.visible .entry lock(.param .u64 m)
{
 .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p;
 ld.param.u64 %rd1, [m];
L: atom.global.cas.b32 %r1, [%rd1], 0, 1;
 setp.ne.s32 %p, %r1, 0;
 @%p bra L;
 atom.global.exch.b32 %r2, [%rd1], 0;
 ret;
}
P
printf 'ptx: lock.ptx\nkernel: lock\ngrid: [1]\nblock: [32]\nbuffers:\n  m: {type: u32, count: 1, init: zero}\nargs: [m]\n' >lock.yaml
lost 3 "cannot write /dev/full: No space left on device" run --hang-report /dev/full lock.yaml
small 4 run --quiet --checkpoint-every 3000 --checkpoint at.checkpoint "$reference/vecadd.yaml"
says "cannot write checkpoint at.checkpoint: File too large"
ls -A | grep -q 'at.checkpoint' && wrong "a part of a checkpoint was left"

# A study: the database, and the files of its runs.
mkdir mini
little_locks mini
cat >mini/study.yaml <<'Y'
title: One run
source: nobody
about: nothing
benchmarks:
  HT: {program: ht64.yaml}
readings:
  plain: [sm.age_rotation=50000]
runs:
  - {benchmarks: [HT], machines: [gtx480], schedulers: [gto], readings: [plain]}
Y
sizes=1
[ -z "${LOCKSTEP_LONG:-}" ] || sizes="1 8 16"
for most in $sizes; do
    rm -rf out
    small $most study ./mini --out out
    case $? in 1 | 2) ;; *) wrong "a study on a full disk ($most KiB): exit code" ;; esac
    [ -s err.txt ] || grep -q "File too large" out/index.html || wrong "a study on a full disk ($most KiB) says nothing"
done

command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ] || { finish; exit 0; }
cat >p.cu <<'P'
#include <cstdio>
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
__global__ void says() { printf("thread %d\n", threadIdx.x); }
int main(int argc, char **)
{
    int *x;
    cudaMalloc(&x, 256);
    for (int i = 0; argc == 1 && i < 20; i++)
        twice<<<1, 64>>>(x);
    for (int i = 1; i < argc; i++)
        says<<<1, 4>>>();
    cudaDeviceSynchronize();
}
P
# Too small for the linked program; with LOCKSTEP_LONG also for anything, and for the host's object.
sizes=8
[ -z "${LOCKSTEP_LONG:-}" ] || sizes="0 1 8"
for most in $sizes; do
    small $most cc p.cu -o p
    [ $? -eq 1 ] || wrong "cc on a full disk ($most KiB): exit code"
    says "cannot write temporary files in"
    says "File too large"
    grep -q "not a clang" err.txt && wrong "clang is blamed for a full disk"
    [ ! -e p ] || wrong "cc on a full disk left a program"
done
"$LOCKSTEP" cc p.cu -o p || exit 1
"$LOCKSTEP" cc p.cu -o /dev/full 2>err.txt && wrong "cc -o /dev/full succeeded"
says "cannot write /dev/full: No space left on device"
# The results of kernels come to lockstep by memory: no folder of temporary files matters, and its end is noticed.
TMPDIR=$folder/none "$LOCKSTEP" run --quiet --stats r.json ./p || wrong "a program needs TMPDIR"
[ "$(grep -c '"name": "_Z5twicePi"' r.json)" -eq 20 ] || wrong "not all kernels are in the results"
(trap '' XFSZ; ulimit -f 24; exec "$LOCKSTEP" run --quiet --stats /dev/stdout ./p) 2>err.txt | cat >r.json
[ "${PIPESTATUS[0]}" -eq 1 ] || wrong "lost kernels: exit code"
says "results of kernels are lost"
says "results of ./p are lost"
grep -qF '"partial_reason": "lost results"' r.json || wrong "lost kernels: the document is called whole"
kernels=$(grep -c '"name": "_Z5twicePi"' r.json)
[ "$kernels" -ge 1 ] && [ "$kernels" -lt 20 ] || wrong "lost kernels: $kernels are there"
lost 1 "$full" run ./p
lost 1 "what kernels print is lost: cannot write to standard output: No space left on device" run --quiet ./p says twice
[ "$(grep -c "is lost" err.txt)" -eq 1 ] || wrong "a loss is said more than once"
finish
