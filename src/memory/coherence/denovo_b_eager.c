/* DeNovo-B (denovo_b.c) with L1s that ask for registration at the store, not at the release: the line keeps its bytes
 * meanwhile, and a release waits for registrations that are still under way. */
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
    OWNED_ROWS,
    REGISTER_ROWS(RELAXED, GIVE_UP),
    REGISTER_ROWS(DEVICE, GIVE_UP),
    REGISTER_ROWS(REMOTE, GIVE_UP),
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {.agent = &agent, .directory = &coherence_directory};

const struct coherence_protocol coherence_denovo_b_eager = {
    .name = "denovo-b-eager",
    .doc = "as denovo-b, but a line is registered at the store, not at the release",
    .l2 = &coherence_home,
    .probes = true,
    .scopeless = true,
    .orders = {EAGER_ORDERS, [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH},
    .registration = &registration,
};
