/* Shared by the subcommands of the command line: their entry points, the options that several of them take, reading and
 * writing of files, and how diagnostics reach the terminal. This room alone prints and decides exit codes. */
#ifndef LOCKSTEP_CLI_CLI_H
#define LOCKSTEP_CLI_CLI_H

#include <stdbool.h>

#include <jansson.h>

#include "base/diag.h"
#include "base/vec.h"
#include "check/checker.h"
#include "gpu/gpu.h"
#include "report/table.h"

#define CLI_DEFAULT_MACHINE "gtx480"

/* Exit codes. `lockstep run PROGRAM` returns the program's own instead, 128 + n when signal n ended it. */
enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1, /* a check failed, a kernel did something illegal, a compared program failed, a result was lost */
    CLI_USAGE = 2,  /* bad option, bad input, nothing was simulated */
    CLI_HANG = 3,   /* no progress was possible: the diagnosis says why */
    CLI_LIMIT = 4,  /* --max-cycles reached: the results are partial */
    CLI_TIME = 5,   /* --max-seconds passed: the results are partial */
};

typedef VEC(const char *) cli_texts;

/* The options of a command. Strings belong to argv. */
struct cli_options {
    const char *machine, *sched, *mode, *as;               /* NULL: not given */
    cli_texts sets;                                        /* group.parameter=value */
#define CLI_SETTING(option, parameter) const char *option; /* set after the sets; NULL: not given */
#include "cli/settings.def"
#undef CLI_SETTING
    const char *stats;   /* file for results, or NULL; "-" here and below: standard output (cli_people) */
    const char *phases;  /* file for the phases of blocks, or NULL */
    cli_texts observers; /* files */
    bool profile, ptx;
    const char *monitor; /* port, or NULL */
    uint64_t monitor_value;                /* the port */
    const char *time, *skip_launches, *warm_launches, *time_launches; /* pattern of kernels; numbers: cuda/timed.h */
    uint64_t skip_launches_value, warm_launches_value, time_launches_value;
    bool hold;                                                                   /* with monitor */
    const char *timeline, *timeline_window, *timeline_sms, *timeline_resolution; /* file; as users write them */
    const char *interval, *intervals;                                            /* cycles; file */
    uint64_t interval_value;                                                     /* 0: not given */
    const char *perfetto;                                                        /* file, of timeline */
    const char *report;                                                          /* file for a page, or NULL */
    const char *hang_report; /* file for the graph of waiting of a kernel that hangs, or NULL */
    const char *max_cycles, *max_seconds, *host_patience, *threads;
    const char *check; /* or NULL */
    unsigned checks;   /* set of enum gpu_checks: that */
    const char *checkpoint_every, *checkpoint, *resume;
    const char *resume_kind, *resume_machine; /* what the checkpoint is of */
    uint64_t checkpoint_every_value;
    const char *kernel;
    uint64_t max_cycles_value, threads_value; /* 0: not given */
    double max_seconds_value;                 /* 0: not given */
    cli_texts cases;
    const char *jobs, *reference, *html;
    const char *samples, *agree; /* of compare */
    cli_texts cards, kinds;      /* of validate --hardware */
    const char *out, *measured, *within;
    bool hardware, rows, card_page;
    cli_texts fits, from; /* of tune */
    const char *fit_file, *leave_out, *budget;
    uint64_t leave_out_value, budget_value;
    bool force;
    const char *runs, *turns, *random;
    cli_texts programs;
#define CLI_CHECK(option, least, most, doc) const char *check_##option;
#include "cli/check_options.def"
#undef CLI_CHECK
    uint64_t runs_value, turns_value, random_value;
    uint64_t jobs_value; /* 0: not given */
    bool allow_code;     /* files may name code: schedulers, and the program of a checkpoint */
    bool man, completion; /* of docs */
    bool quiet, kernels, help, as_reference, fixed_order, departures, no_skip, lenient, model, shapes, mixed, print, transitions;
    char **rest;        /* the arguments that are no options, NULL-terminated */
    struct arena arena; /* of rest, and of what --resume completed */
};

