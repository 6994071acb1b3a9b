/* Writes CUDA C++ programs at random whose final memory follows from the source alone: program.h is their language, the
 * host their model. A program is a number: everything about it is drawn from that. */
#ifndef GENERATOR_GENERATE_H
#define GENERATOR_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/strbuf.h"

enum type { S8, U8, S16, U16, S32, U32, S64, U64, F32, F64, TYPES };

/* Who has the same value of something, or executes a statement together. MASKED: the lanes of a mask that the source
 * has in a variable. */
enum level { LANE, MASKED, WARP, BLOCK, GRID };

/* What a program has that some configurations refuse, as they must. */
enum form {
    FORM_LOCK = 1,    /* instructions that take a lock */
    FORM_NESTED = 2,  /* such a lock while the thread has another one: no queues */
    FORM_ORDER = 4,   /* locks given back in another order than taken: cannot be on a stack */
    FORM_SPANS = 8,   /* a branch meets between lock and unlock: cannot be on a stack */
    FORM_BEHIND = 16, /* a spin lock given back behind its loop: cannot be on a stack */
    FORM_ALONE = 32,  /* the same by one lane of each warp, of which 64 lanes that share a stack have two */
    FORM_CLUSTER = 128, /* its blocks are a cluster */
    FORM_EARLY = 512,   /* it may begin before the launch that fills its memory has ended */
    FORM_ROLES = 256,   /* its warps give registers back and ask for some again */
    FORM_APART = 64,  /* a semaphore in a branch: on a stack, a lane that got it meets others where the branch does */
};

struct variable {
    const char *name;
    enum type type;
    enum level level;
    bool constant; /* is not assigned to */
};
enum { VARIABLES = 64, PURE = 4, PURE_SHAPES = 4, PROCEDURES = 3 };

struct generator {
    uint32_t number;
    struct random_stream random;
    struct strbuf out;
    int indent;
    unsigned names;      /* taken so far: what is declared in a block is numbered */
    unsigned statements; /* so far; omitted ones are counted */
    const char *omit;    /* numbers of statements to leave out, ",3,17," */
    unsigned forms;      /* enum form */
    unsigned blocks, threads;
    size_t kernel_begins; /* where the functions that it shares with others end */
    bool groups;          /* uses cooperative groups */
    int locks_left;       /* critical sections that it may still get */
    int size_left;        /* statements that the function may still get */
    struct variable variables[VARIABLES];
    size_t variable_count;
    bool has_memory;               /* g and s are there */
    bool shared_ended;             /* but s is not to be changed any more */
    bool has_array, has_structure; /* words[8], bytes[16], reals[4]; r */
    unsigned pure[PURE_SHAPES];    /* functions of each shape so far */
    unsigned procedures, collective_procedures, block_procedures;
    unsigned procedure_forms[PROCEDURES]; /* enum form, 0: it takes no lock */
    char **texts;                         /* expressions, freed with the program */
    size_t text_count;
};

/* What a function returns that may return at a statement. */
enum returns { RETURNS_NOT, RETURNS_NOTHING, RETURNS_VALUE, RETURNS_STRUCTURE };

/* Where a statement stands. */
struct place {
    enum level level;
    const char *mask; /* the variable with the lanes that are here together, at MASKED and above */
    int depth;        /* of nesting that may still be */
    unsigned trips;   /* how often it is executed, at most */
    bool in_loop;
    enum level loop; /* who goes round the innermost loop together */
    enum returns returns;
    enum type return_type; /* of RETURNS_VALUE */
    bool section;          /* inside a critical section */
    int rank;              /* of the locks that may be taken here: see locks.c */
};

/* ---- expressions.c ---- */
uint32_t draw(struct generator *g, uint32_t below);
bool chance(struct generator *g, uint32_t percent);
const char *type_name(enum type t);
enum type any_type(struct generator *g);
void declare(struct generator *g, const char *name, enum type t, enum level level, bool constant);
/* A variable of that level that may be assigned to, NULL when there is none. */
const struct variable *target(struct generator *g, enum level level);
/* Text that lives as long as the program. */
const char *text(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An expression that has the same value for all of a level; depth: of operators, at most. */
const char *expression(struct generator *g, enum type t, int depth, enum level level);
const char *condition(struct generator *g, int depth, enum level level);

/* ---- statements.c ---- */
void line(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void block_begin(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void block_end(struct generator *g);
unsigned fresh(struct generator *g);
void statements(struct generator *g, struct place p, unsigned count);

/* ---- together.c: barriers, and what lanes of a mask do together ---- */
void together_lanes(struct generator *g, struct place p);
void together_block(struct generator *g, struct place p);
void together_grid(struct generator *g, struct place p);

/* ---- locks.c ---- */
void atomic_statement(struct generator *g, struct place p);
void lock_statement(struct generator *g, struct place p);
void lock_functions(struct generator *g);

/* ---- functions.c ---- */
/* The functions that programs of one group share, and what they have of their own. */
enum { GROUP = 8 };
void program_text(struct generator *g);
/* Cooperative groups take long to compile: programs of some groups have them. */
bool uses_groups(uint32_t number);

/* ---- configure.c ---- */
/* Prints how run `run` of a program is to be made: kind, what may refuse it, options, separated by tabs. */
void configure(const struct generator *g, unsigned run);

#endif
