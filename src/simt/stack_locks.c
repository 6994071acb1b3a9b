/* Locks in the reconvergence stack (scalar synchronization thesis, chapter 4). Lanes that ask for locks are a retry
 * entry (LR) above the entry in which they came, their base; those that got one, a lock entry (L) above that. The three
 * are there in this order while lanes are in a critical section, whatever stands above them: a retry entry never moves
 * on, and a lock entry meets nobody. Lanes that give up asking part from the base, and go on when all that asked with
 * them are through or have given up too.
 *
 * Holding. A lane is in one retry entry for each lock that it has, and in one more while it waits for another. Giving
 * one back takes it out of the topmost one, whichever lock that was: in any order of nesting, a lane that is in a retry
 * entry has a lock, and goes on in the lock entry at the top, so that it gives all back before others of its warp ask
 * again. A lane that is in none is *through*. It leaves its lock entries and goes on in the highest entry that has it:
 * at once; or at the end of its branch, if it is in one inside the critical section; or, if it is in a function that
 * was called inside, when it has returned to the lock entry. So lanes that give back in several places all come to
 * where their branch inside the critical section meets. If some come to one place and some to another, the later ones
 * part from the base as an entry of their own.
 *
 * A retry entry without lanes, whose lock entry is the top, has nobody who waits: the lanes go on in the entry below.
 *
 * Calls. The entries that have a lane, retry entries aside, are its own stack; what lies between may be others'. Lanes
 * that return with a lock which they took in the call keep their lock entry, which from then on is the caller's. Those
 * that have not returned have the call's second entry above it. When the lanes are through, they are elsewhere than
 * the lanes that return to the caller later: its entry waits for these, so that all go on together.
 *
 * Reconvergence. A lane that holds a lock does not stop where a branch before the lock meets; it leaves the entry that
 * was to meet there. `past` has the lanes that are to leave the highest group below their lock entry, which happens
 * before anything else is put on the stack for them. A lane that came past a branch which is outside all its locks, at
 * which others wait, has `skipped` it (the thesis, Example 12). Where that is no error, it comes out where it is, and
 * the others meet it there. */
#include <string.h>

#include "base/bits.h"
#include "simt/stack_impl.h"

static bool is_retry(const struct simt_path *entry)
{
    return entry->kind == SIMT_ENTRY_RETRY || entry->kind == SIMT_ENTRY_RETRY_LEFT;
}

static bool is_lock(const struct simt_path *entry)
{
    return entry->kind == SIMT_ENTRY_LOCK;
}

static bool same_frame(const struct simt_frame *a, const struct simt_frame *b)
{
    return a->function == b->function && a->reg_base == b->reg_base && a->pred_base == b->pred_base &&
           a->local_base == b->local_base;
}

/* Lanes that have locks or wait for some. */
static uint64_t lanes_inside(const struct simt_paths *stack)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < stack->count; i++)
        lanes |= is_retry(&stack->table[i]) ? stack->table[i].mask : 0;
    return lanes;
}

static void insert(struct simt_paths *stack, uint32_t at, struct simt_path entry)
{
    simt_paths_push(stack, entry);
    memmove(&stack->table[at + 1], &stack->table[at], (stack->count - 1 - at) * sizeof entry);
    stack->table[at] = entry;
}

/* ---- coming out ---- */

/* Why the lanes of a group have parted from a base, in its `spent`: they came out of a critical section; gave up; or
 * got a semaphore, with which they must not be kept waiting. */
enum { GOT_ON, CAME_OUT, GAVE_UP };

/* Where a group that parts from an entry meets others: a call's or a lock's entry keeps all its lanes, and has them
 * meet nowhere. */
static uint32_t reconvergence_of(const struct simt_path *entry)
{
    return stack_is_group(entry) ? entry->until : ISA_PC_NONE;
}

/* The retry entry to which entry i is the base, if it is one: between the two there are only groups that have parted
 * from it. */
