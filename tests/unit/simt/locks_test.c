/* Locks in the reconvergence stack: every picture of the thesis ("Towards scalar synchronization in SIMT
 * architectures", Figures 1.1 to 4.4), entry by entry; and random programs with critical sections, in which every lane
 * must go exactly the way that it would go alone, no lock is held by two, and all lanes come to the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"
#include "effort.h"
#include "simt/divergence.h"
#include "simt/stack.h"

/* ---- pictures ---- */

/* An entry as the thesis writes it: instructions by their letter, `-` for no reconvergence point, a mask whose first
 * digit is thread 1, and the type. */
struct entry {
    char pc, rpc;
    const char *mask, *type;
};

static const struct simt_frame outermost = {0};

static uint64_t mask_of(const char *digits)
{
    uint64_t mask = 0;
    for (unsigned i = 0; digits[i]; i++)
        mask |= digits[i] == '1' ? BIT64(i) : 0;
    return mask;
}

static const char *type_of(const struct simt_path *entry)
{
    static const char *const types[] = {
        [SIMT_ENTRY_NORMAL] = "",       [SIMT_ENTRY_PARTED] = "",  [SIMT_ENTRY_CALL] = "C",
        [SIMT_ENTRY_CALL_LOCKED] = "C", [SIMT_ENTRY_RETRY] = "LR", [SIMT_ENTRY_RETRY_LEFT] = "LR",
        [SIMT_ENTRY_LOCK] = "L"};
    return types[entry->kind];
}

/* The thesis gives the entries of locks no reconvergence point; ours note there where their base has its own. */
static uint32_t rpc_of(const struct simt_path *entry)
{
    return entry->kind <= SIMT_ENTRY_PARTED ? entry->until : ISA_PC_NONE;
}

static void expect_entries(const struct simt_paths *stack, const struct entry *entries, unsigned count)
{
    assert_int_equal(stack->count, count);
    assert_true(stack->model->holds(stack));
    for (unsigned i = 0; i < count; i++) {
        const struct simt_path *found = simt_path_at(stack, i);
        assert_int_equal(found->pc, (uint32_t)entries[i].pc);
        assert_int_equal(rpc_of(found), entries[i].rpc == '-' ? ISA_PC_NONE : (uint32_t)entries[i].rpc);
        assert_int_equal(found->mask, mask_of(entries[i].mask));
        assert_string_equal(type_of(found), entries[i].type);
    }
    assert_ptr_equal(stack->now, &stack->table[count - 1]);
}
#define EXPECT(stack, ...)                                                                                             \
    do {                                                                                                               \
        const struct entry entries[] = {__VA_ARGS__};                                                                  \
        expect_entries(stack, entries, sizeof entries / sizeof entries[0]);                                            \
    } while (0)

static void start(struct simt_paths *stack, char pc)
{
    *stack = (struct simt_paths){0};
    simt_paths_start(stack, &simt_stack, 0xff, (uint32_t)pc, &outermost);
}

/* The lanes in `taken` go to target. */
static void branch(struct simt_paths *stack, const char *taken, char target, char fallthrough, char reconverge)
{
    simt_branch(stack, mask_of(taken), (uint32_t)target, (uint32_t)fallthrough, (uint32_t)reconverge);
}

/* The lock instruction at which the turn stands is tried: these lanes get theirs. */
static void lock(struct simt_paths *stack, const char *got)
{
    struct simt_answer answer = {.got = mask_of(got), .next = stack->now->pc + 1, .kept = true};
    simt_stack.ask(stack, stack->now->mask);
    simt_stack.answer(stack, &answer);
}

static void unlock(struct simt_paths *stack, char next)
{
    assert_int_equal(simt_stack.give(stack, stack->now->mask, (uint32_t)next), 0);
}

/* A while loop that spins: who got the lock waits behind it for the others. */
static void test_figure_1_1(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    EXPECT(&stack, {'A', '-', "11111111", ""});
    branch(&stack, "01111111", 'A', 'B', 'B');
    EXPECT(&stack, {'B', '-', "11111111", ""}, {'A', 'B', "01111111", ""});
    simt_paths_free(&stack);
}

