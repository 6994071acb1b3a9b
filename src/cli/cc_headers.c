/* Headers compiled beforehand. Every CUDA source begins with cuda_runtime.h, which takes clang four times as long to
 * read as a small program does to compile. `lockstep cc --prepare-headers`, which the build runs, keeps what clang
 * makes of it for a compilation without further options: clang's precompiled header, and beside it the very command
 * that it is for. A compilation by the same command, options of warnings and the degree of optimization aside, takes it
 * in place of the text. clang itself refuses it when a file that it was made from has changed since, or when clang is
 * another version. Which version it is stands there too: to ask clang takes a tenth of a small compilation. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/cc.h"

static const char *path_of(const struct cc_tools *tools, const char *pass, const char *suffix, struct arena *arena)
{
    return arena_printf(arena, "%s/%s.%s", tools->headers_dir, pass, suffix);
}

/* True for an option that leaves the headers' meaning as it is: one that only selects warnings (they are system
 * headers, in which clang shows none), or how far to optimize (-O0 is another matter, for __OPTIMIZE__ is not defined
 * there). */
static bool is_of_no_account(const char *option)
{
    if (strncmp(option, "-W", 2) == 0)
        return !strchr(option, ',');
    return strcmp(option, "-O1") == 0 || strcmp(option, "-O2") == 0 || strcmp(option, "-O3") == 0;
}

static const char *line_of(const struct cc_args *command, struct arena *arena)
{
    struct strbuf line = {0};
    for (size_t i = 0; i < command->count; i++)
        if (!is_of_no_account(command->items[i]))
            strbuf_addf(&line, "%s\n", command->items[i]);
    const char *copy = arena_strdup(arena, strbuf_text(&line));
    strbuf_free(&line);
    return copy;
}

/* Appends `from` to `to`, but for the header that it includes; in its place so many words. */
static void copy_without_header(const struct cc_args *from, struct cc_args *to, const char *const *words, size_t count)
{
    for (size_t i = 0; i < from->count; i++) {
        if (strcmp(from->items[i], "-include") != 0) {
            vec_push(to, from->items[i]);
            continue;
        }
        i++; /* its value */
        for (size_t k = 0; k < count; k++)
            vec_push(to, words[k]);
    }
}

bool cc_headers_take(const struct cc_tools *tools, const char *pass, const struct cc_args *command,
                     struct cc_args *quick, struct arena *arena)
{
    struct strbuf line = {0};
    bool same = file_load(path_of(tools, pass, "command", arena), FILE_NO_BOUND, &line) == 0 &&
                strcmp(strbuf_text(&line), line_of(command, arena)) == 0;
    strbuf_free(&line);
    if (!same)
        return false;
    const char *const words[] = {"-Xclang", "-include-pch", "-Xclang", path_of(tools, pass, "pch", arena)};
    copy_without_header(command, quick, words, sizeof words / sizeof *words);
    return true;
}

void cc_headers_make(const struct cc_tools *tools, const struct cc_args *command, struct cc_args *make,
                     struct arena *arena)
{
    copy_without_header(command, make, NULL, 0);
    const char *const words[] = {"-fsyntax-only", "-Xclang", "-emit-pch",
                                 arena_printf(arena, "%s/cuda_runtime.h", tools->include_dir)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        vec_push(make, words[i]);
}

int cc_headers_keep(const struct cc_tools *tools, const char *pass, const struct cc_args *command, const char *made,
                    struct arena *arena, struct diag_sink *diags)
{
    const char *line = line_of(command, arena);
    if (cc_move_file(made, path_of(tools, pass, "pch", arena), diags))
        return -1;
    return file_write(path_of(tools, pass, "command", arena), line, strlen(line), diags);
}

/* The file that clang is, with its size and time: a clang that is installed in its place later has another one. */
static const char *identity_of(const struct cc_tools *tools, struct arena *arena)
{
    char resolved[PATH_MAX];
    struct stat info;
    if (!realpath(tools->clang, resolved) || stat(resolved, &info))
        return NULL;
    return arena_printf(arena, "%s %lld %lld.%09ld", resolved, (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                        info.st_mtim.tv_nsec);
}

int cc_headers_version(const struct cc_tools *tools, struct arena *arena)
{
    struct strbuf kept = {0};
    const char *identity = identity_of(tools, arena);
    int version = 0;
    if (identity && file_load(path_of(tools, "clang", "version", arena), FILE_NO_BOUND, &kept) == 0) {
        const char *end = strchr(strbuf_text(&kept), '\n');
        if (end && (size_t)(end - strbuf_text(&kept)) == strlen(identity) &&
            strncmp(strbuf_text(&kept), identity, strlen(identity)) == 0)
            version = (int)strtol(end + 1, NULL, 10);
    }
    strbuf_free(&kept);
    return version;
}

int cc_headers_keep_version(const struct cc_tools *tools, int version, struct arena *arena, struct diag_sink *diags)
{
    const char *identity = identity_of(tools, arena);
    if (!identity)
        return 0;
    const char *text = arena_printf(arena, "%s\n%d\n", identity, version);
    return file_write(path_of(tools, "clang", "version", arena), text, strlen(text), diags);
}
