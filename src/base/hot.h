/* For code that works in every cycle. What nearly every step does is compiled into its one hot caller, however many
 * rare things there are beside it; and what the host will look at soon is asked for ahead of its memory. */
#ifndef LOCKSTEP_BASE_HOT_H
#define LOCKSTEP_BASE_HOT_H

/* Marks functions that most cycles call: they lie together, in few of the host's instruction cache lines. */
#define HOT __attribute__((hot))
#define HOT_INLINE static inline __attribute__((always_inline))
#define NOT_INLINE static __attribute__((noinline))
/* Marks functions that are hardly ever called: they, and the ways to them, lie apart from what cycles execute. */
#define COLD __attribute__((cold))

/* A condition that hardly ever holds in the cycles that are to be fast: what it leads to lies behind the rest of its
 * function, and does not take room between lines of the host's instruction cache that are used. */
#define RARELY(condition) __builtin_expect(!!(condition), 0)

#define CACHE_LINE 64 /* bytes, of the host: what different threads write lies in different ones */

/* From here on the compiler knows a pointer as it is, not how it was worked out, and so does not do that again wherever
 * it is used: for places in arrays of structures whose size is no power of two. */
#define WORKED_OUT(pointer) __asm__("" : "+r"(pointer))

/* The host's cache line at this place will soon be read, or written to. Any place will do, also none. */
HOT_INLINE void will_read(const void *at)
{
    __builtin_prefetch(at);
}
HOT_INLINE void will_write(const void *at)
{
    __builtin_prefetch(at, 1);
}

#endif
