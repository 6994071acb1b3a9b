/* How much a test of many cases tries. Builds with sanitizers take many times as long, and look for faults of memory
 * that a share of the cases shows as well as all. What all the cases compute is checked by the release build: by `make test` where
 * the test is run there (tests/CMakeLists.txt), else by `make test-long`. */
#ifndef LOCKSTEP_TESTS_EFFORT_H
#define LOCKSTEP_TESTS_EFFORT_H

#include <stdlib.h>

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#else
#define THREAD_SANITIZED 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || THREAD_SANITIZED
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* The step of a loop over cases: `usual`, or `sanitized` in a build with sanitizers; 1, that is all of them, when
 * LOCKSTEP_LONG is set. */
static inline unsigned effort_steps(unsigned usual, unsigned sanitized)
{
    return getenv("LOCKSTEP_LONG") ? 1 : SANITIZED ? sanitized : usual;
}

/* effort_steps for a loop of which the release build always takes all cases. */
static inline unsigned effort_step(unsigned sanitized)
{
    return effort_steps(1, sanitized);
}

#endif