/* X; A to P or B; C, behind B, to D or E, which meet at F; all meet at Z. */
static void test_figure_1_4(void **state)
{
    struct simt_paths stack;
    start(&stack, 'X');
    simt_advance(&stack, 'A');
    EXPECT(&stack, {'A', '-', "11111111", ""});
    branch(&stack, "00001111", 'P', 'B', 'Z');
    EXPECT(&stack, {'Z', '-', "11111111", ""}, {'B', 'Z', "11110000", ""}, {'P', 'Z', "00001111", ""});
    simt_advance(&stack, 'Z');
    EXPECT(&stack, {'Z', '-', "11111111", ""}, {'B', 'Z', "11110000", ""});
    simt_advance(&stack, 'C');
    branch(&stack, "11000000", 'D', 'E', 'F');
    EXPECT(&stack, {'Z', '-', "11111111", ""}, {'F', 'Z', "11110000", ""}, {'E', 'F', "00110000", ""},
           {'D', 'F', "11000000", ""});
    simt_advance(&stack, 'F');
    simt_advance(&stack, 'F');
    EXPECT(&stack, {'Z', '-', "11111111", ""}, {'F', 'Z', "11110000", ""});
    simt_advance(&stack, 'Z');
    EXPECT(&stack, {'Z', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* Recursion with call entries: Example 2, called from X. */
static void test_figure_2_3(void **state)
{
    struct simt_paths stack;
    struct simt_frame first = {.function = 1}, second = {.function = 1, .reg_base = 4};
    start(&stack, 'X');
    simt_enter(&stack, 0xff, 'A', 'Y', &first);
    simt_advance(&stack, 'B');
    branch(&stack, "11110000", 'D', 'C', 'D');
    EXPECT(&stack, {'Y', '-', "11111111", ""}, {'D', '-', "11111111", "C"}, {'C', 'D', "00001111", ""});
    simt_enter(&stack, mask_of("00001111"), 'A', 'D', &second);
    EXPECT(&stack, {'Y', '-', "11111111", ""}, {'D', '-', "11111111", "C"}, {'D', 'D', "00001111", ""},
           {'A', '-', "00001111", "C"});
    simt_advance(&stack, 'B');
    branch(&stack, "00001111", 'D', 'C', 'D');
    EXPECT(&stack, {'Y', '-', "11111111", ""}, {'D', '-', "11111111", "C"}, {'D', 'D', "00001111", ""},
           {'D', '-', "00001111", "C"});
    simt_advance(&stack, 'E');
    simt_leave(&stack, mask_of("00001111"), 'Z');
    EXPECT(&stack, {'Y', '-', "11111111", ""}, {'D', '-', "11111111", "C"});
    simt_advance(&stack, 'E');
    simt_leave(&stack, 0xff, 'Z');
    EXPECT(&stack, {'Y', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* A spin lock by compare-and-swap: threads 5 to 8 got theirs and wait for the others, which spin. */
static void test_figure_3_1(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    simt_advance(&stack, 'B');
    simt_advance(&stack, 'C');
    EXPECT(&stack, {'C', '-', "11111111", ""});
    branch(&stack, "11110000", 'A', 'D', 'D');
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'A', 'D', "11110000", ""});
    simt_paths_free(&stack);
}

/* The form that works: the critical section lies inside the loop. */
static void test_figure_3_2(void **state)
{
    struct simt_paths stack;
    start(&stack, 'B');
    simt_advance(&stack, 'D');
    EXPECT(&stack, {'D', '-', "11111111", ""});
    branch(&stack, "11110000", 'H', 'E', 'H');
    EXPECT(&stack, {'H', '-', "11111111", ""}, {'E', 'H', "00001111", ""});
    simt_advance(&stack, 'H');
    EXPECT(&stack, {'H', '-', "11111111", ""});
    simt_advance(&stack, 'I');
    branch(&stack, "11110000", 'B', 'J', 'J');
    EXPECT(&stack, {'J', '-', "11111111", ""}, {'B', 'J', "11110000", ""});
    simt_advance(&stack, 'D');
    branch(&stack, "00110000", 'H', 'E', 'H');
    EXPECT(&stack, {'J', '-', "11111111", ""}, {'H', 'J', "11110000", ""}, {'E', 'H', "11000000", ""});
    simt_paths_free(&stack);
}

/* Lock at A, critical section from B, unlock at C, then D. */
static void test_figures_4_1_and_4_2(void **state)
{
    struct simt_paths stack;
    struct simt_answer none = {.next = 'B', .kept = true},
                       some = {.got = mask_of("11110000"), .next = 'B', .kept = true};
    start(&stack, 'A');
    simt_stack.ask(&stack, 0xff);
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"});
    simt_stack.answer(&stack, &none); /* nobody gets it: nothing is added, and all ask again */
    simt_stack.ask(&stack, 0xff);
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"});
    simt_stack.answer(&stack, &some);
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'B', '-', "11110000", "L"});
    simt_advance(&stack, 'C');
    unlock(&stack, 'D');
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'A', '-', "00001111", "LR"});
    lock(&stack, "00001111");
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'A', '-', "00001111", "LR"}, {'B', '-', "00001111", "L"});
    simt_advance(&stack, 'C');
    unlock(&stack, 'D');
    EXPECT(&stack, {'D', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* Example 10: in a loop that meets at G, lock at A, branch at B: one side unlocks at D and breaks at E, the other one
 * unlocks at F. */
static void test_figure_4_3(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    lock(&stack, "11110000");
    branch(&stack, "11000000", 'C', 'F', 'G');
    simt_advance(&stack, 'D');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'G', '-', "11110000", "L"},
           {'F', 'G', "00110000", ""}, {'D', 'G', "11000000", ""});
    unlock(&stack, 'E');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "00111111", "LR"}, {'G', '-', "00110000", "L"},
           {'F', 'G', "00110000", ""}, {'E', 'G', "11000000", ""});
    simt_advance(&stack, 'G');
    unlock(&stack, 'G'); /* F; the loop ends behind it: the lock entry is empty, and all that are through are at G */
    EXPECT(&stack, {'G', '-', "11111111", ""}, {'A', '-', "00001111", "LR"});
    lock(&stack, "00001111");
    branch(&stack, "00001111", 'C', 'F', 'G');
    simt_advance(&stack, 'D');
    unlock(&stack, 'E');
    EXPECT(&stack, {'G', '-', "11111111", ""}, {'E', 'G', "00001111", ""});
    simt_advance(&stack, 'G');
    EXPECT(&stack, {'G', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* Example 11: locks at A and B, a branch at D with an unlock on either side (F, H), which meet at I; unlock at J. */
static void test_figure_4_4(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    lock(&stack, "11110011");
    lock(&stack, "11110000");
    simt_advance(&stack, 'D');
    branch(&stack, "11000000", 'E', 'G', 'I');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'B', '-', "11110011", "L"},
           {'B', '-', "11110011", "LR"}, {'I', '-', "11110000", "L"}, {'G', 'I', "00110000", ""},
           {'E', 'I', "11000000", ""});
    simt_advance(&stack, 'F');
    unlock(&stack, 'I');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'B', '-', "11110011", "L"},
           {'B', '-', "00110011", "LR"}, {'I', '-', "11110000", "L"}, {'G', 'I', "00110000", ""});
    simt_advance(&stack, 'H');
    unlock(&stack, 'I');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'B', '-', "11110011", "L"},
           {'B', '-', "00000011", "LR"}, {'I', '-', "11110000", "L"});
    simt_advance(&stack, 'J');
    unlock(&stack, 'K');
    /* The thesis writes where all go on when the last lock is given back; here the first that are through do. */
    EXPECT(&stack, {'K', '-', "11111111", ""}, {'A', '-', "00001111", "LR"}, {'B', '-', "00000011", "L"},
           {'B', '-', "00000011", "LR"});
    lock(&stack, "00000011");
    simt_advance(&stack, 'D');
    branch(&stack, "00000011", 'E', 'G', 'I');
    simt_advance(&stack, 'F');
    unlock(&stack, 'I');
    EXPECT(&stack, {'K', '-', "11111111", ""}, {'A', '-', "00001111", "LR"}, {'I', '-', "00000011", "L"});
    simt_advance(&stack, 'J');
    unlock(&stack, 'K');
    EXPECT(&stack, {'K', '-', "11111111", ""}, {'A', '-', "00001100", "LR"});
    lock(&stack, "00001100");
    lock(&stack, "00001100");
    simt_advance(&stack, 'F');
    unlock(&stack, 'I');
    simt_advance(&stack, 'J');
    unlock(&stack, 'K');
    EXPECT(&stack, {'K', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* Three locks inside each other: taking the lanes out by exclusive or, as the thesis writes, would put some in again.
 */
static void test_three_levels(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    lock(&stack, "11111100");
    lock(&stack, "11110000");
    lock(&stack, "11000000");
    unlock(&stack, 'E');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'B', '-', "11111100", "L"},
           {'B', '-', "11111100", "LR"}, {'C', '-', "11110000", "L"}, {'C', '-', "00110000", "LR"},
           {'E', '-', "11000000", "L"});
    unlock(&stack, 'F');
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'A', '-', "11111111", "LR"}, {'B', '-', "11111100", "L"},
           {'B', '-', "00111100", "LR"}, {'C', '-', "00110000", "L"}, {'C', '-', "00110000", "LR"},
           {'F', '-', "11000000", "L"});
    unlock(&stack, 'G');
    EXPECT(&stack, {'G', '-', "11111111", ""}, {'A', '-', "00111111", "LR"}, {'B', '-', "00111100", "L"},
           {'B', '-', "00111100", "LR"}, {'C', '-', "00110000", "L"}, {'C', '-', "00110000", "LR"});
    simt_paths_free(&stack);
}

