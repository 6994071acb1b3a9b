/* The post-dominator reconvergence stack with call entries, as a way to diverge. The last path of the table, the top,
 * has the turn. A divergent branch turns the top into the entry that waits at the branch's immediate post-dominator and
 * pushes one entry per group of lanes; an entry that comes to where it goes `until` pops. Call entries never
 * reconverge by program counter, so lanes at different depths of a recursion do not merge (scalar synchronization
 * thesis, Example 2). After every operation the top has lanes and is not where it reconverges, or nothing is left.
 *
 * When the lanes of the top part ways, the top becomes the entry that waits where they meet again and one entry per
 * group goes on top of it. If the top is itself on its way to that very place, an entry below it waits there already,
 * and the groups replace it. A call entry is never replaced: it marks where the frame begins and holds all its lanes
 * until they have returned. Groups that already stand at the meeting place are not pushed.
 *
 * Locks (the thesis, chapter 4): lanes that ask for locks are a retry entry (LR) above the entry in which they came,
 * their base; those that got one, a lock entry (L) above that. The three are there in this order while lanes are in a
 * critical section, whatever stands above them: a retry entry never moves on, and a lock entry meets nobody. Lanes that
 * give up asking part from the base, and go on when all that asked with them are through or have given up too.
 * Giving a lock back takes lanes out of the topmost retry entry that has them. As long as another one has them, they
 * hold locks further out, and go on in the lock entry at the top, so that they give those back before others of their
 * warp ask again. When none has them, they leave the lock entry and go on in their base: at once, or, if they are in a
 * branch of their own, at the place where that ends. So lanes that give back in several places all come to where their
 * branch inside the critical section meets; if some come to one place and some to another, the later ones part from the
 * base as an entry of their own. A retry entry without lanes, whose lock entry is the top, has nobody who waits: the
 * lanes are in the base again.
 *
 * Barriers of the block: lanes that wait there for others of their warp have the barrier's key. If no entry above has
 * any lane of an entry (it is a leaf), it may change places with those above it: none of them meets there. So when the
 * top has to wait, the topmost leaf that does not becomes the top. What an entry was pushed on is below it still, but
 * there may be other entries, of other lanes, between the two. While lanes ask for locks or have them, nothing moves. A
 * leaf that waits and is the top again executes its barrier again: others have ended, or wait too. */
#include "simt/stack.h"

#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "simt/divergence.h"

enum {
    ENTRY_NORMAL = SIMT_ENTRY_NORMAL,
    ENTRY_PARTED = SIMT_ENTRY_PARTED,
    ENTRY_CALL = SIMT_ENTRY_CALL,
    ENTRY_RETRY = SIMT_ENTRY_RETRY,
    ENTRY_RETRY_LEFT = SIMT_ENTRY_RETRY_LEFT,
    ENTRY_LOCK = SIMT_ENTRY_LOCK,
    ENTRY_LOCK_PAST = SIMT_ENTRY_LOCK_PAST,
    ENTRY_KINDS
};

static inline struct simt_path *top_of(const struct simt_paths *stack)
{
    return &stack->table[stack->count - 1];
}

/* A group of lanes on their way to where they meet others. */
static bool is_group(const struct simt_path *entry)
{
    return entry->kind == ENTRY_NORMAL || entry->kind == ENTRY_PARTED;
}

static bool done(const struct simt_path *top)
{
    return !top->mask || (is_group(top) && top->pc == top->until);
}

static void settle_locks(struct simt_paths *stack);

/* Pops entries that are empty or stand at their reconvergence point. */
static void settle(struct simt_paths *stack)
{
    if (RARELY(stack->asked))
        settle_locks(stack);
    else
        while (stack->count && done(top_of(stack)))
            stack->count--;
    stack->now = stack->count ? top_of(stack) : NULL;
}

/* Makes the top wait for all its lanes at `reconverge`, or takes it off if an entry below does. Returns what the groups
 * pushed on it start from. */
static struct simt_path wait_at(struct simt_paths *stack, uint32_t reconverge)
{
    struct simt_path *top = top_of(stack);
    struct simt_path group = *top;
    group.kind = ENTRY_NORMAL;
    group.until = reconverge;
    if (is_group(top) && top->until == reconverge)
        stack->count--;
    else
        top->pc = reconverge;
    return group;
}

static void push_group(struct simt_paths *stack, const struct simt_path *from, uint64_t mask, uint32_t pc)
{
    if (!mask || (pc == from->until && !stack->asked)) /* where locks are held, settling says who goes on there */
        return;
    struct simt_path group = *from;
    group.mask = mask;
    group.pc = pc;
    simt_paths_push(stack, group);
}

