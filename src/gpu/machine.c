/* Machines: where every room's parameter table meets. A machine starts from the tables' defaults (the GTX 480), then a
 * YAML file's values, then assignments from the command line. */
#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "gpu/machines_embedded.h"
#include "memory/agent.h"
#include "memory/coherence/protocol.h"
#include "simt/warp.h"
#include "simt/divergence.h"
#include "fetch/policy.h"
#include "core/sched/sched.h"
#include "watch/spin/spin.h"

const char *const gpu_registers_as_choices[] = {"ptx", "ptxas", NULL};

static const struct param_desc gpu_param_descs[] = {
#define PARAM_STRUCT struct gpu_params
#include "config/param_descs.h"
#include "gpu/gpu_params.def"
#include "config/param_end.h"
};

#include "gpu/cache_defaults_l1i.h"
static const struct param_desc l1i_param_descs[] = {
#define PARAM_STRUCT struct cache_params
#include "config/param_descs.h"
#include "memory/cache_params.def"
#include "memory/cache_queue_params.def"
#include "config/param_end.h"
};
#include "memory/cache_defaults_end.h"

#include "gpu/cache_defaults_l1c.h"
static const struct param_desc l1c_param_descs[] = {
#define PARAM_STRUCT struct cache_params
#include "config/param_descs.h"
#include "memory/cache_params.def"
#include "memory/cache_queue_params.def"
#include "config/param_end.h"
};
#include "memory/cache_defaults_end.h"

#define L1_COUNT (sizeof l1i_param_descs / sizeof l1i_param_descs[0])

/* More would take hours to make, and no machine has it. */
#define MACHINE_CACHE_BYTES (16u << 20)

static void bind_groups(struct machine *m)
{
    struct param_group groups[MACHINE_GROUPS] = {
        {"gpu", "the device as a whole", gpu_param_descs, sizeof gpu_param_descs / sizeof gpu_param_descs[0], &m->gpu,
         NULL},
        {"sm", "streaming multiprocessor", sm_param_descs, sm_param_count, &m->sm, NULL},
        {"spin", "detection of spinning warps, and back-off", spin_param_descs, spin_param_count, &m->spin, NULL},
        {"l1i", "instruction cache of an SM", l1i_param_descs, L1_COUNT, &m->l1i, NULL},
        {"l1c", "constant cache of an SM", l1c_param_descs, L1_COUNT, &m->l1c, NULL},
        {"l1d", "data cache of an SM", cache_param_descs, cache_param_count, &m->l1d, NULL},
        {"coherence", "coherence of the L1 data caches and the L2", coherence_param_descs, coherence_param_count,
         &m->memory.coherence, NULL},
        {"locks", "queues of locks in the L2 slices", lock_param_descs, lock_param_count, &m->memory.locks, NULL},
        {"network", "interconnect", network_param_descs, network_param_count, &m->network, NULL},
        {"partition", "memory partitions", partition_param_descs, partition_param_count, &m->memory.partition, NULL},
        {"l2", "a slice of the L2 cache", l2_param_descs, l2_param_count, &m->memory.l2, NULL},
        {"dram", "a DRAM channel", dram_param_descs, dram_param_count, &m->memory.dram, NULL},
        {"energy", "energy of events, and powers", energy_param_descs, energy_param_count, &m->energy, NULL},
    };
    memcpy(m->groups, groups, sizeof groups);
    for (unsigned g = 0; g < MACHINE_GROUPS; g++)
        m->groups[g].places = ARENA_NEW(&m->arena, struct param_place, m->groups[g].count);
}

const char *const *machine_names(struct arena *arena)
{
    const char **names = ARENA_NEW(arena, const char *, embedded_machine_count + 1);
    for (unsigned i = 0; i < embedded_machine_count; i++)
        names[i] = embedded_machines[i].name;
    return names;
}

static const char *embedded_text(const char *name)
{
    for (unsigned i = 0; i < embedded_machine_count; i++)
        if (!strcmp(embedded_machines[i].name, name))
            return embedded_machines[i].text;
    return NULL;
}

const char *machine_text(const char *name)
{
    return machine_is_file(name) ? NULL : embedded_text(name);
}

bool machine_is_file(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
}

