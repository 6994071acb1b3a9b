/* The findings of a study, as tables and as a page. */
#ifndef LOCKSTEP_CLI_STUDY_PAGE_H
#define LOCKSTEP_CLI_STUDY_PAGE_H

#include "cli/study/figures.h"

/* All that was found: answers and points by the index of their claim and figure; the texts of the findings. */
struct study_found {
    struct study_answer *answers;
    struct study_points *points;
    const char **findings;
    const char *library; /* by which figures are drawn; NULL: it is not installed */
};

/* answers.c: the table of claims for the terminal; claims.csv. */
void study_print_claims(struct study *study, const struct study_answer *answers, struct strbuf *out);
int study_write_claims(struct study *study, const struct study_answer *answers);
/* Returns true if the tally's other mean gives another number. */
bool study_shows_other(const struct study_tally *tally);

/* page_head.c: at most ten lines: how many claims hold; the findings, and what does not hold. */
void study_page_counts(const struct study *study, const struct study_found *found, struct strbuf *out);
void study_page_head(struct study *study, const struct study_found *found, struct strbuf *out);
/* page_claims.c: the claims; those of one `each` in one row. */
void study_page_claims(struct study *study, const struct study_found *found, struct strbuf *out);
/* page_figures.c: the main figure, with all its panels, for the page's begin: that which says so, or else the first
 * that has numbers of the paper. -1 with diagnostics. */
int study_page_main(struct study *study, const struct study_found *found, struct strbuf *out);
/* Figures and tables but for the main one; the rows of any question as a table, with a name for those who do not see
 * what it stands below. -1 with diagnostics. */
int study_page_figures(struct study *study, const struct study_found *found, struct strbuf *out);
int study_page_rows(struct study *study, const char *what, const char *name, const char *sql, struct strbuf *out);
/* page_inputs.c: the table of inputs. -1 with a diagnostic. */
int study_page_inputs(struct study *study, struct strbuf *out);
/* page.c: index.html. */
int study_write_page(struct study *study, const struct study_found *found);

#endif
