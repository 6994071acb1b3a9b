/*
 * The tests of one room: `unit_ROOM NAME` runs those of NAME_test.c.
 *
 * Each file has a main() of its own, which the build renames to main_NAME; TESTS names the generated table of them, a TEST(NAME)
 * for each file.
 */
#include <stdio.h>
#include <string.h>

#define TEST(name) int main_##name(void);
#include TESTS
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, main_##name},
#include TESTS
#undef TEST
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run();
    fprintf(stderr, "usage: %s NAME, where NAME is one of:\n", argv[0]);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        fprintf(stderr, "  %s\n", tests[i].name);
    return 2;
}
