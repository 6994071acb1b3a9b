/* Estimates for kernels of which some launches were timed: see sampled.h. */
#include "report/sampled.h"

#include <inttypes.h>
#include <string.h>

#include "report/figures.h"

static const char *text_of(const json_t *kernel, const char *name)
{
    const char *text = json_string_value(json_object_get(kernel, name));
    return text ? text : "";
}

/* The launches of a kernel, added up. */
struct sums {
    uint64_t launches, timed, cycles, timed_instructions, instructions;
};

static struct sums sums_of(const json_t *kernels, const char *name)
{
    struct sums sums = {0};
    size_t i;
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        uint64_t n = (uint64_t)json_integer_value(json_object_get(kernel, "warp_instructions"));
        bool timed = !strcmp(text_of(kernel, "mode"), "timing");
        if (strcmp(text_of(kernel, "name"), name))
            continue;
        sums.launches++;
        sums.instructions += n;
        sums.timed += timed;
        sums.timed_instructions += timed ? n : 0;
        sums.cycles += !timed ? 0 : (uint64_t)json_integer_value(json_object_get(kernel, "cycles"));
    }
    return sums;
}

static json_t *sampled_json(const char *name, const struct sums *sums)
{
    double each = (double)sums->cycles / (double)sums->timed_instructions;
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(name));
    json_object_set_new(object, "launches", json_integer((json_int_t)sums->launches));
    json_object_set_new(object, "timed", json_integer((json_int_t)sums->timed));
    json_object_set_new(object, "cycles", json_integer((json_int_t)sums->cycles));
    json_object_set_new(object, "estimated_cycles",
                        json_integer((json_int_t)(each * (double)sums->instructions + 0.5)));
    return object;
}

json_t *report_sampled_json(const json_t *kernels)
{
    json_t *sampled = json_array(), *seen = json_object();
    size_t i;
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        const char *name = text_of(kernel, "name");
        if (json_object_get(seen, name))
            continue;
        json_object_set_new(seen, name, json_null());
        struct sums sums = sums_of(kernels, name);
        if (sums.timed && sums.timed < sums.launches && sums.timed_instructions)
            json_array_append_new(sampled, sampled_json(name, &sums));
    }
    json_decref(seen);
    if (json_array_size(sampled))
        return sampled;
    json_decref(sampled);
    return NULL;
}

static uint64_t number_of(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

void report_sampled(const json_t *sampled, struct strbuf *out)
{
    size_t i;
    const json_t *object;
    json_array_foreach(sampled, i, object)
    {
        figures_kernel_name(text_of(object, "name"), out);
        strbuf_addf(out,
                    ": %" PRIu64 " of %" PRIu64 " launches were timed; all would take about %" PRIu64
                    " cycles, estimated by instructions\n",
                    number_of(object, "timed"), number_of(object, "launches"), number_of(object, "estimated_cycles"));
    }
}
