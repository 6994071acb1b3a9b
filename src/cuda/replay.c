/* Notes of calls, and programs that repeat them. A note is a head, the name of the entry point, and bytes: what a copy
 * brought to the host, or what a launch left (its outcome, the books of the device, and how memory that the host can
 * see changed). */
#include "cuda/replay.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cuda/runtime.h"
#include "gpu/checkpoint.h"

#define FACTS 4
#define CHUNK 4096u

struct note {
    uint64_t facts[FACTS];
    uint64_t bytes; /* after the name */
    char name[40];
};

static bool refuse(struct runtime *rt, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The program cannot be continued: every call from now on fails, and whoever started it is told. Returns false. */
static bool refuse(struct runtime *rt, const char *format, ...)
{
    struct diag_sink sink;
    struct strbuf text = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&text, format, ap);
    va_end(ap);
    diag_init(&sink);
    diag_error(&sink, DIAG_NOWHERE, "only programs that do the same every time can be continued from a checkpoint",
               "the checkpoint cannot be continued: %s", strbuf_text(&text));
    runtime_report(rt, &sink);
    diag_free(&sink);
    strbuf_free(&text);
    results_refused(rt);
    archive_abandon(rt->replay.resume);
    rt->replay.resume = NULL;
    rt->replay.on = rt->replay.going = false;
    rt->broken = cudaErrorInitializationError;
    return false;
}

static struct note note_of(const struct runtime *rt, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct note note = {.facts = {a, b, c, d}};
    const char *name = rt->entry ? rt->entry : "";
    size_t n = strlen(name);
    memcpy(note.name, name, n < sizeof note.name ? n : sizeof note.name - 1);
    return note;
}

static void add_note(struct runtime *rt, struct note note, const void *data, size_t bytes)
{
    struct replay *r = &rt->replay;
    note.bytes = bytes;
    strbuf_addn(&r->log, (const char *)&note, sizeof note);
    strbuf_addn(&r->log, data, bytes);
    r->calls++;
}

/* Compares a call with a note. */
static bool agrees(struct runtime *rt, const struct note *stored, const struct note *now)
{
    unsigned long long number = rt->replay.calls + 1;
    if (strncmp(stored->name, now->name, sizeof now->name) != 0)
        return refuse(rt, "call %llu of the program is %s, it was %.*s before", number, now->name,
                      (int)sizeof stored->name, stored->name);
    if (memcmp(stored->facts, now->facts, sizeof now->facts) != 0)
        return refuse(rt, "call %llu of the program, %s, has other arguments or other data than before", number,
                      now->name);
    return true;
}

/* Finds the note of a call that the program repeats; *data is what was noted with it. */
static bool take_note(struct runtime *rt, const struct note *now, const uint8_t **data, size_t *bytes)
{
    struct replay *r = &rt->replay;
    struct note stored;
    size_t left = r->log.length - r->at;
    if (left == 0)
        return refuse(rt, "call %llu of the program is %s, before there was a launch", (unsigned long long)r->calls + 1,
                      now->name);
    if (left >= sizeof stored)
        memcpy(&stored, r->log.text + r->at, sizeof stored);
    if (left < sizeof stored || stored.bytes > left - sizeof stored)
        return refuse(rt, "the notes of its calls are damaged");
    if (!agrees(rt, &stored, now))
        return false;
    *data = (const uint8_t *)r->log.text + r->at + sizeof stored;
    *bytes = (size_t)stored.bytes;
    r->at += sizeof stored + *bytes;
    r->calls++;
    return true;
}

cudaError_t replay_call(struct runtime *rt, uint64_t a, uint64_t b, uint64_t c)
{
    const uint8_t *data;
    size_t bytes;
    struct note note = note_of(rt, a, b, c, 0);
    if (rt->replay.going)
        return take_note(rt, &note, &data, &bytes) ? cudaSuccess : rt->broken;
    if (rt->replay.on)
        add_note(rt, note, NULL, 0);
    return cudaSuccess;
}

cudaError_t replay_bytes(struct runtime *rt, uint64_t to, const void *from, size_t bytes)
{
    return rt->replay.on ? replay_call(rt, to, bytes, hash_bytes(from, bytes)) : cudaSuccess;
}

