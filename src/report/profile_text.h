/* Texts of sources for profiles: results keep those of the lines that they are about, since the files may change. */
#ifndef LOCKSTEP_REPORT_PROFILE_TEXT_H
#define LOCKSTEP_REPORT_PROFILE_TEXT_H

#include <stdint.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* A file's lines, without blanks at their ends. */
struct profile_text {
    struct strbuf text; /* each line ends with a 0 */
    VEC(size_t) lines;  /* where each begins */
};

/* Reads a file of sources; no lines: it cannot be read, or is no text. To be freed by profile_text_free. */
void profile_text_read(struct profile_text *text, const char *file);
void profile_text_free(struct profile_text *text);
/* A line by its number, from 1; NULL: there is none. */
const char *profile_text_line(const struct profile_text *text, uint64_t number);
/* Gives each profile among result objects the member `lines`: file, line and text of each line that its instructions
 * stand in, where the file can be read; texts are without blanks around them. */
void profile_text_keep(json_t *kernels);

#endif
