/* Libraries of the runtime: code that the program brings itself, as the driver loads it (driver_module.c). A kernel's
 * handle is that of its record, which launches take in place of a host stub. */
#include "cuda/driver.h"

/* What follows speaks under the name of an entry point. */
static void begin(const char *name)
{
    struct runtime *rt = runtime_lock();
    rt->entry = runtime_entry(rt, name);
    runtime_unlock(rt, cudaSuccess);
}

/* Arguments that are wrong, told to the thread as the last error. */
static cudaError_t answer(cudaError_t error)
{
    return runtime_unlock(runtime_lock(), error);
}

/* Of how code is kept nothing depends here. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options, void **values,
                                unsigned int count, enum cudaLibraryOption *library_options, void **library_values,
                                unsigned int library_count)
{
    const struct jit_options o = {count, (const CUjit_option *)(void *)options, values};
    (void)library_options, (void)library_values, (void)library_count;
    begin(__func__);
    return answer(driver_load((void **)library, code, NULL, &o));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *options,
                                    void **values, unsigned int count, enum cudaLibraryOption *library_options,
                                    void **library_values, unsigned int library_count)
{
    const struct jit_options o = {count, (const CUjit_option *)(void *)options, values};
    (void)library_options, (void)library_values, (void)library_count;
    begin(__func__);
    return answer(driver_load_file((void **)library, path, &o));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    begin(__func__);
    return answer(driver_unload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    begin(__func__);
    return answer(driver_function((void **)kernel, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    begin(__func__);
    return answer(driver_count_functions(count, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int count, cudaLibrary_t library)
{
    begin(__func__);
    return answer(kernels ? driver_functions((void **)kernels, count, library) : cudaErrorInvalidValue);
}

static cudaError_t variable(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    CUdeviceptr at = 0;
    size_t size = 0;
    if (!address && !bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = driver_variable(&at, &size, library, name);
    if (!error && address)
        *address = driver_pointer(at);
    if (!error && bytes)
        *bytes = size;
    return error;
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    begin(__func__);
    return answer(variable(address, bytes, library, name));
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    begin(__func__);
    return answer(variable(address, bytes, library, name));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device)
{
    begin(__func__);
    return device ? answer(cudaErrorInvalidDevice) : cudaFuncSetAttribute(kernel, attribute, value);
}
