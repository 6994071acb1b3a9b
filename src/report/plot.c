/* Scripts for gnuplot: see plot.h. */
#include "report/plot.h"

void plot_quote(struct strbuf *out, const char *text)
{
    strbuf_add(out, "\"");
    for (; *text; text++)
        strbuf_addf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    strbuf_add(out, "\"");
}

void plot_settings(struct strbuf *out, const char *svg, const char *x_name, const char *y_name)
{
    strbuf_add(out, "set output ");
    plot_quote(out, svg);
    strbuf_add(out, "\nset xlabel ");
    plot_quote(out, x_name);
    strbuf_add(out, "\nset ylabel ");
    plot_quote(out, y_name);
    strbuf_add(out, "\n");
}
