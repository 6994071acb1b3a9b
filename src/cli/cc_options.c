/* The command line of `lockstep cc`. It takes the options of nvcc (cc_options.def), so that existing build files work,
 * and the usual ones of compilers; those of nvcc that have no meaning here are accepted silently, those that ask for
 * what there is not are refused. Others go on to clang, if it takes them: that is found out later (cc_session.h). */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/strmap.h"
#include "cli/cc.h"
#include "cli/cc_words.h"

const char cc_usage[] =
    "usage: lockstep cc [options] FILE...\n"
    "Builds CUDA C++ programs for the simulator with clang alone. Takes nvcc's options.\n"
    "FILE is .cu (CUDA), .cpp .cc .cxx .C (C++), .c (C), or an object, archive or shared library to link.\n"
    "\n"
    "  -o FILE              where to write (default a.out; with -c NAME.o, with --ptx NAME.ptx)\n"
    "  -c                   compile to object files, do not link\n"
    "  --ptx                write the PTX of the one .cu file, nothing else\n"
    "  -E, -M, -MM          preprocess the one source, or list the files that it includes\n"
    "  -lib                 make an archive of the objects\n"
    "  --keep-ptx FILE      also write the PTX of the one .cu file there\n"
    "  -rdc=true, -dc       device functions and variables of other files: they are linked when the program starts\n"
    "  --fast               device code by clang -O2: quicker, but may move the release of a lock out of the\n"
    "                       loop that acquires it, which hangs machines with a reconvergence stack\n"
    "  -arch=sm_XX          compute capability (default sm_70); -gencode: the highest one counts\n"
    "  -std=c++NN           language standard (default c++17)\n"
    "  -x cu                sources that follow are CUDA, whatever their names\n"
    "  -I -D -U -W -f -m -O -g -M...   as usual; -O, -g, -f and -m are for host code\n"
    "  -fopenmp             OpenMP in host code (Debian's libomp-NN-dev)\n"
    "  -l -L -Wl,...        for the linker; -Xcompiler and -Xlinker take comma-separated options\n"
    "  -v                   print the commands\n"
    "  --clang PROGRAM      the clang to use\n"
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

static int add_source(struct cc_options *options, const char *path, struct diag_sink *diags)
{
    static const struct {
        const char *suffix;
        enum cc_source_kind kind;
    } kinds[] = {{".cu", CC_SOURCE_CUDA},   {".cpp", CC_SOURCE_CXX},   {".cc", CC_SOURCE_CXX},
                 {".cxx", CC_SOURCE_CXX},   {".C", CC_SOURCE_CXX},     {".c", CC_SOURCE_C},
                 {".cup", CC_SOURCE_CUDA},  {".c++", CC_SOURCE_CXX},   {".o", CC_SOURCE_OBJECT},
                 {".a", CC_SOURCE_OBJECT},  {".so", CC_SOURCE_OBJECT}, {".obj", CC_SOURCE_OBJECT},
                 {".lib", CC_SOURCE_OBJECT}};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ends(path, kinds[i].suffix) && (!options->language || kinds[i].kind == CC_SOURCE_OBJECT)) {
            struct cc_source source = {path, kinds[i].kind};
            vec_push(&options->sources, source);
            if (kinds[i].kind == CC_SOURCE_OBJECT)
                vec_push(&options->link, path);
            return 0;
        }
    if (options->language) {
        vec_push(&options->sources, ((struct cc_source){path, options->language_kind}));
        return 0;
    }
    if (strstr(path, ".so.")) {
        vec_push(&options->link, path);
        return 0;
    }
    return diag_error(diags, DIAG_NOWHERE, "sources end in .cu .cpp .cc .cxx .c, objects in .o .obj .a .lib .so",
                      "do not know what to do with '%s'", path);
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

static int set_language(struct cc_options *options, const char *name, struct diag_sink *diags)
{
    static const struct {
        const char *name;
        enum cc_source_kind kind;
    } known[] = {{"cu", CC_SOURCE_CUDA}, {"cuda", CC_SOURCE_CUDA}, {"c++", CC_SOURCE_CXX}, {"c", CC_SOURCE_C}};
    options->language = strcmp(name, "none") != 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            options->language_kind = known[i].kind;
            return 0;
        }
    return options->language
               ? diag_error(diags, DIAG_NOWHERE, "it is cu, c++, c or none", "-x %s: unknown language", name)
               : 0;
}

