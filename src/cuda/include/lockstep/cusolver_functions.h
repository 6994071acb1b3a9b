/* Functions of cuSOLVER: LOCKSTEP_CUSOLVER(result, name, arguments). Included by cusolverDn.h, which says what becomes
 * of a row. */
#define LOCKSTEP_SOLVER(name, ...) LOCKSTEP_CUSOLVER(cusolverStatus_t, name, __VA_ARGS__)

LOCKSTEP_SOLVER(cusolverDnCreate, cusolverDnHandle_t *handle)
LOCKSTEP_SOLVER(cusolverDnDestroy, cusolverDnHandle_t handle)
LOCKSTEP_SOLVER(cusolverDnSetStream, cusolverDnHandle_t handle, cudaStream_t stream)
LOCKSTEP_SOLVER(cusolverDnGetStream, cusolverDnHandle_t handle, cudaStream_t *stream)
LOCKSTEP_SOLVER(cusolverDnSetDeterministicMode, cusolverDnHandle_t handle, cusolverDeterministicMode_t mode)
LOCKSTEP_SOLVER(cusolverDnGetDeterministicMode, cusolverDnHandle_t handle, cusolverDeterministicMode_t *mode)

/* How rotations end. */
LOCKSTEP_SOLVER(cusolverDnCreateSyevjInfo, syevjInfo_t *info)
LOCKSTEP_SOLVER(cusolverDnDestroySyevjInfo, syevjInfo_t info)
LOCKSTEP_SOLVER(cusolverDnXsyevjSetTolerance, syevjInfo_t info, double tolerance)
LOCKSTEP_SOLVER(cusolverDnXsyevjSetMaxSweeps, syevjInfo_t info, int sweeps)
LOCKSTEP_SOLVER(cusolverDnXsyevjSetSortEig, syevjInfo_t info, int sort)
LOCKSTEP_SOLVER(cusolverDnCreateGesvdjInfo, gesvdjInfo_t *info)
LOCKSTEP_SOLVER(cusolverDnDestroyGesvdjInfo, gesvdjInfo_t info)
LOCKSTEP_SOLVER(cusolverDnXgesvdjSetTolerance, gesvdjInfo_t info, double tolerance)
LOCKSTEP_SOLVER(cusolverDnXgesvdjSetMaxSweeps, gesvdjInfo_t info, int sweeps)
LOCKSTEP_SOLVER(cusolverDnXgesvdjSetSortEig, gesvdjInfo_t info, int sort)

#include "lockstep/cusolver_wide.h"

/* Those of each type: its letter, the type, its real type, and how names
 * begin in which matrices are symmetric or orthogonal. */
#define LOCKSTEP_L S
#define LOCKSTEP_T float
#define LOCKSTEP_R float
#define LOCKSTEP_SY sy
#define LOCKSTEP_GQR orgqr
#define LOCKSTEP_MQR ormqr
#include "lockstep/cusolver_letter.h"
#define LOCKSTEP_L D
#define LOCKSTEP_T double
#define LOCKSTEP_R double
#define LOCKSTEP_SY sy
#define LOCKSTEP_GQR orgqr
#define LOCKSTEP_MQR ormqr
#include "lockstep/cusolver_letter.h"
#define LOCKSTEP_L C
#define LOCKSTEP_T cuComplex
#define LOCKSTEP_R float
#define LOCKSTEP_SY he
#define LOCKSTEP_GQR ungqr
#define LOCKSTEP_MQR unmqr
#include "lockstep/cusolver_letter.h"
#define LOCKSTEP_L Z
#define LOCKSTEP_T cuDoubleComplex
#define LOCKSTEP_R double
#define LOCKSTEP_SY he
#define LOCKSTEP_GQR ungqr
#define LOCKSTEP_MQR unmqr
#include "lockstep/cusolver_letter.h"

#undef LOCKSTEP_SOLVER
