// Variable templates on both sides; ./templates SUM: what `places` has in the end, which depends on how files are linked.
#include "templates.h"
#include <cstdio>
#include <cstdlib>

struct pair {
    int first, second;
    __host__ __device__ int sum() const
    {
        return first + second;
    }
};
template <class T> struct holder {
    T value;
};
template <class T> __managed__ holder<T> held{};
template <class T = int> __managed__ T start = 11;
template <> __managed__ int start<int> = 9;
template <class T> __managed__ T start<T *> = 3;
namespace inner {
template <template <class> class C, class... More> __managed__ C<int> of_many;
}
namespace {
template <unsigned N> __managed__ unsigned hidden = N;
}
template <class T> __managed__ T never;
__managed__ int early = 4;
static inline __managed__ int both_words = 5;
#if defined(__clang__) || !defined(__CUDACC_RDC__)
struct at_start { // managed variables are there before constructors of the program's own
    at_start()
    {
        early += 10;
        start<int> += 100;
    }
} at_start_object;
const int started = 1;
#else
const int started = 0;
#endif

template <class T> __global__ void add(T n)
{
    held<pair>.value.first += n;
    start<T> += n;
    start<T *> += n;
    inner::of_many<holder, int, float>.value += n;
    hidden<7> += n;
    early += n;
    both_words += n;
    places<int, 2>[1] += on_device<int> + fixed<int>;
}
void add_elsewhere();
static int failures;
static void check(const char *what, int is, int should)
{
    failures += is != should;
    if (is != should)
        printf("%s: %d, not %d\n", what, is, should);
}
int main(int, char **words)
{
    int value = 40;
    held<pair>.value.second = 5;
    inner::of_many<holder, int, float>.value = 1;
    cudaMemcpyToSymbol(fixed<int>, &value, sizeof value);
    places<int, 2>[1] = 1;
    add<int><<<1, 1>>>(3);
    check("no error", cudaDeviceSynchronize(), 0);
    check("a member", held<pair>.value.sum(), 8);
    check("a specialization", start<int>, 12 + 100 * started);
    check("the template", start<short>, 11);
    check("a partial specialization", start<int *>, 6);
    check("templates of templates", inner::of_many<holder, int, float>.value, 4);
    check("an unnamed namespace", (int)hidden<7>, 10);
    check("a constructor", early, 7 + 10 * started);
    check("static inline", both_words, 8);
    check("a constant", places<int, 2>[1], 45);
    add_elsewhere();
    check("another file", places<int, 2>[1], atoi(words[1]));
    cudaMemcpyFromSymbol(&value, on_device<int>, sizeof value);
    check("device", value, 4 + (atoi(words[1]) != 45));
    printf("%d failures\n", failures);
    return failures != 0;
}
