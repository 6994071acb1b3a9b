/* How the tables of L1s that keep what they have written are set down: a row ROW(state, event, next, actions...), by
 * the words of agent_states.def, agent_events.def and agent_actions.def, the actions in the order in which they are
 * taken; and the rows that several tables have. */
#ifndef LOCKSTEP_MEMORY_COHERENCE_TABLES_H
#define LOCKSTEP_MEMORY_COHERENCE_TABLES_H

#include "memory/coherence/protocol.h"

enum {
#define AGENT_ACTION(name, word, from, to, doc) name = AGENT_DO_##name,
#include "memory/coherence/agent_actions.def"
#undef AGENT_ACTION
    NOTHING = 0
};
/* The orders of an L1 where an acquire beyond the block drops its lines, and a release flushes what it has written. */
#define EAGER_ORDERS                                                                                                   \
    [L1_ACQUIRE] = L1_ORDER_DROP, [L1_RELEASE] = L1_ORDER_FLUSH, [L1_FENCE] = L1_ORDER_FLUSH | L1_ORDER_DROP,          \
    [L1_REMOTE_ACQUIRE] = L1_ORDER_DROP, [L1_BEGIN] = L1_ORDER_DROP, [L1_END] = L1_ORDER_FLUSH

#define AGENT_ANY COHERENCE_ANY
#define ROW(state, event, next, ...)                                                                                   \
    {                                                                                                                  \
        AGENT_##state, AGENT_##event##_EVENT, AGENT_##next, COHERENCE_DO(__VA_ARGS__)                                  \
    }

/* A line that is dropped while it is fetched: those who wait for it then ask again. */
#define DROPPED_FILL_ROWS ROW(F, DROP, N, NOTHING), ROW(N, FILL, ANY, WAKE, KEEP_WRITTEN, RETRY)

/* Plain accesses, and lines that nobody registers. A store to a line that is being fetched waits, so that a load that
 * came before it cannot have its bytes; and bytes that were valid when a fill was asked for stay what they are. */
#define WRITE_THROUGH_ROWS                                                                                             \
    ROW(I, LOAD, F, FETCH), ROW(I, STORE, V, KEEP, QUEUE), ROW(V, LOAD_HERE, V, SERVE), ROW(V, LOAD, F, FETCH),        \
        ROW(V, STORE, V, KEEP, QUEUE), ROW(V, REPLACE, I, WRITE_OUT, GIVE_UP), ROW(V, DROP, ANY, KEEP_WRITTEN),        \
        ROW(F, LOAD_HERE, F, SERVE), ROW(F, LOAD, F, JOIN), ROW(F, STORE, F, REFUSE),                                  \
        ROW(F, FILL, V, WAKE, INSTALL, ENTER, RETRY), ROW(N, LOAD_HERE, N, REFUSE), ROW(N, LOAD, N, REFUSE),           \
        ROW(N, STORE, N, REFUSE), ROW(N, DROP, N, NOTHING), ROW(V, DRAIN, V, WRITE_OUT), ROW(F, DRAIN, F, WRITE_OUT),  \
        ROW(N, DRAIN, N, WRITE_OUT)

/* An atomic access that is performed in the L2, behind what was written to its line. */
#define AT_HOME_ROWS(event)                                                                                            \
    ROW(I, event, I, SEND), ROW(V, event, I, WRITE_OUT, GIVE_UP, SEND), ROW(F, event, N, WRITE_OUT, SEND),             \
        ROW(N, event, N, WRITE_OUT, SEND)

/* A line that is registered for whatever is written to it (DeNovo): its owner keeps what it writes, shows it to another
 * L1 that reads, and gives the line back as soon as it is asked. */