static void advance_some(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    const struct simt_path *top = top_of(stack);
    uint64_t others = top->mask & ~mask;
    if (!others) {
        simt_advance(stack, next);
        return;
    }
    uint32_t here = top->pc;
    struct simt_path group = wait_at(stack, next);
    push_group(stack, &group, others, here);
    stack->now = top_of(stack);
}

HOT static void branch(struct simt_paths *stack, uint64_t taken, uint32_t target, uint32_t fallthrough,
                       uint32_t reconverge)
{
    uint64_t mask = top_of(stack)->mask;
    taken &= mask;
    if (taken == mask || !taken || target == fallthrough) {
        simt_advance(stack, taken ? target : fallthrough);
        return;
    }
    struct simt_path group = wait_at(stack, reconverge);
    push_group(stack, &group, mask & ~taken, fallthrough);
    push_group(stack, &group, taken, target);
    settle(stack);
}

/* Groups are pushed in order of their lowest lane, that of the lowest lane on top. */
static void branch_each(struct simt_paths *stack, const uint32_t *next, uint32_t reconverge)
{
    uint64_t mask = top_of(stack)->mask;
    uint64_t groups[64];
    unsigned count = 0;
    for (uint64_t rest = mask; rest; rest &= ~groups[count++])
        groups[count] = simt_lanes_going_to(next, next[mask_first(rest)], rest);
    if (count == 1) {
        simt_advance(stack, next[mask_first(mask)]);
        return;
    }
    struct simt_path group = wait_at(stack, reconverge);
    while (count-- > 0)
        push_group(stack, &group, groups[count], next[mask_first(groups[count])]);
    settle(stack);
}

static void call(struct simt_paths *stack, uint64_t mask, uint32_t entry, uint32_t next, const struct simt_frame *frame)
{
    struct simt_path *top = top_of(stack);
    uint64_t others = top->mask & ~mask;
    if (others) {
        uint32_t here = top->pc;
        struct simt_path group = wait_at(stack, next);
        push_group(stack, &group, others, here);
        /* The caller's entry, for caller(). It has arrived when the callee returns. */
        group.mask = mask;
        group.pc = next;
        simt_paths_push(stack, group);
    } else {
        top->pc = next;
    }
    simt_paths_push(stack, (struct simt_path){
                               .pc = entry, .until = ISA_PC_NONE, .mask = mask, .kind = ENTRY_CALL, .frame = *frame});
    stack->now = top_of(stack);
}

/* The highest entry below number i that has lanes of it; count: there is none. */
static uint32_t below(const struct simt_paths *stack, uint32_t i)
{
    uint64_t mask = stack->table[i].mask;
    while (i-- > 0)
        if (stack->table[i].mask & mask)
            return i;
    return stack->count;
}

/* Index of the entry of the innermost call that the top's lanes are in, or count when there is none. */
static uint32_t innermost_call(const struct simt_paths *stack)
{
    uint64_t mask = top_of(stack)->mask;
    for (uint32_t i = stack->count; i-- > 0;)
        if (stack->table[i].kind == ENTRY_CALL && (stack->table[i].mask & mask))
            return i;
    return stack->count;
}

/* Takes the lanes out of all entries from `first` up; the top's other lanes go on at next. */
static void leave(struct simt_paths *stack, uint32_t first, uint64_t mask, uint32_t next)
{
    top_of(stack)->pc = next;
    for (uint32_t i = first; i < stack->count; i++)
        stack->table[i].mask &= ~mask;
    settle(stack);
}

/* The lanes leave every entry of the call's frame. When none of the frame is left, the caller's entry is the top. */
static void ret(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    uint32_t call = innermost_call(stack);
    leave(stack, call < stack->count ? call : 0, mask, next);
}

static void end(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    leave(stack, 0, mask, next);
}

static const struct simt_path *caller(const struct simt_paths *stack)
{
    uint32_t call = innermost_call(stack), from = call < stack->count ? below(stack, call) : call;
    return from < stack->count ? &stack->table[from] : NULL;
}

/* ---- locks ---- */

static bool is_retry(const struct simt_path *entry)
{
    return entry->kind == ENTRY_RETRY || entry->kind == ENTRY_RETRY_LEFT;
}

static bool is_lock(const struct simt_path *entry)
{
    return entry->kind == ENTRY_LOCK || entry->kind == ENTRY_LOCK_PAST;
}

