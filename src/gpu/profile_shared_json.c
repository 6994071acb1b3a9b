/* Lines that locks and polled words share as JSON: see profile_graph_json.h. */
#include "gpu/profile_graph_json.h"

static void set(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *sync_json(const struct profile_shared_sync *sync)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(sync->name));
    json_object_set_new(object, "kind", json_string(sync->polled ? "polled word" : sync->given ? "lock" : "word"));
    set(object, "address", sync->address);
    set(object, "accesses", sync->accesses);
    set(object, "warps_waited", sync->waited);
    return object;
}

static json_t *data_json(const struct profile *profile, const struct profile_shared_data *data)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(data->name));
    set(object, "address", data->address);
    set(object, "reads", data->reads);
    set(object, "writes", data->writes);
    set(object, "sms", data->sms);
    json_object_set_new(object, "at", gpu_use_json(profile->module, data->at));
    return object;
}

static json_t *line_json(const struct profile *profile, const struct profile_shared_line *line)
{
    json_t *object = json_object(), *sync = json_array(), *data = json_array();
    for (uint32_t i = 0; i < line->sync_count && i < PROFILE_SHARED_WORDS; i++)
        json_array_append_new(sync, sync_json(&line->sync[i]));
    for (uint32_t i = 0; i < line->data_count && i < PROFILE_SHARED_WORDS; i++)
        json_array_append_new(data, data_json(profile, &line->data[i]));
    set(object, "address", line->address);
    set(object, "bytes", profile->shared.line_bytes);
    set(object, "warps_waited", line->waited);
    set(object, "sms", line->sms);
    set(object, "locks_count", line->sync_count);
    set(object, "locks_accesses", line->sync_accesses);
    set(object, "data_count", line->data_count);
    set(object, "data_accesses", line->data_accesses);
    json_object_set_new(object, "locks", sync);
    json_object_set_new(object, "data", data);
    return object;
}

json_t *gpu_shared_json(const struct profile *profile)
{
    json_t *lines = json_array();
    for (uint32_t i = 0; i < profile->shared.count; i++)
        json_array_append_new(lines, line_json(profile, &profile->shared.of[i]));
    return lines;
}
