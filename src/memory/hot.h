/* What nearly every access or command does is compiled into its one hot caller, however many rare ones there are.
 * Private to the memory room. */
#ifndef LOCKSTEP_MEMORY_HOT_H
#define LOCKSTEP_MEMORY_HOT_H

#define HOT_INLINE static inline __attribute__((always_inline))
#define NOT_INLINE static __attribute__((noinline))

#endif