bool replay_fetch(struct runtime *rt, void *to, uint64_t from, size_t bytes, cudaError_t *error)
{
    struct note note = note_of(rt, from, bytes, 0, 0);
    const uint8_t *data;
    size_t stored;
    if (!rt->replay.going)
        return false;
    *error = rt->broken;
    if (!take_note(rt, &note, &data, &stored) || (stored != bytes && !refuse(rt, "the notes of its calls are damaged")))
        *error = rt->broken;
    else
        memcpy(to, data, bytes);
    return true;
}

void replay_fetched(struct runtime *rt, const void *to, uint64_t from, size_t bytes)
{
    if (rt->replay.on)
        add_note(rt, note_of(rt, from, bytes, 0, 0), to, bytes);
}

/* Memory that both sides see in place */

/* Block i of what the host can see, in a fixed order; false behind the last. */
static bool shared_block(const struct runtime *rt, size_t *i, uint8_t **start, size_t *bytes)
{
    for (; *i < rt->specials.count; ++*i) {
        const struct special_block *block = &rt->specials.items[*i];
        if (!block->in_device && !block->shadow)
            continue;
        *start = (uint8_t *)(uintptr_t)block->start;
        *bytes = (size_t)block->bytes;
        ++*i;
        return true;
    }
    return false;
}

static void copy_shared(const struct runtime *rt, struct strbuf *to)
{
    uint8_t *start;
    size_t bytes;
    to->length = 0;
    for (size_t i = 0; shared_block(rt, &i, &start, &bytes);)
        strbuf_addn(to, (const char *)start, bytes);
}

/* The pieces that differ from what they were, each with its place; a place behind the end ends a block. */
static void save_changes(const struct runtime *rt, struct archive *ar)
{
    const uint8_t *before = (const uint8_t *)rt->replay.host_memory.text;
    uint8_t *start;
    size_t bytes;
    for (size_t i = 0; shared_block(rt, &i, &start, &bytes); before += bytes) {
        for (uint64_t at = 0; at < bytes; at += CHUNK) {
            size_t n = bytes - at < CHUNK ? bytes - (size_t)at : CHUNK;
            if (memcmp(start + at, before + at, n) == 0)
                continue;
            ARCHIVE(ar, at);
            archive_bytes(ar, start + at, n);
        }
        uint64_t end = bytes;
        ARCHIVE(ar, end);
    }
}

static void load_changes(const struct runtime *rt, struct archive *ar)
{
    uint8_t *start;
    size_t bytes;
    for (size_t i = 0; shared_block(rt, &i, &start, &bytes);) {
        uint64_t at = 0;
        for (;;) {
            archive_u64_to(ar, &at, bytes);
            if (at == bytes || archive_failed(ar))
                break;
            archive_bytes(ar, start + at, bytes - at < CHUNK ? bytes - (size_t)at : CHUNK);
        }
    }
}

/* Launches */

void launch_outcome_free(struct launch_outcome *outcome)
{
    strbuf_free(&outcome->output);
    strbuf_free(&outcome->figures);
    strbuf_free(&outcome->diagnostics);
}

static void archive_launch(struct runtime *rt, struct archive *ar, struct launch_outcome *outcome)
{
    archive_text(ar, &outcome->output);
    archive_text(ar, &outcome->figures);
    archive_text(ar, &outcome->diagnostics);
    ARCHIVE(ar, outcome->error);
    archive_bool(ar, &outcome->sticks);
    gpu_archive_outcome(rt->gpu, ar);
    if (archive_loading(ar))
        load_changes(rt, ar);
    else
        save_changes(rt, ar);
}

static struct note launch_note(const struct runtime *rt, const struct gpu_launch *launch, const char *code)
{
    uint64_t shape[11] = {launch->grid[0],  launch->grid[1],  launch->grid[2],        launch->block[0],
                         launch->block[1], launch->block[2], launch->dynamic_shared, launch->cooperative,
                         launch->cluster[0], launch->cluster[1], launch->cluster[2]};
    uint64_t kernel = hash_bytes(launch->kernel->name, strlen(launch->kernel->name));
    return note_of(rt, hash_bytes(code, strlen(code)) ^ kernel, hash_bytes(shape, sizeof shape),
                   hash_bytes(launch->params, launch->kernel->param_bytes),
                   hash_bytes(strbuf_text(&rt->replay.host_memory), rt->replay.host_memory.length));
}

