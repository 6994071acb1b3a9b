// What printf returns, and structures whose members lie at any byte, by value through calls that are not inlined.
#include <cstdio>

#pragma pack(push, 1)
struct half_word { char a; short s; };
struct word { char a; int i; char b; };
struct mixed { char a; double d; short s[3]; long long l; };
#pragma pack(pop)

template <class T> __device__ __noinline__ T same(T p, int c)
{
    p.a += c;
    return p;
}
__device__ __noinline__ half_word turn(half_word p) { p.s = -p.s; return p; }
__device__ __noinline__ word turn(word p) { p.i = -p.i; p.b++; return p; }
__device__ __noinline__ mixed turn(mixed p) { p.d = -p.d; p.s[1] = -p.s[1]; p.l = -p.l; return p; }

template <class T> __global__ void twist(T p, T *o) { o[threadIdx.x] = turn(same(p, threadIdx.x)); }

__global__ void print(int *o)
{
    const char *volatile nothing = nullptr;
    o[0] = printf("%d %s %f\n", 1, "two", 3.0);
    o[1] = printf("none %%\n");
    o[2] = printf(nothing);
    o[3] = printf("%*d|%.*f\n", 5, 42, 1, 2.5);
}

int main()
{
    int *counts;
    half_word h = {5, 300}, *hs;
    word w = {5, 70000, 1}, *ws;
    mixed m = {5, 1.5, {1, 2, 3}, 1ll << 40}, *ms;
    cudaMallocManaged(&counts, 16);
    cudaMallocManaged(&hs, 32 * sizeof h);
    cudaMallocManaged(&ws, 32 * sizeof w);
    cudaMallocManaged(&ms, 32 * sizeof m);
    print<<<1, 1>>>(counts);
    twist<<<1, 32>>>(h, hs);
    twist<<<1, 32>>>(w, ws);
    twist<<<1, 32>>>(m, ms);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %d %d %d\n", counts[0], counts[1], counts[2], counts[3]);
    for (int i = 0; i < 32; i += 31) {
        printf("%d %d, %d %d %d, %d %g %d %d %d %lld\n", hs[i].a, hs[i].s, ws[i].a, ws[i].i, ws[i].b, ms[i].a, ms[i].d, ms[i].s[0], ms[i].s[1],
               ms[i].s[2], ms[i].l);
    }
    return 0;
}
