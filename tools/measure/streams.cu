/* Ladders that others have published of several cards: a chase of pointers by working set, bandwidth of sets that each
 * SM has for itself and that all share, of arrays in memory by number of threads, and of loads whose lanes lie apart. */
#include "measure.h"

enum { LINE = 128 };

/* A ring through all lines of a set in an order that no prefetcher knows: the host links it, one lane follows it. */
__global__ void follow(mark *m, const void *const *start, int warm, int steps, const void **last)
{
    const void *const *p = start;
#pragma unroll 1
    for (int i = 0; i < warm; i++)
        p = (const void *const *)*p;
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < steps; i += 16) {
        R16(p = (const void *const *)*p;)
    }
    u64 end = clock64();
    *last = p;
    note(m, begin, end);
}
static void chase(mark *m, char *buffer, u64 *out)
{
    /* Sizes at which cards were measured: a V100, and an A40 and a GH200. */
    std::vector<double> sizes = {2,       16.1, 64.2, 92.0,  116,   146.2, 184.4, 259.6, 494.1, 1128.1, 2131.4, 4023.4,  8178.1,  16008.4,
                                 32520.6, 16,   63.2, 125.6, 183.1, 221,   256.9, 298.6, 504.5, 1147.9, 3934.9, 16239.1, 32986.6, 80739.2};
    for (double kb : sizes) {
        u64 lines = (u64)(kb * 1024) / LINE, state = 1;
        if (measure.small && kb > 64)
            break;
        std::vector<u32> order(lines);
        std::vector<char> image(lines * LINE);
        for (u64 i = 0; i < lines; i++)
            order[i] = (u32)i;
        for (u64 i = lines - 1; i > 0; i--) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            std::swap(order[i], order[(state >> 33) % i]);
        }
        for (u64 i = 0; i < lines; i++)
            *(char **)&image[order[i] * (u64)LINE] = buffer + order[(i + 1) % lines] * (u64)LINE;
        check(cudaMemcpy(buffer, image.data(), image.size(), cudaMemcpyHostToDevice), "ring");
        /* One round fills the caches; then as many as make a figure, or the beginning of one. */
        int warm = (int)lines, steps = (int)std::min<u64>((std::max<u64>(lines, 1024) + 15) / 16 * 16, measure.few ? 4096 : 1 << 20);
        std::vector<double> v;
        for (int k = 0; k < measure.repetitions; k++) {
            follow<<<1, 1>>>(m, (const void *const *)buffer, warm, steps, (const void **)out);
            finish("chase");
            mark h = from_device(m, 1)[0];
            v.push_back((double)(h.end - h.begin) / steps);
        }
        char parameter[16];
        snprintf(parameter, sizeof parameter, "%.10g", kb);
        row("pointer chase KB", "ld", parameter, v, "cycles");
    }
}

