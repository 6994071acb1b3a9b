// Forms of texture and surface instructions that C++ hardly has: layers of cubes, gradients, attributes (txq, suq), stores
// that convert (sust.p) and reductions (sured). Built for sm_75 or by clang; says how many values are wrong.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 8, CUBES = 3, POINTS = 600 };
static unsigned state = 4711;
static float random_float()
{
    state = state * 1664525 + 1013904223;
    return (float)(state >> 8) / (1 << 23) - 1;
}
static float texel(unsigned cube, unsigned face, unsigned row, unsigned column) { return (float)(((cube * 6 + face) * N + row) * N + column); }

struct Point {
    float x, y, z;
    int cube;
};
// The table of the programming guide: the face of the longest axis, and the two others along it.
static float at(const Point &p)
{
    const float v[3] = {p.x, p.y, p.z};
    int axis = fabsf(p.x) >= fabsf(p.y) && fabsf(p.x) >= fabsf(p.z) ? 0 : fabsf(p.y) >= fabsf(p.z) ? 1 : 2;
    bool back = v[axis] < 0;
    static const struct { int s, t; float ss, ts; } faces[6] = {{2, 1, -1, -1}, {2, 1, 1, -1}, {0, 2, 1, 1}, {0, 2, 1, -1}, {0, 1, 1, -1}, {0, 1, -1, -1}};
    const auto &f = faces[2 * axis + back];
    double m = fabs(v[axis]), s = (f.ss * v[f.s] / m + 1) / 2 * N, t = (f.ts * v[f.t] / m + 1) / 2 * N;
    int column = (int)s < N ? (int)s : N - 1, row = (int)t < N ? (int)t : N - 1;
    int cube = p.cube < 0 ? 0 : p.cube < CUBES ? p.cube : CUBES - 1;
    return texel(cube, 2 * axis + back, row, column);
}

__global__ void cubes(cudaTextureObject_t t, const Point *points, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= POINTS)
        return;
    Point p = points[i];
    float v[4], w, g, b;
    asm("tex.acube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];" : "=f"(v[0]), "=f"(w), "=f"(g), "=f"(b) : "l"(t), "r"(p.cube), "f"(p.x), "f"(p.y), "f"(p.z));
    asm("tex.level.acube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}], %9;" : "=f"(v[1]), "=f"(w), "=f"(g), "=f"(b) : "l"(t), "r"(p.cube), "f"(p.x), "f"(p.y), "f"(p.z), "f"(0.0f));
    asm("tex.grad.acube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}], {%9, %9, %9, %9}, {%9, %9, %9, %9};" : "=f"(v[2]), "=f"(w), "=f"(g), "=f"(b) : "l"(t), "r"(p.cube), "f"(p.x), "f"(p.y), "f"(p.z), "f"(0.0f));
    v[3] = texCubemapLayered<float>(t, p.x, p.y, p.z, p.cube);
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = v[k];
}

// Gradients of the only level change nothing: each read beside the same without.
__global__ void gradients(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3, unsigned *wrong)
{
    float x = (threadIdx.x + 0.3f) / 40, y = 1 - x / 2, z = x * x, d = x - y, a, b, r, s, q;
    asm("tex.1d.v4.f32.f32 {%0, %2, %3, %4}, [%5, {%6}]; tex.grad.1d.v4.f32.f32 {%1, %2, %3, %4}, [%5, {%6}], %7, {%7};" : "=f"(a), "=f"(b), "=f"(r), "=f"(s), "=f"(q) : "l"(t1), "f"(x), "f"(d));
    atomicAdd(wrong, a != b);
    asm("tex.2d.v4.f32.f32 {%0, %2, %3, %4}, [%5, {%6, %8}]; tex.grad.2d.v4.f32.f32 {%1, %2, %3, %4}, [%5, {%6, %8}], {%7, %7}, {%7, %6};" : "=f"(a), "=f"(b), "=f"(r), "=f"(s), "=f"(q) : "l"(t2), "f"(x), "f"(d), "f"(y));
    atomicAdd(wrong, a != b);
    asm("tex.3d.v4.f32.f32 {%0, %2, %3, %4}, [%5, {%6, %8, %9, %9}]; tex.grad.3d.v4.f32.f32 {%1, %2, %3, %4}, [%5, {%6, %8, %9, %9}], {%7, %7, %7, %7}, {%7, %6, %8, %9};" : "=f"(a), "=f"(b), "=f"(r), "=f"(s), "=f"(q) : "l"(t3), "f"(x), "f"(d), "f"(y), "f"(z));
    atomicAdd(wrong, a != b);
}

