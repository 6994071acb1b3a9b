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
