#!/usr/bin/env bash
# --time, --skip-launches, --warm-launches, --time-launches: which launches are timed, that results are right and those timed are what a
# whole run has where caches are the same, what tables and results say, and what is refused.
. "$(dirname "$0")/_lib.sh"
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1
cat >many.cu <<'P'
#include <cstdio>
#include <cuda_runtime.h>
__global__ void step(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 8; k++)
        sum += from[(i + k * 64) % n];
    to[i] = sum & 1023;
}
__global__ void other(int *v) { v[threadIdx.x]++; }
int main()
{
    enum { N = 2048 };
    int *d, h[N], sum = 0;
    cudaMalloc(&d, 8 * N);
    cudaMemset(d, 1, 8 * N);
    for (int r = 0; r < 14; r++) {
        step<<<N / 128, 128>>>(d + r % 2 * N, d + (r + 1) % 2 * N, N);
        if (r % 7 == 0)
            other<<<1, 32>>>(d);
    }
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int v : h)
        sum = sum * 31 + v;
    printf("sum %d\n", sum);
}
P
"$LOCKSTEP" cc many.cu -o many || exit 1
# modes FILE: the first letters of the launches' modes, in order.
modes() { sed -n 's/^   "mode": "\(.\).*/\1/p' "$1" | tr -d '\n'; }
# field NAME FILE: a member of `sampled`.
field() { sed -n "/\"sampled\": \[/,/\]/s/.*\"$1\": \([0-9]*\).*/\1/p" "$2"; }
# run NAME WANTED OPTIONS...: the modes of a run's launches; and its result is that of the whole run.
run() {
    local name=$1 wanted=$2
    shift 2
    "$LOCKSTEP" run --stats "$name.json" "$@" ./many >"$name" 2>&1 || { cat "$name"; wrong "run $*"; }
    [ "$(modes "$name.json")" = "$wanted" ] || wrong "run $*: $(modes "$name.json"), not $wanted"
    [ "$(head -1 "$name")" = "$(head -1 whole)" ] || wrong "run $*: $(head -1 "$name")"
}
"$LOCKSTEP" run --stats whole.json ./many >whole || wrong "the whole run"
[ "$(modes whole.json)" = tttttttttttttttt ] || wrong "modes of a whole run"
grep -q sampled whole.json && wrong "a whole run is sampled"
run named tftttttttftttttt --time 'st*'
run mangled ftffffffftffffff --time '_Z5other*'
run some fffffwttffffffff --time step --skip-launches 5 --warm-launches 1 --time-launches 2
run counted ffttttffffffffff --skip-launches 2 --time-launches 4
run last ffffffffffffffft --skip-launches 15
grep -q 'step .* 2 of 14 ' some || { cat some; wrong "the table says how many were timed"; }
grep -q 'step: 2 of 14 launches were timed; all would take about [0-9]* cycles' some || wrong "no estimate"
# The estimate, by hand: launches are of equal work.
estimate=$(field estimated_cycles some.json) cycles=$(field cycles some.json)
[ "$estimate" -eq $((cycles * 7)) ] || wrong "estimate $estimate for $cycles of 2 launches of 14"
# What is timed behind a launch that warms is about what it is in the whole run; behind one that ran functionally it is slower.
of_step() { sed -n '/"plain_name": "step"/,/"cycles"/s/^   "cycles": \([0-9]*\),/\1/p' "$1" | sed -n "$2p"; }
run cold ffffffftffffffff --time step --skip-launches 6 --time-launches 1
run warm fffffwwtffffffff --time step --skip-launches 6 --warm-launches 2 --time-launches 1
cold=$(of_step cold.json 1) warm=$(of_step warm.json 3) real=$(of_step whole.json 7)
[ "$cold" -gt "$((real * 11 / 10))" ] && [ "$((warm > real ? warm - real : real - warm))" -lt "$((real / 20 + 1))" ] ||
    wrong "cold $cold, warm $warm, in the whole run $real"
# A limit is of those that are timed; a profile is of them alone.
"$LOCKSTEP" run --time other --max-cycles 100000 ./many >/dev/null 2>&1 || wrong "a limit stops what is not timed"
"$LOCKSTEP" run --profile --time step --skip-launches 3 --warm-launches 1 --time-launches 2 --stats p.json ./many >p 2>&1
[ "$(grep -c '"profile": {' p.json)" -eq 2 ] && grep -q 'in 2 launches' p || wrong "profiles of launches that are not timed"
"$LOCKSTEP" compare --sched lrr,gto --time step --skip-launches 3 --time-launches 2 ./many >c || wrong "compare"
grep -q '^cycles' c || { cat c; wrong "compare"; }
expect 2 "needs timing mode" run --mode functional --time step ./many
expect 2 "only launches that --skip-launches skips can fill caches" run --skip-launches 1 --warm-launches 2 ./many
expect 2 "--skip-launches x: expected a number of launches" run --skip-launches x ./many
expect 2 "has no checkpoints" run --time step --checkpoint-every 1000 ./many
expect 2 "look at all launches" run --time step --check race ./many
expect 2 "a launch file has one" run --time step "$LOCKSTEP_SRC/tests/reference/scan.yaml"
finish
