/* GPUs without coherence between L1s, as GPGPU-Sim models them: global memory is written through and its line
 * given up (write-evict), nobody owns a line, and an acquire drops all of global memory. Local memory, which no other
 * thread sees, is written back. */
#include "memory/coherence/protocol.h"

enum { I = CACHE_ABSENT, P = CACHE_COMING, V = CACHE_THERE, D = CACHE_WRITTEN, ANY = COHERENCE_ANY };

static const struct coherence_row l1[] = {
    {I, L1_LOAD_EVENT, P, COHERENCE_DO(L1_FETCH)},
    {P, L1_LOAD_EVENT, P, COHERENCE_DO(L1_JOIN)},
    {V, L1_LOAD_EVENT, V, COHERENCE_DO(L1_SERVE)},
    {D, L1_LOAD_EVENT, D, COHERENCE_DO(L1_SERVE)},
    {ANY, L1_LOAD_PAST_EVENT, ANY, COHERENCE_DO(L1_PASS)},
    {ANY, L1_LOAD_STRONG_EVENT, I, COHERENCE_DO(L1_PASS)},
    {I, L1_LOAD_OWN_EVENT, P, COHERENCE_DO(L1_FETCH)},
    {P, L1_LOAD_OWN_EVENT, P, COHERENCE_DO(L1_JOIN)},
    {V, L1_LOAD_OWN_EVENT, V, COHERENCE_DO(L1_SERVE)},
    {D, L1_LOAD_OWN_EVENT, D, COHERENCE_DO(L1_SERVE)},
    {ANY, L1_STORE_EVENT, I, COHERENCE_DO(L1_SEND)},
    {I, L1_STORE_OWN_EVENT, I, COHERENCE_DO(L1_SEND)},
    {P, L1_STORE_OWN_EVENT, P, COHERENCE_DO(L1_SEND)},
    {V, L1_STORE_OWN_EVENT, D, COHERENCE_DO(L1_KEEP)},
    {D, L1_STORE_OWN_EVENT, D, COHERENCE_DO(L1_KEEP)},
    {ANY, L1_ATOMIC_EVENT, I, COHERENCE_DO(L1_PASS)},
    {ANY, L1_ATOMIC_KEEP_EVENT, ANY, COHERENCE_DO(L1_PASS)},
    {ANY, L1_FILL_EVENT, ANY, COHERENCE_DO(L1_INSTALL, L1_WAKE)},
};

const struct coherence_protocol coherence_gpu = {
    .name = "gpu",
    .doc = "L1s write global memory through and give the line up, own nothing, and drop it all at an acquire",
    .l1 = {l1, sizeof l1 / sizeof l1[0]},
    .l2 = &coherence_home,
    .orders = {[L1_ACQUIRE] = L1_ORDER_DROP, [L1_FENCE] = L1_ORDER_DROP, [L1_REMOTE_ACQUIRE] = L1_ORDER_DROP},
};
