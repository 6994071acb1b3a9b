#!/usr/bin/env bash
# Strict greedy-then-oldest on the contended hash table starves the holders of locks: that is said within bounded time, with who waits for
# whom. The same run with rotating ages is only slow, and is not cut short however little the progress watch is allowed.
. "$(dirname "$0")/_lib.sh"
reference=$LOCKSTEP_SRC/tests/reference
cp "$reference/ht.ptx" "$folder/"
# Two blocks and eight buckets, on one SM.
sed 's/^grid: .*/grid: [2]/; s/^block: .*/block: [256]/; s/u32: 64}/u32: 8}/; /^check/,$d' "$reference/ht64full.yaml" >"$folder/ht.yaml"
one=(run --sched gto --set gpu.sms=1 --set sm.schedulers_take_turns=false --max-cycles 8000000)
expect 3 "livelock: holders of locks get no turn" "${one[@]}" --set sm.age_rotation=0 --set gpu.watch_cycles=20000 "$folder/ht.yaml"
expect 3 "starved by its scheduler" "${one[@]}" --set sm.age_rotation=0 --set gpu.watch_cycles=200000 "$folder/ht.yaml"
expect 3 "ht.ptx:61:2" "${one[@]}" --set sm.age_rotation=0 --set gpu.watch_cycles=20000 "$folder/ht.yaml"
expect 0 "" "${one[@]}" --set sm.age_rotation=100000 --set gpu.watch_cycles=20000 "$folder/ht.yaml"
expect 0 "" "${one[@]}" --set sm.age_rotation=5000 --set gpu.watch_cycles=2000 "$folder/ht.yaml"
expect 0 "" run --sched lrr --set gpu.sms=1 --set gpu.watch_cycles=5000 "$folder/ht.yaml"

# The graph of waiting as a file.
expect 3 "" "${one[@]}" --set sm.age_rotation=0 --set gpu.watch_cycles=20000 --hang-report "$folder/ht.dot" "$folder/ht.yaml"
grep -q '^digraph waits {$' "$folder/ht.dot" && grep -q '^}$' "$folder/ht.dot" && grep -q 'starved' "$folder/ht.dot" &&
    grep -q 'address 0x80000000 = 1' "$folder/ht.dot" || { echo "no graph of waiting"; failures=1; }
if command -v dot >/dev/null; then
    dot -Tplain "$folder/ht.dot" >"$folder/ht.plain" || { echo "Graphviz does not read the graph"; failures=1; }
fi
rm "$folder/ht.dot"
expect 0 "" run --hang-report "$folder/ht.dot" "$reference/vecadd.yaml"
[ ! -e "$folder/ht.dot" ] || { echo "a graph of waiting of a run that ended well"; failures=1; }
expect 2 "cannot write" run --hang-report "$folder/none/ht.dot" "$folder/ht.yaml"

command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ] || { finish; exit 0; }
[ "$failures" -eq 0 ] || exit 1
# A program that hangs leaves the graph too.
cat >"$folder/p.cu" <<'P'
__global__ void stuck(int *lock)
{
    if (blockIdx.x == 0)
        while (atomicCAS(&lock[threadIdx.x & 1], 0, 1)) {}
    while (atomicCAS(&lock[blockIdx.x], 0, 1)) {}
}
int main()
{
    int *x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    stuck<<<2, 1>>>(x);
    return cudaDeviceSynchronize() == cudaSuccess;
}
P
"$LOCKSTEP" cc "$folder/p.cu" -o "$folder/p" || exit 1
expect 1 "(deadlock)" run --set gpu.watch_cycles=20000 --hang-report "$folder/p.dot" "$folder/p"
grep -q '^digraph waits {$' "$folder/p.dot" && grep -q 'p.cu:5'  "$folder/p.dot" || { echo "no graph of a program"; failures=1; }
finish
