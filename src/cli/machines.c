/* `lockstep machines` and `lockstep params`: what can be simulated, and what can be changed about it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strmap.h"
#include "cli/cli.h"
#include "cli/listing.h"
#include "gpu/departures.h"
#include "report/table.h"

const char cli_machines_usage[] =
    "usage: lockstep machines                         lists the machines that come with Lockstep\n"
    "       lockstep machines [OPTIONS] NAME|FILE     prints one as a machine file, with every parameter\n"
    "       lockstep machines --departures [NAME|FILE]    where they depart on purpose from the simulator behind them\n"
    "\n"
    "  --set GROUP.NAME=VALUE   changes a parameter before printing; may be repeated (without NAME: "
    "of " CLI_DEFAULT_MACHINE ")\n"
    "\n"
    "A machine file may begin with `base: NAME` and then says only what differs.\n";

const char cli_params_usage[] = "usage: lockstep params [GROUP]\n"
                                "\n"
                                "Lists the parameters of a machine: name, default, range, unit, meaning.\n";

static int list_machines(struct diag_sink *sink)
{
    struct arena arena = {0};
    struct table t;
    int code = CLI_OK;
    table_init(&t, "ll");
    for (const char *const *name = machine_names(&arena); *name; name++) {
        struct machine machine;
        if (machine_load(&machine, *name, sink) < 0) {
            code = CLI_FAILED;
            continue;
        }
        table_cell(&t, "%s", *name);
        table_cell(&t, "%s%s", machine.doc, strcmp(*name, CLI_DEFAULT_MACHINE) == 0 ? " (default)" : "");
        machine_free(&machine);
    }
    cli_print_table(&t);
    arena_free(&arena);
    return code;
}

static void print_group(const struct param_group *group, struct strbuf *out)
{
    strbuf_addf(out, "\n# %s\n%s:\n", group->doc, group->name);
    for (unsigned i = 0; i < group->count; i++) {
        const struct param_desc *param = &group->params[i];
        struct strbuf line = {0};
        strbuf_addf(&line, "  %s: ", param->name);
        param_format(group, param, &line);
        strbuf_addf(out, "%-32s # %s%s%s\n", strbuf_text(&line), param->unit, *param->unit ? ": " : "", param->doc);
        strbuf_free(&line);
    }
}

static int print_machine(struct cli_options *options, struct diag_sink *sink)
{
    struct machine machine;
    struct strbuf text = {0};
    if (options->rest[0])
        options->machine = options->rest[0];
    if (cli_load_machine(&machine, options, sink) < 0)
        return CLI_USAGE;
    if (*machine.doc)
        strbuf_addf(&text, "doc: %s\n", machine.doc);
    for (unsigned i = 0; i < MACHINE_GROUPS; i++)
        print_group(&machine.groups[i], &text);
    cli_print(&text);
    machine_free(&machine);
    return CLI_OK;
}

/* The machine's value, and that of the simulator behind it. */
static void add_departure(struct table *t, const struct machine *m, const struct departure *d, const char *here)
{
    table_cell(t, "%s", m->origin);
    table_cell(t, "%s", d->parameter);
    table_cell(t, "%s", here);
    table_cell(t, "%s", d->there);
    table_cell(t, "%s", d->why);
}

static void add_departures(struct table *t, const struct machine *m)
{
    for (const struct departure *d = NULL; (d = departure_next(m->origin, MACHINE_REFERENCE, d));) {
        struct strbuf here = {0};
        machine_value(m, d->parameter, &here);
        add_departure(t, m, d, strbuf_text(&here));
        strbuf_free(&here);
    }
    for (const struct departure *d = NULL; (d = departure_next_scheduler(m->origin, MACHINE_REFERENCE, d));)
        add_departure(t, m, d, d->parameter);
}

static int list_departures(const char *wanted, struct diag_sink *sink)
{
    static const char *const heading[] = {"machine", "parameter", "here", "GPGPU-Sim", "why"};
    struct arena arena = {0};
    struct table t;
    int code = CLI_OK;
    table_init(&t, "lllll");
    for (unsigned i = 0; i < 5; i++)
        table_cell(&t, "%s", heading[i]);
    const char *const one[] = {wanted, NULL};
    for (const char *const *name = wanted ? one : machine_names(&arena); *name; name++) {
        struct machine machine;
        if (machine_load(&machine, *name, sink) < 0) {
            code = CLI_USAGE;
            continue;
        }
        add_departures(&t, &machine);
        machine_free(&machine);
    }
    if (code == CLI_OK)
        cli_print_table(&t);
    else
        table_free(&t);
    arena_free(&arena);
    return code;
}