/* Each SM goes through a set of its own. */
__global__ void __launch_bounds__(1024) own_sets(mark *m, const double *a, u32 words, int rounds, double *out)
{
    const double *mine = a + (u64)blockIdx.x * words;
    double sum = 0;
    for (u32 i = threadIdx.x; i < words; i += blockDim.x)
        sum += mine[i];
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        u32 i = threadIdx.x;
        for (; i + 3 * blockDim.x < words; i += 4 * blockDim.x) {
            double x, y, z, w;
            asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(x) : "l"(mine + i));
            asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(y) : "l"(mine + i + blockDim.x));
            asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(z) : "l"(mine + i + 2 * blockDim.x));
            asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(w) : "l"(mine + i + 3 * blockDim.x));
            sum += (x + y) + (z + w);
        }
        for (; i < words; i += blockDim.x) {
            double x;
            asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(x) : "l"(mine + i));
            sum += x;
        }
    }
    __syncthreads();
    u64 end = clock64();
    if (sum == 77)
        *out = sum;
    note(m, begin, end);
}
static void own(mark *m, const double *a, double *out)
{
    for (u32 kb : {8u, 16u, 32u, 64u, 96u, 116u, 128u, 172u, 236u, 384u}) {
        std::vector<double> v;
        if (measure.few && kb > 256)
            continue; /* warps whose lines stay get ahead of others, round by round: that takes as many rounds as there are */
        int rounds = measure.small ? 1 : (int)((measure.few ? 256 : 65536) / kb + 1);
        for (int k = 0; k < measure.repetitions; k++) {
            own_sets<<<(unsigned)measure.sms, 1024>>>(m, a, kb * 128, rounds, out);
            finish("own");
            double cycles = longest(m, (unsigned)measure.sms), bytes = (double)measure.sms * kb * 1024 * rounds;
            v.push_back(bytes / cycles * measure.mhz / 1e3);
        }
        row("sets of SMs' own KB", "ld.f64", (long)kb, v, "GB/s", true);
    }
}
/* All SMs go through one set, each from another place of it on. */
__global__ void __launch_bounds__(1024) shared_sets(mark *m, const double *a, u64 words, u64 each, double *out)
{
    double sum = 0;
    u64 at = (blockIdx.x * each) % words;
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 4
    for (u64 i = threadIdx.x; i < each; i += blockDim.x) {
        double x;
        u64 j = at + i;
        asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(x) : "l"(a + (j < words ? j : j % words)));
        sum += x;
    }
    __syncthreads();
    u64 end = clock64();
    if (sum == 77)
        *out = sum;
    note(m, begin, end);
}
static void shared(mark *m, const double *a, double *out)
{
    for (u64 kb : {3072u, 5120u, 15360u, 23552u, 40448u}) {
        std::vector<double> v;
        unsigned blocks = 2 * (unsigned)measure.sms;
        u64 words = kb * 128, whole = (words + blocks - 1) / blocks / 1024 * 1024 + 1024;
        u64 each = measure.small ? 1024 : measure.few ? whole : std::max<u64>(whole, 1 << 20);
        if (measure.small && kb > 3072)
            break;
        for (int k = -1; k < measure.repetitions; k++) {
            shared_sets<<<blocks, 1024>>>(m, a, words, each, out);
            finish("shared");
            if (k >= 0)
                v.push_back((double)blocks * (double)each * 8 / longest(m, blocks) * measure.mhz / 1e3);
        }
        row("set that SMs share KB", "ld.f64", (long)kb, v, "GB/s", true);
    }
}

/* Arrays in memory, by a number of threads that is a multiple of the SMs'. */
enum { INIT, READ, SCALE, TRIAD, POINTS3, POINTS5, WAYS };
static const char *const ways[] = {"init", "read", "scale", "triad", "3pt", "5pt"};
static const int bytes_of[] = {8, 8, 16, 24, 16, 16};
template <int WAY> __global__ void array(double *a, const double *b, const double *c, long count)
{
    double sum = 0;
#pragma unroll 1
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x + 2; i < count - 2; i += (long)gridDim.x * blockDim.x) {
        if (WAY == INIT)
            a[i] = 1.5;
        if (WAY == READ)
            sum += b[i];
        if (WAY == SCALE)
            a[i] = b[i] * 1.5;
        if (WAY == TRIAD)
            a[i] = b[i] + 1.5 * c[i];
        if (WAY == POINTS3)
            a[i] = b[i - 1] + 0.5 * b[i] + b[i + 1];
        if (WAY == POINTS5)
            a[i] = b[i - 2] + b[i - 1] + 0.5 * b[i] + b[i + 1] + b[i + 2];
    }
    if (WAY == READ && sum == 77)
        a[0] = sum;
}
/* With --few a thread goes through so many elements that a launch is long beside its own latencies: the fewer threads, the
 * more. */
static long elements_each(unsigned of_sm)
{
    return measure.small ? 1 : !measure.few ? 2048 : of_sm <= 64 ? 128 : of_sm <= 256 ? 64 : of_sm <= 1024 ? 20 : 12;
}
/* Milliseconds that what `launch` launches takes. */
template <class Launch> static float milliseconds(const char *what, Launch launch)
{
    static cudaEvent_t begin, end;
    float ms = 0;
    if (!begin) {
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
    }
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    finish(what);
    cudaEventElapsedTime(&ms, begin, end);
    return ms;
}
template <int WAY> static float time_array(unsigned blocks, unsigned threads, double *a, long most, long count)
{
    return milliseconds(ways[WAY], [=] { array<WAY><<<blocks, threads>>>(a, a + most, a + 2 * most, count); });
}
/* Cards go through 2048 elements a thread, beside which a launch and what the L2 held before are nothing. With --few a launch
 * over no elements is subtracted, each launch takes another part of the arrays, and one goes before them all: so the L2 is
 * full of lines of the same kind, and writes one back for each that is written, as it does on a card after a while. */
