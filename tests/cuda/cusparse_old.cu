// cuSPARSE's older functions, whose matrices are CSR of 32 bits, against what the host computes.
#include "cusparse_oracle.h"

#include <algorithm>

static cusparseHandle_t handle;
static cusparseMatDescr_t from0, from1;

#define CALL(L, name) static constexpr decltype(&cusparse##L##name) name = cusparse##L##name;
#define CALLS(L)                                                                                                       \
    CALL(L, nnz) CALL(L, csrgeam2_bufferSizeExt) CALL(L, csrgeam2) CALL(L, gtsv2_bufferSizeExt) CALL(L, gtsv2)         \
    CALL(L, gtsv2_nopivot) CALL(L, gtsv2StridedBatch) CALL(L, gtsvInterleavedBatch) CALL(L, gpsvInterleavedBatch) CALL(L, gpsvInterleavedBatch_bufferSizeExt) CALL(L, csrilu02_bufferSize)       \
    CALL(L, csrilu02_analysis) CALL(L, csrilu02) CALL(L, csric02) CALL(L, csric02_analysis)
template <class T> struct of;
template <> struct of<float> { CALLS(S) };
template <> struct of<double> { CALLS(D) };
template <> struct of<cuComplex> { CALLS(C) };
template <> struct of<cuDoubleComplex> { CALLS(Z) };

static char name[100];
template <class T> static const char *called(const char *what)
{
    std::snprintf(name, sizeof name, "%s of %c", what, letter_of(T()));
    return name;
}

// ---- indices
static void indices()
{
    sparse<float> a(31, 19, 3);
    placed<float> lines(a, CUSPARSE_FORMAT_CSR, false, 1), pairs(a, CUSPARSE_FORMAT_COO, false, 1);
    const int nnz = a.count();
    index_list rows, offsets, p;
    rows.host = pairs.major.host;
    rows.send();
    MUST(cudaMemset(rows.device, 0, nnz * 4));
    MUST(cusparseXcsr2coo(handle, lines.major.ints(), nnz, a.m, rows.ints(), CUSPARSE_INDEX_BASE_ONE));
    rows.check("Xcsr2coo");
    offsets.host.resize(a.m + 1);
    offsets.send();
    MUST(cusparseXcoo2csr(handle, pairs.major.ints(), nnz, a.m, offsets.ints(), CUSPARSE_INDEX_BASE_ONE));
    offsets.host = lines.major.host;
    offsets.check("Xcoo2csr");
    p.host.resize(nnz);
    p.send();
    MUST(cusparseCreateIdentityPermutation(handle, nnz, p.ints()));
    for (int k = 0; k < nnz; k++)
        p.host[k] = k;
    p.check("CreateIdentityPermutation");

    // Shuffled, then sorted again.
    std::vector<int> order(nnz);
    for (int k = 0; k < nnz; k++)
        order[k] = k;
    for (int k = nnz - 1; k > 0; k--)
        std::swap(order[k], order[draw(k + 1)]);
    index_list r, c;
    for (int k = 0; k < nnz; k++) {
        r.host.push_back(pairs.major.host[order[k]]);
        c.host.push_back(pairs.minor.host[order[k]]);
    }
    r.send();
    c.send();
    size_t size;
    MUST(cusparseXcoosort_bufferSizeExt(handle, a.m, a.n, nnz, r.ints(), c.ints(), &size));
    MUST(cusparseXcoosortByRow(handle, a.m, a.n, nnz, r.ints(), c.ints(), p.ints(), NULL));
    for (int k = 0; k < nnz; k++)
        p.host[order[k]] = 0;
    r.host = pairs.major.host;
    c.host = pairs.minor.host;
    for (int k = 0; k < nnz; k++)
        p.host[order[k]] = k;
    r.check("XcoosortByRow, rows");
    c.check("XcoosortByRow, columns");
    p.check("XcoosortByRow, permutation");
    placed<float> columns(a, CUSPARSE_FORMAT_CSC, false, 1);
    MUST(cusparseXcoosortByColumn(handle, a.m, a.n, nnz, r.ints(), c.ints(), NULL, NULL));
    r.host = columns.minor.host;
    r.check("XcoosortByColumn");

    index_list within;
    within.host = lines.minor.host;
    for (int i = 0; i < a.m; i++)
        std::reverse(within.host.begin() + lines.major.host[i] - 1, within.host.begin() + lines.major.host[i + 1] - 1);
    within.send();
    MUST(cusparseXcsrsort(handle, a.m, a.n, nnz, from1, lines.major.ints(), within.ints(), NULL, NULL));
    within.host = lines.minor.host;
    within.check("Xcsrsort");
}

