/* Making an SM of its rooms, and ending one. */
#include <stdlib.h>
#include <string.h>

#include "sm/perform.h"
#include "sm/ports.h"
#include "sm/state.h"

_Static_assert(WATCH_SLOTS == WARP_SLOTS && WATCH_WRITERS_WARPS == WARP_SLOTS, "a hash for each warp");
_Static_assert(sizeof(struct decoded_instr) == 64, "a decoded instruction fills one cache line");
_Static_assert(sizeof(struct core_op) == 64, "an instruction in flight fills one cache line");

#define OWN_BYTES                                                                                                      \
    ((size_t)16 * 1024) /* that an SM's arena begins with: caches and queues make it as large as they are */
#define RUN_BYTES ((size_t)192 * 1024) /* of it for what launches bring: the accesses of the instructions in flight */

/* Several cores keep the order of their memory instructions between them, if those are to keep it. */
static struct sm_shared shared_by_rooms(struct sm *sm)
{
    return (struct sm_shared){
        .sm = sm,
        .params = sm->params,
        .agenda = &sm->agenda,
        .warp = &sm->warp,
        .ops = &sm->ops,
        .line = sm->params->cores > 1 && sm->params->memory_in_order ? &sm->line : NULL,
        .views = &sm->views,
    };
}

static void create_cores(struct sm *sm, const struct sm_shared *shared, const struct lsu_locality *locality,
                         struct arena *own)
{
    struct core_setup setup = {
        .shared = shared,
        .count = sm->params->cores,
        .policy = sm->setup.scheduler,
        .port = sm_core_port(sm->setup.fetch->fills || sm->params->fetch_fills),
        .stopped = &sm->has_fault,
        .memory = lsu_locality_view(locality),
        .arena = &sm->arena,
    };
    sm->core_end = sm->cores + setup.count;
    EACH_CORE (sm, core) {
        core_init(core, &setup, own);
        setup.number++;
    }
}

static void create_lsu(struct sm *sm, const struct sm_shared *shared, struct lsu_locality *locality, struct arena *own)
{
    const struct sm_setup *from = &sm->setup;
    lsu_init(&sm->lsu,
             &(struct lsu_setup){
                 .shared = shared,
                 .index = from->index,
                 .sm_count = from->sm_count,
                 .l1i = from->l1i,
                 .l1c = from->l1c,
                 .l1d = from->l1d,
                 .protocol = from->protocol,
                 .coherence = from->coherence,
                 .partition = from->partition,
                 .requests = from->requests,
                 .replies = from->replies,
                 .probes = from->probes,
                 .acknowledgements = from->acknowledgements,
                 .cluster_requests = from->cluster_requests,
                 .cluster_replies = from->cluster_replies,
                 .casts = from->casts,
                 .early = from->early,
                 .local_base = from->local_base,
                 .port = sm_lsu_port(sm->spinning.spin != NULL),
                 .core = sm->cores,
                 .core_end = sm->core_end,
                 .locality = locality,
                 .watch = &sm->watch,
             },
             own);
}

static void create_fetch(struct sm *sm, const struct sm_shared *shared, struct arena *own)
{
    bool shares = sm->setup.neighbours != NULL;
    fetch_init(&sm->fetch,
               &(struct fetch_setup){
                   .shared = shared,
                   .l1i = sm->setup.l1i,
                   .policy = sm->setup.fetch,
                   .port = &sm_fetch_port,
                   .queue = &sm->lsu.net.instructions,
                   .shares = shares,
                   .member = shares ? sm->setup.index % sm->params->l1i_sharers : 0,
                   .code_base = sm->setup.code_base,
               },
               own);
}

struct sm *sm_create(const struct sm_setup *setup, struct arena *arena)
{
    arena_alloc(arena, SM_STAGGER, 64);
    struct sm *sm = arena_alloc(arena, sizeof *sm + setup->params->cores * sizeof(struct core), _Alignof(struct sm));
    const struct sm_params *p = setup->params;
    sm->setup = *setup;
    sm->params = p;
    struct arena *own = &sm->arena; /* so that SMs which different threads step lie apart */
    arena_init_within(own, arena, OWN_BYTES);
    sm->storage.device = arena;
    bool sees_memory = setup->scheduler->needs & LOCKSTEP_NEEDS_MEMORY;
    struct lsu_locality *locality = sees_memory ? lsu_locality_new(setup->l1d, own) : NULL;
    const struct sm_shared shared = shared_by_rooms(sm);
    create_cores(sm, &shared, locality, own);
    sm_spinning_create(sm, own);
    create_lsu(sm, &shared, locality, own);
    create_fetch(sm, &shared, own);
    async_init(&sm->async, &(struct async_setup){&shared, &sm_async_port, &sm->lsu, sm->setup.store});
    sm->completion = (struct sm_completion){.shared = shared,
                                            .cores = sm->cores,
                                            .cores_end = sm->core_end,
                                            .watch = &sm->watch,
                                            .port = &sm_completion_port};
    core_ops_init(&sm->ops);
    sm->free_blocks = mask_low(p->blocks);
    arena_reserve(own, RUN_BYTES);
    return sm;
}

void sm_destroy(struct sm *sm)
{
    for (unsigned i = 0; i < WARP_SLOTS; i++)
        simt_warp_free(&sm->warp.slots[i].simt);
    core_ops_free(&sm->ops);
    lsu_free(&sm->lsu);
    async_free(&sm->async);
    vec_free(&sm->unsynced);
    vec_free(&sm->strays);
    vec_free(&sm->lines);
    vec_free(&sm->barrier_events);
    watch_phases_free(&sm->consumers.phases);
    sm_spinning_free(sm);
    arena_free(&sm->arena);
}
