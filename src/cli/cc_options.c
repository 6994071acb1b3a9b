/* The command line of `lockstep cc`. It takes the usual options of compilers and, so that existing build files work,
 * the common ones of nvcc; those of nvcc that have no meaning here are accepted silently, those whose absence changes
 * results are refused. */
#include <string.h>
#include <sys/stat.h>

#include "base/strmap.h"
#include "cli/cc.h"

const char cc_usage[] =
    "usage: lockstep cc [options] FILE...\n"
    "Builds CUDA C++ programs for the simulator with clang alone.\n"
    "FILE is .cu (CUDA), .cpp .cc .cxx .C (C++), .c (C), or an object, archive or shared library to link.\n"
    "\n"
    "  -o FILE              where to write (default a.out; with -c NAME.o, with --ptx NAME.ptx)\n"
    "  -c                   compile to object files, do not link\n"
    "  --ptx                write the PTX of the one .cu file, nothing else\n"
    "  --keep-ptx FILE      also write the PTX of the one .cu file there\n"
    "  --fast               device code by clang -O2: quicker, but may move the release of a lock out of the\n"
    "                       loop that acquires it, which hangs machines with a reconvergence stack\n"
    "  -arch=sm_XX          compute capability (default sm_70)\n"
    "  -std=c++NN           language standard (default c++17)\n"
    "  -I -D -U -W -f -m -O -g -M...   as usual; -O and -g are for host code\n"
    "  -l -L -Wl,...        for the linker; -Xcompiler and -Xlinker take comma-separated options\n"
    "  -v                   print the commands\n"
    "  --prepare-headers    compile the CUDA headers beforehand, for programs that need no further options (the\n"
    "                       build does so)\n"
    "\n"
    "LOCKSTEP_CLANG names the clang to use, LOCKSTEP_CXX the program that links.\n";

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), k = strlen(suffix);
    return n >= k && strcmp(s + n - k, suffix) == 0;
}

/* PTX version that clang needs for a compute capability; 7.0 covers all up to 8.0. */
static const char *ptx_feature(int capability)
{
    if (capability <= 80)
        return "ptx70";
    if (capability <= 86)
        return "ptx71";
    if (capability <= 87)
        return "ptx74";
    return "ptx78";
}

/* name is sm_XX or compute_XX, maybe with a letter behind. */
static int set_arch(struct cc_options *options, const char *name, struct arena *arena, struct diag_sink *diags)
{
    const char *digits = starts(name, "sm_") ? name + 3 : starts(name, "compute_") ? name + 8 : NULL;
    int capability = 0, n = 0;
    for (; digits && digits[n] >= '0' && digits[n] <= '9' && n < 4; n++)
        capability = capability * 10 + digits[n] - '0';
    if (capability < 60)
        return diag_error(diags, DIAG_NOWHERE, "give sm_60 or later, as in -arch=sm_70", "unknown architecture '%s'",
                          name);
    options->arch = arena_printf(arena, "sm_%s", digits);
    options->ptx = ptx_feature(capability);
    return 0;
}

/* -gencode arch=compute_75,code=sm_75: the architecture is what counts. */
static int set_gencode(struct cc_options *options, const char *value, struct arena *arena, struct diag_sink *diags)
{
    const char *arch = strstr(value, "arch=");
    if (!arch)
        return diag_error(diags, DIAG_NOWHERE, NULL, "-gencode %s names no arch=", value);
    arch += 5;
    return set_arch(options, arena_strndup(arena, arch, strcspn(arch, ",")), arena, diags);
}

/* Appends each item of a comma-separated list. */
static void push_list(struct cc_args *args, const char *list, struct arena *arena)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n)
            vec_push(args, arena_strndup(arena, list, n));
        list += n + (list[n] == ',');
    }
}