template <class T> static void transposed()
{
    sparse<T> a(14, 23, 3);
    placed<T> rows(a, CUSPARSE_FORMAT_CSR), columns(a, CUSPARSE_FORMAT_CSC);
    const int nnz = a.count();
    index_list offsets, indices;
    array<T> values(nnz, false);
    offsets.host.resize(a.n + 1);
    indices.host.resize(nnz);
    offsets.send();
    indices.send();
    size_t size;
    MUST(cusparseCsr2cscEx2_bufferSize(handle, a.m, a.n, nnz, rows.values.device, rows.major.ints(), rows.minor.ints(), values.device, offsets.ints(), indices.ints(), type_of(T()), CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, &size));
    MUST(cusparseCsr2cscEx2(handle, a.m, a.n, nnz, rows.values.device, rows.major.ints(), rows.minor.ints(), values.device, offsets.ints(), indices.ints(), type_of(T()), CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, NULL));
    offsets.host = columns.major.host;
    indices.host = columns.minor.host;
    values.host = columns.values.host;
    offsets.check(called<T>("Csr2cscEx2, offsets"));
    indices.check(called<T>("Csr2cscEx2, indices"));
    values.check(called<T>("Csr2cscEx2"), 0);
}

template <class T> static void counted()
{
    const int m = 9, n = 12, lda = 11;
    array<T> a(lda * n);
    for (int k = 0; k < 40; k++)
        a.set(draw(lda * n), 0);
    a.send();
    for (int by_column = 0; by_column < 2; by_column++) {
        index_list counts;
        int total = 0, expected = 0;
        counts.host.resize(by_column ? n : m);
        counts.send();
        MUST(of<T>::nnz(handle, by_column ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW, m, n, from0, a.device, lda, counts.ints(), &total));
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                if (a.get(i + j * lda) != wide(0)) {
                    counts.host[by_column ? j : i]++;
                    expected++;
                }
        counts.check(called<T>("nnz"));
        EXPECT(total, expected);
    }
}

template <class T> static void sums()
{
    sparse<T> a(15, 22, 3), b(15, 22, 3), c(15, 22, 0);
    placed<T> pa(a, CUSPARSE_FORMAT_CSR, false, 1), pb(b, CUSPARSE_FORMAT_CSR);
    const T alpha = number<T>(drawn()), beta = number<T>(drawn());
    index_list offsets;
    int nnz = 0;
    offsets.host.resize(a.m + 1);
    offsets.send();
    for (int i = 0; i < a.m; i++)
        for (int j = 0; j < a.n; j++)
            if (a.there(i, j) || b.there(i, j))
                c.set(i, j, widen(alpha) * a.get(i, j) + widen(beta) * b.get(i, j));
    placed<T> wanted(c, CUSPARSE_FORMAT_CSR);
    MUST(cusparseXcsrgeam2Nnz(handle, a.m, a.n, from1, a.count(), pa.major.ints(), pa.minor.ints(), from0, b.count(), pb.major.ints(), pb.minor.ints(), from0, offsets.ints(), &nnz, NULL));
    EXPECT(nnz, c.count());
    offsets.host = wanted.major.host;
    offsets.check(called<T>("Xcsrgeam2Nnz"));
    MUST(cudaMemset(wanted.minor.device, 0, nnz * 4));
    MUST(cudaMemset(wanted.values.device, 0, nnz * sizeof(T)));
    MUST(of<T>::csrgeam2(handle, a.m, a.n, &alpha, from1, a.count(), pa.values.device, pa.major.ints(), pa.minor.ints(), &beta, from0, b.count(), pb.values.device, pb.major.ints(), pb.minor.ints(), from0, wanted.values.device, offsets.ints(), wanted.minor.ints(), NULL));
    wanted.minor.check(called<T>("csrgeam2, columns"));
    wanted.values.check(called<T>("csrgeam2"), 8);
}

