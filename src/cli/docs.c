/* `lockstep docs DIRECTORY`: the pages of docs/ that are made from tables, or manual pages, or completions for shells.
 * Not listed in the help: it is for who changes a table, and for the build. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/listing.h"
#include "isa/op.h"
#include "report/figures.h"
#include "report/table.h"

#define GENERATED "<!-- Written by `lockstep docs docs` from the tables in src/: edit those. -->\n"

static void end_table(struct table *t, struct strbuf *out)
{
    table_markdown(t, out);
    table_free(t);
    strbuf_add(out, "\n");
}

static int parameters_page(struct strbuf *out, struct diag_sink *sink)
{
    struct machine machine;
    if (machine_load(&machine, CLI_DEFAULT_MACHINE, sink) < 0)
        return -1;
    strbuf_add(
        out, GENERATED
        "\n# Parameters\n\n"
        "Every parameter of a machine, set in a machine file (`machines/*.yaml`, `lockstep machines NAME`) or with\n"
        "`--set group.name=value`. Defaults are those of the tables; a machine file may give others.\n\n");
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        struct table t;
        strbuf_addf(out, "## %s: %s\n\n", machine.groups[i].name, machine.groups[i].doc);
        table_init(&t, "lrlll");
        listing_params_heading(&t);
        listing_params(&machine.groups[i], &t);
        end_table(&t, out);
    }
    machine_free(&machine);
    return 0;
}

static void figures_table(struct strbuf *out)
{
    struct table t;
    table_init(&t, "lll");
    table_cell(&t, "figure");
    table_cell(&t, "unit");
    table_cell(&t, "meaning");
    for (unsigned i = 0; i < figures_doc_count; i++) {
        table_cell(&t, "%s", figures_docs[i].name);
        table_cell(&t, "%s", figures_docs[i].unit);
        table_cell(&t, "%s", figures_docs[i].doc);
    }
    end_table(&t, out);
}

static int statistics_page(struct strbuf *out, struct diag_sink *sink)
{
    (void)sink;
    struct gpu_result result;
    unsigned count;
    gpu_result_blank(&result);
    const struct gpu_stat_set *sets = gpu_result_sets(&result, &count);
    strbuf_add(
        out, GENERATED
        "\n# Statistics\n\n"
        "What a result holds for each kernel (`--stats FILE`), added up over the units of a kind. What was not\n"
        "measured is null in JSON and empty in CSV, and `not_measured` says why: in functional mode everything but\n"
        "what is marked here as [functional mode too], `warp_instructions`, `thread_instructions` and\n"
        "`simd_efficiency`; and otherwise what is marked [when ...], where that is not so.\n\n");
    figures_table(out);
    for (unsigned i = 0; i < count; i++) {
        struct table t;
        strbuf_addf(out, "## %s: %s\n\n", sets[i].group->name, sets[i].group->doc);
        table_init(&t, "lll");
        listing_stats_heading(&t);
        listing_stats(sets[i].group, &t);
        end_table(&t, out);
    }
    gpu_result_free(&result);
    return 0;
}

static int events_page(struct strbuf *out, struct diag_sink *sink)
{
    (void)sink;
    struct table t;
    strbuf_add(out, GENERATED "\n# Events\n\n"
                              "What an SM tells observers of ([observers](observers.md)). An event NAME comes as a "
                              "`struct lockstep_NAME_event`\n"
                              "with the fields below to the function NAME of a `struct lockstep_observer`.\n\n");
#define EVENT(name, doc)                                                                                               \
    strbuf_addf(out, "## %s\n\nTold when %s.\n\n", #name, doc);                                                        \
    table_init(&t, "lll");                                                                                             \
    table_cell(&t, "field");                                                                                           \
    table_cell(&t, "type");                                                                                            \
    table_cell(&t, "meaning");
#define FIELD(type, name, doc)                                                                                         \
    table_cell(&t, "%s", #name);                                                                                       \
    table_cell(&t, "%s", #type);                                                                                       \
    table_cell(&t, "%s", doc);
#define EVENT_END(name) end_table(&t, out);
#include "lockstep/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END
    return 0;
}

/* The classes of the type column of op.def. */
static const struct {
    char letter;
    const char *text;
} type_classes[] = {
    {'i', "integers of 16 to 64 bits"},
    {'I', "integers of 32, 64 bits"},
    {'f', "f32 f64"},
    {'F', "f16 bf16 f32 f64 and packed pairs"},
    {'h', "f16 f16x2 bf16 bf16x2"},
    {'b', "b16 b32 b64"},
    {'B', "b32 b64"},
    {'p', "pred"},
    {'m', "8 to 128 bits"},
    {'w', "32 bits"},
    {'*', "any but pred"},
    {'-', "none"},
};

static void types_text(const char *types, struct strbuf *out)
{
    bool first = true, all_floats = strchr(types, 'F') != NULL;
    for (; *types; types++) {
        const char *text = NULL;
        if (*types == 'f' && all_floats)
            continue;
        for (size_t i = 0; i < sizeof type_classes / sizeof *type_classes; i++)
            if (type_classes[i].letter == *types)
                text = type_classes[i].text;
        if (*types == ' ')
            strbuf_add(out, "; then ");
        else
            strbuf_addf(out, "%s%s", first ? "" : ", ", text ? text : "?");
        first = *types == ' ';
    }
}