static int add_source(struct cc_options *options, const char *path, struct diag_sink *diags)
{
    static const struct {
        const char *suffix;
        enum cc_source_kind kind;
    } kinds[] = {{".cu", CC_SOURCE_CUDA},  {".cpp", CC_SOURCE_CXX},  {".cc", CC_SOURCE_CXX},
                 {".cxx", CC_SOURCE_CXX},  {".C", CC_SOURCE_CXX},    {".c", CC_SOURCE_C},
                 {".o", CC_SOURCE_OBJECT}, {".a", CC_SOURCE_OBJECT}, {".so", CC_SOURCE_OBJECT}};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ends(path, kinds[i].suffix)) {
            struct cc_source source = {path, kinds[i].kind};
            vec_push(&options->sources, source);
            if (kinds[i].kind == CC_SOURCE_OBJECT)
                vec_push(&options->link, path);
            return 0;
        }
    if (strstr(path, ".so.")) {
        vec_push(&options->link, path);
        return 0;
    }
    return diag_error(diags, DIAG_NOWHERE, "sources end in .cu .cpp .cc .cxx .c, objects in .o .a .so",
                      "do not know what to do with '%s'", path);
}

/* The value of an option written `NAME VALUE`, `NAME=VALUE` or, for one-letter options, `-xVALUE`. Returns NULL when
 * argv[*i] is not that option; "" when the value is missing. */
static const char *option_value(const char *name, int argc, char **argv, int *i)
{
    const char *arg = argv[*i];
    size_t n = strlen(name);
    if (strncmp(arg, name, n) != 0)
        return NULL;
    if (arg[n] == '\0')
        return *i + 1 < argc ? argv[++*i] : "";
    if (arg[n] == '=')
        return arg + n + 1;
    return n == 2 ? arg + n : NULL;
}

/* Options without a value that set something; true when arg was one. */
static bool parse_flag(struct cc_options *options, const char *arg)
{
    if (strcmp(arg, "-c") == 0 || strcmp(arg, "--compile") == 0 || strcmp(arg, "-dc") == 0)
        options->goal = CC_GOAL_OBJECT;
    else if (strcmp(arg, "--ptx") == 0 || strcmp(arg, "-ptx") == 0)
        options->goal = CC_GOAL_PTX;
    else if (strcmp(arg, "--prepare-headers") == 0)
        options->goal = CC_GOAL_HEADERS;
    else if (strcmp(arg, "--fast") == 0)
        options->fast = true;
    else if (strcmp(arg, "-v") == 0 || strcmp(arg, "--verbose") == 0)
        options->verbose = true;
    else if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0)
        options->help = true;
    else if (strcmp(arg, "-fmad=false") == 0 || strcmp(arg, "--fmad=false") == 0 ||
             strcmp(arg, "-ffp-contract=off") == 0)
        options->no_contraction = true;
    else if (strcmp(arg, "-G") == 0 || strcmp(arg, "--device-debug") == 0) {
        vec_push(&options->host, "-g");
        vec_push(&options->shared, "-D__CUDACC_DEBUG__");
    } else
        return false;
    return true;
}

/* Options of nvcc for what is always so here (constexpr functions and lambdas run on both sides): only the macro by
 * which programs ask whether they were given. */
static bool parse_announced(struct cc_options *options, const char *arg)
{
    static const char *const announced[][2] = {
        {"expt-relaxed-constexpr", "-D__CUDACC_RELAXED_CONSTEXPR__"},
        {"expt-extended-lambda", "-D__CUDACC_EXTENDED_LAMBDA__"},
        {"extended-lambda", "-D__CUDACC_EXTENDED_LAMBDA__"},
    };
    for (unsigned k = 0; k < sizeof announced / sizeof announced[0]; k++)
        if (arg[0] == '-' && strcmp(arg + 1 + (arg[1] == '-'), announced[k][0]) == 0) {
            vec_push(&options->shared, announced[k][1]);
            return true;
        }
    return false;
}

/* Options of nvcc that change nothing here: line tables are always kept, the runtime is always shared, and what these
 * libraries have is in headers. The second list takes a value. */
