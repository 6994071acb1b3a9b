/* Programs and data of public suites, which a user has and we do not ship: `lockstep study NAME --programs DIR`.
 *
 *     SP.sdk:
 *       suite: {sources: [scalarProd/scalarProd.cu, scalarProd/scalarProd_cpu.cpp], include: Common, define: [N=4],
 *         expects: "Test passed"}
 *     BT.rodinia:
 *       suite: {binary: bin/b+tree, writes: output.txt, output: b+tree/expected.txt}
 *       full: "file {programs}/data/mil.txt"
 *     own: {program: graph, full: "--file {programs}/USA-road-d.NY.gr"}
 *
 * A benchmark is absent where DIR was not given, or lacks a file that it needs: it is not run, and what rests on it is
 * not judged. Every path is one below DIR, also behind links. Such a program works in a folder of its own, and its
 * result counts if its output is the expected one. What identifies its runs beside their configuration is the content
 * of these files, with all code beside the sources and in the folders of include. A reader of the results need not have
 * them, so that it stands beside the key, not in it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/study/plan.h"

static const char place[] = "{programs}";

/* Absolute paths, and those with an empty, "." or ".." component, are none below DIR. */
static bool is_below(const char *path)
{
    for (const char *at = path;; at++) {
        size_t n = strcspn(at, "/");
        if (n == 0 || (n == 1 && *at == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
            return false;
        at += n;
        if (!*at)
            return true;
    }
}

/* The paths of a benchmark are checked and noted one after the other. */
struct gathering {
    struct plan *p;
    struct study_benchmark *benchmark;
    uint64_t content;
};

static void add_file(uint64_t *content, const char *path)
{
    struct strbuf text = {0};
    file_load(path, FILE_NO_BOUND, &text); /* one that cannot be read is missed when it is built or run */
    *content = hash_add(*content, hash_bytes(strbuf_text(&text), text.length));
    strbuf_free(&text);
}

/* A source, or what one may include. */
static bool is_text_of_code(const char *name)
{
    static const char *const endings[] = {"h", "hh", "hpp", "hxx", "cuh", "cu", "c", "cc", "cpp", "inl", "inc"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot + 1, endings[i]))
            return true;
    return false;
}

enum { DEEPEST = 6 };

/* All code in a folder and those in it: what a source includes is among it. Links are not followed. */
static void add_folder(struct study *study, uint64_t *content, const char *path, unsigned depth)
{
    struct dirent **names = NULL;
    int count = depth < DEEPEST ? scandir(path, &names, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name, *full = arena_printf(&study->arena, "%s/%s", path, name);
        struct stat info;
        if (name[0] != '.' && lstat(full, &info) == 0) {
            if (S_ISDIR(info.st_mode))
                add_folder(study, content, full, depth + 1);
            else if (S_ISREG(info.st_mode) && is_text_of_code(name))
                add_file(content, full);
        }
        free(names[i]);
    }
    free(names);
}

/* Looks whether a file or folder is there, and below DIR when links are followed. */
static int look(struct gathering *g, const struct yaml_node *node, const char *path)
{
    struct study *study = g->p->study;
    if (!is_below(path))
        return yaml_error(&g->p->doc, node, study->sink, "a path below the folder of --programs",
                          "'%s' leaves the folder of programs", path);
    if (!study->programs) {
        g->benchmark->absent = "it needs --programs";
        return 0;
    }
    const char *full = arena_printf(&study->arena, "%s/%s", study->programs, path);
    char *real = realpath(full, NULL);
    size_t n = strlen(study->programs);
    bool outside = real && (strncmp(real, study->programs, n) || real[n] != '/');
    struct stat info;
    if (!real && !g->benchmark->absent)
        g->benchmark->absent = arena_printf(&study->arena, "%s is not there", path);
    else if (real && !outside && stat(real, &info) == 0 && S_ISDIR(info.st_mode))
        add_folder(study, &g->content, real, 0);
    else if (real && !outside)
        add_file(&g->content, real);
    free(real);
    if (outside)
        return yaml_error(&g->p->doc, node, study->sink, "a path below the folder of --programs, behind links too",
                          "'%s' leads out of the folder of programs", path);
    return 0;
}

/* The texts under a key of `suite`, each a path; an empty list where there is no such key. NULL with a diagnostic. */
static const char *const *read_paths(struct gathering *g, const struct yaml_node *suite, const char *key)
{
    static const char *const none[] = {NULL};
    const struct yaml_node *node = yaml_get(suite, key), *at = node;
    const char *const *paths = node ? plan_texts(g->p, node) : none;
    int rc = paths ? 0 : -1;
    if (node && node->kind == YAML_SEQUENCE)
        at = node->children;
    for (unsigned i = 0; rc == 0 && paths[i]; i++, at = at->next)
        rc = look(g, at, paths[i]);
    return rc == 0 ? paths : NULL;
}

/* Files beside the sources belong to them. */
static void add_neighbours(struct gathering *g, const char *const *sources)
{
    struct study *study = g->p->study;
    for (; *sources && !g->benchmark->absent; sources++) {
        const char *slash = strrchr(*sources, '/');
        int n = slash ? (int)(slash - *sources) : 0;
        add_folder(study, &g->content, arena_printf(&study->arena, "%s/%.*s", study->programs, n, *sources), 0);
    }
}

static int read_path(struct gathering *g, const struct yaml_node *suite, const char *key, const char **path)
{
    *path = plan_text(g->p, suite, key, "");
    if (!*path)
        return -1;
    return **path ? look(g, yaml_get(suite, key), *path) : 0;
}

static int check_defines(struct plan *p, const struct yaml_node *suite, const char *const *defines)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.-";
    for (; *defines; defines++)
        if (!**defines || (*defines)[strspn(*defines, word)])
            return yaml_error(&p->doc, yaml_get(suite, "define"), p->study->sink, "NAME or NAME=VALUE",
                              "'%s' defines nothing", *defines);
    return 0;
}

