/* Races: accesses of one word that conflict, and that nothing orders. */
#include <string.h>

#include "sanitize/state.h"

#define WEAK_WARPS 70 /* targets below this one execute the lanes of a warp together: sm_70 */

static struct sanitize_crew *crew_of(const struct sanitize *s, const struct sanitize_mark *mark)
{
    return &s->crews.items[mark->crew - 1];
}

static struct sanitize_warp *warp_of(struct sanitize *s, const struct sanitize_mark *mark)
{
    const struct sanitize_crew *crew = crew_of(s, mark);
    return sanitize_warp_at(s, crew->sm, crew->slot);
}

/* The first access, which may be one that writes, happens before the second, which happens now. */
static bool ordered(struct sanitize *s, const struct sanitize_mark *first, bool writes,
                    const struct sanitize_mark *second)
{
    if (sanitize_is_earlier(s, first))
        return sanitize_launch_known(s, &warp_of(s, second)->known, first);
    if (first->copy)
        return sanitize_copy_is_known(s, first, !writes, warp_of(s, second), second);
    if (first->crew == second->crew)
        return first->lane == second->lane || first->epoch < second->epoch || s->module->target_sm < WEAK_WARPS;
    const struct sanitize_crew *crew = crew_of(s, first);
    return sanitize_known(&warp_of(s, second)->known, crew->sm, crew->slot) >= first->epoch;
}

/* Both are strong, and of scopes that include both threads. */
static bool morally_strong(const struct sanitize *s, const struct sanitize_mark *a, const struct sanitize_mark *b)
{
    bool same_block = crew_of(s, a)->block == crew_of(s, b)->block;
    return a->strong && b->strong && (same_block || (a->wide && b->wide));
}

/* Nothing has to order them. */
static bool may_meet(const struct sanitize *s, const struct sanitize_mark *a, const struct sanitize_mark *b)
{
    return morally_strong(s, a, b) && !a->is_volatile && !b->is_volatile;
}

/* The second's warp has read what the first's wrote behind its fence, and would know the first by a fence of its own.
 */
static bool waits_for_fence(struct sanitize *s, const struct sanitize_mark *first, const struct sanitize_mark *second)
{
    const struct sanitize_crew *crew = crew_of(s, first);
    const struct sanitize_warp *w = warp_of(s, second);
    if (sanitize_is_earlier(s, first))
        return sanitize_launch_known(s, &w->pending[SANITIZE_DEVICE], first);
    return sanitize_known(&w->pending[SANITIZE_DEVICE], crew->sm, crew->slot) >= first->epoch ||
           sanitize_known(&w->pending[SANITIZE_BLOCK], crew->sm, crew->slot) >= first->epoch;
}

/* How far a fence has to reach that orders the one before the other. */
static enum sanitize_scope scope_between(const struct sanitize *s, const struct sanitize_mark *a,
                                         const struct sanitize_mark *b)
{
    return crew_of(s, a)->block == crew_of(s, b)->block ? SANITIZE_BLOCK : SANITIZE_DEVICE;
}

/* The first lies in a critical section whose thread has not fenced since it took the lock, and the second in one of the
 * same lock. In this order they are ordered, in the other one they would not be. */
static bool begins_bare(const struct sanitize *s, const struct sanitize_mark *first, const struct sanitize_mark *second)
{
    return sanitize_only_locked(s, first, second) && !first->is_atomic && !may_meet(s, first, second) &&
           first->epoch < crew_of(s, first)->section.bare_until[scope_between(s, first, second)];
}

/* The second is a copy in bulk, which may not see what the first has stored: no fence of proxies was between. */
static bool is_unseen(const struct sanitize *s, const struct sanitize_mark *first, const struct sanitize_mark *second)
{
    const struct sanitize_crew *crew = crew_of(s, first);
    return second->proxied && !first->copy && !sanitize_is_earlier(s, first) && sanitize_known(&s->proxied, crew->sm, crew->slot) < first->epoch;
}

/* Volatile accesses race where nothing orders them unless threads wait at the word. Behind a read that saw a release,
 * what is performed where all see it comes behind that release: an atomic; and a volatile access, but for one behind a
 * lock. */
