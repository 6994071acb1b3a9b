/* Up to three sentences on why a kernel takes its time, the most expensive reason first, but words for which warps wait
 * before all: what a profile's report says of it in the end, and a page in the beginning. */
#ifndef LOCKSTEP_REPORT_PROFILE_SENTENCES_H
#define LOCKSTEP_REPORT_PROFILE_SENTENCES_H

#include "report/profile_lines.h"
#include "report/profile_polls.h"
#include "report/profile_sharing.h"
#include "report/profile_words.h"

#define PROFILE_SENTENCES 3

struct profile_sentences {
    struct strbuf texts[PROFILE_SENTENCES];
    unsigned count;
};

/* Sentences of a kernel, none of them where nothing stands out: a twentieth of the warps' cycles. To be freed by
 * profile_sentences_free. */
void profile_sentences_init(struct profile_sentences *s, const struct profile_lines *lines,
                            const struct profile_words_report *words, const struct profile_polls_report *polls,
                            const struct profile_sharing_report *sharing);
void profile_sentences_free(struct profile_sentences *s);

#endif
