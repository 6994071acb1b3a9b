/* Litmus tests for tests of the room. */
#ifndef LOCKSTEP_TESTS_LITMUS_SUPPORT_H
#define LOCKSTEP_TESTS_LITMUS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "litmus/litmus.h"

/* A test that must be readable. */
static inline void read_test(struct litmus_test *test, const char *text)
{
    struct diag_sink sink;
    struct strbuf said = {0};
    diag_init(&sink);
    if (litmus_parse(test, "text", text, strlen(text), &sink) < 0) {
        diag_format_all(&sink, &said);
        fail_msg("%s", strbuf_text(&said));
    }
    strbuf_free(&said);
    diag_free(&sink);
}

/* Two threads, in blocks of their own or in one; rows of both. */
static inline void read_pair(struct litmus_test *test, unsigned second_block, const char *rows, const char *condition)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "PTX pair\n{ }\n P0@cta 0 | P1@cta %u ;\n%s\n%s\n", second_block, rows, condition);
    read_test(test, strbuf_text(&text));
    strbuf_free(&text);
}

static inline bool includes(const struct litmus_outcomes *all, const struct litmus_outcomes *some)
{
    for (unsigned i = 0; i < some->count; i++)
        if (!litmus_count_of(all, &some->items[i].outcome))
            return false;
    return true;
}

#endif
