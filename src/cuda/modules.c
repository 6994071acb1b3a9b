/* From registered fat binaries to loaded kernels and variables. Registration happens in constructors of the program,
 * before main, and may concern code that never runs: it only takes notes. An image is parsed when a kernel or variable
 * of it is first used, and again after cudaDeviceReset. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/fatbin.h"
#include "cuda/runtime.h"
#include "ptx/ptx.h"

struct image *image_add(struct runtime *rt, const void *wrapper)
{
    struct image *image = base_calloc(1, sizeof *image);
    image->wrapper = wrapper;
    image->number = ++rt->image_number;
    vec_push(&rt->images, image);
    return image;
}

void image_forget_module(struct runtime *rt, struct image *image)
{
    for (size_t i = 0; i < rt->kernels.count; i++)
        if (rt->kernels.items[i]->image == image)
            rt->kernels.items[i]->function = NULL;
    for (size_t i = rt->specials.count; i-- > 0;)
        if (rt->specials.items[i].image == image)
            rt->specials.items[i] = rt->specials.items[--rt->specials.count];
    if (image->module)
        gpu_unload(rt->gpu, image->module);
    image->module = NULL;
}

/* Removes the records of `image` from a list of pointers to records that have an `image` member. */
#define FORGET_RECORDS(list)                                                                                           \
    do {                                                                                                               \
        size_t kept_ = 0;                                                                                              \
        for (size_t i_ = 0; i_ < (list)->count; i_++) {                                                                \
            if ((list)->items[i_]->image == image)                                                                     \
                free((list)->items[i_]);                                                                               \
            else                                                                                                       \
                (list)->items[kept_++] = (list)->items[i_];                                                            \
        }                                                                                                              \
        (list)->count = kept_;                                                                                         \
    } while (0)

void image_remove(struct runtime *rt, struct image *image)
{
    size_t at = 0;
    while (at < rt->images.count && rt->images.items[at] != image)
        at++;
    if (at == rt->images.count)
        return;
    image_forget_module(rt, image);
    FORGET_RECORDS(&rt->kernels);
    FORGET_RECORDS(&rt->variables);
    memmove(rt->images.items + at, rt->images.items + at + 1, (rt->images.count - at - 1) * sizeof *rt->images.items);
    rt->images.count--;
    free(image->text);
    free(image);
}

/* Takes the PTX out of the image. */
static cudaError_t extract(struct image *image, struct diag_sink *sink)
{
    struct fatbin_ptx ptx;
    const void *data = fatbin_unwrap(image->wrapper, sink);
    if (!data)
        return cudaErrorInvalidKernelImage;
    if (fatbin_is_linked(image->wrapper)) {
        diag_error(sink, DIAG_NOWHERE, "build without -rdc=true (and without -dc)",
                   "the program's device code was linked across files, which is not supported");
        return cudaErrorNoKernelImageForDevice;
    }
    enum fatbin_result result = fatbin_extract(data, FATBIN_UNKNOWN_SIZE, &ptx, sink);
    if (result == FATBIN_OK)
        image->text = ptx.text;
    return result == FATBIN_OK       ? cudaSuccess
           : result == FATBIN_NO_PTX ? cudaErrorNoKernelImageForDevice
                                     : cudaErrorInvalidKernelImage;
}

static cudaError_t parse(struct runtime *rt, struct image *image, struct diag_sink *sink)
{
    struct strbuf name = {0};
    strbuf_addf(&name, image->number > 1 ? "%s.%u.ptx" : "%s.ptx", program_invocation_short_name, image->number);
    struct isa_module *code = ptx_load(strbuf_text(&name), image->text, strlen(image->text), NULL, sink);
    strbuf_free(&name);
    image->module = code ? gpu_load(rt->gpu, code, sink) : NULL;
    return image->module ? cudaSuccess : cudaErrorInvalidPtx;
}

