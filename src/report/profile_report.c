/* Prints profiles by line. A line's cost is that of its own instructions, and of those that stand in place of a call in
 * it: so a line that calls a function of a header shows what that costs, and the header's line shows it too. Waits for
 * a value are a cost of the line that brings it, though warps stand at the one that uses it. */
#include "report/profile_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/figures.h"
#include "report/profile_lines.h"
#include "report/profile_barriers.h"
#include "report/profile_polls.h"
#include "report/profile_uses.h"
#include "report/profile_words.h"

#define WIDTH 80
#define MOST_LINES 10      /* of a kernel */
#define MOST_SENTENCES 3   /* of a kernel */
#define MOST_PARTS 3       /* of a cost */
#define MOST_INSTRS 8      /* of a line, with --ptx */
#define LEAST_SHARE 0.01   /* of the kernel's cycles, for a line; five times that for a sentence */
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
    VEC(struct source) sources;
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

/* Appends the text of a line, without the blanks at its beginning, as far as it fits into so many columns. */
static void add_source(struct printer *p, const struct profile_line *line, size_t columns)
{
    const char *at = source_of(p, line->file);
    for (uint32_t n = 1; n < line->number && at; n++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return;
    at += strspn(at, " \t");
    size_t length = strcspn(at, "\r\n"), before = p->out->length;
    strbuf_add_shown(p->out, at, length < columns ? length : columns);
    for (char *tab = p->out->text + before; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
}

/* Lines */

/* A part of a cost. */
struct part {
    const char *words;
    uint64_t cycles;
};

/* The parts of a cost: waits for its value, and its cycles by cause, without waits for others' values. Returns how
 * many. */
static unsigned parts_of(const struct profile_lines *lines, const struct profile_sum *sum, struct part *parts)
{
    unsigned count = 0;
    parts[count++] = (struct part){"its value awaited", sum->counts[PROFILE_awaited]};
    for (unsigned i = 0; i < lines->cause_count; i++)
        if (strncmp(lines->causes[i], "data_", 5) != 0)
            parts[count++] = (struct part){profile_cause_words(lines->causes[i]), sum->cycles[i]};
    return count;
}

/* Words for the largest parts of a cost, in so many columns: "its value awaited 81%, load/store unit busy 12%". */
static void add_parts(const struct profile_lines *lines, const struct profile_sum *sum, size_t columns,
                      struct strbuf *out)
{
    struct part parts[PROFILE_LINES_CAUSES + 1];
    unsigned count = parts_of(lines, sum, parts);
    size_t end = out->length + columns;
    for (unsigned n = 0; n < MOST_PARTS && n < count; n++) {
        unsigned most = n;
        for (unsigned i = n + 1; i < count; i++)
            most = parts[i].cycles > parts[most].cycles ? i : most;
        struct part part = parts[most];
        size_t before = out->length;
        parts[most] = parts[n];
        if (!part.cycles || (n && profile_uses_ratio(part.cycles, profile_cost(sum)) < LEAST_PART))
            return;
        strbuf_addf(out, "%s%s %.0f%%", n ? ", " : "", part.words,
                    100 * profile_uses_ratio(part.cycles, profile_cost(sum)));
        if (out->length > end) {
            out->length = before;
            return;
        }
    }
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
        add_parts(p->lines, &instr->sum, WIDTH - 57, p->out);
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
    add_source(p, line, taken < WIDTH ? WIDTH - taken : 0);
    end_line(p->out);
    strbuf_add(p->out, "                        ");
    add_parts(p->lines, &line->all, WIDTH - 24, p->out);
    end_line(p->out);
    if (ptx)
        add_instrs(p, number);
    strbuf_free(&place);
}

/* The most expensive first; of lines that cost the same, the outer one. */
static bool comes_before(const struct profile_line *a, const struct profile_line *b)
{
    uint64_t of_a = profile_cost(&a->all), of_b = profile_cost(&b->all);
    return of_a != of_b ? of_a > of_b : a->depth < b->depth;
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
            if (!told[i] && (best == count || comes_before(&lines[i], &lines[best])))
                best = i;
        if (n && profile_uses_ratio(profile_cost(&lines[best].all), p->lines->sum.total) < LEAST_SHARE)
            break;
        told[best] = true;
        print_line(p, (uint32_t)best, ptx);
    }
    free(told);
}

/* Sentences */

/* A sentence is about a site's cycles of a cause; or (cause is PROFILE_LINES_NONE) those for which warps waited for the
 * values that it brings. */
struct finding {
    uint64_t cycles;
    uint32_t cause;
    const struct profile_site *site;
};

static void add_place(const struct profile_lines *p, const struct profile_site *site, struct strbuf *out)
{
    const struct profile_line *line = &p->lines.items[site->line], *outer = &p->lines.items[site->outer];
    strbuf_addf(out, "%s:%u", profile_uses_base_name(line->file), line->number);
    if (outer != line)
        strbuf_addf(out, " (called from %s:%u)", profile_uses_base_name(outer->file), outer->number);
}

/* How a site's accesses lie, where that costs something. */
static void add_accesses(const struct profile_sum *sum, const char *before, struct strbuf *out)
{
    const uint64_t *n = sum->counts;
    double each = profile_uses_ratio(n[PROFILE_transactions], n[PROFILE_accesses]);
    if (each >= 1.5)
        strbuf_addf(out, "%s%.1f transactions an access, its lanes lie %.0f bytes apart", before, each,
                    profile_uses_ratio(n[PROFILE_apart], n[PROFILE_accesses]));
    else if (n[PROFILE_passes] * 2 >= n[PROFILE_accesses] && n[PROFILE_accesses])
        strbuf_addf(out, "%s%.1f passes an access, its lanes meet in banks of shared memory", before,
                    1 + profile_uses_ratio(n[PROFILE_passes], n[PROFILE_accesses]));
}

static void add_finding(const struct profile_lines *p, const struct finding *f, struct strbuf *out)
{
    const struct profile_sum *sum = &f->site->sum;
    strbuf_addf(out, "- %.0f%% of warp-cycles ", 100 * profile_uses_ratio(f->cycles, p->sum.total));
    if (f->cause == PROFILE_LINES_NONE) {
        bool loads = sum->counts[PROFILE_accesses];
        strbuf_addf(out, "wait for the value that %s ", loads ? "the load of" : "line");
        add_place(p, f->site, out);
        strbuf_add(out, loads ? " brings" : " computes");
        add_accesses(sum, ": ", out);
    } else {
        strbuf_add(out, "go to ");
        add_place(p, f->site, out);
        strbuf_addf(out, ": %s", profile_cause_words(p->causes[f->cause]));
        add_accesses(sum, "; ", out);
    }
    strbuf_add(out, ".");
}

/* Appends a paragraph, broken where a line would be too long. */
static void add_wrapped(const char *text, struct strbuf *out)
{
    while (strlen(text) > WIDTH) {
        size_t end = WIDTH;
        while (end > 4 && text[end] != ' ')
            end--;
        end = end > 4 ? end : WIDTH;
        strbuf_addn(out, text, end);
        strbuf_add(out, "\n ");
        text += end; /* with the blank, which indents what follows */
    }
    strbuf_addf(out, "%s\n", text);
}

static void print_finding(struct printer *p, const struct finding *f)
{
    struct strbuf text = {0};
    add_finding(p->lines, f, &text);
    add_wrapped(strbuf_text(&text), p->out);
    strbuf_free(&text);
}

/* The site that has most cycles of a cause. There is one. */
static struct finding find_site(const struct profile_lines *p, uint32_t cause)
{
    struct finding f = {.cause = cause, .site = p->sites.items};
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct profile_sum *sum = &p->sites.items[i].sum;
        uint64_t cycles = cause == PROFILE_LINES_NONE ? sum->counts[PROFILE_awaited] : sum->cycles[cause];
        if (cycles > f.cycles)
            f = (struct finding){cycles, cause, &p->sites.items[i]};
    }
    return f;
}