template <int WAY> static void one_way(double *a, long most)
{
    long part = 0; /* of the arrays, in which a launch begins */
    for (unsigned of_sm : {16u, 64u, 256u, 1024u, 2048u}) { /* threads */
        unsigned threads = std::min(of_sm, 1024u), blocks = (unsigned)measure.sms * (of_sm / threads);
        long count = std::min((long)blocks * threads * elements_each(of_sm), most);
        bool few = measure.few && !measure.small;
        float none = few ? time_array<WAY>(blocks, threads, a, most, 4) : 0;
        std::vector<double> v;
        for (int k = -1; k < measure.repetitions; k++) {
            if (k < 0 && few) {
                if (of_sm == 16) /* fills the L2 */
                    time_array<WAY>(2 * (unsigned)measure.sms, 1024, a + 3 * most / 4, most, most / 4);
                continue;
            }
            float ms = time_array<WAY>(blocks, threads, a + part, most, count) - none;
            part += few ? (count + 15) / 16 * 16 : 0;
            if (k >= 0)
                v.push_back((double)count * bytes_of[WAY] / ms / 1e6);
        }
        row("arrays in memory; threads an SM", ways[WAY], (long)of_sm, v, "GB/s", true);
    }
}

/* Arrays gone through by blocks that have one element for each thread, as RRZE's programs do: where few threads are to be on an SM,
 * each block takes so much shared memory that there is a place for one. What a block that ends and the next one take counts too. Their
 * triad has four arrays (b * d + c), that of `array` three. */
template <int WAY> __global__ void piece(double *a, const double *b, const double *c, const double *d, long count)
{
    extern __shared__ double place[];
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x + 2;
    if (i >= count - 2)
        return;
    if (count < 0) /* never: so the kernel has shared memory */
        place[threadIdx.x] = b[i];
    double value = WAY == INIT ? 1.5 : b[i];
    if (WAY == SCALE)
        value *= 1.5;
    if (WAY == TRIAD)
        value = value * d[i] + c[i];
    if (WAY == POINTS3 || WAY == POINTS5)
        value = 0.5 * value + b[i - 1] + b[i + 1];
    if (WAY == POINTS5)
        value += b[i - 2] + b[i + 2];
    if (WAY != READ || value == 77)
        a[i] = value;
}
/* Blocks of an SM, one after the other. */
static long rounds_of(unsigned of_sm)
{
    return measure.small ? 2 : !measure.few ? 1024 : of_sm <= 64 ? 48 : of_sm <= 256 ? 24 : 12;
}
template <int WAY> static void one_way_by_blocks(double *a, long most, int shared_most)
{
    long part = 0;
    cudaFuncSetAttribute(piece<WAY>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_most);
    for (unsigned of_sm : {16u, 64u, 256u, 1024u, 2048u}) {
        unsigned threads = std::min(of_sm, 1024u), shared = of_sm <= 1024 ? (unsigned)shared_most : 0;
        long blocks = std::min(measure.sms * (long)(of_sm / threads) * rounds_of(of_sm), most / (long)threads);
        long count = blocks * threads;
        std::vector<double> v;
        for (int k = measure.few ? 0 : -1; k < measure.repetitions; k++) {
            float ms[2];
            for (int whole = 0; whole < 2; whole++) { /* what a launch of a round takes is subtracted */
                long some = whole ? count : count / rounds_of(of_sm);
                double *from = a + part;
                ms[whole] = milliseconds(ways[WAY], [=] {
                    piece<WAY><<<(unsigned)(some / threads), threads, shared>>>(from, from + most, from + 2 * most, from + 3 * most, some);
                });
                part = part + some + count < most ? part + (some + 15) / 16 * 16 : 0;
            }
            if (k >= 0)
                v.push_back((double)(count - count / rounds_of(of_sm)) * (WAY == TRIAD ? 32 : bytes_of[WAY]) / (ms[1] - ms[0]) / 1e6);
        }
        row("arrays by blocks; threads an SM", ways[WAY], (long)of_sm, v, "GB/s", true);
    }
}

