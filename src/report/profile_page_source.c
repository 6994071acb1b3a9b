/* Sources with costs beside their lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/profile_memory.h"
#include "report/profile_page_parts.h"
#include "report/profile_text.h"
#include "report/profile_uses.h"

#define MOST_LINES 15       /* in the table of those that cost most */
#define LEAST_SHARE 0.01    /* of a kernel's warp-cycles, for a row of it */
#define WHOLE_FILE 2000     /* lines of a file that is shown whole; of a longer one, what is near a line with a cost */
#define NEAR 8              /* lines */
#define PART 200            /* rows of a table, of which a long source has several */
#define MOST_INSTRS 200     /* of a line and a result */
#define FEW_LINES 1000      /* with costs: below them all instructions are shown; of more lines, */
#define LEAST_INSTRS 0.0005 /* below those with this share */

static const struct profile_line *line_of(const struct profile_lines *lines, const char *file, uint32_t number)
{
    struct strbuf key = {0};
    strbuf_addf(&key, "%" PRIu32 " %s", number, file);
    uint32_t known = strmap_get(&lines->numbers, strbuf_text(&key), key.length);
    strbuf_free(&key);
    return known == STRMAP_NONE ? NULL : &lines->lines.items[known];
}

/* A line of some result. */
struct shown {
    const char *file;
    uint32_t number;
    double most; /* its largest share in a result */
};
typedef VEC(struct shown) shown_list;

/* The lines of all results, each once. */
static void gather(const struct profile_page_kernel *kernel, shown_list *list)
{
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_lines *lines = &kernel->sides[i].lines;
        for (size_t n = 0; n < lines->lines.count; n++) {
            const struct profile_line *line = &lines->lines.items[n];
            bool seen = false;
            double most = 0;
            for (unsigned k = 0; k < kernel->page->count; k++) {
                const struct profile_line *same = line_of(&kernel->sides[k].lines, line->file, line->number);
                double share =
                    same ? profile_uses_ratio(profile_cost(&same->all), kernel->sides[k].lines.sum.total) : 0;
                seen |= same && k < i;
                most = share > most ? share : most;
            }
            if (!seen)
                vec_push(list, (struct shown){line->file, line->number, most});
        }
    }
}

static int by_share(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    if (x->most < y->most || x->most > y->most)
        return x->most < y->most ? 1 : -1;
    int order = strcmp(x->file, y->file);
    return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

static int by_place(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* The parts of a cost, and how accesses fared. */
static void add_fate(const struct profile_lines *lines, const struct profile_sum *sum, struct strbuf *out)
{
    struct strbuf memory = {0};
    profile_page_parts(lines, sum, out);
    if (profile_memory_add(sum, &memory))
        strbuf_addf(out, "%s%s", out->length ? "; " : "", strbuf_text(&memory));
    strbuf_free(&memory);
}

/* A line's causes in each result, a line of text each. */
static void add_causes(const struct profile_page_kernel *kernel, const char *file, uint32_t number, struct strbuf *out)
{
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_line *line = line_of(&kernel->sides[i].lines, file, number);
        struct strbuf text = {0};
        if (line)
            add_fate(&kernel->sides[i].lines, &line->all, &text);
        if (text.length && kernel->page->count > 1)
            strbuf_addf(out, "%s%s: ", out->length ? "\n" : "", kernel->page->results[i].label);
        strbuf_add(out, strbuf_text(&text));
        strbuf_free(&text);
    }
}

static void line_heads(struct html_table *t, const struct profile_page_kernel *kernel)
{
    profile_page_heads(t, kernel->page, "cost",
                       "share of the kernel's warp-cycles: its own instructions, waits for values that they bring, and "
                       "code that stands in place of a call in the line");
    profile_page_heads(t, kernel->page, "stand", "share of the kernel's warp-cycles in which warps stood at the line");
}

static void line_cells(struct html_table *t, const struct profile_page_kernel *kernel, const char *file,
                       uint32_t number)
{
    for (unsigned stand = 0; stand < 2; stand++)
        for (unsigned i = 0; i < kernel->page->count; i++) {
            const struct profile_page_side *side = &kernel->sides[i];
            const struct profile_line *line = line_of(&side->lines, file, number);
            if (line)
                profile_page_share(t, side, stand ? line->all.total : profile_cost(&line->all));
            else
                html_table_none(t);
        }
}

static const char *text_of(const struct profile_page_kernel *kernel, const char *file, uint32_t number)
{
    const char *text = NULL;
    for (unsigned i = 0; i < kernel->page->count && !text; i++) {
        const struct profile_line *line = line_of(&kernel->sides[i].lines, file, number);
        text = line ? line->text : NULL;
    }
    return text;
}

void profile_page_lines(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    shown_list list = {0};
    struct html_table t;
    gather(kernel, &list);
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, by_share);
    strbuf_add(out, "<h3>The lines that cost most</h3>\n");
    html_table_begin(&t, profile_page_file(kernel, "lines"), "Shares of the kernel's warp-cycles", out);
    html_table_head(&t, "line", false, NULL);
    line_heads(&t, kernel);
    html_table_head(&t, "largest parts of its cost", false, NULL);
    html_table_head(&t, "source", false, NULL);
    for (size_t i = 0; i < list.count && i < MOST_LINES && (!i || list.items[i].most >= LEAST_SHARE); i++) {
        const struct shown *line = &list.items[i];
        const char *text = text_of(kernel, line->file, line->number);
        struct strbuf causes = {0};
        html_table_row(&t, "");
        html_table_link(&t,
                        arena_printf(kernel->arena, "%s:%" PRIu32, profile_uses_base_name(line->file), line->number),
                        profile_page_anchor(kernel, line->file, line->number));
        line_cells(&t, kernel, line->file, line->number);
        add_causes(kernel, line->file, line->number, &causes);
        html_table_own(&t, " class=causes", strbuf_text(&causes));
        html_escape(out, strbuf_text(&causes));
        html_table_own(&t, " class=code", text ? text : "");
        html_escape(out, text ? text : "");
        strbuf_free(&causes);
    }
    html_table_end(&t);
    vec_free(&list);
}

