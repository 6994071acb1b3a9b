/* Contexts of called functions: see calls.h. Lanes that have the turn together have come by the same calls: they have
 * one frame. So the first one of them speaks for all. */
#include "profile/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"

/* The effect of an instruction on the calls of its lanes. */
enum { KIND_NONE, KIND_CALL, KIND_RETURN, KIND_END };

static uint8_t kind_of(const struct isa_module *module, const struct isa_instr *instr)
{
    switch (instr->op) {
    case ISA_OP_CALL: {
        uint32_t callee = instr->call->callee;
        return callee == UINT32_MAX || module->functions[callee].is_defined ? KIND_CALL : KIND_NONE;
    }
    case ISA_OP_RET:
        return KIND_RETURN;
    case ISA_OP_EXIT:
        return KIND_END;
    default:
        return KIND_NONE;
    }
}

static bool calls(const struct isa_module *module, const struct lockstep_observed *observed)
{
    for (uint32_t pc = observed->first; pc < observed->first + observed->count; pc++)
        if (kind_of(module, &module->instrs[pc]) == KIND_CALL)
            return true;
    return false;
}

/* Lays the tables out behind the state. Returns the bytes of all. */
static size_t lay_out(struct profile_calls *s, const struct isa_module *module,
                      const struct lockstep_observed *observed, uint32_t width)
{
    s->functions = module->function_count;
    s->lanes = observed->lanes;
    s->width = width;
    s->counts = sizeof *s;
    s->threads = s->counts + sizeof(uint64_t) * PROFILE_CONTEXTS * width;
    s->recent = s->threads + sizeof(struct profile_thread) * observed->warps * observed->lanes;
    s->function = s->recent + sizeof(uint16_t) * observed->warps * module->function_count;
    s->kind = s->function + sizeof(uint16_t) * observed->instructions;
    return round_up_u64(s->kind + observed->instructions, sizeof(uint64_t));
}

size_t profile_calls_bytes(const struct isa_module *module, const struct lockstep_observed *observed, uint32_t width)
{
    struct profile_calls s;
    bool apart = calls(module, observed) && module->function_count <= UINT16_MAX;
    return apart ? lay_out(&s, module, observed, width) : 0;
}

void profile_calls_begin(struct profile_calls *s, const struct isa_module *module,
                         const struct lockstep_observed *observed, uint32_t width)
{
    lay_out(s, module, observed, width);
    s->count = 1;
    s->contexts[0].entry = observed->first;
    uint16_t *function = (uint16_t *)((char *)s + s->function);
    uint8_t *kind = (uint8_t *)s + s->kind;
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; module->functions[f].is_defined && i < module->functions[f].count; i++)
            function[module->functions[f].first + i] = (uint16_t)f;
    for (uint32_t pc = 0; pc < observed->instructions; pc++)
        kind[pc] = kind_of(module, &module->instrs[pc]);
}

static struct profile_thread *threads_of(struct profile_calls *s, uint32_t warp)
{
    return (struct profile_thread *)((char *)s + s->threads) + (size_t)warp * s->lanes;
}

static uint32_t context_of(struct profile_calls *s, uint32_t warp, uint64_t lanes)
{
    return lanes ? threads_of(s, warp)[mask_first(lanes)].context : 0;
}

/* The context of a function that is called in another one: that which it has there, or, where it is called by way of
 * itself, had before; else a new one; or the caller's, where there is no room. */
static uint32_t enter(struct profile_calls *s, uint32_t outer, uint32_t call, uint32_t entry)
{
    for (uint32_t above = outer; above; above = s->contexts[above].outer)
        if (s->contexts[above].entry == entry)
            return above;
    for (uint32_t i = outer + 1; i < s->count; i++) {
        const struct profile_context *known = &s->contexts[i];
        if (known->outer == outer && known->call == call && known->entry == entry)
            return i;
    }
    if (s->count == PROFILE_CONTEXTS)
        return outer;
    s->contexts[s->count] = (struct profile_context){outer, call, entry};
    return s->count++;
}

