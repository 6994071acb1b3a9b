// cuSPARSE's generic functions: every format, operation, width of index and base against what the host computes.
#include "cusparse_oracle.h"

static cusparseHandle_t handle;
static char name[200];
template <class T> static const char *called(const char *what, int format = 0, int op = 0, int large = 0)
{
    std::snprintf(name, sizeof name, "%s of %c, format %d, operation %d, %d bits", what, letter_of(T()), format, op, large ? 64 : 32);
    return name;
}
static void mode(bool on_device)
{
    MUST(cusparseSetPointerMode(handle, on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
}
static wide factor() { return draw(3) ? drawn() : wide(draw(2)); }

// ---- products. S: what scalars are.
template <class T, class S> static void vectors(const sparse<T> &a, const placed<T> &on, cusparseFormat_t format, cusparseOperation_t op, bool large)
{
    const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE, on_device = draw(2);
    const int rows = plain ? a.m : a.n, columns = plain ? a.n : a.m;
    array<T> x(columns), y(rows);
    parameter<S> alpha(factor(), on_device), beta(factor(), on_device);
    cusparseDnVecDescr_t vx, vy;
    MUST(cusparseCreateDnVec(&vx, columns, x.device, type_of(T())));
    MUST(cusparseCreateDnVec(&vy, rows, y.device, type_of(T())));
    mode(on_device);
    size_t size;
    MUST(cusparseSpMV_bufferSize(handle, op, alpha.get(), on.mat, vx, beta.get(), vy, type_of(S()), CUSPARSE_SPMV_ALG_DEFAULT, &size));
    MUST(cusparseSpMV_preprocess(handle, op, alpha.get(), on.mat, vx, beta.get(), vy, type_of(S()), CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    MUST(cusparseSpMV(handle, op, alpha.get(), on.mat, vx, beta.get(), vy, type_of(S()), CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    for (int i = 0; i < rows; i++) {
        wide sum = 0;
        for (int j = 0; j < columns; j++)
            sum += a.get(op, i, j) * x.get(j);
        y.set(i, alpha.known() * sum + beta.known() * y.get(i));
    }
    y.check(called<T>("SpMV", format, op, large), 8 * columns);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
}
template <class T, class S> static void matrices(const sparse<T> &a, const placed<T> &on, cusparseFormat_t format, cusparseOperation_t op, bool large)
{
    const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE, on_device = draw(2);
    const int rows = plain ? a.m : a.n, inner = plain ? a.n : a.m, columns = 5;
    const cusparseOperation_t op_b = operations[draw(3)];
    const bool plain_b = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int b_rows = plain_b ? inner : columns, b_columns = plain_b ? columns : inner;
    const bool b_lies = draw(2), c_lies = draw(2);
    const int ldb = (b_lies ? b_columns : b_rows) + draw(3), ldc = (c_lies ? columns : rows) + draw(3);
    array<T> b((size_t)ldb * (b_lies ? b_rows : b_columns)), c((size_t)ldc * (c_lies ? rows : columns));
    parameter<S> alpha(factor(), on_device), beta(factor(), on_device);
    cusparseDnMatDescr_t mb, mc;
    MUST(cusparseCreateDnMat(&mb, b_rows, b_columns, ldb, b.device, type_of(T()), b_lies ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    MUST(cusparseCreateDnMat(&mc, rows, columns, ldc, c.device, type_of(T()), c_lies ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    mode(on_device);
    size_t size;
    MUST(cusparseSpMM_bufferSize(handle, op, op_b, alpha.get(), on.mat, mb, beta.get(), mc, type_of(S()), CUSPARSE_SPMM_ALG_DEFAULT, &size));
    MUST(cusparseSpMM(handle, op, op_b, alpha.get(), on.mat, mb, beta.get(), mc, type_of(S()), CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            wide sum = 0;
            for (int k = 0; k < inner; k++) {
                const int r = plain_b ? k : j, s = plain_b ? j : k;
                const wide v = b.get(b_lies ? (size_t)r * ldb + s : r + (size_t)s * ldb);
                sum += a.get(op, i, k) * (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(v) : v);
            }
            const size_t at = c_lies ? (size_t)i * ldc + j : i + (size_t)j * ldc;
            c.set(at, alpha.known() * sum + beta.known() * c.get(at));
        }
    c.check(called<T>("SpMM", format, op, large), 8 * inner);
    cusparseDestroyDnMat(mb);
    cusparseDestroyDnMat(mc);
}
template <class T, class S> static void sampled(const sparse<T> &a)
{
    const int inner = 6;
    placed<T> on(a, CUSPARSE_FORMAT_CSR);
    array<T> left((size_t)a.m * inner), right((size_t)inner * a.n);
    cusparseDnMatDescr_t ml, mr;
    parameter<S> alpha(drawn(), false), beta(drawn(), false);
    MUST(cusparseCreateDnMat(&ml, a.m, inner, inner, left.device, type_of(T()), CUSPARSE_ORDER_ROW));
    MUST(cusparseCreateDnMat(&mr, inner, a.n, inner, right.device, type_of(T()), CUSPARSE_ORDER_COL));
    mode(false);
    size_t size;
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    MUST(cusparseSDDMM_bufferSize(handle, op, op, alpha.get(), ml, mr, beta.get(), on.mat, type_of(S()), CUSPARSE_SDDMM_ALG_DEFAULT, &size));
    MUST(cusparseSDDMM(handle, op, op, alpha.get(), ml, mr, beta.get(), on.mat, type_of(S()), CUSPARSE_SDDMM_ALG_DEFAULT, NULL));
    size_t k = 0;
    for (int i = 0; i < a.m; i++)
        for (int j = 0; j < a.n; j++)
            if (a.there(i, j)) {
                wide sum = 0;
                for (int l = 0; l < inner; l++)
                    sum += left.get(i * inner + l) * right.get(l + j * inner);
                on.values.set(k, alpha.known() * sum + beta.known() * on.values.get(k));
                k++;
            }
    on.values.check(called<T>("SDDMM"), 8 * inner);
    cusparseDestroyDnMat(ml);
    cusparseDestroyDnMat(mr);
}

// The product of two sparse matrices; and again with other values in the same places.
template <class T> static void check_product(const sparse<T> &a, const sparse<T> &b, const index_list &offsets, const index_list &columns, array<T> &values, wide alpha, const char *what)
{
    index_list expected_offsets, expected_columns;
    size_t k = 0;
    for (int i = 0; i < a.m; i++) {
        expected_offsets.host.push_back(k);
        for (int j = 0; j < b.n; j++) {
            wide sum = 0;
            bool there = false;
            for (int l = 0; l < a.n; l++) {
                sum += a.get(i, l) * b.get(l, j);
                there = there || (a.there(i, l) && b.there(l, j));
            }
            if (there) {
                expected_columns.host.push_back(j);
                values.set(k++, alpha * sum);
            }
        }
    }
    expected_offsets.host.push_back(k);
    tried++;
    if (offsets.get() != expected_offsets.host || columns.get() != expected_columns.host) {
        std::printf("%s: other places\n", called<T>(what));
        wrong++;
    }
    values.check(called<T>(what), 8 * a.n);
}
template <class T> static void products(bool reuse)
{
    sparse<T> a(20, 15, 3), b(15, 18, 3);
    placed<T> pa(a, CUSPARSE_FORMAT_CSR), pb(b, CUSPARSE_FORMAT_CSR);
    parameter<T> alpha(drawn(), false), beta(0, false);
    cusparseSpMatDescr_t mc;
    cusparseSpGEMMDescr_t descr;
    index_list offsets, columns;
    size_t size1 = 0, size2 = 0, size3 = 0, size4 = 0, size5 = 0;
    void *buffer;
    int64_t rows, cols, nnz;
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;
    mode(false);
    offsets.host.resize(a.m + 1);
    offsets.send();
    MUST(cusparseCreateCsr(&mc, a.m, b.n, 0, offsets.device, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of(T())));
    MUST(cusparseSpGEMM_createDescr(&descr));
    MUST(cudaMalloc(&buffer, 4096));
    if (reuse) {
        MUST(cusparseSpGEMMreuse_workEstimation(handle, op, op, pa.mat, pb.mat, mc, alg, descr, &size1, NULL));
        MUST(cusparseSpGEMMreuse_workEstimation(handle, op, op, pa.mat, pb.mat, mc, alg, descr, &size1, buffer));
        MUST(cusparseSpGEMMreuse_nnz(handle, op, op, pa.mat, pb.mat, mc, alg, descr, &size2, NULL, &size3, NULL, &size4, NULL));
        MUST(cusparseSpGEMMreuse_nnz(handle, op, op, pa.mat, pb.mat, mc, alg, descr, &size2, buffer, &size3, buffer, &size4, buffer));
    } else {
        MUST(cusparseSpGEMM_workEstimation(handle, op, op, alpha.get(), pa.mat, pb.mat, beta.get(), mc, type_of(T()), alg, descr, &size1, NULL));
        MUST(cusparseSpGEMM_workEstimation(handle, op, op, alpha.get(), pa.mat, pb.mat, beta.get(), mc, type_of(T()), alg, descr, &size1, buffer));
        MUST(cusparseSpGEMM_compute(handle, op, op, alpha.get(), pa.mat, pb.mat, beta.get(), mc, type_of(T()), alg, descr, &size2, NULL));
        MUST(cusparseSpGEMM_compute(handle, op, op, alpha.get(), pa.mat, pb.mat, beta.get(), mc, type_of(T()), alg, descr, &size2, buffer));
    }
    MUST(cusparseSpMatGetSize(mc, &rows, &cols, &nnz));
    columns.host.resize(nnz);
    columns.send();
    array<T> values(nnz, false);
    MUST(cusparseCsrSetPointers(mc, offsets.device, columns.device, values.device));
    if (reuse) {
        MUST(cusparseSpGEMMreuse_copy(handle, op, op, pa.mat, pb.mat, mc, alg, descr, &size5, NULL));
        MUST(cusparseSpGEMMreuse_copy(handle, op, op, pa.mat, pb.mat, mc, alg, descr, &size5, buffer));
        for (size_t k = 0, i = 0; i < a.dense.size(); i++)
            if (a.has[i]) {
                const wide other = drawn();
                pa.values.set(k, other);
                a.dense[i] = pa.values.get(k++);
            }
        pa.values.send();
        MUST(cusparseSpGEMMreuse_compute(handle, op, op, alpha.get(), pa.mat, pb.mat, beta.get(), mc, type_of(T()), alg, descr));
    } else {
        MUST(cusparseSpGEMM_copy(handle, op, op, alpha.get(), pa.mat, pb.mat, beta.get(), mc, type_of(T()), alg, descr));
    }
    check_product(a, b, offsets, columns, values, alpha.known(), reuse ? "SpGEMMreuse" : "SpGEMM");
    cusparseSpGEMM_destroyDescr(descr);
    cusparseDestroySpMat(mc);
    cudaFree(buffer);
}

// ---- triangular systems: the matrix has elements in both halves.
template <class T> static void triangles(cusparseFormat_t format, bool large)
{
    const int n = 70, sides = 3;
    sparse<T> a(n, n, 2);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (a.there(i, j))
                a.set(i, j, a.get(i, j) / 8.0);
        a.set(i, i, 2.0 + draw(3));
    }
    placed<T> on(a, format, large, 1);
    for (cusparseOperation_t op : operations)
        for (int which = 0; which < 4; which++) {
            cusparseFillMode_t fill = which & 1 ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
            cusparseDiagType_t diag = which & 2 ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
            MUST(cusparseSpMatSetAttribute(on.mat, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
            MUST(cusparseSpMatSetAttribute(on.mat, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
            const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE, lower = (fill == CUSPARSE_FILL_MODE_LOWER) == plain;
            array<T> b(n * sides), x(n * sides, false), one(n, false);
            parameter<T> alpha(drawn(), false);
            mode(false);
            for (int side = 0; side < sides; side++)
                for (int step = 0; step < n; step++) {
                    const int i = lower ? step : n - 1 - step;
                    wide rest = alpha.known() * b.get(i + side * n);
                    for (int j = lower ? 0 : i + 1; j < (lower ? i : n); j++)
                        rest -= a.get(op, i, j) * x.get(j + side * n);
                    x.set(i + side * n, which & 2 ? rest : rest / a.get(op, i, i));
                    if (side == 0)
                        one.host[i] = x.host[i];
                }
            cusparseDnVecDescr_t vb, vx;
            cusparseDnMatDescr_t mb, mx;
            cusparseSpSVDescr_t sv;
            cusparseSpSMDescr_t sm;
            size_t size;
            const cusparseOperation_t no = CUSPARSE_OPERATION_NON_TRANSPOSE;
            MUST(cusparseCreateDnVec(&vb, n, b.device, type_of(T())));
            MUST(cusparseCreateDnVec(&vx, n, one.device, type_of(T())));
            MUST(cusparseSpSV_createDescr(&sv));
            MUST(cusparseSpSV_bufferSize(handle, op, alpha.get(), on.mat, vb, vx, type_of(T()), CUSPARSE_SPSV_ALG_DEFAULT, sv, &size));
            EXPECT(cusparseSpSV_solve(handle, op, alpha.get(), on.mat, vb, vx, type_of(T()), CUSPARSE_SPSV_ALG_DEFAULT, sv), CUSPARSE_STATUS_INVALID_VALUE);
            MUST(cusparseSpSV_analysis(handle, op, alpha.get(), on.mat, vb, vx, type_of(T()), CUSPARSE_SPSV_ALG_DEFAULT, sv, NULL));
            MUST(cusparseSpSV_solve(handle, op, alpha.get(), on.mat, vb, vx, type_of(T()), CUSPARSE_SPSV_ALG_DEFAULT, sv));
            one.check(called<T>("SpSV", format, op, large), 8 * n);
            MUST(cusparseCreateDnMat(&mb, n, sides, n, b.device, type_of(T()), CUSPARSE_ORDER_COL));
            MUST(cusparseCreateDnMat(&mx, n, sides, n, x.device, type_of(T()), CUSPARSE_ORDER_COL));
            MUST(cusparseSpSM_createDescr(&sm));
            MUST(cusparseSpSM_bufferSize(handle, op, no, alpha.get(), on.mat, mb, mx, type_of(T()), CUSPARSE_SPSM_ALG_DEFAULT, sm, &size));
            MUST(cusparseSpSM_analysis(handle, op, no, alpha.get(), on.mat, mb, mx, type_of(T()), CUSPARSE_SPSM_ALG_DEFAULT, sm, NULL));
            MUST(cusparseSpSM_solve(handle, op, no, alpha.get(), on.mat, mb, mx, type_of(T()), CUSPARSE_SPSM_ALG_DEFAULT, sm));
            x.check(called<T>("SpSM", format, op, large), 8 * n);
            cusparseDestroyDnVec(vb);
            cusparseDestroyDnVec(vx);
            cusparseDestroyDnMat(mb);
            cusparseDestroyDnMat(mx);
            cusparseSpSV_destroyDescr(sv);
            cusparseSpSM_destroyDescr(sm);
        }
}

// Each row waits for the one below it, and there are more than a GPU has room for at once.
static void long_chain()
{
    const int n = 1500;
    sparse<double> a(n, n, 0);
    for (int i = 0; i < n; i++) {
        a.set(i, i, 2);
        if (i < n - 1)
            a.set(i, i + 1, 1);
    }
    placed<double> on(a, CUSPARSE_FORMAT_CSR);
    array<double> b(n), x(n, false);
    const double one = 1;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
    cusparseDnVecDescr_t vb, vx;
    cusparseSpSVDescr_t descr;
    mode(false);
    for (int i = n - 1; i >= 0; i--)
        x.set(i, (b.get(i) - (i < n - 1 ? x.get(i + 1) : 0)) / 2.0);
    MUST(cusparseSpMatSetAttribute(on.mat, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    MUST(cusparseCreateDnVec(&vb, n, b.device, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&vx, n, x.device, CUDA_R_64F));
    MUST(cusparseSpSV_createDescr(&descr));
    MUST(cusparseSpSV_analysis(handle, operations[0], &one, on.mat, vb, vx, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr, NULL));
    MUST(cusparseSpSV_solve(handle, operations[0], &one, on.mat, vb, vx, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr));
    x.check("SpSV of a long chain", 10);
    MUST(cusparseSpSV_destroyDescr(descr));
    cusparseDestroyDnVec(vb);
    cusparseDestroyDnVec(vx);
}

// ---- dense and sparse
template <class T> static void conversions(const sparse<T> &a, cusparseFormat_t format, bool large)
{
    placed<T> wanted(a, format, large, 1), got(a, format, large, 1);
    const int ld = a.n + 2;
    array<T> dense((size_t)a.m * ld);
    cusparseDnMatDescr_t mat;
    size_t size;
    MUST(cusparseCreateDnMat(&mat, a.m, a.n, ld, dense.device, type_of(T()), CUSPARSE_ORDER_ROW));
    MUST(cusparseSparseToDense_bufferSize(handle, wanted.mat, mat, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size));
    MUST(cusparseSparseToDense(handle, wanted.mat, mat, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
    for (int i = 0; i < a.m; i++)
        for (int j = 0; j < a.n; j++)
            dense.set((size_t)i * ld + j, a.get(i, j));
    dense.check(called<T>("SparseToDense", format, 0, large), 0);

    MUST(cudaMemset(got.major.device, 0, got.major.host.size() * (large ? 8 : 4)));
    MUST(cudaMemset(got.minor.device, 0, got.minor.host.size() * (large ? 8 : 4)));
    MUST(cudaMemset(got.values.device, 0, got.values.host.size() * sizeof(T)));
    MUST(cusparseDenseToSparse_bufferSize(handle, mat, got.mat, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size));
    MUST(cusparseDenseToSparse_analysis(handle, mat, got.mat, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
    int64_t rows, cols, nnz;
    MUST(cusparseSpMatGetSize(got.mat, &rows, &cols, &nnz));
    int kept = 0; // drawn zeros are left out
    for (const T &v : wanted.values.host)
        kept += widen(v) != wide(0);
    EXPECT((int)nnz, kept);
    if (kept == (int)wanted.values.host.size()) {
        MUST(cusparseDenseToSparse_convert(handle, mat, got.mat, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
        got.major.check(called<T>("DenseToSparse, offsets", format, 0, large));
        got.minor.check(called<T>("DenseToSparse, indices", format, 0, large));
        got.values.check(called<T>("DenseToSparse", format, 0, large), 0);
    }
    cusparseDestroyDnMat(mat);
}

// ---- sparse vectors
template <class T> static void sparse_vectors()
{
    const int n = 90, nnz = 41;
    index_list at;
    array<T> x(nnz), y(n);
    for (int k = 0; k < nnz; k++)
        at.host.push_back(k * 2 + 3);
    at.send();
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    MUST(cusparseCreateSpVec(&vx, n, nnz, at.device, x.device, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type_of(T())));
    MUST(cusparseCreateDnVec(&vy, n, y.device, type_of(T())));
    const int base = 1;
    for (int on_device = 0; on_device < 2; on_device++)
        for (cusparseOperation_t op : {operations[0], operations[2]}) {
            parameter<T> result(0, on_device);
            mode(on_device);
            wide sum = 0;
            for (int k = 0; k < nnz; k++)
                sum += (op ? std::conj(x.get(k)) : x.get(k)) * y.get(at.host[k] - base);
            MUST(cusparseSpVV(handle, op, vx, vy, result.get(), type_of(T()), NULL));
            if (on_device)
                MUST(cudaMemcpy(&result.value, result.device, sizeof(T), cudaMemcpyDeviceToHost));
            tried++;
            if (std::abs(result.known() - sum) > precision(T()) * 8 * nnz) {
                std::printf("%s\n", called<T>("SpVV"));
                wrong++;
            }
        }
    parameter<T> alpha(drawn(), false), beta(drawn(), false), c(0.6, false), s(0.8, false);
    mode(false);
    MUST(cusparseAxpby(handle, alpha.get(), vx, beta.get(), vy));
    for (int i = 0; i < n; i++)
        y.set(i, beta.known() * y.get(i));
    for (int k = 0; k < nnz; k++)
        y.set(at.host[k] - base, y.get(at.host[k] - base) + alpha.known() * x.get(k));
    y.check(called<T>("Axpby"), 8);
    y.send();
    MUST(cusparseRot(handle, c.get(), s.get(), vx, vy));
    for (int k = 0; k < nnz; k++) {
        const wide a = x.get(k), b = y.get(at.host[k] - base);
        x.set(k, c.known() * a + s.known() * b);
        y.set(at.host[k] - base, c.known() * b - std::conj(s.known()) * a);
    }
    x.check(called<T>("Rot"), 8);
    y.check(called<T>("Rot, dense"), 8);
    x.send();
    y.send();
    MUST(cusparseScatter(handle, vx, vy));
    for (int k = 0; k < nnz; k++)
        y.host[at.host[k] - base] = x.host[k];
    y.check(called<T>("Scatter"), 0);
    MUST(cudaMemset(x.device, 0, nnz * sizeof(T)));
    MUST(cusparseGather(handle, vy, vx));
    x.check(called<T>("Gather"), 0);
    cusparseDestroySpVec(vx);
    cusparseDestroyDnVec(vy);
}

template <class T> static void all()
{
    sparse<T> a(33, 21, 3);
    for (cusparseFormat_t format : formats)
        for (int large = 0; large < 2; large++) {
            placed<T> on(a, format, large, draw(2));
            for (cusparseOperation_t op : operations) {
                vectors<T, T>(a, on, format, op, large);
                matrices<T, T>(a, on, format, op, large);
            }
            conversions(a, format, large);
            triangles<T>(format, large);
        }
    for (int large = 0; large < 2; large++) {
        const cusparseFormat_t sliced = CUSPARSE_FORMAT_SLICED_ELLPACK;
        placed<T> on(a, sliced, large, large);
        for (cusparseOperation_t op : operations)
            vectors<T, T>(a, on, sliced, op, large);
        triangles<T>(sliced, large);
    }
    sampled<T, T>(a);
    products<T>(false);
    products<T>(true);
    sparse_vectors<T>();
}

// Batches: of matrices with the same places, or of dense ones alone.
static void batches()
{
    typedef float T;
    sparse<T> a(12, 9, 4);
    placed<T> on(a, CUSPARSE_FORMAT_CSR);
    array<T> b(9 * 2 * 3), c(12 * 2 * 3, false);
    const float one = 1, zero = 0;
    cusparseDnMatDescr_t mb, mc;
    mode(false);
    MUST(cusparseCreateDnMat(&mb, 9, 2, 9, b.device, CUDA_R_32F, CUSPARSE_ORDER_COL));
    MUST(cusparseCreateDnMat(&mc, 12, 2, 12, c.device, CUDA_R_32F, CUSPARSE_ORDER_COL));
    MUST(cusparseDnMatSetStridedBatch(mb, 3, 18));
    MUST(cusparseDnMatSetStridedBatch(mc, 3, 24));
    MUST(cusparseCsrSetStridedBatch(on.mat, 3, 0, 0));
    MUST(cusparseSpMM(handle, operations[0], operations[0], &one, on.mat, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, NULL));
    for (int z = 0; z < 3; z++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < 9; k++)
                    c.set(z * 24 + i + j * 12, c.get(z * 24 + i + j * 12) + a.get(i, k) * b.get(z * 18 + k + j * 9));
    c.check("SpMM of a batch", 72);
    cusparseDestroyDnMat(mb);
    cusparseDestroyDnMat(mc);
}

static void misuse()
{
    sparse<float> a(4, 5, 5);
    placed<float> on(a, CUSPARSE_FORMAT_CSR);
    array<float> x(5), y(4);
    cusparseDnVecDescr_t vx, vy, none;
    const float one = 1;
    size_t size;
    int version;
    MUST(cusparseCreateDnVec(&vx, 5, x.device, CUDA_R_32F));
    MUST(cusparseCreateDnVec(&vy, 4, y.device, CUDA_R_32F));
    const cusparseOperation_t no = operations[0];
    EXPECT(cusparseCreate(NULL), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseGetVersion(NULL, &version), CUSPARSE_STATUS_NOT_INITIALIZED);
    EXPECT(cusparseCreateDnVec(&none, -1, x.device, CUDA_R_32F), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseSpMV(NULL, no, &one, on.mat, vx, &one, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL), CUSPARSE_STATUS_NOT_INITIALIZED);
    EXPECT(cusparseSpMV(handle, no, &one, on.mat, vy, &one, vx, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseSpMV(handle, no, NULL, on.mat, vx, &one, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseSpMV(handle, no, &one, on.mat, vx, &one, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL), CUSPARSE_STATUS_NOT_SUPPORTED);
    EXPECT(cusparseSpMV_bufferSize(handle, no, &one, on.mat, vx, &one, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(cusparseCscSetPointers(on.mat, x.device, x.device, x.device), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(std::strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT"), 0);
    EXPECT(std::strcmp(cusparseGetErrorString(CUSPARSE_STATUS_SUCCESS), "success"), 0);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
}

int main()
{
    MUST(cusparseCreate(&handle));
    all<float>();
    all<double>();
    all<cuComplex>();
    all<cuDoubleComplex>();
    sparse<__half> halves(17, 12, 4);
    placed<__half> on(halves, CUSPARSE_FORMAT_CSR);
    vectors<__half, float>(halves, on, CUSPARSE_FORMAT_CSR, operations[0], false);
    matrices<__half, float>(halves, on, CUSPARSE_FORMAT_CSR, operations[1], false);
    sampled<__half, float>(halves);
    batches();
    long_chain();
    misuse();
    MUST(cusparseDestroy(handle));
    return say("generic");
}
