/* Copies that go on beside the threads that ask for them, and the mbarriers at which they count.
 *
 * A copy touches memory from when it is asked for until somebody knows that it is done. Its bytes are marked when it is
 * asked for (sanitize_mark.copy), against what its thread knows then: who has used the place before must have told that
 * thread. From then on an access of one of these bytes, by whichever thread, comes behind the copy only if its thread
 * knows that the copy is done: by the epoch in which the thread that asked for it waited for its group, or by the phase
 * of an mbarrier in which its last bytes counted. Phases of mbarriers stand in vector clocks as epochs of warps do, so
 * who waits for one tells others with what it tells them. PTX ISA, "Data Movement and Conversion Instructions:
 * Asynchronous copy", "mbarrier".
 *
 * Copies in bulk see memory by a proxy of their own: what a thread has stored before they read it they see only behind
 * a fence.proxy.async (PTX ISA, "Proxies"). Here one by any thread that knew of the store will do. */
#include <string.h>

#include "base/bits.h"
#include "isa/mod_values.h"
#include "sanitize/state.h"

/* Groups */

static uint32_t new_copy(struct sanitize *s, const struct sanitize_warp *w)
{
    struct sanitize_copy copy = {.crew = w->crew, .open = {~UINT64_C(0), ~UINT64_C(0)}};
    vec_push(&s->copies, copy);
    return (uint32_t)s->copies.count;
}

/* Copies of a warp's lanes that it has not committed yet, of cp.async or in bulk. */
static struct sanitize_group *open_group(struct sanitize_warp *w, bool bulk)
{
    for (size_t i = 0; i < w->groups.count; i++)
        if (!w->groups.items[i].commit && w->groups.items[i].bulk == bulk && !w->groups.items[i].sealed)
            return &w->groups.items[i];
    return NULL;
}

static uint32_t join_group(struct sanitize *s, struct sanitize_warp *w, unsigned lane, bool bulk)
{
    struct sanitize_group *group = open_group(w, bulk);
    if (!group) {
        vec_push(&w->groups, (struct sanitize_group){.copy = new_copy(s, w), .bulk = bulk});
        group = &w->groups.items[w->groups.count - 1];
    }
    group->lanes |= BIT64(lane);
    return group->copy;
}

static void commit(struct sanitize_warp *w, uint64_t lanes, bool bulk)
{
    struct sanitize_commits *c = &w->commits[bulk];
    size_t count = w->groups.count;
    c->lanes[c->count++ % SANITIZE_COMMITS] = lanes;
    for (size_t i = 0; i < count; i++) {
        struct sanitize_group *group = &w->groups.items[i], rest = *group;
        if (group->commit || group->bulk != bulk || !(group->lanes & lanes))
            continue;
        rest.lanes &= ~lanes;
        rest.sealed = true;
        group->lanes &= lanes;
        group->commit = c->count;
        if (rest.lanes) /* lanes that have not committed theirs */
            vec_push(&w->groups, rest);
    }
}

/* Groups that the lane has committed behind that one. */
static uint64_t commits_behind(const struct sanitize_commits *c, uint64_t commit, unsigned lane)
{
    uint64_t behind = 0;
    if (c->count - commit > SANITIZE_COMMITS)
        return UINT64_MAX;
    for (uint64_t i = commit; i < c->count; i++)
        behind += mask_has(c->lanes[i % SANITIZE_COMMITS], lane);
    return behind;
}

/* The lanes know that the copy is done, or (source) has read its source, from that epoch on. */
static void close_copy(struct sanitize *s, uint32_t number, uint64_t lanes, uint32_t epoch, bool source)
{
    struct sanitize_copy *copy = &s->copies.items[number - 1];
    copy->open[source] &= ~lanes;
    if (!copy->epoch[source])
        copy->epoch[source] = epoch;
}

