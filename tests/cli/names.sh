#!/usr/bin/env bash
# Kernels of C++ have two names: that of the source, and the mangled one of the PTX. Users read the first and may write either; results
# have both.
. "$(dirname "$0")/_lib.sh"
cd "$folder" || exit 1
cp "$LOCKSTEP_SRC/tests/reference/vecadd.ptx" plain.ptx
sed 's/vecadd/_ZN3lib6vecaddIfEEvPKT_S3_PS1_i/g' plain.ptx >one.ptx
mangled=_ZN3lib6vecaddIfEEvPKT_S3_PS1_i
# edit FILE NAME: the launch file with this PTX and kernel.
edit() {
    sed "s/^ptx: .*/ptx: $1/; s/^kernel: .*/kernel: $2/" "$LOCKSTEP_SRC/tests/reference/vecadd.yaml" >case.yaml
}
for name in $mangled lib::vecadd; do
    edit one.ptx $name
    expect 0 "PASS" run case.yaml
    expect 0 "kernel lib::vecadd ($mangled):" disasm --kernel $name one.ptx
done
"$LOCKSTEP" run --stats both.json case.yaml >out
grep -q '^lib::vecadd ' out || wrong "the table has another name"
grep -A1 "\"name\": \"$mangled\"" both.json | grep -q '"plain_name": "lib::vecadd"' || wrong "results have not both names"
"$LOCKSTEP" run --quiet --stats both.csv case.yaml
head -1 both.csv | grep -q ',name,plain_name,' && sed -n 2p both.csv | grep -q ",$mangled,lib::vecadd," || wrong "CSV has not both names"
edit one.ptx vecadd
expect 2 "there are: lib::vecadd" run case.yaml
expect 2 "did you mean 'lib::vecadd'?" disasm --kernel lib::vecad one.ptx
expect 0 "kernel vecadd:" disasm --kernel vecadd plain.ptx
# Messages: of a limit, a fault and a hang, by a launch file and by a program.
edit one.ptx lib::vecadd
expect 4 "kernel lib::vecadd was stopped" run --max-cycles 100 case.yaml
# speaks TEXT COMMAND...: it says TEXT, and no mangled name.
speaks() {
    local text=$1 output
    shift
    output=$("$@" 2>&1)
    [[ $output == *"$text"* ]] || wrong "$* does not say $text: $output"
    [[ $output != *_Z* ]] || wrong "$* speaks of mangled names: $output"
}
speaks "kernel lib::vecadd cannot be launched" "$LOCKSTEP" run --set sm.threads=64 case.yaml
sed 's/^block: .*/block: [256, 1, 1]/; s/count: 98304, init: zero/count: 64, init: zero/' case.yaml >fault.yaml
speaks "kernel lib::vecadd: access" "$LOCKSTEP" run fault.yaml

# Two with one name in the source: the PTX tells them apart.
{
    cat one.ptx
    sed -n '/\.entry/,$p' one.ptx | sed "s/$mangled/_ZN3lib6vecaddIiEEvPKT_S3_PS1_i/g"
} >two.ptx
edit two.ptx lib::vecadd
expect 2 "several have this name in the source: $mangled, _ZN3lib6vecaddIiEEvPKT_S3_PS1_i" run case.yaml
expect 2 "several have this name in the source" disasm --kernel lib::vecadd two.ptx
edit two.ptx $mangled
expect 0 "PASS" run case.yaml

if [ -e "$(dirname "$LOCKSTEP")/../lib/lockstep/libcudart.so.13" ] && command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ]; then
    cat >p.cu <<'P'
#include <string.h>
namespace lib {
template <typename T> __global__ void touch(T *p, int n) { for (int i = 0; i < n; i++) atomicAdd(p, (T)1); }
}
__device__ int gate;
__global__ void wait() { while (atomicAdd(&gate, 0) == 0) ; }
int main(int argc, char **argv) {
    int *p;
    cudaMalloc(&p, 4);
    const char *what = argv[1];
    if (!strcmp(what, "fault")) lib::touch<int><<<1, 1>>>(nullptr, 1);
    if (!strcmp(what, "large")) lib::touch<int><<<1, 2048>>>(p, 1);
    if (!strcmp(what, "shared")) lib::touch<int><<<1, 32, 1 << 20>>>(p, 1);
    if (!strcmp(what, "hang")) wait<<<1, 1>>>();
    if (!strcmp(what, "long")) lib::touch<int><<<64, 32>>>(p, 1000);
    cudaDeviceSynchronize();
    return 0;
}
P
    "$LOCKSTEP" cc p.cu -o p || exit 1
    speaks "kernel lib::touch: access" "$LOCKSTEP" run ./p fault
    speaks "kernel lib::touch in blocks of 2048" "$LOCKSTEP" run ./p large
    speaks "kernel lib::touch with 0 bytes of shared memory" "$LOCKSTEP" run ./p shared
    speaks "kernel wait " "$LOCKSTEP" run --set gpu.watch_cycles=10000 ./p hang
    speaks "kernel lib::touch was stopped" "$LOCKSTEP" run --max-cycles 1000 ./p long
fi
finish