// Right-hand sides are made from solutions. kind: 0 gtsv2 (whose diagonal may be 0), 1 without pivots, 2 strided, 3 interleaved.
template <class T> static void diagonals(int kind)
{
    const int n = 17, sides = 4, ld = 19;
    const bool batch = kind >= 2;
    const size_t systems = batch ? sides : 1, step = kind == 3 ? sides : 1, stride = kind == 3 ? 1 : ld;
    array<T> dl(ld * systems), d(ld * systems), du(ld * systems), x(ld * sides), solution(ld * sides);
    for (size_t s = 0; s < systems; s++)
        for (int i = 0; i < n; i++) {
            const size_t at = i * step + s * stride;
            d.set(at, kind == 0 && i % 5 == 0 ? wide(0) : d.get(at) + 8.0);
            if (i == 0)
                dl.set(at, 0);
            if (i == n - 1)
                du.set(at, 0);
        }
    for (int s = 0; s < sides; s++)
        for (int i = 0; i < n; i++) {
            const size_t at = i * step + s * stride, in = batch ? at : i;
            wide sum = d.get(in) * solution.get(at);
            if (i > 0)
                sum += dl.get(in) * solution.get(at - step);
            if (i < n - 1)
                sum += du.get(in) * solution.get(at + step);
            x.set(at, sum);
        }
    dl.send();
    d.send();
    du.send();
    x.send();
    const int status = kind == 0   ? of<T>::gtsv2(handle, n, sides, dl.device, d.device, du.device, x.device, ld, NULL)
                       : kind == 1 ? of<T>::gtsv2_nopivot(handle, n, sides, dl.device, d.device, du.device, x.device, ld, NULL)
                       : kind == 2 ? of<T>::gtsv2StridedBatch(handle, n, dl.device, d.device, du.device, x.device, sides, ld, NULL)
                                   : of<T>::gtsvInterleavedBatch(handle, 0, n, dl.device, d.device, du.device, x.device, sides, NULL);
    MUST(status);
    for (int s = 0; s < sides; s++)
        for (int i = 0; i < n; i++)
            x.host[i * step + s * stride] = solution.host[i * step + s * stride];
    x.check(called<T>(kind == 0 ? "gtsv2" : kind == 1 ? "gtsv2_nopivot" : kind == 2 ? "gtsv2StridedBatch" : "gtsvInterleavedBatch"), 4000);
}

// Five diagonals; some pairs of rows have their large elements in each other's column, and 0 on the diagonal. What lies outside of the matrix spoils what reads it.
template <class T> static void five_diagonals(int n)
{
    const int systems = 3;
    const size_t all = (size_t)n * systems;
    array<T> a[5] = {array<T>(all), array<T>(all), array<T>(all), array<T>(all), array<T>(all)}, x(all), solution(all);
    size_t room;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < systems; s++) {
            const size_t at = (size_t)i * systems + s;
            const int large = i % 4 == 1 && i + 1 < n ? 3 : i % 4 == 2 ? 1 : 2;
            if (large != 2)
                a[2].set(at, 0);
            a[large].set(at, a[large].get(at) + 9.0);
            wide sum = 0;
            for (int k = 0; k < 5; k++) {
                const int column = i - 2 + k;
                if (column < 0 || column >= n)
                    a[k].set(at, 1e6);
                else
                    sum += a[k].get(at) * solution.get((size_t)column * systems + s);
            }
            x.set(at, sum);
        }
    for (array<T> &one : a)
        one.send();
    x.send();
    MUST(of<T>::gpsvInterleavedBatch_bufferSizeExt(handle, 0, n, a[0].device, a[1].device, a[2].device, a[3].device, a[4].device, x.device, systems, &room));
    MUST(of<T>::gpsvInterleavedBatch(handle, 0, n, a[0].device, a[1].device, a[2].device, a[3].device, a[4].device, x.device, systems, NULL));
    x.host = solution.host;
    x.check(called<T>("gpsvInterleavedBatch"), 20000);
}

