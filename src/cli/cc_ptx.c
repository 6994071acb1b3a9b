/* Tidies the PTX that LLVM writes when line tables are on: beside .loc lines it leaves a label at every change of
 * source position, meant for debug sections that are not emitted. */
#include <string.h>

#include "base/file.h"
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

/* Appends the lines of the text that are no such labels. */
static void copy_lines(char *text, struct strbuf *out)
{
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        bool newline = line[n] == '\n';
        line[n] = '\0';
        if (!cc_is_position_label(line))
            strbuf_addf(out, newline ? "%s\n" : "%s", line);
        line += n + newline;
    }
}

int cc_strip_labels(const char *from, const char *to, struct diag_sink *diags)
{
    struct strbuf text = {0}, out = {0};
    int result = file_read(from, FILE_NO_BOUND, &text, diags);
    if (result == 0 && text.length)
        copy_lines(text.text, &out);
    if (result == 0)
        result = file_write(to, strbuf_text(&out), out.length, diags);
    strbuf_free(&text);
    strbuf_free(&out);
    return result;
}