/* A wait of the lanes for all groups of a kind but the latest, or (all) for whatever copies there are. */
static void wait(struct sanitize *s, struct sanitize_warp *w, const struct isa_instr *instr, uint64_t lanes)
{
    bool bulk = instr->op == ISA_OP_BULK_WAIT, all = instr->op == ISA_OP_CP_WAIT_ALL;
    uint64_t most = all ? 0 : instr->src[0].value;
    size_t kept = 0;
    for (size_t i = 0; i < w->groups.count; i++) {
        struct sanitize_group group = w->groups.items[i];
        uint64_t done = 0;
        for (uint64_t rest = group.bulk == bulk && (all || group.commit) ? group.lanes & lanes : 0; rest;
             rest &= rest - 1)
            if (all || commits_behind(&w->commits[bulk], group.commit, mask_first(rest)) >= most)
                done |= rest & -rest;
        if (done)
            close_copy(s, group.copy, done, w->epoch, true);
        if (done && !instr->mods.read) {
            close_copy(s, group.copy, done, w->epoch, false);
            group.lanes &= ~done;
        }
        if (group.lanes)
            w->groups.items[kept++] = group;
    }
    w->groups.count = kept;
}

void sanitize_groups(struct sanitize *s, struct sanitize_warp *w, const struct isa_instr *instr, uint64_t lanes)
{
    switch (instr->op) {
    case ISA_OP_CP_COMMIT:
    case ISA_OP_BULK_COMMIT:
        commit(w, lanes, instr->op == ISA_OP_BULK_COMMIT);
        break;
    case ISA_OP_CP_WAIT:
    case ISA_OP_CP_WAIT_ALL:
    case ISA_OP_BULK_WAIT:
        wait(s, w, instr, lanes);
        break;
    default:
        break;
    }
}

/* mbarriers */

/* The mbarrier of a cell, which gets a place in vector clocks if it has none: a column of the row that its SM has for
 * mbarriers. There are SANITIZE_WARPS columns; further mbarriers share them. */
static struct sanitize_sync *object_of(struct sanitize *s, uint32_t sm, struct sanitize_cell *cell)
{
    struct sanitize_sync *sync = sanitize_sync_of(s, cell);
    if (!sync->has_phases) {
        sync->has_phases = true;
        sync->row = s->sms + sm;
        sync->column = (uint8_t)(s->objects[sm]++ % SANITIZE_WARPS);
    }
    return sync;
}

static uint32_t *ended_of(struct sanitize *s, const struct sanitize_sync *sync)
{
    return &s->phases[(sync->row - s->sms) * SANITIZE_WARPS + sync->column];
}

static void end_phase(struct sanitize *s, struct sanitize_sync *sync)
{
    uint32_t phase = ++*ended_of(s, sync);
    sanitize_learn(&sync->wide, &sync->pending, s->rows);
    sanitize_learn_epoch(&sync->wide, sync->row, sync->column, phase, s->rows);
}

/* The lanes' copies are done once the phase of the mbarrier that goes on is over. */
static void count_at(struct sanitize *s, struct sanitize_copy *copy, const struct sanitize_sync *sync, uint64_t lanes)
{
    struct sanitize_counted now = {
        .lanes = lanes, .row = sync->row, .phase = *ended_of(s, sync) + 1, .column = sync->column};
    struct sanitize_counted *at = &copy->counted[0];
    if (at->lanes && (at->row != now.row || at->column != now.column || at->phase != now.phase))
        at = &copy->counted[1];
    if (at->row == now.row && at->column == now.column && at->phase == now.phase)
        now.lanes |= at->lanes;
    *at = now;
}

static struct sanitize_flight *flight_of(struct sanitize *s, uint32_t sm, uint32_t copy,
                                         const struct sanitize_block *block)
{
    for (size_t i = 0; i < s->flights[sm].count; i++) {
        struct sanitize_flight *flight = &s->flights[sm].items[i];
        if (flight->copy == copy && flight->block == block->number)
            return flight;
    }
    return NULL;
}

