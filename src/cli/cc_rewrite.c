/* Which sources are rewritten (cc_source.c), and how clang comes to see them. Clang takes a list of files that stand in
 * for others under their names, a virtual file system: its messages, its line tables and __FILE__ keep naming what the
 * user wrote. The main source is looked at before the first compilation, which costs nothing worth measuring; headers
 * only after one has failed, since clang has to be asked for them. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cc.h"
#include "cli/cc_source.h"

/* A program whose headers need this many compilations is not one that we know how to rewrite. */
#define MOST_ROUNDS 8

/* Takes `//`, `/./` and `/../` out of an absolute path, as clang does when it looks one up. */
static void clean_path(char *path)
{
    char *to = path;
    for (const char *from = path; *from;) {
        const char *part = from + strspn(from, "/");
        const size_t n = strcspn(part, "/");
        from = part + n;
        if (n == 0 || (n == 1 && *part == '.'))
            continue;
        if (n == 2 && strncmp(part, "..", 2) == 0) {
            while (to > path && *--to != '/')
                ;
            continue;
        }
        *to++ = '/';
        memmove(to, part, n);
        to += n;
    }
    *to = '\0';
}

/* The directory in which relative paths begin, as clang names it: PWD, whose path may lead through links, if that names
 * the working directory; else getcwd's path. False: it has no name. */
static bool get_directory(char directory[PATH_MAX])
{
    const char *named = getenv("PWD");
    struct stat there, here;
    if (named && *named == '/' && strlen(named) < PATH_MAX && stat(named, &there) == 0 && stat(".", &here) == 0 &&
        there.st_dev == here.st_dev && there.st_ino == here.st_ino) {
        strcpy(directory, named);
        return true;
    }
    return getcwd(directory, PATH_MAX) != NULL;
}

static const char *absolute(const char *path, size_t length, struct arena *arena)
{
    char directory[PATH_MAX];
    const bool whole = *path == '/' || !get_directory(directory);
    char *name = arena_printf(arena, "%s/%.*s", whole ? "" : directory, (int)length, path);
    clean_path(name);
    return name;
}

static void add_file(struct cc_rewrites *rewrites, const char *path)
{
    for (size_t i = 0; i < rewrites->files.count; i++)
        if (strcmp(rewrites->files.items[i], path) == 0)
            return;
    vec_push(&rewrites->files, path);
}

/* Quotes for YAML. */
static void add_quoted(struct strbuf *to, const char *text)
{
    strbuf_add(to, "'");
    for (; *text; text++)
        strbuf_addf(to, *text == '\'' ? "''" : "%c", *text);
    strbuf_add(to, "'");
}

/* Rewrites one file; what stands in for it is written and entered in the list. */
static int rewrite_file(struct cc_rewrites *rewrites, const char *path, unsigned *number, struct strbuf *list,
                        struct strbuf *contents, struct arena *arena)
{
    struct strbuf text = {0}, out = {0};
    int rc = 0;
    if (file_load(path, FILE_TEXT_MOST, &text) == 0 && strlen(strbuf_text(&text)) == text.length &&
        cc_source_rewrite(strbuf_text(&text), path, rewrites->spots, number, arena, &out)) {
        const char *copy = arena_printf(arena, "%s/source%u", rewrites->temp, ++rewrites->files_made);
        rc = file_store(copy, strbuf_text(&out), out.length, 0600);
        strbuf_add(list, "  { 'type': 'file', 'name': ");
        add_quoted(list, path);
        strbuf_add(list, ", 'external-contents': ");
        add_quoted(list, copy);
        strbuf_add(list, " },\n");
        strbuf_addf(contents, "%s\n%s\n", path, strbuf_text(&out));
    }
    strbuf_free(&text);
    strbuf_free(&out);
    return rc;
}

/* Rewrites all files, again where a file has told of a macro that may be in one before it. True when the result is
 * another than before. */