static bool races(struct sanitize *s, const struct sanitize_mark *first, bool first_writes,
                  const struct sanitize_mark *second, bool second_writes)
{
    if (ordered(s, first, first_writes, second))
        return begins_bare(s, first, second) || (!second_writes && is_unseen(s, first, second));
    if (may_meet(s, first, second))
        return false;
    if (first->copy || second->copy)
        return true;
    bool follows = second->is_atomic || (second->is_volatile && !warp_of(s, second)->polls_lock);
    return !(follows && waits_for_fence(s, first, second));
}

/* Reasons */

static enum sanitize_reason reason_of(struct sanitize *s, const struct sanitize_mark *first, bool first_writes,
                                      const struct sanitize_mark *second, uint32_t *via)
{
    const struct sanitize_crew *crew = crew_of(s, first);
    bool in_order = ordered(s, first, first_writes, second);
    if (sanitize_is_earlier(s, first) && !waits_for_fence(s, first, second))
        return sanitize_awaits(s, first) ? SANITIZE_NO_DEPENDENCY : SANITIZE_NO_STREAM;
    if (second->copy)
        return in_order ? SANITIZE_NO_PROXY_FENCE : SANITIZE_EARLY_COPY;
    if (first->copy)
        return sanitize_copy_is_done(s, first, !first_writes) ? SANITIZE_UNTOLD_COPY : SANITIZE_NO_COPY_WAIT;
    if (first->crew == second->crew)
        return SANITIZE_NO_SYNCWARP;
    if (in_order) {
        *via = crew->section.taken;
        return SANITIZE_BARE_LOCK;
    }
    if (first->strong && second->strong && !morally_strong(s, first, second))
        return SANITIZE_NARROW_ACCESS;
    if (waits_for_fence(s, first, second)) {
        *via = warp_of(s, second)->polled;
        return SANITIZE_NO_ACQUIRE;
    }
    if (crew->block == crew_of(s, second)->block)
        return SANITIZE_NO_BARRIER;
    if (crew->fenced[SANITIZE_DEVICE] >= first->epoch)
        return SANITIZE_UNRELATED;
    if (crew->fenced[SANITIZE_BLOCK] >= first->epoch)
        return SANITIZE_NARROW_FENCE;
    *via = crew->told;
    return SANITIZE_NO_FENCE;
}

static struct sanitize_access access_of(const struct sanitize *s, const struct sanitize_mark *mark, bool writes)
{
    const struct sanitize_crew *crew = crew_of(s, mark);
    struct sanitize_access access = {.pc = mark->pc,
                                     .warp = crew->warp,
                                     .lane = mark->lane,
                                     .writes = writes,
                                     .strong = mark->strong,
                                     .copies = mark->copy != 0,
                                     .launch = sanitize_launch_of(s, mark)};
    memcpy(access.block, crew->index, sizeof access.block);
    return access;
}

/* Findings */

static bool same_access(const struct sanitize_access *a, const struct sanitize_access *b)
{
    return a->pc == b->pc && a->writes == b->writes && a->launch == b->launch;
}

bool sanitize_same_finding(const struct sanitize_finding *a, const struct sanitize_finding *b)
{
    bool same = same_access(&a->first, &b->first) && same_access(&a->second, &b->second);
    bool turned = same_access(&a->first, &b->second) && same_access(&a->second, &b->first);
    return a->same_value == b->same_value && (a->reason == b->reason || a->same_value) && (same || turned);
}

bool sanitize_waited(const struct sanitize *s, const struct sanitize_finding *f)
{
    return f->loose && (f->cell->waited || (!f->first.launch && s->polls[f->first.pc]) || s->polls[f->second.pc]);
}

/* Of accesses that are none if threads wait at the word, one at another word is shown. */
static void count_to(const struct sanitize *s, struct sanitize_finding *of, const struct sanitize_finding *finding)
{
    uint64_t count = of->count + 1;
    if (sanitize_waited(s, of))
        *of = *finding;
    of->count = count;
}

void sanitize_found(struct sanitize *s, const struct sanitize_finding *finding)
{
    for (size_t i = 0; i < s->findings.count; i++)
        if (sanitize_same_finding(&s->findings.items[i], finding)) {
            count_to(s, &s->findings.items[i], finding);
            return;
        }
    if (s->findings.count < SANITIZE_FINDINGS)
        vec_push(&s->findings, *finding);
}

