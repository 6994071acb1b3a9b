/* Shards on other machines: their command lines, for GNU parallel and its like, and a job array of Slurm. A task of the
 * array works on the local disk of its node and moves its shard into the results folder, which all nodes share; a last
 * job, behind all tasks, joins them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/study/study.h"

/* Executions of a shard, when nobody says; shards of an array (Slurm's MaxArraySize is 1001 where nobody set it). */
#define EACH 8
#define MOST 1000

static unsigned count_shards(const struct study *study, unsigned each)
{
    size_t all = study->executions.count, n = (all + (each ? each : EACH) - 1) / (each ? each : EACH);
    return n < 1 ? 1 : n > MOST ? MOST : (unsigned)n;
}

/* As a word for the shell. */
static void quote(struct strbuf *out, const char *text)
{
    strbuf_add(out, "'");
    for (; *text; text++)
        strbuf_addf(out, *text == '\'' ? "'\\''" : "%c", *text);
    strbuf_add(out, "'");
}

/* `lockstep study FOLDER --out OUT`, fit for the shell of any folder. */
static void add_start(struct study *study, struct strbuf *out)
{
    quote(out, study_absolute(study, "/proc/self/exe"));
    strbuf_add(out, " study ");
    quote(out, study->folder);
    strbuf_add(out, " --out ");
    quote(out, study_absolute(study, study->out));
    if (study->quick)
        strbuf_add(out, " --quick");
    if (study->allow_code)
        strbuf_add(out, " --allow-code");
    if (study->programs) {
        strbuf_add(out, " --programs ");
        quote(out, study->programs);
    }
}

int study_commands(struct study *study, unsigned each)
{
    unsigned n = count_shards(study, each);
    struct strbuf text = {0}, start = {0};
    int rc = study_make_folders(study); /* for a path that holds in every folder */
    add_start(study, &start);
    for (unsigned i = 1; i <= n && rc == 0; i++)
        strbuf_addf(&text, "%s --shard %u/%u --jobs 1\n", strbuf_text(&start), i, n);
    strbuf_free(&start);
    cli_print(&text);
    return rc < 0 ? CLI_USAGE : CLI_OK;
}

/* The name of the job array and its last job: one for each results folder and number of shards. */
static const char *job_name(struct study *study, unsigned n)
{
    const char *out = study_absolute(study, study->out);
    return arena_printf(&study->arena, "lockstep-%s-%s%u-%08llx", study->name, study->quick ? "quick-" : "", n,
                        (unsigned long long)hash_bytes(out, strlen(out)) & 0xffffffff);
}

/* Runs a tool of Slurm; its output, or NULL with a diagnostic. */
static const char *ask_slurm(struct study *study, char *const *argv)
{
    static const char *const nothing[] = {NULL};
    const char *answer = process_temporary(&study->arena, ".txt", study->sink);
    struct strbuf text = {0};
    if (!answer)
        return NULL;
    struct process_job job = {
        .argv = argv, .environment = process_environment(&study->arena, nothing), .output = answer};
    struct process_options how = {.parallel = 1};
    int stopped = process_run(&job, 1, &how);
    int rc = cli_read_file(answer, &text, study->sink);
    unlink(answer);
    const char *copy = arena_strdup(&study->arena, strbuf_text(&text));
    strbuf_free(&text);
    if (job.failed)
        rc = diag_error(study->sink, DIAG_NOWHERE, "--slurm needs Slurm's commands in PATH", "cannot start %s: %s",
                        argv[0], strerror(job.failed));
    else if (stopped || job.status)
        rc = diag_error(study->sink, DIAG_NOWHERE, NULL, "%s failed with exit code %d", argv[0], job.status);
    return rc < 0 ? NULL : copy;
}