static bool rewrite_all(struct cc_rewrites *rewrites, struct arena *arena)
{
    struct strbuf list = {0}, contents = {0};
    size_t known;
    int rc = 0;
    do {
        unsigned number = 0;
        known = rewrites->spots->count;
        strbuf_free(&list);
        strbuf_free(&contents);
        strbuf_add(&list, "{ 'version': 0, 'case-sensitive': 'true', 'use-external-names': 'false', 'roots': [\n");
        for (size_t i = 0; i < rewrites->files.count && !rc; i++)
            rc = rewrite_file(rewrites, rewrites->files.items[i], &number, &list, &contents, arena);
    } while (!rc && rewrites->spots->count != known);
    strbuf_add(&list, "] }\n");
    const bool changed = !rc && strcmp(strbuf_text(&contents), strbuf_text(&rewrites->contents)) != 0;
    if (changed) {
        strbuf_free(&rewrites->contents);
        rewrites->contents = contents;
        const char *overlay = arena_printf(arena, "%s/sources%u.yaml", rewrites->temp, ++rewrites->files_made);
        if (file_store(overlay, list.text, list.length, 0600) == 0)
            rewrites->overlay = overlay;
    } else {
        strbuf_free(&contents);
    }
    strbuf_free(&list);
    return changed;
}

void cc_rewrites_begin(struct cc_rewrites *rewrites, const char *source, const char *temp, struct arena *arena)
{
    *rewrites = (struct cc_rewrites){.source = source, .temp = temp, .spots = base_calloc(1, sizeof(struct cc_spots))};
    add_file(rewrites, absolute(source, strlen(source), arena));
    rewrite_all(rewrites, arena);
}

/* The files of a list of dependencies, as make reads it: `x.o: a.cu \` ... */
static void add_dependencies(struct cc_rewrites *rewrites, const char *list, struct arena *arena)
{
    const char *at = strchr(list, ':');
    struct strbuf name = {0};
    for (at = at ? at + 1 : ""; *at; at++) {
        const bool escaped = *at == '\\' && (at[1] == ' ' || at[1] == '#');
        at += escaped;
        if (*at == '$' && at[1] == '$')
            at++;
        const bool between = !escaped && (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n'));
        if (!between)
            strbuf_addn(&name, at, 1);
        if ((between || !at[1]) && name.length) {
            add_file(rewrites, absolute(name.text, name.length, arena));
            strbuf_free(&name);
        }
    }
    strbuf_free(&name);
}

/* Asks clang for the headers of the program. That it may fail over one that is missing is no matter here. */
static void list_files(struct cc_rewrites *rewrites, struct cc_process *process, const struct cc_args *command,
                       struct arena *arena)
{
    const char *list = arena_printf(arena, "%s/sources.d", rewrites->temp);
    const char *const last[] = {"-MM", "-MF", list, rewrites->source, NULL};
    struct cc_args words = {0};
    struct diag_sink silent;
    struct strbuf text = {0};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    diag_init(&silent);
    for (size_t i = 0; i < command->count; i++)
        vec_push(&words, command->items[i]);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vec_push(&words, last[i]);
    if (nowhere >= 0 && cc_run(process, &words, nowhere, nowhere, &silent) == 0 &&
        file_load(list, FILE_TEXT_MOST, &text) == 0)
        add_dependencies(rewrites, strbuf_text(&text), arena);
    if (nowhere >= 0)
        close(nowhere);
    strbuf_free(&text);
    diag_free(&silent);
    vec_free(&words);
}

/* `FILE:LINE:COLUMN: WORD` */
static bool read_place(const char *line, size_t length, struct cc_spot *spot, const char **behind, struct arena *arena)
{
    for (const char *c = line; (c = memchr(c, ':', length - (size_t)(c - line))); c++) {
        int n = 0;
        if (sscanf(c, ":%u:%u: %n", &spot->line, &spot->column, &n) == 2 && n) {
            spot->path = absolute(line, (size_t)(c - line), arena);
            *behind = c + n;
            return true;
        }
    }
    return false;
}

/* The kind of clang's last error, and where clang tells the place that is to be rewritten: in the error itself, with
 * notes of macros behind it, or in a note of a declaration. */
struct complaint {
    int kind;         /* -1: none that we know */
    const char *note; /* begins the note at the place; NULL: the place is the error's own */
    bool is_told;     /* the line before told the place, as number `spot`: notes of macros that follow do so too */
    size_t spot;
};
#define NO_COMPLAINT ((struct complaint){.kind = -1})

/* `X function 'f' cannot overload Y function 'f'`: the one that is not for both sides is to be. */
static void note_overload(const char *error, struct complaint *of)
{
    static const char both[] = "__host__ __device__ function '";
    const char *rest = strstr(error, "' cannot overload "), *end = error + strcspn(error, "\n");
    if (!rest || rest > end || strncmp(error, "__global__", 10) == 0)
        return;
    rest += strlen("' cannot overload ");
    if (strncmp(error, both, strlen(both)) == 0)
        of->note = "note: previous declaration is here";
    if (strncmp(rest, "__global__", 10) != 0)
        of->kind = CC_SPOT_BOTH;
}

static struct complaint read_error(const char *error)
{
    static const struct {
        const char *text;
        enum cc_spot_kind kind;
    } causes[] = {{"initialization is not supported for __shared__ variables", CC_SPOT_SHARED},
                  {"default arguments cannot be added to an out-of-line definition", CC_SPOT_DEFAULT},
                  {"use 'template' keyword to treat", CC_SPOT_TEMPLATE},
                  {"missing 'typename' prior to dependent type name", CC_SPOT_TYPENAME},
                  {"an attribute list cannot appear here", CC_SPOT_ATTRIBUTE},
                  {"unknown type name '__managed__'", CC_SPOT_MANAGED},
                  {"__constant__, __device__, and __managed__ are not allowed on non-static local", CC_SPOT_LOCAL},
                  {"variable-sized object may not be initialized", CC_SPOT_SIZED},
                  {"out-of-line definition of '", CC_SPOT_DEVICE},
                  {"reference to __host__ function '~", CC_SPOT_BOTH}};
    static const char misplaced[] = "' attribute cannot be applied to types";
    struct complaint of = NO_COMPLAINT;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strncmp(error, causes[i].text, strlen(causes[i].text)) == 0)
            of.kind = (int)causes[i].kind;
    if (*error == '\'' && strncmp(error + 1 + strcspn(error + 1, "'\n"), misplaced, strlen(misplaced)) == 0)
        of.kind = CC_SPOT_ATTRIBUTE;
    if (of.kind == CC_SPOT_BOTH)
        of.note = "note: '~";
    note_overload(error, &of);
    return of;
}