/* One row of cc_options.def. */
enum value { NONE, WORD, JOINED, TRUTH };
enum act {
    IGNORE,
    REFUSE,
    GOAL_OBJECT,
    GOAL_PTX,
    GOAL_MODULE,
    GOAL_HEADERS,
    GOAL_TEXT,
    GOAL_DEVICE_LINK,
    GOAL_ARCHIVE,
    DEVICE_C,
    OUTPUT,
    DIRECTORY,
    KEEP_PTX,
    HELP,
    VERSION,
    VERBOSE,
    CLANG,
    OPTIONS_FILE,
    LANGUAGE,
    STANDARD,
    SHARED_PAIR,
    SHARED_WORD,
    HOST_WORD,
    HOST_JOINED,
    HOST_LIST,
    HOST_AND_LINK,
    LINK_WORD,
    LINK_LIST,
    LINK_JOINED,
    LIBRARY,
    DEPENDENCY_PAIR,
    DEPENDENCY_WORD,
    ARCH,
    GENCODE,
    RDC,
    FAST,
    FMAD,
    FTZ,
    PREC_DIV,
    PREC_SQRT,
    FAST_MATH,
    MAX_REGISTERS,
    DEVICE_DEBUG,
    WERROR
};
static const struct row {
    const char *name, *short_name;
    enum value value;
    enum act act;
    const char *text;
} rows[] = {
#define CC_OPTION(name, short_name, value, act, text) {name, short_name, value, act, text},
#include "cli/cc_options.def"
#undef CC_OPTION
};

/* A command line under way. */
struct reading {
    struct cc_options *options;
    struct arena *arena;
    struct diag_sink *diags;
    unsigned depth; /* of files of options */
};

static int read_words(struct reading *r, int argc, char **argv);

/* Splits the text into words at blanks; quotes and backslashes hold them together. */
static void split_words(char *text, struct cc_args *words, struct arena *arena)
{
    for (char *p = text; *p;) {
        struct strbuf word = {0};
        char quote = 0;
        p += strspn(p, " \t\r\n");
        if (!*p)
            return;
        for (; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
            if (quote ? *p == quote : *p == '"' || *p == '\'')
                quote = quote ? 0 : *p;
            else
                strbuf_addn(&word, *p == '\\' && p[1] && quote != '\'' ? ++p : p, 1);
        }
        vec_push(words, arena_strdup(arena, strbuf_text(&word)));
        strbuf_free(&word);
    }
}

/* Reads the options that a file holds. Deep enough is ten. */
static int read_options_file(struct reading *r, const char *path)
{
    struct strbuf text = {0};
    struct cc_args words = {0};
    if (r->depth >= 10)
        return diag_error(r->diags, DIAG_NOWHERE, NULL, "%s: files of options name each other without end", path);
    int rc = file_read(path, FILE_TEXT_MOST, &text, r->diags);
    if (rc == 0 && text.length)
        split_words(text.text, &words, r->arena);
    strbuf_free(&text);
    r->depth++;
    if (rc == 0)
        rc = read_words(r, (int)words.count, (char **)words.items);
    r->depth--;
    vec_free(&words);
    return rc;
}

static void set_goal(struct cc_options *options, enum cc_goal goal)
{
    options->goal = goal;
}

static bool is_true(const char *value)
{
    return strcmp(value, "false") != 0;
}

static int set_standard(struct cc_options *options, const char *name)
{
    const bool cxx = starts(name, "c++") || starts(name, "gnu++");
    *(cxx ? &options->standard : &options->c_standard) = name;
    return 0;
}