static char *read_file(struct arena *arena, const char *path, struct diag_sink *sink)
{
    struct strbuf text = {0};
    int failed = file_load(path, FILE_TEXT_MOST, &text);
    char *copy = NULL;
    if (failed)
        diag_error(sink, (struct diag_pos){path, 0, 0}, NULL, "cannot read machine file: %s", strerror(failed));
    else if (memchr(strbuf_text(&text), 0, text.length))
        diag_error(sink, (struct diag_pos){path, 0, 0}, NULL, "not a machine file: it holds a NUL character");
    else
        copy = arena_strdup(arena, strbuf_text(&text));
    strbuf_free(&text);
    return copy;
}

/* The value of a top-level `key: value` line, or NULL: the two keys that are no groups. */
static char *top_level(struct arena *arena, const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, key, n) || line[n] != ':')
            continue;
        const char *value = line + n + 1 + strspn(line + n + 1, " \"'");
        return arena_strndup(arena, value, strcspn(value, "\"'#\r\n"));
    }
    return NULL;
}

static void trim(char *s)
{
    for (size_t n = s ? strlen(s) : 0; n && s[n - 1] == ' ';)
        s[--n] = 0;
}

static const char *const not_groups[] = {"base", "doc", "tune", NULL};

/* Applies a machine's text on top of what is there, its base first. */
static int apply(struct machine *m, const char *name, const char *text, unsigned depth, struct diag_sink *sink)
{
    char *base = top_level(&m->arena, text, "base");
    trim(base);
    if (base && depth > 4)
        return diag_error(sink, (struct diag_pos){name, 1, 1}, NULL, "machines refer to each other as their base");
    if (base) {
        const char *base_text = embedded_text(base);
        if (!base_text)
            return diag_error(sink, (struct diag_pos){name, 1, 1}, str_nearest(base, machine_names(&m->arena)),
                              "base: there is no machine named %s", base);
        if (apply(m, base, base_text, depth + 1, sink))
            return -1;
    }
    char *doc = top_level(&m->arena, text, "doc");
    if (doc)
        m->doc = doc;
    return param_load_yaml(m->groups, MACHINE_GROUPS, &m->arena, name, text, not_groups, sink);
}

/* A file without a base says everything by itself: what it leaves out would be some other machine's in silence.
 * Parameters that results leave out where they have their default are new ways to do things, and may be left out. */
static int check_whole(const struct machine *m, struct diag_sink *sink)
{
    struct strbuf first = {0};
    unsigned missing = 0;
    for (unsigned g = 0; g < MACHINE_GROUPS; g++)
        for (unsigned i = 0; i < m->groups[g].count; i++)
            if (!m->groups[g].places[i].order && !m->groups[g].params[i].quiet && !missing++)
                strbuf_addf(&first, "%s.%s", m->groups[g].name, m->groups[g].params[i].name);
    if (missing)
        diag_error(sink, (struct diag_pos){m->name, 1, 1},
                   "begin it with `base: gtx480`, or another of `lockstep machines`, and say what differs",
                   "a machine file without a base gives every parameter: %s and %u more are missing",
                   strbuf_text(&first), missing - 1);
    strbuf_free(&first);
    return missing ? -1 : 0;
}

static void begin(struct machine *m, const char *name)
{
    *m = (struct machine){0};
    bind_groups(m);
    param_defaults(m->groups, MACHINE_GROUPS);
    m->name = arena_strdup(&m->arena, name);
    m->doc = "";
}

/* Goes on behind begin(). own: the text is a user's, not one that comes with Lockstep. */
static int take_text(struct machine *m, const char *text, bool own, struct diag_sink *sink)
{
    char *base = own ? top_level(&m->arena, text, "base") : NULL;
    if (apply(m, m->name, text, 0, sink) || (own && !base && check_whole(m, sink) < 0)) {
        machine_free(m);
        return -1;
    }
    trim(base);
    m->names_code = own && sched_is_file(m->sm.scheduler);
    m->origin = !own ? m->name : base ? base : "";
    return 0;
}

int machine_load(struct machine *m, const char *name, struct diag_sink *sink)
{
    begin(m, name);
    const char *text = machine_is_file(name) ? read_file(&m->arena, name, sink) : embedded_text(name);
    if (text)
        return take_text(m, text, machine_is_file(name), sink);
    if (!machine_is_file(name))
        diag_error(sink, DIAG_NOWHERE, str_nearest(name, machine_names(&m->arena)), "there is no machine named %s",
                   name);
    machine_free(m);
    return -1;
}

