/* Tidies the PTX that LLVM writes when line tables are on: beside .loc lines it leaves a label at every change of
 * source position, meant for debug sections that are not emitted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getline */
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc.h"

bool cc_is_position_label(const char *line)
{
    static const char *const stems[] = {"Ltmp",    "Lfunc_begin",    "Lfunc_end",
                                        "$L__tmp", "$L__func_begin", "$L__func_end"};
    for (unsigned i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        size_t n = strlen(stems[i]);
        if (strncmp(line, stems[i], n) == 0) {
            const char *p = line + n + strspn(line + n, "0123456789");
            return p > line + n && p[0] == ':' && p[1] == '\0';
        }
    }
    return false;
}

static int copy_lines(FILE *in, FILE *out)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n;
    while ((n = getline(&line, &capacity, in)) > 0) {
        bool newline = line[n - 1] == '\n';
        if (newline)
            line[--n] = '\0';
        if (!cc_is_position_label(line))
            fprintf(out, newline ? "%s\n" : "%s", line);
    }
    free(line);
    return ferror(in) || ferror(out) ? -1 : 0;
}

int cc_strip_labels(const char *from, const char *to, struct diag_sink *diags)
{
    FILE *in = fopen(from, "r"), *out = in ? fopen(to, "w") : NULL;
    int result = in && out ? copy_lines(in, out) : -1;
    if (out && fclose(out))
        result = -1;
    if (in)
        fclose(in);
    return result ? diag_error(diags, DIAG_NOWHERE, NULL, "cannot write %s: %s", to, strerror(errno)) : 0;
}
