/* __nv_atomic_*: atomic loads, stores, exchanges and operations whose order and scope are arguments, constants of the
 * program. The instruction has them in its name, so that each is written for all; the compiler keeps the one. A
 * sequentially consistent access is a fence and an acquiring access. */
#ifndef LOCKSTEP_NV_ATOMIC_H
#define LOCKSTEP_NV_ATOMIC_H

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

/* Relaxed 0, acquire 3, release 6, both 9; and 0, 1, 2 for the block, the device, the system. */
LOCKSTEP_DEVICE int lockstep_way(bool acquires, bool releases, int scope)
{
    return acquires * 3 + releases * 6 + (scope <= __NV_THREAD_SCOPE_BLOCK ? 0 : scope < __NV_THREAD_SCOPE_SYSTEM ? 1 : 2);
}
LOCKSTEP_DEVICE bool lockstep_acquires(int order)
{
    return order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE;
}
LOCKSTEP_DEVICE bool lockstep_releases(int order)
{
    return order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL;
}
/* CASE(order and scope, further words) */
#define LOCKSTEP_SCOPES(FIRST, ORDER, CASE, ...)                                                                       \
    case FIRST:                                                                                                        \
        CASE(ORDER ".cta", __VA_ARGS__);                                                                               \
        break;                                                                                                         \
    case FIRST + 1:                                                                                                    \
        CASE(ORDER ".gpu", __VA_ARGS__);                                                                               \
        break;                                                                                                         \
    case FIRST + 2:                                                                                                    \
        CASE(ORDER ".sys", __VA_ARGS__);                                                                               \
        break;

#define LOCKSTEP_FENCE(HOW, NONE) asm volatile("fence." HOW ";" ::: "memory")
LOCKSTEP_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD)
        return;
    switch (lockstep_way(order == __NV_ATOMIC_SEQ_CST, false, scope)) {
        LOCKSTEP_SCOPES(0, "acq_rel", LOCKSTEP_FENCE, )
        LOCKSTEP_SCOPES(3, "sc", LOCKSTEP_FENCE, )
    }
}
#undef LOCKSTEP_FENCE
LOCKSTEP_DEVICE void lockstep_order_before(int order, int scope)
{
    if (order == __NV_ATOMIC_SEQ_CST)
        __nv_atomic_thread_fence(order, scope);
}

/* ---- instructions, by the type T of what is in memory and R of what is in the register of kind K ---- */
#define LOCKSTEP_LOAD(HOW, TEXT, K) asm volatile("ld." HOW "." TEXT " %0, [%1];" : "=" K(r) : "l"(p) : "memory")
#define LOCKSTEP_STORE(HOW, TEXT, K) asm volatile("st." HOW "." TEXT " [%0], %1;" ::"l"(p), K(r) : "memory")
#define LOCKSTEP_ACCESS(T, R, TEXT, K)                                                                                 \
    LOCKSTEP_DEVICE void lockstep_nv_load(const T *p, T *to, int order, int scope)                                     \
    {                                                                                                                  \
        R r = 0;                                                                                                       \
        lockstep_order_before(order, scope);                                                                           \
        switch (lockstep_way(lockstep_acquires(order), false, scope)) {                                                \
            LOCKSTEP_SCOPES(0, "relaxed", LOCKSTEP_LOAD, TEXT, K)                                                      \
            LOCKSTEP_SCOPES(3, "acquire", LOCKSTEP_LOAD, TEXT, K)                                                      \
        }                                                                                                              \
        *to = (T)r;                                                                                                    \
    }                                                                                                                  \
    LOCKSTEP_DEVICE void lockstep_nv_store(T *p, T v, int order, int scope)                                            \
    {                                                                                                                  \
        const R r = v;                                                                                                 \
        lockstep_order_before(order, scope);                                                                           \
        switch (lockstep_way(false, order != __NV_ATOMIC_RELAXED, scope)) {                                            \
            LOCKSTEP_SCOPES(0, "relaxed", LOCKSTEP_STORE, TEXT, K)                                                     \
            LOCKSTEP_SCOPES(6, "release", LOCKSTEP_STORE, TEXT, K)                                                     \
        }                                                                                                              \
    }
LOCKSTEP_ACCESS(unsigned char, unsigned short, "u8", "h")
LOCKSTEP_ACCESS(unsigned short, unsigned short, "u16", "h")
LOCKSTEP_ACCESS(unsigned, unsigned, "u32", "r")
LOCKSTEP_ACCESS(unsigned long long, unsigned long long, "u64", "l")
#undef LOCKSTEP_ACCESS
#undef LOCKSTEP_LOAD
#undef LOCKSTEP_STORE

