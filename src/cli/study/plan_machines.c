/* study.yaml's `machines`: short names for machines with parameters, taken as they are shipped, with the departures
 * from the simulator behind them set back, or with their warp schedulers in fixed order alone. */
#include <string.h>
#include <unistd.h>

#include "cli/study/plan.h"

/* A machine file of the study's folder, or what --machine takes. */
static const char *resolve(struct study *study, const char *name)
{
    const char *own = arena_printf(&study->arena, "%s/%s", study->folder, name);
    return machine_is_file(name) && *name != '/' && access(own, R_OK) == 0 ? own : name;
}

/* Puts what sets back the departures before the machine's own parameters. */
static int set_back(struct plan *p, const struct yaml_node *node, struct study_machine *machine)
{
    unsigned count = 0;
    for (const struct departure *d = NULL; (d = departure_next(machine->origin, machine->as, d)); count++)
        vec_push(&machine->sets, arena_printf(&p->study->arena, "%s=%s", d->parameter, d->there));
    if (machine->as == MACHINE_SHIPPED || count)
        return 0;
    return yaml_error(&p->doc, node, p->study->sink, "lockstep machines --departures lists what there is to set back",
                      "%s has nothing that %s would set back", machine->machine, machine_as_names[machine->as]);
}

int plan_add_machine(struct plan *p, const struct yaml_node *node, struct study_machine *machine)
{
    struct diag_sink said;
    struct machine loaded;
    diag_init(&said);
    machine->machine = resolve(p->study, machine->machine);
    if (machine_load(&loaded, machine->machine, &said) < 0)
        return plan_repeat(p, node, &said);
    machine->origin = arena_strdup(&p->study->arena, loaded.origin);
    machine_free(&loaded);
    diag_free(&said);
    int rc = set_back(p, node, machine);
    vec_push(&p->study->machines, *machine);
    return rc;
}

const char *plan_name_machine(struct plan *p, const struct yaml_node *node)
{
    struct study_machine plain = {.name = arena_strdup(&p->study->arena, node->text)};
    plain.machine = plain.name;
    return plan_machine(p->study, node->text) || plan_add_machine(p, node, &plain) == 0 ? plain.name : NULL;
}

static int read_as(struct plan *p, const struct yaml_node *node, struct study_machine *machine)
{
    const char *as = plan_text(p, node, "as", machine_as_names[MACHINE_SHIPPED]);
    if (as && machine_as_find(as, &machine->as))
        return 0;
    return as ? plan_error(p, yaml_get(node, "as"), "as must be shipped, fixed-order or reference") : -1;
}

int plan_read_machine(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"machine", "as", "set", NULL};
    struct study_machine machine = {.name = arena_strdup(&p->study->arena, node->key->text)};
    if (plan_check_keys(p, node, keys) < 0 || read_as(p, node, &machine) < 0 ||
        !(machine.machine = plan_text(p, node, "machine", NULL)))
        return -1;
    if (plan_machine(p->study, machine.name))
        return plan_error(p, node->key, "a machine of this name stands above");
    const struct yaml_node *set = yaml_get(node, "set"), *at = set;
    const char *const *settings = set ? plan_texts(p, set) : NULL;
    if (plan_add_machine(p, yaml_get(node, "machine"), &machine) < 0 || (set && !settings))
        return -1;
    struct study_machine *added = &p->study->machines.items[p->study->machines.count - 1];
    int rc = 0;
    if (set && set->kind == YAML_SEQUENCE)
        at = set->children;
    for (; settings && *settings; settings++, at = at->next) {
        vec_push(&added->sets, *settings);
        rc |= plan_check_setting(p, at, *settings);
    }
    return rc;
}