static struct simt_path *retry_above(const struct simt_paths *stack, uint32_t i)
{
    do
        i++;
    while (i < stack->count && stack->table[i].kind == SIMT_ENTRY_PARTED);
    return i < stack->count && is_retry(&stack->table[i]) ? &stack->table[i] : NULL;
}

/* Lanes of a base go on at another place than those before them: they are an entry of their own above it. They meet
 * where the base does; a base that meets nobody, or from which they gave up asking, waits for them where those before
 * them are. Returns those that are where they meet, which entries below are to deal with. */
static uint64_t part_from(struct simt_paths *stack, uint32_t base, uint64_t mask, uint32_t pc, uint16_t why)
{
    struct simt_path group = stack->table[base];
    bool sooner = why == GAVE_UP && stack->module; /* than where the base meets others */
    bool leaves = reconvergence_of(&group) != ISA_PC_NONE && !sooner;
    group.until = leaves ? group.until : group.pc;
    group.kind = SIMT_ENTRY_PARTED;
    group.spent = why;
    group.mask = mask;
    group.pc = pc;
    if (leaves)
        stack->table[base].mask &= ~mask;
    if (pc == group.until)
        return leaves ? mask : 0;
    uint32_t i = base + 1;
    for (; i < stack->count && stack->table[i].kind == SIMT_ENTRY_PARTED; i++)
        if (stack->table[i].pc == pc && stack->table[i].until == group.until) {
            stack->table[i].mask |= mask;
            return 0;
        }
    insert(stack, i, group);
    return 0;
}

/* The first lanes come back to a base: those that gave up will meet them there. */
static void come_back(struct simt_paths *stack, uint32_t base, struct simt_path *retry, uint32_t pc)
{
    stack->table[base].pc = pc;
    retry->kind = SIMT_ENTRY_RETRY_LEFT;
    for (uint32_t i = base + 1; &stack->table[i] < retry; i++)
        if (stack->table[i].until == retry->pc)
            stack->table[i].until = pc;
}

/* Entry i meets nobody, and its lanes of mask are at pc: its other lanes, an entry of their own now, come there too. */
static void wait_for_rest(struct simt_paths *stack, uint32_t i, uint64_t mask, uint32_t pc)
{
    struct simt_path rest = stack->table[i];
    rest.kind = SIMT_ENTRY_PARTED;
    rest.until = pc;
    rest.mask &= ~mask;
    stack->table[i].pc = pc;
    if (rest.mask)
        insert(stack, i + 1, rest);
}

/* The lanes, which no entry from number `above` on has any more, go on at pc in the highest entries that have them. */
static void come_out_as(struct simt_paths *stack, uint64_t mask, uint32_t above, uint32_t pc, uint16_t why)
{
    for (uint32_t i = above; mask && i-- > 0;) {
        const struct simt_path *entry = &stack->table[i];
        uint64_t here = is_retry(entry) ? 0 : entry->mask & mask;
        if (!here)
            continue;
        mask &= ~here;
        struct simt_path *retry = retry_above(stack, i);
        if (retry && retry->kind == SIMT_ENTRY_RETRY && entry->pc == retry->pc)
            come_back(stack, i, retry, pc);
        else if (entry->pc != pc && (retry || pc < entry->pc || reconvergence_of(entry) != ISA_PC_NONE))
            mask |= part_from(stack, i, here, pc, why);
        else if (entry->pc != pc)
            wait_for_rest(stack, i, here, pc);
    }
}

static void come_out(struct simt_paths *stack, uint64_t mask, uint32_t above, uint32_t pc)
{
    come_out_as(stack, mask, above, pc, CAME_OUT);
}

/* ---- coming past where branches meet ---- */

/* The highest group below entry i, in its frame, that has the lane; count: there is none. */
static uint32_t group_below(const struct simt_paths *stack, uint32_t i, unsigned lane)
{
    for (uint32_t k = i; k-- > 0;) {
        const struct simt_path *entry = &stack->table[k];
        if (mask_has(entry->mask, lane) && stack_is_group(entry) && same_frame(&entry->frame, &stack->table[i].frame))
            return k;
    }
    return stack->count;
}

