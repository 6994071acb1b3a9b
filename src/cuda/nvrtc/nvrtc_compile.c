/* Compiling a program of NVRTC's by `lockstep cc --ptx`, which lies beside the library's folder, in a directory of its
 * own. A name expression becomes a constant in device memory that points to what it names: the PTX has the name then,
 * and that line is taken out again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, nftw, environ */
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "cuda/nvrtc/nvrtc.h"

#define MARK "lockstep_nvrtc_name_"

/* One compilation. */
struct compilation {
    nvrtcProgram program;
    struct arena arena;
    char *folder;
    const char *source, *ptx, *log; /* files there */
    bool is_for_device;             /* functions that say nothing of where they run are for the device */
    VEC(const char *) words;
};

static void add_name(size_t number, const char *expression, struct strbuf *to)
{
    strbuf_addf(to,
                "\n#line %zu \"name_expression\"\n"
                "extern \"C\" __device__ __attribute__((used)) const void *const " MARK "%zu = (const void *)(%s);\n",
                number + 1, number, expression);
}

/* The text that is compiled: messages name the program as the user did. */
static int write_source(struct compilation *c)
{
    const struct _nvrtcProgram *p = c->program;
    struct strbuf text = {0};
    if (c->is_for_device)
        strbuf_add(&text, "#pragma clang force_cuda_host_device begin\n");
    strbuf_add(&text, "#line 1 \"");
    for (const char *at = p->name; *at; at++)
        strbuf_addf(&text, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    strbuf_addf(&text, "\"\n%s\n", p->source);
    if (c->is_for_device)
        strbuf_add(&text, "#pragma clang force_cuda_host_device end\n");
    for (size_t i = 0; i < p->names.count; i++) /* &f is a kernel as f is */
        add_name(i, p->names.items[i].expression, &text);
    int failed = file_store(c->source, strbuf_text(&text), text.length, 0600);
    strbuf_free(&text);
    return failed;
}

/* Makes the folders on the way to a file. */
static void make_way(char *path, size_t from)
{
    for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static int write_headers(struct compilation *c)
{
    int failed = 0;
    for (size_t i = 0; i < c->program->headers.count && !failed; i++) {
        const struct nvrtc_header *header = &c->program->headers.items[i];
        char *path = arena_printf(&c->arena, "%s/include/%s", c->folder, header->name);
        make_way(path, strlen(c->folder) + 1);
        failed = file_store(path, header->text, strlen(header->text), 0600);
    }
    return failed;
}

/* Options of NVRTC's that mean nothing here. */
static bool is_idle(const char *option)
{
    static const char *const heads[] = {"--builtin-",
                                        "-builtin-",
                                        "--extra-device-vectorization",
                                        "-extra-device-vectorization",
                                        "--dopt",
                                        "-dopt",
                                        "--no-source-include",
                                        "-no-source-include",
                                        "--minimal",
                                        "-minimal",
                                        "--no-cache",
                                        "-no-cache",
                                        "--pch",
                                        "-pch",
                                        "--create-pch",
                                        "-create-pch"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(option, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* The words of the command: what NVRTC takes is nvcc's, but for a few. */
static void push_words(struct compilation *c, const char *lockstep, int count, const char *const *options)
{
    const char *slash = strrchr(c->program->name, '/');
    vec_push(&c->words, lockstep);
    vec_push(&c->words, "cc");
    vec_push(&c->words, "--ptx");
    vec_push(&c->words, "-D__CUDACC_RTC__");
    for (int i = 0; i < count; i++) {
        const char *option = options[i];
        option += strspn(option, " ");
        if (strstr(option, "-default-device") || strstr(option, "-device-as-default-execution-space"))
            c->is_for_device = true;
        else if (*option && !is_idle(option))
            vec_push(&c->words, option);
    }
    vec_push(&c->words, arena_printf(&c->arena, "-I%s/include", c->folder));
    vec_push(&c->words,
             slash ? arena_printf(&c->arena, "-I%.*s", (int)(slash - c->program->name), c->program->name) : "-I.");
    vec_push(&c->words, c->source);
    vec_push(&c->words, "-o");
    vec_push(&c->words, c->ptx);
    vec_push(&c->words, NULL);
}

/* Runs the command, which writes to the log. Its exit code, or -1 when it has none. */
static int run(const struct compilation *c)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, c->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    if (posix_spawn(&child, c->words.items[0], &files, NULL, (char *const *)c->words.items, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && status == -1)
            ;
    posix_spawn_file_actions_destroy(&files);
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* `.visible .const .align 8 .u64 lockstep_nvrtc_name_3 = generic(_Z1vE);` */
static void take_name(nvrtcProgram program, const char *line, size_t length)
{
    const char *mark = memmem(line, length, MARK, strlen(MARK)), *end = line + length;
    char *behind;
    const size_t number = strtoul(mark + strlen(MARK), &behind, 10);
    if (number >= program->names.count || behind + 3 > end || strncmp(behind, " = ", 3) != 0)
        return;
    const char *name = behind + 3;
    if (strncmp(name, "generic(", 8) == 0)
        name += 8;
    const size_t n = strcspn(name, ");");
    char **lowered = &program->names.items[number].lowered;
    free(*lowered);
    *lowered = base_calloc(n + 1, 1);
    memcpy(*lowered, name, n);
}

/* Takes the names out of the PTX, and keeps the rest. */
static nvrtcResult read_ptx(struct compilation *c)
{
    struct strbuf text = {0};
    if (file_load(c->ptx, FILE_NO_BOUND, &text))
        return NVRTC_ERROR_INTERNAL_ERROR;
    for (const char *line = strbuf_text(&text); *line;) {
        const size_t n = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        if (memmem(line, n, MARK, strlen(MARK)) && *line == '.')
            take_name(c->program, line, n);
        else
            strbuf_addn(&c->program->ptx, line, n);
        line += n;
    }
    strbuf_free(&text);
    return NVRTC_SUCCESS;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st, (void)type, (void)place;
    remove(path);
    return 0;
}

/* The program lockstep, from where this library lies; NULL: it is not there. */
static const char *find_lockstep(struct arena *arena)
{
    Dl_info info;
    char *real = dladdr((void *)(uintptr_t)&nvrtcVersion, &info) ? realpath(info.dli_fname, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    const char *path = slash ? arena_printf(arena, "%.*s/../../bin/lockstep", (int)(slash - real), real) : NULL;
    free(real);
    return path && access(path, X_OK) == 0 ? path : NULL;
}

static nvrtcResult compile(struct compilation *c, int count, const char *const *options)
{
    const char *lockstep = find_lockstep(&c->arena);
    if (!lockstep) {
        strbuf_add(&c->program->log, "error: there is no bin/lockstep beside the folder of libnvrtc, which compiles\n");
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    c->source = arena_printf(&c->arena, "%s/program.cu", c->folder);
    c->ptx = arena_printf(&c->arena, "%s/program.ptx", c->folder);
    c->log = arena_printf(&c->arena, "%s/log", c->folder);
    push_words(c, lockstep, count, options);
    if (write_source(c) || write_headers(c))
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    const int status = run(c);
    file_load(c->log, FILE_NO_BOUND, &c->program->log);
    return status == 0   ? read_ptx(c)
           : status == 2 ? NVRTC_ERROR_INVALID_OPTION
           : status < 0  ? NVRTC_ERROR_INTERNAL_ERROR
                         : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtc_compile(nvrtcProgram program, int count, const char *const *options)
{
    struct compilation c = {.program = program};
    const char *base = getenv("TMPDIR");
    arena_init(&c.arena);
    c.folder = arena_printf(&c.arena, "%s/lockstep-nvrtc-XXXXXX", base && *base ? base : "/tmp");
    strbuf_free(&program->log);
    strbuf_free(&program->ptx);
    nvrtcResult result = mkdtemp(c.folder) ? compile(&c, count, options) : NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    nftw(c.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    vec_free(&c.words);
    arena_free(&c.arena);
    return result;
}