static void repeat_launch(struct runtime *rt, const struct note *note, struct launch_outcome *outcome)
{
    const uint8_t *data;
    size_t bytes;
    if (take_note(rt, note, &data, &bytes)) {
        struct archive *ar = archive_from_bytes(data, bytes);
        archive_launch(rt, ar, outcome);
        if (archive_failed(ar))
            refuse(rt, "%s: %s", note->name, archive_error(ar));
        archive_abandon(ar);
    }
    if (rt->broken) {
        launch_outcome_free(outcome);
        *outcome = (struct launch_outcome){.error = rt->broken};
    }
}

bool replay_launch(struct runtime *rt, struct gpu_launch *launch, const char *code, struct launch_outcome *outcome)
{
    struct replay *r = &rt->replay;
    if (!r->on)
        return false;
    copy_shared(rt, &r->host_memory);
    struct note note = launch_note(rt, launch, code);
    if (r->going && r->at < r->log.length) {
        repeat_launch(rt, &note, outcome);
        return true;
    }
    if (r->going) { /* the one that was under way */
        struct note stored;
        memcpy(&stored, r->launch.text, sizeof stored);
        if (!agrees(rt, &stored, &note)) {
            outcome->error = rt->broken;
            return true;
        }
        r->going = false;
        launch->resume = r->resume;
    }
    r->launch.length = 0;
    strbuf_addn(&r->launch, (const char *)&note, sizeof note);
    return false;
}

void replay_launched(struct runtime *rt, struct launch_outcome *outcome)
{
    struct replay *r = &rt->replay;
    struct note note;
    if (!r->on)
        return;
    if (r->resume) {
        if (archive_failed(r->resume)) {
            refuse(rt, "%s", archive_error(r->resume));
            return;
        }
        archive_abandon(r->resume);
        r->resume = NULL;
        results_resumed(rt);
    }
    r->on = r->keeps;
    if (r->on) {
        struct strbuf data = {0};
        struct archive *ar = archive_into(&data);
        archive_launch(rt, ar, outcome);
        archive_abandon(ar);
        memcpy(&note, r->launch.text, sizeof note);
        add_note(rt, note, data.text, data.length);
        strbuf_free(&data);
    }
    strbuf_free(&r->host_memory);
}

/* Files */

static void identify(const struct runtime *rt, struct checkpoint_identity *id)
{
    const char *command = getenv("LOCKSTEP_COMMAND");
    checkpoint_identify(id, CHECKPOINT_PROGRAM, &rt->machine, rt->replay.program, rt->replay.arguments);
    strbuf_add(&id->command, command ? command : "");
}

static void archive_calls(struct archive *ar, struct replay *r)
{
    archive_begin(ar, "calls", 0);
    archive_text(ar, &r->log);
    archive_text(ar, &r->launch);
    if (archive_loading(ar) && r->launch.length != sizeof(struct note))
        archive_fail(ar, "no launch was under way");
    archive_end(ar);
}

/* A checkpoint that cannot be written is no reason to end the run; the results tell of it. */
static void take(void *context)
{
    struct runtime *rt = context;
    struct diag_sink sink;
    struct checkpoint_identity id;
    diag_init(&sink);
    char *path = checkpoint_path(rt->replay.pattern, gpu_cycle(rt->gpu));
    struct archive *ar = archive_create(path, &sink);
    if (ar) {
        identify(rt, &id);
        checkpoint_archive_identity(ar, &id);
        archive_calls(ar, &rt->replay);
        gpu_archive(rt->gpu, ar);
        archive_close(ar, &sink);
        checkpoint_identity_free(&id);
    }
    bool asked = rt->monitor && monitor_asks_checkpoint(rt->monitor);
    if (rt->monitor)
        monitor_checkpointed(rt->monitor, gpu_cycle(rt->gpu), path, sink.errors ? sink.items[0].message : NULL);
    free(path);
    if (sink.errors && !asked) /* no result is lost by a wish that cannot be met */
        results_checkpoint_lost(rt);
    runtime_report(rt, &sink);
    diag_free(&sink);
}

