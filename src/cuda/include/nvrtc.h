/* NVRTC's interface, CUDA 13: kernels that a program brings as text and compiles while it runs. docs/runtime.md says
 * what is different. For C and C++. */
#ifndef LOCKSTEP_NVRTC_H
#define LOCKSTEP_NVRTC_H

#include <stddef.h>
#ifdef __cplusplus
#include <string>
extern "C" {
#endif

typedef enum {
#define NVRTC_RESULT(name, value) name = value,
#include "lockstep/nvrtc_results.def"
#undef NVRTC_RESULT
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *archs);

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *ir);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *ir);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);

#ifdef __cplusplus
}

#if NVRTC_GET_TYPE_NAME
#include <cxxabi.h>
#include <cstdlib>
#include <typeinfo>

inline nvrtcResult nvrtcGetTypeName(const std::type_info &type, std::string *result)
{
    int failed;
    char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &failed);
    if (failed || !name)
        return NVRTC_ERROR_INTERNAL_ERROR;
    *result = name;
    std::free(name);
    return NVRTC_SUCCESS;
}
/* typeid drops references, and const and volatile outside: so the name is that of a template of the type. */
template <class T> struct lockstep_nvrtc_type {
};
template <class T> nvrtcResult nvrtcGetTypeName(std::string *result)
{
    std::string name;
    const nvrtcResult error = nvrtcGetTypeName(typeid(lockstep_nvrtc_type<T>), &name);
    if (!error)
        *result = name.substr(name.find('<') + 1, name.rfind('>') - name.find('<') - 1);
    return error;
}
#endif
#endif

#endif