#define ASK(OP, WHAT) asm("{ .reg .b32 r; " OP "." WHAT ".b32 r, [%1]; mov.b32 %0, r; }" : "=r"(out[n++]) : "l"(t));
__global__ void ask_texture(cudaTextureObject_t t, unsigned *out)
{
    int n = 0;
    ASK("txq", "width") ASK("txq", "height") ASK("txq", "depth") ASK("txq", "array_size") ASK("txq", "channel_data_type")
    ASK("txq", "channel_order") ASK("txq", "normalized_coords") ASK("txq", "num_mipmap_levels") ASK("txq", "num_samples")
    ASK("txq", "filter_mode") ASK("txq", "addr_mode_0") ASK("txq", "addr_mode_1") ASK("txq", "addr_mode_2")
    asm("txq.level.width.b32 %0, [%1], %2;" : "=r"(out[n++]) : "l"(t), "r"(0));
}
__global__ void ask_surface(cudaSurfaceObject_t t, unsigned *out)
{
    int n = 0;
    ASK("suq", "width") ASK("suq", "height") ASK("suq", "depth") ASK("suq", "array_size") ASK("suq", "channel_data_type")
    ASK("suq", "channel_order") ASK("suq", "memory_layout")
}
// Lanes with textures of their own.
__global__ void ask_each(cudaTextureObject_t a, cudaTextureObject_t b, unsigned *out)
{
    asm("txq.width.b32 %0, [%1];" : "=r"(out[threadIdx.x]) : "l"(threadIdx.x % 3 ? a : b));
}

__global__ void put(cudaSurfaceObject_t s8, cudaSurfaceObject_t s16, cudaSurfaceObject_t s32)
{
    int x = (int)threadIdx.x - 4, y = threadIdx.y; // four lanes to the left of the surface
    unsigned u = 100 * threadIdx.x;
    int v = 3000 * (int)threadIdx.x - 30000;
    asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s8), "r"(x), "r"(y), "r"(u), "r"(~0u), "r"(y), "r"(7));
    if (x >= 0)
        asm volatile("sust.p.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(s16), "r"(x), "r"(y == 2 ? 1000 : y), "r"(v), "r"(-v));
    asm volatile("sust.p.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s32), "r"(x), "r"(y), "r"(__float_as_int(x / 3.0f)));
}
__global__ void put_half(cudaSurfaceObject_t s)
{
    asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2, %3, %2, %3};" ::"l"(s), "r"(threadIdx.x), "r"(__float_as_int(threadIdx.x + 1 / 3.0f)), "r"(__float_as_int(1e6f)));
}
__global__ void reduce(cudaSurfaceObject_t s)
{
    int x = 4 * (threadIdx.x % 16);
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, 0}], %2;" ::"l"(s), "r"(x), "r"(threadIdx.x));
    asm volatile("sured.b.min.2d.s32.clamp [%0, {%1, 1}], %2;" ::"l"(s), "r"(x), "r"(-(int)threadIdx.x));
    asm volatile("sured.b.max.2d.u32.zero [%0, {%1, 2}], %2;" ::"l"(s), "r"(threadIdx.x < 64 ? x : -4), "r"(threadIdx.x));
    asm volatile("sured.b.or.2d.b32.zero [%0, {%1, 3}], %2;" ::"l"(s), "r"(x), "r"(1 << threadIdx.x / 16));
    asm volatile("sured.b.and.2d.b32.zero [%0, {%1, 4}], %2;" ::"l"(s), "r"(x), "r"(~(1 << threadIdx.x / 16)));
}

// What is to be given back.
static cudaArray_t arrays[20];
static cudaTextureObject_t textures[20];
static cudaSurfaceObject_t surfaces[20];
static unsigned array_count, texture_count, surface_count;
static cudaArray_t array_of(cudaChannelFormatDesc desc, int w, int h, int d, unsigned flags)
{
    cudaArray_t array;
    cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, h, d), flags);
    return arrays[array_count++] = array;
}
static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode mode, bool linear, bool normalized)
{
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    t.addressMode[0] = mode;
    t.addressMode[1] = cudaAddressModeBorder;
    t.addressMode[2] = cudaAddressModeClamp;
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.normalizedCoords = normalized;
    cudaTextureObject_t object = 0;
    cudaCreateTextureObject(&object, &r, &t, nullptr);
    return textures[texture_count++] = object;
}
static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t object = 0;
    cudaCreateSurfaceObject(&object, &r);
    return surfaces[surface_count++] = object;
}

