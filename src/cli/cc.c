/* `lockstep cc`: CUDA C++ in, a program for the simulated GPU out, with Debian's clang and no NVIDIA software.
 *
 * A .cu file is compiled twice. The device pass gives PTX: clang emits unoptimized LLVM IR, opt runs the passes listed
 * below, llc writes PTX. The host pass embeds that PTX and registers its kernels with libcudart at start-up. g++ links.
 *
 * Why not clang -O2: SimplifyCFG and jump threading move the release of a spin lock out of the loop that acquires it
 * (both ends of the loop jump to one place, so the block that releases seems to lie after the loop). On a machine with
 * a reconvergence stack the lane that got the lock then waits for the lanes that spin: deadlock. The list below leaves
 * both out; tests/cc/lock_shapes.sh holds the result. It is -O2, not -O1, that clang is given, since -O1 marks every
 * loop as not to be unrolled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cc_session.h"
#include "cli/cli.h"

/* %1$s is the spelling of instcombine: from LLVM 18 on the plain name aborts when one sweep leaves something to do. */
static const char device_passes[] = "-passes=always-inline,inline,globalopt,"
                                    "function(sroa,early-cse<memssa>,%1$s,loop-simplify,lcssa,"
                                    "loop(loop-instsimplify,loop-simplifycfg,loop-rotate),loop-mssa(licm),"
                                    "loop(indvars,loop-deletion,loop-unroll-full),"
                                    "sroa,early-cse<memssa>,%1$s,gvn,adce,dse),"
                                    "globaldce";

/* The two compilations of a CUDA source. */
#define DEVICE "device"
#define HOST "host"

void cc_push_all(struct cc_args *command, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vec_push(command, items[i]);
}

int cc_run_listening(struct cc_session *s, struct cc_args *command, struct strbuf *words, bool is_silent)
{
    const char *path;
    struct diag_sink silent;
    vec_push(command, NULL);
    diag_init(&silent);
    int errors = cc_temp_file(s->temp, &path, &s->arena, &silent), status = -1;
    if (errors >= 0 || !is_silent)
        status = cc_run(&s->process, command, -1, errors, is_silent ? &silent : &s->diags);
    if (errors >= 0 && close(errors) == 0)
        file_load(path, FILE_NO_BOUND, words);
    diag_free(&silent);
    return status;
}

int cc_run_and_free(struct cc_session *s, struct cc_args *command)
{
    struct strbuf words = {0};
    int status = cc_run_listening(s, command, &words, false);
    return cc_end_command(s, command, &words, status);
}

int cc_end_command(struct cc_session *s, struct cc_args *command, struct strbuf *words, int status)
{
    if (status)
        cc_hints(strbuf_text(words), words);
    fputs(strbuf_text(words), stderr);
    if (status && !s->process.interrupted)
        cc_temp_dir_check(s->temp, &s->arena, &s->diags);
    strbuf_free(words);
    vec_free(command);
    return status ? -1 : 0;
}

/* The macros that nvcc 13.0 (the version that our headers have) defines before the first line of every source; those of
 * its headers stand in ours. CCCL is asked to leave out what is not there: NVTX's own headers, and 8-bit floats, of which
 * it wants e8m0. Not defined: what says that something is there which is not
 * (__CUDACC_DEVICE_ATOMIC_BUILTINS__), and what clang defines itself (__CUDACC__, __CUDA_ARCH__). */
static void push_nvcc_macros(struct cc_session *s, struct cc_args *command)
{
    unsigned capability = 0;
    sscanf(s->options.arch, "sm_%u", &capability);
    PUSH(command, "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=88",
         "-D__CUDA_API_VER_MAJOR__=13", "-D__CUDA_API_VER_MINOR__=0", "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
         "-DCCCL_DISABLE_NVTX", "-DCCCL_DISABLE_NVFP8_SUPPORT",
         arena_printf(&s->arena, "-D__CUDA_ARCH_LIST__=%u", capability * 10));
}

