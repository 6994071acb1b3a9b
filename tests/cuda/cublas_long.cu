// The functions of cuBLAS with numbers of 64 bits do what those with int do, of each kind of name; and what does not
// fit is refused.
#include <cstdio>
#include <cstring>
#include <cublas_v2.h>

static int wrong;
static void check(const char *name, bool right)
{
    if (!right)
        printf("%s is wrong\n", name);
    wrong += !right;
}

int main()
{
    const int n = 5;
    float a[n * n], b[n * n], one = 1, two = 2, *A, *B, *C, *D;
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i * 7 % 11) - 4;
        b[i] = (float)(i * 5 % 13) - 6;
    }
    cublasHandle_t handle;
    check("cublasCreate", cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    for (float **p : {&A, &B, &C, &D})
        cudaMallocManaged(p, sizeof a);
    int64_t size = n, step = 1, *place;
    check("cublasSetMatrix_64",
          !cublasSetMatrix_64(size, size, (int64_t)sizeof(float), a, size, A, size) && !memcmp(A, a, sizeof a));
    check("cublasSetVector_64",
          !cublasSetVector_64(size * size, (int64_t)sizeof(float), b, step, B, step) && !memcmp(B, b, sizeof b));

    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &two, A, n, B, n, &one, C, n);
    check("cublasSgemm_64",
          !cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, size, size, size, &two, A, size, B, size, &one, D, size));
    cudaDeviceSynchronize();
    check("cublasSgemm_64's values", C[3] != 0 && !memcmp(C, D, sizeof a));
    check("cublasSgeam_64",
          !cublasSgeam_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, &one, A, size, &two, B, size, D, size));
    cudaDeviceSynchronize();
    check("cublasSgeam_64's values", D[7] == a[7] + 2 * b[7]);
    check("cublasGemmEx_64",
          !cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, size, size, size, &two, A, CUDA_R_32F, size, B, CUDA_R_32F,
                           size, &one, C, CUDA_R_32F, size, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));

    float plain, wide;
    check("cublasSdot_64", !cublasSdot(handle, n, A, 1, B, 2, &plain) &&
                               !cublasSdot_64(handle, size, A, step, B, 2, &wide) && plain == wide);
    check("cublasSasum_64",
          !cublasSasum(handle, n, A, 1, &plain) && !cublasSasum_64(handle, size, A, step, &wide) && plain == wide);

    // Banded and packed matrices: a band of three diagonals, a half of a symmetric matrix, a triangle to solve for.
    for (float *y : {C, D})
        for (int i = 0; i < n; i++)
            y[i] = b[i];
    for (int i = 0; i < n; i++)
        A[i * (i + 3) / 2] = 4; // the diagonal of the packed upper half
    check("cublasSgbmv_64", !cublasSgbmv(handle, CUBLAS_OP_T, n, n, 1, 1, &two, B, 4, A, 1, &one, C, 1) &&
                                !cublasSgbmv_64(handle, CUBLAS_OP_T, size, size, 1, step, &two, B, 4, A, step, &one, D, step));
    check("cublasSspmv_64", !cublasSspmv(handle, CUBLAS_FILL_MODE_UPPER, n, &two, A, B, 1, &one, C, 1) &&
                                !cublasSspmv_64(handle, CUBLAS_FILL_MODE_UPPER, size, &two, A, B, step, &one, D, step));
    check("cublasStpsv_64",
          !cublasStpsv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, A, C, 1) &&
              !cublasStpsv_64(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, size, A, D, step));
    cudaDeviceSynchronize();
    check("their values", C[2] != b[2] && C[2] == C[2] && !memcmp(C, D, n * sizeof *C));
    check("too wide a band", cublasSgbmv_64(handle, CUBLAS_OP_T, size, size, INT64_C(1) << 33, 1, &two, B, 4, A, 1, &one, D, 1) ==
                                 CUBLAS_STATUS_NOT_SUPPORTED);

    // Indices have 64 bits, on the host and on the device.
    int index = 0;
    int64_t far = -1;
    check("cublasIsamax_64", !cublasIsamax(handle, n * n, B, 1, &index) &&
                                 !cublasIsamax_64(handle, size * size, B, step, &far) && far == index);
    cudaMallocManaged(&place, sizeof *place);
    *place = -1;
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    check("cublasIsamax_64 on the device", !cublasIsamax_v2_64(handle, size * size, B, step, place));
    cudaDeviceSynchronize();
    check("an index on the device", *place == index);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);

    check("too many", cublasSasum_64(handle, INT64_C(1) << 32, A, step, &wide) == CUBLAS_STATUS_NOT_SUPPORTED);
    check("too far", cublasIsamin_64(handle, size, A, INT64_C(1) << 31, &far) == CUBLAS_STATUS_NOT_SUPPORTED);
    check("no handle", cublasIsamin_64(NULL, size, A, step, &far) == CUBLAS_STATUS_NOT_INITIALIZED);
    printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return wrong != 0;
}
