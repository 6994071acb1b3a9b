/* `lockstep validate --hardware`: machines beside cards. See hardware.h. */
#include "cli/hardware/hardware.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/hardware/command.h"
#include "cli/listing.h"
#include "cli/process.h"

static int choose_kinds(struct hardware_session *session)
{
    const struct cli_options *o = session->options;
    const char *names[HARDWARE_KINDS + 1] = {NULL};
    int rc = 0;
    for (unsigned i = 0; i < HARDWARE_KINDS; i++)
        names[i] = hardware_kinds[i].name;
    session->kinds = o->kinds.count ? 0 : HARDWARE_ALL;
    for (size_t i = 0; i < o->kinds.count; i++) {
        enum hardware_kind kind = hardware_kind_named(o->kinds.items[i], strlen(o->kinds.items[i]));
        if (kind == HARDWARE_none) {
            listing_unknown("kind of measurement", o->kinds.items[i], names, session->sink);
            rc = -1;
        } else {
            session->kinds |= 1u << kind;
        }
    }
    return rc;
}

const char *hardware_plain_name(struct arena *arena, const char *machine)
{
    const char *slash = strrchr(machine, '/'), *name = slash ? slash + 1 : machine, *dot = strrchr(name, '.');
    return arena_strndup(arena, name, dot && machine_is_file(machine) ? (size_t)(dot - name) : strlen(name));
}

static int add_machine(struct hardware_session *session, const char *machine)
{
    const struct cli_options *o = session->options;
    struct hardware_machine m = {.machine = machine, .name = hardware_plain_name(&session->arena, machine)};
    struct machine loaded;
    if (machine_load(&loaded, machine, session->sink) < 0)
        return -1;
    machine_free(&loaded);
    for (size_t i = 0; i < o->cards.count; i++)
        vec_push(&m.holds, (struct hardware_hold){o->cards.items[i], HARDWARE_ALL});
    int rc = o->cards.count ? 0 : hardware_holds_of(&session->cards, m.name, &m.holds, session->sink);
    for (size_t i = 0; i < m.holds.count; i++)
        m.kinds |= m.holds.items[i].kinds & session->kinds;
    vec_push(&session->machines, m);
    return rc;
}

/* Machines that are named, else all that are held against a card and come with Lockstep. */
static int choose_machines(struct hardware_session *session)
{
    const struct cli_options *o = session->options;
    int rc = o->machine ? add_machine(session, o->machine) : 0;
    for (char *const *name = o->rest; *name; name++)
        rc |= add_machine(session, *name);
    if (session->machines.count || rc < 0)
        return rc;
    for (const char *const *name = machine_names(&session->arena); *name; name++)
        if (yaml_get(yaml_get(session->cards.doc.root, "machines"), *name))
            rc |= add_machine(session, *name);
    if (session->machines.count == 0)
        rc = diag_error(session->sink, DIAG_NOWHERE, "name a machine, and a card: --card NAME",
                        "no machine that comes with Lockstep is held against a card");
    return rc;
}

unsigned hardware_programs_of(const struct hardware_rows *rows, unsigned kinds)
{
    unsigned set = 0;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct hardware_row *row = &rows->list.items[i];
        enum hardware_kind kind = hardware_kind_of(row);
        for (unsigned k = 0; kind != HARDWARE_none && (kinds >> kind & 1) && hardware_programs[k]; k++)
            if (strcmp(hardware_programs[k], row->program) == 0)
                set |= 1u << k;
    }
    return set;
}

static int read_cards(struct hardware_session *session)
{
    int rc = 0;
    for (size_t i = 0; i < session->machines.count; i++) {
        struct hardware_machine *m = &session->machines.items[i];
        for (size_t k = 0; k < m->holds.count; k++) {
            struct hardware_comparison c = {.machine = m,
                                            .card = m->holds.items[k].card,
                                            .kinds = m->holds.items[k].kinds & session->kinds};
            c.card_doc = hardware_card(&session->cards, c.card, session->sink);
            if (!c.card_doc || hardware_card_rows(&session->cards, c.card, &c.there, session->sink) < 0)
                rc = -1;
            m->programs |= hardware_programs_of(&c.there, c.kinds);
            vec_push(&session->comparisons, c);
        }
    }
    return rc;
}

const char *hardware_file(struct hardware_session *session, const char *folder, const struct hardware_machine *machine,
                          const char *program)
{
    return arena_printf(&session->arena, "%s/%s/%s.csv", folder, machine->name, program);
}

/* Reads what was measured before (--measured) in place of running anything. */
static int read_measured(struct hardware_session *session)
{
    int rc = 0;
    for (size_t i = 0; i < session->machines.count; i++)
        for (unsigned k = 0; hardware_programs[k]; k++) {
            struct hardware_machine *m = &session->machines.items[i];
            const char *path = hardware_file(session, session->options->measured, m, hardware_programs[k]);
            struct strbuf text = {0};
            if (access(path, F_OK) == 0 && (rc |= cli_read_file(path, &text, session->sink)) == 0)
                rc |= hardware_parse(&m->here, hardware_programs[k], path, strbuf_text(&text), session->sink);
            strbuf_free(&text);
        }
    return rc;
}

