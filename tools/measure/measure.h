/* What the programs of this folder share: they time pieces of code on a GPU, real or simulated, and print rows of CSV.
 *
 *     # card, driver, CUDA version, clock, date            the first line of a file
 *     what,type,parameter,median,least,unit,repetitions    then a row for each figure
 *
 * Cycles are those of the SM, by clock64() in the kernel. A figure is measured several times; the median and the most
 * favourable one are given. For simulators: `--few` measures once, and not all sizes, but as on a card; `--small` makes
 * everything as small as it can be, whatever the figures are then. A name on the command line chooses a part of the
 * program, `--share 2/4` the second quarter of all parts. */
#ifndef MEASURE_H
#define MEASURE_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

/* For GPUs before Hopper `run` defines MEASURE_OLDER: nvcc would refuse its instructions. */
#ifndef MEASURE_OLDER
#define MEASURE_CLUSTERS
#endif

typedef unsigned int u32;
typedef unsigned long long u64;

#define R2(...) __VA_ARGS__ __VA_ARGS__
#define R4(...) R2(__VA_ARGS__) R2(__VA_ARGS__)
#define R8(...) R4(__VA_ARGS__) R4(__VA_ARGS__)
#define R16(...) R8(__VA_ARGS__) R8(__VA_ARGS__)
#define R32(...) R16(__VA_ARGS__) R16(__VA_ARGS__)

/* When a block's timed piece of code began and ended, by the clock of its SM. */
struct mark {
    u64 begin, end;
    u32 sm, unused;
};

struct setup {
    bool small, few;
    int share, shares; /* of the parts, every `shares`-th from number `share` on, counted from 0 */
    int repetitions, sms, major;
    double mhz; /* what the card says, not what it does */
    int part_count;
    char **parts;
};
static setup measure;

static __device__ __forceinline__ u32 my_sm()
{
    u32 id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}
/* The end of a timed piece of a block: one thread writes it down. */
static __device__ __forceinline__ void note(mark *m, u64 begin, u64 end)
{
    if (threadIdx.x == 0) {
        m[blockIdx.x].begin = begin;
        m[blockIdx.x].end = end;
        m[blockIdx.x].sm = my_sm();
    }
}

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        printf("# %s: %s\n", what, cudaGetErrorString(e));
        fflush(stdout);
        exit(1);
    }
}
static void finish(const char *what)
{
    check(cudaGetLastError(), what);
    check(cudaDeviceSynchronize(), what);
}

template <class T> static T *device_array(size_t count)
{
    T *p;
    check(cudaMalloc(&p, count * sizeof(T)), "memory");
    check(cudaMemset(p, 0, count * sizeof(T)), "memory");
    return p;
}
template <class T> static std::vector<T> from_device(const T *p, size_t count)
{
    std::vector<T> v(count);
    check(cudaMemcpy(v.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost), "results");
    return v;
}

static void begin_program(int argc, char **argv)
{
    cudaDeviceProp p;
    int runtime = 0, driver = 0, khz = 0;
    measure.repetitions = 7;
    measure.shares = 1;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--small"))
            measure.small = true, measure.repetitions = 1;
        else if (!strcmp(argv[i], "--few"))
            measure.few = true, measure.repetitions = 1;
        else if (!strcmp(argv[i], "--share") && i + 1 < argc && sscanf(argv[i + 1], "%d/%d", &measure.share, &measure.shares) == 2)
            measure.share--, i++;
        else
            argv[++measure.part_count] = argv[i];
    measure.parts = argv + 1;
    check(cudaGetDeviceProperties(&p, 0), "no GPU");
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    measure.sms = p.multiProcessorCount;
    measure.major = p.major;
    measure.mhz = khz / 1000.0;
    time_t now = time(nullptr);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    const char *said = getenv("MEASURE_DRIVER"); /* the driver's own version, by whoever can ask for it */
    printf("# %s, %d SMs, compute capability %d.%d, clock up to %.0f MHz, driver %s (CUDA %d.%d), runtime %d.%d, %s\n", p.name,
           measure.sms, p.major, p.minor, measure.mhz, said ? said : "unknown", driver / 1000, driver % 1000 / 10,
           runtime / 1000, runtime % 1000 / 10, date);
    printf("what,type,parameter,median,least,unit,repetitions\n");
}
/* Is this part of the program asked for? */
static bool wanted(const char *part)
{
    static int asked;
    for (int i = 0; i < measure.part_count; i++)
        if (!strcmp(measure.parts[i], part))
            return true;
    return measure.part_count == 0 && asked++ % measure.shares == measure.share;
}

static double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[v.size() / 2];
}
/* A row. "Least" is the most favourable: of a rate it is the greatest. */
static void row(const char *what, const char *type, const char *parameter, const std::vector<double> &v, const char *unit,
                bool is_rate = false)
{
    double best = is_rate ? *std::max_element(v.begin(), v.end()) : *std::min_element(v.begin(), v.end());
    printf("%s,%s,%s,%.5g,%.5g,%s,%zu\n", what, type, parameter, median(v), best, unit, v.size());
    fflush(stdout);
}
static void row(const char *what, const char *type, long parameter, const std::vector<double> &v, const char *unit,
                bool is_rate = false)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", parameter);
    row(what, type, text, v, unit, is_rate);
}

/* Cycles of the one block of a launch, `steps` of them a repetition; the first launch warms caches. */
template <class F> static std::vector<double> cycles_of(mark *m, double steps, const char *what, F launch)
{
    std::vector<double> v;
    for (int k = -1; k < measure.repetitions; k++) {
        launch();
        finish(what);
        mark h = from_device(m, 1)[0];
        if (k >= 0 || measure.small)
            v.push_back((double)(h.end - h.begin) / steps);
    }
    return v;
}
/* Operations a cycle of an SM, for blocks that make `ops` each: the median over SMs of what their blocks did from the
 * first begin to the last end there. */
static double rate_of_sm(const mark *m, unsigned blocks, double ops)
{
    std::vector<mark> h = from_device(m, blocks);
    std::vector<double> rates;
    for (u32 sm = 0; sm < 1024; sm++) {
        u64 begin = ~0ull, end = 0, n = 0;
        for (const mark &x : h)
            if (x.sm == sm)
                begin = std::min(begin, x.begin), end = std::max(end, x.end), n++;
        if (n)
            rates.push_back((double)n * ops / (double)(end - begin));
    }
    return median(rates);
}
/* The longest time that a block of a launch took. */
static double longest(const mark *m, unsigned blocks)
{
    u64 most = 0;
    for (const mark &x : from_device(m, blocks))
        most = std::max(most, x.end - x.begin);
    return (double)most;
}

#endif
