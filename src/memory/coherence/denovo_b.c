/* DeNovo at the granularity of blocks, without read-only regions (DeNovo-B of the hLRC paper, sections II.E and IV.B,
 * Table 3): an L1 registers the line of everything that it writes, plainly or by an atomic access, and keeps it through
 * acquires and releases. A release waits until what was written before is registered; an acquire drops lines that are
 * not. Accesses at remote scope are as those at the device's; they do not reach what other L1s ordered at
 * the scope of their blocks, since this orders nothing between L1s. A store to a line that is not registered asks at
 * once, and the line keeps its bytes meanwhile. The owner of a line that another L1 reads shows it, and keeps it. */
#include "memory/coherence/tables.h"

static const struct coherence_row rows[] = {
    ROW(I, LOAD, F, FETCH),
    ROW(I, STORE, A, ASK, KEEP, HOLD),
    ROW(V, LOAD_HERE, V, SERVE),
    ROW(V, STORE, A, GIVE_UP, ASK, KEEP, HOLD),
    ROW(V, REPLACE, I, GIVE_UP),
    ROW(V, DROP, ANY, KEEP_WRITTEN),
    ROW(F, LOAD, F, JOIN),
    ROW(F, STORE, F, REFUSE),
    ROW(F, DROP, N, NOTHING),
    ROW(F, FILL, V, WAKE, INSTALL, ENTER, RETRY),
    ROW(N, LOAD, N, REFUSE),
    ROW(N, STORE, N, REFUSE),
    ROW(N, DROP, N, NOTHING),
    ROW(N, FILL, ANY, WAKE, KEEP_WRITTEN, RETRY),
    ROW(A, LOAD_HERE, A, SERVE),
    ROW(A, LOAD, A, REFUSE),
    ROW(A, STORE, A, KEEP, HOLD),
    ROW(A, DROP, A, NOTHING),
    ROW(A, RECALL, A, WAIT),
    ROW(A, FORWARD, A, WAIT),
    ROW(A, GRANT, R, INSTALL, ENTER, RETRY, ASK_AGAIN),
    ROW(R, LOAD_HERE, R, SERVE),
    ROW(R, STORE, R, KEEP),
    ROW(R, REPLACE, W, PUTM),
    ROW(R, DROP, R, NOTHING),
    ROW(R, RECALL, I, ANSWER, ENTER, RETRY),
    ROW(R, FORWARD, R, LOOK, ANSWER),
    ROW(W, LOAD_HERE, W, REFUSE),
    ROW(W, STORE, W, REFUSE),
    ROW(W, DROP, W, NOTHING),
    ROW(W, RECALL, W, VOID),
    ROW(W, FORWARD, W, VOID),
    ROW(W, PUTM_ANSWERED, I, ENTER, RETRY),
    REGISTER_ROWS(BLOCK_HERE, GIVE_UP),
    REGISTER_ROWS(BLOCK, GIVE_UP),
    REGISTER_ROWS(RELAXED, GIVE_UP),
    REGISTER_ROWS(DEVICE, GIVE_UP),
    REGISTER_ROWS(REMOTE, GIVE_UP),
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {.agent = &agent, .directory = &coherence_directory};

const struct coherence_protocol coherence_denovo_b = {
    .name = "denovo-b",
    .doc = "L1s register every line that they write; a release waits for registrations, an acquire drops other lines",
    .l2 = &coherence_home,
    .probes = true,
    .orders = {EAGER_ORDERS, [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH},
    .registration = &registration,
};
