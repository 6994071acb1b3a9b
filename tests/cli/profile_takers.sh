#!/usr/bin/env bash
# --profile on locks that several ways take and wait for: takers that look first, readers and writers, flags that atomics set, and arrays of
# more words than results list; the same on two threads, with --no-skip, and over a checkpoint.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_profile.sh"

# members FILE LIST: of each word in a list of a result, a line with its name and all its counts, NAME=VALUE.
members() {
    awk -v list="\"$2\":" '/^    "/ && $1 == list { inside = $2 == "["; next } inside && /^    \]/ { inside = 0 }
        inside && /^      "/ { gsub(/[",:]/, ""); line = line " " $1 "=" $2 }
        inside && /^     \}/ { print line " "; line = "" }' "$1"
}
# of LINE NAME: a count of such a line.
of() {
    sed -n "s/.* $2=\([^ ]*\).*/\1/p" <<<"$1 "
}

# A lock at which takers look until it is free, by a load or by an atomic that changes nothing: it is in one list, and all of the time is
# waiting. The work under it takes most of the time.
cat >tested.cu <<'P'
__device__ int lock;
__device__ unsigned count;
__global__ void work(int how)
{
    for (int r = 0; r < 4; r++)
        for (bool done = false; !done;) {
            if (how)
                while (*(volatile int *)&lock)
                    ;
            else
                while (atomicAdd(&lock, 0))
                    ;
            if (atomicCAS(&lock, 0, 1) == 0) {
                for (int i = 0; i < 4; i++) *(volatile unsigned *)&count += 1;
                __threadfence();
                atomicExch(&lock, 0);
                done = true;
            }
        }
}
int main()
{
    work<<<6, 1>>>(0), work<<<6, 1>>>(1);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled tested
[ -z "$(members tested.stats polls)" ] || { members tested.stats polls; wrong "a lock is among the polled words"; }
[ "$(members tested.stats words | grep -c ' name=lock ')" = 2 ] || { members tested.stats words; wrong "the lock is not in the list once for each launch"; }
while read -r line; do
    [ "$(of "$line" taken)" = 24 ] && [ "$(of "$line" given)" = 24 ] || { echo "$line"; wrong "takings of a lock at which takers look"; }
    awk -v waited="$(of "$line" warps_waited)" -v held="$(of "$line" held)" 'BEGIN { exit !(waited > 3 * held && waited < 5.5 * 1.5 * held) }' || { echo "$line"; wrong "waits at it"; }
done < <(members tested.stats words)
is_said tested.stats.out 'have a thread that waits for lock lock, taken at tested.cu:13 and held [0-9]+ cycles at a time by 48 sections, given back at tested.cu:16\.$'
tr '\n' ' ' <tested.stats.out | tr -s ' ' | grep -q 'watched at tested.cu:11 and tested.cu:8' || { cat tested.stats.out; wrong "where takers look is not told"; }
all_ways tested 20000

# Readers hold a lock together with others; each part's times are told, and add up. A writer that takes it off gives it back.
cat >both.cu <<'P'
#define WRITER 0x40000000
__device__ int lock;
__device__ volatile unsigned data[16];
__device__ unsigned sum;
__global__ void work()
{
    for (int r = 0; r < 10; r++)
        if ((blockIdx.x + r) % 5 == 0) {
            while (atomicCAS(&lock, 0, WRITER) != 0)
                ;
            for (int i = 0; i < 8; i++) data[i] = data[i] + 1;
            __threadfence();
            atomicSub(&lock, WRITER);
        } else {
            for (;;) {
                int old = *(volatile int *)&lock;
                if (old < WRITER && atomicCAS(&lock, old, old + 1) == old)
                    break;
            }
            atomicAdd(&sum, data[r % 8]);
            __threadfence();
            atomicSub(&lock, 1);
        }
}
int main()
{
    work<<<10, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled both
line=$(members both.stats words)
[ "$(of "$line" taken)" = 100 ] && [ "$(of "$line" given)" = 100 ] && [ -z "$(members both.stats polls)" ] || { echo "$line"; wrong "a lock of readers and writers"; }
awk '/"takes": \[/ { inside = 1 } /"gives": \[|"looked_at"|"written_at"/ { inside = 0 } inside && $1 ~ /"(taken|given|held|waited)":/ { gsub(/[":,]/, ""); print $1, $2 }' both.stats >takes
awk -v held="$(of "$line" held)" '$1 == "held" { sum += $2 } $1 == "taken" { n = n " " $2 } $1 == "waited" && $2 < 1000 { few = 1 } END { exit !(sum == held && !few && (n == " 80 20" || n == " 20 80")) }' takes ||
    { cat takes; echo "$line"; wrong "times of readers and of writers"; }
grep -qE '^        at both.cu:17 taken 80 times, held [0-9]+ and waited for [0-9]+ cycles' both.stats.out && grep -qE '^        at both.cu:9 taken 20 times' both.stats.out || { cat both.stats.out; wrong "the table of readers and writers"; }
all_ways both 50000

# Whatever sets a flag hands it over.
cat >set.cu <<'P'
__device__ int flags[4], data;
__global__ void work()
{
    for (int r = 0; r < 4; r++)
        if (blockIdx.x == 0) {
            for (int i = 0; i < 100; i++) *(volatile int *)&data = i;
            if (r == 0) atomicCAS(&flags[0], 0, 1);
            if (r == 1) atomicExch(&flags[1], 1);
            if (r == 2) atomicAdd(&flags[2], 1);
            if (r == 3) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(&flags[3]));
        } else
            while (((volatile int *)flags)[r] == 0)
                ;
}
int main()
{
    work<<<2, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled set
members set.stats polls | while read -r line; do
    [ "$(of "$line" handovers)" = 1 ] && [ "$(of "$line" handed)" -gt 5 ] && [ "$(of "$line" handed)" -lt 1500 ] || echo "$line"
done >odd
[ ! -s odd ] && [ "$(members set.stats polls | wc -l)" = 4 ] && [ -z "$(members set.stats words)" ] || { cat odd; members set.stats words; wrong "flags that atomics set"; }
for line in 7 8 9 10; do grep -q "written at set.cu:$line\$" set.stats.out || { cat set.stats.out; wrong "the writer of line $line"; }; done

# Sums over variables are of all words, though 64 are listed.
cat >many.cu <<'P'
__device__ int locks[500];
__device__ unsigned counts[500];
__device__ volatile int flags[256], data;
__global__ void work()
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 0; r < 3; r++) {
        unsigned i = (t / 4 * 13 + r * 37) % 500;
        for (bool done = false; !done;)
            if (atomicCAS(&locks[i], 0, 1) == 0) {
                *(volatile unsigned *)&counts[i] += 1;
                __threadfence();
                atomicExch(&locks[i], 0);
                done = true;
            }
    }
}
__global__ void relay()
{
    if (blockIdx.x) {
        while (!flags[blockIdx.x * 32 + threadIdx.x])
            ;
    } else
        for (int r = 1; r < 8; r++) {
            for (int i = 0; i < 20; i++) data = i;
            flags[32 * r + threadIdx.x] = 1;
        }
}
int main()
{
    work<<<16, 128>>>();
    relay<<<8, 32>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled many
{ members many.stats words; members many.stats words_rest; } | grep ' name=locks' | awk '{ for (i = 1; i <= NF; i++) { split($i, p, "="); sum[p[1]] += p[2] } } END { exit !(NR == 65 && sum["taken"] == 6144 && sum["given"] == 6144 && sum["words"] == 436) }' ||
    { members many.stats words_rest; wrong "sums over an array of locks"; }
{ members many.stats polls; members many.stats polls_rest; } | awk '{ for (i = 1; i <= NF; i++) { split($i, p, "="); sum[p[1]] += p[2] } } END { exit !(NR == 65 && sum["waits"] == 224 && sum["words"] == 160) }' ||
    { members many.stats polls_rest; wrong "sums over an array of flags"; }
tr '\n' ' ' <many.stats.out | tr -s ' ' >text
grep -qE 'of 500 locks of locks \(64 of them listed\).* held [0-9]+ cycles at a time by 6144 sections' text || { cat many.stats.out; wrong "the sentence on an array of locks"; }
grep -qE 'Waits for 224 polled words of flags \(64 of them listed\) add up to [1-9][0-9]?% of warp-cycles: .* 224 waits of' text || { cat many.stats.out; wrong "the sentence on an array of flags"; }
all_ways many 10000

# Words at which a loop looks in turn share its time.
cat >turns.cu <<'P'
__device__ volatile int flags[3], data;
__global__ void work()
{
    if (blockIdx.x == 0)
        while (!flags[0] | !flags[1] | !flags[2])
            ;
    else {
        for (int i = 0; i < 300; i++) data = i;
        for (int i = 0; i < 3; i++) flags[i] = 1;
    }
}
int main()
{
    work<<<2, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled turns
members turns.stats polls | awk '{ for (i = 1; i <= NF; i++) { split($i, p, "="); sum[p[1]] += p[2] } } END { exit !(NR == 3 && sum["warps_waited"] > 0.7 * sum["waited"] / 3 && sum["warps_waited"] < 1.1 * sum["waited"] / 3) }' ||
    { members turns.stats polls; wrong "words looked at in turn"; }

# Readers who count themselves in and out by adding and taking off, without a compare-and-swap: they hold the lock of the writers, and wait
# for it from the first time that they found a writer in it. A counter that goes up and down is no lock, and neither is the word where
# nobody takes it alone.
cat >counted.cu <<'P'
__device__ unsigned lock;
__device__ int data[64], counter, out[64];
__global__ void work(int writers)
{
    int sum = 0;
    for (int r = 0; r < 10; r++) {
        if ((int)blockIdx.x < writers) {
            while (atomicCAS(&lock, 0u, 0x40000000u) != 0u)
                ;
            __threadfence();
            for (int i = 0; i < 16; i++)
                *(volatile int *)&data[i] += 1;
            __threadfence();
            atomicSub(&lock, 0x40000000u);
        } else {
            while (atomicAdd(&lock, 1u) >= 0x40000000u) {
                atomicSub(&lock, 1u);
                while (*(volatile unsigned *)&lock >= 0x40000000u)
                    ;
            }
            __threadfence();
            for (int i = 0; i < 4; i++)
                sum += *(volatile int *)&data[i];
            __threadfence();
            atomicSub(&lock, 1u);
        }
        atomicAdd(&counter, 1);
        while (*(volatile int *)&counter > (int)gridDim.x)
            ;
        sum += *(volatile int *)&counter;
        atomicSub(&counter, 1);
    }
    out[blockIdx.x] = sum;
}
int main(int argc, char **)
{
    work<<<8, 1>>>(argc > 1 ? 0 : 2);
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
profiled counted
members counted.stats words >found
[ "$(grep -c . found)" = 1 ] && grep -q ' name=lock ' found || { cat found; wrong "words that are no locks, or not the lock of readers who count themselves"; }
[ "$(of "$(cat found)" given)" -ge 80 ] && [ "$(of "$(cat found)" taken)" = 80 ] || { cat found; wrong "takings by readers who count themselves and by writers"; }
tr '\n' ' ' <counted.stats.out | tr -s ' ' | grep -qE 'at counted.cu:16 taken 60 times, held [0-9]+ and waited for [0-9]{4,} cycles at a time' || { cat counted.stats.out; wrong "the readers' part of their lock"; }
all_ways counted 20000
json alone.stats --profile ./counted readers
[ -z "$(members alone.stats words)" ] || { members alone.stats words; wrong "a lock that nobody takes alone"; }
finish
