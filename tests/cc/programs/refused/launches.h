// Code of a header that clang refuses and nvcc takes.
#define LAUNCH(KERNEL, BLOCKS, ...) KERNEL << < BLOCKS, 32 >> > (__VA_ARGS__)
__device__ inline unsigned lane_by_register()
{
    unsigned lane;
    asm volatile("{ .reg .u32 t; mov.u32 t, %laneid; mov.u32 %0, t; }" : "=r"(lane));
    return lane;
}
template <class T, int N> struct part {
    int twice(int a);
};
template <class T> struct part<T, 1> {
    int twice(int a, int b);
};
template <class T> int part<T, 1>::twice(int a, int b = 2 * (1, 2))
{
    return a * b;
}
