/* From registered fat binaries to loaded kernels and variables. Registration happens in constructors of the program,
 * before main, and may concern code that never runs: it only takes notes. An image is parsed when a kernel or variable
 * of it is first used, and again after cudaDeviceReset. Relocatable device code comes in parts, which are linked then:
 * as a list that a device linker made of a program's (nvcc), or as images that are parts of the program's (`lockstep
 * cc`): one of them has the module for all. */
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
    order_synchronize_all(rt); /* findings of launches name instructions */
    for (size_t i = 0; i < rt->kernels.count; i++)
        if (rt->kernels.items[i]->image == image)
            rt->kernels.items[i]->function = NULL;
    for (size_t i = rt->specials.count; i-- > 0;)
        if (rt->specials.items[i].image == image)
            rt->specials.items[i] = rt->specials.items[--rt->specials.count];
    if (image->module && (!image->whole || image->whole == image))
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
    cubin_free(&image->figures);
    free(image->file);
    free(image);
}

static cudaError_t error_of(enum fatbin_result result)
{
    return result == FATBIN_OK       ? cudaSuccess
           : result == FATBIN_NO_PTX ? cudaErrorNoKernelImageForDevice
                                     : cudaErrorInvalidKernelImage;
}

/* The parts of a module that is linked. */
struct parts {
    VEC(struct ptx_unit) units;
    struct arena arena;
};

static void name_module(size_t number, struct strbuf *name)
{
    strbuf_addf(name, number > 1 ? "%s.%zu.ptx" : "%s.ptx", program_invocation_short_name, number);
}

static cudaError_t add_part(struct parts *parts, const void *data, size_t number, struct diag_sink *sink)
{
    struct fatbin_ptx ptx;
    struct strbuf name = {0};
    enum fatbin_result result = fatbin_extract(data, FATBIN_UNKNOWN_SIZE, &ptx, sink);
    if (result != FATBIN_OK)
        return error_of(result);
    name_module(number, &name);
    vec_push(&parts->units, (struct ptx_unit){arena_strdup(&parts->arena, strbuf_text(&name)),
                                              arena_strndup(&parts->arena, ptx.text, ptx.length), ptx.length});
    free(ptx.text);
    strbuf_free(&name);
    return cudaSuccess;
}

/* All parts of the program that no module has yet become parts of this one's. */
static cudaError_t gather_images(struct runtime *rt, struct image *whole, struct parts *parts, struct diag_sink *sink)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < rt->images.count && !error; i++) {
        struct image *image = rt->images.items[i];
        if (!image->is_part || image->whole)
            continue;
        const void *data = fatbin_unwrap(image->wrapper, sink);
        image->whole = whole;
        image->part = parts->units.count;
        error = data ? add_part(parts, data, image->number, sink) : cudaErrorInvalidKernelImage;
    }
    return error;
}

static cudaError_t gather_list(const struct image *image, struct parts *parts, struct diag_sink *sink)
{
    const void *const *list = fatbin_linked(image->wrapper);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; list && list[i] && !error; i++)
        error = add_part(parts, list[i], i + 1, sink);
    return error;
}

/* Links the parts to the text of the image's module. */
static cudaError_t link_parts(struct runtime *rt, struct image *image, struct diag_sink *sink)
{
    struct parts parts = {0};
    struct strbuf text = {0};
    arena_init(&parts.arena);
    cudaError_t error = image->is_part ? gather_images(rt, image, &parts, sink) : gather_list(image, &parts, sink);
    if (!error && ptx_link(parts.units.items, parts.units.count, &text, sink))
        error = cudaErrorInvalidPtx;
    if (!error) {
        image->text = base_malloc(text.length + 1);
        memcpy(image->text, strbuf_text(&text), text.length + 1);
    }
    strbuf_free(&text);
    vec_free(&parts.units);
    arena_free(&parts.arena);
    return error;
}

