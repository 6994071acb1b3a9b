/* The load/store unit tells observers of transactions that the L1D takes, and of answers to its requests. */
#include "lsu/lsu.h"
#include "watch/watch.h"

COLD void lsu_tell_transaction(const struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                               bool waits)
{
    uint32_t pc = (uint32_t)(o->decoded - lsu->warp->decoded);
    watch_tell_transaction(lsu->watch, &(struct lockstep_transaction_event){
                                           .cycle = lsu->agenda->now,
                                           .warp = o->slot,
                                           .pc = pc,
                                           .instruction_class = watch_class(&lsu->launch.module->instrs[pc]),
                                           .address = t->address,
                                           .bytes = t->bytes,
                                           .mask = t->lanes,
                                           .waits = waits});
}

COLD void lsu_tell_served(const struct lsu *lsu, const struct packet *p)
{
    if (p->origin)
        watch_tell_served(lsu->watch, &(struct lockstep_served_event){.cycle = lsu->agenda->now,
                                                                      .warp = p->origin % WARP_SLOTS,
                                                                      .pc = p->origin / WARP_SLOTS - 1,
                                                                      .sectors = p->sectors,
                                                                      .missed = p->missed,
                                                                      .dram_bytes = p->dram * PACKET_DRAM_UNIT});
}
