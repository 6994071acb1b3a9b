/* The cards that were measured: see cards.h. */
#include "cli/hardware/cards.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/listing.h"

#define TABLE "cards.yaml"

int hardware_cards_read(struct hardware_cards *cards, const char *folder, struct diag_sink *sink)
{
    *cards = (struct hardware_cards){.folder = folder};
    const char *path = arena_printf(&cards->arena, "%s/" TABLE, folder);
    if (access(path, R_OK) < 0)
        return diag_error(sink, DIAG_NOWHERE, "--reference DIR: a folder with " TABLE " and a folder for each card",
                          "no measurements of cards: %s is not there", path);
    if (file_read(path, FILE_TEXT_MOST, &cards->text, sink) < 0)
        return -1;
    return yaml_parse(&cards->doc, &cards->arena, path, strbuf_text(&cards->text), cards->text.length, sink);
}

void hardware_cards_free(struct hardware_cards *cards)
{
    strbuf_free(&cards->text);
    arena_free(&cards->arena);
}

/* The entry of a table by its key; NULL with a diagnostic of its keys. */
static const struct yaml_node *entry(const struct hardware_cards *cards, const char *table, const char *what,
                                     const char *name, struct diag_sink *sink)
{
    const struct yaml_node *entries = yaml_get(cards->doc.root, table), *found = yaml_get(entries, name);
    VEC(const char *) names = {0};
    if (found)
        return found;
    for (const struct yaml_node *e = entries ? entries->children : NULL; e; e = e->next)
        if (e->key)
            vec_push(&names, e->key->text);
    vec_push(&names, NULL);
    listing_unknown(what, name, names.items, sink);
    vec_free(&names);
    return NULL;
}

/* A set of kinds: names with commas between them, or "all". */
static int kinds_of(const struct hardware_cards *cards, const struct yaml_node *node, unsigned *kinds,
                    struct diag_sink *sink)
{
    *kinds = 0;
    if (node->kind != YAML_SCALAR)
        return yaml_error(&cards->doc, node, sink, NULL, "expected kinds, such as: rates, latencies");
    for (const char *at = node->text; *at;) {
        size_t length = strcspn(at, ", ");
        enum hardware_kind kind = hardware_kind_named(at, length);
        if (length == 3 && strncmp(at, "all", 3) == 0)
            *kinds = HARDWARE_ALL;
        else if (kind == HARDWARE_none)
            return yaml_error(&cards->doc, node, sink, NULL, "no kind of measurement: %.*s", (int)length, at);
        else
            *kinds |= 1u << kind;
        at += length + strspn(at + length, ", ");
    }
    return 0;
}

int hardware_holds_of(const struct hardware_cards *cards, const char *machine, hardware_holds *holds,
                      struct diag_sink *sink)
{
    const struct yaml_node *list = entry(cards, "machines", "machine that is held against a card", machine, sink);
    if (!list)
        return -1;
    for (const struct yaml_node *e = list->children; e; e = e->next) {
        struct hardware_hold hold = {e->key ? e->key->text : "", 0};
        if (kinds_of(cards, e, &hold.kinds, sink) < 0)
            return -1;
        vec_push(holds, hold);
    }
    return 0;
}

const char *hardware_card(const struct hardware_cards *cards, const char *name, struct diag_sink *sink)
{
    const struct yaml_node *card = entry(cards, "cards", "card with measurements", name, sink);
    return card ? card->text : NULL;
}

int hardware_card_rows(struct hardware_cards *cards, const char *name, struct hardware_rows *rows,
                       struct diag_sink *sink)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && hardware_programs[i]; i++) {
        struct strbuf text = {0};
        const char *path =
            arena_printf(&cards->arena, "%s/%s/%s.csv", cards->folder, name, hardware_programs[i]);
        if (access(path, F_OK) == 0) {
            rc = file_read(path, FILE_TEXT_MOST, &text, sink);
            if (rc == 0)
                rc = hardware_parse(rows, hardware_programs[i], path, strbuf_text(&text), sink);
        }
        strbuf_free(&text);
    }
    if (rc == 0 && rows->list.count == 0)
        rc = diag_error(sink, DIAG_NOWHERE, NULL, "no measurements of %s in %s/%s", name, cards->folder, name);
    return rc;
}
