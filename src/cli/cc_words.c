/* Where the words of `lockstep cc`'s command line go that are not its own: to clang's passes over host and device code,
 * or to the linker. And the architectures, which clang has other words for. */
#include <string.h>

#include "cli/cc.h"
#include "cli/cc_words.h"

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

const char *cc_ptx_feature(int capability)
{
    if (capability <= 80)
        return "ptx70";
    if (capability <= 86)
        return "ptx71";
    if (capability <= 87)
        return "ptx74";
    return "ptx78";
}

/* name is sm_XX or compute_XX, maybe with a letter behind. 0: neither. */
static int capability_of(const char *name)
{
    const char *digits = starts(name, "sm_") ? name + 3 : starts(name, "compute_") ? name + 8 : "";
    int capability = 0;
    for (int n = 0; digits[n] >= '0' && digits[n] <= '9' && n < 4; n++)
        capability = capability * 10 + digits[n] - '0';
    return capability;
}

#define OLDEST_CAPABILITY 10 /* that there has been, and that makefiles still name */
#define LEAST_CAPABILITY 60

int cc_set_arch(struct cc_options *options, const char *name, struct arena *arena, struct diag_sink *diags)
{
    static const char *const of_the_machine[] = {"native", "all", "all-major"};
    for (unsigned i = 0; i < sizeof of_the_machine / sizeof *of_the_machine; i++)
        if (strcmp(name, of_the_machine[i]) == 0)
            return 0;
    const int capability = capability_of(name);
    if (capability < OLDEST_CAPABILITY)
        return diag_error(diags, DIAG_NOWHERE, "give sm_60 or later, as in -arch=sm_70", "unknown architecture '%s'",
                          name);
    if (capability < LEAST_CAPABILITY)
        diag_warning(diags, DIAG_NOWHERE, NULL, "%s is compiled as sm_60, the least that there is", name);
    const bool raised = capability < LEAST_CAPABILITY;
    options->arch = arena_printf(arena, "sm_%s", raised ? "60" : strchr(name, '_') + 1);
    options->ptx = cc_ptx_feature(raised ? LEAST_CAPABILITY : capability);
    return 0;
}

int cc_set_gencode(struct cc_options *options, const char *value, struct arena *arena, struct diag_sink *diags)
{
    const char *arch = strstr(value, "arch=");
    if (!arch)
        return diag_error(diags, DIAG_NOWHERE, NULL, "-gencode %s names no arch=", value);
    arch = arena_strndup(arena, arch + 5, strcspn(arch + 5, ", "));
    const int before = options->generated, capability = capability_of(arch);
    if (capability && capability <= before)
        return 0;
    options->generated = capability;
    return cc_set_arch(options, arch, arena, diags);
}

void cc_push_pair(struct cc_args *args, const char *option, const char *value)
{
    vec_push(args, option);
    vec_push(args, value);
}

