/* generate: writes a file of programs, or how they are to be run.
 *
 *   generate --first N --count C                the programs N .. N + C - 1, as one CUDA C++ file, on standard output
 *   generate --first N --count 1 --omit 3,17    without these statements, as counted from 0
 *   generate --first N --count 1 --statements   how many statements a program has
 *   generate --first N --count C --runs R       R configurations of each: number, kind, the refusals that are right (an
 *                                               extended regular expression), options of `lockstep run`, tabs between
 */
#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    unsigned long first, count, runs;
    const char *omit;
    bool statements;
};

static void generate(struct generator *g, uint32_t number, const char *omit)
{
    *g = (struct generator){.number = number, .omit = omit, .names = 1};
    program_text(g);
}

static void release(struct generator *g)
{
    for (size_t i = 0; i < g->text_count; i++)
        free(g->texts[i]);
    free(g->texts);
    strbuf_free(&g->out);
}

static void write_file(const struct request *q)
{
    struct strbuf list = {0};
    bool groups = false;
    for (unsigned long i = 0; i < q->count; i++)
        groups = groups || uses_groups((uint32_t)(q->first + i));
    printf("/* Generated: programs %lu to %lu of tests/generator. */\n%s#include \"program.h\"\n", q->first,
           q->first + q->count - 1, groups ? "#define USES_GROUPS\n" : "");
    for (unsigned long i = 0; i < q->count; i++) {
        struct generator g;
        generate(&g, (uint32_t)(q->first + i), q->omit);
        fputs(strbuf_text(&g.out) + (i && g.number % GROUP ? g.kernel_begins : 0), stdout);
        strbuf_addf(&list, "    PROGRAM(%u, %u, %u, %s, %s),\n", g.number, g.blocks, g.threads, g.forms & FORM_CLUSTER ? "true" : "false",
                    g.forms & FORM_EARLY ? "true" : "false");
        release(&g);
    }
    printf("#include \"harness.h\"\n#ifndef __CUDA_ARCH__\nstatic const struct program programs[] = {\n%s};\n"
           "int main(int argc, char **argv)\n{\n    return harness_main(programs, sizeof programs / sizeof "
           "programs[0], argc, argv);\n"
           "}\n#endif\n",
           strbuf_text(&list));
    strbuf_free(&list);
}

static void write_runs(const struct request *q)
{
    for (unsigned long i = 0; i < q->count; i++) {
        struct generator g;
        generate(&g, (uint32_t)(q->first + i), q->omit);
        if (q->statements)
            printf("%u\n", g.statements);
        for (unsigned long run = 0; run < q->runs; run++)
            configure(&g, (unsigned)run);
        release(&g);
    }
}

static bool number(const char *word, unsigned long *to)
{
    char *end;
    *to = strtoul(word, &end, 10);
    return *word && !*end && *to < UINT32_MAX;
}

static bool read_arguments(int argc, char **argv, struct request *q)
{
    bool good = true;
    for (int i = 1; i < argc && good; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        i++;
        if (!strcmp(option, "--first"))
            good = number(value, &q->first);
        else if (!strcmp(option, "--count"))
            good = number(value, &q->count);
        else if (!strcmp(option, "--runs"))
            good = number(value, &q->runs);
        else if (!strcmp(option, "--omit"))
            q->omit = value;
        else if (!strcmp(option, "--statements"))
            q->statements = true, i--;
        else
            good = false;
    }
    return good;
}

int main(int argc, char **argv)
{
    struct request q = {.count = 1};
    if (!read_arguments(argc, argv, &q)) {
        fputs("usage: generate [--first N] [--count C] [--omit LIST] [--statements | --runs R]\n", stderr);
        return 2;
    }
    struct strbuf omit = {0};
    if (q.omit) {
        strbuf_addf(&omit, ",%s,", q.omit);
        q.omit = strbuf_text(&omit);
    }
    if (q.runs || q.statements)
        write_runs(&q);
    else
        write_file(&q);
    strbuf_free(&omit);
    return fflush(stdout) ? 1 : 0;
}
