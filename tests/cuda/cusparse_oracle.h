// What the tests of cuSPARSE share: a random sparse matrix that the host knows as a dense one, in any format on the device.
#pragma once

#include "numbers_oracle.h"

#include <algorithm>

#include <cusparse.h>

static cudaDataType type_of(float) { return CUDA_R_32F; }
static cudaDataType type_of(double) { return CUDA_R_64F; }
static cudaDataType type_of(cuComplex) { return CUDA_C_32F; }
static cudaDataType type_of(cuDoubleComplex) { return CUDA_C_64F; }
static cudaDataType type_of(__half) { return CUDA_R_16F; }
static char letter_of(float) { return 'S'; }
static char letter_of(double) { return 'D'; }
static char letter_of(cuComplex) { return 'C'; }
static char letter_of(cuDoubleComplex) { return 'Z'; }
static char letter_of(__half) { return 'H'; }

static const cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                                 CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};

// Indices of 32 or 64 bits on the device.
struct index_list {
    std::vector<long long> host;
    void *device = NULL;
    bool large;
    explicit index_list(bool large = false) : large(large) {}
    ~index_list() { cudaFree(device); }
    index_list(const index_list &) = delete;
    void send()
    {
        std::vector<int> small(host.begin(), host.end());
        const size_t bytes = host.size() * (large ? 8 : 4);
        cudaFree(device);
        MUST(cudaMalloc(&device, bytes + 8));
        MUST(cudaMemcpy(device, large ? (void *)host.data() : (void *)small.data(), bytes, cudaMemcpyHostToDevice));
    }
    std::vector<long long> get() const
    {
        std::vector<int> small(host.size());
        std::vector<long long> got(host.size());
        MUST(cudaMemcpy(large ? (void *)got.data() : (void *)small.data(), device, host.size() * (large ? 8 : 4), cudaMemcpyDeviceToHost));
        return large ? got : std::vector<long long>(small.begin(), small.end());
    }
    void check(const char *what) const
    {
        const std::vector<long long> got = get();
        tried++;
        for (size_t i = 0; i < host.size(); i++)
            if (got[i] != host[i]) {
                std::printf("%s: index %zu is %lld, not %lld\n", what, i, got[i], host[i]);
                wrong++;
                return;
            }
    }
    int *ints() const { return (int *)device; }
};

template <class T> struct sparse {
    int m, n;
    std::vector<wide> dense; // by rows
    std::vector<char> has;
    wide get(int i, int j) const { return dense[(size_t)i * n + j]; }
    bool there(int i, int j) const { return has[(size_t)i * n + j]; }
    void set(int i, int j, wide v)
    {
        dense[(size_t)i * n + j] = widen(number<T>(v));
        has[(size_t)i * n + j] = 1;
    }
    wide get(cusparseOperation_t op, int i, int j) const
    {
        return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? get(i, j) : op == CUSPARSE_OPERATION_TRANSPOSE ? get(j, i) : std::conj(get(j, i));
    }
    sparse(int m, int n, unsigned of_ten) : m(m), n(n), dense((size_t)m * n), has((size_t)m * n)
    {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n && i % 7 != 3; j++) // some rows have nothing
                if (draw(10) < of_ten)
                    set(i, j, drawn());
    }
    int count() const
    {
        int sum = 0;
        for (char one : has)
            sum += one;
        return sum;
    }
};

// It, on the device.
template <class T> struct placed {
    index_list major, minor;
    array<T> values;
    cusparseSpMatDescr_t mat;
    placed(const sparse<T> &a, cusparseFormat_t format, bool large = false, int base = 0)
        : major(large), minor(large), values(a.count())
    {
        const bool columns = format == CUSPARSE_FORMAT_CSC;
        const cusparseIndexType_t type = large ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
        const cusparseIndexBase_t from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
        size_t k = 0;
        if (format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
            slice(a, base);
            MUST(cusparseCreateSlicedEll(&mat, a.m, a.n, a.count(), minor.host.size(), 4, major.device, minor.device, values.device, type, type, from, type_of(T())));
            return;
        }
        for (int i = 0; i < (columns ? a.n : a.m); i++) {
            if (format != CUSPARSE_FORMAT_COO)
                major.host.push_back(k + base);
            for (int j = 0; j < (columns ? a.m : a.n); j++) {
                const int row = columns ? j : i, column = columns ? i : j;
                if (!a.there(row, column))
                    continue;
                if (format == CUSPARSE_FORMAT_COO)
                    major.host.push_back(i + base);
                minor.host.push_back(j + base);
                values.set(k++, a.get(row, column));
            }
        }
        if (format != CUSPARSE_FORMAT_COO)
            major.host.push_back(k + base);
        major.send();
        minor.send();
        values.send();
        if (format == CUSPARSE_FORMAT_CSR)
            MUST(cusparseCreateCsr(&mat, a.m, a.n, k, major.device, minor.device, values.device, type, type, from, type_of(T())));
        else if (format == CUSPARSE_FORMAT_CSC)
            MUST(cusparseCreateCsc(&mat, a.m, a.n, k, major.device, minor.device, values.device, type, type, from, type_of(T())));
        else
            MUST(cusparseCreateCoo(&mat, a.m, a.n, k, major.device, minor.device, values.device, type, from, type_of(T())));
    }
    // Slices of four rows, each as wide as its longest one; what is not there has numbers that spoil sums.
    void slice(const sparse<T> &a, int base)
    {
        const int rows = 4;
        std::vector<wide> held;
        for (int first = 0; first < a.m; first += rows) {
            std::vector<int> there[rows];
            size_t width = 0;
            for (int r = 0; r < rows && first + r < a.m; r++) {
                for (int j = 0; j < a.n; j++)
                    if (a.there(first + r, j))
                        there[r].push_back(j);
                width = std::max(width, there[r].size());
            }
            major.host.push_back(held.size() + base);
            for (size_t w = 0; w < width; w++)
                for (int r = 0; r < rows; r++) {
                    const bool some = w < there[r].size();
                    minor.host.push_back(some ? there[r][w] + base : -1);
                    held.push_back(some ? a.get(first + r, there[r][w]) : wide(1000));
                }
        }
        major.host.push_back(held.size() + base);
        cudaFree(values.device);
        values.host.resize(held.size());
        MUST(cudaMalloc((void **)&values.device, held.size() * sizeof(T) + 8));
        for (size_t k = 0; k < held.size(); k++)
            values.set(k, held[k]);
        major.send();
        minor.send();
        values.send();
    }
    ~placed() { cusparseDestroySpMat(mat); }
};

// A scalar where the pointer mode wants it.
template <class S> struct parameter {
    S value, *device;
    bool on_device;
    parameter(wide v, bool on_device) : value(number<S>(v)), device(NULL), on_device(on_device)
    {
        MUST(cudaMalloc(&device, sizeof(S)));
        MUST(cudaMemcpy(device, &value, sizeof(S), cudaMemcpyHostToDevice));
    }
    ~parameter() { cudaFree(device); }
    S *get() { return on_device ? device : &value; }
    wide known() const { return widen(value); }
};
static void expect(int got, int wanted, const char *what)
{
    tried++;
    if (got != wanted) {
        std::printf("%s: status %d, not %d\n", what, got, wanted);
        wrong++;
    }
}
#define EXPECT(call, wanted) expect(call, wanted, #call)
