/* Results: of the launch that is held, so far, or of the last one. */
#include <stdlib.h>
#include <string.h>

#include "gpu/held.h"
#include "gpu/result_json.h"
#include "library/library.h"
#include "profile/profile.h"

/* The names of a held launch's result are its own module's: only counters are to be freed. */
void library_forget(struct lockstep_device *d)
{
    gpu_result_free(&d->now);
    d->now = (struct gpu_result){0};
}

void library_forget_profile(struct lockstep_device *d, const struct isa_module *code)
{
    if (!d->result.profile || d->result.profile->module != code)
        return;
    profile_free(d->result.profile);
    d->result.profile = NULL;
}

const struct gpu_result *library_result(struct lockstep_device *d)
{
    if (gpu_stands(d->gpu)) {
        if (!d->now.counters)
            gpu_held_result(d->gpu, &d->now);
        return &d->now;
    }
    if (d->result.counters)
        return &d->result;
    library_wrong(d, LOCKSTEP_ERROR_STATE, "lockstep_launch begins one", "there was no launch yet");
    return NULL;
}

/* At the beginning of a call; NULL: *code says what is wrong. */
static const struct gpu_result *result_of(struct lockstep_device *d, int *code)
{
    *code = library_begin(d);
    const struct gpu_result *result = *code ? NULL : library_result(d);
    if (!result && !*code)
        *code = LOCKSTEP_ERROR_STATE;
    return result;
}

int library_code(const struct gpu_result *result)
{
    static const int codes[] = {
        [GPU_OK] = LOCKSTEP_OK,
        [GPU_INVALID] = LOCKSTEP_ERROR_INVALID,
        [GPU_FAULT] = LOCKSTEP_ERROR_FAULT,
        [GPU_HANG] = LOCKSTEP_ERROR_HANG,
        [GPU_LIMIT] = LOCKSTEP_ERROR_LIMIT,
        [GPU_STOPPED] = LOCKSTEP_ERROR_STOPPED,
        [GPU_STANDS] = LOCKSTEP_OK,
        [GPU_HELD] = LOCKSTEP_OK,
    };
    return codes[result->status];
}

int lockstep_outcome(struct lockstep_device *d, struct lockstep_outcome *to)
{
    int code;
    const struct gpu_result *r = result_of(d, &code);
    if (!r)
        return code;
    const struct lockstep_outcome outcome = {.code = library_code(r),
                                             .held = r->status == GPU_HELD,
                                             .launch = d->launches ? d->launches - 1 : 0,
                                             .kernel = strbuf_text(&d->kernel),
                                             .cycles = r->cycles,
                                             .time_ns = r->time_ns,
                                             .registers = r->registers,
                                             .blocks_per_sm = r->blocks_per_sm,
                                             .limited_by = r->blocks_limited_by,
                                             .findings = r->findings};
    return library_give(d, to, &outcome, sizeof outcome, "lockstep_outcome");
}

/* Statistics */

static int give(struct lockstep_device *d, const struct gpu_result *r, const struct gpu_stat_set *set,
                const struct stat_desc *stat, struct lockstep_statistic *to)
{
    bool measured = stat_measured(stat, r->lacks);
    const struct lockstep_statistic statistic = {.group = set->group->name,
                                                 .name = stat->name,
                                                 .unit = stat->unit,
                                                 .doc = stat->doc,
                                                 .kind = stat->kind == STAT_COUNTER ? LOCKSTEP_COUNTER
                                                         : stat->kind == STAT_MAX   ? LOCKSTEP_MAXIMUM
                                                                                    : LOCKSTEP_DISTINCT,
                                                 .measured = measured,
                                                 .value = measured ? stat_value(stat, set->values) : 0};
    return library_give(d, to, &statistic, sizeof statistic, "lockstep_statistic");
}

int lockstep_statistic(struct lockstep_device *d, uint32_t index, struct lockstep_statistic *to)
{
    int code;
    unsigned count;
    const struct gpu_result *r = result_of(d, &code);
    if (!r)
        return code;
    const struct gpu_stat_set *sets = gpu_result_sets(r, &count);
    for (unsigned i = 0; i < count; index -= sets[i++].group->count)
        if (index < sets[i].group->count)
            return give(d, r, &sets[i], &sets[i].group->stats[index], to);
    return LOCKSTEP_ERROR_ABSENT;
}

int lockstep_find_statistic(struct lockstep_device *d, const char *name, struct lockstep_statistic *to)
{
    int code;
    unsigned count;
    size_t n = strcspn(name, ".");
    const struct gpu_result *r = result_of(d, &code);
    if (!r)
        return code;
    const struct gpu_stat_set *sets = gpu_result_sets(r, &count);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sets[i].group->count; k++)
            if (strlen(sets[i].group->name) == n && !memcmp(sets[i].group->name, name, n) && name[n] &&
                !strcmp(sets[i].group->stats[k].name, name + n + 1))
                return give(d, r, &sets[i], &sets[i].group->stats[k], to);
    return library_wrong(d, LOCKSTEP_ERROR_ABSENT, "`lockstep stats` lists them: \"group.name\"",
                         "there is no statistic %s", name);
}

/* NULL, and *code says why: there is no result. */
static json_t *json_of(struct lockstep_device *d, int *code)
{
    const struct gpu_result *r = result_of(d, code);
    if (!r)
        return NULL;
    struct gpu_result named = *r;
    named.name = strbuf_text(&d->kernel);
    return gpu_result_json(&named, d->machine);
}

json_t *library_result_json(struct lockstep_device *d)
{
    int code;
    return json_of(d, &code);
}

int lockstep_result_json(struct lockstep_device *d, const char **text)
{
    int code;
    json_t *object = json_of(d, &code);
    if (!object)
        return code;
    char *dumped = json_dumps(object, JSON_INDENT(1));
    strbuf_free(&d->json);
    strbuf_add(&d->json, dumped ? dumped : "{}");
    free(dumped);
    json_decref(object);
    *text = strbuf_text(&d->json);
    return LOCKSTEP_OK;
}
