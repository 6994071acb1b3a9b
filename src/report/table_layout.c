/* Widths of a table's columns on a terminal, and lines of its cells; see table_layout.h. */
#include "report/table_layout.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define GAP 2         /* between two columns */
#define SHORT_WORD 24 /* no word is shortened to fewer characters for the others' sake */
#define PAIR 16       /* a word and the number behind it stay together if they have no more characters */
#define NARROW 28     /* columns of text that cannot be wider go below their rows */
#define INDENT 4      /* of a column that stands below its row */

/* Numbers begin with a digit or a sign before one. What stands behind it in the word is its unit. */
static bool is_number(const char *word)
{
    word += *word == '-' || *word == '+';
    return isdigit((unsigned char)*word) || (*word == '.' && isdigit((unsigned char)word[1]));
}

static size_t indent_of(const char *text)
{
    return strspn(text, " ");
}

/* Bytes of the text up to where it may be broken: those of a word, with a number behind it that belongs to it. */
static size_t word_bytes(const char *text)
{
    size_t bytes = strcspn(text, " "), number = bytes + strspn(text + bytes, " ");
    size_t both = number + strcspn(text + number, " ");
    return !is_number(text) && is_number(text + number) && both <= PAIR ? both : bytes;
}

/* The width without which a cell breaks a word, or with `shortened` without which it loses more of one than it may. A
 * number in a column of numbers is one word with its unit behind it. */
static size_t least_of(const char *cell, char align, bool shortened)
{
    size_t least = 0, indent = indent_of(cell);
    if (align == 'r' && is_number(cell))
        return table_width(cell, strlen(cell));
    for (const char *word = cell + indent; *word;) {
        size_t bytes = word_bytes(word), width = table_width(word, bytes);
        if (shortened && !is_number(word) && width > SHORT_WORD)
            width = SHORT_WORD;
        least = width > least ? width : least;
        word += bytes;
        word += strspn(word, " ");
    }
    return least + indent;
}

/* For each column the width of its widest cell, or the least width that its cells ask for. */
enum measure { WHOLE, BY_WORDS, SHORTENED };

static size_t measure(const struct table *t, unsigned column, enum measure how)
{
    size_t widest = 0;
    for (size_t i = column; i < t->cells.count; i += t->columns) {
        const char *cell = t->cells.items[i].text;
        size_t n = how == WHOLE ? table_width(cell, strlen(cell)) : least_of(cell, t->align[column], how == SHORTENED);
        widest = n > widest ? n : widest;
    }
    return widest;
}

static size_t sum_of(const size_t *width, const struct table_block *b)
{
    size_t sum = b->count ? GAP * (b->count - 1) : 0;
    for (unsigned i = 0; i < b->count; i++)
        sum += width[b->columns[i]];
    return sum;
}

/* Takes what is too much from the widest of those columns that may be narrower, a character at a time. Returns true if
 * the block then fits. */
static bool narrow(size_t *width, const size_t *least, const struct table_block *b, size_t most)
{
    size_t sum = sum_of(width, b);
    for (; sum > most; sum--) {
        unsigned widest = b->count;
        for (unsigned i = 0; i < b->count; i++)
            if (width[b->columns[i]] > least[b->columns[i]] &&
                (widest == b->count || width[b->columns[i]] >= width[b->columns[widest]]))
                widest = i;
        if (widest == b->count)
            return false;
        width[b->columns[widest]]--;
    }
    return true;
}

/* The first `count` columns in as few blocks as hold them, each with the first column before its own. */
static void divide(struct table_layout *l, const size_t *least, unsigned count, size_t most, struct arena *arena)
{
    l->blocks = ARENA_NEW(arena, struct table_block, count + 1);
    for (unsigned next = 0; next < count || !l->block_count;) {
        unsigned *columns = ARENA_NEW(arena, unsigned, count + 1);
        struct table_block *b = &l->blocks[l->block_count++];
        *b = (struct table_block){columns, 0};
        unsigned first = next ? 1 : 0;
        if (first)
            columns[b->count++] = 0;
        while (next < count) {
            columns[b->count] = next;
            struct table_block wider = {columns, b->count + 1};
            if (b->count > first && sum_of(least, &wider) > most)
                break;
            b->count++;
            next++;
        }
    }
}

