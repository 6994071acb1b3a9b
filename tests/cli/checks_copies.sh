#!/usr/bin/env bash
# --check on copies beside the warp, mbarriers and blocks of a cluster: planted mistakes are found, with both lines and what is missing, and
# their mended forms have none; results and cycles are those without the check.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_checks.sh"
program=planted mends=m- machine=(--machine h100) unwritten='[0-9]*'
command -v clang >/dev/null || { echo "skipped: clang is not installed"; exit 77; }
[ -z "${LOCKSTEP_PRELOAD:-}" ] || { echo "skipped: programs of this test have no sanitizer"; exit 77; }
cd "$folder" || exit 1

# One kernel with a way to go wrong each; its argument chooses one, and m- before it the mended form.
cat >planted.cu <<'P'
#include "waiting.h"
#define N 256
__device__ static void copy_out(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
}
__device__ static void add_out(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
}
__device__ static void copy_cast(void *to, const void *from, unsigned bytes, uint64_t *full) // to blocks 0 and 1
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                     shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(full)), "h"((unsigned short)3) : "memory");
}
__device__ static void outs_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ static void outs_read()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ static void outs_wait()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ static void fence_proxy()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}
__global__ void group(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    copy_16(&s[threadIdx.x * 4], in + threadIdx.x * 4); // group copies
    copies_commit();
    if (mended)
        copies_wait(0);
    __syncthreads();
    out[threadIdx.x] = s[N - 1 - threadIdx.x]; // group reads
}
__global__ void older(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[2][N];
    copy_16(&s[0][threadIdx.x * 4], in + threadIdx.x * 4);
    copies_commit();
    copy_16(&s[1][threadIdx.x * 4], in + threadIdx.x * 4); // older copies
    copies_commit();
    if (mended)
        copies_wait(0);
    else
        copies_wait(1);
    __syncthreads();
    out[threadIdx.x] = s[0][threadIdx.x] + s[1][N - 1 - threadIdx.x]; // older reads
}
__global__ void told(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    copy_16(&s[threadIdx.x * 4], in + threadIdx.x * 4); // told copies
    copies_commit();
    copies_wait(0);
    if (mended)
        __syncthreads();
    out[threadIdx.x] = s[N - 1 - threadIdx.x]; // told reads
}
__global__ void lanes(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    copy_16(&s[threadIdx.x * 4], in + threadIdx.x * 4); // lanes copies
    copies_commit();
    copies_wait(0);
    if (mended)
        __syncwarp();
    out[threadIdx.x] = s[127 - threadIdx.x]; // lanes reads
}
__global__ void later(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[2][N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        mbarrier_init(&full, blockDim.x);
    __syncthreads();
    copy_16(&s[0][threadIdx.x * 4], in + threadIdx.x * 4);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
    copy_16(&s[1][threadIdx.x * 4], in + threadIdx.x * 4); // later copies
    if (mended)
        asm volatile("cp.async.wait_all;" ::: "memory");
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = s[0][threadIdx.x * 4] + s[1][threadIdx.x * 4]; // later reads
}
__global__ void zeros(const unsigned *in, unsigned *out, bool) // odd lanes, and then all, read nothing
{
    __shared__ __align__(16) unsigned s[2][N];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&s[0][threadIdx.x * 4])),
                 "l"(in + threadIdx.x * 4), "r"(threadIdx.x & 1 ? 0 : 8) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&s[1][threadIdx.x * 4])),
                 "l"(in + threadIdx.x * 4), "r"(0) : "memory");
    copies_commit();
    copies_wait(0);
    __syncthreads();
    out[threadIdx.x] = s[0][N - 1 - threadIdx.x] + s[1][N - 1 - threadIdx.x];
}
__global__ void through(const unsigned *in, unsigned *out, bool)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
        copy_bulk(s, in, sizeof s, &full);
        mbarrier_wait(&full, 0);
        copy_out(out, s, sizeof s); // one proxy brings and takes them
        outs_commit();
        outs_wait();
    }
}
__global__ void behind(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        mbarrier_init(&full, blockDim.x);
    __syncthreads();
    copy_16(&s[threadIdx.x * 4], in + threadIdx.x * 4); // behind copies
    if (mended)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
    else
        mbarrier_arrive(&full);
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = s[N - 1 - threadIdx.x]; // behind reads
}
__global__ void bulk(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
        copy_bulk(s, in, sizeof s, &full); // bulk copies
    }
    __syncthreads();
    if (mended)
        mbarrier_wait(&full, 0);
    out[threadIdx.x] = s[N - 1 - threadIdx.x]; // bulk reads
    if (!mended)
        mbarrier_wait(&full, 0);
}
__global__ void parity(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
        copy_bulk(s, in, sizeof s, &full); // parity copies
    }
    __syncthreads();
    mbarrier_wait(&full, mended ? 0 : 1);
    out[threadIdx.x] = s[N - 1 - threadIdx.x]; // parity reads
    mbarrier_wait(&full, 0);
}
__global__ void few(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, mended ? sizeof s : sizeof s / 2);
        copy_bulk(s, in, sizeof s / 2, &full);
        copy_bulk(s + N / 2, in + N / 2, sizeof s / 2, &full); // few copies
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = s[N - 1 - threadIdx.x]; // few reads
}
__global__ void again(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init(&empty, 2);
    }
    __syncthreads();
    for (unsigned turn = 0; turn < 3; turn++) {
        if (threadIdx.x == 0) {
            if (mended)
                mbarrier_wait(&empty, turn & 1 ^ 1);
            mbarrier_expect(&full, sizeof s);
            copy_bulk(s, in, sizeof s, &full); // again copies
        }
        if (threadIdx.x >= 32) {
            mbarrier_wait(&full, turn & 1);
            out[threadIdx.x] = s[N - threadIdx.x]; // again reads
            __syncwarp();
            if (threadIdx.x % 32 == 0 && threadIdx.x < 96)
                mbarrier_arrive(&empty);
        } else if (!mended) {
            mbarrier_wait(&full, turn & 1);
        }
    }
}
__global__ void proxy(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    for (unsigned i = threadIdx.x; i < N; i += blockDim.x)
        s[i] = in[i]; // proxy writes
    if (mended)
        fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(out, s, sizeof s); // proxy copies
        outs_commit();
        outs_wait();
    }
}
__global__ void source(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    s[threadIdx.x] = in[threadIdx.x];
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(out, s, 64); // source copies
        outs_commit();
        if (mended)
            outs_read();
        out[20] = s[3];
        s[3] = 7; // source writes
        outs_wait();
    }
}
__global__ void stored(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    s[threadIdx.x] = in[threadIdx.x];
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(out, s, 64); // stored copies
        add_out(out + 64, s, 64);
        add_out(out + 64, s, 64); // reductions need no order
        outs_commit();
        if (mended)
            outs_wait();
        else
            outs_read();
        out[20] = out[3]; // stored reads
    }
}
__global__ void handed(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ unsigned s;
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 32) {
        if (!mended)
            mbarrier_arrive(&full);
        s = in[0]; // handed writes
        if (mended)
            mbarrier_arrive(&full);
    }
    if (threadIdx.x < 32) {
        mbarrier_wait(&full, 0);
        out[threadIdx.x] = s; // handed reads
    }
}
__global__ void half(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ unsigned s;
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        mbarrier_init(&full, 2);
    __syncthreads();
    if (threadIdx.x == 32) {
        s = in[0]; // half writes
        mbarrier_arrive(&full);
    }
    if (threadIdx.x == 0) {
        if (mended)
            mbarrier_arrive(&full);
        __nanosleep(3000);
        mbarrier_wait(&full, mended ? 0 : 1);
        out[0] = s; // half reads
    }
}
__global__ void made(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        mbarrier_init(&full, 1); // made makes
    if (mended)
        __syncthreads();
    else if (threadIdx.x == 64)
        __nanosleep(2000);
    if (threadIdx.x == 64)
        mbarrier_arrive(&full); // made arrives
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
__global__ void unwritten(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[2 * N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, 4 * N);
        copy_bulk(s, in, 4 * N, &full);
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = s[mended ? threadIdx.x : N]; // unwritten reads
}
__global__ void passed(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
        copy_bulk(s, in + N / 2, sizeof s, &full); // half of it nobody has written
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = s[mended ? threadIdx.x : threadIdx.x + N / 2]; // passed reads
}
__global__ void outside(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
        copy_bulk(s, mended ? in : in + (1 << 24), sizeof s, &full); // outside copies
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
}
__global__ void beyond(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    copy_16(&s[threadIdx.x * 4 % N], in + threadIdx.x * 4 + (mended ? 0 : 1 << 24)); // beyond copies
    copies_commit();
    copies_wait(0);
}
__global__ void peers(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ unsigned s[N];
    s[threadIdx.x] = 0;
    cluster_sync();
    remote_store(at_rank(&s[threadIdx.x], cluster_rank() ^ 1), in[threadIdx.x]); // peers writes
    if (mended)
        cluster_sync();
    else
        __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x]; // peers reads
    cluster_sync();
}
__global__ void mixed(const unsigned *in, unsigned *out, bool) // every other lane names its own block
{
    __shared__ unsigned s[N];
    remote_store(at_rank(&s[threadIdx.x], cluster_rank() ^ (threadIdx.x & 1)), in[threadIdx.x]);
    cluster_sync();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + remote_load(at_rank(&s[threadIdx.x], threadIdx.x >> 1 & 1));
    cluster_sync();
}
__global__ void sends(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, 4 * 128);
    }
    cluster_sync();
    unsigned rank = cluster_rank() ^ (threadIdx.x & 1);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(at_rank(&s[threadIdx.x], rank)),
                 "r"(in[threadIdx.x]), "r"(at_rank(&full, rank)) : "memory"); // sends writes
    if (mended)
        mbarrier_wait(&full, 0);
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x]; // sends reads
    mbarrier_wait(&full, 0);
    cluster_sync();
}
__global__ void cast(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof s);
    }
    cluster_sync();
    if (threadIdx.x == 0 && cluster_rank() == 0)
        copy_cast(s, in, sizeof s, &full); // cast copies
    if (mended || cluster_rank() == 0)
        mbarrier_wait(&full, 0);
    if (cluster_rank() == 1)
        out[threadIdx.x] = s[N - 1 - threadIdx.x]; // cast reads
    mbarrier_wait(&full, 0);
    cluster_sync();
}
__global__ void turns(const unsigned *in, unsigned *out, bool mended)
{
    __shared__ __align__(16) unsigned s[N];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init(&empty, 2);
        mbarrier_expect(&full, sizeof s);
    }
    cluster_sync();
    for (unsigned turn = 0; turn < 2; turn++) { // block 0 brings tiles for both
        if (threadIdx.x == 0 && cluster_rank() == 0) {
            if (mended)
                mbarrier_wait(&empty, turn & 1 ^ 1);
            copy_cast(s, in, sizeof s, &full);
        }
        mbarrier_wait(&full, turn & 1);
        if (threadIdx.x == 0 && turn == 0)
            mbarrier_expect(&full, sizeof s);
        if (!mended && cluster_rank() == 1)
            __nanosleep(3000);
        out[blockIdx.x * 128 + threadIdx.x] = s[N - 1 - threadIdx.x]; // turns reads
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at_rank(&empty, 0)) : "memory");
        if (!mended) {
            mbarrier_wait(&full, 1);
            break;
        }
    }
    if (!mended && threadIdx.x == 0 && cluster_rank() == 0)
        mbarrier_wait(&empty, 0);
    cluster_sync();
}
int main(int, char **argv)
{
    const char *name = argv[1] + (argv[1][0] == 'm' && argv[1][1] == '-' ? 2 : 0);
    bool mended = name != argv[1];
    unsigned *in, *out, host[N];
    for (unsigned i = 0; i < N; i++)
        host[i] = i * 3 + 1;
    CHECK(cudaMalloc(&in, 8 * N)); // the second half stays as it is
    CHECK(cudaMalloc(&out, 4 * N));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, 4 * N));
