// Functions for several GPUs, which are not modelled.
#include <cufftXt.h>

#undef LOCKSTEP_CUFFT
#define LOCKSTEP_CUFFT(result, name, ...)                                                                              \
    result name(__VA_ARGS__)                                                                                           \
    {                                                                                                                  \
        return CUFFT_NOT_SUPPORTED;                                                                                    \
    }
extern "C" {
#include <lockstep/cufft_several.h>
}
