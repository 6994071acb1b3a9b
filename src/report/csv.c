/* Comma-separated values: see csv.h. */
#include "report/csv.h"

#include <string.h>

void csv_text(struct strbuf *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        strbuf_add(out, text);
        return;
    }
    strbuf_add(out, "\"");
    for (; *text; text++)
        strbuf_addf(out, "%s%c", *text == '"' ? "\"" : "", *text);
    strbuf_add(out, "\"");
}
