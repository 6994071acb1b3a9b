/* Device memory as the host and the programs see it: allocations, copies, constant ranges, the heap of device malloc,
 * printf's output. */
#include <string.h>

#include "gpu/gpu_impl.h"
#include "sm/barrier.h"

uint64_t gpu_malloc(struct gpu *gpu, uint64_t bytes)
{
    uint64_t address = store_alloc(&gpu->store, bytes, 256);
    if (address)
        gpu_note_allocation(gpu, address, bytes ? bytes : 1);
    if (address && gpu->sanitize)
        sanitize_host_allocated(gpu->sanitize, address, bytes ? bytes : 1);
    return address;
}

/* Variables and what launches use are allocations too, but nobody's to free. */
static bool is_own(const struct gpu *gpu, uint64_t address)
{
    if (gpu_address_read_only(gpu, address) || address == gpu->workspace || address == gpu->heap)
        return true;
    for (const struct gpu_module *module = gpu->modules; module; module = module->next)
        for (uint32_t i = 0; i < module->code->variable_count; i++)
            if (module->code->variables[i].space != ISA_SPACE_SHARED && module->code->variables[i].address == address)
                return true;
    return false;
}

int gpu_free(struct gpu *gpu, uint64_t address)
{
    if (is_own(gpu, address))
        return -1;
    gpu_note_release(gpu, address);
    return store_release(&gpu->store, address);
}

static int check_range(const struct gpu *gpu, uint64_t address, uint64_t bytes, const char *what,
                       struct diag_sink *sink)
{
    if (!bytes || store_covers(&gpu->store, address, bytes))
        return 0;
    return diag_error(sink, DIAG_NOWHERE, NULL, "%s of %llu bytes at device address 0x%llx: not inside one allocation",
                      what, (unsigned long long)bytes, (unsigned long long)address);
}

/* With host_copies_fill_l2 what the host wrote is in the L2 when the kernel starts, but for constants (GPGPU-Sim 4.0's
 * copies to symbols do not touch it). */
static void note_host_copy(struct gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->standing || gpu_address_read_only(gpu, address))
        return;
    for (unsigned i = 0; bytes && i < gpu->machine.memory.partition.channels; i++)
        partition_host_copy(gpu->partitions[i], address, bytes);
}

int gpu_write(struct gpu *gpu, uint64_t address, const void *from, uint64_t bytes, struct diag_sink *sink)
{
    if (check_range(gpu, address, bytes, "write", sink))
        return -1;
    if (bytes)
        memcpy(store_at(&gpu->store, address), from, bytes);
    note_host_copy(gpu, address, bytes);
    if (gpu->sanitize)
        sanitize_host_wrote(gpu->sanitize, address, bytes);
    return 0;
}

int gpu_read(struct gpu *gpu, void *to, uint64_t address, uint64_t bytes, struct diag_sink *sink)
{
    if (check_range(gpu, address, bytes, "read", sink))
        return -1;
    if (bytes)
        memcpy(to, store_at(&gpu->store, address), bytes);
    return 0;
}

/* So many zeros are not written but had from the host, which makes none before a page is touched: programs clear large
 * pools of which they use little. Fewer are written, since they are about to be used. */
#define MANY_ZEROS (UINT64_C(64) << 20)

int gpu_fill(struct gpu *gpu, uint64_t address, uint8_t value, uint64_t bytes, struct diag_sink *sink)
{
    if (check_range(gpu, address, bytes, "fill", sink))
        return -1;
    if (value == 0 && bytes >= MANY_ZEROS)
        store_clear(&gpu->store, address, address + bytes);
    else if (bytes)
        memset(store_at(&gpu->store, address), value, bytes);
    if (gpu->sanitize)
        sanitize_host_wrote(gpu->sanitize, address, bytes);
    return 0;
}

int gpu_fill_elements(struct gpu *gpu, uint64_t address, uint32_t value, unsigned element, uint64_t bytes,
                      struct diag_sink *sink)
{
    if (element == 1)
        return gpu_fill(gpu, address, (uint8_t)value, bytes, sink);
    if (check_range(gpu, address, bytes, "fill", sink))
        return -1;
    uint8_t *at = store_at(&gpu->store, address);
    for (uint64_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * (i % element)));
    if (gpu->sanitize)
        sanitize_host_wrote(gpu->sanitize, address, bytes);
    return 0;
}

