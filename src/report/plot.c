/* Scripts for gnuplot: see plot.h. */
#include "report/plot.h"

void plot_quote(struct strbuf *out, const char *text)
{
    strbuf_add(out, "\"");
    for (; *text; text++)
        strbuf_addf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    strbuf_add(out, "\"");
}