/* Instructions below a line */

/* The first instruction of a line; PROFILE_LINES_NONE: the result has none. */
static uint32_t first_instr(const struct profile_page_side *side, const char *file, uint32_t number)
{
    const struct profile_line *line = line_of(&side->lines, file, number);
    return line ? side->first[line - side->lines.lines.items] : PROFILE_LINES_NONE;
}

static unsigned count_instrs(const struct profile_page_kernel *kernel, const char *file, uint32_t number)
{
    unsigned count = 0;
    for (unsigned i = 0; i < kernel->page->count; i++) {
        const struct profile_page_side *side = &kernel->sides[i];
        for (uint32_t pc = first_instr(side, file, number); pc != PROFILE_LINES_NONE; pc = side->next[pc])
            count++;
    }
    return count;
}

static void add_instr(const struct profile_lines *lines, uint32_t pc, struct strbuf *out)
{
    const struct profile_instr *instr = &lines->instrs.items[pc];
    const char *text = json_string_value(json_object_get(instr->object, "text"));
    struct strbuf line = {0};
    const uint64_t *n = instr->sum.counts;
    strbuf_addf(&line, "%5.1f%%  %9" PRIu64 "  %5.1f  %-42s  ",
                100 * profile_uses_ratio(profile_cost(&instr->sum), lines->sum.total), n[PROFILE_issues],
                profile_uses_ratio(n[PROFILE_lanes], n[PROFILE_issues]), text ? text : "");
    add_fate(lines, &instr->sum, &line);
    strbuf_add(&line, "\n");
    html_escape(out, strbuf_text(&line));
    strbuf_free(&line);
}

/* As text, since a page has many. */
static void add_instrs(const struct profile_page_kernel *kernel, unsigned which, const char *file, uint32_t number,
                       struct strbuf *out)
{
    const struct profile_page_side *side = &kernel->sides[which];
    uint32_t pc = first_instr(side, file, number);
    unsigned told = 0, left = 0;
    if (pc == PROFILE_LINES_NONE)
        return;
    strbuf_add(out, "<pre class=ptx>");
    html_escape(out, kernel->page->count > 1 ? kernel->page->results[which].label : "");
    strbuf_add(out, kernel->page->count > 1 ? ":\n" : "");
    strbuf_add(out, "  cost     issues  lanes  instruction\n");
    for (; pc != PROFILE_LINES_NONE; pc = side->next[pc])
        if (told++ < MOST_INSTRS)
            add_instr(&side->lines, pc, out);
        else
            left++;
    if (left)
        strbuf_addf(out, "and %u more\n", left);
    strbuf_add(out, "</pre>");
}

/* Rows below a line with costs: their causes, and on demand its instructions. */
static void add_below(const struct profile_page_kernel *kernel, const char *file, uint32_t number, const char *causes,
                      bool with_instrs, struct strbuf *out)
{
    unsigned instrs = with_instrs ? count_instrs(kernel, file, number) : 0;
    strbuf_add(out, instrs ? "<details class=why><summary>" : "<div class=why>");
    html_escape(out, causes);
    if (instrs) {
        strbuf_addf(out, "%s%u instruction%s</summary>", *causes ? "; " : "", instrs, instrs == 1 ? "" : "s");
        for (unsigned i = 0; i < kernel->page->count; i++)
            add_instrs(kernel, i, file, number, out);
    }
    strbuf_add(out, instrs ? "</details>" : "</div>");
}

/* Files */

/* A file's lines with costs, and its text where that is the one that ran. */
struct source {
    const char *file;
    const struct shown *lines;
    size_t count;
    struct profile_text text;
    bool readable, changed;
    double least; /* share of a line whose instructions are shown */
};

