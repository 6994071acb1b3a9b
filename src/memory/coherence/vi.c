/* The scoped protocol of GPUs, with L1s that keep what they have written until it is released: the baseline of the hLRC
 * paper (MICRO 2016, section IV and the left side of Table 3 without its remote rows). At the scope of the block
 * nothing leaves the L1; at a wider one a release flushes it, an acquire drops its lines, and the access is the L2's.
 */
#include "memory/coherence/tables.h"

static const struct coherence_registration registration = {.agent = &coherence_write_through,
                                                           .directory = &coherence_no_directory};

const struct coherence_protocol coherence_vi = {
    .name = "vi",
    .doc =
        "L1s write through a store queue, and honour scopes: a release flushes the queue, an acquire drops the lines",
    .l2 = &coherence_home,
    .probes = false,
    .orders = {EAGER_ORDERS, [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH},
    .registration = &registration,
};