/* Which options a subcommand takes; --help always. */
enum cli_accept {
    CLI_TAKES_MACHINE = 1,      /* --machine, --set, --allow-code */
    CLI_TAKES_RUN = 2,          /* --as, --sched, --fetch, --seed, --mode, --max-*, --threads, --no-skip, --check */
    CLI_TAKES_OUTPUT = 4,       /* --stats, --quiet */
    CLI_TAKES_KERNELS = 8,      /* --kernels */
    CLI_TAKES_KERNEL = 16,      /* --kernel NAME */
    CLI_TAKES_RECORDS = 32,     /* --case, --sched, --jobs, --reference, --as-reference, --fixed-order, --html, --stats, --hardware ... */
    CLI_TAKES_REPORT = 64,      /* --hang-report, --phases, --observe, --profile, --report, --timeline, --monitor ... */
    CLI_TAKES_DEPARTURES = 128, /* --departures */
    CLI_TAKES_LITMUS = 256,     /* --sched and settings, --runs, --turns, --model, --shapes, --random, --mixed, --print */
    CLI_TAKES_TARGET = 512,     /* a program with its arguments, or a launch file */
    CLI_TAKES_RESULTS = 8192,   /* with a target: two files of results in its place; --profile */
    CLI_TAKES_CHECKPOINT = 1024, /* --checkpoint-every, --checkpoint, --resume */
    CLI_TAKES_SAMPLES = 4096,    /* --samples, --agree */
    CLI_TAKES_PERFETTO = 16384,  /* --perfetto */
    CLI_TAKES_PAGE = 32768,      /* -o, --timeline-window, --timeline-sms */
    CLI_TAKES_CHECK = 2048,      /* --program, --transitions, --quiet, the numbers of check_options.def */
    CLI_TAKES_DOCS = 65536,      /* --man, --completion */
    CLI_TAKES_TUNE = 262144,     /* --fit, --fit-file, --from, --leave-out, --budget, --force, -o, and some of CLI_TAKES_RECORDS */
    CLI_OWN_OPTIONS = 131072,    /* of a command that reads its options itself */
};

/* The options that each command takes, as a set of enum cli_accept: CLI_ACCEPTS_run and so on. */
enum cli_accepts {
#define CLI_COMMAND(name, summary, accepted, usage, rest) CLI_ACCEPTS_##name = accepted,
#include "cli/commands.def"
#undef CLI_COMMAND
};

/* A command. run gets its name as argv[0] and returns the exit code. */
struct cli_command {
    const char *name, *summary; /* summary NULL: not listed */
    unsigned accepted;          /* set of enum cli_accept */
    int (*run)(int argc, char **argv);
    const char *usage;                        /* its help, but for what */
    void (*usage_rest)(struct strbuf *usage); /* appends to it, or NULL */
};
#define CLI_COMMAND(name, summary, accepted, usage, rest)                                                              \
    int cli_##name(int argc, char **argv);                                                                             \
    extern const char usage[];
#include "cli/commands.def"
#undef CLI_COMMAND
void cli_check_usage_rest(struct strbuf *usage);

/* All commands, in the order of commands.def; the last has no name. */
extern const struct cli_command cli_commands[];
/* The command of that name, or NULL. */
const struct cli_command *cli_find_command(const char *name);
/* Appends the overview of the commands: what lockstep --help prints. */
void cli_overview(struct strbuf *out);
/* Appends the help of a command, the same that --help prints where no terminal asks for less. */
void cli_usage(const struct cli_command *command, struct strbuf *out);

/* Reads the options; the other arguments are left in options->rest. What follows a program's name (CLI_TAKES_TARGET) or
 * "--" is no option; a note goes to the sink when a program is given arguments that are options of ours. Returns 0, or
 * -1 with diagnostics (all of them). */