/* Libraries that are always there: their parts are in libcudart, or there is nothing in them for a program. */
static bool is_own_library(const char *name)
{
    static const char *const own[] = {"cudart",    "cudart_static", "cudadevrt",     "culibos",
                                      "cudart.so", "curand",        "curand_static", "nvToolsExt"};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

void cc_add_library(struct cc_options *options, const char *name, struct arena *arena)
{
    if (!is_own_library(name))
        vec_push(&options->link, arena_printf(arena, "-l%s", name));
}

/* Options without a separate value that have a meaning for the linker: alone, or for the compiler as well. */
static bool is_for_linker(const char *arg, bool *alone)
{
    static const char *const only[] = {
        "-static", "-static-libstdc++", "-static-libgcc", "-rdynamic", "-shared", "-no-pie", "-pie", "-s", "-nostdlib",
        "-r"};
    static const char *const both[] = {"-pthread",   "-pthreads",   "-pg",
                                       "--coverage", "-fsanitize=", "-fprofile-generate"};
    *alone = starts(arg, "-Wl,") || starts(arg, "-fuse-ld=");
    for (unsigned i = 0; i < sizeof only / sizeof *only; i++)
        *alone |= strcmp(arg, only[i]) == 0;
    for (unsigned i = 0; i < sizeof both / sizeof *both; i++)
        if (starts(arg, both[i]))
            return true;
    return *alone;
}

/* Options of clang that say what the language is, and so hold for device code too. */
static bool is_of_language(const char *arg)
{
    static const char *const heads[] = {"-I",
                                        "-D",
                                        "-U",
                                        "-W",
                                        "-i",
                                        "-ftemplate",
                                        "-fconstexpr",
                                        "-fchar8_t",
                                        "-fno-char8_t",
                                        "-fsigned-char",
                                        "-funsigned-char",
                                        "-fms-",
                                        "-fshort-enums",
                                        "-fno-operator-names",
                                        "-fdelayed-template",
                                        "-fcoroutines",
                                        "-nostdinc",
                                        "-stdlib="};
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
        if (starts(arg, heads[i]))
            return true;
    return false;
}

bool cc_pass_on(struct cc_options *options, const char *arg, struct arena *arena)
{
    bool alone;
    if (starts(arg, "-fopenmp") || strcmp(arg, "-openmp") == 0) {
        options->openmp = true;
    } else if (strcmp(arg, "-ffp-contract=off") == 0) {
        options->no_contraction = true;
    } else if (is_for_linker(arg, &alone)) {
        vec_push(&options->link, arg);
        if (!alone)
            vec_push(&options->host, arg);
    } else if (starts(arg, "-l")) {
        cc_add_library(options, arg + 2, arena);
    } else if (starts(arg, "-L")) {
        vec_push(&options->link, arg);
    } else if (is_of_language(arg)) {
        vec_push(&options->shared, arg);
    } else if (starts(arg, "-O") || starts(arg, "-g") || starts(arg, "-f") || starts(arg, "-m") || starts(arg, "-M")) {
        vec_push(&options->host, arg);
    } else {
        return false;
    }
    return true;
}

/* Words that have their value behind them, and whose it is. */
static const struct {
    const char *option;
    bool is_link;
} pairs[] = {{"-I", false},        {"-D", false},
             {"-U", false},        {"-isystem", false},
             {"-iquote", false},   {"-include", false},
             {"-imacros", false},  {"-idirafter", false},
             {"-isysroot", false}, {"-ivfsoverlay", false},
             {"-iprefix", false},  {"-iwithprefix", false},
             {"-Xclang", false},   {"-mllvm", false},
             {"-L", true},         {"-z", true},
             {"-u", true},         {"-T", true}};

bool cc_pass_pair(struct cc_options *options, int argc, char **argv, int *i, struct arena *arena)
{
    const char *arg = argv[*i];
    if (strcmp(arg, "-l") == 0 && *i + 1 < argc) {
        cc_add_library(options, argv[++*i], arena);
        return true;
    }
    for (unsigned k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        if (strcmp(arg, pairs[k].option) == 0 && *i + 1 < argc) {
            cc_push_pair(pairs[k].is_link ? &options->link : &options->shared, arg, argv[++*i]);
            return true;
        }
    return false;
}

/* A standard of C is for C files alone; g++ only warns where it gets one for a file of C++, and clang refuses it. */
static bool take_c_standard(struct cc_options *options, const char *word)
{
    if (!starts(word, "-std=") || strstr(word, "++"))
        return false;
    options->c_standard = word + strlen("-std=");
    return true;
}

void cc_add_host_words(struct cc_options *options, const char *list, struct arena *arena)
{
    struct cc_args words = {0};
    for (const char *at = list; *at; at += strcspn(at, ", ") + (at[strcspn(at, ", ")] != '\0')) {
        size_t n = strcspn(at, ", ");
        /* CMake's FindCUDA gives words in quotes, which nvcc's shell takes away: ,"-O3","-DNDEBUG" */
        const bool is_quoted = n >= 2 && *at == '"' && at[n - 1] == '"';
        if (n > 2 * is_quoted)
            vec_push(&words, arena_strndup(arena, at + is_quoted, n - 2 * is_quoted));
    }
    for (int i = 0; i < (int)words.count; i++)
        if (!cc_pass_pair(options, (int)words.count, (char **)words.items, &i, arena) &&
            !take_c_standard(options, words.items[i]) && !cc_pass_on(options, words.items[i], arena))
            vec_push(&options->host, words.items[i]);
    vec_free(&words);
}

bool cc_take_kind_of_error(struct cc_options *options, const char *list)
{
    static const char *const kinds[][2] = {{"all-warnings", "-Werror"},
                                           {"reorder", "-Werror=reorder"},
                                           {"deprecated-declarations", "-Werror=deprecated-declarations"},
                                           {"cross-execution-space-call", NULL},
                                           {"default-stream-launch", NULL},
                                           {"missing-launch-bounds", NULL},
                                           {"ext-lambda-captures-this", NULL},
                                           {"deprecated-gpu-targets", NULL}};
    bool known = false;
    for (const char *word = list; *word; word += strcspn(word, ",") + (word[strcspn(word, ",")] != '\0'))
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcspn(word, ",") == strlen(kinds[k][0]) && starts(word, kinds[k][0])) {
                known = true;
                if (kinds[k][1])
                    vec_push(&options->shared, kinds[k][1]);
            }
    return known;
}
