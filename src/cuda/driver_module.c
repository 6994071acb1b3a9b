/* Modules and libraries of the driver: PTX that the program brings itself, as text, in a fat binary or in a file. Each is
 * an image like those that compilers register, but loaded at once; its functions are records like those of registered
 * kernels. The linker takes one PTX and hands it on. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cuda/fatbin.h"

#define WRAPPER_MAGIC "\xb1\x43\x62\x46"

struct image *driver_module(const struct runtime *rt, const void *handle)
{
    for (size_t i = 0; i < rt->images.count; i++)
        if (rt->images.items[i] == handle && rt->images.items[i]->by_driver)
            return rt->images.items[i];
    return NULL;
}

/* Of the images that the driver loaded, those that nobody unloaded go with the device. */
void driver_forget(struct runtime *rt)
{
    for (size_t i = rt->images.count; i-- > 0;)
        if (rt->images.items[i]->by_driver)
            image_remove(rt, rt->images.items[i]);
}

/* ---- what the program asks to be told ---- */

static void **option(const struct jit_options *o, CUjit_option name)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->names[i] == name)
            return &o->values[i];
    return NULL;
}

/* Fills a log of the caller's, as far as it has room, and replaces its size by that of what was written. */
static void fill_log(const struct jit_options *o, CUjit_option buffer, CUjit_option size, const struct strbuf *text)
{
    void **to = option(o, buffer), **bytes = option(o, size);
    if (!to || !*to || !bytes || !*bytes)
        return;
    size_t room = (size_t)(uintptr_t)*bytes - 1, length = text->length < room ? text->length : room;
    memcpy(*to, strbuf_text(text), length);
    ((char *)*to)[length] = '\0';
    *bytes = (void *)(uintptr_t)length;
}

/* ---- loading ---- */

/* The PTX in what the program has in memory, which becomes what is in its wrapper if it has one. */
static cudaError_t take_text(const void **data, char **text, struct diag_sink *sink)
{
    struct fatbin_ptx ptx;
    if (memcmp(*data, WRAPPER_MAGIC, 4) == 0 && !(*data = fatbin_unwrap(*data, sink)))
        return cudaErrorInvalidKernelImage;
    enum fatbin_result result = fatbin_extract(*data, FATBIN_UNKNOWN_SIZE, &ptx, sink);
    if (result == FATBIN_OK)
        *text = ptx.text;
    return result == FATBIN_OK       ? cudaSuccess
           : result == FATBIN_NO_PTX ? cudaErrorNoKernelImageForDevice
                                     : cudaErrorInvalidKernelImage;
}

static cudaError_t load(struct runtime *rt, const void *data, const char *name, const struct jit_options *o,
                        struct image **image)
{
    struct diag_sink sink;
    struct strbuf told = {0}, nothing = {0};
    char *text = NULL;
    diag_init(&sink);
    cudaError_t error = take_text(&data, &text, &sink);
    if (error)
        diag_format_all(&sink, &told);
    runtime_report(rt, &sink);
    diag_free(&sink);
    if (!error) {
        *image = image_add(rt, NULL);
        (*image)->by_driver = true;
        (*image)->text = text;
        image_read_figures(rt, *image, data);
        (*image)->file = name ? strdup(name) : NULL;
        error = image_load_told(rt, *image, &told);
        if (error)
            image_remove(rt, *image);
    }
    fill_log(o, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, &told);
    fill_log(o, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, &nothing);
    strbuf_free(&told);
    return error;
}

cudaError_t driver_load(void **module, const void *data, const char *name, const struct jit_options *o)
{
    if (!module || !data || (o->count && (!o->names || !o->values)))
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    struct image *image = NULL;
    cudaError_t error = runtime_ready(rt);
    if (!error)
        error = flight_wait(rt);
    if (!error)
        error = load(rt, data, name, o, &image);
    if (!error)
        *module = image;
    return runtime_unlock(rt, error);
}

static cudaError_t read_whole(const char *path, struct strbuf *content)
{
    struct runtime *rt = runtime_lock();
    struct diag_sink sink;
    diag_init(&sink);
    cudaError_t error = file_read(path, FILE_NO_BOUND, content, &sink) < 0 ? cudaErrorFileNotFound : cudaSuccess;
    runtime_report(rt, &sink);
    diag_free(&sink);
    return runtime_unlock(rt, error);
}

