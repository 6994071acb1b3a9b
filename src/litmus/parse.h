/* The reader's state and the functions that its files share. Private to the room. */
#ifndef LOCKSTEP_LITMUS_PARSE_H
#define LOCKSTEP_LITMUS_PARSE_H

#include "base/vec.h"
#include "litmus/lex.h"
#include "litmus/litmus.h"

/* A register's value in the part in braces, before the threads are known. */
struct litmus_given {
    uint32_t thread;
    uint64_t value;
    struct litmus_token name;
};

struct litmus_label {
    unsigned thread, at;
    struct litmus_token name;
};

struct litmus_parser {
    struct litmus_lexer lexer;
    struct litmus_test *test;
    VEC(struct litmus_given) given;
    VEC(struct litmus_label) labels; /* where they stand */
    VEC(struct litmus_label) jumps;  /* the branches that name them */
    VEC(struct litmus_instr) instrs[LITMUS_THREADS];
    VEC(struct litmus_node) nodes;
};

/* A register's name is r and digits. All other names are places'. */
bool litmus_is_register(const struct litmus_token *name);
/* Names: found, or made. The address of a place is its own number, unless the name is a generic alias. */
bool litmus_find_place(struct litmus_parser *p, const struct litmus_token *name, unsigned *place, unsigned *address);
bool litmus_find_register(struct litmus_parser *p, unsigned thread, const struct litmus_token *name, unsigned *number);
/* A word that is a name, gone past. */
bool litmus_take_name(struct litmus_parser *p, const char *what, struct litmus_token *name);
/* The name of an mbarrier, perhaps in brackets. */
bool litmus_take_object(struct litmus_parser *p, unsigned *object);
/* A number that a register of the test can hold, gone past. */
bool litmus_take_value(struct litmus_parser *p, uint64_t *value);
/* A place, perhaps in brackets, and the address by which it is named. */
bool litmus_take_place(struct litmus_parser *p, unsigned *place, unsigned *address);

/* parse_instr.c: the instruction that is looked at, up to the end of its cell. Its targets are resolved later. */
bool litmus_parse_instr(struct litmus_parser *p, unsigned thread, struct litmus_instr *i);
/* parse_condition.c: the rest of the test. */
bool litmus_parse_condition(struct litmus_parser *p);
/* The number of a thread, from P3 or 3. */
bool litmus_take_thread(struct litmus_parser *p, uint32_t *thread);

/* The places' sizes: of a word such as b16 or u64; 0: it is no size. */
unsigned litmus_bits_of(const char *text, unsigned length);

#endif
