/* The function for an instruction: every family is asked in turn, since each knows its own forms and no form belongs
 * to two. Where the processor has AVX2, the families compiled for it (lanes_avx2.c) are asked; they compute the same
 * bits. */
#include "simt/lanes_avx2.h"

typedef lane_fn *resolver(const struct isa_instr *instr);

static lane_fn *resolve_by(resolver *const *families, size_t count, const struct isa_instr *instr)
{
    lane_fn *fn = NULL;
    for (size_t i = 0; i < count && !fn; i++)
        fn = families[i](instr);
    return fn;
}

bool lane_has_avx2(void)
{
#ifdef LANE_CAN_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

lane_addresses_fn *lane_addresses_here(void)
{
#ifdef LANE_CAN_AVX2
    if (lane_has_avx2())
        return lane_addresses_avx2;
#endif
    return lane_addresses;
}

lane_survey_fn *lane_survey_here(void)
{
#ifdef LANE_CAN_AVX2
    if (lane_has_avx2())
        return lane_survey_avx2;
#endif
    return lane_survey;
}

lane_fn *lane_resolve(const struct isa_instr *instr)
{
    static resolver *const integers[] = {lane_resolve_int, lane_resolve_bits, lane_resolve_move, lane_resolve_compare};
    static resolver *const others[] = {lane_resolve_f32, lane_resolve_f64,     lane_resolve_half, lane_resolve_cvt,
                                       lane_resolve_fp8, lane_resolve_special, lane_resolve_video};
    lane_fn *fn = resolve_by(others, sizeof others / sizeof *others, instr);
    if (fn)
        return fn;
#ifdef LANE_CAN_AVX2
    static resolver *const integers_avx2[] = {lane_resolve_int_avx2, lane_resolve_bits_avx2, lane_resolve_move_avx2,
                                              lane_resolve_compare_avx2};
    if (lane_has_avx2())
        return resolve_by(integers_avx2, sizeof integers_avx2 / sizeof *integers_avx2, instr);
#endif
    return resolve_by(integers, sizeof integers / sizeof *integers, instr);
}
