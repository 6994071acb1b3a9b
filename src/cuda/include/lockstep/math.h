#ifndef M
#define M
LOCKSTEP_DEVICE float sqrtf(float x){return __nvvm_sqrt_rn_f(x);}
#endif