static uint32_t topmost_lock(const struct simt_paths *stack, unsigned lane)
{
    for (uint32_t i = stack->count; i-- > 0;)
        if (is_lock(&stack->table[i]) && mask_has(stack->table[i].mask, lane))
            return i;
    return stack->count;
}

/* Those of the lanes that are past where a group of theirs meets leave it. */
static void leave_passed(struct simt_paths *stack, uint64_t lanes)
{
    for (uint64_t rest = lanes & stack->past; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        stack->table[group_below(stack, topmost_lock(stack, lane), lane)].mask &= ~BIT64(lane);
    }
    stack->past &= ~lanes;
}

static uint32_t lowest_retry(const struct simt_paths *stack, unsigned lane)
{
    uint32_t i = 0;
    while (!(is_retry(&stack->table[i]) && mask_has(stack->table[i].mask, lane)))
        i++;
    return i;
}

/* True if other lanes wait where group i meets, or are on their way there: in the entry that waits there, or in groups
 * between the two. */
static bool is_awaited(const struct simt_paths *stack, uint32_t i)
{
    const struct simt_path *group = &stack->table[i];
    for (uint32_t k = i; k-- > 0;) {
        const struct simt_path *entry = &stack->table[k];
        if (is_retry(entry) || !same_frame(&entry->frame, &group->frame))
            continue;
        bool waits = entry->pc == group->until, comes = stack_is_group(entry) && entry->until == group->until;
        if ((waits || comes) && (entry->mask & ~group->mask))
            return true;
        if (waits)
            return false;
    }
    return false;
}

/* The lane, with a lock, is where group i meets. If that is a branch outside all its locks, others wait in vain. */
static void pass(struct simt_paths *stack, uint32_t i, unsigned lane)
{
    stack->past |= BIT64(lane);
    if (stack->table[i].kind == SIMT_ENTRY_NORMAL && i < lowest_retry(stack, lane) && is_awaited(stack, i))
        stack->skipped |= BIT64(lane);
}

/* The top is a lock entry: its lanes are past the groups that meet where it is; it goes `until` the next such place. */
static void come_past(struct simt_paths *stack)
{
    struct simt_path *top = stack_top(stack);
    uint32_t nearest = 0;
    top->until = ISA_PC_NONE;
    for (uint64_t rest = top->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint32_t left = stack->count - 1, group = group_below(stack, left, lane);
        if (mask_has(stack->past, lane)) {
            left = group;
            group = group_below(stack, left, lane);
        }
        for (; group < stack->count && stack->table[group].until == top->pc; group = group_below(stack, left, lane)) {
            if (mask_has(stack->past, lane))
                stack->table[left].mask &= ~BIT64(lane);
            left = group;
            pass(stack, group, lane);
        }
        if (group < stack->count && group >= nearest) {
            nearest = group;
            top->until = stack->table[group].until;
        }
    }
}

/* ---- settling ---- */

/* Lanes of the top, which is the lock entry number i or an entry above it, are through. */
static void leave_lock(struct simt_paths *stack, uint64_t through, uint32_t i)
{
    uint32_t pc = stack_top(stack)->pc;
    for (uint32_t k = i; k < stack->count; k++)
        stack->table[k].mask &= ~through;
    come_out(stack, through, i - 1, pc);
}

/* True if the lanes of the lock entry at the top, below which no lanes wait, can go on in the entry below before all
 * others: that entry has all of them, as their base or alone, and they are not past where it meets. */
static bool can_dissolve(const struct simt_paths *stack)
{
    uint64_t lanes = stack_top(stack)->mask;
    const struct simt_path *retry = stack_top(stack) - 1;
    uint32_t i = stack->count - 2;
    if (retry->mask || (lanes & stack->past))
        return false;
    while (i > 0 && !stack->table[i].mask)
        i--;
    const struct simt_path *below = &stack->table[i];
    return !is_retry(below) && !(lanes & ~below->mask) && (below->mask == lanes || retry_above(stack, i) == retry);
}

