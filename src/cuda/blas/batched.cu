// Many small matrices: factors, inverses, systems of equations.
#include "batched.cuh"

using namespace lockstep_blas;

static unsigned blocks_of(int batch)
{
    return batch < 65535 ? batch : 65535;
}

#define LOCKSTEP_LETTERS "../blas/batched_letter.cuh"
#include "../kernels/letters.cuh"
