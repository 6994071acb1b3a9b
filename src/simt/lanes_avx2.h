/* The lane families compiled for AVX2: same functions, same results, eight lanes to a machine instruction instead of four, and per-lane
 * shifts. lane_resolve chooses them where the processor has them. */
#ifndef LOCKSTEP_SIMT_LANES_AVX2_H
#define LOCKSTEP_SIMT_LANES_AVX2_H

#include "simt/lanes.h"

#ifdef __x86_64__
#define LANE_CAN_AVX2
lane_addresses_fn lane_addresses_avx2;
lane_survey_fn lane_survey_avx2;
lane_fn *lane_resolve_int_avx2(const struct isa_instr *instr);
lane_fn *lane_resolve_bits_avx2(const struct isa_instr *instr);
lane_fn *lane_resolve_move_avx2(const struct isa_instr *instr);
lane_fn *lane_resolve_compare_avx2(const struct isa_instr *instr);
#else
#define lane_resolve_int_avx2 lane_resolve_int
#define lane_resolve_bits_avx2 lane_resolve_bits
#define lane_resolve_move_avx2 lane_resolve_move
#define lane_resolve_compare_avx2 lane_resolve_compare
#endif

lane_addresses_fn lane_addresses;
lane_survey_fn lane_survey;
/* Returns true if this processor has AVX2. */
bool lane_has_avx2(void);

#endif
