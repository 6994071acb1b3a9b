/* Prints profiles by line. A line's cost is that of its own instructions, and of those that stand in place of a call in
 * it or that it really calls: so a line that calls a function shows what that costs, and the function's lines show it
 * too. Waits for a value are a cost of the line that brings it, though warps stand at the one that uses it. */
#include "report/profile_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/figures.h"
#include "report/fold.h"
#include "report/profile_lines.h"
#include "report/profile_barriers.h"
#include "report/profile_graph.h"
#include "report/profile_called.h"
#include "report/profile_polls.h"
#include "report/profile_sentences.h"
#include "report/profile_mbarriers.h"
#include "report/profile_memory.h"
#include "report/profile_uses.h"
#include "report/profile_words.h"

#define MOST_LINES 10      /* of a kernel */
#define MOST_PARTS 3       /* of a cost */
#define MOST_INSTRS 8      /* of a line, with --ptx */
#define LEAST_SHARE 0.01   /* of the kernel's cycles, for a line */
#define LEAST_INSTR 0.0005 /* for an instruction */
#define LEAST_PART 0.05    /* of a cost, for a part behind the first */

/* Texts of sources, read as they are asked for. */
struct source {
    const char *file;
    struct strbuf text;
};
struct printer {
    const struct profile_lines *lines;
    const struct profile_words_report *words;
    const struct profile_polls_report *polls;
    const struct profile_sharing_report *sharing;
    VEC(struct source) sources;
    size_t width; /* columns */
    struct strbuf *out;
};

/* Ends a line, without blanks at its end. */
static void end_line(struct strbuf *out)
{
    while (out->length && out->text[out->length - 1] == ' ')
        out->length--;
    strbuf_add(out, "\n");
}

/* Text of lines */

static const char *source_of(struct printer *p, const char *file)
{
    for (size_t i = 0; i < p->sources.count; i++)
        if (!strcmp(p->sources.items[i].file, file))
            return strbuf_text(&p->sources.items[i].text);
    struct source source = {.file = file};
    struct diag_sink sink;
    diag_init(&sink);
    file_read(file, FILE_TEXT_MOST, &source.text, &sink);
    diag_free(&sink);
    vec_push(&p->sources, source);
    return strbuf_text(&source.text);
}