/* Waits for values are told by where these come from; and work is no finding. */
static bool is_told(const char *cause)
{
    return strcmp(cause, "issued") && strcmp(cause, "unpicked") && strcmp(cause, "exit") &&
           strncmp(cause, "data_", 5) != 0;
}

/* Prints a sentence, if there is one; returns how many. */
static unsigned print_sentence(struct printer *p, struct strbuf *text)
{
    unsigned told = text->length > 0;
    if (told)
        add_wrapped(strbuf_text(text), p->out);
    strbuf_free(text);
    return told;
}

/* Sentences on the words for which warps waited most. Returns how many. */
static unsigned print_words(struct printer *p)
{
    struct strbuf lock = {0}, poll = {0};
    profile_words_add_sentence(p->words, p->lines->sum.total, &lock);
    profile_polls_add_sentence(p->polls, p->lines->sum.total, &poll);
    return print_sentence(p, &lock) + print_sentence(p, &poll);
}

static void print_sentences(struct printer *p)
{
    struct finding found[PROFILE_LINES_CAUSES + 1];
    unsigned count = 0, most = MOST_SENTENCES - print_words(p);
    found[count++] = find_site(p->lines, PROFILE_LINES_NONE);
    for (uint32_t c = 0; c < p->lines->cause_count; c++)
        if (is_told(p->lines->causes[c]))
            found[count++] = find_site(p->lines, c);
    for (unsigned n = 0; n < most && n < count; n++) {
        unsigned best = n;
        for (unsigned i = n + 1; i < count; i++)
            best = found[i].cycles > found[best].cycles ? i : best;
        struct finding f = found[best];
        found[best] = found[n];
        found[n] = f;
        if (profile_uses_ratio(f.cycles, p->lines->sum.total) < 5 * LEAST_SHARE)
            return;
        print_finding(p, &f);
    }
}

