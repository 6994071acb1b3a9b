/* What the files of the agent share: agent.c (the doors and the actions), agent_lines.c (lines and fills),
 * agent_queue.c (the store queue). */
#ifndef LOCKSTEP_MEMORY_AGENT_IMPL_H
#define LOCKSTEP_MEMORY_AGENT_IMPL_H

#include "base/check.h"
#include "memory/agent.h"

/* Something has changed that may help an access that was refused. */
static inline void agent_changed(struct agent *a)
{
    a->refused = false;
}
/* A new request for a line, in `requests`. */
struct packet *agent_request(struct agent *a, const struct agent_line *line, uint8_t kind);
/* Steps a line's table for an event that is no access: REPLACE, DROP, FLUSHED. */
void agent_step(struct agent *a, struct agent_line *line, unsigned event);

/* agent_lines.c */
void agent_lines_init(struct agent *a, const struct cache_params *params, struct arena *arena);
/* A line that the address may have: not in use. If there is none, what is needed for one is begun, and NULL returned.
 */
struct agent_line *agent_place(struct agent *a, uint64_t address);
/* Whether a fill can be begun, or another load wait for it. */
bool agent_can_fill(const struct agent *a);
bool agent_can_join(const struct agent *a, const struct agent_line *line);
/* Begins a fill of the line. */
void agent_begin_fill(struct agent *a, struct agent_line *line);
void agent_join_fill(struct agent *a, struct agent_line *line, uint32_t waiter);
/* The fill of the line has come: its waiters, if there are some, are served with what came, p's bytes, but for those
 * that are valid in the line. */
void agent_end_fill(struct agent *a, struct agent_line *line, const struct packet *p);

/* agent_queue.c */
/* Whether the line may be put behind the store queue now; if not, the oldest entry that waits is to be sent. */
bool agent_can_queue(struct agent *a, const struct agent_line *line);
/* Puts it there, if it has no entry yet. sent: its end is a registration. */
void agent_queue_line(struct agent *a, struct agent_line *line, bool sent);
/* Writes that go to the L2 by themselves have an entry, too. Returns its number. */
uint32_t agent_queue_sent(struct agent *a, uint64_t address);
/* The line's written bytes are sent, and are not written any more; nothing if there are none. */
void agent_write_out(struct agent *a, struct agent_line *line);
/* An entry has arrived. */
void agent_arrive(struct agent *a, uint32_t entry);
/* The registration of a line that HOLD has put there has come. */
void agent_unqueue(struct agent *a, struct agent_line *line);

#endif
