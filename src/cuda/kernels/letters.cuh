// Includes LOCKSTEP_LETTERS, a file of functions of one type, for each of the four. The letters are those of
// lockstep/cublas_functions.h.
#define LOCKSTEP_L S
#define LOCKSTEP_LI Is
#define LOCKSTEP_T float
#define LOCKSTEP_R float
#define LOCKSTEP_LR S
#include LOCKSTEP_LETTERS
#include <lockstep/cublas_undo.h>

#define LOCKSTEP_L D
#define LOCKSTEP_LI Id
#define LOCKSTEP_T double
#define LOCKSTEP_R double
#define LOCKSTEP_LR D
#include LOCKSTEP_LETTERS
#include <lockstep/cublas_undo.h>

#define LOCKSTEP_L C
#define LOCKSTEP_LI Ic
#define LOCKSTEP_T float2
#define LOCKSTEP_R float
#define LOCKSTEP_LR Sc
#define LOCKSTEP_BY_REAL Cs
#include LOCKSTEP_LETTERS
#include <lockstep/cublas_undo.h>

#define LOCKSTEP_L Z
#define LOCKSTEP_LI Iz
#define LOCKSTEP_T double2
#define LOCKSTEP_R double
#define LOCKSTEP_LR Dz
#define LOCKSTEP_BY_REAL Zd
#include LOCKSTEP_LETTERS
#include <lockstep/cublas_undo.h>