cudaError_t driver_load_file(void **module, const char *path, const struct jit_options *o)
{
    struct strbuf content = {0};
    const char *slash = path ? strrchr(path, '/') : NULL;
    cudaError_t error = path && module ? read_whole(path, &content) : cudaErrorInvalidValue;
    if (!error)
        error = driver_load(module, strbuf_text(&content), slash ? slash + 1 : path, o);
    strbuf_free(&content);
    return error;
}

static const struct jit_options no_options = {0};

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    DRIVER_CALL(driver_load_file((void **)module, path, &no_options));
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    DRIVER_CALL(driver_load((void **)module, image, NULL, &no_options));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values)
{
    const struct jit_options o = {count, options, values};
    DRIVER_CALL(driver_load((void **)module, image, NULL, &o));
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    DRIVER_CALL(driver_load((void **)module, image, NULL, &no_options));
}

cudaError_t driver_unload(const void *handle)
{
    struct runtime *rt = runtime_lock();
    struct image *image = driver_module(rt, handle);
    cudaError_t error = image ? flight_wait(rt) : cudaErrorInvalidResourceHandle;
    if (image)
        image_remove(rt, image);
    return runtime_unlock(rt, error);
}

CUresult cuModuleUnload(CUmodule module)
{
    DRIVER_CALL(driver_unload(module));
}

/* ---- what is in them ---- */

static struct kernel *new_kernel(struct runtime *rt, struct image *image, const struct isa_function *function)
{
    struct strbuf shown = {0};
    isa_plain_name(function->name, &shown);
    size_t name = strlen(function->name) + 1;
    struct kernel *kernel = base_calloc(1, sizeof *kernel + shown.length + 1 + name);
    *kernel = (struct kernel){.image = image, .function = function, .carveout = -1};
    memcpy(kernel->shown, strbuf_text(&shown), shown.length + 1);
    kernel->name = memcpy(kernel->shown + shown.length + 1, function->name, name);
    strbuf_free(&shown);
    vec_push(&rt->kernels, kernel);
    return kernel;
}

/* The record of the function, which is made when it is first asked for. */
static struct kernel *record_of(struct runtime *rt, struct image *image, const struct isa_function *function)
{
    for (size_t i = 0; i < rt->kernels.count; i++)
        if (rt->kernels.items[i]->image == image && strcmp(rt->kernels.items[i]->name, function->name) == 0)
            return rt->kernels.items[i];
    return new_kernel(rt, image, function);
}

cudaError_t driver_function(void **to, const void *handle, const char *name)
{
    if (!to || !name)
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    struct image *image = driver_module(rt, handle);
    const struct isa_function *function = image ? gpu_kernel(image->module, name) : NULL;
    if (!function)
        return runtime_unlock(rt, image ? cudaErrorSymbolNotFound : cudaErrorInvalidResourceHandle);
    *to = record_of(rt, image, function);
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    DRIVER_CALL(driver_function((void **)function, module, name));
}