/* The texts that the results have kept tell whether the file is still the same. */
static void read_source(const struct profile_page_kernel *kernel, struct source *source)
{
    profile_text_read(&source->text, source->file);
    source->readable = source->text.lines.count > 0;
    for (size_t i = 0; i < source->count && source->readable; i++)
        for (unsigned k = 0; k < kernel->page->count; k++) {
            const struct profile_line *line = line_of(&kernel->sides[k].lines, source->file, source->lines[i].number);
            const char *now = profile_text_line(&source->text, source->lines[i].number);
            source->changed |= line && (!now || (line->text && strcmp(line->text, now + strspn(now, " \t")) != 0));
        }
}

/* True if a line with a cost is near. */
static bool is_near(const struct source *source, uint32_t number)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->lines[i].number + NEAR >= number && number + NEAR >= source->lines[i].number)
            return true;
    return false;
}

static const struct shown *find_shown(const struct source *source, uint32_t number)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->lines[i].number == number)
            return &source->lines[i];
    return NULL;
}

static void add_line(const struct profile_page_kernel *kernel, const struct source *source, uint32_t number,
                     const char *text, size_t row, struct html_table *t)
{
    if (row && row % PART == 0)
        html_table_part(t, arena_printf(kernel->arena, "%s, from line %" PRIu32, source->file, number));
    const struct shown *costs = find_shown(source, number);
    struct strbuf causes = {0}, *out = t->out;
    if (costs)
        html_table_row(t, arena_printf(kernel->arena, " id=\"%s\" class=heat style=\"--heat:%.1f%%\"",
                                       profile_page_anchor(kernel, source->file, number), 100 * costs->most));
    else
        html_table_row(t, "");
    html_table_name(t, arena_printf(kernel->arena, "%" PRIu32, number));
    line_cells(t, kernel, source->file, number);
    html_table_own(t, " class=code", text ? text : "");
    strbuf_add(out, "<code>");
    html_escape(out, text ? text : "");
    strbuf_add(out, "</code>");
    if (costs) {
        add_causes(kernel, source->file, number, &causes);
        add_below(kernel, source->file, number, strbuf_text(&causes), costs->most >= source->least, out);
    }
    html_table_aside(t, strbuf_text(&causes));
    strbuf_free(&causes);
}

static void add_lines(const struct profile_page_kernel *kernel, const struct source *source, struct strbuf *out)
{
    struct html_table t;
    size_t rows = 0;
    const char *name = profile_uses_base_name(source->file);
    strbuf_add(out, "<div class=source>");
    html_table_begin(&t, profile_page_file(kernel, name), source->file, out);
    html_table_head(&t, "line", true, NULL);
    line_heads(&t, kernel);
    html_table_head(&t, "source", false, NULL);
    html_table_aside(&t, "largest parts of its cost");
    if (source->readable && !source->changed) {
        uint32_t count = (uint32_t)source->text.lines.count;
        for (uint32_t n = 1; n <= count; n++)
            if (count <= WHOLE_FILE || is_near(source, n))
                add_line(kernel, source, n, profile_text_line(&source->text, n), rows++, &t);
    } else {
        for (size_t i = 0; i < source->count; i++)
            add_line(kernel, source, source->lines[i].number, text_of(kernel, source->file, source->lines[i].number), i,
                     &t);
    }
    html_table_end(&t);
    strbuf_add(out, "</div>\n");
}

static void add_source(const struct profile_page_kernel *kernel, struct source *source, struct strbuf *out)
{
    read_source(kernel, source);
    strbuf_add(out, "<h3>");
    html_escape(out, profile_uses_base_name(source->file));
    strbuf_add(out, "</h3>\n");
    if (!source->readable)
        strbuf_add(out, "<p class=note>The file cannot be read: these are the lines that cost something.</p>\n");
    else if (source->changed)
        strbuf_add(out,
                   "<p class=note>The file is another one now than it was in the run: these are the lines that cost "
                   "something, as they were.</p>\n");
    else if (source->text.lines.count > WHOLE_FILE)
        strbuf_addf(out, "<p class=note>Of %zu lines those are shown that are near one with a cost.</p>\n",
                    source->text.lines.count);
    add_lines(kernel, source, out);
    profile_text_free(&source->text);
}

void profile_page_sources(const struct profile_page_kernel *kernel, struct strbuf *out)
{
    shown_list list = {0};
    gather(kernel, &list);
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, by_place);
    for (size_t from = 0, to; from < list.count; from = to) {
        for (to = from; to < list.count && !strcmp(list.items[to].file, list.items[from].file);)
            to++;
        struct source source = {.file = list.items[from].file,
                                .lines = &list.items[from],
                                .count = to - from,
                                .least = list.count <= FEW_LINES ? 0 : LEAST_INSTRS};
        add_source(kernel, &source, out);
    }
    vec_free(&list);
}
