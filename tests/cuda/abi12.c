/* A host program as nvcc 12 would have linked it: libcudart.so.12, device properties in the order of CUDA 12, hints with a device
 * number. Offsets are those of CUDA 12's binary interface. */
#include <stdio.h>
#include <string.h>

int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
int cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, void *stream);
int cudaThreadSynchronize(void);

static int int_at(const char *properties, int offset)
{
    int value;
    memcpy(&value, properties + offset, sizeof value);
    return value;
}

int main(void)
{
    char properties[1032 + 8];
    void *managed;
    memset(properties, 0x55, sizeof properties);
    if (cudaGetDeviceProperties_v2(properties, 0))
        return 1;
    printf("%s %d.%d warp %d threads %d clock %d sms %d", properties, int_at(properties, 360), int_at(properties, 364),
           int_at(properties, 308), int_at(properties, 320), int_at(properties, 348), int_at(properties, 388));
    printf(" kept %d\n", int_at(properties, 1032) == 0x55555555);
    if (cudaMallocManaged(&managed, 100, 1))
        return 2;
    printf("prefetch %d\n", cudaMemPrefetchAsync(managed, 100, 0, NULL));
    printf("synchronize %d\n", cudaThreadSynchronize());
    return 0;
}