int machine_load_text(struct machine *m, const char *name, const char *text, struct diag_sink *sink)
{
    begin(m, name);
    return take_text(m, text, true, sink);
}

int machine_set(struct machine *m, const char *assignment, struct diag_sink *sink)
{
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return diag_error(sink, DIAG_NOWHERE, "write group.parameter=value, for example sm.warps=32", "%s sets nothing",
                          assignment);
    const char *name = arena_strndup(&m->arena, assignment, (size_t)(equals - assignment));
    if (!strcmp(name, "sm.scheduler"))
        m->names_code = false;
    return param_set(m->groups, MACHINE_GROUPS, &m->arena, name, equals + 1, DIAG_NOWHERE, sink);
}

/* The group of `group.parameter`, and *index of the parameter in it; NULL when there is none of that name. */
static const struct param_group *find_parameter(const struct machine *m, const char *name, unsigned *index)
{
    size_t n = strcspn(name, ".");
    for (unsigned g = 0; g < MACHINE_GROUPS; g++) {
        const struct param_group *group = &m->groups[g];
        bool inside = name[n] && strlen(group->name) == n && !memcmp(group->name, name, n);
        for (*index = 0; inside && *index < group->count; ++*index)
            if (!strcmp(group->params[*index].name, name + n + 1))
                return group;
    }
    return NULL;
}

bool machine_was_set(const struct machine *m, const char *name)
{
    unsigned i;
    const struct param_group *group = find_parameter(m, name, &i);
    return group && group->places[i].order && !group->places[i].pos.file;
}

bool machine_value(const struct machine *m, const char *name, struct strbuf *out)
{
    unsigned i;
    const struct param_group *group = find_parameter(m, name, &i);
    if (group)
        param_format(group, &group->params[i], out);
    return group != NULL;
}

void machine_set_scheduler(struct machine *m, const char *name)
{
    m->sm.scheduler = arena_strdup(&m->arena, name);
    m->names_code = false;
}

static int check_scheduler(const struct machine *m, struct sched *opened, struct diag_sink *sink)
{
    *opened = (struct sched){0};
    if (!m->names_code || m->allow_code)
        return sched_open_given(opened, m->sm.scheduler, &m->given, sink);
    struct strbuf hint = {0};
    strbuf_addf(&hint, "if you trust it: --sched %s, or --allow-code", m->sm.scheduler);
    diag_error(sink, DIAG_NOWHERE, strbuf_text(&hint),
               "the scheduler of machine file %s is code, %s, which is loaded only when the command line says so",
               m->name, m->sm.scheduler);
    strbuf_free(&hint);
    return -1;
}

/* `any`, or numbers in rising order with commas between them. */
static bool is_list_of_sizes(const char *text)
{
    unsigned long last = 0;
    if (!strcmp(text, "any"))
        return true;
    for (bool first = true; *text || first; first = false) {
        char *end;
        unsigned long size = strtoul(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || (!first && size <= last) || (*end && *end != ',') || (*end && !end[1]))
            return false;
        last = size;
        text = *end ? end + 1 : end;
    }
    return true;
}

/* Every rule of every room that is broken, with its reason. */
static int check_rules(const struct machine *m, struct diag_sink *sink)
{
    int rc = 0;
#define RULE(holds, names, why)                                                                                        \
    if (!(holds))                                                                                                      \
        rc = param_conflict(m->groups, MACHINE_GROUPS, names, why, sink);
#define GPU (&m->gpu)
#include "gpu/gpu_rules.def"
#undef GPU
#define SM (&m->sm)
#define L1I (&m->l1i)
#define L1C (&m->l1c)
#define L1D (&m->l1d)
#include "sm/sm_rules.def"
#undef SM
#undef L1I
#undef L1C
#undef L1D
#define SPIN (&m->spin)
#include "watch/spin/spin_rules.def"
#undef SPIN
#define PARTITION (&m->memory.partition)
#define L2 (&m->memory.l2)
#define DRAM (&m->memory.dram)
#include "memory/memory_rules.def"
#undef PARTITION
#undef L2
#undef DRAM
#define CACHE (&m->l1i)
#define CACHE_NAME "l1i"
#include "memory/cache_rules.def"
#undef CACHE
#undef CACHE_NAME
#define CACHE (&m->l1c)
#define CACHE_NAME "l1c"
#include "memory/cache_rules.def"
#undef CACHE
#undef CACHE_NAME
#define CACHE (&m->l1d)
#define CACHE_NAME "l1d"
#include "memory/cache_rules.def"
#undef CACHE
#undef CACHE_NAME
#define CACHE (&m->memory.l2)
#define CACHE_NAME "l2"
#include "memory/cache_rules.def"
#undef CACHE
#undef CACHE_NAME
#undef RULE
    return rc;
}