static unsigned wrong;
static void same(const unsigned *have, const unsigned *want, unsigned count, const char *what)
{
    for (unsigned i = 0; i < count; i++)
        if (have[i] != want[i])
            printf("%s %u: %x, not %x\n", what, i, have[i], want[i]), wrong++;
}
template <class F> static void answers(F ask, const unsigned *want, unsigned count, const char *what)
{
    unsigned have[32], *d;
    cudaMalloc(&d, sizeof have);
    ask(d);
    cudaMemcpy(have, d, sizeof have, cudaMemcpyDeviceToHost);
    cudaFree(d);
    same(have, want, count, what);
}

int main()
{
    auto f32 = cudaCreateChannelDesc<float>();
    static float texels[CUBES * 6 * N * N];
    for (unsigned i = 0; i < CUBES * 6 * N * N; i++)
        texels[i] = (float)i;
    cudaArray_t layers = array_of(f32, N, N, 6 * CUBES, cudaArrayCubemap | cudaArrayLayered);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, N * sizeof(float), N, N);
    copy.dstArray = layers;
    copy.extent = make_cudaExtent(N, N, 6 * CUBES);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaTextureObject_t t = texture_of(layers, cudaAddressModeClamp, false, true);
    static Point points[POINTS], *d_points;
    static float out[4 * POINTS], *d_out;
    for (unsigned i = 0; i < POINTS; i++)
        points[i] = {random_float(), random_float(), random_float(), (int)(i % (CUBES + 2)) - 1};
    cudaMalloc(&d_points, sizeof points);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_points, points, sizeof points, cudaMemcpyHostToDevice);
    cubes<<<(POINTS + 127) / 128, 128>>>(t, d_points, d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 4 * POINTS; i++)
        if (out[i] != at(points[i / 4]))
            printf("cube, point %u, way %u: %g, not %g\n", i / 4, i % 4, out[i], at(points[i / 4])), wrong++;

    cudaArray_t one = array_of(f32, N * N, 0, 0, 0), two = array_of(f32, N, N, 0, cudaArraySurfaceLoadStore), three = array_of(f32, N, N, N, 0);
    cudaMemcpy2DToArray(one, 0, 0, texels, sizeof(float) * N * N, sizeof(float) * N * N, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(two, 0, 0, texels, sizeof(float) * N, sizeof(float) * N, N, cudaMemcpyHostToDevice);
    copy.dstArray = three;
    copy.extent = make_cudaExtent(N, N, N);
    cudaMemcpy3D(&copy);
    cudaTextureObject_t t1 = texture_of(one, cudaAddressModeWrap, true, true), t2 = texture_of(two, cudaAddressModeMirror, true, true),
                        t3 = texture_of(three, cudaAddressModeClamp, false, false);
    unsigned differ = 0, *d_differ;
    cudaMalloc(&d_differ, 4);
    cudaMemset(d_differ, 0, 4);
    gradients<<<1, 40>>>(t1, t2, t3, d_differ);
    cudaMemcpy(&differ, d_differ, 4, cudaMemcpyDeviceToHost);
    wrong += differ;

    const unsigned of_cubes[] = {N, N, 1, CUBES, 32, 1, 1, 1, 1, 0, 3, 4, 3, N}, of_one[] = {N * N, 1, 1, 1, 32, 1, 1, 1, 1, 1, 0, 4, 3, N * N},
                   of_two[] = {N, N, 1, 1, 32, 1, 1, 1, 1, 1, 1, 4, 3, N}, of_three[] = {N, N, N, 1, 32, 1, 0, 1, 1, 0, 3, 4, 3, N};
    answers([&](unsigned *d) { ask_texture<<<1, 1>>>(t, d); }, of_cubes, 14, "cubes");
    answers([&](unsigned *d) { ask_texture<<<1, 32>>>(t1, d); }, of_one, 14, "one dimension");
    answers([&](unsigned *d) { ask_texture<<<1, 32>>>(t2, d); }, of_two, 14, "two dimensions");
    answers([&](unsigned *d) { ask_texture<<<1, 32>>>(t3, d); }, of_three, 14, "three dimensions");
    unsigned each[32];
    for (unsigned i = 0; i < 32; i++)
        each[i] = i % 3 ? N * N : N;
    answers([&](unsigned *d) { ask_each<<<1, 32>>>(t1, t2, d); }, each, 32, "of each lane");
    cudaArray_t bytes = array_of(cudaCreateChannelDesc<uchar4>(), 12, 3, 0, cudaArraySurfaceLoadStore),
                shorts = array_of(cudaCreateChannelDesc<short2>(), 12, 3, 0, cudaArraySurfaceLoadStore),
                floats = array_of(f32, 12, 3, 0, cudaArraySurfaceLoadStore),
                halves = array_of(cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat), 32, 0, 0, cudaArraySurfaceLoadStore),
                words = array_of(cudaCreateChannelDesc<int>(), 16, 5, 0, cudaArraySurfaceLoadStore),
                stack = array_of(cudaCreateChannelDesc<ushort2>(), 5, 6, 7, cudaArrayLayered | cudaArraySurfaceLoadStore);
    const unsigned of_bytes[] = {12, 3, 1, 1, 1, 4, 0}, of_stack[] = {5, 6, 1, 7, 2, 2, 0}, of_shorts[] = {12, 3, 1, 1, 9, 2, 0}, of_halves[] = {32, 1, 1, 1, 16, 4, 0};
    answers([&](unsigned *d) { ask_surface<<<1, 32>>>(surface_of(bytes), d); }, of_bytes, 7, "bytes");
    answers([&](unsigned *d) { ask_surface<<<1, 32>>>(surface_of(stack), d); }, of_stack, 7, "layers");
    answers([&](unsigned *d) { ask_surface<<<1, 32>>>(surface_of(shorts), d); }, of_shorts, 7, "shorts");
    answers([&](unsigned *d) { ask_surface<<<1, 32>>>(surface_of(halves), d); }, of_halves, 7, "halves");

    static uint32_t have[16 * 5], want[16 * 5];
    put<<<1, dim3(16, 3)>>>(surface_of(bytes), surface_of(shorts), surface_of(floats));
    for (unsigned i = 0; i < 36; i++) {
        unsigned u = 100 * (i % 12 + 4);
        want[i] = (u > 255 ? 255 : u) | 255 << 8 | i / 12 << 16 | 7u << 24;
    }
    cudaMemcpy2DFromArray(have, 48, bytes, 0, 0, 48, 3, cudaMemcpyDeviceToHost);
    same(have, want, 36, "stored bytes");
    for (unsigned i = 0; i < 36; i++) {
        int v = 3000 * (int)(i % 12 + 4) - 30000, m = -v > 32767 ? 32767 : -v;
        want[i] = (uint16_t)v | (uint32_t)(uint16_t)m << 16;
    }
    cudaMemcpy2DFromArray(have, 48, shorts, 0, 0, 48, 3, cudaMemcpyDeviceToHost);
    same(have, want, 36, "stored shorts");
    for (unsigned i = 0; i < 36; i++) {
        float f = (float)(i % 12) / 3.0f;
        memcpy(&want[i], &f, 4);
    }
    cudaMemcpy2DFromArray(have, 48, floats, 0, 0, 48, 3, cudaMemcpyDeviceToHost);
    same(have, want, 36, "stored floats");
    put_half<<<1, 32>>>(surface_of(halves));
    static const uint16_t thirds[6] = {0x3555, 0x3d55, 0x40ab, 0x42ab, 0x4455, 0x4555}; // i + 1/3 to nearest even
    cudaMemcpy2DFromArray(have, 256, halves, 0, 0, 256, 1, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 12; i++)
        want[i] = thirds[i / 2] | 0x7c000000;
    same(have, want, 12, "stored halves");
    static int start[5][16];
    memset(start[4], -1, sizeof start[4]);
    cudaMemcpy2DToArray(words, 0, 0, start, 64, 64, 5, cudaMemcpyHostToDevice);
    reduce<<<1, 96>>>(surface_of(words));
    cudaMemcpy2DFromArray(have, 64, words, 0, 0, 64, 5, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 16; i++) {
        want[i] = 6 * i + 16 * 15;
        want[16 + i] = (unsigned)-(int)(80 + i);
        want[32 + i] = 48 + i;
        want[48 + i] = 63;
        want[64 + i] = ~63u;
    }
    same(have, want, 80, "reduced");
    while (texture_count)
        cudaDestroyTextureObject(textures[--texture_count]);
    while (surface_count)
        cudaDestroySurfaceObject(surfaces[--surface_count]);
    while (array_count)
        cudaFreeArray(arrays[--array_count]);
    cudaFree(d_points);
    cudaFree(d_out);
    cudaFree(d_differ);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s, %u wrong\n", cudaGetErrorString(error), wrong);
    return wrong || error;
}
