#!/usr/bin/env bash
# --seed: the same seed gives the same bits whatever the number of threads, without skipping and from every checkpoint; other seeds give
# other cycles and right results; a phase in which a run without a seed is caught for ever ends with each of them.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cases=$LOCKSTEP_SRC/tests/reference semaphore=$LOCKSTEP_SRC/tests/cli/semaphore.yaml

# cycles JSON: those of its first kernel.
cycles() {
    sed -n 's/^   "cycles": \([0-9]*\),$/\1/p' "$1.json" | head -1
}

# same EVERY CASE OPTIONS...: one seed in all ways, and from a checkpoint every so many cycles.
same() {
    local every=$1 case=$cases/$2.yaml how n=0
    shift 2
    rm -f "$folder"/at.*
    json "$folder/whole" --seed 5 "$@" "$case" || return
    grep -q '"seed": 5,' "$folder/whole" || wrong "no seed in the JSON of $case"
    in_turn "--threads 2" "--no-skip" "--threads 3 --no-skip"
    for how in "${chosen[@]}" "--checkpoint-every $every --checkpoint $folder/at.%c"; do
        # shellcheck disable=SC2086
        json "$folder/other" --seed 5 $how "$@" "$case" && { cmp "$folder/whole" "$folder/other" || wrong "$case $how differs"; }
    done
    for file in "$folder"/at.*; do
        how=$((n++ % 2 * 2 + 1))
        json "$folder/other" --resume "$file" --threads $how &&
            { cmp "$folder/whole" "$folder/other" || wrong "$case goes on otherwise from ${file##*/}"; }
    done
    [ "$n" -gt 1 ] || wrong "$case: only $n checkpoints"
}
same 9000 atom_same
json "$folder/other" --set gpu.seed=5 "$cases/atom_same.yaml" && { cmp "$folder/whole" "$folder/other" || wrong "--set gpu.seed differs"; }
same 9000 strided --machine gtx480-sm2 --sched gto # DRAM
same 2500 reduce --machine gtx1080ti --set gpu.seed_cycles=50
same 9000 waitsignal --sched lrr --set gpu.seed_cycles=0 # arbitration alone

# Eight seeds (with LOCKSTEP_LONG sixty), of one case after the other: lockstep fails unless the case's checks pass.
count=8
[ -z "${LOCKSTEP_LONG:-}" ] || count=60
set -- atom_same reduce scan waitsignal
[ -z "${LOCKSTEP_LONG:-}" ] || set -- "$@" ht1024
for seed in $(seq $count); do
    json "$folder/seed" --seed "$seed" "$cases/$1.yaml" && echo "$1 $(cycles "$folder/seed")"
    set -- "${@:2}" "$1"
done >"$folder/all"
[ "$(sort -u "$folder/all" | wc -l)" -ge $((count * 3 / 4)) ] || wrong "$count seeds give $(cat "$folder/all")"
# No seed, whatever the bound, is the machine as it was; and a bound alone varies nothing.
json "$folder/none" "$cases/scan.yaml"
json "$folder/zero" --seed 0 --set gpu.seed_cycles=77 "$cases/scan.yaml"
[ "$(cycles "$folder/none")" = "$(cycles "$folder/zero")" ] || wrong "seed 0 is not no seed"

# A semaphore, 24 blocks: a fixed phase without a seed (which ends as a hang or at the limit), not with any of them.
seeds=1
[ -z "${LOCKSTEP_LONG:-}" ] || seeds=10
for machine in gtx480 gtx1080ti; do
    in_turn gto lrr
    for sched in "${chosen[@]}"; do
        "$LOCKSTEP" run --quiet --machine $machine --sched $sched --max-cycles 1500000 "$semaphore" >/dev/null 2>&1
        case $? in 3 | 4) ;; *) wrong "$machine $sched: the semaphore is not caught without a seed" ;; esac
    done
    for seed in $(seq "$seeds"); do
        json "$folder/semaphore" --machine $machine --seed "$seed" --max-cycles 1500000 "$semaphore"
    done
