#include <stdlib.h>

int lockstep_mutant;

__attribute__((constructor(101))) static void choose(void)
{
    const char *number = getenv("LOCKSTEP_MUTANT");
    lockstep_mutant = number ? atoi(number) : 0;
}
