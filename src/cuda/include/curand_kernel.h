/* Random numbers in kernels, as cuRAND has them: XORWOW, MRG32k3a, Philox4x32-10, and Sobol's sequences. Seeds, sequences
 * and offsets give the bits that cuRAND gives. */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "lockstep/curand_distributions.h"
#include "lockstep/curand_poisson.h"

#if defined(__clang__)
#define LOCKSTEP_LEFT_OUT __attribute__((unavailable("MTGP32 is left out: use XORWOW, MRG32k3a or Philox")))
#else
#define LOCKSTEP_LEFT_OUT
#endif
typedef struct lockstep_mtgp32 curandStateMtgp32 LOCKSTEP_LEFT_OUT;
typedef struct lockstep_mtgp32 curandStateMtgp32_t LOCKSTEP_LEFT_OUT;
#undef LOCKSTEP_LEFT_OUT

#endif
