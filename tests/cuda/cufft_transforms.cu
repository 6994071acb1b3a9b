// cuFFT: transforms of all types, lengths, ranks and layouts against the sums that define them.
#include "numbers_oracle.h"

#include <cufft.h>
#include <cufftXt.h>

typedef std::vector<wide> field; // batch by n0 by n1 by n2

static char name[200];
static void expect(int got, int wanted, const char *what)
{
    tried++;
    if (got != wanted) {
        std::printf("%s: result %d, not %d\n", what, got, wanted);
        wrong++;
    }
}
#define EXPECT(call, wanted) expect(call, wanted, #call)

struct dimensions {
    int rank, n[3], batch; // the last `rank` of n
    int all() const { return n[0] * n[1] * n[2]; }
    int width(bool half) const { return half ? n[2] / 2 + 1 : n[2]; }
};

// Along one axis after the other.
static field transformed(field x, const dimensions &d, int sign)
{
    int step = 1;
    for (int axis = 2; axis >= 0; axis--) {
        const int n = d.n[axis];
        std::vector<wide> roots(n), line(n);
        for (int k = 0; k < n; k++)
            roots[k] = std::polar(1.0, sign * 2 * M_PI * k / n);
        for (size_t l = 0; n > 1 && l < x.size() / n; l++) {
            wide *at = &x[l / step * step * n + l % step];
            for (int k = 0; k < n; k++) {
                line[k] = 0;
                for (int j = 0; j < n; j++)
                    line[k] += at[(size_t)j * step] * roots[(long long)j * k % n];
            }
            for (int k = 0; k < n; k++)
                at[(size_t)k * step] = line[k];
        }
        step *= n;
    }
    return x;
}
static field random_field(const dimensions &d, bool real)
{
    field x((size_t)d.all() * d.batch);
    for (wide &v : x) {
        v = drawn();
        if (real)
            v = v.real();
    }
    return x;
}

// Where an array has an element; embed[2] == 0: as it lies by default.
struct arrangement {
    int embed[3], stride, distance;
    size_t place(int b, int x, int y, int z) const { return (size_t)b * distance + (size_t)((x * embed[1] + y) * embed[2] + z) * stride; }
};
static arrangement default_of(const dimensions &d, int row) { return arrangement{{d.n[0], d.n[1], row}, 1, d.n[0] * d.n[1] * row}; }
template <class T> static void lay(array<T> &to, const arrangement &a, const dimensions &d, int width, const field &from)
{
    for (int b = 0; b < d.batch; b++)
        for (int x = 0; x < d.n[0]; x++)
            for (int y = 0; y < d.n[1]; y++)
                for (int z = 0; z < width; z++)
                    to.set(a.place(b, x, y, z), from[((size_t)(b * d.n[0] + x) * d.n[1] + y) * d.n[2] + z]);
}
static size_t size_of(const arrangement &a, const dimensions &d) { return a.place(d.batch - 1, d.n[0] - 1, d.n[1] - 1, a.embed[2] - 1) + 1; }

static cufftResult run(cufftHandle p, cuComplex *in, cuComplex *out, int sign) { return cufftExecC2C(p, in, out, sign); }
static cufftResult run(cufftHandle p, float *in, cuComplex *out, int) { return cufftExecR2C(p, in, out); }
static cufftResult run(cufftHandle p, cuComplex *in, float *out, int) { return cufftExecC2R(p, in, out); }
static cufftResult run(cufftHandle p, cuDoubleComplex *in, cuDoubleComplex *out, int sign) { return cufftExecZ2Z(p, in, out, sign); }
static cufftResult run(cufftHandle p, double *in, cuDoubleComplex *out, int) { return cufftExecD2Z(p, in, out); }
static cufftResult run(cufftHandle p, cuDoubleComplex *in, double *out, int) { return cufftExecZ2D(p, in, out); }
static cufftType type_of(cuComplex *, cuComplex *) { return CUFFT_C2C; }
static cufftType type_of(float *, cuComplex *) { return CUFFT_R2C; }
static cufftType type_of(cuComplex *, float *) { return CUFFT_C2R; }
static cufftType type_of(cuDoubleComplex *, cuDoubleComplex *) { return CUFFT_Z2Z; }
static cufftType type_of(double *, cuDoubleComplex *) { return CUFFT_D2Z; }
static cufftType type_of(cuDoubleComplex *, double *) { return CUFFT_Z2D; }

