/* cuFFT: plans by types of elements. Several GPUs, callbacks and halves are not there. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif
#include "lockstep/cufft_by_types.h"
#ifdef __cplusplus
}
#endif

#endif
