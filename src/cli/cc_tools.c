/* Finds the programs `lockstep cc` drives and the files it needs. opt and llc must be of clang's own LLVM version, for
 * textual LLVM IR is not stable across versions: they are looked for in the directory where clang really is
 * (/usr/lib/llvm-14/bin on Debian), and as opt-N, llc-N on the path. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cc.h"

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

/* An executable file `name` in the directories of $PATH, or NULL. */
static const char *find_program(const char *name, struct arena *arena)
{
    if (strchr(name, '/'))
        return is_program(name) ? arena_strdup(arena, name) : NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        const char *candidate = arena_printf(arena, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
        if (is_program(candidate))
            return candidate;
        p += n + (p[n] == ':');
    }
    return NULL;
}

/* The one that is asked for, or NULL with a diagnostic. */
static const char *find_wanted(const char *wanted, const char *by, struct arena *arena, struct diag_sink *diags)
{
    const char *clang = find_program(wanted, arena);
    if (!clang)
        diag_error(diags, DIAG_NOWHERE, NULL, "%s is '%s', which is not a program", by, wanted);
    return clang;
}

#define NEWEST_CLANG 22
#define OLDEST_CLANG 14

/* Lists what there is: the one that is asked for alone, or all of the path, the newest first. */
static int find_clangs(struct cc_tools *tools, const char *wanted, struct arena *arena, struct diag_sink *diags)
{
    const char *by_environment = getenv("LOCKSTEP_CLANG"), *clang;
    const bool by_option = wanted != NULL;
    if (!by_option && by_environment && *by_environment)
        wanted = by_environment;
    if (wanted) {
        if (!(clang = find_wanted(wanted, by_option ? "--clang" : "LOCKSTEP_CLANG", arena, diags)))
            return -1;
        vec_push(&tools->clangs, clang);
        return 0;
    }
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--)
        if ((clang = find_program(arena_printf(arena, "clang-%d", version), arena)))
            vec_push(&tools->clangs, clang);
    if ((clang = find_program("clang", arena)))
        vec_push(&tools->clangs, clang);
    return tools->clangs.count
               ? 0
               : diag_error(diags, DIAG_NOWHERE, "install the Debian packages clang and llvm, or set LOCKSTEP_CLANG",
                            "clang not found");
}

/* The directory of a path, without the slash. */
static char *directory_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(arena, path, (size_t)(slash - path)) : arena_strdup(arena, ".");
}

/* opt or llc of the LLVM that clang (resolved) belongs to, or NULL. */
static const char *find_companion(const char *name, const char *clang, struct arena *arena)
{
    const char *beside = arena_printf(arena, "%s/%s", directory_of(clang, arena), name);
    if (is_program(beside))
        return beside;
    const char *base = strrchr(clang, '/'), *dash = base ? strrchr(base, '-') : NULL;
    return dash ? find_program(arena_printf(arena, "%s%s", name, dash), arena) : NULL;
}

static int find_linker(struct cc_tools *tools, struct arena *arena, struct diag_sink *diags)
{
    const char *wanted = getenv("LOCKSTEP_CXX");
    if (wanted && *wanted) {
        tools->cxx = find_program(wanted, arena);
        return tools->cxx
                   ? 0
                   : diag_error(diags, DIAG_NOWHERE, NULL, "LOCKSTEP_CXX is '%s', which is not a program", wanted);
    }
    tools->cxx = find_program("g++", arena);
    tools->gold = tools->cxx && find_program("ld.gold", arena);
    if (!tools->cxx && !(tools->cxx = find_program("c++", arena)))
        return diag_error(diags, DIAG_NOWHERE, "install the Debian package g++, or set LOCKSTEP_CXX",
                          "no C++ linker driver found");
    return 0;
}

/* include and lib relative to the running program, BIN/../: an installation and the build tree have the same shape. */
static int find_own_files(struct cc_tools *tools, struct arena *arena, struct diag_sink *diags)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return diag_error(diags, DIAG_NOWHERE, NULL,
                          "cannot find where lockstep itself is: /proc/self/exe is unreadable");
    self[n] = '\0';
    const char *root = directory_of(directory_of(self, arena), arena);
    tools->include_dir = arena_printf(arena, "%s/share/lockstep/include", root);
    tools->headers_dir = arena_printf(arena, "%s/share/lockstep/headers", root);
    tools->library_dir = arena_printf(arena, "%s/lib/lockstep", root);
    if (access(arena_printf(arena, "%s/cuda_runtime.h", tools->include_dir), R_OK))
        return diag_error(diags, DIAG_NOWHERE, "the installation is incomplete", "cuda_runtime.h not found in %s",
                          tools->include_dir);
    return 0;
}

void cc_tools_use(struct cc_tools *tools, const char *clang, struct arena *arena)
{
    char resolved[PATH_MAX];
    const char *real = realpath(clang, resolved) ? resolved : clang;
    tools->clang = clang;
    tools->opt = find_companion("opt", real, arena);
    tools->llc = find_companion("llc", real, arena);
}

int cc_tools_find(struct cc_tools *tools, const char *wanted, struct arena *arena, struct diag_sink *diags)
{
    *tools = (struct cc_tools){0};
    if (find_clangs(tools, wanted, arena, diags) || find_linker(tools, arena, diags) ||
        find_own_files(tools, arena, diags))
        return -1;
    cc_tools_use(tools, tools->clangs.items[0], arena);
    return 0;
}

void cc_tools_free(struct cc_tools *tools)
{
    vec_free(&tools->clangs);
}
