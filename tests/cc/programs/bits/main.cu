// Evaluates every mathematical function on the device and compares with the host, bit by bit (NaN equals NaN).
// Prints the number of differences; exits 0 when there are none.
#include <cstdio>
#include <cstring>
#include <vector>

#include "bits.h"

__global__ void on_device(const double *arguments, values *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = arguments[2 * i], y = arguments[2 * i + 1];
    float xf = (float)x, yf = (float)y;
    values &v = out[i];
#define F1(name)                                                                                                       \
    v.wide[function_##name] = name(x);                                                                                 \
    v.narrow[function_##name] = name##f(xf);
#define F2(name)                                                                                                       \
    v.wide[function_##name] = name(x, y);                                                                              \
    v.narrow[function_##name] = name##f(xf, yf);
#include "functions.def"
#undef F1
#undef F2
}

template <class T> static bool same(T a, T b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

// Magnitudes from 2^-60 to 2^60, both signs, and a few special values.
static std::vector<double> arguments(int pairs)
{
    std::vector<double> a = {0.0, -0.0,  1.0,    -1.0,   0.5,    2.0,   INFINITY, -INFINITY,
                             NAN, 1e300, -1e300, 5e-324, 1e-310, 710.0, 3.0,      48000.0};
    unsigned long long state = 88172645463325252ull;
    while ((int)a.size() < 2 * pairs) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double m = 1.0 + (double)(state >> 12) * 0x1p-52;
        int e = (int)(state & 127) % 121 - 60;
        if (state & 256)
            e /= 16;
        a.push_back((state & 128 ? -m : m) * std::ldexp(1.0, e));
    }
    return a;
}

int main()
{
    const int n = 256;
    std::vector<double> in = arguments(n);
    std::vector<values> got(n);
    double *device_in = nullptr;
    values *device_out = nullptr;
    cudaMalloc(&device_in, in.size() * sizeof(double));
    cudaMalloc(&device_out, n * sizeof(values));
    cudaMemcpy(device_in, in.data(), in.size() * sizeof(double), cudaMemcpyHostToDevice);
    on_device<<<n / 64, 64>>>(device_in, device_out, n);
    cudaError_t error = cudaMemcpy(got.data(), device_out, n * sizeof(values), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 2;
    }
    int differences = 0;
    for (int i = 0; i < n; i++) {
        values want = on_host(in[2 * i], in[2 * i + 1]);
        for (int f = 0; f < function_count; f++) {
            bool wide = same(got[i].wide[f], want.wide[f]), narrow = same(got[i].narrow[f], want.narrow[f]);
            if ((!wide || !narrow) && differences++ < 20)
                printf("%s(%a, %a): device %a %a, host %a %a\n", function_name(f), in[2 * i], in[2 * i + 1],
                       got[i].wide[f], got[i].narrow[f], want.wide[f], want.narrow[f]);
        }
    }
    printf("%d differences\n", differences);
    return differences != 0;
}