static bool parse_ignored(int argc, char **argv, int *i)
{
    static const char *const flags[] = {"-lineinfo",      "--generate-line-info", "-fmad=true", "--fmad=true",
                                        "-use_fast_math", "--use_fast_math",      "-w",         "-no-compress",
                                        "-lcurand",       "-lcurand_static",      "-lnvToolsExt"};
    static const char *const valued[] = {"-cudart",
                                         "--cudart",
                                         "-Xptxas",
                                         "--ptxas-options",
                                         "-Xfatbin",
                                         "--compress-mode",
                                         "-maxrregcount",
                                         "--maxrregcount",
                                         "-ccbin",
                                         "--compiler-bindir",
                                         "-t",
                                         "--threads",
                                         "-code",
                                         "--gpu-code",
                                         "-diag-suppress",
                                         "--diag-suppress",
                                         "-default-stream"};
    for (unsigned k = 0; k < sizeof flags / sizeof flags[0]; k++)
        if (strcmp(argv[*i], flags[k]) == 0)
            return true;
    for (unsigned k = 0; k < sizeof valued / sizeof valued[0]; k++)
        if (strlen(valued[k]) > 2 ? option_value(valued[k], argc, argv, i) != NULL
                                  : strcmp(argv[*i], valued[k]) == 0 && ++*i)
            return true;
    return false;
}

/* An output: given once, with a name. */
static int take_once(const char *option, const char **member, const char *value, struct diag_sink *diags)
{
    if (!*value)
        return diag_error(diags, DIAG_NOWHERE, NULL, "%s needs a file name", option);
    if (*member && strcmp(*member, value) != 0)
        return diag_error(diags, DIAG_NOWHERE, "give it once", "%s is given twice: %s and %s", option, *member, value);
    *member = value;
    return 0;
}

/* Options with a value that are ours to understand. Returns 1 when argv[*i] was one, 0 when not, -1 on an error. */
static int parse_valued(struct cc_options *options, int argc, char **argv, int *i, struct arena *arena,
                        struct diag_sink *diags)
{
    const char *v;
    if (strcmp(argv[*i], "-o") == 0 || strcmp(argv[*i], "--output-file") == 0) {
        if (*i + 1 >= argc)
            return diag_error(diags, DIAG_NOWHERE, NULL, "-o needs a file name");
        if (take_once("-o", &options->output, argv[++*i], diags))
            return -1;
    } else if ((v = option_value("--keep-ptx", argc, argv, i))) {
        if (take_once("--keep-ptx", &options->keep_ptx, v, diags))
            return -1;
    } else if ((v = option_value("-arch", argc, argv, i)) || (v = option_value("--gpu-architecture", argc, argv, i)) ||
               (v = option_value("--cuda-gpu-arch", argc, argv, i))) {
        if (set_arch(options, v, arena, diags))
            return -1;
    } else if ((v = option_value("-gencode", argc, argv, i)) || (v = option_value("--generate-code", argc, argv, i))) {
        if (set_gencode(options, v, arena, diags))
            return -1;
    } else if ((v = option_value("-std", argc, argv, i)) || (v = option_value("--std", argc, argv, i))) {
        if (starts(v, "c++") || starts(v, "gnu++"))
            options->standard = v;
        else
            options->c_standard = v;
    } else if ((v = option_value("-Xcompiler", argc, argv, i)) ||
               (v = option_value("--compiler-options", argc, argv, i))) {
        push_list(&options->host, v, arena);
    } else if ((v = option_value("-Xlinker", argc, argv, i)) || (v = option_value("--linker-options", argc, argv, i))) {
        vec_push(&options->link, arena_printf(arena, "-Wl,%s", v));
    } else {
        return 0;
    }
    return 1;
}

/* Options that go on to clang or the linker as they are. */
static bool parse_passed_on(struct cc_options *options, int argc, char **argv, int *i)
{
    static const char *const paired[] = {"-I",  "-D",  "-U",  "-isystem", "-iquote", "-include",
                                         "-MF", "-MT", "-MQ", "-L",       "-l"};
    const char *arg = argv[*i];
    bool link = starts(arg, "-l") || starts(arg, "-L") || starts(arg, "-Wl,") || strcmp(arg, "-pthread") == 0 ||
                strcmp(arg, "-static-libstdc++") == 0 || strcmp(arg, "-rdynamic") == 0 || strcmp(arg, "-shared") == 0;
    bool shared = starts(arg, "-I") || starts(arg, "-D") || starts(arg, "-U") || starts(arg, "-W") || starts(arg, "-i");
    bool host = starts(arg, "-O") || starts(arg, "-g") || starts(arg, "-f") || starts(arg, "-m") || starts(arg, "-M");
    if (!link && !shared && !host)
        return false;
    struct cc_args *to = link ? &options->link : shared ? &options->shared : &options->host;
    vec_push(to, arg);
    for (unsigned k = 0; k < sizeof paired / sizeof paired[0]; k++)
        if (strcmp(arg, paired[k]) == 0 && *i + 1 < argc) {
            vec_push(to, argv[++*i]);
            break;
        }
    return true;
}

