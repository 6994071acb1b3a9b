/* Guarding plug-ins: see plugin.h. A handler can be told nothing: what it must know is at file scope. It calls nothing
 * that allocates. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dlinfo, dl_iterate_phdr, tgkill by pthread */
#endif
#include "base/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"

#define FRAMES 64
#define PROBES 4 /* that must find the stack in the object, one after the other */
#define PROBE_NS 100000000
#define PROBE_SIGNAL (SIGRTMAX - 5)
#define STACK_BYTES 65536

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#define FAULT_SIGNALS (sizeof fault_signals / sizeof fault_signals[0])

/* A guarded object, and where it lies. */
struct guarded {
    struct plugin plugin;
    const char *path;
    uintptr_t base, low, high;
};

static struct {
    struct guarded of[PLUGINS];
    unsigned count;
    struct plugin_blame blame;
    struct sigaction old[FAULT_SIGNALS], old_probe;
    pthread_t watcher;
    bool watched;
    double seconds; /* of LOCKSTEP_PLUGIN_SECONDS */
} guard;
static struct {
    atomic_bool on;
    atomic_uint beats;
    atomic_uint found; /* probes in a row that found the stack in the object */
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    char stack[STACK_BYTES]; /* for handlers, where the thread has no other */
} guarding = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

/* The guarded object that an address lies in, or NULL. */
static const struct guarded *object_at(const void *address)
{
    for (unsigned i = 0; i < guard.count; i++)
        if ((uintptr_t)address >= guard.of[i].low && (uintptr_t)address < guard.of[i].high)
            return &guard.of[i];
    return NULL;
}

/* The outermost frame of the present stack that lies in a guarded object: where its function was called. NULL: none. */
static const void *entry_frame(void *context)
{
    void *frames[FRAMES];
    const void *entry = NULL;
#if defined(__x86_64__)
    /* A call of nothing leaves a stack that cannot be followed, but for the address to which it would return. */
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    if (!registers[REG_RIP] && object_at(*(void *const *)registers[REG_RSP]))
        entry = *(void *const *)registers[REG_RSP];
#else
    (void)context;
#endif
    for (int i = 0, n = backtrace(frames, FRAMES); i < n; i++)
        if (object_at(frames[i]))
            entry = frames[i];
    return entry;
}

/* The plug-in's function that an address in its object is in: the last that begins before it. NULL: none does, since
 * compilers move code that is hardly ever executed in front of all functions. */
static const char *function_at(const struct plugin *p, const void *address)
{
    uintptr_t best = 0;
    const char *name = NULL;
    if (!p->function_count)
        return p->symbol;
    for (unsigned i = 0; i < p->function_count; i++)
        if (p->functions[i].at > best && p->functions[i].at <= (uintptr_t)address) {
            best = p->functions[i].at;
            name = p->functions[i].name;
        }
    return name;
}

static void put(char *text, size_t size, const char *more)
{
    size_t n = strlen(text);
    for (; *more && n + 1 < size; more++)
        text[n++] = *more;
    text[n] = '\0';
}

static void put_hex(char *text, size_t size, uintptr_t value)
{
    char digits[20] = "0x";
    unsigned n = 2;
    for (int shift = 60; shift >= 0; shift -= 4)
        if (value >> shift || !shift)
            digits[n++] = "0123456789abcdef"[value >> shift & 15];
    digits[n] = '\0';
    put(text, size, digits);
}

static void tell(int to, const char *text)
{
    ssize_t n = write(to, text, strlen(text));
    (void)n; /* there is nobody to tell */
}

/* Says whose fault it is, and ends the process. */
static void blame(const char *what, const void *frame)
{
    char text[1024] = "error: the ";
    const struct guarded *object = object_at(frame);
    const struct plugin *p = &object->plugin;
    put(text, sizeof text, p->kind);
    put(text, sizeof text, " ");
    put(text, sizeof text, p->name ? p->name : "from a file");
    put(text, sizeof text, " is at fault: ");
    put(text, sizeof text, what);
    const char *function = function_at(p, frame);
    put(text, sizeof text, function ? " in its function " : " in one of its functions, at ");
    put(text, sizeof text, function ? function : "");
    put(text, sizeof text, function ? "(), at " : "");
    put(text, sizeof text, object->path);
    put(text, sizeof text, "+");
    put_hex(text, sizeof text, (uintptr_t)frame - object->base);
    put(text, sizeof text, "\n");
    tell(STDERR_FILENO, text);
    if (guard.blame.before) {
        tell(guard.blame.file, guard.blame.before);
        tell(guard.blame.file, p->word);
        tell(guard.blame.file, guard.blame.behind);
    }
    _exit(1);
}

static const char *fault_name(int number)
{
    switch (number) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGILL:
        return "SIGILL";
    case SIGFPE:
        return "SIGFPE";
    default:
        return "SIGABRT";
    }
}