int gpu_copy(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t bytes, struct diag_sink *sink)
{
    if (check_range(gpu, to, bytes, "copy to", sink) || check_range(gpu, from, bytes, "copy from", sink))
        return -1;
    if (bytes)
        memmove(store_at(&gpu->store, to), store_at(&gpu->store, from), bytes);
    if (gpu->sanitize)
        sanitize_host_copied(gpu->sanitize, to, from, bytes);
    return 0;
}

bool gpu_find_allocation(const struct gpu *gpu, uint64_t address, uint64_t *start, uint64_t *bytes)
{
    const struct store_block *block = store_find(&gpu->store, address);
    if (!block)
        return false;
    *start = block->start;
    *bytes = block->end - block->start;
    return true;
}

bool gpu_is_memory(const struct gpu *gpu, uint64_t address)
{
    return gpu->store.identity && address - gpu->store.start < gpu->store.size;
}

bool gpu_host_mapped(const struct gpu *gpu)
{
    return gpu->store.identity;
}

void gpu_memory_info(const struct gpu *gpu, uint64_t *free_bytes, uint64_t *total_bytes)
{
    *total_bytes = gpu->store.size;
    *free_bytes = gpu->store.size - gpu->store.used;
}

bool gpu_address_read_only(const void *context, uint64_t address)
{
    const struct gpu *gpu = context;
    for (size_t i = 0; i < gpu->constants.count; i++)
        if (address >= gpu->constants.items[i].start && address < gpu->constants.items[i].end)
            return true;
    return false;
}

uint8_t *gpu_host_address(void *context, uint64_t address)
{
    return store_at(&((struct gpu *)context)->store, address);
}

/* Services for running programs */

static bool service_read(void *context, uint64_t address, void *to, uint64_t bytes)
{
    struct gpu *gpu = context;
    if (!store_covers(&gpu->store, address, bytes))
        return false;
    memcpy(to, store_at(&gpu->store, address), bytes);
    return true;
}

/* Device malloc allocates inside one block of device memory, taken at its first use; its own list says which parts are
 * in use. */
static uint64_t service_heap_alloc(void *context, uint64_t bytes)
{
    struct gpu *gpu = context;
    if (!gpu->heap) {
        if (!gpu->heap_bytes)
            gpu->heap_bytes = (uint64_t)gpu->machine.gpu.heap_mib << 20;
        gpu->heap = gpu->heap_bytes ? store_alloc(&gpu->store, gpu->heap_bytes, 256) : 0;
        if (!gpu->heap)
            return 0;
        gpu->heap_blocks =
            (struct store){.start = gpu->heap, .size = gpu->heap_bytes, .bytes = store_at(&gpu->store, gpu->heap)};
    }
    return bytes ? store_alloc(&gpu->heap_blocks, bytes, 16) : 0;
}

int gpu_set_heap(struct gpu *gpu, uint64_t bytes)
{
    if (gpu->heap || bytes > gpu->store.size)
        return -1;
    gpu->heap_bytes = bytes;
    return 0;
}

static bool service_heap_free(void *context, uint64_t address)
{
    return store_release(&((struct gpu *)context)->heap_blocks, address) == 0;
}

static void service_output(void *context, const char *text, size_t bytes)
{
    strbuf_addn(&((struct gpu *)context)->output, text, bytes);
}

static bool service_place(void *context, const struct simt_grid *grid, bool shared, uint64_t address,
                          struct strbuf *out)
{
    return shared ? gpu_add_shared_place(grid, address, out) : gpu_add_place(context, grid->code->module, address, out);
}

void gpu_services_init(struct gpu *gpu)
{
    gpu->services = (struct simt_services){
        gpu, service_read, service_heap_alloc, service_heap_free, service_output, sm_barrier_arrived, service_place,
    };
}

void gpu_take_output(struct gpu *gpu, struct strbuf *out)
{
    strbuf_addn(out, strbuf_text(&gpu->output), gpu->output.length);
    gpu->output.length = 0;
}
