/* The lines that atomic accesses touch: see lines.h. */
#include "sm/lines.h"

#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "base/vec.h"

#define ORDERING UINT64_C(1)

static void add(struct sm_lines *lines, uint64_t item)
{
    size_t low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->items[middle] < (item & ~ORDERING))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < lines->count && (lines->items[low] & ~ORDERING) == (item & ~ORDERING)) {
        lines->items[low] |= item;
        return;
    }
    vec_reserve(lines, lines->count + 1);
    memmove(lines->items + low + 1, lines->items + low, (lines->count - low) * sizeof *lines->items);
    lines->items[low] = item;
    lines->count++;
}

void sm_lines_note(struct sm_lines *lines, const struct simt_access *access, uint32_t line_bytes, bool ordering)
{
    uint32_t bytes = (uint32_t)access->element_bytes * access->elements;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        uint64_t first = access->address[mask_first(rest)], last = first + bytes - 1;
        for (uint64_t line = first & ~(uint64_t)(line_bytes - 1); line <= last; line += line_bytes)
            add(lines, line | ordering);
    }
}

void sm_lines_add(struct sm_lines *lines, const struct sm_lines *from)
{
    for (size_t i = 0; i < from->count; i++)
        add(lines, from->items[i]);
}

struct sm_lines_count sm_lines_count(const struct sm_lines *lines)
{
    struct sm_lines_count count = {.all = lines->count};
    for (size_t i = 0; i < lines->count; i++)
        count.ordering += lines->items[i] & ORDERING;
    return count;
}

/* Checkpoints */

void sm_lines_archive(struct sm_lines *lines, uint32_t line_bytes, struct archive *ar)
{
    uint64_t count = lines->count, before = 0;
    ARCHIVE(ar, count);
    if (archive_loading(ar))
        lines->count = 0;
    for (uint64_t i = 0; i < count && !archive_failed(ar); i++) {
        uint64_t item = archive_loading(ar) ? 0 : lines->items[i];
        ARCHIVE(ar, item);
        if ((item & ~ORDERING) % line_bytes || (i && (item & ~ORDERING) <= before))
            archive_fail(ar, "lines of atomic accesses are not ascending");
        before = item & ~ORDERING;
        if (archive_loading(ar))
            vec_push(lines, item);
    }
}
