/* Atomics: rates by pattern, operation and number of SMs; latencies; locks handed from SM to SM and from warp to warp.
 */
#include "measure.h"

/* Which word a thread's atomic goes to. */
#define PATTERNS                                                                                                        \
    P(one_word, "all lanes one word")                                                                                   \
    P(one_word_lane_0, "one lane a warp; one word")                                                                     \
    P(word_of_warp, "one word a warp; all its lanes")                                                                   \
    P(word_of_lane, "a word of its own for each lane")                                                                  \
    P(one_line, "the 32 words of one line")                                                                             \
    P(sector_of_lane, "a sector of its own for each lane")                                                              \
    P(line_of_lane, "a line of its own for each lane")                                                                  \
    P(half_warp, "two words a warp; 16 lanes each")                                                                     \
    P(scattered, "words anywhere in 1 MB")
enum pattern {
#define P(name, text) name,
    PATTERNS
#undef P
};
static const char *const pattern_names[] = {
#define P(name, text) text,
    PATTERNS
#undef P
};
static __device__ u64 word_of(int pattern, u32 thread, u32 turn)
{
    u32 lane = thread % 32, warp = thread / 32;
    switch (pattern) {
    case word_of_warp:
        return (u64)warp * 32;
    case word_of_lane:
        return thread;
    case one_line:
        return lane;
    case sector_of_lane:
        return (u64)thread * 8;
    case line_of_lane:
        return (u64)(thread % (1 << 17)) * 32;
    case half_warp:
        return (u64)warp * 32 + lane / 16;
    case scattered:
        return ((thread * 64 + turn) * 0x9e3779b1u) >> 14;
    default:
        return 0;
    }
}

/* name, printed operation, register type, constraint, PTX of [%1] and %2, with a result in %0 or none */
#define OPERATIONS                                                                                                      \
    O(add_u32, "atom.add.u32", u32, "r", "atom.global.add.u32 %0, [%1], %2;")                                           \
    O(red_u32, "red.add.u32", u32, "r", "red.global.add.u32 [%1], %2;")                                                 \
    O(max_s32, "atom.max.s32", u32, "r", "atom.global.max.s32 %0, [%1], %2;")                                           \
    O(exch_b32, "atom.exch.b32", u32, "r", "atom.global.exch.b32 %0, [%1], %2;")                                        \
    O(cas_b32, "atom.cas.b32", u32, "r", "atom.global.cas.b32 %0, [%1], %2, %2;")                                       \
    O(add_u64, "atom.add.u64", u64, "l", "atom.global.add.u64 %0, [%1], %2;")                                           \
    O(cas_b64, "atom.cas.b64", u64, "l", "atom.global.cas.b64 %0, [%1], %2, %2;")                                       \
    O(add_f32, "atom.add.f32", float, "f", "atom.global.add.f32 %0, [%1], %2;")                                         \
    O(red_f32, "red.add.f32", float, "f", "red.global.add.f32 [%1], %2;")                                               \
    O(add_f64, "atom.add.f64", double, "d", "atom.global.add.f64 %0, [%1], %2;")                                        \
    O(add_f16x2, "atom.add.noftz.f16x2", u32, "r", "atom.global.add.noftz.f16x2 %0, [%1], %2;")
#define O(name, text, T, C, INS)                                                                                        \
    __global__ void many_##name(mark *m, T *base, int pattern, int turns, T *out)                                       \
    {                                                                                                                   \
        u32 thread = blockIdx.x * blockDim.x + threadIdx.x;                                                             \
        T sum = 0, x = 0, one = (T)1;                                                                                   \
        __syncthreads();                                                                                                \
        u64 begin = clock64();                                                                                          \
        if (pattern != one_word_lane_0 || thread % 32 == 0)                                                             \
            for (int i = 0; i < turns; i++) {                                                                           \
                asm volatile(INS : "+" C(x) : "l"(base + word_of(pattern, thread, (u32)i)), C(one) : "memory");         \
                sum += x;                                                                                               \
            }                                                                                                           \
        if (sum == (T)77)                                                                                               \
            *out = sum;                                                                                                 \
        __syncthreads();                                                                                                \
        u64 end = clock64();                                                                                            \
        note(m, begin, end);                                                                                            \
    }                                                                                                                   \
    __global__ void chain_##name(mark *m, T *base, int pattern, int lanes, T *out)                                      \
    {                                                                                                                   \
        T x = 0, one = (T)1;                                                                                            \
        u64 word = word_of(pattern, threadIdx.x, 0), next;                                                              \
        u64 begin = clock64();                                                                                          \
        if ((int)threadIdx.x < lanes)                                                                                   \
            for (int i = 0; i < 32; i++) {                                                                              \
                asm volatile(INS : "+" C(x) : "l"(base + word), C(one) : "memory");                                     \
                next = x == (T)77 ? word + 1 : word;                                                                    \
                word = next;                                                                                            \
            }                                                                                                           \
        u64 end = clock64();                                                                                            \
        out[threadIdx.x] = x;                                                                                           \
        note(m, begin, end);                                                                                            \
    }
