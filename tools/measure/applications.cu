/* Whole programs whose cycles were published, as far as they are plain loops over arrays: sums over their kernels.
 * Arrays are of float. */
#include "measure.h"

/* Each point of the inner square from the 3x3 around it. */
__global__ void convolve(const float *a, float *b, int n)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        b[i * n + j] = 0.2f * a[(i - 1) * n + j - 1] + 0.5f * a[(i - 1) * n + j] - 0.8f * a[(i - 1) * n + j + 1] - 0.3f * a[i * n + j - 1] +
                       0.6f * a[i * n + j] - 0.9f * a[i * n + j + 1] + 0.4f * a[(i + 1) * n + j - 1] + 0.7f * a[(i + 1) * n + j] +
                       0.1f * a[(i + 1) * n + j + 1];
}
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i < n && j < n)
        for (int k = 0; k < n; k++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
}
__global__ void columns(const float *a, const float *r, float *s, int n)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (j < n)
        for (int i = 0; i < n; i++)
            s[j] += a[i * n + j] * r[i];
}
__global__ void rows(const float *a, const float *p, float *q, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        for (int j = 0; j < n; j++)
            q[i] += a[i * n + j] * p[j];
}
__global__ void two_rows(const float *a, const float *b, const float *x, float *y, float *t, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        for (int j = 0; j < n; j++) {
            t[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = 1.5f * t[i] + 1.2f * y[i];
    }
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        c[i] = a[i] + b[i];
}

static float *a, *b, *c;
static void convolution(int n)
{
    convolve<<<dim3((unsigned)n / 32, (unsigned)n / 8), dim3(32, 8)>>>(a, b, n);
}
static void three_products(int n)
{
    dim3 grid((unsigned)n / 32, (unsigned)n / 8), block(32, 8);
    size_t m = (size_t)n * (size_t)n; /* elements of a matrix */
    multiply<<<grid, block>>>(a, a + m, b, n);
    multiply<<<grid, block>>>(a + 2 * m, a + 3 * m, b + m, n);
    multiply<<<grid, block>>>(b, b + m, c, n);
}
static void columns_and_rows(int n)
{
    columns<<<(unsigned)n / 256, 256>>>(a, b, c, n);
    rows<<<(unsigned)n / 256, 256>>>(a, b, c + n, n);
}
static void sum_of_products(int n)
{
    two_rows<<<(unsigned)n / 256, 256>>>(a, b, c, c + n, c + 2 * n, n);
}
static void sum(int n)
{
    add<<<((unsigned)n + 255) / 256, 256>>>(a, b, c, n);
}
/* once: what it goes through once, so that another launch before it costs little and leaves the L2 as it is on a card. */
static void measured(const char *what, const char *part, const char *parameter, void (*launch)(int), int n, bool once)
{
    cudaEvent_t e0, e1;
    std::vector<double> v;
    if (!wanted(part))
        return;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    for (int k = measure.small || (measure.few && !once) ? 0 : -1; k < measure.repetitions; k++) {
        float ms = 0;
        cudaEventRecord(e0);
        launch(measure.small ? 256 : n);
        cudaEventRecord(e1);
        finish(what);
        cudaEventElapsedTime(&ms, e0, e1);
        if (k >= 0)
            v.push_back(ms * measure.mhz * 1e3);
    }
    row(what, "cycles of all kernels", parameter, v, "cycles");
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    size_t most = (size_t)4096 * 4096;
    a = device_array<float>(most);
    b = device_array<float>(most);
    c = device_array<float>(most);
    measured("polybench-2DConvolution", "convolution", "NO_ARGS", convolution, 4096, true);
    measured("polybench-3mm", "3mm", "NO_ARGS", three_products, 512, false);
    measured("polybench-bicg", "bicg", "NO_ARGS", columns_and_rows, 4096, false);
    measured("polybench-gesummv", "gesummv", "NO_ARGS", sum_of_products, 4096, false);
    measured("vectorAdd", "vectorAdd", "__size_4000000", sum, 4000000, true);
    return 0;
}
