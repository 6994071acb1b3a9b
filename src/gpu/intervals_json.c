/* Statistics by intervals as JSON: see result_json.h. */
#include "gpu/gpu_impl.h"
#include "gpu/result_json.h"
#include "profile/series.h"

/* A DRAM channel is simulated behind the rest of the device, as far as others need it, and energy comes from all. What
 * is counted of spinning warps may be taken back. */
bool gpu_intervals_have(const struct gpu_counters *c, unsigned set, unsigned stat)
{
    return set != GPU_SET_energy && set != GPU_SET_spin &&
           c->sets[set].group->stats[stat].kind == STAT_COUNTER;
}

/* One column: a number for each interval; NULL: all are 0. */
static json_t *column(const struct gpu_intervals *v, size_t at)
{
    size_t row = v->width + 1;
    bool some = false;
    json_t *values = json_array();
    for (size_t i = at; i < v->values.count; i += row) {
        some |= v->values.items[i] != 0;
        json_array_append_new(values, json_integer((json_int_t)v->values.items[i]));
    }
    if (some)
        return values;
    json_decref(values);
    return NULL;
}

/* Of locks; what is 0 throughout is left out. */
static json_t *words_json(const struct gpu_intervals *v)
{
    json_t *words = json_object();
    for (unsigned kind = 0; kind < PROFILE_SERIES_KINDS; kind++) {
        const uint64_t *series = v->series + kind * v->count;
        bool some = false;
        json_t *values = json_array();
        for (size_t i = 0; i < v->count; i++) {
            some |= series[i] != 0;
            json_array_append_new(values, json_integer((json_int_t)series[i]));
        }
        if (some)
            json_object_set(words, profile_series_name((enum profile_series_kind)kind), values);
        json_decref(values);
    }
    return words;
}

json_t *gpu_intervals_json(const struct gpu_result *result)
{
    const struct gpu_intervals *v = result->intervals;
    const struct gpu_counters *c = result->counters;
    json_t *object = json_object();
    size_t at = 0;
    json_object_set_new(object, "every", json_integer((json_int_t)v->every));
    json_t *cycles = column(v, at++);
    json_object_set_new(object, "cycles", cycles ? cycles : json_array());
    for (unsigned s = 0; s < GPU_SETS; s++) {
        json_t *group = json_object();
        for (unsigned i = 0; i < c->sets[s].group->count; i++) {
            json_t *values = gpu_intervals_have(c, s, i) ? column(v, at++) : NULL;
            if (values)
                json_object_set_new(group, c->sets[s].group->stats[i].name, values);
        }
        if (json_object_size(group))
            json_object_set(object, c->sets[s].group->name, group);
        json_decref(group);
    }
    json_t *words = words_json(v);
    if (json_object_size(words))
        json_object_set(object, "words", words);
    json_decref(words);
    return object;
}
