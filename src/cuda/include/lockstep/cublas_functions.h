/* Functions of cuBLAS by the kind of their names. Included by cublas_api.h and cublas_v2.h, which say what becomes of a
 * row. LOCKSTEP_I is the type of numbers: int, or int64_t for the functions whose names end in _64, of which there are
 * fewer: with LOCKSTEP_CUBLAS_LONG the lists leave out the functions that have no such form. */
#ifndef LOCKSTEP_CUBLAS_LONG
LOCKSTEP_CUBLAS_SECOND(cublasCreate, cublasHandle_t *handle)
LOCKSTEP_CUBLAS_SECOND(cublasDestroy, cublasHandle_t handle)
LOCKSTEP_CUBLAS_SECOND(cublasGetVersion, cublasHandle_t handle, int *version)
LOCKSTEP_CUBLAS_SECOND(cublasSetWorkspace, cublasHandle_t handle, void *workspace, size_t workspaceSizeInBytes)
LOCKSTEP_CUBLAS_SECOND(cublasSetStream, cublasHandle_t handle, cudaStream_t streamId)
LOCKSTEP_CUBLAS_SECOND(cublasGetStream, cublasHandle_t handle, cudaStream_t *streamId)
LOCKSTEP_CUBLAS_SECOND(cublasGetPointerMode, cublasHandle_t handle, cublasPointerMode_t *mode)
LOCKSTEP_CUBLAS_SECOND(cublasSetPointerMode, cublasHandle_t handle, cublasPointerMode_t mode)
#endif

/* Those of each type: its letter, the letters where an index comes of it, the type, its real type, and the letters
 * where a real number does. */
#define LOCKSTEP_L S
#define LOCKSTEP_LI Is
#define LOCKSTEP_T float
#define LOCKSTEP_R float
#define LOCKSTEP_LR S
#include "lockstep/cublas_letter.h"
#include "lockstep/cublas_letter_real.h"
#include "lockstep/cublas_letter_packed.h"
#include "lockstep/cublas_undo.h"

#define LOCKSTEP_L D
#define LOCKSTEP_LI Id
#define LOCKSTEP_T double
#define LOCKSTEP_R double
#define LOCKSTEP_LR D
#include "lockstep/cublas_letter.h"
#include "lockstep/cublas_letter_real.h"
#include "lockstep/cublas_letter_packed.h"
#include "lockstep/cublas_undo.h"

#define LOCKSTEP_L C
#define LOCKSTEP_LI Ic
#define LOCKSTEP_T cuComplex
#define LOCKSTEP_R float
#define LOCKSTEP_LR Sc
#define LOCKSTEP_BY_REAL Cs
#include "lockstep/cublas_letter.h"
#include "lockstep/cublas_letter_complex.h"
#include "lockstep/cublas_letter_packed.h"
#include "lockstep/cublas_undo.h"

#define LOCKSTEP_L Z
#define LOCKSTEP_LI Iz
#define LOCKSTEP_T cuDoubleComplex
#define LOCKSTEP_R double
#define LOCKSTEP_LR Dz
#define LOCKSTEP_BY_REAL Zd
#include "lockstep/cublas_letter.h"
#include "lockstep/cublas_letter_complex.h"
#include "lockstep/cublas_letter_packed.h"
#include "lockstep/cublas_undo.h"
