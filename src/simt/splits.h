/* The part that its.c, aware.c and dwf.c share: divergence models whose lanes do not wait for each other for ever.
 * They differ in who has the turn next and in how long is waited.
 *
 * The table is the stacks of all lanes in one: the paths that have a lane, from the first to the last, are its own
 * stack, and lanes with the same stack share its paths. The last path of a stack is a *warp split*, or split; its lanes
 * execute. Below splits there are *reconvergence points*, each with the lanes that come to its pc or stand there
 * already, and for each call its *mark*, on top of the reconvergence point at which its lanes return. `until` is where
 * the nearest reconvergence point below is, if it is in the same call. When all lanes of a reconvergence point have
 * come, it is a split.
 *
 * One split has the turn, others are *ready*, or wait for lanes that an instruction names (gather). Lanes of a
 * reconvergence point that has to wait no longer are *let go*: they leave the reconvergence point and are a split of
 * their own. The order of splits in the table is the order in which they wait for the turn.
 *
 * Splits that stand at one pc in one frame, after the same calls, may become one (they join). When a lane ends, splits
 * that wait for named lanes are ready: they look again whom they wait for.
 *
 * A model's `arrive` settles the table: it deals with whatever follows from lanes that have left their paths, and gives
 * the turn to a split if none has it. Functions that take lanes off paths call it through paths->model. */
#ifndef LOCKSTEP_SIMT_SPLITS_H
#define LOCKSTEP_SIMT_SPLITS_H

#include "simt/divergence.h"

/* TURN is 0: the first path of a warp has it. WAITS_* are in the order of enum simt_gathering. */
enum {
    SIMT_TURN,
    SIMT_READY,
    SIMT_WAITS_ONE,
    SIMT_WAITS_ANY,
    SIMT_WAITS_BLOCK,
    SIMT_RECONVERGENCE,
    SIMT_MARK,
    SIMT_PATH_KINDS
};

#define SIMT_NO_PATH UINT32_MAX

static inline bool simt_is_split(const struct simt_path *p)
{
    return p->kind < SIMT_RECONVERGENCE;
}

static inline bool simt_waits_for_named(const struct simt_path *p)
{
    return p->kind >= SIMT_WAITS_ONE && p->kind <= SIMT_WAITS_BLOCK;
}

/* The last path before number i that has lanes of mask: what lies below it on their stack; SIMT_NO_PATH: nothing. */
static inline uint32_t simt_below(const struct simt_paths *paths, uint32_t i, uint64_t mask)
{
    while (i-- > 0)
        if (paths->table[i].mask & mask)
            return i;
    return SIMT_NO_PATH;
}

static inline uint32_t simt_number_of_now(const struct simt_paths *paths)
{
    return (uint32_t)(paths->now - paths->table);
}

static inline uint32_t simt_first_ready(const struct simt_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->table[i].kind == SIMT_READY)
            return i;
    return SIMT_NO_PATH;
}

/* ---- what models' tables take as it is ---- */

struct simt_path *simt_splits_turn(const struct simt_paths *paths);
const struct simt_path *simt_splits_caller(const struct simt_paths *paths);
/* Lanes that wait for named ones are not able to go on; those at reconvergence points are let go in the end. */
uint64_t simt_splits_able(const struct simt_paths *paths, uint32_t first, uint32_t last);
/* Checks the table: what lies below a path has all its lanes and is where it goes; splits alone have no path on top of
 * them; one has the turn. looks_ahead: where no reconvergence point lies below that one, it may go `until` anywhere. */
bool simt_splits_hold(const struct simt_paths *paths, bool looks_ahead);
void simt_splits_advance_some(struct simt_paths *paths, uint64_t mask, uint32_t next);
void simt_splits_call(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next,
                      const struct simt_frame *frame);
/* The lanes leave every path of the call. When all of it have, the reconvergence point where they return is complete.
 */
void simt_splits_return(struct simt_paths *paths, uint64_t mask, uint32_t next);
void simt_splits_end(struct simt_paths *paths, uint64_t mask, uint32_t next);
enum simt_gathered simt_splits_gather(struct simt_paths *paths, uint64_t some, const struct simt_awaited *awaited,
                                      struct simt_met *met);
