/* How the lanes of a warp part and meet again. A path is a set of lanes that go on together: where, and in which frame
 * of registers and memory. One path has the turn: it is the one that executes, and it is plain data, read without a
 * call. What becomes of the paths when lanes branch, call, return or exit is the business of a divergence model: a
 * constant table of functions, in a file of its own and a row of models.def. A model keeps all paths of a warp in one
 * table; memory, checkpoints and those who look at a warp from outside need no more than that table.
 *
 * In every table a lane stands at the last path that has it. Earlier paths that have it are where it goes on later:
 * behind a call, or where branches meet. So schedulers, the watch and the hang report see each live lane once.
 *
 * "Lanes of mask" are always a non-empty subset of those that have the turn. */
#ifndef LOCKSTEP_SIMT_DIVERGENCE_H
#define LOCKSTEP_SIMT_DIVERGENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "isa/program.h"

/* Where the executing function's registers, predicates and local memory start. */
struct simt_frame {
    uint32_t function;
    uint32_t reg_base, pred_base, local_base;
};

struct simt_path {
    uint32_t pc;    /* next instruction; ISA_PC_NONE: waits for lanes that return or exit, never executes */
    uint32_t until; /* coming to this instruction is for the model to deal with; ISA_PC_NONE: at no instruction */
    uint64_t mask;
    struct simt_frame frame;
    uint8_t kind;   /* the model's own, as what follows is */
    uint8_t what;   /* it waits for (simt_awaited), as key */
    uint16_t spent; /* what it did since it last had to let others go on */
    uint32_t key;   /* 0: it waits for nothing */
};

/* How lanes that are named together by an instruction wait for each other there. */
enum simt_gathering {
    SIMT_GATHER_ONE,   /* they execute this one instruction, as one path */
    SIMT_GATHER_ANY,   /* each comes to an exchange or a barrier of the warp, wherever it is */
    SIMT_GATHER_BLOCK, /* each comes to a barrier of the block, wherever it is */
};
/* The condition that lanes wait for (simt_divergence.gather). Lanes whose conditions differ in `named` at most meet. */
struct simt_awaited {
    enum simt_gathering how;
    uint8_t what;   /* which instructions count: gather.c */
    uint32_t key;   /* the member mask; of a barrier of the block, its number and mode */
    uint64_t named; /* all lanes that have to come */
};
/* The paths that stood at other instructions than the one that has the turn, and go on behind them: where they were. */
struct simt_met {
    unsigned count;
    struct simt_path at[64];
};
enum simt_gathered {
    SIMT_GATHERED,      /* all named lanes are there. Some may have joined the path that has the turn */
    SIMT_GATHER_WAITS,  /* they are not: the path waits, another has the turn */
    SIMT_GATHER_NOBODY, /* they are not, and no other lane of the warp can go on: the path keeps the turn */
};

struct simt_paths {
    struct simt_path *now; /* the path that has the turn; NULL when all lanes have ended */
    uint32_t count;
    uint32_t most;  /* paths at once, since the start */
    uint32_t asked; /* the model's own: of them, those of lanes that ask for locks */
    uint64_t past, skipped; /* the model's own: lanes that came past places where they were to meet others */
    const struct simt_divergence *model;
    const struct isa_module *module; /* of the program; NULL: nobody knows where its instructions meet */
    uint32_t timeout; /* of aware, in passes; 0: the usual one */
    struct simt_path *table;
    uint32_t capacity;
    bool lent; /* the table is memory that is not its own */
};

/* The answer to lanes that asked for locks or semaphores: those of `got` go on at `next`; those of `over`, which asked
 * too often, at `target`; the others come again to where they stand, to ask again. */
struct simt_answer {
    uint64_t got, over;
    uint32_t next, target;
    bool kept; /* lanes that got it will `give` it back; else all that asked got it, and that is that */
};

/* Functions of a divergence model that forms warps anew, by which threads of a block go from warp to warp (form.h). */
struct simt_forming {
    /* The lanes of path i may leave their warp if they wait for no others of it, and are in no call. */
    bool (*may_leave)(const struct simt_paths *paths, uint32_t i);
    /* The lanes that give up their place to others which would execute sooner there: they may leave, and have neither
     * the turn nor given up their place so often that it is others' turn to. */
    uint64_t (*giving)(const struct simt_paths *paths);
    /* Lanes that may leave do; lanes come that stood in another warp where its path `like` stands. Behind any number of
     * these comes `arrive`. */
    void (*leave)(struct simt_paths *paths, uint64_t mask);
    void (*come)(struct simt_paths *paths, uint64_t mask, const struct simt_path *like);
};

