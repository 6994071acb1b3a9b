/* Entry points that programs may import and Lockstep does not model: each answers cudaErrorNotSupported and names
 * itself once on standard error. They take whatever they are given; the header that declares some of them is left out
 * on purpose. */
#include "cuda/unsupported.h"

#define UNSUPPORTED(name)                                                                                              \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return unsupported_call(UNSUPPORTED_##name, #name);                                                            \
    }
#include "cuda/unsupported.def"
#undef UNSUPPORTED
