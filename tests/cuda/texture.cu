// Textures and surfaces against what the programming guide's formulas give on the host: every address mode, filter and
// way of reading, of arrays in one to three dimensions, layers, cubes, rows and plain memory; and copies to and from arrays.
// Prints a line for each group that is right.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                         \
        if (error_ != cudaSuccess) {                                                                                      \
            printf("%s: %s\n", #call, cudaGetErrorString(error_));                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static unsigned state = 12345;
static unsigned random_bits()
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}
static float random_float(float low, float high) { return low + (high - low) * (float)(random_bits() & 0xffff) / 65535; }

// ---- the oracle ----

struct Image {
    int size[3], dimensions;
    cudaTextureAddressMode mode;
    bool linear, normalized;
    const float *texels; // as they are read, of one channel
};

static int place(int i, int n, cudaTextureAddressMode mode, bool *inside)
{
    if (mode == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        int m = ((i % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    if (mode == cudaAddressModeBorder && (i < 0 || i >= n))
        *inside = false;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static float read(const Image &im, const float *at)
{
    int low[3] = {0, 0, 0};
    double weight[3] = {0, 0, 0};
    cudaTextureAddressMode mode =
        im.normalized || im.mode == cudaAddressModeBorder ? im.mode : cudaAddressModeClamp;
    for (int d = 0; d < im.dimensions; d++) {
        double x = at[d];
        if (im.normalized && mode == cudaAddressModeWrap)
            x -= floor(x);
        x *= im.normalized ? im.size[d] : 1;
        x -= im.linear ? 0.5 : 0;
        low[d] = (int)floor(x);
        weight[d] = im.linear ? floor((x - floor(x)) * 256 + 0.5) / 256 : 0;
    }
    double sum = 0;
    for (int c = 0; c < (im.linear ? 1 << im.dimensions : 1); c++) {
        int p[3] = {0, 0, 0};
        bool inside = true;
        double w = 1;
        for (int d = 0; d < im.dimensions; d++) {
            p[d] = place(low[d] + (c >> d & 1), im.size[d], mode, &inside);
            w *= c >> d & 1 ? weight[d] : 1 - weight[d];
        }
        double value = inside ? im.texels[(p[2] * im.size[1] + p[1]) * im.size[0] + p[0]] : 0;
        sum += w * value;
    }
    return (float)sum;
}

static bool close(float a, float b) { return fabsf(a - b) <= 1e-6f * fmaxf(1, fabsf(b)); }

// ---- reading ----

template <class T> __global__ void read_all(cudaTextureObject_t t, int dimensions, const float *at, int n, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *p = at + 3 * i;
    if (dimensions == 1)
        out[i] = tex1D<T>(t, p[0]);
    else if (dimensions == 2)
        out[i] = tex2D<T>(t, p[0], p[1]);
    else
        out[i] = tex3D<T>(t, p[0], p[1], p[2]);
}

static cudaTextureObject_t make(const cudaResourceDesc &r, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                cudaTextureReadMode as, bool normalized)
{
    cudaTextureDesc t = {};
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
    t.filterMode = filter;
    t.readMode = as;
    t.normalizedCoords = normalized;
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static cudaArray_t fill_array(const cudaChannelFormatDesc &desc, cudaExtent e, const void *data, size_t texel, unsigned flags)
{
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &desc, e, flags));
    size_t h = e.height ? e.height : 1;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)data, e.width * texel, e.width, h);
    p.dstArray = a;
    p.extent = make_cudaExtent(e.width, h, e.depth ? e.depth : 1);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return a;
}

static const int POINTS = 300;
static float *device_points;
static std::vector<float> points;

static void choose_points(const Image &im)
{
    points.resize(3 * POINTS);
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++) {
            float n = im.normalized ? 1 : (float)im.size[d];
            points[3 * i + d] = random_float(-1.5f * n, 2.5f * n);
        }
    CHECK(cudaMemcpy(device_points, points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice));
}

// T: what is read; values(v, c): channel c of it.
template <class T> static void compare(const char *what, cudaTextureObject_t t, Image im, const float *const *texels)
{
    const int channels = sizeof(T) / 4;
    T *out;
    std::vector<T> got(POINTS);
    CHECK(cudaMalloc(&out, POINTS * sizeof(T)));
    read_all<T><<<(POINTS + 63) / 64, 64>>>(t, im.dimensions, device_points, POINTS, out);
    CHECK(cudaMemcpy(got.data(), out, POINTS * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < channels; c++) {
            im.texels = texels[c];
            float want = read(im, &points[3 * i]), have;
            memcpy(&have, (const char *)&got[i] + 4 * c, 4);
            if (!close(have, want)) {
                printf("%s, mode %d, linear %d, normalized %d: (%g, %g, %g), channel %d: %g instead of %g\n", what, im.mode,
                       im.linear, im.normalized, points[3 * i], points[3 * i + 1], points[3 * i + 2], c, have, want);
                exit(1);
            }
        }
}

// Every mode, filter and kind of coordinates of arrays with T of two or one channels as texels.
template <class S, class T, class R> static void arrays(const char *what, cudaTextureReadMode as, double unit, int channels)
{
    static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                                   cudaAddressModeBorder};
    static const int sizes[3][3] = {{37, 1, 1}, {16, 11, 1}, {7, 5, 6}};
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        const int *size = sizes[dimensions - 1];
        int n = size[0] * size[1] * size[2];
        std::vector<S> data(n * channels);
        std::vector<float> planes[4];
        const float *texels[4];
        for (int i = 0; i < n * channels; i++)
            data[i] = (S)(unit ? (double)(S)random_bits() : random_float(-100, 100));
        for (int c = 0; c < channels; c++) {
            for (int i = 0; i < n; i++) {
                double v = (double)data[i * channels + c];
                planes[c].push_back((float)(unit ? fmax(v / unit, -1) : v));
            }
            texels[c] = planes[c].data();
        }
        cudaExtent e = make_cudaExtent(size[0], dimensions > 1 ? size[1] : 0, dimensions > 2 ? size[2] : 0);
        cudaArray_t a = fill_array(cudaCreateChannelDesc<T>(), e, data.data(), sizeof(T), cudaArrayDefault);
        for (int k = 0; k < 16; k++) {
            Image im = {{size[0], size[1], size[2]}, dimensions, modes[k & 3], (k & 4) != 0, (k & 8) != 0, NULL};
            choose_points(im);
            cudaTextureObject_t t =
                make(of_array(a), im.mode, im.linear ? cudaFilterModeLinear : cudaFilterModePoint, as, im.normalized);
            compare<R>(what, t, im, texels);
            CHECK(cudaDestroyTextureObject(t));
        }
        CHECK(cudaFreeArray(a));
    }
    printf("%s\n", what);
}