static int machines(struct cli_options *options, struct diag_sink *sink)
{
    if (options->departures)
        return list_departures(options->rest[0], sink);
    bool one = options->rest[0] || options->machine || options->sets.count;
    return one ? print_machine(options, sink) : list_machines(sink);
}

int cli_machines(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_machines, 1, cli_machines_usage, machines);
}

static void default_text(const struct param_desc *param, struct strbuf *out)
{
    switch (param->type) {
    case PARAM_TYPE_U32:
        /* Addresses, which have no unit. */
        strbuf_addf(out, param->default_value >= 0x10000000 && !param->unit[0] ? "0x%" PRIx64 : "%" PRIu64,
                    param->default_value);
        break;
    case PARAM_TYPE_DECIMAL:
        param_format_decimal(param->default_value, out);
        break;
    case PARAM_TYPE_BOOL:
        strbuf_add(out, param->default_value ? "true" : "false");
        break;
    case PARAM_TYPE_ENUM:
        strbuf_add(out, param->choices[param->default_value]);
        break;
    case PARAM_TYPE_STR:
        strbuf_add(out, param->default_text);
        break;
    }
}

static void range_text(const struct param_desc *param, struct strbuf *out)
{
    if (param->type == PARAM_TYPE_U32)
        strbuf_addf(out, "%" PRIu64 "..%" PRIu64, param->min, param->max);
    else if (param->type == PARAM_TYPE_DECIMAL) {
        param_format_decimal(param->min, out);
        strbuf_add(out, "..");
        param_format_decimal(param->max, out);
    } else if (param->type == PARAM_TYPE_BOOL)
        strbuf_add(out, "true, false");
    else if (param->type == PARAM_TYPE_STR)
        strbuf_add(out, "text");
    for (unsigned i = 0; param->type == PARAM_TYPE_ENUM && param->choices[i]; i++)
        strbuf_addf(out, "%s%s", i ? ", " : "", param->choices[i]);
}

void listing_params(const struct param_group *group, struct table *t)
{
    for (unsigned i = 0; i < group->count; i++) {
        const struct param_desc *param = &group->params[i];
        struct strbuf value = {0}, range = {0};
        default_text(param, &value);
        range_text(param, &range);
        table_cell(t, "%s.%s", group->name, param->name);
        table_cell(t, "%s", strbuf_text(&value));
        table_cell(t, "%s", strbuf_text(&range));
        table_cell(t, "%s", param->unit);
        table_cell(t, "%s", param->doc);
        strbuf_free(&value);
        strbuf_free(&range);
    }
}

void listing_params_heading(struct table *t)
{
    static const char *const names[] = {"parameter", "default", "range", "unit", "meaning"};
    for (unsigned i = 0; i < 5; i++)
        table_cell(t, "%s", names[i]);
}

static int list_params(const char *wanted, struct diag_sink *sink)
{
    struct machine machine;
    struct table t;
    const char *names[MACHINE_GROUPS + 1] = {NULL};
    bool found = false;
    if (machine_load(&machine, CLI_DEFAULT_MACHINE, sink) < 0)
        return CLI_FAILED;
    table_init(&t, "lrlll");
    listing_params_heading(&t);
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        names[i] = machine.groups[i].name;
        if (wanted && strcmp(wanted, names[i]) != 0)
            continue;
        listing_params(&machine.groups[i], &t);
        found = true;
    }
    if (found) {
        cli_print_table(&t);
    } else {
        listing_unknown("parameter group", wanted, names, sink);
        table_free(&t);
    }
    machine_free(&machine);
    return found ? CLI_OK : CLI_USAGE;
}

static int params(struct cli_options *options, struct diag_sink *sink)
{
    return list_params(options->rest[0], sink);
}

int cli_params(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_params, 1, cli_params_usage, params);
}
