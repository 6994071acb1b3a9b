/* Nothing is kept in an L1: every access goes to the L2. The simplest protocol that is right, against which others are
 * checked: a program without races computes the same under each. */
#include "memory/coherence/protocol.h"

enum { ANY = COHERENCE_ANY };

static const struct coherence_row l1[] = {
    {ANY, L1_LOAD_EVENT, ANY, COHERENCE_DO(L1_PASS)},        {ANY, L1_LOAD_PAST_EVENT, ANY, COHERENCE_DO(L1_PASS)},
    {ANY, L1_LOAD_STRONG_EVENT, ANY, COHERENCE_DO(L1_PASS)}, {ANY, L1_LOAD_OWN_EVENT, ANY, COHERENCE_DO(L1_PASS)},
    {ANY, L1_STORE_EVENT, ANY, COHERENCE_DO(L1_SEND)},       {ANY, L1_STORE_OWN_EVENT, ANY, COHERENCE_DO(L1_SEND)},
    {ANY, L1_ATOMIC_EVENT, ANY, COHERENCE_DO(L1_PASS)},      {ANY, L1_ATOMIC_KEEP_EVENT, ANY, COHERENCE_DO(L1_PASS)},
};

const struct coherence_protocol coherence_bypass = {
    .name = "bypass",
    .doc = "L1s keep nothing: every access is served by the L2",
    .l1 = {l1, sizeof l1 / sizeof l1[0]},
    .l2 = &coherence_home,
};
