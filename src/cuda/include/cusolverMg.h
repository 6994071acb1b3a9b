/* cuSOLVER's functions for several GPUs, of which there is one: its matrices are whole ones, and a grid of more devices
 * is refused (CUSOLVER_STATUS_NOT_SUPPORTED). */
#ifndef CUSOLVERMG_H_
#define CUSOLVERMG_H_

#include <stdint.h>

#include "cusolverDn.h"

struct cusolverMgContext;
typedef struct cusolverMgContext *cusolverMgHandle_t;
typedef enum { CUDALIBMG_GRID_MAPPING_ROW_MAJOR = 1, CUDALIBMG_GRID_MAPPING_COL_MAJOR = 0 } cusolverMgGridMapping_t;
typedef void *cudaLibMgGrid_t;
typedef void *cudaLibMgMatrixDesc_t;

#ifdef __cplusplus
extern "C" {
#endif
#include "lockstep/cusolverMg_functions.h"
#ifdef __cplusplus
}
#endif

#endif