/* Lanes of one critical section that go on in two places: at F, and behind G. */
static void test_two_ways_on(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    lock(&stack, "11110000");
    branch(&stack, "11000000", 'C', 'D', 'D');
    unlock(&stack, 'D'); /* two of four are through, and stand at D; the others have it still */
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'A', '-', "00111111", "LR"}, {'D', '-', "00110000", "L"});
    simt_advance(&stack, 'F');
    unlock(&stack, 'G');
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'G', 'D', "00110000", ""}, {'A', '-', "00001111", "LR"});
    simt_paths_free(&stack);
}

/* Example 12: the branch at A meets at E, between lock and unlock. */
static void test_example_12(void **state)
{
    struct simt_paths stack;
    start(&stack, 'A');
    branch(&stack, "11000000", 'B', 'D', 'E');
    lock(&stack, "11000000");
    simt_advance(&stack, 'E');
    EXPECT(&stack, {'E', '-', "11111111", ""}, {'D', 'E', "00111111", ""}, {'B', 'E', "11000000", ""},
           {'B', '-', "11000000", "LR"}, {'E', '-', "11000000", "L"});
    simt_advance(&stack, 'F');
    assert_int_equal(simt_stack.give(&stack, stack.now->mask, 'G'), mask_of("11000000"));
    simt_paths_free(&stack);
}

