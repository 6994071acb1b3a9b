/* Barriers of clusters in the functional mode: what a block does there, the others hear at once. */
#include "gpu/functional.h"

#include "base/bits.h"

/* Phases end in all blocks of the cluster in which they can. */
static void open_cluster(struct frun *f, const struct fblock *b)
{
    for (unsigned rank = 0; rank < f->run->grid.cluster_blocks; rank++) {
        struct fblock *peer = functional_peer(f, b, rank);
        uint64_t released = 0;
        if (!peer->place || !sm_cluster_open(&peer->place->cluster, rank, f->run->grid.cluster_blocks, &released))
            continue;
        peer->waiting &= ~released;
        peer->at_cluster &= ~released;
    }
}

/* The block has arrived, or ended: the others of its cluster hear so. */
void functional_tell_cluster(struct frun *f, const struct fblock *b, bool ended)
{
    for (unsigned rank = 0; rank < f->run->grid.cluster_blocks; rank++) {
        struct fblock *peer = functional_peer(f, b, rank);
        if (!peer->place || (peer == b && !ended))
            continue;
        if (ended)
            sm_cluster_ended(&peer->place->cluster, b->simt.rank);
        else
            sm_cluster_came(&peer->place->cluster, b->simt.rank, b->place->cluster.parity);
    }
    open_cluster(f, b);
}

void functional_arrive_at_cluster(struct frun *f, struct fblock *b, unsigned w, const struct simt_result *r)
{
    struct sm_cluster *c = &b->place->cluster;
    b->place->waits[w] = r->barrier;
    if (r->barrier.mode == ISA_BARRIER_ARRIVE) {
        if (sm_cluster_arrive(c, w, b->running, b->simt.rank))
            functional_tell_cluster(f, b, false);
    } else if (sm_cluster_waits(c, w)) {
        b->waiting |= BIT64(w);
        b->at_cluster |= BIT64(w);
    }
}
