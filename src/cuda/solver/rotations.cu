// Eigenvalues and singular values.
#include "rotations.cuh"

using namespace lockstep_solver;

template <class T> static rotated<T> rotations(int m, int n, T *work, double tolerance, int sweeps)
{
    typedef typename number<T>::real R;
    const R least = usual_tolerance<T>(m);
    return rotated<T>{m, n, sweeps, tolerance > least ? (R)tolerance : least, {work, m}, {work + (long long)m * n, n}};
}

// How A's eigenvalues are looked for; zero tolerance is the usual one.
template <class T>
static cusolverStatus_t run_eigen(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A,
                                  int lda, typename number<T>::real *W, T *work, int lwork, int *info, double tolerance,
                                  int sweeps, int batch)
{
    LOCKSTEP_SOLVER_BEGIN(handle, n < 0 || lda < n || batch < 0 || (n && batch && (!A || !W || !work || !info)) ||
                                      lwork < eigen_room(n) * batch);
    eigen<T> e = {rotations(n, n, work, tolerance, sweeps), {A, lda}};
    e.upper = uplo == CUBLAS_FILL_MODE_UPPER;
    e.vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
    e.values = W;
    e.lengths = (typename number<T>::real *)(work + 2ll * n * n);
    e.info = info;
    e.a_stride = (long long)lda * n;
    e.work_stride = eigen_room(n);
    e.values_stride = n;
    return launch(handle, batch, find_eigen<T>, e, batch);
}

template <class T> struct wanted {
    T *at;
    int ld, columns;
};
// left: of A's rows, right: of its columns, as R or (`right_turned`) as R'.
template <class T>
static cusolverStatus_t run_singular(cusolverDnHandle_t handle, int m, int n, const T *A, int lda,
                                     typename number<T>::real *S, wanted<T> left, wanted<T> right, bool right_turned,
                                     T *work, int lwork, int *info, double tolerance, int sweeps, int batch)
{
    const bool turned = m < n;
    const int longer = turned ? n : m, least = turned ? m : n;
    LOCKSTEP_SOLVER_BEGIN(handle, m < 0 || n < 0 || lda < m || batch < 0 ||
                                      (least && batch && (!A || !S || !work || !info)) ||
                                      lwork < singular_room(m, n) * batch || (turned && right_turned));
    const wanted<T> &l = turned ? right : left, &r = turned ? left : right;
    singular<T> s = {rotations(longer, least, work, tolerance, sweeps), {A, lda}, turned, S};
    s.lengths = (typename number<T>::real *)(work + (long long)m * n + (long long)least * least);
    s.left = columns<T>{l.at, l.ld};
    s.right = columns<T>{r.at, r.ld};
    s.left_columns = l.columns;
    s.right_turned = right_turned;
    s.info = info;
    s.a_stride = (long long)lda * n;
    s.work_stride = singular_room(m, n);
    s.values_stride = least;
    s.left_stride = (long long)l.ld * longer;
    s.right_stride = (long long)r.ld * least;
    return launch(handle, batch, find_singular<T>, s, batch);
}

// A letter of gesvd: all columns, those that belong to singular values, these in A's place, none.
static bool is_job(signed char job)
{
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

// The root of the sum of the squares of values on the device.
template <class R>
static cusolverStatus_t norm_of_rest(cusolverDnHandle_t handle, const R *values, int count, double *norm)
{
    *norm = 0;
    for (int i = 0; i < count; i++) {
        R value = 0;
        cudaError_t error = cudaMemcpyAsync(&value, values + i, sizeof value, cudaMemcpyDeviceToHost, handle->stream);
        if (!error)
            error = cudaStreamSynchronize(handle->stream);
        LOCKSTEP_SOLVER_STEP(status_of(error));
        *norm += (double)value * value;
    }
    *norm = sqrt(*norm);
    return CUSOLVER_STATUS_SUCCESS;
}

#define LOCKSTEP_LETTERS "rotations_letter.cuh"
#include "letters.cuh"