/* Lanes that give up go on when those that got the lock are through, and meet them where they are. */
static void test_giving_up(void **state)
{
    struct simt_paths stack;
    struct simt_answer some = {
        .got = mask_of("10000000"), .over = mask_of("00110000"), .next = 'B', .target = 'T', .kept = true};
    struct simt_answer rest = {.over = mask_of("01001111"), .next = 'B', .target = 'T', .kept = true};
    start(&stack, 'A');
    simt_stack.ask(&stack, 0xff);
    simt_stack.answer(&stack, &some);
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'T', 'A', "00110000", ""}, {'A', '-', "11001111", "LR"},
           {'B', '-', "10000000", "L"});
    unlock(&stack, 'D');
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'T', 'D', "00110000", ""}, {'A', '-', "01001111", "LR"});
    simt_stack.ask(&stack, stack.now->mask);
    simt_stack.answer(&stack, &rest);
    EXPECT(&stack, {'D', '-', "11111111", ""}, {'T', 'D', "01111111", ""});
    simt_advance(&stack, 'D');
    EXPECT(&stack, {'D', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* When all give up, they stay together. */
static void test_all_give_up(void **state)
{
    struct simt_paths stack;
    struct simt_answer some = {.over = mask_of("00001111"), .next = 'B', .target = 'T', .kept = true};
    struct simt_answer rest = {.over = mask_of("11110000"), .next = 'B', .target = 'T', .kept = true};
    start(&stack, 'A');
    simt_stack.ask(&stack, 0xff);
    simt_stack.answer(&stack, &some);
    EXPECT(&stack, {'A', '-', "11111111", ""}, {'T', 'A', "00001111", ""}, {'A', '-', "11110000", "LR"});
    simt_stack.ask(&stack, stack.now->mask);
    simt_stack.answer(&stack, &rest);
    EXPECT(&stack, {'T', '-', "11111111", ""});
    simt_paths_free(&stack);
}

/* ---- random programs ---- */

enum kind { NOP, BRA, LOCK, UNLOCK, EXIT };
#define LANES 32
#define MOST 160
#define LEVELS 3
#define LOCKS 4 /* of a level */
#define ATTEMPTS 2
#define VISITS_MOST 12 /* of a branch by a lane, which then goes straight on */

struct instr {
    uint8_t kind, level; /* of a lock; BRA: 0 (lanes go by chance), or BRANCH_ALWAYS, BRANCH_WITHOUT + level */
    bool own;            /* the lane's own lock, which nobody else wants */
    bool limited;        /* LOCK: lanes give up after ATTEMPTS, and go to target */
    uint32_t target, reconverge;
};

struct program {
    struct instr code[MOST];
    uint32_t count;
    uint64_t seed, drawn;
};

static uint32_t draw(struct program *p, uint32_t below)
{
    return (uint32_t)(random_at(p->seed, p->drawn++) >> 20) % below;
}

static uint32_t emit(struct program *p, enum kind kind)
{
    p->code[p->count] = (struct instr){.kind = (uint8_t)kind};
    return p->count++;
}

/* What a place in the program lets stand there. */
struct place {
    unsigned depth;
    uint8_t level;       /* locks of this level and above may be taken */
    bool locked, parted; /* inside a critical section; and there, inside a branch or loop */
};

static void emit_list(struct program *p, struct place place);

static void emit_unlock(struct program *p, uint8_t level, bool own)
{
    uint32_t at = emit(p, UNLOCK);
    p->code[at].level = level;
    p->code[at].own = own;
}

/* A branch that always goes, or that goes where the lane does not have the lock of a level. */
enum { BRANCH_ALWAYS = 1, BRANCH_WITHOUT = 2 };

static uint32_t emit_jump(struct program *p, uint8_t way, bool own)
{
    uint32_t at = emit(p, BRA);
    p->code[at].level = way;
    p->code[at].own = own;
    return at;
}

/* The end of a critical section: one unlock; one on either side of a branch; or one for some lanes, and another one for
 * the rest behind the place where all meet. */
static void emit_unlocks(struct program *p, uint8_t level, bool own)
{
    uint32_t way = draw(p, 3);
    if (way == 0) {
        emit_unlock(p, level, own);
        return;
    }
    uint32_t over = emit(p, BRA);
    emit(p, NOP);
    emit_unlock(p, level, own);
    emit(p, NOP);
    uint32_t end = way == 1 ? emit_jump(p, BRANCH_ALWAYS, false) : over;
    p->code[over].target = p->count;
    emit(p, NOP);
    if (way == 2)
        end = emit_jump(p, (uint8_t)(BRANCH_WITHOUT + level), own);
    emit_unlock(p, level, own);
    emit(p, NOP);
    p->code[end].target = p->count;
    emit(p, NOP);
}

static void emit_critical(struct program *p, struct place place)
{
    bool own = place.locked && place.parted; /* a common one there may never come free: Example 13 */
    uint8_t level = place.level;
    uint32_t at = emit(p, LOCK);
    p->code[at].level = level;
    p->code[at].own = own;
    p->code[at].limited = draw(p, 4) == 0;
    struct place inside = {place.depth + 1, (uint8_t)(level + 1), true, place.locked && place.parted};
    emit_list(p, inside);
    emit_unlocks(p, level, own);
    p->code[at].target = p->count;
    emit(p, NOP);
}

static void emit_if(struct program *p, struct place place)
{
    uint32_t over = emit(p, BRA);
    place.depth++;
    place.parted = place.locked;
    emit_list(p, place);
    uint32_t end = emit_jump(p, BRANCH_ALWAYS, false);
    p->code[over].target = p->count;
    emit_list(p, place);
    p->code[end].target = p->count;
}

/* A loop; where no lock is held, now and then one as in Example 10: with a critical section that some lanes break out
 * of. */
static void emit_loop(struct program *p, struct place place)
{
    uint32_t head = p->count;
    place.depth++;
    place.parted = place.locked;
    if (!place.locked && draw(p, 2)) {
        uint32_t at = emit(p, LOCK);
        p->code[at].level = place.level;
        uint32_t over = emit(p, BRA);
        emit_unlock(p, place.level, false);
        uint32_t leave = emit_jump(p, BRANCH_ALWAYS, false);
        p->code[over].target = p->count;
        emit_unlock(p, place.level, false);
        p->code[emit(p, BRA)].target = head;
        p->code[leave].target = p->count;
        emit(p, NOP);
        return;
    }
    emit_list(p, place);
    p->code[emit(p, BRA)].target = head;
}

static void emit_list(struct program *p, struct place place)
{
    for (uint32_t n = 1 + draw(p, 3); n > 0; n--) {
        uint32_t choice = place.depth < 4 && p->count < MOST - 60 ? draw(p, 5) : 0;
        if (choice <= 1)
            emit(p, NOP);
        else if (choice == 2)
            emit_if(p, place);
        else if (choice == 3 && place.level < LEVELS)
            emit_critical(p, place);
        else
            emit_loop(p, place);
    }
}

/* Immediate post-dominators by their definition: the nearest of the instructions that are on every way to the end. */
static void find_reconvergence(struct program *p)
{
    static uint8_t on_all[MOST][MOST];
    memset(on_all, 1, sizeof on_all);
    for (uint32_t pc = 0; pc < p->count; pc++)
        if (p->code[pc].kind == EXIT)
            for (uint32_t q = 0; q < p->count; q++)
                on_all[pc][q] = q == pc;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = p->count; pc-- > 0;) {
            const struct instr *i = &p->code[pc];
            for (uint32_t q = 0; q < p->count && i->kind != EXIT; q++) {
                bool jumps = i->kind == BRA || i->limited, always = i->kind == BRA && i->level == BRANCH_ALWAYS;
                bool now = q == pc || ((always || on_all[pc + 1][q]) && (!jumps || on_all[i->target][q]));
                changed |= now != on_all[pc][q];
                on_all[pc][q] = now;
            }
        }
    }
    for (uint32_t pc = 0; pc < p->count; pc++) {
        uint32_t nearest = ISA_PC_NONE;
        for (uint32_t q = 0; q < p->count; q++)
            if (q != pc && on_all[pc][q] && (nearest == ISA_PC_NONE || on_all[q][nearest]))
                nearest = q;
        p->code[pc].reconverge = nearest;
    }
}

