// Kernels that are compiled while the program runs: nvrtc.h, loaded by the driver interface.
#define NVRTC_GET_TYPE_NAME 1
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <nvrtc.h>
#include <string>
#include <vector>

static int failures;
static void check(const char *what, int is, int should)
{
    failures += is != should;
    if (is != should)
        std::printf("%s: %d, not %d\n", what, is, should);
}
#define OK(call) check(#call, (int)(call), 0)

static std::string log_of(nvrtcProgram program)
{
    size_t bytes = 0;
    OK(nvrtcGetProgramLogSize(program, &bytes));
    std::vector<char> text(bytes + 1);
    OK(nvrtcGetProgramLog(program, text.data()));
    check("the log ends with NUL", std::strlen(text.data()) + 1, bytes);
    return text.data();
}

static const char source[] = R"(
#include "scale.h"
#include "inner/more.h"
#ifndef __CUDACC_RTC__
#error NVRTC says so
#endif
namespace n {
__device__ int added = MORE;
template <class T> __constant__ T fixed = 5;
template <class T, int N> __global__ void scale(T *p)
{
    p[threadIdx.x] = SCALE * N * p[threadIdx.x] + added + fixed<T>;
}
}
extern "C" __global__ void plain(int *p) { *p = 7; }
)";

static CUdeviceptr memory;
static void launch(CUmodule module, const char *name, int threads)
{
    CUfunction function;
    void *arguments[] = {&memory};
    OK(cuModuleGetFunction(&function, module, name));
    OK(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
}

static void whole()
{
    nvrtcProgram program;
    const char *texts[] = {"#define SCALE 10\n", "#define MORE 3\n"}, *names[] = {"scale.h", "inner/more.h"};
    const char *options[] = {"--gpu-architecture=compute_75", "-default-device", "--std=c++17", "-DUNUSED=1"};
    OK(nvrtcCreateProgram(&program, source, "scale.cu", 2, texts, names));
    std::string type;
    OK(nvrtcGetTypeName<const float &>(&type));
    check("a type's name", type == "float const&", 1);
    OK(nvrtcAddNameExpression(program, "n::scale<int, 2>"));
    OK(nvrtcAddNameExpression(program, "n::scale<float, 3>"));
    OK(nvrtcAddNameExpression(program, "&n::added"));
    OK(nvrtcAddNameExpression(program, "&n::fixed<int>"));
    const char *kernel, *variable, *none;
    check("too early", nvrtcGetLoweredName(program, "n::scale<int, 2>", &kernel), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    if (nvrtcCompileProgram(program, 4, options)) {
        std::printf("%s\n", log_of(program).c_str());
        failures++;
        return;
    }
    OK(nvrtcGetLoweredName(program, "n::scale<int, 2>", &kernel));
    OK(nvrtcGetLoweredName(program, "&n::added", &variable));
    check("its name", std::strcmp(variable, "_ZN1n5addedE"), 0);
    check("no such name", nvrtcGetLoweredName(program, "plain", &none), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    check("too late", nvrtcAddNameExpression(program, "plain"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);

    size_t bytes, same;
    OK(nvrtcGetPTXSize(program, &bytes));
    OK(nvrtcGetCUBINSize(program, &same));
    std::vector<char> ptx(bytes);
    OK(nvrtcGetPTX(program, ptx.data()));
    check("the PTX ends with NUL", std::strlen(ptx.data()) + 1, bytes);
    check("no other names", std::strstr(ptx.data(), "lockstep_nvrtc") != nullptr, 0);
    check("lines of the program", std::strstr(ptx.data(), "scale.cu\"") != nullptr, 1);
    CUmodule module;
    CUdeviceptr added;
    int values[32], ten = 10;
    OK(cuModuleLoadData(&module, ptx.data()));
    OK(cuModuleGetGlobal(&added, &bytes, module, variable));
    OK(cuMemcpyHtoD(added, &ten, sizeof ten));
    for (int i = 0; i < 32; i++)
        values[i] = i;
    OK(cuMemAlloc(&memory, sizeof values));
    OK(cuMemcpyHtoD(memory, values, sizeof values));
    launch(module, kernel, 32);
    OK(cuMemcpyDtoH(values, memory, sizeof values));
    check("its result", values[31], 20 * 31 + 10 + 5);
    launch(module, "plain", 1);
    OK(cuMemcpyDtoH(values, memory, sizeof values));
    check("extern C", values[0], 7);
    OK(cuModuleUnload(module));
    OK(nvrtcDestroyProgram(&program));
    check("gone", program == nullptr, 1);
}

// What is wrong is in the log, with the program's own name and lines.
static void mistakes()
{
    nvrtcProgram program;
    size_t bytes;
    int major = 0, minor = 0, count = 0;
    const char *bad[] = {"--no-such-option-of-anybody"}, *name[] = {"../up.h"}, *text[] = {""};
    OK(nvrtcCreateProgram(&program, "__global__ void k(int *p)\n{\n    *p = missing;\n}\n", "dir/wrong.cu", 0, nullptr, nullptr));
    check("it does not compile", nvrtcCompileProgram(program, 0, nullptr), NVRTC_ERROR_COMPILATION);
    const std::string log = log_of(program);
    check("a place", log.find("dir/wrong.cu:3:10: error:") != std::string::npos, 1);
    check("no PTX", nvrtcGetPTXSize(program, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
    check("an option", nvrtcCompileProgram(program, 1, bad) != NVRTC_SUCCESS, 1);
    OK(nvrtcDestroyProgram(&program));
    check("twice", nvrtcDestroyProgram(&program), NVRTC_ERROR_INVALID_PROGRAM);
    check("no source", nvrtcCreateProgram(&program, nullptr, "x", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
    check("a header outside", nvrtcCreateProgram(&program, "", "x", 1, text, name), NVRTC_ERROR_INVALID_INPUT);
    OK(nvrtcVersion(&major, &minor));
    OK(nvrtcGetNumSupportedArchs(&count));
    std::vector<int> archs(count);
    OK(nvrtcGetSupportedArchs(archs.data()));
    check("versions", major == 13 && archs[0] == 75, 1);
    check("a text", std::strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"), 0);
}

int main()
{
    CUdevice device;
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    whole();
    mistakes();
    std::printf("%d failures\n", failures);
    return failures != 0;
}
