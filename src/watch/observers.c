/* Observers from shared objects, and those that join them. */
#include <string.h>

#include "base/check.h"
#include "watch/watch.h"

#define SYMBOL "lockstep_observer_plugin"
#define KIND "observer"

/* The version first: in a structure of another version the rest may lie elsewhere. */
static int check(const struct watch_observer *o, struct diag_sink *sink)
{
    const struct lockstep_observer *observer = o->observer;
    const char *path = o->given ? "the observer given by the program" : o->path;
    if (!observer)
        return plugin_wrong(&o->plugin, path, NULL, o->given ? "it is NULL" : SYMBOL " returns nothing", sink);
    if (observer->version != LOCKSTEP_OBSERVER_VERSION)
        return diag_error(sink, DIAG_NOWHERE, "build it again with this lockstep/observer.h",
                          "%s was built for version %u of the observer interface; this is version %u", path,
                          (unsigned)observer->version, LOCKSTEP_OBSERVER_VERSION);
    if (!observer->name || !observer->name[0])
        return plugin_wrong(&o->plugin, path, NULL, "it has no name", sink);
    return 0;
}

/* Names the functions that a fault can be in. */
static void describe(struct watch_observer *o)
{
    const struct lockstep_observer *observer = o->observer;
    const struct plugin_function functions[] = {
        {"state_bytes", (uintptr_t)observer->state_bytes},
        {"begin", (uintptr_t)observer->begin},
        {"report", (uintptr_t)observer->report},
#define EVENT(name, doc) {#name, (uintptr_t)observer->name},
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END
    };
    memcpy(o->functions, functions, sizeof functions);
    o->plugin.name = observer->name;
    o->plugin.functions = o->functions;
    o->plugin.function_count = sizeof functions / sizeof functions[0];
}

static int check_room(const struct watch_observers *all, struct diag_sink *sink)
{
    if (all->count - all->joined == WATCH_OBSERVERS)
        return diag_error(sink, DIAG_NOWHERE, NULL, "too many observers: %d are the limit", WATCH_OBSERVERS);
    return 0;
}

int watch_load(struct watch_observers *all, const char *path, struct diag_sink *sink)
{
    const struct lockstep_observer *(*plugin)(void);
    void *symbol;
    if (check_room(all, sink) < 0)
        return -1;
    struct watch_observer *o = &all->of[all->count];
    *o = (struct watch_observer){.plugin = {.kind = KIND, .word = "observer", .symbol = SYMBOL}, .path = path};
    if (plugin_load(&o->plugin, path, "an observer is built by: cc -shared -fPIC -o mine.so mine.c",
                    "lockstep/observer.h", &symbol, sink) < 0)
        return -1;
    memcpy(&plugin, &symbol, sizeof plugin);
    plugin_guard_begin(&o->plugin, 1, NULL);
    o->observer = plugin();
    plugin_guard_end();
    if (check(o, sink) < 0) {
        plugin_unload(&o->plugin);
        return -1;
    }
    describe(o);
    all->count++;
    return 0;
}

int watch_take(struct watch_observers *all, const struct lockstep_observer *observer, void *user,
               struct diag_sink *sink)
{
    if (check_room(all, sink) < 0)
        return -1;
    struct watch_observer *o = &all->of[all->count];
    *o = (struct watch_observer){
        .plugin = {.kind = KIND, .word = "observer"}, .observer = observer, .given = true, .user = user};
    if (check(o, sink) < 0)
        return -1;
    all->count++;
    return 0;
}

void watch_join(struct watch_observers *all, const struct lockstep_observer *observer)
{
    contract(all->joined < WATCH_JOINED);
    for (unsigned i = 0; i < all->count; i++)
        contract(all->of[i].observer != observer);
    all->of[all->count++] = (struct watch_observer){.plugin = {.kind = KIND, .word = "observer"}, .observer = observer};
    all->joined++;
}

void watch_join_stays(struct watch_observers *all, const struct lockstep_observer *observer,
                      const struct watch_stays_port *port)
{
    for (unsigned i = 0; i < all->count; i++)
        contract(!all->of[i].stays);
    watch_join(all, observer);
    all->of[all->count - 1].stays = port;
}

void watch_unload(struct watch_observers *all)
{
    for (unsigned i = 0; i < all->count; i++)
        plugin_unload(&all->of[i].plugin);
    all->count = all->joined = 0;
}

int watch_try(const char *const *paths, size_t count, struct diag_sink *sink)
{
    struct watch_observers tried = {0};
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        rc |= watch_load(&tried, paths[i], sink);
    watch_unload(&tried);
    return rc;
}

void watch_identify(const struct watch_observers *all, struct strbuf *out)
{
    for (unsigned i = 0; i < all->count; i++) {
        if (!all->of[i].path && !all->of[i].observer->name)
            continue;
        strbuf_add(out, out->length ? ", " : "");
        strbuf_addf(out, "--%s", all->of[i].path ? "observe " : all->of[i].observer->name);
        if (all->of[i].path)
            plugin_identify(all->of[i].path, out);
    }
}