struct run {
    struct program p;
    struct simt_paths stack;
    uint32_t pc[LANES]; /* where the lane would be, alone */
    uint32_t visits[LANES][MOST];
    uint32_t attempts[LANES];            /* in vain, at the limited lock where the lane stands */
    int8_t owner[LEVELS][LOCKS + LANES]; /* -1: free; LANES: somebody outside the warp */
    uint64_t ended;
};

static int8_t *word_of(struct run *r, unsigned level, bool own, unsigned lane)
{
    uint32_t which = (uint32_t)random_at(r->p.seed ^ 77, lane * 8 + level) % LOCKS;
    return &r->owner[level][own ? LOCKS + lane : which];
}

static bool goes(struct run *r, uint32_t pc, unsigned lane)
{
    const struct instr *i = &r->p.code[pc];
    uint32_t visit = r->visits[lane][pc]++;
    if (i->level >= BRANCH_WITHOUT)
        return *word_of(r, i->level - BRANCH_WITHOUT, i->own, lane) != (int)lane;
    if (i->level == BRANCH_ALWAYS)
        return true;
    if (visit >= VISITS_MOST)
        return i->target > pc;
    return random_at(r->p.seed + visit, pc * LANES + lane) >> 33 & 1;
}

/* Somebody outside the warp takes a lock that is free, or gives one back. */
static void meddle(struct run *r, uint64_t step)
{
    uint64_t chance = random_at(r->p.seed ^ 5, step);
    int8_t *word = &r->owner[chance % LEVELS][chance >> 8 & (LOCKS - 1)];
    if (*word == LANES)
        *word = -1;
    else if (*word < 0 && (chance >> 20) % 4 == 0)
        *word = LANES;
}

