/* Leases: a copy in an L1 ends by itself, when its time is over. In the manner of TC-strong (Singh, Shriraman, Fung,
 * O'Connor and Aamodt, "Cache Coherence for GPU Architectures", HPCA 2013). A plain read takes a copy with a lease of
 * coherence.lease cycles; the slice knows until when the last lease of a line runs, and who writes the line waits there
 * for that time. So nobody has a copy of what is written: a store is acknowledged when all L1s would read it, an
 * acquire drops nothing, and a release waits for acknowledgements alone. Nothing is asked of an L1 and nothing is
 * answered: directories send no message. L1s write through at once, and give up the line that they write. Atomic
 * accesses, relaxed loads among them, are performed in the L2; scopes are not looked at.
 *
 * There is no common clock. The L1 counts from the cycle in which it asks for the line, and the slice from that in
 * which it grants the lease, which comes later: an L1's copy is always given up before the slice takes its lease for
 * over. That is the invariant on which all rests. A fill that comes when its lease is over serves the loads that wait
 * for it, which came before whatever was written since, and is not kept.
 *
 * Where it is simpler than the paper: all leases are equally long, and deadlines are not sent along, for each side
 * counts by itself. A write does not wait for a lease of its own L1, whose copy is given up before. The L2 holds a
 * line's place until its last lease is over. */
#include "memory/coherence/tables.h"

/* An access that is performed in the L2, behind what its L1 has sent before. */
#define IN_L2_ROWS(event)                                                                                              \
    ROW(I, event, I, SEND), ROW(V, event, I, GIVE_UP, SEND), ROW(F, event, N, SEND), ROW(N, event, N, SEND)

static const struct coherence_row rows[] = {
    ROW(I, LOAD, F, FETCH, LEASE),
    ROW(I, STORE, I, SEND),
    ROW(V, LOAD_HERE, V, SERVE),
    ROW(V, STORE, I, GIVE_UP, SEND),
    ROW(V, REPLACE, I, GIVE_UP),
    ROW(V, DROP, I, GIVE_UP),
    ROW(V, TIME_PASSED, I, GIVE_UP),
    ROW(F, LOAD, F, JOIN),
    ROW(F, STORE, F, REFUSE),
    ROW(F, DROP, N, NOTHING),
    ROW(F, TIME_PASSED, N, NOTHING),
    ROW(F, FILL, V, WAKE, INSTALL),
    ROW(N, LOAD, N, REFUSE),
    ROW(N, STORE, N, REFUSE),
    ROW(N, DROP, N, NOTHING),
    ROW(N, FILL, I, WAKE),
    ROW(I, BLOCK, I, SEND),
    ROW(V, BLOCK_HERE, I, GIVE_UP, SEND),
    ROW(F, BLOCK, N, SEND),
    ROW(N, BLOCK, N, SEND),
    IN_L2_ROWS(RELAXED),
    IN_L2_ROWS(DEVICE),
    IN_L2_ROWS(REMOTE),
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {
    .agent = &agent, .directory = &coherence_leased, .rprio = true};

const struct coherence_protocol coherence_lease = {
    .name = "lease",
    .doc = "L1s have copies for a time, and who writes a line waits in the L2 until the last one's is over",
    .l2 = &coherence_home,
    .orders = {[L1_RELEASE] = L1_ORDER_FLUSH,
               [L1_FENCE] = L1_ORDER_FLUSH,
               [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH,
               [L1_BEGIN] = L1_ORDER_DROP,
               [L1_END] = L1_ORDER_FLUSH},
    .registration = &registration,
};
