/* Why some transitions are not taken (unreached.def). */
#include <string.h>

#include "check/checker.h"

static const struct {
    const char *protocol;
    unsigned side, state, event;
    const char *reason;
} reasons[] = {
#define CHECK_UNREACHED(protocol, side, state, event, reason) {protocol, side, state, event, reason},
#include "check/unreached.def"
#undef CHECK_UNREACHED
    {NULL, COHERENCE_SIDES, 0, 0, NULL},
};

const char *checker_unreached(const struct coherence_protocol *protocol, unsigned side, unsigned state, unsigned event)
{
    for (unsigned i = 0; reasons[i].reason; i++)
        if ((!reasons[i].protocol || strcmp(reasons[i].protocol, protocol->name) == 0) && reasons[i].side == side &&
            (reasons[i].state == COHERENCE_ANY || reasons[i].state == state) && reasons[i].event == event)
            return reasons[i].reason;
    return NULL;
}