/* Where a group that parts from an entry meets others: a call's or a lock's entry keeps all its lanes, and has them
 * meet nowhere. */
static uint32_t meeting_of(const struct simt_path *entry)
{
    return is_group(entry) ? entry->until : ISA_PC_NONE;
}

/* The retry entry to which entry i is the base, if it is one: between the two there are only groups that have parted
 * from it. */
static struct simt_path *retry_above(const struct simt_paths *stack, uint32_t i)
{
    do
        i++;
    while (i < stack->count && is_group(&stack->table[i]));
    return i < stack->count && is_retry(&stack->table[i]) ? &stack->table[i] : NULL;
}

/* Lanes of a base go on at another place than those before them: they are an entry of their own above it. They meet
 * where the base does; a base that meets nobody waits for them where those before them are. */
static void part_from(struct simt_paths *stack, uint32_t base, uint64_t mask, uint32_t pc)
{
    struct simt_path group = stack->table[base];
    bool leaves = meeting_of(&group) != ISA_PC_NONE;
    group.until = leaves ? group.until : group.pc;
    group.kind = leaves ? group.kind : ENTRY_PARTED;
    group.mask = mask;
    group.pc = pc;
    if (leaves)
        stack->table[base].mask &= ~mask;
    if (pc == group.until)
        return; /* an entry below waits there */
    uint32_t i = base + 1;
    for (; i < stack->count && is_group(&stack->table[i]); i++)
        if (stack->table[i].pc == pc) {
            stack->table[i].mask |= mask;
            return;
        }
    simt_paths_push(stack, group);
    memmove(&stack->table[i + 1], &stack->table[i], (stack->count - 1 - i) * sizeof group);
    stack->table[i] = group;
}

/* The first lanes come back to a base: those that gave up will meet them there. */
static void come_back(struct simt_paths *stack, uint32_t base, struct simt_path *retry, uint32_t pc)
{
    stack->table[base].pc = pc;
    retry->kind = ENTRY_RETRY_LEFT;
    for (uint32_t i = base + 1; &stack->table[i] < retry; i++)
        if (stack->table[i].kind == ENTRY_PARTED && stack->table[i].until == retry->pc)
            stack->table[i].until = pc;
}

/* The lanes, which no entry from number `above` on has any more, go on at pc in the highest entries that have them. */
static void resume(struct simt_paths *stack, uint64_t mask, uint32_t above, uint32_t pc)
{
    for (uint32_t i = above; mask && i-- > 0;) {
        struct simt_path *entry = &stack->table[i];
        uint64_t here = entry->mask & mask;
        if (!here)
            continue;
        mask &= ~here;
        struct simt_path *retry = retry_above(stack, i);
        if (retry && retry->kind == ENTRY_RETRY && entry->pc == retry->pc) {
            come_back(stack, i, retry, pc);
        } else if (entry->pc != pc) {
            contract(retry);
            part_from(stack, i, here, pc);
        }
    }
}

/* The lock entry is the top, and nobody waits in the retry entry below it: its lanes are in their base again. */
static void dissolve(struct simt_paths *stack)
{
    struct simt_path lock = *top_of(stack);
    stack->count--;
    for (uint32_t i = stack->count - 1; lock.kind == ENTRY_LOCK_PAST && i-- > 0;)
        if (stack->table[i].mask & lock.mask) {
            if (is_lock(&stack->table[i]))
                stack->table[i].kind = ENTRY_LOCK_PAST;
            break;
        }
    resume(stack, lock.mask, stack->count - 1, lock.pc);
    stack->count--;
    stack->asked--;
}

/* One step of settling the top; false: it is settled. */
static bool settle_top(struct simt_paths *stack)
{
    struct simt_path *top = top_of(stack);
    if (is_lock(top) && top->mask && !(top - 1)->mask) {
        dissolve(stack);
        return true;
    }
    if (is_lock(top) && top->pc == top->until)
        top->kind = ENTRY_LOCK_PAST;
    if (!done(top))
        return false;
    stack->count--;
    stack->asked -= is_retry(top);
    if (top->kind == ENTRY_RETRY && stack->count && top_of(stack)->kind == ENTRY_PARTED &&
        top_of(stack)->until == top->pc) { /* nobody came back: all gave up, and are the base */
        (top - 2)->pc = (top - 1)->pc;
        stack->count--;
        return true;
    }
    if (top->mask) /* some may have given their lock back in this entry, and are in the one below no more */
        resume(stack, top->mask, stack->count, top->pc);
    return true;
}

