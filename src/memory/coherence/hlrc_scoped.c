/* hLRC with scopes (MICRO 2016, section V.C): an atomic access at the scope of the block is performed in an L1 that has
 * registered its line, as under hlrc; one at a wider scope in the L2, for which the owner gives the line back. Such a
 * release flushes the L1, and such an acquire drops its lines. */
#include "memory/coherence/tables.h"

static const struct coherence_row rows[] = {
    WRITE_THROUGH_ROWS,
    DROPPED_FILL_ROWS,
    LAZY_ROWS,
    REGISTER_ROWS(BLOCK_HERE, WRITE_OUT, GIVE_UP),
    REGISTER_ROWS(BLOCK, WRITE_OUT, GIVE_UP),
    LEAVING_ROWS(BLOCK_HERE),
    LEAVING_ROWS(BLOCK),
    AT_HOME_ROWS(DEVICE),
    AT_HOME_ROWS(REMOTE),
    LEAVING_ROWS(DEVICE),
    LEAVING_ROWS(REMOTE),
    ROW(A, DEVICE, A, DEFER),
    ROW(R, DEVICE, E, DEFER, FLUSH),
    ROW(W, DEVICE, W, DEFER),
    ROW(A, REMOTE, A, DEFER),
    ROW(R, REMOTE, E, DEFER, FLUSH),
    ROW(W, REMOTE, W, DEFER),
    RELAXED_ROWS,
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {
    .agent = &agent, .directory = &coherence_directory, .rprio = true};

const struct coherence_protocol coherence_hlrc_scoped = {
    .name = "hlrc-scoped",
    .doc = "as hlrc at the scope of the block; at wider ones the L2 performs, a release flushes and an acquire drops",
    .l2 = &coherence_home,
    .probes = true,
    .orders = {EAGER_ORDERS, [L1_REMOTE_RELEASE] = L1_ORDER_FLUSH},
    .registration = &registration,
};
