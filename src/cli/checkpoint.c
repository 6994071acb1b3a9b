/* Checkpoints as the command line asks for them. The checkpoints of a program are written and read by the CUDA runtime
 * inside it (src/cuda/replay.c), which is told through its environment; those of a launch file here. */
#include "cli/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/checkpoint.h"
#include "core/sched/sched.h"

#define SCHEDULER "sm.scheduler="

static void set_text(json_t *object, const char *name, const char *value)
{
    if (value)
        json_object_set_new(object, name, json_string(value));
}

const char *checkpoint_command(const struct cli_options *options, struct arena *arena)
{
    json_t *command = json_object(), *arguments = json_array(), *sets = json_array();
    for (char **argument = options->rest; *argument; argument++)
        json_array_append_new(arguments, json_string(*argument));
    for (size_t i = 0; i < options->sets.count; i++)
        json_array_append_new(sets, json_string(options->sets.items[i]));
    json_object_set_new(command, "arguments", arguments);
    set_text(command, "machine", options->machine);
    set_text(command, "as", options->as);
    set_text(command, "sched", options->sched);
    json_object_set_new(command, "set", sets);
#define CLI_SETTING(option, parameter) set_text(command, #option, options->option);
#include "cli/settings.def"
#undef CLI_SETTING
    set_text(command, "max-cycles", options->max_cycles);
    set_text(command, "check", options->check);
    set_text(command, "lenient", options->lenient ? "yes" : NULL);
    char *text = json_dumps(command, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text ? text : "");
    free(text);
    json_decref(command);
    return copy;
}

bool checkpoint_possible(const struct cli_options *options)
{
    return options->checkpoint_every || (options->monitor && options->checkpoint);
}

const char *checkpoint_pattern(const struct cli_options *options, struct arena *arena)
{
    if (options->checkpoint)
        return options->checkpoint;
    const char *slash = strrchr(options->rest[0], '/');
    return arena_printf(arena, "%s.checkpoint", slash ? slash + 1 : options->rest[0]);
}

static const char *text_of(const json_t *command, const char *name, struct arena *arena)
{
    const char *text = json_string_value(json_object_get(command, name));
    return text ? arena_strdup(arena, text) : NULL;
}

static void complete_target(struct cli_options *options, const json_t *command)
{
    const json_t *arguments = json_object_get(command, "arguments");
    size_t count = json_array_size(arguments);
    char **rest = ARENA_NEW(&options->arena, char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *argument = json_string_value(json_array_get(arguments, i));
        rest[i] = arena_strdup(&options->arena, argument ? argument : "");
    }
    options->rest = rest;
}

/* The value that an option has now: that of then, noted in `taken`, when it is not given. */
static const char *complete_option(const char *given, const json_t *command, const char *name, struct arena *arena,
                                   struct strbuf *taken)
{
    const char *then = given ? NULL : text_of(command, name, arena);
    if (then)
        strbuf_addf(taken, " --%s %s", name, then);
    return then ? then : given;
}

