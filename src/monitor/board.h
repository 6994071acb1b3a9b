/* The board between a run and who watches it, in memory that two processes share: the simulating thread hangs up what
 * is to be seen, as text, and takes down what it is asked for. Either process may be killed at any time. */
#ifndef LOCKSTEP_MONITOR_BOARD_H
#define LOCKSTEP_MONITOR_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"

#define MONITOR_TEXT_MOST (1u << 20) /* bytes of what is to be seen */

struct monitor_board;

/* Makes one. *file receives an open file by which another process can open it, and which the caller closes. NULL with a
 * diagnostic. */
struct monitor_board *monitor_board_create(int *file, struct diag_sink *sink);
/* The one behind that file, which another process has open; NULL: there is none. */
struct monitor_board *monitor_board_open(const char *path);
void monitor_board_close(struct monitor_board *board);

enum monitor_wish {
    MONITOR_RUN,
    MONITOR_PAUSE,
    MONITOR_STEP,   /* some cycles, then pause */
    MONITOR_WINDOW, /* to the end of the engine's next window, then pause */
};
/* The newest wish holds; each has a number, from 1. */
struct monitor_order {
    uint32_t number; /* 0: nobody has wished anything */
    enum monitor_wish wish;
    uint64_t cycles;
    uint32_t checkpoints; /* that were asked for so far */
};

/* For who watches: asks for something. Returns the order's number, or how many checkpoints have been asked for. */
uint32_t monitor_board_ask(struct monitor_board *board, enum monitor_wish wish, uint64_t cycles);
uint32_t monitor_board_ask_checkpoint(struct monitor_board *board);
/* Appends what hangs there; nothing: nothing has been hung up. */
void monitor_board_read(struct monitor_board *board, struct strbuf *out);

/* For who simulates. */
void monitor_board_order(struct monitor_board *board, struct monitor_order *order);
/* Changes with every wish. Costs nothing. */
uint32_t monitor_board_changes(const struct monitor_board *board);
/* Waits until that is no longer `seen`, so many seconds at most. */
void monitor_board_wait(struct monitor_board *board, uint32_t seen, double seconds);
/* Hangs up a text of MONITOR_TEXT_MOST bytes at most. */
void monitor_board_show(struct monitor_board *board, const char *text, size_t bytes);

#endif