static int check_suite(struct plan *p, const struct yaml_node *node, const struct study_suite *s)
{
    if (!*s->sources == !*s->binary)
        return plan_error(p, node, "a program of a suite has sources, or a binary");
    if (*s->binary && (*s->include || *s->define))
        return plan_error(p, node, "a binary is not built: include and define are those of sources");
    if (cli_is_case(*s->binary ? s->binary : *s->sources))
        return plan_error(p, node, "a launch file is no program of a suite");
    if (!*s->expects && !*s->output)
        return yaml_error(&p->doc, node, p->study->sink, "expects: a text that it prints; output: a file",
                          "a program of a suite needs to be checked");
    if (*s->writes && (!*s->output || strchr(s->writes, '/') || *s->writes == '.'))
        return plan_error(p, yaml_get(node, "writes"),
                          "writes: the plain name of the file that is compared with that of output");
    return 0;
}

/* The line by which it is built, as its name: equal ones are one program. */
static const char *name_of(struct study *study, const struct study_suite *s)
{
    struct strbuf name = {0};
    for (const char *const *i = s->sources; *i; i++)
        strbuf_addf(&name, "%s%s/%s", name.length ? " " : "", place, *i);
    for (const char *const *i = s->include; *i; i++)
        strbuf_addf(&name, " -I%s/%s", place, *i);
    for (const char *const *i = s->define; *i; i++)
        strbuf_addf(&name, " -D%s", *i);
    if (*s->binary)
        strbuf_addf(&name, "%s/%s", place, s->binary);
    const char *text = arena_strdup(&study->arena, strbuf_text(&name));
    strbuf_free(&name);
    return text;
}

static int read_suite(struct gathering *g, const struct yaml_node *node)
{
    static const char *const keys[] = {"sources", "include", "define", "binary", "expects", "output", "writes", NULL};
    static const char *const none[] = {NULL};
    struct plan *p = g->p;
    struct study_suite *s = ARENA_NEW(&p->study->arena, struct study_suite, 1);
    const struct yaml_node *define;
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    define = yaml_get(node, "define");
    s->sources = read_paths(g, node, "sources");
    s->include = read_paths(g, node, "include");
    s->define = define ? plan_texts(p, define) : none;
    s->expects = plan_text(p, node, "expects", "");
    s->writes = plan_text(p, node, "writes", "");
    if (!s->sources || !s->include || !s->define || !s->expects || !s->writes ||
        read_path(g, node, "binary", &s->binary) < 0)
        return -1;
    add_neighbours(g, s->sources);
    s->code = g->content;
    if (read_path(g, node, "output", &s->output) < 0)
        return -1;
    g->benchmark->suite = s;
    g->benchmark->program = name_of(p->study, s);
    return check_defines(p, node, s->define) < 0 || check_suite(p, node, s) < 0 ? -1 : 0;
}

/* The files that arguments name: each {programs}/PATH up to a blank. */
static int read_arguments(struct gathering *g, const struct yaml_node *node)
{
    for (const char *at = g->benchmark->arguments; (at = strstr(at, place));) {
        at += sizeof place - 1;
        if (*at != '/')
            return yaml_error(&g->p->doc, node, g->p->study->sink, "{programs}/PATH",
                              "%s stands before the path of a file", place);
        size_t n = strcspn(at + 1, " ");
        if (look(g, node, arena_strndup(&g->p->study->arena, at + 1, n)) < 0)
            return -1;
        at += 1 + n;
    }
    return 0;
}

