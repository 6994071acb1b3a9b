/* A worker pool: members that do one task together, again and again, with little between two tasks, on threads of their
 * own as far as there are processor cores for them; where there are fewer, a thread does the work of several members.
 * Threads wait by looking for a while, then by sleeping, so that short tasks follow each other at the cost of a cache
 * line's travel and an idle pool costs nothing. */
#ifndef LOCKSTEP_BASE_WORKER_POOL_H
#define LOCKSTEP_BASE_WORKER_POOL_H

struct worker_pool;

/* A pool of `members`, the caller's thread doing the work of member 0. */
struct worker_pool *worker_pool_create(unsigned members);
/* NULL is allowed. */
void worker_pool_destroy(struct worker_pool *pool);
unsigned worker_pool_size(const struct worker_pool *pool);
/* The threads that are its own; 0 for NULL. */
unsigned worker_pool_helpers(const struct worker_pool *pool);
/* Calls task(order, member) once for each member, and returns when all have ended. Members must not wait for each
 * other. The order is copied to where members look for work first, so reading it costs them nothing more.
 * All members see the caller's writes before the call, and afterwards the caller sees theirs. */
#define WORKER_POOL_ORDER_BYTES 40
void worker_pool_run(struct worker_pool *pool, void (*task)(const void *order, unsigned member), const void *order,
                     unsigned bytes);
/* A place in which a member leaves what the caller wants to hear of its work, aligned to 8 bytes: it lies where the
 * caller learns that the member is done, so reading it costs nothing more. Zero at first; nobody clears it. */
#define WORKER_POOL_REPORT_BYTES 48
void *worker_pool_report(struct worker_pool *pool, unsigned member);

#endif
