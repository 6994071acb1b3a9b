/* Measures three costs of this host that every simulation pays, so that speeds on different hosts can be compared: a meeting
 * of two threads (base/worker_pool.h), of which `--threads 2` has one in every window; the first touch of a page of memory; and that
 * of a huge page, where the host gives huge pages at all. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/worker_pool.h"
#include "base/host_use.h"

enum { MEETINGS = 100000, ROUNDS = 5, PAGE = 4096, HUGE_PAGE = 2 << 20, BYTES = 64 << 20 };

static void nothing(const void *order, unsigned member)
{
    (void)order, (void)member;
}

/* Nanoseconds of a round in which neither member has anything to do, the best of ROUNDS. */
static double meeting_ns(void)
{
    struct worker_pool *pool = worker_pool_create(2);
    double best = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct host_use before = host_use_now();
        for (unsigned i = 0; i < MEETINGS; i++)
            worker_pool_run(pool, nothing, &i, sizeof i);
        double ns = host_use_since(&before).seconds * 1e9 / MEETINGS;
        best = !round || ns < best ? ns : best;
    }
    worker_pool_destroy(pool);
    return best;
}

/* Touches fresh memory page by page; returns what that took. */
static struct host_use touch(int advice)
{
    char *map = mmap(NULL, BYTES + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return (struct host_use){0};
    char *start = map + -(uintptr_t)map % HUGE_PAGE;
    madvise(start, BYTES, advice);
    struct host_use before = host_use_now();
    for (size_t at = 0; at < BYTES; at += PAGE)
        *(volatile char *)(start + at) = 1;
    struct host_use use = host_use_since(&before);
    munmap(map, BYTES + HUGE_PAGE);
    return use;
}

int main(void)
{
    struct host_use small = touch(MADV_NOHUGEPAGE), huge = touch(MADV_HUGEPAGE);
    printf("a meeting of two threads: %.0f ns\n", meeting_ns());
    printf("first touch of a page: %.0f ns\n", small.seconds * 1e9 * PAGE / BYTES);
    if (huge.page_faults && huge.page_faults <= 2 * BYTES / HUGE_PAGE)
        printf("first touch of a huge page: %.0f us\n", huge.seconds * 1e6 * HUGE_PAGE / BYTES);
    else
        printf("first touch of a huge page: not given\n");
    return 0;
}