#define TRY(kernel, cluster, blocks, threads)                                                                          \
    if (!strcmp(name, #kernel))                                                                                        \
    launch_in_clusters(cluster, kernel, blocks, threads, in, out, mended)
    TRY(group, 0, 1, 64);
    TRY(older, 0, 1, 64);
    TRY(told, 0, 1, 64);
    TRY(lanes, 0, 1, 32);
    TRY(later, 0, 1, 64);
    TRY(zeros, 0, 1, 64);
    TRY(through, 0, 1, 32);
    TRY(mixed, 2, 2, 128);
    TRY(behind, 0, 1, 64);
    TRY(bulk, 0, 1, 64);
    TRY(parity, 0, 1, 64);
    TRY(few, 0, 1, 64);
    TRY(again, 0, 1, 96);
    TRY(proxy, 0, 1, 64);
    TRY(source, 0, 1, 64);
    TRY(stored, 0, 1, 64);
    TRY(handed, 0, 1, 64);
    TRY(half, 0, 1, 64);
    TRY(made, 0, 1, 96);
    TRY(unwritten, 0, 1, 64);
    TRY(passed, 0, 1, 64);
    TRY(outside, 0, 1, 64);
    TRY(beyond, 0, 1, 64);
    TRY(peers, 2, 2, 128);
    TRY(sends, 2, 2, 128);
    TRY(cast, 2, 2, 64);
    TRY(turns, 2, 2, 64);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    unsigned sum = 0;
    for (unsigned i = 0; i < N; i++)
        sum = sum * 31 + host[i];
    printf("%u\n", sum);
}
P
cp "$LOCKSTEP_SRC/workloads/waiting.h" .
sed -i "s|\"workload.h\"|\"$LOCKSTEP_SRC/workloads/workload.h\"|" waiting.h
"$LOCKSTEP" cc planted.cu -o planted || exit 1

# finds KERNEL HINT LINE...: it has an error whose hint matches, each line is named, and its mended form has none.
finds() {
    has_error "$@"
    mended mem,race,init "$1"
}
finds group 'a cp.async.wait_group, or a wait for the mbarrier .* is missing' copies reads
finds older 'a cp.async.wait_group, .* is missing' copies reads
finds told 'the copy at .* is done, but .* does not know it' copies reads
finds behind 'a cp.async.wait_group, or a wait for the mbarrier .* is missing' copies reads
finds bulk 'wait for the phase of .* mbarrier' copies reads
finds parity 'wait for the phase of .* mbarrier' copies reads
finds few 'in which its last bytes counted' copies reads
finds again 'may begin before .* is over' copies reads
finds proxy 'a fence.proxy.async between' writes copies
finds source 'a cp.async.bulk.wait_group.read by the thread' copies writes
finds stored 'a cp.async.bulk.wait_group by the thread' copies reads
finds handed '__syncthreads() between' writes reads
finds half '__syncthreads() between' writes reads
finds made '__syncthreads() between' makes
finds unwritten 'a thread has to store there' reads
finds passed 'a thread has to store there' reads
finds peers 'barrier.cluster (cluster.sync()) between' writes reads
finds sends 'a wait for the phase of its mbarrier' reads
finds cast 'wait for the phase of .* mbarrier' copies reads
finds lanes 'the copy at .* is done, but .* does not know it' copies reads
finds later 'a cp.async.wait_group, or a wait for the mbarrier .* is missing' copies reads
for kernel in turns zeros through mixed; do
    mended mem,race,init $kernel
done

# Outside of allocations: an error of every run, with the line.
for kernel in outside beyond; do
    "$LOCKSTEP" run --quiet --machine h100 --check mem ./planted $kernel >out 2>err && wrong "$kernel: no error"
    names $kernel copies
    mended mem,race,init $kernel
done

# Nothing of a run changes.
for kernel in m-again m-turns m-sends; do
    json with --machine h100 --check race,init ./planted $kernel
    json without --machine h100 ./planted $kernel
    grep -v '"check"' with | cmp -s - without || { diff with without; wrong "$kernel: --check race,init changes results"; }
done
# Other ways to run find the same, whether the copy is done already when the thread reads or not.
for how in "--machine h100 --sched lrr" "--machine h100 --divergence its" "--machine h100 --no-skip" "--machine h100 --threads 2" "--machine gtx480"; do
    # shellcheck disable=SC2086
    "$LOCKSTEP" run --quiet $how --check race ./planted bulk >out 2>err
    grep -q "is missing\|does not know it" err || { cat err; wrong "with $how nothing is found"; }
done
finish