/* Loads of a warp whose lanes lie `stride` elements apart: of eight such sets by turns, since an assembler that sees the
 * same load twice keeps the value of the first. The sets stay in the L1 where that has 128 KB. Where they begin is known
 * before the loop, so that little else is in it. */
enum { SETS = 8 };
template <class T> __device__ __forceinline__ T load_of(const T *p)
{
    T x;
    if (sizeof(T) == 4)
        asm volatile("ld.global.ca.b32 %0, [%1];" : "=f"(*(float *)&x) : "l"(p));
    else
        asm volatile("ld.global.ca.b64 %0, [%1];" : "=d"(*(double *)&x) : "l"(p));
    return x;
}
template <class T> __global__ void __launch_bounds__(1024) apart(mark *m, const T *a, u32 stride, u32 turns, T *out)
{
    const T *p[SETS];
    T x[SETS], sum = 0;
#pragma unroll
    for (u32 k = 0; k < SETS; k++) {
        p[k] = a + threadIdx.x % 32 * stride + k * 32 * (stride ? stride : 1);
        sum += load_of(p[k]);
    }
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (u32 i = 0; i < turns; i++) {
#pragma unroll
        for (u32 k = 0; k < SETS; k++)
            x[k] = load_of(p[k]);
        sum += ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
    }
    __syncthreads();
    u64 end = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    note(m, begin, end);
}
template <class T> static void strides(mark *m, const T *a, T *out, const char *type)
{
    for (u32 stride : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u, 15u, 16u, 17u, 20u, 24u, 28u, 31u, 32u, 33u, 48u, 64u}) {
        std::vector<double> v;
        u32 few = 8, many = 24; /* turns: the slope between the two has nothing of how they begin and end */
        for (int k = 0; k < measure.repetitions; k++) {
            double cycles[2];
            for (int more = 0; more < 2; more++) {
                apart<T><<<(unsigned)measure.sms, 1024>>>(m, a, stride, more ? many : few, out);
                finish("stride");
                cycles[more] = longest(m, 1);
            }
            v.push_back((cycles[1] - cycles[0]) / (32.0 * SETS * (many - few)));
        }
        row("cycles a load of a warp; stride", type, stride, v, "cycles");
    }
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    long most = measure.small ? 4 << 20 : measure.few ? 16 << 20 : 64 << 20; /* elements of an array */
    mark *m = device_array<mark>(8192);
    double *out = device_array<double>(1 << 20), *a = device_array<double>(4 * (size_t)most);
    if (wanted("chase"))
        chase(m, (char *)a, (u64 *)out);
    if (wanted("own"))
        own(m, a, out);
    if (wanted("shared"))
        shared(m, a, out);
    if (wanted("arrays")) {
        one_way<INIT>(a, most);
        one_way<READ>(a, most);
        one_way<SCALE>(a, most);
        one_way<TRIAD>(a, most);
        one_way<POINTS3>(a, most);
        one_way<POINTS5>(a, most);
    }
    int shared_most, shared_of_sm; /* bytes */
    cudaDeviceGetAttribute(&shared_most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaDeviceGetAttribute(&shared_of_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    if (wanted("blocks") && 2 * shared_most > shared_of_sm) { /* a block can have an SM for itself */
        one_way_by_blocks<INIT>(a, most, shared_most);
        one_way_by_blocks<READ>(a, most, shared_most);
        one_way_by_blocks<SCALE>(a, most, shared_most);
        one_way_by_blocks<TRIAD>(a, most, shared_most);
        one_way_by_blocks<POINTS3>(a, most, shared_most);
        one_way_by_blocks<POINTS5>(a, most, shared_most);
    }
    if (wanted("strides")) {
        strides<float>(m, (const float *)a, (float *)out, "f32");
        strides<double>(m, a, out, "f64");
    }
    return 0;
}
