/* Inside `lockstep cc`: one run of it, for the files that do its parts. cc.c compiles, cc_link.c makes programs and
 * archives, cc_clang.c asks clang what it knows. */
#ifndef LOCKSTEP_CLI_CC_SESSION_H
#define LOCKSTEP_CLI_CC_SESSION_H

#include "cli/cc.h"

struct cc_session {
    struct cc_options options;
    struct cc_tools tools;
    struct cc_process process;
    struct arena arena;
    struct diag_sink diags;
    char *temp;                  /* directory of all intermediate files */
    int llvm_version;            /* of clang and so of opt */
    struct cc_rewrites rewrites; /* of the CUDA source that is being compiled */
};

void cc_push_all(struct cc_args *command, const char *const *items, size_t count);

#define PUSH(command, ...)                                                                                             \
    do {                                                                                                               \
        const char *const pushed_[] = {__VA_ARGS__};                                                                   \
        cc_push_all((command), pushed_, sizeof pushed_ / sizeof pushed_[0]);                                           \
    } while (0)

/* Ends the command, runs it and frees it. 0 when it succeeded. The tool has explained itself on stderr when it failed. */
int cc_run_and_free(struct cc_session *s, struct cc_args *command);
/* Ends the command and runs it, and appends what it says to `words`, or lets it through where there is no room for
 * that. A silent one says nothing of what keeps it from running. Its status. */
int cc_run_listening(struct cc_session *s, struct cc_args *command, struct strbuf *words, bool is_silent);

/* Passes on to stderr what a command said, with hints where it failed (status is not 0); that there is no room left it
 * often says in other words. Frees both. 0, or -1 where it failed. */
int cc_end_command(struct cc_session *s, struct cc_args *command, struct strbuf *words, int status);

/* Compiles a CUDA source by this command, to which the last words are appended, in a pass with a name if its headers
 * may have been compiled beforehand; what clang refuses and nvcc takes is rewritten. What clang says last is in
 * `words`. Its status. */
int cc_attempt(struct cc_session *s, const char *pass, const struct cc_args *command, const struct cc_args *last,
               struct strbuf *words);
/* cc_undefined.c: after device code has been compiled so, to `ir`: finds its functions which the program defines for
 * the host alone, and compiles it again with these. The status of the last compilation. */
int cc_define_undefined(struct cc_session *s, const char *pass, struct cc_args *command, const struct cc_args *last,
                        const char *ir);

/* Learns clang's version, and that the options unknown to us are options of clang's. 0, or -1 with a diagnostic. */
int cc_ask_clang(struct cc_session *s);

/* The folder of the OpenMP library of the clang that is in use, or NULL. */
const char *cc_find_openmp(struct cc_session *s);
/* Makes the program of these objects, or the archive; 0, or -1 after a message. */
int cc_link_program(struct cc_session *s, const struct cc_args *objects);
int cc_make_archive(struct cc_session *s, const struct cc_args *objects);
/* Makes an object with nothing in it but the wish for members with device code, for build files that link device code
 * beforehand. 0, or -1 after a message. */
int cc_make_linked_object(struct cc_session *s);
/* cc_members.c: adds the symbols by which a linker takes members with device code out of the archives that it is given. */
void cc_find_members(struct cc_session *s, struct cc_args *names);

#endif