int cli_parse_options(struct cli_options *options, int argc, char **argv, unsigned accepted, struct diag_sink *sink);
/* Refuses more than so many arguments beside the options. Returns 0, or -1 with a diagnostic. */
int cli_check_rest(const struct cli_options *options, const char *command, unsigned most, struct diag_sink *sink);
void cli_free_options(struct cli_options *options);
/* An option as it is described to others: its name without dashes. */
struct cli_option {
    const char *name;
    bool valued, repeated; /* it takes a value; several are all of them taken */
};
/* The next option of those that a command accepts; *at begins with 0. Returns false behind the last. */
bool cli_next_option(unsigned *at, unsigned accepted, struct cli_option *option);
/* fit.c: the machine for a program that needs another one than the default, a literal, and why; NULL: the default. */
const char *cli_fit_machine(const char *program, struct strbuf *why);
/* The machine the options describe, checked. Returns 0, or -1 with diagnostics; machine_free after success only. */
int cli_load_machine(struct machine *machine, const struct cli_options *options, struct diag_sink *sink);
enum gpu_mode cli_mode(const struct cli_options *options);
/* Returns true if the target is a launch file (.yaml, .yml) and not a program. */
bool cli_is_case(const char *target);
/* Returns true if it is a file of results (.json). */
bool cli_is_results(const char *target);

/* Prints the diagnostics to standard error and empties the sink: what is to be said before something that takes long.
 */
void cli_say(struct diag_sink *sink);
/* As cli_say, at a command's end. Returns code. */
int cli_finish(struct diag_sink *sink, int code);
/* A command that lists something, with `most` arguments at most: reads its options, prints usage for --help, else
 * returns what body does. */
int cli_listing(int argc, char **argv, unsigned accepted, unsigned most, const char *usage,
                int (*body)(struct cli_options *options, struct diag_sink *sink));
void cli_print_diags(const struct diag_sink *sink);
/* Prints diagnostics, as text, to standard error. */
void cli_complain(const char *diagnostics);
/* Standard output. A write that fails is reported when it fails, once; the command goes on. cli_print frees
 * the text. */
void cli_print(struct strbuf *text);
void cli_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* An empty page for standard output (STDOUT_FILENO) or standard error: as wide as a terminal is, and with colours if it
 * takes them. */
void cli_page_begin(struct table_page *page, int stream);
/* Prints a page there, and frees it. */
void cli_page_print(struct table_page *page, int stream);
/* Prints the profiles that result objects have, if any (--profile), and their intervals (--interval). */
void cli_print_profile(const struct cli_options *options, const json_t *kernels);
/* Prints a table on standard output, and frees it. */
void cli_print_table(struct table *t);
/* Comes before everything else. */
void cli_output_begin(void);
/* Hands on what was printed so far. Returns 0, or -1 when anything was lost. */
int cli_flush(void);
/* Nothing is printed after this. Returns the exit code: CLI_FAILED in place of CLI_OK when anything was lost. */
int cli_output_end(int code);

/* The whole file in out (appended), of FILE_TEXT_MOST bytes at most. Returns 0, or -1 with a diagnostic. */
int cli_read_file(const char *path, struct strbuf *out, struct diag_sink *sink);
/* The kinds of file that an option may name. What is text goes to standard output if that is named "-". */
enum cli_output {
    CLI_OUTPUT_STATS,
    CLI_OUTPUT_GRAPH,
    CLI_OUTPUT_PHASES,
    CLI_OUTPUT_INTERVALS,
    CLI_OUTPUT_MACHINE, /* the command asks before it replaces one */
    CLI_OUTPUT_PAGE, /* the last kind of text */
    CLI_OUTPUT_CHECKPOINT,
    CLI_OUTPUT_BINARY, /* a program or object file */
    CLI_OUTPUT_PTX,
    CLI_OUTPUT_TIMELINE,
    CLI_OUTPUT_TRACE, /* of Perfetto */
};
/* One file that a command is to write; path NULL: it is not. In a checkpoint's name %c stands for any number. */
struct cli_place {
    const char *option; /* that asked for it, with its dashes */
    const char *path;
    enum cli_output kind;
};
/* Says before a long run that its results could not be written there, would replace something else than results of
 * that kind, or each other, or what goes to standard output. Returns 0, or -1 with a diagnostic. */
