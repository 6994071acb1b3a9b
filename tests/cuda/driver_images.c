/* Arrays, textures and surfaces of the driver interface, by a program that brings its own PTX: what copies put into an array, textures of it
 * and of plain memory read, and a surface takes. Says how many values are wrong. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    /* out[y][x] = the texel at (x, y), as it is read */
    ".visible .entry take(.param .u64 t, .param .u64 out) {\n"
    ".reg .b32 %r<6>; .reg .f32 %f<8>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x;\n"
    "cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; add.f32 %f1, %f1, 0f3f000000; add.f32 %f2, %f2, 0f3f000000;\n"
    "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd2, %rd3; st.global.f32 [%rd3], %f3; ret; }\n"
    ".visible .entry fetch(.param .u64 t, .param .u64 out) {\n"
    ".reg .b32 %r<6>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n"
    "tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}];\n"
    "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3; st.global.u32 [%rd3], %r3; ret; }\n"
    /* the surface's word at (x, y) doubles, and its size is told */
    ".visible .entry twice(.param .u64 s, .param .u64 out) {\n"
    ".reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, %tid.y;\n"
    "suld.b.2d.b32.trap %r3, [%rd1, {%r1, %r2}]; add.u32 %r3, %r3, %r3; sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r3;\n"
    "or.b32 %r4, %r1, %r2; setp.ne.u32 %p1, %r4, 0; @%p1 ret; suq.width.b32 %r4, [%rd1]; suq.height.b32 %r5, [%rd1];\n"
    "st.global.v2.u32 [%rd2], {%r4, %r5}; ret; }\n";

