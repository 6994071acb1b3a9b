/* Reads the programs of mbarrier.def. */
#include <string.h>

#include "check/mbarrier_model.h"

static const struct row {
    const char *name, *threads;
    uint32_t arrivals[MBARRIER_OBJECTS];
} rows[] = {
#define MBARRIER(name, first, second, threads, doc) {#name, threads, {first, second}},
#include "check/mbarrier.def"
#undef MBARRIER
};

const struct checker_program_name mbarrier_programs[] = {
#define MBARRIER(name, first, second, threads, doc) {#name, "mbarrier", doc, 0},
#include "check/mbarrier.def"
#undef MBARRIER
    {NULL, NULL, NULL, 0},
};

static const char *const words[MBARRIER_WORD_KINDS] = {
    [MBARRIER_ARRIVE] = "arrive", [MBARRIER_ARRIVE_TX] = "arrive_tx", [MBARRIER_EXPECT] = "expect",
    [MBARRIER_COPY] = "copy",     [MBARRIER_REMOTE] = "remote",       [MBARRIER_TAKE] = "take",
    [MBARRIER_NOINC] = "noinc",   [MBARRIER_DROP] = "drop",           [MBARRIER_WAIT] = "wait",
    [MBARRIER_TOKEN] = "token",   [MBARRIER_PRIOR] = "prior"};

/* The word at `at`; returns the text behind it. The table's rows are right: tests read all of them. */
static const char *read_word(const char *at, struct mbarrier_word *word)
{
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    unsigned number = 0;
    *word = (struct mbarrier_word){0};
    while (word->kind < MBARRIER_WORD_KINDS - 1 &&
           (strlen(words[word->kind]) != length || memcmp(words[word->kind], at, length) != 0))
        word->kind++;
    at += length;
    word->object = (uint8_t)(*at++ - '0');
    while ((*at == ':' || *at == '+') && number < MBARRIER_PIECES) {
        word->numbers[number++] = (uint8_t)(at[1] - '0');
        at += 2;
    }
    return at;
}

static void read_threads(const char *at, struct mbarrier_program *program)
{
    program->threads = 1;
    while (*at) {
        unsigned thread = program->threads - 1;
        if (*at == '|')
            program->threads++;
        if (*at == '|' || *at == ' ') {
            at++;
            continue;
        }
        contract(program->counts[thread] < MBARRIER_WORDS && program->threads <= MBARRIER_THREADS);
        at = read_word(at, &program->words[thread][program->counts[thread]++]);
    }
}

int mbarrier_read_program(const char *name, struct mbarrier_program *program, struct diag_sink *sink)
{
    *program = (struct mbarrier_program){0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        memcpy(program->arrivals, rows[i].arrivals, sizeof program->arrivals);
        read_threads(rows[i].threads, program);
        return 0;
    }
    return diag_error(sink, DIAG_NOWHERE, "lockstep check --help lists them",
                      "there is no program of mbarriers named %s", name);
}
