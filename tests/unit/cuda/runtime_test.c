/* The CUDA runtime over a device that executes nothing: what reaches the device, what programs are answered. The
 * program's side is the one that compilers generate: registration, then launches through both interfaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "cuda/runtime.h"
#include "fake_gpu.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .const .align 4 .b8 coef[16] = {1, 2, 3, 4};\n"
                          ".visible .global .align 4 .u32 counter = 7;\n"
                          ".visible .global .attribute(.managed) .align 4 .u32 shared_word = 5;\n"
                          ".visible .entry work(.param .u64 p, .param .align 8 .b8 s[24], .param .u8 c)\n{\n  ret;\n}\n"
                          ".visible .entry bounded() .maxntid 64, 1, 1\n{\n  ret;\n}\n";
static const char broken_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry bad() { add.s32 %r1; }\n";

struct wrapper {
    uint32_t magic, version;
    const void *data, *unused;
};
static struct wrapper good = {0x466243b1, 1, ptx, NULL}, bad = {0x466243b1, 1, broken_ptx, NULL};

/* Stand-ins for host stubs and shadows: only their addresses count. */
static char work_stub, bounded_stub, missing_stub, bad_stub, unknown_stub;
static char coef_shadow[16], counter_shadow[4];
static uint32_t *managed_shadow;
static void **image;