void sanitize_check_written(struct sanitize *s, const struct sanitize_mark *mark, const struct sanitize_block *block,
                            uint64_t address, uint32_t bytes, uint64_t cycle)
{
    if (sanitize_never_written(s, block, address, bytes))
        sanitize_found_unwritten(s, mark, block ? LOCKSTEP_SHARED : LOCKSTEP_GLOBAL, address, bytes, cycle);
}

void sanitize_found_unwritten(struct sanitize *s, const struct sanitize_mark *mark, uint32_t space, uint64_t address,
                              uint32_t bytes, uint64_t cycle)
{
    struct sanitize_finding finding = {.reason = SANITIZE_NEVER_WRITTEN,
                                       .space = space,
                                       .via = ISA_PC_NONE,
                                       .address = address,
                                       .bytes = bytes,
                                       .cycle = cycle,
                                       .count = 1};
    finding.first = finding.second = access_of(s, mark, false);
    sanitize_found(s, &finding);
}

static struct sanitize_finding finding_of(struct sanitize *s, const struct sanitize_mark *first, bool first_writes,
                                          const struct sanitize_mark *second, bool second_writes,
                                          const struct sanitize_finding *at)
{
    struct sanitize_finding finding = *at;
    finding.via = ISA_PC_NONE;
    finding.first = access_of(s, first, first_writes);
    finding.second = access_of(s, second, second_writes);
    finding.loose = morally_strong(s, first, second);
    finding.count = 1;
    return finding;
}

/* The second accesses the word behind the first, and one of them writes. */
static void meet(struct sanitize *s, const struct sanitize_mark *first, bool first_writes,
                 const struct sanitize_mark *second, bool second_writes, const struct sanitize_finding *at)
{
    if (!first->crew || !(first->bytes & second->bytes))
        return;
    if (races(s, first, first_writes, second, second_writes)) {
        struct sanitize_finding finding = finding_of(s, first, first_writes, second, second_writes, at);
        finding.reason = reason_of(s, first, first_writes, second, &finding.via);
        bool clustered = at->space == LOCKSTEP_SHARED && crew_of(s, first)->block != crew_of(s, second)->block;
        if (clustered && (finding.reason == SANITIZE_NO_FENCE || finding.reason == SANITIZE_UNRELATED))
            finding.reason = SANITIZE_NO_CLUSTER;
        sanitize_found(s, &finding);
    } else if (sanitize_only_locked(s, first, second) && !may_meet(s, first, second)) {
        struct sanitize_unfenced unfenced = {.scope = scope_between(s, first, second),
                                             .finding = finding_of(s, first, first_writes, second, second_writes, at)};
        unfenced.finding.reason = SANITIZE_BARE_UNLOCK;
        sanitize_await_fence(warp_of(s, second), &unfenced);
    }
}

/* Cells */

static void remember_read(struct sanitize *s, struct sanitize_cell *cell, const struct sanitize_mark *mark)
{
    for (unsigned i = 0; i < 2; i++) {
        struct sanitize_mark *read = &cell->reads[i];
        bool own = read->crew == mark->crew && !read->copy == !mark->copy;
        if (own && read->epoch == mark->epoch && !read->strong && mark->strong)
            return; /* the weak one races with more */
        if (own || !read->crew || ordered(s, read, false, mark)) {
            *read = *mark;
            return;
        }
    }
    cell->reads[1] = cell->reads[0];
    cell->reads[0] = *mark;
}

static void remember_write(struct sanitize_cell *cell, const struct sanitize_mark *mark, const uint32_t *value)
{
    cell->write = *mark;
    cell->valued = value != NULL;
    cell->value = value ? *value : 0;
    cell->reads[0] = cell->reads[1] = (struct sanitize_mark){0};
}

void sanitize_touch(struct sanitize *s, struct sanitize_cell *cell, const struct sanitize_mark *mark, bool writes,
                    const uint32_t *value, const struct sanitize_finding *at)
{
    struct sanitize_finding here = *at;
    here.cell = cell;
    here.same_value = writes && value && cell->valued && cell->write.bytes == mark->bytes && cell->value == *value;
    meet(s, &cell->write, true, mark, writes, &here);
    here.same_value = false;
    for (unsigned i = 0; writes && i < 2; i++)
        meet(s, &cell->reads[i], false, mark, true, &here);
    if (writes)
        remember_write(cell, mark, value);
    else
        remember_read(s, cell, mark);
}
