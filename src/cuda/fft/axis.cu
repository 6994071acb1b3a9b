// Transforms along one axis: their tables, which the host makes in double precision, and their passes.
#include "passes.cuh"

#include <math.h>
#include <stdlib.h>
#include <vector>

namespace lockstep_fft
{

static const int most_prime = 31;
static const size_t most_shared = 48 << 10;
static const unsigned threads = 256;
static const double pi = 3.14159265358979323846;

template <class C> static bool fits(long long n)
{
    return 2 * n * sizeof(C) <= most_shared;
}

template <class C> static cufftResult send(const std::vector<double2> &table, void **to)
{
    std::vector<C> rounded(table.size());
    for (size_t i = 0; i < table.size(); i++)
        rounded[i] = C{(decltype(C().x))table[i].x, (decltype(C().x))table[i].y};
    LOCKSTEP_FFT_STEP(result_of(cudaMalloc(to, table.size() * sizeof(C))));
    return result_of(cudaMemcpy(*to, rounded.data(), table.size() * sizeof(C), cudaMemcpyHostToDevice));
}
// exp(-2 pi i k / n)
static double2 root(long long k, long long n)
{
    const double angle = -2 * pi * (double)k / (double)n;
    return double2{cos(angle), sin(angle)};
}

// False: there is a prime that no pass is made for.
static bool factorize(long long n, axis *a)
{
    a->count = 0;
    for (int f = 4; n > 1 && f <= most_prime;) {
        for (; n % f == 0; n /= f)
            a->factors[a->count++] = f;
        f = f == 4 ? 2 : f == 3 ? 5 : f + 1; // by fours first
    }
    return n == 1;
}

// On the host, for a power of two: the tables of a convolution are transforms themselves.
static void transform_here(std::vector<double2> *x)
{
    const size_t n = x->size();
    std::vector<double2> other(n);
    for (size_t done = 1; done < n; done *= 2) {
        for (size_t t = 0; t < n / 2; t++) {
            const size_t k = t % done, first = (t - k) * 2 + k;
            const double2 a = (*x)[t], b = (*x)[t + n / 2] * root((long long)k, 2 * (long long)done);
            other[first] = a + b;
            other[first + done] = a - b;
        }
        x->swap(other);
    }
}
template <class C> static cufftResult make_chirp(axis *a)
{
    long long m = 1;
    while (m < 2 * a->n - 1)
        m *= 2;
    std::vector<double2> chirp(a->n), filter(m);
    for (long long k = 0; k < a->n; k++) {
        chirp[k] = root((long long)((unsigned __int128)k * k % (2 * a->n)), 2 * a->n);
        filter[k] = filter[(m - k) % m] = (1.0 / m) * conjugate(chirp[k]);
    }
    transform_here(&filter);
    a->around = (axis *)calloc(1, sizeof *a->around);
    if (!a->around)
        return CUFFT_ALLOC_FAILED;
    LOCKSTEP_FFT_STEP(send<C>(chirp, &a->chirp));
    LOCKSTEP_FFT_STEP(send<C>(filter, &a->filter));
    return make_axis<C>(m, a->around);
}
template <class C> cufftResult make_axis(long long n, axis *a)
{
    a->n = n;
    if (!factorize(n, a))
        return make_chirp<C>(a);
    std::vector<double2> table(n);
    for (long long k = 0; k < n; k++)
        table[k] = root(k, n);
    return send<C>(table, &a->roots);
}
void free_axis(axis *a)
{
    cudaFree(a->roots);
    cudaFree(a->chirp);
    cudaFree(a->filter);
    if (a->around)
        free_axis(a->around);
    free(a->around);
    *a = axis{};
}

template <class C> long long room_of_axis(const axis &a, long long lines)
{
    if (a.around)
        return a.around->n * lines + room_of_axis<C>(*a.around, lines);
    return fits<C>(a.n) ? 0 : 2 * a.n * lines;
}

static unsigned blocks_of(long long n)
{
    const unsigned blocks = blocks_for(n, threads);
    return blocks < 4096 ? blocks : 4096;
}
template <class C>
static cufftResult run_passes(const axis &a, cudaStream_t stream, const C *from, C *to, C *room, long long lines,
                              long long step, bool inverse)
{
    const roots_of<C> roots = {(const C *)a.roots, a.n, inverse};
    if (fits<C>(a.n)) {
        passes p = {a.count};
        for (int f = 0; f < a.count; f++)
            p.factors[f] = a.factors[f];
        const unsigned wanted = blocks_for(a.n, 4 * 32) * 32, blocks = lines < 65535 ? (unsigned)lines : 65535;
        return result_of(start(stream, blocks, wanted < threads ? wanted : threads, 2 * a.n * sizeof(C),
                               transform_lines<C>, p, roots, from, to, lines, step));
    }
    C *const halves[] = {room, room + a.n * lines};
    long long done = 1;
    for (int f = 0; f < a.count; f++) {
        C *const target = f == a.count - 1 ? to : halves[f % 2];
        LOCKSTEP_FFT_STEP(result_of(start(stream, blocks_of(work_of_pass(a.n, a.factors[f]) * lines), threads, 0,
                                          transform_pass<C>, a.factors[f], done, roots, from, target, lines, step)));
        done *= a.factors[f];
        from = target;
    }
    return CUFFT_SUCCESS;
}

template <class C>
cufftResult run_axis(const axis &a, cudaStream_t stream, const C *from, C *to, C *room, long long lines, long long step,
                     bool inverse)
{
    if (!a.around)
        return run_passes(a, stream, from, to, room, lines, step, inverse);
    const axis &around = *a.around;
    const long long m = around.n;
    const C *chirp = (const C *)a.chirp;
    C *const more = room + m * lines;
    LOCKSTEP_FFT_STEP(run_for_each(stream, m * lines, chirp_in<C>{from, chirp, room, a.n, m, step, inverse}));
    LOCKSTEP_FFT_STEP(run_passes(around, stream, room, room, more, lines, 1, false));
    LOCKSTEP_FFT_STEP(run_for_each(stream, m * lines, filter_each<C>{(const C *)a.filter, room, m}));
    LOCKSTEP_FFT_STEP(run_passes(around, stream, room, room, more, lines, 1, true));
    return run_for_each(stream, a.n * lines, chirp_out<C>{room, chirp, to, a.n, m, step, inverse});
}

#define LOCKSTEP_FFT_OF(C)                                                                                             \
    template cufftResult make_axis<C>(long long, axis *);                                                              \
    template long long room_of_axis<C>(const axis &, long long);                                                       \
    template cufftResult run_axis<C>(const axis &, cudaStream_t, const C *, C *, C *, long long, long long, bool);
LOCKSTEP_FFT_OF(float2)
LOCKSTEP_FFT_OF(double2)

} // namespace lockstep_fft
