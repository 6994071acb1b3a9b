/* Atomic read-modify-write functions, relaxed, each in three scopes: the device
 * (plain name), the block (_block), the system (_system). The builtins take a
 * generic address; the compiler narrows it to .global or .shared where it can
 * see the space. Floating-point minimum and maximum are left out. */
#ifndef LOCKSTEP_ATOMIC_H
#define LOCKSTEP_ATOMIC_H

#define LOCKSTEP_ATOMIC_SCOPE(SUFFIX, SCOPE)                                                                           \
    LOCKSTEP_DEVICE int atomicAdd##SUFFIX(int *p, int v)                                                               \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##add_gen_i(p, v);                                                                   \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomicAdd##SUFFIX(unsigned *p, unsigned v)                                                \
    {                                                                                                                  \
        return (unsigned)__nvvm_atom_##SCOPE##add_gen_i((int *)p, (int)v);                                             \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long long atomicAdd##SUFFIX(unsigned long long *p, unsigned long long v)                  \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##SCOPE##add_gen_ll((long long *)p, (long long)v);                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float atomicAdd##SUFFIX(float *p, float v)                                                         \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##add_gen_f(p, v);                                                                   \
    }                                                                                                                  \
    LOCKSTEP_DEVICE double atomicAdd##SUFFIX(double *p, double v)                                                      \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##add_gen_d(p, v);                                                                   \
    }                                                                                                                  \
    LOCKSTEP_DEVICE int atomicSub##SUFFIX(int *p, int v)                                                               \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##add_gen_i(p, (int)(0u - (unsigned)v));                                             \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomicSub##SUFFIX(unsigned *p, unsigned v)                                                \
    {                                                                                                                  \
        return (unsigned)__nvvm_atom_##SCOPE##add_gen_i((int *)p, (int)(0u - v));                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE int atomicExch##SUFFIX(int *p, int v)                                                              \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##xchg_gen_i(p, v);                                                                  \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomicExch##SUFFIX(unsigned *p, unsigned v)                                               \
    {                                                                                                                  \
        return (unsigned)__nvvm_atom_##SCOPE##xchg_gen_i((int *)p, (int)v);                                            \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long long atomicExch##SUFFIX(unsigned long long *p, unsigned long long v)                 \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##SCOPE##xchg_gen_ll((long long *)p, (long long)v);                     \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float atomicExch##SUFFIX(float *p, float v)                                                        \
    {                                                                                                                  \
        return __builtin_bit_cast(float, __nvvm_atom_##SCOPE##xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));       \
    }                                                                                                                  \
    LOCKSTEP_DEVICE int atomicCAS##SUFFIX(int *p, int c, int v)                                                        \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##cas_gen_i(p, c, v);                                                                \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomicCAS##SUFFIX(unsigned *p, unsigned c, unsigned v)                                    \
    {                                                                                                                  \
        return (unsigned)__nvvm_atom_##SCOPE##cas_gen_i((int *)p, (int)c, (int)v);                                     \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long long atomicCAS##SUFFIX(unsigned long long *p, unsigned long long c,                  \
                                                         unsigned long long v)                                         \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##SCOPE##cas_gen_ll((long long *)p, (long long)c, (long long)v);        \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomicInc##SUFFIX(unsigned *p, unsigned v)                                                \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##inc_gen_ui(p, v);                                                                  \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomicDec##SUFFIX(unsigned *p, unsigned v)                                                \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##dec_gen_ui(p, v);                                                                  \
    }                                                                                                                  \
    LOCKSTEP_ATOMIC_ORDERED(Min, min, SUFFIX, SCOPE)                                                                   \
    LOCKSTEP_ATOMIC_ORDERED(Max, max, SUFFIX, SCOPE)                                                                   \
    LOCKSTEP_ATOMIC_BITWISE(And, and, SUFFIX, SCOPE)                                                                   \
    LOCKSTEP_ATOMIC_BITWISE(Or, or, SUFFIX, SCOPE)                                                                     \
    LOCKSTEP_ATOMIC_BITWISE(Xor, xor, SUFFIX, SCOPE)

#define LOCKSTEP_ATOMIC_ORDERED(NAME, OP, SUFFIX, SCOPE)                                                               \
    LOCKSTEP_DEVICE int atomic##NAME##SUFFIX(int *p, int v)                                                            \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##OP##_gen_i(p, v);                                                                  \
    }                                                                                                                  \
    LOCKSTEP_DEVICE long long atomic##NAME##SUFFIX(long long *p, long long v)                                          \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##OP##_gen_ll(p, v);                                                                 \
    }
