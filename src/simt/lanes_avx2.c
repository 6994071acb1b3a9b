/* Compiles the lane families a second time for processors with AVX2; see lanes_avx2.h. The headers come first, so that only the families
 * themselves are compiled for it. */
#define LANE_AVX2
#include "simt/lanes_avx2.h"
#include "simt/lanes_body.h"

#ifdef LANE_CAN_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "simt/lanes_address.c"
#include "simt/lanes_bits.c"
#include "simt/lanes_compare.c"
#include "simt/lanes_int.c"
#include "simt/lanes_move.c"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