/* Appends the options that the device pass and the host pass of a CUDA source share. Warnings are left to the host
 * pass, which sees the same text. */
static void push_cuda_common(struct cc_session *s, struct cc_args *command)
{
    PUSH(command, s->tools.clang, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
         arena_printf(&s->arena, "--cuda-gpu-arch=%s", s->options.arch),
         arena_printf(&s->arena, "-std=%s", s->options.standard), "-isystem", s->tools.include_dir, "-include",
         arena_printf(&s->arena, "%s/cuda_runtime.h", s->tools.include_dir), "-Xclang", "-target-sdk-version=11.0");
    PUSH(command, "-Xclang", "-fcuda-allow-variadic-functions"); /* f(...): traits of libraries never call theirs */
    push_nvcc_macros(s, command);
    if (s->options.relocatable)
        PUSH(command, "-D__CUDACC_RDC__");
    /* Narrowing in braces, of no constant: nvcc and g++ warn. `register`: they say nothing. */
    PUSH(command, "-Wno-error=c++11-narrowing", "-Wno-register");
    cc_push_all(command, s->options.shared.items, s->options.shared.count);
}

/* Compiles by this command with the last words appended: with headers compiled beforehand if there are some for it and
 * for a pass with a name, and as it is if not, or if that fails. What clang says is added to `words`. Its status. */
static int attempt(struct cc_session *s, const char *pass, const struct cc_args *command, const struct cc_args *last,
                   struct strbuf *words)
{
    struct cc_args words_of = {0};
    const bool is_quick = pass && !s->rewrites.has_textures && !s->rewrites.has_forgotten &&
                          cc_headers_take(&s->tools, pass, command, &words_of, &s->arena);
    int status = 0;
    for (unsigned with_text = !is_quick; with_text < 2; with_text++) {
        if (with_text) {
            words_of.count = 0;
            cc_push_all(&words_of, command->items, command->count);
        }
        cc_push_all(&words_of, last->items, last->count);
        if (s->rewrites.has_textures)
            PUSH(&words_of, "-DLOCKSTEP_TEXTURE_REFERENCES");
        if (s->rewrites.has_forgotten)
            PUSH(&words_of, "-include", arena_printf(&s->arena, "%s/lockstep/forgotten.h", s->tools.include_dir));
        if (s->rewrites.overlay)
            PUSH(&words_of, "-ivfsoverlay", s->rewrites.overlay);
        if (words->text)
            words->text[words->length = 0] = '\0';
        if (isatty(STDERR_FILENO))
            vec_push(&words_of, "-fcolor-diagnostics");
        status = cc_run_listening(s, &words_of, words, !with_text);
        if (status == 0 || s->process.interrupted)
            break;
    }
    vec_free(&words_of);
    return status;
}

int cc_attempt(struct cc_session *s, const char *pass, const struct cc_args *command, const struct cc_args *last,
               struct strbuf *words)
{
    int status = attempt(s, pass, command, last, words);
    while (status > 0 && cc_rewrites_after(&s->rewrites, &s->process, command, strbuf_text(words), &s->arena))
        status = attempt(s, pass, command, last, words);
    return status;
}

/* Runs the command of a pass to its end, as cc_attempt does, and then frees it. `ir`: the file into which it puts device code, or
 * NULL. 0 when it succeeded. */
static int compile(struct cc_session *s, const char *pass, struct cc_args *command, const struct cc_args *last,
                   const char *ir)
{
    struct strbuf words = {0};
    int status = cc_attempt(s, pass, command, last, &words);
    if (!status && ir)
        status = cc_define_undefined(s, pass, command, last, ir);
    return cc_end_command(s, command, &words, status);
}

