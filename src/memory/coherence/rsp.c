/* Remote-scope promotion (the left side of Table 3 of the hLRC paper, after Orr et al., ASPLOS 2015, and Wickerson et
 * al., OOPSLA 2015): as under scopes alone, and an access at remote scope reaches what other L1s did at the scope of
 * their blocks. Its slice asks every L1 to flush, to drop, and to put atomic accesses at the scope of the block aside
 * meanwhile. A slice serves one such access at a time; an L1 counts who has locked it, so slices need not wait for each
 * other. */
#include "memory/coherence/tables.h"

static const struct coherence_registration registration = {
    .agent = &coherence_write_through,
    .directory = &coherence_no_directory,
    .remote = {{REMOTE_ACCESS, REMOTE_FLUSH},
               {REMOTE_LOCK, REMOTE_FLUSH, REMOTE_DROP, REMOTE_ACCESS, REMOTE_DROP, REMOTE_UNLOCK},
               {REMOTE_LOCK, REMOTE_FLUSH, REMOTE_DROP, REMOTE_ACCESS, REMOTE_FLUSH, REMOTE_DROP, REMOTE_UNLOCK}},
};

const struct coherence_protocol coherence_rsp = {
    .name = "rsp",
    .doc = "as vi, and an access at remote scope makes every L1 flush, drop and hold back (remote-scope promotion)",
    .l2 = &coherence_home,
    .probes = true,
    .orders = {EAGER_ORDERS}, /* a slice that takes a remote release has the L1 flush */
    .registration = &registration,
};
