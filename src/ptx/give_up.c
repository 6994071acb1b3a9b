/* A body with an error in it. One kernel that uses what the model or its reader does not know must not cost a program its
 * other kernels: the body is given up, in its place stands one instruction outside the model, which has the error's
 * words and place, and a launch that can reach it is refused. A module in which no kernel is left is refused as a
 * whole, with every error. So is one whose error leaves open where the body ends. */
#include "ptx/parse.h"

void ptx_hold_errors(struct ptx_parser *p, struct ptx_held *held)
{
    *held = (struct ptx_held){.sink = p->sink, .errors = p->errors};
    p->sink = &held->said;
    p->errors = 0;
}

/* The words of an error, fit for a string of PTX. */
static const char *words_of(struct ptx_parser *p, const char *message)
{
    char *text = arena_strdup(p->arena, message);
    for (char *c = text; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            *c = '\'';
    return text;
}

static const struct diag *first_error(const struct diag_sink *sink)
{
    unsigned i = 0;
    while (sink->items[i].severity != DIAG_ERROR)
        i++;
    return &sink->items[i];
}

bool ptx_must_give_up(struct ptx_parser *p, struct ptx_held *held, bool closed, struct isa_instr *instead)
{
    bool give_up = p->errors && !p->stop && closed;
    if (give_up) {
        const struct diag *why = first_error(&held->said);
        *instead = (struct isa_instr){.op = ISA_OP_OUTSIDE,
                                      .target = ISA_PC_NONE,
                                      .line = why->pos.line,
                                      .column = why->pos.column,
                                      .text = words_of(p, why->message)};
        p->given_up += p->errors;
        p->kernels_given_up += p->body.is_kernel;
        p->errors = 0;
    }
    p->sink = held->sink;
    p->errors += held->errors;
    for (unsigned i = 0; i < held->said.count; i++) {
        bool later = give_up && held->said.items[i].severity == DIAG_ERROR;
        diag_add(later ? &p->given_up_said : p->sink, &held->said.items[i]);
    }
    diag_free(&held->said);
    return give_up;
}

static bool has_whole_kernel(const struct ptx_parser *p)
{
    unsigned kernels = 0;
    for (size_t i = 0; i < p->functions.count; i++)
        kernels += p->functions.items[i].is_kernel && p->functions.items[i].is_defined;
    return kernels > p->kernels_given_up;
}

void ptx_judge_given_up(struct ptx_parser *p)
{
    if (p->given_up && (p->errors || !has_whole_kernel(p))) {
        p->errors += p->given_up;
        for (unsigned i = 0; i < p->given_up_said.count; i++)
            diag_add(p->sink, &p->given_up_said.items[i]);
    }
    diag_free(&p->given_up_said);
}
