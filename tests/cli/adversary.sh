#!/usr/bin/env bash
# --adversary: programs that lack a fence, and run right without it, go wrong with every seed; those that have theirs never do; no outcome
# that the memory model forbids is seen, and many more of those that it allows; a seed is the same run in all ways and from every checkpoint.
. "$(dirname "$0")/_lib.sh"
. "$LOCKSTEP_SRC/tests/_effort.sh"
cases=$LOCKSTEP_SRC/tests/reference

# The machine: no adversary is none, whatever its bound; others are other runs that end right.
json "$folder/none" "$cases/scan.yaml" && grep -q adversary "$folder/none" && wrong "none is said in results"
json "$folder/zero" --adversary 0 --set gpu.adversary_cycles=9 "$cases/scan.yaml"
for run in none zero; do grep '"cycles"' "$folder/$run" >"$folder/$run.cycles"; done
cmp "$folder/none.cycles" "$folder/zero.cycles" || wrong "an adversary 0 is one"
for seed in 5 6; do
    case=$([ $seed = 5 ] && echo waitsignal || echo scan)
    rm -f "$folder"/at.*
    json "$folder/whole" --adversary $seed "$cases/$case.yaml"
    grep -q "\"adversary\": $seed," "$folder/whole" || wrong "no adversary in the JSON of $case"
    in_turn "--threads 2" "--no-skip" "--threads 3 --no-skip"
    for how in "${chosen[@]}" "--checkpoint-every 5000 --checkpoint $folder/at.%c"; do
        # shellcheck disable=SC2086
        json "$folder/other" --adversary $seed $how "$cases/$case.yaml" && { cmp "$folder/whole" "$folder/other" || wrong "$case $how differs"; }
    done
    [ -e "$folder/at.5000" ] || wrong "$case: no checkpoint"
    for file in "$folder"/at.*; do
        json "$folder/other" --resume "$file" && { cmp "$folder/whole" "$folder/other" || wrong "$case goes on otherwise from ${file##*/}"; }
    done
    json "$folder/other" --adversary $((seed + 2)) "$cases/$case.yaml" && cmp -s "$folder/whole" "$folder/other" && wrong "$case: two seeds are one"
done
expect 1 "FAIL data" run --adversary 3 "$cases/waitsignal.yaml" # no fence stands between its poll and what it reads then
expect 2 "an adversary holds messages" run --adversary 1 --set sm.values_at_issue=true "$cases/scan.yaml"
expect 0 "adversary 2" compare --sched gto --adversary 0,1,2 "$cases/scan.yaml"

# The memory model.
every="--protocol gpu --set gpu.sms=4 --quiet"
for adversary in 0 2 3 5 6; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" litmus --shapes --runs 3 $every --set gpu.adversary=$adversary >"$folder/litmus" 2>&1 || { tail -3 "$folder/litmus"; wrong "litmus $adversary"; }
    weak[adversary]=$(sed -n 's/.*forbids; \([0-9]*\) of .*weak.*/\1/p' "$folder/litmus")
done
[ "${weak[5]}" -gt $((${weak[0]} + 60)) ] || wrong "weak outcomes: ${weak[0]} without and ${weak[5]} with an adversary"
for adversary in 2 6; do
    "$LOCKSTEP" litmus --random 60 --seed 3 --runs 4 --protocol all --set gpu.sms=4 --set gpu.adversary=$adversary >"$folder/litmus" 2>&1 ||
        { tail -20 "$folder/litmus"; wrong "random litmus tests $adversary"; }
done
# A reader's acquire that follows a fence at once.
cat >"$folder/mp.litmus" <<'T'
PTX MP
{ x=0; y=0; P1:r0=0; }
 P0@cta 0,gpu 0    | P1@cta 1,gpu 0          ;
 st.weak x, 2      | ld.relaxed.gpu r0, y    ;
 fence.acq_rel.gpu | fence.acq_rel.gpu       ;
 st.volatile y, 3  | ld.acquire.gpu r1, x    ;
~exists (P1:r0 == 3 /\ P1:r1 == 0)
T
expect 0 "" litmus --runs 300 --set gpu.adversary=3 --protocol gpu,bypass "$folder/mp.litmus"

