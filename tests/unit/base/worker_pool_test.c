/* Crews: every member does every task once, and everybody sees what the others wrote before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/worker_pool.h"

#define MOST 5

struct sums {
    unsigned members;
    unsigned long turn[MOST], total[MOST];
};

/* Each member adds up what all members counted in the tasks before. */
static void count(const void *order, unsigned member)
{
    struct sums *s = *(struct sums *const *)order;
    s->turn[member]++;
    s->total[member] = 0;
}

static void add(const void *order, unsigned member)
{
    struct sums *s = *(struct sums *const *)order;
    for (unsigned i = 0; i < s->members; i++)
        s->total[member] += s->turn[i];
}

static void members_work_in_step(void **state)
{
    for (unsigned members = 1; members <= MOST; members++) {
        struct worker_pool *pool = worker_pool_create(members);
        struct sums s = {.members = worker_pool_size(pool)}, *order = &s;
        assert_int_equal(worker_pool_size(pool), members);
        for (unsigned long turn = 1; turn <= 300; turn++) {
            worker_pool_run(pool, count, &order, sizeof order);
            worker_pool_run(pool, add, &order, sizeof order);
            for (unsigned i = 0; i < members; i++)
                assert_int_equal(s.total[i], turn * members);
            if (turn % 100 == 0)
                usleep(20000); /* threads fall asleep */
        }
        worker_pool_destroy(pool);
    }
}

static void an_unused_pool_ends(void **state)
{
    worker_pool_destroy(worker_pool_create(3));
    worker_pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_work_in_step),
        cmocka_unit_test(an_unused_pool_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
