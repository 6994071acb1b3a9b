/* The identity of checkpoints. Values are stored as this build lays them out, so that not the version alone but the
 * very build must be the same. */
#include "gpu/checkpoint.h"

#include <inttypes.h>
#include <string.h>

#include "core/sched/sched.h"

/* Every parameter: any of them may change what the run does next. */
static void add_parameters(const struct machine *machine, struct strbuf *out)
{
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        const struct param_group *group = &machine->groups[i];
        for (unsigned k = 0; group->name && k < group->count; k++) {
            strbuf_addf(out, "%s.%s=", group->name, group->params[k].name);
            if ((const char *)group->values + group->params[k].offset == (const char *)&machine->sm.scheduler)
                sched_identify(machine->sm.scheduler, out); /* wherever the file lies, as long as it is the same */
            else
                param_format(group, &group->params[k], out);
            strbuf_add(out, "\n");
        }
    }
}

void checkpoint_identify(struct checkpoint_identity *id, const char *kind, const struct machine *machine,
                         uint64_t program, uint64_t arguments)
{
    *id = (struct checkpoint_identity){.program = program, .arguments = arguments};
    strbuf_add(&id->version, LOCKSTEP_VERSION);
    strbuf_add(&id->kind, kind);
    archive_build(&id->build);
    add_parameters(machine, &id->machine);
}

void checkpoint_identity_free(struct checkpoint_identity *id)
{
    strbuf_free(&id->version);
    strbuf_free(&id->build);
    strbuf_free(&id->kind);
    strbuf_free(&id->machine);
    strbuf_free(&id->command);
}

void checkpoint_archive_identity(struct archive *ar, struct checkpoint_identity *id)
{
    archive_begin(ar, "identity", 0);
    archive_text(ar, &id->version);
    archive_text(ar, &id->build);
    archive_text(ar, &id->kind);
    archive_text(ar, &id->machine);
    archive_text(ar, &id->command);
    ARCHIVE(ar, id->program);
    ARCHIVE(ar, id->arguments);
    archive_end(ar);
}

static bool same(const struct strbuf *a, const struct strbuf *b)
{
    return a->length == b->length && strcmp(strbuf_text(a), strbuf_text(b)) == 0;
}

static int differs(struct diag_sink *sink, const char *there, const char *here)
{
    return diag_error(sink, DIAG_NOWHERE, NULL, "the checkpoint cannot be continued here: it is of %s, this is %s",
                      there, here);
}

/* The first parameter that is not the same. */
static int compare_machines(const char *there, const char *here, struct diag_sink *sink)
{
    while (*there || *here) {
        size_t n = strcspn(there, "\n"), m = strcspn(here, "\n");
        if (n != m || memcmp(there, here, n) != 0)
            return diag_error(
                sink, DIAG_NOWHERE, NULL,
                "the checkpoint cannot be continued here: it is of another machine: %.*s there, %.*s here", (int)n,
                there, (int)m, here);
        there += n + (there[n] == '\n');
        here += m + (here[m] == '\n');
    }
    return 0;
}

int checkpoint_compare_target(const char *kind_there, const char *kind_here, const char *machine_there,
                              const struct machine *machine, struct diag_sink *sink)
{
    struct strbuf here = {0};
    if (strcmp(kind_there, kind_here) != 0)
        return differs(sink, kind_there, kind_here);
    add_parameters(machine, &here);
    int rc = compare_machines(machine_there, strbuf_text(&here), sink);
    strbuf_free(&here);
    return rc;
}

static int compare_builds(const struct checkpoint_identity *stored, const struct checkpoint_identity *here,
                          struct diag_sink *sink)
{
    struct strbuf there = {0}, this = {0};
    if (same(&stored->version, &here->version) && same(&stored->build, &here->build))
        return 0;
    strbuf_addf(&there, "Lockstep %s, build %s", strbuf_text(&stored->version), strbuf_text(&stored->build));
    strbuf_addf(&this, "%s, build %s", strbuf_text(&here->version), strbuf_text(&here->build));
    int rc = differs(sink, strbuf_text(&there), strbuf_text(&this));
    strbuf_free(&there);
    strbuf_free(&this);
    return rc;
}

int checkpoint_compare(const struct checkpoint_identity *stored, const struct checkpoint_identity *here,
                       struct diag_sink *sink)
{
    if (!same(&stored->kind, &here->kind))
        return differs(sink, strbuf_text(&stored->kind), strbuf_text(&here->kind));
    if (compare_builds(stored, here, sink) < 0 ||
        compare_machines(strbuf_text(&stored->machine), strbuf_text(&here->machine), sink) < 0)
        return -1;
    if (stored->program != here->program)
        return diag_error(
            sink, DIAG_NOWHERE, NULL,
            "the checkpoint cannot be continued here: it is of another program, or the program was changed");
    if (stored->arguments != here->arguments)
        return diag_error(sink, DIAG_NOWHERE, NULL,
                          "the checkpoint cannot be continued here: the program was given other arguments");
    return 0;
}

char *checkpoint_path(const char *pattern, uint64_t cycle)
{
    const char *slash = strrchr(pattern, '/'); /* a folder's name is as it is */
    struct strbuf path = {0};
    strbuf_addn(&path, pattern, slash ? (size_t)(slash + 1 - pattern) : 0);
    for (pattern = slash ? slash + 1 : pattern; *pattern; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 'c') {
            strbuf_addf(&path, "%" PRIu64, cycle);
            pattern++;
        } else {
            strbuf_addn(&path, pattern, 1);
        }
    }
    strbuf_add(&path, "");
    return path.text;
}