cudaError_t driver_count_functions(unsigned *count, const void *handle)
{
    if (!count)
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    const struct image *image = driver_module(rt, handle);
    *count = 0;
    const struct isa_module *code = image ? gpu_module_code(image->module) : NULL;
    for (uint32_t i = 0; code && i < code->function_count; i++)
        *count += code->functions[i].is_kernel;
    return runtime_unlock(rt, image ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t driver_functions(void **to, unsigned count, const void *handle)
{
    struct runtime *rt = runtime_lock();
    struct image *image = driver_module(rt, handle);
    const struct isa_module *code = image ? gpu_module_code(image->module) : NULL;
    unsigned n = 0;
    for (uint32_t i = 0; code && i < code->function_count && n < count; i++)
        if (code->functions[i].is_kernel)
            to[n++] = record_of(rt, image, &code->functions[i]);
    return runtime_unlock(rt, image ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    DRIVER_CALL(driver_count_functions(count, module));
}

cudaError_t driver_variable(CUdeviceptr *address, size_t *bytes, const void *handle, const char *name)
{
    uint64_t start, size;
    if (!name || (!address && !bytes))
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    const struct image *image = driver_module(rt, handle);
    if (!image || !gpu_variable(image->module, name, &start, &size))
        return runtime_unlock(rt, image ? cudaErrorSymbolNotFound : cudaErrorInvalidResourceHandle);
    if (address)
        *address = start;
    if (bytes)
        *bytes = size;
    return runtime_unlock(rt, cudaSuccess);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    DRIVER_CALL(driver_variable(address, bytes, module, name));
}

static cudaError_t loading_mode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return cudaErrorInvalidValue;
    *mode = CU_MODULE_EAGER_LOADING;
    return cudaSuccess;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    DRIVER_QUERY(loading_mode(mode));
}

/* ---- libraries: modules that belong to no context ---- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values,
                           unsigned int count, CUlibraryOption *library_options, void **library_values,
                           unsigned int library_count)
{
    (void)library_options, (void)library_values, (void)library_count; /* how code is kept */
    const struct jit_options o = {count, options, values};
    DRIVER_QUERY(driver_load((void **)library, code, NULL, &o));
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values,
                               unsigned int count, CUlibraryOption *library_options, void **library_values,
                               unsigned int library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    const struct jit_options o = {count, options, values};
    DRIVER_QUERY(driver_load_file((void **)library, path, &o));
}

CUresult cuLibraryUnload(CUlibrary library)
{
    DRIVER_QUERY(driver_unload(library));
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    DRIVER_QUERY(driver_function((void **)kernel, library, name));
}

static cudaError_t module_of_library(CUmodule *module, CUlibrary library)
{
    struct runtime *rt = runtime_lock();
    struct image *image = module ? driver_module(rt, library) : NULL;
    if (image)
        *module = (CUmodule)(void *)image;
    return runtime_unlock(rt, image    ? cudaSuccess
                              : module ? cudaErrorInvalidResourceHandle
                                       : cudaErrorInvalidValue);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    DRIVER_CALL(module_of_library(module, library));
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    DRIVER_CALL(driver_variable(address, bytes, library, name));
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    DRIVER_QUERY(driver_variable(address, bytes, library, name));
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    DRIVER_QUERY(driver_count_functions(count, library));
}

/* ---- the linker ---- */

struct CUlinkState_st {
    char *text; /* PTX; NULL: nothing was given yet */
};

static cudaError_t create_link(CUlinkState *state)
{
    if (!state)
        return cudaErrorInvalidValue;
    *state = base_calloc(1, sizeof **state);
    return cudaSuccess;
}

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values, CUlinkState *state)
{
    (void)count, (void)options, (void)values;
    DRIVER_CALL(create_link(state));
}

/* data: with a byte behind its end that may be read, as PTX has. */
static cudaError_t add_to_link(CUlinkState state, CUjitInputType type, const void *data)
{
    if (!state || !data)
        return cudaErrorInvalidValue;
    struct runtime *rt = runtime_lock();
    if (state->text)
        return runtime_unlock(
            rt, runtime_refuse(rt, cudaErrorNotSupported, "code of several inputs cannot be linked: one is taken"));
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
        return runtime_unlock(rt, runtime_refuse(rt, cudaErrorNotSupported, "of its inputs only PTX can be linked"));
    struct diag_sink sink;
    diag_init(&sink);
    const void *content = data;
    cudaError_t error = take_text(&content, &state->text, &sink);
    runtime_report(rt, &sink);
    diag_free(&sink);
    return runtime_unlock(rt, error);
}

static cudaError_t add_data(CUlinkState state, CUjitInputType type, const void *data, size_t bytes)
{
    if (!data || type != CU_JIT_INPUT_PTX)
        return add_to_link(state, type, data);
    char *text = strndup(data, bytes);
    cudaError_t error = text ? add_to_link(state, type, text) : cudaErrorMemoryAllocation;
    free(text);
    return error;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                          unsigned int count, CUjit_option *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    DRIVER_CALL(add_data(state, type, data, bytes));
}

static cudaError_t add_file(CUlinkState state, CUjitInputType type, const char *path)
{
    struct strbuf content = {0};
    cudaError_t error = path ? read_whole(path, &content) : cudaErrorInvalidValue;
    if (!error)
        error = add_to_link(state, type, strbuf_text(&content));
    strbuf_free(&content);
    return error;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                          CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    DRIVER_CALL(add_file(state, type, path));
}

/* The image is the program's to load until the state is destroyed: the PTX as it came. */
static cudaError_t complete_link(CUlinkState state, void **image, size_t *bytes)
{
    if (!state || !image || !state->text)
        return cudaErrorInvalidValue;
    *image = state->text;
    if (bytes)
        *bytes = strlen(state->text) + 1;
    return cudaSuccess;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    DRIVER_CALL(complete_link(state, image, bytes));
}

static cudaError_t destroy_link(CUlinkState state)
{
    if (!state)
        return cudaErrorInvalidValue;
    free(state->text);
    free(state);
    return cudaSuccess;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    DRIVER_CALL(destroy_link(state));
}