/* Goals, and where their files go. */
static int act_on_goal(struct reading *r, const struct row *row, const char *value)
{
    struct cc_options *o = r->options;
    switch (row->act) {
    case GOAL_OBJECT:
        set_goal(o, CC_GOAL_OBJECT);
        break;
    case GOAL_PTX:
    case GOAL_MODULE:
        set_goal(o, CC_GOAL_PTX);
        o->module_suffix = row->act == GOAL_MODULE ? row->text : NULL;
        break;
    case GOAL_HEADERS:
        set_goal(o, CC_GOAL_HEADERS);
        break;
    case GOAL_DEVICE_LINK:
        set_goal(o, CC_GOAL_DEVICE_LINK);
        break;
    case GOAL_ARCHIVE:
        set_goal(o, CC_GOAL_ARCHIVE);
        break;
    case GOAL_TEXT:
        set_goal(o, CC_GOAL_TEXT);
        o->text_option = row->text;
        break;
    case DEVICE_C:
        set_goal(o, CC_GOAL_OBJECT);
        o->relocatable = true;
        break;
    case OUTPUT:
        return take_once("-o", &o->output, value, r->diags);
    case KEEP_PTX:
        return take_once("--keep-ptx", &o->keep_ptx, value, r->diags);
    case DIRECTORY:
        o->directory = value;
        break;
    case HELP:
        o->help = true;
        break;
    case VERSION:
        o->version = true;
        break;
    case VERBOSE:
        o->verbose = true;
        break;
    case CLANG:
        o->clang = value;
        break;
    default:
        return diag_error(r->diags, DIAG_NOWHERE, row->text, "--%s is not supported", row->name);
    }
    return 0;
}

/* Options that go on to clang and the linker. */
static void act_on_words(struct reading *r, const struct row *row, const char *value)
{
    struct cc_options *o = r->options;
    switch (row->act) {
    case SHARED_PAIR:
        cc_push_pair(&o->shared, row->text, value);
        break;
    case SHARED_WORD:
        vec_push(&o->shared, row->text);
        break;
    case HOST_WORD:
        vec_push(&o->host, row->text);
        break;
    case HOST_JOINED:
        vec_push(&o->host, arena_printf(r->arena, "%s%s", row->text, value));
        break;
    case HOST_LIST:
        cc_add_host_words(o, value, r->arena);
        break;
    case HOST_AND_LINK:
        vec_push(&o->host, row->text); /* fall through */
    case LINK_WORD:
        vec_push(&o->link, row->text);
        break;
    case LINK_LIST:
        vec_push(&o->link, arena_printf(r->arena, "-Wl,%s", value));
        break;
    case LINK_JOINED:
        vec_push(&o->link, arena_printf(r->arena, "%s%s", row->text, value));
        break;
    case LIBRARY:
        cc_add_library(o, value, r->arena);
        break;
    case DEPENDENCY_PAIR:
        cc_push_pair(&o->host, row->text, value);
        o->names_dependencies |= strcmp(row->text, "-MF") == 0;
        o->names_target |= strcmp(row->text, "-MF") != 0;
        break;
    default: /* DEPENDENCY_WORD */
        vec_push(&o->host, row->text);
        o->dependencies = true;
    }
}

/* As nvcc takes it: 0 is no limit. */
static int set_max_registers(struct cc_options *o, const char *value, struct diag_sink *diags)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || n > 1024)
        return diag_error(diags, DIAG_NOWHERE, "it is the most registers of a thread, 0 to 1024",
                          "--maxrregcount %s: not a number of registers", value);
    o->max_registers = (unsigned)n;
    return 0;
}

/* Does what a row says. 0, or -1 with a diagnostic. */
static int act_on(struct reading *r, const struct row *row, const char *value)
{
    struct cc_options *o = r->options;
    switch (row->act) {
    case IGNORE:
        return 0;
    case OPTIONS_FILE:
        return read_options_file(r, value);
    case LANGUAGE:
        return set_language(o, value, r->diags);
    case STANDARD:
        return set_standard(o, value);
    case ARCH:
        return cc_set_arch(o, value, r->arena, r->diags);
    case GENCODE:
        return cc_set_gencode(o, value, r->arena, r->diags);
    case RDC:
        o->relocatable = is_true(value);
        return 0;
    case FAST:
        o->fast = true;
        return 0;
    case FMAD:
        o->no_contraction = !is_true(value);
        return 0;
    case FTZ:
        o->flush_subnormals = is_true(value);
        return 0;
    case PREC_DIV:
        o->rough_division = !is_true(value);
        return 0;
    case PREC_SQRT:
        o->rough_root = !is_true(value);
        return 0;
    case FAST_MATH:
        o->flush_subnormals = o->rough_division = o->rough_root = o->approximate = true;
        return 0;
    case MAX_REGISTERS:
        return set_max_registers(o, value, r->diags);
    case DEVICE_DEBUG:
        vec_push(&o->host, "-g");
        vec_push(&o->shared, "-D__CUDACC_DEBUG__");
        return 0;
    case SHARED_PAIR:
    case SHARED_WORD:
    case HOST_WORD:
    case HOST_JOINED:
    case HOST_LIST:
    case HOST_AND_LINK:
    case LINK_WORD:
    case LINK_LIST:
    case LINK_JOINED:
    case LIBRARY:
    case DEPENDENCY_PAIR:
    case DEPENDENCY_WORD:
        act_on_words(r, row, value);
        return 0;
    default:
        return act_on_goal(r, row, value);
    }
}

