/* The cards that were measured: hardware/cards.yaml, which names them and says which machines are held against which of
 * them, and the folders beside it, which have their rows. */
#ifndef LOCKSTEP_CLI_HARDWARE_CARDS_H
#define LOCKSTEP_CLI_HARDWARE_CARDS_H

#include "cli/hardware/rows.h"
#include "config/yaml.h"

struct hardware_cards {
    struct arena arena;
    const char *folder; /* of cards.yaml */
    struct strbuf text;
    struct yaml_doc doc;
};

/* A machine is held against a card in a set of kinds. */
struct hardware_hold {
    const char *card;
    unsigned kinds;
};
typedef VEC(struct hardware_hold) hardware_holds;

/* Reads FOLDER/cards.yaml; folder must outlive the cards. Returns 0, or -1 with a diagnostic; hardware_cards_free in
 * either case. */
int hardware_cards_read(struct hardware_cards *cards, const char *folder, struct diag_sink *sink);
void hardware_cards_free(struct hardware_cards *cards);
/* Adds what the table says of a machine, by its name; -1 with a diagnostic that lists what it knows when it says
 * nothing of that one. */
int hardware_holds_of(const struct hardware_cards *cards, const char *machine, hardware_holds *holds,
                      struct diag_sink *sink);
/* Returns the description of the card of that name; NULL with a diagnostic that says which there are. */
const char *hardware_card(const struct hardware_cards *cards, const char *name, struct diag_sink *sink);
/* Adds the rows of a card: of all files of its folder that are named as a program of tools/measure. Returns 0, or -1 with
 * a diagnostic. */
int hardware_card_rows(struct hardware_cards *cards, const char *name, struct hardware_rows *rows,
                       struct diag_sink *sink);

#endif
