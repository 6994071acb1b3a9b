/* Figures of pages: see chart.h. */
#include "report/chart.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "report/chart_embedded.h"
#include "report/html.h"

const char chart_style[] =
    ".chart { position: relative; height: 22rem; } .chart:empty { display: none; }\n"
    ".legend { display: flex; flex-wrap: wrap; gap: 0.15rem 0.9rem; font-size: 13px; margin: 0.25rem 0; }\n"
    ".legend i { display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.4em; }\n"
    ".legend i.paper { background: #d6006c; transform: rotate(45deg) scale(0.8); }\n"
    ".legend i.variants { width: 0; border-left: 2px solid var(--ink); margin-left: 0.4em; }\n"
    ".legend button, .take button { font: inherit; color: inherit; background: none; border: 0; padding: 0; "
    "cursor: pointer; }\n"
    ".legend [aria-pressed=false] { opacity: 0.4; text-decoration: line-through; }\n"
    "figure > details { display: inline-block; vertical-align: top; margin: 0 1rem 0 0; } figure > details[open] { "
    "display: block; }\n"
    ".take { display: inline-block; margin: 0; font-size: 14px; } .take > * { margin-right: 0.75rem; }\n"
    ".take a, .take button { color: var(--dot); text-decoration: none; }\n"
    ".take a:hover, .take button:hover { text-decoration: underline; }\n"
    ":focus-visible { outline: 2px solid var(--dot); outline-offset: 2px; }\n";

static void add_attribute(struct strbuf *out, const char *name, const char *value)
{
    strbuf_addf(out, " %s=\"", name);
    html_escape(out, value);
    strbuf_add(out, "\"");
}

void chart_place(struct strbuf *out, const struct chart *chart, const char *alternative)
{
    strbuf_addf(out, "<div class=scroll><div class=chart role=img data-kind=%s", chart->kind);
    if (*chart->log)
        strbuf_addf(out, " data-log=%s", chart->log);
    if (chart->has_base)
        strbuf_addf(out, " data-base=\"%.9g\"", chart->base);
    add_attribute(out, "data-x", chart->x);
    add_attribute(out, "data-y", chart->y);
    strbuf_addf(out, " aria-label=\"%s\"></div></div>\n", alternative);
}

/* Text that would be the end of a script, or that of which browsers make a comment in it. */
static bool ends_scripts(const char *text)
{
    for (const char *at = text; (at = strchr(at, '<')); at++)
        if (!strncasecmp(at, "</script", 8) || !strncmp(at, "<!--", 4))
            return true;
    return false;
}

/* Bytes that mean something in an address or in HTML are written by their numbers. */
static void add_encoded(struct strbuf *out, const struct strbuf *text)
{
    for (size_t i = 0; i < text->length; i++) {
        unsigned char c = (unsigned char)text->text[i];
        bool plain = c < 128 && (isalnum(c) || strchr("-._,+", c));
        strbuf_addf(out, plain ? "%c" : "%%%02X", c);
    }
}

void chart_file(struct strbuf *out, const char *name, const struct strbuf *csv)
{
    strbuf_add(out, "<a download=\"");
    html_escape(out, name);
    strbuf_add(out, ".csv\" href=\"data:text/csv;charset=utf-8,");
    add_encoded(out, csv);
    strbuf_add(out, "\">CSV</a>");
}

void chart_unscripted(struct strbuf *out)
{
    strbuf_add(out,
               "<noscript><p class=note>Figures are drawn by a script in this page, which this browser does not run: "
               "their numbers stand in tables.</p></noscript>\n");
}

bool chart_knows(const char *library)
{
    bool known = strstr(library, "Chart.js v3.") || strstr(library, "Chart.js v4.");
    return known && !ends_scripts(library);
}

void chart_scripts(struct strbuf *out, const char *library)
{
    strbuf_addf(out, "<script>\n%s\n</script>\n<script>\n%s</script>\n", library, chart_script);
}