/* Notes the places of one line of clang's. `of`: the error before; what is in a macro is told by a note behind it. */
static void note_line(struct cc_rewrites *rewrites, const char *line, size_t length, struct complaint *of,
                      struct arena *arena)
{
    static const char of_macro[] = "note: expanded from macro";
    struct cc_spot spot = {0};
    const char *behind;
    if (!read_place(line, length, &spot, &behind, arena))
        return;
    const bool is_note = strncmp(behind, "note: ", 6) == 0, is_macro = strncmp(behind, of_macro, strlen(of_macro)) == 0;
    if (!is_note)
        *of = strncmp(behind, "error: ", 7) == 0 ? read_error(behind + 7) : NO_COMPLAINT;
    if (!is_note || !is_macro)
        of->is_told = is_note ? of->note && strncmp(behind, of->note, strlen(of->note)) == 0 : !of->note;
    else if (of->is_told && of->kind >= 0)
        rewrites->spots->items[of->spot].is_expanded = true;
    if (of->kind < 0 || !of->is_told)
        return;
    spot.kind = (enum cc_spot_kind)of->kind;
    of->spot = cc_spot_add(rewrites->spots, &spot);
}

/* Without the colours of a terminal. */
static void strip_colours(const char *from, struct strbuf *to)
{
    for (; *from; from++) {
        if (*from == '\033' && from[1] == '[')
            from += 2 + strspn(from + 2, "0123456789;");
        else
            strbuf_addn(to, from, 1);
    }
}

/* True when one of these is in clang's words. */
static bool has_one(const char *words, const char *const *complaints, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(words, complaints[i]))
            return true;
    return false;
}

/* Learns from clang's words of names that texture references alone have, and of such as NVIDIA's headers bring along.
 * True when a program is to get what it did not have yet. */