int plan_read_suite(struct plan *p, const struct yaml_node *node, struct study_benchmark *benchmark)
{
    struct gathering g = {.p = p, .benchmark = benchmark};
    const struct yaml_node *suite = yaml_get(node, "suite");
    if (suite && yaml_get(node, "program"))
        return plan_error(p, suite, "a benchmark has a program, or one of a suite");
    if ((suite && read_suite(&g, suite) < 0) ||
        read_arguments(&g, yaml_get(node, p->study->quick ? "quick" : "full")) < 0)
        return -1;
    if (!benchmark->absent && (suite || strstr(benchmark->arguments, place)))
        benchmark->content = arena_printf(&p->study->arena, "%016llx", (unsigned long long)g.content);
    return 0;
}

int study_choose_programs(struct study *study, const char *folder)
{
    struct stat info;
    char *real = folder ? realpath(folder, NULL) : NULL;
    if (!folder)
        return 0;
    bool good = real && stat(real, &info) == 0 && S_ISDIR(info.st_mode) && real[1];
    study->programs = good ? arena_strdup(&study->arena, real) : NULL;
    free(real);
    return good ? 0 : diag_error(study->sink, DIAG_NOWHERE, NULL, "--programs: %s is no folder of programs", folder);
}

/* The command that is run. */

const char *study_below_programs(struct study *study, const char *text)
{
    struct strbuf out = {0};
    for (const char *at; (at = strstr(text, place)); text = at + sizeof place - 1) {
        strbuf_addn(&out, text, (size_t)(at - text));
        strbuf_add(&out, study->programs ? study->programs : place);
    }
    strbuf_add(&out, text);
    const char *copy = arena_strdup(&study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return copy;
}

void study_suite_words(struct study *study, const struct study_suite *s, struct process_words *words)
{
    for (const char *const *i = s->sources; *i; i++)
        process_word(words, arena_printf(&study->arena, "%s/%s", study->programs, *i));
    for (const char *const *i = s->include; *i; i++)
        process_word(words, arena_printf(&study->arena, "-I%s/%s", study->programs, *i));
    for (const char *const *i = s->define; *i; i++)
        process_word(words, arena_printf(&study->arena, "-D%s", *i));
}

const char *study_absolute(struct study *study, const char *path)
{
    char *real = realpath(path, NULL);
    const char *copy = arena_strdup(&study->arena, real ? real : path);
    free(real);
    return copy;
}

/* True if both files can be read and are equal. */
static bool same_text(const char *a, const char *b)
{
    struct strbuf one = {0}, two = {0};
    bool same = file_load(a, FILE_TEXT_MOST, &one) == 0 && file_load(b, FILE_TEXT_MOST, &two) == 0 &&
                one.length == two.length && (!one.length || memcmp(one.text, two.text, one.length) == 0);
    strbuf_free(&one);
    strbuf_free(&two);
    return same;
}

static bool prints(const char *path, const char *expected)
{
    struct strbuf text = {0};
    bool found = file_load(path, FILE_TEXT_MOST, &text) == 0 && strstr(strbuf_text(&text), expected);
    strbuf_free(&text);
    return found;
}

const char *study_suite_doubt(struct study *study, const struct study_suite *s, const char *output, const char *folder)
{
    const char *written = *s->writes ? arena_printf(&study->arena, "%s/%s", folder, s->writes) : output;
    if (*s->expects && !prints(output, s->expects))
        return arena_printf(&study->arena, "it did not print the expected '%s'", s->expects);
    if (*s->output && !same_text(written, arena_printf(&study->arena, "%s/%s", study->programs, s->output)))
        return arena_printf(&study->arena, "%s differs from the expected %s",
                            *s->writes ? s->writes : "what it printed", s->output);
    return NULL;
}

/* Counts. */

bool study_is_absent(const struct study *study, size_t execution)
{
    const struct study_execution *e = &study->executions.items[execution];
    return e->absent && !e->stored && e->state == STUDY_NOT_RUN;
}

size_t study_count_absent(const struct study *study)
{
    size_t count = 0;
    for (size_t i = 0; i < study->executions.count; i++)
        count += study_is_absent(study, i);
    return count;
}

bool study_is_due(const struct study *study, size_t execution)
{
    const struct study_execution *e = &study->executions.items[execution];
    return !e->stored && !e->absent && study_is_mine(study, execution);
}