static int set_up(void **state)
{
    unsetenv("LOCKSTEP_RESULTS");
    image = __cudaRegisterFatBinary(&good);
    __cudaRegisterFunction(image, &work_stub, &work_stub, "work", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(image, &bounded_stub, &bounded_stub, "bounded", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(image, &missing_stub, &missing_stub, "missing", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(image, coef_shadow, coef_shadow, "coef", 0, 16, 1, 0);
    __cudaRegisterVar(image, counter_shadow, counter_shadow, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(image, (void **)&managed_shadow, NULL, "shared_word", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(image);
    void **second = __cudaRegisterFatBinary(&bad);
    __cudaRegisterFunction(second, &bad_stub, &bad_stub, "bad", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(second);
    return 0;
}

static int fresh(void **state)
{
    cudaDeviceReset();
    fake.status = GPU_OK;
    fake.fault = GPU_FAULT_NONE;
    fake.diagnostic = NULL;
    fake.kernel = NULL;
    fake.occupancy = 4;
    fake.shares = false;
    fake.groups = fake.members = 0;
    memset(&fake.launch, 0, sizeof fake.launch);
    return 0;
}

static dim3 extent(unsigned x, unsigned y, unsigned z)
{
    return (dim3){x, y, z};
}

static cudaError_t launch_bounded(unsigned threads)
{
    return cudaLaunchKernel(&bounded_stub, extent(1, 1, 1), extent(threads, 1, 1), NULL, 0, NULL);
}

/* Runs call with standard error caught; the text is the caller's to free. */
static char *stderr_of(void (*call)(void))
{
    fflush(stderr);
    int kept = dup(2);
    FILE *file = tmpfile();
    dup2(fileno(file), 2);
    call();
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    char *text = calloc(1, 65536);
    rewind(file);
    size_t got = fread(text, 1, 65535, file);
    text[got] = 0;
    fclose(file);
    return text;
}

/* ---- launches of several streams ---- */

static cudaError_t launch_into(cudaStream_t stream)
{
    return cudaLaunchKernel(&bounded_stub, extent(1, 1, 1), extent(32, 1, 1), NULL, 0, stream);
}

static float between(cudaEvent_t first, cudaEvent_t last)
{
    float ms;
    assert_int_equal(cudaEventElapsedTime(&ms, first, last), cudaSuccess);
    return ms;
}

/* Launches wait for each other as streams and events say, and for nothing else; events have their streams' times. */
static void streams_decide_what_runs_together(void **state)
{
    cudaStream_t a, b, c;
    cudaEvent_t start, end_a, end_b;
    (void)state;
    fake.shares = true;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaEventCreate(&start);
    cudaEventCreate(&end_a);
    cudaEventCreate(&end_b);
    assert_int_equal(cudaEventRecord(start, a), cudaSuccess);
    launch_into(a); /* 0 */
    launch_into(b); /* 1 */
    launch_into(a); /* 2, after 0 */
    cudaEventRecord(end_a, a);
    cudaEventRecord(end_b, b);
    cudaStreamWaitEvent(b, end_a, 0);
    launch_into(b); /* 3, after 0, 1, 2 */
    launch_into(c); /* 4 */
    assert_int_equal(fake.groups, 0);
    assert_int_equal(cudaEventQuery(end_a), cudaSuccess); /* asking makes them run */
    assert_int_equal(fake.groups, 1);
    assert_int_equal(fake.members, 5);
    assert_memory_equal(fake.after, ((uint64_t[]){0, 0, 1, 7, 0}), 5 * 8);
    assert_true(between(start, end_a) == 4 && between(start, end_b) == 2);
    /* A chain runs one after the other, by itself. */
    launch_into(a);
    launch_into(a);
    assert_int_equal(cudaStreamSynchronize(a), cudaSuccess);
    assert_int_equal(fake.groups, 1);
    cudaEventDestroy(start);
    cudaEventDestroy(end_a);
    cudaEventDestroy(end_b);
}

/* A launch behind work that is no launch does not run with those before it; a launch into a default stream makes all
 * run at once. */
static void other_work_ends_the_queue(void **state)
{
    cudaStream_t a, b;
    void *p;
    (void)state;
    fake.shares = true;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    launch_into(a);
    launch_into(b);
    launch_into(NULL);
    assert_int_equal(fake.groups, 1);
    assert_int_equal(fake.members, 2);
    cudaMalloc(&p, 64);
    launch_into(a);
    assert_int_equal(cudaMemsetAsync(p, 1, 64, a), cudaSuccess);
    launch_into(a); /* behind the fill: not with the others */
    launch_into(b);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(fake.groups, 2);
    assert_int_equal(fake.members, 2);
    launch_into(a);
    launch_into(b);
    assert_int_equal(cudaFree(p), cudaSuccess);
    assert_int_equal(fake.groups, 3);
    /* The queue is bounded. */
    for (unsigned i = 0; i < 300; i++)
        launch_into(i % 2 ? a : b);
    assert_true(fake.groups > 3);
    cudaDeviceSynchronize();
}

static void failures_of_streams_stick(void **state)
{
    cudaStream_t a, b;
    (void)state;
    fake.shares = true;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    fake.status = GPU_FAULT;
    fake.fault = GPU_FAULT_ADDRESS;
    assert_int_equal(launch_into(a), cudaSuccess);
    assert_int_equal(launch_into(b), cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    assert_int_equal(launch_into(b), cudaErrorIllegalAddress);
    fake.status = GPU_OK;
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

/* ---- launches ---- */

static void arguments_are_packed_by_the_parameter_list(void **state)
{
    uint64_t p = 0x123456789abcdef0;
    double s[3] = {1, 2, 3};
    unsigned char c = 'z';
    void *args[] = {&p, s, &c};
    assert_int_equal(cudaLaunchKernel(&work_stub, extent(8, 2, 3), extent(16, 4, 1), args, 512, NULL), cudaSuccess);
    assert_string_equal(fake.launch.kernel->name, "work");
    assert_memory_equal(fake.launch.grid, ((uint32_t[]){8, 2, 3}), 12);
    assert_memory_equal(fake.launch.block, ((uint32_t[]){16, 4, 1}), 12);
    assert_int_equal(fake.launch.dynamic_shared, 512);
    assert_memory_equal(fake.params, &p, 8);
    assert_memory_equal(fake.params + 8, s, 24);
    assert_int_equal(fake.params[32], 'z');
    args[1] = NULL;
    assert_int_equal(cudaLaunchKernel(&work_stub, extent(1, 1, 1), extent(1, 1, 1), args, 0, NULL),
                     cudaErrorInvalidValue);
}

static void both_launch_interfaces_reach_the_kernel(void **state)
{
    cudaKernel_t kernel;
    assert_int_equal(__cudaPushCallConfiguration(extent(5, 1, 1), extent(32, 1, 1), 64, cudaStreamPerThread), 0);
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
    assert_int_equal(grid.x, 5);
    assert_int_equal(shared, 64);
    assert_ptr_equal(stream, cudaStreamPerThread);
    assert_int_equal(__cudaGetKernel(&kernel, &bounded_stub), cudaSuccess);
    assert_int_equal(__cudaLaunchKernel(kernel, grid, block, NULL, shared, stream), cudaSuccess);
    assert_string_equal(fake.launch.kernel->name, "bounded");
    assert_int_equal(fake.launch.grid[0], 5);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
    assert_int_equal(cudaGetLastError(), cudaErrorMissingConfiguration);

    cudaLaunchConfig_t config = {.gridDim = {3, 1, 1}, .blockDim = {32, 1, 1}};
    assert_int_equal(cudaLaunchKernelExC(&config, kernel, NULL), cudaSuccess);
    assert_int_equal(fake.launch.grid[0], 3);
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 1, 1}};
    config.attrs = &cluster;
    config.numAttrs = 1;
    assert_int_equal(cudaLaunchKernelExC(&config, kernel, NULL), cudaErrorNotSupported);
}

static void bad_configurations_are_refused_and_remembered(void **state)
{
    const struct {
        dim3 grid, block;
        size_t shared;
        cudaError_t error;
    } cases[] = {
        {{0, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidConfiguration},
        {{1, 1, 1}, {1, 0, 1}, 0, cudaErrorInvalidConfiguration},
        {{1, 65536, 1}, {1, 1, 1}, 0, cudaErrorInvalidConfiguration},
        {{1, 1, 1}, {1025, 1, 1}, 0, cudaErrorInvalidConfiguration},
        {{1, 1, 1}, {1, 1, 65}, 0, cudaErrorInvalidConfiguration},
        {{1, 1, 1}, {1024, 1024, 64}, 0, cudaErrorInvalidConfiguration},
        {{1, 1, 1}, {65, 1, 1}, 0, cudaErrorInvalidValue}, /* .maxntid 64 */
        {{1, 1, 1}, {1, 1, 1}, 49153, cudaErrorInvalidValue},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cudaLaunchKernel(&bounded_stub, cases[i].grid, cases[i].block, NULL, cases[i].shared, NULL),
                         cases[i].error);
        assert_int_equal(cudaPeekAtLastError(), cases[i].error);
        assert_int_equal(cudaGetLastError(), cases[i].error);
        assert_int_equal(cudaGetLastError(), cudaSuccess);
    }
    assert_null(fake.launch.kernel);
    assert_int_equal(launch_bounded(64), cudaSuccess);
    fake.occupancy = 0;
    assert_int_equal(launch_bounded(64), cudaErrorLaunchOutOfResources);
    assert_int_equal(
        cudaLaunchKernel(&bounded_stub, extent(1, 1, 1), extent(1, 1, 1), NULL, 0, (cudaStream_t)&unknown_stub),
        cudaErrorInvalidResourceHandle);
}

static void missing_and_unknown_kernels_are_told_apart(void **state)
{
    assert_int_equal(cudaLaunchKernel(&unknown_stub, extent(1, 1, 1), extent(1, 1, 1), NULL, 0, NULL),
                     cudaErrorInvalidDeviceFunction);
    assert_int_equal(cudaLaunchKernel(&missing_stub, extent(1, 1, 1), extent(1, 1, 1), NULL, 0, NULL),
                     cudaErrorInvalidDeviceFunction);
}

static void launch_bad(void)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(cudaLaunchKernel(&bad_stub, extent(1, 1, 1), extent(1, 1, 1), NULL, 0, NULL),
                         cudaErrorInvalidPtx);
}

static void bad_ptx_is_explained_once(void **state)
{
    char *text = stderr_of(launch_bad);
    char *where = strstr(text, ".ptx:4:");
    assert_non_null(where);
    assert_null(strstr(where + 1, ".ptx:4:"));
    free(text);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidPtx);
    cudaKernel_t kernel;
    assert_int_equal(__cudaGetKernel(&kernel, &bad_stub), cudaSuccess);
    assert_int_equal(__cudaLaunchKernel(kernel, extent(1, 1, 1), extent(1, 1, 1), NULL, 0, NULL), cudaErrorInvalidPtx);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess); /* it does not stick */
}

/* A failed kernel: the launch itself succeeds, everything after answers the failure until the device is reset. */
static void faults_stick_until_reset(void **state)
{
    const struct {
        enum gpu_status status;
        enum gpu_fault fault;
        cudaError_t error;
    } cases[] = {
        {GPU_FAULT, GPU_FAULT_ADDRESS, cudaErrorIllegalAddress},
        {GPU_FAULT, GPU_FAULT_ALIGNMENT, cudaErrorMisalignedAddress},
        {GPU_FAULT, GPU_FAULT_ASSERT, cudaErrorAssert},
        {GPU_FAULT, GPU_FAULT_TRAP, cudaErrorLaunchFailure},
        {GPU_FAULT, GPU_FAULT_STACK, cudaErrorHardwareStackError},
        {GPU_FAULT, GPU_FAULT_INSTRUCTION, cudaErrorIllegalInstruction},
        {GPU_HANG, GPU_FAULT_NONE, cudaErrorLaunchTimeout},
        {GPU_LIMIT, GPU_FAULT_NONE, cudaErrorLaunchTimeout},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *p = NULL;
        fake.status = cases[i].status;
        fake.fault = cases[i].fault;
        assert_int_equal(launch_bounded(1), cudaSuccess);
        fake.status = GPU_OK;
        assert_int_equal(cudaDeviceSynchronize(), cases[i].error);
        assert_int_equal(cudaMalloc(&p, 16), cases[i].error);
        assert_int_equal(launch_bounded(1), cases[i].error);
        assert_int_equal(cudaGetLastError(), cases[i].error);
        assert_int_equal(cudaGetLastError(), cases[i].error);
        assert_int_equal(cudaDeviceReset(), cudaSuccess);
        assert_int_equal(cudaGetLastError(), cudaSuccess);
        assert_int_equal(launch_bounded(1), cudaSuccess);
    }
    fake.status = GPU_INVALID; /* refused before it began: nothing sticks */
    assert_int_equal(launch_bounded(1), cudaErrorNotSupported);
    fake.status = GPU_OK;
    assert_int_equal(launch_bounded(1), cudaSuccess);
}

/* ---- memory ---- */

static void copies_go_where_their_addresses_say(void **state)
{
    char from[64] = "some bytes", to[64] = "";
    void *a, *b;
    assert_int_equal(cudaMalloc(&a, 64), cudaSuccess);
    assert_int_equal(cudaMalloc(&b, 64), cudaSuccess);
    assert_int_equal(cudaMemcpy(a, from, 64, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaMemcpy(b, a, 64, cudaMemcpyDefault), cudaSuccess);
    assert_int_equal(cudaMemcpyAsync(to, b, 64, cudaMemcpyDefault, cudaStreamLegacy), cudaSuccess);
    assert_string_equal(to, from);
    assert_int_equal(cudaMemset(a, 0x41, 8), cudaSuccess);
    assert_int_equal(cudaMemcpy(to, a, 64, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_memory_equal(to, "AAAAAAAAes", 10);

    assert_int_equal(cudaMemcpy(to, from, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(a, b, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(a, from, 64, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaMemcpy((char *)a + 32, from, 33, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(NULL, from, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaMemset(to, 0, 1), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(a), cudaSuccess);
    assert_int_equal(cudaFree(a), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(NULL), cudaSuccess);
    assert_int_equal(cudaFree(b), cudaSuccess);
}

static void rows_and_slices_keep_their_pitches(void **state)
{
    unsigned char host[4][5][6], back[4][5][6];
    for (unsigned i = 0; i < sizeof host; i++)
        ((unsigned char *)host)[i] = (unsigned char)i;
    memset(back, 0xee, sizeof back);
    struct cudaPitchedPtr device;
    assert_int_equal(cudaMalloc3D(&device, make_cudaExtent(6, 5, 4)), cudaSuccess);
    assert_int_equal(device.pitch % 256, 0);
    struct cudaMemcpy3DParms in = {.srcPtr = make_cudaPitchedPtr(host, 6, 6, 5),
                                   .dstPtr = device,
                                   .extent = make_cudaExtent(6, 5, 4),
                                   .kind = cudaMemcpyHostToDevice};
    assert_int_equal(cudaMemcpy3D(&in), cudaSuccess);
    /* The middle out again, by plain address arithmetic. */
    struct cudaMemcpy3DParms out = {.srcPtr = device,
                                    .srcPos = {1, 2, 3},
                                    .dstPtr = make_cudaPitchedPtr(back, 6, 6, 5),
                                    .extent = make_cudaExtent(3, 2, 1),
                                    .kind = cudaMemcpyDeviceToHost};
    assert_int_equal(cudaMemcpy3D(&out), cudaSuccess);
    for (unsigned y = 0; y < 5; y++)
        for (unsigned x = 0; x < 6; x++)
            assert_int_equal(back[0][y][x], x < 3 && y < 2 ? host[3][y + 2][x + 1] : 0xee);
    assert_int_equal(cudaMemset2D(device.ptr, device.pitch, 9, 2, 5), cudaSuccess);
    assert_int_equal(cudaMemcpy2D(back, 6, device.ptr, device.pitch, 6, 5, cudaMemcpyDeviceToHost), cudaSuccess);
    for (unsigned y = 0; y < 5; y++)
        for (unsigned x = 0; x < 6; x++)
            assert_int_equal(back[0][y][x], x < 2 ? 9 : host[0][y][x]);
    assert_int_equal(cudaMemcpy2D(back, 5, device.ptr, device.pitch, 6, 5, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidPitchValue);
    cudaFree(device.ptr);
}

static void symbols_are_copied_by_their_shadows(void **state)
{
    uint32_t value = 0;
    unsigned char coef[16] = {0};
    size_t size;
    void *address;
    assert_int_equal(cudaMemcpyFromSymbol(&value, counter_shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(value, 7);
    assert_int_equal(cudaMemcpyToSymbol(coef_shadow, "abcd", 4, 8, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaMemcpyFromSymbol(coef, coef_shadow, 16, 0, cudaMemcpyDefault), cudaSuccess);
    assert_memory_equal(coef, "\1\2\3\4\0\0\0\0abcd\0\0\0\0", 16);
    assert_int_equal(cudaMemcpyToSymbol(coef_shadow, "abcd", 4, 13, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpyToSymbol(&value, "abcd", 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    assert_int_equal(cudaGetSymbolSize(&size, coef_shadow), cudaSuccess);
    assert_int_equal(size, 16);
    assert_int_equal(cudaGetSymbolAddress(&address, counter_shadow), cudaSuccess);
    assert_int_equal(cudaMemcpy(&value, address, 4, cudaMemcpyDefault), cudaSuccess);
    assert_int_equal(value, 7);
}

static bool host_mapped(void)
{
    int managed = 0;
    cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, 0);
    return managed;
}

static void managed_memory_is_one_address_for_both_sides(void **state)
{
    struct cudaPointerAttributes attributes;
    uint32_t *p, value = 0;
    if (!host_mapped()) {
        assert_int_equal(cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal), cudaErrorNotSupported);
        skip();
    }
    assert_int_equal(cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal), cudaSuccess);
    p[3] = 42;
    assert_int_equal(cudaMemcpy(&value, p + 3, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(value, 42);
    assert_int_equal(cudaMemcpy(&value, p + 3, 4, cudaMemcpyHostToHost), cudaSuccess);
    assert_int_equal(cudaMemset(p, 1, 4), cudaSuccess);
    assert_int_equal(p[0], 0x01010101);
    assert_int_equal(cudaPointerGetAttributes(&attributes, p + 5), cudaSuccess);
    assert_int_equal(attributes.type, cudaMemoryTypeManaged);
    assert_ptr_equal(attributes.devicePointer, p + 5);
    assert_int_equal(cudaMemPrefetchAsync(p, 4096, (struct cudaMemLocation){cudaMemLocationTypeDevice, 0}, 0, NULL),
                     cudaSuccess);
    assert_int_equal(cudaMemPrefetchAsync(p, 4097, (struct cudaMemLocation){cudaMemLocationTypeDevice, 0}, 0, NULL),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaFree(p), cudaSuccess);
    assert_int_equal(cudaFree(p), cudaErrorInvalidValue);

    managed_shadow = NULL;
    assert_int_equal(__cudaInitModule(image), 1);
    assert_int_equal(*managed_shadow, 5);
}

/* The kernel: adds 1 to the byte its first parameter points to. */
static void increment(struct gpu *gpu, const struct gpu_launch *launch)
{
    uint64_t p;
    memcpy(&p, launch->params, 8);
    *store_at(&gpu->store, p) += 1;
}

static cudaError_t launch_increment(void *p)
{
    char s[24] = "", c = 0;
    void *args[] = {&p, s, &c};
    fake.kernel = increment;
    return cudaLaunchKernel(&work_stub, extent(1, 1, 1), extent(1, 1, 1), args, 0, NULL);
}

static void pinned_and_registered_memory_are_seen_by_kernels(void **state)
{
    unsigned char own[64] = {0}, *pinned;
    void *device;
    unsigned flags;
    assert_int_equal(cudaHostAlloc((void **)&pinned, 64, cudaHostAllocMapped), cudaSuccess);
    assert_int_equal(pinned[63], 0);
    assert_int_equal(cudaHostGetDevicePointer(&device, pinned + 1, 0), cudaSuccess);
    assert_int_equal(launch_increment(device), cudaSuccess);
    assert_int_equal(pinned[1], 1);
    assert_int_equal(cudaHostGetFlags(&flags, pinned), cudaSuccess);
    assert_true(flags & cudaHostAllocMapped);
    assert_int_equal(cudaFree(pinned), cudaErrorInvalidValue);
    assert_int_equal(cudaFreeHost(pinned), cudaSuccess);
    assert_int_equal(cudaFreeHost(pinned), cudaErrorInvalidValue);

    assert_int_equal(cudaHostRegister(own, 64, cudaHostRegisterMapped), cudaSuccess);
    assert_int_equal(cudaHostRegister(own + 8, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
    assert_int_equal(cudaHostGetDevicePointer(&device, own + 2, 0), cudaSuccess);
    own[2] = 10;
    assert_int_equal(launch_increment(device), cudaSuccess);
    assert_int_equal(own[2], 11);
    assert_int_equal(cudaHostUnregister(own), cudaSuccess);
    assert_int_equal(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
}

/* ---- streams, events ---- */

static void count_call(void *data)
{
    *(int *)data += 1;
}

static void events_measure_simulated_time(void **state)
{
    cudaEvent_t start, end, untimed;
    cudaStream_t stream;
    float ms;
    int calls = 0;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreate(&start), cudaSuccess);
    assert_int_equal(cudaEventCreate(&end), cudaSuccess);
    assert_int_equal(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventRecord(start, stream), cudaSuccess);
    for (int i = 0; i < 3; i++)
        assert_int_equal(launch_bounded(1), cudaSuccess);
    assert_int_equal(cudaLaunchHostFunc(stream, count_call, &calls), cudaSuccess);
    assert_int_equal(calls, 1);
    assert_int_equal(cudaEventRecord(end, stream), cudaSuccess);
    assert_int_equal(cudaEventRecord(untimed, stream), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(stream, end, 0), cudaSuccess);
    assert_int_equal(cudaEventQuery(end), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
    assert_true(ms == 6.0f); /* three launches of 2 ms */
    assert_int_equal(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventDestroy(start), cudaSuccess);
    assert_int_equal(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    assert_int_equal(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
}

/* ---- answers ---- */

static void properties_come_from_the_machine(void **state)
{
    struct cudaDeviceProp p;
    int value;
    assert_int_equal(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    assert_string_equal(p.name, "fake");
    assert_int_equal(p.multiProcessorCount, 15);
    assert_int_equal(p.totalGlobalMem, 64 << 20);
    assert_int_equal(p.l2CacheSize, 786432);
    assert_int_equal(p.memoryBusWidth, 384);
    assert_int_equal(p.memoryClockRate, 1848000);
    assert_int_equal(p.clockRate, 700000);
    assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0), cudaSuccess);
    assert_int_equal(value, 49152);
    assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0), cudaSuccess);
    assert_int_equal(value, 1024);
    assert_int_equal(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
    assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetDeviceCount(&value), cudaSuccess);
    assert_int_equal(value, 1);
    assert_int_equal(cudaRuntimeGetVersion(&value), cudaSuccess);
    assert_int_equal(value, 13000);
    cudaGetLastError();
}

static void set_impossible_limits(void)
{
    assert_int_equal(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 40), cudaErrorMemoryAllocation);
    assert_int_equal(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20), cudaErrorMemoryAllocation);
}

static void limits_are_remembered_or_refused(void **state)
{
    size_t value;
    assert_int_equal(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
    assert_int_equal(value, 8 << 20);
    assert_int_equal(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20), cudaSuccess);
    assert_int_equal(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
    assert_int_equal(value, 16 << 20);
    assert_int_equal(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 24), cudaSuccess);
    free(stderr_of(set_impossible_limits));
    assert_int_equal(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1), cudaErrorUnsupportedLimit);
    cudaGetLastError();
}

static void kernels_tell_their_attributes(void **state)
{
    struct cudaFuncAttributes a;
    const char *name;
    size_t offset, size;
    int blocks;
    assert_int_equal(cudaFuncGetAttributes(&a, &bounded_stub), cudaSuccess);
    assert_int_equal(a.maxThreadsPerBlock, 64);
    assert_int_equal(a.ptxVersion, 70);
    assert_int_equal(a.constSizeBytes, 16);
    assert_int_equal(cudaFuncGetName(&name, &work_stub), cudaSuccess);
    assert_string_equal(name, "work");
    assert_int_equal(cudaFuncGetParamInfo(&work_stub, 2, &offset, &size), cudaSuccess);
    assert_int_equal(offset, 32);
    assert_int_equal(size, 1);
    assert_int_equal(cudaFuncGetParamInfo(&work_stub, 3, &offset, &size), cudaErrorInvalidValue);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &work_stub, 128, 0), cudaSuccess);
    assert_int_equal(blocks, 4);
    assert_int_equal(cudaOccupancyAvailableDynamicSMemPerBlock(&size, &work_stub, 4, 128), cudaSuccess);
    assert_int_equal(size, 49152);
}

static void every_error_has_its_name(void **state)
{
    assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}

cudaError_t cudaDestroyExternalMemory(void *memory);
static void call_unsupported(void)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(cudaDestroyExternalMemory(NULL), cudaErrorNotSupported);
}

static void unsupported_calls_name_themselves_once(void **state)
{
    char *text = stderr_of(call_unsupported);
    char *where = strstr(text, "cudaDestroyExternalMemory");
    assert_non_null(where);
    assert_null(strstr(where + 1, "cudaDestroyExternalMemory"));
    free(text);
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
}

static void reset_gives_a_new_device(void **state)
{
    void *p;
    uint32_t value = 9;
    cudaStream_t stream;
    unsigned before = fake.creations;
    assert_int_equal(cudaMalloc(&p, 64), cudaSuccess);
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaMemcpyToSymbol(counter_shadow, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
    assert_int_equal(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaMemcpyFromSymbol(&value, counter_shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(value, 7);
    assert_int_equal(launch_bounded(1), cudaSuccess);
    assert_int_equal(fake.creations, before + 2); /* this test's first call made one too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(streams_decide_what_runs_together, fresh),
        cmocka_unit_test_setup(other_work_ends_the_queue, fresh),
        cmocka_unit_test_setup(failures_of_streams_stick, fresh),
        cmocka_unit_test_setup(arguments_are_packed_by_the_parameter_list, fresh),
        cmocka_unit_test_setup(both_launch_interfaces_reach_the_kernel, fresh),
        cmocka_unit_test_setup(bad_configurations_are_refused_and_remembered, fresh),
        cmocka_unit_test_setup(missing_and_unknown_kernels_are_told_apart, fresh),
        cmocka_unit_test_setup(bad_ptx_is_explained_once, fresh),
        cmocka_unit_test_setup(faults_stick_until_reset, fresh),
        cmocka_unit_test_setup(copies_go_where_their_addresses_say, fresh),
        cmocka_unit_test_setup(rows_and_slices_keep_their_pitches, fresh),
        cmocka_unit_test_setup(symbols_are_copied_by_their_shadows, fresh),
        cmocka_unit_test_setup(managed_memory_is_one_address_for_both_sides, fresh),
        cmocka_unit_test_setup(pinned_and_registered_memory_are_seen_by_kernels, fresh),
        cmocka_unit_test_setup(events_measure_simulated_time, fresh),
        cmocka_unit_test_setup(properties_come_from_the_machine, fresh),
        cmocka_unit_test_setup(limits_are_remembered_or_refused, fresh),
        cmocka_unit_test_setup(kernels_tell_their_attributes, fresh),
        cmocka_unit_test_setup(every_error_has_its_name, fresh),
        cmocka_unit_test_setup(unsupported_calls_name_themselves_once, fresh),
        cmocka_unit_test_setup(reset_gives_a_new_device, fresh),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
