#!/usr/bin/env bash
# --profile on words that threads poll: by atomics that change nothing, several in turn, and how long it takes until a waiter goes on; the
# same on two threads, with --no-skip, and over a checkpoint.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"

# polls FILE: its polled words, a line each: name, waits, polls, handovers, cycles of one on average.
polls() {
    awk '/"polls": \[/ { inside = 1 } /"polls_unlisted"/ { inside = 0 }
        inside { gsub(/[",:]/, ""); of[$1] = $2 }
        inside && $1 == "written_at" { print of["name"], of["waits"], of["polls"], of["handovers"], of["handovers"] ? int(of["handed"] / of["handovers"]) : 0 }' "$1"
}

# Flags that are read by atomics, one of them by attempts that always fail; a lock stays a lock, though threads look at it so.
cat >look.cu <<'P'
__device__ int by_add, by_or, by_same, by_never, lock, count;
__device__ void wait(int how, int n)
{
    if (how == 0)
        while (atomicAdd(&by_add, 0) < n)
            ;
    if (how == 1)
        while (atomicOr(&by_or, 0) < n)
            ;
    if (how == 2)
        while (atomicCAS(&by_same, 5, 5) < n)
            ;
    if (how == 3)
        while (atomicCAS(&by_never, -1, -2) < n)
            ;
}
__global__ void work()
{
    for (int r = 1; r < 5; r++) {
        if (blockIdx.x == 0) {
            for (int i = 0; i < 100; i++)
                *(volatile int *)&count = i;
            *(volatile int *)&by_add = r;
            atomicExch(&by_or, r);
            atomicAdd(&by_same, 1);
            *(volatile int *)&by_never = r;
        } else {
            wait(blockIdx.x - 1, r);
        }
        while (atomicCAS(&lock, 0, 1) != 0)
            while (atomicCAS(&lock, 2, 2) != 0)
                ;
        *(volatile int *)&count = r;
        atomicExch(&lock, 0);
    }
}
int main()
{
    work<<<5, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled look
polls look.stats | sort >found
awk '$2 < 1 || $2 > 4 || $3 < $2 || $4 < 1 || $4 > $2 || $5 < 1 || $5 > 1000' found >odd
[ "$(cut -d' ' -f1 found | paste -sd ' ')" = "by_add by_never by_or by_same" ] && [ ! -s odd ] || { cat found; wrong "words that atomics poll"; }
for place in "by_add:5:23" "by_or:8:24" "by_same:11:25" "by_never:14:26"; do
    IFS=: read -r name line writer <<<"$place"
    grep -A1 " $name\$" look.stats.out | grep -q "^        polled at look.cu:$line, written at look.cu:$writer\$" || { cat look.stats.out; wrong "the table does not have $name"; }
done
awk '/"words": \[/ { inside = 1 } /"words_unlisted"/ { inside = 0 } inside && $1 == "\"name\":" { print $2 }' look.stats | sort -u | grep -v block >words
grep -c . words | grep -qx 1 && grep -q '^"lock"' words || { cat words; wrong "flags are among the locks"; }
all_ways look 3000

# A loop that looks at two flags, and goes on when both are set. The later one hands over at once, the earlier one when the later one does.
cat >both.cu <<'P'
__device__ volatile int early, late, data;
__global__ void work()
{
    if (blockIdx.x == 0)
        while ((early & late) == 0)
            ;
    else {
        for (int i = 0; i < 200; i++)
            data = i;
        if (blockIdx.x == 1)
            early = 1;
        for (int i = 0; i < 200; i++)
            data = i;
        if (blockIdx.x == 2)
            late = 1;
    }
}
int main()
{
    work<<<3, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled both
polls both.stats | awk '{ waits[$1] = $2; polls[$1] = $3; times[$1] = $4; cycles[$1] = $5 }
    END { if (waits["early"] != 1 || waits["late"] != 1 || polls["early"] < 10 || polls["early"] != polls["late"] || times["late"] != 1 || times["early"] != 1 ||
              cycles["late"] < 10 || cycles["late"] > 1500 || cycles["early"] < cycles["late"] + 200) for (w in waits) print w, waits[w], polls[w], times[w], cycles[w] }' >odd
[ ! -s odd ] || { cat odd; wrong "two flags in turn"; }
all_ways both 2000

# Flags of an array, one for each of two warps that run on SMs of their own, and in shared memory.
cat >relay.cu <<'P'
__device__ volatile int seen;
__global__ void work(volatile int *turn)
{
    __shared__ volatile int here;
    if (threadIdx.x == 0)
        here = 0;
    __syncthreads();
    for (int r = 0; r < 8; r++) {
        if (threadIdx.x == 0) {
            while (*turn != 2 * r + blockIdx.x)
                ;
            *turn = 2 * r + blockIdx.x + 1;
            here = r + 1;
        } else if (threadIdx.x == 32) {
            while (here <= r)
                ;
            seen = r;
        }
    }
}
int main()
{
    int *turn;
    cudaMalloc((void **)&turn, 4);
    cudaMemset(turn, 0, 4);
    work<<<2, 64>>>(turn);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled relay
polls relay.stats | sed 's/allocation .* \([0-9]* [0-9]* [0-9]* [0-9]*\)$/turn \1/' >found
awk '$4 < 10 || $4 > 16 || $4 > $2 || $5 < 5 || $5 > 1500' found >odd
[ "$(wc -l <found)" = 2 ] && [ ! -s odd ] || { cat found; wrong "hand-over in global and shared memory"; }
grep -q '"polls_unlogged": 0' relay.stats || wrong "waits are missing"
all_ways relay 2000
# A loop that does something else before it needs what it has loaded.
cat >busy.ptx <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %q; .reg .b32 %r<9>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, 300;
    setp.ne.u32 %q, %r1, 0;
    @%q bra WRITE;
WAIT:
    ld.volatile.global.u32 %r3, [%d1];
    mad.lo.u32 %r4, %r4, 3, 1;
    mad.lo.u32 %r5, %r5, 3, 1;
    setp.eq.u32 %q, %r3, 0;
    @%q bra WAIT;
    st.global.u32 [%d1+4], %r4;
    st.global.u32 [%d1+8], %r5;
    ret;
WRITE:
    mad.lo.u32 %r4, %r4, 3, 1;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %q, %r2, 0;
    @%q bra WRITE;
    st.volatile.global.u32 [%d1], 1;
    st.global.u32 [%d1+12], %r4;
    ret;
}
P
printf '%s\n' 'ptx: busy.ptx' 'kernel: k' 'grid: [2, 1, 1]' 'block: [32, 1, 1]' 'shared: 0' 'buffers:' '  p: {type: u32, count: 64, init: zero}' 'args:' '  - p' >busy.yaml
json busy.stats --profile busy.yaml
polls busy.stats | awk '$1 != "p" || $2 != 32 || $4 != 32 || $5 < 20 || $5 > 1500' >odd
[ "$(polls busy.stats | wc -l)" = 1 ] && [ ! -s odd ] || { polls busy.stats; wrong "hand-over where the value is needed later"; }
for how in "--protocol msi" "--machine gtx1080ti" "--machine h100 --set gpu.sms=4" "--set sm.divergence=its"; do
    # shellcheck disable=SC2086
    json other --profile $how ./relay
    polls other | awk '$NF < 2 || $NF > 3000 { exit 1 } { n++ } END { exit n != 2 }' || { polls other; wrong "hand-over with $how"; }
done
finish
