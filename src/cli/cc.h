/* Inside `lockstep cc`: what the command line asks for, which tools do it, and how they are run. Shared by cc.c (the
 * driver), cc_options.c, cc_tools.c and cc_process.c; cli_cc alone is seen from outside. */
#ifndef LOCKSTEP_CLI_CC_H
#define LOCKSTEP_CLI_CC_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"

/* A command or part of one. Strings belong to an arena or to argv. */
struct cc_args {
    const char **items;
    size_t count, capacity;
};

enum cc_source_kind { CC_SOURCE_CUDA, CC_SOURCE_CXX, CC_SOURCE_C, CC_SOURCE_OBJECT };

struct cc_source {
    const char *path;
    enum cc_source_kind kind;
};

/* TEXT: what the preprocessor makes of the source, or the files that it includes. DEVICE_LINK: an object with nothing
 * in it, for device code is linked when the program starts. */
enum cc_goal {
    CC_GOAL_LINK,
    CC_GOAL_OBJECT,
    CC_GOAL_PTX,
    CC_GOAL_HEADERS,
    CC_GOAL_TEXT,
    CC_GOAL_DEVICE_LINK,
    CC_GOAL_ARCHIVE
};

struct cc_options {
    enum cc_goal goal;
    const char *output;                                  /* -o, or NULL */
    const char *keep_ptx;                                /* --keep-ptx, or NULL */
    const char *arch;                                    /* "sm_70" */
    const char *ptx;                                     /* the clang feature that goes with arch, "ptx70" */
    const char *standard;                                /* C++ standard of CUDA sources, "c++17" */
    const char *directory;                               /* -odir, or NULL */
    const char *clang;                                   /* --clang, or NULL */
    const char *text_option;                             /* "-E", "-M" or "-MM", for CC_GOAL_TEXT */
    const char *module_suffix;                           /* ".cubin" or ".fatbin": CC_GOAL_PTX makes a module, or NULL */
    int generated;                                       /* the highest capability of -gencode so far */
    bool fast;                                           /* plain -O2 device code */
    bool no_contraction;                                 /* do not fuse products and sums */
    bool flush_subnormals, rough_division, rough_root;   /* of float in device code */
    bool approximate;                                    /* so are its functions and divisions */
    unsigned max_registers;                              /* --maxrregcount: of a thread; 0: no limit */
    bool relocatable;                                    /* -rdc=true: device code of several files is one */
    bool openmp;                                         /* in host code */
    bool dependencies, names_dependencies, names_target; /* -MD or -MMD, -MF, -MT or -MQ are given */
    bool verbose, help, version;
    bool language; /* -x: sources that follow are of this kind, whatever their names */
    enum cc_source_kind language_kind;
    struct {
        struct cc_source *items;
        size_t count, capacity;
    } sources;
    struct cc_args shared;  /* -I -D -W ...: every compilation */
    struct cc_args host;    /* -O -g -f -M ...: host compilations */
    struct cc_args link;    /* -l -L -Wl, ...: in the order given */
    struct cc_args unknown; /* nvcc has no such options: they are passed on when clang takes them */
    const char *c_standard; /* -std= of plain C sources, or NULL */
};

/* Reads the command line. Returns 0, or -1 with diagnostics; warnings also go to diags. */
int cc_options_parse(struct cc_options *options, int argc, char **argv, struct arena *arena, struct diag_sink *diags);
void cc_options_free(struct cc_options *options);
/* PTX version, as a feature of clang's, that it needs for a compute capability; 7.0 covers all up to 8.0. */
const char *cc_ptx_feature(int capability);
/* The option whose name is nearest to a word that is none, or NULL. */
const char *cc_option_near(const char *word, struct arena *arena);
extern const char cc_usage[];

/* Where the programs and our own files are. opt and llc are NULL where clang's LLVM version lacks them; cxx is the
 * linker driver. With `gold` that is our own choice, g++, and gold is there: it links in 80 ms where ld takes 200. */
struct cc_tools {
    struct cc_args clangs; /* that may be used, the best first; clang, opt and llc are of one of them */
    const char *clang, *opt, *llc, *cxx;
    const char *include_dir; /* cuda_runtime.h is here */
    const char *library_dir; /* libcudart.so.13 is here */
    const char *headers_dir; /* headers compiled beforehand are here, if there are any */
    bool gold;
};

/* Finds clang (`wanted`, or LOCKSTEP_CLANG, or the path's clang-NN, the newest first, and clang), and our files beside
 * the running program. Returns 0, or -1 with diagnostics. */
int cc_tools_find(struct cc_tools *tools, const char *wanted, struct arena *arena, struct diag_sink *diags);
/* Makes this clang the one to use, with opt and llc beside it. */
void cc_tools_use(struct cc_tools *tools, const char *clang, struct arena *arena);
void cc_tools_free(struct cc_tools *tools);

