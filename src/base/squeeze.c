/* Compressed texts: see squeeze.h. */
#include "base/squeeze.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/check.h"

#define SKIPPED 0x184D2A50u /* begins a frame that zstd passes over: its length follows, in 4 bytes */
#define HEAD 8
#define LEVEL 3
#define PIECE (1u << 20)

static void put_u32(char *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (char)(value >> 8 * i);
}

void squeeze(const char *label, const char *text, size_t length, struct strbuf *out)
{
    char head[HEAD];
    size_t most = ZSTD_compressBound(length);
    char *frame = base_malloc(most);
    put_u32(head, SKIPPED);
    put_u32(head + 4, (uint32_t)strlen(label));
    strbuf_addn(out, head, sizeof head);
    strbuf_add(out, label);
    size_t bytes = ZSTD_compress(frame, most, text, length, LEVEL);
    contract(!ZSTD_isError(bytes));
    strbuf_addn(out, frame, bytes);
    free(frame);
}

bool squeeze_is(const char *label, const char *content, size_t bytes)
{
    char head[HEAD];
    size_t n = strlen(label);
    put_u32(head, SKIPPED);
    put_u32(head + 4, (uint32_t)n);
    return bytes >= HEAD + n && !memcmp(content, head, HEAD) && !memcmp(content + HEAD, label, n);
}

bool unsqueeze(const char *label, const char *content, size_t bytes, struct strbuf *out)
{
    if (!squeeze_is(label, content, bytes))
        return false;
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    ZSTD_inBuffer in = {content, bytes, HEAD + strlen(label)};
    char *piece = base_malloc(PIECE);
    size_t left = 1;
    while (left && zstd) {
        ZSTD_outBuffer to = {piece, PIECE, 0};
        size_t before = in.pos;
        left = ZSTD_decompressStream(zstd, &to, &in);
        strbuf_addn(out, piece, to.pos);
        if (ZSTD_isError(left) || (left && in.pos == before && !to.pos))
            break;
    }
    free(piece);
    ZSTD_freeDCtx(zstd);
    return zstd && !left && in.pos == bytes;
}