// ---- integers, plain memory and rows ----

__global__ void fetch_all(cudaTextureObject_t t, int from, int n, int4 *out)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        short4 v = tex1Dfetch<short4>(t, from + i);
        out[i] = make_int4(v.x, v.y, v.z, v.w);
    }
}

static void plain_memory()
{
    const int n = 200, more = 20;
    std::vector<short> data(4 * n);
    for (auto &v : data)
        v = (short)random_bits();
    short *memory;
    int4 *out;
    CHECK(cudaMalloc(&memory, data.size() * sizeof(short)));
    CHECK(cudaMalloc(&out, (n + 2 * more) * sizeof(int4)));
    CHECK(cudaMemcpy(memory, data.data(), data.size() * sizeof(short), cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<short4>();
    r.res.linear.sizeInBytes = data.size() * sizeof(short);
    cudaTextureObject_t t = make(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    fetch_all<<<4, 64>>>(t, -more, n + 2 * more, out);
    std::vector<int4> got(n + 2 * more);
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n + 2 * more; i++) {
        int at = i - more, want[4] = {0, 0, 0, 0}, have[4] = {got[i].x, got[i].y, got[i].z, got[i].w};
        for (int c = 0; c < 4 && at >= 0 && at < n; c++)
            want[c] = data[4 * at + c];
        if (memcmp(want, have, sizeof want)) {
            printf("plain memory at %d: %d instead of %d\n", at, have[0], want[0]);
            exit(1);
        }
    }
    cudaResourceDesc said;
    CHECK(cudaGetTextureObjectResourceDesc(&said, t));
    if (said.res.linear.devPtr != memory)
        printf("the resource is another one\n");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(out));
    printf("plain memory\n");
}

static void rows()
{
    const int w = 29, h = 13;
    std::vector<float> data(w * h);
    for (auto &v : data)
        v = random_float(-5, 5);
    float *memory;
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, w * sizeof(float), h));
    CHECK(cudaMemcpy2D(memory, pitch, data.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = w;
    r.res.pitch2D.height = h;
    r.res.pitch2D.pitchInBytes = pitch;
    Image im = {{w, h, 1}, 2, cudaAddressModeClamp, true, false, NULL};
    const float *texels[1] = {data.data()};
    choose_points(im);
    compare<float>("rows", make(r, im.mode, cudaFilterModeLinear, cudaReadModeElementType, false), im, texels);
    printf("rows\n");
}

// ---- layers, cubes and the four texels of a filter ----

__global__ void read_layers(cudaTextureObject_t t, cudaTextureObject_t line, float *out)
{
    int layer = threadIdx.y;
    float x = threadIdx.x + 0.5f;
    out[layer * blockDim.x + threadIdx.x] = tex2DLayered<float>(t, x, 1.5f, layer) + 1000 * tex1DLayered<float>(line, x, layer);
}

static void layers()
{
    const int w = 8, h = 3, n = 4;
    std::vector<float> data(w * h * n), line(w * n), got(w * n);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (float)i;
    for (size_t i = 0; i < line.size(); i++)
        line[i] = (float)i;
    auto desc = cudaCreateChannelDesc<float>();
    cudaArray_t a = fill_array(desc, make_cudaExtent(w, h, n), data.data(), 4, cudaArrayLayered);
    cudaArray_t b = fill_array(desc, make_cudaExtent(w, 0, n), line.data(), 4, cudaArrayLayered);
    float *out;
    CHECK(cudaMalloc(&out, w * n * sizeof(float)));
    read_layers<<<1, dim3(w, n)>>>(
        make(of_array(a), cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false),
        make(of_array(b), cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), out);
    CHECK(cudaMemcpy(got.data(), out, w * n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int l = 0; l < n; l++)
        for (int x = 0; x < w; x++)
            if (got[l * w + x] != data[(l * h + 1) * w + x] + 1000 * line[l * w + x]) {
                printf("layer %d, %d: %g\n", l, x, got[l * w + x]);
                exit(1);
            }
    printf("layers\n");
}

__global__ void read_cube(cudaTextureObject_t t, float *out)
{
    const float directions[6][3] = {{1, .1f, .1f}, {-1, .1f, .1f}, {.1f, 1, .1f}, {.1f, -1, .1f}, {.1f, .1f, 1}, {.1f, .1f, -1}};
    if (threadIdx.x < 6)
        out[threadIdx.x] = texCubemap<float>(t, directions[threadIdx.x][0], directions[threadIdx.x][1], directions[threadIdx.x][2]);
}

static void cubes()
{
    const int w = 4;
    std::vector<float> data(w * w * 6), got(6);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (float)(i / (w * w));
    cudaArray_t a = fill_array(cudaCreateChannelDesc<float>(), make_cudaExtent(w, w, 6), data.data(), 4, cudaArrayCubemap);
    float *out;
    CHECK(cudaMalloc(&out, 6 * sizeof(float)));
    read_cube<<<1, 32>>>(make(of_array(a), cudaAddressModeWrap, cudaFilterModeLinear, cudaReadModeElementType, true), out);
    CHECK(cudaMemcpy(got.data(), out, 6 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++)
        if (got[i] != (float)i) {
            printf("face %d: %g\n", i, got[i]);
            exit(1);
        }
    printf("cubes\n");
}

__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex2Dgather<float4>(t, threadIdx.x + 1.0f, 2.0f, 1);
}

static void gathers()
{
    const int w = 8, h = 4;
    std::vector<float2> data(w * h);
    float4 got[4];
    for (int i = 0; i < w * h; i++)
        data[i] = make_float2(-1, (float)i);
    cudaArray_t a = fill_array(cudaCreateChannelDesc<float2>(), make_cudaExtent(w, h, 0), data.data(), 8, cudaArrayTextureGather);
    float4 *out;
    CHECK(cudaMalloc(&out, sizeof got));
    gather<<<1, 4>>>(make(of_array(a), cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) {
        float top = (float)(w + i), below = (float)(2 * w + i);
        if (got[i].x != below || got[i].y != below + 1 || got[i].z != top + 1 || got[i].w != top) {
            printf("gather %d: %g %g %g %g\n", i, got[i].x, got[i].y, got[i].z, got[i].w);
            exit(1);
        }
    }
    printf("gathers\n");
}

// ---- surfaces and copies ----

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    // Beyond the edge zeros are read, and nothing is written.
    uchar4 v = surf2Dread<uchar4>(from, x * (int)sizeof v, y, cudaBoundaryModeZero);
    if (x >= w || y >= h)
        v.x = v.x | v.y | v.z | v.w;
    surf2Dwrite(v, to, (w - 1 - x) * (int)sizeof v, h - 1 - y, cudaBoundaryModeZero);
}

__global__ void volume(cudaSurfaceObject_t s, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite((float)(x + 10 * y + 100 * z), s, x * 4, y, z);
    float v;
    surf3Dread(&v, s, x * 4, y, z);
    out[(z * blockDim.y + y) * blockDim.x + x] = v + surf3Dread<float>(s, x * 4 + 4096, y, z, cudaBoundaryModeZero);
}

static void surfaces()
{
    const int w = 21, h = 10;
    std::vector<uchar4> data(w * h), got(w * h);
    for (auto &v : data)
        v = make_uchar4(random_bits(), random_bits(), random_bits(), random_bits());
    auto desc = cudaCreateChannelDesc<uchar4>();
    cudaArray_t from, to, third;
    CHECK(cudaMallocArray(&from, &desc, w, h, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&to, &desc, w, h, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&third, &desc, w, h));
    CHECK(cudaMemcpy2DToArray(from, 0, 0, data.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t a, b;
    cudaResourceDesc r = of_array(from), s = of_array(to);
    CHECK(cudaCreateSurfaceObject(&a, &r));
    CHECK(cudaCreateSurfaceObject(&b, &s));
    turn<<<dim3(2, 2), dim3(16, 8)>>>(a, b, w, h);
    CHECK(cudaMemcpy2DArrayToArray(third, 0, 0, to, 0, 0, w * 4, h));
    CHECK(cudaMemcpy2DFromArray(got.data(), w * 4, third, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w * h; i++)
        if (memcmp(&got[i], &data[w * h - 1 - i], 4)) {
            printf("surface at %d: %u instead of %u\n", i, got[i].x, data[w * h - 1 - i].x);
            exit(1);
        }
    CHECK(cudaDestroySurfaceObject(a));
    CHECK(cudaDestroySurfaceObject(b));
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&desc, &extent, &flags, from));
    if (extent.width != w || extent.height != h || extent.depth || flags != cudaArraySurfaceLoadStore || desc.w != 8)
        printf("cudaArrayGetInfo: %zu x %zu, flags %u\n", extent.width, extent.height, flags);
    auto one = cudaCreateChannelDesc<float>();
    cudaArray_t cube;
    float *out, values[4 * 3 * 2];
    CHECK(cudaMalloc3DArray(&cube, &one, make_cudaExtent(4, 3, 2), cudaArraySurfaceLoadStore));
    CHECK(cudaMalloc(&out, sizeof values));
    cudaResourceDesc c = of_array(cube);
    CHECK(cudaCreateSurfaceObject(&a, &c));
    volume<<<2, dim3(4, 3)>>>(a, out);
    CHECK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; i++)
        if (values[i] != (float)(i % 4 + 10 * (i / 4 % 3) + 100 * (i / 12))) {
            printf("volume at %d: %g\n", i, values[i]);
            exit(1);
        }
    printf("surfaces\n");
}

int main()
{
    CHECK(cudaMalloc(&device_points, 3 * POINTS * sizeof(float)));
    arrays<float, float, float>("floats", cudaReadModeElementType, 0, 1);
    arrays<unsigned char, uchar4, float4>("bytes as numbers", cudaReadModeNormalizedFloat, 255, 4);
    arrays<short, short2, float2>("signed shorts as numbers", cudaReadModeNormalizedFloat, 32767, 2);
    plain_memory();
    rows();
    layers();
    cubes();
    gathers();
    surfaces();
    return 0;
}
