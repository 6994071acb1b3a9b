/* Crews: every member does every task once, and everybody sees what the others wrote before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/crew.h"

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
        struct crew *crew = crew_create(members);
        struct sums s = {.members = crew_size(crew)}, *order = &s;
        assert_int_equal(crew_size(crew), members);
        for (unsigned long turn = 1; turn <= 300; turn++) {
            crew_run(crew, count, &order, sizeof order);
            crew_run(crew, add, &order, sizeof order);
            for (unsigned i = 0; i < members; i++)
                assert_int_equal(s.total[i], turn * members);
            if (turn % 100 == 0)
                usleep(20000); /* threads fall asleep */
        }
        crew_destroy(crew);
    }
}

static void an_unused_crew_ends(void **state)
{
    crew_destroy(crew_create(3));
    crew_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_work_in_step),
        cmocka_unit_test(an_unused_crew_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
