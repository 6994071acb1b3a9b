/* Finds a scheduler by its name, takes its options apart, and loads one from a shared object (sched.h). */
#include "core/sched/sched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCHEDULER(symbol) extern const struct lockstep_scheduler sched_##symbol;
#include "core/sched/list.def"
#undef SCHEDULER

static const struct lockstep_scheduler *const schedulers[] = {
#define SCHEDULER(symbol) &sched_##symbol,
#include "core/sched/list.def"
#undef SCHEDULER
    NULL,
};

const struct lockstep_scheduler *sched_find(const char *name)
{
    for (unsigned i = 0; schedulers[i]; i++)
        if (!strcmp(schedulers[i]->name, name))
            return schedulers[i];
    return NULL;
}

const struct lockstep_scheduler *const *sched_list(void)
{
    return schedulers;
}

/* Length of what stands before the options (and before what others add behind a '+'). */
static size_t base_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *from = slash ? slash + 1 : name;
    return (size_t)(from - name) + strcspn(from, ":+");
}

bool sched_is_file(const char *name)
{
    size_t n = base_length(name);
    return memchr(name, '/', n) || (n > 3 && memcmp(name + n - 3, ".so", 3) == 0);
}

static int unknown(const char *name, struct diag_sink *sink)
{
    struct strbuf known = {0};
    strbuf_add(&known, "known schedulers:");
    for (unsigned i = 0; schedulers[i]; i++)
        strbuf_addf(&known, " %s", schedulers[i]->name);
    strbuf_add(&known, "; one of your own: ./FILE.so");
    diag_error(sink, DIAG_NOWHERE, strbuf_text(&known), "there is no warp scheduler named %s", name);
    strbuf_free(&known);
    return -1;
}

/* Options */

static const struct lockstep_scheduler_option *option_at(const struct lockstep_scheduler *policy, unsigned i)
{
    const struct lockstep_scheduler_option *options = policy->options;
    return options && i < LOCKSTEP_SCHEDULER_OPTIONS && options[i].name ? &options[i] : NULL;
}

static int bad_option(const struct sched *sched, const char *text, struct diag_sink *sink)
{
    const struct lockstep_scheduler_option *o;
    struct strbuf known = {0};
    for (unsigned i = 0; (o = option_at(sched->policy, i)); i++)
        strbuf_addf(&known, "%s%s", i ? ", " : "options: ", o->name);
    diag_error(sink, DIAG_NOWHERE, known.length ? known.text : "it has no options", "scheduler %s has no option %.*s",
               sched->policy->name, (int)strcspn(text, "="), text);
    strbuf_free(&known);
    return -1;
}

static int bad_value(const struct sched *sched, const struct lockstep_scheduler_option *o, const char *value,
                     struct diag_sink *sink)
{
    struct strbuf range = {0};
    for (unsigned i = 0; o->choices && o->choices[i]; i++)
        strbuf_addf(&range, "%s%s", i ? ", " : "one of: ", o->choices[i]);
    if (!o->choices)
        strbuf_addf(&range, "a number from %" PRIu64 " to %" PRIu64, o->minimum, o->maximum);
    diag_error(sink, DIAG_NOWHERE, strbuf_text(&range), "scheduler %s: %s cannot be %s", sched->policy->name, o->name,
               value);
    strbuf_free(&range);
    return -1;
}

static int set_value(struct sched *sched, unsigned at, const char *value, struct diag_sink *sink)
{
    const struct lockstep_scheduler_option *o = option_at(sched->policy, at);
    sched->named |= 1u << at;
    for (unsigned i = 0; o->choices && o->choices[i]; i++)
        if (!strcmp(o->choices[i], value)) {
            sched->options[at] = i;
            return 0;
        }
    char *end;
    unsigned long long number = strtoull(value, &end, 10);
    if (o->choices || *value < '0' || *value > '9' || *end || strlen(value) > 19 || number < o->minimum ||
        number > o->maximum)
        return bad_value(sched, o, value, sink);
    sched->options[at] = number;
    return 0;
}

/* One OPTION=VALUE. */
static int set_option(struct sched *sched, const char *text, struct diag_sink *sink)
{
    const struct lockstep_scheduler_option *o;
    size_t n = strcspn(text, "=");
    for (unsigned i = 0; (o = option_at(sched->policy, i)); i++)
        if (strlen(o->name) == n && memcmp(o->name, text, n) == 0)
            return set_value(sched, i, text[n] ? text + n + 1 : "nothing", sink);
    return bad_option(sched, text, sink);
}