static void push_device_common(struct cc_session *s, struct cc_args *command)
{
    push_cuda_common(s, command);
    if (s->options.openmp) /* a version whose omp.h asks for no pragma */
        PUSH(command, "-D_OPENMP=201511");
    PUSH(command, "--cuda-device-only", "-DCUDA_DOUBLE_MATH_FUNCTIONS", "-w", "-gline-directives-only", "-Xclang",
         "-dwarf-version=2", "-S", "-Xclang", "-target-feature", "-Xclang",
         arena_printf(&s->arena, "+%s", s->options.ptx));
    /* Products and sums become fma, as with nvcc, except where a header forbids it by pragma. */
    if (s->options.no_contraction)
        PUSH(command, "-ffp-contract=off", "-DLOCKSTEP_NO_CONTRACTION");
    else
        PUSH(command, "-Xclang", "-ffp-contract=fast-honor-pragmas");
    if (s->options.rough_root)
        PUSH(command, "-DLOCKSTEP_ROUGH_ROOT");
    if (s->options.approximate)
        PUSH(command, "-DLOCKSTEP_FAST_MATH");
    if (s->options.flush_subnormals)
        PUSH(command, "-DLOCKSTEP_FLUSH",
             s->llvm_version >= 16 ? "-fgpu-flush-denormals-to-zero" : "-fcuda-flush-denormals-to-zero");
}

/* How llc is to divide floats, if not exactly: by div.full, or by div.approx. */
static const char *division(const struct cc_session *s)
{
    return s->options.approximate ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1";
}

/* Returns rc, that of a step that has worked on temporary files: where it failed, their directory may be the cause. */
static int check_temp(struct cc_session *s, int rc)
{
    if (rc)
        cc_temp_dir_check(s->temp, &s->arena, &s->diags);
    return rc;
}

/* Source to PTX by clang alone: -O2 when asked to be fast, else the gentler -O1, which nearly always leaves lock loops
 * alone. In two steps, for the sake of the debug locations. */
static int compile_device_directly(struct cc_session *s, const char *source, const char *stem, struct cc_places *places,
                                   struct cc_clusters *clusters, const char *ptx)
{
    const char *optimized = arena_printf(&s->arena, "%s.ll", stem);
    struct cc_args command = {0}, last = {0};
    push_device_common(s, &command);
    if (s->options.fast)
        PUSH(&command, "-O2");
    else
        PUSH(&command, "-O1", "-funroll-loops");
    PUSH(&last, "-emit-llvm", source, "-o", optimized);
    int rc = compile(s, NULL, &command, &last, optimized);
    vec_free(&last);
    if (rc || check_temp(s, cc_take_clusters(clusters, optimized, &s->diags)) ||
        check_temp(s, cc_number_ir(places, optimized, &s->diags)))
        return -1;
    PUSH(&command, s->tools.clang, "-cc1", "-triple", "nvptx64-nvidia-cuda", "-target-cpu", s->options.arch,
         "-target-feature", arena_printf(&s->arena, "+%s", s->options.ptx), "-w", "-S", "-fno-verbose-asm",
         s->options.fast ? "-O2" : "-O1", "-disable-llvm-passes", "-fno-dwarf-directory-asm", "-x", "ir", optimized,
         "-o", ptx);
    if (s->options.rough_division)
        PUSH(&command, "-mllvm", division(s));
    return cc_run_and_free(s, &command);
}

/* Source to LLVM IR as it is before any pass. */
static void push_device_passes(struct cc_session *s, struct cc_args *command)
{
    push_device_common(s, command);
    PUSH(command, "-O2", "-emit-llvm", "-Xclang", "-disable-llvm-passes");
}

