/* Clocks, sleeping, traps, and what device code calls out for: printf, assert, malloc and free. The latter are external
 * functions in the PTX (vprintf, __assertfail, malloc, free) that the simulator provides. */
#ifndef LOCKSTEP_SYSTEM_H
#define LOCKSTEP_SYSTEM_H

LOCKSTEP_DEVICE long long clock64()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
LOCKSTEP_DEVICE long long __clock64()
{
    return clock64();
}
LOCKSTEP_DEVICE clock_t clock()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return (clock_t)(int)t;
}
LOCKSTEP_DEVICE clock_t __clock()
{
    return clock();
}
LOCKSTEP_DEVICE void __nanosleep(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
/* Programmatic dependent launch. */
LOCKSTEP_DEVICE void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
LOCKSTEP_DEVICE void cudaGridDependencySynchronize()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

LOCKSTEP_DEVICE void __brkpt()
{
    asm volatile("brkpt;" ::: "memory");
}
LOCKSTEP_DEVICE void __trap()
{
    asm volatile("trap;" ::: "memory");
}
LOCKSTEP_DEVICE void __exit()
{
    asm volatile("exit;" ::: "memory");
}
LOCKSTEP_DEVICE unsigned __pm0()
{
    return 0;
}
/* Marks for profilers; they cost and do nothing. */
LOCKSTEP_DEVICE void __prof_trigger(int)
{
}

extern "C" {
/* clang packs the variable arguments and calls vprintf(format, arguments). */
__device__ int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
__device__ int vprintf(const char *format, const char *arguments);
__device__ void *malloc(size_t size);
__device__ void free(void *p);
__device__ void __assertfail(const char *condition, const char *file, unsigned line, const char *function,
                             size_t char_size) __attribute__((noreturn));

/* The function that glibc's assert calls. */
__device__ inline __attribute__((noreturn)) void __assert_fail(const char *condition, const char *file, unsigned line,
                                                               const char *function)
#if defined(__GLIBC__)
    noexcept(true)
#endif
{
    __assertfail(condition, file, line, function, 1);
}
__device__ inline __attribute__((noreturn)) void abort() noexcept(true)
{
    asm volatile("trap;");
    __builtin_unreachable();
}
}

#endif
