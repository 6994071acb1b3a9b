/* Hands events to observers, and translates the model's terms into those of lockstep/observer.h. */
#include "watch/watch.h"

#include "base/check.h"
#include "isa/mod_values.h"

/* The listeners of an SM; behind the last of them stands one without an observer. An observer without a function for the
 * event is passed over. */
#define EVENT(name, doc)                                                                                               \
    static void tell_all_##name(void *listeners, const struct lockstep_##name##_event *event)                          \
    {                                                                                                                  \
        for (const struct watch_listener *of = listeners; of->observer; of++)                                          \
            if (of->observer->name)                                                                                    \
                of->observer->name(of->state, event);                                                                  \
    }
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END

static const struct lockstep_observer all = {
#define EVENT(name, doc) .name = tell_all_##name,
#define FIELD(type, name, doc)
#define EVENT_END(name)
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END
};

struct watch watch_for(const struct watch_listener *of, uint32_t count, uint32_t heard)
{
    contract(!of[count].observer);
    struct watch_listener everyone = {.observer = &all, .state = (void *)of};
    return (struct watch){.heard = heard, .count = count, .of = of, .first = count == 1 ? *of : everyone};
}

enum lockstep_class watch_class(const struct isa_instr *instr)
{
    static const struct {
        unsigned flags;
        enum lockstep_class is;
    } classes[] = {
        {ISA_FLAG_LOAD, LOCKSTEP_LOAD},
        {ISA_FLAG_STORE, LOCKSTEP_STORE},
        {ISA_FLAG_ATOMIC, LOCKSTEP_ATOMIC},
        {ISA_FLAG_FENCE, LOCKSTEP_FENCE},
        {ISA_FLAG_BARRIER, LOCKSTEP_BARRIER},
        {ISA_FLAG_BRANCH | ISA_FLAG_CALL | ISA_FLAG_RET | ISA_FLAG_EXIT, LOCKSTEP_CONTROL},
    };
    unsigned flags = isa_op_info((enum isa_op)instr->op)->flags;
    for (unsigned i = 0; flags && i < sizeof classes / sizeof classes[0]; i++)
        if (flags & classes[i].flags)
            return classes[i].is;
    return instr->unit == ISA_UNIT_SFU ? LOCKSTEP_SPECIAL : LOCKSTEP_ARITHMETIC;
}

enum lockstep_space watch_space(unsigned space)
{
    switch (space) {
    case ISA_SPACE_GLOBAL:
        return LOCKSTEP_GLOBAL;
    case ISA_SPACE_SHARED:
        return LOCKSTEP_SHARED;
    case ISA_SPACE_LOCAL:
        return LOCKSTEP_LOCAL;
    case ISA_SPACE_CONST:
    case ISA_SPACE_PARAM:
        return LOCKSTEP_CONST;
    case ISA_SPACE_CLUSTER:
        return LOCKSTEP_CLUSTER;
    default:
        return LOCKSTEP_GENERIC;
    }
}
