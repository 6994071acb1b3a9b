/* cuBLAS as it was before handles, in C: a product, a solution, a sum. */
#include <cublas.h>
#include <stdio.h>

int main(void)
{
    float a[4] = {2, 1, 0, 4}, b[4] = {1, 2, 3, 4}, c[4], *da, *db, *dc;
    if (cublasInit() || cublasAlloc(4, sizeof *a, (void **)&da) || cublasAlloc(4, sizeof *b, (void **)&db) || cublasAlloc(4, sizeof *c, (void **)&dc))
        return 1;
    if (cublasSetMatrix(2, 2, sizeof *a, a, 2, da, 2) || cublasSetMatrix(2, 2, sizeof *b, b, 2, db, 2))
        return 2;
    cublasSgemm('n', 'T', 2, 2, 2, 1.0f, da, 2, db, 2, 0.0f, dc, 2);
    cublasGetMatrix(2, 2, sizeof *c, dc, 2, c, 2);
    printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
    cublasStrsm('L', 'l', 'N', 'n', 2, 2, 1.0f, da, 2, db, 2);
    cublasGetMatrix(2, 2, sizeof *c, db, 2, c, 2);
    printf("%g %g %g %g, %g\n", c[0], c[1], c[2], c[3], cublasSdot(4, da, 1, da, 1));
    cublasSgemm('n', 'n', -1, 2, 2, 1.0f, da, 2, db, 2, 0.0f, dc, 2);
    printf("%d %d\n", cublasGetError(), cublasGetError());
    return cublasFree(da) || cublasFree(db) || cublasFree(dc) || cublasShutdown();
}
