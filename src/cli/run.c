/* `lockstep run`: one program or one launch file on one machine. */
#include <stdio.h>
#include <unistd.h>

#include "cli/checkpoint.h"
#include "cli/cli.h"
#include "cuda/timed.h"
#include "profile/profile.h"
#include "timeline/timeline.h"
#include "watch/watch.h"

const char cli_run_usage[] =
    "usage: lockstep run [OPTIONS] PROGRAM [ARGUMENTS...]\n"
    "       lockstep run [OPTIONS] CASE.yaml\n"
    "\n"
    "Runs a CUDA program, or the PTX kernel that a launch file describes, on a simulated GPU.\n"
    "\n"
    "  --machine NAME|FILE    the GPU: see lockstep machines; default gtx480, or for a program that it has no\n"
    "                         room for the smallest GPU that has (docs/cuda.md)\n"
    "  --sched NAME           the warp scheduler, in place of the machine's own: NAME[:OPTION=VALUE...][+CONTROL]\n"
    "                         or one of your own, ./FILE.so (docs/schedulers.md)\n"
    "  --as NAME              reference: with all that departs on purpose from GPGPU-Sim set back, as lockstep "
    "validate\n"
    "                         --as-reference; fixed-order: the order of warp schedulers alone; shipped (default).\n"
    "                         --set holds over it: lockstep machines --departures\n"
    "  --fetch NAME           the fetch policy, the same as --set sm.fetch=NAME; a wrong name is answered by those "
    "there are\n"
    "  --divergence NAME      how lanes part and meet, the same as --set sm.divergence=NAME: docs/divergence.md\n"
    "  --protocol NAME        the coherence protocol, the same as --set coherence.protocol=NAME: see lockstep "
    "protocols\n"
    "  --set GROUP.NAME=VALUE changes one parameter of the machine: see lockstep params; may be repeated\n"
    "  --registers N          registers of a thread, which decide how many blocks an SM holds at once; the same as\n"
    "                         --set gpu.thread_registers=N; holds over registers of a launch file; 0 (default): the\n"
    "                         kernel's own\n"
    "  --seed N               varies latencies and arbitration of the memory system a little, as the same N always\n"
    "                         does (docs/seeds.md); the same as --set gpu.seed=N; 0 (default): nothing varies\n"
    "  --adversary N          holds messages so that others overtake them, as far as the memory model allows, in ways\n"
    "                         that N draws: a missing fence shows (docs/adversary.md); 0 (default): none is held\n"
    "  --mode MODE            timing (default): cycle by cycle; functional: results only, quickly\n"
    "  --time PATTERN         times launches of kernels with such names alone (* and ? as in a shell); the others run\n"
    "                         functionally (docs/sampling.md)\n"
    "  --skip-launches N      of these, the first N are not timed\n"
    "  --warm-launches N      of those that are skipped, the last N are simulated so that caches are filled, and "
    "count\n"
    "                         in no figure\n"
    "  --time-launches N      of those behind them, N are timed\n"
    "  --max-cycles N         ends the run when a kernel has taken N cycles (in functional mode: warp instructions);\n"
    "                         0: no limit\n"
    "  --max-seconds S        ends the run after S seconds of host time, all kernels together\n"
    "  --host-patience S      how long a program's kernel may wait for a write by the host, in seconds of host time\n"
    "                         (default 60; 0: for ever): docs/progress.md\n"
    "  --threads N            simulates on N threads of this computer (default 1): the same results, sooner\n"
    "  --no-skip              steps every unit in every cycle: the same results, later; a check of the simulator\n"
    "  --check LIST           of sync, mem, race, init (docs/checks.md): exchanges between lanes and barriers that "
    "the\n"
    "                         PTX manual leaves undefined (else noted once for each source line); accesses of another\n"
    "                         allocation, variable or memory than is meant, and allocations that\n"
    "                         were never freed; races by the PTX memory model; reads of what nobody has written\n"
    "                         (race and init: timing mode)\n"
    "  --lenient              lets accesses just outside of allocations pass, as hardware mostly does: loads read "
    "zeros,\n"
    "                         stores are dropped, each line is told once (docs/checks.md); else they are errors\n"
    "  --checkpoint-every N   saves the run's state every N cycles, so that it can be continued\n"
    "  --checkpoint FILE      where to: %c in the name becomes the cycle (default PROGRAM.checkpoint, the latest "
    "alone)\n"
    "  --resume FILE          continues a run from a checkpoint; what is not given is as it was\n"
    "  --allow-code           machine files and checkpoints may name code: a scheduler that is a shared object, the\n"
    "                         program to go on with\n"
    "  --hang-report FILE     writes who waits for whom when a kernel hangs (timing mode), as a graph for Graphviz\n"
    "  --phases FILE          writes when each warp began, reached and left each phase of its block, barrier to\n"
    "                         barrier, as CSV (timing mode)\n"
    "  --observe ./FILE.so    an observer of your own, which is told what the SMs do and reports behind each kernel's\n"
    "                         output (docs/observers.md); may be repeated (timing mode)\n"
    "  --profile              prints where each kernel's warps spent their cycles, by line of its sources (timing "
    "mode;\n"
    "                         docs/profile.md); --stats has it by instruction\n"
    "  --ptx                  with --profile: the PTX instructions below each line\n"
    "  --monitor PORT         shows the run while it runs, and lets it be held, stepped and saved, on a page at this "
    "port\n"
    "                         of this computer alone (timing mode; docs/monitor.md); 0: any that is free. The page's\n"
    "                         address, with its token, goes to standard error\n"
    "  --hold                 with --monitor: the first kernel waits at its beginning until the page lets it go on\n"
    "  --interval N           counts statistics by intervals of N cycles too: prints some, and --stats has all\n"
    "                         (timing mode; docs/intervals.md)\n"
    "  --intervals FILE       with --interval: writes them as CSV\n"
    "  --timeline FILE        writes what every warp did when, for lockstep timeline and report, and for --report\n"
    "                         (timing mode; docs/timeline.md)\n"
    "  --timeline-window FROM:TO  with --timeline: only these cycles of each kernel\n"
    "  --timeline-sms LIST    with --timeline: only these SMs, such as 0,3-5\n"
    "  --timeline-resolution N  with --timeline: what is shorter than N cycles (default 64) is put together\n"
    "  --report FILE.html     with --profile, which it implies: writes a page on the run, for any browser: "
    "docs/report.md\n"
    "  --stats FILE           writes all statistics: JSON, or CSV when FILE ends in .csv\n"
    "                         --stats, --phases, --hang-report and --report with - for FILE write to standard output;\n"
    "                         tables and checks then go to standard error\n"
    "  --quiet                no result table, no progress\n"
    "\n"
    "What follows PROGRAM is the program's own; -- before PROGRAM says that this is meant. Options may also follow\n"
    "CASE.yaml.\n"
    "\n"
    "Ctrl-C (SIGINT), SIGTERM and SIGHUP end a run like the limits do: what was counted so far is printed and\n"
    "written, marked as partial. A second one, half a second later, kills at once.\n"
    "\n"
    "Exit codes:   a program                     a launch file\n"
    "  0           the program's own             all checks passed\n"
    "  1           its own; a result was lost    a check failed, the kernel did something illegal, a result was lost\n"
    "  2           its own; bad option or input  bad option or input\n"
    "  3           the program's own             the kernel hangs: no progress is possible, or none was made\n"
    "  4           --max-cycles was reached      --max-cycles was reached\n"
    "  5           --max-seconds have passed     --max-seconds have passed\n"
    "  128 + n     signal n ended it             signal n ended it (130: Ctrl-C, 143: SIGTERM)\n";