void replay_device(struct runtime *rt)
{
    if (rt->replay.keeps)
        gpu_set_checkpoints(rt->gpu, rt->replay.left, rt->replay.every, take, rt);
}

void replay_device_ends(struct runtime *rt)
{
    if (rt->replay.keeps)
        rt->replay.left = gpu_checkpoint_left(rt->gpu);
}

static uint64_t hash_file(const char *path)
{
    uint64_t hash = 0;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &info) == 0 && info.st_size > 0) {
        void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map != MAP_FAILED) {
            hash = hash_bytes(map, (size_t)info.st_size);
            munmap(map, (size_t)info.st_size);
        }
    }
    if (file >= 0)
        close(file);
    return hash;
}

/* Of the process's arguments, without its name. */
static uint64_t hash_arguments(void)
{
    struct strbuf text = {0};
    char piece[4096];
    ssize_t n;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && (n = read(file, piece, sizeof piece)) > 0)
        strbuf_addn(&text, piece, (size_t)n);
    if (file >= 0)
        close(file);
    size_t name = strlen(strbuf_text(&text));
    uint64_t hash = name < text.length ? hash_bytes(text.text + name, text.length - name) : 0;
    strbuf_free(&text);
    return hash;
}

static int open_checkpoint(struct runtime *rt, const char *path, struct diag_sink *sink)
{
    struct replay *r = &rt->replay;
    struct checkpoint_identity stored = {0}, here;
    r->resume = archive_open(path, sink);
    if (!r->resume)
        return -1;
    checkpoint_archive_identity(r->resume, &stored);
    identify(rt, &here);
    int rc = archive_failed(r->resume)
                 ? diag_error(sink, DIAG_NOWHERE, NULL, "checkpoint %s: %s", path, archive_error(r->resume))
                 : checkpoint_compare(&stored, &here, sink);
    checkpoint_identity_free(&stored);
    checkpoint_identity_free(&here);
    if (rc == 0)
        archive_calls(r->resume, r);
    if (rc == 0 && archive_failed(r->resume))
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "checkpoint %s: %s", path, archive_error(r->resume));
    r->on = r->going = rc == 0;
    return rc;
}

static int read_every(struct runtime *rt, struct diag_sink *sink)
{
    struct replay *r = &rt->replay;
    const char *every = getenv("LOCKSTEP_CHECKPOINT_EVERY"), *pattern = getenv("LOCKSTEP_CHECKPOINT");
    char *end;
    r->pattern = pattern && *pattern ? pattern : "lockstep.checkpoint";
    r->on = r->keeps = (every && *every) || (rt->monitor && pattern && *pattern);
    if (!every || !*every)
        return 0;
    r->every = strtoull(every, &end, 10);
    if (*every < '0' || *every > '9' || *end || !r->every)
        return diag_error(sink, DIAG_NOWHERE, NULL, "LOCKSTEP_CHECKPOINT_EVERY=%s: expected a number of cycles", every);
    r->left = r->every;
    return 0;
}

int replay_open(struct runtime *rt, struct diag_sink *sink)
{
    struct replay *r = &rt->replay;
    const char *resume = getenv("LOCKSTEP_RESUME");
    if (read_every(rt, sink) < 0)
        return -1;
    if (!resume || !*resume)
        resume = NULL;
    if (!r->keeps && !resume)
        return 0;
    if (rt->mode != GPU_TIMING)
        return diag_error(sink, DIAG_NOWHERE, NULL, "there are no checkpoints in functional mode: it has no cycles");
    r->program = hash_file("/proc/self/exe");
    r->arguments = hash_arguments();
    if (!resume || open_checkpoint(rt, resume, sink) == 0)
        return 0;
    results_refused(rt);
    return -1;
}

void replay_close(struct runtime *rt)
{
    struct replay *r = &rt->replay;
    if (r->going)
        refuse(rt, "the program ended after %llu calls, before the launch that was under way",
               (unsigned long long)r->calls);
    archive_abandon(r->resume);
    r->resume = NULL;
    r->on = r->going = false;
    strbuf_free(&r->log);
    strbuf_free(&r->launch);
    strbuf_free(&r->host_memory);
}
