// Functions that are __device__ by their first declaration, and whose definition does not say so.
#include <cstdio>

__device__ int plain(int);
int plain(int x) { return x + 1; }

// Another function of the same name, which is the host's alone.
int plain(const char *text) { return std::puts(text); }

namespace inner
{
template <class T> __device__ T of_template(T);
static __device__ int hidden(int);
inline __device__ int *in_line(int *);
template <class T> T of_template(T x) { return x + 2; }
static int hidden(int x)
{
    return x + 3;
}
inline int *
in_line(int *p)
{
    return p + 1;
}
}

// Macros that make both declarations: of a name, of an argument, and of a name that is put together.
#define NAMED                      \
    __device__ int named(int);     \
    int named(int x)               \
    {                              \
        return x + 4;              \
    }
NAMED
#define GIVEN(name)           \
    __device__ int name(int); \
    int name(int x) { return plain(x) + 5; }
GIVEN(given)
#define JOINED(kind, name)           \
    __device__ int name##_##kind(int); \
    int name##_##kind(int x) { return x + 6; }
JOINED(first, joined)
JOINED(second, joined)

// The same where the first declaration says both: clang complains of these by itself.
#define GIVEN_BOTH(type, name)         \
    __host__ __device__ type name(int); \
    type name(int x) { return x + 7; }
GIVEN_BOTH(int, given_both)
#define JOINED_BOTH(name)                      \
    __host__ __device__ int both_##name(int); \
    int both_##name(int x) { return x + 8; }
JOINED_BOTH(one)
JOINED_BOTH(two)

__global__ void k(int *p)
{
    p[0] = plain(0) + inner::of_template(10) + inner::hidden(100) + (int)(inner::in_line(p) - p) * 1000;
    p[1] = named(0) + given(10) + joined_first(100) + joined_second(1000);
    p[2] = given_both(0) + both_one(10) + both_two(100);
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 3 * sizeof *p);
    k<<<1, 1>>>(p);
    cudaError_t error = cudaDeviceSynchronize();
    const bool good = !error && p[0] == 1116 && p[1] == 1132 && p[2] == 133 && plain("for the host") >= 0 && given_both(1) == 8 && both_one(1) == 9;
    std::printf("%s: %d: %d %d %d\n", good ? "good" : "bad", error, p[0], p[1], p[2]);
    return !good;
}