static void step(struct run *r)
{
    struct simt_path now = *r->stack.now;
    const struct simt_divergence *model = r->stack.model;
    const struct instr *i = &r->p.code[now.pc];
    uint64_t taken = 0, over = 0;
    for (uint64_t rest = now.mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        int8_t *word = word_of(r, i->kind == BRA ? 0 : i->level, i->own, lane);
        assert_int_equal(r->pc[lane], now.pc);
        bool moves = i->kind == BRA ? goes(r, now.pc, lane) : i->kind == LOCK && *word < 0;
        taken |= moves ? rest & -rest : 0;
        if (i->kind == LOCK && moves)
            *word = (int8_t)lane;
        if (i->kind == UNLOCK) {
            assert_int_equal(*word, lane);
            *word = -1;
        }
        if (i->limited && !moves && ++r->attempts[lane] == ATTEMPTS)
            over |= rest & -rest;
        if (mask_has(taken | over, lane))
            r->attempts[lane] = 0;
        bool jumps = mask_has(over, lane) || (i->kind == BRA && moves);
        r->pc[lane] = jumps ? i->target : i->kind == LOCK && !moves ? now.pc : now.pc + 1;
    }
    struct simt_answer answer = {.got = taken, .over = over, .next = now.pc + 1, .target = i->target, .kept = true};
    switch (i->kind) {
    case BRA:
        simt_branch(&r->stack, taken, i->target, now.pc + 1, i->reconverge);
        break;
    case LOCK:
        model->ask(&r->stack, now.mask);
        model->answer(&r->stack, &answer);
        break;
    case UNLOCK:
        assert_int_equal(model->give(&r->stack, now.mask, now.pc + 1), 0);
        break;
    case EXIT:
        r->ended |= now.mask;
        simt_end(&r->stack, now.mask, now.pc + 1);
        break;
    default:
        simt_advance(&r->stack, now.pc + 1);
    }
    assert_true(model->holds(&r->stack));
}