static int compile_device_by_passes(struct cc_session *s, const char *source, const char *stem,
                                    struct cc_places *places, struct cc_clusters *clusters, const char *ptx)
{
    const char *raw = arena_printf(&s->arena, "%s.raw.ll", stem), *optimized = arena_printf(&s->arena, "%s.ll", stem);
    struct cc_args command = {0}, last = {0};
    push_device_passes(s, &command);
    PUSH(&last, source, "-o", raw);
    int rc = compile(s, DEVICE, &command, &last, raw);
    vec_free(&last);
    if (rc || check_temp(s, cc_take_clusters(clusters, raw, &s->diags)) || check_temp(s, cc_repair_ir(raw, &s->diags)))
        return -1;
    const char *instcombine = s->llvm_version >= 18 ? "instcombine<no-verify-fixpoint>" : "instcombine";
    PUSH(&command, s->tools.opt, "-S", "-unroll-threshold=600", arena_printf(&s->arena, device_passes, instcombine),
         raw, "-o", optimized);
    if (cc_run_and_free(s, &command) || check_temp(s, cc_number_ir(places, optimized, &s->diags)))
        return -1;
    /* A loop keeps its branch back at its end, as nvcc leaves it. Block placement would put the end before the head, so
     * that a spin loop went round by forward branches, which nothing that looks for loops sees. */
    PUSH(&command, s->tools.llc, "-O2", "-disable-block-placement",
         arena_printf(&s->arena, "-mcpu=%s", s->options.arch), arena_printf(&s->arena, "-mattr=+%s", s->options.ptx),
         "-asm-verbose=0", "-dwarf-directory=0", optimized, "-o", ptx);
    if (s->options.rough_division)
        PUSH(&command, division(s));
    return cc_run_and_free(s, &command);
}

static int compile_device(struct cc_session *s, const char *source, const char *stem, const char *ptx)
{
    bool passes = !s->options.fast && s->tools.opt && s->tools.llc;
    const char *written = arena_printf(&s->arena, "%s.written.ptx", stem);
    struct cc_places places = {0};
    struct cc_clusters clusters = {0};
    const struct cc_bounds bounds = {s->options.max_registers, &clusters};
    int rc = passes ? compile_device_by_passes(s, source, stem, &places, &clusters, written)
                    : compile_device_directly(s, source, stem, &places, &clusters, written);
    if (rc == 0)
        rc = check_temp(s, cc_repair_ptx(written, ptx, &places, &bounds, &s->diags));
    cc_places_free(&places);
    cc_clusters_free(&clusters);
    return rc ? -1 : 0;
}

/* The runtime takes the embedded PTX as a C string: it needs its terminating NUL. */
static int append_nul(struct cc_session *s, const char *path)
{
    struct strbuf text = {0};
    int rc = file_read(path, FILE_NO_BOUND, &text, &s->diags);
    if (rc == 0)
        rc = file_write(path, strbuf_text(&text), text.length + 1, &s->diags);
    strbuf_free(&text);
    return rc;
}

/* Sums and products of int that overflow wrap, as they mostly do behind nvcc, whose host compiler is g++: clang makes
 * more of their being undefined, and programs that compare i * i with what a kernel wrote would fail. */
static void push_host_options(struct cc_session *s, struct cc_args *command)
{
    PUSH(command, "-fwrapv");
    cc_push_all(command, s->options.host.items, s->options.host.count);
    if (s->options.openmp)
        PUSH(command, "-fopenmp=libomp");
}

static void push_host_cuda(struct cc_session *s, struct cc_args *command)
{
    push_cuda_common(s, command);
    PUSH(command, "--cuda-host-only", "-c", "-O2");
    if (s->options.relocatable) /* of device code clang makes less of the variables that are other files' */
        PUSH(command, "-fgpu-rdc");
    push_host_options(s, command);
}

static const char *ptx_suffix(const struct cc_options *options)
{
    return options->module_suffix ? options->module_suffix : ".ptx";
}

/* dir/prog.cu with ".o" gives prog.o, in the folder of -odir. */
static const char *default_output(struct cc_session *s, const char *source, const char *suffix)
{
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source, *dot = strrchr(base, '.');
    const char *directory = s->options.directory;
    return arena_printf(&s->arena, "%s%s%.*s%s", directory ? directory : "", directory ? "/" : "",
                        dot ? (int)(dot - base) : (int)strlen(base), base, suffix);
}

