/* Words of PTX text. A token is a slice of the text; nothing is copied. */
#ifndef LOCKSTEP_PTX_LEX_H
#define LOCKSTEP_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,   /* identifier: add, %r1, $L_2, _ */
    PTX_TOKEN_DOT,    /* .word; text and length are without the dot */
    PTX_TOKEN_NUMBER, /* literal as written */
    PTX_TOKEN_STRING, /* text and length are without the quotes */
    PTX_TOKEN_PUNCT,  /* punct: the character, or PTX_PUNCT_* */
    PTX_TOKEN_BAD,    /* a character or an unfinished string or comment that has no place in PTX */
};

enum {
    PTX_PUNCT_SHL = 1,
    PTX_PUNCT_SHR,
    PTX_PUNCT_LE,
    PTX_PUNCT_GE,
    PTX_PUNCT_EQ,
    PTX_PUNCT_NE,
    PTX_PUNCT_AND,
    PTX_PUNCT_OR
};

struct ptx_token {
    uint8_t kind, punct;
    bool spaced; /* white space or a comment stands before it */
    const char *text;
    uint32_t length;
    uint32_t line, column; /* from 1 */
};

struct ptx_lexer {
    const char *at, *end, *line_start;
    uint32_t line;
};

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t length);
/* The next token. At the end of the text: PTX_TOKEN_END, as often as asked. */
struct ptx_token ptx_lex_next(struct ptx_lexer *lexer);

/* The value of a numeric literal. */
struct ptx_number {
    bool is_float, is_unsigned;
    uint8_t image; /* 32 for 0f..., 64 for 0d...: integer holds the very bits, so that NaN payloads survive */
    uint64_t integer;
    double real;
    bool overflow; /* an integer that needs more than 64 bits */
};
/* Reads a PTX_TOKEN_NUMBER; -1 when its spelling is no literal. */
int ptx_read_number(const struct ptx_token *token, struct ptx_number *number);

static inline bool ptx_token_is(const struct ptx_token *token, const char *text, size_t n)
{
    return token->length == n && !__builtin_memcmp(token->text, text, n);
}
/* True if the token is the given word, dotted word or punctuation. */
#define PTX_IS_WORD(token, literal)                                                                                    \
    ((token)->kind == PTX_TOKEN_WORD && ptx_token_is((token), literal, sizeof(literal) - 1))
#define PTX_IS_DOT(token, literal)                                                                                     \
    ((token)->kind == PTX_TOKEN_DOT && ptx_token_is((token), literal, sizeof(literal) - 1))
#define PTX_IS_PUNCT(token, c) ((token)->kind == PTX_TOKEN_PUNCT && (token)->punct == (c))

#endif