static void run_program(struct run *r, uint64_t seed, const struct simt_divergence *model)
{
    memset(r, 0, sizeof *r);
    memset(r->owner, -1, sizeof r->owner);
    r->p.seed = seed;
    emit_list(&r->p, (struct place){0});
    emit(&r->p, EXIT);
    find_reconvergence(&r->p);
    simt_paths_start(&r->stack, model, mask_low(LANES), 0, &outermost);
    for (uint64_t n = 0; r->stack.count; n++) {
        assert_true(n < 2000000);
        meddle(r, n);
        step(r);
    }
    assert_int_equal(r->ended, mask_low(LANES));
    assert_int_equal(r->stack.asked, 0);
    for (unsigned level = 0; level < LEVELS; level++)
        for (unsigned i = 0; i < LOCKS + LANES; i++)
            assert_true(r->owner[level][i] < 0 || r->owner[level][i] == LANES);
    simt_paths_free(&r->stack);
}

static void test_random_programs(void **state)
{
    static struct run run;
    for (uint64_t seed = 1; seed <= 20000; seed += effort_steps(2, 10))
        run_program(&run, seed * 0x9E37, &simt_stack);
}

/* Under other ways they end as well. */
static void test_random_programs_other_ways(void **state)
{
    static struct run run;
    static const char *const ways[] = {"its", "aware", "dwf"};
    for (uint64_t seed = 1; seed <= 12000; seed += effort_steps(2, 10))
        run_program(&run, seed * 0x9E37, simt_model_find(ways[seed / 2 % 3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_1_1),
        cmocka_unit_test(test_figure_1_4),
        cmocka_unit_test(test_figure_2_3),
        cmocka_unit_test(test_figure_3_1),
        cmocka_unit_test(test_figure_3_2),
        cmocka_unit_test(test_figures_4_1_and_4_2),
        cmocka_unit_test(test_figure_4_3),
        cmocka_unit_test(test_figure_4_4),
        cmocka_unit_test(test_three_levels),
        cmocka_unit_test(test_two_ways_on),
        cmocka_unit_test(test_example_12),
        cmocka_unit_test(test_giving_up),
        cmocka_unit_test(test_all_give_up),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_random_programs_other_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
