/* A coherence protocol in one page: L1s that write through at once, and own nothing. A store goes to the L2 and into
 * the L1's copy of the line, if there is one; every atomic access, whatever its scope, is performed in the L2, and the
 * L1 gives its copy up. What others have written is seen because an acquire drops the L1's lines, and what was written
 * here because a release waits until the L2 has acknowledged it.
 *
 * A row is ROW(state, event, next state, actions...): in this state the event has these actions taken, in this order,
 * and then the line is in the next state. src/memory/coherence has the words: agent_states.def, agent_events.def and
 * agent_actions.def. */
#include "memory/coherence/tables.h"

/* An atomic access to a line in each state. A fill that is under way then (F) is older than the access: it serves the
 * loads that wait for it, and is not kept (N). */
#define ATOMIC_ROWS(event)                                                                                             \
    ROW(I, event, I, SEND), ROW(V, event, I, GIVE_UP, SEND), ROW(F, event, N, SEND), ROW(N, event, N, SEND)

static const struct coherence_row rows[] = {
    /* I: not there. */
    ROW(I, LOAD, F, FETCH),
    ROW(I, STORE, I, SEND),

    /* V: there. The copy takes the store's bytes, which are not the L1's to write later: they are on their way. */
    ROW(V, LOAD_HERE, V, SERVE),
    ROW(V, STORE, V, COPY, SEND),
    ROW(V, REPLACE, I, GIVE_UP),
    ROW(V, DROP, I, GIVE_UP),

    /* F: a fill is under way. A store waits for it, or loads that came before could have its bytes. */
    ROW(F, LOAD, F, JOIN),
    ROW(F, STORE, F, REFUSE),
    ROW(F, DROP, N, NOTHING),
    ROW(F, FILL, V, WAKE, INSTALL),

    /* N: a fill is under way that will not be kept. */
    ROW(N, LOAD, N, REFUSE),
    ROW(N, STORE, N, REFUSE),
    ROW(N, DROP, N, NOTHING),
    ROW(N, FILL, I, WAKE),

    /* Atomic accesses, by order and scope (src/memory/order.def). "Here": all bytes of the access are valid. */
    ROW(V, BLOCK_HERE, I, GIVE_UP, SEND),
    ATOMIC_ROWS(BLOCK),
    ATOMIC_ROWS(RELAXED),
    ATOMIC_ROWS(DEVICE),
    ATOMIC_ROWS(REMOTE),
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};

/* No L1 registers a line, so the directory has nothing to do but to let accesses go on to the L2. */
static const struct coherence_registration registration = {.agent = &agent, .directory = &coherence_no_directory};

const struct coherence_protocol coherence_mine = {
    .name = "mine",
    .doc = "L1s write through at once and own nothing; a release waits for stores, an acquire drops lines",
    .l2 = &coherence_home,
    .probes = false,
    /* EAGER_ORDERS (tables.h): an acquire beyond the block drops, a release flushes, a fence does both, and so do the
     * beginning and the end of a kernel. */
    .orders = {EAGER_ORDERS, [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH},
    .registration = &registration,
};