#define LOCKSTEP_ORDERS(CASE, TEXT, K)                                                                                 \
    lockstep_order_before(order, scope);                                                                               \
    switch (lockstep_way(lockstep_acquires(order), lockstep_releases(order), scope)) {                                 \
        LOCKSTEP_SCOPES(0, "relaxed", CASE, TEXT, K)                                                                   \
        LOCKSTEP_SCOPES(3, "acquire", CASE, TEXT, K)                                                                   \
        LOCKSTEP_SCOPES(6, "release", CASE, TEXT, K)                                                                   \
        LOCKSTEP_SCOPES(9, "acq_rel", CASE, TEXT, K)                                                                   \
    }
#define LOCKSTEP_ATOM(HOW, TEXT, K)                                                                                    \
    asm volatile("atom." HOW "." TEXT " %0, [%1], %2;" : "=" K(old) : "l"(p), K(v) : "memory")
#define LOCKSTEP_CAS(HOW, TEXT, K)                                                                                     \
    asm volatile("atom." HOW ".cas." TEXT " %0, [%1], %2, %3;" : "=" K(old) : "l"(p), K(c), K(v) : "memory")
#define LOCKSTEP_OPERATION(NAME, T, TEXT, K)                                                                           \
    LOCKSTEP_DEVICE T lockstep_nv_##NAME(T *p, T v, int order, int scope)                                              \
    {                                                                                                                  \
        T old = v;                                                                                                     \
        LOCKSTEP_ORDERS(LOCKSTEP_ATOM, TEXT, K)                                                                        \
        return old;                                                                                                    \
    }
#define LOCKSTEP_EXCHANGE(T, TEXT, K)                                                                                  \
    LOCKSTEP_DEVICE T lockstep_nv_cas(T *p, T c, T v, int order, int scope)                                            \
    {                                                                                                                  \
        T old = v;                                                                                                     \
        LOCKSTEP_ORDERS(LOCKSTEP_CAS, TEXT, K)                                                                         \
        return old;                                                                                                    \
    }