/* True when the word is that option: `behind` is what follows its name. */
static bool names(const char *arg, const char *name, const char **behind)
{
    const size_t n = strlen(name);
    arg += 1 + (arg[1] == '-');
    *behind = arg + n;
    return n && strncmp(arg, name, n) == 0;
}

/* The value of the option that argv[*i] is, of which `behind` is left over; NULL when it is not that option. */
static const char *value_of(const struct row *row, const char *behind, int argc, char **argv, int *i)
{
    const char *next = *i + 1 < argc ? argv[*i + 1] : "";
    if (row->value == NONE)
        return *behind ? NULL : "";
    if (*behind == '=')
        return behind + 1;
    if (*behind)
        return row->value == JOINED && (row->act == LANGUAGE || (*behind >= '0' && *behind <= '9')) ? behind : NULL;
    if (row->value == TRUTH && strcmp(next, "true") != 0 && strcmp(next, "false") != 0)
        return "true";
    return *i + 1 < argc ? argv[++*i] : "";
}

/* The row of argv[*i] and its value, or NULL. A kind behind -Werror is only taken when nvcc has it. */
static const struct row *find_row(struct reading *r, int argc, char **argv, int *i, const char **value)
{
    const char *arg = argv[*i], *behind;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct row *row = &rows[k];
        const char *const spellings[] = {row->name, row->short_name};
        for (unsigned n = 0; n < 2; n++) {
            const bool one_letter = strlen(spellings[n]) == 1;
            if (!names(arg, spellings[n], &behind) || (one_letter && arg[1] == '-'))
                continue;
            int at = *i;
            if (!(*value = value_of(row, behind, argc, argv, &at)))
                continue;
            if (row->act == WERROR && !cc_take_kind_of_error(r->options, *value))
                continue;
            *i = at;
            return row;
        }
    }
    return NULL;
}

static int read_word(struct reading *r, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *value;
    if (arg[0] == '@')
        return read_options_file(r, arg + 1);
    if (arg[0] != '-' || !arg[1])
        return add_source(r->options, arg, r->diags);
    const int at = *i;
    const struct row *row = find_row(r, argc, argv, i, &value);
    if (row && row->act == WERROR)
        return 0;
    if (row && row->value != NONE && !*value)
        return diag_error(r->diags, DIAG_NOWHERE, NULL, "%s needs %s", argv[at],
                          row->act == OUTPUT ? "a file name" : "a value");
    if (row)
        return act_on(r, row, value);
    if (!cc_pass_pair(r->options, argc, argv, i, r->arena) && !cc_pass_on(r->options, arg, r->arena))
        vec_push(&r->options->unknown, arg);
    return 0;
}

static int read_words(struct reading *r, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (read_word(r, argc, argv, &i))
            return -1;
    return 0;
}

const char *cc_option_near(const char *word, struct arena *arena)
{
    const char *candidates[2 * sizeof rows / sizeof *rows + 1];
    unsigned count = 0;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        candidates[count++] = arena_printf(arena, "--%s", rows[k].name);
        if (*rows[k].short_name)
            candidates[count++] = arena_printf(arena, "-%s", rows[k].short_name);
    }
    candidates[count] = NULL;
    return str_nearest(word, candidates);
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
    if (options->goal == CC_GOAL_TEXT && compiled != 1)
        return diag_error(diags, DIAG_NOWHERE, NULL, "%s takes one source file", options->text_option);
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
    struct reading r = {.options = options, .arena = arena, .diags = diags};
    if (read_words(&r, argc - 1, argv + 1))
        return -1;
    return options->help || options->version ? 0 : check_files(options, diags);
}

void cc_options_free(struct cc_options *options)
{
    vec_free(&options->sources);
    vec_free(&options->shared);
    vec_free(&options->host);
    vec_free(&options->link);
    vec_free(&options->unknown);
}
