// The end of one type's functions (letters.cuh).
#undef LOCKSTEP_L
#undef LOCKSTEP_T
#undef LOCKSTEP_R
#undef LOCKSTEP_SY
#undef LOCKSTEP_GQR
#undef LOCKSTEP_MQR
