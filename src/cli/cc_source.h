/* Inside `lockstep cc`: CUDA C++ that nvcc takes and clang refuses, rewritten in the text of a source. cc_tokens.c
 * reads tokens, cc_source.c has the forms that are seen in the text alone, cc_declarations.c those of declarations,
 * cc_spaces.c those of execution spaces. */
#ifndef LOCKSTEP_CLI_CC_SOURCE_H
#define LOCKSTEP_CLI_CC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum cc_token_kind { CC_NAME, CC_NUMBER, CC_STRING, CC_CHARACTER, CC_SIGN, CC_TOKENS_END };

/* A token of the text: a sign is one character. Those of one directive have its number, others 0. */
struct cc_token {
    const char *text;
    uint32_t length, line, column; /* from 1; columns count bytes, as clang does */
    uint32_t directive;
    enum cc_token_kind kind;
};

/* Ends with a token CC_TOKENS_END, which is not counted. Comments are left out. */
struct cc_tokens {
    struct cc_token *items;
    size_t count, capacity;
};

/* The text must end with NUL. */
void cc_tokens_read(struct cc_tokens *tokens, const char *text);
bool cc_token_is(const struct cc_token *token, const char *text);
/* The index of the bracket that closes the one at `at`, or tokens->count; it must be in the same directive or none. */
size_t cc_token_close(const struct cc_tokens *tokens, size_t at);

/* A place at which clang refused what nvcc takes. */
enum cc_spot_kind {
    CC_SPOT_SHARED,
    CC_SPOT_DEFAULT,
    CC_SPOT_TEMPLATE,
    CC_SPOT_TYPENAME,
    CC_SPOT_ATTRIBUTE,
    CC_SPOT_MANAGED, /* what stands for __managed__ */
    CC_SPOT_LOCAL,   /* a word of device memory, where __shared__ is another one */
    CC_SPOT_SIZED,   /* an array whose size is known when the program runs, and which has a value */
    CC_SPOT_BOTH,    /* a function that another declaration says is for both sides */
    CC_SPOT_DEVICE   /* a function whose other declaration may say that it is the device's */
};
struct cc_spot {
    const char *path; /* absolute; "": in whatever file the macro is defined */
    uint32_t line, column;
    enum cc_spot_kind kind;
    bool is_expanded;   /* what is wrong comes from a macro that is used here, which may have a spot of its own */
    const char *macro;  /* NULL: the spot is a place. Else it is each function that this macro declares ... */
    uint32_t parameter; /* ... under the name that its parameter of this number, from 0, is given */
};
struct cc_spots {
    struct cc_spot *items;
    size_t count, capacity;
};

/* Names of functions, without what they are in. */
struct cc_names {
    const char **items;
    size_t count, capacity;
};

/* Takes so many bytes at a place of the text out and puts others in. */
struct cc_edit {
    const char *at, *put;
    size_t taken;
};

/* One text that is being rewritten. */
struct cc_rewriting {
    struct cc_tokens tokens;
    struct {
        struct cc_edit *items;
        size_t count, capacity;
    } edits;
    struct arena *arena;
    struct cc_spots *spots;
    unsigned *number; /* of managed variables so far, over all texts of one program */
};

/* Appends to `to` the text with every known form rewritten, and with the spots that are in the file `path`. False, and
 * nothing is appended, when there is none. Lines stay lines; columns change only behind what is inserted, where the
 * form leaves no other way. Spots may be added for macros, which are in this file or in another one. */
bool cc_source_rewrite(const char *text, const char *path, struct cc_spots *spots, unsigned *number,
                       struct arena *arena, struct strbuf *to);
/* Appends the spot unless it is there. Its index. */
size_t cc_spot_add(struct cc_spots *spots, const struct cc_spot *spot);
void cc_edit_add(struct cc_rewriting *r, const char *at, size_t taken, const char *put);
/* `__managed__`, or a macro that stands for it, at the token `at`. */
void cc_rewrite_managed(struct cc_rewriting *r, size_t at);
/* A `__shared__` variable with a constructor: `at` is its name. */
void cc_rewrite_shared(struct cc_rewriting *r, size_t at);
/* `__device__` beside `__shared__` in a function: `at` is the word, or a macro that stands for it. */
void cc_rewrite_local(struct cc_rewriting *r, size_t at);
/* An array of a size that is no constant, with values in braces: `at` is in the brackets of a dimension. */
void cc_rewrite_sized(struct cc_rewriting *r, size_t at);
/* The default argument of a parameter, which is at or begins at the token `at`. */
void cc_rewrite_default(struct cc_rewriting *r, size_t at);
/* Adds words of execution spaces to the declaration of the function whose name, or its part behind the last `::`, is at
 * the token `at`. Where an argument of a macro is there, the spot becomes one of the macro. */
void cc_rewrite_space(struct cc_rewriting *r, size_t at, const struct cc_spot *spot);
/* Writes execution spaces into a macro, in front of the functions that it declares. */
void cc_rewrite_macro_spaces(struct cc_rewriting *r, const struct cc_spot *spot);
/* Adds spots of definitions of functions of these names that have no execution space, and of those that macros have
 * under names which are arguments of theirs or put together. */
void cc_find_unmarked(const struct cc_tokens *tokens, const char *path, const struct cc_names *names,
                      struct cc_spots *spots);

#endif
