/* The commit from which this simulator was built: "5e83a7d1c0de", "... with changes" when tracked files differed from
 * it, "unknown" outside of a repository. For people: whether results are of one simulator says its identity
 * (identity.h). */
#ifndef LOCKSTEP_CLI_COMMIT_H
#define LOCKSTEP_CLI_COMMIT_H

extern const char cli_commit[];

#endif