static int parse_one(struct cc_options *options, int argc, char **argv, int *i, struct arena *arena,
                     struct diag_sink *diags)
{
    static const char *const own[] = {"--ptx",          "--keep-ptx", "--fast",   "--help", "--verbose",
                                      "--device-debug", "--compile",  "-arch",    "-std",   "-gencode",
                                      "--output-file",  "-Xcompiler", "-Xlinker", "-h",     NULL};
    const char *arg = argv[*i];
    if (arg[0] != '-')
        return add_source(options, arg, diags);
    if (starts(arg, "-rdc=t") || strcmp(arg, "--relocatable-device-code=true") == 0)
        return diag_error(diags, DIAG_NOWHERE, "define device functions in a header or in the file that calls them",
                          "relocatable device code is not supported: %s", arg);
    if (starts(arg, "-rdc=") || parse_flag(options, arg) || parse_announced(options, arg) ||
        parse_ignored(argc, argv, i))
        return 0;
    int valued = parse_valued(options, argc, argv, i, arena, diags);
    if (valued)
        return valued < 0 ? -1 : 0;
    if (parse_passed_on(options, argc, argv, i))
        return 0;
    const char *near = str_nearest(arg, own);
    return diag_error(diags, DIAG_NOWHERE,
                      near ? arena_printf(arena, "did you mean %s?", near) : "lockstep cc --help lists the options",
                      "unknown option '%s'", arg);
}

/* True if both names are of the same file. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    return a && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

static int check_outputs(const struct cc_options *options, struct diag_sink *diags)
{
    if (options->keep_ptx && options->goal == CC_GOAL_PTX)
        return diag_error(diags, DIAG_NOWHERE, NULL, "--keep-ptx and --ptx are not for one run: both write the PTX");
    for (size_t i = 0; i < options->sources.count; i++) {
        const char *source = options->sources.items[i].path;
        if (same_file(options->output, source) || same_file(options->keep_ptx, source))
            return diag_error(diags, DIAG_NOWHERE, NULL, "%s is an input: it is not replaced by an output", source);
    }
    return 0;
}

/* Checks the files named: there must be one, and some options take no more than one. */
static int check_files(const struct cc_options *options, struct diag_sink *diags)
{
    unsigned cuda = 0, compiled = 0;
    for (size_t i = 0; i < options->sources.count; i++) {
        cuda += options->sources.items[i].kind == CC_SOURCE_CUDA;
        compiled += options->sources.items[i].kind != CC_SOURCE_OBJECT;
    }
    if (options->goal == CC_GOAL_HEADERS)
        return 0;
    if (options->sources.count == 0)
        return diag_error(diags, DIAG_NOWHERE, "lockstep cc --help lists the options", "no input files");
    if (options->goal == CC_GOAL_PTX && (cuda != 1 || compiled != 1))
        return diag_error(diags, DIAG_NOWHERE, NULL, "--ptx takes one .cu file");
    if (options->keep_ptx && cuda != 1)
        return diag_error(diags, DIAG_NOWHERE, NULL, "--keep-ptx takes one .cu file");
    if (options->goal == CC_GOAL_OBJECT && options->output && compiled > 1)
        return diag_error(diags, DIAG_NOWHERE, NULL, "-o with -c takes one source file");
    return check_outputs(options, diags);
}

int cc_options_parse(struct cc_options *options, int argc, char **argv, struct arena *arena, struct diag_sink *diags)
{
    *options = (struct cc_options){.arch = "sm_70", .ptx = "ptx70", .standard = "c++17"};
    for (int i = 1; i < argc; i++)
        if (parse_one(options, argc, argv, &i, arena, diags))
            return -1;
    return options->help ? 0 : check_files(options, diags);
}

void cc_options_free(struct cc_options *options)
{
    vec_free(&options->sources);
    vec_free(&options->shared);
    vec_free(&options->host);
    vec_free(&options->link);
}