static size_t *measures(const struct table *t, enum measure how, struct arena *arena)
{
    size_t *width = ARENA_NEW(arena, size_t, t->columns + 1);
    for (unsigned c = 0; c < t->columns; c++)
        width[c] = measure(t, c, how);
    return width;
}

/* The last column is text, of which too little would stand beside the others. */
static bool should_hang(const struct table *t, const struct table_layout *l, const size_t *words, size_t most)
{
    unsigned last = t->columns - 1;
    size_t others = 0;
    for (unsigned c = 0; c < last; c++)
        others += words[c] + GAP;
    size_t enough = l->width[last] < NARROW ? l->width[last] : words[last] < NARROW ? NARROW : words[last];
    return last > 0 && t->align[last] == 'l' && l->width[last] >= NARROW && others + enough > most;
}

struct table_layout table_lay_out(const struct table *t, unsigned columns, struct arena *arena)
{
    struct table_layout l = {.width = measures(t, WHOLE, arena)};
    size_t most = columns ? columns : SIZE_MAX;
    divide(&l, l.width, t->columns, most, arena);
    if (l.block_count == 1)
        return l;
    const size_t *words = measures(t, BY_WORDS, arena), *least = measures(t, SHORTENED, arena);
    l.hangs = should_hang(t, &l, words, most);
    unsigned count = t->columns - l.hangs;
    if (l.hangs)
        l.width[count] = most > 2 * INDENT ? most - INDENT : most;
    l.block_count = 0;
    divide(&l, least, count, most, arena);
    for (unsigned i = 0; i < l.block_count; i++)
        if (!narrow(l.width, words, &l.blocks[i], most))
            narrow(l.width, least, &l.blocks[i], most);
    return l;
}

/* Bytes of as many whole words as the width takes, at least one. */
static size_t words_within(const char *text, size_t width)
{
    size_t bytes = word_bytes(text);
    for (;;) {
        size_t more = bytes + strspn(text + bytes, " ");
        more += word_bytes(text + more);
        if (more == bytes || table_width(text, more) > width)
            return bytes;
        bytes = more;
    }
}

static const char *shortened(const char *text, size_t bytes, size_t width, struct arena *arena)
{
    struct strbuf word = {0};
    table_shorten(text, bytes, width, &word);
    const char *kept = arena_strdup(arena, strbuf_text(&word));
    strbuf_free(&word);
    return kept;
}

bool table_next_piece(const struct table_cell *cell, char align, size_t width, const char **at, struct arena *arena,
                      struct table_piece *piece)
{
    const char *text = *at;
    size_t done = (size_t)(text - cell->text), bytes = strlen(text), indent = indent_of(cell->text), room = width;
    if (!bytes)
        return false;
    if (done == 0 && (table_width(text, bytes) <= width || (align == 'r' && is_number(text)))) {
        indent = 0; /* the text has its own */
    } else {
        room = width > indent ? width - indent : 1;
        text += done ? 0 : indent;
        bytes = words_within(text, room);
    }
    *at = text + bytes + strspn(text + bytes, " ");
    *piece = (struct table_piece){text, bytes, cell->painted > done ? cell->painted - done : 0};
    if (table_width(text, bytes) > room && !is_number(text) && !memchr(text, ' ', bytes)) {
        piece->text = shortened(text, bytes, room, arena);
        piece->bytes = strlen(piece->text);
    }
    if (indent) {
        piece->text = arena_printf(arena, "%*s%.*s", (int)indent, "", (int)piece->bytes, piece->text);
        piece->bytes += indent;
    }
    piece->painted = piece->painted < piece->bytes ? piece->painted : piece->bytes;
    return true;
}