int cli_check_places(const struct cli_place *places, unsigned count, struct diag_sink *sink);
/* The stream of what people read of a run, tables and checks: standard error when a result has standard output for
 * itself ("-"), else that. */
int cli_people(const struct cli_options *options);
/* Writes a result, after what was printed before; path "-": to standard output. Returns 0, or -1 with a diagnostic. */
int cli_write_file(const char *path, const void *data, size_t bytes, struct diag_sink *sink);
/* The file of --phases, if it was asked for: rows under their head. Returns 0, or -1 with a diagnostic. */
int cli_write_phases(const struct cli_options *options, const struct strbuf *rows, struct diag_sink *sink);
/* The file of --intervals, if it was asked for. Returns 0, or -1 with a diagnostic. */
int cli_write_intervals(const struct cli_options *options, const json_t *kernels, struct diag_sink *sink);
/* The file of --timeline, if it was asked for: lines of launches. Returns 0, or -1 with a diagnostic. */
int cli_write_timeline(const struct cli_options *options, const char *lines, size_t bytes, struct diag_sink *sink);

/* Writes the results of a run, or of several, to options->stats, if it was given: JSON or, by the name's ending, CSV.
 * documents: an array of what cli_document makes. */
int cli_write_stats(const struct cli_options *options, json_t *document, struct diag_sink *sink);
int cli_write_all_stats(const struct cli_options *options, json_t *documents, struct diag_sink *sink);
/* The JSON document of a run. program: its argv. Takes over kernels. stopped_by: what ended the run before its end, or
 * NULL; the document is partial when there is a reason, or a kernel is. */
json_t *cli_document(const struct machine *machine, const struct cli_options *options, char *const *program,
                     json_t *kernels, const char *stopped_by);

/* The line above tables of a machine that is not as it is shipped; nothing for one that is. as: NULL: shipped. */
void cli_name_as(const char *as, struct strbuf *out);

/* Progress on the terminal: one line on standard error that is overwritten. */
struct cli_progress {
    bool shown;    /* something stands on the line */
    bool enabled;  /* standard error is a terminal, and nobody asked for quiet */
    unsigned done; /* of the jobs that cli_progress_jobs told of */
};
void cli_progress_init(struct cli_progress *progress, bool quiet);
void cli_progress_show(struct cli_progress *progress, const char *kernel, const struct gpu_progress *now);
/* "3 of 8 runs done", when that has changed; failed: how many did not end well, or -1 not to say. */
struct process_job;
void cli_progress_jobs(struct cli_progress *progress, const struct process_job *jobs, unsigned count, const char *what,
                       int failed);
/* "MP: 2000 of 4000 runs". */
void cli_progress_count(struct cli_progress *progress, const char *name, uint64_t done, uint64_t all, const char *what);
/* "hlrc, lock: 100000 states, 20 events deep". */
void cli_progress_states(struct cli_progress *progress, const char *name, uint64_t states, uint64_t depth);
void cli_progress_clear(struct cli_progress *progress);
/* The program that is run has cleared it. */
void cli_progress_erased(struct cli_progress *progress);

/* A launch file, run to the exit code; fills *document (may be NULL) with the results. */
int cli_run_case(const struct cli_options *options, const struct machine *machine, struct diag_sink *sink);
/* A program, run under the simulator. */
int cli_run_program(const struct cli_options *options, const struct machine *machine, struct diag_sink *sink);

#endif
