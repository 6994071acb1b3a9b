/* Texts in compressed files: a frame that zstd skips, with a label that tells what the file is, then one zstd frame. So
 * `zstd -dc` reads such a file too, and whoever would replace it sees its kind by its first bytes. */
#ifndef LOCKSTEP_BASE_SQUEEZE_H
#define LOCKSTEP_BASE_SQUEEZE_H

#include <stdbool.h>

#include "base/strbuf.h"

/* Appends the file's content to out. Equal texts give equal bytes. */
void squeeze(const char *label, const char *text, size_t length, struct strbuf *out);
/* True if the content begins like that of a file with this label. */
bool squeeze_is(const char *label, const char *content, size_t bytes);
/* Appends the text to out; false: the content is damaged, or has another label. */
bool unsqueeze(const char *label, const char *content, size_t bytes, struct strbuf *out);

#endif
