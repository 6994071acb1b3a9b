/* Inside libnvrtc: a program, and how it is compiled. */
#ifndef LOCKSTEP_CUDA_NVRTC_H
#define LOCKSTEP_CUDA_NVRTC_H

#include <stdbool.h>

#pragma GCC visibility push(default)
#include "cuda/include/nvrtc.h"
#pragma GCC visibility pop

#include "base/strbuf.h"
#include "base/vec.h"

struct nvrtc_header {
    char *name, *text;
};

/* An expression that names a kernel or variable, and its name in PTX: NULL before it is known. */
struct nvrtc_name {
    char *expression, *lowered;
};

struct _nvrtcProgram {
    char *source, *name;
    VEC(struct nvrtc_header) headers;
    VEC(struct nvrtc_name) names;
    struct strbuf log, ptx;
    bool tried, compiled;
};

/* nvrtc_compile.c: compiles it by `lockstep cc`, with NVRTC's options. */
nvrtcResult nvrtc_compile(nvrtcProgram program, int count, const char *const *options);

#endif