/* Tells the program where its managed variables are: their device addresses, which the host can use as they are. */
static cudaError_t place_managed(struct runtime *rt, struct image *image, struct diag_sink *sink)
{
    for (size_t i = 0; i < rt->variables.count; i++) {
        struct variable *variable = rt->variables.items[i];
        uint64_t address, bytes;
        if (variable->image != image || !variable->managed)
            continue;
        if (!gpu_variable(image->module, variable->name, &address, &bytes)) {
            diag_error(sink, DIAG_NOWHERE, NULL, "__managed__ variable %s is not in its module", variable->name);
            return cudaErrorInvalidSymbol;
        }
        if (!gpu_host_mapped(rt->gpu)) {
            diag_error(sink, DIAG_NOWHERE, "choose another gpu.memory_base",
                       "__managed__ variable %s: the host cannot see device memory", variable->name);
            return cudaErrorNotSupported;
        }
        *variable->managed = (void *)(uintptr_t)address;
        vec_push(&rt->specials, (struct special_block){.start = address,
                                                       .bytes = bytes,
                                                       .type = cudaMemoryTypeManaged,
                                                       .flags = cudaMemAttachGlobal,
                                                       .in_device = true,
                                                       .image = image});
    }
    return cudaSuccess;
}

bool image_note_managed(struct runtime *rt, const struct image *image)
{
    bool any = false;
    for (size_t i = 0; i < rt->variables.count; i++) {
        struct variable *variable = rt->variables.items[i];
        for (size_t k = rt->managed.count; variable->image == image && k-- > 0;)
            if (rt->managed.items[k].host == variable->host) {
                variable->managed = rt->managed.items[k].pointer;
                rt->managed.items[k] = rt->managed.items[--rt->managed.count];
                any = true;
            }
    }
    return any;
}

cudaError_t image_load(struct runtime *rt, struct image *image)
{
    if (image->module || image->failed)
        return image->failed;
    struct diag_sink sink;
    diag_init(&sink);
    cudaError_t error = image->text ? cudaSuccess : extract(image, &sink);
    if (!error)
        error = parse(rt, image, &sink);
    if (!error)
        error = place_managed(rt, image, &sink);
    runtime_report(rt, &sink);
    diag_free(&sink);
    image->failed = error;
    return error;
}

/* The record func stands for; the newest, since a stub's address can come again after dlclose. */
struct kernel *kernel_lookup(const struct runtime *rt, const void *func)
{
    for (size_t i = rt->kernels.count; i-- > 0;)
        if (rt->kernels.items[i]->host == func || (const void *)rt->kernels.items[i] == func)
            return rt->kernels.items[i];
    return NULL;
}

static void report_missing_kernel(struct runtime *rt, const struct kernel *kernel)
{
    struct diag_sink sink;
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, "build without -rdc=true, so that each file's PTX is complete",
               "kernel %s is not in the PTX of its module", kernel->shown);
    runtime_report(rt, &sink);
    diag_free(&sink);
}

cudaError_t kernel_find(struct runtime *rt, const void *func, struct kernel **kernel)
{
    struct kernel *found = kernel_lookup(rt, func);
    if (!found)
        return cudaErrorInvalidDeviceFunction;
    cudaError_t error = image_load(rt, found->image);
    if (error)
        return error;
    if (!found->function)
        found->function = gpu_kernel(found->image->module, found->name);
    if (!found->function) {
        report_missing_kernel(rt, found);
        return cudaErrorInvalidDeviceFunction;
    }
    *kernel = found;
    return cudaSuccess;
}

cudaError_t variable_find(struct runtime *rt, const void *symbol, uint64_t *address, uint64_t *bytes)
{
    for (size_t i = rt->variables.count; i-- > 0;) {
        struct variable *variable = rt->variables.items[i];
        if (variable->host != symbol && !(variable->managed && *variable->managed == symbol))
            continue;
        cudaError_t error = image_load(rt, variable->image);
        if (error)
            return error;
        return gpu_variable(variable->image->module, variable->name, address, bytes) ? cudaSuccess
                                                                                     : cudaErrorInvalidSymbol;
    }
    return cudaErrorInvalidSymbol;
}
