#!/usr/bin/env bash
# --phases: the CSV of a launch file and of a program says the same as the statistics; the same with threads and without skipping; what
# it may not replace, and what it cannot be combined with.
. "$(dirname "$0")/_lib.sh"
case=$LOCKSTEP_SRC/tests/reference/stencil.yaml

# agree NAME: sums of NAME.csv by the definition of a phase, against the statistics in NAME.json, over all launches.
agree() {
    local rows stats
    rows=$(awk -F, 'NR == 1 { if ($0 != "launch,kernel,sm,block_x,block_y,block_z,phase,warp,start,arrival,release") exit 1; next }
        { phase = $1 "," $3 "," $4 "," $5 "," $6 "," $7; took = $10 - $9; n[phase]++; sum[phase] += took
          if (took > most[phase]) most[phase] = took }
        END { for (p in n) { count++; warps += n[p]; whole += n[p] * most[p]; lost += n[p] * most[p] - sum[p] }
              print count, warps, whole, lost }' "$1.csv")
    stats=$(awk '/"phases": \{/ { inside = 1 } inside && /"(count|warps|warp_cycles|lost)":/ { gsub(/[":,]/, ""); sum[$1] += $2 }
        /\}/ { inside = 0 } END { print sum["count"], sum["warps"], sum["warp_cycles"], sum["lost"] }' "$1.json")
    [ -n "$rows" ] && [ "${rows%% *}" -gt 100 ] && [ "$rows" = "$stats" ] || wrong "$1: rows give $rows, statistics $stats"
}

expect 0 "" run --quiet --phases "$folder/case.csv" --stats "$folder/case.json" "$case"
agree "$folder/case"
expect 0 "" run --quiet --phases "$folder/other.csv" --threads 2 --no-skip "$case"
cmp "$folder/case.csv" "$folder/other.csv" || wrong "phases depend on threads"
cat >"$folder/p.cu" <<'P'
// Warps come to their block's barriers one after the other.
__global__ void meet(int *sum, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < (threadIdx.x / 32 + i) % 4; k++)
            atomicAdd(sum, 1);
        __syncthreads();
    }
}
int main()
{
    int *sum;
    cudaMalloc(&sum, 4);
    for (int i = 0; i < 3; i++)
        meet<<<6 + i, 128>>>(sum, 5 + i);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
expect 0 "" cc "$folder/p.cu" -o "$folder/p"
expect 0 "" run --quiet --phases "$folder/p.csv" --stats "$folder/p.json" "$folder/p"
agree "$folder/p"
expect 0 "" run --quiet --mode functional --phases "$folder/other.csv" "$case"
[ "$(wc -l <"$folder/other.csv")" -eq 1 ] || wrong "functional mode has phases"
echo "my notes" >"$folder/notes"
expect 2 "holds something else than phases of blocks" run --phases "$folder/notes" "$case"
expect 2 "cannot write" run --quiet --phases "$folder/none/p.csv" "$case"
expect 0 "" run --quiet --checkpoint-every 8000 --checkpoint "$folder/state" "$case"
expect 2 "--phases needs the whole run" run --phases "$folder/p.csv" --resume "$folder/state"
finish
