/* Entry points for compiler-generated code: registration of fat binaries, kernels and variables, and the hand-over of a
 * launch's configuration from `<<< >>>` to the stub. The handle of a fat binary is the address of its struct image. */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"

static struct image *image_of(void **handle)
{
    return (struct image *)(void *)handle;
}

/* The image of a fat binary; a new one unless it has been registered. A program with managed variables registers its
 * own twice, before constructors of its own and, as clang wrote it, among them (lockstep/managed.h): what comes with
 * the second time is known. */
static struct image *add_image(struct runtime *rt, const void *wrapper)
{
    results_open(rt);
    for (size_t i = 0; i < rt->images.count; i++)
        if (rt->images.items[i]->wrapper == wrapper) {
            rt->images.items[i]->again++;
            return rt->images.items[i];
        }
    return image_add(rt, wrapper);
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct runtime *rt = runtime_lock();
    struct image *image = add_image(rt, wrapper);
    runtime_unlock(rt, cudaSuccess);
    return (void **)(void *)image;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    struct runtime *rt = runtime_lock();
    if (!image_of(handle)->again)
        image_note_managed(rt, image_of(handle));
    runtime_unlock(rt, cudaSuccess);
}

/* Images with managed variables of `lockstep cc`'s are loaded at once: the host uses these without a call before. */
void __cudaLockstepManagedReady(void)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < rt->images.count && !error; i++)
        if (rt->images.items[i]->has_managed && !rt->images.items[i]->module && !(error = runtime_ready(rt)))
            error = image_load_early(rt, rt->images.items[i]);
    runtime_unlock(rt, error);
}

void __cudaLockstepLinked(void (*callback)(void **), void *wrapper, const char *module, void (*dummy)(void *))
{
    (void)module, (void)dummy;
    struct runtime *rt = runtime_lock();
    struct image *image = add_image(rt, wrapper);
    const bool known = image->again;
    if (!known)
        image_add_part(rt, image);
    runtime_unlock(rt, cudaSuccess);
    if (known)
        return;
    callback((void **)(void *)image);
    __cudaRegisterFatBinaryEnd((void **)(void *)image);
}

void __cudaLockstepManaged(const void *variable, void **pointer)
{
    struct runtime *rt = runtime_lock();
    vec_push(&rt->managed, (struct managed_note){variable, pointer});
    runtime_unlock(rt, cudaSuccess);
}

void *__cudaLockstepManagedAt(const void *variable)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error;
    void *place = image_place_managed(rt, variable, &error);
    runtime_unlock(rt, error);
    return place;
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct runtime *rt = runtime_lock();
    flight_end(rt, true); /* the program ends: a kernel under way may be of this image */
    if (image_of(handle)->again)
        image_of(handle)->again--;
    else
        image_remove(rt, image_of(handle));
    runtime_unlock(rt, cudaSuccess);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_function, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    if (image_of(handle)->again)
        return;
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
    if (image_of(handle)->again)
        return;
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
    if (image_of(handle)->again)
        return;
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

/* Called before the host's first use of a managed variable of this module. nvcc -rdc=true has no handle before the
 * constructors of the last file of the program have run, and the runtime has not been told of any of its variables: the
 * pointer by which the program is about to reach one is NULL, and the program alone knows where that pointer is. */
char __cudaInitModule(void **handle)
{
    struct runtime *rt = runtime_lock();
    cudaError_t error = runtime_ready(rt);
    rt->entry = runtime_entry(rt, "the first use of managed variables");
    if (!error && !handle)
        error = runtime_refuse(rt, cudaErrorInitializationError,
                               "a constructor uses a __managed__ variable before the program has registered its device "
                               "code, which is the last thing before main() where nvcc built it with -rdc=true: use it "
                               "from main() on, as CUDA asks. Its address is NULL until then");
    else if (!error)
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