static void print_kernel(const json_t *kernels, const char *name, bool ptx, struct strbuf *out)
{
    struct profile_lines lines;
    profile_lines_init(&lines, kernels, name);
    struct profile_words_report *words = profile_words_read(kernels, name);
    struct profile_polls_report *polls = profile_polls_read(kernels, name);
    struct printer p = {.lines = &lines, .words = words, .polls = polls, .out = out};
    strbuf_add(out, "\nprofile of ");
    figures_kernel_name(name, out);
    strbuf_addf(out, ": %" PRIu64 " cycles, %" PRIu64 " warp-cycles", lines.cycles, lines.sum.total);
    if (lines.launches > 1)
        strbuf_addf(out, " in %" PRIu64 " launches", lines.launches);
    strbuf_add(out, "\n");
    if (lines.sum.total) {
        print_lines(&p, ptx);
        profile_barriers_add_table(kernels, name, lines.sum.total, out);
        profile_words_add_table(words, lines.sum.total, out);
        profile_polls_add_table(polls, lines.sum.total, out);
        print_sentences(&p);
    }
    for (size_t i = 0; i < p.sources.count; i++)
        strbuf_free(&p.sources.items[i].text);
    vec_free(&p.sources);
    profile_words_done(words);
    profile_polls_done(polls);
    profile_lines_free(&lines);
}

static const char *profiled_name(const json_t *kernel)
{
    return json_object_get(kernel, "profile") ? json_string_value(json_object_get(kernel, "name")) : NULL;
}

void report_profile(const json_t *kernels, bool ptx, struct strbuf *out)
{
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const char *name = profiled_name(json_array_get(kernels, i));
        bool seen = !name;
        for (size_t k = 0; k < i && !seen; k++) {
            const char *before = profiled_name(json_array_get(kernels, k));
            seen = before && !strcmp(before, name);
        }
        if (!seen)
            print_kernel(kernels, name, ptx, out);
    }
}

void report_profile_words(const json_t *kernels, const char *name, struct strbuf *out)
{
    struct profile_lines lines;
    profile_lines_init(&lines, kernels, name);
    struct profile_words_report *words = profile_words_read(kernels, name);
    struct profile_polls_report *polls = profile_polls_read(kernels, name);
    struct printer p = {.lines = &lines, .words = words, .polls = polls, .out = out};
    print_words(&p);
    profile_words_done(words);
    profile_polls_done(polls);
    profile_lines_free(&lines);
}
