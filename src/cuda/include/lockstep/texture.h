/* Textures in C++: formats of the types that can be read, and reads, which do not compile. */
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

#if defined(__CUDA__)
template <class T> static __device__ T tex1Dfetch(cudaTextureObject_t, int)
{
    static_assert(sizeof(T) == 0, "textures are not modelled");
    return T();
}
#endif

#endif
