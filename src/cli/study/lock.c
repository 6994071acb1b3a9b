/* One study at a time works in a results folder: its database, the files of its runs and its page are one. Whoever
 * comes second is told so. The lock is the system's, and ends with the process that holds it, however that ends. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/study/study.h"

int study_lock(struct study *study)
{
    const char *path = arena_printf(&study->arena, "%s/cache/lock", study->out);
    study->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (study->lock < 0)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot create %s: %s", path, strerror(errno));
    if (flock(study->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) /* a file system without locks has none */
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, "wait for it, or choose another folder by --out",
                      "another lockstep study is at work in %s", study->out);
}

void study_unlock(struct study *study)
{
    if (study->lock >= 0)
        close(study->lock);
    study->lock = -1;
}