# Programs.
command -v clang >/dev/null || { echo "the programs are skipped: clang is not installed"; finish; exit; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { finish; exit; }
cd "$folder" || exit 1
cat >fences.cu <<'P'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
enum { ROUNDS = 30, LINE = 64, BLOCKS = 16 };
struct words { // each in lines of its own
    volatile unsigned lock[LINE], count[LINE], flag[LINE], data[LINE], back[LINE], wants[2][LINE], turn[LINE], wrong[LINE];
    volatile unsigned partial[BLOCKS][LINE];
    unsigned done[LINE];
};
enum { NONE, ALL, TOO_NARROW, WRITERS };
__device__ void fence(int how)
{
    if (how == ALL || how == WRITERS)
        __threadfence();
    else if (how == TOO_NARROW)
        __threadfence_block();
}
__device__ void fence_of_reader(int how)
{
    if (how != WRITERS)
        fence(how);
}
__global__ void lock(words *w, int how)
{
    for (int i = 0; threadIdx.x == 0 && i < ROUNDS; i++) {
        while (atomicCAS((unsigned *)w->lock, 0, 1) != 0)
            ;
        fence_of_reader(how);
        w->count[0] = w->count[0] + 1;
        fence(how);
        atomicExch((unsigned *)w->lock, 0);
    }
}
__global__ void last(words *w, int how)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        w->partial[blockIdx.x][0] = 1;
        fence(how);
        is_last = atomicAdd(w->done, 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < BLOCKS) {
        fence_of_reader(how);
        atomicAdd((unsigned *)w->count, w->partial[threadIdx.x][0]);
    }
}
__global__ void mailbox(words *w, int how)
{
    for (unsigned i = 1; threadIdx.x == 0 && i <= ROUNDS; i++)
        if (blockIdx.x == 0) {
            w->data[0] = i;
            fence(how);
            w->flag[0] = i;
            while (w->back[0] != i)
                ;
        } else if (blockIdx.x == 1) {
            while (w->flag[0] != i)
                ;
            fence_of_reader(how);
            w->count[0] += w->data[0] == i;
            fence(how);
            w->back[0] = i;
        }
}
__global__ void peterson(words *w, int how)
{
    unsigned me = blockIdx.x;
    for (int i = 0; threadIdx.x == 0 && me < 2 && i < ROUNDS; i++) {
        w->wants[me][0] = 1;
        fence(how);
        w->turn[0] = 1 - me;
        fence(how);
        while (w->wants[1 - me][0] && w->turn[0] == 1 - me)
            ;
        fence_of_reader(how);
        w->count[0] = w->count[0] + 1;
        fence(how);
        w->wants[me][0] = 0;
    }
}
int main(int argc, char **argv)
{
    const struct { const char *name; void (*kernel)(words *, int); unsigned result; } all[] = {
        {"lock", lock, BLOCKS * ROUNDS}, {"last", last, BLOCKS}, {"mailbox", mailbox, ROUNDS}, {"peterson", peterson, 2 * ROUNDS}};
    int bad = 0;
    for (auto &one : all) {
        words *d, h;
        cudaMalloc(&d, sizeof h);
        cudaMemset(d, 0, sizeof h);
        one.kernel<<<BLOCKS, 32>>>(d, atoi(argv[1]));
        cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
        if (h.count[0] != one.result)
            printf("%s lost\n", one.name), bad++;
        cudaFree(d);
    }
    return bad;
}
P
"$LOCKSTEP" cc fences.cu -o fences >cc.out 2>&1 || { cat cc.out; wrong "fences.cu does not build"; finish; }
# lose WANTED ADVERSARY HOW: so many of the four kernels lose, or more, if that is not 0.
lose() {
    "$LOCKSTEP" run --quiet --adversary "$2" ./fences "$3" >out 2>&1
    local lost
    lost=$(grep -c lost out)
    { [ "$lost" -ge "$1" ] && [ "$lost" -le $(($1 * 4)) ]; } || { cat out; wrong "adversary $2, fences $3: $lost of 4 lose, not $1"; }
}
for how in 0 2 3; do lose 0 0 $how; done
for seed in 1 2 3 4 5 6; do # one of each temper
    lose 3 $seed 0
    lose 0 $seed 1
    lose 3 $seed 2
done
for seed in 2 3 6; do lose 3 $seed 3; done # of those that have loads answered early
finish