// The factors' product is A where A has elements.
template <class T> static void factors(bool cholesky)
{
    const int n = 45;
    sparse<T> a(n, n, 2);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a.there(i, j) || a.there(j, i)) {
                const wide v = (a.there(i, j) ? a.get(i, j) : a.get(j, i)) / 4.0;
                a.set(i, j, v);
                a.set(j, i, cholesky ? std::conj(v) : v * 0.5);
            }
    for (int i = 0; i < n; i++)
        a.set(i, i, 12.0 + draw(4));
    placed<T> on(a, CUSPARSE_FORMAT_CSR);
    const int nnz = a.count();
    int position = 0, size;
    csrilu02Info_t lu;
    csric02Info_t ic;
    MUST(cusparseCreateCsrilu02Info(&lu));
    MUST(cusparseCreateCsric02Info(&ic));
    MUST(of<T>::csrilu02_bufferSize(handle, n, nnz, from0, on.values.device, on.major.ints(), on.minor.ints(), lu, &size));
    MUST(of<T>::csrilu02_analysis(handle, n, nnz, from0, on.values.device, on.major.ints(), on.minor.ints(), lu, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
    if (cholesky)
        MUST(of<T>::csric02(handle, n, nnz, from0, on.values.device, on.major.ints(), on.minor.ints(), ic, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
    else
        MUST(of<T>::csrilu02(handle, n, nnz, from0, on.values.device, on.major.ints(), on.minor.ints(), lu, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
    EXPECT(cholesky ? cusparseXcsric02_zeroPivot(handle, ic, &position) : cusparseXcsrilu02_zeroPivot(handle, lu, &position), CUSPARSE_STATUS_SUCCESS);
    EXPECT(position, -1);
    // On the host, in place.
    sparse<T> f = a;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            if (!f.there(i, k) || (k == i && !cholesky))
                continue;
            if (cholesky) {
                wide sum = f.get(i, k);
                for (int j = 0; j < k; j++)
                    if (f.there(i, j) && f.there(k, j))
                        sum -= f.get(i, j) * std::conj(f.get(k, j));
                f.dense[i * n + k] = k == i ? std::sqrt(sum.real()) : sum / std::conj(f.get(k, k));
                continue;
            }
            f.dense[i * n + k] /= f.get(k, k);
            for (int j = k + 1; j < n; j++)
                if (f.there(i, j) && f.there(k, j))
                    f.dense[i * n + j] -= f.get(i, k) * f.get(k, j);
        }
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a.there(i, j))
                on.values.set(k++, f.get(i, j));
    on.values.check(called<T>(cholesky ? "csric02" : "csrilu02"), 200);
    // A zero on the diagonal is found, by its row.
    if (!cholesky) {
        sparse<T> z(5, 5, 0);
        for (int i = 0; i < 5; i++)
            z.set(i, i, i == 3 ? 0 : 1);
        placed<T> pz(z, CUSPARSE_FORMAT_CSR, false, 1);
        MUST(of<T>::csrilu02(handle, 5, 5, from1, pz.values.device, pz.major.ints(), pz.minor.ints(), lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));
        EXPECT(cusparseXcsrilu02_zeroPivot(handle, lu, &position), CUSPARSE_STATUS_ZERO_PIVOT);
        EXPECT(position, 4);
    }
    cusparseDestroyCsrilu02Info(lu);
    cusparseDestroyCsric02Info(ic);
}

template <class T> static void all()
{
    transposed<T>();
    counted<T>();
    sums<T>();
    for (int kind = 0; kind < 4; kind++)
        diagonals<T>(kind);
    for (int n : {1, 2, 3, 18})
        five_diagonals<T>(n);
    factors<T>(false);
    factors<T>(true);
    int *none = NULL;
    EXPECT(cusparseXcoo2csr(handle, NULL, 3, 3, none, CUSPARSE_INDEX_BASE_ZERO), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(of<T>::gtsv2(handle, 4, 1, NULL, NULL, NULL, NULL, 4, NULL), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT(of<T>::gtsv2(NULL, 4, 1, NULL, NULL, NULL, NULL, 4, NULL), CUSPARSE_STATUS_NOT_INITIALIZED);
}

int main()
{
    MUST(cusparseCreate(&handle));
    MUST(cusparseCreateMatDescr(&from0));
    MUST(cusparseCreateMatDescr(&from1));
    MUST(cusparseSetMatIndexBase(from1, CUSPARSE_INDEX_BASE_ONE));
    EXPECT(cusparseGetMatIndexBase(from1), CUSPARSE_INDEX_BASE_ONE);
    indices();
    all<float>();
    all<double>();
    all<cuComplex>();
    all<cuDoubleComplex>();
    cusparseDestroyMatDescr(from0);
    cusparseDestroyMatDescr(from1);
    MUST(cusparseDestroy(handle));
    return say("old");
}