/* -MD: the list of dependencies has the name of the object, which clang does not write where it will be. */
static void push_dependencies(struct cc_session *s, const char *source, struct cc_args *command)
{
    const struct cc_options *o = &s->options;
    const bool named = o->output && o->goal == CC_GOAL_OBJECT;
    const char *object = named ? o->output : default_output(s, source, ".o");
    if (o->dependencies && !o->names_dependencies) {
        const char *slash = strrchr(object, '/'), *dot = strrchr(slash ? slash : object, '.');
        PUSH(command, "-MF",
             arena_printf(&s->arena, "%.*s.d", dot ? (int)(dot - object) : (int)strlen(object), object));
    }
    if (o->dependencies && !o->names_target)
        PUSH(command, "-MT", o->goal == CC_GOAL_LINK && o->output ? o->output : object);
}

static int compile_host_cuda(struct cc_session *s, const char *source, const char *ptx, const char *object)
{
    struct cc_args command = {0}, last = {0};
    push_host_cuda(s, &command);
    push_dependencies(s, source, &command);
    const char *made = s->options.relocatable ? arena_printf(&s->arena, "%s.s", object) : object;
    PUSH(&last, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx, source, "-o", made);
    if (s->options.relocatable)
        PUSH(&last, "-S");
    int rc = compile(s, HOST, &command, &last, NULL);
    vec_free(&last);
    if (!rc && !s->options.relocatable)
        return check_temp(s, cc_repair_object(object, &s->diags));
    if (rc)
        return rc;
    if (check_temp(s, cc_name_linked(made, &s->diags)))
        return -1;
    PUSH(&command, s->tools.clang, "-c", made, "-o", object);
    return cc_run_and_free(s, &command);
}

/* Makes and keeps the headers of one pass, for this command. Frees it. */
static int prepare_headers(struct cc_session *s, const char *pass, struct cc_args *command)
{
    const char *path;
    int output = cc_temp_file(s->temp, &path, &s->arena, &s->diags), rc = -1;
    struct cc_args make = {0};
    cc_headers_make(&s->tools, command, &make, &s->arena);
    vec_push(&make, NULL);
    if (output >= 0 && cc_run(&s->process, &make, output, -1, &s->diags) == 0 && close(output) == 0)
        rc = cc_headers_keep(&s->tools, pass, command, path, &s->arena, &s->diags);
    vec_free(&make);
    vec_free(command);
    return rc;
}

static int prepare_all_headers(struct cc_session *s)
{
    struct cc_args device = {0}, host = {0};
    push_device_passes(s, &device);
    push_host_cuda(s, &host);
    int rc = cc_headers_keep_version(&s->tools, s->llvm_version, &s->arena, &s->diags);
    rc |= prepare_headers(s, DEVICE, &device);
    return prepare_headers(s, HOST, &host) || rc ? -1 : 0;
}

static void push_plain(struct cc_session *s, const struct cc_source *source, struct cc_args *command)
{
    PUSH(command, s->tools.clang, "-isystem", s->tools.include_dir);
    if (isatty(STDERR_FILENO))
        vec_push(command, "-fcolor-diagnostics");
    if (source->kind == CC_SOURCE_CXX)
        PUSH(command, "-x", "c++", arena_printf(&s->arena, "-std=%s", s->options.standard));
    else if (s->options.c_standard)
        PUSH(command, arena_printf(&s->arena, "-std=%s", s->options.c_standard));
    push_nvcc_macros(s, command);
    cc_push_all(command, s->options.shared.items, s->options.shared.count);
}

static int compile_plain(struct cc_session *s, const struct cc_source *source, const char *object)
{
    struct cc_args command = {0};
    push_plain(s, source, &command);
    PUSH(&command, "-c", "-O2");
    push_host_options(s, &command);
    push_dependencies(s, source->path, &command);
    PUSH(&command, source->path, "-o", object);
    return cc_run_and_free(s, &command);
}