/* Children and the signals that would end us. While a cc_process is set up, SIGINT, SIGTERM and SIGHUP wait until
 * cc_run has ended its child, so that temporary files can be removed. */
struct cc_process {
    sigset_t old_mask;
    int interrupted; /* the signal that asked us to stop, or 0 */
    bool verbose;
};

void cc_process_begin(struct cc_process *process, bool verbose);
/* Lets signals through again; one that came in between ends this process now. */
void cc_process_end(struct cc_process *process);
/* Runs a command, NULL-terminated; its standard output and errors go to the open files `output` and `errors`, or where
 * ours go when that is -1. Returns its exit status, or -1 when it cannot start, dies of a signal, or we were
 * interrupted. */
int cc_run(struct cc_process *process, const struct cc_args *command, int output, int errors, struct diag_sink *diags);

/* Headers compiled beforehand (cc_headers.c), for a compilation by one command, source and output aside. pass: "device"
 * or "host". */
/* Appends to `quick` the command that uses them; false when there are none for this command. */
bool cc_headers_take(const struct cc_tools *tools, const char *pass, const struct cc_args *command,
                     struct cc_args *quick, struct arena *arena);
/* Appends to `make` the command that writes them to its standard output. */
void cc_headers_make(const struct cc_tools *tools, const struct cc_args *command, struct cc_args *make,
                     struct arena *arena);
/* Keeps what that wrote, the file `made`. Returns 0, or -1 with a diagnostic. */
int cc_headers_keep(const struct cc_tools *tools, const char *pass, const struct cc_args *command, const char *made,
                    struct arena *arena, struct diag_sink *diags);
/* The major version of the clang in `tools`, if it was kept and clang is still the file that it was then; else 0. */
int cc_headers_version(const struct cc_tools *tools, struct arena *arena);
/* Keeps it. Returns 0, or -1 with a diagnostic. */
int cc_headers_keep_version(const struct cc_tools *tools, int version, struct arena *arena, struct diag_sink *diags);

/* The sources of one compilation as they are rewritten for clang (cc_rewrite.c): what nvcc takes and clang refuses is
 * put into other words in copies, which clang finds under the names of the originals. All zero at first; strings are in
 * the session's arena. */
struct cc_rewrites {
    const char *source, *temp; /* the main source, as given; the directory of temporary files */
    const char *overlay;       /* for clang's -ivfsoverlay; NULL: nothing is rewritten */
    struct cc_spots *spots;
    struct cc_args files;   /* absolute paths of what was looked at */
    struct strbuf contents; /* all rewritten texts */
    unsigned files_made, rounds;
    bool has_textures;  /* the program has texture references, and is to see them */
    bool has_forgotten; /* it uses names of headers that it does not include: lockstep/forgotten.h has them */
};
/* Rewrites the main source where that is seen to be needed. */
void cc_rewrites_begin(struct cc_rewrites *rewrites, const char *source, const char *temp, struct arena *arena);
/* After a compilation by `command` (without the source) failed with these words: rewrites the source and the headers
 * that it includes, but those of the system and ours. True when there is anything new to compile. */
bool cc_rewrites_after(struct cc_rewrites *rewrites, struct cc_process *process, const struct cc_args *command,
                       const char *words, struct arena *arena);
/* Finds definitions in the source and these headers, but those of the folder `own`, that may be those of functions of
 * these names which lack the word __device__. */
struct cc_names;
struct cc_spot;
void cc_rewrites_candidates(struct cc_rewrites *rewrites, struct cc_process *process, const struct cc_args *command,
                            const struct cc_names *names, const char *own, struct cc_spots *candidates,
                            struct arena *arena);
/* Rewrites with more spots, and again with the first `count` of all alone. */
void cc_rewrites_add(struct cc_rewrites *rewrites, const struct cc_spot *spots, size_t count, struct arena *arena);
void cc_rewrites_take_back(struct cc_rewrites *rewrites, size_t count, struct arena *arena);
void cc_rewrites_free(struct cc_rewrites *rewrites);
/* Appends a line for each known cause of the errors in these words. */
void cc_hints(const char *words, struct strbuf *to);

/* The debug locations of a module, by number of the metadata node (cc_places.c). All zero: none. */
struct cc_places {
    struct cc_place *items;
    size_t count, capacity;
    uint32_t files, names;       /* numbers that `.file` lines and names of functions have, from 1 */
    struct strbuf tail, strings; /* `.file` lines to be added; names of functions */
    struct cc_said *said;        /* by hash of a place: what the present function's `.loc` lines said of it */
    bool has_alloca;             /* the IR takes room on a stack whose size is known at run time alone ... */
    uint32_t alloca_at;          /* ... first at this node + 1; 0: nowhere that is known */
    struct arena arena;
};
/* Puts numbers in place of the lines of the debug locations in optimized IR, and remembers what they stand for. An error
 * when a function takes room on its stack of a size known at run time alone, over which llc aborts. */