void image_read_figures(const struct runtime *rt, struct image *image, const void *data)
{
    const struct gpu_params *p = &rt->machine.gpu;
    struct fatbin_code code;
    if (p->registers_as != GPU_REGISTERS_PTXAS ||
        !fatbin_extract_code(data, FATBIN_UNKNOWN_SIZE, 10 * p->compute_major + p->compute_minor, &code))
        return;
    cubin_free(&image->figures);
    cubin_read(code.data, code.bytes, &image->figures);
    free(code.data);
}

/* Takes the PTX out of the image. */
static cudaError_t extract(struct runtime *rt, struct image *image, struct diag_sink *sink)
{
    struct fatbin_ptx ptx;
    const void *data = fatbin_unwrap(image->wrapper, sink);
    if (!data)
        return cudaErrorInvalidKernelImage;
    image_read_figures(rt, image, data);
    if (image->is_part || fatbin_is_linked(image->wrapper))
        return link_parts(rt, image, sink);
    enum fatbin_result result = fatbin_extract(data, FATBIN_UNKNOWN_SIZE, &ptx, sink);
    if (result == FATBIN_OK)
        image->text = ptx.text;
    return error_of(result);
}

/* Device code of NVIDIA's library cudadevrt, of which the PTX of nvcc's programs has but the declaration. */
static void add_device_library(struct image *image)
{
    static const char declaration[] = ".extern .func cudaGraphSetConditional";
    static const char definition[] = "\n.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)\n"
                                     "{\n.reg .b64 a;\n.reg .b32 v;\nld.param.b64 a, [handle];\n"
                                     "ld.param.b32 v, [value];\nst.volatile.u32 [a], v;\nret;\n}\n";
    if (!strstr(image->text, declaration))
        return;
    const size_t n = strlen(image->text);
    image->text = base_realloc(image->text, n + sizeof definition);
    memcpy(image->text + n, definition, sizeof definition);
}

static cudaError_t parse(struct runtime *rt, struct image *image, struct diag_sink *sink)
{
    struct strbuf name = {0};
    add_device_library(image);
    if (image->file)
        strbuf_add(&name, image->file);
    else
        name_module(image->number, &name);
    const struct ptx_options options = {.budget = gpu_budget(&rt->machine),
                                        .assembled = image->figures.kernels,
                                        .assembled_count = image->figures.count};
    struct isa_module *code = ptx_load(strbuf_text(&name), image->text, strlen(image->text), &options, sink);
    strbuf_free(&name);
    image->module = code ? gpu_load(rt->gpu, code, sink) : NULL;
    return image->module ? cudaSuccess : cudaErrorInvalidPtx;
}

/* The name that `name` of a part of a module got when it was linked, if another part has it too. */
static void renamed(const struct image *image, const char *name, struct strbuf *to)
{
    ptx_linked_name(name, strlen(name), image->part, to);
}

/* `image` has the module that the variable is in. */
static bool find_variable(const struct image *image, const struct variable *variable, uint64_t *address,
                          uint64_t *bytes)
{
    struct strbuf other = {0};
    renamed(variable->image, variable->name, &other);
    const bool found = (variable->image->whole && gpu_variable(image->module, strbuf_text(&other), address, bytes)) ||
                       gpu_variable(image->module, variable->name, address, bytes);
    strbuf_free(&other);
    return found;
}

static const struct isa_function *find_function(const struct kernel *kernel)
{
    const struct image *image = kernel->image;
    struct strbuf other = {0};
    renamed(image, kernel->name, &other);
    const struct isa_function *found = image->whole ? gpu_kernel(image->module, strbuf_text(&other)) : NULL;
    strbuf_free(&other);
    return found ? found : gpu_kernel(image->module, kernel->name);
}

/* Tells the program where a managed variable is: its device address, which the host can use as it is. */
static cudaError_t place_variable(struct runtime *rt, struct image *image, struct variable *variable,
                                  struct diag_sink *sink)
{
    uint64_t address, bytes;
    if (!find_variable(image, variable, &address, &bytes)) {
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
    return cudaSuccess;
}

static cudaError_t place_managed(struct runtime *rt, struct image *image, struct diag_sink *sink)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < rt->variables.count && !error; i++) {
        struct variable *variable = rt->variables.items[i];
        const bool is_here = variable->image == image || variable->image->whole == image;
        if (is_here && variable->managed)
            error = place_variable(rt, image, variable, sink);
    }
    return error;
}