static void dissolve(struct simt_paths *stack)
{
    struct simt_path lock = *stack_top(stack);
    stack->count--;
    come_out(stack, lock.mask, stack->count - 1, lock.pc);
    stack->count--;
    stack->asked--;
}

/* The top is a lock entry, or a call's second one. True: something changed. */
static bool settle_lock(struct simt_paths *stack)
{
    struct simt_path *top = stack_top(stack);
    uint64_t through = top->mask & ~lanes_inside(stack);
    if (through) {
        uint32_t i = stack->count - 1;
        while (!is_lock(&stack->table[i]))
            i--;
        leave_lock(stack, through, i);
        return true;
    }
    if (!is_lock(top))
        return false;
    if (can_dissolve(stack)) {
        dissolve(stack);
        return true;
    }
    come_past(stack);
    return false;
}

/* The retry entry that was the top is popped, and nobody came back to its base: those that gave up, and wait to hear
 * where they meet, do at the furthest place at which they are. */
static void meet_without_lock(struct simt_paths *stack, uint32_t pc)
{
    uint32_t base = stack->count - 1, last = 0;
    for (; base > 0 && stack->table[base].kind == SIMT_ENTRY_PARTED && stack->table[base].until == pc; base--)
        last = stack->table[base].pc > last ? stack->table[base].pc : last;
    for (uint32_t i = base + 1; i < stack->count; i++)
        stack->table[i].until = stack->table[base].pc = last;
}

/* Where the lanes of a base, and those that have parted from it, all come. When there is no such place, or none is
 * known: the furthest to which lanes came out. */
static uint32_t common_point(const struct simt_paths *stack, uint32_t base)
{
    uint32_t here = stack->table[base].pc, last = here, common = here;
    for (uint32_t i = base + 1; i < stack->count; i++) {
        const struct simt_path *group = &stack->table[i];
        if (group->until != here)
            continue;
        last = group->spent == CAME_OUT && group->pc > last ? group->pc : last;
        if (stack->module && common != ISA_PC_NONE)
            common = isa_reconvergence_point(stack->module, &stack->module->functions[group->frame.function], common,
                                             group->pc);
    }
    return stack->module && common != ISA_PC_NONE ? common : last;
}

/* The retry entry that was the top is popped. Lanes that gave up, or came out elsewhere, do not come to where its base
 * is, if that is in a branch or behind them: all come to where they meet. But who holds a lock further out waits for
 * nobody that may ask for it. */
static void meet_beyond(struct simt_paths *stack)
{
    uint32_t base = stack->count - 1;
    while (base > 0 && stack->table[base].kind == SIMT_ENTRY_PARTED)
        base--;
    uint32_t here = stack->table[base].pc, last = common_point(stack, base);
    uint64_t parted = 0;
    for (uint32_t i = base + 1; i < stack->count; i++)
        parted |= stack->table[i].until == here ? stack->table[i].mask : 0;
    if (last == here || !parted || (stack->table[base].mask & lanes_inside(stack)))
        return;
    for (uint32_t i = base + 1; i < stack->count; i++)
        if (stack->table[i].until == here)
            stack->table[i].until = last;
    wait_for_rest(stack, base, parted, last);
}

/* One step of settling the top; false: it is settled. */
static bool settle_top(struct simt_paths *stack)
{
    struct simt_path *top = stack_top(stack);
    if ((is_lock(top) || top->kind == SIMT_ENTRY_CALL_LOCKED) && top->mask)
        return settle_lock(stack);
    if (!stack_is_done(top))
        return false;
    stack->count--;
    stack->asked -= is_retry(top);
    if (is_retry(top) && stack->count) {
        if (top->kind == SIMT_ENTRY_RETRY)
            meet_without_lock(stack, top->pc);
        else
            meet_beyond(stack);
        return true;
    }
    if (top->mask) /* some may have given their lock back in this entry, and are in the one below no more */
        come_out(stack, top->mask, stack->count, top->pc);
    return true;
}

void stack_settle_locks(struct simt_paths *stack)
{
    while (stack->count && settle_top(stack))
        ;
}