static bool note_missing(struct cc_rewrites *rewrites, const char *words)
{
    static const char *const of_textures[] = {"error: no template named 'texture'",
                                              "error: unknown type name 'texture'",
                                              "error: unknown template name 'texture'",
                                              "error: use of undeclared identifier 'texture'",
                                              "error: use of undeclared identifier 'cudaBindTexture'",
                                              "error: use of undeclared identifier 'cudaUnbindTexture'"};
    static const char *const of_others[] = {"' in namespace 'std'",
                                            "' in namespace 'cuda'",
                                            "' in namespace 'cuda::std'",
                                            "' in namespace 'thrust'",
                                            "error: use of undeclared identifier 'cuda'",
                                            "error: use of undeclared identifier 'thrust'"};
    const bool textures = has_one(words, of_textures, sizeof of_textures / sizeof *of_textures),
               forgotten = has_one(words, of_others, sizeof of_others / sizeof *of_others),
               newly = (textures && !rewrites->has_textures) || (forgotten && !rewrites->has_forgotten);
    rewrites->has_textures |= textures;
    rewrites->has_forgotten |= forgotten;
    return newly;
}

bool cc_rewrites_after(struct cc_rewrites *rewrites, struct cc_process *process, const struct cc_args *command,
                       const char *words, struct arena *arena)
{
    struct strbuf plain = {0};
    struct complaint of = NO_COMPLAINT;
    if (++rewrites->rounds > MOST_ROUNDS)
        return false;
    strip_colours(words, &plain);
    const bool newly = note_missing(rewrites, strbuf_text(&plain));
    for (const char *line = strbuf_text(&plain); *line;) {
        const size_t n = strcspn(line, "\n");
        note_line(rewrites, line, n, &of, arena);
        line += n + (line[n] == '\n');
    }
    strbuf_free(&plain);
    list_files(rewrites, process, command, arena);
    return rewrite_all(rewrites, arena) || newly;
}

void cc_rewrites_candidates(struct cc_rewrites *rewrites, struct cc_process *process, const struct cc_args *command,
                            const struct cc_names *names, const char *own, struct cc_spots *candidates,
                            struct arena *arena)
{
    const char *headers = absolute(own, strlen(own), arena);
    list_files(rewrites, process, command, arena);
    for (size_t i = 0; i < rewrites->files.count; i++) {
        const char *path = rewrites->files.items[i];
        struct strbuf text = {0};
        struct cc_tokens tokens = {0};
        const bool is_own = strncmp(path, headers, strlen(headers)) == 0 && path[strlen(headers)] == '/';
        if (!is_own && file_load(path, FILE_TEXT_MOST, &text) == 0 && strlen(strbuf_text(&text)) == text.length) {
            cc_tokens_read(&tokens, strbuf_text(&text));
            cc_find_unmarked(&tokens, path, names, candidates);
        }
        vec_free(&tokens);
        strbuf_free(&text);
    }
}

void cc_rewrites_add(struct cc_rewrites *rewrites, const struct cc_spot *spots, size_t count, struct arena *arena)
{
    for (size_t i = 0; i < count; i++)
        cc_spot_add(rewrites->spots, &spots[i]);
    rewrites->rounds = 0;
    rewrite_all(rewrites, arena);
}

void cc_rewrites_take_back(struct cc_rewrites *rewrites, size_t count, struct arena *arena)
{
    rewrites->spots->count = count;
    rewrite_all(rewrites, arena);
}

void cc_rewrites_free(struct cc_rewrites *rewrites)
{
    if (rewrites->spots)
        vec_free(rewrites->spots);
    free(rewrites->spots);
    vec_free(&rewrites->files);
    strbuf_free(&rewrites->contents);
}

