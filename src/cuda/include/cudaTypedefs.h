/* Types of pointers to functions of the driver, by which programs name what cudaGetDriverEntryPoint gives them: those
 * of the functions that cuda.h has and programs ask for so. */
#ifndef LOCKSTEP_CUDATYPEDEFS_H
#define LOCKSTEP_CUDATYPEDEFS_H

#include <cuda.h>

#define LOCKSTEP_PFN(name, version, function) typedef __typeof__(&function) PFN_##name##_v##version;
#include "lockstep/driver_pointers.def"
#undef LOCKSTEP_PFN
#define LOCKSTEP_PFN(name, version, function) typedef PFN_##name##_v##version PFN_##name;
#include "lockstep/driver_pointers.def"
#undef LOCKSTEP_PFN

#endif