/* All files that the run is to write. */
static int check_places(struct cli_options *options, struct diag_sink *sink)
{
    const char *checkpoint = checkpoint_possible(options) ? checkpoint_pattern(options, &options->arena) : NULL;
    const struct cli_place places[] = {
        {"--stats", options->stats, CLI_OUTPUT_STATS},
        {"--hang-report", options->hang_report, CLI_OUTPUT_GRAPH},
        {"--phases", options->phases, CLI_OUTPUT_PHASES},
        {"--intervals", options->intervals, CLI_OUTPUT_INTERVALS},
        {"--timeline", options->timeline, CLI_OUTPUT_TIMELINE},
        {"--report", options->report, CLI_OUTPUT_PAGE},
        {"--checkpoint", checkpoint, CLI_OUTPUT_CHECKPOINT},
    };
    if (checkpoint && archive_check_place(checkpoint, sink) < 0)
        return -1;
    return cli_check_places(places, sizeof places / sizeof *places, sink);
}

/* Functional mode has no cycles, and tells of no events: refuses what needs them. */
static int check_timing(const struct cli_options *options, struct diag_sink *sink)
{
    const struct {
        bool asked;
        const char *why;
    } needs[] = {
        {options->observers.count > 0, WATCH_NEEDS_TIMING},
        {options->profile, PROFILE_NEEDS_TIMING},
        {gpu_checks_need_timing(options->checks), GPU_CHECKS_NEED_TIMING},
        {options->interval != NULL, GPU_INTERVAL_NEEDS_TIMING},
        {options->timeline != NULL, TIMELINE_NEEDS_TIMING},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs && cli_mode(options) == GPU_FUNCTIONAL; i++)
        if (needs[i].asked)
            return diag_error(sink, DIAG_NOWHERE, NULL, "%s", needs[i].why);
    return 0;
}

