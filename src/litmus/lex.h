/* The words of a litmus test. Private to the room. */
#ifndef LOCKSTEP_LITMUS_LEX_H
#define LOCKSTEP_LITMUS_LEX_H

#include <stdint.h>

#include "base/diag.h"

enum litmus_token_kind {
    LITMUS_END,
    LITMUS_WORD,   /* a letter, then letters, digits, _, . and :: */
    LITMUS_NUMBER, /* digits, perhaps with a sign */
    LITMUS_MARK    /* { } ( ) [ ] ; : , | @ ~ = == != /\ \/ */
};

struct litmus_token {
    enum litmus_token_kind kind;
    const char *text; /* in the test's text, not terminated */
    unsigned length;
    struct diag_pos pos;
};

struct litmus_lexer {
    const char *at, *end, *line_start;
    struct diag_pos pos;
    struct diag_sink *sink;
    struct litmus_token token; /* the one that is looked at */
    bool failed;               /* an error was reported: the rest is not looked at */
};

void litmus_lex(struct litmus_lexer *lexer, const char *file, const char *text, size_t length, struct diag_sink *sink);
/* The rest of the line, and past it: the head of a test is a line and no words. What stands between it and the first
 * line that begins with a brace is said of the test, and passed over. */
void litmus_take_line(struct litmus_lexer *lexer, const char **text, unsigned *length);
void litmus_skip_to_brace(struct litmus_lexer *lexer);
/* Goes to the next word. */
void litmus_next(struct litmus_lexer *lexer);
/* Returns true if the next word is `text`. litmus_take then also goes past it. */
bool litmus_at(const struct litmus_lexer *lexer, const char *text);
bool litmus_take(struct litmus_lexer *lexer, const char *text);
/* Reports an error at a word, or at the one that is looked at; of several the first is kept. Returns false. */
bool litmus_fail_at(struct litmus_lexer *lexer, const struct litmus_token *token, const char *hint, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));
#define litmus_fail(lexer, ...) litmus_fail_at(lexer, &(lexer)->token, __VA_ARGS__)
/* Goes past a mark or word that must come here. */
bool litmus_expect(struct litmus_lexer *lexer, const char *text);
/* Goes past a number that must come here, of 32 or 64 bits; a negative one is taken as its complement. */
bool litmus_number(struct litmus_lexer *lexer, uint32_t *value);
bool litmus_long_number(struct litmus_lexer *lexer, uint64_t *value);

#endif
