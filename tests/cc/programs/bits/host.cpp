// The functions of lockstep/math_core.h compiled as plain C++ for the host.
#include "bits.h"

#include <lockstep/math_core.h>

values on_host(double x, double y)
{
    values v;
    float xf = (float)x, yf = (float)y;
#define F1(name)                                                                                                       \
    v.wide[function_##name] = lockstep_math::name(x);                                                                  \
    v.narrow[function_##name] = lockstep_math::name##f(xf);
#define F2(name)                                                                                                       \
    v.wide[function_##name] = lockstep_math::name(x, y);                                                               \
    v.narrow[function_##name] = lockstep_math::name##f(xf, yf);
#include "functions.def"
#undef F1
#undef F2
    return v;
}

const char *function_name(int f)
{
    static const char *const names[] = {
#define F1(name) #name,
#define F2(name) #name,
#include "functions.def"
#undef F1
#undef F2
    };
    return names[f];
}