/* Shards that wait or run in Slurm's queue, by number; *jobs: their array jobs as ":1:2". */
static bool *find_queued(struct study *study, unsigned n, const char **jobs)
{
    const char *name = arena_printf(&study->arena, "--name=%s", job_name(study, n));
    char *argv[] = {(char *)"squeue", (char *)"--noheader",     (char *)"--array",
                    (char *)name,     (char *)"--format=%F %K", NULL};
    const char *text = ask_slurm(study, argv);
    bool *queued = ARENA_NEW(&study->arena, bool, n + 1);
    *jobs = "";
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : "") {
        unsigned job, number;
        if (sscanf(line, "%u %u", &job, &number) != 2 || number < 1 || number > n)
            continue;
        queued[number] = true;
        const char *word = arena_printf(&study->arena, ":%u", job);
        if (!strstr(*jobs, word))
            *jobs = arena_printf(&study->arena, "%s%s", *jobs, word);
    }
    return text ? queued : NULL;
}

/* sbatch with our options, then the user's, then the script. Its job's number, or NULL with a diagnostic. */
static const char *submit(struct study *study, const char *const *ours, char *const *theirs, const char *script)
{
    VEC(char *) argv = {0};
    vec_push(&argv, (char *)"sbatch");
    vec_push(&argv, (char *)"--parsable");
    for (; *ours; ours++)
        vec_push(&argv, (char *)*ours);
    for (; theirs && *theirs; theirs++)
        vec_push(&argv, *theirs);
    vec_push(&argv, (char *)"--wrap");
    vec_push(&argv, (char *)script);
    vec_push(&argv, NULL);
    char *answer = (char *)ask_slurm(study, argv.items);
    vec_free(&argv);
    if (answer)
        answer[strcspn(answer, ";\r\n")] = '\0';
    return answer;
}

static const char *script_of(struct study *study, const char *rest)
{
    struct strbuf text = {0};
    strbuf_add(&text, "exec ");
    add_start(study, &text);
    strbuf_add(&text, rest);
    const char *copy = arena_strdup(&study->arena, strbuf_text(&text));
    strbuf_free(&text);
    return copy;
}

static int submit_array(struct study *study, unsigned n, const char *numbers, const char *before, char *const *options)
{
    const char *logs = arena_printf(&study->arena, "--output=%s/shards/slurm-", study_absolute(study, study->out));
    const char *name = arena_printf(&study->arena, "--job-name=%s", job_name(study, n));
    const char *array[] = {name, arena_printf(&study->arena, "--array=%s", numbers),
                           arena_printf(&study->arena, "%s%%A_%%a.log", logs), NULL};
    const char *task = arena_printf(&study->arena,
                                    " --shard \"$SLURM_ARRAY_TASK_ID\"/%u --work \"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}\""
                                    " --jobs \"${SLURM_CPUS_PER_TASK:-1}\"",
                                    n);
    const char *job = submit(study, array, options, script_of(study, task));
    if (!job)
        return -1;
    const char *last[] = {arena_printf(&study->arena, "%s-merge", name),
                          arena_printf(&study->arena, "--dependency=afterany:%s%s", job, before),
                          arena_printf(&study->arena, "%smerge-%%j.log", logs), NULL};
    const char *merge = submit(study, last, options, script_of(study, " --merge"));
    if (merge)
        cli_printf("job %s: shards %s of %u; job %s joins them\n", job, numbers, n, merge);
    return merge ? 0 : -1;
}

int study_submit(struct study *study, unsigned each, char *const *options, bool *whole)
{
    unsigned n = count_shards(study, each), queued = 0;
    const char *numbers = "", *jobs;
    study_peek_all(study);
    bool *at_work = find_queued(study, n, &jobs);
    if (!at_work)
        return -1;
    for (unsigned i = 1; i <= n; i++) {
        queued += at_work[i];
        if (!at_work[i] && study_missing(study, (struct study_shard){i, n}))
            numbers = arena_printf(&study->arena, "%s%s%u", numbers, *numbers ? "," : "", i);
    }
    *whole = !*numbers && !queued;
    if (!*numbers && queued)
        cli_printf("%u shards are in Slurm's queue, the others are whole\n", queued);
    if (!*numbers)
        return CLI_OK;
    mkdir(arena_printf(&study->arena, "%s/shards", study->out), 0777); /* for logs; sbatch tells when that failed */
    if (study_build(study))
        return -1;
    return submit_array(study, n, numbers, jobs, options);
}
