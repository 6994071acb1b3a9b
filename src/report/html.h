/* Text in pages. */
#ifndef LOCKSTEP_REPORT_HTML_H
#define LOCKSTEP_REPORT_HTML_H

#include "base/strbuf.h"

/* Appends text with the characters that mean something in HTML and SVG written as entities. */
void html_escape(struct strbuf *out, const char *text);

#endif
