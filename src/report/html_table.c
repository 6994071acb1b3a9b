/* Tables of pages: see html_table.h. */
#include "report/html_table.h"

#include <stdarg.h>

#include "report/chart.h"
#include "report/csv.h"
#include "report/html.h"

void html_table_begin(struct html_table *t, const char *name, const char *caption, struct strbuf *out)
{
    *t = (struct html_table){.out = out, .name = name};
    strbuf_add(out, "<div class=scroll tabindex=0><table><caption>");
    html_escape(out, caption);
    strbuf_add(out, "</caption>\n<thead><tr>");
}

/* The next field of the file. */
static void next(struct html_table *t, const char *text)
{
    strbuf_add(&t->csv, t->cells++ ? "," : "");
    csv_text(&t->csv, text);
}

void html_table_head(struct html_table *t, const char *text, bool number, const char *doc)
{
    next(t, text);
    strbuf_addf(t->out, "<th scope=col%s", number ? " class=number" : "");
    if (doc) {
        strbuf_add(t->out, " title=\"");
        html_escape(t->out, doc);
        strbuf_add(t->out, "\"");
    }
    strbuf_add(t->out, ">");
    html_escape(t->out, text);
}

void html_table_part(struct html_table *t, const char *caption)
{
    strbuf_add(t->out, "</tr></tbody></table></div>\n<div class=scroll tabindex=0><table><caption><span class=unseen>");
    html_escape(t->out, caption);
    strbuf_add(t->out, "</span></caption><tbody>");
    t->fresh = true;
}

void html_table_row(struct html_table *t, const char *attributes)
{
    strbuf_add(&t->csv, "\n");
    strbuf_addf(t->out, "%s%s\n<tr%s>", t->fresh ? "" : "</tr>", t->body ? "" : "</thead><tbody>", attributes);
    t->body = true;
    t->fresh = false;
    t->cells = 0;
}

static void add(struct html_table *t, const char *tag, const char *text)
{
    next(t, text);
    strbuf_add(t->out, tag);
    html_escape(t->out, text);
}

void html_table_name(struct html_table *t, const char *text)
{
    add(t, "<th scope=row>", text);
}

void html_table_text(struct html_table *t, const char *text)
{
    add(t, "<td>", text);
}

void html_table_number(struct html_table *t, double value, const char *format, ...)
{
    va_list ap;
    struct strbuf shown = {0};
    va_start(ap, format);
    strbuf_vaddf(&shown, format, ap);
    va_end(ap);
    strbuf_addf(&t->csv, t->cells++ ? ",%.15g" : "%.15g", value);
    strbuf_add(t->out, "<td class=number>");
    html_escape(t->out, strbuf_text(&shown));
    strbuf_free(&shown);
}

void html_table_none(struct html_table *t)
{
    next(t, "");
    strbuf_add(t->out, "<td class=number>-");
}

void html_table_link(struct html_table *t, const char *text, const char *anchor)
{
    next(t, text);
    strbuf_add(t->out, "<td><a href=\"#");
    html_escape(t->out, anchor);
    strbuf_add(t->out, "\">");
    html_escape(t->out, text);
    strbuf_add(t->out, "</a>");
}

void html_table_own(struct html_table *t, const char *attributes, const char *text)
{
    next(t, text);
    strbuf_addf(t->out, "<td%s>", attributes);
}

void html_table_aside(struct html_table *t, const char *text)
{
    next(t, text);
}

void html_table_end(struct html_table *t)
{
    strbuf_add(&t->csv, "\n");
    strbuf_addf(t->out, "</tr>%s</table></div>\n<p class=take>", t->body ? "</tbody>" : "</thead>");
    chart_file(t->out, t->name, &t->csv);
    strbuf_add(t->out, "</p>\n");
    strbuf_free(&t->csv);
}