/* ---- asking ---- */

void stack_ask(struct simt_paths *stack, uint64_t mask)
{
    struct simt_path retry = *stack_top(stack);
    if (is_retry(&retry))
        return;
    leave_passed(stack, mask);
    retry.kind = SIMT_ENTRY_RETRY;
    retry.until = ISA_PC_NONE;
    retry.mask = mask;
    stack->asked++;
    simt_paths_push(stack, retry);
    stack->now = stack_top(stack);
}

/* Lanes give up asking. */
static void give_up(struct simt_paths *stack, uint64_t mask, uint32_t pc)
{
    uint32_t base = stack->count - 1;
    while (mask && base-- > 0) {
        uint64_t here = is_retry(&stack->table[base]) ? 0 : stack->table[base].mask & mask;
        mask &= ~here;
        uint64_t met = here ? part_from(stack, base, here, pc, GAVE_UP) : 0;
        if (met)
            come_out(stack, met, base, pc);
    }
}

void stack_answer(struct simt_paths *stack, const struct simt_answer *a)
{
    struct simt_path *retry = stack_top(stack);
    contract(is_retry(retry));
    retry->mask &= ~a->over;
    if (!a->kept) {
        uint64_t all = retry->mask;
        retry->mask = 0;
        come_out_as(stack, all, stack->count - 1, a->next, GOT_ON);
    }
    if (a->over)
        give_up(stack, a->over, a->target);
    if (a->kept && a->got) {
        struct simt_path lock = *stack_top(stack);
        lock.pc = a->next;
        lock.mask = a->got;
        lock.kind = SIMT_ENTRY_LOCK;
        simt_paths_push(stack, lock);
    }
    stack_settle(stack);
}

/* The others ask, and the lanes of mask have given up at once. */
void stack_part(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    stack_ask(stack, stack_top(stack)->mask & ~mask);
    give_up(stack, mask, next);
    stack->now = stack_top(stack);
}

/* ---- giving back ---- */

/* Takes the lanes out of the topmost retry entry that has them, and, where that is not the topmost of all, out of what
 * lies between in their call: the topmost lock entry is where they go on. Returns those that are through. */
static uint64_t leave_retries(struct simt_paths *stack, uint64_t given, uint32_t topmost, uint32_t first)
{
    uint64_t through = 0;
    for (uint32_t k = topmost + 1; given && k-- > 0;) {
        uint64_t group = is_retry(&stack->table[k]) ? stack->table[k].mask & given : 0;
        given &= ~group;
        stack->table[k].mask &= ~group;
        for (uint32_t i = k > first ? k : first; i < topmost; i++)
            stack->table[i].mask &= ~group;
        through |= group;
    }
    return through & ~lanes_inside(stack);
}

/* Takes lanes that are through out of what they have in their call from their lowest lock entry to the topmost one. */
static void leave_locks(struct simt_paths *stack, uint64_t through, uint32_t topmost, uint32_t first)
{
    uint64_t inside = 0;
    for (uint32_t i = first; i <= topmost; i++) {
        inside |= is_lock(&stack->table[i]) ? stack->table[i].mask & through : 0;
        stack->table[i].mask &= ~inside;
    }
}

uint64_t stack_give(struct simt_paths *stack, uint64_t given, uint32_t next)
{
    uint64_t mask = stack_top(stack)->mask, skipped = 0;
    uint32_t retry = stack->count, call = stack_innermost_call(stack, mask), first = call < stack->count ? call + 1 : 0;
    stack_top(stack)->pc = next;
    while (retry > 0 && !is_retry(&stack->table[retry - 1]))
        retry--;
    leave_passed(stack, given);
    uint64_t through = retry ? leave_retries(stack, given, retry - 1, first) : 0;
    if (through) {
        skipped = through & stack->skipped;
        stack->skipped &= ~through;
        leave_locks(stack, through, retry, first);
        if (retry == stack->count - 1)
            come_out(stack, through, retry - 1, next);
    }
    stack_settle(stack);
    return skipped;
}