void *image_place_managed(struct runtime *rt, const void *host, cudaError_t *error)
{
    struct variable *variable = NULL;
    struct diag_sink sink;
    for (size_t i = rt->variables.count; i-- > 0 && !variable;)
        if (rt->variables.items[i]->host == host)
            variable = rt->variables.items[i];
    *error = variable ? runtime_ready(rt) : cudaErrorInvalidSymbol;
    if (!*error)
        *error = image_load_early(rt, variable->image);
    diag_init(&sink);
    if (!*error && !variable->managed) {
        variable->managed = &variable->place;
        *error = place_variable(rt, variable->image->whole ? variable->image->whole : variable->image, variable, &sink);
    }
    runtime_report(rt, &sink);
    diag_free(&sink);
    return *error ? NULL : *variable->managed;
}

void image_note_managed(struct runtime *rt, struct image *image)
{
    for (size_t i = 0; i < rt->variables.count; i++) {
        struct variable *variable = rt->variables.items[i];
        for (size_t k = rt->managed.count; variable->image == image && k-- > 0;)
            if (rt->managed.items[k].host == variable->host) {
                variable->managed = rt->managed.items[k].pointer;
                rt->managed.items[k] = rt->managed.items[--rt->managed.count];
                image->has_managed = true;
            }
    }
}

const char *image_text(const struct image *image)
{
    return image->whole ? image->whole->text : image->text;
}

cudaError_t image_load(struct runtime *rt, struct image *image)
{
    return image_load_told(rt, image, NULL);
}

cudaError_t image_load_told(struct runtime *rt, struct image *image, struct strbuf *told)
{
    if (image->module || image->failed)
        return image->failed;
    if (image->whole && image->whole != image) {
        image->failed = image_load(rt, image->whole);
        image->module = image->whole->module;
        return image->failed;
    }
    struct diag_sink sink;
    diag_init(&sink);
    cudaError_t error = image->text ? cudaSuccess : extract(rt, image, &sink);
    if (!error)
        error = parse(rt, image, &sink);
    if (!error)
        error = place_managed(rt, image, &sink);
    if (error && told)
        diag_format_all(&sink, told);
    runtime_report(rt, &sink);
    diag_free(&sink);
    image->failed = error;
    return error;
}

static void dissolve(struct runtime *rt, struct image *whole)
{
    for (size_t i = 0; i < rt->images.count; i++) {
        struct image *image = rt->images.items[i];
        if (image->whole != whole || image == whole)
            continue;
        image_forget_module(rt, image);
        image->whole = NULL;
    }
    image_forget_module(rt, whole);
    free(whole->text);
    whole->text = NULL;
    whole->whole = NULL;
    whole->is_early = false;
}

void image_add_part(struct runtime *rt, struct image *image)
{
    image->is_part = true;
    for (size_t i = 0; i < rt->images.count; i++) {
        struct image *whole = rt->images.items[i];
        if (whole->is_early && whole->is_part) {
            dissolve(rt, whole);
            image_load_early(rt, image);
            return;
        }
    }
}

cudaError_t image_load_early(struct runtime *rt, struct image *image)
{
    cudaError_t error = image_load(rt, image);
    if (image->whole)
        image->whole->is_early = true;
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
    diag_error(&sink, DIAG_NOWHERE, NULL, "kernel %s is not in the PTX of its module", kernel->shown);
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
    if (found->image->whole)
        found->image->whole->is_early = false;
    if (!found->function)
        found->function = find_function(found);
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
        if (variable->image->whole)
            variable->image->whole->is_early = false;
        return find_variable(variable->image, variable, address, bytes) ? cudaSuccess : cudaErrorInvalidSymbol;
    }
    return cudaErrorInvalidSymbol;
}