int cc_number_ir(struct cc_places *places, const char *path, struct diag_sink *diags);
/* True when the line has a number now; then it is appended to `to`. */
bool cc_number_ir_line(struct cc_places *places, const char *line, struct strbuf *to);
/* Every line of the PTX, before any is restored: learns which number each file has. */
void cc_note_files(struct cc_places *places, const char *line);
/* True when the line is the `.loc` of a numbered location. What should stand in its place, with the chain of inlined
 * calls, is appended to `to`, without the last newline. */
bool cc_restore_loc(struct cc_places *places, const char *line, struct strbuf *to);
/* Appends what restored lines refer to, for the end of the PTX. */
void cc_add_places(const struct cc_places *places, struct strbuf *to);
void cc_places_free(struct cc_places *places);

/* The kernels of a module that have __cluster_dims__ (cc_clusters.c). All zero: none. */
#define CC_CLUSTER_MARK "lockstep.cluster" /* the word of the annotation that host_defines.h makes of it */
struct cc_cluster {
    const char *kernel; /* its name in the IR and in PTX */
    unsigned sizes[3];  /* blocks in x, y and z */
};
struct cc_clusters {
    struct cc_cluster *items;
    size_t count, capacity;
    struct arena arena;
};
/* Learns the clusters of a file of IR and takes the table of annotations out of it. Returns 0, or -1 with a
 * diagnostic. */
int cc_take_clusters(struct cc_clusters *clusters, const char *path, struct diag_sink *diags);
/* The one of the kernel with this name, or NULL. */
const struct cc_cluster *cc_cluster_of(const struct cc_clusters *clusters, const char *name, size_t length);
void cc_clusters_free(struct cc_clusters *clusters);

/* Directives that cc_repair_ptx adds to the declarations of kernels, since LLVM does not write them: .maxnreg and
 * .reqnctapercluster. */
struct cc_bounds {
    unsigned max_registers; /* --maxrregcount, of a kernel without launch bounds, as nvcc has it; 0: no limit */
    const struct cc_clusters *clusters;
};
/* Copies PTX that LLVM wrote, without the labels that mark positions for debug sections ("Ltmp12:",
 * "$L__func_begin0:"; nothing refers to them), with the instructions that LLVM 14 gets wrong put right, with the
 * kernels' bounds and with the chains of inlined calls of the IR's debug locations, when these were numbered. */
int cc_repair_ptx(const char *from, const char *to, struct cc_places *places, const struct cc_bounds *bounds,
                  struct diag_sink *diags);
/* In assembly of host code with relocatable device code: the runtime registers what clang leaves to a device linker,
 * and names are those that device code has. */
#define CC_MEMBER "__lockstep_device_code_" /* begins the symbol that each such object defines: cc_members.c */
int cc_name_linked(const char *path, struct diag_sink *diags);
/* An object of host code: variables that are this file's alone are kept when it is linked with others (cc_object.c).
 * Returns 0, or -1 with a diagnostic. */
int cc_repair_object(const char *path, struct diag_sink *diags);
/* Rewrites the IR of device code, as clang made it: variables that the host can set are known outside, whatever their
 * linkage in C++. */
int cc_repair_ir(const char *path, struct diag_sink *diags);
/* True when the line is the definition of such a variable; it is appended to `to` as it should be. */
bool cc_repair_ir_line(const char *line, struct strbuf *to);
/* Is this line, without its newline, such a label alone? */
bool cc_is_position_label(const char *line);
/* True when the line, without its newline, is wrong code of LLVM: a shift of a 64-bit rotate with its amount unmasked,
 * or a bit field that ends beyond bit 63. What should stand in its place, one line or two without the last newline, is
 * appended to `to`. */
bool cc_repair_line(const char *line, struct strbuf *to);

/* Files. */
int cc_temp_dir_make(char **dir, struct arena *arena, struct diag_sink *diags);
/* Makes a file in it, for a child to write. Returns it open, and its path; -1 with a diagnostic. */
int cc_temp_file(const char *dir, const char **path, struct arena *arena, struct diag_sink *diags);
void cc_temp_dir_remove(const char *dir);
/* After a tool failed: says so when the directory takes no more files. */
void cc_temp_dir_check(const char *dir, struct arena *arena, struct diag_sink *diags);
/* Puts the finished file `from` in place of `to`, at once: readers see the old or the new file, never a part. */
int cc_move_file(const char *from, const char *to, struct diag_sink *diags);

#endif
