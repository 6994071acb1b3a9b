/* The board lies in a file in memory. Its lock is robust: a process that is killed while it has it leaves it to the
 * other, which at worst reads a text that is not whole, once. Who waits does so at a word of the kernel's (a futex),
 * which knows nothing of who else waits: a condition variable would, and would wait for one that was killed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create, syscall */
#endif
#include "monitor/board.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct monitor_board {
    pthread_mutex_t lock;     /* of all but `changes` */
    _Atomic uint32_t changes; /* wishes so far; who waits does so here */
    struct monitor_order order;
    uint32_t length;
    char text[MONITOR_TEXT_MOST];
};

static void lock(struct monitor_board *board)
{
    if (pthread_mutex_lock(&board->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&board->lock);
}

static void unlock(struct monitor_board *board)
{
    pthread_mutex_unlock(&board->lock);
}

static struct monitor_board *map(int file)
{
    void *map = mmap(NULL, sizeof(struct monitor_board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return map == MAP_FAILED ? NULL : map;
}

struct monitor_board *monitor_board_create(int *file, struct diag_sink *sink)
{
    pthread_mutexattr_t how;
    *file = memfd_create("lockstep monitor", MFD_CLOEXEC);
    struct monitor_board *board = *file >= 0 && ftruncate(*file, sizeof(struct monitor_board)) == 0 ? map(*file) : NULL;
    if (!board) {
        diag_error(sink, DIAG_NOWHERE, NULL, "cannot make memory for the monitor: %s", strerror(errno));
        if (*file >= 0)
            close(*file);
        *file = -1;
        return NULL;
    }
    pthread_mutexattr_init(&how);
    pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&board->lock, &how);
    pthread_mutexattr_destroy(&how);
    return board;
}

struct monitor_board *monitor_board_open(const char *path)
{
    struct stat info;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    bool whole = fstat(file, &info) == 0 && info.st_size == (off_t)sizeof(struct monitor_board);
    struct monitor_board *board = whole ? map(file) : NULL;
    close(file);
    return board;
}

void monitor_board_close(struct monitor_board *board)
{
    if (board)
        munmap(board, sizeof *board);
}

static void tell(struct monitor_board *board)
{
    atomic_fetch_add(&board->changes, 1);
    syscall(SYS_futex, &board->changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

uint32_t monitor_board_ask(struct monitor_board *board, enum monitor_wish wish, uint64_t cycles)
{
    lock(board);
    board->order.wish = wish;
    board->order.cycles = cycles;
    uint32_t number = ++board->order.number;
    unlock(board);
    tell(board);
    return number;
}

uint32_t monitor_board_ask_checkpoint(struct monitor_board *board)
{
    lock(board);
    uint32_t number = ++board->order.checkpoints;
    unlock(board);
    tell(board);
    return number;
}

void monitor_board_read(struct monitor_board *board, struct strbuf *out)
{
    lock(board);
    strbuf_addn(out, board->text, board->length < sizeof board->text ? board->length : 0);
    unlock(board);
}

void monitor_board_order(struct monitor_board *board, struct monitor_order *order)
{
    lock(board);
    *order = board->order;
    unlock(board);
}

uint32_t monitor_board_changes(const struct monitor_board *board)
{
    return atomic_load_explicit(&board->changes, memory_order_relaxed);
}

void monitor_board_wait(struct monitor_board *board, uint32_t seen, double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    syscall(SYS_futex, &board->changes, FUTEX_WAIT, seen, &time, NULL, 0);
}

void monitor_board_show(struct monitor_board *board, const char *text, size_t bytes)
{
    lock(board);
    board->length = 0;
    memcpy(board->text, text, bytes);
    board->length = (uint32_t)bytes;
    unlock(board);
}
