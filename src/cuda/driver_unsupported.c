/* Entry points of the driver that programs may import and Lockstep does not model: see unsupported.c, which does so for the
 * runtime. */
#include "cuda/driver_unsupported.h"

#define DRIVER_UNSUPPORTED(name)                                                                                       \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return driver_unsupported_call(DRIVER_UNSUPPORTED_##name, #name);                                              \
    }
#include "cuda/driver_unsupported.def"
#undef DRIVER_UNSUPPORTED
