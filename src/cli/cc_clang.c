/* Which clang compiles, and what it is asked before: its version, and whether it takes options that nvcc does not have.
 * Of several the newest is taken that works: it has opt and llc beside it, and makes PTX of a small kernel. That takes
 * a tenth of a second, and is known of the one for which the headers were compiled beforehand. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cc_session.h"

/* Asks clang for its major version, through a pipe: a full disk is no reason to misjudge it. Returns clang's exit
 * status, or -1 with a diagnostic. */
static int ask_llvm_version(struct cc_session *s)
{
    char answer[64];
    struct cc_args command = {0};
    int ends[2];
    if (pipe(ends) < 0)
        return diag_error(&s->diags, DIAG_NOWHERE, NULL, "cannot ask %s for its version: %s", s->tools.clang,
                          strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    PUSH(&command, s->tools.clang, "-dumpversion", NULL);
    int status = cc_run(&s->process, &command, ends[1], -1, &s->diags);
    vec_free(&command);
    close(ends[1]);
    ssize_t n = status == 0 ? read(ends[0], answer, sizeof answer - 1) : 0;
    close(ends[0]);
    answer[n > 0 ? n : 0] = '\0';
    s->llvm_version = (int)strtol(answer, NULL, 10);
    return status;
}

static int find_llvm_version(struct cc_session *s)
{
    const bool anew = s->options.goal == CC_GOAL_HEADERS;
    s->llvm_version = anew ? 0 : cc_headers_version(&s->tools, &s->arena);
    if (s->llvm_version >= 14)
        return 0;
    int status = ask_llvm_version(s);
    if (s->process.interrupted || status < 0)
        return -1;
    if (status > 0)
        return diag_error(&s->diags, DIAG_NOWHERE, "LOCKSTEP_CLANG chooses another one",
                          "%s -dumpversion failed with exit code %d", s->tools.clang, status);
    if (s->llvm_version < 14)
        return diag_error(&s->diags, DIAG_NOWHERE, "versions 14 to 19 are known to work; LOCKSTEP_CLANG chooses one",
                          "%s is not a clang of version 14 or later", s->tools.clang);
    return 0;
}

/* Tries the clang that is in use on a kernel. */
static bool works(struct cc_session *s)
{
    static const char kernel[] = "__attribute__((global)) void k(int *p) { *p = 1; }\n";
    const char *source = arena_printf(&s->arena, "%s/try.cu", s->temp),
               *ptx = arena_printf(&s->arena, "%s/try.ptx", s->temp);
    struct cc_args command = {0};
    struct strbuf words = {0};
    if (!s->tools.opt || !s->tools.llc || (s->options.openmp && !cc_find_openmp(s)))
        return false;
    if (cc_headers_version(&s->tools, &s->arena) >= 14)
        return true;
    if (file_store(source, kernel, strlen(kernel), 0600))
        return true; /* what is wrong then is said later */
    PUSH(&command, s->tools.clang, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
         "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-w", "-S", source, "-o", ptx);
    const int status = cc_run_listening(s, &command, &words, true);
    strbuf_free(&words);
    vec_free(&command);
    return status == 0;
}

/* The first that works; when none does, the first. */
static void choose_clang(struct cc_session *s)
{
    const struct cc_args *clangs = &s->tools.clangs;
    for (size_t i = 0; clangs->count > 1 && i < clangs->count; i++) {
        cc_tools_use(&s->tools, clangs->items[i], &s->arena);
        if (works(s) || s->process.interrupted)
            return;
    }
    cc_tools_use(&s->tools, clangs->items[0], &s->arena);
}

/* Asks clang, which compiles nothing for this, whether it takes the option. */
static bool takes(struct cc_session *s, const char *option)
{
    struct cc_args command = {0};
    struct strbuf words = {0};
    PUSH(&command, s->tools.clang, "-###", "-x", "c++", "-c", option, "/dev/null", "-o", "/dev/null");
    int status = cc_run_listening(s, &command, &words, true);
    const bool knows = status == 0 && !strstr(strbuf_text(&words), "argument unused");
    strbuf_free(&words);
    vec_free(&command);
    return knows;
}

/* Options that we do not know go to both passes when clang knows them. */
static int judge_unknown(struct cc_session *s)
{
    for (size_t i = 0; i < s->options.unknown.count; i++) {
        const char *word = s->options.unknown.items[i];
        if (!takes(s, word)) {
            const char *near = cc_option_near(word, &s->arena);
            return diag_error(&s->diags, DIAG_NOWHERE,
                              near ? arena_printf(&s->arena, "did you mean %s?", near)
                                   : "lockstep cc --help lists the options",
                              "unknown option '%s': neither nvcc nor clang has it", word);
        }
        vec_push(&s->options.shared, word);
    }
    return 0;
}

/* An architecture that this clang does not know yet becomes the latest that it knows. */
static void lower_arch(struct cc_session *s)
{
    static const struct {
        int version, capability;
    } latest[] = {{20, 120}, {16, 90}, {14, 86}};
    const int capability = (int)strtol(s->options.arch + 3, NULL, 10);
    size_t i = 0;
    while (i + 1 < sizeof latest / sizeof *latest && s->llvm_version < latest[i].version)
        i++;
    const bool has_letter = strspn(s->options.arch + 3, "0123456789") != strlen(s->options.arch + 3);
    if (capability <= latest[i].capability && !(has_letter && s->llvm_version < 17))
        return;
    const char *other =
        arena_printf(&s->arena, "sm_%d", capability < latest[i].capability ? capability : latest[i].capability);
    diag_warning(&s->diags, DIAG_NOWHERE, NULL, "%s is compiled as %s: clang %d knows no other", s->options.arch, other,
                 s->llvm_version);
    s->options.arch = other;
    s->options.ptx = cc_ptx_feature((int)strtol(other + 3, NULL, 10));
}

int cc_ask_clang(struct cc_session *s)
{
    choose_clang(s);
    if (find_llvm_version(s) || judge_unknown(s))
        return -1;
    lower_arch(s);
    return 0;
}
