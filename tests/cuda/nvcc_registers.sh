# gpu.registers_as=ptxas: kernels have the registers of the machine code that nvcc puts beside their PTX, of the target
# that is nearest to the machine's compute capability, as the assembler says them with -Xptxas -v.
. "$LOCKSTEP_SRC/tests/cuda/_lib.sh"
[ -n "$nvcc" ] || { echo "skipped: nvcc is not installed"; exit 77; }

cat >"$work/program.cu" <<'END'
#include <cstdio>
#include "registers.cu"
int main()
{
    cudaFuncAttributes a, b, c;
    cudaFuncGetAttributes(&a, few);
    cudaFuncGetAttributes(&b, spilled);
    cudaFuncGetAttributes(&c, calls);
    printf("%d %d %d\n", a.numRegs, b.numRegs, c.numRegs);
    float *p;
    cudaMalloc(&p, 8192);
    few<<<1, 32>>>(p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
END
sed 's/1024, 2/1024/' "$LOCKSTEP_SRC/tests/unit/cuda/data/registers.cu" >"$work/registers.cu"

# said TARGET: what the assembler says of few, spilled, calls.
said() {
    awk -v target="'sm_$1'" '/Compiling entry/ { on = index($0, target); split($0, part, "\047"); name = part[2] }
        /Used/ && on { used[name] = $5 }
        END { print used["_Z3fewPf"], used["_Z7spilledPfi"], used["_Z5callsPi"] }' "$work/log"
}

# registers_are LINE OPTIONS...: the program runs and prints that line.
registers_are() {
    line=$1
    shift
    "$LOCKSTEP" run --quiet --mode functional --machine gtx1080ti --set sm.registers=65536 "$@" "$work/program" >"$work/out" 2>&1 ||
        fail "$*: $(cat "$work/out")"
    [ "$(head -n 1 "$work/out")" = "$line" ] || fail "$*: expected $line, found $(cat "$work/out")"
}

packed() {
    "$nvcc" -cudart shared -Xptxas -v "$@" "$work/program.cu" -o "$work/program" \
        >"$work/log" 2>&1 || fail "$(cat "$work/log")"
    registers_are "$(said 75)" --set gpu.registers_as=ptxas --set gpu.compute_major=7 --set gpu.compute_minor=5
    registers_are "$(said 90)" --set gpu.registers_as=ptxas --set gpu.compute_major=9
    registers_are "$(said 75)" --set gpu.registers_as=ptxas # sm_61
    registers_are "17 17 17" --set gpu.registers_as=ptxas --registers 17
    }
targets="-gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_90,code=sm_90"
packed $targets
of_ptx=$(LOCKSTEP_MODE=functional on_simulator "$work/program" | head -n 1)
[ "$of_ptx" != "$(said 75)" ] || fail "the PTX has as many registers as the machine code: nothing was tried"
packed -rdc=true $targets

# No machine code: an estimate from those of the PTX, which is no lower.
"$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 "$work/program.cu" \
    -o "$work/program" 2>"$work/log"
registers_are "$of_ptx"
estimate=
for live in $of_ptx; do
    estimate="$estimate $((live < 25 ? (4 * live + 25) / 5 : live))"
done
registers_are "${estimate# }" --set gpu.registers_as=ptxas
