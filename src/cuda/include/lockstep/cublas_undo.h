/* The end of one type's functions (cublas_functions.h). */
#undef LOCKSTEP_L
#undef LOCKSTEP_LI
#undef LOCKSTEP_T
#undef LOCKSTEP_R
#undef LOCKSTEP_LR
#undef LOCKSTEP_BY_REAL
#undef LOCKSTEP_CUBLAS_NAME
#undef LOCKSTEP_BLAS
#undef LOCKSTEP_BLAS_ONE
