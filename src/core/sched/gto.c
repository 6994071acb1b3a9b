/* Greedy then oldest: the warp that issued last goes on as long as it is ready; otherwise the oldest ready warp. Age is
 * the order of launch on the SM.
 *
 * With rotation=0 that is all, and it starves: warps that spin can keep another one, which may hold what they
 * spin for, from issuing for ever. Age rotation (ElTantawy and Aamodt's BOWS artifact) makes every warp the oldest in
 * turn: every `rotation` cycles each live warp takes the age of the one before it, and the first takes the last
 * one's. "Before" is by age (rotate=age): everybody moves up, the oldest goes to the end. Or it is by the scheduler's
 * order of preference in the cycle before (rotate=preference, as in the artifact): the greedy warp comes first,
 * whatever it does, then the others by age, then those that wait and those that have ended, by slot. A warp that has
 * ended keeps an age, and takes part, until another one is launched into its slot.
 *
 * To be the oldest is no help against a greedy warp that is ready whenever the oldest one is, as where both wait for
 * the same pipeline register. So where ages rotate, greed has a limit. One warp at a time, older than the one that was
 * preferred to it, is remembered as *passed over*, until it issues; after `patience` cycles it goes before the greedy
 * one. The limit is half of `rotation` at most. So with rotate=age, a warp whose next instruction waits for
 * nothing but a turn becomes the oldest, is passed over, and goes first within (live warps of the scheduler *
 * rotation + patience) cycles, and as long as it takes the units to accept two instructions. */
#include "base/hot.h"
#include "base/bits.h"
#include "lockstep/scheduler.h"

#define NOBODY 64

enum option { OPTION_ROTATION, OPTION_ROTATE, OPTION_PATIENCE };
enum rotate { ROTATE_AGE, ROTATE_PREFERENCE };

static const char *const rotates[] = {"age", "preference", NULL};

static const struct lockstep_scheduler_option options[] = {
    {.name = "rotation",
     .doc = "cycles after which ages rotate; 0: never, and greed has no limit. Initially sm.age_rotation",
     .initial = 100000,
     .maximum = 1000000000,
     .parameter = "age_rotation"},
    {.name = "rotate",
     .doc =
         "along what ages rotate: each warp takes the age of the next older one (age), or of the one before it in the "
         "order of preference, in which the greedy warp is the first; waiting and ended ones are the last, by slot "
         "(preference)",
     .choices = rotates},
    {.name = "patience",
     .doc = "cycles for which an older warp that is ready lets the greedy one go first, at most half of "
            "rotation; 0, and where ages do not rotate: for ever",
     .initial = 10000,
     .maximum = 1000000000},
    {0},
};

/* Along what ages rotate. */
struct order {
    uint64_t members;
    uint64_t by_age; /* of them, those who come first, by age; the others follow, by slot */
    uint64_t first;  /* comes before all of them, if it is a member; or NOBODY */
};

struct gto {
    /* Every cycle looks at these: they lie in one of the host's cache lines. */
    uint64_t next_rotation;
    uint64_t due;         /* cycle from which on `passed_over` goes first */
    unsigned passed_over; /* a younger warp was preferred to it, and it has not issued since; or NOBODY */
    unsigned greedy;      /* warp that issued last, or NOBODY */
    uint64_t patience;
    uint64_t slots;
    uint64_t launched; /* slots that a warp was launched into */
    uint64_t rotation;
    uint32_t along;     /* enum rotate */
    bool has_last;      /* there is a `last` */
    uint64_t older[64]; /* by slot: the slots of lesser age; derived from age */
    uint64_t age[64];
    struct order last; /* in the cycle before next_rotation, if a warp issued in it */
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct gto *g = state;
    uint64_t patience = setup->options[OPTION_PATIENCE];
    g->slots = setup->slots;
    g->greedy = g->passed_over = NOBODY;
    g->rotation = setup->options[OPTION_ROTATION];
    g->next_rotation = g->rotation ? setup->cycle + g->rotation : UINT64_MAX;
    g->patience = patience < g->rotation / 2 ? patience : g->rotation / 2;
    g->along = (uint32_t)setup->options[OPTION_ROTATE];
}