OPERATIONS
#undef O

template <class T, class K>
static void rates(mark *m, void *buffer, const char *name, K kernel, std::vector<int> patterns, std::vector<int> sms)
{
    for (int pattern : patterns)
        for (int blocks : sms) {
            unsigned threads = measure.small ? 64 : 1024;
            bool serial = pattern <= one_word_lane_0;
            int turns = measure.small ? 2 : serial ? (blocks > 16 ? 8 : 32) : 64;
            std::vector<double> v;
            if (measure.few)
                turns = pattern == one_word ? 1 : serial ? 8 : 4;
            for (int k = -1; k < (measure.small ? 0 : measure.few ? 1 : 5); k++) {
                kernel<<<(unsigned)blocks, threads>>>(m, (T *)buffer, pattern, turns, (T *)buffer + (1 << 22));
                finish(name);
                double ops = (double)blocks * threads * turns / (pattern == one_word_lane_0 ? 32 : 1);
                if (k >= 0 || measure.small)
                    v.push_back(ops / longest(m, (unsigned)blocks));
            }
            char what[96];
            snprintf(what, sizeof what, "atomics: %s; SMs", pattern_names[pattern]);
            row(what, name, blocks, v, "operations/cycle", true);
        }
}
template <class T, class K> static void latencies(mark *m, void *buffer, const char *name, K kernel)
{
    static const struct {
        int pattern, lanes;
        const char *text;
    } cases[] = {{one_word, 1, "1 lane"},
                 {one_word, 2, "2 lanes one word"},
                 {one_word, 32, "32 lanes one word"},
                 {one_line, 32, "32 lanes one line"},
                 {sector_of_lane, 32, "32 lanes 32 sectors"},
                 {line_of_lane, 32, "32 lanes 32 lines"}};
    for (const auto &c : cases)
        row("atomic chain", name, c.text,
            cycles_of(m, 32, name, [&] { kernel<<<1, 32>>>(m, (T *)buffer, c.pattern, c.lanes, (T *)buffer + (1 << 22)); }), "cycles");
}

/* Atomics on shared memory, by lanes of all warps of an SM or in a chain. */
#define SHARED                                                                                                          \
    S(add_u32, u32, "r", "atom.shared.add.u32 %0, [%1], %2;")                                                           \
    S(cas_b32, u32, "r", "atom.shared.cas.b32 %0, [%1], %2, %2;")                                                       \
    S(exch_b32, u32, "r", "atom.shared.exch.b32 %0, [%1], %2;")                                                         \
    S(max_s32, u32, "r", "atom.shared.max.s32 %0, [%1], %2;")                                                           \
    S(add_f32, float, "f", "atom.shared.add.f32 %0, [%1], %2;")                                                         \
    S(add_u64, u64, "l", "atom.shared.add.u64 %0, [%1], %2;")
#define S(name, T, C, INS)                                                                                              \
    __global__ void shared_##name(mark *m, T *out, int pattern, int lanes, int turns)                                   \
    {                                                                                                                   \
        __shared__ T words[1056];                                                                                       \
        words[threadIdx.x] = 0;                                                                                         \
        u32 i = pattern == one_word ? 0 : pattern == word_of_warp ? threadIdx.x / 32 : pattern == one_line ? threadIdx.x % 32 : threadIdx.x; \
        u32 p = (u32)__cvta_generic_to_shared(&words[i]);                                                               \
        T x = 0, one = (T)1;                                                                                            \
        __syncthreads();                                                                                                \
        u64 begin = clock64();                                                                                          \
        if ((int)(threadIdx.x % 32) < lanes)                                                                            \
            for (int k = 0; k < turns; k++) {                                                                           \
                asm volatile(INS : "+" C(x) : "r"(p), C(one) : "memory");                                               \
                p += x == (T)7777777 ? 4 : 0;                                                                           \
            }                                                                                                           \
        __syncthreads();                                                                                                \
        u64 end = clock64();                                                                                            \
        out[blockIdx.x * blockDim.x + threadIdx.x] = x;                                                                 \
        note(m, begin, end);                                                                                            \
    }
