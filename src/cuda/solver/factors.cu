// Factors of dense matrices and systems that are solved by them.
#include "factors.cuh"

using namespace lockstep_solver;

// Functions that need no room ask for this much: allocations of nothing are awkward.
static const int some_room = 1;

#define LOCKSTEP_LETTERS "factors_letter.cuh"
#include "letters.cuh"