/* Without a sign. For _block and _system not by the builtins: clang makes the
 * instruction of signed numbers of them. */
#define LOCKSTEP_ATOMIC_UNSIGNED(NAME, OP)                                                                             \
    LOCKSTEP_DEVICE unsigned atomic##NAME(unsigned *p, unsigned v)                                                     \
    {                                                                                                                  \
        return __nvvm_atom_##OP##_gen_ui(p, v);                                                                        \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long long atomic##NAME(unsigned long long *p, unsigned long long v)                       \
    {                                                                                                                  \
        return __nvvm_atom_##OP##_gen_ull(p, v);                                                                       \
    }
#define LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(NAME, TYPE, INSTRUCTION, REGISTER)                                             \
    LOCKSTEP_DEVICE TYPE NAME(TYPE *p, TYPE v)                                                                         \
    {                                                                                                                  \
        TYPE old;                                                                                                      \
        asm volatile(INSTRUCTION " %0, [%1], %2;" : "=" REGISTER(old) : "l"(p), REGISTER(v) : "memory");               \
        return old;                                                                                                    \
    }
#define LOCKSTEP_ATOMIC_BITWISE(NAME, OP, SUFFIX, SCOPE)                                                               \
    LOCKSTEP_DEVICE int atomic##NAME##SUFFIX(int *p, int v)                                                            \
    {                                                                                                                  \
        return __nvvm_atom_##SCOPE##OP##_gen_i(p, v);                                                                  \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned atomic##NAME##SUFFIX(unsigned *p, unsigned v)                                             \
    {                                                                                                                  \
        return (unsigned)__nvvm_atom_##SCOPE##OP##_gen_i((int *)p, (int)v);                                            \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long long atomic##NAME##SUFFIX(unsigned long long *p, unsigned long long v)               \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##SCOPE##OP##_gen_ll((long long *)p, (long long)v);                     \
    }

/* Of 16 bits; and sums of vectors, of which each element is atomic. */
#define LOCKSTEP_ATOMIC_PARTS(SUFFIX, TEXT)                                                                            \
    LOCKSTEP_DEVICE unsigned short atomicCAS##SUFFIX(unsigned short *p, unsigned short c, unsigned short v)            \
    {                                                                                                                  \
        unsigned short old;                                                                                            \
        asm volatile("atom" TEXT ".cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(c), "h"(v) : "memory");        \
        return old;                                                                                                    \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float2 atomicAdd##SUFFIX(float2 *p, float2 v)                                                      \
    {                                                                                                                  \
        return make_float2(atomicAdd##SUFFIX(&p->x, v.x), atomicAdd##SUFFIX(&p->y, v.y));                              \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float4 atomicAdd##SUFFIX(float4 *p, float4 v)                                                      \
    {                                                                                                                  \
        return make_float4(atomicAdd##SUFFIX(&p->x, v.x), atomicAdd##SUFFIX(&p->y, v.y), atomicAdd##SUFFIX(&p->z, v.z), \
                           atomicAdd##SUFFIX(&p->w, v.w));                                                             \
    }

LOCKSTEP_ATOMIC_SCOPE(, )
LOCKSTEP_ATOMIC_SCOPE(_block, cta_)
LOCKSTEP_ATOMIC_SCOPE(_system, sys_)
LOCKSTEP_ATOMIC_PARTS(, "")
LOCKSTEP_ATOMIC_PARTS(_block, ".cta")
LOCKSTEP_ATOMIC_PARTS(_system, ".sys")
LOCKSTEP_ATOMIC_UNSIGNED(Min, min)
LOCKSTEP_ATOMIC_UNSIGNED(Max, max)
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMin_block, unsigned, "atom.cta.min.u32", "r")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMax_block, unsigned, "atom.cta.max.u32", "r")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMin_system, unsigned, "atom.sys.min.u32", "r")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMax_system, unsigned, "atom.sys.max.u32", "r")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMin_block, unsigned long long, "atom.cta.min.u64", "l")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMax_block, unsigned long long, "atom.cta.max.u64", "l")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMin_system, unsigned long long, "atom.sys.min.u64", "l")
LOCKSTEP_ATOMIC_UNSIGNED_SCOPED(atomicMax_system, unsigned long long, "atom.sys.max.u64", "l")
#undef LOCKSTEP_ATOMIC_UNSIGNED
#undef LOCKSTEP_ATOMIC_UNSIGNED_SCOPED
#undef LOCKSTEP_ATOMIC_SCOPE
#undef LOCKSTEP_ATOMIC_PARTS
#undef LOCKSTEP_ATOMIC_ORDERED
#undef LOCKSTEP_ATOMIC_BITWISE

#endif
