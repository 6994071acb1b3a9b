/* The last step of `lockstep cc`: g++ links programs, ar makes archives. Libraries of NVIDIA's that there are none of
 * here are left out with a word, since build files name more of them than their programs call. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cc_session.h"

/* `symbols`: how the names of its functions begin. */
static const struct library {
    const char *name, *called, *symbols;
} libraries[] = {
    {"cuda", "driver interface", "cu"},
    {"cublas", "cuBLAS", "cublas"},
    {"cublasLt", "cuBLAS", "cublasLt"},
    {"curand", "cuRAND of the host", "curand"},
    {"cufft", "cuFFT", "cufft"},
    {"cufftw", "cuFFT", "fftw"},
    {"cusparse", "cuSPARSE", "cusparse"},
    {"cusolver", "cuSOLVER", "cusolver"},
    {"cusolverMg", "cuSOLVER for several GPUs", "cusolverMg"},
    {"cudnn", "cuDNN", "cudnn"},
    {"nccl", "NCCL", "nccl"},
    {"nvrtc", "NVRTC", "nvrtc"},
    {"nvJitLink", "nvJitLink", "nvJitLink"},
    {"nvidia-ml", "NVML", "nvml"},
    {"nvToolsExt", "NVTX library (nvtx3 is headers alone)", "nvtx"},
    {"cupti", "CUPTI", "cupti"},
    {"cufile", "cuFile", "cuFile"},
    {"nvjpeg", "nvJPEG", "nvjpeg"},
    {"nvgraph", "nvGRAPH", "nvgraph"},
    {"cutensor", "cuTENSOR", "cutensor"},
    {"cutensorMg", "cuTENSOR for several GPUs", "cutensorMg"},
    {"cusparseLt", "cuSPARSELt", "cusparseLt"},
    {"nppc", "NPP", "npp"},
    {"nppial", "NPP", "npp"},
    {"nppif", "NPP", "npp"},
    {"nppig", "NPP", "npp"},
    {"nppist", "NPP", "npp"},
    {"nppicc", "NPP", "npp"},
    {"nppidei", "NPP", "npp"},
    {"nppim", "NPP", "npp"},
    {"nppisu", "NPP", "npp"},
    {"nppitc", "NPP", "npp"},
    {"npps", "NPP", "npp"},
};

/* The library, or the one whose static form is named so. */
static const struct library *find_library(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const size_t n = strlen(libraries[i].name);
        if (strncmp(libraries[i].name, name, n) == 0 && (!name[n] || strcmp(name + n, "_static") == 0))
            return &libraries[i];
    }
    return NULL;
}

/* The library of this installation, which it may lack. */
static const char *library_here(struct cc_session *s, const struct library *library)
{
    return arena_printf(&s->arena, "%s/lib%s.so", s->tools.library_dir, library->name);
}

/* Appends the options of the linker: of NVIDIA's libraries those that this installation has. */
static void push_link_options(struct cc_session *s, struct cc_args *command)
{
    const struct cc_args *link = &s->options.link;
    for (size_t i = 0; i < link->count; i++) {
        const char *option = link->items[i];
        if (s->options.openmp && (strcmp(option, "-lgomp") == 0 || strcmp(option, "-lomp") == 0))
            continue; /* clang's own comes, which has the names of GCC's too */
        const struct library *library = strncmp(option, "-l", 2) == 0 ? find_library(option + 2) : NULL;
        if (!library) {
            vec_push(command, option);
            continue;
        }
        const char *here = library_here(s, library);
        if (access(here, R_OK) == 0)
            vec_push(command, here);
        else
            fprintf(stderr,
                    "lockstep cc: note: %s is left out: there is no %s, and a program that calls it does "
                    "not link\n",
                    option, library->called);
    }
}

/* Options for the linker itself, which another linker may not know. */
static bool asks_linker(const struct cc_args *options)
{
    for (size_t i = 0; i < options->count; i++)
        if (strncmp(options->items[i], "-Wl,", 4) == 0 || strncmp(options->items[i], "-fuse-ld=", 9) == 0 ||
            strcmp(options->items[i], "-z") == 0)
            return true;
    return false;
}

