/* Parts that all pages share: see html.h. */
#include "report/html.h"

void html_escape(struct strbuf *out, const char *text)
{
    for (const char *c = text; *c; c++)
        switch (*c) {
        case '<':
            strbuf_add(out, "&lt;");
            break;
        case '>':
            strbuf_add(out, "&gt;");
            break;
        case '&':
            strbuf_add(out, "&amp;");
            break;
        case '"':
            strbuf_add(out, "&quot;");
            break;
        default:
            strbuf_addn(out, c, 1);
            break;
        }
}

static const char shared_style[] =
    ":root { --ink: #1b1f24; --paper: #ffffff; --soft: #57606a; --faint: #c9d1d9; --wide: #eef2f6; --near: #dbe7f3;\n"
    "  --dot: #0b5cad; --square: #b0440b; --good: #1a7f37; --bad: #b3261e; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9ba5b0; --faint: "
    "#3d444d;\n"
    "  --wide: #161d26; --near: #1f2c3b; --dot: #6cb6ff; --square: #ffa657; --good: #4ac26b; --bad: #ff8182; } }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem; "
    "margin: 2rem auto;\n  padding: 0 1rem; }\n"
    ".scroll { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }\n"
    "th, td { text-align: left; padding: 0.15rem 0.75rem; border-bottom: 1px solid var(--faint); }\n"
    ".number { text-align: right; }\n";

void html_begin(struct strbuf *out, const char *title, const char *style)
{
    strbuf_addf(out,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n%s%s</style>\n<title>",
                shared_style, style);
    html_escape(out, title);
    strbuf_add(out, "</title>\n</head>\n<body>\n<main>\n<h1>");
    html_escape(out, title);
    strbuf_add(out, "</h1>\n");
}
