/* Progress on the terminal: one line on standard error that is overwritten, and is gone before anything else comes. It
 * is never longer than the terminal is wide: the cursor goes back to the start of a line, not to that of a text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "cli/cli.h"
#include "cli/process.h"
#include "report/figures.h"
#include "report/table.h"

#define SHORT_NAME 12 /* characters to which a name may be shortened */

void cli_progress_init(struct cli_progress *progress, bool quiet)
{
    *progress = (struct cli_progress){.enabled = !quiet && isatty(STDERR_FILENO)};
}

/* Seconds as a person says them. */
static void add_duration(double seconds, struct strbuf *out)
{
    uint64_t s = (uint64_t)(seconds + 0.5);
    if (s < 120)
        strbuf_addf(out, "%" PRIu64 " s", s);
    else if (s < 7200)
        strbuf_addf(out, "%" PRIu64 " min", (s + 30) / 60);
    else
        strbuf_addf(out, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s / 60 % 60);
}

/* Writes the line anew: a name, which gives way where the terminal is narrow, and what there is to say of it. It is
 * always a terminal's, and names come from files. */
static void show(struct cli_progress *progress, const char *name, const char *news)
{
    struct strbuf text = {0}, shown = {0};
    size_t room = terminal_columns(STDERR_FILENO), rest = table_width(news, strlen(news));
    room = room > 1 ? room - 1 : room; /* a cursor behind the last column may be in the next line */
    table_shorten(name, strlen(name), room > rest + SHORT_NAME ? room - rest : SHORT_NAME, &text);
    strbuf_add(&text, news);
    strbuf_add_shown(&shown, strbuf_text(&text), text.length);
    fprintf(stderr, "%s%.*s", terminal_erase(), (int)table_bytes(strbuf_text(&shown), shown.length, room),
            strbuf_text(&shown));
    strbuf_free(&text);
    strbuf_free(&shown);
    progress->shown = true;
}

void cli_progress_show(struct cli_progress *progress, const char *kernel, const struct gpu_progress *now)
{
    if (!progress->enabled)
        return;
    uint64_t done = now->cycle ? now->cycle : now->warp_instructions;
    const char *unit = now->cycle ? "cycles" : "warp instructions";
    struct strbuf name = {0}, news = {0};
    figures_kernel_name(kernel, &name);
    strbuf_addf(&news, ": %" PRIu64 " %s", done, unit);
    if (now->seconds > 0)
        strbuf_addf(&news, ", %.0f k %s/s", (double)done / now->seconds / 1e3, unit);
    if (now->blocks_done > 0 && now->blocks_done < now->blocks) {
        strbuf_add(&news, ", about ");
        add_duration(now->seconds * (double)(now->blocks - now->blocks_done) / (double)now->blocks_done, &news);
        strbuf_add(&news, " left");
    }
    strbuf_addf(&news, ", %" PRIu64 " of %" PRIu64 " blocks", now->blocks_done, now->blocks);
    show(progress, strbuf_text(&name), strbuf_text(&news));
    strbuf_free(&name);
    strbuf_free(&news);
}

void cli_progress_jobs(struct cli_progress *progress, const struct process_job *jobs, unsigned count, const char *what,
                       int failed)
{
    unsigned done = 0;
    struct strbuf news = {0};
    for (unsigned i = 0; i < count; i++)
        done += jobs[i].ended;
    if (!progress->enabled || (progress->shown && done == progress->done))
        return;
    strbuf_addf(&news, "%u of %u %s", done, count, what);
    if (failed >= 0)
        strbuf_addf(&news, ", %d did not end well", failed);
    show(progress, "", strbuf_text(&news));
    strbuf_free(&news);
    progress->done = done;
}

void cli_progress_count(struct cli_progress *progress, const char *name, uint64_t done, uint64_t all, const char *what)
{
    struct strbuf news = {0};
    strbuf_addf(&news, ": %" PRIu64 " of %" PRIu64 " %s", done, all, what);
    if (progress->enabled)
        show(progress, name, strbuf_text(&news));
    strbuf_free(&news);
}

void cli_progress_states(struct cli_progress *progress, const char *name, uint64_t states, uint64_t depth)
{
    struct strbuf news = {0};
    strbuf_addf(&news, ": %" PRIu64 " states, %" PRIu64 " events deep", states, depth);
    if (progress->enabled)
        show(progress, name, strbuf_text(&news));
    strbuf_free(&news);
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->shown)
        fputs(terminal_erase(), stderr);
    progress->shown = false;
}

void cli_progress_erased(struct cli_progress *progress)
{
    progress->shown = false;
}