static int check_timeline(const struct cli_options *options, struct diag_sink *sink)
{
    struct timeline_options timeline;
    if (!options->timeline && (options->timeline_window || options->timeline_sms || options->timeline_resolution))
        return diag_error(sink, DIAG_NOWHERE, NULL, "--timeline-%s needs --timeline, whose file it is about",
                          options->timeline_window ? "window"
                          : options->timeline_sms  ? "sms"
                                                   : "resolution");
    return timeline_read_options(&timeline, options->timeline_window, options->timeline_sms,
                                 options->timeline_resolution, sink);
}

/* A choice of launches is of a program, and leaves nothing that needs all of them. */
static int check_timed(const struct cli_options *options, struct diag_sink *sink)
{
    if (!options->time && !options->skip_launches && !options->warm_launches && !options->time_launches)
        return 0;
    if (options->warm_launches_value > options->skip_launches_value)
        return diag_error(sink, DIAG_NOWHERE, NULL,
                          "--warm-launches %s: only launches that --skip-launches skips can fill caches",
                          options->warm_launches);
    if (cli_mode(options) == GPU_FUNCTIONAL)
        return diag_error(sink, DIAG_NOWHERE, NULL, TIMED_NEEDS_TIMING);
    if (cli_is_case(options->rest[0]))
        return diag_error(
            sink, DIAG_NOWHERE, NULL,
            "--time, --skip-launches and --time-launches choose among a program's launches: a launch file has one");
    if (checkpoint_possible(options) || options->resume)
        return diag_error(sink, DIAG_NOWHERE, NULL, TIMED_HAS_NO_CHECKPOINTS);
    return gpu_checks_need_timing(options->checks) ? diag_error(sink, DIAG_NOWHERE, NULL, TIMED_HAS_NO_CHECKS) : 0;
}

/* Reports errors of observers, those that are part of Lockstep included, before anything runs. */
static int check_observers(const struct cli_options *options, struct diag_sink *sink)
{
    if (check_timing(options, sink) < 0 || check_timeline(options, sink) < 0)
        return -1;
    if (options->intervals && !options->interval)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--intervals needs --interval: cycles of each");
    if (options->ptx && !options->profile)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--ptx needs --profile, whose lines it goes below");
    if (options->hold && !options->monitor)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--hold needs --monitor, whose page lets the run go on");
    return watch_try(options->observers.items, options->observers.count, sink);
}

/* Takes the machine for a program that names none: the default one, or another that it needs. Says which: of the
 * default one to a terminal alone. */
static void fit_machine(struct cli_options *options)
{
    struct strbuf why = {0};
    options->machine = cli_fit_machine(options->rest[0], &why);
    if (!options->machine)
        strbuf_add(&why, "machine " CLI_DEFAULT_MACHINE " (--machine NAME takes another)");
    if (!options->quiet && (options->machine || isatty(STDERR_FILENO)))
        fprintf(stderr, "lockstep: %s\n", strbuf_text(&why));
    strbuf_free(&why);
}

static int run(struct cli_options *options, struct diag_sink *sink)
{
    struct machine machine;
    if (checkpoint_complete_options(options, sink) < 0)
        return CLI_USAGE;
    cli_say(sink);
    options->profile |= options->report != NULL;
    if (!options->rest[0]) {
        diag_error(sink, DIAG_NOWHERE, "lockstep run --help", "lockstep run needs a program or a launch file");
        return CLI_USAGE;
    }
    if (check_places(options, sink) < 0)
        return CLI_USAGE;
    if (options->phases && options->resume) {
        diag_error(sink, DIAG_NOWHERE, "run it from the start",
                   "--phases needs the whole run: those before the checkpoint are not in it");
        return CLI_USAGE;
    }
    if (check_observers(options, sink) < 0 || check_timed(options, sink) < 0)
        return CLI_USAGE;
    if (!options->machine && !cli_is_case(options->rest[0]))
        fit_machine(options);
    if (cli_load_machine(&machine, options, sink) < 0)
        return CLI_USAGE;
    if (checkpoint_check_options(options, &machine, sink) < 0) {
        machine_free(&machine);
        return CLI_USAGE;
    }
    int code = cli_is_case(options->rest[0]) ? cli_run_case(options, &machine, sink)
                                             : cli_run_program(options, &machine, sink);
    machine_free(&machine);
    return code;
}

int cli_run(int argc, char **argv)
{
    struct diag_sink sink;
    struct cli_options options;
    int code = CLI_USAGE;
    diag_init(&sink);
    if (cli_parse_options(&options, argc, argv, CLI_ACCEPTS_run, &sink) == 0) {
        if (options.help) {
            cli_printf("%s", cli_run_usage);
            code = CLI_OK;
        } else {
            cli_say(&sink);
            code = run(&options, &sink);
        }
    }
    cli_free_options(&options);
    return cli_finish(&sink, code);
}
