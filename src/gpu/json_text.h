/* JSON values as text, byte for byte as json_dumps writes them, which takes several times as long: results with
 * profiles have a hundred thousand values. */
#ifndef LOCKSTEP_GPU_JSON_TEXT_H
#define LOCKSTEP_GPU_JSON_TEXT_H

#include <jansson.h>

#include "base/strbuf.h"

/* Appends a value, which must not contain itself. indent: spaces a level, as JSON_INDENT has it; 0: all in one line
 * without spaces, as JSON_COMPACT. */
void json_text(const json_t *value, unsigned indent, struct strbuf *out);

#endif