// kind: 0 the plan of that rank, 1 cufftPlanMany without embedding, 2 with.
template <class In, class Out> static void one(const dimensions &d, int kind, int sign)
{
    const bool real_in = !is_complex<In>(), real_out = !is_complex<Out>();
    const cufftType type = type_of((In *)0, (Out *)0);
    arrangement in = default_of(d, d.width(real_out)), out = default_of(d, d.width(real_in));
    if (kind == 2) {
        for (arrangement *a : {&in, &out}) {
            a->stride = a == &in ? 2 : 3;
            a->embed[1] += 1;
            a->embed[2] += a == &in ? 3 : 1;
            a->distance = a->embed[0] * a->embed[1] * a->embed[2] * a->stride + 1;
        }
    }
    int n[3], inembed[3], onembed[3];
    for (int i = 0; i < d.rank; i++) {
        n[i] = d.n[3 - d.rank + i];
        inembed[i] = in.embed[3 - d.rank + i];
        onembed[i] = out.embed[3 - d.rank + i];
    }
    cufftHandle plan;
    int status = kind == 1     ? cufftPlanMany(&plan, d.rank, n, NULL, 0, 0, NULL, 0, 0, type, d.batch)
                 : kind == 2   ? cufftPlanMany(&plan, d.rank, n, inembed, in.stride, in.distance, onembed, out.stride, out.distance, type, d.batch)
                 : d.rank == 1 ? cufftPlan1d(&plan, n[0], type, d.batch)
                 : d.rank == 2 ? cufftPlan2d(&plan, n[0], n[1], type)
                               : cufftPlan3d(&plan, n[0], n[1], n[2], type);
    MUST(status);
    const field original = random_field(d, real_in || real_out), spectrum = transformed(original, d, real_out ? CUFFT_FORWARD : sign);
    array<In> x(size_of(in, d));
    array<Out> y(size_of(out, d));
    field scaled = original;
    for (wide &v : scaled)
        v *= (double)d.all();
    lay(x, in, d, in.embed[2] < d.n[2] ? in.embed[2] : d.n[2], real_out ? spectrum : original);
    if (real_out) // a half alone is read
        lay(x, in, d, d.width(true), spectrum);
    x.send();
    MUST(run(plan, x.device, y.device, sign));
    lay(y, out, d, d.width(real_in), real_out ? scaled : spectrum);
    std::snprintf(name, sizeof name, "type %x, rank %d, %d x %d x %d, batch %d, kind %d, sign %d", type, d.rank, d.n[0], d.n[1], d.n[2], d.batch, kind, sign);
    y.check(name, 3 * std::sqrt(d.all()) * (real_out ? d.all() : 1));
    MUST(cufftDestroy(plan));
}
template <class R, class C> static void all_types(const dimensions &d, int kind)
{
    one<C, C>(d, kind, CUFFT_FORWARD);
    one<C, C>(d, kind, CUFFT_INVERSE);
    one<R, C>(d, kind, CUFFT_FORWARD);
    one<C, R>(d, kind, CUFFT_INVERSE);
}
static void both(const dimensions &d, int kind)
{
    all_types<float, cuComplex>(d, kind);
    all_types<double, cuDoubleComplex>(d, kind);
}

// Real rows are padded to their transforms', there and back.
static void in_place()
{
    const dimensions d = {2, {1, 6, 9}, 1};
    const arrangement real = default_of(d, 10);
    const field x = random_field(d, true);
    array<double> a(size_of(real, d), false);
    lay(a, real, d, 9, x);
    a.send();
    cufftHandle there, back;
    MUST(cufftPlan2d(&there, 6, 9, CUFFT_D2Z));
    MUST(cufftPlan2d(&back, 6, 9, CUFFT_Z2D));
    MUST(cufftExecD2Z(there, a.device, (cuDoubleComplex *)a.device));
    const field spectrum = transformed(x, d, CUFFT_FORWARD);
    std::vector<cuDoubleComplex> got(6 * 5);
    MUST(cudaMemcpy(got.data(), a.device, sizeof got[0] * got.size(), cudaMemcpyDeviceToHost));
    double off = 0;
    for (int y = 0; y < 6; y++)
        for (int z = 0; z < 5; z++)
            off = std::max(off, std::abs(widen(got[y * 5 + z]) - spectrum[y * 9 + z]));
    EXPECT(off < 1e-12, 1);
    MUST(cufftExecZ2D(back, (cuDoubleComplex *)a.device, a.device));
    for (int y = 0; y < 6; y++)
        for (int z = 0; z < 10; z++)
            a.set(real.place(0, 0, y, z), z < 9 ? x[y * 9 + z] * 54.0 : wide(NAN));
    a.check("in place", 2000);
    MUST(cufftDestroy(there));
    MUST(cufftDestroy(back));
}

