/* MSI with a directory of sharers, invalidating (after Nagarajan, Sorin, Hill and Wood, "A Primer on Memory Consistency
 * and Cache Coherence", 2nd edition, chapter 8), over the states of registering L1s: V is S, and R is M. A line that an
 * L1 writes or performs an atomic access on, it registers first, and then nobody else has a copy: the slice knows the
 * sharers of a line, and asks each to drop its copy before it registers the line for another. So an acquire drops
 * nothing, and a release waits for registrations alone. Scopes are not looked at.
 *
 * Where it is simpler than the book's: an owner of whose line another L1 reads gives the line up (M to I, not to S),
 * and the slice answers the reader. The directory is inclusive: it holds a line's place in the L2 as long as somebody
 * has it, and before the L2 takes the place, copies are dropped. L1s drop copies silently, so a sharer may be asked
 * about a line that it has no more. */
#include "memory/coherence/tables.h"

static const struct coherence_row rows[] = {
    ROW(I, LOAD, F, FETCH),
    ROW(I, STORE, A, ASK, KEEP, HOLD),
    ROW(I, INVALIDATE, I, ACKNOWLEDGE),
    ROW(V, LOAD_HERE, V, SERVE),
    ROW(V, STORE, A, GIVE_UP, ASK, KEEP, HOLD),
    ROW(V, REPLACE, I, GIVE_UP),
    ROW(V, DROP, I, GIVE_UP),
    ROW(V, INVALIDATE, I, GIVE_UP, ACKNOWLEDGE),
    ROW(F, LOAD, F, JOIN),
    ROW(F, STORE, F, REFUSE),
    ROW(F, DROP, N, NOTHING),
    ROW(F, INVALIDATE, N, ACKNOWLEDGE),
    ROW(F, FILL, V, WAKE, INSTALL, ENTER, RETRY),
    ROW(N, LOAD, N, REFUSE),
    ROW(N, STORE, N, REFUSE),
    ROW(N, DROP, N, NOTHING),
    ROW(N, INVALIDATE, N, ACKNOWLEDGE),
    ROW(N, FILL, I, WAKE, ENTER, RETRY),
    ROW(A, LOAD_HERE, A, SERVE),
    ROW(A, LOAD, A, REFUSE),
    ROW(A, STORE, A, KEEP, HOLD),
    ROW(A, DROP, A, NOTHING),
    ROW(A, INVALIDATE, A, ACKNOWLEDGE),
    ROW(A, RECALL, A, WAIT),
    ROW(A, GRANT, R, INSTALL, ENTER, RETRY, ASK_AGAIN),
    ROW(R, LOAD_HERE, R, SERVE),
    ROW(R, STORE, R, KEEP),
    ROW(R, REPLACE, W, PUTM),
    ROW(R, DROP, R, NOTHING),
    ROW(R, RECALL, I, ANSWER, ENTER, RETRY),
    ROW(W, LOAD_HERE, W, REFUSE),
    ROW(W, STORE, W, REFUSE),
    ROW(W, DROP, W, NOTHING),
    ROW(W, RECALL, W, VOID),
    ROW(W, PUTM_ANSWERED, I, ENTER, RETRY),
    REGISTER_ROWS(BLOCK_HERE, GIVE_UP),
    REGISTER_ROWS(BLOCK, GIVE_UP),
    REGISTER_ROWS(RELAXED, GIVE_UP),
    REGISTER_ROWS(DEVICE, GIVE_UP),
    REGISTER_ROWS(REMOTE, GIVE_UP),
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {.agent = &agent, .directory = &coherence_sharers};

const struct coherence_protocol coherence_msi = {
    .name = "msi",
    .doc = "L1s register every line that they write, and the directory has all other copies dropped before",
    .l2 = &coherence_home,
    .probes = true,
    .orders = {[L1_RELEASE] = L1_ORDER_FLUSH,
               [L1_FENCE] = L1_ORDER_FLUSH,
               [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH,
               [L1_BEGIN] = L1_ORDER_DROP,
               [L1_END] = L1_ORDER_FLUSH},
    .registration = &registration,
};