enum { W = 12, H = 5 };
static unsigned wrong;
#define NEED(call)                                                                                                     \
    do {                                                                                                               \
        CUresult result_ = (call);                                                                                     \
        if (result_) {                                                                                                 \
            printf("%s: %d\n", #call, (int)result_);                                                                   \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
#define IS(call, want) wrong += (call) != (want)

static CUresult launch(CUmodule module, const char *name, unsigned w, unsigned h, unsigned long long object, CUdeviceptr out)
{
    CUfunction f;
    void *parameters[] = {&object, &out};
    CUresult result = cuModuleGetFunction(&f, module, name);
    result = result ? result : cuLaunchKernel(f, 1, 1, 1, w, h, 1, 0, NULL, parameters, NULL);
    return result ? result : cuCtxSynchronize();
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    CUarray array, words, stack;
    CUdeviceptr out, memory;
    CUtexObject texture, numbers, fetched;
    CUsurfObject surface;
    uint8_t bytes[H][20];
    float got[H][W];
    int32_t plain[W][2], values[H][W];
    NEED(cuInit(0));
#if CUDA_VERSION >= 13000
    NEED(cuCtxCreate(&context, NULL, 0, 0));
#else
    NEED(cuCtxCreate(&context, 0, 0));
#endif
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuMemAlloc(&out, sizeof got));
    NEED(cuMemAlloc(&memory, sizeof plain));

    /* bytes, from rows with a gap, a column and a row in; read as numbers of [0, 1] */
    CUDA_ARRAY_DESCRIPTOR flat = {W, H, CU_AD_FORMAT_UNSIGNED_INT8, 1}, told;
    NEED(cuArrayCreate(&array, &flat));
    NEED(cuArrayGetDescriptor(&told, array));
    wrong += told.Width != W || told.Height != H || told.Format != CU_AD_FORMAT_UNSIGNED_INT8 || told.NumChannels != 1;
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < 20; x++)
            bytes[y][x] = (uint8_t)(20 * y + x);
    CUDA_MEMCPY2D copy = {0};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.srcPitch = 20;
    copy.srcXInBytes = 3;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = W;
    copy.Height = H;
    NEED(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC how;
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    NEED(cuTexObjectCreate(&texture, &resource, &how, NULL));
    NEED(launch(module, "take", W, H, texture, out));
    NEED(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            wrong += got[y][x] != (float)(bytes[y][x + 3] / 255.0);

    /* floats of rows in plain memory, clamped at their edge; elements of two words, the second of which is read */
    CUdeviceptr rows;
    size_t pitch;
    NEED(cuMemAllocPitch(&rows, &pitch, W * 4, H, 4));
    for (unsigned i = 0; i < H * W; i++)
        ((float *)got)[i] = (float)i / 3;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = got;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = rows;
    copy.dstPitch = pitch;
    copy.WidthInBytes = W * 4;
    copy.Height = H;
    NEED(cuMemcpy2D(&copy));
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = W - 2;
    resource.res.pitch2D.height = H;
    resource.res.pitch2D.pitchInBytes = pitch;
    NEED(cuTexObjectCreate(&numbers, &resource, &how, NULL));
    NEED(launch(module, "take", W, H, numbers, out));
    NEED(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            wrong += got[y][x] != (float)(y * W + (x < W - 2 ? x : W - 3)) / 3;
    for (int i = 0; i < W; i++)
        plain[i][0] = i, plain[i][1] = -7 * i;
    NEED(cuMemcpyHtoD(memory, plain, sizeof plain));
    memset(&resource, 0, sizeof resource);
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
    resource.res.linear.numChannels = 2;
    resource.res.linear.sizeInBytes = sizeof plain;
    NEED(cuTexObjectCreate(&fetched, &resource, &how, NULL));
    NEED(launch(module, "fetch", W, 1, fetched, out));
    NEED(cuMemcpyDtoH(values, out, W * 4));
    for (int i = 0; i < W; i++)
        wrong += values[0][i] != -7 * i;

    /* a surface: words go in and out in the order of elements, and by rows */
    CUDA_ARRAY3D_DESCRIPTOR writable = {W, H, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST}, told3;
    NEED(cuArray3DCreate(&words, &writable));
    for (int i = 0; i < W * H; i++)
        values[i / W][i % W] = 5 * i + 1;
    NEED(cuMemcpyHtoA(words, 0, values, sizeof values));
    memset(&resource, 0, sizeof resource);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = words;
    NEED(cuSurfObjectCreate(&surface, &resource));
    NEED(launch(module, "twice", W, H, surface, out));
    int32_t part[2], whole[H][W];
    NEED(cuMemcpyDtoH(part, out, sizeof part));
    wrong += part[0] != W || part[1] != H;

    /* rows of one dimension, by bytes */
    CUarray line, other;
    CUDA_ARRAY_DESCRIPTOR row = {W, 0, CU_AD_FORMAT_SIGNED_INT32, 1};
    int32_t there[W];
    NEED(cuArrayCreate(&line, &row));
    NEED(cuArrayCreate(&other, &row));
    NEED(cuMemcpyHtoA(line, 0, values[2], W * 4));
    NEED(cuMemcpyAtoA(other, 16, line, 8, 24));
    NEED(cuMemcpyAtoD(out, other, 16, 24));
    NEED(cuMemcpyDtoA(line, 0, out, 24));
    NEED(cuMemcpyAtoH(there, line, 0, W * 4));
    for (int i = 0; i < W; i++)
        wrong += there[i] != values[2][i < 6 ? i + 2 : i];
    NEED(cuArrayDestroy(line));
    NEED(cuArrayDestroy(other));
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = words;
    copy.srcXInBytes = 8;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = whole;
    copy.dstPitch = W * 4;
    copy.WidthInBytes = (W - 2) * 4;
    copy.Height = H - 1;
    NEED(cuMemcpy2D(&copy));
    for (int y = 0; y < H - 1; y++)
        for (int x = 0; x < W - 2; x++)
            wrong += whole[y][x] != 2 * values[y + 1][x + 2];

    /* layers, as a block of an array of its own kind */
    CUDA_ARRAY3D_DESCRIPTOR layered = {W, H, 3, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_LAYERED};
    NEED(cuArray3DCreate(&stack, &layered));
    NEED(cuArray3DGetDescriptor(&told3, stack));
    wrong += told3.Width != W || told3.Height != H || told3.Depth != 3 || told3.Format != CU_AD_FORMAT_HALF || told3.NumChannels != 2 ||
             told3.Flags != CUDA_ARRAY3D_LAYERED;
    CUDA_MEMCPY3D block;
    memset(&block, 0, sizeof block);
    block.srcMemoryType = CU_MEMORYTYPE_HOST;
    block.srcHost = values;
    block.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    block.dstArray = stack;
    block.dstZ = 2;
    block.WidthInBytes = W * 4;
    block.Height = H;
    block.Depth = 1;
    NEED(cuMemcpy3D(&block));
    block.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    block.srcArray = stack;
    block.srcZ = 2;
    block.dstMemoryType = CU_MEMORYTYPE_HOST;
    block.dstHost = whole;
    block.dstZ = 0;
    NEED(cuMemcpy3D(&block));
    wrong += memcmp(whole, values, sizeof whole) != 0;

    /* what is refused */
    CUarray no;
    flat.NumChannels = 3;
    IS(cuArrayCreate(&no, &flat), CUDA_ERROR_INVALID_VALUE);
    copy.srcXInBytes = 2;
    IS(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    IS(cuTexObjectCreate(&texture, &resource, &how, NULL), CUDA_ERROR_NOT_SUPPORTED);
    NEED(cuTexObjectDestroy(texture));
    NEED(cuTexObjectDestroy(numbers));
    NEED(cuTexObjectDestroy(fetched));
    NEED(cuSurfObjectDestroy(surface));
    NEED(cuArrayDestroy(array));
    NEED(cuArrayDestroy(words));
    NEED(cuArrayDestroy(stack));
    IS(cuArrayDestroy(stack), CUDA_ERROR_INVALID_HANDLE);
    IS(cuArrayGetDescriptor(&told, array), CUDA_ERROR_INVALID_HANDLE);
    NEED(cuCtxDestroy(context));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