/* The library whose header, of a name that begins so, clang did not find. */
static void hint_at_header(const char *words, struct strbuf *to)
{
    static const char *const headers[][2] = {{"cublasXt", "cuBLASXt"},
                                             {"cusparseLt", "cuSPARSELt"},
                                             {"cusolverSp", "cuSOLVER's sparse part"},
                                             {"cufftw", "cuFFTW"},
                                             {"curand", "cuRAND"},
                                             {"cudnn", "cuDNN"},
                                             {"nccl", "NCCL"},
                                             {"nvml", "NVML"},
                                             {"cupti", "CUPTI"},
                                             {"npp", "NPP"},
                                             {"cutensor", "cuTENSOR"},
                                             {"nvToolsExt", "NVTX"}};
    char missing[64];
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        snprintf(missing, sizeof missing, "error: '%s", headers[i][0]);
        const char *at = strstr(words, missing);
        if (at && strncmp(at + strcspn(at, "\n") - 16, "' file not found", 16) == 0)
            strbuf_addf(to, "lockstep cc: hint: %s is not there (docs/cuda.md names what is)\n", headers[i][1]);
    }
}

/* True when clang does not know a name, of a function or of a type, that begins so. */
static bool misses_name(const char *words, const char *beginning)
{
    static const char *const complaints[] = {"use of undeclared identifier '", "unknown type name '"};
    char missing[64];
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        snprintf(missing, sizeof missing, "%s%s", complaints[i], beginning);
        if (strstr(words, missing))
            return true;
    }
    return false;
}

/* Libraries of which there is a part. */
static void hint_at_library(const char *words, struct strbuf *to)
{
    static const char *const libraries[][3] = {{"cublas", "CUBLAS", "cuBLAS"},
                                               {"cusparse", "CUSPARSE", "cuSPARSE"},
                                               {"cufft", "CUFFT", "cuFFT"},
                                               {"cusolver", "CUSOLVER", "cuSOLVER"}};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (misses_name(words, libraries[i][0]) || misses_name(words, libraries[i][1]))
            strbuf_addf(to,
                        "lockstep cc: hint: %s has not all of NVIDIA's functions here (docs/cuda.md names what is)\n",
                        libraries[i][2]);
    if (misses_name(words, "cufftCallback") || misses_name(words, "CUFFT_CB_") ||
        misses_name(words, "cufftXtSetCallback"))
        strbuf_add(to, "lockstep cc: hint: cuFFT calls no functions of the program's: a kernel before or behind the "
                       "transform stands in\n");
}

void cc_hints(const char *said, struct strbuf *to)
{
    static const struct {
        const char *words, *hint;
    } causes[] = {
        {"is ambiguous", "namespace std has that name as well: write ::NAME, or leave `using namespace std` out"},
        {"reference to __host__ function", "mark the function __host__ __device__, if kernels are to call it"},
        {"cannot be narrowed", "constants that do not fit are errors in braces: convert them, as in (char)200"},
        {"unknown type name 'half'", "include cuda_fp16.h"},
        {"unknown type name '__half'", "include cuda_fp16.h"},
        {"'omp.h' file not found", "install the Debian package libomp-NN-dev, NN being clang's version"},
        {"to __global__ function",
         "a kernel cannot launch kernels here (dynamic parallelism): launch them from the host"},
        {"unknown argument", "the options of -Xcompiler go to clang, which has not all of g++'s"},
#define CC_LIBRARY(words, hint) {"'" words, hint},
#include "cli/cc_libraries.def"
#undef CC_LIBRARY
        {"'cub/", "cub, Thrust and libcu++ come with libcub-dev, libthrust-dev and libcu++-dev"},
        {"'thrust/", "cub, Thrust and libcu++ come with libcub-dev, libthrust-dev and libcu++-dev"},
        {"'cuda/", "cub, Thrust and libcu++ come with libcub-dev, libthrust-dev and libcu++-dev"},
        {"'__managed__'", "__managed__ is for variables at namespace scope, declared in one statement"},
        {"initialization is not supported for __shared__", "initialize the variable by an assignment in one thread"},
    };
    struct strbuf hints = {0}, plain = {0};
    strip_colours(said, &plain);
    const char *words = strbuf_text(&plain);
    hint_at_header(words, &hints);
    hint_at_library(words, &hints);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strstr(words, causes[i].words) && !(hints.text && strstr(hints.text, causes[i].hint)))
            strbuf_addf(&hints, "lockstep cc: hint: %s\n", causes[i].hint);
    strbuf_add(to, strbuf_text(&hints));
    strbuf_free(&hints);
    strbuf_free(&plain);
}
