/* Values of arrays whose sizes are known when the program runs (`int a[n] = {1, 2};`), which g++ takes: `lockstep cc`
 * rewrites them. */
#ifndef LOCKSTEP_SIZED_H
#define LOCKSTEP_SIZED_H

/* The first elements get the values, the others a value of none. */
template <class T, class... V> inline void lockstep_set_elements(T *to, __SIZE_TYPE__ count, const V &...values)
{
    const T given[sizeof...(V) + 1] = {T(values)..., T()};
    for (__SIZE_TYPE__ i = 0; i < count; i++)
        to[i] = i < sizeof...(V) ? given[i] : T();
}

#endif
