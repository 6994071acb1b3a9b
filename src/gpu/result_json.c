/* Results and machines as JSON. Members stand in a fixed order (jansson keeps the order of insertion), so that two runs
 * of the same program give equal bytes but for `host`. */
#include "gpu/result_json.h"

#include <stdbool.h>
#include <sys/resource.h>

#include "memory/coherence/protocol.h"

static void set_count(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *extent(const uint32_t size[3])
{
    return json_pack("[I,I,I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void set_real(json_t *object, const char *name, bool measured, double value)
{
    json_object_set_new(object, name, measured ? json_real(value) : json_null());
}

static json_t *host_json(const struct gpu_result *result)
{
    struct rusage usage;
    uint64_t peak = getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
    double seconds = result->host.seconds;
    json_t *host = json_object();
    json_object_set_new(host, "seconds", json_real(seconds));
    json_object_set_new(host, "warp_instructions_per_second",
                        json_real(ratio((double)gpu_result_warp_instructions(result), seconds)));
    set_real(host, "cycles_per_second", !(result->lacks & STAT_NEEDS_TIME), ratio((double)result->cycles, seconds));
    set_count(host, "peak_rss_bytes", peak);
    set_count(host, "page_faults", result->host.page_faults);
    json_object_set_new(host, "system_seconds", json_real(result->host.system_seconds));
    return host;
}

static json_t *group_json(const struct gpu_stat_set *set, unsigned lacks)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < set->group->count; i++) {
        const struct stat_desc *stat = &set->group->stats[i];
        if (stat_measured(stat, lacks))
            set_count(object, stat->name, stat_value(stat, set->values));
        else if (!stat_is_quiet(stat))
            json_object_set_new(object, stat->name, json_null());
    }
    return object;
}

/* Why members are null, the widest reason first; NULL when all was measured. */
static const char *not_measured(unsigned lacks)
{
    if (lacks & STAT_NEEDS_TIME)
        return "functional mode has no time";
    if (lacks & STAT_NEEDS_DETECTOR)
        return "spin: no detector watched (see spin.measure)";
    if (lacks & STAT_NEEDS_TRUTH)
        return "spin: the source marks no loop of the kernel and spin.truth believes the source";
    return lacks & STAT_NEEDS_MARKS ? "spin: the source marks no loop of the kernel" : NULL;
}

static const char *mode_name(const struct gpu_result *result)
{
    if (result->mode == GPU_FUNCTIONAL)
        return "functional";
    return result->warms ? "warming" : "timing";
}

/* Adds the launch's name, shape and outcome. */
static void add_launch(json_t *object, const struct gpu_result *result)
{
    json_object_set_new(object, "name", json_string(result->name ? result->name : ""));
    json_object_set_new(object, "grid", extent(result->grid));
    json_object_set_new(object, "block", extent(result->block));
    set_count(object, "dynamic_shared_bytes", result->dynamic_shared);
    set_count(object, "static_shared_bytes", result->static_shared);
    set_count(object, "registers", result->registers);
    json_object_set_new(object, "mode", json_string(mode_name(result)));
    json_object_set_new(object, "status", json_string(gpu_status_name(result->status)));
    bool partial = result->status != GPU_OK;
    const char *why = result->stopped_by ? result->stopped_by
                      : result->hang     ? result->hang
                                         : gpu_status_name(result->status);
    json_object_set_new(object, "partial", json_boolean(partial));
    json_object_set_new(object, "partial_reason", partial ? json_string(why) : json_null());
    if (result->shared) {
        set_count(object, "start_cycle", result->start);
        json_object_set_new(object, "beside_others", json_true());
    }
    set_count(object, "blocks_per_sm", result->blocks_per_sm);
    json_object_set_new(object, "blocks_limited_by",
                        result->blocks_limited_by ? json_string(result->blocks_limited_by) : json_null());
    const char *reason = not_measured(result->lacks);
    json_object_set_new(object, "not_measured", reason ? json_string(reason) : json_null());
}

static void add_headline(json_t *object, const struct gpu_result *result, const struct machine *machine)
{
    uint64_t warp = gpu_result_warp_instructions(result), thread = gpu_result_thread_instructions(result);
    bool timed = !(result->lacks & STAT_NEEDS_TIME);
    json_object_set_new(object, "cycles", timed ? json_integer((json_int_t)result->cycles) : json_null());
    json_object_set_new(object, "gap_cycles", timed ? json_integer((json_int_t)result->gap_cycles) : json_null());
    set_real(object, "time_ns", timed, result->time_ns);
    set_count(object, "warp_instructions", warp);
    set_count(object, "thread_instructions", thread);
    set_real(object, "ipc", timed && result->cycles > 0, ratio((double)thread, (double)result->cycles));
    set_real(object, "simd_efficiency", warp > 0, ratio((double)thread, (double)warp * machine->sm.warp_size));
}

static bool has_event(const struct coherence_table *table, unsigned event)
{
    for (unsigned i = 0; i < table->count; i++)
        if (table->rows[i].event == event)
            return true;
    return false;
}

/* A side's transitions that were taken: event, then state. */
static json_t *side_json(const struct coherence_words *words, const struct coherence_table *table,
                         const struct coherence_counts *counts)
{
    json_t *side = json_object();
    for (unsigned event = 0; words->events[event].word; event++) {
        if (event >= words->always && !has_event(table, event))
            continue;
        json_t *states = json_object();
        for (unsigned state = 0; state <= COHERENCE_ANY; state++)
            if (counts->taken[state][event])
                set_count(states, coherence_state_word(words, state)->word, counts->taken[state][event]);
        json_object_set_new(side, words->events[event].word, states);
    }
    return side;
}

static json_t *transitions_json(const struct gpu_result *result, const struct machine *machine)
{
    json_t *object = json_object();
    json_object_set_new(object, "protocol", json_string(machine->memory.coherence.protocol));
    const struct coherence_protocol *protocol = coherence_find(machine->memory.coherence.protocol);
    const struct coherence_words *words;
    for (unsigned side = 0; side < COHERENCE_SIDES; side++) {
        const struct coherence_table *table = coherence_side_of(protocol, side, &words);
        if (table)
            json_object_set_new(object, words->side, side_json(words, table, gpu_result_transitions(result, side)));
    }
    return object;
}

json_t *gpu_result_json(const struct gpu_result *result, const struct machine *machine)
{
    json_t *object = json_object();
    add_launch(object, result);
    add_headline(object, result, machine);
    unsigned count = 0;
    const struct gpu_stat_set *sets = result->counters ? gpu_result_sets(result, &count) : NULL;
    for (unsigned i = 0; i < count; i++)
        json_object_set_new(object, sets[i].group->name, group_json(&sets[i], result->lacks));
    if (result->counters && machine->memory.coherence.count)
        json_object_set_new(object, "transitions", transitions_json(result, machine));
    if (result->findings)
        set_count(object, "findings", result->findings);
    if (result->profile && !result->warms)
        json_object_set_new(object, "profile", gpu_profile_json(result->profile));
    if (result->intervals && !result->warms)
        json_object_set_new(object, "intervals", gpu_intervals_json(result));
    json_object_set_new(object, "host", host_json(result));
    return object;
}

static json_t *param_json(const struct param_group *group, const struct param_desc *param)
{
    const char *field = (const char *)group->values + param->offset;
    if (param->type == PARAM_TYPE_U32)
        return json_integer(*(const uint32_t *)field);
    if (param->type == PARAM_TYPE_DECIMAL)
        return json_real(*(const uint32_t *)field / 1000.0);
    if (param->type == PARAM_TYPE_BOOL)
        return json_boolean(*(const bool *)field);
    struct strbuf text = {0};
    param_format(group, param, &text);
    json_t *value = json_string(strbuf_text(&text));
    strbuf_free(&text);
    return value;
}

json_t *machine_json(const struct machine *machine)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(machine->name ? machine->name : ""));
    json_object_set_new(object, "doc", json_string(machine->doc ? machine->doc : ""));
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        const struct param_group *group = &machine->groups[i];
        json_t *values = json_object();
        for (unsigned k = 0; k < group->count; k++)
            if (!group->params[k].quiet || !param_is_default(group, &group->params[k]))
                json_object_set_new(values, group->params[k].name, param_json(group, &group->params[k]));
        if (group->name && json_object_size(values))
            json_object_set_new(object, group->name, values);
        else
            json_decref(values);
    }
    return object;
}
