/* `lockstep study`: a published evaluation, run again. A study is a folder with a study.yaml that says which benchmarks
 * run on which machines, with which schedulers and parameters, and which questions the results answer; the questions
 * are SQL over the database of results, so that a study needs no code of its own. plan.c reads it, execute.c runs what
 * has no result yet, database.c keeps the results, check.c asks whether all of it can run, schema.c knows the tables,
 * lock.c keeps others out, study.c is the command. What is asked is in questions.h, how it is answered in judge.h. */
#ifndef LOCKSTEP_CLI_STUDY_STUDY_H
#define LOCKSTEP_CLI_STUDY_STUDY_H

#include <sqlite3.h>

#include "base/strmap.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/process.h"
#include "cli/study/questions.h"
#include "gpu/departures.h"

/* `suite` of a benchmark: a program of the user's copy of a public suite. Paths are below the folder of --programs;
 * lists are NULL-terminated, and what is not given is empty. */
struct study_suite {
    const char *const *sources, *const *include, *const *define;
    uint64_t code;               /* a number for what it is built from */
    const char *binary;          /* in the place of sources */
    const char *expects;         /* a text in its standard output */
    const char *output, *writes; /* the file that its standard output, or the file of that name, must equal */
};

/* A row of `benchmarks`: a program with arguments, and which of its kernels count (a GLOB pattern of their names,
 * mangled or as tables show them). */
struct study_benchmark {
    const char *name, *program, *kernels, *arguments;
    const struct yaml_node *node;
    const struct study_suite *suite; /* NULL: a program of the study, or of ours */
    const char *absent;              /* why it cannot be run; NULL: it can */
    const char *content;             /* of its files below the folder of --programs; NULL: not known, or none */
};

/* A row of `schedulers`: a short name for one with options. */
struct study_alias {
    const char *name, *scheduler;
};

/* A row of `readings`: a name for a set of parameters. */
struct study_reading {
    const char *name;
    VEC(const char *) sets;
};

/* A row of `machines`: a short name for one with parameters, and which departures are set back. */
struct study_machine {
    const char *name, *machine, *origin; /* machine: as --machine takes it */
    enum machine_as as;
    VEC(const char *) sets; /* the departures' first */
};

/* The state of an execution. A result of another simulator is none, but for --report. */
#define STUDY_WAITS "not run" /* the status in the database of what has not been run */
enum study_state {
    STUDY_NOT_RUN,
    STUDY_ENDED,   /* well: it has a row in `results` */
    STUDY_STOPPED, /* its kernels hang, or reached max_cycles */
    STUDY_FAILED,
};

/* A program under one configuration: benchmarks that differ only in their kernels share it. */
struct study_execution {
    const char *key; /* what identifies it: program, arguments, machine, scheduler, parameters */
    const char *program, *arguments, *machine, *scheduler, *mode, *max_cycles;
    const struct study_suite *suite;
    const char *absent, *content; /* the benchmark's */
    VEC(const char *) sets;
    bool phases; /* those of the first blocks of SM 0 are wanted too */
    int64_t id;  /* in the database */
    bool stored; /* has a result, of this simulator */
    enum study_state state;
    double seconds; /* that its last result took, of any simulator; below 0: not known */
};

/* A benchmark in a configuration, or in one of its variants: the seeds, or the values of a parameter, over which
 * results are averaged. */
struct study_run {
    const struct study_benchmark *benchmark;
    const char *machine, *scheduler, *reading;
    const char **grid; /* the value of each parameter of study->grid, NULL where its row does not set it */
    unsigned variant, variants;
    unsigned execution;  /* index */
    const char *kernels; /* of the benchmark that runs */
    size_t tried;        /* in study->tried: the intervention's index */
};

/* A benchmark, or a machine, that is in the place of another. */
struct study_swap {
    const char *of, *by;
};

/* A row of `interventions`: what is changed to see whether a reason holds. */
struct study_intervention {
    const char *name, *arguments; /* arguments: appended to the program's; "": none */
    VEC(const char *) sets;
    VEC(struct study_swap) swaps, machines; /* of benchmarks; of machines */
    bool left_out;                          /* of the quick version */
    const struct yaml_node *node;
};

struct study_input; /* inputs.h */

/* A file of comma-separated values (no quotes) in the study's folder, and the table that it becomes. */
struct study_import {
    const char *name, *file;
};

/* Work on the last statement that was prepared for a database: steps of SQLite's virtual machine, rows that it gave. */
struct study_budget {
    sqlite3 *db;
    uint64_t steps, rows;
    bool limited; /* the statement stands in study.yaml */
    bool endless; /* it was given up */
};