static void come_in(struct profile_calls *s, uint32_t warp, uint64_t lanes, uint32_t entry)
{
    uint32_t outer = context_of(s, warp, lanes), call = s->called[warp] - 1;
    uint32_t context = enter(s, outer, call, entry);
    bool full = context == outer && s->contexts[outer].entry != entry;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        struct profile_thread *thread = &threads_of(s, warp)[mask_first(rest)];
        bool deep = thread->depth >= PROFILE_CALL_DEPTH;
        if (!deep)
            thread->outer[thread->depth] = thread->context;
        thread->context = deep ? thread->context : (uint16_t)context;
        thread->depth++;
        s->joined += full || deep;
    }
}

static void go_back(struct profile_calls *s, uint32_t warp, uint64_t lanes)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        struct profile_thread *thread = &threads_of(s, warp)[mask_first(rest)];
        if (!thread->depth)
            continue; /* of the kernel */
        if (--thread->depth < PROFILE_CALL_DEPTH)
            thread->context = thread->outer[thread->depth];
    }
}

static void end(struct profile_calls *s, uint32_t warp, uint64_t lanes)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        struct profile_thread *thread = &threads_of(s, warp)[mask_first(rest)];
        thread->depth = 0;
        thread->context = 0;
    }
}

/* Which lanes a call takes into the function, and into which, is known when they stand there. */
uint32_t profile_calls_issue(struct profile_calls *s, const struct lockstep_issue_event *e)
{
    uint32_t context = context_of(s, e->warp, e->active);
    *profile_calls_recent(s, e->warp, e->pc) = (uint16_t)context;
    switch (((const uint8_t *)s + s->kind)[e->pc]) {
    case KIND_CALL:
        s->called[e->warp] = e->pc + 1;
        break;
    case KIND_RETURN:
        go_back(s, e->warp, e->mask);
        break;
    case KIND_END:
        end(s, e->warp, e->mask);
        break;
    default:
        break;
    }
    return context;
}

/* The first instruction of a function. */
static bool is_entry(const struct profile_calls *s, uint32_t pc)
{
    const uint16_t *function = (const uint16_t *)((const char *)s + s->function);
    return !pc || function[pc] != function[pc - 1];
}

uint32_t profile_calls_stand(struct profile_calls *s, const struct lockstep_stand_event *e)
{
    if (s->called[e->warp]) {
        if (e->lanes && is_entry(s, e->pc))
            come_in(s, e->warp, e->lanes, e->pc);
        s->called[e->warp] = 0;
    }
    return context_of(s, e->warp, e->lanes);
}

void profile_calls_forget(struct profile_calls *s, uint32_t slot)
{
    memset(threads_of(s, slot), 0, sizeof(struct profile_thread) * s->lanes);
    s->called[slot] = 0;
}

/* Launches */

static uint32_t find(const struct profile_call_list *list, const struct profile_context *context)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!memcmp(&list->of[i].context, context, sizeof *context))
            return i;
    return list->count;
}

static void add_sm(struct profile_call_list *list, const struct profile_calls *s)
{
    uint32_t numbers[PROFILE_CONTEXTS] = {0}; /* of the SM's contexts in the list */
    for (uint32_t i = 1; i < s->count; i++) {
        struct profile_context context = s->contexts[i];
        context.outer = numbers[context.outer];
        uint32_t at = find(list, &context);
        if (at == list->count) {
            list->of = base_realloc(list->of, ++list->count * sizeof *list->of);
            list->of[at] = (struct profile_call){context, base_calloc(s->width, sizeof(uint64_t))};
        }
        const uint64_t *row = profile_calls_row((struct profile_calls *)s, i);
        for (uint32_t k = 0; k < s->width; k++)
            list->of[at].counts[k] += row[k];
        numbers[i] = at + 1;
    }
    list->joined += s->joined;
}

struct profile_call_list profile_calls_gather(const struct profile_calls *const *states, uint32_t sms)
{
    struct profile_call_list list = {0};
    for (uint32_t sm = 0; sm < sms; sm++)
        add_sm(&list, states[sm]);
    return list;
}

void profile_calls_free(struct profile_call_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->of[i].counts);
    free(list->of);
}
