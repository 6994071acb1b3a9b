/* Rows of protocol tables, held against what their actions do to a line (struct coherence_action): a row whose next
 * state is another one than its actions bring is a fault of the table, and found before anything runs. */
#include <string.h>

#include "memory/coherence/protocol.h"

static unsigned count_of(const struct coherence_word *words)
{
    unsigned count = 0;
    while (words[count].word)
        count++;
    return count;
}

static unsigned count_of_actions(const struct coherence_words *words)
{
    unsigned count = 0;
    while (words->actions[count].word)
        count++;
    return count;
}

static bool has(const char *letters, char letter)
{
    return *letters == '*' || strchr(letters, letter);
}

/* True: the states of an action's `to` come about by the action. */
static bool brings(const struct coherence_action *action)
{
    return *action->to != '*' && *action->to != '~';
}

static bool is_known(const struct coherence_words *words, const struct coherence_row *row)
{
    unsigned states = count_of(words->states), actions = count_of_actions(words);
    for (uint64_t rest = row->actions; rest; rest >>= 8)
        if ((rest & 0xff) == 0 || (rest & 0xff) > actions)
            return false;
    return row->event < count_of(words->events) && (row->state < states || row->state == COHERENCE_ANY) &&
           (row->next < states || row->next == COHERENCE_ANY);
}

static bool can_be_refused(const struct coherence_action *action)
{
    return *action->from == '?';
}

const char *coherence_row_fault(const struct coherence_words *words, const struct coherence_row *row)
{
    if (!is_known(words, row))
        return "a state, an event or an action that this side does not have";
    char from = row->state == COHERENCE_ANY ? '*' : *words->states[row->state].word;
    char next = row->next == COHERENCE_ANY ? '.' : *words->states[row->next].word;
    bool brought = row->next == COHERENCE_ANY || row->next == row->state || strchr(words->enters, next);
    bool acted = false;
    for (uint64_t rest = row->actions; rest; rest >>= 8) {
        const struct coherence_action *action = &words->actions[(rest & 0xff) - 1];
        if (can_be_refused(action) && acted)
            return "an action that can be refused behind one that cannot";
        acted |= !can_be_refused(action);
        if (!has(action->from + can_be_refused(action), from))
            return "an action that cannot be taken in the row's state";
        if (!has(action->to, next))
            return "a next state other than what an action makes of the line";
        brought |= brings(action);
    }
    return brought ? NULL : "a next state that no action of the row brings";
}

const char *coherence_table_fault(const struct coherence_words *words, const struct coherence_table *table,
                                  const struct coherence_row **row)
{
    for (unsigned i = 0; i < table->count; i++) {
        const char *fault = coherence_row_fault(words, &table->rows[i]);
        for (unsigned k = 0; k < i && !fault; k++)
            if (table->rows[k].event == table->rows[i].event &&
                (table->rows[k].state == table->rows[i].state || table->rows[k].state == COHERENCE_ANY ||
                 table->rows[i].state == COHERENCE_ANY))
                fault = "a second row for a state and an event";
        if (fault && row)
            *row = &table->rows[i];
        if (fault)
            return fault;
    }
    return NULL;
}
