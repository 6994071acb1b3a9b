// Includes LOCKSTEP_LETTERS, a file of functions of one type, for each of the four. The letters are those of
// lockstep/cusolver_functions.h.
#define LOCKSTEP_L S
#define LOCKSTEP_T float
#define LOCKSTEP_R float
#define LOCKSTEP_SY sy
#define LOCKSTEP_GQR orgqr
#define LOCKSTEP_MQR ormqr
#include LOCKSTEP_LETTERS
#include "undo.cuh"

#define LOCKSTEP_L D
#define LOCKSTEP_T double
#define LOCKSTEP_R double
#define LOCKSTEP_SY sy
#define LOCKSTEP_GQR orgqr
#define LOCKSTEP_MQR ormqr
#include LOCKSTEP_LETTERS
#include "undo.cuh"

#define LOCKSTEP_L C
#define LOCKSTEP_T float2
#define LOCKSTEP_R float
#define LOCKSTEP_SY he
#define LOCKSTEP_GQR ungqr
#define LOCKSTEP_MQR unmqr
#include LOCKSTEP_LETTERS
#include "undo.cuh"

#define LOCKSTEP_L Z
#define LOCKSTEP_T double2
#define LOCKSTEP_R double
#define LOCKSTEP_SY he
#define LOCKSTEP_GQR ungqr
#define LOCKSTEP_MQR unmqr
#include LOCKSTEP_LETTERS
#include "undo.cuh"
