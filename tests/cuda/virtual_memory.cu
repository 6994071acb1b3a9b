// Memory and its addresses apart: cuMemCreate, cuMemAddressReserve, cuMemMap.
#include <cstdio>
#include <cuda.h>
#include <vector>

static int failures;
static void check(const char *what, long long is, long long should)
{
    failures += is != should;
    if (is != should)
        std::printf("%s: %lld, not %lld\n", what, is, should);
}
#define OK(call) check(#call, (call), CUDA_SUCCESS)

__global__ void add(int *p, size_t each, int n)
{
    p[threadIdx.x * each] += n + threadIdx.x;
}
static int at(CUdeviceptr address)
{
    int value = -1;
    OK(cuMemcpyDtoH(&value, address, sizeof value));
    return value;
}

int main()
{
    CUdevice device;
    CUcontext context;
    int there = 0;
    size_t unit = 0;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuDeviceGetAttribute(&there, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, device));
    check("it is there", there, 1);
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = 0;
    OK(cuMemGetAllocationGranularity(&unit, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));

    // Two pieces, one behind the other.
    CUdeviceptr range, other;
    CUmemGenericAllocationHandle a, b, again;
    OK(cuMemAddressReserve(&range, 4 * unit, 0, 0, 0));
    OK(cuMemAddressReserve(&other, unit, 4 * unit, 0, 0));
    check("alignment", other % (4 * unit), 0);
    OK(cuMemCreate(&a, unit, &p, 0));
    OK(cuMemCreate(&b, unit, &p, 0));
    OK(cuMemMap(range, unit, 0, a, 0));
    OK(cuMemMap(range + unit, unit, 0, b, 0));
    CUmemAccessDesc access = {};
    access.location = p.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemSetAccess(range, 2 * unit, &access, 1));
    unsigned long long flags = 0;
    OK(cuMemGetAccess(&flags, &access.location, range + unit));
    check("access", flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    add<<<1, 2>>>((int *)range, unit / sizeof(int), 10);
    check("the first", at(range), 10);
    check("the second", at(range + unit), 11);

    // What is in them goes where they go.
    OK(cuMemUnmap(range, 2 * unit));
    OK(cuMemMap(range, unit, 0, b, 0));
    OK(cuMemMap(other, unit, 0, a, 0));
    OK(cuMemSetAccess(range, unit, &access, 1));
    OK(cuMemSetAccess(other, unit, &access, 1));
    check("the second, first", at(range), 11);
    check("the first, elsewhere", at(other), 10);

    // A handle may be released while its memory is mapped, and be had again by the address.
    OK(cuMemRelease(a));
    OK(cuMemRetainAllocationHandle(&again, (void *)(other + 64)));
    OK(cuMemUnmap(other, unit));
    OK(cuMemMap(range + unit, unit, 0, again, 0));
    OK(cuMemSetAccess(range, 2 * unit, &access, 1));
    add<<<1, 2>>>((int *)range, unit / sizeof(int), 100);
    check("b", at(range), 111);
    check("a", at(range + unit), 111);

    // Mistakes.
    CUmemAllocationProp host = p;
    CUmemGenericAllocationHandle c;
    check("half a unit", cuMemCreate(&c, unit / 2, &p, 0), CUDA_ERROR_INVALID_VALUE);
    host.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    check("no type", cuMemCreate(&c, unit, &host, 0), CUDA_ERROR_INVALID_VALUE);
    int shared = -1;
    OK(cuMemCreate(&c, unit, &p, 0));
    check("for another process", cuMemExportToShareableHandle(&shared, c, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_NOT_SUPPORTED);
    check("a peer", cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_DEVICE);
    check("over another", cuMemMap(range, unit, 0, c, 0), CUDA_ERROR_INVALID_VALUE);
    check("in half", cuMemMap(range + 5 * unit / 2, unit, 0, c, 0), CUDA_ERROR_INVALID_VALUE);
    check("what is not mapped", cuMemUnmap(range + 2 * unit, unit), CUDA_ERROR_INVALID_VALUE);
    check("too much", cuMemSetAccess(range, 3 * unit, &access, 1), CUDA_ERROR_INVALID_VALUE);
    check("not empty", cuMemAddressFree(range, 4 * unit), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(range, 2 * unit));
    check("a part", cuMemAddressFree(range, unit), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(range, 4 * unit));
    check("what is not reserved", cuMemMap(range, unit, 0, c, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(b));
    check("twice", cuMemRelease(b), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(again));
    OK(cuMemRelease(c));
    OK(cuMemAddressFree(other, unit));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
