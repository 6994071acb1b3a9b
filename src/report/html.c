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

const char html_long_style[] =
    "body { max-width: 84rem; } main { overflow-wrap: anywhere; } h1 { line-height: 1.2; margin: 1rem 0 0.25rem; }\n"
    "h2 { margin-top: 3rem; } h3 { margin: 0 0 0.5rem; font-size: 1.05rem; } figure { margin: 2.5rem 0; }\n"
    "a { color: var(--dot); text-decoration: none; } a:hover { text-decoration: underline; }\n"
    "summary { cursor: pointer; color: var(--soft); font-size: 14px; }\n"
    ".head { list-style: none; padding: 0.75rem 1rem; margin: 1rem 0; background: var(--wide); border-radius: 8px; }\n"
    ".head li { margin: 0.3rem 0; }\n"
    ".contents { columns: 20rem; column-gap: 2rem; font-size: 14px; } nav a { display: block; padding: 0.1rem 0; }\n"
    "figure table, details table { margin: 0.5rem 0; font-size: 14px; } figcaption { color: var(--soft); font-size: "
    "14px; }\n"
    "th, td { vertical-align: top; overflow-wrap: normal; }\n"
    ".unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }\n"
    ".note { color: var(--soft); }\n"
    ".side { display: grid; gap: 0 1.5rem; } .two { grid-template-columns: repeat(auto-fit, minmax(max(24rem, 40%), "
    "1fr)); }\n"
    ".three { grid-template-columns: repeat(auto-fit, minmax(max(24rem, 30%), 1fr)); }\n"
    ".three h3 { min-height: 3em; } .side > .legend { grid-column: 1 / -1; } .side figure { margin: 1rem 0; "
    "min-width: 0; } .side .chart { height: "
    "19rem; }\n"
    ".side { width: min(96vw, 110rem); margin-left: calc(50% - min(48vw, 55rem)); }\n"
    "@media (max-width: 40rem) { body { padding: 0 0.6rem; } th, td { padding: 0.15rem 0.35rem; }\n"
    "  .side { display: block; width: auto; margin-left: 0; } .chart { height: 17rem; } }\n";

void html_begin(struct strbuf *out, const char *title, const char *style)
{
    strbuf_addf(out,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                "script-src 'unsafe-inline'; img-src data:\">\n<style>\n%s%s</style>\n<title>",
                shared_style, style);
    html_escape(out, title);
    strbuf_add(out, "</title>\n</head>\n<body>\n<main>\n<h1>");
    html_escape(out, title);
    strbuf_add(out, "</h1>\n");
}
