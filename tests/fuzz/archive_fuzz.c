/* Checkpoint contents from anywhere, behind the checksum: the archive itself, then the units that describe themselves
 * with it, and who a checkpoint is of; or whole files, checksum and all. Loading must end, without reading or writing
 * outside anything, and what failed must say so. The first byte chooses. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/archive.h"
#include "gpu/checkpoint.h"
#include "memory/cache.h"
#include "memory/packet_queue.h"
#include "memory/partition.h"
#include "network/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load_members(struct archive *ar)
{
    struct strbuf text = {0};
    uint32_t number = 0, places[16] = {0};
    bool flag = false;
    void *object = NULL;
    archive_begin(ar, "part", 1);
    for (unsigned i = 0; i < 64 && !archive_failed(ar); i++) {
        archive_u32_to(ar, &number, 1000);
        archive_places(ar, places, 16, 100);
        archive_bool(ar, &flag);
        archive_text(ar, &text);
        if (archive_object(ar, &object))
            archive_met(ar, &number);
        if (number > 1000 || (places[3] >= 100 && places[3] != UINT32_MAX))
            abort();
    }
    archive_end(ar);
    strbuf_free(&text);
}

static void describe_number(struct archive *ar, void **payload, const void *context)
{
    (void)context;
    ARCHIVE(ar, *payload);
}

static void load_network(struct archive *ar, struct arena *arena, unsigned core)
{
    unsigned cores = 0;
    while (network_cores()[cores])
        cores++;
    const struct network_params params = {.flit_bytes = 32,
                                          .injection_flits = 9,
                                          .router_flits = 8,
                                          .ejection_flits = 8,
                                          .boundary_flits = 16,
                                          .internal_speedup = 1,
                                          .core = network_core_name(network_cores()[core % cores]),
                                          .latency = 8};
    network_archive(network_create(&params, 5, 4, arena), ar, describe_number, NULL);
}

static void defaults(const struct param_desc *descs, unsigned count, void *values)
{
    for (unsigned i = 0; i < count; i++) {
        char *at = (char *)values + descs[i].offset;
        uint32_t number = (uint32_t)descs[i].default_value;
        if (descs[i].type == PARAM_TYPE_BOOL)
            *at = number != 0;
        else
            memcpy(at, &number, sizeof number);
    }
}

static struct packet *new_packet(void *context, unsigned sm, unsigned kind)
{
    if (sm >= 15)
        return NULL;
    union message *m = ARENA_NEW((struct arena *)context, union message, 1);
    packet_begin(&m->packet, kind);
    return &m->packet;
}

static void load_partition(struct archive *ar, struct arena *arena)
{
    struct memory_params params = {0};
    struct store store;
    const struct packet_source source = {.make = new_packet, .context = arena};
    defaults(partition_param_descs, partition_param_count, &params.partition);
    defaults(l2_param_descs, l2_param_count, &params.l2);
    defaults(dram_param_descs, dram_param_count, &params.dram);
    if (store_init(&store, 1u << 20, 1u << 20, NULL) < 0)
        return;
    store_archive(&store, ar);
    struct partition *partition = partition_create(&params, 0, &store, arena);
    partition_archive(partition, ar, &source);
    partition_destroy(partition);
    store_free_all(&store);
}

static void load_identity(struct archive *ar)
{
    struct checkpoint_identity stored = {0}, here;
    struct machine machine;
    struct diag_sink sink = {0};
    if (machine_load(&machine, "gtx480", &sink) < 0)
        abort();
    checkpoint_archive_identity(ar, &stored);
    checkpoint_identify(&here, CHECKPOINT_CASE, &machine, 1, 2);
    if (!archive_failed(ar) && (checkpoint_compare(&stored, &here, &sink) < 0) != (sink.errors > 0))
        abort();
    checkpoint_identity_free(&stored);
    checkpoint_identity_free(&here);
    machine_free(&machine);
    diag_free(&sink);
}

static void load_file(const uint8_t *data, size_t size)
{
    char path[64];
    struct diag_sink sink = {0};
    int file = memfd_create("checkpoint", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct archive *ar = archive_open(path, &sink);
    if (!ar != (sink.errors > 0))
        abort();
    if (ar) {
        load_identity(ar);
        archive_abandon(ar);
    }
    close(file);
    diag_free(&sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct diag_sink sink = {0};
    if (size == 0)
        return 0;
    if (data[0] % 5 == 4) {
        load_file(data + 1, size - 1);
        return 0;
    }
    struct archive *ar = archive_from_bytes(data + 1, size - 1);
    if (data[0] % 5 == 0)
        load_members(ar);
    else if (data[0] % 5 == 1)
        load_network(ar, &arena, data[0] / 5);
    else if (data[0] % 5 == 2)
        load_partition(ar, &arena);
    else
        load_identity(ar);
    bool failed = archive_failed(ar);
    if ((archive_close(ar, &sink) < 0) != failed || (sink.errors > 0) != failed)
        abort();
    arena_free(&arena);
    diag_free(&sink);
    return 0;
}
