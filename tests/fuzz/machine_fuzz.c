/* Machine files from anywhere: reading one must end in a machine or in diagnostics, load no code, and what is accepted
 * is, printed, a file that gives the same machine again. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/departures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name of a file that holds the bytes, for as long as `file` is open. */
static int hold(const uint8_t *data, size_t size, char *path, size_t room)
{
    int file = memfd_create("machine", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, room, "/proc/self/fd/%d", file);
    return file;
}

static void print(const struct machine *m, struct strbuf *out)
{
    for (unsigned g = 0; g < MACHINE_GROUPS; g++) {
        strbuf_addf(out, "%s:\n", m->groups[g].name);
        for (unsigned i = 0; i < m->groups[g].count; i++) {
            strbuf_addf(out, "  %s: ", m->groups[g].params[i].name);
            param_format(&m->groups[g], &m->groups[g].params[i], out);
            strbuf_add(out, "\n");
        }
    }
}

/* As a file, it gives the same machine again. */
static void read_again(struct machine *m, struct diag_sink *sink)
{
    struct strbuf before = {0}, now = {0};
    print(m, &before);
    if (param_load_yaml(m->groups, MACHINE_GROUPS, &m->arena, "again", strbuf_text(&before), NULL, sink) < 0)
        abort();
    print(m, &now);
    if (strcmp(strbuf_text(&before), strbuf_text(&now)) != 0)
        abort();
    strbuf_free(&before);
    strbuf_free(&now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine m;
    struct diag_sink sink;
    struct strbuf text = {0};
    char path[64];
    int file = hold(data, size, path, sizeof path);
    diag_init(&sink);
    int rc = machine_load(&m, path, &sink);
    if ((rc == 0) != (sink.errors == 0))
        abort();
    if (rc == 0) {
        if ((machine_check(&m, NULL, &sink) == 0) != (sink.errors == 0))
            abort();
        read_again(&m, &sink);
        departures_take(&m, "reference", &sink);
        machine_free(&m);
    }
    diag_format_all(&sink, &text);
    strbuf_free(&text);
    diag_free(&sink);
    close(file);
    return 0;
}