const char *cc_find_openmp(struct cc_session *s)
{
    char resolved[PATH_MAX];
    const char *real = realpath(s->tools.clang, resolved) ? resolved : s->tools.clang, *bin = strrchr(real, '/');
    const char *beside = arena_printf(&s->arena, "%.*s/../lib", bin ? (int)(bin - real) : 1, bin ? real : ".");
    const char *const folders[] = {beside, "/usr/lib/x86_64-linux-gnu", "/usr/local/lib"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (access(arena_printf(&s->arena, "%s/libomp.so", folders[i]), R_OK) == 0)
            return folders[i];
    return NULL;
}

static int push_openmp(struct cc_session *s, struct cc_args *command)
{
    const char *folder = cc_find_openmp(s);
    if (!folder)
        return diag_error(&s->diags, DIAG_NOWHERE,
                          arena_printf(&s->arena, "install the Debian package libomp-%d-dev", s->llvm_version),
                          "-fopenmp: the OpenMP library of clang %d is not installed", s->llvm_version);
    PUSH(command, arena_printf(&s->arena, "%s/libomp.so", folder), arena_printf(&s->arena, "-Wl,-rpath,%s", folder));
    return 0;
}

/* True when the linker found no definition of such a function. ld and gold quote in their own ways. */
static bool is_undefined(const char *words, const char *symbols)
{
    static const char before[] = "undefined reference to ";
    for (const char *at = words; (at = strstr(at, before)); at++) {
        const char *name = at + strlen(before) + 1;
        const size_t n = strlen(symbols);
        /* cuInit, not cudaMalloc */
        if (strncmp(name, symbols, n) == 0 && (strcmp(symbols, "cu") != 0 || (name[n] >= 'A' && name[n] <= 'Z')))
            return true;
    }
    return false;
}

/* Whose functions the program lacks: those of a library that is not linked, or not there, or not whole. */
static void hint_at_library(struct cc_session *s, const char *words, struct strbuf *to)
{
    const struct library *library = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (is_undefined(words, libraries[i].symbols))
            library = &libraries[i]; /* of cuda and cublas, the second */
    if (!library)
        return;
    if (access(library_here(s, library), R_OK) == 0)
        strbuf_addf(to,
                    "lockstep cc: hint: %s has not all of NVIDIA's functions here (docs/cuda.md names what is); -l%s "
                    "links those that it has\n",
                    library->called, library->name);
    else
        strbuf_addf(to, "lockstep cc: hint: there is no %s here, and the program calls it\n", library->called);
}

/* Says why, where we know it. */
static void hint_at(struct cc_session *s, const char *words, struct strbuf *to)
{
    hint_at_library(s, words, to);
    if (is_undefined(words, "omp_") || is_undefined(words, "__kmpc_") || is_undefined(words, "GOMP_"))
        strbuf_add(to, "lockstep cc: hint: give -fopenmp to the command that links as well\n");
    if (is_undefined(words, "__cudaRegisterLinkedBinary"))
        strbuf_add(to, "lockstep cc: hint: an object that nvcc -rdc=true made is linked by nvcc; or compile it with "
                       "`lockstep cc -rdc=true`\n");
}

static int run_linker(struct cc_session *s, struct cc_args *command)
{
    struct strbuf words = {0};
    int status = cc_run_listening(s, command, &words, false);
    if (status)
        hint_at(s, strbuf_text(&words), &words);
    return cc_end_command(s, command, &words, status);
}

/* Asks for the members of archives that have device code. */
static void push_members(struct cc_session *s, struct cc_args *command)
{
    struct cc_args members = {0};
    cc_find_members(s, &members);
    for (size_t i = 0; i < members.count; i++)
        PUSH(command, "-u", members.items[i]);
    vec_free(&members);
}

int cc_link_program(struct cc_session *s, const struct cc_args *objects)
{
    const char *library = arena_printf(&s->arena, "%s/libcudart.so.13", s->tools.library_dir);
    const char *program = arena_printf(&s->arena, "%s/program", s->temp);
    struct cc_args command = {0};
    if (access(library, R_OK))
        return diag_error(&s->diags, DIAG_NOWHERE, "the installation is incomplete; -c compiles without linking",
                          "libcudart.so.13 not found in %s", s->tools.library_dir);
    PUSH(&command, s->tools.cxx);
    if (s->tools.gold && !asks_linker(&s->options.link))
        PUSH(&command, "-fuse-ld=gold");
    push_members(s, &command);
    cc_push_all(&command, objects->items, objects->count);
    push_link_options(s, &command);
    if (s->options.openmp && push_openmp(s, &command)) {
        vec_free(&command);
        return -1;
    }
    PUSH(&command, "-o", program, library, arena_printf(&s->arena, "-Wl,-rpath,%s", s->tools.library_dir), "-lpthread",
         "-lm");
    if (run_linker(s, &command))
        return -1;
    return cc_move_file(program, s->options.output ? s->options.output : "a.out", &s->diags);
}

int cc_make_archive(struct cc_session *s, const struct cc_args *objects)
{
    const char *archive = arena_printf(&s->arena, "%s/archive.a", s->temp);
    struct cc_args command = {0};
    PUSH(&command, "ar", "rcs", archive);
    cc_push_all(&command, objects->items, objects->count);
    for (size_t i = 0; i < s->options.sources.count; i++)
        if (s->options.sources.items[i].kind == CC_SOURCE_OBJECT)
            vec_push(&command, s->options.sources.items[i].path);
    if (cc_run_and_free(s, &command))
        return -1;
    return cc_move_file(archive, s->options.output ? s->options.output : "a.a", &s->diags);
}

int cc_make_linked_object(struct cc_session *s)
{
    const char *object = arena_printf(&s->arena, "%s/linked.o", s->temp);
    const char *source = arena_printf(&s->arena, "%s/linked.s", s->temp);
    struct cc_args command = {0}, members = {0};
    struct strbuf text = {0};
    cc_find_members(s, &members);
    strbuf_add(&text, "\t.data\n");
    for (size_t i = 0; i < members.count; i++)
        strbuf_addf(&text, "\t.quad %s\n", members.items[i]);
    strbuf_add(&text, "\t.section .note.GNU-stack,\"\",@progbits\n");
    int rc = file_write(source, strbuf_text(&text), text.length, &s->diags);
    strbuf_free(&text);
    vec_free(&members);
    if (rc)
        return -1;
    PUSH(&command, s->tools.clang, "-c", source, "-o", object);
    if (cc_run_and_free(s, &command))
        return -1;
    return cc_move_file(object, s->options.output ? s->options.output : "a_dlink.o", &s->diags);
}
