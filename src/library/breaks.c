/* Breakpoints: an observer that is told of each issue and looks whether its instruction has one. The set is read by all
 * SMs while a launch goes on, and changed only while it is held. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "library/library.h"

#define MOST (1u << 28) /* no module has so many instructions */

/* An SM's state. */
struct place {
    const struct breaks *breaks;
    bool came;
    struct break_hit hit; /* the first since it was taken; but for `sm` */
};

struct breaks {
    uint64_t *set; /* by pc */
    uint32_t words;
    struct place **places; /* of the launch, by SM */
    uint32_t count, capacity;
};

static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct place);
}

/* Called for SM after SM. */
static void begin(const struct lockstep_observed *observed, void *state)
{
    struct breaks *b = observed->user;
    struct place *place = state;
    place->breaks = b;
    if (b->count == b->capacity) {
        b->capacity = observed->sms;
        b->places = base_realloc(b->places, b->capacity * sizeof(struct place *));
    }
    b->places[b->count++] = place;
}

static void issue(void *state, const struct lockstep_issue_event *event)
{
    struct place *place = state;
    const struct breaks *b = place->breaks;
    uint32_t word = event->pc / 64;
    if (word >= b->words || !mask_has(b->set[word], event->pc % 64) || place->came)
        return;
    place->came = true;
    place->hit = (struct break_hit){.warp = event->warp, .pc = event->pc, .mask = event->mask};
}

static const struct lockstep_observer observer = {
    .version = LOCKSTEP_OBSERVER_VERSION,
    .name = "breakpoints",
    .doc = "notes who issues an instruction that has a breakpoint",
    .state_bytes = state_bytes,
    .begin = begin,
    .issue = issue,
};

void breaks_free(struct breaks *b)
{
    if (!b)
        return;
    free(b->set);
    free(b->places);
    free(b);
}

void breaks_begin(struct breaks *b)
{
    if (b)
        b->count = 0;
}

bool breaks_take(struct breaks *b, struct break_hit *hit)
{
    bool came = false;
    for (uint32_t sm = 0; b && sm < b->count; sm++) {
        struct place *place = b->places[sm];
        if (place->came && !came) {
            *hit = place->hit;
            hit->sm = sm;
        }
        came |= place->came;
        place->came = false;
    }
    return came;
}

static int make_room(struct lockstep_device *d, uint32_t pc)
{
    struct breaks *b = d->breaks;
    if (pc >= MOST)
        return library_wrong(d, LOCKSTEP_ERROR_INVALID, NULL, "lockstep_break: no module has an instruction %u", pc);
    if (pc / 64 < b->words)
        return LOCKSTEP_OK;
    b->set = base_realloc(b->set, (pc / 64 + 1) * sizeof *b->set);
    memset(b->set + b->words, 0, (pc / 64 + 1 - b->words) * sizeof *b->set);
    b->words = pc / 64 + 1;
    return LOCKSTEP_OK;
}

/* From the first breakpoint on, issues are looked at. */
static int join(struct lockstep_device *d)
{
    int code = library_need_idle(d, "the first lockstep_break of a device");
    if (code)
        return code;
    struct breaks *b = base_calloc(1, sizeof *b);
    if (gpu_observe_by(d->gpu, &observer, b, &d->sink) < 0) {
        breaks_free(b);
        return LOCKSTEP_ERROR_INVALID;
    }
    d->breaks = b;
    return LOCKSTEP_OK;
}

int lockstep_break(struct lockstep_device *d, uint32_t pc)
{
    int code = library_begin(d);
    if (!code && !d->breaks)
        code = join(d);
    code = code ? code : make_room(d, pc);
    if (!code)
        d->breaks->set[pc / 64] |= BIT64(pc % 64);
    return code;
}

int lockstep_unbreak(struct lockstep_device *d, uint32_t pc)
{
    int code = library_begin(d);
    if (code)
        return code;
    struct breaks *b = d->breaks;
    if (!b || pc / 64 >= b->words || !mask_has(b->set[pc / 64], pc % 64))
        return library_wrong(d, LOCKSTEP_ERROR_ABSENT, NULL, "instruction %u has no breakpoint", pc);
    b->set[pc / 64] &= ~BIT64(pc % 64);
    return LOCKSTEP_OK;
}
