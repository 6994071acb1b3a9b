/* Observers during a launch: a state for each SM, and the report at the end. */
#include <stdio.h>
#include <stdlib.h>

#include "base/archive.h"
#include "base/bits.h"
#include "watch/watch.h"

#define CACHE_LINE 64 /* SMs of different threads write their states */

static const char *text_of(const struct lockstep_observed *observed, uint32_t pc)
{
    struct watch_launch *launch = (struct watch_launch *)observed->context;
    const struct isa_module *module = launch->module;
    if (pc >= module->instr_count)
        return "";
    launch->text.length = 0;
    isa_disasm_instr(module, isa_function_at(module, pc), &module->instrs[pc], &launch->text);
    return strbuf_text(&launch->text);
}

static const char *place_of(const struct lockstep_observed *observed, uint32_t pc)
{
    struct watch_launch *launch = (struct watch_launch *)observed->context;
    if (pc >= launch->module->instr_count)
        return "";
    launch->place.length = 0;
    isa_format_pos(launch->module, &launch->module->instrs[pc], &launch->place);
    return strbuf_text(&launch->place);
}

static char *aligned(void *at)
{
    return (char *)round_up_u64((uintptr_t)at, CACHE_LINE);
}

/* An SM's listeners, by observer, and one behind them that is none. */
static struct watch_listener *listeners_of(const struct watch_launch *launch, unsigned sm)
{
    return &launch->listeners[sm * (launch->all->count + 1)];
}

/* Gives an observer a state on each SM. Much of it may never be touched: the host has memory for such zeros only when
 * it is. */
static int make_states(struct watch_launch *launch, unsigned i, struct diag_sink *sink)
{
    const struct lockstep_observer *observer = launch->all->of[i].observer;
    launch->observed.user = launch->all->of[i].user;
    size_t bytes = observer->state_bytes ? observer->state_bytes(&launch->observed) : 0;
    if (bytes > LOCKSTEP_OBSERVER_STATE && (launch->all->of[i].path || launch->all->of[i].given)) {
        struct strbuf kernel = {0};
        isa_plain_name(launch->observed.kernel, &kernel);
        diag_error(sink, DIAG_NOWHERE, NULL,
                   "observer %s: a state of %zu bytes for kernel %s is too large; %u bytes are the limit",
                   observer->name, bytes, strbuf_text(&kernel), LOCKSTEP_OBSERVER_STATE);
        strbuf_free(&kernel);
        return -1;
    }
    size_t apart = round_up_u64(bytes + 1, CACHE_LINE);
    launch->states[i] = base_calloc(launch->observed.sms + 1, apart);
    for (unsigned sm = 0; sm < launch->observed.sms; sm++) {
        struct watch_listener *of = &listeners_of(launch, sm)[i];
        *of = (struct watch_listener){observer, aligned(launch->states[i]) + sm * apart, bytes};
        if (observer->begin)
            observer->begin(&launch->observed, of->state);
    }
    return 0;
}

static uint32_t heard_by(const struct lockstep_observer *observer)
{
    uint32_t heard = 0;
#define EVENT(name, doc) heard |= observer->name ? WATCH_##name : 0;
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END
    return heard;
}

int watch_launch_begin(struct watch_launch *launch, const struct watch_observers *all, const struct isa_module *module,
                       const struct lockstep_observed *observed, struct arena *arena, struct diag_sink *sink)
{
    *launch = (struct watch_launch){.all = all, .observed = *observed, .module = module};
    launch->observed.text = text_of;
    launch->observed.place = place_of;
    launch->observed.context = launch;
    launch->listeners = ARENA_NEW(arena, struct watch_listener, (all->count + 1) * observed->sms + 1);
    for (unsigned i = 0; i < all->count; i++) {
        if (make_states(launch, i, sink) < 0) {
            watch_launch_free(launch);
            return -1;
        }
        launch->heard |= heard_by(all->of[i].observer) | (all->of[i].stays ? WATCH_stays : 0);
    }
    return 0;
}

struct watch watch_of(const struct watch_launch *launch, unsigned sm)
{
    if (!launch)
        return (struct watch){0};
    const struct watch_listener *of = listeners_of(launch, sm);
    struct watch watch = watch_for(of, launch->all->count, launch->heard);
    for (unsigned i = 0; i < launch->all->count; i++) {
        if (!launch->all->of[i].stays)
            continue;
        watch.stays_port = launch->all->of[i].stays;
        watch.stays_state = of[i].state;
        watch.stays = watch.stays_port->of(of[i].state);
    }
    return watch;
}

static void states_of(const struct watch_launch *launch, unsigned i, const void **states)
{
    for (unsigned sm = 0; sm < launch->observed.sms; sm++)
        states[sm] = listeners_of(launch, sm)[i].state;
}

void watch_launch_states(const struct watch_launch *launch, const struct lockstep_observer *observer,
                         const void **states)
{
    for (unsigned i = 0; i < launch->all->count; i++)
        if (launch->all->of[i].observer == observer)
            states_of(launch, i, states);
}

static void report(struct watch_launch *launch, unsigned i, const void **states, FILE *to)
{
    const struct lockstep_observer *observer = launch->all->of[i].observer;
    states_of(launch, i, states);
    launch->observed.user = launch->all->of[i].user;
    if (observer->report)
        observer->report(&launch->observed, states, to);
}

void watch_launch_report(struct watch_launch *launch, struct strbuf *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = launch->all->count ? open_memstream(&text, &length) : NULL;
    if (!to)
        return;
    const void **states = base_calloc(launch->observed.sms, sizeof *states);
    for (unsigned i = 0; i < launch->all->count; i++)
        report(launch, i, states, to);
    fclose(to);
    strbuf_addn(out, text, length);
    free(states);
    free(text);
}

void watch_launch_free(struct watch_launch *launch)
{
    for (unsigned i = 0; i < WATCH_LISTENERS; i++) {
        free(launch->states[i]);
        launch->states[i] = NULL;
    }
    strbuf_free(&launch->text);
    strbuf_free(&launch->place);
}

void watch_archive(const struct watch *watch, struct archive *ar)
{
    for (unsigned i = 0; i < watch->count; i++)
        archive_bytes(ar, watch->of[i].state, watch->of[i].bytes);
}