/* Who asks the database, which decides what it does: see authorize.c. */
struct study_rights {
    unsigned trusted;    /* above 0: a statement of Lockstep's own */
    bool views;          /* a statement of `views` is prepared */
    bool asked, refused; /* by the last one prepared: it selects or makes a view; does something that is not allowed */
    struct study_budget budgets[2];
};

struct study {
    struct arena arena;
    struct diag_sink *sink;
    const char *name, *folder, *title, *source, *about;
    const char *share;      /* folder of what comes with Lockstep */
    const char *programs;   /* folder of --programs; NULL: none */
    const char *out;        /* folder of results */
    const char *work;       /* folder of the database and the files of runs: out, or a shard's own */
    const bool *only;       /* by execution: those that are run at all; NULL: all of them */
    unsigned shard, shards; /* of the executions, each shards-th from number shard (1, 2, ...) on; 0: all of them */
    double wait;            /* seconds for which another process in the folder is waited for */
    double told;            /* when a shard last said how far it is */
    bool quick, report;     /* report: results of other builds count too */
    bool committed;         /* results are those of results.csv that comes with the study */
    bool doubts;            /* says by warnings where the study states what it does not have */
    bool allow_code;        /* the study may name warp schedulers that are shared objects */
    unsigned jobs;
    double takes;      /* seconds of one core, as study.yaml says of this version; 0: it does not */
    const char *left;  /* what the quick version leaves out; NULL: nothing, or it is the full one */
    const char *views; /* SQL run before the questions, or "" */
    const struct yaml_node *views_node;
    VEC(struct study_benchmark) benchmarks;
    VEC(struct study_reading) readings;
    VEC(struct study_alias) aliases;
    VEC(struct study_machine) machines;
    VEC(const char *) grid; /* parameters that rows of runs cross with everything else */
    VEC(struct study_execution) executions;
    VEC(struct study_run) runs;
    VEC(struct study_run) tried; /* the same with an intervention */
    VEC(struct study_intervention) interventions;
    VEC(struct study_input) inputs;
    VEC(struct study_figure) figures;
    VEC(struct study_claim) claims;
    VEC(struct study_finding) findings;
    struct study_judging judging;
    const struct yaml_doc *doc; /* study.yaml, for messages */
    VEC(struct study_import) imports;
    struct strmap keys;    /* of executions: their index */
    struct strmap named;   /* configurations, without their variants: the index of their first run */
    struct strmap sources; /* programs: the index of what they are made of */
    VEC(uint64_t) hashes;  /* of the sources */
    struct strmap checked; /* configurations that were: by machine, scheduler and reading */
    struct study_rights rights;
    sqlite3 *db;
    sqlite3 *bench;    /* an empty database, in which conditions are evaluated: see conditions.c */
    bool swapped;      /* mean() and othermean() stand for each other */
    int lock;          /* open file, -1: none */
    const char *build; /* identity of this simulator: cli/identity.h */
};

/* plan.c: reads FOLDER/study.yaml. -1 with diagnostics. */
int study_read(struct study *study);
/* study.c: gives back what it took. The study is as it was before, but for what its caller put there. */
void study_forget(struct study *study);

/* check.c: whether a run can begin so, each combination once; the same of its program; whether all questions can be
 * asked. -1 with diagnostics. */
int study_check_configuration(struct study *study, const char *machine, const char *scheduler,
                              const struct study_reading *reading);
int study_check_program(struct study *study, const char *program);
int study_check_questions(struct study *study);

/* suite.c: programs and data of public suites. The folder of --programs; -1 with a diagnostic. */
int study_choose_programs(struct study *study, const char *folder);
/* The text with that folder in the place of each {programs}. */
const char *study_below_programs(struct study *study, const char *text);
/* The sources of which `lockstep cc` builds one. */
void study_suite_words(struct study *study, const struct study_suite *suite, struct process_words *words);
/* Says why the output of a run, and what lies in the folder where it worked, are not those expected; NULL: they are. */
const char *study_suite_doubt(struct study *study, const struct study_suite *suite, const char *output,
                              const char *folder);
/* The path without links, where it is there. */
const char *study_absolute(struct study *study, const char *path);
/* True if it cannot be run, and has no result. */
bool study_is_absent(const struct study *study, size_t execution);
size_t study_count_absent(const struct study *study);
/* True if this process has to run it. */
bool study_is_due(const struct study *study, size_t execution);

/* lock.c: waits until no other process works in the folder; -1 with a diagnostic when that takes too long. */
int study_lock(struct study *study);
void study_unlock(struct study *study);

/* quick.c: finds what the quick version leaves out. */
void study_find_left(struct study *study);

/* status.c: about how long what has no result yet takes: "760 runs to do: about 45 min of one core". */
const char *study_estimate(struct study *study);
/* Prints what would be run, and about how long that takes by the results that are there. Returns the exit
 * code. */
