/* Devices: made, described, destroyed; and what a call says. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "library/library.h"

#define LARGEST 4096 /* bytes: a structure that says it is larger does not say its size */

uint32_t lockstep_version(void)
{
    return LOCKSTEP_DEVICE_VERSION;
}

const char *lockstep_release(void)
{
    return LOCKSTEP_VERSION;
}

const char *lockstep_code_name(int code)
{
    static const char *const names[] = {
        [LOCKSTEP_OK] = "ok",
        [LOCKSTEP_ERROR_INVALID] = "invalid",
        [LOCKSTEP_ERROR_ABSENT] = "absent",
        [LOCKSTEP_ERROR_EXHAUSTED] = "exhausted",
        [LOCKSTEP_ERROR_STATE] = "state",
        [LOCKSTEP_ERROR_VERSION] = "version",
        [LOCKSTEP_ERROR_FAULT] = "fault",
        [LOCKSTEP_ERROR_HANG] = "hang",
        [LOCKSTEP_ERROR_LIMIT] = "limit",
        [LOCKSTEP_ERROR_STOPPED] = "stopped",
    };
    return (unsigned)code < sizeof names / sizeof names[0] ? names[code] : "unknown";
}

/* Messages of calls */

int library_wrong(struct lockstep_device *d, int code, const char *hint, const char *format, ...)
{
    struct strbuf text = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&text, format, ap);
    va_end(ap);
    diag_error(&d->sink, DIAG_NOWHERE, hint, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return code;
}

static void forget_words(struct lockstep_device *d)
{
    diag_free(&d->sink);
    diag_init(&d->sink);
}

int library_begin(struct lockstep_device *d)
{
    forget_words(d);
    if (d->gpu)
        return LOCKSTEP_OK;
    return library_wrong(d, LOCKSTEP_ERROR_STATE, "look at what lockstep_create returns", "the device was not made");
}

int library_need_held(struct lockstep_device *d, const char *what)
{
    int code = library_begin(d);
    if (code || gpu_stands(d->gpu))
        return code;
    return library_wrong(d, LOCKSTEP_ERROR_STATE, "lockstep_launch begins one", "%s: no launch is under way", what);
}

int library_need_idle(struct lockstep_device *d, const char *what)
{
    int code = library_begin(d);
    if (code || !gpu_stands(d->gpu))
        return code;
    return library_wrong(d, LOCKSTEP_ERROR_STATE, "lockstep_run(device, NULL, NULL) runs it to its end",
                         "%s: a launch is under way", what);
}

const char *lockstep_message(struct lockstep_device *d)
{
    strbuf_free(&d->message);
    diag_format_all(&d->sink, &d->message);
    return strbuf_text(&d->message);
}

int lockstep_diagnostic(struct lockstep_device *d, uint32_t index, struct lockstep_diagnostic *to)
{
    if (index >= d->sink.count)
        return LOCKSTEP_ERROR_ABSENT;
    const struct diag *from = &d->sink.items[index];
    const struct lockstep_diagnostic diagnostic = {.severity = from->severity == DIAG_ERROR     ? LOCKSTEP_IS_ERROR
                                                               : from->severity == DIAG_WARNING ? LOCKSTEP_IS_WARNING
                                                                                                : LOCKSTEP_IS_NOTE,
                                                   .file = from->pos.file,
                                                   .line = from->pos.line,
                                                   .column = from->pos.column,
                                                   .message = from->message,
                                                   .hint = from->hint,
                                                   .source_line = from->source_line};
    return library_give(d, to, &diagnostic, sizeof diagnostic, "lockstep_diagnostic");
}

/* Structures */

static int wrong_size(struct lockstep_device *d, size_t size, const char *name)
{
    return library_wrong(d, LOCKSTEP_ERROR_VERSION, "set .size = sizeof(struct ...), and the rest to zero",
                         "struct %s: a size of %zu bytes", name, size);
}

int library_take(struct lockstep_device *d, void *to, size_t known, const void *from, const char *name)
{
    size_t size = known;
    memset(to, 0, known);
    if (from)
        memcpy(&size, from, sizeof size);
    if (size < sizeof size || size > LARGEST)
        return wrong_size(d, size, name);
    for (size_t i = known; i < size; i++)
        if (((const char *)from)[i])
            return library_wrong(d, LOCKSTEP_ERROR_VERSION, "use a later liblockstep, or leave it zero",
                                 "struct %s asks for something that this library does not know", name);
    if (from)
        memcpy(to, from, size < known ? size : known);
    return LOCKSTEP_OK;
}

int library_give(struct lockstep_device *d, void *to, const void *from, size_t known, const char *name)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size < sizeof size || size > LARGEST)
        return wrong_size(d, size, name);
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, (size < known ? size : known) - sizeof size);
    return LOCKSTEP_OK;
}

