/* Figures of a study. */
#ifndef LOCKSTEP_CLI_STUDY_FIGURES_H
#define LOCKSTEP_CLI_STUDY_FIGURES_H

#include "cli/study/judge.h"

struct study_names {
    VEC(const char *) items;
};

/* y of a series at x; least and most over variants; what the paper prints. */
struct study_point {
    size_t series, x;
    double at, y, least, most, paper;
    bool there, printed;
};

/* The points of a figure; names in order of appearance. */
struct study_points {
    struct study_names series, xs;
    VEC(struct study_point) items;
    bool spread, printed; /* some point differs between variants; has its number in the paper */
};

/* points.c: false for those that are rows of their own kind: tables and timelines. */
bool study_has_points(const struct study_figure *figure);

/* points.c: reads what a figure shows; of a world of one variant, only how far it departs. -1 with diagnostics. */
int study_read_points(struct study *study, const struct study_figure *figure, const struct study_world *world,
                      struct study_points *points);
void study_free_points(struct study_points *points);

#endif