/* Bytes of a copy have come. */
static void land(struct sanitize *s, const struct lockstep_mbarrier_event *e, const struct sanitize_block *block,
                 const struct sanitize_sync *sync)
{
    struct sanitize_flight *flight = flight_of(s, e->sm, e->copy, block);
    if (!flight)
        return;
    flight->left -= e->bytes < flight->left ? e->bytes : flight->left;
    if (flight->left)
        return;
    count_at(s, &s->copies.items[flight->mark - 1], sync, ~UINT64_C(0));
    *flight = s->flights[e->sm].items[--s->flights[e->sm].count];
}

void sanitize_mbarrier(struct sanitize *s, uint32_t sm, const struct lockstep_mbarrier_event *e)
{
    struct sanitize_block *block = sanitize_block_at(s, sm, e->block);
    struct sanitize_cell *cell = sanitize_cell_at(s, block, e->address);
    if (!cell)
        return;
    struct sanitize_sync *sync = object_of(s, sm, cell);
    if (e->copy)
        land(s, e, block, sync);
    if (e->ended)
        end_phase(s, sync);
}

void sanitize_arrive_behind(struct sanitize *s, struct sanitize_warp *w, uint64_t lanes, struct sanitize_cell *cell)
{
    const struct sanitize_sync *sync = object_of(s, s->crews.items[w->crew - 1].sm, cell);
    for (size_t i = 0; i < w->groups.count; i++) {
        struct sanitize_group *group = &w->groups.items[i];
        if (group->bulk || !(group->lanes & lanes))
            continue;
        count_at(s, &s->copies.items[group->copy - 1], sync, group->lanes & lanes);
        group->sealed = true;
    }
}

/* Copies that are done */

bool sanitize_copy_is_done(const struct sanitize *s, const struct sanitize_mark *mark, bool source)
{
    const struct sanitize_copy *copy = &s->copies.items[mark->copy - 1];
    return !mask_has(copy->open[source], mark->lane) || mask_has(copy->counted[0].lanes, mark->lane);
}

bool sanitize_copy_is_known(const struct sanitize *s, const struct sanitize_mark *mark, bool source,
                            const struct sanitize_warp *w, const struct sanitize_mark *by)
{
    const struct sanitize_copy *copy = &s->copies.items[mark->copy - 1];
    const struct sanitize_crew *crew = &s->crews.items[copy->crew - 1];
    for (unsigned i = 0; i < 2; i++) {
        const struct sanitize_counted *c = &copy->counted[i];
        if (mask_has(c->lanes, mark->lane) && sanitize_known(&w->known, c->row, c->column) >= c->phase)
            return true;
    }
    if (mask_has(copy->open[source], mark->lane))
        return false;
    if (copy->crew == by->crew)
        return mark->lane == by->lane || copy->epoch[source] < by->epoch;
    return sanitize_known(&w->known, crew->sm, crew->slot) >= copy->epoch[source];
}

/* Copies that begin */

/* The number of the struct sanitize_copy for an event's copy: copies whose threads learn in one way that they are done,
 * by a wait for their group or for a phase of their mbarrier, share one. Copies that count at an mbarrier go to shared
 * memory. */
static uint32_t copy_of(struct sanitize *s, uint32_t sm, struct sanitize_warp *w, const struct lockstep_copy_event *e,
                        const struct sanitize_block *to)
{
    if (e->kind == LOCKSTEP_COPY_LANE || e->mbarrier == LOCKSTEP_NO_MBARRIER)
        return join_group(s, w, e->lane, e->kind == LOCKSTEP_COPY_BULK);
    struct sanitize_flight *flight = flight_of(s, sm, e->copy, to);
    if (!flight) {
        uint32_t mark = new_copy(s, w);
        vec_push(&s->flights[sm], (struct sanitize_flight){.copy = e->copy, .mark = mark, .block = to->number});
        flight = &s->flights[sm].items[s->flights[sm].count - 1];
    }
    flight->left += e->bytes;
    return flight->mark;
}

/* One end of a copy's part. */
struct side {
    struct sanitize_block *block; /* of shared memory; NULL: device memory */
    uint64_t address;
    bool reads, writes;
};

