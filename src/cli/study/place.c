/* Where something stands in study.yaml. SQL there is a scalar, often a block over many lines; what the database says of
 * it counts bytes of the scalar's text. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "cli/study/study.h"

int study_fault(struct study *study, const struct yaml_node *node, const char *hint, const char *format, ...)
{
    struct strbuf message = {0};
    va_list arguments;
    va_start(arguments, format);
    strbuf_vaddf(&message, format, arguments);
    va_end(arguments);
    yaml_error(study->doc, node, study->sink, hint, "%s", strbuf_text(&message));
    strbuf_free(&message);
    return -1;
}

/* Where a node's text begins in the file: behind the quote, or, of a block, on the line after its key. */
static size_t begin_of(const struct yaml_doc *doc, const struct yaml_node *node)
{
    size_t at = doc->lines[node->line - 1] + node->column - 1;
    if (at < doc->length && strchr("\"'|>", doc->text[at]))
        at += doc->text[at] == '|' || doc->text[at] == '>' ? strcspn(doc->text + at, "\n") : 1;
    return at;
}

/* The place of a byte of the node's text: both are walked along without their blanks, which blocks change. The node
 * itself where the two differ (the text of a copy by `each`, escapes in quotes). */
static struct yaml_node place_of(const struct study *study, const struct yaml_node *node, long offset)
{
    const struct yaml_doc *doc = study->doc;
    struct yaml_node place = *node;
    size_t at = begin_of(doc, node);
    for (long i = 0; offset >= 0 && i <= offset && node->text[i]; i++) {
        if (isspace((unsigned char)node->text[i]))
            continue;
        while (at < doc->length && isspace((unsigned char)doc->text[at]))
            at++;
        if (at >= doc->length || doc->text[at] != node->text[i])
            return *node;
        if (i == offset) {
            while (place.line < doc->line_count && doc->lines[place.line] <= at)
                place.line++;
            place.column = (unsigned)(at - doc->lines[place.line - 1]) + 1;
        }
        at++;
    }
    return place;
}

int study_fault_in(struct study *study, const struct yaml_node *node, long offset, const char *message)
{
    struct yaml_node place = place_of(study, node, offset);
    place.text = ""; /* the mark is one character wide */
    return study_fault(study, &place, NULL, "%s", message);
}

sqlite3_stmt *study_ask_at(struct study *study, const char *what, const struct yaml_node *node, const char *sql)
{
    const char *said;
    sqlite3_stmt *stmt = study_prepare(&study->rights, study->db, sql, false, NULL, &said);
    if (!stmt)
        study_fault_in(study, node, sqlite3_error_offset(study->db), arena_printf(&study->arena, "%s: %s", what, said));
    return stmt;
}
