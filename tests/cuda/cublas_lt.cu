// cuBLASLt: products with a bias and a function behind them, or gradients of these, in columns and in rows, one and many, against the host.
#include "cublas_oracle.h"

#include <cublasLt.h>

static cublasLtHandle_t lt;

static double applied(double v, cublasLtEpilogue_t epilogue)
{
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        return v < 0 ? 0 : v;
    if (epilogue & CUBLASLT_EPILOGUE_GELU)
        return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    return v;
}

// Of GELU.
static double slope(double v)
{
    const double c = std::sqrt(2 / M_PI), u = c * (v + 0.044715 * v * v * v), inner = c + 3 * 0.044715 * c * v * v;
    return 0.5 + 0.5 * std::tanh(u) + 0.5 * v * inner / (std::cosh(u) * std::cosh(u));
}

// A matrix of `rows` by `cols` as its layout says; element (i, j) of op of it.
template <class T> struct matrix {
    int rows, cols, ld, batch;
    bool by_rows;
    cublasOperation_t op;
    size_t stride;
    array<T> all;
    cublasLtMatrixLayout_t layout;
    matrix(int m, int n, cublasOperation_t op, bool by_rows, int batch, cudaDataType type)
        : rows(op == CUBLAS_OP_N ? m : n), cols(op == CUBLAS_OP_N ? n : m), ld((by_rows ? cols : rows) + draw(3)), batch(batch),
          by_rows(by_rows), op(op), stride((size_t)ld * (by_rows ? rows : cols)), all(stride * batch)
    {
        const int order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
        const long long offset = stride;
        MUST(cublasLtMatrixLayoutCreate(&layout, type, rows, cols, ld));
        MUST(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
        MUST(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
        MUST(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset, sizeof offset));
    }
    ~matrix() { cublasLtMatrixLayoutDestroy(layout); }
    size_t place(int z, int i, int j) const
    {
        if (op != CUBLAS_OP_N)
            std::swap(i, j);
        return z * stride + (by_rows ? (size_t)i * ld + j : i + (size_t)j * ld);
    }
    double get(int z, int i, int j) const { return all.get(place(z, i, j)).real(); }
};

template <class A, class D, class S>
static void product(cudaDataType a_type, cudaDataType d_type, cudaDataType scale, cublasComputeType_t compute, int m, int n, int k,
                    cublasLtEpilogue_t epilogue, bool by_rows)
{
    const bool gradient = epilogue & (16 | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB), back = epilogue & 64, keeps = epilogue & 128 && !back;
    const int batch = gradient ? 1 : 1 + draw(3);
    const cublasOperation_t ta = operations[draw(2)], tb = operations[draw(2)];
    matrix<A> a(m, k, ta, draw(2), batch, a_type), b(k, n, tb, draw(2), batch, a_type);
    matrix<D> d(m, n, CUBLAS_OP_N, by_rows, batch, d_type);
    array<D> bias(epilogue == CUBLASLT_EPILOGUE_BGRADB ? n : m), aux((size_t)batch * (m + 2) * (n + 2));
    const S alpha = number<S>(compute == CUBLAS_COMPUTE_32I ? 2 : 0.25), beta = number<S>(1);
    const void *place = bias.device, *aux_place = aux.device;
    const int64_t aux_ld = (by_rows ? n : m) + 2, aux_stride = (int64_t)(m + 2) * (n + 2);
    cublasLtMatmulDesc_t what;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    MUST(cublasLtMatmulDescCreate(&what, compute, scale));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &place, sizeof place));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux_place, sizeof aux_place));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    MUST(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, &aux_stride, sizeof aux_stride));
    MUST(cublasLtMatmulPreferenceCreate(&preference));
    MUST(cublasLtMatmulAlgoGetHeuristic(lt, what, a.layout, b.layout, d.layout, d.layout, preference, 1, &found, &count));
    if (count != 1 || found.state)
        std::printf("no algorithm\n"), wrong++;
    MUST(cublasLtMatmul(lt, what, &alpha, a.all.device, a.layout, b.all.device, b.layout, &beta, d.all.device, d.layout, d.all.device,
                        d.layout, &found.algo, NULL, 0, 0));
    for (int z = 0; z < batch; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int l = 0; l < k; l++)
                    sum += a.get(z, i, l) * b.get(z, l, j);
                sum = widen(alpha).real() * sum + d.get(z, i, j) + (epilogue & CUBLASLT_EPILOGUE_BIAS ? bias.get(i).real() : 0);
                const size_t at = z * aux_stride + (by_rows ? i * aux_ld + j : i + j * aux_ld);
                if (keeps)
                    aux.set(at, sum);
                d.all.set(d.place(z, i, j), back ? sum * slope(aux.get(at).real()) : applied(sum, epilogue));
            }
    for (int i = 0; gradient && i < (epilogue == CUBLASLT_EPILOGUE_BGRADB ? n : m); i++) {
        double sum = 0;
        for (int l = 0; l < (epilogue & 16 ? n : k); l++)
            sum += epilogue & 16 ? d.get(0, i, l) : epilogue == CUBLASLT_EPILOGUE_BGRADA ? a.get(0, i, l) : b.get(0, l, i);
        bias.set(i, sum);
    }
    d.all.check("cublasLtMatmul", 8);
    bias.check("the bias", gradient ? 8 + n : 8);
    aux.check("the argument of the function", 8);
    MUST(cublasLtMatmulPreferenceDestroy(preference));
    MUST(cublasLtMatmulDescDestroy(what));
}

// What there is not says so, to who asks for an algorithm and to who calls.
static void refusals()
{
    matrix<float> a(4, 4, CUBLAS_OP_N, false, 1, CUDA_R_32F), b(5, 4, CUBLAS_OP_N, false, 1, CUDA_R_32F);
    cublasLtMatmulDescOpaque_t what;
    cublasLtMatmulHeuristicResult_t found;
    int count, epilogue = 8 | 128;
    MUST(cublasLtMatmulDescInit(&what, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    if (cublasLtMatmulAlgoGetHeuristic(lt, &what, a.layout, b.layout, a.layout, a.layout, NULL, 1, &found, &count) != CUBLAS_STATUS_INVALID_VALUE || count)
        std::printf("sizes that do not fit\n"), wrong++;
    MUST(cublasLtMatmulDescSetAttribute(&what, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    if (cublasLtMatmulAlgoGetHeuristic(lt, &what, a.layout, a.layout, a.layout, a.layout, NULL, 1, &found, &count) != CUBLAS_STATUS_NOT_SUPPORTED)
        std::printf("an epilogue that there is not\n"), wrong++;
    if (cublasLtMatmulDescSetAttribute(&what, (cublasLtMatmulDescAttributes_t)17, &epilogue, 8) != CUBLAS_STATUS_NOT_SUPPORTED)
        std::printf("an attribute that there is not\n"), wrong++;
    tried += 3;
}

int main()
{
    MUST(cublasLtCreate(&lt));
    for (cublasLtEpilogue_t epilogue : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
                                        CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
                                        CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB})
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            product<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 70, 65, 20, epilogue, by_rows);
            product<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 7, 30, 20, epilogue, by_rows);
            product<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 9, 17, 20, epilogue, by_rows);
            product<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 66, 70, 9, epilogue, by_rows);
            product<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 9, 17, 20, epilogue, by_rows);
            product<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 9, 17, 20, epilogue, by_rows);
        }
    product<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 9, 17, 20, CUBLASLT_EPILOGUE_DEFAULT, false);
    refusals();
    MUST(cublasLtDestroy(lt));
    return say("lt");
}
