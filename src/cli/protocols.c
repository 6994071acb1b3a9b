/* `lockstep protocols`: the coherence protocols, and the tables that one consists of. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/listing.h"
#include "memory/coherence/protocol.h"
#include "report/table.h"

const char cli_protocols_usage[] =
    "usage: lockstep protocols                 lists the coherence protocols\n"
    "       lockstep protocols NAME            prints the tables of one\n"
    "       lockstep protocols NAME RESULT     the same, with how often a run took each transition\n"
    "\n"
    "A run has a protocol with --set coherence.protocol=NAME. RESULT is what --stats RESULT.json wrote of one\n"
    "with --set coherence.count=true; its kernels are summed up.\n";

static int list_protocols(void)
{
    struct table t;
    table_init(&t, "ll");
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++) {
        table_cell(&t, "%s%s", (*p)->name, p == coherence_list() ? " (default)" : "");
        table_cell(&t, "%s", (*p)->doc);
    }
    cli_print_table(&t);
    return CLI_OK;
}

/* How often the kernels of a result took a transition. */
static json_int_t taken(const json_t *document, const char *side, const char *event, const char *state)
{
    const json_t *kernels = json_object_get(document, "kernels");
    json_int_t sum = 0;
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *transitions = json_object_get(json_array_get(kernels, i), "transitions");
        const json_t *events = json_object_get(transitions, side);
        sum += json_integer_value(json_object_get(json_object_get(events, event), state));
    }
    return sum;
}

/* In the order in which they are taken. */
static void add_actions(const struct coherence_words *words, uint64_t actions, struct strbuf *out)
{
    const char *comma = "";
    for (; actions; actions >>= 8, comma = "; ")
        strbuf_addf(out, "%s%s", comma, words->actions[(actions & 0xff) - 1].word);
}

static void print_table(const struct coherence_words *words, const struct coherence_table *table,
                        const json_t *document, struct table_page *page)
{
    static const char *const heading[] = {"event", "state", "next", "actions", "taken"};
    struct table t;
    table_init(&t, document ? "llllr" : "llll");
    for (unsigned i = 0; i < (document ? 5 : 4); i++)
        table_cell(&t, "%s", i == 0 ? words->side : heading[i]);
    for (unsigned i = 0; i < table->count; i++) {
        const struct coherence_row *row = &table->rows[i];
        struct strbuf actions = {0};
        const char *event = words->events[row->event].word, *state = coherence_state_word(words, row->state)->word;
        add_actions(words, row->actions, &actions);
        table_cell(&t, "%s", event);
        table_cell(&t, "%s", state);
        table_cell(&t, "%s", row->next == COHERENCE_ANY ? "as it is" : coherence_state_word(words, row->next)->word);
        table_cell(&t, "%s", strbuf_text(&actions));
        if (document)
            table_cell(&t, "%lld", (long long)taken(document, words->side, event, state));
        strbuf_free(&actions);
    }
    table_text(&t, page);
    strbuf_add(&page->text, "\n");
    table_free(&t);
}

static void print_words(const char *what, const struct coherence_word *words, struct table_page *page)
{
    struct table t;
    table_init(&t, "ll");
    for (unsigned i = 0; words[i].word; i++) {
        table_cell(&t, "%s", words[i].word);
        table_cell(&t, "%s", words[i].doc);
    }
    strbuf_addf(&page->text, "%s\n", what);
    table_text(&t, page);
    strbuf_add(&page->text, "\n");
    table_free(&t);
}

static void print_actions(const struct coherence_words *words, struct table_page *page)
{
    struct table t;
    table_init(&t, "ll");
    for (const struct coherence_action *action = words->actions; action->word; action++) {
        table_cell(&t, "%s", action->word);
        table_cell(&t, "%s", action->doc);
    }
    strbuf_addf(&page->text, "%s: actions\n", words->side);
    table_text(&t, page);
    strbuf_add(&page->text, "\n");
    table_free(&t);
}

/* Prints the actions of an L1 on each order, then those of a slice on an access at remote scope. */
static void print_orders(const struct coherence_protocol *protocol, struct strbuf *out)
{
    strbuf_add(out, "orders\n");
    for (unsigned i = 0; i < L1_ORDERS; i++) {
        const char *comma = "";
        strbuf_addf(out, "%s: ", coherence_orders[i].word);
        for (unsigned k = 0; k < L1_ORDER_ACTIONS; k++)
            if (protocol->orders[i] >> k & 1) {
                strbuf_addf(out, "%s%s (%s)", comma, coherence_order_actions[k].word, coherence_order_actions[k].doc);
                comma = ", then ";
            }
        strbuf_add(out, *comma ? "\n" : "nothing\n");
    }
}

