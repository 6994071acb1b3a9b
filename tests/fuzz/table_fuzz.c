/* Tables of a study from anywhere: a file of comma-separated values becomes one table of the database, or an error; it
 * makes nothing else there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/lockstep-table-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

static void store(const uint8_t *data, size_t size)
{
    static bool made;
    if (!made && (mkstemp(path) < 0 || atexit(remove_file) != 0))
        abort();
    made = true;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* How much is temporary in the database. */
static int64_t made(struct study *study)
{
    return study_count(study, "SELECT count(*) FROM sqlite_temp_master");
}

/* The database is made once: its tables have hundreds of columns. */
static struct study *opened(struct diag_sink *sink)
{
    static struct study study = {.lock = -1, .folder = "/tmp", .build = ""};
    study.sink = sink;
    if (!study.db) {
        vec_push(&study.imports, ((struct study_import){.name = "t", .file = path + sizeof "/tmp"}));
        if (study_open(&study, ":memory:") < 0)
            abort();
    }
    if (study_tell(&study, "DROP TABLE IF EXISTS temp.t") < 0)
        abort();
    return &study;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_sink sink;
    diag_init(&sink);
    store(data, size);
    struct study *study = opened(&sink);
    int64_t before = made(study);
    int rc = study_import(study);
    if ((rc == 0) != (sink.errors == 0) || made(study) - before > 1)
        abort();
    diag_free(&sink);
    return 0;
}
