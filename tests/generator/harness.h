/* main() of a file of generated programs: ./x NUMBER runs that program on the device and twice on the host, in
 * different orders, and compares what they leave in memory. Exit code 0: equal; 1: not; 9: the device refused it; 10:
 * the fault is the generator's. --host leaves the device out, --list prints the numbers. */
#ifndef GENERATOR_HARNESS_H
#define GENERATOR_HARNESS_H

#ifdef __CUDACC__
/* Fills the memory of a program that may begin meanwhile. */
static __global__ void harness_first(struct arena *to, const struct arena *from)
{
    cudaTriggerProgrammaticLaunchCompletion();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < sizeof *to / 4; i += gridDim.x * blockDim.x)
        ((u32 *)to)[i] = ((const u32 *)from)[i];
}
#endif

#ifndef __CUDA_ARCH__
static u64 harness_random;
static u32 harness_next()
{
    harness_random = harness_random * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(harness_random >> 32);
}
static void harness_fill(struct arena *g, const struct program *p)
{
    memset(g, 0, sizeof *g);
    harness_random = p->number * 2654435761u + 12345;
    for (int i = 0; i < INPUTS; i++)
        g->in[i] = harness_next() >> (i & 3 ? 0 : 24);
    begin_locks(&g->locks);
    begin_counters(&g->counters);
    for (int b = 0; b < MOST_BLOCKS; b++) {
        begin_locks(&g->blocks[b].locks);
        begin_counters(&g->blocks[b].counters);
    }
}
static void harness_fold_lock(struct guarded *q)
{
    q->sum += q->other;
    q->other = 0;
}
static void harness_fold(struct counters *c, struct locks *l)
{
    c->swapped_sum += c->swapped;
    c->swapped = 0;
    struct guarded *q = &l->spin[0][0];
    for (size_t i = 0; i < sizeof *l / sizeof *q; i++)
        harness_fold_lock(q + i);
}
/* What may be divided between two words in any way is put together. */
static void harness_finish(struct arena *g)
{
    harness_fold(&g->counters, &g->locks);
    for (int b = 0; b < MOST_BLOCKS; b++) {
        harness_fold(&g->blocks[b].counters, &g->blocks[b].locks);
        harness_fold(&g->shared[b].counters, &g->shared[b].locks);
    }
}
static void harness_on_host(const struct program *p, struct arena *g, u32 n, u64 seed)
{
    static struct block_memory shared[MOST_BLOCKS];
    memset(shared, 0x5a, sizeof shared);
    harness_fill(g, p);
    model_run(p, g, shared, n, seed);
    harness_finish(g);
}

#define HARNESS_FIELD(F)                                                                                               \
    {                                                                                                                  \
#F, offsetof(struct arena, F)                                                                                  \
    }
static void harness_name(size_t at)
{
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {HARNESS_FIELD(in),       HARNESS_FIELD(out),      HARNESS_FIELD(own),   HARNESS_FIELD(box),
                  HARNESS_FIELD(real_box), HARNESS_FIELD(counters), HARNESS_FIELD(locks), HARNESS_FIELD(arrived),
                  HARNESS_FIELD(blocks),   HARNESS_FIELD(shared)};
    size_t i = sizeof fields / sizeof fields[0] - 1;
    while (fields[i].offset > at)
        i--;
    printf("%s+%zu", fields[i].name, at - fields[i].offset);
}
/* Prints the first places that differ; how many words do. */
static unsigned harness_compare(const struct arena *got, const struct arena *right)
{
    unsigned wrong = 0;
    for (size_t at = 0; at < sizeof *got; at += 4) {
        u32 a, b;
        memcpy(&a, (const char *)got + at, 4);
        memcpy(&b, (const char *)right + at, 4);
        if (a != b && wrong++ < 6) {
            printf("  ");
            harness_name(at);
            printf(": %08x is %08x on the host\n", a, b);
        }
    }
    return wrong;
}

#ifdef __CUDACC__
/* In a stream of its own, behind the launch that brings its memory. */
static cudaError_t harness_early(cudaLaunchConfig_t *config, struct arena *to, struct arena **filled, const struct arena *g)
{
    cudaError_t e = cudaMalloc((void **)filled, sizeof *g);
    e = e ? e : cudaMemcpy(*filled, g, sizeof *g, cudaMemcpyHostToDevice);
    e = e ? e : cudaStreamCreate(&config->stream);
    if (e)
        return e;
    harness_first<<<2, 128, 0, config->stream>>>(to, *filled);
    return cudaGetLastError();
}
static bool harness_on_device(const struct program *p, struct arena *g, u32 n)
{
    struct arena *device, *filled = nullptr;
    harness_fill(g, p);
    cudaError_t e = cudaMalloc((void **)&device, sizeof *g);
    if (!p->early)
        e = e ? e : cudaMemcpy(device, g, sizeof *g, cudaMemcpyHostToDevice);
    void *arguments[] = {&device, &n};
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = p->cluster ? p->blocks : 1;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[p->cluster].id = p->early ? cudaLaunchAttributeProgrammaticStreamSerialization : attributes[p->cluster].id;
    if (p->early)
        attributes[p->cluster].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(p->blocks);
    config.blockDim = dim3(p->threads);
    config.attrs = attributes;
    config.numAttrs = p->cluster + p->early;
    if (p->early)
        e = e ? e : harness_early(&config, device, &filled, g);
    e = e ? e : cudaLaunchKernelExC(&config, p->kernel, arguments);
    e = e ? e : cudaDeviceSynchronize();
    e = e ? e : cudaMemcpy(g, device, sizeof *g, cudaMemcpyDeviceToHost);
    cudaFree(device);
    cudaFree(filled);
    if (e)
        printf("program %u: refused: %s\n", p->number, cudaGetErrorName(e));
    else
        harness_finish(g);
    return !e;
}
#else
static bool harness_on_device(const struct program *, struct arena *, u32)
{
    return false;
}
#endif

static int harness_run(const struct program *p, bool device)
{
    static struct arena got, right, again;
    u32 n = 3;
    if (device && !harness_on_device(p, &got, n))
        return 9;
    harness_on_host(p, &right, n, p->number * 2ull + 1);
    harness_on_host(p, &again, n, p->number * 2ull + 2);
    if (harness_compare(&again, &right)) {
        printf("program %u: its result depends on the order\n", p->number);
        return 10;
    }
    unsigned wrong = device ? harness_compare(&got, &right) : 0;
    printf("program %u: %s\n", p->number, wrong ? "differs" : "as on the host");
    return wrong != 0;
}
static int harness_main(const struct program *programs, size_t count, int argc, char **argv)
{
    bool device = true;
    int result = argc < 2 ? 2 : 0;
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "--host"))
            device = false;
        for (size_t i = 0; i < count; i++)
            if (!strcmp(argv[a], "--list"))
                printf("%u\n", programs[i].number);
            else if (*argv[a] != '-' && strtoul(argv[a], nullptr, 10) == programs[i].number && !result)
                result = harness_run(&programs[i], device);
    }
    return result;
}
#endif

#endif