/* A parameter names nothing that there is. known: the names that there are; freed. */
static int unknown_name(const char *parameter, const char *what, const char *name, struct strbuf *known,
                        struct diag_sink *sink)
{
    diag_error(sink, DIAG_NOWHERE, strbuf_text(known), "%s: there is no %s named %s", parameter, what, name);
    strbuf_free(known);
    return -1;
}

static void add_known(struct strbuf *known, unsigned i, const char *what, const char *name)
{
    if (i)
        strbuf_addf(known, ", %s", name);
    else
        strbuf_addf(known, "known %s: %s", what, name);
}

static int check_detector(const char *parameter, const char *name, struct diag_sink *sink)
{
    struct strbuf known = {0};
    if (spin_find_detector(name))
        return 0;
    for (unsigned i = 0; spin_detectors()[i]; i++)
        add_known(&known, i, "detectors", spin_detectors()[i]->name);
    return unknown_name(parameter, "spin detector", name, &known, sink);
}

static int check_fetch(const char *name, struct diag_sink *sink)
{
    struct strbuf known = {0};
    if (fetch_find(name))
        return 0;
    for (unsigned i = 0; fetch_policies()[i]; i++)
        add_known(&known, i, "fetch policies", fetch_policies()[i]->name);
    return unknown_name("sm.fetch", "fetch policy", name, &known, sink);
}

static int check_divergence(const char *name, struct diag_sink *sink)
{
    struct strbuf known = {0};
    if (simt_model_find(name))
        return 0;
    for (unsigned i = 0; simt_models()[i]; i++)
        add_known(&known, i, "models", simt_models()[i]->name);
    return unknown_name("sm.divergence", "divergence model", name, &known, sink);
}

static int check_ports(const struct machine *m, struct diag_sink *sink)
{
    const struct network_params back = network_back(&m->network);
    unsigned slices = memory_slices(&m->memory.partition);
    struct network_refusal refusal;
    struct strbuf names = {0};
    if (m->gpu.sms > NETWORK_MAX_PORTS || slices > NETWORK_MAX_PORTS)
        return 0; /* a rule says that */
    if (!network_refuses(&m->network, m->gpu.sms, slices, &refusal) &&
        !network_refuses(&back, slices, m->gpu.sms, &refusal))
        return 0;
    strbuf_addf(&names, "gpu.sms partition.channels partition.slices_per_channel network.core %s", refusal.names);
    int rc = param_conflict(m->groups, MACHINE_GROUPS, strbuf_text(&names), refusal.why, sink);
    strbuf_free(&names);
    return rc;
}

static int check_core(const struct machine *m, struct diag_sink *sink)
{
    struct strbuf known = {0};
    if (network_find_core(m->network.core))
        return check_ports(m, sink);
    for (unsigned i = 0; network_cores()[i]; i++)
        add_known(&known, i, "cores", network_core_name(network_cores()[i]));
    return unknown_name("network.core", "network core", m->network.core, &known, sink);
}

/* A block of addresses must hold a line of every cache: a request or write-back, of a line at most, goes to one slice.
 */
static int check_blocks(const struct machine *m, struct diag_sink *sink)
{
    uint32_t block = m->memory.partition.block_bytes;
    if (m->l1i.line_bytes <= block && m->l1c.line_bytes <= block && m->l1d.line_bytes <= block &&
        m->memory.l2.line_bytes <= block)
        return 0;
    return param_conflict(m->groups, MACHINE_GROUPS,
                          "partition.block_bytes l1i.line_bytes l1c.line_bytes l1d.line_bytes l2.line_bytes",
                          "the bytes of a line lie in one channel", sink);
}