static const char *const field_names[] = {
#define FIELD(id, member) #member,
#include "isa/fields.def"
#undef FIELD
};

static void fields_text(enum isa_op op, struct strbuf *out)
{
    uint8_t fields[ISA_FIELD_COUNT];
    unsigned count = isa_op_fields(op, fields);
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(out, "%s%s", i ? " " : "", field_names[fields[i]]);
}

static void opcode_table(struct strbuf *out)
{
    struct table t;
    static const char *const heading[] = {"instruction", "types", "modifiers", "what it does"};
    table_init(&t, "llll");
    for (unsigned i = 0; i < 4; i++)
        table_cell(&t, "%s", heading[i]);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = isa_op_info((enum isa_op)op);
        struct strbuf types = {0}, fields = {0};
        types_text(info->types, &types);
        fields_text((enum isa_op)op, &fields);
        table_cell(&t, "`%s`", info->text);
        table_cell(&t, "%s", strbuf_text(&types));
        table_cell(&t, "%s", strbuf_text(&fields));
        table_cell(&t, "%s", info->doc);
        strbuf_free(&types);
        strbuf_free(&fields);
    }
    end_table(&t, out);
}

static void modifier_table(struct strbuf *out)
{
    struct table t;
    unsigned count;
    const struct isa_mod_info *mods = isa_mod_table(&count);
    table_init(&t, "ll");
    table_cell(&t, "modifier");
    table_cell(&t, "values");
    for (unsigned field = 0; field < ISA_FIELD_COUNT; field++) {
        struct strbuf values = {0};
        for (unsigned i = 0; i < count; i++)
            if (mods[i].field == field && *mods[i].text)
                strbuf_addf(&values, "%s`.%s`", values.length ? " " : "", mods[i].text);
        table_cell(&t, "%s", field_names[field]);
        table_cell(&t, "%s", strbuf_text(&values));
        strbuf_free(&values);
    }
    end_table(&t, out);
}

static void register_table(struct strbuf *out)
{
    struct table t;
    table_init(&t, "lrl");
    table_cell(&t, "register");
    table_cell(&t, "bits");
    table_cell(&t, "what it holds");
    for (unsigned i = 0; i < ISA_SREG_COUNT; i++) {
        const struct isa_sreg_info *info = isa_sreg_info((enum isa_sreg)i);
        table_cell(&t, "`%s`", info->text);
        table_cell(&t, "%u", info->bits);
        table_cell(&t, "%s", info->doc);
    }
    end_table(&t, out);
}

static int opcodes_page(struct strbuf *out, struct diag_sink *sink)
{
    (void)sink;
    strbuf_add(out, GENERATED "\n# PTX instructions\n\n"
                              "The instructions Lockstep simulates, as PTX writes them. Whatever else PTX has is "
                              "refused when a kernel that can reach\n"
                              "it is launched, with its source line. Those that begin with `lockstep.` are Lockstep's "
                              "own.\n\n"
                              "mbarriers and copies beside the warp: [async.md](async.md). The video\n"
                              "instructions (`vadd` to `vset4`) read whole operands: selected parts of them "
                              "(`%r1.b0`), a masked destination and `-%r1` are\n"
                              "refused like what is not here. They take the time of one addition, comparison, shift or "
                              "multiply-add.\n\n");
    opcode_table(out);
    strbuf_add(out, "## Modifiers\n\n");
    modifier_table(out);
    strbuf_add(out, "## Special registers\n\n");
    register_table(out);
    return 0;
}

static int write_page(const char *directory, const char *name, int (*page)(struct strbuf *, struct diag_sink *),
                      struct diag_sink *sink)
{
    struct strbuf text = {0}, path = {0};
    strbuf_addf(&path, "%s/%s.md", directory, name);
    int rc = page(&text, sink);
    while (text.length > 1 && text.text[text.length - 1] == '\n' && text.text[text.length - 2] == '\n')
        text.text[--text.length] = '\0';
    if (rc == 0)
        rc = file_write(path.text, strbuf_text(&text), text.length, sink);
    strbuf_free(&text);
    strbuf_free(&path);
    return rc;
}

const char cli_docs_usage[] =
    "usage: lockstep docs [--man|--completion] DIRECTORY\n"
    "\n"
    "Writes the pages opcodes.md, parameters.md, statistics.md and events.md, which follow from tables.\n"
    "\n"
    "  --man                  in their place manual pages: lockstep.1 and one for each command\n"
    "  --completion           in their place completions for bash, zsh and fish\n";

static int write_pages(const char *folder, struct diag_sink *sink)
{
    return write_page(folder, "opcodes", opcodes_page, sink) | write_page(folder, "parameters", parameters_page, sink) |
           write_page(folder, "statistics", statistics_page, sink) | write_page(folder, "events", events_page, sink);
}

static int docs(struct cli_options *options, struct diag_sink *sink)
{
    const char *folder = options->rest[0];
    if (!folder) {
        diag_error(sink, DIAG_NOWHERE, "lockstep docs --help", "lockstep docs needs a directory");
        return CLI_USAGE;
    }
    int rc = options->man          ? manual_write(folder, sink)
             : options->completion ? completion_write(folder, sink)
                                   : write_pages(folder, sink);
    return rc == 0 ? CLI_OK : CLI_FAILED;
}

int cli_docs(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_docs, 1, cli_docs_usage, docs);
}