/* Making */

/* The scheduler that is given is the machine's by its bare name, unless an assignment says more. */
static int set_machine(struct lockstep_device *d, const struct lockstep_device_setup *setup)
{
    d->own.given = (struct sched_given){setup->scheduler, setup->scheduler_user};
    if (setup->scheduler && setup->scheduler->name)
        machine_set_scheduler(&d->own, setup->scheduler->name);
    for (const char *const *set = setup->set; set && *set; set++)
        if (machine_set(&d->own, *set, &d->sink) < 0)
            return LOCKSTEP_ERROR_INVALID;
    if (!sched_is_file(d->own.sm.scheduler))
        return LOCKSTEP_OK;
    return library_wrong(d, LOCKSTEP_ERROR_INVALID,
                         "open it, and give what its lockstep_scheduler_plugin returns as `scheduler`",
                         "sm.scheduler names a file, %s, and the library loads no code", d->own.sm.scheduler);
}

static int load_machine(struct lockstep_device *d, const struct lockstep_device_setup *setup)
{
    const char *name = setup->machine ? setup->machine : setup->text ? "machine.yaml" : "gtx480";
    int rc =
        setup->text ? machine_load_text(&d->own, name, setup->text, &d->sink) : machine_load(&d->own, name, &d->sink);
    return rc < 0 ? LOCKSTEP_ERROR_INVALID : set_machine(d, setup);
}

static struct lockstep_device *new_device(void)
{
    struct lockstep_device *d = base_calloc(1, sizeof *d);
    diag_init(&d->sink);
    return d;
}

static int make(struct lockstep_device *d, const struct machine *machine)
{
    d->machine = machine;
    d->gpu = gpu_create(machine, &d->sink);
    return d->gpu ? LOCKSTEP_OK : LOCKSTEP_ERROR_INVALID;
}

int lockstep_create(struct lockstep_device **device, const struct lockstep_device_setup *from)
{
    struct lockstep_device_setup setup;
    struct lockstep_device *d = *device = new_device();
    int code = library_take(d, &setup, sizeof setup, from, "lockstep_device_setup");
    code = code ? code : load_machine(d, &setup);
    return code ? code : make(d, &d->own);
}

int library_create(struct lockstep_device **device, const struct machine *machine)
{
    *device = new_device();
    return make(*device, machine);
}

int library_tell(const struct lockstep_device *d, struct diag_sink *sink)
{
    for (unsigned i = 0; i < d->sink.count; i++)
        diag_add(sink, &d->sink.items[i]);
    return -1;
}

struct gpu *library_gpu(const struct lockstep_device *d)
{
    return d->gpu;
}

void library_set_besides(struct lockstep_device *d, const struct library_besides *besides)
{
    d->besides = *besides;
}

void lockstep_destroy(struct lockstep_device *d)
{
    if (!d)
        return;
    if (d->gpu && gpu_stands(d->gpu))
        lockstep_cancel(d);
    library_forget(d);
    gpu_result_free(&d->result);
    gpu_destroy(d->gpu);
    for (struct lockstep_module *next; d->modules; d->modules = next) {
        next = d->modules->next;
        free(d->modules);
    }
    breaks_free(d->breaks);
    free(d->run.params);
    machine_free(&d->own);
    diag_free(&d->sink);
    struct strbuf *const texts[] = {&d->message, &d->value, &d->text,   &d->place, &d->output,
                                    &d->json,    &d->lines, &d->phases, &d->waits, &d->kernel};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        strbuf_free(texts[i]);
    free(d);
}

/* Facts */

int lockstep_facts(struct lockstep_device *d, struct lockstep_device_facts *to)
{
    int code = library_begin(d);
    if (code)
        return code;
    struct lockstep_device_facts facts = {.sms = d->machine->gpu.sms,
                                          .warps = d->machine->sm.warps,
                                          .lanes = d->machine->sm.warp_size,
                                          .core_mhz = d->machine->gpu.core_mhz,
                                          .cycle = gpu_cycle(d->gpu),
                                          .launches = d->launches};
    gpu_memory_info(d->gpu, &facts.memory_free, &facts.memory_bytes);
    return library_give(d, to, &facts, sizeof facts, "lockstep_device_facts");
}

int lockstep_parameter(struct lockstep_device *d, const char *name, const char **value)
{
    int code = library_begin(d);
    if (code)
        return code;
    strbuf_free(&d->value);
    if (!machine_value(d->machine, name, &d->value))
        return library_wrong(d, LOCKSTEP_ERROR_ABSENT, "`lockstep params` lists them", "there is no parameter %s",
                             name);
    *value = strbuf_text(&d->value);
    return LOCKSTEP_OK;
}
