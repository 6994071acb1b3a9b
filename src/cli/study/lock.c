/* One study at a time works in a results folder: its database, the files of its runs and its page are one. Whoever
 * comes second waits. The lock is the system's, and ends with the process that holds it, however that ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "cli/study/study.h"

/* Asks again ten times a second. */
static bool wait_for(struct study *study)
{
    const struct timespec pause = {0, 100000000};
    double until = host_seconds() + study->wait;
    fprintf(stderr, "lockstep study: another lockstep study is at work in %s: waiting for it\n", study->work);
    while (host_seconds() < until) {
        nanosleep(&pause, NULL);
        if (flock(study->lock, LOCK_EX | LOCK_NB) == 0)
            return true;
    }
    return false;
}

int study_lock(struct study *study)
{
    const char *path = arena_printf(&study->arena, "%s/cache/lock", study->work);
    study->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (study->lock < 0)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot create %s: %s", path, strerror(errno));
    if (flock(study->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) /* a file system without locks has none */
        return 0;
    if (wait_for(study))
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, "--wait SECONDS waits longer, --out FOLDER chooses another folder",
                      "another lockstep study is still at work in %s after %.0f seconds", study->work, study->wait);
}

void study_unlock(struct study *study)
{
    if (study->lock >= 0)
        close(study->lock);
    study->lock = -1;
}
