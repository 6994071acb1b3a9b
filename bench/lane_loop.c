/*
 * A yardstick for the speed of the machine at hand: the inner loop that no simulator of this kind can do without. One warp
 * instruction is a call through a pointer that computes d = a * b + c for 32 lanes of a register file and keeps the
 * result where a mask says so. It leaves out everything else: fetch, scheduling, memory, timing. The quotient of this figure
 * and the simulator's says how many bare lane loops one simulated instruction costs, on any machine.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { LANES = 32, REGISTERS = 16, INSTRUCTIONS = 20000000, ROUNDS = 5 };

struct registers {
    uint32_t value[REGISTERS][LANES];
};

typedef void operation(struct registers *file, unsigned step, uint32_t mask);

static void multiply_add(struct registers *file, unsigned step, uint32_t mask)
{
    const uint32_t *a = file->value[step % REGISTERS], *b = file->value[(step + 5) % REGISTERS];
    uint32_t *d = file->value[(step + 9) % REGISTERS], result[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        result[lane] = a[lane] * b[lane] + d[lane];
    for (unsigned lane = 0; lane < LANES; lane++)
        d[lane] = mask >> lane & 1 ? result[lane] : d[lane];
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    struct registers file;
    operation *volatile chosen = multiply_add;
    double best = 0;
    uint32_t sum = 0;
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned lane = 0; lane < LANES; lane++)
            file.value[r][lane] = r * 77 + lane;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double start = seconds(), rate;
        for (unsigned i = 0; i < INSTRUCTIONS; i++)
            chosen(&file, i, i % 3 ? 0xffffffffu : 0x0f0f0f0fu);
        rate = INSTRUCTIONS / (seconds() - start);
        best = rate > best ? rate : best;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        sum += file.value[0][lane];
    printf("plain lane loop: %.1f million warp instructions/s (best of %d, checksum %08x)\n", best / 1e6, ROUNDS, (unsigned)sum);
    return 0;
}