static void complete_parameters(struct cli_options *options, const json_t *command, struct strbuf *taken)
{
    const json_t *sets = json_object_get(command, "set");
    for (size_t i = 0; i < json_array_size(sets); i++) {
        const char *set = json_string_value(json_array_get(sets, i));
        vec_push(&options->sets, arena_strdup(&options->arena, set ? set : ""));
        strbuf_addf(taken, " --set %s", set ? set : "");
    }
#define CLI_SETTING(option, parameter)                                                                                 \
    options->option = complete_option(NULL, command, #option, &options->arena, taken);
#include "cli/settings.def"
#undef CLI_SETTING
}

/* True: running this would run a program or load code that the checkpoint alone names; *what is its name. */
static bool names_code(const struct cli_options *options, const struct cli_options *given, const char **what)
{
    *what = NULL;
    if (!given->sched && options->sched && sched_is_file(options->sched))
        *what = options->sched;
    for (size_t i = given->sets.count; i < options->sets.count; i++)
        if (!strncmp(options->sets.items[i], SCHEDULER, strlen(SCHEDULER)) &&
            sched_is_file(options->sets.items[i] + strlen(SCHEDULER)))
            *what = options->sets.items[i] + strlen(SCHEDULER);
    if (!given->rest[0] && options->rest[0] && !cli_is_case(options->rest[0]))
        *what = options->rest[0];
    return *what && !options->allow_code;
}

/* Options given now replace those of then, each kind as a whole; whether the machine is the same is looked at later.
 * taken receives what is as it was. */
static void complete(struct cli_options *options, const json_t *command, struct strbuf *taken)
{
    struct arena *arena = &options->arena;
    options->machine = complete_option(options->machine, command, "machine", arena, taken);
    options->as = complete_option(options->as, command, "as", arena, taken);
    options->sched = complete_option(options->sched, command, "sched", arena, taken);
    bool some = options->sets.count > 0;
#define CLI_SETTING(option, parameter) some |= options->option != NULL;
#include "cli/settings.def"
#undef CLI_SETTING
    if (!some)
        complete_parameters(options, command, taken);
    options->check = complete_option(options->check, command, "check", arena, taken);
    if (!options->lenient && json_object_get(command, "lenient")) {
        options->lenient = true;
        strbuf_add(taken, " --lenient");
    }
    options->max_cycles = complete_option(options->max_cycles, command, "max-cycles", arena, taken);
    options->max_cycles_value = options->max_cycles ? strtoull(options->max_cycles, NULL, 10) : 0;
    if (options->rest[0])
        return;
    complete_target(options, command);
    for (char **word = options->rest; *word; word++)
        strbuf_addf(taken, " %s", *word);
}

/* Says what was not given and is therefore as it was: nobody should wonder about an old limit. */
static void note_taken(const struct cli_options *options, const char *limit_given, const struct strbuf *taken,
                       struct diag_sink *sink)
{
    struct strbuf message = {0};
    bool limit = !limit_given && options->max_cycles_value;
    strbuf_addf(&message, "taken from the checkpoint:%s", strbuf_text(taken));
    if (taken->length && (limit || !options->quiet))
        diag_add(sink, &(struct diag){.severity = DIAG_NOTE,
                                      .message = message.text,
                                      .hint = limit ? "--max-cycles N is another limit, 0 none" : NULL});
    strbuf_free(&message);
}

int checkpoint_complete_options(struct cli_options *options, struct diag_sink *sink)
{
    struct checkpoint_identity stored = {0};
    if ((options->resume || options->checkpoint_every) && cli_mode(options) == GPU_FUNCTIONAL)
        return diag_error(sink, DIAG_NOWHERE, NULL, "there are no checkpoints in functional mode: it has no cycles");
    if (options->checkpoint && !options->checkpoint_every && !options->monitor)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--checkpoint needs --checkpoint-every, or --monitor");
    if (!options->resume)
        return 0;
    int rc = 0;
    struct archive *ar = archive_open(options->resume, sink);
    if (!ar)
        return -1;
    checkpoint_archive_identity(ar, &stored);
    if (!archive_failed(ar)) {
        json_t *command = json_loads(strbuf_text(&stored.command), 0, NULL);
        struct strbuf taken = {0};
        const struct cli_options given = *options;
        const char *code;
        complete(options, command, &taken);
        note_taken(options, given.max_cycles, &taken, sink);
        if (names_code(options, &given, &code))
            rc = diag_error(sink, DIAG_NOWHERE, "name it on the command line too, or --allow-code, if you trust the checkpoint",
                            "checkpoint %s names %s to be run, which it does not do by itself", options->resume, code);
        strbuf_free(&taken);
        json_decref(command);
        options->resume_kind = arena_strdup(&options->arena, strbuf_text(&stored.kind));
        options->resume_machine = arena_strdup(&options->arena, strbuf_text(&stored.machine));
    }
    checkpoint_identity_free(&stored);
    if (archive_failed(ar))
        return archive_close(ar, sink);
    archive_abandon(ar); /* the rest is read by whoever continues it */
    return rc;
}

int checkpoint_check_options(const struct cli_options *options, const struct machine *machine, struct diag_sink *sink)
{
    if (!options->resume)
        return 0;
    const char *kind = cli_is_case(options->rest[0]) ? CHECKPOINT_CASE : CHECKPOINT_PROGRAM;
    return checkpoint_compare_target(options->resume_kind, kind, options->resume_machine, machine, sink);
}

static void identify(struct case_checkpoints *c, struct checkpoint_identity *id)
{
    checkpoint_identify(id, CHECKPOINT_CASE, c->machine, c->program, 0);
    strbuf_add(&id->command, checkpoint_command(c->options, &c->arena));
}

/* A checkpoint that cannot be written is no reason to end the run; its exit code tells. */
static void take(void *context)
{
    struct case_checkpoints *c = context;
    struct checkpoint_identity id;
    struct diag_sink sink;
    diag_init(&sink);
    char *path = checkpoint_path(checkpoint_pattern(c->options, &c->arena), gpu_cycle(c->gpu));
    struct archive *ar = archive_create(path, &sink);
    if (ar) {
        identify(c, &id);
        checkpoint_archive_identity(ar, &id);
        gpu_archive(c->gpu, ar);
        archive_close(ar, &sink);
        checkpoint_identity_free(&id);
    }
    bool asked = c->monitor && monitor_asks_checkpoint(c->monitor);
    if (c->monitor)
        monitor_checkpointed(c->monitor, gpu_cycle(c->gpu), path, sink.errors ? sink.items[0].message : NULL);
    free(path);
    arena_free(&c->arena);
    c->lost |= sink.errors > 0 && !asked; /* no result is lost by a wish that cannot be met */
    cli_print_diags(&sink);
    diag_free(&sink);
}

static struct archive *open_resumed(struct case_checkpoints *c, struct diag_sink *sink)
{
    struct checkpoint_identity stored = {0}, here;
    struct archive *ar = archive_open(c->options->resume, sink);
    if (!ar)
        return NULL;
    identify(c, &here);
    checkpoint_archive_identity(ar, &stored);
    int rc = archive_failed(ar) ? diag_error(sink, DIAG_NOWHERE, NULL, "%s", archive_error(ar))
                                : checkpoint_compare(&stored, &here, sink);
    checkpoint_identity_free(&stored);
    checkpoint_identity_free(&here);
    if (rc == 0)
        return ar;
    archive_abandon(ar);
    return NULL;
}

int case_checkpoints_begin(struct case_checkpoints *c, struct archive **resume, struct diag_sink *sink)
{
    *resume = NULL;
    if (checkpoint_possible(c->options))
        gpu_set_checkpoints(c->gpu, c->options->checkpoint_every_value, c->options->checkpoint_every_value, take, c);
    if (!c->options->resume)
        return 0;
    *resume = open_resumed(c, sink);
    return *resume ? 0 : -1;
}

void case_checkpoints_end(struct case_checkpoints *c, struct archive *resume)
{
    archive_abandon(resume);
    arena_free(&c->arena);
}