/* Lanes that ask for locks keep the turn until they are answered: the warp waits for that. */
void simt_splits_ask(struct simt_paths *paths, uint64_t mask);
/* Nobody who waits for others of the warp is passed for ever, so giving back a lock lets nobody go. */
uint64_t simt_splits_give(struct simt_paths *paths, uint64_t given, uint32_t next);
void simt_splits_part(struct simt_paths *paths, uint64_t mask, uint32_t next);

/* The rows of a model's table that are functions of above: in every model made of reconvergence points, and in those
 * whose threads stay in their warp. */
#define SIMT_SPLITS_ROWS                                                                                               \
    .kinds = SIMT_PATH_KINDS, .ask = simt_splits_ask, .give = simt_splits_give, .look_again = simt_look_again,         \
    .able = simt_splits_able, .caller = simt_splits_caller, .turn = simt_splits_turn
#define SIMT_SPLITS_ROWS_OF_WARPS                                                                                      \
    .advance_some = simt_splits_advance_some, .call = simt_splits_call, .ret = simt_splits_return,                     \
    .exit = simt_splits_end, .part = simt_splits_part, .gather = simt_splits_gather

/* ---- what models are made of ---- */

/* Of models that count the passes of splits in `spent` (its.c): at so many a split lets others go on; a pass of a loop
 * that polls, and whatever counts like one; a split makes passes; its reconvergence point inherits them
 * (simt_divergence.came); the lanes of splits that wait for named lanes, whose reconvergence points must not wait for
 * those. */
#define SIMT_MOST_PASSES 1024
#define SIMT_POLL_PASSES 128
void simt_add_passes(struct simt_path *split, unsigned passes);
void simt_inherit_passes(struct simt_path *point, const struct simt_path *split);
uint64_t simt_lanes_for_named(const struct simt_paths *paths);

/* Splits that wait for named lanes are ready, to look again whom they wait for. */
void simt_look_again(struct simt_paths *paths);
/* Lets go those who stand at reconvergence points that wait for lanes of `slow`, and have spent `least` at least. Paths
 * move. */
void simt_let_go(struct simt_paths *paths, uint64_t slow, uint32_t least);

/* Reconvergence points that have become splits, which are ready. */
struct simt_completed {
    uint32_t first; /* the lowest of them, which was complete last; SIMT_NO_PATH: there is none */
    uint64_t lanes;
    bool has_turn; /* a split that has the turn is left */
};
/* Takes the lanes that stand where their split goes `until` off it, and makes reconvergence points that are complete
 * splits, from the last path to the first: they empty those below. Empty paths stay. */
struct simt_completed simt_complete(struct simt_paths *paths);
void simt_leave_out_empty(struct simt_paths *paths);

/* Joins the split that has the turn with the ready ones that stand at its place. */
void simt_join_ready(struct simt_paths *paths);
/* The split that has the turn goes behind the last path and is of this kind; the first ready one has the turn. */
void simt_put_behind(struct simt_paths *paths, uint8_t kind);
/* If others are ready, join_ready joins some of them with the split that has the turn (as simt_join_ready does), and
 * that goes behind the rest. */
void simt_take_turns(struct simt_paths *paths, void (*join_ready)(struct simt_paths *paths));

/* Makes the split that has the turn a reconvergence point at `reconverge`, or takes it off if the one below is there or
 * there is no such place. Returns what the splits start from that it parts into. */
struct simt_path simt_part(struct simt_paths *paths, uint32_t reconverge);
/* Lanes that part go on at pc, as a split on top of the table, unless they meet there. Returns whether they do. */
bool simt_push_split(struct simt_paths *paths, const struct simt_path *from, uint64_t mask, uint32_t pc);
/* The lanes of the turn have parted: the last split has the turn. */
void simt_parted(struct simt_paths *paths);
/* The lanes that have the turn by what an answer is to them: they got a lock, asked too often, or ask again. */
struct simt_answered {
    uint64_t got, over, again;
    uint32_t all; /* where all go on; ISA_PC_NONE: they part, or some ask again */
};
struct simt_answered simt_answered(const struct simt_paths *paths, const struct simt_answer *a);
/* The lanes that have the turn in groups by where they go, that of the lowest lane first; returns how many. */
unsigned simt_groups(const struct simt_paths *paths, const uint32_t *next, uint64_t groups[64]);

#endif
