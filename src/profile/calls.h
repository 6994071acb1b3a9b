/* The cost of called functions, by who calls them. A *context* is a function and the calls by which a thread has come
 * into it, from the kernel on: contexts are a tree, and number 0 is the kernel itself. Code that stands in place of a
 * call belongs to the function that it stands in. A function that calls itself, at once or by way of others, goes back
 * to the context in which it was called first: so a context has each function once, and costs of contexts add up to
 * those of instructions.
 *
 * Each SM fills in a state of its own; profile_calls_gather brings them together when the kernel has ended. Kernels
 * that call nothing have none. */
#ifndef LOCKSTEP_PROFILE_CALLS_H
#define LOCKSTEP_PROFILE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"
#include "lockstep/observer.h"

#define PROFILE_CONTEXTS 256 /* of an SM: calls that would make more stay in the context of their caller */
#define PROFILE_CALL_DEPTH                                                                                             \
    32 /* calls of a thread one in the other: further ones stay in the context of their caller                         \
        */
#define PROFILE_CALL_WARPS 64

struct profile_context {
    uint32_t outer; /* context of the call; always a lower number */
    uint32_t call;  /* pc of the call */
    uint32_t entry; /* first pc of the function */
};

/* Where a lane is. */
struct profile_thread {
    uint32_t depth; /* calls that it has not come back from */
    uint16_t context;
    uint16_t outer[PROFILE_CALL_DEPTH]; /* the contexts that it goes back to, the outermost first */
};

/* The state of an SM. Behind it stand its tables. */
struct profile_calls {
    uint32_t functions, lanes;                      /* of the module; of a warp */
    uint32_t width;                                 /* counts of a context */
    uint32_t count;                                 /* of contexts */
    uint64_t joined;                                /* calls of lanes that stayed in the context of their caller */
    size_t counts, threads, recent, function, kind; /* bytes to the tables */
    uint32_t called[PROFILE_CALL_WARPS];            /* pc + 1 of the call that the warp has just issued; else 0 */
    struct profile_context contexts[PROFILE_CONTEXTS];
};

/* A context of a launch. Contexts stand behind those that they were called from. */
struct profile_call {
    struct profile_context context;
    uint64_t *counts; /* of the function's instructions in this context, as those of struct profile */
};
struct profile_call_list {
    uint32_t count; /* without the kernel's own: context n is of[n - 1] */
    struct profile_call *of;
    uint64_t joined;
};

/* Bytes of the state of an SM, with so many counts of a context; 0: the kernel calls no function of its module. */
size_t profile_calls_bytes(const struct isa_module *module, const struct lockstep_observed *observed, uint32_t width);
void profile_calls_begin(struct profile_calls *s, const struct isa_module *module,
                         const struct lockstep_observed *observed, uint32_t width);
/* The context in which a warp has issued; its lanes call and return. */
uint32_t profile_calls_issue(struct profile_calls *s, const struct lockstep_issue_event *e);
/* The context in which a warp stands. */
uint32_t profile_calls_stand(struct profile_calls *s, const struct lockstep_stand_event *e);
/* The threads in that slot have ended, or are other ones from now on. */
void profile_calls_forget(struct profile_calls *s, uint32_t slot);
/* states: of SMs, all of one kernel. */
struct profile_call_list profile_calls_gather(const struct profile_calls *const *states, uint32_t sms);
void profile_calls_free(struct profile_call_list *list);

/* The counts of a context. */
static inline uint64_t *profile_calls_row(struct profile_calls *s, uint32_t context)
{
    return (uint64_t *)((char *)s + s->counts) + (size_t)context * s->width;
}
/* By warp and function of the module: the context in which the warp has issued an instruction of that last. */
static inline uint16_t *profile_calls_recent(struct profile_calls *s, uint32_t warp, uint32_t pc)
{
    const uint16_t *function = (const uint16_t *)((const char *)s + s->function);
    return (uint16_t *)((char *)s + s->recent) + (size_t)warp * s->functions + function[pc];
}

#endif
