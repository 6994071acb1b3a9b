/* Device memory. */
#include "gpu/held.h"
#include "library/library.h"

int lockstep_allocate(struct lockstep_device *d, uint64_t bytes, uint64_t *address)
{
    int code = library_begin(d);
    if (code)
        return code;
    *address = gpu_malloc(d->gpu, bytes);
    if (*address)
        return LOCKSTEP_OK;
    return library_wrong(d, LOCKSTEP_ERROR_EXHAUSTED, "raise gpu.memory_mib", "no device memory is left for %llu bytes",
                         (unsigned long long)bytes);
}

int lockstep_free(struct lockstep_device *d, uint64_t address)
{
    int code = library_need_idle(d, "lockstep_free");
    if (code || gpu_free(d->gpu, address) == 0)
        return code;
    return library_wrong(d, LOCKSTEP_ERROR_INVALID, "free what lockstep_allocate gave, once",
                         "no allocation begins at device address 0x%llx", (unsigned long long)address);
}

int lockstep_label(struct lockstep_device *d, uint64_t address, const char *name)
{
    int code = library_begin(d);
    if (!code)
        gpu_label(d->gpu, address, "", name);
    return code;
}

static int code_of(int rc)
{
    return rc < 0 ? LOCKSTEP_ERROR_INVALID : LOCKSTEP_OK;
}

int lockstep_write(struct lockstep_device *d, uint64_t address, const void *from, uint64_t bytes)
{
    int code = library_begin(d);
    return code ? code : code_of(gpu_write(d->gpu, address, from, bytes, &d->sink));
}

int lockstep_read(struct lockstep_device *d, void *to, uint64_t address, uint64_t bytes)
{
    int code = library_begin(d);
    if (code)
        return code;
    return code_of(gpu_stands(d->gpu) ? gpu_held_read(d->gpu, to, address, bytes, &d->sink)
                                      : gpu_read(d->gpu, to, address, bytes, &d->sink));
}

int lockstep_fill(struct lockstep_device *d, uint64_t address, uint8_t value, uint64_t bytes)
{
    int code = library_begin(d);
    return code ? code : code_of(gpu_fill(d->gpu, address, value, bytes, &d->sink));
}

int lockstep_copy(struct lockstep_device *d, uint64_t to, uint64_t from, uint64_t bytes)
{
    int code = library_begin(d);
    return code ? code : code_of(gpu_copy(d->gpu, to, from, bytes, &d->sink));
}
