/* libnvrtc.so.13 in the place of NVIDIA's: programs that are compiled while the program runs. What "machine code" is
 * asked for is PTX, as the driver interface takes it (docs/runtime.md). */
#include "cuda/nvrtc/nvrtc.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define NVRTC_RESULT(name, value)                                                                                      \
    case name:                                                                                                         \
        return #name;
#include "cuda/include/lockstep/nvrtc_results.def"
#undef NVRTC_RESULT
    }
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

static const int archs[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
#define ARCHS ((int)(sizeof archs / sizeof *archs))

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    if (!count)
        return NVRTC_ERROR_INVALID_INPUT;
    *count = ARCHS;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list)
{
    if (!list)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(list, archs, sizeof archs);
    return NVRTC_SUCCESS;
}

static char *copy_of(const char *text)
{
    const size_t n = strlen(text) + 1;
    return memcpy(base_malloc(n), text, n);
}

/* A header lies under its name in a folder: it is not to leave that. */
static bool is_good_name(const char *name)
{
    for (const char *at = name; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
        if (*at == '/' || !*at || (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/')))
            return false;
    return true;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names)
{
    if (!program || !source || headers < 0 || (headers && (!texts || !names)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < headers; i++)
        if (!texts[i] || !names[i] || !is_good_name(names[i]))
            return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram p = *program = base_calloc(1, sizeof *p);
    p->source = copy_of(source);
    p->name = copy_of(name && *name ? name : "default_program");
    for (int i = 0; i < headers; i++)
        vec_push(&p->headers, ((struct nvrtc_header){copy_of(names[i]), copy_of(texts[i])}));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    nvrtcProgram p = program ? *program : NULL;
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    for (size_t i = 0; i < p->headers.count; i++) {
        free(p->headers.items[i].name);
        free(p->headers.items[i].text);
    }
    for (size_t i = 0; i < p->names.count; i++) {
        free(p->names.items[i].expression);
        free(p->names.items[i].lowered);
    }
    vec_free(&p->headers);
    vec_free(&p->names);
    strbuf_free(&p->log);
    strbuf_free(&p->ptx);
    free(p->source);
    free(p->name);
    free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < count; i++)
        if (!options[i])
            return NVRTC_ERROR_INVALID_INPUT;
    program->tried = true;
    nvrtcResult result = nvrtc_compile(program, count, options);
    program->compiled = result == NVRTC_SUCCESS;
    return result;
}

/* ---- results: texts with the NUL at their end, which their sizes count ---- */

static nvrtcResult give_size(nvrtcProgram program, const struct strbuf *text, bool is_there, size_t *bytes)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!is_there)
        return NVRTC_ERROR_INVALID_PROGRAM;
    *bytes = text->length + 1;
    return NVRTC_SUCCESS;
}

static nvrtcResult give_text(nvrtcProgram program, const struct strbuf *text, bool is_there, char *to)
{
    size_t bytes;
    nvrtcResult result = give_size(program, text, is_there, &bytes);
    if (!result && !to)
        result = NVRTC_ERROR_INVALID_INPUT;
    if (!result)
        memcpy(to, strbuf_text(text), bytes);
    return result;
}

#define GIVES(Name, field, when)                                                                                       \
    nvrtcResult nvrtcGet##Name##Size(nvrtcProgram program, size_t *bytes)                                              \
    {                                                                                                                  \
        return give_size(program, program ? &program->field : NULL, program && program->when, bytes);                  \
    }                                                                                                                  \
    nvrtcResult nvrtcGet##Name(nvrtcProgram program, char *to)                                                         \
    {                                                                                                                  \
        return give_text(program, program ? &program->field : NULL, program && program->when, to);                     \
    }
GIVES(PTX, ptx, compiled)
GIVES(CUBIN, ptx, compiled)
GIVES(ProgramLog, log, tried)

/* Code for later optimization, which Lockstep never has: a program has no size and no text of it. */
#define LEFT_OUT(Name)                                                                                                 \
    nvrtcResult nvrtcGet##Name##Size(nvrtcProgram program, size_t *bytes)                                              \
    {                                                                                                                  \
        (void)bytes;                                                                                                   \
        return program ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;                                      \
    }                                                                                                                  \
    nvrtcResult nvrtcGet##Name(nvrtcProgram program, char *to)                                                         \
    {                                                                                                                  \
        (void)to;                                                                                                      \
        return program ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;                                      \
    }
LEFT_OUT(LTOIR)
LEFT_OUT(OptiXIR)

/* ---- names ---- */

static struct nvrtc_name *find_name(nvrtcProgram program, const char *expression)
{
    for (size_t i = 0; i < program->names.count; i++)
        if (strcmp(program->names.items[i].expression, expression) == 0)
            return &program->names.items[i];
    return NULL;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (program->tried)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (!find_name(program, expression))
        vec_push(&program->names, ((struct nvrtc_name){copy_of(expression), NULL}));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!program->compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const struct nvrtc_name *found = find_name(program, expression);
    if (!found || !found->lowered)
        return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *name = found->lowered;
    return NVRTC_SUCCESS;
}
