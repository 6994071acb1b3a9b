/* Terminals that our streams may be connected to. They are asked anew each time: a window changes its size, and nothing
 * is kept. */
#ifndef LOCKSTEP_BASE_TERMINAL_H
#define LOCKSTEP_BASE_TERMINAL_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Columns of the terminal that the open file `stream` is: as the terminal says, else COLUMNS of the environment, else
 * 80. 0 when it is no terminal: then nothing needs to fit anything. */
unsigned terminal_columns(int stream);
/* Returns true if the stream is a terminal that may be given colours: TERM is not "dumb", and NO_COLOR is empty or not
 * set. */
bool terminal_colours(int stream);

/* Few colours with a meaning each. */
enum terminal_paint { TERMINAL_GOOD, TERMINAL_BAD, TERMINAL_CARE, TERMINAL_ADVICE, TERMINAL_STRONG };

/* The sequences that begin a colour, and that end each of them. */
const char *terminal_begin(enum terminal_paint paint);
const char *terminal_end(void);

/* The sequence that takes away what stands in the cursor's line, and brings the cursor to its start. */
const char *terminal_erase(void);

/* Appends diagnostics that diag_format_all has written, with the words error, warning, note and hint of each in
 * colour. */
void terminal_paint_diags(const char *formatted, struct strbuf *out);

#endif