/* --keep-ptx: a copy, for the original is about to get its NUL. */
static int keep_ptx(struct cc_session *s, const char *ptx)
{
    struct strbuf text = {0};
    int rc = file_read(ptx, FILE_NO_BOUND, &text, &s->diags);
    if (rc == 0)
        rc = file_write(s->options.keep_ptx, strbuf_text(&text), text.length, &s->diags);
    strbuf_free(&text);
    return rc;
}

/* Moves the PTX to its place. A module of -fatbin or -cubin is this text too, with the NUL that ends it for a program
 * which reads the file and hands its address to cuModuleLoadData. */
static int write_ptx(struct cc_session *s, const char *source, const char *ptx)
{
    if (s->options.module_suffix && append_nul(s, ptx))
        return -1;
    return cc_move_file(ptx, s->options.output ? s->options.output : default_output(s, source, ptx_suffix(&s->options)),
                        &s->diags);
}

/* Compiles a CUDA source to `object`, or to PTX alone. */
static int compile_both(struct cc_session *s, const char *source, const char *stem, const char *object)
{
    const char *ptx = arena_printf(&s->arena, "%s.ptx", stem);
    if (compile_device(s, source, stem, ptx))
        return -1;
    if (s->options.goal == CC_GOAL_PTX)
        return write_ptx(s, source, ptx);
    if (s->options.keep_ptx && keep_ptx(s, ptx))
        return -1;
    return append_nul(s, ptx) || compile_host_cuda(s, source, ptx, object) ? -1 : 0;
}

static int compile_cuda(struct cc_session *s, const char *source, const char *stem, const char *object)
{
    cc_rewrites_begin(&s->rewrites, source, s->temp, &s->arena);
    int rc = compile_both(s, source, stem, object);
    cc_rewrites_free(&s->rewrites);
    return rc;
}

/* -E, -M and -MM: of the host pass, to where -o says or to standard output. */
static int write_text(struct cc_session *s, const struct cc_source *source)
{
    const char *text = arena_printf(&s->arena, "%s/text", s->temp);
    struct cc_args command = {0};
    if (source->kind == CC_SOURCE_CUDA) {
        push_cuda_common(s, &command);
        PUSH(&command, "--cuda-host-only");
    } else {
        push_plain(s, source, &command);
    }
    push_host_options(s, &command);
    PUSH(&command, s->options.text_option, source->path);
    if (s->options.output)
        PUSH(&command, "-o", text);
    if (cc_run_and_free(s, &command))
        return -1;
    return s->options.output ? cc_move_file(text, s->options.output, &s->diags) : 0;
}

/* Compiles every source; with -c each object goes to its place, else they are collected for the linker. */
static int compile_all(struct cc_session *s, struct cc_args *objects)
{
    for (size_t i = 0; i < s->options.sources.count; i++) {
        const struct cc_source *source = &s->options.sources.items[i];
        if (source->kind == CC_SOURCE_OBJECT)
            continue;
        if (s->options.goal == CC_GOAL_TEXT) {
            if (write_text(s, source))
                return -1;
            continue;
        }
        const char *stem = arena_printf(&s->arena, "%s/%zu", s->temp, i),
                   *object = arena_printf(&s->arena, "%s.o", stem);
        if (source->kind == CC_SOURCE_CUDA ? compile_cuda(s, source->path, stem, object)
                                           : compile_plain(s, source, object))
            return -1;
        if (s->options.goal == CC_GOAL_LINK || s->options.goal == CC_GOAL_ARCHIVE)
            vec_push(objects, object);
        else if (s->options.goal == CC_GOAL_OBJECT &&
                 cc_move_file(object, s->options.output ? s->options.output : default_output(s, source->path, ".o"),
                              &s->diags))
            return -1;
    }
    return 0;
}

