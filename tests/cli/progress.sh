#!/usr/bin/env bash
# The line of progress on a terminal: cycles, how many a second and how long it will take, no longer than the terminal is wide; and it is
# gone before anything else is printed, of which nothing is lost.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_terminal.sh"
cases=$LOCKSTEP_SRC/tests/reference
cd "$folder" || exit 1

progress() {
    grep -o "$escape\[K[^$escape]*" "$1" | sed "s/$escape\[K//; s/\r//g" | grep '[^ ]'
}
on_terminal 60 "run --max-seconds 3 $cases/ht64full.yaml" >terminal
progress terminal >lines
sees lines '^ht.*: [0-9]* cycles, [0-9]* k cycles/s, 0 of 48 blocks'
[ "$(widest <lines)" -lt 60 ] || { wrong "progress is wider than the terminal"; cat lines; }
plain <terminal >left
sees_no left 'cycles/s'
cat >loop.ptx <<'P'
.version 6.0
.target sm_20
.address_size 64
.visible .entry a_kernel_that_goes_round_for_a_while()
{
    .reg .pred %p;
    .reg .u32 %i;
    mov.u32 %i, 2000;
LOOP:
    sub.u32 %i, %i, 1;
    setp.ne.u32 %p, %i, 0;
    @%p bra LOOP;
    ret;
}
P
printf 'ptx: loop.ptx\nkernel: a_kernel_that_goes_round_for_a_while\ngrid: [100000]\nblock: [32]\nargs: []\ncheck: []\n' >loop.yaml
on_terminal 72 "run --max-seconds 4 loop.yaml" >terminal
progress terminal >lines
sees lines '^a_k.*ile: [0-9]* cycles, [0-9]* k cycles/s, about [0-9]* \(s\|min\) left'
[ "$(widest <lines)" -lt 72 ] || { wrong "progress is wider than the terminal"; cat lines; }
on_terminal 60 "run --quiet --max-seconds 1 $cases/ht64full.yaml" >terminal
sees_no terminal 'cycles/s'

if [ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] && command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ]; then
    cat >p.cu <<'P'
#include <stdio.h>
__global__ void touch(int *p, int n) { for (int i = 0; i < n; i++) atomicAdd(p, 1); }
int main() {
    int *p;
    cudaMalloc(&p, 4);
    for (int i = 0; i < 2; i++) {
        touch<<<64, 32>>>(p, 1000);
        cudaDeviceSynchronize();
        printf("after %d\n", i);
        fflush(stdout);
    }
    return 0;
}
P
    "$LOCKSTEP" cc p.cu -o p || exit 1
    for turn in 1 2 3; do
        on_terminal 80 run ./p >terminal
        progress terminal >lines
        sees lines '^touch: [0-9]* cycles'
        plain <terminal >left
        [ "$(grep -c '^after [01]$' left)" = 2 ] || { wrong "what the program printed is lost"; cat -v terminal; }
        sees_no left 'cycles/s'
    done
fi
finish