/* ---- calls ---- */

void stack_locks_call(struct simt_paths *stack, uint64_t mask)
{
    leave_passed(stack, mask);
}

/* Lock entry i, whose lanes return, is the caller's: they go on in it at `to`. Those that have not returned have the
 * call's second entry. */
static void return_with_lock(struct simt_paths *stack, uint32_t i, const struct simt_path *to)
{
    struct simt_path call = stack->table[i];
    call.kind = SIMT_ENTRY_CALL_LOCKED;
    call.until = ISA_PC_NONE;
    stack->table[i].pc = to->pc;
    stack->table[i].until = ISA_PC_NONE;
    stack->table[i].frame = to->frame;
    insert(stack, i + 1, call);
}

/* Those of the lanes, which return, that have taken all their locks in the call: nobody waits for them any more where
 * they came past. */
static uint64_t took_in_call(const struct simt_paths *stack, uint64_t mask)
{
    uint32_t call = stack->count - 1;
    while (mask && (stack->table[call].kind != SIMT_ENTRY_CALL || !(stack->table[call].mask & mask)))
        call--;
    uint64_t lanes = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        lanes |= call < lowest_retry(stack, mask_first(rest)) ? rest & -rest : 0;
    return lanes;
}

void stack_locks_return(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    struct simt_path *top = stack_top(stack);
    const struct simt_frame frame = top->frame;
    uint32_t call = stack_innermost_call(stack, mask);
    const struct simt_path to = stack->table[stack_below(stack, call, mask)];
    top->pc = next;
    leave_passed(stack, stack->past);
    stack->skipped &= ~took_in_call(stack, mask & stack->skipped);
    for (uint32_t i = 0; i < stack->count; i++)
        if (is_lock(&stack->table[i]) && (stack->table[i].mask & mask) && same_frame(&stack->table[i].frame, &frame))
            return_with_lock(stack, i, &to);
    for (uint32_t i = 0; i < stack->count; i++)
        if (!is_retry(&stack->table[i]) && same_frame(&stack->table[i].frame, &frame))
            stack->table[i].mask &= ~mask;
}

/* ---- what is always so ---- */

/* The lane's entries, retry entries aside, are a stack of its own: a group is in the frame of what lies below it, and a
 * lock entry in that of one of those. */
static bool lane_holds(const struct simt_paths *stack, unsigned lane)
{
    for (uint32_t i = 1; i < stack->count; i++) {
        const struct simt_path *entry = &stack->table[i];
        if (!mask_has(entry->mask, lane) || is_retry(entry))
            continue;
        uint32_t below = stack_below(stack, i, BIT64(lane));
        if (below == stack->count)
            return false;
        if (entry->kind == SIMT_ENTRY_CALL)
            continue;
        while (is_lock(entry) && below < stack->count && !same_frame(&stack->table[below].frame, &entry->frame))
            below = stack_below(stack, below, BIT64(lane));
        bool same = below < stack->count && same_frame(&stack->table[below].frame, &entry->frame);
        if (same == (entry->kind == SIMT_ENTRY_CALL_LOCKED))
            return false;
    }
    return true;
}

/* Retry entries are as many as the stack says, each lock entry stands on one, and who came past a reconvergence point
 * is in a critical section. */
bool stack_locks_hold(const struct simt_paths *stack)
{
    uint32_t asked = 0;
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct simt_path *entry = &stack->table[i];
        asked += is_retry(entry);
        lanes |= entry->mask;
        if (is_lock(entry) && (i < 2 || !is_retry(entry - 1)))
            return false;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        if (!lane_holds(stack, mask_first(rest)))
            return false;
    for (uint64_t rest = stack->past; rest; rest &= rest - 1) {
        uint32_t lock = topmost_lock(stack, mask_first(rest));
        if (lock == stack->count || group_below(stack, lock, mask_first(rest)) == stack->count)
            return false;
    }
    return asked == stack->asked && !((stack->past | stack->skipped) & ~lanes_inside(stack));
}
