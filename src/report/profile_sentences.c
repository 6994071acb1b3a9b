/* Sentences on a profile: see profile_sentences.h. */
#include "report/profile_sentences.h"

#include <string.h>

#include "report/profile_called.h"
#include "report/profile_uses.h"

#define LEAST_SHARE 0.05 /* of the kernel's cycles */

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
    struct strbuf around = {0}, from = {0}, before = {0};
    strbuf_addf(out, "%s:%u", profile_uses_base_name(line->file), line->number);
    strbuf_addf(&before, "%s:%u", profile_uses_base_name(outer->file), outer->number);
    if (outer != line)
        strbuf_addf(&around, "called from %s", strbuf_text(&before));
    profile_called_add_from(p, site->first, strbuf_text(&before), &from);
    if (from.length)
        strbuf_addf(&around, "%s%s", around.length ? ", in a function " : "", strbuf_text(&from));
    if (site->by && !site->several)
        strbuf_addf(out, around.length ? " (%s, %s)" : " (%s%s)", site->by, strbuf_text(&around));
    else if (around.length)
        strbuf_addf(out, " (%s)", strbuf_text(&around));
    strbuf_free(&around);
    strbuf_free(&from);
    strbuf_free(&before);
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
    strbuf_addf(out, "%.0f%% of warp-cycles ", 100 * profile_uses_ratio(f->cycles, p->sum.total));
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

/* Goes on to the next sentence if there is one. */
static void told(struct profile_sentences *s)
{
    s->count += s->texts[s->count].length > 0;
}

void profile_sentences_init(struct profile_sentences *s, const struct profile_lines *lines,
                            const struct profile_words_report *words, const struct profile_polls_report *polls,
                            const struct profile_sharing_report *sharing)
{
    struct finding found[PROFILE_LINES_CAUSES + 1];
    unsigned count = 0;
    *s = (struct profile_sentences){0};
    if (!lines->sum.total)
        return;
    profile_words_add_sentence(words, lines->sum.total, &s->texts[s->count]);
    told(s);
    profile_polls_add_sentence(polls, lines->sum.total, &s->texts[s->count]);
    told(s);
    profile_sharing_add_sentence(sharing, lines->sum.total, &s->texts[s->count]);
    told(s);
    found[count++] = find_site(lines, PROFILE_LINES_NONE);
    for (uint32_t c = 0; c < lines->cause_count; c++)
        if (is_told(lines->causes[c]))
            found[count++] = find_site(lines, c);
    for (unsigned n = 0; s->count < PROFILE_SENTENCES && n < count; n++) {
        unsigned best = n;
        for (unsigned i = n + 1; i < count; i++)
            best = found[i].cycles > found[best].cycles ? i : best;
        struct finding f = found[best];
        found[best] = found[n];
        found[n] = f;
        if (profile_uses_ratio(f.cycles, lines->sum.total) < LEAST_SHARE)
            return;
        add_finding(lines, &f, &s->texts[s->count]);
        told(s);
    }
}

void profile_sentences_free(struct profile_sentences *s)
{
    for (unsigned i = 0; i < PROFILE_SENTENCES; i++)
        strbuf_free(&s->texts[i]);
}