LOCKSTEP_EXCHANGE(unsigned short, "b16", "h")
LOCKSTEP_EXCHANGE(unsigned, "b32", "r")
LOCKSTEP_EXCHANGE(unsigned long long, "b64", "l")
#undef LOCKSTEP_EXCHANGE
LOCKSTEP_OPERATION(exchange, unsigned, "exch.b32", "r")
LOCKSTEP_OPERATION(exchange, unsigned long long, "exch.b64", "l")
LOCKSTEP_OPERATION(add, int, "add.s32", "r")
LOCKSTEP_OPERATION(add, unsigned, "add.u32", "r")
LOCKSTEP_OPERATION(add, long long, "add.u64", "l")
LOCKSTEP_OPERATION(add, unsigned long long, "add.u64", "l")
LOCKSTEP_OPERATION(add, float, "add.f32", "f")
LOCKSTEP_OPERATION(add, double, "add.f64", "d")
#define LOCKSTEP_ORDERED(NAME)                                                                                         \
    LOCKSTEP_OPERATION(NAME, int, #NAME ".s32", "r")                                                                   \
    LOCKSTEP_OPERATION(NAME, unsigned, #NAME ".u32", "r")                                                              \
    LOCKSTEP_OPERATION(NAME, long long, #NAME ".s64", "l")                                                             \
    LOCKSTEP_OPERATION(NAME, unsigned long long, #NAME ".u64", "l")
#define LOCKSTEP_BITWISE(NAME)                                                                                         \
    LOCKSTEP_OPERATION(NAME, int, #NAME ".b32", "r")                                                                   \
    LOCKSTEP_OPERATION(NAME, unsigned, #NAME ".b32", "r")                                                              \
    LOCKSTEP_OPERATION(NAME, long long, #NAME ".b64", "l")                                                             \
    LOCKSTEP_OPERATION(NAME, unsigned long long, #NAME ".b64", "l")
LOCKSTEP_ORDERED(min)
LOCKSTEP_ORDERED(max)
LOCKSTEP_BITWISE(and)
LOCKSTEP_BITWISE(or)
LOCKSTEP_BITWISE(xor)
#undef LOCKSTEP_ORDERED
#undef LOCKSTEP_BITWISE
#undef LOCKSTEP_OPERATION
#undef LOCKSTEP_ATOM
#undef LOCKSTEP_CAS
#undef LOCKSTEP_ORDERS
#undef LOCKSTEP_SCOPES

/* ---- the functions, on every type of the right size ---- */
template <class T> LOCKSTEP_DEVICE T lockstep_nv_minus(T v)
{
    return (T)(0 - v);
}
LOCKSTEP_DEVICE int lockstep_nv_minus(int v)
{
    return (int)(0u - (unsigned)v);
}
LOCKSTEP_DEVICE long long lockstep_nv_minus(long long v)
{
    return (long long)(0ull - (unsigned long long)v);
}
/* A type of that size with an instruction: KIND 0 is unsigned, 1 signed, 2 floating. */
template <int SIZE, int KIND> struct lockstep_nv_word;
#define LOCKSTEP_WORD(SIZE, KIND, T)                                                                                   \
    template <> struct lockstep_nv_word<SIZE, KIND> {                                                                     \
        typedef T type;                                                                                                \
    };
LOCKSTEP_WORD(1, 0, unsigned char)
LOCKSTEP_WORD(2, 0, unsigned short)
LOCKSTEP_WORD(4, 0, unsigned)
LOCKSTEP_WORD(4, 1, int)
LOCKSTEP_WORD(4, 2, float)
LOCKSTEP_WORD(8, 0, unsigned long long)
LOCKSTEP_WORD(8, 1, long long)
LOCKSTEP_WORD(8, 2, double)
#undef LOCKSTEP_WORD
template <class T> struct __x_of {
    typedef typename lockstep_nv_word<sizeof(T), 0>::type type;
};
template <class T> struct lockstep_number_of {
    typedef typename lockstep_nv_word<sizeof(T), (T)0.5 != (T)0 ? 2 : (T)-1 < (T)0 ? 1 : 0>::type type;
};

template <class T>
LOCKSTEP_DEVICE void __nv_atomic_load(const T *p, T *to, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename __x_of<T>::type word;
    lockstep_nv_load((const word *)p, (word *)to, order, scope);
}
template <class T> LOCKSTEP_DEVICE T __nv_atomic_load_n(const T *p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T value;
    __nv_atomic_load(p, &value, order, scope);
    return value;
}
template <class T>
LOCKSTEP_DEVICE void __nv_atomic_store(T *p, const T *from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename __x_of<T>::type word;
    lockstep_nv_store((word *)p, *(const word *)from, order, scope);
}
template <class T, class U>
LOCKSTEP_DEVICE void __nv_atomic_store_n(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    const T v = (T)value;
    __nv_atomic_store(p, &v, order, scope);
}
template <class T>
LOCKSTEP_DEVICE void __nv_atomic_exchange(T *p, const T *from, T *to, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename __x_of<T>::type word;
    *(word *)to = lockstep_nv_exchange((word *)p, *(const word *)from, order, scope);
}
template <class T, class U>
LOCKSTEP_DEVICE T __nv_atomic_exchange_n(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T v = (T)value;
    __nv_atomic_exchange(p, &v, &v, order, scope);
    return v;
}
/* True when *p was *expected and is *desired now; else *expected is what *p was. One instruction stands for success and
 * for failure, so that it takes the stronger order. */
template <class T>
LOCKSTEP_DEVICE bool __nv_atomic_compare_exchange(T *p, T *expected, const T *desired, bool weak, int success,
                                                  int failure, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename __x_of<T>::type word;
    const word c = *(word *)expected;
    const int order = success == __NV_ATOMIC_RELEASE && failure != __NV_ATOMIC_RELAXED ? __NV_ATOMIC_ACQ_REL
                      : success < failure                                             ? failure
                                                                                      : success;
    const word old = lockstep_nv_cas((word *)p, c, *(const word *)desired, order, scope);
    (void)weak;
    *(word *)expected = old;
    return old == c;
}
template <class T, class U>
LOCKSTEP_DEVICE bool __nv_atomic_compare_exchange_n(T *p, T *expected, U desired, bool weak, int success, int failure,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    const T v = (T)desired;
    return __nv_atomic_compare_exchange(p, expected, &v, weak, success, failure, scope);
}
#define LOCKSTEP_FETCH(NAME, OPERATION, VALUE)                                                                         \
    template <class T, class U>                                                                                        \
    LOCKSTEP_DEVICE T __nv_atomic_fetch_##NAME(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)         \
    {                                                                                                                  \
        typedef typename lockstep_number_of<T>::type number;                                                           \
        const number v = (number)(T)value;                                                                             \
        return (T)lockstep_nv_##OPERATION((number *)p, VALUE, order, scope);                                           \
    }                                                                                                                  \
    template <class T, class U>                                                                                        \
    LOCKSTEP_DEVICE void __nv_atomic_##NAME(T *p, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)            \
    {                                                                                                                  \
        __nv_atomic_fetch_##NAME(p, value, order, scope);                                                              \
    }
LOCKSTEP_FETCH(add, add, v)
LOCKSTEP_FETCH(sub, add, lockstep_nv_minus(v))
LOCKSTEP_FETCH(min, min, v)
LOCKSTEP_FETCH(max, max, v)
LOCKSTEP_FETCH(and, and, v)
LOCKSTEP_FETCH(or, or, v)
LOCKSTEP_FETCH(xor, xor, v)
#undef LOCKSTEP_FETCH

#endif
