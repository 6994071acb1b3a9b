/* The wire format of protocol buffers: fields appended to a message, which is a text of bytes. A message inside another
 * is made first, and then added as bytes. */
#ifndef LOCKSTEP_REPORT_PROTO_H
#define LOCKSTEP_REPORT_PROTO_H

#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

/* Seven bits a byte, the lowest first; all bytes but the last one have their highest bit set. */
static inline void proto_add_varint(struct strbuf *to, uint64_t value)
{
    char bytes[10];
    unsigned n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    strbuf_addn(to, bytes, n);
}

static inline void proto_add_number(struct strbuf *to, uint32_t field, uint64_t value)
{
    proto_add_varint(to, field << 3 | PROTO_VARINT);
    proto_add_varint(to, value);
}

static inline void proto_add_fixed64(struct strbuf *to, uint32_t field, uint64_t value)
{
    char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (char)(value >> 8 * i);
    proto_add_varint(to, field << 3 | PROTO_FIXED64);
    strbuf_addn(to, bytes, 8);
}

static inline void proto_add_double(struct strbuf *to, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    proto_add_fixed64(to, field, bits);
}

static inline void proto_add_bytes(struct strbuf *to, uint32_t field, const void *data, size_t n)
{
    proto_add_varint(to, field << 3 | PROTO_BYTES);
    proto_add_varint(to, n);
    strbuf_addn(to, data, n);
}

static inline void proto_add_text(struct strbuf *to, uint32_t field, const char *text)
{
    proto_add_bytes(to, field, text, strlen(text));
}

/* Adds a message, and empties it. */
static inline void proto_add_message(struct strbuf *to, uint32_t field, struct strbuf *message)
{
    proto_add_bytes(to, field, strbuf_text(message), message->length);
    message->length = 0;
}

#endif