#define OWNED_ROWS                                                                                                     \
    ROW(A, LOAD_HERE, A, SERVE), ROW(A, LOAD, A, REFUSE), ROW(A, STORE, A, KEEP, HOLD), ROW(A, DROP, A, NOTHING),      \
        ROW(A, RECALL, A, WAIT), ROW(A, FORWARD, A, WAIT), ROW(A, GRANT, R, INSTALL, ENTER, RETRY, ASK_AGAIN),         \
        ROW(R, LOAD_HERE, R, SERVE), ROW(R, STORE, R, KEEP), ROW(R, REPLACE, W, PUTM), ROW(R, DROP, R, NOTHING),       \
        ROW(R, RECALL, I, ANSWER, ENTER, RETRY), ROW(R, FORWARD, R, LOOK, ANSWER), ROW(W, LOAD_HERE, W, REFUSE),       \
        ROW(W, STORE, W, REFUSE), ROW(W, DROP, W, NOTHING), ROW(W, RECALL, W, VOID), ROW(W, FORWARD, W, VOID),         \
        ROW(W, PUTM_ANSWERED, I, ENTER, RETRY)

/* An atomic access for which the line must be registered, and is performed then. The actions are those by which a line
 * that is there is given up before. */
#define REGISTER_ROWS(event, ...)                                                                                      \
    ROW(I, event, A, ASK, DEFER), ROW(V, event, A, __VA_ARGS__, ASK, DEFER), ROW(F, event, F, DEFER),                  \
        ROW(N, event, N, DEFER), ROW(A, event, A, DEFER), ROW(R, event, R, PERFORM), ROW(W, event, W, DEFER)

/* Rows of an event that waits until the line has left. */
#define LEAVING_ROWS(event) ROW(P, event, P, DEFER), ROW(E, event, E, DEFER)

/* A relaxed access to a line that is registered here is performed here, and another one in the L2, to which an owner
 * gives the line back. (The paper would perform it in the owner's L1. Then a fence that orders it would not order what
 * the owner wrote before, which registration stands for.) */
#define RELAXED_ROWS                                                                                                   \
    AT_HOME_ROWS(RELAXED), LEAVING_ROWS(RELAXED), ROW(A, RELAXED, A, DEFER), ROW(R, RELAXED, R, PERFORM),              \
        ROW(W, RELAXED, W, DEFER)

/* A registered line of a protocol in which registration stands for what its L1 has written before: it leaves only
 * behind that (P, E). Plain loads find it whole, and plain stores are written through, for the directory shows them and
 * those of other L1s to the owner. */
#define LAZY_ROWS                                                                                                      \
    ROW(A, LOAD_HERE, A, PASS), ROW(A, LOAD, A, PASS), ROW(A, STORE, A, COPY, SEND), ROW(A, DROP, A, NOTHING),         \
        ROW(A, RECALL, A, WAIT), ROW(A, FORWARD, A, WAIT),                                                             \
        ROW(A, GRANT, R, INSTALL, ENTER, RETRY, DROP_ALL, ASK_AGAIN), ROW(R, LOAD_HERE, R, SERVE),                     \
        ROW(R, STORE, R, COPY, SEND), ROW(R, DROP, R, NOTHING), ROW(R, REPLACE, E, FLUSH),                             \
        ROW(R, RECALL, P, FLUSH, WAIT), ROW(R, FORWARD, R, LOOK, ANSWER), ROW(P, LOAD_HERE, P, SERVE),                 \
        ROW(P, STORE, P, COPY, SEND), ROW(P, DROP, P, NOTHING), ROW(P, FORWARD, P, LOOK, ANSWER),                      \
        ROW(I, FORWARD, I, VOID), ROW(V, FORWARD, V, VOID), ROW(F, FORWARD, F, VOID), ROW(N, FORWARD, N, VOID),        \
        ROW(P, FLUSHED, I, ANSWER, ENTER, RETRY), ROW(E, LOAD_HERE, E, SERVE), ROW(E, STORE, E, COPY, SEND),           \
        ROW(E, DROP, E, NOTHING), ROW(E, RECALL, E, VOID), ROW(E, FORWARD, E, LOOK, ANSWER), ROW(E, FLUSHED, W, PUTM), \
        ROW(W, LOAD_HERE, W, PASS), ROW(W, STORE, W, SEND), ROW(W, DROP, W, NOTHING), ROW(W, RECALL, W, VOID),         \
        ROW(W, FORWARD, W, VOID), ROW(W, PUTM_ANSWERED, I, ENTER, RETRY)

#endif
