/* Functions of a module by the names that users give: that of the PTX, which is mangled when it comes from C++, or the
 * one that the source has. */
#include <string.h>

#include "base/strmap.h"
#include "base/vec.h"
#include "isa/program.h"

static bool is_meant(const struct isa_function *f, bool kernels)
{
    return f->is_defined && (f->is_kernel || !kernels);
}

static const char *plain_name(const struct isa_function *f, struct arena *arena)
{
    struct strbuf plain = {0};
    isa_plain_name(f->name, &plain);
    const char *kept = arena_strdup(arena, strbuf_text(&plain));
    strbuf_free(&plain);
    return kept;
}

/* The names of the PTX that `name` may stand for: of functions whose sources' names it is. */
static void add_overloads(const struct isa_module *module, const char *name, bool kernels, struct strbuf *out)
{
    struct arena arena = {0};
    const char *before = "several have this name in the source: ";
    for (uint32_t i = 0; i < module->function_count; i++)
        if (is_meant(&module->functions[i], kernels) && !strcmp(plain_name(&module->functions[i], &arena), name)) {
            strbuf_addf(out, "%s%s", before, module->functions[i].name);
            before = ", ";
        }
    arena_free(&arena);
}

/* The nearest name, or all of them where none is near. */
static void add_names(const struct isa_module *module, const char *name, bool kernels, struct strbuf *out)
{
    struct arena arena = {0};
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < module->function_count; i++)
        if (is_meant(&module->functions[i], kernels))
            vec_push(&names, plain_name(&module->functions[i], &arena));
    size_t count = names.count;
    vec_push(&names, NULL);
    const char *near = str_nearest(name, names.items);
    if (near)
        strbuf_addf(out, "did you mean '%s'?", near);
    for (size_t i = 0; !near && i < count; i++)
        strbuf_addf(out, "%s%s", i ? ", " : "there are: ", names.items[i]);
    vec_free(&names);
    arena_free(&arena);
}

const struct isa_function *isa_find_named(const struct isa_module *module, const char *name, bool kernels,
                                          struct strbuf *hint)
{
    const struct isa_function *exact = isa_find_function(module, name), *found = NULL;
    struct arena arena = {0};
    unsigned count = 0;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct isa_function *f = &module->functions[i];
        if (is_meant(f, kernels) && strcmp(plain_name(f, &arena), name) == 0) {
            found = f;
            count++;
        }
    }
    arena_free(&arena);
    if (exact && is_meant(exact, kernels))
        return exact;
    if (count == 1)
        return found;
    if (count > 1)
        add_overloads(module, name, kernels, hint);
    else
        add_names(module, name, kernels, hint);
    return NULL;
}