int study_list(struct study *study);

/* Prints how many runs have ended, and which shards are whole, at work or missing. Returns the exit code. */
int study_status(struct study *study);

/* shard.c: a part of a study's executions, run by a process of its own into a file of its own. */
struct study_shard {
    unsigned number, of;
};
/* Returns true if this process runs the execution with that index. */
bool study_is_mine(const struct study *study, size_t execution);
/* The finished file of a shard, or what belongs to it by another suffix. */
const char *study_shard_path(struct study *study, struct study_shard shard, const char *suffix);
/* Shards of this version with a file of that suffix, in order; NULL-terminated by `of` 0. */
struct study_shard *study_find_shards(struct study *study, const char *suffix);
/* Notes what has a result, here or in a shard; by how many executions of the shard have none. */
void study_peek_all(struct study *study);
unsigned study_missing(const struct study *study, struct study_shard shard);
/* Runs study->shard of study->shards in a folder under `work` (NULL: beside the finished file). Returns the exit code,
 * or -1, or by *stopped a signal's number. */
int study_run_shard(struct study *study, const char *work, int *stopped);
/* Removes a folder with all that is in it. */
void study_remove_folder(const char *path);
/* verify.c: runs `count` configurations of the committed results again, and compares. Drawn by the seed, or the
 * cheapest ones. Returns the exit code, or -1, or by *stopped a signal's number. */
struct study_draw {
    unsigned count, seed;
    bool cheapest;
};
int study_verify(struct study *study, const struct study_draw *draw, int *stopped);
/* Says in a file how far a shard is, now and then, or when it is `due`. */
void study_tell_progress(struct study *study, bool due);
/* A number for what the study runs, questions aside. */
uint64_t study_definition(const struct study *study);

/* merge.c: takes the results of all finished shards into the open database. -1 with a diagnostic that names the file.
 */
int study_merge(struct study *study);

/* slurm.c: prints the command lines of all shards; submits those that are missing, with options of sbatch, or reports
 * when nothing is (*whole). each: executions of a shard, 0: chosen. They return the exit code. */
int study_commands(struct study *study, unsigned each);
int study_submit(struct study *study, unsigned each, char *const *options, bool *whole);

/* database.c. All return -1 with a diagnostic when the database does not do what it is told. path: its file, or
 * ":memory:". */
int study_open(struct study *study, const char *path);
/* The file of a study's results. */
const char *study_database(struct study *study);
/* Opens results that are there for reading alone, without a diagnostic: false when there are none. Finds what is
 * stored.
 */
bool study_peek(struct study *study, const char *path);
void study_close(struct study *study);
/* Returns the number that a statement selects; -1 with a diagnostic. */
int64_t study_count(struct study *study, const char *sql);
/* Finds which executions have results, and notes which runs there are. */
int study_note_runs(struct study *study);
/* Finds again what became of every execution. */
int study_note_states(struct study *study);
size_t study_count_state(const struct study *study, enum study_state state);
/* The outcome of an execution, to be stored. */
struct study_left {
    const json_t *document; /* NULL: none */
    const char *status, *error;
    double seconds;
    const char *phases; /* text of `run --phases`, NULL: not asked for */
};
int study_store(struct study *study, struct study_execution *execution, const struct study_left *left);
/* phases.c: makes the rows of table `phases` that are an execution's. */
int study_store_phases(struct study *study, int64_t execution, const char *text);
/* Makes a table of each of the study's files (`tables`). */
int study_import(struct study *study);
/* Runs SQL without answers; adds a diagnostic of what the database said. -1 both. */
int study_tell(struct study *study, const char *sql);
int study_complain(struct study *study, const char *what);

/* A value of a text: NULL, a number where the text is one, else itself. */
void study_bind(sqlite3_stmt *stmt, int at, const char *value);

/* committed.c: results that come with the study, for `--report` in a folder without any: its packed database becomes
 * that of the folder, before it is opened; or the means of its results.csv are what questions ask, in an open one. Both
 * return 0 where there are none, -1 with a diagnostic. */
int study_unpack(struct study *study);
int study_take_committed(struct study *study);
/* Where these means would lie. */
const char *study_committed_path(struct study *study);
/* Writes the database, compressed, into the folder of results. */
int study_pack(struct study *study);

/* authorize.c: statements on `db` that are not prepared between study_trust and study_distrust only read. -1 when the
 * database does not take that. */
int study_guard(struct study_rights *rights, sqlite3 *db);
/* A statement begins, which stands in study.yaml (limited) or is Lockstep's own: one of study.yaml is ended by force
 * when it comes to no end by itself. */