SHARED
#undef S
template <class T, class K> static void shared_atomics(mark *m, T *out, const char *name, K kernel)
{
    int turns = measure.small ? 4 : 32;
    for (int lanes : {1, 2, 4, 8, 16, 32})
        row("shared atomic chain; lanes one word", name, lanes, cycles_of(m, turns, name, [&] { kernel<<<1, 32>>>(m, out, one_word, lanes, turns); }), "cycles");
    row("shared atomic chain; lanes own words", name, 32, cycles_of(m, turns, name, [&] { kernel<<<1, 32>>>(m, out, word_of_lane, 32, turns); }), "cycles");
    for (int pattern : {one_word, word_of_warp, one_line, word_of_lane}) {
        unsigned threads = measure.small ? 64 : 1024;
        std::vector<double> v = cycles_of(m, 1.0 / ((double)threads * turns), name, [&] { kernel<<<1, threads>>>(m, out, pattern, 32, turns); });
        for (double &x : v)
            x = ((double)threads * turns) * ((double)threads * turns) / x;
        row("shared atomics", name, pattern_names[pattern], v, "operations/cycle/SM", true);
    }
}

/* Locks. Every contender takes one `turns` times, adds to a word that it guards, and goes on at once. */
enum lock_kind { CAS, CAS_SLEEP, TEST_CAS, EXCHANGE, TICKET, LOCKS };
static const char *const lock_names[] = {"cas", "cas; nanosleep doubling 32 to 1024", "test and cas", "exch", "ticket"};
struct lock_words {
    u32 word, pad0[31], serving, pad1[31], count, pad2[31], started, pad3[31];
};
static __device__ void take(lock_words *l, int kind)
{
    u32 sleep = 32, mine;
    switch (kind) {
    case CAS:
        while (atomicCAS(&l->word, 0u, 1u))
            ;
        break;
    case CAS_SLEEP:
        while (atomicCAS(&l->word, 0u, 1u)) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
            __nanosleep(sleep);
#endif
            sleep = sleep < 1024 ? sleep * 2 : sleep;
        }
        break;
    case TEST_CAS:
        do
            while (*(volatile u32 *)&l->word)
                ;
        while (atomicCAS(&l->word, 0u, 1u));
        break;
    case EXCHANGE:
        while (atomicExch(&l->word, 1u))
            ;
        break;
    default:
        mine = atomicAdd(&l->word, 1u);
        while (*(volatile u32 *)&l->serving != mine)
            ;
    }
    __threadfence();
}
static __device__ void give(lock_words *l, int kind)
{
    __threadfence();
    if (kind == TICKET)
        *(volatile u32 *)&l->serving = l->serving + 1;
    else
        atomicExch(&l->word, 0u);
}
/* Lane 0 of each warp is a contender. All begin together. */
__global__ void contend(mark *m, lock_words *l, int kind, int turns)
{
    u32 contenders = gridDim.x * (blockDim.x / 32);
    u64 begin = 0, end = 0;
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&l->started, 1u);
        while (*(volatile u32 *)&l->started < contenders)
            ;
        begin = clock64();
        for (int i = 0; i < turns; i++) {
            take(l, kind);
            *(volatile u32 *)&l->count = *(volatile u32 *)&l->count + 1;
            give(l, kind);
        }
        end = clock64();
        u32 w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
        m[w].begin = begin;
        m[w].end = end;
    }
}
static void locks(mark *m, lock_words *l)
{
    std::vector<int> counts = measure.small ? std::vector<int>{2} : measure.few ? std::vector<int>{1, 2, 8, 32, measure.sms} : std::vector<int>{1, 2, 3, 4, 8, 16, 32, 64, measure.sms};
    for (int within = 0; within < 2; within++)
        for (int kind = 0; kind < LOCKS; kind++)
            for (int n : counts) {
                if (within && n > 32)
                    continue;
                std::vector<double> v, spread;
                int turns = measure.small ? 4 : measure.few ? (n > 32 ? 4 : 16) : n > 32 ? 64 : 256;
                for (int k = 0; k < (measure.small || measure.few ? 1 : 5); k++) {
                    check(cudaMemset(l, 0, sizeof *l), "lock");
                    contend<<<within ? 1u : (unsigned)n, within ? 32u * (unsigned)n : 32u>>>(m, l, kind, turns);
                    finish("lock");
                    if (from_device(l, 1)[0].count != (u32)(n * turns))
                        printf("# %s: counted %u, not %d\n", lock_names[kind], from_device(l, 1)[0].count, n * turns);
                    double least = 1e30, most = 0;
                    for (const mark &x : from_device(m, (size_t)n))
                        least = std::min(least, (double)(x.end - x.begin)), most = std::max(most, (double)(x.end - x.begin));
                    v.push_back(most / (n * turns));
                    spread.push_back(most / least);
                }
                row(within ? "lock; warps of one SM" : "lock; SMs", lock_names[kind], n, v, "cycles an acquisition");
                row(within ? "lock; warps of one SM" : "lock; SMs", lock_names[kind], n, spread, "slowest/fastest contender");
            }
}

