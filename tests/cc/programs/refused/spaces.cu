// Functions whose execution space one of their declarations alone says.
#include <cstdio>

__host__ __device__ int free_one(int x);
int free_one(int x)
{
    return x + 1;
}
int late(int x);
__host__ __device__ int late(int x)
{
    return x + 2;
}
__device__ int wider(int x);
__host__ __device__ int wider(int x)
{
    return x + 3;
}
__host__ __device__ constexpr int known(int x);
constexpr int known(int x)
{
    return x * 2;
}
static_assert(known(4) == 8, "");

__host__ __device__ int called_other(int x);
#define called called_other
int called(int x)
{
    return x + 5;
}
#define WHOLE int whole(int x) { return x + 6; }
__host__ __device__ int whole(int x);
WHOLE

struct plain {
    int n;
    __host__ __device__ plain(int);
    __host__ __device__ int f(int x) const;
    static __device__ int g();
    __host__ __device__ ~plain();
    __host__ __device__ operator int();
    __host__ __device__ plain &operator+=(int);
    friend __host__ __device__ int get(const plain &p);
};
plain::plain(int n) : n(n) {}
plain::~plain() {}
int plain::f(int x) const { return x + n; }
int plain::g() { return threadIdx.x + 100; }
plain::operator int() { return n; }
plain &plain::operator+=(int d) { n += d; return *this; }
int get(const plain &p) { return p.n; }

template <class T> __host__ __device__ T of_template(T x);
template <class T>
T of_template(T x)
{
    return x + 1;
}
template <class T> struct outer {
    T n;
    __host__ __device__ outer(T);
    __device__ T f(T x) const;
    template <class U> __host__ __device__ U h(U u);
    struct within {
        __device__ const T *q(const T *p);
    };
};
template <class T> outer<T>::outer(T n) : n(n) {}
template <class T> T outer<T>::f(T x) const
{
    return x + n;
}
template <class T> template <class U> U outer<T>::h(U u)
{
    return u + n;
}
template <class T> const T *outer<T>::within::q(const T *p)
{
    return p + 1;
}

__global__ void k(int *p)
{
    plain a(3);
    a += 5;
    outer<int> o(3);
    outer<int>::within w;
    p[0] = free_one(1) + late(1) + wider(1) + known(1) + called_other(1) + whole(1);
    p[1] = a.f(1) + plain::g() + (int)a + get(a);
    p[2] = of_template(1) + o.f(1) + o.h(1) + (int)(w.q(p) - p);
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 3 * sizeof *p);
    k<<<1, 1>>>(p);
    cudaError_t error = cudaDeviceSynchronize();
    plain a(2);
    outer<int> o(4);
    const bool good = !error && p[0] == 24 && p[1] == 125 && p[2] == 11 && free_one(1) == 2 && late(1) == 3 && wider(1) == 4 && called(1) == 6 &&
                      a.f(1) == 3 && (a += 1) == 3 && get(a) == 3 && of_template(2) == 3 && o.h(1) == 5;
    printf("%s: %d %d %d\n", good ? "good" : "bad", p[0], p[1], p[2]);
    return !good;
}