/* Where L1s keep what they have written, the agent and the directory ask more of a machine. */
static int check_registration(const struct machine *m, struct diag_sink *sink)
{
    const struct memory_params *p = &m->memory;
    const char *replacement = p->coherence.replacement;
    int bad = 0;
    if (strcmp(replacement, "own") != 0 && strcmp(replacement, "rprio") != 0 && strcmp(replacement, "noprio") != 0)
        bad |= diag_error(sink, DIAG_NOWHERE, "rprio, noprio, or own: as the protocol has it",
                          "coherence.replacement cannot be %s", replacement);
    if (!coherence_find(p->coherence.protocol)->registration)
        return bad;
    if (m->sm.values_at_issue || !m->sm.memory_in_order)
        bad |= param_conflict(m->groups, MACHINE_GROUPS, "coherence.protocol sm.values_at_issue sm.memory_in_order",
                              "the protocol needs values that travel with the messages, and these in order", sink);
    if (m->l1d.line_bytes != p->l2.line_bytes)
        bad |= param_conflict(m->groups, MACHINE_GROUPS, "coherence.protocol l1d.line_bytes l2.line_bytes",
                              "L1s register lines of the L2, so that both must have lines of one size", sink);
    if (p->l2.allocate != CACHE_ALLOCATE_ON_MISS)
        bad |= param_conflict(m->groups, MACHINE_GROUPS, "coherence.protocol l2.allocate",
                              "a line that an L1 registers has its place in the L2 at once (on_miss)", sink);
    uint32_t parts = PACKET_LINE_BYTES / p->l2.sector_bytes;
    if (p->partition.icnt_l2_queue + 1 < 2 * parts)
        bad |= param_conflict(m->groups, MACHINE_GROUPS, "coherence.protocol partition.icnt_l2_queue l2.sector_bytes",
                              "all sectors of a line must find room in the queue twice, but for one", sink);
    if (m->sm.l1d_queue <= AGENT_ROOM)
        bad |= param_conflict(m->groups, MACHINE_GROUPS, "coherence.protocol sm.l1d_queue",
                              "an access may send three requests at once, beside one that waits", sink);
    return bad;
}

/* Values that change when an access issues are in the order of issue, however long its message is under way. */
static int check_adversary(const struct machine *m, struct diag_sink *sink)
{
    if (!m->gpu.adversary || !m->sm.values_at_issue)
        return 0;
    return param_conflict(m->groups, MACHINE_GROUPS, "gpu.adversary sm.values_at_issue",
                          "an adversary holds messages, so values must travel with them", sink);
}

static int check_protocol(const char *name, struct diag_sink *sink)
{
    struct strbuf known = {0};
    if (coherence_find(name))
        return 0;
    for (unsigned i = 0; coherence_list()[i]; i++)
        add_known(&known, i, "protocols", coherence_list()[i]->name);
    return unknown_name("coherence.protocol", "coherence protocol", name, &known, sink);
}

/* Who misses in the L1D is known where that is a cache whose lines come by fills. policy: NULL if there is none. */
static int check_memory_view(const struct machine *m, const struct lockstep_scheduler *policy, struct diag_sink *sink)
{
    if (!policy || !(policy->needs & LOCKSTEP_NEEDS_MEMORY) ||
        !coherence_find(m->memory.coherence.protocol)->registration)
        return 0;
    return diag_error(sink, DIAG_NOWHERE, "gpu and bypass are protocols under which it can be told",
                      "scheduler %s wants to know which warps miss in the L1 data cache, which is not known under "
                      "coherence.protocol=%s",
                      policy->name, m->memory.coherence.protocol);
}

int machine_check(const struct machine *m, struct sched *scheduler, struct diag_sink *sink)
{
    int bad = check_rules(m, sink);
    struct sched opened;
    bad |= check_scheduler(m, &opened, sink);
    bad |= check_fetch(m->sm.fetch, sink);
    bad |= check_divergence(m->sm.divergence, sink);
    bad |= check_core(m, sink);
    bad |= check_blocks(m, sink);
    bad |= check_protocol(m->memory.coherence.protocol, sink) || check_registration(m, sink) ||
           check_memory_view(m, opened.policy, sink);
    bad |= check_adversary(m, sink);
    bad |= check_detector("spin.detector", m->spin.detector, sink);
    bad |= check_detector("spin.truth", m->spin.truth, sink);
    if (scheduler && !bad)
        *scheduler = opened;
    else
        sched_close(&opened);
    return bad ? -1 : 0;
}

void machine_free(struct machine *m)
{
    arena_free(&m->arena);
    *m = (struct machine){0};
}
