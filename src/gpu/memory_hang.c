/* A deadlock inside the memory system: packets are in the L2 slices, warps wait for them, and nothing in the slices,
 * the DRAM, the networks or the SMs' ends of them is due. Whatever the warps that can still issue do, it comes behind
 * what stands. That is a fault of the machine or its protocol, and none of the kernel: no warp is blamed for it. */
#include "base/bits.h"
#include "gpu/domain.h"

/* A slice of the domain can take one of the requests that the network has brought. */
static bool takes_request(const struct gpu_domain *domain)
{
    const struct gpu *gpu = domain->run->gpu;
    uint64_t brought = network_arrivals(gpu->networks[GPU_REQUESTS], domain->number);
    for (unsigned i = 0; i < domain->channels * domain->slices_per_channel; i++) {
        const struct partition *p = gpu->partitions[domain->first_channel + i / domain->slices_per_channel];
        bool takes = partition_takes(p, gpu->cycle) >> i % domain->slices_per_channel & 1;
        if (takes && (brought >> ((domain->first_slice + i) & 63) & 1))
            return true;
    }
    return false;
}

static bool networks_rest(const struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    struct sim_clock clock = sim_clock_at(gpu->machine.gpu.network_mhz, gpu->machine.gpu.core_mhz, gpu->cycle);
    for (unsigned i = 0; i < gpu->network_count; i++) {
        if (network_next(gpu_network_at(gpu, i), clock.begun) != CYCLE_NEVER)
            return false;
        for (unsigned n = 0; n < run->domain_count && i != GPU_REQUESTS; n++)
            if (network_arrivals(gpu_network_at(gpu, i), n))
                return false;
    }
    for (unsigned n = 0; n < run->domain_count; n++)
        if (takes_request(&run->domains[n]))
            return false;
    return true;
}

/* A slice of the partition has a message that exists from this cycle on: it has served its request ahead of time, and
 * the network has not been asked to take the answer yet. */
static bool will_answer(const struct partition *p, unsigned slices, uint64_t cycle)
{
    for (unsigned k = 0; k < slices; k++) {
        uint64_t at = partition_reply_at(partition_out_of(p, k));
        if (at != CYCLE_NEVER && at >= cycle)
            return true;
    }
    return false;
}

bool gpu_memory_hangs(const struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    uint32_t waiting = 0;
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++) {
        if (partition_next(gpu->partitions[i]) != CYCLE_NEVER ||
            will_answer(gpu->partitions[i], gpu->machine.memory.partition.slices_per_channel, gpu->cycle))
            return false;
        waiting += partition_waiting(gpu->partitions[i]);
    }
    for (unsigned i = 0; i < gpu->machine.gpu.sms && waiting; i++)
        if (!sm_memory_rests(gpu->sms[i]))
            return false;
    return waiting && networks_rest(run);
}

void gpu_explain_memory_hang(struct gpu_run *run)
{
    const struct gpu *gpu = run->gpu;
    struct strbuf text = {0};
    strbuf_addf(
        &text,
        "the memory system has come to a deadlock under kernel %s, in cycle %llu: requests wait in it and nothing "
        "there can go on",
        run->name, (unsigned long long)(gpu->cycle - run->start_cycle));
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        partition_describe_waiting(gpu->partitions[i], &text);
    diag_error(
        run->sink, DIAG_NOWHERE,
        "this is a fault of the machine's memory system or its coherence protocol, and none of the kernel: please "
        "report it with the machine's parameters",
        "%s", strbuf_text(&text));
    strbuf_free(&text);
    run->result->hang = "memory deadlock";
}
