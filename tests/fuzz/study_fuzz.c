/* Studies from anywhere: reading a study.yaml, and asking whether its questions can be asked, must end in a study or in
 * diagnostics. Nothing is run, and no code is loaded. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A folder of this process, which it takes away again when it ends: the study, a launch file and a program. */
static char folder[] = "/tmp/lockstep-study-XXXXXX";
static const char *const names[] = {"study.yaml", "k.yaml", "p.cu"};

static const char *path_of(unsigned name, char *path, size_t room)
{
    snprintf(path, room, "%s/%s", folder, names[name]);
    return path;
}

static void remove_folder(void)
{
    char path[64];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(i, path, sizeof path));
    rmdir(folder);
}

static void store(unsigned name, const void *data, size_t size)
{
    char path[64];
    FILE *file = fopen(path_of(name, path, sizeof path), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void make_folder(void)
{
    static bool made;
    if (made)
        return;
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        abort();
    made = true;
    store(1, "ptx: k.ptx\n", 11);
    store(2, "", 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_sink sink;
    struct strbuf text = {0};
    struct study study = {.sink = &sink, .lock = -1, .folder = folder, .share = "/", .out = folder, .work = folder};
    study.name = "fuzz";
    make_folder();
    store(0, data, size);
    diag_init(&sink);
    study.build = "";
    int rc = study_read(&study);
    if ((rc == 0) != (sink.errors == 0))
        abort();
    if (rc == 0 && (study_check_questions(&study) == 0) != (sink.errors == 0))
        abort();
    diag_format_all(&sink, &text);
    strbuf_free(&text);
    study_forget(&study);
    diag_free(&sink);
    return 0;
}