/* Another's fault is left to whoever handled the signal before: it comes again when the handler returns. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const void *frame = entry_frame(context);
    if (frame)
        blame(fault_name(number), frame);
    for (size_t i = 0; i < FAULT_SIGNALS; i++)
        if (fault_signals[i] == number)
            sigaction(number, &guard.old[i], NULL);
    if (info->si_code <= 0)
        raise(number); /* it was sent, not caused, and would not come again */
}

static void on_probe(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    const void *frame = atomic_load(&guarding.on) ? entry_frame(context) : NULL;
    if (frame && atomic_fetch_add(&guarding.found, 1) + 1 >= PROBES)
        blame("it does not come back from a loop", frame);
}

/* Has every other thread look at its stack. */
static void probe(void)
{
    DIR *tasks = opendir("/proc/self/task");
    pid_t own = (pid_t)syscall(SYS_gettid);
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
        pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);
        if (task > 0 && task != own)
            syscall(SYS_tgkill, getpid(), task, PROBE_SIGNAL);
    }
    if (tasks)
        closedir(tasks);
}

static void *watch(void *unused)
{
    unsigned seen = atomic_load(&guarding.beats);
    double since = host_seconds();
    pthread_mutex_lock(&guarding.mutex);
    while (atomic_load(&guarding.on)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROBE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&guarding.ended, &guarding.mutex, &until);
        unsigned now = atomic_load(&guarding.beats);
        if (now != seen) {
            seen = now;
            since = host_seconds();
            atomic_store(&guarding.found, 0);
        } else if (atomic_load(&guarding.on) && host_seconds() - since > guard.seconds) {
            probe();
        }
    }
    pthread_mutex_unlock(&guarding.mutex);
    return unused;
}

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct guarded *g = context;
    if (info->dlpi_addr != g->base)
        return 0;
    g->low = UINTPTR_MAX;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t from = g->base + info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        g->low = from < g->low ? from : g->low;
        g->high = to > g->high ? to : g->high;
    }
    return 1;
}

static double seconds_of(const char *text)
{
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : PLUGIN_GUARD_SECONDS;
}

static void take_signals(void)
{
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction probed = {.sa_sigaction = on_probe, .sa_flags = SA_SIGINFO | SA_RESTART};
    stack_t own = {.ss_sp = guarding.stack, .ss_size = sizeof guarding.stack}, old;
    if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
        sigaltstack(&own, NULL);
    for (size_t i = 0; i < FAULT_SIGNALS; i++)
        sigaction(fault_signals[i], &fault, &guard.old[i]);
    sigaction(PROBE_SIGNAL, &probed, &guard.old_probe);
}

static void give_signals_back(void)
{
    stack_t off = {.ss_flags = SS_DISABLE}, now;
    for (size_t i = 0; i < FAULT_SIGNALS; i++)
        sigaction(fault_signals[i], &guard.old[i], NULL);
    sigaction(PROBE_SIGNAL, &(struct sigaction){.sa_handler = SIG_IGN}, NULL); /* one may be on its way */
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == guarding.stack)
        sigaltstack(&off, NULL);
}

/* Adds a plug-in to those that are guarded, if it is from an object. */
static void add(const struct plugin *plugin)
{
    struct link_map *map = NULL;
    if (!plugin->library || dlinfo(plugin->library, RTLD_DI_LINKMAP, &map) < 0)
        return;
    struct guarded *g = &guard.of[guard.count++];
    *g = (struct guarded){.plugin = *plugin, .path = map->l_name, .base = map->l_addr};
    dl_iterate_phdr(find_object, g);
}

/* Several devices of a process may come here at once as long as none has a plug-in: so nothing is written then. */
static bool has_object(const struct plugin *plugins, unsigned count)
{
    for (unsigned i = 0; i < count && i < PLUGINS; i++)
        if (plugins[i].library)
            return true;
    return false;
}

void plugin_guard_begin(const struct plugin *plugins, unsigned count, const struct plugin_blame *blame)
{
    void *frames[2];
    if (!has_object(plugins, count) || atomic_load(&guarding.on))
        return;
    guard.count = 0;
    for (unsigned i = 0; i < count && i < PLUGINS; i++)
        add(&plugins[i]);
    if (!guard.count)
        return;
    guard.blame = blame ? *blame : (struct plugin_blame){0};
    guard.seconds = seconds_of(getenv("LOCKSTEP_PLUGIN_SECONDS"));
    backtrace(frames, 2); /* its first call allocates */
    fflush(NULL);         /* a process that is blamed ends without */
    atomic_store(&guarding.found, 0);
    atomic_store(&guarding.on, true);
    take_signals();
    guard.watched = pthread_create(&guard.watcher, NULL, watch, NULL) == 0;
}

void plugin_guard_end(void)
{
    if (!atomic_load(&guarding.on))
        return;
    pthread_mutex_lock(&guarding.mutex);
    atomic_store(&guarding.on, false);
    pthread_cond_signal(&guarding.ended);
    pthread_mutex_unlock(&guarding.mutex);
    if (guard.watched)
        pthread_join(guard.watcher, NULL);
    give_signals_back();
}

void plugin_guard_beat(void)
{
    atomic_fetch_add_explicit(&guarding.beats, 1, memory_order_relaxed);
}