static void settle_locks(struct simt_paths *stack)
{
    while (stack->count && settle_top(stack))
        ;
}

static void ask(struct simt_paths *stack, uint64_t mask)
{
    struct simt_path retry = *top_of(stack);
    if (is_retry(&retry))
        return;
    retry.kind = ENTRY_RETRY;
    retry.until = ISA_PC_NONE;
    retry.mask = mask;
    stack->asked++;
    simt_paths_push(stack, retry);
    stack->now = top_of(stack);
}

/* Lanes give up asking. */
static void give_up(struct simt_paths *stack, uint64_t mask, uint32_t pc)
{
    for (uint32_t i = stack->count - 1; mask && i-- > 0;) {
        uint64_t here = stack->table[i].mask & mask;
        mask &= ~here;
        if (here)
            part_from(stack, i, here, pc);
    }
}

/* The entry of lanes that got their locks. */
static struct simt_path lock_entry(const struct simt_path *retry, const struct simt_answer *a)
{
    const struct simt_path *base = retry;
    do
        base--;
    while (!(base->mask & a->got));
    return (struct simt_path){
        .pc = a->next,
        .until = base->kind == ENTRY_CALL || base->kind == ENTRY_PARTED ? ISA_PC_NONE : base->until,
        .mask = a->got,
        .frame = retry->frame,
        .kind = base->kind == ENTRY_LOCK_PAST ? ENTRY_LOCK_PAST : ENTRY_LOCK,
    };
}

static void answer(struct simt_paths *stack, const struct simt_answer *a)
{
    struct simt_path *retry = top_of(stack);
    contract(is_retry(retry));
    retry->mask &= ~a->over;
    if (!a->kept) {
        uint64_t all = retry->mask;
        retry->mask = 0;
        resume(stack, all, stack->count - 1, a->next);
    }
    if (a->over)
        give_up(stack, a->over, a->target);
    if (a->kept && a->got)
        simt_paths_push(stack, lock_entry(top_of(stack), a));
    settle(stack);
}

/* Takes the lanes out of the topmost retry entry that has them, and, where that is not the topmost of all, out of what
 * lies between: the topmost lock entry is where they go on. Returns those that no retry entry has any more. */
static uint64_t leave_retries(struct simt_paths *stack, uint64_t given, uint32_t topmost)
{
    uint64_t last = 0;
    for (uint32_t k = topmost + 1; given && k-- > 0;) {
        uint64_t group = is_retry(&stack->table[k]) ? stack->table[k].mask & given : 0, further_out = 0;
        given &= ~group;
        for (uint32_t i = k; i < (k == topmost ? k + 1 : topmost); i++)
            stack->table[i].mask &= ~group;
        for (uint32_t i = 0; group && i < k; i++)
            further_out |= is_retry(&stack->table[i]) ? stack->table[i].mask : 0;
        last |= group & ~further_out;
    }
    return last;
}

static uint64_t give(struct simt_paths *stack, uint64_t given, uint32_t next)
{
    uint32_t topmost = stack->count, past = 0;
    top_of(stack)->pc = next;
    while (topmost > 0 && !is_retry(&stack->table[topmost - 1]))
        topmost--;
    uint64_t last = topmost ? leave_retries(stack, given, topmost - 1) : 0;
    if (last) {
        struct simt_path *lock = &stack->table[topmost];
        past = lock->kind == ENTRY_LOCK_PAST;
        lock->mask &= ~last;
        if (lock == top_of(stack))
            resume(stack, last, topmost - 1, next);
    }
    settle(stack);
    return past ? last : 0;
}

static void part(struct simt_paths *stack, uint64_t mask, uint32_t next)
{
    struct simt_path *top = top_of(stack), group = *top;
    group.until = meeting_of(top);
    group.kind = is_group(top) ? top->kind : ENTRY_NORMAL;
    group.mask = mask;
    group.pc = next;
    if (is_group(top))
        top->mask &= ~mask;
    if (next != group.until)
        simt_paths_push(stack, group);
    stack->now = top_of(stack);
}

/* ---- barriers of the block ---- */

/* The lanes that wait with a key. */
static uint64_t waiting(const struct simt_paths *stack, uint32_t key)
{
    uint64_t lanes = 0, higher = 0;
    for (uint32_t i = stack->count; i-- > 0;) {
        lanes |= stack->table[i].key == key ? stack->table[i].mask & ~higher : 0;
        higher |= stack->table[i].mask;
    }
    return lanes;
}

