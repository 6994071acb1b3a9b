/* Parts that all pages share: text, and a head with the style of both light and dark screens, wide and narrow ones. A
 * page needs nothing from outside, and its head forbids a browser to ask for anything. */
#ifndef LOCKSTEP_REPORT_HTML_H
#define LOCKSTEP_REPORT_HTML_H

#include "base/strbuf.h"

/* Appends text with the characters that mean something in HTML and SVG written as entities. */
void html_escape(struct strbuf *out, const char *text);
/* Appends a page's begin up to its heading. `style`: rules of its own, beside those for text, tables (cells of class
 * "number" to the right) and .scroll, which keeps what is wider than the page inside it. */
void html_begin(struct strbuf *out, const char *title, const char *style);

/* Rules for a long page: headings, links, what stands first (.head), contents, figures side by side (.side). */
extern const char html_long_style[];

#endif
