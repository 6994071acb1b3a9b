/* A crew: a few threads that do one task together, again and again, with little between two tasks. Members wait by
 * looking for a while, then by sleeping, so that short tasks follow each other at the cost of a cache line's travel and
 * an idle crew costs nothing. */
#ifndef LOCKSTEP_BASE_CREW_H
#define LOCKSTEP_BASE_CREW_H

struct crew;

/* A crew of `members`, the caller's thread among them; of fewer where the system gives no more threads. */
struct crew *crew_create(unsigned members);
/* NULL is allowed. */
void crew_destroy(struct crew *crew);
unsigned crew_size(const struct crew *crew);
/* Calls task(context, member) once for each member, member 0 on the caller's thread, and returns when all have ended.
 * What the caller wrote before is seen by all members, what they wrote is seen by the caller afterwards. */
void crew_run(struct crew *crew, void (*task)(void *context, unsigned member), void *context);

#endif