void study_begin(struct study_rights *rights, sqlite3 *db, bool limited);
/* Counts a row. True: there were too many of them. */
bool study_row(struct study_rights *rights, sqlite3 *db);
bool study_gave_up(struct study_rights *rights, sqlite3 *db);
/* Why the last statement failed: what the database says, or that it was given up. */
const char *study_said(struct study_rights *rights, sqlite3 *db);
void study_trust(struct study *study);
void study_distrust(struct study *study);
/* Prepares SQL that stands in study.yaml: a question, or, with `views`, one that makes a temporary view. rest: where
 * the next statement begins; NULL: there may be none. NULL when it is refused, *said then tells why, or, with rest, at
 * the end. */
sqlite3_stmt *study_prepare(struct study_rights *rights, sqlite3 *db, const char *sql, bool views, const char **rest,
                            const char **said);

/* functions.c: the SQL functions of questions. -1 with a diagnostic. */
int study_add_functions(struct study *study, sqlite3 *db);

/* distributions.c: those of them that look at a distribution. */
int study_add_distributions(struct study *study, sqlite3 *db);

/* schema.c: the tables; a column of table `kernels`, unless it is there; the view `results`. -1 with a diagnostic. */
int study_create_tables(struct study *study);
int study_add_column(struct study *study, const char *name);
int study_make_view(struct study *study);
/* The column of the i-th gridded parameter. */
const char *study_grid_column(struct study *study, size_t i);
/* Adds " AND a.column IS b.column" for each of them: rows of two tables are of one point of the grid. */
void study_add_same_point(struct study *study, const char *a, const char *b, struct strbuf *sql);
/* Gives kernels that were stored without it the name that tables show. */
int study_name_kernels(struct study *study);

/* doubts.c: a warning at a place of study.yaml. */
void study_doubt(struct study *study, const struct yaml_node *node, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Warns of questions that find nothing however the runs end, of numbers of the paper beside which nothing stands, and
 * of parameters in texts that no run has. In the assumed study. */
void study_doubt_questions(struct study *study);
/* Warns of questions about the barriers of a launch that has none, by the results that are there. */
void study_doubt_launches(struct study *study);

/* absent.c: -1 with a diagnostic for each benchmark whose pattern of kernels matches none that a run of it launched. */
int study_check_kernels(struct study *study);

/* database.c: a prepared statement of Lockstep's own; NULL with a diagnostic that names `what`. */
sqlite3_stmt *study_ask(struct study *study, const char *what, const char *sql);

/* The next row of an answer: false at its end, and, with *rc = -1 and a diagnostic, when there is no end. */
bool study_next(struct study *study, const char *what, sqlite3_stmt *stmt, int *rc);

/* execute.c: the source of a program, or its launch file, whether it is there or not; what it is made of, as a number.
 */
const char *study_source(struct study *study, const char *program);
uint64_t study_identify(struct study *study, const char *program);
uint64_t study_identify_file(struct study *study, const char *path);
/* plan_runs.c: an execution for people: as its key, but each parameter once, with the value that counts. */
void study_tell_execution(struct study *study, const struct study_execution *e, struct strbuf *out);
/* The folders of results. -1 with a diagnostic. */
int study_make_folders(struct study *study);
/* Builds the programs of what has no result yet. Returns 0, a signal's number, or -1. */
int study_build(struct study *study);
/* Builds the programs and runs what has no result yet. Returns 0, a signal's number, or -1. */
int study_execute(struct study *study);

/* place.c: an error at a place of study.yaml; -1. `offset` (-1: unknown) counts the bytes of the node's text. */
int study_fault(struct study *study, const struct yaml_node *node, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int study_fault_in(struct study *study, const struct yaml_node *node, long offset, const char *message);
/* A question that stands in study.yaml, prepared; it only reads. NULL with a diagnostic. */
sqlite3_stmt *study_ask_at(struct study *study, const char *what, const struct yaml_node *node, const char *sql);
/* plan.c: the benchmark of that name; NULL: there is none. */
const struct study_benchmark *study_benchmark_named(const struct study *study, const char *name);
/* results.c: the program and arguments of a benchmark, as results.csv tells them; "" where there is none. */
const char *study_program_of(struct study *study, const char *benchmark);
/* results.c: writes results.csv. */
int study_write_results(struct study *study);

/* plan_tried.c: adds the runs that interventions need: those on which the claims rest that name them. In the assumed
 * study. -1 with diagnostics. */
int study_plan_tried(struct study *study);
/* How many runs of an intervention have no result, of how many. */
unsigned study_tried_missing(const struct study *study, size_t intervention, unsigned *of);
/* Tells in words what an intervention changes. */
const char *study_tell_intervention(struct study *study, const struct study_intervention *intervention);

/* report.c: answers all questions: prints the table of claims to `text`, writes index.html, claims.csv and results.csv
 * into the results folder. */
int study_report(struct study *study, struct strbuf *text);

#endif