static int build(struct cc_session *s)
{
    const enum cc_goal goal = s->options.goal;
    struct cc_args objects = {0};
    int result = cc_ask_clang(s);
    if (!result && !s->options.fast && (!s->tools.opt || !s->tools.llc))
        fprintf(stderr, "lockstep cc: warning: opt and llc of clang's version not found (Debian package llvm): device "
                        "code is compiled with -O1, which may move the release of a lock out of its loop\n");
    if (!result && goal == CC_GOAL_HEADERS)
        result = prepare_all_headers(s);
    else if (!result)
        result = compile_all(s, &objects);
    if (!result && goal == CC_GOAL_LINK)
        result = cc_link_program(s, &objects);
    if (!result && goal == CC_GOAL_ARCHIVE)
        result = cc_make_archive(s, &objects);
    if (!result && goal == CC_GOAL_DEVICE_LINK)
        result = cc_make_linked_object(s);
    vec_free(&objects);
    return result;
}

/* Refuses, before anything is compiled, outputs that would replace something else than such an output, or each other.
 */
static int check_outputs(struct cc_session *s)
{
    const struct cc_options *o = &s->options;
    const bool ptx = o->goal == CC_GOAL_PTX, link = o->goal == CC_GOAL_LINK;
    if (o->goal == CC_GOAL_TEXT || o->goal == CC_GOAL_ARCHIVE)
        return 0;
    VEC(struct cli_place) places = {0};
    vec_push(&places, (struct cli_place){"--keep-ptx", o->keep_ptx, CLI_OUTPUT_PTX});
    if (o->output || link)
        vec_push(&places,
                 (struct cli_place){"-o", o->output ? o->output : "a.out", ptx ? CLI_OUTPUT_PTX : CLI_OUTPUT_BINARY});
    for (size_t i = 0; !link && !o->output && i < o->sources.count; i++)
        if (o->sources.items[i].kind != CC_SOURCE_OBJECT)
            vec_push(&places,
                     (struct cli_place){"the output",
                                        default_output(s, o->sources.items[i].path, ptx ? ptx_suffix(o) : ".o"),
                                        ptx ? CLI_OUTPUT_PTX : CLI_OUTPUT_BINARY});
    int rc = cli_check_places(places.items, (unsigned)places.count, &s->diags);
    vec_free(&places);
    return rc;
}

static int build_in_temp_dir(struct cc_session *s)
{
    if (cc_tools_find(&s->tools, s->options.clang, &s->arena, &s->diags))
        return -1;
    cc_process_begin(&s->process, s->options.verbose);
    int result = cc_temp_dir_make(&s->temp, &s->arena, &s->diags);
    if (!result) {
        result = build(s);
        cc_temp_dir_remove(s->temp);
    }
    cc_process_end(&s->process);
    return result;
}

static void print_diagnostics(const struct diag_sink *diags)
{
    struct strbuf text = {0};
    strbuf_add(&text, "lockstep cc: ");
    diag_format_all(diags, &text);
    if (diags->count)
        cli_complain(strbuf_text(&text));
    strbuf_free(&text);
}

int cli_cc(int argc, char **argv)
{
    struct cc_session s = {0};
    arena_init(&s.arena);
    diag_init(&s.diags);
    int status = cc_options_parse(&s.options, argc, argv, &s.arena, &s.diags) ? 2 : 0;
    if (!status && s.options.help)
        cli_printf("%s", cc_usage);
    else if (!status && s.options.version)
        cli_printf("lockstep cc: Lockstep's compiler of CUDA C++, with clang\n"
                   "Cuda compilation tools, release 13.0, V13.0.88\n");
    else if (!status && check_outputs(&s) < 0)
        status = 2;
    else if (!status)
        status = build_in_temp_dir(&s) ? 1 : 0;
    print_diagnostics(&s.diags);
    cc_options_free(&s.options);
    cc_tools_free(&s.tools);
    diag_free(&s.diags);
    arena_free(&s.arena);
    return status;
}
