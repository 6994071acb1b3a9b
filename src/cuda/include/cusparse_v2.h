/* cuSPARSE by the name of its header in CUDA 4. */
#include "cusparse.h"