/* Appends a line of a text, without the blanks at its beginning, as far as it fits into so many columns. */
static void add_text(struct printer *p, const char *at, size_t columns)
{
    at += strspn(at, " \t");
    size_t length = strcspn(at, "\r\n"), before = p->out->length;
    strbuf_add_shown(p->out, at, length < columns ? length : columns);
    for (char *tab = p->out->text ? p->out->text + before : NULL; tab && (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
}

/* The instruction that a line of the PTX has, as results have it, for PTX that is in no file; NULL: there is none. */
static const char *instruction_of(const struct profile_lines *lines, uint32_t line)
{
    for (size_t pc = 0; pc < lines->instrs.count; pc++) {
        const struct profile_instr *instr = &lines->instrs.items[pc];
        if (instr->object && instr->line == line && !json_array_size(json_object_get(instr->object, "places")))
            return json_string_value(json_object_get(instr->object, "text"));
    }
    return NULL;
}

/* Appends the text of a line, as far as it fits into so many columns. */
static void add_source(struct printer *p, uint32_t number, size_t columns)
{
    const struct profile_line *line = &p->lines->lines.items[number];
    const char *at = source_of(p, line->file), *instruction = instruction_of(p->lines, number);
    for (uint32_t n = 1; n < line->number && at; n++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at && *at)
        add_text(p, at, columns);
    else if (instruction)
        add_text(p, instruction, columns);
}

/* Lines */

/* Words for the largest parts of a cost, in so many columns: "its value awaited 81%, load/store unit busy 12%". */
static void add_parts(const struct profile_lines *lines, const struct profile_sum *sum, size_t columns,
                      struct strbuf *out)
{
    struct profile_part parts[PROFILE_LINES_PARTS];
    unsigned count = profile_parts(lines, sum, parts);
    size_t end = out->length + columns;
    for (unsigned n = 0; n < MOST_PARTS && n < count; n++) {
        size_t before = out->length;
        if (n && profile_uses_ratio(parts[n].cycles, profile_cost(sum)) < LEAST_PART)
            return;
        strbuf_addf(out, "%s%s %.0f%%", n ? ", " : "", parts[n].words,
                    100 * profile_uses_ratio(parts[n].cycles, profile_cost(sum)));
        if (out->length > end) {
            out->length = before;
            return;
        }
    }
}

static void add_memory(const struct profile_sum *sum, struct strbuf *out)
{
    struct strbuf words = {0};
    if (profile_memory_add(sum, &words))
        strbuf_addf(out, "                        %s\n", strbuf_text(&words));
    strbuf_free(&words);
}

static void add_instrs(struct printer *p, uint32_t number)
{
    for (size_t pc = 0, n = 0; pc < p->lines->instrs.count && n < MOST_INSTRS; pc++) {
        const struct profile_instr *instr = &p->lines->instrs.items[pc];
        uint64_t cost = profile_cost(&instr->sum);
        if (instr->line != number || profile_uses_ratio(cost, p->lines->sum.total) < LEAST_INSTR)
            continue;
        strbuf_addf(p->out, "       %6.1f%%           %-30.30s  ", 100 * profile_uses_ratio(cost, p->lines->sum.total),
                    json_string_value(json_object_get(instr->object, "text")));
        add_parts(p->lines, &instr->sum, p->width > 57 ? p->width - 57 : 0, p->out);
        end_line(p->out);
        n++;
    }
}

static void print_line(struct printer *p, uint32_t number, bool ptx)
{
    const struct profile_line *line = &p->lines->lines.items[number];
    uint64_t whole = p->lines->sum.total;
    struct strbuf place = {0};
    strbuf_addf(&place, "%s:%u", profile_uses_base_name(line->file), line->number);
    strbuf_addf(p->out, "%5.1f%%  %5.1f%%  %5.1f%%  %-16s  ", 100 * profile_uses_ratio(profile_cost(&line->all), whole),
                100 * profile_uses_ratio(profile_cost(&line->own), whole),
                100 * profile_uses_ratio(line->all.total, whole), strbuf_text(&place));
    size_t taken = 26 + (place.length > 16 ? place.length : 16);
    add_source(p, number, taken < p->width ? p->width - taken : 0);
    end_line(p->out);
    strbuf_add(p->out, "                        ");
    add_parts(p->lines, &line->all, p->width - 24, p->out);
    end_line(p->out);
    add_memory(&line->all, p->out);
    if (ptx)
        add_instrs(p, number);
    strbuf_free(&place);
}

static void print_lines(struct printer *p, bool ptx)
{
    size_t count = p->lines->lines.count;
    bool *told = base_calloc(count, sizeof *told);
    strbuf_add(p->out, " cost     own  stand  line\n");
    for (unsigned n = 0; n < MOST_LINES && n < count; n++) {
        const struct profile_line *lines = p->lines->lines.items;
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!told[i] && (best == count || profile_line_before(&lines[i], &lines[best])))
                best = i;
        if (n && profile_uses_ratio(profile_cost(&lines[best].all), p->lines->sum.total) < LEAST_SHARE)
            break;
        told[best] = true;
        print_line(p, (uint32_t)best, ptx);
    }
    free(told);
}

static void print_sentence(const char *sentence, struct strbuf *out)
{
    strbuf_addf(out, "- %s\n", sentence);
}

static void print_sentences(struct printer *p)
{
    struct profile_sentences sentences;
    profile_sentences_init(&sentences, p->lines, p->words, p->polls, p->sharing);
    for (unsigned i = 0; i < sentences.count; i++)
        print_sentence(strbuf_text(&sentences.texts[i]), p->out);
    profile_sentences_free(&sentences);
}

static void print_circles(const json_t *kernels, const char *name, struct strbuf *out)
{
    struct strbuf text = {0};
    for (unsigned i = 0; profile_graph_add_circle(kernels, name, i, &text); i++) {
        print_sentence(strbuf_text(&text), out);
        text.length = 0;
    }
    strbuf_free(&text);
}

static void print_kernel(const json_t *kernels, const char *name, bool ptx, unsigned columns, struct strbuf *out)
{
    size_t begin = out->length;
    struct profile_lines lines;
    profile_lines_init(&lines, kernels, name);
    struct profile_words_report *words = profile_words_read(kernels, name);
    struct profile_polls_report *polls = profile_polls_read(kernels, name);
    struct profile_sharing_report *sharing = profile_sharing_read(kernels, name);
    struct printer p = {
        .lines = &lines, .words = words, .polls = polls, .sharing = sharing, .width = fold_width(columns), .out = out};
    strbuf_add(out, "\nprofile of ");
    figures_kernel_name(name, out);
    strbuf_addf(out, ": %" PRIu64 " cycles, %" PRIu64 " warp-cycles", lines.cycles, lines.sum.total);
    if (lines.launches > 1)
        strbuf_addf(out, " in %" PRIu64 " launches", lines.launches);
    strbuf_add(out, "\n");
    if (lines.sum.total) {
        print_lines(&p, ptx);
        profile_called_add_table(&lines, out);
        profile_barriers_add_table(kernels, name, lines.sum.total, out);
        profile_mbarriers_add_table(kernels, name, lines.sum.total, out);
        profile_words_add_table(words, lines.sum.total, out);
        profile_graph_add_tables(kernels, name, words, lines.sum.total, out);
        profile_polls_add_table(polls, lines.sum.total, out);
        profile_sharing_add_table(sharing, lines.sum.total, out);
        print_circles(kernels, name, out);
        print_sentences(&p);
    }
    fold_lines(out, begin, fold_width(columns));
    for (size_t i = 0; i < p.sources.count; i++)
        strbuf_free(&p.sources.items[i].text);
    vec_free(&p.sources);
    profile_words_done(words);
    profile_polls_done(polls);
    profile_sharing_done(sharing);
    profile_lines_free(&lines);
}

static const char *profiled_name(const json_t *kernel)
{
    return json_object_get(kernel, "profile") ? json_string_value(json_object_get(kernel, "name")) : NULL;
}

void report_profile(const json_t *kernels, bool ptx, unsigned columns, struct strbuf *out)
{
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const char *name = profiled_name(json_array_get(kernels, i));
        bool seen = !name;
        for (size_t k = 0; k < i && !seen; k++) {
            const char *before = profiled_name(json_array_get(kernels, k));
            seen = before && !strcmp(before, name);
        }
        if (!seen)
            print_kernel(kernels, name, ptx, columns, out);
    }
}

void report_profile_words(const json_t *kernels, const char *name, unsigned columns, struct strbuf *out)
{
    size_t begin = out->length;
    struct profile_lines lines;
    profile_lines_init(&lines, kernels, name);
    struct profile_words_report *words = profile_words_read(kernels, name);
    struct profile_polls_report *polls = profile_polls_read(kernels, name);
    struct strbuf sentences[2] = {{0}};
    struct profile_told told = {0};
    profile_words_add_sentence(words, &lines, &told, &sentences[0]);
    profile_polls_add_sentence(polls, &lines, &told, &sentences[1]);
    vec_free(&told.pcs);
    for (unsigned i = 0; i < 2; i++) {
        if (sentences[i].length)
            print_sentence(strbuf_text(&sentences[i]), out);
        strbuf_free(&sentences[i]);
    }
    fold_lines(out, begin, fold_width(columns));
    profile_words_done(words);
    profile_polls_done(polls);
    profile_lines_free(&lines);
}
