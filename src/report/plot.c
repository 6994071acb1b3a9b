/* Scripts for gnuplot: see plot.h. */
#include "report/plot.h"

/* Characters that would end the line of a script, whatever encloses them, become blanks. */
static char printable(char c)
{
    return (unsigned char)c < ' ' || c == 127 ? ' ' : c;
}

static void quote(struct strbuf *out, const char *text, char twice)
{
    strbuf_add(out, "'");
    for (; *text; text++)
        strbuf_addf(out, *text == '\'' || *text == twice ? "%c%c" : "%c", printable(*text), *text);
    strbuf_add(out, "'");
}

void plot_quote(struct strbuf *out, const char *text)
{
    quote(out, text, '\'');
}

void plot_quote_tic(struct strbuf *out, const char *text)
{
    quote(out, text, '%');
}

void plot_data_word(struct strbuf *out, const char *text)
{
    strbuf_add(out, "\"");
    for (; *text; text++)
        strbuf_addf(out, "%c", *text == '"' ? '\'' : *text == '\\' ? '/' : printable(*text));
    strbuf_add(out, "\"");
}

void plot_axes(struct strbuf *out, const char *x_name, const char *y_name)
{
    strbuf_add(out, "set xlabel ");
    plot_quote(out, x_name);
    strbuf_add(out, "\nset ylabel ");
    plot_quote(out, y_name);
    strbuf_add(out, "\n");
}