/* The topmost leaf that waits for nobody, or count. */
static uint32_t free_leaf(const struct simt_paths *stack)
{
    uint64_t higher = 0;
    for (uint32_t i = stack->count; i-- > 0;) {
        const struct simt_path *entry = &stack->table[i];
        if (entry->mask && !(entry->mask & higher) && !entry->key)
            return i;
        higher |= entry->mask;
    }
    return stack->count;
}

static void take_out(struct simt_paths *stack, uint32_t i)
{
    stack->count--;
    memmove(&stack->table[i], &stack->table[i + 1], (stack->count - i) * sizeof stack->table[0]);
}

/* Entry i is a leaf that would go on as the top does. */
static bool goes_along(const struct simt_paths *stack, uint32_t i)
{
    const struct simt_path *entry = &stack->table[i], *top = top_of(stack);
    return !stack->asked && entry->kind == ENTRY_NORMAL && top->kind == ENTRY_NORMAL && entry->pc == top->pc &&
           entry->until == top->until && !memcmp(&entry->frame, &top->frame, sizeof top->frame) &&
           below(stack, i) == below(stack, stack->count - 1);
}

/* Those that wait with the top's key go on: as the top if they stand at its place, else behind their own. */
static void let_pass(struct simt_paths *stack)
{
    uint32_t key = top_of(stack)->key;
    for (uint32_t i = stack->count - 1; i-- > 0;) {
        if (stack->table[i].key != key)
            continue;
        if (goes_along(stack, i)) {
            top_of(stack)->mask |= stack->table[i].mask;
            take_out(stack, i);
            continue;
        }
        stack->table[i].key = 0;
        stack->table[i].pc++;
    }
    stack->now = top_of(stack);
    stack->now->key = 0;
}

static void part(struct simt_paths *stack, uint64_t mask, uint32_t next);

static enum simt_gathered await(struct simt_paths *stack, uint64_t some, uint32_t next, uint32_t key, uint64_t missing,
                                uint64_t *there)
{
    uint64_t others = top_of(stack)->mask & ~some;
    uint32_t came = stack->count;
    top_of(stack)->key = key;
    if (others)
        part(stack, others, next);
    *there = waiting(stack, key);
    if (stack->count > came) { /* the others are the top */
        top_of(stack)->key = 0;
        return SIMT_GATHER_WAITS;
    }
    if (!(missing & ~*there)) {
        let_pass(stack);
        return SIMT_GATHERED;
    }
    uint32_t leaf = stack->asked ? stack->count : free_leaf(stack);
    if (leaf == stack->count)
        return SIMT_GATHER_NOBODY;
    struct simt_path entry = stack->table[leaf];
    take_out(stack, leaf);
    stack->table[stack->count++] = entry;
    settle(stack);
    return SIMT_GATHER_WAITS;
}

static void look_again(struct simt_paths *stack)
{
    for (uint32_t i = 0; i + 1 < stack->count; i++)
        stack->table[i].key = 0;
}

/* Retry entries are as many as the stack says, and each lock entry stands on one. */
static bool locks_hold(const struct simt_paths *stack)
{
    uint32_t asked = 0;
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct simt_path *entry = &stack->table[i];
        asked += is_retry(entry);
        if (is_lock(entry) && (i < 2 || !is_retry(entry - 1)))
            return false;
    }
    return asked == stack->asked;
}

/* An entry's lanes are among those of the innermost call's entry below it that has any. */
static bool holds(const struct simt_paths *stack)
{
    for (uint32_t i = 0; i < stack->count; i++) {
        uint64_t mask = stack->table[i].mask;
        uint32_t call = i;
        while (call-- > 0)
            if (stack->table[call].kind == ENTRY_CALL && (stack->table[call].mask & mask))
                break;
        if (call != UINT32_MAX && (mask & ~stack->table[call].mask))
            return false;
    }
    return locks_hold(stack) && (!stack->count || !done(top_of(stack)));
}

const struct simt_divergence simt_stack = {
    .name = "stack",
    .kinds = ENTRY_KINDS,
    .exclusive = true,
    .arrive = settle,
    .advance_some = advance_some,
    .branch = branch,
    .branch_each = branch_each,
    .call = call,
    .ret = ret,
    .exit = end,
    .ask = ask,
    .answer = answer,
    .give = give,
    .part = part,
    .await = await,
    .look_again = look_again,
    .caller = caller,
    .turn = top_of,
    .holds = holds,
};
