/* Parts of declarations that `lockstep cc` rewrites. Without its rewriting __managed__ is no word that clang knows. */
#ifndef LOCKSTEP_MANAGED_H
#define LOCKSTEP_MANAGED_H

/* Room for a `__shared__` variable whose constructor, as with nvcc, does not run. */
template <class T> struct lockstep_shared {
    alignas(T) unsigned char lockstep_bytes[sizeof(T)];
};

/* NAME stands for the managed variable lockstep_managed_NAME. In host code it is a reference, which in memory is a
 * pointer; that is defined in assembly, for the runtime to fill before main: C++ would have it filled by the program.
 * NUMBER tells those of one program apart. */
#if defined(__CUDA_ARCH__)
#define LOCKSTEP_MANAGED(NAME, NUMBER)                                                                                 \
    static __device__ __typeof__(lockstep_managed_##NAME) &NAME = lockstep_managed_##NAME;
#else
extern "C" void __cudaLockstepManaged(const void *variable, void **pointer);
struct lockstep_managed_note {
    lockstep_managed_note(const void *variable, void **pointer)
    {
        __cudaLockstepManaged(variable, pointer);
    }
};
#define LOCKSTEP_MANAGED(NAME, NUMBER)                                                                                 \
    extern __typeof__(lockstep_managed_##NAME) &NAME __asm__("lockstep_managed_" #NUMBER);                             \
    extern void *lockstep_managed_pointer_##NUMBER __asm__("lockstep_managed_" #NUMBER);                               \
    __asm__(".local lockstep_managed_" #NUMBER "\n.comm lockstep_managed_" #NUMBER ", 8, 8");                          \
    static const lockstep_managed_note lockstep_managed_note_##NUMBER __attribute__((unused))(                         \
        (const void *)&lockstep_managed_##NAME, &lockstep_managed_pointer_##NUMBER);
#endif

#endif