/* Each function leaves `now` where the turn is. */
struct simt_divergence {
    const char *name;
    uint8_t kinds;  /* of paths, from 0 */
    bool exclusive; /* lanes that ask for locks keep the turn until they get one of them */
    bool delays;    /* lanes that leave a loop in which they only wait do not meet where it ends (poll) */
    const struct simt_forming *forming; /* NULL: threads stay in their warp */
    /* Of models that are made of reconvergence points (splits.h): the lanes of a split come to the reconvergence point
     * below it. */
    void (*came)(struct simt_path *point, const struct simt_path *split);
    /* The path that has the turn came to where it goes `until`. */
    void (*arrive)(struct simt_paths *paths);
    void (*advance_some)(struct simt_paths *paths, uint64_t mask, uint32_t next);
    void (*branch)(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                   uint32_t reconverge);
    void (*branch_each)(struct simt_paths *paths, const uint32_t *next, uint32_t reconverge);
    void (*call)(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next,
                 const struct simt_frame *frame);
    void (*ret)(struct simt_paths *paths, uint64_t mask, uint32_t next);
    void (*exit)(struct simt_paths *paths, uint64_t mask, uint32_t next);
    void (*yield)(struct simt_paths *paths); /* NULL: no path can go on before the one that has the turn */
    /* As branch, where lanes that go to target go round a loop again in which they may wait for others; NULL: no other
     * path can go on meanwhile. */
    void (*poll)(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough, uint32_t reconverge);
    /* The path that has the turn came to an instruction that its lanes `some` execute together with all named ones, as
     * a path without its other lanes; NULL: those that are not there are not waited for, but at barriers of the block
     * (await). Fills `met`, unless it WAITS; where all are GATHERED, the caller executes the instructions of those
     * paths too. */
    enum simt_gathered (*gather)(struct simt_paths *paths, uint64_t some, const struct simt_awaited *awaited,
                                 struct simt_met *met);
    /* Of models without gather: the lanes `some` of the turn came to a barrier of the block at which `missing`, of
     * their warp, have to arrive too; its other lanes go on at next. GATHERED: all are there, and those that waited
     * under the same key, which is not 0, are behind their instructions; some may have joined the turn. WAITS: others
     * have the turn. NOBODY: no other lane can go on. *there: the lanes that have come. */
    enum simt_gathered (*await)(struct simt_paths *paths, uint64_t some, uint32_t next, uint32_t key, uint64_t missing,
                                uint64_t *there);
    /* Those that wait at barriers of the block come there again, when they have the turn. */
    void (*look_again)(struct simt_paths *paths);
    /* Locks (simt/lock.h). The lanes of mask, all that have the turn, ask for locks; they stay where they are. */
    void (*ask)(struct simt_paths *paths, uint64_t mask);
    /* Those that asked, and have the turn, are answered. */
    void (*answer)(struct simt_paths *paths, const struct simt_answer *answer);
    /* The lanes that have the turn go on at next; `given`, of them, have given back a lock that they were to give back.
     * Returns lanes that have thereby come past the place where others of their warp wait to meet them. */
    uint64_t (*give)(struct simt_paths *paths, uint64_t given, uint32_t next);
    /* The lanes of mask, some of those that have the turn, go on at next by themselves. */
    void (*part)(struct simt_paths *paths, uint64_t mask, uint32_t next);
    /* Of models without gather: the lanes of mask execute the instruction at which they are, then the others that have
     * the turn, unless one of the two waits there (await). */
    void (*split)(struct simt_paths *paths, uint64_t mask);
    /* The lanes that stand outside the instructions from first to last and may go on although those that are there only
     * wait; NULL: none may. */
    uint64_t (*able)(const struct simt_paths *paths, uint32_t first, uint32_t last);
    const struct simt_path *(*caller)(const struct simt_paths *paths);
    /* The path that has the turn, found by the table alone, which is not empty. */
    struct simt_path *(*turn)(const struct simt_paths *paths);
    /* Returns true if the table satisfies the invariants that the model keeps between two instructions. */
    bool (*holds)(const struct simt_paths *paths);
};

/* The reconvergence stack: the default. */
extern const struct simt_divergence simt_stack;
/* The model of that name, or NULL; all of them (models.def), NULL-terminated. */
const struct simt_divergence *simt_model_find(const char *name);
const struct simt_divergence *const *simt_models(void);

/* One path with these lanes at pc; keeps the memory of an earlier use. Zero-initialise the struct once. */
void simt_paths_start(struct simt_paths *paths, const struct simt_divergence *model, uint64_t mask, uint32_t pc,
                      const struct simt_frame *frame);