/* True when a kind lies further off than --within allows. */
static bool is_outside(const struct hardware_session *session)
{
    const char *within = session->options->within;
    bool outside = false;
    for (size_t i = 0; within && i < session->comparisons.count; i++)
        for (unsigned k = 0; k < HARDWARE_KINDS; k++) {
            const struct hardware_comparison *c = &session->comparisons.items[i];
            struct hardware_score s = hardware_score(&c->there, &c->pairs, (enum hardware_kind)k);
            double most = strcmp(within, "aim") == 0 ? hardware_kinds[k].aim : strtod(within, NULL);
            if (s.count && s.mean_error > most + HARDWARE_ROUNDING) {
                diag_error(session->sink, DIAG_NOWHERE, NULL, "%s beside %s: %s are %.1f%% off, more than %.0f%%",
                           c->machine->name, c->card, hardware_kinds[k].name, s.mean_error, most);
                outside = true;
            }
        }
    return outside;
}

static int write_results(struct hardware_session *session)
{
    const struct cli_options *o = session->options;
    struct strbuf page = {0};
    int rc = 0;
    if (o->stats) {
        json_t *document = hardware_json(session);
        char *text = json_dumps(document, JSON_INDENT(2));
        strbuf_addf(&page, "%s\n", text ? text : "{}");
        rc = cli_write_file(o->stats, strbuf_text(&page), page.length, session->sink);
        free(text);
        json_decref(document);
    }
    strbuf_free(&page);
    if (o->html) {
        hardware_html(session, &page);
        rc |= cli_write_file(o->html, strbuf_text(&page), page.length, session->sink);
    }
    strbuf_free(&page);
    return rc;
}

static int tell(struct hardware_session *session)
{
    struct table_page page;
    int stream = cli_people(session->options);
    for (size_t i = 0; i < session->comparisons.count; i++) {
        struct hardware_comparison *c = &session->comparisons.items[i];
        hardware_join(&c->there, &c->machine->here, c->kinds, &c->pairs);
    }
    cli_page_begin(&page, stream);
    if (session->options->card_page)
        hardware_card_page(session, &page.text);
    else
        hardware_text(session, &page);
    cli_page_print(&page, stream);
    int rc = write_results(session);
    return is_outside(session) || session->failures.count || rc < 0 ? CLI_FAILED : CLI_OK;
}

/* A number of per cent, or "aim". */
static int check_within(const struct hardware_session *session)
{
    const char *within = session->options->within;
    if (!within || strcmp(within, "aim") == 0 || (*within && !within[strspn(within, "0123456789.")]))
        return 0;
    return diag_error(session->sink, DIAG_NOWHERE, NULL, "--within %s: expected a number of per cent, or aim", within);
}

int hardware_begin(struct hardware_session *session)
{
    const struct cli_options *o = session->options;
    const char *home = process_home(&session->arena, session->sink);
    if (!home)
        return -1;
    session->share = arena_printf(&session->arena, "%s/share/lockstep", home);
    const char *folder = o->reference ? o->reference : arena_printf(&session->arena, "%s/hardware", session->share);
    return choose_kinds(session) < 0 ? -1 : hardware_cards_read(&session->cards, folder, session->sink);
}

static int prepare(struct hardware_session *session)
{
    const struct cli_options *o = session->options;
    const struct cli_place places[] = {{"--html", o->html, CLI_OUTPUT_PAGE}, {"--stats", o->stats, CLI_OUTPUT_STATS}};
    if (check_within(session) < 0 || cli_check_places(places, 2, session->sink) < 0 || hardware_begin(session) < 0 ||
        choose_machines(session) < 0)
        return -1;
    return read_cards(session);
}

void hardware_end(struct hardware_session *session)
{
    for (size_t i = 0; i < session->comparisons.count; i++) {
        hardware_rows_free(&session->comparisons.items[i].there);
        vec_free(&session->comparisons.items[i].pairs);
    }
    for (size_t i = 0; i < session->machines.count; i++) {
        hardware_rows_free(&session->machines.items[i].here);
        vec_free(&session->machines.items[i].holds);
    }
    vec_free(&session->comparisons);
    vec_free(&session->machines);
    vec_free(&session->failures);
    hardware_cards_free(&session->cards);
    arena_free(&session->arena);
}

int cli_validate_hardware(const struct cli_options *options, struct diag_sink *sink)
{
    struct hardware_session session = {.options = options, .sink = sink};
    int code = CLI_USAGE, stopped = 0;
    if (prepare(&session) == 0 &&
        (options->measured ? read_measured(&session) : hardware_measure(&session, &stopped)) == 0 && !stopped)
        code = tell(&session);
    hardware_end(&session);
    if (stopped)
        process_die(stopped);
    return code;
}
