/* Parts of declarations that `lockstep cc` rewrites. Without its rewriting __managed__ is no word that clang knows. */
#ifndef LOCKSTEP_MANAGED_H
#define LOCKSTEP_MANAGED_H

/* Room for a `__shared__` variable whose constructor, as with nvcc, does not run. */
template <class T> struct lockstep_shared {
    alignas(T) unsigned char lockstep_bytes[sizeof(T)];
};

/* NAME stands for the managed variable lockstep_managed_NAME. In host code it is a reference, which in memory is a
 * pointer; that is defined in assembly, for the runtime to fill: C++ would have it filled by the program. NUMBER tells
 * those of one program apart.
 *
 * An instance of a variable template is a reference too, for which the program itself asks when it starts:
 *
 *     template <class T> static LOCKSTEP_MANAGED_TYPE(lockstep_managed_v<T>) &v
 * LOCKSTEP_MANAGED_AT(lockstep_managed_v<T>);
 *
 * Either happens before constructors of the program's own, by entries of .init_array: all notes of variables (101),
 * then all device code is registered (102), then what has managed variables is loaded (103). clang's own registration,
 * which comes among the constructors, then tells the runtime nothing new. Clang makes it only where there is something
 * to register: a variable of a byte. */
#define LOCKSTEP_MANAGED_TYPE(...) decltype(__VA_ARGS__)
#if defined(__CUDA_ARCH__)
#define LOCKSTEP_MANAGED(NAME, NUMBER)                                                                                 \
    static __device__ __typeof__(lockstep_managed_##NAME) &NAME = lockstep_managed_##NAME;
#define LOCKSTEP_MANAGED_SPACE __device__
#define LOCKSTEP_MANAGED_AT(...) = __VA_ARGS__
#define LOCKSTEP_MANAGED_TEMPLATE(NUMBER) static __device__ __attribute__((used)) char lockstep_managed_byte_##NUMBER;
#else
extern "C" void __cudaLockstepManaged(const void *variable, void **pointer);
extern "C" void *__cudaLockstepManagedAt(const void *variable);
struct lockstep_managed_note {
    lockstep_managed_note(const void *variable, void **pointer)
    {
        __cudaLockstepManaged(variable, pointer);
    }
};
#define LOCKSTEP_MANAGED_EARLY                                                                                         \
    __asm__(".ifndef lockstep.early\n.set lockstep.early, 1\n"                                                         \
            ".pushsection .init_array.102, \"aw\", @init_array\n.p2align 3\n.quad __cuda_module_ctor\n.popsection\n"   \
            ".pushsection .init_array.103, \"aw\", @init_array\n.p2align 3\n.quad __cudaLockstepManagedReady\n"        \
            ".popsection\n.endif");
#define LOCKSTEP_MANAGED(NAME, NUMBER)                                                                                 \
    extern __typeof__(lockstep_managed_##NAME) &NAME __asm__("lockstep_managed_" #NUMBER);                             \
    extern void *lockstep_managed_pointer_##NUMBER __asm__("lockstep_managed_" #NUMBER);                               \
    __asm__(".local lockstep_managed_" #NUMBER "\n.comm lockstep_managed_" #NUMBER ", 8, 8");                          \
    static const lockstep_managed_note lockstep_managed_note_##NUMBER __attribute__((unused, init_priority(101))) (    \
        (const void *)&lockstep_managed_##NAME, &lockstep_managed_pointer_##NUMBER);                                   \
    LOCKSTEP_MANAGED_EARLY
#define LOCKSTEP_MANAGED_SPACE
#define LOCKSTEP_MANAGED_AT(...)                                                                                       \
    = *static_cast<decltype(&__VA_ARGS__)>(__cudaLockstepManagedAt(static_cast<const void *>(&__VA_ARGS__)))
#define LOCKSTEP_MANAGED_TEMPLATE(NUMBER)                                                                              \
    static __device__ __attribute__((used)) char lockstep_managed_byte_##NUMBER;                                       \
    LOCKSTEP_MANAGED_EARLY
#endif

#endif
