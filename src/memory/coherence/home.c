/* The L2 of protocols in which nothing but the L2 has a copy that counts. A store that misses is passed down, with or
 * without fetching its line, or kept without fetching (GPGPU-Sim's write policies of the L2); an atomic is performed
 * when it is accepted, also when its line is still to come, for values are those of memory. */
#include "memory/coherence/protocol.h"

enum { I = CACHE_ABSENT, P = CACHE_COMING, V = CACHE_THERE, D = CACHE_WRITTEN, ANY = COHERENCE_ANY };

static const struct coherence_row rows[] = {
    {I, L2_READ_EVENT, P, L2_FETCH | L2_READ},
    {P, L2_READ_EVENT, P, L2_JOIN | L2_READ},
    {V, L2_READ_EVENT, V, L2_TOUCH | L2_READ | L2_ANSWER},
    {D, L2_READ_EVENT, D, L2_TOUCH | L2_READ | L2_ANSWER},
    {I, L2_ATOMIC_EVENT, P, L2_FETCH | L2_PERFORM},
    {P, L2_ATOMIC_EVENT, P, L2_JOIN | L2_PERFORM},
    {V, L2_ATOMIC_EVENT, D, L2_TOUCH | L2_PERFORM | L2_DIRTY | L2_ANSWER},
    {D, L2_ATOMIC_EVENT, D, L2_TOUCH | L2_PERFORM | L2_DIRTY | L2_ANSWER},
    {I, L2_STORE_EVENT, I, L2_PASS | L2_MERGE},
    {P, L2_STORE_EVENT, P, L2_PASS | L2_MERGE},
    {V, L2_STORE_EVENT, D, L2_KEEP | L2_ANSWER | L2_MERGE},
    {D, L2_STORE_EVENT, D, L2_KEEP | L2_ANSWER | L2_MERGE},
    {I, L2_STORE_FETCH_EVENT, P, L2_PASS_FETCH | L2_MERGE},
    {P, L2_STORE_FETCH_EVENT, P, L2_PASS_FETCH | L2_MERGE},
    {V, L2_STORE_FETCH_EVENT, D, L2_KEEP | L2_ANSWER | L2_MERGE},
    {D, L2_STORE_FETCH_EVENT, D, L2_KEEP | L2_ANSWER | L2_MERGE},
    {ANY, L2_STORE_LAZY_EVENT, ANY, L2_KEEP | L2_ANSWER | L2_MERGE},
    {ANY, L2_STORE_THROUGH_EVENT, I, L2_PASS | L2_MERGE | L2_GIVE_UP},
    {ANY, L2_FILL_EVENT, ANY, L2_INSTALL},
    {ANY, L2_READ_WOKEN_EVENT, ANY, L2_ANSWER},
    {I, L2_ATOMIC_WOKEN_EVENT, I, L2_ANSWER},
    {P, L2_ATOMIC_WOKEN_EVENT, P, L2_ANSWER},
    {V, L2_ATOMIC_WOKEN_EVENT, D, L2_DIRTY | L2_ANSWER},
    {D, L2_ATOMIC_WOKEN_EVENT, D, L2_DIRTY | L2_ANSWER},
};

const struct coherence_table coherence_home = {rows, sizeof rows / sizeof rows[0]};