static int set_options(struct sched *sched, const char *text, struct diag_sink *sink)
{
    const struct lockstep_scheduler_option *o;
    int rc = 0;
    for (unsigned i = 0; (o = option_at(sched->policy, i)); i++)
        sched->options[i] = o->initial;
    while (*text == ':') {
        size_t n = strcspn(++text, ":");
        struct strbuf one = {0};
        strbuf_addn(&one, text, n);
        rc |= set_option(sched, strbuf_text(&one), sink);
        strbuf_free(&one);
        text += n;
    }
    return rc;
}

const struct param_desc *sched_parameter(const char *name)
{
    for (unsigned i = 0; i < sm_param_count; i++)
        if (sm_param_descs[i].type == PARAM_TYPE_U32 && !strcmp(sm_param_descs[i].name, name))
            return &sm_param_descs[i];
    return NULL;
}

void sched_settle(struct sched *sched, const struct sm_params *params)
{
    const struct lockstep_scheduler_option *o;
    for (unsigned i = 0; (o = option_at(sched->policy, i)); i++) {
        if (!o->parameter || (sched->named >> i & 1))
            continue;
        uint32_t value;
        memcpy(&value, (const char *)params + sched_parameter(o->parameter)->offset, sizeof value);
        sched->options[i] = value;
    }
}

uint64_t sched_value(const struct sched *sched, const char *option, uint64_t otherwise)
{
    const struct lockstep_scheduler_option *o;
    for (unsigned i = 0; (o = option_at(sched->policy, i)); i++)
        if (!strcmp(o->name, option))
            return sched->options[i];
    return otherwise;
}

/* Spin control */

static int set_control(struct sched *sched, const char *name, struct diag_sink *sink)
{
    if ((sched->control = sched_find_control(name)))
        return 0;
    struct strbuf known = {0};
    for (unsigned i = 0; sched_controls()[i]; i++)
        strbuf_addf(&known, "%s +%s", i ? "," : "what can stand over a scheduler:", sched_controls()[i]->name);
    diag_error(sink, DIAG_NOWHERE, strbuf_text(&known), "there is no spin control named %s", name);
    strbuf_free(&known);
    return -1;
}

/* The whole */

/* Takes the policy that the program brings. */
static int take(struct sched *sched, const struct sched_given *given, struct diag_sink *sink)
{
    sched->user = given->user;
    sched->policy = given->policy;
    return sched_check_policy("the scheduler given by the program", given->policy, sink);
}

static int open_base(struct sched *sched, const char *name, const struct sched_given *given, struct diag_sink *sink)
{
    size_t n = base_length(name);
    struct strbuf base = {0};
    strbuf_addn(&base, name, n);
    int rc = 0;
    if (given->policy && given->policy->name && !strcmp(given->policy->name, strbuf_text(&base)))
        rc = take(sched, given, sink);
    else if (sched_is_file(name))
        rc = sched_load(sched, strbuf_text(&base), sink);
    else if (!(sched->policy = sched_find(strbuf_text(&base))))
        rc = unknown(name, sink);
    strbuf_free(&base);
    return rc ? rc : set_options(sched, name + n, sink);
}

int sched_open(struct sched *sched, const char *name, struct diag_sink *sink)
{
    return sched_open_given(sched, name, &(struct sched_given){0}, sink);
}

int sched_open_given(struct sched *sched, const char *name, const struct sched_given *given, struct diag_sink *sink)
{
    *sched = (struct sched){0};
    const char *plus = strchr(name + base_length(name), '+');
    struct strbuf base = {0};
    strbuf_addn(&base, name, plus ? (size_t)(plus - name) : strlen(name));
    int rc = open_base(sched, strbuf_text(&base), given, sink);
    if (rc == 0 && plus)
        rc = set_control(sched, plus + 1, sink);
    strbuf_free(&base);
    if (rc < 0)
        sched_close(sched);
    return rc;
}

void sched_identify(const char *name, struct strbuf *out)
{
    size_t n = base_length(name);
    if (!sched_is_file(name)) {
        strbuf_add(out, name);
        return;
    }
    struct strbuf path = {0};
    strbuf_addn(&path, name, n);
    plugin_identify(strbuf_text(&path), out);
    strbuf_add(out, name + n);
    strbuf_free(&path);
}
