/* Textures and surfaces in C++: formats of the types that can be read, reads and writes. */
#ifndef LOCKSTEP_TEXTURE_H
#define LOCKSTEP_TEXTURE_H

#include "../texture_types.h"

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define LOCKSTEP_CHANNELS(TYPE, SCALAR, BITS, KIND)                                                                    \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<SCALAR>()                                           \
    {                                                                                                                  \
        return cudaCreateChannelDesc(BITS, 0, 0, 0, cudaChannelFormatKind##KIND);                                      \
    }                                                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<TYPE##2>()                                          \
    {                                                                                                                  \
        return cudaCreateChannelDesc(BITS, BITS, 0, 0, cudaChannelFormatKind##KIND);                                   \
    }                                                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<TYPE##4>()                                          \
    {                                                                                                                  \
        return cudaCreateChannelDesc(BITS, BITS, BITS, BITS, cudaChannelFormatKind##KIND);                             \
    }
LOCKSTEP_CHANNELS(char, signed char, 8, Signed)
LOCKSTEP_CHANNELS(uchar, unsigned char, 8, Unsigned)
LOCKSTEP_CHANNELS(short, short, 16, Signed)
LOCKSTEP_CHANNELS(ushort, unsigned short, 16, Unsigned)
LOCKSTEP_CHANNELS(int, int, 32, Signed)
LOCKSTEP_CHANNELS(uint, unsigned, 32, Unsigned)
LOCKSTEP_CHANNELS(float, float, 32, Float)
#undef LOCKSTEP_CHANNELS

#if defined(__CUDA__) && defined(LOCKSTEP_TEXTURE_REFERENCES)

/* Texture references, which CUDA 12 no longer has. Their name is a common one: programs ask for them. On the device one
 * is the address of its description. */
template <class T, int D = cudaTextureType1D, cudaTextureReadMode M = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference()
    {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = cudaCreateChannelDesc<T>();
    }
    texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
        : texture(norm, filter, address)
    {
        channelDesc = desc;
    }
};

template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &t, const void *pointer,
                                          const cudaChannelFormatDesc &desc, size_t size = 4294967295u)
{
    return cudaBindTexture(offset, (const textureReference *)&t, pointer, &desc, size);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &t, const void *pointer,
                                          size_t size = 4294967295u)
{
    return cudaBindTexture(offset, (const textureReference *)&t, pointer, &t.channelDesc, size);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &t, const void *pointer,
                                            const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, (const textureReference *)&t, pointer, &desc, width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &t, const void *pointer, size_t width,
                                            size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, (const textureReference *)&t, pointer, &t.channelDesc, width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTextureToArray(const texture<T, D, M> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc)
{
    return cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTextureToArray(const texture<T, D, M> &t, cudaArray_const_t array)
{
    cudaChannelFormatDesc desc;
    cudaError_t error = cudaGetChannelDesc(&desc, array);
    return error ? error : cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <class T, int D, cudaTextureReadMode M> static inline cudaError_t cudaUnbindTexture(const texture<T, D, M> &t)
{
    return cudaUnbindTexture((const textureReference *)&t);
}

#endif

#if defined(__CUDA__)

/* A texture gives four registers of one kind, and how a type is made of them. */
struct lockstep_texel_float {
    float x, y, z, w;
};
struct lockstep_texel_int {
    int x, y, z, w;
};
struct lockstep_texel_uint {
    unsigned x, y, z, w;
};
template <class T> struct lockstep_texel;
#define LOCKSTEP_TEXEL(SCALAR, VECTOR, KIND)                                                                           \
    template <> struct lockstep_texel<SCALAR> {                                                                        \
        typedef lockstep_texel_##KIND from;                                                                            \
        static __device__ SCALAR make(const from &v) { return (SCALAR)v.x; }                                           \
    };                                                                                                                 \
    template <> struct lockstep_texel<VECTOR##1> {                                                                     \
        typedef lockstep_texel_##KIND from;                                                                            \
        static __device__ VECTOR##1 make(const from &v) { return make_##VECTOR##1((SCALAR)v.x); }                      \
    };                                                                                                                 \
    template <> struct lockstep_texel<VECTOR##2> {                                                                     \
        typedef lockstep_texel_##KIND from;                                                                            \
        static __device__ VECTOR##2 make(const from &v) { return make_##VECTOR##2((SCALAR)v.x, (SCALAR)v.y); }         \
    };                                                                                                                 \
    template <> struct lockstep_texel<VECTOR##4> {                                                                     \
        typedef lockstep_texel_##KIND from;                                                                            \
        static __device__ VECTOR##4 make(const from &v)                                                                \
        {                                                                                                              \
            return make_##VECTOR##4((SCALAR)v.x, (SCALAR)v.y, (SCALAR)v.z, (SCALAR)v.w);                               \
        }                                                                                                              \
    };
LOCKSTEP_TEXEL(signed char, char, int)
LOCKSTEP_TEXEL(unsigned char, uchar, uint)
LOCKSTEP_TEXEL(short, short, int)
LOCKSTEP_TEXEL(unsigned short, ushort, uint)
LOCKSTEP_TEXEL(int, int, int)
LOCKSTEP_TEXEL(unsigned, uint, uint)
LOCKSTEP_TEXEL(float, float, float)
#undef LOCKSTEP_TEXEL
template <> struct lockstep_texel<char> : lockstep_texel<signed char> {};

/* One read: overloads by the kind of registers. FORM is the mnemonic up to the types, PLACE the text of the coordinates,
 * which begin with %5. */
#define LOCKSTEP_TEX_ONE(NAME, KIND, C, TYPE, FORM, FROM, PLACE, PARAMETERS, ...)                                      \
    static __forceinline__ __device__ void NAME(lockstep_texel_##KIND *v, cudaTextureObject_t t, PARAMETERS)           \
    {                                                                                                                  \
        asm(FORM ".v4." TYPE "." FROM " {%0, %1, %2, %3}, [%4, " PLACE                                                 \
            : "=" C(v->x), "=" C(v->y), "=" C(v->z), "=" C(v->w)                                                       \
            : "l"(t), __VA_ARGS__);                                                                                    \
    }
#define LOCKSTEP_TEX(NAME, FORM, FROM, PLACE, PARAMETERS, ...)                                                         \
    LOCKSTEP_TEX_ONE(NAME, float, "f", "f32", FORM, FROM, PLACE, LOCKSTEP_LIST PARAMETERS, __VA_ARGS__)                \
    LOCKSTEP_TEX_ONE(NAME, int, "r", "s32", FORM, FROM, PLACE, LOCKSTEP_LIST PARAMETERS, __VA_ARGS__)                  \
    LOCKSTEP_TEX_ONE(NAME, uint, "r", "u32", FORM, FROM, PLACE, LOCKSTEP_LIST PARAMETERS, __VA_ARGS__)
#define LOCKSTEP_LIST(...) __VA_ARGS__
LOCKSTEP_TEX(lockstep_tex_fetch, "tex.1d", "s32", "{%5}];", (int x), "r"(x))
LOCKSTEP_TEX(lockstep_tex_1d, "tex.1d", "f32", "{%5}];", (float x), "f"(x))
LOCKSTEP_TEX(lockstep_tex_2d, "tex.2d", "f32", "{%5, %6}];", (float x, float y), "f"(x), "f"(y))
LOCKSTEP_TEX(lockstep_tex_3d, "tex.3d", "f32", "{%5, %6, %7, %7}];", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
LOCKSTEP_TEX(lockstep_tex_a1d, "tex.a1d", "f32", "{%5, %6}];", (int layer, float x), "r"(layer), "f"(x))
LOCKSTEP_TEX(lockstep_tex_a2d, "tex.a2d", "f32", "{%5, %6, %7, %7}];", (int layer, float x, float y), "r"(layer), "f"(x),
             "f"(y))
LOCKSTEP_TEX(lockstep_tex_cube, "tex.cube", "f32", "{%5, %6, %7, %7}];", (float x, float y, float z), "f"(x), "f"(y),
             "f"(z))
LOCKSTEP_TEX(lockstep_tex_acube, "tex.acube", "f32", "{%5, %6, %7, %8}];", (int layer, float x, float y, float z), "r"(layer),
             "f"(x), "f"(y), "f"(z))
LOCKSTEP_TEX(lockstep_tld4_r, "tld4.r.2d", "f32", "{%5, %6}];", (float x, float y), "f"(x), "f"(y))
LOCKSTEP_TEX(lockstep_tld4_g, "tld4.g.2d", "f32", "{%5, %6}];", (float x, float y), "f"(x), "f"(y))
LOCKSTEP_TEX(lockstep_tld4_b, "tld4.b.2d", "f32", "{%5, %6}];", (float x, float y), "f"(x), "f"(y))
LOCKSTEP_TEX(lockstep_tld4_a, "tld4.a.2d", "f32", "{%5, %6}];", (float x, float y), "f"(x), "f"(y))
#undef LOCKSTEP_TEX
#undef LOCKSTEP_TEX_ONE

/* The functions that programs call: by value, and with a place for the result. */
#define LOCKSTEP_TEX_CALL(NAME, PARAMETERS, ARGUMENTS, CALL)                                                           \
    template <class T> static __forceinline__ __device__ T NAME(cudaTextureObject_t t, LOCKSTEP_LIST PARAMETERS)       \
    {                                                                                                                  \
        typename lockstep_texel<T>::from v;                                                                            \
        CALL;                                                                                                          \
        return lockstep_texel<T>::make(v);                                                                             \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __forceinline__ __device__ void NAME(T *to, cudaTextureObject_t t, LOCKSTEP_LIST PARAMETERS)                \
    {                                                                                                                  \
        *to = NAME<T>(t, LOCKSTEP_LIST ARGUMENTS);                                                                     \
    }
LOCKSTEP_TEX_CALL(tex1Dfetch, (int x), (x), lockstep_tex_fetch(&v, t, x))
LOCKSTEP_TEX_CALL(tex1D, (float x), (x), lockstep_tex_1d(&v, t, x))
LOCKSTEP_TEX_CALL(tex2D, (float x, float y), (x, y), lockstep_tex_2d(&v, t, x, y))
LOCKSTEP_TEX_CALL(tex3D, (float x, float y, float z), (x, y, z), lockstep_tex_3d(&v, t, x, y, z))
LOCKSTEP_TEX_CALL(tex1DLayered, (float x, int layer), (x, layer), lockstep_tex_a1d(&v, t, layer, x))
LOCKSTEP_TEX_CALL(tex2DLayered, (float x, float y, int layer), (x, y, layer), lockstep_tex_a2d(&v, t, layer, x, y))
LOCKSTEP_TEX_CALL(texCubemap, (float x, float y, float z), (x, y, z), lockstep_tex_cube(&v, t, x, y, z))
/* There are no mipmapped arrays: the only level is the whole one. */
LOCKSTEP_TEX_CALL(tex1DLod, (float x, float), (x, 0), lockstep_tex_1d(&v, t, x))
LOCKSTEP_TEX_CALL(tex2DLod, (float x, float y, float), (x, y, 0), lockstep_tex_2d(&v, t, x, y))
LOCKSTEP_TEX_CALL(tex3DLod, (float x, float y, float z, float), (x, y, z, 0), lockstep_tex_3d(&v, t, x, y, z))
LOCKSTEP_TEX_CALL(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
                  lockstep_tex_acube(&v, t, layer, x, y, z))
LOCKSTEP_TEX_CALL(tex1DLayeredLod, (float x, int layer, float), (x, layer, 0), lockstep_tex_a1d(&v, t, layer, x))
LOCKSTEP_TEX_CALL(tex2DLayeredLod, (float x, float y, int layer, float), (x, y, layer, 0), lockstep_tex_a2d(&v, t, layer, x, y))
LOCKSTEP_TEX_CALL(texCubemapLod, (float x, float y, float z, float), (x, y, z, 0), lockstep_tex_cube(&v, t, x, y, z))
LOCKSTEP_TEX_CALL(texCubemapLayeredLod, (float x, float y, float z, int layer, float), (x, y, z, layer, 0),
                  lockstep_tex_acube(&v, t, layer, x, y, z))
LOCKSTEP_TEX_CALL(tex1DGrad, (float x, float, float), (x, 0, 0), lockstep_tex_1d(&v, t, x))
LOCKSTEP_TEX_CALL(tex3DGrad, (float x, float y, float z, float4, float4), (x, y, z, float4(), float4()),
                  lockstep_tex_3d(&v, t, x, y, z))
LOCKSTEP_TEX_CALL(tex1DLayeredGrad, (float x, int layer, float, float), (x, layer, 0, 0), lockstep_tex_a1d(&v, t, layer, x))
LOCKSTEP_TEX_CALL(tex2DLayeredGrad, (float x, float y, int layer, float2, float2), (x, y, layer, float2(), float2()),
                  lockstep_tex_a2d(&v, t, layer, x, y))
LOCKSTEP_TEX_CALL(texCubemapGrad, (float x, float y, float z, float4, float4), (x, y, z, float4(), float4()),
                  lockstep_tex_cube(&v, t, x, y, z))
LOCKSTEP_TEX_CALL(texCubemapLayeredGrad, (float x, float y, float z, int layer, float4, float4),
                  (x, y, z, layer, float4(), float4()), lockstep_tex_acube(&v, t, layer, x, y, z))
LOCKSTEP_TEX_CALL(tex2DGrad, (float x, float y, float2, float2), (x, y, float2(), float2()), lockstep_tex_2d(&v, t, x, y))
#undef LOCKSTEP_TEX_CALL

#if defined(LOCKSTEP_TEXTURE_REFERENCES)
template <class T, cudaTextureReadMode M> struct lockstep_read_as {
    typedef T type;
};
template <> struct lockstep_read_as<float, cudaReadModeNormalizedFloat> {
    typedef float type;
};
#define LOCKSTEP_READ_AS(SCALAR, VECTOR)                                                                               \
    template <> struct lockstep_read_as<SCALAR, cudaReadModeNormalizedFloat> {                                         \
        typedef float type;                                                                                            \
    };                                                                                                                 \
    template <> struct lockstep_read_as<VECTOR##2, cudaReadModeNormalizedFloat> {                                      \
        typedef float2 type;                                                                                           \
    };                                                                                                                 \
    template <> struct lockstep_read_as<VECTOR##4, cudaReadModeNormalizedFloat> {                                      \
        typedef float4 type;                                                                                           \
    };
LOCKSTEP_READ_AS(signed char, char)
LOCKSTEP_READ_AS(unsigned char, uchar)
LOCKSTEP_READ_AS(short, short)
LOCKSTEP_READ_AS(unsigned short, ushort)
#undef LOCKSTEP_READ_AS
#define LOCKSTEP_REFERENCE(NAME, DIMENSION, PARAMETERS, ARGUMENTS)                                                     \
    template <class T, cudaTextureReadMode M>                                                                          \
    static __forceinline__ __device__ typename lockstep_read_as<T, M>::type NAME(texture<T, DIMENSION, M> t,           \
                                                                                 LOCKSTEP_LIST PARAMETERS)             \
    {                                                                                                                  \
        cudaTextureObject_t object;                                                                                    \
        asm("mov.b64 %0, %1;" : "=l"(object) : "l"(t));                                                                \
        return NAME<typename lockstep_read_as<T, M>::type>(object, LOCKSTEP_LIST ARGUMENTS);                           \
    }
LOCKSTEP_REFERENCE(tex1Dfetch, cudaTextureType1D, (int x), (x))
LOCKSTEP_REFERENCE(tex1D, cudaTextureType1D, (float x), (x))
LOCKSTEP_REFERENCE(tex2D, cudaTextureType2D, (float x, float y), (x, y))
LOCKSTEP_REFERENCE(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
LOCKSTEP_REFERENCE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
LOCKSTEP_REFERENCE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
#undef LOCKSTEP_REFERENCE
#endif

template <class T>
static __forceinline__ __device__ T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    typename lockstep_texel<T>::from v;
    if (component == 0)
        lockstep_tld4_r(&v, t, x, y);
    else if (component == 1)
        lockstep_tld4_g(&v, t, x, y);
    else if (component == 2)
        lockstep_tld4_b(&v, t, x, y);
    else
        lockstep_tld4_a(&v, t, x, y);
    return lockstep_texel<T>::make(v);
}
template <class T>
static __forceinline__ __device__ void tex2Dgather(T *to, cudaTextureObject_t t, float x, float y, int component = 0)
{
    *to = tex2Dgather<T>(t, x, y, component);
}

/* Surfaces: values of 1 to 16 bytes as untyped registers, at places whose x counts bytes. */
template <int BYTES> struct lockstep_surface_value;
#define LOCKSTEP_SURFACE_VALUE(BYTES, TYPE)                                                                            \
    template <> struct lockstep_surface_value<BYTES> {                                                                 \
        typedef TYPE type;                                                                                             \
    };
LOCKSTEP_SURFACE_VALUE(1, unsigned short)
LOCKSTEP_SURFACE_VALUE(2, unsigned short)
LOCKSTEP_SURFACE_VALUE(4, unsigned)
LOCKSTEP_SURFACE_VALUE(8, uint2)
LOCKSTEP_SURFACE_VALUE(16, uint4)
#undef LOCKSTEP_SURFACE_VALUE
template <class T> static __forceinline__ __device__ typename lockstep_surface_value<sizeof(T)>::type lockstep_surface_bits(T v)
{
    typename lockstep_surface_value<sizeof(T)>::type bits = {};
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}

#define LOCKSTEP_SURFACE_ONE(NAME, MODE, FORM, PLACE_1, PLACE_2, PLACE_4, PARAMETERS, ...)                                 \
    static __forceinline__ __device__ void NAME##_get(unsigned short *v, cudaSurfaceObject_t s, int bytes, PARAMETERS) \
    {                                                                                                                  \
        if (bytes == 1)                                                                                                \
            asm volatile("suld.b." FORM ".b8." MODE " {%0}, [%1, " PLACE_1 "];" : "=h"(*v) : "l"(s), __VA_ARGS__ : "memory"); \
        else                                                                                                           \
            asm volatile("suld.b." FORM ".b16." MODE " {%0}, [%1, " PLACE_1 "];" : "=h"(*v) : "l"(s), __VA_ARGS__ : "memory"); \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_get(unsigned *v, cudaSurfaceObject_t s, int, PARAMETERS)             \
    {                                                                                                                  \
        asm volatile("suld.b." FORM ".b32." MODE " {%0}, [%1, " PLACE_1 "];" : "=r"(*v) : "l"(s), __VA_ARGS__ : "memory"); \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_get(uint2 *v, cudaSurfaceObject_t s, int, PARAMETERS)                \
    {                                                                                                                  \
        asm volatile("suld.b." FORM ".v2.b32." MODE " {%0, %1}, [%2, " PLACE_2 "];"                                    \
                     : "=r"(v->x), "=r"(v->y)                                                                          \
                     : "l"(s), __VA_ARGS__                                                                             \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_get(uint4 *v, cudaSurfaceObject_t s, int, PARAMETERS)                \
    {                                                                                                                  \
        asm volatile("suld.b." FORM ".v4.b32." MODE " {%0, %1, %2, %3}, [%4, " PLACE_4 "];"                            \
                     : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)                                                  \
                     : "l"(s), __VA_ARGS__                                                                             \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_put(unsigned short v, cudaSurfaceObject_t s, int bytes, PARAMETERS)  \
    {                                                                                                                  \
        if (bytes == 1)                                                                                                \
            asm volatile("sust.b." FORM ".b8." MODE " [%1, " PLACE_1 "], {%0};" : : "h"(v), "l"(s), __VA_ARGS__ : "memory"); \
        else                                                                                                           \
            asm volatile("sust.b." FORM ".b16." MODE " [%1, " PLACE_1 "], {%0};" : : "h"(v), "l"(s), __VA_ARGS__ : "memory"); \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_put(unsigned v, cudaSurfaceObject_t s, int, PARAMETERS)              \
    {                                                                                                                  \
        asm volatile("sust.b." FORM ".b32." MODE " [%1, " PLACE_1 "], {%0};" : : "r"(v), "l"(s), __VA_ARGS__ : "memory"); \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_put(uint2 v, cudaSurfaceObject_t s, int, PARAMETERS)                 \
    {                                                                                                                  \
        asm volatile("sust.b." FORM ".v2.b32." MODE " [%2, " PLACE_2 "], {%0, %1};"                                   \
                     :                                                                                                 \
                     : "r"(v.x), "r"(v.y), "l"(s), __VA_ARGS__                                                         \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static __forceinline__ __device__ void NAME##_put(uint4 v, cudaSurfaceObject_t s, int, PARAMETERS)                 \
    {                                                                                                                  \
        asm volatile("sust.b." FORM ".v4.b32." MODE " [%4, " PLACE_4 "], {%0, %1, %2, %3};"                           \
                     :                                                                                                 \
                     : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(s), __VA_ARGS__                                     \
                     : "memory");                                                                                      \
    }
/* The three ways in which accesses outside of the surface end. */
#define LOCKSTEP_SURFACE(NAME, FORM, P1, P2, P4, PARAMETERS, ...)                                                      \
    LOCKSTEP_SURFACE_ONE(NAME##_zero, "zero", FORM, P1, P2, P4, LOCKSTEP_LIST PARAMETERS, __VA_ARGS__)     \
    LOCKSTEP_SURFACE_ONE(NAME##_clamp, "clamp", FORM, P1, P2, P4, LOCKSTEP_LIST PARAMETERS, __VA_ARGS__)   \
    LOCKSTEP_SURFACE_ONE(NAME##_trap, "trap", FORM, P1, P2, P4, LOCKSTEP_LIST PARAMETERS, __VA_ARGS__)
LOCKSTEP_SURFACE(lockstep_surf_1d, "1d", "{%2}", "{%3}", "{%5}", (int x), "r"(x))
LOCKSTEP_SURFACE(lockstep_surf_2d, "2d", "{%2, %3}", "{%3, %4}", "{%5, %6}", (int x, int y), "r"(x), "r"(y))
LOCKSTEP_SURFACE(lockstep_surf_3d, "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}", (int x, int y, int z),
                 "r"(x), "r"(y), "r"(z))
LOCKSTEP_SURFACE(lockstep_surf_a1d, "a1d", "{%2, %3}", "{%3, %4}", "{%5, %6}", (int layer, int x), "r"(layer), "r"(x))
LOCKSTEP_SURFACE(lockstep_surf_a2d, "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
                 (int layer, int x, int y), "r"(layer), "r"(x), "r"(y))
#undef LOCKSTEP_SURFACE
#undef LOCKSTEP_SURFACE_ONE

#define LOCKSTEP_SURFACE_CALL(NAME, FORM, PARAMETERS, PASSED, ARGUMENTS)                                               \
    template <class T>                                                                                                 \
    static __forceinline__ __device__ T NAME##read(cudaSurfaceObject_t s, LOCKSTEP_LIST PARAMETERS,                    \
                                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                \
    {                                                                                                                  \
        typename lockstep_surface_value<sizeof(T)>::type bits;                                                         \
        if (mode == cudaBoundaryModeZero)                                                                              \
            lockstep_surf_##FORM##_zero_get(&bits, s, sizeof(T), LOCKSTEP_LIST ARGUMENTS);                             \
        else if (mode == cudaBoundaryModeClamp)                                                                        \
            lockstep_surf_##FORM##_clamp_get(&bits, s, sizeof(T), LOCKSTEP_LIST ARGUMENTS);                            \
        else                                                                                                           \
            lockstep_surf_##FORM##_trap_get(&bits, s, sizeof(T), LOCKSTEP_LIST ARGUMENTS);                             \
        T value;                                                                                                       \
        __builtin_memcpy(&value, &bits, sizeof value);                                                                           \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __forceinline__ __device__ void NAME##read(T *to, cudaSurfaceObject_t s, LOCKSTEP_LIST PARAMETERS,          \
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                                                                  \
        *to = NAME##read<T>(s, LOCKSTEP_LIST PASSED, mode);                                                            \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __forceinline__ __device__ void NAME##write(T value, cudaSurfaceObject_t s, LOCKSTEP_LIST PARAMETERS,       \
                                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                                                  \
        if (mode == cudaBoundaryModeZero)                                                                              \
            lockstep_surf_##FORM##_zero_put(lockstep_surface_bits(value), s, sizeof(T), LOCKSTEP_LIST ARGUMENTS);      \
        else if (mode == cudaBoundaryModeClamp)                                                                        \
            lockstep_surf_##FORM##_clamp_put(lockstep_surface_bits(value), s, sizeof(T), LOCKSTEP_LIST ARGUMENTS);     \
        else                                                                                                           \
            lockstep_surf_##FORM##_trap_put(lockstep_surface_bits(value), s, sizeof(T), LOCKSTEP_LIST ARGUMENTS);      \
    }
LOCKSTEP_SURFACE_CALL(surf1D, 1d, (int x), (x), (x))
LOCKSTEP_SURFACE_CALL(surf2D, 2d, (int x, int y), (x, y), (x, y))
LOCKSTEP_SURFACE_CALL(surf3D, 3d, (int x, int y, int z), (x, y, z), (x, y, z))
LOCKSTEP_SURFACE_CALL(surf1DLayered, a1d, (int x, int layer), (x, layer), (layer, x))
LOCKSTEP_SURFACE_CALL(surf2DLayered, a2d, (int x, int y, int layer), (x, y, layer), (layer, x, y))
LOCKSTEP_SURFACE_CALL(surfCubemap, a2d, (int x, int y, int face), (x, y, face), (face, x, y))
#undef LOCKSTEP_SURFACE_CALL
#undef LOCKSTEP_LIST

#endif

#endif
