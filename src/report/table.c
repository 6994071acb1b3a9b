/* Tables; see table.h. Widths count characters, not bytes, so that UTF-8 text lines up. */
#include "report/table.h"

#include <string.h>

#include "report/table_layout.h"

void table_init(struct table *t, const char *align)
{
    *t = (struct table){.columns = (unsigned)strlen(align), .align = align};
}

void table_free(struct table *t)
{
    vec_free(&t->cells);
    arena_free(&t->arena);
}

void table_cell(struct table *t, const char *format, ...)
{
    struct strbuf text = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&text, format, ap);
    va_end(ap);
    vec_push(&t->cells, ((struct table_cell){.text = arena_strdup(&t->arena, strbuf_text(&text))}));
    strbuf_free(&text);
}

void table_paint(struct table *t, enum terminal_paint paint, size_t bytes)
{
    struct table_cell *cell = &t->cells.items[t->cells.count - 1];
    cell->painted = bytes;
    cell->paint = paint;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

size_t table_width(const char *text, size_t bytes)
{
    size_t n = 0;
    for (; bytes > 0; bytes--)
        n += begins_character(*text++);
    return n;
}

size_t table_bytes(const char *text, size_t bytes, size_t characters)
{
    size_t i = 0;
    for (; i < bytes; i++)
        if (begins_character(text[i]) && characters-- == 0)
            break;
    return i;
}

void table_shorten(const char *text, size_t bytes, size_t characters, struct strbuf *out)
{
    size_t width = table_width(text, bytes), dots = characters < 3 ? characters : 3, kept = characters - dots;
    if (width <= characters) {
        strbuf_addn(out, text, bytes);
        return;
    }
    size_t tail = table_bytes(text, bytes, width - kept / 2);
    strbuf_addn(out, text, table_bytes(text, bytes, kept - kept / 2));
    strbuf_addn(out, "...", dots);
    strbuf_addn(out, text + tail, bytes - tail);
}

/* The next `bytes` of the page's text, which are yet to come, have a colour. */
static void add_mark(struct table_page *page, enum terminal_paint paint, size_t bytes)
{
    size_t from = page->text.length;
    if (page->colours && bytes > 0)
        vec_push(&page->marks, ((struct table_mark){from, from + bytes, paint}));
}

void table_page_paint(struct table_page *page, enum terminal_paint paint, const char *text)
{
    add_mark(page, paint, strlen(text));
    strbuf_add(&page->text, text);
}

void table_page_free(struct table_page *page)
{
    strbuf_free(&page->text);
    vec_free(&page->marks);
}

static void add_spaces(struct strbuf *out, size_t n)
{
    for (; n > 0; n--)
        strbuf_add(out, " ");
}

static void add_piece(const struct table_piece *piece, enum terminal_paint paint, struct table_page *page)
{
    add_mark(page, paint, piece->painted);
    strbuf_addn(&page->text, piece->text, piece->bytes);
}

/* Where the next line of each of a row's cells begins. */
struct row {
    const struct table *t;
    const struct table_layout *l;
    const struct table_cell *cells;
    const char **at;
    struct arena arena; /* of words that were shortened */
};

/* Appends a line of a row. Returns false, and nothing, when all of its cells are at their ends. */
static bool add_line(struct row *r, const struct table_block *b, struct table_page *page)
{
    size_t pending = 0; /* spaces owed before the next cell that is not empty */
    bool any = false;
    for (unsigned i = 0; i < b->count; i++) {
        unsigned c = b->columns[i];
        size_t width = r->l->width[c];
        struct table_piece piece;
        if (!table_next_piece(&r->cells[c], r->t->align[c], width, &r->at[c], &r->arena, &piece)) {
            pending += 2 + width;
            continue;
        }
        size_t used = table_width(piece.text, piece.bytes), left = width > used ? width - used : 0;
        size_t before = r->t->align[c] == 'r' ? left : 0;
        add_spaces(&page->text, pending + before);
        add_piece(&piece, r->cells[c].paint, page);
        pending = 2 + left - before;
        any = true;
    }
    return any;
}

/* Appends the last column's cell below its row. */
static void add_hanging(struct row *r, struct table_page *page)
{
    unsigned c = r->t->columns - 1;
    struct table_piece piece;
    while (table_next_piece(&r->cells[c], 'l', r->l->width[c], &r->at[c], &r->arena, &piece)) {
        add_spaces(&page->text, 4);
        add_piece(&piece, r->cells[c].paint, page);
        strbuf_add(&page->text, "\n");
    }
}

static void add_row(const struct table *t, const struct table_layout *l, const struct table_block *b, size_t first,
                    struct table_page *page)
{
    struct row r = {.t = t, .l = l, .cells = &t->cells.items[first]};
    r.at = ARENA_NEW(&r.arena, const char *, t->columns);
    for (unsigned c = 0; c < t->columns; c++)
        r.at[c] = r.cells[c].text;
    bool any = add_line(&r, b, page);
    strbuf_add(&page->text, "\n"); /* a row of empty cells has a line too */
    while (any && (any = add_line(&r, b, page)))
        strbuf_add(&page->text, "\n");
    if (l->hangs && b == &l->blocks[l->block_count - 1])
        add_hanging(&r, page);
    arena_free(&r.arena);
}

void table_text(const struct table *t, struct table_page *page)
{
    struct arena arena = {0};
    const struct table_layout l = table_lay_out(t, page->columns, &arena);
    for (unsigned i = 0; i < l.block_count; i++) {
        if (i > 0)
            strbuf_add(&page->text, "\n");
        for (size_t first = 0; first + t->columns <= t->cells.count; first += t->columns)
            add_row(t, &l, &l.blocks[i], first, page);
    }
    arena_free(&arena);
}

static void markdown_cell(const char *cell, struct strbuf *out)
{
    strbuf_add(out, " ");
    for (; *cell; cell++)
        strbuf_addf(out, "%s%c", *cell == '|' ? "\\" : "", *cell);
    strbuf_add(out, " |");
}

void table_markdown(const struct table *t, struct strbuf *out)
{
    for (size_t row = 0; row + t->columns <= t->cells.count; row += t->columns) {
        strbuf_add(out, "|");
        for (unsigned c = 0; c < t->columns; c++)
            markdown_cell(t->cells.items[row + c].text, out);
        strbuf_add(out, "\n");
        for (unsigned c = 0; row == 0 && c < t->columns; c++)
            strbuf_addf(out, "%s%s", t->align[c] == 'r' ? "|--:" : "|---", c + 1 == t->columns ? "|\n" : "");
    }
}
