/* Heterogeneous lazy release consistency (hLRC, MICRO 2016, section III and the right side of Table 3). An atomic
 * access is performed in the L1 that has registered its line. Acquires and releases do nothing else: what was written
 * before leaves an L1 when a registration does (atomic out), and lines are dropped when one comes (atomic in). Scopes
 * are not looked at. Relaxed accesses are performed here where the line is registered here, and else in the L2
 * (tables.h says why not in another L1), and register nothing; fences flush and drop (section III.C.3). */
#include "memory/coherence/tables.h"

static const struct coherence_row rows[] = {
    WRITE_THROUGH_ROWS,
    DROPPED_FILL_ROWS,
    LAZY_ROWS,
    REGISTER_ROWS(BLOCK_HERE, WRITE_OUT, GIVE_UP),
    REGISTER_ROWS(BLOCK, WRITE_OUT, GIVE_UP),
    REGISTER_ROWS(DEVICE, WRITE_OUT, GIVE_UP),
    REGISTER_ROWS(REMOTE, WRITE_OUT, GIVE_UP),
    LEAVING_ROWS(BLOCK_HERE),
    LEAVING_ROWS(BLOCK),
    LEAVING_ROWS(DEVICE),
    LEAVING_ROWS(REMOTE),
    RELAXED_ROWS,
};

static const struct coherence_table agent = {rows, sizeof rows / sizeof rows[0]};
static const struct coherence_registration registration = {
    .agent = &agent, .directory = &coherence_directory, .rprio = true};

const struct coherence_protocol coherence_hlrc = {
    .name = "hlrc",
    .doc = "L1s register the lines of atomics; they flush when a registration goes, and drop lines when one comes",
    .l2 = &coherence_home,
    .probes = true,
    .orders = {[L1_FENCE] = L1_ORDER_FLUSH | L1_ORDER_DROP, [L1_BEGIN] = L1_ORDER_DROP, [L1_END] = L1_ORDER_FLUSH},
    .registration = &registration,
};