static void touch(struct sanitize *s, const struct side *side, const struct lockstep_copy_event *e,
                  struct sanitize_mark *mark)
{
    struct sanitize_finding at = {.space = side->block ? LOCKSTEP_SHARED : LOCKSTEP_GLOBAL, .cycle = e->cycle};
    for (uint64_t word = sanitize_word_at(side->address); word < side->address + e->bytes; word += SANITIZE_WORD) {
        struct sanitize_cell *cell = sanitize_cell_at(s, side->block, word);
        mark->bytes = sanitize_bytes_in(word, side->address, e->bytes);
        at.address = word;
        if (cell)
            sanitize_touch(s, cell, mark, side->writes, NULL, &at);
    }
}

/* Bytes are written with the copy, if its source's were; what fills a place always is. */
static void pass_written(struct sanitize *s, const struct side *from, const struct side *to,
                         const struct lockstep_copy_event *e)
{
    for (uint32_t i = 0; i < e->bytes; i++) {
        bool hosts = sanitize_is_hosts(s, from->block, from->address + i);
        bool never = from->reads && !hosts && sanitize_never_written(s, from->block, from->address + i, 1);
        if (!never)
            sanitize_write_bytes(s, to->block, to->address + i, 1);
        else if (!e->reduces)
            sanitize_unwrite_byte(s, to->block, to->address + i);
    }
}

void sanitize_copy_begins(struct sanitize *s, uint32_t sm, struct sanitize_warp *w, struct sanitize_block *block,
                          const struct lockstep_copy_event *e)
{
    bool near = e->to_space == LOCKSTEP_SHARED, far = e->to_space == LOCKSTEP_CLUSTER;
    struct side from = {.block = e->from_space == LOCKSTEP_SHARED ? block : NULL,
                        .address = e->from,
                        .reads = e->from_space != LOCKSTEP_GENERIC};
    struct side to = {.block = near  ? block
                               : far ? sanitize_peer(s, block, LOCKSTEP_CLUSTER_RANK(e->to))
                                     : NULL,
                      .address = far ? LOCKSTEP_CLUSTER_OFFSET(e->to) : e->to,
                      .reads = e->reduces,
                      .writes = true};
    struct sanitize_mark mark = {.crew = w->crew,
                                 .epoch = w->epoch,
                                 .pc = e->pc,
                                 .lane = (uint8_t)e->lane,
                                 .proxied = e->kind == LOCKSTEP_COPY_BULK};
    if (far && !to.block) /* it has ended */
        return;
    mark.copy = copy_of(s, sm, w, e, to.block);
    if (s->checks & SANITIZE_RACES && from.reads)
        touch(s, &from, e, &mark);
    mark.strong = mark.wide = mark.is_atomic = e->reduces;
    if (s->checks & SANITIZE_RACES)
        touch(s, &to, e, &mark);
    if (!(s->checks & SANITIZE_UNWRITTEN))
        return;
    if (e->reduces && !sanitize_is_hosts(s, to.block, to.address))
        sanitize_check_written(s, &mark, to.block, to.address, e->bytes, e->cycle);
    pass_written(s, &from, &to, e);
}

/* Other blocks of the cluster */

struct sanitize_block *sanitize_peer(struct sanitize *s, struct sanitize_block *block, unsigned rank)
{
    uint32_t index[3], of = rank;
    if (rank >= SANITIZE_PEERS)
        return NULL;
    for (unsigned i = 0; i < 3; of /= s->cluster[i++])
        index[i] = block->index[i] / s->cluster[i] * s->cluster[i] + of % s->cluster[i];
    struct sanitize_block *known = block->peers[rank];
    if (known && known->number && memcmp(known->index, index, sizeof index) == 0)
        return known;
    for (uint32_t i = 0; i < s->sms * SANITIZE_WARPS; i++)
        if (s->blocks[i].number && memcmp(s->blocks[i].index, index, sizeof index) == 0)
            return block->peers[rank] = &s->blocks[i];
    return NULL;
}
