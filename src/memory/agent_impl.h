/* Shared by the files of the agent: agent.c (the doors), agent_act.c (the actions), agent_lines.c (lines and fills),
 * agent_queue.c (the store queue). */
#ifndef LOCKSTEP_MEMORY_AGENT_IMPL_H
#define LOCKSTEP_MEMORY_AGENT_IMPL_H

#include "base/check.h"
#include "memory/agent.h"

/* One event that the agent is stepping its table for: the environment of the table's actions. */
struct agent_try {
    struct agent *a;
    struct agent_line *line; /* NULL: in state I, without a place */
    uint64_t address;
    uint32_t bytes;
    unsigned event;
    struct packet *access; /* that is taken: a store or an atomic access; or NULL */
    struct packet *probe, *reply;
    const struct agent_load *load; /* or NULL */
    enum agent_served served;
    const uint8_t *values;
    struct packet *request; /* of a load that passes */
    uint8_t next;           /* of the row */
    bool entered;           /* the line is in that state */
    bool waited;            /* the access was one that waits aside */
};

/* agent_act.c */
/* The set of actions (COHERENCE_BIT) of the row of a line, NULL being one that is not there, and an event. */
uint64_t agent_set_of(const struct agent *a, const struct agent_line *line, unsigned event);
/* An access to the line of the address waits aside. */
bool agent_is_deferred(const struct agent *a, uint64_t address);
/* A LOCK holds up what the scope of the block would let the L1 perform; a LOCK that waits, all but what it waits for.
 */
bool agent_is_locked(const struct agent *a, unsigned event, const struct packet *access);
/* The access waits aside from now on. */
void agent_defer(struct agent_try *t);
/* True: the agent has room for everything that a set of actions needs (a way for the line, a queue entry, a request).
 * Where it lacks room, it begins what will make some. */
bool agent_has_places(struct agent_try *t, uint64_t set);
/* A set of actions asks for a place for a line that has none; finds it, if agent_has_places has made one. */
bool agent_needs_place(const struct agent_try *t, uint64_t set);
bool agent_find_place(struct agent_try *t);
/* An access leaves for the L2, or its answer has come. */
void agent_note_home(struct agent *a, struct packet *p, bool leaves);
void agent_answer_void(struct agent_try *t);
/* Steps the line: takes the actions of its row, and the state that follows. */
void agent_take_row(struct agent_try *t);

/* agent.c */
/* Tries the accesses that wait aside for a line again, in their order: where one has to go on waiting, so do those
 * behind it. AGENT_EVERY_LINE: those of all lines. */
#define AGENT_EVERY_LINE UINT64_MAX
void agent_retry(struct agent *a, uint64_t address);
/* Tries the early accesses of a line that is whole for a moment again, if they are performed on its bytes. */
void agent_retry_early(struct agent *a, struct agent_line *line);
/* Asks a line the questions that wait. */
void agent_ask_again(struct agent *a, struct agent_line *line);
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
/* True: a fill can be begun; another load can wait for it. */
bool agent_can_fill(const struct agent *a);
bool agent_can_join(const struct agent *a, const struct agent_line *line);
/* Begins a fill of the line. */
void agent_begin_fill(struct agent *a, struct agent_line *line);
void agent_join_fill(struct agent *a, struct agent_line *line, uint32_t waiter);
/* The fill of the line has come: its waiters, if there are some, are served with what came, p's bytes, but for those
 * that are valid in the line. */
void agent_end_fill(struct agent *a, struct agent_line *line, const struct packet *p);

/* agent_queue.c */
/* True: the line may be put behind the store queue now. If not, the oldest entry that waits is to be sent. */
bool agent_can_queue(struct agent *a, const struct agent_line *line);
/* Puts it there, if it has no entry yet. sent: its end is a registration, from now on. */
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