done

# compare: one seed for all, or a list with what it gives on average.
"$LOCKSTEP" compare --sched lrr,gto --seed 3 --stats "$folder/two.json" "$cases/reduce.yaml" >"$folder/two" || wrong "compare --seed"
[ "$(grep -c '"seed": 3,' "$folder/two.json")" -eq 2 ] || wrong "compare: not the same seed for all"
if grep -q 'seeds' "$folder/two"; then wrong "compare: a spread of one seed"; fi
"$LOCKSTEP" compare --sched lrr,gto --seed 1,2,3 "$cases/reduce.yaml" >"$folder/six" || wrong "compare --seed 1,2,3"
grep -q 'lrr seed 1 *lrr seed 2 *lrr seed 3 *gto seed 1 *gto seed 2 *gto seed 3' "$folder/six" || wrong "compare: columns"
awk '/^cycles  /{ for (i = 2; i <= 4; i++) { sum += $i; min = !min || $i < min ? $i : min; max = $i > max ? $i : max } }
     /^cycles of 3 seeds/ { spread = 1 }
     spread && /^lrr/ { found = $4 == min && $5 == max && $2 - sum / 3 <= 0.5 && $2 - sum / 3 >= -0.5 && $3 ~ /%$/ }
     END { exit !found }' "$folder/six" || wrong "compare: the spread is not that of the columns"

# What is refused.
expect 2 "gpu.seed = x is not a whole number" run --seed x "$cases/reduce.yaml"
expect 2 "gpu.seed = 4294967296 is out of range" run --seed 4294967296 "$cases/reduce.yaml"
expect 2 "gpu.seed = y" compare --seed 1,y "$cases/reduce.yaml"
expect 2 "--seed needs a value" compare --seed "" "$cases/reduce.yaml"
"$LOCKSTEP" run --quiet --seed 1 --checkpoint-every 2000 --checkpoint "$folder/one" "$cases/reduce.yaml" >/dev/null
expect 2 "gpu.seed=1 there, gpu.seed=2 here" run --resume "$folder/one" --seed 2
expect 2 "gpu.seed=1 there, gpu.seed=2 here" run --resume "$folder/one" --set gpu.seed=2
expect 0 "PASS" run --resume "$folder/one" --seed 1

# A program, whose kernels go on with one stream.
command -v clang >/dev/null && [ -z "${LOCKSTEP_PRELOAD:-}" ] || { finish; exit 0; }
cat >"$folder/p.cu" <<'P'
#include <cstdio>
__global__ void count(int *x) { atomicAdd(x, 1); }
int main()
{
    int *x, n;
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    for (int i = 0; i < 3; i++)
        count<<<40, 64>>>(x);
    cudaMemcpy(&n, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", n);
    return n != 3 * 40 * 64;
}
P
"$LOCKSTEP" cc "$folder/p.cu" -o "$folder/p" || exit 1
json "$folder/p0" "$folder/p"
json "$folder/p1" --seed 1 "$folder/p"
json "$folder/p1_again" --set gpu.seed=1 --threads 2 "$folder/p"
json "$folder/p2" --seed 2 "$folder/p"
cmp "$folder/p1" "$folder/p1_again" || wrong "one seed, two results of a program"
for other in p0 p2; do
    [ "$(grep '"cycles":' "$folder/p1")" != "$(grep '"cycles":' "$folder/$other")" ] || wrong "$other is like seed 1"
done
every=6000
[ -z "${LOCKSTEP_LONG:-}" ] || every=1500
json "$folder/saving" --seed 1 --checkpoint-every $every --checkpoint "$folder/p.%c" "$folder/p"
n=0
for file in "$folder"/p.[0-9]*; do
    json "$folder/rest" --resume "$file" "$folder/p" && { cmp "$folder/p1" "$folder/rest" || wrong "the program goes on otherwise"; }
    n=$((n + 1))
done
[ "$n" -ge 2 ] || wrong "only $n checkpoints of the program"
finish
