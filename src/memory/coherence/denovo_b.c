/* DeNovo at the granularity of blocks, without read-only regions (DeNovo-B of the hLRC paper, MICRO 2016, sections II.E
 * and IV.B, Table 3): a plain store stays in its L1, and its line in the store queue. A release asks for the
 * registration of every line there, and waits until it has come (StReg): the bytes stay, and the line is the L1's own
 * through all later acquires and releases. So does an atomic access at once. An acquire drops the lines that are not
 * registered. There are no scopes: an access at that of the block is one at the device's.
 *
 * Three choices, of which the paper says nothing. A line whose turn in a full store queue comes is registered before
 * any release. One that has written bytes and loses its place in the L1 first writes them through, and is not
 * registered. One that is being fetched meanwhile (a load wanted others of its bytes) is registered when the fill has
 * come (G). Its owner shows a line that another L1 reads, and keeps it. */
#include "memory/coherence/tables.h"

/* When its registration is asked for, the line keeps nothing but what was written here: the rest may be old. */
#define ASK_FOR_WRITTEN KEEP_WRITTEN, HOLD, ASK

static const struct coherence_row rows[] = {
    ROW(I, LOAD, F, FETCH),
    ROW(I, STORE, V, KEEP, QUEUE),
    ROW(I, FORWARD, I, VOID),
    ROW(V, LOAD_HERE, V, SERVE),
    ROW(V, LOAD, F, FETCH),
    ROW(V, STORE, V, KEEP, QUEUE),
    ROW(V, REPLACE, I, WRITE_OUT, GIVE_UP),
    ROW(V, DROP, ANY, KEEP_WRITTEN),
    ROW(V, DRAIN, A, ASK_FOR_WRITTEN),
    ROW(V, FORWARD, V, VOID),
    ROW(F, LOAD_HERE, F, SERVE),
    ROW(F, LOAD, F, JOIN),
    ROW(F, STORE, F, REFUSE),
    ROW(F, DROP, N, NOTHING),
    ROW(F, DRAIN, G, HOLD),
    ROW(F, FORWARD, F, VOID),
    ROW(F, FILL, V, WAKE, INSTALL, ENTER, RETRY),
    ROW(N, LOAD_HERE, N, REFUSE),
    ROW(N, LOAD, N, REFUSE),
    ROW(N, STORE, N, REFUSE),
    ROW(N, DROP, N, NOTHING),
    ROW(N, DRAIN, G, HOLD),
    ROW(N, FORWARD, N, VOID),
    ROW(N, FILL, ANY, WAKE, KEEP_WRITTEN, RETRY),
    ROW(G, LOAD_HERE, G, SERVE),
    ROW(G, LOAD, G, REFUSE),
    ROW(G, STORE, G, REFUSE),
    ROW(G, DROP, G, NOTHING),
    ROW(G, FORWARD, G, VOID),
    ROW(G, FILL, A, WAKE, ASK),
    OWNED_ROWS,
    REGISTER_ROWS(RELAXED, KEEP_WRITTEN, HOLD),
    REGISTER_ROWS(DEVICE, KEEP_WRITTEN, HOLD),
    REGISTER_ROWS(REMOTE, KEEP_WRITTEN, HOLD),
    ROW(G, RELAXED, G, DEFER),
    ROW(G, DEVICE, G, DEFER),
    ROW(G, REMOTE, G, DEFER),
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {.agent = &agent, .directory = &coherence_directory};

const struct coherence_protocol coherence_denovo_b = {
    .name = "denovo-b",
    .doc = "a release has L1s register every line that they have written, an acquire drops other lines; without scopes",
    .l2 = &coherence_home,
    .probes = true,
    .scopeless = true,
    .orders = {EAGER_ORDERS, [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH},
    .registration = &registration,
};