static unsigned oldest(const struct gto *g, uint64_t set)
{
    unsigned best = mask_first(set);
    for (uint64_t older = set; (older &= g->older[best]);)
        best = mask_first(older);
    return best;
}

/* Brings `older` up to date with the age of one slot. */
HOT static void place(struct gto *g, unsigned warp)
{
    g->older[warp] = 0;
    for (uint64_t rest = g->slots & ~BIT64(warp); rest; rest &= rest - 1) {
        unsigned other = mask_first(rest);
        bool is_older = g->age[other] < g->age[warp];
        g->older[warp] |= is_older ? BIT64(other) : 0;
        g->older[other] = (g->older[other] & ~BIT64(warp)) | (is_older ? 0 : BIT64(warp));
    }
}

/* The first of `rest` in this order. */
static unsigned next_in_order(const struct gto *g, const struct order *order, uint64_t rest)
{
    if (order->first != NOBODY && mask_has(rest, (unsigned)order->first))
        return (unsigned)order->first;
    return rest & order->by_age ? oldest(g, rest & order->by_age) : mask_first(rest);
}

/* Walks the members in order, handing each its predecessor's age. */
static void rotate(struct gto *g, const struct order *order)
{
    uint64_t rest = order->members;
    if (!rest)
        return;
    unsigned first = next_in_order(g, order, rest);
    uint64_t passed = g->age[first];
    rest &= ~BIT64(first);
    while (rest) {
        unsigned warp = next_in_order(g, order, rest);
        uint64_t own = g->age[warp];
        g->age[warp] = passed;
        passed = own;
        rest &= ~BIT64(warp);
    }
    g->age[first] = passed;
    for (rest = order->members; rest; rest &= rest - 1)
        place(g, mask_first(rest));
}

static struct order order_of_preference(const struct gto *g, const struct lockstep_scheduler_view *view)
{
    return (struct order){.members = g->launched, .by_age = view->members & ~view->waiting, .first = g->greedy};
}

/* When nothing was issued in the cycle before, the order is that of now: it is not known what has changed since. */
static void rotate_until(struct gto *g, const struct lockstep_scheduler_view *view)
{
    struct order order = {.members = view->members, .by_age = view->members, .first = NOBODY};
    if (g->along == ROTATE_PREFERENCE)
        order = g->has_last ? g->last : order_of_preference(g, view);
    for (; g->next_rotation <= view->cycle; g->next_rotation += g->rotation) {
        rotate(g, &order);
        if (g->along == ROTATE_PREFERENCE)
            order = order_of_preference(g, view);
    }
    g->has_last = false;
}

HOT static void advance(void *state, const struct lockstep_scheduler_view *view)
{
    if (((struct gto *)state)->next_rotation <= view->cycle)
        rotate_until(state, view);
}

HOT static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct gto *g = state;
    if (g->passed_over != NOBODY && g->due <= view->cycle && mask_has(view->ready, g->passed_over))
        return g->passed_over;
    if (g->greedy != NOBODY && mask_has(view->ready, g->greedy))
        return g->greedy;
    return oldest(g, view->ready);
}

HOT static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct gto *g = state;
    if (view->cycle + 1 == g->next_rotation && !g->has_last) {
        g->last = order_of_preference(g, view);
        g->has_last = true;
    }
    g->greedy = warp;
    if (!g->patience)
        return;
    if (g->passed_over == warp)
        g->passed_over = NOBODY;
    uint64_t over = view->ready & g->older[warp];
    if (over && g->passed_over == NOBODY) {
        g->passed_over = oldest(g, over);
        g->due = view->cycle + g->patience;
    }
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    struct gto *g = state;
    unsigned warp = launch->warp;
    g->age[warp] = launch->age;
    g->launched |= BIT64(warp);
    place(g, warp);
    if (g->greedy == warp)
        g->greedy = NOBODY;
}

const struct lockstep_scheduler sched_gto = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "gto",
    .doc = "greedy then oldest: the last warp while it is ready, else the oldest ready one",
    .options = options,
    .state_bytes = sizeof(struct gto),
    .reset = reset,
    .advance = advance,
    .pick = pick,
    .issued = issued,
    .launched = launched,
};