static void print_remote(const struct coherence_registration *registration, struct strbuf *out)
{
    static const char *const accesses[] = {"load", "store", "other atomic access"};
    strbuf_add(out, "\naccesses at remote scope, in the slice\n");
    for (unsigned i = 0; i < 3; i++) {
        const char *comma = "";
        strbuf_addf(out, "%s: ", accesses[i]);
        for (const uint8_t *phase = registration->remote[i]; *phase != REMOTE_END; phase++, comma = ", ")
            strbuf_addf(out, "%s%s", comma, coherence_phases[*phase].word);
        strbuf_add(out, *comma ? "\n" : "as others\n");
    }
}

static void print_side(const struct coherence_words *words, struct table_page *page)
{
    static const char *const what[] = {"states", "events"};
    const struct coherence_word *const lists[] = {words->states, words->events};
    for (unsigned i = 0; i < 2; i++) {
        struct strbuf heading = {0};
        strbuf_addf(&heading, "%s: %s", words->side, what[i]);
        print_words(strbuf_text(&heading), lists[i], page);
        strbuf_free(&heading);
    }
    print_actions(words, page);
}

static void print_protocol(const struct coherence_protocol *protocol, const json_t *document)
{
    struct table_page page;
    const struct coherence_words *words;
    cli_page_begin(&page, STDOUT_FILENO);
    strbuf_addf(&page.text, "%s: %s\n\n", protocol->name, protocol->doc);
    for (unsigned side = 0; side < COHERENCE_SIDES; side++) {
        const struct coherence_table *table = coherence_side_of(protocol, side, &words);
        if (table)
            print_table(words, table, document, &page);
    }
    for (unsigned side = 0; side < COHERENCE_SIDES; side++)
        if (coherence_side_of(protocol, side, &words))
            print_side(words, &page);
    print_orders(protocol, &page.text);
    if (protocol->registration)
        print_remote(protocol->registration, &page.text);
    cli_page_print(&page, STDOUT_FILENO);
}

/* The protocol that a result's kernels ran under, if they counted its transitions, or NULL. */
static const char *counted_protocol(const json_t *document)
{
    const json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    return json_string_value(json_object_get(json_object_get(kernel, "transitions"), "protocol"));
}

/* Reads a result of a run under the protocol; NULL, explained, when it is none. */
static json_t *load_result(const char *path, const char *protocol, struct diag_sink *sink)
{
    struct strbuf text = {0};
    json_error_t error;
    struct diag_pos pos = {path, 0, 0};
    if (file_read(path, FILE_TEXT_MOST, &text, sink) < 0)
        return NULL;
    json_t *document = json_loadb(strbuf_text(&text), text.length, 0, &error);
    const char *ran = counted_protocol(document);
    strbuf_free(&text);
    if (!document) {
        pos = (struct diag_pos){path, error.line > 0 ? (uint32_t)error.line : 0,
                                error.column > 0 ? (uint32_t)error.column : 0};
        diag_error(sink, pos, NULL, "not a result: %s", error.text);
    } else if (!ran) {
        diag_error(sink, pos, "run with --set coherence.count=true and --stats FILE.json",
                   "the result has no counts of transitions");
    } else if (strcmp(ran, protocol) != 0) {
        diag_error(sink, pos, NULL, "the result is of a run under protocol %s, not %s", ran, protocol);
    } else {
        return document;
    }
    json_decref(document);
    return NULL;
}

static int unknown_protocol(const char *name, struct diag_sink *sink)
{
    const char *names[32];
    unsigned count = 0;
    for (const struct coherence_protocol *const *p = coherence_list(); *p && count < 31; p++)
        names[count++] = (*p)->name;
    names[count] = NULL;
    listing_unknown("coherence protocol", name, names, sink);
    return CLI_USAGE;
}

static int protocols(struct cli_options *options, struct diag_sink *sink)
{
    const char *name = options->rest[0], *path = name ? options->rest[1] : NULL;
    if (!name)
        return list_protocols();
    const struct coherence_protocol *protocol = *name ? coherence_find(name) : NULL;
    if (!protocol)
        return unknown_protocol(name, sink);
    json_t *document = path ? load_result(path, name, sink) : NULL;
    if (path && !document)
        return CLI_USAGE;
    print_protocol(protocol, document);
    json_decref(document);
    return CLI_OK;
}

int cli_protocols(int argc, char **argv)
{
    return cli_listing(argc, argv, CLI_ACCEPTS_protocols, 2, cli_protocols_usage, protocols);
}