// A plan made from a handle, whose work area is the program's.
static void own_area()
{
    const dimensions d = {1, {1, 1, 37}, 2};
    long long n = 37;
    size_t size = 0, again = 0;
    cufftHandle plan;
    void *area;
    cudaStream_t stream;
    field x = random_field(d, false);
    array<cuComplex> a(74);
    for (int i = 0; i < 74; i++)
        a.set(i, x[i]);
    a.send();
    MUST(cudaStreamCreate(&stream));
    MUST(cufftCreate(&plan));
    EXPECT(cufftExecC2C(plan, a.device, a.device, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
    MUST(cufftSetAutoAllocation(plan, 0));
    MUST(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 37, CUDA_C_32F, NULL, 1, 37, CUDA_C_32F, 2, &size, CUDA_C_32F));
    EXPECT(cufftExecC2C(plan, a.device, a.device, CUFFT_FORWARD), CUFFT_NO_WORKSPACE);
    MUST(cufftGetSize(plan, &again));
    EXPECT(size == again && size > 0, 1);
    MUST(cudaMalloc(&area, size));
    MUST(cufftSetWorkArea(plan, area));
    MUST(cufftSetStream(plan, stream));
    MUST(cufftXtExec(plan, a.device, a.device, CUFFT_INVERSE));
    MUST(cudaStreamSynchronize(stream));
    x = transformed(x, d, CUFFT_INVERSE);
    for (int i = 0; i < 74; i++)
        a.set(i, x[i]);
    a.check("with an area of the program's", 100);
    MUST(cufftDestroy(plan));
}

static void misuse()
{
    cufftHandle plan;
    size_t size;
    int version, n[] = {4};
    array<cuComplex> a(16);
    EXPECT(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
    EXPECT(cufftPlan1d(&plan, 8, (cufftType)7, 1), CUFFT_INVALID_TYPE);
    EXPECT(cufftPlan1d(NULL, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
    EXPECT(cufftPlanMany(&plan, 4, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
    EXPECT(cufftEstimate1d(8, CUFFT_C2C, 1, &size), CUFFT_SUCCESS);
    EXPECT(cufftGetVersion(&version), CUFFT_SUCCESS);
    MUST(cufftPlan1d(&plan, 16, CUFFT_C2C, 1));
    EXPECT(cufftExecC2C(plan, a.device, a.device, 2), CUFFT_INVALID_VALUE);
    EXPECT(cufftExecC2C(plan, NULL, a.device, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
    EXPECT(cufftExecR2C(plan, (float *)a.device, a.device), CUFFT_INVALID_TYPE);
    cudaLibXtDesc *several = NULL;
    EXPECT(cufftXtSetGPUs(plan, 2, n), CUFFT_NOT_SUPPORTED);
    EXPECT(cufftXtMalloc(plan, &several, CUFFT_XT_FORMAT_INPLACE), CUFFT_NOT_SUPPORTED);
    EXPECT(cufftXtExecDescriptorC2C(plan, several, several, CUFFT_FORWARD), CUFFT_NOT_SUPPORTED);
    EXPECT(cufftXtFree(several), CUFFT_NOT_SUPPORTED);
    MUST(cufftDestroy(plan));
    EXPECT(cufftDestroy(plan), CUFFT_INVALID_PLAN);
    EXPECT(cufftExecC2C(plan, a.device, a.device, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
}

int main()
{
    for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 30, 32, 37, 49, 62, 64, 74, 97, 100, 121, 243})
        both({1, {1, 1, n}, 3}, 0);
    for (int kind = 0; kind < 3; kind++) {
        const int batch = kind ? 2 : 1;
        both({2, {1, 6, 9}, batch}, kind);
        both({2, {1, 37, 4}, batch}, kind);
        both({3, {3, 5, 8}, batch}, kind);
        both({3, {2, 1, 7}, batch}, kind);
        both({1, {1, 1, 20}, 3}, kind);
    }
    // Too long for a block: several passes, by rows and by columns; and a prime.
    one<cuComplex, cuComplex>({1, {1, 1, 3500}, 1}, 0, CUFFT_FORWARD);
    one<double, cuDoubleComplex>({1, {1, 1, 2048}, 1}, 0, CUFFT_FORWARD);
    one<cuDoubleComplex, cuDoubleComplex>({2, {1, 1600, 2}, 1}, 0, CUFFT_INVERSE);
    one<cuDoubleComplex, cuDoubleComplex>({1, {1, 1, 1009}, 1}, 0, CUFFT_INVERSE);
    in_place();
    own_area();
    misuse();
    return say("transforms");
}