/* A word goes to and fro between two threads: in one SM, or in two. */
__global__ void ping(mark *m, u32 *word, int how, int turns, int apart)
{
    bool mine = apart ? threadIdx.x == 0 && (blockIdx.x == 0 || (int)blockIdx.x == apart) : threadIdx.x % 32 == 0;
    u32 me = apart ? blockIdx.x != 0 : threadIdx.x / 32;
    if (!mine)
        return;
    u64 begin = clock64();
    for (u32 i = 0; i < (u32)turns; i++) {
        u32 x, want = 2 * i + me;
        if (how == 0) {
            while (*(volatile u32 *)word != want)
                ;
            *(volatile u32 *)word = want + 1;
        } else if (how == 1) {
            do
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(x) : "l"(word) : "memory");
            while (x != want);
            asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(want + 1) : "memory");
        } else if (how == 2) {
            while (atomicCAS(word, want, want + 1) != want)
                ;
        } else {
            while (*(volatile u32 *)word != want)
                ;
            atomicExch(word, want + 1);
        }
    }
    u64 end = clock64();
    m[me].begin = begin;
    m[me].end = end;
}
static void pings(mark *m, u32 *word)
{
    static const char *const how[] = {"volatile", "ld.acquire st.release", "cas", "volatile then exch"};
    int turns = measure.small ? 4 : measure.few ? 32 : 256;
    for (int h = 0; h < 4; h++)
        for (int apart : {0, 1, 2, 5, 20, 61}) {
            if (apart >= measure.sms || (measure.few && apart > 20))
                continue;
            std::vector<double> v;
            for (int k = 0; k < measure.repetitions; k++) {
                check(cudaMemset(word, 0, 4), "ping");
                ping<<<apart ? (unsigned)measure.sms : 1u, apart ? 32u : 64u>>>(m, word, h, turns, apart);
                finish("ping");
                mark x = from_device(m, 1)[0];
                v.push_back((double)(x.end - x.begin) / turns / 2);
            }
            row("hand-over of a word; blocks apart", how[h], apart, v, "cycles");
        }
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    mark *m = device_array<mark>(8192);
    void *buffer = device_array<u64>(1 << 23);
    std::vector<int> all = {one_word, one_word_lane_0, word_of_warp, word_of_lane, one_line, sector_of_lane, line_of_lane, half_warp, scattered};
    std::vector<int> sms = measure.small ? std::vector<int>{2} : measure.few ? std::vector<int>{1, 8, measure.sms} : std::vector<int>{1, 2, 4, 8, 16, 32, 64, measure.sms};
    std::vector<int> some = {one_word, word_of_lane, scattered};
    bool thorough;
    std::vector<int> whole = {measure.small ? 2 : measure.sms};
    if (wanted("rates")) {
#define O(name, text, T, C, INS)                                                                                        \
    thorough = !strcmp(#name, "add_u32") || !strcmp(#name, "cas_b32");                                                  \
    rates<T>(m, buffer, text, many_##name, thorough || !measure.few ? all : some, thorough ? sms : whole);
        OPERATIONS
#undef O
    }
    if (wanted("latency")) {
#define O(name, text, T, C, INS)                                                                                        \
    if (strncmp(text, "red", 3))                                                                                        \
        latencies<T>(m, buffer, text, chain_##name);
        OPERATIONS
#undef O
    }
    if (wanted("shared")) {
#define S(name, T, C, INS) shared_atomics<T>(m, (T *)buffer, #name, shared_##name);
        SHARED
#undef S
    }
    if (wanted("ping"))
        pings(m, (u32 *)buffer);
    if (wanted("locks"))
        locks(m, (lock_words *)buffer);
    return 0;
}
