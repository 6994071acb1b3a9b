/* Sources of CUDA C++ from anywhere: rewriting one ends in a text of as many lines, whatever clang complained of in it,
 * and that text can be rewritten again. The first bytes say at which places clang did. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_SPOTS 4

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Takes a line, a column and a kind for each spot. */
static void read_spots(struct cc_spots *spots, const uint8_t **data, size_t *size)
{
    for (unsigned i = 0; i < MOST_SPOTS && *size >= 2; i++, *data += 2, *size -= 2)
        vec_push(spots, (struct cc_spot){.path = "/a.cu",
                                         .line = ((*data)[0] & 15u) + 1,
                                         .column = ((*data)[1] & 127u) + 1,
                                         .kind = (*data)[1] & 128 ? CC_SPOT_DEFAULT : CC_SPOT_SHARED});
}

static void rewrite(const char *text, struct cc_spots *spots)
{
    struct arena arena;
    struct strbuf out = {0}, again = {0};
    unsigned number = 0;
    arena_init(&arena);
    if (cc_source_rewrite(text, "/a.cu", spots, &number, &arena, &out)) {
        if (lines_of(strbuf_text(&out)) != lines_of(text))
            abort();
        cc_source_rewrite(strbuf_text(&out), "/a.cu", spots, &number, &arena, &again);
    } else if (out.length) {
        abort();
    }
    strbuf_free(&out);
    strbuf_free(&again);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cc_spots spots = {0};
    read_spots(&spots, &data, &size);
    char *text = base_calloc(1, size + 1);
    if (size)
        memcpy(text, data, size);
    rewrite(text, &spots);
    free(text);
    vec_free(&spots);
    return 0;
}