void simt_paths_free(struct simt_paths *paths);
/* No paths, and a table in memory that stays its owner's, until it takes more. */
void simt_paths_lend(struct simt_paths *paths, struct simt_path *memory, uint32_t capacity);

/* The lanes that have the turn, `now` which the caller has at hand, go on at next. */
static inline void simt_advance_now(struct simt_paths *paths, struct simt_path *now, uint32_t next)
{
    now->pc = next;
    if (now->until == next)
        paths->model->arrive(paths);
}
static inline void simt_advance(struct simt_paths *paths, uint32_t next)
{
    simt_advance_now(paths, paths->now, next);
}
/* Lanes of mask go on at next; the others that have the turn stay where they are and catch up: all meet at next. */
static inline void simt_advance_some(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    contract(mask && !(mask & ~paths->now->mask));
    paths->model->advance_some(paths, mask, next);
}
/* The lanes in taken (none, some or all of those that have the turn) go to target, the others to fallthrough; they may
 * meet at reconverge, where all of them come that do not leave the function. */
static inline void simt_branch(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                               uint32_t reconverge)
{
    paths->model->branch(paths, taken, target, fallthrough, reconverge);
}
/* A branch (simt_branch) at the end of a loop in which lanes may wait for others. */
static inline void simt_poll(struct simt_paths *paths, uint64_t taken, uint32_t target, uint32_t fallthrough,
                             uint32_t reconverge)
{
    const struct simt_divergence *model = paths->model;
    (model->poll ? model->poll : model->branch)(paths, taken, target, fallthrough, reconverge);
}
/* Each lane that has the turn goes to next[lane]. */
static inline void simt_branch_each(struct simt_paths *paths, const uint32_t *next, uint32_t reconverge)
{
    paths->model->branch_each(paths, next, reconverge);
}
/* Lanes of mask call the function whose first instruction is entry and will return to next, where the others that have
 * the turn, which stay where they are until then, meet them. */
static inline void simt_enter(struct simt_paths *paths, uint64_t mask, uint32_t entry, uint32_t next,
                              const struct simt_frame *frame)
{
    contract(mask && !(mask & ~paths->now->mask));
    paths->model->call(paths, mask, entry, next, frame);
}
/* Lanes of mask return from the innermost call; the others that have the turn go on at next. */
static inline void simt_leave(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    contract(mask && !(mask & ~paths->now->mask));
    paths->model->ret(paths, mask, next);
}
/* Lanes of mask end; the others that have the turn go on at next. */
static inline void simt_end(struct simt_paths *paths, uint64_t mask, uint32_t next)
{
    contract(mask && !(mask & ~paths->now->mask));
    paths->model->exit(paths, mask, next);
}
/* The lanes that have the turn wait for something (they sleep): others may have it, where the model lets them. */
static inline void simt_yield(struct simt_paths *paths)
{
    if (paths->model->yield)
        paths->model->yield(paths);
}
/* simt_divergence.able. */
static inline uint64_t simt_able(const struct simt_paths *paths, uint32_t first, uint32_t last)
{
    return paths->model->able ? paths->model->able(paths, first, last) : 0;
}
/* The path that called the function of the lanes that have the turn (its pc is the return address); NULL in the
 * outermost function. */
static inline const struct simt_path *simt_caller(const struct simt_paths *paths)
{
    return paths->model->caller(paths);
}

/* Path number i, from 0 to count - 1: by the table's order alone. */
static inline const struct simt_path *simt_path_at(const struct simt_paths *paths, uint32_t i)
{
    return &paths->table[i];
}

/* Goes over the paths, the last first: while (simt_walk_next(&walk)) path and lanes, those that stand there. */
struct simt_walk {
    const struct simt_path *path;
    uint64_t lanes;
    const struct simt_path *first;
    uint64_t left;
};
static inline struct simt_walk simt_walk(const struct simt_paths *paths)
{
    return (struct simt_walk){paths->table + paths->count, 0, paths->table, ~UINT64_C(0)};
}
static inline bool simt_walk_next(struct simt_walk *walk)
{
    if (walk->path == walk->first)
        return false;
    walk->path--;
    walk->lanes = walk->path->mask & walk->left;
    walk->left &= ~walk->path->mask;
    return true;
}

/* For models. Makes room for `capacity` paths in all: paths move. */
void simt_paths_reserve(struct simt_paths *paths, uint32_t capacity);
/* Adds a path behind the last. */
void simt_paths_push(struct simt_paths *paths, struct simt_path path);
/* The lanes of mask whose next is pc. */
uint64_t simt_lanes_going_to(const uint32_t *next, uint32_t pc, uint64_t mask);

#endif
