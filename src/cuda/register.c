/* Entry points for compiler-generated code: registration of fat binaries, kernels and variables, and the hand-over of a
 * launch's configuration from `<<< >>>` to the stub. The handle of a fat binary is the address of its struct image. */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"

static struct image *image_of(void **handle)
{
    return (struct image *)(void *)handle;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct runtime *rt = runtime_lock();
    results_open(rt);
    struct image *image = image_add(rt, wrapper);
    runtime_unlock(rt, cudaSuccess);
    return (void **)(void *)image;
}

/* An image with a managed variable of `lockstep cc`'s is loaded at once: the host uses it without a call before. */
void __cudaRegisterFatBinaryEnd(void **handle)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = cudaSuccess;
    if (image_note_managed(rt, image_of(handle)) && !(error = runtime_ready(rt)))
        error = image_load_early(rt, image_of(handle));
    runtime_unlock(rt, error);
}

void __cudaLockstepLinked(void (*callback)(void **), void *wrapper, const char *module, void (*dummy)(void *))
{
    (void)module, (void)dummy;
    struct runtime *rt = runtime_lock();
    results_open(rt);
    struct image *image = image_add(rt, wrapper);
    image_add_part(rt, image);
    runtime_unlock(rt, cudaSuccess);
    callback((void **)(void *)image);
    __cudaRegisterFatBinaryEnd((void **)(void *)image);
}

void __cudaLockstepManaged(const void *variable, void **pointer)
{
    struct runtime *rt = runtime_lock();
    vec_push(&rt->managed, (struct managed_note){variable, pointer});
    runtime_unlock(rt, cudaSuccess);
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct runtime *rt = runtime_lock();
    flight_end(rt, true); /* the program ends: a kernel under way may be of this image */
    image_remove(rt, image_of(handle));
    runtime_unlock(rt, cudaSuccess);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_function, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    struct runtime *rt = runtime_lock();
    struct strbuf shown = {0};
    isa_plain_name(name, &shown);
    struct kernel *kernel = base_calloc(1, sizeof *kernel + shown.length + 1);
    *kernel = (struct kernel){.image = image_of(handle), .host = host, .name = name, .carveout = -1};
    memcpy(kernel->shown, strbuf_text(&shown), shown.length + 1);
    strbuf_free(&shown);
    vec_push(&rt->kernels, kernel);
    runtime_unlock(rt, cudaSuccess);
}

static void add_variable(void **handle, const void *host, const char *name, size_t bytes, void **managed)
{
    struct runtime *rt = runtime_lock();
    struct variable *variable = base_calloc(1, sizeof *variable);
    *variable =
        (struct variable){.image = image_of(handle), .host = host, .name = name, .bytes = bytes, .managed = managed};
    vec_push(&rt->variables, variable);
    runtime_unlock(rt, cudaSuccess);
}

void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext, size_t bytes,
                       int constant, int global)
{
    (void)device_address, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, name, bytes, NULL);
}

void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device_address,
                           const char *name, int dimensions, int as_float, int ext)
{
    (void)device_address, (void)dimensions, (void)ext;
    add_variable(handle, host, name, sizeof *host, NULL);
    struct runtime *rt = runtime_lock();
    vec_push(&rt->references, (struct texture_reference){host, as_float != 0});
    runtime_unlock(rt, cudaSuccess);
}

void __cudaRegisterHostVar(void **handle, const char *device_name, char *host, size_t bytes)
{
    add_variable(handle, host, device_name, bytes, NULL);
}

/* The host knows a managed variable by a pointer, which loading the module fills. */
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name, int ext, size_t bytes,
                              int constant, int global)
{
    (void)device_address, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, name, bytes, host);
}

/* Called before the host's first use of a managed variable of this module. */
char __cudaInitModule(void **handle)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_ready(rt);
    if (!error)
        error = image_load(rt, image_of(handle));
    return runtime_unlock(rt, error) == cudaSuccess;
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    struct thread_state *thread = runtime_thread();
    if (thread->configuration_count == THREAD_CONFIGURATIONS)
        return 1; /* the compiler's code then skips the launch */
    thread->configurations[thread->configuration_count++] =
        (struct call_configuration){.grid = grid, .block = block, .shared = shared, .stream = stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    struct thread_state *thread = runtime_thread();
    if (thread->configuration_count == 0)
        return thread->last_error = cudaErrorMissingConfiguration;
    struct call_configuration *top = &thread->configurations[--thread->configuration_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}
